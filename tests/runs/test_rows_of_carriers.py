"""Rows of tables and JSON lines: the kernel writes them, wherever in the file they are."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from urisieve import Options, ReadingOptions, extract_files, sieve_into
from urisieve.find.kernel_search import KernelSearch
from urisieve.kernel import compiled
from urisieve.options import Format
from urisieve.records.batch import Batch
from urisieve.sinks import FormatSettings, RecordSink, open_output
from urisieve.sinks.notations import FieldLines

ROWS = 600
# One cell of a hundred is one candidate only for its carrier: running text ends before its last character.
LINKS = [f"http://h{index % 7}.example/{index}{'?' if index % 100 == 50 else ''}" for index in range(ROWS)]
CARRIERS = {
    "csv": "id,link,note\n" + "".join(f'{index},{link},"a, é"\n' for index, link in enumerate(LINKS)),
    "tsv": "id\tlink\tnote\n" + "".join(f"{index}\t{link}\tnone\n" for index, link in enumerate(LINKS)),
    "jsonl": "".join(json.dumps({"id": index, "link": link}) + "\n" for index, link in enumerate(LINKS)),
}


def written(path: Path, kind: Format) -> list[str]:
    target = path.with_suffix(".out")
    with open_output(str(target)) as output:
        sieve_into([str(path)], RecordSink(FormatSettings(kind), output))
    return target.read_text("utf-8").splitlines()


@pytest.fixture(params=CARRIERS)
def carrier(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"rows.{request.param}"
    path.write_text(CARRIERS[request.param], "utf-8")
    return path


def test_each_row_has_the_location_of_its_text(carrier: Path) -> None:
    text = carrier.read_bytes()
    rows = [json.loads(line) for line in written(carrier, Format.JSONL)]
    assert [row["raw"] for row in rows] == LINKS
    assert [text[row["byte_start"] : row["byte_end"]].decode() for row in rows] == LINKS
    first = 1 if carrier.suffix == ".jsonl" else 2
    assert [(row["row"], row["field"]) for row in rows] == [(first + index, "link") for index in range(ROWS)]
    assert {(row["start"], row["line"], row["column"]) for row in rows} == {(0, 1, 1)}
    assert [row["end"] for row in rows] == list(map(len, LINKS))
    assert rows == [record.as_dict() for record in extract_files([carrier])]


@pytest.mark.skipif(not compiled, reason="the engine in Python writes each row itself")
@pytest.mark.parametrize("kind", [Format.JSONL, Format.CSV])
def test_the_kernel_writes_all_but_a_few_rows(carrier: Path, kind: Format, monkeypatch: pytest.MonkeyPatch) -> None:
    by_python: list[int] = []
    write = FieldLines._each

    def counted(self: FieldLines, batch: Batch, indices: Sequence[int] | None) -> list[bytes]:
        lines = write(self, batch, indices)
        by_python.append(len(lines))
        return lines

    monkeypatch.setattr(FieldLines, "_each", counted)
    assert len(written(carrier, kind)) == ROWS + (kind is Format.CSV)
    assert sum(by_python) <= ROWS // 20


NOTES = [
    *("none", "", 'a "quoted" http://q.example/{} one', "é http://wide.example/{}"),
    *("two\nlines, http://f.example/{}", "see ftp://g.example/{}"),
]
NOTED = [(LINKS[index], NOTES[index % 7 % 6].format(index)) for index in range(ROWS)]


def noted_table() -> tuple[str, list[int]]:
    """Return a table of links and notes, and the number of the line on which each row begins."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(["link", "about notes"])
    numbers = []
    for row in NOTED:
        numbers.append(target.getvalue().count("\n") + 1)
        writer.writerow(row)
    return target.getvalue(), numbers


def noted_lines() -> tuple[str, list[int]]:
    """Return the same as JSON lines: some with what is beyond ASCII escaped, some with slashes."""
    lines = []
    for index, (link, note) in enumerate(NOTED):
        line = json.dumps({"link": link, "about notes": [{"n": note}]}, ensure_ascii=index % 2 == 0)
        lines.append(line.replace("/", "\\/") if index % 3 == 0 else line)
    return "\n".join(lines), [*range(1, ROWS + 1)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
@pytest.mark.parametrize("fields", [(), ("link",)])
@pytest.mark.parametrize("made", [noted_table, noted_lines])
def test_links_of_texts_of_all_kinds_are_where_their_bytes_are(
    made: Callable[[], tuple[str, list[int]]], fields: tuple[str, ...], encoding: str, tmp_path: Path
) -> None:
    text, numbers = made()
    source = text.encode(encoding)
    is_table = made is noted_table
    path = tmp_path / f"noted.{'csv' if is_table else 'jsonl'}"
    path.write_bytes(source)
    charset = "utf-16-le" if encoding == "utf-16" else encoding
    name = "about notes" if is_table else "about notes[0].n"
    reading = ReadingOptions(field=fields)
    records = list(extract_files([path], reading=reading, encoding=encoding))
    found = {(link, row, "link") for (link, _), row in zip(NOTED, numbers, strict=True)}
    if not fields:
        for (_, note), row in zip(NOTED, numbers, strict=True):
            links = re.findall(r"(?:http|ftp)://\w+\.example/\d+", note)
            found |= {(link, row, name) for link in links}
    assert {(one.raw, one.row, one.field) for one in records} == found
    for one in records:
        assert one.byte_start is not None
        assert one.byte_end is not None
        written = source[one.byte_start : one.byte_end].decode(charset)
        assert written.replace("\\/", "/") == one.raw


@pytest.mark.skipif(not compiled, reason="the engine in Python has another search")
@pytest.mark.parametrize(
    ("link", "warning", "most"),
    [
        ("http://ada@h{}.example/", "userinfo-present", 0),
        ("http://a_b{}.example/", "host-not-ldh", 0),
        ("x-note{}://a.example/", "unregistered-scheme", 0),
        ("http://h{}.example/a...", None, ROWS),
    ],
)
def test_what_an_identifier_says_of_itself_needs_no_second_search(
    link: str, warning: str | None, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[str] = []
    delimited = KernelSearch.delimited

    def counted(self: KernelSearch, text: str, *more: Any) -> bool:
        searched.append(text)
        return delimited(self, text, *more)

    monkeypatch.setattr(KernelSearch, "delimited", counted)
    path = tmp_path / "links.csv"
    links = [link.format(index) for index in range(ROWS)]
    path.write_text("link\n" + "".join(f"{one}\n" for one in links), "utf-8")
    records = list(extract_files([path], options=Options(schemes="any")))
    assert [record.raw for record in records] == links
    assert {record.warnings for record in records} == {() if warning is None else (warning,)}
    assert searched.count("link") <= 1  # the header, which is read in Python
    assert len(searched) - searched.count("link") == most
