"""The quick way from records to lines, against the straight one: `as_dict`, then the standard library's."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.folders import SAMPLES
from tests.helpers.strategies import any_text, identifiers, link_texts, noisy_texts
from urisieve import Options, Record, Scanner
from urisieve.records.base import RecordFields
from urisieve.records.batch import Batch
from urisieve.records.masking import password_token
from urisieve.records.record import make_record
from urisieve.sinks.formats import Format, FormatSettings
from urisieve.sinks.record_formats import record_format
from urisieve.sinks.row_format import RecordFormat
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.source_map import SourceMap
from urisieve.wording import printable

FILES = sorted(path for path in SAMPLES.iterdir() if path.is_file() and path.suffix != ".jsonl")
OPTIONS = (
    Options(),
    Options(schemes="any", email="addresses", schemeless="www", nested="report", level="none"),
    Options(repair="encode", urn_syntax="rfc8141", level="syntax", merge=["drop-fragment"]),
    Options(schemes="any", level="none", charset="legacy"),
)
# Names in which something has to be quoted, or which hold what the writer may take for its own marks.
SOURCES = (None, "-", '%s"\\', "a,b\tc\r\nd", "{raw}%%", "\ue000\ue001.txt", "\u6f22 \u00e9.txt", "=1+1")
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32-le", "shift_jis", "gb18030", "latin-1", "iso2022_jp")
# A link of every shape that the writer knows, and some that it does not.
_SHAPES = """
http://a.example/ http://a.example https://a.example:8443/x http://a.example/?q http://a.example/x?q=1?2#f?g#
http://a.example/# http://a.example/?# http://a.example?q http://a.example#f https://a.example/a%20b https://a.example/%C3%A9
http://\u00fc.example/ http://xn--tda.example/x http://xn--tda.example:81/?%C3%A9 http://192.0.2.1/ http://192.0.2.1.example/
http://[::1]/x http://[v1.a]/ http://u@a.example/ http://u:p@a.example/x?y ftp://a.example/x ftp://u:p@a.example ftp://a.example
mailto:a@b.example mailto:a@b.example?subject=x#y mailto:a,b@c.example?subject=http://a.example/ urn:isbn:0451450523
URN:ISBN:0451450523 file:///etc/hosts file://h/x news:a.b tel:+1-2 sip:u:p@h sip:u:p?x@h sip:u@h:5060 data:,x HTTP://A.EXAMPLE/%7e
http://a.example/a,b;c='d'(e)*!$&+=@: http://\u4e2d\u6587.example/\u6f22?\u5b57#\u00e9 http://a.example:/ http://a.example:80/
http://a%C3%A9b.example/ foo://a.example//x//y foo:///x foo:a://b/c foo:/a http://a/b http://a.example/xn--b
"""
SHAPES = _SHAPES.split()
LINES_OF_SHAPES = "\n".join([f'{shape} <{shape}> "{shape}" ({shape})' for shape in SHAPES])
BROKEN = "<http://a.example/b\n  c-\n d> <URL:http://\u00fc:p@a.example/\u3000x> "


def records_of(
    data: bytes, options: Options, source: str | None, encoding: str | None = None, size: int = 1 << 16
) -> tuple[list[Record], SourceMap | None]:
    decoder, scanner = ByteDecoder(encoding, keep=1 << 30), Scanner(options, source=source)
    found = []
    for first in range(0, len(data), size):
        found += scanner.feed(decoder.feed(data[first : first + size]))
    found += scanner.feed(decoder.close()) + scanner.close()
    return [value for value in found if isinstance(value, Record)], decoder.offsets


SECRET = b"secret"


def batch_of(records: list[Record], offsets: SourceMap | None) -> Batch:
    batch = Batch.of(records)
    return batch if offsets is None else batch.with_spans(offsets)


def masked(record: Record) -> Record:
    return record.masked(password_token(SECRET))


def rows_of(records: Iterable[Record], offsets: SourceMap | None) -> list[dict[str, Any]]:
    rows = []
    for record in map(masked, records):
        row = record.as_dict()
        if offsets is not None:
            row["byte_start"], row["byte_end"] = offsets.span(record.start, record.end)
        rows.append(row)
    return rows


NAMES = ("source", "message_id", "part", "field")


def straight(kind: Format, rows: list[dict[str, Any]]) -> bytes:
    if kind is Format.JSONL:
        lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows]
        lines = [
            re.sub("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]", lambda found: f"\\u{ord(found[0]):04x}", line)
            for line in lines
        ]
        return "".join([f"{line}\n" for line in lines]).encode("utf-8", "backslashreplace")
    text = io.StringIO(newline="")
    writer = csv.writer(text) if kind is Format.CSV else csv.writer(text, "excel-tab", lineterminator="\n")
    for row in rows:
        cells = [
            " ".join(value) if isinstance(value, list) else printable(value) if name in NAMES and value else value
            for name, value in row.items()
        ]
        if kind is Format.TSV:
            blanks = str.maketrans("\t\r\n", "   ")
            cells = [cell.translate(blanks) if isinstance(cell, str) else cell for cell in cells]
        writer.writerow(cells)
    return text.getvalue().encode("utf-8", "backslashreplace")


def formats() -> dict[Format, RecordFormat]:
    return {kind: record_format(FormatSettings(kind, secret=SECRET)) for kind in (Format.JSONL, Format.CSV, Format.TSV)}


def assert_same(records: list[Record], offsets: SourceMap | None) -> None:
    rows = rows_of(records, offsets)
    for kind, writer in formats().items():
        expected = straight(kind, rows)
        assert writer.encoded(batch_of(records, offsets)) == expected
        # Again with what it remembers, and the first record last.
        assert b"".join(writer.each(batch_of(records, offsets))) == expected
        assert writer.encoded(batch_of(records[::-1], offsets)) == straight(kind, rows[::-1])


# ---------------------------------------------------------------- the same lines


@pytest.mark.sampled(3)
@pytest.mark.parametrize("sample", FILES, ids=lambda path: path.name)
@pytest.mark.parametrize("options", OPTIONS[:3])
@pytest.mark.parametrize("size", [100, 1 << 16])
def test_samples(sample: Path, options: Options, size: int) -> None:
    records, offsets = records_of(sample.read_bytes(), options, str(sample), size=size)
    assert records
    assert_same(records, offsets)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("options", OPTIONS)
def test_every_shape(options: Options, encoding: str) -> None:
    text = f"{LINES_OF_SHAPES} \u00e9 {BROKEN} \u6f22 {LINES_OF_SHAPES}"
    # Each source comes with several encodings, and with all options below.
    source = SOURCES[(ENCODINGS.index(encoding) + 2 * OPTIONS.index(options)) % len(SOURCES)]
    records, offsets = records_of(text.encode(encoding, "ignore"), options, source, encoding, size=1000)
    assert len(records) > 2 * len(SHAPES)
    assert_same(records, offsets)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("options", OPTIONS)
def test_every_shape_of_every_source(options: Options, source: str | None) -> None:
    records, offsets = records_of(LINES_OF_SHAPES.encode(), options, source)
    assert_same(records, offsets)


@given(
    text=st.one_of(noisy_texts(), link_texts(), any_text(), st.lists(identifiers(), max_size=5).map(" ".join)),
    lead=st.sampled_from(["", "\u00e9", "\u6f22" * 600, "\n"]),
    options=st.sampled_from(OPTIONS),
    source=st.sampled_from(SOURCES),
    encoding=st.sampled_from(ENCODINGS),
)
def test_any_text(text: str, lead: str, options: Options, source: str | None, encoding: str) -> None:
    data = f"{lead} {text} http://a.example/{text}".encode(encoding, "ignore")
    assert_same(*records_of(data, options, source, encoding))


@given(parts=st.lists(st.sampled_from([*SHAPES, *'/?#%:@[]\\"', "//", "a", "%C3%A9", "\n", " ", BROKEN]), max_size=14))
def test_any_mixture_of_parts(parts: list[str]) -> None:
    # The pieces come from a model: they must suit all others, whichever comes first.
    for options in OPTIONS:
        assert_same(*records_of(" ".join([*parts, "".join(parts)]).encode(), options, "-"))


def test_stray_bytes() -> None:
    data = b"\xff http://a.example/ \xe4\xb8\xad\x80 https://b.example/x?y " * 40
    assert_same(*records_of(data, Options(), "-", size=100))


def test_sources_in_turn() -> None:
    every = [records_of(LINES_OF_SHAPES.encode(), Options(), source)[0] for source in SOURCES]
    assert_same([record for records in zip(*every, strict=True) for record in records], None)


def test_places_known_before_are_written_without_a_way_back() -> None:
    records, _ = records_of(LINES_OF_SHAPES.encode(), Options(), "-")
    assert_same([record.with_bytes(record.start + 1, record.end + 1) for record in records], None)


def test_records_that_no_scanner_makes() -> None:
    # Without a slash after the authority, as at level `none`, with one that begins like a known one.
    for texts in (
        ("http://a.example/x", "http://a.example", "http://a.exampl", "http://a.example?/", "http://a.example#/"),
        ("foo:x", "foo://x/y", "foo:/x", "foo:"),
        ("foo:x://y/z", "http:x://a.example/z", "http:/a.example/"),
    ):
        assert_same(
            [make_record(RecordFields(text, text, text, 0, len(text), 1, 1)) for text in texts],
            None,
        )
