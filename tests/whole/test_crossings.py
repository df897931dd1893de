"""How many modules of the package a command crosses, and how often: in a process of its own, as users start it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from urisieve.kernel import kernel

pytestmark = pytest.mark.skipif(kernel is None, reason="counts what the kernel leaves to Python")

_MESSAGE: Final = "From a@b.example Fri May 31 13:05:07 2024\nFrom: Ann <ann@a.example>\nSubject: Hello\n"
_MAILBOX: Final = (
    f"{_MESSAGE}\nSee http://a.example/x and https://b.example/y?z=1.\n\n"
    f'{_MESSAGE}Content-Type: text/html\n\n<p>See <a href="http://c.example/">this</a></p>\n\n'
)
_MOST_MODULES, _MOST_CROSSINGS = 75, 500


def test_a_small_mailbox_takes_few_crossings(tmp_path: Path) -> None:
    path = tmp_path / "small.mbox"
    path.write_text(_MAILBOX, "utf-8")
    asked = [sys.executable, "tools/count_crossings.py", "-n", "3", "extract", "-q", str(path)]
    first, *pairs = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()
    found = re.fullmatch(r"(\d+) modules with (\d+) crossings; (\d+) modules loaded", first)
    assert found is not None
    assert int(found[1]) <= min(_MOST_MODULES, int(found[3])), first
    assert int(found[2]) <= _MOST_CROSSINGS, first
    assert len(pairs) == 3
