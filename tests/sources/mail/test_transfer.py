"""Transfer encodings and character sets: what is broken in them costs no more than itself."""

from __future__ import annotations

import base64
import binascii
import quopri
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.doubling import assert_linear
from urisieve.sources.bytes.charsets import Label, decode_text, html_label, local_offsets
from urisieve.sources.mail.transfer import decode_transfer

pytestmark = pytest.mark.once

_LINE = base64.b64encode(b"x" * 57)


@pytest.mark.parametrize(
    ("encoding", "body", "data", "fault", "stray"),  # None: as it is
    [
        ("", b"a=3D", b"a=3D", None, b""),
        ("8bit", b"\xff", b"\xff", None, b""),
        ("x-none", b"a", b"a", "unknown-transfer-encoding", b""),
        ("quoted-printable", b"a=3Db=3d=\nc", b"a=b=c", None, b""),
        ("quoted-printable", b"a= \t\r\nb=  ", b"ab", None, b""),
        ("quoted-printable", b"a=zz=", b"a=zz", None, b""),
        ("base64", b"YQ==", b"a", None, b""),
        ("base64", b" YQ\r\n==\r\n\r\n", b"a", None, b""),
        ("base64", b"YQ", b"a", "bad-base64", b""),
        ("base64", b"YWJjZ", b"abc", "bad-base64", b""),
        ("base64", b"YQ==\nYg==\n", b"ab", "bad-base64", b""),
        ("base64", _LINE + b"\n!" + _LINE, b"x" * 114, "bad-base64", b""),
        (
            "base64",
            b"YQ==\n_____\na list\nhttp://e.example/\n",
            b"a",
            "bad-base64",
            b"_____\na list\nhttp://e.example/\n",
        ),
        ("base64", b"YQ==\na text\n" + _LINE, b"a" + b"x" * 57, "bad-base64", b"a text\n"),
        ("base64", b"=====", b"", "bad-base64", b""),
        ("base64", b"\x0c", b"", "bad-base64", b""),
        ("base64", b"eHh4eA==eHg=YQ==", b"xxxxxxa", "bad-base64", b""),
        ("base64", _LINE + b" " + _LINE + b"!!!", b"x" * 114, "bad-base64", b""),
        ("base64", _LINE[:30] + b"\n\n" + _LINE[30:] + b"\n" + _LINE + b"!", b"x" * 114, "bad-base64", b""),
        ("base64", b"", b"", None, b""),
        ("x-uuencode", b"begin 644 a\n#86)C\n`\nend\n", b"abc", None, b""),
        ("x-uuencode", b"a\nbegin 644 a\n#86)C\n", b"a\nabc", "bad-uuencode", b""),
        ("x-uuencode", b"no beginning", b"no beginning", "bad-uuencode", b""),
        ("x-uuencode", b"#86)C\r\n`\r\nend\r\n", b"abc", "bad-uuencode", b""),
        ("x-uuencode", b"a\nbegin-base64 644 a\nYWJj\nYQ==\n====\nb\n", b"a\nabcab\n", None, b""),
        ("x-uuencode", b"begin-base64 644 a\nYWJj\n", b"abc", "bad-uuencode", b""),
        ("x-none", b"eHh4eHh4eHh4eHh4eHh4eHh4\n", b"x" * 18, "unknown-transfer-encoding", b""),
        ("x-none", b"/////////////////////w==\n", b"\xff" * 16, "unknown-transfer-encoding", b""),
        ("x-none", b"a=3Db=\nc", b"a=bc", "unknown-transfer-encoding", b""),
        ("x-none", b"a=3Db=zz=\nc", b"a=3Db=zz=\nc", "unknown-transfer-encoding", b""),
        ("x-none", b"eHh4eHh4eHh4eHh4eHh4eHh4\neHh4\neHh4eHh4\n", None, "unknown-transfer-encoding", b""),
    ],
)
def test_bodies(encoding: str, body: bytes, data: bytes | None, fault: str | None, stray: bytes) -> None:
    found = decode_transfer(body, encoding)
    assert (found.data, found.fault, found.stray) == (body if data is None else data, fault, stray)


@given(st.binary(max_size=500), st.sampled_from([b"\n", b"\r\n"]))
def test_what_was_encoded_is_decoded(data: bytes, end: bytes) -> None:
    encoded = base64.encodebytes(data).replace(b"\n", end)
    assert decode_transfer(encoded, "base64").whole == data
    assert decode_transfer(binascii.b2a_qp(data, istext=False), "quoted-printable").whole == data
    lines = data.replace(b"\r", b"").replace(b"\n", end)  # of text, the encoder gives all lines the end of the first
    assert decode_transfer(quopri.encodestring(lines), "quoted-printable").whole == lines
    parts = [binascii.b2a_uu(data[start : start + 45]) for start in range(0, len(data), 45)]
    assert decode_transfer(b"begin 644 x\n" + b"".join(parts) + b"`\nend\n", "x-uuencode").data == data


_MANY = [
    f"line {number:02} of a message, with a link: http://a.example/{number:02}".ljust(57, ".").encode()
    for number in range(20)
]


@given(
    st.integers(0, 20 * 77 - 1),
    st.integers(0, 3),
    st.sampled_from([b"", b"A", b"=", b"(", b"\0", b" ", b"\n", b"\r", b"--", b"ABCD"]),
    st.sampled_from([b"\n", b"\r\n"]),
)
def test_damage_costs_its_line(at: int, lost: int, more: bytes, end: bytes) -> None:
    encoded = base64.encodebytes(b"".join(_MANY))
    damaged = encoded[:at] + more + encoded[at + lost :]
    found = decode_transfer(damaged.replace(b"\n", end), "base64").whole
    assert sum(line not in found for line in _MANY) <= (2 if b"\n" in encoded[at - 1 : at + lost + 1] else 1), damaged


@given(st.binary(max_size=60), st.sampled_from(["base64", "quoted-printable", "x-uuencode"]))
def test_any_bytes(data: bytes, encoding: str) -> None:
    decode_transfer(data, encoding)
    decode_transfer(b"begin 644 x\n" + data, encoding)


@pytest.mark.parametrize("encoding", ["base64", "quoted-printable", "x-uuencode"])
@pytest.mark.parametrize(
    "unit", [b"=", b"= ", b"YQ==", b"YQ==\n", b"! a\n", b"a b\n", b"begin 644 x\n", b"#86)C\n", b"\n"], ids=repr
)
def test_the_time_is_linear(unit: bytes, encoding: str) -> None:
    assert_linear(lambda data: decode_transfer(data, encoding), lambda size: unit * (size // len(unit)), 200_000)


@pytest.mark.parametrize(
    ("data", "label", "text", "legacy", "outcome"),
    [
        (b"a", None, "a", False, Label.MISSING),
        ("ä".encode(), None, "ä", False, Label.MISSING),
        (b"\xe4 \x80", None, "ä €", True, Label.MISSING),
        (b"a", "us-ascii", "a", False, Label.USED),
        ("ä".encode(), "US-ASCII", "ä", False, Label.WRONG),
        ("ä".encode(), "iso-8859-1", "ä", False, Label.WRONG),
        ("ä".encode(), "windows-1252", "ä", False, Label.WRONG),
        ("漢".encode(), "win-1251", "漢", False, Label.WRONG),
        ("ä".encode() + b" \xe4", "iso-8859-1", "Ã¤ ä", True, Label.USED),
        ("เขต".encode("cp874"), "tis-620", "เขต", True, Label.USED),
        ("漢".encode(), "utf8mb4", "漢", False, Label.USED),
        (b"\xe4", "us-ascii", "ä", True, Label.WRONG),
        (b"\x80", "iso-8859-1", "€", True, Label.USED),
        (b"a", "iso-8859-1", "a", False, Label.USED),
        ("ä".encode(), "koi8-r", "ä", False, Label.WRONG),
        (b"\xe4 a", "utf-8", "\udce4 a", False, Label.WRONG),
        ("漢".encode("gb18030"), "gb2312", "漢", False, Label.USED),
        ("漢".encode("cp932"), "x-sjis", "漢", True, Label.USED),
        ("漢".encode(), "euc-jp", "漢", False, Label.WRONG),
        ("ä".encode("utf-16"), "utf-16", "ä", False, Label.USED),
        ("a".encode("utf-16-be"), "utf-16", "a", False, Label.USED),
        (b"+AOQ-", "utf-7", "ä", False, Label.USED),
        (b"+AOQ-", "unicode-1-1-utf-7", "ä", False, Label.USED),
        (b"\xe4", '"windows-1252"', "ä", True, Label.USED),
        (b"\xe4", "win-1251", "д", True, Label.USED),
        (b"\xef\xbb\xbfa", "utf-8", "a", False, Label.USED),
        (b"a", "x-unknown", "a", False, Label.UNKNOWN),
        (b"a", "base64", "a", False, Label.UNKNOWN),
        (b"a", "idna", "a", False, Label.UNKNOWN),
        (b"a", "a" * 1_000, "a", False, Label.UNKNOWN),
        (b"a", "", "a", False, Label.UNKNOWN),
        (b"a", "\x00\ud800", "a", False, Label.UNKNOWN),
    ],
)
def test_labels(data: bytes, label: str | None, text: str, legacy: bool, outcome: Label) -> None:
    found = decode_text(data, label)
    assert (found.text, found.legacy, found.label) == (text, legacy, outcome)


@given(
    st.binary(max_size=80),
    st.sampled_from([None, "utf-8", "utf-16", "big5", "shift_jis", "koi8-r", "x", "iso-2022-jp", "utf-7"]),
)
def test_any_bytes_in_any_set(data: bytes, label: str | None) -> None:
    found = decode_text(data, label)
    offsets = local_offsets(data, found.codec)
    if offsets is not None:
        assert offsets.length == len(found.text)
        assert offsets.source(len(found.text)) == len(data)


def test_a_guess_keeps_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the detector and without it: links of ASCII are never lost to a guess."""
    for data in (b"http://e.example/ \xe4\xf6\xfc", "http://e.example/ Привет, как дела? Всё хорошо".encode("koi8-r")):
        assert "http://e.example/ " in decode_text(data, None).text
    pytest.importorskip("charset_normalizer")
    text = "Съешь ещё этих мягких французских булок, да выпей же чаю. " * 5
    assert decode_text(text.encode("cp1251"), None).text == text
    monkeypatch.setitem(sys.modules, "charset_normalizer", None)
    assert decode_text(text.encode("cp1251"), None).codec == "cp1252"


@pytest.mark.parametrize(
    ("data", "label"),
    [
        (b'<meta charset="koi8-r">', "koi8-r"),
        (b"<html><META http-equiv='Content-Type' content='text/html; charset=windows-1251'>", "windows-1251"),
        (b"<meta charset=utf-16>", "utf-8"),
        (b"<meta name=x><p charset=y>", None),
        (b" " * 1_004 + b"<meta charset=x-user", "x-user"),
        (b" " * 1_004 + b"<meta charset=x-users", "x-user"),
        (b" " * 1_024 + b"<meta charset=koi8-r>", None),
        (b"", None),
    ],
)
def test_what_html_says_of_its_set(data: bytes, label: str | None) -> None:
    assert html_label(data) == label
