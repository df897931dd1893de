"""Documents beside programs and packages that read them: office, books, PDF, saved pages, chats, histories.

Most of the others give text, with or without the targets of links, and search nothing in it.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import NamedTuple

from benchmarks.document_files import KINDS, document, paragraphs
from benchmarks.machine import package_version
from benchmarks.markdown import number, table
from benchmarks.measure import median, turns
from benchmarks.settings import MEGABYTE, Settings, note

__all__ = ["report"]

_EXTRACT = [sys.executable, "-m", "urisieve", "extract", "--quiet", "--jobs", "1"]
# Characters of the text of each document.
_SIZE = 2 * MEGABYTE
_OURS = "urisieve"


class _Peer(NamedTuple):
    """A program, or a package that is called by `plain_documents`.

    Attributes:
        kinds: the kinds that it reads, between blanks.
        name: its name, of a package the one that it is installed by; "" if it comes with Python.
        command: the words of a command, with `FILE` among them; of a package its module.
    """

    kinds: str
    name: str
    command: str

    def found(self, path: str) -> list[str] | None:
        """The command for a file; None where it is not installed."""
        words = self.command.split()
        if "FILE" in words:
            return [path if word == "FILE" else word for word in words] if shutil.which(words[0]) else None
        plain = [sys.executable, "-m", "benchmarks.plain_documents", self.command, path]
        return plain if find_spec(self.command) else None

    @property
    def title(self) -> str:
        """Its name with its version, as far as that is known."""
        if not self.name:
            return f"`{self.command}` and a pattern"
        return f"{self.name} {package_version(self.name) or ''}".strip()


_PEERS = (
    _Peer("docx", "python-docx", "docx"),
    _Peer("docx", "docx2txt", "docx2txt"),
    _Peer("docx odt epub rtf", "pandoc", "pandoc --to plain FILE"),
    _Peer("docx xlsx pptx epub", "markitdown", "markitdown FILE"),
    _Peer("xlsx", "openpyxl", "openpyxl"),
    _Peer("pptx", "python-pptx", "pptx"),
    _Peer("odt ods odp", "odfpy", "odf"),
    _Peer("odt ods odp", "odt2txt", "odt2txt FILE"),
    _Peer("epub", "ebooklib", "ebooklib"),
    _Peer("rtf", "unrtf", "unrtf --text FILE"),
    _Peer("rtf", "striprtf", "striprtf"),
    _Peer("pdf", "pdftotext", "pdftotext FILE -"),
    _Peer("pdf", "pypdf", "pypdf"),
    _Peer("mhtml", "", "email"),
    _Peer("webarchive", "", "plistlib"),
    _Peer("telegram.json slack.zip", "", "json"),
    _Peer("whatsapp.txt", "", "io"),
    _Peer("sqlite", "", "sqlite3"),
)


def report(settings: Settings) -> Iterator[str]:
    """One table: a row for each kind and each other that reads it."""
    text = sum(len(one.plain) + len(one.shown) for one in paragraphs(_SIZE)) / MEGABYTE
    rows = []
    for kind in KINDS:
        note(kind)
        path = document(settings.folder, kind, _SIZE)
        if kind == "pdf" and not find_spec("pypdfium2"):
            continue
        commands = {_OURS: [*_EXTRACT, str(path)]}
        for peer in _PEERS:
            if kind in peer.kinds.split() and (command := peer.found(str(path))):
                commands[peer.title] = command
        runs = {name: median(some) for name, some in turns(commands, settings.runs).items()}
        ours, size = runs.pop(_OURS), path.stat().st_size / MEGABYTE
        figures = (size, size / ours.cpu, text / ours.cpu, ours.peak, ours.cpu)
        for name, theirs in runs.items():
            rows.append([kind, name, *map(number, (*figures, theirs.cpu, ours.cpu / theirs.cpu, theirs.peak))])
        if not runs:
            rows.append([kind, "-", *map(number, (*figures, None, None, None))])
    head = ["kind", "beside", "MB", "MB/s", "MB/s of text", "peak MB", "s", "s of the other", "ratio", "its peak MB"]
    yield (
        f"Documents with the same {text:.1f} MB of text, processor time of whole commands on one core (most of the "
        f"others give text and search nothing in it; packages have `benchmarks/plain_documents.py` around them):\n\n"
        f"{table(head, rows, left=2)}"
    )
