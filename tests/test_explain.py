"""`explain` and `urisieve explain`: components, steps with their sections, warnings, remedies."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import strategies
from tests.helpers.boundary_rows import BOUNDARIES
from tests.helpers.cli_support import COMMAND, call
from tests.helpers.doubling import assert_linear
from tests.helpers.shared_folder import shared_rows
from urisieve import Namespace, Options, Profile, Record, Rejection, Scheme, check, explain
from urisieve.cli.program import COMMANDS
from urisieve.explanation import Explanation, masked
from urisieve.judge.steps import RULES, Rule, Step
from urisieve.merging import NAMED_STEPS
from urisieve.options import Level, MergeStep, UrnSyntax
from urisieve.records.mask import Mask
from urisieve.rules.scheme_table import described, scheme_rule
from urisieve.rules.table import namespaces
from urisieve.syntax.components import split

SECRET = bytes(32)
# What each rule does to a text: the code, the text before it and after it. All options are those given.
STEPS: list[tuple[str, Options, list[str]]] = [
    (
        "HTTP://U%7e@Example.COM:80/%7efoo/../b%2f?%61",
        Options(),
        [
            "scheme-case http://U%7e@Example.COM:80/%7efoo/../b%2f?%61",
            "unreserved http://U~@Example.COM:80/~foo/../b%2f?a",
            "triplet-case http://U~@Example.COM:80/~foo/../b%2F?a",
            "host-case http://U~@example.com:80/~foo/../b%2F?a",
            "dot-segments http://U~@example.com:80/b%2F?a",
            "default-port http://U~@example.com/b%2F?a",
        ],
    ),
    (
        "HTTP://E.example:80",
        Options(level="syntax"),
        ["scheme-case http://E.example:80", "host-case http://e.example:80"],
    ),
    ("HTTP://E.example:80", Options(level="none"), []),
    (
        "foo://[2001:DB8:0:0::1]:/a",
        Options(),
        [
            "host-case foo://[2001:db8:0:0::1]:/a",
            "ipv6-text foo://[2001:db8::1]:/a",
            "empty-port foo://[2001:db8::1]/a",
        ],
    ),
    (
        "http://bücher.example",
        Options(),
        [
            "iri-to-uri http://b%C3%BCcher.example",
            "a-labels http://xn--bcher-kva.example",
            "empty-path http://xn--bcher-kva.example/",
        ],
    ),
    ("http://bücher.example", Options(level="none"), ["iri-to-uri http://b%C3%BCcher.example"]),
    (
        "http://e.example/e\u0301",
        Options(charset="legacy"),
        [
            "nfc http://e.example/é",
            "iri-to-uri http://e.example/%C3%A9",
        ],
    ),
    ("http://e.example/e\u0301", Options(), ["iri-to-uri http://e.example/e%CC%81"]),
    (
        "foo://u%2f%7e@h/#%2f%7e",
        Options(),
        ["unreserved foo://u%2f~@h/#%2f~", "triplet-case foo://u%2F~@h/#%2F~"],
    ),
    ("https://doi.org/10.1000/182#f", Options(merge=["drop-fragment"]), ["drop-fragment https://doi.org/10.1000/182"]),
    ("foo:/..//b", Options(), ["dot-segments foo:/.//b"]),
    ("foo:a/../%2d", Options(), ["unreserved foo:a/../-"]),
    ("foo://%2f@h?%2f#%2f", Options(), ["triplet-case foo://%2F@h?%2F#%2F"]),
    ("foo://@h?#", Options(), []),
    ("tel:+1-(2)03", Options(), ["scheme-rule tel:+1203"]),
    ("file://localhost/a", Options(), ["scheme-rule file:///a"]),
    (
        "URN:ISBN:0-395-36341-1",
        Options(merge=["isbn-13"]),
        [
            "scheme-case urn:ISBN:0-395-36341-1",
            "nid-case urn:isbn:0-395-36341-1",
            "namespace-rule urn:isbn:0395363411",
            "isbn-13 urn:isbn:9780395363416",
        ],
    ),
    ("urn:x-a:%2f%41", Options(), ["triplet-case urn:x-a:%2F%41"]),
    ("foo://[::1]/[a b]", Options(repair="encode"), ["repair foo://[::1]/%5Ba%20b%5D"]),
    ("http://e.example/[a]", Options(repair="encode"), ["repair http://e.example/%5Ba%5D"]),
    (
        "http://www.e.example/?b&a&utm_source=x#f",
        Options(merge=["drop-fragment", "sort-query", "drop-tracking", "strip-www"]),
        [
            "strip-www http://e.example/?b&a&utm_source=x#f",
            "drop-tracking http://e.example/?b&a#f",
            "sort-query http://e.example/?a&b#f",
            "drop-fragment http://e.example/?a&b",
        ],
    ),
]


def shown(steps: tuple[Step, ...]) -> list[str]:
    return [f"{step.rule} {step.after}" for step in steps]


@pytest.mark.parametrize(("text", "options", "expected"), STEPS)
def test_steps(text: str, options: Options, expected: list[str]) -> None:
    assert shown(explain(text, options=options).steps) == expected


def test_every_rule_that_changes_a_uri_has_a_row_above() -> None:
    codes = {step.partition(" ")[0] for _, _, steps in STEPS for step in steps}
    of_reading = {Rule.DELIMITERS, Rule.WHITE_SPACE, Rule.REFANG, Rule.UNESCAPE, Rule.SCHEME_ASSUMED}
    of_keys = {Rule.SIMPLE_COMPARISON, Rule.URN_COMPONENTS, Rule.COMPARED}
    assert codes - set(MergeStep) == set(Rule) - of_reading - of_keys
    assert set(RULES) == set(Rule)


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("http://e.example:80/", "RFC 3986 3.2.3, 6.2.3, RFC 9110 4.2.1, 4.2.3"),
        ("tel:+1-2", "RFC 3966 3, RFC 3966 4"),
        ("urn:isbn:0-395-36341-1", "RFC 3187 3.2, 5"),
        ("urn:x-a:%2f", "RFC 2141 5, RFC 8141 3.1"),
        ("http://ü.example/", "RFC 3987 3.1"),
    ],
)
def test_sections(text: str, section: str) -> None:
    assert explain(text).steps[0].section == section


LOWERED = Scheme("plain", "a", "b", form=lambda parts: parts._replace(path=parts.path.lower()))
LOWERED_NSS = Namespace(name="x-low", title="a", reference="b", form=str.lower)


@pytest.mark.parametrize(
    ("text", "options", "meaning"),
    [
        ("HTTP://e.example/", Options(), "the scheme is in lower case"),
        (
            "file://localhost/a",
            Options(),
            (
                "the rule of `file`; without case: scheme and host (RFC 3986 6.2.2.1); "
                "the same: no authority, an empty one and `localhost` are the same. Left out are drive letters: "
                "their case, `file:c:/a` (RFC 8089 App. E.2), `c|` for `c:` (App. E.2.2), and `file://c:/a`, which by "
                "the grammar has the host `c`"
            ),
        ),
        ("doi:10.1000/A", Options(), "the rule of `doi`; without case: the name, in ASCII"),
        ("plain:A", Options(rules=LOWERED), "the rule of `plain`"),
        ("plain:A", Options(rules=LOWERED._replace(equivalence="c")), "the rule of `plain`; the same: c"),
        ("urn:x-low:A", Options(rules=LOWERED_NSS), "the rule of `urn:x-low`"),
        (
            "urn:isbn:0-395-36341-1",
            Options(),
            "the rule of `urn:isbn`; hyphens do not count, nor does the case of the check digit X",
        ),
        (
            "http://e.example/?b&a",
            Options(merge=["sort-query"]),
            "the parts of the query between `&` are sorted by their names; those of one name stay in their order",
        ),
    ],
)
def test_what_a_step_says(text: str, options: Options, meaning: str) -> None:
    assert [step.meaning for step in explain(text, options=options).steps] == [meaning]


@pytest.mark.parametrize(
    ("text", "options", "rule", "section"),
    [
        ("urn:example:a?=b#c", Options(urn_syntax="rfc8141"), Rule.URN_COMPONENTS, "RFC 8141 3.1"),
        ("ni://e.example/sha-256;abc?ct=a/b", Options(), Rule.COMPARED, "RFC 6920 2, 3"),
        ("http://ü.example/", Options(level="none"), Rule.SIMPLE_COMPARISON, "RFC 3986 6.2.1, RFC 3987 5.3.1"),
    ],
)
def test_what_makes_the_key(text: str, options: Options, rule: Rule, section: str) -> None:
    explanation = explain(text, options=options)
    step = explanation.key_step
    assert step is not None
    assert explanation.record is not None
    assert (step.rule, step.section) == (rule, section)
    assert (step.before, step.after) == (explanation.record.uri, explanation.record.key)


# The only component in which a rule changes anything.
CHANGED = {
    Rule.SCHEME_CASE: "scheme",
    Rule.HOST_CASE: "host",
    Rule.DOT_SEGMENTS: "path",
    Rule.IPV6_TEXT: "host",
    Rule.A_LABELS: "host",
    Rule.EMPTY_PORT: "port",
    Rule.DEFAULT_PORT: "port",
    Rule.ROOT_PATH: "path",
    Rule.NID_CASE: "path",
    Rule.NAMESPACE_RULE: "path",
}


def sound(explanation: Explanation, options: Options) -> None:
    """What holds for the explanation of any text."""
    text = explanation.text
    place = 0
    for name, start, end, part in explanation.components:
        assert text[start:end] == part, name
        assert start >= place
        place = end
    texts = [text]
    for step in explanation.steps:
        assert step.before == texts[-1] != step.after
        assert step.section
        assert step.meaning
        texts.append(step.after)
        if isinstance(step.rule, Rule) and step.rule in CHANGED:
            before, after = (split(text)._asdict() for text in (step.before, step.after))
            assert [name for name in before if before[name] != after[name]] == [CHANGED[step.rule]]
        if step.rule is Rule.TRIPLET_CASE:
            assert step.before.lower() == step.after.lower()
    record = explanation.record
    if record is None:
        assert explanation.steps == ()
        assert (explanation.remedy is None) == (explanation.remedied is None)
        if explanation.remedied is not None:
            assert explanation.remedied.record is not None
            assert explanation.remedied.text == text
            sound(explanation.remedied, options)
        return
    assert texts[-1] == record.uri
    key = record.uri if explanation.key_step is None else explanation.key_step.after
    assert key == record.key
    assert [warned.warn for warned in explanation.warnings if warned.warn in record.warnings] == [
        notice.warn for notice in record.notices
    ]
    assert (explanation.inner is None) == (record.inner is None)
    if explanation.inner is not None:
        assert explanation.inner.text == record.inner
        sound(explanation.inner, options)


def corpus() -> Iterator[str]:
    for name in described():
        rule = scheme_rule(name)
        yield from (text for pair in (*rule.same, *rule.different) for text in pair)
    for row in namespaces():
        yield from (text for pair in (*row.same, *row.different) for text in pair)
    for boundary in BOUNDARIES:
        yield from (boundary["text"], *(one["raw"] for one in (*boundary["found"], *boundary["rejected"])))
    for shared in shared_rows("spec/requirements.jsonl") or ():
        yield from (value for value in shared.values() if isinstance(value, str))
    for suite in ("fluent-uri-normalize", "iri-to-uri", "urn-rfc8141-go-urn", "urn-rfc2141-go-urn", "idna-test-v2-17",
                  "xurls-strict", "linkify-it-links", "ip-address"):  # fmt: skip
        for shared in (shared_rows(f"suites/{suite}.jsonl") or ())[:1000]:
            if isinstance(shared.get("input"), str):
                yield shared["input"]


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options(level="none"),
        Options(level="syntax"),
        Options(urn_syntax="rfc8141", merge=NAMED_STEPS),
        Options(repair="encode", charset="legacy"),
    ],
    ids=["default", "none", "syntax", "merging", "repair"],
)
def test_steps_chain_and_end_with_the_uri(options: Options) -> None:
    texts = list(dict.fromkeys(corpus()))
    assert len(texts) > 700
    valid = 0
    for text in texts:
        explanation = explain(text, options=options)
        assert explanation.found == check(text, options=options)
        sound(explanation, options)
        valid += explanation.record is not None
    assert valid > 600


@given(
    text=st.one_of(strategies.identifiers(), strategies.near_misses(), strategies.any_text()),
    level=st.sampled_from(Level),
    syntax=st.sampled_from(UrnSyntax),
    merge=st.lists(st.sampled_from(NAMED_STEPS), max_size=3),
    repair=st.sampled_from(["off", "encode"]),
    charset=st.sampled_from(["unicode", "legacy"]),
)
def test_any_text_is_explained(
    text: str, level: Level, syntax: UrnSyntax, merge: list[MergeStep], repair: str, charset: str
) -> None:
    options = Options(level=level, urn_syntax=syntax, merge=merge, repair=repair, charset=charset)
    explanation = explain(text, options=options)
    assert explanation.found == check(text, options=options)
    sound(explanation, options)
    assert call("explain", "--", text.replace("\0", " ")).status in (0, 1)


@pytest.mark.parametrize(
    ("text", "options", "components"),
    [
        ("http://u@H:80/p?q#f", Options(), "scheme=http userinfo=u host=H port=80 path=/p query=q fragment=f"),
        ("http://[::1]:/?", Options(), "scheme=http host=[::1] port= path=/ query="),
        ("URN:Ex-a:b/c", Options(), "scheme=URN nid=Ex-a nss=b/c"),
        (
            "urn:ex-a:b?+r?=q#f",
            Options(urn_syntax="rfc8141"),
            "scheme=urn nid=ex-a nss=b r-component=r q-component=q f-component=f",
        ),
        ("urn:a", Options(), "scheme=urn nid=a"),
        ("urn:a_b:c d", Options(), "scheme=urn nid=a_b nss=c d"),
        ("http://a b/", Options(), "scheme=http host=a b path=/"),
        ("no identifier", Options(), ""),
        ("1a:b", Options(), ""),
    ],
)
def test_components(text: str, options: Options, components: str) -> None:
    found = explain(text, options=options).components
    assert all(span.text == text[span.start : span.end] for span in found)
    assert " ".join(f"{span.name}={span.text}" for span in found) == components


@pytest.mark.parametrize(
    ("text", "remedy", "steps"),
    [
        ("http://e.example/a b", "repair", ["repair http://e.example/a%20b"]),
        ("hxxps[:]//evil[.]example/x", "refang", ["refang https://evil.example/x"]),
        ("evil[.]com/", "refang", ["refang evil.com/", "scheme-assumed http://evil.com/"]),
        ("<http://a.exam\nple/>", "extract", ["delimiters http://a.exam\nple/", "white-space http://a.example/"]),
        ("joe@e.example.com", "email", ["scheme-assumed mailto:joe@e.example.com"]),
        ("see www.Example.com.", "schemeless", [
            "delimiters www.Example.com",
            "scheme-assumed http://www.Example.com",
            "host-case http://www.example.com",
            "empty-path http://www.example.com/",
        ]),
        ("http://a.example/ http://b.example/", "repair", ["repair http://a.example/%20http://b.example/"]),
        ("URN:ex-a:b&c", "rfc8141", ["scheme-case urn:ex-a:b&c"]),
        ("see http://a.example/ and http://b.example/", None, []),
        ("no identifier", None, []),
        ("", None, []),
    ],
)  # fmt: skip
def test_what_gives_an_identifier_where_there_is_none(text: str, remedy: str | None, steps: list[str]) -> None:
    explanation = explain(text)
    assert isinstance(explanation.found, Rejection)
    assert explanation.remedy == remedy
    assert shown(() if explanation.remedied is None else explanation.remedied.steps) == steps


def test_what_stands_inside_is_explained() -> None:
    inner = explain("view-source:HTTP://a.example/").inner
    assert inner is not None
    assert isinstance(inner.found, Record)
    assert inner.found.uri == "http://a.example/"
    depth = 0
    explanation: Explanation | None = explain("view-source:" * 5_000 + "http://a.example/")
    while explanation is not None:
        explanation = explanation.inner
        depth += 1
    assert depth == 9


def test_subjects_and_warnings() -> None:
    explanation = explain("urn:isbn:0-395-36341-2")
    assert [subject.name for subject in explanation.subjects] == ["urn", "urn:isbn"]
    assert [(w.warn, w.detail) for w in explanation.warnings] == [("wrong-check-digit", "1")]
    assert explanation.parts["registrant"] == "395"
    assert [subject.title for subject in explain("urn:c2pa:x").subjects] == ["a name of a namespace", "C2PA"]
    assert explain("urn:c2pa:x").warnings == ()
    assert explain("adt:x").subjects[0].title == "a registered scheme (provisional)"
    assert explain("foo:x").subjects[0].title == "a scheme of which nothing is known"


def test_the_command_for_people() -> None:
    found = call("explain", "HTTP://h.example:80/a", "urn:isbn:0395363412")
    assert (found.status, found.err) == (0, "")
    assert found.lines[:9] == [
        "HTTP://h.example:80/a",
        "~~~~   ~~~~~~~~~ ~~~~",
        "scheme host      | path",
        "                 port",
        "uri",
        "  http: Hypertext Transfer Protocol (RFC 9110 4.2.1)",
        "canonical form",
        "  HTTP://h.example:80/a",
        "    scheme-case: the scheme is in lower case (RFC 3986 3.1, 6.2.2.1)",
    ]
    assert "" in found.lines
    assert found.lines[-2].startswith("  wrong-check-digit `1`: ")
    assert found.lines[-1] == "another key than 1: the scheme differs"


def test_the_command_on_what_is_none() -> None:
    found = call("explain", "http://e.example/a b", stdin=b"")
    assert found.status == 1
    assert found.lines[:4] == [
        "http://e.example/a b",
        " " * 18 + "^",
        "illegal-character in path at 18: a character that this component must not contain (RFC 3986 2, RFC 3987 2.2)",
        "with `--accept unencoded` it is valid",
    ]
    assert "    http://e.example/a%20b" in found.lines


def test_colours() -> None:
    text = "http://u@h.example:1/p?q#f"
    plain = call("explain", text)
    assert b"\x1b" not in plain.out
    coloured = call("explain", "--color", "always", text)
    assert re.sub(r"\x1b\[[0-9;]+m", "", coloured.out.decode()) == plain.out.decode()
    assert coloured.lines[0].count("\x1b[0m") == 7
    assert call("explain", "--color", "never", text) == plain


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize(
    ("flags", "no_color", "colored"),
    [((), None, True), ((), "1", False), ((), "", True), (("--color", "never"), None, False)],
)
def test_colours_are_for_terminals(flags: tuple[str, ...], no_color: str | None, colored: bool) -> None:
    ours, theirs = os.openpty()
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    if no_color is not None:
        environment["NO_COLOR"] = no_color
    subprocess.run([*COMMAND, "explain", *flags, "http://a.example/"], stdout=theirs, env=environment, check=True)
    os.close(theirs)
    assert (b"\x1b[" in os.read(ours, 4_096)) == colored
    os.close(ours)


@pytest.mark.parametrize("text", ["http://参见.example/例/b", "http://e.example/e\u0301/b?c"])
def test_names_stand_under_their_components(text: str) -> None:
    lines = call("explain", text).lines
    width = len(lines[0].encode("utf-16-le")) // 2
    wide = sum(ord(character) > 0x2E80 for character in text) - text.count("\u0301")
    assert len(lines[1]) == width + wide


def test_the_command_reads_lines_and_gives_json() -> None:
    texts = ["HTTP://a.example", "nothing", "urn:example:A"]
    found = call("explain", "--format", "jsonl", stdin="\n".join(texts).encode())
    assert found.status == 1
    assert found.rows == [explain(text).as_dict() for text in texts]
    assert found.rows[0]["steps"][0]["rule"] == "scheme-case"
    assert call("explain", "--format", "jsonl", "-", stdin="\n".join(texts).encode()) == found
    assert call("explain", "--level", "none", "--format", "jsonl", texts[0]).rows[0]["steps"] == []


@pytest.mark.parametrize(
    "text",
    [
        "ftp://u:secret@h.example/a/../b",
        "HTTP://u:secret@H.example:80",
        "sip:u:secret@h.example",
        "http://u:sec/ret@h/",
        "http://u:p@secret@h/",
        "http://u:p:q@secret@h:99999/",
        "http://u@a.example:secret@h/",
        "sip:u:p@secret@h.example",
        "ftp://u:secret@h.example:80x/",
        "hxxp://u:secret@evil[.]example/",
        "hxxp[:]//u:secret@evil[.]example/",
        "<http://u:secret@h.example/>",
        "http://u:secret@h.example/a b",
        "http://u:secret@[fe80::1%25e]/",
        "<http://u:secret@h.exam\nple/>",
        "view-source:http://u:secret@h.example/",
    ],
)
@pytest.mark.parametrize("form", ["text", "jsonl"])
def test_passwords_are_masked_unless_asked_for(text: str, form: str) -> None:
    if form == "jsonl":  # for people a rejection never shows one, as with `check`
        assert re.search(rb"sec/?ret", call("explain", "--format", form, "--show-passwords", text).out)
    if not text.startswith("view-source"):  # in what stands inside another identifier `check` shows it too
        masked = call("explain", "--format", form, text).out
        assert not re.search(rb"sec/?ret", masked)
        assert b"***" in masked


@pytest.mark.parametrize(
    ("text", "raw"),
    [  # `✗` stands before the character that the rejection points at
        ("http://p:p✗[at]p.example/p", "http://p:✗***[at]p.example/p"),
        ("http://p:pppp✗[AT]p.example/p", "http://p:✗***[AT]p.example/p"),
        ("http✗[:]//u[:]p (at) h[.]example/", "http✗[:]//u[:]*** (at) h[.]example/"),
        ("hxxp:✗[//]u:p@h[.]example/", "hxxp:✗[//]u:***@h[.]example/"),
        ("http://u:✗[at]h.example/", "http://u:***✗[at]h.example/"),
        ("http://u:8080✗[at]h.example/", "http://u:***✗[at]h.example/"),
        ("ftp://u:7✗(at)h.example/", "ftp://u:***✗(at)h.example/"),
        # What does not stand there as it does in the identifier.
        ("hxxp:✗[//]u:p[.]q@h[.]example/", "hxxp:✗[//]u:***@h[.]example/"),
        ("http://u:p[.]q✗[at]h.example/", "http://u:✗***[at]h.example/"),
        ("hxxp:✗[//]u:%70@p[.]example/", "hxxp:✗[//]u:***@p[.]example/"),
    ],
)
def test_the_password_of_a_defanged_identifier_is_masked_where_it_stands(text: str, raw: str) -> None:
    explanation = masked(explain(text.replace("✗", "")))
    found = explanation.found
    assert isinstance(found, Rejection)
    assert f"{found.raw[: found.offset]}✗{found.raw[found.offset :]}" == raw
    assert explanation.text == found.raw
    assert (found.line, found.column) == (1, 1)


def test_a_masked_explanation_is_that_of_the_text() -> None:
    row = call("explain", "--format", "jsonl", "HTTP://u:secret@h.example/").rows[0]
    assert row["text"] == "HTTP://u:***@h.example/"
    assert [step["after"] for step in row["steps"]] == ["http://u:***@h.example/"]
    assert [warned["warn"] for warned in row["warnings"]] == ["userinfo-present", "password-present"]
    remedied = call("explain", "--format", "jsonl", "hxxp://u:secret@evil[.]example/").rows[0]["remedied"]
    assert [step["after"] for step in remedied["steps"]] == ["http://u:***@evil.example/"]
    assert remedied["valid"] is True
    again = call("explain", "--format", "jsonl", "hxxp://u:***@evil[.]example/").rows[0]["remedied"]
    warned = [warned for warned in remedied["warnings"] if warned["warn"] != "password-present"]  # G3: it has none
    assert again == {**remedied, "warnings": warned}


@pytest.mark.parametrize(
    ("text", "masked_text", "steps"),
    [
        ("hxxp://u:secret@evil[.]example/", "hxxp://u:***@evil[.]example/", ["refang http://u:***@evil.example/"]),
        ("http://u:secret@h.example/a b", "http://u:***@h.example/a b", ["repair http://u:***@h.example/a%20b"]),
        # Where a step cannot be masked, it begins with the identifier.
        ("<http://u:secret@h.exam\nple/>", "http://u:***@h.example/", []),
        ("hxxp[:]//u:secret@evil[.]example/", "http://u:***@evil.example/", []),
        (", http://u:secret@H.example/", "http://u:***@H.example/", ["host-case http://u:***@h.example/"]),
    ],
)
def test_a_masked_remedy(text: str, masked_text: str, steps: list[str]) -> None:
    remedied = masked(explain(text)).remedied
    assert remedied is not None
    assert (remedied.text, shown(remedied.steps)) == (masked_text, steps)


def test_what_has_no_password_stays_as_it_is() -> None:
    for text in ("http://h.example/a", "no identifier", "<http://h.example/>", "view-source:http://h.example/"):
        explanation = explain(text)
        assert masked(explanation) is explanation


@pytest.mark.parametrize("text", ["view-source:http://u:secret@h.example/", "<view-source:http://u:secret@h.example/>"])
def test_a_password_further_inside_is_masked(text: str) -> None:
    explanation = masked(explain(text))
    outer = explanation.remedied or explanation
    assert outer.inner is not None
    assert outer.inner.text == "http://u:***@h.example/"
    assert "secret" not in str(explanation.as_dict())


REDACTED = [
    (
        "HTTP://u:secret@H.example/a/../b?q=Tok%7e#f",
        "query",
        "HTTP://u:***@H.example/a/../b?***#f",
        "scheme=HTTP userinfo=u:*** host=H.example path=/a/../b query=*** fragment=f",
        [
            "scheme-case http://u:***@H.example/a/../b?***#f",
            "host-case http://u:***@h.example/a/../b?***#f",
            "dot-segments http://u:***@h.example/b?***#f",
        ],
    ),
    (
        "HTTP://u:secret@H.example/secret?q=secret#secret",
        "userinfo query fragment path",
        "HTTP://***@H.example/***?***#***",
        "scheme=HTTP userinfo=*** host=H.example path=/*** query=*** fragment=***",
        ["scheme-case http://***@H.example/***?***#***", "host-case http://***@h.example/***?***#***"],
    ),
    ("http://h.example/secret%7e", "path", "http://h.example/***", "scheme=http host=h.example path=/***", []),
    ("urn:isbn:0-395-36341-2", "path", "urn:isbn:***", "scheme=urn nid=isbn nss=***", []),
    (
        "view-source:HTTP://h.example/?token=secret",
        "query",
        "view-source:HTTP://h.example/?***",
        "scheme=view-source path=HTTP://h.example/ query=***",
        [],
    ),
]


@pytest.mark.parametrize(("text", "redact", "shown_text", "components", "steps"), REDACTED)
def test_parts_are_redacted(text: str, redact: str, shown_text: str, components: str, steps: list[str]) -> None:
    explanation = masked(explain(text), Mask(SECRET, redact=redact.split()))
    assert explanation.text == explanation.found.raw == shown_text
    assert " ".join(f"{span.name}={span.text}" for span in explanation.components) == components
    assert shown(explanation.steps) == steps
    assert "secret" not in str(explanation.as_dict())
    inner = explanation.inner
    assert inner is None or (inner.text, shown(inner.steps)) == (
        "HTTP://h.example/?***",
        ["scheme-case http://h.example/?***"],
    )


def test_parts_of_a_key_are_redacted() -> None:
    options = Options(urn_syntax="rfc8141")
    explanation = masked(explain("urn:isbn:0-395-36341-2?=secret#b", options=options), Mask(SECRET, redact=["query"]))
    assert isinstance(explanation.found, Record)
    assert (explanation.found.uri, explanation.found.key) == ("urn:isbn:0395363412?=***#b", "urn:isbn:0395363412")
    assert explanation.key_step is not None
    assert (explanation.key_step.before, explanation.key_step.after) == (
        "urn:isbn:0395363412?=***#b",
        "urn:isbn:0395363412",
    )
    assert [(one.warn, one.detail) for one in explanation.warnings] == [("wrong-check-digit", "")]
    assert explanation.options == options


@pytest.mark.parametrize(
    ("text", "raw", "remedied", "components"),
    [  # `✗` stands before the character that the rejection points at
        ("http://h.example/a b?secret", "http://h.example/a✗ b?***", "http://h.example/a%20b?***", 4),
        ("hxxp://h[.]example/?secret", "hxxp://h✗[.]example/?***", "http://h.example/?***", 0),
        ("no secret", "✗***", None, 0),
    ],
)
def test_parts_of_what_is_none_are_redacted(text: str, raw: str, remedied: str | None, components: int) -> None:
    explanation = masked(explain(text), Mask(SECRET, redact=["query"]))
    found = explanation.found
    assert isinstance(found, Rejection)
    assert f"{found.raw[: found.offset]}✗{found.raw[found.offset :]}" == raw
    assert (explanation.text, found.line, found.column, explanation.components) == (found.raw, 1, 1, ())
    assert (explanation.remedied is None) == (remedied is None)
    if explanation.remedied is not None:
        assert isinstance(explanation.remedied.found, Record)
        assert explanation.remedied.found.uri == remedied
        assert len(explanation.remedied.components) == components


def test_it_is_a_command() -> None:
    assert {"explain", "schemes", "namespaces"} <= set(COMMANDS)


@pytest.mark.parametrize(
    ("head", "unit"),
    [
        ("http://e.example/", "%7e%c3/../"),
        ("http://e.example/", "%zz "),
        ("", "<http://a "),
        ("", "hxxp[:]//a[.]b "),
        ("x", "[.]com"),
        ("view-source:", "view-source:"),
        ("urn:isbn:", "0-"),
        ("http://e.example/?", "例&utm_a=b&"),
        ("data:a/b;", "a=b;"),
        ("http://u:", "p:@"),
    ],
)
def test_the_time_is_linear(head: str, unit: str) -> None:
    options = Options(merge=NAMED_STEPS)

    def run(text: str) -> None:
        call("explain", "--merge", ",".join(NAMED_STEPS), text)
        explain(text, options=options)

    assert_linear(run, lambda size: head + unit * size, 4_000)


def test_an_explanation_has_a_record_or_a_rejection() -> None:
    valid, invalid = explain("http://a.example/"), explain("http://a.example:80x/")
    assert (valid.found, valid.rejection) == (valid.record, None)
    assert (invalid.found, invalid.record) == (invalid.rejection, None)


PAIRS = [
    # text, another, options, rules of one key, component of two
    ("http://a.example/", "HTTP://a.example", Options(), "scheme-case empty-path", None),
    ("http://a.example/x", "https://www.a.example/x/", Options(merge="page"), "https strip-www trailing-slash", None),
    ("http://a.example/x?ref=1", "http://a.example/x", Options(merge=Profile([], ["ref"])), "drop-params", None),
    ("https://www1.com/", "http://com/", Options(merge="archive-key"), "archive-key", None),
    ("urn:isbn:0395363411", "urn:isbn:9780395363416", Options(merge="isbn-13"), "isbn-13", None),
    ("http://a.example/", "http://a.example/", Options(), "", None),
    ("http://a.example/x", "https://a.example/y", Options(merge="page"), "", "path"),
    ("http://a.example/", "https://b.example/", Options(), "", "scheme"),
    ("http://joe@a.example/", "http://a.example/", Options(), "", "userinfo"),
    ("http://a.example/", "http://a.example:81/#f", Options(), "", "port"),
    ("http://a.example/?", "http://a.example/", Options(), "", "query"),
    ("urn:isbn:0395363411", "urn:issn:0395-3634", Options(), "", "nid"),
    ("http://a.example/x", "http://a.example/y", Options(merge="archive-key"), "", None),
    ("http://a.example/x", "x", Options(), "", None),
]


@pytest.mark.parametrize(("text", "other", "options", "rules", "component"), PAIRS)
def test_two_texts_are_compared(text: str, other: str, options: Options, rules: str, component: str | None) -> None:
    one, two = explain(text, options=options), explain(other, options=options)
    assert " ".join(one.merging_rules(two)) == " ".join(two.merging_rules(one)) == rules
    assert one.differing_component(two) == two.differing_component(one) == component


def test_the_command_compares_texts() -> None:
    same = call("explain", "http://a.example/x", "foo:x", "no", "https://www.a.example/x/", "foo:x", "--merge", "page")
    assert [line for line in same.lines if " key " in line] == [
        "same key as 1: https, strip-www, trailing-slash",
        "same key as 2: the same text",
    ]
    found = call("explain", "http://joe:hunter2@a.example/", "http://joe:hunter3@a.example/")
    assert found.lines[-1] == "another key than 1: the userinfo differs"
    assert b"hunter" not in found.out
    rows = [
        json.loads(line) for line in call("explain", "-f", "jsonl", "http://a.example/x", "http://a.example/%78").lines
    ]
    assert "compared" not in rows[0]
    assert rows[1]["compared"] == {"number": 1, "same": True, "rules": ["unreserved"], "component": None}


@pytest.mark.parametrize(
    ("host", "is_lost"), [("www1355544.com", True), ("www.example", True), ("www.a.example", False)]
)
def test_a_key_of_archives_without_the_name_of_its_host_is_said_to_be_so(host: str, is_lost: bool) -> None:
    step = explain(f"http://{host}/", options=Options(merge="archive-key")).key_step
    assert step is not None
    assert step.meaning.endswith(f"here {host} has lost its own name") == is_lost
