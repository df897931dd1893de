"""Delimited means whole: whatever stands in an attribute, a JSON string, a cell, `<>` or `""`, no part of it is found.

The result is a record whose `raw` is all of it, or rejections, unless it holds white space and is a sentence or several
identifiers.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.helpers.cli_support import call
from urisieve import Options, Record, Rejection, equivalent, is_valid, sieve, sieve_files
from urisieve.find.delimited import is_prose
from urisieve.syntax.components import SPACES

HEADS = ["http://e.example/", "https://e.example/?q=", "ftp://", "urn:example:a", "mailto:a@e.example", "made-up://x/"]
ODD = "|{}^`\\[]<>\"'()~&#%?/:;,.。（）é \t\n\ufffd\u202e\x00\x1b=@*_-"
TAILS = st.text(st.one_of(st.sampled_from(ODD), st.characters(codec="utf-8")), max_size=24)
VALUES = st.builds(str.__add__, st.sampled_from(HEADS), TAILS)
ESCAPES = re.compile("[\x1b\x9b]")


# What may follow in a string that is an identifier.
CONTROLS = SPACES + "".join(map(chr, (*range(32), 127)))


def _rows(kind: str, data: bytes) -> list[dict[str, object]]:
    done = call("extract", "--input", kind, "--format", "jsonl", "--show-passwords", "--quiet", stdin=data)
    assert "Traceback" not in done.err
    return done.rows


def _holds_several(value: str) -> bool:
    spaced = any(character in value.strip(SPACES) for character in SPACES)
    return spaced and (is_prose(value) or len(re.findall(r"[A-Za-z][A-Za-z0-9+.\-]*:", value)) > 1)


def _all_or_nothing(value: str, raws: list[str]) -> None:
    assert raws in ([], [value]), (value, raws)


@given(VALUES)
@example("http://e.example/a|b")
@example("http://e.example/a b")
@example("https://evil。ru/")
@example("http://e.example/\ufffd")
def test_an_attribute(value: str) -> None:
    if _holds_several(value):
        return
    page = f'<!doctype html><a href="{html.escape(value)}">x</a>'
    rows = _rows("html", page.encode())
    # What the URL standard takes off before it reads (4.4), and what HTML makes of NUL (13.2.5).
    whole = re.sub("[\t\n\r]", "", value.strip("".join(map(chr, range(33))))).replace("\0", "\ufffd").strip(SPACES)
    _all_or_nothing(whole, [str(row["raw"]) for row in rows if row["field"] == "a@href"])


@given(VALUES)
@example("http://e.example/{id}")
@example("http://e.example/a.")
def test_a_json_string(value: str) -> None:
    if _holds_several(value):
        return
    rows = _rows("jsonl", json.dumps({"a": value}).encode())
    _all_or_nothing(value.strip(SPACES).rstrip(CONTROLS), [str(row["raw"]) for row in rows])


@given(VALUES.filter(lambda value: not set("\0\r\n") & set(value)))
@example("http://e.example/?family=Lato|Roboto")
def test_a_cell(value: str) -> None:
    if _holds_several(value):
        return
    table = io.StringIO(newline="")
    csv.writer(table, quoting=csv.QUOTE_ALL).writerows([("a", "b"), ("1", value)])
    rows = _rows("csv", table.getvalue().encode())
    _all_or_nothing(value.strip(SPACES).rstrip(CONTROLS), [str(row["raw"]) for row in rows])


@given(VALUES, st.sampled_from(["<>", '""']))
def test_an_exact_wrapper(value: str, wrapper: str) -> None:
    if set(SPACES + wrapper) & set(value) or ESCAPES.search(value) or (wrapper == "<>" and "|" in value):
        return
    found = list(sieve(f"x {wrapper[0]}{value}{wrapper[1]} y"))
    _all_or_nothing(value, [record.raw for record in found if isinstance(record, Record)])
    assert all(rejection.raw == value for rejection in found if isinstance(rejection, Rejection))


@given(st.lists(VALUES, min_size=2, max_size=6))
def test_rows_with_different_fields_stay(values: list[str]) -> None:
    rows = "".join(f"{json.dumps({'u': value, 'n': number})}\n" for number, value in enumerate(values))
    done = call("dedupe", "--input", "jsonl", "--field", "u", "--quiet", stdin=rows.encode())
    kept = {row["n"] for row in done.rows}
    for number, value in enumerate(values):
        if number in kept:
            continue
        assert is_valid(value.strip(SPACES))
        assert any(
            is_valid(other.strip(SPACES)) and equivalent(other.strip(SPACES), value.strip(SPACES))
            for other in values[:number]
        )


# What attributes of HTML hold: found, or a rejection with its reason, never nothing (C3).
ATTRIBUTES = [
    ("http://e.example/a|b", "illegal-character"),
    ("http://e.example/my file.pdf", "illegal-character"),
    ("http://e.example/?u=http://b.example/|x", "illegal-character"),
    ("https:/evil.example/z", "no-authority"),
    ("https:\\\\evil.example", "illegal-character"),
    ("vbscript:x", "vbscript:x"),
    ("skype:joe?call", "skype:joe?call"),
    ("foo:bar", "foo:bar"),
    ("https://evil。ru/", "https://evil.ru/"),
    ("wordhttp://e.example/", "wordhttp://e.example/"),
    (" http://e.example/a. ", "http://e.example/a."),
    ("http://e.example/(a", "http://e.example/(a"),
    ("javascript:void(0)", "javascript:void(0)"),
    ("javascript:open('http://e.example/a')", "javascript:open('http://e.example/a')"),
]


@pytest.mark.parametrize(("value", "expected"), ATTRIBUTES)
def test_attributes(value: str, expected: str) -> None:
    page = f'<!doctype html><a href="{value}">x</a>'.encode()
    done = call("extract", stdin=page)
    if ":" in expected:
        assert done.lines == [expected]
    else:
        assert done.lines == []
        assert f"1 rejected ({expected} 1)" in done.err


def test_the_links_of_a_script_are_found() -> None:
    page = b"""<!doctype html><a href="javascript:open('http://e.example/a', 'b')">x</a>"""
    assert call("extract", "--quiet", stdin=page).lines == ["http://e.example/a"]


# JSON strings and cells, and what is found in them.
STRINGS = [
    ("http://e.example/a is down", ["http://e.example/a"]),
    ("http://a.example/ http://b.example/", ["http://a.example/", "http://b.example/"]),
    ("http://e.example/a b", []),
    ("http://e.example/a.", ["http://e.example/a."]),
    ("see http://e.example/a.", ["http://e.example/a"]),
    ("INFO:http://e.example/a.", ["http://e.example/a"]),
    ("%s://e.example/", []),
    ("http://", []),
    ("x://e", []),
    ("(http://e.example/a)", ["http://e.example/a"]),
    # L17: controls after it are not part of it; within it they are.
    *((f"http://e.example/a.{control}", ["http://e.example/a."]) for control in ("\1", "\x1f\x7f", "\1 \1")),
    ("http://e.example/a\1b", []),
    ("http://e.example/a\1 b", []),
]


@pytest.mark.parametrize(("value", "expected"), STRINGS)
def test_strings(value: str, expected: list[str]) -> None:
    assert [row["raw"] for row in _rows("jsonl", json.dumps([value]).encode())] == expected
    table = io.StringIO(newline="")
    csv.writer(table).writerows([("a", "b"), ("1", value)])
    assert [row["raw"] for row in _rows("csv", table.getvalue().encode())] == expected


@pytest.mark.parametrize(
    ("value", "rejected"),
    [
        ("note:a word", True),
        ("note:a word more", False),
        ("note:a two w. 1", True),
        ("note:) word", True),  # what begins as an identifier is no word of a sentence
        ("note:) word more", False),
        ("note:a «word» (more),", False),
        ("note:a word m0re", True),
        ("note:a don't won't", False),
        ("note:a #Word", False),
        ("note:a #1 ##word", True),
        ("note:a @word", False),
        ("note:a @", True),
        ("note:a \u2713", False),
        ("note:a \U0001f94a \U0001f3a5", False),
        ("note:a + = 1", True),
    ],
)
def test_a_sentence_is_searched(value: str, rejected: bool, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps([value]) + "\n")
    values = list(sieve_files([file], options=Options(schemes="any")))
    assert [one.raw for one in values if isinstance(one, Rejection)] == [value] * rejected
