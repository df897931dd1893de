"""Local parts of `mailto` with the signs of groups (RFC 5322 3.4), which RFC 6068 lacks: found with a warning (K17)."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from tests.helpers.engines import Engine
from tests.helpers.marked_rows import Row, holds
from urisieve import Record, check

LOCALS = ("list:", "a:b", "a;b", ";a", "a;", "a:b;c", "tel:a", "x:y:z", "caf\u00e9:b")
AROUND = (
    "x {} y",
    "<{}>",
    '"{}"',
    "'{}'",
    "({})",
    "[{}]",
    "x {}, y",
    "x {}.",
    "x {}?subject=a y",
    "href={}",
    "\u300c{}\u300d",
)
ROWS = [
    Row("x mailto:|mailto:a@b.example| y", "the inner one", "mailto:a@b.example", ""),
    Row("x mailto:x:|MAILTO:a@b.example| y", "the inner one", "mailto:a@b.example", ""),
    Row("x |mailto:a@b.example|; c@d.example", "", "mailto:a@b.example", ""),
    Row("x ✗mailto:a@b.example;c@d.example✗ y", "the separator of another program", reasons="scheme-syntax"),
    Row("mailto: joe; ann@b.example", "a label"),
    Row("mailto:joe; ann@b.example", "no address"),
    Row("mailto:a:b", "no address"),
    Row("mailto:a/b:c@d.example", "a path"),
    Row("mailto::a@b.example mailto::@b.example <mailto::@b.example> 'tel::+1' urn::a:b", "names of code"),
]


@pytest.mark.parametrize("row", ROWS, ids=[row.marked for row in ROWS])
def test_what_is_around_it(row: Row) -> None:
    holds(row)


@pytest.mark.parametrize("is_pure", [False, True])
def test_what_is_valid_is_found(is_pure: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    uris = [f"mailto:{local}@e.example" for local in LOCALS]
    path.write_text("\n\n".join(around.format(uri) for around, uri in product(AROUND, uris)), encoding="utf-8")
    engine = Engine(is_pure=is_pure)
    found = [json.loads(line) for line in engine.ran(["extract", "--format", "jsonl", str(path)]).out.splitlines()]
    engine.close()
    expected = []
    for around, uri in product(AROUND, uris):
        alone = check(uri + "?subject=a" * ("subject" in around))
        assert isinstance(alone, Record)
        expected.append((alone.uri, alone.key, list(alone.warnings)))
    assert [(one["uri"], one["key"], one["warnings"]) for one in found] == expected
