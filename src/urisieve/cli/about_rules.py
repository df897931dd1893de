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
from urisieve.cli.terminal.reports import DONE, NEGATIVE, say
from urisieve.cli.terminal.screen import is_colored
from urisieve.cli.texts import answer_texts
from urisieve.drawing import Palette, explanation_lines
from urisieve.explanation import Explanation, Remedy, explain
from urisieve.lean import Final, NamedTuple
from urisieve.sinks.formats import json_line
from urisieve.sinks.outputs import STANDARD_OUTPUT, open_output
from urisieve.wording import did_you_mean

_PAIR: Final = 2
# The most keys with which later texts are compared: each holds an explanation.
_MOST_FIRSTS: Final = 10_000
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
    others = _Others(is_pair=len(settings.texts) == _PAIR)

    def answer(number: int, text: str) -> tuple[bool, str | None]:
        nonlocal seen
        explanation = explain(text, options=settings.options)
        shown = settings.hiding.explanation(explanation)
        valid = explanation.record is not None
        if settings.format is TableFormat.JSON:
            compared = others.compared(number, explanation)
            return valid, json_line(shown.as_dict() | ({"compared": compared._asdict()} if compared else {}))
        lines = list(explanation_lines(shown, palette, _REMEDIES))
        if compared := others.compared(number, explanation):
            lines.append(palette.paint("heading", compared.sentence))
        if seen:
            lines.insert(0, "")  # an empty line between two texts
        seen = True
        return valid, "\n".join(lines)

    return answer_texts(settings, answer, "backslashreplace")


class _Compared(NamedTuple):
    """How a text compares with one before it.

    Attributes:
        number: the number of that text.
        same: whether both have the same key.
        rules: the rules by which they have.
        component: the first component in which their keys differ, if any.
    """

    number: int
    same: bool
    rules: tuple[str, ...] = ()
    component: str | None = None

    @property
    def sentence(self) -> str:
        if self.same:
            return f"same key as {self.number}: {', '.join(self.rules) or 'the same text'}"
        return f"another key than {self.number}{f': the {self.component} differs' if self.component else ''}"


class _Others:
    """The first text of each key, with which later ones are compared; two texts are compared whatever their keys."""

    def __init__(self, *, is_pair: bool) -> None:
        self._is_pair = is_pair
        self._firsts: dict[str, tuple[int, Explanation]] = {}

    def compared(self, number: int, explanation: Explanation) -> _Compared | None:
        record = explanation.record
        if record is None:
            return None
        first = self._firsts.get(record.key)
        if first is not None:
            return _Compared(first[0], True, explanation.merging_rules(first[1]))
        differs = None
        if self._is_pair and self._firsts:
            ((before, other),) = self._firsts.values()
            differs = _Compared(before, False, component=explanation.differing_component(other))
        if len(self._firsts) < _MOST_FIRSTS:
            self._firsts[record.key] = number, explanation
        return differs


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
    return DONE if found else NEGATIVE
