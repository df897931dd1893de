"""`urisieve extract`: inputs, formats, forms, counting, masking, rejections."""

from __future__ import annotations

import codecs
import csv
import io
import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.cli_support import call, process
from urisieve import Options, Record, Rejection, check, extract_files, sieve
from urisieve.sources.tally import Tally

# One of every kind: wrapped, with white space, IRI, URN, without authority, with passwords, invalid.
TEXT = (
    'See <http://Example.com/a\r\n b> and "http://q.example/?x=1#f" or http://ü.example/ä%20é (URN:ISBN:0451450523),\n'
    "mailto:A@B.Example, http://192.0.2.1:8080/, http://[2001:DB8::1]/, ftp://user:secret@f.example/x;\n"
    "ftp://user:other@f.example/x http://[::1/ http://u:secret@h:80x/ http://xn--bcher-kva.example/ http://a.example/100%zz\n"
    "http://q.example/?x=1#f\n"
)


def library(text: str, options: Options | None = None) -> list[Record]:
    return [value for value in sieve(text, options=options) if isinstance(value, Record)]


# ---------------------------------------------------------------- inputs


def test_paths_and_standard_input_in_the_order_given(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("http://one.example/")
    two.write_text("http://two.example/")
    found = call("extract", str(two), "-", str(one), stdin=b"http://in.example/")
    assert found.lines == ["http://two.example/", "http://in.example/", "http://one.example/"]
    assert found.status == 0
    assert call("extract", stdin=b"http://in.example/").lines == ["http://in.example/"]


def test_nothing_joins_across_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("http://a.exam")
    (tmp_path / "b").write_text("ple/ http://b.example/")
    found = call("extract", "--format", "jsonl", str(tmp_path / "a"), str(tmp_path / "b"))
    assert [(row["uri"], row["start"], row["line"]) for row in found.rows] == [
        ("http://a.exam/", 0, 1),
        ("http://b.example/", 5, 1),
    ]
    assert [row["source"] for row in found.rows] == [str(tmp_path / "a"), str(tmp_path / "b")]


def test_an_unreadable_file_is_reported_and_the_rest_is_done(tmp_path: Path) -> None:
    good = tmp_path / "good"
    good.write_text("http://a.example/")
    found = call("extract", "missing", str(good))
    assert (found.status, found.lines) == (2, ["http://a.example/"])
    errors = found.err.splitlines()
    assert errors[0] == "urisieve: missing: No such file or directory"
    assert errors[1].startswith("urisieve: 1 file, 17 bytes, 1 found, 0 rejected, ")
    quiet = call("extract", "--quiet", "missing", str(good))
    assert (quiet.status, quiet.err) == (2, "urisieve: missing: No such file or directory\n")


@pytest.mark.parametrize(
    ("stdin", "status"), [(b"", 1), (b"no links", 1), (b"http://a.example/100%zz", 1), (b"http://a.example/", 0)]
)
def test_status_says_whether_something_was_found(stdin: bytes, status: int) -> None:
    assert call("extract", stdin=stdin).status == status


def test_counts() -> None:
    found = call("extract", "--unique", "-v", stdin=TEXT.encode())
    assert re.fullmatch(
        r"urisieve: 1 file, 354 bytes, 11 found, 10 unique, 3 rejected \(bad-ip-literal 1, bad-percent-encoding 1, "
        r"bad-port 1\), \d+\.\d s; warnings: password-present 2, userinfo-present 2, whitespace-removed 1\n",
        found.err,
    )
    many = call("extract", stdin=b"x" * 1234)
    assert re.fullmatch(r"urisieve: 1 file, 1,234 bytes, 0 found, 0 rejected, \d+\.\d s\n", many.err)
    assert call("extract", "--quiet", stdin=TEXT.encode()).err == ""


# ---------------------------------------------------------------- encodings


@pytest.mark.parametrize("name", ["utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks(name: str) -> None:
    data = "ä http://ü.example/ <http://b.example/>".encode(name)
    rows = call("extract", "--format", "jsonl", stdin=data).rows
    assert [row["start"] for row in rows] == [2, 21]
    plain = name.removesuffix("-sig") + (
        "-le" if data[:2] == codecs.BOM_UTF16_LE else "-be" if name != "utf-8-sig" else ""
    )
    assert [data[row["byte_start"] : row["byte_end"]].decode(plain) for row in rows] == [row["raw"] for row in rows]


@pytest.mark.parametrize("name", ["latin-1", "utf-16-be", "gb18030", "utf-32-le", "big5", "euc_jp", "cp1252"])
def test_an_encoding_asked_for(name: str) -> None:
    data = "ä × http://a.example/ß http://b.example/".encode(name, "ignore")
    rows = call("extract", "--encoding", name, "--format", "jsonl", stdin=data).rows
    assert rows[-1]["uri"] == "http://b.example/"
    assert [data[row["byte_start"] : row["byte_end"]].decode(name) for row in rows] == [row["raw"] for row in rows]


def test_encodings_with_shift_states_have_no_byte_offsets() -> None:
    data = "漢字 http://a.example/ http://b.example/100%zz 漢".encode("iso2022_jp")
    (row,) = call("extract", "--encoding", "iso2022_jp", "--format", "jsonl", stdin=data).rows
    assert (row["start"], row["byte_start"], row["byte_end"]) == (3, None, None)


def test_stray_bytes_end_an_identifier_and_shift_nothing() -> None:
    data = b"\xff\xe9 http://a.example/\xff http://b.example/\xe4\xb8\xad\xe4 \x80http://c.example/"
    rows = call("extract", "--format", "jsonl", stdin=data).rows
    assert [row["raw"] for row in rows] == ["http://a.example/", "http://b.example/中", "http://c.example/"]
    assert [data[row["byte_start"] : row["byte_end"]].decode() for row in rows] == [row["raw"] for row in rows]


PIECES = st.one_of(
    st.binary(max_size=8),
    st.text(max_size=6),
    st.sampled_from(
        [
            "http://a.example/",
            "<http://b.example/ä\n c>",
            "http://ü.example:8080/",
            "urn:isbn:0451450523",
            "http://c/%zz",
        ]
    ),
    st.sampled_from([" ", "\n", b"\r\n", b"\0"]),
)


@pytest.mark.long
@given(pieces=st.lists(PIECES, max_size=20), encoding=st.sampled_from(["utf-8", "utf-16-le", "gb18030", "shift_jis"]))
def test_the_bytes_of_a_record_are_its_raw_text(pieces: list[bytes | str], encoding: str) -> None:
    data = b"".join(piece if isinstance(piece, bytes) else piece.encode(encoding, "ignore") for piece in pieces)
    for row in call("extract", "--encoding", encoding, "--format", "jsonl", stdin=data).rows:
        assert data[row["byte_start"] : row["byte_end"]].decode(encoding) == row["raw"]


@given(pieces=st.lists(st.tuples(st.binary(max_size=8), st.integers(0, 999)), max_size=20))
def test_binary_junk_hides_no_link(pieces: list[tuple[bytes, int]]) -> None:
    wrappers = bytes.maketrans(b"<", b"_")  # white space inside angle brackets does not end what they hold
    data = b"\n".join(junk.translate(wrappers) + b"\n\xff http://%d.example/" % number for junk, number in pieces)
    done = call("extract", "--encoding", "utf-8", stdin=data)
    if "skipped: " in done.err or "broken: " in done.err:
        return  # it begins as a PDF or something compressed does, and that is said
    found = done.lines
    wanted = [f"http://{number}.example/" for _, number in pieces]
    assert [line for line in found if line in set(wanted)] == wanted


# ---------------------------------------------------------------- formats


def test_text_forms() -> None:
    data = TEXT.encode()
    records = library(TEXT)
    show = "--show-passwords"
    assert call("extract", show, stdin=data).lines == [record.uri for record in records]
    assert call("extract", show, "--form", "iri", stdin=data).lines == [record.iri for record in records]
    raw = call("extract", show, "--form", "raw", stdin=data).lines
    assert raw == ["".join(record.raw.split()) for record in records]
    assert raw[0] == "http://Example.com/ab"


def test_json_lines_carry_the_whole_record() -> None:
    data = TEXT.encode()
    rows = call("extract", "--show-passwords", "--format", "jsonl", stdin=data).rows
    expected = []
    for record in library(TEXT):
        start, end = (len(TEXT[:offset].encode()) for offset in (record.start, record.end))
        expected.append({**record.with_bytes(start, end).as_dict(), "source": "-"})
    assert rows == expected
    assert [list(row) for row in rows] == [list(row) for row in expected]


def test_json_lines_are_compact_utf_8() -> None:
    out = call("extract", "--format", "jsonl", stdin=TEXT.encode()).out.decode()
    assert "http://ü.example/ä%20é" in out
    assert out.splitlines(keepends=True)[0].startswith('{"schema":5,"raw":"http://Example.com/a\\r\\n b","uri":')


def as_cells(rows: list[dict[str, object]]) -> list[dict[str, str]]:
    return [
        {
            name: " ".join(value) if isinstance(value, list) else "" if value is None else str(value)
            for name, value in row.items()
        }
        for row in rows
    ]


def test_csv_holds_the_same() -> None:
    rows = call("extract", "--format", "jsonl", stdin=TEXT.encode()).rows
    for argv in (["extract", "--format", "csv"], ["extract", "--format", "csv", "--unique"]):
        out = call(*argv, stdin=TEXT.encode()).out.decode()
        table = list(csv.DictReader(io.StringIO(out, newline="")))
        assert list(table[0]) == list(rows[0])
        masked_by_another_secret = [{**row, "key": ""} for row in table]
        expected = [{**row, "key": ""} for row in as_cells(rows if argv[-1] == "csv" else rows[:-1])]
        assert masked_by_another_secret == expected


def test_csv_without_records_is_its_header() -> None:
    status, out, _ = call("extract", "--format", "csv", stdin=b"nothing")
    assert status == 1
    assert out.startswith(b"schema,raw,uri,iri,key,kind,")
    assert out.count(b"\r\n") == 1


def test_tsv_keeps_each_record_on_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a\tb\nc"
    path.write_text(TEXT, newline="")
    rows = call("extract", "--show-passwords", "--format", "jsonl", str(path)).rows
    out = call("extract", "--show-passwords", "--format", "tsv", str(path)).out.decode()
    assert out.count("\n") == len(rows) + 1
    assert "\r" not in out
    table = list(csv.DictReader(io.StringIO(out), dialect="excel-tab"))
    assert {row["source"] for row in table} == {f"{tmp_path}/a\ufffdb\ufffdc"}
    rows = [{**row, "source": table[0]["source"]} for row in rows]
    assert table == [{name: re.sub(r"[\t\r\n]", " ", cell) for name, cell in row.items()} for row in as_cells(rows)]


# C4: names on disk, and how they are shown.
ODD_NAMES = [
    ('\udcff"%s\u00e9', '\ufffd"%s\u00e9'),
    ("\x1b]0;x\x07\x1b[31m", "\ufffd]0;x\ufffd\ufffd[31m"),
    ("a\nurisieve: 9 found\r\tb", "a\ufffdurisieve: 9 found\ufffd\ufffdb"),
    ("c1 \u009b2J del \x7f", "c1 \ufffd2J del \ufffd"),
    ("bidi \u202egpj.exe", "bidi \ufffdgpj.exe"),
    ("\u4f8b \u05d0\u200f \U0001f600.txt", "\u4f8b \u05d0\u200f \U0001f600.txt"),
]


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("name", "shown"), ODD_NAMES, ids=map(str, range(len(ODD_NAMES))))
def test_odd_file_names_are_harmless_and_json_has_them_whole(name: str, shown: str, tmp_path: Path) -> None:
    path = f"{tmp_path}/{name}"
    with open(path, "wb") as file:
        file.write(b"http://a.example/ http://b.example/")
    for kind in ("jsonl", "csv", "tsv"):
        found = call("extract", "--format", kind, path)
        assert found.status == 0
        assert not set(found.out.decode()) & set("\x1b\x07\x7f\x9b\u202e\t" if kind == "csv" else "\x1b\x07\x7f\x9b")
        if kind != "jsonl":
            dialect = "excel" if kind == "csv" else "excel-tab"
            rows = list(csv.DictReader(io.StringIO(found.out.decode(), newline=""), dialect=dialect))
            assert [row["source"] for row in rows] == [f"{tmp_path}/{shown}"] * 2
    for command in (["extract", "--format", "jsonl"], ["extract", "--format", "jsonl", "--jobs", "2"]):
        sources = [row["source"] for row in call(*command, path).rows]
        assert [os.fsencode(source) for source in sources] == [os.fsencode(path)] * 2
    first = call("count", "--format", "jsonl", path).rows[0]
    assert os.fsencode(first["first_source"]) == os.fsencode(path)
    for argv in ([], ["--format", "tsv"], ["--format", "csv"]):
        found = call("count", *argv, path)
        assert found.status == 0
        assert f"{tmp_path}/{shown}" in found.out.decode().replace('""', '"')


@pytest.mark.parametrize(("name", "shown"), ODD_NAMES, ids=map(str, range(len(ODD_NAMES))))
def test_odd_file_names_are_harmless_in_messages(name: str, shown: str, tmp_path: Path) -> None:
    path = f"{tmp_path}/{name}"
    missing = call("extract", path)
    said = f"urisieve: {tmp_path}/{shown}: No such file or directory"
    assert (missing.status, missing.err.splitlines()[0]) == (2, said)
    with open(path, "wb") as file:
        file.write(b"PK\x03\x04" + bytes(40))
    broken = call("extract", path)
    assert f"{tmp_path}/{shown}: the archive has no directory" in broken.err
    assert not set(broken.err) & set("\x1b\x07\x7f\x9b\r\t\u202e")
    os.mkdir(f"{path}.d")
    os.symlink("nowhere", f"{path}.d/x")
    unlisted = call("extract", "--files-from", f"{path}.none")
    assert unlisted.err == f"urisieve: {tmp_path}/{shown}.none: No such file or directory\n"
    tally = Tally()
    list(extract_files([path], tally=tally, on_error=lambda *_: None))
    assert tally.messages
    assert all(f"{tmp_path}/{shown}" in message for message in tally.messages)


def test_unique_keeps_the_first_of_each_key(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("http://A.example:80/%7Eb http://c.example")
    found = call(
        "extract", "--unique", "-", str(other), stdin=b"http://a.example/~b http://A.example/~b\nurn:ISBN:1 URN:isbn:1"
    )
    assert found.lines == ["http://a.example/~b", "urn:isbn:1", "http://c.example/"]
    raw = call("extract", "--unique", "--form", "raw", stdin=b"http://A.example http://a.example/").lines
    assert raw == ["http://A.example"]


@pytest.mark.parametrize(
    ("kind", "form"),
    [*(("text", form) for form in ("uri", "iri", "raw")), ("jsonl", "uri"), ("csv", "uri"), ("tsv", "uri")],
)
def test_passwords_are_masked_unless_asked_for(kind: str, form: str, tmp_path: Path) -> None:
    argv = ["extract", "--format", kind, "--form", form, "--rejected", str(tmp_path / "rejected")]
    stdin = TEXT.encode()
    written = call(*argv, stdin=stdin).out + (tmp_path / "rejected").read_bytes()
    assert b"secret" not in written
    assert b"other" not in written
    assert b"user:***@" in written
    assert b"u:***@h" in written
    shown = call(*argv, "--show-passwords", stdin=stdin).out + (tmp_path / "rejected").read_bytes()
    assert shown.count(b"secret") > 1
    assert b"***" not in shown


@pytest.mark.parametrize(
    ("written", "masked", "caret"),
    [
        ("https://u:p@ss@h/", "https://u:***@h/", "@"),
        ("http://u:p:q@w@h:99999/", "http://u:***@h:99999/", "@"),
        ("http://u:p@s;s@h:80x/a@b", "http://u:***@h:80x/a@b", "@"),
        ("http://u@a.example:pass@h/", "http://u@a.example:***@h/", "*"),
        ("sip:u:p@ss@h.example", "sip:u:***@h.example", "u"),
        ("view-source:http://u:p@ss@h/", "view-source:http://u:***@h/", None),  # valid: only what is inside is not
    ],
)
def test_no_part_of_a_password_with_an_at_sign_is_shown(
    written: str, masked: str, caret: str | None, tmp_path: Path
) -> None:
    call("extract", "--rejected", str(tmp_path / "rejected"), stdin=f"see {written} there".encode())
    rejected = [json.loads(line) for line in (tmp_path / "rejected").read_text().splitlines()]
    assert [row["raw"] for row in rejected] == ([masked] if caret is not None else [])
    assert [row["raw"][row["offset"]] for row in rejected] == ([caret] if caret is not None else [])
    shown = call("check", written)
    assert "ss@" not in shown.out.decode() + shown.err
    found = check(written)
    assert masked in repr(found)


def test_two_passwords_stay_two_keys() -> None:
    text = b"ftp://u:one@h.example/ ftp://u:two@h.example/ ftp://u:one@h.example/"
    first = [row["key"] for row in call("extract", "--format", "jsonl", stdin=text).rows]
    assert len(set(first)) == 2
    assert first[0] == first[2]
    again = [row["key"] for row in call("extract", "--format", "jsonl", stdin=text).rows]
    assert not set(first) & set(again)  # the secret is of a run
    assert call("extract", "--unique", stdin=text).lines == ["ftp://u:***@h.example/"] * 2


def test_rejections_are_json_lines_with_their_places(tmp_path: Path) -> None:
    path = tmp_path / "rejected.jsonl"
    data = b"\xff " + TEXT.encode()
    found = call("extract", "--show-passwords", "--rejected", str(path), stdin=data)
    assert found.status == 0
    *rows, fault = [json.loads(line) for line in path.read_text().splitlines()]
    assert (fault["broken"], fault["reason"]) == ("text", "undecodable-bytes")
    expected = [value for value in sieve(data.decode("utf-8", "surrogateescape")) if isinstance(value, Rejection)]
    assert [(row["raw"], row["reason"], row["start"]) for row in rows] == [(r.raw, r.reason, r.start) for r in expected]
    assert len(rows) == 3
    assert [data[row["byte_start"] : row["byte_end"]].decode() for row in rows] == [row["raw"] for row in rows]
    assert {row["source"] for row in rows} == {"-"}


def test_rejections_may_go_to_standard_output(tmp_path: Path) -> None:
    found = call("extract", "--rejected", "-", "--output", str(tmp_path / "found"), stdin=TEXT.encode())
    assert len(found.rows) == 3
    assert (tmp_path / "found").read_text().startswith("http://example.com/ab\n")


def test_options_reach_the_scanner() -> None:
    stdin = b"www.a.example me@b.example foo:bar http://c.example/#f urn:example:a?=b"
    assert call("extract", "--accept", "names,addresses", stdin=stdin).lines[:2] == [
        "http://www.a.example/",
        "mailto:me@b.example",
    ]
    assert call("extract", "--schemes", "http", "--merge", "drop-fragment", stdin=stdin).lines == ["http://c.example/"]
    assert call("extract", "--schemes", "!http,!urn", stdin=stdin).status == 1


def test_as_a_process_it_does_the_same(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(TEXT.encode())
    for argv in (["extract", "--quiet", "--show-passwords", "--format", "jsonl"], ["extract", "--quiet", "--unique"]):
        assert process(*argv, stdin=TEXT.encode()) == call(*argv, stdin=TEXT.encode())
        assert len(process(*argv, str(path)).lines) == len(call(*argv, str(path)).lines)


def test_text_of_a_legacy_encoding_is_brought_to_nfc() -> None:
    """RFC 3987 3.1 step 1b: windows-1258 writes Vietnamese with combining marks; step 1c leaves Unicode as it is."""
    text = "http://e.example/Vi\u00ea\u0323t x"
    legacy = call("extract", "--quiet", "--encoding", "cp1258", stdin=text.encode("cp1258"))
    assert legacy.lines == ["http://e.example/Vi%E1%BB%87t"]
    assert call("extract", "--quiet", stdin=text.encode()).lines == ["http://e.example/Vi%C3%AA%CC%A3t"]
