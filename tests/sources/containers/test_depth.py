"""One bound on depth for every way into a part (D3): what is below is counted, the rest is read, the next file too."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.cli_support import call
from tests.helpers.compound_files import outlook_message
from tests.helpers.containers import CONTAINERS, attached
from tests.helpers.doubling import assert_linear
from urisieve import ReadingOptions, extract_files
from urisieve.sources.containers.limits import Limits
from urisieve.sources.tally import Tally

HEADER = b"From: a@b.example\nSubject: x\n"
LEAF = HEADER + b"\nsee http://leaf.example/\n"
ENVELOPE = b"From a@b.example Mon Jan  1 00:00:00 2024\n"


def attachment(data: bytes, depth: int) -> bytes:
    return (HEADER + b"Content-Type: application/octet-stream; name=x.eml\n\n") * depth + data


def message(data: bytes, depth: int) -> bytes:
    return (HEADER + b"Content-Type: message/rfc822\n\n") * depth + data


def multipart(data: bytes, depth: int, first: int = 0) -> bytes:
    numbers = range(first, first + depth)
    parts = [b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (number, number) for number in numbers]
    ends = [b"\n--b%d--\n" % number for number in reversed(numbers)]
    return HEADER + b"".join(parts) + b"Content-Type: message/rfc822\n\n" + data + b"".join(ends)


def mixture(data: bytes, depth: int) -> bytes:
    for number in range(depth):
        if number % 3 == 0:
            data = attachment(data, 1)
        elif number % 3 == 1:
            data = message(data, 1)
        else:
            data = multipart(data, 1, number)
    return data


def archives_in_mail(data: bytes, depth: int) -> bytes:
    for number in range(min(depth, 80)):
        data = attached("x.tgz", CONTAINERS["a.tgz"]({"x.eml": data})) if number % 8 == 0 else message(data, 1)
    return data


def outlook_in_mail(data: bytes, depth: int) -> bytes:
    """As deep as the writer of compound files has room."""
    for _ in range(depth):
        if len(inner := outlook_message({0x001A: "IPM.Note"}, attached={"x.eml": data})) > 40_000:
            return data
        data = attached("x.msg", inner)
    return data


def compressed(data: bytes, depth: int) -> bytes:
    for _ in range(depth):
        data = gzip.compress(data, 1)
    return data


WAYS: list[Callable[[bytes, int], bytes]] = [
    attachment,
    message,
    multipart,
    mixture,
    archives_in_mail,
    outlook_in_mail,
    compressed,
]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("envelope", [b"", ENVELOPE], ids=["message", "mbox"])
@pytest.mark.parametrize("depth", [100, 1_000, 10_000])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_what_is_nested_too_deep(
    way: Callable[[bytes, int], bytes], depth: int, envelope: bytes, tmp_path: Path
) -> None:
    pytest.importorskip("oxmsg")
    if way in (mixture, compressed):
        depth = min(depth, 1_000)  # the whole is made anew for each level
    data = way(LEAF, depth)
    if envelope and way is compressed:
        data = attached("x.gz", data)
    if envelope:
        data = envelope + data + b"\n" + envelope + HEADER + b"\nhttp://second.example/\n"
    (tmp_path / "a").write_bytes(data)
    (tmp_path / "b").write_bytes(b"http://next.example/")
    tally = Tally()
    failed: list[str] = []
    found = extract_files([tmp_path], tally=tally, on_error=lambda _, error: failed.append(str(error)))
    uris = [record.uri for record in found]
    assert uris[-1] == "http://next.example/"
    assert not failed
    assert {reason for _, reason in tally.broken} <= {"nested-too-deep", "nesting-limit"}
    assert bool(tally.broken) is (way is not outlook_in_mail)
    if envelope:
        assert "http://second.example/" in uris
    if way in (attachment, message, multipart, mixture):  # it is read as text
        assert "http://leaf.example/" in uris


@pytest.mark.parametrize("way", [attachment, message, mixture], ids=lambda way: way.__name__)
@pytest.mark.parametrize(("depth", "broken"), [(1, 0), (10, 0), (20, 0), (40, 1)])
def test_the_bound(way: Callable[[bytes, int], bytes], depth: int, broken: int, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(way(LEAF, depth))
    tally = Tally()
    assert [record.uri for record in extract_files([tmp_path], tally=tally)] == ["http://leaf.example/"]
    assert sum(tally.broken.values()) == broken
    limits = ReadingOptions(limits=Limits(depth=3))
    tally = Tally()
    assert [record.uri for record in extract_files([tmp_path], tally=tally, reading=limits)] == ["http://leaf.example/"]
    assert sum(tally.broken.values()) == (depth > 3)


def test_it_is_counted_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(attachment(LEAF, 100))
    found = call("extract", "-v", str(tmp_path))
    assert (found.status, found.lines) == (2, ["http://leaf.example/"])
    assert "broken: 1 mail (nested too deep)" in found.err


def test_names_of_mail_in_mail_do_not_multiply(tmp_path: Path) -> None:
    """D9: the name of a record holds those of all on the way."""
    long = b"x" * 5_000
    data = (HEADER + b"Content-Type: application/octet-stream; name=" + long + b".eml\n\n") * 31 + LEAF
    (tmp_path / "a").write_bytes(data)
    ((record,)) = extract_files([tmp_path])
    assert record.source is not None
    assert len(record.source) <= 8_192
    assert os.fsencode(record.source).startswith(os.fsencode(tmp_path))


def test_time_is_linear(tmp_path: Path) -> None:
    path = tmp_path / "a"

    def read(data: bytes) -> None:
        path.write_bytes(data)
        list(extract_files([path]))

    assert_linear(read, lambda size: attachment(LEAF * (size // len(LEAF)), 31), 400_000)
