"""What RFCs of schemes and namespaces say of single identifiers, against what was once done; each row has its number.

Pairs of what must not change stand beside those that have.
"""

from __future__ import annotations

import re

import pytest

from urisieve import Namespace, Options, Record, Rejection, Scanner, check, explain, key, normalize, parse, to_iri
from urisieve.codes import Component, Reason, Warn
from urisieve.rules.registry import default_ports
from urisieve.rules.scheme_table import scheme_rule
from urisieve.rules.table import namespace_rule, namespaces

RFC8141 = Options(urn_syntax="rfc8141")

SAME = [
    ("A6", "urn:isbn:0-395-36341-1#x", "urn:isbn:0395363411#x"),
    ("A6", "urn:isbn:0-395-36341-1?a-b", "urn:isbn:0395363411?a-b"),
    ("A6", "URN:IETF:RFC:2141#Sec", "urn:ietf:rfc:2141#Sec"),
    ("A6", "urn:ietf:rfc:2141#%c3", "urn:ietf:rfc:2141#%C3"),
    ("A7", "msrp://h.example:1/b;TCP", "msrp://h.example:1/b;tcp"),
    ("A7", "msrps://bob@H.example:1/b;Tcp;X=y", "msrps://h.example:1/b;tcp;X=y"),
    ("A8", "sieve://H.example/s", "sieve://h.example/s"),
    ("A9", "TAG:example.com,2000:a", "tag:example.com,2000:a"),
    ("A10", "JavaScript:/./.test(x)", "javascript:/./.test(x)"),
    ("A10", "javascript:a(%31)", "javascript:a(1)"),
    ("A10", "foo:/./.test(x)", "foo:/.test(x)"),  # what is not known to be opaque is hierarchical (RFC 3986 3.3)
    ("B8", "ni:///sha-256-32;UyaQVw", "nih:sha-256-32;53269057"),
    ("B8", "ni://e.example/sha-256-32;UyaQVw?ct=a", "nih:6;5326-9057;b"),
    ("B8", "info:pii/S0888-7543(02)96852-7", "INFO:pii/S0888%2D7543%2802%2996852%2D7"),
    ("B8", "info:pii/a%2A%27%21", "info:pii/a*'!"),
    ("B8", "geo:1,2;foo=%21%7E", "geo:1,2;foo=!~"),
    ("B8", "geo:1,2;foo=%2f%3d", "geo:1,2;foo=/="),
    ("B8", "geo:1,2;foo=%22", "geo:1.0,2;FOO=%22"),
    ("B8", "tel:+1;x=%21", "tel:+1;x=!"),
    ("B8", "tel:%2A21;phone-context=e.example", "tel:*21;phone-context=e.example"),
    ("B8", "tel:+1%2D2", "tel:+12"),
    ("B8", "sms:+1%282%29,+1;x=%27", "sms:+1;x=',+12"),
    ("B8", "sip:a@b.example;Unknown=ABC", "sip:a@b.example;unknown=abc"),
    ("B8", "sips:b.example;lr=TRUE", "sips:b.example;lr=true"),
    ("B8", "news://h.example/*", "news://h.example/"),
    ("B8", "news://h.example", "news://h.example/"),
    ("B8", "gopher://h.example", "gopher://h.example/"),
    ("B8", "gopher://h.example", "gopher://h.example/1"),
    ("B8", "telnet://h.example", "telnet://h.example:23/"),
    ("B8", "tn3270://h.example", "tn3270://h.example/"),
    ("B8", "ldap://h.example/c=GB??base", "ldap://h.example/c=GB"),
    ("B8", "ldap://h.example/c=GB?*??(ObjectClass=*)", "ldap://h.example/c=GB"),
    ("B8", "ldap://h.example/c=GB?cn?BASE?(objectClass=*)?x", "ldap://h.example/c=GB?cn???x"),
    ("B8", "mtqp://H.example:1038/TRACK/a/B", "mtqp://h.example/track/a/B"),
    ("B8", "im:fred@E.Example", "im:fred@e.example"),
    ("B8", "pres:fred@b%c3%bccher.example", "pres:fred@xn--bcher-kva.example"),
    ("B8", "rtsp://h.example", "rtsp://h.example:554/"),
    ("B8", "rtsps://h.example", "rtsps://h.example/"),
    ("B8", "imap://h.example", "imap://h.example/"),
    ("B8", "coap+tcp://h.example", "coap+tcp://h.example/"),
    ("B8", "coaps+tcp://h.example", "coaps+tcp://h.example/"),
    ("B8", "coap+ws://h.example", "coap+ws://h.example:80/"),
    ("B8", "coaps+ws://h.example?a", "coaps+ws://h.example/?a"),
    ("B8", "icap://h.example", "icap://h.example/"),
    ("B8", "pop://h.example", "pop://h.example:110/"),
    ("B8", "nfs://h.example", "nfs://h.example/"),
    ("B8", "rsync://h.example", "rsync://h.example/"),
    ("B8", "dict://h.example", "dict://h.example/"),
    ("B8", "snmp://h.example", "snmp://h.example/"),
]
DIFFERENT = [
    ("A6", "urn:ietf:rfc:2141#Sec", "urn:ietf:rfc:2141#sec"),
    ("A6", "urn:ietf:rfc:2141?Q", "urn:ietf:rfc:2141?q"),
    ("A6", "urn:isbn:0395363411#1-2", "urn:isbn:0395363411#12"),
    ("A6", "urn:isbn:0395363411#x", "urn:isbn:0395363411"),
    ("A6", "urn:gsma:imei:90420156-025763-0;vers=0#a", "urn:gsma:imei:90420156-025763-0#a;vers=0"),
    ("A7", "msrp://h.example:1/a/../b;tcp", "msrp://h.example:1/b;tcp"),
    ("A7", "msrp://h.example:1/b;TCP;X=y", "msrp://h.example:1/b;tcp;X=Y"),
    ("A7", "msrp://h.example:1/b;tcp", "msrp://h.example:1/B;tcp"),
    ("A8", "sieve://h.example:4190/s", "sieve://h.example/s"),
    ("A9", "tag:example.com,2000:%7Ea", "tag:example.com,2000:~a"),
    ("A9", "tag:example.com,2000:%2f", "tag:example.com,2000:%2F"),
    ("A9", "tag:example.com,2000:a#%7E", "tag:example.com,2000:a#~"),
    ("A9", "tag:example.com,2000:a?%7e", "tag:example.com,2000:a?~"),
    ("A9", "tag:/a/../b", "tag:/b"),
    ("A10", "javascript:/./.test(x)", "javascript:/.test(x)"),
    ("A10", "vbscript:/a/../b(x)", "vbscript:/b(x)"),
    ("A10", "javascript://h.example/a/../b", "javascript://h.example/b"),
    ("A9", "tag://h.example/%7E", "tag://h.example/~"),
    ("A10", "data:/./a,b", "data:/a,b"),
    ("A10", "gopher://h.example/0/a/../b", "gopher://h.example/0/b"),
    ("A10", "news://h.example/..", "news://h.example/"),
    ("B5", "http://h.example/%ff", "http://h.example/%FE"),
    ("B8", "ni:///sha-256-32;UyaQVw", "nih:sha-256-32;53269058"),
    ("B8", "ni:///sha-256-32;UyaQVw", "nih:sha-256-64;53269057"),
    ("B8", "info:pii/S0888-7543(02)96852-7", "info:pii/s0888-7543(02)96852-7"),
    ("B8", "info:ddc/22%2Feng", "info:ddc/22/eng"),
    ("B8", "geo:1,2;foo=a", "geo:1,2;foo=A"),
    ("B8", "geo:1,2;foo=%2521", "geo:1,2;foo=%21"),
    ("B8", "geo:1,2;foo=a%3Bb=c", "geo:1,2;foo=a;b=c"),
    ("B8", "tel:+1;x=%2B", "tel:+1;x=+"),
    ("B8", "tel:+1;x=+1-2", "tel:+1;x=+12"),
    ("B8", "tel:1;phone-context=e-1.example", "tel:1;phone-context=e1.example"),
    ("B8", "sms:+1?body=%21", "sms:+1?body=!"),
    ("B8", "sip:A@b.example;x=1", "sip:a@b.example;x=1"),
    ("B8", "sip:b.example;method=REGISTER", "sip:b.example;method=register"),
    ("B8", "sip:b.example;pn-prid=aB", "sip:b.example;pn-prid=ab"),
    ("B8", "sip:b.example?Subject=A", "sip:b.example?Subject=a"),
    ("B8", "news:*", "news:"),
    ("B8", "news://h.example/*", "news:*"),
    ("B8", "gopher://h.example", "gopher://h.example/0"),
    ("B8", "gopher://h.example/?", "gopher://h.example/"),
    ("B8", "ldap://h.example/c=GB??one", "ldap://h.example/c=GB"),
    ("B8", "ldap://h.example/c=GB?cn", "ldap://h.example/c=GB"),
    ("B8", "ldap://h.example/c=GB???(cn=*)", "ldap://h.example/c=GB"),
    ("B8", "mtqp://h.example/track/a/b", "mtqp://h.example/track/A/b"),
    ("B8", "mtqp://h.example/track/a/b", "mtqp://h.example/track/a/B"),
    ("B8", "im:Fred@e.example", "im:fred@e.example"),
    ("B8", "im:fred@e.example", "pres:fred@e.example"),
    ("B8", "rtsp://h.example", "rtsp://h.example//"),
    ("B8", "rtsp://h.example/a", "rtsp://h.example/a/"),
    # Their RFCs and registrations say nothing of an empty path, or that it means something else (RFC 5804 3).
    ("B8", "sieve://h.example", "sieve://h.example/"),
    ("B8", "ssh://h.example", "ssh://h.example/"),
    ("B8", "msrp://h.example:1", "msrp://h.example:1/"),
    ("B8", "vnc://h.example", "vnc://h.example/"),
    ("B8", "not-registered://h.example", "not-registered://h.example/"),
]


@pytest.mark.parametrize(("number", "first", "second"), SAME)
def test_one_key(number: str, first: str, second: str) -> None:
    assert key(first) == key(second)
    assert normalize(normalize(first)) == normalize(first)


@pytest.mark.parametrize(("number", "first", "second"), DIFFERENT)
def test_two_keys(number: str, first: str, second: str) -> None:
    assert key(first) != key(second)
    assert normalize(first, "syntax") != normalize(second, "syntax")


@pytest.mark.parametrize("row", namespaces(), ids=lambda row: row.name)
def test_the_rule_of_a_namespace_sees_the_name_alone(row: Namespace) -> None:
    """A6, for every row: what follows the first `?` or `#` stays as it is."""
    nid = row.name
    pairs = [(pair, True) for pair in row.same] + [(pair, False) for pair in row.different]
    for (first, second), same in pairs:
        for tail in ("#Sec-1", "?Q-1", "?a#B-x", "#-", "?;vers=0", "#:X%c3"):
            assert (key(f"{first}{tail}") == key(f"{second}{tail}")) is same, (nid, first, second, tail)
            found = parse(f"{first}{tail}")
            upper = re.sub("%..", lambda match: match[0].upper(), tail)
            assert found.key == f"{key(first)}{upper}"
            assert found.urn is not None
            assert dict(found.urn.parts) == dict(parse(first).urn.parts)  # type: ignore[union-attr]
            others = {Warn.RESERVED_CHARACTER, Warn.INVALID_IN_8141, Warn.NEEDLESS_PERCENT_ENCODING}
            assert set(found.warnings) - others == set(parse(first).warnings) - others
            assert key(f"{first}{tail}") != key(f"{first}{tail.swapcase()}") or tail.swapcase() == tail


def test_isbn_13_is_a_step_of_the_name_alone() -> None:
    options = Options(merge=["isbn-13"])
    assert key("urn:isbn:0-395-36341-1#0-395-36341-1", options=options) == "urn:isbn:9780395363416#0-395-36341-1"


def test_the_form_for_people_of_a_tag_maps_back() -> None:
    """A9: triplets that no character would give again stay."""
    for text, iri in (
        ("tag:e.example,2000:%C3%BC", "tag:e.example,2000:ü"),
        ("tag:e.example,2000:%c3%bc", "tag:e.example,2000:%c3%bc"),
        ("tag:e.example,2000:ü", "tag:e.example,2000:ü"),
    ):
        assert parse(text).iri == iri
        assert key(iri) == key(text)


@pytest.mark.parametrize(
    "text",
    [
        "tag:foo:bar",
        "tag:",
        "tag:a,20:b",
        "tag:-a,2000:b",
        "tag:e.example,2000-1:a",
        "tag:é.example,2000:a",
        "tag://e/a",
    ],
)
def test_a_tag_is_never_rejected_for_its_syntax(text: str) -> None:
    """B1: RFC 4151 2.1."""
    found = parse(text)
    assert Warn.SCHEME_SYNTAX in found.warnings
    assert next(notice.detail for notice in found.notices if notice.warn is Warn.SCHEME_SYNTAX) == "RFC 4151 2.1, 2.4"


@pytest.mark.parametrize(
    "text", ["tag:e.example,2000:a", "tag:a_b@e-f.example,2000-01-31:", "tag:e.example,2000:%41?/#a", "tag:a,2000:b"]
)
def test_a_tag_of_its_syntax_has_no_warning(text: str) -> None:
    assert parse(text).warnings == ()
    assert isinstance(check("tag:a b"), Rejection)  # the generic grammar holds for all


BRACKETED = [  # B2: text, what is found of it
    ("call sip:bob@[2001:db8::1]:5060 now", "sip:bob@[2001:db8::1]:5060"),
    ("sip:alice@[2001:db8::9:1]", "sip:alice@[2001:db8::9:1]"),
    ("(sip:alice@[2001:db8::9:1])", "sip:alice@[2001:db8::9:1]"),
    ("[sips:alice@[::1]]", "sips:alice@[::1]"),
    ("see sip:[2001:db8::1], or", "sip:[2001:db8::1]"),
    ("<sip:alice@[::1];transport=udp>", "sip:alice@[::1];transport=udp"),
    ("sip:a@[::1]?x=y.", "sip:a@[::1]?x=y"),
    ("sip:a@[::1][2]", "sip:a@[::1]"),
    ("sip:a@e.example[1]", "sip:a@e.example"),
    ("mailto:a@[::1] im:a@[::1] http://e.example/a@[::1]", "http://e.example/a@"),
    ("sip:a@[zz] sip:a@[1.2.3.4]", None),
]


@pytest.mark.parametrize(("text", "expected"), BRACKETED)
def test_an_address_in_brackets_is_found(text: str, expected: str | None) -> None:
    for pieces in ([text], list(text)):
        scanner = Scanner()
        found = [one for piece in pieces for one in scanner.feed(piece)] + scanner.close()
        assert [one.raw for one in found if isinstance(one, Record)] == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [  # RFC 5954 4.2
        ("sip:bob@[::ffff:192.0.2.128]", "sip:bob@[::ffff:c000:280]", True),
        ("sip:bob@[2001:db8::9:1]", "sip:bob@[2001:DB8::9:01]", True),
        ("sip:bob@[0:0:0:0:0:FFFF:129.144.52.38]", "sip:bob@[::FFFF:129.144.52.38]", True),
        ("sip:bob@[2001:db8::9:1]", "sip:bob@[2001:db8::91]", False),
        ("sip:bob@[::1]", "sips:bob@[::1]", False),
        ("sip:bob@[::1]", "sip:bob@[::1]:5060", False),
    ],
)
def test_addresses_are_compared_not_their_texts(first: str, second: str, same: bool) -> None:
    assert (key(first) == key(second)) is same
    for text in (first, second):
        found = parse(text)
        assert Warn.BRACKET_OUTSIDE_HOST in found.warnings
        assert found.uri.count("[") == 1
        assert parse(found.uri).uri == found.uri
        assert parse(text, options=Options(repair="encode")).uri == found.uri


@pytest.mark.parametrize(
    "text",
    [
        "im:a@[::1]",
        "mailto:a@[::1]",
        "sip:a@[::1",
        "sip:a@[::1]]",
        "sip:[::1]@e.example",
        "sip:[::1]:a@e.example",
        "sip:a@b@[::1]",
        "foo:[::1]",
    ],
)
def test_brackets_elsewhere_are_rejected(text: str) -> None:
    found = check(text)
    assert isinstance(found, Rejection)
    assert found.reason in (Reason.BRACKET_OUTSIDE_HOST, Reason.SCHEME_SYNTAX)


WARNED = """
file: file:x file:// file://h file:///a?x file://u@h/a file://h:80/a file:////a tel:+1;ext=a tel:+1;phone-context=
tel:+1;ext= tel:1;phone-context=-a tel:%2B1 tel:+1;x=a,b sms:+1;ext=x sms:+1,+2;phone-context= data:a,b data:a/b;c,d
data:text/,x data:;base64;a=b,x acct:a/b@h acct:%41/@h acct:ü@h acct:a:b@h info:a/b?c dns:a/b dns://h dns://u@h/a
mailto:a..b@h mailto:.a@h mailto:a.@h mailto:a=b@h mailto:a@b..c mailto:a@b.c,a(b)@h ldap:c=GB ldap://h?c
ldap://h/c=GB?a?all ldap://h/????? ldap://u@h/ ldaps:c=GB sip:a@-h sip:a@h_x sip:h- sip:444.555.666.777 sip:a@1
sip:a@b..c nntp:a.b/1 nntp://h/a.b/c nntp://h/a*b telnet:h telnet://h/x tn3270://h/a/
"""
NOT_WARNED = """
file:/a file:/// file:///a file://h.example/a/b file://localhost/a file:///a//b file:///C:/a file://[::1]/a
tel:+1;ext=1-2 tel:7;phone-context=+1 tel:7;phone-context=e.example. tel:+1;isub=a?b tel:+1;x=%5B tel:+1;a;b=c
tel:%2306%23;phone-context=a sms:+1,+2?body=a,b sms:+1;ext=2,+3 data:,x data:a/b,c
data:image/svg+xml;charset=utf-8;base64,eA==
data:;charset=utf-8,x data:text/plain;a=%22b%20c%22,d acct:a@h acct:a%40b@h.example acct:a;b@h
info:a/b#c info:a/ info:ddc/22/eng//004.678
dns:a dns: dns://h/a dns://h:53/a?type=a dns:a%5C.b mailto:a@b mailto:a.b+c@d.example,e@f.example mailto:?to=a@b
mailto:ü@h.example mailto:%22a%20b%22@h mailto:a@h?subject=a/b ldap:///c=GB ldap://h ldap://h/c=GB?a,b?sub?(a=b)?!x=y
ldap://[::1]:389/ ldap:///??sub??x sip:a@h sip:h.example sip:a@h-1.example. sip:192.0.2.1
sip:a:b@h:5060;lr?x=y sip:+1-2;ext=3@h nntp://h/a.b nntp://h/a.b/12
telnet://h telnet://u:p@h:24/ tn3270://h/
"""


@pytest.mark.parametrize("text", WARNED.split())
def test_what_leaves_the_syntax_of_its_scheme_has_a_warning(text: str) -> None:
    """B6: where the RFC does not say that it must be refused."""
    found = parse(text)
    assert Warn.SCHEME_SYNTAX in found.warnings
    detail = next(notice.detail for notice in found.notices if notice.warn is Warn.SCHEME_SYNTAX)
    assert detail == scheme_rule(found.scheme).reference


@pytest.mark.parametrize("text", NOT_WARNED.split())
def test_what_keeps_the_syntax_of_its_scheme_has_none(text: str) -> None:
    assert Warn.SCHEME_SYNTAX not in parse(text).warnings


@pytest.mark.parametrize("text", ["ws://h/#a", "wss://h.example/a?b#c", "ws://h/?#", "wss://h/ü#x"])
def test_a_fragment_where_its_rfc_forbids_one(text: str) -> None:
    """B6: RFC 6455 3, "MUST NOT be used on these URIs"."""
    found = check(text)
    assert isinstance(found, Rejection)
    assert (found.reason, found.component) == (Reason.SCHEME_SYNTAX, Component.FRAGMENT)
    assert (found.section, found.offset) == ("RFC 6455 3", text.index("#"))
    assert isinstance(check(text.partition("#")[0]), Record)
    assert isinstance(check(text.replace("#", "%23")), Record)
    assert isinstance(check(text.replace("ws", "http", 1).replace("wss", "https", 1)), Record)


# B7: hosts, by whether a web link may have them: a rejection, a warning, or nothing.
HOSTS = [
    ("abc", "valid"),
    ("-abc", "rejected"),
    ("abc-", "rejected"),
    ("_abc", "rejected"),
    ("abc_", "rejected"),
    ("abc_.", "rejected"),
    ("a_b", "warned"),
    ("a-b", "valid"),
    ("a.abc", "valid"),
    ("a.-abc", "rejected"),
    ("a.abc-", "rejected"),
    ("a._abc", "rejected"),
    ("a.abc_", "rejected"),
    ("a.a_b", "warned"),
    ("-a.abc", "rejected"),
    ("a-.abc", "rejected"),
    ("_a.abc", "warned"),
    ("a_.abc", "warned"),
    ("a_b.abc", "warned"),
    ("-a.b.abc", "warned"),
    ("a-.b.abc", "warned"),
    ("_a.b.abc", "warned"),
    ("a_.b.abc.", "warned"),
    ("a.-b.abc", "rejected"),
    ("a..abc", "rejected"),
    (".abc", "rejected"),
    ("xn--", "rejected"),
    ("%2Dabc", "rejected"),
]


@pytest.mark.parametrize(("host", "expected"), HOSTS)
def test_labels_in_every_place(host: str, expected: str) -> None:
    for scheme in ("http", "ws", "ftp"):
        found = check(f"{scheme}://{host}/")
        if isinstance(found, Rejection):
            assert expected == "rejected"
            assert found.component == Component.HOST
        else:
            assert expected == ("warned" if Warn.HOST_NOT_LDH in found.warnings else "valid")
    other = check(f"rtsp://{host}/")  # where the host is a name of the DNS by use only, it is a warning
    assert isinstance(other, Record)
    assert (Warn.HOST_NOT_LDH in other.warnings) is (expected != "valid")


@pytest.mark.parametrize("text", ["urn:foo:%C3%BC", "URN:foo:%c3%bc?%C3%BC#%C3%BC", "urn:foo:a"])
def test_a_urn_keeps_its_triplets(text: str) -> None:
    """B9: as in `Record.iri`; nothing in a URN is decoded (RFC 2141 5)."""
    assert to_iri(text) == text
    assert "ü" not in parse(text).iri
    assert to_iri("foo:%C3%BC") == "foo:ü"


SECTIONS = [  # B10: what holds a rule, the section that `explain` and the tables name
    ("urn:etsi:A", "RFC 8515 2"),
    ("urn:service:SOS", "RFC 5031 3"),
    ("urn:urn-7:A", "RFC 6050 4.4"),
    ("acap://h.example:674/", "RFC 2244 3.2"),
    ("snmp://h.example:161/", "RFC 4088 3"),
    ("ipp://h.example:631/", "RFC 3510 4.2"),
    ("vnc://h.example:5900", "RFC 7869 2.1.1"),
    ("news://h.example:119/a", "RFC 5538 2"),
    ("sip:A.example", "RFC 3261 19.1.4"),
    ("geo:1.0,2", "RFC 5870 3.4.4"),
    ("acct:a@B", "RFC 7565 4"),
    ("ni:///sha-256-32;UyaQVw?ct=a", "RFC 6920 2"),
    ("info:A/b", "RFC 4452 4.1, 5"),
]


@pytest.mark.parametrize(("text", "section"), SECTIONS)
def test_the_section_that_holds_the_rule(text: str, section: str) -> None:
    explained = explain(text)
    named = [step.section for step in explained.steps]
    if explained.key_step is not None:
        named.append(explained.key_step.section)
    assert any(re.search(rf"{re.escape(section)}(?![.0-9])", one) for one in named), named


def test_sections_of_tables() -> None:
    """B10: without a step of their own."""
    assert default_ports()["sieve"] == ("4190", "no", "RFC 5804 1.8")
    assert "4516" not in scheme_rule("ldaps").reference
    assert namespace_rule("etsi").reference == "RFC 8515 2"
    assert scheme_rule("acap").reference == "RFC 2244 3.2"
