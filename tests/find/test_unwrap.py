"""Links inside links of redirectors: each row by its own examples, where they stand, chains, and hostile input."""

from __future__ import annotations

import os
import random
from base64 import b64encode
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.cli_support import call
from urisieve import (
    Options,
    ReadingOptions,
    Record,
    Rejection,
    Scanner,
    UsageError,
    check,
    extract,
    extract_batches,
    key,
    sieve,
    sieve_files,
    unwrap,
)
from urisieve.codes import Notice, Warn
from urisieve.dedupe.signature import signature
from urisieve.rules.redirectors import MOST_LAYERS, REDIRECTORS, Decoding, Redirector, is_redirector
from urisieve.streams import extract_keys, find_key

KNOWN = Options(unwrap="known")
ANY = Options(unwrap="any")
EXAMPLES = [
    (row.name, link, inner) for row in REDIRECTORS if row.decoding is not Decoding.HOST for link, inner in row.examples
]
NAMING = [example for row in REDIRECTORS if row.decoding is Decoding.HOST for example in row.examples]


def shown(text: str, options: Options = KNOWN) -> list[str]:
    """What is found in a text: `uri` or `reason`, and a `>` before what was unwrapped."""
    return [
        f"{'>' if one and 'unwrapped' in one.warnings else ''}{one.uri}"
        if isinstance(one, Record)
        else f"!{one.reason}"
        for one in sieve(text, options=options)
    ]


def safelink(link: str) -> str:
    return f"https://nam02.safelinks.protection.outlook.com/?url={quote(link, safe='')}&data=05"


@pytest.mark.parametrize("row", REDIRECTORS, ids=[row.name for row in REDIRECTORS])
def test_each_row_has_a_name_of_its_own_a_reference_and_examples(row: Redirector) -> None:
    assert [row.name for row in REDIRECTORS].count(row.name) == 1
    assert all((row.title, row.reference, row.examples))


@pytest.mark.parametrize(("name", "link", "inner"), EXAMPLES)
def test_examples_of_the_rows(name: str, link: str, inner: str) -> None:
    assert unwrap(link) == [inner], name
    found = list(sieve(f"see <{link}> now", options=KNOWN))
    assert [one.uri for one in found if isinstance(one, Record)] == [key(link), key(inner)]
    assert list(extract(link)) == [check(link)], "not unless it is asked for"


@pytest.mark.parametrize(
    "link",
    [
        "https://www.google.com/search?q=https%3A%2F%2Fe.example%2F",
        "https://google.com.example/url?q=https%3A%2F%2Fe.example%2F",
        "https://l.facebook.com@e.example/l.php?u=https%3A%2F%2Fe.example%2F",
        "https://nam02.safelinks.protection.outlook.com.example/?url=https%3A%2F%2Fe.example%2F",
        "https://nam02.safelinks.protection.outlook.com/?url=&data=05",
        "https://nam02.safelinks.protection.outlook.com/#?url=https%3A%2F%2Fe.example%2F",
        "https://protect-us.mimecast.com/s/abcDEF",
        "https://protect-us.mimecast.com/s/abcDEF?domain=",
        "https://protect-us.mimecast.com/s/abcDEF?domain=localhost",
        "https://protect-us.mimecast.com/s/abcDEF?domain=a.example%2Fb",
        "https://protect-us.mimecast.com/r/abcDEF?domain=a.example",
        "https://community.mimecast.com/s/article/a?domain=a.example",
        "https://www.linkedin.com/company/x?url=https%3A%2F%2Fe.example%2F",
        "https://www.linkedin.com/redir/x/y?url=https%3A%2F%2Fe.example%2F",
        "https://www.reddit.com/t3_5jn5ao?url=https%3A%2F%2Fe.example%2F",
        "https://www.zhihu.com/?target=https%3A%2F%2Fe.example%2F",
        "https://link.edgepilot.com/report?u=https%3A%2F%2Fe.example%2F",
        "https://scanmail.trustwave.com/a?u=https%3A%2F%2Fe.example%2F",
        "https://search.yahoo.com/_ylt=x/RU=https%3a%2f%2fe.example%2f/RK=2",
        "https://r.search.yahoo.com/_ylt=x/RU=https:/RK=2",
        "https://r.search.yahoo.com/_ylt=x?/RU=https%3a%2f%2fe.example%2f/RK=2",
        "https://a.r.eu-west-1.awstrack.me/I0/0102018e5299621b-000000/E3zKTQ=365",
        "https://a.r.eu-west-1.awstrack.me/L0/https://e.example/a/1/0102/x=1",
        "https://a.r.eu-west-1.awstrack.me/x/L0/https:%2F%2Fe.example%2F/1/0102/x=1",
        "https://awstrack.me.example/L0/https:%2F%2Fe.example%2F/1/0102/x=1",
        "https://bit.ly/abc",
        "https://lnkd.in/abc",
        "https://web.archive.org/web/*",
        "https://web.archive.org/web/2020/",
        "https://web.archive.org/web/20200101000000*/",
        "https://web.archive.org/web/",
        "https://web.archive.org/web/2020*/e.example*",
        "https://web.archive.org/web/*/http://e.example/*",
        "https://web.archive.org/save/",
        "https://urldefense.com/v3/__https://e.example/",
        "https://urldefense.com/v4/abc",
        "ftp://www.google.com/url?q=https%3A%2F%2Fe.example%2F",
        "mailto:a@e.example",
        "urn:isbn:0395363411",
    ],
)
def test_other_links_hold_nothing(link: str) -> None:
    assert unwrap(link) == []
    assert shown(link) == [key(link)]


@pytest.mark.parametrize(("link", "host"), NAMING)
def test_a_link_that_names_the_host_of_its_target_alone_has_a_notice(link: str, host: str) -> None:
    assert unwrap(link) == unwrap(link, "any") == []
    (found,) = sieve(f"see <{link}> now", options=KNOWN)
    assert isinstance(found, Record)
    assert found.uri == key(link)
    assert found.notices == (Notice(Warn.NAMES_TARGET_HOST, host),)
    assert list(extract(link)) == [check(link)], "not unless it is asked for"
    outer, inner = sieve(safelink(link), options=KNOWN)
    assert isinstance(inner, Record)
    assert inner.notices == (Notice(Warn.UNWRAPPED), Notice(Warn.NAMES_TARGET_HOST, host))
    assert outer.start <= inner.start


@pytest.mark.parametrize(
    ("value", "target"),
    [
        ("https%253A%252F%252Fb.example%252Fa", "https://b.example/a"),
        ("https%25253A%25252F%25252Fb.example%25252Fa", "https://b.example/a"),
        ("https%3A%252F%252Fb.example%252F", None),  # the colon is decoded: what stands there is the link
        ("https%2525253A%2525252F%2525252Fb.example", None),
        ("a%253Ab", None),
        ("aHR0cHM6Ly9iLmV4YW1wbGUvYT9iPTE=", "https://b.example/a?b=1"),
        ("aHR0cHM6Ly9iLmV4YW1wbGUvYT9iPTE%3D", "https://b.example/a?b=1"),
        ("aHR0cHM6Ly9iLmV4YW1wbGUvYT9iPTE", "https://b.example/a?b=1"),
        (quote(b64encode("http://b.example/\u00ff\u00fe?>".rstrip("?>").encode())), "http://b.example/\u00ff\u00fe"),
        (b64encode(b"HTTP://B.example:80/").decode(), "HTTP://B.example:80/"),
        (b64encode(b" https://b.example/\n").decode().replace("=", ""), None),  # it begins with another text
        (b64encode(b"https://b.example/\n").decode().replace("=", ""), "https://b.example/"),
        (b64encode(b"https://b.example/ and more").decode(), None),
        (b64encode(b"https://b.example/%zz").decode(), None),
        (b64encode(b"https:///b").decode(), None),
        (b64encode(b"https").decode(), None),
        (b64encode(b"ftp://b.example/").decode(), None),
        (b64encode(b"mailto:a@b.example").decode(), None),
        ("aHR0cHM6Ly9iLmV4YW1wbGUvYT9iPTE.", None),
        ("aHR0cHM6Ly9iLmV4YW1wbGUvYT9iPTE!", None),
        ("aHR0cHM6Ly//", None),
        ("QUJDREVGR0hJSktMTU5PUA==", None),
        ("dGVzdA", None),
    ],
)
def test_a_parameter_that_is_encoded_twice_or_in_base64(value: str, target: str | None) -> None:
    link = f"https://a.example/?x=1&to={value}&y=2"
    expected = [] if target is None else [target]
    assert unwrap(link, "any") == expected
    assert unwrap(link) == []
    found = list(sieve(f"see <{link}> now", options=ANY))
    assert [one.raw for one in found][1:] == [value] * len(expected)
    assert [one.uri for one in found if isinstance(one, Record)][1:] == [key(one) for one in expected]
    assert all("unwrapped" in one.warnings for one in found[1:] if isinstance(one, Record))


def test_a_text_in_base64_that_is_not_a_valid_link_is_none() -> None:
    link = f"https://a.example/?to={b64encode(b'https://b.example:80x/').decode()}"
    assert shown(link, ANY) == [link]
    label = f"https://{'a' * 70}..example/"
    link = f"https://a.example/?to={b64encode(label.encode()).decode()}&u=http://c.example/"
    assert shown(link, ANY) == [key(link), ">http://c.example/"]


def test_known_redirectors_may_be_encoded_again() -> None:
    twice = "https://www.google.com/url?q=https%253A%252F%252Fe.example%252F"
    assert unwrap(twice) == ["https://e.example/"]
    outer, found = sieve("x https://www.google.com/url?q=https%253A%252F%252Fe.example%253A8x%252F y", options=KNOWN)
    assert isinstance(found, Rejection)
    assert (found.reason, found.raw[found.offset :]) == ("bad-port", "x%252F")
    assert outer.end == found.end


def test_a_scheme_of_its_own_is_not_taken_for_a_host() -> None:
    archive = "https://web.archive.org/web/20200101000000/"
    assert unwrap(f"{archive}mailto:ann@e.example") == ["mailto:ann@e.example"]
    assert unwrap(f"{archive}e.example:80/a") == ["http://e.example:80/a"]
    for inner, warnings in (
        ("http://e.example/", ["unwrapped"]),
        ("HTTPS://e.example/", ["unwrapped"]),
        ("e.example/", ["unwrapped", "scheme-assumed"]),
        ("e.example:80/", ["unwrapped", "scheme-assumed"]),
    ):
        assert list(extract(f"{archive}{inner}", options=KNOWN))[1].warnings == tuple(warnings)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "http://a.example/?to=https%3A%2F%2Fb.example%2F&x=http://c.example/&y=foo:bar&z=mailto:a@d.example",
            [">https://b.example/", ">http://c.example/", ">mailto:a@d.example"],
        ),
        ("http://a.example/?q=a:b&t=12:30&c=C:%5Cx", []),
        ("http://a.example/#x=https%3A%2F%2Fb.example%2F", []),
        ("http://a.example/?https%3A%2F%2Fb.example%2F", []),
        ("http://a.example/?=https%3A%2F%2Fb.example%2F", []),
        ("http://a.example/?x=http://", []),
        ("http://a.example/?x=http%3A%2F%2Fb", [">http://b/"]),
        ("http://a.example/?x=&y=http://b.example/", [">http://b.example/"]),
        ("http://a.example/?x=1&x=http://b.example/&x=http://c.example/", [">http://b.example/", ">http://c.example/"]),
        ("ftp://a.example/?to=https%3A%2F%2Fb.example%2F", [">https://b.example/"]),
        (
            "http://a.example/?to=http%3A%2F%2Fb.example%2F%3Fto%3Dhttp%253A%252F%252Fc.example%252F",
            [">http://b.example/?to=http%3A%2F%2Fc.example%2F", ">http://c.example/"],
        ),
    ],
)
def test_any_parameter_that_holds_a_link(text: str, found: list[str]) -> None:
    assert shown(text, ANY) == [key(text), *found]
    assert shown(text) == [key(text)]


@pytest.mark.parametrize(
    ("inner", "reason", "offset"),
    [
        ("https://e.example:99x/", "bad-port", "x%2F"),
        ("https://e.example/%zz", "bad-percent-encoding", "%25zz"),
        ("https://e.example/a b", "illegal-character", "%20b"),
        ("https://e.example/\x00", "illegal-character", "%00"),
        ("https://e.example/\u00e9\u20ac\U0001f600<", "illegal-character", "%3C"),
        ("just words", "no-scheme", "just"),
        ("//e.example/", "no-scheme", "%2F%2Fe"),
    ],
)
def test_an_inner_text_that_is_not_valid_is_rejected_with_its_reason(inner: str, reason: str, offset: str) -> None:
    text = f"see {safelink(inner)}, ok"
    outer, found = sieve(text, options=KNOWN)
    assert isinstance(outer, Record)
    assert isinstance(found, Rejection)
    assert (found.reason, found.raw) == (reason, quote(inner, safe=""))
    assert text[found.start : found.end] == found.raw
    assert found.raw[found.offset :].startswith(offset)


@pytest.mark.parametrize(
    "link",
    [
        "https://www.bing.com/ck/a?u=aHR0cHM6Ly9lLmV4YW1wbGU",
        "https://www.bing.com/ck/a?u=a1!!!!",
        "https://eu.protection.sophos.com/?d=e.example&u=x",
        f"https://eu.protection.sophos.com/?u={b64encode(bytes([255, 254])).decode()}",
        "https://urldefense.com/v3/__https://e.example/*a**Ab__;I!!Q!R$",
        "https://urldefense.com/v3/__https://e.example/*a__;%20!!Q!R$",
    ],
)
def test_what_cannot_be_decoded_is_rejected(link: str) -> None:
    assert shown(f"<{link}>") == [key(link), "!bad-wrapping"]
    assert unwrap(link) == []


def test_chains_end_at_a_depth() -> None:
    link = "https://e.example/"
    for _ in range(MOST_LAYERS + 2):
        link = safelink(link)
    found = list(extract(link, options=KNOWN))
    assert len(found) == MOST_LAYERS + 1
    assert ["wraps-further" in record.warnings for record in found] == [False] * MOST_LAYERS + [True]
    assert len(unwrap(link)) == MOST_LAYERS
    link = "https://e.example/"
    for _ in range(MOST_LAYERS):
        link = safelink(link)
    found = list(extract(link, options=KNOWN))
    assert [record.uri for record in found][-1] == "https://e.example/"
    assert not any("wraps-further" in record.warnings for record in found)


def test_options_about_schemes_count_inside_too() -> None:
    text = safelink(safelink("ftp://e.example/a")) + " " + safelink("http://e.example/b")
    assert [one.split("//")[1] for one in shown(text, Options(unwrap=True, schemes={"https"})) if one[0] == ">"] == [
        key(safelink("ftp://e.example/a")).split("//")[1]
    ]
    assert shown(text, Options(unwrap=True, exclude_schemes={"ftp"}))[-1] == ">http://e.example/b"
    several = "http://a.example/?u=ftp%3A%2F%2Fb.example%2F&v=http%3A%2F%2Fc.example%2F"
    assert shown(several, ANY)[1:] == [">ftp://b.example/", ">http://c.example/"]
    assert shown(several, Options(unwrap="any", exclude_schemes={"ftp"}))[1:] == [">http://c.example/"]


def test_it_goes_with_other_options() -> None:
    archive = "https://web.archive.org/web/2020/http://a.example/?u=http://b.example/"
    assert shown(archive, Options(unwrap=True, nested=True)) == [
        archive,
        ">http://a.example/?u=http://b.example/",
        "http://b.example/",
    ]
    several = "http://a.example/?u=http://b.example/?v=http://c.example/ http://d.example/?u=http://e.example/"
    for nested in ("report", "off"):
        assert shown(several, Options(unwrap="any", nested=nested)) == [
            "http://a.example/?u=http://b.example/?v=http://c.example/",
            ">http://b.example/?v=http://c.example/",
            ">http://c.example/",
            "http://d.example/?u=http://e.example/",
            ">http://e.example/",
        ]
    defanged = "hxxps://www[.]google[.]com/url?q=hxxps://evil[.]example/a"
    assert shown(defanged, Options(unwrap=True, refang=True))[1] == ">https://evil.example/a"
    inside = safelink("https://evil[.]example/a")
    assert shown(inside, Options(unwrap=True, refang=True))[1] == ">https://evil.example/a"
    assert shown(inside)[1].startswith("!")
    wrapped = "<https://www.google.com/url?q=https%3A%2F%2F\n e.example%2F>"
    assert shown(wrapped)[1] == ">https://e.example/"
    assert shown("www.google.com/url?q=https://e.example/", Options(unwrap=True, schemeless=True))[1:] == [
        ">https://e.example/"
    ]
    assert shown("HTTPS://WWW.Google.com/url?q=HTTPS://E.example", Options(unwrap=True, level="none"))[1:] == [
        ">HTTPS://E.example"
    ]
    book = "https://www.google.com/url?q=urn:example:a%3F%2Bb%23c"
    assert [one.components.path for one in extract(book, options=KNOWN)][1] == "example:a?+b#c"


def test_passwords_are_masked(capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    from urisieve.cli.program import main

    (tmp_path / "a.txt").write_text("hxxp://joe:hidden@a[.]example/?to=http%3A%2F%2Fb[.]example%2F")
    main(["extract", "--quiet", "--accept", "defanged,wrapped-any", "--format", "jsonl", str(tmp_path / "a.txt")])
    out = capsysbinary.readouterr().out
    assert b"b.example" in out
    assert b"hidden" not in out


def test_keys_alone_leave_them_out() -> None:
    text = safelink("https://e.example/")
    assert list(extract_keys(text, options=KNOWN)) == [key(text)]
    assert find_key(text, options=KNOWN) == key(text)
    assert signature(KNOWN) == signature()


def test_columns_are_those_asked_for() -> None:
    text = f"{safelink('https://e.example/')} http://a.example/ {safelink('words')} http://b.example/%zz"
    (whole,) = extract_batches([text], options=KNOWN)
    for columns in (["uri"], ["raw", "line"], ["start", "column", "wrapper"]):
        (batch,) = extract_batches([text], options=KNOWN, columns=columns)
        for name in columns:
            assert list(batch.column(name)) == list(whole.column(name))
        assert [one.raw for one in batch.rejections] == [one.raw for one in whole.rejections]
    assert [type(one) for one in whole.found()] == [Record, Record, Record, Record, Rejection, Rejection]


def _fields(values: Iterable[Record | Rejection]) -> list[dict[str, Any]]:
    return [value.as_dict() for value in values]


WORDS = st.sampled_from(
    [
        *[link for row in REDIRECTORS for link, _ in row.examples],
        *(
            "http://e.example/",
            "http://e.example/%zz",
            safelink(safelink("http://\u00e9.example/")),
            "mailto:a@e.example",
        ),
        *(
            "\u00e9\u20ac",
            "https://www.google.com/url?q=words",
            "http://a.example/?u=http%3A%2F%2Fb.example",
            "\n",
            "<",
            ">",
        ),
    ]
)


@given(st.lists(WORDS, max_size=8), st.sampled_from([KNOWN, ANY, Options(unwrap="any", nested=True)]), st.randoms())
def test_cuts_change_nothing_and_places_are_right(words: list[str], options: Options, chance: random.Random) -> None:
    text = " ".join(words)
    whole = list(sieve(text, options=options))
    places = sorted(chance.choices(range(len(text) + 1), k=chance.randint(0, 6)))
    scanner = Scanner(options)
    found: list[Record | Rejection] = []
    for start, end in zip([0, *places], [*places, len(text)], strict=True):
        found += scanner.feed(text[start:end])
    found += scanner.close()
    assert _fields(found) == _fields(whole)
    for one in whole:
        assert text[one.start : one.end] == one.raw
        assert one.line == text.count("\n", 0, one.start) + 1
        assert one.column == one.start - text.rfind("\n", 0, one.start)
    plain = [one for one in whole if isinstance(one, Rejection) or not {"unwrapped", "nested"} & set(one.warnings)]
    assert [one.raw for one in plain if isinstance(one, Record)] == [one.raw for one in extract(text)]


MAIL = (
    "From a@e.example Thu Jan  1 00:00:00 1970\nSubject: x\nMIME-Version: 1.0\n"
    "Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
    '<p>\u00e9 <a href=3D"https://www.google.com/url?sa=3DD&amp;q=3Dhttps%3A%2F%2Fe.example%2F&amp;x">one</a>\n\n'
)


def test_files_have_byte_offsets_and_jobs_change_nothing(tmp_path: Path) -> None:
    text = f"\u00e9\u20ac {safelink('https://e.example/a')} x\n" * 3
    (tmp_path / "a.txt").write_text(text)
    (tmp_path / "a.mbox").write_text(MAIL * 2)
    (tmp_path / "a.html").write_text(
        f'<a href="{safelink("http://e.example/b")}">x</a> {safelink("http://e.example/c")}'
    )
    paths = [tmp_path / "a.txt", tmp_path / "a.mbox", tmp_path / "a.html"]
    alone = list(sieve_files(paths, options=KNOWN, jobs=1))
    assert _fields(sieve_files(paths, options=KNOWN, jobs=2)) == _fields(alone)
    of_text = [one for one in alone if one.source == str(paths[0])]
    assert len(of_text) == 6
    for one in of_text:
        assert one.byte_start is not None
        assert text.encode()[one.byte_start : one.byte_end] == one.raw.encode()
    inner = [one for one in alone if isinstance(one, Record) and "unwrapped" in one.warnings]
    assert [one.uri for one in inner[3:]] == ["https://e.example/"] * 2 + ["http://e.example/c", "http://e.example/b"]
    assert [one.message for one in inner[3:]] == [1, 2, None, None]
    page = (tmp_path / "a.html").read_bytes()
    for one in inner[5:]:
        assert page[one.byte_start : one.byte_end].decode() == one.raw


def test_the_text_of_a_link_is_compared_with_where_it_leads_in_the_end(tmp_path: Path) -> None:
    good, bad = safelink("https://www.e.example/a"), safelink("https://evil.example/")
    (tmp_path / "a.html").write_text(
        f"<a href='{good}'>https://e.example/a</a> <a href='{bad}'>https://e.example/a</a>"
        f"<a href='{good}'>here</a> <a href='https://www.google.com/url?q=https://evil.example/'>www.google.com</a>"
    )
    found = sieve_files([tmp_path / "a.html"], options=Options(unwrap=True, schemeless=False))
    links = [one for one in found if isinstance(one, Record) and one.field == "a@href"]
    assert [(one.host, "text-differs-from-target" in one.warnings) for one in links] == [
        ("nam02.safelinks.protection.outlook.com", True),
        ("www.e.example", False),
        ("nam02.safelinks.protection.outlook.com", True),
        ("evil.example", True),
        ("nam02.safelinks.protection.outlook.com", False),
        ("www.e.example", False),
        ("www.google.com", False),
        ("evil.example", True),
    ]


def test_rejections_say_where_they_stand_whatever_is_written(tmp_path: Path) -> None:
    (tmp_path / "a.mbox").write_text(MAIL.replace("https%3A%2F%2Fe.example%2F", "https%3A%2F%2Fe.example%3Ax"))
    rows = call("extract", "--accept", "wrapped", "--rejected", "-", "-o", os.devnull, str(tmp_path / "a.mbox")).rows
    assert [(row["reason"], row["message"], row["field"], row["source"]) for row in rows] == [
        ("bad-port", 1, "a@href", str(tmp_path / "a.mbox"))
    ]


def test_a_relative_reference_may_be_a_redirector(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<base href="https://www.google.com/"><a href="/url?q=https://e.example/">x</a>')
    found = list(sieve_files([tmp_path / "a.html"], options=KNOWN, reading=ReadingOptions(input="html")))
    assert [one.uri for one in found if isinstance(one, Record)][-1] == "https://e.example/"


@given(st.text("http:/%3A2Faz.?&=u;_*-!~", max_size=40), st.sampled_from(REDIRECTORS))
def test_any_text_inside_is_found_or_rejected(inner: str, row: Redirector) -> None:
    link, held = row.examples[0]
    text = link.replace(quote(held, safe=""), quote(inner, safe="")) if quote(held, safe="") in link else link + inner
    if not check(text):
        return
    for one in list(sieve(f"<{text}>", options=KNOWN)):
        assert 0 <= one.start <= one.end <= len(text) + 1


def test_misuse() -> None:
    with pytest.raises(UsageError, match="'known'"):
        Options(unwrap="know")
    with pytest.raises(UsageError, match="redirectors='all' is not a choice"):
        unwrap("http://e.example/", "all")
    with pytest.raises(UsageError):
        unwrap(b"http://e.example/")  # type: ignore[call-overload]
    assert unwrap(safelink("http://e.example/"), "off") == []
    assert [is_redirector(host) for host in ("WWW.Google.com:443", "", "[::1]")] == [True, False, False]
