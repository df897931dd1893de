r"""JSON lines: each string is a document, with the path of its field and its escapes resolved.

The names of members are strings too. A line is parsed only if it can hold an identifier; most lines of logs cannot.
`http:\/\/e.com` and `http:\u002f\u002f` are found all the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from urisieve.find.delimited import Delimited
from urisieve.lean.hints import Any, Final
from urisieve.sources.bytes.decoding import count_stray
from urisieve.sources.bytes.lines import LineReader, Lines, LongLine
from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.sources.containers.contents import Content, masked_name
from urisieve.sources.documents import Document, Location, Tally
from urisieve.sources.structured.broken_rows import SEARCHED
from urisieve.sources.structured.field_watch import FieldWatch
from urisieve.sources.structured.row_reader import Row, json_rows
from urisieve.sources.structured.unescape import Carrier, Unescaper

__all__ = ["STRING", "field_pattern", "inner_path", "json_lines", "strings_of"]

STRING: Final = re.compile(r'"((?>[^"\\]|\\.)*+)"', re.DOTALL)
# The longest path: identifiers found many times deep inside would each be written with it.
_LONGEST_PATH: Final = 1_024
_SIMPLE_KEY: Final = re.compile(r"[^.\[\]]+")
_ENDS: Final = {"{": "}", "[": "]", '"': '"'}


def field_pattern(field: str) -> re.Pattern[str]:
    """Return the pattern of the paths of a field and of everything in it.

    Args:
        field: keys with dots between them, `[2]` for an index in a list, `[*]` for all; `*` stands for any key.
    """
    parts = re.split(r"(\[\*\]|\*)", field)
    wild = {"[*]": r"\[[0-9]+\]", "*": r"[^.\[\]]+"}
    return re.compile("".join(wild.get(part, re.escape(part)) for part in parts) + r"(?![^.\[])")


def json_lines(
    content: Content,
    *,
    tally: Tally,
    field: str | None = None,
    maybe: Callable[[str], object] | None = None,
    byte_arrays: bool = False,
    encoding: str | None = None,
) -> Iterator[Document]:
    r"""Yield the strings of JSON lines (RFC 8259), values and names of members, in the order of the text.

    A line that is not JSON is counted and read as text, with the escapes in it resolved; so is one that is longer than
    `lines.LINE_LIMIT`. Empty lines are ignored.

    Args:
        content: the lines.
        tally: counts lines and broken lines.
        field: only values at this path and below it; see `field_pattern`.
        maybe: returns a false value for text without identifiers; lines and values for which it does are left out. It
            is called with lines as they stand, unless they hold `\/` or `\u00`.
        byte_arrays: whether a list of numbers from 0 to 255 is text in UTF-8, as in the journal's JSON.
        encoding: the name of a codec.

    Iterating raises `InputError` if reading fails or the text is cut.
    """
    reader = LineReader(content.blocks, encoding)
    wanted = None if field is None else field_pattern(field)
    watch = FieldWatch(field, "lines")

    def counted() -> Iterator[Lines | LongLine]:
        for lines in reader.batches():
            tally.read["line"] += 1 if isinstance(lines, LongLine) else len(lines.texts)
            yield lines

    def is_left_out(text: str) -> bool:
        if maybe is None or maybe(text) or "\\/" in text or "\\u00" in text or (byte_arrays and "[" in text):
            return False
        return not watch.waits and (text[0] not in _ENDS or text[-1] == _ENDS[text[0]])

    for row in json_rows(counted(), SEARCHED, None if maybe is None else is_left_out):
        if row.fault is not None:
            SEARCHED.report(tally, content.source, row.number, row.fault)
            yield _as_text(content, reader, row)
            continue
        if row.values is None:
            continue
        if watch.waits and wanted is not None:
            for name in _names(row.values):
                watch.see(name, wanted.match(name) is not None)
        tokens = _Tokens(row)
        for path, key, ordinal, string in strings_of(row.values, byte_arrays=byte_arrays):
            if maybe is not None and not maybe(string):
                continue
            if key is not None:
                path = inner_path(path, key)
            if wanted is None or wanted.match(path):
                yield Document(
                    source=content.source,
                    text=(string,),
                    place=Location(field=path or None, row=row.number),
                    offsets=partial(_way_back, reader, tokens, ordinal),
                    legacy=reader.legacy,
                    delimited=Delimited.VALUE,
                )
    watch.report(content.source, tally)
    count_stray(tally, content.source, reader.decoder)


def _names(top: Any) -> Iterator[str]:
    """Yield the paths of all members of objects and indices of lists, except those inside one with a very long path."""
    stack: list[tuple[str, Any]] = [("", top)]
    while stack:
        path, value = stack.pop()
        if path:
            yield path
        if len(path) >= _LONGEST_PATH:
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


def inner_path(path: str, key: str | int) -> str:
    """Return the path of a member, or of an index in a list, from the path of the container."""
    if len(path) >= _LONGEST_PATH:
        return path
    if isinstance(key, int):
        path = f"{path}[{key}]"
    elif _SIMPLE_KEY.fullmatch(key) and "@" not in key:
        path = f"{path}.{key}" if path else key
    else:
        key = masked_name(key)
        path = f'{path}["{key}"]'  # as in JSONPath (RFC 9535 2.3.1)
    return path if len(path) <= _LONGEST_PATH else path[: _LONGEST_PATH - 1] + "\u2026"


class _Tokens:
    """The offsets of the strings of a line, computed when an identifier was found in one of them."""

    def __init__(self, row: Row) -> None:
        self.row = row
        self._spans: list[tuple[int, int]] | None = None

    @property
    def line(self) -> str:
        """The line as it stands."""
        return "".join(self.row.text)

    def span(self, ordinal: int) -> tuple[int, int] | None:
        """Return start and end of a string, without its quotation marks."""
        if self._spans is None:
            self._spans = [match.span(1) for match in STRING.finditer(self.line)]
        return self._spans[ordinal] if 0 <= ordinal < len(self._spans) else None


def _way_back(reader: LineReader, tokens: _Tokens, ordinal: int) -> OffsetMap | None:
    """Return the way back from a string to its bytes."""
    span = tokens.span(ordinal)
    if span is None:
        return None
    start, end = span
    splices = None
    line = tokens.line
    if line.find("\\", start, end) >= 0:
        unescaper = Unescaper(Carrier.BACKSLASH, keep=end - start)
        unescaper.feed(line[start:end])
        splices = unescaper.splices
    return reader.way_back(tokens.row.start + start, splices)


def _as_text(content: Content, reader: LineReader, row: Row) -> Document:
    """Return a line that cannot be parsed, as a text."""
    unescaper = Unescaper(Carrier.BACKSLASH, keep=2 * 1_048_576)

    def text() -> Iterator[str]:
        for piece in row.text:
            yield unescaper.feed(piece)
        yield unescaper.close()

    return Document(
        source=content.source,
        text=text(),
        place=Location(row=row.number),
        offsets=lambda: reader.way_back(row.start, unescaper.splices),
        legacy=reader.legacy,
    )
