"""Examples of identifiers as statistics show them: without passwords, and of bounded length."""

from __future__ import annotations

from urisieve.lean.hints import Final
from urisieve.printable import shortened
from urisieve.records.masking import masked_raw, masked_text
from urisieve.syntax.components import PASSWORD

__all__ = ["EXAMPLE_LENGTH", "shown_raw", "shown_uri"]

# The most characters of an example: a report has a hundred of them.
EXAMPLE_LENGTH: Final = 200


def shown_raw(raw: str, uri: str) -> str:
    """Return the raw text of a URI, with its password masked."""
    masked = masked_raw(raw, uri) if "@" in uri and PASSWORD.match(uri) else raw
    return shortened(masked, EXAMPLE_LENGTH)


def shown_uri(uri: str) -> str:
    """Return a canonical URI, with its password masked."""
    return shortened(masked_text(uri) if "@" in uri else uri, EXAMPLE_LENGTH)
