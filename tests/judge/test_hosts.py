"""Hosts of the DNS: what they become, with which warnings, and where those stop that are none."""

from __future__ import annotations

import unicodedata

import pytest
import regex

from urisieve import Options, Record, Rejection, check, parse
from urisieve.options import MergeStep

# The host of a web link, its A-labels (the same without a mark), and the warnings about it.
HOSTS = [
    # Labels of 63 octets, of which 59 hold what is not ASCII (RFC 5891 4.4), and names of 253 (RFC 1035 2.3.4).
    ("ü" * 57 + ".example", f"xn--td{'a' * 57}.example", ""),
    (f"ü{'a' * 55}.example", f"xn--{'a' * 55}-oxf.example", ""),
    (f"xn--{'a' * 55}-oxf.example", "=", ""),
    (f"{'a' * 63}.example", "=", ""),
    (f"{'a' * 64}.example", "=", "host-too-long"),
    (f"{'a.' * 123}example", "=", ""),
    (f"{'a.' * 123}example.", "=", ""),
    (f"{'a.' * 123}examples", "=", "host-too-long"),
    # A name beyond ASCII is mapped if it has at most 1,012 characters.
    (f"{'ü.' * 505}aa", f"{'xn--tda.' * 505}aa", "host-too-long"),
    # The last dot is the root (RFC 1034 3.1), and one dot is a name without a label.
    ("a.example.", "=", ""),
    ("a.", "=", ""),
    ("ü.example.", "xn--tda.example.", ""),
    # UTS 46 drops what nobody sees; joiners are allowed in context only (RFC 5892 A.1).
    ("a\ufe00b.example", "ab.example", "invisible-removed look-alike-host"),
    ("a\ufe0fb.example", "ab.example", "invisible-removed look-alike-host"),
    ("a\u180bb.example", "ab.example", "invisible-removed look-alike-host"),
    ("a\u034fb.example", "ab.example", "invisible-removed look-alike-host"),
    ("a\u00adb.example", "ab.example", "invisible-removed look-alike-host"),
    ("a\u200bb.example", "ab.example", "invisible-removed look-alike-host"),
    ("a\ufdffb.example", "xn--ab-q62n.example", "idna2008-disallowed mixed-script"),
    ("\u0915\u094d\u200c\u0937.example", "xn--11b2ezcs70k.example", "hosts-disagree"),
    # Scripts that are not used together (UTS 39 5.2).
    ("аbc.example", "xn--bc-6kc.example", "mixed-script"),
    ("xn--bc-6kc.example", "=", "mixed-script"),
    ("αβa.example", "xn--a-ylbd.example", "mixed-script"),
    ("αа.example", "xn--mxa8w.example", "mixed-script"),
    ("한ひ.example", "xn--y9j4970c.example", "mixed-script"),
    ("ひㄅ.example", "xn--y9jwq.example", "mixed-script"),
    ("日本abc.example", "xn--abc-s08fl0d.example", ""),
    ("abcひらカナ漢.example", "xn--abc-3c4bpeui2hy248b.example", ""),
    ("ㄅ漢a.example", "xn--a-1jux89u.example", ""),
    ("한漢a.example", "xn--a-oi0cu120a.example", ""),
    ("пример-1.example", "xn---1-mlcluqhd.example", ""),
    # Words of one script that look Latin.
    ("аррӏе.example", "xn--80ak6aa92e.example", "look-alike-host"),
    ("xn--80ak6aa92e.example", "=", "look-alike-host"),
    ("ου.example", "xn--0xam.example", "look-alike-host"),
    ("օս.example", "xn--rbbp.example", "look-alike-host"),
    ("օսոհցգզ.example", "xn--09ag2a5ay0ay.example", "look-alike-host"),
    ("ονιρυκχ.example", "xn--uxachhmyp.example", "look-alike-host"),
    ("օսոհցգզա.example", "xn--y9adj2b0b3a4a2a.example", ""),
    ("пример.example", "xn--e1afmkfd.example", ""),
    ("λόγος.example", "xn--oxapnm1c.example", "hosts-disagree"),
    # What UTS 46 allows and IDNA 2008 does not.
    ("☃.example", "xn--n3h.example", "idna2008-disallowed"),
    ("xn--n3h.example", "=", "idna2008-disallowed"),
    ("☃.ü.☃.example", "xn--n3h.xn--tda.xn--n3h.example", "idna2008-disallowed"),
    ("ü_ü.example", "xn--_-dhab.example", "idna2008-disallowed host-not-ldh"),
    ("faß.example", "xn--fa-hia.example", "hosts-disagree"),
    # A last label that others read as a number.
    ("ü.1", "xn--tda.1", "rare-ipv4"),
    ("a.0x7f", "=", "rare-ipv4"),
    ("a.0x7g", "=", ""),
    ("1.2.3.4", "=", ""),
    # Octets that are no UTF-8.
    ("%ff%c3.example", "%FF%C3.example", "host-not-utf8"),
    ("%41.example", "a.example", ""),
]

# Hosts that no web link has; `✗` stands before what is not valid.
FAULTS = [
    ("✗" + "ü" * 58 + ".example", "host-idna"),
    (f"✗{'ü.' * 505}aaa", "host-idna"),
    ("a.✗" + "ü" * 59 + ".example", "host-idna"),
    ("ü.✗" + "ü" * 60 + ".example", "host-idna"),
    (f"✗ü{'a' * 56}.example", "host-idna"),
    ("✗.", "host-label"),
    ("a.✗.", "host-label"),
    ("✗\u00ad", "host-label"),  # of which the mapping leaves nothing
    ("✗\u00ad.a", "host-label"),
    ("e.ab✗-.abc", "host-label"),
    ("a.bc.d✗_", "host-label"),
    ("ü.bc.✗_d", "host-label"),
    ("ü.ü.bc✗-.d", "host-label"),
    ("ü.b.✗.d", "host-label"),
    ("ü.b.c✗!d", "host-label"),
    # No A-label (RFC 5891 5.4): nothing encoded, ASCII encoded, another way to encode it, what the mapping changes.
    ("✗xn--.b.example", "host-idna"),
    ("✗xn--a-.b.example", "host-idna"),
    ("✗xn---tda.example", "host-idna"),
    ("✗xn--wca.example", "host-idna"),
    ("b.✗xn--xn--a-tda.example", "host-idna"),
    (f"✗xn--{'a' * 56}-oxf.example", "host-idna"),
    # Hyphens at the ends, a mark at the start, joiners without a context, the bidi rule (RFC 5891 4.2.3).
    ("✗-ü.example", "host-idna"),
    ("✗ü-.example", "host-idna"),
    ("a.✗\u0301☃.example", "host-idna"),
    ("✗a\u200cb.example", "host-idna"),
    ("✗☃a\u200cb.example", "host-idna"),
    ("✗1א☃.example", "host-idna"),
    # A mapping that makes the name longer: what stands behind it is at the end at most.
    ("ﬃﬃﬃ.-✗ü", "host-idna"),
    ("ﬃﬃﬃ.ü.-a✗", "host-label"),
    # A character that the mapping does not know.
    ("a_b✗\u0378c.example", "host-idna"),
    ("✗\u0378.example", "host-idna"),
]


@pytest.mark.parametrize(("host", "expected", "warnings"), HOSTS)
def test_hosts(host: str, expected: str, warnings: str) -> None:
    found = check(f"http://{host}/")
    assert isinstance(found, Record)
    assert found.uri == f"http://{host if expected == '=' else expected}/"
    assert " ".join(code for code in found.warnings if code != "bidi-mixed") == warnings


@pytest.mark.parametrize(("marked", "reason"), FAULTS)
def test_what_is_no_host(marked: str, reason: str) -> None:
    host = marked.replace("✗", "")
    found = check(f"http://{host}/")
    assert isinstance(found, Rejection)
    assert (found.reason, found.component, found.offset) == (reason, "host", 7 + marked.index("✗"))


@pytest.mark.parametrize(("host", "warned"), [("%C3%BC", False), ("%41", False), ("%C3", True), ("a%FF.b", True)])
def test_octets_of_any_host(host: str, warned: bool) -> None:
    for scheme in ("foo", "http", "file"):
        assert ("host-not-utf8" in parse(f"{scheme}://{host}/").warnings) == warned


@pytest.mark.parametrize(
    ("uri", "iri"),
    [
        ("rtsp://xn--tda.example/", "rtsp://ü.example/"),
        ("rtsp://a.xn--n3h.xn--tda/", "rtsp://a.☃.ü/"),
        # Labels that are no A-labels stay.
        ("rtsp://xn--wca.example/", "="),
        ("rtsp://xn---tda.example/", "="),
        ("rtsp://xn--a-.b.example/", "="),
        # Neither do the others of a host with such a label, or with octets that are no UTF-8.
        ("rtsp://xn--tda.xn--wca/", "="),
        ("rtsp://xn--tda.%FF/", "="),
    ],
)
def test_hosts_for_people(uri: str, iri: str) -> None:
    assert parse(uri).iri == (uri if iri == "=" else iri)


@pytest.mark.parametrize(
    ("iri", "mixed"),
    [  # RFC 3987 4.2, a component at a time
        ("http://a.example/אב", False),
        ("http://a.example/אa", True),
        ("http://a.example/0א", True),
        ("http://a.example/א0", True),
        ("http://a.example/א0א", False),
        ("http://a.example/ا\u064b", False),
        ("http://a.example/0ا", True),
        ("http://a.example/ا0", True),
        ("http://a.example/\u064bا", False),
        ("http://a.example/a/א?b=א&c#ا", False),
        ("http://a.example/é0", False),
        ("http://a.example/\U00020000", False),
        ("http://a.example/?\ue000", False),
    ],
)
def test_both_directions_in_a_component(iri: str, mixed: bool) -> None:
    assert ("bidi-mixed" in parse(iri).warnings) == mixed


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("http://www.www.a.example/", "http://a.example/"),
        ("http://www.com/", "="),
        ("http://www.com./", "="),
        ("http://www.1.2.3.4/", "="),
        ("http://wwwa.example/", "="),
        ("foo://www.a.example/", "="),
        ("http://www.a/", "="),
        ("mailto:www.a@www.a.example", "="),
    ],
)
def test_www_is_stripped_where_a_name_is_left(given: str, expected: str) -> None:
    assert parse(given, options=Options(merge=[MergeStep.STRIP_WWW])).uri == (given if expected == "=" else expected)


def test_names_of_characters_tell_scripts_that_stand_together() -> None:
    """`mixed_script` asks `regex` only about other labels."""
    together = regex.compile(r"[\p{Latin}\p{Han}\p{Hiragana}\p{Katakana}\p{Common}\p{Inherited}]")
    first_words = {"LATIN", "CJK", "HIRAGANA", "KATAKANA"}
    characters = [chr(code) for code in range(0x80, 0x110000)]
    named = [one for one in characters if unicodedata.name(one, "").partition(" ")[0] in first_words]
    assert len(named) > 90_000
    assert all(map(together.fullmatch, named))
