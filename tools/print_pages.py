"""Print a report and the statistics of a terminal, whole, as they are laid out for numbers that never change.

Use: python tools/print_pages.py > tests/golden/pages.txt
tests/sinks/test_golden_pages.py compares: a line that changes is a change of what people see; look at it, then print
anew.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.sinks.reported_statistics import busy
from urisieve.sinks.statistics import report_html
from urisieve.sinks.statistics.statistics_text import statistics_lines

WIDTHS = (40, 59, 60, 80, 200)


def _report() -> Iterator[str]:
    """The page but for its style and script, which stand in files of their own, and what they make of its head."""
    page = report_html(busy())
    page = re.sub(r"(?s)<(style|script)>.*?</\1>", r"<\1>...</\1>", page)
    page = re.sub(r"'sha256-[^']*'", "'sha256-...'", page)
    yield from re.sub(r"urisieve \d[\w.+]*", "urisieve VERSION", page).splitlines()


def text() -> str:
    """The whole text."""
    parts = {"the page of a report": list(_report())}
    for width in WIDTHS:
        parts[f"{width} columns"] = list(statistics_lines(busy(), width=width))
    parts["60 columns of ASCII"] = list(statistics_lines(busy(), width=60, encoding="ascii"))
    return "\n".join(f"## {title}\n\n" + "".join(f"{line}\n" for line in lines) for title, lines in parts.items())


if __name__ == "__main__":
    sys.stdout.buffer.write(text().encode("utf-8"))
