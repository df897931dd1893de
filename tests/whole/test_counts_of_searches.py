"""A file is searched and written by the kilobyte, not by the link, under each option: counts of calls, not times."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import ExitStack
from inspect import isfunction
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest import mock

import pytest

from tests.helpers.cli_support import call
from urisieve.find.kernel_search import KernelSearch
from urisieve.find.search import Search

# Methods of a search that take no text; all others take some, or the texts or links of a page.
_WITHOUT_TEXT: Final = ("close", "enter", "restart")
# So many links, and four times as many.
_FEW: Final = 150
# The bytes of text for which one search is expected, and of output for which one `write` is; and the calls that any
# file may have besides: its start, its end, what it has of its own.
_SIZE: Final = 65_536
_BESIDES: Final = 4
_PER_PAGE: Final = 10


class Counts(NamedTuple):
    """What a run of the command has done.

    Attributes:
        searches: the number of calls of a search with text.
        writes: the number of calls of `write` on the output.
        written: the number of bytes that they have written.
    """

    searches: int
    writes: int
    written: int


def _links(number: int) -> list[str]:
    return [f"http://a.example/{index}" for index in range(number)]


def _page(links: list[str]) -> str:
    return "<!doctype html><html><body>" + "".join(f'<p>see {link}x and <a href="{link}">this</a>\n' for link in links)


def _archive(*pages: str) -> str:
    records = []
    for page in pages:
        body = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{page}"
        head = (
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://page.example/\r\n"
            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        records.append(f"{head}{body}\r\n\r\n")
    return "".join(records)


def _mailbox(kind: str, *bodies: str) -> str:
    return "".join(
        f"From a@b.example Fri May 31 13:05:07 2024\nFrom: a\nSubject: x\nContent-Type: text/{kind}; charset=utf-8\n\n"
        f"{body}\n"
        for body in bodies
    )


def _split(links: list[str]) -> list[list[str]]:
    return [links[start : start + _PER_PAGE] for start in range(0, len(links), _PER_PAGE)]


def _text(links: list[str]) -> str:
    return "".join(f"see {link}\n" for link in links)


def _saved(links: list[str]) -> str:
    lines = (f'<img src="./saved_files/{link[-1]}.png"><a href="{link}">this</a>\n' for link in links)
    return f"<!doctype html>\n<!-- saved from url=(0017)http://a.example/ -->\n{''.join(lines)}"


_CARRIERS: Final[dict[str, Callable[[list[str]], str]]] = {
    "page.html": _page,
    "saved.html": _saved,
    "page.warc": lambda links: _archive(_page(links)),
    "pages.warc": lambda links: _archive(*map(_page, _split(links))),
    "texts.mbox": lambda links: _mailbox("plain", *map(_text, _split(links))),
    "pages.mbox": lambda links: _mailbox("html", *map(_page, _split(links))),
    "page.mbox": lambda links: _mailbox("html", _page(links)),
    "rows.csv": lambda links: (
        "id,url,text\n" + "".join(f"{index},{link},see {link}x\n" for index, link in enumerate(links))
    ),
    "rows.jsonl": lambda links: "".join(f"{json.dumps({'url': link, 'text': f'see {link}x'})}\n" for link in links),
    "rows.json": lambda links: json.dumps([{"url": link, "text": f"see {link}x"} for link in links]),
    "rows.xml": lambda links: (
        f"<?xml version='1.0'?><f>{''.join(f'<l u={link!r}>see {link}x</l>' for link in links)}</f>"
    ),
}
_BARE: Final = {word: ("--accept", word) for word in ("doi", "isbn")}
_ACCEPTED: Final = {
    word: ("--accept", word)
    for word in ("names", "addresses", "defanged", "unencoded", "nested", "wrapped", "wrapped-any")
}
_OTHERS: Final[dict[str, tuple[str, ...]]] = {
    "none": (),
    "any": ("--schemes", "any"),
    "web": ("--schemes", "web"),
    "urn": ("--urn-syntax", "rfc8141"),
    "level": ("--level", "none"),
    "merge": ("--merge", "page"),
    "protect": ("--protect", "any"),
    "jsonl": ("-f", "jsonl"),
    "context": ("--read", "context", "--fields", "uri,time,line"),
}
_FLAGS: Final = {**_OTHERS, **_ACCEPTED, **_BARE}


def counted(carrier: str, number: int, flags: tuple[str, ...], folder: Path) -> tuple[Counts, int]:
    """Return what a run does on a file of so many links, and the size of the file."""
    data = _CARRIERS[carrier](_links(number)).encode()
    path, output = folder / carrier, folder / "out"
    path.write_bytes(data)
    searches = depth = 0
    writes: list[int] = []
    write = os.write

    def watched(method: Any) -> Callable[..., Any]:
        def called(*arguments: Any, **named: Any) -> Any:
            nonlocal searches, depth
            searches += not depth  # one method may call another
            depth += 1
            try:
                return method(*arguments, **named)
            finally:
                depth -= 1

        return called

    def written(descriptor: int, some: bytes) -> int:
        writes.append(len(some))
        return write(descriptor, some)

    with ExitStack() as stack:
        for kind in (Search, KernelSearch):
            for name, method in list(vars(kind).items()):
                if isfunction(method) and not name.startswith("_") and name not in _WITHOUT_TEXT:
                    stack.enter_context(mock.patch.object(kind, name, watched(method)))
        stack.enter_context(mock.patch.object(os, "write", written))
        done = call("extract", "-q", "-o", str(output), *flags, str(path))
    out = output.read_bytes() if output.exists() else b""
    if done.status or out.count(b"://a.example/") < number or sum(writes) != len(out):
        raise ValueError(f"not all was found, or written by `os.write`: {done.err}")  # whatever the counts are
    return Counts(searches, len(writes), sum(writes)), len(data)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("carrier", "options"), list(product(_CARRIERS, _FLAGS)))
def test_searches_and_writes_grow_with_bytes(carrier: str, options: str, tmp_path: Path) -> None:
    for number in (_FEW, 4 * _FEW):
        counts, size = counted(carrier, number, _FLAGS[options], tmp_path)
        assert counts.searches <= _BESIDES + size // _SIZE
        assert counts.writes <= _BESIDES + counts.written // _SIZE
