"""Files that grow: appending, rotation, truncation, files that appear later, and the end."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from urisieve import Scanner
from urisieve.errors import UsageError
from urisieve.sources.bytes.reading import BLOCK_SIZE
from urisieve.sources.containers.follow import Change, Followed, FollowFrom, follow
from urisieve.sources.documents import Tally


class Steps:
    """An event whose waiting does the next of some steps, and which is set after the last: no time passes."""

    def __init__(self, *steps: Callable[[], object]) -> None:
        self._steps = list(steps)
        self._set = False

    def is_set(self) -> bool:
        return self._set

    def wait(self, timeout: float) -> bool:
        assert timeout > 0
        if self._steps:
            self._steps.pop(0)()
        else:
            self._set = True
        return self._set


def append(path: Path, data: bytes) -> Callable[[], object]:
    def step() -> None:
        with path.open("ab") as file:
            file.write(data)

    return step


def both(*steps: Callable[[], object]) -> Callable[[], object]:
    return lambda: [step() for step in steps]


def seen(
    paths: Sequence[Path],
    *steps: Callable[[], object],
    tally: Tally | None = None,
    start: FollowFrom = FollowFrom.START,
) -> list[tuple[str, bytes | Change]]:
    """Names, and bytes (joined) or changes; `CAUGHT_UP` is left out."""
    events = follow([str(path) for path in paths], stop=Steps(*steps), tally=tally or Tally(), start=start)
    found: list[tuple[str, bytes | Change]] = []
    for path, change, data in events:
        name = Path(path).name
        if change is Change.GREW:
            last = found[-1] if found else None
            if last is not None and last[0] == name and isinstance(last[1], bytes):
                found[-1] = (name, last[1] + data)
            else:
                found.append((name, data))
        elif change is Change.RESTARTED:
            found.append((name, change))
    return found


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "a"
    path.write_bytes(b"1\n")
    return path


def test_what_is_appended(log: Path) -> None:
    assert seen([log], append(log, b"2\n"), append(log, b"\xc3"), append(log, b"\xa9\n")) == [
        ("a", b"1\n2\n\xc3\xa9\n")
    ]


def test_from_the_end(log: Path, tmp_path: Path) -> None:
    later = tmp_path / "b"
    steps = (append(log, b"2\n"), append(later, b"all of it"))
    expected = [("a", b"2\n"), ("b", Change.RESTARTED), ("b", b"all of it")]
    assert seen([log, later], *steps, start=FollowFrom.END) == expected


def test_rotation_by_rename(log: Path) -> None:
    old = log.with_name("a.1")
    tally = Tally()
    found = seen(
        [log],
        append(log, b"2\n"),
        both(lambda: log.rename(old), append(old, b"late\n"), append(log, b"new\n")),
        append(log, b"more\n"),
        tally=tally,
    )
    assert found == [("a", b"1\n2\nlate\n"), ("a", Change.RESTARTED), ("a", b"new\nmore\n")]
    assert tally.read == {"followed file": 1, "replacement of a followed file": 1}


def test_rotation_with_a_pause(log: Path) -> None:
    tally = Tally()
    found = seen(
        [log],
        lambda: log.rename(log.with_name("a.1")),
        append(log.with_name("a.1"), b"late\n"),
        append(log, b"new\n"),
        tally=tally,
    )
    assert found == [("a", b"1\nlate\n"), ("a", Change.RESTARTED), ("a", b"new\n")]
    assert tally.skipped == {("followed file", "missing"): 1}
    assert tally.messages == [f"{log}: No such file or directory; waiting for it"]


def test_truncation(log: Path) -> None:
    tally = Tally()
    found = seen([log], append(log, b"22222\n"), lambda: log.write_bytes(b"3\n"), append(log, b"4\n"), tally=tally)
    assert found == [("a", b"1\n22222\n"), ("a", Change.RESTARTED), ("a", b"3\n4\n")]
    assert tally.read["truncation of a followed file"] == 1


def test_appearing_and_vanishing(tmp_path: Path) -> None:
    path = tmp_path / "a"
    found = seen([path], lambda: None, append(path, b"1"), path.unlink, lambda: None, append(path, b"2"))
    assert found == [("a", Change.RESTARTED), ("a", b"1"), ("a", Change.RESTARTED), ("a", b"2")]


def test_several_files_take_turns(tmp_path: Path) -> None:
    one, two = tmp_path / "a", tmp_path / "b"
    one.write_bytes(b"x" * BLOCK_SIZE * 40)
    two.write_bytes(b"y")
    found = seen([one, two, one])
    assert [name for name, _ in found] == ["a", "b", "a"]
    assert sum(len(data) for name, data in found if name == "a" and isinstance(data, bytes)) == BLOCK_SIZE * 40


def test_what_cannot_be_followed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    tally = Tally()
    assert seen([tmp_path / "pipe", tmp_path], tally=tally) == []
    assert tally.broken == {("followed file", "unreadable"): 2}
    with pytest.raises(UsageError):
        follow([], stop=Steps(), tally=tally)


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="a file that can be opened, but not read")
def test_what_can_be_opened_but_not_read(log: Path) -> None:
    tally = Tally()
    found = seen([Path("/proc/self/mem"), log], append(log, b"2\n"), lambda: None, append(log, b"3\n"), tally=tally)
    assert found == [("a", b"1\n"), ("mem", Change.RESTARTED), ("a", b"2\n3\n")]
    assert tally.broken == {("followed file", "unreadable"): 1}
    assert tally.messages == ["/proc/self/mem: Input/output error; waiting for it"]


def test_it_says_when_all_is_given(log: Path) -> None:
    events = list(follow([str(log)], stop=Steps(append(log, b"2"), lambda: None), tally=Tally()))
    assert events == [
        Followed(str(log), Change.GREW, b"1\n"),
        Followed("", Change.CAUGHT_UP),
        Followed(str(log), Change.GREW, b"2"),
        Followed("", Change.CAUGHT_UP),
    ]


def test_a_thread_can_stop_it(log: Path) -> None:
    stop = threading.Event()
    stop.set()
    events = list(follow([str(log)], stop=stop, tally=Tally(), interval=60))
    assert [event.change for event in events] == [Change.GREW, Change.CAUGHT_UP]


def test_records_come_as_they_are_written(log: Path) -> None:
    scanner = Scanner()
    uris = []
    steps = (append(log, b"see http://e.c"), append(log, b"om/x\nand http://f.com/ "))
    for event in follow([str(log)], stop=Steps(*steps), tally=Tally()):
        uris += [record.raw for record in scanner.feed(event.data.decode())]
    assert uris == ["http://e.com/x", "http://f.com/"]
