"""Ask other linkers about the rows of `samples/data/boundaries.jsonl`: where does a link begin, where does it end?

    npm install --prefix FOLDER linkify-it linkifyjs autolinker
    pip install linkify-it-py urlextract
    python tools/compare_linkers.py --npm FOLDER                       tables of those that are installed
    python tools/compare_linkers.py --npm FOLDER --wrong linkifyjs     the rows that one of them gets wrong
    python tools/compare_linkers.py --npm FOLDER --write docs/reference/differences.md

Needs Node for those of npm. Returns 1 if urisieve gets a row wrong.
"""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.markdown import replaced
from linkers.programs import installed
from linkers.rows import PATH, read_rows
from linkers.tables import asked, page, wrong

START = "<!-- linkers:start -->"
END = "<!-- linkers:end -->"


def main(argv: list[str]) -> int:
    """Ask, and return the status of the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--npm", type=Path, metavar="FOLDER", help="where packages of npm are installed")
    parser.add_argument("--rows", type=Path, default=PATH, metavar="FILE", help="other rows")
    parser.add_argument("--wrong", metavar="NAME", help="print the rows that this linker gets wrong")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the tables into this page, between its marks")
    given = parser.parse_args(argv)
    rows = read_rows(given.rows)
    results = asked(installed(given.npm), rows)
    ours = results[0]
    if given.wrong is not None:
        chosen = [one for one in results if one.linker.name == given.wrong]
        if not chosen:
            parser.error(f"no such linker: {given.wrong}; there are {', '.join(one.linker.name for one in results)}")
        print("\n".join(wrong(chosen[0], rows)))
        return 0
    tables = page(results, rows, f"{datetime.now(UTC):%Y-%m-%d}")
    if given.write is None:
        print(tables)
    else:
        document = given.write.read_text("utf-8")
        given.write.write_text(replaced(document, tables, start=START, end=END), "utf-8")
    return int(not all(map(ours.is_right, range(len(rows)))))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
