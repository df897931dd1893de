"""The codes of rejections and warnings, each with its source; `docs/codes.md` is printed from these tables.

Codes are stable: within a major version, codes may be added, but none is renamed or changes its meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from urisieve.errors import UsageError
from urisieve.lean import Final, NamedTuple, Self
from urisieve.quick_enums import StrEnum
from urisieve.wording import did_you_mean

__all__ = ["REASONS", "WARNINGS", "CodeEntry", "Component", "Notice", "Reason", "Warn"]


# Ends a message about a code that there is not.
LISTED: Final = "; `urisieve codes` lists them"


class CodeEntry(NamedTuple):
    """The section and the meaning of a code, as the documentation prints them.

    >>> from urisieve.codes import REASONS, CodeEntry, Reason
    >>> entry: CodeEntry = REASONS[Reason.BAD_PORT]
    >>> entry.section, entry.meaning
    ('RFC 3986 3.2.3', 'a port consists of digits only')
    """

    section: str
    meaning: str


class Component(StrEnum):
    """The component of a candidate that a rejection names, by the terms of RFC 3986 3 and RFC 2141 2.

    >>> import urisieve
    >>> found = urisieve.check("http://example.com:80ab/")
    >>> not found and found.component is urisieve.codes.Component.PORT
    True
    """

    IDENTIFIER = "identifier"
    SCHEME = "scheme"
    AUTHORITY = "authority"
    USERINFO = "userinfo"
    HOST = "host"
    PORT = "port"
    PATH = "path"
    QUERY = "query"
    FRAGMENT = "fragment"
    NID = "nid"
    NSS = "nss"


class _Code(StrEnum):
    """A code, with what the documentation prints of it."""

    _value_: str
    _entry: CodeEntry

    def __new__(cls, code: str, section: str = "", meaning: str = "") -> Self:
        made = str.__new__(cls, code)
        made._value_ = code
        made._entry = CodeEntry(section, meaning)
        return made


class Reason(_Code):
    """Why a candidate is not a valid identifier; `REASONS` has the section and the meaning of each code.

    >>> import urisieve
    >>> from urisieve.codes import REASONS
    >>> found = urisieve.check("http://example.com:80ab/")
    >>> if not found:
    ...     print(found.reason is urisieve.codes.Reason.BAD_PORT, REASONS[found.reason].section)
    True RFC 3986 3.2.3
    """

    NO_SCHEME = "no-scheme", "RFC 3986 3", "there is no `scheme:` at the start; it is a relative reference at best"
    BAD_SCHEME = "bad-scheme", "RFC 3986 3.1", "a scheme is a letter, then letters, digits, `+`, `-`, `.`"
    ILLEGAL_CHARACTER = ("illegal-character", "RFC 3986 2, RFC 3987 2.2",
        "a character that this component must not contain")  # fmt: skip
    BAD_PERCENT_ENCODING = "bad-percent-encoding", "RFC 3986 2.1", "`%` is not followed by two hexadecimal digits"
    BRACKET_OUTSIDE_HOST = "bracket-outside-host", "RFC 3986 3.2.2", "`[` or `]` elsewhere than around an IP literal"
    SECOND_FRAGMENT = "second-fragment", "RFC 3986 3.5", "`#` inside a fragment"
    NO_AUTHORITY = "no-authority", "RFC 9110 4.2", "the scheme requires `//` and a host"
    EMPTY_HOST = "empty-host", "RFC 9110 4.2.1", "the scheme requires a host that is not empty"
    BAD_IP_LITERAL = "bad-ip-literal", "RFC 3986 3.2.2", "the text in brackets is neither IPv6 nor IPvFuture"
    ZONE_IDENTIFIER = "zone-identifier", "RFC 3986 3.2.2", "an IPv6 zone identifier, which no URI has (RFC 9844)"
    BAD_PORT = "bad-port", "RFC 3986 3.2.3", "a port consists of digits only"
    HOST_LABEL = "host-label", "RFC 1123 2.1", "a label of a DNS name is empty, or is not one that a DNS name can have"
    HOST_IDNA = ("host-idna", "RFC 5891 4, UTS 46 4",
        "an internationalized label that neither UTS 46 nor IDNA 2008 allows")  # fmt: skip
    BIDI_CONTROL = "bidi-control", "RFC 3987 4.1", "a bidirectional formatting character"
    BAD_NID = "bad-nid", "RFC 2141 2.1, RFC 8141 2", "the namespace identifier of the URN is missing or malformed"
    RESERVED_NID = "reserved-nid", "RFC 2141 2.1", "the namespace identifier `urn` is reserved"
    EMPTY_NSS = "empty-nss", "RFC 2141 2.2, RFC 8141 2", "nothing follows the namespace identifier"
    BAD_URN_COMPONENT = ("bad-urn-component", "RFC 8141 2",
        "`?` without `+` or `=`, or an r- or q-component that is empty")  # fmt: skip
    SCHEME_SYNTAX = "scheme-syntax", "the scheme's own RFC", "valid by RFC 3986, but not by the syntax of its scheme"
    BAD_WRAPPING = ("bad-wrapping", "urisieve",
        "the text in which a redirector holds a link cannot be decoded (`unwrap`)")  # fmt: skip
    WRONG_CHECK_DIGIT = ("wrong-check-digit", "ISO 2108, ISO 3297, ISO 7064",
        "a number without a scheme whose check digit is not the one that the other digits require")  # fmt: skip
    SCHEME_NOT_WANTED = ("scheme-not-wanted", "urisieve",
        "one identifier was given, of a scheme that is not wanted (`schemes`, `exclude_schemes`)")  # fmt: skip
    TOO_LONG = "too-long", "urisieve", "longer than `max_length`; `raw` holds the first `max_length` characters"


class Warn(_Code):
    """A warning about a valid identifier; `WARNINGS` has the section and the meaning of each code.

    >>> import urisieve
    >>> urisieve.codes.Warn.USERINFO_PRESENT in urisieve.parse("http://user@example.com/").warnings
    True
    """

    WHITESPACE_REMOVED = ("whitespace-removed", "RFC 3986 App. C",
        "white space inside `<>`, with prefixes of lines, or around a whole value, was removed")  # fmt: skip
    HYPHEN_AT_LINE_BREAK = ("hyphen-at-line-break", "RFC 3986 App. C",
        "a removed line break followed a hyphen that may not belong: see `alternatives`")  # fmt: skip
    REPAIRED = "repaired", "urisieve", "characters outside the grammar were percent-encoded (`repair`; SICI in a DOI)"
    REFANGED = "refanged", "urisieve", "it was defanged, as in `hxxp://e[.]com`; `raw` keeps the text"
    UNESCAPED = (
        "unescaped", "RFC 8259 7",
        "it held escapes of a string, as `https:\\/\\/e.example` does; they were resolved, and `raw` keeps the text",
    )  # fmt: skip
    ESCAPES_REMOVED = (
        "escapes-removed", "ECMA-48 5.4, 8.3.117",
        "it held escape sequences of a terminal, which were removed: see `alternatives`; `raw` keeps the text",
    )  # fmt: skip
    SCHEME_ASSUMED = "scheme-assumed", "RFC 3986 4.5", "the scheme was not in the text"
    NESTED = "nested", "urisieve", "it lies inside the identifier reported before it"
    UNWRAPPED = (
        "unwrapped", "urisieve",
        "a link of a redirector, reported before it, leads there; `raw` is the text that holds it (`unwrap`)",
    )  # fmt: skip
    WRAPS_FURTHER = ("wraps-further", "urisieve",
        "it leads on to a further link, which is not reported: eight were taken one out of the other")  # fmt: skip
    NAMES_TARGET_HOST = (
        "names-target-host", "urisieve",
        "a link of a redirector that names the host of its target, the notice, and holds nothing else of it (`unwrap`)",
    )  # fmt: skip
    STOPS_AT_EXCLUDED = (
        "stops-at-excluded", "RFC 3986 2, App. C, RFC 2141 2.4",
        "it ends at a character that it must not contain, and the text continues after that: more may have been meant",
    )  # fmt: skip
    TEXT_FOLLOWS = (
        "text-follows", "RFC 3986 App. C",
        ("text without a blank follows it directly, or the end of its path may be such text, or it stands directly "
         "before a name or an address without a scheme: see `alternatives`"),
    )  # fmt: skip
    MAY_BE_SHORTENED = (
        "may-be-shortened", "RFC 3986 App. C",
        "an ellipsis follows it directly, or its line ends behind it and the next one may go on: see `alternatives`",
    )  # fmt: skip
    NOT_AS_NAMED = ("not-as-named", "urisieve",
        "it is in a file that was read as another kind than its name or its media type promises")  # fmt: skip
    SECOND_SCHEME = ("second-scheme", "RFC 3986 2.2, App. C",
        "another `scheme://` stands in it behind a comma, a semicolon or prose: see `alternatives`")  # fmt: skip
    INVISIBLE_REMOVED = ("invisible-removed", "UTS 46 4",
        "characters of the host that are not shown were removed, as the mapping of host names does")  # fmt: skip
    SCHEME_CUT = ("scheme-cut", "RFC 3986 3.1",
        "the scheme is the end of a longer run of scheme characters, such as `nhttps` in `\\nhttps://`")  # fmt: skip
    UNREGISTERED_SCHEME = "unregistered-scheme", "RFC 7595", "the scheme is not in the IANA registry"
    USERINFO_PRESENT = ("userinfo-present", "RFC 9110 4.2.4",
        "user information before the host can disguise where a link leads")  # fmt: skip
    PASSWORD_PRESENT = "password-present", "RFC 3986 3.2.1", "a password is in clear text; written output masks it"
    SECRET_PRESENT = ("secret-present", "RFC 3986 7.5",
        "a token, a key or the like is in clear text, by the rows of secrets; `secrets` redacts it")  # fmt: skip
    INTERNATIONALIZED_ADDRESS = ("internationalized-address", "RFC 6531 3.3",
        "an address without `mailto:` whose local part is not ASCII, which not all mail systems take")  # fmt: skip
    EMPTY_ADDRESS = "empty-address", "RFC 6068 2", "a `mailto` without an address"
    HOST_NOT_UTF8 = "host-not-utf8", "RFC 3986 3.2.2", "percent-encoded octets in the host are not UTF-8"
    HOST_TOO_LONG = "host-too-long", "RFC 1035 2.3.4", "a label over 63 octets or a name over 253: DNS cannot hold it"
    HOST_NOT_LDH = (
        "host-not-ldh", "RFC 1123 2.1",
        "a label has more than letters, digits and inner hyphens, such as `_`, which DNS accepts in practice",
    )  # fmt: skip
    RARE_IPV4 = "rare-ipv4", "RFC 3986 7.4", "a name that some programs read as an IPv4 address"
    HOSTS_DISAGREE = ("hosts-disagree", "RFC 3986 7.4, UTS 46 5, Unicode 3.13",
        "some programs read another host; the notice is that one, and `alternatives` has the URI")  # fmt: skip
    IDNA2008_DISALLOWED = "idna2008-disallowed", "RFC 5892, UTS 46", "a label that UTS 46 allows and IDNA 2008 does not"
    MIXED_SCRIPT = "mixed-script", "UTS 39 5.2", "a label mixes scripts that are not used together"
    LOOK_ALIKE_HOST = "look-alike-host", "RFC 3987 8", "the host is written so that it resembles another one"
    RESEMBLES_PROTECTED = ("resembles-protected", "UTS 39 4",
        "the host, or a label of it, looks like a name that `protect` names; the notice names it")  # fmt: skip
    CONTAINS_PROTECTED = ("contains-protected", "UTS 39 4, RFC 3986 7.6",
        "a name that `protect` names stands in the host, which does not end with it")  # fmt: skip
    ASCII_LOOK_ALIKE = ("ascii-look-alike", "UTS 39 4",
        "a label beyond ASCII looks like one in ASCII; the notice is that one (`spoofing`)")  # fmt: skip
    RESTRICTED_CHARACTER = ("restricted-character", "UTS 39 3.1",
        "a label holds characters that are restricted in identifiers, or not shown (`spoofing`)")  # fmt: skip
    BAD_A_LABEL = ("bad-a-label", "RFC 5891 5.4",
        "a label begins with `xn--`, and does not decode to a label that encodes to it (`spoofing`)")  # fmt: skip
    LOOK_ALIKE_DELIMITER = (
        "look-alike-delimiter", "UTS 39 4, RFC 3986 7.6",
        ("a character in the user, the host or at the start of the path looks like a dot, a slash or another delimiter "
         "(`spoofing`)"),
    )  # fmt: skip
    USERINFO_HOST = ("userinfo-host", "RFC 3986 7.6, RFC 9110 4.2.4",
        "the user before `@` looks like a host; the notice is that one (`spoofing`)")  # fmt: skip
    NOT_GLOBAL_ADDRESS = (
        "not-global-address", "RFC 6890",
        "the host is an address that the Internet does not reach, as a private or loopback one (`spoofing`)",
    )  # fmt: skip
    BRACKET_OUTSIDE_HOST = (
        "bracket-outside-host", "RFC 3261 25.1, RFC 3986 3.2.2",
        "an IPv6 address in brackets in a path, where RFC 3986 allows none: the RFC of the scheme requires it",
    )  # fmt: skip
    BIDI_MIXED = "bidi-mixed", "RFC 3987 4.2", "a component mixes directions, or does not begin and end right-to-left"
    PORT_ABOVE_65535 = ("port-above-65535", "RFC 3986 3.2.3",
        "a port above 65535: the grammar allows it, no transport does")  # fmt: skip
    PERCENT_ENCODED_NULL = "percent-encoded-null", "RFC 3986 7.3, RFC 2141 2.4", "`%00` ends strings in many programs"
    UNREGISTERED_NID = "unregistered-nid", "RFC 2141, RFC 8141 5", "the URN namespace is not in the IANA registry"
    NID_FORBIDDEN_IN_8141 = ("nid-forbidden-in-8141", "RFC 8141 2, 5.1",
        "RFC 2141 allows this namespace identifier, RFC 8141 does not")  # fmt: skip
    RESERVED_CHARACTER = "reserved-character", "RFC 2141 2.3.2", "`/`, `?` or `#` unencoded in a URN"
    NEEDLESS_PERCENT_ENCODING = ("needless-percent-encoding", "RFC 2141 2.3.1",
        "a URN encodes a character that must not be encoded")  # fmt: skip
    INFORMAL_NID = "informal-nid", "RFC 8141 5.2", "the URN namespace is informal: a number, not a name"
    EXPERIMENTAL_NID = ("experimental-nid", "RFC 3406 3.1",
        "the URN namespace is experimental: `x-` and a name that is not registered")  # fmt: skip
    INVALID_IN_2141 = ("invalid-in-2141", "RFC 2141 2.4",
        "a URN of RFC 8141 that RFC 2141 does not allow: it holds `~` or `&`")  # fmt: skip
    INVALID_IN_8141 = ("invalid-in-8141", "RFC 8141 2",
        "a URN of RFC 2141 that RFC 8141 does not allow: what follows `?` is not an r- or q-component")  # fmt: skip
    NSS_SYNTAX = "nss-syntax", "the namespace's own RFC", "the name does not follow the syntax of its URN namespace"
    WRONG_CHECK_DIGIT = ("wrong-check-digit", "the RFC of the namespace or scheme",
        "the check digit is not the one that the other characters require")  # fmt: skip
    TEXT_DIFFERS_FROM_TARGET = ("text-differs-from-target", "urisieve",
        "the text of the link that led here is itself a link, to another host")  # fmt: skip
    SCRIPT = (
        "script", "RFC 3986 7, RFC 2397 7",
        ("following it runs a program, as with `javascript`, or shows a page that may contain one, as with "
         "`data:text/html`"),
    )  # fmt: skip
    LOCAL_NUMBER = ("local-number", "RFC 3966 5.1.5",
        "a local telephone number without the `phone-context` that says where it is valid")  # fmt: skip
    REPEATED_PARAMETER = ("repeated-parameter", "RFC 3966 3, RFC 3261 19.1.1, RFC 6068 2",
        "a parameter or header field that may occur only once occurs twice")  # fmt: skip
    SCHEME_SYNTAX = ("scheme-syntax", "the scheme's own RFC",
        "it does not follow the syntax of its scheme, but the RFC does not say that it must be rejected")  # fmt: skip


class Notice(NamedTuple):
    """A warning with a detail: what was found or what was expected, such as the right check digit; "" if there is none.

    >>> import urisieve
    >>> urisieve.parse("urn:isbn:0395363412").notices
    (Notice(warn=<Warn.WRONG_CHECK_DIGIT: 'wrong-check-digit'>, detail='1'),)
    """

    warn: Warn
    detail: str = ""

    def as_dict(self) -> dict[str, str]:
        """Return the code and the detail, as records that are written have them."""
        return {"warn": str(self.warn), "detail": self.detail}


REASONS: Final[Mapping[Reason, CodeEntry]] = {code: code._entry for code in Reason}
"""The section and the meaning of each reason, by its code."""
WARNINGS: Final[Mapping[Warn, CodeEntry]] = {code: code._entry for code in Warn}
"""The section and the meaning of each warning, by its code."""

_REASONS: Final = frozenset(map(str, Reason))
_WARNINGS: Final = frozenset(map(str, Warn))
# Words for all codes of a kind.
_ANY: Final = "any"
_REJECTED: Final = "rejected"
_WARNED: Final = "warnings"


class FailOn(NamedTuple):
    """The codes by which a run fails; one that is both a reason and a warning counts as both.

    >>> FailOn.of(["warnings", "bad-port"]).fatal({"bad-port": 2, "bad-nid": 1}, {})
    ['bad-port 2']

    Attributes:
        reasons: the reasons of rejections.
        warnings: the warnings of identifiers.
    """

    reasons: frozenset[str] = frozenset()
    warnings: frozenset[str] = frozenset()

    @classmethod
    def of(cls, names: Iterable[str]) -> FailOn:
        """Return the codes of these names; `rejected`, `warnings` and `any` stand for all of a kind, and for all.

        Raises:
            UsageError: there is no such code.
        """
        names = list(names)
        known = [_REJECTED, _WARNED, _ANY, *sorted(_REASONS | _WARNINGS)]
        for name in names:
            if name not in known:
                raise UsageError(f"there is no reason or warning {name!r}{did_you_mean(name, known)}{LISTED}")
        every = _ANY in names
        return cls(
            _REASONS if every or _REJECTED in names else _REASONS.intersection(names),
            _WARNINGS if every or _WARNED in names else _WARNINGS.intersection(names),
        )

    @property
    def is_asked(self) -> bool:
        """Whether there is a code by which the run fails."""
        return bool(self.reasons or self.warnings)

    def fatal(self, reasons: Mapping[str, int], warnings: Mapping[str, int]) -> list[str]:
        """Return in words the codes that occurred by which the run fails, each with its number."""
        found = [(code, number) for code, number in reasons.items() if code in self.reasons]
        found += [(code, number) for code, number in warnings.items() if code in self.warnings]
        return [f"{code} {number:,}" for code, number in sorted(found)]
