"""The timeline of a report as SVG: bars at their times, so that gaps are seen, no more than can be told apart.

Widths are in percent, so that they fit every screen, and geometry is in attributes, not in styles. The chart repeats
what the table beside it says. So it is one picture for a screen reader, with a title and a description.

It holds besides:

- shares in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from urisieve.lean import Final, lazy_compile
from urisieve.sinks.report.table_markup import Markup, element, lines_of, number
from urisieve.sinks.statistics.statistics import TimeCount, TimeUnit


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


# The most bars: on the screen of a telephone each has two pixels and a gap.
MOST_BARS: Final = 100
# A timeline with more units to a time is not drawn to scale: one message dated 1970 would leave nothing of the others.
_SPARSE: Final = 20
# Pixels.
_HEIGHT: Final = 150
_TOP: Final = 24
_FLOOR: Final = 126
_BASE: Final = 144
_LEAST_HEIGHT: Final = 2
# `2024-05-31T13` and what is left of it for larger units; `-` for a year that is not stated.
_TIME: Final = lazy_compile(r"(\d{4}|-)(?:-(\d\d)(?:-(\d\d)(?:T(\d\d))?)?)?")
_LEAP_YEAR: Final = 2000  # for times without a year


def timeline_chart(name: str, title: str, unit: TimeUnit, rows: Sequence[TimeCount], more: str = "") -> Markup:
    """Return the numbers of identifiers by time.

    Args:
        name: the beginning of its identifiers in the page.
        title: the title.
        unit: the unit of the times.
        rows: times and counts, at least two, in rising order. Times that cannot be placed, or are far apart, stand side
            by side.
        more: ends the label of the scale.
    """
    places = [_place(row.time, unit) for row in rows]
    known = [place for place in places if place is not None]
    if len(known) < len(rows) or known != sorted(known):
        known = list(range(len(rows)))
    elif known[-1] - known[0] >= max(MOST_BARS, _SPARSE * len(rows)):
        known = list(range(len(rows)))
        more = f"{more}; gaps are left out"
    units = known[-1] - known[0] + 1
    together = -(-units // MOST_BARS)
    bars: dict[int, tuple[int, str, str]] = {}
    for place, row in zip(known, rows, strict=True):
        index = (place - known[0]) // together
        count, first, _ = bars.get(index, (0, row.time, ""))
        bars[index] = (count + row.count, first, row.time)
    slots = -(-units // together)
    most = max(1, *(count for count, _, _ in bars.values()))
    step = 100 / slots
    shapes = [
        element("text", f"at most {number(most)} {_each(together, unit)}{more}", class_="label", x=0, y=16),
        *(_bar(index * step, step, most, *bar) for index, bar in sorted(bars.items())),
        element("line", class_="axis", x1=0, x2="100%", y1=_FLOOR, y2=_FLOOR),
        element("text", rows[0].time, class_="label", x=0, y=_BASE),
        element("text", rows[-1].time, class_="count", x="100%", y=_BASE),
    ]
    peak = max(bars.values(), key=lambda bar: bar[0])
    description = (
        f"From {rows[0].time} to {rows[-1].time}, a bar for {_each(together, unit).removeprefix('in ')}; "
        f"the highest is {number(peak[0])} at {_span(peak[1], peak[2])}{more}."
    )
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
        height=_HEIGHT,
    )
    return element("figure", picture)


def _each(together: int, unit: TimeUnit) -> str:
    if together > 1:
        return f"in {number(together)} {unit}s"
    return f"in {'an' if unit is TimeUnit.HOUR else 'a'} {unit}"


def _span(first: str, last: str) -> str:
    return first if first == last else f"{first} to {last}"


def _bar(left: float, step: float, most: int, count: int, first: str, last: str) -> Markup:
    height = max(_LEAST_HEIGHT, (_FLOOR - _TOP) * count / most) if count > 0 else 0.0
    return element(
        "rect",
        element("title", f"{_span(first, last)}: {number(count)}"),
        class_="bar",
        x=f"{left:.2f}%",
        y=f"{_FLOOR - height:.1f}",
        width=f"{step * 0.8:.2f}%",
        height=f"{height:.1f}",
    )


def _place(time: str, unit: TimeUnit) -> int | None:
    """Return how many units a time is from a fixed one; None if it is not a time of this unit."""
    match = _TIME.fullmatch(time)
    if match is None:
        return None
    year, month, day, hour = (None if part is None else 0 if part == "-" else int(part) for part in match.groups())
    year = year or _LEAP_YEAR
    if unit is TimeUnit.YEAR:
        return year
    if month is None:
        return None
    if unit is TimeUnit.MONTH:
        return 12 * year + month
    if day is None:
        return None
    try:
        days = date(year, month, day).toordinal()
    except ValueError:
        return None
    if unit is TimeUnit.DAY:
        return days
    return None if hour is None else 24 * days + hour
