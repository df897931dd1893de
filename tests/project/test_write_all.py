"""One command runs all tools that write what is made of the code."""

from __future__ import annotations

import pytest

import write_all
from tests.helpers.folders import ROOT

pytestmark = pytest.mark.once  # reads the tools


def test_each_tool_that_writes_is_run_or_left_out_by_name() -> None:
    names = (path.stem for path in (ROOT / "tools").glob("*.py"))
    tools = {name for name in names if name.startswith(("print_", "make_", "draw_"))}
    run = {tool for (tool, *_), _ in write_all.STEPS} - {"generate_kernel_tables"}
    assert run | write_all.LEFT_OUT == tools
    assert not run & write_all.LEFT_OUT


def test_each_file_that_gets_what_a_tool_prints_exists() -> None:
    targets = [target for _, target in write_all.STEPS if target is not None]
    assert len(targets) == len(set(targets)) > 5
    assert all((ROOT / target).is_file() for target in targets)
