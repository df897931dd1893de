"""The orders in which counted keys are returned."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Sort"]


class Sort(StrEnum):
    """The order in which `CountSink.rows` returns counted keys.

    >>> from urisieve import Batch, CountSink, Sort, extract_batches
    >>> sink = CountSink()
    >>> sink.take(Batch.joined(extract_batches(["http://b.example/ http://a.example/ http://a.example/"])))
    >>> sink.close()
    >>> [row.uri for row in sink.rows(sort=Sort.COUNT)]
    ['http://a.example/', 'http://b.example/']
    """

    FIRST = "first"
    """In the order of their first occurrence."""
    COUNT = "count"
    """The most frequent first; equally frequent ones in the order of their first occurrence."""
    URI = "uri"
    """In the order of the code points of their URIs."""
