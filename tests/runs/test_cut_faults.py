"""Faults in one part of a file that is cut for several workers, with real processes: nothing is lost or comes twice."""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path

import pytest

from tests.helpers.cli_support import Outcome, call, leftovers, prepared
from tests.runs.test_cuts import mail, record

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(sys.platform != "linux", reason="processes that are copied, and their signals"),
]

NUMBERS = range(2_000)
_RECORDS = [record(f"http://r.example/{n}", b"http://a.example/%d" % n) for n in NUMBERS]
FILES = {
    "a.mbox": "".join(mail(n, f"http://a.example/{n}") for n in NUMBERS).encode(),
    "a.warc": b"".join(_RECORDS),
    "a.warc.gz": b"".join(map(gzip.compress, _RECORDS)),
    "a.jsonl": b"".join(b'{"n": %d, "url": "http://a.example/%d"}\n' % (n, n) for n in NUMBERS),
    "a.csv": b"n,url\n" + b"".join(b'%d,"http://a.example/%d"\n' % (n, n) for n in NUMBERS),
}
# Twelve parts, and what happens in that of a worker which stands in the middle.
CUT = """
import os, signal
import urisieve.runs.run
from urisieve.runs.document_sieve import DocumentSieve
urisieve.runs.run.PART_SIZE = 4 * {size}
parent, real, met = os.getpid(), DocumentSieve.part, []
def part(self, source, blocks, cut, **more):
    for batch in real(self, source, blocks, cut, **more):
        yield batch
        if os.getpid() != parent and cut.start > {size} * 4:
            {how}
DocumentSieve.part = part
"""


def made(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_bytes(FILES[name])
    return path


def run(how: str, path: Path, *argv: str) -> Outcome:
    code = CUT.format(size=path.stat().st_size // 12, how=how)
    return prepared(code, *argv, "--jobs", "2", "-f", "jsonl", str(path))


def said(outcome: Outcome) -> list[str]:
    """The messages, without the time and the bytes: of a file with an error, one reader counts all."""
    *lines, last = outcome.err.splitlines()
    parts = (part for part in last.split(", ") if not part.endswith(" bytes"))
    return [*lines, *(part.partition(" s;")[2] or part for part in parts)]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(("how", "code"), [("os._exit(3)", "3"), ("os.kill(os.getpid(), signal.SIGKILL)", "-9")])
def test_a_worker_dies_in_a_part(name: str, how: str, code: str, tmp_path: Path) -> None:
    path, output, store = made(tmp_path, name), tmp_path / "o", tmp_path / "s.db"
    output.write_text("old\n")
    found = run(how, path, "extract", "-q", "-o", str(output))
    assert (found.status, found.err.count("\n")) == (2, 1)
    assert found.err.startswith(f"urisieve: a worker process has ended (exit code {code})")
    assert output.read_text() == "old\n"
    assert leftovers(tmp_path) == []
    found = run(how, path, "dedupe", "-q", "--store", str(store))
    assert found.status == 2
    assert f"a worker process has ended (exit code {code})" in found.err
    assert call("store", "verify", str(store)).lines == ["0 keys, nothing wrong"]


@pytest.mark.sampled(11)
@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("argv", [("extract",), ("extract", "--unique"), ("dedupe",)])
def test_what_a_worker_could_not_read_is_read_again(name: str, argv: tuple[str, ...], tmp_path: Path) -> None:
    path = made(tmp_path, name)
    whole = call(*argv, "-f", "jsonl", str(path))
    assert len(whole.rows) >= len(NUMBERS)
    found = run("raise RuntimeError('odd')", path, *argv)
    assert (found.status, found.out) == (0, whole.out)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("argv", [("extract",), ("extract", "--unique"), ("dedupe",)])
def test_a_worker_has_no_memory(name: str, argv: tuple[str, ...], tmp_path: Path) -> None:
    output = tmp_path / "o"
    output.write_text("old\n")
    found = run("raise MemoryError", made(tmp_path, name), *argv, "-o", str(output))
    assert (found.status, found.err.count("\n")) == (2, 1)
    assert "there is not enough memory" in found.err
    assert (output.read_text(), leftovers(tmp_path)) == ("old\n", [])


# A disk that gives an error behind some byte, to whoever reads it.
DISK = """
import errno, io
import urisieve.runs.run
import urisieve.sources.bytes.reading as reading
urisieve.runs.run.PART_SIZE = 4 * {size}
class Disk(io.FileIO):
    def read(self, size=-1):
        left = {end} - self.tell()
        if left <= 0:
            raise OSError(errno.EIO, "Input/output error")
        return super().read(min(size, left))
reading.open = lambda path, mode, buffering: Disk(path, mode)
"""


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("argv", [("extract",), ("dedupe",)])
def test_a_disk_gives_an_error_in_a_part(name: str, argv: tuple[str, ...], tmp_path: Path) -> None:
    path = made(tmp_path, name)
    size = path.stat().st_size
    one, two = (
        prepared(
            DISK.format(size=size // 12, end=size * 2 // 3), *argv, "-f", "jsonl", "--jobs", jobs, str(path), str(path)
        )
        for jobs in ("1", "2")
    )
    assert one.status == two.status == 2
    assert len(two.rows) > len(NUMBERS) // 2
    assert two.out == one.out
    assert f"urisieve: {path}: Input/output error" in two.err.splitlines()
    assert said(two) == said(one)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("change", ["os.truncate({0!r}, {1} // 2)", "os.replace({0!r} + '.new', {0!r})"])
def test_the_file_changes_behind_the_first_parts(name: str, change: str, tmp_path: Path) -> None:
    path = made(tmp_path, name)
    os.link(path, tmp_path / "kept")
    path.with_name(f"{name}.new").write_bytes(FILES[name])
    whole = call("extract", "-f", "jsonl", str(path)).rows
    code = f"""
import os
import urisieve.runs.run as run
run.PART_SIZE = 4 * {len(FILES[name]) // 12}
real = run.tasks
def tasks(*args, **more):
    for number, part in enumerate(real(*args, **more)):
        if number == 3:
            {change.format(str(path), len(FILES[name]))}
        yield part
run.tasks = tasks
"""
    found = prepared(code, "extract", "-f", "jsonl", "--jobs", "2", str(path))
    assert found.status == 2
    assert found.rows == whole[: len(found.rows)]
    assert len(found.rows) < len(whole)
    assert "while it was read; read it again" in found.err


def test_who_looks_for_cuts_cannot(tmp_path: Path) -> None:
    path = made(tmp_path, "a.mbox")
    whole = call("extract", "-f", "jsonl", str(path))
    code = f"""
import urisieve.runs.run
import urisieve.sources.mail.mailboxes as mailboxes
urisieve.runs.run.PART_SIZE = 4 * {path.stat().st_size // 12}
real = mailboxes.message_ends
def message_ends(blocks):
    for number, end in real(blocks):
        if number == 1_000:
            raise RuntimeError("odd")
        yield number, end
mailboxes.message_ends = message_ends
"""
    found = prepared(code, "extract", "-f", "jsonl", "--jobs", "2", str(path))
    assert (found.status, found.out) == (0, whole.out)
