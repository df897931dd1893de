"""Detection of mail by the first bytes of a file."""

from __future__ import annotations

import re
from io import BytesIO

from urisieve.lean import Final, lazy_compile
from urisieve.sources.kinds.kind_table import Kind

MMDF: Final = b"\1\1\1\1\n"
BABYL: Final = b"BABYL OPTIONS:"
# The first bytes of these mailboxes.
MARKS: Final = (MMDF, BABYL)
_WEEKDAYS: Final = rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_MONTHS: Final = rb"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
# The date of RFC 4155 (that of `asctime`), or that of RFC 5322, which some programs write.
DATED: Final = lazy_compile(
    rb"From [^\n]{0,512}?(?:"
    rb"\b%b,? +%b +[0-9]{1,2},? +[0-9]{1,2}:[0-9]{2}|\b[0-9]{1,2} +%b +[0-9]{2,4} +[0-9]{1,2}:[0-9]{2})"
    % (_WEEKDAYS, _MONTHS, _MONTHS)
)
FIELD: Final = lazy_compile(rb"[!-9;-~]{1,100}[ \t]{0,8}:|>?From ")
# Names of fields that messages have. The inside of a group of a pattern.
KNOWN_FIELDS: Final = (
    rb"Return-Path|Received|Delivered-To|Envelope-To|X-[!-9;-~]{1,100}|From|To|Cc|Date|Subject|Sender|Reply-To|Message-ID"
    rb"|MIME-Version|Content-[A-Za-z-]{1,30}|Status|DKIM-Signature|ARC-[A-Za-z-]{1,30}|Authentication-Results|List-[A-Za-z-]{1,30}"
    rb"|References|In-Reply-To|Mailing-List|Resent-[A-Za-z-]{1,30}"
)
KNOWN_FIELD: Final = lazy_compile(rb"(?:%b):" % KNOWN_FIELDS, re.I)
# Names of fields that identify a message: only a message has two of them. The inside of a group of a pattern.
TELLING_FIELDS: Final = (
    rb"Return-Path|Received|Delivered-To|From|To|Date|Subject|Message-ID|MIME-Version|Content-Type|In-Reply-To|References"
    rb"|DKIM-Signature|ARC-[A-Za-z-]{1,30}|Authentication-Results|Received-SPF|List-[A-Za-z-]{1,30}"
)
# The groups: a field that is typical of mail, one that mail has, and one that other texts have, too.
_SIGN: Final = lazy_compile(rb"(?:(%b)|X-[!-9;-~]{1,100})[ \t]*:" % TELLING_FIELDS, re.I)
# Before a field that mail has, the colon of a field that is not known is not that of a URI or of a time of day.
_NAMES: Final = rb"(?:%b|%b)[ \t]*:" % (TELLING_FIELDS, KNOWN_FIELDS)
_FIELD: Final = lazy_compile(rb"([!-9;-~]+)[ \t]*:(?:[ \t\r]|\Z)|%b" % _NAMES, re.I)
_CUT_FIELD: Final = lazy_compile(rb"[!-9;-~]+[ \t]*(?::(?:[ \t\r]|\Z)|\Z)|%b" % _NAMES, re.I)
# Behind it, any is taken, but a URI is not.
_LATER_FIELD: Final = lazy_compile(rb"[!-9;-~]+[ \t]*:(?!//)")
_CUT_LATER_FIELD: Final = lazy_compile(rb"[!-9;-~]+[ \t]*(?::(?!//)|\Z)")
_ODD_NAME: Final = lazy_compile(rb"[^: \t\r]{1,100}[ \t]*:(?:[ \t\r]|\Z)")
# How many fields that are typical of mail identify it: among fields only, and with one line that is not a field.
_ENOUGH: Final = 2
_ENOUGH_WITH_ODD_LINE: Final = 3
# A response of HTTP has these, too.
_OF_RESPONSES: Final = {b"date", b"content-type"}
# A header has a field that mail has among so many lines, and before it no other field so often; logs have neither.
_LINES: Final = 16
_OFTEN: Final = 3


def mail_kind(head: bytes, *, is_open: bool = False) -> Kind | bool:
    """Return the kind of a file by its first bytes (4 KiB are enough); False if it is not mail.

    A mailbox begins with an envelope line and a field. A message begins with header fields, two of which are typical of
    mail; or three, if a line among them, or the first one, is not a field, since readers of mail accept that.

    Args:
        head: the bytes, without NULs and without a byte order mark.
        is_open: whether more may follow that count; then True is returned if it decides.
    """
    head = head.lstrip(b" \t\r\n")
    if head.startswith(MARKS):
        is_mmdf = FIELD.match(head, len(MARKS[0])) is not None
        return (is_mmdf or head.startswith(MARKS[1])) and Kind.MBOX
    if not head.startswith(b"From "):
        found = is_message(head, whole=not is_open)
        return True if found is None else found and Kind.MAIL
    line_end = head.find(b"\n")
    if is_open:
        return True
    is_mailbox = (
        line_end >= 0
        and FIELD.match(head, line_end + 1) is not None
        and (DATED.match(head) or KNOWN_FIELD.match(head, line_end + 1)) is not None
    )
    return is_mailbox and Kind.MBOX


def is_message(start: bytes, *, whole: bool) -> bool | None:
    """Report whether a text is a message; None if that depends on what follows.

    Whatever is reported of a beginning holds for all texts that begin so.

    Args:
        start: the first bytes, without white space before them.
        whole: whether the text ends with them, or what follows does not count.
    """
    known: set[bytes] = set()
    others: dict[bytes, int] = {}
    needed = _ENOUGH
    is_signed = False
    last = b""
    for number, line in enumerate(BytesIO(start)):  # a text of thousands of lines is decided by the first of them
        if line.endswith(b"\n"):
            line = line[:-1]
        elif not whole:
            last = line
            break
        sign = _SIGN.match(line)
        if sign is not None:
            is_signed = True
            if sign[1]:
                known.add(sign[1].lower())
                if len(known) >= needed and known != _OF_RESPONSES:
                    return True
        elif not line.strip():
            return False
        elif not (number and line[:1] in b" \t"):
            field = (_LATER_FIELD if is_signed else _FIELD).match(line)
            if field is None:
                if needed > _ENOUGH or not (known or (number == 0 and _is_odd_field(line))):
                    return False
                needed = _ENOUGH_WITH_ODD_LINE
            elif not is_signed and field[1]:
                name = field[1].lower()
                others[name] = others.get(name, 0) + 1
                if others[name] == _OFTEN:
                    return False
        if number == _LINES - 1 and not is_signed:
            return False
    if whole:
        return False
    if last[:1] in b" \t\r" or (known and needed == _ENOUGH) or (b"\n" not in start and _is_odd_field(last)):
        return None
    return None if (_CUT_LATER_FIELD if is_signed else _CUT_FIELD).match(last) else False


def _is_odd_field(first: bytes) -> bool:
    """Report whether a first line that is no field may have been one before a byte of it was harmed."""
    return b":" not in first or _ODD_NAME.match(first) is not None
