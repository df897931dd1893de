"""Reference resolution for any scheme (RFC 3986 5.2, strict parser)."""

from __future__ import annotations

from urisieve.codes import Component, Reason
from urisieve.errors import not_a_string
from urisieve.judge.faults import Fault, fault
from urisieve.judge.normalize import remove_dot_segments
from urisieve.judge.validate import generic_fault
from urisieve.records.fields import RejectionFields
from urisieve.records.rejection import InvalidIdentifier, make_rejection
from urisieve.syntax import grammar
from urisieve.syntax.components import Components, recompose, split

__all__ = ["resolve", "split_reference"]

# A relative reference is split and judged with this scheme before it, which is removed from the result.
_STAND_IN = "x"


def split_reference(reference: str) -> tuple[str | None, Components]:
    """Split a URI reference or IRI reference into its scheme, None if it has none, and its components.

    Raises:
        InvalidIdentifier: it is not a reference by RFC 3986 4.1 or RFC 3987 2.2.
        UsageError: it is not a string.
    """
    if not isinstance(reference, str):
        raise not_a_string("a reference", reference)
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
        raise InvalidIdentifier(make_rejection(RejectionFields(reference, *found, 0, len(reference), 1, 1)))
    return None, split(f"{_STAND_IN}:{reference}")


def _merge(base: Components, path: str) -> str:
    """Merge a relative path with the path of the base (RFC 3986 5.2.3)."""
    if base.host is not None and base.path == "":
        return f"/{path}"
    return base.path[: base.path.rfind("/") + 1] + path


def resolve(base: str, reference: str) -> str:
    """Resolve a reference against a base (RFC 3986 5.2.2, strict parser).

    The fragment of the base is ignored (5.1). The result is always valid by the generic grammar: without an authority,
    its path never begins with "//" ("/." stands before it). The rules of its scheme are not applied; `check` does that.

    >>> from urisieve import resolve
    >>> resolve("http://a/b/c/d;p?q", "../g")
    'http://a/b/g'

    Raises:
        InvalidIdentifier: the base has no scheme, or one of the two is not a URI or IRI reference.
        UsageError: one of the two is not a string.
    """
    base_scheme, base_parts = split_reference(base)
    if base_scheme is None:
        found = fault(Reason.NO_SCHEME, Component.SCHEME, 0)
        raise InvalidIdentifier(make_rejection(RejectionFields(base, *found, 0, len(base), 1, 1)))
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
