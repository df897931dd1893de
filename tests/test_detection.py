"""What a file is by its first bytes."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urisieve.sources.detection import HEAD_SIZE, Kind, kind_of

ROWS = [
    (b"", Kind.TEXT),
    (b"plain text http://e.com", Kind.TEXT),
    (b"\xef\xbb\xbfplain", Kind.TEXT),
    ("plain".encode("utf-16"), Kind.TEXT),
    (b"a\0b", Kind.BINARY),
    (b"\x7fELF\x02\x01\x01\0", Kind.BINARY),
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Kind.BINARY),
    (gzip.compress(b""), Kind.GZIP),
    (b"\x1f\x8b", Kind.TEXT),
    (b"BZh91AY&SY", Kind.BZIP2),
    (b"BZh9 is how bzip2 begins", Kind.TEXT),
    (b"\xfd7zXZ\0", Kind.XZ),
    (b"\x28\xb5\x2f\xfd", Kind.ZSTD),
    (b"\x53\x2a\x4d\x18\4\0\0\0abcd\x28\xb5\x2f\xfd", Kind.ZSTD),
    (b"PK\3\4" + bytes(26) + b"a", Kind.ZIP),
    (b"PK\5\6" + bytes(18), Kind.ZIP),
    (b"PK\3\4" + bytes(26) + b"[Content_Types].xml", Kind.OFFICE),
    (b"PK\3\4" + bytes(26) + b"mimetypeapplication/epub+zip", Kind.ZIP),
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
    (b"\xef\xbb\xbf\r\n<!-- a -->\n<!-- b --> <HTML lang=de>", Kind.HTML),
    (b'<?xml version="1.0"?>\n<html xmlns="x">', Kind.HTML),
    (b'<?xml version="1.0"?>\n<feed>', Kind.TEXT),
    (b"<div class=x>", Kind.HTML),
    (b"<http://e.com/>", Kind.TEXT),
    (b"<body@example.org>", Kind.TEXT),
    (b"__CURSOR=s=0f;i=1\n", Kind.JOURNAL),
    (b'{"a":"b"}\n', Kind.TEXT),
]


@pytest.mark.parametrize(("head", "kind"), ROWS)
def test_kinds(head: bytes, kind: Kind) -> None:
    assert kind_of(head) is kind


@given(st.binary(max_size=600))
def test_any_head_has_a_kind(head: bytes) -> None:
    assert kind_of(head) in Kind


@pytest.mark.parametrize("unit", [b"<!--", b"<!-- -->", b" ", b"Subject: x\n ", b"From ", b"<?xml "])
def test_no_head_takes_long(unit: bytes) -> None:
    assert kind_of((unit * HEAD_SIZE)[:HEAD_SIZE]) is Kind.TEXT
