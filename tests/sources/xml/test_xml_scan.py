"""The scan of XML in the kernel is that in Python, wherever a stretch ends and however it begins."""

from __future__ import annotations

import random
from typing import Any, Final
from xml.parsers.expat import ExpatError, ParserCreate

import pytest

from urisieve.kernel import compiled
from urisieve.sources.xml.xml_scan import DEPTH, LINK_ELEMENTS, Scan, State, scan, scanned

pytestmark = pytest.mark.skipif(not compiled, reason="the kernel is not compiled, or switched off")

PIECES: Final = [
    *(
        "<a>",
        "</a>",
        "<loc>",
        "</loc>",
        "<b/>",
        "<link\n>",
        "</link >",
        "<é>",
        "</é>",
        "\r\n",
        "\r",
        "\n ",
        " ",
        "\u00a0",
    ),
    *(
        "http://a.example/",
        "x:y",
        "a: b c d",
        "é漢😀",
        "&amp;",
        "&lt;p&gt;",
        "&#65;",
        "&#x1F600;",
        "&#32;",
        "]",
        "]]",
        ">",
    ),
    *(
        "<!-- x:y -->",
        "<!---->",
        "<?go x:y?>",
        "<?go?>",
        "<![CDATA[",
        "]]>",
        "<![CDATA[]]>",
        "<![CDATA[<p>&amp;]] ]]]>",
    ),
    *("<c href='x:y'/>", "<c href=\" x:y&amp; \" d = 'e>\r\nf'/>", "<c src='&#32;x:y'/>", "<c url='r'></c>"),
    *("<c xml:base='h:/'>", "<c xml:base='r'/>", "</c>", "<c xmlns='n:s' xmlns:q='n:s' xmlnsq='n:s'/>", "<c q:d=''/>"),
]
PROLOGUES: Final = [
    *("", "<?xml version='1.0'?>", "\n<!-- x:y -->", "<!DOCTYPE a>", "<!DOCTYPE a SYSTEM 'x>:y' [ ] >"),
    "<!DOCTYPE a PUBLIC \"x'y\" 'z' [<!ENTITY b \"]>x:y'\"> <!-- x:y > ' --> %c; <?go x:y'?><!ATTLIST a b CDATA '['>]>",
]


def checked(data: bytes) -> int:
    """Return where the first fault of a document is, or its end."""
    parser = ParserCreate("utf-8")
    try:
        parser.Parse(data, True)
    except ExpatError:
        return max(0, parser.ErrorByteIndex)
    return len(data)


def plain(found: Scan) -> tuple[Any, ...]:
    return tuple(list(value) if isinstance(value, memoryview) else value for value in found)


def same(data: bytes, end: int, state: State, *, is_end: bool) -> Scan:
    found = scan(data, end, state, is_end=is_end)
    is_same = plain(found) == plain(scanned(data, end, state, is_end=is_end))
    assert is_same, (data[:end], state, is_end)
    return found


def test_generated_documents() -> None:
    source = random.Random(7)
    texts = 0
    for _ in range(3_000):
        body: list[str] = []
        opened: list[str] = []
        for _ in range(source.randrange(14)):
            piece = source.choice(PIECES)
            if piece.startswith("</") and opened and source.random() < 0.9:
                piece = f"</{opened.pop()}>"
            elif piece[0] == "<" and piece[1] not in "/!?" and "/>" not in piece and "</" not in piece:
                opened.append(piece[1:-1].split()[0])
            body.append(piece)
        ends = "".join(f"</{name}>" for name in reversed(opened))
        data = f"{source.choice(PROLOGUES)}<r>{''.join(body)}{ends}</r>".encode()
        end = checked(data)
        state = State(0, False, b"")
        at = 0
        while True:  # in stretches that end anywhere
            stop = source.randrange(at, end + 1) if source.random() < 0.7 else end
            while stop < len(data) and data[stop] & 0xC0 == 0x80:
                stop += 1
            found = same(data[at:], stop - at, state, is_end=stop == end)
            texts += len(found.kinds)
            flags = dict(enumerate(state.open))
            for index, tag in enumerate(found.elements[1::2]):
                name = data[at + tag + 1 :].split(b">")[0].split(b"/")[0].split()[0].decode()
                flags[len(state.open) + index] = name in LINK_ELEMENTS
            state = State(found.mode, found.is_leaf, bytes(flags[number] for number in found.open))
            at += found.stop
            if stop == end:
                break
    assert texts > 7_000


LIMIT: Final = 262_144


@pytest.mark.sampled(23)
@pytest.mark.parametrize("is_end", [False, True])
@pytest.mark.parametrize("begun", [0, 1])
@pytest.mark.parametrize(
    "unit",
    ["x", "é", "words and ", "é\n", "&amp;", "x&lt;", "\r\n", "a\r", "]", "]] ", "x" * 300_000 + " ", "]]><![CDATA[ab"],
)
def test_long_runs(unit: str, begun: int, is_end: bool) -> None:
    unit = unit if begun or "]" not in unit else "<![CDATA[" + unit.replace("]]>", "") + "]]>"
    for size in (LIMIT - 9, LIMIT, 2 * LIMIT, 2 * LIMIT + 9):
        data = (unit * (size // len(unit.encode()) + 1)).encode()
        for behind in (b"", b"]]></a>" if begun else b"</a>"):
            found = same(data + behind, len(data + behind), State(begun, True, b"\0"), is_end=is_end)
            if is_end or behind:
                assert found.stop >= len(data)
            assert max(found.rows[2::4], default=0) <= len(data) + 3


def test_elements_are_nested_up_to_a_bound() -> None:
    data = b"<a href='x:y'>" * (DEPTH + 2)
    found = same(data, len(data), State(0, False, b""), is_end=False)
    assert found.is_too_deep
    assert (found.stop, len(found.open)) == (len(data) - 14, DEPTH + 1)


def test_a_long_text_is_a_value_up_to_a_bound() -> None:
    for size, kind in ((65_536, b"v"), (65_537, b"r")):
        data = b"<a>" + b"x:y z".ljust(size, b"q") + b"</a>"
        assert same(data, len(data), State(0, False, b""), is_end=False).kinds == kind
