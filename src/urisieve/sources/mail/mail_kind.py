"""Detection of mail by the first bytes of a file."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from enum import StrEnum

from urisieve.lean.hints import Final
from urisieve.lean.patterns import lazy_compile
from urisieve.sources.mail.mailboxes import DATED, FIELD, KNOWN_FIELD, TELLING_FIELDS

__all__ = ["MailKind", "mail_kind"]


class MailKind(StrEnum):
    """The kinds of files of mail."""

    MBOX = "mbox"
    MESSAGE = "message"


_TELLING: Final = lazy_compile(rb"(%b)[ \t]*:" % TELLING_FIELDS, re.I)
_NAME: Final = lazy_compile(rb"[!-9;-~]+[ \t]*:")
# How many fields that are typical of mail identify it: among fields only, and with one line that is not a field.
_ENOUGH: Final = 2
_ENOUGH_WITH_ODD_LINE: Final = 3


def mail_kind(head: bytes) -> MailKind | None:
    """Return the kind of a file by its first bytes (4 KiB are enough); None if it is not mail.

    A mailbox begins with an envelope line and a field. A message begins with header fields, two of which are typical of
    mail; or three, if a line among them, or the first one, is not a field, since readers of mail accept that. NULs are
    ignored.
    """
    head = head.replace(b"\0", b"").removeprefix(BOM_UTF8).lstrip(b" \t\r\n")
    if head.startswith(b"From "):
        line_end = head.find(b"\n")
        if (
            line_end >= 0
            and FIELD.match(head, line_end + 1)
            and (DATED.match(head) or KNOWN_FIELD.match(head, line_end + 1))
        ):
            return MailKind.MBOX
        return None
    return MailKind.MESSAGE if _is_message(head) else None


def _is_message(head: bytes) -> bool:
    known: set[bytes] = set()
    needed = _ENOUGH
    for number, line in enumerate(head.split(b"\n")):
        found = _TELLING.match(line)
        if found is not None:
            known.add(found[1].lower())
        elif not line.strip():
            break
        elif not _NAME.match(line) and not (number and line[:1] in b" \t"):
            if needed > _ENOUGH or _is_enough(known, needed) or (number and not known):
                break
            needed = _ENOUGH_WITH_ODD_LINE
    return _is_enough(known, needed)


def _is_enough(known: set[bytes], needed: int) -> bool:
    # A response of HTTP has Date and Content-Type, too.
    return len(known) >= needed and known != {b"date", b"content-type"}
