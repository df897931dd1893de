"""Types of `urisieve.sinks.statistics`: its public names."""

from urisieve.sinks.report.page import report_html, write_report
from urisieve.sinks.statistics.count_sink import count_keys
from urisieve.sinks.statistics.statistics import (
    CodeCount,
    CodeCounts,
    Funnel,
    HostCount,
    InputCounts,
    LinkCount,
    Merge,
    MergeExample,
    Merges,
    NameCount,
    Ranking,
    Statistics,
    TimeCount,
    Timeline,
    TimeUnit,
)
from urisieve.sinks.statistics.statistics_sink import StatisticsSink, collect_statistics

__all__ = [
    "CodeCount",
    "CodeCounts",
    "Funnel",
    "HostCount",
    "InputCounts",
    "LinkCount",
    "Merge",
    "MergeExample",
    "Merges",
    "NameCount",
    "Ranking",
    "Statistics",
    "StatisticsSink",
    "TimeCount",
    "TimeUnit",
    "Timeline",
    "collect_statistics",
    "count_keys",
    "report_html",
    "write_report",
]
