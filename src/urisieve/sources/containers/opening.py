"""The start of a file: what it is, told from as little as is needed, so that text from a pipe does not wait."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from typing import Final, NamedTuple

from urisieve.sources.containers.detection import (
    ARCHIVES,
    COMPRESSED,
    CONTROLS,
    HEAD_SIZE,
    OUT_OF_SCOPE,
    SKIPPABLE,
    STARTS,
    Kind,
    kind_of,
)
from urisieve.sources.containers.sniffing import hinted, is_table_open, json_start
from urisieve.sources.mail.mailboxes import TELLING_FIELDS
from urisieve.sources.reading_options import BinaryFiles, InputKind, ReadingOptions

__all__ = ["is_plain", "is_settled", "opened", "reads_binary", "text_kind"]

_LAYERS: Final = COMPRESSED | ARCHIVES | OUT_OF_SCOPE
# So many lines without a field that mail has are not part of a header.
_LINES: Final = 3


class _Patterns(NamedTuple):
    """What the beginnings of texts are held against; made when the first short text comes."""

    field: re.Pattern[bytes]
    """A line of a header as it is written (RFC 5322 2.2), or one that goes on with it."""
    begun: re.Pattern[bytes]
    """What may become one."""
    tag: re.Pattern[bytes]
    """What may begin HTML or XML, but not `<http:`."""
    telling: re.Pattern[bytes]
    """A field that mail has."""


@cache
def _patterns() -> _Patterns:
    name = rb"[!-9;-~]++[ \t]*+"  # the colon behind it is not that of a URI: see `field`
    return _Patterns(
        field=re.compile(rb"%b:(?:[ \t\r]|\Z)|[ \t\r]" % name),
        begun=re.compile(rb"%b(?::(?:[ \t\r]|\Z)|\Z)|[ \t\r]|\Z" % name),
        tag=re.compile(
            rb"<(?:[!?]|[A-Za-z_][A-Za-z0-9._-]*+(?:\Z|(?::[A-Za-z_][A-Za-z0-9._-]*+|:(?=\Z))?(?:[\s/>]|\Z))|\Z)"
        ),
        telling=re.compile(rb"(?:%b|X-[!-9;-~]{1,100})[ \t]*:" % TELLING_FIELDS, re.I),
    )


def opened(blocks: Iterable[bytes], name: str = "") -> tuple[Kind, Iterator[bytes]]:
    """What a stream of bytes is, and all of the stream.

    From a pipe no more is waited for than what is the beginning of nothing but text.

    Args:
        blocks: the bytes.
        name: the name of the file.

    Raises:
        InputError: it cannot be read.
    """
    stream = iter(blocks)
    head = b""
    taken = []
    for block in stream:
        taken.append(block)
        head = block if len(taken) == 1 else head + block
        if len(head) >= HEAD_SIZE or is_settled(head, name):
            break
    return kind_of(head[:HEAD_SIZE], name), chain(taken, stream)


def is_settled(head: bytes, name: str = "") -> bool:
    """Whether it is decided what begins so, whatever follows.

    Args:
        head: the first bytes.
        name: the name of the file.
    """
    if head.startswith(b"__") and b"\n" in head:  # the first line of a journal tells it
        return True
    if any(sign.startswith(head[: len(sign)]) for sign in STARTS) or SKIPPABLE.startswith(head[1:4]):
        return False
    start = head.removeprefix(BOM_UTF8).lstrip()
    if not start or start.startswith((b"From ", b"__", b"WARC/")) or _patterns().tag.match(start):
        return False
    if start.translate(None, CONTROLS) != start:
        return False
    if start[:1] in (b"{", b"["):
        found = json_start(start)
        return not found.possible or found.lines is not None
    return not (_may_be_mail(start) or is_table_open(start, hinted(name)))


def _may_be_mail(start: bytes) -> bool:
    """Whether a text that begins so may become mail: see `urisieve.sources.mail.mail_kind.mail_kind`."""
    patterns = _patterns()
    *lines, last = start.split(b"\n", _LINES)
    is_telling = is_odd = False
    for number, line in enumerate(lines):
        if patterns.telling.match(line):
            is_telling = True
        elif not line.strip():
            return False
        elif not patterns.field.match(line):
            if is_odd or not (is_telling or (number == 0 and b":" not in line)):
                return False
            is_odd = True
    if len(lines) == _LINES:
        return is_telling
    if patterns.begun.match(last) or (is_telling and not is_odd):
        return True
    return not lines and b":" not in last


def is_plain(kind: Kind, reading: ReadingOptions) -> bool:
    """Whether a file of a kind is nothing but text, to be read as it stands."""
    if kind in _LAYERS or reading.unescape is not None:
        return False
    if reading.input is InputKind.AUTO:
        return kind is Kind.TEXT
    return reading.input is InputKind.TEXT


def text_kind(name: str, reading: ReadingOptions) -> str:
    """What a file of plain text is counted as: where its name said otherwise and its content not, that is said."""
    hint = hinted(name) if reading.input is InputKind.AUTO else None
    return str(Kind.TEXT) if hint is None else f"{Kind.TEXT} (not {hint})"


def reads_binary(reading: ReadingOptions, *, named: bool) -> bool:
    """Whether a file that is not text is read like text.

    Args:
        reading: how files are read.
        named: whether it was named itself, and not found in a folder or an archive.
    """
    return named if reading.binary is BinaryFiles.AUTO else reading.binary is BinaryFiles.TEXT
