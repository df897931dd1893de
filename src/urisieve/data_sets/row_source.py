"""The rows of many files with the same columns, and their keys."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate

from urisieve.data_sets.row_lines import RowGroup, column_line
from urisieve.data_sets.row_work import RowWork
from urisieve.dedupe.row_fields import Field, fields_of, first_name
from urisieve.dedupe.row_keys import RowFields
from urisieve.errors import InputError
from urisieve.lean.hints import Final
from urisieve.nearest import did_you_mean
from urisieve.runs.events import Message
from urisieve.sources.bytes.reading import source_name
from urisieve.sources.structured.broken_rows import PASSED_ON
from urisieve.sources.structured.row_blocks import RowBlock
from urisieve.sources.structured.row_files import read_row_blocks
from urisieve.sources.structured.row_reader import Row
from urisieve.sources.tables.table_header import column_index
from urisieve.sources.tables.tables import listed_columns
from urisieve.sources.tally import Tally
from urisieve.sources.unexpected import guarded

__all__ = ["RowSource", "missing_columns"]

# The number of rows, and of bytes of them, that are put together.
_TOGETHER: Final = 1_024
_TOGETHER_BYTES: Final = 1_048_576
# The number of names of fields that are remembered, to find the nearest of them.
_NAMES: Final = 1_000


class RowSource:
    """Reads rows of lines.

    Args:
        work: the shared parts of the run: its settings, the keys of rows, and the receiver of messages about columns.
        on_header: called with the header of the first file that has one, if `header` is not known.
        header: the line that names the columns, as returned by `column_line`, if the output holds it already.
    """

    def __init__(self, work: RowWork, *, on_header: Callable[[Row], None], header: bytes | None = None) -> None:
        self._settings = work.settings
        self._fields = work.settings.fields
        self._made_keys = work.keys.of
        self._on_event = work.on_event
        self._on_header = on_header
        self._header = header
        self._columns: Sequence[int] = ()  # those of the fields
        self._has_field = False
        self._names: dict[str, None] = {}  # of fields, until one of those asked for is seen

    def rows(
        self,
        path: str,
        tally: Tally,
        blocks: Iterable[bytes] | None = None,
        *,
        skip: int = 0,
        has_keys: bool = True,
    ) -> Iterator[RowGroup]:
        """Yield the rows of a file without its header, some at a time.

        Args:
            path: the file.
            tally: counts what is skipped and broken.
            blocks: its bytes, if they do not come from `path`.
            skip: the number of the first rows that are left out.
            has_keys: whether the keys are wanted; without them all are None.

        Raises:
            InputError: the file cannot be read, has another header than the files before it, or has none of the fields;
                the rows before that have been yielded.
        """
        waiting: deque[tuple[bytes, Sequence[int]]] = deque()  # rows whose keys are being made
        failed: InputError | None = None

        def fields() -> Iterator[RowFields]:
            nonlocal failed
            try:
                for data, bounds, found in self._unkeyed(path, tally, blocks, skip=skip, has_keys=has_keys):
                    waiting.append((data, bounds))
                    yield found
            except InputError as error:
                failed = error

        for keys in self._made_keys(path, fields()) if has_keys else (None for _ in fields()):
            data, bounds = waiting.popleft()
            yield RowGroup(data, bounds, [None] * (len(bounds) - 1) if keys is None else keys)
        if failed is not None:
            raise failed

    def _unkeyed(
        self, path: str, tally: Tally, blocks: Iterable[bytes] | None, *, skip: int, has_keys: bool
    ) -> Iterator[tuple[bytes, Sequence[int], RowFields]]:
        """Yield the bytes of rows, some at a time, the bounds of each, and their fields."""
        rows: list[bytes] = []
        fields: list[Sequence[Field] | None] = []
        size = 0
        failed: InputError | None = None
        found = self._found(path, tally, blocks)
        while True:
            try:
                one = next(found, None)
            except InputError as error:
                one, failed = None, error
            if isinstance(one, Row):
                if skip:
                    skip -= 1
                    continue
                rows.append(one.data)
                fields.append(self._fields_of(one) if has_keys else None)
                size += one.size
                if len(rows) < _TOGETHER and size < _TOGETHER_BYTES and one.data.endswith(b"\n"):
                    continue
            if rows:
                yield b"".join(rows), list(accumulate(map(len, rows), initial=0)), RowFields(fields)
                rows, fields, size = [], [], 0
            if failed is not None:
                raise failed
            if one is None:
                return
            if isinstance(one, RowBlock):
                self._has_field = True
                for start in range(min(skip, one.rows), one.rows, _TOGETHER):
                    part = one.part(start, min(start + _TOGETHER, one.rows))
                    yield part.data, part.bounds, RowFields(texts=part.fields)
                skip = max(0, skip - one.rows)

    def _found(self, path: str, tally: Tally, blocks: Iterable[bytes] | None) -> Iterator[Row | RowBlock]:
        settings = self._settings
        kind = str(settings.kind)
        rows = read_row_blocks(
            path,
            kind,
            settings.encoding,
            fields=self._fields,
            columns=lambda: self._columns,
            tally=tally,
            blocks=blocks,
            delimiter=settings.delimiter,
        )
        for row in guarded(rows, kind):
            if isinstance(row, Row):
                if row.is_header:
                    self._take_header(row, path)
                    continue
                if row.fault is not None:
                    PASSED_ON.report(tally, source_name(path), row.number, row.fault)
            yield row

    def _take_header(self, row: Row, path: str) -> None:
        fields = self._fields
        found = [column_index(field, row.names) for field in fields]
        if not any(index is not None for index in found):
            raise missing_columns(fields, row.names)
        # A column that is missing is behind the last one.
        self._columns = [len(row.names) if index is None else index for index in found]
        names = column_line(row)
        if self._header is None:
            for field, index in zip(fields, found, strict=True):
                if index is None:
                    text = f"{source_name(path)}: has no column {field!r}; the others are read"
                    self._on_event(Message(text + did_you_mean(field, row.names), is_error=True))
            self._header = names
            self._on_header(row)
        elif self._header not in (names, self._as_written(names)):
            raise InputError("has other columns than the file before it, or than the output that it is added to")

    def _as_written(self, header: bytes) -> bytes:
        """Return a header as the output has it."""
        if not self._settings.csv_safe:
            return header
        from urisieve.sinks.files.safe_cells import safe_rows

        return safe_rows(header, self._settings.delimiter)[0]

    def _fields_of(self, row: Row) -> Sequence[Field] | None:
        """Return the values in the fields of a row, None for one without content."""
        values = row.values
        if values is None:
            return None
        if self._settings.is_table:
            return [values[index : index + 1] for index in self._columns]
        if not self._has_field:
            self._has_field = any(_has(values, field) for field in self._fields)
            if isinstance(values, dict) and len(self._names) < _NAMES:
                self._names.update(dict.fromkeys(values))
        return fields_of(values, self._fields)

    def check_fields(self, *, has_grown: bool) -> None:
        """Raise the error for rows none of which has one of the fields.

        Args:
            has_grown: whether rows were added to an output in place.

        Raises:
            InputError: none of the rows whose key was asked for has one.
        """
        if not self._has_field:
            fields = " or ".join(map(repr, self._fields))
            near = did_you_mean(self._fields[0], self._names)
            left = (
                "rows without it were added to the output"
                if has_grown
                else "an output that is a file is left as it was"
            )
            raise InputError(f"no row has the field {fields}; {left}{near}")


def _has(values: object, field: str) -> bool:
    first = first_name(field)
    return first in ("", "*") or (isinstance(values, dict) and (field in values or first in values))


def missing_columns(fields: Sequence[str], columns: Sequence[str]) -> InputError:
    """Return the error for a file none of whose columns is one of the fields."""
    wanted = " or ".join(map(repr, fields))
    near = did_you_mean(fields[0], columns)
    return InputError(f"has no column {wanted}; {listed_columns(columns)}{near}")
