"""The sections of a report, each from its part of the statistics, of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from urisieve.codes import Warn
from urisieve.lean import Final, NamedTuple
from urisieve.sinks.report.report_markup import (
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
    percent,
    table,
    things,
    timeline_chart,
    without_middle,
)
from urisieve.sinks.statistics.statistics import (
    CodeCount,
    CodeCounts,
    FirstLast,
    InputCounts,
    Merge,
    Merges,
    Ranking,
    Statistics,
    TimeCount,
    Timeline,
)

# Bytes of the rows of a table: of six rankings, three tables with examples and that of links, the times, what was read,
# and the notes.
# With the charts, the style and the script a page has at most 300,000 (see `page`).
_RANKING_ROOM: Final = 22_000
_EXAMPLES_ROOM: Final = 24_000
_TIMES_ROOM: Final = 8_000
_READ_ROOM: Final = 8_000
_NOTES_ROOM: Final = 4_000
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
# The rankings that come first; and the warnings: the link is not what it looks like, or contains a secret.
_FIRST: Final = ("hosts", "domains")
_DISGUISES: Final = frozenset(
    [
        *(Warn.LOOK_ALIKE_HOST, Warn.RESEMBLES_PROTECTED, Warn.CONTAINS_PROTECTED, Warn.ASCII_LOOK_ALIKE),
        *(Warn.MIXED_SCRIPT, Warn.LOOK_ALIKE_DELIMITER, Warn.USERINFO_HOST, Warn.USERINFO_PRESENT),
        *(Warn.PASSWORD_PRESENT, Warn.TEXT_DIFFERS_FROM_TARGET, Warn.UNWRAPPED, Warn.WRAPS_FURTHER, Warn.SCRIPT),
    ]
)


class Section(NamedTuple):
    """A section of the page.

    Attributes:
        name: its identifier in the page.
        title: its heading.
        content: what follows the heading.
        size: a number that follows its title in the contents, such as how many hosts there are.
    """

    name: str
    title: str
    content: Markup
    size: int | None = None


class _Subject(NamedTuple):
    """The subject of a ranking: its identifier in the page, its words, and how its names are written."""

    name: str
    one: str
    many: str
    form: NameForm


def sections(statistics: Statistics, names: Names) -> Iterator[Section]:
    """Yield the sections of a page: first what is asked first, what comes most and what warns.

    Those about what does not come in every input are there only if it came.
    """
    rankings = dict(statistics.rankings()) if statistics.funnel.valid else {}
    subjects = (
        _Subject("hosts", "host", "hosts", names.host),
        _Subject("domains", "registrable domain", "registrable domains", names.host),
        _Subject("schemes", "scheme", "schemes", names.plain),
        _Subject("namespaces", "URN namespace", "URN namespaces", names.plain),
        _Subject("sources", "source", "sources", names.source),
        _Subject("templates", "template", "templates", names.identifier),
    )
    ranked = [
        _ranking(subject, rankings[subject.name], names)
        for subject in subjects
        if subject.name in rankings and (subject.name != "namespaces" or statistics.namespaces.total)
    ]
    if statistics.links:
        yield _links(statistics, names)
    yield from (section for section in ranked if section.name in _FIRST)
    if rankings:
        yield _codes("warnings", "Warning", ("warning", "warnings of valid identifiers"), statistics.warnings, names)
    what = ("candidate was rejected", "candidates were rejected")
    yield _codes("rejections", "Reason", what, statistics.rejections, names)
    if statistics.timeline is not None:
        yield _timeline(statistics.timeline, names)
    yield _funnel(statistics)
    yield from (section for section in ranked if section.name not in _FIRST)
    if rankings:
        yield _merges(statistics.merges, names)
    read = _read(statistics.input)
    if read is not None:
        yield read
    if statistics.notes:
        yield _notes(statistics.notes)


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
    columns = (Column("Stage"), _COUNTED, Column("Of the stage before", "number"))
    rows = []
    before = 0
    for (title, meaning), count in zip(_STAGES, funnel, strict=True):
        name = joined(title, " ", element("small", meaning))
        rows.append(cells(columns, name, number(count), percent(count, before) if before else ""))
        before = count
    caption = "How many there are at each stage"
    content = table("funnel", caption, columns, rows, fixed=True)
    if not funnel.valid:
        content = lines_of(_paragraph("No valid identifier was found."), content)
    return Section("funnel", "Funnel", content)


class _RankedName(NamedTuple):
    """A name of a ranking, with numbers of which the first is that of its identifiers."""

    name: str | None
    numbers: Sequence[int]
    examples: Sequence[str] = ()
    times: FirstLast = (None, None)


def _links(statistics: Statistics, names: Names) -> Section:
    subject = _Subject("links", "link", "links", names.identifier)
    rows = [_RankedName(uri, numbers, (), (first, last)) for uri, *numbers, first, last in statistics.links]
    return _listing(subject, ("Sources", "Spellings"), rows, statistics.funnel.distinct, statistics.funnel.valid, names)


def _ranking(subject: _Subject, ranking: Ranking, names: Names) -> Section:
    rows = [_RankedName(row.name, (row.count, row.distinct), texts) for row, texts in ranking.with_examples()]
    if ranking.details:
        pairs = zip(rows, ranking.details, strict=True)
        rows = [row._replace(numbers=(*row.numbers, *host[:2]), times=host[2:]) for row, host in pairs]
    numbers = ("Distinct", "Sources", "Spellings")[: len(rows[0].numbers) - 1 if rows else 1]
    return _listing(subject, numbers, rows, ranking.names, ranking.total, names)


def _listing(
    subject: _Subject, numbers: Sequence[str], rows: Sequence[_RankedName], every: int, total: int, names: Names
) -> Section:
    """Return the section of a ranking: a table with a bar for each name.

    Args:
        subject: the names that it is about.
        numbers: the headings of the numbers after the count.
        rows: the names, the most frequent first.
        every: how many names there are.
        total: how many identifiers have one.
        names: how names are written.
    """
    title = _begun(subject.many)
    if not rows:
        return Section(subject.name, title, _paragraph(f"No identifier has a {subject.one}."), every)
    columns = [Column(_begun(subject.one)), _COUNTED, *(Column(heading, "number") for heading in numbers)]
    has_examples = any(row.examples for row in rows)
    has_times = any(map(any, (row.times for row in rows)))
    columns += [Column("Examples", "list")] if has_examples else []
    columns += [Column("First", "time"), Column("Last", "time")] if has_times else []

    def line(row: _RankedName, whole: bool) -> Markup:
        name = element("em", "(no name)") if row.name is None else names.cell(row.name, subject.form, whole=whole)
        examples = _examples([names.cell(text, names.identifier, whole=whole) for text in row.examples])
        times = [names.cell(time, names.plain, whole=False) if time else "" for time in row.times]
        more = [*([examples] if has_examples else []), *(times if has_times else [])]
        share = element("meter", value=row.numbers[0], max=rows[0].numbers[0], aria_hidden="true")
        return cells(columns, joined(name, share), *map(number, row.numbers), *more)

    lines = fitted(rows, line, _RANKING_ROOM)
    shown = rows[: len(lines)]
    others = total - sum(row.numbers[0] for row in shown)
    caption = _listing_caption(subject, len(shown), others, every, total)
    return Section(subject.name, title, table(subject.name, caption, columns, lines, _COUNT), every)


def _begun(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}"


def _listing_caption(subject: _Subject, shown: int, others: int, names: int, total: int) -> str:
    """State how many names the table contains of how many, and what the others amount to."""
    if names <= shown:
        every = "1" if shown == 1 else f"All {number(shown)}"
        of = things(total, "identifier", "identifiers")
        return f"{every} {subject.one if shown == 1 else subject.many} of {of}"
    return (
        f"The {number(shown)} most frequent of {number(names)} {subject.many}; "
        f"the others have {number(others)} of {number(total)} identifiers"
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
    """Yield the pieces of a text; what is between grave accents is code."""
    for index, piece in enumerate(_words(text).split("`")):
        yield element("code", piece) if index % 2 else piece


def _cut_caption(caption: str, shown: int, every: int, things: str) -> str:
    if shown == every:
        return caption
    return f"{caption}: the {number(shown)} most frequent of {number(every)} {things}"


def _codes(name: str, one: str, what: tuple[str, str], counts: CodeCounts, names: Names) -> Section:
    title = name.capitalize()
    if not counts.rows:
        return Section(name, title, _paragraph("None."), 0)
    columns = (Column(one), _COUNTED, Column("Examples", "list"))

    def row(found: CodeCount, whole: bool) -> Markup:
        examples = [names.cell(text, names.identifier, whole=whole) for text in found.examples]
        return cells(columns, _coded(found.code, found.meaning), number(found.count), _examples(examples))

    rows = sorted(counts.rows, key=lambda found: found.code not in _DISGUISES)
    lines = fitted(rows, row, _EXAMPLES_ROOM)
    caption = _cut_caption(things(counts.total, *what), len(lines), len(counts.rows), f"{one.lower()}s")
    order = None if rows[0].code in _DISGUISES else _COUNT
    return Section(name, title, table(name, caption, columns, lines, order), counts.total)


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
