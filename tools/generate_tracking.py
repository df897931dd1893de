"""Generate the table of tracking parameters, `src/urisieve/rules/registry/tracking.txt`, from a plain file.

Use: python tools/generate_tracking.py [FILE]
where FILE is `tools/tracking_parameters.tsv` unless it is named; its head says what its columns are. Whoever renews it
changes rows and the date there; no code changes. Run `tools/generate_kernel_tables.py` afterwards.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from generate_registry import write_table

SOURCE = Path(__file__).parent / "tracking_parameters.tsv"
HEAD = """\
Parameters of queries that campaigns, mailers and share buttons add to links: name (a `*` at its end stands for
anything), host (`-` for all), texts with which it stays, lists that name it, purpose; tabs between.
Source: facts from the lists that are named, compiled {date}."""
_NAME = re.compile(r"[!$%'()+,\-.0-9:;?@A-Z_a-z~]+\*?")
_HOST = re.compile(r"-|[a-z0-9\-]+(?:\.[a-z0-9\-]+)+")


def fault(row: list[str]) -> str:
    """Return what is wrong with a row; "" for nothing."""
    if len(row) != 5 or not all(row):
        return "not five columns"
    name, host, unless, _, _ = row
    if not _NAME.fullmatch(name) or re.sub("%[0-9A-F]{2}", "", name) != re.sub("%[0-9A-F]{2}", "", name).lower():
        return "not the name of a parameter in lower case"
    if not _HOST.fullmatch(host):
        return "not a host"
    if unless != "-" and (unless != unless.lower() or not all(unless.split(","))):
        return "not texts in lower case between commas"
    return ""


def main(source: Path) -> None:
    """Check the file and write the table."""
    lines = source.read_text(encoding="utf-8").splitlines()
    date = next(line.removeprefix("# compiled ") for line in lines if line.startswith("# compiled "))
    rows: dict[tuple[str, str], str] = {}
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            continue
        row = line.split("\t")
        wrong = fault(row) or ("named twice" if tuple(row[:2]) in rows else "")
        if wrong:
            sys.exit(f"{source}:{number}: {wrong}: {line!r}")
        rows[row[0], row[1]] = line
    write_table(Path(__file__).name, "tracking", HEAD.format(date=date), [rows[key] for key in sorted(rows)])


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE)
