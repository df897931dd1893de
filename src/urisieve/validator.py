"""Validation: the generic grammar first, then the rules of the scheme (RFC 3986, RFC 3987, the scheme's own RFC).

An IRI is judged through the URI that it maps to (RFC 3987 3.1): once its characters are known to be `ucschar`, and
`iprivate` only in the query, it is valid exactly when that URI is. So there is one grammar on the way of every
identifier, and a second, wider one only to say where an invalid IRI fails.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from urisieve import grammar, schemes
from urisieve.codes import Component, Reason, Warn
from urisieve.components import PASSWORD, Components, split
from urisieve.faults import Fault, fault
from urisieve.host import dns_host, octets_are_utf8
from urisieve.iri import BIDI_CONTROLS, encoded
from urisieve.options import Options, ZoneIdentifiers

__all__ = ["Valid", "generic_fault", "validate"]

_URI: Final = grammar.compiled("URI")
_NOT_DIGIT: Final = re.compile("[^0-9]")
_BIDI_CONTROL: Final = re.compile(f"[{BIDI_CONTROLS}]")


@cache
def _not_iri() -> re.Pattern[str]:
    """A non-ASCII character that no IRI holds (RFC 3987 2.2)."""
    allowed = grammar.pattern("iunreserved", iri=True) + grammar.pattern("iprivate", iri=True)
    return re.compile(f"[^\x00-\x7f{allowed}]")


@cache
def _private() -> re.Pattern[str]:
    """A character that only a query holds (RFC 3987 2.2)."""
    return re.compile(f"[{grammar.pattern('iprivate', iri=True)}]")


class Valid(NamedTuple):
    """A valid identifier that is no URN: the components of its URI, not yet normalized, and the warnings."""

    parts: Components
    warnings: list[Warn]


def validate(text: str, options: Options) -> Valid | Fault:
    """Judge a text that is no URN.

    Returns:
        the components as they stand, non-ASCII characters mapped to triplets (RFC 3987 3.1), or the fault.
    """
    warnings: list[Warn] = []
    uri = text
    if not text.isascii():
        found = _iri_fault(text)
        if found is not None:
            return found
        uri = encoded(text)
        from urisieve.scripts import bidi_mixed

        if bidi_mixed(text):
            warnings.append(Warn.BIDI_MIXED)
    match = _URI.fullmatch(uri)
    if match is None:
        zone = _zone(uri) if options.zones == ZoneIdentifiers.RFC6874 else None
        if zone is None:
            return generic_fault(text)
        match, literal = zone
        scheme, userinfo, _, port, path, rootpath, query, fragment = match.groups()
        parts = Components(scheme, userinfo, literal, port, path, query, fragment)
    else:
        scheme, userinfo, host, port, path, rootpath, query, fragment = match.groups()
        path = rootpath if path is None else path
        parts = tuple.__new__(Components, (scheme, userinfo, host, port, path, query, fragment))
    found = _scheme_fault(text, parts, warnings, options)
    return Valid(parts, warnings) if found is None else found


def _iri_fault(text: str) -> Fault | None:
    """The first character that no IRI holds, or that stands where it may not (RFC 3987 2.2, 4.1)."""
    if not (_not_iri().search(text) or _private().search(text) or _BIDI_CONTROL.search(text)):
        return None
    return _first_fault(text)


def _zone(uri: str) -> tuple[re.Match[str], str] | None:
    """Match a URI whose IP literal has a zone identifier (RFC 6874 2): as one with the zone left out."""
    found = grammar.compiled("IP-literal-zone").search(uri)
    if found is None:
        return None
    plain = f"{uri[: found.start()]}{found[0].partition('%25')[0]}]{uri[found.end() :]}"
    match = _URI.fullmatch(plain)
    return None if match is None or match.start("host") != found.start() else (match, found[0])


def _scheme_fault(text: str, parts: Components, warnings: list[Warn], options: Options) -> Fault | None:
    """Apply the rules of the scheme; adds to the warnings."""
    scheme, userinfo, host, port, path, _, fragment = parts
    name = scheme.lower()
    rule = schemes.scheme_rule(name)
    if not schemes.is_registered(name) and name not in options.known_schemes:
        warnings.append(Warn.UNREGISTERED_SCHEME)
    after = len(scheme) + 1
    if rule.host and not host:
        if host is None:
            return fault(Reason.NO_AUTHORITY, Component.AUTHORITY, after, rule.reference)
        return fault(Reason.EMPTY_HOST, Component.HOST, min(_host_place(text)[0], len(text)), rule.reference)
    if userinfo is not None:
        warnings.append(Warn.USERINFO_PRESENT)
        if ":" in userinfo:
            warnings.append(Warn.PASSWORD_PRESENT)
    if host and host[0] != "[":
        if rule.dns:
            verdict = dns_host(host)
            if verdict.reason is not None and rule.host:
                start, end = _host_place(text)
                # With triplets, the offset in the decoded name says nothing: then the host as a whole is meant.
                return fault(verdict.reason, Component.HOST, start + (0 if "%" in text[start:end] else verdict.offset))
            warnings += verdict.warnings if verdict.reason is None else (Warn.HOST_NOT_LDH,)
        elif "%" in host and not octets_are_utf8(host):
            warnings.append(Warn.HOST_NOT_UTF8)
    if port and len(port) > 4 and (len(port.lstrip("0")) > 5 or int(port.lstrip("0") or "0") > 65535):
        warnings.append(Warn.PORT_ABOVE_65535)
    if rule.syntax is not None:
        pattern = schemes.syntax(name)
        end = len(text) if fragment is None else text.index("#")
        if pattern is not None and not pattern.fullmatch(text, after, end):
            return fault(Reason.SCHEME_SYNTAX, Component.PATH, after, rule.reference)
        if name in ("sip", "sips") and userinfo is None and PASSWORD.match(text):
            warnings.append(Warn.PASSWORD_PRESENT)
        elif name == "mailto" and path == "":
            warnings.append(Warn.EMPTY_ADDRESS)
    if "%00" in text:
        warnings.append(Warn.PERCENT_ENCODED_NULL)
    return None


def _host_place(text: str) -> tuple[int, int]:
    return next((start, end) for part, start, end, _ in _components_with_offsets(text) if part is Component.HOST)


def _components_with_offsets(text: str) -> list[tuple[Component, int, int, str]]:
    """The components of a text with a scheme as Appendix B takes it apart: name, start, end, rule of characters."""
    scheme, userinfo, host, port, path, query, fragment = split(text)
    found = []
    place = 0
    # With the lengths of the delimiters before and after a component that is there.
    for component, part, before, after, rule in (
        (Component.SCHEME, scheme, 0, 1, "schemechar"),
        (Component.USERINFO, userinfo, 2, 1, "userchar"),
        (Component.HOST, host, 2 if userinfo is None else 0, 0, "regchar"),
        (Component.PORT, port, 1, 0, "DIGIT"),
        (Component.PATH, path, 0, 0, "slashchar"),
        (Component.QUERY, query, 1, 0, "querychar"),
        (Component.FRAGMENT, fragment, 1, 0, "fragchar"),
    ):
        if part is not None:
            place += before
            found.append((component, place, place + len(part), rule))
            place += len(part) + after
    return found


def generic_fault(text: str) -> Fault:
    """Say where a text that is no IRI by the generic grammar leaves it: the first place in the order of the text."""
    found = _first_fault(text)
    # Only a combination of valid components is left, such as a path that begins with "//" without an authority.
    return fault(Reason.ILLEGAL_CHARACTER, Component.IDENTIFIER, 0) if found is None else found


def _first_fault(text: str) -> Fault | None:
    scheme = re.match("[^:/?#]*", text)
    length = scheme.end() if scheme else 0
    if not length or text[length : length + 1] != ":":
        return fault(Reason.NO_SCHEME, Component.SCHEME, 0)
    good = grammar.compiled("scheme").match(text, 0, length)
    if good is None or good.end() != length:
        return fault(Reason.BAD_SCHEME, Component.SCHEME, good.end() if good else 0)
    iri = not text.isascii()
    for component, start, end, rule in _components_with_offsets(text):
        if component is Component.HOST and text[start : start + 1] == "[":
            if not grammar.compiled("IP-literal").fullmatch(text, start, end):
                reason = Reason.ZONE_IDENTIFIER if "%" in text[start:end] else Reason.BAD_IP_LITERAL
                return fault(reason, component, start)
            continue
        # Bounded by `end`, a triplet cut short by the end of its component is found like one with a wrong digit.
        wrong = _NOT_DIGIT if component is Component.PORT else grammar.illegal(rule, iri=iri)
        bad = wrong.search(text, start, end)
        control = _BIDI_CONTROL.search(text, start, end) if iri else None
        if control is not None and (bad is None or control.start() < bad.start()):
            return fault(Reason.BIDI_CONTROL, component, control.start())
        if bad is not None:
            return fault(_character_reason(component, bad[0]), component, bad.start())
    return None


def _character_reason(component: Component, character: str) -> Reason:
    if component is Component.PORT:
        return Reason.BAD_PORT
    if character == "%":
        return Reason.BAD_PERCENT_ENCODING
    if character in "[]":
        return Reason.BRACKET_OUTSIDE_HOST
    if character == "#" and component is Component.FRAGMENT:
        return Reason.SECOND_FRAGMENT
    return Reason.ILLEGAL_CHARACTER
