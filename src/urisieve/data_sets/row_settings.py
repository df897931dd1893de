"""The settings of the deduplication of rows."""

from __future__ import annotations

from urisieve.dedupe.deduplicate import Keep
from urisieve.lean import Final, NamedTuple
from urisieve.options import Options
from urisieve.sinks.files.safe_cells import Cells
from urisieve.sources.reading_options import DataSetKind

# The choices for rows without a key, other than a file of their own.
KEPT: Final = "keep"
DROPPED: Final = "drop"


class RowSettings(NamedTuple):
    """Settings of a run over rows.

    Attributes:
        paths: the input files, in this order; `-` for standard input.
        fields: the fields that hold identifiers; a name with dots leads into nested rows.
        kind: how rows are written.
        delimiter: the character between the cells of a table; "" to detect it.
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
        cells: how the cells of tables leave.
        jobs: the number of processes that make keys; those of Parquet are made by the one that reads it.
    """

    paths: tuple[str, ...]
    fields: tuple[str, ...]
    kind: DataSetKind
    output: str
    delimiter: str = ""
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
    cells: Cells = Cells()
    jobs: int = 1

    @property
    def is_table(self) -> bool:
        """Whether rows have cells."""
        return self.kind in (DataSetKind.CSV, DataSetKind.TSV)

    @property
    def is_whole(self) -> bool:
        """Whether the output is valid only as a whole, so that it cannot be added to."""
        return self.kind in (DataSetKind.PARQUET, DataSetKind.JSON)

    @property
    def cache(self) -> int | None:
        """The number of bytes of a store that are kept in memory; None for the default of `Store`."""
        return None if self.memory_limit is None else self.memory_limit // 4
