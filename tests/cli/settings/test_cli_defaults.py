"""Defaults of options: from variables of the environment and from a table, checked before anything is read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.cli_support import call
from urisieve.cli.program import accepted
from urisieve.cli.settings.arguments import Argument, found_sources
from urisieve.cli.settings.defaults import _SHOWN, is_for_tables, variable_of

TEXT = "http://A.example/ http://a.example/ <urn:isbn:1> http://u:p@b.example/100%zz\n"
ALL = ["http://a.example/", "http://a.example/", "urn:isbn:1"]
UNIQUE = ["http://a.example/", "urn:isbn:1"]
RAW = ["http://A.example/", "http://a.example/", "urn:isbn:1"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in one with a repository, so that no file above it counts."""
    (tmp_path / ".git").mkdir()
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    Path("text").write_text(TEXT)
    for name in os.environ:
        if name.startswith("URISIEVE_") and name != "URISIEVE_PURE":
            monkeypatch.delenv(name)
    return inner


def options() -> dict[str, list[Argument]]:
    found: dict[str, list[Argument]] = {}
    for some in accepted().values():
        for command in some:
            for option in command.options:
                found.setdefault(option.long, []).append(option)
    return found


def with_variables(monkeypatch: pytest.MonkeyPatch, variables: str) -> None:
    for one in variables.split():
        name, _, value = one.partition("=")
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(
    ("variables", "words", "lines"),
    [
        ("URISIEVE_UNIQUE=1", "", UNIQUE),
        ("URISIEVE_UNIQUE=0", "", ALL),
        ("URISIEVE_UNIQUE=", "", ALL),
        ("URISIEVE_FORM=raw", "", RAW),
        ("URISIEVE_FORM=raw", "--form uri", ALL),  # the command line comes first
        ("URISIEVE_FORM=raw URISIEVE_UNIQUE=1", "--no-config", ALL),
        ("URISIEVE_SCHEMES=http", "", ALL[:2]),
        ("URISIEVE_SCHEMES=http", "--schemes urn", ALL[2:]),
        ("URISIEVE_SCHEMES=!http,!ftp", "", ALL[2:]),
        ("URISIEVE_SCHEMES=!http", "--schemes !urn", ALL[:2]),  # instead, not besides
        ("URISIEVE_SORT=count URISIEVE_TOP=3", "", ALL),  # for other commands
        ("URISIEVE_FORMAT=json", "", ALL),  # accepted by others
        ("URISIEVE_BUILD=require URISIEVE_NO_CONFIG=1", "", ALL),
        ("URISIEVE_ACCEPT=unencoded", "--schemes http", [*ALL[:2], "http://u:***@b.example/100%25zz"]),
    ],
)
def test_variables(variables: str, words: str, lines: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with_variables(monkeypatch, variables)
    done = call("extract", *words.split(), "text")
    assert (done.status, done.lines, done.err.count("\n")) == (0, lines, 1)


@pytest.mark.parametrize(
    ("variable", "message"),
    [
        ("URISIEVE_FORMTA=csv", "URISIEVE_FORMTA: there is no option formta; did you mean URISIEVE_FORMAT?"),
        ("URISIEVE_JOBS=0", "URISIEVE_JOBS: '0' is not a number of workers: use 1 or more"),
        ("URISIEVE_UNIQUE=yes", "URISIEVE_UNIQUE: 'yes' is neither 1 nor 0"),
        ("URISIEVE_FORMAT=cvs", "URISIEVE_FORMAT: 'cvs' is not a choice; use one of text, jsonl, csv, tsv, parquet"),
        ("URISIEVE_MAX_LENGTH=x", "URISIEVE_MAX_LENGTH: 'x' is not accepted"),
        ("URISIEVE_MEMORY_LIMIT=lots", "URISIEVE_MEMORY_LIMIT: "),  # of another command
        ("URISIEVE_FAIL_ON=bad-prot", "there is no reason or warning 'bad-prot'; did you mean 'bad-port'?"),
        ("URISIEVE_HELP=1", "URISIEVE_HELP: there is no option help"),
    ],
)
def test_variables_that_are_wrong(variable: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with_variables(monkeypatch, variable)
    done = call("extract", "text")
    assert (done.status, done.out) == (2, b"")
    (line,) = done.err.splitlines()
    assert line.startswith("urisieve: URISIEVE_")
    assert message in line
    assert call("extract", "--no-config", "text").lines == ALL
    assert call("extract", "--help").status == 0


def test_each_long_option_has_a_variable_of_its_own() -> None:
    names = [variable_of(option) for option in options()]
    assert len(set(names)) == len(names)
    assert not {"URISIEVE_PURE", "URISIEVE_BUILD", "URISIEVE_NO_CONFIG"} & set(names)
    assert {"URISIEVE_JOBS", "URISIEVE_FORMAT", "URISIEVE_MARK_NEW", "URISIEVE_UNSEEN_FOR"} <= set(names)


@pytest.mark.parametrize(
    ("name", "table", "words", "lines"),
    [
        ("pyproject.toml", "[tool.urisieve]\nunique = true", "", UNIQUE),
        ("pyproject.toml", '[tool]\nurisieve = {form = "raw"}', "", RAW),
        ("pyproject.toml", 'tool.urisieve.extract.form = "raw"', "", RAW),
        ("pyproject.toml", '[ "tool" . urisieve.extract]\nform = "raw"', "", RAW),
        ("pyproject.toml", "[tool.other]\nunique = true\nurisieve = 1", "", ALL),
        ("urisieve.toml", "unique = true", "", UNIQUE),
        ("urisieve.toml", "[tool.urisieve]\nunique = true", "", UNIQUE),
        ("urisieve.toml", "unique = false", "", ALL),
        ("urisieve.toml", "unique = true", "--no-config", ALL),
        ("urisieve.toml", 'form = "uri"\n[extract]\nform = "raw"', "", RAW),  # that of the command comes first
        ("urisieve.toml", 'form = "raw"\n[dedupe]\nform = "uri"', "", RAW),
        ("urisieve.toml", 'schemes = ["http", "ftp"]', "", ALL[:2]),
        ("urisieve.toml", 'schemes = "http,ftp"', "", ALL[:2]),
        ("urisieve.toml", 'schemes = ["!http", "!ftp"]', "", ALL[2:]),
        ("urisieve.toml", "jobs = 1\nmax-length = 100", "", ALL),
        ("urisieve.toml", 'sort = "count"', "", ALL),
    ],
)
@pytest.mark.parametrize("above", [False, True])
def test_tables(name: str, table: str, words: str, lines: list[str], above: bool) -> None:
    path = Path(os.path.normpath(Path.cwd() / ("../.." if above else ".") / name))
    path.write_text(table)
    done = call("extract", *words.split(), "text")
    assert (done.status, done.lines) == (0, lines)
    told = [line for line in done.err.splitlines() if " sets " in line]
    assert len(told) == (not (lines is ALL and "jobs" not in table) or '"uri"' in table)
    assert all(line.startswith(f"urisieve: {path if above else name} sets ") for line in told)
    assert done.err.count("\n") == 1 + len(told)


def test_variables_come_before_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("urisieve.toml").write_text('unique = true\nform = "raw"')
    monkeypatch.setenv("URISIEVE_UNIQUE", "0")
    assert call("extract", "text").lines == RAW
    monkeypatch.setenv("URISIEVE_NO_CONFIG", "1")
    monkeypatch.delenv("URISIEVE_UNIQUE")
    assert call("extract", "text").lines == ALL


def test_the_nearest_file_counts_and_none_beyond_the_repository() -> None:
    Path("../../urisieve.toml").write_text("unique = true")
    Path("../pyproject.toml").write_text("[tool.other]\n")  # without a table the search goes on
    assert call("extract", "text").lines == UNIQUE
    Path("../pyproject.toml").write_text('[tool.urisieve]\nform = "raw"')
    assert call("extract", "text").lines == RAW
    Path("../pyproject.toml").unlink()
    Path("../.git").mkdir()
    assert call("extract", "text").lines == ALL


def test_what_is_no_file_is_not_read() -> None:
    Path("urisieve.toml").mkdir()
    os.mkfifo("pyproject.toml")
    assert call("extract", "text").lines == ALL


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("uniqe = true", "uniqe: there is no option uniqe; did you mean unique?"),
        ("unique = 1", "unique: 1 is neither true nor false"),
        ("jobs = 0", "jobs: '0' is not a number of workers"),
        ("jobs = true", "jobs: True is not a text or a number"),
        ("jobs = 1979-05-27", "is not a text or a number"),
        ('form = ["raw"]', "form: ['raw'] is not a text or a number"),
        ("[extrct]", "[extrct]: there is no command extrct; did you mean extract?"),
        ("[extract]\ncounts = true", "extract.counts: there is no option counts"),
        ('[extract]\nformat = "json"', "extract.format: 'json' is not a choice"),
        ("unique = [", "is not valid TOML"),
        ("help = true", "help: there is no option help"),
        ("a = " + "[" * 5_000, "is not valid TOML"),
    ],
)
def test_tables_that_are_wrong(table: str, message: str) -> None:
    Path("urisieve.toml").write_text(table)
    done = call("extract", "text")
    assert (done.status, done.out) == (2, b"")
    (line,) = done.err.splitlines()
    assert line.startswith("urisieve: urisieve.toml: ")
    assert message in line
    assert call("extract", "--no-config", "text").lines == ALL


def test_a_table_writes_no_files_and_shows_no_passwords() -> None:
    refused = {name for name, some in options().items() if not all(map(is_for_tables, some))}
    assert refused >= {"output", "rejected", "store", "checkpoint", "unmatched", "show-passwords", "files-from"}
    assert "unseen-for" in refused  # keys would be lost
    before = sorted(os.listdir())
    for option in refused:
        for table in (f'{option} = "x"', f"{option} = true"):
            Path("urisieve.toml").write_text(table)
            for command in ("extract", "dedupe", "check"):
                done = call(command, "text")
                assert (done.status, done.out) == (2, b""), option
                assert f"a file may not set {option}: give --{option} on the command line" in done.err
    assert sorted(os.listdir()) == sorted([*before, "urisieve.toml"])


@pytest.mark.parametrize(
    ("variables", "words", "said"),
    [
        ("URISIEVE_FORM=raw", "extract --format csv text", "URISIEVE_FORM: left out"),
        ("URISIEVE_FORM=raw", "extract --format csv --quiet text", ""),
        ("URISIEVE_MARK_NEW=1", "dedupe text", "URISIEVE_MARK_NEW: left out"),
        ("URISIEVE_INCLUDE=*.log", "extract text", "URISIEVE_INCLUDE: left out"),
        ("URISIEVE_ENCODING=cp1252", "check http://a.example/", "URISIEVE_ENCODING: left out"),
        ("URISIEVE_FORM=raw URISIEVE_JOBS=2 URISIEVE_MARK_NEW=1", "dedupe --input jsonl --field u rows", "left out"),
    ],
)
def test_defaults_that_do_not_go_with_the_command_line(
    variables: str, words: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("rows").write_text('{"u":"http://a.example/"}\n')
    with_variables(monkeypatch, variables)
    done = call(*words.split())
    assert done.status == 0
    assert done.out
    assert said in done.err
    assert ("left out" in done.err) == bool(said)


SECRET = "http://a.example/p?token=SECRET"


# variables, the command, what comes out (None: it is refused)
HIDING: list[tuple[str, str, str | None]] = [
    ("URISIEVE_SAFE=no-query,cells", f"normalize {SECRET}", "http://a.example/p?***"),
    ("URISIEVE_SAFE=cells,no-query", "extract -q secret", "http://a.example/p?***"),
    ("URISIEVE_SAFE=no-query,cells", "extract -q -f csv --fields uri secret", "http://a.example/p?***"),
    ("URISIEVE_SAFE=no-query,defang", "check secret", "http://a.example/p?***"),
    ("URISIEVE_SAFE=no-query,defang", f"explain {SECRET}", "http://a.example/p?***"),
    ("URISIEVE_SAFE=no-query", "extract -q --show-passwords secret", None),
    ("URISIEVE_SAFE=no-query", "dedupe -q --input jsonl --field u rows", None),
    ("URISIEVE_SAFE=cells", "dedupe -q --input jsonl --field u rows", SECRET),
    ("URISIEVE_SAFE=cells", "extract -q secret", SECRET),
]


@pytest.mark.parametrize(("variables", "command", "shown"), HIDING)
def test_what_hides_is_never_left_out(
    variables: str, command: str, shown: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("secret").write_text(f"{SECRET}\n")
    Path("rows").write_text(f'{{"u": "{SECRET}"}}\n')
    with_variables(monkeypatch, variables)
    done = call(*command.split())
    assert (b"SECRET" in done.out) == (shown == SECRET)
    if shown is None:
        assert (done.status, done.out) == (2, b"")
        assert "URISIEVE_SAFE holds too, and hides something: --no-config leaves it out" in done.err
    elif not command.startswith("check"):
        assert shown.encode() in done.out


def test_each_word_of_a_list_is_for_the_commands_that_accept_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with_variables(monkeypatch, "URISIEVE_ACCEPT=defanged,unencoded")  # check knows the second only
    assert call("check", "http://a.example/a b").out == b"valid  http://a.example/a%20b  [repaired]\n"
    for wrong in ("defanged,nope", ","):
        monkeypatch.setenv("URISIEVE_ACCEPT", wrong)
        done = call("check", "http://a.example/a b")
        assert (done.status, done.out) == (2, b"")
        assert "URISIEVE_ACCEPT: " in done.err
        assert "is not a choice" in done.err


@pytest.mark.parametrize(
    ("variables", "table", "words", "found"),
    [
        ("URISIEVE_ACCEPT=doi,isbn,names", "", "", "id"),
        ("URISIEVE_ACCEPT=isbn", "", "--accept doi", "d"),  # instead, not as well
        ("URISIEVE_ACCEPT=names,isbn", 'accept = ["doi"]', "", "i"),
        ("", 'accept = ["isbn", "doi", "defanged"]', "", "id"),
        ("", 'accept = "doi"\n[check]\naccept = "isbn"', "", "i"),
    ],
)
def test_kinds_without_a_scheme_by_defaults(
    variables: str, table: str, words: str, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_variables(monkeypatch, variables)
    Path("urisieve.toml").write_text(table)
    done = call("check", *words.split(), "0-395-36341-1", "10.1000/182")
    assert [word for word in ("i", "d") if word in found] == [
        word for word, uri in (("i", b"urn:isbn:"), ("d", b"doi:")) if uri in done.out
    ]


def test_what_is_wrong_on_the_command_line_stays_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("URISIEVE_UNIQUE", "1")
    done = call("extract", "--form", "raw", "--format", "csv", "text")
    assert done == (
        2,
        b"",
        "urisieve: extract: --form is for --format text: csv has all forms (urisieve extract --help)\n",
    )


def test_nothing_is_loaded_or_read_where_there_is_nothing() -> None:
    assert found_sources() is None
    Path("pyproject.toml").write_text('[project]\nname = "urisieve"\nscripts = {urisieve = "x"}\n')
    assert found_sources() is None
    code = "import sys; from urisieve.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    words = [sys.executable, "-c", code, "extract", "-q", "text"]
    loaded = subprocess.run(words, capture_output=True, text=True, check=True).stderr.split()
    assert "urisieve.cli.settings.arguments" in loaded
    assert not {"tomllib", "argparse", "urisieve.cli.settings.defaults"} & set(loaded)


# I4: a file decides nothing in silence, and that of another user decides nothing.


@pytest.mark.parametrize(
    ("table", "told", "quietly"),
    [
        ('schemes = ["ftp"]', "schemes=ftp, which may leave out or change findings", True),
        (
            'only = ["host=!b", "kind=!urn"]',
            "only=host=!b,kind=!urn, which may leave out or change findings",
            True,
        ),
        ("unique = true", "unique, which may leave out or change findings", True),
        ("max-length = 10_000", "max-length=10000, which may leave out or change findings", True),
        ('parts = false\ncolor = "never"\njobs = 1', "color=never, jobs=1", False),
        (
            'jobs = 1\nonly = ["kind=urn"]\n[extract]\ncolor = "never"',
            "color=never, jobs=1; only=kind=urn, which may leave out or change findings",
            True,
        ),
        ('form = "host"', "form=host, which may leave out or change findings", True),
        ('fields = ["line"]', "fields=line, which may leave out or change findings", True),
        ('template = "{line}"', "template={line}, which may leave out or change findings", True),
        ('safe = ["no-query"]', "safe=no-query, which may leave out or change findings", True),
        ('fail-on = ["password-present"]', "fail-on=password-present, which may leave out or change findings", True),
        ("unique = false", "", False),
        ('sort = "count"', "", False),  # of another command
    ],
)
def test_what_a_file_sets_is_told(table: str, told: str, quietly: bool) -> None:
    Path("urisieve.toml").write_text(table)
    line = f"urisieve: urisieve.toml sets {told} (--no-config: without it)"
    said = call("extract", "text").err.splitlines()
    assert said[1:] == ([line] if told else [])
    quiet = call("extract", "--quiet", "text").err.splitlines()
    if quietly:
        (said_quietly,) = quiet
        assert said_quietly.startswith("urisieve: urisieve.toml sets ")
        assert said_quietly.endswith(f"{told.rpartition('; ')[2]} (--no-config: without it)")
    else:
        assert quiet == []
    assert "urisieve.toml" not in call("extract", "--no-config", "text").err


@pytest.mark.parametrize("words", ["check http://a.example/", "dedupe text", "stats text", "normalize x"])
def test_each_command_tells_it(words: str) -> None:
    Path("pyproject.toml").write_text('[tool.urisieve]\nmerge = ["strip-www"]')
    done = call(*words.split())
    assert done.err.splitlines()[-1].startswith("urisieve: pyproject.toml sets merge=strip-www, which may leave out")


def test_what_is_told_is_short_and_harmless() -> None:
    Path("urisieve.toml").write_text(f'include = ["\\u001b[31m{"x" * 1_000}"]')
    (line,) = [line for line in call("extract", ".").err.splitlines() if " sets " in line]
    assert "\x1b" not in line
    assert len(line) < 200


def test_what_was_not_run_took_nothing() -> None:
    Path("urisieve.toml").write_text('schemes = ["ftp"]\nlevel = "highest"')
    assert call("extract", "text").err.count("\n") == 1
    Path("urisieve.toml").write_text('schemes = ["ftp"]')
    assert "sets" not in call("extract", "--no-such-option", "text").err
    assert "sets" not in call("extract", "--help").err


def test_a_variable_is_told_by_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("urisieve.toml").write_text('schemes = ["ftp"]')
    monkeypatch.setenv("URISIEVE_SCHEMES", "urn")
    assert call("extract", "text").err.count("\n") == 1


def test_a_file_does_not_silence() -> None:
    Path("urisieve.toml").write_text("quiet = true")
    done = call("extract", "text")
    assert (done.status, done.out) == (2, b"")
    assert "a file may not set quiet: give --quiet on the command line, or URISIEVE_QUIET" in done.err


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no numbers of users here")
@pytest.mark.parametrize("table", ['schemes = ["ftp"]', "quiet = true", "is not [ valid", "no-such-option = 1"])
def test_files_of_other_users_decide_nothing(table: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("urisieve.toml").write_text(table)
    Path("../pyproject.toml").write_text("[tool.other]\n")  # says nothing to this program
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    done = call("extract", "text")
    assert (done.status, done.lines) == (0, ALL)
    assert done.err.splitlines()[1:] == [
        f"urisieve: {folder / 'urisieve.toml'}: not taken, since it belongs to another user"
    ]
    assert call("extract", "--quiet", "text") == (0, done.out, "")
    assert call("extract", "--no-config", "text").err.count("\n") == 1


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no numbers of users here")
def test_the_own_file_above_that_of_another_user_counts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "urisieve.toml").write_text('schemes = ["ftp"]')
    (folder.parent / "urisieve.toml").write_text("unique = true")
    lstat = os.lstat

    def changed(path: Any, *more: Any, **named: Any) -> Any:
        found = lstat(path, *more, **named)
        if os.fspath(path) != str(folder / "urisieve.toml"):
            return found
        return os.stat_result([found.st_uid + 1 if place == 4 else value for place, value in enumerate(found)])

    monkeypatch.setattr(os, "lstat", changed)  # as of a link that somebody else has laid
    done = call("extract", "text")
    assert done.lines == UNIQUE
    assert "not taken" in done.err
    assert "sets unique" in done.err


def test_each_option_that_only_shows_is_one() -> None:
    assert set(options()) >= _SHOWN
    assert not _SHOWN & {"schemes", "host", "unique", "include", "max-length", "merge", "level", "quiet", "encoding"}
