"""Lines at a terminal: colours where they are wanted, and nothing of the input that drives it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.cli_support import COMMAND, call
from urisieve.cli.closing_line import Closing
from urisieve.cli.screen import Screen, identifier_painter, verdict_painter
from urisieve.sinks.byte_output import Output
from urisieve.sources.tally import Tally, rejections
from urisieve.wording import escaped

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals"),
]

# What drives a terminal, or turns the direction of what follows (UAX 9 2).
DRIVING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
COLORS = re.compile(r"\x1b\[(?:[12]|31|0)m")
# A page whose references hold ESC, C1 controls, and bidi controls; and links in Chinese, Hebrew and Arabic.
# The seconds of a closing line.
TIME = r"[0-9.]+ s\b"
PAGE = (
    "<!doctype html><title>x</title>"
    '<a href="http://a.example/\x1b]0;title\x07\x1b[2Jx">1</a> <a href="http://b.example/\x9b31mx">2</a>'
    '<a href="http://c.example/\u202egpj.exe">3</a> <a href="http://d.example/\u2066x\u2069">4</a>'
    '<a href="http://\u4f8b\u3048.example/\u65e5\u672c">5</a> <a href="http://\u05d0\u05d1.example/\u05d2?\u05d3">6</a>'
    '<a href="http://\u0645\u062b\u0627\u0644.example/\u0661">7</a> <a href="http://e.example/\u200fx">8</a>'
)
FORMS = [
    [],
    ["--form", "iri"],
    ["--form", "raw"],
    ["--form", "host"],
    ["--unique", "--form", "raw"],
    ["--fields", "raw,iri,source,field"],
    ["--template", "{source}: {raw} {iri}"],
    ["--format", "jsonl"],
    ["--format", "csv"],
    ["--format", "tsv"],
    ["--format", "tsv", "--fields", "raw,source"],
    ["--safe", "defang", "--form", "raw"],
]


def on_terminal(*argv: str, stdin: bytes = b"", no_color: str | None = None, columns: int = 0) -> str:
    """What appears at a terminal, without the carriage returns that it adds; of standard error with `columns`."""
    ours, theirs = os.openpty()
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    if no_color is not None:
        environment["NO_COLOR"] = no_color
    environment["COLUMNS"] = str(columns)
    shown, hidden = ("stderr", "stdout") if columns else ("stdout", "stderr")
    streams: dict[str, Any] = {"stdin": subprocess.PIPE, shown: theirs, hidden: subprocess.DEVNULL}
    with subprocess.Popen([*COMMAND, *argv], env=environment, **streams) as running:
        os.close(theirs)
        assert running.stdin is not None
        running.stdin.write(stdin)
        running.stdin.close()
        text = b""
        try:
            while block := os.read(ours, 65_536):
                text += block
        except OSError:  # how a terminal says that its last user has gone
            pass
        os.close(ours)
    return text.decode("utf-8").replace("\r\n", "\n")


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A file of a hostile name and content."""
    path = tmp_path / "p\x1b[31m\u202e\x9b.html"
    path.write_text(PAGE, "utf-8")
    return path


@pytest.mark.sampled(37)
@pytest.mark.parametrize("flags", FORMS, ids=" ".join)
@pytest.mark.parametrize("color", ["auto", "never", "always"])
def test_nothing_of_the_input_drives_a_terminal(flags: list[str], color: str, page: Path) -> None:
    if color == "always" and "--format" in flags:
        color = "auto"
    shown = on_terminal("extract", "--accept", "unencoded", "--color", color, *flags, str(page))
    assert len(shown.splitlines()) >= 4
    plain = COLORS.sub("", shown)
    assert DRIVING.findall(plain) == []
    is_painted = color != "never" and "--format" not in flags and "--template" not in flags
    assert (plain != shown) == is_painted
    # But for escapes of what drives a terminal it is what a pipe gets.
    piped = call("extract", "--accept", "unencoded", *flags, str(page)).out.decode("utf-8")
    assert plain == escaped(piped)


@pytest.mark.parametrize("flags", FORMS, ids=" ".join)
def test_files_and_pipes_get_what_stands_there(flags: list[str], page: Path, tmp_path: Path) -> None:
    piped = call("extract", "--accept", "unencoded", *flags, str(page)).out
    path = tmp_path / "out"
    call("extract", "--accept", "unencoded", "-o", str(path), *flags, str(page))
    assert path.read_bytes() == piped
    assert (b"\x1b]0;" in piped) == ("raw" in " ".join(flags) or flags[-1:] in (["csv"], ["tsv"]))
    assert not COLORS.search(piped.decode("utf-8"))


def test_scripts_from_right_to_left_and_wide_ones_stay_as_they_are(page: Path) -> None:
    lines = on_terminal("extract", "--form", "iri", "--color", "never", str(page)).splitlines()
    assert "http://\u4f8b\u3048.example/\u65e5\u672c" in lines
    assert "http://\u05d0\u05d1.example/\u05d2?\u05d3" in lines
    painted = on_terminal("extract", "--form", "iri", str(page)).splitlines()
    assert "\x1b[2mhttp://\x1b[0m\x1b[1m\u05d0\u05d1.example\x1b[0m/\u05d2?\u05d3" in painted


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("flags", "no_color", "colored"),
    [
        ((), None, True),
        ((), "1", False),
        ((), "", True),
        (("--color", "never"), None, False),
        (("--color", "always"), "1", True),
    ],
)
def test_when_there_are_colours(flags: tuple[str, ...], no_color: str | None, colored: bool) -> None:
    text = b"http://a.example/x\n"
    for command in ("extract", "dedupe", "normalize", "check"):
        shown = on_terminal(command, *flags, stdin=text, no_color=no_color)
        assert ("\x1b[1ma.example\x1b[0m" in shown) == colored, command
        assert COLORS.sub("", shown).endswith("http://a.example/x\n")
        assert b"\x1b" not in call(command, stdin=text).out
        assert b"\x1b[1m" in call(command, "--color", "always", stdin=text).out


def test_texts_at_a_terminal() -> None:
    text = "http://b.example/\x1b[2J\nhttp://e\u202e.example:1x/\nno\x9b\n".encode()
    for argv in (("normalize", "--invalid", "keep"), ("check",), ("normalize",)):
        for color in ("never", "always"):
            shown = on_terminal(*argv, "--color", color, stdin=text)
            assert DRIVING.findall(COLORS.sub("", shown)) == []
    shown = on_terminal("check", stdin=b"http://b:x/\n")
    assert "\x1b[31mbad-port in port" in shown
    assert call("normalize", "--invalid", "keep", stdin=text).out == text


# An identifier with bars around what is dim, and stars around what is bold.
PAINTED = [
    "|http://|*a.example*/x",
    "|http://|u:***@*a.example*:80/x@y",
    "|http://|*[2001:db8::1]*:80/",
    "|hxxp://|*a[.]example*:80/",
    "|ssh[://]|*a[.]example*",
    "|mailto:|a@b.example",
    "|mailto[:]|a[@]b[.]example",
    "|urn:|isbn:0395363411",
    "|file://|/etc/passwd",
    "no identifier",
    "",
]


@pytest.mark.parametrize("row", PAINTED)
def test_what_is_painted(row: str) -> None:
    text = row.replace("***", "\0").translate({ord("|"): None, ord("*"): None}).replace("\0", "***")
    expected = re.sub(r"\|(.*)\|", "\x1b[2m\\1\x1b[0m", row.replace("***", "\0"))
    expected = re.sub(r"\*(.*)\*", "\x1b[1m\\1\x1b[0m", expected).replace("\0", "***")
    assert identifier_painter(text) == expected
    assert verdict_painter(f"valid  {text}") == f"valid  {expected}"


class _Kept(Output):
    def __init__(self) -> None:
        super().__init__(-1, "")
        self.data = b""

    def write(self, data: bytes) -> None:
        self.data += data


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=40), st.booleans())
def test_whatever_is_written(text: str, colored: bool) -> None:
    kept = _Kept()
    Screen(kept, identifier_painter if colored else None).write(text.encode("utf-8", "surrogatepass"))
    shown = kept.data.decode("utf-8")
    assert DRIVING.findall(COLORS.sub("", shown)) == []
    assert shown.count("\n") == text.count("\n")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "argv",
    [
        ["check", "--format", "csv"],
        ["check", "--format", "jsonl"],
        ["check"],
        ["normalize", "--invalid", "keep"],
        ["normalize", "--invalid", "keep", "--safe", "defang"],
    ],
    ids=" ".join,
)
def test_no_cell_of_a_table_drives_a_terminal(argv: list[str]) -> None:
    table = "u,note\x1b]0;x\x07\nhttp://a.example/,\u202e\nhttp://b.example/\x1b[2J\u2066\x9b,x\n".encode()
    shown = on_terminal(*argv, "--input", "csv", "--field", "u", stdin=table)
    assert "a[.]example" in shown or "a.example" in shown
    assert DRIVING.findall(shown) == []


@pytest.mark.sampled(2)
@pytest.mark.parametrize("flags", [[], ["--keep", "last"], ["--unmatched", "-", "--output", os.devnull]], ids=" ".join)
def test_no_row_of_a_data_set_drives_a_terminal(flags: list[str]) -> None:
    table = "u,note\nhttp://a.example/,\u202e\x1b]0;x\x07\nx\x1b[2J\x9b,y\n".encode()
    shown = on_terminal("dedupe", "--input", "csv", "--field", "u", *flags, stdin=table)
    assert "\\u001b[2J\\u009b,y\n" in shown
    assert DRIVING.findall(shown) == []
    assert call("dedupe", "--input", "csv", "--field", "u", stdin=table).out == table


def test_rows_of_a_data_set_are_whole_in_a_file(tmp_path: Path) -> None:
    rest, whole = tmp_path / "rest", tmp_path / "whole"
    table = b"u\nhttp://a.example/\nx\x1b[2J\n"
    shown = on_terminal("dedupe", "--input", "csv", "--field", "u", "--unmatched", str(rest), stdin=table)
    assert shown == "u\nhttp://a.example/\n"
    assert rest.read_bytes() == b"u\nx\x1b[2J\n"
    assert on_terminal("dedupe", "--input", "csv", "--field", "u", "--output", str(whole), stdin=table) == ""
    assert whole.read_bytes() == table


@pytest.mark.parametrize("argv", [["extract"], ["dedupe"], ["count"], ["dedupe", "--input", "parquet", "--field", "u"]])
def test_no_parquet_at_a_terminal(argv: list[str]) -> None:
    formats = [] if "--field" in argv else ["--format", "parquet"]
    assert on_terminal(*argv, *formats, stdin=b"http://a.example/") == ""


def test_parquet_goes_to_a_file_whatever_stands_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "found.parquet"
    assert on_terminal("extract", "--format", "parquet", "-o", str(path), stdin=b"http://a.example/") == ""
    assert path.read_bytes()[:4] == b"PAR1"


def test_dedupe_has_the_colours_of_extract() -> None:
    text = b"see http://a.example/x http://a.example/x"
    for flags in ([], ["--form", "host"], ["--fields", "host,uri"], ["--color", "never"]):
        lines = on_terminal("dedupe", *flags, stdin=text)
        assert lines == on_terminal("extract", "--unique", *flags, stdin=text)
        assert bool(COLORS.search(lines)) == (flags != ["--color", "never"])
    assert COLORS.search(call("dedupe", "--color", "always", stdin=text).out.decode())


@pytest.mark.parametrize("columns", [40, 80, 400])
def test_the_closing_line_breaks_where_the_terminal_is_too_narrow(columns: int, tmp_path: Path) -> None:
    path = tmp_path / "mbox"
    path.write_text("From a@b.example Mon Jan  1 00:00:00 2024\nSubject: x\n\nhttp://u@a.example/ foo://a/\n")
    lines = on_terminal("extract", "-v", str(path), columns=columns).splitlines()
    (whole,) = call("extract", "-v", str(path)).err.splitlines()
    kept = re.sub(TIME, "", whole).replace(";", "").split()
    assert re.sub(TIME, "", " ".join(map(str.strip, lines))).replace(";", "").split() == kept
    assert len(lines) == 1 if columns == 400 else len(lines) > 3
    assert all(len(line) <= columns for line in lines)
    begins = [line for line in lines[1:] if not line.startswith("    ")]
    clauses = ["  warnings: ", "  as 1 mail", "  read: 1 "]
    assert [line[: len(clause)] for line, clause in zip(begins, clauses, strict=False)] == clauses[: len(begins)]
    assert len(begins) in (0, 3)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (200, "; warnings: userinfo-present 1; as 1 csv (not html); read: 2 messages; skipped: 1 pdf (encrypted)"),
        (140, "; warnings: userinfo-present 1; as 1 csv (not html); skipped: 1 pdf (encrypted); -v: more"),
        (120, ", 1 file not as named, 1 warning; skipped: 1 pdf (encrypted); -v: more"),
        (60, ", 1 file not as named, 1 warning; skipped: 1 pdf (encrypted); -v: more"),
    ],
)
def test_the_closing_line_keeps_what_users_need(columns: int, said: str) -> None:
    tally = Tally()
    tally.rejected["bad-port"] = tally.warnings["userinfo-present"] = tally.kinds["csv (not html)"] = 1
    tally.read["message"] = 2
    tally.skip("pdf", "encrypted")
    clauses = Closing(["1 file", rejections(tally)], tally, 0.1).clauses(columns)
    reasons = "" if columns == 60 else " (bad-port 1)"
    assert "; ".join(clauses).replace(", 0.1 s", "") == f"1 file, 1 rejected{reasons}{said}"


@pytest.mark.parametrize(
    ("skipped", "broken", "said"),
    [
        ([("part", "pgp")], [], "1 part skipped (pgp)"),
        ([("part", "pgp")] * 2, [], "2 parts skipped (pgp)"),
        ([("part", "pgp"), ("part", "smime")], [], "2 parts skipped"),
        ([("part", "pgp"), ("image", "x")], [("line", "no-json")] * 3, "2 things skipped, 3 lines broken (no json)"),
        ([("part", "pgp"), ("pdf", "encrypted")], [], "1 part skipped (pgp); skipped: 1 pdf (encrypted)"),
    ],
)
def test_each_sum_of_the_closing_line_has_its_unit(
    skipped: list[tuple[str, str]], broken: list[tuple[str, str]], said: str
) -> None:
    tally = Tally()
    tally.rejected["bad-port"], tally.kinds["csv (not html)"] = 1_200, 2
    tally.warnings["userinfo-present"] = 3
    for kind, reason in skipped:
        tally.skip(kind, reason)
    for kind, reason in broken:
        tally.fault(kind, reason, "")
    sums, *more = Closing(["1 file", rejections(tally)], tally, 0.1).clauses(0)
    expected = ["1 file, 1,200 rejected, 2 files not as named, 3 warnings", *said.split("; ")]
    assert [sums.removesuffix(", 0.1 s"), *more] == [", ".join(expected[:2]), *expected[2:], "-v: more"]


@pytest.mark.parametrize("columns", [50, 400])
def test_the_closing_line_is_as_wide_as_its_own_terminal(columns: int, tmp_path: Path) -> None:
    import fcntl
    import struct
    import termios

    path = tmp_path / "mbox"
    path.write_text("From a@b.example Mon Jan  1 00:00:00 2024\nSubject: x\n\nhttp://u@a.example/ foo://a/\n")
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    argv = (*COMMAND, "extract", "-v", str(path))
    subprocess.run(argv, env=environment, stdout=subprocess.DEVNULL, stderr=theirs, check=True)
    os.close(theirs)
    lines = os.read(ours, 4_096).decode().splitlines()
    os.close(ours)
    assert len(lines) == 1 if columns == 400 else max(map(len, lines)) <= columns


REPORTS = (("check",), ("explain",), ("stats", "--quiet"))
DATA = (
    ("extract", "--quiet"),
    ("extract", "-q", "--fields", "uri,host"),
    ("dedupe", "-q"),
    ("normalize",),
    ("count", "-q"),
)


@pytest.mark.parametrize("no_color", [None, "", "1"])
@pytest.mark.parametrize("force_color", [None, "", "1", "0"])
@pytest.mark.parametrize("flag", [(), ("--color", "always"), ("--color", "never")])
def test_colours_in_a_pipe(
    flag: tuple[str, ...], force_color: str | None, no_color: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("NO_COLOR", no_color), ("FORCE_COLOR", force_color)):
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)
    is_forced = not flag and bool(force_color) and not no_color
    for commands, colored in ((REPORTS, is_forced or "always" in flag), (DATA, "always" in flag)):
        for argv in commands:
            if argv != ("count", "-q") or "always" not in flag:  # its lines have no colours
                assert (b"\x1b[" in call(*argv, *flag, stdin=b"http://a.example/").out) == colored, argv
