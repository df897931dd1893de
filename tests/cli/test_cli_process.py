"""What only a process of its own shows: pipes, signals, terminals, full disks, files that are whole or not there."""

from __future__ import annotations

import gzip
import os
import re
import signal
import stat
import struct
import subprocess
import sys
import tarfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.cli_support import (
    PATIENCE,
    call,
    interruptible,
    is_writing,
    leftovers,
    process,
    start,
    until,
    waiting,
)
from urisieve.cli import watched_run
from urisieve.data_sets.kept_rows import FirstRows
from urisieve.errors import OutputError
from urisieve.runs.process import unwound_on_termination
from urisieve.runs.run import Run
from urisieve.sinks.outputs import open_added_to, open_output

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX processes, pipes and terminals"),
]

FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
LINK = b"http://a.example/\n"


@pytest.fixture
def many(tmp_path: Path) -> Path:
    path = tmp_path / "many"
    path.write_bytes(b"".join(b"http://a.example/%d\n" % number for number in range(100_000)))
    return path


# ---------------------------------------------------------------- pipes


@pytest.mark.parametrize("command", [["extract"], ["extract", "--format", "jsonl"], ["normalize"], ["check"]])
def test_a_slow_pipe_gives_each_record_at_once(command: list[str]) -> None:
    with start(*command) as running:
        assert running.stdin
        assert running.stdout
        for number in range(3):
            running.stdin.write(b"http://a.example/%d\n" % number)
            line = running.stdout.readline()  # waits for ever if the record waits for more input
            assert b"http://a.example/%d" % number in line
        running.stdin.close()
        assert running.wait(PATIENCE) == 0


def member(number: int, text: bytes) -> bytes:
    header = tarfile.TarInfo(f"{number}.txt")
    header.size = len(text)
    return header.tobuf() + text + bytes(-len(text) % 512)


def web_record(number: int, kind: str = "conversion", more: int = 0) -> bytes:
    text = b"see http://a.example/%d and" % number
    if kind == "response":
        text = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>" + text
    header = "WARC/1.0\r\nWARC-Type: {}\r\nContent-Type: {}\r\nWARC-Target-URI: http://t.example/\r\nContent-Length: {}"
    media = "application/http" if kind == "response" else "text/plain"
    return header.format(kind, media, len(text) + more).encode() + b"\r\n\r\n" + text + b"\r\n\r\n"


def zlib_stream() -> Callable[[bytes], bytes]:
    """A function that compresses what comes as one member of gzip, and flushes it."""
    packer = zlib.compressobj(wbits=31)
    return lambda data: packer.compress(data) + packer.flush(zlib.Z_SYNC_FLUSH)


STREAMS: dict[str, tuple[Callable[[int], bytes], Callable[[], Callable[[bytes], bytes]]]] = {
    "warc": (web_record, lambda: bytes),
    "responses": (lambda number: web_record(number, "response"), lambda: bytes),
    "a member each": (web_record, lambda: gzip.compress),
    "responses, a member each": (lambda number: web_record(number, "response"), lambda: gzip.compress),
    "one member": (web_record, zlib_stream),
    "text, a member each": (lambda number: b"http://a.example/%d\n" % number, lambda: gzip.compress),
    "text in one member": (lambda number: b"http://a.example/%d\n" % number, zlib_stream),
    "jsonl in one member": (lambda number: b'{"a": "http://a.example/%d"}\n' % number, zlib_stream),
}


@pytest.mark.sampled(11)
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("name", STREAMS)
def test_a_slow_stream_gives_each_record_at_once(name: str, jobs: str) -> None:
    make, packing = STREAMS[name]
    packed = packing()
    with start("extract", "--quiet", "--jobs", jobs) as running:
        assert running.stdin
        assert running.stdout
        for number in range(4):
            running.stdin.write(packed(make(number)))
            # waits for ever if the record waits for more input
            assert running.stdout.readline().strip() == b"http://a.example/%d" % number
        running.stdin.close()
        running.wait(PATIENCE)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_slow_archive_gives_each_record_at_once(jobs: str) -> None:
    with start("extract", "--quiet", "--jobs", jobs) as running:
        assert running.stdin
        assert running.stdout
        for number in range(4):
            several = b"".join(member(number, b"see http://a.example/%d.%d and\n" % (number, n)) for n in range(3))
            running.stdin.write(several)
            for n in range(3):
                line = running.stdout.readline()  # waits for ever if the record waits for more input
                assert line.strip() == b"http://a.example/%d.%d" % (number, n)
        running.stdin.close()
        running.wait(PATIENCE)


@pytest.mark.parametrize("format_", ["text", "jsonl", "csv"])
def test_a_closed_pipe_ends_cleanly(many: Path, format_: str) -> None:
    with start("extract", "--format", format_, str(many)) as running:
        assert running.stdout
        assert running.stderr
        assert running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(PATIENCE) == 0


def test_a_closed_pipe_hides_no_failure(many: Path) -> None:
    with start("extract", "missing", str(many)) as running:
        assert running.stdout
        assert running.stderr
        assert running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b"urisieve: missing: No such file or directory\n"
        assert running.wait(PATIENCE) == 2


@pytest.mark.parametrize("argv", [["--help"], ["--version"], ["extract", "--help"], ["normalize", "http://a/"]])
def test_nobody_listens_from_the_start(argv: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with start(*argv, stdout=writer) as running:
        os.close(writer)
        assert running.stderr
        assert running.stderr.read() == b""
        assert running.wait(PATIENCE) == 0


@pytest.mark.sampled(2)
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(("argv", "status"), [(["extract", "missing"], 2), (["extract", "--x"], 2), (["check"], 0)])
def test_a_standard_error_that_is_not_read_changes_no_status(
    argv: list[str], status: int, unbuffered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Python keeps what it could not write to its end, where that is an error of its own (120), unless it has no buffer.
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    reader, writer = os.pipe()
    os.close(reader)
    with start(*argv, stderr=writer) as running:
        os.close(writer)
        assert running.communicate(LINK, PATIENCE)[1] is None
        assert running.returncode == status


def test_closed_streams() -> None:
    shell = [sys.executable, "-m", "urisieve"]
    done = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", *shell, "extract"], input=LINK, stderr=subprocess.PIPE, check=False
    )
    assert (done.returncode, done.stderr) == (2, b"urisieve: standard output is closed\n")
    done = subprocess.run(
        ["sh", "-c", '"$@" 2>&-', "sh", *shell, "extract"], input=LINK, stdout=subprocess.PIPE, check=False
    )
    assert (done.returncode, done.stdout) == (0, LINK)


def test_a_pipe_that_does_not_block_is_waited_for(many: Path) -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with start("extract", "--quiet", str(many), stdout=writer) as running, os.fdopen(reader, "rb") as out:
        os.close(writer)
        until(lambda: waiting(reader) > 60_000)  # it meets the full pipe
        assert out.read() == many.read_bytes()
        assert running.wait(PATIENCE) == 0


# ---------------------------------------------------------------- errors in writing


@FULL
@pytest.mark.parametrize("argv", [["extract"], ["normalize"], ["check"], ["--help"], ["extract", "--help"]])
def test_a_full_disk_is_an_error(argv: list[str]) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "urisieve", *argv],
            input=LINK,
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment,
            check=False,
        )
    assert (done.returncode, done.stderr) == (2, b"urisieve: standard output: No space left on device\n")


@FULL
def test_a_full_disk_under_a_file(tmp_path: Path) -> None:
    found = process("extract", "--output", "/dev/full", stdin=LINK)
    assert found == (2, b"", "urisieve: /dev/full: No space left on device\n")
    output = tmp_path / "found"
    output.write_text("old")
    found = process("extract", "--output", str(output), "--rejected", "/dev/full", stdin=LINK + b"http://a/%zz\n")
    assert found == (2, b"", "urisieve: /dev/full: No space left on device\n")
    assert output.read_text() == "old"
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize(
    ("path", "message"),
    [("no/folder/file", "No such file or directory"), (".", "Is a directory"), ("a\0b", "null")],
)
def test_an_output_that_cannot_be_opened(
    path: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = call("extract", "--output", path, stdin=LINK)
    assert (status, out) == (2, b"")
    assert err.startswith(("urisieve: " + path, "urisieve: 'a"))
    assert message in err
    assert err.count("\n") == 1


def test_a_file_that_is_not_writable_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "found"
    output.write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)  # for the superuser everything is writable
    assert call("extract", "--output", str(output), stdin=LINK).err == f"urisieve: {output}: Permission denied\n"
    assert output.read_text() == "old"


# ---------------------------------------------------------------- files: whole or not there


def test_output_is_written_whole(tmp_path: Path) -> None:
    output = tmp_path / "found"
    assert call("extract", "--output", str(output), stdin=LINK).out == b""
    assert output.read_bytes() == LINK
    assert call("extract", "--output", str(output), stdin=b"http://b.example/").status == 0
    assert output.read_text() == "http://b.example/\n"
    assert call("extract", "--output", "-", stdin=LINK).out == LINK
    assert leftovers(tmp_path) == []


def test_nothing_found_is_an_empty_file(tmp_path: Path) -> None:
    assert call("extract", "--output", str(tmp_path / "found"), stdin=b"nothing").status == 1
    assert (tmp_path / "found").read_bytes() == b""


@pytest.mark.parametrize("color", ["auto", "always"])
def test_if_nothing_can_be_read_the_old_file_stays(color: str, tmp_path: Path) -> None:
    output = tmp_path / "found"
    output.write_text("old")
    found = call("extract", "--color", color, "--output", str(output), "missing", "absent")
    assert found.status == 2
    assert leftovers(tmp_path) == []
    assert found.err.splitlines()[-1] == "urisieve: nothing could be read; the output is left as it was"
    assert output.read_text() == "old"
    assert call("extract", "--rejected", str(output), "missing").status == 2
    assert output.read_text() == "old"
    assert call("extract", "--output", str(output), "missing", os.devnull).status == 2
    assert output.read_text() == ""


def test_permissions(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.touch()
    old.chmod(0o604)
    previous = os.umask(0o027)
    try:
        for path in (old, new):
            assert call("extract", "--output", str(path), stdin=LINK).status == 0
    finally:
        os.umask(previous)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (old, new)] == [0o604, 0o640]


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name in ("folder/there", "folder/new"):
        link = tmp_path / f"to-{os.path.basename(name)}"
        link.symlink_to(name)
        if name.endswith("there"):
            (tmp_path / name).write_text("old")
        assert call("extract", "--output", str(link), stdin=LINK).status == 0
        assert link.is_symlink()
        assert (tmp_path / name).read_bytes() == LINK


def test_devices_are_not_replaced() -> None:
    assert call("extract", "--output", "/dev/null", stdin=LINK).status == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    found = process("extract", "--quiet", "--output", "/dev/stdout", stdin=LINK)
    assert found == (0, LINK, "")


def test_an_output_that_is_given_up_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "found"
    output = open_output(str(path))
    output.write(b"half")
    assert len(leftovers(tmp_path)) == 1
    output.give_up()
    assert list(tmp_path.iterdir()) == []


def test_an_output_that_cannot_be_put_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "found"
    output = open_output(str(path))
    output.write(b"all")
    path.mkdir()
    with pytest.raises(OutputError, match="found: Is a directory"):
        output.complete()
    assert leftovers(tmp_path) == []


# ---------------------------------------------------------------- signals


@pytest.fixture
def half_done(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """A run that has written something beside its output file and waits for more input."""
    output = tmp_path / "found"
    output.write_text("old")
    argv = ["extract", "--output", str(output), "--rejected", str(tmp_path / "rejected")]
    with start(*argv, preexec_fn=interruptible) as running:
        assert running.stdin
        running.stdin.write(LINK)
        until(lambda: is_writing(tmp_path))
        yield running, output


def test_ctrl_c_ends_cleanly_and_leaves_the_old_file(half_done: tuple[subprocess.Popen[bytes], Path]) -> None:
    running, output = half_done
    running.send_signal(signal.SIGINT)
    assert running.stderr
    told = running.stderr.read().decode()  # H11
    assert told.startswith(
        f"urisieve: interrupted: {output.parent / 'rejected'} was not written; {output} was not written"
    )
    assert ", and is as it was; so far 0 whole files, " in told
    assert told.count("\n") == 1
    assert running.wait(PATIENCE) == 130
    assert [path.name for path in output.parent.iterdir()] == ["found"]
    assert output.read_text() == "old"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("extract -o o", "o was not written; SOFAR"),
        ("extract -q -o o", "o was not written; SOFAR"),
        ("extract -o old", "old was not written, and is as it was; SOFAR"),
        ("extract", "SOFAR"),
        ("stats", "SOFAR"),
        ("dedupe -o o", "o was not written; SOFAR"),
        ("count -o o", "o was not written; SOFAR"),
        ("stats -o o", "o was not written; SOFAR"),
        ("report -o o", "o was not written; SOFAR"),
        ("dedupe --store s.db -o o", "o was not written; SOFAR"),
        (
            "dedupe --input csv --field url -o o",
            "o was not written; so far 1 whole file, 2 rows, 1 kept, 1 duplicate, 0 unmatched",
        ),
        ("dedupe --input csv --field url", "so far 1 whole file, 2 rows, 1 kept, 1 duplicate, 0 unmatched"),
    ],
)
def test_an_interruption_says_what_became_of_outputs(
    words: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # H11
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("id,url\n1,http://a.example/\n2,HTTP://A.example:80/\n")
    Path("old").write_text("old")
    counted, read = Run.counted, FirstRows.read

    def interrupted_steps(run: Run, steps: Any) -> Iterator[Any]:
        yield from counted(run, steps)
        raise KeyboardInterrupt

    def interrupted_rows(rows: FirstRows, *more: Any) -> None:
        read(rows, *more)
        raise KeyboardInterrupt

    monkeypatch.setattr(Run, "counted", interrupted_steps)
    monkeypatch.setattr(FirstRows, "read", interrupted_rows)
    done = call(*words.split(), "in.csv")
    assert done.status == 130
    told = told.replace("SOFAR", "so far 1 whole file, 50 bytes, 2 found, 0 rejected, S; as 1 csv; read: 3 rows")
    err = re.sub(r"[0-9.]+ s;", "S;", done.err.strip())
    assert err == f"urisieve: interrupted: {told}"
    assert Path("old").read_text() == "old"
    assert not Path("o").exists()
    assert leftovers(tmp_path) == []


def test_an_interruption_leaves_what_was_added(tmp_path: Path) -> None:  # H11
    path = tmp_path / "o"
    interruption = KeyboardInterrupt()
    output = open_added_to(str(path), is_whole=False)
    output.write(b"http://a.example/\n")
    output.__exit__(KeyboardInterrupt, interruption, None)
    assert interruption.__notes__ == [f"{path} holds what was found before"]
    assert path.read_bytes() == b"http://a.example/\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_so_does_termination(half_done: tuple[subprocess.Popen[bytes], Path], number: signal.Signals) -> None:
    running, output = half_done
    running.send_signal(number)
    assert running.stderr
    assert running.stderr.read() == b""
    assert running.wait(PATIENCE) == 128 + number
    assert [path.name for path in output.parent.iterdir()] == ["found"]


@pytest.mark.parametrize("command", ["normalize", "check", "extract"])
def test_ctrl_c_after_the_first_record(command: str) -> None:
    with start(command, preexec_fn=interruptible) as running:
        assert running.stdin
        assert running.stdout
        assert running.stderr
        running.stdin.write(LINK)
        assert running.stdout.readline()
        running.send_signal(signal.SIGINT)
        told = running.stderr.read()  # H11
        counts = rb": so far 0 whole files, [0-9,]+ bytes?, [0-9,]+ found, .*" if command == "extract" else b""
        assert re.fullmatch(rb"urisieve: interrupted%b\n" % counts, told), told
        assert running.stdout.read() == b""
        assert running.wait(PATIENCE) == 130


def test_signals_are_as_they_were_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGTERM)
    assert call("extract", stdin=LINK).status == 0
    assert signal.getsignal(signal.SIGTERM) is before
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with unwound_on_termination():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN  # as under nohup
            assert signal.getsignal(signal.SIGTERM) is not before
    finally:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    with monkeypatch.context() as patch, unwound_on_termination():
        patch.delattr(signal, "SIGHUP")  # not every system has it
        with unwound_on_termination():
            assert signal.getsignal(signal.SIGTERM) is not before
    assert signal.getsignal(signal.SIGTERM) is before
    with pytest.raises(SystemExit, match="143"), unwound_on_termination():
        os.kill(os.getpid(), signal.SIGTERM)


# ---------------------------------------------------------------- progress

# The bar at once, however short the work: what a test cannot wait for.
IMPATIENT = """
import sys
from urisieve.cli import watched_run
watched_run.DELAY, watched_run.LEAST_LEFT = 0.0, -1.0
from urisieve.cli import main
status = main(sys.argv[1:])
with open(sys.argv[-1] + ".log", "w") as log:
    print("tqdm" in sys.modules, file=log)
sys.exit(status)
"""


def on_terminal(*argv: str, stdout_too: bool = False, columns: int = 100) -> tuple[int, bytes]:
    """Run the impatient command with standard error on a terminal; give its status and what appeared there."""
    import fcntl
    import pty
    import termios

    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    out = slave if stdout_too else subprocess.DEVNULL
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-c", IMPATIENT, *argv], stdin=subprocess.DEVNULL, stdout=out, stderr=slave
    ) as running:
        os.close(slave)
        shown = b""
        try:
            while block := os.read(master, 65_536):
                shown += block
        except OSError:  # how a terminal says that its last user has gone
            pass
        os.close(master)
    return running.returncode, shown


def lines_shown(shown: bytes) -> list[str]:
    """What stood on the line of progress, one after the other."""
    lines = [line.strip() for line in shown.decode().replace("\r", "\n").split("\n")]
    return [line for line in lines if line and not line.startswith("urisieve: ")]


def test_progress_on_a_terminal(many: Path) -> None:
    status, shown = on_terminal("extract", str(many))
    assert status == 0
    assert re.search(rf"^ *\d+%  .+/.+B  .+B/s  \d\d:\d\d left  [\d,]+ links  .*{many.name}$", lines_shown(shown)[0])
    last = shown.splitlines()[-1]
    assert last.lstrip(b"\r ").startswith(b"urisieve: 1 file, ")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("columns", [20, 40, 80, 200])
def test_progress_fits_the_terminal(many: Path, columns: int) -> None:
    lines = lines_shown(on_terminal("extract", str(many), columns=columns)[1])
    assert lines
    assert max(map(len, lines)) < columns
    assert "%" in lines[0]
    assert ("links" in lines[0]) == (columns >= 40)


def test_progress_of_compressed_input_is_that_of_the_file(many: Path) -> None:
    packed = many.with_suffix(".gz")
    packed.write_bytes(gzip.compress(many.read_bytes()))
    shares = [int(line.partition("%")[0]) for line in lines_shown(on_terminal("extract", str(packed))[1])]
    assert shares
    assert shares == sorted(shares)
    assert shares[-1] <= 100


def test_progress_where_nothing_is_found(tmp_path: Path) -> None:
    path = tmp_path / "empty.gz"
    path.write_bytes(gzip.compress(os.urandom(3_000_000).hex().encode()))
    assert any("0 links" in line for line in lines_shown(on_terminal("extract", str(path))[1]))


def test_progress_with_workers(many: Path) -> None:
    status, shown = on_terminal("extract", "--jobs", "2", str(many), str(many))
    lines = lines_shown(shown)
    assert (status, bool(lines)) == (0, True)
    assert all(re.search(r"%  .* links?  .*", line) for line in lines)


def test_progress_of_rows_of_a_data_set(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"url":"http://a.example/"}\n' * 50_000)
    lines = lines_shown(on_terminal("dedupe", "--input", "jsonl", "--field", "url", str(path))[1])
    assert any(re.match(r"\d+%  .*B/s  .* left$", line) for line in lines), lines


def test_progress_of_keys(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.write_text("".join(f"http://a.example/{number}\n" for number in range(100_000)))
    lines = lines_shown(on_terminal("dedupe", "--input", "keys", str(path))[1])
    assert any(re.match(r"\d+%  .*B/s  .* left  [\d,]+ links", line) for line in lines), lines


def test_colours_of_statistics_are_for_the_terminal(tmp_path: Path) -> None:
    text, page = tmp_path / "text", tmp_path / "page"
    text.write_bytes(LINK)
    assert b"\x1b[1mfunnel" in on_terminal("stats", str(text), stdout_too=True)[1]
    assert on_terminal("stats", "--output", str(page), str(text), stdout_too=True)[0] == 0
    assert page.read_text().splitlines()[2].startswith("funnel")


def test_progress_where_the_size_is_not_known(many: Path) -> None:
    status, shown = on_terminal("extract", "-", str(many))
    assert status == 0
    assert b"B/s " in shown
    assert b"%" not in shown
    assert Path(f"{many}.log").read_text() == "True\n"


def test_no_progress_if_quiet(many: Path) -> None:
    assert b"B/s" not in on_terminal("extract", "--quiet", str(many))[1]
    assert Path(f"{many}.log").read_text() == "False\n"


def test_no_progress_between_records_on_the_same_terminal(many: Path) -> None:
    status, shown = on_terminal("extract", str(many), stdout_too=True)
    assert status == 0
    assert b"B/s" not in shown
    assert shown.count(b"a.example") == 100_000


def test_no_progress_where_there_is_no_terminal(many: Path) -> None:
    done = subprocess.run([sys.executable, "-c", IMPATIENT, "extract", str(many)], capture_output=True, check=False)
    assert done.stderr.count(b"\n") == 1
    assert b"\r" not in done.stderr
    assert Path(f"{many}.log").read_text() == "False\n"


def test_errors_do_not_run_into_the_progress(many: Path) -> None:
    _, shown = on_terminal("extract", str(many), str(many.parent / "gone"), str(many))
    (error,) = [line for line in shown.replace(b"\r", b"\n").splitlines() if b"gone:" in line]
    assert error == b"urisieve: %s/gone: No such file or directory" % os.fsencode(many.parent)


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (79, " 12%  1.20G/9.80GB  14.2MB/s  10:05 left  12,345 links  logs/access.log"),
        (66, " 12%  1.20G/9.80GB  14.2MB/s  10:05 left  12,345 links  ...ess.log"),
        (60, " 12%  1.20G/9.80GB  14.2MB/s  10:05 left  12,345 links"),
        (42, " 12%  14.2MB/s  10:05 left  12,345 links"),
        (39, " 12%  10:05 left  12,345 links"),
        (20, " 12%  10:05 left"),
        (5, " 12%"),
    ],
)
def test_a_line_of_progress_says_what_fits(width: int, line: str) -> None:
    found = watched_run.progress_line(width, 1_200_000_000, 9_800_000_000, 14_200_000, 80, 12_345, "logs/access.log")
    assert found == line


@pytest.mark.parametrize(
    ("path", "end"),
    [
        ("-", "standard input"),
        ("a\x1b[31m\u202eb", "a\ufffd[31m\ufffdb"),
        ("\u6f22" * 40, "..." + "\u6f22" * 21),
        ("e\u0301" * 70, "..." + "e\u0301" * 43),
        ("e" + "\u0301" * 90 + "x", "...e" + "\u0301" * 90 + "x"),
        ("", "1 link"),
    ],
)
def test_names_in_a_line_of_progress(path: str, end: str) -> None:
    line = watched_run.progress_line(79, 2_000, None, 1_000, 2, 1, path)
    assert line.startswith("2.00kB  1.00kB/s  00:02  1 link")
    assert line.endswith(f"  {end}")


@pytest.mark.parametrize("named", [False, True])
def test_a_command_that_waits_for_the_terminal_says_so(named: bool, tmp_path: Path) -> None:
    import pty

    path = tmp_path / "file"
    path.write_text("http://b.example/")
    listed = tmp_path / "list"
    listed.write_text(f"{path}\n")
    commands = [["extract"], ["extract", "--quiet"], ["dedupe"], ["normalize"], ["stats"]]
    if named:
        commands += [["extract", "--files-from", str(listed)], ["stats", "--files-from", str(listed)]]
    for words in commands:
        command, quiet = words[0], "--quiet" in words
        master, slave = pty.openpty()
        texts = ["http:"] if command == "normalize" else [] if "--files-from" in words else [str(path)]
        with start(*words, *(texts * named), stdin=slave) as running:
            os.close(slave)
            os.write(master, b"http://a.example/\n\x04")
            out, err = running.communicate(timeout=PATIENCE)
        os.close(master)
        assert (b"urisieve: reading from the terminal: end with Ctrl-D, or name a file\n" in err) == (
            not named and not quiet
        )
        assert out.startswith(b"http:") or command == "stats" or (command == "normalize" and named)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_speed_of_progress(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    clock.now = 100.0
    watch = watched_run.Progress(100, clock)
    for _ in range(2):
        clock.now += 0.5
        watch.update(10)
    assert " 20%  20.0/100B  20.0B/s  00:04 left" in capsys.readouterr().err
    watch.close()


@pytest.mark.parametrize(
    ("steps", "shown"),
    [
        ([(0.5, 10), (0.5, 10)], True),  # a second for a fifth: long
        ([(0.5, 10), (0.4, 10)], False),  # not yet
        ([(0.5, 30), (0.6, 50)], False),  # soon done
        ([(1.0, 0)], True),
    ],
)
def test_when_work_is_long(steps: list[tuple[float, int]], shown: bool, capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    watch = watched_run.Progress(100, clock)
    for seconds, size in steps:
        clock.now += seconds
        watch.update(size)
    assert ("%  " in capsys.readouterr().err) == shown
    watch.hide()
    watch.close()
    watch.update(1)
    assert "%  " not in capsys.readouterr().err
