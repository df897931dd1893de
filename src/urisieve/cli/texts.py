"""`urisieve normalize` and `urisieve check`: one identifier an argument, or a line of standard input.

`answer_texts` reads them, for `urisieve explain` too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from urisieve.cli.arguments import (
    CheckSettings,
    Form,
    Format,
    Invalid,
    NormalizeSettings,
    parse_check,
    parse_normalize,
)
from urisieve.cli.fail_on import FATAL
from urisieve.cli.outputs import STANDARD_OUTPUT, open_output
from urisieve.cli.rows import json_line
from urisieve.cli.rule_arguments import ExplainSettings
from urisieve.cli.secret import new_secret
from urisieve.cli.talk import say
from urisieve.cli.uses import check_uses
from urisieve.codes import Warn
from urisieve.errors import InputError
from urisieve.identifiers import check
from urisieve.judge.judge import Judged, judge
from urisieve.judge.proof import canonical_form, proves_canonical
from urisieve.records.masking import password_token
from urisieve.records.record import Record
from urisieve.records.rejection import Rejection
from urisieve.sources.bytes.encodings import STRAY
from urisieve.sources.bytes.reading import STANDARD_INPUT, read_blocks, text_lines

__all__ = ["Answer", "answer_texts", "no_proof", "run_check", "run_normalize"]

_VALID = 0
_INVALID = 1
_FAILED = 2

# Gives for a text, and its number in the input, whether it is valid and the line that stands for it, if any.
Answer = Callable[[int, str], tuple[bool, str | None]]
# Gives the line that stands for a text that is proved to be canonical as it stands; None for any other.
Proof = Callable[[str], str | None]


def run_normalize(argv: Sequence[str]) -> int:
    """Run `urisieve normalize` and give its exit status.

    Raises:
        OutputError: the output cannot be written.
    """
    settings = parse_normalize(argv)
    options = settings.options
    shortcut = proves_canonical(options)
    mask = _mask(settings)
    kind = "argument" if _are_arguments(settings) else "line"

    def answer(number: int, text: str) -> tuple[bool, str | None]:
        if settings.form is not Form.IRI:
            judged = judge(text, options, shortcut=shortcut)
            if isinstance(judged, Judged) and Warn.PASSWORD_PRESENT not in judged.warnings:
                return True, judged.key if settings.form is Form.KEY else judged.uri
        found = check(text, options=options)
        if isinstance(found, Record):
            record = mask(found)
            if settings.form is Form.IRI:
                return True, record.iri
            return True, record.key if settings.form is Form.KEY else record.uri
        if settings.invalid is Invalid.KEEP:
            shown = found if settings.show_passwords else found.masked()
            return False, text if shown is found else shown.raw
        if settings.invalid is Invalid.BLANK:
            return False, ""
        if not settings.quiet:
            say(f"{kind} {number}: {found.explain().splitlines()[-1]}")
        return False, None

    # A line for a line, so that the output can be pasted beside the input.
    empty = None if settings.invalid is Invalid.DROP else ""
    return answer_texts(settings, answer, STRAY, _proof(settings), empty)


def _proof(settings: NormalizeSettings) -> Proof:
    if not proves_canonical(settings.options):
        return no_proof
    if settings.form is Form.IRI:  # without triplets and A-labels it is the URI
        return lambda text: None if "%" in text or "xn--" in text else canonical_form(text)
    return canonical_form


def no_proof(_text: str) -> None:
    """Proves nothing: each text is answered for."""


def run_check(argv: Sequence[str]) -> int:
    """Run `urisieve check` and give its exit status.

    Raises:
        OutputError: the output cannot be written.
    """
    settings = parse_check(argv)
    mask = _mask(settings)
    reasons: Counter[str] = Counter()
    warnings: Counter[str] = Counter()

    def answer(_number: int, text: str) -> tuple[bool, str | None]:
        found = check(text, options=settings.options)
        if isinstance(found, Rejection):
            reasons[found.reason] += 1
        else:
            warnings.update(found.warnings)
        if isinstance(found, Rejection):
            if settings.format is Format.JSONL:
                return False, json_line((found if settings.show_passwords else found.masked()).as_dict())
            return False, found.explain()
        if settings.format is Format.JSONL:
            return True, json_line(mask(found).as_dict())
        shown = f"  [{', '.join(found.warnings)}]" if found.warnings else ""
        return True, f"valid  {mask(found).uri}{shown}"

    status = answer_texts(settings, answer, "backslashreplace", no_proof)
    if status == _FAILED or not settings.fail_on.is_asked:
        return status
    return FATAL if settings.fail_on.fatal(reasons, warnings) else _VALID


def _mask(settings: NormalizeSettings | CheckSettings) -> Callable[[Record], Record]:
    if settings.show_passwords:
        return lambda record: record
    token = password_token(new_secret())
    return lambda record: record.masked(token)


def answer_texts(
    settings: NormalizeSettings | CheckSettings | ExplainSettings,
    answer: Answer,
    errors: str,
    proof: Proof,
    empty: str | None = None,
) -> int:
    """Answer for every text; gives the exit status.

    Args:
        settings: where the texts come from.
        answer: judges one of them.
        errors: how bytes that did not decode are written.
        proof: answers for texts that are canonical as they stand.
        empty: the line that stands for an empty line of the input; None for no line.

    Raises:
        UsageError: standard output is the file that standard input reads.
    """
    if not _are_arguments(settings):
        check_uses([("standard output", [STANDARD_OUTPUT])], [STANDARD_INPUT])
    status = _VALID
    number = 0
    with open_output(STANDARD_OUTPUT) as output:
        try:
            for texts in _batches(settings):
                lines = list(map(proof, texts))
                if None in lines:
                    for place, line in enumerate(lines):
                        if line is None and not texts[place] and not _are_arguments(settings):
                            lines[place] = empty
                        elif line is None:
                            valid, lines[place] = answer(number + place + 1, texts[place])
                            if not valid:
                                status = _INVALID
                number += len(texts)
                written = [line for line in lines if line is not None]
                if written:
                    output.write("\n".join([*written, ""]).encode("utf-8", errors))
        except InputError as error:
            say(f"{STANDARD_INPUT}: {error}")
            return _FAILED
    return status


def _are_arguments(settings: NormalizeSettings | CheckSettings | ExplainSettings) -> bool:
    return bool(settings.texts) and settings.texts != (STANDARD_INPUT,)


def _batches(settings: NormalizeSettings | CheckSettings | ExplainSettings) -> Iterator[list[str]]:
    """The texts; from standard input as many lines at a time as have come."""
    if _are_arguments(settings):
        yield [text.strip() for text in settings.texts]
    else:
        yield from text_lines(read_blocks(STANDARD_INPUT), settings.encoding)
