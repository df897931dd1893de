"""Judge the text of one candidate: repair it, validate it, normalize it and make its key.

It also defines `quick_judge`, which returns the same: before it the kernel is asked, which knows most faults of links,
and hosts that were judged before; and `judge_with`, for components that are changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from unicodedata import normalize

from urisieve.codes import REASONS, Component, Reason, Warn
from urisieve.errors import UsageError
from urisieve.finding_options import Charset, Level, Options, Repair, Spoofing, by_identity, merging_of, protected_names
from urisieve.judge.normalize import normalize_parts
from urisieve.judge.proofs import knows, proofs_of_candidates, unwanted
from urisieve.judge.urn import canonical_urn, parse_urn, urn_fault, urn_warnings
from urisieve.judge.validate import Fault, validate
from urisieve.kernel import either, kernel
from urisieve.lean import TYPE_CHECKING, Final, NamedTuple, lazy_compile, replace
from urisieve.merging import NAMED_STEPS, MergeStep, Profile
from urisieve.rules.table import rules_of
from urisieve.syntax.components import Components, recompose, split
from urisieve.syntax.host import dns_host
from urisieve.syntax.iri import encoded, offset_before_composition, offset_before_repair, repaired
from urisieve.wording import did_you_mean

if TYPE_CHECKING:
    from urisieve.rules.spoof_check import SpoofCheck


class Judged(NamedTuple):
    """A valid candidate: canonical URI, key, components of the URI (None if they were not computed), warnings.

    The last are its canonical forms with the hosts that other programs read (`hosts-disagree`).
    """

    uri: str
    key: str
    parts: Components | None
    warnings: tuple[Warn, ...]
    others: tuple[str, ...] = ()

    @property
    def parts_apart(self) -> Components | None:
        """The components, unless they follow from the URI: by RFC 2141 `?` and `#` belong to the NSS."""
        is_apart = self.uri[:4].lower() == "urn:" and ("?" in self.uri or "#" in self.uri)
        return self.parts if is_apart else None


def judge(text: str, options: Options) -> Judged | Fault:
    """Judge the text of a candidate, without its wrapper and white space.

    Args:
        text: the candidate.
        options: how to judge and how far to normalize.

    Returns:
        the canonical form at the level of `options`, or the first fault in the order of the text.
    """
    if options.spoofing is Spoofing.WARN:
        return _checked_for_spoofing(text, options)
    if options.charset is Charset.LEGACY:
        composed = normalize("NFC", text)
        if composed != text:
            found = judge(composed, options)
            if isinstance(found, Judged):
                return found
            return found._replace(offset=offset_before_composition(text, found.offset))
    if options.repair is Repair.ENCODE:
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
        return Judged(recompose(parts), key, parts, urn_warnings(match, options.urn_syntax, rules))
    warnings: list[Warn] = []
    valid = validate(text, options, warnings)
    if isinstance(valid, Fault):
        return valid if text[valid.offset : valid.offset + 1] not in ("<", "[") else _with_sici(text, valid, options)
    parts = valid
    if level is not Level.NONE:
        parts = normalize_parts(parts, level, rules)
    if _holds_secret(recompose(parts)):
        warnings.append(Warn.SECRET_PRESENT)
    merge = merging_of(options)
    if merge:
        from urisieve.judge.merge_steps import merged

        parts = merged(parts, merge, rules)
        if MergeStep.RESOLVER_LINKS in merge.steps:
            named = resolved_link(parts, options)
            if named is not None:
                both = dict.fromkeys((*warnings, *named.warnings))
                return named._replace(warnings=tuple(both))
    uri = recompose(parts)
    # RFC 3986 6.2.1 and RFC 3987 5.3.1: simple string comparison compares the text without any change.
    key = text if level is Level.NONE and not merge else uri
    if level is Level.SCHEME:
        compared = rules.scheme(parts.scheme).compared
        if compared is not None:
            key = recompose(compared(parts))
    if merge and MergeStep.ARCHIVE_KEY in merge.steps:
        from urisieve.judge.templates import archive_key

        key = archive_key(parts)
    others: tuple[str, ...] = ()
    if Warn.HOSTS_DISAGREE in warnings and valid.host:
        others = tuple(recompose(parts._replace(host=one)) for one in dns_host(valid.host).others)
    return Judged(uri, key, parts, tuple(warnings), others)


def _holds_secret(text: str) -> bool:
    """Report whether a secret is in a canonical form, before any step of merging may have dropped it."""
    if len(text) < _LEAST_WITH_SECRET:
        return False
    from urisieve.rules.secret_check import secrets

    return bool(secrets(text))


def _with_sici(text: str, wrong: Fault, options: Options) -> Judged | Fault:
    """Judge a text at fault in a bracket, which that of a SICI in a DOI name may be; these are percent-encoded."""
    from urisieve.syntax.iri import encoded_sici

    encoded = encoded_sici(text)
    if not encoded.marks:
        return wrong
    found = judge(encoded.text, options)
    if isinstance(found, Fault):
        return found._replace(offset=encoded.original(found.offset))
    return found._replace(warnings=(Warn.REPAIRED, *found.warnings))


@by_identity
def _spoofing(options: Options) -> tuple[Options, SpoofCheck]:
    """Return some options without the check for spoofing, and the check."""
    from urisieve.rules.spoof_check import spoof_check

    plain = replace(options, spoofing=Spoofing.OFF, protect=())
    return plain, spoof_check(protected_names(options) or ())


def _checked_for_spoofing(text: str, options: Options) -> Judged | Fault:
    """Judge a text, and add the warnings about what passes for another host."""
    judged = judge(text, _spoofing(options)[0])
    return judged if isinstance(judged, Fault) else _with_spoofing(text, judged, options)


def _with_spoofing(text: str, judged: Judged, options: Options) -> Judged:
    """Add the warnings about what passes for another host to a judgement."""
    check = _spoofing(options)[1]
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
    if options.spoofing is not Spoofing.WARN:
        return None
    _, check = _spoofing(options)

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
    from urisieve.rules.resolver_links import identifier_of

    text, plain = identifier_of(parts), _without_resolvers(options)
    judged = None if text is None else judge(text, plain)
    # What a resolver leads to may be the name of something else: a DOI of arXiv is that of a paper.
    if isinstance(judged, Judged) and (further := identifier_of(judged.parts or split(judged.uri))) not in (None, text):
        judged = judge(further, plain)
    return judged if isinstance(judged, Judged) else None


@by_identity
def _without_resolvers(options: Options) -> Options:
    """Return some options without the step `resolver-links`: an identifier may be a link that has a row itself."""
    merge = merging_of(options)
    steps = [step for step in merge.steps if step in NAMED_STEPS and step is not MergeStep.RESOLVER_LINKS]
    return replace(options, merge=Profile(steps, merge.drop_params, merge.keep_params))


# No secret is in a shorter text, as `s:pwd=1234`.
_LEAST_WITH_SECRET: Final = 10
# What the kernel finds; tools/generate_kernel_tables.py gives it their names.
FAULTS: Final = (
    *(Reason.ILLEGAL_CHARACTER, Reason.BAD_PERCENT_ENCODING, Reason.BRACKET_OUTSIDE_HOST, Reason.SECOND_FRAGMENT),
    *(Reason.BAD_PORT, Reason.HOST_LABEL),
)
_REASONS: Final = {str(reason): reason for reason in FAULTS}
_COMPONENTS: Final = {str(component): component for component in Component}


# A link whose forms at the levels `syntax` and `scheme` are the same, as far as its host has no dot at its end.
_ROOTED: Final = lazy_compile(r"(?i)https?://[a-z0-9-]+(?:\.[a-z0-9-]+)+/")


def _may_be_proved(text: str, options: Options) -> bool:
    """Report whether the kernel may know the form of a text that its search has left, and no warning is about it."""
    if "@" in text or text[:4].lower() != "http":  # a user has a warning, which no proof states
        return False
    if options.level is Level.SYNTAX:
        return "xn--" not in text.lower() and _ROOTED.match(text) is not None
    # Of an internationalized host it knows what was judged before; of any other it was asked before.
    return bool(options.protect) or not text.isascii() or "xn--" in text


@by_identity
def _provable(options: Options) -> Options | None:
    """Return options by which the kernel makes the forms of texts that `_may_be_proved` lets it see.

    None if it does not know all of those that are given.
    """
    if not knows(options):
        return None
    if options.spoofing is Spoofing.WARN:
        options = _spoofing(options)[0]
    return replace(options, level=Level.SCHEME) if options.level is Level.SYNTAX else options


def _by_kernel(text: str, options: Options) -> Judged | Fault:
    proofs = proofs_of_candidates(options)
    found = proofs.fault(text)
    if found is not None:
        name, component, offset = found
        if text[offset : offset + 1] in ("<", "[") and "10." in text:
            return judge(text, options)  # it may begin the end of a SICI
        reason = _REASONS[name]
        return tuple.__new__(Fault, (reason, _COMPONENTS[component], offset, REASONS[reason].section))
    provable = _provable(options) if _may_be_proved(text, options) else None
    if provable is None:
        return judge(text, options)
    proofs = proofs_of_candidates(provable)
    form, key = proofs.canonical(text), proofs.key(text)
    if form is not None and key is not None:
        warnings = (Warn.SECRET_PRESENT,) if _holds_secret(form) else ()
        proved = tuple.__new__(Judged, (form, key, None, warnings, ()))
        return proved if options.spoofing is Spoofing.OFF else _with_spoofing(text, proved, options)
    judged = judge(text, options)
    if isinstance(judged, Judged):
        _learn(split(text).host or "")
    return judged


def _learn(host: str) -> None:
    """Let the kernel remember the canonical form of a host, if it has no warnings and no dot at its end."""
    if "%" not in host and (not host.isascii() or "xn--" in host):
        verdict = dns_host(encoded(host))
        if verdict.reason is None and not verdict.warnings and verdict.host[-1] != ".":
            kernel.learn_host(host, verdict.host)


quick_judge: Final = either(_by_kernel, judge)
"""Judge the text of a candidate; see `judge`."""


def judge_with(parts: Components, changes: Mapping[str, str | None], options: Options) -> tuple[str, Judged | Fault]:
    """Put components together (RFC 3986 5.3) of which some are changed; return the text and the judgement.

    Args:
        parts: the components of a canonical form; by RFC 2141 `?` and `#` belong to the path of a URN.
        changes: the new components by name.
        options: how to judge.

    Raises:
        UsageError: there is no such component, a value is not text, or the text has other components.
    """
    known = Components._fields
    for name, value in changes.items():
        if name not in known:
            raise UsageError(f"there is no component {name!r}{did_you_mean(name, known)}; there are {', '.join(known)}")
        if not isinstance(value, str) and (value is not None or name in ("scheme", "path")):
            raise UsageError(f"{name} is {type(value).__name__}: give text")
    parts = Components(**{**parts._asdict(), **changes})
    text = recompose(parts)
    judged = unwanted(text, options) or quick_judge(text, options)
    is_same = True  # what is not valid is refused in any case
    if parts.scheme.lower() != "urn":
        is_same = _split(text) == parts
    elif isinstance(judged, Judged):
        made = judged.parts or split(judged.uri)
        is_same = (made.query is None, made.fragment is None) == (parts.query is None, parts.fragment is None)
    if not is_same:
        names = " and ".join(changes)
        raise UsageError(f"with this {names} the identifier has other components: escape what delimits them")
    return text, judged


def _split(text: str) -> Components | None:
    try:
        return split(text)
    except ValueError:
        return None
