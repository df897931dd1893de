"""What looks like mail, and the messages of Maildir and MH folders."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from urisieve.errors import InputError
from urisieve.sources.mailboxes import DATED, FIELD, KNOWN_FIELD

__all__ = ["FolderKind", "MailKind", "folder_kind", "folder_messages", "mail_kind"]


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
