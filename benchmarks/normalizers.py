"""Single URLs in one process, normalized and more: `python -m benchmarks.normalizers FILE ROUNDS` prints JSON.

FILE has one URL a line, all distinct and far more than the caches of any package hold (yarl keeps the last 128 URLs and
some hundred hosts). In each round every call goes through the list, in turn; the strings are made anew before each.
Time is processor time, which other programs on the machine disturb least. A call is measured as a reader would write
it, without a function around it.
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

__all__ = ["CAN_ADA", "NORMALIZERS", "OURS", "OUR_CALLS", "YARL", "Call", "timed"]


class Call(NamedTuple):
    """A call that is measured.

    Attributes:
        package: the package that has it.
        text: what is measured: an expression of `url`.
        module: the module from which its first name is imported.
        setup: a statement that makes its other names.
    """

    package: str
    text: str
    module: str
    setup: str = ""

    def _compiled(self, source: str) -> Any:
        name = self.text.removeprefix("str(").partition("(")[0]
        names = {name: getattr(import_module(self.module), name)}
        exec(f"{self.setup}\n{source}", names)
        return names["made"]

    def function(self) -> Callable[[str], str]:
        """The call as a function of a URL."""
        made: Callable[[str], str] = self._compiled(f"made = lambda url: {self.text}")
        return made

    def loop(self) -> Callable[[list[str]], int]:
        """A loop over URLs that returns how many were refused."""
        made: Callable[[list[str]], int] = self._compiled(
            "def made(urls):\n"
            "    refused = 0\n"
            "    for url in urls:\n"
            "        try:\n"
            f"            {self.text}\n"
            "        except Exception:\n"  # whatever a package raises
            "            refused += 1\n"
            "    return refused\n"
        )
        return made


OURS = Call("urisieve", "normalize(url)", "urisieve")
OUR_CALLS = (OURS, *(Call("urisieve", f"{name}(url)", "urisieve") for name in ("key", "is_valid", "check", "parse")))
YARL = Call("yarl", "str(URL(url))", "yarl")
CAN_ADA = Call("can-ada", "parse(url).href", "can_ada")
NORMALIZERS = (
    OURS,
    YARL,
    Call("courlan", "normalize_url(url)", "courlan"),
    Call("w3lib", "canonicalize_url(url)", "w3lib.url"),
    Call("rfc3986", "normalize_uri(url)", "rfc3986"),
    Call("hyperlink", "parse(url).normalize().to_text()", "hyperlink"),
    Call("url-normalize", "url_normalize(url)", "url_normalize"),
    CAN_ADA,
)


def timed(
    loops: dict[Call, Callable[[list[str]], int]], path: Path, rounds: int
) -> tuple[dict[Call, list[float]], dict[Call, int]]:
    """Processor seconds a URL of each call in each round, and how many it refused; the calls take turns."""
    seconds: dict[Call, list[float]] = {one: [] for one in loops}
    refused: dict[Call, int] = {}
    data = path.read_bytes()
    for _ in range(rounds):
        for one, loop in loops.items():
            urls = data.decode().splitlines()
            started = time.process_time()
            refused[one] = loop(urls)
            seconds[one].append((time.process_time() - started) / len(urls))
    return seconds, refused


def measure(path: Path, rounds: int) -> dict[str, dict[str, float]]:
    """Microseconds a URL, ratios to ours, to yarl and to can-ada, refusals and right answers, by call."""
    calls = dict.fromkeys((*NORMALIZERS, *OUR_CALLS))
    installed = [one for one in calls if package_version(one.package) is not None]
    # Imports and compiles the rest, too.
    answers = {one: right(one.function()) if one in NORMALIZERS else (0, 0) for one in installed}
    loops = {one: one.loop() for one in installed}
    seconds, refused = timed(loops, path, rounds)

    def ratios(taken: list[float]) -> dict[str, float]:
        return {
            f"to {other.package}": statistics.median(one / two for one, two in zip(taken, seconds[other], strict=True))
            for other in (OURS, YARL, CAN_ADA)
            if other in seconds
        }

    return {
        one.text: {
            "us": statistics.median(taken) * 1e6,
            **ratios(taken),
            "refused": refused[one],
            "merged": answers[one][0],
            "kept": answers[one][1],
        }
        for one, taken in seconds.items()
    }


if __name__ == "__main__":
    json.dump(measure(Path(sys.argv[1]), int(sys.argv[2])), sys.stdout)
