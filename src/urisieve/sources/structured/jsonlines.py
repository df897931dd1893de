r"""JSON lines: each string is a text, with the path of its field and its escapes resolved.

The names of members are strings too. A line is parsed only if it can hold an identifier; most lines of logs cannot.
`http:\/\/e.com` and `http:\u002f\u002f` are found all the same.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from urisieve.find.delimited import Delimited
from urisieve.kernel import either, kernel
from urisieve.lean import TYPE_CHECKING, Any, Final
from urisieve.records.base import Context, Location
from urisieve.sources.bytes.decoding import count_stray
from urisieve.sources.bytes.lines import Line, LineReader, LongLine
from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.sources.bytes.selections import Splices
from urisieve.sources.containers.contents import Content
from urisieve.sources.content_tools import ContentTools
from urisieve.sources.documents import Document, TextBlock, no_way_back
from urisieve.sources.reading_options import Carrier
from urisieve.sources.structured.json_paths import LONGEST_PATH, FieldWatch, StringPaths, inner_path
from urisieve.sources.structured.plain_text import Unescaper
from urisieve.sources.structured.row_reader import AROUND, BLANK, DECODER, SEARCHED, TOO_LONG, RowFault

if TYPE_CHECKING:
    from urisieve.sources.contexts import JsonTimes

STRING: Final = re.compile(r'"((?>[^"\\]++|\\.)*+)"', re.DOTALL)
_ENDS: Final = {"{": "}", "[": "]", '"': '"'}


def field_pattern(field: str) -> re.Pattern[str]:
    """Return the pattern of the paths of a field and of everything in it.

    Args:
        field: keys with dots between them, `[2]` for an index in a list, `[]` or `[*]` for all; `*` stands for any key.
    """
    parts = re.split(r"(\[\*?\]|\*)", field)
    wild = {"[]": r"\[[0-9]+\]", "[*]": r"\[[0-9]+\]", "*": r"[^.\[\]]+"}
    return re.compile("".join(wild.get(part, re.escape(part)) for part in parts) + r"(?![^.\[])")


def json_lines(tools: ContentTools, content: Content) -> Iterator[Document]:
    r"""Yield the strings of JSON lines (RFC 8259), values and names of members, as blocks, in the order of the text.

    A line that is not JSON is counted and read as text, with the escapes in it resolved; so is one that is longer than
    `lines.LINE_LIMIT`. Empty lines are ignored. A list of numbers from 0 to 255 is text in UTF-8, as in the journal's
    JSON. The time that an object states is that of the strings in it; see `JsonTimes`.

    Args:
        tools: the options and counts; with a field, only values at this path and below it; see `field_pattern`. Lines
            without identifiers are left out: `ContentTools.may_hold` is asked with lines as they stand, unless they
            hold `\/` or `\u00`.
        content: the lines.

    Iterating raises `InputError` if reading fails or the text is cut.
    """
    return _JsonLines(tools, content).documents()


class _JsonLines:
    """One pass over JSON lines; see `json_lines`."""

    def __init__(self, tools: ContentTools, content: Content) -> None:
        self._dating = tools.dating()
        self._times: tuple[int, JsonTimes | None] = (-1, None)  # of the line asked for last
        self._content = content
        self._tally = tools.tally
        self._wanted = None if tools.field is None else field_pattern(tools.field)
        self._watch = FieldWatch(tools.field, "lines")
        self._may_hold = tools.may_hold
        self._reader = LineReader(content.blocks, tools.encoding, content.after)
        # The strings that are not yet yielded: of each its text, its line, its path and its number among all strings.
        self._texts: list[str] = []
        self._places: list[tuple[Line, str, int]] = []
        self._starts: tuple[int, list[int]] = (-1, [])  # the offsets of all strings of the line asked for last

    def documents(self) -> Iterator[Document]:
        """Yield the strings, and the lines that are not JSON."""
        for lines in self._reader.batches():
            if isinstance(lines, LongLine):
                self._tally.read["line"] += 1
                yield self._as_text(lines.number, lines.start, lines.pieces, TOO_LONG)
                continue
            self._tally.read["line"] += len(lines.texts)
            numbered = lines.numbered()
            yield from self._one_by_one(numbered) if self._wanted else self._together(numbered)
            yield from self._taken()
        count_stray(self._tally, self._content.source, self._reader.decoder)
        self._watch.report(self._content.source, self._tally)

    def _one_by_one(self, lines: Iterable[Line]) -> Iterator[Document]:
        """Take the strings of some lines; yield those taken before a line that is not JSON, and that line."""
        for line in lines:
            text = line.text.strip(AROUND)
            if not text or self._is_left_out(text):
                continue
            try:
                self._add(line, text)
            except (ValueError, RecursionError) as error:
                if text.strip(BLANK):
                    yield from self._taken()
                    yield self._as_text(line.number, line.start, (line.text,), SEARCHED.not_json(error))

    def _by_kernel(self, lines: list[Line]) -> Iterator[Document]:
        """Yield the strings of some lines as the kernel finds them; take those of the lines that it leaves."""
        data = "\n".join([line.text for line in lines]).encode("utf-8", "surrogatepass")
        starts = [line.start for line in lines]
        end = 0
        start = starts[0]
        while end < len(data):
            text, begins, places, links, containers, end, more = kernel.json_strings(data, end, True, True)
            if places:
                yield from self._taken()
                block = TextBlock.unplaced(text, memoryview(begins).cast("q"))
                paths = StringPaths(links, containers, block.text)
                strings = memoryview(places).cast("q")
                found = partial(self._found, lines, starts, start, strings, paths, block.text)
                yield self._block(block._replace(document=found))
            start += more
            if end < len(data):
                index = bisect_right(starts, start) - 1
                yield from self._one_by_one(lines[index : index + 1])
                end = data.find(b"\n", end) + 1 or len(data)
                start = starts[index + 1] if index + 1 < len(lines) else start

    _together = either(_by_kernel, _one_by_one)

    def _is_left_out(self, text: str) -> bool:
        """Report whether a line is not read since no identifier can be in it."""
        if self._may_hold is None or self._may_hold(text) or "\\/" in text or "\\u00" in text:
            return False
        if "[" in text:
            return False
        return not self._watch.waits and (text[0] not in _ENDS or text[-1] == _ENDS[text[0]])

    def _add(self, line: Line, text: str) -> None:
        """Take the strings of a line, whose text is without the white space around it.

        Raises:
            ValueError: the line is not JSON.
            RecursionError: it is nested too deeply.
        """
        values = DECODER.decode(text)
        if self._watch.waits and self._wanted is not None:
            for name in _names(values):
                self._watch.see(name, self._wanted.match(name) is not None)
        for path, key, ordinal, string in strings_of(values, byte_arrays=True):
            whole = path if key is None else inner_path(path, key)
            if self._wanted is None or self._wanted.match(whole):
                self._texts.append(string)
                self._places.append((line, whole, ordinal))

    def _taken(self) -> Iterator[Document]:
        """Yield the strings taken since the last call as one document, if there are any."""
        if self._texts:
            texts, places = self._texts, self._places
            self._texts, self._places = [], []
            yield self._block(TextBlock.of(texts, lambda index: self._taken_one(*places[index], texts[index])))

    def _block(self, block: TextBlock) -> Document:
        return Document(
            source=self._content.source,
            text=(),
            legacy=self._reader.legacy,
            delimited=Delimited.VALUE,
            block=block,
        )

    def _found(
        self,
        lines: Sequence[Line],
        starts: Sequence[int],
        start: int,
        places: memoryview,
        paths: StringPaths,
        text: Callable[[int], str],
        index: int,
    ) -> Document:
        """Return the document of a string that the kernel has found.

        Args:
            lines: the lines that hold it and others.
            starts: the offset of each in the text.
            start: the offset from which on the kernel has read.
            places: the offset of each string from there on.
            paths: the paths of the strings.
            text: returns a string by its index.
            index: the index of the string.
        """
        at = start + places[index]
        line = lines[bisect_right(starts, at) - 1]
        return self._document(line, at - line.start, paths.path(index), text(index))

    def _taken_one(self, line: Line, path: str, ordinal: int, text: str) -> Document:
        """Return the document of a string by its number among those of its line; -1 for a list of bytes."""
        if self._starts[0] != line.number:
            self._starts = line.number, [match.start(1) for match in STRING.finditer(line.text)]
        starts = self._starts[1]
        return self._document(line, starts[ordinal] if 0 <= ordinal < len(starts) else None, path, text)

    def _document(self, line: Line, start: int | None, path: str, text: str) -> Document:
        """Return the document of a string by its offset in its line; a list of bytes has none, and no way back."""
        return Document(
            source=self._content.source,
            text=(text,),
            place=Location(field=path or None, row=line.number, context=self._context(line, start or 0)),
            offsets=no_way_back if start is None else partial(self._way_back, line, start, text),
            legacy=self._reader.legacy,
            delimited=Delimited.VALUE,
        )

    def _context(self, line: Line, offset: int) -> Context | None:
        """Return the time of a string by its offset in its line."""
        if self._dating is None:
            return None
        number, times = self._times
        if times is None or number != line.number:
            from urisieve.sources.contexts import JsonTimes

            values = map(DECODER.decode, (line.text.strip(AROUND),))
            times = JsonTimes(string_starts(line.text), values, self._dating)
            self._times = line.number, times
        return times.at(offset)

    def _way_back(self, line: Line, start: int, string: str) -> OffsetMap | None:
        return self._reader.way_back(line.start + start, string_splices(line.text, start, string))

    def _as_text(self, number: int, start: int, pieces: Iterable[str], fault: RowFault) -> Document:
        """Count a line that cannot be parsed, and return it as a text."""
        SEARCHED.report(self._tally, self._content.source, number, fault)
        unescaper = Unescaper(Carrier.BACKSLASH, keep=2 * 1_048_576)
        return Document(
            source=self._content.source,
            text=unescaper.pieces(pieces),
            place=Location(row=number),
            offsets=lambda: self._reader.way_back(start, unescaper.splices),
            legacy=self._reader.legacy,
        )


def string_starts(text: str) -> Iterator[int]:
    """Yield the offset of the quotation mark of each string in JSON."""
    return (match.start() for match in STRING.finditer(text))


def string_splices(text: str, start: int, string: str) -> Splices | None:
    """Return the way back from a string to what is written at an offset; None if that is the same."""
    if "\\" not in string and text.startswith(string, start):
        return None  # then no backslash stands before its end
    match = STRING.match(text, start - 1)
    assert match is not None
    if "\\" not in match[1]:
        return None
    unescaper = Unescaper(Carrier.BACKSLASH, keep=len(match[1]))
    unescaper.feed(match[1])
    return unescaper.splices


def _names(top: Any) -> Iterator[str]:
    """Yield the paths of all members of objects and indices of lists, except those inside one with a very long path."""
    stack: list[tuple[str, Any]] = [("", top)]
    while stack:
        path, value = stack.pop()
        if path:
            yield path
        if len(path) >= LONGEST_PATH:
            continue
        if value.__class__ is tuple:
            stack += [(inner_path(path, key), inner) for key, inner in value]
        elif value.__class__ is list:
            stack += [(inner_path(path, index), inner) for index, inner in enumerate(value)]


def strings_of(top: Any, *, byte_arrays: bool = False) -> Iterator[tuple[str, str | int | None, int, str]]:
    """Yield the strings in a value of `DECODER`, in the order of the text.

    Yields:
        the path of its container, its key or index there (None for the name of a member, and at the top), its number
        among all strings (-1 for a list of bytes), and the string.
    """
    ordinal = 0
    stack: list[tuple[str, str | int | None, Any]] = [("", None, top)]
    pop, push = stack.pop, stack.append
    while stack:
        path, key, value = pop()
        kind = value.__class__
        if kind is str:
            yield path, key, ordinal, value
            ordinal += 1
        elif kind is tuple:
            if key is not None:
                path = inner_path(path, key)
            for name, inner in reversed(value):
                push((path, name, inner))
                push((path, None, name))
        elif kind is list:
            if byte_arrays and value and all(type(item) is int and 0 <= item <= 255 for item in value):
                yield path, key, -1, bytes(value).decode("utf-8", "surrogateescape")
                continue
            if key is not None:
                path = inner_path(path, key)
            for index in range(len(value) - 1, -1, -1):
                push((path, index, value[index]))
