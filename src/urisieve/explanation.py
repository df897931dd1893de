"""`explain`: what kind of identifier a text is, its components, and each rule that changed it to its canonical form."""

from __future__ import annotations

from itertools import islice
from types import EllipsisType

from urisieve import finding_options, shapes
from urisieve.codes import WARNINGS, Warn
from urisieve.find.line_prefixes import without_prefixes
from urisieve.finding_options import Options
from urisieve.identifiers import check
from urisieve.judge.spans import Span, components_in
from urisieve.judge.steps import Rule, Step, canonical_steps, key_step, merging_rules, reading_steps
from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple, dataclass, overload, replace
from urisieve.merging import MergeStep
from urisieve.quick_enums import StrEnum
from urisieve.records.base import RejectionFields
from urisieve.records.masking import hides_password, masked_text
from urisieve.records.record import Record
from urisieve.records.rejection import Rejection, make_rejection
from urisieve.rules.registry import registered_schemes
from urisieve.rules.table import rules_of
from urisieve.shapes import Default
from urisieve.streams import sieve
from urisieve.syntax.components import SPACES, Components, without_space_around
from urisieve.syntax.passwords import MASK, own_passwords, userinfo_password

if TYPE_CHECKING:
    from urisieve.records.mask import Mask

__all__ = ["Explanation", "Remedy", "Span", "Step", "Subject", "Warned"]

# How many levels of identifiers inside others are explained: a text of many `view-source:` must not exceed the
# recursion limit. Web archives of web archives have three levels.
_DEPTH: Final = 8
_NO_SPACES: Final = dict.fromkeys(map(ord, SPACES))


class Subject(NamedTuple):
    """A scheme or URN namespace: its name, its title and its reference.

    >>> from urisieve import explain
    >>> from urisieve.explanation import Subject
    >>> subject: Subject = explain("urn:isbn:0395363411").subjects[1]
    >>> subject.name, subject.reference
    ('urn:isbn', 'RFC 3187 3.2, 5')
    """

    name: str
    title: str
    reference: str


class Warned(NamedTuple):
    """A warning with its section, its meaning, and what was found or expected (`Notice.detail`).

    >>> from urisieve import explain
    >>> from urisieve.explanation import Warned
    >>> warned: Warned = explain("urn:isbn:0395363412").warnings[0]
    >>> str(warned.warn), warned.detail
    ('wrong-check-digit', '1')
    """

    warn: Warn
    section: str
    meaning: str
    detail: str


class Remedy(StrEnum):
    """How an identifier can be obtained from a text that is not valid: by an option, or by searching the text.

    >>> from urisieve import explain
    >>> from urisieve.explanation import Remedy
    >>> explain("hxxp://evil[.]example").remedy is Remedy.REFANG
    True
    """

    REPAIR = "repair"
    RFC8141 = "rfc8141"
    REFANG = "refang"
    SCHEMELESS = "schemeless"
    EMAIL = "email"
    EXTRACT = "extract"


@dataclass(frozen=True, kw_only=True, slots=True)
class Explanation:
    """The explanation of one text; `explain` makes it.

    >>> from urisieve import explain
    >>> from urisieve.explanation import Explanation
    >>> explanation: Explanation = explain("HTTP://example.com")
    >>> [(str(step.rule), step.after) for step in explanation.steps]
    [('scheme-case', 'http://example.com'), ('empty-path', 'http://example.com/')]

    Attributes:
        text: the text that was explained.
        options: the options by which it was judged.
        found: the record, or the rejection if the text is not valid.
        subjects: the scheme, and the namespace of a URN; empty if the text has no scheme.
        components: the components with their offsets in the text, in order, by the names of the RFCs.
        parts: the named parts (`Record.parts`).
        steps: each rule that changed something, from the text to `uri`; empty if nothing changed.
        key_step: the step from the URI to the key; None if the key is the URI.
        warnings: the warnings of the record, explained.
        inner: the explanation of the identifier inside this one, or None.
        remedy: how an identifier can be obtained from a text that is not valid; None if there is no way.
        remedied: the explanation of that identifier, or None; its steps begin with this text.
    """

    text: str
    options: Options
    found: Record | Rejection
    subjects: tuple[Subject, ...] = ()
    components: tuple[Span, ...] = ()
    parts: dict[str, str]
    steps: tuple[Step, ...] = ()
    key_step: Step | None = None
    warnings: tuple[Warned, ...] = ()
    inner: Explanation | None = None
    remedy: Remedy | None = None
    remedied: Explanation | None = None

    def __repr__(self) -> str:
        return f"<Explanation of {self.found!r}: {', '.join([str(step.rule) for step in self.steps]) or 'no step'}>"

    @property
    def record(self) -> Record | None:
        """The record of a valid identifier; None if the text is not valid."""
        return self.found if isinstance(self.found, Record) else None

    @property
    def rejection(self) -> Rejection | None:
        """The rejection of a text that is not valid; None if it is valid."""
        return self.found if isinstance(self.found, Rejection) else None

    @property
    def kind(self) -> str | None:
        """`urn`, `iri` or `uri`; None if the text is not valid."""
        return self.found.kind if isinstance(self.found, Record) else None

    def merging_rules(self, other: Explanation) -> tuple[str, ...]:
        """Return the codes of the rules by which two texts have the same key; () if they have not, or no rule applies.

        >>> from urisieve import Options, explain
        >>> page = Options(merge="page")
        >>> explain("http://a.example/x", options=page).merging_rules(explain("https://a.example/x/", options=page))
        ('https', 'trailing-slash')
        """
        shapes.instance("other", other, Explanation, "explain(text)")
        one, two = self.record, other.record
        if one is None or two is None or one.key != two.key:
            return ()
        return merging_rules(*([*each.steps, *filter(None, [each.key_step])] for each in (self, other)))

    def differing_component(self, other: Explanation) -> str | None:
        """Return the first component in which the keys of two texts differ; None if they do not, or have none.

        Keys of web archives (`archive-key`) and texts that are not valid have no components to compare.

        >>> from urisieve import explain
        >>> explain("http://a.example/x").differing_component(explain("http://a.example/y"))
        'path'
        """
        shapes.instance("other", other, Explanation, "explain(text)")
        one, two = ({span.name: span.text for span in each._key_components()} for each in (self, other))
        names = ("scheme", "nid", "nss", *Components._fields[1:], "r-component", "q-component", "f-component")
        return next((name for name in names if one and two and one.get(name) != two.get(name)), None)

    def _key_components(self) -> tuple[Span, ...]:
        if self.record is None or MergeStep.ARCHIVE_KEY in finding_options.merging_of(self.options).steps:
            return ()
        return components_in(self.record.key, self.options)

    def as_dict(self) -> dict[str, Any]:
        """Return all fields by name, for JSON; the names are stable."""
        record = self.record
        return {
            "text": self.text,
            "valid": record is not None,
            "kind": self.kind,
            "subjects": [subject._asdict() for subject in self.subjects],
            "components": [span._asdict() for span in self.components],
            "parts": dict(self.parts),
            "steps": [step._asdict() for step in self.steps],
            "uri": None if record is None else record.uri,
            "iri": None if record is None else record.iri,
            "key": None if record is None else record.key,
            "key_step": None if self.key_step is None else self.key_step._asdict(),
            "warnings": [warned._asdict() for warned in self.warnings],
            "rejection": None if self.rejection is None else self.rejection.as_dict(),
            "inner": None if self.inner is None else self.inner.as_dict(),
            "remedy": self.remedy,
            "remedied": None if self.remedied is None else self.remedied.as_dict(),
        }


@overload
def explain(text: str, *, options: Options | None = None) -> Explanation: ...


@overload
def explain(text: str | None, *, options: Options | None = None, default: Default) -> Explanation | Default: ...


def explain(
    text: str | None, *, options: Options | None = None, default: Default | EllipsisType = ...
) -> Explanation | Default:
    """Explain a whole text as one identifier; `found` is what `check` returns.

    >>> from urisieve import explain
    >>> [(str(step.rule), step.section) for step in explain("http://example.com/%7ea").steps]
    [('unreserved', 'RFC 3986 2.3, 6.2.2.2')]
    >>> str(explain("www.example.com").remedy)
    'schemeless'

    Args:
        text: the text.
        options: how to judge and how far to normalize; `Options()` by default.
        default: returned for a missing value (None, NaN, NA of pandas), which is an error without it. What is not valid
            is explained.

    Raises:
        UsageError: the text is not a string.
    """
    chosen = finding_options.checked(options)
    return _explained(text, chosen, _DEPTH) if isinstance(text, str) else shapes.missing("text", text, default)


def masked(explanation: Explanation, mask: Mask | None = None) -> Explanation:
    """Return an explanation with passwords masked, for output (RFC 3986 3.2.1).

    It is the explanation of the text with its password masked, but with the kind and the warnings of the text itself.

    Args:
        explanation: the explanation.
        mask: how values leave, if more is to be hidden than passwords.
    """
    if mask is not None and mask.hides_parts:
        return _without_parts(explanation, mask)
    found, options = explanation.found, explanation.options
    inner = explanation.inner and masked(explanation.inner)
    if isinstance(found, Rejection):
        remedied = explanation.remedied and masked(explanation.remedied)
        hidden = found.masked()
        if hidden is found and remedied is not explanation.remedied:
            hidden = _without_password(found, explanation.remedied)
        if hidden is found:
            return explanation if remedied is explanation.remedied else replace(explanation, remedied=remedied)
        # If the password cannot be distinguished from the text around it, the components are left out.
        return Explanation(
            text=hidden.raw, options=options, found=hidden, parts={}, remedy=explanation.remedy, remedied=remedied
        )
    if Warn.PASSWORD_PRESENT not in found.warnings and not hides_password(found.uri):
        return explanation if inner is explanation.inner else replace(explanation, inner=inner)
    texts = [explanation.text, *(step.after for step in explanation.steps)]
    index = next(index for index, text in enumerate(texts) if isinstance(check(text, options=options), Record))
    hidden_texts = [masked_text(text) for text in texts[: index + 1]]
    plain = _explained(hidden_texts[-1], options, _DEPTH)
    # The steps before the first valid text are shown only if the password can be masked in each of them.
    before = explanation.steps[:index] if all(map(own_passwords, texts[: index + 1])) else ()
    reading = [
        step._replace(before=masked_text(step.before), after=masked_text(step.after))
        for step in before
        if masked_text(step.before) != masked_text(step.after)
    ]
    return replace(
        plain,
        text=hidden_texts[0] if before else plain.text,
        components=explanation.components and plain.components,
        steps=(*reading, *plain.steps),
        warnings=explanation.warnings,
        inner=inner,
    )


def _without_parts(explanation: Explanation, mask: Mask) -> Explanation:
    """Return an explanation without parts: of the record or rejection what may be written, and steps between forms."""
    found, options = explanation.found, explanation.options
    remedied = explanation.remedied and _without_parts(explanation.remedied, mask)
    if isinstance(found, Rejection):
        hidden = _shown_as(found, *mask.hidden(found.raw, found.offset))
        # What is not valid cannot be split, so that its components are left out.
        return Explanation(
            text=hidden.raw, options=options, found=hidden, parts={}, remedy=explanation.remedy, remedied=remedied
        )
    row_of = found.fields
    shown = found.with_row(
        row_of._replace(
            raw=mask.raw(row_of.raw, found.uri),
            uri=mask.uri(found.uri),
            key=mask.uri(row_of.key),
            alternatives=tuple(map(mask.alternative, row_of.alternatives)),
        )
    )
    text = mask.raw(explanation.text, found.uri)
    steps = (
        step._replace(before=before, after=after)
        for step in explanation.steps
        if (before := mask.raw(step.before, found.uri)) != (after := mask.raw(step.after, found.uri))
    )
    key_step = explanation.key_step
    return replace(
        explanation,
        text=text,
        found=shown,
        components=explanation.components and components_in(text, options),
        parts=shown.parts,
        steps=tuple(steps),
        key_step=key_step and key_step._replace(before=mask.uri(key_step.before), after=mask.uri(key_step.after)),
        warnings=tuple(warned._replace(detail="") for warned in explanation.warnings),
        inner=explanation.inner and _without_parts(explanation.inner, mask),
    )


def _without_password(found: Rejection, remedied: Explanation | None) -> Rejection:
    """Mask in a rejection the password of the identifier that was found in its text.

    If it is not between a colon and an at-sign there, as it is in the identifier, the identifier is shown instead.
    """
    import re

    record = None if remedied is None else remedied.record
    if record is None or not hides_password(record.uri):
        return found
    password = userinfo_password(record.raw)
    text = password and re.escape(record.raw[slice(*password)])
    place = password and re.search(rf"(?i::[\])}}]?(?P<password>{text}) ?[\[({{]? ?(?:@|at))", found.raw)
    if place:
        start, end = place.span("password")
        offset = found.offset + len(MASK) - (end - start) if found.offset >= end else min(found.offset, start)
        raw = f"{found.raw[:start]}{MASK}{found.raw[end:]}"
    else:
        raw = masked_text(record.uri)
        offset = min(found.offset, len(raw))
    return _shown_as(found, raw, offset)


def _shown_as(found: Rejection, raw: str, offset: int) -> Rejection:
    return make_rejection(
        RejectionFields(raw, found.reason, found.component, offset, found.section, found.start, found.end, 1, 1)
    )


def _explained(text: str, options: Options, depth: int) -> Explanation:
    found = check(text, options=options)
    whole = without_space_around(text)
    spans = components_in(text, options)
    explained = Explanation(
        text=text, options=options, found=found, subjects=_subjects(spans, options), components=spans, parts={}
    )
    if isinstance(found, Rejection):
        remedy, remedied = _remedied(text, options, depth)
        return replace(explained, remedy=remedy, remedied=remedied)
    if options.bare:
        from urisieve.judge.bare_names import bare_candidate

        candidate = bare_candidate(whole, options)
        if isinstance(candidate, str):
            return _of_bare(text, candidate, found, options, depth)
    inner = found.inner if depth else None
    return replace(
        explained,
        parts=found.parts,
        steps=(*reading_steps(text, [(Rule.WHITE_SPACE, whole)]), *canonical_steps(whole, options)),
        key_step=key_step(found.scheme, found.uri, found.key, options),
        warnings=tuple(Warned(warn, *WARNINGS[warn], detail) for warn, detail in found.notices),
        inner=None if inner is None else _explained(inner, options, depth - 1),
    )


def _of_bare(text: str, candidate: str, found: Record, options: Options, depth: int) -> Explanation:
    """Return the explanation of an identifier without its scheme: that of the one with it, after one step."""
    explained = _explained(candidate, replace(options, bare=()), depth)
    return replace(
        explained,
        text=text,
        options=options,
        found=found,
        components=(),
        parts=found.parts,
        steps=(
            *reading_steps(text, [(Rule.WHITE_SPACE, without_space_around(text)), (Rule.SCHEME_ASSUMED, candidate)]),
            *explained.steps,
        ),
        warnings=(*_finding_warnings(found), *explained.warnings),
    )


def _subjects(components: tuple[Span, ...], options: Options) -> tuple[Subject, ...]:
    if not components:
        return ()
    name = components[0].text.lower()
    rules = rules_of(options.rules)
    rule = rules.scheme(name)
    if rule.title:
        scheme = Subject(name, rule.title, rule.reference)
    elif name in registered_schemes():
        status, reference = registered_schemes()[name]
        scheme = Subject(name, f"a registered scheme ({status})" if status else "a registered scheme", reference)
    else:
        scheme = Subject(name, "a scheme of which nothing is known", rule.reference)
    if name != "urn":
        return (scheme,)
    row = rules.namespace(components[1].text.lower())
    return scheme, Subject(f"urn:{row.name}", row.title, row.reference)


def _remedied(text: str, options: Options, depth: int) -> tuple[Remedy | None, Explanation | None]:
    """Return the remedy for a text that is not valid, and the identifier explained; (None, None) if there is none.

    A find that covers the whole text comes first, then the options that make the text valid, then a find within it.
    """
    found = _found_in(text, options)
    if found is not None and without_space_around(text) == found[1].raw:
        return _as_found(text, *found, options, depth)
    for remedy, other in (
        (Remedy.RFC8141, replace(options, urn_syntax=finding_options.UrnSyntax.RFC8141)),
        (Remedy.REPAIR, replace(options, repair=finding_options.Repair.ENCODE)),
    ):
        if isinstance(check(text, options=other), Record):
            return remedy, _explained(text, other, depth)
    return (None, None) if found is None else _as_found(text, *found, options, depth)


def _found_in(text: str, options: Options) -> tuple[str, Record] | None:
    """Search a text; return the candidate and the record if it contains exactly one identifier, else None."""
    finding = replace(
        options,
        refang=finding_options.Refang.KNOWN_FORMS,
        schemeless=finding_options.SchemelessFinding.NAMES,
        email=finding_options.EmailFinding.ADDRESSES,
        level=finding_options.Level.NONE,
        merge=(),
        repair=finding_options.Repair.OFF,
    )
    records = list(islice(sieve(text, options=finding), 2))
    if len(records) != 1 or not isinstance(records[0], Record):
        return None
    # At level `none` the key is the candidate that was judged (RFC 3986 6.2.1).
    return records[0].key, records[0]


def _as_found(
    text: str, candidate: str, record: Record, options: Options, depth: int
) -> tuple[Remedy | None, Explanation | None]:
    if not isinstance(check(candidate, options=options), Record):
        return None, None
    changes = [(Rule.DELIMITERS, record.raw)]
    remedy = Remedy.EXTRACT
    if Warn.WHITESPACE_REMOVED in record.warnings:
        changes.append((Rule.WHITE_SPACE, without_prefixes(record.raw).translate(_NO_SPACES)))
    assumed = Warn.SCHEME_ASSUMED in record.warnings
    scheme = candidate.partition(":")[0]
    if assumed:
        remedy = Remedy.EMAIL if scheme == "mailto" else Remedy.SCHEMELESS
    if Warn.REFANGED in record.warnings:
        remedy = Remedy.REFANG
        head = "mailto:" if scheme == "mailto" else "http://"
        changes.append((Rule.REFANG, candidate.removeprefix(head) if assumed else candidate))
    elif {Warn.UNESCAPED, Warn.ESCAPES_REMOVED}.intersection(record.warnings):
        changes.append((Rule.UNESCAPE, candidate))
    changes.append((Rule.SCHEME_ASSUMED, candidate))
    explained = _explained(candidate, options, depth)
    return remedy, replace(
        explained,
        text=text,
        components=(),
        steps=(*reading_steps(text, changes), *explained.steps),
        warnings=(*(_finding_warnings(record)), *explained.warnings),
    )


# The warnings that come from finding a candidate in a text, not from judging it.
_OF_READING: Final = (
    *(Warn.WHITESPACE_REMOVED, Warn.HYPHEN_AT_LINE_BREAK, Warn.REFANGED, Warn.UNESCAPED, Warn.ESCAPES_REMOVED),
    Warn.SCHEME_ASSUMED,
)


def _finding_warnings(record: Record) -> list[Warned]:
    return [Warned(warn, *WARNINGS[warn], "") for warn in record.warnings if warn in _OF_READING]
