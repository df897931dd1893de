"""Sinks: the same whatever the number of workers, and what programs make of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.cli_support import call
from tests.helpers.folders import SAMPLES
from urisieve import (
    Batch,
    InputError,
    KeySet,
    Options,
    Record,
    Scanner,
    Scheme,
    Store,
    Tally,
    UsageError,
    extract,
    extract_batches,
    extract_files,
    read_records,
    sieve_into,
    write_records,
)
from urisieve.options import Format
from urisieve.sinks import (
    CountSink,
    FirstSeenSink,
    FormatSettings,
    Output,
    RecordSink,
    Sink,
    StoreSink,
    TableSink,
    open_output,
)
from urisieve.sinks.first_seen import KeyedRows, PendingRows
from urisieve.sinks.record_formats import record_format
from urisieve.sinks.statistics import StatisticsSink, count_keys
from urisieve.types import BytesRead, Event, FileFailed, Location, Message

PATHS = [str(SAMPLES / name) for name in ("mail.mbox", "access.log", "urns.xml", "disguised.txt", "cjk-rtl.txt")]


class Kept:
    """A sink of a program of its own."""

    def __init__(self) -> None:
        self.uris: list[str] = []
        self.closed = 0

    def take(self, batch: Batch, /) -> None:
        self.uris += batch.column("uri")

    def close(self) -> None:
        self.closed += 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_any_object_that_takes_batches_is_a_sink(jobs: int) -> None:
    kept: Sink = Kept()
    tally = sieve_into(PATHS, kept, jobs=jobs)
    assert isinstance(kept, Kept)
    assert kept.uris == [record.uri for record in extract_files(PATHS)]
    assert kept.closed == 1
    assert tally.kinds == {"mail": 1, "text": 3, "xml": 1}


MAKES: dict[str, Callable[[Output, FormatSettings], Sink]] = {
    "all": lambda output, settings: RecordSink(settings, output),
    "first": lambda output, settings: FirstSeenSink(settings, output, KeySet()),
    "limit": lambda output, settings: FirstSeenSink(
        settings, output, KeySet(memory_limit=1_000_000), memory_limit=1_000_000
    ),
    "table": lambda output, settings: TableSink(settings, output),
}


@pytest.mark.sampled(13)
@pytest.mark.parametrize(
    ("make", "kind"),
    [
        *(("all", kind) for kind in (Format.TEXT, Format.JSONL, Format.CSV, Format.TSV)),
        *(("first", kind) for kind in Format),
        *(("limit", kind) for kind in Format),
        ("table", Format.PARQUET),
    ],
)
def test_sinks_write_the_same_whatever_the_number_of_processes(make: str, kind: Format, tmp_path: Path) -> None:
    written = []
    for jobs in (1, 2):
        path = tmp_path / f"out{jobs}"
        with open_output(str(path)) as output:
            sieve_into(PATHS, MAKES[make](output, FormatSettings(kind, secret=b"secret")), jobs=jobs)
        if kind is Format.TEXT:
            written.append([path.read_text()])
        else:
            written.append([json.dumps(one.as_dict()) for one in read_records(path, format=kind)])
    assert written[0] == written[1]
    assert len(written[0]) > (1 if kind is not Format.TEXT else 0)
    assert not any("secret" in line for line in written[0])


def test_sinks_take_batches_without_a_run(tmp_path: Path) -> None:
    batches = list(extract_batches([("a", "http://a.example http://A.example/"), ("b", "http://a.example/ urn:x-y:z")]))
    counts, statistics = CountSink(), StatisticsSink()
    for batch in (*batches, Batch.joined(batches)):
        counts.take(batch)
        statistics.take(batch)
    counts.close()
    rows = {row.key: (row.count, row.sources) for row in counts.rows()}
    assert rows == {"http://a.example/": (6, 2), "urn:x-y:z": (2, 1)}
    assert (statistics.found, statistics.distinct, statistics.sources) == (8, 2, {"a": 4, "b": 4})
    assert statistics.hosts == {"a.example": 6}
    path = tmp_path / "o"
    with Store(tmp_path / "s.db") as store, open_output(str(path)) as output:
        sink = StoreSink(FormatSettings(Format.TEXT, secret=store.secret), output, store)
        for batch in batches:
            sink.take(batch)
        sink.close()
        assert sink.new == len(store) == 2
    assert path.read_text() == "http://a.example/\nurn:x-y:z\n"


def _batch(count: int) -> Batch:
    return Batch.of([one for one in extract("http://a.example/ " * count) if isinstance(one, Record)])


@pytest.mark.parametrize(
    ("some", "times"),
    [
        (KeyedRows(["k"], [b"r"]), 4),  # as many keys
        (KeyedRows(["k" * 1_000], None), 3),
        (KeyedRows(["k"], [b"r" * 1_500]), 2),
        (KeyedRows(["k"], _batch(2)), 2),
        (KeyedRows(["k"] * 3, [b"r" * 1_000] * 3), 1),
        (KeyedRows([], []), None),
    ],
)
def test_rows_wait_until_they_are_many_or_long(
    some: KeyedRows, times: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("urisieve.sinks.first_seen._BYTES", 2_048 if isinstance(some.rows, Batch) else 3_000)
    monkeypatch.setattr("urisieve.sinks.first_seen._KEYS", 4)
    monkeypatch.setattr("urisieve.sinks.first_seen._SECONDS", 1e9)
    pending = PendingRows()
    for _ in range(2):  # what was taken does not count any more
        full = []
        for _ in range(4):
            pending.add(some)
            full.append(pending.is_full)
        assert full.index(True) + 1 == times if times else not any(full)
        assert len(pending.taken().keys) == len(pending) + 4 * len(some.keys)


def test_events_say_what_happens(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("http://a.example/")
    (tmp_path / "b.gz").write_bytes(b"\x1f\x8b\x08\x00 broken")
    events: list[Event] = []
    tally = sieve_into([tmp_path, tmp_path / "missing"], Kept(), on_event=events.append)
    assert sum(event.size for event in events if isinstance(event, BytesRead)) >= 17
    assert [event.path for event in events if isinstance(event, FileFailed)] == [str(tmp_path / "missing")]
    (message,) = [event for event in events if isinstance(event, Message)]
    assert "b.gz" in message.text
    assert message.is_error
    assert tally.broken


@pytest.mark.parametrize("sort", ["first", "count", "uri"])
def test_counted_keys_are_those_of_the_command(sort: str) -> None:
    rows = list(count_keys(map(Path, PATHS), sort=sort, min_count=2))
    done = call("count", "--quiet", "--min-count", "2", "--sort", sort, "--show-passwords", *PATHS)
    assert [f"{row.count}\t{row.sources}\t{len(row.spellings)}" for row in rows] == [
        "\t".join(line.split("\t")[:3]) for line in done.lines
    ]
    assert [row.uri for row in rows] == [line.split("\t")[-1] for line in done.lines]
    with pytest.raises(UsageError, match="did you mean 'count'"):
        count_keys(PATHS, sort="cuont")


@pytest.mark.parametrize("name", ["\ue000", "\ue000\ue001", 'q"u,o\te'])
@pytest.mark.parametrize("kind", [Format.JSONL, Format.CSV, Format.TSV])
def test_names_may_hold_any_character(name: str, kind: Format) -> None:
    text = "".join(f"http://a.example/{number} " for number in range(9))
    for source, location in ((name, None), ("a", Location(message_id=name)), (name, Location(1, name, name, name, 1))):
        scanner = Scanner(source=source, location=location)
        batch = Batch.of([one for one in scanner.finish(text) if isinstance(one, Record)])
        form = record_format(FormatSettings(kind))
        # One record is written from its dictionary.
        assert form.encoded(batch) == b"".join(form.encoded(batch.select([index])) for index in range(9)) != b""


@pytest.mark.parametrize("kind", ["jsonl", "csv", "tsv", "parquet"])
def test_records_are_read_as_they_were_written(kind: str, tmp_path: Path) -> None:
    records = list(extract_files(PATHS))
    path = tmp_path / f"links.{kind}"
    assert write_records(records, path, format=kind, show_passwords=True) == len(records)
    found = list(read_records(path))
    if kind == "tsv":  # tabs and line breaks in cells are blanks there
        assert [one.uri for one in found] == [one.uri for one in records]
    else:
        assert [one.as_dict() for one in found] == [one.as_dict() for one in records]
    assert write_records([Batch.of(records)], path, format=kind, show_passwords=True) == len(records)
    assert [one.uri for one in read_records(path, format=kind)] == [one.uri for one in records]


def test_each_record_is_written_by_its_own_rules(tmp_path: Path) -> None:
    (names,), (texts,) = (
        extract(
            "shelf://xn--bcher-kva.example/",
            options=Options(rules=Scheme(name="shelf", title="a shelf", reference="here", dns=dns)),
        )
        for dns in (True, False)
    )
    path = tmp_path / "links"
    write_records([names, texts, texts, names], path, format="text", form="iri")
    assert [host.split("/")[2] for host in path.read_text().split()] == [
        *("b\u00fccher.example", "xn--bcher-kva.example", "xn--bcher-kva.example", "b\u00fccher.example")
    ]


def test_passwords_are_masked_unless_they_are_to_be_shown(tmp_path: Path) -> None:
    path = tmp_path / "links.jsonl"
    write_records(extract("http://u:hidden@a.example/"), path)
    assert "hidden" not in path.read_text()
    write_records(extract("http://u:hidden@a.example/"), path, format="text", show_passwords=True)
    assert path.read_text() == "http://u:hidden@a.example/\n"


def test_rows_that_are_no_records_are_told_or_raise(tmp_path: Path) -> None:
    path = tmp_path / "links.jsonl"
    write_records(extract("http://a.example/ http://b.example/"), path)
    path.write_text(path.read_text().replace("\n", "\nbroken\n", 1))
    tally = Tally()
    assert [record.uri for record in read_records(path, tally=tally)] == ["http://a.example/", "http://b.example/"]
    assert tally.broken == {("record", "unreadable"): 1}
    with pytest.raises(InputError, match="row 2"):
        list(read_records(path))
    with pytest.raises(InputError, match="missing"):
        list(read_records(tmp_path / "missing.csv"))
    (tmp_path / "links").write_text("http://a.example/")
    with pytest.raises(InputError, match="row 1 names no columns"):  # a table of one column
        list(read_records(tmp_path / "links"))
    with pytest.raises(UsageError, match="holds no records"):
        read_records(path, format="text")
    with pytest.raises(UsageError, match="must be a record or a batch"):
        write_records(["http://a.example/"], path)  # type: ignore[list-item]
    assert len(path.read_text().splitlines()) == 3  # as it was
