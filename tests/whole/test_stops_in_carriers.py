"""No stop in silence, in each carrier: a text has the same warnings and alternatives wherever it stands.

`test_unspaced` says of plain text that where a bare candidate ends although the text goes on, its record warns. Here
the same texts stand in cells, strings, attributes, parts and members, each written as its carrier has it.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
import tarfile
from base64 import encodebytes
from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.find.test_unspaced import pieces
from tests.sources.structured.test_marc_records import record
from urisieve import Options, Record, extract_blocks, sieve

Found = list[tuple[str, tuple[str, ...], tuple[str, ...]]]


def _cell(text: str, delimiter: str = ",") -> str:
    out = io.StringIO()
    rows = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    rows.writerows([["name", "note"], ["a", text], ["b", "c"], ["d", "e"]])
    return out.getvalue()


def _calendar(text: str) -> str:
    value = re.sub(r"([\\,;])", r"\\\1", text).replace("\n", "\\n")
    lines = f"BEGIN:VCALENDAR\nBEGIN:VEVENT\nDESCRIPTION:{value}\nEND:VEVENT\nEND:VCALENDAR\n"
    return re.sub("(.{60})", "\\1\n ", lines)  # folded in the midst of everything


def _member(text: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name in ("a.txt", "b.txt"):
            data = (text if name == "a.txt" else "c").encode()
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def _mail(text: str, kind: str = "text/plain") -> bytes:
    fields = f"From: a\nSubject: x\nMIME-Version: 1.0\nContent-Type: {kind}; charset=utf-8\n"
    return f"{fields}Content-Transfer-Encoding: base64\n\n".encode() + encodebytes(text.encode())


CARRIERS: dict[str, Callable[[str], str | bytes]] = {
    "a cell of CSV": _cell,
    "a cell of TSV": lambda text: _cell(text, "\t"),
    "a string of JSON": lambda text: json.dumps({"a": ["b", {"c": text}]}, ensure_ascii=False),
    "an escaped string of JSON": lambda text: json.dumps({"a": text}).replace("/", "\\/"),
    "a line of JSON": lambda text: f"{json.dumps({'a': 1})}\n{json.dumps({'a': text})}\n{json.dumps({'a': 2})}\n",
    "a text of XML": lambda text: f"<?xml version='1.0'?><a><b>x</b><c>{html.escape(text)}</c></a>",
    "a text of HTML": lambda text: f"<!doctype html><div>x</div><div>{html.escape(text)}</div>",
    "an attribute of HTML": lambda text: f"<!doctype html><p title='{html.escape(text)}'>x</p>",
    "a comment of HTML": lambda text: f"<!doctype html><!-- {html.escape(text)} -->",
    "a part of mail": _mail,
    "HTML in mail": lambda text: _mail(f"<div>{html.escape(text)}</div>", "text/html"),
    "HTML in JSON": lambda text: json.dumps({"a": f"<p class=x>{html.escape(text)}</p>"}),
    "a property of a calendar": _calendar,
    "a subfield of MARC": lambda text: record(("500", b"  \x1fa" + text.encode())),
    "a member of an archive": _member,
}
HAS_NO_NONCHARACTERS = {"a text of XML"}


def said_of(found: list[Record]) -> Found:
    return [(one.raw, one.warnings, one.alternatives) for one in found]


@pytest.mark.parametrize("carrier", CARRIERS)
@given(parts=st.lists(pieces, min_size=2, max_size=8))
def test_a_carrier_says_what_plain_text_says(carrier: str, parts: list[str]) -> None:
    text = f"see {''.join(parts)}"
    assume(re.search("<[a-z/!?]", text) is None)  # what may be a tag is read as one in strings
    assume(carrier not in HAS_NO_NONCHARACTERS or "\ufffe" not in text)
    written = CARRIERS[carrier](text)
    data = written.encode() if isinstance(written, str) else written
    plain = [one for one in sieve(text) if isinstance(one, Record)]
    assert said_of(list(extract_blocks("f", [data], options=Options()))) == said_of(plain)
