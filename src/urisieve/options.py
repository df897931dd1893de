"""The options of the sieve: one frozen value that every stage reads and none changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeVar

from urisieve.errors import UsageError
from urisieve.nearest import did_you_mean
from urisieve.rules.scheme import Scheme
from urisieve.rules.table import Rule, checked_rules

__all__ = [
    "DEFAULT_MAX_LENGTH",
    "Charset",
    "EmailFinding",
    "EmbeddedSpace",
    "Level",
    "Lossy",
    "NestedFinding",
    "Options",
    "Positions",
    "Refang",
    "Repair",
    "SchemePolicy",
    "SchemelessFinding",
    "UrnSyntax",
    "ZoneIdentifiers",
    "choice",
    "listed_schemes",
]

# 64 Ki characters: four times the longest link seen in mail and crawls, and a bound on what is held undecided.
DEFAULT_MAX_LENGTH: Final = 65_536
# Below this a limit would reject ordinary links: RFC 9110 4.1 asks for at least 8,000 octets in practice, but
# tests and small devices need less.
_LEAST_MAX_LENGTH: Final = 64


class SchemePolicy(StrEnum):
    """Which schemes make a candidate."""

    DEFAULT = "default"
    """Any scheme before `//`; without `//` the curated schemes whose shape is unmistakable."""
    REGISTERED = "registered"
    """As DEFAULT, but only schemes of the IANA registry and those in `Options.known_schemes`."""
    ANY = "any"
    """Every `scheme:` followed by a character that an identifier may hold."""


class UrnSyntax(StrEnum):
    """Which RFC says what a URN is."""

    RFC2141 = "rfc2141"
    RFC8141 = "rfc8141"


class Level(StrEnum):
    """The rungs of the normalization ladder (RFC 3986 6.2); each includes those before it."""

    NONE = "none"
    """Simple string comparison (6.2.1): nothing is changed."""
    SYNTAX = "syntax"
    """Case, percent-encoding and dot segments (6.2.2)."""
    SCHEME = "scheme"
    """Scheme-based rules and those of URN namespaces (6.2.3)."""


class Lossy(StrEnum):
    """Steps that merge identifiers which the RFCs keep apart: only by name, none by default."""

    DROP_FRAGMENT = "drop-fragment"
    SORT_QUERY = "sort-query"
    DROP_TRACKING = "drop-tracking"
    STRIP_WWW = "strip-www"
    NUMERIC_PORT = "numeric-port"
    ROOT_PATH = "root-path"
    ISBN_13 = "isbn-13"
    """`urn:isbn` of ten digits, if its check digit is right, becomes that of thirteen."""


class Repair(StrEnum):
    """What happens to characters that no identifier may hold."""

    OFF = "off"
    ENCODE = "encode"
    """Percent-encode them before validation; the record warns `repaired` and keeps the raw text."""


class EmbeddedSpace(StrEnum):
    """White space inside angle brackets (RFC 3986 Appendix C)."""

    REMOVE = "remove"
    LINE_BREAKS = "line-breaks"
    """Only runs of white space that hold a line break are removed."""
    KEEP = "keep"
    """None is removed: white space ends a candidate there as everywhere."""


class SchemelessFinding(StrEnum):
    """References without a scheme (RFC 3986 4.5)."""

    OFF = "off"
    WWW = "www"
    """Host names that begin with `www.` are read as `http://`, with the warning `scheme-assumed`."""
    NAMES = "names"
    """Other host names with a top-level domain of the DNS as well; `assumed.is_name` says which."""


class EmailFinding(StrEnum):
    """Mail addresses without `mailto:`."""

    OFF = "off"
    ADDRESSES = "addresses"
    """Addresses are read as `mailto:`, with the warning `scheme-assumed`."""


class Refang(StrEnum):
    """Identifiers that were made harmless, as analysts write them: `hxxps[:]//evil[.]example`."""

    OFF = "off"
    """They are what they look like."""
    KNOWN_FORMS = "known-forms"
    """They are read as what they were, with the warning `refanged`; `defanged` says in which forms."""


class NestedFinding(StrEnum):
    """Identifiers that stand inside another one, as in web archive paths."""

    SKIP = "skip"
    REPORT = "report"
    """They follow the one that holds them, with the warning `nested`."""


class Positions(StrEnum):
    """Which places of a record are known."""

    LINES = "lines"
    """Offsets, line and column."""
    OFFSETS = "offsets"
    """Offsets; line and column are 0. Lines are not counted, which takes a third of the time on text with few links."""


class Charset(StrEnum):
    """What the text was decoded from (RFC 3987 3.1 step 1)."""

    UNICODE = "unicode"
    """It was Unicode: characters stay as they are (step 1c)."""
    LEGACY = "legacy"
    """Another character encoding: candidates are brought to NFC before they are judged (step 1b)."""


class ZoneIdentifiers(StrEnum):
    """IPv6 zone identifiers (RFC 6874)."""

    REJECT = "reject"
    RFC6874 = "rfc6874"


_E = TypeVar("_E", bound=StrEnum)


def choice(kind: type[_E], value: str | bool, name: str, switch: tuple[_E, _E] | None = None) -> _E:
    """The member of an enum that a value means.

    Args:
        kind: the enum.
        value: a member, or its string; where there is a switch, True or False too.
        name: the name of the option, for the message.
        switch: what False and True mean, where the choice is on or off.

    Raises:
        UsageError: it means none; the message says what could be chosen.
    """
    if isinstance(value, bool) and switch is not None:
        return switch[value]
    try:
        return kind(value)  # type: ignore[arg-type] # what is no string is no member
    except ValueError:
        allowed = [repr(str(member)) for member in kind]
        if switch is not None:
            allowed += ["True", "False"]
        near = did_you_mean(str(value), map(str, kind))
        raise UsageError(f"{name}={value!r} is not a choice; use one of {', '.join(allowed)}{near}") from None


def _names(values: Iterable[str], name: str) -> frozenset[str]:
    if isinstance(values, str):
        raise UsageError(f"{name}={values!r} must be a collection of scheme names, for example {{{values!r}}}")
    try:
        values = list(values)
    except TypeError:
        raise UsageError(f"{name}={values!r} must be a collection of scheme names") from None
    found = frozenset(str(value).lower().removesuffix(":") for value in values)
    for value in found:
        if not (value.isascii() and value[:1].isalpha() and value.translate(_WITHOUT_MARKS).isalnum()):
            raise UsageError(f"{name}: {value!r} is no scheme name (a letter, then letters, digits, '+', '-', '.')")
    return found


def _apart(schemes: Scheme | Iterable[str | Scheme]) -> tuple[Iterable[str], list[Scheme]]:
    """The names of schemes, and the rows among them."""
    if isinstance(schemes, Scheme):
        return [schemes.name], [schemes]
    if not isinstance(schemes, Iterable):
        raise UsageError(f"schemes={schemes!r} must be a policy, or a collection of scheme names")
    schemes = list(schemes)
    rows = [one for one in schemes if isinstance(one, Scheme)]
    return [one.name if isinstance(one, Scheme) else one for one in schemes], rows


_WITHOUT_MARKS: Final = {ord("+"): None, ord("-"): None, ord("."): None}


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """What to find, how to validate and how far to normalize.

    Every enum field also takes the plain string of a member, and a boolean where the choice is on or off: True is what
    the option of the command line does. All fields are checked on construction.

    Args:
        schemes: a `SchemePolicy`, or the names of the only schemes to find. A `Scheme` stands for its name, and is one
            of `rules`.
        exclude_schemes: schemes never to find.
        known_schemes: schemes to treat as registered besides those of the IANA registry.
        rules: rows of `Scheme` and `Namespace` that hold besides those that are built in or of plug-ins. They add
            schemes and namespaces, or describe one that is only registered; what is found otherwise stays as it is.
        urn_syntax: RFC 2141 (default) or RFC 8141.
        level: the rung of the normalization ladder.
        lossy: lossy steps by name, applied after the ladder in the order of `Lossy`.
        repair: whether characters outside the grammar are percent-encoded; a boolean will do.
        embedded_space: what white space inside `<>` does.
        schemeless: whether references without a scheme are found; True for `names`.
        email: whether bare mail addresses are found; a boolean will do, as for the next three.
        refang: whether defanged identifiers are read as what they were.
        nested: whether identifiers inside others are reported too.
        zones: whether IPv6 zone identifiers are accepted.
        charset: whether the text was Unicode, or decoded from a legacy character encoding.
        positions: whether lines and columns are counted.
        max_length: the longest candidate in characters; a longer one becomes one rejection `too-long`.

    Raises:
        UsageError: a value that is none of the choices.
    """

    schemes: SchemePolicy | Scheme | Iterable[str | Scheme] = SchemePolicy.DEFAULT
    exclude_schemes: Iterable[str] = frozenset()
    known_schemes: Iterable[str] = frozenset()
    rules: Rule | Iterable[Rule] = ()
    urn_syntax: UrnSyntax | str = UrnSyntax.RFC2141
    level: Level | str = Level.SCHEME
    lossy: Iterable[Lossy | str] = ()
    repair: Repair | str | bool = Repair.OFF
    embedded_space: EmbeddedSpace | str = EmbeddedSpace.REMOVE
    schemeless: SchemelessFinding | str | bool = SchemelessFinding.OFF
    email: EmailFinding | str | bool = EmailFinding.OFF
    refang: Refang | str | bool = Refang.OFF
    nested: NestedFinding | str | bool = NestedFinding.SKIP
    zones: ZoneIdentifiers | str | bool = ZoneIdentifiers.REJECT
    charset: Charset | str = Charset.UNICODE
    positions: Positions | str = Positions.LINES
    max_length: int = DEFAULT_MAX_LENGTH

    def __post_init__(self) -> None:
        def put(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        if self.rules:
            put("rules", checked_rules(self.rules))
        if isinstance(self.schemes, str):
            put("schemes", choice(SchemePolicy, self.schemes, "schemes"))
        else:
            listed, rows = _apart(self.schemes)
            put("schemes", _names(listed, "schemes"))
            if rows:
                put("rules", checked_rules([*checked_rules(rows, "schemes"), *checked_rules(self.rules)]))
        put("exclude_schemes", _names(self.exclude_schemes, "exclude_schemes"))
        put("known_schemes", _names(self.known_schemes, "known_schemes"))
        put("urn_syntax", choice(UrnSyntax, self.urn_syntax, "urn_syntax"))
        put("level", choice(Level, self.level, "level"))
        try:
            lossy = (self.lossy,) if isinstance(self.lossy, str) else tuple(self.lossy)
        except TypeError:
            raise UsageError(f"lossy={self.lossy!r} must be names of steps: {', '.join(Lossy)}") from None
        chosen = {choice(Lossy, step, "lossy") for step in lossy}
        put("lossy", tuple(step for step in Lossy if step in chosen))
        put("repair", choice(Repair, self.repair, "repair", (Repair.OFF, Repair.ENCODE)))
        put("embedded_space", choice(EmbeddedSpace, self.embedded_space, "embedded_space"))
        names = (SchemelessFinding.OFF, SchemelessFinding.NAMES)
        put("schemeless", choice(SchemelessFinding, self.schemeless, "schemeless", names))
        put("email", choice(EmailFinding, self.email, "email", (EmailFinding.OFF, EmailFinding.ADDRESSES)))
        put("refang", choice(Refang, self.refang, "refang", (Refang.OFF, Refang.KNOWN_FORMS)))
        put("nested", choice(NestedFinding, self.nested, "nested", (NestedFinding.SKIP, NestedFinding.REPORT)))
        accepted = (ZoneIdentifiers.REJECT, ZoneIdentifiers.RFC6874)
        put("zones", choice(ZoneIdentifiers, self.zones, "zones", accepted))
        put("charset", choice(Charset, self.charset, "charset"))
        put("positions", choice(Positions, self.positions, "positions"))
        is_number = isinstance(self.max_length, int) and not isinstance(self.max_length, bool)
        if not is_number or self.max_length < _LEAST_MAX_LENGTH:
            raise UsageError(f"max_length={self.max_length!r} must be an integer of at least {_LEAST_MAX_LENGTH}")


def listed_schemes(options: Options) -> frozenset[str] | None:
    """The names of the only schemes to find; None where a policy says which."""
    return None if isinstance(options.schemes, SchemePolicy) else frozenset(map(str, options.schemes))


DEFAULT_OPTIONS: Final = Options()
