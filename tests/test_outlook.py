"""Outlook messages: their texts and files, what is no message, and what is broken."""

from __future__ import annotations

import random
import sys

import pytest

from compound_files import compound_file, outlook_message
from urisieve import extract
from urisieve.errors import InputError
from urisieve.sources.contents import Content
from urisieve.sources.detection import Kind, kind_of
from urisieve.sources.documents import Tally
from urisieve.sources.outlook import OutlookAttachment, OutlookPart, outlook_parts

MESSAGE = outlook_message(
    {
        0x001A: "IPM.Note",
        0x0037: "see http://s.com",
        0x1000: "body http://b.com/é " + "x" * 9_000,
        0x007D: "X: http://h.com\n",
    },
    b'<a href="http://c.com/\xc3\xa9">c</a>',
    {"a.txt": b"http://a.com", "b\x1b.gz": b"\x1f\x8b\x08" + bytes(5_000)},
)


def content(data: bytes) -> Content:
    return Content(source="m", kind=kind_of(data), blocks=[data[:1_000], data[1_000:]])


def test_parts() -> None:
    pytest.importorskip("oxmsg")
    tally = Tally()
    assert kind_of(MESSAGE) is Kind.OLE
    parts = list(outlook_parts(content(MESSAGE), tally=tally))
    texts = [part for part in parts if isinstance(part, OutlookPart)]
    found = [
        (part.kind, part.document.place.part, [record.uri for record in extract(part.document.text)]) for part in texts
    ]
    assert found == [
        (Kind.TEXT, "header", ["http://h.com/"]),
        (Kind.TEXT, "header:Subject", ["http://s.com/"]),
        (Kind.TEXT, "body", ["http://b.com/%C3%A9"]),
        (Kind.HTML, "html-body", ["http://c.com/%C3%A9"]),
    ]
    assert parts[4:] == [
        OutlookAttachment("m!a.txt", b"http://a.com"),
        OutlookAttachment("m!b\ufffd.gz", b"\x1f\x8b\x08" + bytes(5_000)),
    ]
    assert tally.read == {"outlook message": 1, "outlook part": 4, "outlook attachment": 2}


def test_an_old_office_document_is_out_of_scope() -> None:
    tally = Tally()
    assert list(outlook_parts(content(compound_file({"WordDocument": b"x"})), tally=tally)) == []
    assert tally.skipped == {("office", "out-of-scope"): 1}


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "oxmsg", None)
    with pytest.raises(InputError, match=r"urisieve\[msg\]"):
        list(outlook_parts(content(MESSAGE), tally=Tally()))


@pytest.mark.filterwarnings("ignore")
def test_a_damaged_message_raises_nothing() -> None:
    pytest.importorskip("oxmsg")
    chance = random.Random(1)
    for _ in range(150):
        harmed = bytearray(MESSAGE)
        for _ in range(chance.choice([1, 4, 30])):
            harmed[chance.randrange(8, len(harmed))] = chance.randrange(256)
        list(outlook_parts(content(bytes(harmed)), tally=Tally()))
    for size in (600, 5_000, len(MESSAGE) - 700):
        list(outlook_parts(content(MESSAGE[:size]), tally=Tally()))
