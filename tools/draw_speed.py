"""Draw docs/images/speed.svg from docs/images/speed.json, the figures of docs/benchmarks.md.

Use: python tools/draw_speed.py [--record]
With `--record` the figures are first taken from the tables of docs/benchmarks.md again.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape

ROOT: Final = Path(__file__).resolve().parent.parent
TABLES: Final = ROOT / "docs" / "benchmarks.md"
FIGURES: Final = ROOT / "docs" / "images" / "speed.json"
CHART: Final = ROOT / "docs" / "images" / "speed.svg"

_TEXTS: Final = {"mail": "Mail", "access": "Access log"}
# The name in the chart: the head of the table, the column, and whether it is ours.
_COMMANDS: Final = {
    "urisieve extract --unique": ("`extract --unique --jobs 1`", True),
    "urisieve extract --format jsonl": ("`--format jsonl --jobs 1`", True),
    "rg -o … | sort -u": ("`rg -o ... \\| sort -u`", False),
}
_LIBRARIES: Final = {
    "ural": "ural",
    "linkify-it-py, schemes only": "linkify-it-py, schemes only",
    "ioc-finder": "ioc-finder",
    "URLExtract": "URLExtract",
}


def _table(page: str, lead: str) -> dict[str, dict[str, str]]:
    """The rows of the table behind a sentence, by the first cell, with their cells by column."""
    lines = page[page.index(lead) :].partition("\n\n")[2].partition("\n\n")[0].splitlines()
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return {row[0]: dict(zip(rows[0], row, strict=True)) for row in rows[2:]}


def recorded(page: str) -> dict[str, Any]:
    """The figures of the chart, in MB/s, from the tables of the benchmarks."""
    commands = _table(page, "Whole commands, start-up included, in MB/s:")
    library = _table(page, "The library on one core")
    peers = _table(page, "The processor time of link finders in Python")
    machine = re.search(r"^Measured on (.*); medians", page, re.MULTILINE)
    assert machine is not None
    texts = {}
    for text, title in _TEXTS.items():
        bars: list[dict[str, Any]] = [
            {"name": name, "speed": float(commands[text][column].replace(",", "")), "ours": ours}
            for name, (column, ours) in _COMMANDS.items()
        ]
        records = float(library[text]["records MB/s"].replace(",", ""))
        bars.append({"name": "urisieve in Python, records", "speed": records, "ours": True})
        for name, column in _LIBRARIES.items():
            found = re.search(r"\((.*) MB/s\)", peers[text][column])
            assert found is not None
            bars.append({"name": f"{name} (Python)", "speed": float(found[1]), "ours": False})
        texts[title] = sorted(bars, key=lambda bar: -float(bar["speed"]))
    return {"machine": machine[1], "texts": texts}


_STYLE: Final = """
  .ground { fill: #ffffff; stroke: #d0d7de; }
  text { fill: #1f2328; font: 13px system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif; }
  .title { font-size: 15px; font-weight: 600; }
  .note { fill: #59636e; font-size: 11.5px; }
  .ours { fill: #0b6e99; }
  .other { fill: #9aa4ae; }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117; stroke: #3d444d; }
    text { fill: #f0f6fc; }
    .note { fill: #9198a1; }
    .ours { fill: #4cb3dd; }
    .other { fill: #656f7a; }
  }
"""
_WIDTH: Final = 760
_LEFT: Final = 262
_RIGHT: Final = 80
_ROW: Final = 24


def _shown(speed: float) -> str:
    return f"{speed:,.0f}" if speed >= 100 else f"{speed:.1f}" if speed >= 10 else f"{speed:.2f}"


def drawn(figures: dict[str, Any]) -> str:
    """The chart. Its ground is its own, so that it can be read on any page."""
    parts = []
    y = 34
    for title, bars in figures["texts"].items():
        parts.append(f'<text class="title" x="20" y="{y}">{escape(title)}: MB of text a second</text>')
        y += 14
        most = max(bar["speed"] for bar in bars)
        for bar in bars:
            length = max(1.5, bar["speed"] / most * (_WIDTH - _LEFT - _RIGHT))
            kind = "ours" if bar["ours"] else "other"
            shown = _shown(bar["speed"])
            parts.append(
                f"<g><title>{escape(bar['name'])}: {shown} MB/s</title>"
                f'<text x="{_LEFT - 10}" y="{y + 15}" text-anchor="end">{escape(bar["name"])}</text>'
                f'<rect class="{kind}" x="{_LEFT}" y="{y + 3}" width="{length:.1f}" height="16" rx="2"/>'
                f'<text x="{_LEFT + length + 7:.1f}" y="{y + 15}">{shown}</text></g>'
            )
            y += _ROW
        y += 34
    y -= 14
    machine = figures["machine"].partition(" (")[0]
    notes = [
        f"{machine}. Commands: one worker, 150 MB, start-up included. Python: one process, by processor time.",
        "rg only finds; the finders in Python find; urisieve finds, validates and normalizes.",
    ]
    for note in notes:
        parts.append(f'<text class="note" x="20" y="{y}">{escape(note)}</text>')
        y += 17
    label = "; ".join(
        f"{title}: " + ", ".join(f"{bar['name']} {_shown(bar['speed'])} MB/s" for bar in bars)
        for title, bars in figures["texts"].items()
    )
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y}" width="{_WIDTH}" height="{y}" '
        f'role="img" aria-labelledby="title description">\n<title id="title">Speed of urisieve and of other programs'
        f'</title>\n<desc id="description">{escape(label)}</desc>\n<style>{_STYLE}</style>\n'
        f'<rect class="ground" x="0.5" y="0.5" width="{_WIDTH - 1}" height="{y - 1}" rx="8"/>\n{body}\n</svg>\n'
    )


def main() -> None:
    """Draw the chart, after recording its figures if that is asked for."""
    if "--record" in sys.argv[1:]:
        figures = recorded(TABLES.read_text("utf-8"))
        FIGURES.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n", "utf-8")
    CHART.write_text(drawn(json.loads(FIGURES.read_text("utf-8"))), "utf-8")


if __name__ == "__main__":
    main()
