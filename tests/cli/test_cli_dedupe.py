"""`urisieve dedupe` and `urisieve store`: what merges, what must not, and that every way gives the same."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import tarfile
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urisieve
from tests.helpers.cli_support import Outcome, call
from tests.helpers.strategies import examples
from urisieve.cli.settings.dedupe_arguments import DedupeSettings, parse_dedupe

# Spellings that are one identifier (RFC 3986 6.2, RFC 3987 5.3, RFC 2141 5).
MERGE = [
    "http://example.com http://example.com/ HTTP://EXAMPLE.COM http://example.com:80/ http://example.com:/",
    "http://example.com/~a http://example.com/%7ea http://example.com/%7Ea http://example.com/b/../%7ea",
    "http://example.com/a%c3%a9 http://example.com/a%C3%A9 http://example.com/aé",
    "http://bücher.example/ http://xn--bcher-kva.example/ http://B%C3%BCcher.example/ http://BÜCHER.example",
    "http://[2001:db8::1]/ http://[2001:DB8:0:0:0:0:0:1]:80/",
    "file:///etc/fstab file://localhost/etc/fstab file:/etc/fstab",
    "urn:isbn:0395363411 URN:ISBN:0395363411 urn:ISBN:0-395-36341-1",
    "urn:example:a%2Cb URN:Example:a%2cb",
    "mailto:Joe@EXAMPLE.com MAILTO:Joe@example.COM",
    "https://user:secret@example.com/ HTTPS://user:secret@EXAMPLE.com:443",
]
# Identifiers of which no two are one.
APART = [
    "http://example.com/ https://example.com/ http://example.com/# http://example.com/? http://www.example.com/",
    "http://example.com/a http://example.com/A http://example.com/a/ http://example.com//a http://example.com/a?",
    "http://example.com/a,b http://example.com/a%2Cb http://example.com/a%2fb http://example.com/a/b",
    "http://example.com/?a=1&b=2 http://example.com/?b=2&a=1 http://example.com/?a=1&b=2#c",
    "http://example.com:8080/ http://example.com./ http://user@example.com/ http://user:@example.com/",
    "https://u:one@example.com/ https://u:two@example.com/",
    "urn:example:a urn:example:A urn:example:a%2C urn:example:a, urn:other:a",
    "mailto:joe@example.com mailto:Joe@example.com mailto:joe@example.com?subject=x",
    "http://straße.example/ http://strasse.example/ http://example.com/é http://example.com/e%CC%81",
]


def _wrapped(row: str) -> bytes:
    """Identifiers in angle brackets, where nothing is trimmed."""
    return " ".join(f"<{text}>" for text in row.split()).encode()


COMMANDS = {"text": ("dedupe",), "jsonl": ("dedupe", "-f", "jsonl"), "counts": ("count", "-f", "jsonl")}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("row", MERGE)
def test_one_identifier(row: str, command: tuple[str, ...]) -> None:
    assert len(call(*command, stdin=_wrapped(row)).lines) == 1


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("row", APART)
def test_different_identifiers(row: str, command: tuple[str, ...]) -> None:
    assert len(call(*command, stdin=_wrapped(f"{row} {row}")).lines) == len(row.split())


@pytest.mark.parametrize(("rows", "one"), [(MERGE, True), (APART, False)])
def test_rows_and_stores_merge_alike(tmp_path: Path, rows: list[str], one: bool) -> None:
    for number, row in enumerate(rows):
        data = "".join(json.dumps({"url": text}) + "\n" for text in row.split()).encode()
        expected = 1 if one else len(row.split())
        assert len(call("dedupe", "--input", "jsonl", "--field", "url", stdin=data).lines) == expected
        store = str(tmp_path / f"{number}.db")
        found = [line for text in row.split() for line in call("dedupe", "--store", store, stdin=_wrapped(text)).lines]
        assert len(found) == expected


# Every way gives the same.

COUNTS = ("--format", "jsonl", "--spellings", "9")

LINKS = [f"http://Example.{top}/{path}" for top in ("com", "COM", "net") for path in ("", "a", "%7Eb", "~b", "é")]


def _paths(folder: Path, texts: list[list[str]]) -> list[str]:
    paths = []
    for number, text in enumerate(texts):
        path = folder / f"{number}.txt"
        path.write_text("\n".join(text) + "\n", encoding="utf-8")
        paths.append(str(path))
    return paths


def _lines(*argv: str, command: str = "dedupe") -> list[str]:
    done = call(command, "--quiet", *argv)
    assert (done.status in (0, 1), done.err) == (True, "")
    return done.lines


@examples(25)
@given(st.lists(st.lists(st.sampled_from(LINKS), max_size=12), min_size=1, max_size=3))
def test_every_way_gives_the_same(tmp_path_factory: pytest.TempPathFactory, texts: list[list[str]]) -> None:
    folder = tmp_path_factory.mktemp("ways")
    paths = _paths(folder, texts)
    records = [record for path in paths for record in urisieve.extract_files([path])]
    expected = list(dict.fromkeys(record.uri for record in records))
    assert _lines(*paths) == expected
    assert _lines(*paths, *paths) == expected
    assert sorted(_lines(*reversed(paths))) == sorted(expected)
    assert _lines("--store", str(folder / "one.db"), *paths) == expected
    runs = [line for path in paths for line in _lines("--store", str(folder / "runs.db"), path)]
    assert runs == expected
    assert _lines("--store", str(folder / "runs.db"), "--mark-new", *paths) == [f"old\t{line}" for line in expected]
    assert _lines("--store", str(folder / "new.db"), "--mark-new", *paths) == [f"new\t{line}" for line in expected]
    output = folder / "output"
    _lines("--checkpoint", str(folder / "checkpoint"), "--output", str(output), *paths)
    assert output.read_text().splitlines() == expected
    assert not (folder / "checkpoint").exists()
    rows = [json.loads(line) for line in _lines(*COUNTS, *paths, command="count")]
    assert [row["uri"] for row in rows] == expected
    assert sum(row["count"] for row in rows) == len(records)
    for row in rows:
        mine = [record for record in records if record.uri == row["uri"]]
        assert row["count"] == len(mine)
        assert row["sources"] == len({record.source for record in mine})
        assert row["raws"] == list(dict.fromkeys(record.raw for record in mine))
        assert row["spellings"] == len(row["raws"])
        assert (row["first_source"], row["first_start"]) == _place(mine[0])
        assert (row["last_source"], row["last_start"]) == _place(mine[-1])
    saved = folder / "records.jsonl"
    saved.write_bytes(call("extract", "--format", "jsonl", *paths).out)
    assert _lines("--input", "jsonl", str(saved)) == expected
    again = _lines("--input", "records", *COUNTS, str(saved), command="count")
    assert [json.loads(line) for line in again] == rows


def _place(record: urisieve.Record) -> tuple[str | None, int]:
    return record.source, record.start


def _corpus(folder: Path, number: int = 4_000) -> list[str]:
    chance = random.Random(5)
    texts = [
        [
            f"http://Example.com:80/{chance.randrange(number)} http://example.com/é{chance.randrange(50)}"
            for _ in range(number)
        ]
        for _ in range(3)
    ]
    return _paths(folder, texts)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("sort", ["first", "count", "uri"])
def test_counts_on_disk_are_those_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sort: str) -> None:
    from urisieve.cli import count_commands as count

    shared = [f"http://example.com/{number}" for number in range(50)]
    # Sources that share their keys while all are in memory; more keys; a source that comes again.
    (tmp_path / "few").mkdir()
    spelled = [f"HTTP://Example.com/{number}" for number in range(25)]
    few = _paths(tmp_path / "few", [shared[:40] + spelled, shared, shared[10:] + spelled])
    paths = [*few, *_corpus(tmp_path, 1_500), few[0]]
    expected = _lines(*COUNTS, "--sort", sort, *paths, command="count")
    monkeypatch.setattr(count, "budget", lambda limit: None if limit is None else 300_000)
    temp = tmp_path / "temp"
    temp.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temp))
    flags = ("--memory-limit", "1GB", "--sort", sort)
    assert _lines(*COUNTS, *flags, *paths, command="count") == expected
    assert _lines(*COUNTS, *flags, "--min-count", "3", *paths, command="count") == [
        line for line in expected if json.loads(line)["count"] >= 3
    ]
    assert list(temp.iterdir()) == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("flags", [(), ("--format", "jsonl"), ("--store",)], ids=["text", "rows", "store"])
def test_processes_and_limits_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...], jobs: str
) -> None:
    paths = _corpus(tmp_path)
    if flags == ("--store",):
        flags = ("--store", str(tmp_path / "seen.db"))
    expected = _lines(*(flags if "--store" not in flags else ()), "--jobs", "1", *paths)
    monkeypatch.setattr("urisieve.cli.dedupe.budget", lambda limit: None if limit is None else 100_000)
    monkeypatch.setattr("urisieve.cli.dedupe.LEAST_LIMIT", 100_000)
    monkeypatch.setattr("urisieve.dedupe.keyset.LEAST_LIMIT", 100_000)
    done = call("dedupe", "--quiet", *flags, "--memory-limit", "120MB", "--jobs", jobs, *paths)
    assert (done.status, done.err) == (0, "")
    assert done.lines == expected


def test_counts_for_people() -> None:
    text = b"http://a.example http://b.example/ http://A.example/ http://b.example/ http://b.example/ http://c.example/"
    assert call("count", "--spellings", "2", stdin=text).lines == [
        "2\t1\t2\t-:0\t-:35\thttp://a.example/",
        "\thttp://a.example",
        "\thttp://A.example/",
        "3\t1\t1\t-:17\t-:71\thttp://b.example/",
        "\thttp://b.example/",
        "1\t1\t1\t-:89\t-:89\thttp://c.example/",
        "\thttp://c.example/",
    ]
    plain = ("count", "--only-identifiers")
    assert call(*plain, "--min-count", "2", stdin=text).lines == ["http://a.example/", "http://b.example/"]
    assert call(*plain, "--min-count", "3", stdin=text).lines == ["http://b.example/"]
    assert call(*plain, "--sort", "count", stdin=text).lines[0] == "http://b.example/"
    assert call(*plain, "--sort", "uri", stdin=text[17:]).lines[0] == "http://a.example/"


@pytest.mark.parametrize("kind", ["csv", "tsv"])
def test_counts_as_a_table(kind: str) -> None:
    out = call("count", "--spellings", "2", "--format", kind, stdin=b"http://a.example, <http://a.ex\nample>").out
    rows = list(csv.DictReader(io.StringIO(out.decode(), newline=""), delimiter="," if kind == "csv" else "\t"))
    assert [(row["uri"], row["count"]) for row in rows] == [("http://a.example/", "2")]
    assert json.loads(rows[0]["raws"]) == ["http://a.example", "http://a.ex\nample"]


def test_passwords_are_masked(tmp_path: Path) -> None:
    text = b"http://u:secret@a.example/ http://u:other@a.example/ http://u:secret@a.example"
    store = ("dedupe", "--store", str(tmp_path / "s.db"))
    for command in (("dedupe",), ("count", "--spellings", "3"), ("dedupe", "--format", "jsonl"), store):
        done = call(*command, stdin=text)
        assert b"secret" not in done.out
        assert done.out.count(b"http://u:***@a.example/") >= 2
    assert call("dedupe", "--store", str(tmp_path / "s.db"), stdin=text).lines == []
    assert b"u:secret@" in call("dedupe", "--show-passwords", stdin=text).out


# Data sets.

JSONL = (
    b'{"id": 1, "url": "http://A.example/x"}\n{"id": 2,  "url": "http://a.example:80/x"}\r\n'
    b'not json\n\n{"id": 3, "url": null}\n{"id":4,"url":"see http://b.example/ and http://a.example/x"}\n'
    b'{"id":5,"url":["http://a.example/x", "http://b.example"]}\n{"id":6,"url":"http://a.example/x?q"}'
)


def _ids(out: bytes) -> list[int]:
    return [json.loads(line)["id"] for line in out.splitlines() if line.startswith(b"{")]


def test_rows_stay_as_they_are() -> None:
    lines = JSONL.splitlines(keepends=True)
    done = call("dedupe", "--input", "jsonl", "--field", "url", stdin=JSONL)
    assert done.out == b"".join(lines[place] for place in (0, 2, 3, 4, 5, 6, 7))
    done = call("dedupe", "-v", "--input", "jsonl", "--field", "url", "--keep", "last", stdin=JSONL)
    assert done.out == b"".join(lines[place] for place in (1, 2, 3, 4, 5, 6, 7))
    assert "1 file, 8 rows, 3 kept, 1 duplicate, 4 unmatched (bad-scheme 1, empty 1)" in done.err


@pytest.mark.parametrize(("by", "ids"), [("key", [1, 5, 6]), ("host", [1, 5]), ("scheme+host+path", [1, 5])])
def test_rows_by_a_part(tmp_path: Path, by: str, ids: list[int]) -> None:
    others = tmp_path / "others"
    flags = ("--input", "jsonl", "--field", "url", "--by", by, "--unmatched")
    assert _ids(call("dedupe", *flags, str(others), stdin=JSONL).out) == ids
    text = b'{"id":4,"url":"see http://b.example/ and http://a.example/x"}\n'
    assert others.read_bytes() == b'not json\n\n{"id": 3, "url": null}\n' + text
    assert _ids(call("dedupe", *flags, "drop", stdin=JSONL).out) == ids


def test_rows_of_tables(tmp_path: Path) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_bytes(b'\xef\xbb\xbfid,url\r\n1,http://A.example/\r\n2,"\r\nhttp://b.example\r\n"\r\n3,HTTP://a.example')
    two.write_bytes(b"id,url\n4,http://b.example/\n5,http://c.example/\n")
    flags = ("--input", "csv", "--field", "url", str(one), str(two))
    lines = one.read_bytes().split(b"3,")[0]
    assert call("dedupe", *flags).out == lines + b"5,http://c.example/\n"
    last = b"\xef\xbb\xbfid,url\r\n3,HTTP://a.example\n4,http://b.example/\n5,http://c.example/\n"
    assert call("dedupe", *flags, "--keep", "last").out == last
    two.write_bytes(b"url\nhttp://d.example/\n")
    done = call("dedupe", *flags)
    assert (done.status, "two.csv: has other columns" in done.err) == (2, True)


# A1: fields of two rows, and whether one of the rows is a duplicate of the other.
FIELDS = [
    ("https://f.example/css?family=Lato|Roboto", "https://f.example/css?family=Lato|Inter", False),
    ("http://e.example/a b", "http://e.example/a c", False),
    ("http://e.example/{x}", "http://e.example/{y}", False),
    ("http://e.example/a", "http://e.example/a.", False),
    ("http://e.example/a", "(http://e.example/a)", False),
    ("http://e.example/a", "<http://e.example/a>", False),
    ("http://e.example/a", "see http://e.example/a", False),
    ("see http://e.example/a", "go http://e.example/a", False),
    ("urn:example:a~b", "urn:example:a~c", False),
    ("http://e.example/a\ufffdb", "http://e.example/a\ufffdc", False),
    (["http://e.example/a", "x"], ["http://e.example/a", "y"], False),
    (["http://e.example/a", 1], ["http://e.example/a", 2], False),
    ("http://e.example/a|b", "http://e.example/a|b", False),
    ("http://E.example:80/%7ea", "http://e.example/~a", True),
    (" http://e.example/a\n", "http://e.example/a", True),
    ("urn:isbn:0-395-36341-1", "URN:ISBN:0395363411", True),
    (["http://e.example/a", "http://e.example/b"], ["http://e.example/b", "http://E.example/a"], True),
    (["http://e.example/a", None, ""], "http://e.example/a", True),
]


@pytest.mark.parametrize(("one", "two", "is_duplicate"), FIELDS)
@pytest.mark.parametrize("flags", [(), ("--keep", "last")])
def test_a_field_counts_as_a_whole(one: object, two: object, is_duplicate: bool, flags: tuple[str, ...]) -> None:
    rows = "".join(f"{json.dumps({'n': number, 'u': value})}\n" for number, value in enumerate((one, two)))
    done = call("dedupe", "--input", "jsonl", "--field", "u", *flags, stdin=rows.encode())
    assert len(done.out.splitlines()) == (1 if is_duplicate else 2)
    if isinstance(one, str) and isinstance(two, str) and is_duplicate:
        assert urisieve.equivalent(one.strip(), two.strip())


def test_cells_count_as_a_whole() -> None:
    table = b"u,n\nhttp://e.example/a|b,1\nhttp://e.example/a|c,2\nhttp://e.example/a b,3\nhttp://e.example/a,4\n"
    done = call("dedupe", "--input", "csv", "--field", "u", stdin=table)
    assert done.out == table
    assert "3 unmatched (illegal-character 3)" in done.err


def test_several_fields_count_each_for_itself() -> None:
    urls = [("a", "b"), ("b", "a"), ("a", "b"), ("a", None), (None, "a"), ("a", None)]
    rows = [{"u": u and f"http://{u}.example", "v": v and f"http://{v}.example"} for u, v in urls]
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    done = call("dedupe", "--input", "jsonl", "--field", "u", "--field", "v", stdin=text.encode())
    assert done.rows == [rows[place] for place in (0, 1, 3, 4)]


def test_fields_without_a_scheme_by_option() -> None:
    table = b"u,n\nwww.e.example,1\nhttp://www.e.example/,2\nwww.e.example and more,3\n"
    done = call("dedupe", "--input", "csv", "--field", "u", "--accept", "names", "--quiet", stdin=table)
    assert done.out == table.replace(b"http://www.e.example/,2\n", b"")


def test_rows_over_a_store(tmp_path: Path) -> None:
    flags = ("--input", "jsonl", "--field", "url", "--unmatched", "drop", "--store", str(tmp_path / "seen.db"))
    assert _ids(call("dedupe", *flags, stdin=JSONL).out) == [1, 5, 6]
    assert call("dedupe", *flags, stdin=JSONL + b'\n{"id":7,"url":"a:x"}').out == b'{"id":7,"url":"a:x"}'
    done = call("dedupe", *flags, "--by", "host", stdin=JSONL)
    assert (done.status, "its keys were made by" in done.err) == (2, True)


def test_rows_of_parquet(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    urls = ["http://A.example/x", "http://a.example:80/x", None, "http://b.example"]
    table = pa.table({"id": pa.array([1, 2, 3, 4], pa.int32()), "url": urls}).replace_schema_metadata({"who": "me"})
    path, output, others = tmp_path / "in.parquet", tmp_path / "out.parquet", tmp_path / "others.parquet"
    pq.write_table(table, path)
    flags = ("--input", "parquet", "--field", "url", str(path), "-o", str(output))
    for more, ids in (
        ((), [1, 3, 4]),
        (("--keep", "last"), [2, 3, 4]),
        (("--unmatched", "drop"), [1, 4]),
        (("--unmatched", str(others)), [1, 4]),
        (("--store", str(tmp_path / "seen.db")), [1, 3, 4]),
        (("--store", str(tmp_path / "seen.db")), [3]),
    ):
        output.unlink(missing_ok=True)
        done = call("dedupe", *flags, *more)
        assert done.status in (0, 1), done.err
        found = pq.read_table(output)
        assert found.schema.equals(table.schema, check_metadata=True)
        assert found["id"].to_pylist() == ids
    assert pq.read_table(others)["id"].to_pylist() == [3]


def test_records_as_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    sample = "samples/disguised.txt"
    for command in ("dedupe", "count"):
        path = tmp_path / "out.parquet"
        assert call(command, "--format", "parquet", "-o", str(path), sample).status == 0
        expected = call(command, "--format", "jsonl", sample).rows
        import pyarrow.parquet as pq

        assert pq.read_table(path).to_pylist() == expected
    assert call("dedupe", "--format", "parquet", "-o", str(path), sample).status == 0
    assert call("dedupe", "--input", "parquet", str(path)).lines == call("dedupe", sample).lines


def test_parquet_needs_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    done = call("dedupe", "--format", "parquet", stdin=b"http://a.example")
    assert (done.status, "pip install 'urisieve[parquet]'" in done.err) == (2, True)


def test_keys_as_they_stand() -> None:
    assert call("dedupe", "--input", "keys", stdin=b"b:1\nA:1\r\n\nb:1\na:1").lines == ["b:1", "A:1", "a:1"]


def test_records_that_are_none() -> None:
    done = call("dedupe", "--input", "jsonl", stdin=b'{"url": "a:b"}\n')
    assert (done.status, "row 1 is not a record of urisieve" in done.err) == (2, True)
    done = call("dedupe", "--input", "jsonl", stdin=b'{"schema": 99, "uri": "a:b", "key": "a:b"}\n')
    assert (done.status, "schema 99" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("enough", "little"),
    [
        ("120000000", "119999999"),
        ("120MB", "119.999999mb"),
        ("120000k", "119999KB"),
        ("117188KiB", "117187 kib"),
        ("114.5MiB", "114.4Mi"),
        ("0.12GB", "0.11g"),
        ("0.112GiB", "0.111GiB"),
        ("0.00012TB", "0.00011TB"),
        ("0.00011TiB", "0.000109TiB"),
        (f"{'9' * 400}TB", "120iB"),
        ("120000000b", "120"),
    ],
)
def test_the_least_limit_of_memory(enough: str, little: str) -> None:
    assert call("dedupe", "--quiet", "--memory-limit", enough).err == ""
    done = call("dedupe", "--quiet", "--memory-limit", little)
    assert (done.status, "memory" in done.err) == (2, True)


def test_a_store_has_a_share_of_the_memory() -> None:
    limited, free = parse_dedupe(["--store", "s", "--memory-limit", "1GB", "text"]), parse_dedupe(["--store", "s", "x"])
    assert isinstance(limited, DedupeSettings)
    assert isinstance(free, DedupeSettings)
    assert limited.cache is not None
    assert 0 < limited.cache < 500_000_000
    assert free.cache is None


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--field", "x", "--input", "text"], "--field does not go with --input text"),
        (["--mark-new"], "--mark-new needs --store"),
        (["--checkpoint", "c", "x"], "--checkpoint needs --output"),
        (["--memory-limit", "lots"], "is not a size"),
        (["--memory-limit", "60MB"], "use 120MB or more"),
    ],
)
def test_flags_that_do_not_go(argv: list[str], message: str) -> None:
    done = call("dedupe", *argv)
    assert (done.status, message in done.err) == (2, True)


# The command `store`.


def _store(*argv: str, stdin: bytes = b"") -> Outcome:
    return call("store", *argv, stdin=stdin)


def test_stores_are_looked_after(tmp_path: Path) -> None:
    one, two, three = (str(tmp_path / name) for name in ("one", "two", "three"))
    call("dedupe", "--store", one, stdin=b"http://a.example http://b.example http://A.example")
    call("dedupe", "--store", two, stdin=b"http://b.example http://c.example")
    info = dict(line.split(": ", 1) for line in _store("info", one).lines)
    assert (info["keys"], info["seen"], info["sources"]) == ("2", "3", "1")
    assert _store("verify", one).lines == ["2 keys, nothing wrong"]
    exported = _store("export", one).out
    assert _store("import", three, stdin=exported).lines == ["2 new"]
    assert _store("export", three).out == exported
    assert _store("merge", three, two).lines == ["1 new"]
    assert _store("forget", three, "HTTP://a.example").lines == ["1 forgotten"]
    assert call("dedupe", "--store", three, stdin=b"http://a.example http://c.example").lines == ["http://a.example/"]
    assert _store("forget", three, "--unseen-for", "1").lines == ["0 forgotten"]
    for argv, message in (
        (("import", three), "is not what `urisieve store export` writes"),
        (("forget", three), "say what to forget"),
        (("forget", three, "no identifier"), "identifier 1 of those to forget is not valid"),
        (("info", str(tmp_path / "none")), "there is no such store"),
    ):
        done = _store(*argv)
        assert (done.status, message in done.err) == (2, True)
    call("dedupe", "--level", "syntax", "--store", str(tmp_path / "other"), stdin=b"http://b.example")
    assert "its keys were made by" in _store("merge", three, str(tmp_path / "other")).err


def test_a_store_that_is_wrong_is_told(tmp_path: Path) -> None:
    import sqlite3

    path = str(tmp_path / "seen.db")
    call("dedupe", "--store", path, stdin=b"http://a.example")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE keys SET count = 0")
    connection.close()
    done = _store("verify", path)
    assert (done.status, "1 keys were never seen" in done.err) == (1, True)


def test_a_store_counts(tmp_path: Path) -> None:
    path = str(tmp_path / "seen.db")
    paths = _corpus(tmp_path, 300)
    call("dedupe", "--store", path, "--jobs", "2", *paths)
    rows = [json.loads(line) for line in _store("export", path).lines[1:]]
    expected = Counter(record.key for record in urisieve.extract_files(paths))
    assert sorted(row["count"] for row in rows) == sorted(expected.values())


# Sources of every kind.


def _sources(folder: Path) -> Path:
    sources = folder / "sources"
    sources.mkdir()
    message = b"From: a@b.example\nTo: c@d.example\nSubject: http://m.example/s\n\nhttp://m.example/ http://A.example\n"
    texts = {"m.eml": message, "two.txt": "http://é.example/ http://a.example http://two.example/".encode()}
    with tarfile.open(sources / "all.tgz", "w:gz") as archive:
        for name, data in texts.items():
            (sources / name).write_bytes(data)
            archive.add(sources / name, name)
    (sources / "one.log.gz").write_bytes(gzip.compress(b"http://a.example/ http://one.example/"))
    return sources


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_sources_of_every_kind(tmp_path: Path, jobs: str) -> None:
    folder = str(_sources(tmp_path))
    flags = ("--jobs", jobs, folder)
    records = call("extract", "--format", "jsonl", folder).rows
    expected = list(dict.fromkeys(record["uri"] for record in records))
    assert len(expected) == 6
    assert _lines(*flags) == expected
    assert _lines("--store", str(tmp_path / "seen.db"), *flags) == expected
    assert call("store", "info", str(tmp_path / "seen.db")).lines.count("seen: 14") == 1
    assert _lines("--store", str(tmp_path / "seen.db"), *flags) == []
    output = tmp_path / "output"
    _lines("--checkpoint", str(tmp_path / "checkpoint"), "--output", str(output), *flags)
    assert output.read_text().splitlines() == expected
    rows = [json.loads(line) for line in _lines("--format", "jsonl", *flags, command="count")]
    found = {row["uri"]: (row["count"], row["sources"], row["first_source"], row["first_start"]) for row in rows}
    for uri in expected:
        mine = [record for record in records if record["uri"] == uri]
        sources = len({record["source"] for record in mine})
        assert found[uri] == (len(mine), sources, mine[0]["source"], mine[0]["start"])


@pytest.mark.parametrize("kind", ["jsonl", "csv", "tsv", "parquet"])
def test_records_keep_their_places(tmp_path: Path, kind: str) -> None:
    folder = str(_sources(tmp_path))
    saved = tmp_path / f"records.{kind}"
    if kind == "parquet":
        pytest.importorskip("pyarrow")
        call("dedupe", "--format", kind, "-o", str(saved), folder)
    else:
        saved.write_bytes(call("extract", "--format", kind, folder).out)
    expected = _lines("--format", "jsonl", folder)
    assert [json.loads(line)["part"] for line in expected[:2]] == ["header:Subject", "1"]
    assert _lines("--format", "jsonl", "--input", kind, str(saved)) == expected


def test_flags_of_reading(tmp_path: Path) -> None:
    folder = _sources(tmp_path)
    assert len(_lines("--include", "*.txt", str(folder))) == 3
    listed = f"{folder / 'two.txt'}\0{folder / 'one.log.gz'}\0".encode()
    assert len(call("dedupe", "--files-from", "-", stdin=listed).lines) == 4
    page = b"<a href='/y'>http://e.example/ve<wbr>ry</a>"
    assert call("dedupe", "--input", "html", stdin=page).lines == ["http://e.example/very"]
    entry = b"__REALTIME_TIMESTAMP=1\nMESSAGE=http://a.example/\nOTHER=http://b.example/\n\n"
    assert call("dedupe", "--input", "journal", "--field", "MESSAGE", stdin=entry).lines == ["http://a.example/"]
    done = call("dedupe", "--input", "jsonl", "--unescape", "html", stdin=b"")
    assert (done.status, "--unescape does not go with it" in done.err) == (2, True)
    rows = tmp_path / "rows"
    rows.mkdir()
    (rows / "a.jsonl").write_bytes(JSONL)
    (rows / "b.jsonl").write_bytes(JSONL)
    done = call("dedupe", "-v", "--input", "jsonl", "--field", "url", "--unmatched", "drop", str(rows))
    assert (_ids(done.out), "read: 1 folder" in done.err) == ([1, 5, 6], True)


def test_what_cannot_be_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(b"http://a.example/ " + random.Random(1).randbytes(999))[:-40])
    for command in (("dedupe",), ("count",), ("dedupe", "--store", str(tmp_path / "seen.db"))):
        done = call(*command, str(path))
        assert done.status == 2
        assert [line.split("\t")[-1] for line in done.lines] == ["http://a.example/"]
        assert "cut.gz: gzip data ends early" in done.err
