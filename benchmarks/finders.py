"""Link finders in Python, ours among them: `python -m benchmarks.finders NAME FILE BYTES SECONDS` prints JSON.

A finder gets the text in pieces of 32 KiB or so that end at line ends, since most have no streams (their speed is the
same with pieces of 1 KiB and of 256), and stops after so many bytes or seconds of processor time. What it found is
judged after the clock has stopped: a link is valid if `urisieve.check` accepts the text that it gave, and links with
the same key are one.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from urisieve import Record, Scanner, check

__all__ = ["FINDERS", "OURS", "Finder"]

# Finds in one piece of text after another; None ends the text.
_Find = Callable[[str | None], Iterable[str]]
_PIECE = 32_768


class Finder(NamedTuple):
    """A way to find links.

    Attributes:
        package: the package that has it.
        load: imports it and gives the function that finds.
    """

    package: str
    load: Callable[[], _Find]


def _urisieve() -> _Find:
    scanner = Scanner()

    def find(text: str | None) -> list[str]:
        found = scanner.close() if text is None else scanner.feed(text)
        return [value.raw for value in found if type(value) is Record]

    return find


def _each(find: Callable[[str], Iterable[str]]) -> _Find:
    """A finder that keeps nothing from one text to the next."""
    return lambda text: find(text) if text else ()


def _linkify(**options: bool) -> _Find:
    match = import_module("linkify_it").LinkifyIt(options=options).match
    return _each(lambda text: [found.raw for found in match(text) or ()])


def _urlextract() -> _Find:
    gen_urls = import_module("urlextract").URLExtract().gen_urls
    return _each(lambda text: list(gen_urls(text)))


def _ural() -> _Find:
    urls_from_text = import_module("ural").urls_from_text
    return _each(lambda text: list(urls_from_text(text)))


def _ioc_finder() -> _Find:
    parse_urls = import_module("ioc_finder.ioc_finder").parse_urls
    return _each(lambda text: [str(found) for found in parse_urls(text)])


OURS = "urisieve"
FINDERS = {
    OURS: Finder("urisieve", _urisieve),
    "linkify-it-py": Finder("linkify-it-py", _linkify),
    "linkify-it-py, schemes only": Finder(
        "linkify-it-py", lambda: _linkify(fuzzy_link=False, fuzzy_email=False, fuzzy_ip=False)
    ),
    "URLExtract": Finder("urlextract", _urlextract),
    "ural": Finder("ural", _ural),
    "ioc-finder": Finder("ioc-finder", _ioc_finder),
}


def _pieces(path: Path, limit: int) -> Iterator[tuple[str, int]]:
    """The first `limit` bytes of a text, cut at line ends, and the size of each piece."""
    with path.open("rb") as file:
        while limit > 0 and (block := file.read(min(_PIECE, limit)) + file.readline(limit)):
            limit -= len(block)
            yield block.decode("utf-8", "replace"), len(block)


def measure(name: str, path: Path, limit: int, seconds: float) -> dict[str, Any]:
    """Find links in a text until it ends, or the time."""
    pieces = list(_pieces(path, limit))
    find = FINDERS[name].load()
    FINDERS[name].load()(pieces[0][0][:4096] if pieces else None)  # what is imported and compiled once
    texts: list[str] = []
    size = 0
    started = time.process_time()
    for piece, length in pieces:
        texts += find(piece)
        size += length
        if time.process_time() - started > seconds:
            break
    texts += find(None)
    spent = time.process_time() - started
    judged = {text: check(text) for text in dict.fromkeys(texts)}
    keys = {value.key for value in judged.values() if isinstance(value, Record)}
    return {"bytes": size, "seconds": spent, "found": len(texts), "keys": sorted(keys)}


if __name__ == "__main__":
    json.dump(measure(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])), sys.stdout)
