"""How often a memory of what was seen would help: hit rates of bounded memories from raw text to canonical form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from benchmarks.markdown import number, percent, table
from benchmarks.settings import Settings
from urisieve import extract

__all__ = ["hits", "report"]

# Bounds on the number of entries; None remembers all.
_BOUNDS = (256, 1_024, 4_096, 16_384, 65_536, None)


def hits(texts: Iterable[str], bound: int | None) -> int:
    """How many of the texts a memory knows that is emptied when it is full."""
    seen: set[str] = set()
    known = 0
    for text in texts:
        if text in seen:
            known += 1
        else:
            if len(seen) == bound:
                seen.clear()
            seen.add(text)
    return known


def report(settings: Settings) -> Iterator[str]:
    """One table, a row a text."""
    head = ["text", "links", "distinct", "canonical as they stand"]
    head += ["all remembered" if bound is None else f"{bound:,} remembered" for bound in _BOUNDS]
    rows = []
    for text in settings.texts():
        links: list[str] = []
        canonical = 0
        with text.path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
            for record in extract(iter(lambda: file.read(1 << 20), "")):
                links.append(record.raw)
                canonical += record.raw == record.key
        shares = [percent(hits(links, bound), len(links)) for bound in _BOUNDS]
        distinct = percent(len(set(links)), len(links))
        rows.append([text.name, number(len(links)), distinct, percent(canonical, len(links)), *shares])
    yield f"Links that a memory of so many texts would know (it is emptied when full):\n\n{table(head, rows)}"
