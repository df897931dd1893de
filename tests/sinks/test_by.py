"""`--by`: the host, the domain or the template is what counts once, and what is counted, in each command and format."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.cli_support import Outcome, call
from tests.helpers.engines import Engine
from tests.helpers.folders import SAMPLES
from urisieve import Store, UsageError
from urisieve.sinks import CountSink
from urisieve.sinks.statistics import count_keys

# A host above another one, two keys of one template, a spelling, a name without a domain, a link without a host.
FILES = {
    "a.log": "2024-05-31T10:00:00Z http://A.example/u/1\n2024-05-31T12:00:00Z http://a.example/u/2 http://a.example/u/1",
    "b.log": "2024-05-30T10:00:00Z http://www.a.example/u/1\nhttp://b.example/ http://localhost/u/3 mailto:x@b.example",
    "c.log": "2024-06-01T10:00:00Z http://a.example/u/2#f urn:isbn:0395363411\n",
}
BY = ("host", "domain", "template")


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("by")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return [str(folder / name) for name in FILES]


def records(by: str, *argv: str) -> list[dict[str, Any]]:
    """All records, each with what counts, in their order."""
    fields = f"uri,raw,key,source,start,line,time,{by}"
    rows = call("extract", "-q", "-f", "jsonl", "--show-passwords", "--fields", fields, *argv).rows
    return [row for row in rows if row[by] is not None]


def first_of_each(by: str, *argv: str) -> list[dict[str, Any]]:
    """The slow way."""
    rows: dict[str, dict[str, Any]] = {}
    for row in records(by, *argv):
        rows.setdefault(row[by], row)
    return list(rows.values())


@pytest.mark.sampled(2)
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize("command", ["extract -u", "dedupe", "dedupe --memory-limit 120MB"])
def test_the_first_record_of_each_is_written(by: str, command: str, jobs: str, paths: list[str]) -> None:
    expected = first_of_each(by, *paths)
    assert len(expected) < len({row["key"] for row in records(by, *paths)})
    argv = (*command.split(), "--jobs", jobs, "--by", by)
    done = call(*argv, *paths)
    assert done.lines == [row["uri"] for row in expected]
    assert f"{len(expected)} unique" in done.err
    assert call(*argv, "-q", "--form", "raw", *paths).lines == [row["raw"] for row in expected]
    assert call(*argv, "-q", "--fields", "raw", *paths).lines == [row["raw"] for row in expected]
    table = call(*argv, "-q", "-f", "csv", "--fields", "line,source", *paths).out.decode()
    assert [row["line"] for row in csv.DictReader(io.StringIO(table))] == [str(row["line"]) for row in expected]


def test_with_keep_and_with_the_form() -> None:
    text = b"2024-01-02T00:00:00Z http://a.example/1 http://b.example/1\n2024-01-01T00:00:00Z http://a.example/2\n"
    assert call("extract", "-qu", "--by", "host", "--keep", "last", stdin=text).lines == [
        "http://b.example/1",
        "http://a.example/2",
    ]
    assert call("extract", "-qu", "--by", "host", "--keep", "earliest", stdin=text).lines[-1] == "http://a.example/2"
    assert call("extract", "-qu", "--by", "template", "--form", "host", stdin=text).lines == ["a.example", "b.example"]
    assert call("extract", "-qu", "--by", "host", "--form", "template", stdin=text).lines == [
        "http://a.example/{}",
        "http://b.example/{}",
    ]


def added_up(by: str, *argv: str) -> list[dict[str, Any]]:
    """The counts, by one record after the other."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in records(by, *argv):
        groups.setdefault(row[by], []).append(row)
    return [
        {
            by: name,
            "count": len(some),
            "sources": len({row["source"] for row in some}),
            "distinct": len({row["key"] for row in some}),
            "keys": list(dict.fromkeys(row["key"] for row in some)),
            "first_source": some[0]["source"],
            "first_start": some[0]["start"],
            "last_source": some[-1]["source"],
            "last_start": some[-1]["start"],
            "first_time": min((row["time"] for row in some if row["time"]), default=None),
            "last_time": max((row["time"] for row in some if row["time"]), default=None),
        }
        for name, some in groups.items()
    ]


def some_fields(done: Outcome, by: str, *argv: str) -> None:
    expected = added_up(by, *argv)
    assert [{name: row[name] for name in expected[0]} for row in done.rows] == expected


COUNT = ("count", "-q", "-f", "jsonl", "--show-passwords", "--read", "context", "--spellings", "1000", "--by")


@pytest.mark.sampled(5)
@pytest.mark.parametrize("limit", [(), ("--memory-limit", "1GB")], ids=" ".join)
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("by", BY)
def test_counts_are_what_records_add_up_to(
    by: str, jobs: str, limit: tuple[str, ...], paths: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from urisieve.cli import count_commands

    monkeypatch.setattr(count_commands, "budget", lambda limit: None if limit is None else 1_000)  # all is on disk
    for some in (paths, [str(SAMPLES / "mail.mbox"), str(SAMPLES / "access.log")]):
        some_fields(call(*COUNT, by, "--jobs", jobs, *limit, *some), by, *some)


@pytest.mark.parametrize("is_pure", [False, True], ids=["kernel", "python"])
def test_both_engines_count_the_same(is_pure: bool, paths: list[str]) -> None:
    engine = Engine(is_pure=is_pure)
    try:
        for by in BY:
            found = engine.ran([*COUNT, by, *paths])
            some_fields(Outcome(found.status, found.out.encode(), found.said), by, *paths)
            found = engine.ran(["extract", "-qu", "--by", by, *paths])
            assert found.out.splitlines() == [row["uri"] for row in first_of_each(by, *paths)]
    finally:
        engine.close()


@pytest.mark.parametrize("kind", ["text", "csv", "tsv", "parquet"])
def test_each_format_of_counts_has_the_names(kind: str, paths: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    argv = ("count", "-q", "--by", "host", "--spellings", "2", "--sort", "count", "-f", kind, "-o", str(out))
    assert call(*argv, *paths).status == 0
    keys = ["http://a.example/u/1", "http://a.example/u/2"]
    if kind == "text":
        first, *others = out.read_text().splitlines()
        assert first.split("\t")[:3] + first.split("\t")[-1:] == ["4", "2", "3", "a.example"]
        assert others[:2] == [f"\t{key}" for key in keys]
        return
    if kind == "parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        row = parquet.read_table(out).to_pylist()[0]
    else:
        with out.open(newline="") as file:
            row = next(csv.DictReader(file, dialect="excel-tab" if kind == "tsv" else "excel"))
        row = {**row, "count": int(row["count"]), "distinct": int(row["distinct"]), "keys": json.loads(row["keys"])}
    assert (row["host"], row["count"], row["distinct"], row["keys"]) == ("a.example", 4, 3, keys)
    assert not {"key", "uri", "spellings", "raws"}.intersection(row)


def test_what_has_none_is_left_out_and_counted(paths: list[str]) -> None:
    for argv in (("count",), ("dedupe",), ("extract", "-u")):
        assert "2 left out without a host" in call(*argv, "--by", "host", *paths).err
        assert "3 left out without a registrable domain" in call(*argv, "--by", "domain", *paths).err
        assert "left out" not in call(*argv, "--by", "template", *paths).err


def test_nothing_hidden_is_in_them() -> None:
    text = b"http://joe:pass1@a.example/x?id=1 http://joe:pass2@a.example/x?id=2 http://a.example/y?id=3"
    (row,) = call("count", "-q", "-f", "jsonl", "--by", "host", "--spellings", "9", stdin=text).rows
    assert (row["distinct"], "pass1" in str(row)) == (3, False)
    (row, _) = call("count", "-q", "-f", "jsonl", "--by", "template", "--spellings", "9", stdin=text).rows
    assert (row["template"], row["distinct"]) == ("http://joe:***@a.example/x?id={}", 2)
    argv = ("count", "-q", "-f", "jsonl", "--by", "template", "--spellings", "9", "--safe", "defang,no-query")
    rows = call(*argv, stdin=text).rows
    assert [row["template"] for row in rows] == ["hxxp://joe:***@a[.]example/x?***", "hxxp://a[.]example/y?***"]
    assert not any("http:" in str(row) or "id=" in str(row) for row in rows)


@pytest.mark.parametrize("by", BY)
def test_records_and_keys_that_are_written_are_counted_too(by: str, paths: list[str], tmp_path: Path) -> None:
    expected = [(row["count"], row["distinct"], row[by]) for row in call(*COUNT, by, *paths).rows]
    held = tmp_path / "links.jsonl"
    held.write_bytes(call("extract", "-q", "-f", "jsonl", *paths).out)
    rows = call("count", "-q", "-f", "jsonl", "--input", "records", "--by", by, str(held)).rows
    assert [(row["count"], row["distinct"], row[by]) for row in rows] == expected
    keys = call("extract", "-q", "--fields", "key", *paths).out
    rows = call("count", "-q", "-f", "jsonl", "--input", "keys", "--by", by, stdin=keys).rows
    assert [(row["count"], row["distinct"], row[by]) for row in rows] == expected
    found = call("dedupe", "-q", "--input", "jsonl", "--by", by, str(held)).lines
    assert found == [row["uri"] for row in first_of_each(by, *paths)]


@pytest.mark.parametrize(
    ("by", "ids"), [("host", "1 3 4"), ("domain", "1 4"), ("template", "1 3 4"), ("scheme+host+path", "1 2 3 4")]
)
def test_rows_of_tables(by: str, ids: str, tmp_path: Path) -> None:
    path, store = tmp_path / "rows.csv", str(tmp_path / "seen.db")
    links = ("http://a.example/1", "http://A.example/2", "http://www.a.example/3", "urn:isbn:0395363411")
    path.write_text("id,url\n" + "".join(f"{number},{link}\n" for number, link in enumerate(links, 1)))
    argv = ("dedupe", "-q", "--field", "url", "--by", by)
    for more in ((), ("--store", store)):
        lines = call(*argv, *more, str(path)).lines
        assert [line.split(",")[0] for line in lines[1:]] == ids.split()
    assert call(*argv, "--store", store, str(path)).lines == lines[:1]
    with Store(store, by=by) as opened:
        assert len(opened) == len(ids.split())


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ("extract --by host", "--by host needs --unique"),
        ("extract -u --by raw", "'raw' is not a choice; use one of key, host, domain, template"),
        ("count --by scheme+host+path", "use one of key, host, domain, template"),
        ("dedupe --by scheme+host+path", "--by scheme+host+path needs --field"),
        ("dedupe --by host --store s.db", "--by host without --field does not go with --store"),
        ("dedupe --by host --input keys", "--by does not go with it"),
    ],
)
def test_what_does_not_go_together(argv: str, message: str) -> None:
    done = call(*argv.split())
    assert (done.status, done.out, message in done.err) == (2, b"", True)


def test_the_library_takes_the_same_words() -> None:
    text = "http://a.example/1 http://a.example/2 urn:isbn:0395363411"
    assert [(row.key, row.count, row.spellings) for row in count_keys([text], by="host")] == [
        ("a.example", 2, ("http://a.example/1", "http://a.example/2"))
    ]
    for wrong in ("uri", "hots", 5):
        with pytest.raises(UsageError, match=r"by=.* is not a choice; use one of 'key', 'host', 'domain', 'template'"):
            CountSink(by=wrong)  # type: ignore[arg-type]
