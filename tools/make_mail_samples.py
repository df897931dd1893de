"""Write samples/mail: messages that are hard to read, each with what is to be found in it.

Use: python tools/make_mail_samples.py samples/mail

Each row of the table below is a difficulty: the name of its file, the message, and by hand the identifiers of each part
(`part`, or `part field`), then what is skipped and what is broken. The identifiers are written here, not computed.
"""

from __future__ import annotations

import base64
import json
import quopri
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HEAD = "From: sender@example.org\nTo: reader@example.com\nSubject: {subject}\nMIME-Version: 1.0\n"


class Sample(NamedTuple):
    """A message and what is in it."""

    name: str
    data: bytes
    found: dict[str, list[str]]
    skipped: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def mail(body: str | bytes, *fields: str, subject: str = "a sample") -> bytes:
    """A message: the usual fields, more of them, an empty line, the body."""
    header = HEAD.format(subject=subject) + "".join(f"{field}\n" for field in fields)
    return header.encode() + b"\n" + (body.encode() if isinstance(body, str) else body)


def plain(body: str | bytes, charset: str = "utf-8", encoding: str = "8bit", more: str = "") -> bytes:
    """A message of text/plain."""
    return mail(body, f"Content-Type: text/plain; charset={charset}{more}", f"Content-Transfer-Encoding: {encoding}")


def html(body: str, *fields: str) -> bytes:
    """A message of text/html."""
    return mail(body, "Content-Type: text/html; charset=utf-8", *fields)


def parts(kind: str, *bodies: str, boundary: str = "b1", end: str = "--\n", more: str = "") -> str:
    """A multipart, from its Content-Type on."""
    inner = "".join(f"--{boundary}\n{body}\n" for body in bodies)
    return f'Content-Type: multipart/{kind}; boundary="{boundary}"{more}\n\nno MIME here\n{inner}--{boundary}{end}'


def multipart(text: str) -> bytes:
    """A message whose last field and body are what `parts` gives."""
    return (HEAD.format(subject="a sample") + text).encode()


def b64(data: bytes) -> str:
    """Base64 in lines."""
    return base64.encodebytes(data).decode()


def transfer_samples() -> Iterator[Sample]:
    """Transfer encodings."""
    yield Sample("plain.eml", plain("See http://e.example/a.\n", "us-ascii", "7bit"), {"1": ["http://e.example/a"]})
    yield Sample(
        "qp-soft-break.eml",
        plain("Link: https://e.example/very=\n/long?x=3D1&y=3D2\n", encoding="quoted-printable"),
        {"1": ["https://e.example/very/long?x=1&y=2"]},
    )
    yield Sample(
        "qp-soft-break-blanks.eml",
        plain("Link: https://e.example/very=  \n/long\n", encoding="Quoted-Printable"),
        {"1": ["https://e.example/very/long"]},
    )
    yield Sample(
        "qp-not-really.eml",
        plain("https://e.example/?a=zz&b=1 and https://e.example/?c=\n", encoding="quoted-printable"),
        {"1": ["https://e.example/?a=zz&b=1", "https://e.example/?c"]},
    )
    yield Sample(
        "base64.eml",
        plain(b64("Schön: https://e.example/ä\n".encode()), encoding="base64"),
        {"1": ["https://e.example/%C3%A4"]},
    )
    body = base64.b64encode(b"See http://one.example/ first and http://two.example/ then\n").decode()
    yield Sample(
        "base64-strange-characters.eml",
        plain(body[:20] + "!\n" + body[20:] + "\n", encoding="base64"),
        {"1": ["http://one.example/", "http://two.example/"]},
        broken=("part/bad-base64",),
    )
    yield Sample(
        "base64-truncated.eml",
        plain(base64.b64encode(b"http://one.example/ and more of it")[:-5], encoding="base64"),
        {"1": ["http://one.example/"]},
        broken=("part/bad-base64",),
    )
    yield Sample(
        "base64-list-footer.eml",
        plain(
            b64(b"http://one.example/ is in base64, in a text that has more lines than one\n" * 2)
            + "_______________________________________________\nlist mailing list\nhttps://lists.example/info\n",
            encoding="base64",
        ),
        {"1": ["http://one.example/", "http://one.example/", "https://lists.example/info"]},
        broken=("part/bad-base64",),
    )
    yield Sample(
        "uuencode.eml",
        plain(
            "before http://b.example/\nbegin 644 a.txt\n5:'1T<#HO+V4N97AA;7!L92]U=0H \n \nend\n", encoding="x-uuencode"
        ),
        {"1": ["http://b.example/", "http://e.example/uu"]},
    )
    yield Sample(
        "unknown-transfer-encoding.eml",
        plain("http://e.example/x\n", encoding="x-rot0"),
        {"1": ["http://e.example/x"]},
        broken=("part/unknown-transfer-encoding",),
    )


def flow_samples() -> Iterator[Sample]:
    """Flowed lines and quoted replies."""
    flowed = "; format=flowed"
    yield Sample(
        "flowed-delsp.eml",
        plain("See https://e.example/one/ \ntwo/ \nthree and on.\nhttp://f.example/ \n", more=flowed + "; delsp=yes"),
        {"1": ["https://e.example/one/two/three", "http://f.example/"]},
    )
    yield Sample(
        "flowed-delsp-quoted.eml",
        plain(
            "> See https://e.example/one/ \n> two\n>> https://e.example/x \n> https://e.example/y\n",
            more=flowed + "; DelSp=Yes",
        ),
        {"1": ["https://e.example/one/two", "https://e.example/x", "https://e.example/y"]},
    )
    yield Sample(
        "flowed-brackets.eml",
        plain(">> See <https://e.example/one/ \n>> two> there\nhttp://f.example/a \nb\n", more=flowed),
        {"1": ["https://e.example/one/two", "http://f.example/a"]},
        warnings=("whitespace-removed",),
    )
    yield Sample(
        "flowed-signature.eml",
        plain("http://e.example/a\n-- \nhttp://e.example/b \nc\n", more=flowed + "; delsp=yes"),
        {"1": ["http://e.example/a", "http://e.example/bc"]},
    )
    yield Sample(
        "quoted-reply.eml",
        plain("> <http://e.example/a\n> b>\n>> <http://e.example/c/\n>> d\n>> e> f\n"),
        {"1": ["http://e.example/ab", "http://e.example/c/de"]},
        warnings=("whitespace-removed",),
    )
    yield Sample(
        "bracket-closed-on-next-line.eml",
        plain("<http://e.example/a.\n>\nno quote\n"),
        {"1": ["http://e.example/a."]},
    )
    yield Sample(
        "calendar-folded.eml",
        mail(
            "BEGIN:VCALENDAR\r\nURL:https://e.example/very/lo\r\n ng/link\r\nEND:VCALENDAR\r\n",
            "Content-Type: text/calendar; charset=utf-8",
        ),
        {"1 VCALENDAR.URL": ["https://e.example/very/long/link"]},
    )


def charset_samples() -> Iterator[Sample]:
    """Character sets."""
    text = "Straße: https://e.example/straße\n"
    yield Sample("latin-1.eml", plain(text.encode("latin-1"), "iso-8859-1"), {"1": ["https://e.example/stra%C3%9Fe"]})
    cyrillic = "https://e.example/путь\n"
    path = "https://e.example/%D0%BF%D1%83%D1%82%D1%8C"
    for name, codec in (("koi8-r", "koi8-r"), ("windows-1251", "cp1251"), ("iso-8859-5", "iso8859-5")):
        yield Sample(f"{name}.eml", plain(cyrillic.encode(codec), name), {"1": [path]})
    yield Sample(
        "vietnamese-decomposed.eml",
        plain("https://e.example/Vi\u00ea\u0323t\n".encode("cp1258"), "windows-1258"),
        {"1": ["https://e.example/Vi%E1%BB%87t"]},
    )
    japanese = "https://e.example/日本\n"
    path = "https://e.example/%E6%97%A5%E6%9C%AC"
    for name, codec in (("iso-2022-jp", "iso2022_jp"), ("shift_jis", "cp932"), ("euc-jp", "euc_jp")):
        yield Sample(f"{name}.eml", plain(japanese.encode(codec), name, "8bit"), {"1": [path]})
    yield Sample("gb2312.eml", plain("https://e.example/日本\n".encode("gb2312"), "GB2312"), {"1": [path]})
    yield Sample("big5.eml", plain(japanese.encode("big5"), "Big5"), {"1": [path]})
    yield Sample(
        "ks-c-5601-1987.eml",
        plain("https://e.example/한국\n".encode("cp949"), "ks_c_5601-1987"),
        {"1": ["https://e.example/%ED%95%9C%EA%B5%AD"]},
    )
    yield Sample(
        "utf-7.eml",
        plain("See https://e.example/ä.\n".encode("utf-7"), "utf-7", "7bit"),
        {"1": ["https://e.example/%C3%A4"]},
    )
    yield Sample("utf-16.eml", plain(b64(japanese.encode("utf-16")), "utf-16", "base64"), {"1": [path]})
    yield Sample("utf-8-mark.eml", plain(b"\xef\xbb\xbf" + japanese.encode()), {"1": [path]})
    yield Sample("charset-missing.eml", mail(japanese.encode(), "Content-Type: text/plain"), {"1": [path]})
    yield Sample(
        "charset-unknown.eml",
        plain("http://e.example/a\n", "x-unknown"),
        {"1": ["http://e.example/a"]},
        broken=("part/unknown-charset",),
    )
    yield Sample(
        "charset-ascii-but-utf-8.eml",
        plain(japanese, "us-ascii"),
        {"1": [path]},
        broken=("part/wrong-charset",),
    )
    yield Sample(
        "charset-wrong.eml",
        plain(b"\xe4 http://e.example/a\n", "utf-8"),
        {"1": ["http://e.example/a"]},
        broken=("part/wrong-charset",),
    )
    yield Sample(
        "charset-in-html.eml",
        mail(b'<meta charset="windows-1251"><p>' + cyrillic.encode("cp1251"), "Content-Type: text/html"),
        {"1": ["https://e.example/%D0%BF%D1%83%D1%82%D1%8C"]},
    )


def header_samples() -> Iterator[Sample]:
    """Header fields."""
    yield Sample(
        "subject-encoded-q.eml",
        mail("x\n", subject="=?utf-8?Q?see_http=3A//e.example/=C3=A4_now?="),
        {"header:Subject": ["http://e.example/%C3%A4"]},
    )
    yield Sample(
        "subject-encoded-b-split.eml",
        mail("x\n", subject="=?utf-8?B?aHR0cDovL2UuZXhhbXBsZS/D?=\n =?utf-8?B?pC9i?="),
        {"header:Subject": ["http://e.example/%C3%A4/b"]},
    )
    yield Sample(
        "subject-8-bit.eml", mail("x\n", subject="http://e.example/ä"), {"header:Subject": ["http://e.example/%C3%A4"]}
    )
    yield Sample(
        "subject-bad-word.eml",
        mail("x\n", subject="=?utf-8?B?a?= http://e.example/x"),
        {"header:Subject": ["http://e.example/x"]},
        broken=("header/bad-encoded-word",),
    )
    yield Sample(
        "list-fields.eml",
        mail(
            "x\n",
            "List-Unsubscribe: <https://lists.example/u?a=1>,\n\t<mailto:leave@lists.example?subject=u>",
            "List-Archive: <https://lists.example/very/\n long/>",
            "Archived-At: <https://lists.example/msg/1>",
            "X-Face: a:b:c",
        ),
        {
            "header:List-Unsubscribe": ["https://lists.example/u?a=1", "mailto:leave@lists.example?subject=u"],
            "header:List-Archive": ["https://lists.example/very/long/"],
            "header:Archived-At": ["https://lists.example/msg/1"],
        },
        warnings=("whitespace-removed",),
    )
    yield Sample(
        "references.eml",
        mail(
            "mid:a@e.example and cid:part1@e.example\n",
            "Message-ID: <news:1@e.example>",
            "References: <a.b@e.example> <http://e.example/thread/1>\n <c@[IPv6:2001:db8::1]>",
            "In-Reply-To: <mailto@e.example>",
            "DKIM-Signature: v=1; d=e.example; h=from:to:subject:news:tag",
        ),
        {
            "header:Message-ID": ["news:1@e.example"],
            "header:References": ["http://e.example/thread/1"],
            "1": ["mid:a@e.example", "cid:part1@e.example"],
        },
    )
    yield Sample(
        "parameters.eml",
        mail(
            "x\n",
            "Content-Type: text/plain; charset*=us-ascii'en'utf-8;\n name*0*=utf-8''http%3A%2F%2Fe.example%2F;\n"
            " name*1*=%C3%A4; name*2=/b",
        ),
        {"header:Content-Type": ["http://e.example/%C3%A4/b"]},
    )
    yield Sample(
        "external-body.eml",
        mail(
            "Content-Type: image/png\n\n",
            'Content-Type: message/external-body; access-type=URL; URL="http://e.example/picture.png"',
        ),
        {"header:Content-Type": ["http://e.example/picture.png"]},
    )
    yield Sample(
        "no-empty-line.eml",
        b"Subject: a\nFrom: a@e.example\nHello http://e.example/ there\n",
        {"1": ["http://e.example/"]},
        broken=("header/no-blank-line",),
    )
    yield Sample(
        "garbage-in-header.eml",
        b"Subject: a\n\xff\xfe garbage http://g.example/ \x00\nMIME-Version: 1.0\nContent-Type: text/plain\n"
        b"Content-Transfer-Encoding: base64\n\n" + base64.encodebytes(b"http://e.example/\n"),
        {"header": ["http://g.example/"], "1": ["http://e.example/"]},
        broken=("header/bad-header-line",),
    )
    yield Sample(
        "envelope-line.eml",
        b"From a@e.example Mon Jan  1 00:00:00 2024\n" + plain("http://e.example/\n"),
        {"1": ["http://e.example/"]},
    )
    yield Sample("no-header.eml", b"\nhttp://e.example/\n", {"1": ["http://e.example/"]})
    yield Sample(
        "crlf.eml",
        plain("http://e.example/a\nhttp://e.example/b\n").replace(b"\n", b"\r\n"),
        {"1": ["http://e.example/a", "http://e.example/b"]},
    )
    yield Sample(
        "cr.eml",
        plain("http://e.example/a\nhttp://e.example/b\n").replace(b"\n", b"\r"),
        {"1": ["http://e.example/a", "http://e.example/b"]},
    )
    yield Sample(
        "nul-bytes.eml",
        plain(b"\x00http://e.example/a\x00b\nhttp://e.example/c\x00\n"),
        {"1": ["http://e.example/a", "http://e.example/c"]},
    )


def structure_samples() -> Iterator[Sample]:
    """Parts."""
    text = "Content-Type: text/plain\n\nhttp://e.example/{}\n"
    page = 'Content-Type: text/html\n\n<a href="http://e.example/{}">http://e.example/{}</a>\n'
    yield Sample(
        "mixed.eml",
        multipart(parts("mixed", text.format("a"), text.format("b"))),
        {"1": ["http://e.example/a"], "2": ["http://e.example/b"]},
    )
    yield Sample(
        "alternative.eml",
        multipart(parts("alternative", text.format("a"), page.format("a", "a"))),
        {"1": ["http://e.example/a"]},
    )
    yield Sample(
        "alternative-more-in-html.eml",
        multipart(parts("alternative", text.format("a"), page.format("a", "b"))),
        {"1": ["http://e.example/a"], "2": ["http://e.example/b"]},
    )
    related = parts("related", page.format("a", "c"), text.format("d"), boundary="b2")
    yield Sample(
        "alternative-related.eml",
        multipart(parts("mixed", parts("alternative", text.format("a"), related, boundary="b3"), text.format("a"))),
        {
            "1.1": ["http://e.example/a"],
            "1.2.1": ["http://e.example/c"],
            "1.2.2": ["http://e.example/d"],
            "2": ["http://e.example/a"],
        },
    )
    inner = "Message-ID: <inner@e.example>\nSubject: http://i.example/s\n\nhttp://i.example/b\n"
    yield Sample(
        "nested.eml",
        multipart(parts("mixed", text.format("a"), f"Content-Type: message/rfc822\n\n{inner}")),
        {"1": ["http://e.example/a"], "2.header:Subject": ["http://i.example/s"], "2.1": ["http://i.example/b"]},
    )
    yield Sample(
        "nested-base64.eml",
        mail(b64(inner.encode()), "Content-Type: message/rfc822", "Content-Transfer-Encoding: base64"),
        {"1.header:Subject": ["http://i.example/s"], "1.1": ["http://i.example/b"]},
    )
    yield Sample(
        "digest.eml",
        multipart(parts("digest", f"\n{inner}", f"\n{inner}")),
        {
            "1.header:Subject": ["http://i.example/s"],
            "1.1": ["http://i.example/b"],
            "2.header:Subject": ["http://i.example/s"],
            "2.1": ["http://i.example/b"],
        },
    )
    yield Sample(
        "multipart-base64.eml",
        mail(
            b64(b"--b1\n\nhttp://e.example/a\n--b1--\n"),
            "Content-Type: multipart/mixed; boundary=b1",
            "Content-Transfer-Encoding: base64",
        ),
        {"1": ["http://e.example/a"]},
    )
    yield Sample(
        "boundary-missing.eml",
        mail(f"--b1\n{text.format('a')}--b1--\n", "Content-Type: multipart/mixed"),
        {"1": ["http://e.example/a"]},
        broken=("part/no-boundary",),
    )
    yield Sample(
        "boundary-wrong.eml",
        mail(f"--b1\n{text.format('a')}--b1--\n", "Content-Type: multipart/mixed; boundary=b2"),
        {"1": ["http://e.example/a"]},
        broken=("part/boundary-not-found",),
    )
    yield Sample(
        "boundary-nowhere.eml",
        mail("http://e.example/a\n", "Content-Type: multipart/mixed; boundary=b2"),
        {"1": ["http://e.example/a"]},
        broken=("part/boundary-not-found",),
    )
    yield Sample(
        "boundary-prefix.eml",
        multipart(parts("mixed", parts("mixed", text.format("a"), boundary="b11"), text.format("b"))),
        {"1.1": ["http://e.example/a"], "2": ["http://e.example/b"]},
    )
    yield Sample(
        "boundary-blanks.eml",
        mail(f"--b 1  \n{text.format('a')}\n--b 1--\t\n", 'Content-Type: multipart/mixed; boundary="b 1"'),
        {"1": ["http://e.example/a"]},
    )
    yield Sample(
        "truncated.eml",
        multipart(parts("mixed", text.format("a"), text.format("b"), end=""))[:-5],
        {"1": ["http://e.example/a"], "2": ["http://e.example/b"]},
        broken=("part/no-closing-boundary",),
    )
    yield Sample(
        "preamble-epilogue.eml",
        multipart(parts("mixed", text.format("a"))).replace(b"no MIME here", b"http://p.example/")
        + b"_______\nhttps://lists.example/info\n",
        {"preamble": ["http://p.example/"], "1": ["http://e.example/a"], "epilogue": ["https://lists.example/info"]},
    )
    deep = text.format("deep")
    for level in range(40):
        deep = parts("mixed", deep, boundary=f"b{level}-")
    yield Sample(
        "deep.eml", multipart(deep), {".".join("1" * 32): ["http://e.example/deep"]}, broken=("part/nested-too-deep",)
    )
    yield Sample(
        "delivery-status.eml",
        multipart(
            parts(
                "report",
                text.format("a"),
                "Content-Type: message/delivery-status\n\nReporting-MTA: dns; e.example\n\n"
                "Diagnostic-Code: smtp; 550 see https://e.example/policy\n",
            )
        ),
        {"1": ["http://e.example/a"], "2": ["https://e.example/policy"]},
    )
    yield Sample(
        "content-type-bad.eml", mail("http://e.example/a\n", "Content-Type: text"), {"1": ["http://e.example/a"]}
    )
    attached = "Content-Disposition: attachment; filename={}\nContent-Transfer-Encoding: base64\n\n{}"
    yield Sample(
        "attachments.eml",
        multipart(
            parts(
                "mixed",
                "Content-Type: application/octet-stream\n" + attached.format("a.log", b64(b"http://e.example/log\n")),
                "Content-Type: application/octet-stream\n"
                + attached.format("a.html", b64(b"<a href=http://e.example/h>")),
                "Content-Type: application/octet-stream\n" + attached.format("a.bin", b64(bytes(range(256)))),
                "Content-Type: image/png\n" + attached.format("a.png", b64(b"http://not.example/\n")),
                'Content-Type: application/json\n\n["http://e.example/json"]',
            )
        ),
        {"1": ["http://e.example/log"], "2 a@href": ["http://e.example/h"], "5 [0]": ["http://e.example/json"]},
        skipped=("attachment/application", "attachment/image"),
    )
    yield Sample(
        "pgp-signed-inline.eml",
        plain(
            "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nhttp://e.example/a\n- -- \nx\n"
            "-----BEGIN PGP SIGNATURE-----\nComment: see https://pgp.example/\n\niQEzBAEBCAAdFiEE\n=abcd\n"
            "-----END PGP SIGNATURE-----\n"
        ),
        {"1": ["http://e.example/a", "https://pgp.example/"]},
        skipped=("armour/pgp", "armour/pgp"),
    )
    yield Sample(
        "pgp-encrypted.eml",
        multipart(
            parts(
                "encrypted",
                "Content-Type: application/pgp-encrypted\n\nVersion: 1\n",
                "Content-Type: application/octet-stream\n\n-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----",
                more="; protocol=application/pgp-encrypted",
            )
        ),
        {},
        skipped=("part/pgp",),
    )
    yield Sample(
        "smime.eml",
        multipart(
            parts(
                "signed",
                text.format("a"),
                "Content-Type: application/pkcs7-signature; name=smime.p7s\nContent-Transfer-Encoding: base64\n\nMIIB\n",
            )
        ),
        {"1": ["http://e.example/a"]},
        skipped=("part/smime",),
    )


def html_samples() -> Iterator[Sample]:
    """HTML."""
    yield Sample(
        "html-joined.eml",
        html("<p>https://e.example/ve<wbr>ry<b>/long</b></p>http://f.example/<br>x"),
        {"1": ["https://e.example/very/long", "http://f.example/"]},
    )
    yield Sample(
        "html-references.eml",
        html("<a href='http://e.example/?a=1&amp;b=2&copy=3&#x26;d'>x</a> http://f.example/?a&amp;b"),
        {"1": ["http://f.example/?a&b"], "1 a@href": ["http://e.example/?a=1&b=2&copy=3&d"]},
    )
    yield Sample(
        "html-base.eml",
        html('<base href="https://e.example/x/y"><a href="../z">z</a><img src=i.png><a href="#top">top</a>'),
        {
            "1 base@href": ["https://e.example/x/y"],
            "1 a@href": ["https://e.example/z"],
            "1 img@src": ["https://e.example/x/i.png"],
        },
        skipped=("reference/same-document",),
    )
    yield Sample(
        "html-no-base.eml",
        html('<a href="../z">z</a><a href="//e.example/">y</a>'),
        {},
        skipped=("reference/no-base",),
    )
    yield Sample(
        "html-content-location.eml",
        html('<a href="../z">z</a>', "Content-Location: https://e.example/x/y"),
        {"header:Content-Location": ["https://e.example/x/y"], "1 a@href": ["https://e.example/z"]},
    )
    yield Sample(
        "html-conditional-comment.eml",
        html(
            '<!--[if mso]><a href="http://e.example/mso">x</a><![endif]--><![if !mso]><img src="http://e.example/i"><![endif]>'
        ),
        {"1 a@href": ["http://e.example/mso"], "1 img@src": ["http://e.example/i"]},
    )
    yield Sample(
        "html-footer.eml",
        html("<html><body>x</body></html>\n_____\nhttps://lists.example/info\n"),
        {"1": ["https://lists.example/info"]},
    )
    yield Sample(
        "html-text-differs.eml",
        html(
            '<a href="http://evil.example/">https://bank.example/</a><a href="http://bank.example/x">www.bank.example</a>'
        ),
        {"1": ["https://bank.example/"], "1 a@href": ["http://evil.example/", "http://bank.example/x"]},
        warnings=("text-differs-from-target",),
    )
    yield Sample(
        "html-attributes.eml",
        html(
            '<meta http-equiv=refresh content="0; url=http://e.example/1"><img srcset="http://e.example/2 1x,http://e.example/3,4 2x">'
            "<form action=http://e.example/5><button formaction=http://e.example/6></form><video poster=http://e.example/7>"
            "<blockquote cite=http://e.example/8><object data=http://e.example/9></object><svg><use xlink:href='http://e.example/10'/></svg>"
            "<td background=http://e.example/11 style=\"background:url('http://e.example/12')\">"
        ),
        {
            "1 meta@content": ["http://e.example/1"],
            "1 img@srcset": ["http://e.example/2", "http://e.example/3,4"],
            "1 form@action": ["http://e.example/5"],
            "1 button@formaction": ["http://e.example/6"],
            "1 video@poster": ["http://e.example/7"],
            "1 blockquote@cite": ["http://e.example/8"],
            "1 object@data": ["http://e.example/9"],
            "1 use@xlink:href": ["http://e.example/10"],
            "1 td@background": ["http://e.example/11"],
            "1 td@style": ["http://e.example/12"],
        },
    )
    yield Sample(
        "html-quoted-printable.eml",
        mail(
            quopri.encodestring(b'<a href="https://e.example/' + b"long/" * 30 + b'?a=1">x</a>'),
            "Content-Type: text/html",
            "Content-Transfer-Encoding: quoted-printable",
        ),
        {"1 a@href": ["https://e.example/" + "long/" * 30 + "?a=1"]},
    )
    yield Sample(
        "html-unclosed-tag.eml",
        html('<p>http://e.example/a</p><a href="http://e.example/b'),
        {"1": ["http://e.example/a", "http://e.example/b"]},
    )
    yield Sample(
        "html-script.eml",
        html('<script>var u = "http://e.example/js";b="<b>";</script><style>a{b:url(http://e.example/css)}</style>'),
        {"1": ["http://e.example/js", "http://e.example/css"]},
    )


def mailbox_samples() -> Iterator[Sample]:
    """Mailboxes."""
    envelope = b"From a@e.example Mon Jan  1 00:00:00 2024\n"
    yield Sample(
        "mboxrd.mbox",
        envelope
        + plain(b">From http://e.example/a\n>>From http://e.example/b\n\nFrom there to here http://e.example/c\n\n")
        + envelope
        + plain(b"http://e.example/d\n"),
        {"1:1": ["http://e.example/a", "http://e.example/b", "http://e.example/c"], "2:1": ["http://e.example/d"]},
    )
    body = b"x\n\n" + envelope + b"To: a\n\nhttp://e.example/quoted\n"
    counted = mail(body, f"Content-Length: {len(body)}")
    yield Sample(
        "mboxcl2.mbox",
        envelope + counted + b"\n" + envelope + plain(b"http://e.example/b\n"),
        {"1:1": ["http://e.example/quoted"], "2:1": ["http://e.example/b"]},
    )
    counted = mail(b"http://e.example/a\n", "Content-Length: 5000")
    yield Sample(
        "mboxcl-wrong-length.mbox",
        envelope + counted + b"\n" + envelope + plain(b"http://e.example/b\n"),
        {"1:1": ["http://e.example/a"], "2:1": ["http://e.example/b"]},
    )
    crlf = (envelope + plain(b"http://e.example/a\n\n") + envelope + plain(b"http://e.example/b\n")).replace(
        b"\n", b"\r\n"
    )
    yield Sample("crlf.mbox", crlf, {"1:1": ["http://e.example/a"], "2:1": ["http://e.example/b"]})


def samples() -> list[Sample]:
    """All of them."""
    return [
        *transfer_samples(),
        *flow_samples(),
        *charset_samples(),
        *header_samples(),
        *structure_samples(),
        *html_samples(),
        *mailbox_samples(),
    ]


def main(folder: Path) -> None:
    """Write the messages and the table."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for sample in samples():
        (folder / sample.name).write_bytes(sample.data)
        row: dict[str, object] = {"file": sample.name, "found": sample.found}
        for name in ("skipped", "broken", "warnings"):
            value = getattr(sample, name)
            if value:
                row[name] = list(value)
        rows.append(json.dumps(row, ensure_ascii=False))
    (folder / "expected.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
