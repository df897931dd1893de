"""However a text is cut, the result is the same; it comes as soon as it is decided, in bounded memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterable, Iterator, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.helpers.strategies import link_texts, noisy_texts
from urisieve import Options, Record, Rejection, Scanner, extract, sieve
from urisieve.codes import Reason
from urisieve.kernel import compiled

DEFAULT = Options()
VARIANTS = (
    Options(),
    Options(max_length=64),
    Options(schemes="any"),
    Options(schemes="any", max_length=64),
    Options(schemes="registered"),
    Options(schemes={"http", "urn", "foo"}),
    Options(exclude_schemes={"http"}, known_schemes={"foo"}),
    Options(repair="encode"),
    Options(repair="encode", max_length=64),
    Options(urn_syntax="rfc8141"),
    Options(urn_syntax="rfc8141", max_length=64),
    Options(schemeless="www"),
    Options(schemeless="www", email="addresses", max_length=64),
    Options(email="addresses"),
    Options(nested="report"),
    Options(nested="report", max_length=64),
    Options(max_length=64),
    Options(level="none"),
)
SMALL = tuple(options for options in VARIANTS if options.max_length == 64)


def _fields(found: Record | Rejection) -> tuple[object, ...]:
    return type(found), found._row, found.as_dict()


def _fed(pieces: Iterable[str], options: Options) -> list[tuple[object, ...]]:
    scanner = Scanner(options)
    found = [record for piece in pieces for record in scanner.feed(piece)]
    return [_fields(record) for record in found + scanner.close()]


def _cut(text: str, places: Sequence[int]) -> Iterator[str]:
    start = 0
    for place in sorted(places):
        yield text[start:place]
        start = place
    yield text[start:]


def _same(text: str, places: Sequence[int], options: Options) -> None:
    whole = _fed([text], options)
    assert _fed(text, options) == whole
    assert _fed(_cut(text, places), options) == whole


PLACES = st.lists(st.integers(0, 300), max_size=6)


@given(noisy_texts(), PLACES, st.sampled_from(VARIANTS))
@example("'http://example.com''http://example.com''http://example.com//#aaa'", [], Options(max_length=64))
@example("“http://a.example/”" + "x" * 80, [], Options(max_length=64))
def test_cuts_change_nothing(text: str, places: list[int], options: Options) -> None:
    _same(text, places, options)


@given(link_texts(), PLACES, st.sampled_from(VARIANTS))
def test_cuts_change_nothing_in_links(text: str, places: list[int], options: Options) -> None:
    _same(text, places, options)


@st.composite
def long_texts(draw: st.DrawFn) -> str:
    """Texts with runs about as long as the limit of 64, cut by it in every way."""
    parts = []
    for _ in range(draw(st.integers(1, 4))):
        parts.append(
            draw(
                st.sampled_from(
                    ["", " ", "<", '"', "'", "(", "“", "*", "URL: ", "<URL:\n", "urn:a:", "mailto:", "www.", ".", "é"]
                )
            )
        )
        parts.append(
            draw(
                st.sampled_from(
                    [
                        "http://",
                        "http://a",
                        "http://a/",
                        "foo:",
                        "a" * 60 + "://",
                        "urn:ex:",
                        "mailto:a@",
                        "x.http://",
                        "",
                    ]
                )
            )
        )
        unit = draw(
            st.sampled_from(
                [
                    "a",
                    "a.",
                    ".",
                    "a b ",
                    "-\n",
                    "é",
                    "'",
                    "”",
                    "(",
                    ")",
                    "%41",
                    "www.a,",
                    "a@",
                    "a:",
                    " ",
                    "\n",
                    ":",
                    "/",
                    "+",
                    "1",
                ]
            )
        )
        parts.append(unit * draw(st.integers(0, 80)))
        parts.append(
            draw(st.sampled_from(["", " ", ">", '"', "'", ")", "”", "*", "://b.example ", ".", "@b.example", "\n"]))
        )
    return "".join(parts)


@given(long_texts(), PLACES, st.sampled_from(SMALL))
@example("a" * 100 + "://x ", [70], Options(max_length=64))
@example("<http://a " + "b " * 60 + ">", [], Options(max_length=64))
def test_cuts_change_nothing_at_the_limit(text: str, places: list[int], options: Options) -> None:
    _same(text, places, options)


def test_a_sieve_of_pieces_is_that_of_the_text() -> None:
    text = "see <http://a.example/b\nc>, urn:isbn:0395363411. And http://[bad/ too\n" * 40
    whole = [_fields(found) for found in sieve(text)]
    assert len(whole) == 120
    assert [_fields(found) for found in sieve(iter(text))] == whole
    assert [_fields(found) for found in sieve(text[start : start + 7] for start in range(0, len(text), 7))] == whole


def test_a_string_longer_than_a_piece_is_one_text() -> None:
    for shift in range(30):
        text = "x" * (65_536 - shift) + " http://a.example/b\n"
        (found,) = extract(text)
        assert (found.raw, found.start, found.line) == ("http://a.example/b", 65_537 - shift, 1)


# Laziness.


@pytest.mark.parametrize(
    ("text", "decider", "options"),
    [
        ("see http://a.example/b", " ", DEFAULT),
        ("see http://a.example/b", "\n", DEFAULT),
        ("<http://a.example/b c", ">", DEFAULT),
        ('"http://a.example/b.', '"', DEFAULT),
        ("(http://a.example/b", ")", DEFAULT),
        ("“http://a.example/b", "”", DEFAULT),
        ("urn:isbn:0395363411&", " ", DEFAULT),
        ("urn:isbn:0395363411", "、", DEFAULT),
        ("http://a.example/b|c", " ", DEFAULT),
        ("http://a.example/b", "<", DEFAULT),
        ("mailto:a@b.example", "<", DEFAULT),
        ("http://a.example/b", "。", DEFAULT),
        ("http://a.example- ", "x", DEFAULT),
        ("http://a.example/b-\n", "\n", DEFAULT),
        ("http://a.example/b/\n", "\n", DEFAULT),
        ("http://a.example/b/\nThe", " ", DEFAULT),
        ("http://a.example/b\\.c", " ", DEFAULT),
        ("http://a.example/b\\", " ", DEFAULT),
        ("http://a.example/b[1]", " ", DEFAULT),
        ("http://a.example/?a[b]=c", " ", DEFAULT),
        ("<http://a.example/b\x1b[0m", ">", DEFAULT),
        ("http://a.example/b\x1b[0m", " ", DEFAULT),
        ("http://a.example/b\x1b[0mc", "\n", DEFAULT),
        ("http://a.example/b\\u0026c", " ", DEFAULT),
        ("urn:ex:a~", " ", DEFAULT),
        ("urn:ex:a~b", " ", DEFAULT),
        ("urn:ex:a&b", " ", Options(urn_syntax="rfc8141")),
        ("<URL:http://a.example/b c", ">", DEFAULT),
        ("see www.example.com/a.", " ", Options(schemeless="www")),
        ("see www.example.com.", " ", Options(schemeless="www")),
        ("<a@b.example", ">", Options(email="addresses")),
        ("me a@b.example.", " ", Options(email="addresses")),
        ("http://a.example[.]com", " ", DEFAULT),
    ],
)
def test_a_record_comes_with_the_character_that_decides_it(text: str, decider: str, options: Options) -> None:
    scanner = Scanner(options)
    assert [found for character in text for found in scanner.feed(character)] == []
    (found,) = scanner.feed(decider)
    assert isinstance(found, (Record, Rejection))
    assert (scanner.close(), list(sieve(text + decider, options=options))) == ([], [found])


def test_a_record_comes_before_the_next_piece_is_asked_for() -> None:
    asked: list[int] = []

    def pieces() -> Iterator[str]:
        for number in range(3):
            asked.append(number)
            yield f"http://a.example/{number} "

    records = extract(pieces())
    assert asked == []
    for number in range(3):
        assert next(records).path == f"/{number}"
        assert asked == list(range(number + 1))
    assert next(records, None) is None


def test_a_string_is_not_scanned_to_the_end_for_the_first_record() -> None:
    text = "http://a.example/ " * 200_000
    list(extract(text[:200_000]))  # what the first long text allocates and compiles does not count
    records = extract(text)
    tracemalloc.start()
    assert next(records).start == 0
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8_000_000  # 64 Ki characters of records, not 3.6 million


# Memory.


LIMIT = Options().max_length
PIECE = 65_536


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("head", "unit"),
    [
        ("", "a"),
        ("http://a.example/", "a"),
        ("http://", "a."),
        ("<http://a ", "b "),
        ('"http://a', "b"),
        ("(http://a", "("),
        ("urn:ex:", "%41"),
        ("", ":"),
        ("", "x" * 100 + ":"),
        ("<http://a", " "),
        ("<URL:", " "),
        ("http://", "漢"),
        ("http://a/", "\U0001f600"),
        ("", "www."),
        ("", "a@"),
        ("", "\n"),
    ],
)
@pytest.mark.parametrize(
    "options", [Options(), Options(schemeless="www", email="addresses", schemes="any")], ids=["default", "most"]
)
def test_memory_does_not_grow_with_the_input(head: str, unit: str, options: Options) -> None:
    piece = (unit * (PIECE // len(unit) + 1))[:PIECE]
    scanner = Scanner(options)
    scanner.feed(head)
    for _ in range(4):  # caches of patterns
        scanner.feed(piece)
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    held = 0
    for _ in range(50_000_000 // PIECE if unit in "a:" and options == Options() else 12):
        scanner.feed(piece)
        held = max(held, scanner._search.held)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # A character has up to four bytes, and what the kernel allocates doubles.
    assert held <= (8 if compiled else 1) * (LIMIT + PIECE) + 1_024
    assert peak - before < 64 * (LIMIT + PIECE)


@pytest.mark.parametrize("wrapper", ["()", "<>"])
def test_memory_does_not_grow_with_long_candidates(wrapper: str) -> None:
    scanner = Scanner(Options(email="addresses"))
    tail = "b" * 60_000
    tracemalloc.start()
    for number in range(150):
        (found,) = scanner.feed(f"{wrapper[0]}HTTP://a.example/{number}{tail}{wrapper[1]} ")
        assert found.end - found.start > len(tail)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 4_000_000


@pytest.mark.parametrize(
    "text",
    [
        "http://a.example/" + "b" * 200,
        "<http://a.example/" + "b" * 200 + ">",
        "x" * 200 + "://a",
        "http://a.example/" + "b" * 200 + "/(http://b.example/)b",
    ],
)
def test_a_candidate_over_the_limit_is_one_rejection(text: str) -> None:
    options = Options(max_length=64)
    for pieces in (iter([text + " "]), text + " ", iter([text, " "]), iter([text[:100], text[100:] + " "])):
        found = list(sieve(pieces, options=options))
        assert [type(one) for one in found] == [Rejection]
        (rejection,) = found
        assert isinstance(rejection, Rejection)
        assert rejection.reason == Reason.TOO_LONG
        assert len(rejection.raw) == 64


@pytest.mark.parametrize("options", [Options(), Options(email="addresses")], ids=["default", "addresses"])
def test_a_candidate_over_the_limit_is_rejected_before_it_ends(options: Options) -> None:
    scanner = Scanner(options)
    assert scanner.feed("http://a.example/") == []
    pieces = 0
    while not (found := scanner.feed("b" * 1_000)):
        pieces += 1
        assert pieces * 1_000 < LIMIT * 3 // 2
    assert [one.raw[:19] for one in found] == ["http://a.example/bb"]
    assert pieces * 1_000 > LIMIT - 2_000
    (again,) = scanner.feed("b" * 9 + " http://c.example/ ")
    assert again.raw == "http://c.example/"


@pytest.mark.parametrize("length", [63, 64])
def test_a_candidate_up_to_the_limit_is_none(length: int) -> None:
    text = "http://a.example/".ljust(length, "b")
    for after in ("", " "):
        (found,) = sieve(text + after, options=Options(max_length=64))
        assert isinstance(found, Record)


@pytest.mark.parametrize("unit", ["urn:ex:a~", "urn:isbn:0451450523&", "urn:ex:a~b&"])
def test_alternatives_are_bounded(unit: str) -> None:
    found = list(extract(unit * (60_000 // len(unit))))
    assert sum(len(text) for record in found for text in record.alternatives) < 10 * 60_000


@pytest.mark.parametrize("schemes", ["default", "registered", "any", ["https"], ["urn", "http"]])
@pytest.mark.parametrize(
    "text", ["xbhttps://e.example ", "\\nhttp://e.example/a ", "%0Ahttp://e.example ", "x.http://e/ "]
)
def test_a_cut_scheme_is_found_however_the_text_is_cut(schemes: str | list[str], text: str) -> None:
    options = Options(schemes=schemes)
    whole = [_fields(found) for found in sieve(text, options=options)]
    for place in range(len(text)):
        assert [_fields(found) for found in sieve(iter([text[:place], text[place:]]), options=options)] == whole
    assert [_fields(found) for found in sieve(iter(text), options=options)] == whole
