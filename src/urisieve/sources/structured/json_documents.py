r"""JSON documents: each string is a document, with the path of its field, its line, and its escapes resolved.

A document of any size is read in windows; memory is that of one window.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain

from urisieve.find.delimited import Delimited
from urisieve.lean import TYPE_CHECKING, Final
from urisieve.records.base import Location
from urisieve.sources.bytes.carrier_notations import Unescaper
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.reading import BLOCK_SIZE
from urisieve.sources.bytes.source_map import SourceLines, SourceMap, composed
from urisieve.sources.containers.contents import Content
from urisieve.sources.content_tools import ContentTools
from urisieve.sources.documents import Document, no_way_back
from urisieve.sources.reading_options import Carrier
from urisieve.sources.structured.json_paths import JsonField
from urisieve.sources.structured.json_strings import JsonStrings, Open, strings_of_window

if TYPE_CHECKING:
    from urisieve.sources.structured.json_times import JsonTimes

# A string, or a list of small numbers, of more characters is not held in memory: the text from such a string on is read
# as plain text. Pictures in notebooks have some hundred thousand.
STRING_LIMIT: Final = 4 * 1_048_576
_WINDOW: Final = 262_144
# What a document cannot go on with: a string that has no end, or any other character.
_ODD: Final = re.compile(r'[\x00-\x20,:]*+(?:("(?>[^"\\]++|\\.)*+\\?\Z)|(.))?', re.DOTALL)


def json_values(tools: ContentTools, content: Content) -> Iterator[Document]:
    """Yield the strings of a JSON document, or of several one after the other, in the order of the text.

    The strings before a fault are yielded; the rest is read as text, with the escapes in it resolved, and counted. A
    list of numbers from 0 to 255 is text in UTF-8, as in the journal's JSON. The time that an object states is that of
    the strings in it; see `JsonTimes` for objects that are longer than a window.

    Args:
        tools: the options and counts; with a field, only values at this path and below it; see `JsonField`.
        content: the document.

    Iterating raises `InputError` if reading fails or the text is cut.
    """
    tools.tally.read["json"] += 1
    return _JsonWalk(tools, content.source).documents(content.blocks)


class _JsonWalk:
    """One pass over a text that holds documents."""

    def __init__(self, tools: ContentTools, source: str) -> None:
        self._reading = tools.reading
        self._source = source
        self._tally = tools.tally
        self._field = JsonField.of(tools.field)
        self._decoder = ByteDecoder(tools.encoding, keep=STRING_LIMIT + 4 * BLOCK_SIZE)
        self._text = ""  # a window, or what the last one has left
        self._start, self._row = 0, 1  # its offset in all of the text, and its line
        self._strings: JsonStrings | None = None  # those of the last window
        self._outer: Sequence[Open] = ()

    def documents(self, blocks: Iterable[bytes]) -> Iterator[Document]:
        """Yield the documents of its strings, then of the text that could not be parsed.

        Raises:
            InputError: reading failed, or the text is cut.
        """
        pieces = self._decoder.pieces(blocks)
        has_ended = is_left = False
        while not has_ended and not is_left:
            has_ended = self._fill(pieces)
            is_last = has_ended and self._decoder.cut is None
            yield from self._read(goes_on=not is_last)
            if not is_last and len(self._text) > STRING_LIMIT:
                before = self._start
                yield from self._read(goes_on=True, takes_bytes=False)
                if self._start > before:
                    self._tally.skip("list of bytes", "too-long")
                else:
                    yield from self._read(goes_on=False)
            assert self._strings is not None
            is_left = self._strings.is_left
        if is_left or self._decoder.cut is not None:
            yield self._rest(pieces, is_fault=is_left)
        self._tally.undecodable(self._source, self._decoder.stray)
        if self._decoder.cut is not None:
            raise self._decoder.cut

    def _fill(self, pieces: Iterator[str]) -> bool:
        """Add more to what the last window has left; return whether the text ends there."""
        held = [self._text]
        needed = max(_WINDOW, len(self._text))  # so that the text examined again is not longer than the new text
        while needed > 0:
            piece = next(pieces, None)
            if piece is None:
                break
            held.append(piece)
            needed -= len(piece)
        self._text = "".join(held)
        return needed > 0

    def _read(self, *, goes_on: bool, takes_bytes: bool = True) -> Iterator[Document]:
        """Read the window, and yield its strings as one document."""
        strings = strings_of_window(
            self._text, self._field, self._strings, self._outer, goes_on=goes_on, takes_bytes=takes_bytes
        )
        times: JsonTimes | None = None
        if self._reading.context:
            from urisieve.sources.structured.json_times import JsonTimes

            times = JsonTimes(strings, self._reading.time_field)
        if self._decoder.offsets is not None and self._strings is not None:
            self._decoder.offsets.forget(self._start - self._strings.end)
        if strings.size:
            lines = SourceLines(self._text, line=self._row)
            yield Document(
                source=self._source,
                text=(),
                legacy=not self._decoder.encoding.is_unicode,
                delimited=Delimited.VALUE,
                block=strings.block(partial(self._document, strings, self._start, lines, times)),
            )
        self._strings = strings
        self._outer = [
            Open(strings.path_of(inner), strings.name_of(inner), () if times is None else times.stated(inner))
            for inner in strings.open_ones
        ]
        self._row += self._text.count("\n", 0, strings.end)
        self._start += strings.end
        self._text = self._text[strings.end :]

    def _document(
        self, strings: JsonStrings, start: int, lines: SourceLines, times: JsonTimes | None, index: int
    ) -> Document:
        """Return the document of a string; fast in rising order.

        Args:
            strings: those of its window.
            start: the offset of the window.
            lines: the lines of the window.
            times: the times of the strings, if they are asked for.
            index: the index of the string.
        """
        at = strings.start(index)
        when = None if times is None else times.of(index)
        is_list = strings.is_list(index)
        return Document(
            source=self._source,
            text=(strings.string(index),),
            place=Location(field=strings.path(index) or None, row=lines.place(at)[0], context=when),
            offsets=no_way_back if is_list else lambda: self._way_back(start + at, strings.splices(index)),
            legacy=not self._decoder.encoding.is_unicode,
            delimited=Delimited.VALUE,
        )

    def _way_back(self, start: int, splices: SourceMap | None) -> SourceMap | None:
        return composed(self._decoder.offsets, splices, start)

    def _rest(self, pieces: Iterator[str], *, is_fault: bool) -> Document:
        """Return what is left of the text as a document; it ends as the text does."""
        if is_fault:
            message = f"{self._source}: not JSON from line {self._row:,} on: {self._fault()}; read as text"
            self._tally.fault("json", "no-json", message)
        unescaper = Unescaper(Carrier.BACKSLASH, keep=STRING_LIMIT)
        start = self._start

        def text() -> Iterator[str]:
            yield from unescaper.pieces(chain([self._text], pieces))
            if self._decoder.cut is not None:
                cut, self._decoder.cut = self._decoder.cut, None
                raise cut

        return Document(
            source=self._source,
            text=text(),
            place=Location(row=self._row),
            offsets=lambda: self._way_back(start, unescaper.splices),
            legacy=not self._decoder.encoding.is_unicode,
        )

    def _fault(self) -> str:
        """Return what is wrong with the rest of the text, in words."""
        from urisieve.sources.structured.json_tokens import DEPTH

        odd = _ODD.match(self._text)
        assert odd is not None
        if odd[1] is not None and len(odd[1]) > STRING_LIMIT:
            return f"a string of more than {STRING_LIMIT:,} characters"
        if len(self._outer) + 1 == DEPTH and odd[2] in ("[", "{"):
            return f"nested more than {DEPTH:,} deep"
        return "it ends early" if odd[2] is None else f"an unexpected {odd[2]!r}"
