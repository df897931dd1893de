"""XML: runs of text, attributes and comments with their places; nothing is expanded, nothing outside is opened."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.doubling import assert_linear
from tests.helpers.readers import segments_of, xml_documents
from tests.helpers.strategies import examples
from urisieve import extract_blocks, extract_files
from urisieve.errors import BrokenInputError, InputError
from urisieve.sources.containers.contents import Content, Declared
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.tally import Tally


def has_colon(text: str) -> bool:
    return ":" in text


Row = tuple[str | None, str, str, str]


def read(data: bytes, size: int = 65_536, tally: Tally | None = None, **more: Any) -> list[Row]:
    """Field, text, how it is delimited, and the bytes as they stand there; line and column are those of the bytes."""
    base = more.pop("base", None)
    encoding = more.get("encoding") or "utf-8"
    blocks = (data[at : at + size] for at in range(0, len(data), size))
    source = Content(source="s", kind=Kind.XML, blocks=blocks, declared=Declared(base=base))
    may_hold = more.setdefault("may_hold", has_colon)
    found = []
    tally = Tally() if tally is None else tally
    for document in segments_of(xml_documents(source, tally=tally, **more)):
        text = "".join(document.text)
        if may_hold is not None and not may_hold(text) and document.position is not None:  # blocks hold all texts
            continue
        way = document.offsets()
        assert way is not None
        start, end = way.span(0, len(text))
        if document.position is not None:
            before = data[:start].decode(encoding, "replace")
            assert document.position(0)[0] == before.count("\n") + 1
            assert "\ufeff" in before or document.position(0)[1] == len(before) - before.rfind("\n")
        found.append((document.place.field, text, document.delimited.name, data[start:end].decode(encoding, "replace")))
    return found


TABLE: list[tuple[str, list[Row]]] = [
    (
        "<loc>http://a/?x=1&amp;y=ü</loc>",
        [("loc", "http://a/?x=1&y=ü", "LINK", "http://a/?x=1&amp;y=ü")],
    ),
    ("<loc>\r\n  http://a/\r\n</loc>", [("loc", "http://a/", "LINK", "http://a/")]),
    ("<loc>http://a/b c</loc>", [("loc", "http://a/b c", "LINK", "http://a/b c")]),
    # All that an element holds is one candidate, with a blank in it too; text beside other elements is running text.
    ("<u>http://a/b c.pdf </u>", [("u", "http://a/b c.pdf", "VALUE", "http://a/b c.pdf")]),
    ("<u>http://a/b c<i>d</i></u>", [("u", "http://a/b c", "TEXT", "http://a/b c")]),
    ("<u><i>d</i>http://a/b c</u>", [("u", "http://a/b c", "TEXT", "http://a/b c")]),
    ("<u>http://a/b c<!-- d --></u>", [("u", "http://a/b c", "TEXT", "http://a/b c")]),
    ("<guid>http://a/b</guid>", [("guid", "http://a/b", "LINK", "http://a/b")]),
    ("<p>see http://a/ &#x68;ttp://b/</p>", [("p", "see http://a/ http://b/", "TEXT", "see http://a/ &#x68;ttp://b/")]),
    ("<p><![CDATA[http://a/?x&amp;y&z]]></p>", [("p", "http://a/?x&amp;y&z", "VALUE", "http://a/?x&amp;y&z")]),
    ("<p>http://a/<b>c:d</b>/e:f</p>", [("p", "http://a/", "VALUE", "http://a/"), ("b", "c:d", "VALUE", "c:d"),
                                       ("p", "/e:f", "TEXT", "/e:f")]),
    ("<a href='x:y' t=\"z:\"/>", [("a@href", "x:y", "LINK", "x:y"), ("a@t", "z:", "VALUE", "z:")]),
    ("<a é='1' src = ' http://a/?b&amp;c '/>", [("a@src", "http://a/?b&c", "LINK", "http://a/?b&amp;c")]),
    ("<a xmlns:xlink='http://ns/' xlink:href='urn:x'/>", [("a@xlink:href", "urn:x", "LINK", "urn:x")]),
    ("<a xsi:schemaLocation='http://n/ http://s/'/>",
     [("a@xsi:schemaLocation", "http://n/ http://s/", "TEXT", "http://n/ http://s/")]),
    ("<!-- http://a/?b&amp;c -->", [("#comment", " http://a/?b&amp;c ", "TEXT", " http://a/?b&amp;c ")]),
    ("<?go http://a/?>", [("?go", " http://a/", "TEXT", " http://a/")]),
    ("<p><![CDATA[]]a:b]]\r\nc:d\ré\n]]]]><![CDATA[>e:f]]></p>",
     [("p", "]]a:b]]\nc:d\né\n]]>e:f", "TEXT", "]]a:b]]\r\nc:d\ré\n]]]]><![CDATA[>e:f")]),
    ("<p>a:b<![CDATA[ c:d]]> e:f<![CDATA[]]></p>", [("p", "a:b c:d e:f", "VALUE", "a:b<![CDATA[ c:d]]> e:f")]),
    # Feeds: relative references with a base, and HTML that is escaped.
    ("<a xml:base='http://b/c/'><l href='d?e&amp;f'/></a>",
     [("a@xml:base", "http://b/c/", "LINK", "http://b/c/"), ("l@href", "http://b/c/d?e&f", "LINK", "d?e&amp;f")]),
    ("<a xml:base='http://b/c/'><i xml:base='d/'><l href='e'/></i><l href='f'/></a>",
     [("a@xml:base", "http://b/c/", "LINK", "http://b/c/"), ("i@xml:base", "http://b/c/d/", "LINK", "d/"),
      ("l@href", "http://b/c/d/e", "LINK", "e"), ("l@href", "http://b/c/f", "LINK", "f")]),
    # No reference but the five of XML is resolved, and a bare ampersand is no reason to stop.
    ("<p>http://a/?b&c=d&foo;e</p>", [("p", "http://a/?b&c=d&foo;e", "VALUE", "http://a/?b&c=d&foo;e")]),
    ("<p>http://a/&#0;&#xD800;&#9999999;b</p>",
     [("p", "http://a/&#0;&#xD800;&#9999999;b", "VALUE", "http://a/&#0;&#xD800;&#9999999;b")]),
    ("<a href='http://a/?b&c'/>", [("a@href", "http://a/?b&c", "LINK", "http://a/?b&c")]),
]  # fmt: skip


@pytest.mark.parametrize("size", [1, 3, 65_536])
@pytest.mark.parametrize(("text", "expected"), TABLE)
def test_what_is_found(text: str, expected: list[Row], size: int) -> None:
    tally = Tally()
    data = f'\n\ufeff<?xml version="1.0"?>\n<!DOCTYPE x SYSTEM "http://dtd/"><root>{text}\n</root>\n'.encode()
    assert read(data.replace(b"\n\xef\xbb\xbf", b"\xef\xbb\xbf\n", 1), size, tally) == expected
    assert not tally.broken


MARC = [
    ('<datafield tag="856"><subfield code="u">{}</subfield></datafield>', "856$u"),
    (
        '<m:datafield ind1="4" tag="856"><m:subfield code="3"/><m:subfield code="u">{}</m:subfield></m:datafield>',
        "856$u",
    ),
    ('<controlfield tag="003">{}</controlfield>', "003"),
    ('<datafield tag="009Q"><subfield code="u">{}</subfield></datafield>', "009Q$u"),
    ('<datafield tag="856">{}</datafield>', "856"),
    ('<subfield code="u">{}</subfield>', "subfield"),
    ('<datafield><subfield code="u">{}</subfield></datafield>', "subfield"),
    ('<datafield tag="a b"><subfield code="u">{}</subfield></datafield>', "subfield"),
    ('<datafield tag="856"><subfield code="uv">{}</subfield></datafield>', "subfield"),
    ('<datafield tag="856"><b><subfield code="u">{}</subfield></b></datafield>', "subfield"),
    ('<datafield tag="856"><subfield code="u"/><b>{}</b></datafield>', "b"),
]


@pytest.mark.parametrize(("text", "field"), MARC)
def test_fields_of_marc(tmp_path: Path, text: str, field: str) -> None:
    path = tmp_path / "a.xml"
    path.write_text(f'<?xml version="1.0"?><m:r xmlns:m="x">{text.format("http://a.example/")}</m:r>')
    (record,) = extract_files([path])
    assert (record.uri, record.field) == ("http://a.example/", field)


def test_html_in_feeds() -> None:
    html = 'see &lt;a href="http://a/?b&amp;amp;c"&gt;http://d/&lt;/a&gt;'
    expected = ["see \nhttp://d/\n", "http://a/?b&c"]
    tally = Tally()
    assert [row[1].replace("\n\n", "\n") for row in read(f"<rss><d>{html}</d></rss>".encode(), tally=tally)] == expected
    assert tally.read == {"xml": 1}
    cdata = '<rss><d><![CDATA[see <a href="http://a/?b&amp;c">http://d/</a>]]></d></rss>'
    assert [row[1].replace("\n\n", "\n") for row in read(cdata.encode())] == expected


def test_relative_references_without_a_base_are_counted() -> None:
    tally = Tally()
    data = b"<a href='x'><b href='#y'/><c href=''/></a>"
    assert read(data, tally=tally) == []
    assert tally.skipped == {("reference", "no-base"): 1, ("reference", "same-document"): 2}
    assert read(data, base="http://a/b/") == [("a@href", "http://a/b/x", "LINK", "x")]


@pytest.mark.parametrize(
    ("head", "encoding"),
    [("", "utf-8"), ('<?xml version="1.0" encoding="iso-8859-1"?>', "cp1252"), ('<?xml version="1.0"?>', "utf-16")],
)
def test_encodings(head: str, encoding: str) -> None:
    data = f"{head}<a><b>http://ä/</b></a>".encode(encoding)
    (row,) = read(data, 3) if encoding != "utf-16" else read(data, 3, encoding=encoding)
    assert row[1] == "http://ä/"


def test_an_encoding_that_nobody_knows() -> None:
    tally = Tally()
    assert read(b'<?xml version="1.0" encoding="cp037"?><a>http://a/</a>', tally=tally)[0][1] == "http://a/"
    assert tally.broken == {("xml", "unknown-charset"): 1}


@pytest.mark.parametrize(
    ("text", "before", "rest"),
    [
        ("<a><b>http://a/</b></c> http://b/?x&amp;y", ["http://a/"], "</c> http://b/?x&y"),
        ("<a href='http://a/'/><b href='http://b/<'/>", ["http://a/"], "<b href='http://b/<'/>"),
        ("<a>http://a/</a> b <b>http://b/</b>", ["http://a/"], "b <b>http://b/</b>"),
        ("<a>http://a/</a></b><b>http://b/</b>", ["http://a/"], "</b><b>http://b/</b>"),
        ("<a>http://a/ http://b/", ["http://a/ http://b/"], ""),
        ("<a><b c='http://b/", [], "<b c='http://b/"),
        ("text http://b/", [], "text http://b/"),
        ("<a>" + "<b>" * 20_000 + "http://b/", [], None),
    ],
)
@pytest.mark.parametrize("size", [1, 7, 65_536])
def test_what_is_broken_gives_the_rest_as_text(text: str, before: list[str], rest: str | None, size: int) -> None:
    tally = Tally()
    *found, last = read(text.encode(), size, tally)
    assert [row[1] for row in found] == before
    assert last[1].endswith("http://b/") if rest is None else last[1] == rest
    assert tally.broken == {("xml", "no-xml"): 1}
    assert tally.messages[0].startswith("s: not XML from line ")


@pytest.mark.parametrize("size", [1, 7, 65_536])
@pytest.mark.parametrize("between", ["", "\r\n", "\n\ufeff", "\n<?xml version='1.0'?>\n", "<!-- c --><!DOCTYPE e>"])
def test_documents_follow_each_other(between: str, size: int) -> None:
    tally = Tally()
    one = "<e xmlns='http://ns/'><d n='u'>http://a/?x&amp;{}</d><l href='{}'/></e>"
    text = between.join(one.format(number, number) for number in range(30))
    found = read(text.encode(), size, tally, base="http://b/")
    assert [(field, text) for field, text, _, _ in found] == [
        row for number in range(30) for row in (("d", f"http://a/?x&{number}"), ("l@href", f"http://b/{number}"))
    ]
    assert (tally.broken, tally.read) == ({}, {"xml": 1})


def test_a_fault_in_a_later_document_is_one() -> None:
    tally = Tally()
    found = read(b"<a>http://a/</a>\n<b>http://b/</b>\n<c>http://c/</d> http://d/?x&amp;y", tally=tally)
    assert [row[1] for row in found] == ["http://a/", "http://b/", "http://c/", "</d> http://d/?x&y"]
    assert tally.messages == ["s: not XML from line 3 on: mismatched tag; read as text"]
    assert [row[1] for row in read(b"<a>http://a/</a><b><c>http://c/", tally=Tally())][:2] == ["http://a/", "http://c/"]


LAUGHS = b'<!DOCTYPE a [<!ENTITY a "http://x/">' + b"".join(
    b'<!ENTITY %c "%s">' % (98 + number, b"&%c;" % (97 + number) * 10) for number in range(12)
)


def test_no_entity_is_expanded(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("http://secret/")
    tally = Tally()
    assert read(LAUGHS + b']><a x="&m;">&m;</a>', tally=tally, may_hold=None)[0][1] == "&m;"
    for outside in (
        f'<!ENTITY e SYSTEM "file://{secret}">',
        f'<!ENTITY % e SYSTEM "file://{secret}"> %e;',
        "<!ENTITY % e \"<!ENTITY f 'http://g/'>\"> %e;",
        "<!ATTLIST a b CDATA 'http://default/'>",
    ):
        data = f"<!DOCTYPE a [{outside}]><a>http://a/ &e;&f;</a>".encode()
        assert [row[1] for row in read(data, 5, tally)] == ["http://a/ &e;&f;"]
    assert not tally.broken


@pytest.mark.parametrize("unit", ["]", "]]", "] ] x:y ", "]\r\n", "\n", "é]", "a:b"])
def test_a_long_section(unit: str) -> None:
    count = 50_000
    data = f"<r><![CDATA[{unit * count}]]><p>http://a.example/</p></r>".encode()
    found = read(data)
    assert found[-1] == ("p", "http://a.example/", "VALUE", "http://a.example/")
    text = "".join(row[1] for row in found[:-1])
    assert text == ((unit * count).replace("\r\n", "\n") if ":" in unit else "")


def declared(count: int, default: str, of: str) -> str:
    """Declarations of attributes, each for the element `of`, in which a number may stand."""
    return "".join(f"<!ATTLIST {of.format(number)} b{number} CDATA {default}>" for number in range(count))


@pytest.mark.parametrize("size", [509, 65_536])
@pytest.mark.parametrize(
    ("doctype", "fault"),
    [
        # I1: expat looks through all attributes declared for an element, for each declaration and each such element.
        (declared(256, "'x'", "a"), False),
        (declared(257, "'x'", "a"), True),
        (declared(257, "#IMPLIED", "a"), True),
        ("<!ATTLIST a " + "".join(f"b{number} CDATA 'x' " for number in range(20_000)) + ">", True),
        ("<!ATTLIST a " + "b CDATA 'x' " * 257 + ">", True),
        # As many for elements of different names, and of other declarations, are no dearer than other text.
        (declared(2_000, "'x'", "a{}"), False),
        ("".join(f"<!ELEMENT a{number} (b)>" for number in range(2_000)), False),
        (f"<!ELEMENT a {'(' * 2_000}b{')' * 2_000}>", False),
        ("".join(f"<!NOTATION a{number} SYSTEM 'b'>" for number in range(2_000)), False),
        ("".join(f"<!ENTITY a{number} 'b'>" for number in range(2_000)), False),
        ("<!ATTLIST a b (" + "|".join(f"b{number}" for number in range(2_000)) + ") 'b1'>", False),
    ],
)
def test_attributes_declared_for_an_element_are_bounded(doctype: str, fault: bool, size: int) -> None:
    body = "<r>" + "<a>http://b.example/</a>" * 200 + "</r>"
    tally = Tally()
    found = read(f"<?go http://a.example/?><!DOCTYPE r [{doctype}]>{body}".encode(), size, tally)
    assert found[0][0] == "?go"  # what was found before stays
    if fault:
        assert len(found) == 2
        assert found[1][1].endswith(f"]>{body}")
        (message,) = tally.messages
        assert message.endswith("on: more than 256 attributes are declared for an element; read as text")
    else:
        assert [row[1] for row in found[1:]] == ["http://b.example/"] * 200
        assert not tally.broken


def test_a_cut_text() -> None:
    def blocks() -> Iterator[bytes]:
        yield b"<a><b>http://a/</b><b>http://b/ http://cu"
        raise BrokenInputError("gzip", "truncated", "ends early")

    found: list[str] = []
    source = Content(source="s", kind=Kind.XML, blocks=blocks())
    tally = Tally()
    documents = segments_of(xml_documents(source, tally=tally))
    with pytest.raises(InputError, match="ends early"):
        found.extend(text for document in documents for text in document.text)
    assert "".join(found).startswith("http://a/http://b/")
    assert not tally.broken


PIECES = [
    "<b>",
    "</b>",
    "http://a/",
    "&amp;",
    "&",
    "é",
    " ",
    "\r\n",
    "<c d='e:f'/>",
    "<!-- x:y -->",
    "<![CDATA[",
    "]]>",
]


@examples(150)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.integers(1, 9))
def test_blocks_do_not_matter(text: str, size: int) -> None:
    data = f"<a>{text}</a>".encode()
    assert read(data, size) == read(data)


@examples(150)
@given(st.binary(max_size=60), st.integers(1, 9))
def test_nothing_is_raised(data: bytes, size: int) -> None:
    read(b"<a b='c:d'>e:f" + data, size)
    read(data, size)


def test_a_long_run_is_cut_at_blanks() -> None:
    data = b"<a>" + b"http://a/12345 " * 100_000 + b"</a>"
    found = read(data)
    assert len(found) > 1
    assert b"".join(row[3].encode() for row in found) == data[3:-4]
    assert all(row[1].startswith("http://a/12345 ") and row[1].endswith(" ") for row in found)


@pytest.mark.long
def test_memory_is_bounded() -> None:
    def blocks() -> Iterator[bytes]:
        yield b"<urlset>"
        for number in range(20_000):
            yield b"<url><loc>http://e.com/%d?a=1&amp;b=\xc3\xa9</loc>%s</url>\n" % (number, b"x" * 500)

    tracemalloc.start()
    try:
        source = Content(source="s", kind=Kind.XML, blocks=blocks())
        documents = segments_of(xml_documents(source, tally=Tally(), may_hold=has_colon))
        assert sum(1 for _ in documents) == 40_001
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 24 * 1_048_576


@pytest.mark.parametrize(
    "unit",
    [
        "<a>",
        "<b c='d:e'/>",
        "x:y ",
        "&amp;",
        "&",
        "<!--",
        "<![CDATA[",
        " c='d:e'",
        "\r\n",
        "é:",
        "<p>a:b&lt;p&gt;c:d</p>",
    ],
)
def test_time_is_linear(unit: str) -> None:
    def run(data: bytes) -> None:
        source = Content(source="s", kind=Kind.XML, blocks=[data])
        for document in segments_of(xml_documents(source, tally=Tally(), may_hold=has_colon)):
            text = "".join(document.text)
            way = document.offsets()
            assert way is not None
            way.span(0, len(text))
            if document.position is not None:
                document.position(0)

    assert_linear(run, lambda size: b"<a>" + unit.encode() * (size // len(unit)), 300_000, doublings=1)
    assert_linear(run, lambda size: b"<a " + unit.encode() * (size // len(unit)), 300_000, doublings=1)


def test_a_long_base_is_not_resolved_against(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text("<r xml:base='http://a.example/'>" + f"<a xml:base='{'x' * 500}/'>" * 200 + "<b href='y'/>")
    tally = Tally()
    found = list(extract_files([path], tally=tally))
    assert max(len(record.uri) for record in found) < 9_000
    assert tally.skipped["reference", "long-base"] > 0
    assert sum(tally.skipped.values()) + len(found) == 202


def test_bytes_that_do_not_decode_are_counted() -> None:
    tally = Tally()
    data = b"<?xml version='1.0'?><r><a href='http://a.example/'/>\xff</r>"
    assert [record.uri for record in extract_blocks("a.xml", [data], tally=tally)] == ["http://a.example/"]
    assert tally.broken == {("byte", "undecodable"): 1, ("text", "undecodable-bytes"): 1}


@pytest.mark.parametrize(
    ("encoding", "uri"), [("iso-8859-1", "http://a.example/%C3%A4"), ("utf-8", "http://a.example/a%CC%88")]
)
def test_text_of_a_legacy_encoding_is_brought_to_nfc(encoding: str, uri: str) -> None:
    data = f'<?xml version="1.0" encoding="{encoding}"?><a>http://a.example/a&#x308;</a>'.encode(encoding)
    assert [record.uri for record in extract_blocks("s", [data])] == [uri]


def test_a_link_of_html_ends_in_its_section() -> None:
    data = b'<rss><d><![CDATA[see <a href="http://a.example/">y</a> http://b.example/c]]></d></rss>'
    records = list(extract_blocks("x.xml", [data]))
    spans = [data[record.byte_start : record.byte_end] for record in records]
    assert sorted(spans) == [b"http://a.example/", b"http://b.example/c"]
