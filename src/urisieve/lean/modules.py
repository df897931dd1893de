"""Modules by their name."""

from __future__ import annotations

from urisieve.lean.hints import Any

__all__ = ["imported"]


def imported(name: str) -> Any:
    """Import a module by its full name; to import `importlib` for that would take half a millisecond."""
    return __import__(name, fromlist=["__name__"])
