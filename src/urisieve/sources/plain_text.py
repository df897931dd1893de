"""Plain text: a content as one document, with its escapes undone if asked for.

Also defines:

- strings of UTF-16 in files that are not text: their characters of ASCII without the NULs between them.
- the ends of cells in a text that was to be a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from urisieve.lean import Final
from urisieve.records.base import Location
from urisieve.sources.bytes.carrier_notations import Unescaper
from urisieve.sources.bytes.decoding import BEGUN_WIDE, DEFAULT_KEEP, FEWEST_WIDE, LONGEST_BEGUN, ByteDecoder
from urisieve.sources.bytes.encodings import find_encoding
from urisieve.sources.bytes.source_map import SourceMap, composed
from urisieve.sources.containers.contents import Content
from urisieve.sources.documents import Document, Segment
from urisieve.sources.reading_options import Carrier
from urisieve.sources.tally import Tally


def text_document(
    content: Content,
    *,
    encoding: str | None = None,
    carriers: Iterable[Carrier | str] = (),
    has_wide: bool = False,
    keep: int | None = DEFAULT_KEEP,
    tally: Tally | None = None,
) -> Document:
    """Return all of a content as one text.

    Args:
        content: the bytes.
        encoding: the name of a codec, as for `ByteDecoder`.
        carriers: the carriers whose escapes are undone, the outermost first.
        has_wide: whether strings of UTF-16 in it become text, as a program holds them.
        keep: the number of characters back for which the source map is kept; None to do without it.
        tally: counts bytes that do not decode.

    Iterating its text raises `InputError` if reading fails or the text is cut: an undecided candidate is cut then, too.

    Raises:
        UsageError: the encoding is not known.
    """
    if not carriers and not has_wide and not content.delimiter and isinstance(content.blocks, tuple):
        return _in_memory(content, encoding, keep, tally)
    decoder = ByteDecoder(encoding, keep=keep, has_wide=has_wide)
    changes: list[Unescaper | WideStrings] = [Unescaper(carrier, keep=keep) for carrier in carriers]
    if has_wide:
        changes.insert(0, WideStrings(keep=keep))
    ends = CellEnds(content.delimiter) if content.delimiter else None

    def text() -> Iterator[str]:
        for block in content.blocks:
            piece = decoder.feed(block)
            for change in changes:
                piece = change.feed(piece)
            yield piece if ends is None else ends.feed(piece)
        piece = decoder.close()
        for change in changes:
            piece = change.feed(piece) + change.close()
        yield piece if ends is None else ends.feed(piece)
        if tally is not None:
            tally.undecodable(content.source, decoder.stray)

    def offsets() -> SourceMap | None:
        outer = decoder.offsets
        for change in changes:
            outer = composed(outer, change.source_map)
        return outer

    return Segment(
        source=content.source,
        text=text(),
        place=Location(),
        offsets=offsets,
        legacy=not find_encoding(encoding).is_unicode,
    ).document()


def _in_memory(content: Content, encoding: str | None, keep: int | None, tally: Tally | None) -> Document:
    """Return a content that is in memory as a text that is, too."""
    data = b"".join(content.blocks)
    decoder: ByteDecoder | None = None
    if encoding is None and data.isascii() and b"\0" not in data:
        text = data.decode("ascii")
    else:
        decoder = ByteDecoder(encoding, keep=keep)
        text = decoder.whole(data)
        if tally is not None:
            tally.undecodable(content.source, decoder.stray)

    def offsets() -> SourceMap | None:
        if decoder is not None or keep is None:
            return None if decoder is None else decoder.offsets
        return SourceMap()

    return Segment(
        source=content.source,
        text=(text,),
        place=Location(),
        offsets=offsets,
        legacy=encoding is not None and not find_encoding(encoding).is_unicode,
        in_memory=max(1, len(text)),
    ).document()


# In the other byte order the NUL before a string is passed over.
_PAIRS: Final = re.compile(r"(?:[ -~]\0)*")
_STRING: Final = re.compile(rf"(?:[ -~]\0){{{FEWEST_WIDE},}}")
_BEGUN: Final = re.compile(BEGUN_WIDE)


class WideStrings:
    """Takes the NULs out of such strings: `feed` each piece of the text in turn, then `close`.

    The text is the same however it is cut. `source_map` is the map to the text as it was.

    Args:
        keep: the number of characters back for which the map is kept; None to do without it.
    """

    def __init__(self, *, keep: int | None = None) -> None:
        self._keep = keep
        self.source_map: SourceMap | None = None if keep is None else SourceMap()
        self._held = ""
        self._is_inside = False

    def feed(self, text: str) -> str:
        """Take the next piece; return the text that is decided."""
        text = self._held + text
        if "\0" not in text and not self._is_inside:
            self._held = text[-1:]
            return self._plain(text[:-1])
        if self.source_map is not None and self._keep is not None:
            self.source_map.forget(self.source_map.length - self._keep)
        pieces = []
        offset = 0
        if self._is_inside:
            pairs = _PAIRS.match(text)
            offset = 0 if pairs is None else pairs.end()
            pieces.append(self._string(text[:offset]))
        for found in _STRING.finditer(text, offset):
            pieces += [self._plain(text[offset : found.start()]), self._string(found[0])]
            offset = found.end()
        rest = text[offset:]
        self._is_inside = (self._is_inside or offset > 0) and len(rest) < 2 and (not rest or " " <= rest <= "~")
        begun = _BEGUN.search(text, max(offset, len(text) - LONGEST_BEGUN))
        end = len(text) if begun is None else begun.start()
        self._held = text[end:]
        return "".join([*pieces, self._plain(text[offset:end])])

    def close(self) -> str:
        """Return the rest of the text."""
        text, self._held = self._held, ""
        return self._plain(text)

    def _plain(self, text: str) -> str:
        if self.source_map is not None:
            self.source_map.add(self.source_map.size, self.source_map.size + len(text))
        return text

    def _string(self, text: str) -> str:
        if self.source_map is not None:
            self.source_map.add(self.source_map.size, self.source_map.size + len(text), 2)
        return text[::2]


# ---------------------------------------------------------------- what was to be a table

# Such a text is running text in which the delimiter of cells ends a candidate, since `http://a.example/,10` is a link
# and a number there. In quotation marks and in angle brackets it does not: a table has it in a cell there, a text in a
# link.

# What ends the state that a character began: the text outside, quotation marks, angle brackets. A line ends all.
_IN_MARKS: Final = re.compile(r'["\n]')
_IN_BRACKETS: Final = re.compile(r"[>\s]")
# What a delimiter becomes: no candidate goes on over it, and it has as many characters.
_END: Final = "\t"


class CellEnds:
    """Ends cells in a text: `feed` each piece of it in turn. The text stays as long, however it is cut.

    Args:
        delimiter: the character between the cells.
    """

    def __init__(self, delimiter: str) -> None:
        self._delimiter = delimiter
        self._outside = re.compile(f'["<{re.escape(delimiter)}]')
        self._inside: re.Pattern[str] | None = None

    def feed(self, text: str) -> str:
        """Take the next piece; return it with what ends candidates in place of delimiters."""
        pieces: list[str] = []
        done = at = 0
        while True:
            found = (self._inside or self._outside).search(text, at)
            if found is None:
                break
            at = found.end()
            if self._inside is not None:
                self._inside = None
            elif found[0] == self._delimiter:
                pieces += [text[done : found.start()], _END]
                done = at
            else:
                self._inside = _IN_MARKS if found[0] == '"' else _IN_BRACKETS
        return "".join([*pieces, text[done:]]) if pieces else text
