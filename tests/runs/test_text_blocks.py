"""Many short texts searched as one: what is found in each is what is found in it alone."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import pytest

from tests.helpers.generated_texts import Texts
from urisieve import Options
from urisieve.find.delimited import SEPARATOR, Delimited
from urisieve.find.searches import AnySearch, make_search
from urisieve.records.base import Location
from urisieve.records.batch import BatchBuffer
from urisieve.records.layouts import COLUMNS
from urisieve.runs.text_blocks import PLACING, TextBlockSieve
from urisieve.sources.documents import Document, Segment, joined_texts

ALL = frozenset(COLUMNS)
FEW = frozenset(("uri", "key", "warnings"))
KINDS = {kind.value: kind for kind in Delimited}


def segment(texts: list[str], kind: Delimited, index: int) -> Segment:
    return Segment(source="s", text=(texts[index],), place=Location(row=index), delimited=kind)


def values(found: Any) -> list[Any]:
    """Records with their warnings and other readings, and rejections, as plain values."""
    return [tuple(one._row) for one in found]


def one_by_one(texts: list[str], kind: Delimited, options: Options) -> list[Any]:
    buffer = BatchBuffer()
    search = make_search(options, buffer, columns=ALL)
    found: list[Any] = []
    for index, text in enumerate(texts):
        search.restart("s", Location(row=index))
        if kind is Delimited.TEXT or not search.delimited(text, kind):
            search.restart("s", Location(row=index))
            search.finish(text)
        found += buffer.taken().found()
    return values(found)


def at_once(texts: list[str], kind: Delimited, options: Options, columns: frozenset[str] = ALL) -> list[Any]:
    buffer = BatchBuffer()
    search = make_search(options, buffer, columns=columns | PLACING)

    def begin(_legacy: bool) -> AnySearch:
        search.restart("s")
        return search

    whole, begins = joined_texts(texts)
    made = partial(segment, texts, kind)
    block = Document(source="s", whole=whole, begins=begins, segment=made, delimited=kind)
    sieve = TextBlockSieve(block, begin, buffer, columns)
    batches = sieve.batches()
    if columns is not ALL:
        return [uri for batch in batches for uri in batch.column("uri")]
    return values(one for batch in batches for one in batch.found())


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", [Options(), Options(refang=True), Options(schemes="any")], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_texts_of_a_block_are_searched_as_each_alone(kind: str, options: Options, seed: int) -> None:
    source = Texts(random.Random(f"{seed} {kind}"), long=0)
    texts = [source.text() for _ in range(150)]
    expected = one_by_one(texts, KINDS[kind], options)
    assert at_once(texts, KINDS[kind], options) == expected
    uris = [row[1] for row in expected if len(row) == len(COLUMNS)]
    assert at_once(texts, KINDS[kind], options, FEW) == uris


@pytest.mark.parametrize(
    "texts",
    [
        [],
        [""],
        ["", "", "http://a.example/", ""],
        ["http://a.example/-", "http://b.example/"],  # not a link that the end of a line has cut
        ["http://a.example/x y.pdf", "http://b.example/ is down today", "see http://c.example/"],
        [f"http://a.example/{SEPARATOR}http://b.example/ {SEPARATOR}", "http://c.example/"],
        ["<http://a.", "example/>", '"http://b.example/', 'c"'],
        [" http://a.example/ ", "\nhttp://b.example/a\n", "x\n\nhttp://c.example/\nhttp://d.example/"],
        ["http://a.example/" + "x" * 300_000, "http://b.example/."],
        ["http:\\/\\/=", "http:\\/\\/=%zzuser@", "http://a.example/", "http://_/%zz", "http:\\/\\/[x"],  # rejected
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_odd_blocks(texts: list[str], kind: str) -> None:
    assert at_once(texts, KINDS[kind], Options()) == one_by_one(texts, KINDS[kind], Options())
