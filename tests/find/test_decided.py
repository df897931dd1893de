"""`Scanner.decided`: what comes before is never part of a later record, wherever the text is cut.  # M11"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.strategies import examples, noisy_texts
from urisieve import Options, Scanner
from urisieve.find.search import Search
from urisieve.find.unwrapping import Unwrapper
from urisieve.options import Bare, Unwrap
from urisieve.records.batch import BatchBuffer
from urisieve.records.record import Record
from urisieve.records.rejection import Rejection

ALL = tuple(Bare)
OPTIONS = [
    Options(),
    Options(schemeless="www"),
    Options(schemeless="names"),
    Options(email=True),
    Options(refang=True, schemeless="names", email=True),
    Options(bare=ALL),
    Options(nested=True, unwrap="any"),
    Options(repair=True),
    Options(schemes="any"),
    Options(max_length=64),
    Options(
        schemeless="names", email=True, refang=True, bare=ALL, nested=True, unwrap="any", repair=True, max_length=99
    ),
]


class InPython:
    """A scanner of the search in Python."""

    def __init__(self, options: Options) -> None:
        self._buffer = BatchBuffer()
        sink = self._buffer if options.unwrap == Unwrap.OFF else Unwrapper(options, self._buffer)
        self._search = Search(options, sink)
        self._decided = 0

    @property
    def decided(self) -> int:
        self._decided = max(self._decided, self._search.decided)
        return self._decided

    def feed(self, text: str) -> list[Record | Rejection]:
        self._search.feed(text)
        return self._buffer.taken().found()

    def close(self) -> list[Record | Rejection]:
        self._search.close()
        return self._buffer.taken().found()


KINDS = {"of the kernel": Scanner, "in Python": InPython}  # without the kernel both are one


def _pieces(text: str, cuts: list[int]) -> list[str]:
    bounds = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    return [text[start:end] for start, end in pairwise(bounds)]


def _check(kind: str, options: Options, pieces: list[str]) -> list[int]:
    """Feed the pieces; return how far each has decided."""
    scanner = KINDS[kind](options)
    reached = [scanner.decided]
    length = 0
    assert reached == [0]
    for piece in pieces:
        found = scanner.feed(piece)
        length += len(piece)
        assert all(one.start >= reached[-1] for one in found), (found, reached)
        reached.append(scanner.decided)
        assert all(one.end <= reached[-1] for one in found), (found, reached)
        assert reached[-2] <= reached[-1] <= length
    assert all(one.start >= reached[-1] for one in scanner.close())
    assert scanner.decided == length
    return reached


@pytest.mark.parametrize("kind", KINDS)
@examples(300)
@given(text=noisy_texts(), options=st.sampled_from(OPTIONS), cuts=st.lists(st.integers(0, 5_000), max_size=8))
def test_what_is_decided_is_in_no_later_record(kind: str, text: str, options: Options, cuts: list[int]) -> None:
    _check(kind, options, _pieces(text, cuts))


@pytest.mark.parametrize("kind", KINDS)
@examples(100)
@given(text=noisy_texts(), options=st.sampled_from(OPTIONS))
def test_a_character_at_a_time(kind: str, text: str, options: Options) -> None:
    _check(kind, options, list(text[:600]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("options", "pieces", "reached"),
    [
        (Options(), ["plain text, and more ", "of it "], [0, 21, 27]),
        (Options(), ["plain text"], [0, 6]),  # what may be a scheme
        (Options(), ["see http://a.exam", "ple/ ", "x"], [0, 4, 22, 22]),
        (Options(), ["(see)http://a.example"], [0, 0]),  # the run before it
        (Options(), ["http://a.example/ http"], [0, 18]),
        (Options(), ["URL:", "\n", "http://a.example/"], [0, 0, 5, 5]),
        (Options(schemeless="names"), ["and andmwww", ".h.com", " so it goes on, and"], [0, 4, 4, 33]),
        (Options(max_length=64), ["http://a.example/" + "b" * 99, "c" * 99, " d "], [0, 116, 215, 218]),
        (Options(), ["\u00fc\U0001f600 \udc80 http:"], [0, 5]),
    ],
)
def test_how_far_it_decides(kind: str, options: Options, pieces: list[str], reached: list[int]) -> None:
    assert _check(kind, options, pieces) == reached


def _defanged(pieces: list[str]) -> Iterator[str]:
    """Pass a stream on with its links replaced, as early as they are known."""
    scanner, waiting, start = Scanner(), "", 0

    def changed(found: list[Record | Rejection]) -> str:
        nonlocal waiting, start
        made, at = "", start
        for one in found:
            if one:
                made += waiting[at - start : one.start - start] + f"[{one.host}]"
                at = one.end
        made += waiting[at - start : scanner.decided - start]
        waiting, start = waiting[scanner.decided - start :], scanner.decided
        return made

    for piece in pieces:
        waiting += piece
        yield changed(scanner.feed(piece))
    yield changed(scanner.close())


@examples(50)
@given(cuts=st.lists(st.integers(0, 100), max_size=8))
def test_a_stream_is_rewritten(cuts: list[int]) -> None:
    text = "see (http://a.example/b), <http://c.example/> \u00fc and http://d.example/e?f. The end"
    expected = "see ([a.example]), <[c.example]> \u00fc and [d.example]. The end"
    assert "".join(_defanged(_pieces(text, cuts))) == expected
