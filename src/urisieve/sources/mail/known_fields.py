"""Header fields that are read in a way of their own."""

from __future__ import annotations

import re

from urisieve.lean.hints import TYPE_CHECKING, Final
from urisieve.lean.patterns import lazy_compile
from urisieve.printable import printable

if TYPE_CHECKING:
    from urisieve.sources.bytes.selections import Selection

__all__ = ["ID_FIELDS", "LOCATION_FIELDS", "OPAQUE_FIELDS", "PARAMETER_FIELDS", "message_id_of", "read_known"]

# Fields of signatures: they hold keys, and names of fields separated by colons.
OPAQUE_FIELDS: Final = frozenset(
    ["arc-message-signature", "arc-seal", "dkim-signature", "domainkey-signature", "x-google-dkim-signature"]
)
# Fields of message identifiers (RFC 5322 3.6.4, RFC 2045 7), which are not links. A link between them is found.
ID_FIELDS: Final = frozenset(["content-id", "in-reply-to", "message-id", "references", "resent-message-id"])
PARAMETER_FIELDS: Final = frozenset(["content-disposition", "content-type"])
# Fields of URIs, whose white space is that of folds (RFC 2557 4.4.1); so it is in the URL of an external body.
LOCATION_FIELDS: Final = frozenset(["content-base", "content-location"])
_EXTERNAL: Final = lazy_compile(r"\s*message/external-body", re.I)
_URL: Final = lazy_compile(r';\s*url\s*=\s*"([^"]*)"', re.I)
_WORD: Final = lazy_compile(r"\S+")
_MESSAGE_ID: Final = lazy_compile(r"<[^<>\s:@]+@[^<>\s]+>")
# How many bytes of a Message-ID are read.
_LONGEST_ID: Final = 1_000


def message_id_of(value: bytes) -> str | None:
    """Return the Message-ID in the value of its field, without angle brackets; None if there is none."""
    return printable(value[:_LONGEST_ID].decode("utf-8", "replace").strip().strip("<>")) or None


def read_known(name: str, text: str) -> tuple[str, Selection | None, bool]:
    """Read the text of a field in the way of its name.

    Args:
        name: the name of the field, in lower case.
        text: its value, encoded words decoded.

    Returns:
        the text that is searched; the characters of the value that it is made of, None for all; and whether others
        stand in it, so that there is no way back.
    """
    if name in ID_FIELDS:
        return _MESSAGE_ID.sub(lambda found: " " * len(found[0]), text), None, False
    if name in LOCATION_FIELDS:
        return *_without_blanks(text, 0, len(text)), False
    if name in PARAMETER_FIELDS and "*" in text:
        from urisieve.sources.mail.header_fields import parameters

        return "; ".join(f'{name}="{content}"' for name, content in parameters(text).items()), None, True
    url = _URL.search(text) if name == "content-type" and _EXTERNAL.match(text) is not None else None
    return (text, None, False) if url is None else (*_without_blanks(text, *url.span(1)), False)


def _without_blanks(text: str, start: int, end: int) -> tuple[str, Selection]:
    """Return a text without the white space in a stretch of it (RFC 2017 3.1), and the selection of what was kept."""
    from urisieve.sources.bytes.selections import Selection

    selection = Selection()
    selection.add(0, start)
    for word in _WORD.finditer(text, start, end):
        selection.add(*word.span())
    selection.add(end, len(text))
    return text[:start] + "".join(text[start:end].split()) + text[end:], selection
