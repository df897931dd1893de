"""When and from whom a message came: its Date, From, To, Cc and Subject (RFC 5322 3.6), as a `Context`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from urisieve.lean import Final, lazy_compile
from urisieve.records.base import Context
from urisieve.sources.contexts import context_of
from urisieve.sources.mail.header_fields import MailHeader, unfold
from urisieve.syntax.times import time_of_date
from urisieve.wording import printable, shortened

# The bytes of a field that are read, and the addresses that each record of a message has: lists may have thousands.
_LONGEST: Final = 65_536
_MOST: Final = 64
# What an address list is made of (RFC 5322 3.4, 4.4): a link, which is not an address; a quoted text, also as a local
# part; a comment; an address in angle brackets; what separates mailboxes; any other word.
_PIECE: Final = lazy_compile(
    r'[A-Za-z][A-Za-z0-9+.\-]*+://[^\s,;<>"]*+|"(?>[^"\\]++|\\.)*+"?(?:@[^\s,;<>]++)?|\((?>[^()\\]++|\\.)*+\)?|<(?P<inner>[^<>]*+)>?|(?P<end>[,;:])'
    r'|[^",;:<>()\s]++',
    re.DOTALL,
)
_ADDRESS: Final = lazy_compile(r'(?:"[^"]+"|[^\s@:"]+)@[^\s@:/?#%="]+')
# How archives of lists write the address of a sender, so that programs do not collect it.
_HIDDEN: Final = lazy_compile(r"\s*([^\s@<>()\",]+) at ([^\s@<>()\",]+\.[^\s@<>()\",]+)")
_FIELDS: Final = frozenset(["date", "from", "to", "cc", "subject"])


def message_context(data: bytes, header: MailHeader, envelope: bytes | None = None) -> Context:
    r"""Return the context of a message by its header.

    >>> from urisieve.sources.mail.header_fields import read_header
    >>> data = b"From: Ada <ada@a.example>\nTo: bob@b.example, c@c.example\nSubject: =?utf-8?q?caf=C3=A9?=\n\n"
    >>> message_context(data, read_header(data, 0, len(data)))[2:]
    ('ada@a.example', ('bob@b.example', 'c@c.example'), 'café')

    Args:
        data: the message.
        header: its header, with every field.
        envelope: the line `From ` before it (RFC 4155), whose date counts if no other is there.
    """
    values: dict[str, list[bytes]] = {name: [] for name in _FIELDS}
    for field in header.fields:
        if field.name in values:
            values[field.name].append(data[field.start : min(field.end, field.start + _LONGEST)])
    written = _text(values["date"][0]) if values["date"] else _date_of(envelope)
    senders = addresses(values["from"][:1])
    subject = None
    if values["subject"]:
        subject = " ".join(unfold(values["subject"][0]).text.split())
    when = Context() if written is None else context_of(time_of_date(written), written)
    return when._replace(
        sender=senders[0] if senders else None,
        to=addresses([*values["to"], *values["cc"]]) or None,
        subject=None if subject is None else shortened(printable(subject)),
    )


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace").strip()


def _date_of(envelope: bytes | None) -> str | None:
    """Return the date of an envelope line, which stands behind the address."""
    words = _text(envelope or b"").split(None, 2)
    return words[2] if len(words) > 2 else None


def addresses(values: Iterable[bytes]) -> tuple[str, ...]:
    """Return the addresses in lists of mailboxes and groups (RFC 5322 3.4, 3.6.3), each once, and no more than 64.

    >>> addresses([b'"x@x.example" <ada@a.example>, all: bob@b.example (Bob, c@c.example);', b"<@d,@e:f@f.example>"])
    ('ada@a.example', 'bob@b.example', 'f@f.example')
    >>> addresses([b"ada at lists.example (Ada)"])
    ('ada@lists.example',)
    """
    found: dict[str, None] = {}
    for value in values:
        text = _text(value)
        hidden = None if "@" in text else _HIDDEN.match(text)
        if hidden is not None:
            found[f"{hidden[1]}@{hidden[2]}"] = None
        for address in _mailboxes(text) if "@" in text else ():
            found[shortened(printable(address))] = None
            if len(found) == _MOST:
                return tuple(found)
    return tuple(found)


def _mailboxes(text: str) -> Iterable[str]:
    bare = inner = ""
    for piece in _PIECE.finditer(text):
        if piece["end"] is not None:
            if inner or bare:
                yield inner or bare
            bare = inner = ""
        elif piece["inner"] is not None:
            text = "".join(piece["inner"].split())
            text = text.rpartition(":")[2] if text.startswith("@") else text  # behind a route
            inner = text if _ADDRESS.fullmatch(text) is not None else inner
        elif _ADDRESS.fullmatch(piece[0]) is not None:
            bare = piece[0]
    if inner or bare:
        yield inner or bare
