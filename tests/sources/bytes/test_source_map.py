"""Source maps against the naive way: a list of the start and end of each character."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urisieve.kernel import compiled, kernel
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.encodings import find_encoding
from urisieve.sources.bytes.source_map import ComposedMap, SourceLines, SourceMap, composed

Spans = list[tuple[int, int]]
# Each run: characters left out before it, those of the source, and the characters of the text for them.
RUNS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 6), st.integers(0, 6)), max_size=12)


def made(start: int, runs: list[tuple[int, int, int]]) -> tuple[SourceMap, Spans]:
    """A map, and the source of each character of the text."""
    found, spans = SourceMap(start), []
    for left_out, size, length in runs:
        start += left_out
        if size == length and size % 2:
            found.add(start, start + size)
        else:
            found.replace(start, start + size, length)
        spans += [
            (start + index, start + index + 1) if size == length else (start, start + size) for index in range(length)
        ]
        start += size
    return found, spans


def assert_same(found: SourceMap, spans: Spans) -> None:
    assert [found.source(index) for index in range(len(spans))] == [start for start, _ in spans]
    assert [found.source_end(index + 1) for index in range(len(spans))] == [end for _, end in spans]
    starts, ends = found.spans(range(len(spans)), range(1, len(spans) + 1))
    assert list(zip(starts, ends, strict=True)) == spans


@given(st.integers(0, 9), RUNS)
def test_each_character_has_its_source(start: int, runs: list[tuple[int, int, int]]) -> None:
    found, spans = made(start, runs)
    assert found.length == len(spans)
    assert_same(found, spans)
    if spans:
        assert found.span(0, len(spans)) == (spans[0][0], spans[-1][1])


@given(RUNS, RUNS, st.integers(0, 3))
def test_a_map_of_a_map(outer: list[tuple[int, int, int]], inner: list[tuple[int, int, int]], first: int) -> None:
    outer_map, outer_spans = made(5, outer)
    inner_map, inner_spans = made(0, inner)
    reach = len(outer_spans) - first
    spans = [
        (outer_spans[first + start][0], outer_spans[first + end - 1][1])
        for start, end in inner_spans
        if start < end <= reach
    ]
    both = ComposedMap(outer_map, inner_map, first)
    kept = [index for index, (start, end) in enumerate(inner_spans) if start < end <= reach]
    assert [both.span(index, index + 1) for index in kept] == spans
    assert composed(None, inner_map) is None


@given(RUNS, st.data())
def test_a_cut(runs: list[tuple[int, int, int]], data: st.DataObject) -> None:
    found, spans = made(3, runs)
    first = data.draw(st.integers(0, len(spans)))
    assert_same(ComposedMap(found, first=first), spans[first:])


@given(
    pieces=st.lists(
        st.one_of(st.text(max_size=9), st.binary(max_size=5), st.sampled_from(["x" * 1300, "\u00e9" * 700])), max_size=9
    ),
    encoding=st.sampled_from(["utf-8", "utf-16-le", "utf-32-be", "shift_jis", "gb18030", "latin-1", "shift_jis_2004"]),
    size=st.integers(1, 4000),
)
def test_decoded_text(pieces: list[str | bytes], encoding: str, size: int) -> None:
    data = b"".join([piece if isinstance(piece, bytes) else piece.encode(encoding, "ignore") for piece in pieces])
    decoder = ByteDecoder(encoding)
    text = "".join([decoder.feed(data[first : first + size]) for first in range(0, len(data), size)]) + decoder.close()
    found = decoder.offsets
    assert found is not None
    start = 2 if encoding == "utf-16-le" and data.startswith(b"\xff\xfe") else found.source(0)
    assert (found.length, found.size) == (len(text), len(data))
    for character, offset in zip(text[:2000], range(2000), strict=False):
        if encoding != "shift_jis_2004":  # pairs of characters have one sequence
            assert found.source(offset) == start
        start += decoder.encoding.size(character)
    assert found.source_end(len(text)) == len(data)
    for step in (1, 7, 700):
        offsets = [*range(0, len(text) + 1, step), 0]
        starts, ends = found.spans(offsets, offsets)
        assert list(starts) == list(map(found.source, offsets))
        assert list(ends) == list(map(found.source_end, offsets))


@given(st.text("ab\u00e9\n", max_size=40), st.lists(st.integers(0, 40), max_size=40))
def test_lines_and_columns_of_many_are_those_of_each(text: str, offsets: list[int]) -> None:
    inside = [5 + min(offset, len(text)) for offset in offsets]
    many, each = SourceLines(text, 5, 3, 4), SourceLines(text, 5, 3, 4)
    lines, columns = many.places(inside)
    assert list(zip(lines, columns, strict=True)) == list(map(each.place, inside))


def test_what_was_forgotten_says_so() -> None:
    found = SourceMap()
    for index in range(5000):
        found.replace(2 * index, 2 * index + 2, 1)
    found.forget(4990)
    assert found.span(4990, 5000) == (9980, 10000)
    with pytest.raises(LookupError, match="character 3 is before 4990"):
        found.source(3)


@given(
    RUNS,
    st.lists(st.sampled_from(["http://a.example/\n", "\u00e9\u20ac\U0001f600", "x" * 40]), max_size=6),
    st.booleans(),
)
def test_many_offsets_in_runs_of_every_kind_are_those_of_each(
    runs: list[tuple[int, int, int]], texts: list[str], rising: bool
) -> None:
    found, _ = made(3, runs)
    for text in texts:
        found.add_decoded(text, text.encode(), find_encoding("utf-8"))
        found.add(found.size + 2, found.size + 9)
    offsets = sorted([*range(found.length + 1)] * 2)
    offsets = offsets if rising else offsets[::-1]
    starts, ends = found.spans(offsets, offsets)
    assert list(starts) == list(map(found.source, offsets))
    assert list(ends) == list(map(found.source_end, offsets))


@pytest.mark.skipif(not compiled, reason="the kernel is not compiled")
def test_numbers_that_do_not_fit_are_errors() -> None:
    one = array("q", [0])
    for begins, starts, widths in ((array("q"), array("q"), b""), (array("q"), one, b"\1"), (one, array("q"), b"\1")):
        with pytest.raises(ValueError, match="runs"):
            kernel.source_offsets(begins, starts, widths, one, True, {})
    assert kernel.source_offsets(one, one, b"\xff", one, True, {}) is None
    assert kernel.source_offsets(one, one, b"\xff", one, True, {0: "a\udc80"}) is None
    for offsets, at in (([2, 1], 0), ([0], 1), ([9], 0), ([0], -1), ([0], 9)):
        with pytest.raises(ValueError, match="rise"):
            kernel.line_places("a\nb", array("q", offsets), at, 1, 0)
    for numbers in ([1], [-1]):
        with pytest.raises(ValueError, match="fit"):
            kernel.cell_places(array("q", numbers), one, one, None, array("q", [0, 1]), array("q", [0, 1]), one, 1, 0)
    for kept, firsts in ((array("q"), [0, 1]), (array("q", [7]), [0, 1]), (one, [0])):
        with pytest.raises(ValueError, match="fit"):
            kernel.cell_places(one, one, one, kept, array("q", firsts), array("q", [0, 1]), one, 1, 0)
