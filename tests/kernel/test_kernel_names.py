"""Names, hosts, domains and templates are counted by the kernel as by Python; what a batch costs there is bounded."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urisieve import Batch, KeySet, extract_batches
from urisieve.judge.templates import _template
from urisieve.kernel import compiled, kernel
from urisieve.rules.registry import domains_of, suffixes
from urisieve.sinks.statistics import NameCount, StatisticsSink
from urisieve.sinks.statistics.name_counts import HeadCounts, HeldNames, KernelHeads, KernelNames, NewCounts

pytestmark = pytest.mark.skipif(not compiled, reason="compares the kernel with Python")

NAMES = st.sampled_from([None, "", "a", "b", "ä", "\udc80", "aa", "\U0001f600", *map(str, range(9))])
ADDED = st.lists(st.tuples(NAMES, st.integers(-9, 9), st.integers(-1, 3)), max_size=30)


def added(held: HeldNames, some: Sequence[tuple[str | None, int, int]]) -> HeldNames:
    for name, count, fresh in some:
        least = 0 if name is None else -9  # fewer come of hosts alone, whose spellings are counted
        held.add({name: max(least, count)}, {name: max(least, fresh)} if fresh else {})
    return held


@given(ADDED, st.integers(1, 9))
def test_names(some: list[tuple[str | None, int, int]], top: int) -> None:
    mine, twin = added(KernelNames(), some), added(HeldNames(), some)
    assert (len(mine), sorted(mine, key=repr)) == (len(twin), sorted(twin, key=repr))
    if all(count >= 0 for _, count, _ in twin):
        assert mine.best(top) == twin.best(top)
    assert mine.of_none() == twin.of_none()
    for held in (mine, twin):
        parts = held.packed()
        again = type(held)()
        for part in (*parts, *parts):
            again.add_packed(part)
        twice = [NameCount(name, 2 * count, 2 * fresh) for name, count, fresh in twin if name is not None]
        assert sorted(again) == sorted(twice)
        assert all(not set(_names(one)) & set(_names(other)) for one in parts for other in parts if one is not other)


def _names(part: bytes) -> list[str | None]:
    held = HeldNames()
    held.add_packed(part)
    return [row.name for row in held]


def test_more_names_than_are_sorted_at_once() -> None:
    counts: dict[str | None, int] = {f"{number * 7919 % 5000}": number % 97 for number in range(5_000)}
    mine, twin = KernelNames(), HeldNames()
    for held in (mine, twin):
        held.add(counts, {})
    for top in (1, 50, 4_999, 6_000):
        assert mine.best(top) == twin.best(top)


LABELS = st.sampled_from(
    [
        *("a", "www", "co", "uk", "com", "ck", "kawasaki", "jp", "city", "xn--p1ai", "рф", "example", "localhost"),
        *("", "1", "192", "0x7f", "CO", "Uk", "[v1", "a]", "[::1]", "x" * 260, "dyndns", "org", "a1", "1a", "-", "_x"),
    ]
)
HOSTS = st.lists(LABELS, min_size=1, max_size=5).map(".".join)


@given(st.lists(HOSTS, max_size=20))
def test_registrable_domains(hosts: list[str]) -> None:
    """Each host is decided as Python does, or left to it."""
    held, domains = KernelNames(), KernelNames()
    counts: Counter[str | None] = Counter(hosts)
    held.add(counts, dict.fromkeys(counts, 1))
    expected = NewCounts()
    left = {row.name: row for row in domains.add_domains(held)}
    for host, domain in zip(counts, domains_of(list(counts)), strict=True):
        if host in left:
            assert left[host] == (host, counts[host], 1)
        elif domain is not None:
            expected.add(domain, counts[host], 1)
    assert {row.name: row.count for row in domains} == expected.counts
    assert {row.name: row.distinct for row in domains} == expected.distinct


def test_each_rule_of_the_list_is_known() -> None:
    """A suffix alone, a name below it, and one below that."""
    hosts = [f"{below}{rule}" for rule in suffixes() if rule.isascii() for below in ("", "a.", "b.a.")]
    held, domains = KernelNames(), KernelNames()
    held.add(dict.fromkeys(hosts, 1), {})
    assert not list(domains.add_domains(held))
    found = Counter(domain for domain in domains_of(list(dict.fromkeys(hosts))) if domain is not None)
    assert {row.name: row.count for row in domains} == found


PARTS = st.lists(
    st.sampled_from(
        [
            *(
                "a",
                "F",
                "deadbeef",
                "0",
                "1",
                "42",
                "2024",
                "2024-05",
                "20240501",
                "T12",
                "-",
                "_",
                ".",
                "~",
                "ABc",
                "Q",
            ),
            *(
                "x9",
                "abcDEF12",
                "{",
                "}",
                "/",
                "&",
                "=",
                "?",
                "+",
                ":",
                "%20",
                "@",
                "40",
                "ZZTop",
                "12ab",
                "AbC1dE2fG3",
            ),
            *("!", "(", ",", "#", "Q", "AbC1dE2fG3", "3f2a9c1b-77de-4aaa-8bbb-0123456789ab", "ä", "a" * 90),
        ]
    ),
    max_size=12,
).map("".join)


@given(st.lists(PARTS, max_size=20))
def test_templates(parts: list[str]) -> None:
    links = [f"http://a.example/{part}" for part in parts]
    for link, made in zip(links, kernel.templates(links), strict=True):
        assert made in (None, _template(link))


@pytest.mark.parametrize(
    ("part", "template"),
    [
        *(
            ("user7", "user7"),
            ("user1234", "user{}"),
            ("1.2.3", "{}"),
            ("1.2.3a", "{}.3a"),
            ("order-12345", "order-{}"),
        ),
        *(("deadbeef", "deadbeef"), ("deadbee1", "{}"), ("deadbe1", "deadbe1"), ("x-deadbee1.y", "x-{}.y")),
        *(("aB3dE6gH9jK2mN5p", "{}"), ("aB3dE6gH9jK2mN5", "aB3dE6gH9jK2mN5"), ("abcdefghijklmno1", "abcdefghijklmno1")),
        ("aB3-dE6_gH9-jK2-mN5", "{}"),
    ],
)
def test_the_kernel_decides_the_template(part: str, template: str) -> None:
    (made,) = kernel.templates([f"http://a.example/{part}"])
    assert made == _template(f"http://a.example/{part}") == f"http://a.example/{template}"


@pytest.mark.parametrize("heads", [HeadCounts, KernelHeads])
def test_hosts_of_heads(heads: type[HeadCounts]) -> None:
    text = (
        "http://a.example/ http://A.example/x ftp://a.example/ urn:isbn:0395363411 mailto:x@b.example http://b.example/"
    )
    (batch,) = extract_batches([text])
    counted, names = heads(), KernelNames()
    counted.add(batch, KeySet(), ())
    schemes, left = names.add_hosts(counted)
    rows = {row.name: row for row in (*schemes, *left)}
    if heads is KernelHeads:
        assert rows == {
            "http": ("http", 3, 3),
            "ftp": ("ftp", 1, 1),
            "mailto": ("mailto", 1, 1),
            "urn:isbn": ("urn:isbn", 1, 1),
        }
        assert sorted(names) == [("a.example", 3, 3), ("b.example", 1, 1)]
    else:
        assert len(rows) == 5
        assert not len(names)
    assert not list(counted.taken())


def test_digests_of_a_thread_count_as_those_of_the_sink() -> None:
    batches = list(extract_batches(["http://a.example/1 http://a.example/2 http://a.example/1", "http://a.example/2"]))
    plain, digested = StatisticsSink(), StatisticsSink()
    share = digested.thread_share()()
    for batch in batches:
        plain.absorb(batch)
        digested.absorb(share.take(batch))
    assert plain.statistics() == digested.statistics()
    assert digested.distinct == 2


def calls_of(sink: StatisticsSink, batch: Batch) -> int:
    """Return how many functions of Python, and of C called by it, a sink calls for a batch."""
    calls = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        sink.absorb(batch)
        if sink._templates is None:
            sink.statistics()
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize("templates", [False, True])
def test_the_calls_of_python_are_those_of_a_batch_and_not_of_a_link(templates: bool) -> None:
    """The sink is what stays in one process: no call for each link, host, domain or template."""
    few, many = (
        next(iter(extract_batches([" ".join(f"http://{n:b}.h{n:b}.example/{n:b}/x{n:b}y/z" for n in range(number))])))
        for number in (20, 2_000)
    )
    assert (len(few), len(many)) == (20, 2_000)
    calls_of(StatisticsSink(templates=templates), few)  # what is made once
    less, more = (calls_of(StatisticsSink(templates=templates), batch) for batch in (few, many))
    assert more - less < 60


def test_faults() -> None:
    table = kernel.NameTable(bytes(16))
    with pytest.raises(ValueError, match="16"):
        kernel.NameTable(b"")
    for parts in (0, -1, 65_536):
        with pytest.raises(ValueError, match="parts"):
            table.packed(parts)
    table.add({"a": 1}, {})
    (whole,) = table.packed(1)
    for broken in (whole[:-1], whole[:9], whole + b"x"):
        with pytest.raises(ValueError, match="packed names"):
            kernel.NameTable(bytes(16)).add_packed(broken)
    with pytest.raises(ValueError, match="itself"):
        table.add_domains(table, table)
    wrongs: tuple[Any, ...] = ({1: 1}, {"a": "1"}, {"a": 2**63}, [])
    for wrong in wrongs:
        with pytest.raises((TypeError, OverflowError)):
            table.add(wrong, {})
    assert table.rows(-1, 5) == table.rows(9, 5) == table.rows(0, 0) == []
    assert table.best(-1) == (1, 1, [])
    (batch,) = extract_batches(["http://a.example/"])
    harvest: Any = batch.layout.harvest
    keys = kernel.KeySet(bytes(16))
    heads = kernel.KeyTable(bytes(16))
    with pytest.raises(ValueError, match="digest"):
        heads.add_heads(harvest, keys, (), bytes(15))
    with pytest.raises(TypeError, match="sets"):
        heads.add_heads(harvest, keys, (keys,) * 9)
    with pytest.raises(IndexError):
        table.add_templates(harvest, [1], 0)
    assert len(keys) == len(heads) == 0
