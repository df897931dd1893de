"""Parquet as output: what comes as JSON lines is written as a table."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import nullcontext, suppress
from types import TracebackType
from typing import Any

from urisieve.cli.outputs import Output
from urisieve.data_sets.parquet_files import arrow
from urisieve.errors import OutputError

__all__ = ["ParquetLines", "Sink"]

_TOGETHER = 65_536
_INTEGERS = frozenset(
    ("schema", "start", "end", "line", "column", "byte_start", "byte_end", "count", "sources", "spellings",
     "first_start", "first_message", "first_row", "last_start", "last_message", "last_row", "message", "row")
)  # fmt: skip
_LISTS = frozenset(("warnings", "alternatives", "raws"))
_TRUTHS = frozenset(("new",))


class ParquetLines(Output):
    """Takes JSON lines with fields of these names and writes them to another output as a Parquet file, in row groups.

    Raises:
        UsageError: pyarrow is not installed.
    """

    def __init__(self, output: Output, names: Iterable[str]) -> None:
        super().__init__(-1, "Parquet")
        self._arrow, self._parquet = arrow()
        self._output = output
        self._lines: list[bytes] = []
        self._writer: Any = None
        self._schema = self._arrow.schema([(name, self._kind(name)) for name in names])

    def write(self, data: bytes) -> None:
        """Take whole lines."""
        self._lines += data.splitlines()
        if len(self._lines) >= _TOGETHER:
            self._flush()

    def _flush(self) -> None:
        rows = [json.loads(line, object_hook=_valid if b"\\ud" in line else None) for line in self._lines]
        self._lines.clear()
        pa = self._arrow
        try:
            if self._writer is None:
                self._writer = self._parquet.ParquetWriter(Sink(self._output), self._schema, compression="zstd")
            self._writer.write_table(pa.Table.from_pylist(rows, schema=self._schema))
        except pa.ArrowException as error:
            raise OutputError(f"Parquet: {error}") from error

    def _kind(self, name: str) -> Any:
        pa = self._arrow
        if name in _INTEGERS:
            return pa.int64()
        if name in _LISTS:
            return pa.list_(pa.string())
        return pa.bool_() if name in _TRUTHS else pa.string()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None:
            self._flush()
        if self._writer is not None:
            with suppress(Exception) if kind is not None else nullcontext():  # the first error counts
                self._writer.close()


def _valid(row: dict[str, Any]) -> dict[str, Any]:
    """A row as Arrow can hold it: halves of surrogate pairs have no UTF-8."""
    return {name: _without_halves(value) for name, value in row.items()}


def _without_halves(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_halves(item) for item in value]
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


class Sink:
    """An output as pyarrow wants files."""

    closed = False

    def __init__(self, output: Output) -> None:
        self._output = output
        self._place = 0

    def write(self, data: Any) -> int:
        """Write bytes or a buffer."""
        data = bytes(data)
        self._output.write(data)
        self._place += len(data)
        return len(data)

    def tell(self) -> int:
        """How many bytes were written."""
        return self._place

    def writable(self) -> bool:
        """Yes."""
        return True

    def flush(self) -> None:
        """Nothing waits here."""

    def close(self) -> None:
        """Nothing more comes; the output stays open."""
        self.closed = True
