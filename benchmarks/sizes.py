"""Sizes of input from ten bytes to a gigabyte, beside `re`, `rg` and plain programs.

`python -m benchmarks.sizes FILE ROUNDS` measures calls of the library on one text and prints JSON.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

from benchmarks.carried import CARRIERS, carried
from benchmarks.commands import PATTERN, SORTED, UNIQUE, extract, references
from benchmarks.markdown import number, table
from benchmarks.measure import figures, median, turns
from benchmarks.plain_programs import JSON_LOADER
from benchmarks.settings import MEGABYTE, Settings, note
from urisieve import check, extract_each
from urisieve import extract as extract_text

__all__ = ["report"]

# Multiples that are allowed: of `rg -o ... | sort -u` on the largest text of a kind; of a plain program where the start
# is not most of the time; of `re.findall` in a call.
_BARS = {"mail": 1.0, "prose": 1.0, "access": 0.3, "urls": 0.4}
_PROGRAM_BAR, _CALL_BAR = 1.0, 5.0
_PROGRAMS = {
    "HTML": "selectolax",
    "HTML of links": "selectolax",
    "WARC": "fastwarc, selectolax",
    "mail": "`mailbox`",
    "CSV": "`csv`",
    "CSV of links": "`csv`",
    "JSON lines": f"`{JSON_LOADER}`",
    "JSON lines of links": f"`{JSON_LOADER}`",
}
_TEN = 10
_LONG = 10 * MEGABYTE
# The largest text of a call, and how many characters one round of calls is given.
_LARGEST_CALL, _ROUND = 1_000_000, 200_000


def report(settings: Settings) -> Iterator[str]:
    """Yield a table of calls, and for each origin of texts one of texts and one of carriers."""
    yield _calls(settings)
    for origin in settings.origins:
        yield _texts(settings, origin)
        yield _carriers(settings, origin)


def _sizes(least: int, largest: int) -> list[int]:
    sizes = [least]
    while sizes[-1] < largest:
        sizes.append(min(largest, sizes[-1] * _TEN))
    return sizes


def _title(size: int) -> str:
    return f"{size / MEGABYTE:g} MB" if size >= MEGABYTE else f"{size / 1_000:g} KB" if size >= 1_000 else f"{size} B"


def _texts(settings: Settings, origin: str) -> str:
    title = f"Sizes of {origin or 'generated '}texts"
    rows = []
    sizes = _sizes(_TEN, settings.largest)
    for kind in settings.kinds or _BARS:
        for size in sizes:
            text = settings.made(f"{origin}{kind}", size)
            commands = {"ours": extract(text.path, *UNIQUE, jobs=1), "re": _program("text", text.path)}
            commands |= {name: command for name, command in references(text.path).items() if name == SORTED}
            runs = {name: median(some) for name, some in turns(commands, settings.runs).items()}
            row = [text.name, _title(size), number(runs["ours"].cpu), number(runs["ours"].peak)]
            bars = {
                "re": _PROGRAM_BAR if size >= _LONG else None,
                SORTED: _BARS.get(kind) if size == sizes[-1] else None,
            }
            for name, bar in bars.items():
                if name not in runs:
                    row.append("-")
                    continue
                ratio = runs["ours"].cpu / runs[name].cpu
                row.append(settings.cell(ratio, bar, table=title, row=f"{text.name}, {_title(size)}", column=name))
            rows.append(row)
    head = ["text", "size", "s", "peak MB", "/ a program of `re`", f"/ {SORTED}"]
    caption = f"{title}, processor time of `extract --unique --jobs 1` beside others that search:"
    return f"{caption}\n\n{table(head, rows, left=2)}"


def _program(name: str, path: Path) -> list[str]:
    return [sys.executable, "-m", "benchmarks.plain_programs", name, str(path)]


def _carriers(settings: Settings, origin: str) -> str:
    title = f"Sizes of carriers ({origin or 'generated '}texts)"
    sizes = _sizes(1_000, settings.largest)
    rows = []
    for name, carrier in CARRIERS.items():
        if not all(find_spec(module) for module in re.findall(r"selectolax|fastwarc", _PROGRAMS[name])):
            continue
        row = [name, f"{_PROGRAMS[name]} and a pattern"]
        for size in sizes:
            note(f"{title}: {name}, {_title(size)}")
            path = carried(settings, name, origin, size)
            ours = [sys.executable, "-m", "urisieve", "extract", "--quiet", "--unique", "--jobs", "1", str(path)]
            runs = turns({"ours": ours, "theirs": _program(carrier.program, path)}, settings.runs)
            ratio = median(runs["ours"]).cpu / median(runs["theirs"]).cpu
            bar = _PROGRAM_BAR if size >= _LONG else None
            row.append(settings.cell(ratio, bar, table=title, row=name, column=_title(size)))
        rows.append(row)
    head = ["carrier", "beside", *map(_title, sizes)]
    caption = f"{title}, processor time of `extract --unique --jobs 1` where that of a plain program is 1:"
    return f"{caption}\n\n{table(head, rows, left=2)}"


def _calls(settings: Settings) -> str:
    title = "Sizes of texts in a call"
    rows = []
    for kind in settings.kinds or _BARS:
        for size in _sizes(_TEN, min(_LARGEST_CALL, settings.largest)):
            text = settings.made(kind, size)
            found = figures("sizes", str(text.path), str(max(3, settings.runs)))
            regex = found.pop("re.findall")
            row = [kind, _title(size), number(regex)]
            for name, us in found.items():
                at = {"table": title, "row": f"{kind}, {_title(size)}", "column": name}
                row.append(settings.cell(us / regex, _CALL_BAR, **at))
            rows.append(row)
    head = ["text", "size", "`re.findall`, us", *(f"{name} /" for name in _calls_of_text())]
    caption = f"{title}, where the time of `re.findall` of one pattern in the same process is 1:"
    return f"{caption}\n\n{table(head, rows, left=2)}"


def _calls_of_text() -> dict[str, Callable[[str], object]]:
    return {
        "`extract`": lambda text: list(extract_text(text)),
        "`extract_each`": lambda text: list(extract_each([text])),
        "`check`": check,
    }


def _measured(path: Path, rounds: int) -> dict[str, float]:
    """Return the microseconds of each call on a text, the least of some rounds."""
    text = path.read_text("utf-8", "replace")
    times = max(1, _ROUND // len(text))
    pattern = re.compile(PATTERN)
    spent = {}
    calls: dict[str, Callable[[str], object]] = {"re.findall": pattern.findall, **_calls_of_text()}
    for name, call in calls.items():
        call(text)
        least = float("inf")
        for _ in range(rounds):
            started = time.process_time()
            for _ in range(times):
                call(text)
            least = min(least, time.process_time() - started)
        spent[name] = least / times * 1e6
    return spent


if __name__ == "__main__":
    json.dump(_measured(Path(sys.argv[1]), int(sys.argv[2])), sys.stdout)
