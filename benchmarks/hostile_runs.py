"""One command on one hostile file: what it took, how it ended, what it found, whether the links around are there."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["NEXT", "Outcome", "observe"]

NEXT = b"http://next.example/3"
"""The link in a file that follows each hostile one."""

_ROOT = Path(__file__).resolve().parent.parent
_LAUNCH = (sys.executable, "-I", "-S", str(Path(__file__).with_name("launch.py")))
_PIPE = 1 << 20
_COUNTS = re.compile(rb"([\d,]+) (found|rejected)")
_BROKEN = re.compile(rb"broken: ([^\n]*)|Traceback|Error")


class Outcome(NamedTuple):
    """What a run has shown."""

    cpu: float
    """Seconds of user and system time, of all its processes; infinite if it was ended because it took too long."""
    peak: float
    """Largest resident memory of one of its processes, in MB."""
    status: int
    found: int
    rejected: int
    seen: frozenset[bytes]
    """Which of the links asked for came out."""
    said: str
    """The last line of what it said."""


def observe(
    command: Sequence[str],
    looked_for: Sequence[bytes],
    *,
    stdin: Path | None = None,
    seconds: float,
    until: bytes | None = None,
) -> Outcome:
    """Run a command to its end.

    Args:
        command: the words.
        looked_for: texts to look for in what it prints.
        stdin: what it reads.
        seconds: how long it may take by the clock.
        until: a text after which it is interrupted, where it does not end by itself.
    """
    path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
    told, tell = os.pipe()
    seen: set[bytes] = set()
    ended = True
    with (
        open(os.devnull if stdin is None else stdin, "rb") as given,
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            [*_LAUNCH, str(tell), *command],
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**os.environ, "PYTHONPATH": path},
            pass_fds=(tell,),
            pipesize=_PIPE,
            start_new_session=True,
        ) as process,
    ):
        os.close(tell)
        assert process.stdout is not None
        output, rest = process.stdout.fileno(), b""
        limit = time.monotonic() + seconds
        while True:
            if not select.select((output,), (), (), 1.0)[0]:
                if time.monotonic() > limit:
                    os.killpg(process.pid, signal.SIGKILL)
                    ended = False
                    break
                continue
            block = os.read(output, _PIPE)
            if not block:
                break
            text = rest + block
            seen.update(value for value in looked_for if value not in seen and value in text)
            if until is not None and until in text:
                _end(process.pid)
                until = None
            rest = text[-64:]
        process.wait()
        taken = os.read(told, _PIPE).split()
        os.close(told)
        errors.seek(0)
        talk = errors.read()
    counts = {name: int(count.replace(b",", b"")) for count, name in _COUNTS.findall(talk)}
    lines = talk.decode("utf-8", "replace").splitlines() or [""]
    if not ended or len(taken) < 4:
        return Outcome(float("inf"), 0.0, -9, 0, 0, frozenset(seen), lines[-1])
    found, rejected = counts.get(b"found", 0), counts.get(b"rejected", 0)
    _, cpu, peak, status = map(float, taken[:4])
    return Outcome(cpu, peak, int(status), found, rejected, frozenset(seen), lines[-1])


def _end(launcher: int) -> None:
    """End the command that a launcher has started; a job in the background may ignore Ctrl-C."""
    for child in Path(f"/proc/{launcher}/task/{launcher}/children").read_text(encoding="ascii").split():
        os.kill(int(child), signal.SIGTERM)
