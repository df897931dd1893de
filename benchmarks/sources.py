"""What people have, as whole commands: a mailbox, and a log in gzip beside `zcat` with the command behind it."""

from __future__ import annotations

import gzip
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from shlex import join

from benchmarks.markdown import number, table
from benchmarks.measure import Run, median, ratio, turns
from benchmarks.settings import Settings

__all__ = ["report"]

_EXTRACT = [sys.executable, "-m", "urisieve", "extract", "--quiet", "--jobs", "1"]


def report(settings: Settings) -> Iterator[str]:
    """A table of mailboxes, and one of compressed logs."""
    boxes = {path.name: path for path in settings.inputs} or {"mail": settings.made("mail", settings.size).path}
    rows = []
    for name, path in boxes.items():
        size = path.stat().st_size / 1e6
        commands = {
            "text": [*_EXTRACT, "--input", "mail", str(path)],
            "jsonl": [*_EXTRACT, "--input", "mail", "--format", "jsonl", str(path)],
        }
        runs = turns(commands, settings.runs)
        rows.append([name, number(size), *_cells(size, runs["text"]), *_cells(size, runs["jsonl"])])
    head = ["mailbox", "MB", "MB/s", "peak MB", "`--format jsonl` MB/s", "peak MB"]
    yield f"Mailboxes, with all that mail is made of, on one core:\n\n{table(head, rows)}"
    if settings.inputs or not (shutil.which("zcat") and shutil.which("sh")):
        return
    log = settings.made("access", settings.size).path
    packed = _packed(log, settings.folder / "access.gz")
    commands = {
        "ours": [*_EXTRACT, str(packed)],
        "zcat": ["sh", "-c", f"zcat {join([str(packed)])} | {join([*_EXTRACT, '-'])}"],
    }
    runs = turns(commands, settings.runs)
    packed.unlink()
    size = log.stat().st_size / 1e6
    row = ["access log", number(size), *_cells(size, runs["ours"]), number(ratio(runs["ours"], runs["zcat"]))]
    head = ["gzip", "MB unpacked", "MB/s", "peak MB", "its time, where that of `zcat \\| urisieve extract -` is 1"]
    yield f"A compressed log:\n\n{table(head, [row])}"


def _packed(path: Path, packed: Path) -> Path:
    with path.open("rb") as file, gzip.open(packed, "wb", compresslevel=6) as output:
        shutil.copyfileobj(file, output)
    return packed


def _cells(size: float, runs: list[Run]) -> list[str]:
    middle = median(runs)
    return [number(size / middle.wall), number(middle.peak)]
