"""Mailboxes: where messages begin and end, however the bytes come; folders of messages; what looks like mail."""

from __future__ import annotations

import mailbox
import os
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.doubling import assert_linear
from urisieve.sources.containers.folders import find_files
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.kinds.mail_signs import mail_kind
from urisieve.sources.mail.mailboxes import MailboxMessage, split_mbox
from urisieve.sources.tally import Tally

ENVELOPE = b"From a@e.example Mon Jan  1 00:00:00 2024\n"


def split(data: bytes, size: int = 1 << 20, limit: int = 1 << 20) -> list[MailboxMessage]:
    return list(split_mbox((data[start : start + size] for start in range(0, len(data), size)), limit=limit))


def bodies(data: bytes) -> list[bytes]:
    return [message.data for message in split(data)]


# | is where a message begins; what stands before it on its line is its envelope line.
TABLE = {
    "two messages": b"%A: b\n\nx\n\n%C: d\n\ny\n",
    "crlf": b"%A: b\r\n\r\nx\r\n\r\n%C: d\r\n\r\ny\r\n",
    "no empty line before it": b"%A: b\n\nx\n%C: d\n\ny\n",
    "no header after it": b"%A: b\n\nx\n\n%y\n",
    "empty lines at the start": b"\n\n%A: b\n\nx\n",
    "no envelope line at the start": b"|A: b\n\nx\n\n%C: d\n",
    "an empty message": b"%A: b\n\nx\n\n%%C: d\n",
    "a sentence": b"%A: b\n\nx\n\nFrom here to there\nis far.\n",
    "a sentence before a colon": b"%A: b\n\nx\n\nFrom here on\nNote: it is far.\n",
    "a sentence that is dated": b"%A: b\n\nsaid\nFrom x Mon Jan  1 00:00:00 2024 on\nit was far.\n",
    "a sentence that is dated, after an empty line": b"%A: b\n\nx\n\nFrom x Mon Jan  1 00:00:00 2024 the\nmore\n",
    "such a sentence before a colon": b"%A: b\n\nx\n\nFrom x Mon Jan  1 00:00:00 2024 on\nNote: it is far.\n",
    "such a sentence before a header": b"%A: b\n\nx\n\nFrom x Mon Jan  1 00:00:00 2024 on\n|To: d\n\ny\n",
    "a zone before the year": b"%A: b\n\nx\n\nFrom a@b Mon Jan  1 00:00:00 MET DST 2024\n|C: d\n\ny\n",
    "a zone with its name": b"%A: b\n\nx\n\nFrom a@b Mon, 1 Jan 2024 00:00:00 +0100 (CET)\n|C: d\n\ny\n",
    "the host that UUCP adds": b"%A: b\n\nx\n\nFrom a Mon Jan  1 00:00:00 2024 remote from b.example\n|C: d\n\ny\n",
    "the host without its words": b"%A: b\n\nx\n\nFrom a Mon Jan  1 00:00:00 2024 remote fro\nC: d\n\ny\n",
    "two dates": b"%A: b\n\nx\n\nFrom a Mon Jan  1 00:00 or Mon Jan  1 00:00:00 2024\n|C: d\n\ny\n",
    "no date, but a header": b"%A: b\n\nx\n\nFrom someone\n|Received: by x\n\ny\n",
    "no date, no empty line": b"%A: b\n\nx\nFrom someone\nReceived: by x\n\ny\n",
    "the date of a message": b"%A: b\n\nx\n\nFrom a@b 1 Jan 2024 10:00:00 +0000\n|C: d\n\ny\n",
    "a comma in the date": b"%A: b\n\nx\n\nFrom - Mon, Jan 1 10:00:00 2024\n|C: d\n\ny\n",
    "not at the start of a line": b"%A: b\n\nx\n\n From a@e.example Mon Jan  1 00:00:00 2024\nC: d\n",
}


@pytest.mark.parametrize("name", TABLE)
def test_where_messages_begin(name: str) -> None:
    marked = TABLE[name].replace(b"%", ENVELOPE + b"|")
    data = marked.replace(b"|", b"")
    places = [place - number for number, place in enumerate(i for i, byte in enumerate(marked) if byte == ord("|"))]
    for size in (1, 3, 7, 1 << 20):
        messages = split(data, size)
        assert [message.offset for message in messages] == places
        assert [message.number for message in messages] == list(range(1, len(places) + 1))
        for message in messages:
            assert data[message.offset : message.offset + len(message.data)] == message.data


def test_lines_are_unquoted_once() -> None:
    message = split(ENVELOPE + b"A: b\n\n>From x\n>>From y\n>from z\n> From\n")[0]
    assert message.data == b"A: b\n\nFrom x\n>From y\n>from z\n> From\n"
    assert list(message.unquoted) == [6, 13]


@pytest.mark.parametrize(
    ("length", "is_believed"),
    [(0, True), (-1, True), (1, True), (-2, False), (2, False), (1 << 40, False), (10**11, False)],
)
def test_content_length(length: int, is_believed: bool) -> None:
    body = b"x\n\n" + ENVELOPE + b"To: a\n\ny\n"
    size = len(body) + length if abs(length) < 3 else length
    first = b"A: b\nContent-Length: %d\n\n" % size + body
    data = ENVELOPE + first + b"\n" + ENVELOPE + b"C: d\n\nz\n"
    for block in (1, 1 << 20):
        assert len(split(data, block)) == (2 if is_believed else 3)
        last = ENVELOPE + first
        assert len(split(last, block)) == (1 if is_believed and length < 1 else 2)  # one byte more is not there


@pytest.mark.parametrize(
    ("before", "after", "is_believed"),
    [
        (b"\n", ENVELOPE + b"C: d\n\ny\n", True),
        (b"\n", b"From nobody\nTo: d\n\ny\n", True),
        (b"\n", b"From nobody\nC d\n\ny\n", False),
        (b" ", ENVELOPE + b"C: d\n\ny\n", False),  # in the middle of a line
        (b"\n", b"No envelope\nTo: d\n\ny\n", False),
        (b"\n", b">" + ENVELOPE + b"To: d\n\ny\n", False),
    ],
)
def test_what_must_stand_where_a_message_ends_by_its_length(before: bytes, after: bytes, is_believed: bool) -> None:
    body = b"x\n" + ENVELOPE + b"To: a\n\ny" + before  # a separator but for the length
    data = ENVELOPE + b"A: b\nContent-Length: %d\n\n" % len(body) + body + after
    for block in (1, 1 << 20):
        messages = split(data, block)
        assert messages[0].data.endswith(body if is_believed else b"x\n")


def test_a_message_is_cut_at_the_limit() -> None:
    data = ENVELOPE + b"A: b\n\n" + b"x" * 10_000 + b"\n\n" + ENVELOPE + b"C: d\n\ny\n"
    for size in (1, 1_000, 1 << 20):
        first, second = split(data, size, limit=2_000)
        assert (len(first.data), first.dropped) == (2_000, 8_008)
        assert data[second.offset :] == second.data == b"C: d\n\ny\n"
        assert second.dropped == 0


def test_a_message_comes_before_the_mailbox_is_read() -> None:
    read: list[int] = []

    def blocks() -> Iterator[bytes]:
        for number in range(4):
            read.append(number)
            yield ENVELOPE + b"A: b\n\n" + b"x\n" * 5_000 + b"\n"

    next(split_mbox(blocks()))
    assert read == [0, 1]


@pytest.mark.parametrize("data", [b"", b"\n", b"\r\n\r\n"])
def test_nothing(data: bytes) -> None:
    assert split(data) == []


@given(
    st.lists(
        st.lists(
            st.sampled_from(
                [b"From x\n", ENVELOPE, b">From y\n", b"\n", b"a\n", b"To: x\n", b"x", b"\r\n", b"Content-Length: 9\n"]
            )
        ).map(b"".join),
        max_size=4,
    ),
    st.integers(1, 60),
)
def test_the_size_of_blocks_changes_nothing(pieces: list[bytes], size: int) -> None:
    data = b"".join(ENVELOPE + piece for piece in pieces)
    assert split(data, size) == split(data)
    whole = b"".join(message.data for message in split(data))
    assert len(whole) <= len(data)


def test_mailboxes_that_python_writes(tmp_path: Path) -> None:
    path = tmp_path / "box"
    box = mailbox.mbox(str(path))
    for number in range(5):
        message = EmailMessage()
        message["Subject"] = f"{number}"
        message["From"] = "a@e.example"
        message.set_content(f"From me http://e.example/{number}\n\nFrom you\n\n")
        box.add(message)
    box.close()
    found = split(path.read_bytes(), 100)
    assert [b"http://e.example/%d\n" % number in message.data for number, message in enumerate(found)] == [True] * 5
    assert all(b"\nFrom me" in message.data and b"\nFrom you" in message.data for message in found)


def test_maildir(tmp_path: Path) -> None:
    box = mailbox.Maildir(str(tmp_path / "box"))
    names = [box.add(b"Subject: a\n\nhttp://e.example/\n") for _ in range(3)]
    seen = mailbox.MaildirMessage(b"Subject: b\n\n")
    seen.set_subdir("cur")
    seen.add_flag("S")
    box.add(seen)
    (tmp_path / "box" / "tmp" / "half").write_bytes(b"Subj")
    path = str(tmp_path / "box")
    tally = Tally()
    found = list(find_files([path], tally=tally))
    assert [os.path.relpath(name, path).split(os.sep)[0] for name in found] == ["new"] * 3 + ["cur"]
    assert {os.path.basename(name) for name in found[:3]} == set(names)
    assert tally.skipped["folder", "unfinished-mail"] == 1


def test_mh(tmp_path: Path) -> None:
    box = mailbox.MH(str(tmp_path / "box"))
    for _ in range(11):
        box.add(b"Subject: a\n\nhttp://e.example/\n")
    box.set_sequences({"unseen": [1]})
    box.close()
    path = str(tmp_path / "box")
    (tmp_path / "box" / ",3").write_bytes(b"removed")
    tally = Tally()
    assert [os.path.basename(name) for name in find_files([path], tally=tally)] == [str(n) for n in range(1, 12)]
    assert tally.skipped == {("file", "removed-mail"): 1, ("file", "hidden"): 1}


def test_the_names_in_a_folder_of_mh(tmp_path: Path) -> None:
    """Numbers in their order, then other names in theirs."""
    names = ["9", "10", "9" * 17, "1" + "0" * 17, "9" * 200, "1" + "0" * 200, "1x", "a", "٣"]
    for name in (*names, ".mh_sequences"):
        (tmp_path / name).write_bytes(b"")
    assert [os.path.basename(name) for name in find_files([str(tmp_path)], tally=Tally())] == names


LONG_HEADER = b"".join(b"Received: from a%d.example by b.example\n" % number for number in range(200))


def test_a_header_longer_than_what_is_looked_at() -> None:
    assert mail_kind((b"ARC-Seal: i=1\n" + LONG_HEADER)[:4_096]) is Kind.MAIL
    assert mail_kind((LONG_HEADER[:2_000] + b"\nDKIM-Signature: v=1\n" + LONG_HEADER)[:4_096])


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (ENVELOPE + b"Received: x\n", Kind.MBOX),
        (b"\n" + ENVELOPE + b"A: x\n", Kind.MBOX),
        (b"From nobody\nReceived: x\n", Kind.MBOX),
        (b"From nobody\nwith love\n", None),
        (b"From: a\nSubject: b\n\nx", Kind.MAIL),
        (b"Received: a\n\tb\nDate: b\nSub", Kind.MAIL),
        (b"Return-Path: <>\r\nFrom: x\r\n\r\n", Kind.MAIL),
        (b"Subject: alone\n\n", None),
        (b"Date: now\nContent-Type: text/html\nServer: x\n\n", None),
        (b"HTTP/1.1 200 OK\nDate: x\nFrom: y\n", None),
        (b"http://e.example/\n", None),
        (b"", None),
        (b"\x1f\x8b", None),
        (b'{"From": 1}', None),
    ],
)
def test_what_looks_like_mail(head: bytes, kind: Kind | None) -> None:
    assert (mail_kind(head) or None) is kind


@pytest.mark.parametrize(
    "unit",
    [
        b"\nFrom ",
        b"\n\nFrom x\n",
        b"\nFrom x Mon Jan ",
        ENVELOPE,
        ENVELOPE + b"Content-Length: 900000\n\n",
        b"A: b\n",
        b">From \n",
        b"\n",
        b"From",
    ],
    ids=repr,
)
def test_the_time_is_linear(unit: bytes) -> None:
    assert_linear(
        lambda data: split(data, 8_192, 1 << 24), lambda size: ENVELOPE + unit * (size // len(unit)), 1_000_000
    )
