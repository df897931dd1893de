"""Rows of text in one process: `python -m benchmarks.arrow_rows FILE` prints figures as JSON.

Time is processor time, of a million rows at most. The texts are strings of Python, or one table of Arrow, before the
clock starts. Records of the library are iterated over, and no attribute is read; of Arrow all columns of identifiers
are made, or the canonical forms alone. `python -m benchmarks.arrow_rows --row` measures the memory that one row of
50 MB with two million links takes.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from urisieve import extract, extract_documents, extract_each
from urisieve.arrow import Extractor

__all__ = ["ways"]

_LINKS = 2_000_000
_BLOCK = 10_000
_MOST_ROWS = 1_000_000


def ways(table: pa.Table) -> dict[str, Callable[[], Iterator[int]]]:
    """The ways to search the rows of a table; each yields the number of identifiers, part by part."""
    texts = table["text"].to_pylist()
    named = [(str(number), text) for number, text in enumerate(texts)]
    return {
        "`extract` a row": lambda: _counted(chain.from_iterable(map(extract, texts))),
        "`extract_documents`": lambda: _counted(extract_documents(named)),
        "`extract_each`": lambda: (len(records) for records in extract_each(texts)),
        "`Extractor`": lambda: (batch.num_rows for batch in Extractor()(table)),
        "`Extractor`, `uri` alone": lambda: (b.num_rows for b in Extractor(columns=["uri"])(table)),
    }


def _counted(records: Iterable[object]) -> Iterator[int]:
    yield sum(1 for _ in records)


def timed(path: str) -> dict[str, float]:
    """The seconds of each way, and how many rows and identifiers there are."""
    table = pq.read_table(path).slice(0, _MOST_ROWS)
    for way in ways(table.slice(0, 100)).values():  # what is imported and compiled once
        sum(way())
    taken: dict[str, float] = {"rows": table.num_rows, "bytes": pc.sum(pc.binary_length(table["text"])).as_py()}
    found = set()
    for name, way in ways(table).items():
        started = time.process_time()
        found.add(sum(way()))
        taken[name] = time.process_time() - started
    (taken["identifiers"],) = found
    return taken


def one_row() -> dict[str, float]:
    """The memory that one row with very many links takes beside the row itself."""
    text = bytearray()
    for first in range(0, _LINKS, _BLOCK):  # not all at once, which would be the peak
        text += b"".join(b"http://a.example/%07d\n" % number for number in range(first, first + _BLOCK))
    row = pa.Array.from_buffers(pa.large_binary(), 1, [None, pa.array([0, len(text)]).buffers()[1], pa.py_buffer(text)])
    table = pa.table({"text": row})
    sum(batch.num_rows for batch in Extractor()(pa.table({"text": ["http://a.example/"]})))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    started = time.process_time()
    found = sum(batch.num_rows for batch in Extractor()(table))
    seconds = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "bytes": len(text),
        "identifiers": found,
        "seconds": seconds,
        "own_memory": peak - before,
        "peak": peak,
    }


if __name__ == "__main__":
    json.dump(one_row() if sys.argv[1] == "--row" else timed(sys.argv[1]), sys.stdout)
