"""`urisieve explain`: identifiers, their parts, and the rules that lead to their canonical form."""

from __future__ import annotations

from collections.abc import Sequence

from urisieve.cli.settings.text_arguments import TableFormat, parse_explain
from urisieve.cli.terminal.screen import is_colored
from urisieve.cli.texts import answer_texts, no_proof
from urisieve.drawing import Palette, explanation_lines
from urisieve.explanation import Remedy, explain
from urisieve.lean import Final
from urisieve.sinks.formats import json_line

__all__ = ["run"]

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


def run(argv: Sequence[str]) -> int:
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
