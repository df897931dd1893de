"""Threads share a run where the kernel does nearly all of the work; processes do where it does not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import urisieve.runs.file_parts
import urisieve.runs.run
from tests.cli.test_cli_jobs import said
from tests.helpers.cli_support import PATIENCE, Outcome, call, prepared
from urisieve import Batch, InputError, KeySet, Options, Scanner, Store, UsageError, extract_batches, sieve_into
from urisieve.dedupe.keyset import DigestSet
from urisieve.kernel import compiled
from urisieve.options import Format
from urisieve.runs.workers import Threads, Workers
from urisieve.sinks import FirstSeenSink, FormatSettings, open_output
from urisieve.sources.bytes.reading import read_blocks

LINE = "see http://a.example/{n} and <http://b.example/{n}>, http://u:p@c.example/\n"


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text"
    path.write_text("".join(LINE.format(n=number) for number in range(2_000)))
    return path


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kinds of workers that were started."""
    kinds: list[str] = []
    for kind in (Threads, Workers):
        start: Any = kind.__init__

        def counted(self: object, *given: Any, _name: str = kind.__name__, _start: Any = start, **named: Any) -> None:
            kinds.append(_name)
            _start(self, *given, **named)

        monkeypatch.setattr(kind, "__init__", counted)
    monkeypatch.setattr(urisieve.runs.run, "PART_SIZE", 1_024)
    monkeypatch.setattr(urisieve.runs.run, "_SMALL", 0)
    return kinds


def unique(paths: list[Path], to: Path, jobs: int, options: Options | None = None) -> bytes:
    with open_output(str(to)) as output:
        sieve_into(paths, FirstSeenSink(FormatSettings(Format.TEXT), output, KeySet()), jobs=jobs, options=options)
    return to.read_bytes()


def test_what_the_kernel_knows_is_shared_by_threads(text: Path, tmp_path: Path, used: list[str]) -> None:
    one = unique([text, text], tmp_path / "one", 1)
    assert used == []
    assert unique([text, text], tmp_path / "three", 3) == one != b""
    assert used == (["Threads"] if compiled else ["Workers"])
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("urisieve")]


def test_a_sink_of_others_is_filled_by_processes(text: Path, used: list[str]) -> None:
    class Rows:
        def __init__(self) -> None:
            self.count = 0

        def take(self, batch: Batch) -> None:
            self.count += len(batch)

        def close(self) -> None:
            pass

    rows = Rows()
    sieve_into([text], rows, jobs=2)
    assert (rows.count, used) == (6_000, ["Workers"])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("which", ["options", "kind"])
def test_what_it_does_not_know_is_shared_by_processes(text: Path, tmp_path: Path, used: list[str], which: str) -> None:
    options = Options(refang=True) if which == "options" else None
    paths = [text]
    if which == "kind":
        paths.append(tmp_path / "page.html")
        paths[1].write_text("<html><a href='http://d.example/'>x</a></html>")
    one = unique(paths, tmp_path / "one", 1, options)
    assert unique(paths, tmp_path / "two", 2, options) == one
    assert used == ["Workers"]


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of which nothing can be read from the middle of some line on."""
    path = tmp_path / "broken"
    path.write_text("".join(f"http://{where}.example/{n}\n" for where in ("before", "after") for n in range(400)))
    monkeypatch.setattr(urisieve.runs.file_parts, "read_blocks", _reads(path))
    return path


def _reads(broken: Path) -> Any:
    limit = broken.read_bytes().index(b"after.example/7\n") + 9

    def read(name: str, start: int = 0, end: int | None = None, was: Any = None) -> Iterator[bytes]:
        if name != str(broken):
            yield from read_blocks(name, start, end, was)
            return
        yield from read_blocks(name, start, limit if end is None else min(end, limit), was)
        if end is None or end > limit:
            raise InputError("Input/output error")

    return read


def break_reads(path: str) -> None:
    """Do the same in this process, which is to copy itself."""
    mock.patch("urisieve.runs.file_parts.read_blocks", _reads(Path(path))).start()
    mock.patch("urisieve.runs.run.PART_SIZE", 1_024).start()


def by_two(broken: Path | None, *arguments: str) -> Outcome:
    """Run the command by two workers, for which reading a file fails as it does here."""
    if compiled or broken is None:
        return call(*arguments, "--jobs", "2")
    return prepared(
        f"from tests.runs import test_threads; test_threads.break_reads({str(broken)!r})", *arguments, "--jobs", "2"
    )


EXTRACT = ("extract", "--format", "jsonl", "--show-passwords")
FAULTS = "".join(LINE.format(n=n) + f"http://a.example/100%zz{n} HTTP://E.example/{n}\n" for n in range(100))


@pytest.mark.sampled(9)
@pytest.mark.parametrize(
    ("command", "status"),
    [
        (EXTRACT, 0),
        (("extract", "--unique"), 0),
        ((*EXTRACT, "--fail-on", "bad-percent-encoding"), 3),
        ((*EXTRACT, "--fail-on", "password-present,bad-port"), 3),
        ((*EXTRACT, "--fail-on", "bad-port"), 0),
        (("count", "--show-passwords"), 0),
        (("count", "--format", "csv", "--show-passwords"), 0),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else str(value),
)
@pytest.mark.parametrize("failing", ["", "missing", "broken"])
def test_output_and_status_are_those_of_one_job(
    text: Path, tmp_path: Path, used: list[str], broken: Path, command: tuple[str, ...], status: int, failing: str
) -> None:
    faults = tmp_path / "faults"
    faults.write_text(FAULTS)
    middle = {"": [], "missing": [str(tmp_path / "missing")], "broken": [str(broken)]}[failing]
    arguments = (*command, str(text), *middle, str(faults))
    one = call(*arguments, "--jobs", "1")
    assert used == []
    two = by_two(broken if failing == "broken" else None, *arguments)
    assert used == (["Threads"] if compiled else ["Workers"] if failing != "broken" else [])
    assert (two.status, two.out, said(two)) == (one.status, one.out, said(one))
    assert one.status == (2 if failing else status)
    for kept in (b"http://b.example/1999", b"http://e.example/99"):
        assert kept in one.out
    if failing == "broken":
        assert b"http://before.example/399" in one.out
        assert b"http://after.example/6" in one.out
        assert b"http://after.example/7" not in one.out
    if failing:
        assert f"{middle[0]}: " in one.err


@pytest.mark.sampled(2)
@pytest.mark.parametrize("failing", [False, True])
def test_rejections_are_those_of_one_job(
    text: Path, tmp_path: Path, used: list[str], broken: Path, *, failing: bool
) -> None:
    faults = tmp_path / "faults"
    faults.write_text(FAULTS)
    paths = [str(faults), str(text), *([str(broken)] if failing else []), str(faults)]
    outcomes = []
    for jobs in (1, 2):
        rejected = tmp_path / f"rejected-{jobs}"
        arguments = (*EXTRACT, "--rejected", str(rejected), *paths)
        done = call(*arguments, "--jobs", "1") if jobs == 1 else by_two(broken if failing else None, *arguments)
        outcomes.append((done.status, done.out, said(done), rejected.read_bytes()))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0] == (2 if failing else 0)
    assert outcomes[0][3].count(b"bad-percent-encoding") == 200
    assert used == (["Threads"] if compiled else ["Workers"] if not failing else [])


def squares(_: object) -> Any:
    def work(number: int) -> Iterator[int]:
        for step in range(number):
            if step == 7:
                raise InputError("seven")
            yield step * step

    return work


def test_results_come_in_the_order_of_the_tasks() -> None:
    with Threads(3, squares, None) as threads:
        assert list(threads.map([2, 0, 3, 1])) == [0, 1, 0, 1, 4, 0]


def test_an_error_reaches_the_caller() -> None:
    with Threads(2, squares, None) as threads, pytest.raises(InputError, match="seven"):
        list(threads.map([1, 9, 2]))


def leaving(_: object) -> Any:
    def work(number: int) -> Iterator[int]:
        yield number
        raise SystemExit(number)

    return work


def unmade(_: object) -> Any:
    raise InputError("not made")


def test_whatever_ends_a_thread_reaches_the_caller() -> None:
    with Threads(2, leaving, None) as threads, pytest.raises(SystemExit):
        list(threads.map([1, 2, 3]))
    with Threads(2, unmade, None) as threads, pytest.raises(InputError, match="not made"):
        list(threads.map([1, 2, 3]))


def endless(_: object) -> Any:
    def work(number: int) -> Iterator[bytes]:
        while True:
            yield bytes(number)

    return work


def test_a_thread_that_does_not_end_is_left_to_the_end_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urisieve.runs.workers._PATIENCE", 0.1)
    going_on = threading.Event()

    def stuck(_: object) -> Any:
        def work(number: int) -> Iterator[int]:
            yield number
            going_on.wait(3_600)

        return work

    before = set(threading.enumerate())
    with Threads(1, stuck, None) as threads:
        assert next(threads.map([5])) == 5
        (thread,) = set(threading.enumerate()) - before
    assert thread.is_alive()
    assert thread.daemon
    going_on.set()
    thread.join()


def test_threads_end_whatever_they_are_doing() -> None:
    with Threads(2, endless, None) as threads:
        results = threads.map([1, 2, 3, 4, 5, 6])
        assert next(results) == b"\0"
    assert threading.active_count() == 1


# H1: what holds state takes one call at a time.


def in_another_thread(call: Callable[[], Any]) -> Any:
    """Return what a call returns or raises in a thread of its own, when that has ended."""
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.append(call())
        except Exception as error:
            outcome.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(PATIENCE)
    return outcome[0]


@pytest.mark.parametrize("options", [Options(), Options(schemes=["http", "x-a"])])
@pytest.mark.parametrize("call", ["feed", "finish", "close"])
def test_a_second_thread_is_refused_by_a_scanner(call: str, options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    scanner = Scanner(options)
    seen: list[Any] = []
    for name in ("feed", "finish", "close"):
        search: Any = getattr(scanner._search, name)

        def inside(*text: str, _search: Any = search) -> None:
            _search(*text)
            seen.append(in_another_thread(lambda: scanner.feed("http://other.example/ ")))
            seen.append(in_another_thread(scanner.close))

        monkeypatch.setattr(scanner._search, name, inside)
        if name == call:
            break
    text = () if call == "close" else ("see http://a.example/ and http://b.example/ ",)
    before = scanner.feed("http://first.example/ and ") if call == "feed" else []
    found = [*before, *getattr(scanner, call)(*text)]
    assert "other" not in str(found)
    assert len(seen) >= 2
    for error in seen:
        assert isinstance(error, UsageError)
        assert str(error).startswith("the scanner is in use by another call")
    monkeypatch.undo()
    rest = scanner.close()  # it can be used again
    if call == "feed":
        assert [record.raw for record in (*found, *rest)] == [f"http://{name}.example/" for name in ("first", "a", "b")]


def test_threads_may_use_a_scanner_one_after_the_other() -> None:
    scanner = Scanner()
    pieces = ("see http://a.exa", "mple/ and http://b.example/ ")
    found = [record for piece in pieces for record in in_another_thread(partial(scanner.feed, piece))]
    assert [record.raw for record in [*found, *scanner.close()]] == ["http://a.example/", "http://b.example/"]


class Rows:
    """An output that, while it is written to, calls a sink from another thread."""

    def __init__(self) -> None:
        self.calls: list[Callable[[], Any]] = []
        self.outcomes: list[Any] = []
        self.rows: list[bytes] = []

    def write(self, data: bytes, /) -> None:
        self.outcomes += map(in_another_thread, self.calls)
        self.rows.append(data)


@pytest.mark.parametrize("way", ["take", "run"])
def test_a_second_thread_is_refused_by_a_sink(text: Path, way: str) -> None:
    output: Any = Rows()
    sink = FirstSeenSink(FormatSettings(Format.TEXT), output, KeySet())
    (batch,) = extract_batches(["http://other.example/"])
    output.calls = [lambda: sink.take(batch), sink.close, lambda: sieve_into([text], sink)]
    if way == "take":
        sink.take(next(extract_batches(["http://a.example/"])))
    else:
        sieve_into([text], sink)
    assert len(output.outcomes) >= 3
    for error in output.outcomes:
        assert isinstance(error, UsageError)
        assert str(error).startswith("the sink is in use by another call")
    assert b"other" not in b"".join(output.rows)
    output.calls = []
    sink.take(batch)
    sink.close()
    assert b"".join(output.rows).endswith(b"http://other.example/\n")


class Door:
    """The lock of a set, which says when the second call waits before it."""

    def __init__(self, lock: Any) -> None:
        self.lock = lock
        self.arrivals = 0
        self.second = threading.Event()

    def __enter__(self) -> None:
        self.arrivals += 1
        if self.arrivals == 2:
            self.second.set()
        self.lock.__enter__()

    def __exit__(self, *_: object) -> None:
        self.lock.__exit__()


@pytest.mark.parametrize("python", [False, True])
def test_threads_share_a_set_of_keys(python: bool) -> None:
    seen = KeySet()
    if python:
        seen._memory = DigestSet()
    door: Any = Door(seen._turn)
    seen._turn = door
    has_room, inside, most = seen._has_room, 0, 0

    def waiting(more: int) -> bool:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        assert door.second.wait(PATIENCE)
        result = has_room(more)
        inside -= 1
        return result

    with mock.patch.object(seen, "_has_room", waiting):
        outcomes: list[list[str]] = []
        threads = [threading.Thread(target=lambda: outcomes.append(seen.unseen(["a:1", "a:2"]))) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
    assert sorted(outcomes) == [[], ["a:1", "a:2"]]
    assert most == 1


def test_a_set_on_disk_answers_every_thread() -> None:
    with KeySet(memory_limit=1_000_000) as seen:
        seen.unseen([f"http://a.example/{number}" for number in range(100_000)])
        assert seen.is_spilled
        assert in_another_thread(lambda: "http://a.example/99999" in seen) is True
        assert in_another_thread(lambda: seen.unseen(["http://a.example/1", "a:1"])) == ["a:1"]


def test_a_store_belongs_to_its_thread(tmp_path: Path) -> None:
    with Store(tmp_path / "seen.db") as store:
        store.unseen(["a:0"])
        reads: tuple[Callable[[], object], ...] = (lambda: "a:1" in store, lambda: len(store))
        for call in (*reads, lambda: store.unseen(["a:1"]), store.commit, store.rollback, store.close):
            assert isinstance(in_another_thread(call), UsageError)
        assert store.unseen(["a:0", "a:1"]) == ["a:1"]
