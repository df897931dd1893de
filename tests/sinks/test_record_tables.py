"""Records as Parquet: the columns of the kernel and those of Python, by the library and by the command."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import two_searches
from tests.helpers.cli_support import call
from tests.helpers.folders import SAMPLES
from urisieve import Options, read_records
from urisieve.files import extract_batches
from urisieve.find.searches import make_search
from urisieve.records.batch import Batch, BatchBuffer

pa = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
pq = pytest.importorskip("pyarrow.parquet")

from urisieve.records.field_table import batch_arrays  # noqa: E402 - where pyarrow is installed

NUMBERS = ("start", "end", "line", "column", "byte_start", "byte_end")
TEXTS = (
    *("raw", "uri", "key", "iri", "kind", "scheme", "userinfo", "host", "host_kind", "port", "path", "query"),
    *("fragment", "nid", "nss", "source", "wrapper"),
)
KINDS = {
    **dict.fromkeys(NUMBERS, pa.int64()),
    **dict.fromkeys(TEXTS, pa.string()),
    **dict.fromkeys(("warnings", "alternatives"), pa.list_(pa.string())),
}


def _plain(value: Any) -> Any:
    """A value as Arrow gives it back."""
    if isinstance(value, (int, type(None))):
        return value
    return list(map(str, value)) if isinstance(value, (tuple, list)) else str(value)


def _same_columns(batch: Batch) -> int:
    made = dict(zip(KINDS, batch_arrays(batch, KINDS), strict=True))
    for name, array in made.items():
        array.validate(full=True)
        assert array.to_pylist() == list(map(_plain, batch.column(name))), name
    return len(batch)


@given(st.integers(min_value=0, max_value=1 << 64))
def test_arrays_hold_what_the_columns_hold(seed: int) -> None:
    for case, _ in zip(two_searches.cases(seed, long=0), range(5), strict=False):
        buffer = BatchBuffer()
        search = make_search(case.options, buffer)
        for piece in case.pieces:
            if isinstance(piece, str):
                search.feed(piece)
            elif search.takes_bytes:
                search.feed_bytes(piece)
        search.close()
        for batch in buffer.drained():
            _same_columns(batch)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("urn:ex:a?%C3%A9=b#%C3%A9 urn:isbn:0-395-36341-1 http://xn--bcher-kva.example/%C3%A9?x#y", None),
        ("http://u:p@[::1]:8080/a?b#c http://1.2.3.4/ http://b\u00fccher.example/ (http://e.example/\u4e2d)", None),
        ("<http://a.example/a b> <http://a.example/a\n\u00a0b> mailto:a@b.example?subject=%20 file:///etc/hosts", None),
        ("URN:EX:A HTTP://A/%7e", Options(level="none")),
    ],
)
def test_arrays_of_what_is_rare(text: str, options: Options | None) -> None:
    buffer = BatchBuffer()
    search = make_search(options or Options(), buffer)
    search.finish(text)
    assert sum(map(_same_columns, buffer.drained())) > 1


# The command.


@pytest.mark.parametrize("name", ["mail.mbox", "access.log", "urns.xml", "cjk-rtl.txt"])
def test_a_table_holds_the_records_of_json_lines(tmp_path: Path, name: str) -> None:
    table, rejected = tmp_path / "links.parquet", tmp_path / "rejected.jsonl"
    flags = ("--output", str(table), "--rejected", str(rejected), "--show-passwords", "--quiet", str(SAMPLES / name))
    assert call("extract", "--format", "parquet", *flags).status == 0
    lines = call("extract", "--format", "jsonl", "--show-passwords", "--quiet", str(SAMPLES / name)).rows
    assert pq.read_table(table).to_pylist() == lines
    others = SAMPLES / f"{name}.rejected.jsonl"
    assert len(rejected.read_bytes().splitlines()) == len(others.read_bytes().splitlines())


def _write_links(path: Path, count: int) -> None:
    source = random.Random(7)
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            rare = source.choice(
                ("", "", "", "", "see http://u:p@a.example/ <http://b.example/a\nb> \u00e9 http://c:x/\n")
            )
            file.write(f"{rare}http://host{number % 97}.example/{number}?a={number % 7}\n")


@pytest.mark.long
def test_many_records_are_the_same_whoever_makes_the_columns(tmp_path: Path) -> None:
    """More rows than a row group holds, by one worker and by two, with the kernel or without."""
    path = tmp_path / "links.txt"
    _write_links(path, 90_000)
    one, two = tmp_path / "one.parquet", tmp_path / "two.parquet"
    for output, jobs in ((one, "1"), (two, "2")):
        flags = (
            "--jobs",
            jobs,
            "--format",
            "parquet",
            "--output",
            str(output),
            "--show-passwords",
            "--quiet",
            str(path),
        )
        assert call("extract", *flags).status == 0
    assert one.read_bytes() == two.read_bytes()
    file = pq.ParquetFile(one)
    groups = [file.metadata.row_group(number).num_rows for number in range(file.metadata.num_row_groups)]
    assert groups[:-1] == [65_536] * (len(groups) - 1)
    assert len(groups) > 1
    lines = call("extract", "--format", "jsonl", "--show-passwords", "--quiet", str(path)).out.splitlines()
    rows = file.read().to_pylist()
    assert len(rows) == len(lines)
    assert rows[::1009] == list(map(json.loads, lines[::1009]))


def test_passwords_are_masked_in_a_table(tmp_path: Path) -> None:
    path = tmp_path / "links.parquet"
    assert (
        call(
            "extract", "--format", "parquet", "--output", str(path), "--quiet", stdin=b"http://u:secret@a.example/"
        ).status
        == 0
    )
    (record,) = read_records(path)
    assert "secret" not in json.dumps(record.as_dict())
    assert record.uri == "http://u:***@a.example/"


def test_each_identifier_once_as_a_table(tmp_path: Path) -> None:
    path = tmp_path / "links.parquet"
    flags = ("--unique", "--format", "parquet", "--output", str(path), "--quiet")
    assert call("extract", *flags, stdin=b"http://A/ http://b/ http://a/ http://B:80/ http://c/").status == 0
    assert [record.raw for record in read_records(path)] == ["http://A/", "http://b/", "http://c/"]


def test_nothing_found_is_a_table_without_rows(tmp_path: Path) -> None:
    path = tmp_path / "links.parquet"
    assert call("extract", "--format", "parquet", "--output", str(path), "--quiet", stdin=b"nothing").status == 1
    assert pq.read_table(path).num_rows == 0


def test_byte_offsets_that_a_way_back_knows(tmp_path: Path) -> None:
    """The harvest has no byte offsets where those of the file are others than those of the text that was searched."""
    (tmp_path / "latin.txt").write_bytes("é http://a.example/é \nhttp://b.example/".encode("latin-1"))
    (tmp_path / "rows.jsonl").write_text('{"a": "ä http:\\/\\/j.example\\/"}\n' * 3, "utf-8")
    (tmp_path / "page.html").write_text('<p>see <a href="http://www.e.example/?a=1&amp;b=2">this</a></p>', "utf-8")
    for path in [*tmp_path.iterdir(), SAMPLES / "mail.mbox"]:
        batches = [batch for batch in extract_batches([path]) if len(batch)]
        assert sum(_same_columns(batch.resolved()) for batch in batches), path
