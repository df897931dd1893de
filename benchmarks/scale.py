"""A run over 10 TB: figures of this machine, what follows from them by formulas, and small trials of what follows."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import islice
from typing import Any

from benchmarks.engine_rows import parquet
from benchmarks.markdown import number, table
from benchmarks.measure import figures
from benchmarks.scale_model import (
    MIB,
    Corpus,
    Rates,
    cost_per_byte_and_identifier,
    largest_bucket,
    shuffle,
    stages,
)
from benchmarks.scale_trial import digest, host, shuffled, trial_of_days
from benchmarks.settings import MEGABYTE, Settings, note

__all__ = ["CORPUS", "report"]

CORPUS = Corpus(10e12, 1e10, 0.4)
# Kinds of text and the fewest bytes of a row: like pages of the web as text, mail, and a log.
_KINDS = {"prose": 5_000, "mail": 5_000, "access": 1}
# Measured with Spark 4.3, local[2], by `--spark-growth`: bytes, identifiers and processor seconds of `extract` from a
# sparse text and from a dense one; the processor time of a row of `deduplicate`, and what it shuffles of one.
_SPARSE = (2e9, 278_000, 9.62)
_DENSE = (2e9, 10_120_000, 13.7)
_FIRST = 2.81e-6
_FIRST_SHUFFLED = 65.6
# The digest and the order number of an identifier, as the first of these shuffles takes them.
_SPARK_SHUFFLED = 25
# What one read of a spinning disk is taken to cost, in seconds: not measured.
_SEEK = 0.005
_MAPS = (128 * MIB, 256 * MIB, 512 * MIB, 1024 * MIB)
_REDUCERS = (500, 2_000, 8_000)
_KEYS = 200_000
_LINK = re.compile(r"https?://\S+")
_A_DAY = 50_000
_DAYS = 6


def report(settings: Settings) -> Iterator[str]:
    """Tables: measured, then stages, blocks, trials of a shuffle, trials of days."""
    if find_spec("pyarrow") is None:
        yield "The run over 10 TB is left out: pyarrow is not installed."
        return
    measured = {kind: _measured(kind, fewest, settings) for kind, fewest in _KINDS.items()}
    yield _stages_here(measured)
    yield _stages_there(_rates(measured))
    yield _blocks()
    yield _shuffles(settings)
    yield _days()


def _measured(kind: str, fewest: int, settings: Settings) -> dict[str, float]:
    taken: list[dict[str, Any]] = [
        figures("scale_stages", str(parquet(kind, fewest, settings))) for _ in range(settings.runs)
    ]
    return {name: statistics.median(figure[name] for figure in taken) for name in taken[0]}


def _stages_here(measured: dict[str, dict[str, float]]) -> str:
    rows = []
    for kind, found in measured.items():
        size, count = found["bytes"] / MEGABYTE, found["identifiers"]
        cells = [size, count / size, 1 / found["inflate"] / MEGABYTE, size / found["search"]]
        cells += [found[stage] / count * 1e6 for stage in ("search", "write")]
        rows.append([kind, *map(number, [*cells, found["stored"] / count])])
    head = ["text", "MB", "identifiers/MB", "zlib MB/s", "search MB/s", "search", "write", "bytes in Parquet"]
    caption = (
        "Measured here on one core: `Extractor` with all columns, Parquet with zstd; microseconds and bytes an "
        "identifier:"
    )
    return f"{caption}\n\n{table(head, rows)}"


def _rates(measured: dict[str, dict[str, float]]) -> Rates:
    byte, identifier = cost_per_byte_and_identifier(_SPARSE, _DENSE)
    dense = measured["access"]
    return Rates(
        inflate=measured["prose"]["inflate"],
        byte=byte,
        identifier=identifier,
        write=dense["write"] / dense["identifiers"],
        first=_FIRST,
        stored=dense["stored"] / dense["identifiers"],
        shuffled=_FIRST_SHUFFLED,
    )


def _stages_there(rates: Rates) -> str:
    made = stages(CORPUS, rates)
    rows = [[stage.name, number(stage.core_hours), number(stage.moved / 1e9)] for stage in made]
    rows.append(["together", number(sum(stage.core_hours for stage in made)), "-"])
    caption = (
        f"By formulas: {CORPUS.size / 1e12:,.0f} TB with {CORPUS.identifiers:,.0f} identifiers, of which "
        f"{CORPUS.distinct:.0%} are the first of their key; {rates.byte * 1e9:.2f} ns a byte and "
        f"{rates.identifier * 1e6:.2f} microseconds an identifier for `extract`, {rates.first * 1e6:.2f} for "
        "`deduplicate`, as Spark took here:"
    )
    return f"{caption}\n\n{table(['stage', 'core-hours', 'GB read, written or moved'], rows)}"


def _blocks() -> str:
    rows = []
    for size in _MAPS:
        for reducers in _REDUCERS:
            found = shuffle(CORPUS, size, reducers, _SPARK_SHUFFLED, _SEEK)
            keys = CORPUS.identifiers / reducers
            cells = [f"{size // MIB:,} MiB", f"{found.maps:,}", f"{reducers:,}", number(found.blocks / 1e6)]
            cells += [number(found.block / 1e3), number(found.statuses / 1e6), number(found.seek_hours)]
            rows.append([*cells, number(keys / 1e6), number(keys * _SPARK_SHUFFLED / 1e6)])
    head = ["text a map", "maps", "reducers", "million blocks", "KB a block", "MB of statuses", "disk-hours of seeks"]
    head += ["million rows a reducer", "MB a reducer"]
    caption = f"By formulas, {_SPARK_SHUFFLED} bytes a row and {_SEEK * 1e3:.0f} ms a seek:"
    return f"{caption}\n\n{table(head, rows)}"


def _keys(settings: Settings) -> list[str]:
    path = settings.made("access", settings.size).path
    with path.open(encoding="utf-8") as file:
        links = (link.rstrip('")').rstrip(";") for line in file for link in _LINK.findall(line))
        return list(islice(links, _KEYS))


def _shuffles(settings: Settings) -> str:
    keys = _keys(settings)
    rows = []
    for maps in (256, 32):
        for name, by in (("digest", digest), ("host", host)):
            for combine in (False, True):
                note(f"{maps} maps by {name}")
                found = shuffled(keys, maps, 64, by, combine=combine)
                cells = [str(maps), name, "yes" if combine else "no", number(100 * found.rows / len(keys))]
                cells += [f"{found.blocks:,}", number(found.largest), number(found.reducer)]
                rows.append(cells)
    head = ["maps", "reducer by", "each key once a map", "rows moved, %", "blocks with rows", "largest block / mean"]
    head.append("fullest reducer / mean")
    caption = f"Tried: {len(keys):,} links of a log to 64 reducers:"
    return f"{caption}\n\n{table(head, rows, left=3)}"


def _days() -> str:
    rows = []
    for buckets in (16, 256):
        note(f"days with {buckets} buckets")
        results = trial_of_days(_DAYS, _A_DAY, 0.6, buckets)
        total = 0
        for day, found in enumerate(results, 1):
            total += found.new
            bound = largest_bucket(total, buckets)
            if day in (1, _DAYS // 2, _DAYS):
                passed = found.read / 16 + _A_DAY
                cells = [str(buckets), str(day), f"{found.read // 16:,}", f"{_A_DAY:,}", f"{found.new:,}"]
                rows.append([*cells, number(found.seconds / passed * 1e6), number(found.largest), number(bound)])
    head = ["buckets", "day", "older digests", "digests of the day", "new", "microseconds a digest passed"]
    head += ["largest bucket / mean", "by the formula"]
    caption = (
        "Tried: days of which 60 % came before, against sorted buckets by prefix, in plain Python; a set of all "
        "digests agrees each day:"
    )
    return f"{caption}\n\n{table(head, rows, left=2)}"
