"""Files that are not plain text, in parts for several workers: what is found and counted is that of one worker."""

from __future__ import annotations

import gzip
import pickle
from collections.abc import Callable, Iterable, Iterator
from io import FileIO
from pathlib import Path
from typing import Any, ClassVar

import pytest

import urisieve.runs.run
import urisieve.runs.workers
from tests.helpers.cli_support import call
from tests.helpers.strategies import scaled
from urisieve import ReadingOptions, Tally, sieve_files
from urisieve.options import Limits
from urisieve.sources import cutters as record_cuts
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.containers.warc import record_starts


class InThisProcess:
    """Workers that are none; the tasks (some parts each), and what comes back, are copies."""

    parts: ClassVar[list[Any]] = []
    pools: ClassVar[int] = 0

    def __init__(self, _count: int, make: Callable[[Any], Any], settings: object, **_: object) -> None:
        self._work = make(settings)
        type(self).pools += 1

    def map(self, tasks: Iterable[Any]) -> Iterator[Any]:
        for task in tasks:
            self.parts.extend(task)
            for result in self._work(pickle.loads(pickle.dumps(task))):
                yield pickle.loads(pickle.dumps(result))

    def end(self) -> None:
        """Do nothing."""

    def __enter__(self) -> InThisProcess:
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing."""


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urisieve.runs.workers, "Workers", InThisProcess)
    monkeypatch.setattr(InThisProcess, "parts", [])
    monkeypatch.setattr(InThisProcess, "pools", 0)


def found(path: Path, jobs: int, reading: ReadingOptions | None = None) -> tuple[list[Any], Any, list[str]]:
    """Everything that is found, counted and said."""
    tally = Tally()
    errors: list[str] = []
    some = sieve_files(
        [path], reading=reading, jobs=jobs, tally=tally, on_error=lambda path, error: errors.append(f"{path} {error}")
    )
    listed = [(type(one), one._row) for one in some]
    counts = [tally.kinds, tally.read, tally.skipped, tally.broken, tally.rejected, tally.warnings, tally.left_out]
    return listed, counts, [*tally.messages, *errors]


def assert_same(
    path: Path, sizes: Iterable[int], monkeypatch: pytest.MonkeyPatch, reading: ReadingOptions | None = None
) -> None:
    """Check that a file in parts of any of these sizes gives what it gives as a whole."""
    whole = found(path, 1, reading)
    said = call("extract", "--format", "jsonl", str(path))
    for size in sizes:
        monkeypatch.setattr(urisieve.runs.run, "PART_SIZE", 4 * size)
        assert found(path, 2, reading) == whole, size
        if reading is None and size in (3, 5):
            monkeypatch.setattr(urisieve.runs.run, "PART_SIZE", size)
            other = call("extract", "--format", "jsonl", "--jobs", "2", str(path))
            assert (other.status, other.out, untimed(other.err)) == (said.status, said.out, untimed(said.err)), size


def untimed(text: str) -> list[str]:
    return [
        line.rpartition(", ")[0] if line.endswith(" s") else line for line in text.replace(" s;", " s\n").split("\n")
    ]


def mail(number: int, body: str, fields: str = "") -> str:
    return (
        f"From a{number}@b.example Mon Jan  1 00:00:00 2024\nFrom: a@b.example\nSubject: http://s.example/{number}\n"
        f"Message-ID: <{number}@m.example>\n{fields}\n{body}\n\n"
    )


def record(uri: str | None, body: bytes, kind: str = "conversion", type_: str = "text/plain", more: int = 0) -> bytes:
    target = "" if uri is None else f"WARC-Target-URI: {uri}\r\n"
    header = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\n{target}Content-Type: {type_}\r\nContent-Length: {len(body) + more}\r\n\r\n"
    )
    return header.encode() + body + b"\r\n\r\n"


MBOX = (
    mail(1, "see http://one.example/")
    + mail(2, "From here on http://two.example/\n\nFrom here, too http://two.example/b\n>From there")
    + mail(3, "<a href='http://three.example/'>é</a>", "Content-Type: text/html; charset=utf-8\n")
    + mail(4, "http://f.example/\n\nFrom x@y.example Mon Jan  1 00:00:00 2024\nno: field", "Content-Length: 62\n")
    + mail(5, "aHR0cDovL2ZpdmUuZXhhbXBsZS8=", "Content-Transfer-Encoding: base64\n")
    + "From\n"
    + mail(6, "http://six.example/%zz")
)
PAGE = b"<html><a href='/x'>y</a> http://p.example/ <a href='http://q.example/%zz'>z</a></html>"
RECORDS = [
    record("http://a.example/1", b"http://one.example/ WARC/1.0\r\nWARC-Type: http://no.example/"),
    record("http://a.example/2", PAGE, "resource", "text/html"),
    record("http://a.example/3", b"x", "metadata"),
    record("http://a.example/4", b"\xff http://four.example/"),
    record(
        "http://a.example/5",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + PAGE,
        "response",
        "application/http",
    ),
    record("http://a.example/6", b"http://six.example/"),
]
NAMELESS = record(None, b"http://nameless.example/")
JSONL = (
    '{"url": "http://one.example/", "a": ["http:\\/\\/two.example\\/"]}\n'
    '\n{"b": "<a href=\'http://x.example/\'>é</a>"}\r\n'
    'no json http://broken.example/ "\n{"c": "http://three.example/%zz"}\n[1, 2, "http://four.example/é"]\n'
)
CSV = (
    'id,url,"long\nname"\n1,http://one.example/,a\n2,http://two.example/,"b\nhttp://three.example/ ""q"" é"\n\n'
    '3,http://four.example/%zz,"x,y"\r\n4,http://five.example/,5" disk\n5,"http://six.example/\n\n",z\n'
)
FILES: dict[str, bytes] = {
    "a.mbox": MBOX.encode(),
    "crlf.mbox": MBOX.replace("\n", "\r\n").encode(),
    "cut.mbox": MBOX.encode()[:-30],
    "blank.mbox": b"\n\n" + MBOX.encode(),
    "length.mbox": "".join(
        mail(n, "b", "Content-Length: 2\n") + mail(n, "c", "Content-Length: 500\n") for n in (1, 2)
    ).encode(),
    "a.warc": b"".join(RECORDS),
    "nameless.warc": b"".join([NAMELESS, *RECORDS, NAMELESS]),
    "cut.warc": b"".join(RECORDS)[:-40],
    "wrong.warc": b"".join([*RECORDS[:2], record("http://l.example/", b"http://l.example/", more=900), *RECORDS]),
    "short.warc": b"".join([RECORDS[0], record("http://l.example/", b"http://l.example/", more=-4), *RECORDS]),
    "garbage.warc": b"".join(
        [RECORDS[0], b"http://lost.example/\r\n", *RECORDS, b"WARC/1.0\r\nA: b\r\n\r\n", *RECORDS]
    ),
    "a.warc.gz": b"".join(map(gzip.compress, RECORDS)),
    "nameless.warc.gz": b"".join(map(gzip.compress, [*RECORDS, NAMELESS, *RECORDS])),
    "cut.warc.gz": b"".join(map(gzip.compress, RECORDS))[:-30],
    "one.warc.gz": gzip.compress(b"".join(RECORDS)),
    "stored.warc.gz": b"".join(
        [gzip.compress(record("http://z.example/", gzip.compress(one) * 2, "resource", "x/y"), 0) for one in RECORDS]
    ),
    "damaged.warc.gz": b"".join(map(gzip.compress, RECORDS)).replace(gzip.compress(RECORDS[3])[40:60], b"\xff" * 20),
    "garbage.warc.gz": b"".join([gzip.compress(RECORDS[0]), b"garbage", *map(gzip.compress, RECORDS)]),
    "a.jsonl": JSONL.encode() * 2,
    "mark.jsonl": b"\xef\xbb\xbf" + JSONL.encode() * 2,
    "stray.jsonl": b'{"a": "http://a.example/\xff"}\n{"b": "\xfe"}\n{"b": \n' * 3,
    "open.jsonl": JSONL.encode() + b'{"a": "http://a.example/',
    "many.jsonl": b'{"a": "http://a.example/}\n' * 50,
    "a.csv": CSV.encode(),
    "mark.csv": b"\xef\xbb\xbf" + CSV.encode(),
    "crlf.csv": CSV.replace("\n", "\r\n").encode(),
    "semicolon.csv": CSV.replace(",", ";").encode(),
    "never.csv": CSV.encode() + b'6,"http://open.example/\n7,http://in.example/,x\n8,http://in.example/,y\n',
    "inches.csv": CSV.encode() + b'7,5",http://a.example/\n8,"http://b.example/\n9",http://c.example/\n9,6",x\n',
    "return.csv": CSV.encode() + b'7,a\rb,"http://a.example/\n8,"http://b.example/\n9",http://c.example/\n',
    "empty.csv": b"\n\n\n\n" + CSV.encode() + b"\n\n\n\n1,http://last.example/",
    "stray.csv": b"a,b\n" + b"1,http://a.example/\xff\n" * 5,
    "a.tsv": CSV.replace(",", "\t").encode(),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", FILES)
def test_parts_of_any_size_give_what_the_whole_gives(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name])
    size = len(FILES[name])
    assert_same(path, [1, 2, 3, *range(5, size, max(7, size // scaled(12))), size - 1], monkeypatch)


@pytest.mark.parametrize(
    ("name", "reading"),
    [
        ("a.csv", ReadingOptions(input="csv", field=("url",))),
        ("a.csv", ReadingOptions(input="csv", field=("no",))),
        ("a.csv", ReadingOptions(input="csv", delimiter=";")),
        ("a.csv", ReadingOptions(input="jsonl")),
        ("a.jsonl", ReadingOptions(input="jsonl", field="url")),
        ("a.jsonl", ReadingOptions(unescape=("backslash",))),
        ("a.jsonl", ReadingOptions(input="text")),
        ("a.mbox", ReadingOptions(input="mail")),
        ("a.warc", ReadingOptions(input="warc", base="http://base.example/")),
        ("a.warc.gz", ReadingOptions(input="warc")),
        ("a.warc.gz", ReadingOptions(input="text")),
        ("a.warc.gz", ReadingOptions(limits=Limits(total_allowance=6_000, ratio=4))),
        ("a.warc.gz", ReadingOptions(limits=Limits(stream_allowance=100, ratio=1))),
        ("a.warc.gz", ReadingOptions(limits=Limits(nesting=0))),
        ("a.mbox", ReadingOptions(limits=Limits(depth=0))),
    ],
)
def test_options_of_reading(
    name: str, reading: ReadingOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name])
    assert_same(path, [20, 100, 333], monkeypatch, reading)


def test_what_is_between_the_headers_of_records_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.warc"
    sizes = [10, 100_000, 600_000, 3_000_000, 524_288, 16_000, 200_000]
    path.write_bytes(b"".join(record(f"http://a.example/{n}", b"x" * n) for n in sizes))
    with open(path, "rb") as file:
        expected = list(record_starts(BlockReader(iter(lambda: file.read(1_000), b""))))
    assert len(expected) == len(sizes) - 1
    taken: list[int] = []

    class Counted(FileIO):
        def read(self, size: int | None = -1) -> bytes:
            data = super().read(size)
            taken.append(len(data))
            return data

    monkeypatch.setattr(record_cuts, "FileIO", Counted)
    assert [(cut.number, cut.start) for cut in record_cuts.record_cuts(str(path), 1)] == expected
    assert sum(taken) < 600_000


@pytest.mark.parametrize(
    ("name", "parts", "pools"),
    [
        ("a.mbox", 4, 1),
        ("a.warc", 6, 1),
        ("a.warc.gz", 6, 1),
        ("a.jsonl", 12, 1),
        ("a.csv", 6, 2),
        ("never.csv", 6, 2),
        ("inches.csv", 6, 2),
        ("stored.warc.gz", 1, 2),
        ("one.warc.gz", 1, 1),
    ],
)
def test_parts_are_made_and_one_that_is_not_sure_is_read_again(
    name: str, parts: int, pools: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, other = tmp_path / name, tmp_path / "z.jsonl"
    path.write_bytes(FILES[name])
    other.write_bytes(FILES["a.jsonl"])
    monkeypatch.setattr(urisieve.runs.run, "PART_SIZE", 4)
    assert len(list(sieve_files([path, other], jobs=2))) == len(list(sieve_files([path, other])))
    made = [part for part in InThisProcess.parts if part.path == str(path)]
    assert (len(made), InThisProcess.pools) == (parts, pools)
