"""`urisieve explain`: what identifiers are, their parts, and the rules on the way to their canonical form."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import Final

from urisieve.cli.arguments import Format
from urisieve.cli.drawing import Palette, drawn, printable, shortened
from urisieve.cli.rows import json_line
from urisieve.cli.rule_arguments import Color, ExplainSettings, parse_explain
from urisieve.cli.texts import answer_texts, no_proof
from urisieve.explanation import Explanation, Remedy, explain, masked
from urisieve.records.record import Record

__all__ = ["run"]

_INDENT: Final = "  "
# What a reader can do who meant an identifier.
_REMEDIES: Final = {
    Remedy.REPAIR: "with `--repair` it is valid",
    Remedy.RFC8141: "with `--urn rfc8141` it is valid",
    Remedy.ZONES: "with `--zones` it is valid",
    Remedy.REFANG: "defanged; `urisieve extract --refang` finds",
    Remedy.SCHEMELESS: "without a scheme; `urisieve extract --schemeless` finds",
    Remedy.EMAIL: "a mail address; `urisieve extract --email` finds",
    Remedy.EXTRACT: "it is not all of the text; `urisieve extract` finds",
}


def run(argv: Sequence[str]) -> int:
    """Run `urisieve explain` and give its exit status.

    Raises:
        OutputError: the output cannot be written.
    """
    settings = parse_explain(argv)
    palette = Palette(_is_colored(settings))
    seen = False

    def answer(_number: int, text: str) -> tuple[bool, str | None]:
        nonlocal seen
        explanation = explain(text, options=settings.options)
        shown = explanation if settings.show_passwords else masked(explanation)
        valid = explanation.record is not None
        if settings.format is Format.JSON:
            return valid, json_line(shown.as_dict())
        lines = list(_lines(shown, palette))
        if seen:
            lines.insert(0, "")  # an empty line between two texts
        seen = True
        return valid, "\n".join(lines)

    return answer_texts(settings, answer, "backslashreplace", no_proof)


def _is_colored(settings: ExplainSettings) -> bool:
    if settings.color is not Color.AUTO:
        return settings.color is Color.ALWAYS
    return not os.environ.get("NO_COLOR") and sys.stdout is not None and sys.stdout.isatty()


def _lines(explanation: Explanation, palette: Palette) -> Iterator[str]:
    found = explanation.found
    if not isinstance(found, Record):
        yield from found.explain().splitlines()
        if explanation.remedy is not None and explanation.remedied is not None:
            yield palette.paint("heading", _REMEDIES[explanation.remedy])
            yield from _indented(explanation.remedied, palette)
        return
    if explanation.components:
        yield from drawn(explanation.text, explanation.components, palette)
    yield from _facts(explanation, found, palette)
    if explanation.inner is not None:
        yield palette.paint("heading", "inside")
        yield from _indented(explanation.inner, palette)


def _indented(explanation: Explanation, palette: Palette) -> Iterator[str]:
    return (f"{_INDENT}{line}".rstrip() for line in _lines(explanation, palette))


def _facts(explanation: Explanation, record: Record, palette: Palette) -> Iterator[str]:
    yield palette.paint("heading", str(explanation.kind))
    for name, title, reference in explanation.subjects:
        yield f"{_INDENT}{name}: {title} ({reference})" if reference else f"{_INDENT}{name}: {title}"
    if explanation.parts:
        yield palette.paint("heading", "parts")
        width = max(map(len, explanation.parts))
        for name, text in explanation.parts.items():
            yield f"{_INDENT}{name:<{width}}  {shortened(text)}".rstrip()
    yield palette.paint("heading", "canonical form")
    if not explanation.steps:
        yield f"{_INDENT}as it stands: {shortened(record.uri)}"
    else:
        yield f"{_INDENT}{shortened(explanation.steps[0].before)}"
    for step in explanation.steps:
        yield f"{_INDENT * 2}{palette.paint('rule', step.rule)}: {step.meaning} ({step.section})"
        yield f"{_INDENT}{shortened(step.after)}"
    if explanation.key_step is not None:
        yield palette.paint("heading", "key")
        step = explanation.key_step
        yield f"{_INDENT * 2}{palette.paint('rule', step.rule)}: {step.meaning} ({step.section})"
        yield f"{_INDENT}{shortened(step.after)}"
    if explanation.warnings:
        yield palette.paint("heading", "warnings")
    for warn, section, meaning, detail in explanation.warnings:
        more = f" `{printable(detail)}`" if detail else ""
        yield f"{_INDENT}{palette.paint('bad', warn)}{more}: {meaning} ({section})"
