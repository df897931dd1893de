"""Plain messages read by the compiled kernel against the reader in Python: the same documents, offsets and records."""

from __future__ import annotations

import binascii
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.cli_support import call
from tests.helpers.folders import SAMPLES
from tests.helpers.readers import read_by_kernel, segments_of
from tests.sources.mail.mail_reading import documents_of_box, out_for
from urisieve import Options, extract_files
from urisieve.errors import InputError
from urisieve.kernel import compiled
from urisieve.options import Level
from urisieve.records.field_table import checked_columns
from urisieve.records.layouts import COLUMNS
from urisieve.runs.document_sieve import DocumentSieve
from urisieve.sources.containers.contents import Content
from urisieve.sources.documents import Document
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.mail import mail_contents, plain_messages
from urisieve.sources.mail.header_fields import may_hold_identifier
from urisieve.sources.mail.mailboxes import split_mbox
from urisieve.sources.mail.plain_messages import PlainMessages, split_with
from urisieve.sources.readers import Reader
from urisieve.sources.reading_options import ReadingOptions
from urisieve.sources.segments import Segments
from urisieve.sources.tally import Tally

pytestmark = pytest.mark.skipif(not compiled, reason="the kernel is switched off or not compiled")

# Pieces of mail, each a Python string of bytes, a line each.
ENVELOPES = rb"""
From a@b.example Thu Aug 22 12:36:23 2002
From a@b.example  Thu Aug  2 1:36 2002
From - Thu, Aug 22, 12:36:23 2002
From x 22 Aug 2002 12:36:23 +0100
From 2 Aug 02 1:36
From a 322 Aug 2002 12:36
From aThu Aug 22 12:36:23 2002
From a Thu Aug 22 12:36:23 MET DST 2002 (CET)
From a Thu Aug 22 12:36:23 2002 remote from b.example
From a Thu Aug 22 12:36:23 2002 remote fro
From a Thu Aug 22 12:36:23 2002 on
From a Thu Aug 22 12:36 or 22 Aug 2002 12:36:23
From a Thu Aug 22 12:36 or 22 Aug 2002 12:36:23 \xe9
From _Thu Aug 22 12:36
From .Thu Aug 22 12:36
From Thu Aug 222 12:36
From Thu Aug 22 123:36
From Thu Aug 22 12:3
From Thu  Aug 22  12:36
From Thu	Aug 22 12:36
From a@b.example
From here on
>From a@b.example Thu Aug 22 12:36:23 2002
>>From x
> From x
From : x
FROM a Thu Aug 22 12:36:23 2002
"""
FIELDS = rb"""
Subject: x
Subject: Re: http://s.example/a
Subject:http://s.example/b
subject : <http://s.example/c>, "mailto:a@b.example"
Subject: http://fol\n ded.example/ x\n\thttp://t.example/
Subject: =?utf-8?q?http=3A//w.example/=C3=A4?= and =?utf-8?b?w6Q=?=
Subject: =?iso-8859-1?q?http=3A//l.example/=E4?=
Subject: =?iso-8859-1?q?=E4=E4: x?=
Subject: =?utf-8?b?!!?= http://bad.example/
Subject: =?x http://not.example/
Subject: =?utf-8?q?=00?=
Subject: \xe4\xf6 http://eight.example/
Subject: \xc3\xa4 http://utf.example/\xc3\xa4
List-Post: <mailto:list@b.example>
List-Archive: <https://l.example/a?b=c&d=%zz>
X-Link: http://[::1]/ http://x..y/ urn:isbn:3161484100 https://user:word@p.example/
X-Odd: http://\xff.example/
Message-ID: <1@b.example>
message-id: < 2@b.example >
Message-Id:
Message-ID: <a:b@c.example>
Message-ID: \x1b[2J
Message-ID: <http://id.example/>
References: <1@b.example>\n <2:3@b.example> http://r.example/
DKIM-Signature: a=b; h=from:to; q=http://d.example/
Content-Type: text/plain
Content-Type: text/plain; charset=us-ascii
Content-Type: text/plain; charset="utf-8"
Content-Type: text/plain; charset=iso-8859-1
Content-Type: text/plain; charset=utf-7
Content-Type: text/plain; charset=koi8-r
Content-Type: text/plain; charset=none-such
Content-Type: text/plain; format=flowed
Content-Type: text/plain; format=flowed; delsp=yes
Content-Type: text/plain; name="a.csv"
Content-Type: text/plain; x*=utf-8''http%3A//p.example/
Content-Type: text/plain;\n charset=utf-8; x="http://q.example/"
Content-Type: text/html
Content-Type: text
Content-Type: text/calendar
Content-Type: text/plain (x); charset=(y) utf-8 (z)
Content-Type: (x) text/html; charset="iso-8859-1"
Content-Type: text/html; boundary=b
Content-Type: multipart; boundary=b
Content-Type: (x) multipart/mixed; boundary=b
Content-Type: multipart/mixed (x); boundary=(y) b
Content-Type: application/pkcs7-mime
Content-Type: application/json
Content-Type: message/rfc822
Content-Type: multipart/mixed; boundary=b
Content-Type: multipart/alternative; boundary="b"
CONTENT-TRANSFER-ENCODING: 8bit
Content-Transfer-Encoding: 7BIT ; x
Content-Transfer-Encoding: quoted-printable
Content-Transfer-Encoding: base64
Content-Transfer-Encoding: x-odd
Content-Transfer-Encoding: base64 (x)
Content-Transfer-Encoding: (x) "quoted-printable"
Content-Transfer-Encoding: 8-bit
Content-Transfer-Encoding: x-uue
Content-Disposition: inline
Content-Disposition: attachment; filename=a.json
Content-Disposition: attachment; filename="=?utf-8?q?a=2A?="
Content-Disposition: attachment (x); filename=a(1).csv
Content-Location: http://base.example/
Content-Base: b
Content-Language: http://lang.example/
Content-Length: 20
Content-Length: 0
Content-Length: x
X-Wide: 1:2 a:b c1:d 123:x 12:x a1:x :x x:\x7f http:
X-Empty:
X:y::z
From a
no field
 folded
\tx: y
\x00: http://nul.example/
a\x00b: http://nul.example/
\xe4: http://name.example/
X-CR: http://cr.example/\rhttp://cr2.example/
\r
\rx
"""
LINES = rb"""
text
http://a.example/
see <http://b.example/c d> and (https://c.example/d).
<http://open.example/
/closed>
> quoted http://q.example/
> <http://quoted.example/a
>> b>
>
>>> http://deep.example/
 > x
flowed http://f.example/ \x20
-- \x20

\r

http://\xc3\xa4.example/\xc3\xb6
\xe4 http://latin.example/\xe4
\xef\xbb\xbfhttp://mark.example/
http://nul.example/\x00b
\rhttp://cr.example/\r\r
urn:isbn:3161484100 mailto:a@b.example tel:+1 file:///x
http://bad.example:99999/ http://%zz.example/ http://x.example/%zz
https://user:word@p.example/
http://long.example/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
-----BEGIN PGP SIGNATURE-----
x -----BEGIN PGP MESSAGE-----
-----BEGIN CERTIFICATE-----
BEGIN
--b
--b--
aHR0cDovL2I2NC5leGFtcGxlLw==
--b\nContent-Type: text/html\n\n<a href=http://part.example/>
begin-base64 644 a.txt\naHR0cDovL2ZpbGUuZXhhbXBsZS94\n====
begin 644 a.txt\n5:'1T<#HO+V4N97AA;7!L92]U=0H
=68ttp://qp.example/=
>From quoted
>>From quoted http://z.example/
x >From here
> >From here
F Fr Fro From
URL: http://u.example/
javascript:x() data:text/plain,http://v.example/
"""


def pieces(lines: bytes) -> list[bytes]:
    return [line.decode("unicode_escape").encode("latin-1") for line in lines.strip(b"\n").split(b"\n")]


ENVELOPE_LINES, FIELD_LINES, BODY_LINES = pieces(ENVELOPES), pieces(FIELDS), pieces(LINES)
PLAIN = [
    b"Subject: x",
    b"Subject: Re: http://s.example/a",
    b"Message-ID: <1@b.example>",
    b"List-Post: <mailto:a@b.example>",
]


def message(chance: random.Random) -> bytes:
    end = b"\r\n" if chance.random() < 0.1 else b"\n"
    some = PLAIN if chance.random() < 0.3 else FIELD_LINES
    fields = [b"From: a@b.example", *chance.choices(some, k=chance.choice([0, 1, 2, 3, 6]))]
    chance.shuffle(fields)
    envelope = ENVELOPE_LINES[0] if chance.random() < 0.8 else chance.choice(ENVELOPE_LINES)
    body = chance.choices(BODY_LINES, k=chance.choice([0, 1, 3, 8, 30]))
    if chance.random() < 0.2:
        body.insert(chance.randint(0, len(body)), chance.choice(ENVELOPE_LINES))
    blank = [] if chance.random() < 0.05 else [b""]
    lines = [envelope, *fields, *blank, *body, *([b""] if chance.random() < 0.9 else [])]
    return end.join(lines) + end


def mailbox(seed: int) -> bytes:
    chance = random.Random(seed)
    data = b"".join(message(chance) for _ in range(chance.choice([1, 2, 5, 12])))
    if chance.random() < 0.1:
        data = data.replace(b"\n", b"\r")
    if chance.random() < 0.3:
        data = data[: chance.randint(0, len(data))]
    return chance.choice([b"", b"", b"", b"\n\r\n", b"x"]) + data


def blocks(data: bytes, size: int) -> Iterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the kernel stop often."""
    monkeypatch.setattr(plain_messages, "_TOGETHER", 600)
    monkeypatch.setattr(plain_messages, "_LONGEST", 900)


def shown(documents: Iterable[Document]) -> list[tuple[Any, ...]]:
    """What documents say of themselves; header fields without a sign are left out, as the kernel leaves out some."""
    found: list[tuple[Any, ...]] = []
    for one in segments_of(documents):
        text = "".join(one.text)
        if "header:" in (one.place.part or "") and not may_hold_identifier(text):
            continue
        offsets = one.offsets()
        spans = offsets and [offsets.span(offset, offset + 1) for offset in range(len(text))]
        found.append((text, one.source, one.place, one.legacy, one.base, one.alternative is None, spans))
    return found


SIZES = (1, 3, 40, 1_000, 100_000)


@pytest.mark.sampled(11)
@pytest.mark.parametrize("seed", range(0, 500, 50))
def test_the_documents_are_the_same(seed: int, small: None) -> None:
    for number in range(seed, seed + 50):
        data = mailbox(number)
        size = SIZES[number % len(SIZES)]
        one, other = Tally(), Tally()
        skimmed = shown(documents_of_box(blocks(data, size), one, by_kernel=True))
        read = shown(documents_of_box([data], other))
        assert skimmed == read, (number, data)
        assert one == other, data


def test_quoted_printable() -> None:
    chance = random.Random(1)
    for _ in range(2_000):
        body = b"".join(
            chance.choices([b"=", b"==", b"=\n", b"=\r\n", b"=\rx", b"=4", b"=41", b"=zz", b"x", b"\n"], k=9)
        )
        data = ENVELOPE_LINES[0] + b"\nFrom: a\nContent-Transfer-Encoding: quoted-printable\n\n" + body
        (messages,) = split_with(out_for(), [data])
        assert isinstance(messages, PlainMessages)
        assert messages._texts.text(0) == binascii.a2b_qp(body).decode("ascii"), body


def test_sets_of_single_bytes() -> None:
    """A byte without a character leaves the message to Python; every other one is decoded as there."""
    for codec in ("iso-8859-1", "iso-8859-15", "koi8-r", "windows-1251", "windows-1252", "cp1258", "big5"):
        header = ENVELOPE_LINES[0] + b"\nFrom: a\nContent-Type: text/plain; charset=" + codec.encode()
        for byte in range(128, 256):
            data = header + b"\n\nhttp://a.example/ " + bytes([byte]) + b" http://b.example/\n"
            skimmed = shown(documents_of_box([data], Tally(), by_kernel=True))
            assert skimmed == shown(documents_of_box([data], Tally())), (codec, byte)


def refuse(source: str, error: InputError) -> None:
    raise error


def sieved(
    data: bytes,
    columns: frozenset[str],
    *,
    many: bool,
    options: Options,
    size: int,
    parts: bool = False,
    reading: ReadingOptions | None = None,
) -> tuple[list[Any], Tally]:
    """What is found in a mailbox, many messages, or those with `parts`, at once or not."""
    tally = Tally()
    reading = reading or ReadingOptions(input="mail")
    sieve = DocumentSieve(options, reading, tally=tally, failed=refuse, columns=columns)
    if parts and not many:
        sieve._reader.in_mail = False
    found: list[Any] = []
    with read_by_kernel(many or parts):
        batches = list(sieve.batches("a.mbox", blocks(data, size)))
    for batch in batches:
        if len(columns) == len(COLUMNS):
            found += [one.as_dict() for one in batch.found()]
        else:
            names = sorted(columns | {"key"})
            found += zip(*(batch.column(name) for name in names), strict=True)
            found += [one.as_dict() for one in batch.rejections]
    return found, tally


OPTIONS = {
    "default": Options(),
    "short": Options(max_length=64),
    "excluded": Options(exclude_schemes=("https", "urn")),
    "as-written": Options(level=Level.NONE),
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", range(20_000, 20_400, 40))
def test_a_message_in_no_mailbox_has_the_same_documents(seed: int) -> None:
    for number in range(seed, seed + 40):
        chance = random.Random(number)
        data = message(chance)
        if chance.random() < 0.8:
            data = data.partition(b"\n")[2]
        read = []
        for by_kernel in (True, False):
            tally = Tally()
            with read_by_kernel(by_kernel):
                content = Content(source="a.eml", kind=Kind.MAIL, blocks=blocks(data, 60))
                out = Segments(Reader(ReadingOptions(), tally, refuse), content)
                documents = mail_contents.read(content, out)
                read.append((shown(documents), tally))
        assert read[0] == read[1], data


@pytest.mark.sampled(19)
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize(
    "columns", [COLUMNS, ("uri", "key", "warnings"), ("uri", "line", "byte_start", "start", "end"), ("location", "uri")]
)
def test_the_records_are_the_same(options: Options, columns: tuple[str, ...], small: None) -> None:
    for number in range(10_000, 10_080):
        data = mailbox(number)
        size = SIZES[number % len(SIZES)]
        both = [
            sieved(data, checked_columns(columns), many=way, options=options, size=size if way else len(data))
            for way in (True, False)
        ]
        if len(columns) < len(COLUMNS):  # rejections come behind the rows of their batch
            both = [(sorted(found, key=repr), tally) for found, tally in both]
        assert both[0] == both[1], data


@pytest.mark.long
def test_a_message_longer_than_a_piece() -> None:
    body = b"http://a.example/ x\n" * 30_000
    data = b"".join(ENVELOPE_LINES[0] + b"\nFrom: a\nSubject: http://%d.example/\n\n%b\n" % (i, body) for i in range(2))
    both = [sieved(data, frozenset(COLUMNS), many=way, options=Options(), size=524_288) for way in (True, False)]
    assert both[0] == both[1]
    assert len(both[0][0]) == 60_002


def test_a_mailbox_that_breaks_off() -> None:
    """The identifier at which reading fails is not reported, whoever reads the message."""

    def broken(data: bytes) -> Iterator[bytes]:
        yield data
        raise InputError("it breaks off")

    data = (ENVELOPE_LINES[0] + b"\nFrom: a\nTo: b\n\nhttp://a.example/ http://b.example/\n\n") * 2
    for cut in (len(data), len(data) - 2, len(data) - 5, len(data) - 40):
        found = []
        for many in (True, False):
            errors: list[str] = []
            sieve = DocumentSieve(
                Options(),
                ReadingOptions(input="mail"),
                tally=Tally(),
                failed=lambda _, error, errors=errors: errors.append(str(error)),  # type: ignore[misc]
                columns=frozenset(COLUMNS),
            )
            with read_by_kernel(many):
                some = [one.as_dict() for batch in sieve.batches("a", broken(data[:cut])) for one in batch.found()]
            found.append((some, errors))
        assert found[0] == found[1]
        assert found[0][1] == ["it breaks off"]


def test_an_unexpected_exception_of_a_parser_is_met_again(monkeypatch: pytest.MonkeyPatch) -> None:
    from urisieve.sources.mail import mime

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(mime, "media_type", fail)
    data = ENVELOPE_LINES[0] + b"\nFrom: a\nContent-Type: text/plain; x=unseen\n\nhttp://a.example/\n"
    (message,) = split_with(out_for(), [data])
    assert not isinstance(message, PlainMessages)


def test_plain_messages_really_come_many_at_once() -> None:
    """And of the mailboxes above, many messages are plain, and many are not."""
    data = (ENVELOPE_LINES[0] + b"\nFrom: a\nSubject: http://s.example/\n\nhttp://a.example/\n\n") * 5
    tally = Tally()
    documents = list(documents_of_box([data], tally, by_kernel=True))
    assert len(documents) == 2  # the last of the block may go on in the next one
    assert sum(one.size for one in documents) == 10
    assert (tally.read["message"], tally.read["part"]) == (5, 5)
    plain = every = 0
    for number in range(200):
        box = mailbox(number)
        every += sum(1 for _ in split_mbox([box]))
        plain += sum(one.messages for one in split_with(out_for(), [box]) if isinstance(one, PlainMessages))
    assert every / 10 < plain < every * 9 / 10


def test_messages_without_a_body() -> None:
    """An envelope line alone, or a header that ends with the next one: the kernel takes as many as Python reads."""
    envelope = ENVELOPE_LINES[0] + b"\n"
    for field in [b"", b"\r\n", b"X: y\r\n", b"X: y", *(line + b"\n" for line in FIELD_LINES)]:
        for lines in (field, b"From: a\n" + field, field + b"From: a\n"):
            data = envelope * 3 + (envelope + lines) * 3 + envelope
            one, other = Tally(), Tally()
            skimmed = shown(documents_of_box([data], one, by_kernel=True))
            assert skimmed == shown(documents_of_box([data], other)), data
            assert one == other, data
    data = (envelope * 3 + b"X: y\n") * 50
    counts = [one.messages if isinstance(one, PlainMessages) else 0 for one in split_with(out_for(), [data])]
    assert sum(counts) == 150
    assert len(counts) == 2  # the last one ends with the mailbox


def test_fields_of_a_message_whose_body_is_left_have_its_context(tmp_path: Path) -> None:
    header = (
        b"From a@b.example Thu Jan  1 00:00:00 2015\nFrom: Ada <ada@a.example>\nX-Url: http://h.example/\nSubject: s\n"
    )
    path = tmp_path / "mail.mbox"
    path.write_bytes(header + b"Content-Type: text/plain; format=flowed; delsp=yes\n\nhttp://b.example/\n")
    records = extract_files([str(path)], reading=ReadingOptions(context=True))
    assert [(record.uri, record.sender) for record in records] == [
        ("http://h.example/", "ada@a.example"),
        ("http://b.example/", "ada@a.example"),
    ]


@pytest.mark.parametrize("envelope", [b"", b"From a Mon Jan  1 00:00:00 2024\n"], ids=["alone", "mailbox"])
@pytest.mark.parametrize("accept", [(), ("names",), ("addresses",), ("defanged",), ("names", "addresses", "defanged")])
def test_text_that_is_not_of_unicode_is_normalized(envelope: bytes, accept: tuple[str, ...], tmp_path: Path) -> None:
    """RFC 3987 3.1 step 1b, whatever is searched again because of an option."""
    path = tmp_path / "a"
    path.write_bytes(envelope + (SAMPLES / "mail" / "vietnamese-decomposed.eml").read_bytes())
    found = call("extract", "--quiet", *(("--accept", ",".join(accept)) if accept else ()), str(path))
    assert "https://e.example/Vi%E1%BB%87t" in found.lines
