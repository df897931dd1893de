"""Whole commands side by side: ours find, validate, normalize and deduplicate; the native ones only find."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from benchmarks.markdown import number, table
from benchmarks.measure import PURE, Run, median, ratio, run, turns
from benchmarks.settings import Settings, Text

__all__ = ["PATTERN", "SORTED", "UNIQUE", "extract", "references", "report"]

# Anything with a scheme and `//`, in the characters of RFC 3986; the same in both dialects.
_SCHEME = "[A-Za-z][A-Za-z0-9+.-]*://"
_CHARACTERS = r"A-Za-z0-9._~:/?#@!$&'()*+,;=%"
PATTERN = rf"{_SCHEME}[{_CHARACTERS}\[\]-]+"
"""What the references find, for Rust and Python."""
_POSIX_PATTERN = f"{_SCHEME}[][{_CHARACTERS}-]+"

UNIQUE = ("--unique",)
SORTED = "`rg -o ... | sort -u`"
"""The name of a reference."""
# The first of these that is installed is the one that ratios are taken against.
_REFERENCES = (SORTED, "`rg -o`", "`grep -oE`")


def extract(path: Path, *flags: str, jobs: int) -> list[str]:
    """Our command on a file, read as the plain text that the others take it for."""
    command = [sys.executable, "-m", "urisieve", "extract", "--quiet", "--input", "text"]
    return [*command, *flags, "--jobs", str(jobs), str(path)]


_JSON_LINES = ("--format", "jsonl")


def _ours(path: Path) -> dict[str, list[str]]:
    return {
        "`extract --unique --jobs 1`": extract(path, *UNIQUE, jobs=1),
        "`--unique --jobs 2`": extract(path, *UNIQUE, jobs=2),
        "`extract --jobs 1`": extract(path, jobs=1),
        "`--format jsonl --jobs 1`": extract(path, *_JSON_LINES, jobs=1),
        "`--format jsonl --jobs 2`": extract(path, *_JSON_LINES, jobs=2),
    }


def _pure(path: Path) -> dict[str, list[str]]:
    return {
        "`extract --unique --jobs 1`": [*PURE, *extract(path, *UNIQUE, jobs=1)],
        "`--format jsonl --jobs 1`": [*PURE, *extract(path, *_JSON_LINES, jobs=1)],
    }


def references(path: Path) -> dict[str, list[str]]:
    """The commands that only find, by name, as far as they are installed."""
    rg, grep, sort, shell = (shutil.which(name) for name in ("rg", "grep", "sort", "sh"))
    commands = {}
    if rg:
        find = [rg, "--no-config", "--text", "--only-matching", "--regexp", PATTERN, str(path)]
        if sort and shell:
            commands[SORTED] = [shell, "-c", f"{' '.join(map(quote, find))} | LC_ALL=C {quote(sort)} -u"]
        commands["`rg -o`"] = find
    if grep and shell:
        find = [grep, "-aoE", _POSIX_PATTERN, str(path)]
        commands["`grep -oE`"] = [shell, "-c", f"LC_ALL=C exec {' '.join(map(quote, find))}"]
    return commands


class _Results(NamedTuple):
    """All runs on one text."""

    text: Text
    runs: dict[str, list[Run]]
    reference: str | None

    def speed(self, name: str) -> str:
        return number(self.text.megabytes / median(self.runs[name]).wall)

    def ratio(self, name: str) -> str:
        return "-" if self.reference is None else number(ratio(self.runs[name], self.runs[self.reference]))

    def cpu(self, name: str) -> str:
        return number(median(self.runs[name]).cpu)

    def cpu_ratio(self, name: str) -> str:
        if self.reference is None:
            return "-"
        return number(median(self.runs[name]).cpu / median(self.runs[self.reference]).cpu)

    def memory(self, name: str) -> str:
        middle = median(self.runs[name])
        return f"{middle.peak:.0f} / {middle.together:.0f}"


def report(settings: Settings) -> Iterator[str]:
    """Speed, time against the reference, processor time and memory, a table each."""
    results, pure = [], []
    for text in settings.texts():
        run(["cat", str(text.path)])  # so that no command reads from the disk for the others
        runs = turns({**_ours(text.path), **references(text.path)}, settings.runs)
        reference = next((name for name in _REFERENCES if name in runs), None)
        results.append(_Results(text, runs, reference))
        part = settings.part(text)
        pure.append(_Results(part, turns(_pure(part.path), settings.runs), None))
    if not results:
        return
    names = list(results[0].runs)
    ours = [name for name in names if name not in _REFERENCES]

    def rows(cell: Callable[[_Results, str], str], of: Sequence[str], measured: Sequence[_Results] = results) -> str:
        lines = [[one.text.name, number(one.text.megabytes), *(cell(one, name) for name in of)] for one in measured]
        return table(["text", "MB", *of], lines)

    yield f"Whole commands, start-up included, in MB/s:\n\n{rows(_Results.speed, names)}"
    if results[0].reference is not None:
        yield f"Their processor time, where that of {results[0].reference} is 1:\n\n{rows(_Results.cpu_ratio, ours)}"
        yield f"Their wall time, where that of {results[0].reference} is 1:\n\n{rows(_Results.ratio, ours)}"
    yield f"Their processor time, in seconds:\n\n{rows(_Results.cpu, names)}"
    caption = "Their peak memory in MB, the largest process / all at once (up to 10 may be less):"
    yield f"{caption}\n\n{rows(_Results.memory, names)}"
    yield f"Without the kernel, on a tenth of each text, in MB/s:\n\n{rows(_Results.speed, list(pure[0].runs), pure)}"
