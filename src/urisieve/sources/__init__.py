"""Byte input: reading blocks, decoding them, and the way back from characters to bytes.

Nothing here knows about identifiers. `read_blocks` does the reading, `ByteDecoder` the decoding without any I/O, and
its `OffsetMap` says which byte a character came from. The readers are imported from their own modules, for they cost
what they import: `folders` (paths to files), `unpacking` (files to contents), `texts`, `jsonlines`, `tables`, `journal`
and `outlook` (contents to documents), `follow` (files that grow).
"""

from urisieve.sources.decoding import DEFAULT_KEEP, ByteDecoder
from urisieve.sources.encodings import STRAY, Encoding, find_encoding, known_marks
from urisieve.sources.offsets import OffsetMap
from urisieve.sources.reading import BLOCK_SIZE, STANDARD_INPUT, read_blocks, source_size, text_lines
from urisieve.sources.segments import Segment, segments

__all__ = [
    "BLOCK_SIZE",
    "DEFAULT_KEEP",
    "STANDARD_INPUT",
    "STRAY",
    "ByteDecoder",
    "Encoding",
    "OffsetMap",
    "Segment",
    "find_encoding",
    "known_marks",
    "read_blocks",
    "segments",
    "source_size",
    "text_lines",
]
