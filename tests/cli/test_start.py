"""What a start of `extract` makes before the first byte, by counted work: it is a third of the time of short runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.once  # one start

_COUNTED = """
import enum, json, sys
counts = dict.fromkeys(("classes of enum", "constructors", "patterns"), 0)

def counted(owner, name, what):
    function = getattr(owner, name)
    def call(*given, **named):
        counts[what] += 1
        return function(*given, **named)
    setattr(owner, name, call)

counted(enum.EnumType, "__new__", "classes of enum")
import re._compiler
counted(re._compiler, "compile", "patterns")
from urisieve import lean
counted(lean, "_compiled", "constructors")
from urisieve.cli import main
main(["extract", "-q", sys.argv[1]])
counts["modules"] = sum(name.partition(".")[0] == "urisieve" for name in sys.modules)
print(json.dumps(counts))
"""
# So many are needed today, and a few more.
_MOST = {"classes of enum": 10, "constructors": 12, "patterns": 3, "modules": 76}


def test_a_start_of_extract_makes_few_things(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("see https://example.org/a\n", "utf-8")
    run = [sys.executable, "-c", _COUNTED, str(tmp_path / "a.txt")]
    found, counts = subprocess.run(run, capture_output=True, text=True, check=True).stdout.splitlines()
    assert found == "https://example.org/a"
    made = json.loads(counts)
    assert {what: number for what, number in made.items() if number > _MOST[what]} == {}, made
