"""The help: what is used most fits a screen, everything is in the long one, at each width."""

from __future__ import annotations

import os

import pytest

from tests.helpers.cli_support import call
from urisieve.cli.help_page import label, rows_of, shown_width, wrapped
from urisieve.cli.program import COMMANDS, accepted
from urisieve.cli.settings.arguments import CommandArguments

# A screen has 24 lines, and one of them is for the prompt.
SCREEN = 24
EVERY = [(some[0].prog.split()[1], command) for some in accepted().values() for command in some]
IDS = [command.prog for _, command in EVERY]


def shown(command: CommandArguments, flag: str, columns: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(columns))
    status, out, err = call(*command.prog.split()[1:], flag)
    assert (status, err) == (0, "")
    return out.decode("ascii").splitlines()


@pytest.mark.parametrize(("_name", "command"), EVERY, ids=IDS)
def test_the_short_help_fits_a_screen(_name: str, command: CommandArguments, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(command, "--help", 80, monkeypatch)
    assert len(lines) <= SCREEN
    assert max(map(len, lines)) <= 80
    assert lines == shown(command, "-h", 80, monkeypatch)
    for argument in command.all_arguments:
        assert any(line.startswith(f"  {label(argument)}") for line in lines) == bool(
            argument.common or argument.long == "help-all"
        )
    if command.examples:
        assert "examples:" in lines


@pytest.mark.parametrize(("_name", "command"), EVERY, ids=IDS)
@pytest.mark.parametrize("columns", [40, 80, 200])
@pytest.mark.parametrize("flag", ["--help", "--help-all"])
def test_lines_fit_the_width(
    _name: str, command: CommandArguments, columns: int, flag: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = shown(command, flag, columns, monkeypatch)
    typed = {f"  {line}" for line, _ in command.examples}  # what is to be typed is not cut
    long = [line for line in lines if len(line) > columns and line not in typed]
    assert all(" " not in line.strip() for line in long), long


@pytest.mark.parametrize(("columns", "width"), [(1, 30), (30, 30), (31, 31), (100, 100), (101, 100), (500, 100)])
def test_lines_of_help_are_neither_too_long_nor_too_short(columns: int, width: int) -> None:
    assert shown_width(columns) == width


def test_what_is_to_be_typed_is_not_broken() -> None:
    assert wrapped("with --memory-limit and urisieve.schemes", 12) == [
        "with",
        "--memory-limit",
        "and",
        "urisieve.schemes",
    ]


@pytest.mark.parametrize(("width", "longest"), [(80, 20), (48, 20), (40, 16), (30, 11)])
def test_explanations_stand_beside_all_labels_but_long_ones(width: int, longest: int) -> None:
    rows = [("x" * longest, "a b"), ("y" * (longest + 1), "c"), ("z", "d")]
    assert list(rows_of(rows, width)) == [
        f"  {'x' * longest}  a b",
        f"  {'y' * (longest + 1)}",
        f"{' ' * (longest + 4)}c",
        f"  z{' ' * (longest + 1)}d",
    ]


@pytest.mark.parametrize(("_name", "command"), EVERY, ids=IDS)
def test_the_long_help_holds_everything(_name: str, command: CommandArguments, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(command, "--help-all", 80, monkeypatch)
    for argument in command.all_arguments:
        assert any(line.startswith(f"  {label(argument)}") for line in lines), label(argument)
    text = " ".join(" ".join(lines).split())
    for group in command.groups:
        for about in group.about if group.arguments else ():
            assert about in text
    for line, _ in command.examples:
        assert f"  {line}" in lines


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_the_help_of_the_program(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for flag in ("-h", "--help", "--help-all"):
        lines = call(flag).lines
        assert max(map(len, lines)) <= columns
        assert columns < 80 or flag == "--help-all" or len(lines) <= SCREEN
        for command in COMMANDS:
            assert any(line.startswith(f"  {command} ") for line in lines)
        assert "`urisieve COMMAND --help` explains a command;" in " ".join(map(str.strip, lines))
    groups = [line for line in call("--help").lines if line.endswith(":")]
    assert len(groups) > 2


@pytest.mark.parametrize("command", COMMANDS)
def test_the_version_behind_a_command(command: str) -> None:
    assert call(command, "-V") == call(command, "--version") == call("-V") == call("--version")
    assert call("-V").out.startswith(b"urisieve ")


@pytest.mark.parametrize(
    ("argv", "typed"),
    [
        (["a b.txt"], "urisieve extract 'a b.txt'"),
        (["c.txt", "d.txt"], "urisieve extract c.txt d.txt"),
        (["c.txt", "-q"], "urisieve extract c.txt -q"),
        (["-"], "urisieve extract -"),
        (["-q", "c.txt"], "urisieve extract -q c.txt"),
        (["--unique", "c.txt", "-"], "urisieve extract --unique c.txt -"),
        (["-fjsonl", "c.txt"], "urisieve extract -fjsonl c.txt"),
        (["-q", "check", "http:"], "urisieve check -q http:"),
        (["c.txt"] * 9, "urisieve extract c.txt c.txt c.txt c.txt ..."),
        (["http://a.example/"], "urisieve explain http://a.example/"),
        (["c\x1b[31m"], "urisieve extract 'c\ufffd[31m'"),
    ],
)
def test_words_without_a_command(
    argv: list[str], typed: str, tmp_path: os.PathLike[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a b.txt", "c.txt", "d.txt", "c\x1b[31m"):
        with open(name, "x"):
            pass
    done = call(*argv)
    assert (done.status, done.out) == (2, b"")
    (line,) = done.err.splitlines()
    assert f"type `{typed}`" in line
    assert line.endswith(" (urisieve --help)")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--uniqe", "x"], "there is no option --uniqe; did you mean --unique?"),
        (["nowhere.txt"], "'nowhere.txt' is neither a command nor a file"),
        (["a\0b"], "is not a command"),
        (["extract", "-qx"], "extract: "),
        (["extract", "-j"], "-j/--jobs: expected one argument"),
    ],
)
def test_words_that_nothing_can_be_made_of(argv: list[str], message: str) -> None:
    done = call(*argv)
    assert (done.status, done.out, done.err.count("\n")) == (2, b"", 1)
    assert message in done.err
