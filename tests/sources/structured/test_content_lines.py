"""Calendars, cards and LDIF: unfolded, decoded, located, with their bytes, in files, archives and mail."""

from __future__ import annotations

import base64
import zipfile
from pathlib import Path

import pytest

from tests.helpers.doubling import assert_linear
from tests.helpers.readers import content_lines
from tests.sources.mail.mail_reading import by_place, read
from urisieve import extract_files
from urisieve.sources.bytes.lines import LINE_LIMIT
from urisieve.sources.containers.contents import Content
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.tally import Tally

B64 = base64.b64encode(b"see http://b.example/x").decode()
JPEG = base64.b64encode(b"\xff\xd8\xff\xe0\0\x10JFIF http://no.example/").decode()


def event(lines: str) -> str:
    return f"BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VEVENT\n{lines}\nEND:VEVENT\nEND:VCALENDAR\n"


def card(lines: str, version: str = "3.0") -> str:
    return f"BEGIN:VCARD\nVERSION:{version}\n{lines}\nEND:VCARD\n"


def entry(lines: str) -> str:
    return f"dn: cn=a,dc=example\n{lines}\n"


# Text; for each link its URI, its field, and how it stands in the file (None for what was decoded).
ROWS: list[tuple[str, list[tuple[str, str | None, str | None]]]] = [
    (event("URL:http://a.example/b"), [("http://a.example/b", "VEVENT.URL", "http://a.example/b")]),
    (event("url:http://a.example/b\n c\n\td"), [("http://a.example/bcd", "VEVENT.URL", "http://a.example/b\n c\n\td")]),
    (event("U\n RL:http://a.example/"), [("http://a.example/", "VEVENT.URL", "http://a.example/")]),
    (event("URL:\n http://a.example/\n "), [("http://a.example/", "VEVENT.URL", "http://a.example/")]),
    (event("URL:http://a.example/\n \n b"), [("http://a.example/b", "VEVENT.URL", "http://a.example/\n \n b")]),
    (
        event("DESCRIPTION:see http://a.example/\n  and https://b.example/\\nnext\\, http://c.example/\\,x"),
        [
            ("http://a.example/", "VEVENT.DESCRIPTION", "http://a.example/"),
            ("https://b.example/", "VEVENT.DESCRIPTION", "https://b.example/"),
            ("http://c.example/,x", "VEVENT.DESCRIPTION", "http://c.example/\\,x"),
        ],
    ),
    (
        event('ATTENDEE;CN="a: b";DIR="http://d.example/a;b":mailto:a@b.example'),
        [
            ("http://d.example/a;b", "VEVENT.ATTENDEE@DIR", "http://d.example/a;b"),
            ("mailto:a@b.example", "VEVENT.ATTENDEE", "mailto:a@b.example"),
        ],
    ),
    (
        event('ATTENDEE;DELEGATED-TO="mailto:a@b.example","mailto:c@b.example";MEMBER="a: b","urn:x-a:\n b":tel:+1'),
        [
            ("mailto:a@b.example", "VEVENT.ATTENDEE@DELEGATED-TO", "mailto:a@b.example"),
            ("mailto:c@b.example", "VEVENT.ATTENDEE@DELEGATED-TO", "mailto:c@b.example"),
            ("urn:x-a:b", "VEVENT.ATTENDEE@MEMBER", "urn:x-a:\n b"),
            ("tel:+1", "VEVENT.ATTENDEE", "tel:+1"),
        ],
    ),
    (
        "BEGIN:VALARM\nATTACH:ftp://a.example/\n x\nEND:VALARM\n",
        [("ftp://a.example/x", "VALARM.ATTACH", "ftp://a.example/\n x")],
    ),
    (event("ORGANIZER:MAILTO:a@b.example"), [("mailto:a@b.example", "VEVENT.ORGANIZER", "MAILTO:a@b.example")]),
    (
        event("BEGIN:VALARM\nATTACH;VALUE=URI:ftp://a.example/x\nEND:VALARM\nCONFERENCE:tel:+1-2"),
        [("ftp://a.example/x", "VALARM.ATTACH", "ftp://a.example/x"), ("tel:+12", "VEVENT.CONFERENCE", "tel:+1-2")],
    ),
    (event(f"ATTACH;ENCODING=BASE64;VALUE=BINARY:{JPEG[:20]}\n {JPEG[20:]}"), []),
    (
        event('X-ALT-DESC;FMTTYPE=text/html:<a href="http://a.example/?a\n &amp;b">x</a>'),
        [("http://a.example/?a&b", "VEVENT.X-ALT-DESC / a@href", "http://a.example/?a\n &amp;b")],
    ),
    (event("UID:a@b.example\nDTSTART:20260101T000000Z\nSUMMARY:a: b"), []),
    (event("http://a.example/broken"), [("http://a.example/broken", None, "http://a.example/broken")]),
    (" \n" + card("item1.URL:http\\://a.example/"), [("http://a.example/", "VCARD.URL", "http\\://a.example/")]),
    (card("NOTE:http\\://a.example/\\;x\\nb"), [("http://a.example/;x", "VCARD.NOTE", "http\\://a.example/\\;x")]),
    (
        card("PHOTO;VALUE=uri:http://a.example/p.jpg\nPHOTO;ENCODING=b:/9j/4AAQSkZJRgABAQAAAQABAAD"),
        [("http://a.example/p.jpg", "VCARD.PHOTO", "http://a.example/p.jpg")],
    ),
    (card("SOURCE:http://a.example/ä", "4.0"), [("http://a.example/%C3%A4", "VCARD.SOURCE", "http://a.example/ä")]),
    (
        card("NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:http://a.example/?x=3D=\nb=E4 c", "2.1"),
        [("http://a.example/?x=b%C3%A4", "VCARD.NOTE", None)],
    ),
    (card(f"NOTE;BASE64:{B64[:12]}\n {B64[12:]}\n", "2.1"), [("http://b.example/x", "VCARD.NOTE", None)]),
    (card(f"NOTE;ENCODING=BASE64:{B64[:12]}\n{B64[12:]}\n", "2.1"), [("http://b.example/x", "VCARD.NOTE", None)]),
    (card(f"NOTE;ENCODING=b:{B64.rstrip('=')}"), [("http://b.example/x", "VCARD.NOTE", None)]),
    # Folds of vCard 2.1 stand where there was a blank; not so in a URI.
    (card("NOTE:http://a.example/\n b", "2.1"), [("http://a.example/", "VCARD.NOTE", "http://a.example/")]),
    (card("NOTE:http://a.example/\n b"), [("http://a.example/b", "VCARD.NOTE", "http://a.example/\n b")]),
    (card("URL:http://a.example/\n b", "2.1"), [("http://a.example/b", "VCARD.URL", "http://a.example/\n b")]),
    (entry(f"url:: {B64}"), [("http://b.example/x", "url", None)]),
    (entry(f"url:: {B64[:8]}\n {B64[8:]}\njpegPhoto:: {JPEG}"), [("http://b.example/x", "url", None)]),
    (entry("labeledURI: http://a.example/\n c Me"), [("http://a.example/c", "labeledURI", "http://a.example/\n c")]),
    (entry("photo;binary:< file:///tmp/x"), [("file:///tmp/x", "photo", "file:///tmp/x")]),
    (
        "# extended LDIF\n# see http://a.ex\n ample/\n\nversion: 1\n" + entry("a: http\\://x"),
        [("http://a.example/", "#comment", "http://a.ex\n ample/")],
    ),
    (entry("changetype: modify\nadd: url\nurl: http://a.example/\n-"), [("http://a.example/", "url", "http://a.example/")]),
]  # fmt: skip
# What is none of these stays as it is.
BESIDE = [
    "a\nb\nc\nd\nBEGIN:VCALENDAR\nURL:http://a.example/b\n c\n",
    "BEGIN:VEVENTS\nURL:http://a.example/b\n c\n",
    "dn: text\nurl: http://a.example/b\n c\n",
    "dn: a=b\n\nurl http://a.example/b\n c\n",
    "# a list\ndn: a=b\nurl: http://a.example/b\n c\n",
]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r\r\n"])
@pytest.mark.parametrize(("text", "expected"), ROWS)
def test_rows(tmp_path: Path, text: str, expected: list[tuple[str, str | None, str | None]], end: str) -> None:
    data = text.replace("\n", end).encode()
    path = tmp_path / "a"
    path.write_bytes(data)
    found = [
        (one.uri, one.field, None if one.byte_start is None else data[one.byte_start : one.byte_end].decode())
        for one in extract_files([path])
    ]
    assert found == [(uri, field, None if raw is None else raw.replace("\n", end)) for uri, field, raw in expected]


@pytest.mark.parametrize("text", BESIDE)
def test_beside(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a"
    path.write_text(text)
    tally = Tally()
    assert [(one.uri, one.field) for one in extract_files([path], tally=tally)] == [("http://a.example/b", None)]
    assert set(tally.kinds) == {"text"}


WHOLE = "".join(text for text, _ in ROWS if text.startswith("BEGIN")).encode()


def _values(data: bytes, size: int, tally: Tally, *, is_ldif: bool = False) -> list[tuple[object, ...]]:
    blocks = (data[start : start + size] for start in range(0, len(data), size))
    content = Content(source="s", kind=Kind.CALENDAR, blocks=blocks)
    rows: list[tuple[object, ...]] = []
    for one in content_lines(content, tally=tally, is_ldif=is_ldif):
        text = "".join(one.text)
        way = one.offsets()
        span = None if way is None or not text else way.span(0, len(text))
        rows.append((one.place, text, one.delimited, span))
    return rows


@pytest.mark.parametrize("data", [WHOLE, WHOLE.replace(b"\n", b"\r\n"), "URL:http://a.example/ä".encode()])
def test_however_it_is_cut(data: bytes) -> None:
    whole = Tally()
    expected = _values(data, len(data), whole)
    for size in (1, 2, 7, 64):
        tally = Tally()
        assert _values(data, size, tally) == expected
        assert tally == whole


def test_a_fold_inside_a_character(tmp_path: Path) -> None:
    data = "BEGIN:VCARD\nURL:http://a.example/äöü\nEND:VCARD\n".encode()
    cut = data.replace("ö".encode(), b"\xc3\r\n \xb6")
    path = tmp_path / "a"
    path.write_bytes(cut)
    tally = Tally()
    (record,) = extract_files([path], tally=tally)
    assert record.uri == "http://a.example/%C3%A4%C3%B6%C3%BC"
    assert cut[record.byte_start : record.byte_end].endswith("ü".encode())
    assert not tally.broken


@pytest.mark.parametrize(
    ("text", "broken", "skipped"),
    [
        (event("a b"), {("line", "no-name"): 1}, {}),
        ("BEGIN:VCARD\n\n a http://a.example/\nEND:VCARD\n", {("line", "fold-at-start"): 1}, {}),
        (card("NOTE;ENCODING=X:http://a.example/"), {("line", "unknown-encoding"): 1}, {}),
        (card("NOTE;ENCODING=B:http://a.example/"), {("line", "bad-base64"): 1}, {}),
        ("BEGIN:VCARD\nURL:http://a.example/\n", {("line", "no-end"): 1}, {}),
        (card(f"PHOTO;ENCODING=B:{JPEG}"), {}, {("value", "binary"): 1}),
        (entry(f"jpegPhoto:: {JPEG}\nno colon"), {("line", "no-name"): 1}, {("value", "binary"): 1}),
        (f"{card('A:b')}-- \na footer\n", {}, {}),
    ],
)
def test_faults_are_counted(
    tmp_path: Path, text: str, broken: dict[tuple[str, str], int], skipped: dict[tuple[str, str], int]
) -> None:
    path = tmp_path / "a"
    path.write_text(text)
    tally = Tally()
    found = list(extract_files([path], tally=tally))
    assert (dict(tally.broken), dict(tally.skipped)) == (broken, skipped)
    assert len(found) == text.count("http://")
    assert not tally.is_unread


def test_values_beyond_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "a"
    folded = "\n ".join(["abc http://a.example/long/long/long/path"] * (LINE_LIMIT // 40 + 9))
    path.write_text(event(f"DESCRIPTION:{folded}\nURL:http://b.example/"))
    tally = Tally()
    found = {one.uri for one in extract_files([path], tally=tally)}
    assert found == {"http://a.example/long/long/long/pathabc", "http://b.example/"}
    assert tally.broken == {("value", "too-long"): 1}
    assert tally.is_unread
    path.write_text(event(f"DESCRIPTION:{'a' * (LINE_LIMIT + 300_000)} http://a.example/\nURL:http://b.example/"))
    tally = Tally()
    assert [one.uri for one in extract_files([path], tally=tally)] == ["http://a.example/", "http://b.example/"]
    assert set(tally.broken) <= {("line", "too-long")}  # by the blocks in which it comes


def test_in_archives_and_by_name(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("x", event("URL:http://a.example/b\n c"))
        archive.writestr("y.ldif", "# a\n" + entry("url: http://a.example/d\n e"))
    tally = Tally()
    found = list(extract_files([tmp_path / "a.zip"], tally=tally))
    assert [(one.uri, one.field) for one in found] == [
        ("http://a.example/bc", "VEVENT.URL"),
        ("http://a.example/de", "url"),
    ]
    assert tally.kinds == {"calendar": 1, "ldif": 1}


PART = event("URL:http://a.example/b\n c")
TYPES = [
    ("application/ics", "1 VEVENT.URL"),
    ("application/octet-stream; name=x", "1 VEVENT.URL"),
    ("text/calendar; charset=iso-8859-1", "1 VEVENT.URL"),
    ("text/vcard", "1 VEVENT.URL"),
    ("text/plain", "1 VEVENT.URL"),
    ("text/plain; format=flowed; delsp=yes", "1 VEVENT.URL"),
    ("text/x-other", "1 VEVENT.URL"),
]


@pytest.mark.parametrize("encoding", ["8bit", "base64"])
@pytest.mark.parametrize(("media", "where"), TYPES)
def test_in_mail(tmp_path: Path, media: str, where: str, encoding: str) -> None:
    body = base64.encodebytes(PART.encode()).decode() if encoding == "base64" else PART
    head = f"From: a@b.example\nTo: c@d.example\nContent-Type: {media}\nContent-Transfer-Encoding: {encoding}\n\n"
    path = tmp_path / "a.eml"
    path.write_text(head + body)
    tally = Tally()
    (record,) = extract_files([path], tally=tally)
    assert (record.uri, f"{record.part} {record.field}") == ("http://a.example/bc", where)
    assert not tally.broken
    if encoding == "8bit" and media.startswith("text/"):
        data = path.read_bytes()
        assert data[record.byte_start : record.byte_end] == b"http://a.example/b\n c"
        assert (record.line, record.column) == (4, 5)
    box = tmp_path / "a.mbox"
    box.write_text(f"From a@b.example Thu Aug 22 12:36:23 2002\n{head}{body}\n")
    assert [(one.uri, one.field) for one in extract_files([box])] == [("http://a.example/bc", "VEVENT.URL")]


def test_forms_of_one_message() -> None:
    text = f"--b\n\nhttp://a.example/bc\n--b\nContent-Type: text/calendar\n\n{PART}--b--\n"
    found, _ = read(f"Content-Type: multipart/alternative; boundary=b\n\n{text}".encode())
    assert by_place(found) == {"1": ["http://a.example/bc"]}


@pytest.mark.parametrize(
    "piece", ["URL:a\n", " b\n", "BEGIN:A\n", 'A;b="c', "A;b;c", "=\n", "\\", "<a ", "QUJD\n", "\xc3"]
)
def test_linear_time(piece: str) -> None:
    starts = ["BEGIN:VCARD\n", "BEGIN:VCARD\nA;QUOTED-PRINTABLE:=\n", "BEGIN:VCARD\nA;ENCODING=B:\n"]

    def run(data: bytes) -> None:
        for start in starts:
            assert _values(start.encode() + data, 65_536, Tally()) is not None

    assert_linear(run, lambda size: (piece * (size // len(piece))).encode("latin-1"), 120_000)


def test_html_of_a_value_in_mail_says_where_it_stands(tmp_path: Path) -> None:
    """The links of a page come many at once; those of a value keep its field and its line."""
    lines = 'BEGIN:VCALENDAR\nBEGIN:VEVENT\nX-ALT-DESC;FMTTYPE=text/html:<p><a href="http://h.example/">x</a></p>\n'
    (tmp_path / "a.eml").write_text(f"From: a@b.example\nMIME-Version: 1.0\nContent-Type: text/calendar\n\n{lines}")
    (tmp_path / "a.ics").write_text(lines)
    places = [(one.field, one.row) for one in extract_files([tmp_path / "a.eml", tmp_path / "a.ics"])]
    assert places == [("VEVENT.X-ALT-DESC / a@href", 3)] * 2
