"""Plain command lines are parsed without `argparse`: as it would parse them, and never where it would refuse them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from urisieve.cli.settings import (
    dedupe_arguments,
    extract_arguments,
    report_arguments,
    rule_arguments,
    stats_arguments,
    text_arguments,
)
from urisieve.cli.settings.parser import Parser

COMMANDS: dict[str, Callable[[Sequence[str]], object]] = {
    "extract": extract_arguments.parse_extract,
    "dedupe": dedupe_arguments.parse_dedupe,
    "stats": stats_arguments.parse_stats,
    "report": report_arguments.parse_report,
    "normalize": text_arguments.parse_normalize,
    "check": text_arguments.parse_check,
    "explain": rule_arguments.parse_explain,
    "schemes": lambda argv: rule_arguments.parse_table("schemes", argv),
}
VALUES = (
    *("x", "3", "0", "-", "--", "", "-1", "a b", "-a b", "a=b", "text", "jsonl", "csv", "auto", "all", "uri", "raw"),
    *("http,urn", ",", "scheme", "rfc8141", "drop-fragment,strip-www", "first", "500MB", "any", "bad-port", "html"),
)


def parser_of(command: str, monkeypatch: pytest.MonkeyPatch) -> Parser:
    """The parser of a command, with all its arguments."""
    parsers: list[Parser] = []

    def taken(self: Parser, _words: Sequence[str]) -> Any:
        parsers.append(self)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Parser, "parse_args", taken)
        with pytest.raises(KeyboardInterrupt):
            COMMANDS[command]([])
    return parsers[0]


def options_of(parser: Parser) -> list[str]:
    return [name for action in parser.full()._actions for name in action.option_strings]


def by_argparse(parser: Parser, words: Sequence[str]) -> dict[str, Any] | None:
    try:
        return vars(parser.full().parse_args(words))
    except SystemExit:
        return None


@pytest.mark.parametrize("command", COMMANDS)
def test_both_ways_agree(command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    parser = parser_of(command, monkeypatch)
    options = [option for option in options_of(parser) if option not in ("-h", "--help")]
    random_ = random.Random(command)
    quick = refused = 0
    for number in range(1_200):
        words = []
        for _ in range(random_.randrange(4)):
            option = random_.choice(options)
            match random_.randrange(6):
                case 0:
                    words.append(random_.choice(VALUES))
                case 1:
                    words.append(f"{option}={random_.choice(VALUES)}")
                case 2:
                    words.append(option[: random_.randint(2, len(option))] + random_.choice(("", "x")))
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
    assert quick > 200
    assert refused > 100


@pytest.mark.parametrize("command", COMMANDS)
def test_each_option_with_its_value_is_plain(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parser = parser_of(command, monkeypatch)
    for action in parser.full()._actions:
        value = {"--jobs": "2", "--max-length": "99", "--fail-on": "any", "--memory-limit": "1GB"}.get(
            action.option_strings[-1] if action.option_strings else "", "1"
        )
        if action.choices:
            value = str(next(iter(action.choices)))
        for name in action.option_strings:
            if name in ("-h", "--help"):
                assert parser.quickly_parsed([name]) is None
                continue
            words = [name] if action.nargs == 0 else [name, value]
            assert parser.quickly_parsed(words) is not None, words
            assert parser.quickly_parsed(words) == by_argparse(parser, words)
