"""HTML read by the compiled kernel against the reader in Python: the same documents, positions, counts and records."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.helpers.readers import page_documents, read_by_kernel, segments_of
from urisieve import Options
from urisieve.errors import InputError
from urisieve.kernel import compiled
from urisieve.options import Level
from urisieve.records.layouts import COLUMNS
from urisieve.runs.document_sieve import DocumentSieve
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.documents import Segment
from urisieve.sources.html import html_documents as reading
from urisieve.sources.html.html_documents import HTML_REACH
from urisieve.sources.reading_options import ReadingOptions
from urisieve.sources.tally import Tally

pytestmark = pytest.mark.skipif(not compiled, reason="the kernel is switched off or not compiled")

# What is joined at random: whole tokens, and pieces of tokens that make others of them.
PIECES = (
    r"""
a|b | |\n|\t|x.y|\u00e9|\u4e2d\u6587|\u2003|\u0085|\u017f|\u212a|\U0001f600|\udc80|\x00|\x1c
\u00e9 http://t\u00e4st.example/\u4e2d|http://a.example/|https://b.example/c?d=e|ftp://c.example/|www.d.example
mailto:a@b.example|urn:isbn:3161484100|javascript:x()|&amp;|&lt;|&gt;|&#39;|&#x2F;|&#x|&#|&|&nbsp|&notit;
&copy=1|&vnsub;|&nvap;|&#1;|&#0;|&amp|&CounterClockwiseContourIntegral;|&quot;|<p>|</p>|<br>|<b>|</b>
<div class="x">|</div>|<td>|<BLOC\u212aQUOTE>|<wbr>|<p |<x-y z=1>|<svg xlink:href="http://x.example/">
<a href="http://e.example/">|<a href='/rel'>|<a href=#top>|<a href="">|<a href>|<a name=x>|</a>|</A >
<a href="http://f.example/%zz">|<a href="http://g.example/?a=1&amp;b=2&copy=3">
<a href=" http://h.example/\n/i ">|<a href="javascript:void(0)">|<a href="mailto:x">
<a href="javascript:y('http://i.example/')z w">|<a HREF=http://j.example/\u00e4\u4e2d>
<a href="http://k.example/ a http://l.example/">|<a href="a b://c">|<a href="x&colon;//m.example/">
<a href=http&colon;//n.example/>|<a href="http://o.example/" href="http://p.example/">
<a href="http://q.example/">http://q.example/</a>|<a href="http://q.example/"> <b>http://r.example/</b> </a>
<a href=http://s.example/>www.t.example</a>
<a href="http://u.example/" style="background:url(http://v.example/)">http://w.example/</a>
<p style="color:rgb(1,2,3)">|<p style='@import "x"'>
<img src=http://x.example/ srcset="http://y.example/ 1x, z 2x" ping="http://z.example/">
<img src="data:image/png;base64,AAAA">|<meta property="og:url" content="http://aa.example/">
<meta http-equiv=refresh content="1; url=http://ab.example/">|<meta content=x>|<object data=http://ac.example/>
<p data=http://ad.example/>|<html manifest=http://ae.example/>|<form action=http://af.example/ x>|<script>
var x = "http://ag.example/";|</script>|<script> {"a":"http://br.example/"}</script>|<script>[["x"
]|</\u017fcript>|<style>|a{b:url(c)}|@import "d";
url('http://ah.example/')|</style>|<title>|</title>|<textarea x=">">|</textarea |<xmp>|</xmp>|<TITLE/>|<!--|-->
--!>|<!-->|<!--->|-|--|<!-- <a href=http://ai.example/>aj</a> -->|<!-- http://ak.example/ &amp; <p> <b -->
<!-- <a href="http://al.example/">http://am.example/ -->|<!doctype html>|<!x>|<?xml http://an.example/?>|</ x>
</>|<|>|"|'|=|/|<a|<a href|<a href=|<a href="|<a href='http://ao.example/|<p ="a>b" href=http://ap.example/>
<q cite==x>|<a href="http://long.example/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx">
<q cite="=http://aq.example/">|<base target=x>|<base href="http://base.example/d/">|<a href="rel/x">
<a href="../s/./t?u=v#w">|<a href="?x&amp;y=z">|<a href=" ./\n/a/..//b ">|<img src=//bm.example:8080/../c>
<a href="a b">|<a href="%zz">|<a href="1:2">|<a href="\u00e9/d">|<a href="..">|<a href="//[::1]/">|<a href="///x">
<a href=rel/y>http://bn.example/</a>|<a href=rel/z>http://origin.example/</a>|<base href="../e/?f">|<base href="g h">
<base href="//bo.example">|<base href="&#47;x&#x2F;">|<base href="mailto:x">|<base href>|<a href="rel?[i]#[j]">
<img srcset="a b, c&amp;d 2x">|<img srcset=" ,x/y,,http://bp.example/ (,) 1x,http://bq.example/, z 2x,">
<img srcset="#a,b">|<a ping="javascript:x() rel/1\t//br.example/ \x01c">
<img srcset="http://bs.example/%zz (a, http://bt.example/) b,">
<img imagesrcset="http://long.example/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx b, /c">
</body></html>|<p title="http://ar.example/">|<p onclick="x('http://as.example/')" data-y=urn:isbn:0395363411>
<img alt="&lt;http://at.example/&gt;" src=rel srcset="http://au.example/ 1x" title='mailto:a@b.example'>
<p TITLE="a\u4e2d: http://\u00e4.example/ b" title=http&colon;//av.example/ class="a:b c::d">|<p xmlns:x=http://no.example/>
<a title="http://aw.example/%zz" href="http://ax.example/" data-\u212a=http://ay.example/>
<iframe srcdoc="<a href=http://az.example/>&quot;http://ba.example/&quot;<p title=http://bb.example/>">
<p style="a:&quot;http://bc.example/&quot;">|<p style="b:url(http://bd.example/);c:'http://be.example/'">
<meta name=d content="see http://bf.example/ x&amp;">|<meta content="a:b&amp;c">|<p content="http://bg.example/" data=http://bh.example/>
<meta http-equiv=x content=y:z>|<p title="\n\x1e\nhttp://bi.example/">|<p title="URL:">|<p title="<http://bj.example/ ">
<p title="c d>">|<p ping=http://bk.example/ http-equiv=http://bl.example/>|<p style="1x,'/rel'">|<style>1x,'/rel'
<p style="1x,'http://bu.example/'" srcset="bv&amp;bw">
<a href="<a>tp://bx">|<a href="<b c=d>http://by.example/">|<a href="<a href='rel/z'>a://b">|<g src=//bz/>
""".strip("\n")
    .replace("\n", "|")
    .split("|")
)
PIECES = [piece.encode("ascii").decode("unicode_escape") for piece in PIECES]


def page(seed: int) -> str:
    chance = random.Random(seed)
    some = chance.sample(PIECES, chance.randint(1, 24)) if chance.random() < 0.7 else PIECES
    return "".join(chance.choices(some, k=chance.randint(0, chance.choice([6, 40, 300]))))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the reader cut pages often."""
    monkeypatch.setattr(reading, "_WINDOW", 48)
    monkeypatch.setattr(reading, "_LONGEST_TOKEN", 200)


def seen(source: str, *, in_pages: bool, base: str | None = None) -> tuple[list[tuple[Any, ...]], Tally]:
    tally = Tally()
    decoder = ByteDecoder(None, keep=HTML_REACH)
    text = decoder.feed(source.encode("utf-8", "surrogateescape")) + decoder.close()
    document = Segment(source="a.html", text=(text,), offsets=lambda: decoder.offsets, base=base)
    found = []
    with read_by_kernel(in_pages):
        documents = list(segments_of(page_documents(document, tally)))
    for one in documents:
        (whole,) = one.text
        position, offsets = one.position, one.offsets()
        assert position is not None
        assert offsets is not None
        spans = [(position(offset), *offsets.span(offset, offset + 1)) for offset in range(len(whole))]
        found.append((whole, one.place, one.reference, one.warnings, one.delimited, spans))
    return found, tally


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(0, 600, 100))
def test_the_documents_are_the_same(seed: int, small: None) -> None:
    for number in range(seed, seed + 100):
        source = page(number)
        base = "http://origin.example/d/page" if number % 2 else None
        assert seen(source, in_pages=True, base=base) == seen(source, in_pages=False, base=base), source


def test_code_that_looks_like_tags(small: None) -> None:
    pieces = ["i<t;'http://a.example/'>", "i<n.o:p-q_r+1>", "<p,x=1>", "<b", "i<c", "<p class=d>", "<!--", "-->", " "]
    for seed in range(300):
        source = "".join(random.Random(seed).choices(pieces, k=seed % 9))
        assert seen(source, in_pages=True) == seen(source, in_pages=False), source
    for mark in map(chr, range(0x21, 0x7F)):
        source = f"a<p{mark}q http://a.example/>b <!--<p{mark}q http://b.example/>-->"
        assert seen(source, in_pages=True) == seen(source, in_pages=False), source


def refuse(source: str, error: InputError) -> None:
    raise error


def archived(source: bytes) -> bytes:
    """Return an archive of the web whose only page has a base: its address."""
    body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + source
    header = (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://origin.example/d/page\r\n"
        b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n" % len(body)
    )
    return header + body + b"\r\n\r\n"


def sieved(
    source: bytes, columns: frozenset[str], *, in_pages: bool, options: Options, kind: str = "html"
) -> tuple[list[Any], Tally]:
    tally = Tally()
    sieve = DocumentSieve(options, ReadingOptions(input=kind), tally=tally, failed=refuse, columns=columns)
    found: list[Any] = []
    with read_by_kernel(in_pages):
        batches = list(sieve.batches("a.html", [source]))
    for batch in batches:
        if len(columns) == len(COLUMNS):
            found += [one.as_dict() for one in batch.found()]
        else:
            names = sorted(columns | {"key"})
            found += zip(*(batch.column(name) for name in names), strict=True)
            found += [one.as_dict() for one in batch.rejections]
    return found, tally


OPTIONS = {
    "default": Options(),
    "short": Options(max_length=64),
    "excluded": Options(exclude_schemes=("https", "urn")),
    "listed": Options(schemes=("http", "javascript")),
    "as-written": Options(level=Level.NONE),
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize(
    "columns", [COLUMNS, ("uri", "key", "warnings"), ("uri", "line", "byte_start", "start", "end")]
)
def test_the_records_are_the_same(options: Options, columns: tuple[str, ...], small: None) -> None:
    for number in range(10_000, 10_060):
        source, kind = page(number).encode("utf-8", "surrogateescape"), "html"
        if number % 2:
            source, kind = archived(source), "warc"
        both = [sieved(source, frozenset(columns), in_pages=way, options=options, kind=kind) for way in (True, False)]
        if len(columns) < len(COLUMNS):  # rejections come behind the rows of their batch
            both = [(sorted(found, key=repr), tally) for found, tally in both]
        assert both[0] == both[1], source


def test_links_really_come_many_at_once() -> None:
    tally = Tally()
    source = '<a href="http://a.example/">' * 3
    for way in (True, False):
        with read_by_kernel(way):
            documents = list(page_documents(Segment(source="a", text=(source,)), tally))
        assert [one.size for one in documents] == [3]
        assert [one.text for one in segments_of(documents)] == [("http://a.example/",)] * 3


# What references are made of.
STEPS = (
    *(
        "",
        "/",
        "//",
        ".",
        "..",
        "./",
        "../",
        "g",
        "g/",
        "g;x=1",
        "?",
        "?y",
        "?a/b?c",
        "#",
        "#s",
        ":",
        "a:b",
        "%41",
        "%4",
    ),
    *(
        "%c3%a9",
        "\u00e9",
        " ",
        "h.example",
        "h.example:80",
        "@",
        "[::1]",
        "[",
        "|",
        "&amp;",
        "\n",
        "~",
        "'",
        "(",
        "...",
    ),
)
BASES = (
    *(
        "http://a/b/c/d;p?q",
        "https://a.example",
        "https://a.example:8/b//?c",
        "ftp://a.example/b/../c/./d",
        "http://a/?#f",
    ),
    *("file:///a/b", "urn:a:b", "http://u@a/b", "http://[::1]/a/b", "http://\u00e9.example/a", "http://a/\u00e9/b"),
    *("http://a.example/b%zz/c", "http://a.example/" + "b/" * 600, "http:a/b", "x-y+z.1://a-b.c/d"),
)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("base", BASES, ids=range(len(BASES)))
def test_references_are_resolved_as_by_the_resolver(base: str) -> None:
    chance = random.Random(base)
    references = ["".join(chance.choices(STEPS, k=chance.randint(1, 6))) for _ in range(300)]
    source = "".join(f'<a href="{reference}">\n' for reference in references)
    both = [seen(source, in_pages=way, base=base) for way in (True, False)]
    assert both[0] == both[1]
    declared = [seen(f"{source}<base href='{base}'>", in_pages=way) for way in (True, False)]
    assert declared[0] == declared[1]
    assert len(declared[0][0]) >= len(both[0][0])


def test_plain_references_are_not_left_to_python() -> None:
    source = '<a href="../x?y#z"><img src=//b.example:8/./c><a href=?q>' * 2
    for base in (None, "https://a.example/b/c"):
        html = source if base else f"<base href=https://a.example/b/c>{source}"
        documents = list(page_documents(Segment(source="a", text=(html,), base=base), Tally()))
        (links,) = [one for one in documents if one.kinds]
        found = [links.text(number) for number in range(links.size)]
        targets = ["https://a.example/x?y#z", "https://b.example:8/c", "https://a.example/b/c?q"]
        assert found[-6:] == targets * 2


def test_links_come_many_at_once_where_relative_ones_have_a_base() -> None:
    tally = Tally()
    source = (
        '<a href="http://a.example/"><a href="http://b.example/"><a href="/r"><a href="\u00e9"><a href="#f">'
        '<a href="http://c.example/">'
    )
    of_page = Segment(source="a", text=(source,), base="http://o.example/p")
    blocks = [one for one in page_documents(of_page, tally) if one.kinds.strip(b"\0")]
    assert [block.size for block in blocks] == [3, 1]
    assert dict(tally.skipped) == {("reference", "same-document"): 1}
