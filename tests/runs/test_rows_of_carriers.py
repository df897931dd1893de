"""Rows of tables and JSON lines: the kernel writes them, wherever in the file they are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from urisieve import extract_files, sieve_into
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
