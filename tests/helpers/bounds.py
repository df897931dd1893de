"""Limits, and what is found as far as they go and one beyond."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from urisieve import Options, sieve

__all__ = ["Bound", "count", "uris"]


class Bound(NamedTuple):
    """A limit: what is found as far as it, and what beyond it."""

    name: str
    limit: int
    found: Callable[[int], Any]
    within: Any
    beyond: Any


def uris(text: str, **given: Any) -> list[str]:
    """The identifiers in a text, and the reasons of what is none."""
    return [one.uri if one else f"✗{one.reason}" for one in sieve(text, options=Options(**given))]


def count(text: str, **given: Any) -> int:
    return len(uris(text, **given))
