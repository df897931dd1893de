"""Files that grow: appending, rotation, truncation, files that appear later, and the end."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path

import pytest

from urisieve import Options, ReadingOptions, Record, Scanner
from urisieve.codes import Warn
from urisieve.records.layouts import COLUMNS
from urisieve.runs.following import FollowingSieve, Stop, followed_steps, stopped_by_signals
from urisieve.runs.growing_files import Change, Followed, follow
from urisieve.runs.part_sieve import PartSettings
from urisieve.runs.run_steps import ResolvedBatches
from urisieve.sources.bytes.reading import BLOCK_SIZE
from urisieve.sources.tally import Tally


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
) -> list[tuple[str, bytes | Change]]:
    """Names, and bytes (joined) or changes; `CAUGHT_UP` is left out."""
    events = follow([str(path) for path in paths], stop=Steps(*steps), tally=tally or Tally())
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


REWRITTEN = "was cut and written anew; it is read from its start"


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        # I7: cut and rewritten, longer or as long, between two polls.
        (b"1\n", b"first\n2\n", [b"1\n", None, b"first\n2\n"]),
        (b"1\n", b"2\n", [b"1\n", None, b"2\n"]),
        # What grew, and what begins with what was read.
        (b"1\n", b"1\n2\n", [b"1\n2\n"]),
        (b"1\n", b"1\n", [b"1\n"]),
        (b"", b"1\n", [b"1\n"]),
    ],
)
def test_what_is_cut_and_rewritten_between_two_looks(
    log: Path, before: bytes, after: bytes, found: list[bytes | None]
) -> None:
    log.write_bytes(before)
    tally = Tally()
    expected = [("a", Change.RESTARTED if data is None else data) for data in found]
    assert seen([log], lambda: None, lambda: log.write_bytes(after), lambda: None, tally=tally) == expected
    is_new = None in found
    assert tally.read["truncation of a followed file"] == is_new
    assert tally.messages == ([f"{log}: {REWRITTEN}"] if is_new else [])


def test_it_is_rewritten_while_it_is_read(log: Path) -> None:
    """More than one turn is read; what is left of the first text is not joined to the second."""
    log.write_bytes(b"x" * BLOCK_SIZE * 40)
    other = log.with_name("b")
    tally = Tally()
    events = follow([str(log), str(other)], stop=Steps(lambda: None), tally=tally)
    for _ in range(16):
        assert next(events) == (str(log), Change.GREW, b"x" * BLOCK_SIZE)
    log.write_bytes(b"y" * BLOCK_SIZE * 41)
    assert next(events).change is Change.RESTARTED
    assert b"".join(data for _, _, data in events) == b"y" * BLOCK_SIZE * 41
    assert tally.messages[-1] == f"{log}: {REWRITTEN}"


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


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="a file that can be opened, but not read")
def test_what_can_be_opened_but_not_read(log: Path) -> None:
    tally = Tally()
    found = seen([Path("/proc/self/mem"), log], append(log, b"2\n"), lambda: None, append(log, b"3\n"), tally=tally)
    assert found == [("a", b"1\n"), ("mem", Change.RESTARTED), ("a", b"2\n3\n")]
    assert tally.broken == {("followed file", "unreadable"): 1}
    assert tally.messages == ["/proc/self/mem: Input/output error; waiting for it"]


def test_it_says_when_all_is_given(log: Path) -> None:
    every = follow([str(log)], stop=Steps(append(log, b"2"), lambda: None), tally=Tally())
    events = [event for event, _ in groupby(every)]  # it says so at each look
    assert events == [
        Followed(str(log), Change.GREW, b"1\n"),
        Followed("", Change.CAUGHT_UP),
        Followed(str(log), Change.GREW, b"2"),
        Followed("", Change.CAUGHT_UP),
    ]


def test_a_thread_can_stop_it(log: Path) -> None:
    stop = threading.Event()
    stop.set()
    events = list(follow([str(log)], stop=stop, tally=Tally()))
    assert [event.change for event in events] == [Change.GREW, Change.CAUGHT_UP]


def test_records_come_as_they_are_written(log: Path) -> None:
    scanner = Scanner()
    uris = []
    steps = (append(log, b"see http://e.c"), append(log, b"om/x\nand http://f.com/ "))
    for event in follow([str(log)], stop=Steps(*steps), tally=Tally()):
        uris += [record.raw for record in scanner.feed(event.data.decode())]
    assert uris == ["http://e.com/x", "http://f.com/"]


def test_lines_of_json_are_followed_as_text(log: Path) -> None:
    """F11: escaped slashes are found wherever the file was cut."""
    scanner = Scanner()
    found = []
    steps = [
        append(log, piece)
        for piece in (b'{"u":"https:', b"\\", b"/\\/e.example", b'\\/x"}\n{"u":"', b'ftp:\\/\\/f.example"}\n')
    ]
    for event in follow([str(log)], stop=Steps(*steps), tally=Tally()):
        found += [record.uri for record in scanner.feed(event.data.decode()) if isinstance(record, Record)]
    assert found == ["https://e.example/x", "ftp://f.example/"]


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
    for step in followed_steps(FollowingSieve(settings, ResolvedBatches()), [str(log), str(later)], stop, Tally()):
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


@pytest.mark.parametrize("input_", ["auto", "text"])
def test_text_that_its_name_denies(tmp_path: Path, input_: str) -> None:
    """A text that is named as a page is warned of; the cells of a table, which its name promises, end links."""
    table, page = tmp_path / "a.csv", tmp_path / "b.html"
    table.write_bytes(b"id;link\nx;http://a.example/;1")
    page.write_bytes(b"http://b.example/;1\n")
    settings = PartSettings(Options(), ReadingOptions(input=input_), None, frozenset(("raw", "warnings")))
    steps = Steps(append(table, b'0\nx;"http://c.example/;2" \xff\n'))
    sieve, found, kinds, undecodable = FollowingSieve(settings, ResolvedBatches()), [], Counter[str](), 0
    for step in followed_steps(sieve, [str(table), str(page)], steps, Tally()):
        for batch in step.products:
            found += [(raw, list(codes)) for raw, codes in zip(*map(batch.column, ("raw", "warnings")), strict=True)]
        if step.tally is not None:
            kinds += step.tally.kinds
            undecodable += step.tally.broken["byte", "undecodable"]
    noted, end = ([Warn.NOT_AS_NAMED], "") if input_ == "auto" else ([], ";10")
    assert sorted(found) == [
        (f"http://a.example/{end}", []),
        ("http://b.example/;1", noted),
        ("http://c.example/;2", []),
    ]
    assert kinds == ({"text": 1, "text (not html)": 1} if input_ == "auto" else {"text": 2})
    assert undecodable == 1


@pytest.mark.parametrize("first", [b"id", b"id;link", b"id;link\nx;http://a.exa"])
def test_the_first_line_decides_what_ends_a_cell(tmp_path: Path, first: bytes) -> None:
    whole = b"id;link\nx;http://a.example/;10\n"
    table = tmp_path / "a.csv"
    table.write_bytes(first)
    settings = PartSettings(Options(), ReadingOptions(), None, frozenset(("raw", "warnings")))
    steps = followed_steps(
        FollowingSieve(settings, ResolvedBatches()), [str(table)], Steps(append(table, whole[len(first) :])), Tally()
    )
    assert [raw for step in steps for batch in step.products for raw in batch.column("raw")] == ["http://a.example/"]


HEADER = b"id;link\n"
ROWS = [
    ("jsonl", b'{"u":"http:\\/\\/a.example\\/1"}\n', b'{"u":"http://a.example/', b'2","x":1}\n{"u":"http://a.exam'),
    ("csv", HEADER + b"1;http://a.example/1\n", b"2;http://a.example/", b"2\n3;http://a.exam"),
    ("csv", HEADER + b'1;"http://a.example/1"\n', b'2;"http://a.example/', b'2"\n3;"http://a.exam'),
    ("tsv", HEADER.replace(b";", b"\t") + b"1\thttp://a.example/1\n", b"2\thttp://a.example/", b"2\n3\thttp://a.exam"),
]


@pytest.mark.parametrize(("kind", "first", "begun", "rest"), ROWS)
@pytest.mark.parametrize("change", ["grown", "replaced", "cut"])
def test_rows_are_followed(kind: str, first: bytes, begun: bytes, rest: bytes, change: str, tmp_path: Path) -> None:
    """A row that is cut waits for its end; the rows of a file that takes its place begin anew."""
    log, beside = tmp_path / "a", tmp_path / "b"
    log.write_bytes(first)
    beside.write_bytes(first)
    found: list[str] = []

    def anew() -> None:
        found.append(change)
        if change == "replaced":
            log.rename(tmp_path / "a.1")
        if change != "grown":
            log.write_bytes(first)

    steps = Steps(append(log, begun), append(beside, first), append(log, rest), anew)
    rows = 0
    settings = PartSettings(Options(), ReadingOptions(input=kind), None, frozenset(COLUMNS))
    for step in followed_steps(FollowingSieve(settings, ResolvedBatches()), [str(log), str(beside)], steps, Tally()):
        rows += 0 if step.tally is None else step.tally.read["row"] + step.tally.read["line"]
        for batch in step.products:
            for source, uri, location, start in zip(
                *map(batch.column, ("source", "uri", "location", "byte_start")), strict=True
            ):
                whole = first + begun + rest if source == str(log) else first + first
                if start is not None:  # as in a cell whose quotation marks are never closed
                    assert whole[start:].replace(b"\\", b"").startswith(uri[:10].encode())
                found.append(f"{Path(source).name} {location.row} {uri[-2:]}")
    header = kind != "jsonl"
    more = 4 if header else 2  # in a table behind a header again, which is a row there
    before = [f"a {header + 1} /1", f"b {header + 1} /1", f"b {more} /1", f"a {header + 2} /2"]
    # What a row begins with is searched when its file ends.
    again = [f"a {header + 1} /1"] if change != "grown" else []
    assert [one for one in found if not one.endswith("am") and not one.endswith("m/")] == [*before, change, *again]
    assert rows


def test_a_reader_that_fails_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyError

    log = tmp_path / "a"
    log.write_bytes(b"{}\n")
    monkeypatch.setattr("urisieve.runs.document_sieve.DocumentSieve.batches", broken)
    settings = PartSettings(Options(), ReadingOptions(input="jsonl"), None, frozenset(["uri"]))
    with pytest.raises(KeyError):
        list(followed_steps(FollowingSieve(settings, ResolvedBatches()), [str(log)], Steps(), Tally()))


def test_a_run_that_follows_is_stopped_by_a_signal() -> None:
    ignored = signal.signal(signal.SIGINT, signal.SIG_IGN)
    before = signal.getsignal(signal.SIGTERM)
    try:
        stop = Stop()
        with stopped_by_signals(stop):
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
    stop = Stop()
    threading.Timer(0.01, stop.set).start()
    assert stop.wait(3_600)
