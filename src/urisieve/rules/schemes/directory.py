"""Rows of directories: `ldap`, `ldaps`, `dns`."""

from __future__ import annotations

import re
from functools import cache

from urisieve.lean.hints import Final
from urisieve.rules.parts import HOSTED, hosted, named
from urisieve.rules.scheme import Scheme
from urisieve.syntax.components import Components, lower_case

__all__ = ["ROWS"]

_LDAP_FIELDS: Final = ("attributes", "scope", "filter", "extensions")
# RFC 4516 3; case does not count in the names of attributes (RFC 4512 2.5).
_LDAP_DEFAULTS: Final = ("*", "base", "(objectclass=*)")
# RFC 4516 2.
_LDAP_EXPECTED: Final = (
    r"//(?:\[[^\]]*\](?::[0-9]*)?|[^/?@]*)(?:/[^?]*(?:\?[^?]*(?:\?(?i:base|one|sub)?(?:\?[^?]*(?:\?[^?]*)?)?)?)?)?"
)


def _ldap(parts: Components) -> Components:
    """Lower the case of the scope, and remove defaults and empty fields at the end (RFC 4516 2, 3)."""
    if parts.query is None or parts.host is None:
        return parts
    fields = parts.query.split("?")
    if len(fields) > len(_LDAP_FIELDS):
        return parts
    for index, (field, default) in enumerate(zip(fields, _LDAP_DEFAULTS, strict=False)):
        if field.lower() == default:
            fields[index] = ""
    if len(fields) > 1 and fields[1].lower() in ("one", "sub"):
        fields[1] = fields[1].lower()
    while fields and not fields[-1]:
        fields.pop()
    return parts._replace(query="?".join(fields) if fields else None)


def _ldap_parts(parts: Components) -> dict[str, str]:
    fields = zip(_LDAP_FIELDS, (parts.query or "").split("?", 3), strict=False)
    return named(
        [*hosted(parts)[1:], ("dn", parts.path[1:] or None), *((name, value or None) for name, value in fields)]
    )


def _ldap_row(name: str, title: str, reference: str) -> Scheme:
    return Scheme(
        name=name,
        title=title,
        reference=reference,
        dns=True,
        root=True,
        case="scheme, host, search scope",
        equivalence="a default and nothing: attributes *, scope base, filter (objectClass=*); fields at the end that"
        " are empty and absent ones",
        expected=_LDAP_EXPECTED,
        form=_ldap,
        parts=_ldap_parts,
        same=(
            (f"{name}://ldap.example.net", f"{name}://ldap.example.net/"),
            (f"{name}://ldap.example.net", f"{name}://ldap.example.net/?"),
            (
                f"{name.upper()}://LDAP.example.com/c=GB?objectClass?ONE",
                f"{name}://ldap.example.com/c=GB?objectClass?one",
            ),
            (f"{name}://e.example/c=GB????", f"{name}://e.example/c=GB"),
            (f"{name}:///c=GB?a?sub?", f"{name}:///c=GB?a?sub"),
            (f"{name}://e.example/c=GB??base", f"{name}://e.example/c=GB"),
            (f"{name}://e.example/c=GB?*?BASE?(objectclass=*)", f"{name}://e.example/c=GB"),
            (f"{name}://e.example/c=GB?a?base?(cn=x)", f"{name}://e.example/c=GB?a??(cn=x)"),
        ),
        different=(
            (f"{name}://e.example/c=GB?*,+", f"{name}://e.example/c=GB"),
            (f"{name}://e.example/c=GB???(cn=*)", f"{name}://e.example/c=GB"),
            (f"{name}://e.example/c=GB??one?(objectClass=*)", f"{name}://e.example/c=GB???(objectClass=*)"),
            (f"{name}://e.example/c=GB?base", f"{name}://e.example/c=GB"),
            (f"{name}://e.example/c=GB??sub", f"{name}://e.example/c=GB??one"),
            (f"{name}://e.example/c=GB?a,b", f"{name}://e.example/c=GB?b,a"),
            (f"{name}://e.example/o=x%3Fy", f"{name}://e.example/o=x?y"),
            (f"{name}:///??sub??e-bindname=cn=M", f"{name}:///??sub??!e-bindname=cn=M"),
        ),
    )


_CLASS_AND_TYPE: Final = "(?:class={0}(?:;type={0})?|type={0}(?:;class={0})?)".format("[A-Za-z0-9\\-]+")


@cache
def _dns_query() -> re.Pattern[str]:
    return re.compile(_CLASS_AND_TYPE, re.IGNORECASE)


def _fields(query: str) -> dict[str, str]:
    return {name: value for name, _, value in (field.partition("=") for field in query.split(";"))}


def _dns(parts: Components) -> Components:
    """Apply RFC 4501 3: names are relative to the root, fields have no order, and IN and A are the defaults."""
    path, query = parts.path, parts.query
    if query is not None and _dns_query().fullmatch(query):
        fields = _fields(query.upper())
        kept = [
            f"{name}={fields[name]}"
            for name, usual in (("CLASS", "IN"), ("TYPE", "A"))
            if fields.get(name, usual) != usual
        ]
        query = ";".join(kept) if kept else None
    name = lower_case(path)
    # A dot after a backslash is part of the last label (RFC 1035 5.1).
    if name.endswith(".") and not name.endswith(("..", "%5C.")):
        name = name[:-1]
    return parts._replace(path=name, query=query)


def _dns_parts(parts: Components) -> dict[str, str]:
    name = parts.path if parts.host is None else parts.path[1:]
    fields = _fields((parts.query or "").upper())
    return named(
        [
            ("authority", parts.host),
            ("port", parts.port),
            ("name", name),
            ("class", fields.get("CLASS", "IN")),
            ("type", fields.get("TYPE", "A")),
        ]
    )


ROWS: Final = (
    _ldap_row("ldap", "a search in a directory", "RFC 4516 2"),
    # RFC 4516 does not define `ldaps`; the registration adopts the form of `ldap`.
    _ldap_row("ldaps", "a search in a directory over TLS", "the ldaps registration"),
    Scheme(
        name="dns",
        title="a resource record set of the DNS",
        reference="RFC 4501 3",
        dns=True,
        case=f"{HOSTED}, name, class and type",
        equivalence="a dot after the name; order of class and type; class IN, type A and none",
        syntax=rf"(?://[^/?]*/?)?[^?]*(?:\?(?i:{_CLASS_AND_TYPE}))?",
        expected=r"(?://[^/?@]*/)?[^/?]*(?:\?.*)?",
        # `DNS:e.example` in a text is usually a name of a certificate, so a query is required.
        shape=r"[A-Za-z0-9.\-_]{1,255}\?(?:[Cc][Ll][Aa][Ss][Ss]|[Tt][Yy][Pp][Ee])=[A-Za-z0-9]",
        form=_dns,
        parts=_dns_parts,
        same=(
            ("dns:host.example", "dns:host.example."),
            ("dns:Host.example?type=a;class=in", "dns:host.example"),
            ("dns:e.example?TYPE=MX;CLASS=CH", "dns:e.example?clAsS=CH;tYpE=mx"),
            ("dns://192.0.2.1/ftp.Example.org?type=A", "dns://192.0.2.1/ftp.example.org"),
            ("dns:.", "dns:"),
        ),
        different=(
            ("dns:e.example?type=MX", "dns:e.example"),
            ("dns:e.example?class=CH", "dns:e.example"),
            ("dns:e.example", "dns://192.0.2.1/e.example"),
            ("dns://192.0.2.1:53/e.example", "dns://192.0.2.1/e.example"),
            ("dns:a%5C.", "dns:a%5C"),
        ),
    ),
)
