"""The sections of a report, each from its part of the statistics, of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from urisieve.lean import Final, NamedTuple
from urisieve.sinks.report.charts import bar_chart, funnel_chart, percent, timeline_chart
from urisieve.sinks.report.table_markup import (
    Column,
    Markup,
    NameForm,
    Names,
    cells,
    element,
    fitted,
    joined,
    lines_of,
    number,
    table,
    things,
    without_middle,
)
from urisieve.sinks.statistics.statistics import (
    CodeCount,
    CodeCounts,
    InputCounts,
    Merge,
    Merges,
    NameCount,
    Ranking,
    Statistics,
    TimeCount,
    Timeline,
)

# Bytes of the rows of a table: of seven rankings, three tables with examples, the times, what was read, and the notes.
# With the bars, the style and the script a page has at most 300,000 (see `page`).
_RANKING_ROOM: Final = 16_000
_EXAMPLES_ROOM: Final = 24_000
_TIMES_ROOM: Final = 8_000
_READ_ROOM: Final = 8_000
_NOTES_ROOM: Final = 4_000
# The bars of a ranking.
_MOST_BARS: Final = 10
# Characters of what is no name: a meaning, a reason.
_WORDS_LIMIT: Final = 200
_TIME_LIMIT: Final = 24

_STAGES: Final = (
    ("Candidates", "texts that look like identifiers"),
    ("Valid", "those that are valid"),
    ("Spellings", "the different texts of the valid ones"),
    ("Canonical", "their different canonical URIs"),
    ("Distinct", "their different keys: what is left without duplicates"),
)
_COUNT: Final = "Count"
_COUNTED: Final = Column(_COUNT, "number")


class Section(NamedTuple):
    """A section of the page.

    Attributes:
        name: its identifier in the page.
        title: its heading.
        content: what follows the heading.
        size: a number that stands behind its title in the contents, such as how many hosts there are.
    """

    name: str
    title: str
    content: Markup
    size: int | None = None


class _Subject(NamedTuple):
    """The subject of a ranking: its identifier and heading in the page, its words, and how its names are written."""

    name: str
    title: str
    one: str
    many: str
    form: NameForm


def sections(statistics: Statistics, names: Names) -> Iterator[Section]:
    """Yield the sections of a page in their order; those about what does not come in every input only if it came."""
    if statistics.notes:
        yield _notes(statistics.notes)
    yield _funnel(statistics)
    if statistics.timeline is not None:
        yield _timeline(statistics.timeline, names)
    if statistics.funnel.valid:
        for subject, ranking in _rankings(statistics, names):
            yield _ranking(subject, ranking, names)
        yield _merges(statistics.merges, names)
    yield _codes(
        "rejections",
        "Rejections",
        "Reason",
        ("candidate was rejected", "candidates were rejected"),
        statistics.rejections,
        names,
    )
    if statistics.funnel.valid:
        yield _codes(
            "warnings", "Warnings", "Warning", ("warning", "warnings of valid identifiers"), statistics.warnings, names
        )
    read = _read(statistics.read)
    if read is not None:
        yield read


def _rankings(statistics: Statistics, names: Names) -> Iterator[tuple[_Subject, Ranking]]:
    yield _Subject("kinds", "Kinds", "kind", "kinds", names.plain), statistics.kinds
    yield _Subject("schemes", "Schemes", "scheme", "schemes", names.plain), statistics.schemes
    yield _Subject("hosts", "Hosts", "host", "hosts", names.host), statistics.hosts
    if statistics.domains is not None:
        many = "registrable domains"
        yield _Subject("domains", many.capitalize(), "registrable domain", many, names.host), statistics.domains
    if statistics.namespaces.total:
        yield _Subject("namespaces", "URN namespaces", "namespace", "namespaces", names.plain), statistics.namespaces
    yield _Subject("sources", "Sources", "source", "sources", names.source), statistics.sources
    if statistics.templates is not None:
        yield _Subject("templates", "Templates", "template", "templates", names.identifier), statistics.templates


def _words(text: str) -> str:
    return without_middle(text, _WORDS_LIMIT)


def _paragraph(text: str) -> Markup:
    return element("p", text)


def _notes(notes: Sequence[str]) -> Section:
    lines = fitted(notes, lambda note, _: element("li", *_with_code(note)), _NOTES_ROOM)
    left_out = len(notes) - len(lines)
    more = _paragraph(f"{number(left_out)} more are left out here.") if left_out else ""
    return Section("notes", "Notes", lines_of(element("ul", *lines), more))


def _funnel(statistics: Statistics) -> Section:
    funnel = statistics.funnel
    stages = [(title, count) for (title, _), count in zip(_STAGES, funnel, strict=True)]
    chart = funnel_chart("funnel", "From candidates to distinct identifiers", stages) if funnel.candidates else None
    columns = (Column("Stage"), _COUNTED, Column("Of the stage before", "number"))
    rows = []
    before = 0
    for (title, meaning), count in zip(_STAGES, funnel, strict=True):
        name = joined(title, " ", element("small", meaning))
        rows.append(cells(columns, name, number(count), percent(count, before) if before else ""))
        before = count
    caption = "How many there are at each stage"
    content = _pair(chart, table("funnel", caption, columns, rows, fixed=True))
    if not funnel.valid:
        content = lines_of(_paragraph("No valid identifier was found."), content)
    return Section("funnel", "Funnel", content)


def _pair(chart: Markup | None, rows: Markup) -> Markup:
    if chart is None:
        return rows
    return element("div", lines_of(chart, rows), class_="pair")


def _ranking(subject: _Subject, ranking: Ranking, names: Names) -> Section:
    if not ranking.rows:
        return Section(subject.name, subject.title, _paragraph(f"No identifier has a {subject.one}."), ranking.names)
    columns = [Column(subject.one.capitalize()), _COUNTED, Column("Distinct", "number")]
    if ranking.examples:
        columns.append(Column("Examples", "list"))

    def row(one: tuple[NameCount, Sequence[str]], whole: bool) -> Markup:
        found, texts = one
        name = _nameless() if found.name is None else names.cell(found.name, subject.form, whole=whole)
        examples = [names.cell(text, names.identifier, whole=whole) for text in texts]
        values = (name, number(found.count), number(found.distinct), _examples(examples))
        return cells(columns, *values[: len(columns)])

    lines = fitted(list(ranking.with_examples()), row, _RANKING_ROOM)
    shown = ranking.rows[: len(lines)]
    caption = _ranking_caption(subject, ranking, shown)
    chart = None
    if len(shown) > 1:
        bars = [("(no name)" if one.name is None else names.label(one.name, subject.form), one.count) for one in shown]
        first = f"The {min(len(bars), _MOST_BARS)} most frequent {subject.many}"
        title = f"{subject.title}, by number of identifiers" if ranking.names <= _MOST_BARS else first
        chart = bar_chart(subject.name, title, bars[:_MOST_BARS], ranking.total)
    return Section(
        subject.name,
        subject.title,
        _pair(chart, table(subject.name, caption, columns, lines, _COUNT)),
        ranking.names,
    )


def _nameless() -> Markup:
    return element("em", "(no name)")


def _ranking_caption(subject: _Subject, ranking: Ranking, shown: Sequence[NameCount]) -> str:
    """Say how many names the table holds of how many, and what the others amount to."""
    if ranking.names <= len(shown):
        every = "1" if len(shown) == 1 else f"All {number(len(shown))}"
        of = things(ranking.total, "identifier", "identifiers")
        return f"{every} {subject.one if len(shown) == 1 else subject.many} of {of}"
    others = ranking.total - sum(one.count for one in shown)
    return (
        f"The {number(len(shown))} most frequent of {number(ranking.names)} {subject.many}; "
        f"the others have {number(others)} of {number(ranking.total)} identifiers"
    )


def _timeline(timeline: Timeline, names: Names) -> Section:
    columns = (Column("Time"), _COUNTED)
    rows = [TimeCount(without_middle(row.time, _TIME_LIMIT), row.count) for row in timeline.rows]
    parts: list[Markup] = []
    for name, more, chosen in (
        ("timeline", "", [row for row in rows if not row.time.startswith("--")]),
        ("yearless", ", where the year is not stated", [row for row in rows if row.time.startswith("--")]),
    ):
        if len(chosen) > 1:
            title = f"Identifiers by {timeline.unit}{more}"
            parts.append(timeline_chart(name, title, timeline.unit, chosen, more))

    def row(found: TimeCount, _: bool) -> Markup:
        return cells(columns, names.cell(found.time, names.plain, whole=False), number(found.count))

    lines = fitted(rows, row, _TIMES_ROOM)
    caption = f"Identifiers by {timeline.unit}"
    if len(lines) < len(rows):
        caption = f"{caption}: the first {number(len(lines))} of {number(len(rows))} times"
    if rows:
        parts.append(table("timeline", caption, columns, lines, "Time"))
    for count, lack in ((timeline.undated, "no time"), (timeline.impossible, "a time before 1970 or after tomorrow")):
        if count:
            parts.append(_paragraph(f"{things(count, 'identifier has', 'identifiers have')} {lack}."))
    return Section("timeline", "Timeline", lines_of(*parts))


def _examples(items: Sequence[Markup]) -> Markup:
    return element("ul", *(element("li", item) for item in items)) if items else Markup("")


def _merges(merges: Merges, names: Names) -> Section:
    name, title = "merges", "Duplicates by rule"
    if not merges.merged:
        return Section(name, title, _paragraph("No identifier is another spelling of an earlier one."), 0)
    columns = (Column("Rule"), _COUNTED, Column("Examples: a spelling, and the one that came first", "list"))

    def row(merge: Merge, whole: bool) -> Markup:
        examples = [
            joined(
                names.cell(one.raw, names.identifier, whole=whole),
                element("small", " = "),
                names.cell(one.first, names.identifier, whole=whole),
            )
            for one in merge.examples
        ]
        rule = _coded(merge.rule, merge.meaning)
        return cells(columns, rule, number(merge.count), _examples(examples))

    lines = fitted(merges.rules, row, _EXAMPLES_ROOM)
    are = things(merges.merged, "identifier is", "identifiers are")
    said = (
        f"{are} spelled in another way than the one in which their key came first. "
        "One that several rules were needed for counts for each of them."
    )
    if merges.unexplained:
        were = things(merges.unexplained, "of them was", "of them were")
        said = f"{said} {were} not looked into: there are too many pairs."
    caption = _cut_caption("The rules that made them the same", len(lines), len(merges.rules), "rules")
    rows = table(name, caption, columns, lines, _COUNT) if lines else ""
    return Section(name, title, lines_of(_paragraph(said), rows), merges.merged)


def _coded(code: str, meaning: str) -> Markup:
    """Return a code and what it means."""
    return joined(element("code", _words(code)), " ", element("small", *_with_code(meaning)))


def _with_code(text: str) -> Iterator[str]:
    """Yield the pieces of a text; what stands between grave accents is code."""
    for index, piece in enumerate(_words(text).split("`")):
        yield element("code", piece) if index % 2 else piece


def _cut_caption(caption: str, shown: int, every: int, things: str) -> str:
    if shown == every:
        return caption
    return f"{caption}: the {number(shown)} most frequent of {number(every)} {things}"


def _codes(name: str, title: str, one: str, what: tuple[str, str], counts: CodeCounts, names: Names) -> Section:
    if not counts.rows:
        return Section(name, title, _paragraph("None."), 0)
    columns = (Column(one), _COUNTED, Column("Examples", "list"))

    def row(found: CodeCount, whole: bool) -> Markup:
        examples = [names.cell(text, names.identifier, whole=whole) for text in found.examples]
        return cells(columns, _coded(found.code, found.meaning), number(found.count), _examples(examples))

    lines = fitted(counts.rows, row, _EXAMPLES_ROOM)
    caption = _cut_caption(things(counts.total, *what), len(lines), len(counts.rows), f"{one.lower()}s")
    return Section(name, title, table(name, caption, columns, lines, _COUNT), counts.total)


def _read(read: InputCounts) -> Section | None:
    """Return what was read, skipped and broken; None if nothing is known of it."""
    rows = [
        *(("files of this kind", kind, "", count) for kind, count in read.kinds),
        *(("read", kind, "", count) for kind, count in read.read),
        *(("skipped", kind, reason, count) for kind, reason, count in read.skipped),
        *(("broken", kind, reason, count) for kind, reason, count in read.broken),
    ]
    if not rows:
        return None
    columns = (Column("What"), Column("Result", "text"), Column("Reason", "text"), _COUNTED)
    build: Callable[[tuple[str, str, str, int], bool], Markup] = lambda row, _: cells(  # noqa: E731
        columns, _words(row[1]), row[0], _words(row[2].replace("-", " ")), number(row[3])
    )
    lines = fitted(rows, build, _READ_ROOM)
    caption = _cut_caption("Files by kind, and what was in them", len(lines), len(rows), "lines")
    return Section("read", "What was read", table("read", caption, columns, lines))
