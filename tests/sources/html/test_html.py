"""HTML to documents: what joins, what each attribute holds, where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.cli_support import call
from tests.helpers.doubling import assert_linear
from tests.helpers.readers import page_documents, read_by_kernel, segments_of
from tests.sources.mail.mail_reading import Row, rows
from urisieve import extract, extract_blocks, extract_files
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.source_map import SourceMap
from urisieve.sources.containers.limits import DEPTH
from urisieve.sources.documents import Segment
from urisieve.sources.html.html_documents import HTML_REACH
from urisieve.sources.html.html_links import beside_links, differs, links
from urisieve.sources.tally import Tally


def find(source: str, base: str | None = None) -> tuple[list[Row], Tally]:
    tally = Tally()
    return list(rows(page_documents(Segment(source="a.html", text=(source,), base=base), tally))), tally


def uris(source: str, base: str | None = None) -> list[tuple[str | None, str]]:
    return [(row.document.place.field, row.record.uri) for row in find(source, base)[0]]


# A reference of 41 characters, one more than are read.
_LONG_REFERENCE = f"http://a.example/&#{'0' * 36}98;"

# What is found in the running text of each.
TEXTS = {
    "http://a.example/ve<wbr>ry": ["http://a.example/very"],
    "http://a.example/ve<b>r</b>y": ["http://a.example/very"],
    "http://a.example/ve<x-y z=1>r</x-y>y": ["http://a.example/very"],
    "http://a.example/a<br>b": ["http://a.example/a"],
    "<p>http://a.example/a</p>b": ["http://a.example/a"],
    "<td>http://a.example/a<td>b": ["http://a.example/a"],
    "<li>http://a.example/a<li>http://a.example/b": ["http://a.example/a", "http://a.example/b"],
    "http://a.example/a<img>b": ["http://a.example/a"],
    "http://a.example/<a name=x>b</a>c": ["http://a.example/bc"],
    "<a href=#>http://a.example/</a><a href=#>http://b.example/</a>c": ["http://a.example/", "http://b.example/"],
    "http://a.example/?a&amp;b&#61;c&#x3d;d": ["http://a.example/?a&b=c=d"],
    "http://a.example/&lt;b": ["http://a.example/"],
    "http&colon;//a.example/": ["http://a.example/"],
    "http://a.example/?a=1&b=2": ["http://a.example/?a=1&b=2"],
    "&lt;http://a.example/x.&gt;": ["http://a.example/x."],
    "http://a.example/a<!-- x -->b": ["http://a.example/ab"],
    "<!-- http://a.example/c -->": ["http://a.example/c"],
    "<!-- http://a.example/c": ["http://a.example/c"],
    "<!--http://a.example/c-->": ["http://a.example/c"],
    "<!--http://a.example/c--!>": ["http://a.example/c"],
    "<!x <http://a.example/y z>": ["http://a.example/y"],
    f"http://a.example/&#{'0' * 35}98;": ["http://a.example/b"],
    _LONG_REFERENCE: [_LONG_REFERENCE.rstrip(";")],
    "<!-->http://a.example/a<!--->http://a.example/b": ["http://a.example/ahttp://a.example/b"],
    "<!-- a --!>http://a.example/a": ["http://a.example/a"],
    "<![CDATA[http://a.example/]]>": ["http://a.example/"],
    "<?xml x=http://a.example/?>": ["http://a.example/"],
    "</ http://a.example/>": ["http://a.example/"],
    '<!DOCTYPE html SYSTEM "http://a.example/dtd">': [],
    "<script>a='http://a.example/<b>'</script>": ["http://a.example/"],
    "<script>http://a.example/": ["http://a.example/"],
    "<title>http://a.example/&amp;</title>": ["http://a.example/&"],
    "<style>@import 'http://a.example/'</style>": ["http://a.example/"],
    "<textarea><a href=x>http://a.example/</textarea>b": ["http://a.example/"],
    "a <http://a.example/> b <HTTPS://b.example/x?y=1&amp;z>.": ["http://a.example/", "https://b.example/x?y=1&z"],
    "<<http://a.example/>>": ["http://a.example/"],
    "a <http://a.example/x": ["http://a.example/x"],
    "<http://a.example/x <a title=http://b.example/>": ["http://a.example/x"],
    "<http://a.example/x><b>y</b>": ["http://a.example/x"],
    "<mailto:joe@a.example><urn:isbn:9780141036144>": ["mailto:joe@a.example", "urn:isbn:9780141036144"],
    "<!-- <http://a.example/> <p> -->": ["http://a.example/"],
    "<!--<p><http://a.example/": ["http://a.example/"],
    "<script><http://a.example/></script>": ["http://a.example/"],
    "http://a.example/<o:p>b</o:p><v:x:=1>c": ["http://a.example/b"],
    "http://a.example/<v:x=':'>b<v:x/:>c<v:\xa0:>d": ["http://a.example/bcd"],
    "for(i<t;++n)'http://a.example/x';y>0": ["http://a.example/x"],
    "<!--i<n.length&&'http://a.example/x'>": ["http://a.example/x"],
    "if(i<e)'http://a.example/x'</p><p class=a;b>http://a.example/y": ["http://a.example/x", "http://a.example/y"],
    "i<a[0]?'http://a.example/x':i<b|c>d": ["http://a.example/x"],
    "http://a.example/<b-c_d.e:f>g<i\xb5;>h<p/;>i": ["http://a.example/gh"],
    "i<e": [],
    "i<e;": [],
    "</html>\nhttp://a.example/": ["http://a.example/"],
    "a < b http://a.example/ <": ["http://a.example/"],
    "<3 http://a.example/": ["http://a.example/"],
    '<a href="http://a.example/x': ["http://a.example/x"],
    "<p title=it's>http://a.example/": ["http://a.example/"],
    '<p title="a>b">http://a.example/': ["http://a.example/"],
    "<P\nCLASS=a\n>http://a.example/</P\n>b": ["http://a.example/"],
    "http://a.example/</>b": ["http://a.example/b"],
    "": [],
}


@pytest.mark.parametrize("source", TEXTS)
def test_running_text(source: str) -> None:
    assert [uri for field, uri in uris(source) if field is None] == TEXTS[source]


def test_what_begins_a_comment_is_not_part_of_its_text() -> None:
    source = b"<!a@a.example><?978-0-395-36341-6?><!--0-395-36341-1-->"
    out = call("extract", "--quiet", "--input", "html", "--accept", "addresses", "--accept=isbn", stdin=source)
    assert out.lines == ["mailto:a@a.example", "urn:isbn:9780395363416", "urn:isbn:0395363411"]


def test_lines_are_counted_over_windows() -> None:
    source = "\n".join(f"<p>{'x' * 2_000}</p><p>http://a.example/{number}" for number in range(150))
    for row in find(source)[0]:
        assert row.document.position is not None
        assert row.document.position(row.record.start) == (int(row.record.uri.rpartition("/")[2]) + 1, 2_011)


# What is found in the attributes of each.
ATTRIBUTES = {
    "<a href=http://a.example/x.>": [("a@href", "http://a.example/x.")],
    "<A HREF='http://a.example/'>": [("a@href", "http://a.example/")],
    '<a href = " http://a.example/ ">': [("a@href", "http://a.example/")],
    '<a href="http://a.example/a\nb">': [("a@href", "http://a.example/ab")],
    '<a href=3D"http://a.example/"=\n>': [("a@href", "http://a.example/")],
    "<a href='/x?y=http://a.example/'>": [],
    "<a href='http://a.example/' href='http://b.example/'>": [
        ("a@href", "http://b.example/"),
        ("a@href", "http://a.example/"),
    ],
    "<a/href=http://a.example/>": [("a@href", "http://a.example/")],
    "<a b c='d' href=http://a.example/ >": [("a@href", "http://a.example/")],
    "<a href=http://a.example/?a&amp;b&copy=1&copy;>": [("a@href", "http://a.example/?a&b&copy=1%C2%A9")],
    "<a href=http://a.example/?&notit;>": [("a@href", "http://a.example/?&notit;")],
    "<a title='see http://a.example/.'>": [("a@title", "http://a.example/")],
    "<svg xmlns='http://www.w3.org/2000/svg' XMLNS:x=http://a.example/ xmlnsx=http://b.example/>": [
        ("svg@xmlnsx", "http://b.example/")
    ],
    """<p onclick="location='https://a.example/x'">""": [("p@onclick", "https://a.example/x")],
    "<p onclick=\"a('http://a.example/x','http://b.example/')\">": [
        ("p@onclick", "http://a.example/x"),
        ("p@onclick", "http://b.example/"),
    ],
    "<img data-src=http://a.example/ ALT='b: http://b.example/)'>": [
        ("img@data-src", "http://a.example/"),
        ("img@alt", "http://b.example/"),
    ],
    "<a data-href='http://a.example/' data-url=http://b.example/ href=c data-saferedirecturl=http://d.example/>": [
        ("a@data-href", "http://a.example/"),
        ("a@data-url", "http://b.example/"),
        ("a@data-saferedirecturl", "http://d.example/"),
    ],
    "<a href=http://a.example/ originalsrc=http://b.example/>": [
        ("a@originalsrc", "http://b.example/"),
        ("a@href", "http://a.example/"),
    ],
    "<option value=http://a.example/><input value='mailto:b@c.example'><param value='urn:isbn:0395363411'>": [
        ("option@value", "http://a.example/"),
        ("input@value", "mailto:b@c.example"),
        ("param@value", "urn:isbn:0395363411"),
    ],
    "<p data-x='{&quot;u&quot;:&quot;http://a.example/?b&amp;c&quot;}' data-y=http&colon;//d.example/&#46;>": [
        ("p@data-x", "http://a.example/?b&c"),
        ("p@data-y", "http://d.example/"),
    ],
    "<p about=http://a.example/ resource=http://b.example/ prefix='c: http://c.example/# d: http://d.example/'>": [
        ("p@about", "http://a.example/"),
        ("p@resource", "http://b.example/"),
        ("p@prefix", "http://c.example/#"),
        ("p@prefix", "http://d.example/"),
    ],
    "<p title=http://a.example title='b' title=http://c.example/><p title=/d>": [
        ("p@title", "http://a.example/"),
        ("p@title", "http://c.example/"),
    ],
    "<p title='<http://a.example/b'><p title='c>'>": [("p@title", "http://a.example/b")],
    "<p title='http://a.example/-\nb'>": [("p@title", "http://a.example/-")],
    "<p class='a b:c' style='color:red' onclick='a?b:c' time=12:30 data-x='{\"a\":1}'>": [],
    "<iframe srcdoc='<a href=http://a.example/>http://b.example/</a>'>": [
        ("iframe@srcdoc", "http://b.example/"),
        ("iframe@srcdoc/a@href", "http://a.example/"),
    ],
    "<iframe srcdoc='<iframe srcdoc=&quot;<p title=http://a.example/?b&amp;amp;amp;c>&quot;>'>": [
        ("iframe@srcdoc/iframe@srcdoc/p@title", "http://a.example/?b&c")
    ],
    "<p srcdoc='<a href=http://a.example/>'>": [("p@srcdoc", "http://a.example/")],
    "<img srcset='http://a.example/a,b 1x, http://a.example/c'>": [
        ("img@srcset", "http://a.example/a,b"),
        ("img@srcset", "http://a.example/c"),
    ],
    "<img srcset=',http://a.example/a,,http://a.example/b , http://a.example/c x(,) 2x,'>": [
        ("img@srcset", "http://a.example/a,,http://a.example/b"),
        ("img@srcset", "http://a.example/c"),
    ],
    "<a ping='http://a.example/a http://a.example/b'>": [
        ("a@ping", "http://a.example/a"),
        ("a@ping", "http://a.example/b"),
    ],
    "<meta http-equiv=Refresh content='5;URL=http://a.example/'>": [("meta@content", "http://a.example/")],
    "<meta http-equiv=refresh content=\"0; url='http://a.example/x' y\">": [("meta@content", "http://a.example/x")],
    "<meta http-equiv=refresh content=5>": [],
    "<meta property=og:url content=http://a.example/>": [("meta@content", "http://a.example/")],
    "<meta name=x content='a: b'>": [],
    "<meta name=x content='see http://a.example/.'>": [("meta@content", "http://a.example/")],
    "<meta name=x content='mailto:a@b.example'><p content=http://a.example/>": [
        ("meta@content", "mailto:a@b.example"),
        ("p@content", "http://a.example/"),
    ],
    "<p style='a:url(http://a.example/a);b:url( \"http://a.example/b\" )'>": [
        ("p@style", "http://a.example/a"),
        ("p@style", "http://a.example/b"),
    ],
    """<p style="a:image-set('http://a.example/a' 1x, 'http://a.example/b c' 2x);b:'http://a.example/d'">""": [
        ("p@style", "http://a.example/d"),
        ("p@style", "http://a.example/a"),
    ],
    "<p style='a:&apos;http://a.example/b&apos;'>": [("p@style", "http://a.example/b")],
    "<object data=http://a.example/><p data=http://b.example/>": [
        ("p@data", "http://b.example/"),
        ("object@data", "http://a.example/"),
    ],
    "<html manifest=http://a.example/m><p manifest=http://b.example/>": [
        ("p@manifest", "http://b.example/"),
        ("html@manifest", "http://a.example/m"),
    ],
    "<!--[if mso]><v:fill src='http://a.example/'/><![endif]-->": [("v:fill@src", "http://a.example/")],
    "<!-- <a href='http://a.example/ --> x'>": [],
    "<template><img src=http://a.example/></template>": [("img@src", "http://a.example/")],
    "<noscript><img src=http://a.example/></noscript>": [("img@src", "http://a.example/")],
    "<iframe src=http://a.example/><a href=http://b.example/></a></iframe>": [
        ("iframe@src", "http://a.example/"),
        ("a@href", "http://b.example/"),
    ],
}


@pytest.mark.parametrize("source", ATTRIBUTES)
def test_attributes(source: str) -> None:
    assert [row for row in uris(source) if row[0] is not None] == ATTRIBUTES[source]


@pytest.mark.parametrize(
    ("source", "base", "expected", "skipped"),
    [
        ("<a href=b>", "http://a.example/x/y", ["http://a.example/x/b"], {}),
        ("<base href=http://a.example/x/y><a href=b>", None, ["http://a.example/x/y", "http://a.example/x/b"], {}),
        ("<base href=/z/><a href=b>", "http://a.example/x", ["http://a.example/z/", "http://a.example/z/b"], {}),
        ("<a href=b><base href=http://a.example/>", None, ["http://a.example/b", "http://a.example/"], {}),
        (
            "<base href=http://a.example/><base href=http://b.example/><a href=c>",
            None,
            ["http://a.example/", "http://b.example/", "http://a.example/c"],
            {},
        ),
        ("<a href=b><img src=///c.example/>", None, [], {"no-base": 2}),
        ("<a href=#b><a href><a href=''>", "http://a.example/", [], {"same-document": 2}),
        ("<a href ping=/b>", "http://a.example/", ["http://a.example/b"], {}),
        ("<a href='?b=c'>", "http://a.example/x", ["http://a.example/x?b=c"], {}),
        ("<a href='a b'>", "http://a.example/", [], {"unresolvable": 1}),
        ("<a href=javascript:void(0)>", "http://a.example/", ["javascript:void(0)"], {}),
        ("<style>a{b:url(c)}</style>", "http://a.example/", ["http://a.example/c"], {}),
        (
            '<p style=\'a:image-set("b" 1x, "c" 2x)\'>',
            "http://a.example/",
            ["http://a.example/b", "http://a.example/c"],
            {},
        ),
        ("<p style='1x, \"/b\"'><style>1x, '/c'</style>", "http://a.example/", [], {}),
        ("<p style='1x, \"/b\"'><style>1x, '/c'</style>", None, [], {}),
        (
            "<iframe srcdoc='<a href=b><a href=#c>'>",
            "http://a.example/d/e",
            ["http://a.example/d/b"],
            {"same-document": 1},
        ),
        ("<iframe srcdoc='<a href=b>'>", None, [], {"no-base": 1}),
    ],
)
def test_relative_references(source: str, base: str | None, expected: list[str], skipped: dict[str, int]) -> None:
    found, tally = find(source, base)
    assert [row.record.uri for row in found] == expected
    assert tally.skipped == {("reference", reason): count for reason, count in skipped.items()}
    assert tally.read == {"html": 1}


def test_pages_in_attributes_are_read_to_a_depth() -> None:
    for levels, is_read in ((DEPTH, True), (DEPTH + 1, False)):
        source = "<a href=http://a.example/>"
        for _ in range(levels):
            source = f'<iframe srcdoc="{escape(source)}">'
        found, tally = find(source)
        field = "/".join(["iframe@srcdoc"] * levels)
        fields = [f"{field}/a@href"] if is_read else [field]
        assert [(row.document.place.field, row.record.uri) for row in found] == [(fields[0], "http://a.example/")]
        assert tally.broken == ({} if is_read else {("html", "nested-too-deep"): 1})
        assert tally.read == {"html": 1}


def test_other_options_look_into_all_attributes(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text("<p title='0-395-36341-1 a@b.example' class='hxxp://c[.]example/ dd:e'><p title=x><p title=x>")
    flags = {
        "--accept=isbn": "urn:isbn:0395363411",
        "--accept=addresses": "mailto:a@b.example",
        "--accept=defanged": "http://c.example/",
        "--schemes=any": "dd:e",
    }
    assert call("extract", "--quiet", str(path)).lines == []
    for flag, uri in flags.items():
        assert call("extract", "--quiet", flag, str(path)).lines == [uri]


def test_carriers_are_chosen_by_field(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text(
        "<a href=http://a.example/ title=http://b.example/>http://c.example/</a><p onclick='x(\"http://d.example/\")'>"
    )
    a, b, c, d = (f"http://{name}.example/" for name in "abcd")
    for words, uris in {
        "*@href": [a],
        "!*@title": [c, d, a],
        "text": [c],
        "text,p@*": [c, d],
        "!text": [b, d, a],
        "A@HREF": [],
    }.items():
        assert call("extract", "--quiet", "--only", f"carrier={words}", str(path)).lines == uris
        assert call("dedupe", "--quiet", "--only", f"carrier={words}", str(path)).lines == uris


def test_a_resolved_reference_tells_what_stood_there() -> None:
    source = 'a\n <a href="../b?c&amp;d">'
    (row,) = find(source, "http://a.example/x/y")[0]
    assert row.document.reference == "../b?c&d"
    assert row.document.position is not None
    assert row.document.position(row.record.start) == (2, 11)


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ("http://a.example/", "http://b.example/", True),
        ("http://a.example/x", "http://a.example/y", False),
        ("https://A.example", "http://a.example./", False),
        ("www.a.example", "http://a.example/", False),
        ("www.a.example.", "http://b.example/", True),
        ("<http://a.example/>", "http://b.example/", True),
        ("a.example", "http://b.example/", False),
        ("see http://a.example/", "http://b.example/", False),
        ("http://a.example@b.example/", "http://b.example/", False),
        ("http://a.example/", "http://a.example@b.example/", True),
        ("http://a.example:80/", "http://a.example/", False),
        ("http://bücher.example/", "http://xn--bcher-kva.example/", False),
        ("http://a.example/", "mailto:x@b.example", False),
        ("http://a.example/", "javascript:x()", False),
        ("", "http://a.example/", False),
    ],
)
def test_whether_the_text_differs_from_the_target(text: str, target: str, expected: bool, tmp_path: Path) -> None:
    assert differs(text, target) is expected
    source = f'<a href="{escape(target)}"> <b>{escape(text)}</b>\n</a>'
    assert any(differing(tmp_path, source)) is expected


def differing(folder: Path, source: str) -> list[bool]:
    """Whether each record of a page has the warning that its visible text is another link."""
    path = folder / "a.html"
    path.write_text(f"<!doctype html>{source}")
    return ["text-differs-from-target" in record.warnings for record in extract_files([path])]


def test_the_text_differs_from_what_a_reference_resolves_to(tmp_path: Path) -> None:
    source = '<base href="http://b.example/"><a href="x">http://a.example/x</a>'
    assert differing(tmp_path, source) == [False, False, True]


# Places

_TOKENS = [
    "http://e.example/",
    "<wbr>",
    "<b>",
    "</p>",
    "<br>",
    "<a href='http://h.example/?a&amp;b'>",
    '<a href="rel">',
    "</a>",
    "<!-- ",
    " -->",
    "<img src=http://i.example/ä>",
    "&amp;",
    "&auml;",
    "ä",
    "\n",
    " ",
    "x",
    "<",
    ">",
    "'",
    '"',
    "<script>",
    "</script>",
    "<base href=http://base.example/>",
]


def _decoded(data: bytes, size: int) -> tuple[Iterator[str], Callable[[], SourceMap | None]]:
    decoder = ByteDecoder(None, keep=HTML_REACH)

    def pieces() -> Iterator[str]:
        for start in range(0, len(data), size):
            yield decoder.feed(data[start : start + size])
        yield decoder.close()

    return pieces(), lambda: decoder.offsets


@given(st.lists(st.sampled_from(_TOKENS), max_size=25).map("".join))
def test_every_link_is_where_it_is_said_to_be(source: str) -> None:
    data = source.encode()
    text, offsets = _decoded(data, 7)
    lines = source.split("\n")
    for row in rows(page_documents(Segment(source="a", text=text, offsets=offsets), Tally())):
        record, document = row.record, row.document
        way = document.offsets()
        assert way is not None
        assert document.position is not None
        start, end = way.span(record.start, record.end)
        line, column = document.position(record.start)
        at = len("".join(f"{text}\n" for text in lines[: line - 1])) + column - 1
        assert len(source[:at].encode()) == start
        if document.reference is not None:
            assert data[start:end].decode() == document.reference
        else:
            first = data[start:end].decode()
            assert first[:1] == record.raw[:1]
            if "<" not in first and "&" not in first:
                assert first == record.raw


@given(st.lists(st.sampled_from([*_TOKENS, "<p>" + "y" * 90_000 + "</p>", "<p>"]), max_size=25), st.integers(0, 60_000))
def test_windows_change_nothing(tokens: list[str], shift: int) -> None:
    """A long text is read a stretch at a time; what is found, and where, is what it was."""
    source = "z" * shift + "<p>" + "".join(tokens)
    before = "<p>" + "w" * 131_000 + "</p>\n"

    def found(text: str) -> list[tuple[str, str, tuple[int, int]]]:
        places = []
        for row in find(text, "http://base.example/")[0]:
            assert row.document.position is not None
            place = row.document.position(row.record.start)
            places.append((row.document.place.field or "", row.record.uri, place))
        return sorted(places)

    moved = [(field, uri, (place[0] + 1, place[1])) for field, uri, place in found(source)]
    assert found(before + source) == moved


@pytest.mark.long
@pytest.mark.parametrize(
    "unit", ["http://e.example/aaa ", "http://e.example/<b>a</b>aa\n", "http://e.example/&amp;aa "]
)
def test_a_long_text_without_lines_is_cut_at_a_blank(unit: str) -> None:
    found = uris(unit * 100_000)
    assert len(found) == 100_000
    assert len(set(found)) == 1


def test_memory_is_that_of_a_stretch() -> None:
    longest = 0

    def pieces() -> Iterator[str]:
        for _ in range(50):
            yield "<p>http://e.example/</p> <a href=http://h.example/>x</a>" * 1_000

    count = 0
    for document in page_documents(Segment(source="a", text=pieces()), Tally()):
        last = () if document.last is None else document.last.text
        longest = max(longest, len(document.whole) + sum(map(len, last)))
        count += document.size
    assert count > 50_000
    assert longest < 300_000


@given(st.text(alphabet="<>!-/?ab='\" &;#x", max_size=40))
def test_any_text(source: str) -> None:
    list(page_documents(Segment(source="a", text=(source,)), Tally()))


@given(st.text(alphabet="a,( )1x;url='\"", max_size=30), st.sampled_from(["srcset", "style", "ping", "content"]))
def test_any_attribute(value: str, attribute: str) -> None:
    for start, end in links("meta", attribute, value, {"http-equiv": "refresh"}):
        assert 0 <= start <= end <= len(value)


@given(
    st.lists(
        st.sampled_from(["http://e.example/a", "<x>", "&amp;", "&", '"', "'", "ä", "mailto:a@e.example", "\n", " "])
    ).map("".join)
)
def test_escaped_text_gives_the_records_of_the_text(text: str) -> None:
    expected = [(record.uri, record.start) for record in extract(text)]
    found = [(row.record.uri, row.record.start) for row in find(escape(text))[0]]
    assert found == expected


@pytest.mark.parametrize(
    "unit",
    [
        "<",
        "<a ",
        "<a b='",
        "<a b=\"<a b='",
        "<a b",
        "<a =",
        "<a href=x>",
        "<!",
        "<!--",
        "<!-- <a -->",
        "<!---->",
        "<?",
        "</",
        "</a ",
        "&",
        "&amp",
        "&#",
        "&#x1",
        "<script>",
        "<script></script ",
        "<p>",
        "<b>",
        "<img srcset='" + "a," * 100 + "'>",
        "<p style='" + "url(" * 100 + "'>",
        "<meta http-equiv=refresh content='" + ";" * 300 + "'>",
        "<p title='a:b'>",
        "<iframe srcdoc='<p title=a:b>'>",
        "x",
        "\n",
    ],
    ids=repr,
)
def test_the_time_is_linear(unit: str) -> None:
    def run(text: str) -> int:
        return sum(1 for _ in page_documents(Segment(source="a", text=(text,)), Tally()))

    # The last window of a text is parsed twice: both sizes are above it.
    assert_linear(run, lambda size: unit * (size // len(unit)), 900_000, doublings=1)


@pytest.mark.parametrize("value", ["title='a:b' ", "href=a:b ", "title='a:&amp;b' "], ids=repr)
def test_the_time_to_locate_the_attributes_of_a_tag_is_linear(value: str) -> None:
    def run(text: str) -> int:
        found = segments_of(page_documents(Segment(source="a", text=(text,)), Tally()))
        return sum(one.position(0)[1] for one in found if one.position is not None)

    assert_linear(run, lambda size: f"<p {value * (size // len(value))}>", 60_000)


@pytest.mark.parametrize("attribute", ["srcset", "style", "ping", "content", "href"])
@pytest.mark.parametrize(
    "unit",
    ["url(a)", "1x,'a'", ",", "a,", "a ,", "(", "a (", "url(", 'url("', "@import '", "; ", "url=", " ", "\n"],
    ids=repr,
)
def test_the_time_of_an_attribute_is_linear(unit: str, attribute: str) -> None:
    def run(text: str) -> int:
        spans = tuple(links("meta", attribute, text, {"http-equiv": "refresh"}))
        assert len(beside_links(attribute, text, spans)) <= len(text)
        return len(spans)

    assert_linear(run, lambda size: unit * (size // len(unit)), 100_000)


REPEATED = {
    "a": ["href", "HREF", "ping", "style", "data-x"],
    "img": ["src", "srcset", "longdesc"],
    "meta": ["content"],
    "base": ["href"],
    "form": ["action"],
    "iframe": ["src", "srcdoc"],
    "p": ["cite", "title"],
}


@pytest.mark.parametrize("by_kernel", [True, False], ids=["kernel", "python"])
@pytest.mark.parametrize("mark", ["'", '"', ""])
@pytest.mark.parametrize(("element", "attribute"), [(name, one) for name, some in REPEATED.items() for one in some])
def test_an_attribute_that_is_repeated(element: str, attribute: str, mark: str, by_kernel: bool) -> None:
    """The first one counts (HTML 13.2.5.33), and the links of the others are not lost."""
    values = [f"http://{host}.example/?x&amp;y" for host in "abc"]
    first, *others = [f"{attribute}={mark}{value}{mark}" for value in values]
    for kind in ("", " http-equiv=refresh", ' srcset="http://d.example/ 1x, http://e.example/ 2x"'):
        page = f"<!doctype html><p><{element} {first}{kind} {' '.join(others)}>x</{element}>"
        with read_by_kernel(by_kernel):
            found = [record.uri for record in extract_blocks("a.html", page.encode())]
        assert {value.replace("&amp;", "&") for value in values} <= set(found)
        assert len(found) == len(set(found))
