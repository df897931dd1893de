"""`urisieve dedupe --field`: rows of data sets as people have them, whole, broken, and in several files."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.cli_support import COMMAND, PATIENCE, Outcome, call, start
from urisieve.cli import watched_run

JSONL = ("--input", "jsonl", "--field", "url")
CSV = ("--input", "csv", "--field", "url")


def _files(folder: Path, **texts: str) -> list[str]:
    paths = []
    for name, text in texts.items():
        path = folder / name
        path.write_bytes(text.encode())
        paths.append(str(path))
    return paths


def _kept(done: Outcome, status: int = 0) -> list[str]:
    assert done.status == status, done.err
    return done.lines


# One reader of rows: what the rows of data sets and the lines that are searched had each for itself holds for both.


@pytest.mark.parametrize(
    ("data", "flags", "kept"),
    [
        # JSON text sequences (RFC 7464), which `extract` read and `dedupe` did not.
        (b'\x1e{"url":"http://a.example/"}\n\x1e{"url":"http://A.example"}\n', (), 1),
        # A byte order mark is no text, also where the encoding is named, or the line holds nothing else.
        (b'\xef\xbb\xbf{"url":"http://a.example/"}\n', ("--encoding", "utf-8"), 1),
        (b'\xef\xbb\xbf\n{"url":"http://a.example/"}\n', (), 1),
    ],
)
def test_rows_of_lines_that_are_searched(tmp_path: Path, data: bytes, flags: tuple[str, ...], kept: int) -> None:
    (tmp_path / "rows").write_bytes(data)
    done = call("dedupe", *JSONL, *flags, "--unmatched", "drop", str(tmp_path / "rows"))
    assert (done.status, done.out.count(b"\n")) == (0, kept)
    assert "broken" not in done.err


@pytest.mark.parametrize("policy", ["PASSED_ON", "LEFT_OUT"])
def test_each_policy_for_broken_rows_says_what_becomes_of_them(policy: str) -> None:
    from urisieve.sources.structured import row_reader

    assert f"- `{policy}`" in (row_reader.__doc__ or "")


# Tables (RFC 4180).

TABLE = """id,url,note
1,http://a.example/,5" disk
2,http://b.example/,
3,http://c.example/,"first line
second line"
4,http://A.example,
5,http://d.example/,"say ""hi"" loud"
6,"http://e.example/
7,http://b.example,
8,"http://f.example/",too,many
9,http://g.example/,
"""


@pytest.mark.parametrize("keep", ["first", "last"])
def test_a_stray_quotation_mark_costs_only_its_line(tmp_path: Path, keep: str) -> None:
    (path,) = _files(tmp_path, table=TABLE)
    done = call("dedupe", *CSV, "--keep", keep, "--unmatched", str(tmp_path / "rest"), path)
    lines = {"first": [1, 2, 3, 5, 9], "last": [3, 4, 5, 7, 9]}[keep]
    assert [line[:1] for line in _kept(done)[1:] if line != 'second line"'] == list(map(str, lines))
    rest = (tmp_path / "rest").read_text().splitlines()
    assert [line[:2] for line in rest] == ["id", "6,", "8,"]
    assert "broken: 2 rows" in done.err
    assert "row 8 is broken (a quotation mark is never closed)" in done.err
    assert "row 10 has 4 cells under 3 columns" in done.err


def test_tables_are_kept_to_the_byte(tmp_path: Path) -> None:
    (path,) = _files(tmp_path, table=TABLE.replace("\n", "\r\n"))
    everything = call("dedupe", "--quiet", *CSV, path)
    kept = everything.out.replace(b"\r\n", b"\n").decode()
    assert kept == TABLE.replace("4,http://A.example,\n", "").replace("7,http://b.example,\n", "")


@pytest.mark.parametrize("flags", [(), ("--input", "csv")])
@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_one_row_is_a_table_of_standard_input(flags: tuple[str, ...], mark: str) -> None:
    table = f"url{mark}n\nhttp://a.example/{mark}1\n".encode()
    assert call("dedupe", "--field", "url", *flags, stdin=table).out == table


def test_stray_quotation_marks_cost_no_rows() -> None:
    row = b'1,"http://a.example/\n'
    done = call("dedupe", "--quiet", *CSV, stdin=b"id,url\n" + row * 30_001)
    assert len(done.lines) == 30_002  # every line is a row of its own, and none has an end


@pytest.mark.parametrize("keep", ["first", "last"])
def test_a_file_with_other_columns_costs_only_itself(tmp_path: Path, keep: str) -> None:
    paths = _files(
        tmp_path,
        a="id,url\n1,http://a.example/\n2,http://b.example/\n",
        b="url,id\nhttp://a.example/,3\nhttp://c.example/,4\n",
        c="id,url\n5,http://b.example/\n6,http://c.example/\n7,http://c.example/\n",
    )
    done = call("dedupe", *CSV, "--keep", keep, *paths)
    ids = {"first": ["1", "2", "6"], "last": ["1", "5", "7"]}[keep]
    assert [line[0] for line in _kept(done, 2)[1:]] == ids
    assert "b: has other columns" in done.err


def test_a_field_that_is_no_column_is_told(tmp_path: Path) -> None:
    (path,) = _files(tmp_path, table=TABLE)
    done = call("dedupe", "--input", "csv", "--field", "ulr", path)
    assert (done.status, done.out) == (2, b"")
    assert "has no column 'ulr'; its columns are 'id', 'url'" in done.err
    rows = b'{"url": "http://a.example/"}\n'
    done = call("dedupe", "--input", "jsonl", "--field", "ulr", stdin=rows)
    assert (done.status, done.out) == (2, rows)
    assert "no row has the field 'ulr'" in done.err


@pytest.mark.parametrize("mark", ["utf-16", "utf-32"])
@pytest.mark.parametrize("flags", [JSONL, CSV])
def test_wide_characters_are_refused(flags: tuple[str, ...], mark: str) -> None:
    done = call("dedupe", *flags, stdin='{"url": "http://a.example/"}\n'.encode(mark))
    assert (done.status, done.out, "convert it to UTF-8" in done.err) == (2, b"", True)


def test_a_byte_order_mark_stays_at_the_start(tmp_path: Path) -> None:
    row = '\ufeff{"url": "http://%s.example/"}\n'
    paths = _files(tmp_path, a=row % "a", b=row % "b")
    assert call("dedupe", "--quiet", *JSONL, *paths).out.count(b"\xef\xbb\xbf") == 1


# Exit status: 0 where a row has an identifier, 1 where none has one.


@pytest.mark.parametrize(("text", "status"), [("http://a.example/", 0), ("nothing", 1)])
@pytest.mark.parametrize("keep", ["first", "last"])
def test_the_status_says_whether_there_are_identifiers(tmp_path: Path, keep: str, text: str, status: int) -> None:
    (path,) = _files(tmp_path, a=json.dumps({"url": text}) + "\n")
    flags = (*JSONL, "--quiet", "--keep", keep, "--store", str(tmp_path / "seen.db"), path)
    assert [call("dedupe", *flags).status for _ in range(2)] == [status, status]


# Stores.


def test_the_last_row_and_the_first_have_one_key_in_a_store(tmp_path: Path) -> None:
    (path,) = _files(tmp_path, a='{"url": "http://u:secret@a.example/"}\n{"url": "http://b.example/"}\n')
    store = str(tmp_path / "seen.db")
    flags = ("--quiet", "--store", store)
    assert len(call("dedupe", *flags, *JSONL, "--keep", "last", path).lines) == 2
    assert call("dedupe", *flags, *JSONL, path).lines == []
    assert call("dedupe", *flags, stdin=b"http://u:secret@a.example/ http://b.example").lines == []
    assert "keys: 2" in call("store", "info", store).lines
    exported = [json.loads(line) for line in call("store", "export", store).lines[1:]]
    assert {row["source"] for row in exported} == {path}


# Parquet.


def _parquet(path: Path, columns: dict[str, Any], **more: Any) -> str:
    pa = pytest.importorskip("pyarrow")
    table = pa.table(columns)
    pa.parquet.write_table(table, path, **more)
    return str(path)


def test_parquet_from_standard_input(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow.parquet")
    path = Path(_parquet(tmp_path / "a.parquet", {"url": ["http://a.example", "http://A.example", None]}))
    flags = ("--input", "parquet", "--field", "url", "-o", str(tmp_path / "out.parquet"))
    done = call("dedupe", *flags, stdin=path.read_bytes())
    assert (done.status, "3 rows, 1 kept" in done.err) == (0, True), done.err
    done = call("dedupe", *flags, "--keep", "last", stdin=path.read_bytes())
    assert (done.status, "cannot be read twice" in done.err) == (2, True)


def test_parquet_stays_what_it_was(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    urls = [f"http://{number % 40}.example/" for number in range(100)]
    times = pa.array(range(100), pa.timestamp("ns"))  # which Python's own type cannot hold
    path = _parquet(
        tmp_path / "a.parquet", {"t": times, "url": urls}, compression="zstd", row_group_size=60,
        use_deprecated_int96_timestamps=True,
    )  # fmt: skip
    out = tmp_path / "out.parquet"
    for keep in ("first", "last"):
        done = call("dedupe", "--quiet", "--input", "parquet", "--field", "url", "--keep", keep, "-o", str(out), path)
        assert (done.status, done.err) == (0, "")
        before, after = (pyarrow.parquet.ParquetFile(name) for name in (path, out))
        assert after.schema_arrow == before.schema_arrow
        kept = after.read().column("t").cast(pa.int64()).to_pylist()
        assert kept == (list(range(40)) if keep == "first" else list(range(60, 100)))
        group = after.metadata.row_group(0)
        assert after.metadata.num_row_groups == 1
        assert [group.column(place).compression for place in (0, 1)] == ["ZSTD", "ZSTD"]
        assert group.column(0).physical_type == "INT96"


FAT = "x" * 200_000


@pytest.mark.long
@pytest.mark.parametrize(
    "values",
    [
        [FAT] * 1_500,
        [None] * 500 + [FAT] * 1_000,
        [[]] * 500 + [[FAT]] * 1_000,
        [{"a": [{"b": FAT}]}] * 1_500,
        [[f"{number}", FAT] for number in range(1_500)],
    ],
    ids=["texts", "texts behind nulls", "lists", "lists of structs", "lists of two"],
)
@pytest.mark.parametrize("keep", ["first", "last"])
def test_a_value_that_many_rows_share_is_not_held_for_all(tmp_path: Path, values: list[Any], keep: str) -> None:
    """It stands in the file once, and takes 200 to 300 MB in its rows."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    urls = [f"http://{number % 300}.example/" for number in range(1_500)]
    path = _parquet(tmp_path / "a.parquet", {"url": urls, "value": values})
    out = tmp_path / "out.parquet"
    before, pool = pa.default_memory_pool(), pa.proxy_memory_pool(pa.default_memory_pool())
    pa.set_memory_pool(pool)
    try:
        done = call("dedupe", "--input", "parquet", "--field", "url", "--keep", keep, "-o", str(out), path)
    finally:
        pa.set_memory_pool(before)
    assert (done.status, "1,500 rows, 300 kept" in done.err) == (0, True)
    kept = pyarrow.parquet.read_table(out).column("value")
    rows = range(300) if keep == "first" else range(1_200, 1_500)
    assert all(kept[number].as_py() == values[row] for number, row in enumerate(rows))
    assert pool.max_memory() < 150_000_000


def test_parquet_of_bytes_and_of_other_schemas(tmp_path: Path) -> None:
    one = _parquet(tmp_path / "1.parquet", {"url": [b"http://a.example/", b"HTTP://A.example", None]})
    two = _parquet(tmp_path / "2.parquet", {"url": ["http://a.example/"], "more": [1]})
    three = _parquet(tmp_path / "3.parquet", {"url": [b"http://b.example/", b"http://b.example"]})
    import pyarrow.parquet

    out = tmp_path / "out.parquet"
    for keep, rows in (("first", [0, 2, 3]), ("last", [1, 2, 4])):
        flags = ("--input", "parquet", "--field", "url", "--keep", keep, "-o", str(out))
        done = call("dedupe", *flags, one, two, three)
        assert (done.status, "2.parquet: has another schema" in done.err) == (2, True)
        given = [b"http://a.example/", b"HTTP://A.example", None, b"http://b.example/", b"http://b.example"]
        assert pyarrow.parquet.read_table(out).column("url").to_pylist() == [given[row] for row in rows]
    done = call("dedupe", "--input", "parquet", "--field", "ulr", "-o", str(tmp_path / "none"), one)
    assert (done.status, "has no column 'ulr'" in done.err) == (2, True)


@pytest.mark.parametrize("keep", ["first", "last"])
@pytest.mark.parametrize("kind", ["string", "large_string", "dictionary", "binary", "list"])
def test_the_type_of_a_column_of_parquet_does_not_matter(tmp_path: Path, kind: str, keep: str) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    links = ["http://a.example", None, "HTTP://A.example:80/", "", " \n", "no link", "http://b.example/\u00fc"]
    links += ["urn:isbn:0395363411", " http://a.example/ ", "http://b.example/%C3%BC", "http://u:pw@c.example"]
    links += ["URN:ISBN:0-395-36341-1", "http://[x/"]
    column = pa.array(links, pa.string())
    if kind == "dictionary":
        column = column.dictionary_encode()
    elif kind == "list":
        column = pa.array([None if link is None else [link] for link in links], pa.list_(pa.string()))
    elif kind != "string":
        column = column.cast(getattr(pa, kind)())
    table = pa.table({"id": range(len(links)), "link": column})
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=5)
    flags = ("--input", "parquet", "--field", "link", "--keep", keep, "--unmatched", "drop")
    done = call("dedupe", "-v", *flags, "--output", str(tmp_path / "out.parquet"), str(tmp_path / "in.parquet"))
    kept = [0, 6, 7, 10] if keep == "first" else [8, 9, 10, 11]
    assert pq.read_table(tmp_path / "out.parquet")["id"].to_pylist() == kept
    assert "13 rows, 4 kept, 4 duplicates, 5 unmatched " in done.err
    assert "(empty 3, bad-ip-literal 1, no-scheme 1)" in done.err


@pytest.mark.parametrize("command", [("dedupe",), ("count",), ("count", "--spellings", "2")])
def test_records_as_parquet_have_one_schema(tmp_path: Path, command: tuple[str, ...]) -> None:
    pytest.importorskip("pyarrow")
    import pyarrow.parquet

    schemas = []
    for text in (b"", b"http://a.example/"):
        done = call(*command, "--quiet", "--format", "parquet", stdin=text)
        schemas.append(pyarrow.parquet.read_schema(io.BytesIO(done.out)))
    assert schemas[0] == schemas[1]


# Outputs that a store adds to.


@pytest.mark.parametrize("keep", ["first", "last"])
def test_an_output_grows_from_run_to_run(tmp_path: Path, keep: str) -> None:
    paths = _files(
        tmp_path,
        a="id,url\n1,http://a.example/\n2,http://A.example",
        b="id,url\n3,http://b.example/\n4,http://a.example\n",
        c="url,id\nhttp://c.example/,5\n",
    )
    out = tmp_path / "out.csv"
    flags = ("--quiet", *CSV, "--keep", keep, "--store", str(tmp_path / "seen.db"), "-o", str(out))
    assert [call("dedupe", *flags, path).status for path in (paths[0], paths[0], paths[1])] == [0, 0, 0]
    first = "1,http://a.example/" if keep == "first" else "2,http://A.example"
    assert out.read_text() == f"id,url\n{first}\n3,http://b.example/\n"
    done = call("dedupe", *flags, paths[2])
    assert (done.status, "has other columns than" in done.err) == (2, True)
    assert out.read_text() == f"id,url\n{first}\n3,http://b.example/\n"
    new = tmp_path / "new.csv"
    done = call("dedupe", *flags[:-1], str(new), str(tmp_path / "missing"))
    assert (done.status, new.exists()) == (2, False)


def test_standard_output_has_no_second_use(tmp_path: Path) -> None:
    (path,) = _files(tmp_path, a='{"url": "none"}\n{"url": "http://a.example/"}\n')
    for mode in ("wb", "ab"):
        with (tmp_path / "both").open(mode) as out:
            argv = [*COMMAND, "dedupe", *JSONL, "--unmatched", str(tmp_path / "both"), path]
            done = subprocess.run(argv, stdout=out, stderr=subprocess.PIPE, check=False)
        assert (done.returncode, b"are the same file" in done.stderr) == (2, True)


@pytest.mark.parametrize("keep", ["first", "last"])
def test_a_closed_pipe_ends_cleanly(tmp_path: Path, keep: str) -> None:
    rows = "".join(f'{{"url": "http://a.example/{number}", "text": "{"x" * 1_000}"}}\n' for number in range(2_000))
    (path,) = _files(tmp_path, a=rows)
    with start("dedupe", *JSONL, "--keep", keep, path) as running:
        assert running.stdout
        assert running.stderr
        assert running.stdout.readline()
        running.stdout.close()
        assert (running.stderr.read(), running.wait(PATIENCE)) == (b"", 0)


def test_a_list_of_files_is_not_written_to(tmp_path: Path) -> None:
    paths = _files(tmp_path, text="http://a.example/ ", list=str(tmp_path / "text"))
    for flags in ((), ("--input", "jsonl", "--field", "url"), ("--input", "keys")):
        done = call("dedupe", *flags, "-o", paths[1], "--files-from", paths[1])
        assert (done.status, "is read, and is also the file of --output" in done.err) == (2, True)
    assert Path(paths[1]).read_text() == paths[0]


def test_a_field_that_no_row_has_leaves_the_output_alone(tmp_path: Path) -> None:
    (path,) = _files(tmp_path, a='{"url": "http://a.example/"}\n')
    out = tmp_path / "out"
    out.write_text("precious")
    done = call("dedupe", "--input", "jsonl", "--field", "ulr", "-o", str(out), path)
    assert (done.status, out.read_text()) == (2, "precious")


def test_the_size_of_packed_rows_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known: list[bool] = []

    def watched(*_: object, is_total_known: bool, **__: object) -> None:
        known.append(is_total_known)

    monkeypatch.setattr(watched_run, "watched", watched)
    row = b'{"url": "http://a.example/"}\n'
    for name, data in (("a.jsonl", row), ("a.jsonl.gz", gzip.compress(row)), ("b.jsonl.bz2", bz2.compress(row))):
        path = tmp_path / name
        path.write_bytes(data)
        assert call("dedupe", "--input", "jsonl", "--field", "url", str(path)).rows == [{"url": "http://a.example/"}]
    assert known == [True, False, False]
