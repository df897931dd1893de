"""Keys with their rows: the product of a worker if each key counts once, and the output of the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from urisieve.lean.hints import TYPE_CHECKING, Any, Final, Protocol
from urisieve.lean.values import NamedTuple
from urisieve.records.batch import COLUMNS, Batch
from urisieve.runs.run_steps import batch_size
from urisieve.sinks.files.outputs import Output
from urisieve.sinks.formats import (
    Format,
    FormatSettings,
    RecordFormat,
    ended_lines,
    is_plain_text,
    key_column,
    record_format,
    rejection_lines,
)

if TYPE_CHECKING:
    from urisieve.sinks.arrow_tables import RecordTable

__all__ = [
    "FirstShare",
    "KeyedRows",
    "RememberedKeys",
    "RowOutput",
    "Rows",
    "first_share",
    "needed_columns",
    "row_output",
    "tally_share",
]

# Rows as they are to be written: lines, or a batch; None if the keys are the whole rows.
Rows = list[bytes] | Batch | None
# The number of keys that a process which shares the work remembers, so that it hands over few of them twice.
_REMEMBERED: Final = 262_144
# The approximate number of bytes of a key between processes.
_KEY_LENGTH: Final = 64
_NEW: Final = "new"
_OLD: Final = "old"


class RememberedKeys:
    """The keys of which an identifier has been seen.

    Args:
        most: how many are remembered; then all are forgotten. None for no bound.
    """

    def __init__(self, most: int | None = None) -> None:
        self._keys: set[str] = set()
        self._most = most

    def __len__(self) -> int:
        return len(self._keys)

    def unseen(self, keys: Sequence[str]) -> list[str]:
        """The keys that come for the first time, each once."""
        seen = self._remembered()
        new = [key for key in dict.fromkeys(keys) if key not in seen]
        seen.update(new)
        return new

    def unseen_indices(self, keys: Sequence[str]) -> list[int]:
        """The indices of the keys that come for the first time."""
        seen = self._remembered()
        indices = []
        for index, key in enumerate(keys):
            if key not in seen:
                seen.add(key)
                indices.append(index)
        return indices

    def _remembered(self) -> set[str]:
        if self._most is not None and len(self._keys) > self._most:
            self._keys.clear()
        return self._keys


class KeyedRows(NamedTuple):
    """Keys, each with its row, its count and its source.

    Attributes:
        keys: the keys.
        rows: the record of each key as it is to be written.
        counts: the number of occurrences of each key; None if each occurred once.
        sources: the source in which each key was seen first; None if not known.
        rejections: the rejections among them, as they are to be written.
    """

    keys: Sequence[str]
    rows: Rows
    counts: Sequence[int] | None = None
    sources: Sequence[str | None] | None = None
    rejections: bytes = b""


def needed_columns(settings: FormatSettings) -> frozenset[str]:
    """Return the columns that the rows of a format and their keys need."""
    if settings.kind is Format.PARQUET:
        if not settings.named:
            return frozenset(COLUMNS)
        from urisieve.sinks.output_fields.field_table import columns_of

        return columns_of(settings.named)
    return record_format(settings).columns | {"key"}


class _RowMaker:
    """Makes the rows of a batch."""

    def __init__(self, settings: FormatSettings) -> None:
        self.mask = settings.mask
        self.key_mask = self.mask.of_keys()
        self._format: RecordFormat | None = None
        self._is_plain = is_plain_text(settings)
        self.key = key_column(settings)
        if settings.kind is not Format.PARQUET:
            self._format = record_format(settings)

    def rows(self, batch: Batch, keys: Sequence[str], indices: Sequence[int]) -> Rows:
        """Return the rows at some indices; `keys` are those of these rows."""
        if self._format is None:
            return self.mask.batch(batch).select(indices)
        is_plain = self._is_plain and batch.column("key") is batch.column("uri") and not batch.warned()
        if is_plain and not self.mask.may_change(batch):
            return None
        rows = self._format.each(batch, indices)
        return None if self._is_plain and rows == list(map(_line, keys)) else rows


def _line(key: str) -> bytes:
    return ended_lines((key,))


class _KeyedShare:
    """The share of a worker; derived classes define its product."""

    def __init__(self, settings: FormatSettings) -> None:
        self._maker = _RowMaker(settings)
        self._rejects = settings.rejects
        self._settings = settings

    def flush(self) -> None:
        """Return nothing: all was handed over."""

    def size(self, product: KeyedRows, /) -> int:
        """Return about how many bytes a product takes."""
        rows = product.rows
        length = _KEY_LENGTH * len(product.keys) + len(product.rejections)
        if isinstance(rows, Batch):
            return length + batch_size(rows)
        return length + sum(map(len, rows or ()))

    def _rejections(self, batch: Batch) -> bytes:
        if not self._rejects or not batch.rejections:
            return b""
        return rejection_lines(batch, self._maker.mask, parts=self._settings.parts)


class FirstShare(_KeyedShare):
    """Hands over each key once, as far as it is remembered."""

    def __init__(self, settings: FormatSettings) -> None:
        super().__init__(settings)
        self._seen = RememberedKeys(_REMEMBERED)

    def take(self, batch: Batch, /) -> KeyedRows:
        """Return the keys of a batch that this worker has not handed over, with their rows."""
        every = batch.column(self._maker.key)
        indices = self._seen.unseen_indices(every)
        keys = [every[index] for index in indices]
        return KeyedRows(keys, self._maker.rows(batch, keys, indices), rejections=self._rejections(batch))


class _TallyShare(_KeyedShare):
    """Hands over each key of a batch once, with its first record, its count and its source; passwords are masked.

    A batch has one source, so that only the source of the first occurrence is known.
    """

    def take(self, batch: Batch, /) -> KeyedRows:
        """Return the keys of a batch, with their rows."""
        numbers: dict[str, int] = {}
        firsts: list[int] = []
        for index, key in enumerate(self._maker.key_mask.batch(batch).column("key")):
            if key in numbers:
                numbers[key] += 1
            else:
                numbers[key] = 1
                firsts.append(index)
        keys = list(numbers)
        every = batch.column("source")
        name = self._maker.mask.name
        sources = [every[index] and name(every[index]) for index in firsts]
        return KeyedRows(keys, self._maker.rows(batch, keys, firsts), list(numbers.values()), sources)


def first_share(settings: FormatSettings) -> Callable[[], FirstShare]:
    """Return a function that makes the share of a worker that looks for first occurrences; it can be pickled."""
    return partial(FirstShare, settings)


def tally_share(settings: FormatSettings) -> Callable[[], _TallyShare]:
    """Return a function that makes the share of a worker that counts keys for a store; it can be pickled."""
    return partial(_TallyShare, settings)


class RowOutput(Protocol):
    """The output of the rows of keys."""

    def begin(self) -> None:
        """Write the header, once."""

    def write(self, keys: Sequence[str], rows: Rows, indices: Sequence[int], new: set[int] | None = None) -> None:
        """Write the rows at some indices; `new` holds those to be marked as new, None for no marks."""

    def close(self) -> None:
        """Complete the output."""

    def discard(self) -> None:
        """Close an output that will not be used; after `close` it does nothing."""


def row_output(output: Output, settings: FormatSettings, *, marks: bool = False, is_fresh: bool = True) -> RowOutput:
    """Return a writer of the rows of keys.

    Args:
        output: the output of the rows.
        settings: how they are written.
        marks: whether each row has a mark that says whether it is new.
        is_fresh: whether the output is still empty, so that the header of a table is written.
    """
    if settings.kind is Format.PARQUET:
        from urisieve.sinks.arrow_tables import RecordTable

        return _ArrowRows(RecordTable(output, settings.named, mask=settings.mask, marks=marks))
    return _ByteRows(output, settings, marks=marks, is_fresh=is_fresh)


class _ByteRows:
    def __init__(self, output: Output, settings: FormatSettings, *, marks: bool, is_fresh: bool) -> None:
        self._output = output
        self._kind = settings.kind
        header = record_format(settings).header if is_fresh else b""
        self._header = _with_cell(header, self._kind, b"new") if header and marks else header

    def begin(self) -> None:
        """See `RowOutput.begin`."""
        if self._header:
            self._output.write(self._header)
            self._header = b""

    def write(self, keys: Sequence[str], rows: Rows, indices: Sequence[int], new: set[int] | None = None) -> None:
        """See `RowOutput.write`."""
        if not indices:
            return
        self.begin()
        if rows is None and new is None:
            self._output.write(ended_lines([keys[index] for index in indices]))
            return
        lines: Any = list(map(_line, keys)) if rows is None else rows
        if new is None:
            self._output.write(b"".join([lines[index] for index in indices]))
        else:
            self._output.write(b"".join([_marked(lines[index], index in new, self._kind) for index in indices]))

    def close(self) -> None:
        """See `RowOutput.close`."""
        self.begin()

    def discard(self) -> None:
        """See `RowOutput.discard`."""


class _ArrowRows:
    def __init__(self, table: RecordTable) -> None:
        self._table = table

    def begin(self) -> None:
        """See `RowOutput.begin`."""

    def write(self, keys: Sequence[str], rows: Rows, indices: Sequence[int], new: set[int] | None = None) -> None:
        """See `RowOutput.write`."""
        del keys
        assert isinstance(rows, Batch)
        if indices:
            marks = None if new is None else [index in new for index in indices]
            self._table.write(rows if len(indices) == len(rows) else rows.select(indices), marks)

    def close(self) -> None:
        """See `RowOutput.close`."""
        self._table.close()

    def discard(self) -> None:
        """See `RowOutput.discard`."""
        self._table.give_up()


def _marked(line: bytes, is_new: bool, kind: Format) -> bytes:
    """Return the line of a record with a mark that says whether it is new."""
    if kind is Format.TEXT:
        return f"{_NEW if is_new else _OLD}\t".encode() + line
    value = b"true" if is_new else b"false"
    if kind is Format.JSONL:
        return line[: line.rindex(b"}")] + b',"new":' + value + b"}\n"
    return _with_cell(line, kind, value)


def _with_cell(line: bytes, kind: Format, value: bytes) -> bytes:
    text = line.rstrip(b"\r\n")
    return text + (b"\t" if kind is Format.TSV else b",") + value + line[len(text) :]
