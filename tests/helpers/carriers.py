"""The same passages of text in a small file of each kind, with the links that only such a kind has beside them.

A passage stands in each file as text of its kind, escaped as the kind asks, so that a search in the passage alone finds
the same. What a file has besides, links in attributes, labelled numbers and the like, `is_own` tells apart.
"""

from __future__ import annotations

import base64
import csv
import html
import io
import json
import plistlib
import quopri
import sqlite3
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

from tests.helpers.containers import CONTAINERS
from urisieve.options import Charset

__all__ = ["CARRIERS", "PASSAGES", "Carrier", "is_own"]

# For each option something that it finds or judges otherwise; what is rejected, and what may be read in two ways.
PASSAGES: Final = (
    "see HTTP://www.A.example:80/%7ex?b=2&utm_source=y&a=1#top and http://a.example/~x, (http://a.example/b).",
    "names, www.b.example/x, c.example.com/y?z and ann@c.example.com; //d.example.com/",
    "defanged, hxxps://d[.]example/z, hxxp[:]//e(dot)example.com/ and f dot example dot com",
    "numbers, 10.1000/182, ISBN 0-395-36341-1, ISSN 0317-8471, 0000-0002-1825-0097, ark:/13030/tf5p30086k, 20.1000/100",
    "wrong, ISBN 0-395-36341-2 and urn:isbn:0395363412",
    "names of names, urn:example:a?=b#c urn:isbn:0-395-36341-1 doi:10.1000/183 info:lccn/2002022641",
    'marks, "http://g.example/a|b" <http://g.example/a b> http://g.example/{c}',
    "inside, http://h.example/http://i.example/?u=urn:isbn:0395363411",
    "wrapped, https://www.google.com/url?q=http%3A%2F%2Fj.example%2F&sa=D http://k.example/?to=http%3A%2F%2Fl.example%2F",
    "others, http://paypal.com@127.1/ http://rnicrosoft.com/ http://\u0430.example/ http://joe:pass@m.example/",
    "not valid, http://n.example/100%zz http://n.example:8o/ http://[fe80::1%25eth0]/",
    "schemes, javascript:alert(1) crate://ab1 shelf:ab/1 x-y:z ftp://o.example/ tel:+1-201-555-0123",
    "beyond ASCII, http://p.example/e\u0301 http://\u00fc.example/\u00e9?\u00fc=\u1fef \u6f22\u5b57http://q.example/\u6f22",
    f"long, http://r.example/{'x' * 60} and http://r.example/{'y' * 90}",
    "two ways, http://s.example/a.b...c http://s.example/why\u2026 http://s.example/d,http://s.example/e",
)
_TEXT: Final = "".join(f"{passage}\n" for passage in PASSAGES)
_ISBN: Final = "978-0-306-40615-7"
_SCHEME: Final = "own.example: www.own.example.com, //own.example/"  # a value that begins with one
_OWN: Final = ("own.example", "own[.]example", "own%5B.%5Dexample", "9780306406157")
_DATE: Final = "Fri, 31 May 2024 15:05:00 +0200"


class Carrier(NamedTuple):
    """A small file.

    Attributes:
        data: its bytes.
        shows: how often it has the passages, one after the other.
        charset: what it states of its text, whatever `Options.charset` is; None if that counts.
        repeats_rejections: whether what is rejected in one form of a content is rejected in another one too.
    """

    data: bytes
    shows: int = 1
    charset: Charset | None = Charset.UNICODE
    repeats_rejections: bool = False


def is_own(uri: str) -> bool:
    """Report whether an identifier stands in a file besides the passages."""
    return any(mark in uri for mark in _OWN)


def _paragraphs(tag: str = "p") -> str:
    return "".join(f"<{tag}>{html.escape(passage)}</{tag}>\n" for passage in PASSAGES)


def _srcdoc() -> str:
    return html.escape('<a href="in/own">x</a> http://srcdoc.own.example/ <a href="//two.own.example/">two</a>')


def _page(*, late: bool = False, charset: str = "utf-8") -> str:
    base = '<base href="http://base.own.example/a/">'
    return (
        f'<!doctype html><html><head><meta charset="{charset}">{"" if late else base}<title>a http://title.own.example/'
        '</title><link rel="stylesheet" href="a.own.example/s.css"><style>a { background: url(../img/own.example) }'
        "</style></head><body><!-- http://comment.own.example/ -->"
        '<a href="http://target.own.example/">http://shown.own.example/</a> <a href=" c/own.example?d&amp;e ">c</a>'
        '<img src="i.own.example" srcset="s1.own.example 1x, http://s2.own.example/a,b 2x" alt="www.own.example.com">'
        f'<iframe srcdoc="{_srcdoc()}"></iframe><p data-x="see http://data.own.example/ and ann@own.example.com">x</p>'
        '<a href="javascript:go(\'http://script.own.example/\')">x</a><a href="http://own.example/a b|c">y</a>'
        '<a href="mailto:own@own.example?cc=b">z</a><a href="hxxp://own[.]example/">f</a><a href="http://own.example:x">'
        f'r</a><meta name="isbn" content="{_ISBN}"><script>go("http:\\/\\/js.own.example\\/")</script>'
        f"{_paragraphs()}{base if late else ''}<a href='last.own.example'>http://last.own.example/</a>"
    )


def _lines() -> str:
    rows: list[object] = [*({"text": passage} for passage in PASSAGES), {"note": _SCHEME}]
    rows += [
        {"url": "http://own.example/a b", "more": [{"x": " http://own.example/|x "}, "//own.example/"]},
        {"isbn": _ISBN, "email": "ann@own.example.com", "host": "www.own.example.com"},
        {"page": "<p>see <a href='http://own.example/?a&amp;b'>www.own.example.com</a></p>"},
        {"inner": json.dumps({"url": "http://inner.own.example/\u00e9"})},
    ]
    ascii_only = [json.dumps(row).replace("/", "\\/") for row in rows[-4:]]
    plain = [json.dumps(row, ensure_ascii=False) for row in rows[:-4]]
    return "\n".join([*plain, *ascii_only, "no json http://broken.own.example/", ""])


def _document() -> str:
    value = {
        "passages": PASSAGES,
        "isbn": _ISBN,
        "links": {"url": "http://own.example/a b", "b": ["//own.example/", _SCHEME]},
    }
    return json.dumps(value, indent=1).replace("ISBN", "\\u0049SBN")


def _table(delimiter: str) -> str:
    out = io.StringIO()
    rows = csv.writer(out, delimiter=delimiter)
    rows.writerow(["id", "isbn", "url", "text"])
    for number, passage in enumerate(PASSAGES):
        rows.writerow([number, _ISBN, f"http://own.example/{number} x", passage])
    rows.writerow([98, "", "", _SCHEME])
    rows.writerow([99, "", "www.own.example.com", "two\nlines, \"http://own.example/quoted\" <a href='c'>own</a>"])
    return out.getvalue()


def _xml() -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<f xml:base="http://base.own.example/a/" '
        'xmlns:x="http://own.example/ns" xmlns:xlink="http://www.w3.org/1999/xlink"><!-- http://c.own.example/ -->'
        f'<l xlink:href="c/own.example" href="http://own.example/a b"/><x:isbn>{_ISBN}</x:isbn>{_paragraphs("t")}'
        '<g xml:base="d/"><l href="own.example"/></g><c><![CDATA[<a href="http://cdata.own.example/?a&amp;b">]]></c>'
        "<e>&amp;lt;a href='http://own.example/escaped'></e></f>\n"
    )


def _record(kind: str, name: str, head: str, body: bytes) -> bytes:
    payload = head.encode() + body
    return (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {name}\r\nWARC-Date: 2024-05-31T13:05:07Z\r\n"
        f"WARC-Record-ID: <urn:uuid:own.example-{len(body)}>\r\n"
        f"Content-Type: {'application/http; msgtype=response' if head else 'text/plain'}\r\n"
        f"Content-Length: {len(payload)}\r\n\r\n"
    ).encode() + (payload + b"\r\n\r\n")


def _archive() -> bytes:
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nLocation: /own.example\r\n\r\n"
    pages = [
        _record("response", f"http://own.example/{late}", head, _page(late=late).encode()) for late in (False, True)
    ]
    return b"".join([*pages, _record("resource", "http://own.example/text", "", _TEXT.encode())])


_HEAD: Final = (
    f"From: Ada <ada@own.example.com>\nTo: b@own.example.com\nDate: {_DATE}\nSubject: =?utf-8?q?caf=C3=A9?= "
    "http://own.example/subject\nMessage-ID: <{}@own.example.com>\nMIME-Version: 1.0\n"
)


def _part(kind: str, text: str, coding: str = "8bit") -> str:
    data = text.encode()
    coders = {"base64": base64.encodebytes, "quoted-printable": quopri.encodestring}
    if coding in coders:
        data = coders[coding](data)
    return f"Content-Type: text/{kind}; charset=utf-8\nContent-Transfer-Encoding: {coding}\n\n{data.decode()}\n"


def _messages(*bodies: str) -> str:
    return "".join(
        f"From ada@own.example.com Fri May 31 13:05:07 2024\n{_HEAD.format(number)}{body}\n"
        for number, body in enumerate(bodies)
    )


def _alternative() -> str:
    plain, page = _part("plain", _TEXT), _part("html", _page(), "base64")
    return f'Content-Type: multipart/alternative; boundary="x"\n\n--x\n{plain}--x\n{page}--x--\n'


def _folded(name: str, value: str) -> str:
    marked = value.replace("\\", "\\\\").replace(",", "\\,").replace(";", "\\;")
    line = f"{name}:{marked}"
    return "\r\n ".join(line[start : start + 60] for start in range(0, len(line), 60)) + "\r\n"


def _calendar() -> str:
    texts = "".join(_folded("DESCRIPTION", passage) for passage in PASSAGES)
    return (
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nDTSTART:20240531T130507Z\r\nORGANIZER:mailto:own@own.example\r\n"
        f"URL:http://own.example/a b\r\n{texts}CONFERENCE:https://own.example/conf\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )


def _card() -> str:
    texts = "".join(_folded("NOTE", passage) for passage in PASSAGES)
    return (
        "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ada\r\nURL:http://own.example/\r\nEMAIL:ada@own.example.com\r\n"
        f"{texts}END:VCARD\r\n"
    )


def _database() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a"
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, isbn TEXT, url TEXT, text TEXT)")
        rows = [(_ISBN, f"http://own.example/{number} x", passage) for number, passage in enumerate(PASSAGES)]
        rows.append(("", "", _SCHEME))
        connection.executemany("INSERT INTO t (isbn, url, text) VALUES (?, ?, ?)", rows)
        connection.commit()
        connection.close()
        return path.read_bytes()


def _library_record() -> bytes:
    fields = [("020", f"  \x1fa{_ISBN}"), ("856", "40\x1fuhttp://own.example/a b\x1fzsee www.own.example.com")]
    fields += [("520", f"  \x1fa{passage}") for passage in PASSAGES]
    directory, body = "", b""
    for tag, value in fields:
        data = value.encode() + b"\x1e"
        directory += f"{tag}{len(data):04}{len(body):05}"
        body += data
    base = 25 + len(directory)
    return f"{base + len(body) + 1:05}nam a22{base:05}   4500{directory}\x1e".encode() + body + b"\x1d"


def _rich() -> str:
    def marked(text: str) -> str:
        units = text.encode("utf-16-le")
        pairs = [int.from_bytes(units[at : at + 2], "little", signed=True) for at in range(0, len(units), 2)]
        escaped = [f"\\u{unit}?" if not 0 <= unit < 128 else chr(unit) for unit in pairs]
        return "".join(f"\\{one}" if one in "\\{}" else one for one in escaped)

    link = '{\\field{\\*\\fldinst{HYPERLINK "http://target.own.example/"}}{\\fldrslt{http://shown.own.example/}}}'
    return "{\\rtf1\\ansi\\uc1 " + link + "".join(f"\\par {marked(passage)}" for passage in PASSAGES) + "\\par}"


def _word() -> bytes:
    space = "http://schemas.openxmlformats.org"
    word, office = f"{space}/wordprocessingml/2006/main", f"{space}/officeDocument/2006/relationships"
    package = f"{space}/package/2006"
    texts = "".join(f"<w:p><w:r><w:t>{html.escape(passage)}</w:t></w:r></w:p>" for passage in PASSAGES)
    files = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Override PartName="/word/document.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{office}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r2" '
        f'Type="{office}/hyperlink" Target="http://target.own.example/" TargetMode="External"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{word}" xmlns:r="{office}"><w:body><w:p><w:hyperlink r:id="r2">'
        f"<w:r><w:t>http://shown.own.example/</w:t></w:r></w:hyperlink></w:p>{texts}</w:body></w:document>",
    }
    return CONTAINERS["a.zip"]({name: text.encode() for name, text in files.items()})


def _made() -> dict[str, Carrier]:
    members = {"a.txt": _TEXT.encode(), "b.html": _page().encode(), "c.csv": _table(",").encode()}
    plist = {"passages": list(PASSAGES), "isbn": _ISBN, "url": "http://own.example/a b", "note": _SCHEME}
    legacy = _page(charset="windows-1252").encode("windows-1252", "xmlcharrefreplace")
    return {
        "text.txt": Carrier(_TEXT.encode(), charset=None),
        "page.html": Carrier(_page().encode()),
        "late.html": Carrier(_page(late=True).encode()),
        "legacy.html": Carrier(legacy, charset=Charset.LEGACY),
        "lines.jsonl": Carrier(_lines().encode()),
        "document.json": Carrier(_document().encode()),
        "table.csv": Carrier(_table(",").encode()),
        "table.tsv": Carrier(_table("\t").encode()),
        "feed.xml": Carrier(_xml().encode()),
        "crawl.warc": Carrier(_archive(), shows=3),
        "two.mbox": Carrier(
            _messages(_part("plain", _TEXT), _part("html", _page(), "quoted-printable")).encode(), shows=2
        ),
        "coded.mbox": Carrier(
            _messages(_part("plain", _TEXT, "base64"), _part("plain", _TEXT, "quoted-printable")).encode(), shows=2
        ),
        "alternative.eml": Carrier((_HEAD.format(1) + _alternative()).encode(), repeats_rejections=True),
        "event.ics": Carrier(_calendar().encode()),
        "card.vcf": Carrier(_card().encode()),
        "rows.db": Carrier(_database()),
        "binary.plist": Carrier(plistlib.dumps(plist, fmt=plistlib.FMT_BINARY)),
        "list.plist": Carrier(plistlib.dumps(plist)),
        "record.mrc": Carrier(_library_record()),
        "rich.rtf": Carrier(_rich().encode()),
        "word.docx": Carrier(_word()),
        "some.zip": Carrier(CONTAINERS["a.zip"](members), shows=3),
        "text.gz": Carrier(CONTAINERS["log.gz"]({"a": _TEXT.encode()})),
    }


CARRIERS: Final = _made()
