"""Judge the text of one candidate: repair it, validate it, normalize it and make its key.

Patterns that prove that an http(s) link is valid, has no warnings, and is canonical.

A link that they match is its own canonical form (with "/" appended if it has no path), so its record needs no other
work; that is so for nine of ten links in mail, logs and link lists. Any other text is judged by `urisieve.judge.judge`.
The patterns may miss a canonical link, but never match another text; tests compare the answers of both ways.
"""

from __future__ import annotations

from collections.abc import Callable
from unicodedata import normalize

from urisieve.codes import Warn
from urisieve.judge.normalize import normalize_parts
from urisieve.judge.urn import canonical_urn, parse_urn, urn_fault, urn_warnings
from urisieve.judge.validate import Fault, validate
from urisieve.lean import TYPE_CHECKING, Final, NamedTuple, lazy_compile, replace
from urisieve.merging import MergeStep
from urisieve.options import Charset, Level, Options, Repair, Spoofing, merging_of, protected_names
from urisieve.rules.table import rules_of
from urisieve.syntax import grammar
from urisieve.syntax.components import Components, recompose, split
from urisieve.syntax.iri import offset_before_repair, repaired

if TYPE_CHECKING:
    from urisieve.rules.spoof_check import SpoofCheck

# A triplet that normalization does not change: upper-case digits, not an unreserved character, not %00 (which has a
# warning).
_TRIPLET: Final = "%(?:0[1-9A-F]|1[0-9A-F]|2[0-9ABCF]|3[A-F]|40|5[B-E]|60|7[BCDF]|[89A-F][0-9A-F])"
# A name of at most 63 characters in lower case, so that no label is too long. No label begins or ends with a hyphen or
# has two in a row, so that none begins with "xn--". The last label ends with a letter, so that it is not a number.
_NAME: Final = r"(?=[a-z0-9.\-]{1,63}+(?![a-z0-9.\-]))(?>[a-z0-9]++[.\-])*+[a-z]++(?![a-z0-9.\-])"
_HOST: Final = rf"(?:{_NAME}|{grammar.pattern('IPv4address')}(?![a-z0-9.\-]))"
# A port that is neither empty nor the default of http or https, has no leading zero and is at most 9999.
_PORT: Final = r"(?>:(?!(?:80|443)(?![0-9]))[1-9][0-9]{0,3}+(?![0-9]))?+"


# What path, query and fragment may hold alike.
_CHARACTERS: Final = r"A-Za-z0-9\-_~!$&'()*+,;=:@/"
_QUERY: Final = f"[{_CHARACTERS}.?]*+(?>(?:{_TRIPLET})[{_CHARACTERS}.?]*+)*+"
# No segment of the path begins with a dot, so that none is a dot segment.
_PATH: Final = rf"/[{_CHARACTERS}]*+(?>(?:(?<!/)\.|{_TRIPLET})[{_CHARACTERS}]*+)*+"
_LINK: Final = lazy_compile(rf"https?://{_HOST}{_PORT}(?>{_PATH}(?>\?{_QUERY})?+(?>#{_QUERY})?+)?+")


def proves_canonical(options: Options) -> bool:
    """Report whether a proof by these patterns is valid under these options."""
    return (
        options.level is _LEVEL_SCHEME
        and not options.merge
        and options.repair is _UNREPAIRED
        and options.spoofing is _UNCHECKED
    )


def canonical_form(text: str) -> str | None:
    """Return the canonical form of a link that the patterns match; None if they do not match the text."""
    if _LINK.fullmatch(text) is None:
        return None
    return text if text.find("/", 8) > 0 else f"{text}/"


# `Options` holds members of the enums, so they can be compared by `is`. These names are here because looking up a
# member in its class takes 0.06 us on CPython 3.11.
_LEGACY: Final = Charset.LEGACY
_UNREPAIRED: Final = Repair.OFF
_ENCODE: Final = Repair.ENCODE
_NONE: Final = Level.NONE
_RESOLVER_LINKS: Final = MergeStep.RESOLVER_LINKS
_ARCHIVE_KEY: Final = MergeStep.ARCHIVE_KEY
_LEVEL_SCHEME: Final = Level.SCHEME
_UNCHECKED: Final = Spoofing.OFF
_WARN: Final = Spoofing.WARN

# A program uses a few sets of options.
_FEW_OPTIONS: Final = 64


class Judged(NamedTuple):
    """A valid candidate: canonical URI, key, components of the URI (None if they were not computed), warnings."""

    uri: str
    key: str
    parts: Components | None
    warnings: tuple[Warn, ...]


def judge(text: str, options: Options) -> Judged | Fault:
    """Judge the text of a candidate, without its wrapper and white space.

    Args:
        text: the candidate.
        options: how to judge and how far to normalize.

    Returns:
        the canonical form at the level of `options`, or the first fault in the order of the text.
    """
    form = canonical_form(text) if proves_canonical(options) else None
    if form is not None:
        return tuple.__new__(Judged, (form, form, None, ()))
    if options.spoofing is _WARN:
        return _checked_for_spoofing(text, options)
    if options.charset is _LEGACY:
        text = normalize("NFC", text)
    if options.repair is _ENCODE:
        whole = repaired(text)
        if whole != text:
            found = judge(whole, options)
            if isinstance(found, Judged):
                return found._replace(warnings=(Warn.REPAIRED, *found.warnings))
            return found._replace(offset=offset_before_repair(text, found.offset))
    level = options.level
    rules = rules_of(options.rules)
    if text[3:4] == ":" and text[:3].lower() == "urn":
        match = parse_urn(text, options.urn_syntax)
        if match is None:
            return urn_fault(text, options.urn_syntax)
        parts, key = canonical_urn(match, level, options.urn_syntax, merging_of(options), rules)
        return tuple.__new__(Judged, (recompose(parts), key, parts, urn_warnings(match, options.urn_syntax, rules)))
    warnings: list[Warn] = []
    valid = validate(text, options, warnings)
    if isinstance(valid, Fault):
        return valid
    parts = valid
    if level is not _NONE:
        parts = normalize_parts(parts, level, rules)
    merge = merging_of(options)
    if merge:
        from urisieve.judge.merge_steps import merged

        parts = merged(parts, merge, rules)
        if _RESOLVER_LINKS in merge.steps:
            named = resolved_link(parts, options)
            if named is not None:
                both = dict.fromkeys((*warnings, *named.warnings))
                return named._replace(warnings=tuple(both))
    uri = recompose(parts)
    # RFC 3986 6.2.1 and RFC 3987 5.3.1: simple string comparison compares the text without any change.
    key = text if level is _NONE and not merge else uri
    if level is _LEVEL_SCHEME:
        compared = rules.scheme(parts.scheme).compared
        if compared is not None:
            key = recompose(compared(parts))
    if merge and _ARCHIVE_KEY in merge.steps:
        from urisieve.judge.archive_key import archive_key

        key = archive_key(parts)
    return tuple.__new__(Judged, (uri, key, parts, tuple(warnings)))


class _Spoofing(NamedTuple):
    """The check for spoofing by some options: these, and the same without the check."""

    options: Options
    plain: Options
    check: SpoofCheck


# By the identity of options, which takes a hundredth of the time of their hash; the check holds them, so that no others
# get their identity.
_CHECKS: Final[dict[int, _Spoofing]] = {}


def _spoofing(options: Options) -> _Spoofing:
    known = _CHECKS.get(id(options))
    if known is None:
        from urisieve.rules.spoof_check import spoof_check

        plain = replace(options, spoofing=Spoofing.OFF, protect=())
        check = spoof_check(protected_names(options) or ())
        known = _Spoofing(options, plain, check)
        if len(_CHECKS) >= _FEW_OPTIONS:
            _CHECKS.clear()
        _CHECKS[id(options)] = known
    return known


def _checked_for_spoofing(text: str, options: Options) -> Judged | Fault:
    """Judge a text, and add the warnings about what passes for another host."""
    _, plain, check = _spoofing(options)
    judged = judge(text, plain)
    if isinstance(judged, Fault):
        return judged
    parts = judged.parts or split(judged.uri)
    notices = check.notices(parts, parts if text == judged.uri else split(text))
    if not notices:
        return judged
    return judged._replace(warnings=tuple(dict.fromkeys((*judged.warnings, *(notice.warn for notice in notices)))))


def trusted_host(options: Options) -> Callable[[Judged], str | None] | None:
    """Return a function from what was judged to its host, if no warning about spoofing follows from that alone.

    Returns:
        the function; None if nothing is checked for spoofing.
    """
    if options.spoofing is not _WARN:
        return None
    check = _spoofing(options).check

    def trusted(judged: Judged) -> str | None:
        host = (judged.parts or split(judged.uri)).host
        return host if host and check.trusts(host) else None

    return trusted


def resolved_link(parts: Components, options: Options) -> Judged | None:
    """Apply the step `resolver-links`: judge the identifier to which a link of a resolver leads.

    Args:
        parts: the components of a valid URI, after all other steps.
        options: how to judge the identifier.

    Returns:
        None if the link is not one of a resolver, or leads to something that is not valid.
    """
    from urisieve.rules.links.resolver_links import identifier_of

    text = identifier_of(parts)
    judged = None if text is None else judge(text, options)
    return judged if isinstance(judged, Judged) else None
