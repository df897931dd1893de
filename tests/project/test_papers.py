"""README and docs say what the program does: every command and every output in them is real."""

from __future__ import annotations

import doctest
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.folders import ROOT

README = (ROOT / "README.md").read_text("utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def _console_sessions() -> list[Any]:
    """The console blocks of all pages: the commands of each, with the output that follows each of them."""
    sessions = []
    for page in PAGES:
        for number, block in enumerate(re.findall(r"```console\n(.*?)```", page.read_text("utf-8"), re.DOTALL), 1):
            parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
            session = [(command, output) for command, _, output in (part.partition("\n") for part in parts)]
            sessions.append(pytest.param(session, id=f"{page.stem}-{number}-{session[0][0][:40]}"))
    return sessions


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which there are the samples and nothing else, where examples may leave files."""
    place = tmp_path / "folder"
    place.mkdir()
    shutil.copytree(ROOT / "samples", place / "samples", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(place)
    return place


@pytest.mark.sampled(11)
@pytest.mark.parametrize("session", _console_sessions())
def test_console_blocks(session: list[tuple[str, str]], tmp_path: Path, folder: Path) -> None:
    program = tmp_path / "urisieve"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m urisieve "$@"\n', "utf-8")
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    for command, output in session:
        result = subprocess.run(
            ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False
        )
        assert (result.stdout, result.stderr) == (output, ""), command


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_python_sessions(page: Path, folder: Path) -> None:  # C15
    for name in re.findall(r"^>>> import (\w+)", page.read_text("utf-8"), re.MULTILINE):
        pytest.importorskip(name)
    failures, tried = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    sessions = page.read_text("utf-8").count("```pycon")
    assert (failures, tried >= sessions) == (0, True)


def test_there_are_examples() -> None:
    assert len(_console_sessions()) > 10
    assert sum(page.read_text("utf-8").count("```pycon") for page in PAGES) > 5


def test_the_hard_cases_of_the_readme() -> None:
    import urisieve

    table = README.split("| text | urisieve |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| (`.*?`) \| (.*?) \|", table, re.MULTILINE)
    assert len(rows) == 6
    for text, expected in rows:
        found = list(urisieve.sieve(text.strip("`").replace("⏎", "\n")))
        assert [one.uri if isinstance(one, urisieve.Record) else f"rejected: `{one.reason}`" for one in found] == [
            expected.strip("`") if expected.startswith("`") else expected
        ], text


def test_the_page_of_codes_is_the_table() -> None:
    spec = importlib.util.spec_from_file_location("print_codes", ROOT / "tools" / "print_codes.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (ROOT / "docs" / "codes.md").read_text("utf-8") == module.page()


def _prose(page: Path) -> str:
    """A page without its blocks and spans of code, in which nothing is a link."""
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "code", text, flags=re.DOTALL)


def _anchors(page: Path) -> set[str]:
    """The anchors of the headings of a page, as code hosts and the site name them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    anchors: set[str] = set()
    for title in re.findall(r"^#{1,4} (.*)$", text, re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)|[`*]", r"\1", title)
        slug = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        number = 0
        while (anchor := f"{slug}-{number}" if number else slug) in anchors:
            number += 1
        anchors.add(anchor)
    return anchors


def test_anchors_are_those_of_code_hosts(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A `b-c` & D\n## Is it [so](x.md)?\n## One\n## One\n```sh\n# no heading\n```\n", "utf-8")
    assert _anchors(page) == {"a-b-c--d", "is-it-so", "one", "one-1"}


_LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in _LINK.findall(_prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        assert file.exists(), target
        if anchor:
            assert file.suffix == ".md", target
            assert anchor in _anchors(file), target


_PLACE = re.compile(r"((?:`\w+`(?:, | and )?)+)\s*(?:in\s|\()\s*`([\w/]+\.py)`")


def test_each_name_of_the_guides_is_in_its_module() -> None:
    """Where a page about the code says "`NAME` in `module.py`" or "`NAME` (`module.py`)"."""
    pages = (ROOT / "CONTRIBUTING.md", ROOT / "docs" / "architecture.md")
    places = [place for page in pages for place in _PLACE.findall(page.read_text("utf-8"))]
    assert len(places) > 30
    for names, module in places:
        file = ROOT / module if module.startswith("tests/") else ROOT / "src/urisieve" / module
        for name in re.findall(r"\w+", names.replace(" and ", " ")):
            assert re.search(rf"^\s*(?:(?:async )?def |class )?{name}\b", file.read_text("utf-8"), re.M), (name, module)


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_of_the_site_stay_in_its_folder(page: Path) -> None:
    """To pages of docs/ and, as the site leaves them out, to folders of the sources beside it: to no other file."""
    docs = (ROOT / "docs").resolve()
    for target in _LINK.findall(_prose(page)):
        if not re.match(r"[a-z]+:|#", target):
            file = (page.parent / target.partition("#")[0]).resolve()
            assert docs in file.parents or file.is_dir(), target


def test_fields_of_a_record_are_those_of_the_schema() -> None:
    import urisieve
    from urisieve.records.base import CONTEXT_NAMES

    fields = [*urisieve.parse("http://example.com/").as_dict(parts=True), *CONTEXT_NAMES]
    page = (ROOT / "docs" / "records.md").read_text("utf-8")
    named = re.findall(
        r"`([a-z_]+)`", "".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| `"))
    )
    assert sorted(named) == sorted(fields)


def test_ci_runs_the_readmes_test_command() -> None:
    assert ".venv/bin/python -m pytest -n auto\n" in README
    assert ".venv/bin/python -m pytest -n auto\n" in (ROOT / ".ci" / "run").read_text("utf-8")


def test_the_readme_is_short() -> None:
    assert len(README.split()) <= 1_200
