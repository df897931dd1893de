r"""The grammars of RFC 3986 Appendix A, RFC 3987 2.2, RFC 2141 2 and RFC 8141 2 as data, each rule once.

A rule is written in terms of earlier ones: `<name>` represents another rule. Rules of *characters* contain the inside
of a character class, so that larger classes are composed of them; the other rules contain patterns. The IRI grammar is
the URI grammar with `iunreserved` widened by `ucschar` and the query by `iprivate`, so it has no rules of its own.

A *triplet*, here and in all other modules, is a percent-encoded octet such as `%41` (`pct-encoded`, RFC 3986 2.1).

Repetitions are possessive (`*+`): the grammar is deterministic, so no match needs to backtrack, and the time is linear.
Groups repeated so are atomic (`(?>...)*+`), which changes nothing, but CPython before 3.11.5 gets others wrong.
The standard library's `re` compiles them since Python 3.11 and runs these classes twice as fast as `regex`, so `re` is
used here.
"""

from __future__ import annotations

import re
from functools import cache

from urisieve.errors import UsageError
from urisieve.lean import Final, lazy_compile

# name, section, ABNF, pattern
_CHARACTERS: Final = (
    ("ALPHA", "RFC 5234 B.1", "%x41-5A / %x61-7A", "A-Za-z"),
    ("DIGIT", "RFC 5234 B.1", "%x30-39", "0-9"),
    ("HEXDIG", "RFC 5234 B.1, in any case by 2.3", 'DIGIT / "A" / "B" / "C" / "D" / "E" / "F"', "<DIGIT>A-Fa-f"),
    ("unreserved", "RFC 3986 2.3", 'ALPHA / DIGIT / "-" / "." / "_" / "~"', r"<ALPHA><DIGIT>\-._~"),
    ("iunreserved", "RFC 3987 2.2", "unreserved / ucschar; in a URI unreserved", "<unreserved>"),
    ("sub-delims", "RFC 3986 2.2", '"!" / "$" / "&" / "\'" / "(" / ")" / "*" / "+" / "," / ";" / "="', "!$&'()*+,;="),
    ("gen-delims", "RFC 3986 2.2", '":" / "/" / "?" / "#" / "[" / "]" / "@"', r":/?#\[\]@"),
    ("reserved", "RFC 3986 2.2", "gen-delims / sub-delims", "<gen-delims><sub-delims>"),
    ("schemechar", "RFC 3986 3.1", 'ALPHA / DIGIT / "+" / "-" / "."', r"<ALPHA><DIGIT>+\-."),
    ("regchar", "RFC 3986 3.2.2, without pct-encoded", "unreserved / sub-delims", "<iunreserved><sub-delims>"),
    ("userchar", "RFC 3986 3.2.1, without pct-encoded", 'unreserved / sub-delims / ":"', "<regchar>:"),
    ("pathchar", "RFC 3986 3.3, pchar without pct-encoded", 'unreserved / sub-delims / ":" / "@"', "<userchar>@"),
    ("slashchar", "RFC 3986 3.3, path characters", 'pathchar / "/"', "<pathchar>/"),
    ("fragchar", "RFC 3986 3.5, without pct-encoded", 'pathchar / "/" / "?"', "<slashchar>?"),
    ("iprivate", "RFC 3987 2.2", "none in a URI", ""),
    ("querychar", "RFC 3986 3.4, RFC 3987 2.2", 'pathchar / iprivate / "/" / "?"', "<fragchar><iprivate>"),
    (
        "urnchar",
        "RFC 2141 2.2, trans without reserved",
        "upper / lower / number / other",
        "<ALPHA><DIGIT>()+,\\-.:=@;$_!*'",
    ),
    ("urnreserved", "RFC 2141 2.3, without %", '"/" / "?" / "#"', "/?#"),
    ("urnoctet", "RFC 2141 2.2, URN chars without triplets", "trans", "<urnchar><urnreserved>"),
)
# RFC 3987 2.2. The upper bound U+FFEF excludes the specials, plane 14 begins after the tags, and the last two code
# points of each plane are noncharacters.
_UCSCHAR: Final = (
    "\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef"
    + "".join(f"{chr(plane << 16)}-{chr(plane << 16 | 0xFFFD)}" for plane in range(1, 14))
    + "\U000e1000-\U000efffd"
)


def beyond_ucschar() -> str:
    """Return the inside of a class of the non-ASCII characters outside `ucschar`: it compiles far faster."""
    firsts = ["\x80", *[chr(ord(last) + 1) for last in _UCSCHAR[2::3]]]
    lasts = [*[chr(ord(first) - 1) for first in _UCSCHAR[::3]], "\U0010ffff"]
    return "".join([f"{first}-{last}" for first, last in zip(firsts, lasts, strict=True)])


_IPRIVATE: Final = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"

_RULES: Final = (
    ("pct-encoded", "RFC 3986 2.1", '"%" HEXDIG HEXDIG', "%[<HEXDIG>]{2}"),
    ("scheme", "RFC 3986 3.1", 'ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )', "[<ALPHA>][<schemechar>]*+"),
    ("userinfo", "RFC 3986 3.2.1", '*( unreserved / pct-encoded / sub-delims / ":" )', "<*userchar>"),
    (
        "dec-octet",
        "RFC 3986 3.2.2",
        'DIGIT / %x31-39 DIGIT / "1" 2DIGIT / "2" %x30-34 DIGIT / "25" %x30-35',
        "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9][0-9]|[0-9])",
    ),
    (
        "IPv4address",
        "RFC 3986 3.2.2",
        'dec-octet "." dec-octet "." dec-octet "." dec-octet',
        r"<dec-octet>(?:\.<dec-octet>){3}",
    ),
    ("h16", "RFC 3986 3.2.2", "1*4HEXDIG", "[<HEXDIG>]{1,4}"),
    ("ls32", "RFC 3986 3.2.2", '( h16 ":" h16 ) / IPv4address', "(?:<h16>:<h16>|<IPv4address>)"),
    (
        "IPv6address",
        "RFC 3986 3.2.2",
        'nine alternatives with one "::" at most',
        (
            "(?:(?:<h16>:){6}<ls32>"
            "|::(?:<h16>:){5}<ls32>"
            "|(?:<h16>)?::(?:<h16>:){4}<ls32>"
            "|(?:(?:<h16>:){0,1}<h16>)?::(?:<h16>:){3}<ls32>"
            "|(?:(?:<h16>:){0,2}<h16>)?::(?:<h16>:){2}<ls32>"
            "|(?:(?:<h16>:){0,3}<h16>)?::<h16>:<ls32>"
            "|(?:(?:<h16>:){0,4}<h16>)?::<ls32>"
            "|(?:(?:<h16>:){0,5}<h16>)?::<h16>"
            "|(?:(?:<h16>:){0,6}<h16>)?::)"
        ),
    ),
    (
        "IPvFuture",
        "RFC 3986 3.2.2",
        '"v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )',
        r"[vV][<HEXDIG>]++\.[<unreserved><sub-delims>:]++",
    ),
    ("IP-literal", "RFC 3986 3.2.2", '"[" ( IPv6address / IPvFuture ) "]"', r"\[(?:<IPv6address>|<IPvFuture>)\]"),
    ("reg-name", "RFC 3986 3.2.2", "*( unreserved / pct-encoded / sub-delims )", "<*regchar>"),
    # An IPv4address also matches reg-name; `components.host_kind` applies "first-match-wins".
    ("host", "RFC 3986 3.2.2", "IP-literal / IPv4address / reg-name", "(?:<IP-literal>|<reg-name>)"),
    ("port", "RFC 3986 3.2.3", "*DIGIT", "[<DIGIT>]*+"),
    (
        "authority",
        "RFC 3986 3.2",
        '[ userinfo "@" ] host [ ":" port ]',
        "(?>(?P<userinfo><userinfo>)@)?+(?P<host><host>)(?>:(?P<port><port>))?+",
    ),
    ("pchar", "RFC 3986 3.3", 'unreserved / pct-encoded / sub-delims / ":" / "@"', "(?:[<pathchar>]|<pct-encoded>)"),
    ("segment", "RFC 3986 3.3", "*pchar", "<*pathchar>"),
    ("segment-nz", "RFC 3986 3.3", "1*pchar", "<+pathchar>"),
    (
        "segment-nz-nc",
        "RFC 3986 3.3",
        '1*( unreserved / pct-encoded / sub-delims / "@" )',
        "(?>[<regchar>@]|<pct-encoded>)++",
    ),
    ("path-empty", "RFC 3986 3.3", "0<pchar>", ""),
    ("path-abempty", "RFC 3986 3.3", '*( "/" segment )', "(?>/<*slashchar>)?+"),
    ("path-absolute", "RFC 3986 3.3", '"/" [ segment-nz *( "/" segment ) ]', "/(?!/)<*slashchar>"),
    ("path-rootless", "RFC 3986 3.3", 'segment-nz *( "/" segment )', "(?=[^/])<+slashchar>"),
    ("path-noscheme", "RFC 3986 3.3", 'segment-nz-nc *( "/" segment )', "(?=[^/])(?![^/?#]*:)<+slashchar>"),
    ("query", "RFC 3986 3.4", '*( pchar / "/" / "?" )', "<*querychar>"),
    ("fragment", "RFC 3986 3.5", '*( pchar / "/" / "?" )', "<*fragchar>"),
    (
        "tail",
        "RFC 3986 3",
        '[ "?" query ] [ "#" fragment ]',
        r"(?>\?(?P<query><query>))?+(?>\#(?P<fragment><fragment>))?+",
    ),
    (
        "hier-part",
        "RFC 3986 3",
        '"//" authority path-abempty / path-absolute / path-rootless / path-empty',
        "(?://<authority>(?P<path><path-abempty>)|(?P<rootpath>(?:<path-absolute>|<path-rootless>)?))",
    ),
    (
        "relative-part",
        "RFC 3986 4.2",
        '"//" authority path-abempty / path-absolute / path-noscheme / path-empty',
        "(?://<authority>(?P<path><path-abempty>)|(?P<rootpath>(?:<path-absolute>|<path-noscheme>)?))",
    ),
    (
        "URI",
        "RFC 3986 3",
        'scheme ":" hier-part [ "?" query ] [ "#" fragment ]',
        "(?P<scheme><scheme>):<hier-part><tail>",
    ),
    ("absolute-URI", "RFC 3986 4.3", 'scheme ":" hier-part [ "?" query ]', r"<scheme>:<hier-part>(?>\?<query>)?+"),
    ("relative-ref", "RFC 3986 4.2", 'relative-part [ "?" query ] [ "#" fragment ]', "<relative-part><tail>"),
    (
        "NID",
        "RFC 2141 2.1",
        "<let-num> [ 1,31<let-num-hyp> ], but not 'urn'",
        r"(?![Uu][Rr][Nn](?::|\Z))[<ALPHA><DIGIT>][<ALPHA><DIGIT>\-]{0,31}",
    ),
    # 2.3.2 reserves "/", "?" and "#" as delimiters for future use: they may follow a name, but the name itself must not
    # be empty, so an NSS does not begin with one of them. A URN is a URI, which has at most one "#".
    ("NSS", "RFC 2141 2.2", "1*<URN chars>", "(?=[<urnchar>%])(?![^#]*#[^#]*#)(?>[<urnoctet>]|<pct-encoded>)++"),
    ("URN", "RFC 2141 2", '"urn:" <NID> ":" <NSS>', "[Uu][Rr][Nn]:(?P<nid><NID>):(?P<nss><NSS>)"),
    (
        "NID-8141",
        "RFC 8141 2; 5.1 for informal ones; 'urn' stays reserved",
        "(alphanum) 0*30(ldh) (alphanum)",
        (
            r"(?![Uu][Rr][Nn](?::|\Z))(?![Uu][Rr][Nn]-(?![1-9][0-9]*(?::|\Z)))"
            r"[<ALPHA><DIGIT>](?:[<ALPHA><DIGIT>\-]{0,30}[<ALPHA><DIGIT>])"
        ),
    ),
    ("NSS-8141", "RFC 8141 2", 'pchar *( pchar / "/" )', "(?=[^/])<+slashchar>"),
    ("q-component", "RFC 8141 2.3.2", 'pchar *( pchar / "/" / "?" )', "(?=[^/?])<+fragchar>"),
    # 2.3.1: "?=" ends the r-component, so "?" inside it is data only where no "=" follows.
    (
        "r-component",
        "RFC 8141 2.3.1",
        'pchar *( pchar / "/" / "?" )',
        r"(?=[^/?])(?>[<slashchar>]|<pct-encoded>|\?(?!=))++",
    ),
    (
        "rq-components",
        "RFC 8141 2",
        '[ "?+" r-component ] [ "?=" q-component ]',
        r"(?>\?\+(?P<r><r-component>))?+(?>\?=(?P<q><q-component>))?+",
    ),
    (
        "URN-8141",
        "RFC 8141 2",
        'assigned-name [ rq-components ] [ "#" f-component ]',
        r"[Uu][Rr][Nn]:(?P<nid><NID-8141>):(?P<nss><NSS-8141>)<rq-components>(?>\#(?P<f><fragment>))?+",
    ),
)
# A reference to another rule in a pattern; `(?P<name>` is a capture and not a reference.
_REFERENCE: Final = lazy_compile(r"(?<!\?P)<([*+]?)([A-Za-z][A-Za-z0-9-]*)>")


@cache
def _rules(iri: bool) -> dict[str, str]:
    rules: dict[str, str] = {}

    def expanded(match: re.Match[str]) -> str:
        sign, name = match.groups()
        if not sign:
            return rules[name]
        # A run of characters of a class and of triplets, unrolled: one step for each triplet, and no backtracking.
        run = f"[{rules[name]}]*+(?>{rules['pct-encoded']}[{rules[name]}]*+)*+"
        return run if sign == "*" else f"(?=[{rules[name]}%]){run}"

    for name, _, _, text in (*_CHARACTERS, *_RULES):
        rules[name] = _REFERENCE.sub(expanded, text)
        if iri and name == "iunreserved":
            rules[name] += _UCSCHAR
        elif iri and name == "iprivate":
            rules[name] = _IPRIVATE
    return rules


def pattern(rule: str, *, iri: bool = False) -> str:
    """Return the regular expression of a rule: a whole pattern, or the inside of a character class.

    Args:
        rule: the name of the rule in its RFC.
        iri: return the version of RFC 3987.

    Raises:
        UsageError: there is no such rule.
    """
    try:
        return _rules(iri)[rule]
    except KeyError:
        raise UsageError(f"no rule {rule!r} in the grammar; there are {', '.join(_rules(iri))}") from None


@cache
def compiled(rule: str, *, iri: bool = False) -> re.Pattern[str]:
    """Return the compiled pattern of a rule; match it with `fullmatch` (`$` would allow a final newline)."""
    text = pattern(rule, iri=iri)
    return re.compile(f"[{text}]" if any(rule == name for name, *_ in _CHARACTERS) else text)


def matches(rule: str, text: str) -> bool:
    """Report whether a text matches a rule of the grammar; rules of schemes are not applied.

    Args:
        rule: `URI`, `IRI`, `URI-reference`, `IRI-reference`, the name of a rule of RFC 3986 Appendix A (except `path`:
            only its five alternatives have patterns), `URN` or `URN-8141`.
        text: the whole text.

    Raises:
        UsageError: there is no such rule.
    """
    iri = rule.startswith("IRI")
    name = rule.replace("IRI", "URI")
    if name == "URI-reference":
        return any(compiled(part, iri=iri).fullmatch(text) for part in ("URI", "relative-ref"))
    return compiled(name, iri=iri).fullmatch(text) is not None


@cache
def illegal(rule: str, *, iri: bool = False) -> re.Pattern[str]:
    """Return a pattern that finds the first character outside a rule of characters, or a "%" that begins no triplet."""
    triplet = pattern("pct-encoded")
    return re.compile(f"[^{pattern(rule, iri=iri)}%]|%(?!{triplet[1:]})")
