"""What looks like mail."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from enum import StrEnum
from typing import Final

from urisieve.sources.detection import TELLING_FIELDS
from urisieve.sources.mailboxes import DATED, FIELD, KNOWN_FIELD

__all__ = ["MailKind", "mail_kind"]


class MailKind(StrEnum):
    """What a file of mail is."""

    MBOX = "mbox"
    MESSAGE = "message"


_TELLING_FIELD: Final = re.compile(rb"^(%b):" % TELLING_FIELDS, re.I | re.M)
_HEADER: Final = re.compile(rb"(?:[!-9;-~]+[ \t]*:[^\n]*\n(?:[ \t][^\n]*\n)*+)++")


def mail_kind(head: bytes) -> MailKind | None:
    """What the first bytes of a file (4 KiB are enough) say that it is; None if it is no mail.

    A mailbox begins with an envelope line and a field. A message begins with header fields only, two of which are
    fields that mail has.
    """
    head = head.removeprefix(BOM_UTF8).lstrip(b"\r\n")
    if head.startswith(b"From "):
        line_end = head.find(b"\n")
        if (
            line_end >= 0
            and FIELD.match(head, line_end + 1)
            and (DATED.match(head) or KNOWN_FIELD.match(head, line_end + 1))
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
