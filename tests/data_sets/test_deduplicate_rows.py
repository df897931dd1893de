"""`deduplicate_rows`: the rows of data sets without duplicates, by the call of the library."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import urisieve
from urisieve import InputError, Options, OutputError, Profile, StoreError, UsageError, deduplicate_rows
from urisieve.options import Keep
from urisieve.sources.reading_options import DataSetKind
from urisieve.types import BytesRead, Event, FileFailed, Message, RowCounts

# Two identifiers in two spellings each, and two texts that are not one identifier.
URLS = ("http://A.example", "http://b.example/", "http://a.example/", "no link", "http://b.example:80", "http://[/")
FIRST = [0, 1]
LAST = [2, 4]
UNMATCHED = [3, 5]
KINDS = ("jsonl", "csv", "tsv", "parquet")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _write(path: str, kind: str, rows: list[tuple[int, str]], names: tuple[str, str] = ("id", "url")) -> str:
    dicts = [dict(zip(names, row, strict=True)) for row in rows]
    if kind == "parquet":
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(pyarrow.Table.from_pylist(dicts), path)
    elif kind == "jsonl":
        Path(path).write_text("".join(json.dumps(row) + "\n" for row in dicts))
    else:
        mark = "," if kind == "csv" else "\t"
        lines = [mark.join(names), *(mark.join(map(str, row)) for row in rows)]
        Path(path).write_text("".join(f"{line}\n" for line in lines))
    return path


def _ids(path: str, kind: str) -> list[int]:
    if kind == "parquet":
        from pyarrow import parquet

        return list(parquet.read_table(path).column("id").to_pylist())
    lines = Path(path).read_text().splitlines()
    if kind == "jsonl":
        return [json.loads(line)["id"] for line in lines]
    return [int(line.split("," if kind == "csv" else "\t")[0]) for line in lines[1:]]


def _numbers(counts: RowCounts) -> tuple[int, ...]:
    return counts.files, counts.rows, counts.kept, counts.duplicates, counts.unmatched


# The rows that stay.


@pytest.mark.parametrize("keep", ["first", "last"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("unmatched", ["keep", "drop", "rest"])
def test_the_rows_that_stay(kind: str, keep: str, unmatched: str) -> None:
    rows = list(enumerate(URLS))
    paths = [_write("one", kind, rows[:2]), _write("two", kind, rows[2:])]
    counts = deduplicate_rows(paths, ["url"], input=kind, output="out", keep=keep, unmatched=unmatched)
    stays = FIRST if keep == "first" else LAST
    assert _ids("out", kind) == sorted(stays + (UNMATCHED if unmatched == "keep" else []))
    assert _numbers(counts) == (2, 6, 2, 2, 2)
    assert (counts.found, counts.failed, counts.tally.is_empty) == (True, False, True)
    assert sum(counts.reasons.values()) == 2
    assert RowCounts(*counts[:-1]) == counts  # no cell was made safe
    assert os.path.exists("rest") == (unmatched == "rest")
    if unmatched == "rest":
        assert _ids("rest", kind) == UNMATCHED


def test_rows_are_kept_to_the_byte() -> None:
    Path("in").write_bytes(b'\xef\xbb\xbf{ "url":"http:\\/\\/a.example"}\r\n\n{"url": "http://b.example"}')
    counts = deduplicate_rows([Path("in")], ("url",), input=DataSetKind.JSONL, output=Path("out"), keep=Keep.FIRST)
    assert Path("out").read_bytes() == Path("in").read_bytes()
    assert _numbers(counts) == (1, 3, 2, 0, 1)


def test_the_output_may_be_the_input() -> None:
    _write("rows", "csv", list(enumerate(URLS)))
    deduplicate_rows(["rows"], ["url"], input="csv", output="rows", unmatched="drop")
    assert _ids("rows", "csv") == FIRST


def test_compressed_files_and_folders_are_read() -> None:
    os.mkdir("folder")
    Path("folder/a.gz").write_bytes(gzip.compress(b'{"url": "http://a.example/"}\n'))
    Path("folder/b").write_bytes(b'{"url": "http://A.example/"}\n{"url": "http://b.example/"}\n')
    counts = deduplicate_rows(["folder"], ["url"], input="jsonl", output="out")
    assert Path("out").read_text().splitlines() == ['{"url": "http://a.example/"}', '{"url": "http://b.example/"}']
    assert _numbers(counts) == (2, 3, 2, 1, 0)


def test_several_fields_decide_each_for_itself() -> None:
    rows = [("http://a.example", "x:1"), ("http://A.example/", "x:1"), ("http://a.example", "x:2")]
    data = [{"page": {"url": url}, "from": origin} for url, origin in rows]
    Path("in").write_text("".join(json.dumps(row) + "\n" for row in data))
    assert deduplicate_rows(["in"], ["page.url", "from"], input="jsonl", output="out").kept == 2
    assert deduplicate_rows(["in"], ["page.url"], input="jsonl", output="out").kept == 1
    assert deduplicate_rows(["in"], ["page.url"], input="jsonl", output="out", by="host").kept == 1


def test_options_say_what_is_an_identifier() -> None:
    Path("in").write_text('{"url": "www.a.example"}\n{"url": "http://www.a.example/"}\n')
    assert deduplicate_rows(["in"], ["url"], input="jsonl", output="out").unmatched == 1
    options = Options(schemeless=True)
    counts = deduplicate_rows(["in"], ["url"], input="jsonl", output="out", options=options)
    assert (counts.kept, counts.duplicates, counts.unmatched) == (1, 1, 0)


def test_an_encoding_that_is_not_unicode() -> None:
    Path("in").write_bytes("url\nhttp://a.example/\xe9\nhttp://a.example/%E9\n".encode("latin-1"))
    counts = deduplicate_rows(["in"], ["url"], input="csv", output="out", encoding="latin-1")
    assert (counts.kept, counts.unmatched) == (2, 0)
    assert Path("out").read_bytes() == Path("in").read_bytes()
    assert deduplicate_rows(["in"], ["url"], input="csv", output="out").tally.broken == {("row", "broken"): 1}


def test_more_keys_than_memory_holds() -> None:
    rows = [(number, f"http://example.com/{number % 20_000}") for number in range(40_000)]
    _write("in", "jsonl", rows)
    counts = deduplicate_rows(["in"], ["url"], input="jsonl", output="out", memory_limit=1_000_000, folder=".")
    assert (counts.kept, counts.duplicates) == (20_000, 20_000)
    assert sorted(os.listdir()) == ["in", "out"]


@pytest.mark.parametrize(
    ("kind", "keep"),
    [(kind, keep) for kind in KINDS for keep in ("first", "last") if (kind, keep) != ("parquet", "last")],
)
def test_standard_input(kind: str, keep: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = Path(_write("in", kind, list(enumerate(URLS)))).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    counts = deduplicate_rows(["-"], ["url"], input=kind, output="out", keep=keep, unmatched="drop")
    assert _ids("out", kind) == (FIRST if keep == "first" else LAST)
    assert _numbers(counts) == (1, 6, 2, 2, 2)


def test_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    _write("in", "csv", list(enumerate(URLS)))
    deduplicate_rows(["in"], ["url"], input="csv", output="-", unmatched="drop")
    assert capfdbinary.readouterr().out == b"id,url\n0,http://A.example\n1,http://b.example/\n"
    counts = deduplicate_rows(["missing"], ["url"], input="csv", output="-")  # there is no output to be left as it was
    assert (counts.files, counts.found, counts.failed) == (0, False, True)
    assert capfdbinary.readouterr().out == b""
    deduplicate_rows(["in"], ["url"], input="csv", output="out", unmatched="-")
    assert capfdbinary.readouterr().out == b"id,url\n3,no link\n5,http://[/\n"


def test_a_group_of_parquet_is_written_as_it_was_read() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    times = pyarrow.array([0, 1, 2, 3], pyarrow.timestamp("ns"))
    table = pyarrow.table({"url": ["http://a.example", *URLS[:3]], "time": times})
    for old, compression in ((False, "zstd"), (True, "none")):
        parquet.write_table(table, "in", row_group_size=2, compression=compression, use_deprecated_int96_timestamps=old)
        counts = deduplicate_rows(["in"], ["url"], input="parquet", output="out")
        assert (counts.rows, counts.kept) == (4, 2)
        group = parquet.ParquetFile("out").metadata.row_group(0)
        assert [group.column(number).physical_type for number in (0, 1)] == ["BYTE_ARRAY", "INT96" if old else "INT64"]
        assert (group.num_rows, group.column(0).compression) == (2, "UNCOMPRESSED" if old else "ZSTD")
        assert parquet.read_table("out")["time"].cast(pyarrow.int64()).to_pylist() == [0, 2]


def test_groups_of_parquet_are_no_larger_than_those_that_were_read(monkeypatch: pytest.MonkeyPatch) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    rows = [{"page": {"url": f"http://{number}.example/", "note": "x" * 1_000}} for number in range(11)]
    table = pyarrow.Table.from_pylist(rows)
    with parquet.ParquetWriter("in", table.schema) as writer:
        for start, end in ((0, 3), (3, 7), (7, 11)):
            writer.write_table(table.slice(start, end - start))
    counts = deduplicate_rows(["in"], ["page.url"], input="parquet", output="out")
    assert counts.kept == 11
    assert parquet.read_table("out").to_pylist() == rows
    about = parquet.ParquetFile("out").metadata
    assert [about.row_group(number).num_rows for number in range(about.num_row_groups)] == [4, 4, 3]
    # Rows are written as soon as there are as many as a group has.
    for number, groups in ((2, [4, 4, 3]), (3, [4, 2, 4, 1])):
        monkeypatch.setattr("urisieve.sources.structured.row_files._MOST_ROWS", number)
        deduplicate_rows(["in"], ["page.url"], input="parquet", output="out")
        assert parquet.read_table("out").to_pylist() == rows
        about = parquet.ParquetFile("out").metadata
        assert [about.row_group(index).num_rows for index in range(about.num_row_groups)] == groups
    # So are those that take too much memory.
    monkeypatch.setattr("urisieve.data_sets.parquet_rows._WAITING", 1_000)
    deduplicate_rows(["in"], ["page.url"], input="parquet", output="out")
    about = parquet.ParquetFile("out").metadata
    assert [about.row_group(number).num_rows for number in range(about.num_row_groups)] == [3, 3, 3, 2]


@pytest.mark.parametrize(("keep", "store", "times"), [("first", None, 3), ("first", "seen", 1), ("last", None, 3)])
def test_rows_are_soon_written_unless_a_store_keeps_their_keys(keep: str, store: str | None, times: int) -> None:
    _write("in", "jsonl", [(number, f"http://example.com/{number}") for number in range(2_500)])
    events: list[Event] = []
    deduplicate_rows(["in"], ["url"], input="jsonl", output="out", keep=keep, store=store, on_event=events.append)
    assert [type(event) for event in events] == [BytesRead] * times


def test_rows_do_not_wait_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urisieve.data_sets.kept_rows._FIRST_BATCH_SECONDS", 0.0)
    _write("in", "jsonl", [(number, f"http://example.com/{number}") for number in range(2_500)])
    events: list[Event] = []
    deduplicate_rows(["in"], ["url"], input="jsonl", output="out", store="seen", on_event=events.append)
    assert [type(event) for event in events] == [BytesRead] * 3


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_found_where_no_row_has_a_key(kind: str) -> None:
    _write("in", kind, [(0, "no link"), (1, "")])
    counts = deduplicate_rows(["in"], ["url"], input=kind, output="out")
    assert (counts.rows, counts.kept, counts.unmatched, counts.found) == (2, 0, 2, False)


def test_empty_lines_are_rows_without_a_key() -> None:
    Path("in").write_text("id,url\n\n\n")  # empty lines have no fields, and that is no fault of the header
    counts = deduplicate_rows(["in"], ["url"], input="csv", output="out")
    assert (counts.rows, counts.kept, counts.unmatched, counts.found) == (2, 0, 2, False)
    assert Path("out").read_text() == "id,url\n\n\n"


# Stores.


@pytest.mark.parametrize("keep", ["first", "last"])
@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_a_store_adds_what_is_new(kind: str, keep: str) -> None:
    rows = list(enumerate(URLS))
    _write("one", kind, rows[:2])
    _write("two", kind, [*rows[2:5], (6, "http://c.example/")])
    if keep == "first":
        Path("out").touch()  # an output that is empty gets a header, too
    found = []
    for path in ("one", "two", "two"):
        counts = deduplicate_rows(
            [path], ["url"], input=kind, output="out", store="seen", keep=keep, unmatched="drop", folder="."
        )
        found.append((counts.kept, counts.found))
    assert found == [(2, True), (1, True), (0, True)]
    assert _ids("out", kind) == [0, 1, 6]
    with urisieve.Store("seen") as store:
        assert (len(store), urisieve.key("http://c.example") in store) == (3, True)


@pytest.mark.parametrize("old", [None, "", "\n"])
def test_a_byte_order_mark_stands_at_the_start_of_the_output_alone(old: str | None) -> None:
    if old is not None:
        Path("out").write_text(old)
    for number in (1, 2):
        Path("in").write_bytes(f"\ufeffurl\nhttp://{number}.example/\n".encode())
        deduplicate_rows(["in"], ["url"], input="csv", output="out", store="seen")
    assert Path("out").read_text("utf-8") == (old or "\ufeff") + "url\nhttp://1.example/\nhttp://2.example/\n"


@pytest.mark.parametrize("keep", ["first", "last"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_store_knows_the_file_of_each_key(kind: str, keep: str) -> None:
    rows = list(enumerate(URLS))
    paths = [_write("one", kind, rows[:2]), _write("two", kind, rows[2:])]
    deduplicate_rows(paths, ["url"], input=kind, output="out", store="seen", keep=keep)
    with urisieve.Store("seen") as store:
        assert [entry.source for entry in store.entries()] == ["one" if keep == "first" else "two"] * 2


@pytest.mark.parametrize("keep", ["first", "last"])
def test_a_store_keeps_no_keys_of_parquet_that_is_not_written(keep: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urisieve.sources.structured.row_files._MOST_ROWS", 1)
    with pytest.raises(InputError, match="the output is left as it was"):
        deduplicate_rows([_damaged("in")], ["url"], input="parquet", output="out", store="seen", keep=keep)
    assert not os.path.exists("out")
    with urisieve.Store("seen") as store:
        assert len(store) == 0


@pytest.mark.parametrize("keep", ["first", "last"])
def test_a_store_keeps_what_was_written_of_a_broken_file(keep: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    line = b'{"url": "http://a.example/"}\n'
    Path("in").write_bytes(gzip.compress(line)[:-6])
    counts = deduplicate_rows(["in"], ["url"], input="jsonl", output="-", store="seen", keep=keep)
    assert (counts.files, counts.kept, counts.failed) == (0, 1, True)
    assert capfdbinary.readouterr().out == line
    with urisieve.Store("seen") as store:
        assert urisieve.key("http://a.example/") in store
    # What was added to a file stays, too, and nothing says otherwise.
    counts = deduplicate_rows(["in"], ["url"], input="jsonl", output="out", store="new", keep=keep)
    assert (counts.files, counts.kept, counts.failed) == (0, 1, True)
    assert Path("out").read_bytes() == line
    with pytest.raises(InputError, match=r"nothing could be read \(in: .*\); the output is left as it was"):
        deduplicate_rows(["in"], ["url"], input="jsonl", output="out", store="new", keep=keep)
    assert Path("out").read_bytes() == line


@pytest.mark.parametrize("is_whole", [True, False])
@pytest.mark.parametrize("keep", ["first", "last"])
def test_rows_are_on_disk_before_a_store_keeps_their_keys(
    keep: str, is_whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = gzip.compress(b'{"url": "http://a.example/"}\n')
    Path("in").write_bytes(packed if is_whole else packed[:-6])
    calls: list[str] = []

    def noted(name: str, function: Callable[[Any], None]) -> Callable[[Any], None]:
        def called(given: Any) -> None:
            calls.append(name)
            function(given)

        return called

    monkeypatch.setattr(os, "fsync", noted("sync", os.fsync))
    monkeypatch.setattr(urisieve.Store, "commit", noted("commit", urisieve.Store.commit))
    deduplicate_rows(["in"], ["url"], input="jsonl", output="out", store="seen", keep=keep)
    assert calls[-2:] == ["sync", "commit"]


def test_a_field_that_is_nowhere_and_an_output_that_grows() -> None:
    _write("in", "jsonl", list(enumerate(URLS)))
    arguments: dict[str, Any] = {"input": "jsonl", "output": "out", "store": "seen"}
    with pytest.raises(InputError, match="'ulr'; an output that is a file is left as it was"):
        deduplicate_rows(["in"], ["ulr"], unmatched="drop", **arguments)
    assert not Path("out").exists()
    with pytest.raises(InputError, match="'ulr'; rows without it were added to the output; did you mean 'url'"):
        deduplicate_rows(["in"], ["ulr"], **arguments)
    assert Path("out").read_bytes() == Path("in").read_bytes()


def test_parquet_cannot_be_added_to() -> None:
    _write("one", "parquet", list(enumerate(URLS)))
    assert deduplicate_rows(["one"], ["url"], input="parquet", output="out", store="seen").kept == 2
    with pytest.raises(UsageError, match="Parquet and arrays of JSON cannot be added to"):
        deduplicate_rows(["one"], ["url"], input="parquet", output="out", store="seen")
    assert deduplicate_rows(["one"], ["url"], input="parquet", output="new", store="seen").kept == 0


# What cannot be read, and events.


@pytest.mark.parametrize("keep", ["first", "last"])
def test_broken_rows_cost_only_themselves(keep: str) -> None:
    Path("in").write_text('{"url": "http://a.example/"}\n{"url":\n[\n{"url": 5}\n{"url": "http://b.example/"}\n')
    events: list[Event] = []
    counts = deduplicate_rows(
        ["in"], ["url"], input="jsonl", output="out", keep=keep, unmatched="rest", on_event=events.append
    )
    assert _numbers(counts) == (1, 5, 2, 0, 3)
    assert counts.reasons == {"no-text": 1}
    assert counts.tally.broken == {("row", "broken"): 2}
    assert not counts.failed
    assert Path("rest").read_text() == '{"url":\n[\n{"url": 5}\n'
    messages = [event for event in events if isinstance(event, Message)]
    assert [(event.text[:13], event.is_error) for event in messages] == [
        ("in: row 2 is ", False),
        ("in: row 3 is ", False),
    ]
    assert sum(event.size for event in events if isinstance(event, BytesRead)) == Path("in").stat().st_size
    assert isinstance(events[-1], Message)


def test_a_field_that_is_nowhere() -> None:
    Path("out").write_text("old")
    _write("rows", "jsonl", list(enumerate(URLS)))
    with pytest.raises(InputError, match=r"no row has the field 'ulr'; .*did you mean 'url'"):
        deduplicate_rows(["rows"], ["ulr"], input="jsonl", output="out")
    _write("table", "csv", list(enumerate(URLS)))
    events: list[Event] = []
    with pytest.raises(InputError, match="nothing could be read"):
        deduplicate_rows(["table"], ["ulr"], input="csv", output="out", on_event=events.append)
    (failed,) = events
    assert isinstance(failed, FileFailed)
    assert (failed.path, "has no column 'ulr'" in failed.reason) == ("table", True)
    with pytest.raises(InputError, match=r"nothing could be read \(table: has no column 'ulr'; .*did you mean 'url'"):
        deduplicate_rows(["table"], ["ulr"], input="csv", output="out")
    assert Path("out").read_text() == "old"


def test_a_column_that_is_missing_is_reported() -> None:
    _write("table", "csv", list(enumerate(URLS)))
    events: list[Event] = []
    counts = deduplicate_rows(["table"], ["url", "urn"], input="csv", output="out", on_event=events.append)
    assert counts.kept == 2
    text = "table: has no column 'urn'; the others are read; did you mean 'url'?"
    assert events[0] == Message(text, is_error=True)


@pytest.mark.parametrize("keep", ["first", "last"])
@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet"])
def test_a_file_with_other_columns_costs_only_itself(kind: str, keep: str) -> None:
    rows = list(enumerate(URLS))
    paths = [
        _write("one", kind, rows[:2]),
        _write("other", kind, rows[2:4], ("number", "url")),
        "missing",
        _write("two", kind, [(6, "http://c.example/")]),
    ]
    events: list[Event] = []
    counts = deduplicate_rows(paths, ["url"], input=kind, output="out", keep=keep, on_event=events.append)
    assert _ids("out", kind) == [0, 1, 6]
    assert (counts.files, counts.failed) == (2, True)
    failed = [event for event in events if isinstance(event, FileFailed)]
    assert [event.path for event in failed] == ["other", "missing"]
    assert "other columns" in failed[0].reason or "another schema" in failed[0].reason


def _noted(events: list[Event], first: Callable[[], None]) -> Callable[[Event], None]:
    """Keep events, and do something at the first one."""

    def note(event: Event) -> None:
        events.append(event)
        if len(events) == 1:
            first()

    return note


@pytest.mark.parametrize(
    ("left", "kept", "message"),
    [
        (b"", [], "has lost rows"),
        (b'{"url": "x:1"}\n{"url": "two:2"}\n', ["two:2"], "has lost rows"),
        (gzip.compress(b'{"url": "x:1"}\n{"url": "two:2"}\n')[:-6], ["two:2"], "ends early"),
        (None, [], "No such file"),
    ],
    ids=["emptied", "first row gone", "cut short", "gone"],
)
def test_a_file_that_changes_between_the_two_readings(left: bytes | None, kept: list[str], message: str) -> None:
    for name in ("one", "two", "three"):
        Path(name).write_text(f'{{"url": "x:1"}}\n{{"url": "{name}:2"}}\n{{"url": "{name}:3"}}\n')
    events: list[Event] = []

    def change() -> None:
        if left is None:
            os.unlink("two")
        else:
            Path("two").write_bytes(left)

    counts = deduplicate_rows(
        ["one", "two", "three"], ["url"], input="jsonl", output="out", keep="last", on_event=_noted(events, change)
    )
    failed = [event for event in events if isinstance(event, FileFailed)]
    assert [(event.path, message in event.reason) for event in failed] == [("two", True)]
    lines = [f'{{"url": "{url}"}}' for url in ("one:2", "one:3", *kept, "x:1", "three:2", "three:3")]
    assert Path("out").read_text().splitlines() == lines
    assert (counts.files, counts.kept, counts.failed) == (3, len(lines), True)


def _damaged(path: str) -> str:
    """Write a file of Parquet whose third row cannot be read."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    urls = ("x:1", "x:2", "x:3")
    table = pyarrow.table({"id": [1, 2, 3], "url": urls})
    with parquet.ParquetWriter(path, table.schema, use_dictionary=False) as writer:
        for number in range(3):
            writer.write_table(table.slice(number, 1))
    start = parquet.ParquetFile(path).metadata.row_group(2).column(1).data_page_offset
    content = bytearray(Path(path).read_bytes())
    content[start : start + 20] = b"\xff" * 20
    Path(path).write_bytes(content)
    return path


@pytest.mark.parametrize(("keep", "ids"), [("first", [1, 2, 5]), ("last", [2, 4, 5])])
def test_parquet_that_breaks_off_costs_no_rows_of_others(
    keep: str, ids: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("urisieve.sources.structured.row_files._MOST_ROWS", 1)
    paths = [_damaged("one"), _write("two", "parquet", [(4, "x:1"), (5, "x:5"), (6, "no link")])]
    events: list[Event] = []
    counts = deduplicate_rows(
        paths, ["url"], input="parquet", output="out", keep=keep, unmatched="drop", on_event=events.append
    )
    assert _ids("out", "parquet") == ids
    assert _numbers(counts) == (1, 5, 3, 1, 1)
    assert [event.path for event in events if isinstance(event, FileFailed)] == ["one"]


@pytest.mark.parametrize(
    ("left", "ids", "messages"),
    [
        (0, [1, 5], ["has lost rows"]),
        (1, [1, 2, 5], ["has lost rows"]),
        (3, [1, 2, 3, 5], []),
        (None, [1, 5], ["Failed to open"]),
    ],
)
def test_parquet_that_changes_between_the_two_readings(left: int | None, ids: list[int], messages: list[str]) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    paths = [_write("one", "parquet", [(1, "x:1")]), "two", _write("three", "parquet", [(5, "x:5"), (6, "no link")])]
    table = pyarrow.table({"id": [2, 3, 4], "url": ["x:2", "x:3", "x:4"]})
    parquet.write_table(table.slice(0, 2), "two")
    events: list[Event] = []

    def change() -> None:
        if left is None:
            os.unlink("two")
        else:
            parquet.write_table(table.slice(0, left), "two")

    counts = deduplicate_rows(
        paths, ["url"], input="parquet", output="out", keep="last", unmatched="drop", on_event=_noted(events, change)
    )
    assert _ids("out", "parquet") == ids
    failed = [event for event in events if isinstance(event, FileFailed)]
    assert [(event.path, event.reason[: len(text)]) for event, text in zip(failed, messages, strict=True)] == [
        ("two", text) for text in messages
    ]
    assert (counts.files, counts.rows, counts.failed) == (3 - len(messages), len(ids) + 1, bool(messages))


# Checkpoints.


class StopError(Exception):
    """Ends a run from outside."""


def _stop_after(number: int) -> Callable[[Event], None]:
    events: list[Event] = []

    def stop(event: Event) -> None:
        events.append(event)
        if len(events) > number:
            raise StopError

    return stop


@pytest.mark.sampled(4)
@pytest.mark.parametrize("store", [None, "seen"])
@pytest.mark.parametrize("kind", ["jsonl", "csv", "tsv"])
def test_a_run_goes_on_from_its_checkpoint(kind: str, store: str | None) -> None:
    rows = [(number, f"http://example.com/{number * 7 % 25_000}") for number in range(40_000)]
    paths = [_write("one", kind, rows[:30_000]), _write("two", kind, rows[30_000:])]
    arguments: dict[str, Any] = {"input": kind, "output": "out", "checkpoint": "state", "memory_limit": 1_000_000}
    sizes = []
    for number in (0, 0, 1):
        with pytest.raises(StopError):
            deduplicate_rows(paths, ["url"], store=store, on_event=_stop_after(number), **arguments)
        sizes.append(Path("out").stat().st_size)
    assert 0 < sizes[0] < sizes[1]
    counts = deduplicate_rows(paths, ["url"], store=store, **arguments)
    assert 0 < counts.rows < 40_000
    assert counts.files == 2
    assert _ids("out", kind) == list(range(25_000))
    assert not os.path.exists("state")


def test_what_was_found_and_what_failed_is_kept_in_the_checkpoint() -> None:
    rows = [(0, "http://a.example/"), *((number, "no link at all") for number in range(1, 30_000))]
    _write("in", "jsonl", rows)
    arguments: dict[str, Any] = {"input": "jsonl", "output": "out", "checkpoint": "state", "memory_limit": 1_000_000}
    for number in (1, 0):  # the first event says that a file is missing
        with pytest.raises(StopError):
            deduplicate_rows(["missing", "in"], ["url"], on_event=_stop_after(number), **arguments)
    counts = deduplicate_rows(["missing", "in"], ["url"], **arguments)
    assert counts.rows < 30_000
    assert (counts.found, counts.failed) == (True, True)
    assert _ids("out", "jsonl") == list(range(30_000))


def test_a_checkpoint_of_nothing_done_says_nothing() -> None:
    _write("in", "jsonl", [(0, "no link")])
    arguments: dict[str, Any] = {"input": "jsonl", "output": "no/out", "checkpoint": "state"}
    with pytest.raises(OutputError):
        deduplicate_rows(["in"], ["url"], **arguments)
    assert os.path.exists("state")
    os.mkdir("no")
    counts = deduplicate_rows(["in"], ["url"], **arguments)
    assert (counts.files, counts.rows, counts.found, counts.failed) == (1, 1, False, False)


def test_a_checkpoint_is_that_of_its_call() -> None:
    rows = [(number, f"http://example.com/{number}") for number in range(10_000)]
    _write("in", "jsonl", rows)
    arguments: dict[str, Any] = {"input": "jsonl", "output": "out", "checkpoint": "state"}
    with pytest.raises(StopError):
        deduplicate_rows(["in"], ["url"], on_event=_stop_after(0), **arguments)
    with pytest.raises(UsageError, match="another command"):
        deduplicate_rows(["in"], ["url"], unmatched="drop", **arguments)
    for merge, words in (("page", "merge=page"), (Profile([], ["ref"]), "drop_params=ref")):
        with pytest.raises(StoreError, match=f"state: its keys were made by .*, those of this run by {words}"):
            deduplicate_rows(["in"], ["url"], options=Options(merge=merge), **arguments)
    with open("in", "a") as file:
        file.write("\n")
    with pytest.raises(UsageError, match="has been changed"):
        deduplicate_rows(["in"], ["url"], **arguments)


def test_one_path_and_one_field(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # H3
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("id,url\n1,http://A.example\n2,http://a.example/\n")
    for paths, fields in (("in.csv", "url"), (Path("in.csv"), ["url"]), (["in.csv"], "url")):
        counts = deduplicate_rows(paths, fields, input="csv", output="out.csv")
        assert (counts.rows, counts.kept, Path("out.csv").read_text()) == (2, 1, "id,url\n1,http://A.example\n")


# What cannot be taken.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"paths": 5}, "paths=5 must be a path, or a sequence of paths"),
        ({"paths": [5]}, r"paths\[0\]=5 must be a path"),
        ({"field": []}, "must be a name, or several"),
        ({"field": [5]}, "must be a list of names"),
        ({"input": "cvs"}, "input='cvs' is not a choice; .*did you mean 'csv'"),
        ({"keep": "both"}, "keep='both' is not a choice"),
        ({"by": "port"}, "by='port' is not a choice"),
        ({"encoding": "utf-9"}, "encoding 'utf-9' is not known"),
        ({"memory_limit": 5}, "memory_limit=5 must be an integer of at least"),
        ({"input": "parquet", "encoding": "latin-1"}, "encoding= does not go with Parquet"),
        ({"input": "parquet", "keep": "last", "paths": ["-"]}, "keep='last' over Parquet .* cannot be read twice"),
        ({"output": "-", "unmatched": "-"}, "both standard output"),
        ({"unmatched": "out"}, "output and unmatched are the same file"),
        ({"store": "in"}, "in: is read, and is also the file of store"),
        ({"checkpoint": "state", "input": "parquet"}, "checkpoint= does not go with Parquet"),
        ({"checkpoint": "state", "keep": "last"}, "checkpoint= does not go with keep='last'"),
        ({"checkpoint": "state", "unmatched": "rest"}, "checkpoint= does not go with a file for unmatched="),
        ({"checkpoint": "state", "output": "-"}, "not a regular file"),
        ({"checkpoint": "state", "paths": ["-"]}, "cannot be read again"),
        ({"checkpoint": "state", "output": "in"}, "in: is read, and is also the file of output"),
    ],
)
def test_what_cannot_be_taken(arguments: dict[str, Any], message: str) -> None:
    Path("in").write_text('{"url": "http://a.example/"}\n')
    given: dict[str, Any] = {"paths": ["in"], "field": ["url"], "input": "jsonl", "output": "out", **arguments}
    with pytest.raises(UsageError, match=message):
        deduplicate_rows(given.pop("paths"), given.pop("field"), **given)
    assert os.listdir() == ["in"]


def test_an_output_that_cannot_be_written() -> None:
    _write("in", "jsonl", list(enumerate(URLS)))
    with pytest.raises(OutputError, match="No such file"):
        deduplicate_rows(["in"], ["url"], input="jsonl", output="no/out")
    with pytest.raises(OutputError, match="the temporary store in no: No such file"):
        deduplicate_rows(["in"], ["url"], input="jsonl", output="out", keep="last", folder="no")
    assert os.listdir() == ["in"]


def test_parquet_whose_end_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    close = parquet.ParquetWriter.close

    def fail(writer: Any) -> None:
        monkeypatch.setattr(parquet.ParquetWriter, "close", close)
        raise pyarrow.ArrowInvalid("no end")

    _write("in", "parquet", list(enumerate(URLS)))
    monkeypatch.setattr(parquet.ParquetWriter, "close", fail)
    with pytest.raises(OutputError, match="Parquet: no end"):
        deduplicate_rows(["in"], ["url"], input="parquet", output="out")
    assert os.listdir() == ["in"]


def test_parquet_that_is_given_up_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    from pyarrow import parquet

    _write("in", "parquet", list(enumerate(URLS)))
    closed: list[object] = []
    close = parquet.ParquetWriter.close

    def noted(writer: Any) -> None:
        closed.append(writer)
        close(writer)

    monkeypatch.setattr(parquet.ParquetWriter, "close", noted)
    with pytest.raises(StopError) as _caught:  # which refers to the writer
        deduplicate_rows(["in"], ["url"], input="parquet", output="out", on_event=_stop_after(0))
    assert len(closed) == 1


@pytest.mark.parametrize("keep", ["first", "last"])
def test_an_error_of_the_caller_passes(keep: str) -> None:
    _write("in", "jsonl", list(enumerate(URLS)))

    def fail(event: Event) -> None:
        raise OSError("the log is full")

    with pytest.raises(OSError, match="the log is full"):
        deduplicate_rows(["in"], ["url"], input="jsonl", output="out", keep=keep, on_event=fail)
    assert os.listdir() == ["in"]
