"""Resolution of relative references against the base of a document, or the reason why it fails (RFC 3986 5)."""

from __future__ import annotations

from typing import Final

from urisieve.records.rejection import InvalidIdentifier
from urisieve.resolver import resolve
from urisieve.sources.html.html_links import has_scheme

__all__ = ["resolved", "unresolved_reason"]

# Characters of a base: each reference resolved against it repeats it, so that the output grows with the product of
# both. RFC 9110 4.1 recommends that 8,000 octets be supported.
_LONGEST_BASE: Final = 8_000


def resolved(reference: str, base: str | None) -> str | None:
    """Return the target of a reference: itself if it has a scheme; None if it cannot be resolved."""
    if has_scheme(reference):
        return reference
    if base is None or len(base) > _LONGEST_BASE:
        return None
    try:
        return resolve(base, reference)
    except InvalidIdentifier:
        return None


def unresolved_reason(base: str | None) -> str:
    """Return the reason why a reference could not be resolved, as it is counted."""
    if base is None:
        return "no-base"
    return "long-base" if len(base) > _LONGEST_BASE else "unresolvable"
