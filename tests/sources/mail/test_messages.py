"""Messages: every transfer encoding and character set gives the records of the plain text, at their places; what the
standard library writes, and what it reads, is read the same; what is broken costs no more than itself.
"""

from __future__ import annotations

import base64
import email
import quopri
from collections.abc import Iterable, Iterator
from email.message import EmailMessage, Message
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.cli_support import call
from tests.helpers.doubling import assert_linear
from tests.helpers.readers import segments_of
from tests.sources.mail.mail_reading import by_place, message_documents, out_for, read, read_box, rows, uris
from tests.sources.mail.mail_reading import documents as documents_of
from urisieve import Options, extract, extract_blocks
from urisieve.sources.containers.contents import Content, Declared
from urisieve.sources.documents import Document, Segment
from urisieve.sources.mail.header_fields import unfold
from urisieve.sources.mail.mailboxes import MailboxMessage
from urisieve.sources.mail.messages import join_message
from urisieve.sources.mail.structured_fields import structured
from urisieve.sources.reading_options import ReadingOptions
from urisieve.sources.tally import Tally

# Words and links that many character sets have; a link never ends a line with a blank.
_WORDS = st.sampled_from(
    [
        "see",
        "http://e.example/a",
        "<https://e.example/b?c=d>",
        "(http://e.example/x.)",
        "mailto:a@e.example",
        "=3D",
        "=",
        "-- ",
        ">",
    ]
)
_OTHER = {
    "us-ascii": [],
    "utf-8": ["https://e.example/ä漢", "Привет", "\U0001f600"],
    "utf-16": ["https://e.example/ä漢", "Привет"],
    "utf-16-le": ["https://e.example/ä漢"],
    "iso-8859-1": ["https://e.example/äß", "é"],
    "windows-1252": ["https://e.example/äß", "“x”"],
    "koi8-r": ["https://e.example/путь", "Привет"],
    "windows-1251": ["https://e.example/путь"],
    "iso-2022-jp": ["https://e.example/日本", "漢字"],
    "shift_jis": ["https://e.example/日本", "漢字"],
    "euc-jp": ["https://e.example/日本"],
    "gb18030": ["https://e.example/漢字"],
    "big5": ["https://e.example/漢字"],
    "euc-kr": ["https://e.example/한국"],
}


@st.composite
def mailed_texts(draw: st.DrawFn) -> tuple[str, str]:
    charset = draw(st.sampled_from(sorted(_OTHER)))
    words = st.one_of(_WORDS, st.sampled_from(_OTHER[charset])) if _OTHER[charset] else _WORDS
    lines = draw(st.lists(st.lists(words, max_size=5).map(" ".join), max_size=6))
    return charset, "".join(f"{line}\n" for line in lines)


def encoded(data: bytes, encoding: str) -> bytes:
    if encoding == "base64":
        return base64.encodebytes(data)
    return quopri.encodestring(data) if encoding == "quoted-printable" else data


@given(mailed_texts(), st.sampled_from(["7bit", "8bit", "binary", "base64", "quoted-printable", ""]), st.booleans())
def test_every_encoding_gives_the_records_of_the_text(text: tuple[str, str], encoding: str, in_box: bool) -> None:
    charset, body = text
    if encoding == "quoted-printable" and charset.startswith("utf-16"):
        encoding = "base64"
    header = f"Content-Type: text/plain; charset={charset}\n"
    if encoding:
        header += f"Content-Transfer-Encoding: {encoding}\n"
    data = header.encode() + b"\n" + encoded(body.encode(charset), encoding)
    legacy = not (charset.startswith(("utf", "gb18030")) or body.isascii())
    expected = list(extract(body, options=Options(charset="legacy" if legacy else "unicode")))
    envelope = b"From a Mon Jan  1 00:00:00 2024\n" if in_box else b""
    found, tally = read_box(envelope + data) if in_box else read(data)
    assert [row.record for row in found] == expected
    assert not tally.broken
    for row in found:
        offsets = row.document.offsets()
        if encoding in ("base64", "quoted-printable") or charset == "iso-2022-jp":
            assert offsets is None
        else:
            assert offsets is not None
            start, end = offsets.span(row.record.start, row.record.end)
            raw = row.record.raw
            assert (envelope + data)[start:end] == raw.encode(
                "utf-16-be" if charset == "utf-16-be" else _codec(charset)
            )


@pytest.mark.parametrize("flow", ["", "; format=flowed", "; format=flowed; delsp=yes"])
@pytest.mark.parametrize("prefix", ["> ", ">> ", "> > ", ">", "# ", "AS> ", "| ", "[INFO] "])
def test_a_link_in_lines_with_a_prefix_is_that_of_text(prefix: str, flow: str) -> None:
    """K5: the places are those of the text as it is written."""
    body = f"{prefix}see <https://a.example/b/\n{prefix}c/d> x\n"
    for text in (body, f"Hello\n{body}\n", f"see <https://a.example/b/\n{prefix}c/d> x\n"):
        found, _ = read(f"Content-Type: text/plain{flow}\n\n{text}".encode())
        assert [row.record for row in found] == list(extract(text))
    assert [record.uri for record in extract(body)] == ["https://a.example/b/c/d"]


def _codec(charset: str) -> str:
    return "utf-16-le" if charset == "utf-16" else charset


@given(
    st.lists(st.sampled_from(["From http://e.example/a", ">From b", ">>From x", "c", ""]), max_size=8),
    st.text("aä漢", max_size=3),
)
def test_offsets_in_a_mailbox_count_what_was_unquoted(lines: list[str], path: str) -> None:
    body = "\n".join(f">{line}" if line.lstrip(">").startswith("From ") else line for line in lines)
    link = f"https://e.example/{path}"
    data = f"From a Mon Jan  1 00:00:00 2024\nContent-Type: text/plain\n\n{body}\n{link}\n".encode()
    found, _ = read_box(data, 50)
    assert found
    for row in found:
        offsets = row.document.offsets()
        assert offsets is not None
        start, end = offsets.span(row.record.start, row.record.end)
        assert data[start:end].decode() == row.record.raw
    assert found[-1].record.raw == link


def _leaves(message: Message) -> list[bytes]:
    leaves = [part.get_payload(decode=True) for part in message.walk() if not part.is_multipart()]
    assert all(isinstance(leaf, bytes) for leaf in leaves)
    return [leaf for leaf in leaves if isinstance(leaf, bytes)]


@st.composite
def trees(draw: st.DrawFn, depth: int = 3) -> Message:
    if depth == 0 or draw(st.booleans()):
        text = draw(
            st.sampled_from(
                ["http://e.example/1\n", "http://e.example/2?ä\n", "\n", "--\n", "--=\n\nhttp://e.example/3"]
            )
        )
        return MIMEText(text, draw(st.sampled_from(["plain", "x-other"])), "utf-8")
    outer = MIMEMultipart(draw(st.sampled_from(["mixed", "related", "signed"])))
    for _ in range(draw(st.integers(1, 3))):
        outer.attach(draw(trees(depth - 1)))
    return outer


@given(trees(), st.booleans())
def test_parts_are_those_of_the_standard_library(message: Message, crlf: bool) -> None:
    data = message.as_bytes()
    if crlf:
        data = data.replace(b"\n", b"\r\n")
    tally = Tally()
    documents = list(segments_of(documents_of(data, tally)))
    texts = ["".join(document.text) for document in documents if "header" not in (document.place.part or "")]
    expected = [leaf.decode() for leaf in _leaves(email.message_from_bytes(data))]
    assert [text.replace("\r\n", "\n") for text in texts if ".mime" not in text] == [
        text.replace("\r\n", "\n") for text in expected
    ]
    assert not tally.broken


def test_a_message_that_the_standard_library_writes() -> None:
    message = EmailMessage()
    message["Subject"] = "Größe: https://e.example/größe"
    message["Message-ID"] = "<1@e.example>"
    message["List-Unsubscribe"] = "<https://e.example/" + "very-long-" * 20 + ">"
    message.set_content("https://e.example/ä " + "x" * 200 + " http://e.example/" + "long/" * 40 + "\n")
    message.add_alternative('<a href="https://e.example/ä">ä</a><a href="http://e.example/h">x</a>\n', subtype="html")
    message.add_attachment(b"http://e.example/log\n", "application", "octet-stream", filename="größe.log")
    found, tally = read(message.as_bytes())
    assert by_place(found) == {
        "header:Subject": ["https://e.example/gr%C3%B6%C3%9Fe"],
        "header:List-Unsubscribe": ["https://e.example/" + "very-long-" * 20],
        "1.1": ["https://e.example/%C3%A4", "http://e.example/" + "long/" * 40],
        "1.2 a@href": ["http://e.example/h"],
        "2": ["http://e.example/log"],
    }
    assert {row.document.place.message_id for row in found} == {"1@e.example"}
    assert tally.read == {"message": 1, "part": 3, "html": 1}
    assert not tally.broken


def test_all_parts() -> None:
    message = EmailMessage()
    message.set_content("http://e.example/a\n")
    message.add_alternative('<a href="http://e.example/a">http://e.example/a</a>\n', subtype="html")
    assert len(read(message.as_bytes())[0]) == 1
    assert len(read(message.as_bytes(), ReadingOptions(mail_parts="all"))[0]) == 3


def test_the_same_link_twice_in_one_form_is_two() -> None:
    data = b"Content-Type: multipart/alternative; boundary=b\n\n--b\n\nhttp://a/ http://a/\n--b\n\nhttp://a/\n--b--\n"
    assert len(read(data)[0]) == 2


def test_a_later_part_is_no_form_of_what_an_earlier_one_holds() -> None:
    head = b"Content-Type: multipart/%s; boundary=%s\n\n"
    forms = head % (b"alternative", b"c") + b"--c\n\nhttp://p/\n--c\n\nhttp://y/\n--c--\n"
    parts = head % (b"mixed", b"m") + b"--m\n" + forms + b"--m\n\nhttp://y/\n--m--\n"
    data = head % (b"alternative", b"a") + b"--a\n" + parts + b"--a\n\nhttp://y/\n--a--\n"
    assert [row.record.uri for row in read(data)[0]] == ["http://p/", "http://y/", "http://y/"]


def test_two_messages_are_not_forms_of_one_content() -> None:
    data = b"From a Mon Jan  1 00:00:00 2024\nContent-Type: multipart/alternative; boundary=b\n\n--b\n\nhttp://a/\n--b--\n\n"
    assert len(read_box(data * 2)[0]) == 2


def test_attachments_are_handed_over() -> None:
    message = MIMEMultipart()
    message.attach(MIMEApplication(b"PK\x03\x04 something", Name="a.zip"))
    message.attach(MIMEApplication(b"http://e.example/text", "x-log"))
    seen: list[tuple[str, bytes, int]] = []

    def take(source: str, blocks: Iterable[bytes], *, within: Content, declared: Declared) -> Iterator[Document]:
        assert declared.media_type == "application/octet-stream"
        seen.append((source, b"".join(blocks), within.depth))
        yield Segment(source=source, text=("http://e.example/zip",)).document()

    out = out_for()
    out.run.documents = take  # type: ignore[method-assign,assignment]
    found = list(rows(message_documents(MailboxMessage(data=message.as_bytes()), out)))
    assert [(row.document.source, row.where, row.record.uri) for row in found] == [
        ("a.eml!a.zip", "1", "http://e.example/zip"),
        ("a.eml", "2", "http://e.example/text"),
    ]
    assert seen == [("a.eml!a.zip", b"PK\x03\x04 something", 1)]


def test_what_follows_a_cut_attachment_is_read() -> None:
    data = b"Content-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo\n\n"
    assert read(data)[1].broken == {}
    found, tally = read(data + b"Return-Path: <a@e.example>\n\nSee http://e.example/a\n")
    assert by_place(found) == {"1": ["http://e.example/a"]}
    assert tally.skipped == {("attachment", "image"): 1}
    assert tally.broken == {("part", "bad-base64"): 1}


@pytest.mark.parametrize("tail", [b" folded\n", b"\tfolded\nX: y\n", b"X-Y: http://b.example/\n", b"X: y\n", b""])
@pytest.mark.parametrize("size", range(19_996, 20_005))
def test_a_long_header_that_holds_nothing(size: int, tail: bytes) -> None:
    """So many fields without a link are skipped together; one of them, or a folded one, may end anywhere."""
    line = b"X-Nothing: here\n"
    fields = line * (size // len(line) - 1)
    fields += b"X: " + b"z" * (size - len(fields) - 4) + b"\n"
    data = fields + tail + b"Content-Transfer-Encoding: base64\n\n" + base64.encodebytes(b"http://a.example/")
    for message in (data, data.replace(b"\n", b"\r\n", 1)):
        found, tally = read(message)
        assert uris(found) == [*(["http://b.example/"] if b"//" in tail else []), "http://a.example/"]
        assert not tally.broken


@pytest.mark.parametrize(("size", "is_used"), [(70, True), (1_000, True), (1_001, False)])
def test_the_length_of_a_boundary(size: int, is_used: bool) -> None:
    boundary = b"b" * size
    part = b"Content-Transfer-Encoding: base64\n\n" + base64.encodebytes(b"http://a.example/")
    found, tally = read(
        b"Content-Type: multipart/mixed; boundary=%b\n\n--%b\n%b--%b--\n" % (boundary, boundary, part, boundary)
    )
    assert uris(found) == (["http://a.example/"] if is_used else [])
    assert bool(tally.broken) is not is_used


def test_every_field() -> None:
    data = b"Subject: www.e.example\nDate: Mon, 1 Jan 2024 10:00:00 +0000\nReferences: <a@b> c@d\n\nx"
    found = list(segments_of(message_documents(MailboxMessage(data=data), out_for(every_field=True))))
    parts = {document.place.part for document in found}
    assert parts == {"header:Subject", "header:Date", "header:References", "1"}
    texts = ["".join(document.text) for document in found]
    assert texts[2] == "       c@d".rjust(len(" <a@b> c@d"))


def test_a_file_that_is_too_long_is_cut() -> None:
    message = join_message([b"A: b\n\n", b"http://e.example/ " * 100], 40)
    assert (len(message.data), message.dropped) == (40, 1_766)
    tally = Tally()
    assert uris(rows(message_documents(message, out_for(tally)))) == ["http://e.example/"] * 2
    assert tally.messages == ["a.eml: 1,766 bytes at its end are not read"]


def test_faults_name_the_message_and_the_part() -> None:
    box = b"From a Mon Jan  1 00:00:00 2024\nA: b\n\n\n" * 3
    box += b"From a Mon Jan  1 00:00:00 2024\nContent-Type: multipart/mixed; boundary=b\n\n--b\n"
    box += b"Content-Type: text/plain; charset=x-none\n\n\xff\n--b--\n"
    _, tally = read_box(box)
    assert tally.messages == ["a.mbox: message 4: part 1: unknown charset"]
    _, tally = read_box(b"From a Mon Jan  1 00:00:00 2024\nContent-Type: multipart/mixed\n\nx\n\n" * 100)
    assert tally.broken == {("part", "no-boundary"): 100}
    assert len(tally.messages) == 20


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    list(rows(documents_of(data)))
    header = b"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n"
    for encoding in (b"base64", b"quoted-printable", b"x-uuencode", b"8bit"):
        list(rows(documents_of(header + b"Content-Transfer-Encoding: " + encoding + b"\n\n" + data)))


_PIECES = [
    b"Content-Type: multipart/mixed; boundary=b",
    b"Content-Type: multipart/alternative; boundary=bb",
    b"Content-Type: message/rfc822\n",
    b"Content-Type: text/html; charset=utf-7\n",
    b"Content-Transfer-Encoding: base64\n",
    b"Subject: =?utf-8?q?a=3D?=",
    b"http://e.example/\n",
    b"begin 644 x\n",
    b"aHR0cDovL2E=",
    b"<a href=",
    b"From x\n",
    b"\x00\xff",
    b"--bb",
    b"--b",
    b"--",
    b"\n",
    b"\r\n",
    b" ",
    b"=",
]


@given(st.lists(st.sampled_from(_PIECES), max_size=30).map(b"".join))
def test_any_pieces(data: bytes) -> None:
    for row in rows(documents_of(data)):
        assert row.record.uri


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (b" a", " a"),
        (b" a\n b", " a\n b"),
        (b" =?utf-8?q?a=20b_c?= d", " a b c d"),
        (b" =?UTF-8*en?Q?a?= =?utf-8?B?Yg==?=\n =?utf-8?b?Yw?= d", " abc d"),
        (b" =?utf-8?b?w6?=\r\n =?utf-8?b?Qg=?=", None),
        (b" =?iso-8859-1?q?=E4?=  x =?koi8-r?q?=C1?=", " ä  x а"),
        (b" x=?utf-8?q?a?=y", " xay"),
        (b" =?none?q?a?=", " a"),
        (b" =?utf-8?x?a?=", " =?utf-8?x?a?="),
        (b" =?utf-8?b?a?=", " =?utf-8?b?a?="),
        (b" =?utf-8?q?a", " =?utf-8?q?a"),
        ("ä漢".encode(), "ä漢"),
        (b"\xe4", "ä"),
    ],
)
def test_encoded_words(value: bytes, text: str | None) -> None:
    found = unfold(value)
    if text is not None:
        assert found.text == text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("; charset=utf-8", {"charset": "utf-8"}),
        ('; a="b;c\\"d" ; e = f', {"a": 'b;c"d', "e": "f"}),
        ("; a*0=b; a*1=c; a*2=d", {"a": "bcd"}),
        ("; a*2=d; a*0*=utf-8''%C3; a*1*=%A4", {"a": "äd"}),
        ("; a*=iso-8859-1'de'%E4", {"a": "ä"}),
        ("; a*=utf-8''%C3\udca4", {"a": "ä"}),
        ("; a=b; a=c; A=d", {"a": "b"}),
        ("; a=b; a*=utf-8''c", {"a": "c"}),
        ("; a*x=b; *=c; a*99999=d", {"a*x": "b", "*": "c", "a*99999": "d"}),
        (";;; a; =b", {}),
        ('; a="b', {"a": '"b'}),
        ("", {}),
    ],
)
def test_parameters(value: str, expected: dict[str, str]) -> None:
    assert structured(value).parameters == expected


_B = b"Content-Type: multipart/mixed; boundary=b\n\n"


@pytest.mark.parametrize(
    ("head", "unit"),
    [
        (b"", b"Subject: http://a/\n"),
        (b"", b"a"),
        (b"", b"a:\n"),
        (b"", b"\xff\n"),
        (b"Subject:", b" =?utf-8?q?"),
        (b"Subject:", b" =?utf-8?q?a?="),
        (b"Subject: x", b"\n "),
        (b"References:", b" <a"),
        (b"References:", b" http://a/"),
        (b"References: ", b"a"),
        (b"References: ", b"a:"),
        (b"References: <", b"a:a@"),
        (b"References: ", b"1<a@b>"),
        (b"Content-Type: text/plain", b"; a*1="),
        (b"Content-Type: text/plain", b'; a="'),
        (b"\xff\n", b"Content-Type: x\n\xff\n"),
        (_B, b"--b\n"),
        (_B, b"--b"),
        (_B, b"\n--b "),
        (_B, b"\n--b\n" + _B),
        (_B, b"--b\nContent-Type: message/rfc822\n\n"),
        (b"Content-Type: multipart/mixed\n\n", b"--a"),
        (b"Content-Type: multipart/mixed\n\n", b"--a \n"),
        (b"Content-Transfer-Encoding: base64\n\n", b"YQ==\n"),
        (b"Content-Transfer-Encoding: base64\n\n", b"! a\n"),
        (b"Content-Transfer-Encoding: quoted-printable\n\n", b"= \t"),
        (b"Content-Transfer-Encoding: quoted-printable\n\n", b"=\n"),
        (b"Content-Transfer-Encoding: x-uuencode\n\n", b"begin 644 x\n"),
        (b"\n", b">From \n"),
        (b"\n", b"-----BEGIN PGP\n"),
        (b"Content-Type: text/html\n\n", b"<a "),
    ],
    ids=repr,
)
def test_the_time_is_linear(head: bytes, unit: bytes) -> None:
    def run(data: bytes) -> int:
        return sum(1 for _ in documents_of(data))

    assert_linear(run, lambda size: head + unit * (size // len(unit)), 400_000)


@pytest.mark.parametrize(
    ("value", "options", "uri"),
    [
        ("see www.a.example", Options(schemeless="www"), "http://www.a.example/"),
        ("see ann@a.example", Options(email="addresses"), "mailto:ann@a.example"),
        ("see 10.1000/182", Options(bare="doi"), "doi:10.1000/182"),
        ("see hxxp[://]a.example", Options(refang="known-forms"), "http://a.example/"),
    ],
)
@pytest.mark.parametrize("box", ["", "From b@e.example Thu Jan  1 00:00:00 1970\n"], ids=["message", "mailbox"])
def test_header_fields_hold_what_has_no_colon_behind_a_scheme(value: str, options: Options, uri: str, box: str) -> None:
    data = f"{box}Date: Thu, 1 Jan 1970 00:00:00 +0000\nSubject: {value}\n\nbody\n".encode()
    assert [record.uri for record in extract_blocks("a", data, options=options)] == [uri]
    assert not list(extract_blocks("a", data))


@pytest.mark.parametrize("envelope", ["", "From a@b.example Mon Jan  1 00:00:00 2024\n"])
@pytest.mark.parametrize("accepted", ["addresses", "names", "defanged", "isbn", "addresses,names,defanged"])
@pytest.mark.parametrize("form", ["text", "csv"])
def test_rejections_of_a_page_in_mail_cost_nothing(form: str, accepted: str, envelope: str, tmp_path: Path) -> None:
    head = "From: a@b.example\nTo: c@d.example\nMIME-Version: 1.0\nContent-Type: text/html\n\n"
    images = "".join(f"<IMG SRC='http://i.example/{n}%zz' BORDER=0 WIDTH=0 HEIGHT=0 ALT='x'/>" for n in range(9))
    links = "".join(f"<table width=9><a title=t href=http://a.example/{n} class=c>x</a></table>" for n in range(9))
    path = tmp_path / "a"
    path.write_text(
        f"{envelope}{head}<html><body bgcolor=white>{images}{links}<p>see http://a.example/9</p></body></html>\n"
    )
    done = call("extract", "-f", form, "--fields", "uri", "--accept", accepted, str(path))
    assert (done.status, "9 rejected" in done.err) == (0, True)
    assert sorted(line for line in done.lines if "//a.example" in line) == [f"http://a.example/{n}" for n in range(10)]
