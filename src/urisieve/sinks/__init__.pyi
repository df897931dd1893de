"""Types of `urisieve.sinks`: its public names."""

from urisieve.records.sink import Seen, Sink
from urisieve.sinks import statistics as statistics
from urisieve.sinks.byte_output import Output
from urisieve.sinks.first_seen import FirstSeenSink, StoreSink
from urisieve.sinks.formats import FormatSettings
from urisieve.sinks.kept_record import KeptSink
from urisieve.sinks.outputs import open_output
from urisieve.sinks.record_formats import RecordSink, TableSink
from urisieve.sinks.safe_cells import SafeCells
from urisieve.sinks.statistics.count_sink import CountSink

__all__ = [
    "CountSink",
    "FirstSeenSink",
    "FormatSettings",
    "KeptSink",
    "Output",
    "RecordSink",
    "SafeCells",
    "Seen",
    "Sink",
    "StoreSink",
    "TableSink",
    "open_output",
]
