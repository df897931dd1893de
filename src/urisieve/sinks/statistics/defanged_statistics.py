"""Statistics whose names and examples are in a form that no program makes a link of."""

from __future__ import annotations

from collections.abc import Callable

from urisieve.lean.values import replace
from urisieve.records.defanging import defang
from urisieve.sinks.output_fields.defanged_values import (
    defanged_invalid,
    defanged_raw,
    defanged_source,
    defanged_values,
)
from urisieve.sinks.statistics.statistics import CodeCounts, Merge, MergeExample, Merges, Ranking, Statistics

__all__ = ["defanged_statistics"]


def defanged_statistics(statistics: Statistics) -> Statistics:
    """Return statistics with hosts, domains, sources and examples defanged."""
    domains = statistics.domains
    return replace(
        statistics,
        hosts=_ranking(statistics.hosts, _host),
        domains=None if domains is None else _ranking(domains, _host),
        sources=_ranking(statistics.sources, defanged_source),
        merges=_merges(statistics.merges),
        rejections=_codes(statistics.rejections),
        warnings=_codes(statistics.warnings),
    )


def _host(name: str) -> str:
    (host,) = defanged_values("host", (name,), ("",))
    return str(host)


def _ranking(ranking: Ranking, form: Callable[[str], str]) -> Ranking:
    rows = [row if row.name is None else row._replace(name=form(row.name)) for row in ranking.rows]
    return replace(ranking, rows=tuple(rows))


def _merges(merges: Merges) -> Merges:
    return replace(merges, rules=tuple(_merge(merge) for merge in merges.rules))


def _merge(merge: Merge) -> Merge:
    return merge._replace(
        examples=tuple(
            MergeExample(defanged_raw(raw, uri), defanged_raw(first, uri), defang(uri))
            for raw, first, uri in merge.examples
        )
    )


def _codes(codes: CodeCounts) -> CodeCounts:
    rows = [row._replace(examples=tuple(map(defanged_invalid, row.examples))) for row in codes.rows]
    return replace(codes, rows=tuple(rows))
