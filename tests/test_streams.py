"""Strings, chunks, documents and asynchronous chunks: the same sieve behind each."""

from __future__ import annotations

import asyncio
import collections
import gc
import io
import itertools
import weakref
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest

from urisieve import (
    Options,
    Record,
    Rejection,
    Scanner,
    UsageError,
    aextract,
    asieve,
    check,
    deduplicate,
    extract,
    extract_batches,
    extract_documents,
    extract_each,
    parse,
    sieve,
    sieve_documents,
)
from urisieve.find.searches import AnySearch, make_search
from urisieve.records.sink import Sink
from urisieve.streams import extract_keys

TEXT = "one <http://a.example/\nb>, http://[bad/ two\nurn:isbn:0395363411.\n"


async def _pieces(pieces: Iterable[str]) -> AsyncIterator[str]:
    for piece in pieces:
        await asyncio.sleep(0)
        yield piece


def _fields(found: Iterable[Record | Rejection]) -> list[dict[str, Any]]:
    return [one.as_dict() for one in found]


def test_a_source_is_text_pieces_or_a_file() -> None:
    whole = _fields(sieve(TEXT))
    assert [row["raw"] for row in whole] == ["http://a.example/\nb", "http://[bad/", "urn:isbn:0395363411"]
    for source in (
        iter([TEXT]),
        iter(TEXT),
        iter(TEXT.splitlines(keepends=True)),
        io.StringIO(TEXT),
        (c for c in TEXT),
    ):
        assert _fields(sieve(source)) == whole


def test_extract_leaves_rejections_out() -> None:
    assert [found.uri for found in extract(TEXT)] == ["http://a.example/b", "urn:isbn:0395363411"]
    assert [type(found) for found in sieve(TEXT)] == [Record, Rejection, Record]


@pytest.mark.parametrize("source", ["", iter([]), iter(["", ""]), iter(())])
def test_nothing_gives_nothing(source: Any) -> None:
    assert list(sieve(source)) == []


def test_asynchronous_pieces_give_the_same() -> None:
    async def both() -> tuple[list[Record | Rejection], list[Record]]:
        found = [one async for one in asieve(_pieces(TEXT))]
        return found, [record async for record in aextract(_pieces([TEXT]))]

    found, records = asyncio.run(both())
    assert _fields(found) == _fields(sieve(TEXT))
    assert _fields(records) == _fields(extract(TEXT))


def test_what_the_end_of_asynchronous_pieces_decides() -> None:
    async def last() -> list[str]:
        return [record.uri async for record in aextract(_pieces(["see http://a.ex", "ample/x"]))]

    assert asyncio.run(last()) == ["http://a.example/x"]


def test_asynchronous_records_come_as_soon_as_decided() -> None:
    asked: list[str] = []

    async def pieces() -> AsyncIterator[str]:
        for piece in ("http://a.example/ ", "http://b.example/ "):
            asked.append(piece)
            yield piece

    async def first() -> str:
        records = aextract(pieces())
        found = await anext(records)
        await records.aclose()
        return found.uri

    assert asyncio.run(first()) == "http://a.example/"
    assert len(asked) == 1


def test_options_reach_every_stream() -> None:
    options = Options(schemes=["urn"])
    assert [found.uri for found in extract(TEXT, options=options)] == ["urn:isbn:0395363411"]
    (document,) = extract_documents([("x", TEXT)], options=options)
    assert document.nid == "isbn"

    async def records() -> list[str]:
        return [record.uri async for record in aextract(_pieces([TEXT]), options=options)]

    assert asyncio.run(records()) == ["urn:isbn:0395363411"]


# Documents.


def test_nothing_joins_across_documents() -> None:
    documents: list[tuple[str, str | Iterator[str]]] = [
        ("one", "a http://a.exam"),
        ("two", "ple/b\nhttp://c.example/"),
        ("three", iter(["htt", "p://d.example/"])),
        ("four", ""),
    ]
    found = list(extract_documents(documents))
    assert [(record.source, record.uri, record.start, record.line) for record in found] == [
        ("one", "http://a.exam/", 2, 1),
        ("two", "http://c.example/", 6, 2),
        ("three", "http://d.example/", 0, 1),
    ]


def test_rejections_of_documents_have_the_source_too() -> None:
    (found,) = sieve_documents([("one", "http://[bad/")])
    assert isinstance(found, Rejection)
    assert found.source == "one"
    assert list(extract_documents([("one", "http://[bad/")])) == []


def test_documents_are_lazy() -> None:
    asked: list[str] = []

    def documents() -> Iterator[tuple[str, str]]:
        for name in ("one", "two"):
            asked.append(name)
            yield name, "http://a.example/ "

    records = extract_documents(documents())
    assert asked == []
    assert next(records).source == "one"
    assert asked == ["one"]
    assert next(records).source == "two"


# Misuse.


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"http://a.example/", "decode it"),
        (bytearray(b"x"), "decode it"),
        (None, "source=None must be a string, or an iterator"),
        (5, "source=5 must be a string, or an iterator"),
        (iter([b"http://a.example/"]), "yielded bytes, not str: decode it"),
        (iter(["x", 5]), "yielded int, not str"),
        (iter([memoryview(b"x")]), "yielded memoryview, not str: decode it"),
    ],
)
def test_what_is_no_text_is_said(source: Any, message: str) -> None:
    for stream, pieces in zip(
        (extract, sieve), itertools.tee(source) if hasattr(source, "__next__") else [source] * 2, strict=True
    ):
        with pytest.raises(UsageError, match=message):
            list(stream(pieces))


def test_asynchronous_bytes_are_said() -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"http://a.example/"

    async def read() -> None:
        async for _ in asieve(pieces()):  # type: ignore[arg-type]
            pass

    with pytest.raises(UsageError, match="yielded bytes, not str: decode it"):
        asyncio.run(read())


@pytest.mark.parametrize("call", [check, parse, Scanner().feed], ids=["check", "parse", "feed"])
@pytest.mark.parametrize("value", [b"http://a.example/", None, 5])
def test_values_that_are_no_text_are_said(call: Callable[[Any], object], value: object) -> None:
    with pytest.raises(UsageError, match=r"text=.* must be a string"):
        call(value)


# The scanner.


def test_a_closed_scanner_takes_nothing_more() -> None:
    scanner = Scanner(source="name")
    assert scanner.feed("http://a.example/") == []
    (found,) = scanner.close()
    assert found.source == "name"
    assert scanner.close() == []
    with pytest.raises(UsageError, match=r"feed\(\) after close\(\): make a new Scanner"):
        scanner.feed("x")


def test_few_searches_are_kept_for_the_next_call() -> None:
    kept: list[weakref.ref[object]] = []

    def watched(options: Options, sink: Sink, *, columns: frozenset[str]) -> AnySearch:
        search = make_search(options, sink, columns=columns)
        kept.append(weakref.ref(search))
        return search

    with patch("urisieve.find.searches.make_search", watched):
        open_ones = [extract(iter([TEXT, TEXT]), options=Options(max_length=99)) for _ in range(20)]
        begun = [next(one) for one in open_ones]
        assert len(begun) == len(kept) == 20
        for one in open_ones:
            assert list(one)
    del open_ones, one
    gc.collect()
    assert sum(ref() is not None for ref in kept) <= 5


def test_calls_share_nothing() -> None:
    """A call may begin while another one goes on, or after one that was given up or that failed."""
    expected = _fields(sieve(TEXT))
    outer = sieve(iter([TEXT, TEXT]))
    begun = [next(outer)]
    assert _fields(sieve(TEXT)) == expected
    assert next(extract(TEXT + " http://"), None)
    assert _fields(sieve(TEXT)) == expected
    with pytest.raises(UsageError):
        list(sieve(iter(["see http://cut.exam", None])))  # type: ignore[arg-type]
    assert _fields(sieve(TEXT)) == expected
    assert _fields([*begun, *outer]) == _fields(sieve(TEXT + TEXT))


def test_scanners_share_nothing() -> None:
    one, two = Scanner(), Scanner()
    one.feed("http://a.exam")
    assert two.feed("ple/ ") == []
    (found,) = one.feed("ple/ ")
    assert isinstance(found, Record)
    assert found.uri == "http://a.example/"


@pytest.mark.parametrize(
    "options", [Options(), Options(urn_syntax="rfc8141"), Options(level="none"), Options(nested="report")]
)
def test_keys_are_those_of_the_records(options: Options) -> None:
    text = "HTTP://A.example/%7e urn:example:a?=b#c http://u:p@b.example/ http://c.example/%zz http://d.example/http://e.example"
    plain = replace(options, nested="off")
    expected = [record.key for record in extract(text, options=plain)]
    assert len(expected) == 4
    assert list(extract_keys(text, options=options)) == expected
    assert list(extract_keys(iter(text), options=options)) == expected
    with pytest.raises(UsageError):
        list(extract_keys(iter([b"a"])))  # type: ignore[arg-type]


# C8: many texts, each for itself.
TEXTS = [
    "doc one http://x.example/",
    "doc two",
    "",
    TEXT,
    "http://exa",
    "mple.com/ \n\nURN:ISBN:0-395-36341-1",
    "<http://y.example/",
]


@pytest.mark.parametrize("options", [None, Options(level="syntax", email=True, schemeless=True), Options(nested=True)])
def test_each_text_stands_for_itself(options: Options | None) -> None:
    each = list(extract_each(TEXTS, options=options))
    assert [_fields(records) for records in each] == [_fields(extract(text, options=options)) for text in TEXTS]
    assert list(extract_each([])) == []


def test_what_an_iterator_yields_is_one_text_and_a_list_is_many() -> None:
    assert [found.uri for found in extract(iter(["http://exa", "mple.com/"]))] == ["http://example.com/"]
    with pytest.raises(UsageError, match=r"extract_each\(\).*iter\("):
        extract(["http://exa", "mple.com/"])  # type: ignore[arg-type]
    assert [[found.uri for found in records] for records in extract_each(["http://exa", "mple.com/"])] == [
        ["http://exa/"],
        [],
    ]


def test_texts_are_taken_as_they_are_asked_for() -> None:
    taken: list[str] = []

    def texts() -> Iterator[str]:
        for text in TEXTS:
            taken.append(text)
            yield text

    lists = extract_each(texts())
    assert taken == []
    next(lists)
    assert taken == TEXTS[:1]


@pytest.mark.parametrize("texts", ["http://a.example/", 5, None, b"abc", bytearray(b"abc"), memoryview(b"abc")])
def test_what_is_no_iterable_of_texts_is_refused_at_once(texts: Any) -> None:
    for on_error in (None, lambda *_: None):
        with pytest.raises(UsageError):
            extract_each(texts, on_error=on_error)


def test_an_exception_of_the_iterable_itself_is_raised() -> None:
    def texts() -> Iterator[str]:
        yield "http://a.example/"
        raise OSError("gone")

    reported: list[object] = []
    each = extract_each(texts(), on_error=lambda *given: reported.append(given))
    assert len(next(each)) == 1
    with pytest.raises(OSError, match="gone"):
        next(each)
    named = extract_documents(((text, text) for text in texts()), on_error=lambda *given: reported.append(given))
    assert next(named).source == "http://a.example/"
    with pytest.raises(OSError, match="gone"):
        next(named)
    assert reported == []


@pytest.mark.parametrize("texts", [[b"http://a.example/"], b"http://a.example/", [["http://a.example/"]], [5]])
def test_a_text_that_is_no_string_is_refused(texts: Any) -> None:
    with pytest.raises(UsageError, match=r"texts.* must be "):
        list(extract_each(texts))


# M1: what is sized is many texts.
MANY: list[Any] = [
    [TEXT, TEXT],
    (TEXT, TEXT),
    {TEXT},
    {"a": TEXT},
    {"a": TEXT}.values(),
    collections.deque([TEXT]),
    pa.array([TEXT]),
    pa.chunked_array([[TEXT]]),
    pa.table({"text": [TEXT]}),
]

# Those of frames: the package, the class, and what it is made of.
FRAMED: list[tuple[str, str, Any]] = [
    ("pandas", "Series", [TEXT, TEXT]),
    ("pandas", "DataFrame", {"text": [TEXT]}),
    ("pandas", "Index", [TEXT]),
    ("numpy", "array", [TEXT]),
    ("polars", "Series", [TEXT]),
    ("polars", "DataFrame", {"text": [TEXT]}),
]


@pytest.mark.parametrize(("package", "kind", "held"), FRAMED)
def test_many_texts_of_a_frame_are_not_one(package: str, kind: str, held: Any) -> None:
    test_many_texts_are_not_one(getattr(pytest.importorskip(package), kind)(held))


@pytest.mark.parametrize("many", MANY, ids=lambda many: f"{type(many).__module__}.{type(many).__name__}")
def test_many_texts_are_not_one(many: Any) -> None:
    for call in (extract, sieve, extract_keys):
        with pytest.raises(UsageError, match=r"source=.* must be one text, not a .*extract_each\(\).*iter\("):
            call(many)
    for named in (extract_documents, sieve_documents, lambda pairs: extract_batches(pairs)):
        with pytest.raises(UsageError, match=r"must be one text, not a .*extract_each\(\)"):
            list(named([("a", many)]))


@pytest.mark.parametrize(("package", "kind"), [("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")])
def test_a_table_is_no_column(package: str, kind: str) -> None:
    frame = getattr(pytest.importorskip(package), kind)({"t": [TEXT]})
    with pytest.raises(UsageError, match="give one column of the"):
        extract_each(frame)
    with pytest.raises(UsageError, match="give one column of the"):
        extract_batches(frame)
    with pytest.raises(UsageError, match="give those of the"):
        deduplicate(frame)
    expected = [["http://a.example/b", "urn:isbn:0395363411"]]
    column = frame["t"].to_pylist() if isinstance(frame, pa.Table) else frame["t"]
    assert [[record.uri for record in found] for found in extract_each(column)] == expected


def test_what_has_no_length_is_one_text(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text(TEXT, "utf-8")
    expected = _fields(sieve(TEXT))
    with path.open(encoding="utf-8", newline="") as file:
        assert _fields(sieve(file)) == expected
    pieces = [TEXT[:9], TEXT[9:]]
    sources: list[Iterator[str]] = [iter(pieces), map(str, pieces), (one for one in pieces), itertools.chain(pieces)]
    for source in (*sources, io.StringIO(TEXT), reversed([TEXT])):
        assert _fields(sieve(source)) == expected
