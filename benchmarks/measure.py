"""Measuring whole commands: wall time, processor time and peak memory as the operating system accounts for them."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

__all__ = ["Run", "median", "run"]


class Run(NamedTuple):
    """One finished command."""

    wall: float
    """Seconds."""
    cpu: float
    """Seconds of user and system time, of all its processes."""
    peak: float
    """Largest resident memory of one of its processes, in MB."""
    output: bytes


def run(command: Sequence[str], *, keep: bool = False, environment: Mapping[str, str] | None = None) -> Run:
    """Run a command to its end; its output is thrown away unless it is to be kept.

    Raises:
        RuntimeError: it failed (an exit status above 1; 1 means that nothing was found).
    """
    started = time.perf_counter()
    kept: list[bytes] = []
    # Not to the null device: there grep stops at its first match.
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, **(environment or {})}
    ) as process:
        assert process.stdout is not None
        while block := os.read(process.stdout.fileno(), 1 << 20):
            if keep:
                kept.append(block)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - started
    if process.returncode > 1:
        raise RuntimeError(f"{' '.join(command)} ended with status {process.returncode}")
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, b"".join(kept))


def median(runs: Sequence[Run]) -> Run:
    """The median of each figure."""
    return Run(
        statistics.median(run.wall for run in runs),
        statistics.median(run.cpu for run in runs),
        statistics.median(run.peak for run in runs),
        runs[-1].output,
    )
