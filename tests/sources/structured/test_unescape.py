"""Escapes of the carrier: what they stand for, at any cut, and the way back."""

from __future__ import annotations

import html
import json
import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import strategies
from urisieve import extract
from urisieve.sources.bytes.carrier_notations import Unescaper
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.source_map import ComposedMap, SourceMap
from urisieve.sources.reading_options import Carrier


def undone(text: str, carrier: str, cuts: list[int] | None = None) -> str:
    places = [0, *(cuts or []), len(text)]
    unescaper = Unescaper(carrier)
    pieces = [unescaper.feed(text[here:there]) for here, there in pairwise(places)]
    return "".join([*pieces, unescaper.close()])


ROWS = [
    ("html", "http://e.com/?a=1&amp;b=2", "http://e.com/?a=1&b=2"),
    ("html", "&lt;http://e.com/&gt;", "<http://e.com/>"),
    ("html", "http&#58;//e.com&#x2F;&#X2f;", "http://e.com//"),
    ("html", "?a=1&copy=2&amp", "?a=1&copy=2&amp"),
    ("html", "&amp;amp; &nosuch; &; &#; &#x; &#12345678;", "&amp; &nosuch; &; &#; &#x; &#12345678;"),
    ("html", "&#0; &#xD800; &#x110000; &eacute;", "\ufffd \ufffd \ufffd é"),
    ("html", "&NotEqualTilde;x", "≂̸x"),
    ("percent-u", "http%u003A//e.com/%u00e9%41", "http://e.com/é%41"),
    ("percent-u", "%uD83D%uDE00 %ud83d%ude00", "😀 😀"),
    ("percent-u", "%uD83D %uDE00%uD83D%uD83D%uDE00", "\ufffd \ufffd\ufffd😀"),
    ("percent-u", "%%u0041%u004%u00411%", "%A%u004A1%"),
    ("backslash", r"http:\/\/e.com\/x", "http://e.com/x"),
    ("backslash", r"http\u003a\u002F\x2fe.com\057 \u{1F600}\U0001F600\ud83d\ude00", "http://e.com/ 😀😀😀"),
    ("backslash", r"\\/ \\u0041 \\\u0041", r"\/ \u0041 \A"),
    ("backslash", r"\"http://e.com\"\n\t\q\'", '"http://e.com"\n\t\\q\''),
    (
        "backslash",
        r"\ud83d\u0041\ude00 \U00110000 \u12 \x1 \u{} \u{1234567}",
        "\ufffdA\ufffd \ufffd \\u12 \\x1 \\u{} \\u{1234567}",
    ),
    ("backslash", "\\", "\\"),
    ("latex", r"http://a.example/x\_y\%20\&z\#\$\{\}", "http://a.example/x_y%20&z#${}"),
    ("latex", r"/\~{}u/\textasciitilde{}v/\textasciitilde w\slash{}x", "/~u/~v/~w/x"),
    ("latex", r"/a{\_}b{\%}20{\&}c{\#}d{\$}{\{}{\}}", "/a_b%20&c#d${}"),
    ("latex", r"/{\textunderscore}1{\textasciitilde}u/{\textasciitilde }v{\~{}}w{\textasciitilde{}}x", "/_1~u/~v~w~x"),
    ("latex", r"/\_{}1\%{}20\textunderscore{}x\texttildelow y\textasciitilde\_", "/_1%20_x~y~_"),
    (
        "latex",
        r"{\_ } {\__} {a\_} {\\} {\\_} \{\_\} \\{\_} {\textasciitilde\_} {\texttildes} {",
        r"{_ } {__} {a_} {\\} {\\_} {_} \\_ {~_} {\texttildes} {",
    ),
    ("latex", r"\textasciitilde  u\textasciitilde", "~ u~"),
    (
        "latex",
        r"\\ \\_ \emph{x} \textasciitildes \~n \~{} \^{} \- \x",
        r"\\ \\_ \emph{x} \textasciitildes \~n ~ \^{} \- \x",
    ),
    ("latex", "\\", "\\"),
    ("cef", r"request=http://a.example/?x\=1\|2 cs1=a\\b\n\rc\d", "request=http://a.example/?x=1|2 cs1=a\\b\n\rc\\d"),
    ("cef", r"\\=", "\\="),
    ("syslog", "http://a.example/x#012y#011#000#177", "http://a.example/x\ny\t\0\x7f"),
    ("syslog", "http://a.example/#01 #9 #412 #040 #01", "http://a.example/#01 #9 #412 #040 #01"),
]


@pytest.mark.parametrize(("carrier", "text", "expected"), ROWS)
def test_meaning(carrier: str, text: str, expected: str) -> None:
    assert undone(text, carrier) == expected
    assert undone(text, carrier, list(range(1, len(text)))) == expected
    for place in range(len(text)):
        assert undone(text, carrier, [place]) == expected


MARKS = "& # x amp ; 5 % u D83D DE00 \\ / n u{ } 0 é 012 1 ~ {} slash = _ { {\\ _}"


@given(
    st.lists(st.sampled_from(MARKS.split())).map("".join),
    st.sampled_from(list(Carrier)),
    st.data(),
)
def test_cuts_change_nothing(text: str, carrier: Carrier, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    assert undone(text, carrier, cuts) == undone(text, carrier)


@given(strategies.noisy_texts())
def test_records_of_escaped_text_are_those_of_the_plain_one(text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    for carrier, carried in (
        ("html", html.escape(text)),
        ("backslash", json.dumps(text)[1:-1]),
        ("backslash", json.dumps(text, ensure_ascii=False)[1:-1].replace("/", "\\/")),
        (
            "percent-u",
            "".join(f"%u{ord(c):04X}" if c in ":/" else c for c in text) if "%u" not in text.lower() else text,
        ),
    ):
        plain = undone(carried, carrier) if carried == text else text
        assert list(extract(undone(carried, carrier))) == list(extract(plain))


@given(
    st.lists(
        st.sampled_from(["\\/", "\\u00e9", "x", "é", "\\\\", "\\ud83d\\ude00", "&NotEqualTilde;", "&lt;"]), max_size=40
    ),
    st.data(),
)
def test_the_way_back(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    carrier = data.draw(st.sampled_from([Carrier.HTML, Carrier.BACKSLASH]))
    unescaper = Unescaper(carrier, keep=10_000)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    new = "".join(unescaper.feed(text[a:b]) for a, b in pairwise([0, *cuts, len(text)])) + unescaper.close()
    assert unescaper.source_map is not None
    back = [unescaper.source_map.source(place) for place in range(len(new) + 1)]
    assert back[0] == 0
    assert back[-1] == len(text)
    assert back == sorted(back)
    for place, character in enumerate(new):
        piece = text[back[place] : back[place + 1]]
        if len(piece) == 1 and len(new) <= 1:
            assert piece == character
        if "&Not" not in text:
            assert undone(piece, carrier) == character


def test_forgetting() -> None:
    found = SourceMap()
    for place in range(10_000):
        found.replace(2 * place, 2 * place + 2, 1)
    found.forget(9_000)
    assert [found.source(place) for place in (9_000, 9_500, 9_999)] == [18_000, 19_000, 19_998]
    with pytest.raises(LookupError):
        found.source(8_999)


def test_the_way_back_to_bytes() -> None:
    data = "é http:\\/\\/e.com\\/ü http:\\/\\/e.com".encode()
    decoder = ByteDecoder()
    unescaper = Unescaper("backslash", keep=1_000)
    text = unescaper.feed(decoder.feed(data)) + unescaper.close()
    assert unescaper.source_map is not None
    assert decoder.offsets is not None
    way = ComposedMap(decoder.offsets, unescaper.source_map)
    spans = [way.span(record.start, record.end) for record in extract(text)]
    assert [data[start:end].decode() for start, end in spans] == ["http:\\/\\/e.com\\/ü", "http:\\/\\/e.com"]


def test_memory_is_that_of_what_is_kept() -> None:
    unescaper = Unescaper(Carrier.BACKSLASH, keep=1_000)
    tracemalloc.start()
    try:
        for _ in range(10):
            assert unescaper.feed("\\/" * 5_000) == "/" * 5_000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 700_000
    assert unescaper.source_map is not None
    assert unescaper.source_map.source(49_999) == 99_998
