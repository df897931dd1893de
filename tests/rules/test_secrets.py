"""Secrets: the example and the other link of each row, wherever they are found, and what is hidden of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.cli_support import call
from urisieve import Options, Record, check, extract, mask, new_secret, parse, redact, sieve
from urisieve.codes import Warn
from urisieve.find.kernel_search import KernelSearch
from urisieve.find.search import Search
from urisieve.judge.judge import Judged, judge
from urisieve.kernel import compiled
from urisieve.records.batch import BatchBuffer
from urisieve.records.mask import Mask
from urisieve.rules.secret_check import LEAST_RUN, SECRETS, SecretRow, looks_random, secrets

ROWS = pytest.mark.parametrize("row", SECRETS, ids=lambda row: row.name)
OTHERS = (
    *("code=200", "sig=left", "key=name", "token=true", "state=CA", "auth=ldap", "access_token=", "api_key=null"),
    *("client_secret=***", "password=xxxx", "secret=${SECRET}", "token={token}", "api_key=<key>", "pwd=abc", "sid=12"),
    *(
        "key=spring-catalogue-2019-edition",
        "state=2019-10-12T10:20:30Z",
        "code=1234567890123456789012",
        "tokens=abcdef",
    ),
    *("monkey=q7Xr2Mz9Kd4Tb8Wf3Lh6Ns1P", "barcode=q7Xr2Mz9Kd4Tb8Wf3Lh6Ns1P", "signage=q7Xr2Mz9Kd4Tb8Wf3Lh6Ns1P"),
    *("key=https://a.example/q7Xr2Mz9Kd4Tb8Wf3Lh6Ns1P", "state=The%20quick%20brown%20fox", "key=LongTitleOfSomePage"),
)
TOKEN = "q7Xr2Mz9Kd4Tb8Wf3Lh6Ns1P"
ONES = (
    *(
        "my_access_token=abcdef",
        "MyAccessToken=abcdef",
        "x.access-token=abcdef",
        "app%5Fsecret=abcdef",
        "user%5Bapi_key%5D=1234",
    ),
    *(f"key={TOKEN}", f"appKey={TOKEN}", f"X-Sig={TOKEN}", f"authCode={TOKEN}", f"STATE={TOKEN}"),
    *(
        "key=7d1f9c3e-4b2a-4e8d-9f60-3c5b7a1e2d84",
        "auth=Bearer%20abcdefgh1",
        "token=4%2F0AbCd7Xr2Mz9Kd4Tb8Wf3",
        "pwd=1234",
    ),
    *(f"a%5Btoken%5D={TOKEN}", f"%74oken={TOKEN}", f"u=http%3A%2F%2Fb.example%2F%3Ftoken%3D{TOKEN}"),
)


def holds(text: str) -> list[str]:
    return [text[start:end] for start, end in secrets(text)]


def places(row: SecretRow) -> Iterator[tuple[str, str, str]]:
    """Yield links in which the secret of a row is, and in which the other link is, and the secret as written there."""
    link, secret = row.example
    yield link, row.other, secret
    yield f"https://r.example/?u={quote(link, '')}", f"https://r.example/?u={quote(row.other, '')}", quote(secret, "")
    yield f"https://r.example/#u={quote(link, '')}", f"https://r.example/#u={quote(row.other, '')}", quote(secret, "")


@ROWS
def test_rows_are_complete(row: SecretRow) -> None:
    assert holds(row.example[0]) == [row.example[1]]
    assert holds(row.other) == []
    assert "" not in (row.product, row.reference)
    assert row.name == row.name.lower()
    assert bool(row.sure or row.words) + bool(row.shape) + bool(row.host) == 1
    if row.starts:
        assert any(start in row.example[0] for start, _ in row.starts)
        assert re.search(rf"[\w\-]{{{LEAST_RUN}}}", row.example[1])
    assert [one.name for one in SECRETS].count(row.name) == 1


@pytest.mark.parametrize("name", OTHERS)
def test_what_stays(name: str) -> None:
    for sign in "?#":
        assert holds(f"https://a.example/{sign}a=1&{name}&b=2") == []
        assert mask(f"x https://a.example/{sign}{name} y") == f"x https://a.example/{sign}{name} y"


@pytest.mark.parametrize("name", ONES)
def test_what_is_hidden(name: str) -> None:
    for sign in "?#":
        link = f"https://a.example/{sign}a=1&{name}&b=2"
        shown = mask(f"x {link} y")
        assert shown.count("***") == 1
        assert shown.endswith("&b=2 y")
        assert TOKEN not in shown
        assert mask(shown) == shown
        assert parse(link).warnings[-1] == Warn.SECRET_PRESENT


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a" * 40, False),
        ("q7Xr2Mz9Kd4Tb8W", False),
        ("q7Xr2Mz9Kd4Tb8Wf", True),
        ("3f9a0c7e1b8d2465", True),
        ("7d1f9c3e-4b2a-4e8d-9f60-3c5b7a1e2d84", True),
        ("12345678901234567890", False),
        ("ThisIsATitleOfSomePage", False),
        ("a1b2c3d4 e5f6g7h8", False),
        ("2019-10-12_10-20-30", False),
    ],
)
def test_what_looks_random(value: str, expected: bool) -> None:
    assert looks_random(value) is expected


@ROWS
def test_each_row_in_each_place(row: SecretRow) -> None:
    for link, other, secret in places(row):
        assert Warn.SECRET_PRESENT in parse(link).warnings
        assert Warn.SECRET_PRESENT not in parse(other).warnings
        for text in (
            f"see {link} now",
            f"<{link}>",
            f'{{"u":"{link}"}}',
            f"<a href='{link}'>x</a>",
            f"{link}\n{other}\n",
        ):
            found = [one for one in extract(text) if one.uri == parse(link).uri]
            assert [one.warnings[-1] for one in found] == [Warn.SECRET_PRESENT], text
            shown = mask(text)
            assert secret not in shown
            assert mask(shown) == shown
        assert redact(link, ["secrets"]) == link.replace(secret, "***") or "%" in secret
        assert redact(other, ["secrets"]) == other
        assert redact(redact(link, ["secrets"]), ["secrets"]) == redact(link, ["secrets"])


@ROWS
def test_of_what_is_not_valid_secrets_are_hidden(row: SecretRow) -> None:
    link, secret = row.example
    bad = f"{link}%zz"
    assert not check(bad)
    for shown in (mask(f"see {bad} now"), Mask(new_secret(), redact=["secrets"]).text(bad)):
        assert secret not in shown


def test_two_secrets_stay_two_keys() -> None:
    one, two = (parse(f"https://a.example/?token={TOKEN}{end}&x=1") for end in "ab")
    hiding = Mask(b"secret", redact=["secrets"])
    first, second = hiding.record(one), hiding.record(two)
    assert first.uri == second.uri == "https://a.example/?token=***&x=1"
    assert first.key != second.key
    assert TOKEN not in first.key
    assert hiding.record(one).key == first.key


def test_a_secret_that_merging_drops_has_the_warning_and_is_hidden() -> None:
    options = Options(merge=["drop-fragment"])
    (found,) = extract(f"http://a.example/#access_token={TOKEN}", options=options)
    assert found.warnings == (Warn.SECRET_PRESENT,)
    assert TOKEN not in Mask(b"secret", redact=["secrets"]).record(found).raw


def test_raw_text_with_white_space_and_escapes() -> None:
    for text in (
        f"<http://a.example/?access_\ntoken={TOKEN}>",
        f"<http://a.example/?token={TOKEN[:12]}\n{TOKEN[12:]}>",
    ):
        shown = mask(text)
        assert TOKEN[:12] not in shown
        assert TOKEN[12:] not in shown
    shown = mask(f'{{"u": "http:\\/\\/a.example\\/?a=1\\u0026token={TOKEN}"}}')
    assert TOKEN not in shown


def test_passwords_alone_are_hidden_if_that_is_asked_for() -> None:
    text = f"http://u:pw@a.example/?token={TOKEN}"
    assert mask(text, secrets=False) == f"http://u:***@a.example/?token={TOKEN}"
    assert mask(text) == "http://u:***@a.example/?token=***"


def test_no_scheme_of_data_and_names_is_looked_at() -> None:
    for text in (f"data:,token={TOKEN}", f"urn:x:token={TOKEN}", f"http://sk-{'3f9a0c7e' * 4}.example/"):
        assert secrets(text) == []
        assert Warn.SECRET_PRESENT not in parse(text).warnings


# ---------------------------------------------------------------------------------------------------------------------
# Both engines

PIECES = (
    *(row.example[0].partition("://")[2] for row in SECRETS),
    *(row.example[1] for row in SECRETS),
    *(start for row in SECRETS for pair in row.starts for start in pair),
    *OTHERS,
    *ONES,
    *(
        "?",
        "&",
        "#",
        ";",
        "=",
        "%3D",
        "%3d",
        "%253D",
        "%26",
        "%2526",
        "%3F",
        "%3B",
        "/",
        "%2F",
        "%252F",
        "%25",
        ":",
        "@",
    ),
    *(
        "token",
        "key",
        "access",
        "Token",
        "_",
        "-",
        ".",
        "+",
        "]",
        "%5D",
        "%5B",
        "[",
        "sid",
        "Basic ",
        "bearer%20",
        "3D",
    ),
    *(
        TOKEN,
        TOKEN[:16],
        "a" * 20,
        "0123456789abcdef" * 2,
        "https%3A%2F%2F",
        "http://",
        "hooks.slack.com/services/",
        "***",
    ),
    *("q" * 1100, "7a" * 600, "eyJ", "AKIA", "bot123456789:AA", "%3AAA", "x", "1"),
)


def judged_alike(text: str, options: Options) -> None:
    """Assert that a text has the same warnings in both engines, and that its secrets are those of its form."""
    buffers = BatchBuffer(), BatchBuffer()
    for made in (Search(options, buffers[0]), KernelSearch(options, buffers[1])):
        made.feed(text)
        made.close()
    found = [[(record.uri, record.warnings) for batch in buffer.drained() for record in batch] for buffer in buffers]
    assert found[0] == found[1]


@pytest.mark.sampled(4)
@pytest.mark.skipif(not compiled, reason="compares the kernel with Python")
@pytest.mark.parametrize(
    "options",
    [Options(), Options(level="none"), Options(level="syntax"), Options(merge="page"), Options(spoofing=True)],
)
def test_both_engines_know_the_same_secrets(options: Options) -> None:
    for row in SECRETS:
        for link, other, _ in places(row):
            for text in (link, other, link.upper(), f"{link}&b=c", f"{link}/x?y=z#u", f"x{other}"):
                judged_alike(f"a {text} b <{text}>", options)
    for name in (*ONES, *OTHERS):
        judged_alike(f"http://a.example/?{name} http://a.example/;{name}/?b http://a.example/#{name}&c", options)


@pytest.mark.skipif(not compiled, reason="compares the kernel with Python")
@given(
    st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
    st.sampled_from(["https://a.example/", "ftp://u@h/?", "x:"]),
)
def test_both_engines_know_the_same_secrets_of_any_link(text: str, start: str) -> None:
    judged_alike(f"{start}{text}", Options())
    judged_alike(f"{start}{text}", Options(merge="page"))


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_secrets_are_the_same_in_the_canonical_form_and_hidden_once(text: str) -> None:
    link = f"https://a.example/{text}"
    judged = judge(link, Options())
    if isinstance(judged, Judged):
        assert bool(secrets(judged.uri)) == (Warn.SECRET_PRESENT in judged.warnings)
        assert secrets(redact(judged.uri, ["secrets"])) == []
    assert mask(mask(link)) == mask(link)


# ---------------------------------------------------------------------------------------------------------------------
# All that is written

TEXT = "".join(f"GET {row.example[0]} and <{row.example[0]}%zz>\n" for row in SECRETS)
# The rows whose secret no part of another example contains.
HIDDEN = [row.example[1] for row in SECRETS]


@pytest.mark.parametrize(
    "command",
    [
        "extract",
        "extract -f jsonl",
        "extract -f csv",
        "extract -f jsonl --parts",
        "extract --form raw",
        "extract --template {key}",
        "extract --form template",
        "extract --template {raw}{uri}{key}{query}{path}{fragment}{iri}",
        "extract --rejected rejected.jsonl",
        "count",
        "count -f jsonl --spellings 3",
        "count --by template",
        "stats",
        "report -o page.html",
        "dedupe",
        "dedupe -f jsonl",
        "dedupe --store s.db -f jsonl",
    ],
)
def test_no_secret_is_in_what_is_written(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path
    monkeypatch.chdir(folder)
    given_text = TEXT if "dedupe" not in command else "".join(f"{row.example[0]}\n" for row in SECRETS)
    Path("input.txt").write_text(given_text)
    outcome = call(*command.split(), "--safe", "no-secrets", "input.txt")
    assert outcome.status in (0, 1), outcome.err
    written = outcome.out + outcome.err.encode()
    for path in folder.iterdir():
        if path.name != "input.txt":
            written += path.read_bytes()
    assert [secret for secret in HIDDEN if secret.encode() in written] == []
    assert b"***" in written or "{key}" in command or "template" in command


def test_the_rest_of_a_link_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text(
        f"https://a.example/p?a=1&token={TOKEN}&b=2#f https://a.example/p?a=1 https://a.example/?code=200\n"
    )
    lines = call("extract", "-q", "--safe", "no-secrets", "a.txt").lines
    assert lines == [
        "https://a.example/p?a=1&token=***&b=2#f",
        "https://a.example/p?a=1",
        "https://a.example/?code=200",
    ]
    lines = call("extract", "-q", "--only", "warning=secret-present", "a.txt").lines
    assert lines == [f"https://a.example/p?a=1&token={TOKEN}&b=2#f"]
    assert call("extract", "-q", "--fail-on", "secret-present", "a.txt").status != 0
    rows = [json.loads(line) for line in call("extract", "-q", "-f", "jsonl", "--safe", "no-secrets", "a.txt").lines]
    assert [row["warnings"] for row in rows] == [["secret-present"], [], []]


def test_found_and_parsed_are_the_same() -> None:
    for found in sieve(TEXT):
        if isinstance(found, Record) and "\n" not in found.raw:
            assert parse(found.raw).warnings == found.warnings
