"""The normalization ladder of RFC 3986 6.2 as functions of components.

Each step is a small function of one component or of all; `normalize_parts` applies those of a level. It is idempotent,
and its result, recomposed, splits into the same components again.

The module also defines:

- the form of an identifier for users to read (RFC 3987 3.2).
"""

from __future__ import annotations

from functools import cache

from urisieve.finding_options import Level
from urisieve.lean import Final, lazy_compile
from urisieve.rules.scheme_table import Scheme
from urisieve.rules.table import KNOWN_RULES, RuleTable
from urisieve.syntax import grammar
from urisieve.syntax.components import Components, lower_case, recompose
from urisieve.syntax.host import dns_host, ipv6_text, u_host
from urisieve.syntax.iri import decoded, encoded


@cache
def _normal_triplets() -> dict[str, str]:
    """Return RFC 3986 6.2.2.1 and 6.2.2.2 in one table: upper-case digits, unreserved characters decoded, no more."""
    unreserved = grammar.compiled("unreserved")
    table = {}
    for octet in range(256):
        upper = f"%{octet:02X}"
        normal = chr(octet) if unreserved.fullmatch(chr(octet)) else upper
        for first in {upper[1], upper[1].lower()}:
            for second in {upper[2], upper[2].lower()}:
                table[f"%{first}{second}"] = normal
    return table


def _changed_triplets() -> str:
    seconds: dict[str, str] = {}
    for triplet, normal in sorted(_normal_triplets().items()):
        if triplet != normal:
            seconds[triplet[1]] = seconds.get(triplet[1], "") + triplet[2]
    return "%(?:" + "|".join(f"{first}[{digits}]" for first, digits in seconds.items()) + ")"


# Matches only the triplets that normalization changes: most triplets in text are already normal.
_CHANGED: Final = lazy_compile(_changed_triplets)


def percent_encoding(component: str) -> str:
    """Normalize the triplets of a component (RFC 3986 6.2.2.1 and 6.2.2.2)."""
    return _CHANGED.sub(lambda match: _normal_triplets()[match[0]], component) if "%" in component else component


_LEADING_DOTS: Final = lazy_compile(r"(?>\.\.?/)*+")
_DOT_SEGMENT: Final = lazy_compile(r"/\.\.?+(?:/|\Z)")


def remove_dot_segments(path: str) -> str:
    """Remove "." and ".." segments (RFC 3986 5.2.4), in linear time.

    The result may begin with "//"; if there is no authority, the caller must put "/." before it.
    """
    if path[:1] == ".":
        path = path[_LEADING_DOTS.match(path).end() :]  # type: ignore[union-attr] # it matches nothing at least; rule A
        if path in (".", ".."):  # rule D
            return ""
    if _DOT_SEGMENT.search(path) is None:
        return path
    first, *segments = path.split("/")
    kept: list[str] = []
    for segment in segments:
        if segment == "..":
            if kept:
                kept.pop()
            else:
                first = ""
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return f"{first}/{'/'.join(kept)}"


def syntax_based(parts: Components, rules: RuleTable = KNOWN_RULES) -> Components:
    """Apply RFC 3986 6.2.2: normalize case, percent-encoding, and dot segments of paths that begin with "/".

    Triplets or dot segments stay unchanged if the row of the scheme states so.
    """
    scheme, userinfo, host, port, path, query, fragment = parts
    scheme = scheme.lower()
    rule = rules.scheme(scheme)
    host = host and lower_case(percent_encoding(host))
    if not rule.keeps_triplets:
        userinfo = userinfo and percent_encoding(userinfo)
        path = percent_encoding(path)
        query = query and percent_encoding(query)
        fragment = fragment and percent_encoding(fragment)
    if "/." in path and path[0] == "/" and not rule.keeps_dots:
        path = remove_dot_segments(path)
        if host is None and path.startswith("//"):
            path = f"/.{path}"  # 3.3: without an authority no path begins with "//"
    return Components(scheme, userinfo, host, port, path, query, fragment)


def scheme_based(parts: Components, rules: RuleTable = KNOWN_RULES) -> Components:
    """Apply RFC 3986 6.2.3 and the scheme's own RFC to components that `syntax_based` has returned."""
    rule = rules.scheme(parts.scheme)
    parts = authority_based(parts, rule)
    return parts if rule.form is None else rule.form(parts)


def authority_based(parts: Components, rule: Scheme) -> Components:
    """Apply RFC 3986 6.2.3 to the authority and to an empty path after it, by the row of the scheme."""
    scheme, userinfo, host, port, path, query, fragment = parts
    if host is not None:
        if host[:1] == "[":
            host = ipv6_text(host)
        elif rule.dns and host:
            name, _, reason, _, _ = dns_host(host)
            if reason is None:
                host = name
        if port is not None and (port == "" or (port == rule.default_port and rule.drops_port)):
            port = None
        if rule.root and path == "":
            path = "/"
    return Components(scheme, userinfo, host, port, path, query, fragment)


def normalize_parts(parts: Components, level: Level | str, rules: RuleTable = KNOWN_RULES) -> Components:
    """Normalize the components of a valid URI (non-ASCII characters as triplets) at a level of the ladder."""
    if level == Level.NONE:
        return parts
    parts = syntax_based(parts, rules)
    return scheme_based(parts, rules) if level == Level.SCHEME else parts


def iri_text(parts: Components, rules: RuleTable = KNOWN_RULES) -> str:
    """Return the canonical form for users to read: RFC 3987 3.2, with A-labels of DNS-based schemes in Unicode."""
    scheme, userinfo, host, port, path, query, fragment = parts
    rule = rules.scheme(scheme)
    shown = _decoded_back if rule.keeps_triplets else decoded
    if host:
        host = decoded(host, "regchar")
        # A host that is not UTF-8, or whose labels are not all of the DNS, is not mapped back.
        if "xn--" in host and rule.dns and "%" not in host and dns_host(host).reason is None:
            host = u_host(host)
    return recompose(
        Components(
            scheme,
            userinfo and shown(userinfo, "userchar"),
            host,
            port,
            path if scheme == "urn" else shown(path, "slashchar"),
            query and shown(query, "querychar"),
            fragment and shown(fragment, "fragchar"),
        )
    )


def _decoded_back(text: str, rule: str) -> str:
    """Return `decoded` if it maps back to the same triplets, which are compared as written, else the text itself."""
    shown = decoded(text, rule)
    return shown if encoded(shown) == text else text
