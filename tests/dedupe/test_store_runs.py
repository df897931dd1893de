"""The runs of a store: beside a dictionary, beside stores of the layout before, and damaged."""

from __future__ import annotations

import contextlib
import os
import random
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urisieve.dedupe.store.entry_pieces as pieces
from urisieve import Store, StoreError
from urisieve.dedupe import digest_runs
from urisieve.dedupe.digest_runs import digests_of
from urisieve.dedupe.keyset import digest
from urisieve.dedupe.store import store_entries, store_file, store_runs, store_tables
from urisieve.dedupe.store.entry_pieces import (
    MOST,
    EntryError,
    Piece,
    fault_of,
    merged,
    packed,
    piece_of,
    unpacked,
)
from urisieve.dedupe.store.store_entries import StoreEntries
from urisieve.kernel import compiled, kernel

needs_kernel = pytest.mark.skipif(not compiled, reason="needs the kernel")
NUMBER = 400


@pytest.fixture(params=[(1, 1), (8, 3), (40, 16), (1_000, 1_024)], ids=str)
def sizes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """How many keys become a run, and how many are in a piece."""
    large, piece = request.param
    monkeypatch.setattr(store_entries, "_LARGE", large)
    monkeypatch.setattr(store_entries, "_AT_ONCE", 2 * large)
    monkeypatch.setattr(store_runs, "_PIECE", piece)
    return large, piece


def _in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "_merged_few", pieces._merged)
    monkeypatch.setattr(store_runs, "_filter_digests", None)
    for module in (store_runs, store_entries):
        monkeypatch.setattr(module, "mark_digests", digest_runs._mark_digests)


# The values of a key: first and last time, count, source.
Model = dict[str, tuple[int, int, int, str | None]]


def _added(model: Model, keys: list[str], counts: list[int], sources: Sequence[str | None], now: int) -> list[int]:
    """Add keys to a model; return the indices of the new ones."""
    new = []
    known = set(model)
    sums: dict[str, tuple[int, int, str | None]] = {}
    for index, key in enumerate(keys):
        first, count, source = sums.get(key, (index, 0, sources[index]))
        sums[key] = first, count + counts[index], source
    for key, (index, count, source) in sums.items():
        if key not in known:
            new.append(index)
            model[key] = now, now, min(MOST, count), source
        else:
            first, last, before, old = model[key]
            model[key] = min(first, now), max(last, now), min(MOST, before + count), source if now < first else old
    return new


def _is_model(store: Store, model: Model) -> None:
    assert [tuple(one) for one in store.entries()] == [(digest(key), *model[key]) for key in sorted(model, key=digest)]
    assert all((f"a:{number}" in store) == (f"a:{number}" in model) for number in range(0, NUMBER, 7))
    info = store.info()
    assert (info["keys"], info["seen"]) == (len(model), sum(one[2] for one in model.values()))
    assert info["first"] == min((one[0] for one in model.values()), default=None)
    assert info["last"] == max((one[1] for one in model.values()), default=None)
    assert store.faults() == []


@pytest.mark.sampled(2)
@pytest.mark.parametrize("way", ["kernel", "pure"] if compiled else ["pure"])
@pytest.mark.parametrize("seed", range(6))
def test_a_store_is_a_dictionary(
    way: str, seed: int, sizes: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way == "pure":
        _in_python(monkeypatch)
    chance = random.Random(f"{seed} {sizes}")
    path = tmp_path / "s"
    model: Model = {}
    kept: Model = {}
    store = Store(path)
    for _ in range(60):
        keys = [f"a:{chance.randrange(NUMBER)}" for _ in range(chance.choice([1, 3, 20, 60, 200]))]
        act = chance.choices(range(6), (14, 2, 1, 2, 1, 1))[0]
        if act == 0:
            counts = [chance.randrange(1, 5) for _ in keys] if chance.random() < 0.5 else [1] * len(keys)
            sources = [chance.choice([None, "x", "y"]) for _ in keys] if chance.random() < 0.5 else [None] * len(keys)
            now = chance.randrange(50)
            new = store.add(keys, counts=counts, sources=sources, now=now)
            assert new == _added(model, keys, counts, sources, now)
            assert store._new_digests() == b"".join(sorted(digest(keys[index]) for index in new))
        elif act == 1:
            store.commit()
            kept = dict(model)
        elif act == 2:
            store.rollback()
            model = dict(kept)
        elif act == 3:
            if chance.random() < 0.5:
                store.commit()
                kept = dict(model)
            store.close()
            model, store = dict(kept), Store(path)
        elif act == 4:
            assert store.forget(keys) == len({key for key in keys if key in model})
            for key in keys:
                model.pop(key, None)
        else:
            before = chance.randrange(50)
            old = [key for key, one in model.items() if one[1] < before]
            with store._writing():
                entries = store._entries
                assert sum(map(entries.remove, entries.seen_before(before))) == len(old)
            for key in old:
                del model[key]
        assert len(store) == len(model)
    _is_model(store, model)
    store.close()


def test_counts_end_at_the_largest(sizes: tuple[int, int], tmp_path: Path) -> None:
    keys = [f"a:{number}" for number in range(50)]
    with Store(tmp_path / "s") as store:
        for _ in range(3):
            store.add(keys, counts=[MOST - 1] * 50, now=1)
        assert {entry.count for entry in store.entries()} == {MOST}


def _old_store(path: Path, keys: list[str], names: list[str]) -> Model:
    """Make a store of the layout before, with two runs of a program that knew no other."""
    Store(path, secret=b"s").close()
    model: Model = {}
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript("DROP TABLE runs; DROP TABLE pieces; DELETE FROM meta WHERE name = 'keys'")
        connection.executemany("INSERT INTO sources VALUES (?, ?)", enumerate(names, 1))
        for index, key in enumerate(keys):
            number = index % (len(names) + 1)
            model[key] = index, index + 5, index + 1, names[number - 1] if number else None
            connection.execute("INSERT INTO keys VALUES (?, ?, ?, ?, ?)", (digest(key), *model[key][:3], number))
        connection.execute("PRAGMA user_version = 1")
        connection.commit()
    return model


def test_a_store_of_the_layout_before(sizes: tuple[int, int], tmp_path: Path) -> None:
    path = tmp_path / "s"
    model = _old_store(path, [f"a:{number}" for number in range(0, NUMBER, 2)], ["x", "y"])
    content = path.read_bytes()
    with Store(path, read_only=True) as store:
        _is_model(store, model)
        assert store.info()["layout"] == 1
    assert path.read_bytes() == content
    with Store(path) as store:
        _is_model(store, model)
        assert store.info()["layout"] == 2
        for number in range(0, NUMBER, 150):
            keys = [f"a:{one}" for one in range(number, number + 150)]
            new = store.add(keys, now=7, sources=["y"] * 150)
            assert new == _added(model, keys, [1] * 150, ["y"] * 150, 7)
        _is_model(store, model)
    with Store(path) as store:
        _is_model(store, model)


def test_a_store_of_the_layout_before_that_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "s"
    model = _old_store(path, ["a:1"], ["x"])
    path.chmod(0o400)
    if os.access(path, os.W_OK):
        pytest.skip("this user may write all files")
    with Store(path, read_only=True) as store:
        _is_model(store, model)


def test_what_was_not_committed_is_gone(sizes: tuple[int, int], tmp_path: Path) -> None:
    """A process that ends without a word leaves what was committed last, whatever runs were merged since."""
    path = tmp_path / "s"
    keys = [f"a:{number}" for number in range(300)]
    with Store(path) as store:
        store.add(keys[:200], now=1)
        store.commit()
        if (child := os.fork()) == 0:
            os._exit(0)  # a copy of the memory of the store has no part in it
        os.waitpid(child, 0)
    model: Model = {}
    _added(model, keys[:200], [1] * 200, [None] * 200, 1)
    if (child := os.fork()) == 0:
        other = Store(path)
        other.add(keys, now=2)
        other.forget(keys[:30])
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    with Store(path) as store:
        _is_model(store, model)


def test_two_processes_take_turns(sizes: tuple[int, int], tmp_path: Path) -> None:
    path = tmp_path / "s"
    model: Model = {}
    for turn in range(4):
        keys = [f"a:{number}" for number in range(turn * 50, turn * 50 + 90)]
        new = _added(model, keys, [1] * 90, [None] * 90, turn)
        if (child := os.fork()) == 0:
            with Store(path) as store:
                code = int(store.add(keys, now=turn) != new)
            os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
    with Store(path) as store:
        _is_model(store, model)


def test_entries_are_read_while_runs_are_merged(sizes: tuple[int, int], tmp_path: Path) -> None:
    with Store(tmp_path / "s") as store:
        store.add([f"a:{number}" for number in range(300)], now=1)
        before = [entry.digest for entry in store.entries()]
        found = []
        for turn, entry in enumerate(store.entries()):
            found.append(entry.digest)
            if turn % 20 == 0:
                store.add([f"b:{turn} {number}" for number in range(60)], now=2)
        assert len(set(found)) == len(found)
        assert found == sorted(found)
        assert set(before) <= set(found)


def test_an_entry_is_written_few_times(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """About as often as the logarithm of the number of batches, to the base of four; and there are few runs."""
    monkeypatch.setattr(store_entries, "_LARGE", 50)
    monkeypatch.setattr(store_runs, "_PIECE", 8)
    written = 0

    def counted(*args: Any) -> Piece:
        nonlocal written
        made = merged(*args)
        written += len(made[0]) // 16
        return made

    monkeypatch.setattr(store_runs, "merged", counted)
    with Store(tmp_path / "s") as store:
        for turn in range(64):
            store.add([f"a:{turn} {number}" for number in range(60)], now=1)
            assert len(store._entries._runs.all) <= 9
    assert written <= 60 * 64 * 4


@needs_kernel
def test_what_is_new_is_looked_up_in_few_pieces(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(store_entries, "_LARGE", 1_000)
    looked = 0

    def counted(*args: Any) -> int:
        nonlocal looked
        looked += 1
        return digest_runs.mark_digests(*args)

    with Store(tmp_path / "s") as store:
        for turn in range(8):
            store.add([f"a:{turn} {number}" for number in range(4_000)], now=1)
        monkeypatch.setattr(store_runs, "mark_digests", counted)
        assert len(store.add([f"b:{number}" for number in range(4_000)], now=1)) == 4_000
        assert looked <= 40
        assert store.add([f"a:3 {number}" for number in range(4_000)], now=1) == []


DAMAGE = {
    "digests cut": "UPDATE pieces SET digests = substr(digests, 1, 17)",
    "digests of text": "UPDATE pieces SET digests = 'x'",
    "digests of a number": "UPDATE pieces SET digests = 5",
    "no digests": "UPDATE pieces SET digests = x''",
    "other digests": "UPDATE pieces SET digests = zeroblob(length(digests))",
    "entries cut": "UPDATE pieces SET entries = substr(entries, 1, length(entries) - 1)",
    "no entries": "UPDATE pieces SET entries = x''",
    "entries of text": "UPDATE pieces SET entries = 'x'",
    "entries of a number": "UPDATE pieces SET entries = 5",
    "many values": "UPDATE pieces SET entries = x'ffffffff' || substr(entries, 5)",
    "nothing in it": "UPDATE pieces SET digests = x'', entries = x'00000000'",
    "zeros": "UPDATE pieces SET entries = zeroblob(length(entries))",
    "times": "UPDATE pieces SET entries = x'01000000ffffffffffffffff' || substr(entries, 13)",
    "source": "UPDATE pieces SET entries = x'01000000' || substr(entries, 5, 24) || x'0900000000000000'",
    "a piece is gone": "DELETE FROM pieces WHERE id = (SELECT max(id) FROM pieces)",
    "a run is gone": "DELETE FROM runs",
    "bits": "UPDATE runs SET bits = 31",
    "other bits": "UPDATE runs SET bits = bits + 1",
    "bits of text": "UPDATE runs SET bits = 'x'",
    "id": "UPDATE runs SET id = -1",
    "keys": "UPDATE runs SET keys = keys + 1",
    "number": "UPDATE meta SET value = value + 1 WHERE name = 'keys'",
    "number of text": "UPDATE meta SET value = 'x' WHERE name = 'keys'",
    "no number": "DELETE FROM meta WHERE name = 'keys'",
}
CALLS: list[Callable[[Store], object]] = [
    lambda store: list(store.entries()),
    lambda store: store.info(),
    lambda store: len(store),
    lambda store: "a:1" in store,
    lambda store: store.add([f"b:{number}" for number in range(5)]),
    lambda store: store.add([f"a:{number}" for number in range(200)]),
    lambda store: store.forget([f"a:{number}" for number in range(9)]),
    lambda store: store.forget(before="2030-01-01"),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`faults` finds it; any other call does its work or says that the store is damaged."""
    monkeypatch.setattr(store_entries, "_LARGE", 50)
    monkeypatch.setattr(store_runs, "_PIECE", 16)
    for number, call in enumerate(CALLS):
        path = tmp_path / str(number)
        with Store(path) as store:
            store.add([f"a:{number}" for number in range(100)], now=1_000_000_000)
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute(DAMAGE[name])
            connection.commit()
        with Store(path) as store:
            try:
                found = store.faults()
            except StoreError as error:
                found = [str(error)]
            assert found
            with contextlib.suppress(StoreError):
                call(store)
            store.rollback()


# Pieces.

_DIGESTS = st.integers(0, 40).map(lambda number: bytes([number * 6, number % 3]) + bytes(13) + bytes([number]))
_SHARED = st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from([1, 2, MOST - 1, MOST]), st.integers(0, 2))
_PIECES = st.lists(
    st.dictionaries(_DIGESTS, _SHARED, max_size=30).map(lambda rows: piece_of(sorted(rows.items()))), max_size=6
)


@needs_kernel
@given(_PIECES, st.integers(0, 260), st.integers(0, 260), st.sets(_DIGESTS))
def test_pieces_are_merged_alike(some: list[Piece], low: int, high: int, gone: set[bytes]) -> None:
    for arguments in ((low << 24, high << 24), (0, pieces.ENDS), (0, pieces.ENDS, b"".join(sorted(gone)))):
        assert kernel.merged_entries(some, *arguments) == pieces._merged(some, *arguments)


def test_many_values_and_many_pieces() -> None:
    for number in (1, 2, 256, 257, 65_536, 65_537):
        rows = [(index.to_bytes(16, "big"), (index, index, 1, 0)) for index in range(number)]
        piece = piece_of(rows)
        assert merged([piece]) == piece
        assert unpacked(piece[1], number)[0] == [shared for _, shared in rows]
    few = [piece_of([(bytes([number % 7]) + bytes(15), (number, number, 1, number))]) for number in range(200)]
    assert merged(few) == pieces._merged(few, 0, pieces.ENDS)


def _broken() -> Iterator[tuple[bytes, bytes]]:
    good = piece_of([(bytes([number]) * 16, (number % 3, 5, 1, 0)) for number in range(6)])
    yield good[0][:-1], good[1]
    yield good[0][:-16], good[1]
    yield good[0], good[1][:-1]
    yield good[0], b""
    yield good[0], b"\xff" * 4 + good[1][4:]
    yield good[0], good[1][:-1] + b"\x03"
    yield good[0], bytes(4)
    yield b"", packed([(1, 1, 1, 0)])


@pytest.mark.parametrize("piece", list(_broken()))
def test_what_is_no_piece(piece: Piece) -> None:
    with pytest.raises(EntryError):
        merged([piece])
    with pytest.raises(EntryError):
        pieces._merged([piece], 0, pieces.ENDS)


def test_the_order_of_a_piece() -> None:
    digests = [bytes([number]) * 16 for number in (1, 2, 3)]
    bounds = (0x01 << 24, 0x04 << 24)
    assert fault_of((b"".join(digests), b""), *bounds) == ""
    assert fault_of((b"".join(reversed(digests)), b""), *bounds) == "are not in their order"
    assert fault_of((digests[0] * 2, b""), *bounds) == "are not in their order"
    for wrong in (b"", bytes(16), b"\4" * 16):
        assert fault_of((wrong, b""), *bounds) == "are in the wrong place"


_SETS = st.lists(_DIGESTS, unique=True).map(sorted)


@given(_SETS, _SETS, st.integers(0, 3))
def test_digests_are_marked(asked: list[bytes], run: list[bytes], first: int) -> None:
    first = min(first, len(asked))
    ways = [digest_runs._mark_digests] + ([kernel.mark_digests] if compiled else [])
    for way in ways:
        marks = bytearray(len(asked))
        end = way(marks, b"".join(asked), first, b"".join(run))
        assert list(marks) == [int(one in run and index >= first) for index, one in enumerate(asked)]
        assert end == (max(first, sum(one <= run[-1] for one in asked)) if run else first)


@needs_kernel
def test_wrong_arguments_of_the_kernel() -> None:
    one, two = bytearray(1), bytearray(2)
    for wrong in ((one, bytes(17), 0, b""), (two, bytes(16), 0, b""), (one, bytes(16), 2, b"")):
        with pytest.raises(ValueError, match="a mark for each digest"):
            kernel.mark_digests(*wrong)
    for table in (bytearray(), bytearray(63)):
        with pytest.raises(ValueError, match="blocks of 64 bytes"):
            kernel.filter_digests(table, bytes(16))
    with pytest.raises(ValueError, match="too many pieces"):
        kernel.merged_entries([piece_of([])] * 65, 0, 1)
    with pytest.raises(ValueError, match="16 bytes"):
        kernel.merged_entries([], 0, 1, b"x")


@needs_kernel
def test_a_filter_passes_what_was_entered_and_little_else() -> None:
    chance = random.Random(9)
    entered, others = ([chance.randbytes(16) for _ in range(20_000)] for _ in range(2))
    table = bytearray(2 * 20_000 // 64 * 64)
    kernel.filter_digests(table, b"".join(entered))
    assert kernel.filtered_digests(table, b"".join(entered)) == list(range(20_000))
    assert len(kernel.filtered_digests(table, b"".join(others))) < 200


def test_a_new_store_has_the_newest_layout(tmp_path: Path) -> None:
    with Store(tmp_path / "s") as store:
        assert store.info()["layout"] == store_file.LAYOUT == 2


def test_without_the_kernel_a_batch_is_not_read_once_a_piece(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is cut into many pieces, looked up in many or removed from many is walked through a few times."""
    _in_python(monkeypatch)
    monkeypatch.setattr(store_entries, "_LARGE", 50)
    monkeypatch.setattr(store_runs, "_PIECE", 8)
    walked = 0

    def counted(joined: bytes) -> list[bytes]:
        nonlocal walked
        walked += len(joined) // 16
        return digests_of(joined)

    for module in (pieces, digest_runs, store_entries, store_tables):
        monkeypatch.setattr(module, "digests_of", counted)

    keys = [f"a:{number}" for number in range(4_000)]
    with Store(tmp_path / "s") as store:
        assert len(store.add(keys, now=1)) == 4_000
        assert store.add(keys, now=2) == []
        assert store.forget(keys) == 4_000
    assert walked <= 20 * 4_000


def test_the_sum_of_counts_walks_through_a_piece_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(store_entries, "_LARGE", 50)
    walks = 0

    class Walked(list[int]):
        def __iter__(self) -> Iterator[int]:
            nonlocal walks
            walks += 1
            return super().__iter__()

        def count(self, value: int, /) -> int:
            nonlocal walks
            walks += 1
            return super().count(value)

    monkeypatch.setattr(store_runs, "unpacked", lambda *args: (unpacked(*args)[0], Walked(unpacked(*args)[1])))
    with Store(tmp_path / "s") as store:
        store.add([f"a:{number}" for number in range(300)], counts=list(range(1, 301)), now=1)
        assert store.info()["seen"] == sum(range(301))
    assert walks == 1


def test_old_keys_are_forgotten_in_parts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """So that forgetting most of a large store does not take the memory for the digests of all these keys."""
    monkeypatch.setattr(store_entries, "_LARGE", 50)
    monkeypatch.setattr(store_entries, "_AT_ONCE", 100)
    monkeypatch.setattr(store_runs, "_PIECE", 8)
    together: list[int] = []
    remove = StoreEntries.remove

    def counted(self: StoreEntries, joined: bytes) -> int:
        together.append(len(joined) // 16)
        return remove(self, joined)

    monkeypatch.setattr(StoreEntries, "remove", counted)
    with Store(tmp_path / "s") as store:
        for turn in range(30):
            store.add([f"a:{turn} {number}" for number in range(100)], now=f"2024-01-{turn + 1:02}")
        assert store.forget(before="2024-01-25") == 2_400
        assert (len(store), store.faults()) == (600, [])
        assert store.forget(before="2024-01-25") == 0
    assert max(together) <= 200


@pytest.mark.parametrize("way", ["kernel", "pure"] if compiled else ["pure"])
@pytest.mark.parametrize("at", [0, 1, 5, -1])
@pytest.mark.parametrize("bit", [0x80, 0x01])
def test_a_changed_bit_hides_one_piece_at_most(
    way: str, at: int, bit: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way == "pure":
        _in_python(monkeypatch)
    monkeypatch.setattr(store_entries, "_LARGE", 50)
    monkeypatch.setattr(store_runs, "_PIECE", 16)
    keys = [f"a:{number}" for number in range(400)]
    with Store(tmp_path / "s") as store:
        store.add(keys, now=1)
        rows = store._connection.execute("SELECT id, digests FROM pieces").fetchall()
        store.commit()
        longest = max(len(digests) for _, digests in rows) // 16
        for row, digests in rows:
            changed = bytearray(digests)
            changed[at % (len(digests) // 16) * 16] ^= bit
            store._connection.execute("BEGIN")
            store._connection.execute("UPDATE pieces SET digests = ? WHERE id = ?", (bytes(changed), row))
            with contextlib.suppress(StoreError):
                assert len(store.add(keys, now=1)) <= longest
            store.rollback()
