"""Single identifiers: check, parse, normalize, convert, compare. Here the whole text is the candidate."""

from __future__ import annotations

from urisieve.errors import UsageError
from urisieve.judge.faults import Fault
from urisieve.judge.judge import Judged, judge
from urisieve.judge.normalize import percent_encoding, syntax_based
from urisieve.judge.proof import canonical_form, proves_canonical
from urisieve.options import DEFAULT_OPTIONS, Level, Options
from urisieve.records.record import Record, make_record
from urisieve.records.rejection import InvalidIdentifier, Rejection, make_rejection
from urisieve.resolver import split_reference
from urisieve.rules.table import KNOWN_RULES, rules_of
from urisieve.syntax.components import recompose
from urisieve.syntax.iri import decoded, encoded

__all__ = ["check", "equivalent", "is_valid", "key", "normalize", "normalize_reference", "parse", "to_iri", "to_uri"]


def _proved(text: str, options: Options | None) -> str | None:
    """The canonical form of a text that a pattern proves to be canonical: nine links of ten need nothing else."""
    if not isinstance(text, str):
        raise UsageError(f"an identifier is str, not {type(text).__name__}: decode it first")
    return canonical_form(text) if options is None or proves_canonical(options) else None


def _judged(text: str, options: Options | None) -> Judged | Fault:
    if options is None:
        return judge(text, DEFAULT_OPTIONS, shortcut=True)
    return judge(text, options, shortcut=proves_canonical(options))


def _valid(text: str, options: Options | None) -> Judged:
    judged = _judged(text, options)
    if isinstance(judged, Fault):
        raise InvalidIdentifier(_rejection(text, judged))
    return judged


def _rejection(text: str, found: Fault) -> Rejection:
    return make_rejection((text, *found, 0, len(text), 1, 1, None, None, None, None))


def check(text: str, *, options: Options | None = None) -> Record | Rejection:
    """Judge a whole text as one identifier: valid with its canonical forms, or why not.

    Nothing is trimmed, unwrapped or looked for: a text with a blank before it is not valid.

    Raises:
        UsageError: it is no string.
    """
    form = _proved(text, options)
    if form is not None:
        return make_record((text, form, form, 0, len(text), 1, 1, None, None, (), (), None, None, None), None)
    judged = _judged(text, options)
    if isinstance(judged, Fault):
        return _rejection(text, judged)
    fields = (text, judged.uri, judged.key, 0, len(text), 1, 1, None, None, judged.warnings, (), None, None, None)
    return make_record(fields, judged.parts, KNOWN_RULES if options is None else rules_of(options.rules))


def is_valid(text: str, *, options: Options | None = None) -> bool:
    """Whether a whole text is one valid identifier; `check` says why not.

    >>> is_valid("http://example.com/a"), is_valid("http://example.com/100%zz"), is_valid("example.com")
    (True, False, False)

    Raises:
        UsageError: it is no string.
    """
    return _proved(text, options) is not None or isinstance(_judged(text, options), Judged)


def parse(text: str, *, options: Options | None = None) -> Record:
    """The record of a text that is one identifier.

    Raises:
        InvalidIdentifier: it is none; the exception carries the `Rejection` and shows the place.
    """
    found = check(text, options=options)
    if isinstance(found, Rejection):
        raise InvalidIdentifier(found)
    return found


def _at_level(level: Level | str | None, options: Options | None) -> Options:
    options = DEFAULT_OPTIONS if options is None else options
    if level is None or options.level == level:
        return options
    from dataclasses import replace

    return replace(options, level=level)


def normalize(text: str, level: Level | str | None = None, *, options: Options | None = None) -> str:
    """The canonical URI of an identifier; at level `none` the text itself (RFC 3986 6.2).

    Args:
        text: the identifier.
        level: the rung of the ladder; that of the options if None (`scheme` by default).
        options: everything else.

    Raises:
        InvalidIdentifier: it is no identifier.
        UsageError: there is no such level.
    """
    if level is not None:
        options = _at_level(level, options)
    form = _proved(text, options)
    if form is not None:
        return form
    judged = _valid(text, options)
    return judged.uri if options is None or options.level != Level.NONE else judged.key


def normalize_reference(reference: str) -> str:
    """Syntax-based normalization of a URI or IRI reference (RFC 3986 6.2.2).

    Dot segments of a relative reference mean something and stay (RFC 3986 5.2 removes them when it is resolved).
    Non-ASCII characters stay; they are not triplets of a URI.

    Raises:
        InvalidIdentifier: it is no reference.
    """
    scheme, parts = split_reference(reference)
    if scheme is not None:
        return normalize(reference, Level.SYNTAX) if scheme.lower() == "urn" else recompose(syntax_based(parts))
    normal = syntax_based(parts._replace(path=""))
    path = percent_encoding(parts.path)
    if parts.host is None and ":" in path.partition("/")[0]:
        path = f"./{path}"  # RFC 3986 4.2
    return recompose(normal._replace(path=path)).removeprefix(f"{normal.scheme}:")


def to_uri(text: str) -> str:
    """Map an IRI reference to a URI reference (RFC 3987 3.1); a URI stays as it is.

    Only the mapping: nothing is normalized, and host names become triplets, not A-labels.

    Raises:
        InvalidIdentifier: it is no IRI reference.
    """
    split_reference(text)
    return encoded(text)


def to_iri(text: str) -> str:
    """Map a URI reference to an IRI reference (RFC 3987 3.2): triplets that are UTF-8 become characters.

    What is no UTF-8, no character of its component, or should not be shown (bidi controls, invisible ones) stays as
    triplets, with upper-case digits. Host names are not changed otherwise. A URN stays as it is: nothing in it is
    decoded (RFC 2141 5).

    Raises:
        InvalidIdentifier: it is no URI or IRI reference.
    """
    scheme, parts = split_reference(text)
    if scheme is not None and scheme.lower() == "urn":
        return text
    _, userinfo, host, _, path, query, fragment = parts
    mapped = parts._replace(
        userinfo=userinfo and decoded(userinfo, "userchar"),
        host=host and decoded(host, "regchar"),
        path=decoded(path, "slashchar"),
        query=query and decoded(query, "querychar"),
        fragment=fragment and decoded(fragment, "fragchar"),
    )
    whole = recompose(mapped)
    return whole if scheme is not None else whole.removeprefix(f"{parts.scheme}:")


def key(text: str, *, options: Options | None = None) -> str:
    """What two identifiers share exactly when they are equivalent (RFC 3986 6, RFC 2141 5, RFC 8141 3).

    Raises:
        InvalidIdentifier: it is no identifier.
    """
    form = _proved(text, options)
    return _valid(text, options).key if form is None else form


def equivalent(first: str, second: str, level: Level | str | None = None, *, options: Options | None = None) -> bool:
    """Whether two identifiers are equivalent at a level of the ladder.

    Raises:
        InvalidIdentifier: one of them is no identifier.
        UsageError: there is no such level.
    """
    if level is not None:
        options = _at_level(level, options)
    return key(first, options=options) == key(second, options=options)
