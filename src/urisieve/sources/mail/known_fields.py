"""Header fields that are read in a way of their own."""

from __future__ import annotations

from urisieve.lean.hints import Final
from urisieve.printable import printable

__all__ = ["ID_FIELDS", "OPAQUE_FIELDS", "message_id_of"]

# Fields of signatures: they hold keys, and names of fields separated by colons.
OPAQUE_FIELDS: Final = frozenset(
    ["arc-message-signature", "arc-seal", "dkim-signature", "domainkey-signature", "x-google-dkim-signature"]
)
# Fields of message identifiers (RFC 5322 3.6.4, RFC 2045 7), which are not links. A link between them is found.
ID_FIELDS: Final = frozenset(["content-id", "in-reply-to", "message-id", "references", "resent-message-id"])
# How many bytes of a Message-ID are read.
_LONGEST_ID: Final = 1_000


def message_id_of(value: bytes) -> str | None:
    """Return the Message-ID in the value of its field, without angle brackets; None if there is none."""
    return printable(value[:_LONGEST_ID].decode("utf-8", "replace").strip().strip("<>")) or None
