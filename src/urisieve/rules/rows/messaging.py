"""Rows of chat, presence and accounts: `xmpp`, `acct`, `im`, `pres`, IRC, Matrix, Skype, MSRP."""

from __future__ import annotations

from urisieve.lean import Final
from urisieve.rules import forms
from urisieve.rules.scheme_table import Authority, Scheme
from urisieve.syntax.components import Components, lower_case


def _jid(path: str) -> tuple[str | None, str, str | None]:
    """Split an XMPP address into node, domain and resource (RFC 5122 2.2)."""
    bare, slash, resource = path.partition("/")
    node, at, name = bare.rpartition("@")
    return node if at else None, name, resource if slash else None


def _xmpp(parts: Components) -> Components:
    """Normalize the domain in the path, which is a host (RFC 5122 2.2)."""
    lead = "/" if parts.host is not None and parts.path else ""
    node, name, resource = _jid(parts.path[len(lead) :])
    before = "" if node is None else f"{node}@"
    after = "" if resource is None else f"/{resource}"
    return parts._replace(path=f"{lead}{before}{forms.domain(name)}{after}")


def _xmpp_parts(parts: Components) -> dict[str, str]:
    authority = None if parts.host is None else f"{parts.userinfo or ''}@{parts.host}"
    node, name, resource = _jid(parts.path if parts.host is None else parts.path[1:])
    kind, _, rest = (parts.query or "").partition(";")
    return forms.named(
        [
            ("authority", authority),
            ("node", node),
            ("domain", name or None),
            ("resource", resource),
            ("query_type", kind or None),
            *forms.pairs(rest, ";"),
        ]
    )


# RFC 5122 2.2: the characters of a node, and those that a host or a resource has besides; fields may hold any.
_NODE: Final = r"(?>[A-Za-z0-9\-._~!$()*+,;=]|%[0-9A-F]{2})"
_XMPP_HOST: Final = r"(?>[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-F]{2})++"
_RESOURCE: Final = r"(?>[A-Za-z0-9\-._~!$&'()*+,:;=]|%[0-9A-F]{2})*+"
_JID: Final = rf"(?:{_NODE}*+@)?{_XMPP_HOST}(?:/{_RESOURCE})?"
_XMPP: Final = rf"(?://(?:{_NODE}*+@)?[^/?@]++(?:/(?:{_JID})?)?|{_JID})(?:\?.*)?"


def _user_and_host(parts: Components) -> dict[str, str]:
    user, _, host = parts.path.rpartition("@")
    return {"user": user, "host": host}


# RFC 7565 7: the characters of a user, whose first is not a triplet, and those of a host, except brackets.
_USER: Final = r"[A-Za-z0-9\-._~!$&'()*+,;=]"


def _acct(parts: Components) -> Components:
    """Lower the case of the host (RFC 7565 4, RFC 3986 6.2.2.1)."""
    user, at, host = parts.path.rpartition("@")
    return parts._replace(path=f"{user}{at}{lower_case(host)}" if at else parts.path)


def _mailbox_form(parts: Components) -> Components:
    user, at, host = parts.path.rpartition("@")
    return parts._replace(path=f"{user}{at}{forms.domain(host)}" if at else parts.path)


def _mailbox_parts(parts: Components) -> dict[str, str]:
    user, at, host = parts.path.rpartition("@")
    found = [("user", user), ("host", host)] if at else []
    return forms.named([*found, *forms.pairs(parts.query or "", "&")])


def _mailbox(name: str, title: str, reference: str) -> Scheme:
    return Scheme(
        name=name,
        title=title,
        reference=reference,
        authority=Authority.FORBIDDEN,
        case="domain",
        # RFC 3860 App. A.2, RFC 3859 App. A.2: "follows the existing mailto: URI syntax"; by RFC 3986 6.2.3 case does
        # not count in the domain of such a path. A gateway may write "/" before the "@" (RFC 3860 App. B).
        equivalence="domains in UTF-8 and as A-labels",
        syntax=r"(?:[^@?]+@[^@?]+)?(?:\?.*)?",
        shape=forms.ADDRESS,
        form=_mailbox_form,
        parts=_mailbox_parts,
        same=(
            (f"{name.upper()}:fred%7e@e.example", f"{name}:fred~@e.example"),
            (f"{name}:fred@E.Example", f"{name}:fred@e.example"),
            (f"{name}:fred@b%C3%BCcher.example", f"{name}:fred@xn--bcher-kva.example"),
            (f"{name}:fred@E.example?Subject=A", f"{name}:fred@e.example?Subject=A"),
        ),
        different=(
            (f"{name}:fred@e.example", f"{name}:Fred@e.example"),
            (f"{name}:fred@e.example", f"{name}:fred@f.example"),
            (f"{name}:fred@e.example?Subject=A", f"{name}:fred@e.example?Subject=a"),
            (f"{name}:fred@e.example?Subject=a", f"{name}:fred@e.example"),
            (f"{name}:a%40b@e.example", f"{name}:a@e.example"),
        ),
    )


def _msrp_parts(parts: Components) -> dict[str, str]:
    session, *parameters = parts.path[1:].split(";")
    items = [item for text in parameters for item in forms.pairs(text, ";")]
    transport = items[0][0] if items else None
    return forms.named([*forms.hosted(parts), ("session_id", session or None), ("transport", transport), *items[1:]])


def _msrp(parts: Components) -> Components:
    """Lower the case of the transport; case counts in the session (RFC 4975 6.1)."""
    session, semicolon, rest = parts.path.partition(";")
    transport, more, others = rest.partition(";")
    return parts._replace(path=f"{session}{semicolon}{lower_case(transport)}{more}{others}")


def _msrp_compared(parts: Components) -> Components:
    """Remove the userinfo, which is not compared (RFC 4975 6.1)."""
    return parts._replace(userinfo=None)


def _msrp_row(name: str, title: str) -> Scheme:
    return forms.service(name, title, "RFC 4975 6")._replace(
        case=f"{forms.HOSTED}, transport",
        equivalence="the key leaves out userinfo",
        # RFC 4975 6.1: "Path normalization is not relevant for MSRP URIs."
        keeps_dots=True,
        form=_msrp,
        compared=_msrp_compared,
        parts=_msrp_parts,
        same=(
            (f"{name}://A.example:7654/j7;tcp", f"{name}://a.example:7654/j7;tcp"),
            (f"{name}://bob@a.example:7654/j7;tcp", f"{name}://a.example:7654/j7;tcp"),
            (f"{name}://a.example:7654/j7;TCP", f"{name}://a.example:7654/j7;tcp"),
            (f"{name}://a.example:7654/j7;TCP;a=B", f"{name}://a.example:7654/j7;tcp;a=B"),
        ),
        different=(
            (f"{name}://a.example:7654/j7;tcp", f"{name}://a.example:7654/J7;tcp"),
            (f"{name}://a.example:2855/j7;tcp", f"{name}://a.example/j7;tcp"),
            (f"{name}://a.example:7654/j7;tcp", f"{name}://a.example:7654/j7;sctp"),
            (f"{name}://a.example:7654/j/../7;tcp", f"{name}://a.example:7654/7;tcp"),
            (f"{name}://a.example:7654/./7;tcp", f"{name}://a.example:7654/7;tcp"),
            (f"{name}://a.example:7654/j7;tcp;a=B", f"{name}://a.example:7654/j7;tcp;a=b"),
        ),
    )


ROWS: Final = (
    Scheme(
        name="xmpp",
        title="an address of XMPP",
        reference="RFC 5122 2.2",
        case="host, domain",
        equivalence="domains in UTF-8 and as A-labels",
        expected=_XMPP,
        shape=rf"(?:{forms.WIDE_LOCAL}@{forms.NAME_START}|{forms.DOTTED_NAME})",
        form=_xmpp,
        parts=_xmpp_parts,
        same=(
            ("xmpp:node@Example.COM/r", "xmpp:node@example.com/r"),
            ("xmpp:Example.COM?disco", "xmpp:example.com?disco"),
            (
                "xmpp://guest@Example.com/support@Example.com?message",
                "xmpp://guest@example.com/support@example.com?message",
            ),
        ),
        different=(
            ("xmpp:node@example.com/r", "xmpp:node@example.com/R"),
            ("xmpp:node@example.com", "xmpp://node@example.com"),
            ("xmpp:node@example.com", "xmpp:node@example.com?message"),
            ("xmpp:node@example.com", "xmpp:Node@example.com"),
        ),
    ),
    _mailbox("acct", "an account at a service", "RFC 7565 4, 7")._replace(
        case="host",
        equivalence="",
        syntax=r"[^@]+@[^@]+",
        shape=f"{forms.WIDE_LOCAL}@{forms.NAME_START}",
        expected=rf"{_USER}(?:{_USER}|%[0-9A-F]{{2}})*@(?:{_USER}|%[0-9A-F]{{2}})*",
        form=_acct,
        parts=_user_and_host,
        same=(
            ("acct:foobar@Status.Example.net", "acct:foobar@status.example.net"),
            ("acct:a%7eb@e.example", "acct:a~b@e.example"),
        ),
        different=(
            ("acct:foobar@status.example.net", "acct:Foobar@status.example.net"),
            ("acct:a%40b@e.example", "acct:a@e.example"),
        ),
    ),
    _mailbox("im", "instant messaging", "RFC 3860 App. A"),
    _mailbox("pres", "presence", "RFC 3859 App. A"),
    forms.service("irc", "Internet Relay Chat", "the irc registration"),
    forms.service("irc6", "Internet Relay Chat over IPv6", "the irc6 registration"),
    forms.service("ircs", "Internet Relay Chat over TLS", "the ircs registration"),
    _msrp_row("msrp", "Message Session Relay Protocol"),
    _msrp_row("msrps", "Message Session Relay Protocol over TLS"),
    Scheme(
        name="matrix",
        title="a user, room or event of Matrix",
        reference="the Matrix specification",
        case="scheme",
        shape=r"(?:r|u|e|roomid)/[^\s<>\"]",
        same=(("MATRIX:r/a:e.example", "matrix:r/a:e.example"),),
        different=(("matrix:r/a:e.example", "matrix:r/A:e.example"),),
    ),
    Scheme(
        name="skype",
        title="a user of Skype",
        reference="the Skype registration",
        case="scheme",
        shape=r"[A-Za-z][A-Za-z0-9._,\-]{5,31}\?(?:call|chat|add|userinfo)",
        same=(("SKYPE:echo123?call", "skype:echo123?call"),),
        different=(("skype:echo123?call", "skype:echo123?chat"),),
    ),
)
