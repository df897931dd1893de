"""How the tests of the command line run it: inside this process, or as one of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from urisieve.cli import main

COMMAND = (sys.executable, "-W", "error", "-m", "urisieve")


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
    done = subprocess.run([*COMMAND, *argv], input=stdin, capture_output=True, check=False, timeout=60, **more)
    return Outcome(done.returncode, done.stdout, done.stderr.decode())


def prepared(code: str, *argv: str) -> Outcome:
    """Run the command as a process of its own, after some code.

    What the code puts in place of parts of the program reaches the workers, too: they are copies of a process without
    threads.
    """
    script = f"{code}\nimport sys\nfrom urisieve.cli import main\nsys.exit(main())"
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", script, *argv]
    done = subprocess.run(command, capture_output=True, check=False, timeout=60, env={**os.environ, **paths})
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
