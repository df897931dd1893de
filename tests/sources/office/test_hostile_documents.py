"""Documents that are made to cause harm: memory and time are bounded, it is counted, and the next file is read."""

from __future__ import annotations

import gc
import gzip
import io
import json
import sys
import warnings
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from tests.helpers.readers import run_of
from urisieve import InputError, ReadingOptions, Tally, extract_files
from urisieve.options import Limits
from urisieve.sources.containers.contents import Content
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.office import pdf
from urisieve.sources.office.markup import MarkupReader
from urisieve.sources.office.passages import Passages
from urisieve.sources.office.rtf import _RtfReader
from urisieve.sources.segments import Segments

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
A = "http://a.example/"


def package(parts: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in parts.items():
            made.writestr(name, data)
    return out.getvalue()


def relationships(*rows: tuple[str, str, str], mode: str = "") -> str:
    each = (f'<Relationship Id="{key}" Type="{TYPES}/{kind}" Target="{target}"{mode}/>' for key, kind, target in rows)
    return f'<Relationships xmlns="{RELS}">{"".join(each)}</Relationships>'


def document(body: str, before: str = "", more: Mapping[str, str | bytes] | None = None) -> bytes:
    return package(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": relationships(("1", "officeDocument", "word/document.xml")),
            "word/document.xml": f"{before}<w:document {W} {R}><w:body>{body}</w:body></w:document>",
            **(more or {}),
        }
    )


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def workbook(sheets: dict[str, str], strings: str = "") -> bytes:
    listed = "".join(f'<sheet name="{key}" r:id="{key}"/>' for key in sheets)
    rows = [(key, "worksheet", f"worksheets/{key}.xml") for key in sheets]
    return package(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": relationships(("1", "officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": f"<workbook {R}><sheets>{listed}</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": relationships(*rows, ("s", "sharedStrings", "sharedStrings.xml")),
            "xl/sharedStrings.xml": f"<sst>{strings}</sst>",
            **{
                f"xl/worksheets/{key}.xml": f"<worksheet><sheetData>{text}</sheetData></worksheet>"
                for key, text in sheets.items()
            },
        }
    )


def read(folder: Path, data: bytes, name: str = "a", **limits: Any) -> tuple[list[tuple[str, str | None]], Tally]:
    """What is found in a file; the one behind it has to be read."""
    (folder / name).write_bytes(data)
    (folder / "z.txt").write_text("http://last.example/")
    tally = Tally()
    reading = ReadingOptions(limits=Limits(**limits))
    records = list(extract_files(folder, reading=reading, tally=tally))
    assert records[-1].uri == "http://last.example/"
    return [(record.uri, record.field) for record in records[:-1]], tally


MAIN = "word/document.xml"
SECRET = "http://secret.example/"
ENTITY = '<!DOCTYPE x [<!ENTITY e SYSTEM "{path}">]>'
LAUGHS = '<!DOCTYPE x [<!ENTITY a "haha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'


def test_entities_are_refused(tmp_path: Path) -> None:
    secret = tmp_path.with_suffix(".secret")
    secret.write_text(SECRET)
    for before in (ENTITY.format(path=secret.as_uri()), LAUGHS):
        found, tally = read(
            tmp_path, document(paragraph("&e;"), before, {"word/x.xml": paragraph(A).replace("w:", "")})
        )
        assert found == [(A, "word/x.xml")]
        assert tally.broken == {("docx", "corrupt"): 1}
    found, tally = read(tmp_path, document(paragraph(A), f'<!DOCTYPE x SYSTEM "{secret.as_uri()}">'))
    assert (found, tally.broken) == ([(A, MAIN)], {})


@pytest.mark.parametrize("size", [3_000_000, 100_000_000])
def test_a_bomb_in_a_part(tmp_path: Path, size: int) -> None:
    body = paragraph(A) + "<w:p>" + "<w:r><w:t>" + " " * size + "</w:t></w:r></w:p>"
    parts = {"word/z.xml": f"<p>{A}</p>"}
    found, tally = read(tmp_path, document(body, more=parts), stream_allowance=1_000_000, ratio=100)
    assert found == [(A, MAIN), (A, "word/z.xml")]
    assert tally.broken == {("zip", "ratio-limit"): 1}


def test_bombs_in_all_parts_together(tmp_path: Path) -> None:
    parts = {f"word/{number}.xml": paragraph(" " * 1_000_000).replace("w:", "") for number in range(40)}
    found, tally = read(tmp_path, document(paragraph(A), more=parts), total_allowance=10_000_000, ratio=10)
    assert found == [(A, MAIN)]
    assert tally.broken["zip", "ratio-limit"] >= 1


def test_the_text_of_a_paragraph_is_cut(tmp_path: Path) -> None:
    found, tally = read(tmp_path, document(paragraph(f"{A} " + "word " * 500_000 + A)))
    assert (found, tally.broken) == ([(A, MAIN), (A, MAIN)], {})


def test_a_tag_without_an_end(tmp_path: Path) -> None:
    found, tally = read(tmp_path, document(paragraph(A) + '<w:r a="' + "x" * 30_000_000))
    assert found == [(A, MAIN)]
    assert "a tag of more than 1,048,576 bytes" in tally.messages[0]


@pytest.mark.parametrize(
    "body",
    [
        "<w:p><w:r><w:t>http://cut.example",
        f"<w:p>http://cut.example<w:p>{A} http://cut.example/",
        '<w:p><w:fldChar w:fldCharType="begin"/>HYPERLINK http://cut.example/',
    ],
)
@pytest.mark.parametrize("is_packed", [False, True])
def test_a_link_at_the_end_of_a_part_that_is_cut(tmp_path: Path, body: str, is_packed: bool) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr("word/a.xml", paragraph(f"{A} {A}whole").replace("w:", ""))
        made.writestr("word/document.xml", f"<w:document {W}>{paragraph(A)}{body}")
    data = out.getvalue()
    if is_packed:
        data = data[: data.index(body.encode()) + len(body)]
    found, tally = read(tmp_path, data)
    assert {uri for uri, _ in found} == {A, f"{A}whole"}
    assert sum(tally.broken.values()) == 1 + is_packed


def test_elements_nested_deeply(tmp_path: Path) -> None:
    found, tally = read(tmp_path, document(paragraph(A) + "<w:p>" * 200_000))
    assert (found, tally.broken) == ([(A, MAIN)], {("docx", "corrupt"): 1})


def test_fields_that_do_not_end(tmp_path: Path) -> None:
    begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
    code = f'<w:r><w:instrText> HYPERLINK "{A}1" </w:instrText></w:r>'
    body = f"<w:p>{begin * 20_000}{code}</w:p>" + paragraph(f"{A}2")
    found, tally = read(tmp_path, document(body))
    assert found == [(f"{A}1", f"{MAIN} / HYPERLINK"), (f"{A}2", MAIN)]
    assert tally.broken == {}


def test_relationships_in_circles(tmp_path: Path) -> None:
    rows = [("a", "footnotes", "a.xml"), ("b", "comments", "../word/b.xml"), ("c", "x", "document.xml")]
    parts: dict[str, str | bytes] = {
        f"word/_rels/{name}.xml.rels": relationships(*rows) for name in ("document", "a", "b")
    }
    parts |= {"word/a.xml": f"<p>{A}a</p>", "word/b.xml": f"<p>{A}b</p>"}
    found, tally = read(tmp_path, document(paragraph(A), more=parts))
    assert (found, tally.broken) == ([(A, MAIN), (f"{A}a", "word/a.xml"), (f"{A}b", "word/b.xml")], {})


@pytest.mark.parametrize(
    ("fragment", "uri"),
    [("part", "http://a.example/#part"), ("&apos;Sheet 2&apos;!A1", A), ("", A), ("a#b", A)],
)
def test_the_fragment_of_a_link_stands_apart(tmp_path: Path, fragment: str, uri: str) -> None:
    rows = relationships(("l", "hyperlink", A), mode=' TargetMode="External"')
    link = f'<w:p><w:hyperlink r:id="l" w:anchor="{fragment}"><w:r><w:t>x</w:t></w:r></w:hyperlink></w:p>'
    found, _ = read(tmp_path, document(link, more={"word/_rels/document.xml.rels": rows}))
    assert found == [(uri, f"{MAIN} / hyperlink")]


def test_parts_of_the_same_name(tmp_path: Path) -> None:
    out = io.BytesIO()
    names = ["word/document.xml", "/word/document.xml", "word\\document.xml", "word/document.xml"]
    with zipfile.ZipFile(out, "w") as made, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, name in enumerate(names):
            info = zipfile.ZipInfo("a")
            info.filename = name
            made.writestr(info, paragraph(f"{A}{number}").replace("w:", ""))
    found, tally = read(tmp_path, out.getvalue())
    assert sorted(found) == [
        (f"{A}0", "word/document (2).xml"),
        (f"{A}1", "word/document (3).xml"),
        (f"{A}2", "word/document (4).xml"),
        (f"{A}3", MAIN),
    ]
    assert tally.read["zip member of the same name"] == 3


def test_data_of_other_programs(tmp_path: Path) -> None:
    data = f'<root xmlns="urn:x"><rt>{A}1</rt><src path="{A}2"/><text>{A}3</text><Fallback>{A}4</Fallback></root>'
    rows = relationships(("x", "customXml", "../customXml/item1.xml"))
    more: dict[str, str | bytes] = {
        "customXml/item1.xml": data,
        "customXml/itemProps1.xml": '<d xmlns="urn:d"><schemaRef uri="http://schema.example/"/></d>',
        "word/_rels/document.xml.rels": rows,
        "customXml/_rels/item1.xml.rels": relationships(("p", "customXmlProps", "itemProps1.xml")),
    }
    found, tally = read(tmp_path, document(paragraph(A), more=more))
    assert [uri for uri, _ in found] == [A, f"{A}1", f"{A}2", f"{A}3", f"{A}4"]
    assert tally.broken == {}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("count", "faults"), [(20_000, 0), (70_000, 1)])
def test_many_relationships_to_parts_that_are_not_there(tmp_path: Path, count: int, faults: int) -> None:
    rows = [(f"r{number}", "x", f"{number}.xml") for number in range(count)]
    parts: dict[str, str | bytes] = {"word/_rels/document.xml.rels": relationships(*rows)}
    found, tally = read(tmp_path, document(paragraph(A), more=parts))
    assert (found, sum(tally.broken.values())) == ([(A, MAIN)], faults)


def test_many_links_in_a_paragraph(tmp_path: Path) -> None:
    rows: dict[str, str | bytes] = {
        "word/_rels/document.xml.rels": relationships(
            ("l", "hyperlink", A), ("m", "x", A), mode=' TargetMode="External"'
        )
    }
    links = '<w:hyperlink r:id="l"/><w:hyperlink r:id="m"/>' * 50_000
    found, _ = read(tmp_path, document(f"<w:p>{links}</w:p>", more=rows))
    assert found == [(A, f"{MAIN} / hyperlink")]


def test_a_long_target_of_many_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urisieve.sources.office.passages._MOST_REPEATED", 1_000)
    target = A + "x" * (100 - len(A))
    rows: dict[str, str | bytes] = {
        "word/_rels/document.xml.rels": relationships(
            ("l", "hyperlink", target), ("m", "hyperlink", A + "x" * 65_536), mode=' TargetMode="External"'
        )
    }
    link = '<w:p><w:hyperlink r:id="l" w:anchor="a"/><w:hyperlink r:id="m"/></w:p>'
    found, tally = read(tmp_path, document(link * 1_000, more=rows))
    assert found == [(f"{target}#a", f"{MAIN} / hyperlink")] * 11
    assert tally.skipped == {("link", "too-often"): 989, ("link", "too-long"): 1}


def test_long_attributes_that_are_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urisieve.sources.office.markup._LONGEST_NOTED", 10_000)
    rows = relationships(*((f"r{number}", "x", "y" * 1_000) for number in range(100)))
    found, tally = read(tmp_path, document(paragraph(A), more={"word/_rels/document.xml.rels": rows}))
    assert (found, tally.broken) == ([(A, MAIN)], {("docx", "corrupt"): 1})
    assert "entries of more than 10,000 characters" in tally.messages[0]


def test_targets_and_tips_of_fields(tmp_path: Path) -> None:
    codes = [f"HYPERLINK “{A}1” ", f'HYPERLINK "{A}2" \\o "tip {A}3"', f'HYPERLINK \\o "{A}4" {A}5']
    begin, separate, end = (f'<w:fldChar w:fldCharType="{kind}"/>' for kind in ("begin", "separate", "end"))
    body = "".join(f"<w:p>{begin}{code}{separate}shown{end}</w:p>" for code in codes)
    tip = f"{MAIN} / HYPERLINK@tooltip"
    assert sorted(read(tmp_path, document(body))[0]) == [
        (f"{A}{number}", tip if number in {3, 4} else f"{MAIN} / HYPERLINK") for number in range(1, 6)
    ]


@pytest.mark.long
def test_ten_thousand_sheets(tmp_path: Path) -> None:
    cell = '<row r="7"><c r="B7" t="inlineStr"><is><t>http://{}.example/</t></is></c></row>'
    count = 10_000
    found, tally = read(tmp_path, workbook({f"s{number}": cell.format(f"s{number}") for number in range(count)}))
    assert found[::999] == [(f"http://s{number}.example/", f"sheet {number + 1}!B7") for number in range(0, count, 999)]
    assert tally.read["sheet"] == count


def test_what_reads_a_part_ends_with_it(tmp_path: Path) -> None:
    gc.collect()
    gc.disable()  # it runs seldom
    try:
        read(tmp_path, workbook({f"s{number}": "" for number in range(9)}))
        assert [one for one in gc.get_objects() if isinstance(one, MarkupReader)] == []
    finally:
        gc.enable()


@pytest.mark.parametrize("count", [50_000, pytest.param(1_000_000, marks=pytest.mark.long)])
def test_a_million_cells(tmp_path: Path, count: int) -> None:
    cells = "".join(f'<c r="A{number}"><v>{number}</v></c>' for number in range(1, count))
    sheet = f'<row>{cells}<c r="A{count}" t="s"><v>1</v></c></row>'
    strings = "<si><t>x</t></si><si><r><t>http://a.ex</t></r><r><t>ample/</t></r></si>"
    assert read(tmp_path, workbook({"one": sheet}, strings))[0] == [(A, f"sheet 1!A{count}")]


def test_a_shared_string_in_many_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urisieve.sources.office.ooxml._MOST_SHARED", 1_000)
    cells = "".join(f'<c r="A{number}" t="s"><v>0</v></c>' for number in range(1, 1_001))
    found, tally = read(tmp_path, workbook({"one": f"<row>{cells}</row>"}, f"<si><t>{A}</t></si>"))
    assert len(found) == 1 + 1_000 // len(A)
    assert tally.skipped == {("shared string", "too-often"): 999 - 1_000 // len(A)}
    strings = "".join(f"<si><t>{A}{number:04}</t></si>" for number in range(1_000))
    found, tally = read(tmp_path, workbook({"one": f"<row>{cells}</row>"}, strings))
    assert len({uri for uri, _ in found}) == 1_000 // len(f"{A}0000")
    assert tally.skipped["shared string", "too-many"] == 1_000 - 1_000 // len(f"{A}0000")


def test_a_long_shared_string(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urisieve.sources.office.ooxml._LONGEST_SHARED", 40)
    monkeypatch.setattr("urisieve.sources.office.passages._LONGEST", 10)
    strings = f"<si><t>{A} {A}cut</t></si>".replace("cut", "cut<r>x</r>" * 9)
    found, tally = read(tmp_path, workbook({"one": '<row><c r="A1" t="s"><v>0</v></c></row>'}, strings))
    assert (found, tally.skipped) == ([(A, "sheet 1!A1")], {("shared string", "too-long"): 1})


@pytest.mark.parametrize(
    ("formula", "value", "count"),
    [
        (f'LEFT("{A}pagex",21)', f"{A}page", 2),
        (f'HYPERLINK("{A}","{A}page")', f"{A}page", 2),
        (f'HYPERLINK("{A}page","shown")', f" {A}page", 1),
    ],
)
def test_a_value_that_repeats_a_string_of_its_formula(tmp_path: Path, formula: str, value: str, count: int) -> None:
    cell = f'<row><c r="A1" t="str"><f>{formula}</f><v>{value}</v></c></row>'.replace('"http', "&quot;http")
    assert len(read(tmp_path, workbook({"one": cell}))[0]) == count


def test_a_cell_that_stands_for_a_million(tmp_path: Path) -> None:
    spaces = ('xmlns:t="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
              'xmlns:x="urn:oasis:names:tc:opendocument:xmlns:text:1.0"')  # fmt: skip
    cell = (
        f'<t:table-cell t:number-columns-repeated="1000000"><x:p>{A}</x:p></t:table-cell><t:table-cell><x:p>{A}</x:p>'
    )
    row = f'<t:table-row t:number-rows-repeated="99999999999">{cell}</t:table-cell></t:table-row>'
    content = f"<o {spaces}><t:table>{row}</t:table></o>"
    data = package({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": content})
    found, _ = read(tmp_path, data)
    assert found == [(A, "sheet 1!A1"), (A, "sheet 1!BDWGO1")]


def test_an_encrypted_document(tmp_path: Path) -> None:
    manifest = (
        '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><m:file-entry '
        'm:full-path="content.xml"><m:encryption-data/></m:file-entry></m:manifest>'
    )
    data = package(
        {"mimetype": "application/vnd.oasis.opendocument.text", "META-INF/manifest.xml": manifest, "content.xml": b"\1"}
    )
    found, tally = read(tmp_path, data)
    assert (found, tally.skipped, tally.broken) == ([], {("odt", "encrypted"): 1}, {})


@pytest.mark.parametrize("name", ["word/a.txt", "xl/a.txt", "_rels/a.txt", "docProps/a.txt", "META-INF/container.txt"])
def test_an_archive_that_only_begins_like_a_document(tmp_path: Path, name: str) -> None:
    found, tally = read(tmp_path, package({name: A}))
    assert found == [(A, None)]
    assert tally.read["zip"] == 1


def test_documents_in_documents(tmp_path: Path) -> None:
    data = document(paragraph(f"{A}0"))
    for number in range(1, 20):
        data = document(paragraph(f"{A}{number}"), more={"word/embeddings/a.docx": data})
    found, tally = read(tmp_path, data)
    assert len(found) == Limits().nesting
    assert [kind for kind, reason in tally.broken if reason == "nesting-limit"] == ["office"]


@pytest.mark.parametrize(
    ("data", "faults"),
    [
        (b"{\\rtf1 " + A.encode() + b"\\par " + b"{" * 100_000, {("rtf", "nested-too-deep"): 1}),
        (b"{\\rtf1 " + A.encode() + b"\\par " + b"{\\footnote " * 5_000, {("rtf", "truncated"): 1}),
        (b"{\\rtf1 " + A.encode() + b"\\par " + b"{\\field{\\*\\fldinst " * 4_000, {("rtf", "truncated"): 1}),
        (b"{\\rtf1 " + A.encode() + b"\\par\\bin999999999 " + b"x" * 100_000, {("rtf", "truncated"): 1}),
        (b"{\\rtf1 " + A.encode() + b"\\par " + b"\\u-10179?" * 100_000 + b"}", {}),
    ],
)
def test_rich_text(tmp_path: Path, data: bytes, faults: dict[tuple[str, str], int]) -> None:
    found, tally = read(tmp_path, data)
    assert (found, tally.broken) == ([(A, None)], faults)


GROUPS = {
    r"{\*\shpinst{\sp{\sn pihlShape}{\sv {\*\hl{\hlfr http://1.example/}{\hlsrc http://2.example/}}}}}": "hlfr hlsrc",
    r"{\*\shpinst{\sp{\sn wzDescription}{\sv http://1.example/}}{\sp{\sn x}{\sv 75}}}": "sv",
    r"{\*\shppict{\pict{\*\picprop{\sp{\sn x}{\sv http://1.example/}}} http://no.example/}}": "sv",
    r'{\*\htmltag84 <a href="http://1.example/?&amp;">}{\*\mhtmltag84 <a href="http://no.example/">}': "htmltag",
    r"{\*\userprops{\propname x}\proptype30{\staticval http://1.example/}}": "staticval",
    r"{\*\docvar {n}{http://1.example/}}": "docvar",
    r"{\*\unknown http://1.ex{\b ample/}}": "unknown",
    r"{\*\datafield http://no.example/}{\*\svb http://no.example/}": "",
}


@pytest.mark.parametrize("group", GROUPS)
def test_groups_of_rich_text_with_a_text_of_their_own(tmp_path: Path, group: str) -> None:
    found, _ = read(tmp_path, rf"{{\rtf1 http://t.example/{group}/x}}".encode())
    places = [(f"http://{number}.example/", field) for number, field in enumerate(GROUPS[group].split(), 1)]
    assert [(uri.removesuffix("?&"), field) for uri, field in found] == [*places, ("http://t.example//x", None)]


def test_groups_in_the_instruction_of_a_field_of_rich_text(tmp_path: Path) -> None:
    inner = r"{\*\formfield{\*\ffname n}{\*\ffhelptext http://1.example/}x}"
    field = rf"{{\field{{\*\fldinst FORMTEXT {inner}}}{{\fldrslt y}}}}"
    assert read(tmp_path, rf"{{\rtf1 {field}}}".encode())[0] == [("http://1.example/", "ffhelptext")]
    field = rf'{{\field{{\*\fldinst {inner}HYPERLINK "{A}"{inner}}}{{\fldrslt y}}}}'
    found = [("http://1.example/", "ffhelptext")] * 2 + [(A, "HYPERLINK")]
    assert read(tmp_path, rf"{{\rtf1 {field}}}".encode())[0] == found


@pytest.mark.parametrize("before", [r" \par ", r"{\field{\*\fldinst HYPERLINK "])
@pytest.mark.parametrize("last", ["", "\\pa", "\\par", "\\'2", "\\", "\\line", "/\\u1", "\\tab"])
def test_rich_text_that_is_cut(tmp_path: Path, before: str, last: str) -> None:
    links = [f"{A}{number}" for number in range(2_000)]
    text = f"{{\\rtf1 {' '.join(links)} {before}http://cut.example{last}".encode()
    data = gzip.compress(text + b" .example/}", 0)
    (tmp_path / "a").write_bytes(data[: data.index(text) + len(text)])
    tally = Tally()
    found = extract_files(tmp_path, tally=tally, on_error=lambda *_: None)
    assert ([record.uri for record in found], tally.broken) == (links, {("gzip", "truncated"): 1})


@pytest.mark.parametrize("unit", [r"\u99?", r"\u-10179?", r"\u-8192?"])
def test_units_that_wait(unit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urisieve.sources.office.rtf._MOST_WAITING", 5)
    source = Content(source="a", kind=Kind.RTF, blocks=())
    reader = _RtfReader(Passages(Segments(run_of(tally=Tally()), source)))
    for _ in range(100):
        reader._read(unit.encode(), len(unit))
        assert len(reader._units) <= 6
    pair = rb"\u-10179?\u-8704?"  # not parted
    assert read(tmp_path, b"{\\rtf1 " + A.encode() + pair * 20 + b"}")[0] == [(f"{A}{'%F0%9F%98%80' * 20}", None)]


def test_the_package_and_the_navigation_of_a_book(tmp_path: Path) -> None:
    """What a book refers to may be in the web; its chapters are parts."""
    opf = (
        f'<package><metadata><meta name="x" content="{A}meta"/><link rel="record" href="{A}link"/></metadata><manifest>'
        f'<item id="a" href="{A}audio" media-type="audio/mpeg"/><item id="b" href="b.xhtml" '
        'media-type="application/xhtml+xml"/><item id="c" href="c.ncx" media-type="application/x-dtbncx+xml"/>'
        '</manifest><spine toc="c"><itemref idref="b"/></spine></package>'
    )
    parts: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>',
        "a.opf": opf,
        "b.xhtml": f"<p>{A}b</p>",
        "c.ncx": f'<?xml version="1.0"?><ncx><meta content="{A}uid"/><navLabel>{A}label</navLabel></ncx>',
    }
    found, tally = read(tmp_path, package(parts))
    assert [(uri.removeprefix(A), field) for uri, field in found] == [
        *(("meta", "a.opf / meta@content"), ("link", "a.opf / link@href"), ("audio", "a.opf / item@href")),
        *(("b", "chapter 1"), ("uid", "meta@content"), ("label", "navLabel")),
    ]
    assert (tally.broken, tally.skipped) == ({}, {})


@pytest.mark.parametrize("listed", [f"{A}1,{A}2", f"{A}1, {A}2"])
def test_the_values_that_a_cell_may_hold(tmp_path: Path, listed: str) -> None:
    validation = f'<dataValidation type="list"><formula1>"{listed}"</formula1></dataValidation>'
    data = workbook({"a": f"</sheetData><dataValidations>{validation}</dataValidations><sheetData>"})
    assert read(tmp_path, data)[0] == [(f"{A}1", "sheet 1"), (f"{A}2", "sheet 1")]


# ---------------------------------------------------------------- PDF


def made_pdf(
    page: str,
    *,
    pages: int = 1,
    count: int | None = None,
    start: int | None = None,
    embedded: bytes = b"",
    named: int = 1,
    links: Iterable[tuple[str, str]] = (),
    fields: Sequence[str] = (),
    more: str = "",
) -> bytes:
    """A PDF with pages that all hold the same, and perhaps a file, named so often, and links by area and target.

    The pages share the fields, each 20 high and 50 below the one before, from 700 on; `more` goes to the catalogue.
    """
    kids = " ".join(f"{6 + number} 0 R" for number in range(pages))
    files = "".join(f"({number}.pdf) 4 0 R " for number in range(named))
    names = f"/Names << /EmbeddedFiles << /Names [{files}] >> >>" if embedded else ""
    annotations = "".join(
        f"<< /Type /Annot /Subtype /Link /Rect [{area}] /A << /S /URI /URI ({target}) >> >>" for area, target in links
    ).encode()
    refs = " ".join(f"{6 + pages + number} 0 R" for number in range(len(fields)))
    annotations += refs.encode()
    font = "/DR << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> /DA (/F 12 Tf)"
    form = f"/AcroForm << /Fields [{refs}] {font} >>" if fields else ""
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {names} {form} {more} >>".encode(),
        f"<< /Type /Pages /Kids [{kids}] /Count {count or pages} >>".encode(),
        f"<< /Length {len(page)} >>\nstream\n{page}\nendstream".encode(),
        b"<< /Type /Filespec /F (in.pdf) /UF (in.pdf) /EF << /F 5 0 R >> >>",
        b"<< /Type /EmbeddedFile /Length %d >>\nstream\n%b\nendstream" % (len(embedded), embedded),
        *(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 3 0 R /Resources << /Font << /F << "
            b"/Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> /Annots [%b] >>" % annotations
            for _ in range(pages)
        ),
        *(
            f"<< /Type /Annot /Subtype /Widget /Rect [50 {700 - 50 * number} 350 {720 - 50 * number}] {one} >>".encode()
            for number, one in enumerate(fields)
        ),
    ]
    data, offsets = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%b\nendobj\n" % (number, text)
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    where = len(data) if start is None else start
    size = len(objects) + 1
    data += f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer << /Root 1 0 R /Size {size} >>\n".encode()
    return data + f"startxref\n{where}\n%%EOF\n".encode()


BUTTON: Final = "/FT /Btn /Ff 65536 /F 4"


def action(target: str, more: str = "") -> str:
    return f"<< /S /URI /URI ({target}) {more} >>"


SHOWN = f"BT /F 9 Tf 50 700 Td ({A}) Tj ET"


def test_pdf_pages(tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")
    found, tally = read(tmp_path, made_pdf(SHOWN, pages=3))
    assert found == [(A, "page 1"), (A, "page 2"), (A, "page 3")]
    assert tally.read["page"] == 3


@pytest.mark.skipif(sys.platform != "linux", reason="names are Unicode there")
def test_pdf_with_a_name_that_is_not_utf_8(tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")
    assert read(tmp_path, made_pdf(SHOWN), "a\udcff.pdf")[0] == [(A, "page 1")]


def test_pdf_with_a_wrong_table(tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")
    assert read(tmp_path, made_pdf(SHOWN, start=3))[0] == [(A, "page 1")]  # the objects are found without it
    found, tally = read(tmp_path, b"%PDF-1.4\nno object\n%%EOF")
    assert (found, tally.broken) == ([], {("pdf", "corrupt"): 1})


@pytest.mark.sampled(2)
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-8-sig", "utf-8"])
def test_pdf_with_a_link_in_unicode(encoding: str, tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")
    link = "http://link.example/é?a=1"
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    written = b"<%b>" % (mark + link.encode(encoding)).hex().encode()
    data = made_pdf(SHOWN, links=[("50 690 300 710", "TARGET")]).replace(b"(TARGET)", written)
    found, _ = read(tmp_path, data)
    assert ("http://link.example/%C3%A9?a=1", "page 1 / link") in found


def test_pdf_that_claims_many_pages(tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")
    found, tally = read(tmp_path, made_pdf(SHOWN, count=1_000))
    assert found == [(A, "page 1")]
    assert tally.broken == {("page", "corrupt"): 999}


@pytest.mark.parametrize("count", [20_000, pytest.param(200_000, marks=pytest.mark.long)])
def test_pdf_with_a_million_glyphs(tmp_path: Path, count: int) -> None:
    pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")
    found, tally = read(tmp_path, made_pdf(f"{SHOWN} " + "BT /F 9 Tf 50 600 Td (words) Tj ET " * count))
    assert (found, tally.broken) == ([(A, "page 1")], {})


WORKER = """
import json, os, sys
print('{{"ready": true}}', flush=True)
for line in sys.stdin:
    request = json.loads(line)
    print('{{"pages": 6, "files": 2}}', flush=True)
    for part in range(request["first"], 9):
        if part in {lost}:
            print('{{"part": 3, "te', end="", flush=True)
            os._exit(1)
        answer = {{"part": part, "text": f"http://p{{part + 1}}.example/", "links": [], "notes": [], "fields": []}}
        if part == 4:
            answer = {{"part": 4, "error": "broken"}}
        if part == 6:
            answer = {{"part": 6, "information": {{"Title": "http://title.example/"}}, "links": []}}
        if part > 6:
            answer = {{"part": part, "name": f"{{part}}.txt", "data": "aHR0cDovL2EuZXhhbXBsZS8="}}
        print(json.dumps({{**answer, "seconds": {seconds}}}), flush=True)
    print('{{"end": true}}', flush=True)
"""
UNLIMITED: Final = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("worker", {path!r})
worker = importlib.util.module_from_spec(spec)
spec.loader.exec_module(worker)
sys.platform, worker._limit = "other", lambda *_: None
{change}
worker.main()
"""
PAGES = [(f"http://p{number}.example/", f"page {number}") for number in (1, 2, 3, 4, 6)]
TITLE = [("http://title.example/", "Title")]


@pytest.fixture
def use_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Sets the script that reads PDF."""

    def use(script: str) -> None:
        path = tmp_path.with_suffix(".py")
        path.write_text(script)
        monkeypatch.setattr(pdf, "_SCRIPT", path)
        monkeypatch.setattr(pdf, "is_installed", lambda: True)

    return use


@pytest.mark.parametrize(
    ("lost", "expected", "faults"),
    [
        ([1, 2], [PAGES[0], *PAGES[3:], *TITLE, (A, None)], {("page", "unreadable"): 2}),
        ([5], [*PAGES[:4], *TITLE, (A, None)], {("page", "unreadable"): 1}),
        ([6], [*PAGES, (A, None)], {("pdf", "unreadable"): 1}),
        ([7], [*PAGES, *TITLE, (A, None)], {("pdf", "unreadable"): 1}),
        ([7, 8], [*PAGES, *TITLE], {("pdf", "unreadable"): 2}),
    ],
)
def test_what_ends_the_reader_costs_that_part(
    tmp_path: Path,
    use_worker: Callable[[str], None],
    lost: list[int],
    expected: list[tuple[str, str | None]],
    faults: dict[tuple[str, str], int],
) -> None:
    use_worker(WORKER.format(lost=lost, seconds=0))
    found, tally = read(tmp_path, made_pdf(""))
    assert found == expected
    assert tally.broken == {**faults, ("page", "corrupt"): 1}


def test_what_ends_the_reader_behind_a_page_costs_no_other(tmp_path: Path, use_worker: Callable[[str], None]) -> None:
    more = """if part == 2:
            answer["next"] = "a file attached to it"
            print(json.dumps({**answer, "seconds": 0}), flush=True)
            os._exit(1)
        """
    use_worker(WORKER.format(lost=[1], seconds=0).replace("if part == 4", f"{more}if part == 4"))
    found, tally = read(tmp_path, made_pdf(""))
    assert found == [PAGES[0], *PAGES[2:], *TITLE, (A, None)]
    assert tally.broken == {("page", "corrupt"): 1, ("page", "unreadable"): 2}


@pytest.mark.parametrize("fields", [[], [f"/T (a) {BUTTON} /A {action(A)}"]])
def test_a_file_attached_to_a_page_that_ends_the_reader(
    tmp_path: Path, fields: list[str], use_worker: Callable[[str], None]
) -> None:
    pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")
    end = "class Ending:\n    def __init__(self, *_):\n        sys.exit(1)\n"
    use_worker(
        UNLIMITED.format(path=str(pdf._SCRIPT), change=f"{end}import pypdfium2\npypdfium2.PdfAttachment = Ending")
    )
    data = made_pdf(SHOWN, pages=2, embedded=b"x", fields=["/Kids []", *fields])
    data = data.replace(b"/Names << /EmbeddedFiles", b"/Other << /EmbeddedFiles")  # no list names it
    data = data.replace(b"/Subtype /Widget", b"/Subtype /FileAttachment /FS 4 0 R", 1)
    found, tally = read(tmp_path, data)
    links = [" / link"] * len(fields)
    assert found == [(A, f"page {number}{where}") for number in (1, 2) for where in ("", *links)]
    assert tally.broken == {("page", "unreadable"): 2}


def test_no_more_parts_are_lost_than_a_few(tmp_path: Path, use_worker: Callable[[str], None]) -> None:
    use_worker(WORKER.format(lost=range(20), seconds=0).replace("6,", "16,", 1).replace("9)", "19)", 1))
    found, tally = read(tmp_path, made_pdf(""))
    assert (found, tally.broken) == ([], {("page", "unreadable"): 9, ("pdf", "unreadable"): 1})


def test_a_reader_that_cannot_be_started_is_said_once(tmp_path: Path, use_worker: Callable[[str], None]) -> None:
    use_worker("import sys\nsys.exit(1)")
    (tmp_path / "a").write_bytes(made_pdf(""))
    tally = Tally()
    with pytest.raises(InputError, match="the reader of PDF cannot be started"):
        list(extract_files(tmp_path, tally=tally))
    assert tally.broken == {("file", "unreadable"): 1}


def test_a_file_that_ends_the_reader_before_its_first_page(tmp_path: Path, use_worker: Callable[[str], None]) -> None:
    use_worker("print('{}', flush=True)\ninput()")
    found, tally = read(tmp_path, made_pdf(""))
    assert (found, tally.broken) == ([], {("pdf", "unreadable"): 1})


@pytest.mark.parametrize(("lost", "pages"), [([], 3), ([1], 4)])
def test_all_processes_of_a_file_have_one_time(
    tmp_path: Path, use_worker: Callable[[str], None], lost: list[int], pages: int
) -> None:
    use_worker(WORKER.format(lost=lost, seconds=pdf._FILE_SECONDS * 0.4))
    found, tally = read(tmp_path, made_pdf(""))
    assert found == [one for one in PAGES[:pages] if one != PAGES[1] or not lost]
    assert tally.broken["pdf", "time-limit"] == 1


def test_the_worker_ends_with_its_owner() -> None:
    worker = pdf._Worker()
    process = worker.process
    del worker
    assert process.returncode is not None


def test_a_worker_that_ended_by_itself_costs_no_page(tmp_path: Path, use_worker: Callable[[str], None]) -> None:
    use_worker(WORKER.format(lost=[], seconds=0) + "    break\n")  # after one file
    (tmp_path / "b").write_bytes(made_pdf(""))
    found, tally = read(tmp_path, made_pdf(""))
    assert found == [*PAGES, *TITLE, (A, None)] * 2
    assert tally.broken == {("page", "corrupt"): 2}


def test_a_pdf_in_a_pdf(tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")
    data = made_pdf(SHOWN)
    for _ in range(2):
        data = made_pdf(SHOWN, pages=2, embedded=data)
    (tmp_path / "b").write_bytes(made_pdf(SHOWN))
    found, tally = read(tmp_path, data)
    assert [field for _, field in found] == ["page 1", "page 2"] * 2 + ["page 1"] * 2
    assert tally.broken == {}


def test_a_file_that_a_pdf_names_often_is_read_once(tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")
    data = made_pdf(SHOWN)
    for _ in range(2):
        data = made_pdf(SHOWN, embedded=data, named=12)
    found, tally = read(tmp_path, data)
    assert found == [(A, "page 1")] * 3
    assert tally.broken == {}


@pytest.mark.parametrize(
    ("limits", "pages", "fault"),
    [
        ({"depth": 3}, 4, "nesting-limit"),
        ({"total_allowance": 2_500_000, "ratio": 1}, 3, "ratio-limit"),
    ],
)
def test_pdfs_in_one_another_are_limited(tmp_path: Path, limits: dict[str, Any], pages: int, fault: str) -> None:
    pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")
    data = made_pdf(SHOWN)
    for _ in range(6):
        data = made_pdf(SHOWN, embedded=data)
    found, tally = read(tmp_path, data, **limits)
    assert found == [(A, "page 1")] * pages
    assert tally.broken == {("pdf", fault): 1}


def test_all_targets_of_a_page_have_one_limit(tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")
    links = [(f"0 {number} 9 {number}", f"{A}{number}" + "x" * 1_000_000) for number in range(6)]
    (tmp_path / "a.pdf").write_bytes(made_pdf(SHOWN, links=links))
    _, page, *_ = pdf._Worker().answers(str(tmp_path / "a.pdf"), 0)
    assert len(page["links"]) == 4
    _, tally = read(tmp_path, (tmp_path / "a.pdf").read_bytes())
    assert tally.broken["page", "too-long"] >= 1


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("areas", "count"),
    [
        (["400 690 550 702", "50 676 120 688"], 1),  # the second on the next line
        (["400 690 550 702", "50 676 550 688", "50 662 99 674"], 1),
        (["50 690 120 702", "120 690 180 702"], 1),  # one beside the other
        (["50 690 120 702", "300 690 380 702"], 2),  # on one line, not beside it
        (["50 690 120 710", "50 90 220 110"], 2),  # far below
        (["50 90 220 110", "50 690 120 710"], 2),  # above: the next column
        (["50 690 120 702", "400 676 480 688"], 2),  # not where its line begins
        (["50 690 120 702", "50 688 120 704", "70 692 100 700"], 1),  # one in the other
        (["50 700 550 701", "50 670 550 688", "50 650 550 665"], 1),  # an edge above lines of a block
    ],
)
def test_areas_of_one_link(tmp_path: Path, areas: list[str], count: int) -> None:
    pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")
    found, _ = read(tmp_path, made_pdf("", links=[(area, A) for area in areas]))
    assert found == [(A, "page 1 / link")] * count


def test_the_next_line_may_be_another_link(tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")
    shown = "BT /F 9 Tf 50 700 Td (Shop) Tj 0 -14 Td (http://bank.example/) Tj ET"
    (tmp_path / "a.pdf").write_bytes(made_pdf(shown, links=[("50 698 150 710", A), ("50 684 150 696", A)]))
    records = [one for one in extract_files([str(tmp_path / "a.pdf")]) if one.uri == A]
    assert [one.warnings for one in records] == [(), ("text-differs-from-target",)]


# A field of a form, and what is found in it.
FIELDS: Final = [
    (f"/T (a) /FT /Tx /F 4 /V (see {A}value) /DV ({A}value)", [(f"{A}value", "field")]),
    (f"/T (b) {BUTTON} /MK << /CA (see {A}caption) >>", [(f"{A}caption", "field")]),
    (f"/T (c) {BUTTON} /MK << /CA (go) >> /A {action(f'{A}a?b&c')}", [(f"{A}a?b&c", "link")]),
    (f"/T (d) {BUTTON} /AA << /U {action(f'{A}up')} >>", [(f"{A}up", "link")]),
    (f"/T (e) /FT /Tx /F 4 /V (v) /TU (see {A}tip) /A {action(A)}", [(f"{A}tip", "field"), (A, "link")]),
    (f"/T (f) /FT /Btn /F 4 /A {action(A)}", [(A, "link")]),
    (f"/T (g) /FT /Btn /Ff 65537 /F 2 /A {action(A)}", [(A, "link")]),  # hidden, and not to be changed
    (f"/T (h) {BUTTON} /A << /S /GoTo /D [6 0 R /Fit] /Next {action(A)} >>", [(A, "link")]),
    (f"/T (i) {BUTTON} /A << /S /SubmitForm /F << /FS /URL /F ({A}send) >> >>", [(f"{A}send", "link")]),
    (f"/T (j) /FT /Ch /Ff 131072 /F 4 /Opt [({A}1) [(x) ({A}2)]] /V ({A}1)", [(f"{A}1", "field"), (f"{A}2", "field")]),
    (f"/T (k) {BUTTON} /A << /S /JavaScript /JS (app.launchURL\\('{A}'\\)) >>", []),
]


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("field", "expected"), FIELDS)
def test_a_field_of_a_form(tmp_path: Path, field: str, expected: list[tuple[str, str]]) -> None:
    pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")
    found, tally = read(tmp_path, made_pdf(SHOWN, fields=[field]))
    assert found == [(A, "page 1"), *((uri, f"page 1 / {where}") for uri, where in expected)]
    assert tally.broken == {}


def test_all_fields_of_a_form(tmp_path: Path) -> None:
    """What a click on one does is no matter of the others, of which one lies on another and one resets all values."""
    pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")
    reset = f"/T (r) {BUTTON} /A << /S /ResetForm /Next {action(f'{A}reset')} >>"
    fields = [
        reset,
        *(field for field, _ in FIELDS),
        *(f"/T (z{n}) {BUTTON} /A {action(f'{A}z{n}')}" for n in range(2)),
    ]
    wanted = [(f"{A}reset", "link"), *(one for _, expected in FIELDS for one in expected)]
    wanted += [(f"{A}z0", "link"), (f"{A}z1", "link")]
    data = made_pdf(SHOWN, fields=fields)
    for number in range(2):  # one on the other
        data = data.replace(f"[50 {100 - 50 * number} 350".encode(), b"[50 100 350")
    found, _ = read(tmp_path, data)
    assert sorted(found) == sorted([(A, "page 1"), *((uri, f"page 1 / {where}") for uri, where in wanted)])


@pytest.mark.parametrize("act", ["/S /ResetForm", "/S /Hide /T (z)"])
def test_a_click_changes_no_page_behind_it(tmp_path: Path, act: str) -> None:
    pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")
    fields = [f"/T (r) {BUTTON} /A << {act} /Next {action(f'{A}r')} >>", f"/T (z) {BUTTON} /MK << /CA ({A}z) >>"]
    fields.append(f"/T (v) /FT /Tx /F 4 /V ({A}v)")
    found, tally = read(tmp_path, made_pdf(SHOWN, pages=3, fields=fields))
    here = [(A, ""), (f"{A}v", " / field"), (f"{A}r", " / link"), (f"{A}z", " / field")]
    assert found == [(uri, f"page {number}{where}") for number in (1, 2, 3) for uri, where in here]
    assert tally.broken == {}


def test_a_caption_that_stands_on_the_page_comes_once(tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")
    page = f"BT /F 9 Tf 55 705 Td ({A}) Tj ET"
    found, _ = read(tmp_path, made_pdf(page, fields=[f"/T (a) {BUTTON} /A {action(A)}"]))
    assert found == [(A, "page 1"), (A, "page 1 / link")]


def test_a_file_that_is_attached_to_a_page(tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")
    data = made_pdf(SHOWN, pages=2, embedded=made_pdf(SHOWN), fields=["/Kids []"])
    data = data.replace(b"/Names << /EmbeddedFiles", b"/Other << /EmbeddedFiles")  # no list names it
    data = data.replace(b"/Subtype /Widget", b"/Subtype /FileAttachment /FS 4 0 R /Contents (see it)")
    (tmp_path / "z.pdf").write_bytes(made_pdf(""))
    found, tally = read(tmp_path, data)
    assert found == [(A, "page 1"), (A, "page 1"), (A, "page 2")]  # the file is the same on both pages
    assert tally.broken == {}


def test_links_of_an_outline(tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")
    first = f"<< /Title (see) /A {action(A)} /Parent << >> >>"
    found, _ = read(tmp_path, made_pdf("", more=f"/Outlines << /First {first} >>"))
    assert found == [(A, "outline / link")]


@pytest.mark.parametrize(
    ("limit", "lower", "clicked"),
    [
        ("_MOST_CLICKED: Final = 1_024", "_MOST_CLICKED: Final = 24", 24),
        ("_CLICK_SECONDS: Final = 3", "_CLICK_SECONDS: Final = -1", 0),
    ],
)
def test_many_fields(tmp_path: Path, use_worker: Callable[[str], None], limit: str, lower: str, clicked: int) -> None:
    pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")
    script = pdf._SCRIPT.read_text()
    assert limit in script
    use_worker(script.replace(limit, lower))
    fields = [f"/T (a{number}) {BUTTON} /A {action(f'{A}{number}')}" for number in range(30)]
    found, tally = read(tmp_path, made_pdf(SHOWN, fields=[*fields, f"/T (z) /FT /Tx /F 4 /V ({A}z)"]))
    links = [(f"{A}{n}", "page 1 / link") for n in range(clicked)]
    assert found == [(A, "page 1"), (f"{A}z", "page 1 / field"), *links]
    assert tally.broken == {("page", "too-long"): 1}


def test_a_reader_that_is_left_in_the_middle_of_a_file(tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")
    (tmp_path / "a.pdf").write_bytes(made_pdf(SHOWN, pages=3))
    for _ in range(3):
        records = extract_files(tmp_path)
        assert next(records).field == "page 1"
        del records


@pytest.mark.parametrize(
    "change",
    [
        "worker.PART_SECONDS = -100",
        "used = worker._used_memory()\nworker._used_memory = lambda: used + (worker._Allowed.until < 1e9) * 2**31",
    ],
)
def test_the_worker_ends_itself_where_the_system_does_not(
    tmp_path: Path, change: str, use_worker: Callable[[str], None]
) -> None:
    pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")
    use_worker(UNLIMITED.format(path=str(pdf._SCRIPT), change=change))
    found, tally = read(tmp_path, made_pdf(f"{SHOWN} " + "BT /F 9 Tf 50 600 Td (words) Tj ET " * 200_000))
    assert found == []
    assert {reason for _, reason in tally.broken} == {"unreadable"}


@pytest.mark.skipif(sys.platform == "win32", reason="the system has no limits")
@pytest.mark.parametrize(
    ("before", "least", "most"),
    [
        ("", 1, 4 * 1_073_741_824),
        ("resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000, 1_500_000_000))", 1, 1_500_000_000),
        ("def refuse(*_): raise ValueError\nresource.setrlimit = refuse", -1, -1),
    ],
)
def test_the_worker_is_limited(tmp_path: Path, before: str, least: int, most: int) -> None:
    """What takes too long or too much memory ends the process, as far as the system can do that."""
    import subprocess

    pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")
    code = f"""import json, resource, runpy, sys
{before}
sys.stdin = ['{{"path": "none", "first": 0}}']
runpy.run_path(sys.argv[1], run_name="__main__")
print(json.dumps([resource.getrlimit(one)[0] for one in (resource.RLIMIT_AS, resource.RLIMIT_CPU)]))
"""
    ran = subprocess.run([sys.executable, "-c", code, str(pdf._SCRIPT)], capture_output=True, check=True, text=True)
    memory, seconds = json.loads(ran.stdout.splitlines()[-1])
    assert least <= memory <= most
    assert (0 < seconds < 60) is (most > 0)
