"""The check that a requested field exists at all: a name that no row has is more often an error than a choice."""

from __future__ import annotations

from urisieve.lean.hints import Final
from urisieve.nearest import did_you_mean
from urisieve.sources.tally import MESSAGES, Tally

__all__ = ["FieldWatch"]

# The number of names that are remembered, to find the nearest of them.
_NAMES: Final = 1_000


class FieldWatch:
    """Remembers the names of fields until the requested one is seen.

    Args:
        field: the field; None if all are read, so that there is nothing to check.
        rows: the name of the things that have fields, in the plural, for the message.
    """

    def __init__(self, field: str | None, rows: str = "rows") -> None:
        self._field = field
        self._rows = rows
        self._names: dict[str, None] = {}
        self.waits = field is not None
        """Whether the field has not been seen yet."""

    def see(self, name: str, is_wanted: bool) -> None:
        """Note a field that a row has."""
        if is_wanted:
            self.waits = False
            self._names.clear()
        elif len(self._names) < _NAMES:
            self._names[name] = None

    def report(self, source: str, tally: Tally) -> None:
        """Count and report a source that has fields, but not the requested one."""
        if not self.waits or not self._names or self._field is None:
            return
        tally.skip("file", "no-such-field")
        if tally.skipped["file", "no-such-field"] <= MESSAGES:
            near = did_you_mean(self._field, self._names)
            tally.messages.append(f"{source}: none of the {self._rows} has a field {self._field!r}{near}")
