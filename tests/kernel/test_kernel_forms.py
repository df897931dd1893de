"""Single identifiers that the kernel decides about itself, scheme by scheme, against the judge."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.strategies import examples
from urisieve import Namespace, Options, Profile, Scheme, check, extract, key, normalize
from urisieve.finding_options import DEFAULT_OPTIONS
from urisieve.judge.judge import Judged, judge, quick_judge
from urisieve.judge.proofs import proofs_of
from urisieve.judge.validate import Fault
from urisieve.kernel import compiled, kernel
from urisieve.merging import NAMED_STEPS, PROFILES
from urisieve.options import MergeStep, UrnSyntax
from urisieve.rules.scheme_table import built_in_names, scheme_rule
from urisieve.rules.table import own_rows

pytestmark = pytest.mark.skipif(not compiled, reason="compares the kernel with Python")

ROWS: list[Scheme | Namespace] = [*map(scheme_rule, built_in_names()), *own_rows().values()]
TEXTS = tuple(dict.fromkeys(text for row in ROWS for pair in (*row.same, *row.different) for text in pair))

# What people write, without warnings.
DECIDED = [
    "sip:alice@atlanta.example:5060;transport=tcp",
    "sips:b.example;B=x;method=REGISTER?to=a&Subject=x",
    "sip:1.2.3.4",
    "sip:a?/b@C.example?x#y",
    "tel:+1-201-555-0123",
    "tel:+1(201)5;x=%3B;ISUB=a;ext=3-4#y",
    "tel:+1;ext=-",
    "tel:7042;phone-context=Example.com",
    "tel:911;phone-context=+1-201",
    "sms:+15105550101,+1-2;ext=(3)?body=a%20b",
    "mailto:a@b.example?Subject=x&CC=y",
    "mailto:A.b+c@D.example,e@F.example",
    "mailto:%22a%22@b.example",
    "cid:a@B",
    "doi:10.1000/ABC%C3%89?X#Y",
    "pkg:npm/%40a/Foo@1:2%2B?a=B#c/D",
    "pkg:github/a-b/c.d@1",
    "oid:1.3.6.1.4.1.343",
    "did:ex:a:b#K",
    "mid:a@b/c@d",
    "view-source:https://e.example/A",
    "about:blank",
    "ark:12025/654xz321",
    "http://user@a.example/",
    "file:///a?b",
    "magnet:?xt=urn:ex:a",
    "magnet:?dn=A&xt=urn:btih:abababababababababababababababababababab&tr=x",
    "http://[2001:DB8:0:0::1]:80/x",
    "http://[::ffff:1.2.3.4]/",
    "http://[::FFFF:102:304]",
    "http://[::ffff:0:0]:8080",
    "https://u@[1:2:3:4:5:6:7:8]:8443?q#f",
    "ftp://[::]/",
    "http://[1:0:0:2:0:0:0:3]/",
    "http://[1:0:2:0:3:0:4:0]/",
    "http://[1::4:5:6:7:8]/",
    "http://[0:0:0:0:0:0:0:0]/",
    "http://[1:2:3:4:5:6:7::]/",
    "http://[::2:3:4:5:6:7:8]/",
    "http://[1:2:3:4:5:6:1.2.3.4]/",
    "urn:isbn:978-0-306-40615-7",
    "URN:ISBN:0-8044-2957-x",
    "urn:issn:0317-8471",
    "urn:issn:2434561x",
    "urn:uuid:F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
    "urn:nbn:DE:101:1-201907280240175770A",
    "urn:nbn:fi-fe201003181511",
    "urn:oid:1.2.3",
    "urn:web3d:media:x",
    "urn:ietf:params:xml:ns:XMPP",
    "urn:IETF:RFC:2141",
    "urn:lex:it:Stato:legge:2003-09-21;456",
    "urn:ietf:a%c3%BC",
    "urn:iso:std:ISO:9999:-1:ed-1:en",
    "urn:fdc:Example.com:2002:A",
    "urn:example:a:B",
    "urn:service:SOS.police",
]
# What has a warning, or a rule that only the judge knows.
LEFT = (
    *[
        "http://[1::2::3]/",
        "urn:nbn:de:bvb:19-146642",
        "http://[:1:2:3:4:5:6:7:8]/",
        "http://[1:2:3:4:5:6:7:8:9]/",
        "http://[1:2:3:4:5:6:7:8::]/",
        "http://[1:2:3:4:5:6:7:]/",
        "http://[:::]/",
        "http://[12345::]/",
        "http://[1.2.3.4::]/",
        "http://[1::1.2.3.256]/",
        "http://[1::1.2.3.4:5]/",
        "http://[1:2:3:4:5:6:7:1.2.3.4]/",
        "http://[g::]/",
        "http://[]/",
        "http://[::1",
        "http://[::1]x/",
        "http://[::1]:99999/",
        "http://[v1.x]/",
        "http://[fe80::1%25eth0]/",
        "file:/\xa0/h:p@x",
        "ark:/12025/654xz321",
        "ark:12025/65-4xz321",
        "pkg:NPM/Foo@1?a=B",
        "pkg:npm/a//b",
        "pkg:npm/a/",
        "pkg:npm/a@",
        "pkg:npm/a+b",
        "pkg:npm/a@1%3A2",
        "pkg:npm/@a/b",
        "pkg:npm/a?b=c&a=d",
        "pkg:npm/a?B=c",
        "pkg:npm/a?b=",
        "pkg:npm/a?b=c/d",
        "pkg:npm/a#b/../c",
        "pkg:npm/a#.",
        "pkg:npm/a#b/",
        "pkg:github/A/b",
        "pkg:pypi/a_b",
        "pkg:pypi/a",
        "magnet:?xt=urn:btih:ABABABABABABABABABABABABABABABABABABABAB",
        "magnet:?dn=a&xt=URN:btih:abababababababababababababababababababab",
        "magnet:?xt.1=urn:btih:VOV2XK5LVOV2XK5LVOV2XK5LVOV2XK5L",
        "magnet:?xt=urn:btmh:1220",
        "tel:911",
        "tel:+1;a=1;A=2",
        "tel:%2B1",
        "tel:+1?x",
        "tel:+1;x=%21",
        "tel:+1;%61=2",
        "sms:+1,911",
        "sms:+1?a=1&a=2",
        "sip:a:b@c.example",
        "sip:b.example;a=1;a=2@",
        "sip:b.example;a=1@c:x",
        "sip:a@b.example;x=c@d",
        "sip:[::1]",
        "sip:b.examp#le;x=ato:a@b.example",
        "mailto:a@b.example?to=c@d.example",
        "mailto:?subject=x",
        "mailto:a@b%C3%BC.c",
        "mailto:a..b@c",
        "mailto:a@b?x=1&X=2",
        "urn:isbn:0-306-40615-7",
        "urn:issn:0317-8470",
        "urn:isbn:x",
        "urn:ex:a",
        "urn:example:a/b",
        "urn:example:%41",
        "urn:example:%00",
        "urn:example:a%C3%",
        "urn:example:",
        "urn:example:é",
        "urn:isbn\0:0395363411",
        "urn:x-a:b",
        "urn:urn-7:a",
        "urn:dev:ow:264437f5000000ed",
        "urn:isan:1881-66C7-3420-6541-Y",
        "doi:11.1/a",
        "view-source:http://u:p@h/",
        "did:ex://u:p@h",
        "about:/../x",
        "about://x",
        "javascript:alert(1)",
        "hdl:2027/1",
        "tag:e.example,2000:a",
        "nih:sha-256-32;53269057",
        "jdbc:mysql:a",
        "data:,x",
    ],
    "tel:+1;" + ";".join(f"p{number}=1" for number in range(40)),
    "sip:b.example;x=" + "a" * 600,
    "urn:oid:1" + ".1" * 200,
    "doi:10.1/\ud800",
)


def is_decided(text: str) -> bool:
    """Whether the kernel has a form for a text; it is then that of the judge, under each syntax of URNs."""
    form = proofs_of(DEFAULT_OPTIONS).canonical(text)
    if form is None:
        return False
    for syntax in UrnSyntax:
        judged = judge(text, Options(urn_syntax=syntax))
        assert isinstance(judged, Judged), text
        assert judged[:2] == (form, form), text
        assert {*judged.warnings} <= {"userinfo-present", "scheme-syntax"}, text
    again = proofs_of(DEFAULT_OPTIONS).canonical(form)
    assert again == form or (again is None and text[:4].lower() == "file"), text
    return True


@pytest.mark.parametrize("text", DECIDED)
def test_what_people_write_is_decided_by_the_kernel(text: str) -> None:
    assert is_decided(text)
    judged = judge(text, DEFAULT_OPTIONS)
    record = check(text)
    assert isinstance(judged, Judged)
    assert record
    assert (record.raw, record.uri, record.key, record.warnings) == (text, judged.uri, judged.key, judged.warnings)
    assert record.components == judged.parts


@pytest.mark.parametrize("text", LEFT)
def test_the_rest_is_left_to_the_judge(text: str) -> None:
    assert not is_decided(text)


# The rows with a rule of their own, and those whose schemes or examples have a warning.
JUDGED = """
    gopher ftps ldap ldaps dns telnet tn3270 git+ssh svn+ssh mtqp news nntp snews stun stuns turn turns xmpp acct im
    pres msrp msrps data geo javascript vbscript jdbc urn info tag ni nih
    urn:isan urn:eidr urn:smpte urn:web3d urn:gsma urn:dev urn:urn-7
"""


def test_examples_of_rows_are_decided_by_the_kernel() -> None:
    decided = {text for text in TEXTS if is_decided(text)}
    left = []
    for row in ROWS:
        if decided.isdisjoint(text for pair in (*row.same, *row.different) for text in pair):
            left.append(row.name if isinstance(row, Scheme) else f"urn:{row.name}")
    assert left == JUDGED.split()


# Links that are not valid, by the first fault, and others that have none or one that only the judge knows.
FAULTS = [
    "http://a_b..c/",
    "http://-a.b.example/",
    "http://-a.example/",
    "http://a-.example",
    "http://a.example-/",
    "http://a.b_/",
    "http://a.b_c/",
    "http://_a.b.c-/",
    "http://_a/",
    "http://a..b./",
    "http://./",
    "http://../",
    "http://a!b/",
    "http://xn--/a..b",
    "http://a.xn--zz--z..b/",
    "ftp://a_b-/",
    "rsync://a_b-/",
    "http://a.example:80ab/x",
    "http://a.example:8%30/",
    "http://u@v@a.example/",
    "http://u:%4@a.example/",
    "http://a.example/%zz?q#f#g",
    "http://a.example/?%",
    "http://a.example/#a#b",
    "http://a.example/{x}?[1]",
    "http://a.example/x]",
    "http://a.example/x y",
    "http://a.example/é%",
    "http://a.example/x\x7f",
    "http://[::1/",
    "http://u@[::g]/%",
    "http:///x%",
    "http://",
    "http:x%",
    " http://a.example/%",
    "http://a.example/% ",
    "nothing://a.example/%",
]
HOSTS = [
    "bücher.example",
    "BÜCHER.example",
    "xn--bcher-kva.example",
    "XN--Bcher-kva.example",
    "bücher.",
    "漢字.example",
    "b%C3%BCcher.example",
    "bu\u0308cher.example",
    "\u0430pple.example",
    "a\u200db.example",
    "\u05d0.example",
    "xn--zzz.example",
    "bücher_.example",
]
_OPTIONS = [
    DEFAULT_OPTIONS,
    Options(level="syntax"),
    Options(charset="legacy"),
    Options(repair="encode"),
    Options(spoofing="warn"),
    *(Options(merge=name) for name in ("page", "archive-key")),
]


def judge_both(text: str, options: Options) -> Judged | Fault:
    """Judge a text twice by way of the kernel, which may learn its host, and compare with the judge."""
    judged = judge(text, options)
    for _ in range(2):
        found = quick_judge(text, options)
        if isinstance(judged, Judged):
            assert isinstance(found, Judged)
            assert (found.uri, found.key, found.warnings) == (judged.uri, judged.key, judged.warnings), text
        else:
            assert found == judged, text
    return found


@pytest.mark.parametrize("options", _OPTIONS)
def test_faults_and_hosts_are_those_of_the_judge(options: Options) -> None:
    for text in FAULTS:
        judge_both(text, options)
    for host in HOSTS:
        for text in (
            f"http://{host}",
            f"HTTPS://{host}:80/ü?x#y",
            f"http://u@{host}/",
            f"ws://{host}/",
            f"http://{host}:a/",
        ):
            judge_both(text, options)


def test_common_faults_are_found_by_the_kernel() -> None:
    with patch("urisieve.judge.judge.judge", side_effect=AssertionError("the judge is asked")):
        for text in ("http://a_b..c/", "http://a.example:80ab/", "http://a.example/%zz", "http://a.example/{x}"):
            assert not check(text)


def test_a_host_is_judged_once() -> None:
    for host in ("bücher.example", "xn--bcher-kva.example"):
        assert check(f"http://{host}/")
        with patch("urisieve.judge.judge.judge", side_effect=AssertionError("the judge is asked")):
            assert normalize(f"https://{host}/é") == "https://xn--bcher-kva.example/%C3%A9"
            (record,) = extract(f"See http://{host}/x.")
            assert record.uri == "http://xn--bcher-kva.example/x"
            assert (
                key(f"http://{host}/x?b=1&a=1", options=Options(merge="page"))
                == "https://xn--bcher-kva.example/x?a=1&b=1"
            )


def test_many_hosts_are_learnt_and_forgotten() -> None:
    for number in range(20_000):
        kernel.learn_host(f"é{number}.example", f"xn--{number}.example")
    learnt = [kernel.canonical(f"http://é{number}.example/") for number in range(20_000)]
    assert learnt[-1] == "http://xn--19999.example/"
    assert learnt[0] is None
    kernel.learn_host("é.a", "x" * 30)
    assert kernel.canonical("http://é.a/") is None


_PIECES = (
    *"abXY019:;,=&?#/%.-_@+()*'!$~[]\"<>\\ é\u00a0ü",
    *[
        "%41",
        "%2d",
        "%2D",
        "%7e",
        "%00",
        "%C3%BC",
        "%21",
        "%28",
        "%2a",
        "%2B",
        "%40",
        "%3A",
        "%5b",
        "%zz",
        "phone-context=",
        "ext=",
        "isub=",
        "to=",
        "subject=",
        "method=",
        "//",
        "/./",
        "/../",
        "params",
        "+1",
        "u:p@",
        ";;",
        "TO=",
        "xn--",
        "::",
        "::ffff:",
        "1.2.3.4",
        "%25eth0",
        ":0:0:",
    ],
)


@st.composite
def spellings(draw: st.DrawFn) -> str:
    """Return an example of a row, changed in a few places."""
    text: str = draw(st.sampled_from((*TEXTS, *DECIDED, *LEFT)))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text)))
        kind = draw(st.integers(0, 4))
        if kind == 0:
            text = text[:start] + text[start + 1 :]
        elif kind == 1:
            text = text[:start] + text[start:].swapcase()
        elif kind == 2:
            text = text[:start] + draw(st.sampled_from(TEXTS))[start:]
        else:
            text = text[:start] + draw(st.sampled_from(_PIECES)) + text[start:]
    return text


@pytest.mark.hypothesis
@given(spellings())
@examples(2000)
def test_changed_examples_are_those_of_the_judge(text: str) -> None:
    is_decided(text)


@st.composite
def links(draw: st.DrawFn) -> str:
    """Return a link, changed in a few places."""
    text = draw(st.sampled_from([*FAULTS, *(f"http://{host}:80/x" for host in HOSTS)]))
    for piece in draw(st.lists(st.sampled_from(_PIECES), max_size=3)):
        start = draw(st.integers(0, len(text)))
        text = text[:start] + piece + text[start + draw(st.integers(0, 2)) :]
    return text


@pytest.mark.hypothesis
@given(links(), st.sampled_from(_OPTIONS))
@examples(2000)
def test_changed_links_are_those_of_the_judge(text: str, options: Options) -> None:
    judge_both(text, options)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("merge", [*NAMED_STEPS, *PROFILES], ids=str)
def test_each_step_gives_the_keys_of_the_judge(merge: MergeStep | str) -> None:
    options = Options(merge=merge)
    proofs = proofs_of(options)
    for text in (*DECIDED, *TEXTS):
        key = proofs.key(text)
        if key is not None:
            judged = judge(text, options)
            assert isinstance(judged, Judged), text
            assert key == judged.key, text


@pytest.mark.hypothesis
@given(spellings(), st.sets(st.sampled_from(NAMED_STEPS)))
@examples(500)
def test_merged_examples_are_those_of_the_judge(text: str, steps: set[MergeStep]) -> None:
    options = Options(merge=Profile(steps))
    proofs = proofs_of(options)
    form, key = proofs.canonical(text), proofs.key(text)
    if form is not None or key is not None:
        judged = judge(text, options)
        assert isinstance(judged, Judged)
        assert form in (None, judged.uri)
        assert key in (None, judged.key)
