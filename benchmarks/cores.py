"""What more cores give: one job and two, how much of the work is that of one thread, and what follows for 16 and 64.

Without arguments of a command it reports; `python -m benchmarks.cores extract ...` runs one command and prints its
figures as JSON. Time is that of the command in a running Python, so without the start.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.carriers import copies
from benchmarks.markdown import number, percent, table
from benchmarks.measure import figures
from benchmarks.settings import MEGABYTE, Settings, note

__all__ = ["report", "serial", "speed"]

_FILES = 100
_COPIES = 20
_CORES = (16, 64)


def serial(gain: float) -> float:
    """The share of work that does not become quicker, by what two cores give (Amdahl): 0 for 2.0, 1 for 1.0."""
    return min(1.0, max(0.0, 2.0 / gain - 1.0))


def speed(share: float, cores: int) -> float:
    """How many times as quick so many cores are if a share of the work is not spread."""
    return 1.0 / (share + (1.0 - share) / cores)


def report(settings: Settings) -> Iterator[str]:
    """One table."""
    rows = [_row(title, arguments, settings.runs) for title, arguments in _commands(settings)]
    head = ["", "MB", "seconds, one job", "two jobs", "times as quick", "two commands at once"]
    head += ["work of the main thread", "not spread"] + [f"{cores} cores, by formula" for cores in _CORES]
    caption = (
        'What a second core gives. "Two commands at once" is what this machine gives to two that share nothing; "not '
        'spread" follows from both, or is the work of the main thread if that is more; the start of threads or '
        "processes, 0.05 to 0.1 s, is in it, so that short runs say little of more cores:"
    )
    yield f"{caption}\n\n{table(head, rows)}"


def _commands(settings: Settings) -> Iterator[tuple[str, list[str]]]:
    """Titles, and commands whose last argument is what they read."""
    made = {kind: str(settings.made(kind, settings.size).path) for kind in ("urls", "access", "prose")}
    yield "`extract -u`, a list of links", ["extract", "-u", made["urls"]]
    yield "`extract -u`, an access log", ["extract", "-u", made["access"]]
    yield "`extract -u`, prose", ["extract", "-u", made["prose"]]
    yield "`extract --format jsonl`, an access log", ["extract", "--format", "jsonl", made["access"]]
    yield "`dedupe --input keys`, a list of links", ["dedupe", "--input", "keys", made["urls"]]
    yield f"`extract -u`, {_FILES} files of a log", ["extract", "-u", str(_cut(Path(made["access"]), settings.folder))]
    for name in ("wet.gz", "warc", "mbox"):
        yield f"`extract -u`, {_COPIES} files, {name}", ["extract", "-u", str(copies(settings.folder, name, _COPIES))]


def _cut(path: Path, folder: Path) -> Path:
    """A folder with a text as many files."""
    cut = folder / f"{path.stem}.files"
    if not cut.exists():
        cut.mkdir()
        each = path.stat().st_size // _FILES
        with path.open("rb") as text:
            for index in range(_FILES):
                (cut / f"{index:03}.log").write_bytes(text.read(each) + text.readline())
    return cut


def _size(path: Path) -> int:
    return sum(one.stat().st_size for one in path.iterdir()) if path.is_dir() else path.stat().st_size


def _row(title: str, arguments: Sequence[str], runs: int) -> list[str]:
    note(title)
    command, *rest = arguments
    alone, both, together = [], [], []
    for _ in range(runs):
        alone.append(figures("cores", command, "--quiet", "--jobs", "1", *rest))
        both.append(figures("cores", command, "--quiet", "--jobs", "2", *rest))
        together.append(_at_once(command, rest))
    one, two = _middle(alone, "wall"), _middle(both, "wall")
    gain, possible = one / two, 2 * one / statistics.median(together)
    main = _middle(both, "main") / _middle(both, "all")
    share = max(main, serial(2 * gain / possible))
    cells = [number(_size(Path(rest[-1])) / MEGABYTE), number(one), number(two), number(gain), number(possible)]
    return [title, *cells, percent(main, 1), percent(share, 1), *(number(speed(share, cores)) for cores in _CORES)]


def _middle(found: Sequence[Mapping[str, float]], name: str) -> float:
    return statistics.median(one[name] for one in found)


def _at_once(command: str, rest: Sequence[str]) -> float:
    """The mean wall time of two commands with one job each that run beside each other."""
    walls: list[float] = []

    def measure() -> None:
        walls.append(figures("cores", command, "--quiet", "--jobs", "1", *rest)["wall"])

    threads = [threading.Thread(target=measure) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return statistics.mean(walls)


def _figures(arguments: list[str]) -> dict[str, float]:
    """Run a command here; its output is thrown away."""
    from urisieve.cli import main

    kept = os.dup(1)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    began, used, mine = time.perf_counter(), _used(), time.thread_time()
    main(arguments)
    sys.stdout.flush()
    found = {"wall": time.perf_counter() - began, "all": _used() - used, "main": time.thread_time() - mine}
    os.dup2(kept, 1)
    return found


def _used() -> float:
    """The seconds of processor time of this process and of those that it has awaited."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


if __name__ == "__main__":
    print(json.dumps(_figures(sys.argv[1:])))
