"""Markdown: tables, numbers as people read them, and the part of a document that is measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["END", "START", "number", "percent", "replaced", "table"]

START = "<!-- benchmarks:start -->"
END = "<!-- benchmarks:end -->"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> str:
    """A table whose first `left` columns are text and whose other columns are figures."""
    rules = ["---" if column < left else "---:" for column in range(len(head))]
    lines = ([cell.replace("|", "\\|") for cell in row] for row in (head, rules, *rows))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float | None) -> str:
    """Three digits that count; `-` where there is no figure."""
    if value is None:
        return "-"
    if abs(value) >= 99.95:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 9.995 else f"{value:.2f}"


def percent(part: float, whole: float) -> str:
    """A share, in per cent; `-` of nothing."""
    return f"{100 * part / whole:.0f} %" if whole else "-"


def replaced(document: str, text: str, *, start: str = START, end: str = END) -> str:
    """The document with `text` between its marks, by default those of the benchmarks.

    Raises:
        ValueError: it does not have both marks, once each and in order.
    """
    before, first, rest = document.partition(start)
    _, last, after = rest.partition(end)
    if not first or not last or start in rest or end in after:
        raise ValueError(f"the document must hold {start} and after it {end}, once each")
    return f"{before}{start}\n{text.strip()}\n{end}{after}"
