"""Records of MARC 21 in ISO 2709: fields, subfields, numbers, damage, bytes."""

from __future__ import annotations

import html
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.doubling import assert_linear
from urisieve import Options, Tally, extract_blocks, extract_files
from urisieve.errors import InputError
from urisieve.sources.bytes.lines import LINE_LIMIT


def record(*fields: tuple[str, bytes], coding: bytes = b"a", shift: int = 0, end: bytes = b"\x1d") -> bytes:
    """A record of some fields, by their tags; the offsets of its directory are wrong by `shift`."""
    directory, body = b"", b""
    for tag, value in fields:
        directory += tag.encode() + b"%04d%05d" % (len(value) + 1, len(body) + shift)
        body += value + b"\x1e"
    base = 24 + len(directory) + 1
    size = base + len(body) + 1
    return b"%05dnam %b22%05d   4500%b\x1e%b%b" % (size, coding, base, directory, body, end)


def places(data: bytes, tally: Tally | None = None, **options: object) -> list[tuple[str, str | None, int | None]]:
    """The identifiers of a file of records, with their fields and records; the bytes are checked."""
    found = []
    for one in extract_blocks("f", [data], options=Options(**options), tally=tally):  # type: ignore[arg-type]
        found.append((one.uri, one.field, one.row))
        assert one.byte_start is not None
        assert one.byte_end is not None
        assert html.unescape(data[one.byte_start : one.byte_end].decode()) == one.raw
    return found


A = record(("001", b"x"), ("856", b"40\x1fuhttp://a.example/\x1fzsee http://b.example/."))
LINKS_A = [("http://a.example/", "856$u"), ("http://b.example/", "856$z")]
C = record(("500", b"  \x1fahttp://c.example/"))
LINK_C = ("http://c.example/", "500$a")

# The file; for each link its URI, its field and its record; the faults.
ROWS: dict[str, tuple[bytes, list[tuple[str, str | None, int]], dict[tuple[str, str], int]]] = {
    "fields and subfields": (A, [(*one, 1) for one in LINKS_A], {}),
    "several records": (A + C + C, [(*LINKS_A[0], 1), (*LINKS_A[1], 1), (*LINK_C, 2), (*LINK_C, 3)], {}),
    "line feeds between them": (A + b"\r\n" + C + b"\n\x1a", [(*LINKS_A[0], 1), (*LINKS_A[1], 1), (*LINK_C, 2)], {}),
    "a control field": (record(("003", b"http://a.example/x")), [("http://a.example/x", "003", 1)], {}),
    "a leader of UNIMARC": (
        C.replace(b" a22", b"  22").replace(b"4500500", b"450 500"),
        [(*LINK_C, 1)],
        {},
    ),
    "UTF-8": (
        record(("856", "4 \x1fuhttp://a.example/ä\x1fyß".encode())),
        [("http://a.example/%C3%A4", "856$u", 1)],
        {},
    ),
    "UTF-8 that no leader declares": (
        record(("245", "  \x1fa漢字 http://a.example/".encode()), coding=b" "),
        [("http://a.example/", "245$a", 1)],
        {},
    ),
    "MARC-8": (
        record(("245", b"  \x1fa\xe1a \xe8u"), ("856", b"4 \x1fuhttp://a.example/"), coding=b" "),
        [("http://a.example/", "856$u", 1)],
        {("text", "undecodable-bytes"): 1, ("byte", "undecodable"): 2},
    ),
    "bytes that are not UTF-8": (
        record(("245", b"  \x1fa\xff http://a.example/")),
        [("http://a.example/", "245$a", 1)],
        {("text", "undecodable-bytes"): 1, ("byte", "undecodable"): 1},
    ),
    "a value that is a page": (
        record(("520", b'  \x1fa<a href="http://a.example/?a&amp;b">x</a>')),
        [("http://a.example/?a&b", "520$a / a@href", 1)],
        {},
    ),
    "text before the first subfield": (
        record(("856", b"http://a.example/\x1fuhttp://b.example/")),
        [("http://a.example/", "856", 1), ("http://b.example/", "856$u", 1)],
        {},
    ),
    "a subfield without a code": (
        record(("856", b"4 \x1f http://a.example/\x1f\xc3\xa4 http://b.example/")),
        [("http://a.example/", "856", 1), ("http://b.example/", "856", 1)],
        {},
    ),
    "a directory of wrong offsets": (
        record(("001", b"x"), ("856", b"4 \x1fuhttp://a.example/"), shift=7) + C,
        [("http://a.example/", "856$u", 1), (*LINK_C, 2)],
        {("marc record", "bad-directory"): 1},
    ),
    "a directory of no use": (
        A.replace(b"4500001", b"450000\xff") + C,
        [("http://a.example/", None, 1), ("http://b.example/", None, 1), (*LINK_C, 2)],
        {("marc record", "bad-directory"): 1, ("text", "undecodable-bytes"): 1, ("byte", "undecodable"): 1},
    ),
    "a directory without its end": (
        C.replace(b"\x1e", b"", 1),
        [(LINK_C[0], None, 1)],
        {("marc record", "bad-directory"): 1},
    ),
    "a leader that is damaged": (
        A + C.replace(b"4500", b"****") + A,
        [(*LINKS_A[0], 1), (*LINKS_A[1], 1), (LINK_C[0], None, 2), (*LINKS_A[0], 3), (*LINKS_A[1], 3)],
        {("marc record", "no-leader"): 1},
    ),
    "a wrong length": (b"99999" + A[5:] + C, [(*LINKS_A[0], 1), (*LINKS_A[1], 1), (*LINK_C, 2)], {}),
    "no end between two": (
        A[:-1] + C,
        [(*LINKS_A[0], 1), (*LINKS_A[1], 1), (*LINK_C, 2)],
        {("marc record", "no-end"): 1},
    ),
    "no end": (A + C[:-2], [(*LINKS_A[0], 1), (*LINKS_A[1], 1), (*LINK_C, 2)], {("marc record", "no-end"): 1}),
    "text between them": (
        A + b"http://d.example/ x\x1d" + C,
        [(*LINKS_A[0], 1), (*LINKS_A[1], 1), ("http://d.example/", None, 2), (*LINK_C, 3)],
        {("marc record", "no-leader"): 1},
    ),
}


@pytest.mark.parametrize("row", ROWS)
def test_rows(row: str) -> None:
    data, expected, faults = ROWS[row]
    tally = Tally()
    assert places(data, tally) == expected
    assert tally.kinds == {"marc": 1}
    assert dict(tally.broken) == faults
    assert not tally.is_unread


@pytest.mark.parametrize("row", ROWS)
def test_however_the_input_is_cut(row: str) -> None:
    data = ROWS[row][0]
    whole = list(extract_blocks("f", [data]))
    assert list(extract_blocks("f", (data[i : i + 1] for i in range(len(data))))) == whole
    assert list(extract_blocks("f", [data[:30], data[30:]])) == whole


def test_numbers_in_the_fields_that_hold_them() -> None:
    data = record(
        ("020", b"  \x1fa9780306406157 (pbk.)"), ("022", b"  \x1fa0378-5955"), ("024", b"7 \x1fa10.1000/182\x1f2doi"),
        ("500", b"  \x1fa0306406152"), ("776", b"08\x1fx0378-5955\x1fz9780306406157"),
    )  # fmt: skip
    assert places(data) == []
    assert places(data, bare=("isbn", "issn", "doi")) == [
        ("urn:isbn:9780306406157", "020$a", 1),
        ("urn:issn:03785955", "022$a", 1),
        ("doi:10.1000/182", "024$a", 1),
        ("urn:issn:03785955", "776$x", 1),
        ("urn:isbn:9780306406157", "776$z", 1),
    ]


def test_members_of_archives_and_streams(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a", A + C)
    path = tmp_path / "a.zip"
    path.write_bytes(out.getvalue())
    assert [(one.source, one.field, one.row) for one in extract_files([path])] == [
        (f"{path}!a", "856$u", 1), (f"{path}!a", "856$z", 1), (f"{path}!a", "500$a", 2)
    ]  # fmt: skip


def test_what_is_not_a_record_is_read_as_text() -> None:
    """A record has an end within `LINE_LIMIT` bytes; what has none is a text, with its bytes."""
    data = A + C[:-1] + b" filler" * (LINE_LIMIT // 7) + b" http://last.example/ \xff" + b"x" * 100_000
    tally = Tally()
    assert places(data, tally) == [
        *((*one, 1) for one in LINKS_A), ("http://c.example/", None, None), ("http://last.example/", None, None)
    ]  # fmt: skip
    assert tally.broken["marc record", "too-long"] == tally.broken["byte", "undecodable"] == 1


def test_an_error_cuts_the_last_value() -> None:
    def blocks() -> Iterator[bytes]:
        yield A + C[:-2]
        raise InputError("the disk is gone")

    found = extract_blocks("f", blocks())
    seen: list[str] = []
    with pytest.raises(InputError, match="the disk is gone"):
        seen.extend(one.uri for one in found)
    assert seen in (["http://a.example/", "http://b.example/"], [])


@given(st.data())
def test_damage_costs_names_alone(data: st.DataObject) -> None:
    """Whatever stands in leaders and directories, and in one field, the other fields keep their links."""
    good = [(b"http://%d.example/" % index) for index in range(4)]
    one = record(*(("856", b"4 \x1fu" + link) for link in good))
    base = one.index(b"\x1e")
    at = data.draw(st.integers(24, base))
    damage = data.draw(st.binary(min_size=1, max_size=8))
    broken = one[:at] + damage + one[min(base, at + data.draw(st.integers(0, 8))) :]
    found = [uri for uri, _, _ in places(record(("001", b"x")) + broken + C)]
    assert found[-1] == "http://c.example/"
    assert [uri for uri in found if uri.encode() in good[1:]] == [link.decode() for link in good[1:]]


@pytest.mark.parametrize("unit", [b"\x1e", b"\x1f", A[:-1], A[:24] + b"\x1d", A[:24] + b"001000100000"], ids=repr)
def test_linear(unit: bytes) -> None:
    def run(data: bytes) -> None:
        for _ in extract_blocks("f", [data]):
            pass

    assert_linear(run, lambda size: A[:24] + unit * (size // len(unit)), 200_000)
