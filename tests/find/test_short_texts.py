"""Short texts give what longer ones give, by one call of the kernel where nothing else is needed."""

from __future__ import annotations

import gc
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urisieve import Options, Record, Rejection, Scanner, UsageError, extract, extract_each, has_identifier, sieve
from urisieve.find.searches import short_search
from urisieve.finding_options import DEFAULT_OPTIONS
from urisieve.kernel import compiled

# Texts, and whether the kernel alone decides them.
_TEXTS = {
    "": True,
    "nothing: to, be seen": True,
    "see http://example.com/a\nand HTTP://Example.com:80/%7Eb.": True,
    "<urn:isbn:0-395-36341-1>, é http://é.example/ü": False,
    "http://user:secret@a.example/ and http://a.example/\ud800": False,
    "http://a.example:80ab/": False,
    "http://a.example/100%zz then http://b.example/": False,
    "<http://a.example/long-\n> path>": False,
    "http://[::1]/ ftp://f.example/x;type=a tel:+1-201-555-0123": True,
    "a http://a.example/http://b.example/": True,
    "https://a.example/Straße": True,
    "x" * 4_096 + " http://a.example/": False,
}
_OPTIONS = {
    "default": Options(),
    "syntax": Options(level="syntax"),
    "none": Options(level="none"),
    "offsets": Options(positions="offsets"),
    "web": Options(schemes="web"),
    "names": Options(schemeless="names"),
    "nested": Options(nested="report"),
    "unwrap": Options(unwrap="known"),
    "spoofing": Options(spoofing="warn"),
    "8141": Options(urn_syntax="rfc8141"),
    "merge": Options(merge="page"),
}


def _rows(found: Any) -> list[dict[str, Any]]:
    return [one.as_dict() for one in found]


def _scanned(text: str, options: Options) -> list[Record | Rejection]:
    return Scanner(options).finish(text)


@pytest.mark.parametrize("options", _OPTIONS.values(), ids=list(_OPTIONS))
@pytest.mark.parametrize("text", _TEXTS)
def test_a_short_text_gives_what_a_scanner_gives(text: str, options: Options) -> None:
    scanned = _scanned(text, options)
    records = [one for one in scanned if one]
    for _ in range(2):  # the second time something may be remembered
        assert _rows(sieve(text, options=options)) == _rows(scanned)
        assert _rows(extract(text, options=options)) == _rows(records)
        assert [_rows(each) for each in extract_each([text, "", text], options=options)] == [
            _rows(records), [], _rows(records)
        ]  # fmt: skip
        assert has_identifier(text, options=options) is bool(records)


_PIECES = st.sampled_from(
    ("http://", "https://a.example", "urn:isbn:", "0395363411", "/", "?q=", "%zz", "@", ":", " ", "\n", "<", ">", ".",
     "é", "\ud800", "www.", "mailto:", "x", "[", "]", "#", "-")
)  # fmt: skip


@given(st.lists(_PIECES, max_size=24).map("".join))
def test_any_text_gives_what_a_scanner_gives(text: str) -> None:
    scanned = _scanned(text, DEFAULT_OPTIONS)
    assert _rows(sieve(text)) == _rows(scanned)
    assert has_identifier(text) is any(scanned)


@pytest.mark.skipif(not compiled, reason="without the kernel every text takes a search")
@pytest.mark.parametrize(("text", "is_alone"), _TEXTS.items())
def test_a_search_is_taken_where_the_kernel_does_not_decide(text: str, is_alone: bool) -> None:
    list(extract(text))
    with patch("urisieve.streams._searched", side_effect=lambda *_: iter(())) as searched:
        list(extract(text))
        has_identifier(text)
    assert searched.call_count <= (0 if is_alone else 2)
    if not is_alone:
        assert searched.call_count


@pytest.mark.skipif(not compiled, reason="the call is that of the kernel")
def test_records_keep_nothing_of_the_search() -> None:
    records = short_search(DEFAULT_OPTIONS).records("see http://a.example/a and http://b.example/b")
    short_search(DEFAULT_OPTIONS).records("other http://c.example/c")
    gc.collect()
    assert records is not None
    assert [record.uri for record in records] == ["http://a.example/a", "http://b.example/b"]


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(UsageError, match="text"):
        has_identifier(b"http://a.example/")  # type: ignore[arg-type]
