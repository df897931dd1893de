"""Notebooks show records, rejections and batches: nothing can be followed, nothing runs, no password is seen."""

from __future__ import annotations

import re
import unicodedata
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.strategies import near_misses
from urisieve import Batch, Options, Record, Rejection, Scheme, check, extract_batches, extract_documents, sieve

EVERYTHING = Options(refang=True, email=True, repair=True, schemeless=True, nested=True)
# All that the HTML may be made of.
TAGS = {"table", "caption", "tr", "th", "td", "span", "b"}
ATTRIBUTES = {("style", "text-align:left;word-break:break-word"), ("scope", "row"), ("dir", "ltr")}


class Shown(HTMLParser):
    """The cells of tables, as they are seen; anything else but them is an error."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.caption = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        assert set(attributes) <= ATTRIBUTES
        self._open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        assert self._open
        if "caption" in self._open:
            self.caption += data
        else:
            self.rows[-1][-1] += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    handle_decl = handle_pi = unknown_decl = handle_comment  # type: ignore[assignment]

    @property
    def cells(self) -> dict[str, str]:
        """The rows of a record, by their names; of rows with one name the last."""
        return {row[0]: row[1] for row in self.rows}


def shown(found: Record | Rejection | Batch) -> Shown:
    return Shown(found._repr_html_())


def test_a_record() -> None:
    (record,) = extract_documents([("page", "see\n <HTTP://joe@EXAMPLE.com:80/%7ea> there")])
    assert shown(record).caption == "Record"
    assert shown(record).cells == {
        "uri": "hxxp://joe@example[.]com/~a",
        "raw": "hxxp://joe@EXAMPLE[.]com:80/%7ea",
        "kind": "uri",
        "host": "example[.]com",
        "source": "page",
        "place": "line 2, column 3, characters 6 to 36",
        "warning": "userinfo-present: user information before the host can disguise where a link leads",
    }


def test_a_urn_and_a_form_for_people() -> None:
    cells = shown(check("urn:isbn:0395363411")).cells
    assert (cells["uri"], cells["namespace"], "host" in cells) == ("urn:isbn:0395363411", "isbn", False)
    assert shown(check("http://xn--4ca.example/")).cells["iri"] == "hxxp://ä[.]example/"
    assert shown(check("urn:example:a.b")).cells["uri"] == "urn:example:a.b"
    cells = shown(check("urn:example:a?=b", options=Options(urn_syntax="rfc8141"))).cells
    assert (cells["uri"], cells["key"]) == ("urn:example:a?=b", "urn:example:a")


def test_a_rejection() -> None:
    assert shown(check("http://example.com:80ab/")).cells == {
        "raw": "hxxp://example[.]com:80ab/",
        "reason": "bad-port: a port consists of digits only",
        "component": "port",
        "fails at": "index 21: http[://]example[.]com:80▸ab/",
        "section": "RFC 3986 3.2.3",
        "place": "line 1, column 1, characters 0 to 24",
    }


def test_a_batch() -> None:
    (batch,) = extract_batches([("page", "http://a.example/ http://b.example:x/ " + "urn:example:b " * 30)])
    table = shown(batch)
    assert table.caption == "Batch: identifiers: 31 (the first 20 are shown); rejections: 1 (bad-port 1)"
    assert table.rows[:3] == [
        ["uri", "source", "line", "column", "start"],
        ["hxxp://a[.]example/", "page", "1", "1", "0"],
        ["urn:example:b", "page", "1", "39", "38"],
    ]
    assert len(table.rows) == 21
    assert len(batch) == 31


def test_batches_of_several_kinds_of_sources(tmp_path: Path) -> None:
    head = "From a@b Thu Jan  1 00:00:00 2026\nFrom: a@b.example\nMessage-ID: <i@b.example>\n"
    (tmp_path / "a").write_text(f"{head}\nsee http://u@a.example/ x\n")
    (tmp_path / "b").write_text("http://b.example/ http://b.example:x/ http://c.example:x/ http://d.example/%zz")
    (tmp_path / "c.csv").write_text("id,link\n1,http://u:p@c.example/\n")
    batches = list(extract_batches([tmp_path / name for name in ("a", "b", "c.csv")]))
    joined = Batch.joined(batches)
    table = shown(joined)
    assert table.caption == "Batch: identifiers: 3; rejections: 3 (bad-port 2, bad-percent-encoding 1)"
    assert [[one.removeprefix(f"{tmp_path}/") for one in row] for row in table.rows] == [
        ["uri", "source", "message", "message_id", "part", "field", "row", "line", "column", "start", "warnings"],
        ["hxxp://u@a[.]example/", "a", "1", "i@b.example", "1", "", "", "1", "5", "4", "userinfo-present"],
        ["hxxp://b[.]example/", "b", "", "", "", "", "", "1", "1", "0", ""],
        [
            *("hxxp://u:***@c[.]example/", "c.csv", "", "", "", "link", "2", "1", "1", "0"),
            "userinfo-present, password-present",
        ],
    ]
    assert [list(shown(record).cells)[3:-1] for record in joined] == [
        ["source", "message", "message id", "part", "place"],
        ["source"],
        ["source", "field", "row", "place"],
    ]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (19, "Batch: identifiers: 19"),
        (20, "Batch: identifiers: 20"),
        (21, "Batch: identifiers: 21 (the first 20 are shown)"),
        (1_000, "Batch: identifiers: 1,000 (the first 20 are shown)"),
    ],
)
def test_the_first_rows_are_shown(rows: int, said: str) -> None:
    (batch,) = extract_batches(["http://a.example/ " * rows])
    assert shown(batch).caption == said
    assert len(shown(batch).rows) == 1 + min(rows, 20)


def test_what_a_text_may_have_meant() -> None:
    (record,) = sieve("<http://a.example/b-\nc>")
    cells = shown(record).cells
    assert (cells["raw"], cells["alternative"]) == ("hxxp://a[.]example/b-\ufffdc", "hxxp://a[.]example/bc")


def test_the_characters_around_a_fault() -> None:
    cells = shown(check(f"http://a.example/{'b' * 41}%zz{'c' * 41}")).cells
    assert cells["fails at"] == f"index 58: {'b' * 40}▸%zz{'c' * 37}"
    assert shown(check("1")).cells["fails at"] == "index 0: ▸1"


def test_batches_that_hold_less() -> None:
    (batch,) = extract_batches(["http://a.example/"], columns=["host"])
    assert shown(batch).rows == [["uri"], ["hxxp://a[.]example/"]]
    assert shown(batch).caption == "Batch: identifiers: 1"
    empty = shown(Batch.joined([]))
    assert (empty.caption, empty.rows) == ("Batch: identifiers: 0", [])
    (rejected,) = extract_batches(["http://b.example:x/"])
    assert shown(rejected).caption == "Batch: identifiers: 0; rejections: 1 (bad-port 1)"


SECRETS = [
    "http://joe:hunter2@evil.example/",
    "http://joe:hunter2@evil.example:x/",
    "www.joe:hunter2@evil.example:x/",
    "http://joe:hun@hunter2@evil.example/",
    "ftp://joe:hunter2@evil.example/%zz",
    "hxxp://joe:hunter2@evil[.]example/",
    "sip:joe:hunter2@evil.example",
]


@pytest.mark.parametrize("text", SECRETS)
@pytest.mark.parametrize("options", [None, EVERYTHING, Options(level="none")], ids=repr)
def test_no_password_is_shown(text: str, options: Options | None) -> None:
    values: list[Record | Rejection | Batch] = [
        check(text, options=options),
        *sieve(f"<{text}> {text}", options=options),
    ]
    values += extract_batches([(text, f"<{text}> {text}")], options=options)
    for value in values:
        assert "hunter2" not in value._repr_html_(), value


def test_a_password_is_not_shown_though_no_warning_says_so() -> None:
    values = check("http://joe:hunter2@evil.example/").as_dict() | {"warnings": []}
    assert "hunter2" not in Record.from_dict(values)._repr_html_()


HOSTILE = [
    "http://evil.example/<script>alert(1)</script>",
    "http://evil.example/\"onmouseover='alert(1)'<img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "http://evil.example/\u202egnp.exe\u2066\u200f\u061c",
    "http://evil.example/\x1b[31m\x00\x07\x9b",
    "http://evil.example/&lt;b&gt;&#60;",
    "http://evil.example/?u=http://other.example/&v=https://third.example/",
    "http://\u0627\u0644.example/\u0645",
    "data:text/html,<script>alert(1)</script>",
    "www.evil.example/<b>",
    "http://evil.exam\u200bple/",
    "x" * 100_000 + "://a.example/",
    "http://evil.example/" + "a" * 100_000,
]
_BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def _is_harmless(value: Record | Rejection | Batch) -> bool:
    html = value._repr_html_()
    table = Shown(html)
    text = "\n".join("\n".join(row) for row in table.rows)
    assert not re.search(r"(?i)\b(?:https?|ftp|wss?)://", text), text
    assert not any(unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp") for one in text.replace("\n", "")), text
    assert not any(unicodedata.bidirectional(one) in _BIDI for one in html)
    assert len(html) < 20_000
    return True


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("options", [None, EVERYTHING], ids=repr)
def test_hostile_text_is_harmless(text: str, options: Options | None) -> None:
    assert _is_harmless(check(text, options=options))
    for found in sieve(f"<{text}> \n {text}", options=options):
        assert _is_harmless(found)
    for batch in extract_batches([(f"http://n.example/<b>{text}", f'"{text}" {text}')], options=options):
        assert _is_harmless(batch)


@given(near_misses() | st.text(max_size=40).map("http://a.example/{}".format), st.sampled_from([None, EVERYTHING]))
def test_any_text_is_harmless(text: str, options: Options | None) -> None:
    assert _is_harmless(check(text, options=options))


def test_names_of_sources_are_harmless() -> None:
    (record,) = extract_documents([("http://u:hunter2@n.example/<b>\u202e", "http://a.example/")])
    assert shown(record).cells["source"] == "hxxp://u:***@n[.]example/<b>\ufffd"
    assert _is_harmless(record)


def test_long_values_are_cut_and_say_so() -> None:
    cells = shown(check("http://a.example/" + "b" * 1_000)).cells
    assert cells["uri"] == "hxxp://a[.]example/" + "b" * 281 + " (of 1,019 characters)"
    assert shown(check("x" * 300)).cells["raw"] == "x" * 300
    assert shown(check("x" * 301)).cells["raw"] == "x" * 300 + " (of 301 characters)"


def test_rules_of_ones_own() -> None:
    row = Scheme("lake", "Lakes", "none", dns=True, same=(), different=())
    found = check("lake://xn--4ca.example/", options=Options(rules=[row]))
    assert shown(found).cells["iri"] == "lake[://]ä[.]example/"
