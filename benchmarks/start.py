"""What starting costs: whole processes against one that does nothing, and the time to the first record.

Bytecode is cached, as it is after the first start of an installed package; processor time is that of user and system.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.markdown import number, table
from benchmarks.measure import median, run, turns
from benchmarks.settings import Settings

__all__ = ["report"]

_NOTHING = "`python -I -S -c pass`"
_SAMPLE = str(Path(__file__).resolve().parent.parent / "samples" / "access.log")
# A process is over in a moment and its time scatters more than that of long ones.
_TIMES = 3


def _first_record() -> float:
    """Seconds from the start of a process to its first record, while its input goes on."""
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "urisieve", "extract", "--quiet"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"see http://example.com/a and more\n")
        process.stdin.flush()
        os.read(process.stdout.fileno(), 1)
        seconds = time.perf_counter() - started
        process.stdin.close()
        process.stdout.read()
    return seconds


def report(settings: Settings) -> Iterator[str]:
    """One table, a row a command."""
    python = sys.executable
    international = settings.folder / "international.txt"
    international.write_text("see http://b\u00fccher.example/\u00fc\n", encoding="utf-8")
    commands = {
        _NOTHING: [python, "-I", "-S", "-c", "pass"],
        "`python -c pass`": [python, "-c", "pass"],
        "`python -c 'import urisieve'`": [python, "-c", "import urisieve"],
        "`python -c 'import urisieve; urisieve.normalize(...)'`": [
            python,
            "-c",
            "import urisieve; urisieve.normalize('HTTP://example.com')",
        ],
        "`python -m urisieve extract access.log`": [python, "-m", "urisieve", "extract", _SAMPLE],
        "the same with `--unique`": [python, "-m", "urisieve", "extract", "--unique", _SAMPLE],
        "one international link": [python, "-m", "urisieve", "extract", str(international)],
        "`python -m urisieve stats access.log`": [python, "-m", "urisieve", "stats", _SAMPLE],
        "`python -m urisieve --version`": [python, "-m", "urisieve", "--version"],
    }
    script = shutil.which("urisieve", path=f"{Path(python).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if script:
        commands["`urisieve --version`"] = [script, "--version"]
    runs = _TIMES * settings.runs
    run([python, "-m", "urisieve", "extract", "--unique", _SAMPLE])
    spent = {name: median(taken) for name, taken in turns(commands, runs).items()}
    first = statistics.median(_first_record() for _ in range(runs))
    nothing = spent[_NOTHING]
    rows = [[name, *map(_milliseconds, (one.wall, one.cpu, one.cpu - nothing.cpu))] for name, one in spent.items()]
    rows.append(["`python -m urisieve extract`, to its first record", _milliseconds(first), "", ""])
    head = ["process", "ms", "ms of the processor", "more than nothing"]
    yield f"Starting:\n\n{table(head, rows)}"


def _milliseconds(seconds: float) -> str:
    return number(1e3 * seconds)
