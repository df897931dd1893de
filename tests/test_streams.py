"""Strings, chunks, documents and asynchronous chunks: the same sieve behind each."""

from __future__ import annotations

import asyncio
import gc
import io
import weakref
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any
from unittest.mock import patch

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
    extract,
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
    for source in ([TEXT], list(TEXT), iter(TEXT.splitlines(keepends=True)), io.StringIO(TEXT), (c for c in TEXT)):
        assert _fields(sieve(source)) == whole


def test_extract_leaves_rejections_out() -> None:
    assert [found.uri for found in extract(TEXT)] == ["http://a.example/b", "urn:isbn:0395363411"]
    assert [type(found) for found in sieve(TEXT)] == [Record, Rejection, Record]


@pytest.mark.parametrize("source", ["", [], ["", ""], iter(())])
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
    documents = [
        ("one", "a http://a.exam"),
        ("two", "ple/b\nhttp://c.example/"),
        ("three", ["htt", "p://d.example/"]),
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


@pytest.mark.parametrize("stream", [extract, sieve])
@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"http://a.example/", "decode it"),
        (bytearray(b"x"), "decode it"),
        (None, "the source is NoneType"),
        (5, "the source is int"),
        ([b"http://a.example/"], "yielded bytes, not str: decode it"),
        (["x", 5], "yielded int, not str"),
        ([memoryview(b"x")], "yielded memoryview, not str: decode it"),
    ],
)
def test_what_is_no_text_is_said(stream: Callable[[Any], Iterable[object]], source: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        list(stream(source))


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
    with pytest.raises(UsageError, match=type(value).__name__):
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
        open_ones = [extract([TEXT, TEXT], options=Options(max_length=99)) for _ in range(20)]
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
    outer = sieve([TEXT, TEXT])
    begun = [next(outer)]
    assert _fields(sieve(TEXT)) == expected
    assert next(extract(TEXT + " http://"), None)
    assert _fields(sieve(TEXT)) == expected
    with pytest.raises(UsageError):
        list(sieve(["see http://cut.exam", None]))  # type: ignore[list-item]
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
    plain = replace(options, nested="skip")
    expected = [record.key for record in extract(text, options=plain)]
    assert len(expected) == 4
    assert list(extract_keys(text, options=options)) == expected
    assert list(extract_keys(iter(text), options=options)) == expected
    with pytest.raises(UsageError):
        list(extract_keys([b"a"]))  # type: ignore[list-item]


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


def test_a_list_of_strings_is_one_text_for_extract() -> None:
    assert [found.uri for found in extract(["http://exa", "mple.com/"])] == ["http://example.com/"]
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


@pytest.mark.parametrize("texts", [[b"http://a.example/"], b"http://a.example/", [["http://a.example/"]], [None]])
def test_a_text_that_is_no_string_is_refused(texts: Any) -> None:
    with pytest.raises(UsageError, match="not str"):
        list(extract_each(texts))
