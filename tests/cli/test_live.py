"""Live input: what is decided at a line feed is out at that line feed, in every mode that reads lines.

The input is a pipe that stays open. Each line is sent after the result of the one before it has come, so that a mode
that holds one back never gets the next. Only a failure depends on the clock.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.helpers.cli_support import PATIENCE
from urisieve.kernel import compiled

pytestmark = pytest.mark.once  # by both engines

TEXT = "see http://a.example/{} now\n"
LINK = "http://a.example/{}\n"
JSONL = '{{"t": "x", "url": "http://a.example/{}"}}\n'
CSV = "url,t\nhttp://a.example/{},x\n"
SEMICOLONS = "url;t\nhttp://a.example/{};x\n"
TSV = "url\tt\nhttp://a.example/{}\tx\n"
COLUMN = "url\nhttp://a.example/{}\n"
QUOTED = 't,url\n"x, y","http://a.example/{}"\n'

# A line of the input, after the header of a table, and commands that take such lines.
MODES = {
    TEXT: """
        extract
        extract --input text
        extract --accept names,addresses,doi,isbn,issn,orcid,ark,handle,defanged,unencoded,nested
        extract --accept defanged
        extract --schemes any
        extract --merge page --form iri
        extract --encoding latin-1
        extract --unescape html
        extract --unescape syslog
        extract --unique
        extract --unique --merge page
        extract --unique --format jsonl
        extract --format jsonl
        extract --format csv
        extract --format tsv
        extract --format jsonl --read context
        extract --fields line,uri
        extract --safe no-query
        extract --rejected rejected.jsonl
        extract --fail-on no-scheme
        extract --jobs 2
        dedupe
        dedupe --format csv
        dedupe --memory-limit 200MB
        dedupe --accept defanged
        dedupe --store seen.db
        dedupe --store seen.db --format jsonl
        dedupe --store seen.db --mark-new --format jsonl
    """,
    "see hxxp://a[.]example/{}\n": "extract --accept defanged,names --unique",
    "see www.a.example/{}\n": "extract --input text --accept names,defanged,isbn",
    LINK: """
        extract
        dedupe --input keys
        dedupe --input keys --store seen.db
        check
        check --format jsonl
        check --accept isbn
        normalize
        normalize --form key
        normalize --invalid keep
        explain
        explain --format jsonl
    """,
    JSONL: """
        extract
        extract --input jsonl
        extract --input jsonl --accept defanged
        extract --input jsonl --field url --format csv --unique
        extract --input jsonl --encoding latin-1
        extract --input jsonl --format jsonl --read context
        dedupe --field url
        dedupe --input jsonl --field url
        dedupe --input jsonl --field url --unmatched drop
        dedupe --input jsonl --field url --jobs 2
        dedupe --input jsonl --field url --store seen.db
        check --input jsonl --field url
        normalize --input jsonl --field url
    """,
    CSV: """
        extract --input csv
        extract --input csv --accept defanged,isbn
        extract --input csv --field url --format jsonl --unique
        extract --input csv --delimiter , --encoding latin-1
        dedupe --input csv --field url
        dedupe --input csv --field url --unmatched drop
        dedupe --input csv --field url --delimiter ,
        dedupe --input csv --field url --store seen.db
        check --input csv --field url
        check --input csv --field url --format csv
        normalize --input csv --field url
    """,
    SEMICOLONS: "extract --input csv; dedupe --input csv --field url",
    TSV: "extract --input tsv; dedupe --input tsv --field url; dedupe --input tsv --field url --store seen.db",
    COLUMN: "extract --input csv; dedupe --input csv --field url; check --input csv --field url",
    QUOTED: "extract --input csv; dedupe --input csv --field url --store seen.db",
    "Jan  1 00:00:00 host app: http://a.example/{}\n": "extract --format jsonl --read context",
    "MESSAGE=http://a.example/{}\n\n": "extract --input journal",
}
CASES = [
    (lines, command.strip())
    for lines, commands in MODES.items()
    for command in commands.replace("; ", "\n").splitlines()
    if command.strip()
]

# For each folder and command, a copy of a process that has imported all: no time goes into starts.
SERVER = """
import json, os, sys
from urisieve.cli import main
main(["extract", "--accept", "names", "--format", "jsonl", os.devnull])
for line in sys.stdin:
    folder, argv = json.loads(line)
    child = os.fork()
    if not child:
        os.chdir(folder)
        for number, (name, flags) in enumerate(
            (("in", os.O_RDONLY), ("out", os.O_WRONLY), ("err", os.O_WRONLY | os.O_CREAT))
        ):
            os.dup2(os.open(name, flags, 0o600), number)
        sys.stdin, sys.stdout = open(0), open(1, "w")
        status = 1
        try:
            status = main(argv)
        finally:
            os._exit(status)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Server:
    """Runs commands whose standard streams are named pipes."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def start(self, folder: Path, command: str) -> None:
        """Begin a command."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([str(folder), command.split()]) + "\n")
        self._process.stdin.flush()

    def status(self) -> int:
        """Wait for its end, and return its status."""
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())


@pytest.fixture(scope="module", params=["", "1"] if compiled else ["1"], ids=["kernel", "python"] if compiled else None)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server of one of the two engines."""
    paths = {"PYTHONPATH": os.pathsep.join(sys.path), "URISIEVE_PURE": str(request.param)}
    environment = {name: value for name, value in {**os.environ, **paths}.items() if value}
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], text=True, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        yield Server(process)
        process.communicate()


def comes(out: int, what: bytes) -> bytes:
    """Read from a pipe until something comes; return all that has come."""
    found = b""
    while what not in found:
        assert select.select([out], [], [], PATIENCE)[0], f"{what!r} does not come; there is {found!r}"
        block = os.read(out, 65_536)
        assert block, f"the output ends before {what!r}"
        found += block
    return found


def lines_of(text: str, count: int) -> Iterator[str]:
    """The lines of a mode, with the header before the first one."""
    at = text.index("{}")
    start = text.rfind("\n", 0, at) + 1
    yield text.format(0)
    for number in range(1, count):
        yield text[start:].format(number)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("lines", "command"), CASES, ids=[f"{command} {lines[:9]}" for lines, command in CASES])
def test_what_is_decided_at_a_line_feed_is_out(lines: str, command: str, server: Server, tmp_path: Path) -> None:
    _live(server, tmp_path, f"{command} --quiet" if command.split()[0] != "explain" else command, lines, bytes)


@pytest.mark.parametrize("lines", [TEXT, JSONL])
def test_so_is_what_is_compressed(lines: str, server: Server, tmp_path: Path) -> None:
    packed = zlib.compressobj(wbits=31)
    _live(
        server,
        tmp_path,
        "extract --quiet",
        lines,
        lambda data: packed.compress(data) + packed.flush(zlib.Z_SYNC_FLUSH if data else zlib.Z_FINISH),
    )


def test_messages_come_when_the_next_ones_have_begun(server: Server, tmp_path: Path) -> None:
    message = "From a@b.example Mon Jan  1 00:00:00 2024\nFrom: a@b.example\nSubject: s\n\nhttp://a.example/{}\n\n"
    with _running(server, tmp_path, "extract --quiet") as (source, out):
        os.write(source, "".join(map(message.format, range(8))).encode())
        comes(out, b"a.example/4")


def _live(server: Server, folder: Path, command: str, lines: str, written: Callable[[bytes], bytes]) -> None:
    with _running(server, folder, command) as (source, out):
        for number, line in enumerate(lines_of(lines, 3)):
            data = written(line.encode())
            os.write(source, data[:5])  # where a block ends changes nothing
            os.write(source, data[5:])
            comes(out, b"a.example/%d" % number)
        os.write(source, written(b""))


@contextmanager
def _running(server: Server, folder: Path, command: str) -> Iterator[tuple[int, int]]:
    """Run a command to its end, with its standard input and its standard output."""
    os.mkfifo(folder / "in")
    os.mkfifo(folder / "out")
    server.start(folder, command)
    source = os.open(folder / "in", os.O_WRONLY)
    out = os.open(folder / "out", os.O_RDONLY)
    try:
        yield source, out
    finally:
        os.close(source)
        while os.read(out, 65_536):
            pass
        os.close(out)
        status = server.status()
    assert (status, (folder / "err").read_text()) == (0, "")
