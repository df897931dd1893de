r"""JSON documents and JSON lines: each string is a text, with the path of its field, its line, its escapes resolved.

The names of members are strings too. `http:\/\/e.com` and `http:\u002f\u002f` are found all the same. A list of numbers
from 0 to 255 is text in UTF-8, as in the journal's JSON. The time that an object states is that of the strings in it;
see `JsonTimes`. What is not JSON is counted and read as text, with the escapes in it resolved.

A document of any size is read in windows; memory is that of one window.
"""

from __future__ import annotations

import binascii
import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import chain

from urisieve.codes import Warn
from urisieve.find.delimited import SEPARATOR
from urisieve.lean import Any, Final, cast
from urisieve.records.base import Context
from urisieve.sources.blocks import About, columns_of_values, value_columns
from urisieve.sources.bytes.carrier_notations import Unescaper
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.lines import LineReader, Lines, LongLine
from urisieve.sources.bytes.reading import BLOCK_SIZE
from urisieve.sources.bytes.source_map import SourceLines, SourceMap, composed
from urisieve.sources.containers.contents import Content
from urisieve.sources.containers.warc import payload_of
from urisieve.sources.documents import BlockRows, Document, MapOfText
from urisieve.sources.kinds.kind_table import LONGEST_HEAD
from urisieve.sources.kinds.odd_lines import json_begins
from urisieve.sources.reading_options import Carrier
from urisieve.sources.segments import Segments
from urisieve.sources.structured.json_paths import AROUND, BLANK, DECODER, FieldWatch, JsonField, inner_path
from urisieve.sources.structured.json_strings import JsonStrings, JsonTimes, Open, strings_of_lines, strings_of_window

# A string, or a list of small numbers, of more characters is not held in memory: the text from such a string on is read
# as plain text. Pictures in notebooks have some hundred thousand.
STRING_LIMIT: Final = 4 * 1_048_576
_WINDOW: Final = 262_144
# The characters of a member that names a number in another, at most.
_LONGEST_WORD: Final = 256
# What follows a document that is enclosed.
_AFTER: Final = re.compile(r"[\x00-\x20]*\)?[\x00-\x20]*;?[\x00-\x20]*")
# A number that is an identifier where bare numbers are looked for, and nothing where they are not.
_NUMBER: Final = "9780395363416"
# What a document cannot go on with: a string that has no end, or any other character.
_ODD: Final = re.compile(r'[\x00-\x20,:]*+(?:("(?>[^"\\]++|\\.)*+\\?\Z)|(.))?', re.DOTALL)


def read(source: Content, out: Segments) -> Iterator[Document | None]:
    """Read the strings of a JSON document, or of several one after the other, in the order of the text.

    The strings before a fault are read as such; the rest is text. So is what precedes the document: lines of a program,
    and a script that the document is an argument or a value of.

    Raises:
        InputError: reading fails or the text is cut.
    """
    out.count("json")
    return _JsonWalk(out).documents(source.blocks)


def _times(out: Segments, strings: JsonStrings) -> Callable[[], JsonTimes]:
    """Return what returns the times of some strings, which are made at the first call."""
    return cache(partial(JsonTimes, strings, out.reading.time_field))


# Where a record of Docker ends a line of a log that was too long for it: the next one of the stream goes on.
_PIECE: Final = re.compile(
    r'","stream":"std(?:out"(?<![^\\]\\n","stream":"stdout")|err"(?<![^\\]\\n","stream":"stderr"))'
)


def _last_words(strings: JsonStrings) -> Iterator[tuple[int, int]]:
    """Yield the pieces of lines that end within a word: the index of each, and where the word begins in the strings."""
    for match in _PIECE.finditer(strings.text) if '"stream":"std' in strings.text else ():
        index = bisect_right(strings.starts, match.start() - strings.base) - 1
        words = strings.string(index).rsplit(None, 1) if index >= 0 else []
        stop = strings.begins[index + 1] - len(SEPARATOR)
        if words and strings.path(index) == "log" and strings.whole.endswith(words[-1], strings.begins[index], stop):
            yield index, stop - len(words[-1])


def _documents(
    out: Segments, strings: JsonStrings, decoder: ByteDecoder, start: int, row: int, times: Callable[[], JsonTimes]
) -> Iterator[Document | None]:
    """Yield strings as one document, then the words that may go on in another string.

    Args:
        out: takes it.
        strings: the strings.
        decoder: the decoder of their text.
        start: the offset of their text.
        row: the number of its first line.
        times: returns the times of the strings; called if contexts are wanted.
    """
    lines = SourceLines(strings.text, line=row)

    def about(index: int) -> About:
        at = strings.start(index)
        back = None if strings.is_list(index) else lambda: decoder.source_map(start + at, strings.source_map(index))
        when = None if context is None else context(index)
        return back, strings.path(index) or None, lines.place(at)[0], when, partial(strings.beside, index)

    def time_of(index: int) -> Context | None:
        return times().of(index)

    context = time_of if out.wants_context else None
    legacy = not decoder.encoding.is_unicode
    pieces, after, words = [], 0, list(_last_words(strings))
    for index, begin in words:
        stop = strings.begins[index + 1] - len(SEPARATOR)
        pieces += [strings.whole[after:begin], " " * (stop - begin)]
        after = stop
    whole = "".join([*pieces, strings.whole[after:]]) if words else strings.whole
    columns = partial(_columns, strings, decoder, start, lines, whole, about, context)
    fields = strings.paths if _finds_numbers(out) and not _has_attributes(strings.text) else None
    yield out.block_of(whole, strings.begins, about, legacy=legacy, columns=columns, fields=fields)
    for index, begin in words:
        back, field, line, when, _ = about(index)
        yield out.add(
            strings.whole[begin : strings.begins[index + 1] - len(SEPARATOR)],
            partial(_word_map, back, begin - strings.begins[index]) if callable(back) else None,
            field=field,
            row=line,
            warnings=(Warn.MAY_BE_SHORTENED,),
            context=when,
            legacy=legacy,
        )


def _has_attributes(text: str) -> bool:
    """Report whether a member may be named as an attribute of XML, which says something of the strings beside it."""
    return '"@' in text or '"\\u0040' in text


def _columns(
    strings: JsonStrings,
    decoder: ByteDecoder,
    start: int,
    lines: SourceLines,
    whole: str,
    about: Callable[[int], About],
    context: Callable[[int], Context | None] | None,
    found: BlockRows,
) -> dict[str, Sequence[Any]]:
    """Return what `columns_of_values` returns."""
    numbers, text = found.numbers, strings.text
    base, firsts, offsets = strings.base, strings.starts, decoder.offsets
    starts = [base + firsts[number] for number in numbers]
    if offsets is None or "[" in [text[at - 1] for at in starts]:  # a list of numbers
        return columns_of_values(whole, strings.begins, about, found)
    begins = strings.begins

    def escaped(number: int) -> SourceMap | None:
        at = strings.start(number)
        if text.find("\\", at, at + begins[number + 1] - begins[number]) < 0:
            return None
        return composed(offsets, strings.source_map(number), start + at)

    fields = [path or None for path in strings.paths(numbers)]
    rows = array("q", lines.places(starts)[0])
    ends = [start + at + end for at, end in zip(starts, found.ends, strict=True)]
    starts = [start + at + first for at, first in zip(starts, found.starts, strict=True)]
    return value_columns(found, fields, rows, starts, ends, offsets, escaped if "\\" in text else None, context)


def _word_map(back: MapOfText, first: int) -> SourceMap | None:
    return composed(back(), None, first)


def _numbers(
    out: Segments, strings: JsonStrings, decoder: ByteDecoder, start: int, row: int
) -> Iterator[Document | None]:
    """Add the numbers of some strings' objects that may be identifiers; see `_block`. Most runs look for none."""
    if out.field is not None or not _finds_numbers(out):
        return
    lines = SourceLines(strings.text, line=row)
    for digits, at, path in strings.long_numbers():
        back = partial(decoder.source_map, start + at)
        yield out.add(digits, back, field=path, row=lines.place(at)[0], legacy=not decoder.encoding.is_unicode)


def _finds_numbers(out: Segments) -> bool:
    return out.run.new_may_hold is not None and bool(out.may_hold(_NUMBER))


def _as_text(
    out: Segments,
    pieces: Iterable[str],
    decoder: ByteDecoder,
    start: int,
    row: int,
    ended: Callable[[Iterator[str]], Iterator[str]] = iter,
) -> Document | None:
    """Return text that is not JSON, with its escapes resolved; `ended` returns it so that it ends as it should."""
    unescaper = Unescaper(Carrier.BACKSLASH, keep=out.run.keep)
    back = partial(decoder.source_map, start, unescaper.source_map)
    some = (piece[at : at + _WINDOW] for piece in pieces for at in range(0, len(piece), _WINDOW))
    return out.add(ended(unescaper.pieces(some)), back, row=row, legacy=not decoder.encoding.is_unicode)


# ---------------------------------------------------------------- documents


class _JsonWalk:
    """One pass over a text that contains documents."""

    def __init__(self, out: Segments) -> None:
        self._out = out
        self._field = JsonField.of(out.field)
        # A label says nothing of JSON (RFC 8259 8.1).
        self._decoder = ByteDecoder(out.encoding(by_label=False), keep=STRING_LIMIT + _WINDOW + 4 * BLOCK_SIZE)
        self._text = ""  # a window, or what the last one has left
        self._start, self._row = 0, 1  # its offset in all of the text, and its line
        self._strings: JsonStrings | None = None  # those of the last window
        self._outer: Sequence[Open] = ()
        self._is_enclosed = False  # whether something is above or around the document
        self._archive: BrowserArchive | None = None
        self._watch = FieldWatch(out.field, "values")

    def documents(self, blocks: Iterable[bytes]) -> Iterator[Document | None]:
        """Yield the documents of its strings, then of the text that could not be parsed.

        Raises:
            InputError: reading failed, or the text is cut.
        """
        pieces = self._decoder.pieces(blocks)
        has_ended = is_left = False
        while not has_ended and not is_left:
            is_first = not self._start
            has_ended = self._fill(pieces)
            if self._strings is None and self._out.field is None and _ARCHIVE.match(self._text):
                self._archive = BrowserArchive(self._out)
            if is_first:
                yield self._above()
            is_last = has_ended and self._decoder.cut is None
            yield from self._read(goes_on=not is_last)
            if not is_last and len(self._text) > STRING_LIMIT:
                before = self._start
                yield from self._read(goes_on=True, takes_bytes=False)
                if self._start > before:
                    self._out.skip("too-long", kind="list of bytes")
                else:
                    yield from self._read(goes_on=False)
            assert self._strings is not None
            is_left = self._strings.is_left
        if self._archive is not None:
            yield from self._archive.end()
        if is_left and self._is_enclosed and has_ended and _AFTER.fullmatch(self._text):
            is_left = False
        if is_left:
            message = f"not JSON from line {self._row:,} on: {self._fault()}; read as text"
            self._out.fault("no-json", message, kind="json")
        if is_left or self._decoder.cut is not None:
            rest = chain([self._text], pieces)
            yield _as_text(self._out, rest, self._decoder, self._start, self._row, self._cut)
        self._out.decoded(self._decoder)
        if self._decoder.cut is not None:
            raise self._decoder.cut
        self._out.report(self._watch)

    def _above(self) -> Document | None:
        """Return what precedes the document as text: a banner, or the beginning of a script around it."""
        head = self._text[:LONGEST_HEAD].encode("utf-8", "replace")
        size = len(head[: json_begins(head)].decode())
        if not size:
            return None
        text, self._text = self._text[:size], self._text[size:]
        self._start, self._row, self._is_enclosed = size, 1 + text.count("\n"), True
        if self._out.field is not None:
            return None
        return _as_text(self._out, (text,), self._decoder, 0, 1)

    def _cut(self, pieces: Iterator[str]) -> Iterator[str]:
        """Yield the rest of the text; it ends as the text does."""
        yield from pieces
        if self._decoder.cut is not None:
            cut, self._decoder.cut = self._decoder.cut, None
            raise cut

    def _fill(self, pieces: Iterator[str]) -> bool:
        """Add more to what the last window has left; return whether the text ends there."""
        held = [self._text]
        # So that the text examined again is not longer than the new text, nor longer than the map of the decoder.
        needed = max(_WINDOW, min(len(self._text), STRING_LIMIT + 1 - len(self._text)))
        while needed > 0:
            piece = next(pieces, None)
            if piece is None:
                break
            held.append(piece)
            needed -= len(piece)
        self._text = "".join(held)
        return needed > 0

    def _read(self, *, goes_on: bool, takes_bytes: bool = True) -> Iterator[Document | None]:
        """Read the window, and yield its strings as one document."""
        strings = strings_of_window(
            self._text, self._field, self._strings, self._outer, goes_on=goes_on, takes_bytes=takes_bytes
        )
        _see_fields(self._watch, strings)
        times = _times(self._out, strings)
        if self._decoder.offsets is not None and self._strings is not None:
            self._decoder.offsets.forget(self._start - self._strings.end)
        if strings.size:
            yield from _documents(self._out, strings, self._decoder, self._start, self._row, times)
            if self._archive is not None:
                yield from self._archive.take(strings)
        yield from _numbers(self._out, strings, self._decoder, self._start, self._row)
        self._strings = strings
        wants, names_numbers = self._out.wants_context, _finds_numbers(self._out)
        self._outer = [
            Open(
                strings.path_of(inner),
                strings.name_of(inner),
                times().stated(inner) if wants else (),
                [one for one in strings.members(inner) if len(one[1]) <= _LONGEST_WORD] if names_numbers else (),
            )
            for inner in strings.open_ones
        ]
        self._row += self._text.count("\n", 0, strings.end)
        self._start += strings.end
        self._text = self._text[strings.end :]

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


# ---------------------------------------------------------------- archives of browsers

# The bodies in archives that browsers export (HAR 1.2, `content`): those in base64 are files of their own. In
# `log.entries[].response.content`, `text` is the body, and `encoding` says that it is in base64. It is read by its
# content and `mimeType`, as from the URL that was requested.
_ARCHIVE: Final = re.compile(r'\s*\{\s*"log"\s*:\s*\{')
_CONTENT: Final = re.compile(r"(log\.entries\[[0-9]+\])\.response\.content\.(mimeType|text|encoding)")
_REQUESTED: Final = re.compile(r"(log\.entries\[[0-9]+\])\.request\.url")
# The names of members whose values count, each with the quotation mark that ends it.
_VALUES: Final = ('url"', 'mimeType"', 'text"', 'encoding"')


class BrowserArchive:
    """Finds the bodies among the strings of an archive, as they come.

    Args:
        out: opens the bodies.
    """

    def __init__(self, out: Segments) -> None:
        self._out = out
        self._entry = ""
        self._members: dict[str, str] = {}  # of the entry, as far as they are known

    def take(self, strings: JsonStrings) -> Iterator[Document]:
        """Take the next strings; yield what is in the bodies that are complete."""
        text, base, names, links = strings.text, strings.base, strings.names, strings.links
        for index in range(strings.size):
            key = links[2 * index + 1]
            if key < 0 or names[key] == strings.starts[index] or not text.startswith(_VALUES, base + names[key]):
                continue
            path = strings.path(index)
            found = _CONTENT.fullmatch(path) or _REQUESTED.fullmatch(path)
            if found is None:
                continue
            if found[1] != self._entry:
                yield from self.end()
                self._entry = found[1]
            self._members["url" if found.lastindex == 1 else found[2]] = strings.string(index)

    def end(self) -> Iterator[Document]:
        """Yield what is in the body of the entry, if there is one, and forget it."""
        members, self._members = self._members, {}
        if members.get("encoding") != "base64" or not members.get("text"):
            return
        try:
            data = binascii.a2b_base64(members["text"])
        except binascii.Error:
            self._out.fault("bad-base64", f"{self._entry}: its body is not in base64; not read", kind="value")
            return
        media_type, _, _ = members.get("mimeType", "").partition(";")
        body = payload_of(members.get("url", ""), self._entry, media_type.strip().lower(), None, (data,))
        yield from self._out.open(body.name, body.blocks, hint="", declared=body.declared)


# ---------------------------------------------------------------- lines

_ENDS: Final = {"{": "}", "[": "]", '"': '"'}
# A list that is not empty, and one that may be a text.
_LIST: Final = re.compile(r"\[[ \t\r]*+[^\] \t\r]")
_NUMBERS: Final = re.compile(r"\[[ \t\r]*+[0-9][0-9, \t\r]*+\]")


def read_lines(source: Content, out: Segments) -> Iterator[Document | None]:
    r"""Read the strings of JSON lines (RFC 8259), values and names of members, in the order of the text.

    A line that is longer than `lines.LINE_LIMIT` is read as text, as one that is not JSON is. Empty lines are ignored.
    Where Python reads the lines, it leaves out those without identifiers: `Segments.may_hold` is asked with lines as
    they are written, unless they contain `\/`, `\u00` or a list of numbers.

    Raises:
        InputError: reading fails or the text is cut.
    """
    return _JsonLines(source, out).documents()


class _JsonLines:
    """One pass over JSON lines."""

    def __init__(self, source: Content, out: Segments) -> None:
        self._out = out
        self._field = JsonField.of(out.field)
        self._watch = FieldWatch(out.field, "lines")
        self._reader = LineReader(source.blocks, out.encoding(by_label=False), source.after)

    def documents(self) -> Iterator[Document | None]:
        """Yield the strings, and the lines that are not JSON."""
        for lines in self._reader.batches():
            if isinstance(lines, LongLine):
                self._out.count("line")
                yield self._broken(lines.number, lines.start, lines.pieces, "is too long to be parsed", "too-long")
            else:
                self._out.count("line", len(lines.texts))
                yield from self._strings(lines)
        self._out.decoded(self._reader.decoder)
        self._out.report(self._watch)

    def _strings(self, lines: Lines) -> Iterator[Document | None]:
        """Yield the strings of some lines, and those that are not JSON."""
        text = "\n".join(cast("Sequence[str]", lines.texts))  # undecodable bytes are kept
        row, at = lines.number, 0
        for strings in strings_of_lines(text, self._field, self._is_left_out):
            _see_fields(self._watch, strings)
            if strings.size:
                times = _times(self._out, strings)
                yield from _documents(self._out, strings, self._reader.decoder, lines.start, lines.number, times)
            yield from _numbers(self._out, strings, self._reader.decoder, lines.start, lines.number)
            if strings.is_left:
                row += text.count("\n", at, strings.end)
                at = text.rfind("\n", 0, strings.end) + 1
                end = text.find("\n", at)
                line = text[at : end if end >= 0 else None]
                inner = line.strip(AROUND)
                if inner.strip(BLANK) and not self._is_left_out(inner):
                    said = f"is not JSON: {_fault_of(inner)}"
                    yield self._broken(row, lines.start + at, (line,), said, "no-json")

    def _is_left_out(self, line: str) -> bool:
        """Report whether a line is not read since no identifier can be in it."""
        text = line.strip(AROUND)
        if not text or self._watch.waits:
            return not text
        if self._out.may_hold(text) or "\\/" in text or "\\u00" in text or _NUMBERS.search(text) is not None:
            return False
        return text[0] not in _ENDS or text[-1] == _ENDS[text[0]]

    def _broken(self, number: int, start: int, pieces: Iterable[str], said: str, reason: str) -> Document | None:
        """Count a line that cannot be parsed, and return it as a text."""
        self._out.fault(reason, f"line {number:,} {said}; read as text", kind="line")
        return _as_text(self._out, pieces, self._reader.decoder, start, number)


def _see_fields(watch: FieldWatch, strings: JsonStrings) -> None:
    """Note the fields of lines or of a document, as long as none has the requested one."""
    if not watch.waits:
        return
    if strings.has_field:
        watch.see("", is_wanted=True)
        return
    for number, owner in enumerate(strings.owners):
        watch.see(inner_path(strings.path_of(owner), strings.name(number)[0]), is_wanted=False)
    if _LIST.search(strings.text) is not None:
        for container in {*range(len(strings.containers) // 2)}.difference(strings.owners):
            watch.see(inner_path(strings.path_of(container), 0), is_wanted=False)


def _fault_of(line: str) -> str:
    """Return what is wrong with a line that is not JSON."""
    try:
        DECODER.decode(line)
    except (ValueError, RecursionError) as error:
        return getattr(error, "msg", None) or "numbers too long, or nested too deeply"
    return "numbers too long, or nested too deeply"
