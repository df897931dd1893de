"""Cells and strings that are HTML or JSON themselves: what is in them is found, with the way in and the bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.helpers.cli_support import call
from tests.helpers.doubling import assert_linear
from urisieve import ReadingOptions, Rejection, Tally, sieve_files
from urisieve.find.delimited import SEPARATOR
from urisieve.options import Limits
from urisieve.sources.documents import Document
from urisieve.sources.inner_texts import _inner_texts

HTML = '<p>see <a href="https://a.example/?x=1&amp;y=2">it</a> and https://b.example/?q=1&amp;z</p>'
INNER = json.dumps(
    {"msg": "https://d.example/", "html": "<img src='https://e.example/p?a&amp;b'>", "l": [{"k": "urn:a:b"}]}
)
DEEP = json.dumps([json.dumps([json.dumps(["https://deep.example/"])])])

Found = list[tuple[str, str | None, int | None]]

ROWS: list[tuple[dict[str, str], list[tuple[str, str | None]]]] = [
    ({"body": HTML}, [("https://b.example/?q=1&z", "body"), ("https://a.example/?x=1&y=2", "body / a@href")]),
    ({"text": "look <https://c.example/?a=1&amp;b=2> now"}, [("https://c.example/?a=1&b=2", "text")]),
    (
        {"log": INNER},
        [
            ("https://d.example/", "log / msg"),
            ("https://e.example/p?a&b", "log / html / img@src"),
            ("urn:a:b", "log / l[0].k"),
        ],
    ),
    ({"j": DEEP}, [("https://deep.example/", "j / [0] / [0] / [0]")]),
    # Beside them, what is neither: it stays as it is.
    ({"u": "https://a.example/?a&amp;b"}, [("https://a.example/?a&amp;b", "u")]),
    ({"code": "if (a <b && c> d) http://f.example/?a&amp;b"}, [("http://f.example/?a&amp;b", "code")]),
    ({"j": '["https://a.example/" and more'}, [("https://a.example/", "j")]),
    ({"j": '[1, "https://a.example/x"] trailing]'}, [("https://a.example/x", "j")]),
    (
        {"a": "x", "h": HTML, "z": "http://z.example/"},
        [("https://b.example/?q=1&z", "h"), ("https://a.example/?x=1&y=2", "h / a@href"), ("http://z.example/", "z")],
    ),
]


def found(path: Path, field: str | None = None) -> tuple[Found, Tally]:
    """Return the URI, field and row of each identifier, whose bytes are where its record says."""
    data = path.read_bytes()
    rows: Found = []
    tally = Tally()
    for one in sieve_files([str(path)], tally=tally, reading=ReadingOptions(field=field or ())):
        assert not isinstance(one, Rejection)
        assert one.byte_start is not None
        written = data[one.byte_start : one.byte_end].decode().replace("\\", "").replace("&amp;", "&")
        assert written == one.raw.replace("&amp;", "&")
        rows.append((one.uri, one.field, one.row))
    return rows, tally


@pytest.mark.parametrize(("row", "expected"), ROWS)
def test_in_json(row: dict[str, str], expected: list[tuple[str, str | None]], tmp_path: Path) -> None:
    lines = tmp_path / "a.jsonl"
    lines.write_text('{"n":1}\n' + json.dumps(row).replace("//", "\\/\\/") + "\n")
    assert found(lines)[0] == [(*one, 2) for one in expected]
    document = tmp_path / "a.json"
    document.write_text(json.dumps({"top": row}, indent=1))
    wanted = [(uri, f"top.{field}") for uri, field in expected]
    assert [(uri, field) for uri, field, _ in found(document)[0]] == wanted
    assert [(uri, field) for uri, field, _ in found(document, field="top")[0]] == wanted  # it streams


@pytest.mark.parametrize(("row", "expected"), [row for row in ROWS if '"' not in "".join(row[0].values())])
def test_in_cells(row: dict[str, str], expected: list[tuple[str, str | None]], tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("\t".join(["n", *row]) + "\n" + "\t".join(["1", *row.values()]) + "\n")
    assert found(path)[0] == [(*one, 2) for one in expected]


def test_there_is_one_bound_on_the_depth(tmp_path: Path) -> None:
    text = "https://a.example/"
    for _ in range(6):
        text = json.dumps([text])
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"a": text}) + "\n")
    for depth, fields in [(3, []), (6, ["a / [0] / [0] / [0] / [0] / [0] / [0]"])]:
        tally = Tally()
        reading = ReadingOptions(limits=Limits(depth=depth))
        rows = list(sieve_files([str(path)], reading=reading, tally=tally))
        assert [one.field for one in rows if one] == (fields or ["a / [0] / [0] / [0]"])
        assert tally.broken == ({} if fields else {("text", "nested-too-deep"): 1})


@pytest.mark.parametrize("more", [(), ("--accept", "names")])
@pytest.mark.parametrize(
    "cell",
    [
        '<p class="x" http://f.example/>',
        '<p class="x"></http://f.example/>',
        '<!DOCTYPE html PUBLIC "" "http://f.example/"><p class="x">',
    ],
)
def test_a_text_that_is_a_page_without_texts_is_read_as_it_is(cell: str, more: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"a": cell}))
    assert call("extract", "-q", *more, str(tmp_path / "a.jsonl")).out == b"http://f.example/\n"


def test_a_tag_that_the_next_text_would_end_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(["x <b href=http://a.example/y", "z> <i>"]))
    done = call("extract", "-q", "--fields", "uri,start,field", str(tmp_path / "a.jsonl"))
    assert done.out == b"http://a.example/y\t10\t[0]\n"


@pytest.mark.timed
@pytest.mark.parametrize("unit", [" b=", "<a b=", "<a b", "a:b&amp;", "<"])
def test_signs_of_pages_take_linear_time(unit: str) -> None:
    def run(text: str) -> None:
        _inner_texts(Document(source="a", whole=f"{SEPARATOR}{text}", begins=(2, len(text) + 4)))

    assert_linear(run, lambda size: "<a" + unit * size, 5_000)


SCRIPTS = [
    # the script, and what is found in it, with the fields
    ('\n{ "a": "http:\\/\\/a.example\\/x y", "b": ["http://b.example/\\u0026"] }\n', [
        ("http://b.example/&", "script / b[0]"), ("http://a.example/x", "script / a")]),
    ('{"h": "<a href=\\"http://a.example/?x&amp;y\\">z<\\/a>"}', [("http://a.example/?x&y", "script / h / a@href")]),
    ('{"h": "see http://a.example/?x&amp;y"}', [("http://a.example/?x&amp;y", "script / h")]),
    ('[["http://a.example/x)y"]]', [("http://a.example/x)y", "script / [0][0]")]),
    # what is no document of JSON is text
    ('{"use strict"; x = "http://a.example/&amp;"}', [("http://a.example/&amp;", "script")]),
    ('{x: "http://a.example/"}', [("http://a.example/", None)]),
    ('x = {"a": "http://a.example/"}', [("http://a.example/", None)]),
    ("[]", []),
    ("{", []),
]  # fmt: skip


@pytest.mark.parametrize(("script", "expected"), SCRIPTS)
def test_a_script_that_is_json_is_read_as_json(
    script: str, expected: list[tuple[str, str | None]], tmp_path: Path
) -> None:
    """Its links have their bytes, also among the links of the page."""
    page = f'<!DOCTYPE html>\n<p>http://p.example/<p><script>{script}</script><a href="http://l.example/">y</a>'
    (tmp_path / "a.html").write_text(page)
    rows = []
    for one in sieve_files([tmp_path / "a.html"]):
        rows.append((one.raw, None) if isinstance(one, Rejection) else (one.uri, one.field))
        assert one.byte_start is not None
        written = page[one.byte_start : one.byte_end].replace("\\u0026", "&").replace("\\", "")
        assert written.replace("&amp;", "&") == one.raw.replace("&amp;", "&")
    assert sorted(rows, key=str) == sorted(
        [*expected, ("http://p.example/", None), ("http://l.example/", "a@href")], key=str
    )
