r"""JSON documents: each string is a document, with the path of its field, its line, and its escapes resolved.

The structure of a document streams through `ijson`; its strings are taken from the text as they stand, so that each
keeps its bytes. Without that package the standard library parses documents up to a limit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from itertools import chain
from types import ModuleType

from urisieve.find.delimited import Delimited
from urisieve.kernel import either, kernel
from urisieve.lean import TYPE_CHECKING, Any, Final
from urisieve.records.base import Context, Location
from urisieve.sources.bytes.decoding import ByteDecoder, count_stray
from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.sources.bytes.reading import BLOCK_SIZE
from urisieve.sources.bytes.selections import Splices, selected
from urisieve.sources.containers.contents import Content
from urisieve.sources.content_tools import ContentTools
from urisieve.sources.documents import Document, TextBlock, gathered
from urisieve.sources.reading_options import Carrier
from urisieve.sources.structured.json_paths import StringPaths, inner_path
from urisieve.sources.structured.jsonlines import (
    STRING,
    field_pattern,
    string_splices,
    string_starts,
    strings_of,
)
from urisieve.sources.structured.plain_text import Unescaper
from urisieve.sources.structured.row_reader import DECODER

if TYPE_CHECKING:
    from urisieve.sources.contexts import JsonTimes

# A string of more characters is not held in memory: the text from there on is read as plain text. Pictures in
# notebooks have some hundred thousand.
STRING_LIMIT: Final = 4 * 1_048_576
# Documents nested more deeply are made to cause harm.
_DEPTH: Final = 10_000
# In characters. Documents up to this size are held in memory, and take a tenth of the time.
AT_ONCE: Final = 16 * 1_048_576
# Without ijson all of a document has to be in memory, at some ten times its size.
WITHOUT_IJSON: Final = 64 * 1_048_576
_WINDOW: Final = 65_536
# A string, or the beginning of one that the end of the text cuts: a quotation mark inside it does not begin another.
_STRING_OR_CUT: Final = re.compile(r'"(?:((?>[^"\\]|\\.)*+)"|(?>[^"\\]|\\.)*+\\?\Z)', re.DOTALL)


def json_values(tools: ContentTools, content: Content) -> Iterator[Document]:
    """Yield the strings of a JSON document, or of several one after the other, in the order of the text.

    The strings before a fault are yielded; the rest is read as text, with the escapes in it resolved, and counted. A
    list of numbers from 0 to 255 is text in UTF-8, as in the journal's JSON. The time that an object states is that of
    the strings in it; see `JsonTimes`. Of a document that streams, one with a field or of more than `AT_ONCE`
    characters, it counts for what follows it.

    Args:
        tools: the options and counts; with a field, only values at this path and below it; see
            `jsonlines.field_pattern`.
        content: the document.

    Iterating raises `InputError` if reading fails or the text is cut.
    """
    tools.tally.read["json"] += 1
    return _JsonWalk(tools, content.source).documents(content.blocks)


class _JsonTooDeepError(ValueError):
    """A document that is nested more deeply than is read."""


class _JsonWalk:
    """One pass over a text that holds documents."""

    def __init__(self, tools: ContentTools, source: str) -> None:
        self._dating = tools.dating()
        self._source = source
        self._tally = tools.tally
        self._wanted = None if tools.field is None else field_pattern(tools.field)
        self._may_hold = tools.may_hold
        self._decoder = ByteDecoder(tools.encoding, keep=AT_ONCE + 2 * BLOCK_SIZE)
        self._buffer = ""  # text that has been read and not been parsed
        self._ended = False
        self._start = 0  # the offset in the text of the chunk that is parsed
        self._row, self._at = 1, 0  # a line number, and the offset in that chunk to which it belongs
        # The open objects and lists: the path of each, and the key or index in it that is read. The first is the text.
        self._paths = [""]
        self._keys: list[str | int] = [""]
        self._times: list[Context | None] = [None]  # of the same
        # The innermost open list as long as it holds bytes alone, and the lists of bytes that have ended, with paths.
        self._bytes: bytearray | None = None
        self._lists: list[tuple[str, bytes]] = []

    def documents(self, blocks: Iterable[bytes]) -> Iterator[Document]:
        """Yield the documents of its strings, then of the text that could not be parsed.

        Raises:
            InputError: reading failed, or the text is cut.
        """
        windows = self._decoder.pieces(blocks)
        text = _up_to(AT_ONCE, windows)
        whole = None if self._wanted is not None or len(text) > AT_ONCE else self._whole(text)
        if whole is not None:
            yield whole
        else:
            ijson = _ijson()
            if ijson is None:
                yield from gathered(self._at_once(chain([text], windows)), joins=_is_string)
            else:  # in windows: the events of all of the text would take ten times its size
                held = (text[at : at + _WINDOW] for at in range(0, len(text), _WINDOW))
                yield from self._streamed(chain(held, windows), ijson)
        count_stray(self._tally, self._source, self._decoder)
        if self._decoder.cut is not None:
            raise self._decoder.cut

    def _whole(self, text: str) -> Document | None:
        """Return the strings of all of the text as one block; None if it is cut, not JSON, or has lists of bytes."""
        block = None if self._decoder.cut is not None else self._block(text)
        if block is None:
            return None
        return Document(
            source=self._source,
            text=(),
            legacy=not self._decoder.encoding.is_unicode,
            delimited=Delimited.VALUE,
            block=block,
        )

    def _block_by_kernel(self, text: str) -> TextBlock | None:
        data = text.encode("utf-8", "surrogatepass")
        strings, begins, starts, links, containers, end, _ = kernel.json_strings(data, 0, False, True)
        if end < len(data):
            return None
        block = TextBlock.unplaced(strings, memoryview(begins or bytes(8)).cast("q"))
        paths = StringPaths(links, containers, block.text)
        return block._replace(document=self._locator(text, memoryview(starts).cast("q"), paths.path, block.text))

    def _block_in_python(self, text: str) -> TextBlock | None:
        try:
            found = list(strings_of_text(text, byte_arrays=True))
        except (ValueError, RecursionError):
            return None
        if any(ordinal < 0 for _, _, ordinal, _ in found):
            return None
        texts = [string for *_, string in found]
        begin = [match.start(1) for match in STRING.finditer(text)]

        def path(index: int) -> str:
            outer, key, *_ = found[index]
            return outer if key is None else inner_path(outer, key)

        return TextBlock.of(texts, self._locator(text, begin, path, texts.__getitem__))

    _block = either(_block_by_kernel, _block_in_python)

    def _locator(
        self, text: str, starts: Sequence[int], path: Callable[[int], str], string: Callable[[int], str]
    ) -> Callable[[int], Document]:
        """Return the function that makes the document of a string of a whole text; fast in rising order.

        Args:
            text: the text.
            starts: the offset of each string.
            path: returns the path of a string.
            string: returns a string.
        """
        times: JsonTimes | None = None

        def document(index: int) -> Document:
            nonlocal times
            start, value = starts[index], string(index)
            if times is None and self._dating is not None:
                from urisieve.sources.contexts import JsonTimes

                times = JsonTimes(string_starts(text), _values(text), self._dating)
            when = None if times is None else times.at(start)
            if start < self._at:
                self._row, self._at = 1, 0
            return Document(
                source=self._source,
                text=(value,),
                place=Location(field=path(index) or None, row=self._line(text, start), context=when),
                offsets=lambda: self._way_back(start, string_splices(text, start, value)),
                legacy=not self._decoder.encoding.is_unicode,
                delimited=Delimited.VALUE,
            )

        return document

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
            taken: list[int] = []  # where the strings end
            try:
                yield from gathered(self._strings(events, text, strings, taken), joins=_is_string)
            except _JsonTooDeepError as error:
                fault = error
            yield from self._ended_lists(text, taken[-1] if taken else 0)
            if fault is not None or (self._ended and self._decoder.cut is not None):
                yield self._rest(fault, text, taken[-1] + 1 if taken else 0, windows)
            if fault is not None or self._ended:
                return
            del events[:]
            self._leave(text)

    def _strings(
        self, events: Iterable[tuple[str, Any]], text: str, strings: Iterable[tuple[int, int]], taken: list[int]
    ) -> Iterator[Document]:
        """Yield the documents of the strings of a chunk; `taken` gets the offset at which each has ended."""
        for (path, key), (start, end) in zip(self._string_paths(events), strings, strict=False):
            yield from self._ended_lists(text, taken[-1] if taken else 0)
            taken.append(end)
            document = self._string(text, start, end, path, key)
            if document is not None:
                yield document

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
            if self._bytes is not None:
                if event == "number" and type(value) is int and 0 <= value <= 255:
                    self._bytes.append(value)
                    if len(self._bytes) > STRING_LIMIT:
                        self._tally.skip("list of bytes", "too-long")
                        self._bytes = None
                else:
                    if event == "end_array" and self._bytes:
                        self._lists.append((paths[-1], bytes(self._bytes)))
                    self._bytes = None
            if event == "map_key":
                yield paths[-1], None
                keys[-1] = value
            elif event == "end_map" or event == "end_array":
                del paths[-1], keys[-1], self._times[-1]
            else:
                key = keys[-1]
                if isinstance(key, int):
                    keys[-1] = key = key + 1
                if self._dating is not None and value is not None and self._times[-1] is None:
                    self._times[-1] = self._dating([(f"{key}", f"{value}")])
                if event == "string":
                    yield paths[-1], key if len(paths) > 1 else None
                elif event == "start_map" or event == "start_array":
                    paths.append(inner_path(paths[-1], key) if len(paths) > 1 else "")
                    keys.append("" if event == "start_map" else -1)
                    self._times.append(self._times[-1])
                    self._bytes = bytearray() if event == "start_array" else None
                    if len(keys) > _DEPTH:
                        raise _JsonTooDeepError(f"nested more than {_DEPTH:,} deep")

    def _ended_lists(self, text: str, offset: int) -> Iterator[Document]:
        """Yield the documents of the lists of bytes that have ended, behind an offset in a chunk."""
        lists, self._lists = self._lists, []
        for path, data in lists:
            document = self._list(data.decode("utf-8", "surrogateescape"), path, text, offset)
            if document is not None:
                yield document

    def _list(self, content: str, path: str, text: str, offset: int) -> Document | None:
        """Return the document of a list of bytes, as the journal writes what is not UTF-8; None if it is left out."""
        if self._may_hold is not None and not self._may_hold(content):
            return None
        if self._wanted is not None and not self._wanted.match(path):
            return None
        place = Location(field=path or None, row=self._line(text, offset))
        return Document(source=self._source, text=(content,), place=place, delimited=Delimited.VALUE)

    def _string(self, text: str, start: int, end: int, path: str, key: str | int | None) -> Document | None:
        """Return the document of a string, or None if it cannot hold an identifier."""
        raw = text[start:end]
        splices = None
        if "\\" in raw:
            unescaper = Unescaper(Carrier.BACKSLASH, keep=len(raw))
            raw = "".join(unescaper.pieces((raw,)))
            splices = unescaper.splices
        if self._may_hold is not None and not self._may_hold(raw):
            return None
        if key is not None:
            path = inner_path(path, key)
        if self._wanted is not None and not self._wanted.match(path):
            return None
        return Document(
            source=self._source,
            text=(raw,),
            place=Location(field=path or None, row=self._line(text, start), context=self._times[-1]),
            offsets=partial(self._way_back, self._start + start, splices),
            legacy=not self._decoder.encoding.is_unicode,
            delimited=Delimited.VALUE,
        )

    def _way_back(self, start: int, splices: Splices | None) -> OffsetMap | None:
        return selected(self._decoder.offsets, splices, start)

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
            yield from unescaper.pieces(chain([text[offset:] + self._buffer], windows))
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
        text = _up_to(WITHOUT_IJSON, windows)
        if len(text) > WITHOUT_IJSON:
            fault = ValueError(
                f"more than {WITHOUT_IJSON // 1_048_576} Mi characters need the extra: pip install 'urisieve[json]'"
            )
            yield self._rest(fault, text, 0, windows, "needs-ijson")
            return
        offset = _after(text, 0)
        while offset < len(text):
            try:
                value, end = DECODER.raw_decode(text, offset)
            except (ValueError, RecursionError) as error:
                fault = ValueError(getattr(error, "msg", "") or "numbers too long, or nested too deeply")
                yield self._rest(fault if self._decoder.cut is None else None, text, offset, windows)
                return
            strings = (match.span(1) for match in STRING.finditer(text, offset, end))
            start = offset
            for path, key, ordinal, content in strings_of(value, byte_arrays=True):
                if ordinal < 0:
                    document = self._list(content, path if key is None else inner_path(path, key), text, start)
                else:
                    start, stop = next(strings)
                    document = self._string(text, start, stop, path, key)
                if document is not None:
                    yield document
            offset = _after(text, end)


def _is_string(document: Document) -> bool:
    """Report whether a document is a string, and not the rest of a text, which streams."""
    return isinstance(document.text, tuple)


def _up_to(size: int, windows: Iterator[str]) -> str:
    """Return all of a text, or what is there when it has more characters than a size."""
    pieces: list[str] = []
    length = 0
    while length <= size and (window := next(windows, None)) is not None:
        pieces.append(window)
        length += len(window)
    return "".join(pieces)


def _values(text: str) -> Iterator[Any]:
    """Yield the values of JSON, one after the other in a text.

    Raises:
        ValueError: the text is not JSON from some offset on.
        RecursionError: it is nested too deeply.
    """
    offset = _after(text, 0)
    while offset < len(text):
        value, end = DECODER.raw_decode(text, offset)
        yield value
        offset = _after(text, end)


def strings_of_text(text: str, *, byte_arrays: bool = False) -> Iterator[tuple[str, str | int | None, int, str]]:
    """Yield the strings of all values in a text; see `strings_of`.

    Raises:
        ValueError: the text is not JSON from some offset on.
        RecursionError: it is nested too deeply.
    """
    for value in _values(text):
        yield from strings_of(value, byte_arrays=byte_arrays)


def _after(text: str, offset: int) -> int:
    """Return the offset behind what may stand around values."""
    match = _AROUND.match(text, offset)
    return offset if match is None else match.end()


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
