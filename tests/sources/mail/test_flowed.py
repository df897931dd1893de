"""Flowed text (RFC 3676), quotes and folds: what joins, what does not, and where everything stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.doubling import assert_linear
from urisieve.kernel import compiled, kernel
from urisieve.sources.mail import flowed
from urisieve.sources.mail.flowed import Flow, flow_of, read_flow

DELETE = Flow.DELETE_SPACE


@pytest.mark.parametrize(
    ("flow", "text", "expected"),
    [
        (Flow.FIXED, "a \nb\n", "a \nb\n"),
        (Flow.FIXED, "> a\n> b\n", "  a\n  b\n"),
        (Flow.FIXED, ">> a\n> b\n>c\n", "   a\n  b\n c\n"),
        (Flow.FIXED, "a\n> b\n", "a\n> b\n"),
        (Flow.FIXED, "<a\n> b\nc", "<a\n> b\nc"),
        (Flow.FIXED, "> a\r\n> b\r\n", "  a\r\n  b\r\n"),
        (Flow.FIXED, "a > b\nc > d\n", "a > b\nc > d\n"),
        (Flow.FLOWED, "> a \nb\n", "  a \nb\n"),
        (Flow.FLOWED, "> > a\n", "    a\n"),
        (DELETE, "a \nb\n", "ab\n"),
        (DELETE, "a \r\nb\r\n", "ab\r\n"),
        (DELETE, "a  \nb\n", "a b\n"),
        (DELETE, "a\nb\n", "a\nb\n"),
        (DELETE, "a \n", "a"),
        (DELETE, "a \n\nb\n", "a\nb\n"),
        (DELETE, " a \n  b\n", " a b\n"),
        (DELETE, "> a \n> b\n", "  ab\n"),
        (DELETE, "> a \n>  b\n", "  a b\n"),
        (DELETE, ">a \n>> b\n", " a\n   b\n"),
        (DELETE, "> a \nb\n", "  a\nb\n"),
        (DELETE, "a \n-- \nb\n", "a\n-- \nb\n"),
        (DELETE, "> a \n> -- \n> b \n> c\n", "  a\n  -- \n  bc\n"),
        (DELETE, "-- \nb\n", "-- \nb\n"),
        (DELETE, "", ""),
    ],
)
def test_lines(flow: Flow, text: str, expected: str) -> None:
    assert read_flow(text, flow)[0] == expected


@pytest.mark.parametrize(
    ("media_type", "parameters", "flow"),
    [
        ("text/plain", {}, Flow.FIXED),
        ("text/plain", {"format": "flowed"}, Flow.FLOWED),
        ("text/plain", {"format": "Flowed", "delsp": "YES"}, DELETE),
        ("text/plain", {"format": "flowed", "delsp": "no"}, Flow.FLOWED),
        ("text/plain", {"delsp": "yes"}, Flow.FIXED),
        ("text/html", {"format": "flowed"}, Flow.FIXED),
        ("text/calendar", {}, Flow.FIXED),
    ],
)
def test_parameters(media_type: str, parameters: dict[str, str], flow: Flow) -> None:
    assert flow_of(media_type, parameters) is flow


@given(st.text(alphabet="ab<>- \n\r\t", max_size=40), st.sampled_from(Flow))
def test_every_character_has_its_place(text: str, flow: Flow) -> None:
    joined, selection = read_flow(text, flow)
    if selection is None:
        assert len(joined) == len(text)
    else:
        assert selection.length == len(joined)
    for offset, character in enumerate(joined):
        place = offset if selection is None else selection.source(offset)
        end = offset + 1 if selection is None else selection.source_end(offset + 1)
        assert character == text[place:end] or (character == " " and text[place] in "> ") or character == "\n"


@given(st.lists(st.text(alphabet="abc", min_size=1, max_size=5), min_size=1, max_size=6), st.integers(0, 3))
def test_what_was_flowed_comes_out_whole(words: list[str], depth: int) -> None:
    marks = ">" * depth + " "
    text = "".join(f"{marks}{word} \n" for word in words[:-1]) + f"{marks}{words[-1]}\n"
    assert read_flow(text, DELETE)[0].strip() == "".join(words)


@pytest.mark.parametrize("flow", Flow)
@pytest.mark.parametrize("unit", [">", "> ", ">\n", " \n", "> \n", "a \n", "\r", "\n ", ">a\n>"], ids=repr)
def test_the_time_is_linear(unit: str, flow: Flow) -> None:
    assert_linear(lambda text: read_flow(text, flow), lambda size: "a\n" + unit * (size // len(unit)), 500_000)


@pytest.mark.skipif(not compiled, reason="the kernel is switched off or not compiled")
@given(st.text(alphabet="> \n\ra\u00e9\U0001f600\udc80", max_size=60))
def test_the_kernel_blanks_quotes_as_the_patterns_do(text: str) -> None:
    for every in (False, True):
        assert kernel.blanked_quotes(text, every) == flowed.blanked_in_python(text, every)


@pytest.mark.skipif(not compiled, reason="the kernel is switched off or not compiled")
@given(st.binary(max_size=80), st.integers(0, 90), st.integers(2, 9))
def test_the_kernel_finds_bytes_as_python_does(data: bytes, start: int, size: int) -> None:
    for needle in (data[start : start + size], data[-size:], bytes(size), b"\nFrom "):
        if len(needle) >= 2:
            assert kernel.find(data * 3, needle, start) == (data * 3).find(needle, start)
