"""Large documents of every kind: those of an office, books, PDF, saved pages."""

from __future__ import annotations

import plistlib
import quopri
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile

from benchmarks.memory_parts import COMPRESSED_PART, PART, XML, MemoryFile, page, plain, repeated, row
from benchmarks.words import Words

__all__ = ["DOCUMENTS"]

_SITE: Final = "https://site.example/page"


def _cell(words: Words) -> str:
    cells = "".join(f'<c t="inlineStr"><is><t>{cell}</t></is></c>' for cell in row(words))
    return f"<row>{cells}</row>"


_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"
_DRAWINGS = "http://schemas.openxmlformats.org/drawingml/2006/main"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_OPEN = "urn:oasis:names:tc:opendocument:xmlns"


def _package(
    members: dict[str, str], name: str, made: Callable[[Words], str], before: str, after: str
) -> Callable[[Path, int], object]:
    """Return what writes a package with one large part among its members."""

    def write(path: Path, size: int) -> None:
        with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=1) as archive:
            for member, data in members.items():
                archive.writestr(member, data)
            with archive.open(name, "w", force_zip64=True) as file:
                file.write(f"{XML}{before}".encode())
                for part in repeated(made, size, COMPRESSED_PART):
                    file.write(part)
                file.write(after.encode())

    return write


def _relationships(kind: str, target: str) -> str:
    one = f'<Relationship Id="r1" Type="{_OFFICE}/{kind}" Target="{target}"/>'
    return f'{XML}<Relationships xmlns="{_PACKAGE}/relationships">{one}</Relationships>'


def _types(**parts: str) -> str:
    listed = "".join(
        f'<Override PartName="/{name}" ContentType="application/vnd.openxmlformats-officedocument.{kind}+xml"/>'
        for name, kind in parts.items()
    )
    return f'{XML}<Types xmlns="{_PACKAGE}/content-types">{listed}</Types>'


def _paragraph(words: Words) -> str:
    return f"<w:p><w:r><w:t>{words.text(250)} {words.link()}</w:t></w:r></w:p>"


def _open_paragraph(words: Words) -> str:
    return f'<text:p>{words.text(250)} <text:a xlink:href="{words.link()}">{words.text(2)}</text:a></text:p>'


def _slide_paragraph(words: Words) -> str:
    return f"<a:p><a:r><a:t>{words.text(250)} {words.link()}</a:t></a:r></a:p>"


def _open_row(words: Words) -> str:
    cells = "".join(f"<table:table-cell><text:p>{cell}</text:p></table:table-cell>" for cell in row(words))
    return f"<table:table-row>{cells}</table:table-row>"


def _open_document(ending: str, kind: str, made: Callable[[Words], str], inside: str = "") -> MemoryFile:
    """Return OpenDocument of a kind, with an element inside of its body."""
    name, _, _ = inside.partition(" ")
    before = f"<office:document-content {_SPACES}><office:body><office:{kind}>" + (f"<{inside}>" if inside else "")
    after = (f"</{name}>" if inside else "") + f"</office:{kind}></office:body></office:document-content>"
    members = {"mimetype": f"application/vnd.oasis.opendocument.{kind}"}
    return MemoryFile(ending, _package(members, "content.xml", made, before, after))


def _pdf(path: Path, size: int) -> None:
    """Write pages with a compressed stream each."""
    lines = b"".join(
        repeated(lambda words: f"({words.text(12)} {words.link()}) Tj T*\n", COMPRESSED_PART, COMPRESSED_PART)
    )
    stream = zlib.compress(b"BT /F1 4 Tf 40 800 Td 12 TL\n%sET" % lines, 1)
    count = max(1, size // len(lines))
    pages = " ".join(f"{4 + 2 * number} 0 R" for number in range(count))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count %d/Kids[%s]>>" % (count, pages.encode()),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for number in range(count):
        resources = b"/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>"
        objects.append(b"<</Type/Page/Parent 2 0 R/Contents %d 0 R%s>>" % (5 + 2 * number, resources))
        objects.append(b"<</Filter/FlateDecode/Length %d>>stream\n%s\nendstream" % (len(stream), stream))
    offsets = []
    with path.open("wb") as file:
        file.write(b"%PDF-1.4\n")
        for number, data in enumerate(objects, 1):
            offsets.append(file.tell())
            file.write(b"%d 0 obj\n%s\nendobj\n" % (number, data))
        start = file.tell()
        file.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
        file.writelines(b"%010d 00000 n \n" % offset for offset in offsets)
        file.write(b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start))


def _saved_page(path: Path, size: int) -> None:
    """Write a web archive."""
    data = b"<!doctype html><html><body>" + b"".join(repeated(page, size))
    kind = {"WebResourceURL": _SITE, "WebResourceMIMEType": "text/html", "WebResourceTextEncodingName": "UTF-8"}
    path.write_bytes(plistlib.dumps({"WebMainResource": {**kind, "WebResourceData": data}}, fmt=plistlib.FMT_BINARY))


def _mhtml(path: Path, size: int) -> None:
    """Write a page that a browser saved as a message."""
    with path.open("wb") as file:
        file.write(
            f"From: <Saved by a browser>\nSnapshot-Content-Location: {_SITE}\nSubject: x\nMIME-Version: 1.0\n"
            'Content-Type: multipart/related;\n\ttype="text/html";\n\tboundary="----x"\n\n------x\n'
            f"Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\nContent-Location: {_SITE}\n\n"
            "<!doctype html><html><body>\n".encode()
        )
        part = quopri.encodestring(next(repeated(page, PART)))
        for _ in range(max(1, size // PART)):
            file.write(part)
        file.write(b"\n------x--\n")


def _rtf(words: Words) -> str:
    field = f'{{\\field{{\\*\\fldinst{{HYPERLINK "{words.link()}"}}}}{{\\fldrslt{{{words.text(2)}}}}}}}'
    return f"\\pard\\plain {words.text(250)} {words.link()} {field}\\par\n"


def _chapters(path: Path, size: int) -> None:
    parts = [f"<html><body>{part.decode()}</body></html>" for part in repeated(page, min(size, PART))]
    count = max(1, size // PART)
    items = "".join(f'<item id="p{n}" href="p{n}.xhtml" media-type="application/xhtml+xml"/>' for n in range(count))
    order = "".join(f'<itemref idref="p{n}"/>' for n in range(count))
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles><rootfile '
        'full-path="c.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", container)
        archive.writestr(
            "c.opf",
            f'<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><manifest>{items}</manifest><spine>{order}'
            "</spine></package>",
        )
        for number in range(count):
            archive.writestr(f"p{number}.xhtml", parts[0])


_ROOTS = {
    "xlsx": {
        "[Content_Types].xml": _types(
            **{"xl/workbook.xml": "spreadsheetml.sheet.main", "xl/worksheets/s.xml": "spreadsheetml.worksheet"}
        ),
        "_rels/.rels": _relationships("officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets><sheet name="S" sheetId="1" '
        'r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": _relationships("worksheet", "worksheets/s.xml"),
    },
    "docx": {
        "[Content_Types].xml": _types(**{"word/document.xml": "wordprocessingml.document.main"}),
        "_rels/.rels": _relationships("officeDocument", "word/document.xml"),
    },
    "pptx": {
        "[Content_Types].xml": _types(
            **{"ppt/presentation.xml": "presentationml.presentation.main", "ppt/slides/s.xml": "presentationml.slide"}
        ),
        "_rels/.rels": _relationships("officeDocument", "ppt/presentation.xml"),
        "ppt/presentation.xml": f'<p:presentation xmlns:p="{_SLIDES}" xmlns:r="{_OFFICE}"><p:sldIdLst>'
        '<p:sldId id="256" r:id="r1"/></p:sldIdLst></p:presentation>',
        "ppt/_rels/presentation.xml.rels": _relationships("slide", "slides/s.xml"),
    },
}
_SPACES = 'xmlns:xlink="http://www.w3.org/1999/xlink" ' + " ".join(
    f'xmlns:{name}="{_OPEN}:{name}:1.0"' for name in ("office", "text", "table")
)
_DRAWING = f'xmlns:draw="{_OPEN}:drawing:1.0"'

DOCUMENTS: Final[dict[str, MemoryFile]] = {
    "xlsx": MemoryFile(
        "xlsx",
        _package(
            _ROOTS["xlsx"],
            "xl/worksheets/s.xml",
            _cell,
            f'<worksheet xmlns="{_MAIN}"><sheetData>',
            "</sheetData></worksheet>",
        ),
    ),
    "docx": MemoryFile(
        "docx",
        _package(
            _ROOTS["docx"],
            "word/document.xml",
            _paragraph,
            f'<w:document xmlns:w="{_WORD}"><w:body>',
            "</w:body></w:document>",
        ),
    ),
    "pptx": MemoryFile(
        "pptx",
        _package(
            _ROOTS["pptx"],
            "ppt/slides/s.xml",
            _slide_paragraph,
            f'<p:sld xmlns:p="{_SLIDES}" xmlns:a="{_DRAWINGS}"><p:cSld><p:spTree><p:sp><p:txBody>',
            "</p:txBody></p:sp></p:spTree></p:cSld></p:sld>",
        ),
    ),
    "odt": _open_document("odt", "text", _open_paragraph),
    "ods": _open_document("ods", "spreadsheet", _open_row, "table:table"),
    "odp": _open_document("odp", "presentation", _open_paragraph, f"draw:page {_DRAWING}"),
    "EPUB": MemoryFile("epub", _chapters),
    "PDF": MemoryFile("pdf", _pdf),
    "a web archive": MemoryFile("webarchive", _saved_page),
    "MHTML": MemoryFile("mhtml", _mhtml),
    "RTF": MemoryFile("rtf", plain(_rtf, "{\\rtf1\\ansi ", "}")),
}
