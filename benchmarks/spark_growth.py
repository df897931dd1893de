"""What Spark takes as the work grows: up to twelve million links, text, one key in ten the same, files of many kinds.

Each row is one job on this machine (`local[2]`), timed as `benchmarks.spark` does: processor time of Java and Python
together without the start of Java.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from benchmarks.carriers import copies
from benchmarks.markdown import number, table
from benchmarks.measure import figures, run
from benchmarks.settings import MEGABYTE, Settings
from benchmarks.spark import documents_of, links_of

__all__ = ["linked_rows", "report"]

_TIMES = (1, 2, 4, 8)
_LEAST_LINKS = 1_500_000
_SMALL_FILES = 10_000
_SMALL = 4_096
_COPIES = 20


def _row(title: str, job: str, path: Path, rows: int, unit: str) -> list[str]:
    found = figures("spark", job, str(path))
    shuffled = number(found["shuffled"] / rows) if found["shuffled"] else "-"
    each = number(found["cpu"] / rows * 1e6)
    return [title, f"{rows:,} {unit}", number(found["wall"]), number(found["cpu"]), each, shuffled]


def linked_rows(settings: Settings) -> Iterator[list[str]]:
    """Deduplication of more and more links, and of links of which one in ten is the same."""
    for times in _TIMES:
        count = times * _LEAST_LINKS
        path = links_of(count, settings.folder / f"links-{count}.parquet")
        yield _row("`deduplicate`", "deduplicate", path, count, "rows")
    count = 2 * _LEAST_LINKS
    skewed = links_of(count, settings.folder / f"skewed-{count}.parquet", same=0.1)
    yield _row("`deduplicate`, one key in ten the same", "deduplicate", skewed, count, "rows")


def _texts(settings: Settings) -> Iterator[list[str]]:
    for kind, times in (*(("access", one) for one in _TIMES), ("prose", _TIMES[-1])):
        text = settings.made(kind, times * settings.size)
        path = documents_of(text.path, text.path.with_suffix(".parquet"))
        yield _row(f"`extract`, documents, {kind}", "extract", path, times * settings.size // MEGABYTE, "MB")


def _small_files(settings: Settings) -> Path:
    folder = settings.folder / "small"
    if not folder.exists():
        folder.mkdir()
        with settings.made("access", _SMALL_FILES * _SMALL).path.open("rb") as text:
            for index in range(_SMALL_FILES):
                (folder / f"{index:05}.txt").write_bytes(text.read(_SMALL) + text.readline())
    return folder


def _files(settings: Settings) -> Iterator[list[str]]:
    small = _small_files(settings)
    yield _row("`spark.read.text` and `extract`, small files", "lines", small, _SMALL_FILES, "files")
    yield _row("the data source, small files", "source", small, _SMALL_FILES, "files")
    for name in ("wet", "wet.gz", "warc"):
        path = copies(settings.folder, name, _COPIES)
        size = sum(one.stat().st_size for one in path.iterdir()) // MEGABYTE
        command = [sys.executable, "-m", "urisieve", "extract", "--quiet", "--jobs", "2", str(path)]
        alone = run(command)
        figures_of = [number(alone.wall), number(alone.cpu), number(alone.cpu / size * 1e6), "-"]
        yield [f"`urisieve extract`, {name}", f"{size:,} MB", *figures_of]
        yield _row(f"the data source, {name}", "source", path, size, "MB")


_JOBS = (linked_rows, _texts, _files)


def report(settings: Settings) -> Iterator[str]:
    """One table."""
    if find_spec("pyspark") is None:
        yield "PySpark is not installed: `pip install 'urisieve[spark]'`."
        return
    head = ["job", "of", "seconds", "processor seconds", "us a row, MB or file", "bytes shuffled a row"]
    rows = [row for job in _JOBS for row in job(settings)]
    yield f"Spark, as the work grows, and of files of many kinds:\n\n{table(head, rows, left=2)}"
