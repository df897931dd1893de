r"""JSON lines: each string value a document of its own, with the path of its field and its escapes resolved.

A line is parsed only if it can hold something: most lines of most logs cannot. `http:\/\/e.com` and `http:\u002f\u002f`
are found all the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from json import JSONDecoder
from typing import Any, Final

from urisieve.delimited import Delimited
from urisieve.sources.contents import Content
from urisieve.sources.documents import Document, Place, Tally
from urisieve.sources.field_watch import FieldWatch
from urisieve.sources.lines import Line, LineReader, LongLine
from urisieve.sources.offsets import OffsetMap
from urisieve.sources.unescape import Carrier, Unescaper

__all__ = ["field_pattern", "json_lines"]

# Objects are tuples of pairs, so that none is lost where a key stands twice.
_DECODER: Final = JSONDecoder(object_pairs_hook=tuple)
_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*+)"([ \t]*+:)?', re.DOTALL)
# Below a longer path no field is looked for that was asked for in vain so far.
_LONGEST_PATH: Final = 1_024
_SIMPLE_KEY: Final = re.compile(r"[^.\[\]]+")
# White space of JSON (RFC 8259 2), and the record separator of JSON text sequences (RFC 7464 2.2).
_AROUND: Final = " \t\r\x1e"
_ENDS: Final = {"{": "}", "[": "]", '"': '"'}


def field_pattern(field: str) -> re.Pattern[str]:
    """What matches the paths of a field and of everything in it.

    Args:
        field: keys with dots between them, `[2]` for a place in a list, `[*]` for all; `*` stands for any key.
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
    r"""The string values of JSON lines (RFC 8259), in the order of the text.

    A line that is no JSON is counted and read as text, with the escapes in it resolved; so is one that is longer than
    `lines.LINE_LIMIT`. Empty lines are nothing.

    Args:
        content: the lines.
        tally: where lines and broken lines are counted.
        field: only values at this path and below it; see `field_pattern`.
        maybe: whether a text can hold what is looked for; lines and values for which it gives nothing true are left
            out. It is asked about lines as they stand, unless they hold `\/` or `\u00`.
        byte_arrays: whether a list of numbers from 0 to 255 is text in UTF-8, as in the journal's JSON.
        encoding: the name of a codec.

    Iterating raises `InputError` where reading fails or the text is cut.
    """
    reader = LineReader(content.blocks, encoding)
    wanted = None if field is None else field_pattern(field)
    watch = FieldWatch(field, "lines")
    for line in reader:
        tally.read["line"] += 1
        if isinstance(line, LongLine):
            message = f"{content.source}: line {line.number:,} is too long to be parsed; read as text"
            tally.fault("line", "too-long", message)
            yield _as_text(content, reader, line.number, line.start, line.pieces)
            continue
        text = line.text.strip(_AROUND)
        if not text:
            continue
        worth = maybe is None or maybe(text) or "\\/" in text or "\\u00" in text or (byte_arrays and "[" in text)
        if not worth and not watch.waits and (text[0] not in _ENDS or text[-1] == _ENDS[text[0]]):
            continue
        try:
            value = _DECODER.decode(text)
        except (ValueError, RecursionError) as error:
            reason = getattr(error, "msg", None) or "numbers too long, or nested too deeply"
            tally.fault("line", "no-json", f"{content.source}: line {line.number:,} is no JSON: {reason}; read as text")
            yield _as_text(content, reader, line.number, line.start, [line.text])
            continue
        if watch.waits and wanted is not None:
            for name in _names(value):
                watch.see(name, wanted.match(name) is not None)
        for node, ordinal, string in _strings(value, byte_arrays):
            if maybe is not None and not maybe(string):
                continue
            path = _path(node)
            if wanted is None or wanted.match(path):
                yield Document(
                    source=content.source,
                    text=(string,),
                    place=Place(field=path or None, row=line.number),
                    offsets=partial(_way_back, reader, line, ordinal),
                    legacy=reader.legacy,
                    delimited=Delimited.VALUE,
                )
    watch.report(content.source, tally)


def _names(top: Any) -> Iterator[str]:
    """The paths of all members of objects and places in lists, but for those inside one with a very long path."""
    stack: list[tuple[str, Any]] = [("", top)]
    while stack:
        path, value = stack.pop()
        if path:
            yield path
        if len(path) > _LONGEST_PATH:
            continue
        if value.__class__ is tuple:
            stack += [(inner_path(path, key), inner) for key, inner in value]
        elif value.__class__ is list:
            stack += [(inner_path(path, place), inner) for place, inner in enumerate(value)]


# A value's place: that of what it is in, and its key or number; None at the top.
_Node = tuple[Any, str | int] | None


def _strings(top: Any, byte_arrays: bool) -> Iterator[tuple[_Node, int, str]]:
    """The string values of a value: place, number among all string values (-1 for bytes), text."""
    ordinal = 0
    stack: list[tuple[_Node, Any]] = [(None, top)]
    pop = stack.pop
    while stack:
        node, value = pop()
        kind = value.__class__
        if kind is str:
            yield node, ordinal, value
            ordinal += 1
        elif kind is tuple:
            stack += [((node, key), inner) for key, inner in reversed(value)]
        elif kind is list:
            if byte_arrays and value and all(type(item) is int and 0 <= item <= 255 for item in value):
                yield node, -1, bytes(value).decode("utf-8", "surrogateescape")
            else:
                places = range(len(value) - 1, -1, -1)
                stack += [((node, place), inner) for place, inner in zip(places, reversed(value), strict=True)]


def _path(node: _Node) -> str:
    """The path of a place, from the top down."""
    keys: list[str | int] = []
    while node is not None:
        node, key = node
        keys.append(key)
    path = ""
    for key in reversed(keys):
        path = inner_path(path, key)
    return path


def inner_path(path: str, key: str | int) -> str:
    """The path of a member, or of a place in a list, of what has a path."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    if _SIMPLE_KEY.fullmatch(key):
        return f"{path}.{key}" if path else key
    return f'{path}["{key}"]'  # as in JSONPath (RFC 9535 2.3.1)


def _way_back(reader: LineReader, line: Line, ordinal: int) -> OffsetMap | None:
    """The way back from a string value to its bytes, found once something was found in it."""
    if ordinal < 0:
        return None
    values = (match for match in _STRING.finditer(line.text) if match[2] is None)
    for place, match in enumerate(values):
        if place == ordinal:
            unescaper = Unescaper(Carrier.BACKSLASH, keep=len(match[1]))
            unescaper.feed(match[1])
            return reader.way_back(line.start + match.start(1), unescaper.splices)
    return None


def _as_text(content: Content, reader: LineReader, number: int, start: int, pieces: Iterable[str]) -> Document:
    """A line that cannot be parsed, as text."""
    unescaper = Unescaper(Carrier.BACKSLASH, keep=2 * 1_048_576)

    def text() -> Iterator[str]:
        for piece in pieces:
            yield unescaper.feed(piece)
        yield unescaper.close()

    return Document(
        source=content.source,
        text=text(),
        place=Place(row=number),
        offsets=lambda: reader.way_back(start, unescaper.splices),
        legacy=reader.legacy,
    )
