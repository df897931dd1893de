"""Bytes to text, block by block: byte order marks, encodings, stray bytes. No I/O."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator

from urisieve.errors import InputError
from urisieve.lean import TYPE_CHECKING, Final, Protocol, lazy_compile
from urisieve.sources.bytes.encodings import (
    EXAMINED,
    Encoding,
    Family,
    find_encoding,
    known_marks,
    may_be_wide,
    wide_encoding,
)

if TYPE_CHECKING:
    from urisieve.sources.bytes.source_map import SourceMap


# How many characters before the last one fed can still be mapped to bytes: four times the longest candidate of the
# default options, so that every record of a scanner that is fed with the same text is in reach.
DEFAULT_KEEP: Final = 262_144
_LONGEST_MARK: Final = 4
FEWEST_WIDE: Final = 4
"""So many characters of ASCII, each with a NUL behind it, are a string in UTF-16, which no text in UTF-8 holds."""
BEGUN_WIDE: Final = rf"(?:[ -~]\0){{0,{FEWEST_WIDE - 1}}}[ -~]?\Z"
"""The pattern of the beginning of such a string that the end of a piece cuts."""
LONGEST_BEGUN: Final = 2 * FEWEST_WIDE - 1
"""How long that is at most."""
_WIDE_STRING: Final = lazy_compile(rb"(?:[ -~]\0){%d}" % FEWEST_WIDE)
_BEGUN_STRING: Final = lazy_compile(BEGUN_WIDE.encode())
_PENDING: Final = (Family.UTF8, Family.MULTI)  # families whose undecoded bytes must be known even without offsets


class TextTaker(Protocol):
    """A search, as the decoder sees it; see `urisieve.find.search.Search`."""

    @property
    def takes_bytes(self) -> bool:
        """Whether it takes UTF-8 as bytes."""

    @property
    def stray(self) -> int:
        """The number of bytes that did not decode."""

    def enter(self, context: str, offset: int, lines: int, size: int = 0, /) -> None:
        """Begin in the middle of a text."""

    def feed(self, text: str, /) -> None:
        """Take text."""

    def feed_bytes(self, data: bytes | memoryview, /) -> None:
        """Take UTF-8."""

    def close(self) -> None:
        """End the text."""


class ByteDecoder:
    """Decodes a stream of bytes: `feed` each block in turn, then `close`.

    The text is the same however the bytes are cut into blocks (except for broken escape sequences of ISO 2022). A byte
    order mark at the start selects the encoding and is not part of the text; without a mark and without `encoding` it
    is UTF-16 if its first bytes are (`wide_encoding`), else UTF-8. A byte that does not decode becomes one lone
    surrogate. `encoding` overrides a mark of another encoding.

    Args:
        encoding: the name of a codec of text.
        keep: the number of characters that `offsets` reaches back; None for no `offsets`.
        after: the numbers of characters and bytes before the first block, if the stream is entered in its middle,
            between two characters; no mark is searched for then.
        has_wide: whether strings of UTF-16 may be in UTF-8, as in a binary file.

    Raises:
        UsageError: the encoding is not known.
    """

    def __init__(
        self,
        encoding: str | None = None,
        *,
        keep: int | None = DEFAULT_KEEP,
        after: tuple[int, int] | None = None,
        has_wide: bool = False,
    ) -> None:
        self._encoding = find_encoding(encoding)
        self._marks = known_marks(encoding)
        self._is_chosen = encoding is not None
        self._keep = keep
        self._head: bytes | None = b""  # the bytes that may decide the encoding; None once it is decided
        self._decoder: codecs.IncrementalDecoder = self._encoding.decoder()
        self._pending = b""
        self._offsets: SourceMap | None = None
        self._skipped = 0  # bytes of the mark
        self.stray = 0
        """The number of bytes that are not valid UTF-8, if it is UTF-8, or are of strings of UTF-16 in it."""
        self._has_wide = has_wide
        self._before = b""  # what may be the beginning of such a string
        self.cut: InputError | None = None
        """The error that ended the blocks of `pieces` early."""
        if after is not None:
            self._head = None
            self._map_offsets(*after)

    @property
    def encoding(self) -> Encoding:
        """The encoding; final once `feed` or `close` has returned text."""
        return self._encoding

    @property
    def offsets(self) -> SourceMap | None:
        """The map to byte offsets; None if `keep` is None, or if the encoding has none (ISO 2022, HZ, UTF-7)."""
        return self._offsets

    def source_map(self, start: int = 0, inner: SourceMap | None = None) -> SourceMap | None:
        """Return the map from the characters of a text to bytes; None if the encoding has none.

        Args:
            start: the offset of the text in the stream, in characters.
            inner: the map from the text to the text before its escapes were resolved, if they were.
        """
        return None if self._offsets is None else self._offsets.composed(inner, start)

    def feed(self, data: bytes) -> str:
        """Decode the next block; a character that is incomplete at its end is returned with the next block."""
        if self._head is not None:
            data = self._begin(self._head + data, final=False)
            if not data:
                return ""
        return self._decode(data, final=False)

    def close(self) -> str:
        """Decode the bytes that are left."""
        data = b"" if self._head is None else self._begin(self._head, final=True)
        return self._decode(data, final=True)

    def whole(self, data: bytes) -> str:
        """Decode all bytes of a stream."""
        return self.feed(data) + self.close()

    def feed_into(self, search: TextTaker, data: bytes) -> None:
        """Feed a search with the next block: UTF-8 as it is, if the search takes bytes, anything else decoded."""
        if self._head is not None:
            data = self._begin(self._head + data, final=False)
            if not data and self._head is not None:
                return
            if self._takes_bytes(search) and self._skipped:
                search.enter("", 0, 0, self._skipped)
        if self._takes_bytes(search):
            self._count_wide(data)
            search.feed_bytes(data)
        elif data:
            search.feed(self._decode(data, final=False))

    def close_into(self, search: TextTaker) -> None:
        """Feed a search with what is left, and end its text."""
        data = b"" if self._head is None else self._begin(self._head, final=True)
        if not self._takes_bytes(search):
            search.feed(self._decode(data, final=True))
        elif data:
            self._count_wide(data)
            search.feed_bytes(data)
        search.close()
        self.stray += search.stray

    def _count_wide(self, data: bytes) -> None:
        """Count the bytes of strings of UTF-16, as some shells append them to a text; the same however it is cut."""
        if self._has_wide or (b"\0" not in data and b"\0" not in self._before):
            self._before = data[-1:] or self._before
            return
        data = self._before + data
        end = 0
        for found in _WIDE_STRING.finditer(data):
            self.stray += len(found[0])
            end = found.end()
        begun = _BEGUN_STRING.search(data, max(end, len(data) - LONGEST_BEGUN))
        self._before = b"" if begun is None else begun[0]

    def _takes_bytes(self, search: TextTaker) -> bool:
        return search.takes_bytes and self._encoding.family is Family.UTF8

    def _begin(self, head: bytes, *, final: bool) -> bytes:
        """Find the encoding; return the bytes after a mark, or none as long as it is not decided."""
        if not final and len(head) < _LONGEST_MARK and any(mark.startswith(head) for mark, _ in self._marks):
            self._head = head
            return b""
        marked = [(len(mark), encoding) for mark, encoding in self._marks if head.startswith(mark)]
        if not (marked or self._is_chosen) and may_be_wide(head):
            if not final and len(head) < EXAMINED:
                self._head = head
                return b""
            wide = wide_encoding(head)
            marked = [] if wide is None else [(0, wide)]
        self._head = None
        skipped = 0
        if marked:
            skipped, self._encoding = marked[0]
            self._decoder = self._encoding.decoder()
        self._skipped = skipped
        self._map_offsets(0, skipped)
        return head[skipped:]

    def _map_offsets(self, characters: int, size: int) -> None:
        if self._keep is not None and self._encoding.family is not Family.STATEFUL:
            from urisieve.sources.bytes.source_map import SourceMap

            self._offsets = SourceMap(size - characters)
            self._offsets.add(size - characters, size)

    def _decode(self, data: bytes, *, final: bool) -> str:
        family = self._encoding.family
        offsets = self._offsets
        if offsets is not None and self._keep is not None:
            offsets.forget(offsets.length - self._keep)
        if family is Family.UTF8:
            self._count_wide(data)
        if family is Family.UTF8 and not self._pending and data.isascii():
            if offsets is not None:
                offsets.add(offsets.size, offsets.size + len(data))
            return data.decode("ascii")
        if family is Family.UTF8:
            text, left = self._decode_utf8(data, final=final)
        elif final and family is Family.MULTI:
            # The incremental decoder handles one error at the end and loses the bytes after it.
            text = (self._pending + data).decode(self._encoding.name, self._encoding.errors)
            self._decoder.reset()
        elif family is Family.STATEFUL:
            return self._decode_stateful(data, final=final)
        else:
            text = self._decoder.decode(data, final)
        if offsets is None and family not in _PENDING:
            return text
        before = self._pending
        self._pending = left if family is Family.UTF8 else self._decoder.getstate()[0]
        if offsets is not None and text:
            size = len(before) + len(data) - len(self._pending)
            offsets.add_decoded(text, (before + data)[:size], self._encoding)
        return text

    def pieces(self, blocks: Iterable[bytes]) -> Iterator[str]:
        """Yield the text of all blocks, to its end. An `InputError` that ends them early is kept in `cut`."""
        try:
            for block in blocks:
                yield self.feed(block)
        except InputError as error:
            self.cut = error.with_traceback(None)
        yield self.close()

    def _decode_utf8(self, data: bytes, *, final: bool) -> tuple[str, bytes]:
        """Decode like the incremental decoder, and return what is left; strictly first, since that is quick."""
        data = self._pending + data
        try:
            text, used = codecs.utf_8_decode(data, "strict", final)
        except UnicodeDecodeError:
            text, used = codecs.utf_8_decode(data, "surrogateescape", final)
            self.stray += used - len(text.encode("utf-8", "ignore"))  # surrogates of stray bytes are left out
        return text, data[used:]

    def _decode_stateful(self, data: bytes, *, final: bool) -> str:
        held = self._decoder.getstate()[0]
        try:
            return self._decoder.decode(data, final)
        except UnicodeError:
            # The decoders of ISO 2022 hold 8 bytes of an escape sequence that may be broken, but look 16 ahead.
            self._decoder.reset()
            return (held + data).decode(self._encoding.name, self._encoding.errors)
