"""From the text of one candidate to its canonical form or its fault: repair, validate, normalize, key."""

from __future__ import annotations

from typing import NamedTuple
from unicodedata import normalize

from urisieve.canonical import canonical_form
from urisieve.codes import Warn
from urisieve.components import Components, recompose
from urisieve.faults import Fault
from urisieve.normalizer import apply_lossy, normalize_parts
from urisieve.options import Charset, Level, Options, Repair
from urisieve.repair import place_before_repair, repaired
from urisieve.urn import canonical_urn, parse_urn, urn_fault, urn_warnings
from urisieve.validator import Valid, validate

__all__ = ["Judged", "judge"]


class Judged(NamedTuple):
    """A valid candidate: canonical URI, key, components of the URI (None where nothing needed them), warnings."""

    uri: str
    key: str
    parts: Components | None
    warnings: tuple[Warn, ...]


def judge(text: str, options: Options, *, shortcut: bool = False) -> Judged | Fault:
    """Judge the text of a candidate, without wrapper and white space.

    Args:
        text: the candidate.
        options: how to judge and how far to normalize.
        shortcut: take a proof that it is canonical as it stands for an answer (`canonical.proves_canonical` says under
            which options that is one).

    Returns:
        the canonical form by the ladder of `options`, or the first fault in the order of the text.
    """
    if shortcut:
        form = canonical_form(text)
        if form is not None:
            return tuple.__new__(Judged, (form, form, None, ()))
    if options.charset == Charset.LEGACY and not text.isascii():
        text = normalize("NFC", text)
    if options.repair == Repair.ENCODE:
        whole = repaired(text)
        if whole != text:
            judged = judge(whole, options)
            if isinstance(judged, Judged):
                return judged._replace(warnings=(Warn.REPAIRED, *judged.warnings))
            return judged._replace(offset=place_before_repair(text, judged.offset))
    warnings: list[Warn] = []
    if text[:4].lower() == "urn:":
        match = parse_urn(text, options.urn_syntax)
        if match is None:
            return urn_fault(text, options.urn_syntax)
        parts, key = canonical_urn(match, options.level, options.urn_syntax)
        warnings += urn_warnings(match["nid"], match["nss"], options.urn_syntax)
        return Judged(recompose(parts), key, parts, tuple(warnings))
    found = validate(text, options)
    if not isinstance(found, Valid):
        return found
    warnings += found.warnings
    parts = found.parts
    if options.level != Level.NONE:
        parts = normalize_parts(parts, options.level)
    if options.lossy:
        parts = apply_lossy(parts, tuple(options.lossy))  # type: ignore[arg-type] # Options has made them Lossy
    uri = recompose(parts)
    # RFC 3986 6.2.1 and RFC 3987 5.3.1: simple comparison compares the text as it is.
    key = text if options.level == Level.NONE and not options.lossy else uri
    return tuple.__new__(Judged, (uri, key, parts, tuple(warnings)))
