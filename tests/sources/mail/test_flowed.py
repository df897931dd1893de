"""Flowed text (RFC 3676) and folds: what joins, what does not, and where everything stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.doubling import assert_linear
from urisieve.sources.mail.mime import MediaType, deletes_space, join_flowed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a \nb\n", "ab\n"),
        ("a \r\nb\r\n", "ab\r\n"),
        ("a  \nb\n", "a b\n"),
        ("a\nb\n", "a\nb\n"),
        ("a \n", "a"),
        ("a \n\nb\n", "a\nb\n"),
        (" a \n  b\n", " a b\n"),
        ("> a \n> b\n", "> ab\n"),
        ("> a \n>  b\n", "> a b\n"),
        (">a \n>> b\n", ">a\n>> b\n"),
        ("> a \nb\n", "> a\nb\n"),
        ("a \n-- \nb\n", "a\n-- \nb\n"),
        ("> a \n> -- \n> b \n> c\n", "> a\n> -- \n> bc\n"),
        ("-- \nb\n", "-- \nb\n"),
        ("", ""),
    ],
)
def test_lines(text: str, expected: str) -> None:
    assert join_flowed(text)[0] == expected


@pytest.mark.parametrize(
    ("media_type", "parameters", "deletes"),
    [
        ("text/plain", {}, False),
        ("text/plain", {"format": "flowed"}, False),
        ("text/plain", {"format": "Flowed", "delsp": "YES"}, True),
        ("text/plain", {"format": "flowed", "delsp": "no"}, False),
        ("text/plain", {"delsp": "yes"}, False),
        ("text/html", {"format": "flowed", "delsp": "yes"}, False),
        ("text/calendar", {}, False),
    ],
)
def test_parameters(media_type: str, parameters: dict[str, str], deletes: bool) -> None:
    assert deletes_space(MediaType(media_type, parameters)) is deletes


@given(st.text(alphabet="ab<>- \n\r\t", max_size=40))
def test_every_character_has_its_place(text: str) -> None:
    joined, selection = join_flowed(text)
    assert selection.length == len(joined)
    for offset, character in enumerate(joined):
        assert character in (text[selection.source(offset) : selection.source_end(offset + 1)], "\n")


@given(st.lists(st.text(alphabet="abc", min_size=1, max_size=5), min_size=1, max_size=6), st.integers(0, 3))
def test_what_was_flowed_comes_out_whole(words: list[str], depth: int) -> None:
    marks = ">" * depth + " "
    text = "".join(f"{marks}{word} \n" for word in words[:-1]) + f"{marks}{words[-1]}\n"
    assert join_flowed(text)[0] == f"{marks}{''.join(words)}\n"


@pytest.mark.parametrize("unit", [">", "> ", ">\n", " \n", "> \n", "a \n", "\r", "\n ", ">a\n>"], ids=repr)
def test_the_time_is_linear(unit: str) -> None:
    assert_linear(join_flowed, lambda size: "a\n" + unit * (size // len(unit)), 500_000)
