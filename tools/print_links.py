"""Print the tables of docs that are made from the rows of links: the resolvers, or the redirectors.

Use: python tools/print_links.py redirectors
The tests compare docs/phishing.md and docs/dedupe.md with them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from urisieve.rules.links.redirectors import REDIRECTORS
from urisieve.rules.links.resolver_links import RESOLVER_LINKS


def redirectors() -> str:
    """A Markdown table of the redirectors, with an example of each."""
    lines = ["| redirector | link | leads to | reference |", "| --- | --- | --- | --- |"]
    for row in REDIRECTORS:
        link, inner = row.examples[0]
        lines.append(f"| {row.title} | `{link}` | `{inner}` | {row.reference} |")
    return "\n".join(lines)


def resolvers() -> str:
    """A Markdown table of the resolvers, with an example of each."""
    lines = ["| resolver | link | identifier | reference |", "| --- | --- | --- | --- |"]
    for row in RESOLVER_LINKS:
        link, name = row.same[0]
        lines.append(f"| {row.title} | `{link}` | `{name}` | {row.reference} |")
    return "\n".join(lines)


TABLES: Final[dict[str, Callable[[], str]]] = {"redirectors": redirectors, "resolvers": resolvers}


if __name__ == "__main__":
    print(TABLES[sys.argv[1]]())
