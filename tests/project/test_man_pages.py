"""The man pages are those of the commands as they are, and are rendered without a complaint."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from tests.helpers.folders import ROOT
from urisieve.cli.program import COMMANDS, accepted

pytestmark = pytest.mark.once

PAGES = sorted((ROOT / "docs" / "man").glob("*.1"))


def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_man_pages", ROOT / "tools" / "make_man_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_up_to_date() -> None:
    found = {page.name: page.read_text("ascii") for page in PAGES}
    assert found == tool().pages(), "run `python tools/make_man_pages.py`"
    assert set(found) == {"urisieve.1", *(f"urisieve-{name}.1" for name in COMMANDS)}


@pytest.mark.sampled(7)
@pytest.mark.skipif(shutil.which("man") is None or shutil.which("groff") is None, reason="no man, or no groff")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
@pytest.mark.parametrize("columns", [40, 80])
def test_man_shows_them_without_a_warning(page: Path, columns: int) -> None:
    environment = {"PATH": "/usr/bin:/bin", "MANWIDTH": str(columns), "LC_ALL": "C.UTF-8", "MAN_KEEP_FORMATTING": ""}
    done = subprocess.run(["man", "--warnings=all", "-l", page], env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    text = re.sub(r".\x08", "", done.stdout.decode())
    for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO"):
        assert f"\n{title}\n" in text
    command = accepted().get(page.stem.removeprefix("urisieve-"))
    for name in [name for one in command or () for argument in one.options for name in argument.names]:
        assert name in text, name


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="no mandoc")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_mandoc_finds_nothing_wrong(page: Path) -> None:
    done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True, check=False)
    assert [line for line in done.stdout.splitlines() if "missing date" not in line] == []  # that would be a wrong one
