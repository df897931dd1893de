"""The rows of many files with the same columns, and their keys.

It also defines:

- rows as they are, written to one output, and rows without a key to another.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, compress, pairwise

from urisieve.data_sets.row_work import RowWork
from urisieve.dedupe.deduplicate import Field, RowFields, fields_of, first_name
from urisieve.errors import InputError
from urisieve.lean import Final, NamedTuple
from urisieve.runs.events import Message
from urisieve.sinks.byte_output import Output, OutputOnto
from urisieve.sources.bytes.reading import source_name
from urisieve.sources.reading_options import column_index
from urisieve.sources.structured.row_files import RowBlock, read_row_blocks
from urisieve.sources.structured.row_reader import PASSED_ON, Row
from urisieve.sources.structured.tables import listed_columns
from urisieve.sources.tally import Tally, guarded
from urisieve.wording import did_you_mean

# The decisions about a row; one that is dropped has 0.
STAYS: Final = 1
UNMATCHED: Final = 2
# Marks of which only one decision is left.
_WITH_KEY: Final = bytes(mark == STAYS for mark in range(256))
_WITHOUT_KEY: Final = bytes(mark == UNMATCHED for mark in range(256))


class RowGroup(NamedTuple):
    """Rows one after the other.

    Attributes:
        data: the bytes that contain them, with the ends of their lines.
        bounds: the offset of each row, and the end of the last.
        keys: the key of each; None for a row without one.
    """

    data: bytes
    bounds: Sequence[int]
    keys: Sequence[str | None]

    @property
    def size(self) -> int:
        """The number of bytes of the rows."""
        return self.bounds[-1] - self.bounds[0]

    def first(self, count: int) -> RowGroup:
        """Return the first rows."""
        return RowGroup(self.data, self.bounds[: count + 1], self.keys[:count])

    def marks(self, is_new: bytes) -> bytes:
        """Return the decision about each row; `is_new` has a byte for each row with a key, 1 if it stays."""
        if len(is_new) == len(self.keys):
            return is_new
        decided = iter(is_new)
        return bytes(UNMATCHED if key is None else next(decided) for key in self.keys)

    def chosen(self, marks: bytes) -> list[bytes]:
        """Return the rows whose mark is not 0: each of them, or all in one."""
        if all(marks) and BOM_UTF8 not in self.data:
            return [self.data[self.bounds[0] : self.bounds[-1]]]
        return [self.data[start:end] for start, end in compress(pairwise(self.bounds), marks)]


def column_line(row: Row) -> bytes:
    """Return the line of a header, without the parts that may differ from file to file."""
    return row.data.strip().removeprefix(BOM_UTF8)


class RowLines:
    """Writes rows of lines.

    A line without an end gets one if another follows; a byte order mark stays only at the start of the output.

    Args:
        output: the output of the rows that stay.
        others: the output of the rows without a key, if they have one of their own.
        is_begun: whether `output` already contains complete lines.
    """

    def __init__(self, output: Output, others: Output | None, *, is_begun: bool = False) -> None:
        self._output = output
        self._others = others
        self._is_begun = is_begun
        self._is_open = False  # the last line written has no end

    def put_header(self, row: Row) -> None:
        """Write the header, to both outputs."""
        self.put((row.data,))
        if self._others is not None:
            self._others.write(row.data)

    def put(self, rows: Sequence[bytes]) -> None:
        """Write rows that stay; none but the last is without an end."""
        data = b"".join(rows)
        if self._is_begun and BOM_UTF8 in data:
            data = b"".join([row.removeprefix(BOM_UTF8) for row in rows])
        if data:
            self._output.write(b"\n" + data if self._is_open else data)
            self._is_begun = True
            self._is_open = not data.endswith(b"\n")

    def put_marked(self, rows: RowGroup, marks: bytes, *, keeps_unmatched: bool) -> None:
        """Write those rows that stay, and those without a key with them, or to the output for such rows.

        Args:
            rows: the rows.
            marks: the decision about each.
            keeps_unmatched: whether rows without a key stay.
        """
        if not keeps_unmatched and UNMATCHED in marks:
            if self._others is not None:
                for row in rows.chosen(marks.translate(_WITHOUT_KEY)):
                    self._others.write(row if row.endswith(b"\n") else row + b"\n")
            marks = marks.translate(_WITH_KEY)
        self.put(rows.chosen(marks))


class JsonArray(OutputOnto):
    """Writes elements of an array of JSON, as `array_rows` returns them, as one array.

    Args:
        output: the output.
    """

    def __init__(self, output: Output) -> None:
        super().__init__(output)
        self._begin = b"[\n"

    def write(self, data: bytes) -> None:
        """Write whole elements; see `Output.write`."""
        self.output.write(self._begin + data.removesuffix(b",\n"))
        self._begin = b",\n"

    def finish(self) -> None:
        """Write the end of the array."""
        self.output.write(b"[]\n" if self._begin == b"[\n" else b"\n]\n")


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
        header: the line that names the columns, as returned by `column_line`, if the output contains it already.
    """

    def __init__(self, work: RowWork, *, on_header: Callable[[Row], None], header: bytes | None = None) -> None:
        self._settings = work.settings
        self._fields = work.settings.fields
        self._made_keys = work.keys
        self._on_event = work.on_event
        self._on_header = on_header
        self._header = header
        self._columns: Sequence[int] = ()  # those of the fields
        self._has_field = False
        self._names: dict[str, None] = {}  # of fields, until one of those asked for is seen
        self._rows: list[bytes] = []  # that wait to be put together, with their fields
        self._row_fields: list[Sequence[Field] | None] = []

    def rows(
        self, path: str, tally: Tally, blocks: Iterable[bytes] | None = None, *, skip: int = 0, has_keys: bool = True
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
                failed = error.with_traceback(None)  # which refers to the frame of `failed`

        for keys in self._made_keys.of(path, fields()) if has_keys else (None for _ in fields()):
            data, bounds = waiting.popleft()
            yield RowGroup(data, bounds, [None] * (len(bounds) - 1) if keys is None else keys)
        if failed is not None:
            raise failed

    def waiting(self) -> RowGroup | None:
        """Return the rows that have been read and wait for others, at a pause of the input; None if there are none."""
        if not self._rows:
            return None
        data, bounds, fields = self._together()
        return RowGroup(data, bounds, self._made_keys.keys.of(fields))

    def _together(self) -> tuple[bytes, Sequence[int], RowFields]:
        rows, fields = self._rows, self._row_fields
        self._rows, self._row_fields = [], []
        return b"".join(rows), list(accumulate(map(len, rows), initial=0)), RowFields(fields)

    def _unkeyed(
        self, path: str, tally: Tally, blocks: Iterable[bytes] | None, *, skip: int, has_keys: bool
    ) -> Iterator[tuple[bytes, Sequence[int], RowFields]]:
        """Yield the bytes of rows, some at a time, the bounds of each, and their fields."""
        size = 0
        failed: InputError | None = None
        found = self._found(path, tally, blocks)
        while True:
            try:
                one = next(found, None)
            except InputError as error:
                one, failed = None, error.with_traceback(None)
            if isinstance(one, Row):
                if skip:
                    skip -= 1
                    continue
                size = size + one.size if self._rows else one.size
                self._rows.append(one.data)
                self._row_fields.append(self._fields_of(one) if has_keys else None)
                if len(self._rows) < _TOGETHER and size < _TOGETHER_BYTES and one.data.endswith(b"\n"):
                    continue
            if self._rows:
                yield self._together()
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
        form = self._settings.form._replace(blocks=blocks)
        rows = read_row_blocks(path, form, fields=self._fields, columns=lambda: self._columns, tally=tally)
        above = b""
        for row in guarded(rows, form.kind):
            if isinstance(row, Row):
                if row.is_above:
                    above += row.data
                    continue
                if row.is_header:
                    if self._header is not None:  # as the header itself, they are passed on of the first file
                        for _ in above.splitlines():
                            tally.skip("line", "above-a-header")
                    self._take_header(row, path, above)
                    continue
                if row.fault is not None:
                    PASSED_ON.report(tally, source_name(path), row.number, row.fault)
            yield row

    def _take_header(self, row: Row, path: str, above: bytes) -> None:
        fields = self._fields
        found = [column_index(field, row.names) for field in fields]
        if not any(index is not None for index in found):
            raise missing_columns(fields, row.names)
        # A column that is missing is after the last one.
        self._columns = [len(row.names) if index is None else index for index in found]
        names = column_line(row)
        if self._header is None:
            for field, index in zip(fields, found, strict=True):
                if index is None:
                    text = f"{source_name(path)}: has no column {field!r}; the others are read"
                    self._on_event(Message(text + did_you_mean(field, row.names), is_error=True))
            self._header = names
            self._on_header(row._replace(data=above + row.data))
        elif self._header not in (names, self._settings.cells.rows(names, self._settings.delimiter)):
            raise InputError("has other columns than the file before it, or than the output that it is added to")

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
