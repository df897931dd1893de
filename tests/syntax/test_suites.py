"""Conformance suites of other programs, run where the folder `shared` lies beside the checkout.

The extraction suites contradict each other and the RFCs in places, so nobody passes all of them: the rows that we fail
on purpose are named with the reason, and the lists are held to the truth: a row that fails and is not named fails the
test, and so does a named one that passes.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.helpers.shared_folder import shared_rows, shared_table
from urisieve import (
    InvalidIdentifierError,
    Options,
    Record,
    Rejection,
    check,
    extract,
    normalize,
    normalize_reference,
    resolve,
    to_iri,
    to_uri,
)
from urisieve.syntax import grammar

Row = dict[str, Any]


def rows_of(suite: str) -> list[Row]:
    rows = shared_rows(f"suites/{suite}.jsonl")
    if rows is None:
        pytest.skip("the folder shared/suites is not beside the checkout")
    return rows


def table_rows(name: str) -> list[dict[str, str]]:
    table = shared_table(name)
    if table is None:
        pytest.skip(f"shared/{name} is not beside the checkout")
    return table


def failing(rows: list[Row], wrong: Callable[[Row], bool], name: str = "input") -> list[str]:
    return [row[name] for row in rows if wrong(row)]


RULES = {"uri": "URI", "iri": "IRI", "ref": "URI-reference"}


def test_requirements_with_a_mechanical_check() -> None:
    rows = shared_rows("spec/requirements.jsonl")
    if rows is None:
        pytest.skip("the folder shared/spec is not beside the checkout")

    def wrong(row: Row) -> bool:
        kind, *values, expected = row["check"]
        if kind in RULES:
            return grammar.matches(RULES[kind], row["input"]) is not expected
        if kind == "norm":
            return normalize(row["input"], "syntax") != str(expected)
        assert kind == "resolve"
        return resolve(*values) != str(expected)

    checked = [row for row in rows if row.get("check")]
    assert len(checked) == 97
    assert failing(checked, wrong, "id") == []


@pytest.mark.parametrize(
    ("suite", "rule"),
    [
        ("json-schema-uri", "URI"),
        ("json-schema-uri-reference", "URI-reference"),
        ("json-schema-iri", "IRI"),
        ("json-schema-iri-reference", "IRI-reference"),
        ("oxiri-validate", None),
        ("fluent-uri-validate", None),
        ("ip-address", None),
    ],
)
def test_validity_by_the_grammar(suite: str, rule: str | None) -> None:
    def wrong(row: Row) -> bool:
        verdict = row["valid"] if row.get("rfc_abnf") is None else row["rfc_abnf"]
        return grammar.matches(rule or row["rule"], row["input"]) is not verdict

    assert failing(rows_of(suite), wrong) == []


# A base has a scheme (RFC 3986 5.1), and without an authority no path begins with "//" (3.3), whatever 5.2.4 leaves.
NO_BASE = [("a", ".."), ("..", "a"), ("../..", "a"), ("a", "../..")]
NO_DOUBLE_SLASH = [("foo:/", ".//@@", "foo:/.//@@"), ("x:", ".///C:::", "x:/.//C:::")]


def test_resolution() -> None:
    rows = [row for row in rows_of("resolve") if row["rfc_agrees"]]
    assert len(rows) == 538
    assert failing(rows, lambda row: bool(resolve(row["base"], row["ref"]) != row["rfc3986_strict"]), "ref") == []


def test_resolution_where_the_suite_departs_from_the_rfc() -> None:
    different = []
    refused = []
    for row in rows_of("resolve"):
        base, reference = row["base"], row["ref"]
        try:
            target = resolve(base, reference)
        except InvalidIdentifierError:
            refused.append((base, reference))
        else:
            if target != row["rfc3986_strict"]:
                different.append((base, reference, target))
    assert refused == NO_BASE
    assert different == NO_DOUBLE_SLASH


# RFC 8141 2: `q-component = pchar *( pchar / "/" / "?" )`, and "?" is data in it (2.3.2); an r-component ends at "?="
# only (2.3.1), so "?+" inside it is data too. The suite holds these four to be no URNs.
URN_8141_EXCEPTIONS = [
    "urn:ex:ex?+a?+",
    "urn:ex:ex?=a?=",
    "urn:ex:ex?+rcomponent?+rcomponent?=qcomponent",
    "urn:ex:ex?+rcomponent?=qcomponent?=q",
]


@pytest.mark.parametrize(("syntax", "exceptions"), [("rfc2141", []), ("rfc8141", URN_8141_EXCEPTIONS)])
def test_urn_validity(syntax: str, exceptions: list[str]) -> None:
    options = Options(urn_syntax=syntax)

    def wrong(row: Row) -> bool:
        found = check(row["input"], options=options)
        return (isinstance(found, Record) and found.kind == "urn") is not row["valid"]

    assert failing(rows_of(f"urn-{syntax}-go-urn"), wrong) == exceptions


@pytest.mark.parametrize("syntax", ["rfc2141", "rfc8141"])
def test_urn_components(syntax: str) -> None:
    options = Options(urn_syntax=syntax, level="none")
    rows = [row for row in rows_of(f"urn-{syntax}-go-urn") if row["valid"] and row.get("components")]
    assert len(rows) > 30
    for row in rows:
        wanted = row["components"]
        found = check(row["input"], options=options)
        assert isinstance(found, Record)
        introduced = [f"{sign}{wanted[part]}" for sign, part in (("+", "r"), ("=", "q")) if wanted.get(part)]
        query = "?".join(introduced)
        assert (found.nid, found.nss) == (wanted["nid"], wanted["nss"]), row["input"]
        assert (found.query or "") == query, row["input"]
        assert (found.fragment or "") == (wanted.get("f") or ""), row["input"]


# Rootless paths keep their dot segments, and no path begins with "//" where there is no authority: RFC 3986 6.2.2.3
# to the letter would give `foo:/baz` and `foo://@@`, another kind of path and another authority.
NORMALIZE_EXCEPTIONS = ["foo:bar/../baz", "foo:/.//@@"]


def test_syntax_based_normalization() -> None:
    rows = rows_of("fluent-uri-normalize")
    found = failing(rows, lambda row: bool(normalize_reference(row["input"]) != row["rfc3986_622"]))
    assert found == NORMALIZE_EXCEPTIONS


def test_mappings_between_iris_and_uris() -> None:
    assert failing(rows_of("iri-to-uri"), lambda row: bool(to_uri(row["iri"]) != row["uri"]), "iri") == []
    rows = rows_of("uri-to-iri")
    assert failing(rows, lambda row: bool(to_iri(row["uri"]) != row["rfc3987_3.2.1_expected"]), "uri") == []


PATH_BRACKET = "a square bracket ends a path in text; with `repair` it belongs to it"
BRACE = "a brace is no URI character; with `repair` it belongs to it"
REPAIRED = "with `repair` this character belongs to it"
QUOTE = "a single quote at the end is trimmed, and one before the scheme is closed by the next"
ADDRESS = "RFC 6068 2 and RFC 2392 2 ask for an address with `@`"
PERCENT = "a `%` without two digits is rejected, never taken in silently"
ANY_SCHEME = "any scheme before `//` counts, registered or not; what stands before a letter does not"
PUNCTUATION = "non-ASCII punctuation at the end is trimmed"
STOP = "a full-width stop ends a sentence, and so the candidate"
EMPHASIS = "an underscore before the scheme is an emphasis, and its twin at the end is trimmed"
MARKS = "a row of marks behind a host is cut, with a warning"
HOST = "no name that DNS accepts: rejected, not cut to another link"
AT = "`@` is a path character and never trimmed"
SINGLE_LETTER = "unknown schemes of one letter are nothing: they are the end of `%s://`, or a drive"

# By suite: rows failed with default options only, with `repair` only, with both.
DEFAULT_ONLY = {
    "linkify-it-links": {"linkify-it-links-L126": PATH_BRACKET, "linkify-it-links-L128": BRACE},
    "linkify-it-not-links": {},
    "xurls-strict": {
        "xurls-strict-const-075": PERCENT,
        "xurls-strict-const-083": PERCENT,
        **{f"xurls-strict-const-{number}": PATH_BRACKET for number in range(104, 110)},
        **{f"xurls-strict-const-{number}": BRACE for number in range(110, 116)},
    },
    "autolink-java": {"autolink-java-url-L119": PATH_BRACKET, "autolink-java-url-L120": BRACE},
}
REPAIR_ONLY = {
    "linkify-it-links": {},
    "linkify-it-not-links": {},
    "xurls-strict": {"xurls-strict-const-094": REPAIRED, "xurls-strict-const-095": REPAIRED},
    "autolink-java": {"autolink-java-url-L156": REPAIRED, "autolink-java-url-L157": REPAIRED},
}
BOTH = {
    "linkify-it-links": {
        "linkify-it-links-L134": "a double quote is no URI character and ends it",
        "linkify-it-links-L136": QUOTE,
    },
    "linkify-it-not-links": {
        "linkify-it-not-L8": ANY_SCHEME,
        "linkify-it-not-L18": EMPHASIS,
        "linkify-it-not-L21": MARKS,
    },
    "xurls-strict": {
        "xurls-strict-const-041": ADDRESS,
        "xurls-strict-const-042": ADDRESS,
        "xurls-strict-const-046": ADDRESS,
        "xurls-strict-const-063": EMPHASIS,
        "xurls-strict-const-070": QUOTE,
        "xurls-strict-const-093": AT,
        "xurls-strict-const-127": HOST,
        "xurls-strict-const-141": PUNCTUATION,
        "xurls-strict-const-143": STOP,
    },
    "autolink-java": {
        "autolink-java-url-L48": SINGLE_LETTER,
        "autolink-java-url-L121": QUOTE,
        "autolink-java-url-L127": HOST,
        "autolink-java-url-L147": QUOTE,
        "autolink-java-url-L148": QUOTE,
        "autolink-java-url-L149": QUOTE,
        "autolink-java-url-L165": HOST,
        "autolink-java-url-L193": PUNCTUATION,
    },
}
# A finder takes brackets and braces in paths as they are, so the bars are those with `repair`, which does the same.
BARS = {"linkify-it-links": 95.0, "linkify-it-not-links": 76.9, "xurls-strict": 88.0, "autolink-java": 88.0}


def _agrees(row: Row, options: Options) -> bool:
    found = [record.raw for record in extract(row["input"], options=options)]
    first_only = "FIRST" in row["note"] or "only match[0]" in row["note"]
    expected: list[str] = row["expected"]
    if first_only and expected:
        return found[:1] == expected[:1]
    return found == expected


@pytest.mark.parametrize("suite", BARS)
@pytest.mark.parametrize("repair", ["off", "encode"])
def test_extraction(suite: str, repair: str) -> None:
    rows = [row for row in rows_of(suite) if row["kinds"] == "url"]
    failed = {row["id"] for row in rows if not _agrees(row, Options(repair=repair))}
    assert failed == {**BOTH[suite], **(DEFAULT_ONLY if repair == "off" else REPAIR_ONLY)[suite]}.keys()
    if repair == "encode":
        assert 100 * (len(rows) - len(failed)) / len(rows) >= BARS[suite]


BIDI_RULES = {"B1", "B2", "B3", "B4", "B5", "B6"}
HYPHENS = {"V2", "V3"}
# Why a host of IdnaTestV2 is judged otherwise here; anything else is a fault.
IDNA_REASONS = {
    "iri": "RFC 3987 2.2 has no such character in a host, though UTS 46 would drop it",
    "new": "the Unicode tables of this Python do not know the character, so that its direction is unknown",
    "length": "names that are too long are warned of, and a final dot is the root of the DNS",
    "bidi": "the bidi rule is asked of each label that is right-to-left, not of its neighbours (RFC 5891 5.4)",
    "hyphens": "ASCII labels with such hyphens exist below registries, and have a warning if they begin or end so",
}


def _right_to_left(label: str) -> bool:
    return any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in label)


def _idna_reason(row: Row, found: Record | Rejection) -> str | None:
    """Why a row is judged otherwise, by name; None where it is not; its source where there is no reason."""
    codes = set(row["toAsciiNStatus"])
    if isinstance(found, Rejection):
        if codes:
            return None
        if found.reason == "illegal-character":
            return "iri"
        new = any(unicodedata.category(character) == "Cn" for character in row["toUnicode"])
        return "new" if new else str(row["source"])
    if not codes:
        return None if found.host == row["toAsciiN"] else str(row["source"])
    labels = row["toUnicode"].split(".")
    if codes <= {"A4_1", "A4_2"}:
        return "length" if "host-too-long" in found.warnings or not labels[-1] else str(row["source"])
    if codes <= BIDI_RULES:
        return "bidi" if len({_right_to_left(label) for label in labels}) == 2 else str(row["source"])
    if codes <= HYPHENS | {"A4_2"}:
        wrong = [label for label in labels if "-" in (label[:1], label[-1:]) or label[2:4] == "--"]
        return "hyphens" if all(label.isascii() and label[:4] != "xn--" for label in wrong) else str(row["source"])
    return str(row["source"])


def test_idna() -> None:
    # A delimiter of the syntax in the source would end the host.
    rows = [row for row in rows_of("idna-test-v2-17") if not set(":/?#[]@") & set(row["source"])]
    assert len(rows) > 6200
    reasons = Counter(_idna_reason(row, check(f"http://{row['source']}/")) for row in rows)
    agreed = reasons.pop(None)
    assert reasons.keys() <= IDNA_REASONS.keys()
    assert agreed / len(rows) > 0.96  # 6047 of 6252


@pytest.mark.parametrize("host", ["xn--a-ä.pt", "xn--xn--a--gua.pt"])
def test_no_other_label_begins_like_an_a_label(host: str) -> None:
    found = check(f"http://{host}/")
    assert isinstance(found, Rejection)
    assert found.reason == "host-idna"


# Examples of pairs for 99 namespaces; those of low confidence are guesses of the table and not claimed here.
def test_urn_equivalence() -> None:
    pairs = [row for row in table_rows("data/urn-equivalence.csv") if not row["confidence"].startswith("low")]
    assert len(pairs) > 80
    wrong = []
    for row in pairs:
        first, second = check(row["example_a"]), check(row["example_b"])
        same = isinstance(first, Record) and isinstance(second, Record) and first.key == second.key
        if same is not row["equivalent"].startswith("yes"):
            wrong.append((row["example_a"], row["example_b"]))
    assert wrong == []


def test_ports_are_dropped_where_the_scheme_says_so() -> None:
    for row in table_rows("data/default-ports.csv"):
        if not row["port"] or row["scheme"] in ("news", "aaa", "aaas", "mtqp"):
            continue  # their authority, or their path, has a form of its own
        if row["scheme"] == "sieve":
            continue  # RFC 5804 1.8, against the table: an SRV record may name another port
        found = check(f"{row['scheme']}://h.example:{row['port']}/x")
        if isinstance(found, Record):
            assert (found.port is None) is (row["elide"] == "yes"), row["scheme"]
