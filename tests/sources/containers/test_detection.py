"""What a file is by its first bytes."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urisieve.options import InputKind
from urisieve.sources.kinds.kind_table import HEAD_SIZE, Kind, function_of
from urisieve.sources.kinds.sniffing import kind_of, settled_kind

pytestmark = pytest.mark.once

ROWS = [
    (b"", Kind.TEXT),
    (b"plain text http://e.com", Kind.TEXT),
    (b"\xef\xbb\xbfplain", Kind.TEXT),
    ("plain".encode("utf-16"), Kind.TEXT),
    (b"a\0b", Kind.BINARY),
    (b"\x7fELF\x02\x01\x01\0", Kind.BINARY),
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Kind.BINARY),
    (gzip.compress(b"", mtime=0), Kind.GZIP),
    (b"\x1f\x8b", Kind.TEXT),
    (b"BZh91AY&SY", Kind.BZIP2),
    (b"BZh9 is how bzip2 begins", Kind.TEXT),
    (b"\xfd7zXZ\0", Kind.XZ),
    (b"\x28\xb5\x2f\xfd", Kind.ZSTD),
    (b"\x53\x2a\x4d\x18\4\0\0\0abcd\x28\xb5\x2f\xfd", Kind.ZSTD),
    (b"PK\3\4" + bytes(26) + b"a", Kind.ZIP),
    (b"PK\5\6" + bytes(18), Kind.ZIP),
    (b"PK\3\4" + bytes(26) + b"[Content_Types].xml", Kind.OFFICE),
    (b"PK\3\4" + bytes(26) + b"mimetypeapplication/epub+zip", Kind.OFFICE),
    (b"PK is not a zip file", Kind.TEXT),
    (b"%PDF-1.4\n", Kind.PDF),
    (b"7z\xbc\xaf\x27\x1c", Kind.UNSUPPORTED),
    (b"\x04\x22\x4d\x18", Kind.UNSUPPORTED),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Kind.OLE),
    (b"From a@b.example Thu Jan  1 00:00:00 1970\nX-Y: z\n\n", Kind.MBOX),
    (b"From MAILER-DAEMON Fri Jul  8 12:08:34 2011\r\nX-Y: z\r\n", Kind.MBOX),
    (b"From 10:15 on: all quiet\nno field\n", Kind.TEXT),
    (b"http://a.example/\nhttps://b.example/\n", Kind.TEXT),
    (b"Date: x\r\nContent-Type: text/html\r\n\r\n", Kind.TEXT),
    (b"From here on 12 things follow\n", Kind.TEXT),
    (b"Return-Path: <a@b.example>\nReceived: from x\n\tby y\nSubject: z\n\n", Kind.MAIL),
    (b"Subject: x\r\nTo: z\r\n", Kind.MAIL),
    (b"Subject: a note\n\nthat is no mail: http://e.com\n", Kind.TEXT),
    (b"Date: today\nhttp://e.com/\n", Kind.TEXT),
    (b"<!DOCTYPE html>\n<html>", Kind.HTML),
    (b"<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<!-- This is -->\n<META ", Kind.HTML),
    (b"<!DOCTYPE netscape>\n<a/>", Kind.XML),
    (b"\1\1\1\1\nSubject: a\n", Kind.MBOX),
    (b"\1\1\1\1\nno field\n", Kind.TEXT),
    (b"BABYL OPTIONS: -*- rmail -*-\n", Kind.MBOX),
    (b"BEGIN:VCALENDAR\r\n", Kind.CALENDAR),
    (b"\xef\xbb\xbf begin:vcard \n", Kind.VCARD),
    (b"BEGIN:VCARDS\n", Kind.TEXT),
    (b"@article{k:2020,\n  title = {A}\n", Kind.BIBTEX),
    (b"\n@MISC { DBLP:x/y , url={http://a.example/}}", Kind.BIBTEX),
    (b'@string{j = "A"}\n', Kind.BIBTEX),
    (b"@Comment {x", Kind.BIBTEX),
    (b"@media screen {\n a = b\n", Kind.TEXT),
    (b"@page{\n size:a,b\n", Kind.TEXT),
    (b"@foo(a, b=1)\n", Kind.TEXT),
    (b"@foo: a\nFrom: b\nTo: c\n", Kind.MAIL),
    (b"@article{a, b}\n", Kind.TEXT),
    (b"@a\n{b,\nc=", Kind.TEXT),
    (b"dn: a=b\nx: y\n", Kind.LDIF),
    (b"dn:: YQ==\nchangetype: delete\n", Kind.LDIF),
    (b"version: 1\n\n# a\n\ndn:\n b\nx:: y\n", Kind.LDIF),
    (b"# extended LDIF\n#\n\ndn:\nx:y\n", Kind.LDIF),
    (b"# a\ndn: a=b\nx: y\n", Kind.TEXT),
    (b"dn: a b\nx: y\n", Kind.TEXT),
    (b"dn: a=b\n\nx: y\n", Kind.TEXT),
    (b"\xef\xbb\xbf\r\n<!-- a -->\n<!-- b --> <HTML lang=de>", Kind.HTML),
    (b'<?xml version="1.0"?>\n<html xmlns="x">', Kind.HTML),
    (b"<div class=x>", Kind.HTML),
    (b"<http://e.com/>", Kind.TEXT),
    (b"<body@example.org>", Kind.TEXT),
    (b"__CURSOR=s=0f;i=1\n", Kind.JOURNAL),
    # C1: JSON, by its grammar as far as it is there.
    (b'{"a":"b"}\n', Kind.JSONL),
    (b'{"a":"b"}\nnot JSON\n', Kind.JSONL),
    (b'\n\n\xef\xbb\xbf{"a":1}', Kind.TEXT),
    (b'\xef\xbb\xbf\n\n{"a":1}\n{"a":2}', Kind.JSONL),
    (b'\x1e{"a":"b"}\n\x1e{"a":"c"}\n', Kind.JSONL),
    (b'["a", "b"]\n["c"]\n', Kind.JSONL),
    (b'{\n  "a": "b"\n}\n', Kind.JSON),
    (b'{"a":"b"}', Kind.JSON),
    (b'[{"a":[1,2.5e3,null,true,{"b', Kind.JSON),
    (b'{"a":"b"}{"a":"c"}', Kind.JSON),
    (b'[\n\n"http://a.example/",\n', Kind.JSON),
    ('{"a":"b"}'.encode("utf-16"), Kind.JSON),
    (b'{"a\0":"b"}\n{"a":1}', Kind.JSONL),  # D5: one odd byte
    (b"[1]\nhttp://a.example/\n", Kind.TEXT),  # a footnote
    (b"[1] http://a.example/\n", Kind.TEXT),
    (b"[12345.678901] usb 1-1: new device\n", Kind.TEXT),
    (b"[2026-01-01 10:00:00] INFO\n", Kind.TEXT),
    (b"[section]\nkey=value\n", Kind.TEXT),
    (b"[a link](http://a.example/)\n", Kind.TEXT),
    (b'["a"] is how a list begins\n', Kind.TEXT),
    (b"{a: 1}\n", Kind.TEXT),
    (b"{\n  /* tsconfig */\n", Kind.TEXT),
    (b'{"a":"b"} and more\n', Kind.JSON),
    (b"{{ template }}\n", Kind.TEXT),
    (b"{\\rtf1\\ansi\n", Kind.RTF),
    (b"{\\rtfm}\n", Kind.TEXT),
    (b"{}\n", Kind.TEXT),
    (b'["a": 1]\n', Kind.TEXT),
    (b'["a",]\n', Kind.TEXT),
    (b'["a"}\n', Kind.TEXT),
    (b'{["a"]}\n', Kind.TEXT),
    (b'{"a", "b"}\n', Kind.TEXT),
    (b'[, "a"]\n', Kind.TEXT),
    (b'["a" "b"]\n', Kind.TEXT),
    # C1: tables, by a header with data under it.
    (b"id,url\n1,http://a.example/\n2,http://b.example/\n", Kind.CSV),
    (b"\xef\xbb\xbfid;url\r\n1;http://a.example/\r\n2;http://b.example/\r\n", Kind.CSV),
    (b"id\turl\n1\thttp://a.example/\n2\thttp://b.example/\n", Kind.TSV),
    ("id\turl\n1\thttp://a.example/\n2\tx\n".encode("utf-16"), Kind.TSV),
    (b'"id","a note"\n"1","x, ""y"""\n"2","two\nlines"\n', Kind.CSV),
    (b"name,url\nx,http://a.example/\n", Kind.TEXT),  # two rows may be any two lines
    (b"apples, pears\nplums, figs\nnuts, dates\n", Kind.TEXT),
    (b"red,green\nblue,white\nblack,grey\n", Kind.TEXT),  # words alone
    (b"id,url\n1,http://a.example/a,b\n2,c\n", Kind.TEXT),
    (b"mov eax,ebx\nadd eax,1\nsub ecx,edx\n", Kind.TEXT),
    (b"http://a.example/1,2\nhttp://b.example/1,2\nhttp://c.example/1,2\n", Kind.TEXT),
    (b"from a import b, c\nimport d, e\nimport f, g\n", Kind.TEXT),
    (b"| a | b |\n| - | - |\n| 1 | http://a.example/ |\n", Kind.TEXT),
    (b"Jan 1 10:00:00 host a[1]: x, y\nJan 1 10:00:01 host a[1]: x, y\n", Kind.TEXT),
    (b"a.example,b.example\0,1\n1,2,3\n", Kind.BINARY),
    # C1: XML, by a declaration, a namespace or a root that is known.
    (b'<?xml version="1.0"?>\n<feed>', Kind.XML),
    (b"\n\n\xef\xbb\xbf<?xml version='1.0'?><a/>", Kind.TEXT),
    (b"\xef\xbb\xbf\n\n<?xml version='1.0'?><a/>", Kind.XML),
    ('<?xml version="1.0"?><a/>'.encode("utf-16"), Kind.XML),
    (b"\0<?xml version='1.0'?><a/>", Kind.XML),
    (b"<rss version='2.0'><channel>", Kind.XML),
    (b"<!-- map --><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>", Kind.XML),
    (b"<svg viewBox='0 0 1 1'>", Kind.XML),
    (b"<x:y a='1' xmlns:x='urn:example:x'/>", Kind.XML),
    (b"<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN'>", Kind.XML),
    (b'<?xml version="1.0"?><!DOCTYPE html PUBLIC>', Kind.HTML),
    (b'<?xml version="1.0"?><table><tr>', Kind.XML),
    (b"<34>1 2026-01-01T00:00:00Z host app - - - http://a.example/\n", Kind.TEXT),
    (b"<a@b.example> wrote\n", Kind.TEXT),
    (b"<foo>\nbar\n", Kind.TEXT),
    # C13
    (b"WARC/1.0\r\nWARC-Type: warcinfo\r\n", Kind.WARC),
    (b"WARC/1.1 is a format\n", Kind.TEXT),
    # C2: what is not text, although a NUL may come late.
    (b"SQLite format 3\0", Kind.SQLITE),
    # Signed and compressed data of S/MIME, its armor; encrypted data, a certificate, and an armor of another kind.
    (b"0\x82\4\0\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0", Kind.SMIME),
    (b"0\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0", Kind.SMIME),
    (b"0\x84\0\1\0\0\x06\x0b\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x09\xa0", Kind.SMIME),
    (b"-----BEGIN PKCS7-----\nMIAG\n", Kind.SMIME),
    *((start + b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0", Kind.SMIME) for start in (b"0\x41", b"0\x81\xd0")),
    # Their base64, from all three offsets of the type; what begins as base64 does.
    *((start + b"0BBwKg\n", Kind.SMIME) for start in (b"MIHQBgkqhkiG9w", b"MIQABAAABgkqhkiG9w")),
    *((start + b"SqGSIb3DQEHAqCA\n", Kind.SMIME) for start in (b"MEEGC", b"MIAGC", b"MIMQAAAGC")),
    (b"MIIEAAYJKoZIhvcNAQcCoIID\n", Kind.SMIME),
    (b"MIIEAAYJKoZIhvcNAQcDoIID\n", Kind.TEXT),
    (b"Meeting: http://a.example/\n", Kind.TEXT),
    (b"0\x82\4\0\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x03\xa0", Kind.BINARY),
    (b"0\x82\4\0\x30\x82\3\0\xa0\3\2\1\2", Kind.BINARY),
    (b"-----BEGIN CERTIFICATE-----\nMIAG\n", Kind.TEXT),
    # A message whose first field says that it has parts.
    (b"Content-Type: multipart/mixed;\n boundary=b\n\n--b\n", Kind.MAIL),
    (b"Content-Type: multipart/mixed\n\n--b\n", Kind.TEXT),
    # Records of MARC 21, UNIMARC; a number at the beginning of a text.
    (b"00131nam a2200073   4500001001900000", Kind.MARC),
    (b"00131nam  2200073   450 001001900000", Kind.MARC),
    (b"00131 nam a2200073   4500", Kind.TEXT),
    (b"12345\n", Kind.TEXT),
    # A component alone, as servers and tests keep it.
    (b"BEGIN:VEVENT\r\nUID:1\r\n", Kind.CALENDAR),
    (b"begin:vtodo\nSUMMARY:x\n", Kind.CALENDAR),
    (b"BEGIN:VIRUS\n", Kind.TEXT),
    (b"PAR1\x15\x04\x15\x10", Kind.BINARY),
    (b"\xff\xd8\xff\xe1\x12Exif", Kind.BINARY),
    (b"RIFF is how some files begin", Kind.TEXT),
    (b"a log with one NUL \0" + b"and much else " * 20, Kind.TEXT),
    (b"<!doctype html>\0<a href=x>", Kind.HTML),
    # D5: one odd line or byte never turns mail into text.
    (b"From a@b.example Mon Jan  1 00:00:00 2024\nFrom: a@b\0.example\nSubject: x\0\n\n", Kind.MBOX),
    (b"Sub\0ject: x\nFrom: a\n\n", Kind.MAIL),
    (b"garbage\nFrom: a\nTo: b\nSubject: x\n\n", Kind.MAIL),
    (b"From: a\ngarbage http://a.example/\nTo: b\nSubject: x\n\n", Kind.MAIL),
    (b"\r\n\xef\xbb\xbf\r\nFrom: a\nTo: b\n", Kind.TEXT),
    (b"\xef\xbb\xbf\r\n \r\nFrom: a\nTo: b\n", Kind.MAIL),
    (b"A note\nFrom: here\nTo: there\n\nhttp://a.example/\n", Kind.TEXT),
    (b"see http://a.example/\nFrom: a\nTo: b\nSubject: x\n", Kind.TEXT),
    (b"http://a.example/\nFrom: a\nTo: b\nSubject: x\n", Kind.TEXT),
    (b"o:e@e.example\nFrom: a\nTo: b\nSubject: x\n", Kind.TEXT),
    (b"Cc:g\nSubject:x\nFrom: a\n", Kind.MAIL),
    (b"X-Y: f\nfoo:bar\nFrom: a\nTo: b\n", Kind.MAIL),
    (b"Date: x\nhttp://a.example/\nhttp://b.example/\nFrom: a\nTo: b\nSubject: y\n", Kind.TEXT),
    (b"A: x\nB: x\nC: x\nD: x\nFrom: a\nTo: b\n", Kind.MAIL),
    (b"A: x\nB: x\nA: x\nA: x\nFrom: a\nTo: b\n", Kind.TEXT),
]

# C1: where the content leaves a doubt the name decides, but only where the content allows it.
NAMED = [
    (b"name,url\nx,http://a.example/\n", "a.csv", Kind.CSV),
    (b"name;url\nx;http://a.example/\n", "a.CSV.gz", Kind.CSV),
    (b"name\turl\nx\thttp://a.example/\n", "a.csv", Kind.TSV),
    (b"red,green\nblue,white\n", "a.csv", Kind.CSV),
    (b"url\nhttp://a.example/\n", "a.csv", Kind.CSV),
    (b"From,To,Subject\na,b,c\n", "a.csv", Kind.CSV),
    (b"a b, c\nno comma\n", "a.csv", Kind.TEXT),
    (b"<html><a href=x>", "a.csv", Kind.HTML),
    (b"\0\1\2\3,\0\n", "a.csv", Kind.BINARY),
    (b"name\tx\ny\tz\n", "a.tsv", Kind.TSV),
    (b"no tabulator\n", "a.tsv", Kind.TEXT),
    (b'{"a":"b"}\n', "a.json", Kind.JSON),
    (b'{"a":"b"}', "a.ndjson", Kind.JSONL),
    (b"{}\n", "a.jsonl", Kind.JSONL),
    (b"[1]\n", "a.json", Kind.JSON),
    (b"{1}\n", "a.json", Kind.TEXT),
    (b"[1,]\n", "a.json", Kind.TEXT),
    (b"[1:2]\n", "a.json", Kind.TEXT),
    (b"// comment\n{}", "a.json", Kind.JSON),
    (b"http://a.example/\n", "a.json", Kind.TEXT),
    (b"<foo>\n<bar>http://a.example/</bar>", "a.xml", Kind.XML),
    (b"http://a.example/\n", "a.xml", Kind.TEXT),
    (b"<pre>http://a.example/", "a.html", Kind.HTML),
    (b"<pre>http://a.example/", "a.txt", Kind.TEXT),
    (b"<3 http://a.example/", "a.html", Kind.TEXT),
    (b"<http://a.example/>", "a.html", Kind.TEXT),
    (b"http://a.example/", "a.html", Kind.TEXT),
    (b"Made by hand.\n% a\n\n@book{k,\n title={A}}\n", "a.bib", Kind.BIBTEX),
    (b"http://a.example/{\\_}\n", "a.bib", Kind.TEXT),
    (b"<!doctype html>\n@book{k, title=", "a.bib", Kind.HTML),
    (b"name,url\nx,http://a.example/\n", "csv", Kind.TEXT),
    (b"name,url\nx,http://a.example/\n", "a.csv.txt", Kind.TEXT),
]


@pytest.mark.parametrize(("head", "kind"), ROWS)
def test_kinds(head: bytes, kind: Kind) -> None:
    assert kind_of(head) is kind


@pytest.mark.parametrize(("head", "name", "kind"), NAMED)
def test_names(head: bytes, name: str, kind: Kind) -> None:
    assert kind_of(head, name) is kind


# A media type promises what a name does, if the name promises nothing.
TYPED = [
    (b"{}", "application/json", "", Kind.JSON),
    (b"{}", "application/ld+json", "a.txt", Kind.JSON),
    (b"{}", "text/plain", "", Kind.TEXT),
    (b"[1]\n[2]\n", "application/x-ndjson", "", Kind.JSONL),
    (b"name,url\nx,y\n", "text/csv", "", Kind.CSV),
    (b"name\turl\n", "text/tab-separated-values", "", Kind.TSV),
    (b"<foo>b</foo>", "application/atom+xml", "", Kind.XML),
    (b"<foo>b</foo>", "application/octet-stream", "", Kind.TEXT),
    (b"a <b>c</b>", "text/watch-html", "", Kind.HTML),
    (b"a <b>c</b>", "text/xhtml", "", Kind.HTML),
    (b"a,b\n1,2\n3,4\n", "text/html", "", Kind.HTML),
    (b"a\nb\nc\nd\nBEGIN:VCALENDAR\n", "text/calendar", "", Kind.CALENDAR),
    (b"Subject: a\n", "message/rfc822", "", Kind.MAIL),
    (b"no field\n", "message/rfc822", "", Kind.MAIL),
    (b"Subject: a\n", "application/mbox", "", Kind.MAIL),
    (b"name,url\nx,y\n", "text/csv", "a.json", Kind.TEXT),
    (b'{"a":1}\n', "text/csv", "", Kind.JSONL),
]


@pytest.mark.parametrize(("head", "media_type", "name", "kind"), TYPED)
def test_media_types(head: bytes, media_type: str, name: str, kind: Kind) -> None:
    assert kind_of(head, name, media_type=media_type) is kind


@pytest.mark.parametrize(("head", "name"), [*((head, "") for head, _ in ROWS), *(row[:2] for row in NAMED)])
def test_what_is_settled_stays(head: bytes, name: str) -> None:
    """However a file comes in pieces, it is the same kind of file."""
    kind = kind_of(head, name, is_live=True)
    for size in range(1, len(head)):
        assert settled_kind(head[:size], name) in (None, kind)


# What texts may begin with.
PIECES = (
    *(b"From: a\n", b"To: b\r\n", b"Subject:c\n", b"Date: d\n", b"Content-Type: e\n", b"X-Y: f\n", b"Cc:g\n"),
    *(b"INFO: h\n", b"o:e@e.example\n", b"12:30:01 up\n", b"http://a.example/\n", b"a b: c\n", b"no colon\n"),
    *(b" more\n", b"\n", b"Fro\xfcm: a\n", b"From a Mon Jan  1 00:00:00 2024\n", b"WARC/1.0\n"),
    *(b"id,url\n", b"1,2\n", b"1;x\r", b'"a","b\n', b'c"\n', b"id\tb\n", b"\xc3\xa9,b\n", b"a:/b,", b"word", b","),
    *(b":", b'"', b"=", b"\f", b"\xff\xfe", b"\xef\xbb\xbf", b"\0\1", b"\x02\n"),
    *(b"<!doctype html>", b"<?xml version='1.0'?>", b'{"a":1}\n', b")]}'\n", b"a.b = ", b"f(", b");\n"),
    *(b'{"a":', b"[", b"]", b'"b"', b"1", b",}", b"}", b"\n{", b"{}", b"\\/"),
    *(b"<a ", b"<x:y", b" xmlns='z'", b">", b"<urn:a:b"),
    *(b"BEGIN:VCARD\n", b"begin:vcalendar\r\n", b"dn: a=b\n", b"dn:\n", b"version: 1\n", b"# extended LDIF\n", b"#\n"),
    b"BABYL OPTIONS: -*- rmail -*-\n",
    *(b"@article", b"@String", b" {", b"{k", b"k,", b" \n url", b" = "),
)
NAMES = ("", "a.bib", "a.ldif", "a.csv", "a.tsv", "a.json", "a.jsonl", "a.xml", "a.html", "a.ics", "a.eml", "a.warc")


@given(st.lists(st.sampled_from(PIECES), max_size=9), st.sampled_from(NAMES))
def test_what_is_settled_stays_whatever_follows(pieces: list[bytes], name: str) -> None:
    head = b"".join(pieces)
    kind = kind_of(head, name, is_live=True)
    for size in range(1, len(head)):
        assert settled_kind(head[:size], name) in (None, kind), head[:size]


# A text that a slow pipe begins with, and whether it waits for more.
SLOW = [
    (b"http://a.example/", False),
    (b"http:", True),
    (b"urn:a:b\n", False),
    (b"INFO http://a.example/ x", False),
    (b"12:30:01 up", True),  # nothing in it can be an identifier: something may be below it
    (b"o:e@e.example\n", False),
    (b"x: http://a.example/\n", True),
    (b"x: http://a.example/\ny\n", False),
    (b"INFO: a\nWARN: b\nINFO: c\n", True),
    (b"INFO: a\nWARN: b\nINFO: c\nINFO: d\n", False),
    (b"".join(b"%c: x\n" % letter for letter in range(65, 80)), True),
    (b"".join(b"%c: x\n" % letter for letter in range(65, 81)), False),
    (b"Subject:x", True),
    (b"Subject:x\nFrom: y\n", False),
    (b"Subject:x\n\n", False),
    (b"no colon\n", True),
    (b"no colon\nno field\n", False),
    (b"<http://a.example/>", False),
    (b"<urn:a:b>", False),
    (b"<x", True),
    (b"id,url\n1,2\n", True),
    (b"a,b c\n", True),
    (b"One, two\n", True),
    (b"One, two\nthree\n", False),
    (b"No colon! here", True),
    (b"No colon! here\nNo colon! here", False),
    (b"a b:c,d", True),
    (b"a b:c,", True),
    (b"a b:c,9", True),
    (b"12:30:01 up,x", True),
    (b"PK", True),
    (b"# ext", True),
    (b"# extended LDIF\n# a\n", True),
    (b"# extended LDIF\n# a\nb, c\nd", False),
    (b"dn: a=b\n", True),
    (b"dn: a=b\nc\n", False),
    (b"BEGIN:VCARD\n", False),
    (b"@art", True),
    (b"@joe hello\nworld\n", False),
    (b"@article{k,\n url ", True),
    (b"@article{k,\n url =", False),
    (b"\x1f", True),
    (b"\xff\xfea", True),
    (b"a\x01b:\n", True),
]


@pytest.mark.parametrize(("head", "waits"), SLOW)
def test_what_waits_for_more(head: bytes, waits: bool) -> None:
    assert (settled_kind(head) is None) is waits


@given(st.binary(max_size=600))
def test_any_head_has_a_kind(head: bytes) -> None:
    assert kind_of(head) in tuple(Kind)


@pytest.mark.parametrize(
    "unit",
    [
        b"<!--",
        b"<!-- -->",
        b" ",
        b"Subject: x\n ",
        b"From ",
        b"<?xml ",
        b"[",
        b'{"',
        b"a,",
        b'"',
        b'a,"\n',
        b"<a xmlns",
        b"\n",
        b"\n{",
        b"\n[1,",
        b"a(",
        b"a[b].",
        b"x\n<a ",
    ],
)
def test_no_head_takes_long(unit: bytes) -> None:
    assert kind_of((unit * HEAD_SIZE)[:HEAD_SIZE]) in (Kind.TEXT, Kind.HTML)


def test_the_table_of_kinds_agrees_with_itself() -> None:
    assert set(InputKind) - {"auto"} <= set(map(str, Kind))
    endings = [ending for kind in Kind for ending in kind.endings]
    plurals = [plural for kind in Kind for plural in kind.plurals]
    assert [len(set(some)) for some in (endings, plurals)] == [len(endings), len(plurals)]
    for kind in Kind:
        unread = kind.form in ("compressed", "archive") or kind is Kind.UNSUPPORTED
        assert (kind.read == "") is unread
        for named in (kind.read, kind.text_sign):
            assert not named or callable(function_of(named))
        assert not (kind.text_sign and (kind.starts or kind.sign))
