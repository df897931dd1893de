"""The steps from a text to its canonical form: the rules that changed something, each with its section.

The forms come from the functions of the normalizer, of `urisieve.judge.urn` and of the other stages; the change that
one of them makes is divided into steps by the components that it changes. So the ladder is not implemented twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import compress, count
from operator import ne
from unicodedata import normalize

from urisieve.finding_options import Charset, Level, Options, Repair, merging_of
from urisieve.judge.judge import resolved_link
from urisieve.judge.merge_steps import MERGE_ROWS, merged
from urisieve.judge.normalize import authority_based, percent_encoding, scheme_based, syntax_based
from urisieve.judge.urn import canonical_urn, parse_urn
from urisieve.judge.validate import Fault, validate
from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.merging import MergeStep
from urisieve.quick_enums import StrEnum
from urisieve.rules.registry import default_ports
from urisieve.rules.scheme_table import Scheme
from urisieve.rules.table import RuleTable, rules_of
from urisieve.syntax.components import Components, recompose, split
from urisieve.syntax.iri import encoded, encoded_sici, repaired


class Rule(StrEnum):
    """A rule that changes a text on the way to its canonical form, or the canonical form to the key.

    The codes are stable; the table `RULES` contains the section and the meaning of each.
    """

    DELIMITERS = "delimiters"
    WHITE_SPACE = "white-space"
    UNESCAPE = "unescape"
    REFANG = "refang"
    SCHEME_ASSUMED = "scheme-assumed"
    NFC = "nfc"
    REPAIR = "repair"
    IRI_TO_URI = "iri-to-uri"
    SCHEME_CASE = "scheme-case"
    UNRESERVED = "unreserved"
    TRIPLET_CASE = "triplet-case"
    HOST_CASE = "host-case"
    DOT_SEGMENTS = "dot-segments"
    IPV6_TEXT = "ipv6-text"
    A_LABELS = "a-labels"
    EMPTY_PORT = "empty-port"
    DEFAULT_PORT = "default-port"
    ROOT_PATH = "empty-path"
    SCHEME_RULE = "scheme-rule"
    NID_CASE = "nid-case"
    NAMESPACE_RULE = "namespace-rule"
    SIMPLE_COMPARISON = "simple-comparison"
    URN_COMPONENTS = "urn-components"
    COMPARED = "compared"


class RuleEntry(NamedTuple):
    """The section and the meaning of a rule, in words, as the documentation prints them."""

    section: str
    meaning: str


RULES: Final[dict[Rule, RuleEntry]] = {
    Rule.DELIMITERS: RuleEntry("RFC 3986 App. C", "the text around the identifier is left out"),
    Rule.WHITE_SPACE: RuleEntry("RFC 3986 App. C", "white space inside `<>`, or around a whole value, is removed"),
    Rule.UNESCAPE: RuleEntry("RFC 8259 7", "the escapes of a string are resolved, and those of a terminal removed"),
    Rule.REFANG: RuleEntry("urisieve", "defanged text is read as what it stands for"),
    Rule.SCHEME_ASSUMED: RuleEntry("RFC 3986 4.5", "the text has no scheme: the assumed one is put before it"),
    Rule.NFC: RuleEntry("RFC 3987 3.1 step 1b", "text of a legacy encoding is brought to Normalization Form C"),
    Rule.REPAIR: RuleEntry("urisieve", "characters outside the grammar are percent-encoded (`repair`; SICI in a DOI)"),
    Rule.IRI_TO_URI: RuleEntry("RFC 3987 3.1", "non-ASCII characters become the triplets of their UTF-8 octets"),
    Rule.SCHEME_CASE: RuleEntry("RFC 3986 3.1, 6.2.2.1", "the scheme is in lower case"),
    Rule.UNRESERVED: RuleEntry("RFC 3986 2.3, 6.2.2.2", "triplets of unreserved characters are decoded"),
    Rule.TRIPLET_CASE: RuleEntry("RFC 3986 2.1, 6.2.2.1", "the digits of triplets are in upper case"),
    Rule.HOST_CASE: RuleEntry("RFC 3986 3.2.2, 6.2.2.1", "the host is in lower case"),
    Rule.DOT_SEGMENTS: RuleEntry("RFC 3986 5.2.4, 6.2.2.3", "dot segments are removed from the path"),
    Rule.IPV6_TEXT: RuleEntry("RFC 5952 4, 5", "an IPv6 address has one text form"),
    Rule.A_LABELS: RuleEntry("UTS 46 4, RFC 5891 5", "an internationalized host name is in A-labels"),
    Rule.EMPTY_PORT: RuleEntry("RFC 3986 3.2.3, 6.2.3", "an empty port is left out with its colon"),
    Rule.DEFAULT_PORT: RuleEntry("RFC 3986 3.2.3, 6.2.3", "the default port of the scheme is left out"),
    Rule.ROOT_PATH: RuleEntry("RFC 3986 6.2.3", "an empty path after an authority is `/`"),
    Rule.SCHEME_RULE: RuleEntry("the scheme's own reference", "the rule of the scheme"),
    Rule.NID_CASE: RuleEntry("RFC 2141 5, RFC 8141 3.1", "the namespace identifier is in lower case"),
    Rule.NAMESPACE_RULE: RuleEntry("the namespace's own reference", "the rule of the URN namespace"),
    Rule.SIMPLE_COMPARISON: RuleEntry(
        "RFC 3986 6.2.1, RFC 3987 5.3.1", "at level `none` identifiers are compared as they stand"
    ),
    Rule.URN_COMPONENTS: RuleEntry("RFC 8141 3.1", "r-, q- and f-components are not compared"),
    Rule.COMPARED: RuleEntry("the scheme's own reference", "the scheme compares only parts of the identifier"),
}

_TRIPLET: Final = lazy_compile("%[0-9A-Fa-f]{2}")


class Step(NamedTuple):
    """The change that one rule made.

    >>> from urisieve import explain
    >>> from urisieve.explanation import Step
    >>> step: Step = explain("HTTP://example.com/").steps[0]
    >>> str(step.rule), step.section, step.before, step.after
    ('scheme-case', 'RFC 3986 3.1, 6.2.2.1', 'HTTP://example.com/', 'http://example.com/')

    Attributes:
        rule: the code of the rule, or the step of `Options.merge`.
        section: the section that states the rule; for a rule of a scheme or namespace the reference of its row.
        meaning: what the rule does, in words.
        before: the text before the change.
        after: the text after the change; it always differs from `before`.
    """

    rule: Rule | MergeStep
    section: str
    meaning: str
    before: str
    after: str


class _Change(NamedTuple):
    """The text that a rule returns, with the section and meaning where they are not those of `RULES`."""

    rule: Rule | MergeStep
    after: str
    section: str = ""
    meaning: str = ""


def _chained(text: str, changes: Iterable[_Change]) -> Iterator[Step]:
    for rule, after, section, meaning in changes:
        if after != text:
            if isinstance(rule, Rule):
                section, meaning = section or RULES[rule].section, meaning or RULES[rule].meaning
            yield Step(rule, section, meaning, text, after)
            text = after


def canonical_steps(text: str, options: Options) -> tuple[Step, ...]:
    """Return the steps from a valid identifier to its canonical URI, in order.

    The `before` of each step is the `after` of the step before it.

    Args:
        text: an identifier that is valid by these options.
        options: how far it is normalized.

    Raises:
        ValueError: the text is not valid by these options.
    """
    return tuple(_chained(text, _changes(text, options)))


def reading_steps(raw: str, changes: Iterable[tuple[Rule, str]]) -> tuple[Step, ...]:
    """Return the steps from the raw text of a find to the candidate that is judged."""
    return tuple(_chained(raw, (_Change(rule, after) for rule, after in changes)))


def _changes(text: str, options: Options) -> Iterator[_Change]:
    if options.charset == Charset.LEGACY:
        text = normalize("NFC", text)
        yield _Change(Rule.NFC, text)
    if options.repair == Repair.ENCODE:
        text = repaired(text)
        yield _Change(Rule.REPAIR, text)
    if text[:4].lower() == "urn:":
        yield from _urn_changes(text, options)
        return
    text = encoded_sici(text).text
    yield _Change(Rule.REPAIR, text)
    yield _Change(Rule.IRI_TO_URI, encoded(text))
    rules = rules_of(options.rules)
    parts = validate(text, options, [])
    if isinstance(parts, Fault):
        raise ValueError(f"not a valid identifier: {text[:80]!r}")
    if options.level != Level.NONE:
        yield from _syntax_changes(parts, rules)
        parts = syntax_based(parts, rules)
    if options.level == Level.SCHEME:
        yield from _scheme_changes(parts, rules)
        parts = scheme_based(parts, rules)
    profile = merging_of(options)
    for step in profile.steps:
        parts = merged(parts, profile.one_step(step), rules)
        yield _merging(step, recompose(parts))
        if step is MergeStep.RESOLVER_LINKS and (named := resolved_link(parts, options)) is not None:
            parts = named.parts or parts
            yield _merging(step, named.uri)


def _merging(step: MergeStep, after: str) -> _Change:
    row = MERGE_ROWS[step]
    return _Change(step, after, row.reference, row.meaning)


def _with_triplets(parts: Components, form: Callable[[str], str]) -> Components:
    """Apply `form` to each triplet of the components in which RFC 3986 6.2.2 normalizes triplets."""
    texts = {name: getattr(parts, name) for name in ("userinfo", "host", "path", "query", "fragment")}
    changed = {name: _TRIPLET.sub(lambda match: form(match[0]), text) for name, text in texts.items() if text}
    return parts._replace(**changed)


def _decoded_only(triplet: str) -> str:
    """Apply RFC 3986 6.2.2.2 to a triplet: return the unreserved character, or the triplet unchanged."""
    normal = percent_encoding(triplet)
    return normal if len(normal) == 1 else triplet


def _syntax_changes(parts: Components, rules: RuleTable) -> Iterator[_Change]:
    """Yield the changes that `syntax_based` makes (RFC 3986 6.2.2), rule by rule."""
    after = syntax_based(parts, rules)
    parts = parts._replace(scheme=after.scheme)
    yield _Change(Rule.SCHEME_CASE, recompose(parts))
    if not rules.scheme(after.scheme).keeps_triplets:
        for rule, form in ((Rule.UNRESERVED, _decoded_only), (Rule.TRIPLET_CASE, percent_encoding)):
            parts = _with_triplets(parts, form)
            yield _Change(rule, recompose(parts))
    parts = parts._replace(host=after.host)
    yield _Change(Rule.HOST_CASE, recompose(parts))
    yield _Change(Rule.DOT_SEGMENTS, recompose(after))


def _scheme_changes(parts: Components, rules: RuleTable) -> Iterator[_Change]:
    """Yield the changes that `scheme_based` makes (RFC 3986 6.2.3), rule by rule."""
    rule = rules.scheme(parts.scheme)
    after = authority_based(parts, rule)
    literal = (parts.host or "")[:1] == "["
    empty = parts.port == ""
    parts = parts._replace(host=after.host)
    yield _Change(Rule.IPV6_TEXT if literal else Rule.A_LABELS, recompose(parts))
    parts = parts._replace(port=after.port)
    yield _Change(Rule.EMPTY_PORT if empty else Rule.DEFAULT_PORT, recompose(parts), "" if empty else _port(rule))
    yield _Change(Rule.ROOT_PATH, recompose(after))
    yield _Change(Rule.SCHEME_RULE, recompose(scheme_based(after, rules)), _row_section(rule), _row_says(rule))


def _port(rule: Scheme) -> str:
    source = default_ports().get(rule.name, ("", "", rule.reference))[2]
    return f"{RULES[Rule.DEFAULT_PORT].section}, {source}"


# A section named in the words of a row; RFC 3986 is excluded because it is not the scheme's own.
_OWN_SECTION: Final = lazy_compile(r"RFC (?!3986)[0-9]+ [0-9]+(?:\.[0-9]+)*")


def _row_section(rule: Scheme) -> str:
    """Return the reference of a row, and the sections that its `case` and `equivalence` name."""
    named = _OWN_SECTION.findall(f"{rule.case} {rule.equivalence}")
    return ", ".join(dict.fromkeys([rule.reference, *named]))


def _row_says(rule: Scheme) -> str:
    said = [f"without case: {rule.case}"] if rule.case else []
    if rule.equivalence:
        said.append(f"the same: {rule.equivalence}")
    return f"the rule of `{rule.name}`; {'; '.join(said)}" if said else f"the rule of `{rule.name}`"


def _urn_changes(text: str, options: Options) -> Iterator[_Change]:
    """Yield the changes that `canonical_urn` makes, level by level (RFC 2141 5, RFC 8141 3.1)."""
    rules = rules_of(options.rules)
    match = parse_urn(text, options.urn_syntax)
    if match is None:
        raise ValueError(f"not a valid URN: {text[:80]!r}")
    if options.level != Level.NONE:
        parts = canonical_urn(match, Level.NONE, options.urn_syntax)[0]
        after = canonical_urn(match, Level.SYNTAX, options.urn_syntax)[0]
        parts = parts._replace(scheme=after.scheme)
        yield _Change(Rule.SCHEME_CASE, recompose(parts))
        nid = after.path.partition(":")[0]
        parts = parts._replace(path=f"{nid}{parts.path[len(nid) :]}")
        yield _Change(Rule.NID_CASE, recompose(parts))
        yield _Change(Rule.TRIPLET_CASE, recompose(after), "RFC 2141 5, RFC 8141 3.1")
        if options.level == Level.SCHEME:
            row = rules.namespace(nid)
            says = f"the rule of `urn:{row.name}`"
            form = recompose(canonical_urn(match, Level.SCHEME, options.urn_syntax, rules=rules)[0])
            said = f"{says}; {row.equivalence}" if row.equivalence else says
            yield _Change(Rule.NAMESPACE_RULE, form, row.reference, said)
    whole = canonical_urn(match, options.level, options.urn_syntax, merging_of(options), rules)[0]
    yield _merging(MergeStep.ISBN_13, recompose(whole))  # the only step of merging that changes URNs


def key_step(scheme: str, uri: str, key: str, options: Options) -> Step | None:
    """Return the step from a canonical URI to its key; None if the key is the URI."""
    if uri == key:
        return None
    if MergeStep.ARCHIVE_KEY in merging_of(options).steps and scheme.lower() != "urn":
        change = _merging(MergeStep.ARCHIVE_KEY, key)
        from urisieve.judge.templates import has_lost_name

        host = split(uri).host
        if host and has_lost_name(host):
            change = change._replace(meaning=f"{change.meaning}: here {host} has lost its own name")
    elif options.level == Level.NONE:
        change = _Change(Rule.SIMPLE_COMPARISON, key)
    elif scheme.lower() == "urn":
        change = _Change(Rule.URN_COMPONENTS, key)
    else:
        change = _Change(Rule.COMPARED, key, rules_of(options.rules).scheme(scheme.lower()).reference)
    return next(_chained(uri, [change]))


def merging_rules(one: Iterable[Step], other: Iterable[Step]) -> tuple[str, ...]:
    """Return the codes of the rules that two texts have the same key by, in the order in which they apply.

    They are those that change one of the texts, and not the other in the same way; none if no rule changes either.

    Args:
        one: the steps from a text to the key.
        other: those from another text.
    """
    first, second = ({(step.rule, _change(step.before, step.after)) for step in steps} for steps in (one, other))
    # If there are none, both have the same changes at different places.
    apart = {rule for rule, _ in first ^ second or first}
    return tuple(str(rule) for rule in (*Rule, *MergeStep) if rule in apart)


def _change(before: str, after: str) -> tuple[str, str]:
    """Return the text that was removed and that which was put there, without what both ends share."""
    start = _shared(before, after)
    before, after = before[start:], after[start:]
    end = _shared(before[::-1], after[::-1])
    return before[: len(before) - end], after[: len(after) - end]


def _shared(one: str, other: str) -> int:
    """Return how many characters two texts share at their start."""
    size = min(len(one), len(other))
    return next(compress(count(), map(ne, one, other)), size)
