"""The linkers that are asked, each with its guesses at links without a scheme turned off.

A linker takes texts and yields for each the spans that it found, as offsets in characters. What begins with no scheme
is left out of all of them: some linkers have no option for it.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module, metadata
from pathlib import Path
from typing import Final, NamedTuple

from linkers.rows import Span

__all__ = ["OURS", "Finder", "Linker", "installed", "one_by_one"]

Finder = Callable[[str], Iterable[Span]]

OURS: Final = "urisieve"
_SCRIPT: Final = Path(__file__).with_name("find_links.cjs")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


class Linker(NamedTuple):
    """A linker with its version.

    Attributes:
        name: the name of its package.
        version: the version that is installed.
        settings: how it was set, in words.
        find: yields the spans found in each text.
    """

    name: str
    version: str
    settings: str
    find: Callable[[Sequence[str]], Iterator[list[Span]]]


def with_scheme(text: str, spans: Iterable[Span]) -> list[Span]:
    """Return the spans that begin with a scheme, in order."""
    return sorted((start, end) for start, end in spans if _SCHEME.match(text, start, end))


def one_by_one(find: Finder) -> Callable[[Sequence[str]], Iterator[list[Span]]]:
    """Return what asks a finder about one text after another."""
    return lambda texts: (with_scheme(text, find(text)) for text in texts)


def _urisieve() -> Finder:
    extract = import_module("urisieve").extract
    return lambda text: [(record.start, record.end) for record in extract(text)]


def _linkify_it_py() -> Finder:
    options = {"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False}
    match = import_module("linkify_it").LinkifyIt(options=options).match
    return lambda text: [(found.index, found.last_index) for found in match(text) or ()]


def _urlextract() -> Finder:
    find_urls = import_module("urlextract").URLExtract().find_urls
    return lambda text: [place for _, place in find_urls(text, get_indices=True, with_schema_only=True)]


_IN_PYTHON: Final[dict[str, tuple[Callable[[], Finder], str]]] = {
    "linkify-it-py": (_linkify_it_py, "`fuzzy_link`, `fuzzy_email` and `fuzzy_ip` off"),
    "urlextract": (_urlextract, "`with_schema_only=True`"),
}
_OF_NPM: Final = {
    "linkify-it": "`fuzzyLink`, `fuzzyEmail` and `fuzzyIP` off",
    "linkifyjs": "defaults; it has no option for links without a scheme",
    "autolinker": "`schemeMatches` and `email` alone; nothing stripped or decoded",
}


def _of_npm(folder: Path) -> Iterator[Linker]:
    def answers(texts: Sequence[str]) -> list[dict[str, object]]:
        lines = "".join(f"{json.dumps(text)}\n" for text in texts)
        command = ["node", str(_SCRIPT), str(folder)]
        done = subprocess.run(command, input=lines, capture_output=True, check=True, encoding="utf-8")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def finds(name: str, texts: Sequence[str]) -> Iterator[list[Span]]:
        for text, found in zip(texts, answers(texts)[1:], strict=True):
            yield with_scheme(text, ((start, end) for start, end in found[name]))  # type: ignore[attr-defined]

    for name, version in answers(())[0].items():
        yield Linker(name, str(version), _OF_NPM[name], lambda texts, name=name: finds(name, texts))  # type: ignore[misc]


def installed(npm: Path | None) -> list[Linker]:
    """Return ours and the other linkers that can be asked, those of npm from the packages of a folder."""
    linkers = [Linker(OURS, import_module(OURS).__version__, "defaults", one_by_one(_urisieve()))]
    for name, (load, settings) in _IN_PYTHON.items():
        try:
            linkers.append(Linker(name, metadata.version(name), settings, one_by_one(load())))
        except (metadata.PackageNotFoundError, ModuleNotFoundError):
            continue
    return [*linkers, *(_of_npm(npm) if npm is not None else ())]
