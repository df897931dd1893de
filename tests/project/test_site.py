"""The pictures, the tables beside other programs, and the check of the built site."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import check_site
import draw_speed
import draw_terminal
import urisieve
from benchmarks.differences import PAIRS, Pair
from benchmarks.markdown import END, START
from tests.helpers.folders import ROOT

DOCS = ROOT / "docs"
# Pictures


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are of POSIX")
def test_the_terminal_shows_what_the_commands_write() -> None:
    assert draw_terminal.PICTURE.read_text("utf-8") == draw_terminal.picture(), "run tools/draw_terminal.py"


def test_the_chart_has_the_figures_of_the_benchmarks() -> None:
    figures = json.loads(draw_speed.FIGURES.read_text("utf-8"))
    assert figures == draw_speed.recorded(draw_speed.TABLES.read_text("utf-8")), "run tools/draw_speed.py --record"
    assert draw_speed.CHART.read_text("utf-8") == draw_speed.drawn(figures), "run tools/draw_speed.py"


@pytest.mark.parametrize("path", sorted((DOCS / "images").glob("*.svg")), ids=lambda path: path.name)
def test_a_picture_is_well_formed_named_and_fetches_nothing(path: Path) -> None:
    text = path.read_text("utf-8")
    root = ElementTree.fromstring(text)
    names = {name: root.find(f"{{http://www.w3.org/2000/svg}}{name}") for name in ("title", "desc")}
    assert all(element is not None and element.text for element in names.values())
    assert re.search(r"href|url\(|@import|@font-face|<script|<foreignObject|<image", text) is None


def test_lines_of_a_terminal() -> None:
    (plain, wide), (rest,) = draw_terminal.lines("a\x1b[1;36m" + "見" + "\x1b[0m\n\x1b[4mb")
    assert (plain.column, plain.text, plain.style) == (0, "a", draw_terminal.Style())
    assert (wide.column, wide.style.bold, wide.style.colour != plain.style.colour) == (1, True, True)
    assert (rest.text, rest.style.underline) == ("b", True)
    rows = list(draw_terminal.lines("x" * (draw_terminal.COLUMNS + 3)))
    assert [len(row[0].text) for row in rows] == [draw_terminal.COLUMNS, 3]


@pytest.mark.parametrize("text", ["\x1b[2J", "\x07", "\x1b[38m"])
def test_a_picture_holds_no_control_sequence(text: str) -> None:
    with pytest.raises(ValueError, match=r"control|colour"):
        list(draw_terminal.lines(text))


# Beside other programs

DIFFERENCES = (DOCS / "reference" / "differences.md").read_text("utf-8")


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.first} {pair.second}")
def test_what_the_table_says_is_the_same_is_the_same(pair: Pair) -> None:
    assert urisieve.equivalent(pair.first, pair.second) is pair.same


def test_the_table_has_all_pairs() -> None:
    tables = DIFFERENCES.partition(START)[2].partition(END)[0]
    for pair in PAIRS:
        assert tables.count(f"| `{pair.first}` {'=' if pair.same else '≠'} `{pair.second}` | {pair.section} |") == 1


# The built site


def test_the_check_of_the_site(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b c.html").write_text("<h1 id=top>b</h1><a href=../index.html#a>x</a>", "utf-8")
    good = '<a href="sub/b%20c.html#top">x</a><h1 id=a>a</h1><a href="#a">x</a><a href="http://e.example/">x</a>'
    (tmp_path / "index.html").write_text(good, "utf-8")
    assert check_site.faults(tmp_path) == []
    bad = '<a href="no.html">x</a><a href="sub/b%20c.html#no">x</a><script src="http://e.example/x.js"></script>'
    (tmp_path / "index.html").write_text(f"{good}{bad}", "utf-8")
    assert [fault.split(": ")[1].split(" ")[0] for fault in check_site.faults(tmp_path)] == [
        *("no.html", "sub/b%20c.html#no", "http://e.example/x.js")
    ]
    (tmp_path / "index.html").write_text(f"{good}{'<li class=toctree-l1>' * 26}", "utf-8")
    (tmp_path / "lonely.html").write_text("", "utf-8")
    assert check_site.faults(tmp_path) == [
        "index.html: the side bar has 26 entries, of at most 25",
        "lonely.html: no link leads to it",
    ]
    assert check_site.faults(tmp_path / "nothing") != []
