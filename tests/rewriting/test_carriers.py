"""Files with their identifiers replaced: carriers x what they contain x replacements x cuts, in both engines."""

from __future__ import annotations

import base64
import bz2
import csv
import email
import email.policy
import gzip
import io
import json
import lzma
import quopri
from collections.abc import Callable, Iterator
from html import escape, unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.cli_support import call
from tests.helpers.doubling import assert_linear
from tests.helpers.folders import SAMPLES
from urisieve import InputError, Known, Options, ReadingOptions, Record, Rejection, defang
from urisieve.files import extract_blocks
from urisieve.rewriting import (
    Replacement,
    RewriteCounts,
    canonical,
    defanged,
    inert,
    masked,
    merged,
    refanged,
    rewrite,
)
from urisieve.types import Blocks

LINK = "http://joe:pw@A.example:80/?a=1&b=%7e"
ENVELOPE = b"From a@b.example Thu Jan  1 00:00:00 2026\n"
OTHER = "http://B.example/x"


def _page(text: str) -> str:
    return f'<p>see {escape(text)} <a href="{escape(text)}">x</a></p>'


def _mail(encoding: str, kind: str, body: bytes, end: str = "\n") -> bytes:
    header = f"Subject: x\nMIME-Version: 1.0\nContent-Type: {kind}; charset=utf-8\n"
    if encoding == "base64":
        body = base64.encodebytes(body)
    elif encoding == "quoted-printable":
        body = quopri.encodestring(body)
    return f"{header}Content-Transfer-Encoding: {encoding}\n\n".encode().replace(b"\n", end.encode()) + body.replace(
        b"\n", end.encode()
    )


# By name: the name of a file, and what it holds with some text in it.
CARRIERS: dict[str, tuple[str, Callable[[str], bytes]]] = {
    "text": ("a.txt", lambda text: f"see {text}, or <{text}>.\r\n\udc80".encode("utf-8", "surrogateescape")),
    "utf-16": ("a.txt", lambda text: f"\ufeffsee {text}, \u00e9".encode("utf-16-le")),
    "json": ("a.json", lambda text: json.dumps({"a": [f"see {text}"], "b": text}, indent=1).encode()),
    "json, escaped": ("a.json", lambda text: json.dumps({"a": text, "\u00e9": text}).replace("/", r"\/").encode()),
    "json with html": ("a.json", lambda text: json.dumps({"a": _page(text)}).encode()),
    "json with json": ("a.json", lambda text: json.dumps({"a": json.dumps({"b": text})}).encode()),
    "jsonl": ("a.jsonl", lambda text: b"\n".join(json.dumps({"a": text, "n": n}).encode() for n in range(3)) + b"\n"),
    "csv": ("a.csv", lambda text: f'id,url,note\r\n1,{text},"see ""{text}"", {text}"\r\n2,x,{text}\r\n'.encode()),
    "tsv": ("a.tsv", lambda text: f"id\turl\n1\t{text}\n2\tx\n".encode()),
    "csv with json": ("a.csv", lambda text: _cells([["id", "a"], ["1", json.dumps({"b": text})]])),
    "csv with html": ("a.csv", lambda text: _cells([["id", "a"], ["1", _page(text)]])),
    "html": ("a.html", lambda text: f"<!doctype html><title>x</title>{_page(text)}".encode()),
    "xml": ("a.xml", lambda text: f'<?xml version="1.0"?><r a="{escape(text)}">{escape(text)}</r>'.encode()),
    "xml with html": ("a.xml", lambda text: f'<?xml version="1.0"?><r>{escape(_page(text))}</r>'.encode()),
    "cdata": ("a.xml", lambda text: f'<?xml version="1.0"?><r><![CDATA[see {text} ]]></r>'.encode()),
    "mail": ("a.eml", lambda text: _mail("8bit", "text/plain", f"see {text}\n".encode())),
    "mail, html": ("a.eml", lambda text: _mail("8bit", "text/html", _page(text).encode())),
    "mail, quoted-printable": ("a.eml", lambda text: _mail("quoted-printable", "text/plain", f"see {text}\n".encode())),
    "mail, quoted-printable html": ("a.eml", lambda text: _mail("quoted-printable", "text/html", _page(text).encode())),
    "mail, base64": ("a.eml", lambda text: _mail("base64", "text/plain", f"see {text}\n".encode(), "\r\n")),
    "mail, base64 html": ("a.eml", lambda text: _mail("base64", "text/html", _page(text).encode())),
    "mbox": ("a.mbox", lambda text: _mailbox(f"see {text}\n".encode())),
}  # fmt: skip


def _cells(rows: list[list[str]]) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue().encode()


def _mailbox(body: bytes) -> bytes:
    messages = (_mail(encoding, "text/plain", body) for encoding in ("8bit", "base64"))
    return b"".join(b"%b%b\n" % (ENVELOPE, message) for message in messages)


def _texts(name: str, data: bytes) -> Iterator[str]:
    """Yield what another program reads: the texts of a carrier."""
    if name.endswith(".txt"):
        yield data.decode("utf-16" if data.startswith(b"\xff\xfe") else "utf-8", "surrogateescape")
    elif name.endswith((".json", ".jsonl")):
        for line in data.splitlines() if name.endswith("l") else [data]:
            yield from _strings(json.loads(line))
    elif name.endswith((".csv", ".tsv")):
        for row in csv.reader(io.StringIO(data.decode()), delimiter="\t" if "t" in name[2:3] else ","):
            yield from row
    elif name.endswith(".xml"):
        for element in ElementTree.fromstring(data).iter():
            yield from (element.text or "", *element.attrib.values())
    elif name.endswith(".html"):
        yield unescape(data.decode())
    else:
        for message in data.split(ENVELOPE) if name.endswith("mbox") else [data]:
            content = email.message_from_bytes(message, policy=email.policy.default).get_content() if message else ""
            yield unescape(content) if "<p>" in content else content


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def _rewritten(name: str, data: bytes, replace: object, size: int | None = None, **more: object) -> bytes:
    blocks = [data] if size is None else [data[at : at + size] for at in range(0, len(data), size)]
    return b"".join(rewrite(Blocks(name, blocks), replace, **more))  # type: ignore[arg-type]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("size", [None, 1, 7, 64])
@pytest.mark.parametrize("carrier", CARRIERS)
def test_what_stays_is_the_same_byte_for_byte(carrier: str, size: int | None) -> None:
    name, make = CARRIERS[carrier]
    data = make(LINK)
    assert _rewritten(name, data, lambda _: None, size) == data
    assert _rewritten(name, data, lambda found: found.raw, size, rejected=True) == data
    assert _rewritten(name, data, "{raw}", size) == data


REPLACEMENTS: dict[str, tuple[Replacement | str, str]] = {
    "canonical": (canonical(), "http://joe:pw@a.example/?a=1&b=~"),
    "defanged": (defanged(), defang(LINK)),
    "masked": (masked(), "http://joe:***@A.example:80/?a=1&b=%7e"),
    "merged": (merged(), "http://joe:pw@a.example/?a=1&b=~"),
    "in brackets": ("<{raw}>", f"<{LINK}>"),
    "of what is special": ('&{host}"\\\\é', '&a.example"\\é'),
}


@pytest.mark.sampled(11)
@pytest.mark.parametrize("size", [None, 5])
@pytest.mark.parametrize("way", REPLACEMENTS)
@pytest.mark.parametrize("carrier", CARRIERS)
def test_another_program_reads_the_new_text(carrier: str, way: str, size: int | None) -> None:
    name, make = CARRIERS[carrier]
    replacement, new = REPLACEMENTS[way]
    counts = RewriteCounts()
    made = _rewritten(name, make(LINK), replacement, size, counts=counts)
    assert counts.unwritten == 0
    expected = [text.replace(LINK, new).replace(escape(LINK), escape(new)) for text in _texts(name, make(LINK))]
    if carrier.endswith("with json"):  # a string in a string
        expected = [text.replace(new, json.dumps(new, ensure_ascii=False)[1:-1]) for text in expected]
    assert list(_texts(name, made)) == expected
    assert counts.replaced == len(list(extract_blocks(name, make(LINK))))


@pytest.mark.parametrize("carrier", CARRIERS)
def test_a_second_pass_changes_nothing(carrier: str) -> None:
    name, make = CARRIERS[carrier]
    for replacement in (canonical(), masked(), defanged(), merged()):
        once = _rewritten(name, make(LINK), replacement, rejected=True)
        assert once != make(LINK)
        assert _rewritten(name, once, replacement, rejected=True) == once


@pytest.mark.parametrize("size", [None, 3])
@pytest.mark.parametrize("replacement", [canonical(), merged()])
@pytest.mark.parametrize("carrier", CARRIERS)
def test_a_canonical_link_ends_where_the_old_one_did(carrier: str, replacement: Replacement, size: int | None) -> None:
    name, make = CARRIERS[carrier]
    data = make("http://A.example\u3092\u958b\u304f http://B.example\u3002http://C.example:80, x")
    made = _rewritten(name, data, replacement, size)
    assert made != data
    assert [one.uri for one in extract_blocks(name, made)] == [one.uri for one in extract_blocks(name, data)]
    assert _rewritten(name, made, replacement, size) == made


@pytest.mark.parametrize(
    ("name", "text", "new"),
    [
        ("a.json", r'{"a":"\u003chttp://A.example/docs/.\u003e"}', r'{"a":"\u003chttp://a.example/docs/\u003e"}'),
        ("a.json", r'{"a":"x http://A.example\u003e y"}', r'{"a":"x http://a.example/\u003e y"}'),
        ("a.json", r'{"a":"x http://A.example\u3092 y"}', r'{"a":"x http://a.example\u3092 y"}'),
        ("a.html", "<p>&lt;http://A.example/a/.&gt;", "<p>&lt;http://a.example/a/&gt;"),
        ("a.html", "<p>&lt;http://A.example&gt;", "<p>&lt;http://a.example/&gt;"),
        ("a.html", "<p>http://A.example&nbsp;x", "<p>http://a.example/&nbsp;x"),
        ("a.html", "<p>http://A.example&#x3042;", "<p>http://a.example&#x3042;"),
        ("a.txt", "http://A.example, x http://B.example\u3002x", "http://a.example/, x http://b.example\u3002x"),
        ("a.txt", "http://A.example", "http://a.example/"),
    ],
)
def test_a_slash_is_left_out_where_it_would_join_what_comes_next(name: str, text: str, new: str) -> None:
    assert _rewritten(name, text.encode(), canonical()) == new.encode()


@pytest.mark.parametrize("carrier", CARRIERS)
def test_what_is_found_is_what_the_replacement_says(carrier: str) -> None:
    name, make = CARRIERS[carrier]
    made = _rewritten(name, make(LINK), canonical())
    assert {one.raw for one in extract_blocks(name, made)} == {"http://joe:pw@a.example/?a=1&b=~"}


def _script(text: str) -> str:
    return json.dumps({"a": text, "\u00e9": 1}).replace("/", r"\/")


# Texts in other texts, beside those of `CARRIERS`.
INNER: dict[str, tuple[str, Callable[[str], bytes]]] = {
    "html, script": ("a.html", lambda text: f"<!doctype html><script>x = {_script(text)}</script>".encode()),
    "html, json": ("a.html", lambda text: f'<!doctype html><p data-a="{escape(_script(text))}">x</p>'.encode()),
    "json with json, escaped": ("a.json", lambda text: _script(_script(text)).encode()),
    "json with a tag": ("a.json", lambda text: json.dumps({"a": f"<p title='{text}'>"}).encode()),
}


@pytest.mark.timed
@pytest.mark.parametrize(
    "options", [Options(), Options(refang=True, email=True, nested=True)], ids=["plain", "options"]
)
@pytest.mark.parametrize("carrier", [*CARRIERS, *INNER])
def test_many_links_of_one_text_take_linear_time(carrier: str, options: Options) -> None:
    name, make = (CARRIERS | INNER)[carrier]

    def content(size: int) -> bytes:
        links = (f"http://a.example/{number:06}" for number in range(size // 24))
        return make("\u00e9 " + " ".join(links))

    assert_linear(lambda data: _rewritten(name, data, "<{raw}>", options=options), content, 60_000)


_CONTENT = st.lists(
    st.sampled_from([*"ab:/?&=%\"'<>\\,;\n\t .[]", "\u00e9", "http://a.example/", "http://B.example/x&y", "\u0001"])
).map("".join)


@given(st.sampled_from(sorted(CARRIERS)), _CONTENT, st.integers(1, 99), st.sampled_from(sorted(REPLACEMENTS)))
def test_cuts_do_not_matter_and_nothing_else_changes(carrier: str, content: str, size: int, way: str) -> None:
    name, make = CARRIERS[carrier]
    try:
        data = make(f"{OTHER} {content}")
    except UnicodeError:
        return
    try:
        assert _rewritten(name, data, lambda found: found.raw, size, rejected=True) == data
    except InputError:
        return  # it is of another kind by what it contains
    replacement = REPLACEMENTS[way][0]
    whole = _rewritten(name, data, replacement)
    assert _rewritten(name, data, replacement, size) == whole


PACKERS: dict[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
    "gz": (gzip.compress, gzip.decompress),
    "bz2": (bz2.compress, bz2.decompress),
    "xz": (lzma.compress, lzma.decompress),
}


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize("carrier", ["text", "jsonl", "csv", "html", "mbox"])
def test_what_is_compressed_is_compressed_again(carrier: str, ending: str) -> None:
    name, make = CARRIERS[carrier]
    pack, unpack = PACKERS[ending]
    made = _rewritten(f"{name}.{ending}", pack(make(LINK)), canonical())
    assert unpack(made) == _rewritten(name, make(LINK), canonical())


def test_zstd_is_compressed_again() -> None:
    zstd = pytest.importorskip("backports.zstd")
    made = _rewritten("a.txt.zst", zstd.compress(LINK.encode()), "{host}")
    assert zstd.decompress(made) == b"a.example"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.zip", b"PK\x03\x04" + bytes(30)),
        ("a.pdf", b"%PDF-1.7\n"),
        ("a.bin", b"\x7fELF\x02\x01\x01" + bytes(99)),
        ("a.db", b"SQLite format 3\x00" + bytes(99)),
        ("a.ics", b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n"),
    ],
)
def test_what_cannot_be_written_back_is_refused_before_anything_is_written(name: str, data: bytes) -> None:
    made = rewrite(Blocks(name, [data]), canonical())
    with pytest.raises(InputError, match="which is not written back: text, json, jsonl, csv"):
        next(made)


def test_a_new_text_that_cannot_be_written_is_counted_and_the_old_one_stays() -> None:
    data = b"<style>a{background:url(http://a.example/)}</style>"
    counts = RewriteCounts()
    assert _rewritten("a.html", data, "<{uri}>", counts=counts) == data
    assert (counts.replaced, counts.unwritten) == (0, 1)


TWO = "http://a.example/ http://b.example/"
KNOWN = Known(["a.example"])


@pytest.mark.parametrize(
    ("replace", "options", "text", "new"),
    [
        (
            refanged(),
            Options(refang=True),
            "hxxp://a[.]example/b http://C.example",
            "http://a.example/b http://C.example",
        ),
        (inert(KNOWN), Options(), TWO, "http://a.example/ hxxp://b[.]example/"),
        (inert(KNOWN, "[removed]"), Options(), TWO, "http://a.example/ [removed]"),
        (merged(), Options(merge="page"), "http://www.a.example/?utm_source=x", "https://a.example/"),
        ("{host}", Options(schemeless=True), "www.a.example, http://b.example/", "www.a.example, b.example"),
    ],
)
def test_the_usual_ways(replace: Replacement | str, options: Options, text: str, new: str) -> None:
    assert _rewritten("a.txt", text.encode(), replace, options=options).decode() == new


def test_candidates_that_are_not_valid_are_replaced_on_request() -> None:
    text = b"http://joe:p|w@h.example:80x/ and http://joe:pw@h.example/"
    assert _rewritten("a.txt", text, masked()) == b"http://joe:p|w@h.example:80x/ and http://joe:***@h.example/"
    shown = b"http://joe:***@h.example:80x/ and http://joe:***@h.example/"
    assert _rewritten("a.txt", text, masked(), rejected=True) == shown
    line = json.dumps({"a": "http://joe:p|w@h.example:80x/"}).encode()
    assert _rewritten("a.jsonl", line, masked(), rejected=True) == line.replace(b"p|w", b"***")


def test_only_some_fields_are_read() -> None:
    data = b'{"a": "http://A.example/", "b": "http://A.example/"}\n' * 2
    made = _rewritten("a.jsonl", data, canonical(), reading=ReadingOptions(input="jsonl", field="b"))
    assert made == data.replace(b'"b": "http://A', b'"b": "http://a')
    table = b"a,b\nhttp://A.example/,http://A.example/\n"
    made = _rewritten("a.csv", table, canonical(), reading=ReadingOptions(input="csv", field=("b",)))
    assert made == b"a,b\nhttp://A.example/,http://a.example/\n"


@pytest.mark.parametrize("kind", ["auto", "csv"])
def test_several_columns_are_read(kind: str, tmp_path: Path) -> None:
    table = b"a,b,c\nhttp://A.example/,http://B.example/,http://C.example/\n" * 3
    expected = table.replace(b"A.", b"a.").replace(b"C.", b"c.")
    assert _rewritten("a.csv", table, canonical(), reading=ReadingOptions(input=kind, field=["a", "c"])) == expected
    path = tmp_path / "a.csv"
    path.write_bytes(table)
    assert call("rewrite", "--canonical", "--input", kind, "--field", "a", "--field", "c", str(path)).out == expected


def _shown(found: Record | Rejection) -> str:
    return found.raw


@pytest.mark.parametrize(
    "path", sorted(path for path in SAMPLES.rglob("*") if path.is_file()), ids=lambda path: path.name
)
def test_files_of_this_project_stay_as_they_are(path: Path) -> None:
    try:
        made = b"".join(rewrite(path, _shown, rejected=True))
    except InputError:
        return  # of a kind that is not written back
    data = path.read_bytes()
    if path.suffix in (".gz", ".xz", ".bz2", ".zst"):
        made, data = (b"".join(rewrite(Blocks(path.name, [one]), _shown)) for one in (made, made))
    assert made == data


LATIN = "\u00e9 http://a.example/ \u00e8"
KOI = "\u043c\u0438\u0440 http://a.example/"


@pytest.mark.parametrize(
    ("name", "data", "new", "written"),
    [
        ("a.html", f"<meta charset=latin1><p>{LATIN}".encode("latin-1"), "\u00e9", b"\xe9 \xe9 \xe8"),
        ("a.xml", f'<?xml version="1.0" encoding="latin1"?><r>{LATIN}</r>'.encode("latin-1"), "\u00e9", b" \xe9 "),
        ("a.eml", f"Content-Type: text/plain; charset=koi8-r\n\n{KOI}\n".encode("koi8-r"), "\u043c", b" \xcd\n"),
        ("a.eml", f"Content-Type: text/html; charset=koi8-r\n\n<p>{KOI}\n".encode("koi8-r"), "\u043c", b" \xcd\n"),
        ("a.eml", _mail("quoted-printable", "text/plain", KOI.encode("koi8-r")).replace(b"utf-8", b"koi8-r"),
         "\u043c", b" =CD"),
    ],
)  # fmt: skip
def test_a_new_text_is_in_the_encoding_that_is_declared(name: str, data: bytes, new: str, written: bytes) -> None:
    counts = RewriteCounts()
    assert written in _rewritten(name, data, lambda _: new, counts=counts)
    assert counts.replaced == 1
    assert _rewritten(name, data, lambda _: "\u4e00", counts=counts) == data
    assert counts.unwritten == 1


FAR = b"x;" * 40_000


@pytest.mark.parametrize(
    ("name", "data", "template", "written"),
    [
        ("a.html", b'<script>%bvar a="http://a.example/"</script>' % FAR, '"', rb'"\""</script>'),
        ("a.html", b'<script>while(n-->0);var a="http://a.example/"</script>', '"', rb'"\""</script>'),
        ("a.html", b'<script>var a="http://a.example/"</script>', "</script>", rb'"\u003c/script>"</script>'),
        ("a.html", b"<script>var a='http://a.example/'</script>", "'", rb"'\u0027'</script>"),
        ("a.html", b"<!--%b http://a.example/ -->" % FAR, "-->", None),
        ("a.html", b"<a href=http://a.example/ class=x>", "", None),
        ("a.html", b'<a href="http://a.example/" class=x>', "", b'<a href="" class=x>'),
        ("a.xml", b'<?xml version="1.0"?><r><![CDATA[http://a.example/ ]]></r>', "]]>", None),
        ("a.xml", b'<?xml version="1.0"?><r><![CDATA[]]http://a.example/ ]]></r>', ">", None),
        ("a.xml", b'<?xml version="1.0"?><r><![CDATA[http://a.example/ ]]></r>', "<>", b"[<> ]"),
        ("a.xml", b'<?xml version="1.0"?><r>http://a.example/</r>', "\x01", None),
        ("a.eml", b"Subject: x\nList-Unsubscribe: <http://a.example/>\n\nx\n", "x\n\ny", None),
        ("a.mbox", ENVELOPE + b"Subject: x\n\nsee http://a.example/\n", "\nFrom ", None),
    ],
)
def test_a_new_text_does_not_end_what_it_stands_in(
    name: str, data: bytes, template: str, written: bytes | None
) -> None:
    counts = RewriteCounts()
    made = _rewritten(name, data, lambda found: template if found.host == "a.example" else None, counts=counts)
    assert (counts.replaced, counts.unwritten) == ((0, 1) if written is None else (1, 0))
    assert made == data if written is None else written in made


def test_lines_of_quoted_printable_that_do_not_change_stay_as_long_as_they_are() -> None:
    data = _mail("8bit", "text/plain", b"y" * 100 + b"=20\nsee http://A.example/ =\nx\n")
    data = data.replace(b"8bit", b"quoted-printable")
    assert _rewritten("a.eml", data, canonical()) == data.replace(b"A.example", b"a.example")


@pytest.mark.parametrize(
    ("lost", "is_written"),
    [
        (slice(0), True),
        (slice(-3, -1), True),
        (slice(100, 101), False),
        (slice(80, 83), False),
        (slice(150, 151), False),
    ],
)
def test_base64_that_is_damaged_stays(lost: slice, is_written: bool) -> None:
    data = bytearray(_mail("base64", "text/plain", f"see {'x' * 120} http://A.example/ {'y' * 101}".encode()))
    body = data.index(b"\n\n") + 2
    written = data[body:]
    assert written.endswith(b"==\n")
    del written[lost]
    damaged = bytes(data[:body] + written)
    counts = RewriteCounts()
    made = _rewritten("a.eml", damaged, canonical(), counts=counts)
    assert (made == damaged, counts.unwritten) == (not is_written, not is_written)


@pytest.mark.parametrize("carrier", ["json", "json with html", "csv", "html", "xml"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig", "latin-1"])
def test_an_encoding_that_is_asked_for_is_that_of_new_texts(carrier: str, encoding: str) -> None:
    name, make = CARRIERS[carrier]
    data = make(LINK).decode().encode(encoding)
    counts = RewriteCounts()
    made = _rewritten(name, data, "\u00e9{uri}", encoding=encoding, counts=counts)
    expected = _rewritten(name, make(LINK), "\u00e9{uri}")
    assert counts.unwritten == 0
    assert made.decode(encoding) == expected.decode()


_FILES = {
    "text/csv; charset=iso-8859-1; name=a.csv": 'a,b\r\n{0}é,1\r\n"{0}x",2\r\n'.encode("latin-1"),
    "text/csv": b"a,b\n{0},1\n",
    "application/octet-stream; name=a.tsv": b"a\tb\n{0}\t1\n",
    "text/xml": b'<?xml version="1.0"?><a href="{0}?a&amp;b">x</a>\n',
    "application/json": b'{{"a": "{0}", "b": [1, "a=b"]}}\n',
    "text/plain; name=a.eml": b"From: a@b.example\nSubject: x\n\nsee {0} ok\n",
    "text/plain; name=b.eml": b"From: a@b.example\nContent-Type: text/csv; name=b.csv\n\na,b\n{0},1\n",
    "application/octet-stream; name=a.html": b'<html><a href="{0}">x</a></html>\n',
}


@pytest.mark.parametrize("encoding", ["8bit", "base64", "quoted-printable"])
@pytest.mark.parametrize("media", _FILES)
@pytest.mark.parametrize("box", ["", "From a@b.example Fri May 31 13:05:07 2024\n"], ids=["mail", "mailbox"])
def test_a_file_in_a_message_is_written_as_its_kind(media: str, encoding: str, box: str, tmp_path: Path) -> None:
    """And all else stays byte for byte, the lines of its encoding, too."""

    def message(link: bytes) -> bytes:
        data = _FILES[media].replace(b"{0}", link).replace(b"{{", b"{").replace(b"}}", b"}")
        encode = {"base64": base64.encodebytes, "quoted-printable": quopri.encodestring}.get(encoding, bytes)
        head = f"{box}From: a@b.example\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n--B\n"
        part = f"Content-Type: {media}\nContent-Transfer-Encoding: {encoding}\n\n".encode() + encode(data)
        return head.encode() + b"\n" + link + b"\n--B\n" + part + b"\n--B--\n"

    path = tmp_path / "m"
    path.write_bytes(message(b"https://u:pw@l.example/"))
    done = call("rewrite", "--mask", str(path))
    assert done.out == message(b"https://u:***@l.example/"), done.err
    assert "left as" not in done.err
