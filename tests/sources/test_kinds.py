"""What files are read as: by the command and in the library, counted, and said in the closing line."""

from __future__ import annotations

import base64
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.cli_support import call
from tests.helpers.containers import CONTAINERS, attached
from tests.helpers.doubling import assert_linear
from urisieve import Options, ReadingOptions, UsageError, extract_files
from urisieve.options import InputKind
from urisieve.sources.bytes.charsets import web_codec
from urisieve.sources.bytes.encodings import find_encoding
from urisieve.sources.tally import Tally

# C1: file, what is in it, what it is read as, what is found.
FILES = [
    ("a.txt", 'a JSON string "http:\\/\\/a.example", and more', "text", ["http://a.example/"]),
    ("a", '{"u":"http:\\/\\/a.example\\/?x\\u0026y"}\n{"u":1}\n', "jsonl", ["http://a.example/?x&y"]),
    ("a.json", '{"u":["http:\\/\\/a.example\\/?x\\u0026y"]}', "json", ["http://a.example/?x&y"]),
    ("x.json", '"http:\\/\\/a.example\\/"', "json", ["http://a.example/"]),
    ("a", '{"n": NaN, "m": [-Infinity],\n"u":"http:\\/\\/a.example\\/"}', "json", ["http://a.example/"]),
    ("a", '{\n "u": {"http:\\/\\/a.example\\/": 1}\n}', "json", ["http://a.example/"]),
    ("a", 'id,u\n1,"http://a.example/?a,b"\n2,\n', "csv", ["http://a.example/?a,b"]),
    ("a", 'id;u\n1;"http://a.example/?a;b"\n2;\n', "csv", ["http://a.example/?a;b"]),
    ("a", "id\tu\n1\thttp://a.example/?a,b\n2\t\n", "tsv", ["http://a.example/?a,b"]),
    ("a.csv", "x;http://a.example/,b\ny;urn:isbn:0395363411\n", "csv", ["http://a.example/,b", "urn:isbn:0395363411"]),
    ("a", "<urlset><loc>http://a.example/?x&amp;y</loc></urlset>", "xml", ["http://a.example/?x&y"]),
    ("a.xml", "<3 http://a.example/?x&amp;y", "text (not xml)", ["http://a.example/?x&amp;y"]),
    ("a.svg", "<svg><a xlink:href='http://a.example/?x&amp;y'/></svg>", "xml", ["http://a.example/?x&y"]),
    (
        "a",
        '<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<META CONTENT=y>\n<DT><A HREF="http://a.example/?x&amp;y">An <b>R&D</A>',
        "html",
        ["http://a.example/?x&y"],
    ),
    ("a.html", "<!doctype html><a href='http://a.example/?x&amp;y'>", "html", ["http://a.example/?x&y"]),
]


@pytest.mark.parametrize(("name", "text", "kind", "expected"), FILES)
def test_files_are_read_as_what_they_are(tmp_path: Path, name: str, text: str, kind: str, expected: list[str]) -> None:
    path = tmp_path / name
    path.write_text(text)
    tally = Tally()
    assert [record.uri for record in extract_files([path], tally=tally) if "a.example/" in record.uri or
            record.scheme == "urn"] == expected  # fmt: skip
    assert tally.kinds == {kind: 1}
    assert not tally.broken
    out = call("extract", "-v", str(path))
    assert (f"; as 1 {kind}" in out.err) == (kind != "text")


def test_lists_of_bytes_in_json_lines(tmp_path: Path) -> None:
    """The journal writes a value that is not UTF-8 like this; nothing else in its line looks like an identifier."""
    path = tmp_path / "a"
    lines = [{"MESSAGE": list(text)} for text in (b"see http://a.example/ \xff", b"nothing", b"\xff urn:a:b")]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in [*lines, {"a": "nothing"}]))
    tally = Tally()
    assert [(record.uri, record.row) for record in extract_files([path], tally=tally)] == [
        ("http://a.example/", 1),
        ("urn:a:b", 3),
    ]
    assert tally.kinds == {"jsonl": 1}


def test_lists_of_bytes_in_json(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    link = list(b"see http://a.example/ \xff")
    values = [
        {"u": "http://b.example/", "MESSAGE": link},
        link,
        [[], link, "x"],
        [*link, 256],
        [*link, 1.5],
        [*link, "x"],
    ]
    path.write_text(json.dumps(values, indent=1))
    rows = path.read_text().split("\n")
    records = list(extract_files([path]))
    assert [(record.uri, record.field, record.byte_start is None) for record in records] == [
        ("http://b.example/", "[0].u", False),
        ("http://a.example/", "[0].MESSAGE", True),
        ("http://a.example/", "[1]", True),
        ("http://a.example/", "[2][1]", True),
    ]
    assert '"MESSAGE"' in rows[(records[1].row or 0) - 1]
    path.write_text(json.dumps({"m": list(b"urn:a:" + b"b" * 200_000), "n": [list(b"urn:a:c")] * 3}))
    assert [len(record.raw) for record in extract_files([path], options=Options(max_length=300_000))] == [
        200_006,
        7,
        7,
        7,
    ]


def test_control_characters_of_json_are_blanks(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    for number in set(range(32)) - {9, 10, 13}:
        control = chr(number)
        path.write_text(f'{{"a{control}":{control}"see http:\\/\\/a.example\\/ {control}b"}}')
        tally = Tally()
        assert [record.uri for record in extract_files([path], tally=tally)] == ["http://a.example/"], number
        assert (tally.kinds, sum(tally.broken.values())) == ({"json": 1}, 0), number


# JSON with a fault near its beginning is JSON all the same, so that escapes hide nothing.
FAULTY = [
    ("a", '{"u":"http:\\/\\/a.example\\/1",}', "json", 1),
    ("a.json", '{"u":"http:\\/\\/a.example\\/1",\n// a comment\n"v":"http:\\/\\/a.example\\/2"}', "json", 2),
    ("a", '{"u":"http:\\/\\/a.example\\/1",\n"b": oops, "c":"http:\\/\\/a.example\\/2"}', "json", 2),
    ("a", '["http:\\/\\/a.example\\/1" "http:\\/\\/a.example\\/2"]', "json", 2),
    ("a", '[{"u":"http:\\/\\/a.example\\/1"}]x', "json", 1),
    ("a", '{"u":"http:\\/\\/a.example\\/1"\n{"u":"http:\\/\\/a.example\\/2"}\n', "jsonl", 2),
]


@pytest.mark.parametrize(("name", "text", "kind", "number"), FAULTY)
def test_json_with_a_fault(tmp_path: Path, name: str, text: str, kind: str, number: int) -> None:
    path = tmp_path / name
    path.write_text(text)
    tally = Tally()
    found = [record.uri for record in extract_files([path], tally=tally)]
    assert found == [f"http://a.example/{place + 1}" for place in range(number)]
    assert tally.kinds == {kind: 1}
    assert sum(tally.broken.values()) == 1


# What looks like JSON in its first characters only.
NO_JSON = [
    '["foo"](http://a.example/) text',
    "[1]: http://a.example/",
    "{x} http://a.example/",
    '{"x"} http://a.example/',
]


@pytest.mark.parametrize("text", NO_JSON)
def test_text_that_begins_as_json_does(tmp_path: Path, text: str) -> None:
    (tmp_path / "a").write_text(text)
    tally = Tally()
    assert len(list(extract_files([tmp_path / "a"], tally=tally))) == 1
    assert tally.kinds == {"text": 1}


def test_a_long_first_line_of_json_lines(tmp_path: Path) -> None:
    lines = [json.dumps({"more": "x" * 9_000, "u": f"http://a.example/{number}"}) for number in range(3)]
    path = tmp_path / "a"
    path.write_text("\n".join([lines[0], "no JSON: http://", *lines[1:]]))
    tally = Tally()
    found = list(extract_files([path], tally=tally))
    assert [(record.uri[-1], record.row) for record in found] == [("0", 1), ("1", 3), ("2", 4)]
    assert tally.kinds == {"jsonl": 1}
    assert tally.broken == {("line", "no-json"): 1}
    path.write_text(lines[0])
    tally = Tally()
    (record,) = extract_files([path], tally=tally)
    assert (record.field, record.byte_start) == ("u", lines[0].index("http"))
    assert tally.kinds == {"json": 1}


@pytest.mark.parametrize("size", [3_000, 4_050, 4_078, 4_079, 4_080, 5_000])
def test_the_delimiter_of_a_table_with_long_rows(tmp_path: Path, size: int) -> None:
    """The bytes that are looked at may end in a row, before its delimiter."""
    links = [f"http://{name}.example/,{'x' * (size - 18)}" for name in "ab"]
    path = tmp_path / "x"
    path.write_text("u;n\n" + "".join(f"{link};{number}\n" for number, link in enumerate(links)))
    found = extract_files([path], reading=ReadingOptions(input="csv"))
    assert [record.uri for record in found] == links


def test_text_that_its_name_calls_otherwise(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("no comma\nhttp://a.example/,x\n")
    (tmp_path / "b.json").write_text("// http://b.example/\n")
    (tmp_path / "c.txt").write_text("http://c.example/")
    for jobs in "12":
        out = call("extract", "-v", "--jobs", jobs, str(tmp_path))
        assert "; as 1 text, 1 text (not csv), 1 text (not json)" in out.err
    assert "not csv" not in call("extract", "--input", "text", str(tmp_path / "a.csv")).err


def test_several_kinds_in_one_line(tmp_path: Path) -> None:
    for number, (name, text, _, _) in enumerate(FILES):
        (tmp_path / f"{number}{name.removeprefix('a')}").write_text(text)
    expected = "; as 3 csv, 2 html, 4 json, 1 jsonl, 1 text, 1 text (not xml), 1 tsv, 2 xml"
    for jobs in "12":
        assert expected in call("extract", "-v", "--jobs", jobs, str(tmp_path)).err
    assert "as" not in call("extract", str(tmp_path / "0.txt")).err.split(";")[-1]


@pytest.mark.parametrize("kind", ["json", "xml", "warc"])
def test_a_kind_by_option(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a"
    path.write_text('"http:\\/\\/a.example"' if kind == "json" else "<a>http://a.example</a>")
    tally = Tally()
    found = list(extract_files([path], reading=ReadingOptions(input=kind), tally=tally))
    assert [record.uri for record in found] == ([] if kind == "warc" else ["http://a.example/"])
    assert tally.kinds == {kind: 1}
    assert call("dedupe", "--quiet", "--input", kind, str(path)).lines == [record.uri for record in found]


@pytest.mark.parametrize("kind", ["auto", "mail"])
def test_what_is_in_mail_is_read_as_what_it_is(tmp_path: Path, kind: str) -> None:
    files = {
        "a.json": b'{"u":"http:\\/\\/a.example\\/"}',
        "b.html": b"<!doctype html><a href=http://b.example/?c&amp;d>",
    }
    path = tmp_path / "a.eml"
    for attachment in (*files, "c.zip"):
        path.write_bytes(attached(attachment, files.get(attachment) or CONTAINERS["a.zip"](files)))
        found = [record.uri for record in extract_files([path], reading=ReadingOptions(input=kind))]
        links = {"a.json": ["http://a.example/"], "b.html": ["http://b.example/?c&d"]}
        assert found == ["http://body.example/", *links.get(attachment, [*links["a.json"], *links["b.html"]])]


def test_a_field_of_a_json_document(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text('{"a":["http://a.example/"],"b":"http://b.example/"}')
    assert call("extract", "--quiet", "--input", "json", "--field", "a", str(path)).lines == ["http://a.example/"]


@pytest.mark.parametrize("kind", InputKind)
def test_which_kinds_have_fields_and_which_several(kind: InputKind) -> None:
    has_cells = kind in ("auto", "csv", "tsv")
    for fields, is_taken in ((["a"], has_cells or kind in ("json", "jsonl", "journal")), (["a", "b"], has_cells)):
        if is_taken:
            assert ReadingOptions(field=fields, input=kind).field == tuple(fields)
        else:
            with pytest.raises(UsageError, match=r"a field is of tables|one field alone can be read"):
                ReadingOptions(field=fields, input=kind)
    assert ReadingOptions(field="a") == ReadingOptions(field=["a"])


# ---------------------------------------------------------------- C2: files that are not text


@pytest.fixture
def binaries(tmp_path: Path) -> Path:
    top = tmp_path / "top"
    top.mkdir()
    (top / "a.txt").write_text("http://text.example/")
    (top / "b.pyc").write_bytes(b"\xa7\r\r\n\0\0\0\0http://pyc.example/\0")
    (top / "c.png").write_bytes(b"\x89PNG\r\n\x1a\n http://png.example/ ")
    with sqlite3.connect(top / "d.db") as base:
        base.execute("CREATE TABLE t(x)")
        base.execute("INSERT INTO t VALUES(' http://sqlite.example/ ')")
    base.close()
    return top


def test_binary_files_of_folders_are_skipped(binaries: Path) -> None:
    for jobs in "12":
        out = call("extract", "-v", "--jobs", jobs, str(binaries))
        assert out.lines == ["http://text.example/", "http://sqlite.example/"]
        assert "skipped: 2 files (binary)" in out.err
    tally = Tally()
    assert len(list(extract_files([binaries], tally=tally))) == 2
    assert tally.skipped["file", "binary"] == 2
    assert tally.kinds == {"text": 1, "sqlite": 1}


def test_a_binary_file_that_is_named_is_read(binaries: Path) -> None:
    names = [str(binaries / name) for name in ("b.pyc", "c.png", "d.db")]
    out = call("extract", "-v", *names)
    assert out.lines == ["http://pyc.example/", "http://png.example/", "http://sqlite.example/"]
    assert "; as 2 binary, 1 sqlite" in out.err
    assert "undecodable" not in out.err
    listed = "\n".join(names).encode()
    assert call("extract", "--files-from", "-", stdin=listed).lines == out.lines


def test_binary_by_option(binaries: Path) -> None:
    assert len(call("extract", "--read", "binary", str(binaries)).lines) == 4
    assert call("extract", "--read", "no-binary", str(binaries / "b.pyc")).lines == []


# ---------------------------------------------------------------- D5 and D6: what hides nothing

PAGE = base64.encodebytes(b'<html><a href="http://evil.example/login">click</a></html>').decode()
MAIL = (
    "From: a@b.example\nTo: c@d.example\nSubject: invoice\nMIME-Version: 1.0\nContent-Type: text/html\n"
    f"Content-Transfer-Encoding: base64\n\n{PAGE}\n"
)
ENVELOPE = "From a@b.example Mon Jan  1 00:00:00 2024\n"


@pytest.mark.parametrize(
    "text",
    [
        MAIL,
        MAIL.replace("invoice", "in\0voice"),
        MAIL.replace("Subject", "Sub\0ject"),
        MAIL.replace("From:", "\0From:"),
        "garbage\n" + MAIL,
        MAIL.replace("MIME-", "garbage here\nMIME-"),
        "\n \n\r\n" + MAIL,
        "\ufeff" + MAIL,
        ENVELOPE + MAIL,
        ENVELOPE + MAIL.replace("invoice", "in\0voice"),
        ENVELOPE + MAIL.replace("From:", "Fr\0om:"),
        "\n\n" + ENVELOPE + MAIL,
    ],
)
def test_an_odd_byte_never_turns_mail_into_text(text: str) -> None:
    assert call("extract", "--quiet", stdin=text.encode()).lines == ["http://evil.example/login"]


@pytest.mark.parametrize(
    ("label", "said"),
    [("cp037", True), ("utf-7", True), ("hz-gb-2312", True), ("nonsense", True), ("utf-8", False), ("latin1", False),
     ("Shift_JIS", False), ("windows-874", False), ("utf-16", False)],
)  # fmt: skip
def test_only_charsets_of_the_web_change_a_page(label: str, said: bool) -> None:
    page = f'<!doctype html><meta charset={label}><a href="http://evil.example/login">http://x.example/</a>'
    out = call("extract", stdin=page.encode())
    assert out.lines == ["http://x.example/", "http://evil.example/login"]
    assert (f"{label!r} is not a character set of the web; read as UTF-8" in out.err) == said
    assert out.status == 0


def test_no_mail_is_in_ebcdic() -> None:
    text = MAIL.replace("text/html", "text/html; charset=cp037")
    out = call("extract", stdin=text.encode())
    assert out.lines == ["http://evil.example/login"]
    assert "unknown charset" in out.err


@pytest.mark.parametrize(
    ("label", "codec"),
    [(" UTF8 ", "utf-8"), ("ISO-8859-1", "cp1252"), ("us-ascii", "cp1252"), ("ks_c_5601-1987", "cp949"),
     ("unicode", "utf-16-le"), ("iso-2022-kr", None), ("cp437", None), ("utf-32", None), ("", None)],
)  # fmt: skip
def test_labels_of_the_encoding_standard(label: str, codec: str | None) -> None:
    assert web_codec(label) == codec


def test_every_encoding_of_the_standard_can_be_read() -> None:
    labels = (
        "utf-8 ibm866 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-8-i "
        "iso-8859-10 iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 koi8-r koi8-u macintosh windows-874 windows-1250 "
        "windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258 "
        "x-mac-cyrillic gbk gb18030 big5 euc-jp iso-2022-jp shift_jis euc-kr utf-16be utf-16le x-user-defined"
    )
    for name in labels.split():
        codec = web_codec(name)
        assert codec is not None, name
        find_encoding(codec)


# ---------------------------------------------------------------- C6: another encoding than UTF-8

HINT = "holds bytes that are not UTF-8; if it is in another encoding, name that with --encoding"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (b"http://a.example/ \xe9\xe8\n", 2),
        (b'{"\xe9":"http://a.example/"}\n', 1),
        (b"id,\xe9\n1,http://a.example/\n2,\n", 1),
        (b'{\n"\xe9":"http://a.example/"}\n', 1),
        (b"<?xml version='1.0'?><a>\xe9 http://a.example/</a>", 1),
        (b"<!doctype html>\xe9 http://a.example/", 1),
    ],
)
def test_bytes_that_are_not_utf_8(tmp_path: Path, text: bytes, count: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(text)
    out = call("extract", "-v", str(path))
    assert out.lines == ["http://a.example/"]
    assert out.err.count(HINT) == 1
    assert f"broken: {count} byte" in out.err
    assert out.status == 0
    assert HINT not in call("extract", "--encoding", "latin-1", str(path)).err
    assert call("extract", "--quiet", str(path)).err == ""
    tally = Tally()
    list(extract_files([path], tally=tally))
    assert tally.broken["byte", "undecodable"] == count


def test_each_part_of_a_large_file_counts(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"http://a.example/ \xe9\n" * 500_000)
    out = call("extract", "-v", "--unique", "--jobs", "2", str(path))
    assert out.lines == ["http://a.example/"]
    assert out.err.count(HINT) == 1
    assert "500,000 bytes (undecodable)" in out.err


# ---------------------------------------------------------------- D8: one row with many values


def _json_list(size: int) -> str:
    return json.dumps(["http://a.b/"] * size)


def _json_members(size: int) -> str:
    return json.dumps({"x": [{"http://a.b/": "http://a.b/"}] * (size // 2)}, indent=1)


def _cells(size: int) -> str:
    return ",".join(["http://a.b/"] * size) + "\n"


@pytest.mark.parametrize(("name", "make"), [("a.jsonl", _json_list), ("a.json", _json_members), ("a.csv", _cells)])
def test_a_row_of_many_values_takes_linear_time(tmp_path: Path, name: str, make: Callable[[int], str]) -> None:
    path = tmp_path / name

    def run(text: str) -> None:
        path.write_text(text)
        found = list(extract_files([path]))
        assert len(found) == text.count("http")
        data = path.read_bytes()
        for record in found[::499]:
            assert record.byte_start is not None
            assert data[record.byte_start : record.byte_end] == b"http://a.b/"

    assert_linear(run, make, 5_000)


def test_no_name_shows_a_password(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"http://u:secret@a.example/":{"b":"http://b.example/"},"u:p@x":"http://c.example/"}')
    out = call("extract", "--quiet", "--format", "jsonl", str(path))
    assert [row["field"] for row in out.rows] == [None, '["http://u:***@a.example/"].b', '["u:p@x"]']
    assert b"secret" not in out.out
    path = tmp_path / "a.csv"
    path.write_text("x,//u:secret@a.example/\n1,http://b.example/\n")
    out = call("extract", "--quiet", "--format", "jsonl", str(path))
    assert out.rows[-1]["field"] == "//u:***@a.example/"
    assert b"secret" not in out.out


def test_a_first_row_of_addresses_names_no_column(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x,http://a.example/\ny,http://b.example/\n")
    assert [record.field for record in extract_files([path])] == ["2", "2"]


def test_a_path_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"k" * 100_000: ["http://a.b/"] * 50}))
    assert {len(record.field or "") for record in extract_files([path])} == {1_024}
    path = tmp_path / "a.csv"
    path.write_text("a," + "k" * 100_000 + "\n1,http://a.b/\n")
    reading = ReadingOptions(input="csv")
    assert [len(record.field or "") for record in extract_files([path], reading=reading)] == [256]
