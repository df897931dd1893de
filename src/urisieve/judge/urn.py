"""URNs: parsing, validation and canonical form (RFC 2141, RFC 8141)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from urisieve.codes import Component, Notice, Reason, Warn
from urisieve.finding_options import Level, UrnSyntax
from urisieve.judge.validate import Fault, fault
from urisieve.lean import Final, lazy_compile
from urisieve.merging import NO_STEPS, MergeStep, Profile
from urisieve.rules.scheme_table import NamespaceKind, divided_nss
from urisieve.rules.table import KNOWN_RULES, RuleTable, namespace_rule
from urisieve.syntax import grammar
from urisieve.syntax.components import Components

_TRIPLET: Final = lazy_compile("%[0-9A-Fa-f]{2}")
_RESERVED: Final = lazy_compile(lambda: f"[{grammar.pattern('urnreserved')}]")
# The characters that RFC 8141 2 allows in a URN and RFC 2141 2.4 excludes; otherwise RFC 8141 only adds meanings of
# reserved characters.
_EXCLUDED: Final = lazy_compile("[&~]")
# RFC 2141 2.3.1: a character that is not reserved or excluded (digits, letters and <other>) MUST NOT be encoded.
_NEEDLESS: Final = lazy_compile("%(?:2[1478-9A-Eabcde]|3[0-9ABDabd]|40|4[1-9A-Fa-f]|5[0-9AFaf]|6[1-9A-Fa-f]|7[0-9Aa])")
# RFC 8141 5.1: a NID does not begin with "X-", nor with two letters and a hyphen (country codes, "xn--").
_EXPERIMENTAL: Final = lazy_compile("(?:[Xx]|[A-Za-z]{2})-")


def parse_urn(text: str, syntax: UrnSyntax | str) -> re.Match[str] | None:
    """Match a URN; the groups are `nid` and `nss`, and for RFC 8141 also `r`, `q` and `f`."""
    return grammar.compiled("URN" if syntax == UrnSyntax.RFC2141 else "URN-8141").fullmatch(text)


def urn_fault(text: str, syntax: UrnSyntax | str) -> Fault:
    """Return the first fault of a text that begins with `urn:` and is not a URN by the given syntax."""
    new = syntax == UrnSyntax.RFC8141
    nid, colon, nss = text[4:].partition(":")
    if nid.lower() == "urn" and colon:
        return fault(Reason.RESERVED_NID, Component.NID, 4)
    if not grammar.compiled("NID-8141" if new else "NID").fullmatch(nid) or not colon:
        bad = re.match(r"[A-Za-z0-9][A-Za-z0-9\-]{0,31}", nid)
        return fault(Reason.BAD_NID, Component.NID, 4 + (bad.end() if bad and bad.end() < len(nid) else 0))
    start = 4 + len(nid) + 1
    if not nss or nss[0] in "/?#":
        return fault(Reason.EMPTY_NSS, Component.NSS, start)
    if not new:
        second = text.find("#", text.find("#", start) + 1)
        return _illegal(text, start, len(text), grammar.illegal("urnoctet"), Component.NSS) or fault(
            Reason.SECOND_FRAGMENT, Component.NSS, second
        )
    end = next((offset for offset in range(start, len(text)) if text[offset] in "?#"), len(text))
    fragment = end + len(text[end:].partition("#")[0])
    components, unknown = grammar.compiled("rq-components"), fault(Reason.BAD_URN_COMPONENT, Component.QUERY, end)
    return (
        _illegal(text, start, end, grammar.illegal("slashchar"), Component.NSS)
        or _illegal(text, end, fragment, grammar.illegal("fragchar"), Component.QUERY)
        or (None if components.fullmatch(text, end, fragment) else unknown)
        or _illegal(text, fragment + 1, len(text), grammar.illegal("fragchar"), Component.FRAGMENT)
        or fault(Reason.EMPTY_NSS, Component.NSS, start)
    )


def _illegal(text: str, start: int, end: int, wrong: re.Pattern[str], component: Component) -> Fault | None:
    found = wrong.search(text, start, end)
    if found is None:
        return None
    known = {"%": Reason.BAD_PERCENT_ENCODING, "#": Reason.SECOND_FRAGMENT}.get(found[0])
    if known is not None:
        return fault(known, component, found.start())
    return fault(Reason.ILLEGAL_CHARACTER, component, found.start(), "RFC 2141 2.4, RFC 8141 2")


def urn_warnings(match: re.Match[str], syntax: UrnSyntax | str, rules: RuleTable = KNOWN_RULES) -> tuple[Warn, ...]:
    """Return the codes of `urn_notices`, each once."""
    return tuple(dict.fromkeys(notice.warn for notice in urn_notices(match, syntax, rules)))


def urn_notices(match: re.Match[str], syntax: UrnSyntax | str, rules: RuleTable = KNOWN_RULES) -> list[Notice]:
    """Return the warnings of a valid URN before normalization, by the RFC whose syntax matched it."""
    nid, nss = match.group("nid", "nss")
    notices = list(_nid_notices(nid))
    old = syntax == UrnSyntax.RFC2141
    if old:
        reserved = _RESERVED.search(nss)
        if reserved is not None:
            notices.append(Notice(Warn.RESERVED_CHARACTER, reserved[0]))
            # The only NSS of RFC 2141 that RFC 8141 refuses are those with a "?" that begins no r- or q-component.
            if "?" in nss and not grammar.compiled("URN-8141").fullmatch(f"urn:ab:{nss}"):
                notices.append(Notice(Warn.INVALID_IN_8141, "?"))
    else:
        excluded = _EXCLUDED.search(match[0], match.start("nss"))
        if excluded is not None:
            notices.append(Notice(Warn.INVALID_IN_2141, excluded[0]))
    if "%" in nss:
        if "%00" in nss:
            notices.append(Notice(Warn.PERCENT_ENCODED_NULL))
        needless = _NEEDLESS.search(nss) if old else None
        if needless is not None:
            notices.append(Notice(Warn.NEEDLESS_PERCENT_ENCODING, needless[0]))
    notices += rules.namespace(nid.lower()).notices(nss)
    return notices


def _nid_notices(nid: str) -> Iterator[Notice]:
    lower = nid.lower()
    rule = namespace_rule(lower)  # kind and registration do not depend on `Options.rules`
    if not rule.registered:
        yield Notice(Warn.UNREGISTERED_NID)
    if rule.kind == NamespaceKind.INFORMAL:
        yield Notice(Warn.INFORMAL_NID)
    elif rule.kind == NamespaceKind.EXPERIMENTAL:
        yield Notice(Warn.EXPERIMENTAL_NID)
    if (
        not grammar.compiled("NID-8141").fullmatch(nid)
        or _EXPERIMENTAL.match(nid)
        or (lower.startswith("urn-") and not lower[4:].isdigit())
    ):
        yield Notice(Warn.NID_FORBIDDEN_IN_8141)


def _with_normal_triplets(nss: str) -> str:
    return _TRIPLET.sub(lambda triplet: triplet[0].upper(), nss) if "%" in nss else nss


def same_nss(nid: str, first: str, second: str, rules: RuleTable = KNOWN_RULES) -> bool:
    """Report whether two NSS of a namespace are equivalent, where ISBN-10 and ISBN-13 of one book are.

    Args:
        nid: the namespace identifier in lower case.
        first: an NSS of the namespace.
        second: another one.
        rules: the rows that apply.
    """
    forms = {_isbn_13(nid, rules.namespace(nid).canonical(_with_normal_triplets(nss))) for nss in (first, second)}
    return len(forms) == 1


def _isbn_13(nid: str, nss: str) -> str:
    if nid != "isbn":
        return nss
    from urisieve.rules.rows.namespaces import isbn_13_form

    name, rest = divided_nss(nss)
    return f"{isbn_13_form(name)}{rest}"


def canonical_urn(
    match: re.Match[str],
    level: Level | str,
    syntax: UrnSyntax | str,
    merge: Profile = NO_STEPS,
    rules: RuleTable = KNOWN_RULES,
) -> tuple[Components, str]:
    """Return the components of the canonical URN, and its key.

    The level `syntax` normalizes the case of `urn`, of the NID and of hex digits; the level `scheme` also applies the
    rule of the namespace. Nothing is decoded (RFC 2141 5, RFC 8141 3.1). Under RFC 8141 the r-, q- and f-components
    are part of the URN but not of the key. At level `none` the key is the text. The only step of merging that
    changes URNs is `isbn-13`.
    """
    nid, nss = match.group("nid", "nss")
    scheme = match[0][:3]
    if level != Level.NONE:
        scheme = "urn"
        nid = nid.lower()
        nss = _with_normal_triplets(nss)
        if level == Level.SCHEME:
            nss = rules.namespace(nid).canonical(nss)
    if MergeStep.ISBN_13 in merge.steps:
        nss = _isbn_13(nid.lower(), nss)
    key = match[0] if level == Level.NONE and nss == match["nss"] else f"{scheme}:{nid}:{nss}"
    query = fragment = None
    if syntax != UrnSyntax.RFC2141:
        r, q, fragment = match.group("r", "q", "f")
        introduced = [f"{sign}{part}" for sign, part in (("+", r), ("=", q)) if part is not None]
        query = "?".join(introduced) if introduced else None
    return Components(scheme, None, None, None, f"{nid}:{nss}", query, fragment), key
