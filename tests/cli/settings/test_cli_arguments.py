"""Plain command lines are parsed without `argparse`: as it would parse them, and never where it would refuse them."""

from __future__ import annotations

import functools
import random
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from urisieve.cli.program import accepted
from urisieve.cli.reports import Misuse
from urisieve.cli.settings.flags import Parser
from urisieve.cli.settings.full_parser import FullParser

# All commands whose arguments are one list: others are left to `argparse`.
PARSERS = {
    parser.prog.removeprefix("urisieve "): parser
    for some in accepted().values()
    for parser in some
    if isinstance(parser, Parser)
    and [argument.settings.get("nargs") for argument in parser.all_arguments if not argument.is_option] == ["*"]
}
# They end the program.
GENERAL = ("-h", "--help", "--help-all", "-V", "--version")
VALUES = (
    *("x", "3", "0", "-", "--", "", "-1", "a b", "-a b", "a=b", "text", "jsonl", "csv", "auto", "all", "uri", "raw"),
    *("http,urn", ",", "scheme", "rfc8141", "drop-fragment,strip-www", "first", "500MB", "any", "bad-port", "html"),
)


def options_of(parser: Parser) -> list[str]:
    arguments = tuple(parser.all_arguments)
    return [name for argument in arguments if argument.is_option for name in argument.names]


@functools.cache
def full_parser_of(parser: Parser) -> FullParser:
    return parser.full()


def by_argparse(parser: Parser, words: Sequence[str]) -> dict[str, Any] | None:
    try:
        return vars(full_parser_of(parser).parse_args(words))
    except SystemExit:
        return None


def test_the_commands() -> None:
    assert {"extract", "dedupe", "normalize", "check", "explain", "schemes", "namespaces"} <= set(PARSERS)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("command", PARSERS)
def test_both_ways_agree(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    parser = PARSERS[command]
    options = [option for option in options_of(parser) if option not in GENERAL]
    short = [option[1] for option in options if len(option) == 2]
    random_ = random.Random(command)
    quick = refused = 0
    for number in range(600):
        words = []
        for _ in range(random_.randrange(4)):
            option = random_.choice(options)
            match random_.randrange(7):
                case 0:
                    words.append(random_.choice(VALUES))
                case 1:
                    words.append(f"{option}={random_.choice(VALUES)}")
                case 2:
                    words.append(option[: random_.randint(2, len(option))] + random_.choice(("", "x")))
                case 3 if short:
                    words.append("-" + "".join(random_.choices(short, k=2)) + random_.choice(("", *VALUES)))
                case _:
                    words += [option, *random_.choices(VALUES, k=number % 3)]
        found = parser.quickly_parsed(words)
        expected = by_argparse(parser, words)
        if found is None:
            refused += 1
        else:
            quick += 1
            assert found == expected, words
            assert {name: type(value) for name, value in found.items()} == {
                name: type(value) for name, value in (expected or {}).items()
            }, words
    capsys.readouterr()
    assert quick > 100
    assert refused > 50


# A value that each option accepts which does not accept a number.
ACCEPTED = {
    "jobs": "2",
    "max-length": "99",
    "fail-on": "any",
    "memory-limit": "1GB",
    "fields": "uri,host",
    "read": "hidden",
    "safe": "no-query",
    "template": "{uri}",
    "only": "warning=any",
    "since": "2024",
    "until": "2024",
    "accept": "unencoded",
}


@pytest.mark.parametrize("command", PARSERS)
def test_each_option_with_its_value_is_plain(command: str) -> None:
    parser = PARSERS[command]
    for argument in parser.all_arguments:
        value = ACCEPTED.get(argument.long, "1")
        if "choices" in argument.settings:
            value = str(next(iter(argument.settings["choices"])))
        for name in argument.names if argument.is_option else ():
            if name in GENERAL:
                assert parser.quickly_parsed([name]) is None
                continue
            words = [name] if argument.is_flag else [name, value]
            assert parser.quickly_parsed(words) is not None, words
            assert parser.quickly_parsed(words) == by_argparse(parser, words)


@pytest.mark.parametrize(
    ("command", "words", "same"),
    [
        ("extract", "-qu a", "--quiet --unique a"),
        ("extract", "-j4 a", "--jobs 4 a"),
        ("extract", "-fjsonl -o x a", "--format jsonl --output x a"),
        ("extract", "-quj2 a", "--quiet --unique --jobs 2 a"),
        ("extract", "-quf csv a", "--quiet --unique --format csv a"),
        ("extract", "-o- a", "--output - a"),
        ("extract", "-j=2 a", "--jobs 2 a"),
        ("dedupe", "-qfjsonl -ox a", "--quiet --format jsonl --output x a"),
        ("check", "-fjsonl a", "--format jsonl a"),
        ("normalize", "-q a", "--quiet a"),
        ("explain", "-fjsonl a", "--format jsonl a"),
        ("schemes", "-fcsv", "--format csv"),
    ],
)
def test_short_options(command: str, words: str, same: str) -> None:
    parser = PARSERS[command]
    expected = parser.parse_args(same.split())
    assert parser.parse_args(words.split()) == expected
    fully = {**parser.built_in(), **(by_argparse(parser, words.split()) or {}), "defaults": frozenset()}
    assert SimpleNamespace(**fully) == expected


@pytest.mark.parametrize("words", ["-x", "-qx", "-uj", "-j0", "-fxml", "-qhello"])
def test_short_options_that_are_not_accepted(words: str) -> None:
    assert PARSERS["extract"].quickly_parsed([words]) is None


@pytest.mark.parametrize(
    ("schemes", "message"),
    [
        ("default,any", "`default` is a rule: beside it stand only names behind a `+` or a `!`"),
        ("http,any", "`any` is a rule"),
        ("http,!", "no scheme is named"),
        (",", "no scheme is named"),
    ],
)
def test_schemes_that_are_asked_for_wrongly(schemes: str, message: str) -> None:
    with pytest.raises(Misuse) as caught:
        PARSERS["extract"].parse_args(["--schemes", schemes, "a"])
    assert message in caught.value.message
