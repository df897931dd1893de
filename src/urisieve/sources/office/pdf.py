"""PDF (ISO 32000): the text of pages, the targets of links, notes, forms and embedded files, by `pypdfium2`.

PDFium is C++: it runs in a process of its own, whose memory and time are limited (`pdf_worker`). What ends that process
costs one page, what the fields of a page do, or one of the files in it. A hyphen at the end of a line stays, with the
line break after it.
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

from urisieve.errors import BrokenInputError, InputError
from urisieve.lean import Any, Final
from urisieve.sources.bytes.block_reader import limited
from urisieve.sources.containers.contents import Content
from urisieve.sources.documents import Document
from urisieve.sources.office.passages import Passages
from urisieve.sources.office.pdf_worker import PART_SECONDS
from urisieve.sources.segments import Segments

_SCRIPT: Final = Path(__file__).with_name("pdf_worker.py")
# Parts of a file that may each cost a process.
_MOST_LOST: Final = 8
# Seconds of the processor for a file and the files in it, over all processes.
_FILE_SECONDS: Final = 300
# Bytes of a line of an answer: the files of a PDF have 64 MB, in base64, a character of a page at most twelve.
_LONGEST_ANSWER: Final = 134_217_728
# A file in a PDF counts for no fewer bytes against the limits of the file around it: a PDF of one page takes as long.
_LEAST_SIZE: Final = 1_048_576
_ENDED: Final = "it takes too much memory or time, or ends the reader"
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
        assert self.process.stdout is not None
        if not self.process.stdout.readline().endswith(b"\n"):
            self.end()
            raise InputError("the reader of PDF cannot be started: it ends at once")
        self.is_idle = False
        """Whether it waits for a file, and may end because none comes."""

    def answers(self, path: str, first: int) -> Iterator[dict[str, Any]]:
        """Yield the answers about a file from a part on, as far as they come."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps({"path": os.path.abspath(path), "first": first}).encode() + b"\n")
            self.process.stdin.flush()
        while (line := self.process.stdout.readline(_LONGEST_ANSWER)).endswith(b"\n"):  # one may be cut
            self.is_idle = False
            yield json.loads(line)


def _ended(process: subprocess.Popen[bytes]) -> None:
    """End a process, which may have ended by itself."""
    process.kill()
    process.communicate()


def read(source: Content, out: Segments) -> Iterator[Document | None]:
    """Read the texts and links of a file, page by page, then what is in the files that it embeds.

    A file that can be sought is opened by its path.

    Yields:
        documents with `place.field`: the page (`page 3`), `page 3 / link`, `page 3 / note` and `page 3 / field`;
        `Title` and so on of the information about the document; `outline / link`.

    Raises:
        InputError: the file is in a stream and too large, or no process can be started.
    """
    reader = out.shared(_PdfReader)
    if source.path is not None:
        out.budget.taken = max(out.budget.taken, os.path.getsize(source.path))
        yield from reader.documents(source.path, out)
        return
    with TemporaryDirectory(prefix="urisieve-") as folder:
        path = os.path.join(folder, "document.pdf")
        with open(path, "wb") as file:
            file.writelines(limited(out.readable(), out.spool, "a PDF in a stream", ": give it as a file"))
        yield from reader.documents(path, out)


class _PdfReader:
    """Reads PDF files, all by one process as far as that goes."""

    def __init__(self) -> None:
        self._idle: _Worker | None = None
        self._around = 0
        self._spent = 0.0

    def documents(self, path: str, out: Segments) -> Iterator[Document | None]:
        """Read a file, or one that the file that is being read embeds."""
        if self._around == 0:
            self._spent = 0.0
        self._around += 1
        try:
            yield from self._parts(path, Passages(out, out.base))
        finally:
            self._around -= 1

    def _parts(self, path: str, passages: Passages) -> Iterator[Document | None]:
        out = passages.out
        lost = part = 0
        pages = files = -1
        following: str | None = None  # what comes next of the page that was read last
        seen: set[int] = set()
        while lost <= _MOST_LOST:
            # While it reads, the worker is that of this file alone: a file that this one embeds gets another one.
            worker, self._idle = self._idle or _Worker(), None
            for answer in worker.answers(path, part):
                if "end" in answer:
                    self._idle, worker.is_idle = worker, True
                    return
                self._spent += answer.get("seconds", 0)
                part, following = answer.get("part", part - 1) + 1, answer.get("next")
                if answer.get("is_cut"):
                    _fault(answer["part"], pages, "too-long", "it is not read whole", out)
                if "pages" in answer:
                    pages, files = answer["pages"], answer["files"]
                elif "part" not in answer:
                    _put_error(answer, out)
                elif "error" in answer:
                    _fault(answer["part"], pages, "corrupt", answer["error"], out)
                elif "fields" in answer:
                    _put_page(answer, passages)
                elif "information" in answer:
                    for key, text in answer["information"].items():
                        passages.field = key
                        passages.text(text)
                    passages.field = "outline"
                    for target, shown in answer["links"]:
                        passages.link(target, "link", shown)
                else:
                    data = b64decode(answer["data"])
                    if hash(data) not in seen:
                        seen.add(hash(data))
                        if not _is_afforded(len(data), out):
                            worker.end()
                            return
                        yield from out.open(answer["name"], [data])
                yield None
                if self._spent > _FILE_SECONDS:
                    out.fault("time-limit", f"more than {_FILE_SECONDS} s; the rest is not read")
                    worker.end()
                    return
            worker.end()
            if worker.is_idle:  # it ended because no file came
                continue
            if pages < 0:
                out.fault("unreadable", _ENDED)
                return
            if part > pages + files:
                return
            lost += 1
            self._spent += PART_SECONDS
            if following is not None:
                _fault(part - 1, pages, "unreadable", f"{following}: {_ENDED}", out)
                continue
            _fault(part, pages, "unreadable", _ENDED, out)
            part += 1
        out.fault("unreadable", "too many parts of it end the reader; the rest is not read")


def _put_error(answer: dict[str, Any], out: Segments) -> None:
    if answer["error"] == "encrypted":
        out.skip("encrypted")
    else:
        out.fault(answer["error"], answer["message"])


def _put_page(answer: dict[str, Any], passages: Passages) -> None:
    """Take what is on a page, or what its fields do."""
    passages.field = f"page {answer['part'] + 1}"
    if "text" in answer:
        passages.out.count("page")
        passages.text(answer["text"].replace(_HYPHEN, "-\n").replace("\r\n", "\n"))
    for target, shown in answer["links"]:
        passages.link(target, "link", shown)
    for note in answer.get("notes", ()):
        passages.text(note, "note")
    for text in answer["fields"]:
        passages.text(text, "field")


def _is_afforded(size: int, out: Segments) -> bool:
    """Count a file in a PDF against the limits of the file around it; report whether it may be read."""
    size = max(size, _LEAST_SIZE)
    try:
        out.budget.make(size, out.kind, size, size)
    except BrokenInputError as error:
        out.fault(error.reason, str(error))
        return False
    return True


def _fault(part: int, pages: int, reason: str, message: str, out: Segments) -> None:
    """Count a fault of a part of a file that has so many pages."""
    kind, where = "page", f"page {part + 1:,}"
    if part >= pages:
        kind, where = "pdf", f"file {part - pages:,} in it" if part > pages else "the information about it"
    out.fault(reason, f"{where}: {message}", kind=kind)
