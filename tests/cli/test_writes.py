"""When bytes leave: 64 KiB at once, when the input pauses, and at the end."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import pytest

from tests.helpers.cli_support import PATIENCE, call, start, until
from urisieve.cli import main
from urisieve.sources.bytes.reading import at_pauses, read_blocks

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="POSIX pipes")
TOGETHER = 65_536

TEXT = "see http://a.example/{} for\n"
LINKS = "http://a.example/{}\n"
ROWS = "{},http://a.example/{},note\n"
# By six rows a table is known, and what is between its cells.
HEADER = "id,url,note\n" + "".join(ROWS.format(number, number) for number in range(5))
OBJECTS = '{{"url": "http://a.example/{}"}}\n'
# Each command, what comes before the lines, and each line.
LIVE = (
    ("extract", "", TEXT),
    ("extract -u", "", TEXT),
    ("extract -f jsonl", "", TEXT),
    ("extract -f csv", "", TEXT),
    ("extract --accept defanged", "", TEXT),
    ("extract --accept names", "", TEXT),
    ("extract --accept names,defanged", "two lines\nof text\n", "see a{}[.]example.org\n"),
    ("extract --input csv", "", "a http://a.example/{}\n"),
    ("extract --input csv --accept defanged", "", "a http://a.example/{}\n"),
    ("extract --input csv", HEADER, ROWS),
    ("extract --input csv", HEADER.replace(",", ";"), ROWS.replace(",", ";")),
    ("extract", HEADER, ROWS),
    ("extract --input tsv", "", "a\thttp://a.example/{}\n"),
    ("extract --input jsonl", "", OBJECTS),
    ("dedupe", "", TEXT),
    ("dedupe -f jsonl", "", TEXT),
    ("dedupe --store s.db", "", TEXT),
    ("dedupe --input keys", "", LINKS),
    ("dedupe --field url", "", OBJECTS),
    ("dedupe --input jsonl --field url", "", OBJECTS),
    ("dedupe --input jsonl --field page.url", "", '{{"page": {{"url": "http://a.example/{}"}}}}\n'),
    ("dedupe --input jsonl --field url --store s.db", "", OBJECTS),
    ("dedupe --input csv --field url", HEADER, ROWS),
    ("dedupe --field url", HEADER, ROWS),
    ("dedupe --field url --unmatched drop", HEADER.replace(",", ";"), ROWS.replace(",", ";")),
    ("normalize", "", LINKS),
    ("normalize --input csv --field url", HEADER, ROWS),
    ("check", "", LINKS),
    ("check --input csv --field url", HEADER, ROWS),
)


@pytest.mark.sampled(7)
@POSIX
@pytest.mark.parametrize("pure", ["", "1"])
@pytest.mark.parametrize(("words", "before", "line"), LIVE)
def test_what_is_decided_at_a_line_feed_is_written_there(
    words: str, before: str, line: str, pure: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("URISIEVE_PURE", pure)
    with start(*words.split(), "-", cwd=tmp_path) as running:
        assert running.stdin
        assert running.stdout
        running.stdin.write(before.encode())
        for number in range(701, 704):
            running.stdin.write(line.format(number, number).encode())
            found = b"more"
            while found and str(number).encode() not in found:  # waits for ever if it waits for more input
                found = running.stdout.readline()
            assert found
        running.stdin.close()
        assert running.wait(PATIENCE) == 0


@POSIX
@pytest.mark.parametrize("words", ["extract", "dedupe --field url", "dedupe --store s.db", "normalize"])
def test_a_closed_pipe_ends_a_run_at_a_pause(words: str, tmp_path: Path) -> None:
    with start(*words.split(), "-", cwd=tmp_path) as running:
        assert running.stdin
        assert running.stdout
        assert running.stderr
        line = OBJECTS if "url" in words else LINKS
        running.stdin.write(line.format(1).encode())
        assert running.stdout.readline() == line.format(1).encode()
        running.stdout.close()
        running.stdin.write(line.format(2).encode())
        assert running.wait(PATIENCE) == 0
        assert running.stderr.read() == b""


@pytest.mark.sampled(2)
@POSIX
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize("words", ["extract", "extract -u", "dedupe --field url", "dedupe --store s.db"])
def test_a_full_disk_ends_a_run_at_a_pause(words: str, tmp_path: Path) -> None:
    with start(*words.split(), "-", "-o", "/dev/full", cwd=tmp_path) as running:
        assert running.stdin
        assert running.stderr
        running.stdin.write(OBJECTS.format(1).encode())
        assert running.wait(PATIENCE) == 2
        assert running.stderr.read() == b"urisieve: /dev/full: No space left on device\n"


@POSIX
def test_a_followed_file_is_written_when_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"")
    with start("extract", "--quiet", "--follow", str(path)) as running, path.open("ab", buffering=0) as log:
        assert running.stdout
        for count in range(3):
            log.write(TEXT.format(count).encode())
            assert running.stdout.readline() == LINKS.format(count).encode()
        running.terminate()
        assert running.wait(PATIENCE) == 0


@pytest.mark.sampled(3)
@POSIX
@pytest.mark.parametrize("old", [None, b"of before, and longer than what comes\n" * 9])
@pytest.mark.parametrize("words", ["extract", "extract -u", "extract --accept names", "dedupe", "dedupe --store s.db"])
def test_the_output_of_a_followed_file_grows_with_it(words: str, old: bytes | None, tmp_path: Path) -> None:
    log, output = tmp_path / "log", tmp_path / "found"
    log.write_bytes(b"http://[z/ ")
    if old is not None:
        output.write_bytes(old)
    kept = old if old is not None and "--store" in words else b""  # a store adds to what it has written
    flags = ["--rejected", "no.csv"] if words == "extract" else []
    argv = [*words.split(), "--quiet", *flags, "--follow", "log", "-o", "found"]
    with start(*argv, cwd=tmp_path) as running, log.open("ab", buffering=0) as growing:
        for count in range(1, 4):
            growing.write(TEXT.format(count).encode())
            lines = "".join(LINKS.format(number) for number in range(1, count + 1))
            until(lambda: output.exists() and output.read_bytes() == kept + lines.encode())  # noqa: B023
        if flags:
            until(lambda: b"http://[z/" in (tmp_path / "no.csv").read_bytes())
        running.kill()
    assert output.read_bytes() == kept + lines.encode()


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    numbers = range(6_000)
    files = {
        "plain.txt": "".join(map(TEXT.format, numbers)),
        "page.html": "".join(f'<p>more <a href="http://a.example/{n}">see b{n}.example.org</a></p>\n' for n in numbers),
        "rows.csv": HEADER + "".join(ROWS.format(n, n) for n in numbers),
        "rows.jsonl": "".join(map(OBJECTS.format, numbers)),
        "rows.json": f"[{','.join(map(OBJECTS.strip().format, numbers))}]",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


@contextmanager
def counted_writes() -> Iterator[list[int]]:
    """The sizes of all writes inside the context."""
    sizes: list[int] = []
    write = os.write

    def counted(descriptor: int, data: bytes) -> int:
        sizes.append(write(descriptor, data))
        return sizes[-1]

    with mock.patch("os.write", counted):
        yield sizes


WRITING = [
    *(f"extract -f {kind} {name}" for kind in ("text", "jsonl", "csv", "tsv") for name in ("plain.txt", "page.html")),
    "extract -u plain.txt",
    "extract --accept names page.html",
    "extract --accept names,defanged page.html",
    "extract -f jsonl --accept names page.html",
    "extract --input html page.html",
    "extract --safe cells -f csv page.html",
    "extract rows.csv rows.jsonl rows.json",
    "dedupe plain.txt page.html",
    "dedupe -f csv --accept names page.html",
    "dedupe --store s.db page.html",
    "dedupe --input keys plain.txt",
    "count page.html",
    "count -f jsonl plain.txt",
    "dedupe --field url rows.csv",
    "dedupe --field url rows.jsonl",
    "dedupe --field url rows.json",
    "dedupe --field url --keep last rows.csv",
    "dedupe --field id --unmatched others rows.csv",
]


@pytest.mark.sampled(7)
@pytest.mark.parametrize("to_file", [False, True])
@pytest.mark.parametrize("words", WRITING)
def test_a_write_takes_64_kib(
    words: str, to_file: bool, many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    argv = [str(many / word) if (many / word).exists() else word for word in words.split()]
    argv += ["-q", "-j", "1", *(["-o", "found"] if to_file else [])]
    with (tmp_path / "shown").open("w") as shown, mock.patch("sys.stdout", shown), counted_writes() as sizes:
        assert main(argv) in (0, 1)
    written = sum(Path(name).stat().st_size for name in ("found", "shown", "others") if Path(name).exists())
    assert sum(sizes) == written > 0
    assert len(sizes) <= written // TOGETHER + 1 + Path("others").exists()


@POSIX
def test_a_pipe_pauses_before_a_read_that_waits_and_a_file_never(tmp_path: Path) -> None:
    path, fifo = tmp_path / "file", tmp_path / "fifo"
    path.write_bytes(bytes(3_000_000))
    os.mkfifo(fifo)
    writer = os.open(fifo, os.O_RDWR)
    pauses: list[int] = []

    def next_bytes() -> None:
        pauses.append(len(pauses))
        if len(pauses) < 4:
            os.write(writer, b"x" * len(pauses))
        elif len(pauses) == 4:
            os.close(writer)

    with at_pauses(next_bytes):
        assert sum(map(len, read_blocks(str(path)))) == 3_000_000
        assert pauses == []
        # The first pause is that before the pipe is opened.
        assert list(read_blocks(str(fifo))) == [b"x", b"xx", b"xxx"]
    assert len(pauses) == 4
    next_bytes()
    list(read_blocks(str(path)))
    assert len(pauses) == 5


def test_an_interruption_leaves_what_was_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(io.BytesIO):
        def read1(self, size: int | None = -1) -> bytes:
            del size
            if data := super().read1(20):
                return data
            raise KeyboardInterrupt

    out, text = io.BytesIO(), LINKS.format(1).encode() * 5
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Interrupted(text)))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, write_through=True))
    assert main(["extract", "-"]) == 130
    assert out.getvalue() == text


def test_a_file_is_not_replaced_by_half_of_it(many: Path, tmp_path: Path) -> None:
    output = tmp_path / "found"
    output.write_text("old")
    write, left = os.write, 3

    def failing(descriptor: int, data: bytes) -> int:
        nonlocal left
        left -= 1
        if left < 0:
            raise OSError(28, "No space left on device")
        return write(descriptor, data)

    with mock.patch("os.write", failing):
        found = call("extract", "-f", "jsonl", "-o", str(output), str(many / "page.html"))
    assert found == (2, b"", f"urisieve: {output}: No space left on device\n")
    assert output.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["found"]
