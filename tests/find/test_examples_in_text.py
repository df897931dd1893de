"""Every valid example is found in text: those of the rows, of the RFCs, and of the requirements (E9).

Each is found whole, with the key that it has alone, after a blank and in angle brackets, or it stands in one of two
tables with the reason. The tables are held to the truth: what is found and named fails the test too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Final

import pytest

from tests.helpers.marked_rows import Row, holds
from tests.helpers.shared_folder import shared_rows
from tests.rules import test_rfc_rules as rfc_rules
from tests.rules.test_schemes import VALID
from tests.whole import test_requirements as requirements
from tests.whole.requirements_table import PROVED
from urisieve import Record, check, sieve
from urisieve.rules.namespace_table import built_in
from urisieve.rules.scheme_table import described, scheme_rule

# What RFCs give as examples, and what was not found once.
EXAMPLES: Final = """
ftp://ftp.is.co.za/rfc/rfc1808.txt http://www.ietf.org/rfc/rfc2396.txt mailto:John.Doe@example.com
news:comp.infosystems.www.servers.unix tel:+1-816-555-1212 telnet://192.0.2.16:80/ ldap://[2001:db8::7]/c=GB?objectClass?one
urn:oasis:names:specification:docbook:dtd:xml:4.1.2
data:,A%20brief%20note data:text/html;charset=utf-8,a data:;charset=utf-8,a%20b data:;base64,SGk=
info:pii/S0888-7543(02)96852-7 INFO:PII/S0888-7543(02)96852-7 info:ddc/22/eng//004.678 info:lccn/2002022641
stun:example.org stuns:example.org stun:example.org:8000 stun:[2001:db8::1]:3478 stun:192.0.2.1
turn:example.org turns:example.org turn:example.org:8000 turn:example.org?transport=udp turns:example.org?transport=tcp
xmpp:example.com xmpp:example.com?disco xmpp:juliet@example.com/balcony
xmpp:example-node@example.com?message;subject=Hello
pkg:npm/foobar@12.3.1 pkg:deb/debian/curl@7.50.3-1?arch=i386&distro=jessie
pkg:golang/google.golang.org/genproto#googleapis/api
pkg:npm/%40angular/animation@12.3.1 pkg:docker/cassandra@sha256:244fd47e07d1004f0aed9c
hdl:2027/1 hdl:20.500.12345/678 hdl:10568/1234 hdl:21.T11148/abc hdl:10.1000/182
sip:alice@atlanta.com sip:alice:secretword@atlanta.com;transport=tcp
sips:alice@atlanta.com?subject=project%20x&priority=urgent
sip:+1-212-555-1212:1234@gateway.com;user=phone sips:1212@gateway.com sip:alice@192.0.2.4
sip:atlanta.com;method=REGISTER?to=alice%40atlanta.com sip:alice;day=tuesday@atlanta.com
sip:+1555;npdi;rn=+1556@gw;user=phone tel:+358-555-1234567;postd=pp22 tel:7;ext=22 sms:+1?body=hi
"""

TRIMMED: Final = "a mark at its end is taken for one of the sentence"
NOT_CURATED: Final = "without `//` such a scheme is a name with a colon, as of code"
SHAPELESS: Final = "it has too little of its scheme: in running text the same stands for something else"
NO_GRAMMAR: Final = "its scheme has no grammar by which angle brackets could show it, or it breaks that grammar"
EMPTY: Final = "nothing follows the colon"

# By the place, and the reason. In angle brackets nothing is trimmed.
NOT_BARE: Final = {
    TRIMMED: """
http://e.example/a? https://e.example/a? ws://e.example/a? wss://e.example/a? coap://e.example/a? coaps://e.example/a?
coap+tcp://e.example/a? coaps+tcp://e.example/a? coap+ws://e.example/a? coaps+ws://e.example/a? ipp://e.example/a?
ipps://e.example/a? gopher://e.example/1? gopher://e.example? gopher://h.example/? news://news.example/a.
news://news.example/.. news://h.example/.. sms:+1510;x=! sms:+15105550101?body=! sms:+1?body=!
STUN:192.0.2.1: STUNS:192.0.2.1:
ldap://ldap.example.net/? ldap://e.example/c=GB???? ldap:///c=GB?a?sub? ldaps://ldap.example.net/?
ldaps://e.example/c=GB???? ldaps:///c=GB?a?sub? http://e/? http://a/b/.. http://e.com/@:
""",
    SHAPELESS: """
news:* news:a%2Bb dns:host.example dns:host.example. dns:. dns:e.example dns:a%5C. dns:a%5C dns:?type=ns
data:,x data:,X data:,a,b bitcoin:1abc bitcoin:1Abc pkg:NPM/foobar@12.3.1
info:pii/a%2A%27%21 info:pii/a*'!  tel:+1;x=%21 tel:+1;x=! tel:+1%2D2 tel:+12 sms:+1;x=',+12 tel:+1;x=%2B tel:+1;x=+
tel:+1;x=+1-2 tel:+1;x=+12
""",
}
NOWHERE: Final = {
    NOT_CURATED: """
foo:/./.test(x) foo:/.test(x) foo:/.//x foo:/a/..//x foo:a/../b foo:.././a foo:b a1+b-c.d:x
""",
    NO_GRAMMAR: """
javascript:/./.test(x) javascript:/.test(x) javascript:/a/../b/(x) javascript:/b/(x) JavaScript:/./.test(x)
javascript:a(%31) javascript:a(1) vbscript:/./.test(x) vbscript:/.test(x) vbscript:/a/../b/(x) vbscript:/b/(x)
vbscript:/a/../b(x) vbscript:/b(x) ABOUT:%62lank about:Blank data:/./a,b data:/a,b tag:/a/../b tag:/b
""",
    EMPTY: "news: dns: mailto: about:",
    "unknown schemes of one letter are nothing": "x://h/a/b/c/./../../g x://h/a/g",
}
# The same for the requirements of the shared folder.
REQUIRED_NOT_BARE: Final = {TRIMMED: "urn:a:()+,-.:=@;$_!*' http://e/?"}
REQUIRED_NOWHERE: Final = {
    NOT_CURATED: "g:h foo:/a/..//@@ a1+b-c.d:x foo:/.//x foo:a/../b",
    EMPTY: "about: mailto:",
}


def _named(tables: Iterable[Mapping[str, str]]) -> set[str]:
    return {text for table in tables for texts in table.values() for text in texts.split()}


def _of_rows() -> set[str]:
    schemes = (pair for row in map(scheme_rule, described()) for pair in (*row.same, *row.different))
    namespaces = (pair for row in built_in().values() for pair in (*row.same, *row.different))
    return {text for pair in chain(schemes, namespaces) for text in pair}


def _of_rfcs() -> set[str]:
    pairs = {text for row in (*rfc_rules.SAME, *rfc_rules.DIFFERENT) for text in row[1:]}
    forms = {text for _, _, *texts in requirements.FORMS for text in texts} | {
        row[1] for row in requirements.COMPONENTS
    }
    keys = {text for _, _, texts in (*requirements.ONE_KEY, *requirements.TWO_KEYS) for text in texts.split()}
    return {*EXAMPLES.split(), *VALID.split(), *pairs, *forms, *keys}


def _missed(texts: Iterable[str], marked: str) -> set[str]:
    """Return the valid ones of some texts that are not found whole, where `marked` has a bar."""
    missed = set()
    for text in texts:
        alone = check(text)
        if isinstance(alone, Record):
            found = list(sieve(marked.replace("|", text)))
            if [(one.raw, getattr(one, "key", None)) for one in found] != [(text, alone.key)]:
                missed.add(text)
    return missed


@pytest.mark.parametrize(("marked", "exceptions"), [("see | now", (NOT_BARE, NOWHERE)), ("<|>", (NOWHERE,))])
def test_the_examples_are_found(marked: str, exceptions: tuple[Mapping[str, str], ...]) -> None:
    texts = _of_rows() | _of_rfcs()
    assert len(texts) > 1_500, "the tables are there"
    assert _missed(texts, marked) == _named(exceptions)


@pytest.mark.parametrize(
    ("marked", "exceptions"), [("see | now", (REQUIRED_NOT_BARE, REQUIRED_NOWHERE)), ("<|>", (REQUIRED_NOWHERE,))]
)
def test_the_requirements_are_found(marked: str, exceptions: tuple[Mapping[str, str], ...]) -> None:
    rows = shared_rows("spec/requirements.jsonl")
    if rows is None:
        pytest.skip("the folder shared/spec is not beside the checkout")
    assert {row["id"] for row in rows} == set(PROVED)
    assert _missed({row["input"] for row in rows}, marked) == _named(exceptions)


def test_no_exception_is_named_twice() -> None:
    for tables in ((NOT_BARE, NOWHERE), (REQUIRED_NOT_BARE, REQUIRED_NOWHERE)):
        named = [text for table in tables for texts in table.values() for text in texts.split()]
        assert sorted(named) == sorted(set(named))


# Bars stand around what is found.
BESIDE = [
    Row("data:12 data:x data: x data:, and data:,x data:,1,2,3 data:,a%zz", "E9: rows of tables, pairs of YAML"),
    Row("data:text data:;x data:;charset=utf-8 {data:,a:1} f(data:,1)", "E9"),
    Row("INFO:root:x INFO:PII/x INFO:pii/x info:x/y info:pii x", "E9: logs"),
    Row(
        "std::string stun:x stun:o.stunned turn:this.player turn:left turn:90 turn:e.turn, {turn:game.org.x}",
        "E9: code",
    ),
    Row(
        "stun:a.com(x) turn:a.com=1 turn:a.com_b turn:a.b:1a turn:1.2.3.4.5a xmpp:a xmpp: a.b xmpp:a.b1 xmpp:f.g()",
        "E9",
    ),
    Row(
        "pkg: x pkg:lib/a //x/pkg:a/b pkg:npm pkg:npm/ pkg:dev/x HDL:45/100 hdl:1.2/3 HDL:12.5/x hdl:2027 hdl:x/1", "E9"
    ),
    Row("sip: a sip:a sip:a;b sip:a,b tel:1 tel:1;x=2 tel:12 sms:1 sms:x?body=a", "E9"),
    # In angle brackets a scheme's own grammar is enough, but tags of XML are none.
    Row("<|data:,x|> <|news:*|> <|dns:e.example|> <|bitcoin:1abc|> <|tel:12|> <|sip:a;b|> <|pkg:NPM/a|>", "E9"),
    Row("<URL:|data:,x|> <|data:,x|>.", "E9"),
    Row(
        "<news:title> <news:publication_date/> <dns:name> <sip:a> <pkg:npm/> <tel:abc> <data:a> <dns:a b='c'>",
        "E9: XML",
    ),
    Row("</dns:name> <news:> <news:a b=c> <data:x,y> <data:,x y> <data:\n,x> <dns:a\nb> <foo:1,2> <dc:1/2>", "E9"),
    Row('"data:,x" "dns:e.example" (data:,x) [news:*]', "E9: other wrappers show less"),
    Row("<dns:é<|dns:1.example|> <dns:\x1b[1mx>", "E9"),
]


@pytest.mark.parametrize("row", BESIDE, ids=lambda row: row.marked)
def test_what_stands_beside(row: Row) -> None:
    holds(row)
