"""`Fault`: where and why a text breaks the syntax, before it is known where the text stood."""

from __future__ import annotations

from typing import NamedTuple

from urisieve.codes import REASONS, Component, Reason

__all__ = ["Fault", "fault"]


class Fault(NamedTuple):
    """Why a text is no identifier, and where."""

    reason: Reason
    component: Component
    offset: int
    section: str


def fault(reason: Reason, component: Component, offset: int, section: str | None = None) -> Fault:
    """A fault with the section that the table of reasons gives, or another one."""
    return Fault(reason, component, offset, REASONS[reason].section if section is None else section)
