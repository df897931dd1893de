"""Deduplication beside `sort -u` and `awk`, counts beside `extract --unique`, and memory a key."""

from __future__ import annotations

import random
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.commands import UNIQUE, extract
from benchmarks.markdown import number, table
from benchmarks.measure import median, ratio, run, turns
from benchmarks.settings import MEGABYTE, Settings

__all__ = ["report"]

# Distinct keys for a megabyte of `--size`: 32 MB give 5 million.
_KEYS = 156_250
_LIMIT = "1GB"
_BLOCK = 500_000


def _dedupe(path: Path, *flags: str, command: str = "dedupe") -> list[str]:
    return [sys.executable, "-m", "urisieve", command, "--quiet", *flags, str(path)]


def _made(path: Path, count: int) -> Path:
    """Canonical lines, all different, in no order."""
    if not path.exists():
        chance = random.Random(3986)
        with path.open("w", encoding="ascii") as file:
            for start in range(0, count, _BLOCK):
                block = list(range(start, min(start + _BLOCK, count)))
                chance.shuffle(block)
                file.write("".join(f"http://host{n % 4_999}.example.com/path/{n}/page.html\n" for n in block))
    return path


def _lines(settings: Settings) -> Iterator[str]:
    count = settings.size // MEGABYTE * _KEYS
    path = _made(settings.folder / f"keys-{count}.txt", count)
    ours, stored = "`dedupe --input keys`", "`dedupe --input keys --store`"
    store = settings.folder / "bench.db"
    shell = shutil.which("sh") or "sh"
    kept = _dedupe(path, "--input", "keys", "--store", str(store))
    commands = {
        ours: _dedupe(path, "--input", "keys"),
        f"the same with `--memory-limit {_LIMIT}`": _dedupe(path, "--input", "keys", "--memory-limit", _LIMIT),
        stored: [shell, "-c", f"rm -f {store}* && exec {' '.join(kept)}"],
        "`LC_ALL=C sort -u`": [shell, "-c", f"LC_ALL=C exec sort -u {path}"],
        "`awk '!s[$0]++'`": ["awk", "!s[$0]++", str(path)],
    }
    run(["cat", str(path)])
    runs = turns(commands, settings.runs)
    base = median(turns({"nothing": _dedupe(Path("/dev/null"), "--input", "keys")}, 1)["nothing"]).peak
    rows = []
    for name, found in runs.items():
        middle = median(found)
        a_key = (middle.peak - base) * (1 << 20) / count
        speed = ratio(runs["`LC_ALL=C sort -u`"], found)
        rows.append([name, number(count / middle.wall / 1e6), number(speed), number(middle.peak), number(a_key)])
    head = ["command", "million rows/s", "its rows/s, `sort -u` = 1", "peak MB", "bytes a key"]
    yield f"{count:,} different canonical lines in no order:\n\n{table(head, rows)}"


def report(settings: Settings) -> Iterator[str]:
    """Lines beside `sort -u` and `awk`; counts beside `extract --unique`."""
    yield from _lines(settings)
    rows = []
    for text in settings.texts():
        run(["cat", str(text.path)])
        for jobs in (1, 2):
            runs = turns(
                {
                    "unique": extract(text.path, *UNIQUE, jobs=jobs),
                    "dedupe": _dedupe(text.path, "--jobs", str(jobs)),
                    "counts": _dedupe(text.path, "--jobs", str(jobs), command="count"),
                },
                settings.runs,
            )
            speed = number(text.megabytes / median(runs["unique"]).wall)
            ratios = [number(ratio(runs[name], runs["unique"])) for name in ("dedupe", "counts")]
            rows.append([text.name, number(text.megabytes), str(jobs), speed, *ratios])
    head = ["text", "MB", "jobs", "`extract --unique` MB/s", "time of `dedupe`", "time of `count`"]
    yield f"Time where that of `extract --unique` is 1:\n\n{table(head, rows)}"
