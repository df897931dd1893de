"""The strings of JSON lines are those that the standard library finds, with the kernel and without it."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from urisieve.kernel import compiled, kernel
from urisieve.sources.structured import json_strings
from urisieve.sources.structured.json_paths import AROUND, DECODER, JsonField
from urisieve.sources.structured.json_strings import JsonStrings, Open, strings_of_window

WAYS: Final = [json_strings._lines_in_python, *([json_strings._lines_by_kernel] if compiled else [])]
EVERYTHING: Final = JsonField.of(None)
STARTS: Final = re.compile(r'"(?=(?>[^"\\]++|\\.)*+")|\[', re.DOTALL)

TAKEN: Final = [
    *("{}", "[]", '""', "1", "-0", "0.5e+3", "NaN", "-Infinity", "Infinity", "null", "true", "false", ' [ 1 , "a" ] '),
    *(
        '{"a":{"b":[{"c":"d"},[]],"":""}}',
        '"\\u00e9\\ud83d\\ude00\\n\\/\\""',
        '"\\ud800x\\udc00"',
        '["é","漢","😀"]',
        '"a\x00\x1fb"',
    ),
    *("[0,255]", '{"a":[1,2]}', "[-0]", "[ 104 ,\t105]", "[195,169,233]"),
    *('"\udc80"', "\x1e[-1]\r", '[256,-1,1.0,"x"]', "[[0.5]]", '{"a":[]}', " \t ", ""),
]
LEFT: Final = [
    *(
        "{",
        "[1,]",
        '{"a":1,}',
        "{1:2}",
        "01",
        "-",
        "1.",
        "1e",
        "+1",
        "nul",
        "tru e",
        '"\\x"',
        '"\\u12g4"',
        '"a',
        "[1}",
        "1 2",
        "\ufeff1",
        "\x0b",
    ),
    *(
        "[" * 1_000,
        "[" * 10_000 + "]" * 10_000,
        "'a'",
        "{,}",
        "[,]",
        ":",
        '{"a" "b"}',
    ),
]


def taken(line: str, way: Callable[..., Iterator[JsonStrings]]) -> list[str] | None:
    """Return the strings of a line; None if the line is left."""
    strings = next(way(line, EVERYTHING, None), None)
    if strings is None:
        return []
    if strings.is_left:
        assert (strings.size, strings.end) == (0, 0)
        return None
    assert strings.end == len(line)
    starts = [match.end() for match in STARTS.finditer(line)]
    assert {*map(strings.start, range(strings.size))} <= {*starts}
    return list(map(strings.string, range(strings.size)))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and value and all(type(item) is int and 0 <= item <= 255 for item in value):
        yield bytes(value).decode("utf-8", "surrogateescape")
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner)


def strings_in(line: str) -> list[str]:
    """The strings that the standard library finds in a line; an object is a tuple of tuples."""
    text = line.strip(AROUND)
    return list(_strings(DECODER.decode(text))) if text else []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("line", TAKEN)
def test_what_is_taken(line: str, way: Any) -> None:
    assert taken(line, way) == strings_in(line)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("line", ["9" * 5_000, "[" * 9_999 + "]" * 9_999])
def test_what_is_more_than_the_standard_library_takes(line: str, way: Any) -> None:
    assert taken(line, way) == []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("line", LEFT)
def test_what_is_left(line: str, way: Any) -> None:
    assert taken(line, way) is None


@pytest.mark.long
def test_whatever_is_taken_the_standard_library_takes() -> None:
    source = random.Random(5)
    pieces = [*TAKEN, *LEFT, *'{}[]:,"\\0123456789-.eEtfn \t\x1e', "\\u00", "\\ud83d", "true", "null", "é"]
    pieces = [piece for piece in pieces if len(piece) < 400]
    count = 0
    for number in range(40_000):
        line = "".join(source.choice(pieces) for _ in range(source.choice((1, 2, 3, 5))))
        if source.random() < 0.5:
            line = f'{{"k{line[:5]}":["{line}",{line}]}}'
        if not line.strip(AROUND):
            continue
        found = taken(line, WAYS[number % len(WAYS)])
        try:
            expected = strings_in(line)
        except ValueError:
            expected = None
        count += found is not None
        assert found == expected, repr(line)
    assert count > 3_000


@pytest.mark.parametrize("way", WAYS)
def test_lines_go_on_behind_one_that_is_left(way: Any) -> None:
    lines = [json.dumps({"n": number, "é": f"v{number}"}) for number in range(20)]
    lines[3], lines[9], lines[19] = "broken", "[1,2,300", "{"
    text = "\n".join(lines)
    seen: list[str] = []
    for strings in way(text, EVERYTHING, None):
        seen += map(strings.string, range(strings.size))
        if strings.is_left:
            seen.append(text[strings.end :].partition("\n")[0])
    expected: list[str] = []
    for number, line in enumerate(lines):
        expected += [line] if number in (3, 9, 19) else ["n", "é", f"v{number}"]
    assert seen == expected


def test_what_no_window_has_left_open_does_no_harm() -> None:
    source = random.Random(7)
    for _ in range(2_000 if compiled else 0):
        opened, field = source.randbytes(source.randrange(70)), source.randbytes(source.randrange(9))
        text = b'"a":["b",1],"c":2}]' * source.randrange(3)
        assert len(kernel.json_strings(text, 0, False, source.random() < 0.5, True, field, opened)) == 12


@pytest.mark.parametrize("value", ['"2027/x"', '["2027/x"]'])
def test_members_beside_a_string_of_the_next_window(value: str) -> None:
    text = f'[{{"type":"handle","note":["a"],"value":{value}}}]'
    field = JsonField.of(None)
    for cut in range(1, len(text)):
        first = strings_of_window(text[:cut], field, goes_on=True)
        outer = [Open(first.path_of(one), first.name_of(one), (), [*first.members(one)]) for one in first.open_ones]
        rest = strings_of_window(text[first.end :], field, first, outer)
        found = [dict(rest.beside(index)) for index in range(rest.size) if rest.string(index) == "2027/x"]
        assert [one["type"] for one in found] == ["handle"] * len(found)
        assert found or "2027" in text[: first.end]
