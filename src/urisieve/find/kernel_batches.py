"""Batches of what the kernel has found, completed by what only the judge and the finder know of some rows."""

from __future__ import annotations

from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple, cast
from urisieve.options import Options, Positions, protected_names
from urisieve.records.batch import Batch
from urisieve.records.layouts import KERNEL_WARNINGS, Harvested, Special
from urisieve.records.record import NO_PARTS
from urisieve.rules.table import rules_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from urisieve.find.finder.candidates import Found
    from urisieve.judge.judge import Judged
    from urisieve.judge.validate import Fault
    from urisieve.kernel import kernel
    from urisieve.records.base import Location
    from urisieve.records.rejection import Rejection
    from urisieve.syntax.components import Components


# The numbers of what is wanted, as in harvest.h.
_RAW: Final = 1
_OFFSETS: Final = 2
_LINES: Final = 4
_BYTES: Final = 8
_COUNTED: Final = frozenset(("line", "column"))
_BYTE_OFFSETS: Final = frozenset(("byte_start", "byte_end"))


class _RejectedRow(NamedTuple):
    """A rejected candidate in a harvest.

    Attributes:
        before: the number of valid rows before it.
        number: its number among the candidates that the kernel has not judged itself; see `KernelBatches`.
        raw: its text.
        start: the offset of its first character in the text.
        end: the offset after its last character.
        line: the line on which it starts; not set unless lines are wanted, like the column.
        column: the column in which it starts.
        byte_start: the offset of its first byte; not set unless these offsets are wanted, like the next one.
        byte_end: the offset after its last byte.
    """

    before: int
    number: int
    raw: str
    start: int
    end: int
    line: int
    column: int
    byte_start: int
    byte_end: int


class KernelBatches:
    """Makes batches of the harvests of one search.

    The harvest numbers the candidates that the kernel has not judged itself: first those of its memo, which are in
    `judged`, then those of the finder, which are in `found`.

    Attributes:
        judged: the judgements of the candidates in the memo of the kernel, in its order.
        found: the findings of the finder since the last batch.
        wanted: what a harvest is asked for.

    Args:
        options: the options of the search.
        columns: the columns to make.
        source: the name of the text.
        location: where the text stands in its source.
    """

    def __init__(
        self, options: Options, columns: frozenset[str], source: str | None, location: Location | None
    ) -> None:
        self.judged: list[Judged | Fault] = []
        self.found: list[Found] = []
        self._columns = columns
        self._name(source, location)
        self._rules = rules_of(options.rules, protected_names(options))
        counts_lines = options.positions == Positions.LINES and not columns.isdisjoint(_COUNTED)
        self._options = options
        self._names_readings = "alternatives" in columns
        self.wanted = (
            (_RAW if "raw" in columns or self._names_readings else 0)
            | (_OFFSETS if not columns.isdisjoint(("start", "end")) else 0)
            | (_LINES if counts_lines else 0)
        )
        # The columns that a harvest holds and the values of others, where offsets in bytes are known and where not.
        names = columns - {"source", "location"}
        absent: dict[str, Any] = {} if counts_lines else dict.fromkeys(columns & _COUNTED, 0)
        self._held = names.difference(absent), absent
        without_bytes = {**absent, **dict.fromkeys(columns & _BYTE_OFFSETS)}
        self._held_without_bytes = names.difference(without_bytes), without_bytes

    def restart(self, source: str | None, location: Location | None) -> None:
        """Begin another text, which does not come as bytes unless `count_bytes` says so."""
        if source is not self._source or location is not self._location:
            self._name(source, location)
        self.found.clear()
        self.wanted &= ~_BYTES

    def _name(self, source: str | None, location: Location | None) -> None:
        self._source = source
        self._location = location
        shared = {"source": source, "location": location}
        self._shared: dict[str, Any] = {name: value for name, value in shared.items() if name in self._columns}

    def count_bytes(self) -> None:
        """Take offsets in bytes from the harvests of this text, if the columns have them."""
        if not self._columns.isdisjoint(_BYTE_OFFSETS):
            self.wanted |= _BYTES

    def batch(self, harvest: kernel.Harvest) -> Batch | None:
        """Return a batch that holds a harvest, or None if nothing is in it; `judged` may be cleared later."""
        rejections: list[Rejection] = []
        before: list[int] = []
        for values in harvest.rejected():
            row = _RejectedRow(*values)
            before.append(row.before)
            rejections.append(self._rejection(row))
        count = len(harvest)
        if not count and not rejections:
            return None
        names, absent = self._held if self.wanted & _BYTES else self._held_without_bytes
        constants = {**self._shared, **absent}
        if not harvest.has_warnings and "warnings" in names:
            constants["warnings"] = ()
            names = names - {"warnings"}
        specials = harvest.specials()
        known = self._known(specials)
        if self._names_readings and (followed := harvest.followed()):
            self._add_readings(known, followed)
        layout = Harvested(harvest, names, constants, known)
        parts = self._parts(specials)
        return Batch(layout, rejections=rejections, before=before, rules=self._rules, parts=parts)

    def _decided(self, number: int) -> tuple[Found | None, Judged | Fault]:
        """Return what the finder has found, if it was the finder, and the judgement, by the number of a candidate."""
        memo = len(self.judged)
        if number < memo:
            return None, self.judged[number]
        found = self.found[number - memo]
        return found, found.judged

    def _valid(self, number: int) -> tuple[Found | None, Judged]:
        """Return the same for a candidate that the kernel has entered among the valid ones."""
        found, judged = self._decided(number)
        return found, cast("Judged", judged)

    def _known(self, specials: list[tuple[int, int, int]]) -> dict[int, Special]:
        """Return what only the finder and the judge know of some rows, by the index of the row."""
        known = {}
        for index, number, bits in specials:
            found, judged = self._valid(number)
            if found is None:
                known[index] = Special(KERNEL_WARNINGS[bits] + judged.warnings)
            else:
                known[index] = Special(found.warnings + judged.warnings, True, found.wrapper, found.alternatives)
        return known

    def _add_readings(self, known: dict[int, Special], followed: list[tuple[int, int, str]]) -> None:
        """Add the other readings of candidates whose last segment may be prose: they end before it."""
        from urisieve.judge.judge import Judged, judge

        for index, bits, text in followed:
            judged = judge(text, self._options)
            if isinstance(judged, Judged):
                special = known.get(index) or Special(KERNEL_WARNINGS[bits])
                known[index] = special._replace(alternatives=(judged.uri,))

    def _parts(self, specials: list[tuple[int, int, int]]) -> Mapping[int, Components]:
        """Return the components that do not follow from the URI: by RFC 2141 `?` and `#` belong to the NSS."""
        parts = {}
        for index, number, _ in specials:
            _, judged = self._valid(number)
            known, uri = judged.parts, judged.uri
            if known is not None and uri[:4].lower() == "urn:" and ("?" in uri or "#" in uri):
                parts[index] = known
        return parts or NO_PARTS

    def _rejection(self, row: _RejectedRow) -> Rejection:
        """Return the rejection for a candidate that the judge has not accepted."""
        from urisieve.records.base import RejectionFields
        from urisieve.records.rejection import make_rejection

        fault = cast("Fault", self._decided(row.number)[1])
        counts_lines = self.wanted & _LINES
        fields = RejectionFields(
            row.raw,
            fault.reason,
            fault.component,
            fault.offset,
            fault.section,
            row.start,
            row.end,
            row.line if counts_lines else 0,
            row.column if counts_lines else 0,
            self._source,
            location=self._location,
        )
        rejection = make_rejection(fields)
        return rejection.with_bytes(row.byte_start, row.byte_end) if self.wanted & _BYTES else rejection
