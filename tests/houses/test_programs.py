"""The programs of docs/how-to/houses.md in the packages for which they are; frames and SQL: tests/project."""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


def _of_datasets(program: str) -> str:
    pytest.importorskip("datasets")
    return _printed(program)


def _of_datatrove(program: str) -> str:
    pytest.importorskip("datatrove")
    return _printed(program)


def _of_fastapi(program: str) -> str:
    pytest.importorskip("fastapi")
    pytest.importorskip("httpx")
    names: dict[str, Any] = {}
    exec(program, names)
    with pytest.importorskip("fastapi.testclient").TestClient(names["app"]) as client:
        links = client.get("/links", params={"text": "see HTTP://u:p@EXAMPLE.com/a"}).json()
    return f"{[(link['uri'], link['start']) for link in links]}\n"


def _of_jupyter(program: str) -> str:
    return f"{_shown(program)[0]}\n"


def _printed(program: str) -> str:
    """What a program prints that runs for itself, in the folder of the samples, and looks for nothing elsewhere."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONUTF8": "1", "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _shown(cell: str) -> tuple[str, str]:
    """What a notebook shows of the value of a cell, as text and as HTML."""
    settings = pytest.importorskip("traitlets.config").Config(HistoryManager={"enabled": False})
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell(config=settings)
    with contextlib.redirect_stdout(io.StringIO()):
        result = shell.run_cell(cell)
    result.raise_error()
    shown, _ = shell.display_formatter.format(result.result)
    return shown["text/plain"], shown.get("text/html", "")


RUNS: dict[str, Callable[[str], str]] = {
    "Hugging Face datasets": _of_datasets,
    "datatrove": _of_datatrove,
    "FastAPI": _of_fastapi,
    "Jupyter": _of_jupyter,
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The samples as the pages name them, and caches and settings of the packages elsewhere than at home."""
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "HF_HOME", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path))


def test_each_program_is_run() -> None:
    assert list(PROGRAMS) == list(RUNS)


@pytest.mark.parametrize("house", PROGRAMS)
def test_a_program_is_short(house: str) -> None:
    lines = [one for one in ast.parse(PROGRAMS[house][0]).body if not isinstance(one, (ast.Import, ast.ImportFrom))]
    assert 1 <= len(lines) <= 3
    assert sum(one.end_lineno - one.lineno + 1 for one in lines if one.end_lineno) <= 3


@pytest.mark.parametrize("house", PROGRAMS)
def test_a_program_prints_what_the_page_shows(house: str) -> None:
    program, printed = PROGRAMS[house]
    assert RUNS[house](program) == printed


def test_a_notebook_shows_no_password() -> None:
    text, html = _shown("from urisieve import check\ncheck('http://joe:secret@evil.example/')")
    assert "secret" not in text + html
    assert "hxxp://joe:***@evil[.]example/" in html
