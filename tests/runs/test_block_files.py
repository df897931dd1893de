"""Files whose bytes come from iterables: read as files, lazily, and closed; what stops them is reported."""

from __future__ import annotations

import gzip
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest

from urisieve import (
    InputError,
    Options,
    ReadingOptions,
    Record,
    Tally,
    UsageError,
    extract_batches,
    extract_blocks,
    extract_html,
    sieve_blocks,
    sieve_files,
)
from urisieve.sinks.statistics import count_keys
from urisieve.types import Blocks

SAMPLES = Path("samples")
FILES = sorted(path for path in SAMPLES.rglob("*") if path.is_file() and path.stat().st_size < 200_000)


def cut(data: bytes, size: int) -> Iterator[bytes]:
    return (data[start : start + size] for start in range(0, len(data), size))


def broken(data: bytes, error: Exception, size: int = 50) -> Iterator[bytes]:
    yield from cut(data, size)
    raise error


class Response:
    """An iterator that reports how much of it was taken, and whether it was closed."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = iter(blocks)
        self.taken = 0
        self.is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        self.taken += 1
        return next(self._blocks)

    def close(self) -> None:
        self.is_closed = True


@pytest.mark.sampled(7)
@pytest.mark.parametrize("path", FILES, ids=str)
def test_blocks_are_read_as_the_file_of_that_name_and_content(path: Path) -> None:
    expected = Tally()
    found = [one.as_dict() for one in sieve_files([path], tally=expected)]
    data = path.read_bytes()
    given: tuple[Any, ...] = (data, bytearray(data), [memoryview(data)], cut(data, 997), [b"", *cut(data, 65_536), b""])
    for blocks in given:
        tally = Tally()
        assert [one.as_dict() for one in sieve_blocks(str(path), blocks, tally=tally)] == found
        assert tally == expected


@pytest.mark.parametrize("size", [1, 2, 7])
def test_the_size_of_blocks_does_not_matter(size: int) -> None:
    text = b"\xef\xbb\xbfsee http://a.example/\xc3\xbc\nand http://b.example/100%zz\n" * 3
    for data in (
        text,
        gzip.compress(text),
        b"<html><a href='http://c.example/x'>" + text,
        b'{"a": "http://d.example/"}',
    ):
        assert list(sieve_blocks("x", cut(data, size))) == list(sieve_blocks("x", data))


def test_no_file_of_the_name_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "links.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("other", "http://other.example/")
    copy = BytesIO()
    with zipfile.ZipFile(copy, "w") as file:
        file.writestr("own", "http://own.example/")
    for name in (str(path), str(tmp_path), "-", "", "\ud800"):
        (record,) = extract_blocks(name, cut(copy.getvalue(), 100))
        assert (record.uri, record.source) == ("http://own.example/", f"{name}!own")
        (record,) = extract_blocks(name, [b"http://text.example/"])
        assert (record.source, record.byte_start) == (name, 0)


def test_blocks_are_shown_by_their_name() -> None:
    assert repr(Blocks("a.txt", [b"http://a.example/"])) == "Blocks('a.txt', <list>)"


def test_options_are_those_of_files() -> None:
    data = "http://ü.example/ a@b.example".encode("utf-16-le")
    found = extract_blocks("x", [data], encoding="utf-16-le", options=Options(email=True))
    assert [record.uri for record in found] == ["http://xn--tda.example/", "mailto:a@b.example"]
    page = b"<a href=http://a.example/>"
    assert len(list(extract_blocks("x", page, reading=ReadingOptions(input="text")))) == 1
    with pytest.raises(UsageError, match="encoding"):
        extract_blocks("x", page, encoding="nothing")


def test_records_come_before_the_rest_is_read_and_an_abandoned_iterator_is_closed() -> None:
    line = b"http://a.example/ " * 400 + b"\n"
    for data in (line, b"<p>" + line):
        response = Response([data] * 1_000)
        found = extract_blocks("x", response)
        assert (response.taken, next(found).uri) == (0, "http://a.example/")
        assert response.taken < 100
        assert not response.is_closed
        found.close()  # type: ignore[attr-defined] # it is a generator
        assert response.is_closed
    response = Response([line])
    assert len(list(extract_blocks("x", response))) == 400
    assert (response.taken, response.is_closed) == (2, False)
    response = Response([line] * 10)
    batches = extract_batches([Blocks("x", response)])
    next(batches)
    batches.close()  # type: ignore[attr-defined]
    assert response.is_closed


def test_an_iterator_that_is_never_read_is_closed() -> None:
    for call in (extract_blocks, sieve_blocks):
        response = Response([b"http://a.example/"])
        found = call("x", response)
        assert not response.is_closed
        del found
        assert (response.taken, response.is_closed) == (0, True)
        response = Response([b"http://a.example/"])
        found = call("x", response)
        found.close()  # type: ignore[attr-defined] # it is a generator
        with pytest.raises(StopIteration):
            next(found)
        del found  # a generator that was closed before it began keeps what it was given until then (3.12, 3.13)
        assert response.is_closed
        response = Response([b"http://a.example/"])
        with pytest.raises(UsageError, match="encoding"):
            call("x", response, encoding="nothing")
        assert not response.is_closed  # the call has not taken it
        with pytest.raises(UsageError, match="name=5"):
            call(5, response)  # type: ignore[arg-type]
        assert not response.is_closed


@pytest.mark.once
def test_memory_is_bounded() -> None:
    line = b"words without a link, and now one: http://a.example/x\n" * 1_000

    def peak(count: int) -> int:
        tracemalloc.start()
        assert sum(1 for _ in extract_blocks("x", (line for _ in range(count)))) == count * 1_000
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    peak(2)
    assert peak(200) < peak(20) + 500_000
    # One block of any size is cut.
    tracemalloc.start()
    whole = line * 400
    before = tracemalloc.get_traced_memory()[0]
    assert sum(map(len, extract_batches([Blocks("x", whole)]))) == 400_000
    assert tracemalloc.get_traced_memory()[1] - before < 40_000_000  # 400,000 records take ten times as much
    tracemalloc.stop()


def _gzip() -> bytes:
    return gzip.compress(b"".join(b"http://a%d.example/ " % (number * 7_919 % 99_991) for number in range(20_000)))


def _zip() -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        for number in range(9):
            file.writestr(f"{number}.txt", f"http://a{number}.example/ " * 99)
    return made.getvalue()


_TEXT = b"http://a.example/ " * 500
_KINDS: dict[str, Callable[[], bytes]] = {
    "text": lambda: _TEXT,
    "html": lambda: b"<p>" + _TEXT,
    "gzip": _gzip,
    "zip": _zip,
    "mail": lambda: b"From: a@b.example\nSubject: x\n\n" + _TEXT.replace(b" ", b"\n"),
    "json": lambda: b'["' + _TEXT.replace(b" ", b'", "'),
    "csv": lambda: b"a,b\n" + b"http://a.example/,2\n" * 500,
}


@pytest.mark.parametrize("kind", _KINDS)
def test_an_exception_in_the_middle_is_reported_and_what_came_before_is_kept(kind: str) -> None:
    data = _KINDS[kind]()
    data = data[: len(data) // 2]
    reported: list[tuple[str, InputError]] = []
    tally = Tally()
    error = ConnectionError("reset by peer")
    blocks = broken(data, error)
    found = list(extract_blocks("s3://b/x", blocks, on_error=lambda *given: reported.append(given), tally=tally))
    assert len(found) > 20
    assert reported
    assert all(name == "s3://b/x" for name, _ in reported)
    assert error in [fault.__cause__ for _, fault in reported]
    assert tally.is_unread
    before: list[Record] = []
    with pytest.raises(InputError, match="s3://b/x") as raised:
        before.extend(extract_blocks("s3://b/x", broken(data, error)))
    assert raised.value.__cause__ is error
    assert before == found


def test_an_archive_that_is_cut_short_is_reported() -> None:
    packed = BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        entry = tarfile.TarInfo("a")
        entry.size = len(_TEXT)
        archive.addfile(entry, BytesIO(_TEXT))
    data = packed.getvalue()
    reported: list[str] = []
    for size in (400, 512, 700, len(data) - 10):
        reported.clear()
        blocks = broken(data[:size], ConnectionError("reset by peer"))
        list(extract_blocks("x.tar", blocks, on_error=lambda name, _: reported.append(name)))
        assert set(reported) == {"x.tar"}
        with pytest.raises(InputError):
            list(extract_blocks("x.tar", broken(data[:size], ConnectionError("reset by peer"))))


def test_an_exception_in_the_first_kilobytes_costs_nothing_that_came_before() -> None:
    reported: list[str] = []
    for data in (
        b"http://a.example/ ",
        b"<p>http://a.example/ \n",
        b"<p><a href='http://a.example/'>a</a><a href='http://b.example/'>b</a>",
    ):
        blocks = broken(data, OSError(5, "no route"))
        found = extract_blocks("x", blocks, on_error=lambda name, error: reported.append(f"{name}: {error}"))
        assert [record.uri for record in found] == ["http://a.example/"]
    assert reported == ["x: no route"] * 3
    assert list(extract_blocks("x", broken(b"", OSError("gone")), on_error=lambda *_: reported.clear())) == []
    assert reported == []


@pytest.mark.parametrize("wrong", [None, 5, "http://b.example/", object()])
def test_what_is_not_bytes_is_not_taken_for_the_end(wrong: object) -> None:
    blocks = [b"http://a.example/ ", wrong]
    with pytest.raises(InputError, match=r"x: TypeError: .*bytes-like"):
        list(extract_blocks("x", blocks))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"blocks=.* must be bytes, or "):
        extract_blocks("x", wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"blocks=.* must be bytes, or "):
        Blocks("x", wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="must be a string"):
        extract_blocks(None, b"")  # type: ignore[arg-type]


def test_batches_come_from_blocks_beside_other_sources(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("http://a.example/")
    packed = gzip.compress(b"http://c.example/\n" * 3)
    reported: list[tuple[str, str]] = []
    tally = Tally()
    sources = [
        *(
            "http://t.example/",
            path,
            Blocks("c", [packed]),
            Blocks("d", broken(b"http://d.example/ ", OSError("gone"))),
        ),
        *(None, ("e", None), 7, ("f", 7), ("g", iter(["http://g.example/ ", None])), Blocks("h", b"http://h.example/")),
    ]
    batches = list(
        extract_batches(
            sources,  # type: ignore[arg-type]
            columns=["uri", "source"],
            on_error=lambda name, error: reported.append((name, error.reason)),
            tally=tally,
        )
    )
    uris = [(batch.column("source")[0], list(batch.column("uri"))) for batch in batches if len(batch)]
    assert uris == [
        (None, ["http://t.example/"]),
        (str(path), ["http://a.example/"]),
        ("c", ["http://c.example/"] * 3),
        ("d", ["http://d.example/"]),
        ("g", ["http://g.example/"]),
        ("h", ["http://h.example/"]),
    ]
    assert reported == [
        ("d", "unreadable"),
        *((name, "not-text") for name in ("source 4", "e", "source 6", "f", "g")),
    ]
    assert tally.broken == {("file", "unreadable"): 1, ("document", "not-text"): 5}
    assert tally.kinds == {"text": 3}
    rows = count_keys([Blocks("x", [packed]), Blocks("y", b"http://c.example/")])
    assert [(row.uri, row.count, row.sources) for row in rows] == [("http://c.example/", 4, 2)]
    with pytest.raises(UsageError, match=r"sources\[0\]=None must be a text, .*; on_error= takes what is none"):
        list(extract_batches([None]))  # type: ignore[list-item]


# M3: pages in memory.
PAGE = (
    '<meta charset=latin-1><p>é http://b.example/é <a href="c?ü=1&amp;d=2">a</a> <img src=/i.png> <a href="#top">t</a>'
    "<style>p { background: url(s.css) }</style><!-- http://c.example/ --> urn:isbn:0-395-36341-1"
)
BASES = [None, "https://a.example/x/y", "https://a.example/x/y#top", " https://a.example/x/y\n"]


def _without_bytes(records: Iterable[Record]) -> list[dict[str, Any]]:
    return [{**record.as_dict(), "byte_start": None, "byte_end": None} for record in records]


@pytest.mark.parametrize("base", BASES)
def test_a_page_in_memory_is_read_as_a_file_of_it_is(base: str | None) -> None:
    reading = ReadingOptions(input="html", base=base)
    for name in ("", "page"):
        expected = list(extract_blocks(name, PAGE.encode(), reading=reading, encoding="utf-8"))
        found = list(extract_html(PAGE, base=base, name=name))
        assert len(found) > 2
        assert [record.as_dict() for record in found] == _without_bytes(expected)
        data = PAGE.encode("latin-1")
        expected = list(extract_blocks(name, data, reading=reading))
        of_bytes = list(extract_html(data, base=base, name=name))
        assert [record.as_dict() for record in of_bytes] == [record.as_dict() for record in expected]
    resolved = {record.uri for record in extract_html(PAGE, base=base)} & {"https://a.example/x/c?%C3%BC=1&d=2"}
    assert bool(resolved) == (base is not None)


def test_options_reach_a_page() -> None:
    options = Options(schemes={"urn"})
    assert [record.uri for record in extract_html(PAGE, options=options)] == ["urn:isbn:0395363411"]
    assert list(extract_html("")) == list(extract_html(b"")) == []
    for data in (bytearray(PAGE.encode()), memoryview(PAGE.encode())):
        assert list(extract_html(data)) == list(extract_html(bytes(data)))
    (lone,) = extract_html("<a href='http://a.example/'>\ud800</a>")
    assert lone.uri == "http://a.example/"


@pytest.mark.parametrize(
    ("html", "base", "message"),
    [
        (StringIO("x"), None, r"html=.* must be a page, as a string or bytes"),
        (["<p>"], None, r"html=\['<p>'\] must be a page"),
        (None, None, "html=None must be a page"),
        ("<p>", "page.html", "base='page.html' must be an absolute URI"),
        ("<p>", 5, "base=5 must be a string"),
    ],
)
def test_what_is_no_page_is_refused(html: Any, base: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        extract_html(html, base=base)
