"""The command line as a whole: help, version, usage errors, statuses, and that it starts light."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path

import pytest

import urisieve
from tests.helpers.cli_support import call, process
from urisieve import Options, __version__
from urisieve.cli.program import COMMANDS
from urisieve.cli.settings.arguments import examples_of
from urisieve.cli.settings.extract_arguments import parse_extract
from urisieve.cli.settings.text_arguments import parse_check, parse_explain, parse_normalize
from urisieve.kernel import advice, compiled, way

BUILT = "pure" if find_spec("urisieve._kernel") is None else "kernel"


def test_version() -> None:
    status, out, err = process("--version")
    assert (status, out) == (0, f"urisieve {__version__} ({way})\n".encode())
    hint = advice()
    assert err == ("" if hint is None else f"urisieve: {hint}\n")


@pytest.mark.parametrize(("value", "shown"), [("1", "pure"), ("yes", "pure"), ("0", BUILT), ("", BUILT)])
def test_the_environment_switches_the_kernel_off(value: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("URISIEVE_PURE", value)
    assert process("--version")[:2] == (0, f"urisieve {__version__} ({shown})\n".encode())


def test_help_names_every_command_and_status() -> None:
    status, out, err = process("--help")
    assert (status, err) == (0, "")
    text = out.decode()
    assert text.startswith("usage: urisieve COMMAND")
    for word in [*COMMANDS, "exit status", "-V"]:
        assert word in text
    assert "--fail-on: one of the reasons" in process("--help-all").out.decode()


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_shows_its_examples(command: str) -> None:
    status, out, err = call(command, "--help-all")
    assert (status, err) == (0, "")
    text = out.decode()
    assert text.startswith(f"usage: urisieve {command} ")
    for line, meaning in examples_of(command):
        assert f"  {line}\n      {meaning}\n" in text


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "no command is named"),
        (["nonsense"], "'nonsense' is not a command"),
        (["extrct", "file"], "'extrct' is not a command; did you mean 'extract'?"),
        (["--nonsense"], "there is no option --nonsense"),
        (["--", "extract"], "extract must come first"),
        (["extract", "--nonsense"], "extract: there is no option --nonsense"),
        (["extract", "--outptu=x"], "there is no option --outptu; did you mean --output?"),
        (
            ["extract", "--format", "xml"],
            "--format: 'xml' is not a choice; use one of text, jsonl, csv, tsv, parquet (",
        ),
        (
            ["extract", "--format", "json"],
            "--format: 'json' is not a choice; use one of text, jsonl, csv, tsv, parquet; did you mean 'jsonl'?",
        ),
        (["extract", "--format"], "--format: expected one argument"),
        (["explain", "--format", "json"], "'json' is not a choice; use one of text, jsonl; did you mean 'jsonl'?"),
        (["explain", "--color", "red"], "'red' is not a choice; use one of auto, always, never"),
        (["schemes", "--format", "tsv"], "'tsv' is not a choice; use one of text, jsonl, csv; did you mean 'csv'?"),
        (["extract", "--form", "key"], "'key' is not a choice"),
        (["extract", "--encoding", "nope"], "encoding 'nope' is not known"),
        (["extract", "--merge", "everything"], "merge='everything' is neither a profile nor a step; use one of"),
        (["extract", "--merge", "drop-fragmet"], "did you mean 'drop-fragment'?"),
        (["extract", "--schemes", "1a"], "'1a' is not a scheme name"),
        (["extract", "--schemes", ""], "--schemes: no scheme is named"),
        (["extract", "--max-length", "1"], "max_length=1 must be"),
        (["extract", "--max-length", "x"], "invalid int value: 'x'"),
        (["extract", "--uniq"], "did you mean --unique?"),  # no abbreviations: they would break with the next flag
        (["normalize", "--form", "raw"], "'raw' is not a choice"),
        (["normalize", "--unique"], "there is no option --unique"),
        (["check", "--format", "xml"], "'xml' is not a choice"),
        (
            ["count", "--sort", "cuont"],
            "count: --sort: 'cuont' is not a choice; use one of first, count, uri; did you mean 'count'?",
        ),
        (["store"], "store: the following arguments are required: info|"),
        (["store", "inof", "x"], "did you mean 'info'?"),
        (["store", "info", "a", "b"], "'b' is one argument too many"),
    ],
)
def test_usage_errors_say_why_in_one_line_and_exit_2(argv: list[str], message: str) -> None:  # C10
    status, out, err = call(*argv)
    assert (status, out) == (2, b"")
    (said,) = err.splitlines()
    assert said.startswith("urisieve: ")
    assert message in said
    assert said.endswith(" --help)")


def test_a_file_for_a_command_is_told_apart(tmp_path: Path) -> None:  # C10
    path = tmp_path / "notes.txt"
    path.write_text("http://a.example/")
    assert f"type `urisieve extract {path}` to find what is in that file (" in call(str(path)).err
    assert f"type `urisieve extract {path} -q a b` to find" in call(str(path), "-q", "a", "b").err
    assert f"type `urisieve extract {path} -q a b ...` to find" in call(str(path), "-q", "a", "b", "c").err


@pytest.mark.parametrize(
    "argv",
    [
        ("--quiet", "{a}", "{b}"),
        ("{a}", "{b}", "--quiet"),
        ("{a}", "--quiet", "{b}"),
        ("{a}", "--quiet", "--", "{b}"),
        ("--quiet", "--", "{a}", "{b}"),
        ("{a}", "--format", "text", "{b}", "--quiet"),
    ],
)
def test_options_and_arguments_may_stand_in_any_order(argv: tuple[str, ...], tmp_path: Path) -> None:  # A16
    for name in "ab":
        (tmp_path / name).write_text(f"http://{name}.example/")
    done = call("extract", *(word.format(a=tmp_path / "a", b=tmp_path / "b") for word in argv))
    assert done == (0, b"http://a.example/\nhttp://b.example/\n", "")


def test_what_follows_two_hyphens_is_no_option() -> None:  # A16
    assert call("normalize", "--invalid", "keep", "--", "--level", "-x").lines == ["--level", "-x"]
    assert call("extract", "--encoding=--").err.startswith("urisieve: extract: encoding '--' is not known")


# Every option of the library as a flag: what it is called, and what it gives.
FLAGS: list[tuple[list[str], Options]] = [
    (["--schemes", "registered"], Options(schemes="registered")),
    (["--schemes", "any"], Options(schemes="any")),
    (["--schemes", "http, URN,doi:"], Options(schemes={"http", "urn", "doi"})),
    (["--schemes", "!data,!cid,!mid"], Options(exclude_schemes={"data", "cid", "mid"})),
    (["--schemes", "default,+x-mine"], Options(known_schemes={"x-mine"})),
    (["--urn-syntax", "rfc8141"], Options(urn_syntax="rfc8141")),
    (["--level", "syntax"], Options(level="syntax")),
    (["--merge", "strip-www,drop-fragment"], Options(merge=["drop-fragment", "strip-www"])),
    (["--merge", "strip-www", "--merge", "drop-fragment"], Options(merge=["drop-fragment", "strip-www"])),
    (["--accept", "isbn,doi,ark"], Options(bare=["doi", "isbn", "ark"])),
    (["--accept", "unencoded"], Options(repair="encode")),
    (["--accept", "names"], Options(schemeless="names")),
    (["--accept", "addresses"], Options(email="addresses")),
    (["--accept", "defanged"], Options(refang="known-forms")),
    (["--accept", "nested"], Options(nested="report")),
    (["--accept", "wrapped"], Options(unwrap=True)),
    (["--accept", "wrapped-any"], Options(unwrap="any")),
    (["--protect", "any"], Options(spoofing="warn")),
    (["--protect", "a.example,B.example"], Options(protect=["a.example", "b.example"])),
    (["--encoding", "cp1258"], Options(charset="legacy")),
    (["--max-length", "100"], Options(max_length=100)),
]
JUDGING = {"bare", "charset", "urn_syntax", "level", "merge", "repair"}


def changed(options: Options) -> set[str]:
    default = Options()
    return {field.name for field in fields(Options) if getattr(options, field.name) != getattr(default, field.name)}


@pytest.mark.parametrize(("argv", "options"), FLAGS)
def test_flags_become_options(argv: list[str], options: Options) -> None:
    assert parse_extract([*argv, "file"]).options == options
    if changed(options) <= JUDGING:
        assert parse_normalize(argv).options == options
        assert parse_check(argv).options == options
        assert parse_explain(argv).options == options


def test_every_option_of_the_library_has_a_flag() -> None:
    # The positions that are counted are those that the format writes; rows hold functions, and plug-ins bring them.
    names = {field.name for field in fields(Options)} - {"positions", "rules"}
    assert set().union(*(changed(options) for _, options in FLAGS)) == names
    assert parse_extract([]).options == Options()


SAMPLE = "<http://A.example/%7e> urn:ietf:rfc:2141 http://b.example/100%zz doi:10.1000/182\n"


@pytest.mark.sampled(19)
@pytest.mark.skipif(sys.platform == "win32" or not shutil.which("bash"), reason="the examples are for a POSIX shell")
@pytest.mark.parametrize("line", [line for command in COMMANDS for line, _ in examples_of(command)])
def test_examples_work_as_they_stand(line: str, tmp_path: Path) -> None:
    for name in ("mail.mbox", "access.log", "page.txt", "paper.txt"):
        (tmp_path / name).write_text(SAMPLE)
    (tmp_path / "urls.txt").write_text("http://A.example/#x\nno identifier\nhttp://a.example/#x\n")
    (tmp_path / "books.csv").write_text("title,isbn\nA,0-395-36341-1\n")
    (tmp_path / "app.jsonl").write_text('{"message":"http:\\/\\/a.example\\/"}\n')
    (tmp_path / "rows.jsonl").write_text('{"url": "http://A.example/#x"}\n')
    for name in ("seen.db", "other.db"):
        urisieve.Store(tmp_path / name).close()
    subprocess.run(["gzip", "-k", tmp_path / "access.log"], check=True)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "access.log.1.gz").write_bytes((tmp_path / "access.log.gz").read_bytes())
    command = tmp_path / "bin" / "urisieve"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -W error -m urisieve "$@"\n')
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"],
        cwd=tmp_path,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(Path(urisieve.__file__).parents[1])},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1)
    assert all(said.startswith("urisieve: ") and "error" not in said for said in done.stderr.splitlines())
    written = done.stdout + "".join(path.read_text() for path in tmp_path.glob("*.jsonl"))
    assert "example" in written or "doi:" in written


def test_examples_show_what_they_print() -> None:
    shown = dict(examples_of("normalize"))["urisieve normalize 'HTTP://Example.COM:80/a/../b'"]
    assert call("normalize", "HTTP://Example.COM:80/a/../b").lines == [shown]


HEAVY = ["csv", "dataclasses", "hashlib", "idna", "json", "regex", "tqdm"]
HEAVY += ["urisieve.finding_options", "urisieve.find.search"]


def modules_after_nothing() -> set[str]:
    """The modules that the interpreter loads by itself."""
    code = "import sys; print(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def modules_after(*argv: str) -> set[str]:
    """The modules loaded by a run of the command line."""
    code = "import sys; from urisieve.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code, *argv], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_it_starts_light(flag: str) -> None:
    assert not modules_after(flag) & set(HEAVY)


# Modules of the standard library that would cost each start several milliseconds; `urisieve.lean` and late imports keep
# them away.
DEAR = {
    *("argparse", "ast", "asyncio", "csv", "dataclasses", "dis", "gettext", "idna", "inspect", "ipaddress"),
    *("json", "locale", "logging", "multiprocessing", "pathlib", "regex", "shutil", "sqlite3", "subprocess"),
    *("tempfile", "threading", "tokenize", "tqdm", "typing", "urllib"),
}
# Of this package, for text in and lines out.
NOT_FOR_TEXT = {
    *("urisieve.cli.dedupe", "urisieve.cli.settings.full_parser", "urisieve.explanation"),
    *("urisieve.runs.document_sieve", "urisieve.runs.workers"),
    *("urisieve.sinks.notations", "urisieve.sources.containers.limits", "urisieve.sources.readers"),
}
# Where the kernel is there, it does their work for plain links.
FOR_PYTHON = {
    *("hashlib", "urisieve.find.finder.finder", "urisieve.find.search", "urisieve.judge.judge"),
    *("urisieve.judge.normalize", "urisieve.rules.rows", "urisieve.syntax.characters"),
}
# The most modules that a run adds to those that the interpreter starts with.
MOST_MODULES = (118 if compiled else 154) + (sys.version_info >= (3, 14))


@pytest.mark.parametrize("more", [(), ("--unique",), ("--output=links", "--max-length", "999")], ids=" ".join)
def test_extracting_loads_what_it_needs_only(
    more: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("see http://a.example/ and <https://b.example/%7Ec>\n" * 200)
    loaded = modules_after("extract", "--quiet", *more, "file")
    assert loaded & DEAR == set()
    assert loaded & NOT_FOR_TEXT == set()
    assert not (compiled and loaded & FOR_PYTHON)
    before = {name for name in modules_after_nothing() if not name.startswith("urisieve")}
    assert len(loaded - before) <= MOST_MODULES


def test_an_international_link_loads_no_regex(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("see http://b\u00fccher.example/\u00fc\n", encoding="utf-8")
    assert "regex" not in modules_after("extract", "--quiet", str(path))


def test_help_is_plain_ascii() -> None:
    for command in COMMANDS:
        assert call(command, "--help").out.isascii()
