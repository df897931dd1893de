"""Write tests/sources/office/data: documents made by the programs that people use, with a link in each place for one.

Use: python tools/make_document_samples.py FOLDER

It needs LibreOffice (`soffice`), Chromium, and the packages python-docx, openpyxl, python-pptx, ebooklib and reportlab.
The host of a link says where it stands; `tests/sources/office/test_documents.py` lists what is found.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{space}"'
    for name, space in {
        **{name: f"{name}:1.0" for name in ("office", "text", "table", "style", "presentation", "meta")},
        "draw": "drawing:1.0",
        "fo": "xsl-fo-compatible:1.0",
        "svg": "svg-compatible:1.0",
        "of": "of:1.2",
    }.items()
)
HEAD = (
    f'<?xml version="1.0" encoding="UTF-8"?><office:document {SPACES} xmlns:xlink="http://www.w3.org/1999/xlink" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" office:version="1.3" '
    'office:mimetype="application/vnd.oasis.opendocument.{kind}">'
    "<office:meta><dc:title>http://title.example/</dc:title></office:meta>"
    '<office:automatic-styles><style:style style:name="B" style:family="text"><style:text-properties '
    'fo:font-weight="bold"/></style:style><style:page-layout style:name="L"><style:header-style/><style:footer-style/>'
    "</style:page-layout></office:automatic-styles>"
)
MASTER = (
    '<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="L">'
    "<style:header><text:p>http://header.example/</text:p></style:header>"
    "<style:footer><text:p>http://footer.example/</text:p></style:footer></style:master-page></office:master-styles>"
)
TEXT = f"""{HEAD.format(kind="text")}{MASTER}<office:body><office:text>
<text:p>see http://bold.ex<text:span text:style-name="B">ample/a</text:span> and <text:a xlink:type="simple"
xlink:href="http://target.example/?a=1&amp;b=2">http://shown.example/</text:a> then http://after.example/</text:p>
<text:p>noted<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body>
<text:p>http://footnote.example/</text:p></text:note-body></text:note> ended<text:note text:note-class="endnote">
<text:note-citation>i</text:note-citation><text:note-body><text:p>http://endnote.example/</text:p></text:note-body>
</text:note> said<office:annotation><dc:creator>me</dc:creator><text:p>http://comment.example/</text:p>
</office:annotation></text:p>
<table:table><table:table-column/><table:table-row><table:table-cell><text:p>http://cell.example/</text:p>
</table:table-cell></table:table-row></table:table>
<text:p><draw:frame svg:width="5cm" svg:height="2cm" text:anchor-type="paragraph"><draw:text-box>
<text:p>http://box.example/</text:p></draw:text-box></draw:frame></text:p>
<text:list><text:list-item><text:p>http://item.example/</text:p></text:list-item></text:list>
</office:text></office:body></office:document>"""
SHEETS = f"""{HEAD.format(kind="spreadsheet")}{MASTER}<office:body><office:spreadsheet>
<table:table table:name="One"><table:table-column/><table:table-row><table:table-cell office:value-type="string">
<text:p>http://bold.ex<text:span text:style-name="B">ample/a</text:span></text:p></table:table-cell>
<table:table-cell table:number-columns-repeated="2"/><table:table-cell office:value-type="string"><text:p><text:a
xlink:type="simple" xlink:href="http://target.example/?a=1&amp;b=2">http://shown.example/</text:a></text:p>
</table:table-cell></table:table-row></table:table>
<table:table table:name="Two"><table:table-column/><table:table-row table:number-rows-repeated="6"><table:table-cell/>
</table:table-row><table:table-row><table:table-cell/><table:table-cell office:value-type="string"
table:formula="of:=HYPERLINK(&quot;http://formula.example/&quot;;&quot;click&quot;)"><text:p>click</text:p>
</table:table-cell><table:table-cell office:value-type="string"><office:annotation><text:p>http://comment.example/</text:p>
</office:annotation><text:p>x</text:p></table:table-cell></table:table-row></table:table>
</office:spreadsheet></office:body></office:document>"""
SLIDE = """<draw:page draw:name="{name}" draw:master-page-name="Standard"><draw:frame svg:width="9cm" svg:height="2cm"
svg:x="1cm" svg:y="1cm"><draw:text-box><text:p>{text}</text:p></draw:text-box></draw:frame>
<presentation:notes><draw:frame presentation:class="notes" svg:width="9cm" svg:height="9cm" svg:x="1cm" svg:y="9cm">
<draw:text-box><text:p>{notes}</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>"""
SLIDES = (
    f'{HEAD.format(kind="presentation")}<office:master-styles><style:master-page style:name="Standard" '
    'style:page-layout-name="L"/></office:master-styles><office:body><office:presentation>'
    + SLIDE.format(name="1", text="http://slide.ex<text:span text:style-name='B'>ample/a</text:span>", notes="x")
    + SLIDE.format(
        name="2",
        text='<text:a xlink:href="http://target.example/?a=1&amp;b=2">http://shown.example/</text:a>',
        notes="http://notes.example/",
    )
    + "</office:presentation></office:body></office:document>"
)
PAGE = """<!doctype html><title>http://title.example/</title><p>see http://page.ex<b>ample/a</b> and
<a href="http://target.example/?a=1&amp;b=2">http://shown.example/</a><p style="break-before: page">http://second.example/"""
# What stands once has several areas: a link around blocks, a button, a picture, over lines; two real ones stay two.
AREAS = """<!doctype html><style>a.card { display: block; border: 1px solid }</style>
<p><a href="http://picture.example/"><img width=30 height=30 src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEA
AAAALAAAAAABAAEAAAIBRAA7"></a> <a href="http://button.example/"><button>go</button></a>
<a class=card href="http://card.example/"><h3>One</h3><p>two</p><div>three</div></a>
<p style="width: 120px"><a href="http://lines.example/">a link that goes on over <b>several</b> lines</a>
<p><a href="http://twice.example/">one</a> and, at the end of this, <a href="http://twice.example/">two</a>
<form><input value="http://value.example/"><textarea>http://area.example/</textarea></form>"""


def office(folder: Path, name: str, text: str, *kinds: str) -> None:
    """Let LibreOffice write a flat document of OpenDocument in other formats."""
    flat = folder / f"office.f{name}"
    flat.write_text(text)
    for kind in kinds:
        subprocess.run(["soffice", "--headless", "--convert-to", kind, "--outdir", folder, flat], check=True)
    flat.unlink()


def word(path: Path) -> None:
    """A document of python-docx, with the fields of Word as Word writes them."""
    docx: Any = import_module("docx")
    element: Any = import_module("docx.oxml").parse_xml
    spaces: str = import_module("docx.oxml.ns").nsdecls("w", "r", "wp")
    document = docx.Document()
    document.core_properties.comments = "http://title.example/"
    paragraph = document.add_paragraph("see http://bold.ex")
    paragraph.add_run("ample/a").bold = True
    paragraph.add_run(" and ")
    hyperlink = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"
    link = document.part.relate_to("http://target.example/?a=1&b=2", hyperlink, is_external=True)
    paragraph._p.append(
        element(f'<w:hyperlink {spaces} r:id="{link}"><w:r><w:t>http://shown.example/</w:t></w:r></w:hyperlink>')
    )
    for run in (
        '<w:fldChar w:fldCharType="begin"/>',
        '<w:instrText xml:space="preserve"> HYPERLINK "http://fie</w:instrText>',
        '<w:instrText xml:space="preserve">ld.example/x" \\o "tip" </w:instrText>',
        '<w:fldChar w:fldCharType="separate"/>',
        "<w:t>click</w:t>",
        '<w:fldChar w:fldCharType="end"/>',
        "<w:t>http://after.example/</w:t>",
    ):
        paragraph._p.append(element(f"<w:r {spaces}>{run}</w:r>"))
    simple = "HYPERLINK &quot;http://simple.example/&quot; \\l &quot;part&quot;"
    paragraph._p.append(element(f'<w:fldSimple {spaces} w:instr="{simple}"><w:r><w:t>simple</w:t></w:r></w:fldSimple>'))
    paragraph._p.append(
        element(
            f'<w:del {spaces} w:id="1" w:author="me"><w:r><w:delText>http://deleted.example/</w:delText></w:r></w:del>'
        )
    )
    document.add_comment(paragraph.runs[0], text="http://comment.example/")
    document.add_table(1, 1).cell(0, 0).text = "http://cell.example/"
    document.sections[0].header.paragraphs[0].text = "http://header.example/"
    document.sections[0].footer.paragraphs[0].text = "http://footer.example/"
    template = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate"
    document.part._settings_part.relate_to("http://template.example/x.dotm", template, is_external=True)
    document.save(path)


def workbook(path: Path) -> None:
    """A workbook of openpyxl."""
    openpyxl: Any = import_module("openpyxl")
    comment: Any = import_module("openpyxl.comments").Comment
    book = openpyxl.Workbook()
    first, second = book.active, book.create_sheet("Two")
    first["A1"] = first["A2"] = "see http://cell.example/"
    first["B2"] = "click"
    first["B2"].hyperlink = "http://target.example/?a=1&b=2"
    second["B7"] = '=HYPERLINK("http://formula.example/","click")'
    second["C3"] = "x"
    second["C3"].comment = comment("http://comment.example/", "me")
    second.oddHeader.center.text = "http://header.example/"
    validation = import_module("openpyxl.worksheet.datavalidation").DataValidation(type="whole")
    validation.prompt = "http://prompt.example/"
    validation.add("D4")
    second.add_data_validation(validation)
    book.save(path)


def presentation(path: Path) -> None:
    """Slides of python-pptx, without the pictures of its template."""
    slides: Any = import_module("pptx").Presentation()
    first = slides.slides.add_slide(slides.slide_layouts[1])
    first.shapes.title.text = "http://title.example/"
    paragraph = first.placeholders[1].text_frame.paragraphs[0]
    for text in ("http://shown.ex", "ample/"):
        run = paragraph.add_run()
        run.text = text
        run.hyperlink.address = "http://target.example/?a=1&b=2"
    first.notes_slide.notes_text_frame.text = "http://notes.example/"
    second = slides.slides.add_slide(slides.slide_layouts[1])
    second.shapes.title.click_action.hyperlink.address = "http://shape.example/"
    second.shapes.add_table(1, 1, 0, 0, 9, 9).table.cell(0, 0).text = "http://cell.example/"
    slides.save(path)


def book(path: Path) -> None:
    """A book of ebooklib: its chapters are not in the order of their names."""
    epub: Any = import_module("ebooklib.epub")
    made = epub.EpubBook()
    made.set_identifier("urn:isbn:0395363411")
    made.set_title("book")
    made.add_metadata("DC", "source", "http://source.example/")
    for number in (3, 1, 2):
        chapter = epub.EpubHtml(title=f"{number}", file_name=f"part{number}.xhtml")
        chapter.content = (
            f"<p>http://text{number}.ex<b>ample</b>/ <a href='http://target{number}.example/'>x</a> "
            "<a href='part1.xhtml'>y</a></p>"
        )
        made.add_item(chapter)
        made.spine.append(chapter)
    style = b"@import url(http://style.example/);"
    made.add_item(epub.EpubItem(uid="css", file_name="a.css", media_type="text/css", content=style))
    made.add_item(epub.EpubNcx())
    made.add_item(epub.EpubNav())
    epub.write_epub(path, made)


def pages(path: Path) -> None:
    """Pages of reportlab: links that line breaks cut, a link on text, a note, an encrypted twin."""
    canvas: Any = import_module("reportlab.pdfgen.canvas").Canvas
    for encrypt in (None, "secret"):
        page = canvas(str(path if encrypt is None else path.with_stem("locked")), encrypt=encrypt, invariant=True)
        page.setTitle("http://title.example/")
        lines = ("http://plain.example/a", "<http://hyphen.example/very-", "long/x>", "<http://slash.example/", "y/z>")
        for number, line in enumerate(lines):
            page.drawString(50, 800 - 20 * number, line)
        page.drawString(50, 600, "http://shown.example/")
        page.linkURL("http://target.example/?a=1&b=2", (45, 595, 200, 615))
        page.textAnnotation("http://note.example/", (300, 300, 320, 320))
        page.showPage()
        page.drawString(50, 800, "http://second.example/")
        page.save()


def forms(path: Path) -> None:
    """Fields of reportlab, each with a link as its value, its choice or its description."""
    page: Any = import_module("reportlab.pdfgen.canvas").Canvas(str(path), invariant=True)
    page.drawString(50, 800, "http://page.example/")
    for number in (1, 2):
        value = f"http://value{number}.example/?a=1&b=2"
        page.acroForm.textfield(
            name=f"text{number}", value=value, tooltip="http://tip.example/", x=50, y=700, width=300
        )
        page.acroForm.textfield(name=f"lines{number}", value="http://line.example/\nx", fieldFlags="multiline", y=600)
        choices = ["http://one.example/", "http://two.example/"]
        page.acroForm.choice(name=f"choice{number}", value=choices[1], options=choices, x=50, y=500, width=200)
        page.acroForm.checkbox(name=f"box{number}", checked=True, x=50, y=400)
        page.showPage()
    page.save()


def printed(path: Path, page: str) -> None:
    """Let Chromium print a page."""
    written = path.with_suffix(".html")
    written.write_text(page)
    flags = ("--headless", "--no-sandbox", "--no-pdf-header-footer", f"--print-to-pdf={path}")
    subprocess.run(["chromium", *flags, written.absolute().as_uri()], check=True)
    written.unlink()


def main() -> None:
    """Write all samples."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    office(folder, "odt", TEXT, "odt", "docx", "doc", "rtf", "pdf")
    office(folder, "ods", SHEETS, "ods", "xlsx", "xls")
    office(folder, "odp", SLIDES, "odp", "pptx", "ppt")
    word(folder / "python.docx")
    workbook(folder / "python.xlsx")
    presentation(folder / "python.pptx")
    book(folder / "python.epub")
    pages(folder / "python.pdf")
    forms(folder / "forms.pdf")
    printed(folder / "chromium.pdf", PAGE)
    printed(folder / "areas.pdf", AREAS)
    slides = folder / "office.ppt"  # half a megabyte of nothing
    slides.with_suffix(".ppt.gz").write_bytes(gzip.compress(slides.read_bytes(), mtime=0))
    slides.unlink()
    for path in (*folder.glob("*.docx"), *folder.glob("*.xlsx"), *folder.glob("*.pptx")):
        _shrink(path)


def _shrink(path: Path) -> None:
    """Write a package anew without its pictures, which take more than all the rest."""
    with ZipFile(path) as package:
        parts = [(info, package.read(info)) for info in package.infolist()]
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=9) as package:
        for info, data in parts:
            if not info.filename.endswith((".jpeg", ".png", ".bin")):
                package.writestr(info, data, ZIP_DEFLATED, 9)


if __name__ == "__main__":
    main()
