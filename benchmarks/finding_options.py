"""What the options cost: multiples of `extract --unique` on the same text, processor time of whole commands."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from benchmarks.markdown import number, table
from benchmarks.measure import median, turns
from benchmarks.settings import Settings

__all__ = ["cost_table", "report"]

_PLAIN = (sys.executable, "-m", "urisieve", "extract", "--quiet", "--unique", "--jobs", "1")
_KINDS = ("access", "prose", "mail")
# Options of finding, then those of what is written.
_OPTIONS = (
    *("--accept defanged", "--accept names", "--accept addresses", "--accept doi,isbn", "--schemes any"),
    *("--accept nested", "--accept unencoded", "--urn rfc8141"),
    *("--safe no-query", "--safe defang", "--protect any", "--fields domain", "--form iri"),
    *("--fields uri,host,domain", "--fields uri,warnings", "--format csv", "--format jsonl"),
)


def cost_table(settings: Settings, options: Sequence[str], kinds: Sequence[str]) -> str:
    """A row for each option, a column for each text: the time where that without the option is 1."""
    texts = [settings.made(kind, settings.size) for kind in settings.kinds or kinds]
    rows = [[f"`{option}`"] for option in options]
    for text in texts:
        commands = {option: [*_PLAIN, *option.split(), str(text.path)] for option in options}
        commands["plain"] = [*_PLAIN, str(text.path)]
        runs = turns(commands, settings.runs)
        plain = median(runs["plain"]).cpu
        for row, option in zip(rows, options, strict=True):
            row.append(number(median(runs[option]).cpu / plain))
    return table(["option", *(f"{text.name}, {text.megabytes:,.0f} MB" for text in texts)], rows)


def report(settings: Settings) -> Iterator[str]:
    """One table."""
    yield (
        "Options, processor time of whole commands where that of `extract --unique` is 1:\n\n"
        + cost_table(settings, _OPTIONS, _KINDS)
    )
