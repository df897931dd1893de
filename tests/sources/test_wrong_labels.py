"""A label of UTF-16 or UTF-32 over text without zeros, in each carrier that has a label: nothing is lost in silence."""

from __future__ import annotations

import base64

import pytest

from tests.helpers.readers import read_by_kernel
from urisieve import Tally, extract_blocks
from urisieve.rewriting import rewrite
from urisieve.types import Blocks

ENGINES = pytest.mark.parametrize("by_kernel", [True, False], ids=["kernel", "python"])
LINKS = ["https://a.example/1", "https://a.example/2"]
OF_PAGES = ["utf-16", "UTF-16LE", "utf-16be", "unicode", "ucs-2", "csunicode", "unicodefffe"]
OF_MAIL = ["utf-16", "UTF-16LE", "utf-16be", "unicode", "utf-32", "utf-32le"]
BEYOND = ["", "ü € 参"]


def payload(kind: str, data: bytes) -> bytes:
    http = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data
    length = f"Content-Length: {len(http)}\r\n\r\n"
    fields = "WARC-Type: response\r\nWARC-Target-URI: http://t.example/\r\nContent-Type: application/http\r\n"
    return f"WARC/1.0\r\n{fields}{length}".encode() + http + b"\r\n\r\n"


def message(kind: str, data: bytes, fields: str = "") -> bytes:
    return f"From: a@a.example\r\nTo: b@a.example\r\nContent-Type: {kind}\r\n{fields}\r\n".encode() + data


def page(head: str, more: str) -> bytes:
    return f"<!doctype html><html><head>{head}</head><p><a href={LINKS[0]}>a</a><p>{LINKS[1]} {more}</html>".encode()


def carriers(label: str, more: str) -> dict[str, bytes]:
    """The name of a file, or behind a blank how it differs from another one, and the file."""
    text = f"{LINKS[0]} {LINKS[1]} {more}".encode()
    xml = f"<r><a href='{LINKS[0]}'/><b>{LINKS[1]}</b>{more}</r>".encode()
    table = f"a,b\n{LINKS[0]},1\n{LINKS[1]},2\n{more},3\n".encode()
    encoded = "Content-Transfer-Encoding: base64\r\n"
    card = f"BEGIN:VCARD\r\nURL:{LINKS[0]}\r\nURL:{LINKS[1]}\r\nNOTE:{more}\r\nEND:VCARD\r\n".encode()
    quoted = f"BEGIN:VCARD\nURL;CHARSET={label};ENCODING=QUOTED-PRINTABLE:{LINKS[0]}\nURL:{LINKS[1]}\nEND:VCARD\n"
    of_pages = {
        "a.html": page(f"<meta charset='{label}'>", more),
        "a.html by http-equiv": page(f"<meta http-equiv=content-type content='text/html; charset={label}'>", more),
        "a.xml": f"<?xml version='1.0' encoding='{label}'?>".encode() + xml,
        "a.eml with a page": message("text/html", page(f"<meta charset='{label}'>", more)),
        "a.warc of a page": payload(f"text/html; charset={label}", page("", more)),
        "a.warc of text": payload(f"text/plain; charset={label}", text),
        "a.warc of XML": payload(f"text/xml; charset={label}", b"<?xml version='1.0'?>" + xml),
        "a.warc of a table": payload(f"text/csv; charset={label}", table),
    }
    of_mail = {
        "a.eml": message(f"text/plain; charset={label}", text),
        "a.eml in base64": message(f"text/plain; charset={label}", base64.encodebytes(text), encoded),
        "a.eml of a page": message(f"text/html; charset={label}", page("", more)),
        "a.eml of a card": message(f"text/vcard; charset={label}", card),
        "a.vcf": quoted.encode(),
    }
    return (of_pages if label in OF_PAGES else {}) | (of_mail if label in OF_MAIL else {})


@ENGINES
@pytest.mark.parametrize("more", BEYOND)
@pytest.mark.parametrize("label", dict.fromkeys(OF_PAGES + OF_MAIL))
def test_a_label_that_the_bytes_deny(label: str, more: str, by_kernel: bool) -> None:
    for carrier, data in carriers(label, more).items():
        tally = Tally()
        with read_by_kernel(by_kernel):
            found = [record.uri for record in extract_blocks(carrier.split()[0], data, tally=tally)]
        assert sorted(found) == LINKS, carrier
        # A page or a document is read as ASCII up to its own label, which says nothing then (HTML 13.2.3.3).
        is_beside = carrier.startswith("a.warc") or (carrier.startswith("a.eml") and "with" not in carrier)
        assert [reason for _, reason in tally.broken] == (["wrong-charset"] if is_beside else []), carrier


@pytest.mark.parametrize("more", BEYOND)
@pytest.mark.parametrize("label", dict.fromkeys(OF_PAGES + OF_MAIL))
def test_what_is_written_back_is_what_is_read(label: str, more: str) -> None:
    for carrier, data in carriers(label, more).items():
        if carrier.startswith(("a.html", "a.xml", "a.eml")) and "card" not in carrier and "base64" not in carrier:
            written = b"".join(rewrite(Blocks(carrier.split()[0], [data]), "urn:x:{host}"))
            assert written.count(b"urn:x:a.example") == 2, carrier


@ENGINES
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-16"])
@pytest.mark.parametrize("begins", ["", "参照 ", "文字化" * 5_000 + "\n"])
def test_a_label_that_the_bytes_bear_out(begins: str, codec: str, by_kernel: bool) -> None:
    data = f"{begins}{LINKS[0]} {LINKS[1]}".encode(codec)
    label = codec.replace("-le", "le").replace("-be", "be")
    encoded = "Content-Transfer-Encoding: base64\r\n"
    for name, file in [
        ("a.eml", message(f"text/plain; charset={label}", base64.encodebytes(data), encoded)),
        ("a.warc", payload(f"text/plain; charset={label}", data)),
    ]:
        tally = Tally()
        with read_by_kernel(by_kernel):
            assert [record.uri for record in extract_blocks(name, file, tally=tally)] == LINKS
        assert not tally.broken
