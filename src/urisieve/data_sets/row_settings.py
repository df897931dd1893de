"""The settings of the deduplication of rows."""

from __future__ import annotations

from enum import StrEnum

from urisieve.dedupe.deduplicate import Keep
from urisieve.lean.hints import Final
from urisieve.lean.values import NamedTuple
from urisieve.options import Options

__all__ = ["DROPPED", "KEPT", "DataSetKind", "RowSettings"]

# The choices for rows without a key, other than a file of their own.
KEPT: Final = "keep"
DROPPED: Final = "drop"


class DataSetKind(StrEnum):
    """The format of the rows of a data set.

    >>> from urisieve import DataSetKind
    >>> DataSetKind("csv") is DataSetKind.CSV
    True
    """

    JSONL = "jsonl"
    """One JSON value a line (RFC 8259)."""
    CSV = "csv"
    """Cells between commas (RFC 4180), of which the first row names the columns."""
    TSV = "tsv"
    """The same with tabs."""
    PARQUET = "parquet"
    """Apache Parquet; needs `pip install 'urisieve[parquet]'`."""


class RowSettings(NamedTuple):
    """Settings of a run over rows.

    Attributes:
        paths: the input files, in this order; `-` for standard input.
        fields: the fields that hold identifiers; a name with dots leads into nested rows.
        kind: how rows are written.
        output: the file of the rows that stay; `-` for standard output.
        keep: which row with a key stays.
        by: the part of an identifier that decides; see `RowKeys`.
        unmatched: `keep` or `drop` for rows without a key, or the path of a file for them.
        options: how identifiers are judged and normalized.
        encoding: the encoding of the text; UTF-8 for None.
        store: the file of the keys of earlier runs, to which those of this run are added.
        memory_limit: the number of bytes that keys may take in memory; None for no limit.
        folder: the folder of temporary files; that of `tempfile` for None.
        checkpoint: the file that notes the progress of the run.
        command: a digest of the command that a checkpoint belongs to; see `command_digest`.
        traces: whether messages about unexpected exceptions include the traceback.
        csv_safe: whether cells that a spreadsheet would run are made harmless; see `SafeCells`.
    """

    paths: tuple[str, ...]
    fields: tuple[str, ...]
    kind: DataSetKind
    output: str
    keep: Keep = Keep.FIRST
    by: str = "key"
    unmatched: str = KEPT
    options: Options | None = None
    encoding: str | None = None
    store: str | None = None
    memory_limit: int | None = None
    folder: str | None = None
    checkpoint: str | None = None
    command: str = ""
    traces: bool = False
    csv_safe: bool = False

    @property
    def delimiter(self) -> str:
        """The character between the cells of a table: `,` or a tab."""
        return "," if self.kind is DataSetKind.CSV else "\t"

    @property
    def cache(self) -> int | None:
        """The number of bytes of a store that are kept in memory; None for the default of `Store`."""
        return None if self.memory_limit is None else self.memory_limit // 4
