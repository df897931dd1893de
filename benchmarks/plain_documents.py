"""Packages that read documents, as a user calls them: `python -m benchmarks.plain_documents python-docx FILE`.

Each prints the texts and the targets of links that it has; those of the standard library what a pattern finds in them.
"""

from __future__ import annotations

import email
import email.policy
import json
import plistlib
import sqlite3
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from benchmarks.plain_programs import find, find_all, read_page

__all__ = ["PACKAGES"]


def _put(texts: Iterable[object]) -> None:
    for text in texts:
        if text:
            sys.stdout.write(f"{text}\n")


def _docx(path: Path) -> None:
    document: Any = import_module("docx").Document(str(path))
    for paragraph in document.paragraphs:
        _put((paragraph.text, *(link.address for link in paragraph.hyperlinks)))


def _docx2txt(path: Path) -> None:
    _put([import_module("docx2txt").process(str(path))])


def _openpyxl(path: Path) -> None:
    for sheet in import_module("openpyxl").load_workbook(path):
        for row in sheet.iter_rows():
            for cell in row:
                _put((cell.value, cell.hyperlink and cell.hyperlink.target))


def _pptx(path: Path) -> None:
    for slide in import_module("pptx").Presentation(str(path)).slides:
        for shape in slide.shapes:
            for paragraph in shape.text_frame.paragraphs if shape.has_text_frame else ():
                _put((paragraph.text, *(run.hyperlink.address for run in paragraph.runs)))


def _odfpy(path: Path) -> None:
    document = import_module("odf.opendocument").load(str(path))
    text: Any = import_module("odf.text")
    teletype: Any = import_module("odf.teletype")
    _put(map(teletype.extractText, document.getElementsByType(text.P)))
    _put(link.getAttribute("href") for link in document.getElementsByType(text.A))


def _ebooklib(path: Path) -> None:
    book = import_module("ebooklib.epub").read_epub(str(path), {"ignore_ncx": True})
    for page in book.get_items_of_type(import_module("ebooklib").ITEM_DOCUMENT):
        read_page(page.get_content(), "")


def _striprtf(path: Path) -> None:
    _put([import_module("striprtf.striprtf").rtf_to_text(path.read_text())])


def _pypdf(path: Path) -> None:
    for page in import_module("pypdf").PdfReader(path).pages:
        _put([page.extract_text()])
        for annotation in page.get("/Annots", ()):
            _put([annotation.get_object().get("/A", {}).get("/URI")])


def _email(path: Path) -> None:
    for part in email.message_from_bytes(path.read_bytes(), policy=email.policy.default).walk():
        if part.get_content_type() == "text/html":
            read_page(part.get_content().encode(), part["Content-Location"])


def _plistlib(path: Path) -> None:
    page = plistlib.loads(path.read_bytes())["WebMainResource"]
    read_page(page["WebResourceData"], page["WebResourceURL"])


def _json(path: Path) -> None:
    if path.suffix != ".zip":
        find_all(json.loads(path.read_bytes()))
        return
    with ZipFile(path) as archive:
        for name in archive.namelist():
            find_all(json.loads(archive.read(name)))


def _text(path: Path) -> None:
    with path.open(encoding="utf-8") as file:
        for line in file:
            find(line)


def _sqlite(path: Path) -> None:
    with sqlite3.connect(path) as database:
        for url, title in database.execute("SELECT url, title FROM urls"):
            find(url or "")
            find(title)


PACKAGES: dict[str, Callable[[Path], None]] = {
    "docx": _docx,
    "docx2txt": _docx2txt,
    "openpyxl": _openpyxl,
    "pptx": _pptx,
    "odf": _odfpy,
    "ebooklib": _ebooklib,
    "striprtf": _striprtf,
    "pypdf": _pypdf,
    "email": _email,
    "plistlib": _plistlib,
    "json": _json,
    "io": _text,
    "sqlite3": _sqlite,
}

if __name__ == "__main__":
    PACKAGES[sys.argv[1]](Path(sys.argv[2]))
