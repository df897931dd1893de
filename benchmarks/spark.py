"""Spark on this machine (`local[2]`) beside the command: extraction from documents, and deduplication of links.

Without a name of a job it reports; `python -m benchmarks.spark JOB FILE` runs one job and prints its figures as JSON.
Processor time is that of the driver, of Java and of the workers of Python, without the start of Java: a small job runs
first.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.commands import extract
from benchmarks.markdown import number, table
from benchmarks.measure import Run, figures, median, run
from benchmarks.settings import MEGABYTE, Settings

__all__ = ["documents_of", "links_of", "report"]

# Bytes of a document, and links for a megabyte of `--size`: 320 MB give ten million.
_DOCUMENT = 5_400
_LINKS = 31_250
_COLUMNS = ["start", "uri", "key", "host"]
_EXTRACT = {
    "identity": "Spark, batches handed back as they are",
    "extract": f"`urisieve.spark.extract`, columns {', '.join(_COLUMNS)}",
}
_DEDUPE = {
    "deduplicate": "`urisieve.spark.deduplicate`",
    "counted": "the same with `count=True`",
    "struct": "`groupBy(key).agg(min(struct(order, ...)))`",
    "window": "`row_number()` over the digest by `order`",
    "any": "`dropDuplicates([key])`, which keeps any row",
}


def documents_of(text: Path, path: Path) -> Path:
    """A text cut into documents, as Parquet."""
    if not path.exists():
        import pyarrow as pa
        import pyarrow.parquet as pq

        schema = pa.schema([("id", pa.int64()), ("text", pa.string())])
        with text.open(encoding="utf-8") as file, pq.ParquetWriter(path, schema) as writer:
            first = 0
            while block := file.readlines(_DOCUMENT * 4_000):
                documents, waiting, size = [], [], 0
                for line in block:
                    waiting.append(line)
                    size += len(line)
                    if size >= _DOCUMENT:
                        documents.append("".join(waiting))
                        waiting, size = [], 0
                documents.append("".join(waiting))
                numbers = range(first, first + len(documents))
                writer.write_table(pa.table({"id": pa.array(numbers, pa.int64()), "text": documents}, schema))
                first += len(documents)
    return path


def links_of(count: int, path: Path, *, same: float = 0.0) -> Path:
    """Links of which four in ten have come before, as Parquet, and as lines beside it; a share is one and the same."""
    if not path.exists():
        import pyarrow as pa
        import pyarrow.parquet as pq

        chance = random.Random(3986)
        schema = pa.schema([("order", pa.int64()), ("start", pa.int64()), ("uri", pa.string()), ("key", pa.string())])
        with pq.ParquetWriter(path, schema) as writer, path.with_suffix(".txt").open("w", encoding="ascii") as lines:
            for first in range(0, count, 250_000):
                numbers = range(first, min(first + 250_000, count))
                ids = [
                    0
                    if chance.random() < same
                    else chance.randrange(count if chance.random() < 0.8 else count // 100 + 1)
                    for _ in numbers
                ]
                uris = [f"https://www.host{n % 49_999}.example.com/{n * 7_919 % 99_991}/{n}.html" for n in ids]
                starts = [chance.randrange(100_000) for _ in ids]
                writer.write_table(pa.table({"order": numbers, "start": starts, "uri": uris, "key": uris}, schema))
                lines.writelines(f"{uri}\n" for uri in uris)
    return path


def _session(folder: str) -> Any:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    made = SparkSession.builder.master("local[2]").config("spark.driver.memory", "2g")
    for name in ("spark.driver.bindAddress", "spark.driver.host"):
        made = made.config(name, "127.0.0.1")
    made = made.config("spark.local.dir", folder).config("spark.sql.shuffle.partitions", "16")
    # Documents are large: of ten thousand in a batch, the default, Java and Python would each hold some copies.
    made = made.config("spark.sql.execution.arrow.maxRecordsPerBatch", "1000")
    return made.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false").getOrCreate()


def _read(spark: Any, name: str, path: str) -> Any:
    """The DataFrame of a job; two jobs find the links in files, by the data source and in rows of lines."""
    if name == "source":
        from urisieve.spark import register

        register(spark)
        return spark.read.format("urisieve").option("columns", ",".join(_COLUMNS)).load(path)
    if name == "lines":
        from urisieve.spark import extract as extract_rows

        return extract_rows(spark.read.text(path), "value", columns=_COLUMNS)
    return spark.read.parquet(path)


def _job(name: str, df: Any) -> Any:
    from pyspark.sql import Window, functions

    from urisieve.spark import deduplicate
    from urisieve.spark import extract as extract_rows

    if name in ("source", "lines"):
        return df
    if name == "identity":
        return df.select("text").mapInArrow(_identity, "text string")
    if name == "extract":
        return extract_rows(df, columns=_COLUMNS)
    if name in ("deduplicate", "counted"):
        return deduplicate(df, count=name == "counted")
    if name == "struct":
        return df.groupBy("key").agg(functions.min(functions.struct("order", "start", "uri")).alias("row"))
    if name == "window":
        digest = functions.substring(functions.sha2("key", 256), 1, 32)
        rows = Window.partitionBy(functions.unhex(digest)).orderBy("order")
        return df.withColumn("number", functions.row_number().over(rows)).where("number = 1")
    return df.dropDuplicates(["key"])


def _identity(batches: Any) -> Any:
    yield from batches


def _used() -> float:
    """Seconds of processor time of this process and of those below it, also of those that have ended."""
    parents, times = {}, {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = Path(f"/proc/{entry}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(entry)] = int(fields[1])
        times[int(entry)] = sum(map(int, fields[11:15]))

    def is_ours(process: int) -> bool:
        while process != os.getpid() and process in parents:
            process = parents[process]
        return process == os.getpid()

    return sum(taken for process, taken in times.items() if is_ours(process)) / os.sysconf("SC_CLK_TCK")


def _figures(name: str, path: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        spark = _session(folder)
        spark.sparkContext.setLogLevel("OFF")
        df = _read(spark, name, path)
        _job(name, df.limit(100)).write.format("noop").mode("overwrite").save()
        store = spark.sparkContext._jsc.sc().statusStore()
        written = store.executorList(False).apply(0).totalShuffleWrite()
        began, used = time.perf_counter(), _used()
        _job(name, df).write.format("noop").mode("overwrite").save()
        found = {"wall": time.perf_counter() - began, "cpu": _used() - used}
        found["shuffled"] = store.executorList(False).apply(0).totalShuffleWrite() - written
        spark.stop()
    return found


def _runs(jobs: list[str], path: Path, command: list[str], turns: int) -> dict[str, list[tuple[Run, float]]]:
    """The runs of some jobs, and as "" of a command, in turns; with each the bytes that were shuffled."""
    found: dict[str, list[tuple[Run, float]]] = {}
    for _ in range(turns):
        found.setdefault("", []).append((run(command), 0))
        for job in jobs:
            one = figures("spark", job, str(path))
            found.setdefault(job, []).append((Run(one["wall"], one["cpu"], 0, 0), one["shuffled"]))
    return found


def _cells(runs: list[tuple[Run, float]], against: list[tuple[Run, float]]) -> list[str]:
    ratios = sorted(one.cpu / other.cpu for (one, _), (other, _) in zip(runs, against, strict=True))
    middle = median([one for one, _ in runs])
    return [number(middle.wall), number(middle.cpu), number(ratios[len(ratios) // 2])]


def report(settings: Settings) -> Iterator[str]:
    """Extraction beside the command and beside doing nothing; deduplication beside other ways."""
    if find_spec("pyspark") is None:
        yield "PySpark is not installed: `pip install 'urisieve[spark]'`."
        return
    text = settings.made(settings.kinds[0] if settings.kinds else "mail", settings.size)
    documents = documents_of(text.path, text.path.with_suffix(".parquet"))
    runs = _runs(list(_EXTRACT), documents, extract(text.path, jobs=2), settings.runs)
    head = ["", "seconds", "processor seconds", "processor time, command = 1"]
    rows = [[_EXTRACT.get(job, "`urisieve extract --jobs 2`"), *_cells(some, runs[""])] for job, some in runs.items()]
    yield f"{text.megabytes:,.0f} MB of {text.name} in documents of {_DOCUMENT:,} bytes:\n\n{table(head, rows)}"
    count = settings.size // MEGABYTE * _LINKS
    links = links_of(count, settings.folder / f"links-{count}.parquet")
    command = [sys.executable, "-m", "urisieve", "dedupe", "--quiet", "--input", "keys", str(links.with_suffix(".txt"))]
    runs = _runs(list(_DEDUPE), links, command, settings.runs)
    head += ["bytes shuffled a row"]
    rows = []
    for job, some in runs.items():
        shuffled = number(sum(size for _, size in some) / len(some) / count) if job else "-"
        rows.append([_DEDUPE.get(job, "`urisieve dedupe --input keys`"), *_cells(some, runs[""]), shuffled])
    yield f"{count:,} links in rows of four columns, written nowhere:\n\n{table(head, rows)}"


if __name__ == "__main__":
    print(json.dumps(_figures(*sys.argv[1:3])))
