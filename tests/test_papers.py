"""README and docs say what the program does: every command and every output in them is real."""

from __future__ import annotations

import doctest
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def _console_sessions() -> list[tuple[str, str]]:
    """The commands of the console blocks, each with the output that follows it."""
    sessions = []
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            sessions.append((command, output))
    return sessions


@pytest.mark.parametrize(("command", "output"), _console_sessions(), ids=lambda value: value[:40])
def test_readme_console(command: str, output: str, tmp_path: Path) -> None:
    program = tmp_path / "urisieve"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m urisieve "$@"\n', "utf-8")
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    result = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    assert result.stderr == ""
    assert result.stdout == output


def test_readme_python() -> None:
    failures, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    assert (failures, tried > 8) == (0, True)


_ROW = re.compile(r"^\| (.*) \| (.*) \|$", re.MULTILINE)


def test_readme_found_table() -> None:
    import urisieve

    table = README.split("| text | found |")[1].split("\n\n")[0]
    rows = [row for row in _ROW.findall(table) if not row[0].startswith("---")]
    assert len(rows) == 9
    for text, expected in rows:
        source = text.strip("`").replace("⏎", "\n")
        found = [re.sub(r"\s", "", record.raw) for record in urisieve.extract(source)]
        rejected = [value for value in urisieve.sieve(source) if isinstance(value, urisieve.Rejection)]
        assert found == ([] if expected.startswith("nothing") else [expected.strip("`")]), text
        assert bool(rejected) == ("rejected" in expected), text


def test_readme_key_table() -> None:
    import urisieve

    table = README.split("| one key | different keys |")[1].split("\n\n")[0]
    rows = [row for row in _ROW.findall(table) if not row[0].startswith("---")]
    assert len(rows) == 6
    for same, different in rows:
        assert urisieve.equivalent(*re.findall("`([^`]*)`", same)), same
        assert not urisieve.equivalent(*re.findall("`([^`]*)`", different)), different


def test_the_page_of_codes_is_the_table() -> None:
    spec = importlib.util.spec_from_file_location("print_codes", ROOT / "tools" / "print_codes.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (ROOT / "docs" / "codes.md").read_text("utf-8") == module.page()


def test_links_between_pages_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_readme_fields_of_a_record_are_those_of_the_schema() -> None:
    import urisieve

    fields = urisieve.parse("http://example.com/").as_dict()
    page = (ROOT / "docs" / "records.md").read_text("utf-8")
    named = re.findall(
        r"`([a-z_]+)`", "".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| `"))
    )
    assert sorted(named) == sorted(fields)


def test_ci_runs_the_readmes_test_command() -> None:
    assert ".venv/bin/python -m pytest\n" in README
    assert ".venv/bin/python -m pytest\n" in (ROOT / ".ci" / "run").read_text("utf-8")
