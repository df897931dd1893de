"""Faults of every kind, with real processes and file systems: the matrix of docs/reliability.md names these tests."""

from __future__ import annotations

import contextlib
import ctypes
import os
import random
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.helpers.cli_support import (
    COMMAND,
    PATIENCE,
    Outcome,
    call,
    interruptible,
    leftovers,
    prepared,
    process,
    start,
    until,
    waiting,
)
from urisieve import InputError, Store, StoreError, extract_files
from urisieve.finding_options import DEFAULT_OPTIONS
from urisieve.runs.file_parts import part_blocks, parts
from urisieve.sources.reading_options import DEFAULT_READING

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(sys.platform != "linux", reason="processes, file systems and devices of Linux"),
]

LINK = b"http://a.example/\n"


def lines(number: int, host: str = "a") -> str:
    return "".join(f"http://{host}.example/{n}\n" for n in range(number))


def text(path: Path, number: int, host: str = "a") -> str:
    path.write_text(lines(number, host))
    return str(path)


def says_one_thing(found: Outcome, *words: str) -> None:
    """The command has failed with one line of its own that holds these words."""
    assert (found.status, found.err.count("\n")) == (2, 1), found
    assert found.err.startswith("urisieve: ")
    assert all(word in found.err for word in words), found.err


def bound() -> None:
    """The superuser's right to read and write everything is given up, so that permissions count."""
    prctl = ctypes.CDLL(None).prctl
    for capability in (1, 2):  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH
        prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP; it fails for others, whom permissions bind


# ---------------------------------------------------------------- signals


def catches(process_id: int, number: signal.Signals) -> bool:
    """Whether a process has a handler for a signal: whether its work has begun."""
    status = Path(f"/proc/{process_id}/status").read_text()
    return bool(int(status.partition("SigCgt:")[2].split()[0], 16) >> (number - 1) & 1)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize(
    "argv",
    [
        ("dedupe", "--store", "s.db", "-o", "o"),
        ("count", "-o", "o"),
        ("dedupe", "--input", "csv", "--field", "url", "-o", "o"),
        ("dedupe", "--input", "csv", "--field", "url", "--keep", "last", "-o", "o"),
        ("stats", "-o", "o"),
        ("report", "-o", "o"),
    ],
    ids=" ".join,
)
def test_signals(tmp_path: Path, argv: tuple[str, ...], number: signal.Signals) -> None:
    (tmp_path / "o").write_text("old\n")
    with start(*argv, "-", cwd=tmp_path, preexec_fn=interruptible) as running:
        until(lambda: catches(running.pid, signal.SIGTERM) and ("--store" not in argv or (tmp_path / "s.db").exists()))
        assert running.stdin
        pipe = running.stdin.fileno()
        running.stdin.write(b"url\n" + LINK)
        until(lambda: waiting(pipe) == 0)
        running.send_signal(number)
        _, err = running.communicate(timeout=PATIENCE)
    # A file that was being opened is left to the collector, which says so in these tests.
    err = re.sub(rb"Exception ignored in: .*?\nResourceWarning: unclosed file [^\n]*\n", b"", err, flags=re.DOTALL)
    assert (running.returncode, err if b"Traceback" in err else b"") == (128 + number, b"")
    assert leftovers(tmp_path) == []
    output = tmp_path / "o"
    if "--store" not in argv:
        assert output.read_text() == "old\n"
        return
    # A pause of the input may have come before the signal: then the key is in the store, and its row may be to come.
    assert call("store", "verify", str(tmp_path / "s.db")).lines[0].endswith(" keys, nothing wrong")
    assert output.read_bytes() in (b"old\n", b"old\n" + LINK)
    assert process(*argv, "-", stdin=LINK, cwd=tmp_path).status == 0
    assert output.read_bytes() == b"old\n" + LINK


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_in_an_import(tmp_path: Path, number: signal.Signals) -> None:
    """Where Python would lose what a handler raises, and would go on."""
    code = f"""
import os, sys, weakref
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "urisieve.data_sets.row_run":
            gone = Finder()
            sys.kept = weakref.ref(gone, lambda _: os.kill(os.getpid(), {number:d}))
            del gone
sys.meta_path.insert(0, Finder())
from urisieve.cli import main
sys.exit(main())
"""
    argv = ("dedupe", "--input", "csv", "--field", "url", "-o", "o", "-")
    command = [sys.executable, "-c", code, *argv]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=tmp_path, stdin=pipe, stdout=pipe, stderr=pipe, preexec_fn=interruptible
    ) as running:
        assert running.stderr
        err = running.stderr.read()
        assert (running.wait(PATIENCE), b"Traceback" in err) == (128 + number, False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("call_", ["open", "replace", "fsync"])
def test_a_signal_just_when_a_file_is_opened_or_completed(tmp_path: Path, call_: str) -> None:
    code = f"""
import os, signal
real = os.{call_}
def after(*args, **more):
    done = real(*args, **more)
    if isinstance(args[0], int) or args[0].endswith(".tmp"):
        os.kill(os.getpid(), signal.SIGTERM)
    return done
os.{call_} = after
"""
    found = prepared(code, "extract", "-o", str(tmp_path / "o"), text(tmp_path / "t", 10))
    assert (found.status, found.err) == (143, "")
    assert leftovers(tmp_path) == []
    assert (tmp_path / "o").exists() == (call_ == "replace")


# ---------------------------------------------------------------- pipes


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "argv",
    [("dedupe",), ("count",), ("dedupe", "--input", "csv", "--field", "url"), ("store", "export"),
     ("dedupe", "-f", "csv", "--store", "new.db")],
    ids=" ".join,
)  # fmt: skip
def test_nobody_reads_the_rest(tmp_path: Path, argv: tuple[str, ...]) -> None:
    path = tmp_path / "t"
    text(path, 60_000)
    if argv[0] == "store":
        with Store(path.with_name("s"), cache=0) as store:
            store.add(path.read_text().split())
        path = path.with_name("s")
    elif "url" in argv:
        path.write_text("url\n" + path.read_text())
    with start(*argv, str(path), cwd=tmp_path) as running:
        assert running.stdout
        assert running.stderr
        assert running.stdout.read(10)
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(PATIENCE) == 0
    if "--store" in argv:
        assert call("store", "verify", str(tmp_path / "new.db")).lines == ["0 keys, nothing wrong"]


@pytest.mark.parametrize(
    "argv", [("extract",), ("dedupe",), ("dedupe", "--input", "csv", "--field", "u"), ("store", "import", "new")]
)
def test_standard_input_is_closed(tmp_path: Path, argv: tuple[str, ...]) -> None:
    closed = ["sh", "-c", '"$@" <&-', "sh", *COMMAND, *argv]
    done = subprocess.run(closed, capture_output=True, check=False, timeout=PATIENCE, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.splitlines()[0] == b"urisieve: -: standard input is closed"
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------- a full disk


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", folder], capture_output=True)
    if mounted.returncode:
        pytest.skip("only the superuser can make a small file system")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("argv", "kept"),
    [
        (("extract", "-o", "disk/o"), ["o"]),
        (("extract", "-o", os.devnull, "--rejected", "disk/o"), ["o"]),
        (("count", "-o", "disk/o"), ["o"]),
        (("dedupe", "--store", "disk/s.db"), ["o", "s.db"]),
        (("dedupe", "--store", "s.db", "-o", "disk/o"), ["o"]),
        (("dedupe", "--checkpoint", "disk/c", "-o", "disk/o"), ["c", "o"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_a_full_file_system(small_disk: Path, tmp_path: Path, argv: tuple[str, ...], kept: list[str]) -> None:
    (small_disk / "o").write_text("old\n")
    path = tmp_path / "t"
    path.write_text("".join(f"http://a.example/{n} http://b.example/%zz{n}\n" for n in range(20_000)))
    found = process(*argv, "--quiet", str(path), cwd=tmp_path)
    says_one_thing(found, "disk/", "full" if "s.db" in argv[-1] else "No space left on device")
    assert sorted(os.listdir(small_disk)) == kept
    for store in small_disk.glob("*.db"):
        assert call("store", "verify", str(store)).lines == ["0 keys, nothing wrong"]
    begun = (small_disk / "o").read_text()
    assert begun.startswith("old\n" if "--checkpoint" not in argv else "http://")
    if "--store" not in argv and "--checkpoint" not in argv:
        assert begun == "old\n"
    # There is room again.
    subprocess.run(["mount", "-o", "remount,size=9m", small_disk], check=True)
    again = process(*argv, "--quiet", str(path), cwd=tmp_path)
    assert (again.status, again.err) == (0, "")
    if "--store" in argv or "--checkpoint" in argv:
        whole = (again.out or (small_disk / "o").read_bytes()).decode().split()
        assert set(lines(20_000).split()) <= set(whole)


def test_a_store_made_on_a_full_file_system(small_disk: Path) -> None:
    """It is whole, or it is not there."""
    made = set()
    for size in range(20, 160, 4):
        subprocess.run(["mount", "-o", f"remount,size={size}k", small_disk], check=True)
        path = small_disk / "s.db"
        with contextlib.suppress(StoreError):
            Store(path).close()
        made.add(path.exists())
        if path.exists():
            with Store(path, read_only=True) as store:
                assert store.faults() == []
        for name in os.listdir(small_disk):
            assert name.startswith("s.db")
            os.unlink(small_disk / name)
    assert made == {True, False}


# ---------------------------------------------------------------- errors in reading


@pytest.mark.parametrize(
    "argv",
    [("extract",), ("extract", "--jobs", "2"), ("dedupe",), ("count",), ("dedupe", "--input", "keys"),
     ("dedupe", "--input", "jsonl"), ("dedupe", "--input", "csv", "--field", "url"), ("stats",),
     ("dedupe", "--input", "csv", "--field", "url", "--keep", "last"), ("store", "import", "new"),
     ("extract", "--files-from")],
    ids=" ".join,
)  # fmt: skip
def test_a_file_that_gives_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...]) -> None:
    monkeypatch.chdir(tmp_path)
    found = call(*argv, "/proc/self/mem")
    assert (found.status, found.err.splitlines()[0]) == (2, "urisieve: /proc/self/mem: Input/output error")
    assert list(tmp_path.iterdir()) == []
    if argv[0] not in ("store", "stats") and "--files-from" not in argv:
        record = call("extract", "-f", "jsonl", stdin=LINK).out
        Path("t").write_bytes(record if "jsonl" in argv else b"url\n" + LINK)
        found = call(*argv, "/proc/self/mem", "t")
        assert found.status == 2
        assert b"http://a.example/" in found.out


def test_a_file_that_becomes_shorter(tmp_path: Path) -> None:
    path = Path(text(tmp_path / "t", 100_000))
    records = extract_files([path])
    found = [next(records).uri]
    os.truncate(path, 1_000_000)
    with pytest.raises(InputError, match="has become shorter while it was read; read it again"):
        found.extend(record.uri for record in records)
    assert found == lines(len(found)).split()
    assert len(found) > 20_000


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda path: os.truncate(path, 50_000), "has become shorter"),
        (lambda path: os.truncate(path, path.stat().st_size - 1), "has become shorter"),
        (lambda path: os.replace(shutil.copy(path, path.with_name("new")), path), "was replaced by another file"),
        (lambda path: path.unlink(), "No such file"),
        (lambda path: path.write_text(path.read_text() + lines(9)), None),
    ],
)
def test_a_part_of_another_file(tmp_path: Path, change: Callable[[Path], object], message: str | None) -> None:
    path = Path(text(tmp_path / "t", 10_000))
    *_, last = parts(str(path), None, DEFAULT_OPTIONS, size=60_000, offsets=False)
    assert last.segment.start
    change(path)
    if message is None:
        assert sum(map(len, part_blocks(last, DEFAULT_READING)[1])) == path.stat().st_size - last.segment.start
    else:
        with pytest.raises(InputError, match=message):
            list(part_blocks(last, DEFAULT_READING)[1])


def _socket(path: Path) -> None:
    path.unlink()
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _link(target: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        path.unlink()
        path.symlink_to(target)

    return change


CHANGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "vanishes": (lambda path: path.unlink(), "No such file or directory"),
    "becomes unreadable": (lambda path: path.chmod(0), "Permission denied"),
    "becomes a folder": (_folder, "is a directory; only files are read"),
    "becomes a link to nothing": (_link("no"), "No such file or directory"),
    "becomes a loop": (_link("b"), "Too many levels of symbolic links"),
    "becomes a socket": (_socket, "No such device or address"),
    "grows": (lambda path: path.write_text(lines(1) + lines(1, "c")), ""),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("change", CHANGES)
def test_between_listing_and_reading(tmp_path: Path, change: str) -> None:
    fifo = tmp_path / "a"
    os.mkfifo(fifo)
    text(tmp_path / "b", 1, "b")
    text(tmp_path / "z", 1, "z")
    with start("extract", "a", "b", "z", cwd=tmp_path, preexec_fn=bound) as running:
        with fifo.open("wb") as file:  # opened when the command reads it
            CHANGES[change][0](tmp_path / "b")
            file.write(LINK)
        out, err = running.communicate(timeout=PATIENCE)
    expected = CHANGES[change][1]
    assert running.returncode == (2 if expected else 0)
    assert out.splitlines()[0] == LINK[:-1]
    assert out.splitlines()[-1] == b"http://z.example/0"
    said = err.decode().splitlines()
    assert said[:-1] == ([f"urisieve: b: {expected}"] if expected else [])
    assert (b"http://c.example/0" in out) == (not expected)


def test_what_may_not_be_read_in_a_folder(tmp_path: Path) -> None:
    for name in ("a/x", "b/y", "c"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        text(tmp_path / name, 1)
        (tmp_path / name).chmod(0 if name == "c" else 0o644)
    (tmp_path / "a").chmod(0)
    found = process("extract", str(tmp_path), preexec_fn=bound)
    (tmp_path / "a").chmod(0o755)
    assert (found.status, found.lines) == (2, ["http://a.example/0"])
    for name in ("a", "c"):
        assert f"urisieve: {tmp_path}/{name}: Permission denied\n" in found.err


def test_the_folder_of_the_output_vanishes(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with start("extract", "-o", str(folder / "o"), "-") as running:
        until(lambda: leftovers(folder))
        shutil.rmtree(folder)
        out, err = running.communicate(LINK, timeout=PATIENCE)
    assert (running.returncode, out) == (2, b"")
    assert err == f"urisieve: {folder}/o: No such file or directory\n".encode()


# ---------------------------------------------------------------- workers and memory


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("how", "code"), [("os._exit(3)", "3"), ("os.kill(os.getpid(), 11)", "-11"), ("raise MemoryError", "1")]
)
def test_a_worker_that_dies(tmp_path: Path, how: str, code: str) -> None:
    program = f"""
import os
import urisieve.runs.workers as workers
parent, real = os.getpid(), workers._messages
def messages(work, task):
    if os.getpid() != parent and task[0].segment.start:
        {how}
    yield from real(work, task)
workers._messages = messages
"""
    output, store = tmp_path / "o", tmp_path / "s.db"
    output.write_text("old\n")
    path = text(tmp_path / "t", 100_000)
    found = prepared(
        program, "extract", "-q", "--jobs", "2", "-f", "jsonl", "--accept", "addresses", "-o", str(output), path
    )
    says_one_thing(found, f"a worker process has ended (exit code {code})", "use fewer jobs")
    assert output.read_text() == "old\n"
    assert leftovers(tmp_path) == []
    found = prepared(
        program, "dedupe", "-q", "--jobs", "2", "-f", "jsonl", "--accept", "addresses", "--store", str(store), path
    )
    says_one_thing(found, f"a worker process has ended (exit code {code})")
    assert call("store", "verify", str(store)).lines == ["0 keys, nothing wrong"]


def test_a_worker_dies_behind_a_table(tmp_path: Path) -> None:
    """The writer of the table is closed before its output is: nothing is reported but the end of the worker."""
    pytest.importorskip("pyarrow")
    program = """
import os
import urisieve.runs.workers as workers
from urisieve.runs.run import Run
Run._suits_threads = lambda *_: False
parent, real = os.getpid(), workers._messages
def messages(work, task):
    if os.getpid() != parent and task[0].segment.start > 1_000_000:
        os._exit(3)
    yield from real(work, task)
workers._messages = messages
workers.start_method = lambda: "fork"
"""
    output = tmp_path / "o"
    output.write_text("old\n")
    path = text(tmp_path / "t", 100_000)
    for command in (["extract"], ["extract", "-u"], ["dedupe"]):
        found = prepared(program, *command, "-q", "--jobs", "2", "-f", "parquet", "-o", str(output), path)
        says_one_thing(found, "a worker process has ended (exit code 3)")
        assert (output.read_text(), leftovers(tmp_path)) == ("old\n", [])


@pytest.mark.skipif(sys.platform != "linux", reason="no other system ends them")
def test_stopped_workers_end_with_their_parent(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    program = f"""
import os, signal, sys
import urisieve.runs.workers as workers
def messages(work, task):
    with open({str(ready)!r}, "a") as file:
        file.write(f"{{os.getpid()}} ")
    os.kill(os.getpid(), signal.SIGSTOP)
    yield False, None
workers._messages = messages
import urisieve.runs.run as run
run.Run._suits_threads = lambda *_: False
run.PART_SIZE = 100_000
from urisieve.cli import main
sys.exit(main(["extract", "-q", "--jobs", "2", {text(tmp_path / "t", 100_000)!r}]))
"""
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", program], env={**os.environ, **paths}) as running:
        until(lambda: ready.exists() and len(ready.read_text().split()) == 2)
        workers = list(map(int, ready.read_text().split()))
        until(lambda: [_state(number) for number in workers] == ["T", "T"])
        running.kill()
    until(lambda: all(_state(number) in "ZX" for number in workers))


def _state(process: int) -> str:
    """The state of a process, as ps(1) shows it; `X` for one that is gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


@pytest.mark.parametrize("target", ["urisieve.cli.extract._extract", "urisieve.sinks.record_formats.RecordSink.close"])
def test_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    (tmp_path / "o").write_text("old\n")
    monkeypatch.setattr(target, fail)
    says_one_thing(call("extract", "-o", str(tmp_path / "o"), stdin=LINK), "there is not enough memory", "--jobs 1")
    assert [path.name for path in tmp_path.iterdir()] == ["o"]
    assert (tmp_path / "o").read_text() == "old\n"


def test_counting_on_disk_says_nothing_more(tmp_path: Path) -> None:
    program = f"""
import tempfile, urisieve.cli.count_commands
tempfile.tempdir = {str(tmp_path)!r}
urisieve.cli.count_commands.budget = lambda limit: 1_000_000
"""
    found = prepared(program, "count", text(tmp_path / "t", 20_000))
    assert (found.status, len(found.lines), found.err.count("\n")) == (0, 20_000, 1), found.err[:999]
    assert os.listdir(tmp_path) == ["t"]


# ---------------------------------------------------------------- stores


def test_two_runs_on_one_store(tmp_path: Path) -> None:
    """Each ends well, or says that the other uses the store; together they print each identifier once."""
    paths = [text(tmp_path / name, 3_000) for name in ("a", "b")]
    for round_ in range(2):
        store = tmp_path / f"s{round_}.db"
        argv = ("dedupe", "--quiet", "--store", str(store))
        runs = [start(*argv, path) for path in paths]
        printed = []
        for run, path in zip(runs, paths, strict=True):
            out, err = run.communicate(timeout=PATIENCE)
            if run.returncode:
                assert (run.returncode, err.count(b"\n")) == (2, 1), err
                assert b"another process uses this store; run this again when that one has ended" in err
                assert out == b""
                done = process(*argv, path)
                assert (done.status, done.err) == (0, "")
                out = done.out
            printed += out.decode().split()
        assert sorted(printed) == sorted(lines(3_000).split())
        assert call("store", "verify", str(store)).lines == ["3,000 keys, nothing wrong"]


def _sql(*statements: str) -> Callable[[Path], object]:
    def change(path: Path) -> None:
        call("dedupe", "--store", str(path), stdin=LINK)
        with contextlib.closing(sqlite3.connect(path)) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()

    return change


FOREIGN: list[tuple[Callable[[Path], object], str]] = [
    (lambda path: sqlite3.connect(path).execute("CREATE TABLE a (b)").connection.close(), "is not a store of urisieve"),
    (lambda path: path.write_text("notes\n"), "is not a store of urisieve"),
    (lambda path: path.write_bytes(b"SQLite format 3\0"), "is not a store of urisieve"),
    (lambda path: path.write_bytes(b""), "is empty, and not a store"),
    (lambda path: path.mkdir(), "is a folder, and a store is a file: name another one"),
    (lambda path: os.mkfifo(path), "is a device, a pipe or a socket, and a store is a file: name another one"),
    (lambda path: path.symlink_to("/dev/null"), "is a device, a pipe or a socket, and a store is a file"),
    (_sql("PRAGMA user_version = 9"), "has layout 9; this version reads layout 2"),
    (
        _sql("DROP TABLE keys"),
        "is damaged (keys is missing); put a copy of it in its place, or remove it to begin a new",
    ),
    (_sql("ALTER TABLE keys DROP COLUMN last"), "is damaged (no store has the table 'keys' as it is in this one); put"),
    (_sql("DELETE FROM meta"), "is damaged (signature is missing); put a copy of it in its place"),
    (
        _sql("UPDATE meta SET value = 'x' WHERE name = 'secret'"),
        "is damaged (its signature or its secret is not valid)",
    ),
    (_sql("UPDATE meta SET value = '{' WHERE name = 'signature'"), "is damaged (its signature or its secret is not"),
]


@pytest.mark.parametrize(("make", "message"), FOREIGN, ids=[f"{n} {row[1]}" for n, row in enumerate(FOREIGN)])
def test_what_is_not_a_store(tmp_path: Path, make: Callable[[Path], object], message: str) -> None:
    path = tmp_path / "s.db"
    make(path)
    content = path.read_bytes() if path.is_file() else None
    for argv in (("dedupe", "--store", str(path)), ("store", "verify", str(path)), ("store", "export", str(path))):
        says_one_thing(call(*argv, stdin=LINK), f"{path}: ", message)
    assert (path.read_bytes() if path.is_file() else None) == content


def test_a_store_without_a_folder(tmp_path: Path) -> None:
    found = call("dedupe", "--store", str(tmp_path / "no" / "s.db"), stdin=LINK)
    says_one_thing(found, f"cannot be made: there is no folder {tmp_path}/no")


def test_a_store_that_may_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    Store(path).close()
    path.chmod(0)
    says_one_thing(process("dedupe", "--store", str(path), stdin=LINK, preexec_fn=bound), "read-only")
    says_one_thing(process("store", "verify", str(path), preexec_fn=bound), "Permission denied")


def test_a_damaged_store(tmp_path: Path) -> None:
    """Whatever byte is changed, and wherever it is cut: it is refused, or nothing new is passed over."""
    known, new = lines(600).split(), lines(20, "b").split()
    whole = tmp_path / "whole.db"
    with Store(whole) as store:
        store.add(known, sources=[f"s{number % 7}" for number in range(600)], now=1_000)
    data = whole.read_bytes()
    path = tmp_path / "s.db"
    chance = random.Random(1_015)
    statuses = set()
    places = [*range(16, 100, 12), *(chance.randrange(len(data)) for _ in range(40)), 8_012, 49_263]
    for place in places:
        changed = bytearray(data)
        changed[place] ^= 1 << chance.randrange(8)
        if chance.random() < 0.1:
            del changed[place:]
        for name in tmp_path.glob("s.db*"):
            name.unlink()
        path.write_bytes(changed)
        checked = call("store", "verify", str(path))
        exported = call("store", "export", str(path))
        run = call("dedupe", "--quiet", "--store", str(path), stdin="\n".join(known[:50] + new).encode())
        assert {checked.status, exported.status, run.status} <= {0, 1, 2}, place
        assert "Traceback" not in checked.err + exported.err + run.err
        if run.status == 0:
            assert set(new) <= set(run.lines) <= {*new, *known[:50]}, place
        else:
            says_one_thing(run, f"{path}: ")
            assert checked.status, place
        statuses.add((checked.status, run.status))
    assert {(0, 0), (2, 2)} <= statuses
