r"""JSON lines: each string is a text, with the path of its field and its escapes resolved.

The names of members are strings too. `http:\/\/e.com` and `http:\u002f\u002f` are found all the same.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import accumulate

from urisieve.find.delimited import Delimited
from urisieve.lean import TYPE_CHECKING, Final, cast
from urisieve.records.base import Location
from urisieve.sources.bytes.carrier_notations import Unescaper
from urisieve.sources.bytes.lines import LineReader, Lines, LongLine
from urisieve.sources.containers.contents import Content
from urisieve.sources.content_tools import ContentTools
from urisieve.sources.documents import Document, no_way_back
from urisieve.sources.reading_options import Carrier
from urisieve.sources.structured.json_paths import FieldWatch, JsonField, inner_path
from urisieve.sources.structured.json_strings import JsonStrings, strings_of_lines
from urisieve.sources.structured.row_reader import AROUND, BLANK, DECODER, SEARCHED, TOO_LONG, RowFault

if TYPE_CHECKING:
    from urisieve.sources.structured.json_times import JsonTimes

_ENDS: Final = {"{": "}", "[": "]", '"': '"'}
# A list that is not empty, and one that may be a text.
_LIST: Final = re.compile(r"\[[ \t\r]*+[^\] \t\r]")
_NUMBERS: Final = re.compile(r"\[([ \t\r]*+[0-9][0-9, \t\r]*+)\]")


def json_lines(tools: ContentTools, content: Content) -> Iterator[Document]:
    r"""Yield the strings of JSON lines (RFC 8259), values and names of members, as blocks, in the order of the text.

    A line that is not JSON is counted and read as text, with the escapes in it resolved; so is one that is longer than
    `lines.LINE_LIMIT`. Empty lines are ignored. A list of numbers from 0 to 255 is text in UTF-8, as in the journal's
    JSON. The time that an object states is that of the strings in it; see `JsonTimes`.

    Args:
        tools: the options and counts; with a field, only values at this path and below it; see `JsonField`. Where
            Python reads the lines, it leaves out those without identifiers: `ContentTools.may_hold` is asked with lines
            as they stand, unless they hold `\/` or `\u00`.
        content: the lines.

    Iterating raises `InputError` if reading fails or the text is cut.
    """
    return _JsonLines(tools, content).documents()


class _JsonLines:
    """One pass over JSON lines; see `json_lines`."""

    def __init__(self, tools: ContentTools, content: Content) -> None:
        self._reading = tools.reading
        self._content = content
        self._tally = tools.tally
        self._field = JsonField.of(tools.field)
        self._watch = FieldWatch(tools.field, "lines")
        self._may_hold = tools.may_hold
        self._reader = LineReader(content.blocks, tools.encoding, content.after)

    def documents(self) -> Iterator[Document]:
        """Yield the strings, and the lines that are not JSON."""
        for lines in self._reader.batches():
            if isinstance(lines, LongLine):
                self._tally.read["line"] += 1
                yield self._as_text(lines.number, lines.start, lines.pieces, TOO_LONG)
            else:
                self._tally.read["line"] += len(lines.texts)
                yield from self._strings(lines)
        self._tally.undecodable(self._content.source, self._reader.decoder.stray)
        self._watch.report(self._content.source, self._tally)

    def _strings(self, lines: Lines) -> Iterator[Document]:
        """Yield the strings of some lines, and those that are not JSON."""
        texts = cast("Sequence[str]", lines.texts)  # stray bytes are kept
        text = "\n".join(texts)
        begins = list(accumulate(map((1).__add__, map(len, texts)), initial=0))
        for strings in strings_of_lines(text, self._field, self._is_left_out):
            if self._watch.waits:
                self._see(strings)
            if strings.size:
                yield Document(
                    source=self._content.source,
                    text=(),
                    legacy=self._reader.legacy,
                    delimited=Delimited.VALUE,
                    block=strings.block(partial(self._document, lines, begins, strings, [])),
                )
            if strings.is_left:
                index = bisect_right(begins, strings.end) - 1
                line = texts[index].strip(AROUND)
                if line.strip(BLANK) and not self._is_left_out(line):
                    fault = SEARCHED.not_json(_fault(line))
                    start = lines.start + begins[index]
                    yield self._as_text(lines.number + index, start, (texts[index],), fault)

    def _is_left_out(self, line: str) -> bool:
        """Report whether a line is not read since no identifier can be in it."""
        text = line.strip(AROUND)
        if not text or self._watch.waits:
            return not text
        if self._may_hold is None or self._may_hold(text) or "\\/" in text or "\\u00" in text:
            return False
        if "[" in text and any(map(self._may_hold, _texts_of_lists(text))):
            return False
        return text[0] not in _ENDS or text[-1] == _ENDS[text[0]]

    def _see(self, strings: JsonStrings) -> None:
        """Note the fields that lines have, as long as none has the requested one."""
        if strings.has_field:
            self._watch.see("", is_wanted=True)
            return
        for number, owner in enumerate(strings.owners):
            self._watch.see(inner_path(strings.path_of(owner), strings.name(number)[0]), is_wanted=False)
        if _LIST.search(strings.text) is not None:
            for container in {*range(len(strings.containers) // 2)}.difference(strings.owners):
                self._watch.see(inner_path(strings.path_of(container), 0), is_wanted=False)

    def _document(
        self, lines: Lines, begins: Sequence[int], strings: JsonStrings, times: list[JsonTimes], index: int
    ) -> Document:
        """Return the document of a string.

        Args:
            lines: the lines that hold it and others.
            begins: the offset of each in their text.
            strings: the strings of these lines.
            times: empty, or their times.
            index: the index of the string.
        """
        at = strings.start(index)
        if self._reading.context and not times:
            from urisieve.sources.structured.json_times import JsonTimes

            times.append(JsonTimes(strings, self._reading.time_field))
        return Document(
            source=self._content.source,
            text=(strings.string(index),),
            place=Location(
                field=strings.path(index) or None,
                row=lines.number + bisect_right(begins, at) - 1,
                context=times[0].of(index) if times else None,
            ),
            offsets=no_way_back
            if strings.is_list(index)
            else lambda: self._reader.way_back(lines.start + at, strings.splices(index)),
            legacy=self._reader.legacy,
            delimited=Delimited.VALUE,
        )

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


def _texts_of_lists(line: str) -> Iterator[str]:
    """Yield the texts of the lists of numbers in a line."""
    for numbers in _NUMBERS.findall(line):
        with suppress(ValueError):  # one that is larger than a byte
            yield bytes(map(int, numbers.split(","))).decode("utf-8", "replace")


def _fault(line: str) -> Exception:
    """Return what is wrong with a line that is not JSON."""
    try:
        DECODER.decode(line)
    except (ValueError, RecursionError) as error:
        return error
    return RecursionError()
