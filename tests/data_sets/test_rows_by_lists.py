"""The rows of one data set without those of another one, and the rows whose identifiers are in a list."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.cli_support import call
from urisieve import Known, Options, Store, UsageError, check, deduplicate_rows, key
from urisieve.dedupe.deduplicate import LEFT_OUT, RowKeys
from urisieve.records.filtering import Filter

LINKS = ["http://A.example/x", "http://b.example/", "http://www.c.example/y", "", "http://b.example", "nothing",
         "urn:isbn:0-395-36341-1", "http://u:pw@d.example/", "http://a.example:80/x", "http://e.example/ä"]  # fmt: skip
LISTED = ["http://a.example/x", "*.c.example", "urn:isbn:0395363411", "http://u:pw@d.example/", "# a comment"]
IN_THE_LIST = {0, 2, 6, 7, 8}
NO_KEY = {3, 5}
KINDS = ["csv", "tsv", "jsonl", "json", "parquet"]


def _write(path: Path, kind: str, links: Sequence[str]) -> None:
    rows = [{"id": number, "url": link} for number, link in enumerate(links)]
    if kind == "parquet":
        pa = pytest.importorskip("pyarrow")
        import pyarrow.parquet as parquet

        parquet.write_table(pa.Table.from_pylist(rows), path)
    elif kind == "jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    elif kind == "json":
        path.write_text(json.dumps(rows), "utf-8")
    else:
        tab = "," if kind == "csv" else "\t"
        path.write_text(f"id{tab}url\n" + "".join(f"{row['id']}{tab}{row['url']}\n" for row in rows), "utf-8")


def _ids(data: bytes, kind: str) -> list[int]:
    if kind == "parquet":
        import pyarrow.parquet as parquet

        return [row["id"] for row in parquet.read_table(io.BytesIO(data)).to_pylist()]
    if kind == "json":
        return [row["id"] for row in json.loads(data)]
    lines = data.decode().splitlines()
    if kind == "jsonl":
        return [json.loads(line)["id"] for line in lines]
    return [int(line.replace("\t", ",").partition(",")[0]) for line in lines[1:]]


def _expected(flag: str, keep: str) -> list[int]:
    wanted = [
        number for number in range(len(LINKS)) if number in NO_KEY or (number in IN_THE_LIST) == (flag == "known")
    ]
    keys = {number: key(LINKS[number]) for number in wanted if number not in NO_KEY}
    order = wanted if keep == "first" else wanted[::-1]
    chosen: dict[str, int] = {}
    for number in order:
        if number in keys:
            chosen.setdefault(keys[number], number)
    return [number for number in wanted if number in NO_KEY or number in chosen.values()]


@pytest.mark.sampled(7)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("flag", ["known", "unknown"])
@pytest.mark.parametrize("keep", ["first", "last"])
@pytest.mark.parametrize("more", [(), ("--store", "s.db"), ("--jobs", "2")], ids=" ".join)
def test_rows_are_chosen_by_lists(
    kind: str, flag: str, keep: str, more: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # M9
    monkeypatch.chdir(tmp_path)
    _write(Path("a"), kind, LINKS)
    Path("b").write_text("\n".join(LISTED))
    flags = ("dedupe", "--input", kind, "--field", "url", f"--{flag}", "b", "--keep", keep)
    done = call(*flags, *more, "-o", "o", "a")
    assert done.status == 0, done.err
    expected = _expected(flag, keep)
    assert _ids(Path("o").read_bytes(), kind) == expected
    left_out = (
        len(LINKS)
        - len(NO_KEY)
        - len([n for n in range(len(LINKS)) if n not in NO_KEY and (n in IN_THE_LIST) == (flag == "known")])
    )
    assert f"{len(expected) - len(NO_KEY)} kept" in done.err
    assert f"{len(NO_KEY)} unmatched" in done.err
    assert f"{left_out} left out by lists" in done.err
    if "--store" in more:
        with Store("s.db") as store:
            assert len(store) == len(expected) - len(NO_KEY)
            assert store.faults() == []


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_the_rows_of_one_table_without_those_of_another(kind: str, tmp_path: Path) -> None:  # M9
    _write(tmp_path / "a", kind, LINKS)
    _write(tmp_path / "b", kind, ["HTTP://a.example/x", "http://b.example"])
    flags = ("dedupe", "--quiet", "--input", kind, "--field", "url", "--unmatched", "drop")
    done = call(*flags, "--unknown", str(tmp_path / "b"), str(tmp_path / "a"))
    assert (done.status, _ids(done.out, kind)) == (0, [2, 6, 7, 9])


@pytest.mark.parametrize("merge", ["rfc", "page", "archive-key", "host"])
@pytest.mark.parametrize("by", ["key", "host", "scheme+host+path"])
def test_lists_go_by_the_options_of_the_run(merge: str, by: str, tmp_path: Path) -> None:
    _write(tmp_path / "a", "csv", LINKS)
    options = Options(merge=merge)
    known = Known(LISTED, options=options)
    how: dict[str, Any] = {"input": "csv", "by": by, "options": options, "unmatched": "drop"}
    counts = deduplicate_rows([tmp_path / "a"], ["url"], output=tmp_path / "o", unknown=known, **how)
    kept = _ids((tmp_path / "o").read_bytes(), "csv")
    for number in kept:
        record = check(LINKS[number], options=options)
        assert record
        assert record not in known
    wanted = [one for one in (check(link, options=options) for link in LINKS) if one]
    assert counts.left_out == sum(one in known for one in wanted)
    assert counts.kept + counts.duplicates + counts.unmatched + counts.left_out == counts.rows == len(LINKS)


def test_lists_and_rows_of_several_fields(tmp_path: Path) -> None:
    rows = [
        ("http://a.example/", "http://b.example/"),
        ("http://b.example/", "http://c.example/"),
        ("", "http://a.example/"),
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"x": x, "y": [y, "http://d.example/"]}) + "\n" for x, y in rows))
    for arguments, expected in (
        ({"unknown": Known(["http://a.example/"])}, [1]),
        ({"known": Known(["http://a.example/"])}, [0, 2]),
        ({"known": Known(["d.example"]), "unknown": Known(["c.example"])}, [0, 2]),
        ({"unknown": Known(["d.example"])}, []),
        ({"known": Known()}, []),
        ({"unknown": Known()}, [0, 1, 2]),
    ):
        deduplicate_rows([path], ["x", "y"], output=tmp_path / "o", **arguments)  # type: ignore[arg-type] # each fits
        lines = (tmp_path / "o").read_text().splitlines()
        assert [path.read_text().splitlines().index(line) for line in lines] == expected, arguments


@pytest.mark.parametrize("wrong", ["b.csv", 5, ["http://a.example/"], {"http://a.example/"}])
def test_what_is_no_list_is_refused(wrong: Any, tmp_path: Path) -> None:
    for name in ("known", "unknown"):
        with pytest.raises(UsageError, match="must be a Known"):
            deduplicate_rows([tmp_path / "a"], ["url"], output=tmp_path / "o", **{name: wrong})
    assert list(tmp_path.iterdir()) == []


def test_a_run_with_lists_goes_on_with_the_same_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _write(Path("a"), "csv", LINKS)
    Path("b").write_text("http://a.example/x\n")
    flags = ("dedupe", "--input", "csv", "--field", "url", "--checkpoint", "c", "-o", "o")
    monkeypatch.setattr("urisieve.data_sets.kept_rows.FirstRows._settle", _fails)
    with pytest.raises(KeyError):
        call(*flags, "--unknown", "b", "a")
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    for more in ((), ("--known", "b")):
        done = call(*flags, *more, "a")
        assert (done.status, "is the checkpoint of another command" in done.err) == (2, True)
    assert call(*flags, "--unknown", "b", "a").status == 0
    assert _ids(Path("o").read_bytes(), "csv") == [1, 2, 3, 5, 6, 7, 9]


def _fails(_: object) -> None:
    raise KeyError


CELLS = st.one_of(
    st.sampled_from(LINKS), st.sampled_from(["x", " http://a.example/x ", "http://x.c.example/", "doi:10.1000/1"])
)
LISTS: list[Callable[[], Filter]] = [
    lambda: Filter(unknown=Known(LISTED)),
    lambda: Filter(known=Known(LISTED)),
    lambda: Filter(known=Known(["c.example", "b.example"]), unknown=Known(["http://b.example/"])),
]


@given(st.lists(CELLS, min_size=1, max_size=8), st.sampled_from(LISTS))
def test_many_rows_at_once_are_as_each(cells: list[str], lists: Callable[[], Filter]) -> None:
    from array import array
    from itertools import accumulate

    from urisieve.dedupe.deduplicate import RowFields

    chosen = lists()
    keys = RowKeys(lists=chosen)
    encoded = [cell.encode() for cell in cells]
    texts = (array("i", accumulate(map(len, encoded), initial=0)).tobytes(), b"".join(encoded))
    each = [RowKeys(lists=chosen)([(cell,)]) for cell in cells]
    assert keys.of(RowFields(texts=[texts])) == each
    for cell, made in zip(cells, each, strict=True):
        found = check(cell)
        if found:
            is_wanted = (chosen.known is None or found in chosen.known) and (  # type: ignore[operator] # a Known
                chosen.unknown is None or found not in chosen.unknown  # type: ignore[operator] # likewise
            )
            assert made == (found.key if is_wanted else LEFT_OUT)
        else:
            assert made is None
