"""Measure the reading of a mailbox: `python -m benchmarks.mail MAILBOX`.

Rows: splitting, reading (headers, parts, HTML; without looking for links), reading and looking for links, and what
the standard library takes to parse the same messages. Process time of one core, the best of three runs.
"""

from __future__ import annotations

import email
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from urisieve import Options, Scanner
from urisieve.sources.containers.contents import Content
from urisieve.sources.documents import Segment
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.mail.mailboxes import split_mbox
from urisieve.sources.mail.messages import read_message
from urisieve.sources.readers import Reader
from urisieve.sources.reading_options import ReadingOptions
from urisieve.sources.segments import Segments
from urisieve.sources.tally import Tally

_BLOCK = 65_536
_LEGACY = Options(charset="legacy")


def _blocks(data: bytes) -> Iterator[bytes]:
    return (data[start : start + _BLOCK] for start in range(0, len(data), _BLOCK))


def _refuse(source: str, error: Exception) -> None:
    raise error


def _documents(data: bytes) -> Iterator[Segment]:
    reader = Reader(ReadingOptions(), Tally(), _refuse)
    out = Segments(reader, Content(source="mailbox", kind=Kind.MBOX, blocks=()))
    for message in split_mbox(_blocks(data)):
        for document in read_message(message, out):
            yield from document.segments()


def split(data: bytes) -> int:
    """The number of messages."""
    return sum(1 for _ in split_mbox(_blocks(data)))


def read(data: bytes) -> int:
    """The number of documents."""
    return sum(1 for _ in _documents(data))


def find(data: bytes) -> int:
    """The number of records and rejections."""
    found = 0
    for document in _documents(data):
        scanner = Scanner(_LEGACY if document.legacy else None, source=document.source)
        for piece in document.text:
            found += len(scanner.feed(piece))
        found += len(scanner.close())
    return found


def parse(data: bytes) -> int:
    """The number of parts that `email` finds, none of them decoded."""
    return sum(1 for message in split_mbox(_blocks(data)) for _ in email.message_from_bytes(message.data).walk())


def main(path: Path) -> None:
    """Print a row for each measurement."""
    data = path.read_bytes()
    rows: list[tuple[str, Callable[[bytes], int], str]] = [
        ("split", split, "messages"),
        ("read", read, "documents"),
        ("read and find", find, "records and rejections"),
        ("split, then email.message_from_bytes", parse, "parts"),
    ]
    for name, run, what in rows:
        best = float("inf")
        count = 0
        for _ in range(3):
            start = time.process_time()
            count = run(data)
            best = min(best, time.process_time() - start)
        print(f"{name:40} {len(data) / 1e6 / best:8.1f} MB/s  {count:9,} {what}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
