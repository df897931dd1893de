"""Measure urisieve beside native tools: `python -m benchmarks --help`.

Each row is one text; all commands of a row run in turn, several times, and the medians count. Machines are noisy:
compare the ratios, which are taken in one run, not single figures.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks.corpora import KINDS, make
from benchmarks.measure import Run, median, run

_PATTERN = r"""[a-z][a-z0-9+.-]*://[^][:space:]<>"{}|\\^`]+"""


def _in_process(path: Path) -> tuple[Run, dict[str, float]]:
    result = run([sys.executable, "-m", "benchmarks.in_process", str(path)], keep=True)
    return result, json.loads(result.output)


def _row(name: str, path: Path, runs: int) -> list[str]:
    size = path.stat().st_size / 1e6
    grep = shutil.which("grep")
    figures = []
    cli: list[Run] = []
    native: list[Run] = []
    for _ in range(runs):
        figures.append(_in_process(path)[1])
        cli.append(run([sys.executable, "-m", "urisieve", "extract", "--quiet", str(path)]))
        if grep is not None:
            native.append(run([grep, "-aoE", _PATTERN, str(path)], environment={"LC_ALL": "C"}))
    figures.sort(key=lambda figure: figure["seconds"])
    library = figures[len(figures) // 2]
    speed = library["bytes"] / 1e6 / library["seconds"]
    command = median(cli)
    row = [
        name,
        f"{size:,.0f}",
        f"{library['records'] / (library['bytes'] / 1e6):,.0f}",
        f"{speed:,.0f}",
        f"{library['records'] / library['seconds'] / 1e3:,.0f}",
        f"{library['own_memory_mb']:.0f}",
        f"{size / command.wall:,.0f}",
        f"{command.peak:.0f}",
    ]
    if native:
        reference = median(native)
        row += [
            f"{size / reference.wall:,.0f}",
            f"{library['seconds'] / reference.wall:.2f}",
            f"{command.wall / reference.wall:.2f}",
        ]
    else:
        row += ["-", "-", "-"]
    return row


_HEAD = [
    "text",
    "MB",
    "links/MB",
    "library MB/s",
    "library k links/s",
    "library's own MB",
    "`extract` MB/s",
    "`extract` peak MB",
    "`grep -oE` MB/s",
    "library / grep time",
    "`extract` / grep time",
]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--input", action="append", type=Path, default=[], metavar="FILE", help="measure this text")
    parser.add_argument(
        "--kind", action="append", choices=sorted(KINDS), help="make and measure texts of these kinds (default: all)"
    )
    parser.add_argument("--size", type=int, default=32, metavar="MB", help="size of texts made (default: 32)")
    parser.add_argument("--runs", type=int, default=3, help="runs of each command (default: 3)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the texts made here and use them again")
    return parser.parse_args()


def main() -> None:
    """Measure and print a Markdown table."""
    arguments = _arguments()
    python = f"{platform.python_implementation()} {platform.python_version()}"
    print(f"{python}, {platform.machine()}, {os.cpu_count()} cores; medians of {arguments.runs} runs")
    print()
    print("| " + " | ".join(_HEAD) + " |")
    print("|" + " --- |" * len(_HEAD))
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        kinds = arguments.kind or ([] if arguments.input else list(KINDS))
        for path in arguments.input:
            print("| " + " | ".join(_row(path.name, path, arguments.runs)) + " |", flush=True)
        for kind in kinds:
            path = make(kind, arguments.size * 1_000_000, folder / f"{kind}-{arguments.size}.txt")
            print("| " + " | ".join(_row(kind, path, arguments.runs)) + " |", flush=True)
            if arguments.keep is None:
                path.unlink()


if __name__ == "__main__":
    main()
