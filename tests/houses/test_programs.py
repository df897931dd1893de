"""The programs of docs/how-to/houses.md in the packages for which they are; frames and SQL: tests/project."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.helpers.cli_support import PATIENCE
from tests.helpers.folders import ROOT

_PAGE = (ROOT / "docs" / "how-to" / "houses.md").read_text("utf-8")
_SECTION = re.compile(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
# The program under each heading, and what it prints.
PROGRAMS: dict[str, tuple[str, str]] = {
    heading: (blocks[0], blocks[1])
    for heading, text in _SECTION.findall(_PAGE)
    if (blocks := re.findall(r"^```(?:python|text)\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
}
# The packages that each needs.
NEEDED = {
    "Hugging Face datasets": ["datasets"],
    "datatrove": ["datatrove"],
    "FastAPI": ["fastapi", "httpx"],
    "Jupyter": ["IPython", "pandas"],
}
REQUEST = """
from fastapi.testclient import TestClient

links = TestClient(app).get("/links", params={"text": "see HTTP://u:p@EXAMPLE.com/a"}).json()
print([(link["uri"], link["start"]) for link in links])
"""
# Writes what a notebook shows of the value of a cell, by type.
NOTEBOOK = """
import contextlib, io, json
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

shell = InteractiveShell(config=Config(HistoryManager={"enabled": False}))
with contextlib.redirect_stdout(io.StringIO()):
    result = shell.run_cell(CELL)
result.raise_error()
print(json.dumps(shell.display_formatter.format(result.result)[0]))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the samples, which the programs name."""
    shutil.copytree(ROOT / "samples", tmp_path / "samples", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def _skip_without(*packages: str) -> None:
    for name in packages:
        if find_spec(name) is None:
            pytest.skip(f"{name} is not installed")


def _printed(program: str, folder: Path) -> str:
    """What a program prints that runs in the folder; caches and settings are there, and nothing is fetched."""
    elsewhere = dict.fromkeys(("HOME", "HF_HOME", "IPYTHONDIR"), str(folder))
    environment = {**os.environ, **elsewhere, "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT / "src"), "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _shown(cell: str, folder: Path) -> dict[str, str]:
    shown: dict[str, str] = json.loads(_printed(f"CELL = {cell!r}\n{NOTEBOOK}", folder))
    return shown


def test_each_program_is_run() -> None:
    assert list(PROGRAMS) == list(NEEDED)


@pytest.mark.parametrize("house", PROGRAMS)
def test_a_program_is_short(house: str) -> None:
    statements = ast.parse(PROGRAMS[house][0]).body
    lines = [one for one in statements if not isinstance(one, (ast.Import, ast.ImportFrom))]
    assert 1 <= len(lines) <= 3
    assert all(one.lineno == one.end_lineno for one in lines)


@pytest.mark.parametrize("house", PROGRAMS)
def test_a_program_prints_what_the_page_shows(house: str, folder: Path) -> None:
    _skip_without(*NEEDED[house])
    program, printed = PROGRAMS[house]
    if house == "Jupyter":
        assert f"{_shown(program, folder)['text/plain']}\n" == printed
    else:
        assert _printed(program + (REQUEST if house == "FastAPI" else ""), folder) == printed


def test_a_notebook_shows_no_password(folder: Path) -> None:
    _skip_without("IPython")
    shown = _shown("from urisieve import check\ncheck('http://joe:secret@evil.example/')", folder)
    assert "secret" not in str(shown)
    assert "hxxp://joe:***@evil[.]example/" in shown["text/html"]
