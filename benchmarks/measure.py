"""Measuring whole commands: wall time, processor time and peak memory as the operating system accounts for them."""

from __future__ import annotations

import json
import os
import select
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["PURE", "Run", "figures", "median", "ratio", "run", "turns"]

_ROOT = Path(__file__).resolve().parent.parent
# How often the memory of all processes of a command is added up, in seconds.
_INTERVAL = 0.1
_PIPE = 1 << 20
# Before a command: urisieve without its compiled kernel.
PURE = ("env", "URISIEVE_PURE=1")
# Compiled modules are kept, as those of an installed package are: compiling at each start would halve every ratio.
_WITHOUT = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH")
_LAUNCH = (sys.executable, "-I", "-S", str(Path(__file__).with_name("launch.py")))


class Run(NamedTuple):
    """One finished command."""

    wall: float
    """Seconds."""
    cpu: float
    """Seconds of user and system time, of all its processes."""
    peak: float
    """Largest resident memory of one of its processes, in MB."""
    together: float
    """Largest resident memory of all its processes at once, in MB, as seen ten times a second; pages that two of them
    share count twice."""
    output: bytes = b""


def run(command: Sequence[str], *, keep: bool = False, stdin: Path | None = None) -> Run:
    """Run a command to its end; its output and errors are thrown away unless they are to be kept and shown.

    Raises:
        RuntimeError: it failed (an exit status above 1; 1 means that nothing was found).
    """
    path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
    kept: list[bytes] = []
    together = 0.0
    told, tell = os.pipe()
    try:
        with (
            open(os.devnull if stdin is None else stdin, "rb") as given,
            # Not to the null device: there grep stops at its first match.
            subprocess.Popen(
                [*_LAUNCH, str(tell), *command],
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=None if keep else subprocess.DEVNULL,
                env={name: value for name, value in os.environ.items() if name not in _WITHOUT} | {"PYTHONPATH": path},
                pass_fds=(tell,),
                pipesize=_PIPE,
            ) as process,
        ):
            assert process.stdout is not None
            output = process.stdout.fileno()
            looked = time.perf_counter()
            while True:
                if time.perf_counter() - looked > _INTERVAL:
                    together = max(together, _resident(process.pid))
                    looked = time.perf_counter()
                if not select.select((output,), (), (), _INTERVAL)[0]:
                    continue
                block = os.read(output, _PIPE)
                if not block:
                    break
                if keep:
                    kept.append(block)
        os.close(tell)
        tell = -1
        taken = os.read(told, _PIPE).split()
    finally:
        os.close(told)
        if tell >= 0:
            os.close(tell)
    if not taken or taken[3] not in (b"0", b"1"):
        status = taken[3].decode() if taken else "unknown"
        raise RuntimeError(f"{' '.join(command)} ended with status {status}")
    wall, cpu, peak = map(float, taken[:3])
    return Run(wall, cpu, peak, max(together, peak), b"".join(kept))


def _resident(root: int) -> float:
    """Resident memory of the descendants of a process, in MB; 0 where the system has no `/proc`."""
    parents: dict[int, int] = {}
    try:
        for name in os.listdir("/proc"):
            # Descendants are younger; without this the many others would cost more than is measured.
            if name.isdigit() and int(name) > root:
                parents[int(name)] = _stat(int(name), "stat", 1, after=")")
    except OSError:
        return 0.0
    family = {root}
    for process in sorted(parents):
        if parents[process] in family:
            family.add(process)
    return sum(_stat(process, "statm", 1) for process in family - {root}) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def _stat(process: int, name: str, field: int, *, after: str = "") -> int:
    """A field of a line of figures about a process; 0 where the process has gone."""
    try:
        line = Path(f"/proc/{process}/{name}").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    fields = (line.rpartition(after)[2] if after else line).split()
    return int(fields[field]) if fields else 0


def figures(module: str, *arguments: str, pure: bool = False) -> dict[str, Any]:
    """What a module of this package measures in a process of its own and prints as JSON.

    Args:
        module: its name.
        arguments: what it is given.
        pure: whether urisieve does without its compiled kernel.

    Raises:
        RuntimeError: it failed; it has said why on standard error.
    """
    command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
    result = run([*PURE, *command] if pure else command, keep=True)
    if not result.output:
        raise RuntimeError(f"benchmarks.{module} measured nothing")
    found: dict[str, Any] = json.loads(result.output)
    return found


def turns(commands: Mapping[str, Sequence[str]], runs: int) -> dict[str, list[Run]]:
    """Run commands in turn, `runs` times each, so that the noise of the machine hits all alike."""
    results: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            results[name].append(run(command))
    return results


def median(runs: Sequence[Run]) -> Run:
    """The median of each figure."""
    return Run(
        statistics.median(run.wall for run in runs),
        statistics.median(run.cpu for run in runs),
        statistics.median(run.peak for run in runs),
        statistics.median(run.together for run in runs),
        runs[-1].output,
    )


def ratio(runs: Sequence[Run], reference: Sequence[Run]) -> float:
    """Wall time against that of a reference: the median of the ratios of each turn."""
    return statistics.median(one.wall / other.wall for one, other in zip(runs, reference, strict=True))
