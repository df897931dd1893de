"""Sets of keys, rows and stores in the library: exact in every tier, and the same by every way."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import pickle
import sqlite3
import subprocess
import sys
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urisieve
from tests.helpers.cli_support import call
from tests.helpers.strategies import examples
from urisieve import KeySet, Options, Store, StoreError, UsageError, deduplicate
from urisieve.dedupe.checkpoint import Checkpoint, command_digest
from urisieve.dedupe.key_store import StoreExport, merge_export
from urisieve.dedupe.keyset import DIGEST_SIZE, DigestSet, digest, digests, memory_size
from urisieve.dedupe.store.store_tables import StoreEntry
from urisieve.kernel import compiled, kernel
from urisieve.options import Level
from urisieve.records.masking import password_token

KEYS = st.lists(st.sampled_from([f"http://example.com/{number}" for number in range(30)]))


def first_places(keys: Sequence[Hashable]) -> list[int]:
    seen: set[Hashable] = set()
    places = []
    for place, key in enumerate(keys):
        if key not in seen:
            seen.add(key)
            places.append(place)
    return places


def test_a_digest_is_for_ever() -> None:
    assert digest("http://example.com/").hex() == "9aba6a18c5a5d94534a3b99c485d4547"
    assert len(digest("")) == DIGEST_SIZE
    assert digests(["a:b", "a:\ud800"])[0] == digest("a:b")


WAYS = ("python", *(("kernel",) if compiled else ()))


@contextmanager
def way(name: str) -> Iterator[None]:
    """Sets that are made inside hold their digests in the kernel, or in Python."""
    with patch("urisieve.dedupe.keyset.new_digests", lambda: in_memory(name)):
        yield


def in_memory(name: str) -> kernel.KeySet | DigestSet:
    """What holds the digests in memory."""
    return kernel.KeySet(os.urandom(16)) if name == "kernel" else DigestSet()


@pytest.mark.parametrize("name", WAYS)
def test_digests_are_held_where_they_should_be(name: str) -> None:
    with way(name):
        made = KeySet(["a:b"])
    assert made.unseen(["a:c", "a:b"]) == ["a:c"]
    assert isinstance(made._memory, DigestSet) == (name == "python")


@pytest.mark.parametrize("name", WAYS)
@given(st.lists(st.lists(st.one_of(st.sampled_from(["", "a", "a\0", "\ud800", "é", "a" * 16]), st.text(max_size=40)))))
def test_every_tier_answers_alike(name: str, batches: list[list[str]]) -> None:
    whole: list[str] = []
    loose, packed = in_memory(name), in_memory(name)
    assert not packed.has_room(1, 0)  # in the kernel the digests are packed from here on
    for batch in batches:
        begin = len(whole)
        whole += batch
        expected = [place - begin for place in first_places(whole) if place >= begin]
        indices, digests = packed.absent(batch)
        assert digests == [packed.digest(batch[index]) for index in indices]
        assert first_places([batch[index] for index in indices]) == first_places(digests)
        for held in (loose, packed):
            assert held.unseen_indices(batch) == expected
            assert held.unseen_indices(batch) == []
            assert held.absent(batch) == ([], [])
            assert all(key in held for key in batch)
            assert "http://example.com/none" not in held
            assert len(held) == len(set(whole))


@pytest.mark.parametrize("name", WAYS)
@examples(20)
@given(st.lists(st.lists(st.integers(0, 60), max_size=60), max_size=4), st.sampled_from([7_960, 26_280, 32_000]))
def test_a_limit_changes_no_answer(name: str, batches: list[list[int]], before: int) -> None:
    held = [f"urn:example:{number}" for number in range(-before, 0)]
    with way(name), KeySet(held, memory_limit=1_000_000) as limited:
        seen: set[str] = set()
        for batch in batches:
            keys = [f"urn:example:{number}" for number in batch]
            fresh = [key for key in dict.fromkeys(keys) if key not in seen]
            seen.update(fresh)
            assert limited.unseen([*held[:3], *keys, held[-1]]) == fresh
            assert all(key in limited for key in keys)
            assert len(limited) == before + len(seen)


@pytest.mark.parametrize("name", WAYS)
def test_many_keys_pass_through_all_tiers(name: str, tmp_path: Path) -> None:
    keys = [f"http://example.com/{number}" for number in range(60_000)]
    opened = len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0
    with way(name), KeySet(memory_limit=1_000_000, folder=str(tmp_path)) as held:
        for start in range(0, len(keys), 5_000):
            assert len(held.unseen(keys[start : start + 5_000])) == 5_000
        assert held.is_spilled
        assert (keys[-1] in held, "http://example.com/none" in held, 5 in held) == (True, False, False)
        assert os.name != "posix" or os.listdir(tmp_path) == []  # whatever ends the process, nothing is left
        assert held.unseen(keys) == []
        assert len(held) == len(keys)
    if sys.platform == "linux":  # no open file holds what was removed
        assert len(os.listdir("/proc/self/fd")) == opened
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("limit", [None, 1_000_000])
def test_few_keys_stay_in_memory(name: str, limit: int | None) -> None:
    with way(name), KeySet(["a:1"], memory_limit=limit) as held:
        assert held.unseen(["a:1", "a:2"]) == ["a:2"]
        assert not held.is_spilled


@pytest.mark.parametrize("name", WAYS)
def test_buckets_and_tables_grow(name: str) -> None:
    keys = [f"http://example.com/{number}" for number in range(40_000)]
    held = in_memory(name)
    assert not held.has_room(1, 0)
    for start in range(0, len(keys), 500):
        assert held.unseen_indices(keys[start : start + 500]) == list(range(500))
    assert held.absent(keys) == ([], [])


@pytest.mark.long
@pytest.mark.parametrize("name", WAYS)
def test_a_key_takes_at_most_100_bytes(name: str) -> None:
    program = (
        "from urisieve import KeySet\n"
        "def resident(): return int(open('/proc/self/statm').read().split()[1]) * 4096\n"
        "held = KeySet(['a:'])\n"
        "batch = [f'http://example.com/{n}' for n in range(10_000)]\n"
        "before = resident()\n"
        "for start in range(0, 1_500_000, 10_000):\n"
        "    held.unseen([f'http://example.com/{n}' for n in range(start, start + 10_000)])\n"
        "print((resident() - before) / len(held))\n"
    )
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("memory is not known here")
    pure = {**os.environ, "URISIEVE_PURE": str(int(name == "python"))}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, env=pure)
    assert float(done.stdout) <= 100


@pytest.mark.parametrize("limit", [0, 999_999])
def test_a_limit_has_a_least_value(limit: int) -> None:
    with pytest.raises(UsageError, match="at least"):
        KeySet(memory_limit=limit)


# Rows.


@given(KEYS)
def test_rows_first_and_last(keys: list[str]) -> None:
    rows = list(enumerate(keys))
    first = list(deduplicate(rows, key=lambda row: row[1]))
    assert first == [rows[place] for place in first_places(keys)]
    last = list(deduplicate(rows, key=lambda row: row[1], keep="last"))
    places = {key: place for place, key in rows}
    assert last == [rows[place] for place in sorted(places.values())]
    assert list(deduplicate(rows + rows, key=lambda row: row[1])) == first


def test_rows_have_keys() -> None:
    text = "http://A.example http://a.example/ http://b.example/"
    assert [record.raw for record in deduplicate(urisieve.extract(text))] == ["http://A.example", "http://b.example/"]
    assert list(deduplicate(["a:b", "a:b", "c:d"])) == ["a:b", "c:d"]
    sets: list[Any] = [{"a", "b"}, frozenset(["b", "a", "a"]), "a", "a"]
    assert list(deduplicate(sets, key=lambda row: row)) == [{"a", "b"}, "a"]


# What a column holds where a value is missing; pandas writes the last two.
NULLS: list[Any] = [None, float("nan"), type("NAType", (), {})(), type("NaTType", (), {})()]

# H2: strings are compared by their keys, and a row without a key is a duplicate of none.
ROWS = [
    "HTTP://A.example",
    None,
    "http://a.example/",
    "n/a",
    "",
    None,
    "n/a",
    " http://a.example\u00a0",
    "urn:isbn:1-2",
]


@pytest.mark.parametrize(
    ("keep", "kept"), [("first", [0, 1, 3, 4, 5, 6, 8, 9, 10]), ("last", [1, 3, 4, 5, 6, 7, 8, 9, 10])]
)
def test_rows_without_a_key_stay(keep: str, kept: list[int]) -> None:
    rows: list[tuple[int, Any]] = list(enumerate([*ROWS, set(), ()]))

    def key_of(row: tuple[int, Any]) -> Any:
        return urisieve.key(row[1], default=None) if isinstance(row[1], str | None) else row[1]

    assert [number for number, _ in deduplicate(rows, key=key_of, keep=keep)] == kept
    texts = [text for text in ROWS if text is not None]
    expected = [ROWS[number] for number in kept if number < len(ROWS) and ROWS[number] is not None]
    assert list(deduplicate(texts, keep=keep)) == expected


@pytest.mark.parametrize("keep", ["first", "last"])
def test_nulls_have_no_key(keep: str) -> None:
    rows = [*NULLS, "a:b", *NULLS]
    assert list(map(id, deduplicate(rows, keep=keep))) == list(map(id, rows))
    assert list(map(id, deduplicate(rows, key=lambda row: row, keep=keep))) == list(map(id, rows))


def test_nulls_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    column = pandas.Series(["HTTP://A.example", pandas.NA, None, float("nan"), "n/a"])
    assert [urisieve.key(cell, default=None) for cell in column] == ["http://a.example/", None, None, None, None]


def test_a_key_by_default() -> None:
    assert [urisieve.key(text, default="?") for text in ("HTTP://A.example", None, "n/a")] == [
        "http://a.example/",
        "?",
        "?",
    ]
    options = Options(level="none")
    assert urisieve.key("HTTP://A.example", options=options, default=None) == "HTTP://A.example"
    assert urisieve.key("n/a", options=options, default=None) is None
    for null in NULLS:
        assert urisieve.key(null, default="?") == "?"
    for value in (None, 3, b"http://a.example/"):
        with pytest.raises(UsageError):
            urisieve.key(value)  # type: ignore[call-overload]
    with pytest.raises(UsageError):
        urisieve.key(3, default=None)  # type: ignore[call-overload]
    with pytest.raises(urisieve.InvalidIdentifierError):
        urisieve.key("n/a")


def test_records_are_taken_where_keys_are(tmp_path: Path) -> None:
    a, same, b = map(urisieve.parse, ("HTTP://u:p@A.example", "http://u:p@a.example:80/", "http://b.example/"))
    with Store(tmp_path / "seen.db") as store:
        for seen in (KeySet([a]), KeySet(), store):
            if len(seen) == 0:
                assert seen.unseen([a, same]) == [a]
            assert (same in seen, same.key in seen, b in seen) == (True, True, False)
            assert seen.unseen_indices([same, b, b.key]) == [1]
            assert b in seen
        assert KeySet([a]).held_indices([b, same, a.key]) == [1, 2]
        assert list(deduplicate([a, b, same], key=lambda record: record)) == [a, b]
        # A store holds no password, however it came.
        assert store.add([same, same.masked(password_token(store.secret)).key]) == []
        assert store.forget([same]) == 1
        assert same not in store
    held = KeySet()
    assert (held.add(a), held.add(same), a.key in held) == (True, False, True)
    rejection = urisieve.check("n/a")
    assert rejection not in held
    for wrong in (rejection, 3, None):
        with pytest.raises(UsageError, match="one of keys must be a string"):
            held.add(wrong)  # type: ignore[arg-type]
    assert len(held) == 1


def test_rows_are_given_at_once() -> None:
    taken = []

    def rows() -> Iterator[str]:
        for row in ("a:1", "a:2"):
            taken.append(row)
            yield row

    assert next(deduplicate(rows())) == "a:1"
    assert taken == ["a:1"]


def test_rows_share_what_is_seen() -> None:
    seen = KeySet(["a:1"])
    assert list(deduplicate(["a:1", "a:2"], seen=seen)) == ["a:2"]
    assert list(deduplicate(["a:2", "a:3"], seen=seen, keep="last")) == ["a:3"]


def test_rows_misused() -> None:
    with pytest.raises(UsageError, match="not a choice"):
        deduplicate([], keep="middle")
    with pytest.raises(UsageError, match="key of its own"):
        list(deduplicate([3]))
    with pytest.raises(UsageError, match=r"a key must be .* not 3"):
        list(deduplicate([3], key=lambda row: row))  # type: ignore[arg-type, return-value]
    with pytest.raises(UsageError, match="key='url' must be a function, such as lambda row"):
        deduplicate([{"url": "a:b"}], key="url")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="seen=set\\(\\) must be a KeySet or a Store"):
        deduplicate(["a:b"], seen=set())  # type: ignore[arg-type]


# The store.


@examples(30)
@given(st.lists(KEYS, max_size=4))
def test_runs_over_one_store_are_one_run(tmp_path_factory: pytest.TempPathFactory, runs: list[list[str]]) -> None:
    path = tmp_path_factory.mktemp("store") / "seen.db"
    whole: list[str] = []
    for number, run in enumerate(runs):
        begin = len(whole)
        whole += run
        with Store(path) as store:
            places = store.add(run, sources=[f"source {number}"] * len(run), now=number)
            assert [begin + place for place in places] == [p for p in first_places(whole) if p >= begin]
    with Store(path) as store:
        assert len(store) == len(set(whole))
        assert store.info()["seen"] == len(whole)
        assert store.faults() == []
        by_digest = {entry.digest: entry for entry in store.entries()}
        for key in set(whole):
            where = [number for number, run in enumerate(runs) if key in run]
            assert by_digest[digest(key)] == (digest(key), where[0], where[-1], whole.count(key), f"source {where[0]}")


def test_what_is_not_committed_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "seen.db"
    with suppress(KeyError), Store(path) as store:
        store.unseen(["a:1"])
        store.commit()
        store.unseen(["a:2"])
        raise KeyError
    with Store(path) as store:
        assert ("a:1" in store, "a:2" in store, 3 in store) == (True, False, False)


def test_stores_merge_and_forget(tmp_path: Path) -> None:
    with Store(tmp_path / "one", secret=b"x") as one, Store(tmp_path / "two", secret=b"x") as two:
        one.add(["a:1", "a:2"], sources=["x", None], now=10**9)
        two.add(["a:2", "a:3", "a:3"], counts=[1, 2, 3], sources=["y", "y", "y"], now=10**8)
        two.commit()
        assert one.merge(two) == 1
        entries = {entry.digest: entry for entry in one.entries()}
        assert entries[digest("a:2")] == StoreEntry(digest("a:2"), 10**8, 10**9, 2, "y")
        assert entries[digest("a:3")] == StoreEntry(digest("a:3"), 10**8, 10**8, 5, "y")
        assert one.forget(["a:1", "a:9"]) == 1
        assert one.forget(before=10**8 + 1) == 1
        assert len(one) == 1


def test_counts_that_are_all_the_same_are_kept(tmp_path: Path) -> None:
    with Store(tmp_path / "seen.db") as store:
        for counts in ([2, 2], [1, 1], None):
            store.add(["a:1", "a:2"], counts=counts)
        assert [entry.count for entry in store.entries()] == [4, 4]


def test_many_entries_are_merged_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urisieve.dedupe.store.store_tables._BATCH", 2)
    keys = [f"a:{number}" for number in range(5)]
    with Store(tmp_path / "one") as one, Store(tmp_path / "two") as two:
        two.add(keys)
        assert one.merge(two) == 5
        assert [entry.count for entry in one.entries()] == [1] * 5


def test_entries_of_one_key_are_joined(tmp_path: Path) -> None:
    one, two = StoreEntry(digest("a:1"), 5, 10, 2, "x"), StoreEntry(digest("a:1"), 3, 7, 40, "y")
    for entries in ([one, two], [two, one]):
        with Store(tmp_path / f"{entries[0].source}.db") as store:
            assert merge_export(store, StoreExport("x", store.signature, store.secret, iter(entries)), print) == 1
            assert list(store.entries()) == [StoreEntry(digest("a:1"), 3, 10, 42, "y")]


def test_a_password_is_not_kept(tmp_path: Path) -> None:
    key = "http://u:secret@a.example/"
    row = f"a:1\n0{key}"  # of two identifiers in a field
    with Store(tmp_path / "seen.db") as store:
        assert store.unseen([key, row, key]) == [key, row]
        assert (key in store, row in store) == (True, True)
        assert store.add([key, row, "a:1"]) == [0, 1, 2]
        with pytest.raises(UsageError, match="one of keys must be a string"):
            store.unseen([3])  # type: ignore[type-var]


@pytest.mark.parametrize(
    "change", ["digest = x'00'", "digest = zeroblob(17)", "first = 'x'", "last = 1.5", "count = 'x'", "digest = 'x'"]
)
def test_an_entry_that_is_not_valid(tmp_path: Path, change: str) -> None:
    path = tmp_path / "seen.db"
    with Store(path) as store:
        store.add(["a:1"])
        store.commit()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(f"UPDATE keys SET {change}")
        connection.commit()
    with Store(path) as store, pytest.raises(StoreError, match="is not valid"):
        list(store.entries())


@pytest.mark.parametrize(
    ("counts", "wrong"), [([1, 0], "0"), ([1, 2, -1], "-1"), ([1, 2**63], "9223372036854775808"), ([1, True], "True")]
)
def test_a_count_that_is_not_valid_is_named(tmp_path: Path, counts: list[int], wrong: str) -> None:
    with Store(tmp_path / "seen.db") as store, pytest.raises(UsageError, match=f"a count is {wrong}:"):
        store.add([f"a:{number}" for number in range(len(counts))], counts=counts)


SIZES = [
    ("120MB", 120_000_000),
    (" 120 mb ", 120_000_000),
    ("120000000", 120_000_000),
    ("120000000B", 120_000_000),
    ("200000K", 200_000_000),
    ("200000KiB", 204_800_000),
    ("0.12g", 120_000_000),
    ("512MiB", 536_870_912),
    ("1Gi", 1_073_741_824),
    ("1T", 10**12),
    ("1tib", 2**40),
    ("119.99MB", None),
    ("119999999", None),
    ("512i", None),
    ("512iB", None),
    ("MB", None),
    ("1.GB", None),
    ("1PB", None),
]


@pytest.mark.parametrize(("text", "size"), SIZES)
def test_sizes_of_memory(text: str, size: int | None) -> None:
    if size is None:
        with pytest.raises(UsageError, match=r"is not a size|use 120MB or more"):
            memory_size(text)
    else:
        assert memory_size(text) == size


def test_what_a_run_must_share_with_the_one_it_goes_on_from() -> None:
    one = command_digest(Options(), "a", ["b"])
    assert one == command_digest(Options(), "a", ["b"])
    others = [Options(level="none"), Options(schemes=["http"]), Options(nested="report"), Options(max_length=99)]
    digests = {one, *(command_digest(options, "a", ["b"]) for options in others), command_digest(Options(), "a", ["c"])}
    assert len(digests) == 2 + len(others)
    both = (Options(schemes=["http", "ftp"]), Options(schemes=["ftp", "http"]))
    assert len({command_digest(options) for options in both}) == 1


STATE = '{"size": 0, "parts": 0, "rows": 0, "state": "", "found": false, "failed": false}'


def test_a_checkpoint_that_was_removed_is_begun_anew(tmp_path: Path) -> None:
    """What the store says of it does not count any more."""
    path, store = str(tmp_path / "c"), str(tmp_path / "s")

    def opened(command: str) -> Checkpoint:
        return Checkpoint(path, store=store, command=command, files=[])

    for number in range(3):
        one = opened("one")
        assert (one.parts, one.found, one.failed) == (7 * number, number > 0, number > 0)
        one.note(0, 7, found=number == 0, failed=number == 0)
        one.store.commit()
        one.store.close()
    os.unlink(path)
    for command in ("one", "two"):
        anew = opened(command)
        assert anew.parts == 0
        anew.store.close()
        os.unlink(path)


@pytest.mark.parametrize(
    ("note", "value"),
    [
        *(
            ("checkpoint", value)
            for value in ("{", "[]", "5", "{}", STATE.replace("0", "-1", 1), STATE.replace("0", '"0"'))
        ),
        *(("checkpoint of", value) for value in ("{", "{}", '"ab"', '["x"]', '["x", "y", "z"]')),
    ],
)
def test_a_checkpoint_that_is_damaged(tmp_path: Path, note: str, value: str) -> None:
    path = str(tmp_path / "c")
    Checkpoint(path, command="x", files=[]).store.close()
    with Store(path) as store:
        assert store.noted("checkpoint") == STATE
        store.note(note, value)
    with pytest.raises(UsageError, match=f"{path}: is damaged; remove {path} to begin anew"):
        Checkpoint(path, command="x", files=[])


@pytest.mark.parametrize("apart", [False, True])
def test_a_checkpoint_that_is_only_opened_stays_as_it_was(tmp_path: Path, *, apart: bool) -> None:
    def opened() -> Checkpoint:
        return Checkpoint(str(tmp_path / "c"), store=str(tmp_path / "s") if apart else None, command="x", files=[])

    with opened() as checkpoint:
        checkpoint.note(5, 1, 2, "header", found=True)
        checkpoint.store.commit()
    for _ in range(2):
        with opened() as again:
            assert (again.size, again.parts, again.rows, again.state) == (5, 1, 2, "header")
            assert (again.found, again.failed) == (True, False)


def test_a_store_is_for_one_process(tmp_path: Path) -> None:
    path, link = tmp_path / "seen.db", tmp_path / "link.db"
    for again in (path, link):
        with Store(path):
            if again is link and not link.exists():
                link.symlink_to(path)
            for _ in range(2):
                with pytest.raises(StoreError, match="this process has it open: use that Store, or close it first"):
                    Store(again)
        with Store(again):  # it was closed
            pass
    with contextlib.closing(sqlite3.connect(path)) as other:  # as another process has it
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="another process uses this store"):
            Store(path)


def test_a_store_is_for_one_kind_of_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "seen.db"
    Store(path).close()
    with pytest.raises(StoreError, match="its keys were made by"):
        Store(path, options=Options(level=Level.SYNTAX))
    with pytest.raises(StoreError, match="its keys were made by"):
        Store(path, by="host")
    monkeypatch.setattr("urisieve.dedupe.signature.CANONICAL_VERSION", 99)
    with pytest.raises(StoreError, match="canonical=4, those of this run by canonical=99"):
        Store(path)


# The signature of a store that version 0.1 of the canonical forms has made, and what it takes to renew that.
OLD = '{"canonical": 1, "level": "scheme", "lossy": [], "urn": "rfc2141", "by": "key"}'


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (OLD, "an older version of urisieve made it"),
        (OLD, "by `urisieve dedupe --store NEW.db FILE ... > /dev/null`"),
        (OLD.replace('"key"', '"host"'), "by `urisieve dedupe --by host --store NEW.db FILE"),
        (OLD.replace("1,", "99,", 1), "a newer version of urisieve made it"),
    ],
)
def test_a_store_of_another_version_says_how_to_renew_it(tmp_path: Path, kind: str, message: str) -> None:
    path = tmp_path / "seen.db"
    Store(path, signature=kind).close()
    by = json.loads(kind)["by"]
    with pytest.raises(StoreError) as refused:
        Store(path, by=by)
    assert message in str(refused.value)
    with Store(path, check=False) as store, pytest.raises(StoreError) as unread:
        store.options()
    assert message in str(unread.value)
    with Store(path, by=by, check=False) as store:  # what is in it can be looked at still
        assert (len(store), store.faults()) == (0, [])


def test_the_command_refuses_a_store_of_an_older_version(tmp_path: Path) -> None:
    path = tmp_path / "seen.db"
    Store(path, signature=OLD).close()
    before = path.read_bytes()
    done = call("dedupe", "--store", str(path), stdin=b"http://a.example/")
    assert (done.status, done.out) == (2, b"")
    assert "make a new one" in done.err
    assert "--store NEW.db FILE ... > /dev/null" in done.err
    assert path.read_bytes() == before
    assert call("dedupe", "--store", str(tmp_path / "NEW.db"), stdin=b"http://a.example/").status == 0
    exported = call("store", "export", str(path)).out
    done = call("store", "import", str(tmp_path / "other.db"), stdin=exported)
    assert (done.status, "make a new one" in done.err) == (2, True)
    done = call("store", "merge", str(tmp_path / "NEW.db"), str(path))
    assert (done.status, "make a new one" in done.err) == (2, True)
    done = call("store", "forget", str(path), "http://a.example/")
    assert (done.status, "make a new one" in done.err) == (2, True)
    assert '"canonical": 1' in call("store", "info", str(path)).out.decode()


def test_what_is_wrong_but_of_this_version_is_not_renewed(tmp_path: Path) -> None:
    path = tmp_path / "seen.db"
    Store(path).close()
    with pytest.raises(StoreError) as refused:
        Store(path, by="host")
    assert "NEW.db" not in str(refused.value)
    for kind in ("[]", '{"canonical": "1"}'):
        Store(tmp_path / kind, signature=kind).close()
        with pytest.raises(StoreError) as refused:
            Store(tmp_path / kind)
        assert str(refused.value).endswith('"by": "key"}')


def test_a_store_is_for_the_rules_of_its_options(tmp_path: Path) -> None:
    path = tmp_path / "seen.db"
    options = urisieve.Options(rules=urisieve.Scheme(name="x-shelf", title="a shelf", reference="here"))
    Store(path, options=options).close()
    with Store(path, options=options) as store:
        assert json.loads(store.signature)["rules"] == ["x-shelf"]
    with pytest.raises(StoreError, match="x-shelf"):
        Store(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"no store at all" * 100, "is not a store"),
        (b"SQLite format 3\0" + bytes(5_000), "store|damaged"),
        # One page of two; the number 1 stands for pages of 65,536 bytes, a number that two bytes do not hold.
        (b"SQLite format 3\0\x20\0" + bytes(10) + b"\0\0\0\2" + bytes(8_160), "was cut off"),
        (b"SQLite format 3\0\0\1" + bytes(10) + b"\0\0\0\2" + bytes(65_504), "was cut off"),
    ],
)
def test_no_store(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "seen.db"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=message):
        Store(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize(("beside", "is_cut"), [("wal", False), ("shm", True), ("", True)])
def test_the_log_may_hold_what_a_store_lacks(tmp_path: Path, beside: str, *, is_cut: bool) -> None:
    path = tmp_path / "seen.db"
    path.write_bytes(b"SQLite format 3\0\x20\0" + bytes(10) + b"\0\0\0\2" + bytes(8_160))
    if beside:
        (tmp_path / f"seen.db-{beside}").write_bytes(bytes(100))
    with pytest.raises(StoreError) as refused:
        Store(path)
    assert ("was cut off" in str(refused.value)) == is_cut


def test_another_database_is_no_store(tmp_path: Path) -> None:
    import sqlite3

    connection = sqlite3.connect(tmp_path / "other.db")
    connection.execute("CREATE TABLE keys (digest)")
    connection.close()
    with pytest.raises(StoreError, match="is not a store of urisieve"):
        Store(tmp_path / "other.db")


def test_a_store_whose_signature_is_not_one_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "seen.db"
    Store(path).close()
    connection = sqlite3.connect(path)
    connection.execute("UPDATE meta SET value = '{' WHERE name = 'signature'")
    connection.commit()
    connection.close()
    for check in (True, False):
        with pytest.raises(StoreError, match="its signature or its secret is not valid"):
            Store(path, check=check)


@pytest.mark.parametrize("secret", [b"", bytes(65), "x" * 32])
def test_a_store_is_not_made_for_what_is_not_a_secret(tmp_path: Path, secret: Any) -> None:
    with pytest.raises(UsageError, match="a secret is 1 to 64 bytes"):
        Store(tmp_path / "seen.db", secret=secret)
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such store"):
        Store(tmp_path / "seen.db", create=False)
    with pytest.raises(StoreError, match="cannot be made"):
        Store(tmp_path / "nowhere" / "seen.db")


@pytest.mark.parametrize("share", [0.05, 0.3, 0.7, 0.99])
def test_a_truncated_store_is_refused(tmp_path: Path, share: float) -> None:
    path = tmp_path / "seen.db"
    with Store(path) as store:
        store.add([f"a:{number}" for number in range(5_000)])
    os.truncate(path, int(path.stat().st_size * share))
    with pytest.raises(StoreError, match=r"damaged|cut off|not a store"):
        Store(path)


@pytest.mark.parametrize("copied", [pickle.dumps, copy.copy, copy.deepcopy])
def test_what_belongs_to_one_process_is_not_copied(copied: Any, tmp_path: Path) -> None:  # C12
    with KeySet(["a:b"]) as held, Store(tmp_path / "seen.db") as store:
        with pytest.raises(UsageError, match="a KeySet cannot be pickled or copied"):
            copied(held)
        with pytest.raises(UsageError, match="a Store cannot be pickled or copied"):
            copied(store)
        assert "a:b" in held


def test_a_set_is_not_handed_to_another_process() -> None:  # C12
    from multiprocessing import get_context

    with get_context("spawn").Pool(1) as pool, pytest.raises(UsageError, match="its digests mean nothing"):
        pool.map(len, [KeySet(["a:b"])])
