"""`ReadingOptions.base`: the URI that files were retrieved from, for references of documents that state none."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.helpers.cli_support import call
from urisieve import Options, ReadingOptions, Record, Rejection, Tally, UsageError, extract_files, sieve_files
from urisieve.codes import Warn
from urisieve.options import InputKind

BASE = "https://a.example/dir/page.html"
MESSAGE = "From: a@e.example\nMIME-Version: 1.0\n{field}Content-Type: text/html\n\n<a href=x>y</a>\n"
# The name of a file, its content, and what its references are, with the base.
FILES = [
    ("a.html", "<p><a href=x>y</a> <a href='/z?q#f'>z</a>", ["https://a.example/dir/x", "https://a.example/z?q#f"]),
    ("own.html", "<base href='http://b.example/c/'><a href=x>y</a>", ["http://b.example/c/", "http://b.example/c/x"]),
    ("part.html", "<base href='../e/'><a href=x>y</a>", ["https://a.example/e/", "https://a.example/e/x"]),
    ("below.html", "<base href='c/'><a href=x>y</a>", ["https://a.example/dir/c/", "https://a.example/dir/c/x"]),
    ("scheme.html", "<base href='//b.example/'><a href=x>y</a>", ["https://b.example/", "https://b.example/x"]),
    ("a.xml", "<?xml version='1.0'?><r><a href='x'/><b xml:base='s/'><a href='x'/></b></r>",
     ["https://a.example/dir/x", "https://a.example/dir/s/", "https://a.example/dir/s/x"]),
    ("own.xml", "<?xml version='1.0'?><r xml:base='http://b.example/'><a href='x'/></r>",
     ["http://b.example/", "http://b.example/x"]),
    ("a.eml", MESSAGE.format(field=""), ["https://a.example/dir/x"]),
    ("own.eml", MESSAGE.format(field="Content-Location: http://b.example/c/d\n"),
     ["http://b.example/c/d", "http://b.example/c/x"]),
    ("part.eml", MESSAGE.format(field="Content-Location: e/f\n"), ["https://a.example/dir/e/x"]),
    ("wrong.eml", MESSAGE.format(field="Content-Location: //[/\n"), ["https://a.example/dir/x"]),
    ("a.mbox", f"From a@e.example Thu Jan  1 00:00:00 1970\n{MESSAGE.format(field='')}\n", ["https://a.example/dir/x"]),
    ("a.txt", "see x and /y", []),
]  # fmt: skip
WARC = (
    "WARC/1.0\r\nWARC-Type: resource\r\n{target}WARC-Record-ID: <urn:uuid:1>\r\nContent-Type: text/html\r\n"
    "Content-Length: 15\r\n\r\n<a href=x>y</a>\r\n\r\n"
)


def found(path: Path, reading: ReadingOptions) -> list[str]:
    return [record.uri for record in extract_files([path], reading=reading)]


@pytest.mark.parametrize(("name", "content", "uris"), FILES, ids=[name for name, _, _ in FILES])
def test_references_are_resolved_where_no_base_is_stated(
    tmp_path: Path, name: str, content: str, uris: list[str]
) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert sorted(found(path, ReadingOptions(base=BASE))) == sorted(uris)
    stated = [uri for uri in uris if uri.startswith("http://b.example")]
    assert sorted(found(path, ReadingOptions())) == sorted(stated), "nothing changes without it"


def test_a_record_of_a_web_archive_has_its_own(tmp_path: Path) -> None:
    (tmp_path / "a.warc").write_bytes(
        (WARC.format(target="WARC-Target-URI: http://b.example/c\r\n") + WARC.format(target="")).encode()
    )
    uris = found(tmp_path / "a.warc", ReadingOptions(base=BASE))
    assert [uri for uri in uris if uri.endswith("/x")] == ["http://b.example/x", "https://a.example/dir/x"]


@pytest.mark.parametrize("stated", ["b.example:443", "dns:b.example", "urn:example:a", "http:c", "about:blank"])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.warc", WARC.format(target="WARC-Target-URI: %s\r\n")),
        ("a.eml", MESSAGE.format(field="Content-Location: %s\n")),
        ("a.html", "<!doctype html><base href='%s'><a href=x>y</a>"),
        ("a.xml", "<?xml version='1.0'?><r xml:base='%s'><a href='x'/></r>"),
    ],
    ids=["warc", "mail", "page", "xml"],
)
def test_what_has_no_hierarchy_is_no_base(tmp_path: Path, name: str, content: str, stated: str) -> None:
    (tmp_path / name).write_bytes((content % stated).encode())
    tally = Tally()
    assert [record.uri for record in extract_files([tmp_path / name], tally=tally) if record.raw == "x"] == []
    assert tally.skipped == {("reference", "unresolvable"): 1}


def test_members_of_archives_have_it_too(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.html", "<a href=x>y</a>")
    assert found(tmp_path / "a.zip", ReadingOptions(base=BASE)) == ["https://a.example/dir/x"]


# HTML without a base; where its only reference stands, its text, and what it is with `schemeless`. Without the option
# all are rejected. Where there is None, it is counted as one without a base.
NAMING = [
    ("<a href='//b.example/x?a&amp;b#c'>y</a>", "a@href", "//b.example/x?a&b#c", "http://b.example/x?a&b#c"),
    ("<img srcset='//b.example/1.png 2x'>", "img@srcset", "//b.example/1.png", "http://b.example/1.png"),
    ("<p style='background:url(//b.example/p)'>", "p@style", "//b.example/p", "http://b.example/p"),
    ("<style>p{background:url(//b.example/p)}</style>", "style@url", "//b.example/p", "http://b.example/p"),
    (
        "<link href=' //B.example:80/a/../\n\u00e9 '>",
        "link@href",
        "//B.example:80/a/../\u00e9",
        "http://b.example/%C3%A9",
    ),
    ("<a href=//localhost>y</a>", "a@href", "//localhost", "http://localhost/"),
    ("<a href='//b.example:8x/'>y</a>", "a@href", "//b.example:8x/", "bad-port"),
    ("<a href='//b c/'>y</a>", "a@href", "//b c/", "illegal-character"),
    ("<a href='//'>y</a>", None, None, None),
    ("<a href='///b'>y</a>", None, None, None),
    ("<a href='//?b'>y</a>", None, None, None),
    ("<a href='/b//c.example/'>y</a>", None, None, None),
    ("<a href='b//c.example/'>y</a>", None, None, None),
]
MAIL = MESSAGE.replace("<a href=x>y</a>", "%s").format(field="")
CARRIERS = {
    "a.html": "<!doctype html>%s",
    "a.eml": MAIL,
    "a.mbox": f"From a@e.example Thu Jan  1 00:00:00 1970\n{MAIL}\n",
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("source", "field", "raw", "expected"), NAMING)
@pytest.mark.parametrize("name", CARRIERS)
def test_references_that_name_their_host_are_seen_without_a_base(
    tmp_path: Path, source: str, field: str | None, raw: str | None, expected: str | None, name: str
) -> None:
    path = tmp_path / name
    path.write_text(CARRIERS[name] % source, "utf-8")
    data = path.read_bytes()
    reading = ReadingOptions()
    for options in (Options(), Options(schemeless=True), Options(schemeless="www", refang=True, unwrap="any")):
        tally = Tally()
        ones = list(sieve_files([path], options=options, reading=reading, tally=tally))
        assert tally.skipped == ({("reference", "no-base"): 1} if raw is None else {})
        assert len(ones) == (raw is not None)
        if raw is None:
            continue
        (one,) = ones
        assert (one.raw, one.field) == (raw, field)
        if isinstance(one, Record):
            assert options.schemeless != "off"
            assert (one.uri, one.warnings) == (expected, (Warn.SCHEME_ASSUMED,))
        else:
            assert one.reason == (expected if options.schemeless != "off" else "no-scheme")
        written = data[one.byte_start : one.byte_end].decode()
        assert written.replace("&amp;", "&").replace("\n", "") == raw


def test_attributes_of_xml_are_read_so_too(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text("<?xml version='1.0'?><r><a href='//b.example/?c&amp;d'/><a href='e'/></r>")
    tally = Tally()
    (one,) = extract_files([path], options=Options(schemeless=True), tally=tally)
    assert (one.raw, one.uri, one.field) == ("//b.example/?c&d", "http://b.example/?c&d", "a@href")
    assert path.read_bytes()[one.byte_start : one.byte_end] == b"//b.example/?c&amp;d"
    assert tally.skipped == {("reference", "no-base"): 1}
    assert [one.reason for one in sieve_files([path]) if isinstance(one, Rejection)] == ["no-scheme"]


def test_such_references_follow_the_schemes_that_are_wanted(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text("<!doctype html><a href='//b.example/'>http://c.example/</a>")
    visible = "http://c.example/"
    rows: list[tuple[str | tuple[str, ...], list[str], list[str]]] = [
        ("default", [visible, "no-scheme"], [visible, "http://b.example/"]),
        (("http",), [visible, "no-scheme"], [visible, "http://b.example/"]),
        (("https",), ["no-scheme"], ["no-scheme"]),
        (("urn",), [], []),
    ]
    for schemes, without, assumed in rows:
        for schemeless, expected in (("off", without), ("www", assumed)):
            options = Options(schemeless=schemeless, schemes=schemes)
            shown = [one.uri if isinstance(one, Record) else one.reason for one in sieve_files([path], options=options)]
            assert shown == expected
    (_, target) = extract_files([path], options=Options(schemeless=True))
    assert target.warnings == (Warn.SCHEME_ASSUMED, Warn.TEXT_DIFFERS_FROM_TARGET)


def test_what_is_written_stays_the_raw_text_and_is_counted(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<a href='x y'>y</a> <a href=z>z</a>")
    tally = Tally()
    (record,) = extract_files([tmp_path / "a.html"], reading=ReadingOptions(base=BASE), tally=tally)
    assert (record.raw, record.uri, record.field) == ("z", "https://a.example/dir/z", "a@href")
    assert tally.skipped == {("reference", "unresolvable"): 1}


@pytest.mark.parametrize(
    ("base", "message"),
    [
        ("page.html", "must be an absolute URI"),
        ("//a.example/", "must be an absolute URI"),
        ("https://a.example/%zz", "bad-percent-encoding at offset 18"),
        ("https://a.example/ b", "is not a valid URI"),
        ("https://", "is not a valid URI: empty-host at offset 8"),
        ("https://a.example:80ab/", "is not a valid URI: bad-port at offset 20"),
        *((base, "must be a URI with a host or a path from the root") for base in ("urn:a:b", "mailto:x@y", "data:,x")),
        ("javascript:x", "must be a URI with a host or a path from the root"),
        ("", "must be an absolute URI"),
        ("https://joe:hidden@a.example/%zz#f", "bad-percent-encoding"),
        (f"https://a.example/{'a' * 8_000}", "is longer than 8,000 characters"),
        (7, "must be a string"),
    ],
)
def test_a_base_that_is_none_is_a_misuse(base: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        ReadingOptions(base=base)
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize("base", [f"{BASE}#f", f"{BASE}#", f" {BASE}\n", f"{BASE}#a#b"])
def test_a_fragment_of_a_base_does_not_count(base: str) -> None:
    assert ReadingOptions(base=base) == ReadingOptions(base=BASE)


def test_it_goes_with_the_kinds_that_hold_references() -> None:
    """Text has none, in BibTeX too; the strings of all others may be HTML."""
    for kind in InputKind:
        if kind not in (InputKind.TEXT, InputKind.BIBTEX):
            assert ReadingOptions(base=BASE, input=kind).base == BASE
        else:
            with pytest.raises(UsageError, match="base does not go with input="):
                ReadingOptions(base=BASE, input=kind)


def test_the_command_has_it_as_a_flag(tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text("<a href=x>y</a>")
    assert call("extract", "--base", BASE, str(page)).lines == ["https://a.example/dir/x"]
    assert call("dedupe", "--base", BASE, str(page), str(page)).lines == ["https://a.example/dir/x"]
    assert call("extract", "--base", BASE, "--jobs", "2", str(page), str(page)).lines == ["https://a.example/dir/x"] * 2
    for argv, said in (
        (["--base", "x", str(page)], "must be an absolute URI"),
        (["--base", BASE, "--input", "text", str(page)], "--base does not go with --input text"),
        (["--base", BASE, "--follow", str(page)], "--base does not go with it"),
    ):
        done = call("extract", *argv)
        assert done.status == 2
        assert said in done.err
