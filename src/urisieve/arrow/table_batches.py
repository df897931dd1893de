"""Batches of Arrow that are given to be searched, and those that are made of them.

It defines:

- batches of a schema that was declared before they were made: readers of a stream believe it unseen.
- the batches that are given to be searched, from whatever contains them.
- Arrow batches of bounded size: small ones are joined, and columns that are kept do not multiply without bound.
- columns that are kept, in layouts from which Arrow can take rows.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from urisieve.arrow.text_columns import RowValues, byte_count, is_run_end_encoded, is_view, run_indices
from urisieve.errors import UsageError
from urisieve.lean import Any, Final
from urisieve.records.field_table import pa, pc


def as_declared(batch: Any, schema: Any) -> Any:
    """Return a batch with columns of the types of a schema.

    Args:
        batch: a batch with columns of the same names, in the same order.
        schema: the schema that was declared.

    Raises:
        UsageError: a column is of another type, and would lose something by the change of it.
    """
    if batch.schema.equals(schema, check_metadata=True):
        return batch
    columns = []
    for field, values in zip(schema, batch.columns, strict=True):
        if values.null_count and not field.nullable:
            raise UsageError(f"the column {field.name!r} has nulls, and the schema says that it has none")
        columns.append(values if values.type == field.type else _as_type(values, field))
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _as_type(values: Any, field: Any) -> Any:
    """Return values as those of another type, if they are the same there and back."""
    given = values.type
    try:
        if pa.types.is_dictionary(given):
            values = values.dictionary_decode()
        made = values.cast(field.type, safe=True)
        if made.cast(values.type, safe=True).equals(values):
            return made
    except pa.ArrowException:
        pass
    raise UsageError(
        f"the column {field.name!r} is of type {given} in a later batch, and of type {field.type} in the schema:"
        " give all batches one type"
    )


_SERIES: Final = "give the table, and name the column by text="
# What contains batches without being an iterable of them has a method that returns them.
_METHODS: Final = {"iter_batches": "iter_batches", "to_batches": "to_batches", "collect_schema": "collect"}


def check_batches(batches: Any) -> None:
    """Check that something may be batches: a batch, a table, a stream, or an iterable.

    Raises:
        UsageError: it cannot; the message says what to give.
    """
    name = type(batches).__name__
    if isinstance(batches, (pa.Array, pa.ChunkedArray)):
        raise UsageError(f"the batches are a {name}: {_SERIES}")
    if hasattr(batches, "__arrow_c_stream__"):
        return
    for method, call in _METHODS.items():
        if hasattr(type(batches), method):
            raise UsageError(f"the batches are a {name}: give what its .{call}() returns")
    if isinstance(batches, (str, bytes, dict)) or not isinstance(batches, Iterable):
        raise UsageError(f"the batches are {name}: give a RecordBatch, a Table, or an iterable of them")


def known_schema(batches: Any) -> Any:
    """Return the schema of some batches if it is known without reading anything, else None."""
    return batches.schema if isinstance(batches, (pa.RecordBatch, pa.Table, pa.RecordBatchReader)) else None


def schema_of(given: Any) -> Any:
    """Return a schema, or that of something which has one.

    Raises:
        UsageError: it is not a schema of Arrow, and has none.
    """
    schema = given if isinstance(given, pa.Schema) else getattr(given, "schema", None)
    if not isinstance(schema, pa.Schema):
        raise UsageError(f"the schema is {type(given).__name__}: give a pyarrow.Schema, or something that has one")
    return schema


def with_schema(batches: Any) -> Any:
    """Return a stream of another library as a reader, and anything else as it is.

    Raises:
        UsageError: the stream has no columns.
    """
    known = (pa.RecordBatch, pa.Table, pa.RecordBatchReader)
    if isinstance(batches, known) or not hasattr(batches, "__arrow_c_stream__"):
        return batches
    try:
        return pa.RecordBatchReader.from_stream(batches)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise UsageError(f"the batches are a {type(batches).__name__}: {_SERIES} ({error})") from error


def each_batch(batches: Any) -> Iterator[Any]:
    """Yield the batches of a batch, a table, a stream, or an iterable of these, as `check_batches` accepts them.

    Raises:
        UsageError: there is something else in them.
    """
    given = [batches] if isinstance(batches, (pa.RecordBatch, pa.Table)) else with_schema(batches)
    for one in map(with_schema, given):
        if isinstance(one, pa.Table):
            yield from one.to_batches()
        elif isinstance(one, pa.RecordBatchReader):
            yield from one
        elif isinstance(one, pa.RecordBatch):
            yield one
        else:
            raise UsageError(f"the batches hold a {type(one).__name__}: give RecordBatch or Table objects")


# The most bytes of a batch, unless one row has more: a row of text may come with millions of identifiers.
_MOST_BYTES: Final = 67_108_864


def rows_at_once(taken: Sequence[RowValues], rows: Any) -> Iterator[tuple[int, int]]:
    """Yield the start and the number of the rows that are taken at once from some columns.

    Args:
        taken: the columns.
        rows: for each row that is made, the index of the one that is taken.
    """
    count = len(rows)
    if sum(column.largest for column in taken) * count <= _MOST_BYTES:
        yield 0, count
        return

    sizes = pa.repeat(pa.scalar(0, pa.int64()), count)
    for column in taken:
        sizes = pc.add(sizes, column.sizes.take(rows))
    ends = memoryview(pc.cumulative_sum(sizes).buffers()[1]).cast("b").cast("q")
    start = before = 0
    while start < count:
        stop = max(bisect_right(ends, before + _MOST_BYTES, start, count), start + 1)
        yield start, stop - start
        start, before = stop, ends[stop - 1]


class WaitingBatches:
    """Joins small batches until they have a number of rows.

    Args:
        rows: the most rows of a batch that it gives.
    """

    def __init__(self, rows: int) -> None:
        self._limit = rows
        self._batches: list[Any] = []
        self._rows = self._bytes = 0

    def take(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Take the next batches; yield what is complete."""
        for batch in batches:
            size = byte_count(batch)
            if self._batches and (self._bytes + size > _MOST_BYTES or self._batches[0].schema != batch.schema):
                yield from self.rest()
            self._batches.append(batch)
            self._rows += batch.num_rows
            self._bytes += size
            if self._rows >= self._limit:
                yield from self.rest()

    def rest(self) -> Iterator[Any]:
        """Yield what waits."""
        batches, self._batches, self._rows, self._bytes = self._batches, [], 0, 0
        if len(batches) == 1 and batches[0].num_rows <= self._limit:
            yield batches[0]
        elif batches:
            try:
                batches = pa.Table.from_batches(batches).combine_chunks().to_batches(self._limit)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # such as dictionaries that differ
                starts = ((batch, start) for batch in batches for start in range(0, batch.num_rows, self._limit))
                batches = [batch.slice(start, self._limit) for batch, start in starts]
            yield from batches


def check_kept_type(kind: Any, name: str) -> None:
    """Check that rows can be taken from a column of a type.

    Args:
        kind: the type.
        name: the name of the column, for messages.

    Raises:
        UsageError: Arrow cannot take rows from its layout, nor change it.
    """
    try:
        kept_column(pa.nulls(1, kind)).take(pa.array([0], pa.int64()))
    except (pa.ArrowException, TypeError, ValueError, NotImplementedError) as error:
        raise UsageError(f"keep: the column {name!r} is of type {kind}, which Arrow cannot take rows from") from error


def kept_column(values: Any) -> RowValues:
    """Return a column as rows of the type that it is kept as; see `kept_type`."""
    kind = values.type
    if isinstance(kind, pa.BaseExtensionType) and kept_type(kind) != kind:
        return kept_column(values.storage)
    if is_view(kind):
        return RowValues(values)
    if is_run_end_encoded(kind):
        inner = values.values
        return RowValues(inner if is_view(inner.type) else _kept_array(inner), run_indices(values))
    return RowValues(_kept_array(values))


def _kept_array(values: Any) -> Any:
    """Return an array as one of the type that it is kept as."""
    kind = kept_type(values.type)
    if kind == values.type:
        return values
    if isinstance(values.type, pa.BaseExtensionType):
        return _kept_array(values.storage)
    if pa.types.is_dictionary(kind):
        dictionary = values.dictionary.cast(kind.value_type)
        return pa.DictionaryArray.from_arrays(values.indices, dictionary, ordered=kind.ordered)
    return values.cast(kind)


def kept_type(kind: Any) -> Any:
    """Return the type that a column of a type is kept as: itself, unless Arrow cannot take rows from its layout.

    Views, as Polars gives its strings, become strings with offsets, in lists, structs and extension types too; runs
    become rows.
    """
    kinds = pa.types
    if isinstance(kind, pa.BaseExtensionType):
        storage = kept_type(kind.storage_type)
        return kind if storage == kind.storage_type else storage
    if str(kind) == "string_view":
        return pa.large_string()
    if str(kind) == "binary_view":
        return pa.large_binary()
    if is_run_end_encoded(kind):
        return kept_type(kind.value_type)
    if kinds.is_dictionary(kind):
        return pa.dictionary(kind.index_type, kept_type(kind.value_type), kind.ordered)
    if kinds.is_struct(kind):
        return pa.struct([_kept_field(kind.field(index)) for index in range(kind.num_fields)])
    if kinds.is_map(kind):
        return pa.map_(_kept_field(kind.key_field), _kept_field(kind.item_field), kind.keys_sorted)
    if kinds.is_fixed_size_list(kind):
        return pa.list_(_kept_field(kind.value_field), kind.list_size)
    if kinds.is_large_list(kind):
        return pa.large_list(_kept_field(kind.value_field))
    if kinds.is_list(kind):
        return pa.list_(_kept_field(kind.value_field))
    return kind


def _kept_field(field: Any) -> Any:
    return field.with_type(kept_type(field.type))
