"""The HTML of a report: elements, tables and names, and its timeline.

It defines:

- tables of a report: as many rows as there is room for, each whole row or not at all.
- HTML from text: the one place where text is escaped; whatever is not `Markup` already is text.
- the timeline as SVG: bars at their times, so that gaps are seen, no more than can be distinguished. Widths are in
  percent, so that they fit every screen, and geometry is in attributes, not in styles. The chart repeats what the table
  beside it states. So it is one picture for a screen reader, with a title and a description.
- shares in words.

How names and identifiers are shown: as they may leave, isolated from the text around, of bounded length.

A report is passed on and pasted into mails and chats, whose programs make links of all that looks like one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from urisieve.identifiers import check
from urisieve.lean import Final, NamedTuple, TypeVar
from urisieve.records.mask import drawn_mask
from urisieve.records.record import Record
from urisieve.sinks.statistics.statistics import TimeCount, TimeUnit, number_of_time
from urisieve.syntax.passwords import userinfo_password
from urisieve.wording import printable

# RFC 1866 9.7.1 and HTML 13.1.4: what text, and values of attributes between any quotes, cannot contain as it is.
_ESCAPES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})
# Elements without content and without an end (HTML 13.1.2).
_VOID: Final = frozenset(["input", "meta"])
_ELLIPSIS: Final = "\N{HORIZONTAL ELLIPSIS}"

_Attribute = str | int | bool | None


class Markup(str):
    """HTML that goes onto the page as it is. Only this module makes it of text; CSS and JavaScript are files."""

    __slots__ = ()


def _escaped(text: str) -> str:
    """Return a text as HTML: escaped, without control characters, controls of direction and lone surrogates."""
    return text if isinstance(text, Markup) else printable(text).translate(_ESCAPES)


def element(tag: str, /, *content: str, **attributes: _Attribute) -> Markup:
    """Return an element; content and attributes that are not `Markup` are escaped.

    >>> element("p", "a < b", element("b", '"'), class_="x", aria_label="'", hidden=True, id=None)
    '<p class="x" aria-label="&#39;" hidden>a &lt; b<b>&quot;</b></p>'

    Args:
        tag: the name, a constant of the caller.
        content: texts and elements.
        attributes: by name, with `_` for a hyphen and after a word of Python; None and False leave one out.
    """
    start = "".join(_attribute(name.rstrip("_").replace("_", "-"), value) for name, value in attributes.items())
    if tag in _VOID:
        return Markup(f"<{tag}{start}>")
    return Markup(f"<{tag}{start}>{''.join(map(_escaped, content))}</{tag}>")


def _attribute(name: str, value: _Attribute) -> str:
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{_escaped(str(value))}"'


def joined(*parts: str) -> Markup:
    """Return texts and elements one after the other."""
    return Markup("".join(map(_escaped, parts)))


def lines_of(*parts: str) -> Markup:
    """Return texts and elements, each on a line of its own; those that are empty are left out."""
    return Markup("".join(f"\n{_escaped(part)}" for part in parts if part) + "\n")


def without_middle(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters: of a longer one the beginning and the end.

    The beginning of an identifier tells its scheme, the end of a host its registrable domain.

    >>> without_middle("login.example.com.of-somebody-else.example", 24)
    'login.exampl…lse.example'
    """
    if len(text) <= limit:
        return text
    end = (limit - 1) // 2
    return f"{text[: limit - 1 - end]}{_ELLIPSIS}{text[len(text) - end :]}"


# The most rows of a table: more are not read, they are searched for, and there are better tools for that.
MOST_ROWS: Final = 100

_Row = TypeVar("_Row")


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        title: its heading.
        kind: `name`, `number` (to the right, sorted by value), `time`, `text`, or `list`, by which rows are not sorted.
    """

    title: str
    kind: str = "name"


def number(value: int) -> str:
    """Return a count as it is written: `12,345`."""
    return f"{value:,}"


def things(count: int, one: str, many: str) -> str:
    """Return a number of things in words: `1 host`, `12,345 hosts`."""
    return f"{number(count)} {one if count == 1 else many}"


def fitted(rows: Sequence[_Row], build: Callable[[_Row, bool], Markup], room: int) -> list[Markup]:
    """Return the first rows as HTML: as many as there is room for, at most `MOST_ROWS`.

    Args:
        rows: the rows.
        build: returns a row; the flag states whether with what may be left out.
        room: how many bytes there are for all of them.
    """
    lines: list[Markup] = []
    for row in rows[:MOST_ROWS]:
        line = build(row, False)
        room -= _size(line)
        if room < 0:
            room += _size(line)
            break
        lines.append(line)
    for index, row in enumerate(rows[: len(lines)]):
        line = build(row, True)
        more = _size(line) - _size(lines[index])
        if more <= room:
            room -= more
            lines[index] = line
    return lines


def _size(line: Markup) -> int:
    return len(line.encode("utf-8")) + 1  # the end of the line


def cells(columns: Sequence[Column], *contents: str) -> Markup:
    """Return a row; its first cell is its heading."""
    first, *others = contents
    return element(
        "tr",
        element("th", first, scope="row"),
        *(
            element("td", content, class_=column.kind if column.kind in ("number", "time") else None)
            for column, content in zip(columns[1:], others, strict=True)
        ),
    )


def table(
    name: str,
    caption: str,
    columns: Sequence[Column],
    rows: Sequence[Markup],
    order: str | None = None,
    *,
    fixed: bool = False,
) -> Markup:
    """Return a table in a frame of its own, which is scrolled where it is too wide or too long.

    Args:
        name: the beginning of its identifiers in the page.
        caption: its caption, which also names the frame.
        columns: the columns.
        rows: the rows, by `cells`.
        order: the title of the column by which they are sorted, falling if it is of numbers, else rising.
        fixed: whether it is for reading only, neither sorted nor filtered.
    """
    heads = (
        element(
            "th",
            column.title,
            scope="col",
            class_=column.kind,
            aria_sort=("descending" if column.kind == "number" else "ascending") if column.title == order else None,
        )
        for column in columns
    )
    frame = element(
        "div",
        element(
            "table",
            element("caption", caption, id=f"{name}-caption"),
            element("thead", element("tr", *heads)),
            element("tbody", lines_of(*rows)),
            class_="fixed" if fixed else "wide" if any(column.kind == "list" for column in columns) else None,
        ),
        class_="frame",
        role="group",
        tabindex=0,
        aria_labelledby=f"{name}-caption",
    )
    return element("div", frame, class_="listing")


# The most characters of a name in a table: three lines on the screen of a telephone.
NAME_LIMIT: Final = 96
# The most characters of the whole name in the tooltip of a shortened one.
_WHOLE_LIMIT: Final = 1_024
# Links are for users who follow them; whatever else a browser may do with a scheme is not wanted.
_LINKED: Final = frozenset(["http", "https"])

NameForm = Callable[[str], str]


class Names:
    """How the names on a page are written.

    Args:
        links: whether identifiers are written as they are, and those of `http` and `https` are links.
    """

    def __init__(self, *, links: bool) -> None:
        self._links = links
        self._mask = drawn_mask(None, defang=not links)

    def plain(self, name: str) -> str:
        """Return a name that is no address, such as that of a scheme."""
        return name

    def host(self, name: str) -> str:
        """Return a host."""
        return self._mask.value("host", name)

    def source(self, name: str) -> str:
        """Return the name of a source: a path, and perhaps an address after it, as in archives of the web."""
        return self._mask.source(name)

    def identifier(self, text: str) -> str:
        """Return an identifier, or a text that is none."""
        return self._mask.text(text)

    def cell(self, text: str, form: NameForm, *, whole: bool) -> Markup:
        """Return a name for a table.

        Args:
            text: the name.
            form: one of the methods above.
            whole: whether there is room for the whole name as a tooltip, and for a link.
        """
        shown = form(text)
        short = without_middle(shown, NAME_LIMIT)
        title = shown if whole and short != shown and len(text) <= _WHOLE_LIMIT else None
        isolated = element("bdi", short, title=title)
        target = self._target(text) if whole and form == self.identifier else None
        if target is None:
            return isolated
        return element("a", isolated, href=target, rel="noreferrer noopener")

    def _target(self, text: str) -> str | None:
        """Return the address that a link to an identifier has: its canonical URI; None if there is to be no link."""
        if not self._links or len(text) > _WHOLE_LIMIT:
            return None
        found = check(text)
        if not isinstance(found, Record) or found.scheme not in _LINKED or self._mask.hides(found.uri):
            return None
        if userinfo_password(found.uri) is not None:
            return None  # the mask of a password
        return found.uri if len(found.uri) <= _WHOLE_LIMIT else None


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


def timeline_chart(name: str, title: str, unit: TimeUnit, rows: Sequence[TimeCount], more: str = "") -> Markup:
    """Return the numbers of identifiers by time.

    Args:
        name: the beginning of its identifiers in the page.
        title: the title.
        unit: the unit of the times.
        rows: times and counts, at least two, in rising order. Times that cannot be placed, or are far apart, are side
            by side.
        more: ends the label of the scale.
    """
    places = [number_of_time(row.time, unit) for row in rows]
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
