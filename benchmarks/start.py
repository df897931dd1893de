"""What starting costs: whole processes against one that does nothing, and the time to the first record."""

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
from benchmarks.measure import median, turns
from benchmarks.settings import Settings

__all__ = ["report"]

_NOTHING = "`python -c pass`"
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
    commands = {
        _NOTHING: [python, "-c", "pass"],
        "`python -c 'import urisieve'`": [python, "-c", "import urisieve"],
        "`python -c 'import urisieve; urisieve.normalize(...)'`": [
            python,
            "-c",
            "import urisieve; urisieve.normalize('HTTP://example.com')",
        ],
        "`python -m urisieve --version`": [python, "-m", "urisieve", "--version"],
    }
    script = shutil.which("urisieve", path=f"{Path(python).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if script:
        commands["`urisieve --version`"] = [script, "--version"]
    runs = _TIMES * settings.runs
    seconds = {name: median(taken).wall for name, taken in turns(commands, runs).items()}
    seconds["`python -m urisieve extract`, to its first record"] = statistics.median(
        _first_record() for _ in range(runs)
    )
    rows = [[name, number(1e3 * spent), number(1e3 * (spent - seconds[_NOTHING]))] for name, spent in seconds.items()]
    yield f"Starting, in milliseconds:\n\n{table(['process', 'ms', 'more than nothing'], rows)}"
