"""Outputs of batches: lines, tables, Parquet, stores of keys, counts."""

from __future__ import annotations

from urisieve.lean import lazy_names

_HOME = {
    "records.sink": "Seen Sink",
    "sinks.statistics.count_sink": "CountSink",
    "sinks.byte_output": "Output",
    "sinks.outputs": "open_output",
    "sinks.safe_cells": "SafeCells",
    "sinks.first_seen": "FirstSeenSink StoreSink",
    "sinks.kept_record": "KeptSink",
    "sinks.formats": "FormatSettings",
    "sinks.record_formats": "RecordSink TableSink",
}

__all__ = [name for names in _HOME.values() for name in names.split()]
__getattr__, __dir__ = lazy_names(__name__, _HOME, ("statistics",))
