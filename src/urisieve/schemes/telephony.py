"""Rows of telephony: `tel`, `sms`, `sip`, `sips`."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from urisieve.codes import Notice, Warn
from urisieve.components import PASSWORD, Components, lower_case, recompose
from urisieve.schemes.parts import LOCAL, NAME_START, after_scheme, named, pairs, repeated
from urisieve.schemes.rule import Authority, Scheme

__all__ = ["ROWS"]

# RFC 3966 3. A number has a digit; "#" can only stand percent-encoded in a URI. "%2B" for "+" is no tel URI by its RFC,
# but stands on so many pages that it passes.
_GLOBAL: Final = r"(?:\+|%2B)[\-.()]*+[0-9][0-9\-.()]*+"
_LOCAL_NUMBER: Final = r"[\-.()]*+(?:[0-9A-Fa-f*]|%23)(?:[0-9A-Fa-f*\-.()]|%23)*+"
_NUMBER: Final = rf"(?:{_GLOBAL}|{_LOCAL_NUMBER})"
# Each parameter is read in one way only, or the time would double with each; a global context has a digit.
_ISUB: Final = "[Ii][Ss][Uu][Bb]="
_GLOBAL_CONTEXT: Final = r"[Pp][Hh][Oo][Nn][Ee]-[Cc][Oo][Nn][Tt][Ee][Xx][Tt]=\+"
_PARAMETER: Final = (
    rf";(?:{_ISUB}[^;]*+|(?!{_ISUB})(?!{_GLOBAL_CONTEXT}[\-.()]*+(?![0-9]))[A-Za-z0-9\-]++(?:=[^;?]*+)?+)"
)
_PHONE: Final = r"(?:\+?[(]?[0-9*](?:[0-9A-Fa-f*().\-]|%23){2,32})"
_SEPARATORS: Final = str.maketrans("", "", "-.()")
# The place of a parameter (RFC 3966 3); all others come after these in lexicographical order.
_PLACES: Final = {"ext": 0, "isub": 0, "phone-context": 1}


def _place(parameter: str) -> tuple[int, str]:
    name = parameter.partition("=")[0]
    return _PLACES.get(name, 2), name


def _parameter(parameter: str) -> str:
    """RFC 3966 4, 5.1.1: visual separators count neither in an extension nor in a context that is a number."""
    name, equals, value = parameter.partition("=")
    if name == "ext" or (name == "phone-context" and value[:1] == "+"):
        value = value.translate(_SEPARATORS)
    return f"{name}{equals}{value}"


def _subscriber(text: str) -> str:
    """The form of a telephone-subscriber by which RFC 3966 4 compares: all of it in lower case."""
    number, *parameters = lower_case(text).split(";")
    return ";".join([number.translate(_SEPARATORS), *sorted(map(_parameter, parameters), key=_place)])


def _tel(parts: Components) -> Components:
    # Only a subaddress holds "?" (RFC 3966 3): then no parameter may change its place, and nothing is done.
    return parts if parts.query is not None else parts._replace(path=_subscriber(parts.path))


def _sms(parts: Components) -> Components:
    """RFC 5724 2.4: recipients are a set of telephone-subscribers; the fields are compared as they are."""
    return parts._replace(path=",".join(sorted(map(_subscriber, parts.path.split(",")))))


def _subscriber_notices(text: str) -> tuple[Notice, ...]:
    number, _, rest = text.partition(";")
    names = [name.lower() for name, _ in pairs(rest, ";")]
    found = repeated(names)
    if number[:1] != "+" and number[:3] != "%2B" and "phone-context" not in names:
        found = (Notice(Warn.LOCAL_NUMBER, number), *found)
    return found


def _tel_check(parts: Components) -> tuple[Notice, ...]:
    return _subscriber_notices(parts.path)


def _sms_check(parts: Components) -> tuple[Notice, ...]:
    found = [notice for text in parts.path.split(",") for notice in _subscriber_notices(text)]
    return (*found, *repeated(name for name, _ in pairs(parts.query or "", "&")))


_TELEPHONE_NAMES: Final = {"ext": "extension", "phone-context": "phone_context"}


def _tel_parts(parts: Components) -> dict[str, str]:
    number, _, rest = parts.path.partition(";")
    return named([("number", number), *((_TELEPHONE_NAMES.get(n.lower(), n), v) for n, v in pairs(rest, ";"))])


def _sms_parts(parts: Components) -> dict[str, str]:
    return named([("recipients", parts.path), *pairs(parts.query or "", "&")])


@cache
def _address() -> re.Pattern[str]:
    """RFC 3261 19.1.1: userinfo, host, port, parameters, headers. The user may hold "?", a header never holds "@"."""
    return re.compile(r"(?:([^@]*)@)?(\[[^\]]+\]|[^@:;?\[\]/]+)(?::([0-9]+))?((?:;[^;?]*)*)(?:\?(.*))?", re.DOTALL)


# RFC 3261 19.1.4: only the reserved characters of RFC 2396 differ from their triplets; these are not reserved there.
_MARK: Final = re.compile("%2[1789A]")
_MARKS: Final = {"%21": "!", "%27": "'", "%28": "(", "%29": ")", "%2A": "*"}
# The parameters of RFC 3261 whose value has no case; the names of methods have one (7.1), of others nothing is said.
_WITHOUT_CASE: Final = frozenset({"transport", "user", "ttl", "maddr"})


def _sip_parameter(parameter: str) -> str:
    name, equals, value = parameter.partition("=")
    name = lower_case(name)
    return f"{name}{equals}{lower_case(value) if name in _WITHOUT_CASE else value}"


def _name_of(item: str) -> str:
    return item.partition("=")[0]


def _header(header: str) -> str:
    name, equals, value = header.partition("=")
    return f"{lower_case(name)}{equals}{value}"


def _sip(parts: Components) -> Components:
    """RFC 3261 19.1.4, as far as a key can say it: what one side leaves out is never taken for equal."""
    match = None if parts.host is not None else _address().fullmatch(after_scheme(parts))
    if match is None:
        return parts
    text = _MARK.sub(lambda mark: _MARKS[mark[0]], match[0])
    match = _address().fullmatch(text)
    if match is None:
        return parts
    user, host, port, parameters, headers = match.groups()
    before = "" if user is None else f"{user}@"
    after = "" if port is None else f":{port}"
    sorted_parameters = sorted(map(_sip_parameter, parameters.split(";")[1:]), key=_name_of)
    whole = f"{before}{lower_case(host)}{after}{''.join(f';{parameter}' for parameter in sorted_parameters)}"
    if headers is not None:
        whole = f"{whole}?{'&'.join(sorted(map(_header, headers.split('&')), key=_name_of))}"
    path, question, query = whole.partition("?")
    return parts._replace(path=path, query=query if question else None)


def _sip_check(parts: Components) -> tuple[Notice, ...]:
    if parts.host is not None:
        return ()
    match = _address().fullmatch(after_scheme(parts))
    found = () if match is None else repeated(_name_of(parameter) for parameter in match[4].split(";")[1:])
    return (Notice(Warn.PASSWORD_PRESENT), *found) if PASSWORD.match(recompose(parts)) else found


def _sip_parts(parts: Components) -> dict[str, str]:
    match = None if parts.host is not None else _address().fullmatch(after_scheme(parts))
    if match is None:
        return {}
    userinfo, host, port, parameters, headers = match.groups()
    user, colon, password = (None, "", "") if userinfo is None else userinfo.partition(":")
    return named(
        [
            ("user", user),
            ("password", password if colon else None),
            ("host", host),
            ("port", port),
            *pairs(parameters, ";"),
            *((f"header_{name}", value) for name, value in pairs(headers or "", "&")),
        ]
    )


def _sip_row(name: str, title: str) -> Scheme:
    return Scheme(
        name=name,
        title=title,
        reference="RFC 3261 19.1.1",
        case="host, names of parameters and headers, values of transport, user, ttl and maddr",
        equivalence="order of parameters and of headers; triplets of !, ', (, ) and *",
        syntax=r"(?:[^@]+@)?(?:\[[^\]]+\]|[^@:;?\[\]/]+)(?::[0-9]+)?(?:;[^;?=]+(?:=[^;?]*)?)*(?:\?.*)?",
        shape=rf"(?:{LOCAL}(?::[^\s@:<>\"]{{0,64}})?@{NAME_START}"
        r"|[A-Za-z0-9\-]{1,63}\.[A-Za-z0-9.\-]{1,190}[A-Za-z0-9])",
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
                ("a%3Bb@c.example", "a;b@c.example"),
                ("b.example;a=1;a=2", "b.example;a=2;a=1"),
                ("a@b.example", "a@b.example:05060"),
            )
        ),
    )


ROWS: Final = (
    Scheme(
        name="tel",
        title="a telephone number",
        reference="RFC 3966 3",
        authority=Authority.FORBIDDEN,
        case="all of it (RFC 3966 4)",
        equivalence="visual separators - . ( ) in numbers, extensions and numeric contexts; order of parameters",
        syntax=rf"{_NUMBER}(?:{_PARAMETER})*",
        shape=_PHONE,
        form=_tel,
        check=_tel_check,
        parts=_tel_parts,
        same=(
            ("tel:+1-201-555-0123", "tel:+1(201)555.0123"),
            ("TEL:7042;Phone-Context=Example.COM", "tel:7042;phone-context=example.com"),
            ("tel:911;phone-context=+1-201", "tel:911;phone-context=+1201"),
            ("tel:+1201;b=1;a=2;ext=3-4", "tel:+1201;ext=34;a=2;b=1"),
            ("tel:*A1;phone-context=e.example", "tel:*a1;phone-context=e.example"),
            ("tel:+1201;isub=AB", "tel:+1201;isub=ab"),
        ),
        different=(
            ("tel:+12015550123", "tel:12015550123"),
            ("tel:7042;phone-context=example.com", "tel:7042;phone-context=example.org"),
            ("tel:7042;phone-context=a-b.example", "tel:7042;phone-context=ab.example"),
            ("tel:7042;phone-context=example.com", "tel:7042"),
            ("tel:+1201;ext=3", "tel:+1201"),
            ("tel:+1201;x-a=1-2", "tel:+1201;x-a=12"),
        ),
    ),
    Scheme(
        name="sms",
        title="a short message",
        reference="RFC 5724 2.2",
        authority=Authority.FORBIDDEN,
        case="numbers and their parameters (RFC 5724 2.4); the fields count as they stand",
        equivalence="numbers as for tel; order of recipients",
        syntax=rf"{_NUMBER}(?:;[A-Za-z0-9\-]+(?:=[^;?,]*)?)*(?:,{_NUMBER}(?:;[A-Za-z0-9\-]+(?:=[^;?,]*)?)*)*(?:\?.*)?",
        shape=_PHONE,
        form=_sms,
        check=_sms_check,
        parts=_sms_parts,
        same=(
            ("sms:+1-510-555-0101", "sms:+15105550101"),
            ("sms:+15105550101,+15105550102", "sms:+15105550102,+1-510-555-0101"),
            ("sms:7042;PHONE-CONTEXT=E.example?body=hi", "sms:7042;phone-context=e.example?body=hi"),
        ),
        different=(
            ("sms:+15105550101?body=a", "sms:+15105550101?body=A"),
            ("sms:+15105550101?body=a", "sms:+15105550101"),
            ("sms:+15105550101,+15105550102", "sms:+15105550101"),
            ("sms:+15105550101", "sms:15105550101"),
            ("sms:+15105550101?a=1&b=2", "sms:+15105550101?b=2&a=1"),
        ),
    ),
    _sip_row("sip", "Session Initiation Protocol"),
    _sip_row("sips", "Session Initiation Protocol over TLS"),
)
