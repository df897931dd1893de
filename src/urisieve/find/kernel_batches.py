"""Batches of what the kernel has found, completed by what only the judge and the finder know."""

from __future__ import annotations

from itertools import starmap

from urisieve.finding_options import Options, Positions
from urisieve.kernel import of_kernel
from urisieve.lean import TYPE_CHECKING, Any, Final
from urisieve.records.batch import Batch
from urisieve.records.harvested import KERNEL_WARNINGS, Harvested, Special
from urisieve.records.record import NO_PARTS, rules_of_records

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from urisieve.find.ends.candidates import Found
    from urisieve.judge.judge import Judged
    from urisieve.judge.validate import Fault
    from urisieve.kernel import kernel
    from urisieve.records.base import Location
    from urisieve.records.rejection import Rejection
    from urisieve.syntax.components import Components

# What a harvest may be asked for; tools/generate_kernel_tables.py gives the kernel these names.
WANTED: Final = ("raw", "offsets", "lines", "bytes")
_RAW, _OFFSETS, _LINES, _BYTES = (1 << of_kernel("WANTED", WANTED).index(name) for name in WANTED)
_COUNTED: Final = frozenset(("line", "column"))
_BYTE_OFFSETS: Final = frozenset(("byte_start", "byte_end"))


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
        location: where the text is in its source.
    """

    def __init__(
        self, options: Options, columns: frozenset[str], source: str | None, location: Location | None
    ) -> None:
        self.judged: list[Judged | Fault] = []
        self.found: list[Found] = []
        self._columns = columns
        self._rules = rules_of_records(options)
        counts_lines = options.positions == Positions.LINES and not columns.isdisjoint(_COUNTED)
        self._options = options
        self._names_readings = "alternatives" in columns
        self.wanted = (
            (_RAW if "raw" in columns or self._names_readings else 0)
            | (_OFFSETS if not columns.isdisjoint(("start", "end")) else 0)
            | (_LINES if counts_lines else 0)
        )
        # The columns that a harvest contains and the values of others, where offsets in bytes are known and where not.
        names = columns - {"source", "location"}
        absent: dict[str, Any] = {} if counts_lines else dict.fromkeys(columns & _COUNTED, 0)
        self._held = names.difference(absent), absent
        without_bytes = {**absent, **dict.fromkeys(columns & _BYTE_OFFSETS)}
        self._held_without_bytes = names.difference(without_bytes), without_bytes
        self.restart(source, location)

    def restart(self, source: str | None, location: Location | None) -> None:
        """Begin another text, which does not come as bytes unless `count_bytes` states so."""
        self._source, self._location = source, location
        shared = {"source": source, "location": location}
        self._shared: dict[str, Any] = {name: value for name, value in shared.items() if name in self._columns}
        self.found.clear()
        self.wanted &= ~_BYTES

    def count_bytes(self) -> None:
        """Take offsets in bytes from the harvests of this text, if the columns have them."""
        if not self._columns.isdisjoint(_BYTE_OFFSETS):
            self.wanted |= _BYTES

    def batch(self, harvest: kernel.Harvest) -> Batch | None:
        """Return a batch that contains a harvest, or None if nothing is in it; `judged` may be cleared later."""
        rejected = harvest.rejected()
        if not len(harvest) and not rejected:
            return None
        names, absent = self._held if self.wanted & _BYTES else self._held_without_bytes
        constants = {**self._shared, **absent}
        if not harvest.has_warnings and "warnings" in names:
            constants["warnings"] = ()
            names = names - {"warnings"}
        specials = harvest.specials()
        known = self._known(specials)
        if self._names_readings and (followed := harvest.followed()):
            self._add_readings(known, followed, harvest.column("uri"))
        layout = Harvested(harvest, names, constants, known)
        rejections, before = list(starmap(self._rejection, rejected)), [before for before, *_ in rejected]
        return Batch(layout, rejections=rejections, before=before, rules=self._rules, parts=self._parts(specials))

    def _decided(self, number: int) -> tuple[Found | None, Any]:
        """Return what the finder has found, if it was the finder, and the judgement, by the number of a candidate."""
        memo = len(self.judged)
        found = None if number < memo else self.found[number - memo]
        return found, self.judged[number] if found is None else found.judged

    def _known(self, specials: list[tuple[int, int, int]]) -> dict[int, Special]:
        """Return what only the finder and the judge know of some rows, by the index of the row."""
        known = {}
        for index, number, codes in specials:
            found, judged = self._decided(number)
            if found is None:
                known[index] = Special(KERNEL_WARNINGS[codes] + judged.warnings, alternatives=judged.others)
            else:
                alternatives = found.alternatives + judged.others
                known[index] = Special(found.warnings + judged.warnings, True, found.wrapper, alternatives)
        return known

    def _add_readings(
        self, known: dict[int, Special], followed: list[tuple[int, int, str]], uris: Sequence[str]
    ) -> None:
        """Add the other readings of candidates whose last segment may be prose: they end before it."""
        from urisieve.judge.judge import Judged, judge

        for index, codes, text in followed:
            judged = judge(text, self._options)
            if isinstance(judged, Judged) and judged.uri != uris[index]:
                special = known.get(index) or Special(KERNEL_WARNINGS[codes])
                known[index] = special._replace(alternatives=(judged.uri, *special.alternatives))

    def _parts(self, specials: list[tuple[int, int, int]]) -> Mapping[int, Components]:
        """Return the components that do not follow from the URI: by RFC 2141 `?` and `#` belong to the NSS."""
        judged = ((index, self._decided(number)[1]) for index, number, _ in specials)
        return {index: parts for index, one in judged if (parts := one.parts_apart) is not None} or NO_PARTS

    def _rejection(self, _before: int, number: int, raw: str, *place: int) -> Rejection:
        """Return the rejection of a candidate, by its number among those that the kernel has not judged itself.

        Args:
            number: that number.
            raw: its text.
            place: its start and end in characters, its line and column (not set unless lines are wanted), its start and
                end in bytes (not set unless these offsets are).
        """
        from urisieve.records.base import RejectionFields
        from urisieve.records.rejection import make_rejection

        fault: Fault = self._decided(number)[1]
        start, end, line, column = place[:4] if self.wanted & _LINES else (*place[:2], 0, 0)
        row = RejectionFields(raw, *fault, start, end, line, column, self._source, location=self._location)
        rejection = make_rejection(row)
        return rejection.with_bytes(*place[4:]) if self.wanted & _BYTES else rejection
