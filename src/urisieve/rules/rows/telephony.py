"""Rows of telephony: `tel`, `sms`, `sip`, `sips`, `stun`, `turn`."""

from __future__ import annotations

import re
from functools import cache

from urisieve.codes import Notice, Warn
from urisieve.lean import Final
from urisieve.rules import forms
from urisieve.rules.forms import pairs
from urisieve.rules.scheme_table import Authority, Scheme
from urisieve.syntax.components import Components, lower_case
from urisieve.syntax.grammar import compiled
from urisieve.syntax.host import ipv6_text

# RFC 3966 3. A number has at least one digit, and "#" must be percent-encoded in a URI. By the RFC, "%2B" for "+" is
# not a tel URI; it is accepted because many pages have it. "(", ")" and "*" are the same as their triplets.
_GLOBAL: Final = r"(?:\+|%2B)(?>[\-.()]|%2[89])*+[0-9](?>[0-9\-.()]|%2[89])*+"
_LOCAL_NUMBER: Final = r"(?>[\-.()]|%2[89])*+(?:[0-9A-Fa-f*]|%23|%2A)(?>[0-9A-Fa-f*\-.()]|%23|%2[89A])*+"
_NUMBER: Final = rf"(?:{_GLOBAL}|{_LOCAL_NUMBER})"
# What is dialed, and is no number by RFC 3966 3: with pauses, as "," and "p", and words of letters; it has a digit.
_DIALED: Final = r"(?:\+|%2B)?(?>[A-Za-z*,\-.()]|%2[389AC])*+[0-9](?>[0-9A-Za-z*,\-.()]|%2[389AC])*+"
# Each parameter matches in one way only, or the time would double with each. A global context has at least one digit.
_ISUB: Final = "[Ii][Ss][Uu][Bb]="
_GLOBAL_CONTEXT: Final = r"[Pp][Hh][Oo][Nn][Ee]-[Cc][Oo][Nn][Tt][Ee][Xx][Tt]=\+"
_PARAMETER: Final = (
    rf";(?:{_ISUB}[^;]*+|(?!{_ISUB})(?!{_GLOBAL_CONTEXT}[\-.()]*+(?![0-9]))[A-Za-z0-9\-]++(?>=[^;?]*+)?+)"
)
# The grammar of RFC 3966 3.
_CONTEXT: Final = rf"(?i:phone-context)=(?:\+(?>[\-.()]|%2[89])*+[0-9](?>[0-9\-.()]|%2[89])*+|{forms.HOST_NAME})"
_PVALUE: Final = r"(?>[A-Za-z0-9\-_.!~*'()\[\]/:&+$]|%[0-9A-F]{2})++"
_EXPECTED: Final = (
    rf"(?!%2B){_NUMBER}(?>;(?:(?i:ext)=(?>[0-9\-.()]|%2[89])++|{_ISUB}[^;,]++|{_CONTEXT}(?=[;,?]|\Z)"
    rf"|(?!(?i:ext|isub|phone-context)(?:[=;,?]|\Z))[A-Za-z0-9\-]++(?>={_PVALUE})?+))*+"
)
# Three digits or more, or fewer with a parameter or a text.
_PHONE: Final = (
    r"(?:\+?(?:[(]|%28)?(?:[0-9*]|%2[Aa])(?:(?:[0-9A-Fa-f*().\-]|%2[389Aa]){2,32}"
    r"|[0-9]?(?:;(?:ext|isub|phone-context)=|\?body=)))"
)
# Some come first, and all others after them; both in lexicographical order (RFC 3966 3). Visual separators do not count
# in an extension, and in a context that is a number (RFC 3966 4, 5.1.1).
PARAMETERS: Final = forms.Items(";", first=("ext", "isub", "phone-context"), numbers=("ext", "phone-context"))


def _subscriber(text: str) -> str:
    """Return the form of a telephone-subscriber that RFC 3966 3 and 4 compare: all of it in lower case."""
    number, semicolon, parameters = lower_case(forms.marks_decoded(text)).partition(";")
    return f"{forms.without_separators(number)}{semicolon}{PARAMETERS.form(parameters)}"


def _tel(parts: Components) -> Components:
    # Only a subaddress holds "?" (RFC 3966 3): then the parameters cannot be sorted, and nothing changes.
    return parts if parts.query is not None else parts._replace(path=_subscriber(parts.path))


def _sms(parts: Components) -> Components:
    """Sort the recipients, a set of telephone-subscribers; the fields do not change (RFC 5724 2.4)."""
    return parts._replace(path=",".join(sorted(map(_subscriber, parts.path.split(",")))))


def _subscriber_notices(text: str) -> tuple[Notice, ...]:
    number, _, rest = text.partition(";")
    names = [name.lower() for name, _ in pairs(rest, ";")]
    found = forms.repeated(names)
    if number[:1] != "+" and number[:3].upper() != "%2B" and "phone-context" not in names:
        found = (Notice(Warn.LOCAL_NUMBER, number), *found)
    return found


def _tel_check(parts: Components) -> tuple[Notice, ...]:
    return _subscriber_notices(parts.path)


def _sms_check(parts: Components) -> tuple[Notice, ...]:
    found = [notice for text in parts.path.split(",") for notice in _subscriber_notices(text)]
    return (*found, *forms.repeated(name for name, _ in pairs(parts.query or "", "&")))


_TELEPHONE_NAMES: Final = {"ext": "extension", "phone-context": "phone_context"}


def _tel_parts(parts: Components) -> dict[str, str]:
    number, _, rest = parts.path.partition(";")
    return forms.named([("number", number), *((_TELEPHONE_NAMES.get(n.lower(), n), v) for n, v in pairs(rest, ";"))])


@cache
def _address() -> re.Pattern[str]:
    """Compile a pattern of userinfo, host, port, parameters and headers (RFC 3261 19.1.1).

    The user may hold "?"; a header never holds "@".
    """
    return re.compile(r"(?:([^@]*)@)?(\[[^\]]+\]|[^@:;?\[\]/]+)(?::([0-9]+))?((?:;[^;?]*)*)(?:\?(.*))?", re.DOTALL)


# RFC 3261 19.1.4: case counts only in userinfo "unless explicitly defined otherwise". It also counts in the names of
# methods (7.1), in values that are URIs or texts (RFC 4240 3, RFC 4458 2.1, RFC 5552 2.1) and in values assigned by a
# push service (RFC 8599 8).
SIP_PARAMETERS: Final = forms.Items(
    ";",
    cased=frozenset(
        {"method", "play", "content-type", "target", "voicexml", "ccxml", "aai", "postbody"}
        | {"pn-prid", "pn-param", "pn-provider"}
    ),
)
HEADERS: Final = forms.Items("&", lowers=False)


def _sip(parts: Components) -> Components:
    """Apply RFC 3261 19.1.4, as far as a key can: an absent parameter or header never equals one that is present."""
    match = None if parts.host is not None else _address().fullmatch(forms.after_scheme(parts))
    if match is None:
        return parts
    match = _address().fullmatch(forms.marks_decoded(match[0]))
    if match is None:
        return parts
    user, host, port, parameters, headers = match.groups()
    before = "" if user is None else f"{user}@"
    after = "" if port is None else f":{port}"
    # RFC 5954 4.2: IPv6 addresses are compared, not their text forms.
    name = ipv6_text(host) if host[0] == "[" else lower_case(host)
    whole = f"{before}{name}{after}{parameters and f';{SIP_PARAMETERS.form(parameters[1:])}'}"
    if headers is not None:
        whole = f"{whole}?{HEADERS.form(headers)}"
    path, question, query = whole.partition("?")
    return parts._replace(path=path, query=query if question else None)


def _sip_check(parts: Components) -> tuple[Notice, ...]:
    if parts.host is not None:
        return ()
    match = _address().fullmatch(forms.after_scheme(parts))
    return () if match is None else forms.repeated(parameter.partition("=")[0] for parameter in match[4].split(";")[1:])


def _sip_parts(parts: Components) -> dict[str, str]:
    match = None if parts.host is not None else _address().fullmatch(forms.after_scheme(parts))
    if match is None:
        return {}
    userinfo, host, port, parameters, headers = match.groups()
    user, colon, password = (None, "", "") if userinfo is None else userinfo.partition(":")
    return forms.named(
        [
            ("user", user),
            ("password", password if colon else None),
            ("host", host),
            ("port", port),
            *pairs(parameters, ";"),
            *((f"header_{name}", value) for name, value in pairs(headers or "", "&")),
        ]
    )


# `host` of RFC 3261 25.1, except addresses in brackets.
_HOST: Final = rf"(?:{compiled('IPv4address').pattern}|{forms.HOST_NAME})(?=[:;?]|\Z)"


# `user` in running text: `user-unreserved` of RFC 3261 25.1 has `;`, `,`, `?` and `/`.
_USER: Final = r"[^\s@:#\[\]<>\"()\\^`{|}]{1,256}"


def _sip_row(name: str, title: str) -> Scheme:
    return Scheme(
        name=name,
        title=title,
        reference="RFC 3261 19.1.1",
        case="host, names of headers, parameters; the values of some have a case, as of method",
        equivalence="order of parameters and of headers; triplets of !, ', (, ) and *; texts of an IPv6 address"
        " (RFC 3261 19.1.4, RFC 5954 4.2)",
        bracketed=True,
        expected=rf"(?:[^@]+@)?(?:\[[^\]]+\]|{_HOST})(?::[0-9]+)?(?:;[^?]*)?(?:\?.*)?",
        syntax=r"(?:[^@]+@)?(?:\[[^\]]+\]|[^@:;?\[\]/]+)(?::[0-9]+)?(?:;[^;?=]+(?:=[^;?]*)?)*(?:\?.*)?",
        shape=rf"(?:{_USER}(?::[^\s@:<>\"]{{0,64}})?@{forms.NAME_START}"
        r"|[A-Za-z0-9\-]{1,63}\.[A-Za-z0-9.\-]{1,190}[A-Za-z0-9]|\[[0-9A-Fa-f:.]{2,45}\])",
        form=_sip,
        check=_sip_check,
        parts=_sip_parts,
        same=tuple(
            (f"{name}:{first}", f"{name}:{second}")
            for first, second in (
                ("%61lice@atlanta.example;transport=TCP", "alice@AtLanTa.Example;Transport=tcp"),
                (
                    "b.example;transport=tcp;method=REGISTER?to=sip:bob%40b.example",
                    "b.example;method=REGISTER;transport=tcp?to=sip:bob%40b.example",
                ),
                ("a@b.example?subject=x%20y&priority=urgent", "a@b.example?Priority=urgent&Subject=x%20y"),
                ("a%21b@c.example", "a!b@c.example"),
                ("b.example;x-unknown=AbC", "b.example;x-unknown=abc"),
                ("bob@[2001:DB8:0:0::9:01]:5060", "bob@[2001:db8::9:1]:5060"),
                ("bob@[::ffff:c000:280]", "bob@[::FFFF:192.0.2.128]"),
            )
        ),
        different=tuple(
            (f"{name}:{first}", f"{name}:{second}")
            for first, second in (
                ("ALICE@a.example", "alice@a.example"),
                ("bob@b.example", "bob@b.example:5060"),
                ("bob@b.example", "bob@b.example;transport=udp"),
                ("bob@b.example", "bob@b.example;newparam=5"),
                ("bob@b.example", "bob@b.example?Subject=next%20meeting"),
                ("b.example;method=REGISTER", "b.example;method=register"),
                ("b.example;x-unknown=a", "b.example;x-unknown=b"),
                ("b.example;pn-prid=a", "b.example;pn-prid=A"),
                ("A@b.example;x=1", "a@b.example;x=1"),
                ("bob@[2001:db8::9:1]", "bob@[2001:db8::9:2]"),
                ("bob@[2001:db8::9:1]:5060", "bob@[2001:db8::9:1]"),
                ("bob@[2001:db8::9:1]", "bob@[2001:db8::9:1:5060]"),
                ("a%3Bb@c.example", "a;b@c.example"),
                ("b.example;a=1;a=2", "b.example;a=2;a=1"),
                ("a@b.example", "a@b.example:05060"),
            )
        ),
    )


@cache
def _server() -> re.Pattern[str]:
    """Compile a pattern of host and port (RFC 7064 3.1, RFC 7065 3.1)."""
    return re.compile(r"(\[[^\]]+\]|[^@:/?#\[\]]+)(?::([0-9]*))?")


def _relay_row(name: str, title: str, port: str, *, query: str = "") -> Scheme:
    """Return the row of a server that helps two hosts behind translators of addresses to reach each other.

    Args:
        name: the scheme.
        title: what it is for.
        port: the default port.
        query: the pattern of the query; "" if there is none.
    """
    reference = "RFC 7065 3.1" if query else "RFC 7064 3.1"

    def form(parts: Components) -> Components:
        match = None if parts.host is not None else _server().fullmatch(parts.path)
        if match is None:
            return parts
        host = ipv6_text(match[1]) if match[1][0] == "[" else lower_case(match[1])
        number = match[2] if match[2] != port else ""
        transport = parts.query if parts.query is None else lower_case(parts.query)
        return parts._replace(path=f"{host}:{number}" if number else host, query=transport)

    def named_parts(parts: Components) -> dict[str, str]:
        match = None if parts.host is not None else _server().fullmatch(parts.path)
        if match is None:
            return {}
        return forms.named([("host", match[1]), ("port", match[2]), *pairs(parts.query or "", "&")])

    udp = "?transport=udp" if query else ""
    return Scheme(
        name=name,
        title=title,
        reference=reference,
        case="host, transport" if query else "host",
        equivalence="the default port, an empty one and none; texts of an IPv6 address",
        bracketed=True,
        expected=rf"(?:\[[^\]]+\]|[^@:/?#\[\]]+)(?::[0-9]*)?{query}",
        # `turn:` and `stun:` are also names of properties, and a name with a dot is code: `{turn:game.player}`. So a
        # port or a query follows the name, or its last label is one that stands for a host.
        shape=rf"(?:{forms.DOTTED_NAME}(?::[0-9]{{2,5}}(?![0-9A-Za-z])|\?transport=[A-Za-z])"
        r"|(?:[A-Za-z0-9\-]{1,63}\.){1,8}(?:[Cc][Oo][Mm]|[Nn][Ee][Tt]|[Oo][Rr][Gg]|example)(?![.\-]?[A-Za-z0-9_(=])"
        r"|[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![.\-]?[0-9A-Za-z_])|\[[0-9A-Fa-f:.]{2,45}\])",
        form=form,
        parts=named_parts,
        same=(
            (f"{name}:Example.ORG{udp}", f"{name}:example.org{udp}"),
            (f"{name}:example.org:{port}", f"{name}:example.org"),
            (f"{name.upper()}:192.0.2.1:{udp}", f"{name}:192.0.2.1{udp}"),
            (f"{name}:[2001:DB8:0::1]:8000", f"{name}:[2001:db8::1]:8000"),
            *(((f"{name}:example.org?transport=UDP", f"{name}:example.org?transport=udp"),) if query else ()),
        ),
        different=(
            (f"{name}:example.org:8000", f"{name}:example.org"),
            (f"{name}:example.org", f"{name}:example.net"),
            *(((f"{name}:example.org?transport=udp", f"{name}:example.org"),) if query else ()),
        ),
    )


_TRANSPORT: Final = r"(?:\?transport=[A-Za-z0-9\-._~%]+)?"

ROWS: Final = (
    Scheme(
        name="tel",
        title="a telephone number",
        reference="RFC 3966 3",
        authority=Authority.FORBIDDEN,
        case="all of it (RFC 3966 4)",
        equivalence="visual separators - . ( ) in numbers, extensions and numeric contexts; order of parameters;"
        " triplets of !, ', (, ) and *",
        syntax=rf"(?:{_NUMBER}|{_DIALED})(?:{_PARAMETER})*",
        expected=rf"{_EXPECTED}(?:\?.*)?",
        shape=_PHONE,
        form=_tel,
        check=_tel_check,
        parts=_tel_parts,
        same=(
            ("tel:+1-201-555-0123", "tel:+1(201)555.0123"),
            ("TEL:7042;Phone-Context=Example.COM", "tel:7042;phone-context=example.com"),
            ("tel:911;phone-context=+1-201", "tel:911;phone-context=+1201"),
            ("tel:+1201;b=1;a=2;ext=3-4", "tel:+1201;ext=34;a=2;b=1"),
            ("tel:+1201;ext=%2D", "tel:+1201;ext=-"),
            ("tel:*A1;phone-context=e.example", "tel:*a1;phone-context=e.example"),
            ("tel:+1201;isub=AB", "tel:+1201;isub=ab"),
            ("tel:+1%28201%295", "tel:+1(201)5"),
            ("tel:%2a1%23;phone-context=e.example", "tel:*1%23;phone-context=e.example"),
            ("tel:+1201;x=a%21%27b", "tel:+1201;x=a!'b"),
            ("tel:1-800-FLOWERS", "tel:1800flowers"),
        ),
        different=(
            ("tel:1-800-FLOWERS", "tel:1-800-356-9377"),
            ("tel:123-456-7890p123", "tel:123-456-7890,123"),
            ("tel:+12015550123", "tel:12015550123"),
            ("tel:7042;phone-context=example.com", "tel:7042;phone-context=example.org"),
            ("tel:7042;phone-context=a-b.example", "tel:7042;phone-context=ab.example"),
            ("tel:7042;phone-context=example.com", "tel:7042"),
            ("tel:+1201;ext=3", "tel:+1201"),
            ("tel:+1201;x-a=1-2", "tel:+1201;x-a=12"),
            ("tel:+1201;x=a%2Bb", "tel:+1201;x=a+b"),
            ("tel:+1201;x=a%3Bb", "tel:+1201;x=a;b"),
        ),
    ),
    Scheme(
        name="sms",
        title="a short message",
        reference="RFC 5724 2.2",
        authority=Authority.FORBIDDEN,
        case="numbers and their parameters (RFC 5724 2.4); the fields count as they stand",
        equivalence="numbers as for tel; order of recipients",
        expected=rf"{_EXPECTED}(?:,{_EXPECTED})*(?:\?.*)?",
        syntax=rf"{_NUMBER}(?:;[A-Za-z0-9\-]+(?:=[^;?,]*)?)*(?:,{_NUMBER}(?:;[A-Za-z0-9\-]+(?:=[^;?,]*)?)*)*(?:\?.*)?",
        shape=_PHONE,
        form=_sms,
        check=_sms_check,
        parts=lambda parts: forms.named([("recipients", parts.path), *pairs(parts.query or "", "&")]),
        same=(
            ("sms:+1-510-555-0101", "sms:+15105550101"),
            ("sms:+15105550101,+15105550102", "sms:+15105550102,+1-510-555-0101"),
            ("sms:7042;PHONE-CONTEXT=E.example?body=hi", "sms:7042;phone-context=e.example?body=hi"),
            ("sms:+1%28510%29", "sms:+1510"),
            ("sms:+1510;x=%21", "sms:+1510;x=!"),
        ),
        different=(
            ("sms:+15105550101?body=a", "sms:+15105550101?body=A"),
            ("sms:+15105550101?body=a", "sms:+15105550101"),
            ("sms:+15105550101,+15105550102", "sms:+15105550101"),
            ("sms:+15105550101", "sms:15105550101"),
            ("sms:+15105550101?body=%21", "sms:+15105550101?body=!"),
            ("sms:+15105550101?a=1&b=2", "sms:+15105550101?b=2&a=1"),
        ),
    ),
    _sip_row("sip", "Session Initiation Protocol"),
    _sip_row("sips", "Session Initiation Protocol over TLS"),
    _relay_row("stun", "a server that tells a host its public address", "3478"),
    _relay_row("stuns", "a server that tells a host its public address, over TLS", "5349"),
    _relay_row("turn", "a server that relays traffic", "3478", query=_TRANSPORT),
    _relay_row("turns", "a server that relays traffic, over TLS", "5349", query=_TRANSPORT),
)
