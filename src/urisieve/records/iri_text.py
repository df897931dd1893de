"""The form of an identifier for people to read (RFC 3987 3.2)."""

from __future__ import annotations

from urisieve.rules.table import KNOWN_RULES, RuleTable
from urisieve.syntax.components import Components, recompose
from urisieve.syntax.host import dns_host, u_host
from urisieve.syntax.iri import decoded, encoded

__all__ = ["iri_text"]


def iri_text(parts: Components, rules: RuleTable = KNOWN_RULES) -> str:
    """Return the canonical form for people to read: RFC 3987 3.2, with A-labels of DNS-based schemes in Unicode."""
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
    """Return `decoded` if it maps back to the same triplets, which are compared as they stand, else the text itself."""
    shown = decoded(text, rule)
    return shown if encoded(shown) == text else text
