"""Statistics: what batches contain, counted by key, kind, scheme, host, source, rule, code and time."""

from __future__ import annotations

from urisieve.lean import lazy_names

_HOME = {
    "sinks.report.page": "report_html write_report",
    "sinks.statistics.count_sink": "count_keys",
    "sinks.statistics.statistics": (
        "CodeCount CodeCounts Funnel HostCount InputCounts LinkCount Merge MergeExample Merges NameCount Ranking"
        " Statistics TimeCount TimeUnit Timeline"
    ),
    "sinks.statistics.statistics_sink": "StatisticsSink collect_statistics",
}

__all__ = [name for names in _HOME.values() for name in names.split()]
__getattr__, __dir__ = lazy_names(__name__, _HOME, ())
