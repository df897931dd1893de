"""Count what a text costs by: links, addresses, names, signs, lines; `python -m benchmarks.text_figures FILE...`.

The figures of real texts are kept in `text_figures.json` and are what `benchmarks.corpora` makes texts after. They
are written again by `python -m benchmarks.text_figures --write`, from the slices of `benchmarks.real_texts`.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.markdown import number, table
from urisieve import extract

if TYPE_CHECKING:  # they are made after the figures
    from benchmarks.settings import Settings

__all__ = ["PATTERNS", "RATES", "REAL", "SHARES", "beyond_ascii", "figure_table", "figures", "rates", "report"]

# As much of a text as is counted.
_SIZE: Final = 8_000_000
_FILE: Final = Path(__file__).with_name("text_figures.json")
_LINK: Final = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*://[^\s<>\"]+")
_FROM_LINE: Final = re.compile(rb"^From ", re.M)
_HIGH: Final = bytes(range(128, 256))
_FIELD: Final = re.compile(rb"^[A-Za-z][A-Za-z0-9-]*:", re.M)

PATTERNS: Final[dict[str, re.Pattern[bytes]]] = {
    "links": _LINK,
    "addresses": re.compile(rb"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}"),
    "names": re.compile(rb"(?<![A-Za-z0-9._@/-])(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}(?![A-Za-z0-9-])"),
    # A word with a colon and something directly after it: what could be an identifier of a scheme that nobody knows.
    "word:x": re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*:(?!//)[^\s/:]"),
    "messages": _FROM_LINE,
    "<a": re.compile(rb"<[aA] "),
}
_STRINGS: Final = {
    "@": b"@",
    ".": b".",
    ":": b":",
    "&": b"&",
    "boundary": b"boundary=",
    "base64": b"base64",
    "lines": b"\n",
}

RATES: Final = (*PATTERNS, *_STRINGS)
"""What is counted a million bytes."""
SHARES: Final = (
    "distinct links",
    "hosts a link",
    "distinct addresses",
    "distinct names",
    "canonical",
    "with a query",
    "not ASCII",
)
"""What is a share: of the links, of the addresses, of the names, of the records, of the links, of the bytes."""


def rates(data: bytes) -> dict[str, int]:
    """Return how often each of `RATES` occurs."""
    found = {name: len(pattern.findall(data)) for name, pattern in PATTERNS.items()}
    return found | {name: data.count(sign) for name, sign in _STRINGS.items()}


def beyond_ascii(data: bytes) -> int:
    """Return how many bytes are not ASCII."""
    return 0 if data.isascii() else len(data) - len(data.translate(None, _HIGH))


def figures(data: bytes) -> dict[str, float]:
    """Return all figures: `RATES` a million bytes, `SHARES`, the median of `link length`, and `fields a message`."""
    found = {name: round(count / len(data) * 1e6, 1) for name, count in rates(data).items()}
    all_of = {name: PATTERNS[name].findall(data) for name in ("links", "addresses", "names")}
    links = all_of["links"]
    records = [record.raw == record.key for record in extract(data.decode("utf-8", "replace"))]
    shares = {f"distinct {name}": _share(len(set(some)), len(some)) for name, some in all_of.items()}
    shares["hosts a link"] = _share(len({link.split(b"/", 3)[2].lower() for link in links}), len(links))
    shares["canonical"] = _share(sum(records), len(records))
    shares["with a query"] = _share(sum(b"?" in link for link in links), len(links))
    shares["not ASCII"] = _share(beyond_ascii(data), len(data))
    heads = [message.partition(b"\n\n")[0] for message in _FROM_LINE.split(data)[1:]]
    return {
        **found,
        **{name: shares[name] for name in SHARES},
        "link length": statistics.median(map(len, links)) if links else 0,
        "fields a message": round(sum(len(_FIELD.findall(head)) for head in heads) / max(1, len(heads)), 1),
    }


def _share(part: int, whole: int) -> float:
    return round(part / max(1, whole), 4)


def figure_table(columns: dict[str, dict[str, float]]) -> str:
    """Return a table: a row for each figure, a column for each text."""
    first = next(iter(columns.values()))
    return table(
        ["a MB, or a share", *columns], [[name, *(number(one[name]) for one in columns.values())] for name in first]
    )


def report(settings: Settings) -> Iterator[str]:
    """Yield one table: the figures of each generated text beside those of the real one, as it is kept."""
    columns = {}
    for kind, real in REAL.items():
        columns[kind] = figures(settings.made(kind, min(settings.size, _SIZE)).path.read_bytes())
        columns[f"real {kind}"] = real
    yield f"What the texts have, counted by `python -m benchmarks.text_figures`:\n\n{figure_table(columns)}"


REAL: Final[dict[str, dict[str, float]]] = json.loads(_FILE.read_text("utf-8"))
"""The figures of real texts, by kind."""


def main() -> None:
    """Count in files, or write the figures of the real texts."""
    from benchmarks.real_texts import SLICES, real_slice

    parser = argparse.ArgumentParser(prog="python -m benchmarks.text_figures", description="Count in texts.")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="a text")
    parser.add_argument("--write", action="store_true", help=f"write those of the real texts into {_FILE.name}")
    asked = parser.parse_args()
    if asked.files:
        print(figure_table({path.name: figures(path.read_bytes()) for path in asked.files}))
    if asked.write:
        with tempfile.TemporaryDirectory() as folder:
            found = {kind: figures(real_slice(kind, Path(folder)).read_bytes()) for kind in SLICES}
        _FILE.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
