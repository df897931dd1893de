"""The jobs for which programmers come: each is a program of at most fifteen lines, and does what it prints.

Each program begins with what it is for, and ends with what it prints, after a line `# prints:`. The lines between are
counted without empty ones. `tools/check_types.py` looks at their types.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parent.parent
PROGRAMS: Final = sorted(HERE.glob("*/*.py"))
LINES: Final = 15
_PARTS: Final = re.compile(r'"""(?P<purpose>.+?)"""\n(?P<body>.*\n)# prints:\n(?P<output>(?:# .*\n)*)', re.DOTALL)
# What a program needs that the tests can do without.
NEEDED: Final = ("pandas", "polars", "pyarrow")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_prints_what_it_says(path: Path) -> None:
    code = path.read_text("utf-8")
    for name in NEEDED:
        if re.search(rf"^(?:import|from) {name}\b", code, re.MULTILINE):
            pytest.importorskip(name)
    parts = _PARTS.fullmatch(code)
    assert parts is not None, "a program is a docstring, statements, and what they print"
    done = subprocess.run(
        [sys.executable, str(path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [line.removeprefix("# ") for line in parts["output"].splitlines()]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_is_short(path: Path) -> None:
    parts = _PARTS.fullmatch(path.read_text("utf-8"))
    assert parts is not None
    assert len([line for line in parts["body"].splitlines() if line.strip()]) <= LINES


def test_all_jobs_are_here() -> None:
    assert len(PROGRAMS) >= 32
