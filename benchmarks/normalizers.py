"""Normalization of single URLs in one process: `python -m benchmarks.normalizers FILE ROUNDS` prints JSON.

FILE has one URL a line, all distinct and far more than the caches of any package hold (yarl keeps the last 128 URLs and
some hundred hosts). In each round every package goes through the list, in turn; the strings are made anew before each.
Time is processor time, which other programs on the machine disturb least.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.equivalences import right
from benchmarks.machine import package_version

__all__ = ["NORMALIZERS", "OURS", "Normalizer"]

_Normalize = Callable[[str], str]


class Normalizer(NamedTuple):
    """A way to normalize a URL.

    Attributes:
        package: the package that has it.
        call: what is measured, as a reader would write it.
        load: imports it and gives the function.
    """

    package: str
    call: str
    load: Callable[[], _Normalize]


def _of(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


def _plain(module: str, name: str) -> Callable[[], _Normalize]:
    """A function that takes a URL and gives one."""

    def load() -> _Normalize:
        function: _Normalize = _of(module, name)
        return function

    return load


def _yarl() -> _Normalize:
    url = _of("yarl", "URL")
    return lambda text: str(url(text))


def _hyperlink() -> _Normalize:
    parse = _of("hyperlink", "parse")
    return lambda text: str(parse(text).normalize().to_text())


def _can_ada() -> _Normalize:
    parse = _of("can_ada", "parse")
    return lambda text: str(parse(text).href)


OURS = "urisieve"
NORMALIZERS = (
    Normalizer(OURS, "normalize(url)", _plain("urisieve", "normalize")),
    Normalizer("yarl", "str(URL(url))", _yarl),
    Normalizer("courlan", "normalize_url(url)", _plain("courlan", "normalize_url")),
    Normalizer("w3lib", "canonicalize_url(url)", _plain("w3lib.url", "canonicalize_url")),
    Normalizer("rfc3986", "normalize_uri(url)", _plain("rfc3986", "normalize_uri")),
    Normalizer("hyperlink", "parse(url).normalize().to_text()", _hyperlink),
    Normalizer("url-normalize", "url_normalize(url)", _plain("url_normalize", "url_normalize")),
    Normalizer("can-ada", "parse(url).href (C++)", _can_ada),
)


def _timed(normalize: _Normalize, texts: list[str]) -> tuple[float, int]:
    """Seconds for all texts, and how many were refused."""
    refused = 0
    started = time.process_time()
    for text in texts:
        try:
            normalize(text)
        except Exception:  # whatever a package raises
            refused += 1
    return time.process_time() - started, refused


def measure(path: Path, rounds: int) -> dict[str, dict[str, float]]:
    """Microseconds a URL, their ratio to ours, refusals and right answers, by package."""
    installed = [one for one in NORMALIZERS if package_version(one.package) is not None]
    functions = {one.package: one.load() for one in installed}
    answers = {name: right(function) for name, function in functions.items()}  # imports and compiles the rest, too
    seconds: dict[str, list[float]] = {name: [] for name in functions}
    refused: dict[str, int] = {}
    data = path.read_bytes()
    for _ in range(rounds):
        for name, function in functions.items():
            texts = data.decode().splitlines()
            spent, refused[name] = _timed(function, texts)
            seconds[name].append(spent / len(texts))
    return {
        name: {
            "us": statistics.median(taken) * 1e6,
            "ratio": statistics.median(one / ours for one, ours in zip(taken, seconds[OURS], strict=True)),
            "refused": refused[name],
            "merged": answers[name][0],
            "kept": answers[name][1],
        }
        for name, taken in seconds.items()
    }


if __name__ == "__main__":
    json.dump(measure(Path(sys.argv[1]), int(sys.argv[2])), sys.stdout)
