"""The program of the page "Make links in a page", on texts that want to be markup or programs."""

from __future__ import annotations

import doctest
import random
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.folders import ROOT
from tests.helpers.generated_texts import Texts
from urisieve import Options
from urisieve.finding_options import listed_schemes

PAGE = (ROOT / "docs" / "how-to" / "links-in-a-page.md").read_text("utf-8")
WEB = listed_schemes(Options(schemes="web")) or frozenset()
PIECES = (
    *(
        "<script>",
        '"',
        "'",
        "&",
        "&amp;",
        "<",
        ">",
        " ",
        "\n",
        "javascript:alert(1)",
        "JavaScript://a.example/%0Aalert(1)",
    ),
    *(
        "data:text/html,%3Cscript%3E",
        "https://a.example/?b=1&c",
        "http://a.example",
        "www.a.example",
        "vbscript:msgbox(1)",
    ),
    *(
        "https://u:p@a.example/'onclick='x",
        "ftp://a.example/",
        "(",
        ")",
        "é",
        "\u200b",
        "http://a.example/?u=javascript:a(b)",
    ),
)


def _program() -> Callable[[str], str]:
    names: dict[str, Any] = {}
    for example in doctest.DocTestParser().get_examples(PAGE)[:4]:
        exec(example.source, names)
    program: Callable[[str], str] = names["with_links"]
    return program


with_links = _program()


class _Reader(HTMLParser):
    """What a browser makes of a page: its text, and its elements."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.links: list[str] = []

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag == "a"
        assert [name for name, _ in attrs] == ["href", "rel"]
        self.links.append(attrs[0][1] or "")


def _check(text: str) -> int:
    reader = _Reader()
    reader.feed(with_links(text))
    reader.close()
    assert reader.text == text
    assert all(link.partition(":")[0] in WEB for link in reader.links), reader.links
    return len(reader.links)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_only_links_of_the_web_become_elements(text: str) -> None:
    _check(text)


def test_texts_of_all_kinds_stay_what_they_are() -> None:
    texts = Texts(random.Random(41))
    assert sum(_check(texts.text().replace("\r", " ").replace("\0", " ")) for _ in range(300)) > 50


@pytest.mark.parametrize("piece", PIECES)
def test_each_piece_alone(piece: str) -> None:
    assert _check(piece) == int(piece.partition(":")[0] in WEB or piece.startswith("www."))
