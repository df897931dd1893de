r"""JSON documents: each string is a document, with the path of its field, its line, and its escapes resolved.

The structure of a document streams through `ijson`; its strings are taken from the text as they stand, so that each
keeps its bytes. Without that package the standard library parses documents up to a limit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from itertools import chain
from types import ModuleType

from urisieve.find.delimited import Delimited
from urisieve.lean.hints import Any, Final
from urisieve.sources.bytes.decoding import ByteDecoder, count_stray
from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.sources.bytes.reading import BLOCK_SIZE
from urisieve.sources.bytes.splices import SplicedMap, Splices
from urisieve.sources.containers.contents import Content
from urisieve.sources.documents import Document, Location, Tally
from urisieve.sources.structured.jsonlines import STRING, field_pattern, inner_path, strings_of
from urisieve.sources.structured.row_reader import DECODER
from urisieve.sources.structured.unescape import Carrier, Unescaper

__all__ = ["WITHOUT_IJSON", "json_values"]

# A string of more characters is not held in memory: the text from there on is read as plain text. Pictures in
# notebooks have some hundred thousand.
STRING_LIMIT: Final = 4 * 1_048_576
# Documents nested more deeply are made to cause harm.
_DEPTH: Final = 10_000
# In characters: without ijson all of a document has to be in memory, at some ten times its size.
WITHOUT_IJSON: Final = 64 * 1_048_576
_WINDOW: Final = 65_536
# A string, or the beginning of one that the end of the text cuts: a quotation mark inside it does not begin another.
_STRING_OR_CUT: Final = re.compile(r'"(?:((?>[^"\\]|\\.)*+)"|(?>[^"\\]|\\.)*+\\?\Z)', re.DOTALL)


def json_values(
    content: Content,
    *,
    tally: Tally,
    field: str | None = None,
    maybe: Callable[[str], object] | None = None,
    encoding: str | None = None,
) -> Iterator[Document]:
    """Yield the strings of a JSON document, or of several one after the other, in the order of the text.

    The strings before a fault are yielded; the rest is read as text, with the escapes in it resolved, and counted.

    Args:
        content: the document.
        tally: counts documents and faults.
        field: only values at this path and below it; see `jsonlines.field_pattern`.
        maybe: returns a false value for text without identifiers; strings for which it does are left out.
        encoding: the name of a codec.

    Iterating raises `InputError` if reading fails or the text is cut.
    """
    tally.read["json"] += 1
    return _JsonWalk(content.source, tally, field, maybe, encoding).documents(content.blocks)


class _JsonTooDeepError(ValueError):
    """A document that is nested more deeply than is read."""


class _JsonWalk:
    """One pass over a text that holds documents."""

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
        self._buffer = ""  # text that has been read and not been parsed
        self._ended = False
        self._start = 0  # the offset in the text of the chunk that is parsed
        self._row, self._at = 1, 0  # a line number, and the offset in that chunk to which it belongs
        # The open objects and lists: the path of each, and the key or index in it that is read. The first is the text.
        self._paths = [""]
        self._keys: list[str | int] = [""]

    def documents(self, blocks: Iterable[bytes]) -> Iterator[Document]:
        """Yield the documents of its strings, then of the text that could not be parsed.

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
                if text:  # an empty text stands for the end
                    parser.send(_fit(text))
                if self._ended and self._decoder.cut is None:
                    parser.close()
                elif len(self._buffer) > STRING_LIMIT:
                    fault = ValueError(f"a string of more than {STRING_LIMIT:,} characters")
            except (
                ijson.JSONError,
                ValueError,
                ArithmeticError,
                SystemError,
            ) as error:  # the last ones for its numbers
                fault = error
            taken = 0
            try:
                for (path, key), (start, end) in zip(self._string_paths(events), strings, strict=False):
                    taken += 1
                    document = self._string(text, start, end, path, key)
                    if document is not None:
                        yield document
            except _JsonTooDeepError as error:
                fault = error
            if fault is not None or (self._ended and self._decoder.cut is not None):
                offset = strings[taken - 1][1] + 1 if taken else 0
                yield self._rest(fault, text, offset, windows)
            if fault is not None or self._ended:
                return
            del events[:]
            self._leave(text)

    def _chunk(self, windows: Iterator[str]) -> tuple[str, list[tuple[int, int]]]:
        """Return the next stretch of the text that does not end in a string, and the offsets of its strings."""
        pieces = [self._buffer]
        needed = max(_WINDOW, len(self._buffer))  # so that the text examined again is not longer than the new text
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
        """Continue after a chunk."""
        self._row += text.count("\n", self._at)
        self._at = 0
        self._start += len(text)

    def _line(self, text: str, offset: int) -> int:
        """Return the line of an offset in a chunk; offsets are asked for in rising order."""
        self._row += text.count("\n", self._at, offset)
        self._at = offset
        return self._row

    def _string_paths(self, events: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, str | int | None]]:
        """Yield for each string among some events the path of its container and its key or index; None for a key.

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
        """Return the document of a string, or None if it cannot hold an identifier."""
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
        self, fault: Exception | None, text: str, offset: int, windows: Iterator[str], reason: str = "no-json"
    ) -> Document:
        """Return the text from an offset in a chunk on as a document; without a fault it is cut there."""
        row = self._line(text, offset)
        if fault is not None:
            said = str(fault).strip().partition("\n")[0] or "nested too deeply"
            message = f"{self._source}: not JSON from line {row:,} on: {said.rstrip('.')}; read as text"
            self._tally.fault("json", reason, message)
        unescaper = Unescaper(Carrier.BACKSLASH, keep=STRING_LIMIT)
        start = self._start + offset

        def pieces() -> Iterator[str]:
            for piece in chain([text[offset:] + self._buffer], windows):
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
        """Yield the documents of all of the text, parsed by the standard library, if it is not too large."""
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
        offset = _AROUND.match(text, 0).end()  # type: ignore[union-attr] # it matches nothing, too
        while offset < len(text):
            try:
                value, end = DECODER.raw_decode(text, offset)
            except (ValueError, RecursionError) as error:
                fault = ValueError(getattr(error, "msg", "") or "numbers too long, or nested too deeply")
                yield self._rest(fault if self._decoder.cut is None else None, text, offset, windows)
                return
            strings = (match.span(1) for match in STRING.finditer(text, offset, end))
            for (path, key, _, _), (start, stop) in zip(strings_of(value), strings, strict=False):
                document = self._string(text, start, stop, path, key)
                if document is not None:
                    yield document
            offset = _AROUND.match(text, end).end()  # type: ignore[union-attr] # as above


_AROUND: Final = re.compile("[ \\t\\r\\n\\0\\x1e]*+")
# Control characters, which yajl rejects in strings and outside, become blanks, which end an identifier.
# A number beyond all bounds is not used either, and converting it takes long.
_LONG_NUMBER: Final = re.compile(rb"[0-9]{300,}")
# The notation of many programs for numbers that JSON does not have (RFC 8259 6).
_NO_NUMBER: Final = re.compile(rb"(?<=[\s,:\[])-?(?:NaN|Infinity)(?=[\s,\]}])")
_BLANKED: Final = bytes(32 if byte < 32 and byte not in b"\t\r\n" else byte for byte in range(256))


def _fit(text: str) -> bytes:
    """Return a text as the parser accepts it; only its structure is used."""
    plain = text.encode("utf-8", "replace").translate(_BLANKED)
    return _LONG_NUMBER.sub(b"1", _NO_NUMBER.sub(b"0", plain) if b"N" in plain or b"I" in plain else plain)


def _ijson() -> ModuleType | None:
    try:
        return import_module("ijson")
    except ImportError:
        return None
