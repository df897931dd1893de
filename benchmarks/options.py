"""What options cost on texts and in carriers, and what formats cost in carriers: multiples of the plain command."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from benchmarks.carried import CARRIERS, carried
from benchmarks.corpora import KINDS
from benchmarks.grid import Column, Row, grid
from benchmarks.settings import Settings

__all__ = ["ALL", "BAR", "carrier_report", "column", "report"]

_EXTRACT = (sys.executable, "-m", "urisieve", "extract", "--quiet", "--jobs", "1")
_PLAIN = ("--unique",)
# The bars of an option of finding, of any other one, of any in a carrier, and of rows beside identifiers alone.
_FINDING_BAR, BAR, _CARRIER_BAR, _ROW_BAR = 3.0, 2.5, 3.0, 2.0

_FINDING = (
    *("--accept addresses", "--accept names", "--accept defanged", "--accept names,addresses,defanged"),
    *("--accept unencoded", "--accept nested", "--accept wrapped", "--accept wrapped-any", "--accept doi,isbn"),
    *("--schemes any", "--schemes web", "--urn-syntax rfc8141"),
)
_JUDGING = (
    *("--level syntax", "--level none", "--merge page", "--protect any", "--protect example.com"),
    *("--form iri", "--form surt", "--form domain", "--form host", "--form template"),
)
_WRITING = (
    *("--safe no-query", "--safe defang", "--safe cells --format csv", "--fields domain", "--fields uri,warnings"),
    *("--fields uri,host,domain,line", "--format csv", "--format jsonl", "--format jsonl --parts"),
)
_IN_CARRIERS = (
    *("--accept addresses", "--accept names", "--accept defanged", "--accept unencoded", "--accept nested"),
    *("--accept wrapped", "--accept wrapped-any", "--accept doi,isbn", "--schemes any", "--level syntax"),
    *("--protect any", "--form template", "--read context --fields uri,time,line"),
)
_FORMATS = (
    *("--format csv", "--format tsv", "--format jsonl", "--format jsonl --parts", "--fields uri,line"),
    *("--safe cells --format csv", "--template {host}"),
)
# Other commands on a text, beside `extract --unique`.
_COMMANDS = ("stats", "stats --templates", "count --quiet", "count --quiet --safe no-query", "dedupe --quiet")

ALL: tuple[str, ...] = (*_FINDING, *_JUDGING, *_WRITING, *_IN_CARRIERS, *_FORMATS)
"""All options that are measured, as they are written."""


def column(settings: Settings, kind: str) -> Column:
    """Return the column of a kind of text."""
    text = settings.made(kind, settings.size)
    return Column(f"{text.name}, {text.megabytes:,.0f} MB", [*_EXTRACT, *_PLAIN], ["--input", "text", str(text.path)])


def _columns(settings: Settings, origin: str) -> Iterator[Column]:
    return (column(settings, f"{origin}{kind}") for kind in settings.kinds or KINDS)


def _named(text: str, origin: str) -> str:
    return f"{text} ({origin or 'generated '}texts)"


def report(settings: Settings) -> Iterator[str]:
    """Yield four tables for each origin of texts: finding, judging, writing, other commands."""
    tables: tuple[tuple[str, Sequence[str], float], ...] = (
        ("Options of finding", _FINDING, _FINDING_BAR),
        ("Options of judging and merging", _JUDGING, BAR),
        ("Options of what is written", _WRITING, BAR),
    )
    for origin in settings.origins:
        for title, flags, bar in tables:
            rows = [Row(one, bar) for one in flags]
            yield grid(settings, _named(title, origin), "option", rows, _columns(settings, origin))
        yield grid(
            settings,
            _named("Commands beside `extract --unique`", origin),
            "command",
            [Row(one, BAR) for one in _COMMANDS],
            (
                Column(one.name, (sys.executable, "-m", "urisieve"), ("--jobs", "1", *one.after), _EXTRACT[3:] + _PLAIN)
                for one in _columns(settings, origin)
            ),
        )


def carrier_report(settings: Settings) -> Iterator[str]:
    """Yield two tables for each origin of texts: options in carriers, formats from carriers."""
    for origin in settings.origins:
        for title, flags, bar, plain in (
            ("Options in carriers", _IN_CARRIERS, _CARRIER_BAR, _PLAIN),
            ("Rows from carriers", _FORMATS, _ROW_BAR, ()),
        ):
            columns = (
                Column(name, [*_EXTRACT, *plain], [str(carried(settings, name, origin, settings.size))], ("--unique",))
                for name in CARRIERS
            )
            yield grid(settings, _named(title, origin), "option", [Row(one, bar) for one in flags], columns)
