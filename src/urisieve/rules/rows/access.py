"""Rows of schemes by which resources and services are reached: the web, files, directories, hosts.

It holds:

- rows of the web, and of schemes with the same rules: HTTP, WebSocket, CoAP, IPP, Gopher.
- rows of files: `file`, FTP and its kin, NFS, rsync.
- rows of directories: `ldap`, `ldaps`, `dns`.
- rows of services at a host, such as `ssh` and `git`.
"""

from __future__ import annotations

import re
from functools import cache

from urisieve.lean import Final
from urisieve.rules.forms import HOSTED, hosted, named, service
from urisieve.rules.scheme_table import Authority, Scheme
from urisieve.syntax.components import Components, lower_case


def _web(name: str, title: str, reference: str, port: str) -> Scheme:
    same: tuple[tuple[str, str], ...] = (
        (f"{name.upper()}://E.EXAMPLE/%7ea/../b%2f", f"{name}://e.example/b%2F"),
        (f"{name}://e.example:{port}/a", f"{name}://e.example/a"),
        (f"{name}://e.example:/a", f"{name}://e.example/a"),
        (f"{name}://e.example", f"{name}://e.example/"),
    )
    different: tuple[tuple[str, str], ...] = (
        (f"{name}://e.example/a", f"{name}://e.example/A"),
        (f"{name}://e.example/a", f"{name}://e.example/a/"),
        (f"{name}://e.example/a?", f"{name}://e.example/a"),
        (f"{name}://e.example/a%2Fb", f"{name}://e.example/a/b"),
        (f"{name}://e.example:8080/", f"{name}://e.example/"),
        (f"{name}://e.example", f"{name}://e.example//"),
    )
    return Scheme(
        name=name,
        title=title,
        reference=reference,
        authority=Authority.REQUIRED,
        dns=True,
        strict=name in ("http", "https", "ws", "wss"),
        root=True,
        fragment=name not in ("ws", "wss"),  # RFC 6455 3: "MUST NOT be used on these URIs"
        case=HOSTED,
        same=same,
        different=different,
    )


def _gopher(parts: Components) -> Components:
    """Remove the default type 1 before an empty selector, which means the top of the server (RFC 4266 2.1)."""
    return parts._replace(path="/") if parts.path == "/1" and parts.query is None else parts


def _file(parts: Components) -> Components:
    """Write an empty authority for none and for `localhost`, which all mean this machine (RFC 8089 2)."""
    _, userinfo, host, port, path, _, _ = parts
    if path[:1] != "/":
        return parts
    if host is None:
        return parts._replace(host="", path=path[2:] if path.startswith("/.//") else path)
    if host == "localhost" and userinfo is None and port is None:
        return parts._replace(host="")
    return parts


def _type_code(parts: Components) -> tuple[str, str | None]:
    """Return the path of an FTP URL and its type code (RFC 1738 3.2.2)."""
    path, _, code = parts.path.rpartition(";type=")
    return (path, code) if code.lower() in ("a", "i", "d") else (parts.path, None)


def _ftp_parts(parts: Components) -> dict[str, str]:
    path, code = _type_code(parts)
    found = {"path": path}
    if code is not None:
        found["type"] = code
    return found


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
    _web("http", "Hypertext Transfer Protocol", "RFC 9110 4.2.1", "80"),
    _web("https", "Hypertext Transfer Protocol over TLS", "RFC 9110 4.2.2", "443"),
    _web("ws", "WebSocket", "RFC 6455 3", "80"),
    _web("wss", "WebSocket over TLS", "RFC 6455 3", "443"),
    _web("coap", "Constrained Application Protocol", "RFC 7252 6.1", "5683"),
    _web("coaps", "Constrained Application Protocol over DTLS", "RFC 7252 6.2", "5684"),
    _web("coap+tcp", "Constrained Application Protocol over TCP", "RFC 8323 8.1", "5683"),
    _web("coaps+tcp", "Constrained Application Protocol over TLS", "RFC 8323 8.2", "5684"),
    _web("coap+ws", "Constrained Application Protocol over WebSocket", "RFC 8323 8.3", "80"),
    _web("coaps+ws", "Constrained Application Protocol over secure WebSocket", "RFC 8323 8.4", "443"),
    _web("ipp", "Internet Printing Protocol", "RFC 3510 4.7", "631"),
    _web("ipps", "Internet Printing Protocol over TLS", "RFC 7472 4.6", "631"),
    Scheme(
        name="gopher",
        title="Gopher",
        reference="RFC 4266 2.1",
        dns=True,
        root=True,
        case=HOSTED,
        form=_gopher,
        keeps_dots=True,  # "Within the <gopher-path>, no characters are reserved", so it has no segments
        same=(
            ("gopher://E.example:70/1a", "gopher://e.example/1a"),
            ("gopher://e.example", "gopher://e.example/"),
            ("gopher://e.example/1", "gopher://e.example/"),
        ),
        different=(
            ("gopher://e.example/1a", "gopher://e.example/1A"),
            ("gopher://e.example/0", "gopher://e.example/"),
            ("gopher://e.example/1?", "gopher://e.example/"),
            ("gopher://e.example?", "gopher://e.example/"),
            ("gopher://e.example/0/a/../b", "gopher://e.example/0/b"),
        ),
    ),
    Scheme(
        name="file",
        title="a file by its host and path",
        reference="RFC 8089 2",
        case=HOSTED,
        equivalence="no authority, an empty one and `localhost` are the same. Left out are drive letters: their case,"
        " `file:c:/a` (RFC 8089 App. E.2), `c|` for `c:` (App. E.2.2), and `file://c:/a`, which by the grammar has the"
        " host `c`",
        expected=r"(?://(?:\[[^\]]*\]|[^/?@:]*))?/(?:[^/?][^?]*)?",
        # A drive may stand where the path begins (RFC 8089 App. E.2).
        shape=r"(?:[A-Za-z]:)?/[A-Za-z0-9_.~%\-\u00a0-\U000efffd]",
        form=_file,
        same=(
            ("file:/etc/hosts", "file:///etc/hosts"),
            ("file://localhost/etc/hosts", "file:///etc/hosts"),
            ("file://LOCALHOST/etc/hosts", "file:/etc/hosts"),
            ("file://H.example/a", "file://h.example/a"),
        ),
        different=(
            ("file:///etc/hosts", "file:///etc/Hosts"),
            ("file://h.example/a", "file:///a"),
            ("file://u@localhost/a", "file:///a"),
            ("file://localhost:80/a", "file:///a"),
            ("file:///a", "file:////a"),
            ("file:///c:/a", "file:///C:/a"),
        ),
    ),
    Scheme(
        name="ftp",
        title="File Transfer Protocol",
        reference="RFC 1738 3.2",
        authority=Authority.REQUIRED,
        dns=True,
        strict=True,
        root=True,
        case=HOSTED,
        parts=_ftp_parts,
        same=(("ftp://E.example:21/a", "ftp://e.example/a"), ("ftp://e.example", "ftp://e.example/")),
        different=(
            ("ftp://e.example/a", "ftp://e.example/A"),
            ("ftp://e.example/a", "ftp://e.example/%2Fa"),
            ("ftp://u@e.example/a", "ftp://e.example/a"),
            ("ftp://e.example/a;type=i", "ftp://e.example/a"),
            ("ftp://e.example/a", "ftps://e.example/a"),
        ),
    ),
    service("ftps", "File Transfer Protocol over TLS", "RFC 3986 3.2.2"),
    service("sftp", "File Transfer over Secure Shell", "the sftp registration"),
    service("nfs", "Network File System", "RFC 2224 2", root=True),
    service("rsync", "rsync", "RFC 5781 2", root=True),
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
        shape=r"[A-Za-z0-9.\-_%]{1,255}\?(?:[Cc][Ll][Aa][Ss][Ss]|[Tt][Yy][Pp][Ee])=[A-Za-z0-9]",
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
    # Services whose only rule is that the host is a name of the DNS or an IP address.
    *(
        service(name, title, reference)
        for name, title, reference in (
            ("aaa", "Diameter", "RFC 6733 4.3.1"),
            ("aaas", "Diameter over TLS", "RFC 6733 4.3.1"),
            ("git", "Git repository", "the git registration"),
            ("git+ssh", "Git repository over Secure Shell", "RFC 3986 3.2.2"),
            ("svn", "Subversion repository", "the svn registration"),
            ("svn+ssh", "Subversion repository over Secure Shell", "RFC 3986 3.2.2"),
            ("ssh", "Secure Shell", "the ssh registration"),
            ("mms", "Multimedia streaming", "the mms registration"),
            ("rtmp", "Real-Time Messaging Protocol", "the rtmp registration"),
            ("vnc", "Remote Framebuffer Protocol", "RFC 7869 2.1"),
        )
    ),
    *(
        service(name, title, reference, root=True)
        for name, title, reference in (
            ("acap", "Application Configuration Access Protocol", "RFC 2244 3.2"),
            ("dict", "Dictionary Server Protocol", "RFC 2229 5"),
            ("icap", "Internet Content Adaptation Protocol", "RFC 3507 4.2"),
            ("rtsp", "Real-Time Streaming Protocol", "RFC 7826 4.2"),
            ("rtsps", "Real-Time Streaming Protocol over TLS", "RFC 7826 4.2"),
            ("rtspu", "Real-Time Streaming Protocol over UDP", "RFC 2326 3.2"),
            ("snmp", "Simple Network Management Protocol", "RFC 4088 3"),
            ("wais", "Wide Area Information Servers", "RFC 4156 2"),
        )
    ),
    # RFC 4248 2: "The final "/" character may be omitted"; a path holds nothing else.
    *(
        service(name, title, reference, root=True)._replace(expected="//[^/?]*/?")
        for name, title, reference in (
            ("telnet", "Telnet", "RFC 4248 2"),
            ("tn3270", "Telnet for 3270 terminals", "RFC 6270 2.1"),
        )
    ),
)
