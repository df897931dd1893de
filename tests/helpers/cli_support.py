"""How the tests of the command line run it: inside this process, or as one of its own."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from urisieve.cli import main

COMMAND = (sys.executable, "-W", "error", "-m", "urisieve")
# Seconds after which something that must come is taken not to come, however busy the machine is.
PATIENCE = 300.0


class Outcome(NamedTuple):
    status: int
    out: bytes
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.decode("utf-8").splitlines()

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines]


def call(*argv: str, stdin: bytes = b"") -> Outcome:
    """Run `main` here, with all three streams replaced."""
    out, err = io.BytesIO(), io.StringIO()
    with (
        mock.patch("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin))),
        mock.patch("sys.stdout", io.TextIOWrapper(out, encoding="ascii", write_through=True)),
        mock.patch("sys.stderr", err),
    ):
        status = main(argv)
        return Outcome(status, out.getvalue(), err.getvalue())


def process(*argv: str, stdin: bytes = b"", **more: Any) -> Outcome:
    """Run the command as a process of its own, to its end."""
    done = subprocess.run([*COMMAND, *argv], input=stdin, capture_output=True, check=False, timeout=PATIENCE, **more)
    return Outcome(done.returncode, done.stdout, done.stderr.decode())


def prepared(code: str, *argv: str) -> Outcome:
    """Run the command as a process of its own, after some code.

    What the code puts in place of parts of the program reaches the workers, too: they are copies of a process without
    threads.
    """
    script = f"{code}\nimport sys\nfrom urisieve.cli import main\nsys.exit(main())"
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", script, *argv]
    done = subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE, env={**os.environ, **paths})
    return Outcome(done.returncode, done.stdout, done.stderr.decode())


def start(*argv: str, **more: Any) -> subprocess.Popen[bytes]:
    """Start the command as a process of its own; streams are pipes unless said otherwise."""
    streams: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen([*COMMAND, *argv], bufsize=0, **(streams | more))


def leftovers(folder: os.PathLike[str]) -> list[str]:
    """The temporary files in a folder."""
    return [name for name in os.listdir(folder) if name.endswith(".tmp")]


def is_writing(folder: Path) -> bool:
    """Whether a temporary file in a folder holds something."""
    return any((folder / name).stat().st_size for name in leftovers(folder))


def until(condition: Callable[[], object]) -> None:
    """Wait for what another process does."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def waiting(pipe: int) -> int:
    """The number of bytes in a pipe that nobody has read yet."""
    import fcntl
    import termios

    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def interruptible() -> None:
    """Signals count, though the tests themselves may run where they are ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
