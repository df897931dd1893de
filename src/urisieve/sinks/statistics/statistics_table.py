"""Statistics as one table of CSV (RFC 4180), a row for each count."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from urisieve.lean import Final
from urisieve.sinks.statistics.statistics import Ranking, Statistics
from urisieve.wording import printable

__all__ = ["statistics_csv"]

_COLUMNS: Final = ("section", "name", "count", "distinct", "meaning", "example")
_Row = tuple[str, str, int | str, int | str, str, str]


def statistics_csv(statistics: Statistics) -> str:
    """Return statistics as a table with a header; `docs/stats.md` explains its sections."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(_COLUMNS)
    for row in _rows(statistics):
        writer.writerow([printable(value) if isinstance(value, str) else value for value in row])
    return buffer.getvalue()


def _rows(found: Statistics) -> Iterator[_Row]:
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
        for time, count in found.timeline.rows:
            yield f"timeline.{found.timeline.unit}", time, count, "", "", ""
    for section, counts in (("read.kinds", found.read.kinds), ("read.read", found.read.read)):
        for name, count in counts:
            yield section, name, count, "", "", ""
    for section, faults in (("read.skipped", found.read.skipped), ("read.broken", found.read.broken)):
        for kind, reason, count in faults:
            yield section, kind, count, "", reason, ""
    for note in found.notes:
        yield "notes", "", "", "", note, ""


def _ranked(name: str, ranking: Ranking) -> Iterator[_Row]:
    for what, count in (("names", ranking.names), ("total", ranking.total), ("others", ranking.others)):
        yield name, what, count, "", "", ""
    for row in ranking.rows:
        yield f"{name}.rows", row.name or "", row.count, row.distinct, "", ""
