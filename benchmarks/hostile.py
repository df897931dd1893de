"""Hostile files of every source, and hostile texts for every option, beside prose with as many links.

    python -m benchmarks.hostile --sizes 8,64 > hostile.md

Each row is a command on a hostile file, and on a second file that holds one link. Prose in the same source, with as
many links for each megabyte as the hostile file has candidates (found or rejected), goes through the same command: the
ratio is that of their processor times, without that of starting on an empty file. A row is marked
`time` above twice, `memory` above its bound, `lost` if a link is missing that stands around it, `status` if the command
ends otherwise than with 0 to 3, and `ended` if it had to be ended.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.hostile_runs import NEXT, Outcome, observe
from benchmarks.hostile_shapes import TEXTS, Shape
from benchmarks.hostile_sources import ENDINGS, SOURCES, plain
from benchmarks.hostile_texts import LAST, Make
from benchmarks.markdown import number, table
from benchmarks.settings import MEGABYTE, note

__all__ = ["main"]

_MOST = 2.0
# The message or line that is held (128 MB at the most) and what is made of it, see docs/guarantees.md.
_MEMORY = 128.0
_KEPT_WHOLE = {
    **dict.fromkeys(["mail", "mbox", "msg"], 420.0),
    **dict.fromkeys(["--unique", "--form host --unique", "dedupe", "stats", "report"], 1_024.0),
}
# Under this many seconds the clock's grain and the noise of the machine show more than the work.
_LEAST = 0.02
# MB by which peaks differ from run to run, and by what is loaded and filled once.
_NOISE = 16.0
_LINES = ("check", "normalize", "explain")


class Row(NamedTuple):
    """What a shape has shown at one size."""

    shape: Shape
    size: float
    outcome: Outcome
    prose: float
    """Processor time of prose with as many links, in seconds, without the start; 0 for a bomb."""
    start: float

    @property
    def ratio(self) -> float:
        """The time, where that of prose is 1."""
        return max(self.outcome.cpu - self.start, 0.0) / self.prose if self.prose else 0.0

    def marks(self, small: Row | None) -> str:
        """What is not as it should be; memory also by how it has grown since a smaller size."""
        shape, outcome = self.shape, self.outcome
        after = (NEXT,) if shape.kept and shape.reads_text and "--follow" not in shape.flags else ()
        bound = next((most for area, most in _KEPT_WHOLE.items() if shape.area.startswith(area)), _MEMORY)
        growth = 0.0
        if small is not None and self.size > small.size:
            growth = max(0.0, outcome.peak - small.outcome.peak - _NOISE) / (self.size - small.size)
        marks = {
            "time": self.ratio > _MOST,
            "memory": outcome.peak + growth * max(0.0, 64 - self.size) > bound,
            "lost": not outcome.seen.issuperset((*shape.kept, *after)),
            "status": outcome.status not in (0, 1, 2, 3),
            "ended": outcome.cpu == float("inf"),
        }
        return ", ".join(mark for mark, holds in marks.items() if holds)


class Bench:
    """Runs shapes, and remembers what prose took."""

    def __init__(self, folder: Path, seconds: float, jobs: str) -> None:
        self._folder = folder
        self._seconds = seconds
        self._jobs = jobs
        self._prose: dict[tuple[object, ...], float] = {}
        self._starts: dict[tuple[object, ...], float] = {}
        self._next = folder / "next.txt"
        self._next.write_bytes(b"the next " + NEXT + b" one\n")
        self._empty = folder / "empty"
        self._empty.write_bytes(b"")

    def row(self, shape: Shape, megabytes: float, *, measured: bool) -> Row:
        """Run a shape at a size, measured against prose or not; what seems a little too slow is run again."""
        size = int(megabytes * MEGABYTE)
        path = _written(self._folder / f"hostile{shape.ending}", shape.make, size)
        start = self._start(shape)
        outcome = self._run(shape, path)
        row = Row(
            shape,
            megabytes,
            outcome,
            self._plain(shape, outcome, megabytes) if measured and not shape.bomb else 0.0,
            start,
        )
        if _MOST < row.ratio < 2 * _MOST:
            again = self._run(shape, path)
            row = row._replace(outcome=outcome._replace(cpu=min(outcome.cpu, again.cpu)))
        path.unlink()
        return row

    def _start(self, shape: Shape) -> float:
        key = (shape.command, shape.flags)
        if key not in self._starts:
            runs = [self._run(shape._replace(kept=()), self._empty) for _ in range(3)]
            self._starts[key] = min(run.cpu for run in runs)
        return self._starts[key]

    def _plain(self, shape: Shape, outcome: Outcome, megabytes: float) -> float:
        density = (outcome.found + outcome.rejected - 3) / megabytes if outcome.found + outcome.rejected > 8 else 0.0
        if shape.command in _LINES:
            density = 15_000.0
        # In steps of a fifth; what is beyond the densest prose counts in proportion.
        step = 0.0 if density < 1 else 1.2 ** round(math.log(density, 1.2))
        key = (shape.source, shape.command, shape.flags, step, megabytes)
        make, links = plain(shape.source, step)
        if key not in self._prose:
            ending = ENDINGS.get(shape.source, ".txt") if shape.ending == ".txt" else shape.ending
            path = _written(self._folder / f"prose{ending}", make, int(megabytes * MEGABYTE))
            least = min(self._run(shape._replace(kept=()), path).cpu for _ in range(2))
            path.unlink()
            self._prose[key] = max(least - self._start(shape), _LEAST)
        return self._prose[key] * max(1.0, density / links if links else 1.0)

    def _run(self, shape: Shape, path: Path) -> Outcome:
        command = [sys.executable, "-m", "urisieve", shape.command, *shape.flags]
        if shape.command in _LINES:
            return observe(command, shape.kept, stdin=path, seconds=self._seconds)
        if "--follow" in shape.flags:
            # What does not end by itself is interrupted behind its last link; prose and the empty file have none.
            whole = path.read_bytes()
            if LAST not in whole[-100:]:
                path.write_bytes(whole + b"\n" + LAST + b"\n")
            return observe([*command, str(path)], shape.kept, seconds=self._seconds, until=LAST)
        if "--jobs" not in shape.flags:
            command += ["--jobs", self._jobs]
        if shape.command == "report":
            command += ["--output", str(self._folder / "report.html")]
        looked_for = (*shape.kept, NEXT)
        files = [str(path), str(self._next)] if shape.area != "parquet" else [str(path)]
        return observe([*command, *files], looked_for, seconds=self._seconds)


def _done(log: Path | None) -> set[tuple[str, str]]:
    """The rows that a log holds: a run that was interrupted goes on behind them."""
    if log is None or not log.exists():
        return set()
    return {(row["area"], row["shape"]) for row in map(json.loads, log.read_text(encoding="utf-8").splitlines())}


def _affordable(size: float, rows: list[Row], budget: float) -> float:
    """The size, halved until it takes no longer than it may by what the rows before took."""
    if rows:
        net = max(rows[-1].outcome.cpu - rows[-1].start, 0.0) / rows[-1].size
        while size * net > budget and size > rows[-1].size:
            size /= 2
    return size


def _written(path: Path, make: Make, size: int) -> Path:
    with path.open("wb") as file:
        for block in make(size):
            file.write(block)
    return path


def _shapes(pattern: str) -> Iterator[Shape]:
    wanted = re.compile(pattern)
    yield from (shape for shape in (*TEXTS, *SOURCES) if wanted.search(f"{shape.area}: {shape.name}"))


def _cells(row: Row, small: Row | None) -> list[str]:
    shape, outcome = row.shape, row.outcome
    net = max(outcome.cpu - row.start, 1e-3)
    return [
        shape.area,
        shape.name,
        number(row.size),
        number((outcome.found + outcome.rejected) / row.size),
        "-" if shape.bomb else number(row.size / net),
        number(outcome.cpu) if outcome.cpu < float("inf") else "-",
        "-" if shape.bomb else number(row.ratio),
        "-" if small is None else f"{small.outcome.peak:.0f}",
        f"{outcome.peak:.0f}",
        str(outcome.status),
        row.marks(small) or "-",
    ]


_HEAD = ["area", "shape", "MB", "links/MB", "MB/s", "seconds", "ratio", "peak of the first size", "peak MB", "status"]


def main() -> int:
    """Measure, and print a table; each row also goes to a file as it is made."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="8,64", help="in MB, the smallest first (default: %(default)s)")
    parser.add_argument("--only", default="", metavar="REGEX", help="rows whose `area: shape` fits")
    parser.add_argument("--seconds", type=float, default=120.0, help="how long one run may take (default: %(default)s)")
    parser.add_argument(
        "--budget", type=float, default=20.0, help="slower rows are run smaller (default: %(default)s s)"
    )
    parser.add_argument("--jobs", default="1", help="workers (default: %(default)s)")
    parser.add_argument("--log", type=Path, help="write each row there as JSON lines, too")
    settings = parser.parse_args()
    sizes = [float(size) for size in settings.sizes.split(",")]
    lines: list[list[str]] = []
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), settings.seconds, settings.jobs)
        done = _done(settings.log)
        for shape in _shapes(settings.only):
            if (shape.area, shape.name) in done:
                continue
            rows: list[Row] = []
            for size in sizes:
                wanted = _affordable(min(size, shape.most), rows, settings.budget)
                if rows and shape.bomb:
                    break
                rows.append(bench.row(shape, wanted, measured=size == sizes[-1] or shape.bomb))
            cells = _cells(rows[-1], rows[0] if len(rows) > 1 else None)
            note(" | ".join([*cells, rows[-1].outcome.said[:100] if cells[-1] != "-" else ""]))
            if settings.log:
                with settings.log.open("a", encoding="utf-8") as log:
                    log.write(json.dumps(dict(zip([*_HEAD, "marks"], cells, strict=True)), ensure_ascii=False) + "\n")
            bad += cells[-1] != "-"
            lines.append(cells)
    print(table([*_HEAD, "marked"], lines, left=2))
    print(f"\n{len(lines)} rows, {bad} marked", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
