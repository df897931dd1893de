"""Texts as rows of Parquet, as engines read them: documents, lines, or one link a row."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.settings import Settings, note

__all__ = ["ROWS", "parquet", "rows"]

# The rows that are made of each kind of text, and the fewest bytes of one.
ROWS = {"documents": ("mail", 5_000), "log lines": ("access", 1), "one link a row": ("urls", 1)}
_AT_ONCE = 32_000_000
# The rows of a group of Parquet: about 30 MB.
_GROUPS = {1: 160_000, 5_000: 6_000}


def rows(path: Path, fewest: int) -> Iterator[list[bytes]]:
    """Whole lines of a text, joined until they have a number of bytes: a list for each block of the file."""
    with path.open("rb") as file:
        while lines := file.readlines(_AT_ONCE):
            if fewest <= 1:
                yield [line[:-1] for line in lines]
                continue
            made, start, size = [], 0, 0
            for number, line in enumerate(lines, 1):
                size += len(line)
                if size >= fewest or number == len(lines):
                    made.append(b"".join(lines[start:number]))
                    start, size = number, 0
            yield made


def parquet(kind: str, fewest: int, settings: Settings) -> Path:
    """A text of a kind as a file of Parquet with the columns `id` and `text`, unless it is there already."""
    text = settings.made(kind, settings.size).path
    path = text.with_suffix(".parquet")
    if path.exists():
        return path
    note(f"{kind} as Parquet")
    schema = pa.schema({"id": pa.int64(), "text": pa.string()})
    number = 0
    with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        for made in rows(text, fewest):
            ids = pa.array(range(number, number + len(made)), pa.int64())
            writer.write_table(
                pa.table([ids, pa.array(made, pa.binary()).cast(pa.string())], schema=schema), _GROUPS[fewest]
            )
            number += len(made)
    return path
