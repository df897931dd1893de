"""The earliest and the latest time of each key that is counted, in every format and way of counting."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.cli_support import call
from urisieve import ReadingOptions
from urisieve.dedupe.counts import joined_times
from urisieve.sinks.statistics import count_keys
from urisieve.types import KeyCount

# The newest is read first, as of logs that are rotated.
FILES = {
    "a.log": "2024-05-31T10:00:00Z http://a.example/\n2024-05-31T12:00:00 http://A.example/\n",
    "b.log": "http://c.example/\n2024-05-30T10:00:00.5Z http://a.example/\n2024-05-30T11:00:00+02:00 http://b.example/\n",
    "c.jsonl": '{"ts": 1717000000, "u": "http://a.example/"}\n{"u": "http://c.example/"}\n',
}
EXPECTED = {
    "http://a.example/": ("2024-05-29T16:26:40Z", "2024-05-31T12:00:00"),
    "http://b.example/": ("2024-05-30T09:00:00Z", "2024-05-30T09:00:00Z"),
    "http://c.example/": (None, None),
}
CONTEXT = ReadingOptions(context=True)


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return [tmp_path / name for name in FILES]


def times_of(rows: Sequence[KeyCount]) -> dict[str, tuple[str | None, str | None]]:
    return {row.key: (row.first_time, row.last_time) for row in rows}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("limit", [None, 1])
def test_times_of_keys_do_not_depend_on_the_order_of_files(paths: list[Path], jobs: int, limit: int | None) -> None:
    for some in permutations(paths):
        for sort in ("first", "count", "uri"):
            rows = list(count_keys(some, reading=CONTEXT, jobs=jobs, memory_limit=limit, sort=sort))
            assert times_of(rows) == EXPECTED
    assert set(times_of(list(count_keys(paths, jobs=jobs, memory_limit=limit))).values()) == {(None, None)}


@pytest.mark.parametrize("kind", ["text", "jsonl", "csv", "tsv", "parquet"])
def test_each_format_has_the_times_that_are_asked_for(kind: str, paths: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    names = ("uri", "first_time", "last_time")
    assert call("count", "-q", "--read", "context", "-f", kind, "-o", str(out), *map(str, paths)).status == 0
    if kind == "parquet":
        rows = pq.read_table(out).to_pylist()
    elif kind == "jsonl":
        rows = [json.loads(line) for line in out.read_text().splitlines()]
    elif kind == "text":
        rows = [
            dict(zip(names[1:] + names[:1], line.split("\t")[5:], strict=True)) for line in out.read_text().splitlines()
        ]
    else:
        with out.open(newline="") as file:
            rows = list(csv.DictReader(file, dialect="excel-tab" if kind == "tsv" else "excel"))
    found = {row["uri"]: (row["first_time"] or None, row["last_time"] or None) for row in rows}
    assert found == EXPECTED
    plain = call("count", "-q", "-f", "jsonl", "--since", "2020", *map(str, paths)).rows
    assert not any("first_time" in row for row in plain)


_TIMES = st.none() | st.sampled_from(
    ["2024-01-01T00:00:00", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00.5Z", "2023-12-31T23:59:60Z"]
)


@given(st.lists(_TIMES, max_size=5))
def test_the_times_of_several_are_the_least_and_the_greatest(times: list[str | None]) -> None:
    found: tuple[str | None, str | None] = (None, None)
    for time in times:
        found = joined_times(found, (time, time))
    known = sorted(time.removesuffix("Z") for time in times if time is not None)
    assert tuple(time and time.removesuffix("Z") for time in found) == (
        (known[0], known[-1]) if known else (None, None)
    )
