"""Print docs/codes.md: every code of rejections and warnings with its source.

Use: python tools/print_codes.py > docs/codes.md
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from urisieve.codes import REASONS, WARNINGS, CodeEntry, Reason, Warn

_TEXT = """# Codes

Every rejection has one reason, every record any number of warnings. The codes are stable: one may be added, none is
renamed or given another meaning within a major version. This page is printed from `urisieve.codes`.

## Reasons of rejections

A rejection also names the component (`identifier`, `scheme`, `authority`, `userinfo`, `host`, `port`, `path`, `query`,
`fragment`, `nid`, `nss`), the offset in the candidate and the section below (or that of the scheme's own RFC).

{reasons}

## Warnings of records

{warnings}
"""


def table(entries: Mapping[Reason, CodeEntry] | Mapping[Warn, CodeEntry]) -> str:
    """A Markdown table of codes."""
    lines = ["| code | source | meaning |", "| --- | --- | --- |"]
    lines += [f"| `{code}` | {entry.section} | {entry.meaning} |" for code, entry in entries.items()]
    return "\n".join(lines)


def page() -> str:
    """The whole page."""
    return _TEXT.format(reasons=table(REASONS), warnings=table(WARNINGS))


if __name__ == "__main__":
    sys.stdout.write(page())
