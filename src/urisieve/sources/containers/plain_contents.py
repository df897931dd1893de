"""The contents of files of rows: decompressed, and the members of archives one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urisieve.sources.bytes.reading import STANDARD_INPUT, read_blocks, source_name
from urisieve.sources.containers.contents import Content
from urisieve.sources.tally import Tally

__all__ = ["plain_contents"]


def plain_contents(path: str, *, tally: Tally, blocks: Iterable[bytes] | None = None) -> Iterator[Content]:
    """Yield the contents of a file; each must be read before the next one is asked for.

    Args:
        path: the file; `-` for standard input.
        tally: counts skipped things, and faults between contents.
        blocks: the bytes of the file, if they do not come from `path`.

    Iterating `blocks` of a content raises `InputError` if it cannot be read any further.
    """
    from urisieve.sources.containers.unpacking import unpack

    name = source_name(path) or "standard input"
    if blocks is not None or path == STANDARD_INPUT:
        return unpack(name, read_blocks(path) if blocks is None else blocks, tally=tally)
    return unpack(name, read_blocks(path), tally=tally, path=path)
