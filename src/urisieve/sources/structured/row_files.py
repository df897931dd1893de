"""Files of rows: those of a data set, one after the other, with their bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urisieve.sources.bytes.kept_lines import kept_lines
from urisieve.sources.containers.plain_contents import plain_contents
from urisieve.sources.structured.broken_rows import PASSED_ON
from urisieve.sources.structured.row_reader import Row, json_rows
from urisieve.sources.structured.table_rows import table_rows
from urisieve.sources.tally import Tally

__all__ = ["kept_rows", "read_rows"]


def read_rows(
    path: str,
    kind: str,
    encoding: str | None = None,
    *,
    tally: Tally,
    blocks: Iterable[bytes] | None = None,
    by_name: bool = True,
    has_header: bool = True,
) -> Iterator[Row]:
    """Yield the rows of a file, headers and empty lines included; compressed files and archives are unpacked.

    Args:
        path: the file; `-` for standard input.
        kind: `jsonl`, `csv`, `tsv` or `parquet`.
        encoding: the encoding of the text; UTF-8 by default. See `kept_rows`.
        tally: counts skipped and broken things on the way to the rows.
        blocks: the bytes of the file, if they do not come from `path`.
        by_name: whether cells of tables come by the names of their columns; a list of cells otherwise.
        has_header: whether the first row of a table names the columns.

    Raises:
        InputError: the file cannot be read; the message does not hold the path.
    """
    if kind == "parquet":
        yield from _parquet_rows(path)
        return
    for content in plain_contents(path, tally=tally, blocks=blocks):
        yield from kept_rows(content.blocks, kind, encoding, by_name=by_name, has_header=has_header)


def kept_rows(
    blocks: Iterable[bytes],
    kind: str,
    encoding: str | None = None,
    *,
    by_name: bool = True,
    has_header: bool = True,
) -> Iterator[Row]:
    """Yield the rows of a stream of bytes unchanged, header and empty lines included; see `broken_rows.PASSED_ON`.

    Args:
        blocks: the bytes.
        kind: `jsonl`, `csv` or `tsv`.
        encoding: the encoding of the text, in which the byte 0A has to be a line feed everywhere; UTF-8 by default.
        by_name: see `read_rows`.
        has_header: see `read_rows`.

    Raises:
        InputError: reading fails; a row is longer than `ROW_LIMIT`; the text begins with the mark of UTF-16 or UTF-32.
    """
    lines = kept_lines(blocks, encoding, limit=PASSED_ON.limit)
    if kind == "jsonl":
        return json_rows(lines, PASSED_ON)
    delimiter = "," if kind == "csv" else "\t"
    return table_rows(lines, PASSED_ON, delimiter, by_name=by_name, has_header=has_header)


def _parquet_rows(path: str) -> Iterator[Row]:
    from urisieve.sources.structured.parquet_files import open_parquet

    with open_parquet(path) as opened:
        rows = (values for batch in opened.batches() for values in batch.to_pylist())
        for number, values in enumerate(rows, 1):
            yield Row(b"", values, number)
