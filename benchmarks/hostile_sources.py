"""Hostile files of every source, and how prose is written in each, to be measured against."""

from __future__ import annotations

import bz2
import gzip
import io
import itertools
import json
import lzma
import struct
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Final

from benchmarks.hostile_shapes import Shape
from benchmarks.hostile_texts import FIRST, LAST, Make, filled, joined, prose, repeated

__all__ = ["ENDINGS", "SOURCES", "plain"]

_HEADER = b"From: a@b.example\nTo: c@d.example\nSubject: x\nMIME-Version: 1.0\n"
_ENVELOPE = "From a@b.example Mon Jan  1 00:00:00 2024\n"
_MESSAGE = f"{_ENVELOPE}From: ¤@b.example\nSubject: ¤¤\n\n"
_OTHER = f"{_ENVELOPE}Subject: x\n\n"
_WARC = "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://t.example/\r\nContent-Type: {media}\r\n"
# Python has it from 3.14 on.
_ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
_ANSWER = "application/http; msgtype=response"


def _between(head: bytes, before: bytes, unit: str | bytes, after: bytes, *, opener: str = "") -> Make:
    """A file with a link before what is hostile and one after it."""
    return lambda size: joined(head, before, opener.encode(), filled(unit, size), after)


# ---- mail


def _mail(
    head: bytes, unit: str | bytes, *, first: bytes = b"\n" + FIRST + b"\n\n", last: bytes = b"\n" + LAST
) -> Make:
    return lambda size: joined(_HEADER, head, first, filled(unit, size), last, b"\n")


def _in_header(field: str, unit: str) -> Make:
    """A header of the size asked for, with a body behind it."""
    first = field.encode()
    return lambda size: joined(_HEADER, first, filled(unit, size), b"\nX: y\n\n", FIRST, b"\n", LAST, b"\n")


_MIXED = b"Content-Type: multipart/mixed; boundary=b\n"
_PART = "--b\nContent-Type: text/plain\n\n¤¤ http://¤¤¤.com/\n"
_ENDS = (b"\n--b\n\n" + FIRST + b"\n", b"\n--b\n\n" + LAST + b"\n--b--\n")


def _nested(levels: int) -> Make:
    """Parts in parts; the last of them has the text."""

    def make(size: int) -> Iterator[bytes]:
        parts = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(levels))
        ends = b"".join(b"\n--b%d--\n" % n for n in reversed(range(levels)))
        text = joined(b"\n", FIRST, b"\n", filled("¤¤¤ ¤¤¤¤¤ http://¤¤¤¤.com/\n", size), LAST)
        return joined(_HEADER, parts, text, ends)

    return make


def _forwarded(levels: int) -> Make:
    forward = b"From: a@b.example\nSubject: x\nContent-Type: message/rfc822\n\n"
    return lambda size: joined(
        forward * levels, _HEADER, b"\n", FIRST, b"\n", filled("¤¤¤ ¤¤¤¤¤ http://¤¤¤¤.com/\n", size), LAST
    )


_MAIL: tuple[tuple[str, Make], ...] = (
    ("prose", _mail(b"", "¤¤¤¤ ¤¤¤¤¤¤ ¤¤ ¤¤¤¤\n")),
    ("a header field of many lines", _in_header("Subject:", " ¤¤¤¤¤¤\n")),
    ("a header field of one line", _in_header("Subject: ", "¤¤¤¤¤¤ ")),
    ("links in a header field", _in_header("List-Archive: ", "<http://¤¤¤.com/>, ")),
    ("a million header fields", _in_header("X: y\n", "X-¤¤: ¤\n")),
    ("encoded words", _in_header("Subject: ", "=?utf-8?q?=41¤¤?=\n ")),
    ("encoded words, broken", _in_header("Subject: ", "=?utf-8?q?¤")),
    ("encoded words, opened", _in_header("Subject: ", "=?")),
    ("comments in a header", _in_header("From: ", "(")),
    ("parameters", _in_header("Content-Type: text/plain", "; ¤*0=¤")),
    ("continued parameters", _in_header("Content-Type: text/plain", "; name*0=¤")),
    ("a million parts", _mail(_MIXED, _PART, first=_ENDS[0], last=_ENDS[1])),
    ("a million empty parts", _mail(_MIXED, "--b\n\n", first=_ENDS[0], last=_ENDS[1])),
    ("a million parts without a header's end", _mail(_MIXED, "--b\nX: ¤\n", first=_ENDS[0], last=_ENDS[1])),
    ("boundaries that nearly are", _mail(_MIXED, "--b¤¤\n", first=_ENDS[0], last=_ENDS[1])),
    ("hyphens", _mail(_MIXED, "-", first=_ENDS[0], last=_ENDS[1])),
    ("boundaries at line starts", _mail(_MIXED, "--\n", first=_ENDS[0], last=_ENDS[1])),
    ("parts in parts, 30", _nested(30)),
    ("parts in parts, 1,000", _nested(1_000)),
    ("messages in messages, 1,000", _forwarded(1_000)),
    ("quoted-printable =", _mail(b"Content-Transfer-Encoding: quoted-printable\n", "=")),
    ("quoted-printable =\\n", _mail(b"Content-Transfer-Encoding: quoted-printable\n", "¤=\n")),
    ("quoted-printable =3D", _mail(b"Content-Transfer-Encoding: quoted-printable\n", "=3D=41¤")),
    ("quoted-printable blanks", _mail(b"Content-Transfer-Encoding: quoted-printable\n", "= \t")),
    ("base64 garbage", _mail(b"Content-Transfer-Encoding: base64\n", "!¤=\n", first=b"\n\n", last=b"\n")),
    ("base64 of letters", _mail(b"Content-Transfer-Encoding: base64\n", "aHR0¤¤¤¤\n", first=b"\n\n", last=b"\n")),
    ("base64 padding", _mail(b"Content-Transfer-Encoding: base64\n", "YQ==\n", first=b"\n\n", last=b"\n")),
    ("uuencode", _mail(b"Content-Transfer-Encoding: x-uuencode\n", "begin 644 x\n", first=b"\n\n", last=b"\n")),
    ("flowed", _mail(b"Content-Type: text/plain; format=flowed\n", "¤¤¤ \n")),
    ("flowed quotes", _mail(b"Content-Type: text/plain; format=flowed; delsp=yes\n", ">¤ \n>> \n")),
    ("quote marks", _mail(b"", "> > > >¤\n")),
    ("quote marks in one line", _mail(b"", "> ")),
    ("signed text", _mail(b"", "-----BEGIN PGP SIGNED MESSAGE-----\n")),
    ("a set that is not known", _mail(b"Content-Type: text/plain; charset=x-y\n", b"\xe9\xff http://\xe9\n")),
    ("UTF-7", _mail(b"Content-Type: text/plain; charset=utf-7\n", "+ADw-¤+2AA-\n")),
    ("ISO-2022-JP", _mail(b"Content-Type: text/plain; charset=iso-2022-jp\n", "\x1b$B\x1b(B¤\n")),
    ("HTML, unclosed", _mail(b"Content-Type: text/html\n", "<a ", first=b"\n<p>" + FIRST + b"</p>\n")),
    ("HTML", _mail(b"Content-Type: text/html\n", "<a href=http://¤¤.com/>¤</a>", first=b"\n<p>" + FIRST + b"</p>\n")),
    ("NUL", _mail(b"", b"\0http://a.example/\0\n")),
    ("CR alone", _mail(b"", b"http://a.example/\r")),
)
# Their own text says that it is not whole, or is not text.
_UNKEPT: Final = ("base64", "uuencode", "HTML, unclosed", "parts in parts, 1,000", "messages in messages, 1,000")

_MBOX: tuple[tuple[str, Make], ...] = tuple(
    (name, _between(_OTHER.encode(), FIRST + b"\n\n", unit, f"\n\n{_OTHER}".encode() + LAST + b"\n"))
    for name, unit in (
        ("From lines", _ENVELOPE),
        ("From lines and blank lines", f"{_ENVELOPE}\n"),
        ("tiny messages", f"{_MESSAGE}¤ http://¤¤.com/\n\n"),
        ("tiny messages, encoded", f"{_ENVELOPE}Content-Transfer-Encoding: base64\n\naHR0¤¤==\n\n"),
        ("tiny messages of parts", f"{_ENVELOPE}Content-Type: multipart/mixed; boundary=¤\n\n--¤\n\n¤\n\n"),
        ("tiny messages of HTML", f"{_ENVELOPE}Content-Type: text/html\n\n<a href=http://¤¤.com/>\n\n"),
        ("From lines that are none", "From ¤\n"),
        (">From", ">From a@b.example Mon Jan  1 00:00:00 2024\n"),
        ("lengths that lie", f"{_ENVELOPE}Content-Length: 99999999\n\n¤ http://¤¤.com/\n\n"),
        ("headers only", f"{_ENVELOPE}X: ¤\n"),
    )
)


# ---- HTML and XML

_PAGE = b"<!doctype html><html><body><p>" + FIRST + b"</p>\n"
_PAGE_END = b"\n<p>" + LAST + b"</p>"


def _html(unit: str, opener: str = "", closer: str = "") -> Make:
    return _between(_PAGE, b"", unit, closer.encode() + _PAGE_END, opener=opener)


# name, unit, opener, closer
_HTML: tuple[tuple[str, str, str, str], ...] = (
    ("text", "¤¤ ¤¤¤¤ http://¤¤¤.com/ ", "", ""),
    ("links", "<a href=http://¤¤¤.com/>¤</a>", "", ""),
    ("relative links", "<a href=/¤¤¤>¤</a>", "", ""),
    ("relative links with a base", "<a href=/¤¤¤>¤</a>", "<base href=http://b.example/>", ""),
    ("<", "<", "", ""),
    ("<a ", "<a ", "", ""),
    ("tags nested", "<b>", "", ""),
    ("tags nested, closed wrongly", "<b><i></b>¤", "", ""),
    ("a tag of attributes", ' ¤¤="¤"', "<a", ">"),
    ("a tag of links", " href=http://¤¤.com/", "<a", ">"),
    ("an attribute without end", "¤¤ http://¤¤.com/ ", "<a title='", "'>"),
    ("quotes", "<a b=\"<a b='", "", "'\">"),
    ("comments", "<!-- <a> -->", "", ""),
    ("comment without end", "<a href=http://¤¤.com/>", "<!--", "-->"),
    ("<!-", "<!-", "", "-->"),
    ("<?", "<?", "", ">"),
    ("</", "</", "", ">"),
    ("script", "<script>¤</script>", "", ""),
    ("script without end", "</script ", "<script>", "</script>"),
    ("style", "<style>a{b:url(http://¤¤.com/)}</style>", "", ""),
    ("a style sheet", "url('http://¤¤.com/') ", "<style>", "</style>"),
    ("a style sheet, opened", "url(", "<style>", "</style>"),
    ("base", "<base href=http://¤¤.com/>", "", ""),
    ("base and links", "<base href=/¤/><a href=¤>", "", ""),
    ("srcset", "<img srcset='" + "http://¤.com/ 1x," * 40 + "'>", "", ""),
    ("a srcset", "http://¤.com/ 1x, ", "<img srcset='", "'>"),
    ("a srcset of commas", ",", "<img srcset='", "'>"),
    ("a ping", "http://¤.com/ ", "<a ping='", "'>"),
    ("refresh", "<meta http-equiv=refresh content='0;url=http://¤¤.com/'>", "", ""),
    ("&amp;", "&amp;", "", ""),
    ("&#", "&#x41;&#99999999999;&lt", "", ""),
    ("references in links", "<a href='http://¤¤.com/?¤&amp;¤&#x41;&copy'>", "", ""),
    ("svg", "<svg><a xlink:href=http://¤¤.com/></svg>", "", ""),
    ("templates", "<template><iframe srcdoc='<a href=http://¤.com/>'></template>", "", ""),
    ("data: in links", "<img src=data:image/png;base64,¤¤¤¤¤¤>", "", ""),
)
# What an open quote, comment or tag swallows, a browser does not show either.
_SWALLOWED: Final = frozenset(["quotes"])


def _xml(unit: str, opener: str = "", closer: str = "") -> Make:
    head = b"<?xml version='1.0'?><r><p>" + FIRST + b"</p>"
    return _between(head, b"", unit, closer.encode() + b"<p>" + LAST + b"</p></r>", opener=opener)


_LAUGHS = (
    "<?xml version='1.0'?><!DOCTYPE r [<!ENTITY l0 'http://¤.com/ '>"
    + "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 30))
    + "]><r><p>http://first.example/1</p>"
)
_XML: tuple[tuple[str, Make], ...] = (
    ("text", _xml("<p>¤¤ ¤¤¤ http://¤¤¤.com/</p>\n")),
    ("links", _xml("<a href='http://¤¤¤.com/'/>")),
    ("elements nested", _xml("<a>")),
    ("an element of attributes", _xml(" ¤¤¤='¤'", "<a", "/>")),
    ("attributes of one name", _xml(" a='b:c'", "<a", "/>")),
    ("name spaces", _xml("<¤:a xmlns:¤='http://¤.com/'/>")),
    ("name spaces nested", _xml("<a xmlns='http://¤.com/'>")),
    ("an attribute", _xml("¤¤ http://¤.com/ ", "<a b='", "'/>")),
    ("a text", _xml("¤¤ http://¤.com/ ", "<a>", "</a>")),
    ("a text without blanks", _xml("¤", "<a>", "</a>")),
    ("a name", _xml("¤", "<", "/>")),
    ("comments", _xml("<!--¤-->")),
    ("a comment", _xml("¤ http://¤.com/ ", "<!--", "-->")),
    ("CDATA", _xml("<![CDATA[http://¤¤.com/]]>")),
    ("processing instructions", _xml("<?a http://¤¤.com/?>")),
    ("&amp;", _xml("&amp;", "<a>", "</a>")),
    ("&#x", _xml("&#x41;&#55;", "<a>", "</a>")),
    ("HTML in text", _xml("<p>&lt;a href='http://¤¤.com/'&gt;¤</p>")),
    ("entities that are not known", _xml("<a>&¤;</a>")),
    ("billion laughs", lambda size: joined(_LAUGHS.encode(), filled("&l29;", size), b"<p>" + LAST + b"</p></r>")),
    (
        "quadratic entity",
        lambda size: joined(
            b"<!DOCTYPE r [<!ENTITY a '", filled("¤", size // 2), b"'>]><r><p>", filled("&a;", size // 2), b"</p></r>"
        ),
    ),
    (
        "a DTD",
        lambda size: joined(
            b"<!DOCTYPE r [",
            filled("<!ENTITY ¤¤¤¤¤ 'http://¤.com/'>", size),
            b"]><r><p>",
            FIRST,
            b" ",
            LAST,
            b"</p></r>",
        ),
    ),
    (
        "declared attributes",
        lambda size: joined(
            b"<!DOCTYPE r [<!ATTLIST a ",
            filled("a¤¤¤¤¤ CDATA 'x' ", size),
            b">]><r><p>",
            FIRST,
            b" ",
            LAST,
            b"</p></r>",
        ),
    ),
    (
        "elements with declared attributes",
        lambda size: joined(
            b"<!DOCTYPE r [<!ATTLIST a ",
            filled("a¤¤¤¤¤ CDATA 'x' ", 4_000),
            b">]><r><p>",
            FIRST,
            b"</p>",
            filled("<a/>", size),
            b"<p>",
            LAST,
            b"</p></r>",
        ),
    ),
    ("brackets in CDATA", _xml("]]", "<a><![CDATA[", "]]></a>")),
    ("broken early", _xml("<p>http://¤¤.com/ <")),
)
_XML_UNKEPT: Final = frozenset(
    [
        "elements nested",
        "name spaces nested",
        "attributes of one name",
        "entities that are not known",
        "quadratic entity",
        "billion laughs",
        "broken early",
        "a name",
    ]
)

# ---- JSON, tables, the journal


def _json(unit: str | bytes, opener: str = "", closer: str = "") -> Make:
    head = b'[{"a":"' + FIRST + b'"},'
    return _between(head, b"", unit, closer.encode() + b'{"a":"' + LAST + b'"}]', opener=opener)


_JSON: tuple[tuple[str, Make, bool], ...] = (
    ("strings", _json('"¤¤ ¤¤¤ http://¤¤.com/",'), True),
    ("objects", _json('{"¤":"http://¤¤.com/"},'), True),
    ("[", _json("["), False),
    ('{"a":', _json('{"a":'), False),
    ('[{"a":', _json('[{"¤":"a:b","c":'), False),
    ("a number", _json("7", "", ","), True),
    ("exponents", _json("1e999999999,-0.1e-9,"), True),
    ("keys of one name", _json('"a":"http://¤¤.com/",', "{", '"b":1},'), True),
    ("a key", _json("¤", '{"', '":1},'), True),
    ("a string", _json("¤¤ http://¤¤.com/ ", '"', '",'), True),
    ("a string without blanks", _json("¤", '"', '",'), True),
    ("escapes", _json("\\u0068ttp:\\/\\/¤¤.com\\/ ", '"', '",'), True),
    ("lone surrogates", _json('"http://¤.com/\\ud800\\udc00\\ud800",'), True),
    ("surrogates in one string", _json("\\ud800", '"', '",'), True),
    ("backslashes", _json("\\\\", '"', '",'), True),
    ("blanks", _json(" \n"), True),
    ("true", _json("true,null,"), True),
    ("a string without end", lambda size: joined(b'["', FIRST, b'", "', filled("¤ http://¤.com/ ", size)), False),
    ("not JSON", _json("¤¤ http://¤¤.com/ "), False),
    ("NUL", _json(b'"http://a.example/\0",'), False),
)
_JSONL: tuple[tuple[str, Make], ...] = tuple(
    (
        name,
        lambda size, unit=unit, head=head, tail=tail: joined(  # type: ignore[misc]
            b'{"a":"' + FIRST + b'"}\n', head.encode(), filled(unit, size), tail.encode() + b'\n{"a":"' + LAST + b'"}\n'
        ),
    )
    for name, unit, head, tail in (
        ("lines", '{"a":"¤¤ http://¤¤.com/"}\n', "", ""),
        ("tiny lines", "1\n", "", ""),
        ("broken lines", '{"a":"http://¤¤.com/\n', "", ""),
        ("a line", "¤¤ http://¤¤.com/ ", '{"a":"', '"}'),
        ("a line of [", "[", "", ""),
        ("lines of [", "[" * 2_000 + "\n", "", ""),
        ("a line of numbers", "1,", "[", "1]"),
        ("numbers of 5,000 digits", "7" * 5_000 + "\n", "", ""),
        ("a number", "7", "", ""),
        ("lone surrogates", '{"a":"http://¤.com/\\ud800 \\udc00"}\n', "", ""),
        ("keys of one name", '"a":"http://¤¤.com/",', "{", '"b":1}'),
        ("blank lines", "\n", "", ""),
    )
)


def _table(unit: str | bytes, mark: str, opener: str = "", closer: str = "") -> Make:
    head = f"a{mark}b\n".encode() + FIRST + mark.encode() + b"x\n"
    return _between(head, b"", unit, closer.encode() + b"\n" + LAST + mark.encode() + b"x\n", opener=opener)


_CSV: tuple[tuple[str, str, str, str, bool], ...] = (
    ("rows", "¤,http://¤¤.com/\n", "", "", True),
    ("a row of a million cells", "http://¤.com/,", "", "", True),
    ("a row of empty cells", ",", "", "", True),
    ("rows of commas", ",,,,\n", "", "", True),
    ("a quote without end", "¤,http://¤¤.com/\n", '"', "", False),
    ("quotes", '"', "", "", False),
    ('""', '"",', "", "", True),
    ('"a"b', '"¤"¤,http://¤.com/\n', "", "", True),
    ('a cell of ""', '""', '"', '"', True),
    ("a cell of lines", "http://¤¤.com/\n", '"', '"', True),
    ("empty rows", "\n", "", "", True),
    ("CR alone", "¤,http://¤¤.com/\r", "", "", True),
)
_TSV: tuple[tuple[str, str], ...] = (
    ("rows", "¤\thttp://¤¤.com/\n"),
    ("a row of a million cells", "http://¤.com/\t"),
    ("a row of empty cells", "\t"),
    ("a cell", "¤¤ http://¤.com/ "),
    ("quotes", '"\t"'),
    ("escapes", "\\t\\n\\\\"),
)
_ENTRY = "__REALTIME_TIMESTAMP=1\nMESSAGE="


def _journal(unit: str | bytes, opener: bytes = b"", closer: bytes = b"\n\n") -> Make:
    entry = _ENTRY.encode()
    return lambda size: joined(entry, FIRST, b"\n\n", opener, filled(unit, size), closer, entry, LAST, b"\n\n")


_JOURNAL: tuple[tuple[str, Make, bool], ...] = (
    ("entries", _journal(f"{_ENTRY}¤¤ http://¤¤.com/\n\n"), True),
    ("a field", _journal("¤¤ http://¤.com/ ", _ENTRY.encode()), True),
    ("a million fields", _journal("¤¤=a:b\n"), True),
    ("fields of one name", _journal("MESSAGE=http://¤.com/\n"), True),
    ("lines without =", _journal(b"A\n\x01\0\0\0\0\0\0\0x\n"), True),
    ("lengths that lie", _journal(b"MESSAGE\n\xff\xff\xff\xff\xff\xff\xff\x7fhttp://a.example/\n\n"), False),
    ("lengths that lie a little", _journal(b"MESSAGE\n\x40\0\0\0\0\0\0\0http://a.example/\n\n"), False),
    ("blank lines", _journal("\n"), True),
    ("a name", _journal("¤"), True),
)

# ---- web archives


def _record(
    block: str | bytes, kind: str = "conversion", media: str = "text/plain", length: int | None = None
) -> bytes:
    data = block.encode() if isinstance(block, str) else block
    size = len(data.replace("¤".encode(), b"-")) if length is None else length
    return f"{_WARC.format(kind=kind, media=media)}Content-Length: {size}\r\n\r\n".encode() + data + b"\r\n\r\n"


def _answer(body: str | bytes, more: str = "", media: str = "text/html") -> bytes:
    data = body.encode() if isinstance(body, str) else body
    return _record(f"HTTP/1.1 200 OK\r\nContent-Type: {media}\r\n{more}\r\n".encode() + data, "response", _ANSWER)


def _warc(unit: bytes, opener: bytes = b"", closer: bytes = b"") -> Make:
    return lambda size: joined(_record(FIRST), opener, filled(unit, size), closer, _record(LAST))


def _long_record(unit: str) -> Make:
    def make(size: int) -> Iterator[bytes]:
        blocks = list(filled(unit, size))
        head = _record(b"", length=sum(map(len, blocks)))[:-4]
        return joined(_record(FIRST), head, iter(blocks), b"\r\n\r\n", _record(LAST))

    return make


_CHUNKS = "Transfer-Encoding: chunked\r\n"
_PACKED = gzip.compress(b"<p>http://b.example/</p>", mtime=0)
_WARCS: tuple[tuple[str, Make, bool], ...] = (
    ("records", _warc(_record("¤¤ ¤¤¤¤ http://¤¤.com/ ")), True),
    ("empty records", _warc(_record("")), True),
    ("pages", _warc(_answer("<!doctype html><a href=/¤¤>¤</a>")), True),
    ("a record", _long_record("¤¤ http://¤¤.com/\n"), True),
    ("chunks of one byte", _warc(_answer("1\r\n¤\r\n" * 200 + "0\r\n\r\n", _CHUNKS)), True),
    ("chunks that lie", _warc(_answer("ffffffff\r\n¤ http://¤.com/", _CHUNKS)), True),
    ("packed answers", _warc(_answer(_PACKED, "Content-Encoding: gzip\r\n")), True),
    (
        "packed answers that are not",
        _warc(_answer("¤¤¤ http://¤.com/", "Content-Encoding: gzip, br, deflate\r\n")),
        True,
    ),
    ("brotli that is not", _warc(_answer("¤¤¤ http://¤.com/", "Content-Encoding: br\r\n")), True),
    ("lengths too large", _warc(_record("¤ http://¤.com/", length=99_999_999_999)), False),
    ("lengths too small", _warc(_record("¤ http://¤.com/ ¤¤¤¤¤¤¤¤¤¤", length=4)), True),
    (
        "lengths of 5,000 digits",
        _warc(_record("¤ http://¤.com/").replace(b"Length: ", b"Length: " + b"9" * 5_000)),
        True,
    ),
    ("header fields", _warc("X-¤: y\r\n".encode(), b"WARC/1.0\r\n", b"Content-Length: 0\r\n\r\n\r\n\r\n"), True),
    ("a header field", _warc("¤".encode(), b"WARC/1.0\r\nX: ", b"\r\nContent-Length: 0\r\n\r\n\r\n\r\n"), True),
    ("WARC/1.0", _warc(b"WARC/1.0\r\n"), True),
    ("blank lines", _warc(b"\r\n"), True),
)


# ---- compression and archives


def _packed(pack: Callable[[], object], text: Make) -> Make:
    """A stream of a compressor (`compress`, `flush`) over a text."""

    def make(size: int) -> Iterator[bytes]:
        compressor = pack()
        for block in text(size):
            yield compressor.compress(block)  # type: ignore[attr-defined]
        yield compressor.flush()  # type: ignore[attr-defined]

    return make


def _zstd() -> object:
    return import_module(_ZSTD).ZstdCompressor(level=1)


_PACKERS: dict[str, Callable[[], object]] = {
    "gzip": lambda: zlib.compressobj(1, wbits=31),
    "bzip2": lambda: bz2.BZ2Compressor(1),
    "xz": lambda: lzma.LZMACompressor(preset=0),
    "zstd": _zstd,
}


def _around(pack: Callable[[bytes], bytes], unit: bytes) -> Make:
    """Streams one behind the other, with a link in the first and the last."""
    return lambda size: joined(pack(FIRST + b"\n"), filled(unit, size), pack(LAST + b"\n"))


def _deep(pack: Callable[[bytes], bytes], levels: int) -> Make:
    def make(_: int) -> Iterator[bytes]:
        data = FIRST + b" " + LAST
        for _level in range(levels):
            data = pack(data)
        yield data

    return make


def _zeros(pack: Callable[[], object], factor: int) -> Make:
    """So many times the size asked for, of zeros; twice packed, where that makes it a thousand times smaller again."""
    return _packed(pack, lambda size: itertools.repeat(bytes(1_000_000), size * factor // 1_000_000))


def _zstd_of(data: bytes) -> bytes:
    packed: bytes = import_module(_ZSTD).compress(data)
    return packed


def _wide_xz() -> bytes:
    """A stream whose dictionary is said to have 4 GB, with its checksum right."""
    data = bytearray(lzma.compress(FIRST, format=lzma.FORMAT_XZ))
    at = data.index(b"\x21\x01", 12) + 2
    data[at] = 40
    end = 12 + (data[12] + 1) * 4
    data[end - 4 : end] = struct.pack("<L", zlib.crc32(bytes(data[12 : end - 4])))
    return bytes(data)


_COMPRESSED: tuple[Shape, ...] = tuple(
    row
    for name, pack in _PACKERS.items()
    for row in (
        Shape(name, "prose", _packed(pack, repeated("¤¤¤ ¤¤¤¤ ¤¤ http://¤¤¤¤.com/\n")), (), name),
        Shape(name, "NULs in text", _packed(pack, repeated("¤¤¤¤¤¤\0\0http://¤¤.com/\n")), (), name, kept=()),
        Shape(name, "zeros", _zeros(pack, 1), (), "zeros", kept=(), most=64),
        Shape(name, "bomb", _zeros(pack, 20), (), name, bomb=True, kept=(), most=64),
    )
)


def _members(make: Callable[[int], tuple[str, bytes]], count: Callable[[int], int], name: str = "zip") -> Make:
    """An archive of so many members for a size, with a link in the first and the last."""

    def write(size: int) -> Iterator[bytes]:
        out = io.BytesIO()
        files = itertools.chain([("first", FIRST)], map(make, range(count(size))), [("last", LAST)])
        if name == "zip":
            with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
                for member, data in files:
                    packed.writestr(zipfile.ZipInfo(member), data)
        else:
            with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
                for member, data in files:
                    info = tarfile.TarInfo(member)
                    info.size = len(data)
                    archive.addfile(info, io.BytesIO(data))
        yield out.getvalue()

    return write


def _overlapping(size: int) -> Iterator[bytes]:
    """A directory that names the same bytes again and again: quadratic for whoever believes it."""
    data = b"http://a.example/ " * 20_000
    crc, packed = zlib.crc32(data), zlib.compress(data)[2:-4]
    local = struct.pack("<4sHHHHHLLLHH", b"PK\x03\x04", 20, 0, 8, 0, 0, crc, len(packed), len(data), 1, 0) + b"a"
    entry = (b"PK\x01\x02", 20, 20, 0, 8, 0, 0, crc, len(packed), len(data), 1, 0, 0, 0, 0, 0)
    central = struct.pack("<4sHHHHHHLLLHHHHHLL", *entry, 0) + b"a"
    count = min(size // len(central), 65_000)
    end = struct.pack("<4sHHHHLLH", b"PK\x05\x06", 0, 0, count, count, len(central) * count, len(local + packed), 0)
    yield local + packed + central * count + end


def _forty_two(_: int) -> Iterator[bytes]:
    """Zip files in zip files, ten in each, with zeros at the bottom: 42.zip in small."""
    data = bytes(100_000_000)
    for level in range(5):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
            for number in range(1 if level == 0 else 10):
                packed.writestr(zipfile.ZipInfo(f"{number}.zip"), data, compress_type=zipfile.ZIP_DEFLATED)
        data = out.getvalue()
    yield data


def _tar_name(size: int) -> Iterator[bytes]:
    info = tarfile.TarInfo("n" * size)
    return joined(info.tobuf(tarfile.GNU_FORMAT), _tar_of(b"first " + FIRST), bytes(1_024))


def _tar_of(data: bytes, kind: bytes = b"0") -> bytes:
    info = tarfile.TarInfo("x")
    info.size = len(data)
    info.type = kind
    return info.tobuf(tarfile.USTAR_FORMAT) + data + bytes(-len(data) % 512)


def _pax(size: int) -> Iterator[bytes]:
    """Headers of headers, with a member at the end."""
    return joined(_tar_of(FIRST), filled(_tar_of(b"9 a=bcd\n" * 60, b"x"), size), _tar_of(LAST), bytes(1_024))


_SKIPPED = b"\x50\x2a\x4d\x18\0\0\0\0"
_EMPTY_GZIP = gzip.compress(b"", mtime=0)
_ARCHIVES: tuple[Shape, ...] = (
    Shape("gzip", "a million empty members", _around(gzip.compress, _EMPTY_GZIP), (), "gzip", kept=(FIRST,)),
    Shape(
        "gzip", "members of a link", _around(gzip.compress, gzip.compress(b"http://b.example/\n", mtime=0)), (), "gzip"
    ),
    Shape("gzip", "garbage behind", _around(gzip.compress, "¤¤¤ http://¤¤.com/ ".encode()), (), "gzip", kept=(FIRST,)),
    Shape("gzip", "a thousand layers", _deep(lambda data: gzip.compress(data, 1), 1_000), bomb=True, kept=()),
    Shape("gzip", "starts", _around(gzip.compress, b"\x1f\x8b\x08\0\0\0\0\0\0\xff"), (), "gzip", kept=(FIRST,)),
    Shape("bzip2", "empty streams", _around(bz2.compress, bz2.compress(b"")), (), "gzip", kept=(FIRST,)),
    Shape("xz", "empty streams", _around(lzma.compress, lzma.compress(b"")), (), "gzip", kept=(FIRST,)),
    Shape("xz", "a dictionary of 4 GB", lambda _: iter([_wide_xz()]), bomb=True, kept=()),
    Shape("zstd", "frames to skip", _around(_zstd_of, _SKIPPED), (), "gzip", kept=(FIRST,)),
    Shape("zstd", "a window of 2 GB", lambda _: iter([b"\x28\xb5\x2f\xfd\x00\xa8" + bytes(60)]), bomb=True, kept=()),
    Shape(
        "zip",
        "links",
        _members(lambda n: (f"{n}", f"http://{n}.example/".encode()), lambda size: size // 140),
        (),
        "zip",
    ),
    Shape("zip", "empty members", _members(lambda n: (f"{n}", b""), lambda size: size // 94), (), "zip"),
    Shape(
        "zip",
        "names of 60,000",
        _members(lambda n: ("n" * 60_000 + str(n), FIRST), lambda size: size // 120_000),
        (),
        "zip",
    ),
    Shape("zip", "members that overlap", _overlapping, (), "zip", kept=()),
    Shape("zip", "zip in zip", _forty_two, bomb=True, kept=()),
    Shape(
        "tar",
        "links",
        _members(lambda n: (f"{n}", f"http://{n}.example/".encode()), lambda size: size // 1_024, "tar"),
        (),
        "tar",
    ),
    Shape("tar", "empty members", _members(lambda n: (f"{n}", b""), lambda size: size // 512, "tar"), (), "tar"),
    Shape("tar", "a name", _tar_name, (), "tar", kept=(FIRST,)),
    Shape("tar", "pax headers", _pax, (), "tar"),
    Shape("tar", "zeros", lambda size: joined(_tar_of(FIRST), bytes(size)), (), "zeros", kept=(FIRST,)),
    Shape(
        "tar", "broken headers", lambda size: joined(_tar_of(FIRST), filled("¤" * 512, size)), (), "tar", kept=(FIRST,)
    ),
)


# ---- compound files and Parquet


def _loop(size: int) -> Iterator[bytes]:
    """A compound file whose table of sectors leads in a circle."""
    head = struct.pack(
        "<8s16xHHHHH6xLLLLLLLLLL",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        *(0x3E, 3, 0xFFFE, 9, 6),
        *(0, 1, 1, 0, 4_096, 1, 4, 0xFFFFFFFE, 0, 0),
    )
    table = struct.pack("<128L", 0xFFFFFFFD, *(2 + number % 100 for number in range(127)))
    return joined(head, struct.pack("<109L", *range(109)), table, filled("¤" * 512, size))


def _parquet(size: int) -> Iterator[bytes]:
    """A thousand rows of one long value, which stands in the file once."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    value = b"http://a.example/" + b"".join(filled("¤", size))[:size]
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000, pa.int32()), pa.array([value.decode()]))
    out = io.BytesIO()
    pq.write_table(pa.table({"url": column}), out, compression="zstd")
    yield out.getvalue()


_OTHERS: tuple[Shape, ...] = (
    Shape("msg", "sectors in a circle", _loop, ("--read", "binary"), kept=()),
    Shape(
        "parquet",
        "one long value, a thousand times",
        _parquet,
        ("--input", "parquet", "--field", "url"),
        command="dedupe",
        bomb=True,
        kept=(),
        most=64,
        ending=".parquet",
    ),
)


def _sources() -> Iterator[Shape]:
    for name, make in _MAIL:
        kept = () if name.startswith(_UNKEPT) else (FIRST, LAST)
        yield Shape("mail", name, make, ("--input", "mail"), "mail", ".eml", kept=kept)
    for name, make in _MBOX:
        yield Shape("mbox", name, make, ("--input", "mail"), "mbox", ".mbox")
    for name, unit, opener, closer in _HTML:
        kept = () if name in _SWALLOWED else (FIRST, LAST)
        for flags in ((), ("--base", "http://base.example/a/")) if "links" in name else ((),):
            area = "HTML --base" if flags else "HTML"
            make = _html(unit, opener, closer)
            yield Shape(area, name, make, ("--input", "html", *flags), "html", ".html", kept=kept)
    for name, make in _XML:
        kept = () if name in _XML_UNKEPT else (FIRST, LAST)
        yield Shape("XML", name, make, ("--input", "xml"), "xml", ".xml", kept=kept)
    for name, make, whole in _JSON:
        kept = (FIRST, LAST) if whole else ()
        yield Shape("JSON", name, make, ("--input", "json"), "json", ".json", kept=kept)
    for name, make in _JSONL:
        yield Shape("JSON lines", name, make, ("--input", "jsonl"), "jsonl", ".jsonl")
    for name, unit, opener, closer, whole in _CSV:
        kept = (FIRST, LAST) if whole else ()
        yield Shape("CSV", name, _table(unit, ",", opener, closer), ("--input", "csv"), "csv", ".csv", kept=kept)
    for name, unit in _TSV:
        yield Shape("TSV", name, _table(unit, "\t"), ("--input", "tsv"), "tsv", ".tsv")
    for name, make, whole in _JOURNAL:
        kept = (FIRST, LAST) if whole else ()
        yield Shape("journal", name, make, ("--input", "journal"), "journal", ".export", kept=kept)
    for name, make, whole in _WARCS:
        kept = (FIRST, LAST) if whole else ()
        yield Shape("WARC", name, make, ("--input", "warc"), "warc", ".warc", kept=kept)
    yield from _COMPRESSED
    yield from _ARCHIVES
    yield from _OTHERS


SOURCES: tuple[Shape, ...] = tuple(_sources())


# ---- prose in each of them


def _quoted_line(text: str) -> str:
    return json.dumps(text, ensure_ascii=False) + ",\n"


def _warc_line(text: str) -> str:
    return _record(text + "\n").decode()


# For each source: what makes a line of prose, what stands before and behind it all.
_CARRIERS: dict[str, tuple[Callable[[str], str], bytes, bytes]] = {
    "text": (lambda line: line + "\n", b"", b""),
    "lines": (lambda line: "\n".join(word for word in line.split() if ":" in word) + "\n", b"", b""),
    "mail": (lambda line: line + "\n", _HEADER + b"\n", b""),
    "mbox": (lambda line: f"{_MESSAGE}{line}\n\n", b"", b""),
    "html": (lambda line: f"<p>{line}</p>\n", _PAGE, b""),
    "xml": (lambda line: f"<p>{line}</p>\n", b"<?xml version='1.0'?><r>", b"</r>"),
    "json": (_quoted_line, b"[", b"1]"),
    "jsonl": (lambda line: json.dumps({"a": line}, ensure_ascii=False) + "\n", b"", b""),
    "csv": (lambda line: f"¤,{line}\n", b"a,b\n", b""),
    "tsv": (lambda line: f"¤\t{line}\n", b"a\tb\n", b""),
    "journal": (lambda line: f"{_ENTRY}{line}\n\n", b"", b""),
    "warc": (_warc_line, b"", b""),
}
ENDINGS: dict[str, str] = {"html": ".html", "xml": ".xml", "csv": ".csv", "tsv": ".tsv"}


def plain(source: str, density: float) -> tuple[Make, float]:
    """Prose in a source, with so many links a megabyte; and how many it has."""
    if source == "zeros":
        return (lambda size: itertools.repeat(bytes(1_000_000), size // 1_000_000)), 0.0
    line, head, tail = _CARRIERS.get(source, _CARRIERS["text"])
    unit, links = prose(density, line)

    def make(size: int) -> Iterator[bytes]:
        return joined(head, filled(unit, size), tail)

    if source in _PACKERS:
        return _packed(_PACKERS[source], make), links
    if source in ("zip", "tar"):
        return (lambda size: _members(lambda _: ("prose", b"".join(make(size))), lambda _: 1, source)(size)), links
    return make, links
