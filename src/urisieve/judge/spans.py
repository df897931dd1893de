"""The components of a text, with their offsets in it, by the names of the RFCs (RFC 3986 3, RFC 8141 2)."""

from __future__ import annotations

from urisieve.finding_options import Options, UrnSyntax
from urisieve.judge.urn import parse_urn
from urisieve.lean import Final, NamedTuple
from urisieve.syntax import grammar
from urisieve.syntax.components import split, without_space_around


class Span(NamedTuple):
    """A component of the text: its name, its start and end offsets in characters, and its text.

    >>> from urisieve import explain
    >>> from urisieve.explanation import Span
    >>> span: Span = explain("http://a.example/x").components[1]
    >>> span.name, span.start, span.end, span.text
    ('host', 7, 16, 'a.example')
    """

    name: str
    start: int
    end: int
    text: str


# The lengths of the delimiters before and after the components (RFC 3986 3), without the `//` of the authority.
_BEFORE: Final = {"port": 1, "query": 1, "fragment": 1}
_AFTER: Final = {"userinfo": 1}


def components_in(text: str, options: Options) -> tuple[Span, ...]:
    """Return the components of a text, with their offsets in it; white space around it is in none."""
    whole = without_space_around(text)
    moved = text.find(whole)
    return tuple(span._replace(start=span.start + moved, end=span.end + moved) for span in _spans(whole, options))


def _spans(text: str, options: Options) -> tuple[Span, ...]:
    if not grammar.compiled("scheme").fullmatch(text.partition(":")[0]) or ":" not in text:
        return ()
    parts = split(text)
    if parts.scheme.lower() == "urn":
        return _urn_components(text, options)
    spans = [Span("scheme", 0, len(parts.scheme), parts.scheme)]
    offset = len(parts.scheme) + (1 if parts.host is None else 3)
    for name, part in zip(parts._fields[1:], parts[1:], strict=True):
        if part is not None:
            offset += _BEFORE.get(name, 0)
            spans.append(Span(name, offset, offset + len(part), part))
            offset += len(part) + _AFTER.get(name, 0)
    return tuple(spans)


def _urn_components(text: str, options: Options) -> tuple[Span, ...]:
    match = parse_urn(text, options.urn_syntax)
    names = {"nid": "nid", "nss": "nss"}
    if options.urn_syntax != UrnSyntax.RFC2141:
        names |= {"r": "r-component", "q": "q-component", "f": "f-component"}
    spans = [Span("scheme", 0, 3, text[:3])]
    if match is not None:
        named = [(group, name) for group, name in names.items() if match[group] is not None]
        return (*spans, *(Span(name, *match.span(group), match[group]) for group, name in named))
    nid, colon, nss = text[4:].partition(":")
    spans.append(Span("nid", 4, 4 + len(nid), nid))
    if colon:
        spans.append(Span("nss", 5 + len(nid), len(text), nss))
    return tuple(spans)
