"""`Batch`: identifiers as rows or columns, passed from sources to sinks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain

from urisieve import shapes
from urisieve.errors import InputError, UsageError
from urisieve.lean import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, late, overload
from urisieve.records.base import NOWHERE, PLACE_NAMES, Location
from urisieve.records.layouts import COLUMNS, DERIVED, Columns, no_column
from urisieve.records.record import NO_PARTS, Record
from urisieve.rules.table import KNOWN_RULES, RuleTable
from urisieve.syntax.components import Components, split

if TYPE_CHECKING:
    from urisieve.records.derived_columns import DerivedColumns
    from urisieve.records.filtering import Filter
    from urisieve.records.rejection import Rejection
else:
    Filter = late("urisieve.records.filtering", "Filter")
    Rejection = late("urisieve.records.rejection", "Rejection")


_BYTES: Final = frozenset(("byte_start", "byte_end"))
_LOCATION: Final = frozenset(("location",))
# The column of timestamps that `dated` adds for statistics (`2024-05-31T13`, or None); records have none.
TIME: Final = "time"


class ByteSpans(Protocol):
    """Maps the characters of a text back to the bytes that it was decoded from."""

    def span(self, start: int, end: int, /) -> tuple[int, int]:
        """Return the byte offsets, half-open, of the characters from `start` to `end`."""


class Batch:
    """Many identifiers, one row each, and the rejected candidates among them.

    A batch contains the columns asked for, and a `Record` is made of a row when it is asked for. As a stream of Arrow
    (`__arrow_c_stream__`; extra `arrow`) it is the table of its records: `pyarrow.table(batch)`,
    `polars.DataFrame(batch)`, `duckdb.sql("FROM batch")`. Passwords in it are whole, as in records.

    >>> from urisieve import Batch, extract_batches
    >>> (batch,) = extract_batches(["see http://EXAMPLE.com/a, http://b.example/ and http://c.example/100%zz"])
    >>> len(batch), batch.column("uri"), batch.column("start")
    (2, ['http://example.com/a', 'http://b.example/'], [4, 26])
    >>> batch[0].raw, [record.host for record in batch], [str(one.reason) for one in batch.rejections]
    ('http://EXAMPLE.com/a', ['example.com', 'b.example'], ['bad-percent-encoding'])
    >>> len(batch + batch), len(Batch.joined([batch, batch, batch]))
    (4, 6)

    Offsets (`start`, `end`) are half-open and count characters from 0, from the start of the text; `byte_start` and
    `byte_end` are half-open and count bytes of the source from 0; `line` and `column` count from 1. A batch cannot be
    changed and can be pickled. `+` joins two batches, `Batch.joined` any number.

    Attributes:
        layout: the rows, as the sinks ask for them.
        rejections: the candidates that are not valid, in the order of the text.

    Raises:
        UsageError: a column is asked for that does not exist or was not made.
    """

    __slots__ = ("_before", "_derived", "_parts", "_rules", "_spans", "layout", "rejections")

    def __init__(
        self,
        layout: Columns,
        *,
        rejections: Sequence[Rejection] = (),
        before: Sequence[int] = (),
        spans: ByteSpans | None = None,
        rules: RuleTable = KNOWN_RULES,
        parts: Mapping[int, Components] = NO_PARTS,
    ) -> None:
        """Make a batch; programs get batches from `extract_batches` and similar calls.

        Args:
            layout: the rows.
            rejections: the candidates that are not valid.
            before: for each rejection, the number of rows that come before it in the text.
            spans: returns the byte offsets of the rows; called when they are first asked for.
            rules: the rule table by which the rows were judged.
            parts: components by row index, for the rows that the generic grammar would split in another way.
        """
        self.layout = layout
        self.rejections = rejections
        self._before = before
        self._spans = spans
        self._rules = rules
        self._parts = parts
        self._derived: DerivedColumns | None = None

    def __len__(self) -> int:
        return self.layout.length

    def __bool__(self) -> bool:
        """Report whether the batch contains anything, rejections included."""
        return self.layout.length > 0 or len(self.rejections) > 0

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that the batch contains; others can be derived from them, see `column`."""
        held = {*self.layout.names, *self.layout.constants}
        if self._spans is not None:
            held |= _BYTES
        return tuple(name for name in (*COLUMNS, TIME) if name in held)

    def column(self, name: str) -> Sequence[Any]:
        """Return the values of one column, one for each row, in the order of the rows; do not change the sequence.

        Args:
            name: a field of records; `domain`, the registrable domain of the host (`registrable_domain`; extra
                `domains`); or `template` (`template_of`). Components (`scheme`, `host`, ...), `iri`, `surt`, `kind`,
                `domain` and `template` are computed from the columns `uri` and `raw`.

        Raises:
            UsageError: there is no such column, or it was not asked for.
        """
        if name.__class__ is not str:
            shapes.text("name", name)
        values = self.layout.column(name)
        if values is not None:
            return values
        if name in _BYTES and self._spans is not None:
            return self.resolved().column(name)
        needed = DERIVED.get(name)
        if needed is None or not {"uri", *needed} <= set(self.columns):
            raise no_column(name)
        return self._following().column(name)

    def _following(self) -> DerivedColumns:
        """Return what follows from the canonical forms."""
        if self._derived is None:
            from urisieve.records.derived_columns import DerivedColumns

            self._derived = DerivedColumns(self.layout, self._rules, self._parts)
        return self._derived

    def iri_of(self, uri: str) -> str:
        """Return the form for users (RFC 3987 3.2) of a URI of this batch whose components follow from it."""
        from urisieve.judge.normalize import iri_text

        return iri_text(split(uri), self._rules)

    @property
    def has_own_components(self) -> bool:
        """Whether the components of some rows do not follow from `uri` by the generic grammar (RFC 2141 URNs)."""
        return bool(self._parts)

    @property
    def before(self) -> Sequence[int]:
        """For each rejection, the number of rows that come before it in the text."""
        return self._before

    def is_constant(self, name: str) -> bool:
        """Report whether all rows share one value in a column, since it is that of their text or was not asked for."""
        comes_later = name in _BYTES and self._spans is not None
        return name in self.layout.constants or not (comes_later or name in self.layout.names)

    def constant(self, name: str) -> Any:
        """Return the value that all rows share in a column; see `is_constant`."""
        return self.layout.constant(name)

    def _shared(self, name: str) -> Sequence[Any]:
        """Return a column as `column` does, as `SharedValues` where many rows share a value."""
        values = self._following().shared(name) if name in DERIVED else None
        if values is not None:
            return values
        return self.layout.locations() if name == "location" else self.column(name)

    def components(self) -> list[Components]:
        """Return the components of each canonical URI, in the order of the rows."""
        return self._following().components()

    @property
    def spans(self) -> ByteSpans | None:
        """The source of byte offsets that have not been looked up yet, else None.

        The source may forget the bytes of a text as soon as reading goes on: call `resolved` before that.
        """
        return self._spans

    def resolved(self) -> Batch:
        """Look up all byte offsets, those of rejections too, and return the batch itself."""
        spans = self._spans
        if spans is not None:
            span = spans.span
            pairs = list(map(span, self.column("start"), self.column("end")))
            self.layout.add("byte_start", [start for start, _ in pairs])
            self.layout.add("byte_end", [end for _, end in pairs])
            if self.rejections:
                self.rejections = [one.with_bytes(*span(one.start, one.end)) for one in self.rejections]
            self._spans = None
        return self

    def records(self) -> list[Record]:
        """Return a record for each row.

        Raises:
            UsageError: the batch lacks `raw`, `uri` or `key`, without which no record can be made.
        """
        return self.resolved().layout.records(self._rules, self._parts)

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records())

    @overload
    def __getitem__(self, index: int) -> Record: ...

    @overload
    def __getitem__(self, index: slice) -> Batch: ...

    def __getitem__(self, index: int | slice) -> Record | Batch:
        """Return one row as a record, or a slice of rows as a batch without rejections."""
        if isinstance(index, slice):
            return self.select(range(*index.indices(len(self))))
        given: object = index
        if isinstance(given, str):
            raise UsageError(f"a batch has rows by number: its column is batch.column({given!r})")
        one = range(len(self))[index]
        return self.select((one,)).records()[0]

    def select(self, indices: Sequence[int]) -> Batch:
        """Return the rows at some indices, in the given order, without the rejections."""
        shapes.sequence("indices", indices)
        old = self._parts
        parts = {new: old[index] for new, index in enumerate(indices) if index in old} if old else old
        made = Batch(self.resolved().layout.select(indices), rules=self._rules, parts=parts)
        if self._derived is not None:
            made._derived = self._derived.select(indices, made.layout, parts)
        return made

    def replaced(self, columns: Mapping[str, Sequence[Any]], *, split: Container[int] = ()) -> Batch:
        """Return the same batch with other values in some columns.

        Args:
            columns: the values, by the name of the column.
            split: the indices of rows whose components follow from the URI from now on.
        """
        spans = None if "byte_start" in columns else self._spans
        parts = self._parts
        if split:
            parts = {index: own for index, own in parts.items() if index not in split}
        return self._same(self.layout.replaced(columns), spans=spans, parts=parts)

    def _same(self, layout: Columns, **changes: Any) -> Batch:
        """Return the batch in another layout, with other values of some arguments of `Batch`."""
        same = {"rejections": self.rejections, "before": self._before, "spans": self._spans}
        return Batch(layout, **{**same, "rules": self._rules, "parts": self._parts, **changes})

    def with_spans(self, spans: ByteSpans) -> Batch:
        """Return the same batch with `spans` as the source of its byte offsets."""
        return self._same(self.layout.without(_BYTES), spans=spans)

    def filtered(self, indices: Sequence[int]) -> Batch:
        """The rows at some rising indices, with all rejections."""
        shapes.sequence("indices", indices)
        if len(indices) == len(self):
            return self
        from bisect import bisect_left

        before = [bisect_left(indices, number) for number in self._before]
        return self.select(indices).with_rejections(self.rejections, before)

    def where(self, wanted: Filter) -> Batch:
        """Return the rows that a filter wants, with all rejections; see `Filter`.

        Raises:
            UsageError: the batch lacks a column of `Filter.columns`, or the extra `domains` is needed.
        """
        shapes.methods("wanted", wanted, ("indices",), "a Filter, as in where(Filter(schemes={'http'}))")
        return self.filtered(wanted.indices(self))

    def dated(self, times: Sequence[str | None]) -> Batch:
        """Add the column `TIME`, and return the batch itself."""
        self.layout.add(TIME, times)
        return self

    def placed(self, locations: Sequence[Location | None]) -> Batch:
        """Return the same batch with other locations; what the kernel has found stays with it."""
        layout = self.layout.without(_LOCATION)
        layout.add("location", locations)
        return self._same(layout)

    def rejecting(self, rejections: Sequence[Rejection]) -> Batch:
        """Return the same rows with other rejections, one in place of each."""
        return self._same(self.layout.replaced({}), rejections=rejections)

    def with_rejections(self, rejections: Sequence[Rejection], before: Sequence[int]) -> Batch:
        """Put other rejections among the rows, and return the batch itself.

        Args:
            rejections: the candidates that are not valid, in the order of the text.
            before: for each of them, the number of rows before it.
        """
        self.rejections = rejections
        self._before = before
        return self

    def without(self, names: frozenset[str]) -> Batch:
        """Leave out columns, and return the batch itself: each of them has the value of one that was not asked for."""
        self.layout = self.layout.without(names)
        if self._derived is not None:
            self._derived.layout = self.layout
        return self

    @property
    def own_parts(self) -> Mapping[int, Components]:
        """The components that do not follow from the URI, by the index of the row."""
        return self._parts

    def like(
        self,
        length: int,
        columns: Mapping[str, Sequence[Any]],
        rejections: Sequence[Rejection],
        before: Sequence[int],
        parts: Mapping[int, Components],
    ) -> Batch:
        """Return a batch of columns whose rows were judged by the same rules; see the arguments of `Batch`."""
        return Batch(Columns(length, columns), rejections=rejections, before=before, rules=self._rules, parts=parts)

    def found(self) -> list[Record | Rejection]:
        """Return records and rejections together, in the order of the text."""
        records = self.records()
        if not self.rejections:
            return list(records)
        found: list[Record | Rejection] = []
        done = 0
        for number, rejection in zip(self._before, self.rejections, strict=True):
            found += records[done:number]
            found.append(rejection)
            done = number
        found += records[done:]
        return found

    def _with_parts(self) -> list[int]:
        """Return the indices of the rows whose `Record.parts` may not be empty: that of their scheme defines some."""
        schemes = self.column("scheme")
        rules = self._rules
        having = {one for one in set(schemes) if one.lower() == "urn" or rules.scheme(one.lower()).parts is not None}
        return [index for index, scheme in enumerate(schemes) if scheme in having] if having else []

    def warned(self) -> list[int]:
        """Return the indices of the rows with warnings; the column `warnings` must have been asked for."""
        return self.layout.warned()

    def alternatives(self) -> Mapping[int, tuple[str, ...]]:
        """Return the other readings of the rows that have some, by the indices of the rows in their order."""
        return self.layout.alternatives()

    def is_like(self, other: Batch) -> bool:
        """Report whether it can be joined with another one: it has the same columns, made by the same rules."""
        return self.columns == other.columns and self._rules is other._rules

    def __add__(self, other: Batch) -> Batch:
        return Batch.joined((self, other)) if isinstance(other, Batch) else NotImplemented

    @staticmethod
    def joined(batches: Iterable[Batch]) -> Batch:
        """Return the rows and rejections of some batches as one batch, in the given order.

        Raises:
            UsageError: the batches differ in their columns, or were made by different rules.
        """
        given = shapes.several("batches", batches, "batches")
        some = [shapes.instance("one of batches", one, Batch, "Batch.of(records)").resolved() for one in given]
        some = [batch for batch in some if batch]
        if len(some) < 2:
            return some[0] if some else EMPTY
        first = some[0]
        for batch in some:
            if not batch.is_like(first):
                raise UsageError("only batches with the same columns, made by the same rules, can be joined")
        before: list[int] = []
        parts: dict[int, Components] = {}
        length = 0
        for batch in some:
            before += [length + number for number in batch._before]
            parts.update((length + index, known) for index, known in batch._parts.items())
            length += len(batch)
        rejections = [rejection for batch in some for rejection in batch.rejections]
        whole = Columns.following([batch.layout for batch in some], first.columns)
        return Batch(whole, rejections=rejections, before=before, rules=first._rules, parts=parts)

    @staticmethod
    def of(records: Sequence[Record]) -> Batch:
        """Return a batch with one row for each record.

        Raises:
            UsageError: it is not a sequence of records.
        """
        given: object = records
        if isinstance(given, Record):
            raise shapes.wrong("records", records, "a list of records: give [record]")
        shapes.sequence("records", records)
        if not records:
            return EMPTY
        for index, record in enumerate(records):
            if not isinstance(record, Record):
                raise shapes.wrong(f"records[{index}]", record, "a record, as extract() and parse() return it")
        parts = {index: record.components for index, record in enumerate(records) if record.kind == "urn"}
        values = map(list, zip(*[record._row for record in records], strict=True))
        columns = dict(zip(COLUMNS, values, strict=True))
        rules = records[0]._rules
        if any(record._rules.keyed != rules.keyed for record in records):
            rules = rules.of_unknown_keys()
        return Batch(Columns(len(records), columns), rules=rules, parts=parts)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the rows as a stream of Arrow, one column for each field of records that the columns make.

        Args:
            requested_schema: the schema that is wanted, as the Arrow PyCapsule interface has it; may be passed over.

        Raises:
            UsageError: pyarrow is not installed.
        """
        from urisieve.records.field_table import record_table

        stream: object = record_table(self.resolved()).__arrow_c_stream__(requested_schema)
        return stream

    def __repr__(self) -> str:
        return f"<Batch of {len(self):,} identifiers, {len(self.rejections):,} rejections: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        """Return a table of the first rows for notebooks: escaped, defanged, without links and passwords."""
        from urisieve.records.read_back import MOST_ROWS, batch_html

        first = self.select(range(min(MOST_ROWS, len(self))))
        columns = {name: first.column(name) for name in first.columns if name != "location"}
        if "location" in first.columns:
            locations = [location or NOWHERE for location in first.column("location")]
            columns |= {name: [getattr(location, name) for location in locations] for name in PLACE_NAMES}
        return batch_html(columns, len(self), [rejection.reason for rejection in self.rejections])

    def __reduce__(self) -> tuple[object, ...]:
        held = {name: list(values) for name, values in self.resolved().layout.all().items()}
        layout = Columns(len(self), held, self.layout.constants)
        made = partial(Batch, rejections=self.rejections, before=self._before, rules=self._rules, parts=self._parts)
        return made, (layout,)


# The batch of a text without identifiers.
EMPTY: Final = Batch(Columns(0, dict.fromkeys(COLUMNS, ())))


class BatchBuffer:
    """A sink that keeps what it takes until `taken` is called."""

    def __init__(self) -> None:
        self._batches: list[Batch] = []

    def take(self, batch: Batch, /) -> None:
        """Keep the next batch."""
        self._batches.append(batch)

    def close(self) -> None:
        """Do nothing: what was taken stays."""

    def drained(self) -> list[Batch]:
        """Return the batches taken since the last call, one by one."""
        batches, self._batches = self._batches, []
        return batches

    def taken(self) -> Batch:
        """Return all that was taken since the last call, as one batch."""
        batches = self._batches
        if not batches:
            return EMPTY
        if len(batches) == 1:
            return batches.pop()
        self._batches = []
        return Batch.joined(batches)


# Called with a path or a name, and the error, if it, or something in it, cannot be read to its end.
OnError: TypeAlias = Callable[[str, InputError], None]
# TextCounts by code without any; never changed.
NO_CODES: Final[Mapping[str, int]] = {}


def counted_codes(batch: Batch) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Return the number of rejected candidates by reason, and of identifiers with a warning by code."""
    refused = [one.reason for one in batch.rejections]
    reasons: Mapping[str, int] = Counter[str](refused) if refused else NO_CODES
    warned = batch.warned()
    if not warned:
        return reasons, NO_CODES
    counts: Counter[str] = Counter(chain.from_iterable(batch.layout.codes_at(warned)))
    return reasons, counts
