"""`urisieve normalize` and `urisieve check`."""

from __future__ import annotations

import codecs
import os
import subprocess
import sys

import pytest

from tests.helpers.cli_support import call, process
from urisieve import Options, Record, Rejection, check

LINES = "HTTP://A.example\n\n  urn:ISBN:1 \r\nno identifier\nhttp://ü.example/%c3%a9\nhttp://b.example/100%zz"


@pytest.mark.parametrize(
    ("argv", "printed", "status"),
    [
        (["HTTP://Example.COM:80/a/../b"], ["http://example.com/b"], 0),
        (["--level", "syntax", "HTTP://Example.COM:80/a/../b"], ["http://example.com:80/b"], 0),
        (["--level", "none", "HTTP://Example.COM:80/a/../b"], ["HTTP://Example.COM:80/a/../b"], 0),
        (["--merge", "drop-fragment", " http://a/#x ", "http://b/#y"], ["http://a/", "http://b/"], 0),
        (["--form", "iri", "http://xn--bcher-kva.example/%C3%A9"], ["http://bücher.example/é"], 0),
        (["--form", "key", "--urn-syntax", "rfc8141", "urn:example:a?=b#c"], ["urn:example:a"], 0),
        (["--urn-syntax", "rfc8141", "urn:example:a?=b#c"], ["urn:example:a?=b#c"], 0),
        (["--accept", "unencoded", "http://a/[b]"], ["http://a/%5Bb%5D"], 0),
        (["http://[fe80::1%25eth0]/"], [], 1),
        (["http://a/", "x y", "http://b/"], ["http://a/", "http://b/"], 1),
        (["--", "-x"], [], 1),
        ([""], [], 1),
    ],
)
def test_normalize_arguments(argv: list[str], printed: list[str], status: int) -> None:
    found = call("normalize", *argv)
    assert (found.lines, found.status) == (printed, status)


def test_normalize_lines_of_standard_input() -> None:
    found = call("normalize", stdin=LINES.encode())
    assert found.lines == ["http://a.example/", "urn:isbn:1", "http://xn--tda.example/%C3%A9"]
    assert found.status == 1
    first, second = found.err.splitlines()
    assert first.startswith("urisieve: line 4: no-scheme in scheme at 0: ")
    assert second.startswith("urisieve: line 6: bad-percent-encoding in path at ")
    assert call("normalize", "-", stdin=LINES.encode()) == found
    assert call("normalize", "--quiet", stdin=LINES.encode()) == (1, found.out, "")


def test_arguments_are_numbered_in_messages() -> None:
    assert call("normalize", "http://a/", "x y").err.startswith("urisieve: argument 2: no-scheme")


@pytest.mark.parametrize(("invalid", "shown"), [("keep", "no identifier"), ("blank", "")])
def test_lines_stay_aligned_if_asked(invalid: str, shown: str) -> None:
    found = call("normalize", "--invalid", invalid, stdin=b"http://a\nno identifier\nhttp://b\n")
    assert (found.status, found.err) == (1, "")
    assert found.out.decode() == f"http://a/\n{shown}\nhttp://b/\n"


MANY = (
    *(
        "http://a.example/b?c#d",
        "http://a.example",
        "http://a.example/%C3%A9",
        "http://a.example/%c3%a9",
        "http://A.example/",
    ),
    *(
        "http://xn--tda.example/",
        "http://a.example/xn--tda",
        "http://a.example:80/",
        "http://a.example/./b",
        "http://1.2/",
    ),
    *("http://u:p@a.example/", "http://ü.example/é", "file:///a", "mailto:a@B.example", "urn:isbn:0-1", "urn:a:b?=c#d"),
    *("no identifier", "http://a.example/%zz", "http://a.example/[b]", "https://b.example/"),
)


@pytest.mark.parametrize("form", ["uri", "iri", "key"])
@pytest.mark.parametrize(
    ("argv", "options"),
    [
        ([], Options()),
        (["--level", "syntax"], Options(level="syntax")),
        (["--level", "none"], Options(level="none")),
        (["--urn-syntax", "rfc8141"], Options(urn_syntax="rfc8141")),
        (["--merge", "drop-fragment"], Options(merge=["drop-fragment"])),
        (["--accept", "unencoded"], Options(repair="encode")),
    ],
    ids=str,
)
def test_what_is_written_is_what_a_record_says(form: str, argv: list[str], options: Options) -> None:
    found = call("normalize", "--form", form, "--show-passwords", *argv, stdin="\n".join(MANY).encode())
    records = [record for text in MANY if isinstance(record := check(text, options=options), Record)]
    assert found.lines == [getattr(record, form) for record in records]
    numbers = [number for number, text in enumerate(MANY, 1) if isinstance(check(text, options=options), Rejection)]
    assert [int(line.split(":")[1].removeprefix(" line ")) for line in found.err.splitlines()] == numbers


def test_nothing_to_do_is_no_failure() -> None:
    assert call("normalize", stdin=b"\n \n") == (0, b"", "")
    assert call("check", stdin=b"") == (0, b"", "")


@pytest.mark.parametrize(
    "data", [b"http://a.example/\xff\xe9", b"\x80", b"x\xe4\xb8", codecs.BOM_UTF8 + b"\xffz"], ids=repr
)
def test_what_does_not_decode_is_invalid_and_kept_as_it_came(data: bytes) -> None:
    found = call("normalize", "--invalid", "keep", stdin=data)
    assert (found.status, found.out) == (1, data.removeprefix(codecs.BOM_UTF8) + b"\n")
    rows = call("check", "--format", "jsonl", stdin=data).rows
    assert [row["raw"] for row in rows] == [data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")]
    assert call("check", stdin=data).status == 1


def test_standard_input_is_decoded_like_a_source() -> None:
    data = "http://ü.example/\n".encode("utf-16")
    assert call("normalize", stdin=data).lines == ["http://xn--tda.example/"]
    assert call("normalize", "--encoding", "latin-1", stdin=b"http://\xfc.example/").lines == [
        "http://xn--tda.example/"
    ]


def test_check_says_valid_with_warnings_or_why_not() -> None:
    bad = "http://example.com/100%zz"
    found = call("check", "HTTP://a.example", bad, "ftp://u:p@h.example/")
    assert found.status == 1
    assert found.lines[0] == "valid  http://a.example/"
    assert found.lines[1:4] == [
        bad,
        " " * 22 + "^",
        "bad-percent-encoding in path at 22: `%` is not followed by two hexadecimal digits (RFC 3986 2.1)",
    ]
    assert found.lines[4] == "valid  ftp://u:***@h.example/  [userinfo-present, password-present]"
    assert call("check", "http://a.example/").status == 0


def test_check_as_json_lines() -> None:
    texts = ["http://a.example/%C3%A9", "http://a.example/%zz"]
    found = call("check", "--format", "jsonl", *texts)
    assert found.rows == [check(text).as_dict() for text in texts]
    assert found.status == 1


@pytest.mark.parametrize(
    "argv",
    [
        ["normalize"],
        ["normalize", "--form", "iri"],
        ["normalize", "--form", "key"],
        ["normalize", "--invalid", "keep"],
        ["check"],
        ["check", "--format", "jsonl"],
    ],
)
def test_passwords_are_masked_unless_asked_for(argv: list[str]) -> None:
    stdin = b"ftp://user:secret@h.example/\nftp://user:secret@h.example:80x/"
    masked = call(*argv, stdin=stdin)
    assert b"user:" in masked.out
    assert "secret" not in masked.out.decode() + masked.err
    assert b"user:secret@" in call(*argv, "--show-passwords", stdin=stdin).out


def test_show_passwords_shows_those_of_kept_texts() -> None:
    text = b"ftp://user:secret@h.example:80x/"
    assert call("normalize", "--invalid", "keep", "--show-passwords", stdin=text).out == text + b"\n"


def test_arguments_need_no_locale() -> None:
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    found = process("normalize", "--form", "iri", stdin="http://ü.example/é\n".encode(), env=environment)
    assert (found.status, found.lines, found.err) == (0, ["http://ü.example/é"], "")


def test_closed_standard_input_is_an_error() -> None:
    code = "import sys, urisieve.cli; sys.stdin = None; sys.exit(urisieve.cli.main(sys.argv[1:]))"
    for command in ("normalize", "check", "extract"):
        done = subprocess.run([sys.executable, "-c", code, command], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.splitlines()[0] == "urisieve: -: standard input is closed"


LINE_FOR_LINE = [
    (b"http://A.example\n", 1),
    (b"\n", 1),
    (b"", 0),
    (b"http://a.example\n\nnone\n\n", 4),
    (b"http://a.example\r\n\r\nnone\r\n", 3),
    (b"http://a.example\n\t \nhttp://b.example", 3),
    (b"\n\nnone", 3),
    (b"no\0ne\n\0\nhttp://a.example/\0\n", 3),
    (b"\xff\n\xe2\x80\xa8\n\x0b\x0c\x1c\x85\n", 3),
    (b"\xef\xbb\xbf\nhttp://a.example", 2),
    (b"http://a.example/" + b"x" * 300_000 + b"\n\n" * 70_000, 140_000),
]


@pytest.mark.parametrize("form", ["uri", "iri", "key"])
@pytest.mark.parametrize("invalid", ["blank", "keep"])
@pytest.mark.parametrize(("text", "lines"), LINE_FOR_LINE, ids=[str(row[0][:20]) for row in LINE_FOR_LINE])
def test_a_line_for_a_line(text: bytes, lines: int, invalid: str, form: str) -> None:  # A17
    done = call("normalize", "--invalid", invalid, "--form", form, stdin=text)
    assert done.out.count(b"\n") == lines
    assert (done.out[-1:] or b"\n") == b"\n"


def test_empty_lines_are_not_invalid_and_dropping_drops_them() -> None:  # A17
    text = b"http://a.example/\n\nhttp://b.example/\n"
    assert call("normalize", "--invalid", "blank", stdin=text) == (0, text, "")
    assert call("normalize", stdin=text) == (0, text.replace(b"\n\n", b"\n"), "")
    assert call("check", stdin=b"\n\n") == (0, b"", "")
