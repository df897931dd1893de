"""The fields of records and rejections, by name and in the order of their columns."""

from __future__ import annotations

from urisieve.codes import Component, Reason, Warn
from urisieve.lean.values import NamedTuple
from urisieve.records.location import Location

__all__ = ["RecordFields", "RejectionFields"]


class RecordFields(NamedTuple):
    """One row of a batch; `Record` documents each field."""

    raw: str
    uri: str
    key: str
    start: int = 0
    end: int = 0
    line: int = 0
    column: int = 0
    source: str | None = None
    wrapper: str | None = None
    warnings: tuple[Warn, ...] = ()
    alternatives: tuple[str, ...] = ()
    byte_start: int | None = None
    byte_end: int | None = None
    location: Location | None = None


class RejectionFields(NamedTuple):
    """The fields of one rejection; `Rejection` documents each."""

    raw: str
    reason: Reason
    component: Component
    offset: int
    section: str
    start: int
    end: int
    line: int
    column: int
    source: str | None = None
    byte_start: int | None = None
    byte_end: int | None = None
    location: Location | None = None
