r"""Mailboxes: mbox in all its variants, split as a stream.

RFC 4155 describes mbox; its variants differ in how they write a line of a body that begins with `From `: mboxo writes
`>From `, mboxrd adds a `>` to every line of the form `>*From `, mboxcl adds Content-Length to that, and mboxcl2 writes
only Content-Length. All are read by one rule, see `split_mbox`. MMDF and Babyl are known by their first bytes.

Also defines:

- mailboxes that are not mbox: MMDF, with lines of `\1\1\1\1` around messages, and Babyl, of Rmail. A message of Babyl
  begins with a line of labels; its original header comes before the line `*** EOOH ***`, the header that was shown and
  the body after it. The original header is read, with the body; without one, the header shown.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence

from urisieve.lean import Final, dataclass, lazy_compile
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.kinds.mail_signs import BABYL, DATED, ENVELOPE, FIELD, KNOWN_FIELD, MARKS, MMDF

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
# The end of a message of Babyl, and the line between its two headers.
_PAGE: Final = b"\n\x1f\x0c\n"
_PAGE_END: Final = lazy_compile(rb"\r?\n\x1f[\r\n]*\Z")
_SHOWN: Final = lazy_compile(rb"^\*\*\* EOOH \*\*\*\r?\n", re.M)
_ANY_EMPTY_LINE: Final = lazy_compile(rb"^\r?\n", re.M)


@dataclass(slots=True, kw_only=True)
class MailboxMessage:
    """A message of a mailbox. It is not changed once it is made.

    Attributes:
        number: its number in the mailbox, from 1; 0 if it is not in one.
        offset: the offset in the mailbox at which `data` begins, in bytes.
        data: the message without its envelope line, `From ` lines unquoted.
        unquoted: offsets in `data`, in bytes; before each of them a `>` was removed.
        dropped: the number of bytes at its end that were left out because it exceeds the limit.
        has_fields: whether the fields of its header are still to be searched.
        envelope: the beginning of its envelope line; empty without one.
    """

    data: bytes
    number: int = 0
    offset: int = 0
    unquoted: Sequence[int] = ()
    dropped: int = 0
    has_fields: bool = True
    envelope: bytes = b""


def split_mbox(
    blocks: Iterable[bytes], *, limit: int = MESSAGE_LIMIT, after: tuple[int, int] = (0, 0)
) -> Iterator[MailboxMessage]:
    """Split a mailbox into its messages, one at a time.

    A message begins with a line `From `: one that ends with a date and follows an empty line or precedes a header
    field, or one between an empty line and a field that is typical of mail. Content-Length counts only if the next
    message, or the end of the mailbox, is at that offset. `>From ` loses its first `>`.

    Memory is that of one message, at most `limit` bytes of it. Time is linear.

    Args:
        blocks: the bytes of the mailbox, in blocks of any size.
        limit: the number of bytes of a message that are kept.
        after: the numbers of messages and of bytes before the first block, which begins with a message then.
    """
    splitter = Splitter(blocks, limit, after)
    while (message := splitter.next_message()) is not None:
        yield message


def message_ends(blocks: Iterable[bytes]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of messages and of bytes before each message but the first, as `split_mbox` finds it.

    Args:
        blocks: the bytes of the mailbox; none are found in one of another format.
    """
    splitter = Splitter(blocks)
    while not splitter.mark and splitter.next_message() is not None and not splitter.has_ended:
        yield splitter.before


def is_mailbox(head: bytes) -> bool:
    """Report whether a text begins as a mailbox does."""
    return head.startswith((_FROM, *MARKS))


class Splitter:
    """The messages of a mailbox; the buffer begins with the first byte of the next one, or of its envelope line."""

    def __init__(self, blocks: Iterable[bytes], limit: int = MESSAGE_LIMIT, after: tuple[int, int] = (0, 0)) -> None:
        reader = BlockReader(blocks)
        head = reader.peek(len(BABYL)) if after == (0, 0) else b""
        self.mark = MMDF if head.startswith(MMDF) else _PAGE if head.startswith(MARKS) else b""
        """What is between messages; empty for mbox."""
        self.before = after
        """The numbers of messages and of bytes before the next message."""
        self._blocks = reader.rest()
        self._limit = limit
        self.buffer = bytearray()
        """What is read of the mailbox from the next message on."""
        self.has_ended = False
        """Whether all of the mailbox is read."""
        self._searched = 0  # no message ends before this offset
        self._dropped = 0  # bytes beyond the limit that were removed from the buffer

    def next_message(self) -> MailboxMessage | None:
        """Return the next message; None at the end of the mailbox."""
        if self.mark:
            return self._marked()
        envelope = self._envelope()
        return None if envelope is None else self._message(self._end(), envelope)

    def message_of(self, size: int) -> MailboxMessage:
        """Return the message in the first bytes of the buffer, whose fields have been read."""
        end = self.before[1] + size
        envelope = self._envelope()
        return self._message(end - self.before[1], envelope or b"", has_fields=False)

    # ------------------------------------------------------------ the buffer

    def more(self) -> bool:
        """Take one more block; return False if that changes nothing."""
        if self.has_ended:
            return False
        block = next(self._blocks, None)
        self.has_ended = block is None
        self.buffer += block or b""
        return True

    def has(self, size: int) -> bool:
        """Report whether the buffer has so many bytes, once as many as possible have been taken."""
        while len(self.buffer) < size and self.more():
            pass
        return len(self.buffer) >= size

    def forget(self, size: int, messages: int = 0) -> None:
        """Remove bytes from the beginning of the buffer, in which so many messages are."""
        self.before = self.before[0] + messages, self.before[1] + size
        del self.buffer[:size]

    def _search_on(self, longest: int) -> bool:
        """Take one more block, as the end of the message is not in the buffer; return False if that changes nothing.

        Bytes beyond the limit are dropped, except those that may begin an end, of at most `longest` bytes, and those
        just before them.
        """
        self._searched = max(self._searched, len(self.buffer) - longest)
        after = self._searched - _BEFORE
        if after > self._limit:
            self._dropped += after - self._limit
            del self.buffer[self._limit : after]
            self._searched = self._limit + _BEFORE
        return self.more()

    def _take(self, end: int) -> tuple[int, bytes, int]:
        """Take a message: return its offset in the mailbox, its first bytes, and how many of its bytes are dropped."""
        kept = min(end, self._limit)
        taken = self.before[1], bytes(memoryview(self.buffer)[:kept]), self._dropped + end - kept
        del self.buffer[:end]
        self.before = self.before[0] + 1, self.before[1] + end + self._dropped
        self._searched = self._dropped = 0
        return taken

    # ------------------------------------------------------------ mbox

    def _envelope(self) -> bytes | None:
        """Skip an envelope line, and return its beginning; None at the end of the mailbox."""
        buffer = self.buffer
        while not self.before[0]:  # empty lines before the first message
            self.forget(len(buffer) - len(buffer.lstrip(b"\r\n")))
            if buffer or not self.more():
                break
        self.has(len(_FROM))
        if not buffer.startswith(_FROM):
            return b"" if buffer else None
        while (end := buffer.find(b"\n", 0, self._limit) + 1) == 0 and len(buffer) < self._limit and self.more():
            pass
        line = end or min(len(buffer), self._limit)
        envelope = bytes(memoryview(buffer)[: min(line, _LINE)])
        self.forget(line)
        return envelope

    def _end(self) -> int:
        """Return the offset of the next envelope line, or the end of the mailbox."""
        buffer = self.buffer
        is_in_header = True
        while True:
            offset = self._candidate()
            if is_in_header:
                header = self._header_end(len(buffer) if offset < 0 else offset)
                if header is not None:
                    is_in_header = False
                    size = len(buffer)
                    counted = self._counted(*header)
                    if counted >= 0:
                        return counted
                    if len(buffer) > size:
                        continue
            if offset < 0:
                if not self._search_on(len(_FROM)):
                    return len(buffer)
                continue
            line_end = buffer.find(b"\n", offset, offset + _LINE)
            known = offset + _LINE if line_end < 0 else line_end + _NEXT
            if len(buffer) < known and self.more():
                continue
            if self._is_separator(offset, line_end):
                return offset
            self._searched = offset + 1

    def _header_end(self, end: int) -> tuple[int, int] | None:
        """Return the span of the empty line before `end` that ends the header; None if there is none."""
        empty = _EMPTY_LINE.match(self.buffer, 0, end)
        if empty is not None:
            return empty.span()
        found = _HEADER_END.search(self.buffer, max(0, self._searched - _BEFORE), end)
        return None if found is None else (found.start() + 1, found.end())

    def _candidate(self) -> int:
        """Return the start of the next line that begins like an envelope line, -1 if there is none."""
        if self._searched == 0 and self.buffer.startswith(_FROM):
            return 0
        found = self.buffer.find(b"\n" + _FROM, max(0, self._searched - 1))
        return found + 1 if found >= 0 else -1

    def _is_separator(self, offset: int, line_end: int) -> bool:
        buffer = self.buffer
        # A line end precedes the envelope line; before that is another one, or the beginning.
        after_empty = offset <= 2 or buffer.endswith((b"\n\n", b"\n\r\n"), max(0, offset - 3), offset)
        if ENVELOPE.match(buffer, offset, offset + _LINE) is not None:
            return after_empty or (line_end >= 0 and FIELD.match(buffer, line_end + 1) is not None)
        return after_empty and line_end >= 0 and KNOWN_FIELD.match(buffer, line_end + 1) is not None

    def _counted(self, header_end: int, body: int) -> int:
        """Return where the message ends by its Content-Length; -1 if that is wrong."""
        buffer = self.buffer
        length = _FIRST_LENGTH.match(buffer, 0, header_end) or _LENGTH.search(buffer, 0, header_end)
        end = -1 if length is None else body + int(length[1])
        if not 0 <= end <= self._limit:
            return -1
        self.has(end + _BEFORE + _LINE + _NEXT)
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

    def _message(self, end: int, envelope: bytes, *, has_fields: bool = True) -> MailboxMessage:
        offset, data, dropped = self._take(end)
        data, unquoted = _unquoted(data) if b">From " in data else (data, ())
        return MailboxMessage(
            number=self.before[0],
            offset=offset,
            data=data,
            unquoted=unquoted,
            dropped=dropped,
            has_fields=has_fields,
            envelope=envelope,
        )

    # ------------------------------------------------------------ MMDF and Babyl

    def _marked(self) -> MailboxMessage | None:
        """Return the next message before a mark, or at the end of the mailbox."""
        message: Callable[[int, bytes], MailboxMessage | None] = _enveloped if self.mark == MMDF else _shown
        while self.has(1):
            number = self.before[0]
            offset, data, dropped = self._take(self._next_mark())
            self.forget(len(self.mark))
            found = message(offset, data)
            if found is not None:
                found.number, found.dropped = number + 1, dropped
                return found
            self.before = number, self.before[1]
        return None

    def _next_mark(self) -> int:
        """Return the offset of the next mark, for MMDF one that begins a line, or the end of the mailbox."""
        buffer, mark = self.buffer, self.mark
        while True:
            found = buffer.find(mark, self._searched)
            if found < 0 and not self._search_on(len(mark)):
                return len(buffer)
            if found >= 0:
                if mark != MMDF or found == 0 or buffer[found - 1] == 0x0A:
                    return found
                self._searched = found + 1


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


def _enveloped(offset: int, data: bytes) -> MailboxMessage | None:
    """Return a message of MMDF; None for what is between two of them."""
    if not data.strip():
        return None
    start = data.find(b"\n") + 1 or len(data) if data.startswith(b"From ") else 0
    return MailboxMessage(offset=offset + start, data=data[start:])


def _shown(offset: int, data: bytes) -> MailboxMessage | None:
    """Return a message of Babyl; None for the options of the mailbox."""
    if data.startswith(BABYL):
        return None
    end = _PAGE_END.search(data)
    data = data if end is None else data[: end.start() + 1]
    start = data.find(b"\n") + 1  # after the labels
    shown = _SHOWN.search(data, start)
    header = b"" if shown is None else data[start : shown.start()]
    if shown is None or not header.strip():
        start = start if shown is None else shown.end()
        return MailboxMessage(offset=offset + start, data=data[start:])
    body = _ANY_EMPTY_LINE.search(data, shown.end())
    after = len(data) if body is None else body.start()
    removed = array("q", [len(header)]) * (after - shown.start())
    return MailboxMessage(offset=offset + start, data=header + data[after:], unquoted=removed)
