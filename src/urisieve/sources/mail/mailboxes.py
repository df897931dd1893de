r"""Mailboxes: mbox in all its variants, split as a stream.

RFC 4155 describes mbox; its variants differ in how they write a line of a body that begins with `From `: mboxo writes
`>From `, mboxrd adds a `>` to every line of the form `>*From `, mboxcl adds Content-Length to that, and mboxcl2 writes
only Content-Length. All are read by one rule, see `split_mbox`. MMDF and Babyl are told by their first bytes.

Also defines:

- mailboxes that are not mbox: MMDF, with lines of `\1\1\1\1` around messages, and Babyl, of Rmail. A message of Babyl
  begins with a line of labels; its original header comes before the line `*** EOOH ***`, the header that was shown and
  the body after it. The original header is read, with the body; without one, the header shown.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence

from urisieve.lean import TYPE_CHECKING, Final, cast, dataclass, lazy_compile
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.kinds.mail_signs import BABYL, DATED, FIELD, KNOWN_FIELD, MARKS, MMDF

if TYPE_CHECKING:
    from urisieve.sources.mail.plain_messages import PlainMessages, PlainReader


_PAGE: Final = b"\n\x1f\x0c\n"
_END: Final = lazy_compile(rb"\r?\n\x1f[\r\n]*\Z")
_SHOWN: Final = lazy_compile(rb"^\*\*\* EOOH \*\*\*\r?\n", re.M)
_ANY_EMPTY_LINE: Final = lazy_compile(rb"^\r?\n", re.M)
# A message: its offset in the mailbox, its bytes, the offsets before each of which one byte was left out, and the
# number of bytes beyond the limit.
Message = tuple[int, bytes, "array[int]", int]


def other_messages(blocks: Iterable[bytes], limit: int) -> Iterator[Message]:
    """Yield the messages of a mailbox that begins with one of `MARKS`, one at a time; time is linear.

    Args:
        blocks: the bytes of the mailbox.
        limit: the number of bytes of a message that are kept.
    """
    stream = iter(blocks)
    first = b""
    for block in stream:
        first += block
        if len(first) >= len(BABYL):
            break
    if first.startswith(MMDF):
        yield from _pieces(first, stream, MMDF, _enveloped, limit)
    else:
        # What comes before the first page states options.
        yield from _pieces(first, stream, _PAGE, _shown, limit)


def _pieces(
    first: bytes, blocks: Iterator[bytes], mark: bytes, message: Callable[[int, bytes, int], Message | None], limit: int
) -> Iterator[Message]:
    """Cut a stream at its marks, and yield the messages between them."""
    buffer = bytearray(first)
    base = searched = dropped = 0
    while True:
        found = buffer.find(mark, searched)
        if found >= 0 and (mark != MMDF or found == 0 or buffer[found - 1] == 0x0A):
            made = message(base, bytes(buffer[:found][:limit]), dropped + max(0, found - limit))
            if made is not None:
                yield made
            base += found + len(mark) + dropped
            del buffer[: found + len(mark)]
            searched = dropped = 0
            continue
        if found >= 0:
            searched = found + 1
            continue
        searched = max(0, len(buffer) - len(mark))
        if searched > limit:
            dropped += searched - limit
            del buffer[limit:searched]
            searched = limit
        block = next(blocks, None)
        if block is None:
            break
        buffer += block
    made = message(base, bytes(buffer[:limit]), dropped + max(0, len(buffer) - limit))
    if made is not None:
        yield made


def _enveloped(offset: int, data: bytes, dropped: int) -> Message | None:
    """Return a message of MMDF; None for what is between two of them."""
    if not data.strip():
        return None
    start = 0
    if data.startswith(b"From "):
        start = data.find(b"\n") + 1 or len(data)
    return offset + start, data[start:], array("q"), dropped


def _shown(offset: int, data: bytes, dropped: int) -> Message | None:
    """Return a message of Babyl; None for the options of the mailbox."""
    if data.startswith(BABYL):
        return None
    end = _END.search(data)
    data = data if end is None else data[: end.start() + 1]
    start = data.find(b"\n") + 1  # behind the labels
    shown = _SHOWN.search(data, start)
    if shown is None:
        return offset + start, data[start:], array("q"), dropped
    header = data[start : shown.start()]
    if not header.strip():
        return offset + shown.end(), data[shown.end() :], array("q"), dropped
    body = _ANY_EMPTY_LINE.search(data, shown.end())
    behind = len(data) if body is None else body.start()
    removed = array("q", [len(header)]) * (behind - shown.start())
    return offset + start, header + data[behind:], removed, dropped


# Bytes of a message, which is held in memory. Mail systems accept 25 to 50 MB, a third more in base64.
MESSAGE_LIMIT: Final = 128 * 1024 * 1024
_FROM: Final = b"From "
# How many bytes of a line are examined; an envelope line has an address and a date.
_LINE: Final = 1_024
# How many bytes of the line after it: the name of a field.
_NEXT: Final = 160
# How many bytes before it: two line ends.
_BEFORE: Final = 4

# Begins with a line feed, which is fast to search for.
_LENGTH: Final = lazy_compile(rb"\n(?i:Content-Length):[ \t]*([0-9]{1,12})[ \t]*\r?$", re.M)
_FIRST_LENGTH: Final = lazy_compile(rb"(?i:Content-Length):[ \t]*([0-9]{1,12})[ \t]*\r?$", re.M)
_EMPTY_LINE: Final = lazy_compile(rb"\r?\n")
_HEADER_END: Final = lazy_compile(rb"\n\r?\n")
_QUOTED_FROM: Final = lazy_compile(rb"\n>(?=>*From )")
_QUOTED_FIRST: Final = lazy_compile(rb">(?=>*From )")


@dataclass(slots=True, kw_only=True)
class MailboxMessage:
    """A message of a mailbox. It is not changed once it is made.

    Attributes:
        number: its number in the mailbox, from 1.
        offset: the offset in the mailbox at which `data` begins, in bytes.
        data: the message without its envelope line, `From ` lines unquoted.
        unquoted: offsets in `data`, in bytes; before each of them a `>` was removed.
        dropped: the number of bytes at its end that were left out because it exceeds the limit.
        has_fields: whether the fields of its header are still to be searched.
        envelope: the beginning of its envelope line; empty without one.
    """

    number: int
    offset: int
    data: bytes
    unquoted: Sequence[int] = ()
    dropped: int = 0
    has_fields: bool = True
    envelope: bytes = b""


def split_mbox(
    blocks: Iterable[bytes], *, limit: int = MESSAGE_LIMIT, after: tuple[int, int] = (0, 0)
) -> Iterator[MailboxMessage]:
    """Split a mailbox into its messages, one at a time.

    A message begins with a line `From `: one with a date that follows an empty line or precedes a header field, or one
    between an empty line and a field that is typical of mail. Content-Length counts only if the next message, or the
    end of the mailbox, is at that offset. `>From ` loses its first `>`.

    Memory is that of one message, at most `limit` bytes of it. Time is linear.

    Args:
        blocks: the bytes of the mailbox, in blocks of any size.
        limit: the number of bytes of a message that are kept.
        after: the numbers of messages and of bytes before the first block, which begins with a message then.
    """
    messages = _split(blocks, _Splitter(limit, after=after), limit)
    return cast("Iterator[MailboxMessage]", messages)


def skim_mbox(
    blocks: Iterable[bytes], plain: PlainReader, *, limit: int = MESSAGE_LIMIT, after: tuple[int, int] = (0, 0)
) -> Iterator[MailboxMessage | PlainMessages]:
    """Split a mailbox as `split_mbox` does; plain messages in a row come together.

    Args:
        blocks: the bytes of the mailbox, in blocks of any size.
        plain: reads plain messages.
        limit: the number of bytes of any other message that are kept.
        after: see `split_mbox`.
    """
    return _split(blocks, _Splitter(limit, plain, after=after), limit)


def message_ends(blocks: Iterable[bytes], *, limit: int = MESSAGE_LIMIT) -> Iterator[tuple[int, int]]:
    """Yield the numbers of messages and of bytes before each message but the first, as `split_mbox` finds it.

    Args:
        blocks: the bytes of the mailbox; none are found in one of another format.
        limit: see `split_mbox`.
    """
    reader = BlockReader(blocks)
    if reader.peek(len(max(MARKS, key=len))).startswith(MARKS):
        return
    splitter = _Splitter(limit)
    for block in reader.rest():
        for _ in splitter.feed(block):
            yield splitter.before


def is_mailbox(head: bytes) -> bool:
    """Report whether a text begins as a mailbox does."""
    return head.startswith((_FROM, *MARKS))


def _split(blocks: Iterable[bytes], splitter: _Splitter, limit: int) -> Iterator[MailboxMessage | PlainMessages]:
    reader = BlockReader(blocks)
    if splitter.before == (0, 0) and reader.peek(len(max(MARKS, key=len))).startswith(MARKS):
        for number, (offset, data, unquoted, dropped) in enumerate(other_messages(reader.rest(), limit), 1):
            yield MailboxMessage(number=number, offset=offset, data=data, unquoted=unquoted, dropped=dropped)
        return
    for block in reader.rest():
        yield from splitter.feed(block)
    yield from splitter.close()


class _Splitter:
    """The state of a mailbox being split; it does no I/O."""

    def __init__(self, limit: int, plain: PlainReader | None = None, *, after: tuple[int, int] = (0, 0)) -> None:
        self._limit = limit
        self._plain = plain
        self._buffer = bytearray()  # begins with the first byte of the message, or of its envelope line
        self._number, self._base = after  # messages so far, and the offset of the buffer in the mailbox
        self._begun = False  # whether the envelope line has been skipped
        self._envelope = b""
        self._in_header = True
        self._searched = 0  # no separator begins before this offset
        self._needed = 0  # nothing can be decided before the buffer has this many bytes
        self._dropped = 0  # bytes beyond the limit that were removed from the buffer

    @property
    def before(self) -> tuple[int, int]:
        """The numbers of messages and of bytes up to the message that begins."""
        return self._number, self._base

    def feed(self, block: bytes) -> Iterator[MailboxMessage | PlainMessages]:
        self._buffer += block
        return self._take(final=False)

    def close(self) -> Iterator[MailboxMessage | PlainMessages]:
        return self._take(final=True)

    def _take(self, *, final: bool) -> Iterator[MailboxMessage | PlainMessages]:
        if len(self._buffer) < self._needed and not final:
            return
        self._needed = 0
        while True:
            if self._plain is not None and not self._begun:
                messages = self._plain.read(self._buffer, self._base, self._number, final=final)
                if messages is not None:
                    self._number += messages.messages
                    self._forget(messages.size)
                    if messages.count:
                        yield messages
                    if messages.left:
                        yield self._left(messages.left, final)
                    continue
                if self._plain.waits:
                    return
            if not self._begun and not self._begin(final):
                break
            separator = self._separator(final)
            if separator is None:
                break
            yield self._message(separator)
        if final and self._begun:
            yield self._message(len(self._buffer))
        self._drop()

    def _left(self, size: int, final: bool) -> MailboxMessage:
        """Return the message in the first bytes of the buffer, whose fields have been read."""
        before = len(self._buffer)
        self._begin(final)
        message = self._message(size - (before - len(self._buffer)))
        message.has_fields = False
        return message

    def _begin(self, final: bool) -> bool:
        """Skip an envelope line; False as long as it is incomplete."""
        buffer = self._buffer
        if not self._number:  # empty lines before the first message
            self._forget(len(buffer) - len(buffer.lstrip(b"\r\n")))
        if not buffer or (not final and len(buffer) < len(_FROM)):
            return False
        self._envelope = b""
        if buffer.startswith(_FROM):
            end = buffer.find(b"\n", 0, self._limit)
            if end < 0 and not final and len(buffer) < self._limit:
                return False
            line = end + 1 if end >= 0 else min(len(buffer), self._limit)
            self._envelope = bytes(memoryview(buffer)[: min(line, _LINE)])
            self._forget(line)
        self._number += 1
        self._begun = self._in_header = True
        self._searched = 0
        return True

    def _forget(self, size: int) -> None:
        self._base += size
        del self._buffer[:size]

    def _drop(self) -> None:
        """Drop the bytes beyond the limit, except those that may begin a separator and those just before them."""
        behind = self._searched - _BEFORE
        if self._begun and behind > self._limit:
            self._dropped += behind - self._limit
            del self._buffer[self._limit : behind]
            self._searched = self._limit + _BEFORE

    def _separator(self, final: bool) -> int | None:
        """Return the offset of the next envelope line; None if it has not arrived yet."""
        buffer = self._buffer
        while True:
            offset = self._candidate()
            if self._in_header:
                header = self._header_end(len(buffer) if offset < 0 else offset)
                if header is not None:
                    counted = self._counted(*header, final)
                    if counted is None:
                        return None
                    self._in_header = False
                    if counted >= 0:
                        return counted
            if offset < 0:
                self._searched = max(self._searched, len(buffer) - len(_FROM))
                return None
            line_end = buffer.find(b"\n", offset, offset + _LINE)
            known = offset + _LINE if line_end < 0 else line_end + _NEXT
            if len(buffer) < known and not final:
                return None
            if self._is_separator(offset, line_end):
                return offset
            self._searched = offset + 1

    def _header_end(self, end: int) -> tuple[int, int] | None:
        """Return the span of the empty line before `end` that ends the header; None if there is none."""
        empty = _EMPTY_LINE.match(self._buffer, 0, end)
        if empty is not None:
            return empty.span()
        found = _HEADER_END.search(self._buffer, max(0, self._searched - _BEFORE), end)
        return None if found is None else (found.start() + 1, found.end())

    def _candidate(self) -> int:
        """Return the start of the next line that begins like an envelope line, -1 if there is none."""
        if self._searched == 0 and self._buffer.startswith(_FROM):
            return 0
        found = self._buffer.find(b"\n" + _FROM, max(0, self._searched - 1))
        return found + 1 if found >= 0 else -1

    def _is_separator(self, offset: int, line_end: int) -> bool:
        buffer = self._buffer
        # A line end precedes the envelope line; before that is another one, or the beginning.
        after_empty = offset <= 2 or buffer.endswith((b"\n\n", b"\n\r\n"), max(0, offset - 3), offset)
        if DATED.match(buffer, offset, offset + _LINE) is not None:
            return after_empty or (line_end >= 0 and FIELD.match(buffer, line_end + 1) is not None)
        return after_empty and line_end >= 0 and KNOWN_FIELD.match(buffer, line_end + 1) is not None

    def _counted(self, header_end: int, body: int, final: bool) -> int | None:
        """Return where the message ends by its Content-Length; -1 if that is wrong, None as long as it is not known."""
        buffer = self._buffer
        length = _FIRST_LENGTH.match(buffer, 0, header_end) or _LENGTH.search(buffer, 0, header_end)
        if length is None:
            return -1
        end = body + int(length[1])
        if end > self._limit:
            return -1
        needed = end + _BEFORE + _LINE + _NEXT
        if len(buffer) < needed and not final:
            self._needed = needed
            return None
        offset = end
        # The empty line before the next message.
        while offset < end + _BEFORE and buffer.startswith((b"\r", b"\n"), offset):
            offset += 1
        if offset >= len(buffer):
            return offset if end <= len(buffer) else -1
        if not buffer.startswith(_FROM, offset) or not buffer.endswith(b"\n", 0, offset):
            return -1
        line_end = buffer.find(b"\n", offset, offset + _LINE)
        dated = DATED.match(buffer, offset, offset + _LINE) is not None
        return offset if dated or (line_end >= 0 and KNOWN_FIELD.match(buffer, line_end + 1) is not None) else -1

    def _message(self, end: int) -> MailboxMessage:
        kept = min(end, self._limit)
        data = bytes(memoryview(self._buffer)[:kept])
        unquoted: Sequence[int] = ()
        if b">From " in data:
            data, unquoted = _unquoted(data)
        message = MailboxMessage(
            number=self._number,
            offset=self._base,
            data=data,
            unquoted=unquoted,
            dropped=self._dropped + end - kept,
            envelope=self._envelope,
        )
        self._forget(end)
        self._base += self._dropped
        self._dropped = 0
        self._begun = False
        return message


def _unquoted(data: bytes) -> tuple[bytes, Sequence[int]]:
    """Remove the `>` before each quoted `From `; return the message and the offsets at which they were."""
    offsets = array("q")
    out = bytearray()
    offset = 0
    if _QUOTED_FIRST.match(data) is not None:
        offsets.append(0)
        offset = 1
    for found in _QUOTED_FROM.finditer(data):
        out += data[offset : found.end() - 1]
        offsets.append(len(out))
        offset = found.end()
    if not offsets:
        return data, ()
    out += data[offset:]
    return bytes(out), offsets
