"""What a store takes, and what it refuses before anything is written."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urisieve
from tests.helpers.cli_support import call
from urisieve import (
    Batch,
    Filter,
    Options,
    Profile,
    Record,
    Store,
    StoreError,
    UsageError,
    extract,
    extract_files,
    parse,
    sieve_into,
)
from urisieve.dedupe.key_store import StoreExport, merge_export
from urisieve.dedupe.keyset import digest
from urisieve.dedupe.store.entry_pieces import MOST
from urisieve.options import Format, MergeStep
from urisieve.sinks import FormatSettings, StoreSink, open_output
from urisieve.syntax.times import LATEST, bound_given, seconds_given
from urisieve.types import StoreEntry

# Times, in one place.

MOMENT = 1_704_067_200  # 2024-01-01T00:00:00Z
TIMES: list[Any] = [
    "2024",
    "2024-01",
    "2024-01-01",
    " 2024-01-01 ",
    "2024-01-01T00:00",
    "2024-01-01 00:00:00",
    "2024-01-01T00:00:00Z",
    "2024-01-01T02:00:00+02:00",
    "20240101",
    "01/Jan/2024:00:00:00 +0000",
    "Mon, 1 Jan 2024 00:00:00 GMT",
    datetime(2024, 1, 1),
    datetime(2024, 1, 1, tzinfo=UTC),
    datetime(2023, 12, 31, 19, tzinfo=timezone(timedelta(hours=-5))),
    date(2024, 1, 1),
    MOMENT,
    float(MOMENT),
    MOMENT + 0.75,
]
NO_TIMES: list[Any] = [
    *("", "noon", "2024-13", "2024-02-30", "x", "-1", "2024-01-01T25", "0000"),
    *(b"2024-01-01", b"x", bytearray(b"2024"), True, [], (2024, 1, 1), {}, object(), float("nan"), float("inf"), 1e300),
    *(-1, -1.0, LATEST + 1, 10**5000, datetime.min.replace(tzinfo=timezone(timedelta(hours=5)))),
    timedelta(1),
]


def test_a_time_is_taken_alike_everywhere(tmp_path: Path) -> None:  # N1
    with Store(tmp_path / "s") as store:
        for moment in TIMES:
            assert seconds_given("x", moment) == MOMENT, moment
            store.add(["a:old"], now=MOMENT - 1)
            store.add(["a:new"], now=moment)
            assert [entry.last for entry in store.entries() if entry.digest == digest("a:new")] == [MOMENT]
            assert store.forget(before=moment) == 1
            assert ("a:old" in store, "a:new" in store) == (False, True)
            store.forget(["a:new"])
            wanted = Filter(since=moment)
            assert isinstance(wanted.since, str)
            assert "2024-01-01T00:00:01Z" >= wanted.since > "2023-12-31T23:59:59Z"
            assert Filter(since=wanted.since) == wanted == pickle.loads(pickle.dumps(wanted))


def test_what_is_no_time_changes_nothing(tmp_path: Path) -> None:  # N1
    with Store(tmp_path / "s") as store:
        store.add(["a:b"], now=5)
        calls: list[Callable[[Any], object]] = [
            lambda wrong: store.forget(before=wrong),
            lambda wrong: store.forget(["a:b"], before=wrong),
            lambda wrong: store.add(["a:c"], now=wrong),
            lambda wrong: Filter(since=wrong),
            lambda wrong: Filter(until=wrong),
        ]
        for wrong in NO_TIMES:
            for asked in calls:
                with pytest.raises(UsageError, match=r"is not a time such as|must be a time from 1970 to 9999"):
                    asked(wrong)
            assert (len(store), "a:b" in store, store.faults()) == (1, True, [])


@pytest.mark.parametrize("few", [0, 7, 2024, 20_240_101, 99_999_999])
def test_a_small_number_is_seconds_or_refused(few: int, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a time such as"):
        Filter(since=few)
    assert seconds_given("now", few) == few
    with Store(tmp_path / "s") as store:
        store.add(["a:b"], now=few)
        for number in (few, float(few)):
            with pytest.raises(UsageError, match=r"before=.* is not a time such as"):
                store.forget(before=number)
        assert len(store) == 1
        assert store.forget(before="1973-03-04") == 1


def test_before_1970_is_no_time_of_a_store() -> None:
    assert Filter(since="1960-05", until=date(1969, 12, 31)).since == "1960-05"
    for old in ("1969-12-31", datetime(1960, 1, 1), "1960"):
        with pytest.raises(UsageError, match="from 1970 to 9999"):
            seconds_given("before", old)


_ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.datetimes(datetime(1970, 1, 2), datetime(9998, 1, 1), timezones=_ZONES))
def test_a_moment_is_one_number_in_every_notation(moment: datetime) -> None:
    expected = int(moment.replace(microsecond=0).timestamp())
    bare = moment.astimezone(UTC).replace(tzinfo=None)
    for value in (moment, bare, moment.isoformat(), bare.isoformat(), f"{bare.isoformat()}Z", expected):
        assert seconds_given("x", value) == expected
    assert bound_given("x", moment) == bound_given("x", bare) == bare.isoformat()


@pytest.mark.parametrize("clock", [-1, -86_400, LATEST + 1])
def test_a_clock_out_of_range_is_refused(clock: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # P14
    monkeypatch.setattr("urisieve.dedupe.store.store_tables.time.time", lambda: float(clock))
    with Store(tmp_path / "s") as store:
        with pytest.raises(StoreError, match="the clock of this computer"):
            store.add(["a:b"])
        assert (len(store), store.faults()) == (0, [])
        assert store.add(["a:b"], now=0) == [0]


@pytest.mark.parametrize("change", ["first = -1", "first = -5, last = -1", f"last = {LATEST + 1}",
                                    f"first = {LATEST + 1}, last = {LATEST + 2}"])  # fmt: skip
def test_times_out_of_range_are_found(change: str, tmp_path: Path) -> None:  # P14
    path = tmp_path / "s"
    with Store(path) as store:
        store.add(["a:b"], now=5)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(f"UPDATE keys SET {change}")
        connection.commit()
    done = call("store", "verify", str(path))
    assert (done.status, "1 keys have a time out of range" in done.err) == (1, True)
    with Store(path) as store, pytest.raises(StoreError, match="is not valid"):
        list(store.entries())


def test_nothing_is_older_than_1970(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    call("dedupe", "--store", path, stdin=b"http://a.example")
    with Store(path) as store:
        store.add(["a:b"], now=5)
    assert call("store", "forget", path, "--unseen-for", "10000000").lines == ["0 forgotten"]


# Entries and digests.

GOOD = StoreEntry(digest("a:1"), 5, 10, 2, "x")


def _changed(name: str, *values: Any) -> list[Any]:
    return [GOOD._replace(**{name: value}) for value in values]


WRONG_ENTRIES: list[Any] = [
    *_changed("digest", b"a" * 15, b"a" * 17, b"", "a" * 16, None, 5, bytearray(16)),
    *_changed("first", -1, 11, "5", 5.0, None, True, b"5"),
    *_changed("last", 4, LATEST + 1, 10**30, "9", None, float("inf")),
    *_changed("count", 0, -1, "1", 1.5, None, True),
    *_changed("source", 5, b"x", [], ("x",)),
    *((), GOOD[:4], (*GOOD, 1), [*GOOD], "entry", None, 5),
]


def _merged(store: Store, entries: Iterable[Any]) -> int:
    return merge_export(store, StoreExport("other", store.signature, store.secret, iter(entries)), print)


@pytest.mark.parametrize("before", [0, 1, 3])
def test_a_wrong_entry_merges_nothing(before: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # N2
    monkeypatch.setattr("urisieve.dedupe.store.store_tables._BATCH", 2)
    first = [GOOD._replace(digest=digest(f"a:{number}")) for number in range(before)]
    with Store(tmp_path / "s") as store:
        store.add(["b:1"], now=5)
        store.commit()
        for wrong in WRONG_ENTRIES:
            with pytest.raises(StoreError, match="is not an entry of a store; nothing was merged"):
                _merged(store, [*first, wrong, GOOD])
            assert (len(store), "b:1" in store, store.faults()) == (1, True, []), wrong
        assert _merged(store, [*first, GOOD]) == len({*first, GOOD})  # and it can still be used


def test_entries_that_break_off_merge_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urisieve.dedupe.store.store_tables._BATCH", 1)

    def entries() -> Any:
        yield GOOD
        raise KeyError

    with Store(tmp_path / "s") as store:
        with pytest.raises(KeyError):
            _merged(store, entries())
        assert len(store) == 0


@pytest.mark.parametrize(
    "found", [[b"a" * 15], [b"a" * 16, b""], ["a" * 16], [bytearray(16)], [None], "a" * 16, b"a" * 16, 5, None]
)
def test_what_is_no_digest_is_not_added(found: Any, tmp_path: Path) -> None:  # N2
    with Store(tmp_path / "s") as store:
        with pytest.raises(StoreError, match="digests are a list of bytes, 16 each"):
            store.add_digests(found)
        assert (len(store), store.faults()) == (0, [])
        assert store.add_digests([]) == []


# Any value for any argument: taken, or refused with nothing written.

VALUES = st.one_of(
    *(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4), st.binary(max_size=20)),
    *(st.datetimes(), st.dates(), st.lists(st.one_of(st.none(), st.integers(), st.text(max_size=3)), max_size=3)),
    *(st.sampled_from([GOOD, [GOOD], digest("a:1"), [digest("a:1")], MOST, LATEST]), st.tuples(st.integers())),
    *(st.sets(st.text(max_size=2), max_size=2), st.dictionaries(st.text(max_size=2), st.integers(), max_size=2)),
)
CALLS: list[Callable[[Store, Any], object]] = [
    lambda store, value: store.add(value),
    lambda store, value: store.add(["a:x"], counts=value),
    lambda store, value: store.add(["a:x"], counts=[value]),
    lambda store, value: store.add(["a:x"], sources=value),
    lambda store, value: store.add(["a:x"], sources=[value]),
    lambda store, value: store.add(["a:x"], now=value),
    lambda store, value: store.add_digests(value),
    lambda store, value: store.add_digests([value]),
    lambda store, value: store.add_digests([digest("a:x")], sources=[value]),
    lambda store, value: store.unseen(value),
    lambda store, value: store.unseen_indices(value),
    lambda store, value: store.merge(value),
    lambda store, value: _merged(store, [value]),
    lambda store, value: _merged(store, [GOOD._replace(count=value)]),
    lambda store, value: _merged(store, [GOOD._replace(last=value)]),
    lambda store, value: store.forget(value),
    lambda store, value: store.forget(before=value),
    lambda store, value: store.take_secret(value),
    lambda store, value: store.note(value, value),
    lambda store, value: store.note("x", value),
    lambda store, value: store.noted(value),
    lambda store, value: value in store,
]


@given(st.data())
def test_any_value_is_taken_or_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    with Store(tmp_path_factory.getbasetemp() / "values.db") as store:
        store.forget(before=LATEST)
        store.add(["a:old"], now=5)
        for asked in data.draw(st.lists(st.sampled_from(CALLS), min_size=1, max_size=6)):
            value = data.draw(VALUES)
            held = sorted(store.entries())
            try:
                asked(store, value)
            except (UsageError, StoreError):
                assert sorted(store.entries()) in (held, [])  # a merge that fails discards what was not committed
            assert store.faults() == []
            for entry in store.entries():
                assert type(entry.digest) is bytes
                assert len(entry.digest) == 16
        store.rollback()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"path": ""}, "the path of a store is empty"),
        ({"path": ":memory:"}, "a store is a file, :memory: is not its path: use a KeySet"),
        ({"cache": "5"}, "cache='5' must be a number of bytes"),
        ({"cache": -1}, "cache=-1 must be"),
        ({"cache": True}, "cache=True must be"),
        ({"cache": 1.5}, "cache=1.5 must be"),
        ({"cache": MOST}, "must be a number of bytes"),
        ({"secret": "x"}, "a secret is 1 to 64 bytes"),
        ({"secret": b""}, "a secret is 1 to 64 bytes"),
        ({"by": 5}, "by=5 is not a choice"),
        ({"by": "hosts"}, "by='hosts' is not a choice"),
        ({"options": "page"}, "options='page' must be Options"),
        ({"options": {}}, "options={} must be Options"),
        ({"signature": 5}, "signature=5 is not that of a store"),
        ({"signature": "page"}, "signature='page' is not that of a store"),
    ],
)
def test_a_store_is_not_made_of_wrong_values(arguments: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        Store(**{"path": tmp_path / "s", **arguments})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("make", [iter, set, tuple, dict.fromkeys])
def test_keys_come_in_any_collection(make: Callable[[list[str]], Any], tmp_path: Path) -> None:
    with Store(tmp_path / "s") as store:
        given: Any = make(["a:1"])
        assert store.unseen(given) == ["a:1"]
        given = make(["a:1"])
        assert urisieve.KeySet().unseen(given) == ["a:1"]


def test_one_record_is_not_several_keys(tmp_path: Path) -> None:
    record: Any = parse("http://a.example/")
    with Store(tmp_path / "s") as store:
        for asked in (
            store.add,
            store.unseen,
            store.unseen_indices,
            store.forget,
            urisieve.KeySet,
            urisieve.KeySet().unseen,
        ):
            with pytest.raises(UsageError, match=r"keys=<Record .* must be several keys: give a list"):
                asked(record)
        assert len(store) == 0


def test_a_store_merges_stores_of_its_kind_alone(tmp_path: Path) -> None:
    kinds: list[dict[str, Any]] = [{}, {"by": "host"}, {"options": Options(merge="page")}]
    for made in kinds:
        for other in kinds:
            with (
                Store(tmp_path / "one", secret=b"x", **made) as one,
                Store(tmp_path / "two", secret=b"x", **other) as two,
            ):
                one.add(["a:1"])
                two.add(["a:2"])
                if made is other:
                    assert (one.merge(two), len(two)) == (1, 1)
                else:
                    with pytest.raises(StoreError, match=r"two: its keys were made by .*, not by "):
                        one.merge(two)
                    assert ("a:1" in one, len(one)) == (True, 1)  # and nothing is lost
                one.rollback()
                two.rollback()
            for path in tmp_path.iterdir():
                path.unlink()


def test_entries_do_not_say_their_kind(tmp_path: Path) -> None:
    with Store(tmp_path / "one") as one, Store(tmp_path / "two") as two:
        wrong: list[Any] = [two.entries(), [GOOD], [], None, str(tmp_path / "two"), one]
        for other in wrong:
            with pytest.raises(UsageError, match="must be another Store, itself and not its entries"):
                one.merge(other)


def test_a_store_that_is_only_read(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with pytest.raises(StoreError, match="there is no such store"):
        Store(path, read_only=True)
    assert list(tmp_path.iterdir()) == []
    with Store(path) as store:
        store.add(["a:1"])
    before = path.read_bytes()
    writes: list[Callable[[Store], object]] = [
        lambda store: store.add(["a:2"]),
        lambda store: store.unseen(["a:1"]),
        lambda store: list(urisieve.deduplicate(["a:2"], seen=store)),
        lambda store: store.forget(["a:1"]),
        lambda store: store.note("x", "y"),
        lambda store: store.commit(),
    ]
    with Store(path, read_only=True) as store:
        for write in writes:
            with pytest.raises(StoreError, match="was opened to be read only"):
                write(store)
        assert ("a:1" in store, "a:2" in store, len(list(store.entries())), store.noted("x")) == (True, False, 1, None)
    assert path.read_bytes() == before


# Secrets.

KEY = "http://u:pw@a.example/"


def test_a_secret_is_taken_over_whole(tmp_path: Path) -> None:  # N6
    with Store(tmp_path / "one") as one, Store(tmp_path / "two") as two:
        two.unseen([KEY])
        two.commit()
        assert KEY not in one  # by its own secret
        one.merge(two)
        assert one.secret == two.secret
        assert KEY in one
        assert one.unseen_indices([KEY, parse(KEY)]) == []


def test_keys_with_passwords_are_not_merged_in_silence(tmp_path: Path) -> None:
    with Store(tmp_path / "one") as one, Store(tmp_path / "two") as two:
        one.unseen(["a:1"])
        two.unseen([KEY, "a:2"])
        with pytest.warns(RuntimeWarning, match=r"two: was made with another secret: keys with passwords") as caught:
            assert one.merge(two) == 2
        assert caught[0].filename == __file__
        assert (KEY in one, "a:2" in one) == (False, True)


def test_a_secret_that_is_rolled_back_is_the_one_before(tmp_path: Path) -> None:  # N6
    with Store(tmp_path / "one") as one, Store(tmp_path / "two") as two:
        before = one.secret
        one.take_secret(two.secret)
        one.rollback()
        assert one.secret == before
        one.unseen([KEY])
    with Store(tmp_path / "one") as one:
        assert (one.secret, KEY in one) == (before, True)


# Records of other options.

PAGE = Options(merge="page")
LINK = "http://www.a.example/index.html?utm_source=x"
OPTIONS = [
    Options(),
    PAGE,
    Options(merge=[MergeStep.HTTPS]),
    Options(merge=Profile(drop_params=["ref"])),
    Options(level="syntax"),
    Options(level="none"),
    Options(urn_syntax="rfc8141"),
    Options(rules=urisieve.Scheme(name="x-shelf", title="a shelf", reference="here")),
]
ALIKE = [
    Options(spoofing=True),
    Options(protect=["a.example"]),
    Options(schemes={"http"}),
    Options(email=True, refang=True, nested=True, unwrap="any", positions="offsets"),
]
WAYS: list[Callable[[Options], list[Record]]] = [
    lambda options: [parse(LINK, options=options)],
    lambda options: list(extract(f"see {LINK}", options=options)),
    lambda options: list(next(urisieve.extract_batches([f"see {LINK} now"], options=options))),
    lambda options: [pickle.loads(pickle.dumps(parse(LINK, options=options)))],
    lambda options: [parse(LINK, options=options).masked()],
    lambda options: list(Batch.of([parse(LINK, options=options)])),
    lambda options: list(Batch.of(list(extract(f"{LINK} http://b.example/", options=options))).select([0])),
    lambda options: [Record.from_dict(parse(LINK, options=options).as_dict(), options=options)],
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("way", WAYS)
def test_a_record_knows_by_which_options_its_key_was_made(
    way: Callable[[Options], list[Record]], tmp_path: Path
) -> None:
    for number, own in enumerate(OPTIONS):  # M9
        with Store(tmp_path / f"{number}", options=own) as store:
            for other in (*OPTIONS, *(ALIKE if own == Options() else ())):
                records = way(other)
                if other == own or other in ALIKE:
                    assert [record.uri for record in store.unseen(records)] in ([], [records[0].uri])
                    continue
                held = len(store)
                for call_with in (store.add, store.unseen, store.unseen_indices, store.forget):
                    with pytest.raises(UsageError, match="the keys of these records were made by"):
                        call_with(records)
                with pytest.raises(UsageError, match="were made by"):
                    assert records[0] in store
                assert len(store) == held


def test_the_message_names_both(tmp_path: Path) -> None:
    with Store(tmp_path / "s", options=PAGE) as store, pytest.raises(UsageError) as refused:
        store.add([parse(LINK)])
    assert "were made by merge=rfc, those of the store by merge=page: find them with the options" in str(refused.value)
    with (
        Store(tmp_path / "h", by="host") as store,
        pytest.raises(UsageError, match="by=key, those of the store by by=host"),
    ):
        store.add([parse(LINK)])


def test_a_batch_of_records_of_several_options_does_not_claim_those_of_one(tmp_path: Path) -> None:
    records = [parse(LINK), parse(LINK, options=PAGE)]
    mixed = list(Batch.of(records))
    with Store(tmp_path / "s") as store:
        with pytest.raises(UsageError, match="were made by"):
            store.add(records)
        assert store.add(mixed) == [0, 1]  # nobody knows


def test_records_read_from_a_file_do_not_say_how_they_were_made(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    urisieve.write_records([parse(LINK, options=PAGE)], path)
    (record,) = urisieve.read_records(path)
    with Store(tmp_path / "s", options=PAGE) as store:
        assert store.unseen([record, Record.from_dict(parse(LINK, options=PAGE).as_dict())]) == [record]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_with_other_options_than_the_store_is_refused(tmp_path: Path, jobs: int) -> None:  # M9
    (tmp_path / "a.txt").write_text(f"{LINK}\n" * 3)
    (tmp_path / "b.txt").write_text(f"{LINK}\n" * 3)
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    with Store(tmp_path / "s", options=PAGE) as store:
        for options in (None, PAGE):
            with open_output(str(tmp_path / "o")) as output:
                sink = StoreSink(FormatSettings(Format.TEXT, secret=store.secret), output, store)
                if options is None:
                    with pytest.raises(UsageError, match="were made by merge=rfc"):
                        sieve_into(paths, sink, options=options, jobs=jobs)
                    assert len(store) == 0
                else:
                    sieve_into(paths, sink, options=options, jobs=jobs)
        assert len(store) == 1
        assert store.unseen(list(extract_files(paths, options=PAGE, jobs=jobs))) == []


# Tables that are not those of a store.

HOSTILE = {
    "trigger": "CREATE TRIGGER z AFTER INSERT ON keys BEGIN DELETE FROM keys; END",
    "triggers": "CREATE TRIGGER z AFTER INSERT ON keys BEGIN DELETE FROM keys; END;"
    "CREATE TRIGGER y BEFORE INSERT ON sources BEGIN SELECT RAISE(FAIL, 'x'); END;"
    "CREATE TRIGGER x BEFORE DELETE ON meta BEGIN SELECT RAISE(FAIL, 'x'); END",
    "named as if of SQLite": "CREATE TRIGGER z AFTER INSERT ON keys BEGIN DELETE FROM keys; END;"
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET name = 'sqlite_stat1' WHERE name = 'z'",
    "view": "DROP TABLE keys; CREATE VIEW keys AS WITH RECURSIVE c(digest) AS "
    "(SELECT zeroblob(16) UNION ALL SELECT digest FROM c) SELECT digest, 1 AS first, 1 AS last, 1 AS count, "
    "0 AS source FROM c",
    "index": "CREATE UNIQUE INDEX z ON keys (count)",
    "partial index": "CREATE INDEX z ON keys (first) WHERE first > 0",
    "table": "CREATE TABLE more (a)",
    "column": "ALTER TABLE keys ADD COLUMN more DEFAULT (1)",
    "check": "DROP TABLE keys; CREATE TABLE keys (digest BLOB PRIMARY KEY, first, last, count, source, CHECK (0))",
    "missing": "DROP TABLE sources",
    "generated": "DROP TABLE sources; CREATE TABLE sources (id INTEGER PRIMARY KEY, name AS (zeroblob(1000000000)))",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_store_with_other_tables_is_refused(name: str, tmp_path: Path) -> None:  # P6
    path = tmp_path / "s"
    with Store(path) as store:
        store.add(["a:b"])
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(HOSTILE[name])
        connection.commit()
    for arguments in ({}, {"check": False}, {"check": False, "read_only": True}):
        with pytest.raises(StoreError, match="is damaged"):
            Store(path, **arguments)  # type: ignore[arg-type] # each fits
    done = call("store", "verify", str(path))
    assert (done.status, "is damaged" in done.err) == (2, True)


def test_statistics_of_analyze_are_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Store(path) as store:
        store.add(["a:b"])
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("ANALYZE")
    with Store(path) as store:
        assert (store.faults(), len(store)) == ([], 1)


class _EndedError(Exception):
    pass


def test_a_signal_ends_a_long_statement(tmp_path: Path) -> None:  # P6
    endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c"

    def end(*_: object) -> None:
        raise _EndedError

    before = signal.signal(signal.SIGUSR1, end)
    try:
        with Store(tmp_path / "s") as store:
            for _ in range(3):
                timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1))
                timer.start()
                with pytest.raises(_EndedError), store._guarded():
                    store._connection.execute(endless).fetchone()
                timer.join()
            assert store.add(["a:b"]) == [0]
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_keys_are_added_while_entries_are_read(tmp_path: Path) -> None:
    with Store(tmp_path / "seen.db") as store:
        assert len(store.unseen([f"http://a.example/{number}" for number in range(2_000)])) == 2_000
        entries = store.entries()
        next(entries)
        assert store.unseen(["http://a.example/0", "http://b.example/"]) == ["http://b.example/"]
        assert (
            store.unseen([f"http://a.example/{number}" for number in range(1_990, 2_010)])[0] == "http://a.example/2000"
        )
        assert len(store) == 2_011
        assert sum(1 for _ in entries) >= 1_999
    with Store(tmp_path / "seen.db") as store:
        assert len(store) == 2_011
