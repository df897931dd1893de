"""Charts as SVG in the page: widths in percent, so that they fit every screen, geometry in attributes, not in styles.

A chart repeats what a table beside it says. So it is one picture for a screen reader, with a title and a description.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from urisieve.lean.hints import Final
from urisieve.sinks.report.markup import Markup, element, lines_of
from urisieve.sinks.report.report_tables import number

__all__ = ["bar_chart", "figure", "funnel_chart", "percent"]

# Pixels.
_LINE: Final = 44
_TEXT: Final = 16
_BAR: Final = 12
_BAR_TOP: Final = 22
_STAGE: Final = 50
_STAGE_BAR: Final = 18
# A bar that stands for something can be seen.
_LEAST_WIDTH: Final = 0.5


def percent(part: int, whole: int) -> str:
    """Return a share in words: `12.5 %`; nothing and all only if it is so."""
    if not whole:
        return "0 %"
    share = 100 * part / whole
    if 0 < share < 0.1:
        return "< 0.1 %"
    if 99.9 < share < 100:
        return "> 99.9 %"
    return f"{share:.1f} %".replace(".0 %", " %")


def figure(name: str, title: str, description: str, height: int, shapes: Iterable[Markup]) -> Markup:
    """Return a picture with the texts that stand for it."""
    picture = element(
        "svg",
        lines_of(
            element("title", title, id=f"{name}-title"),
            element("desc", description, id=f"{name}-desc"),
            *shapes,
        ),
        role="img",
        aria_labelledby=f"{name}-title",
        aria_describedby=f"{name}-desc",
        width="100%",
        height=height,
    )
    return element("figure", picture)


def bar_chart(name: str, title: str, bars: Sequence[tuple[str, int]], total: int) -> Markup:
    """Return bars one below the other, with a label and a count above each.

    Args:
        name: the beginning of its identifiers in the page.
        title: the title.
        bars: labels and counts, the largest first.
        total: the count that shares are of.
    """
    most = max((count for _, count in bars), default=0)
    description = "; ".join(f"{label}: {number(count)}, {percent(count, total)}" for label, count in bars)
    shapes: list[Markup] = []
    for index, (label, count) in enumerate(bars):
        top = index * _LINE
        shapes += _texts(label, number(count), top)
        shapes.append(element("rect", class_="bar", x=0, y=top + _BAR_TOP, width=_width(count, most), height=_BAR))
    return figure(name, title, description, len(bars) * _LINE, shapes)


def funnel_chart(name: str, title: str, stages: Sequence[tuple[str, int]]) -> Markup:
    """Return stages one below the other, each a bar in the middle, with its label and count above."""
    most = max((count for _, count in stages), default=0)
    description = "; ".join(f"{label}: {number(count)}" for label, count in stages)
    shapes: list[Markup] = []
    for index, (label, count) in enumerate(stages):
        top = index * _STAGE
        width = _share(count, most)
        shapes += _texts(label, number(count), top)
        shapes.append(
            element(
                "rect",
                class_="bar",
                x=f"{50 - width / 2:.2f}%",
                y=top + _BAR_TOP,
                width=f"{width:.2f}%",
                height=_STAGE_BAR,
            )
        )
    return figure(name, title, description, len(stages) * _STAGE, shapes)


def _texts(label: str, count: str, top: int) -> tuple[Markup, Markup]:
    return (
        element("text", label, class_="label", x=0, y=top + _TEXT),
        element("text", count, class_="count", x="100%", y=top + _TEXT),
    )


def _share(count: int, most: int) -> float:
    return max(_LEAST_WIDTH, 100 * count / most) if count > 0 else 0.0


def _width(count: int, most: int) -> str:
    return f"{_share(count, most):.2f}%"
