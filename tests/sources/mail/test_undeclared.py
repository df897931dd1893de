"""Mail whose content is not what its header says: read where the content proves it, else counted."""

from __future__ import annotations

import base64
import binascii
from itertools import chain
from pathlib import Path

import pytest

from tests.helpers.doubling import assert_linear
from tests.sources.mail.mail_reading import Row, by_place, read
from urisieve import ReadingOptions, extract_files
from urisieve.sources.mail.mailboxes import split_mbox
from urisieve.sources.mail.transfer import inline_parts, proved_text, seems_encoded
from urisieve.sources.tally import Tally

TEXT = b"see http://a.example/x and more of the text, to make some lines\nsee http://b.example/\n"
B64 = base64.encodebytes(TEXT)
FILE = b"".join(binascii.b2a_uu(b"see http://u.example/%d and text " % number) for number in range(2))
A = '<a href="http://a.example/?a&amp;b">x</a>'
CTE = b"Content-Transfer-Encoding: "
BOTH = ["http://a.example/x", "http://b.example/"]
TWO = {("header", "two-transfer-encodings"): 1}
SEEMS = {("part", "undeclared-encoding"): 1}
# Fields and body; what is found, by part; faults.
ROWS: list[tuple[bytes, bytes, dict[str, list[str]], dict[tuple[str, str], int]]] = [
    # HTML in plain text.
    (b"", f"\n<html><body>{A}</body></html>".encode(), {"1 a@href": ["http://a.example/?a&b"]}, {}),
    (b"Content-Type: text/plain\n", f"<p>{A}</p>".encode(), {"1 a@href": ["http://a.example/?a&b"]}, {}),
    (CTE + b"quoted-printable\n", f"<p>{A}".replace("=", "=3D").encode(), {"1 a@href": ["http://a.example/?a&b"]}, {}),
    (
        b"",
        f"http://t.example/\n<html>{A}</html>\nhttp://f.example/\n".encode(),
        {"1": ["http://t.example/", "http://f.example/"], "1 a@href": ["http://a.example/?a&b"]},
        {},
    ),
    (b"", b"<p> see http://a.example/?a&amp;b", {"1": ["http://a.example/?a&amp;b"]}, {}),
    (b"", b"<p> see <http://a.example/> </p>", {"1": ["http://a.example/"]}, {}),
    (b"", b"a <html> http://a.example/?a&amp;b </html>", {"1": ["http://a.example/?a&amp;b"]}, {}),
    (b"", b"x\n<html> http://a.example/?a&amp;b", {"1": ["http://a.example/?a&amp;b"]}, {}),
    # Quoted-printable and base64 without a field.
    (b"", b"http://a.example/?x=3D1=\n&y=3D2 b=E4\n", {"1": ["http://a.example/?x=1&y=2"]}, {}),
    (CTE + b"7bit\n", b"http://a.example/?x=3D1=\r\n&y=3D2\r\n", {"1": ["http://a.example/?x=1&y=2"]}, {}),
    (b"Content-Type: text/html\n", b'<a=\n href=3D"http://a.example/">', {"1 a@href": ["http://a.example/"]}, {}),
    (b"", b"http://a.example/?x=3D1 and a=3D\n=====\n", {"1": ["http://a.example/?x=3D1"]}, {}),
    (b"", b"http://a.example/?x=\n=====\n", {"1": ["http://a.example/?x="]}, {}),
    (b"", b"http://a.example/?x=3D1 y=\n&y=2 b=E4\n", {"1": ["http://a.example/?x=3D1"]}, SEEMS),
    (b"", B64, {"1": BOTH}, {}),
    (b"Content-Type: text/plain; format=flowed\n", b"\n" + B64.replace(b"\n", b"\r\n"), {"1": BOTH}, {}),
    (b"", B64 + b"\n-- \nhttp://f.example/\n", {"1": [*BOTH, "http://f.example/"]}, {}),
    (b"", b"Hello,\n" + B64, {}, {}),
    (b"", base64.b64encode(b"\0" * 60) + b"\nhttp://f.example/\n", {"1": ["http://f.example/"]}, {}),
    (b"", base64.encodebytes(bytes(range(200))), {}, SEEMS),
    # Two transfer encodings.
    (CTE + b"7bit\n" + CTE + b"quoted-printable\n", b"http://a.example/?x=3D1", {"1": ["http://a.example/?x=1"]}, TWO),
    (CTE + b"base64\n" + CTE + b"7bit\n", b"http://a.example/?x=3D1", {"1": ["http://a.example/?x=3D1"]}, TWO),
    (CTE + b"8bit\n" + CTE + b"base64\n", B64, {"1": BOTH}, TWO),
    (CTE + b"base64\n" + CTE + b"BASE64\n", B64, {"1": BOTH}, {}),
    # uuencode.
    (
        b"",
        b"http://b.example/\nbegin 644 a.txt\n" + FILE + b"`\nend\nhttp://c.example/\n",
        {"1": ["http://b.example/", "http://u.example/0", "http://u.example/1", "http://c.example/"]},
        {},
    ),
    (b"", b"begin 644 a\nhttp://b.example/\nend\n", {"1": ["http://b.example/"]}, {}),
    (
        b"",
        b"begin 644 a.txt\n" + FILE + b"http://b.example/\n",
        {"1": ["http://u.example/0", "http://u.example/1", "http://b.example/"]},
        {("part", "bad-uuencode"): 1},
    ),
    (b"", b"begin 644 a\nSEE ABOVE, AND HTTP\nhttp://b.example/\n", {"1": ["http://b.example/"]}, {}),
    (b"", b"begin-base64 644 a.txt\n" + B64 + b"====\nhttp://c.example/\n", {"1": [*BOTH, "http://c.example/"]}, {}),
    (b"", b"a\nbegin-base64 644 a.txt\n" + B64, {"1": BOTH}, {("part", "bad-uuencode"): 1}),
    (b"", b"begin-base64 644 a\nABCD\nhttp://c.example/\n", {"1": ["http://c.example/"]}, {}),
    # UTF-16 without a label.
    (b"Content-Type: text/html\n", A.encode("utf-16-le"), {"1 a@href": ["http://a.example/?a&b"]}, {}),
    (b"Content-Type: text/html\n", A.encode("utf-16-be"), {"1 a@href": ["http://a.example/?a&b"]}, {}),
    (b"", "http://a.example/ a".encode("utf-16"), {"1": ["http://a.example/"]}, {}),
    (b"", b"http://a.example/ \0\0", {"1": ["http://a.example/"]}, {}),
    # URLs over two lines.
    (
        b"Content-Location: http://a.example/lo\n ng/x.html\nContent-Type: text/html\n",
        b"<a href=y>",
        {"header:Content-Location": ["http://a.example/long/x.html"], "1 a@href": ["http://a.example/long/y"]},
        {},
    ),
    (
        b'Content-Type: message/external-body; access-type=URL;\n URL="http://a.example/\n  x"\n',
        b"Content-Type: text/plain\n\n",
        {"header:Content-Type": ["http://a.example/x"]},
        {},
    ),
    (b'Content-Type: text/plain; url="http://a.e/\n  x"\n', b"", {"header:Content-Type": ["http://a.e/"]}, {}),
]  # fmt: skip


def _bytes(rows: list[Row], data: bytes) -> list[bytes | None]:
    found = []
    for row in rows:
        way = row.document.offsets()
        span = None if way is None else way.span(row.record.start, row.record.end)
        found.append(None if span is None else data[span[0] : span[1]])
    return found


@pytest.mark.parametrize(("fields", "body", "expected", "broken"), ROWS)
def test_rows(
    tmp_path: Path, fields: bytes, body: bytes, expected: dict[str, list[str]], broken: dict[tuple[str, str], int]
) -> None:
    head = b"From: a@b.example\nTo: c@d.example\nSubject: x\n" + fields + b"\n"
    found, tally = read(head + body)
    assert by_place(found) == expected
    assert {key: number for key, number in tally.broken.items() if key[1] != "wrong-charset"} == broken
    for raw in _bytes(found, head + body):
        assert raw is None or raw.replace(b"\0", b"").startswith((b"http", b"y"))
    # With the kernel and in a mailbox, what is found is the same.
    box = tmp_path / "a.mbox"
    box.write_bytes(b"From a@b.example Thu Aug 22 12:36:23 2002\n" + head + body + b"\n")
    counts = Tally()
    assert sorted(one.uri for one in extract_files([box], tally=counts)) == sorted(chain(*expected.values()))
    assert {key: number for key, number in counts.broken.items() if key[1] != "wrong-charset"} == broken


def test_lines_behind_an_inline_part() -> None:
    body = b"a\nhttp://b.example/\nbegin 644 a.txt\n" + FILE + b"`\nend\nx http://c.example/\n"
    found, _ = read(b"Subject: x\n\n" + body)
    places = [row.document.position(row.record.start) for row in found if row.document.position is not None]
    assert places == [(8, 3)]


@pytest.mark.parametrize(
    "piece",
    [
        *(b"begin 644 a\n", b"<html>\n", b"<html></html>\n", b"begin 644 a\n" + FILE, b"<a", b"=\n", b"a=\n"),
        *(b"a=3D=\n", b"QUJD\n", b"QUJD" * 15 + b"\n"),
    ],
)
def test_linear_time(piece: bytes) -> None:
    def run(data: bytes) -> None:
        assert list(inline_parts(data)) is not None
        assert proved_text(data) is None or data
        assert seems_encoded(data) in (False, True)

    assert_linear(run, lambda size: piece * (size // len(piece)), 240_000)


ONE = b"From: a@b.example\nTo: c@d.example\nSubject: http://s.example/%d\n\nsee http://a.example/%d\n"
MMDF = b"\1\1\1\1\n" + ONE % (1, 1) + b"\1\1\1\1\n\1\1\1\1\nFrom a Mon Jan  1 00:00:00 2024\n" + ONE % (2, 2)
MMDF_BROKEN = MMDF.replace(b"see ", b"x \1\1\1\1\nsee ")
BABYL = (
    b"BABYL OPTIONS: -*- rmail -*-\nVersion: 5\nLabels:\nNote:   x\n\x1f\x0c\n0, unseen,,\n*** EOOH ***\n"
    + ONE % (1, 1)
    + b"\n\x1f\x0c\n1,,\n"
    + (ONE % (2, 2)).replace(b"\n\nsee", b"\n\n*** EOOH ***\nSubject: http://s.example/2\n\nsee")
    + b"\n\x1f"
)


@pytest.mark.parametrize("data", [MMDF, MMDF_BROKEN, MMDF + b"\1\1\1\1\n", BABYL, BABYL[:-2]])
@pytest.mark.parametrize("kind", ["auto", "mail"])
def test_other_mailboxes(tmp_path: Path, data: bytes, kind: str) -> None:
    path = tmp_path / "a"
    path.write_bytes(data)
    tally = Tally()
    found = list(extract_files([path], reading=ReadingOptions(input=kind), tally=tally))
    assert [(one.uri, one.message, one.part) for one in found] == [
        ("http://s.example/1", 1, "header:Subject"),
        ("http://a.example/1", 1, "1"),
        ("http://s.example/2", 2, "header:Subject"),
        ("http://a.example/2", 2, "1"),
    ]
    assert [data[one.byte_start : one.byte_end] for one in found] == [one.raw.encode() for one in found]
    assert not tally.broken
    for size in (1, 3, 50):
        blocks = [data[start : start + size] for start in range(0, len(data), size)]
        assert list(split_mbox(blocks)) == list(split_mbox([data]))


def test_messages_of_other_mailboxes_are_cut_at_the_limit() -> None:
    for data in (MMDF, BABYL):
        for size in (1, 10, 1000):
            blocks = [data[start : start + size] for start in range(0, len(data), size)]
            cut = list(split_mbox(blocks, limit=60))
            whole = list(split_mbox([data]))
            assert [one.offset for one in cut] == [one.offset for one in whole]
            assert all(one.dropped for one in cut)


def _attribute(number: int, value: bytes, level: int = 1) -> bytes:
    head = bytes([level]) + number.to_bytes(4, "little") + len(value).to_bytes(4, "little")
    return head + value + (sum(value) & 0xFFFF).to_bytes(2, "little")


def _property(kind: int, number: int, value: bytes) -> bytes:
    head = kind.to_bytes(2, "little") + number.to_bytes(2, "little")
    if kind == 3:
        return head + value
    return head + b"\1\0\0\0" + len(value).to_bytes(4, "little") + value + bytes(-len(value) % 4)


def _properties(*values: bytes) -> bytes:
    named = b"\3\0\0\x80" + bytes(16) + b"\1\0\0\0\4\0\0\0a\0\0\0" + b"\1\0\0\0"
    return (len(values) + 1).to_bytes(4, "little") + named + b"".join(values)


def _compressed(rest: bytes) -> bytes:
    """RTF whose first bytes are taken from the start of the dictionary."""
    start = b"{\\rtf1\\ansi"
    packed = b"\1" + ((0 << 4) | (len(start) - 2)).to_bytes(2, "big") + rest[:7]
    for offset in range(7, len(rest), 8):
        packed += b"\0" + rest[offset : offset + 8]
    size = (len(start) + len(rest)).to_bytes(4, "little")
    return (len(packed) + 12).to_bytes(4, "little") + size + b"LZFu" + bytes(4) + packed


SIGN = b"\x78\x9f\x3e\x22\1\0"
INNER = bytes(16) + SIGN + _attribute(0x2800C, b"http://i.example/\0")
TNEF = (
    SIGN
    + _attribute(0x69007, b"\xe3\4\0\0\0\0\0\0")  # code page 1251
    + _attribute(0x69003, _properties(_property(3, 0x17, b"\1\0\0\0"),
        _property(0x1F, 0x1000, "http://a.example/ä\0".encode("utf-16-le")),
        _property(0x102, 0x1013, b'<html><a href="http://h.example/?a&amp;b">http://a.example/%C3%A4</a>'),
        _property(0x102, 0x1009, _compressed(b' {\\*\\fldinst HYPERLINK "http://r.example/"}}'))))
    + _attribute(0x69002, bytes(14), 2)
    + _attribute(0x6800F, b"see http://f.example/", 2)
    + _attribute(0x18010, b"a.txt\0", 2)
    + _attribute(0x69002, bytes(14), 2)
    + _attribute(0x69005, _properties(_property(0xD, 0x3701, INNER)), 2)
)  # fmt: skip
HEADER = b"From: a@b.example\nTo: c@d.example\nMIME-Version: 1.0\n"
WINMAIL = (
    HEADER + b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nhello\n--b\n"
    b"Content-Type: %b; name=winmail.dat\nContent-Transfer-Encoding: base64\n\n%b\n--b--\n"
)


@pytest.mark.parametrize("media", [b"application/ms-tnef", b"application/octet-stream", b"application/vnd.ms-tnef"])
def test_winmail(media: bytes) -> None:
    found, tally = read(WINMAIL % (media, base64.encodebytes(TNEF)))
    assert by_place(found) == {
        "2.1": ["http://a.example/%C3%A4"],
        "2.2 a@href": ["http://h.example/?a&b"],
        "2.3": ["http://r.example/"],
        "2.4": ["http://f.example/"],
        "2.5.1": ["http://i.example/"],
    }
    assert not tally.broken


def test_damaged_winmail() -> None:
    for size in range(len(TNEF)):
        found, tally = read(WINMAIL % (b"application/ms-tnef", base64.encodebytes(TNEF[:size])))
        assert len(found) <= 5
        at_end = size < 4 or not tally.broken
        assert at_end or tally.broken == {("part", "bad-tnef"): 1}
