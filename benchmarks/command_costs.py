"""What commands cost beside the plain one that does the same search: ratios of processor time of whole commands."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.markdown import number, table
from benchmarks.measure import median, turns
from benchmarks.options import BAR
from benchmarks.settings import Settings, Text

__all__ = ["report"]

_TITLE = "Commands"
# The kind of text, a command and the plain one; `{text}`, `{csv}` and `{jsonl}` are files with the same links, and
# `{store}` is a new one each time.
_ROWS = (
    ("access", "report --output {page} {text}", "count --quiet {text}"),
    ("access", "count --quiet --safe defang {text}", "count --quiet {text}"),
    ("urls", "check --format jsonl < {text}", "extract --quiet --jobs 1 --format jsonl {text}"),
    ("urls", "normalize --input csv --field url {csv}", "normalize < {text}"),
    ("urls", "normalize --input jsonl --field url {jsonl}", "normalize < {text}"),
    ("urls", "check --input csv --field url --format csv {csv}", "extract --quiet --jobs 1 --format csv {text}"),
    ("urls", "dedupe --quiet --store {store} {text}", "dedupe --quiet {text}"),
    ("urls", "count --quiet --memory-limit 120MB {text}", "count --quiet {text}"),
)


def _tables(text: Text) -> dict[str, Path]:
    """The lines of a text as the column `url` of a table, and as JSON lines."""
    made = {name: text.path.with_suffix(f".{name}") for name in ("csv", "jsonl")}
    with (
        text.path.open(encoding="utf-8") as lines,
        made["csv"].open("w", encoding="utf-8") as csv,
        made["jsonl"].open("w", encoding="utf-8") as objects,
    ):
        csv.write("id,url\n")
        for number_, line in enumerate(lines):
            link = line.rstrip("\n")
            csv.write(f'{number_},"{link.replace(chr(34), 2 * chr(34))}"\n')
            objects.write(json.dumps({"id": number_, "url": link}) + "\n")
    return made


def _shell(command: str, files: dict[str, Path]) -> list[str]:
    line = command.format(**files)
    return ["sh", "-c", f"rm -f {files['store']}*; exec {sys.executable} -m urisieve {line} > /dev/null"]


def report(settings: Settings) -> Iterator[str]:
    """One table, a row a command."""
    rows = []
    texts = {kind: settings.made(kind, settings.size) for kind in dict.fromkeys(kind for kind, _, _ in _ROWS)}
    tables = _tables(texts["urls"])
    for kind, command, plain in _ROWS:
        files = tables | {"text": texts[kind].path, "store": settings.folder / "store.db"}
        files["page"] = settings.folder / "page.html"
        runs = turns({one: _shell(one, files) for one in (command, plain)}, settings.runs)
        ours, other = median(runs[command]), median(runs[plain])
        names = {"text": kind, "csv": "urls.csv", "jsonl": "urls.jsonl", "store": "new.db", "page": "page.html"}
        shown = [f"`{one.format(**names)}`" for one in (command, plain)]
        ratio = settings.cell(ours.cpu / other.cpu, BAR, table=_TITLE, row=shown[0], column=f"beside {shown[1]}")
        rows.append([*shown, number(ours.cpu), ratio, number(ours.peak)])
    head = ["command", "beside", "s", "ratio", "peak MB"]
    yield f"{_TITLE}, processor time beside a plain one on the same links:\n\n{table(head, rows, left=2)}"
