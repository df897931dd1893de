"""Messages of several parts, and pages, read by the compiled kernel against the reader in Python."""

from __future__ import annotations

import base64
import binascii
import lzma
import quopri
import random
from typing import Any

import pytest

from tests.helpers.folders import ROOT
from tests.helpers.shared_folder import shared_file
from tests.sources.mail.mail_reading import out_for
from tests.sources.mail.test_plain_messages import (
    BODY_LINES,
    ENVELOPE_LINES,
    FIELD_LINES,
    OPTIONS,
    PLAIN,
    SIZES,
    pieces,
    sieved,
)
from urisieve import Options
from urisieve.kernel import compiled
from urisieve.records.batch import TIME
from urisieve.sources.containers.limits import Limits
from urisieve.sources.mail import plain_messages
from urisieve.sources.mail.mailboxes import split_mbox
from urisieve.sources.mail.plain_messages import PlainMessages, split_with
from urisieve.sources.reading_options import ReadingOptions

pytestmark = pytest.mark.skipif(not compiled, reason="the kernel is switched off or not compiled")

# Pieces of pages, each a Python string of bytes, a line each.
PAGES = rb"""
<html><head><title>A http://title.example/ &amp; b</title></head><body>
<!doctype html>
<p>text http://run.example/a<wbr>b and <b>http://bold</b>.example/x</p>
<a href="http://link.example/a?b=c&amp;d=e">here</a>
<a href=http://bare.example/>http://other.example/</a>
<a href="https://same.example/">www.same.example</a>
<a href='  http://blank.example/x  '>x</a> <a href="#top">top</a> <a href="">none</a>
<a href="/relative/x">y</a><img src=a.png><img src="//host.example/x">
<a href="mailto:a@b.example?subject=a b">mail</a> <a href="javascript:window.open('http://script.example/')">z</a>
<a href="http://bad.example:99999/">bad</a> <a href="http://%zz.example/ and http://two.example/">two</a>
<a href="urn:isbn:3161484100">book</a> <a href="http://\xc3\xa4.example/\xc3\xb6">wide</a>
<a href="http://user:word@p.example/">secret</a><a href="news:x@y.example">
<img srcset="http://one.example/1 1x, http://two.example/2 2x" alt="http://alt.example/">
<p title="see http://title.example/">t</p><p style="background: url(http://style.example/)">s</p>
<!-- a comment http://comment.example/ <a href="http://inner.example/">http://shown.example/</a> -->
<script>var x = "http://script.example/";</script><style>@import "http://sheet.example/";</style>
<base href="http://base.example/"><meta name=x content="http://meta.example/">
<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">
<META HTTP-EQUIV="refresh" CONTENT="0; url=next.html"><meta charset="utf-8">
<iframe srcdoc="<a href='http://doc.example/'>x</a>"></iframe>
&eacute;&#x68;ttp://reference.example/&copy;
\xe4 http://latin.example/\xe4 <a href="http://latin.example/\xe4">\xe4</a>
\xc3\xa4 http://utf.example/
<a href="http://open.example/
</body></html>
<
&
"""
PAGE_LINES = pieces(PAGES)
TYPES = pieces(rb"""
text/plain
text/plain; charset=utf-8
text/plain; charset="iso-8859-1"
text/plain; charset=windows-1251
text/plain; charset=utf-7
text/plain; format=flowed
text/plain; name=a.txt
Text/HTML; charset=UTF-8
text/html
text/html; charset=iso-8859-1; name="a.html"
text/html;\n charset="koi8-r"
application/xhtml+xml
text/html; charset=none-such
application/pgp-signature; name=signature.asc
application/x-pkcs7-mime
application/octet-stream; name=a.bin
application/json; name=a.json
image/png; name="a.png"
Audio/x-odd
odd/odd; name=a.csv
text/calendar
message/rfc822
""")
MULTIPARTS = pieces(rb"""
multipart/mixed; boundary=%s
multipart/mixed; boundary="%s"
multipart/related; type="text/html"; boundary="%s"; start="<a@b>"
Multipart/Signed; micalg=pgp-sha1;\n\tprotocol="application/pgp-signature"; BOUNDARY="%s  "
multipart/alternative; boundary=%s
multipart/alternative; boundary="%s"
multipart/report; boundary = "%s" ;
multipart/digest; boundary=%s
multipart/encrypted; boundary=%s
multipart/mixed; boundary="%s" (comment)
multipart/mixed; boundary="\\%s"
multipart/mixed; x=y; boundary=%s; boundary=none
multipart/mixed
multipart/mixed; boundary=""
""")
BOUNDARIES = [b"b", b"----=_Part_1", b"=_a'b", b"a b", b"-", b"--"]
PART_FIELDS = pieces(rb"""
Content-Disposition: inline
Content-Disposition: attachment; filename=a.txt
Content-ID: <1@b.example>
Content-ID: <http://id.example/>
Content-Description: a part
Content-Description: http://described.example/
Content-Location: http://base.example/x
Content-Transfer-Encoding: x-odd
Content-Type: text/plain
MIME-Version: 1.0
X-Field: y
Subject: =?utf-8?q?http=3A//w.example/?=
no field
From a
""")


FILES = (b"\x89PNG\r\n\x1a\n\0\0", b"\0\1\2\3:x", b"PK\3\4\0", b"a,b\n1,2\n", b"\x78\x9f\x3e\x22x", b"")


def encoded(chance: random.Random, body: bytes) -> tuple[bytes, bytes]:
    """A transfer encoding and a body in it, sometimes damaged."""
    encoding = chance.choice([b"", b"7bit", b"8BIT", b"base64", b"base64", b"Base64 ; x", b"quoted-printable"])
    if encoding[:4].lower() == b"base":
        body = base64.encodebytes(body)
        if chance.random() < 0.2:
            place = chance.randint(0, len(body))
            body = (
                body[:place] + chance.choice([b"=", b"==", b" ", b"!", b"A", b"\n\n", b"\r\nfooter\r\n"]) + body[place:]
            )
    elif encoding[:1] == b"q":
        body = quopri.encodestring(body)
    return encoding, body


def body_of(chance: random.Random, media: bytes) -> bytes:
    if media[:2] not in (b"te", b"Te") and chance.random() < 0.6:
        return chance.choice(
            [b"\x89PNG\r\n\x1a\n\0\0", b"\0\1\2\3:x", b"PK\3\4\0", b"a,b\n1,2\n", b"\x78\x9f\x3e\x22x", b""]
        )
    lines = PAGE_LINES if b"html" in media.lower() else BODY_LINES
    if chance.random() < 0.6:
        lines = [line for line in lines if line.isascii() and not line.startswith((b"<base", b"<META", b"-----", b">"))]
    return b"\n".join(chance.choices(lines, k=chance.choice([0, 1, 3, 8]))) + b"\n"


def part(chance: random.Random, depth: int) -> bytes:
    """A part with its header."""
    fields = chance.choices(PART_FIELDS, k=1) if chance.random() < 0.1 else []
    if depth and chance.random() < 0.3:
        media, body = multipart(chance, depth - 1)
        encoding = b""
    else:
        media = chance.choice(TYPES[:13] if chance.random() < 0.7 else TYPES)
        encoding, body = encoded(chance, body_of(chance, media))
    if chance.random() < 0.9:
        fields.append(b"Content-Type: " + media)
    if encoding:
        fields.append(b"Content-Transfer-Encoding: " + encoding)
    chance.shuffle(fields)
    return b"".join(field + b"\n" for field in fields) + b"\n" + body


def multipart(chance: random.Random, depth: int) -> tuple[bytes, bytes]:
    """The type and the body of a multipart."""
    boundary = chance.choice(BOUNDARIES)
    media = chance.choice(MULTIPARTS[:6] if chance.random() < 0.8 else MULTIPARTS).replace(b"%s", boundary)
    text = chance.choices([b"", b"\n", b"This is MIME.\n", b"http://around.example/ x\n", b"<\n"], [6, 2, 3, 2, 1], k=2)
    begin = b"--" + boundary + chance.choices([b"\n", b" \t\n", b"\r\n", b"x\n"], [20, 1, 1, 1])[0]
    end = b"--" + boundary + chance.choices([b"--\n", b"--", b"-- \n", b"\n", b""], [20, 2, 1, 1, 1])[0]
    parts = [begin + part(chance, depth) + chance.choice([b"\n", b""]) for _ in range(chance.choice([0, 1, 2, 2, 3]))]
    return media, text[0] + b"".join(parts) + end + text[1]


def message(chance: random.Random) -> bytes:
    fields = chance.choices(PLAIN if chance.random() < 0.8 else FIELD_LINES, k=chance.choice([0, 1, 2]))
    if chance.random() < 0.7:
        media, body = multipart(chance, 3)
        fields.append(b"Content-Type: " + media)
        whole = b"".join(field + b"\n" for field in fields) + b"\n" + body
    else:
        whole = b"".join(field + b"\n" for field in fields) + part(chance, 0)
    whole = ENVELOPE_LINES[0] + b"\nFrom: a@b.example\n" + whole + chance.choice([b"\n", b""])
    return whole.replace(b"\n", b"\r\n") if chance.random() < 0.1 else whole


def mailbox(seed: int) -> bytes:
    chance = random.Random(seed)
    data = b"\n".join(message(chance) for _ in range(chance.choice([1, 2, 5, 12])))
    return data[: chance.randint(0, len(data))] if chance.random() < 0.1 else data


def both(
    data: bytes, columns: tuple[str, ...], options: Options, size: int, reading: ReadingOptions | None = None
) -> list[Any]:
    """What is found where the kernel reads parts, and where it does not; the lines of what is rejected aside.

    Where nobody wants lines, a rejection has one or none, as the text is searched alone or with others.
    """
    found = []
    for way in (True, False):
        rows, tally = sieved(
            data, frozenset(columns), many=way, options=options, size=size, parts=True, reading=reading
        )
        unplaced = [row | {"line": 0, "column": 0} if isinstance(row, dict) else row for row in rows]
        found.append((sorted(unplaced, key=repr), tally))
    return found


@pytest.mark.sampled(5)
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("columns", [("uri", "key", "warnings"), ("uri", "raw", "start", "end", "source", TIME)])
def test_the_records_are_the_same(options: Options, columns: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(60):
        data = mailbox(number)
        monkeypatch.setattr(plain_messages, "_TOGETHER", 600 if number % 2 else 524_288)
        one, other = both(data, columns, options, SIZES[number % len(SIZES)])
        assert one == other, (number, data)


READING = {
    "all-forms": ReadingOptions(input="mail", mail_parts="all"),
    "base": ReadingOptions(input="mail", base="http://given.example/a/b"),
    "shallow": ReadingOptions(input="mail", limits=Limits(depth=2)),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("reading", READING.values(), ids=READING)
def test_the_records_are_the_same_however_mail_is_read(reading: ReadingOptions) -> None:
    for number in range(1_000, 1_040):
        data = mailbox(number)
        one, other = both(data, ("uri", "key", "warnings"), Options(), SIZES[number % len(SIZES)], reading)
        assert one == other, (number, data)


def test_real_mail_is_read_the_same() -> None:
    kept = shared_file("corpora/mail.mbox.xz")
    boxes = [(ROOT / "samples" / "mail.mbox").read_bytes()]
    if kept is not None:
        boxes.append(lzma.decompress(kept.read_bytes()))
    for data in boxes:
        one, other = both(data, ("uri", "key", "warnings"), Options(), 65_536)
        assert one == other


def test_many_of_them_are_read_by_the_kernel() -> None:
    """Most messages have a part in which there is a doubt; whole messages alone are counted here."""
    plain = every = 0
    for number in range(200):
        box = mailbox(number)
        every += sum(1 for _ in split_mbox([box]))
        some = split_with(out_for(in_mail=True), [box])
        plain += sum(one.messages for one in some if isinstance(one, PlainMessages))
    assert every / 10 < plain < every * 9 / 10


def test_base64() -> None:
    """What is decoded is what Python decodes strictly; whatever else is left to it."""
    chance = random.Random(1)
    taken = 0
    for _ in range(6_000):
        body = b"".join(chance.choices([b"aHR0", b"QQ==", b"QUI=", b"Q", b"=", b"\n", b"\r\n", b" ", b"+/", b"-"], k=4))
        data = ENVELOPE_LINES[0] + b"\nFrom: a\nContent-Transfer-Encoding: base64\n\n" + body
        (one,) = split_with(out_for(), [data])
        try:
            expected = binascii.a2b_base64(body.translate(None, b" \t\r\n"), strict_mode=True)
        except binascii.Error:
            assert not isinstance(one, PlainMessages)
            continue
        if isinstance(one, PlainMessages):
            taken += 1
            assert one._texts.text(0).encode() == expected, body
    assert taken > 100
