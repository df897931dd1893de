"""The tables of the kernel are those of Python: each fact stands once, in a row or a rule of the package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import generate_kernel_tables
from tests.helpers.folders import ROOT

pytestmark = pytest.mark.once  # reads the rows in Python and the committed sources, not the kernel


def test_the_tables_are_those_that_the_tool_writes() -> None:
    # By any version of Unicode: what differs between them is left to the finder, see `_SETTLED`.
    for name, text in generate_kernel_tables.generated().items():
        committed = (ROOT / "src" / "kernel" / name).read_text("utf-8")
        assert committed == text, "write it anew by `python tools/generate_kernel_tables.py`"


@pytest.fixture
def other(tmp_path: Path) -> dict[str, str]:
    """An environment in which another urisieve is installed: one that cannot even be imported."""
    (tmp_path / "other" / "urisieve").mkdir(parents=True)
    (tmp_path / "other" / "urisieve" / "__init__.py").write_text("raise RuntimeError('another urisieve')\n")
    return {**os.environ, "PYTHONPATH": str(tmp_path / "other")}


@pytest.mark.long
def test_the_tables_written_are_those_of_the_package_beside_the_tool(tmp_path: Path, other: dict[str, str]) -> None:
    """H9: whatever is installed where the tool is run."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "_kernel.*"))
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "generate_kernel_tables.py", tmp_path / "tools")
    for name in ("tables.h", "tables.c"):
        (tmp_path / "src" / "kernel" / name).unlink()
    command = [sys.executable, str(tmp_path / "tools" / "generate_kernel_tables.py")]
    subprocess.run(command, env=other, cwd=tmp_path, capture_output=True, check=True)
    for name in ("tables.h", "tables.c"):
        assert (tmp_path / "src" / "kernel" / name).read_text("utf-8") == (ROOT / "src" / "kernel" / name).read_text()


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "tool",
    [
        *("generate_kernel_tables", "make_golden_keys", "make_man_pages", "print_api"),
        *("print_codes", "print_pages", "print_reference", "print_rules"),
    ],
)
def test_what_is_written_of_the_package_is_that_of_this_checkout(tool: str, other: dict[str, str]) -> None:
    code = "import runpy, sys; sys.path.insert(0, sys.argv[1]); runpy.run_path(sys.argv[2]); import urisieve"
    tools = ROOT / "tools"
    command = [sys.executable, "-c", f"{code}; print(urisieve.__file__)", str(tools), str(tools / f"{tool}.py")]
    done = subprocess.run(command, env=other, capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()).resolve() == ROOT / "src" / "urisieve" / "__init__.py"


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        (r"\d", "CATEGORY_DIGIT"),
        (r"(?<=a)b", "looks behind"),
        (r"(?s:a)", "flags"),
        (r"(?i:[^a])", "negated"),
        (r"(?:ab)*", "without a bound"),
        (r"(?>ab)*+", "without a bound"),
        (r"(?:ab){1,65}", "large bound"),
        (r"(?:ab){1,3}?", "as little"),
        (r"^a", "does not know"),
        (r"(a)\1", "does not know"),
    ],
)
def test_a_shape_that_the_kernel_cannot_match_is_refused(pattern: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        generate_kernel_tables._Shapes().program(pattern)
