"""Notations: what is written for a text is read as that text, and each character knows where it was written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urisieve.sources.bytes.carrier_notations import NOTATIONS

PIECES = st.sampled_from(
    [
        *("http://a.example/", "?b&c", "&amp;", "&", "#", "%u0041", "%", "u", "=", "=3D", "|", "\\", "\\n", '"', '""'),
        *("'", "~", "^", "_", "{", "}", "$", "<", ">", ",", ";", " ", "ä", "\U0001f600", "\t", "x" * 90),
    ]
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)


@pytest.mark.parametrize("name", NOTATIONS)
@given(text=TEXTS)
def test_what_is_written_for_a_text_is_read_as_that(name: str, text: str) -> None:
    notation = NOTATIONS[name]
    decoded = notation.decode(notation.encode(text))
    assert decoded.text == text


@pytest.mark.parametrize("name", NOTATIONS)
@given(text=TEXTS)
def test_each_character_knows_where_it_was_written(name: str, text: str) -> None:
    notation = NOTATIONS[name]
    written = notation.encode(text)
    decoded, source = notation.decode(written)
    ends = [0, *(source.source_end(offset) for offset in range(1, len(decoded) + 1))]
    assert ends == sorted(ends)
    for offset, character in enumerate(decoded):
        start, end = source.source(offset), source.source_end(offset + 1)
        assert 0 <= start < end <= len(written)
        if character not in written[start:end]:  # it is an escape, or a part of one
            assert character in notation.decode(written[start:end]).text or name in ("percent-u", "base64", "csv")


@pytest.mark.parametrize(
    ("name", "text", "written"),
    [
        ("html", "a?b&c<\"'", "a?b&amp;c&lt;&quot;&#x27;"),
        ("json", 'a"\\\n\x7fä', 'a\\"\\\\\\n\\u007fä'),
        ("percent-u", "a%20ä%u0041\U0001f600", "a%20%u00e4%u0025u0041%ud83d%ude00"),
        ("latex", "a_b%c~d\\", r"a\_b\%c\textasciitilde{}d\textbackslash{}"),
        ("cef", "a=b|c\\d\n", r"a\=b\|c\\d\n"),
        ("syslog", "a\tb#", "a#011b#"),
        ("csv", 'a,"b"', '"a,""b"""'),
        ("csv", "a b", "a b"),
        ("quoted-printable", "a=b ä", "a=3Db =C3=A4"),
        ("base64", "http://a.example/", "aHR0cDovL2EuZXhhbXBsZS8=\n"),
    ],
)
def test_notations(name: str, text: str, written: str) -> None:
    assert NOTATIONS[name].encode(text) == written
    assert NOTATIONS[name].decode(written).text == text


def test_a_text_that_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="no notation"):
        NOTATIONS["syslog"].encode("a#012b")
