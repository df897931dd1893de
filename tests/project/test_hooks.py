"""The hooks for pre-commit: what they run fails where it should, in a repository of Git, whatever is in it."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.cli_support import Outcome, process
from tests.helpers.folders import ROOT

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="Git makes the repository")

_LINE = re.compile(r"(?P<begin>- |  )(?P<name>[a-z_]+): (?P<value>.+)")


def _hooks() -> dict[str, dict[str, Any]]:
    """The hooks by their names, of the part of YAML that the file says it has."""
    hooks: list[dict[str, Any]] = []
    for line in (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        found = _LINE.fullmatch(line)
        assert found is not None, line
        value = found["value"]
        if found["begin"] == "- ":
            hooks.append({})
        if value[0] == '"' or value.startswith('["'):
            value = json.loads(value)
        elif value[0] == "[":
            value = re.fullmatch(r"\[([a-z, ]+)\]", value)[1].split(", ")  # type: ignore[index]
        else:
            assert not re.search(r": | #|[\[\]{}'\"&*!|>%@`]", value), line  # which YAML would read in another way
        assert found["name"] not in hooks[-1]
        hooks[-1][found["name"]] = value
    return {hook["id"]: hook for hook in hooks}


HOOKS = _hooks()
# By file: its content, and where links with passwords begin: the line and the column.
FILES: dict[str, tuple[str, list[tuple[int, int]]]] = {
    "a.md": ("# A\n\nsee http://joe:hunter22@a.example/ and http://b.example/\n", [(3, 5)]),
    "a.json": ('{"db": "pg://j:hunter22@db.example/x",\n  "u": "http:\\/\\/j:hunter22@a.example"}\n', [(1, 9), (2, 9)]),
    "page.html": ('<p>\n<a href="https://joe:hunter22@a.example/?x=1&amp;y">x</a>\n', [(2, 10)]),
    "rows.csv": ("id,url\n1,http://a.example/\n2,http://joe:hunter22@a.example/\n", [(3, 3)]),
    ".env": ("A=http://u:${PASSWORD}@a.example/\nB=redis://:hunter22@a.example:1/0\n", [(2, 3)]),
    "sub/ä b.py": ('x = 1\nURL = "http://joe:hunter22@a.example/"  # http://joe:***@a.example/\n', [(2, 8)]),
    "-q.txt": ("http://joe:hunter22@a.example/\n", [(1, 1)]),
    "urisieve.toml": ('[extract]\nschemes = "!http"\n', []),
    "clean.txt": ("http://a.example/ http://joe@a.example/ http://u:<password>@a.example/ none: here\n", []),
    "mail.eml": ("From: a@b.example\nSubject: x\n\nhttp://joe:hunter22@a.example/\n", [(4, 1)]),
}  # fmt: skip


def _git(folder: Path, *argv: str) -> bytes:
    return subprocess.run(["git", *argv], cwd=folder, check=True, capture_output=True).stdout


def _ran(folder: Path, *more: str) -> Outcome:
    """What pre-commit would run on the files that are to be committed."""
    hook = HOOKS["passwords-in-links"]
    names = _git(folder, "diff", "--cached", "--name-only", "--no-renames", "-z").decode().split("\0")[:-1]
    program, *words = shlex.split(hook["entry"])
    assert program == "urisieve"
    return process(*words, *(more or hook["args"]), *names, cwd=folder)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    _git(tmp_path, "init", "-q")
    return tmp_path


def _added(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(FILES[name][0], "utf-8")
    _git(folder, "add", "--all")


def test_a_password_fails_with_file_line_and_column(repository: Path) -> None:
    _added(repository, *FILES)
    done = _ran(repository)
    expected = sorted((name, line, column) for name, (_, spots) in FILES.items() for line, column in spots)
    found = [re.fullmatch(r"(.+?):([0-9]+):([0-9]+): [a-z]+:.*:\*\*\*@.*", line) for line in done.lines]
    assert sorted((one[1], int(one[2]), int(one[3])) for one in found if one is not None) == expected
    assert (done.status, done.err, "hunter22" in done.out.decode(), None in found) == (3, "", False, False)


@pytest.mark.parametrize("name", [name for name, (_, spots) in FILES.items() if not spots])
def test_what_has_none_passes(name: str, repository: Path) -> None:
    _added(repository, name)
    assert _ran(repository) == Outcome(0, b"", "")


@pytest.mark.parametrize("name", [name for name, (_, spots) in FILES.items() if spots])
def test_each_file_fails_by_itself(name: str, repository: Path) -> None:
    _added(repository, name)
    assert _ran(repository).status == 3


def test_the_arguments_of_a_user_come_before_the_files(repository: Path) -> None:
    _added(repository, "a.md")
    done = _ran(repository, "--safe", "defang", "--")
    assert (done.status, done.lines) == (3, ["a.md:3:5: hxxp://joe:***@a[.]example/"])


def test_a_file_that_is_not_there_is_an_error(repository: Path) -> None:
    _added(repository, "clean.txt")
    (repository / "clean.txt").unlink()
    done = _ran(repository)
    assert (done.status, "No such file" in done.err) == (2, True)


def test_what_pre_commit_needs_is_there() -> None:
    for name, hook in HOOKS.items():
        assert {"id", "name", "entry", "language", "types"} <= set(hook), name
        assert hook["language"] == "python"
        assert f"$ {hook['entry']} " in (ROOT / "docs" / "command-line.md").read_text("utf-8")
