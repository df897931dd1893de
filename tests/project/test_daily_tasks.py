"""The ten daily tasks of docs/how-to/mail-and-logs.md: a command for each. What they print, test_papers.py compares."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.folders import ROOT

_PAGE = (ROOT / "docs" / "how-to" / "mail-and-logs.md").read_text("utf-8")
_TEN = _PAGE.partition("\n## Ten daily tasks\n")[2].partition("\n## ")[0]
TASKS = dict(re.findall(r"^### ([^\n]+)\n(.*?)(?=^### |\Z)", _TEN, re.DOTALL | re.MULTILINE))


def test_there_are_ten() -> None:
    assert len(TASKS) == 10


@pytest.mark.parametrize("task", TASKS)
def test_a_task_is_one_command(task: str) -> None:
    assert len(re.findall(r"^(?:\$ )?urisieve ", TASKS[task], re.MULTILINE)) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="files that are open elsewhere cannot be appended to")
def test_a_log_is_followed(tmp_path: Path) -> None:
    (command,) = re.findall(r"^```sh\nurisieve (.*)\n```$", _TEN, re.MULTILINE)
    log = tmp_path / "web.log"
    log.write_text("GET http://a.example/\n", "utf-8")
    with subprocess.Popen(
        [sys.executable, "-m", "urisieve", *shlex.split(command)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as follower:
        assert follower.stdout is not None
        try:
            assert follower.stdout.readline() == "http://a.example/\n"
            with log.open("a", encoding="utf-8") as file:
                file.write("GET HTTP://A.example:80\nGET http://b.example/\n")
            assert follower.stdout.readline() == "http://b.example/\n"
        finally:
            follower.kill()
