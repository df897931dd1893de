"""`urisieve normalize` and `urisieve check`: one identifier an argument, or a line of standard input."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from urisieve.cli.arguments import CheckSettings, Form, Format, Invalid, NormalizeSettings, parse_check, parse_normalize
from urisieve.cli.jsonlines import json_line
from urisieve.cli.outputs import STANDARD_OUTPUT, open_output
from urisieve.cli.passwords import password_token
from urisieve.cli.talk import say
from urisieve.errors import InputError
from urisieve.identifiers import check
from urisieve.record import Record, Rejection
from urisieve.sources import STANDARD_INPUT, STRAY, read_blocks, text_lines

__all__ = ["run_check", "run_normalize"]

_VALID = 0
_INVALID = 1
_FAILED = 2

# Gives the line that stands for a text, or None, from its name in messages, itself and its judgement.
_Answer = Callable[[str, str, Record | Rejection], str | None]


def run_normalize(argv: Sequence[str]) -> int:
    """Run `urisieve normalize` and give its exit status.

    Raises:
        OutputError: the output cannot be written.
    """
    settings = parse_normalize(argv)
    mask = _mask(settings)

    def answer(name: str, text: str, judged: Record | Rejection) -> str | None:
        if isinstance(judged, Record):
            record = mask(judged)
            if settings.form is Form.IRI:
                return record.iri
            return record.key if settings.form is Form.KEY else record.uri
        if settings.invalid is Invalid.KEEP:
            shown = judged if settings.show_passwords else judged.masked()
            return text if shown is judged else shown.raw
        if settings.invalid is Invalid.BLANK:
            return ""
        if not settings.quiet:
            say(f"{name}: {judged.explain().splitlines()[-1]}")
        return None

    return _run(settings, answer, STRAY)


def run_check(argv: Sequence[str]) -> int:
    """Run `urisieve check` and give its exit status.

    Raises:
        OutputError: the output cannot be written.
    """
    settings = parse_check(argv)
    mask = _mask(settings)

    def answer(_name: str, _text: str, judged: Record | Rejection) -> str | None:
        if settings.format is Format.JSONL:
            if isinstance(judged, Record):
                return json_line(mask(judged).as_dict())
            return json_line((judged if settings.show_passwords else judged.masked()).as_dict())
        if isinstance(judged, Rejection):
            return judged.explain()
        warnings = f"  [{', '.join(judged.warnings)}]" if judged.warnings else ""
        return f"valid  {mask(judged).uri}{warnings}"

    return _run(settings, answer, "backslashreplace")


def _mask(settings: NormalizeSettings | CheckSettings) -> Callable[[Record], Record]:
    if settings.show_passwords:
        return lambda record: record
    token = password_token()
    return lambda record: record.masked(token)


def _run(settings: NormalizeSettings | CheckSettings, answer: _Answer, errors: str) -> int:
    """Answer for every text; `errors` says how bytes that did not decode are written."""
    status = _VALID
    with open_output(STANDARD_OUTPUT) as output:
        try:
            for batch in _batches(settings):
                lines = []
                for name, text in batch:
                    judged = check(text, options=settings.options)
                    if isinstance(judged, Rejection):
                        status = _INVALID
                    line = answer(name, text, judged)
                    if line is not None:
                        lines.append(line)
                if lines:
                    output.write("\n".join([*lines, ""]).encode("utf-8", errors))
        except InputError as error:
            say(f"{STANDARD_INPUT}: {error}")
            return _FAILED
    return status


def _batches(settings: NormalizeSettings | CheckSettings) -> Iterator[list[tuple[str, str]]]:
    """The texts with what they are called; from standard input as many at a time as have come."""
    if settings.texts and settings.texts != (STANDARD_INPUT,):
        yield [(f"argument {number}", text.strip()) for number, text in enumerate(settings.texts, 1)]
        return
    number = 0
    for lines in text_lines(read_blocks(STANDARD_INPUT), settings.encoding):
        yield [(f"line {at}", line) for at, line in enumerate(lines, number + 1) if line]
        number += len(lines)
