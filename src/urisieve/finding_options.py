"""`Options`: how identifiers are found, validated and normalized, as one frozen value that every stage reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from urisieve import shapes
from urisieve.errors import UsageError
from urisieve.lean import TYPE_CHECKING, Any, Final, TypeVar, dataclass, field_names, late
from urisieve.merging import MergeStep, Profile, profile_of
from urisieve.quick_enums import StrEnum
from urisieve.wording import did_you_mean, in_order

if TYPE_CHECKING:
    from urisieve.rules.scheme_table import Namespace, Scheme
else:
    Namespace = late("urisieve.rules.scheme_table", "Namespace")
    Scheme = late("urisieve.rules.scheme_table", "Scheme")

# 64 Ki characters: four times the longest link seen in mail and crawls. It also bounds the text that is kept until a
# candidate ends.
DEFAULT_MAX_LENGTH: Final = 65_536
# A limit below this would reject ordinary links. RFC 9110 4.1 recommends support for at least 8,000 octets, but tests
# and small devices need less.
_LEAST_MAX_LENGTH: Final = 64
# 64 Mi characters. The kernel has the sizes of one candidate in 32 bits; a character of four bytes that becomes three
# by NFC, all percent-encoded, has 36 in the canonical form.
_MOST_MAX_LENGTH: Final = 67_108_864


class SchemePolicy(StrEnum):
    """Which schemes begin a candidate (RFC 3986 3.1).

    >>> from urisieve import Options, extract
    >>> from urisieve.options import SchemePolicy
    >>> [record.uri for record in extract("see crate://ab1")]
    ['crate://ab1']
    >>> [record.uri for record in extract("see crate://ab1", options=Options(schemes=SchemePolicy.REGISTERED))]
    []
    """

    DEFAULT = "default"
    """Any scheme before `//`; without `//` only known schemes, by the form of the text that follows."""
    REGISTERED = "registered"
    """As DEFAULT, but only schemes of the IANA registry and those in `Options.known_schemes`."""
    WEB = "web"
    """Only `http`, `https`, `ws`, `wss` and `ftp`: the schemes that may be followed without running a program."""
    ANY = "any"
    """Every `scheme:` followed by a character that an identifier may contain."""


class UrnSyntax(StrEnum):
    """The RFC that defines URNs: by RFC 8141, a URN may have r-, q- and f-components, which its key leaves out.

    >>> from urisieve import Options, key
    >>> from urisieve.options import UrnSyntax
    >>> key("urn:example:a?=b#c", options=Options(urn_syntax=UrnSyntax.RFC8141))
    'urn:example:a'
    """

    RFC2141 = "rfc2141"
    RFC8141 = "rfc8141"


class Level(StrEnum):
    """The levels of the normalization ladder (RFC 3986 6.2); each includes those before it.

    >>> from urisieve import normalize
    >>> from urisieve.options import Level
    >>> [normalize("HTTP://example.com:80", level) for level in Level]
    ['HTTP://example.com:80', 'http://example.com:80', 'http://example.com/']
    """

    NONE = "none"
    """Simple string comparison (6.2.1): nothing is changed."""
    SYNTAX = "syntax"
    """Case, percent-encoding and dot segments (6.2.2)."""
    SCHEME = "scheme"
    """The rules of schemes (6.2.3) and of URN namespaces (RFC 2141 5, RFC 8141 3.1)."""


class Repair(StrEnum):
    """Whether characters that no identifier may contain (RFC 3986 2) are percent-encoded.

    >>> from urisieve import Options, normalize
    >>> from urisieve.options import Repair
    >>> normalize("http://example.com/a b", options=Options(repair=Repair.ENCODE))
    'http://example.com/a%20b'
    """

    OFF = "off"
    """They make the identifier invalid."""
    ENCODE = "encode"
    """They are percent-encoded before validation, with the warning `repaired`; `raw` keeps the text."""


class SchemelessFinding(StrEnum):
    """Whether references without a scheme are found (RFC 3986 4.5).

    >>> from urisieve import Options, extract
    >>> from urisieve.options import SchemelessFinding
    >>> [record.uri for record in extract("see www.example.com", options=Options(schemeless=SchemelessFinding.WWW))]
    ['http://www.example.com/']
    """

    OFF = "off"
    """They are not found."""
    WWW = "www"
    """Host names that begin with `www.` are read as `http://`, with the warning `scheme-assumed`, and so are references
    of attributes that name their host, as `//example.com/x`, in documents without a base; else these are rejected."""
    NAMES = "names"
    """As WWW, and also other host names with a top-level domain of the DNS."""


class EmailFinding(StrEnum):
    """Whether mail addresses without `mailto:` are found (RFC 6068).

    >>> from urisieve import Options, extract
    >>> from urisieve.options import EmailFinding
    >>> [record.uri for record in extract("to ann@example.com", options=Options(email=EmailFinding.ADDRESSES))]
    ['mailto:ann@example.com']
    """

    OFF = "off"
    """They are not found."""
    ADDRESSES = "addresses"
    """Addresses are read as `mailto:`, with the warning `scheme-assumed`."""


class Bare(StrEnum):
    """The kinds of identifiers that libraries write without a scheme, and that are found only if they are named.

    Each gets its scheme, with the warning `scheme-assumed`. `docs/libraries.md` says what counts as one of each kind.

    >>> from urisieve import Options, extract
    >>> from urisieve.options import Bare
    >>> options = Options(bare=(Bare.DOI, Bare.ISBN))
    >>> [record.uri for record in extract("see 10.1000/182 and ISBN 0-395-36341-1", options=options)]
    ['doi:10.1000/182', 'urn:isbn:0395363411']
    """

    DOI = "doi"
    """Names of ANSI/NISO Z39.84, as `doi:`."""
    ISBN = "isbn"
    """Numbers of ISO 2108 with a right check digit, as `urn:isbn:`."""
    ISSN = "issn"
    """Numbers of ISO 3297 with a right check digit, as `urn:issn:`."""
    ORCID = "orcid"
    """ORCID iDs with a right check character (ISO 7064), as `https://orcid.org/`."""
    ARK = "ark"
    """Archival Resource Keys after the word `ark`, as `ark:/`."""
    HANDLE = "handle"
    """Handles of RFC 3650, as `hdl:`."""
    PMID = "pmid"
    """Numbers of PubMed after a word, as `https://pubmed.ncbi.nlm.nih.gov/`."""
    PMCID = "pmcid"
    """Numbers of PubMed Central, as `https://pmc.ncbi.nlm.nih.gov/articles/PMC`."""
    ARXIV = "arxiv"
    """Identifiers of arXiv, each version for itself, as `https://arxiv.org/abs/`."""


class Refang(StrEnum):
    """Whether defanged identifiers, which analysts alter so that they cannot be followed, are restored.

    >>> from urisieve import Options, extract
    >>> from urisieve.options import Refang
    >>> [record.uri for record in extract("hxxps[:]//evil[.]example/", options=Options(refang=Refang.KNOWN_FORMS))]
    ['https://evil.example/']
    """

    OFF = "off"
    """They are read as they are written."""
    KNOWN_FORMS = "known-forms"
    """They are restored, with the warning `refanged`; `urisieve.find.finder.defanged` contains the forms."""


class NestedFinding(StrEnum):
    """Whether identifiers inside another one, such as those in paths of web archives, are reported too.

    >>> from urisieve import Options, extract
    >>> from urisieve.options import NestedFinding
    >>> text = "http://a.example/http://b.example/"
    >>> [record.uri for record in extract(text, options=Options(nested=NestedFinding.REPORT))]
    ['http://a.example/http://b.example/', 'http://b.example/']
    """

    OFF = "off"
    """They are not reported."""
    REPORT = "report"
    """They are reported after the one that contains them, with the warning `nested`."""


class Unwrap(StrEnum):
    """Whether the links inside links of redirectors are reported too, decoded, without asking anybody.

    >>> from urisieve import Options, extract
    >>> from urisieve.options import Unwrap
    >>> text = "see https://www.google.com/url?q=https%3A%2F%2Fb.example%2F&sa=D"
    >>> [record.uri for record in extract(text, options=Options(unwrap=Unwrap.KNOWN))]
    ['https://www.google.com/url?q=https%3A%2F%2Fb.example%2F&sa=D', 'https://b.example/']
    """

    OFF = "off"
    """They are not reported."""
    KNOWN = "known"
    """They are reported after the link that contains them, with the warning `unwrapped`, each with those inside it; or
    rejected, if they are not valid. `urisieve.rules.redirectors` contains the redirectors."""
    ANY = "any"
    """As KNOWN, and so are links in parameters of the query of any other link, percent-encoded or not; in base64 if all
    of the parameter is a valid link of the web."""


class Spoofing(StrEnum):
    """Whether identifiers are checked for names, addresses and user information that pass for others (UTS 39).

    >>> from urisieve import Options, check
    >>> from urisieve.options import Spoofing
    >>> found = check("http://paypal.com@127.1/", options=Options(spoofing=Spoofing.WARN))
    >>> for notice in found.notices[1:]:
    ...     print(notice.warn, notice.detail)
    rare-ipv4 127.0.0.1
    hosts-disagree 127.0.0.1
    not-global-address 127.0.0.1 loopback
    userinfo-host paypal.com
    """

    OFF = "off"
    """They are not; a few warnings need no option, as `mixed-script`."""
    WARN = "warn"
    """They get warnings, and `Record.notices` says what was found. `docs/phishing.md` lists them."""


class Positions(StrEnum):
    """Which positions of a record are computed; offsets are numbers of characters from 0, lines and columns from 1.

    >>> from urisieve import Options, extract
    >>> from urisieve.options import Positions
    >>> [(r.start, r.line) for r in extract("see http://e.example/", options=Options(positions=Positions.OFFSETS))]
    [(4, 0)]
    """

    LINES = "lines"
    """Offsets, line and column."""
    OFFSETS = "offsets"
    """Offsets; line and column are 0. On text with few links, counting lines takes a third of the time."""


class Charset(StrEnum):
    r"""The character encoding from which the text was decoded (RFC 3987 3.1 step 1).

    >>> from urisieve import Options, normalize
    >>> from urisieve.options import Charset
    >>> text = "http://example.com/e\u0301"
    >>> normalize(text), normalize(text, options=Options(charset=Charset.LEGACY))
    ('http://example.com/e%CC%81', 'http://example.com/%C3%A9')
    """

    UNICODE = "unicode"
    """An encoding of Unicode: characters do not change (step 1c)."""
    LEGACY = "legacy"
    """Another encoding: candidates are normalized to NFC before they are judged (step 1b)."""


_E = TypeVar("_E", bound=StrEnum)
_Made = TypeVar("_Made")
# A program uses a few sets of options.
_FEW_OPTIONS: Final = 64


def choice(kind: Iterable[_E], value: str | bool, name: str, switch: tuple[_E, _E] | None = None) -> _E:
    """Return the member of an enum for the value of an option.

    Args:
        kind: the enum, or some members of one.
        value: a member, or its string; if there is a switch, also True or False.
        name: the name of the option, for the message.
        switch: the members for False and True, if the option can be switched on and off.

    Raises:
        UsageError: there is no such member; the message names all of them.
    """
    if isinstance(value, bool) and switch is not None:
        return switch[value]
    members = list(kind)
    if isinstance(value, str):
        for member in members:
            if member == value:
                return member
    allowed = [repr(str(member)) for member in members]
    if switch is not None:
        allowed += ["True", "False"]
    near = did_you_mean(str(value), map(str, members))
    raise UsageError(f"{name}={value!r} is not a choice; use one of {', '.join(allowed)}{near}")


def shown(value: object, default: object) -> str:
    """Return the `repr` of a value of a data class: the fields that differ from those of another one."""
    names = [name for name in field_names(type(default)) if getattr(value, name) != getattr(default, name)]
    return f"{type(value).__name__}({', '.join([f'{name}={_plain(getattr(value, name))}' for name in names])})"


def _plain(value: object) -> str:
    """Return the `repr` of a value as programs write it, the same in every process."""
    if isinstance(value, StrEnum):
        return repr(str(value))
    if isinstance(value, frozenset) and value:
        return f"{{{', '.join(map(_plain, in_order(value)))}}}"
    if type(value) is tuple:
        return f"({', '.join(map(_plain, value))}{',' if len(value) == 1 else ''})"
    return repr(set(value) if isinstance(value, frozenset) else value)


def _names(values: Iterable[str], name: str) -> frozenset[str]:
    if isinstance(values, (str, bytes)):
        each = sorted(map(str.strip, values.split(","))) if isinstance(values, str) else [values]
        example = ", ".join(map(repr, each))
        raise UsageError(f"{name}={values!r} must be a collection of scheme names, for example {{{example}}}")
    try:
        values = list(values)
    except TypeError:
        raise UsageError(f"{name}={values!r} must be a collection of scheme names") from None
    found = frozenset(str(value).lower().removesuffix(":") for value in values)
    for policy in in_order(found.intersection(SchemePolicy)) if name != "known_schemes" else ():
        alone = f"give schemes={str(policy)!r} alone, or " if name == "schemes" else ""
        meant = f": {', '.join(sorted(_WEB_SCHEMES))}" if policy == SchemePolicy.WEB else ""
        raise UsageError(f"{name}: {str(policy)!r} is a policy, not a scheme: {alone}name the schemes{meant}")
    for value in sorted(found):
        if not (value.isascii() and value[:1].isalpha() and value.translate(_WITHOUT_MARKS).isalnum()):
            raise UsageError(f"{name}: {value!r} is not a scheme name (a letter, then letters, digits, '+', '-', '.')")
    return found


def _members(kind: type[_E], values: Iterable[_E | str], name: str, noun: str) -> tuple[_E, ...]:
    """Return the members of an enum that are named, in its own order."""
    try:
        listed = tuple(map(str.strip, values.split(","))) if isinstance(values, str) else tuple(values)
    except TypeError:
        raise UsageError(f"{name}={values!r} must be names of {noun}: {', '.join(kind)}") from None
    if not listed:
        return ()
    chosen = {choice(kind, value, name) for value in listed}
    return tuple(member for member in kind if member in chosen)


def _apart(schemes: Any) -> tuple[list[str], list[Scheme]]:
    """Return the names of schemes, and the rows among them."""
    from urisieve.rules.scheme_table import Scheme

    if isinstance(schemes, Scheme):
        return [schemes.name], [schemes]
    if isinstance(schemes, (bytes, bytearray)) or not isinstance(schemes, Iterable):
        raise UsageError(f"schemes={schemes!r} must be a policy, or a collection of scheme names, such as {{'http'}}")
    schemes = list(schemes)
    rows = [one for one in schemes if isinstance(one, Scheme)]
    return [one.name if isinstance(one, Scheme) else one for one in schemes], rows


_WITHOUT_MARKS: Final = {ord("+"): None, ord("-"): None, ord("."): None}


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """How identifiers are found, validated and normalized; an immutable value.

    Each field of an enum type also accepts the string of a member. `repair`, `schemeless`, `email`, `refang`, `nested`,
    `unwrap` and `spoofing` also accept a boolean: True is the same as the option on the command line. All fields are
    checked on construction.

    >>> from urisieve import Options, extract
    >>> options = Options(schemes={"http", "https"}, level="syntax", email=True)
    >>> [record.uri for record in extract("HTTP://Example.com or ftp://example.com", options=options)]
    ['http://example.com']

    Args:
        schemes: a `SchemePolicy`, or the names of the only schemes that are wanted. A `Scheme` stands for its name, and
            is added to `rules`. In text no other scheme is found, assumed of a name or an address, or unwrapped; one
            identifier of another scheme is a rejection, `scheme-not-wanted`.
        exclude_schemes: schemes that are not wanted, likewise.
        known_schemes: schemes to treat as registered, in addition to those of the IANA registry.
        rules: rows of `Scheme` and `Namespace`, in addition to the built-in ones and those of plug-ins. They add
            schemes and namespaces, or describe ones that are only registered; all others are found as before.
        urn_syntax: RFC 2141 (default) or RFC 8141.
        level: the level of the normalization ladder (RFC 3986 6.2).
        merge: what else counts as the same, applied after the ladder: a `Profile`, or names of steps and of profiles.
        repair: whether characters outside the grammar are percent-encoded.
        schemeless: whether references without a scheme are found; True is the same as `names`.
        email: whether mail addresses without `mailto:` are found.
        bare: the kinds of `Bare` to find without a scheme; a whole text that `check`, `parse`, `normalize` or `key` is
            given may be one, too.
        refang: whether defanged identifiers are restored.
        nested: whether identifiers inside others are reported too.
        unwrap: whether the links inside links of redirectors are reported too; True is the same as `known`.
        spoofing: whether hosts and user information that pass for others have warnings; True is the same as `warn`.
        protect: names of hosts, such as `example.com`; a host that passes for one of them has a warning, a host below
            it has none. Names turn `spoofing` on.
        charset: whether the text was decoded from Unicode or from a legacy character encoding. Pages, messages and XML
            state their own, which counts there.
        positions: whether lines and columns are counted.
        max_length: the length of the longest candidate, in characters, at least 64 and at most 67,108,864; a longer
            one, in text or given as one identifier, is one rejection with the reason `too-long`.

    Raises:
        UsageError: a value is not accepted.
    """

    schemes: SchemePolicy | Scheme | Iterable[str | Scheme] = SchemePolicy.DEFAULT
    exclude_schemes: Iterable[str] = frozenset()
    known_schemes: Iterable[str] = frozenset()
    rules: Scheme | Namespace | Iterable[Scheme | Namespace] = ()
    urn_syntax: UrnSyntax | str = UrnSyntax.RFC2141
    level: Level | str = Level.SCHEME
    merge: Profile | str | Iterable[MergeStep | str] = ()
    repair: Repair | str | bool = Repair.OFF
    schemeless: SchemelessFinding | str | bool = SchemelessFinding.OFF
    email: EmailFinding | str | bool = EmailFinding.OFF
    bare: Iterable[Bare | str] = ()
    refang: Refang | str | bool = Refang.OFF
    nested: NestedFinding | str | bool = NestedFinding.OFF
    unwrap: Unwrap | str | bool = Unwrap.OFF
    spoofing: Spoofing | str | bool = Spoofing.OFF
    protect: Iterable[str] = ()
    charset: Charset | str = Charset.UNICODE
    positions: Positions | str = Positions.LINES
    max_length: int = DEFAULT_MAX_LENGTH

    def __post_init__(self) -> None:
        def put(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        if self.rules:
            from urisieve.rules.table import checked_rules

            put("rules", checked_rules(self.rules))
        if isinstance(self.schemes, str):
            try:
                put("schemes", choice(SchemePolicy, self.schemes, "schemes"))
            except UsageError as error:
                raise UsageError(f"{error}; or a set of schemes: {set(self.schemes.split(','))!r}") from None
        else:
            listed, rows = _apart(self.schemes)
            if not listed:
                raise UsageError("schemes names none, so that nothing can be found: leave it out, or name some")
            put("schemes", _names(listed, "schemes"))
            if rows:
                from urisieve.rules.table import checked_rules

                put("rules", checked_rules([*checked_rules(rows, "schemes"), *checked_rules(self.rules)]))
        put("exclude_schemes", _names(self.exclude_schemes, "exclude_schemes"))
        put("known_schemes", _names(self.known_schemes, "known_schemes"))
        put("urn_syntax", choice(UrnSyntax, self.urn_syntax, "urn_syntax"))
        put("level", choice(Level, self.level, "level"))
        put("merge", profile_of(self.merge))
        put("bare", _members(Bare, self.bare, "bare", "kinds"))
        put("repair", choice(Repair, self.repair, "repair", (Repair.OFF, Repair.ENCODE)))
        names = (SchemelessFinding.OFF, SchemelessFinding.NAMES)
        put("schemeless", choice(SchemelessFinding, self.schemeless, "schemeless", names))
        put("email", choice(EmailFinding, self.email, "email", (EmailFinding.OFF, EmailFinding.ADDRESSES)))
        put("refang", choice(Refang, self.refang, "refang", (Refang.OFF, Refang.KNOWN_FORMS)))
        put("nested", choice(NestedFinding, self.nested, "nested", (NestedFinding.OFF, NestedFinding.REPORT)))
        put("unwrap", choice(Unwrap, self.unwrap, "unwrap", (Unwrap.OFF, Unwrap.KNOWN)))
        put("spoofing", choice(Spoofing, self.spoofing, "spoofing", (Spoofing.OFF, Spoofing.WARN)))
        if self.protect:
            from urisieve.rules.skeletons import checked_names

            put("protect", checked_names(self.protect))
            put("spoofing", Spoofing.WARN)
        elif self.protect != ():
            put("protect", ())
        put("charset", choice(Charset, self.charset, "charset"))
        put("positions", choice(Positions, self.positions, "positions"))
        is_number = isinstance(self.max_length, int)
        if not is_number or not _LEAST_MAX_LENGTH <= self.max_length <= _MOST_MAX_LENGTH:
            bounds = f"at least {_LEAST_MAX_LENGTH} and at most {_MOST_MAX_LENGTH}"
            raise UsageError(f"max_length={self.max_length!r} must be an integer of {bounds}")

    def __repr__(self) -> str:
        return shown(self, DEFAULT_OPTIONS)


def checked(options: Options | None) -> Options:
    """Return the options given, or those of `Options()` for None.

    Raises:
        UsageError: the argument is not an `Options`.
    """
    if options is None:
        return DEFAULT_OPTIONS
    return shapes.instance("options", options, Options, "Options(level='syntax')")


def by_identity(made: Callable[[Options], _Made]) -> Callable[[Options], _Made]:
    """Return a function that remembers what another one makes of options.

    It does so by their identity, which takes a hundredth of the time of their hash; an entry keeps them, so that
    no others get their identity.
    """
    known: dict[int, tuple[Options, _Made]] = {}

    def remembered(options: Options) -> _Made:
        found = known.get(id(options))
        if found is None:
            found = (options, made(options))
            if len(known) >= _FEW_OPTIONS:
                known.clear()
            known[id(options)] = found
        return found[1]

    return remembered


def finds_unwritten(options: Options) -> bool:
    """Report whether identifiers are found that are not written as such: names, addresses, and what is defanged."""
    return (options.schemeless, options.email, options.refang) != _AS_WRITTEN


def protected_names(options: Options) -> tuple[str, ...] | None:
    """Return the names to be protected; None if nothing is checked for spoofing."""
    return None if options.spoofing is _NO_SPOOFING else options.protect  # type: ignore[return-value] # checked


def merging_of(options: Options) -> Profile:
    """Return the profile by which more is merged than the RFCs do; one without steps is false."""
    return options.merge  # type: ignore[return-value] # checked


def listed_schemes(options: Options) -> frozenset[str] | None:
    """Return the names of the only schemes that are wanted; None where all of a policy are."""
    if isinstance(options.schemes, SchemePolicy):
        return _WEB_SCHEMES if options.schemes is SchemePolicy.WEB else None
    return frozenset(map(str, options.schemes))


_WEB_SCHEMES: Final = frozenset(("http", "https", "ws", "wss", "ftp"))
_NO_SPOOFING: Final = Spoofing.OFF
_AS_WRITTEN: Final = (SchemelessFinding.OFF, EmailFinding.OFF, Refang.OFF)
DEFAULT_OPTIONS: Final = Options()
