"""Keys and counts that the kernel takes without Python objects are those that Python would have taken."""

from __future__ import annotations

import io
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import cast
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.cli_support import call
from tests.helpers.strategies import any_text, identifiers, joined_texts
from urisieve import Batch, KeySet, Options
from urisieve.dedupe.counts import CountedRow, Counts, KernelCounts
from urisieve.dedupe.counts_on_disk import PackedCounts
from urisieve.dedupe.key_store import gathered_keys
from urisieve.dedupe.keyset import DigestSet, digests
from urisieve.dedupe.store.entry_pieces import MOST
from urisieve.dedupe.store.store_entries import gathered
from urisieve.find.searches import make_search
from urisieve.kernel import compiled
from urisieve.options import Format, Sort
from urisieve.records.batch import BatchBuffer
from urisieve.records.layouts import Columns
from urisieve.runs.run_steps import WholeBatches
from urisieve.sinks import CountSink, FirstSeenSink, FormatSettings, Output, open_output, record_files
from urisieve.sinks.record_files import key_steps
from urisieve.sinks.record_formats import record_format
from urisieve.sinks.statistics.count_sink import counted_text
from urisieve.types import KeyCount, Location

pytestmark = pytest.mark.skipif(not compiled, reason="compares the kernel with Python")

SOURCES = st.sampled_from(["a", "b\n", "é", "\udcff", None])


@contextmanager
def python() -> Iterator[None]:
    """Keys and counts are taken by Python inside."""
    with (
        patch("urisieve.sinks.record_files._lines", record_files._left_to_python),
        patch("urisieve.sinks.statistics.count_sink.new_counts", Counts),
        patch("urisieve.dedupe.keyset.new_digests", DigestSet),
    ):
        yield


# Lines that are keys.

LINE = st.one_of(
    st.sampled_from(
        [b"", b"\r", b"\r\r", b"a:1", b"a:1\r", b"a:\r1", b"\0", b"a:\xff", b"a:\xed\xa0\x80", b" ", b"\x85"]
    ),
    st.text(max_size=8).map(lambda text: text.encode("utf-8", "replace").replace(b"\n", b"")),
    st.binary(max_size=6).map(lambda data: data.replace(b"\n", b"")),
)


def taken(data: bytes, cuts: Sequence[int]) -> list[tuple[str, int, str | None]]:
    """The keys of lines with their numbers and sources; the blocks are cut at some offsets."""
    places = sorted({min(cut, len(data)) for cut in cuts} | {0, len(data)})
    blocks = [data[start:end] for start, end in pairwise(places)]
    found: list[tuple[str, int, str | None]] = []
    with patch("urisieve.sinks.record_files.plain_contents", lambda *_, **__: [SimpleNamespace(blocks=blocks)]):
        sizes = 0
        for step in key_steps(["lines"], WholeBatches()):
            sizes += step.size
            for batch in step.products:
                HARVESTS[batch.layout.harvest is not None] += 1
                assert batch.column("raw") == batch.column("uri") == batch.column("key")
                assert batch.columns == ("raw", "uri", "key", "start", "source", "warnings")
                found += zip(batch.column("key"), batch.column("start"), batch.column("source"), strict=True)
    assert sizes == len(data)
    return found


HARVESTS: Counter[bool] = Counter()


@given(st.lists(LINE, max_size=12), st.sampled_from([b"", b"\n", b"\r\n"]), st.lists(st.integers(0, 80), max_size=4))
def test_lines_are_those_of_python(lines: list[bytes], end: bytes, cuts: list[int]) -> None:
    data = b"\n".join(lines) + end
    with python():
        expected = taken(data, cuts)
    assert taken(data, cuts) == expected
    assert [key for key, *_ in expected] == [
        line.decode("utf-8", "surrogateescape") for line in (part.rstrip(b"\r") for part in data.split(b"\n")) if line
    ]


def test_lines_are_taken_both_ways() -> None:
    HARVESTS.clear()
    taken(b"a:1\na:2\n", ())
    taken(b"a:1\n\xff\n", ())
    with python():
        taken(b"a:1\n", ())
    assert HARVESTS == {True: 1, False: 2}


LISTED = b"\r\n\na:1\r\na:2\n\na:1\na:\xff\na:\xed\xa0\x80\r\r\n\xc3\xa9:\n" * 3 + b"a:2\r\nlast"


@pytest.mark.parametrize(
    "command", [("dedupe",), ("count",), ("dedupe", "--memory-limit", "120MB"), ("count", "--format", "jsonl")]
)
@pytest.mark.parametrize("data", [LISTED, LISTED.replace(b"\xff", b"").replace(b"\xed\xa0\x80", b""), b"", b"\n"])
def test_the_command_prints_the_same(data: bytes, command: tuple[str, ...]) -> None:
    with python():
        expected = call(*command, "--input", "keys", stdin=data)
    done = call(*command, "--input", "keys", stdin=data)
    assert (done.out, done.status) == (expected.out, expected.status)
    assert done.err.rpartition(",")[0] == expected.err.rpartition(",")[0]  # but for the seconds


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("kind", "password"),
    [(Format.TEXT, ""), (Format.TEXT, "u:p@"), (Format.JSONL, "u:p@")],  # without one the kernel writes the lines
)
def test_a_limit_changes_no_output(kind: Format, password: str, tmp_path: Path) -> None:
    chance = random.Random(3986)
    texts = [
        f"http://example.com/{chance.randrange(60_000)} see HTTP://{password}Example.com/{n % 99}"
        for n in range(45_000)
    ]
    pages: list[tuple[str | None, str]] = [
        ("page", "\n".join(texts[start : start + 500])) for start in range(0, len(texts), 500)
    ]
    outputs: list[bytes] = []
    for limit, by_kernel in ((None, True), (1_000_000, True), (1_000_000, not password)):
        path = tmp_path / "links"
        with open_output(str(path)) as output, KeySet(memory_limit=limit) if by_kernel else _python_set(limit) as seen:
            sink = FirstSeenSink(FormatSettings(kind, secret=b"s"), output, seen, memory_limit=limit)
            searched(pages, sink)
            sink.close()
            assert seen.is_spilled == (limit is not None)
            assert sink.new == len(seen)
        outputs.append(path.read_bytes())
    assert outputs[0] == outputs[1] == outputs[2]


def _python_set(limit: int | None) -> KeySet:
    with python():
        return KeySet(memory_limit=limit)


# Counts.

SPELLED = st.sampled_from(
    [
        *(
            "http://a.example/",
            "HTTP://A.example",
            "http://a.example",
            "http://u:p@a.example/",
            "http://u:q@a.example/",
        ),
        *(
            "http://a.example/%7e",
            "http://a.example/~",
            "http://a.example/é",
            "http://a.example/%C3%A9",
            "mailto:a@B.c",
        ),
        *(
            "urn:isbn:0395363411",
            "URN:ISBN:0-395-36341-1",
            "http://[::1]/",
            "http://a.example:80ab/",
            "ftp://b.example",
        ),
        *("http://a.example/\udcff", "http://a.example/\ud800", "http://x_y.example/", "file:///a"),
    ]
)
PAGES = st.lists(
    st.tuples(SOURCES, st.one_of(joined_texts(SPELLED), joined_texts(identifiers()), any_text())), max_size=6
)


def counted(pages: list[tuple[str | None, str]], secret: bytes | None) -> CountSink:
    sink = CountSink(secret=secret)
    searched(pages, sink)
    sink.close()
    return sink


def searched(pages: list[tuple[str | None, str]], sink: CountSink | FirstSeenSink) -> None:
    """Pass to a sink what the search finds, batch by batch as it comes."""
    for name, text in pages:
        search = make_search(Options(), sink, columns=sink.columns, source=name)
        search.finish(text)


def written(sink: CountSink, sort: Sort, least: int, counts: bool) -> bytes:
    output = io.BytesIO()
    text = record_format(FormatSettings(Format.TEXT))
    text.write_counts(sink, cast("Output", output), least, sort, counts=counts, spellings=0)
    return output.getvalue()


@given(PAGES, st.sampled_from([None, b"secret"]), st.sampled_from(list(Sort)), st.integers(1, 3))
def test_counts_are_those_of_python(
    pages: list[tuple[str | None, str]], secret: bytes | None, sort: Sort, least: int
) -> None:
    with python():
        expected = counted(pages, secret)
    found = counted(pages, secret)
    assert len(found) == len(expected)
    assert list(found.rows(min_count=least, sort=sort)) == list(expected.rows(min_count=least, sort=sort))
    for counts in (False, True):
        lines = written(found, sort, least, counts)
        assert lines == written(expected, sort, least, counts)
        again = counted_text(found.rows(min_count=least, sort=sort), found.fields(0), counts=counts)
        assert lines == b"".join(again)


def test_counts_are_taken_both_ways() -> None:
    pages: list[tuple[str | None, str]] = [("a", "http://a.example http://b.example"), ("b", "http://u:p@a.example")]
    calls = []
    for secret in (None, b"secret"):
        with patch.object(KernelCounts, "add", autospec=True, side_effect=KernelCounts.add) as added:
            assert len(counted(pages, secret)) == 3
        calls.append(added.call_count)
    assert calls == [0, 1]  # a password is masked in Python
    with python(), patch.object(Counts, "add", autospec=True, side_effect=Counts.add) as added:
        assert len(counted(pages, None)) == 3
    assert added.called


KEYS = st.sampled_from(["", "a:", "a:\n", "b:é", "c:\ud800", "\0json d:", "e:" + "x" * 300, "\uffff:", "\U0001f600:"])
PLACES = st.sampled_from([None, Location(row=1), Location(message=2, part="1")])
OFFSETS = st.integers(0, 2**40)
STRETCH = st.lists(
    st.tuples(
        *(KEYS, st.integers(1, 2**40), SOURCES, OFFSETS, OFFSETS, PLACES, PLACES),
        st.none() | st.lists(KEYS | st.text(max_size=3), min_size=1, max_size=4, unique=True).map(tuple),
        st.none() | st.sampled_from(["u:1", "u:2"]),
        st.just((None, None)),  # where times are asked for Python counts
    ),
    max_size=8,
)


@given(st.lists(STRETCH, max_size=4))
def test_tallies_add_up_as_in_python(stretches: list[list[CountedRow]]) -> None:
    both = (Counts(), KernelCounts())
    others: list[list[tuple[KeyCount, set[str | None], int]]] = []
    for rows in stretches:
        for counts in both:
            counts.add(rows)
    expected, found = both
    assert len(found) == len(expected)
    assert list(found) == list(expected)
    for counts in both:  # the others of a key are in no order that counts
        others.append([(row, set(names), len(names)) for row, names in with_sources(counts)])
    assert others[0] == others[1]
    for sort in Sort:
        assert list(found.rows(2, str(sort))) == list(expected.rows(2, str(sort)))


@pytest.mark.long
def test_many_counts_in_order() -> None:
    # More than the lines that are written at once, and than the first sizes of the tables; many spellings of one key.
    texts = [f"http://example.com/{number % 30_000}" for number in range(70_000)]
    chance = random.Random(3986)
    for _ in range(2_000):
        texts.append("".join(chance.choice((low, low.upper())) for low in "http") + "://example.com/0")
    pages: list[tuple[str | None, str]] = [(f"page {n % 40}", " ".join(texts[n % 40 :: 40])) for n in range(80)]
    with python():
        expected = counted(pages, None)
    found = counted(pages, None)
    rows = list(found.rows())
    assert rows == list(expected.rows())
    assert max(len(row.spellings) for row in rows) == 16
    assert {row.sources for row in rows} > {1}
    for sort in Sort:
        for least in (1, 5):
            assert written(found, sort, least, True) == written(expected, sort, least, True)


@pytest.mark.long
@pytest.mark.parametrize("user", ["u:p", "u"])  # a password keeps a batch from what the kernel counts itself
def test_counts_move_to_disk_as_in_python(user: str, tmp_path: Path) -> None:
    pages: list[tuple[str | None, str]] = [
        (f"page {n % 3}", f"http://example.com/{n % 700} HTTP://Example.com/{n % 50} http://{user}@example.com/{n % 9}")
        for n in range(2_000)
    ]

    def rows(limit: int | None) -> list[KeyCount]:
        sink = CountSink(secret=b"secret", memory_limit=limit, folder=str(tmp_path))
        searched(pages, sink)
        sink.close()
        found = list(sink.rows())
        sink.discard()
        return found

    in_memory, moved = rows(None), rows(20_000)
    with python():
        assert rows(20_000) == moved == in_memory == rows(None)


def test_locations_are_kept_whatever_comes_first() -> None:
    buffer = BatchBuffer()
    make_search(Options(), buffer, columns=CountSink.columns, source="a").finish("http://a.example http://b.example")
    plain = buffer.drained()[0]
    assert plain.layout.harvest is not None
    texts = ["x:1", "http://a.example/"]
    columns: dict[str, list[object]] = {"raw": [*texts], "uri": [*texts], "key": [*texts], "start": [3, 7]}
    located = Batch(Columns(2, columns, {"source": "b", "location": Location(row=9), "warnings": ()}))
    for batches in ((plain, located), (located, plain), (plain, located, plain)):
        sinks = []
        for counts in (KernelCounts, Counts):
            with patch("urisieve.sinks.statistics.count_sink.new_counts", counts):
                sink = CountSink()
                for batch in batches:
                    sink.take(batch)
                sink.close()
            sinks.append((list(sink.rows()), b"".join(written(sink, sort, 1, True) for sort in Sort)))
        assert sinks[0] == sinks[1]


@given(st.lists(st.lists(STRETCH, max_size=3), max_size=4), st.sampled_from([1, 10**6]), st.integers(1, 3))
def test_counts_on_disk(runs: list[list[list[CountedRow]]], memory: int, least: int) -> None:
    whole, lasting, held = Counts(), KernelCounts(), KernelCounts()
    disk = PackedCounts(memory)
    for run in runs:
        for stretch in run:
            for counts in (whole, lasting, held):
                counts.add(stretch)
        disk.take(held)
        held = held.emptied()
    assert len(disk) == len(whole)
    for sort in map(str, Sort):
        assert list(disk.rows(least, sort)) == list(whole.rows(least, sort))
    found, expected = (
        counts.lines(least, "first", lambda source: ascii(source).encode()) for counts in (disk, lasting)
    )
    if found is not None:
        assert b"".join(found) == b"".join(expected or ())
    disk.close()


@given(st.lists(st.tuples(SOURCES, STRETCH), max_size=4))
def test_stretches_of_other_processes(some: list[tuple[str | None, list[CountedRow]]]) -> None:
    plain, by_kernel = Counts(), KernelCounts()
    for source, rows in some:
        of_source: list[CountedRow] = [(*row[:2], source, *row[3:]) for row in rows]
        one, other = Counts(), KernelCounts()
        one.add(of_source)
        other.add(of_source)
        plain.add_stretches(one.stretch(source))
        by_kernel.add_stretches(other.stretch(source))
    assert others_of(plain) == others_of(by_kernel)


def with_sources(counts: Counts | KernelCounts) -> Iterator[tuple[KeyCount, tuple[str | None, ...]]]:
    """Yield the counts of each key with its sources other than the first."""
    if isinstance(counts, Counts):
        return counts.with_sources()
    others: dict[int, list[str | None]] = {}
    for index, number in sorted(counts._table.other_sources()):
        others.setdefault(index, []).append(counts._names[number])
    return ((row, tuple(others.get(index, ()))) for index, row in enumerate(counts))


def others_of(counts: Counts | KernelCounts) -> list[tuple[KeyCount, set[str | None]]]:
    return [(row, set(names)) for row, names in with_sources(counts)]


def test_what_was_not_packed_is_refused() -> None:
    table = KernelCounts()
    for data in (b"x", b"\xff" * 64, b"\0" * 20 + b"\xff" * 80):
        with pytest.raises(ValueError, match="not packed counts"):
            table.add_packed(data)


@given(st.lists(st.tuples(KEYS | st.text(max_size=300), st.integers(1, MOST), st.integers(0, 2)), max_size=30))
def test_keys_gathered_for_a_store(rows: list[tuple[str, int, int]]) -> None:
    keys, counts, sources = ([row[index] for row in rows] for index in range(3))
    expected = gathered(digests(map(str, keys)), [row[1] for row in rows], [row[2] for row in rows])
    assert gathered_keys(keys, counts, sources) == expected  # type: ignore[arg-type]
