"""`urisieve count`: what it adds up is what stands in the JSON lines of `urisieve extract`."""

from __future__ import annotations

import bz2
import gzip
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.cli_support import call
from tests.helpers.folders import SAMPLES
from urisieve import extract_batches
from urisieve.options import Sort
from urisieve.sinks import CountSink

COUNTS = ("--show-passwords", "--format", "jsonl", "--spellings", "1000")
PLACE = ("source", "message", "message_id", "part", "field", "row", "start")
SOURCES = [
    ("access.log",),
    ("disguised.txt",),
    ("disguised.txt", "access.log", "disguised.txt"),
    ("cjk-rtl.txt",),
    ("mail.mbox",),
    ("mail",),
    ("data/links.jsonl", "data/links.csv"),
]


def _added_up(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The slow way: one record after the other."""
    rows: dict[str, dict[str, Any]] = {}
    sources: dict[str, set[str]] = {}
    for record in records:
        key = record["key"]
        first = {f"first_{name}": record[name] for name in PLACE}
        row = rows.setdefault(key, {"uri": record["uri"], "count": 0, "raws": [], **first})
        row["count"] += 1
        row.update({f"last_{name}": record[name] for name in PLACE})
        if record["raw"] not in row["raws"]:
            row["raws"].append(record["raw"])
        sources.setdefault(key, set()).add(record["source"])
    for key, row in rows.items():
        row.update(key=key, schema=5, sources=len(sources[key]), spellings=len(row["raws"]))
    return list(rows.values())


@pytest.mark.sampled(31)
@pytest.mark.parametrize(
    "flags",
    [
        (),
        ("--accept", "nested"),
        ("--accept", "defanged", "--level", "none"),
        ("--urn-syntax", "rfc8141", "--accept", "addresses"),
    ],
)
@pytest.mark.parametrize("names", SOURCES, ids=" ".join)
def test_counts_are_what_records_add_up_to(names: tuple[str, ...], flags: tuple[str, ...]) -> None:
    paths = [str(SAMPLES / name) for name in names]
    records = call("extract", "--quiet", "--show-passwords", "--format", "jsonl", *flags, *paths).rows
    assert records
    expected = _added_up(records)
    for jobs in ("1", "2"):
        done = call("count", "--quiet", *COUNTS, "--jobs", jobs, *flags, *paths)
        assert [dict(sorted(row.items())) for row in done.rows] == [dict(sorted(row.items())) for row in expected]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("sort", ["first", "count", "uri"])
def test_places_on_disk_are_those_in_memory(monkeypatch: pytest.MonkeyPatch, sort: str) -> None:
    from urisieve.cli import count_commands as count

    paths = [str(SAMPLES / name) for name in ("mail", "mail.mbox", "data/links.jsonl", "disguised.txt")]
    expected = call("count", "--quiet", *COUNTS, "--sort", sort, *paths).rows
    monkeypatch.setattr(count, "budget", lambda limit: None if limit is None else 1_000)
    found = call("count", "--quiet", *COUNTS, "--sort", sort, "--memory-limit", "1GB", *paths)
    assert found.rows == expected


def test_what_memory_holds_stays_within_the_limit(tmp_path: Path) -> None:
    sink = CountSink(memory_limit=1_000_000, folder=str(tmp_path))
    total = 0
    for page in range(40):
        text = " ".join(f"http://example.com/{number}" for number in range(page * 500, page * 500 + 1_000))
        total += 1_000
        for batch in extract_batches([(f"page {page}", text)], columns=CountSink.columns):
            sink.take(batch)
        assert sink._counts.size <= 500_000
    sink.close()
    assert len(sink) == 20_500
    assert sum(row.count for row in sink.rows()) == total
    assert [row.count for row in sink.rows(min_count=2, sort=Sort.COUNT)] == [2] * 19_500
    assert list(sink.rows(sort=Sort.URI)) == sorted(sink.rows(), key=lambda row: row.uri)
    sink.discard()
    assert list(tmp_path.iterdir()) == []


def test_keys_records_and_columns_are_counted(tmp_path: Path) -> None:
    (tmp_path / "links.jsonl").write_bytes(
        call("extract", "-f", "jsonl", stdin=b"http://a.example http://A.example").out
    )
    assert call("count", "--input", "records", str(tmp_path / "links.jsonl")).lines[0].startswith("2\t1\t2\t")
    assert call("count", "--input", "keys", stdin=b"b:1\nb:1\n").lines == ["2\t1\t1\t-:1\t-:2\tb:1"]
    table = b"url,note\nhttp://a.example/,http://b.example/\nhttp://A.example,\n"
    (row,) = call("count", "-f", "jsonl", "--input", "csv", "--field", "url", stdin=table).rows
    assert (row["count"], row["spellings"], row["last_row"]) == (2, 2, 3)


@pytest.mark.parametrize("kind", ["jsonl", "csv", "tsv", "parquet"])
@pytest.mark.parametrize("count", [0, 1, 3])
def test_records_are_known_by_their_content(kind: str, count: int, tmp_path: Path) -> None:
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    text, path = b"http://a.example http://A.example http://b.example"[: count * 17], tmp_path / "links"
    call("extract", "-f", kind, "-o", str(path), stdin=text)
    lines = [line.split("\t") for line in call("count", "--input", "records", str(path)).lines]
    assert [(line[0], line[-1]) for line in lines] == [
        *[(f"{min(count, 2)}", "http://a.example/")][:count],
        *[("1", "http://b.example/")][: count // 3],
    ]
    if kind != "parquet":  # it is not read from a pipe
        data = path.read_bytes()
        assert call("count", "--input", "records", stdin=data).lines == ["\t".join(line) for line in lines]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("--input", "keys", "--schemes", "ftp"), "--schemes does not go with it"),
        (("--input", "keys", "--only", "warning=any"), "--only warning does not go with it"),
        (("--input", "records", "--accept", "defanged"), "--accept defanged does not go with it"),
        (("--only-identifiers", "-f", "csv"), "--only-identifiers is for --format text, not csv"),
        (("--input", "keys", "--read", "all-parts"), "--input keys takes keys as they stand"),
        (("--color", "always", "-f", "tsv"), "--color is for --format text"),
        (("--min-count", "0"), "is not a number from 1 on"),
        (("--safe", "no-query", "--show-passwords"), "give one of them"),
    ],
)
def test_what_count_cannot_do(argv: tuple[str, ...], message: str) -> None:
    done = call("count", *argv)
    assert (done.status, message in done.err) == (2, True)


def test_places_for_people(tmp_path: Path) -> None:
    path = tmp_path / "two.mbox"
    message = "From a@b.example Thu Jan  1 00:00:00 1970\nFrom: a@b.example\nSubject: x\n\n{} http://e.example/\n\n"
    path.write_text(message.format("one") + message.format("the second"))
    done = call("count", "--quiet", str(path))
    name = str(path)
    assert done.lines == [
        f"2\t1\t1\t{name}, message 1, part 1:4\t{name}, message 2, part 1:11\thttp://e.example/",
    ]


def test_a_name_that_is_not_utf_8_is_json_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "\udcff"
    path.write_text("http://e.example/")
    (row,) = call("count", "--format", "jsonl", str(path)).rows
    assert row["first_source"] == row["last_source"] == str(path)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress], ids=["gzip", "bzip2"])
def test_lists_and_rows_may_be_compressed(tmp_path: Path, pack: Any) -> None:
    plain = {
        "keys": b"http://a.example/\nhttp://b.example/\nhttp://a.example/\n",
        "jsonl": b'{"url": "http://a.example/"}\n{"url": "HTTP://A.example"}\n{"url": "http://b.example/"}\n',
        "csv": b"id,url\n1,http://a.example/\n2,HTTP://A.example\n3,http://b.example/\n",
    }
    for kind, data in plain.items():
        path = tmp_path / f"{kind}.packed"
        path.write_bytes(pack(data))
        flags = ("--input", kind) if kind == "keys" else ("--input", kind, "--field", "url")
        done = call("dedupe", *flags, str(path))
        assert done.out == call("dedupe", "--quiet", *flags, stdin=data).out
        assert "read: 1 " in done.err
    records = tmp_path / "records"
    data = call("extract", "--format", "jsonl", stdin=b"http://a.example/ http://a.example").out
    records.write_bytes(pack(data))
    assert call("dedupe", "--quiet", "--input", "jsonl", str(records)).lines == ["http://a.example/"]
    (tmp_path / "cut").write_bytes(pack(data)[:-5])
    done = call("dedupe", "--input", "jsonl", str(tmp_path / "cut"))
    assert (done.status, "ends early" in done.err) == (2, True)


def test_a_broken_record_costs_only_itself() -> None:
    lines = call("extract", "--format", "jsonl", stdin=b"http://a.example/ http://b.example/").out.splitlines()
    data = b"\n".join([lines[0], b"{broken", b'{"no": "record"}', lines[1], b"[]", lines[0].replace(b":5,", b":9,")])
    for command in (("dedupe", "--input", "jsonl"), ("count", "--input", "records")):
        done = call(*command, stdin=data)
        assert [line.split("\t")[-1] for line in done.lines] == ["http://a.example/", "http://b.example/"]
        assert done.status == 2
        assert "broken: 4 records (unreadable)" in done.err
        assert "row 6 is of schema 9" in done.err


def test_a_key_longer_than_many_blocks_is_whole() -> None:
    key = b"urn:example:" + b"a" * (64 << 17)
    done = call("dedupe", "--quiet", "--input", "keys", stdin=key + b"\n" + key)
    assert list(map(len, done.lines)) == [len(key)]
