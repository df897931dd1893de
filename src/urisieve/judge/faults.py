"""`Fault`: why a text is not a valid identifier, and at which offset in it; its offset in the input is not known."""

from __future__ import annotations

from urisieve.codes import REASONS, Component, Reason
from urisieve.lean.values import NamedTuple

__all__ = ["Fault", "fault"]


class Fault(NamedTuple):
    """Why a text is not a valid identifier, and where.

    Attributes:
        reason: the code of the fault.
        component: the component that is at fault.
        offset: the offset of the fault from the start of the text, in characters.
        section: the section of the RFC that the text breaks.
    """

    reason: Reason
    component: Component
    offset: int
    section: str


def fault(reason: Reason, component: Component, offset: int, section: str | None = None) -> Fault:
    """Return a fault, by default with the section that the table of reasons has for its reason."""
    return Fault(reason, component, offset, REASONS[reason].section if section is None else section)
