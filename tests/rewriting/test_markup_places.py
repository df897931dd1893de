"""What a text in markup stands in: the answer does not depend on what was asked for before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urisieve.rewriting.markup_places import MarkupPlaces

_TOKENS = (
    b"<script>",
    b"</script>",
    b"<style>",
    b"</style>",
    b"<!--",
    b"-->",
    b"<![CDATA[",
    b"]]>",
    b"<p>",
    b"<",
    b"x",
)


@given(st.lists(st.sampled_from(_TOKENS), max_size=12).map(b"".join), st.booleans(), st.data())
def test_places_do_not_depend_on_those_before(page: bytes, is_xml: bool, draw: st.DataObject) -> None:
    places = MarkupPlaces(page, is_xml=is_xml)
    for start in sorted(draw.draw(st.lists(st.integers(0, len(page)), max_size=4))):
        assert places.around(start) == MarkupPlaces(page, is_xml=is_xml).around(start)


@pytest.mark.parametrize(
    ("page", "is_xml", "inside"),
    [
        (b"<p>", False, ""),
        (b"<SCRIPT a=b>while (n-->0)", False, "script"),
        (b"<script>'<!--<style>'", False, "script"),
        (b"<script>x</script>", False, ""),
        (b"<style>a{", False, "style"),
        (b"<!-- <script> ", False, "comment"),
        (b"<!-- <script> -->", False, ""),
        (b"<![CDATA[", False, ""),
        (b"<![CDATA[ <!-- ", True, "cdata"),
        (b"<![CDATA[ ]]>", True, ""),
        (b"<script>", True, ""),
        (b"<!-- <![CDATA[ ]]>", True, "comment"),
    ],
)
def test_what_a_text_stands_in(page: bytes, is_xml: bool, inside: str) -> None:
    assert MarkupPlaces(page, is_xml=is_xml).around(len(page)) == inside
