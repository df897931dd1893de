"""`Extractor`: Arrow batches of rows with text in, Arrow batches of the identifiers in them out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from operator import index

from urisieve import shapes
from urisieve.arrow import table_batches, text_columns
from urisieve.arrow.row_sieve import FoundRows, RowSieve, joined_rows
from urisieve.dedupe.signature import SentSignature, check_key_signature, key_signature
from urisieve.errors import UsageError
from urisieve.finding_options import Options, checked
from urisieve.lean import Any, Final
from urisieve.records.base import CONTEXT_NAMES
from urisieve.records.field_table import import_arrow, pa
from urisieve.records.mask import drawn_mask
from urisieve.wording import did_you_mean

# The version of the columns below: a change to the name, type or meaning of one raises it.
ARROW_SCHEMA_VERSION: Final = 1
# The columns of identifiers, and those that rejected candidates have in addition.
ARROW_COLUMNS: Final = ("source", "start", "end", "raw", "uri", "key", "scheme", "host", "warnings")
REJECTED_COLUMNS: Final = ("reason", "component", "offset", "section")
# Those on request: the time of the line in the text of the row.
_TIMES: Final = ("time", "time_written")
_INSTEAD: Final = (
    "name the column that has it in keep=; of mail in files the command, and in Spark the data source, has it"
)
_NUMBERS: Final = frozenset(("start", "end", "offset"))


class Extractor:
    """Finds the identifiers in a column of Arrow batches: a function from batches to batches that engines can call.

    Each row is a text of its own; `start` and `end` count characters from its beginning, from 0. The rows come in the
    order of the texts. Nulls, invalid UTF-8 and rows of any size are taken; a byte that does not decode is one
    character, which is in no identifier. It can be pickled, with its secret and with the signature of its keys: a
    process whose urisieve or plug-ins would make other keys refuses to load it.

    >>> import pyarrow as pa
    >>> from urisieve.arrow import Extractor
    >>> extractor = Extractor(text="body", keep=["id"], columns=["start", "uri", "host"])
    >>> mails = pa.table({"id": [7, 8], "body": ["see http://EXAMPLE.com/a and urn:isbn:0-395-36341-1", None]})
    >>> for batch in extractor(mails):
    ...     print(batch.to_pylist())
    [{'id': 7, 'start': 4, 'uri': 'http://example.com/a', 'host': 'example.com'}, \
{'id': 7, 'start': 29, 'uri': 'urn:isbn:0395363411', 'host': None}]

    Args:
        text: the name of the column that is searched: strings or bytes in UTF-8, in any layout.
        source: the name of a column of strings whose value becomes `source`, as it is given; bytes that do not decode
            are escaped. None leaves it null.
        keep: the names of columns that are repeated before the others, for each identifier that its row has, as they
            are given: a password in them is not masked.
        columns: the columns to make, in this order; by default `ARROW_COLUMNS`, with `rejected` also
            `REJECTED_COLUMNS`. If they are named, also `time` and `time_written`, those of `Record` for the line in the
            text of the row.
        rejected: whether candidates that are not valid are rows, too: with a null in `uri` and a `reason`.
        options: what to find and how far to normalize.
        secret: passwords are masked: `***` in `raw` and `uri`, and a digest by this secret in `key`; see `new_secret`.
            By default one is drawn here. Give the same one again to get the same keys in another run.
        batch_size: the most rows of a batch.

    Raises:
        UsageError: pyarrow is not installed, or an argument is not valid.
    """

    def __init__(
        self,
        *,
        text: str = "text",
        source: str | None = None,
        keep: Sequence[str] = (),
        columns: Sequence[str] | None = None,
        rejected: bool = False,
        options: Options | None = None,
        secret: bytes | None = None,
        batch_size: int = 16_384,
    ) -> None:
        import_arrow()
        self._text = shapes.text("text", text)
        shapes.check(source=source, rejected=rejected)
        self._source = source
        self._keep = _names(keep, "keep")
        self._rejected = rejected
        known = (*ARROW_COLUMNS, *REJECTED_COLUMNS) if rejected else ARROW_COLUMNS
        self._columns = known if columns is None else _names(columns, "columns")
        known = (*known, *_TIMES)
        for name in self._columns:
            if name in CONTEXT_NAMES and name not in _TIMES:
                raise UsageError(f"columns: a row of text has no {name!r}: {_INSTEAD}")
            if name not in known:
                near = did_you_mean(name, known)
                raise UsageError(f"columns: there is no column {name!r}{near}; there are {', '.join(known)}")
        for name in self._keep:
            if name in self._columns:
                raise UsageError(f"keep: {name!r} is the name of a column that is made: rename the one of the batches")
        if not (self._columns or self._keep):
            raise UsageError("columns=[] makes batches without a column: name one, or name one to keep by keep=")
        try:
            self._rows = index(batch_size)
        except TypeError:
            self._rows = 0
        if self._rows < 1:
            raise shapes.wrong("batch_size", batch_size, "an integer of at least 1")
        self._options = checked(options)
        self._mask = drawn_mask(secret)
        self._made = {name: _kind(name) for name in self._columns}

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that are made, in their order."""
        return self._columns

    @property
    def options(self) -> Options:
        """The options: what to find and how far to normalize."""
        return self._options

    @property
    def signature(self) -> str:
        """All that decides the keys, as text; see `urisieve.dedupe.key_signature`."""
        return key_signature(self._options)

    def schema(self, given: Any) -> Any:
        """Return the schema of the batches that are made of batches of a schema.

        Its metadata has `urisieve.schema`, the version of the columns, and `urisieve.keys`, the signature of the keys.

        Args:
            given: the `pyarrow.Schema` of the batches that will be searched, or something that has one, as a table.

        Raises:
            UsageError: a column that was named is not there, is not text, or cannot be kept.
        """
        given = table_batches.schema_of(given)
        for name in (self._text,) if self._source is None else (self._text, self._source):
            text_columns.check_text_type(given.field(_index(given, name)).type, name)
        fields = [given.field(_index(given, name)) for name in self._keep]
        for field in fields:
            table_batches.check_kept_type(field.type, field.name)
        kept = [field.with_type(table_batches.kept_type(field.type)) for field in fields]
        made = [pa.field(name, kind) for name, kind in self._made.items()]
        about = {"urisieve.schema": str(ARROW_SCHEMA_VERSION), "urisieve.keys": self.signature}
        return pa.schema([*kept, *made], metadata=about)

    def __call__(self, batches: Any) -> Iterator[Any]:
        """Return an iterator over the identifiers of some batches, as batches.

        The batches are read as they are needed. Columns are checked by this call itself where the schema is known (a
        `RecordBatch`, a `Table`, a `RecordBatchReader`), otherwise when a batch is read.

        Args:
            batches: a `pyarrow.RecordBatch`, a `pyarrow.Table`, an object with `__arrow_c_stream__`, as the relations
                and frames of other engines have, or an iterable of these.

        Returns:
            an iterator over `pyarrow.RecordBatch` objects with at most `batch_size` rows, and fewer where columns that
            are kept are large.

        Raises:
            UsageError: these are not batches, or a column that was named is not there, is not text, or cannot be kept.
        """
        table_batches.check_batches(batches)
        schema = table_batches.known_schema(batches)
        if schema is not None:
            self.schema(schema)
        return self._found(batches)

    def _found(self, batches: Any) -> Iterator[Any]:
        """Yield the identifiers of some batches."""
        sieve = RowSieve(self._options, self._made, self._mask, rejected=self._rejected)
        waiting = table_batches.WaitingBatches(self._rows)
        given = schema = None
        for batch in table_batches.each_batch(batches):
            if schema is None or not batch.schema.equals(given, check_metadata=True):
                given, schema = batch.schema, self.schema(batch.schema)
            text = text_columns.text_column(self._column(batch, self._text), self._text)
            kept = [table_batches.kept_column(self._column(batch, name)) for name in self._keep]
            source = None
            if self._source is not None and "source" in self._made:
                source = text_columns.text_column(self._column(batch, self._source), self._source)
            for joined in joined_rows(text):
                for found in sieve.found(joined):
                    yield from waiting.take(self._batches(found, kept, source, schema))
        yield from waiting.rest()

    def reader(self, batches: Any, *, schema: Any = None) -> Any:
        """Return the identifiers of some batches as a `pyarrow.RecordBatchReader`.

        Engines take it as a table that is read once, as it is needed. Its schema is known even if nothing is found.

        >>> import pyarrow as pa
        >>> from urisieve.arrow import Extractor
        >>> found = Extractor(columns=["uri", "start"]).reader(pa.table({"text": ["nothing here"]}))
        >>> found.schema.names, found.read_all().num_rows
        (['uri', 'start'], 0)

        Args:
            batches: as for a call.
            schema: the `pyarrow.Schema` of the batches, or something that has one, where they are an iterable that has
                none and may be empty; by default the first batch of such an iterable is read at once. The columns of
                a batch that has other types are changed to those of the schema where nothing is lost by it.

        Raises:
            UsageError: as for a call, or there is neither a batch nor a schema; when it is read: a column of a batch
                does not fit the schema.
        """
        table_batches.check_batches(batches)
        given = table_batches.with_schema(batches)
        schema = table_batches.known_schema(given) if schema is None else table_batches.schema_of(schema)
        if schema is None:
            each = table_batches.each_batch(given)
            first = next(each, None)
            if first is None:
                raise UsageError(
                    "there are no batches, so no schema: give a Table or a RecordBatchReader, which has one"
                )
            schema, given = first.schema, chain((first,), each)
        declared = self.schema(schema)
        return pa.RecordBatchReader.from_batches(
            declared, (table_batches.as_declared(batch, declared) for batch in self(given))
        )

    def _batches(
        self, found: FoundRows, kept: list[text_columns.RowValues], source: text_columns.RowValues | None, schema: Any
    ) -> Iterator[Any]:
        """Yield some found rows next to the columns that are kept."""
        for start, count in table_batches.rows_at_once(kept if source is None else [*kept, source], found.rows):
            rows = found.rows.slice(start, count)
            made = {name: values.slice(start, count) for name, values in found.columns.items()}
            if "source" in self._made:
                made["source"] = (
                    pa.nulls(count, pa.string()) if source is None else text_columns.valid_strings(source.take(rows))
                )
            arrays = [*(column.take(rows) for column in kept), *(made[name] for name in self._columns)]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    def _column(self, batch: Any, name: str) -> Any:
        return batch.column(_index(batch.schema, name))

    def __reduce__(self) -> tuple[Any, ...]:
        state = {name: value for name, value in vars(self).items() if name != "_made"}  # it has types of pyarrow
        return _restored, (SentSignature(self.signature), state)


def _restored(keys: str, state: dict[str, Any]) -> Extractor:
    """Return an extractor in another process, if its keys are the same there."""
    check_key_signature(keys, state["_options"])
    import_arrow()
    extractor = Extractor.__new__(Extractor)
    vars(extractor).update(state, _made={name: _kind(name) for name in state["_columns"]})
    return extractor


def _names(names: Sequence[str], what: str) -> tuple[str, ...]:
    listed = tuple(shapes.names(what, names))
    if len(set(listed)) < len(listed):
        raise UsageError(f"{what}={list(listed)!r} names a column twice")
    return listed


def _kind(name: str) -> Any:
    if name == "warnings":
        return pa.list_(pa.string())
    return pa.int64() if name in _NUMBERS else pa.string()


def _index(schema: Any, name: str) -> int:
    """Return the index of the one column of a name."""
    indices = schema.get_all_field_indices(name)
    if len(indices) != 1:
        found = "there is no column" if not indices else "there are several columns"
        raise UsageError(f"{found} {name!r}{did_you_mean(name, schema.names)}; there are {', '.join(schema.names)}")
    return int(indices[0])
