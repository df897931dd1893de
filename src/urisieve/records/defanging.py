"""Defanged text: an identifier written so that no program makes a link of it, and nobody follows it by accident."""

from __future__ import annotations

__all__ = ["defang"]


def defang(text: str) -> str:
    """Return an identifier in a form that is not a link."""
    return text.replace("http", "hxxp").replace(".", "[.]")
