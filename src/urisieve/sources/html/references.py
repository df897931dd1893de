"""Resolution of relative references against the base of a document, or the reason why it fails (RFC 3986 5)."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from urisieve.errors import UsageError
from urisieve.identifiers import resolve, split_reference
from urisieve.records.masking import masked_text
from urisieve.records.rejection import InvalidIdentifier
from urisieve.sources.html.html_links import has_scheme

__all__ = ["can_resolve", "checked_base", "resolved", "unresolved_reason"]

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


@lru_cache(maxsize=64)
def can_resolve(base: str) -> bool:
    """Report whether references that are plain can be resolved against a base."""
    return resolved("x", base) is not None


def unresolved_reason(base: str | None) -> str:
    """Return the reason why a reference could not be resolved, as it is counted."""
    if base is None:
        return "no-base"
    return "long-base" if len(base) > _LONGEST_BASE else "unresolvable"


def checked_base(base: str) -> str:
    """Return a base that was passed as an option, if references can be resolved against it (RFC 3986 5.1, 4.3).

    Raises:
        UsageError: it is not an absolute URI or IRI, or it is too long.
    """
    if not isinstance(base, str):
        raise UsageError(f"base={base!r:.200} must be a string: an absolute URI")
    said = f"base={masked_text(base)!r:.200}"
    try:
        scheme, parts = split_reference(base)
    except InvalidIdentifier as error:
        found = error.rejection
        raise UsageError(f"{said} is not a valid URI: {found.reason} at offset {found.offset}") from None
    if scheme is None:
        raise UsageError(f"{said} must be an absolute URI, as in 'https://example.com/page.html'")
    if parts.fragment is not None:
        raise UsageError(f"{said} must not have a fragment: leave out '#' and what follows it")
    if len(base) > _LONGEST_BASE:
        raise UsageError(f"{said} is longer than {_LONGEST_BASE:,} characters")
    return base
