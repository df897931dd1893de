"""Properties that hold for every text: generated identifiers, near misses, and noise."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from itertools import chain

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.helpers.marked_rows import OF_THE_TEXT
from tests.helpers.strategies import (
    any_text,
    canonical_like_links,
    identifiers,
    iris,
    link_texts,
    near_misses,
    noisy_texts,
    texts_of_delimiters,
    uris,
    urns,
)
from urisieve import (
    InvalidIdentifierError,
    Options,
    Record,
    Rejection,
    Scanner,
    check,
    equivalent,
    key,
    normalize,
    parse,
    sieve,
    to_iri,
    to_uri,
)
from urisieve.codes import REASONS, WARNINGS, Reason, Warn
from urisieve.find.search import Search
from urisieve.find.searches import make_search
from urisieve.finding_options import DEFAULT_OPTIONS
from urisieve.judge.judge import Judged, judge, quick_judge
from urisieve.kernel import compiled
from urisieve.merging import NAMED_STEPS
from urisieve.options import Level, MergeStep
from urisieve.records.batch import BatchBuffer
from urisieve.rules.scheme_table import scheme_rule
from urisieve.streams import extract_keys
from urisieve.syntax.components import recompose, split
from urisieve.syntax.grammar import matches

LEVELS = tuple(Level)
# Reasons whose section is that of the scheme's own RFC, not that of the table.
BY_SCHEME = frozenset({Reason.NO_AUTHORITY, Reason.EMPTY_HOST, Reason.SCHEME_SYNTAX})
URN_SECTION = "RFC 2141 2.4, RFC 8141 2"
VARIANTS = (
    DEFAULT_OPTIONS,
    Options(max_length=64),
    Options(schemes="any"),
    Options(schemes="registered"),
    Options(schemes={"http", "urn", "foo"}),
    Options(repair="encode"),
    Options(urn_syntax="rfc8141"),
    Options(schemeless="www", email="addresses"),
    Options(level="none"),
)
TEXTS = st.one_of(identifiers(), near_misses(), texts_of_delimiters(), any_text())


@given(st.one_of(identifiers(), near_misses(), texts_of_delimiters()))
def test_recompose_undoes_split(text: str) -> None:
    try:
        parts = split(text)
    except ValueError:
        head = text.partition("/")[0].partition("?")[0].partition("#")[0]
        assert head.startswith(":") or ":" not in head
        return
    assert recompose(parts) == text


@given(identifiers(), st.sampled_from(LEVELS), st.sampled_from(["rfc2141", "rfc8141"]))
@example("foo:/.//x", Level.SYNTAX, "rfc2141")
@example("file:/.//x", Level.SCHEME, "rfc2141")
@example("http://[::FFFF:1.2.3.4]:/%2e%2E//a", Level.SCHEME, "rfc2141")
def test_normalize_is_idempotent_and_keeps_the_components(text: str, level: Level, urn_syntax: str) -> None:
    options = Options(level=level, urn_syntax=urn_syntax)
    found = check(text, options=options)
    if isinstance(found, Rejection):
        return
    again = parse(found.uri, options=options)
    assert again.uri == found.uri
    if level != Level.NONE:
        assert again.key == found.key
    assert again.components == found.components
    if found.nid is None or urn_syntax == "rfc8141":  # RFC 2141: "?" and "#" belong to the NSS
        assert found.components == split(found.uri)
    assert normalize(text, options=options) == (found.key if level == Level.NONE else found.uri)
    if found.scheme.lower() != "file":
        assert (found.host is None) == (split(text).host is None)


@given(st.one_of(identifiers(), near_misses()), st.sampled_from(VARIANTS))
def test_the_uri_is_ascii_and_a_uri(text: str, options: Options) -> None:
    found = check(text, options=options)
    if isinstance(found, Record):
        assert found.uri.isascii()
        assert matches("URI", found.uri) or found.nid is not None
        assert len(set(found.warnings)) == len(found.warnings)
        assert set(found.warnings) <= set(WARNINGS)


@given(identifiers(), identifiers())
def test_levels_are_nested_and_keys_are_equivalence(first: str, second: str) -> None:
    _equivalence(first, second)


@given(identifiers(), st.data())
def test_levels_are_nested_for_disguises(text: str, data: st.DataObject) -> None:
    _equivalence(text, data.draw(disguises(text)))


@st.composite
def disguises(draw: st.DrawFn, text: str) -> str:
    """The same text with a character in other case or as a triplet."""
    place = draw(st.integers(0, max(0, len(text) - 1)))
    character = text[place : place + 1]
    if not character.isascii() or not character:
        return text
    new = draw(st.sampled_from([character.swapcase(), f"%{ord(character):02x}", f"%{ord(character):02X}"]))
    return text[:place] + new + text[place + 1 :]


def _equivalence(first: str, second: str) -> None:
    if isinstance(check(first), Rejection) or isinstance(check(second), Rejection):
        return
    same_before = False
    for level in LEVELS:
        same = equivalent(first, second, level)
        options = Options(level=level)
        assert same == (key(first, options=options) == key(second, options=options))
        assert same == (parse(first, options=options) == parse(second, options=options))
        assert same or not same_before
        same_before = same


@given(st.one_of(uris(), iris()))
@example("http://a/%C3%A9%E2%80%AE%ff%c3")
@example("http://h/?%EE%80%80#%EE%80%80")
def test_iri_and_uri_are_two_ways_to_write_one(text: str) -> None:
    found = check(text)
    if isinstance(found, Record):
        assert to_uri(to_iri(found.uri)) == found.uri
        shown = check(found.iri)
        assert isinstance(shown, Record)
        assert shown.key == found.key


@given(identifiers())
def test_nothing_is_lost_without_being_named(text: str) -> None:
    found = check(text)
    if isinstance(found, Record) and found.nid is None:
        assert (found.query is None) == (split(text).query is None)
        assert (found.fragment is None) == (split(text).fragment is None)


@given(identifiers(), st.sampled_from(NAMED_STEPS))
@example("http://www.www.example.com/", MergeStep.STRIP_WWW)
@example("http://a/?&utm_source=x", MergeStep.DROP_TRACKING)
def test_steps_of_merging_are_idempotent(text: str, step: MergeStep) -> None:
    options = Options(merge=[step])
    found = check(text, options=options)
    if isinstance(found, Record):
        again = parse(found.uri, options=options)
        assert again.uri == found.uri
        assert again.components == found.components


@given(noisy_texts(), st.sampled_from(VARIANTS))
def test_finds_slice_back_in_order_without_overlap(text: str, options: Options) -> None:
    end = 0
    for found in sieve(text, options=options):
        assert end <= found.start < found.end
        assert text[found.start : found.end] == found.raw
        assert found.line == text.count("\n", 0, found.start) + 1
        assert found.column == found.start - text.rfind("\n", 0, found.start)
        end = found.end


@given(noisy_texts())
def test_a_record_found_is_the_record_parsed(text: str) -> None:
    for found in sieve(text):
        if Warn.WHITESPACE_REMOVED in getattr(found, "warnings", ()):
            continue
        alone = check(found.raw)
        assert type(alone) is type(found)
        if isinstance(found, Record) and isinstance(alone, Record):
            assert (alone.uri, alone.key, alone.iri, alone.kind, alone.components, alone.warnings) == (
                found.uri,
                found.key,
                found.iri,
                found.kind,
                found.components,
                tuple(code for code in found.warnings if code not in OF_THE_TEXT),
            )
        elif isinstance(found, Rejection) and isinstance(alone, Rejection):
            assert (alone.reason, alone.component, alone.offset, alone.section) == (
                found.reason,
                found.component,
                found.offset,
                found.section,
            )


@given(TEXTS, st.sampled_from(VARIANTS))
@example("\ud800", DEFAULT_OPTIONS)
@example("http://a/\ud800\0", DEFAULT_OPTIONS)
@example("", DEFAULT_OPTIONS)
@example("http://é@/path", DEFAULT_OPTIONS)
@example("http://h/^#a#b", Options(repair="encode"))
@example("urn:ab:c#f[", Options(urn_syntax="rfc8141"))
def test_check_never_raises_and_points_into_the_text(text: str, options: Options) -> None:
    found = check(text, options=options)
    assert found.raw == text
    if isinstance(found, Rejection):
        assert 0 <= found.offset <= len(text)
        _in_table(found)
        _caret(found)
        with pytest.raises(InvalidIdentifierError) as caught:
            parse(text, options=options)
        assert caught.value.rejection == found
    repr(found)
    str(found)
    found.as_dict()


def _in_table(found: Rejection) -> None:
    by_scheme = scheme_rule(found.raw.partition(":")[0].lower()).reference
    allowed = {REASONS[found.reason].section}
    if found.reason in BY_SCHEME:
        allowed.add(by_scheme)
    if found.reason == Reason.ILLEGAL_CHARACTER:
        allowed.add(URN_SECTION)
    assert found.section in allowed


def _caret(found: Rejection) -> None:
    shown, caret, last = found.explain().split("\n")
    assert caret.strip(" ") == "^"
    place = caret.index("^")
    masked = found.masked()
    at = masked.raw[masked.offset : masked.offset + 1]
    if at and at.isprintable():
        assert shown[place] == at
    assert last.startswith(f"{found.reason} in {found.component} at {found.offset}: ")
    assert found.section in last


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("http://é@/path", 9),  # offsets are those of the text given, not of the URI that it maps to
        ("http://a!b.example/%41", 8),  # a triplet in the path does not blur the place in the host
        ("http://a/b c", 10),
        ("http://a:8x/", 10),
        ("http://a/#b#c", 11),
    ],
)
def test_a_rejection_points_at_the_character(text: str, offset: int) -> None:
    found = check(text)
    assert isinstance(found, Rejection)
    assert found.offset == offset


def test_with_repair_a_rejection_points_into_the_raw_text() -> None:
    found = check("http://h:8a/^#a", options=Options(repair="encode"))
    assert isinstance(found, Rejection)
    assert found.raw[found.offset] == "a"
    assert found.offset == 10


def test_a_fault_in_an_f_component_is_where_it_is() -> None:
    found = check("urn:ab:c#f[", options=Options(urn_syntax="rfc8141"))
    assert isinstance(found, Rejection)
    assert found.raw[found.offset] == "["


@given(noisy_texts(), st.sampled_from(VARIANTS))
def test_sieve_never_raises(text: str, options: Options) -> None:
    for found in sieve(text, options=options):
        repr(found)
        found.as_dict()
        if isinstance(found, Rejection):
            assert 0 <= found.offset <= len(found.raw)
            found.explain()


@pytest.mark.sampled(11)
@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "http://a/",
        "\0",
        "\ud800",
        "é",
        "漢字",
        "%",
        "%41",
        "urn:a:",
        ":",
        "/",
        "?",
        "#",
        "[",
        "@",
        "mailto:a@b,",
        "\u0660",
        "أ\u200d",
    ],
)
@pytest.mark.parametrize("head", ["", "http://", "urn:ex:", "mailto:", "http://a/", "foo:"])
def test_long_texts_are_checked(head: str, unit: str) -> None:
    text = head + unit * (100_000 // len(unit))
    found = check(text, options=Options(max_length=200_000))
    assert found.raw == text
    assert sum(1 for _ in sieve(text)) < 1_000


# Differential: the search and the judge of the kernel against those in Python.


def _slowly(text: str, options: Options) -> list[Record | Rejection]:
    buffer = BatchBuffer()
    search = Search(options, buffer)
    search.feed(text)
    search.close()
    return buffer.taken().found()


def _fields(found: Record | Rejection) -> tuple[object, ...]:
    return type(found), found._row, found.as_dict()


def _both(text: str, options: Options) -> None:
    quick, slow = Scanner(options), _slowly(text, options)
    expected = [_fields(found) for found in slow]
    assert [_fields(found) for found in quick.feed(text) + quick.close()] == expected
    for length in (1, 7, 29):
        cut = Scanner(options)
        pieces = [cut.feed(text[start : start + length]) for start in range(0, len(text), length)]
        assert [_fields(found) for found in chain(*pieces, cut.close())] == expected
    placed = Scanner(replace(options, positions="offsets"))
    for row, found in zip(expected, placed.feed(text) + placed.close(), strict=True):
        values = list(row[1])  # type: ignore[call-overload]
        at = 5 if isinstance(found, Record) else 7
        assert found._row == (*values[:at], 0, 0, *values[at + 2 :])
    keys = [found.key for found in slow if isinstance(found, Record) and Warn.NESTED not in found.warnings]
    assert list(extract_keys(text, options=options)) == keys


QUICK = (*VARIANTS, Options(known_schemes={"xhttp"}), Options(schemes="any", max_length=64), Options(nested="report"))
MOST = Options(schemes="any", schemeless="www", email="addresses")


def test_the_differential_compares_two_ways() -> None:
    assert (type(make_search(DEFAULT_OPTIONS, BatchBuffer())) is Search) is not compiled
    assert (quick_judge is judge) is not compiled


@given(link_texts(), st.sampled_from(QUICK))
@example('"URL:\u00a0 http://a.bc"', DEFAULT_OPTIONS)
@example("{URL:\u3000\nhttp://a.bc} ", DEFAULT_OPTIONS)
@example("*URL: http://a.bc/*<http://a.bc>", DEFAULT_OPTIONS)
@example("\nhttp://a.bc :", DEFAULT_OPTIONS)
@example("<mailto:\u00a0a@b.cd> <urn:\u3000isbn:0451450523> <tel:\u00a0+123> <urn:\u00a0:", DEFAULT_OPTIONS)
@example(" a::b http::x aURL:\u3000 ", Options(schemes="any", max_length=70))
@example("a@b.漢http://y/ www.b.漢http://y/ ", MOST)
@example("a" * 67 + "URL:\u3000", Options(schemes="any", max_length=70))
@example("(+http://a.bc/x) x+http://a.bc/ 1+http://a.bc/ \n+http://a.bc ,+http://a.bc)y", DEFAULT_OPTIONS)
@example(" http://a.bc/x)y http://a.bc/?x)y (http://a.bc/x)y '+http://a.bc/'", DEFAULT_OPTIONS)
@example("http://x.yz/「URL: http://a.bc」 http://x.yz/*URL:\u00a0http://a.bc*", DEFAULT_OPTIONS)
@example("http://x.yz/(URL: http://a.bc) http://x.yz/'URL:\nhttp://a.bc'", DEFAULT_OPTIONS)
def test_the_quick_path_agrees_with_the_slow_one(text: str, options: Options) -> None:
    _both(text, options)


PROVEN = (
    DEFAULT_OPTIONS,
    Options(known_schemes={"foo", "x-y"}),
    Options(charset="legacy"),
    Options(urn_syntax="rfc8141"),
)
HOSTS = (
    *("", "h", "A.b", "localhost", "LOCALHOST", "1.2.3.4", "1.2.3", "[::1]", "[FE80::1%25e]", "[v1.x]", "[", "-a.b"),
    *("a_b.c", "ex%61mple.de", "%c3%bc.de", "ü.de", "xn--tda.de", "xn--x.de", "%ff.de", "a..b", "א.de", "a\u202eb"),
)


def _judged_both_ways(text: str, options: Options) -> None:
    quick, slow = quick_judge(text, options), judge(text, options)
    if isinstance(quick, Judged) and isinstance(slow, Judged):
        assert (quick.uri, quick.key, quick.warnings) == (slow.uri, slow.key, slow.warnings)
        assert quick.parts is None or quick.parts == slow.parts
        if quick.parts is None:
            assert slow.parts == split(quick.uri)
    else:
        assert quick == slow


@given(st.one_of(canonical_like_links(), identifiers(), near_misses()), st.sampled_from(PROVEN))
def test_a_proof_is_the_judgement(text: str, options: Options) -> None:
    _judged_both_ways(text, options)


@given(
    st.sampled_from(("http", "HTTPS", "ws", "ftp", "file", "foo", "x-y", "ssh", "sip", "urn", "news", "mailto")),
    st.sampled_from(("", "u@", "%41:%00@", ":@", "é@", "a@b@")),
    st.sampled_from(HOSTS),
    st.sampled_from(("", ":", ":80", ":443", ":0080", ":21", ":99999", ":x")),
    st.sampled_from(("", "/", "//", "/.", "/..", "/./a", "//../..//b", "/%2e%2E/c", "/.a", "/%00", "/%zz", "/é", "/א1"))
    | st.text("aA/.%20efEF:@[é\u0301א\u200b", max_size=12).map("/{}".format),
    st.sampled_from(("", "?", "#", "?#", "?%61%2f#%C3%a9", "?/../", "#a#b", "?\ue000", "#\ue000", "?[]", "?%00")),
    st.sampled_from(PROVEN),
)
@example("file", "", "localhost", "", "/a", "", DEFAULT_OPTIONS)
@example("http", "", "e\u0301.de", "", "/e\u0301", "", Options(charset="legacy"))
def test_what_is_known_of_an_authority_is_the_judgement(
    scheme: str, userinfo: str, host: str, port: str, path: str, tail: str, options: Options
) -> None:
    for text in (f"{scheme}://{userinfo}{host}{port}{path}{tail}", f"{scheme}://{userinfo}{host}{port}"):
        _judged_both_ways(text, options)


@given(noisy_texts(), st.sampled_from(QUICK))
def test_the_quick_path_agrees_in_noise(text: str, options: Options) -> None:
    _both(text, options)


# Passwords.


PASSWORD = "pw1secret"


@st.composite
def with_password(draw: st.DrawFn) -> str:
    scheme = draw(st.sampled_from(["http", "HTTPS", "ftp", "foo", "ssh"]))
    user = draw(st.sampled_from(["", "u", "%41", "u.é"]))
    more = draw(st.sampled_from(["", ":x", "%3A", "é"]))
    tail = draw(st.sampled_from(["", "/", "/a@b:c", ":80/x", "?q#f"]))
    web = f"{scheme}://{user}:{PASSWORD}{more}@h.example{tail}"
    sip = draw(
        st.sampled_from(
            [
                f"sip:u:{PASSWORD}@h.example",
                f"SIPS:u:{PASSWORD}@h;a=b?c=d",
                f"sip:a/b:{PASSWORD}@h",
                f"sip:u:{PASSWORD}/x@h",
            ]
        )
    )
    return draw(st.sampled_from([web, web, sip]))


@given(with_password(), st.sampled_from(LEVELS))
@example(f"sip:a/b:{PASSWORD}@h.example", Level.SCHEME)
def test_a_masked_record_shows_no_password(text: str, level: Level) -> None:
    found = check(text, options=Options(level=level))
    if not isinstance(found, Record):
        assert PASSWORD not in repr(found)
        assert PASSWORD not in found.explain()
        assert PASSWORD not in str(found.masked().as_dict())
        return
    assert Warn.PASSWORD_PRESENT in found.warnings
    assert PASSWORD not in repr(found)
    assert PASSWORD not in str(found)
    masked = found.masked(lambda password: f"digest-of-{len(password)}")
    for shown in (repr(masked), str(masked), repr(masked.as_dict()), masked.iri, masked.raw, str(masked.components)):
        assert PASSWORD not in shown
    assert (masked.start, masked.end, masked.warnings) == (found.start, found.end, found.warnings)


@given(with_password())
def test_two_passwords_stay_two_keys(text: str) -> None:
    first = check(text)
    second = check(text.replace(PASSWORD, "pw2"))
    if isinstance(first, Record) and isinstance(second, Record):
        assert first.masked(str.upper) == check(text).masked(str.upper)  # type: ignore[call-arg]
        assert first.masked(str.upper).key != second.masked(str.upper).key


@pytest.mark.parametrize("blank", ["\n", " ", "\u200b", "\ufeff", "\u3000"])
@pytest.mark.parametrize("place", [5, 6, 7, 9, 13])
def test_white_space_does_not_show_a_password(blank: str, place: int) -> None:
    inner = f"foo://u:{PASSWORD}@h.example/"
    text = f"<{inner[:place]}{blank}{inner[place:]}>"
    for found in sieve(text, options=Options(schemes="any")):
        if isinstance(found, Record) and Warn.PASSWORD_PRESENT in found.warnings:
            shown = repr(found.masked(lambda _: "digest").as_dict())
            assert PASSWORD not in shown.replace("\\n", "").replace("\\u200b", "").replace("\\ufeff", "").replace(
                "\\u3000", ""
            ).replace(" ", "")


@pytest.mark.parametrize("text", ["sip:h.example:5060?x=a%40b", "sip:h.example;x=a:b", "sip:u@h.example:5060?x=y:z"])
def test_a_port_or_a_header_is_no_password(text: str) -> None:
    """RFC 3261 25.1: "@" stands in headers only as a triplet."""
    assert Warn.PASSWORD_PRESENT not in parse(text).warnings


# Copies.


@given(noisy_texts())
def test_records_and_rejections_are_copied_and_pickled(text: str) -> None:
    for found in sieve(text, options=Options(nested="report")):
        for again in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
            assert _fields(again) == _fields(found)
            assert again == found
            assert hash(again) == hash(found)


@given(urns())
def test_a_urn_has_nid_and_nss(text: str) -> None:
    for level in LEVELS:
        found = check(text, options=Options(level=level))
        if isinstance(found, Record):
            assert found.kind == "urn"
            assert f"{found.nid}:{found.nss}" == found.path
            assert (
                found.host is found.query is found.fragment is None
                or found.query is not None
                or found.fragment is not None
            )


def test_the_kind_is_that_of_the_identifier_not_of_removed_white_space() -> None:
    (found,) = sieve("<http://a.example/\u3000b>")
    assert isinstance(found, Record)
    assert found.uri == "http://a.example/b"
    assert found.kind == "uri"


@pytest.mark.parametrize("digits", ["65536", "99999", "100000", "0065536", "1" + "0" * 20, "1" + "0" * 100])
def test_ports_above_the_limit_are_warned_of(digits: str) -> None:
    assert Warn.PORT_ABOVE_65535 in parse(f"http://a.example:{digits}/").warnings


@pytest.mark.parametrize("digits", ["", "0", "7", "9999", "10000", "65535", "0000065535", "0" * 100 + "80"])
def test_other_ports_are_not(digits: str) -> None:
    assert Warn.PORT_ABOVE_65535 not in parse(f"http://a.example:{digits}/").warnings
