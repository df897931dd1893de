"""No file has two uses in one run of any command: what is read is not written to (A15)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.cli_support import COMMAND, PATIENCE, call, leftovers

TEXT = b"see http://a.example/ and urn:x\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.txt").write_bytes(TEXT)
    Path("list").write_text("in.txt\n")
    Path("folder").mkdir()
    Path("folder", "member").write_bytes(TEXT)
    os.symlink("in.txt", "symbolic")
    os.link("in.txt", "hard")
    os.symlink("folder", "linked")


REFUSED = [
    ("--output", "in.txt", "in.txt"),
    ("--output", "./in.txt", "in.txt"),
    ("--output", "folder/../in.txt", "in.txt"),
    ("--output", "symbolic", "in.txt"),
    ("--output", "hard", "in.txt"),
    ("--output", "in.txt", "symbolic"),
    ("--output", "in.txt", "--format", "jsonl", "--jobs", "2", "hard"),
    ("--output", "folder/member", "folder"),
    ("--output", "linked/member", "folder"),
    ("--output", "folder/member", "linked"),
    ("--output", "in.txt", "--files-from", "list"),
    ("--output", "list", "--files-from", "list"),
    ("--output", "new", "--rejected", "in.txt", "in.txt"),
    ("--output", "new", "--rejected", "list", "--files-from", "list"),
    ("--output", "new", "--rejected", "./new", "in.txt"),
    ("--rejected", "-", "in.txt"),
    ("--output", "missing", "in.txt", "missing"),
    ("--follow", "--output", "in.txt", "in.txt"),
]


@pytest.mark.parametrize("argv", REFUSED, ids=" ".join)
def test_what_is_read_is_not_written_to(argv: tuple[str, ...], tmp_path: Path) -> None:
    before = sorted(os.listdir())
    done = call("extract", *argv)
    assert (done.status, done.out) == (2, b"")
    assert "is read, and is also the file of --" in done.err or "are the same file" in done.err
    assert done.err.count("\n") == 1
    assert sorted(os.listdir()) == before
    assert Path("in.txt").read_bytes() == Path("folder", "member").read_bytes() == TEXT
    assert Path("list").read_text() == "in.txt\n"
    assert leftovers(tmp_path) == leftovers(tmp_path / "folder") == []


@pytest.mark.parametrize("output", ["in.txt", "hard", "./symbolic"])
@pytest.mark.parametrize(
    "argv",
    [
        ("extract", "--unknown", "in.txt", "list", "-o"),
        ("extract", "--known", "in.txt", "list", "-o", "new", "--rejected"),
        ("extract", "-u", "--unknown", "list", "--known", "in.txt", "list", "-o"),
        ("count", "--known", "in.txt", "list", "-o"),
        ("dedupe", "--unknown", "in.txt", "list", "-o"),
        ("dedupe", "--by", "host", "--unknown", "in.txt", "list", "-o"),
        ("dedupe", "--store", "new", "--unknown", "in.txt", "list", "-o"),
        ("dedupe", "--field", "a", "--unknown", "in.txt", "table.csv", "-o"),
        ("dedupe", "--field", "a", "--unknown", "in.txt", "table.csv", "-o", "new", "--unmatched"),
        ("rewrite", "--only-known", "in.txt", "list", "-o"),
    ],
    ids=" ".join,
)
def test_a_list_is_not_written_to(argv: tuple[str, ...], output: str) -> None:
    Path("table.csv").write_text("a\nhttp://a.example/\n")
    before = sorted(os.listdir())
    done = call(*argv, output)
    assert (done.status, done.out) == (2, b"")
    assert "is read, and is also the file of --" in done.err
    assert sorted(os.listdir()) == before
    assert Path("in.txt").read_bytes() == TEXT


@pytest.mark.parametrize(
    "argv",
    [
        ("--output", "new", "in.txt"),
        ("--output", "folder/new", "in.txt", "folder"),  # it is not there while the folder is walked
        ("--output", "/dev/null", "--rejected", "/dev/null", "in.txt"),
        ("--output", "new", "--rejected", "other", "--files-from", "list"),
        ("--output", "new", "in.txt", "hard"),
    ],
    ids=" ".join,
)
def test_other_files_are(argv: tuple[str, ...]) -> None:
    assert call("extract", "--quiet", *argv).status == 0


def _append(*argv: str, stdin: str | None = None) -> subprocess.CompletedProcess[bytes]:
    with open("in.txt", "ab") as out, open(stdin or os.devnull, "rb") as source:
        return subprocess.run(
            [*COMMAND, *argv], stdin=source, stdout=out, stderr=subprocess.PIPE, check=False, timeout=PATIENCE
        )


@pytest.mark.parametrize(
    "run",
    [
        lambda: _append("extract", "in.txt"),
        lambda: _append("extract", "folder", "symbolic"),
        lambda: _append("extract", stdin="in.txt"),
        lambda: _append("normalize", "--invalid", "keep", stdin="in.txt"),
        lambda: _append("check", stdin="hard"),
        lambda: _append("explain", "-", stdin="in.txt"),
        lambda: _append("dedupe", "in.txt"),
        lambda: _append("store", "export", "in.txt"),
    ],
)
def test_standard_output_is_a_file_too(run: Callable[[], subprocess.CompletedProcess[bytes]]) -> None:
    done = run()
    assert (done.returncode, b"is read, and is also the file of" in done.stderr) == (2, True)
    assert Path("in.txt").read_bytes() == TEXT


def test_standard_input_is_a_file_too() -> None:
    for argv in (("--output", "in.txt"), ("--output", "new", "--rejected", "hard", "-")):
        with open("in.txt", "rb") as source:
            done = subprocess.run([*COMMAND, "extract", *argv], stdin=source, capture_output=True, check=False)
        assert (done.returncode, b"standard input: is read" in done.stderr) == (2, True)
    assert Path("in.txt").read_bytes() == TEXT


def test_a_store_is_not_imported_into_itself() -> None:
    done = call("store", "import", "in.txt", "symbolic")
    assert (done.status, "is also the file of the store" in done.err) == (2, True)
    assert Path("in.txt").read_bytes() == TEXT
