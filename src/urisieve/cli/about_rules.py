"""The commands about rules: `urisieve explain`, `urisieve schemes` and `urisieve namespaces`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from urisieve.cli.rule_listing import (
    RuleRow,
    csv_table,
    is_matched,
    namespace_rows,
    scheme_rows,
    text_table,
    title_words,
    without_examples,
)
from urisieve.cli.settings.text_arguments import TableFormat, TableSettings, parse_explain, parse_table
from urisieve.cli.terminal.reports import say
from urisieve.cli.terminal.screen import is_colored
from urisieve.cli.texts import answer_texts, no_proof
from urisieve.drawing import Palette, explanation_lines
from urisieve.explanation import Remedy, explain
from urisieve.lean import Final
from urisieve.sinks.files.outputs import STANDARD_OUTPUT, open_output
from urisieve.sinks.formats import json_line
from urisieve.wording import did_you_mean

_FOUND: Final = 0
_NOTHING: Final = 1
# How an identifier can be obtained from a text that is not valid.
_REMEDIES: Final = {
    Remedy.REPAIR: "with `--accept unencoded` it is valid",
    Remedy.RFC8141: "with `--urn rfc8141` it is valid",
    Remedy.ZONES: "with `--accept zones` it is valid",
    Remedy.REFANG: "defanged; `urisieve extract --accept defanged` finds",
    Remedy.SCHEMELESS: "without a scheme; `urisieve extract --accept names` finds",
    Remedy.EMAIL: "a mail address; `urisieve extract --accept addresses` finds",
    Remedy.EXTRACT: "it is not all of the text; `urisieve extract` finds",
}


def run_explain(argv: Sequence[str]) -> int:
    """Run `urisieve explain` and return its exit status.

    Raises:
        OutputError: the output cannot be written.
    """
    settings = parse_explain(argv)
    palette = Palette(is_colored(settings.color))
    seen = False

    def answer(_number: int, text: str) -> tuple[bool, str | None]:
        nonlocal seen
        explanation = explain(text, options=settings.options)
        shown = settings.hiding.explanation(explanation)
        valid = explanation.record is not None
        if settings.format is TableFormat.JSON:
            return valid, json_line(shown.as_dict())
        lines = list(explanation_lines(shown, palette, _REMEDIES))
        if seen:
            lines.insert(0, "")  # an empty line between two texts
        seen = True
        return valid, "\n".join(lines)

    return answer_texts(settings, answer, "backslashreplace", no_proof)


def run_schemes(argv: Sequence[str]) -> int:
    """Run `urisieve schemes` and return its exit status.

    Raises:
        OutputError: the output cannot be written.
    """
    return _run(parse_table("schemes", argv), scheme_rows(), "scheme")


def run_namespaces(argv: Sequence[str]) -> int:
    """Run `urisieve namespaces` and return its exit status.

    Raises:
        OutputError: the output cannot be written.
    """
    return _run(parse_table("namespaces", argv), namespace_rows(), "URN namespace")


def _run(settings: TableSettings, rows: Iterable[RuleRow], kind: str) -> int:
    every = list(rows)
    found = [row for row in every if is_matched(row, settings.patterns)]
    for pattern in settings.patterns:
        if not any(is_matched(row, (pattern,)) for row in found):
            words = [row["name"] for row in every] + [word for row in every for word in title_words(row)]
            say(f"no {kind} matches {pattern!r}{did_you_mean(pattern, words)}")
    if not settings.examples:
        found = list(map(without_examples, found))
    if settings.format is TableFormat.JSON:
        text = "".join(f"{json_line(row)}\n" for row in found)
    elif settings.format is TableFormat.CSV:
        text = csv_table(found)
    else:
        text = text_table(found)
    with open_output(STANDARD_OUTPUT) as output:
        output.write(text.encode("utf-8"))
    return _FOUND if found else _NOTHING
