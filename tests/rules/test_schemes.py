"""The rows of schemes: their own examples, what they reject and warn of, their named parts, what stands inside."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib import import_module

import pytest

from urisieve import Options, Record, Rejection, check, extract, extract_blocks, key, normalize, parse
from urisieve.codes import Reason, Warn
from urisieve.kernel import compiled
from urisieve.rules import scheme_table as table
from urisieve.rules.registry import registered_schemes
from urisieve.rules.scheme_table import Scheme, curated, described, port_to_drop, scheme_rule, shape_of

ROWS = tuple(scheme_rule(name) for name in described())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_row_is_told(row: Scheme) -> None:
    assert row.case
    assert row.registered == (row.name in registered_schemes())
    assert scheme_rule(row.name) is row
    if row.form is not None or row.compared is not None:
        assert row.equivalence or row.case != "scheme"


def test_the_index_names_the_rows() -> None:
    by_module = {field: import_module(f"urisieve.rules.rows.{field}").ROWS for field in table._FIELDS}
    named = {field: names.replace(":", "").split() for field, names in table._FIELDS.items()}
    assert {field: sorted(names) for field, names in named.items()} == {
        field: sorted(row.name for row in rows) for field, rows in by_module.items()
    }
    assert set(curated()) == {row.name for row in ROWS if row.shape is not None}
    assert len(described()) == len(set(described())) == sum(map(len, named.values()))


def test_a_run_over_web_links_loads_the_rows_of_the_web_at_most() -> None:
    program = (
        "import sys, urisieve\n"
        "assert len(list(urisieve.extract('http://a.example/x <HTTPS://B.example/%7e>, key:value 12:30'))) == 2\n"
        "print(*sorted(name for name in sys.modules if name.startswith('urisieve.rules.rows.')))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    needed = ["urisieve.rules.rows.access"]
    assert done.stdout.split() == ([] if compiled else needed)


def test_what_is_not_known_has_the_generic_rules() -> None:
    rule = scheme_rule("no-such-scheme")
    assert (rule.name, rule.registered, rule.reference) == ("", False, "RFC 3986 3")
    assert scheme_rule("z39.50r").default_port == "210"
    assert scheme_rule("steam").registered
    assert shape_of(rule) is None
    assert "no-such-scheme" not in table._RULES


@pytest.mark.parametrize(
    ("scheme", "port", "dropped"),
    [
        ("http", "80", True),
        ("coaps", "5684", True),
        ("ipp", "631", True),
        ("ldap", "389", True),
        ("ldaps", "636", False),
        ("sip", "5060", False),
        ("sips", "5061", False),
        ("ssh", "22", False),
        ("file", None, False),
    ],
)
def test_default_ports(scheme: str, port: str | None, dropped: bool) -> None:
    rule = scheme_rule(scheme)
    assert (rule.default_port, rule.drops_port) == (port, dropped)
    assert port_to_drop(rule) == (port if dropped else None)


VALID = """
tel:+1-201-555-0123 tel:+1(201)555.0123;ext=1-2 tel:*%2306%23;phone-context=e.example tel:911;phone-context=+1
tel:+1;isub=a?b sms:+1201?body=a%20b sms:7042;phone-context=+1,+1202 sip:e.example sip:a;b?c/d@e.example;lr?x=y
sips:a:b@192.0.2.1:5061;transport=tcp data:,x data:a/b;c=d;base64,SGk= geo:0,0 geo:-90,180.000 geo:090.5,0;crs=x
geo:1,2;crs=wgs84;u=1.5;a=b geo:0,0?q=x mailto: mailto:?subject=x mailto:a%2Cb@c.example dns:e.example
dns://1.2.3.4/e.example?type=MX;class=CH dns:?type=ns did:ex:a:b did:ex:a;s=1/b?c=d did:ex:a%3Ab ni:///sha-256;abc
ni://e.example/sha-256;abc?ct=a nih:sha-256-32;53269057;b nih:6;53-26 ldap:///c=GB ldap://e.example
javascript:void(0) about:blank news:*
news://e.example/a.b%3Fc news:a%2Bb did:ex:aü did:ex:a%C3%BC ipps://My%20Printer._ipps._tcp.local/ geo:0,0;ux;crsx=1
tel:+12AB swh:1:rel:A
magnet:?xt=urn:ex:a im:a@b.example nntp://e.example/a.b/1 blob:null/9115d58c-
"""


@pytest.mark.parametrize("text", VALID.split())
def test_valid(text: str) -> None:
    assert isinstance(check(text), Record)


REJECTED = """
tel:FLOWERS tel:+AB tel:,, tel:1/2 tel:+1%202
tel:+ tel:-() tel:12;=x tel:12;a=b;;c tel:+1?a=b tel://12 sms:x sms:+1,,+2 sip:a@b@c:x sip:a@b;=x
data:text/plain data://text/plain,x geo:1 geo:91,0 geo:-90.1,0 geo:0,181 geo:0,180.5 geo:0,0;u=5;crs=wgs84
geo:0,0;u=1;u=2 geo:0,0;crs=wgs84;crs=x geo:0,0;u=x geo:100,0;crs=wgs84 geo:0.,0 mailto://a@b.example mailto:a
mailto:a@b,c dns:e.example?type=a;type=b dns:e.example?x=y did:EX:a did:ex: did:ex:a: ni:sha-256;abc ni:///sha-256 ni:///sha-256;a/b
nih:sha-256-32;5326905g nih:sha-256-32;5326;bb nih://e/6;53 doi://10.1000/1
cid://a@b about://blank urn://a ni://e.example?/sha-256;abc geo:0,0;u geo:0,0;crs geo:0,0;a;u nih:1;- nih:6;--;a
dns:e.example?claſs=IN tel:1;phone-context=+ tel:1;phone-context=+-() news://?/a
"""


@pytest.mark.parametrize("text", REJECTED.split())
def test_rejected_by_the_rules_of_the_scheme(text: str) -> None:
    found = check(text)
    assert isinstance(found, Rejection)
    if not text.startswith("urn:"):
        assert found.reason == Reason.SCHEME_SYNTAX
        assert found.section == scheme_rule(text.partition(":")[0]).reference


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("coap:a", Reason.NO_AUTHORITY),
        ("coap:///a", Reason.EMPTY_HOST),
        ("ipp:a", Reason.NO_AUTHORITY),
        ("imap:///a", Reason.EMPTY_HOST),
        ("pop:a", Reason.NO_AUTHORITY),
    ],
)
def test_an_authority_is_required(text: str, reason: Reason) -> None:
    found = check(text)
    assert isinstance(found, Rejection)
    assert found.reason == reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tel:+12015550123", {}),
        ("tel:5551212", {Warn.LOCAL_NUMBER: "5551212"}),
        ("tel:5551212;Phone-Context=+1", {}),
        ("tel:+1;ext=1;EXT=2", {Warn.REPEATED_PARAMETER: "ext"}),
        ("sms:+1201,7042?body=a&body=b", {Warn.LOCAL_NUMBER: "7042", Warn.REPEATED_PARAMETER: "body"}),
        ("sip:a@b.example;lr;lr", {Warn.REPEATED_PARAMETER: "lr"}),
        ("mailto:", {Warn.EMPTY_ADDRESS: ""}),
        ("mailto:?subject=x", {Warn.EMPTY_ADDRESS: ""}),
        ("mailto:?to=a@b.example", {}),
        ("mailto:a@b.example?cc=x&CC=y", {Warn.REPEATED_PARAMETER: "cc"}),
        ("nih:sha-256-32;53269057;b", {}),
        ("nih:sha-256-32;5326-9057;B", {}),
        ("nih:sha-256-120;5326-9057-e12f-e2b7-4ba0-7c89-2560-a2;f", {}),
        ("nih:sha-256-32;53269057;a", {Warn.WRONG_CHECK_DIGIT: "b"}),
        ("nih:3;532690-57e12f-e2b%2D4b-a07c89-2560a2;f", {Warn.WRONG_CHECK_DIGIT: "e"}),
        ("JavaScript:alert(1)", {Warn.SCRIPT: "javascript"}),
        ("vbscript:msgbox(1)", {Warn.SCRIPT: "vbscript"}),
    ],
)
def test_warned(text: str, expected: dict[Warn, str]) -> None:
    found = parse(text)
    others = {Warn.UNREGISTERED_SCHEME}
    assert dict.fromkeys(set(found.warnings) - others) == dict.fromkeys(expected)
    rule = scheme_rule(found.scheme)
    notices = () if rule.check is None else rule.check(found.components)
    assert dict(notices) == expected


# What is dialed with pauses, letters or without a context, and the canonical form; each has the warning.
DIALED = {
    "tel:+16465588656,,85012345678#": "tel:+16465588656,,85012345678#",
    "tel:+1-646-558-8656,,85012345678": "tel:+16465588656,,85012345678",
    "tel:1-800-FLOWERS": "tel:1800flowers",
    "tel:+1-800-FLOWERS": "tel:+1800flowers",
    "tel:123-456-7890p123": "tel:1234567890p123",
    "tel:+15550100w9": "tel:+15550100w9",
    "tel:+1555*12": "tel:+1555*12",
    "tel:+1555,12;ext=3": "tel:+1555,12;ext=3",
}
CARRIED: dict[str, tuple[str, Callable[[str], str]]] = {
    "text": ("links.txt", lambda text: f"Call {text} or not\n"),
    "wrapped": ("links.txt", lambda text: f"<{text}>\n"),
    "json": ("links.json", lambda text: f'{{"number": "{text}"}}'),
    "html": ("links.html", lambda text: f'<!doctype html><a href="{text}">us</a>'),
    "csv": ("links.csv", lambda text: f'id,number\n1,"{text}"\n2,"{text}"\n'),
}


@pytest.mark.parametrize("carrier", CARRIED)
@pytest.mark.parametrize("text", DIALED)
def test_what_is_dialed_is_valid_with_a_warning(text: str, carrier: str) -> None:
    found = parse(text)
    assert found.uri == DIALED[text]
    assert Warn.SCHEME_SYNTAX in found.warnings
    assert (Warn.LOCAL_NUMBER in found.warnings) is ("+" not in text)
    name, written = CARRIED[carrier]
    records = list(extract_blocks(name, written(text).encode()))
    assert {(record.uri, record.warnings) for record in records} == {(found.uri, found.warnings)}


@pytest.mark.parametrize(
    ("text", "is_expected"),
    [
        (f"swh:1:{kind}:{'0a' * 20}{more}", True)
        for kind in ("cnt", "dir", "rev", "rel", "snp")
        for more in ("", ";origin=https://a.example/b", ";lines=9-15;path=/a")
    ]
    + [
        (f"swh:1:{name}", False)
        for name in (f"xyz:{'0a' * 20}", f"cnt:{'0A' * 20}", "cnt:0a", f"cnt:{'0a' * 21}", f"dir:{'0a' * 20};x=1", "")
    ]
    + [(f"swh:2:cnt:{'0a' * 20}", False)],
)
def test_the_syntax_of_objects_of_software(text: str, is_expected: bool) -> None:
    assert (Warn.SCHEME_SYNTAX not in parse(text).warnings) is is_expected


@pytest.mark.parametrize("text", ["tel:%2B1", "tel:%2b1"])
def test_a_global_number_may_begin_with_a_triplet(text: str) -> None:
    assert parse(text).warnings == (Warn.SCHEME_SYNTAX,)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://a.example/", {}),
        ("no-such:a", {}),
        (
            "tel:+1-201-555-0123;isub=12;ext=3-4;a=b",
            {"number": "+12015550123", "isub": "12", "extension": "34", "a": "b"},
        ),
        ("tel:7042;phone-context=E.example", {"number": "7042", "phone_context": "e.example"}),
        ("sms:+1201,+1202?body=a%20b", {"recipients": "+1201,+1202", "body": "a%20b"}),
        (
            "sip:a:b@C.example:5060;Transport=TCP;lr?Subject=x",
            {
                "user": "a",
                "password": "b",
                "host": "c.example",
                "port": "5060",
                "transport": "tcp",
                "lr": "",
                "header_subject": "x",
            },
        ),
        ("sip:e.example", {"host": "e.example"}),
        (
            "mailto:a@b.example,c@d.example?cc=e@f.example&Subject=x%20y&x-a=1",
            {"to": "a@b.example,c@d.example", "cc": "e@f.example", "subject": "x%20y", "x_a": "1"},
        ),
        ("mailto:", {}),
        ("cid:a@b", {"content_id": "a@b"}),
        ("mid:a@b/c@d", {"message_id": "a@b", "content_id": "c@d"}),
        (
            "data:text/plain;charset=UTF-8;base64,SGk=",
            {"media_type": "text/plain", "parameters": "charset=utf-8", "base64": "true", "data": "SGk="},
        ),
        ("data:image/gif,a?b", {"media_type": "image/gif", "base64": "false", "data": "a?b"}),
        (
            "geo:48.20,16.3,183;u=40;a=b",
            {
                "latitude": "48.2",
                "longitude": "16.3",
                "altitude": "183",
                "crs": "wgs84",
                "uncertainty": "40",
                "a": "b",
            },
        ),
        ("geo:1,2;crs=Moon", {"coord_a": "1", "coord_b": "2", "crs": "moon"}),
        (
            "ldap://e.example:390/c=GB?a,b?SUB?(x=y)?!z=1",
            {
                "host": "e.example",
                "port": "390",
                "dn": "c=GB",
                "attributes": "a,b",
                "scope": "sub",
                "filter": "(x=y)",
                "extensions": "!z=1",
            },
        ),
        ("ldap:///", {}),
        ("imap://;AUTH=ANONYMOUS@h/", {"auth": "ANONYMOUS", "host": "h"}),
        ("msrp://h/;tcp", {"host": "h", "transport": "tcp"}),
        ("dns:E.example?type=mx", {"name": "e.example", "class": "IN", "type": "MX"}),
        (
            "dns://1.2.3.4:53/e.example",
            {"authority": "1.2.3.4", "port": "53", "name": "e.example", "class": "IN", "type": "A"},
        ),
        ("did:ex:a:b/c?d=e", {"method": "ex", "method_specific_id": "a:b", "path": "c", "query": "d=e"}),
        ("doi:10.1000/A/b", {"prefix": "10.1000", "suffix": "a/b"}),
        ("info:PII/S1", {"namespace": "pii", "identifier": "S1"}),
        ("tag:e.example,2000-01:a:b", {"authority_name": "e.example", "date": "2000-01", "specific": "a:b"}),
        ("ni://e.example/sha-256;ab?ct=x", {"host": "e.example", "algorithm": "sha-256", "digest": "ab", "ct": "x"}),
        ("nih:6;5326-9057;b", {"algorithm": "sha-256-32", "digest": "53269057", "check_digit": "b"}),
        ("acct:a@B.example", {"user": "a", "host": "b.example"}),
        (
            "xmpp://g@e.example/n@D.example/r?message;subject=x",
            {
                "authority": "g@e.example",
                "node": "n",
                "domain": "d.example",
                "resource": "r",
                "query_type": "message",
                "subject": "x",
            },
        ),
        ("xmpp:d.example", {"domain": "d.example"}),
        ("magnet:?xt=urn:ex:a&tr=x&tr=y&tr=z", {"xt": "urn:ex:a", "tr": "x", "tr_2": "y", "tr_3": "z"}),
        ("bitcoin:1abc?amount=1", {"address": "1abc", "amount": "1"}),
        ("news:a.b", {"newsgroups": "a.b"}),
        ("news://e.example/a@b", {"host": "e.example", "message_id": "a@b"}),
        ("news://e.example/", {"host": "e.example"}),
        ("nntp://e.example/", {"host": "e.example"}),
        ("nntp://e.example/a.b", {"host": "e.example", "group": "a.b"}),
        ("im:a@B.example?x=y", {"user": "a", "host": "b.example", "x": "y"}),
        ("im:?x=y", {"x": "y"}),
        ("msrp://e.example/", {"host": "e.example"}),
        ("nntp://e.example/a.b/12", {"host": "e.example", "group": "a.b", "article_number": "12"}),
        (
            "imap://u;AUTH=*@e.example/INBOX/;uid=20/;section=1?x",
            {
                "user": "u",
                "auth": "*",
                "host": "e.example",
                "mailbox": "INBOX",
                "uid": "20",
                "section": "1",
                "search": "x",
            },
        ),
        ("pop://u;AUTH=+APOP@e.example", {"user": "u", "auth": "+APOP", "host": "e.example"}),
        ("mtqp://h/TRACK/a/b/c", {"host": "h", "unique_envid": "a", "mtrk_secret": "b/c"}),
        ("mtqp://h/track/a", {"host": "h", "unique_envid": "a"}),
        ("mtqp://h/track/a/", {"host": "h", "unique_envid": "a", "mtrk_secret": ""}),
        ("mtqp://h/track/", {"host": "h"}),
        ("mtqp://h/a/b", {"host": "h"}),
        ("ftp://e.example/a;type=I", {"path": "/a", "type": "I"}),
        ("ftp://e.example/a;type=x", {"path": "/a;type=x"}),
        ("swh:1:cnt:ab;origin=x", {"version": "1", "object_type": "cnt", "object_id": "ab", "origin": "x"}),
        ("ark:/12148/a/b", {"name_assigning_authority_number": "12148", "name": "a/b"}),
        (
            "msrp://e.example:7/s;tcp;a=b",
            {"host": "e.example", "port": "7", "session_id": "s", "transport": "tcp", "a": "b"},
        ),
        ("jar:file:/a.jar!/b", {"archive": "file:/a.jar", "entry": "b"}),
        ("jdbc:h2:mem:x", {"subprotocol": "h2", "subname": "mem:x"}),
        ("javascript:a(1)?b:c", {"code": "a(1)?b:c"}),
    ],
)
def test_named_parts(text: str, expected: dict[str, str]) -> None:
    assert parse(text).parts == expected


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("view-source:HTTP://e.example/a?b#c", "HTTP://e.example/a?b#c"),
        ("feed:https://e.example/", "https://e.example/"),
        ("feed://e.example/", None),
        ("blob:https://e.example/9115d58c", "https://e.example/9115d58c"),
        ("blob:null/9115d58c", None),
        ("jar:jar:file:/a.jar!/b.jar!/c", "jar:file:/a.jar!/b.jar"),
        ("jar:a", None),
        ("jdbc:postgresql://h.example/db?a=b", "postgresql://h.example/db?a=b"),
        ("magnet:?dn=x&xt=urn:ex:a", "urn:ex:a"),
        ("magnet:?dn=x", None),
        ("filesystem:http://e.example/temporary/a", "http://e.example/temporary/a"),
        ("http://a.example/http://b.example/", None),
        ("mailto:a@b.example", None),
    ],
)
def test_inner(text: str, inner: str | None) -> None:
    found = parse(text)
    assert found.inner == inner
    if inner is not None and ":" in inner:
        assert isinstance(check(inner), Record)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see javascript:alert(1) or javascript:history.back()", ["javascript:alert(1)", "javascript:history.back()"]),
        ("JavaScript:window.open('x') x", ["javascript:window.open('x')"]),
        ("(javascript:document.title=1)", ["javascript:document.title=1"]),
        ("vbscript:MsgBox%28%22x%22)", ["vbscript:MsgBox%28%22x%22"]),
        ("In javascript: a word; javascript:a b, javascript:the next, javascript:x(y) javascript:;", []),
        ("{javascript:function(a){}, javascript:require('x')} javascript:f()", []),
        ("dns:e.example DNS:*.e.example dns:8.8.8.8, dns:e.example?type=MX.", ["dns:e.example?TYPE=MX"]),
        ("jdbc:postgresql://h.example/db jdbc:x:y jdbc:driver", ["jdbc:postgresql://h.example/db"]),
        ("feed:https://e.example/a feed:me feed:us", ["feed:https://e.example/a"]),
        ("blob:https://e.example/9115d58c blob:abc blob:null", ["blob:https://e.example/9115d58c"]),
        ("jar:file:/a.jar!/b jar:pickles", ["jar:file:/a.jar!/b"]),
        ("filesystem:http://e.example/temporary/a filesystem:ext4", ["filesystem:http://e.example/temporary/a"]),
        ("tel:*%2306%23 tel:+1-201-555-0123.", ["tel:*%2306%23", "tel:+12015550123"]),
        ("data:IMAGE/gif;BASE64,R0lG", ["data:image/gif;base64,R0lG"]),
    ],
)
def test_found_without_slashes(text: str, expected: list[str]) -> None:
    assert [found.uri for found in extract(text)] == expected


@pytest.mark.parametrize(
    "outer",
    ["feed:{}", "blob:{}", "jar:{}!/b", "filesystem:{}", "view-source:{}", "view-source:view-source:{}"],
)
def test_the_password_of_an_inner_identifier_is_masked(outer: str) -> None:
    found = check(outer.format("http://u:secret@e.example/a"))
    assert isinstance(found, Record)
    assert Warn.PASSWORD_PRESENT in found.warnings
    masked = found.masked(lambda password: f"digest of {password[:0]}")
    assert "secret" not in str([masked.as_dict(), masked.parts, masked.inner, str(found), repr(found)])
    other = check(outer.format("http://u:other@e.example/a"))
    assert isinstance(other, Record)
    assert other.masked(str.upper).key != found.masked(str.upper).key


def test_a_key_may_hold_less_than_the_uri() -> None:
    found = parse("ni://E.example/sha-256;AbC?ct=text/plain")
    assert found.uri == "ni://e.example/sha-256;AbC?ct=text/plain"
    assert found.key == "ni:///sha-256;AbC"
    assert parse(found.key).key == found.key
    assert key(found.uri, options=Options(level="syntax")) == found.uri


@pytest.mark.parametrize("row", [row for row in ROWS if row.form is not None], ids=lambda row: row.name)
def test_below_level_scheme_no_rule_is_applied(row: Scheme) -> None:
    for first, _ in row.same:
        for level in ("none", "syntax"):
            lower = first.partition(":")[0].lower() + ":" + first.partition(":")[2]
            assert normalize(lower, level).count("%") <= lower.count("%")
    merged = [pair for pair in row.same if normalize(pair[0], "syntax") != normalize(pair[1], "syntax")]
    assert merged
