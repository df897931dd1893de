"""Documents from a seed, each with the same paragraphs: those of an office, books, PDF, saved pages, chats, histories.

They are written by hand, as small as the programs that read them allow; those of the old formats by LibreOffice.
"""

from __future__ import annotations

import json
import plistlib
import quopri
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from html import escape
from pathlib import Path
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from benchmarks.words import Words

__all__ = ["KINDS", "Paragraph", "document", "paragraphs"]

_WORDS = 30
# Paragraphs of a page, a slide, a chapter, a sheet.
_PAGE, _SLIDE, _CHAPTER, _SHEET = 20, 8, 200, 8_000
_SITE = "https://site.example/page"
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MARKUP = "application/vnd.openxmlformats-officedocument"
_OPEN = "urn:oasis:names:tc:opendocument:xmlns"
_SPACES = f'xmlns:draw="{_OPEN}:drawing:1.0" xmlns:svg="{_OPEN}:svg-compatible:1.0" ' + " ".join(
    f'xmlns:{name}="{_OPEN}:{name}:1.0"' for name in ("office", "text", "table", "manifest")
)

_Made = Sequence["Paragraph"]


class Paragraph(NamedTuple):
    """A text, and the link behind it, if there is one: its target and what it shows."""

    text: str
    target: str = ""
    shown: str = ""

    @property
    def plain(self) -> str:
        """Its text with the target of its link, for formats that have no links on text."""
        return self.text + self.target


def paragraphs(size: int) -> list[Paragraph]:
    """Paragraphs of so many characters together: one of four has a bare link in it, another one a link behind it."""
    words = Words("documents")
    made: list[Paragraph] = []
    while size > 0:
        text = words.text(_WORDS)
        match len(made) % 4:
            case 0:
                made.append(Paragraph(f"{text} {words.link()} {words.text(3)}."))
            case 2:
                made.append(Paragraph(f"{text} ", words.link(), words.text(3)))
            case _:
                made.append(Paragraph(f"{text}."))
        size -= sum(map(len, made[-1]))
    return made


def document(folder: Path, kind: str, size: int) -> Path:
    """A file of a kind with paragraphs of so many characters, made unless it is there."""
    path = folder / f"document.{kind}"
    if not path.exists():
        KINDS[kind](path, paragraphs(size))
    return path


def _parts(made: _Made, count: int) -> list[_Made]:
    return [made[start : start + count] for start in range(0, len(made), count)]


def _zip(path: Path, members: Iterable[tuple[str, str]]) -> None:
    with ZipFile(path, "w") as package:
        for name, data in members:
            # The type of OpenDocument and EPUB is the first member, and is not compressed.
            package.writestr(ZipInfo(name), data, None if name == "mimetype" else ZIP_DEFLATED)


# ---------------------------------------------------------------- Office Open XML


def _office(path: Path, main: str, parts: dict[str, tuple[str, str, list[tuple[str, str, str]]]]) -> None:
    """A package whose parts each have a media type, their XML, and relationships: name, kind, target."""
    types = "".join(f'<Override PartName="/{name}" ContentType="{_MARKUP}.{parts[name][0]}+xml"/>' for name in parts)
    default = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    members = [
        ("[Content_Types].xml", f'{_XML}<Types xmlns="{_PACKAGE}/content-types">{default}{types}</Types>'),
        ("_rels/.rels", _relationships([("m", "officeDocument", main)])),
    ]
    for name, (_, data, rows) in parts.items():
        members.append((name, _XML + data))
        if rows:
            folder, _, base = name.rpartition("/")
            members.append((f"{folder}/_rels/{base}.rels", _relationships(rows)))
    _zip(path, members)


def _relationships(rows: Iterable[tuple[str, str, str]]) -> str:
    each = "".join(
        f'<Relationship Id="{name}" Type="{_OFFICE}/{kind}" Target="{escape(target)}"'
        + (' TargetMode="External"/>' if kind == "hyperlink" else "/>")
        for name, kind, target in rows
    )
    return f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">{each}</Relationships>'


def _links(made: _Made) -> list[tuple[str, str, str]]:
    return [(f"r{number}", "hyperlink", one.target) for number, one in enumerate(made) if one.target]


def _docx(path: Path, made: _Made) -> None:
    main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"

    def run(text: str) -> str:
        return f'<w:r><w:rPr><w:lang w:val="en-US"/></w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'

    def body(number: int, one: Paragraph) -> str:
        link = f'<w:hyperlink r:id="r{number}" w:history="1">{run(one.shown)}</w:hyperlink>' if one.target else ""
        return f'<w:p><w:pPr><w:pStyle w:val="Normal"/></w:pPr>{run(one.text)}{link}</w:p>'

    text = "".join(body(number, one) for number, one in enumerate(made))
    data = f'<w:document xmlns:w="{main}" xmlns:r="{_OFFICE}"><w:body>{text}</w:body></w:document>'
    _office(path, "word/document.xml", {"word/document.xml": ("wordprocessingml.document.main", data, _links(made))})


def _xlsx(path: Path, made: _Made) -> None:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    sheets = _parts(made, _SHEET)
    names = range(1, len(sheets) + 1)
    listed = "".join(f'<sheet name="Sheet{name}" sheetId="{name}" r:id="s{name}"/>' for name in names)
    rows = [(f"s{name}", "worksheet", f"worksheets/sheet{name}.xml") for name in names]
    rows.append(("t", "sharedStrings", "sharedStrings.xml"))
    strings: list[str] = []
    parts: dict[str, tuple[str, str, list[tuple[str, str, str]]]] = {}
    for name, sheet in zip(names, sheets, strict=True):
        cells, links = [], []
        for number, one in enumerate(sheet):
            at = number + 1
            cell = f'<c r="A{at}"><v>{at * 7}</v></c><c r="B{at}" t="s"><v>{len(strings)}</v></c>'
            strings.append(one.text)
            if one.target:
                cell += f'<c r="C{at}" t="s"><v>{len(strings)}</v></c>'
                strings.append(one.shown)
                links.append(f'<hyperlink ref="C{at}" r:id="r{number}"/>')
            cells.append(f'<row r="{at}">{cell}</row>')
        data = f"<sheetData>{''.join(cells)}</sheetData><hyperlinks>{''.join(links)}</hyperlinks>"
        data = f'<worksheet xmlns="{main}" xmlns:r="{_OFFICE}">{data}</worksheet>'
        parts[f"xl/worksheets/sheet{name}.xml"] = ("spreadsheetml.worksheet", data, _links(sheet))
    shared = "".join(f'<si><t xml:space="preserve">{text}</t></si>' for text in strings)
    parts["xl/sharedStrings.xml"] = ("spreadsheetml.sharedStrings", f'<sst xmlns="{main}">{shared}</sst>', [])
    book = f'<workbook xmlns="{main}" xmlns:r="{_OFFICE}"><sheets>{listed}</sheets></workbook>'
    parts["xl/workbook.xml"] = ("spreadsheetml.sheet.main", book, rows)
    _office(path, "xl/workbook.xml", parts)


def _pptx(path: Path, made: _Made) -> None:
    main = "http://schemas.openxmlformats.org/presentationml/2006/main"
    drawing = "http://schemas.openxmlformats.org/drawingml/2006/main"
    spaces = f'xmlns:p="{main}" xmlns:a="{drawing}" xmlns:r="{_OFFICE}"'
    slides = _parts(made, _SLIDE)
    listed = "".join(f'<p:sldId id="{256 + number}" r:id="s{number}"/>' for number in range(len(slides)))
    rows = [(f"s{number}", "slide", f"slides/slide{number}.xml") for number in range(len(slides))]
    size = '<p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/>'
    data = f"<p:presentation {spaces}><p:sldIdLst>{listed}</p:sldIdLst>{size}</p:presentation>"
    parts = {"ppt/presentation.xml": ("presentationml.presentation.main", data, rows)}

    def run(text: str, link: str) -> str:
        return f'<a:r><a:rPr lang="en-US">{link}</a:rPr><a:t>{text}</a:t></a:r>'

    for slide, some in enumerate(slides):
        text = "".join(
            f"<a:p>{run(one.text, '')}"
            + (run(one.shown, f'<a:hlinkClick r:id="r{number}"/>') if one.target else "")
            + "</a:p>"
            for number, one in enumerate(some)
        )
        shape = (
            '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/><p:sp><p:nvSpPr>'
            '<p:cNvPr id="2" name="Text"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/>'
            f"<p:txBody><a:bodyPr/>{text}</p:txBody></p:sp>"
        )
        data = f"<p:sld {spaces}><p:cSld><p:spTree>{shape}</p:spTree></p:cSld></p:sld>"
        parts[f"ppt/slides/slide{slide}.xml"] = ("presentationml.slide", data, _links(some))
    _office(path, "ppt/presentation.xml", parts)


# ---------------------------------------------------------------- OpenDocument, EPUB


def _open(path: Path, body: str) -> None:
    kind = {".odt": "text", ".ods": "spreadsheet", ".odp": "presentation"}[path.suffix]
    media_type = f"application/vnd.oasis.opendocument.{kind}"
    spaces = f'{_SPACES} xmlns:xlink="http://www.w3.org/1999/xlink" office:version="1.3"'
    parts = {
        "content": f"<office:body><office:{kind}>{body}</office:{kind}></office:body>",
        "styles": "<office:styles/>",
    }
    listed = "".join(
        f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="{is_of}"/>'
        for name, is_of in (("/", media_type), *((f"{part}.xml", "text/xml") for part in parts))
    )
    members = [
        (f"{part}.xml", f"{_XML}<office:document-{part} {spaces}>{data}</office:document-{part}>")
        for part, data in parts.items()
    ]
    manifest = f"{_XML}<manifest:manifest {_SPACES}>{listed}</manifest:manifest>"
    _zip(path, [("mimetype", media_type), *members, ("META-INF/manifest.xml", manifest)])


def _passage(one: Paragraph) -> str:
    link = f'<text:a xlink:type="simple" xlink:href="{escape(one.target)}">{one.shown}</text:a>' if one.target else ""
    return f"<text:p>{one.text}{link}</text:p>"


def _odt(path: Path, made: _Made) -> None:
    _open(path, "".join(map(_passage, made)))


def _ods(path: Path, made: _Made) -> None:
    def row(number: int, one: Paragraph) -> str:
        return (
            f'<table:table-row><table:table-cell office:value-type="float" office:value="{number}"><text:p>{number}'
            '</text:p></table:table-cell><table:table-cell office:value-type="string">'
            f"{_passage(one)}</table:table-cell></table:table-row>"
        )

    tables = (
        f'<table:table table:name="Sheet{name}"><table:table-column table:number-columns-repeated="2"/>'
        f"{''.join(row(number, one) for number, one in enumerate(sheet, 1))}</table:table>"
        for name, sheet in enumerate(_parts(made, _SHEET), 1)
    )
    _open(path, "".join(tables))


def _odp(path: Path, made: _Made) -> None:
    frame = '<draw:frame svg:width="25cm" svg:height="15cm" svg:x="1cm" svg:y="1cm"><draw:text-box>'
    end = "</draw:text-box></draw:frame></draw:page>"
    slides = (
        f'<draw:page draw:name="page{number}">{frame}{"".join(map(_passage, some))}{end}'
        for number, some in enumerate(_parts(made, _SLIDE), 1)
    )
    _open(path, "".join(slides))


def _body(made: _Made) -> str:
    """Paragraphs as HTML."""
    return "\n".join(
        f"<p>{one.text}" + (f'<a href="{escape(one.target)}">{one.shown}</a>' if one.target else "") + "</p>"
        for one in made
    )


def _epub(path: Path, made: _Made) -> None:
    chapters = _parts(made, _CHAPTER)
    names = [f"part{number}.xhtml" for number in range(len(chapters))]
    items = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in names)
    order = "".join(f'<itemref idref="{name}"/>' for name in names)
    head = "".join(f"<dc:{name}>{name}</dc:{name}>" for name in ("title", "identifier", "language"))
    container = (
        f'{_XML}<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
        '<rootfile full-path="a/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    package = (
        f'{_XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc='
        f'"http://purl.org/dc/elements/1.1/">{head}</metadata><manifest>{items}</manifest><spine>{order}</spine></package>'
    )
    pages = (
        (f"a/{name}", f'{_XML}<html xmlns="http://www.w3.org/1999/xhtml"><body>{_body(chapter)}</body></html>')
        for name, chapter in zip(names, chapters, strict=True)
    )
    members = [("mimetype", "application/epub+zip"), ("META-INF/container.xml", container), ("a/content.opf", package)]
    _zip(path, [*members, *pages])


# ---------------------------------------------------------------- other formats


def _rtf(path: Path, made: _Made) -> None:
    def body(one: Paragraph) -> str:
        field = f'{{\\field{{\\*\\fldinst{{HYPERLINK "{one.target}"}}}}{{\\fldrslt{{\\ul {one.shown}}}}}}}'
        return f"\\pard\\plain\\fs24\\lang1033 {one.text}{field if one.target else ''}\\par\n"

    head = "{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0\\froman Times;}}\n"
    path.write_text(f"{head}{''.join(map(body, made))}}}")


def _pdf(path: Path, made: _Made) -> None:
    """Pages of lines, each page with its links, its stream compressed."""
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"", b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    pages = []

    def put(data: bytes) -> int:
        objects.append(data)
        return len(objects)

    for some in _parts(made, _PAGE):
        links = []
        lines = ["BT /F1 4 Tf 40 800 Td 12 TL"]
        for number, one in enumerate(some):
            lines.append(f"({one.text}{one.shown}) Tj T*")
            if one.target:
                low = 798 - 12 * number
                action = f"/Rect[400 {low} 560 {low + 8}]/A<</S/URI/URI({one.target})>>"
                links.append(put(f"<</Type/Annot/Subtype/Link{action}>>".encode()))
        data = zlib.compress("\n".join([*lines, "ET"]).encode())
        content = put(b"<</Filter/FlateDecode/Length %d>>stream\n%s\nendstream" % (len(data), data))
        listed = " ".join(f"{link} 0 R" for link in links)
        page = f"/Contents {content} 0 R/Annots[{listed}]/Resources<</Font<</F1 3 0 R>>>>"
        pages.append(put(f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]{page}>>".encode()))
    objects[1] = f"<</Type/Pages/Count {len(pages)}/Kids[{' '.join(f'{page} 0 R' for page in pages)}]>>".encode()
    out = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, data in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, data)
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    count = len(objects) + 1
    end = f"trailer<</Size {count}/Root 1 0 R>>\nstartxref\n{len(out)}\n%%EOF\n"
    path.write_bytes(bytes(out) + f"xref\n0 {count}\n0000000000 65535 f \n{table}{end}".encode())


def _mhtml(path: Path, made: _Made) -> None:
    page = quopri.encodestring(f"<!doctype html><body>{_body(made)}</body>".encode()).decode()
    path.write_text(
        f"From: <Saved by Blink>\nSnapshot-Content-Location: {_SITE}\nSubject: A page\nMIME-Version: 1.0\n"
        'Content-Type: multipart/related;\n\ttype="text/html";\n\tboundary="----x"\n\n------x\n'
        f"Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\nContent-Location: {_SITE}\n\n"
        f"{page}\n------x--\n"
    )


def _webarchive(path: Path, made: _Made) -> None:
    page = f"<!doctype html><body>{_body(made)}</body>".encode()
    one = {"WebResourceURL": _SITE, "WebResourceMIMEType": "text/html", "WebResourceTextEncodingName": "UTF-8"}
    path.write_bytes(plistlib.dumps({"WebMainResource": {**one, "WebResourceData": page}}, fmt=plistlib.FMT_BINARY))


def _telegram(path: Path, made: _Made) -> None:
    def message(number: int, one: Paragraph) -> dict[str, object]:
        link = {"type": "text_link", "text": one.shown, "href": one.target}
        text = [one.text, link] if one.target else one.text
        return {"id": number, "type": "message", "date": "2026-01-05T10:00:00", "from": "A", "text": text}

    messages = [message(number, one) for number, one in enumerate(made)]
    path.write_text(json.dumps({"name": "A", "type": "personal_chat", "messages": messages}, indent=1))


def _slack(path: Path, made: _Made) -> None:
    def message(one: Paragraph) -> dict[str, object]:
        text = f"{one.text}<{one.target}|{one.shown}>" if one.target else one.text
        return {"type": "message", "user": "U1", "ts": "1767607200.000100", "text": text}

    days = enumerate(_parts(made, _CHAPTER))
    _zip(path, ((f"general/{day}.json", json.dumps(list(map(message, some)), indent=4)) for day, some in days))


def _whatsapp(path: Path, made: _Made) -> None:
    path.write_text("".join(f"[05.01.26, 10:00:{number % 60:02}] A: {one.plain}\n" for number, one in enumerate(made)))


def _sqlite(path: Path, made: _Made) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute(
            "CREATE TABLE urls (id INTEGER PRIMARY KEY, url LONGVARCHAR, title LONGVARCHAR, visits INTEGER)"
        )
        rows = ((one.target or None, f"{one.text}{one.shown}", number) for number, one in enumerate(made))
        database.executemany("INSERT INTO urls (url, title, visits) VALUES (?, ?, ?)", rows)
        database.commit()


KINDS: dict[str, Callable[[Path, _Made], None]] = {
    "docx": _docx,
    "xlsx": _xlsx,
    "pptx": _pptx,
    "odt": _odt,
    "ods": _ods,
    "odp": _odp,
    "epub": _epub,
    "rtf": _rtf,
    "pdf": _pdf,
    "mhtml": _mhtml,
    "webarchive": _webarchive,
    "telegram.json": _telegram,
    "slack.zip": _slack,
    "whatsapp.txt": _whatsapp,
    "sqlite": _sqlite,
}
