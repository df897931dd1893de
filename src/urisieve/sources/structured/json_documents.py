r"""JSON documents: each string a document of its own, with the path of its field, its line, and its escapes resolved.

The structure of a document streams through `ijson`, its strings are taken from the text as they stand, so that each has
its bytes. Without that package the standard library parses documents up to a limit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from itertools import chain
from types import ModuleType
from typing import Any, Final

from urisieve.find.delimited import Delimited
from urisieve.sources.bytes.decoding import ByteDecoder, count_stray
from urisieve.sources.bytes.lines import LINE_LIMIT
from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.sources.bytes.reading import BLOCK_SIZE
from urisieve.sources.bytes.splices import SplicedMap, Splices
from urisieve.sources.containers.contents import BlockReader, Content
from urisieve.sources.containers.detection import HEAD_SIZE
from urisieve.sources.documents import Document, Location, Tally
from urisieve.sources.structured.jsonlines import DECODER, STRING, field_pattern, inner_path, strings_of
from urisieve.sources.structured.unescape import Carrier, Unescaper

__all__ = ["WITHOUT_IJSON", "begins_with_line", "json_values"]

# A string of more characters is not held in memory: what stands from there on is read as text. Pictures in notebooks
# have some hundred thousand.
STRING_LIMIT: Final = 4 * 1_048_576
# Documents nested more deeply are made to hurt.
_DEPTH: Final = 10_000
# Characters: without ijson all of a document has to be in memory, at some ten times its size.
WITHOUT_IJSON: Final = 64 * 1_048_576
_WINDOW: Final = 65_536
# A string, or the beginning of one that the end of the text cuts: no quotation mark inside it is taken for another one.
_STRING_OR_CUT: Final = re.compile(r'"(?:((?:[^"\\]|\\.)*+)"|(?:[^"\\]|\\.)*+\\?\Z)', re.DOTALL)
_BLANKS: Final = b" \t\r\n"
_LOOK: Final = 64


def json_values(
    content: Content,
    *,
    tally: Tally,
    field: str | None = None,
    maybe: Callable[[str], object] | None = None,
    encoding: str | None = None,
) -> Iterator[Document]:
    """The strings of a JSON document, or of several one after the other, in the order of the text.

    What is broken gives what came before; the rest is read as text, with the escapes in it resolved, and counted.

    Args:
        content: the document.
        tally: where documents, and what is broken, are counted.
        field: only values at this path and below it; see `jsonlines.field_pattern`.
        maybe: whether a text can hold what is looked for: strings for which it gives nothing true are left out.
        encoding: the name of a codec.

    Iterating raises `InputError` where reading fails or the text is cut.
    """
    tally.read["json"] += 1
    return _JsonWalk(content.source, tally, field, maybe, encoding).documents(content.blocks)


def begins_with_line(reader: BlockReader) -> bool:
    """Whether what seems to be a JSON document is JSON lines, of which the first one is long."""
    first = reader.line(LINE_LIMIT)
    more = reader.peek(_LOOK).strip(_BLANKS)
    reader.unread(first)
    if len(first) <= HEAD_SIZE or not more or not first.endswith(b"\n"):
        return False
    try:
        DECODER.decode(first.decode("utf-8", "replace").strip())
    except (ValueError, RecursionError):
        return more[:1] in (b"{", b"[")
    return True


class _JsonTooDeepError(ValueError):
    """A document that is nested more deeply than is read."""


class _JsonWalk:
    """One reading of a text that holds documents."""

    def __init__(
        self,
        source: str,
        tally: Tally,
        field: str | None,
        maybe: Callable[[str], object] | None,
        encoding: str | None,
    ) -> None:
        self._source = source
        self._tally = tally
        self._wanted = None if field is None else field_pattern(field)
        self._maybe = maybe
        self._decoder = ByteDecoder(encoding, keep=STRING_LIMIT + 2 * BLOCK_SIZE)
        self._buffer = ""  # what has been read and not been parsed
        self._ended = False
        self._start = 0  # of the chunk that is parsed, in the text
        self._row, self._at = 1, 0  # the line of a place in that chunk
        # What is open: the path of each thing and the key or index in it that is read. The first is the whole text.
        self._paths = [""]
        self._keys: list[str | int] = [""]

    def documents(self, blocks: Iterable[bytes]) -> Iterator[Document]:
        """The documents of its strings, then of what could not be parsed.

        Raises:
            InputError: reading failed, or the text is cut.
        """
        windows = self._decoder.pieces(blocks)
        ijson = _ijson()
        yield from self._at_once(windows) if ijson is None else self._streamed(windows, ijson)
        count_stray(self._tally, self._source, self._decoder)
        if self._decoder.cut is not None:
            raise self._decoder.cut

    def _streamed(self, windows: Iterator[str], ijson: ModuleType) -> Iterator[Document]:
        events = ijson.sendable_list()
        parser = ijson.basic_parse_coro(events, multiple_values=True)
        while True:
            text, strings = self._chunk(windows)
            fault: Exception | None = None
            try:
                if text:  # nothing stands for the end
                    parser.send(_fit(text))
                if self._ended and self._decoder.cut is None:
                    parser.close()
                elif len(self._buffer) > STRING_LIMIT:
                    fault = ValueError(f"a string of more than {STRING_LIMIT:,} characters")
            except (ijson.JSONError, ValueError, ArithmeticError, SystemError) as error:  # the last are of its numbers
                fault = error
            taken = 0
            try:
                for (path, key), (start, end) in zip(self._places(events), strings, strict=False):
                    taken += 1
                    document = self._string(text, start, end, path, key)
                    if document is not None:
                        yield document
            except _JsonTooDeepError as error:
                fault = error
            if fault is not None or (self._ended and self._decoder.cut is not None):
                place = strings[taken - 1][1] + 1 if taken else 0
                yield self._rest(fault, text, place, windows)
            if fault is not None or self._ended:
                return
            del events[:]
            self._leave(text)

    def _chunk(self, windows: Iterator[str]) -> tuple[str, list[tuple[int, int]]]:
        """The next stretch of the text that ends in no string, and where its strings stand."""
        pieces = [self._buffer]
        needed = max(_WINDOW, len(self._buffer))  # so that what is looked at again is no more than what is new
        while needed > 0:
            window = next(windows, None)
            if window is None:
                self._ended = True
                break
            pieces.append(window)
            needed -= len(window)
        text = "".join(pieces)
        strings: list[tuple[int, int]] = []
        cut = len(text)
        for match in _STRING_OR_CUT.finditer(text):
            if match[1] is None:
                cut = cut if self._ended else match.start()
                break
            strings.append(match.span(1))
        self._buffer = text[cut:]
        return text[:cut], strings

    def _leave(self, text: str) -> None:
        """Go on behind a chunk."""
        self._row += text.count("\n", self._at)
        self._at = 0
        self._start += len(text)

    def _line(self, text: str, place: int) -> int:
        """The line of a place in a chunk; places are asked for in their order."""
        self._row += text.count("\n", self._at, place)
        self._at = place
        return self._row

    def _places(self, events: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, str | int | None]]:
        """Of each string among some events the path of what it is in, and its key or index; None for a key itself.

        Raises:
            _JsonTooDeepError: the document is nested too deeply.
        """
        paths, keys = self._paths, self._keys
        for event, value in events:
            if event == "map_key":
                yield paths[-1], None
                keys[-1] = value
            elif event == "end_map" or event == "end_array":
                del paths[-1], keys[-1]
            else:
                key = keys[-1]
                if isinstance(key, int):
                    keys[-1] = key = key + 1
                if event == "string":
                    yield paths[-1], key if len(paths) > 1 else None
                elif event == "start_map" or event == "start_array":
                    paths.append(inner_path(paths[-1], key) if len(paths) > 1 else "")
                    keys.append("" if event == "start_map" else -1)
                    if len(keys) > _DEPTH:
                        raise _JsonTooDeepError(f"nested more than {_DEPTH:,} deep")

    def _string(self, text: str, start: int, end: int, path: str, key: str | int | None) -> Document | None:
        """The document of a string, None if it cannot hold what is looked for."""
        raw = text[start:end]
        splices = None
        if "\\" in raw:
            unescaper = Unescaper(Carrier.BACKSLASH, keep=len(raw))
            raw = unescaper.feed(raw) + unescaper.close()
            splices = unescaper.splices
        if self._maybe is not None and not self._maybe(raw):
            return None
        if key is not None:
            path = inner_path(path, key)
        if self._wanted is not None and not self._wanted.match(path):
            return None
        return Document(
            source=self._source,
            text=(raw,),
            place=Location(field=path or None, row=self._line(text, start)),
            offsets=partial(self._way_back, self._start + start, splices),
            legacy=not self._decoder.encoding.is_unicode,
            delimited=Delimited.VALUE,
        )

    def _way_back(self, start: int, splices: Splices | None) -> OffsetMap | None:
        outer = self._decoder.offsets
        return None if outer is None else SplicedMap(splices or Splices(), outer, start)

    def _rest(
        self, fault: Exception | None, text: str, place: int, windows: Iterator[str], reason: str = "no-json"
    ) -> Document:
        """What stands from a place in a chunk on, as text; without a fault it is cut there."""
        row = self._line(text, place)
        if fault is not None:
            said = str(fault).strip().partition("\n")[0] or "nested too deeply"
            message = f"{self._source}: not JSON from line {row:,} on: {said.rstrip('.')}; read as text"
            self._tally.fault("json", reason, message)
        unescaper = Unescaper(Carrier.BACKSLASH, keep=STRING_LIMIT)
        start = self._start + place

        def pieces() -> Iterator[str]:
            for piece in chain([text[place:] + self._buffer], windows):
                yield unescaper.feed(piece)
            yield unescaper.close()
            if self._decoder.cut is not None:
                cut, self._decoder.cut = self._decoder.cut, None
                raise cut

        return Document(
            source=self._source,
            text=pieces(),
            place=Location(row=row),
            offsets=lambda: self._way_back(start, unescaper.splices),
            legacy=not self._decoder.encoding.is_unicode,
        )

    def _at_once(self, windows: Iterator[str]) -> Iterator[Document]:
        """All of the text by the standard library, if it is not too large."""
        pieces: list[str] = []
        size = 0
        for window in windows:
            pieces.append(window)
            size += len(window)
            if size > WITHOUT_IJSON:
                fault = ValueError(
                    f"more than {WITHOUT_IJSON // 1_048_576} Mi characters need the extra: pip install 'urisieve[json]'"
                )
                yield self._rest(fault, "".join(pieces), 0, windows, "needs-ijson")
                return
        text = "".join(pieces)
        place = _AROUND.match(text, 0).end()  # type: ignore[union-attr] # it matches nothing, too
        while place < len(text):
            try:
                value, end = DECODER.raw_decode(text, place)
            except (ValueError, RecursionError) as error:
                fault = ValueError(getattr(error, "msg", "") or "numbers too long, or nested too deeply")
                yield self._rest(fault if self._decoder.cut is None else None, text, place, windows)
                return
            strings = (match.span(1) for match in STRING.finditer(text, place, end))
            for (path, key, _, _), (start, stop) in zip(strings_of(value), strings, strict=False):
                document = self._string(text, start, stop, path, key)
                if document is not None:
                    yield document
            place = _AROUND.match(text, end).end()  # type: ignore[union-attr] # as above


_AROUND: Final = re.compile("[ \\t\\r\\n\\0\\x1e]*+")
# What yajl does not take, in strings and outside: control characters become blanks, which end what they stand in.
# Of a number beyond all bounds nothing is used either, and making it takes long.
_LONG_NUMBER: Final = re.compile(rb"[0-9]{300,}")
# What many programs write for numbers that JSON has not (RFC 8259 6).
_NO_NUMBER: Final = re.compile(rb"(?<=[\s,:\[])-?(?:NaN|Infinity)(?=[\s,\]}])")
_BLANKED: Final = bytes(32 if byte < 32 and byte not in b"\t\r\n" else byte for byte in range(256))


def _fit(text: str) -> bytes:
    """A text as the parser takes it; only its structure is used."""
    plain = text.encode("utf-8", "replace").translate(_BLANKED)
    return _LONG_NUMBER.sub(b"1", _NO_NUMBER.sub(b"0", plain) if b"N" in plain or b"I" in plain else plain)


def _ijson() -> ModuleType | None:
    try:
        return import_module("ijson")
    except ImportError:
        return None
