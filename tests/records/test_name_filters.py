"""Filters by the names in an identifier: the domain of its host or of its addresses, and its path."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.engines import Engine
from urisieve import Batch, Filter, extract

TEXT = """http://www.list.example/a.pdf https://badlist.example/b.PDF?x=.pdf urn:isbn:0395363411 http://LIST.example./c.pdf
mailto:x@list.example mailto:y@badlist.example mailto:y@other.example,z@sub.list.example mailto:?subject=list.example
mailto:q@xn--bcher-kva.example file:///d/e.pdf mailto:list.example@other.example
"""
PDF, BAD, URN, DOT, X, Y, Z, NONE, BOOK, FILE, LOCAL = Batch.of(list(extract(TEXT))).column("uri")
ALL = [PDF, BAD, URN, DOT, X, Y, Z, NONE, BOOK, FILE, LOCAL]
ROWS = [
    ("domain=list.example", {"domains": "list.example"}, [PDF, DOT, X, Z]),
    ("domain=!list.example", {"domains": "!list.example"}, [BAD, URN, Y, NONE, BOOK, FILE, LOCAL]),
    ("domain=example,!list.example", {"domains": ["example", "!list.example"]}, [BAD, Y, BOOK, LOCAL]),
    ("domain=b\u00fccher.example", {"domains": "b\u00fccher.example"}, [BOOK]),
    ("domain=sub.list.example,other.example", {"domains": ["sub.list.example", "other.example"]}, [Z, LOCAL]),
    ("host=*list.example*", {"hosts": "*list.example*"}, [PDF, BAD, DOT]),
    ("path=*.pdf", {"paths": "*.pdf"}, [PDF, DOT, FILE]),
    ("path=*.PDF", {"paths": "*.PDF"}, [BAD]),
    ("path=!*.pdf,!*@*", {"paths": ["!*.pdf", "!*@*"]}, [BAD, URN, NONE]),
    ("path=/a.pdf", {"paths": "/a.pdf"}, [PDF]),
    ("path=a.pdf", {"paths": "a.pdf"}, []),
]


@pytest.mark.parametrize(("only", "words", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_what_is_wanted_by_its_names(only: str, words: dict[str, list[str]], expected: list[str]) -> None:
    batch = Batch.of(list(extract(TEXT)))
    assert list(batch.where(Filter(**words)).column("uri")) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize("is_pure", [False, True])
def test_by_the_command(is_pure: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(TEXT)
    engine = Engine(is_pure=is_pure)
    for command in (("extract",), ("extract", "--unique"), ("dedupe", "--form", "uri")):
        for only, _, expected in ROWS:
            found = engine.ran([*command, "--only", only, str(path)])
            assert found.out.split() == expected, (command, only)
            left = len(ALL) - len(expected)
            assert (f"{left} left out by filters" in found.said) is (left > 0)
    engine.close()
