"""One pass of an engine over Parquet: `python -m benchmarks.engine_passes ENGINE identity|extract FILE`.

Batches of Arrow leave the engine and come back as they are, or as the identifiers that they hold. It prints the number
of the rows that come back as JSON. Each engine has one core, and batches of about 4 MB.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from urisieve.arrow import Extractor

__all__ = ["PASSES"]

_COLUMNS = ["id", "text"]
_BATCH = 4_000_000
_EXTRACTOR = Extractor(keep=["id"], columns=["start", "uri", "key"], secret=bytes(32))


def _streamed(stream: Any, extract: bool) -> Any:
    return _EXTRACTOR.reader(stream) if extract else pa.RecordBatchReader.from_stream(stream)


def _identifiers(table: pa.Table) -> pa.Table:
    return _EXTRACTOR.reader(table).read_all()


def _same(table: pa.Table) -> pa.Table:
    return table


def _rows(path: str) -> int:
    """So many rows that a batch has about 4 MB."""
    about = pq.read_metadata(path)
    size = sum(about.row_group(number).total_byte_size for number in range(about.num_row_groups))
    return max(100, int(_BATCH * about.num_rows / size))


def _reader(path: str) -> Any:
    file = pq.ParquetFile(path, pre_buffer=False)
    return pa.RecordBatchReader.from_batches(
        file.schema_arrow, file.iter_batches(_rows(path), columns=_COLUMNS, use_threads=False)
    )


def _pyarrow(path: str, extract: bool) -> int:
    return sum(batch.num_rows for batch in _streamed(_reader(path), extract))


def _duckdb(path: str, extract: bool) -> int:
    import duckdb

    con = duckdb.connect(config={"threads": 1})
    pages = con.cursor().sql(f"SELECT id, text FROM '{path}'").to_arrow_reader(_rows(path))
    links = _streamed(pages, extract)  # found by its name
    ((number,),) = con.sql("SELECT count(*) FROM links").fetchall()
    del links
    return int(number)


def _polars(path: str, extract: bool) -> int:
    import polars as pl

    number = 0
    for frame in pl.scan_parquet(path).select(_COLUMNS).collect_batches(chunk_size=_rows(path), maintain_order=True):
        number += pl.DataFrame(_streamed(frame, extract)).height
    return number


def _pandas(path: str, extract: bool) -> int:
    number = 0
    for batch in _reader(path):
        number += len(_streamed(batch.to_pandas(), extract).read_pandas())
    return number


def _datasets(path: str, extract: bool) -> int:
    import tempfile

    import datasets

    datasets.disable_progress_bars()
    with tempfile.TemporaryDirectory() as folder:
        pages = datasets.Dataset.from_parquet(path, cache_dir=folder).with_format("arrow")
        change = _identifiers if extract else _same
        links = pages.map(change, batched=True, batch_size=_rows(path), remove_columns=_COLUMNS if extract else None)
        return int(links.num_rows)


def _dask(path: str, extract: bool) -> int:
    import dask
    import dask.dataframe

    def change(part: Any) -> Any:
        return _streamed(part, extract).read_pandas()

    pages = dask.dataframe.read_parquet(path, columns=_COLUMNS)
    with dask.config.set(scheduler="sync"):
        return int(pages.map_partitions(change, meta=change(pages._meta)).map_partitions(len).compute().sum())


def _ray(path: str, extract: bool) -> int:
    import ray

    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    pages = ray.data.read_parquet(path, columns=_COLUMNS)
    change = _identifiers if extract else _same
    links = pages.map_batches(change, batch_format="pyarrow", batch_size=_rows(path))
    number = sum(int(batch.num_rows) for batch in links.iter_batches(batch_size=None, batch_format="pyarrow"))
    ray.shutdown()
    return int(number)


PASSES: dict[str, Callable[[str, bool], int]] = {
    "pyarrow": _pyarrow,
    "duckdb": _duckdb,
    "polars": _polars,
    "pandas": _pandas,
    "datasets": _datasets,
    "dask": _dask,
    "ray": _ray,
}


if __name__ == "__main__":
    engine, what, file = sys.argv[1:]
    json.dump({"rows": PASSES[engine](file, what == "extract")}, sys.stdout)
