"""`urisieve normalize` and `urisieve check`: one identifier an argument, or a line of standard input.

`answer_texts` reads them, for `urisieve explain` too.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from urisieve.cli.reports import DONE, FAILED, FATAL, NEGATIVE, say
from urisieve.cli.screen import Painter, identifier_painter, text_screen, verdict_painter
from urisieve.cli.settings import text_arguments
from urisieve.errors import InputError
from urisieve.finding_options import Options
from urisieve.identifiers import check, judge_whole
from urisieve.judge.judge import Judged
from urisieve.lean import TYPE_CHECKING, TypeAlias
from urisieve.records.mask import Mask
from urisieve.records.record import Record
from urisieve.records.rejection import Rejection
from urisieve.sinks.formats import Form, json_line
from urisieve.sinks.outputs import STANDARD_OUTPUT, check_uses, gathering, open_output
from urisieve.sinks.record_formats import of_kind
from urisieve.sources.bytes.encodings import STRAY
from urisieve.sources.bytes.lines import text_lines
from urisieve.sources.bytes.reading import STANDARD_INPUT, read_blocks
from urisieve.syntax.components import without_space_around

if TYPE_CHECKING:
    from urisieve.cli.columns import Proof


# Takes the number of a text in the input, and the text; returns whether it is valid, and its line of output, if any.
Answer = Callable[[int, str], tuple[bool, str | None]]
# The settings of a command whose texts are arguments, or lines of standard input.
_Settings: TypeAlias = text_arguments.NormalizeSettings | text_arguments.CheckSettings | text_arguments.ExplainSettings


def run_normalize(argv: Sequence[str]) -> int:
    """Run `urisieve normalize` and return its exit status.

    Raises:
        OutputError: the output cannot be written.
    """
    settings = text_arguments.parse_normalize(argv)
    if settings.column is not None:
        from urisieve.cli.columns import normalize_column

        return normalize_column(settings, settings.column)
    mask = settings.hiding.mask
    kind = "argument" if _are_arguments(settings) else "line"

    def answer(number: int, text: str) -> tuple[bool, str | None]:
        found = _form(text, settings.options, settings.form, mask)
        if isinstance(found, str):
            return True, mask.value("uri", found)
        if settings.invalid is text_arguments.Invalid.KEEP:
            return False, mask.candidate(without_space_around(mask.rejection(found).raw))
        if settings.invalid is text_arguments.Invalid.BLANK:
            return False, ""
        if not settings.quiet:
            say(f"{kind} {number}: {mask.rejection(found).explain().splitlines()[-1]}")
        return False, None

    proof: Proof | None = None
    if not _are_arguments(settings):
        from urisieve.cli.columns import normalized_lines

        proof = normalized_lines(settings, mask)
    # A line for a line, so that the output can be pasted next to the input.
    empty = None if settings.invalid is text_arguments.Invalid.DROP else ""
    return answer_texts(settings, answer, STRAY, proof, empty, paint=identifier_painter)


def run_check(argv: Sequence[str]) -> int:
    """Run `urisieve check` and return its exit status.

    Raises:
        OutputError: the output cannot be written.
    """
    settings = text_arguments.parse_check(argv)
    if settings.column is not None:
        from urisieve.cli.columns import check_column

        return check_column(settings, settings.column)
    mask = settings.hiding.mask
    is_for_programs = of_kind(settings.format).is_mixed
    reasons: Counter[str] = Counter()
    warnings: Counter[str] = Counter()

    def answer(_number: int, text: str) -> tuple[bool, str | None]:
        found = check(text, options=settings.options)
        if isinstance(found, Rejection):
            reasons[found.reason] += 1
            if is_for_programs:
                return False, json_line(mask.row(found, parts=settings.parts))
            return False, mask.explained(found)
        warnings.update(found.warnings)
        if is_for_programs:
            return True, json_line(mask.row(found, parts=settings.parts))
        uri = mask.value("uri", mask.record(found).uri)
        shown = f"  [{', '.join(found.warnings)}]" if found.warnings else ""
        return True, f"valid  {uri}{shown}"

    proof: Proof | None = None
    if not _are_arguments(settings):
        from urisieve.cli.columns import checked_lines

        proof = checked_lines(settings, mask, warnings)
    paint = None if is_for_programs else verdict_painter
    status = answer_texts(settings, answer, "backslashreplace", proof, paint=paint)
    if status == FAILED or not settings.fail_on.is_asked:
        return status
    return FATAL if settings.fail_on.fatal(reasons, warnings) else DONE


def answer_texts(
    settings: _Settings,
    answer: Answer,
    errors: str,
    proof: Proof | None = None,
    empty: str | None = None,
    paint: Painter | None = None,
) -> int:
    """Answer for every text; return the exit status.

    Args:
        settings: where the texts come from.
        answer: judges one of them.
        errors: how bytes that did not decode are written.
        proof: answers for many texts at once, as far as they are proved to be valid.
        empty: the line of output for an empty line of the input; None for none.
        paint: returns a line of text in colours, where they are wanted; `urisieve explain` paints its own.

    Raises:
        UsageError: standard output is the file that standard input reads.
    """
    if not _are_arguments(settings):
        check_uses([("standard output", [STANDARD_OUTPUT])], [STANDARD_INPUT])
    status = DONE
    number = 0
    file: str | None = None
    with gathering(open_output(STANDARD_OUTPUT)) as opened:
        output = (
            opened
            if isinstance(settings, text_arguments.ExplainSettings)
            else text_screen(opened, settings.color, paint, is_report=paint is verdict_painter)
        )
        try:
            for texts in _batches(settings):
                lines: list[bytes | str | None] = [None] * len(texts) if proof is None else [*proof(texts)]
                if None in lines:
                    for index, line in enumerate(lines):
                        if line is None and not _are_arguments(settings) and not without_space_around(texts[index]):
                            lines[index] = empty
                        elif line is None:
                            valid, lines[index] = answer(number + index + 1, texts[index])
                            if not valid:
                                status = NEGATIVE
                                if file is None and _are_arguments(settings) and os.path.exists(texts[index]):
                                    file = texts[index]
                number += len(texts)
                written = [
                    f"{line}\n".encode("utf-8", errors) if isinstance(line, str) else line
                    for line in lines
                    if line is not None
                ]
                if written:
                    output.write(b"".join(written))
        except InputError as error:
            say(f"{STANDARD_INPUT}: {error}")
            return FAILED
    if file is not None and not getattr(settings, "quiet", False):
        from shlex import quote

        say(f"{file!r} is a file: type `urisieve extract {quote(file)}` to find what is in it")
    return status


def _are_arguments(settings: _Settings) -> bool:
    return bool(settings.texts) and settings.texts != (STANDARD_INPUT,)


def _batches(settings: _Settings) -> Iterator[list[str]]:
    """Yield the texts; from standard input as many lines at a time as were read."""
    if _are_arguments(settings):
        yield list(settings.texts)
    else:
        yield from text_lines(read_blocks(STANDARD_INPUT), settings.encoding)


def _form(text: str, options: Options, form: Form, mask: Mask) -> str | Rejection:
    """Return a form of a text, or the rejection, with its password in clear, if it is not an identifier."""
    if form in (Form.URI, Form.KEY) and not mask.changes_all:
        judged = judge_whole(text, options)
        if isinstance(judged, Judged) and not mask.hides(judged.uri):
            return judged.key if form is Form.KEY else judged.uri
    found = check(text, options=options)
    if not isinstance(found, Record):
        return found
    made: str = getattr(mask.record(found), form)
    return made
