"""White space around a whole value: removed the same way by every call and command that takes one (F6)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import urisieve.sqlite
from tests.helpers.cli_support import call
from tests.helpers.strategies import identifiers, near_misses
from urisieve import Options, Record, Rejection, check, check_rows, is_valid, key, normalize, parse
from urisieve.codes import Warn
from urisieve.dedupe.deduplicate import RowKeys
from urisieve.sql import SqlFunction
from urisieve.syntax.components import SPACES

SECRET = bytes(range(32))
LINK = "HTTP://EXAMPLE.com:80/ü"
KEY = "http://example.com/%C3%BC"
# White space of Unicode, ZWSP and BOM; a line feed and a carriage return end lines.
AROUND = [" ", "\t", "\v", "\x85", "\u00a0", "\u2003", "\u200b", "\u2028", "\u3000", "\ufeff", " \u00a0\t"]
# Not white space: part of the value, which is not valid then, or another one.
OTHERS = {"\x1c": None, "\x00": None, "<": None, "\u2060": f"{KEY}%E2%81%A0"}


def _of_library(value: str) -> str | None:
    found = check(value)
    assert is_valid(value) is bool(found)
    if not found:
        return None
    assert parse(value) == found
    assert {normalize(value), key(value), key(value, options=Options(repair=True))} == {found.key}
    return str(found.key)


def _of_command(value: str) -> str | None:
    named, piped = call("normalize", "--", value), call("normalize", stdin=f"{value}\r\n".encode())
    checked = call("check", "--format", "jsonl", stdin=value.encode()).rows[0]
    assert named.out == piped.out
    assert checked.get("key", "") == named.out.decode().rstrip("\n")
    return named.out.decode().rstrip("\n") or None


def _of_arrow(value: str) -> str | None:
    pa = pytest.importorskip("pyarrow", reason="the extra arrow is not installed")
    from urisieve.arrow import key_array, normalize_array

    for kind in (pa.string(), pa.large_string(), pa.binary(), pa.string_view()):
        values = pa.array([value.encode() if kind == pa.binary() else value, None], kind)
        keys = key_array(values, secret=SECRET).to_pylist()
        assert keys == normalize_array(values).to_pylist()
    found: str | None = keys[0]
    return found


def _of_sqlite(value: str) -> str | None:
    with closing(sqlite3.connect(":memory:")) as connection:
        urisieve.sqlite.register(connection, secret=SECRET)
        (found,) = connection.execute("SELECT uri_key(?)", (value,)).fetchone()
    assert SqlFunction("uri_is_valid", None, SECRET).of_value(value) is (found is not None)
    return None if found is None else str(found)


def _of_duckdb(value: str) -> str | None:
    duckdb = pytest.importorskip("duckdb", reason="the extra duckdb is not installed")
    import urisieve.duckdb

    with duckdb.connect() as connection:
        urisieve.duckdb.register(connection, secret=SECRET)
        (found,) = connection.execute("SELECT uri_key(?)", [value]).fetchone()
    return None if found is None else str(found)


def _of_row(value: str) -> str | None:
    return RowKeys()([(value,)])


WAYS: list[Callable[[str], str | None]] = [_of_library, _of_command, _of_arrow, _of_sqlite, _of_duckdb, _of_row]


@pytest.mark.parametrize("way", WAYS)
def test_every_way_removes_it(way: Callable[[str], str | None]) -> None:
    for space in AROUND:
        for value in (LINK + space, space + LINK, f"{space}{LINK}{space}"):
            assert way(value) == KEY, ascii(value)
    assert way(LINK) == KEY
    assert way(f"{LINK} /x") is None
    assert way(f"{LINK}\u00a0/x") == f"{KEY}%C2%A0/x"  # inside, RFC 3987 allows it
    for other, expected in OTHERS.items():
        if other != "\x00":  # no argument of a command can hold it
            assert way(LINK + other) == expected, ascii(other)


def test_what_is_left_has_its_warning_and_its_offsets() -> None:
    text = f"\u00a0{LINK}\ufeff"
    found = parse(text)
    assert (found.raw, found.start, found.end, found.warnings) == (text, 0, len(text), (Warn.WHITESPACE_REMOVED,))
    assert parse(LINK).warnings == ()
    rejected = check(" \u3000http://a.example/%zz ")
    assert isinstance(rejected, Rejection)
    assert (rejected.raw, rejected.offset) == (" \u3000http://a.example/%zz ", 19)
    blank = check(" \t ")
    assert isinstance(blank, Rejection)
    assert (blank.reason, blank.offset) == ("no-scheme", 0)
    assert key(" 0-395-36341-1 ", options=Options(bare="isbn")) == "urn:isbn:0395363411"
    assert normalize(f" {LINK} ", "none") == LINK


def test_columns_keep_the_cell_without_it(tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    path.write_text(f"url\n\u00a0{LINK}\ufeff\n{LINK}\n \u200b\n", encoding="utf-8")
    first, second, third = check_rows(path, "url", input="csv")
    assert isinstance(first.found, Record)
    assert isinstance(second.found, Record)
    assert (first.cell, first.found.key, first.found.warnings) == (LINK, KEY, (Warn.WHITESPACE_REMOVED,))
    assert (second.cell, second.found.key, second.found.warnings) == (LINK, KEY, ())
    assert (third.cell, third.found) == ("", None)
    done = call("normalize", "--input", "csv", "--field", "url", str(path))
    assert done.lines[:2] == [KEY, KEY]


def test_lines_that_are_kept_or_empty_stay_lines() -> None:
    stdin = " a b \r\n\u00a0\r\n\r\nhttp://a.example\r\n".encode()
    assert call("normalize", "--invalid", "keep", stdin=stdin).lines == ["a b", "", "", "http://a.example/"]
    assert call("check", stdin=b"http://a.example\r\n").lines == ["valid  http://a.example/"]
    assert call("check", stdin=b" http://a.example \n").lines == ["valid  http://a.example/  [whitespace-removed]"]


BARE = Options(bare="isbn")


@pytest.mark.parametrize("value", ["0-395-36341-1", " 0-395-36341-1\u3000"])
def test_every_way_reads_a_value_without_a_scheme(value: str) -> None:
    expected: Any = "urn:isbn:0395363411"
    assert key(value, options=BARE) == SqlFunction("uri_key", BARE, SECRET).of_value(value) == expected
    pa = pytest.importorskip("pyarrow", reason="the extra arrow is not installed")
    from urisieve.arrow import key_array

    assert key_array(pa.array([value]), secret=SECRET, options=BARE).to_pylist() == [expected]


@given(
    text=st.one_of(identifiers(), near_misses()),
    before=st.text(st.sampled_from(SPACES), max_size=3),
    after=st.text(st.sampled_from(SPACES), max_size=3),
)
def test_nothing_else_changes(text: str, before: str, after: str) -> None:
    assume(text.strip(SPACES) == text and before + after)
    plain, found = check(text), check(before + text + after)
    assert found.raw == before + text + after
    if isinstance(plain, Rejection):
        assert isinstance(found, Rejection)
        assert (found.reason, found.component, found.offset) == (
            plain.reason,
            plain.component,
            plain.offset + (len(before) if text else 0),
        )
    else:
        assert isinstance(found, Record)
        assert (found.uri, found.key, found.iri, found.kind) == (plain.uri, plain.key, plain.iri, plain.kind)
        assert found.components == plain.components
        assert found.warnings == (Warn.WHITESPACE_REMOVED, *plain.warnings)
        assert len(found.notices) == len(plain.notices) + 1
