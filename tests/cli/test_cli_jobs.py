"""`urisieve extract --jobs`: several processes give what one gives, and end in good order."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import urisieve.runs.run
from tests.helpers.cli_support import PATIENCE, Outcome, call, interruptible, leftovers, start, until
from tests.helpers.folders import SAMPLES

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX processes and pipes"),
]

# A password, a rejection, a repeated link, a link over a line break, a URN with components, characters beyond ASCII.
TEXT = (
    "http://u:secret{n}@a.example/ HTTP://A.example/ http://a.example/100%zz é\n<http://b.example/\n x{n}> http://ü.example/\n"
    'http://c.example/{n}, urn:example:a?=b{n} "http://d.example/{n}"\n(URL:\nhttp://e.example/)\n'
)


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urisieve.runs.run, "PART_SIZE", 1_024)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text"
    path.write_text("".join(TEXT.format(n=number % 40) for number in range(60)), encoding="utf-8")
    return path


def said(outcome: Outcome) -> str:
    """What was said, without the time."""
    return re.sub(r", [0-9.]+ s(?=$|;)", "", outcome.err, flags=re.MULTILINE)


@pytest.mark.sampled(13)
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("unique", [[], ["--unique"]], ids=["all", "unique"])
@pytest.mark.parametrize(
    "form",
    [
        [],
        ["--form", "raw"],
        ["--form", "iri"],
        ["--format", "jsonl"],
        ["--format", "csv"],
        ["--format", "tsv"],
        ["--urn-syntax", "rfc8141"],
        ["--urn-syntax", "rfc8141", "--format", "jsonl", "--accept", "nested"],
        ["--show-passwords"],
        ["--encoding", "latin-1"],
    ],
    ids=" ".join,
)
def test_the_output_is_that_of_one_process(text: Path, tmp_path: Path, form: list[str], unique: list[str]) -> None:
    rejects = [tmp_path / "one", tmp_path / "more"]
    arguments = ["extract", *form, *unique, *(["--show-passwords"] if "--format" in form else []), str(text), str(text)]
    one = call(*arguments, "--jobs", "1")
    more = call(*arguments, "--jobs", "3")
    assert more.out == one.out
    assert said(more) == said(one)
    assert more.status == one.status == 0
    for path, jobs in zip(rejects, "13", strict=True):
        assert call(*arguments, "--jobs", jobs, "--rejected", str(path)).out == one.out
    assert rejects[0].read_bytes() == rejects[1].read_bytes() != b""


@pytest.mark.sampled(2)
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("format_", ["text", "jsonl"])
def test_sources_of_every_kind_in_their_order(text: Path, tmp_path: Path, format_: str) -> None:
    wide = tmp_path / "wide"
    wide.write_bytes("http://wide.example/ ".encode("utf-16"))
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    paths = [str(text), str(wide), "missing", "-", str(fifo), str(tmp_path), str(text), str(SAMPLES / "mail.mbox")]
    outcomes = []
    for jobs in ("1", "2"):
        flags = ("--show-passwords", "--format", format_, "--jobs", jobs)
        with subprocess.Popen(["sh", "-c", 'echo http://fifo.example/ > "$0"', str(fifo)]) as writer:
            outcomes.append(call("extract", *flags, *paths, stdin=b"http://in.example/"))
        assert writer.returncode == 0
    one, more = outcomes
    assert more.out == one.out
    assert said(more) == said(one)
    assert "missing: No such file" in one.err
    assert one.status == more.status == 2
    for name in ("wide", "in", "fifo"):
        assert f"http://{name}.example/".encode() in one.out


@pytest.mark.usefixtures("small_parts")
def test_two_passwords_stay_two_keys_in_every_process(text: Path) -> None:
    rows = call("extract", "--format", "jsonl", "--jobs", "3", str(text), str(text)).rows
    keys = {row["key"] for row in rows if "password-present" in row["warnings"]}
    assert len(keys) == 40
    assert not any("secret" in key for key in keys)


def test_processes_that_are_not_copied_give_the_same(text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = call("extract", "--quiet", "--unique", str(text))
    monkeypatch.setattr(sys, "platform", "other")
    assert call("extract", "--quiet", "--unique", "--jobs", "2", str(text)) == one


@pytest.mark.parametrize("jobs", ["0", "-1", "x", "1.5", "", "٣"])
def test_a_number_of_jobs_that_is_none(jobs: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("extract", "--jobs", jobs).status == 2


# ---------------------------------------------------------------- ends


@pytest.fixture
def large(tmp_path: Path) -> Path:
    path = tmp_path / "large"
    path.write_bytes(b"".join(b"http://a.example/%d\n" % number for number in range(1_500_000)))
    return path


def children(process: subprocess.Popen[bytes]) -> list[int]:
    found = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True, check=False
    )
    return [int(line) for line in found.stdout.split()]


def alive(pids: list[int]) -> list[int]:
    found = []
    for pid in pids:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state != "Z":
            found.append(pid)
    return found


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")


@pytest.fixture
def working(large: Path, tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], Path, list[int]]]:
    """A command with three processes at work, whose output nobody reads yet."""
    output = tmp_path / "links.jsonl"
    output.write_text("old")
    options = (
        "--format",
        "jsonl",
        "--accept",
        "addresses",
    )  # the finder is asked in Python, so that processes are used
    argv = ("extract", *options, "--output", str(output), "--jobs", "2", *([str(large)] * 4))
    with start(*argv, preexec_fn=interruptible) as running:
        until(
            lambda: (
                len(children(running)) == 2 and any((tmp_path / name).stat().st_size for name in leftovers(tmp_path))
            )
        )
        yield running, output, children(running)
        running.kill()


@pytest.mark.sampled(3)
@LINUX
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_all_processes(
    working: tuple[subprocess.Popen[bytes], Path, list[int]], number: signal.Signals
) -> None:
    running, output, pids = working
    running.send_signal(number)
    assert running.wait(PATIENCE) == 128 + number
    assert output.read_text() == "old"
    assert not leftovers(output.parent)
    assert not alive(pids)
    assert running.stderr
    assert b"Traceback" not in running.stderr.read()


@pytest.mark.sampled(3)
@LINUX
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_all_threads(large: Path, tmp_path: Path, number: signal.Signals) -> None:
    output = tmp_path / "links"
    output.write_text("old")
    argv = ("extract", "--format", "jsonl", "--output", str(output), "--jobs", "2", *([str(large)] * 8))
    with start(*argv, preexec_fn=interruptible) as running:
        until(lambda: any((tmp_path / name).stat().st_size for name in leftovers(tmp_path)))
        running.send_signal(number)
        assert running.wait(PATIENCE) == 128 + number
        assert output.read_text() == "old"
        assert not leftovers(tmp_path)
        assert running.stderr
        assert b"Traceback" not in running.stderr.read()


@LINUX
def test_a_process_that_is_killed_is_an_error(working: tuple[subprocess.Popen[bytes], Path, list[int]]) -> None:
    running, output, pids = working
    os.kill(pids[0], signal.SIGKILL)
    assert running.wait(PATIENCE) == 2
    assert running.stderr
    assert b"a worker process has ended (exit code -9)" in running.stderr.read()
    assert output.read_text() == "old"
    assert not alive(pids)


@LINUX
def test_nobody_is_left_when_the_first_process_is_killed(
    working: tuple[subprocess.Popen[bytes], Path, list[int]],
) -> None:
    running, _, pids = working
    running.kill()
    running.wait(PATIENCE)
    until(lambda: not alive(pids))


def test_a_closed_pipe_ends_cleanly(large: Path) -> None:
    with start("extract", "--jobs", "2", str(large)) as running:
        assert running.stdout
        assert running.stderr
        assert running.stdout.readline() == b"http://a.example/0\n"
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(PATIENCE) == 0
