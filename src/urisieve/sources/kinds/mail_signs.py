"""Detection of mail by the first bytes of a file."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
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
_DATED: Final = (
    rb"From [^\n]{0,512}?(?:"
    rb"\b%b,? +%b +[0-9]{1,2},? +[0-9]{1,2}:[0-9]{2}|\b[0-9]{1,2} +%b +[0-9]{2,4} +[0-9]{1,2}:[0-9]{2})"
    % (_WEEKDAYS, _MONTHS, _MONTHS)
)
DATED: Final = lazy_compile(_DATED)
# Nothing follows the date but seconds, a zone and a year, or the host that UUCP adds: words are those of a text.
ENVELOPE: Final = lazy_compile(rb"%b[^a-z\x80-\xff\n]*(?:remote from [^\n]*)?(?:\n|\Z)" % _DATED)
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
_SIGN_OF_LINE: Final = lazy_compile(rb"^(?:%b|X-[!-9;-~]{1,100})[ \t]*:" % TELLING_FIELDS, re.I | re.M)
# Before a field that mail has, the colon of a field that is not known is not that of a URI or of a time of day.
_NAMES: Final = rb"(?:%b|%b)[ \t]*:" % (TELLING_FIELDS, KNOWN_FIELDS)
_FIELD: Final = lazy_compile(rb"([!-9;-~]+)[ \t]*:(?:[ \t\r]|\Z)|%b" % _NAMES, re.I)
_CUT_FIELD: Final = lazy_compile(rb"[!-9;-~]+[ \t]*(?::(?:[ \t\r]|\Z)|\Z)|%b" % _NAMES, re.I)
# Behind it, any is taken, but a URI is not.
_LATER_FIELD: Final = lazy_compile(rb"[!-9;-~]+[ \t]*:(?!//)")
_CUT_LATER_FIELD: Final = lazy_compile(rb"[!-9;-~]+[ \t]*(?::(?!//)|\Z)")
_ODD_NAME: Final = lazy_compile(rb"[^: \t\r]{1,100}[ \t]*:(?:[ \t\r]|\Z)")
# One field that identifies a message where it is the first one: its body has parts.
_MULTIPART: Final = lazy_compile(
    rb"Content-Type[ \t]*:[ \t]*multipart/[!-:<-~]{1,100}[ \t]*;(?:[^\n]*+\n[ \t])?[^\n]*?\bboundary=", re.I
)
# How many fields that are typical of mail identify it: among fields only, and with one line that is not a field.
_ENOUGH: Final = 2
_ENOUGH_WITH_ODD_LINE: Final = 3
# A response of HTTP has these, too.
_OF_RESPONSES: Final = {b"date", b"content-type"}
# A header has a field that mail has among so many lines, and before it no other field so often; logs have neither.
_LINES: Final = 16
_OFTEN: Final = 3
# A header may have traces of a hundred servers, keys and a thousand addresses before a second field that is typical.
LONGEST_HEADER: Final = 1_048_576
_BLANKS: Final = b" \t\r\n"


def needed_size(head: bytes, least: int) -> int:
    """Return how many first bytes of a file decide whether it is mail: more than there are for a header that goes on.

    The same bytes are needed however a file comes in pieces.

    Args:
        head: the first bytes.
        least: how many are enough for all but mail, or how many did not decide.
    """
    size = least
    while size <= len(head) and size < LONGEST_HEADER:
        start = head[:size].replace(b"\0", b"").removeprefix(BOM_UTF8).lstrip(_BLANKS)
        if start.startswith((b"From ", *MARKS)) or _SIGN_OF_LINE.search(start) is None:
            break
        if is_message(start, whole=False) is not None:
            break
        size *= 2
    return size


def mail_kind(head: bytes, *, is_open: bool = False, is_named: bool = False) -> Kind | bool:
    """Return the kind of a file by its first bytes, `needed_size` of them; False if it is not mail.

    A mailbox begins with an envelope line and a field. A message begins with header fields, two of which are typical of
    mail, or the first says that it has parts; or three, if a line among them, or the first one, is not a field, since
    readers of mail accept that. Where the name says so, one is enough, or nothing but fields before an empty line.

    Args:
        head: the bytes, without NULs and without a byte order mark.
        is_open: whether more may follow that count; then True is returned if it decides.
        is_named: whether its name is that of a message.
    """
    head = head.lstrip(_BLANKS)
    if head.startswith(MARKS):
        is_mmdf = FIELD.match(head, len(MARKS[0])) is not None
        return (is_mmdf or head.startswith(MARKS[1])) and Kind.MBOX
    if not head.startswith(b"From "):
        found = is_message(head, whole=not is_open, is_named=is_named)
        return True if found is None else found and Kind.MAIL
    line_end = head.find(b"\n")
    if is_open and (line_end < 0 or b"\n" not in head[line_end + 1 :]):
        return True
    is_mailbox = (
        line_end >= 0
        and FIELD.match(head, line_end + 1) is not None
        and (DATED.match(head) or KNOWN_FIELD.match(head, line_end + 1)) is not None
    )
    return is_mailbox and Kind.MBOX


def is_message(start: bytes, *, whole: bool, is_named: bool = False) -> bool | None:
    """Report whether a text is a message; None if that depends on what follows.

    Whatever is reported of a beginning holds for all texts that begin so.

    Args:
        start: the first bytes, without white space before them.
        whole: whether the text ends with them, or what follows does not count.
        is_named: whether the name of its file is that of a message.
    """
    if _MULTIPART.match(start) is not None:
        return True
    known: set[bytes] = set()
    others: dict[bytes, int] = {}
    needed = _ENOUGH - is_named
    may_be_odd = True
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
                if len(known) >= needed and (is_named or known != _OF_RESPONSES):
                    return True
        elif not line.strip():
            return is_named and may_be_odd
        elif not (number and line[:1] in b" \t"):
            field = (_LATER_FIELD if is_signed else _FIELD).match(line)
            if field is None:
                if not may_be_odd or not (known or (number == 0 and (is_named or _is_odd_field(line)))):
                    return False
                may_be_odd = False
                needed = needed if is_named else _ENOUGH_WITH_ODD_LINE
            elif not is_signed and field[1] and not is_named:
                name = field[1].lower()
                others[name] = others.get(name, 0) + 1
                if others[name] == _OFTEN:
                    return False
        if number == _LINES - 1 and not is_signed and not is_named:
            return False
    if whole:
        return is_named and may_be_odd
    if last[:1] in b" \t\r" or (known and may_be_odd) or (b"\n" not in start and (is_named or _is_odd_field(last))):
        return None
    return None if (_CUT_LATER_FIELD if is_signed else _CUT_FIELD).match(last) else False


def _is_odd_field(first: bytes) -> bool:
    """Report whether a first line that is no field may have been one before a byte of it was harmed."""
    return b":" not in first or _ODD_NAME.match(first) is not None
