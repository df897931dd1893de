"""Where the time goes, by stage: the profile of our command on each text.

`benchmarks.sampling` charges time to lines; the rows of one table here say which stage a line belongs to. What no row
names is shown under the name of its module, so a new module is seen and can be given its row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.commands import UNIQUE
from benchmarks.markdown import number, percent, table
from benchmarks.measure import figures
from benchmarks.sampling import Location
from benchmarks.settings import Settings, Text, note

__all__ = ["report", "stage"]


class _Row(NamedTuple):
    """A stage has the lines of these modules; where they are given, in functions and lines that hold these words."""

    stage: str
    modules: str
    function: str = ""
    line: str = ""

    def fits(self, module: str) -> bool:
        """Report whether a module is one of its modules, or in one of its packages."""
        return any(module == one or module.startswith(f"{one}.") for one in self.modules.split())


# The first row that fits counts.
_ROWS = (
    _Row("reading", "sources.bytes.reading"),
    _Row("decoding", "sources.bytes.decoding sources.bytes.encodings"),
    _Row("searching", "find.pivots"),
    _Row("searching", "find.search", "Links.__init__", "split("),
    _Row("searching", "find.search", "_step", "search("),
    _Row("judging", "find.finder.finder", "judged"),
    _Row("judging", "judge syntax.components syntax.host syntax.iri syntax.grammar rules.table"),
    _Row("recording", "records.record records.batch records.layouts"),
    _Row("delimiting", "find syntax.characters rules.scheme_table"),
    _Row("deduplicating", "dedupe.keyset"),
    _Row("deduplicating", "sinks.first_seen", "FirstShare"),
    _Row("byte offsets", "sources.bytes.source_map"),
    _Row("writing", "sinks.outputs"),
    _Row("formatting", "sinks records.mask records.masking"),
    _Row("steering", "runs cli sources.tally"),
)
# Seconds of processor time that give samples enough.
_ENOUGH = 2.0
_ORDER = list(dict.fromkeys(row.stage for row in _ROWS))
_FORMS = {"`--unique`": UNIQUE, "`--format jsonl`": ("--format", "jsonl")}


def stage(place: Location) -> str:
    """The stage that a line belongs to."""
    for row in _ROWS:
        if row.fits(place.module) and row.function in place.function and row.line in place.line:
            return row.stage
    return f"other: {place.module}" if place.module else "other: the interpreter"


def report(settings: Settings) -> Iterator[str]:
    """A table for each form of output: rows are stages, columns are texts."""
    texts = list(settings.texts())
    records = {text.name: figures("in_process", str(text.path))["records"] for text in texts}
    for name, form in _FORMS.items():
        profiles = {text.name: _profile(text, *form, "--jobs", "1") for text in texts}
        others = sorted({name for profile in profiles.values() for name in profile} - set(_ORDER))
        rows = []
        for one in (*_ORDER, *others):
            spent = [
                (profile.get(one, 0.0), sum(profile.values()), records[text]) for text, profile in profiles.items()
            ]
            if any(percent(part, whole) not in ("0 %", "-") for part, whole, _ in spent):
                rows.append([one, *(_cell(*figure) for figure in spent)])
        whole = [(sum(profile.values()), records[text]) for text, profile in profiles.items()]
        rows.append(["all", *(_cell(seconds, seconds, links) for seconds, links in whole)])
        caption = f"Where the time of `urisieve extract` with {name} goes, as share and microseconds a link:"
        yield f"{caption}\n\n{table(['stage', *profiles], rows)}"


def _cell(part: float, whole: float, links: int) -> str:
    return f"{percent(part, whole)}, {number(part / links * 1e6) if links else '-'}"


def _profile(text: Text, *flags: str) -> dict[str, float]:
    """Seconds of each stage: the shares as sampled, of the time that the command took undisturbed."""
    note(f"{text.name}: profile")
    measured = figures("sampling", str(text.path), str(_ENOUGH), *flags)
    seconds: defaultdict[str, float] = defaultdict(float)
    for place, spent in measured["places"]:
        seconds[stage(Location(*place))] += spent
    scale = measured["seconds"] / (sum(seconds.values()) or 1)
    return {name: spent * scale for name, spent in seconds.items()}
