"""Measure how often the shapes of the rows of `samples/data/boundaries.jsonl` occur in texts.

    python tools/measure_boundaries.py FILE...            how often each is now, and in the files
    python tools/measure_boundaries.py FILE... --write    write that into the rows as `often`, for a million links

The files are read as UTF-8 text, a line at a time.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from linkers.rows import PATH, read_rows
from linkers.shapes import covered, often, script_of, shapes_in


def _lines(paths: list[Path]) -> Iterator[str]:
    for path in paths:
        with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
            yield from (line for line in file if ":" in line)


def main(argv: list[str]) -> int:
    """Measure, and return the status of the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="texts with links in them")
    parser.add_argument("--write", action="store_true", help="write the figures into the rows")
    parser.add_argument("--rows", type=Path, default=PATH, metavar="FILE", help="the rows")
    given = parser.parse_args(argv)
    seen = shapes_in(_lines(given.files))
    written = [json.loads(line) for line in given.rows.read_text("utf-8").splitlines()]
    rows = read_rows(given.rows)
    for row, count in zip(written, often(rows, seen), strict=True):
        if not given.write:
            print(f"{row['often']}\t{count}\t{row['kind']}\t{row['text']!r}")
        row |= {"often": count, "script": script_of(row["text"])}
    if given.write:
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in written)
        given.rows.write_text("".join(lines), "utf-8", newline="\n")
    total = seen.total()
    share = f"{100 * covered(rows, seen) / max(total, 1):.1f} %"
    print(f"{total:,} links of {len(seen):,} shapes; a row has what is beside {share} of them", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
