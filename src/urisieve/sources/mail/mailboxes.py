"""Mailboxes: mbox in its kinds, split as it streams.

RFC 4155 describes mbox; its kinds differ in what becomes of a line of a body that begins with `From `:
mboxo writes `>From `, mboxrd adds a `>` to every line of `>*From `, mboxcl also gives Content-Length, mboxcl2 only
that. All are read by one rule, see `split_mbox`.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["DATED", "FIELD", "KNOWN_FIELD", "MESSAGE_LIMIT", "TELLING_FIELDS", "MailboxMessage", "split_mbox"]

# One message is held in memory. Mail systems carry 25 to 50 MB, in base64 a third more.
MESSAGE_LIMIT: Final = 128 * 1024 * 1024
_FROM: Final = b"From "
# How much of a line is looked at; an envelope line has an address and a date.
_LINE: Final = 1_024
# How much of the line after it: the name of a field.
_NEXT: Final = 160
# How much before it: two line ends.
_BEFORE: Final = 4

_WEEKDAYS: Final = rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_MONTHS: Final = rb"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
# The date of RFC 4155 (that of `asctime`), or that of RFC 5322, which some programs write.
DATED: Final = re.compile(
    rb"From [^\n]{0,512}?(?:"
    rb"\b%b,? +%b +[0-9]{1,2},? +[0-9]{1,2}:[0-9]{2}|\b[0-9]{1,2} +%b +[0-9]{2,4} +[0-9]{1,2}:[0-9]{2})"
    % (_WEEKDAYS, _MONTHS, _MONTHS)
)
FIELD: Final = re.compile(rb"[!-9;-~]{1,100}[ \t]{0,8}:|>?From ")
KNOWN_FIELD: Final = re.compile(
    rb"(?:Return-Path|Received|Delivered-To|Envelope-To|X-[!-9;-~]{1,100}|From|To|Cc|Date|Subject|Sender|Reply-To|Message-ID"
    rb"|MIME-Version|Content-[A-Za-z-]{1,30}|Status|DKIM-Signature|ARC-[A-Za-z-]{1,30}|Authentication-Results|List-[A-Za-z-]{1,30}"
    rb"|References|In-Reply-To|Mailing-List|Resent-[A-Za-z-]{1,30}):",
    re.I,
)
# The names of fields of which a message has some and nothing else has two: the inside of a group.
TELLING_FIELDS: Final = (
    rb"Return-Path|Received|Delivered-To|From|To|Date|Subject|Message-ID|MIME-Version|Content-Type|In-Reply-To|References"
    rb"|DKIM-Signature|ARC-[A-Za-z-]{1,30}|Authentication-Results|Received-SPF|List-[A-Za-z-]{1,30}"
)
_LENGTH: Final = re.compile(rb"^Content-Length:[ \t]*([0-9]{1,12})[ \t]*\r?$", re.I | re.M)
_EMPTY_LINE: Final = re.compile(rb"\r?\n")
_HEADER_END: Final = re.compile(rb"\n\r?\n")
_QUOTED_FROM: Final = re.compile(rb"^>(?=>*From )", re.M)


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxMessage:
    """A message of a mailbox.

    Attributes:
        number: its place in the mailbox, from 1.
        offset: the byte of the mailbox at which `data` begins.
        data: the message without its envelope line, `From ` lines unquoted.
        unquoted: places in `data` before each of which a `>` was taken out.
        dropped: the number of bytes at its end that were left out because it has more than the limit.
    """

    number: int
    offset: int
    data: bytes
    unquoted: Sequence[int] = ()
    dropped: int = 0


def split_mbox(blocks: Iterable[bytes], *, limit: int = MESSAGE_LIMIT) -> Iterator[MailboxMessage]:
    """Split a mailbox into its messages, one at a time.

    A message begins with a line `From `: one with a date that follows an empty line or stands before a header field, or
    one that stands between an empty line and a field that mail has. A Content-Length is believed where the next
    message, or the end, is where it says. `>From ` loses its first `>`.

    Memory is that of one message, `limit` bytes of it at most. Time is linear.

    Args:
        blocks: the bytes of the mailbox, in blocks of any size.
        limit: how many bytes of a message are kept.
    """
    splitter = _Splitter(limit)
    for block in blocks:
        yield from splitter.feed(block)
    yield from splitter.close()


class _Splitter:
    """The state of a mailbox being split; it does no I/O."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer = bytearray()  # from the first byte of the message, or of its envelope line, on
        self._base = 0  # the offset of the buffer in the mailbox
        self._number = 0
        self._begun = False  # whether the envelope line has been passed over
        self._in_header = True
        self._searched = 0  # no separator begins before it
        self._needed = 0  # nothing can be said before the buffer has so many bytes
        self._dropped = 0  # bytes taken out of the buffer behind the limit

    def feed(self, block: bytes) -> Iterator[MailboxMessage]:
        self._buffer += block
        return self._take(final=False)

    def close(self) -> Iterator[MailboxMessage]:
        return self._take(final=True)

    def _take(self, *, final: bool) -> Iterator[MailboxMessage]:
        if len(self._buffer) < self._needed and not final:
            return
        self._needed = 0
        while self._begun or self._begin(final):
            separator = self._separator(final)
            if separator is None:
                break
            yield self._message(separator)
        if final and self._begun:
            yield self._message(len(self._buffer))
        self._drop()

    def _begin(self, final: bool) -> bool:
        """Pass over an envelope line; False as long as it is not whole."""
        buffer = self._buffer
        if not self._number:  # empty lines before the first message
            self._forget(len(buffer) - len(buffer.lstrip(b"\r\n")))
        if not buffer or (not final and len(buffer) < len(_FROM)):
            return False
        if buffer.startswith(_FROM):
            end = buffer.find(b"\n", 0, self._limit)
            if end < 0 and not final and len(buffer) < self._limit:
                return False
            self._forget(end + 1 if end >= 0 else min(len(buffer), self._limit))
        self._number += 1
        self._begun = self._in_header = True
        self._searched = 0
        return True

    def _forget(self, size: int) -> None:
        self._base += size
        del self._buffer[:size]

    def _drop(self) -> None:
        """Do not keep what is behind the limit, but for what may begin a separator and what stands before that."""
        behind = self._searched - _BEFORE
        if self._begun and behind > self._limit:
            self._dropped += behind - self._limit
            del self._buffer[self._limit : behind]
            self._searched = self._limit + _BEFORE

    def _separator(self, final: bool) -> int | None:
        """Where the next envelope line begins; None if it has not come yet."""
        buffer = self._buffer
        while True:
            place = self._candidate()
            if self._in_header:
                header = self._header_end(len(buffer) if place < 0 else place)
                if header is not None:
                    counted = self._counted(*header, final)
                    if counted is None:
                        return None
                    self._in_header = False
                    if counted >= 0:
                        return counted
            if place < 0:
                self._searched = max(self._searched, len(buffer) - len(_FROM))
                return None
            line_end = buffer.find(b"\n", place, place + _LINE)
            known = place + _LINE if line_end < 0 else line_end + _NEXT
            if len(buffer) < known and not final:
                return None
            if self._is_separator(place, line_end):
                return place
            self._searched = place + 1

    def _header_end(self, end: int) -> tuple[int, int] | None:
        """Where the empty line before `end` is that ends the header, and where the body begins; None without one."""
        empty = _EMPTY_LINE.match(self._buffer, 0, end)
        if empty is not None:
            return empty.span()
        found = _HEADER_END.search(self._buffer, max(0, self._searched - _BEFORE), end)
        return None if found is None else (found.start() + 1, found.end())

    def _candidate(self) -> int:
        """The start of the next line that begins like an envelope line, -1 if there is none."""
        if self._searched == 0 and self._buffer.startswith(_FROM):
            return 0
        found = self._buffer.find(b"\n" + _FROM, max(0, self._searched - 1))
        return found + 1 if found >= 0 else -1

    def _is_separator(self, place: int, line_end: int) -> bool:
        buffer = self._buffer
        # Before the envelope line stands a line end, before that another one, or the beginning.
        after_empty = place <= 2 or buffer.endswith((b"\n\n", b"\n\r\n"), max(0, place - 3), place)
        if DATED.match(buffer, place, place + _LINE) is not None:
            return after_empty or (line_end >= 0 and FIELD.match(buffer, line_end + 1) is not None)
        return after_empty and line_end >= 0 and KNOWN_FIELD.match(buffer, line_end + 1) is not None

    def _counted(self, header_end: int, body: int, final: bool) -> int | None:
        """Where the message ends by its Content-Length; -1 if that is not true, None as long as it is not known."""
        buffer = self._buffer
        length = _LENGTH.search(buffer, 0, header_end)
        if length is None:
            return -1
        end = body + int(length[1])
        if end > self._limit:
            return -1
        needed = end + _BEFORE + _LINE + _NEXT
        if len(buffer) < needed and not final:
            self._needed = needed
            return None
        place = end
        while place < end + _BEFORE and buffer.startswith((b"\r", b"\n"), place):  # the empty line before the next one
            place += 1
        if place >= len(buffer):
            return place if end <= len(buffer) else -1
        if not buffer.startswith(_FROM, place) or not buffer.endswith(b"\n", 0, place):
            return -1
        line_end = buffer.find(b"\n", place, place + _LINE)
        dated = DATED.match(buffer, place, place + _LINE) is not None
        return place if dated or (line_end >= 0 and KNOWN_FIELD.match(buffer, line_end + 1) is not None) else -1

    def _message(self, end: int) -> MailboxMessage:
        kept = min(end, self._limit)
        data = bytes(memoryview(self._buffer)[:kept])
        unquoted: Sequence[int] = ()
        if b"\n>From " in data or b"\n>>" in data or data.startswith(b">"):
            data, unquoted = _unquoted(data)
        message = MailboxMessage(
            number=self._number, offset=self._base, data=data, unquoted=unquoted, dropped=self._dropped + end - kept
        )
        self._forget(end)
        self._base += self._dropped
        self._dropped = 0
        self._begun = False
        return message


def _unquoted(data: bytes) -> tuple[bytes, Sequence[int]]:
    """A message without the `>` before quoted `From `, and the places where these stood."""
    places = array("q")
    out = bytearray()
    place = 0
    for found in _QUOTED_FROM.finditer(data):
        out += data[place : found.start()]
        places.append(len(out))
        place = found.end()
    if not places:
        return data, ()
    out += data[place:]
    return bytes(out), places
