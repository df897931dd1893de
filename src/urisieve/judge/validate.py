"""Validation: the generic grammar first, then the rules of the scheme (RFC 3986, RFC 3987, the scheme's own RFC).

An IRI is judged through the URI that it maps to (RFC 3987 3.1): if its characters are `ucschar`, and `iprivate` only in
the query, it is valid exactly if that URI is. So every identifier is judged by one grammar; the wider grammar of IRIs
is needed only to find the offset at which an IRI is not valid.

The module also defines:

- `Fault`: why a text is not a valid identifier, and at which offset in it; its offset in the input is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from urisieve.codes import REASONS, Component, Reason, Warn
from urisieve.finding_options import Options
from urisieve.judge.normalize import percent_encoding
from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.rules.scheme_table import Authority, Scheme, compiled_row_pattern
from urisieve.rules.table import rules_of
from urisieve.syntax import grammar
from urisieve.syntax.characters import bidi_mixed
from urisieve.syntax.components import Components, split
from urisieve.syntax.host import dns_host, ends_in_number, octets_are_utf8
from urisieve.syntax.iri import BIDI_CONTROLS, encoded
from urisieve.syntax.passwords import own_passwords


class Fault(NamedTuple):
    """Why a text is not a valid identifier, and where.

    Attributes:
        reason: the code of the fault.
        component: the component that is at fault.
        offset: the offset of the fault from the start of the text, in characters.
        section: the section of the RFC that the text breaks.
    """

    reason: Reason
    component: Component
    offset: int
    section: str


def fault(reason: Reason, component: Component, offset: int, section: str | None = None) -> Fault:
    """Return a fault, by default with the section that the table of reasons has for its reason."""
    return Fault(reason, component, offset, REASONS[reason].section if section is None else section)


_URI: Final = lazy_compile(lambda: grammar.pattern("URI"))
_BEFORE_DELIMITER: Final = lazy_compile("[^:/?#]*")
_NOT_DIGIT: Final = lazy_compile("[^0-9]")
_BIDI_CONTROL: Final = lazy_compile(f"[{BIDI_CONTROLS}]")


# The non-ASCII characters that no IRI contains, or only its query (RFC 3987 2.2).
_NOT_IRI: Final = lazy_compile(f"[{grammar.beyond_ucschar()}]")


def validate(text: str, options: Options, warnings: list[Warn]) -> Components | Fault:
    """Validate a text that is not a URN.

    Args:
        text: the whole candidate.
        options: how to judge.
        warnings: the list to which warnings are appended.

    Returns:
        the components before normalization, non-ASCII characters mapped to triplets (RFC 3987 3.1), or the fault.
    """
    uri = text
    if not text.isascii():
        if _NOT_IRI.search(text) or _BIDI_CONTROL.search(text):
            found = _first_fault(text)
            if found is not None:
                return found
        if bidi_mixed(text):
            warnings.append(Warn.BIDI_MIXED)
        uri = encoded(text)
    match = _URI.fullmatch(uri)
    if match is None:
        bracketed = _bracketed(uri, options)
        if bracketed is None:
            return generic_fault(text)
        warnings.append(Warn.BRACKET_OUTSIDE_HOST)
        found = _scheme_fault(text, uri, bracketed, warnings, options)
        return bracketed if found is None else found
    scheme, userinfo, host, port, path, rootpath, query, fragment = match.groups()
    parts = Components(scheme, userinfo, host, port, rootpath if path is None else path, query, fragment)
    found = _scheme_fault(text, uri, parts, warnings, options)
    return parts if found is None else found


# The scheme and user before an address in brackets; a user contains `?` and `/` (RFC 3261 25.1).
_BEFORE_BRACKET: Final = lazy_compile(lambda: rf"({grammar.pattern('scheme')}):(?!//)(?>[^@\[\]#]*+@)?+")


def _bracketed(uri: str, options: Options) -> Components | None:
    """Split a URI whose scheme allows an IPv6 address in brackets where RFC 3986 has a path; return None for others.

    RFC 3261 25.1 (with RFC 5954 4.1) requires the brackets, RFC 3986 App. A allows them in an authority only. The rest
    must be a URI by RFC 3986.
    """
    head = _BEFORE_BRACKET.match(uri)
    if head is None or not rules_of(options.rules).scheme(head[1].lower()).bracketed:
        return None
    end = uri.find("]", head.end()) + 1
    if uri[head.end() : head.end() + 1] != "[" or not grammar.compiled("IPv6address").fullmatch(
        uri, head.end() + 1, end - 1
    ):
        return None
    if "@" in uri[end:]:  # the brackets are in a user
        return None
    return split(uri) if _URI.fullmatch(f"{uri[: head.end()]}0{uri[end:]}") else None


def _scheme_fault(text: str, uri: str, parts: Components, warnings: list[Warn], options: Options) -> Fault | None:
    """Apply the rules of the scheme to a text and to the URI that it maps to; append to the warnings."""
    scheme, userinfo, host, port, _, _, fragment = parts
    name = scheme.lower()
    rule = rules_of(options.rules).scheme(name)
    if not rule.registered and name not in options.known_schemes:
        warnings.append(Warn.UNREGISTERED_SCHEME)
    wrong = _authority_fault(text, parts, rule)
    if wrong is not None:
        return wrong
    if userinfo is not None:
        warnings.append(Warn.USERINFO_PRESENT)
    if own_passwords(text):
        warnings.append(Warn.PASSWORD_PRESENT)
    wrong = _host_fault(text, host, rule, warnings) if host and host[0] != "[" else None
    if wrong is not None:
        return wrong
    if port:
        digits = port.lstrip("0")
        if len(digits) > 5 or (len(digits) == 5 and digits > "65535"):
            warnings.append(Warn.PORT_ABOVE_65535)
    if fragment is not None and not rule.fragment:
        return fault(Reason.SCHEME_SYNTAX, Component.FRAGMENT, text.index("#"), rule.reference)
    if rule.syntax is not None or rule.expected is not None:
        after = len(scheme) + 1
        rest = uri[after : len(uri) if fragment is None else uri.index("#")]
        if "%" in rest and not rule.keeps_triplets:
            rest = percent_encoding(rest)
        if rule.syntax is not None and not compiled_row_pattern(rule.syntax).fullmatch(rest):
            return fault(Reason.SCHEME_SYNTAX, Component.PATH, after, rule.reference)
        if rule.expected is not None and not compiled_row_pattern(rule.expected).fullmatch(rest):
            warnings.append(Warn.SCHEME_SYNTAX)
    if rule.check is not None:
        warnings += dict.fromkeys(notice.warn for notice in rule.check(parts))
    if "%00" in text:
        warnings.append(Warn.PERCENT_ENCODED_NULL)
    return None


def _authority_fault(text: str, parts: Components, rule: Scheme) -> Fault | None:
    """Return the fault of an authority that the scheme forbids, or of one that it requires."""
    after = len(parts.scheme) + 1
    if rule.authority is Authority.FORBIDDEN and parts.host is not None:
        return fault(Reason.SCHEME_SYNTAX, Component.AUTHORITY, after, rule.reference)
    if rule.authority is not Authority.REQUIRED or parts.host:
        return None
    if parts.host is None:
        return fault(Reason.NO_AUTHORITY, Component.AUTHORITY, after, rule.reference)
    return fault(Reason.EMPTY_HOST, Component.HOST, min(_host_span(text)[0], len(text)), rule.reference)


def _host_fault(text: str, host: str, rule: Scheme, warnings: list[Warn]) -> Fault | None:
    """Apply the rules of the DNS to a name, if the scheme has them; append to the warnings."""
    if not rule.dns:
        if "%" in host and not octets_are_utf8(host):
            warnings.append(Warn.HOST_NOT_UTF8)
        if ends_in_number(percent_encoding(host)) and Warn.HOSTS_DISAGREE in dns_host(host).warnings:
            warnings.append(Warn.HOSTS_DISAGREE)
        return None
    _, doubts, reason, offset, _ = dns_host(host if "%" in host else host.lower())
    if reason is None:
        warnings += doubts
        return None
    if not rule.strict:
        warnings.append(Warn.HOST_NOT_LDH)
        return None
    start, end = _host_span(text)
    # With triplets, the offset in the decoded name is not one in the text: then report that of the host.
    return fault(reason, Component.HOST, start + (0 if "%" in text[start:end] else offset))


def _host_span(text: str) -> tuple[int, int]:
    return next((start, end) for part, start, end in _after_scheme(text) if part is Component.HOST)


# The components after the scheme, in the order of the text: name, lengths of the delimiters before and after it
# (without the "//" of the authority), rule of characters.
_AFTER_SCHEME: Final = (
    (Component.USERINFO, 0, 1, "userchar"),
    (Component.HOST, 0, 0, "regchar"),
    (Component.PORT, 1, 0, "DIGIT"),
    (Component.PATH, 0, 0, "slashchar"),
    (Component.QUERY, 1, 0, "querychar"),
    (Component.FRAGMENT, 1, 0, "fragchar"),
)


def _after_scheme(text: str) -> Iterator[tuple[Component, int, int]]:
    """Yield the components of a text after its scheme, as Appendix B splits it: name, start and end offset."""
    scheme, *parts = split(text)
    offset = len(scheme) + (1 if parts[1] is None else 3)
    for (component, before, after, _), part in zip(_AFTER_SCHEME, parts, strict=True):
        if part is not None:
            offset += before
            end = offset + len(part)
            yield component, offset, end
            offset = end + after


@cache
def _wrong_characters(iri: bool) -> dict[Component, re.Pattern[str]]:
    """Return for each component a pattern that finds the first character outside its rule of characters."""
    return {
        component: _NOT_DIGIT if component is Component.PORT else grammar.illegal(rule, iri=iri)
        for component, _, _, rule in _AFTER_SCHEME
    }


def generic_fault(text: str) -> Fault:
    """Return the first fault, in the order of the text, of a text that is not an IRI by the generic grammar."""
    found = _first_fault(text)
    # No fault in a single component: their combination is not valid, such as a path that begins with "//" without an
    # authority.
    return fault(Reason.ILLEGAL_CHARACTER, Component.IDENTIFIER, 0) if found is None else found


def _first_fault(text: str) -> Fault | None:
    length = _BEFORE_DELIMITER.match(text).end()  # type: ignore[union-attr] # it matches nothing at least
    if not length or text[length : length + 1] != ":":
        return fault(Reason.NO_SCHEME, Component.SCHEME, 0)
    good = grammar.compiled("scheme").match(text, 0, length)
    if good is None or good.end() != length:
        return fault(Reason.BAD_SCHEME, Component.SCHEME, good.end() if good else 0)
    iri = not text.isascii()
    wrong_characters = _wrong_characters(iri)
    for component, start, end in _after_scheme(text):
        if component is Component.HOST and text[start : start + 1] == "[":
            if not grammar.compiled("IP-literal").fullmatch(text, start, end):
                reason = Reason.ZONE_IDENTIFIER if "%" in text[start:end] else Reason.BAD_IP_LITERAL
                return fault(reason, component, start)
            continue
        # The search stops at `end`, so a triplet cut short by the end of its component is a fault like a wrong digit.
        wrong = wrong_characters[component]
        bad = wrong.search(text, start, end)
        control = _BIDI_CONTROL.search(text, start, end) if iri else None
        if control is not None and (bad is None or control.start() < bad.start()):
            return fault(Reason.BIDI_CONTROL, component, control.start())
        if bad is not None:
            return fault(_character_reason(component, bad[0]), component, bad.start())
    return None


_REASONS: Final = {"%": Reason.BAD_PERCENT_ENCODING, **dict.fromkeys("[]", Reason.BRACKET_OUTSIDE_HOST)}


def _character_reason(component: Component, character: str) -> Reason:
    if component is Component.PORT:
        return Reason.BAD_PORT
    if character == "#" and component is Component.FRAGMENT:
        return Reason.SECOND_FRAGMENT
    return _REASONS.get(character, Reason.ILLEGAL_CHARACTER)
