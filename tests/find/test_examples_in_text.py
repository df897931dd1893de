"""Every valid example is found in text: those of the rows, of the RFCs, and of the requirements (E9).

Each is found whole, with the key that it has alone, after a blank, in exact wrappers, and as a value of JSON, of a
table and of XML, or it stands in a table of exceptions with the reason. The tables are held to the truth: what is found
and named fails the test too.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

import pytest

from tests.helpers.marked_rows import Row, holds
from tests.helpers.shared_folder import shared_rows
from tests.rules import test_rfc_rules as rfc_rules
from tests.rules.test_schemes import VALID
from tests.whole import test_requirements as requirements
from tests.whole.requirements_table import PROVED
from urisieve import Record, Rejection, check, sieve, sieve_files
from urisieve.rules.scheme_table import described, scheme_rule
from urisieve.rules.table import built_in

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
xmpp:nasty!%23$%25()*+,-.;=%3F%5B%5C%5D%5E_%60%7B%7C%7D~node@example.com xmpp:a;b@e.example xmpp://guest@example.com
xmpp:node@example.com/repulsive%20!%23%22$%25&'()*+,-.%2F:;%3C=%3E%3F%40%5B%5C%5D%5E_%60%7B%7C%7D~resource
acct:juliet%40capulet.example@shoppingsite.example acct:a,b@h.example mailto:a@_dmarc.e.example
mailto:gorby%25kremvax@example.com mailto:unlikely%3Faddress@example.com?blat=foop mailto:%22not%40me%22@example.org
mailto:?to=addr1@an.example,addr2@an.example mailto:list@example.org?In-Reply-To=%3C3469A91.D10AF4C@example.com%3E
geo:48.198634,16.371648;crs=wgs84;u=40 geo:323482,4306480;crs=nad83 geo:48.2010,16.3695,183
nih:sha-256-120;5326-9057-E12F-e2b7-4ba0-7c89-2560-a2;f nih:3;532690-57e12f-e2b74b-a07c89-2560a2;f
data:text/plain;charset=iso-8859-7,%be%fa%be data:application/vnd-xxx-query,select_vcount data:a/b_c,x
data:image/svg+xml;utf8,%3Csvg news:alt.* news:24hoursupport.helpdesk news:b4s72s$1a@e.example
dns:world%20wide%20web.example%5c.domain.org?TYPE=TXT dns:simon.example.org?type=CERT
hdl:cnri.test/may95 doi:10.1/a file:c:/path/to/file jdbc:duckdb:/tmp/x.db jdbc:h2:mem:test
bitcoin:?lno=lno1abc bitcoin:tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx ethereum:example.eth
spotify:user:x:playlist:37i9dQZF1DX swh:1:ori:94a9ed024d3859793618152ea559a168bbcbb5e2
"""

TRIMMED: Final = "a mark at its end is taken for one of the sentence"
WORD: Final = "a name, a colon and a word: a tag, a permission or a port, as in `dns:read`"
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
data:,x data:,X data:,a,b bitcoin:1abc bitcoin:1Abc pkg:/npm/foobar@1
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
    "no object of an archive, whose name has 40 digits": "swh:1:rel:A",
    "unknown schemes of one letter are nothing": "x://h/a/b/c/./../../g x://h/a/g",
}
NOT_IN_VALUES: Final = {WORD: "bitcoin:1abc bitcoin:1Abc"}
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


@pytest.mark.parametrize(
    ("marked", "exceptions"),
    [("see | now", (NOT_BARE, NOWHERE)), ("<|>", (NOWHERE,)), ('"|"', (NOWHERE, NOT_IN_VALUES))],
)
def test_the_examples_are_found(marked: str, exceptions: tuple[Mapping[str, str], ...]) -> None:
    texts = _of_rows() | _of_rfcs()
    assert len(texts) > 1_500, "the tables are there"
    assert _missed(texts, marked) == _named(exceptions)


def _as_json(texts: Iterable[str]) -> str:
    return "[\n" + ",\n".join(json.dumps({"u": text}) for text in texts) + "]"


def _as_table(texts: Iterable[str]) -> str:
    table = io.StringIO(newline="")
    csv.writer(table, quoting=csv.QUOTE_ALL).writerows([("n", "u"), *enumerate(texts)])
    return table.getvalue()


def _as_xml(texts: Iterable[str]) -> str:
    return '<?xml version="1.0"?><r>\n' + "".join(f"<t>{escape(text)}</t>\n" for text in texts) + "</r>\n"


def _by_number(path: Path) -> dict[int, list[Record | Rejection]]:
    """What is found in a file, by the number of the text that holds it."""
    found: dict[int, list[Record | Rejection]] = {}
    for one in sieve_files([path]):
        found.setdefault((one.row or one.line) - 2, []).append(one)
    return found


@pytest.mark.parametrize(("ending", "written"), [("json", _as_json), ("csv", _as_table), ("xml", _as_xml)])
def test_the_examples_are_found_as_values(ending: str, written: Callable[[Iterable[str]], str], tmp_path: Path) -> None:
    valid = [one for one in map(check, sorted(_of_rows() | _of_rfcs())) if isinstance(one, Record)]
    texts = [one.raw for one in valid]
    path = tmp_path / f"a.{ending}"
    path.write_text(written(texts), "utf-8", newline="")
    found = _by_number(path)
    missed = set()
    for number, alone in enumerate(valid):
        inside = [(one.raw, getattr(one, "key", None)) for one in found.get(number, [])]
        assert inside in ([], [(alone.raw, alone.key)]), "neither a part nor a rejection"
        if not inside:
            missed.add(alone.raw)
    assert missed == _named((NOWHERE, NOT_IN_VALUES))


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
    Row("pkg: x pkg:npm pkg:npm/ pkg:react pkg:3d/x pkg:a_b/c pkg:/go/pkg", "K15: labels, mounted folders"),
    Row("HDL:45/100 hdl:1.2/3 HDL:12.5/x hdl:2027 hdl:x/1", "E9"),
    # A type is any name, so that targets of a build are taken for packages.
    Row("|pkg:lib/a| |pkg:vcpkg/zlib@1.3.1|, |pkg:NPM/foobar@12.3.1|. |PKG:brew/a|", "K15"),
    Row("see |pkg:julia/RegisterQD@0.3.1?repository_url=https://github.com/h/R&uuid=ac24| now", "K15"),
    Row('"|pkg:vcpkg/zlib@1.3.1|" (|pkg:x-y.z/a%2Fb/c@1#d/e|)', "K15, K16"),
    Row("<|xmpp:a;b@e.example|> |xmpp:a;b@e.example|; |mailto:a@_dmarc.e.example|", "K17"),
    Row("xmpp:alice,|xmpp:bob@x.example| xmpp:a;b mailto:a@ news:3.5 news:10.30 data:a/b geo:12,x jdbc:x", "K17"),
    Row("sip: a sip:a sip:a;b sip:a,b tel:1 tel:1;x=2 tel:12 sms:1 sms:x?body=a", "E9"),
    # In angle brackets a scheme's own grammar is enough, but tags of XML are none.
    Row("<|data:,x|> <|news:*|> <|dns:e.example|> <|bitcoin:1abc|> <|tel:12|> <|sip:a;b|> <|pkg:NPM/a|>", "E9"),
    Row("<URL:|data:,x|> <|data:,x|>.", "E9"),
    Row(
        "<news:title> <news:publication_date/> <dns:name> <sip:a> <pkg:npm/> <tel:abc> <data:a> <dns:a b='c'>",
        "E9: XML",
    ),
    Row("</dns:name> <news:> <news:a b=c> <data:x,y> <data:,x y> <data:\n,x> <dns:a\nb> <foo:1,2> <dc:1/2>", "E9"),
    Row('"|data:,x|" "|dns:e.example|" "URL:|news:*|" (data:,x) [news:*] `data:,x`', "K16: only exact wrappers"),
    Row(
        '"dns:read" "news:title" "sip:5060" "tag:v1.2" "data:12" "data:a.b" "INFO:root:x" "info: hello" "key:value"'
        ' "note: x" "data:,a b" "file:../x" "cid:a.png" "urn:isbn:" "urn:a.b" "mailto:%s" "tel:" "turn:left" "did:a"'
        ' "data:',
        "K16: tags, names, logs, templates",
    ),
    Row(
        '"✗mailto:abc✗" "✗magnet:x✗" <✗tel:n/a✗> "✗urn:a_b:c✗" <tel:home> <urn:getFoo> <urn:a.b> "urn:a_b"',
        "K16",
        reasons="scheme-syntax scheme-syntax scheme-syntax bad-nid",
    ),
    Row(r'"{\"u\":\"|data:,x|\"}"', "K16: a string in a string"),
    Row("<dns:é<|dns:1.example|> <dns:\x1b[1mx>", "E9"),
]


@pytest.mark.parametrize("row", BESIDE, ids=lambda row: row.marked)
def test_what_stands_beside(row: Row) -> None:
    holds(row)
