"""The rows of boundaries that other programs use, and what asks other linkers about them."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest

import compare_linkers
import measure_boundaries
from linkers.programs import Linker, installed, one_by_one, with_scheme
from linkers.rows import PATH, Outcome, Row, Span, judged, read_rows
from linkers.shapes import Shape, often, script_of, shape_of, shapes_in
from linkers.tables import asked, page, wrong
from tests.helpers.boundary_rows import BOUNDARIES, marked
from tests.helpers.folders import ROOT
from tests.helpers.marked_rows import unmarked
from urisieve.codes import Reason

PAGE: Final = (ROOT / "docs" / "reference" / "differences.md").read_text("utf-8")
_PART: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"start": {"type": "integer", "minimum": 0}, "raw": {"type": "string", "minLength": 1}},
    "required": ["start", "raw"],
}
_REASON: Final = {"reason": {"enum": [str(reason) for reason in Reason]}}
_NULL: Final = {"type": "null"}
_FIELDS: Final[dict[str, Any]] = {
    "text": {"type": "string", "minLength": 1},
    "found": {"type": "array", "items": _PART | {"additionalProperties": False}},
    "rejected": {"type": "array", "items": _PART | {"properties": _PART["properties"] | _REASON}},
    "kind": {"type": "string", "pattern": r"^[A-Za-z][A-Za-z: -]+$"},
    "why": {"type": "string", "pattern": r"^[A-Z].*\.$"},
    "rule": {"type": "string", "pattern": r"^(RFC \d{4} (Appendix [A-Z]|\d+(\.\d+)*)|UTS 46 \d|convention)$"},
    "script": {"type": "string", "pattern": "^[A-Z][a-z]+( [A-Z][a-z]+)*$"},
    "carrier": {"type": "string", "pattern": "^[a-z]+$"},
    "often": {"anyOf": [{"type": "integer", "minimum": 0, "maximum": 1_000_000}, _NULL]},
    "source": {"anyOf": [{"type": "string", "pattern": r"^[\w.-]+/[\w.-]+#\d+$"}, _NULL]},
}
SCHEMA: Final = {"type": "object", "properties": _FIELDS, "required": list(_FIELDS), "additionalProperties": False}


# The file


def test_each_row_has_the_fields_and_its_offsets_are_right() -> None:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for row in BOUNDARIES:
        assert list(validator.iter_errors(row)) == [], row
        assert list(row) == list(_FIELDS)
        spans = [(one["start"], one["start"] + len(one["raw"])) for one in (*row["found"], *row["rejected"])]
        assert [row["text"][start:end] for start, end in spans] == [
            one["raw"] for one in (*row["found"], *row["rejected"])
        ]
        assert sorted(spans[: len(row["found"])]) == spans[: len(row["found"])]
        assert row["script"] == script_of(row["text"])
        assert (row["often"] is None) == (not spans)
    assert len({row["text"] for row in BOUNDARIES}) == len(BOUNDARIES) >= 386


def test_the_rows_of_a_kind_are_together() -> None:
    kinds = [row["kind"] for row in BOUNDARIES]
    assert sum(one != other for one, other in pairwise(kinds)) == len(set(kinds)) - 1


def test_a_marked_row_is_the_row() -> None:
    for row in BOUNDARIES:
        text, found, rejected = unmarked(marked(row).marked)
        assert text == row["text"]
        assert [(one["start"], one["raw"]) for one in row["found"]] == [(at, text[at:end]) for at, end in found]
        assert [(one["start"], one["raw"]) for one in row["rejected"]] == [(at, text[at:end]) for at, end in rejected]


# The page


def test_the_tables_belong_to_the_rows() -> None:
    tables = PAGE.partition(compare_linkers.START)[2].partition(compare_linkers.END)[0]
    assert f"| linker | all {len(BOUNDARIES)} rows |" in tables
    assert f"| urisieve | {len(BOUNDARIES)} |" in tables
    for kind in dict.fromkeys(row["kind"] for row in BOUNDARIES):
        count = sum(row["kind"] == kind for row in BOUNDARIES)
        assert f"| {kind} | {count} | {count} |" in tables, "run tools/compare_linkers.py --write"
    named = re.findall(r"^\| ([a-z-]+) \| \d+\.\d+\.\d+\S* \|", tables, re.MULTILINE)
    assert named == ["urisieve", "linkify-it-py", "urlextract", "linkify-it", "linkifyjs", "autolinker"]


def test_the_page_names_each_field() -> None:
    described = PAGE.partition("## Links in text")[2].partition("### Test another linker")[0]
    assert re.findall(r"^\| `(\w+)` \|", described, re.MULTILINE) == list(_FIELDS)


# What a linker makes of a row


@pytest.mark.parametrize(
    ("wanted", "given", "outcomes"),
    [
        ([(4, 9)], [(4, 9)], "RIGHT"),
        ([], [], ""),
        ([(4, 9)], [], "MISSED"),
        ([(4, 9)], [(4, 8)], "SHORT"),
        ([(4, 9)], [(5, 9)], "SHORT"),
        ([(4, 9)], [(4, 6), (7, 9)], "SHORT"),
        ([(4, 9)], [(4, 10)], "LONG"),
        ([(4, 9)], [(3, 9)], "LONG"),
        ([(4, 9)], [(5, 10)], "LONG"),
        ([(4, 9)], [(4, 9), (8, 12)], "LONG"),
        ([(4, 9), (10, 12)], [(4, 12)], "LONG LONG"),
        ([(4, 9)], [(9, 12)], "MISSED EXTRA"),
        ([(4, 9), (10, 12)], [(0, 2), (10, 12)], "MISSED RIGHT EXTRA"),
        ([], [(0, 2), (3, 4)], "EXTRA EXTRA"),
    ],
)
def test_outcomes(wanted: list[Span], given: list[Span], outcomes: str) -> None:
    assert [outcome.name for outcome in judged(wanted, given)] == outcomes.split()


def test_what_has_no_scheme_is_left_out() -> None:
    text = "see http://a.example b.example //c.example"
    assert with_scheme(text, [(31, 42), (21, 30), (4, 20)]) == [(4, 20)]


def _fake(name: str, pattern: str) -> Linker:
    return Linker(
        name, "1.2.3", "a pattern", one_by_one(lambda text: (one.span() for one in re.finditer(pattern, text)))
    )


def _rows(tmp_path: Path) -> Path:
    """A file with three rows: one with a link, one with none, one with something that is rejected."""
    link, none = (
        {"start": 4, "raw": "http://a.example/"},
        {"start": 0, "raw": "http://a.example:x/", "reason": "bad-port"},
    )
    path = tmp_path / "rows.jsonl"
    lines = (
        {"text": "see http://a.example/.", "found": [link], "rejected": [], "kind": "full stop", "rule": "convention"},
        {"text": "no\nlink | `x`", "found": [], "rejected": [], "kind": "no link", "rule": "RFC 3986 3"},
        {"text": "http://a.example:x/", "found": [], "rejected": [none], "kind": "hosts", "rule": "RFC 3986 3.2.3"},
    )
    path.write_text("".join(json.dumps(line | {"often": None}) + "\n" for line in lines), "utf-8")
    return path


def test_tables_of_a_fake_linker(tmp_path: Path) -> None:
    rows = read_rows(_rows(tmp_path))
    assert rows[2] == Row("http://a.example:x/", (), {(0, 19): "bad-port"}, "hosts", "RFC 3986 3.2.3", None)
    ours, fake = asked([*installed(None)[:1], _fake("fake", r"\S+:\S+")], rows)
    assert [ours.is_right(number) for number in range(3)] == [True, True, True]
    assert fake.outcomes == [[Outcome.LONG], [], [Outcome.EXTRA]]
    tables = page([ours, fake], rows, "2026-11-30")
    assert "| fake | 1.2.3 | a pattern |" in tables
    assert (
        "| linker | all 3 rows | by an RFC, of 2 | by convention, of 1 | frequent, of 0 | of http and https, of 3 |"
        in tables
    )
    assert "| fake | 1 | 1 | 0 | 0 | 1 | 0 | 0 | 1 | 1 |" in tables
    assert "| full stop | 1 | 1 | 0 |" in tables
    assert "| `see http://a.example/.` | convention | `http://a.example/` | `http://a.example/.` |" in tables
    assert wrong(ours, rows) == []
    assert [line.partition("\n")[0] for line in wrong(fake, rows)] == ["full stop: too long", "hosts: none there"]


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    linkers = [*installed(None)[:1], _fake("fake", r"http://\S+")]
    monkeypatch.setattr(compare_linkers, "installed", lambda npm: linkers)
    arguments = ["--rows", str(_rows(tmp_path))]
    assert compare_linkers.main(arguments) == 0
    assert "| fake | 1 |" in capsys.readouterr().out
    assert compare_linkers.main([*arguments, "--wrong", "fake"]) == 0
    assert "given ['http://a.example/.']" in capsys.readouterr().out
    written = tmp_path / "page.md"
    written.write_text(f"a\n{compare_linkers.START}\n{compare_linkers.END}\nb\n", "utf-8")
    assert compare_linkers.main([*arguments, "--write", str(written)]) == 0
    assert re.fullmatch(r"a\n<!-- .*\| fake \| 1 \|.* -->\nb\n", written.read_text("utf-8"), re.DOTALL)
    with pytest.raises(SystemExit):
        compare_linkers.main([*arguments, "--wrong", "nobody"])
    linkers[:1] = [_fake("urisieve", "no")]
    assert compare_linkers.main(arguments) == 1, "urisieve got a row wrong"


# How often a shape occurs


@pytest.mark.parametrize(
    ("text", "before", "marks", "after"),
    [
        ("see |http://a.example.com/b|.", " ", "", ". "),
        ("|http://a.example.com/b|", " ", "", " "),
        ("|http://a.example.com/b|\n", " ", "", " "),
        ('<a href="|http://a.example.com/b|">x', '="', "", '">'),
        ("参见|http://a.example.com/b|。然后", "HanHan", "", "。Han"),
        ("|http://a.example.com/b|\u00a0x", " ", "", "\u00a0a"),
        ("URL: |http://a.example.com/b| x", "url: ", "", " "),
        ("< |http://a.example.com/b| >", "< ", "", " "),
        ("(|http://a.example.com/b_(c)|) x", " (", "(, ), ends with )", ") "),
        ("1|http://ü.example.com/ß|a7", " 0", "host: Latin, Latin", "a0"),
        ("|http://192.0.2.1:80/|", " ", "IPv4, port", " "),
        ("|http://[::1]/|", " ", "host [, host without a dot", " "),
        ("|http://xn--a.com./../b|", " ", "A-label, dot at the end of a host, dot segment", " "),
        ("|http://u:p@host?a?b|", " ", "user, user :, host without a dot, no path, ?, second ?", " "),
        ("|Ftp://x.internal/http://y.com|", " ", "ftp:, capital scheme, no top-level domain, another inside", " "),
        ("|mailto:a@b.com|", " ", "mailto:, @", " "),
    ],
)
def test_shapes(text: str, before: str, marks: str, after: str) -> None:
    text, (span,), _ = unmarked(text)
    assert shape_of(text, span) == Shape(before, frozenset(marks.split(", ") if marks else ()), after)


def test_how_often_rows_occur() -> None:
    seen = shapes_in(["(http://a.com/b) x", "(http://a.com/b_(c)) x", "http://a.com/b and http://a.com/100%zz", "none"])
    assert seen.total() == 4
    texts = {
        "(|http://c.com|) y": 500_000,
        "|http://c.com/d(e)| y": 250_000,
        "✗http://c.com/%y✗ y": 250_000,
        "(|http://c.com|) |http://c.com|, y": 0,
        "|http://c.com| y": 500_000,
        "nothing": None,
    }
    rows = []
    for one in texts:
        text, found, rejected = unmarked(one)
        rows.append(Row(text, tuple(found), dict.fromkeys(rejected, "bad-percent-encoding"), "", "", None))
    assert dict(zip(texts, often(rows, seen), strict=True)) == texts


def test_how_often_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows, text = _rows(tmp_path), tmp_path / "text"
    text.write_bytes(b"a http://b.example/.\nno link: x\n(http://b.example/c)\n")
    before = rows.read_text("utf-8")
    assert measure_boundaries.main([str(text), "--rows", str(rows)]) == 0
    assert "None\t500000\tfull stop\t'see http://a.example/.'\n" in capsys.readouterr().out
    assert rows.read_text("utf-8") == before
    assert measure_boundaries.main([str(text), "--rows", str(rows), "--write"]) == 0
    assert capsys.readouterr().err == "2 links of 2 shapes; a row has what is beside 50.0 % of them\n"
    assert [json.loads(line)["often"] for line in rows.read_text("utf-8").splitlines()] == [500_000, None, 0]


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("é", "Latin"),
        ("http://a/日本い", "Han"),
        ("ｅ", "Latin"),
        ("Аніме", "Cyrillic"),
        ("𐌀", "Old Italic"),
        ("!", "Latin"),
    ],
)
def test_scripts(text: str, script: str) -> None:
    assert script_of(text) == script


def test_the_path_is_that_of_the_samples() -> None:
    assert PATH == ROOT / "samples" / "data" / "boundaries.jsonl"
    assert len(read_rows()) == len(BOUNDARIES)
