"""Statistics of what the kernel has found are those that Python would have taken."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.strategies import noisy_texts
from urisieve import Batch, Options, extract_batches
from urisieve.kernel import compiled
from urisieve.sinks.statistics import Statistics, StatisticsSink

pytestmark = pytest.mark.skipif(not compiled, reason="compares the kernel with Python")

TEXTS = st.lists(
    st.one_of(
        noisy_texts(),
        st.lists(
            st.sampled_from(
                (
                    *("HTTP://A.example", "http://a.example/", "http://a.example:80/", "http://b.example/~x"),
                    *("http://b.example/%7ex", "urn:isbn:1", "urn:ISBN:1", "http://é.example/é", "http://b:x/"),
                    *("http://u:p@a.example/", "http://b.example/index.html", "http://b.example/"),
                )
            ),
            max_size=9,
        ).map(" ".join),
    ),
    max_size=4,
)


def counted(batches: Sequence[Batch], options: Options) -> Statistics:
    sink = StatisticsSink(options=options, templates=True)
    for batch in batches:
        sink.take(batch)
    return sink.statistics()


@given(TEXTS, st.sampled_from([Options(), Options(level="none"), Options(merge="page")]))
def test_statistics(texts: list[str], options: Options) -> None:
    batches = list(extract_batches(texts, options=options))
    plain = [Batch.joined([batch, Batch.of([])]).replaced({"raw": batch.column("raw")}) for batch in batches]
    assert all(batch.layout.harvest is None for batch in plain)
    assert counted(batches, options) == counted(plain, options)
