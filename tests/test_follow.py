"""Files that grow: appending, rotation, truncation, files that appear later, and the end."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from urisieve import Options, ReadingOptions, Scanner
from urisieve.errors import UsageError
from urisieve.runs.following import Stop, followed_steps, stopped_by_signals
from urisieve.runs.part_sieve import PartSettings, PartSieve
from urisieve.runs.run_steps import ResolvedBatches
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


def test_steps_come_as_files_grow(log: Path, tmp_path: Path) -> None:
    later = tmp_path / "b"
    log.write_bytes(b"http://a.example/1 http://a.ex")
    settings = PartSettings(Options(), ReadingOptions(), None, frozenset(("raw", "source")))
    stop = Steps(
        append(log, b"ample/2"),
        both(lambda: log.rename(tmp_path / "a.1"), append(log, b"http://c.example/")),
        append(later, b"http://d.example/ "),
        log.unlink,
        lambda: None,
    )
    found: list[object] = []
    for step in followed_steps(PartSieve(settings, ResolvedBatches()), [str(log), str(later)], stop, Tally()):
        if step.tally is not None:
            found += [*step.tally.read, *(message.rpartition(": ")[2] for message in step.tally.messages)]
        if step.size:
            found.append(step.size)
        for batch in step.products:
            rows = zip(batch.column("source"), batch.column("raw"), strict=True)
            found += [f"{Path(source).name} {raw}" for source, raw in rows]
        if step.part is not None:
            found.append(f"end of {Path(step.part.path).name}")
    missing = "No such file or directory; waiting for it"
    assert found == [
        *("followed file", missing, 30, "a http://a.example/1", 7),
        *("replacement of a followed file", "a http://a.example/2", 17),
        *("followed file", 18, "b http://d.example/"),
        *(missing, "a http://c.example/", "end of a", "end of b"),
    ]


def test_a_run_that_follows_is_stopped_by_a_signal() -> None:
    ignored = signal.signal(signal.SIGINT, signal.SIG_IGN)
    before = signal.getsignal(signal.SIGTERM)
    try:
        with closing(Stop()) as stop, stopped_by_signals(stop):
            signal.raise_signal(signal.SIGINT)
            assert not stop.is_set()
            assert not stop.wait(0)
            signal.raise_signal(signal.SIGTERM)
            assert stop.is_set()
            signal.raise_signal(signal.SIGTERM)
            assert stop.wait(3_600)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) is before
    finally:
        signal.signal(signal.SIGINT, ignored)
        signal.signal(signal.SIGTERM, before)


def test_who_waits_for_the_end_is_woken() -> None:
    with closing(Stop()) as stop:
        threading.Timer(0.01, stop.set).start()
        assert stop.wait(3_600)
