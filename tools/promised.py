"""What is promised of classes whose other attributes only the package itself uses, as sinks use those of batches.

The snapshot of the interface (tools/print_api.py) and the reference (docs/conf.py) have nothing else of these classes.
"""

from __future__ import annotations

from typing import Final

_SINK: Final = "take close"
_SHAPED: Final = "__bool__ __getitem__ __iter__ __len__ keys as_dict from_dict explain meaning masked"
_PLACED: Final = (
    "source message message_id part field row start end line column byte_start byte_end"
    " time time_written sender to subject raw notices"
)
_PARTS: Final = "scheme userinfo host host_kind port path query fragment nid nss"

# The names of classes, and the attributes that are promised.
PROMISED: Final[dict[str, frozenset[str]]] = {
    name: frozenset(attributes.split())
    for name, attributes in {
        "Batch": (
            "__add__ __bool__ __getitem__ __iter__ __len__ alternatives column columns components found joined of"
            " records rejections select where"
        ),
        "Filter": (
            "kinds schemes hosts domains paths warnings carriers sources senders subjects present since until known"
            " unknown is_empty"
        ),
        "KeySet": "__contains__ __enter__ __exit__ __len__ add close is_spilled unseen unseen_indices",
        "Known": "__contains__ __len__ hosts links read rejected signature",
        "Record": (
            f"{_SHAPED} {_PLACED} {_PARTS} uri iri key kind wrapper warnings alternatives domain inner parts replace"
            " surt urn components"
        ),
        "Rejection": f"{_SHAPED} {_PLACED} reason component offset section",
        "Store": (
            "__contains__ __enter__ __exit__ __len__ add add_digests by close commit entries faults forget info merge"
            " options rollback unseen unseen_indices"
        ),
        "Tally": "broken clear is_empty is_unread kept kinds left_out messages read rejected skipped warnings",
        "FormatSettings": "format form secret rejects again fields template defang parts redact by",
        "ReaderRow": "read starts sign endings media_types plurals opens form takes",
        "Segments": "add base count fault open skip",
        "Source": "lines peek rest source",
        "Urn": "assigned_name f_component nid nss parts q_component r_component",
        "CountSink": f"{_SINK} __len__ discard rows",
        "FirstSeenSink": f"{_SINK} new",
        "KeptSink": f"{_SINK} new",
        "RecordSink": _SINK,
        "StatisticsSink": f"{_SINK} discard distinct statistics",
        "StoreSink": f"{_SINK} new",
        "TableSink": _SINK,
    }.items()
}
# Classes of which the library makes the values: their constructors may change.
MADE: Final = frozenset(
    (
        *("Appearance", "Batch", "BytesRead", "CheckedRow", "CodeCount", "CodeCounts", "CodeEntry", "Explanation"),
        *("FileFailed", "Funnel", "HostCount", "InputCounts", "KeyCount", "LinkCount", "Merge", "MergeExample"),
        *("Merges", "Message", "NameCount", "Ranking", "RowCounts", "Segments", "Source", "Span", "Statistics", "Step"),
        *("StoreEntry", "Subject", "TimeCount", "Timeline", "Urn", "Warned"),
    )
)


def is_promised(kind: str, attribute: str) -> bool:
    """Return whether an attribute of a class is promised, by their names.

    >>> is_promised("Batch", "column"), is_promised("Batch", "layout"), is_promised("Components", "host")
    (True, False, True)
    """
    return attribute in PROMISED.get(kind, (attribute,))
