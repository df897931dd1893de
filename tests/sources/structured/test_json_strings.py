"""The strings of JSON that the kernel takes are those that Python takes."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from typing import Final

import pytest

from urisieve.find.delimited import SEPARATOR
from urisieve.kernel import compiled, kernel
from urisieve.sources.structured.jsonlines import STRING, strings_of
from urisieve.sources.structured.row_reader import AROUND, DECODER

pytestmark = pytest.mark.skipif(not compiled, reason="the kernel is not compiled, or switched off")

TAKEN: Final = [
    *("{}", "[]", '""', "1", "-0", "0.5e+3", "NaN", "-Infinity", "Infinity", "null", "true", "false", ' [ 1 , "a" ] '),
    *(
        '{"a":{"b":[{"c":"d"},[]],"":""}}',
        '"\\u00e9\\ud83d\\ude00\\n\\/\\""',
        '"\\ud800x\\udc00"',
        '["é","漢","😀"]',
        '"a\x00\x1fb"',
    ),
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
        "9" * 5_000,
        "[" * 1_000,
        "[" * 300 + "]" * 300,
        "[0,255]",
        '{"a":[1,2]}',
        "[-0]",
        "'a'",
        "{,}",
        "[,]",
        ":",
        '{"a" "b"}',
    ),
]


def taken(line: str) -> list[str] | None:
    """Return the strings of a line as the kernel takes them; None if it leaves the line."""
    data = line.encode("utf-8", "surrogatepass")
    text, begins, starts, _, _, end, characters = kernel.json_strings(data, 0, True, True)
    if end < len(data):
        assert (text, end, characters) == ("", 0, 0)
        return None
    assert characters == len(line)
    bounds = memoryview(begins).cast("q").tolist()
    assert memoryview(starts).cast("q").tolist() == [match.start(1) for match in STRING.finditer(line)]
    return [text[begin : end - len(SEPARATOR)] for begin, end in pairwise(bounds)]


def strings_in(line: str) -> list[str]:
    """The strings that Python finds in a line."""
    text = line.strip(AROUND)
    return [string for *_, string in strings_of(DECODER.decode(text), byte_arrays=True)] if text else []


@pytest.mark.parametrize("line", TAKEN)
def test_what_is_taken(line: str) -> None:
    assert taken(line) == strings_in(line)


@pytest.mark.parametrize("line", LEFT)
def test_what_is_left(line: str) -> None:
    assert taken(line) is None


def test_whatever_is_taken_python_takes() -> None:
    source = random.Random(5)
    pieces = [*TAKEN, *LEFT, *'{}[]:,"\\0123456789-.eEtfn \t\x1e', "\\u00", "\\ud83d", "true", "null", "é"]
    pieces = [piece for piece in pieces if len(piece) < 400]
    count = 0
    for _ in range(40_000):
        line = "".join(source.choice(pieces) for _ in range(source.choice((1, 2, 3, 5))))
        if source.random() < 0.5:
            line = f'{{"k{line[:5]}":["{line}",{line}]}}'
        found = taken(line)
        if found is None or not line.strip(AROUND):
            continue
        count += 1
        assert found == strings_in(line), line
    assert count > 3_000


def test_lines_go_on_behind_one_that_is_left() -> None:
    lines = [json.dumps({"n": number, "é": f"v{number}"}) for number in range(20)]
    lines[3], lines[9], lines[19] = "broken", "[1,2,3]", "{"
    data = "\n".join(lines).encode()
    seen: list[str] = []
    end = 0
    while end < len(data):
        text, _, _, _, _, end, _ = kernel.json_strings(data, end, True, True)
        seen += text.split(SEPARATOR)[1:]
        if end < len(data):
            seen.append(data[end:].partition(b"\n")[0].decode())
            end = data.find(b"\n", end) + 1 or len(data)
    expected: list[str] = []
    for number, line in enumerate(lines):
        expected += [line] if number in (3, 9, 19) else ["n", "é", f"v{number}"]
    assert seen == expected
