"""Mailboxes: mbox in its kinds, split as it streams; the messages of Maildir and MH folders; what looks like mail.

RFC 4155 describes mbox; its kinds differ in what becomes of a line of a body that begins with `From `:
mboxo writes `>From `, mboxrd adds a `>` to every line of `>*From `, mboxcl also gives Content-Length, mboxcl2 only
that. All are read by one rule, see `split_mbox`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from urisieve.errors import InputError

__all__ = [
    "MESSAGE_LIMIT",
    "FolderKind",
    "MailKind",
    "MailboxMessage",
    "folder_kind",
    "folder_messages",
    "mail_kind",
    "split_mbox",
]

# One message is held in memory. Mail systems carry 25 to 50 MB, in base64 a third more.
MESSAGE_LIMIT: Final = 128 * 1024 * 1024
# How much of a line after `From ` is looked at; an envelope line has an address and a date.
_ENVELOPE: Final = 1_024

_WEEKDAYS: Final = rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_MONTHS: Final = rb"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
# The date of RFC 4155 (that of `asctime`), or that of RFC 5322, which some programs write.
_DATED: Final = re.compile(
    rb"From [^\n]{0,512}?(?:"
    rb"\b%b,? +%b +[0-9]{1,2},? +[0-9]{1,2}:[0-9]{2}|\b[0-9]{1,2} +%b +[0-9]{2,4} +[0-9]{1,2}:[0-9]{2})"
    % (_WEEKDAYS, _MONTHS, _MONTHS)
)
_FIELD: Final = re.compile(rb"[!-9;-~]{1,100}[ \t]*:|>?From ")
_KNOWN_FIELD: Final = re.compile(
    rb"(?:Return-Path|Received|Delivered-To|Envelope-To|X-[!-9;-~]+|From|To|Cc|Date|Subject|Sender|Reply-To|Message-ID"
    rb"|MIME-Version|Content-[A-Za-z-]+|Status|DKIM-Signature|ARC-[A-Za-z-]+|Authentication-Results|List-[A-Za-z-]+"
    rb"|References|In-Reply-To|Mailing-List|Resent-[A-Za-z-]+):",
    re.I,
)
_LENGTH: Final = re.compile(rb"^Content-Length:[ \t]*([0-9]{1,12})[ \t]*\r?$", re.I | re.M)
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
    unquoted: tuple[int, ...] = ()
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
        self._searched = 0  # up to where no separator begins
        self._number = 0
        self._body: int | None = None  # where a separator may begin at the earliest; None before that is known
        self._dropped = 0
        self._begun = False  # whether the first line has been seen

    def feed(self, block: bytes) -> Iterator[MailboxMessage]:
        self._buffer += block
        return self._take(final=False)

    def close(self) -> Iterator[MailboxMessage]:
        return self._take(final=True)

    def _take(self, *, final: bool) -> Iterator[MailboxMessage]:
        buffer = self._buffer
        while True:
            if not self._begun and not self._begin(final):
                return
            separator = self._separator(final)
            if separator is None:
                break
            yield from self._message(separator)
            self._forget(separator)
            self._begun = False
        if final:
            yield from self._message(len(buffer))
            self._forget(len(buffer))
        elif len(buffer) > self._limit + _ENVELOPE:
            # The end of what is too long is looked for, but not kept; what may be a separator is.
            keep = min(self._searched, max(0, len(buffer) - _ENVELOPE))
            if keep > self._limit:
                self._dropped += keep - self._limit
                del buffer[self._limit : keep]
                self._searched = self._limit

    def _begin(self, final: bool) -> bool:
        """Pass over an envelope line; False as long as it is not whole."""
        buffer = self._buffer
        if not self._number and not buffer.strip(b"\r\n"):  # empty lines before the first message
            self._forget(len(buffer))
            return False
        if not self._number:
            self._forget(len(buffer) - len(buffer.lstrip(b"\r\n")))
        if len(buffer) < 5 and not final:
            return False
        if buffer.startswith(b"From "):
            end = buffer.find(b"\n")
            if end < 0:
                if not final and len(buffer) < self._limit:
                    return False
                end = len(buffer) - 1
            self._forget(end + 1)
        self._number += 1
        self._begun = True
        self._searched = 0
        self._body = None
        return True

    def _forget(self, size: int) -> None:
        self._base += size
        del self._buffer[:size]

    def _separator(self, final: bool) -> int | None:
        """Where the next envelope line begins; None if it has not come yet."""
        buffer = self._buffer
        if self._body is None:
            self._body = self._counted_body(final)
            if self._body is None:
                return None
            self._searched = max(0, self._body - 1)
            if self._body > 0 and buffer.startswith(b"From ", self._body):
                return self._body
        while True:
            if self._searched == 0 and buffer.startswith(b"From "):  # a message of nothing
                return 0
            place = buffer.find(b"\nFrom ", self._searched) + 1
            if place == 0:
                self._searched = max(self._searched, len(buffer) - len(b"\nFrom "))
                return None
            line_end = buffer.find(b"\n", place, place + _ENVELOPE)
            if not final and len(buffer) - place < 2 * _ENVELOPE and (line_end < 0 or len(buffer) - line_end < 128):
                self._searched = place - 1
                return None
            if self._is_separator(place, line_end):
                return place
            self._searched = place

    def _is_separator(self, place: int, line_end: int) -> bool:
        buffer = self._buffer
        # Before the envelope line stands a line end, before that another one, or the beginning.
        after_empty = place <= 2 or buffer.endswith((b"\n\n", b"\n\r\n"), max(0, place - 3), place)
        before_field = line_end >= 0 and _FIELD.match(buffer, line_end + 1) is not None
        if _DATED.match(buffer, place, place + _ENVELOPE) is not None:
            return after_empty or before_field
        return after_empty and line_end >= 0 and _KNOWN_FIELD.match(buffer, line_end + 1) is not None

    def _counted_body(self, final: bool) -> int | None:
        """Where the Content-Length of the message says that it ends, 0 if it says nothing that is true.

        None as long as that is not known.
        """
        buffer = self._buffer
        header_end = _HEADER_END.search(buffer, self._searched)
        if header_end is None:
            # A separator in what should be the header ends the message too.
            if not final and buffer.find(b"\nFrom ", max(0, self._searched - 8)) < 0 and len(buffer) < self._limit:
                self._searched = max(0, len(buffer) - 3)
                return None
            return 0
        counted = _LENGTH.search(buffer, 0, header_end.start() + 1)
        if counted is None:
            return 0
        end = header_end.end() + int(counted[1])
        if end > self._limit:
            return 0
        if len(buffer) < end + 2 * _ENVELOPE and not final:
            self._searched = header_end.start()
            return None
        if end > len(buffer):
            return 0
        place = end
        while place < end + 4 and buffer.startswith((b"\r", b"\n"), place):  # the empty line before the next one
            place += 1
        if place == len(buffer):
            return place
        if buffer.startswith(b"From ", place) and buffer[place - 1 : place] == b"\n":
            line_end = buffer.find(b"\n", place, place + _ENVELOPE)
            if _DATED.match(buffer, place, place + _ENVELOPE) or (
                line_end >= 0 and _KNOWN_FIELD.match(buffer, line_end + 1)
            ):
                return place
        return 0

    def _message(self, end: int) -> Iterator[MailboxMessage]:
        if end == 0 and not self._begun:
            return
        kept = min(end, self._limit)
        data = bytes(memoryview(self._buffer)[:kept])
        dropped, self._dropped = self._dropped + end - kept, 0
        unquoted: tuple[int, ...] = ()
        if b"\n>From " in data or b"\n>>" in data or data.startswith(b">"):
            unquoted = tuple(found.start() - number for number, found in enumerate(_QUOTED_FROM.finditer(data)))
            if unquoted:
                data = _QUOTED_FROM.sub(b"", data)
        yield MailboxMessage(number=self._number, offset=self._base, data=data, unquoted=unquoted, dropped=dropped)


class MailKind(StrEnum):
    """What a file of mail is."""

    MBOX = "mbox"
    MESSAGE = "message"


# Fields of which a message has some and nothing else has two.
_TELLING_FIELD: Final = re.compile(
    rb"^(Return-Path|Received|Delivered-To|From|To|Date|Subject|Message-ID|MIME-Version|Content-Type):", re.I | re.M
)
_HEADER: Final = re.compile(rb"(?:[!-9;-~]+[ \t]*:[^\n]*\n(?:[ \t][^\n]*\n)*+)++")


def mail_kind(head: bytes) -> MailKind | None:
    """What the first bytes of a file (4 KiB are enough) say that it is; None if it is no mail.

    A mailbox begins with an envelope line and a field. A message begins with header fields only, two of which are
    fields that mail has.
    """
    head = head.lstrip(b"\r\n")
    if head.startswith(b"From "):
        line_end = head.find(b"\n")
        if (
            line_end >= 0
            and _FIELD.match(head, line_end + 1)
            and (_DATED.match(head) or _KNOWN_FIELD.match(head, line_end + 1))
        ):
            return MailKind.MBOX
        return None
    header = _HEADER.match(head)
    if header is None:
        return None
    known = {found[1].lower() for found in _TELLING_FIELD.finditer(head, 0, header.end())}
    if len(known) < 2 or known == {b"date", b"content-type"}:  # those an answer of HTTP has too
        return None
    return MailKind.MESSAGE


class FolderKind(StrEnum):
    """What a folder of mail is."""

    MAILDIR = "maildir"
    MH = "mh"


def folder_kind(path: str) -> FolderKind | None:
    """What a folder is by what is in it; None if it is no folder of mail, or cannot be read."""
    try:
        names = set(os.listdir(path))
    except OSError:
        return None
    if {"cur", "new", "tmp"} <= names and os.path.isdir(os.path.join(path, "cur")):
        return FolderKind.MAILDIR
    if names & {".mh_sequences", ".xmhcache", ".mh_profile"} and any(name.isdecimal() for name in names):
        return FolderKind.MH
    return None


def folder_messages(path: str, kind: FolderKind) -> Iterator[str]:
    """The paths of the messages of a folder, in a stable order; subfolders of it are folders of their own.

    Maildir: those of `new`, then those of `cur`, not those of `tmp`, which are not yet whole. MH: those whose name is a
    number, by number.

    Raises:
        InputError: the folder cannot be read.
    """
    try:
        if kind is FolderKind.MH:
            names = [name for name in os.listdir(path) if name.isascii() and name.isdecimal()]
            yield from (os.path.join(path, name) for name in sorted(names, key=lambda name: (int(name[:18]), name)))
            return
        for folder in ("new", "cur"):
            inner = os.path.join(path, folder)
            if os.path.isdir(inner):
                names = [name for name in os.listdir(inner) if not name.startswith(".")]
                yield from (os.path.join(inner, name) for name in sorted(names))
    except OSError as error:
        raise InputError(error.strerror or str(error)) from error
