"""Runs of the command by processes that have one engine or the other."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from tests.helpers.cli_support import call

__all__ = ["Engine", "Ran", "ran"]

# Seconds in a line for people; what a run is given to write to.
_SECONDS = re.compile(r"\b[0-9.]+ s(?=$|;)", re.MULTILINE)
OUT = "{out}"


class Ran(NamedTuple):
    """What a run of the command has left: all but the time that it took."""

    status: int
    out: str
    said: str
    written: str


def ran(argv: Sequence[str], part: int | None = None) -> Ran:
    """Run the command in this process; `{out}` in an argument is a folder for outputs.

    Args:
        argv: the arguments.
        part: the bytes of a part of a file, for files that are cut.
    """
    import urisieve.runs.run as engine
    from urisieve.runs.file_parts import PART_SIZE

    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(engine, "PART_SIZE", PART_SIZE if part is None else part),
    ):
        found = call(*(argument.replace(OUT, folder) for argument in argv))
        files = sorted(path for path in Path(folder).iterdir() if path.suffix != ".db")
        written = "".join(f"{path.name}\n{_content(path)}" for path in files)
        said = _SECONDS.sub("", found.err).replace(folder, OUT)
    return Ran(found.status, found.out.decode("utf-8", "backslashreplace"), said, written)


def _content(path: Path) -> str:
    data = path.read_bytes()
    if data[:4] == b"PAR1":
        from pyarrow import parquet

        return json.dumps(parquet.read_table(path).to_pylist(), default=str)
    return data.decode("utf-8", "backslashreplace")


class Engine:
    """A process that runs the command, with the compiled kernel or without.

    It has one thread as long as nothing loads a library that starts others, so that its workers are copies of it.
    """

    def __init__(self, *, is_pure: bool) -> None:
        self._environment = {
            **os.environ,
            "URISIEVE_PURE": str(int(is_pure)),
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        self._process: subprocess.Popen[str] | None = None

    def ran(self, argv: Sequence[str], part: int | None = None) -> Ran:
        """Run the command there; see `ran`."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.helpers.engines"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                env=self._environment,
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([list(argv), part]) + "\n")
        self._process.stdin.flush()
        found = Ran(*json.loads(self._process.stdout.readline()))
        if "parquet" in argv:
            self.close()
        return found

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.communicate()
            self._process = None


def _serve() -> None:
    for line in sys.stdin:
        argv, part = json.loads(line)
        print(json.dumps(ran(argv, part)), flush=True)


if __name__ == "__main__":
    _serve()
