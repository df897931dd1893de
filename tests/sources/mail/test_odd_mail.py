"""Mail as it comes: what it is by its fields, how they name encodings and parts, what is signed; in both engines."""

from __future__ import annotations

import base64
import random
import shutil
import subprocess
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.cli_support import call
from tests.helpers.odd_mail import CARRIERS, ENCODED, SPELLINGS, OddMail, indefinite, odd_mails, signed, tlv
from tests.helpers.readers import read_by_kernel
from urisieve import ReadingOptions, extract_blocks, extract_files
from urisieve.sources.containers.limits import Limits
from urisieve.sources.kinds.mail_signs import LONGEST_HEADER
from urisieve.sources.mail.structured_fields import structured
from urisieve.sources.tally import Tally

TEXT = b"see http://a.example/?x=1&y=2 in a text that has a line or two,\nand http://b.example/?z=3 too\n"
LINKS = ["http://a.example/?x=1&y=2", "http://b.example/?z=3"]
ENGINES = pytest.mark.parametrize("by_kernel", [True, False], ids=["kernel", "python"])
HEAD = b"From: a@b.example\nTo: c@d.example\n"


def found(name: str, data: bytes, *, size: int = 0, tally: Tally | None = None, **reading: Any) -> list[str]:
    """The links of a file that comes in blocks of a size, or whole."""
    pieces = [data[start : start + size] for start in range(0, len(data), size)] if size else [data]
    records = extract_blocks(name, pieces, reading=ReadingOptions(**reading), tally=tally)
    return [record.uri for record in records]


# ---- Fields.


@ENGINES
@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize(("name", "spelling"), [(name, one) for name, some in SPELLINGS.items() for one in some])
def test_spellings_of_encodings(name: str, spelling: str, carrier: str, by_kernel: bool) -> None:
    field = f"Content-Type: text/plain; charset=utf-8 (x)\nContent-Transfer-Encoding: {spelling}\n".encode()
    data = CARRIERS[carrier](field, ENCODED[name](TEXT))
    with read_by_kernel(by_kernel):
        for size in (0, 7):
            tally = Tally()
            assert found(carrier, data, size=size, tally=tally) == LINKS
            is_unknown = spelling.partition(" ")[0] in ("x-odd", "mime")
            assert set(tally.broken) == ({("part", "unknown-transfer-encoding")} if is_unknown else set())


@pytest.mark.parametrize(
    ("text", "value", "parameters"),
    [
        ("a/b", "a/b", {}),
        (" a/b ; c = d ", "a/b", {"c": "d"}),
        ('"a/b"; c="d;e"', "a/b", {"c": "d;e"}),
        ('(x) a/(y)b(z);(u) c(v)=(w)"d"(x)', "a/ b", {"c": "d"}),
        ("a (b (c) d) ; e=f", "a", {"e": "f"}),
        (r"a (b \) c \( d) ; e=f", "a", {"e": "f"}),
        ('a ("); c=d', "a", {"c": "d"}),
        ('a; c="(d)"', "a", {"c": "(d)"}),
        ("a; c=d(1).e; f=g", "a", {"c": "d(1).e", "f": "g"}),
        ("a; c=d (1)", "a", {"c": "d"}),
        ("a (b; c=d", "a (b", {"c": "d"}),
        ("a; b=(((; c=d", "a", {"b": "(((", "c": "d"}),
        ("", "", {}),
        ("()", "", {}),
        ("a" * 70_000 + "; b=c", "a" * 65_536, {}),
    ],
)
def test_structured_fields(text: str, value: str, parameters: dict[str, str]) -> None:
    assert structured(text)[:2] == (value, parameters)


@pytest.mark.parametrize("piece", ["(", ")", "(a)", '"', "\\", "a(", '("', "a;b=c("])
def test_structured_fields_of_any_length(piece: str) -> None:
    text = piece * (60_000 // len(piece))
    assert structured(text).value is not None  # in linear time, as all tests have a limit
    assert structured(f'a; x="y"; {text}').parameters["x"] == "y"


@ENGINES
def test_links_in_comments(by_kernel: bool) -> None:
    fields = b"Content-Disposition: attachment (see http://a.example/); filename*=utf-8''a%20b (http://b.example/)\n"
    with read_by_kernel(by_kernel):
        for carrier, around in CARRIERS.items():
            assert found(carrier, around(fields, b"x\n")) == ["http://a.example/", "http://b.example/"]


@ENGINES
@pytest.mark.parametrize("label", ["iso-8859-1", "us-ascii", "utf-8"])
def test_utf_8_in_encoded_words_under_another_label(label: str, by_kernel: bool) -> None:
    with read_by_kernel(by_kernel):
        for carrier in ("a.eml", "a.mbox"):
            tally = Tally()
            fields = f"X-Link: =?{label}?q?http=3A//a.example/=C3=A4?=\n".encode()
            assert found(carrier, CARRIERS[carrier](fields, b"x\n"), tally=tally) == ["http://a.example/%C3%A4"]
            assert tally.broken == ({} if label == "utf-8" else {("header", "wrong-charset"): 1})


STRUCTURES = [
    *("text/html; boundary=B", "text/plain; boundary=B", "multipart; boundary=B", "multipart; (x) boundary=(y)B"),
    *(
        "text/plain; charset=utf-8",
        "text/html",
        "multipart/mixed (x); boundary=B (y)",
        "",
        "(x) multipart/mixed; boundary=B",
    ),
    "text; boundary=no",
    *("application/octet-stream; boundary=B", "application/octet-stream"),
]


@ENGINES
@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("kind", STRUCTURES)
def test_the_structure_is_what_the_body_shows(kind: str, carrier: str, by_kernel: bool) -> None:
    part = b"Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n" + base64.encodebytes(TEXT)
    data = CARRIERS[carrier](f"Content-Type: {kind}\n".encode() if kind else b"", b"--B\n" + part + b"\n--B--\n")
    with read_by_kernel(by_kernel):
        tally = Tally()
        assert found(carrier, data, tally=tally) == LINKS
        is_declared = "multipart/mixed" in kind
        assert tally.broken == ({} if is_declared else {("part", "undeclared-multipart"): 1})


@ENGINES
@pytest.mark.parametrize(
    "body",
    [
        b"-- \nContent-Type: a signature\n\nsee %s\n" % LINKS[0].encode(),
        b"--B\nno field\n\nsee %s\n" % LINKS[0].encode(),
        b"a\n--B\nContent-Type: text/html\n\n<a href='x'>%s\n" % LINKS[0].encode(),
    ],
)
def test_text_that_has_no_parts(body: bytes, by_kernel: bool) -> None:
    with read_by_kernel(by_kernel):
        for carrier, around in CARRIERS.items():
            tally = Tally()
            assert found(carrier, around(b"Content-Type: text/plain\n", body), tally=tally) == LINKS[:1]
            assert not tally.broken


@ENGINES
@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("label", ["iso-8859-1", "ISO-8859-15 (x)", "windows-1252", "cp1251", "us-ascii", "utf-8"])
@pytest.mark.parametrize("kind", ["text/plain", "text/html"])
@pytest.mark.parametrize("name", ["8bit", "base64"])
def test_utf_8_under_another_label(label: str, kind: str, name: str, carrier: str, by_kernel: bool) -> None:
    body = ENCODED[name]("<a href='http://a.example/ä'>日</a>\n".encode())
    fields = f"Content-Type: {kind}; charset={label}\nContent-Transfer-Encoding: {name}\n".encode()
    with read_by_kernel(by_kernel):
        tally = Tally()
        assert found(carrier, CARRIERS[carrier](fields, body), tally=tally) == ["http://a.example/%C3%A4"]
        assert tally.broken == ({} if label == "utf-8" else {("part", "wrong-charset"): 1})
        # What is in the set is read in the set.
        legacy = CARRIERS[carrier](
            b"Content-Type: text/plain; charset=iso-8859-1\n", "http://a.example/ä é".encode("latin-1")
        )
        tally = Tally()
        assert found(carrier, legacy, tally=tally) == ["http://a.example/%C3%A4"]
        assert not tally.broken


# ---- What a file is.

B64 = b"Content-Transfer-Encoding: base64\n\n" + base64.encodebytes(TEXT)
NAMES = b",\n ".join(b"Name %d <n%d@a.example>" % (number, number) for number in range(400))
KEY = b"\n ".join(base64.b64encode(random.Random(1).randbytes(48)) for _ in range(200))
TRACES = b"".join(
    b"Received: from a%d.example\n by b.example; Thu, 22 Aug 2002 12:36:23 +0000\n" % one for one in range(99)
)
# What precedes the field of the encoding; whether the content alone shows a message.
BEGINNINGS = [
    (b"", False),
    (b"Subject: x\n", False),
    (b"X-Odd: x\n", False),
    (b"Odd: x\n", False),
    (b"odd line\nSubject: x\n", False),
    (TRACES, False),
    (TRACES + b"Subject: x\n", True),
    (b"To: " + NAMES + b"\nFrom: x\n", True),
    (b"To: " + NAMES * 40 + b"\nFrom: x\n", True),
    (b"DKIM-Signature: v=1;\n b=" + KEY + b"\nFrom: x\n", True),
    (b"X-Long: " + b"x" * 300_000 + b"\nFrom: x\nTo: y\n", True),
    (b"\xef\xbb\xbf\n\nTo: " + NAMES + b"\r\nFrom: x\r\n", True),
]


@pytest.mark.sampled(31)
@pytest.mark.parametrize(("head", "is_sure"), BEGINNINGS)
@pytest.mark.parametrize("size", [0, 1, 3_000, 5_000, 100_000])
def test_mail_by_its_fields(tmp_path: Path, head: bytes, is_sure: bool, size: int) -> None:
    data = head + B64
    if size == 1 and len(data) > 20_000:
        size = 999
    for name in ("a.eml", "a.EML", "a.eml.gz", "a.mht", "a"):
        tally = Tally()
        kind = "mail" if is_sure or name != "a" else "text"
        assert found(name, data, size=size, tally=tally) == (LINKS if kind == "mail" else []), name
        assert tally.kinds == {kind: 1}
    if not size:
        (tmp_path / "a").write_bytes(data)
        for jobs in (1, 2):
            assert [one.uri for one in extract_files([tmp_path / "a"], jobs=jobs)] == (LINKS if is_sure else [])
    attached = CARRIERS["part.eml"](
        b"Content-Type: application/octet-stream\nContent-Transfer-Encoding: base64\n", base64.encodebytes(data)
    )
    assert found("b.eml", attached, size=size) == (LINKS if is_sure else [])


# What is no mail, though its name says so, or its first line looks like it.
NO_MAIL = [
    ("a.eml", b"see http://a.example/ here\n", "text (not mail)"),
    ("a.eml", b"http://a.example/\n\nx\n", "text (not mail)"),
    ("a.eml", b"<html><a href='http://a.example/'>x</a>", "html (not mail)"),
    ("a.eml", b'{"u": "http://a.example/"}', "json (not mail)"),
    ("a", b"references:\n" + b"  - x: y\n" * 9_000 + b"  - url: http://a.example/\nversion: 1\n", "text"),
    ("a", b"Subject: x\n" + b" y\n" * 9_000 + b"see http://a.example/\n", "text"),
    ("a", b"Subject: x\n" + b"y: z\n" * (LONGEST_HEADER // 5) + b"From: x\n\nhttp://a.example/\n", "text"),
    ("a", b"Content-Type: text/html\n\nsee http://a.example/\n", "text"),
]


@pytest.mark.parametrize(("name", "data", "kind"), NO_MAIL)
def test_what_is_no_mail(name: str, data: bytes, kind: str) -> None:
    for size in (0, 4_096, 100_001):
        tally = Tally()
        assert found(name, data, size=size, tally=tally) == ["http://a.example/"]
        assert tally.kinds == {kind: 1}


def test_parts_alone_show_a_message() -> None:
    part = b"--B\n" + B64 + b"\n--B--\n"
    for field in (b"Content-Type: multipart/mixed; boundary=B", b"CONTENT-TYPE:\tmultipart/x;\n boundary=B"):
        for size in (0, 1):
            assert found("a", field + b"\n\n" + part, size=size) == LINKS


# ---- Signed data.

ENTITY = b"Content-Type: text/plain\r\n" + B64.replace(b"\n", b"\r\n")
COMPRESSED = "2a864886f70d0109100109"
ENVELOPED = "2a864886f70d010703"
# The data, what is found in it, and what is counted.
SIGNED: list[tuple[bytes, list[str], set[tuple[str, str]]]] = [
    (signed(ENTITY), LINKS, set()),
    (signed(ENTITY, piece=1), LINKS, set()),
    (signed(ENTITY, piece=50), LINKS, set()),
    (signed(TEXT), LINKS, set()),
    (signed(zlib.compress(ENTITY), kind=COMPRESSED), LINKS, set()),
    (signed(zlib.compress(ENTITY), kind=COMPRESSED, piece=9), LINKS, set()),
    (signed(b'<?xml version="1.0"?><a href="http://a.example/?x=1&amp;y=2"/>' + b"\n" * 50), LINKS[:1], set()),
    (signed(TEXT + TEXT)[: -len(TEXT)], LINKS, {("smime", "damaged")}),
    (signed(zlib.compress(ENTITY)[:-4], kind=COMPRESSED), LINKS, {("smime", "damaged")}),
    (signed(b"no zlib" * 30, kind=COMPRESSED), [], {("smime", "damaged")}),
]
NOTHING = [
    signed(None),
    signed(ENTITY, kind=ENVELOPED),
    signed(ENTITY)[:20],
    b"",
    b"0",
    b"0\x80" * 99,
    tlv(0x30, tlv(6, b"x")),
]


def _armored(data: bytes) -> bytes:
    return b"-----BEGIN PKCS7-----\n" + base64.encodebytes(data) + b"-----END PKCS7-----\n"


@ENGINES
@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("kind", ["pkcs7-mime", "x-pkcs7-mime; smime-type=signed-data", "octet-stream"])
def test_signed_parts(carrier: str, kind: str, by_kernel: bool) -> None:
    fields = f'Content-Type: application/{kind}; name="smime.p7m"\nContent-Transfer-Encoding: base64\n'.encode()
    with read_by_kernel(by_kernel):
        for data, links, broken in SIGNED:
            tally = Tally()
            assert found(carrier, CARRIERS[carrier](fields, base64.encodebytes(data)), tally=tally) == links
            assert set(tally.broken) == broken
        for data in NOTHING:
            tally = Tally()
            assert found(carrier, CARRIERS[carrier](fields, base64.encodebytes(data)), tally=tally) == []
            assert sum(tally.skipped.values()) == 1 or kind == "octet-stream"


@pytest.mark.parametrize("name", ["smime.p7m", "invoice.xml.P7M", "a"])
@pytest.mark.parametrize("form", [bytes, _armored, base64.encodebytes])
@pytest.mark.parametrize("size", [0, 1, 100])
def test_signed_files(name: str, form: Callable[[bytes], bytes], size: int) -> None:
    """L5: also data of fewer bytes than a length in one byte counts."""
    for data, links, broken in (*SIGNED, (signed(b"\n" + LINKS[0].encode()), LINKS[:1], set[tuple[str, str]]())):
        tally = Tally()
        assert found(name, form(data), size=size, tally=tally) == links
        assert set(tally.broken) == broken
        assert tally.kinds == {"smime": 1}


def test_what_is_beside_signed_data() -> None:
    """Addresses in certificates, and text around armor, are found where they were found without it."""
    data = signed(ENTITY)
    data += tlv(0x86, b"http://crl.example/")
    records = list(extract_blocks("a.p7m", [data]))
    assert [one.uri for one in records] == [*LINKS, "http://crl.example/"]
    last = records[-1]
    assert data[last.byte_start :].startswith(b"http://crl.example/")
    assert found("a.p7m", data, binary="skip") == LINKS
    text = b"http://c.example/ first\n" + _armored(signed(ENTITY)) + b"http://d.example/\n"
    assert found("a.txt", text) == ["http://c.example/", "http://d.example/"]
    armor = _armored(signed(ENTITY)) + b"http://d.example/\n"
    assert found("a.pem", armor) == [*LINKS, "http://d.example/"]
    assert found("a.pem", _armored(signed(None)) + b"http://d.example/\n") == ["http://d.example/"]


def test_the_way_into_signed_data() -> None:
    inner = CARRIERS["part.eml"](b"", b"see http://b.example/\n")
    data = HEAD + b"Content-Type: application/pkcs7-mime\n\n" + signed(inner, piece=7)
    (record,) = extract_blocks("a.eml", [data])
    assert (record.part, record.byte_start) == ("1.1.1", None)
    twice = (
        HEAD
        + b"Content-Type: application/pkcs7-mime\n\n"
        + signed(
            b"Content-Type: application/pkcs7-mime\n\n" + signed(b"Content-Type: text/plain\n\nsee http://b.example/\n")
        )
    )
    (record,) = extract_blocks("a.eml", [twice])
    assert record.part == "1.1.1"


def test_limits_of_signed_data() -> None:
    data = b"see http://a.example/\n"
    for _ in range(40):
        data = b"Content-Type: application/pkcs7-mime\n\n" + signed(data)
    tally = Tally()
    assert found("a.eml", HEAD + data, tally=tally) == []
    assert tally.skipped == {("part", "smime"): 1}
    bomb = signed(zlib.compress(ENTITY + bytes(3_000_000)), kind=COMPRESSED)
    tally = Tally()
    limits = Limits(ratio=10, stream_allowance=1_000, total_allowance=1_000)
    found("a.eml", HEAD + b"Content-Type: application/pkcs7-mime\n\n" + bomb, tally=tally, limits=limits)
    assert tally.broken == {("smime", "ratio-limit"): 1}
    assert tally.is_unread


@pytest.mark.parametrize(
    "piece", [b"0\x80", b"\x24\x80", b"\x04\x01a", b"\0\0", b"\x24\x03\x04\x01a", b"0\x84\xff\xff\xff\xff"]
)
def test_any_data_of_ber(piece: bytes) -> None:
    start = signed(b"see http://a.example/\n", piece=1_000)[:60]
    for data in (start + piece * 30_000, indefinite(0x30, piece * 30_000)):
        for kind in (b"pkcs7-mime", b"octet-stream"):
            fields = b"Content-Type: application/%b\nContent-Transfer-Encoding: base64\n\n" % kind
            assert len(found("a.eml", HEAD + fields + base64.encodebytes(data))) <= 1


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and its certificate."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("there is no openssl")
    folder = tmp_path_factory.mktemp("key")
    request = [
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-subj",
        "/CN=a.example",
        "-keyout",
        "k.pem",
        "-out",
        "c.pem",
    ]
    subprocess.run([program, *request], cwd=folder, check=True, capture_output=True)
    (folder / "m.txt").write_bytes(ENTITY)
    return folder


@pytest.mark.sampled(11)
@pytest.mark.parametrize(
    ("command", "name", "is_read"),
    [
        ("smime -sign -nodetach -signer c.pem -inkey k.pem", "a.eml", True),
        ("smime -sign -nodetach -stream -signer c.pem -inkey k.pem", "a.eml", True),
        ("smime -sign -nodetach -outform DER -signer c.pem -inkey k.pem", "smime.p7m", True),
        ("smime -sign -nodetach -stream -outform DER -signer c.pem -inkey k.pem", "smime.p7m", True),
        ("smime -sign -nodetach -outform PEM -signer c.pem -inkey k.pem", "smime.p7m", True),
        ("cms -sign -nodetach -stream -signer c.pem -inkey k.pem", "a.eml", True),
        ("cms -sign -nodetach -outform PEM -signer c.pem -inkey k.pem", "smime.p7s", True),
        ("cms -sign -nodetach -keyid -outform DER -signer c.pem -inkey k.pem", "a", True),
        ("smime -sign -signer c.pem -inkey k.pem", "a.eml", True),
        ("smime -sign -outform DER -signer c.pem -inkey k.pem", "smime.p7s", False),
        ("smime -encrypt c.pem", "a.eml", False),
        ("smime -encrypt -outform DER c.pem", "smime.p7m", False),
    ],
)
def test_what_openssl_writes(key: Path, command: str, name: str, is_read: bool) -> None:
    verb, *rest = command.split()
    certificates = [rest.pop()] if "-encrypt" in rest else []
    arguments = ["openssl", verb, *rest, "-in", "m.txt", *certificates]
    data = subprocess.run(arguments, cwd=key, check=True, capture_output=True).stdout
    tally = Tally()
    assert found(name, data, tally=tally) == (LINKS if is_read else [])
    assert not tally.broken
    assert is_read or tally.skipped or name.startswith("smime")


# ---- All of it.


def _check(mails: Iterator[OddMail], tmp_path: Path) -> None:
    for mail in mails:
        for by_kernel in (True, False):
            with read_by_kernel(by_kernel):
                for size in (0, 1_000):
                    tally = Tally()
                    assert found(mail.name, mail.data, size=size, tally=tally) == mail.links, mail.oddity
                    assert tally.kinds == {"mail": 1}
        box = b"From a@b.example Thu Aug 22 12:36:23 2002\n" + mail.data + b"\n"
        assert found("a.mbox", box) == mail.links, mail.oddity


def test_odd_mails(tmp_path: Path) -> None:
    _check(odd_mails(63), tmp_path)


@pytest.mark.long
def test_many_odd_mails(tmp_path: Path) -> None:
    _check(odd_mails(1_000, seed=2), tmp_path)


def test_a_message_id_is_no_address_whatever_is_before_it(tmp_path: Path) -> None:
    ids = 'Your message of "Thu, 5 Jan 1995 10:00:00."<1@h.example> Msg:<2@h.example> [<3@h.example>] x<4@h.example>'
    path = tmp_path / "a.eml"
    path.write_text(f"From: a@b.example\nSubject: x\nReferences: {ids}\nIn-Reply-To: {ids}\n\nhi\n", "utf-8")
    done = call("extract", "-q", "--accept", "addresses", str(path))
    assert done.lines == ["mailto:a@b.example"]


# ---- A link where a field should be, as where the empty line is missing.

LINK_LINE = b"https://a.example/x\n"
PART = b"Content-Type: text/plain\n"


@ENGINES
@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize(
    ("fields", "body"),
    [
        (LINK_LINE, b"b\n"),
        (PART + LINK_LINE, b"b\n"),
        (PART + LINK_LINE + b"X-Later: c\n", b"b\n"),
        (LINK_LINE + PART, b"b\n"),
        (LINK_LINE + b" folded\n" + PART, b"b\n"),
        (b"Content-Type: multipart/mixed; boundary=B\n", b"--B\n" + LINK_LINE + b"b\n--B--\n"),
        (b"Content-Type: multipart/mixed; boundary=B\n", b"--B\n" + PART + LINK_LINE + b"b\n--B--\n"),
        (b"Content-Type: multipart/mixed; boundary=B\n", b"--B\n" + LINK_LINE + PART + b"\nb\n--B--\n"),
        (b"Content-Type: message/rfc822\n", HEAD + LINK_LINE + b"b\n"),
    ],
)
def test_a_link_in_the_place_of_a_field(fields: bytes, body: bytes, carrier: str, by_kernel: bool) -> None:
    with read_by_kernel(by_kernel):
        for size in (0, 7):
            tally = Tally()
            assert found(carrier, CARRIERS[carrier](fields, body), size=size, tally=tally) == ["https://a.example/x"]
            assert [kind for kind, _ in tally.broken] == ["header"]
