"""Faults that the kernel had, one test each."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from array import array
from collections.abc import Callable, Sequence
from itertools import cycle, pairwise
from typing import Any
from urllib.parse import unquote_plus

import pytest

from tests.helpers.cli_support import PATIENCE, call
from tests.helpers.strategies import scaled
from urisieve import Options, sieve
from urisieve.find.kernel_search import KernelSearch
from urisieve.find.search import Search
from urisieve.finding_options import DEFAULT_OPTIONS
from urisieve.kernel import compiled, kernel
from urisieve.records.batch import BatchBuffer
from urisieve.records.harvested import KERNEL_WARNINGS
from urisieve.syntax.components import Components, split

needs_kernel = pytest.mark.skipif(not compiled, reason="the kernel is not compiled")


@needs_kernel
@pytest.mark.parametrize("length", range(62, 69))
@pytest.mark.parametrize("tail", ["", ".", "é", ")", " x"])
@pytest.mark.parametrize(
    "head", ["http://e.example/", "mailto:a@b.c", "<http://e.example/", '"http://e.example/', "urn:x:"]
)
def test_a_candidate_that_is_too_long_at_the_end_of_the_text(head: str, tail: str, length: int) -> None:
    text = head.ljust(length, "a") + tail
    options = Options(max_length=64)
    both = []
    for kind in (Search, KernelSearch):
        buffer = BatchBuffer()
        search = kind(options, buffer)
        search.finish(text)
        both.append([found._row for found in buffer.taken().found()])
    assert both[0] == both[1]


@needs_kernel
def test_the_module_may_be_imported_again() -> None:
    program = (
        "import sys\n"
        "for _ in range(8):\n"
        "    sys.modules.pop('urisieve._kernel', None)\n"
        "    import urisieve._kernel\n"
        "from urisieve import extract\n"
        "print(next(extract('http://e.example/')).uri)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert done.stdout == "http://e.example/\n"


@pytest.mark.parametrize("attribute", [b"href\0", b"hre\0f", b"\0href"])
def test_a_null_character_is_a_part_of_a_name(attribute: bytes) -> None:
    page = b"<html><a " + attribute + b'="http://e.example/">x</a> <a href="http://f.example/">y</a>'
    rows = call("extract", "--quiet", "--fields", "uri,field", stdin=page).lines
    assert [row.partition("\t")[2] for row in rows] == [f"a@{attribute.decode()}".replace("\0", "\ufffd"), "a@href"]


@needs_kernel
def test_a_column_that_was_not_asked_for_is_an_error() -> None:
    search = KernelSearch(DEFAULT_OPTIONS, BatchBuffer())._search
    search.feed("http://e.example/")
    assert not search.run(True)
    harvest = search.take(0)
    assert harvest is not None
    for name in ("raw", "start", "line", "byte_end"):
        with pytest.raises(ValueError, match="was not asked for"):
            harvest.column(name)
    assert harvest.column("uri") == ["http://e.example/"]


def _fed(data: memoryview) -> set[bytes]:
    search = KernelSearch(DEFAULT_OPTIONS, BatchBuffer())._search
    search.feed_bytes(data, True)
    assert not search.run(True)
    harvest = search.take(0)
    assert harvest is not None
    return set(harvest.lines().split())


def _proved(data: memoryview) -> set[bytes]:
    offsets = b"".join(at.to_bytes(8, sys.byteorder) for at in range(0, len(data) + 1, 18))
    return set(kernel.canonical_texts(data, memoryview(bytearray(offsets)), True)[2].replace(b"h", b" h").split())


def _lines(data: memoryview) -> set[bytes]:
    taken = kernel.lines(data, 1, False)  # type: ignore[arg-type] # it takes other bytes, too
    assert taken is not None
    return set(taken[0].lines().split())


def _counted(data: memoryview) -> set[bytes]:
    counts = kernel.counts(data)
    assert counts is not None
    return {b"ab"[counts[1] > 0 :][:1]} if counts[1] in (0, len(data) // 18) else {b"a", b"b"}


@needs_kernel
@pytest.mark.parametrize("look", [_fed, _proved, _lines, _counted])
def test_bytes_that_another_thread_changes_are_seen_in_one_state(look: Callable[[memoryview], set[bytes]]) -> None:
    """H6: a view that cannot be written to may show a bytearray; what is read without the lock is a copy of it."""
    if look is _counted:
        states = [b"a" * 18 * 100_000, (b"b" * 17 + b"\n") * 100_000]
    elif look is _proved:
        states = [b"http://a.example/x" * 50_000, b"http://b.example/x" * 50_000]
    else:
        states = [b"http://a.example/\n" * 50_000, b"http://b.example/\n" * 50_000]
    shared = bytearray(states[0])
    done = threading.Event()

    def change() -> None:
        for state in cycle(states):
            if done.is_set():
                return
            shared[:] = state  # all of it before another thread goes on

    changer = threading.Thread(target=change)
    changer.start()
    try:
        for _ in range(scaled(20)):
            assert len(look(memoryview(shared).toreadonly())) == 1
    finally:
        done.set()
        changer.join()


@needs_kernel
def test_offsets_in_other_bytes_are_checked() -> None:
    data = memoryview(bytearray(b"..http://a.example/http://b.example/"))[2:]
    offsets = [0, 17, 34]
    for start, texts in ((0, b"http://a.example/http://b.example/"), (1, b"http://b.example/")):
        octets = b"".join(at.to_bytes(4, sys.byteorder) for at in offsets[start:])
        assert kernel.canonical_texts(data, octets, False)[2] == texts
    for bad in ([0, 35], [17, 0], [-1, 17], []):
        octets = b"".join(at.to_bytes(4, sys.byteorder, signed=True) for at in bad)
        with pytest.raises(ValueError, match="not offsets"):
            kernel.canonical_texts(data, memoryview(bytearray(octets)), False)


def test_a_text_that_ends_in_the_middle_of_a_link_is_searched_to_its_end() -> None:
    assert [found.raw for found in sieve("see http://e.example/" + "a" * 70_000)] != []


def _table() -> kernel.KeyTable:
    table = kernel.KeyTable(bytes(16))
    for key in ("http://a.example/", "http://b.example/"):
        table.add(key, None, 1, 0, 0, 0, None, None, None)
    return table


@needs_kernel
@pytest.mark.parametrize("order", [None, [0, 1]])
def test_a_position_before_the_first_key_is_an_error(order: list[int] | None) -> None:
    with pytest.raises(IndexError):
        _table().rows(order, -1, 1)
    with pytest.raises(IndexError):
        _table().lines(order, -1, 1, 0, None)


@needs_kernel
def test_the_number_of_a_source_is_not_cut() -> None:
    table = _table()
    with pytest.raises(OverflowError):
        table.add("http://c.example/", None, 1, 1 << 32, 0, 0, None, None, None)
    table.add("http://c.example/", None, 1, (1 << 32) - 1, 0, 0, None, None, None)
    assert table.rows([2], 0, 1)[0][4] == (1 << 32) - 1
    search = KernelSearch(DEFAULT_OPTIONS, BatchBuffer())._search
    search.feed("http://e.example/")
    assert not search.run(True)
    harvest = search.take(1)
    assert harvest is not None
    with pytest.raises(OverflowError):
        table.add_harvest(harvest, 1 << 32, None)


@needs_kernel
def test_the_first_value_that_is_wrong_is_reported() -> None:
    with pytest.raises(TypeError):
        _table().add("http://c.example/", None, "1", 0, 1 << 99, 0, None, None, None)  # type: ignore[arg-type]


@needs_kernel
def test_a_set_has_no_room_for_less_than_nothing_nor_for_any_number() -> None:
    keys = kernel.KeySet(bytes(16))
    with pytest.raises(ValueError, match="negative"):
        keys.has_room(-1, 1 << 40)
    assert keys.has_room(1000, 1 << 20)
    assert not keys.has_room(sys.maxsize, 1 << 60)


@needs_kernel
def test_given_digests_are_one_for_each_row() -> None:
    buffer = BatchBuffer()
    KernelSearch(DEFAULT_OPTIONS, buffer).finish("http://a.example/ http://A.example/ http://b.example/")
    harvest = buffer.taken().layout.harvest
    assert harvest is not None
    keys = kernel.KeySet(bytes(16))
    digests = keys.digests_of(harvest)
    assert digests == b"".join(map(keys.digest, ["http://a.example/", "http://a.example/", "http://b.example/"]))
    assert len(keys) == 0
    for wrong in (b"", digests[:-1], digests + bytes(16)):
        with pytest.raises(ValueError, match="each row"):
            keys.unseen_lines(harvest, wrong)
    assert keys.unseen_lines(harvest, digests) == (b"http://a.example/\nhttp://b.example/\n", 2)
    assert keys.unseen_lines(harvest) == (b"", 0)
    with pytest.raises(TypeError):
        keys.digests_of(b"")  # type: ignore[arg-type]


@needs_kernel
def test_the_digests_of_a_set_make_another_one() -> None:
    keys, again = kernel.KeySet(bytes(16)), kernel.KeySet(bytes(16))
    keys.unseen_indices([f"http://{number}.example/" for number in range(1_000)])
    again.add_digests(keys.digests())
    again.add_digests(b"")
    assert sorted(keys.digests()) == sorted(again.digests())
    asked = [*(f"http://{number}.example/" for number in range(990, 1_040)), "\udcff"]
    assert again.held(asked) == keys.held(asked) == bytes([1] * 10 + [0] * 41)
    assert keys.held([]) == kernel.KeySet(bytes(16)).digests() == b""
    for wrong in (b"x", bytes(16)):
        with pytest.raises(ValueError, match="digest"):
            again.add_digests(wrong)
    with pytest.raises(TypeError):
        again.add_digests("x")  # type: ignore[arg-type]
    for keys_of_others in (("x:1",), ["x:1", 5]):
        with pytest.raises(TypeError):
            again.held(keys_of_others)  # type: ignore[arg-type]
    assert len(again) == 1_000


class _Adds:
    """A location that adds to the table when nothing refers to it any more."""

    def __init__(self, table: kernel.KeyTable) -> None:
        self._table = table

    def __del__(self) -> None:
        for number in range(5_000):
            self._table.add(f"http://{number}.example/", None, 1, 0, 0, 0, number, number, None)


@needs_kernel
def test_a_location_may_add_to_the_counts_when_it_is_replaced() -> None:
    table = _table()
    table.add("http://c.example/", None, 1, 0, 0, 0, None, _Adds(table), None)
    table.add("http://c.example/", None, 1, 0, 0, 0, None, "last", ("http://C.example/",))
    row = table.rows([2], 0, 1)[0]
    assert (row[0], row[2], row[8], row[10]) == (
        "http://c.example/",
        2,
        "last",
        ("http://c.example/", "http://C.example/"),
    )
    assert len(table) == 5_003


def _search(**changed: object) -> kernel.Search:
    given: dict[str, object] = {
        "proves": 2,
        "maps_wide": True,
        "names_readings": True,
        **dict.fromkeys(("takes_unknown", "ignores_shapes", "leaves_urns", "nests", "repairs", "refangs"), False),
        "wanted": None,
        "merge": None,
        **dict.fromkeys(("unwanted", "known", "ruled", "top_levels", "doubtful", "endings"), ()),
        "pivots": 0,
        "spoofing": False,
        "protected": [],
        "looks": [],
    }
    return kernel.Search(1_000, **{**given, **changed})  # type: ignore[arg-type]


@needs_kernel
def test_schemes_are_read_once() -> None:
    for wanted in (["http"], iter(["http"])):
        search = _search(wanted=wanted)
        search.feed("https://e.example/ http://f.example/")
        assert not search.run(True)
        harvest = search.take(0)
        assert harvest is not None
        assert harvest.column("uri") == ["http://f.example/"]
    with pytest.raises(TypeError):
        _search(wanted=["http", 1])


class _Feeds:
    """A truth value that uses the search meanwhile."""

    def __init__(self, search: kernel.Search) -> None:
        self._search = search

    def __bool__(self) -> bool:
        self._search.feed("http://e.example/ " * 10_000)
        return True


@needs_kernel
def test_a_search_may_be_used_while_arguments_are_converted() -> None:
    search = _search()
    assert search.run(_Feeds(search)) is False  # type: ignore[arg-type]
    harvest = search.take(0)
    assert harvest is not None
    assert len(harvest) == 10_000


_AT_A_PLACE: list[Callable[[kernel.Search], object]] = [
    lambda search: search.window(10),
    lambda search: search.window(-5),
    lambda search: search.dismiss(),
    lambda search: search.settle(0, 5, "a:b", "a:b", False, False),
    lambda search: search.settle(7, 900, None, None, True, True),
    lambda search: search.hold(0),
    lambda search: search.hold(10_000),
    lambda search: search.skip(True),
]


@needs_kernel
@pytest.mark.parametrize("asked", _AT_A_PLACE)
def test_the_finder_is_asked_only_where_the_search_has_stopped(asked: Callable[[kernel.Search], object]) -> None:  # N7
    search = _search(takes_unknown=True, ignores_shapes=True)

    def refused() -> None:
        with pytest.raises(RuntimeError, match="the search has not stopped for the finder"):
            asked(search)

    refused()
    search.feed("")
    refused()
    search.run(True)
    refused()
    search.restart()
    search.feed("see HTTP://é.example/x and x-y:z " * 100)
    refused()
    stops = 0
    while search.run(True):
        assert search.window(20)[0]
        search.dismiss()
        stops += 1
    assert stops
    refused()
    for _ in search.unjudged():
        search.judge(None, None, False, False)
    search.take(15)
    refused()
    search.restart()
    refused()


@needs_kernel
def test_a_search_of_no_text_and_a_page_without_links() -> None:
    search = _search()
    search.feed("")
    assert not search.run(True)
    assert search.take(0) is None
    reader = kernel.HtmlReader([("a", 8)], [("href", 1)], lambda written, _: written)
    page = reader.read('<a href="">x</a><a href="#a"></a>', True, 100, None, False, False)
    assert page is not None
    assert (page.count, page.text(1), page.has_text(1), page.has_text(0)) == (0, "", False, True)


@needs_kernel
@pytest.mark.parametrize(
    ("text", "begins", "kinds"),
    [
        ("", [3], b"\1"),
        ("\n\x1e\na", [3], b"\1"),
        ("\n\x1e\na", [3, 8], b"\1"),
        ("\n\x1e\na", [2, 7], b"\1"),
        ("\n\x1e\na\n\x1e\nb", [3, 5, 11], b"\1\0"),
        ("\n\x1e\na\n\x1e\nb", [3, -9, 11], b"\1\0"),
        (b"\n\x1e\na", [3, 7], b"\1"),
    ],
)
def test_segments_that_do_not_fit_the_text(text: Any, begins: list[int], kinds: bytes) -> None:
    search = _search()
    with pytest.raises((ValueError, TypeError)):
        search.segments(text, memoryview(array("q", begins)), kinds)
    whole = "\n\x1e\nhttp://é.example/\n\x1e\nsee http://b.example/ there\n\x1e\n"
    left = search.segments(whole, memoryview(array("q", [3, 23, 53, 56])), b"\1\0\1")
    assert list(memoryview(left).cast("q")) == [2]
    assert search.unjudged() == ["http://é.example/"]


@needs_kernel
def test_offsets_of_a_page_in_any_order() -> None:
    source = "".join(f"é{'ü' * (number % 900)}<b>{number} " for number in range(300))
    reader = kernel.HtmlReader([], [], lambda written, _: written)
    page = reader.read(source, True, 1 << 20, None, False, False)
    assert page is not None
    text = page.text(0)
    offsets = [offset * 7_919 % len(text) for offset in range(0, len(text), 37)]
    found = {offset: page.source(offset, 0, False) for offset in offsets}
    assert all(source[found[offset]] == text[offset] for offset in offsets)
    ordered = sorted(offsets)
    assert [page.source(offset, 0, False) for offset in ordered] == [found[offset] for offset in ordered]


@needs_kernel
def test_two_links_of_each_tag_take_linear_time() -> None:
    def _seconds(count: int) -> float:
        reader = kernel.HtmlReader([("img", 0)], [("src", 0), ("longdesc", 0)], lambda written, _: written)
        page = reader.read(
            'é<img src="http://a.example/" longdesc="http://b.example/">' * count, True, 1 << 24, None, False, False
        )
        assert page is not None
        assert page.count == 2 * count
        start = time.process_time()
        for number in range(page.count):
            page.item(number)
        return time.process_time() - start

    assert _seconds(40_000) < 0.4


@needs_kernel
def test_buffers_and_offsets_that_do_not_fit_are_errors() -> None:
    buffer = BatchBuffer()
    search = KernelSearch(DEFAULT_OPTIONS, buffer, columns=frozenset(("uri", "key")))
    search.finish("http://a.example/")
    (harvest,) = (batch.layout.harvest for batch in buffer.drained())
    assert harvest is not None
    for names in (("urj",), ("raw",), ("start",), ("line",), ("uri",) * 17):
        with pytest.raises(ValueError, match="column"):
            harvest.buffers(names)
    begins = memoryview(bytes(8))
    for first in (-1, 1):
        with pytest.raises(ValueError, match="no such text"):
            harvest.in_texts(begins, first)
    with pytest.raises(TypeError):
        harvest.buffers((1,))  # type: ignore[arg-type]


@needs_kernel
@pytest.mark.parametrize("numbers", [[], [1, 0], [0, 9], [-1, 0], [0, 5, 4]])
@pytest.mark.parametrize("wide", [True, False])
def test_offsets_of_texts_are_checked(numbers: list[int], wide: bool) -> None:
    from array import array

    offsets = memoryview(array("q" if wide else "i", numbers)).toreadonly()
    with pytest.raises(ValueError, match="not offsets"):
        kernel.canonical_texts(b"http://a", offsets, wide)


@needs_kernel
def test_components_of_texts() -> None:
    texts = ["http://u@a.example:80/b?c#d", "", "urn:a:b", "http://[::1]:/?#", "file:///a"]
    data = "".join(texts).encode()
    for wide in (False, True):
        ends = [len("".join(texts[:count])).to_bytes(8 if wide else 4, sys.byteorder) for count in range(6)]
        for name in Components._fields:
            valid, offsets, found = kernel.components_of_texts(data, b"".join(ends), wide, name)
            bounds = memoryview(offsets).cast("i").tolist()
            held = [found[start:end].decode() for start, end in pairwise(bounds)]
            made = [value if valid[0] >> bit & 1 else None for bit, value in enumerate(held)]
            assert made == [getattr(split(text), name) if text else None for text in texts], name
        with pytest.raises(ValueError, match="not a component"):
            kernel.components_of_texts(data, b"".join(ends), wide, "uri")


@needs_kernel
def test_parameters_of_texts() -> None:
    queries = [
        "a=1&b=2&a=3",
        "=x&&b",
        "%61=%2B&a+b=c",
        "a%20b=d&a",
        "%6=1&%=2&%zz=3",
        "a%00=4",
        "",
        "b=%C3%BC+&=y",
        "aa=1&a",
    ]
    data = "".join(queries).encode()
    ends = [len("".join(queries[:count])) for count in range(len(queries) + 1)]
    for name in ("a", "b", "", "a b", "%6", "%", "%zz", "a\0", "aa"):
        offsets = b"".join(end.to_bytes(4, sys.byteorder) for end in ends)
        valid, found_at, found = kernel.parameters_of_texts(data, offsets, False, name)
        held = [found[start:end].decode() for start, end in pairwise(memoryview(found_at).cast("i").tolist())]
        made = [value if valid[row // 8] >> (row % 8) & 1 else None for row, value in enumerate(held)]
        pairs = [[pair.partition("=") for pair in query.split("&") if pair] for query in queries]
        assert made == [next((value for key, _, value in row if unquote_plus(key) == name), None) for row in pairs], (
            name
        )


@needs_kernel
def test_what_does_not_fit_a_harvest_is_an_error() -> None:
    search = _search()
    search.feed("http://a.example/ http://b.example/ http://a.example/c")
    assert not search.run(True)
    harvest = search.take(0)
    assert harvest is not None

    def written(columns: Any = ("uri",), hiding: Any = None, left: Sequence[bytes] = ()) -> bytes:
        cells = (b"",) * 8, (b"",), (b"",) * len(KERNEL_WARNINGS)
        marks, plain = (b"", b""), b"\1" * 128
        return harvest.written(columns, (b"", b"\n"), marks, plain, *cells, False, None, hiding, lambda _: list(left))

    for numbers in ([0, 1], [0, 1, 2], [0, 1, 0, 1]):
        with pytest.raises(ValueError, match="a column that is given"):
            written((([b"x", b"y"], array("I", numbers).tobytes()),))
    for sizes in (0, 2, 4):
        with pytest.raises(ValueError, match="a column of numbers"):
            written((bytes(8 * sizes),))
    assert (
        written((array("q", [-(2**63), 2**63 - 1, 0]).tobytes(),)) == b"-9223372036854775808\n9223372036854775807\n0\n"
    )
    for column in ((), ([b"x"],), ((b"x",), bytes(12)), ([b"x"], "abc"), (["x"], bytes(12))):
        with pytest.raises(TypeError):
            written((column,))
    with pytest.raises(ValueError, match="for each host"):
        written(hiding=(2, 0, False, b"\0\0", b"secret"))
    assert harvest.hosts() == (["a.example", "b.example"], memoryview(array("I", [0, 1, 0])).tobytes())
    assert written((([b"x", b"y"], harvest.hosts()[1]),)) == b"x\ny\nx\n"
    with pytest.raises(ValueError, match="for each row that is left"):
        written(hiding=(8, 0, True, b"\0\1", b"s"))
    lines = written(hiding=(8, 0, True, b"\0\1", b"s"), left=[b"by Python\n"]).splitlines()
    assert lines == [b"hxxp://a[.]example/", b"by Python", b"hxxp://a[.]example/***"]
    for secret in (None, b"", b"x" * 65):
        with pytest.raises(ValueError, match="a secret of"):
            written(hiding=(2, 0, False, None, secret))
    with pytest.raises(TypeError):
        written(hiding=[])
    assert harvest.selected([2, 0]).column("uri") == ["http://a.example/c", "http://a.example/"]
    with pytest.raises(IndexError):
        harvest.selected([3])
    texts = [b"x:1", b"x:2", b"x:3"]
    worded = harvest.worded(texts, [b"x:1", b"y", b"x:3"], texts[::-1])
    assert [worded.column(name) for name in ("uri", "key")] == [["x:1", "x:2", "x:3"], ["x:1", "y", "x:3"]]
    assert worded.has_keys
    wrongs: tuple[Any, ...] = (texts[:2], [*texts[:2], "x:3"])
    for wrong in wrongs:
        with pytest.raises((TypeError, ValueError)):
            harvest.worded(texts, wrong, texts)
    with pytest.raises(TypeError):
        kernel.templates(("http://a.example/",))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        kernel.templates([b"http://a.example/"])  # type: ignore[list-item]


@needs_kernel
def test_no_texts_and_empty_ones_have_no_canonical_forms() -> None:
    assert kernel.canonical_texts(b"", bytes(4), False) == (b"", bytes(4), b"")
    assert kernel.canonical_texts(b"", bytes(16), True) == (b"\0", bytes(8), b"")
