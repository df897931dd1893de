"""From paths to files: folders, patterns, links, what is no file, and lists of paths."""

from __future__ import annotations

import inspect
import os
import socket
import sys
from pathlib import Path

import pytest

from urisieve.errors import InputError, UsageError
from urisieve.sources.containers.folders import HiddenFiles, PathFilter, find_files, listed_paths
from urisieve.sources.tally import Tally

pytestmark = pytest.mark.once


def tree(top: Path, *names: str) -> None:
    for name in names:
        file = top / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")


def found(top: Path, choice: PathFilter | None = None, tally: Tally | None = None) -> list[str]:
    tally = Tally() if tally is None else tally
    return [os.path.relpath(path, top) for path in find_files([str(top)], tally=tally, choice=choice)]


def test_the_order_is_that_of_the_names_depth_first(tmp_path: Path) -> None:
    tree(tmp_path, "b/2", "b/10", "a", "c", "B", "b.txt", "é")
    assert found(tmp_path) == ["B", "a", "b/10", "b/2", "b.txt", "c", "é"]


def test_paths_keep_their_order_and_files_their_names(tmp_path: Path) -> None:
    tree(tmp_path, "z", ".hidden", "d/x")
    given = [str(tmp_path / "z"), "-", str(tmp_path / "d"), str(tmp_path / ".hidden"), "/nowhere/at all"]
    expected = [given[0], "-", str(tmp_path / "d" / "x"), given[3], given[4]]
    assert list(find_files(given, tally=Tally())) == expected


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (PathFilter(), ["a.log", "a.txt", "old/a.log", "old/deep/b.log"]),
        (PathFilter(include=["*.log"]), ["a.log", "old/a.log", "old/deep/b.log"]),
        (PathFilter(include=["*.log"], exclude=["old"]), ["a.log"]),
        (PathFilter(exclude=["old/"]), ["a.log", "a.txt"]),
        (PathFilter(include=["old/*.log"]), ["old/a.log"]),
        (PathFilter(include=["old/**"]), ["old/a.log", "old/deep/b.log"]),
        (PathFilter(include=["**/a.log"]), ["a.log", "old/a.log"]),
        (PathFilter(include=["old/**/b.log"]), ["old/deep/b.log"]),
        (PathFilter(include=["deep"]), ["old/deep/b.log"]),
        (PathFilter(exclude=["old/deep"]), ["a.log", "a.txt", "old/a.log"]),
        (PathFilter(include=["[ab].log"]), ["a.log", "old/a.log", "old/deep/b.log"]),
        (PathFilter(include=["[!a].log"]), ["old/deep/b.log"]),
        (PathFilter(include=["?.txt", "b.*"]), ["a.txt", "old/deep/b.log"]),
        (PathFilter(include=["A.LOG"]), []),
        (PathFilter(include=["a.log\n"]), []),
        (
            PathFilter(hidden=HiddenFiles.READ),
            [".cache/c.log", ".d.log", "a.log", "a.txt", "old/a.log", "old/deep/b.log"],
        ),
    ],
)
def test_patterns(tmp_path: Path, choice: PathFilter, expected: list[str]) -> None:
    tree(tmp_path, "a.log", "a.txt", "old/a.log", "old/deep/b.log", ".d.log", ".cache/c.log")
    assert found(tmp_path, choice) == expected


@pytest.mark.parametrize("glob", ["", "/", "//"])
def test_an_empty_pattern_is_refused(glob: str) -> None:
    with pytest.raises(UsageError, match="matches nothing"):
        PathFilter(include=[glob])


def test_links_are_followed_once(tmp_path: Path) -> None:
    tree(tmp_path, "a/f", "elsewhere/g")
    (tmp_path / "a" / "up").symlink_to("..")
    (tmp_path / "a" / "self").symlink_to("self")
    (tmp_path / "a" / "gone").symlink_to("nowhere")
    (tmp_path / "link").symlink_to("elsewhere")
    tally = Tally()
    assert found(tmp_path, tally=tally) == ["a/f", "elsewhere/g", "link/g"]
    assert tally.skipped == {("folder", "loop"): 1, ("file", "dangling-link"): 2}
    assert not tally.broken


def test_what_is_no_file_is_skipped_in_folders_with_a_count(tmp_path: Path) -> None:
    tree(tmp_path, "f")
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        where = os.getcwd()
        os.chdir(tmp_path)  # the path of a socket may be no longer than 107 bytes
        try:
            listener.bind("socket")
        finally:
            os.chdir(where)
        tally = Tally()
        assert found(tmp_path, tally=tally) == ["f"]
    assert tally.skipped == {("file", "fifo"): 1, ("file", "socket"): 1}
    named = str(tmp_path / "pipe")
    assert list(find_files([named], tally=Tally())) == [named]


def test_a_folder_that_goes_away_costs_only_itself(tmp_path: Path) -> None:
    tree(tmp_path, "a/1", "b/1", "c/1")
    tally = Tally()
    files = find_files([str(tmp_path)], tally=tally)
    assert next(files).endswith("a/1")
    (tmp_path / "b" / "1").unlink()
    (tmp_path / "b").rmdir()
    assert [os.path.relpath(path, tmp_path) for path in files] == ["c/1"]
    assert tally.broken == {("file", "unreadable"): 1}
    assert tally.messages == [f"{tmp_path}/b: No such file or directory"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_folder_costs_only_itself(tmp_path: Path) -> None:
    tree(tmp_path, "a/1", "b/1")
    (tmp_path / "a").chmod(0)
    tally = Tally()
    assert found(tmp_path, tally=tally) == ["b/1"]
    (tmp_path / "a").chmod(0o700)
    assert tally.broken == {("folder", "unreadable"): 1}


def test_depth_costs_no_recursion(tmp_path: Path) -> None:
    depth = 300
    deep = tmp_path.joinpath(*["d"] * depth)
    deep.mkdir(parents=True)
    (deep / "f").write_text("x")
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + depth // 2)
    try:
        paths = found(tmp_path)
    finally:
        sys.setrecursionlimit(limit)
    assert len(paths) == 1


def test_names_that_are_no_utf8(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff.log"
    with open(name, "w"):
        pass
    assert [os.fsencode(path) for path in find_files([str(tmp_path)], tally=Tally())] == [name]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a\nb c\r\n\n d\nlast", ["a", "b c", " d", "last"]),
        (b"a\nb\0c\r\0\0d", ["a\nb", "c\r", "d"]),
        (b"", []),
        (b"\xff\n", ["\udcff"]),
    ],
)
def test_lists_of_paths(tmp_path: Path, data: bytes, expected: list[str]) -> None:
    (tmp_path / "list").write_bytes(data)
    assert list(listed_paths(str(tmp_path / "list"))) == expected


def test_a_list_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "list").write_bytes(b"x" * 300_000)
    with pytest.raises(InputError, match="list of paths"):
        list(listed_paths(str(tmp_path / "list")))
