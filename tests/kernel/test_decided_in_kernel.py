"""Addresses, names and unknown schemes: the kernel decides what is surely one or none, and finds what Python finds."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.helpers.two_searches import Case, difference, in_kernel
from urisieve import Options
from urisieve.kernel import compiled

if not compiled:
    pytest.skip("the kernel is not compiled, or switched off", allow_module_level=True)

from urisieve.find.kernel_search import KernelSearch
from urisieve.records.batch import BatchBuffer

ADDRESSES, NAMES = Options(email=True), Options(schemeless="names")
BOTH = Options(email=True, schemeless="names")
DEFANGED = Options(email=True, schemeless="names", refang=True)
ANY = Options(schemes="any")
REPAIRED = Options(email=True, schemeless="names", schemes="any", repair=True, nested=True)
SHORT = Options(email=True, schemeless="names", max_length=64)
MERGED = Options(email=True, schemeless="names", schemes="any", merge=["drop-fragment", "strip-www"])
PROTECTED = Options(email=True, schemeless="names", protect=["a.example"])

HEADERS = """Received: from mail.example.com (mail.example.com [192.0.2.5]) by mx1.example.org (8.11.6/8.11.6)
    id g98KgRf04205 for <list@example.net>; Tue, 8 Oct 2002 22:42:27 +0200
From: Joe Doe <joe.doe@example.com>
To: "list" <list@example.net>, b@c.example.co.uk, "x@y.example" <x+y@y.example>
Message-Id: <20021010121429.0610616F17@list.example.com>
References: <1012546426.21971.5.camel@localhost.localdomain>
\t(IDENT:qmailr@ip213-185-39-113.example.fi [213.185.39.113])
"""
CHAT = """2018-03-06T10:02:07 <joe> justin: see www.example.com, or example.org. Thanks!
[10:24] * Quits: joe (joe@moz-22C89123.dsl.example.co.za) (Ping timeout)
[10:25] * Joins: sue (sue@84.14.50.82)
&lt;@bot&gt; joe@example.com changed it
10:26  *** sue <sue!~sue@24.138.74.254> has left, joe!~a*b$c@cpe.example.ca> ~/x@e.example
 11:02 <sue> 3rd:place foo:bar textSize:1 a/b:c :( :\\'(
"""
LOG = """192.0.2.7 - - [10/Oct/2000:13:55:36 -0700] "GET /a" 200 2 "-" "Bot (crawler.example.com; b@example.com)"
level=info msg="sent to a@b.example" host=web1.example.net user=joe@example.com v1.2.co setup.py
"""
PROSE = """Write to joe@example.com, or (in haste) to sue@example.org; see example.com. Or example.net!
The end.It began with image@2x.png and foo@2.0.rc at t.co and 1.in, example.co/x, "www.example.com", 'example.org'.
Ask joe@example.com\nnext line, joe at example dot com, joe[@]example[.]com, joe@example.com [.] x, example.com (dot) x
"""
TEXTS = {"headers": HEADERS, "chat": CHAT, "log": LOG, "prose": PROSE}
OPTIONS = (Options(), ADDRESSES, NAMES, BOTH, DEFANGED, ANY, REPAIRED, SHORT, MERGED, PROTECTED)
# What is directly before and after a name or an address.
AROUND = [*" \t\n<>()[]{}\"'`,;:.!?/\\@#$%&*+-=^_|~\x1b\x00é。“」", "\r\n", "про", "://", " dot ", " [.] ", "...", ""]


@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_both_find_the_same(text: str, options: Options) -> None:
    for pieces in ([text], list(text), [text[at : at + 7].encode() for at in range(0, len(text), 7)]):
        assert difference(Case(pieces, options)) is None


@pytest.mark.sampled(7)
@pytest.mark.parametrize("options", [BOTH, DEFANGED, REPAIRED], ids=["both", "defanged", "repaired"])
@pytest.mark.parametrize("one", ["joe@example.com", "example.com", "www.example.com", "a@b.example.js", "r@localhost"])
def test_neighbours_decide(one: str, options: Options) -> None:
    for before in AROUND:
        text = "\n\n".join(f"a {before}{one}{after}b {before}{one}{after} {before}{one}{after}" for after in AROUND)
        assert difference(Case([text], options)) is None, before


@pytest.mark.parametrize(
    ("text", "options", "looks"),
    [
        (HEADERS, ADDRESSES, 1),
        (HEADERS, NAMES, 0),
        (HEADERS, BOTH, 1),
        (HEADERS, DEFANGED, 1),
        (CHAT, ADDRESSES, 1),
        (CHAT, ANY, 1),
        (LOG, BOTH, 2),
        (PROSE, ADDRESSES, 3),
    ],
    ids=lambda value: "" if isinstance(value, Options) else str(value)[:12],
)
def test_python_is_seldom_asked(text: str, options: Options, looks: int) -> None:
    ways: Counter[str] = Counter()
    in_kernel(Case([text * 50], options), ways)
    assert ways["rows"] > 50
    assert ways["looks"] <= looks * 50 + 1  # the end of a text is looked at
    assert ways["memo"] <= 2


@pytest.mark.long
def test_old_judgements_are_forgotten_not_all(monkeypatch: pytest.MonkeyPatch) -> None:
    from urisieve.judge import judge

    judged: Counter[str] = Counter()
    real = judge.quick_judge

    def counted(text: str, options: Options) -> object:
        judged[text] += 1
        return real(text, options)

    monkeypatch.setattr(judge, "quick_judge", counted)
    buffer = BatchBuffer()
    search = KernelSearch(Options(), buffer)
    often = [f"http://often{number}.example./" for number in range(8)]
    for number in range(30_000):
        search.feed(f"http://h{number}.example./ ")
        if number % 100 == 0:
            search.feed(" ".join(often) + " ")
    search.close()
    assert sum(map(len, [buffer.taken()])) == 30_000 + 300 * 8
    assert max(judged.values()) <= 4
    assert sum(judged.values()) <= 30_000 + 8 * 4


def test_colons_of_no_identifier_are_decided() -> None:
    text = (
        "http://a.example.org:80/x?t=10:30:00&k=a:b http://b.example/Talk:One http://c.example/?u=http://d.example/\n"
    )
    ways: Counter[str] = Counter()
    in_kernel(Case([text * 50], Options(nested=True)), ways)
    assert (ways["looks"], ways["found"]) == (50, 100)
    for options in (Options(nested=True), Options(nested=True, schemes="any"), Options(nested=True, email=True)):
        assert difference(Case([text, text[:-1] + "@e.example"], options)) is None


LINKS = "".join(
    f"{scheme}://{host}{port}{rest}\n"
    for scheme in ("http", "FTP", "foo", "file", "doi")
    for host in ("a.EXAMPLE", "a.b-c.", "localhost", "u@d.example", "bücher.example", "10.0.0.1", "[::1]", "")
    for port in ("", ":", ":80", ":0080", ":8080", ":99999")
    for rest in ("", "/", "?q=%7e", "#f", "/%7Ea/./b/../é")
)  # fmt: skip


@pytest.mark.parametrize("merge", [(), ("strip-www",)], ids=["plain", "merged"])
def test_forms_of_the_syntax_alone(merge: tuple[str, ...]) -> None:
    assert difference(Case([LINKS], Options(level="syntax", merge=merge))) is None


NAMED = ("paypal.com", "my-shop.example", "mmm.co.uk")
HOSTS = [
    f"{before}{name}{after}"
    for name in (*NAMED, "paypaI.com", "paypa1.com", "rny-shop.example", "rnmrn.co.uk", "MY-SH0P.net", "pay.pal.com")
    for before in ("", "x.", "x-", "x_", "x")
    for after in ("", ".", ".evil.example", "-x.example", "_x.example", "x.example", ":80")
]  # fmt: skip


def test_hosts_that_resemble_protected_names() -> None:
    """Those of which the kernel is not sure are few, and are judged as Python judges all of them."""
    text = "".join(f"http://{host}/ https://{host}?u\n" for host in HOSTS)
    options = Options(protect=NAMED)
    assert difference(Case([text], options)) is None
    found = Counter[str]()
    buffer = BatchBuffer()
    search = KernelSearch(options, buffer)
    search.finish(text)
    for codes in buffer.taken().column("warnings"):
        found.update(codes)
    assert found["resembles-protected"] > 100
    assert found["contains-protected"] > 50


@pytest.mark.parametrize("options", [Options(level="syntax"), Options(protect=NAMED)], ids=["syntax", "protect"])
def test_other_links_are_judged_in_the_kernel(options: Options) -> None:
    ways: Counter[str] = Counter()
    in_kernel(Case(["".join(f"http://h{n}.e-{n}.example:8080/a?b=%7e{n}\n" for n in range(300))], options), ways)
    assert ways["rows"] == 300
    assert ways["memo"] == 0
