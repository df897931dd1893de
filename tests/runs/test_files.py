"""Files by one process and by several: what comes is the same, whole or in parts."""

from __future__ import annotations

import codecs
import gzip
import multiprocessing
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import urisieve.runs.run
from tests.helpers.cli_support import PATIENCE
from tests.helpers.folders import SAMPLES
from tests.helpers.strategies import noisy_texts
from urisieve import (
    InputError,
    Options,
    Record,
    Rejection,
    UsageError,
    extract_batches,
    extract_files,
    sieve,
    sieve_files,
    sieve_into,
)
from urisieve.errors import ProcessError
from urisieve.find.search import Search
from urisieve.finding_options import DEFAULT_OPTIONS
from urisieve.records.batch import BatchBuffer
from urisieve.runs import file_parts
from urisieve.runs.file_parts import (
    FileSegment,
    Part,
    cores,
    decoder_for,
    jobs_for,
    may_be_cut,
    part_blocks,
    parts,
    segments,
    sieve_part,
)
from urisieve.runs.part_sieve import PartSettings
from urisieve.runs.run import Run
from urisieve.runs.run_steps import Failure, RunStep, grouped_steps
from urisieve.runs.workers import Work, Workers
from urisieve.sinks import CountSink
from urisieve.sources.reading_options import ReadingOptions
from urisieve.types import Event, FileFailed

OPTIONS = (
    DEFAULT_OPTIONS,
    Options(max_length=64),
    Options(repair="encode"),
    Options(schemeless="www", email="addresses", schemes="any"),
    Options(nested="report"),
)

PLAIN = ReadingOptions(input="text")


def fields(found: Iterator[Record | Rejection]) -> list[tuple[object, ...]]:
    return [(type(one), *one._row) for one in found]


def in_parts(path: str, options: Options, size: int, encoding: str | None = None) -> Iterator[Record | Rejection]:
    """What a file gives if its parts are sieved one by one, each for itself."""
    for part in parts(path, encoding, options, size=size, offsets=True):
        decoder = decoder_for(part, encoding, options, offsets=True)
        _, blocks = part_blocks(part, PLAIN)
        buffer = BatchBuffer()
        for _ in sieve_part(part, blocks, Search(options, buffer, source=path), decoder):
            batch = buffer.taken()
            yield from (batch if decoder.offsets is None else batch.with_spans(decoder.offsets)).found()


# ---------------------------------------------------------------- parts


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("parts") / "text")


@given(st.lists(st.tuples(noisy_texts(), st.sampled_from(["\n", "\n\n", "\r\n", "\n<", "<URL:\n", ">\n"])), max_size=5),
       st.sampled_from(OPTIONS), st.integers(1, 80), st.booleans())  # fmt: skip
@example([("(URL:", "\n"), ("http://a.bc)", "\n")], DEFAULT_OPTIONS, 1, False)
@example([("<http://a.bc/", "\n"), ("x", "\n"), ("y> http://d.ef", "\n")], DEFAULT_OPTIONS, 1, True)
@example([("é\udcff http://a.bc/é", "\n"), ("http://a.bc/é", "\n")], DEFAULT_OPTIONS, 1, True)
def test_parts_give_what_the_whole_gives(
    scratch: str, pieces: list[tuple[str, str]], options: Options, size: int, marked: bool
) -> None:
    text = "".join(piece + end for piece, end in pieces)
    data = (codecs.BOM_UTF8 if marked else b"") + text.encode("utf-8", "surrogatepass")
    Path(scratch).write_bytes(data)
    whole = fields(in_parts(scratch, options, len(data) + 1))
    assert fields(in_parts(scratch, options, size)) == whole


@pytest.mark.parametrize("blank", [" ", "\u3000"])
def test_a_cut_sees_a_prefix_as_long_as_may_be(scratch: str, blank: str) -> None:
    text = f"<URL:{blank * 79}http://a.example/\nb>\n"
    Path(scratch).write_text(text, encoding="utf-8")
    options = Options(max_length=64)
    assert [one.raw for one in in_parts(scratch, options, 1)] == ["http://a.example/\nb"]


def read_for_one_part(data: bytes, longest: int) -> int:
    """How many bytes are read to find that a file cannot be cut."""
    read = 0

    def counted(place: int, size: int) -> bytes:
        nonlocal read
        read += len(data[place : place + size])
        return data[place : place + size]

    assert len(list(segments(counted, len(data), 1_000_000, longest))) == 1
    return read


def test_text_without_a_safe_line_feed_is_one_part() -> None:
    data = b"<\n" * 3_000_000
    assert read_for_one_part(data, 65_536) < 2 * len(data)


def test_a_long_line_is_read_once_or_twice_to_be_cut() -> None:
    data = b"a" * 20_000_000
    assert read_for_one_part(data, 1_000_000) < 3 * len(data)


def test_what_cannot_be_read_any_more_is_the_last_part(scratch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(scratch).write_bytes(b"http://a.example/\n" * 1_000)
    whole = list(parts(scratch, None, Options(max_length=64), size=3_000, offsets=True))
    read, count = os.read, 0

    def failing(descriptor: int, size: int) -> bytes:
        nonlocal count
        count += 1
        if count == 5:
            raise OSError("gone")
        return read(descriptor, size)

    monkeypatch.setattr(os, "read", failing)
    found = list(parts(scratch, None, Options(max_length=64), size=3_000, offsets=True))
    assert found[:-1] == whole[: len(found) - 1]
    place = found[-1].segment.start
    assert found[-1] == whole[len(found) - 1]._replace(segment=FileSegment(place, None), last=True)


def test_a_file_that_is_gone_is_one_part(tmp_path: Path) -> None:
    path = str(tmp_path / "gone")
    assert list(parts(path, None, DEFAULT_OPTIONS, size=64, offsets=True)) == [Part(path)]


def test_parts_are_made() -> None:
    for name in ("mail.mbox", "cjk-rtl.txt"):
        assert len(list(parts(str(SAMPLES / name), None, DEFAULT_OPTIONS, size=64, offsets=False))) > 5


@pytest.mark.parametrize(
    ("text", "cuts"),
    [
        ("aaaa\nbbbb\ncccc\n", [5, 10]),
        ("aaaaaaaaaaaaaaa", []),
        ("\n\n\n\n\n\n", [2, 4]),
        ("<aaa\nbbbb\ncc>c\ndddd\n", [15]),
        ("<aaa\nbbbb\ncccc\ndddd\n", []),
        ('<aaa\nb"bb\ncccc\ndd', [10, 15]),
        ("a<b>c\ndddd\n<\n>\neeee\n", [6, 11, 15]),
    ],
)
def test_cuts_stand_after_line_feeds_that_nothing_crosses(text: str, cuts: list[int]) -> None:
    data = text.encode()
    found = list(segments(lambda place, size: data[place : place + size], len(data), 1, 64))
    assert [one.start for one in found] == [0, *cuts]
    assert [one.end for one in found] == [*cuts, None]


def test_an_opener_reaches_no_further_than_the_longest_candidate() -> None:
    data = b"<" + b"a\n" * 200_000
    found = list(segments(lambda place, size: data[place : place + size], len(data), 1_000, 64))
    assert len(found) > 300
    assert found[1].start > 4 * 64
    assert "".join(data[one.start : one.end].decode() for one in found).encode() == data


@pytest.mark.parametrize("encoding", [None, "utf-8", "latin-1", "cp1252"])
def test_encodings_that_may_be_cut(tmp_path: Path, encoding: str | None) -> None:
    path = tmp_path / "text"
    path.write_bytes("é http://a.example/é\n".encode(encoding or "utf-8") * 9)
    assert may_be_cut(str(path), encoding)
    assert fields(in_parts(str(path), DEFAULT_OPTIONS, 30, encoding)) == fields(
        in_parts(str(path), DEFAULT_OPTIONS, 10_000, encoding)
    )


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "shift_jis", "iso2022_jp", "cp037"])
def test_encodings_that_may_not(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "text"
    path.write_bytes("http://a.example/\n".encode(encoding))
    assert not may_be_cut(str(path), encoding)


def test_a_byte_order_mark_counts(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes("http://a.example/\n".encode("utf-16"))
    assert not may_be_cut(str(path), None)
    path.write_bytes("http://a.example/\n".encode("utf-8-sig"))
    assert may_be_cut(str(path), None)


def test_what_is_no_regular_file_is_not_cut(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    assert not any(may_be_cut(str(path), None) for path in (fifo, tmp_path, tmp_path / "missing", "-", "\0"))


# ---------------------------------------------------------------- the library


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urisieve.runs.run, "PART_SIZE", 300)


@pytest.mark.usefixtures("small_parts")
def test_several_processes_give_what_one_gives(tmp_path: Path) -> None:
    wide = tmp_path / "wide"
    wide.write_bytes("http://a.example/ \n".encode("utf-16"))
    paths = [SAMPLES / "mail.mbox", SAMPLES / "cjk-rtl.txt", wide, SAMPLES / "disguised.txt", SAMPLES / "access.log"]
    one = fields(sieve_files(paths))
    assert one == fields(sieve_files(paths, jobs=1))
    assert one == fields(sieve_files(paths, jobs=3))
    assert {row[8] for row in one if row[0] is Record} == {os.fspath(path) for path in paths}


def test_files_give_what_their_text_gives() -> None:
    path = SAMPLES / "mail.mbox"
    text = path.read_text(encoding="utf-8")
    found = list(sieve_files([path], reading=PLAIN))
    assert [one.as_dict() | {"source": None, "byte_start": None, "byte_end": None} for one in found] == [
        one.as_dict() for one in sieve(text)
    ]
    data = path.read_bytes()
    for one in found:
        assert data[one.byte_start : one.byte_end].decode() == one.raw
    assert [one.uri for one in extract_files([path], reading=PLAIN)] == [
        one.uri for one in found if isinstance(one, Record)
    ]


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_cannot_be_read(tmp_path: Path, jobs: int) -> None:
    good = tmp_path / "good"
    good.write_text("http://a.example/")
    paths = [str(tmp_path / "missing"), str(good), str(tmp_path / "gone"), str(good)]
    failures: list[tuple[str, str]] = []
    found = list(extract_files(paths, jobs=jobs, on_error=lambda path, error: failures.append((path, str(error)))))
    assert [one.uri for one in found] == ["http://a.example/"] * 2
    assert failures == [(paths[0], "No such file or directory"), (paths[2], "No such file or directory")]
    with pytest.raises(InputError, match="missing: No such file or directory"):
        list(extract_files(paths, jobs=jobs))


def test_misuse() -> None:
    for jobs in (0, "2", 2.5):
        with pytest.raises(UsageError, match="at least 1"):
            list(sieve_files(["mail.mbox"], jobs=jobs))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"jobs": 0}, "at least 1"),
        ({"encoding": "none such"}, "'none such' is not known"),
        ({"reading": 3}, "must be ReadingOptions"),
        ({"options": 3}, "must be Options"),
    ],
)
def test_misuse_is_said_at_the_call(arguments: dict[str, Any], message: str) -> None:
    calls: list[Callable[..., object]] = [
        partial(extract_batches, ["a text"]),
        partial(sieve_files, ["no such file"]),
        partial(extract_files, ["no such file"]),
        partial(sieve_into, ["no such file"], CountSink()),
    ]
    for call in calls:
        with pytest.raises(UsageError, match=message):
            call(**arguments)


def test_a_file_that_vanishes_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(b"".join(b"http://a.example/%d\n" % number for number in range(100_000))))
    found = extract_files([path])
    next(found)
    path.unlink()
    assert len(list(found)) == 99_999


def test_a_run_knows_which_file_it_is_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urisieve.runs.run, "PART_SIZE", 1_024)
    paths = [str(tmp_path / name) for name in ("a", "missing", "b.gz", "c")]
    text = b"http://a.example/\n" * 200
    for path, data in zip(paths, (text, None, gzip.compress(text), text), strict=True):
        if data is not None:
            Path(path).write_bytes(data)
    settings = PartSettings(Options(), ReadingOptions(), None, frozenset())
    for in_parts in (False, True):
        run = Run(paths, settings)
        at, parts_of = [], Counter[str]()
        for step in run.into(CountSink(), in_parts=in_parts):
            at.append(run.path)
            parts_of[run.path] += step.part is not None
        assert list(dict.fromkeys(at)) == paths
        assert (run.path, run.ended, run.files, run.found, run.failed) == ("", 4, 3, 600, True)
    skip = parts_of[paths[0]]
    assert skip > 1
    for skipped, first in ((skip - 1, 0), (skip, 1)):
        goes_on = Run(paths, settings)
        at = [goes_on.path for _ in goes_on.into(CountSink(), skip=skipped, in_parts=True)]
        assert list(dict.fromkeys(at)) == paths[first:]
        assert (goes_on.path, goes_on.ended, goes_on.files) == ("", 4, 3)


@pytest.mark.parametrize(("text", "found"), [("http://a.example/", 1), ("nothing", 0)])
def test_what_is_skipped_of_a_file_counts_as_read(tmp_path: Path, text: str, found: int) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.png", os.urandom(3_000_000))
        archive.writestr("b.txt", text)
    run = Run([str(path)], PartSettings(Options(), ReadingOptions(), None, frozenset()))
    assert list(run.steps(frozenset()))
    assert (run.found, run.size) == (found, path.stat().st_size)


def test_a_file_of_which_a_part_cannot_be_read_is_none_that_was_read() -> None:
    events: list[Event] = []
    run = Run(["a", "b"], PartSettings(Options(), ReadingOptions(), None, frozenset()), on_event=events.append)
    failure = Failure("a", "gone", "file", "unreadable")
    steps = [RunStep(part=Part("a", last=False), failure=failure), RunStep(part=Part("a", last=False), failure=failure)]
    assert list(run.counted([*steps, RunStep(part=Part("a")), RunStep(part=Part("b"))]))
    assert (run.ended, run.files, run.failed) == (2, 1, True)
    assert [event for event in events if isinstance(event, FileFailed)] == [FileFailed("a", "gone")]


def test_steps_are_handed_over_together() -> None:
    class Sizes:
        def size(self, product: bytes) -> int:
            return len(product)

    def grouped(*steps: RunStep) -> list[tuple[int, int, int]]:
        found = grouped_steps(steps, Sizes())  # type: ignore[arg-type] # it needs no more of a share
        return [(len(one.products), one.size, one.warnings.get("bad-port", 0)) for some in found for one in some]

    product = RunStep(products=(bytes(200_000),), size=200_000, warnings={"bad-port": 1})
    nothing = RunStep(size=3_000_000)
    last = RunStep(size=1, part=Part("x"))
    assert grouped(*[product] * 7) == [(3, 600_000, 3), (3, 600_000, 3), (1, 200_000, 1)]
    assert grouped(*[nothing] * 7) == [(0, 9_000_000, 0), (0, 9_000_000, 0), (0, 3_000_000, 0)]
    assert grouped(product, nothing, last, product, product, nothing) == [(1, 3_200_001, 1), (2, 3_400_000, 2)]
    assert grouped() == []


@pytest.mark.usefixtures("small_parts")
def test_a_failure_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"http://a.example/\n" * 2_000)
    failures: list[str] = []
    found = extract_files([path], jobs=2, on_error=lambda path, error: failures.append(path))
    next(found)
    path.unlink()
    list(found)
    assert failures in ([], [str(path)])


def test_a_file_with_the_name_of_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("-").write_bytes(b"http://a.example/")
    assert not may_be_cut("-", None)
    assert may_be_cut("./-", None)


def test_a_process_that_may_have_no_others() -> None:
    from multiprocessing import get_context

    with get_context("spawn").Pool(1) as pool, pytest.raises(ProcessError, match="use one job"):
        pool.apply(_in_a_pool)


def _in_a_pool() -> None:
    list(sieve_files([SAMPLES / "mail.mbox"], jobs=2))


def test_all_cores_only_for_large_files(tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.write_bytes(b"")
    os.truncate(large, 100_000_000)
    assert jobs_for([str(large)], None) == cores() >= 1
    assert jobs_for([str(SAMPLES / "mail.mbox"), "-", "missing"], None) == 1
    assert jobs_for(["-"], 5) == 5


def test_the_cores_that_a_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    if hasattr(os, "sched_setaffinity"):
        before = os.sched_getaffinity(0)
        try:
            os.sched_setaffinity(0, {min(before)})
            assert cores() == 1
        finally:
            os.sched_setaffinity(0, before)
        assert cores() == len(before)
        monkeypatch.delattr(os, "sched_getaffinity")
    for known, count in ((7, 7), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda known=known: known)
        assert cores() == count


def test_a_byte_order_mark_is_no_character_of_any_part(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("http://é.example/ http://a.example/\n" * 9, encoding="utf-8-sig")
    whole = fields(in_parts(str(path), DEFAULT_OPTIONS, 10_000))
    assert len(whole) == 18
    for size in (1, 30, 50, 200):
        assert fields(in_parts(str(path), DEFAULT_OPTIONS, size)) == whole


@pytest.mark.parametrize(("size", "jobs"), [(15_999_999, 1), (16_000_000, 7)])
def test_16_million_bytes_are_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, jobs: int) -> None:
    monkeypatch.setattr(file_parts, "cores", lambda: 7)
    (tmp_path / "a").write_bytes(b"http://a.example/\n")
    (tmp_path / "b").write_bytes(b"")
    os.truncate(tmp_path / "b", size - 18)
    assert jobs_for([str(tmp_path / "a"), "missing", str(tmp_path / "b"), "-"], None) == jobs


def test_a_generator_that_is_left_ends_its_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[Workers[object, object]] = []
    end = Workers.end

    def noted(self: Workers[object, object]) -> None:
        ended.append(self)
        end(self)

    monkeypatch.setattr(Workers, "end", noted)
    found = sieve_files([SAMPLES / "mail.mbox"], jobs=2)
    next(found)
    found.close()  # type: ignore[attr-defined]
    (workers,) = ended
    assert all(process.exitcode is not None for process in workers._processes)


# ---------------------------------------------------------------- processes


def _squares(limit: int) -> Work[int, int]:
    def work(task: int) -> Iterator[int]:
        if task == limit:
            raise InputError("too much")
        if task < 0:
            os._exit(3)
        yield task * task
        yield -task

    return work


@pytest.mark.sampled(5)
@pytest.mark.parametrize("tasks", [0, 1, 2, 3, 50])
def test_results_come_in_the_order_of_the_tasks(tasks: int) -> None:
    with Workers(2, _squares, 1_000) as workers:
        for _ in range(2):  # the same processes, twice
            assert list(workers.map(range(tasks))) == [one for task in range(tasks) for one in (task * task, -task)]


# In a process of its own: this one may have threads, whose locks a copy of it would find taken for ever.
_COPIED = """
import sys
from urisieve.runs.workers import Workers

def squares(limit):
    return lambda task: iter([task * task, -task])

for count in 0, 1, 2, 3, 50:
    with Workers(2, squares, 1_000, method="fork") as workers:
        for _ in range(2):
            assert list(workers.map(range(count))) == [one for task in range(count) for one in (task * task, -task)]
print("done")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems copy no process")
def test_results_of_copied_processes() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _COPIED], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.stdout, done.stderr) == ("done\n", "")


_STARTED = """
import _thread, multiprocessing, sys
if sys.argv[1] == "thread":
    lock = _thread.allocate_lock()
    lock.acquire()
    _thread.start_new_thread(lock.acquire, ())  # like that of a compiled library: `threading` knows nothing of it
asked = []
given = multiprocessing.get_context
multiprocessing.get_context = lambda method=None: asked.append(method) or given(method)
if __name__ == "__main__":
    from urisieve.cli import main
    status = main(["extract", "--quiet", "--jobs", "2", "--output", sys.argv[3], sys.argv[2]])
    print(status, asked)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems copy no process")
@pytest.mark.parametrize(("threads", "method"), [("none", "fork"), ("thread", "spawn")])
def test_a_process_with_threads_is_not_copied(threads: str, method: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(_STARTED, encoding="utf-8")
    text = tmp_path / "text"
    text.write_text(f"http://e.example/ {'x' * 10_000}\n" * 180, encoding="utf-8")
    command = [sys.executable, str(script), threads, str(text), str(tmp_path / "output")]
    pure = {**os.environ, "URISIEVE_PURE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False, env=pure)
    assert (done.stdout, done.stderr) == (f"0 ['{method}']\n", "")


def test_results_do_not_pile_up() -> None:
    given = 0

    def tasks() -> Iterator[int]:
        nonlocal given
        while given < 10_000:
            given += 1
            yield given

    with Workers(2, _squares, 100_000) as workers:
        results = workers.map(tasks())
        for _ in range(10):
            next(results)
        assert given < 100


def _large(path: str) -> Work[bool, bytes]:
    def work(is_first: bool) -> Iterator[bytes]:
        while is_first and not os.path.exists(path):
            time.sleep(0.01)
        for _ in range(200):
            if not is_first:
                with open(path, "ab") as file:
                    file.write(b"x")
            yield bytes(200_000)

    return work


def test_results_of_a_worker_that_is_ahead_wait(tmp_path: Path) -> None:
    path = tmp_path / "count"
    with Workers(2, _large, str(path)) as workers:
        results = workers.map([True, False])
        for _ in range(200):
            next(results)
        assert path.stat().st_size < 40


def test_an_exception_comes_out() -> None:
    with Workers(2, _squares, 7) as workers, pytest.raises(InputError, match="too much"):
        list(workers.map(range(20)))


def test_a_process_that_ends_is_an_error() -> None:
    with Workers(2, _squares, 100) as workers, pytest.raises(ProcessError, match="exit code 3"):
        list(workers.map([1, 2, -1, 4]))


def test_the_library_starts_its_processes_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy of a process with threads may find their locks taken for ever."""
    methods: list[str | None] = []
    context = multiprocessing.get_context

    def noted(method: str | None = None) -> object:
        methods.append(method)
        return context(method)

    monkeypatch.setattr(multiprocessing, "get_context", noted)
    assert len(list(sieve_files([SAMPLES / "mail.mbox"], jobs=2))) > 5
    assert "spawn" in methods
    assert "fork" not in methods


@pytest.mark.skipif(sys.platform != "linux", reason="other systems copy no process")
@pytest.mark.parametrize(
    ("threads", "spawned", "method"), [(["1"], False, "fork"), (["1"], True, "spawn"), (None, False, "spawn")]
)
def test_only_what_surely_has_one_thread_is_copied(
    threads: list[str] | None, method: str, monkeypatch: pytest.MonkeyPatch, *, spawned: bool
) -> None:
    def asked(method: str) -> None:
        raise ProcessError(method)

    def listed(_: str) -> list[str]:
        if threads is None:
            raise FileNotFoundError
        return threads

    monkeypatch.setattr(multiprocessing, "get_context", asked)
    monkeypatch.setattr(os, "listdir", listed)
    settings = PartSettings(Options(), ReadingOptions(), None, frozenset())
    paths = [str(SAMPLES / "mail.mbox")]
    run = Run(paths, settings, jobs=2) if spawned else Run(paths, settings, jobs=2, spawned=False)
    with pytest.raises(ProcessError, match=method):
        list(run.steps(frozenset()))


def _stubborn(limit: int) -> Work[int, int]:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)

    def work(task: int) -> Iterator[int]:
        yield task
        time.sleep(limit)

    return work


def test_a_process_that_does_not_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urisieve.runs.workers._PATIENCE", 0.1)
    before = set(multiprocessing.active_children())
    with Workers(1, _stubborn, 100) as workers:
        assert next(iter(workers.map([2]))) == 2
        (process,) = set(multiprocessing.active_children()) - before
    assert process.exitcode == -signal.SIGKILL


def test_a_part_is_text_whatever_it_begins_with(scratch: str) -> None:
    data = b"http://a.example/\n" * 500 + b"<!DOCTYPE html><html><a href='http://b.example/'>\n" * 500
    Path(scratch).write_bytes(data)
    made = [part_blocks(part, ReadingOptions()) for part in parts(scratch, None, Options(), size=3_000, offsets=True)]
    assert {kind for kind, _ in made} == {None}
    assert len(made) > 5
    assert b"".join(block for _, blocks in made for block in blocks) == data


def test_a_part_is_all_of_its_file() -> None:
    assert Part("x").segment == (0, None)
