"""Statistics as lines of text for users, with bars, for a terminal of any width; and as one table of CSV."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence

from urisieve.lean import Final, NamedTuple
from urisieve.sinks.drawing import Palette, text_width
from urisieve.sinks.statistics.statistics import (
    CodeCounts,
    Merges,
    Ranking,
    Statistics,
    Timeline,
    TimeUnit,
    number_of_time,
)
from urisieve.sources.tally import counted
from urisieve.wording import printable

_INDENT: Final = "  "
# Full block, and the blocks of one to seven eighths (U+2588 to U+258F).
_FULL: Final = "\u2588"
_EIGHTHS: Final = ("", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589")
_ELLIPSIS: Final = "\u2026"
_NEEDED: Final = f"{_FULL}{''.join(_EIGHTHS)}{_ELLIPSIS}"
# The columns of the shortest and the longest bar of 100 %; a shorter one shows nothing, and a longer one not more.
_SHORTEST: Final = 8
_LONGEST: Final = 60
# The width from which on the column of distinct identifiers is shown.
_WIDE: Final = 60
_FOUND: Final = "found"
_DISTINCT: Final = "distinct"
# Before the spelling that is the same as the one above it.
_SAME: Final = "= "
_NO_NAME: Final = "(no name)"
_OTHERS: Final = "(others)"


class _Row(NamedTuple):
    """A row of a section: its name, its numbers, and lines below it."""

    name: str
    count: int  # type: ignore[assignment] # a method of tuples has the name
    distinct: int | None = None
    below: tuple[str, ...] = ()


def bar(count: int, most: int, width: int, *, ascii_only: bool = False) -> str:
    r"""Return a bar for a count, of `width` columns for the count `most`; what is not 0 is seen.

    >>> bar(3, 4, 6), bar(0, 4, 6), bar(1, 1_000_000, 6)
    ('\u2588\u2588\u2588\u2588\u258c', '', '\u258f')
    >>> bar(3, 4, 6, ascii_only=True)
    '#####'
    """
    if count <= 0 or most <= 0:
        return ""
    if ascii_only:
        return "#" * max(1, (2 * count * width + most) // (2 * most))
    whole, eighths = divmod(max(1, count * width * 8 // most), 8)
    return f"{_FULL * whole}{_EIGHTHS[eighths]}"


def statistics_lines(
    statistics: Statistics, *, width: int = 80, palette: Palette | None = None, encoding: str = "utf-8"
) -> Iterator[str]:
    """Yield the lines of statistics; nothing in them can drive a terminal.

    Args:
        statistics: the statistics.
        width: the columns to use, at least 40.
        palette: the colours; None for none.
        encoding: the encoding in which the lines are written: bars are of ASCII if it has no blocks.
    """
    page = _Page(width, Palette(colored=False) if palette is None else palette, encoding)
    yield from page.lines(statistics)


class _Page:
    """The layout of one page."""

    def __init__(self, width: int, palette: Palette, encoding: str) -> None:
        self._width = width
        self._palette = palette
        self._encoding = encoding
        self._plain = not _holds(encoding, _NEEDED)
        self._ellipsis = "..." if self._plain else _ELLIPSIS

    def lines(self, found: Statistics) -> Iterator[str]:
        yield self._cut(f"{counted(found.files, 'file')}, {counted(found.bytes, 'byte')}", self._width)
        funnel = [_Row(name, count) for name, count in found.funnel._asdict().items()]
        yield from self._section("funnel", funnel)
        for name, ranking in found.rankings():
            yield from self._ranking(name, ranking)
        yield from self._merges(found.merges)
        yield from self._codes("rejections", found.rejections)
        yield from self._codes("warnings", found.warnings)
        if found.timeline is not None:
            yield from self._timeline(found.timeline)
        faults = (("skipped", found.input.skipped), ("broken", found.input.broken))
        for title, rows in faults:
            yield from self._section(title, [_Row(f"{kind}: {reason}", count) for kind, reason, count in rows])
        for note in found.notes:
            yield ""
            yield from self._wrapped(note)

    def _ranking(self, name: str, ranking: Ranking) -> Iterator[str]:
        rows = [
            _Row(
                _NO_NAME if row.name is None else row.name,
                row.count,
                row.distinct,
                tuple(text for text in examples if text != row.name),
            )
            for row, examples in ranking.with_examples()
        ]
        most = max((row.count for row in rows), default=0)
        if ranking.others:
            rows.append(_Row(_OTHERS, ranking.others))
        return self._section(f"{name}: {ranking.names:,}", rows, most)

    def _merges(self, merges: Merges) -> Iterator[str]:
        rows = [
            _Row(
                merge.rule,
                merge.count,
                None,
                tuple(text for one in merge.examples[:1] for text in (one.raw, f"{_SAME}{one.first}")),
            )
            for merge in merges.rules
        ]
        if merges.unexplained:
            rows.append(_Row("(not explained)", merges.unexplained))
        return self._section(f"merged: {merges.merged:,}", rows)

    def _codes(self, name: str, codes: CodeCounts) -> Iterator[str]:
        return self._section(
            f"{name}: {codes.total:,}", [_Row(row.code, row.count, None, row.examples[:1]) for row in codes.rows]
        )

    def _timeline(self, timeline: Timeline) -> Iterator[str]:
        rows: list[_Row] = []
        last = ""
        for time, count in timeline.rows:
            if last and not _is_next(last, time, timeline.unit):
                rows.append(_Row("...", 0))
            rows.append(_Row(time, count))
            last = time
        most = max((row.count for row in rows), default=None)
        others = (("(undated)", timeline.undated), ("(before 1970, after tomorrow)", timeline.impossible))
        rows += [_Row(name, count) for name, count in others if count]
        yield from self._section(f"by {timeline.unit}", rows, most)
        if timeline.first is not None:
            yield self._cut(f"{_INDENT}first {timeline.first}, last {timeline.last}", self._width)

    def _section(self, title: str, rows: Sequence[_Row], most: int | None = None) -> Iterator[str]:
        """Yield a heading and rows with bars; a bar longer than that of `most` is left out."""
        if not rows:
            return
        most = max(row.count for row in rows) if most is None else most
        has_distinct = self._width >= _WIDE and any(row.distinct is not None for row in rows)
        counts = [f"{row.count:,}" if row.count else "" for row in rows]
        number = max(len(_FOUND), *map(len, counts))
        numbers = number + (2 + len(_DISTINCT) if has_distinct else 0)
        room = self._width - len(_INDENT) - 2 - numbers - 2
        names = [self._shown(row.name) for row in rows]
        shown_title = self._shown(title)
        widest = max(max(map(text_width, names)), text_width(shown_title) - len(_INDENT))
        name_width = max(min(widest, room - _SHORTEST), 1)
        bar_width = min(room - name_width, _LONGEST)
        head = self._padded(self._cut(shown_title, name_width + len(_INDENT)), name_width + len(_INDENT))
        titles = f"  {_FOUND:>{number}}{f'  {_DISTINCT}' if has_distinct else ''}"
        yield ""
        yield f"{self._palette.paint('heading', head)}{titles}"
        for row, name, count in zip(rows, names, counts, strict=True):
            line = f"{_INDENT}{self._padded(self._cut(name, name_width), name_width)}  {count:>{number}}"
            if has_distinct:
                distinct = "" if row.distinct is None else f"{row.distinct:,}"
                line += f"  {distinct:>{len(_DISTINCT)}}"
            drawn = bar(row.count, most, bar_width, ascii_only=self._plain) if row.count <= most else ""
            yield f"{line}  {self._palette.paint('host', drawn)}".rstrip()
            for text in row.below:
                indent = _INDENT if text.startswith(_SAME) else _INDENT * 2
                yield f"{indent}{self._cut(self._shown(text), self._width - len(indent))}"

    def _shown(self, text: str) -> str:
        """Return a text as the terminal can show it."""
        shown = printable(text)
        if not shown.isascii():
            shown = shown.encode(self._encoding, "replace").decode(self._encoding)
        return shown

    def _cut(self, text: str, width: int) -> str:
        """Return a text of at most some columns, with an ellipsis in place of its end."""
        if text_width(text) <= width:
            return text
        room = width - len(self._ellipsis)
        taken, kept = 0, []
        for character in text:
            taken += text_width(character)
            if taken > room:
                break
            kept.append(character)
        return f"{''.join(kept)}{self._ellipsis}"

    @staticmethod
    def _padded(text: str, width: int) -> str:
        return f"{text}{' ' * (width - text_width(text))}"

    def _wrapped(self, text: str) -> Iterable[str]:
        from textwrap import wrap

        return wrap(self._shown(text), self._width)


def _holds(encoding: str, text: str) -> bool:
    try:
        text.encode(encoding)
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def _is_next(earlier: str, later: str, unit: TimeUnit) -> bool:
    """Report whether one time follows on another; where the year is not known, the year 2000 is assumed."""
    before, after = number_of_time(earlier, unit), number_of_time(later, unit)
    return before is not None and after == before + 1


_COLUMNS: Final = ("section", "name", "count", "distinct", "meaning", "example")
_TableRow = tuple[str, str, int | str, int | str, str, str]


def statistics_csv(statistics: Statistics) -> str:
    """Return statistics as a table with a header; `docs/stats.md` explains its sections."""
    import csv  # few ask for it

    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(_COLUMNS)
    for row in _rows(statistics):
        writer.writerow([printable(value) if isinstance(value, str) else value for value in row])
    return buffer.getvalue()


def _rows(found: Statistics) -> Iterator[_TableRow]:
    yield "input", "files", found.files, "", "", ""
    yield "input", "bytes", found.bytes, "", "", ""
    for name, count in found.funnel._asdict().items():
        yield "funnel", name, count, "", "", ""
    for name, ranking in found.rankings():
        yield from _ranked(name, ranking)
    merges = found.merges
    for name, count in (("merged", merges.merged), ("pairs", merges.pairs), ("unexplained", merges.unexplained)):
        yield "merges", name, count, "", "", ""
    for merge in merges.rules:
        example = f"{merge.examples[0].raw} = {merge.examples[0].first}" if merge.examples else ""
        yield "merges.rules", merge.rule, merge.count, "", merge.meaning, example
    for name, codes in (("rejections", found.rejections), ("warnings", found.warnings)):
        yield name, "total", codes.total, "", "", ""
        for one in codes.rows:
            yield f"{name}.rows", one.code, one.count, "", one.meaning, one.examples[0] if one.examples else ""
    if found.timeline is not None:
        yield "timeline", "undated", found.timeline.undated, "", "", ""
        yield "timeline", "impossible", found.timeline.impossible, "", "", ""
        for name, hour in (("first", found.timeline.first), ("last", found.timeline.last)):
            if hour is not None:
                yield "timeline", name, "", "", "", hour
        for time, count in found.timeline.rows:
            yield f"timeline.{found.timeline.unit}", time, count, "", "", ""
    for section, counts in (("input.kinds", found.input.kinds), ("input.read", found.input.read)):
        for name, count in counts:
            yield section, name, count, "", "", ""
    for section, faults in (("input.skipped", found.input.skipped), ("input.broken", found.input.broken)):
        for kind, reason, count in faults:
            yield section, kind, count, "", reason, ""
    for note in found.notes:
        yield "notes", "", "", "", note, ""


def _ranked(name: str, ranking: Ranking) -> Iterator[_TableRow]:
    for what, count in (("names", ranking.names), ("total", ranking.total), ("others", ranking.others)):
        yield name, what, count, "", "", ""
    for row, examples in ranking.with_examples():
        yield f"{name}.rows", row.name or "", row.count, row.distinct, "", examples[0] if examples else ""
