"""The search of the kernel finds what that in Python finds: generated texts, corpora, every cut, every option."""

from __future__ import annotations

import hashlib
import lzma
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import Any, cast
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.find import test_boundaries, test_delimiting
from tests.helpers import two_searches
from tests.helpers.generated_texts import seeds
from tests.helpers.hostile import HOSTILE
from tests.helpers.marked_rows import unmarked
from tests.helpers.shared_folder import shared_file
from tests.helpers.two_searches import ALL, KNOWN, Case, difference, takes_both_ways
from tests.rules.test_spoofing import NAMES as PROTECTED
from tests.rules.test_spoofing import ROWS as SPOOFED
from urisieve import Namespace, Options, Profile, Scheme
from urisieve.find.delimited import PIECE
from urisieve.finding_options import merging_of
from urisieve.kernel import compiled
from urisieve.merging import NAMED_STEPS
from urisieve.options import Bare, MergeStep
from urisieve.rules.registry import registered_schemes
from urisieve.rules.scheme_table import described, scheme_rule
from urisieve.syntax.characters import BRACKETS, WRAPPERS

if not compiled:
    pytest.skip("the kernel is not compiled, or switched off", allow_module_level=True)

from urisieve.find.finder.finder import Finder
from urisieve.find.kernel_search import KernelSearch
from urisieve.find.search import Search
from urisieve.find.searches import make_search
from urisieve.records.batch import Batch, BatchBuffer
from urisieve.records.layouts import COLUMNS

TEXTS = [text for table in (*test_boundaries.OWN.values(), *test_delimiting.ROWS.values()) for text in table]
ROWS = [(unmarked(row.marked)[0], row.options) for row in TEXTS]


# Generated texts. `tools/compare_searches.py` compares as many as one likes.


@given(st.integers(min_value=0, max_value=1 << 64))
def test_generated_texts(seed: int) -> None:
    for case, _ in zip(two_searches.cases(seed, long=0), range(10), strict=False):
        assert difference(case) is None, case


@pytest.mark.long
def test_generated_texts_take_every_way() -> None:
    """The guard of all comparisons: the kernel decides much alone, and leaves much to the judge and to the finder."""
    ways: Counter[str] = Counter()
    for case, _ in zip(two_searches.cases(1), range(2_000), strict=False):
        assert difference(case, ways) is None, case
    assert takes_both_ways(ways), ways
    assert ways["rejections"] > 200


def test_the_guard_sees_a_way_that_is_not_taken() -> None:
    ways = Counter(texts=100, decided=40, memo=30, found=30)
    assert takes_both_ways(ways)
    assert not any(takes_both_ways(ways - Counter({name: ways[name]})) for name in ways)
    assert not takes_both_ways(ways | Counter(decided=95))


@pytest.mark.sampled(41)
@pytest.mark.parametrize("number", range(7, len(KNOWN)))
def test_seeds_by_the_options_that_the_kernel_knows(number: int) -> None:
    options = KNOWN[number]
    for text in seeds()[number % 4 :: 4]:  # each text by a quarter of the options
        assert difference(Case([text], options)) is None, text


# Ends that the kernel decides: brackets, marks, hyphens, and passwords that an at-sign behind them would show.
ENDS = (
    "foo://[server/app] x",
    "see (foo://[host:80/x]/y) x",
    "jdbc://[h/u:pw]x@h.example/ z",
    "https://[/u:p]w@h.example/",
    "[see http://a.example/x] y",
    "http://a.example.] x",
    "http://a.example/?q=[x]] y",
    "urn:a:b] x",
    "[1]: http://a.b]",
    "**a http://a.example/x** y",
    "s3://b/**x** y",
    "__x__ http://a.example/y__ z",
    "http://a.example/a__b__ c",
    "*http://a.b**",
    "http://cran.r-\nx",
    "http://cran.r-\r\nx",
    "http://cran.r- x",
    "http://cran.r-",
    "foo://a-\nb",
    "http://u@a-\nb",
    "ftp://u:pw\nx@h.example/",
    "ftp://u:pw x@h.example/",
    "ftp://u:pw|x y@h.example/",
    "http://a.example:80|x@h/",
    "http://u:p@h.example^w@h.example/",
    "sip:u:p|w@h.example x",
    "jdbc:oracle:thin:u/p|w@h x",
    "http://h:8[ at ]x/",
    "http://a.example:80,http://b.example/",
    "<http://a.example:,http://b.example/>",
    "http://a.example:/x, y",
    "http://a.example/%20名",
    "http://a.example/0名",
    "http://a.example/a%20%E5x名/y",
)


def test_ends_by_all_options() -> None:
    for options in dict.fromkeys(KNOWN):
        for text in ENDS:
            assert difference(Case([text], options)) is None, (text, options)


# Cuts: those of many rows take long, those of some show what a change breaks. Every row goes through in single pieces.

EACH = pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.long), 40])
MANY = pytest.mark.parametrize("step", [pytest.param(3, marks=pytest.mark.long), 40])


@MANY
def test_rows_at_every_cut(step: int) -> None:
    for text, options in ROWS[::step]:
        for cut in range(1, len(text)):
            assert difference(Case([text[:cut], text[cut:]], options)) is None, (text, cut)


@MANY
def test_rows_at_every_cut_of_their_bytes(step: int) -> None:
    for text, options in ROWS[::step]:
        data = text.encode("utf-8", "surrogatepass")
        for cut in range(1, len(data)):
            assert difference(Case([data[:cut], data[cut:]], options)) is None, (text, cut)


@EACH
def test_rows_byte_by_byte_and_character_by_character(step: int) -> None:
    for text, options in ROWS[::step]:
        data = text.encode("utf-8", "surrogatepass")
        assert difference(Case([data[index : index + 1] for index in range(len(data))], options)) is None, text
        assert difference(Case(list(text), options)) is None, text


@pytest.mark.sampled(3)
@pytest.mark.parametrize("size", [PIECE - 1, PIECE, 65_536])
def test_rows_at_the_ends_of_pieces(size: int) -> None:
    for text in [text for text, _ in ROWS][::25]:
        for back in range(0, len(text) + 1, 3):
            assert difference(Case(["é" * 9 + "\n" * (size - 9 - back) + text])) is None, (text, back)


# Bytes.


STRAY = [
    *(b"\xff", b"\x80", b"\xc3", b"\xc0\xaf", b"\xe2\x82", b"\xf0\x9f\x98", b"\xf4\x90\x80\x80", b"\xed\xa0\x80"),
    *(b"\xed\xb2\x80", b"\xe9", b"\xf8\x88\x80\x80\x80", b"\xe0\x80\xaf", b"\xf0\x80\x80\x80", b"\xc2\xc2\xa0"),
]


@pytest.mark.sampled(23)
@pytest.mark.parametrize("stray", STRAY, ids=bytes.hex)
@pytest.mark.parametrize(
    "text", ["see <http://a.example/b?c#d> ok", "é http://é.example/漢\U0001f600 mailto:a@b.example"]
)
def test_stray_bytes_anywhere(stray: bytes, text: str) -> None:
    data = text.encode()
    for at in range(len(data) + 1):
        whole = data[:at] + stray + data[at:]
        assert difference(Case([whole])) is None, whole
        for cut in range(at, at + len(stray) + 1):
            assert difference(Case([whole[:cut], whole[cut:]])) is None, (whole, cut)


def test_a_mark_is_text_to_the_search() -> None:
    for pieces in ([b"\xef\xbb\xbfhttp://a.example/"], [b"\xef", b"\xbb\xbf", b"http://a.example/"]):
        assert difference(Case(pieces)) is None


@pytest.mark.long
def test_every_character_before_and_behind_a_link() -> None:
    some = [(0, 0x3100), (0xD7F0, 0xE010), (0xFDC0, 0x10020)]
    some += [(plane << 16, (plane << 16) + 64) for plane in range(1, 17)]
    lines = [
        f"{one}http://a.example/b{one} {one}urn:a:b{one}c http://a.example{one}\n"
        for first, last in some
        for one in map(chr, range(first, last))
    ]
    for start in range(0, len(lines), 64):
        text = "".join(lines[start : start + 64])
        assert difference(Case([text])) is None, text
        assert difference(Case([text.encode("utf-8", "surrogatepass")])) is None, text


# The tables of the kernel: each entry decides something here. `tools/mutate_tables.py` changes them.


def _beside(one: str) -> str:
    return f"{one}http://a.example/b{one}c?d{one}e {one}http://a.example/b{one} http://a.example/|{one} http://a.example/b{one}http://c.example/\n"


def _at_the_ends_of_blocks() -> Iterator[str]:
    for block in range(0x30, 0x1100):
        for one in (chr(block << 8), chr(block << 8 | 0x61), chr(block << 8 | 0xFF)):
            yield _beside(one)


def _in_mixed_blocks() -> Iterator[str]:
    for block in (0x34, 0x4D, 0x9F, 0xD7, 0xD8, 0xDC, 0xE0, 0xFD, 0xFE, 0xFF, 0x1FF, 0xE00, 0xE01, 0xFFF):
        for one in map(chr, range(block << 8, (block + 1) << 8)):
            yield _beside(one)


def _behind_a_candidate_that_is_too_long() -> Iterator[str]:
    for block in (0x20, 0x30, 0xD8, 0xDC, 0xE0, 0xFD, 0xFF, 0xFFF):
        for one in map(chr, range(block << 8, (block + 1) << 8, 3)):
            yield f"http://a.example/{'b' * 64}{one}http://c.example/\n"


def _in_pairs() -> Iterator[str]:
    for opener, closer in BRACKETS.items():
        yield f"http://a.example/b{opener}c{closer}{closer} http://a.example/b{opener}c{closer}d{closer}.\n"
    for opener, closers in WRAPPERS.items():
        for closer in closers:
            yield f"{opener}http://a.example/b c{closer} d{opener}http://a.example/b{closer}c{closer} \n"
            yield f"{opener}http://a.example/b\nc{closer} d\n"


def _with_each_scheme() -> Iterator[str]:
    for name in sorted({*registered_schemes(), *described()}):
        port = scheme_rule(name).default_port or "80"
        for scheme in (name, name.upper(), f"{name}x", name[:-1], f"{name[:-1]}0"):
            yield f" {scheme}://a.example/b {scheme}:a "
        for rest in (f":{port}/", f":{port}", f":{port}0/", f":{port[:-1]}/", "#b", "", "?b", "/%7e/../B", ":/"):
            yield f"{name}://a.EXAMPLE{rest} "
        yield f"{name}://u@[::1]/ {name}:///b {name}://A_b%41/ {name}:/b#c {name}://é.example/é {name}://a..b/\n"


def _like_examples() -> Iterator[str]:
    curated = [word for row in test_boundaries.CURATED for word in unmarked(row.marked)[0].split()]
    rows = [scheme_rule(name) for name in described()]
    pairs = [pair[0] for row in rows if row.shape is not None for pair in (*row.same, *row.different)]
    for example in sorted({*curated, *pairs}):
        for end in range(example.find(":") + 1, min(len(example), 60) + 1):
            yield f"{example[:end]} {example[:end]}-. {example[:end]}{example[end + 1 :]}\n"
            yield from (f"{example[:end]}{one}{example[end + 1 :]} " for one in "A0%:/.")


@pytest.mark.long
@pytest.mark.parametrize(
    "lines",
    [
        *(_at_the_ends_of_blocks, _in_mixed_blocks, _behind_a_candidate_that_is_too_long),
        *(_in_pairs, _with_each_scheme, _like_examples),
    ],
)
def test_every_entry_of_the_tables(lines: Callable[[], Iterator[str]]) -> None:
    whole = list(lines())
    options = Options(max_length=64) if lines is _behind_a_candidate_that_is_too_long else Options()
    for start in range(0, len(whole), 64):
        text = "".join(whole[start : start + 64])
        assert difference(Case([text], options)) is None, text


# Long runs, and candidates that are too long.


@pytest.mark.sampled(60)
@pytest.mark.parametrize("row", HOSTILE, ids=lambda row: row.name)
def test_hostile_texts(row: Any) -> None:
    options = row.options or Options()
    assert difference(Case([row.make(70_000).encode("utf-8", "surrogatepass")], options)) is None
    some = row.make(2_000)
    assert difference(Case([some], options)) is None
    pieces = [some[index : index + 7] for index in range(0, len(some), 7)]
    assert difference(Case(pieces, Options(max_length=64))) is None


@pytest.mark.sampled(25)
@pytest.mark.parametrize("unit", ["a", "é", "漢", "\U0001f600", "\udcff", "%41", "(", "[", "/.", "a."])
@pytest.mark.parametrize("head", ["http://a.example/", "<http://a.example/", '"http://', "urn:a:b", "mailto:a@b", ""])
def test_candidates_around_the_limit(head: str, unit: str) -> None:
    for limit, around in ((64, 4), (65_536, 1)):
        for length in range(limit - around, limit + around + 1):
            room = (length - len(head.lstrip('<"'))) // len(unit)
            for tail in ("> http://b.example/", "", "a"):
                text = head + unit * room + tail
                assert difference(Case([text], Options(max_length=limit))) is None, (limit, length, tail)


# Columns.


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", sorted(ALL))
def test_columns_alone_and_all_but_one(name: str) -> None:
    text = "<http://a.example:80/> ✗http://[/ é\nurn:a:b?c#d http://u:p@b.example/é\\b <http://a b> http://a/%zz\udc80"
    always = frozenset(("uri", "key"))  # see `checked_columns`
    for columns in (always | {name}, ALL - {name} | always):
        for pieces in ([text], list(text), [text.encode("utf-8", "surrogateescape")]):
            assert difference(Case(pieces, columns=columns)) is None, pieces


# Options: each is named here, with each of its choices.

ROW = Scheme("shelf", "a place", "Manual, 4", shape="[a-z]+/[0-9]+")
NAMES = Namespace(name="x-stock", title="an item", reference="Manual, 5", equivalence="case")
CHOICES: dict[str, list[Any]] = {
    "schemes": ["default", "registered", {"http", "foo", "data"}, ROW, "web", "any"],
    "exclude_schemes": [(), {"http"}, {"foo", "urn"}],
    "known_schemes": [(), {"foo"}],
    "rules": [(), ROW, [NAMES], [ROW, NAMES]],
    "urn_syntax": ["rfc2141", "rfc8141"],
    "level": ["none", "syntax", "scheme"],
    "merge": [
        *((), "page", "host", *([step] for step in NAMED_STEPS)),
        Profile(drop_params=["a"], keep_params=["b@b.example", "u"]),
    ],
    "repair": ["off", "encode"],
    "schemeless": ["off", "www", "names"],
    "email": ["off", "addresses"],
    "bare": [(), ["doi"], tuple(Bare)],
    "refang": ["off", "known-forms"],
    "nested": ["off", "report"],
    "unwrap": ["off", "known", "any"],
    "charset": ["unicode", "legacy"],
    "spoofing": ["off", "warn"],
    "protect": [(), {"a.example"}],
    "positions": ["lines", "offsets"],
    "max_length": [64, 1_000, 65_536, 10_000_000],
}


def test_every_option_and_every_choice_is_named() -> None:
    assert set(CHOICES) == set(Options.__slots__)
    for name, values in CHOICES.items():
        default = getattr(Options(), name)
        if isinstance(default, StrEnum):
            assert {value for value in values if isinstance(value, str)} == set(type(default)), name
    assert {step for profile in CHOICES["merge"] for step in merging_of(Options(merge=profile)).steps} == set(MergeStep)


MIXED = (
    "see http://A.example:80/%7ea/../b?a=1&utm_source=x#f <HTTPS://www.b.example> foo:bar foo://bar x://y data:,a "
    "data:text/plain,b <http://a.exa\nmple/ b> urn:isbn:0-395-36341-1 urn:a:b?+c?=d#e http://[fe80::1%25eth0]/ "
    "http://é.example/é ftp://u:p@c.example:21/ shelf:north/7 urn:x-stock:1 hxxp://a[.]example www.a.example a@b.cd "
    "http://a.example/?u=http://b.example/ http://a.example@127.1/ http://c.example/{x} C:\\x é\ud800 "
    "http://d.example/" + "d" * 100
)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", CHOICES)
def test_each_choice_finds_the_same(name: str) -> None:
    for value in CHOICES[name]:
        options = Options(**{name: value})
        assert type(make_search(options, BatchBuffer())) is KernelSearch, value
        assert difference(Case([MIXED], options)) is None, value
        assert difference(Case(list(MIXED), options)) is None, value
        for text, _ in ROWS[::7]:
            assert difference(Case([text], options)) is None, (text, value)


SPOOFING = [
    "http://localhost./a",
    "http://a.example%2Eb/",
    "x://[v1.a]/",
    "http://8.8.8.8/a",
    "http://0x7f.example/",
    "file:///a",
]


@pytest.mark.parametrize(
    "options", [Options(spoofing=True), Options(protect=PROTECTED), Options(protect=PROTECTED, merge="page")]
)
def test_what_may_pass_for_another_host(options: Options) -> None:
    """A host that is met again is one of which the search knows whether it is trusted."""
    texts = [text for text, _ in SPOOFED] + SPOOFING
    again = [f"{text} {text}b {text.upper()} {text}/⁄x {text.replace('://', '://u@')}?\n" for text in texts]
    assert difference(Case(["".join(again), *again], options)) is None


# State: a search that is used again, and one that is entered in the middle of a text.


@pytest.mark.long
def test_a_search_is_used_again() -> None:
    """What a search remembers of earlier texts changes nothing, and neither does a memo that overflows."""
    buffer = BatchBuffer()
    search, twin = KernelSearch(Options(), buffer), Search(Options(), buffer)
    for number in range(300):
        text = " ".join(f"http://u{number}:p@a.example/{part} urn:a:{number}-{part}" for part in range(60))
        text += f" <http://a.example/{number}\n/b> http://[{number} https://b.example/"
        found = []
        for one in (search, twin):
            one.restart(f"name {number}")
            one.feed(text)
            one.close()
            taken = buffer.taken()
            found.append([_fields(taken), [rejection.as_dict() for rejection in taken.rejections]])
        assert found[0] == found[1], number


def _fields(batch: Batch) -> list[tuple[Any, ...]]:
    return list(batch.resolved().layout.rows())


@pytest.mark.parametrize("context", ["", "\n", "see http://a.exam\n", "x" * 200 + "\n", "é\n<\n"])
def test_a_text_is_entered_in_its_middle(context: str) -> None:
    entered = (context, len(context) + 7, context.count("\n") + 3, len(context.encode()) + 11)
    text = "b.example> http://a.example/\nhttp://b.example http://[ é urn:a:b"
    for pieces in ([text], list(text), [text.encode()], [b"", text.encode()]):
        assert difference(Case(pieces, entered=entered)) is None, pieces


# Corpora, by a checksum of all that is found.


CORPORA = ("access.log", "chat.log", "html.log", "mail.mbox", "nonascii.txt", "prose.txt", "urls.txt")


def _checksum(search: Search | KernelSearch, buffer: BatchBuffer, whole: str | bytes, size: int) -> tuple[int, str]:
    """Return how much is found, and the digest of all of it but for the offsets of bytes."""
    for start in range(0, len(whole), size):
        piece = whole[start : start + size]
        if isinstance(piece, bytes):
            search.feed_bytes(piece)
        else:
            search.feed(piece)
    search.close()
    batch = buffer.taken()
    rows = [(*row[:11], row[13]) for row in batch.layout.rows()]
    rejected = [{**one.as_dict(), "byte_start": None, "byte_end": None} for one in batch.rejections]
    found = repr((rows, rejected, batch.components())).encode("utf-8", "surrogatepass")
    return len(rows) + len(rejected), hashlib.sha256(found).hexdigest()


@pytest.mark.long
@pytest.mark.parametrize("name", CORPORA)
def test_corpora(name: str) -> None:
    path = shared_file(f"corpora/{name}.xz")
    if path is None:
        pytest.skip("the corpora are not here")
    with lzma.open(path) as file:
        data = file.read(2_000_000)
    text = data.decode("utf-8", "surrogateescape")
    buffer = BatchBuffer()
    expected = _checksum(Search(Options(), buffer), buffer, text, 65_536)
    assert expected[0] > 100
    for size in (65_536, 1_000_003, 997):
        for whole in (text, data):
            assert _checksum(KernelSearch(Options(), buffer), buffer, whole, size) == expected, (size, type(whole))


# Memory.


@pytest.mark.long
def test_searches_leave_no_memory() -> None:
    """Searches that come and go leave nothing, and neither does one that is used again and again."""
    resource = pytest.importorskip("resource")
    text = "http://a.example/é http://u@b.example/ urn:a:b http://[ <http://a\nb> http://c.example/{x} " * 40

    def use(search: KernelSearch, buffer: BatchBuffer) -> None:
        for size in (1_000, 100_000):
            search.restart()
            for start in range(0, len(text), size):
                search.feed(text[start : start + size])
            search.close()
            buffer.taken()
        search.restart()
        search.feed_bytes(text.encode()[:-1] + b"\xff")
        buffer.taken()

    kept = KernelSearch(Options(), kept_buffer := BatchBuffer())

    def run(times: int) -> None:
        for _ in range(times):
            buffer = BatchBuffer()
            use(KernelSearch(Options(known_schemes={"foo"}), buffer), buffer)
            use(kept, kept_buffer)

    run(40)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run(160)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 4_000 * (1_024 if sys.platform == "darwin" else 1), grown


# Interrupts.


class Interrupting:
    """A search of the kernel that Ctrl-C interrupts at one of its calls: before the call, or right behind it."""

    def __init__(self, search: Any, name: str, number: int, *, after: bool) -> None:
        self._search = search
        self._name = name
        self._left = number
        self._after = after

    def __getattr__(self, name: str) -> Any:
        function = getattr(self._search, name)
        if name != self._name or self._left < 0:
            return function

        def called(*given: Any) -> Any:
            self._left -= 1
            if self._left < 0 and not self._after:
                raise KeyboardInterrupt
            result = function(*given)
            if self._left < 0:
                raise KeyboardInterrupt
            return result

        return called


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    ("name", "number"), [("unjudged", 0), ("judge", 0), ("judge", 3), ("judge", 39), ("take", 0), ("make_room", 0)]
)
@pytest.mark.parametrize("first", [0, 1], ids=["the same text", "another text"])
def test_an_interrupted_search_searches_on(name: str, number: int, first: int, *, after: bool) -> None:
    texts = ["".join(f"ftp://a.example/%7{n}{m}/%zz{n}? http://x_{n}.a.{m}/ " for n in range(20)) for m in "abc"]
    texts.append(f"{texts[1]} urn:isbn:0-395-36341-1 http://u:p@b.example/ {texts[0]}")
    buffer, expected = BatchBuffer(), BatchBuffer()
    search, other = KernelSearch(Options(), buffer), KernelSearch(Options(), expected)
    search.finish(texts[2])
    search.restart()
    buffer.taken()
    real = search._search
    search._search = cast("Any", Interrupting(real, name, number, after=after))
    with pytest.raises(KeyboardInterrupt):
        search.finish(texts[0])
    search._search = real
    buffer.taken()
    for text in texts[first:]:
        search.restart()
        search.finish(text)
        other.restart()
        other.finish(text)
        assert list(buffer.taken().found()) == list(expected.taken().found()) != []


SELDOM = (  # what the kernel decides alone, also where other readings are asked for
    "见https://a.example/x/中文，文",
    "「http://a.example/x?y=z/中文」",
    "http://a.example/x, http://b.example/y",
    "see http://a.example/x.",
    "http://a.example:8080/x",
    "sip:alice@a.example;transport=tcp",
    "turn:a.example.org?transport=udp",
)


@pytest.mark.parametrize("columns", [("uri", "key", "warnings"), COLUMNS])
@pytest.mark.parametrize("text", SELDOM)
def test_the_finder_is_not_asked(text: str, columns: Sequence[str]) -> None:
    with patch.object(Finder, "find", side_effect=AssertionError("the finder is asked")):
        buffer = BatchBuffer()
        make_search(Options(), buffer, columns=frozenset(columns)).finish(f"{text}\n" * 3)
        assert len(buffer.taken()) >= 3
