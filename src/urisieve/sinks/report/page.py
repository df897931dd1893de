"""The page of a report: the head with its policy, the header, the contents, the sections and the footer.

The page contains all it needs. Its Content-Security-Policy (CSP 3) allows one script and one style, by the digests of
their texts, and nothing else: no request, no form, no frame, no attribute with a script or a style in it.

Also defines:

- statistics as a report: `report_html` returns the page, `write_report` writes it to a file.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from functools import cache

from urisieve import shapes
from urisieve._version import __version__
from urisieve.lean import Final, NamedTuple
from urisieve.sinks.outputs import open_output
from urisieve.sinks.report.report_markup import Markup, Names, element, joined, lines_of, number, things, without_middle
from urisieve.sinks.report.sections import Section, sections
from urisieve.sinks.statistics.statistics import Statistics
from urisieve.sources.tally import counted

DEFAULT_TITLE: Final = "Identifiers found"
_TITLE_LIMIT: Final = 120
_THEMES: Final = (("system", "As the system"), ("light", "Light"), ("dark", "Dark"))


class ReportSettings(NamedTuple):
    """How a report is made.

    Attributes:
        title: its title.
        links: whether identifiers are written as they are, and those of `http` and `https` are links.
        generated: the time that the page gives as its own.
    """

    title: str = DEFAULT_TITLE
    links: bool = False
    generated: datetime | None = None


@cache
def _asset(name: str) -> Markup:
    """Return the text of a file beside this module: a style or a script, which contains no end of its element."""
    from importlib.resources import files

    return Markup(files("urisieve.sinks.report").joinpath(name).read_text("utf-8"))


def _digest(text: str) -> str:
    """Return the source expression for a text (CSP 3 2.3.1)."""
    from base64 import b64encode
    from hashlib import sha256

    return f"'sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


def report_page(statistics: Statistics, settings: ReportSettings) -> str:
    """Return the page of a report; the same statistics and settings give the same page."""
    title = without_middle(settings.title, _TITLE_LIMIT)
    parts = list(sections(statistics, Names(links=settings.links)))
    body = element(
        "body",
        lines_of(
            element("a", "Skip to the report", class_="skip", href="#main"),
            element("header", lines_of(element("h1", title), _summary(statistics), _themes())),
            _contents(parts),
            element("main", lines_of(*map(_section, parts)), id="main", tabindex=-1),
            _footer(settings),
            element("script", _asset("report.js")),
        ),
    )
    return f"<!DOCTYPE html>\n{element('html', lines_of(_head(title), body), lang='en')}\n"


def _head(title: str) -> Markup:
    style, script = _asset("report.css"), _asset("report.js")
    policy = (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return element(
        "head",
        lines_of(
            element("meta", charset="utf-8"),
            Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
            element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            element("meta", name="referrer", content="no-referrer"),
            element("meta", name="generator", content=f"urisieve {__version__}"),
            element("title", title),
            element("style", style),
        ),
    )


def _summary(statistics: Statistics) -> Markup:
    funnel = statistics.funnel
    read = f"{counted(statistics.files, 'file')} with {counted(statistics.bytes, 'byte')}"
    candidates = things(funnel.candidates, "candidate", "candidates")
    valid = things(funnel.valid, "valid identifier", "valid identifiers")
    return element(
        "p",
        f"{read}: {candidates}, {valid}, {number(funnel.distinct)} distinct.",
        class_="summary",
    )


def _themes() -> Markup:
    choices = (
        element(
            "label",
            element(
                "input",
                type="radio",
                name="theme",
                id=f"theme-{value}",
                checked=value == "system",
                autocomplete="off",  # a browser would remember it
            ),
            f" {text}",
        )
        for value, text in _THEMES
    )
    return element("fieldset", element("legend", "Colours"), *choices, class_="theme")


def _contents(parts: Sequence[Section]) -> Markup:
    entries = (
        element(
            "li",
            element("a", part.title, href=f"#{part.name}"),
            *(() if part.size is None else (" ", element("small", number(part.size)))),
        )
        for part in parts
    )
    return element("nav", element("ul", *entries), aria_label="Contents")


def _section(part: Section) -> Markup:
    return element("section", lines_of(element("h2", part.title, id=part.name), part.content))


def _footer(settings: ReportSettings) -> Markup:
    written = (
        "Identifiers are written as they are; those of http and https are links."
        if settings.links
        else "Identifiers are defanged: hxxp stands for http, [.] for a dot, so that no program makes links of them."
    )
    made = f"Made by urisieve {__version__}"
    if settings.generated is not None:
        made = f"{made} at {settings.generated.isoformat(sep=' ', timespec='seconds')}"
    return element(
        "footer",
        element(
            "p",
            joined(
                f"{written} Passwords are written as ***, characters that have no place in a name as ",
                "\N{REPLACEMENT CHARACTER}. Long names are shortened in the middle.",
            ),
        ),
        element("p", f"{made}."),
    )


def report_html(
    statistics: Statistics, *, title: str = DEFAULT_TITLE, links: bool = False, generated: datetime | None = None
) -> str:
    """Return statistics as one HTML page that needs no other file and no network, of less than 300,000 bytes.

    >>> from urisieve.sinks.statistics import Statistics, report_html
    >>> page = report_html(Statistics(files=1, bytes=20))
    >>> page.startswith("<!DOCTYPE html>"), "default-src 'none'" in page
    (True, True)

    All text in it is escaped; control characters are replaced; passwords are masked. Only as many rows of each table
    are there as there is room for, and each table states how many were left out.

    Args:
        statistics: the statistics.
        title: the title of the page.
        links: whether identifiers are written as they are, and those of `http` and `https` are links; else all are
            defanged, and none is a link.
        generated: the time that the page gives as its own; none by default, so that the same statistics give the same
            page.

    Raises:
        UsageError: an argument has another type.
    """
    return report_page(_checked(statistics), _settings(title, links, generated))


def write_report(
    statistics: Statistics,
    path: str | os.PathLike[str],
    *,
    title: str = DEFAULT_TITLE,
    links: bool = False,
    generated: datetime | None = None,
) -> int:
    """Write statistics as one HTML page, see `report_html`.

    The file is there whole or not at all: an old one stays until the new one is complete.

    >>> import os, tempfile
    >>> from urisieve.sinks.statistics import Statistics, write_report
    >>> path = os.path.join(tempfile.mkdtemp(), "report.html")
    >>> write_report(Statistics(), path) == os.path.getsize(path) < 300_000
    True

    Args:
        statistics: the statistics.
        path: the file; `-` for standard output.
        title: the title of the page.
        links: whether identifiers are written as they are, and those of `http` and `https` are links.
        generated: the time that the page gives as its own; none by default.

    Returns:
        how many bytes were written.

    Raises:
        OutputError: the file cannot be written; it is as it was.
        UsageError: an argument has another type.
    """
    name = shapes.path("path", path, "- is standard output")
    data = report_page(_checked(statistics), _settings(title, links, generated)).encode("utf-8")
    with open_output(name) as output:
        output.write(data)
    return len(data)


def _checked(statistics: Statistics) -> Statistics:
    return shapes.instance("statistics", statistics, Statistics, "collect_statistics(paths)")


def _settings(title: str, links: bool, generated: datetime | None) -> ReportSettings:
    shapes.check(title=title, links=links)
    if generated is not None:
        shapes.instance("generated", generated, datetime, "datetime(2024, 5, 31)")
    return ReportSettings(title, links, generated)
