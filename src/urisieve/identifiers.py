"""Single identifiers: check, parse, normalize, convert, compare; and references resolved (RFC 3986 5.2, strict parser).

The whole text is the candidate, without the white space around it.
"""

from __future__ import annotations

from collections.abc import Callable
from types import EllipsisType

from urisieve.codes import Component, Reason, Warn
from urisieve.finding_options import DEFAULT_OPTIONS, Level, Options, Unwrap, by_identity, checked, choice
from urisieve.judge.judge import Judged, quick_judge
from urisieve.judge.normalize import percent_encoding, remove_dot_segments, syntax_based
from urisieve.judge.proofs import Proofs, proofs_of, unwanted
from urisieve.judge.validate import Fault, fault, generic_fault
from urisieve.kernel import of_kernel
from urisieve.lean import Any, Final, overload
from urisieve.records.harvested import KERNEL_WARNINGS
from urisieve.records.record import Record, judged_record
from urisieve.records.rejection import InvalidIdentifierError, Rejection, rejection_of_whole
from urisieve.shapes import Default, is_null, missing, not_an_identifier
from urisieve.syntax import grammar
from urisieve.syntax.components import Components, recompose, split, without_space_around
from urisieve.syntax.iri import decoded, encoded

# A relative reference is split and judged with this scheme before it, which is removed from the result.
_STAND_IN = "x"


def split_reference(reference: str) -> tuple[str | None, Components]:
    """Split a URI reference or IRI reference into its scheme, None if it has none, and its components.

    Raises:
        InvalidIdentifierError: it is not a reference by RFC 3986 4.1 or RFC 3987 2.2.
    """
    if grammar.matches("URI" if reference.isascii() else "IRI", reference):
        parts = split(reference)
        return parts.scheme, parts
    rule = "relative-ref"
    if not grammar.compiled(rule, iri=not reference.isascii()).fullmatch(reference):
        found = generic_fault(reference)
        if found.reason in (Reason.NO_SCHEME, Reason.BAD_SCHEME):
            moved = generic_fault(f"{_STAND_IN}:{reference}")
            offset = max(0, moved.offset - 2)
            if moved.component is Component.IDENTIFIER:  # only the colon in its first segment is wrong (RFC 3986 4.2)
                moved = fault(Reason.BAD_SCHEME, Component.SCHEME, found.offset)
                offset = moved.offset
            found = Fault(moved.reason, moved.component, offset, moved.section)
        raise InvalidIdentifierError(rejection_of_whole(reference, found))
    return None, split(f"{_STAND_IN}:{reference}")


def _merge(base: Components, path: str) -> str:
    """Merge a relative path with the path of the base (RFC 3986 5.2.3)."""
    if base.host is not None and base.path == "":
        return f"/{path}"
    return base.path[: base.path.rfind("/") + 1] + path


# Returns the target of a reference where both texts are plain; else None.
_plain_target: Final[Callable[[str, str], str | None]] = of_kernel("resolve", lambda _base, _reference: None)


def _reference(name: str, value: str) -> str:
    """Take a reference: a string, without the white space around it."""
    if not isinstance(value, str):
        raise not_an_identifier(name, value)
    return without_space_around(value)


@overload
def resolve(base: str, reference: str) -> str: ...


@overload
def resolve(base: str | None, reference: str | None, *, default: Default) -> str | Default: ...


def resolve(base: str | None, reference: str | None, *, default: Default | EllipsisType = ...) -> str | Default:
    """Resolve a reference against a base (RFC 3986 5.2.2, strict parser).

    The fragment of the base is ignored (5.1). The result is always valid by the generic grammar: without an authority,
    its path never begins with "//" ("/." is before it). The rules of its scheme are not applied; `check` does that.
    White space around the two does not count.

    >>> from urisieve import resolve
    >>> resolve("http://a/b/c/d;p?q", "../g")
    'http://a/b/g'

    Args:
        base: the base, with a scheme.
        reference: the reference.
        default: returned if one of the two is missing (None, NaN, NA of pandas) or is not valid; see `key`.

    Raises:
        InvalidIdentifierError: the base has no scheme, or one of the two is not a URI or IRI reference.
        UsageError: one of the two is not a string.
    """
    if isinstance(base, str) and isinstance(reference, str):
        target = _plain_target(base, reference)
        if target is not None:
            return target
    if default is not ...:
        return _or_default(resolve, default, base, reference)  # type: ignore[no-any-return]
    base, reference = _reference("base", base), _reference("reference", reference)  # type: ignore[arg-type]
    base_scheme, base_parts = split_reference(base)
    if base_scheme is None:
        found = fault(Reason.NO_SCHEME, Component.SCHEME, 0)
        raise InvalidIdentifierError(rejection_of_whole(base, found))
    scheme, parts = split_reference(reference)
    _, userinfo, host, port, path, query, fragment = parts
    if scheme is not None:
        # A URN has no hierarchy: nothing in it is a dot segment (RFC 2141 App. A, RFC 8141 2).
        path = path if scheme.lower() == "urn" else remove_dot_segments(path)
    elif host is not None:
        scheme, path = base_scheme, remove_dot_segments(path)
    else:
        scheme, userinfo, host, port = base_scheme, base_parts.userinfo, base_parts.host, base_parts.port
        if path == "":
            path = base_parts.path
            if query is None:
                query = base_parts.query
        elif path[0] == "/":
            path = remove_dot_segments(path)
        else:
            path = remove_dot_segments(_merge(base_parts, path))
    if host is None and path.startswith("//"):
        path = f"/.{path}"
    return recompose(Components(scheme, userinfo, host, port, path, query, fragment))


def judge_whole(value: str, options: Options) -> Judged | Fault:
    """Judge a whole value, without the white space around it; `options.bare` says what may have no scheme.

    Args:
        value: the value. If there is white space around it, the identifier has the warning `whitespace-removed`.
        options: how to judge and how far to normalize.

    Returns:
        the canonical form, or the first fault, whose offset is that in the value as it is given.
    """
    text = without_space_around(value)
    judged: Judged | Fault | None = None
    if options.bare and len(text) <= options.max_length:
        from urisieve.judge.bare_names import judge_bare

        judged = judge_bare(text, options)
    if judged is None:
        judged = unwanted(text, options) or quick_judge(text, options)
    if len(text) == len(value):
        return judged
    if isinstance(judged, Fault):
        return judged._replace(offset=judged.offset + value.find(text))
    return judged._replace(warnings=(Warn.WHITESPACE_REMOVED, *judged.warnings))


def _or_default(call: Callable[..., Any], default: Default, *texts: object, **more: object) -> Any:
    """Return what a call returns; the default if one of the texts is missing or not valid."""
    try:
        return default if any(map(is_null, texts)) else call(*texts, **more)
    except InvalidIdentifierError:
        return default


def _unproved(_text: str, _shared: object) -> None:
    """Prove no record: the judge has to decide."""


# The record that the default options make of a text, if the kernel proves it; else None. Records share the source, the
# location, and the tuples of warnings.
_proved_record: Final[Callable[[str, object], Record | None]] = getattr(Record, "_proved", _unproved)
_SHARED: Final = (None, None, KERNEL_WARNINGS)
# The same for some options: nothing is proved under others than those that equal the default ones.
_record_proof: Final = by_identity(lambda options: _proved_record if checked(options) == DEFAULT_OPTIONS else _unproved)


def _proofs(options: Options | None) -> Proofs:
    return proofs_of(DEFAULT_OPTIONS if options is None else checked(options))


def _judged(text: str, options: Options | None) -> Judged | Fault:
    """Judge a text; for None by the default options, if nothing proves it."""
    if not isinstance(text, str):
        raise not_an_identifier("text", text)
    return judge_whole(text, checked(options))


def _valid(text: str, options: Options | None) -> Judged:
    judged = _judged(text, options)
    if isinstance(judged, Fault):
        raise InvalidIdentifierError(rejection_of_whole(text, judged))
    return judged


def _checked(text: str, options: Options | None) -> Record | Rejection:
    """Return the record or rejection of a text; for None by the default options, if nothing proves it."""
    judged = _judged(text, options)
    if isinstance(judged, Fault):
        return rejection_of_whole(text, judged)
    return judged_record(text, judged, options)


@overload
def check(text: str, *, options: Options | None = None) -> Record | Rejection: ...


@overload
def check(text: str | None, *, options: Options | None = None, default: Default) -> Record | Rejection | Default: ...


def check(
    text: str | None, *, options: Options | None = None, default: Default | EllipsisType = ...
) -> Record | Rejection | Default:
    """Judge a whole text as one identifier: return a record if it is valid, else a rejection with the reason.

    White space of any kind around the text is removed, with the warning `whitespace-removed`; `raw` and the offset of a
    fault are those of the text as it is given. Nothing else is trimmed, unwrapped or searched for. A record is true and
    a rejection is false.

    >>> from urisieve import check
    >>> for text in ("HTTP://Example.com", "http://example.com:80ab/"):
    ...     found = check(text)
    ...     print(found.uri if found else f"{found.reason} at {found.offset}")
    http://example.com/
    bad-port at 21

    Args:
        text: the text, an identifier by RFC 3986, RFC 3987, RFC 2141 or RFC 8141.
        options: how to judge; `Options()` by default.
        default: returned for a missing value (None, NaN, NA of pandas), which is an error without it. What is not valid
            is a rejection.

    Raises:
        UsageError: the text is not a string.
    """
    prove = _proved_record if options is None else _record_proof(options)
    record = prove(text, _SHARED)  # type: ignore[arg-type] # it proves nothing of None
    if record is not None:
        return record
    return _checked(text, options) if isinstance(text, str) else missing("text", text, default)


@overload
def is_valid(text: str, *, options: Options | None = None) -> bool: ...


@overload
def is_valid(text: str | None, *, options: Options | None = None, default: Default) -> bool | Default: ...


def is_valid(
    text: str | None, *, options: Options | None = None, default: Default | EllipsisType = ...
) -> bool | Default:
    """Report whether a whole text is one valid identifier (RFC 3986 and its scheme's RFC); `check` returns why not.

    >>> from urisieve import is_valid
    >>> is_valid("http://example.com/a"), is_valid("http://example.com/100%zz"), is_valid("example.com")
    (True, False, False)

    Args:
        text: the text.
        options: how to judge.
        default: returned for a missing value (None, NaN, NA of pandas), which is neither valid nor invalid, and is an
            error without it.

    Raises:
        UsageError: the text is not a string.
    """
    if _proofs(options).canonical(text) is not None:  # type: ignore[arg-type] # it has none for None
        return True
    return isinstance(_judged(text, options), Judged) if isinstance(text, str) else missing("text", text, default)


@overload
def parse(text: str, *, options: Options | None = None) -> Record: ...


@overload
def parse(text: str | None, *, options: Options | None = None, default: Default) -> Record | Default: ...


def parse(
    text: str | None, *, options: Options | None = None, default: Default | EllipsisType = ...
) -> Record | Default:
    """Return the record of a text that is one identifier, by the rules of `check`.

    >>> from urisieve import parse
    >>> record = parse("http://example.com:8042/over?name=ferret")
    >>> record.host, record.port, record.query
    ('example.com', '8042', 'name=ferret')

    Args:
        text: the text.
        options: how to judge and how far to normalize.
        default: returned for a missing value and for what is not valid; see `key`.

    Raises:
        InvalidIdentifierError: the text is not a valid identifier; the exception has the `Rejection`, and its message
            shows the offset.
        UsageError: the text is not a string.
    """
    prove = _proved_record if options is None else _record_proof(options)
    record = prove(text, _SHARED)  # type: ignore[arg-type] # it proves nothing of None
    if record is not None:
        return record
    if default is not ...:
        return _or_default(parse, default, text, options=options)  # type: ignore[no-any-return]
    found = _checked(text, options)  # type: ignore[arg-type] # which is an error for None
    if isinstance(found, Rejection):
        raise InvalidIdentifierError(found)
    return found


def _at_level(level: Level | str, options: Options | None) -> Options | None:
    """Return options with another level; None stands for the defaults."""
    if checked(options).level == level:
        return options
    from urisieve.lean import replace

    return replace(checked(options), level=level)


@overload
def normalize(text: str, level: Level | str | None = None, *, options: Options | None = None) -> str: ...


@overload
def normalize(
    text: str | None, level: Level | str | None = None, *, options: Options | None = None, default: Default
) -> str | Default: ...


def normalize(
    text: str | None,
    level: Level | str | None = None,
    *,
    options: Options | None = None,
    default: Default | EllipsisType = ...,
) -> str | Default:
    """Return the canonical URI of an identifier; at level `none` the text itself (RFC 3986 6.2).

    >>> from urisieve import normalize
    >>> normalize("HTTP://Example.com:80/a/../%7Eb"), normalize("HTTP://Example.com:80/a/../%7Eb", "syntax")
    ('http://example.com/~b', 'http://example.com:80/~b')

    Args:
        text: the identifier.
        level: the level of the ladder; None for that of the options (`scheme` by default).
        options: all other options.
        default: returned for a missing value and for what is not valid; see `key`.

    Raises:
        InvalidIdentifierError: the text is not a valid identifier, and there is no default.
        UsageError: there is no such level, or the text is not a string.
    """
    if level is not None:
        options = _at_level(level, options)
    form = _proofs(options).canonical(text)  # type: ignore[arg-type] # it has none for None
    if form is not None:
        return form
    if default is not ...:
        return _or_default(normalize, default, text, options=options)  # type: ignore[no-any-return]
    judged = _valid(text, options)  # type: ignore[arg-type] # which is an error for None
    return judged.uri if options is None or options.level != Level.NONE else judged.key


@overload
def normalize_reference(reference: str) -> str: ...


@overload
def normalize_reference(reference: str | None, *, default: Default) -> str | Default: ...


def normalize_reference(reference: str | None, *, default: Default | EllipsisType = ...) -> str | Default:
    """Normalize the syntax of a URI or IRI reference (RFC 3986 6.2.2).

    Dot segments of a relative reference have a meaning and stay (RFC 3986 5.2 removes them when it is resolved).
    Non-ASCII characters do not become triplets. White space around the reference does not count.

    >>> from urisieve import normalize_reference
    >>> normalize_reference("../%7Ea%2f")
    '../~a%2F'

    Args:
        reference: the reference.
        default: returned for a missing value and for what is no reference; see `key`.

    Raises:
        InvalidIdentifierError: the text is not a URI or IRI reference.
        UsageError: the text is not a string.
    """
    if default is not ...:
        return _or_default(normalize_reference, default, reference)  # type: ignore[no-any-return]
    reference = _reference("reference", reference)  # type: ignore[arg-type] # which is an error for None
    scheme, parts = split_reference(reference)
    if scheme is not None:
        return normalize(reference, Level.SYNTAX) if scheme.lower() == "urn" else recompose(syntax_based(parts))
    normal = syntax_based(parts._replace(path=""))
    # No colon comes into the first segment, where it would end a scheme (4.2): only unreserved characters are decoded.
    return recompose(normal._replace(path=percent_encoding(parts.path))).removeprefix(f"{normal.scheme}:")


@overload
def to_uri(text: str) -> str: ...


@overload
def to_uri(text: str | None, *, default: Default) -> str | Default: ...


def to_uri(text: str | None, *, default: Default | EllipsisType = ...) -> str | Default:
    """Map an IRI reference to a URI reference (RFC 3987 3.1); a URI does not change.

    Nothing is normalized, and non-ASCII characters in host names become triplets, not A-labels. White space around the
    text does not count.

    >>> from urisieve import to_uri
    >>> to_uri("http://example.com/ü")
    'http://example.com/%C3%BC'

    Args:
        text: the reference.
        default: returned for a missing value and for what is no reference; see `key`.

    Raises:
        InvalidIdentifierError: the text is not an IRI reference.
        UsageError: the text is not a string.
    """
    if default is not ...:
        return _or_default(to_uri, default, text)  # type: ignore[no-any-return]
    text = _reference("text", text)  # type: ignore[arg-type] # which is an error for None
    split_reference(text)
    return encoded(text)


@overload
def to_iri(text: str) -> str: ...


@overload
def to_iri(text: str | None, *, default: Default) -> str | Default: ...


def to_iri(text: str | None, *, default: Default | EllipsisType = ...) -> str | Default:
    """Map a URI reference to an IRI reference (RFC 3987 3.2): triplets that are UTF-8 become characters.

    Triplets of ASCII characters do not change. Other triplets stay, with upper-case digits, if they are not UTF-8, or
    if they stand for a character that their component may not contain or that should not be shown (bidi controls,
    invisible characters). A-labels in host names do not change, and neither do URNs: nothing in them is decoded
    (RFC 2141 5).

    >>> from urisieve import to_iri
    >>> to_iri("http://example.com/%C3%BC%2F")
    'http://example.com/ü%2F'

    Args:
        text: the reference; white space around it does not count.
        default: returned for a missing value and for what is no reference; see `key`.

    Raises:
        InvalidIdentifierError: the text is not a URI or IRI reference.
        UsageError: the text is not a string.
    """
    if default is not ...:
        return _or_default(to_iri, default, text)  # type: ignore[no-any-return]
    text = _reference("text", text)  # type: ignore[arg-type] # which is an error for None
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


@overload
def key(text: str, *, options: Options | None = None) -> str: ...


@overload
def key(text: str | None, *, options: Options | None = None, default: Default) -> str | Default: ...


def key(text: str | None, *, options: Options | None = None, default: Default | EllipsisType = ...) -> str | Default:
    """Return the key of an identifier: two keys are equal exactly if the identifiers are equivalent.

    Equivalence is that of RFC 3986 6, RFC 2141 5 and RFC 8141 3, at the level of the options.

    >>> from urisieve import key
    >>> key("URN:ISBN:0-395-36341-1")
    'urn:isbn:0395363411'
    >>> [key(text, default=None) for text in ("HTTP://A.example", None, "no identifier")]
    ['http://a.example/', None, None]

    Args:
        text: the identifier.
        options: how to judge and how far to normalize.
        default: returned for a missing value (None, NaN, NA of pandas) and for what is not valid; without it both are
            errors.

    Raises:
        InvalidIdentifierError: the text is not a valid identifier, and there is no default.
        UsageError: the text is not a string.
    """
    form = _proofs(options).key(text)  # type: ignore[arg-type] # it has none for None
    if form is not None:
        return form
    if default is ...:
        return _valid(text, options).key  # type: ignore[arg-type] # which is an error for None
    judged = None if is_null(text) else _judged(text, options)  # type: ignore[arg-type] # or it is a string
    return judged.key if isinstance(judged, Judged) else default


@overload
def equivalent(
    first: str, second: str, level: Level | str | None = None, *, options: Options | None = None
) -> bool: ...


@overload
def equivalent(
    first: str | None,
    second: str | None,
    level: Level | str | None = None,
    *,
    options: Options | None = None,
    default: Default,
) -> bool | Default: ...


def equivalent(
    first: str | None,
    second: str | None,
    level: Level | str | None = None,
    *,
    options: Options | None = None,
    default: Default | EllipsisType = ...,
) -> bool | Default:
    """Report whether two identifiers are equivalent at a level of the ladder (RFC 3986 6.2).

    >>> from urisieve import equivalent
    >>> equivalent("http://example.com", "http://example.com:80/")
    True
    >>> equivalent("http://example.com", "http://example.com:80/", "syntax")
    False

    Args:
        first: an identifier.
        second: another one.
        level: the level of the ladder; None for that of the options (`scheme` by default).
        options: all other options.
        default: returned if one of the two is missing or not valid; see `key`.

    Raises:
        InvalidIdentifierError: one of them is not a valid identifier, and there is no default.
        UsageError: there is no such level, or one of them is not a string.
    """
    if level is not None:
        options = _at_level(level, options)
    proved = _proofs(options).key
    one, other = proved(first), proved(second)  # type: ignore[arg-type] # they have none for None
    if one is not None and other is not None:
        return one == other
    if default is not ...:
        return _or_default(equivalent, default, first, second, options=options)  # type: ignore[no-any-return]
    for name, text in (("first", first), ("second", second)):
        if not isinstance(text, str):
            raise not_an_identifier(name, text)
    return key(first, options=options) == key(second, options=options)  # type: ignore[arg-type] # both are strings


@overload
def unwrap(link: str, redirectors: Unwrap | str = Unwrap.KNOWN) -> list[str]: ...


@overload
def unwrap(link: str | None, redirectors: Unwrap | str = Unwrap.KNOWN, *, default: Default) -> list[str] | Default: ...


def unwrap(
    link: str | None, redirectors: Unwrap | str = Unwrap.KNOWN, *, default: Default | EllipsisType = ...
) -> list[str] | Default:
    """Return the links inside a link of a redirector, from the outside in; an empty list if it is not one.

    Each is as the redirector would follow it: decoded, not judged or normalized (`check` does that). What cannot be
    decoded is left out, and at most eight links are taken one out of the other. `extract` and `sieve` report them as
    records and rejections with `Options(unwrap="known")`.

    >>> from urisieve import unwrap
    >>> unwrap("https://nam02.safelinks.protection.outlook.com/?url=https%3A%2F%2Fb.example%2Fa&data=05")
    ['https://b.example/a']
    >>> link = "http://a.example/?to=https%3A%2F%2Fb.example%2F"
    >>> unwrap(link), unwrap(link, "any")
    ([], ['https://b.example/'])

    Args:
        link: the link; a text that is not a valid identifier has none inside it.
        redirectors: `known` for those that are known, `any` for links in parameters of any other link too, `off` for
            none.
        default: returned for a missing value, which is an error without it.

    Raises:
        UsageError: there is no such choice, or the link is not a string.
    """
    chosen = choice(Unwrap, redirectors, "redirectors")
    if not isinstance(link, str):
        return missing("link", link, default)
    if chosen == Unwrap.OFF or not is_valid(link):
        return []
    from urisieve.rules.redirectors import layers

    return [layer.text for layer in layers(link, anywhere=chosen == Unwrap.ANY) if layer.text is not None]
