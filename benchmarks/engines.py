"""Arrow beside the library, and engines by the same `Extractor` beside their bare pass and the command."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator
from importlib.util import find_spec

from benchmarks.commands import extract
from benchmarks.engine_rows import ROWS, parquet
from benchmarks.machine import package_versions
from benchmarks.markdown import number, table
from benchmarks.measure import figures, median, turns
from benchmarks.settings import MEGABYTE, Settings

__all__ = ["ENGINES", "report"]

# The engines and the packages that they need.
ENGINES = {
    "pyarrow": "pyarrow",
    "duckdb": "duckdb",
    "polars": "polars",
    "pandas": "pandas",
    "datasets": "datasets",
    "dask": "dask",
    "ray": "ray",
}
_ASIDE = ("rows", "bytes", "identifiers")


def report(settings: Settings) -> Iterator[str]:
    """Rows by the library and by Arrow, the memory of one large row, and a table of engines for each kind of row."""
    if find_spec("pyarrow") is None:
        yield "Engines are left out: pyarrow is not installed."
        return
    yield _rows(settings)
    yield _one_row(settings)
    for name in ("documents", "log lines"):
        yield _engines(name, settings)


def _rows(settings: Settings) -> str:
    rows: dict[str, list[str]] = {}
    head = ["microseconds a row"]
    for name in ROWS:
        path = parquet(*ROWS[name], settings)
        taken = [figures("arrow_rows", str(path)) for _ in range(settings.runs)]
        middle = {key: statistics.median(figure[key] for figure in taken) for key in taken[0]}
        count = middle["rows"]
        head.append(f"{name}: {count:,.0f} of {middle['bytes'] / count:,.0f} bytes")
        head.append("thousand rows/s")
        for way in middle:
            if way not in _ASIDE:
                cells = [number(middle[way] / count * 1e6), number(count / middle[way] / 1e3)]
                rows.setdefault(way, []).extend(cells)
    caption = "Rows of text by the library and by `urisieve.arrow`, in one process on one core, by processor time:"
    return f"{caption}\n\n{table(head, ([way, *cells] for way, cells in rows.items()))}"


def _one_row(settings: Settings) -> str:
    taken = [figures("arrow_rows", "--row") for _ in range(settings.runs)]
    middle = {key: statistics.median(figure[key] for figure in taken) for key in taken[0]}
    cells = [number(middle["bytes"] / MEGABYTE), f"{middle['identifiers']:,.0f}"]
    cells += [number(middle[key]) for key in ("seconds", "own_memory", "peak")]
    head = ["one row of MB", "links", "seconds", "MB beside the row", "peak MB of the process"]
    return f"One row with very many links through `extract_batches`, all columns:\n\n{table(head, [cells], left=0)}"


def _engines(name: str, settings: Settings) -> str:
    path = parquet(*ROWS[name], settings)
    text = path.with_suffix(".txt")
    commands = {"command": extract(text, jobs=1)}
    there = [engine for engine, package in ENGINES.items() if find_spec(package) is not None]
    for engine in there:
        for what in ("identity", "extract"):
            commands[f"{engine} {what}"] = [sys.executable, "-m", "benchmarks.engine_passes", engine, what, str(path)]
    results = {key: median(found) for key, found in turns(commands, settings.runs).items()}
    command = results["command"]
    rows = [["`urisieve extract`", "-", number(command.cpu), "-", "1.00", number(command.peak)]]
    for engine in there:
        bare, found = results[f"{engine} identity"], results[f"{engine} extract"]
        cells = [bare.cpu, found.cpu, found.cpu / bare.cpu, found.cpu / command.cpu, found.together]
        rows.append([engine, *map(number, cells)])
    head = ["engine", "identity: CPU s", "extract: CPU s", "against identity", "against the command", "peak MB"]
    caption = f"{name.capitalize()}, {text.stat().st_size / MEGABYTE:,.0f} MB, each engine on one core"
    versions = package_versions(ENGINES[engine] for engine in there)
    return f"{caption} ({versions}):\n\n{table(head, rows)}"
