"""PDF (ISO 32000): the text of pages, the targets of links, notes and embedded files, by the package `pypdfium2`.

PDFium is C++: it runs in a process of its own, whose memory and time are limited (`pdf_worker`). What ends that process
costs one page. A hyphen at the end of a line stays, with the line break behind it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import weakref
from base64 import b64decode
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from urisieve.errors import InputError
from urisieve.lean import Any, Final
from urisieve.sources.bytes.block_reader import limited
from urisieve.sources.documents import Document
from urisieve.sources.office.passages import Passages

_SCRIPT: Final = Path(__file__).with_name("pdf_worker.py")
# Pages of a file that may each cost a process.
_MOST_LOST: Final = 8
# What PDFium has for a hyphen at the end of a line, with the line break.
_HYPHEN: Final = "\ufffe"


def is_installed() -> bool:
    """Report whether the package is installed."""
    return find_spec("pypdfium2") is not None


class _Worker:
    """A process that reads PDF files, one after the other; it ends with this object.

    Raises:
        InputError: it cannot be started.
    """

    def __init__(self) -> None:
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", str(_SCRIPT)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        except OSError as error:
            raise InputError(f"the reader of PDF cannot be started: {error.strerror or error}") from error
        self.end = weakref.finalize(self, _ended, self.process)
        self.is_idle = False
        """Whether it waits for a file, and may end because none comes."""

    def answers(self, path: str, first: int) -> Iterator[dict[str, Any]]:
        """Yield the answers about a file from a page on, as far as they come."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps({"path": os.path.abspath(path), "first": first}).encode() + b"\n")
            self.process.stdin.flush()
        while (line := self.process.stdout.readline()).endswith(b"\n"):  # one may be cut
            self.is_idle = False
            yield json.loads(line)


def _ended(process: subprocess.Popen[bytes]) -> None:
    """End a process, which may have ended by itself."""
    process.kill()
    process.communicate()


class PdfReader:
    """Reads PDF files, all by one process as far as that goes."""

    def __init__(self) -> None:
        self._idle: _Worker | None = None

    def documents(self, passages: Passages, spool: int) -> Iterator[Document]:
        """Yield the texts and links of a file, page by page, then what is in the files that it embeds.

        Args:
            passages: makes the documents; their content is opened by its path, if it has one.
            spool: the largest file, in bytes, that is copied to a temporary file.

        Yields:
            documents with `place.field`: the page (`page 3`), `page 3 / link` and `page 3 / note`; `Title` and so on of
            the information about the document.

        Raises:
            InputError: the file is in a stream and too large, or no process can be started.
        """
        content = passages.content
        if content.path is not None:
            yield from self._read(content.path, passages)
            return
        with TemporaryDirectory(prefix="urisieve-") as folder:
            path = os.path.join(folder, "document.pdf")
            with open(path, "wb") as file:
                file.writelines(limited(content.blocks, spool, "a PDF in a stream", ": give it as a file"))
            yield from self._read(path, passages)

    def _read(self, path: str, passages: Passages) -> Iterator[Document]:
        lost = page = 0
        while lost <= _MOST_LOST:
            # While it reads, the worker is that of this file alone: a file that this one embeds gets another one.
            worker, self._idle = self._idle or _Worker(), None
            for answer in worker.answers(path, page):
                if "end" in answer:
                    self._idle, worker.is_idle = worker, True
                    return
                if "page" in answer:
                    page = answer["page"] + 1
                    self._put_page(answer, page, passages)
                elif answer.get("error") == "encrypted":
                    passages.tally.skip(passages.content.kind, "encrypted")
                elif "error" in answer:
                    passages.fault(answer["error"], answer["message"])
                else:
                    for key, text in answer["information"].items():
                        passages.field = key
                        passages.text(text)
                    yield from passages.taken()
                    for name, data in answer["files"]:
                        yield from passages.inner(name, [b64decode(data)])
                yield from passages.taken()
            worker.end()
            if not worker.is_idle:
                lost += 1
                page += 1
                _fault(page, "unreadable", "it takes too much memory or time, or ends the reader", passages)
        passages.fault("unreadable", f"the pages from {page + 1:,} on are not read")

    def _put_page(self, answer: dict[str, Any], number: int, passages: Passages) -> None:
        if "error" in answer:
            _fault(number, "corrupt", answer["error"], passages)
            return
        passages.tally.read["page"] += 1
        if answer["is_cut"]:
            _fault(number, "too-long", "only the first part of it is read", passages)
        passages.field = f"page {number}"
        passages.text(answer["text"].replace(_HYPHEN, "-\n").replace("\r\n", "\n"))
        links: list[list[str]] = []
        for target, shown in answer["links"]:
            if links and links[-1][0] == target:  # a link that a line break cuts has two areas
                links[-1][1] += shown
            else:
                links.append([target, shown])
        for target, shown in links:
            passages.link(target, "link", shown)
        for note in answer["notes"]:
            passages.text(note, "note")


def _fault(page: int, reason: str, message: str, passages: Passages) -> None:
    passages.tally.fault("page", reason, f"{passages.content.source}: page {page:,}: {message}")
