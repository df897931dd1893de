"""Equal keys against what the scheme's RFC says of two identifiers, over generated ones.

The oracles compare two identifiers as the text of the RFC does; none of them makes a canonical form.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urisieve import Record, check, key, normalize, parse
from urisieve.schemes import Scheme, described, scheme_rule


def _any_case(text: str) -> st.SearchStrategy[str]:
    return st.sampled_from([text, text.upper(), text.title()])


def _some(items: list[str], most: int = 3) -> st.SearchStrategy[list[str]]:
    """Some of the items, in any order, each at most once."""
    return st.lists(st.sampled_from(items), max_size=most, unique_by=lambda item: item.partition("=")[0].lower())


def _parameters(parameters: list[str]) -> dict[str, str]:
    return {name.lower(): value for name, _, value in (text.partition("=") for text in parameters)}


# RFC 3966 4.
def _tel_equal(first: str, second: str) -> bool:
    (one, *more), (two, *others) = (text.partition(":")[2].split(";") for text in (first, second))
    if one.startswith("+") != two.startswith("+") or _digits(one) != _digits(two):
        return False
    left, right = _parameters(more), _parameters(others)
    if left.keys() != right.keys():
        return False
    for name, value in left.items():
        other = right[name]
        if name == "ext" or (name == "phone-context" and value.startswith("+") and other.startswith("+")):
            if _digits(value) != _digits(other):
                return False
        elif value.lower() != other.lower():
            return False
    return True


def _digits(text: str) -> str:
    return re.sub(r"[-.()]", "", text).lower()


_NUMBERS = ["+12", "+1-2", "+(1)2", "12", "1.2", "aB", "A-b", "+1"]
_TEL_PARAMETERS = ["ext=12", "ext=1-2", "Ext=1", "isub=A", "isub=a", "phone-context=+1-2", "Phone-Context=+12"]
_TEL_PARAMETERS += ["phone-context=E.example", "phone-context=e.example", "b=1-2", "B=12", "a"]


@st.composite
def _subscribers(draw: st.DrawFn) -> str:
    return ";".join([draw(st.sampled_from(_NUMBERS)), *draw(_some(_TEL_PARAMETERS))])


def _tels() -> st.SearchStrategy[str]:
    return st.builds(lambda scheme, rest: f"{scheme}:{rest}", _any_case("tel"), _subscribers())


# RFC 5724 2.4.
def _sms_equal(first: str, second: str) -> bool:
    (one, _, fields), (two, _, others) = (text.partition(":")[2].partition("?") for text in (first, second))
    if fields != others or ("?" in first) != ("?" in second):
        return False
    left = [f"tel:{number}" for number in one.split(",")]
    right = [f"tel:{number}" for number in two.split(",")]
    for number in left:
        found = next((other for other in right if _tel_equal(number, other)), None)
        if found is None:
            return False
        right.remove(found)
    return not right


@st.composite
def _smses(draw: st.DrawFn) -> str:
    numbers = draw(st.lists(_subscribers(), min_size=1, max_size=3))
    return f"sms:{','.join(numbers)}{draw(st.sampled_from(['', '?body=a', '?body=A', '?a=1&b=2', '?b=2&a=1']))}"


# RFC 3261 19.1.4; the relation is not transitive, and a key says less.
_SIP = re.compile(r"(sips?):(?:([^@:]*)(?::([^@]*))?@)?([^:;?]+)(?::([0-9]+))?((?:;[^;?]*)*)(?:\?(.*))?", re.IGNORECASE)


def _unescaped(text: str) -> str:
    """Without the triplets that are equivalent to their character: all but the reserved ones of RFC 2396."""
    return re.sub(
        "%[0-9A-Fa-f]{2}",
        lambda triplet: triplet[0].upper() if unquote(triplet[0]) in ";/?:@&=+$," else unquote(triplet[0]),
        text,
    )


def _sip_equal(first: str, second: str) -> bool:
    left, right = (_SIP.fullmatch(text) for text in (first, second))
    assert left is not None
    assert right is not None
    if left[1].lower() != right[1].lower() or left[5] != right[5] or left[4].lower() != right[4].lower():
        return False
    if any(
        (one is None) != (two is None) or (one is not None and _unescaped(one) != _unescaped(two))
        for one, two in ((left[2], right[2]), (left[3], right[3]))
    ):
        return False
    one, two = (_parameters(_unescaped(match[6]).split(";")[1:]) for match in (left, right))
    if any(one[name].lower() != two[name].lower() for name in one.keys() & two.keys()):
        return False
    if (one.keys() ^ two.keys()) & {"user", "ttl", "method", "maddr", "transport"}:
        return False
    headers, others = (_parameters(_unescaped(match[7] or "").split("&")) for match in (left, right))
    return headers == others


@st.composite
def _sips(draw: st.DrawFn) -> str:
    scheme = draw(st.sampled_from(["sip", "SIP", "sips"]))
    user = draw(st.sampled_from(["", "a@", "A@", "%61@", "a:b@", "a:B@", "a%3ab@", "a!@", "a%21@", "a?b@", "a;b@"]))
    port = draw(st.sampled_from(["", ":5060"]))
    parameters = draw(
        _some(["transport=tcp", "Transport=TCP", "lr", "LR", "method=A", "method=a", "x=1", "x=2", "ttl=1", "y=%28"])
    )
    headers = draw(_some(["subject=a", "Subject=a", "subject=A", "priority=1", "x=%29", "x=)"], 2))
    whole = f"{scheme}:{user}{draw(_any_case('e.example'))}{port}{''.join(f';{text}' for text in parameters)}"
    return f"{whole}?{'&'.join(headers)}" if headers else whole


# RFC 5870 3.4.4.
def _geo_equal(first: str, second: str) -> bool:
    (one, *more), (two, *others) = (text.partition(":")[2].split(";") for text in (first, second))
    left, right = [Decimal(text) for text in one.split(",")], [Decimal(text) for text in two.split(",")]
    names, other_names = _parameters(more), _parameters(others)
    crs = names.pop("crs", "wgs84").lower()
    if crs != other_names.pop("crs", "wgs84").lower() or len(left) != len(right):
        return False
    if crs == "wgs84":
        if abs(left[0]) == 90 and left[0] == right[0]:
            left[1] = right[1]
        if abs(left[1]) == abs(right[1]) == 180:
            left[1] = right[1]
    radius, other_radius = names.pop("u", None), other_names.pop("u", None)
    if (radius is None) != (other_radius is None):
        return False
    if radius is not None and other_radius is not None and Decimal(radius) != Decimal(other_radius):
        return False
    return left == right and names == other_names


@st.composite
def _geos(draw: st.DrawFn) -> str:
    latitude = draw(st.sampled_from(["90", "-90", "090.0"[1:], "1", "01.0", "1.50", "-1.5", "0", "-0", "-0.00"]))
    longitude = draw(st.sampled_from(["180", "-180", "-180.0", "1", "001", "1.10", "0", "-0"]))
    altitude = draw(st.sampled_from(["", ",0", ",-0", ",10", ",10.0"]))
    crs = draw(st.sampled_from(["", ";crs=wgs84", ";CRS=WGS84", ";crs=x", ";crs=X"]))
    radius = draw(st.sampled_from(["", ";u=0", ";u=0.0", ";U=6.50", ";u=6.5"]))
    others = draw(_some(["a=1", "A=1", "a=1.0", "b", "c=x", "c=X"], 2))
    return f"geo:{latitude},{longitude}{altitude}{crs}{radius}{''.join(f';{text}' for text in others)}"


# RFC 2397 2, RFC 2045 5.1, RFC 2046 4.1.2.
def _data_equal(first: str, second: str) -> bool:
    return _media(first) == _media(second)


def _media(text: str) -> tuple[str, frozenset[tuple[str, str]], bool, str]:
    header, _, content = text.partition(":")[2].partition(",")
    kind, *more = header.split(";")
    base64 = bool(more) and more[-1].lower() == "base64"
    parameters = _parameters(more[:-1] if base64 else more)
    if not kind and not parameters:
        parameters = {"charset": "us-ascii"}
    if not kind and "charset" in parameters:
        kind = "text/plain"
    if kind.lower().startswith("text/") and "charset" in parameters:
        parameters["charset"] = parameters["charset"].lower()
    return kind.lower(), frozenset(parameters.items()), base64, content


@st.composite
def _datas(draw: st.DrawFn) -> str:
    kind = draw(st.sampled_from(["", "text/plain", "Text/Plain", "text/html", "image/gif"]))
    parameters = draw(_some(["charset=US-ASCII", "charset=us-ascii", "Charset=utf-8", "a=1", "A=1", "b=X", "b=x"]))
    flag = draw(st.sampled_from(["", ";base64", ";BASE64"]))
    return (
        f"data:{kind}{''.join(f';{text}' for text in parameters)}{flag},{draw(st.sampled_from(['', 'a', 'A', 'a,b']))}"
    )


# RFC 6068 2.
def _mailto_equal(first: str, second: str) -> bool:
    return _message(first) == _message(second)


def _message(text: str) -> tuple[list[str], list[tuple[str, str]]]:
    to, _, query = text.partition(":")[2].partition("?")
    addresses = [address for address in to.split(",") if address]
    fields = [(name.lower(), value) for name, _, value in (field.partition("=") for field in query.split("&"))]
    if [name for name, _ in fields].count("to") == 1:
        value = dict(fields)["to"]
        if "%" not in value:
            addresses += value.split(",")
            fields = [(name, value) for name, value in fields if name != "to"]
    fields = [field for field in fields if field != ("", "")]
    return [f"{local}@{domain.lower()}" for local, _, domain in (item.partition("@") for item in addresses)], fields


@st.composite
def _mailtos(draw: st.DrawFn) -> str:
    addresses = ["a@e.example", "A@e.example", "a@E.example", "b%2C@e.example"]
    path = ",".join(draw(st.lists(st.sampled_from(addresses), max_size=2)))
    fields = ["to=a@e.example", "To=A@E.example,a@e.example", "to=b%2C@e.example", "cc=x", "Cc=x", "cc=X", "subject=a"]
    query = "&".join(draw(st.lists(st.sampled_from(fields), max_size=3)))
    return f"mailto:{path}?{query}" if query else f"mailto:{path}"


# RFC 4501 3.
def _dns_equal(first: str, second: str) -> bool:
    return _question(first) == _question(second)


def _question(text: str) -> tuple[str, str, str, str]:
    name, _, query = text.partition(":")[2].partition("?")
    authority, _, name = name[2:].partition("/") if name.startswith("//") else ("", "", name)
    fields = {label.upper(): value.upper() for label, value in _parameters(query.split(";")).items()}
    return authority, f"{name.lower().removesuffix('.')}.", fields.get("CLASS", "IN"), fields.get("TYPE", "A")


@st.composite
def _dnses(draw: st.DrawFn) -> str:
    authority = draw(st.sampled_from(["", "//192.0.2.1/", "//192.0.2.1:53/"]))
    name = draw(st.sampled_from(["", ".", "e.example", "E.example.", "e.example.", "f.example"]))
    if authority and name == ".":
        name = ""
    fields = draw(_some(["class=IN", "CLASS=ch", "Class=CH", "type=A", "TYPE=a", "type=mx", "Type=MX"], 2))
    return f"dns:{authority}{name}{'?' if fields else ''}{';'.join(fields)}"


# RFC 4516 2, 3.
def _ldap_equal(first: str, second: str) -> bool:
    return _search(first) == _search(second)


def _search(text: str) -> tuple[str, str, list[str]]:
    host, _, rest = text.partition("//")[2].partition("/")
    name, *fields = rest.split("?")
    fields += [""] * (4 - len(fields))
    return host.lower().removesuffix(":389").removesuffix(":"), name, [fields[0], fields[1].lower(), *fields[2:]]


@st.composite
def _ldaps(draw: st.DrawFn) -> str:
    host = draw(st.sampled_from(["", "e.example", "E.example", "e.example:389", "e.example:390", "e.example:"]))
    rest = draw(
        st.sampled_from(["", "/", "/?", "/??", "/c=GB", "/c=gb", "/c=GB?", "/c=GB?a", "/c=GB?a?ONE", "/c=GB?a?one?"])
    )
    return f"ldap://{host}{rest}{draw(st.sampled_from(['?', '']) if rest.startswith('/c=GB?a?') else st.just(''))}"


# RFC 6920 2, 7.
def _nih_equal(first: str, second: str) -> bool:
    return _hash(first) == _hash(second)


def _hash(text: str) -> tuple[str, str]:
    algorithm, value, *_ = text.partition(":")[2].split(";")
    return {"6": "sha-256-32"}.get(algorithm, algorithm), value.lower().replace("-", "")


@st.composite
def _nihs(draw: st.DrawFn) -> str:
    algorithm = draw(st.sampled_from(["6", "sha-256-32", "sha-256-64"]))
    value = draw(st.sampled_from(["53269057", "5326-9057", "5326905a", "5326905A", "-5326-90-5a"]))
    return f"nih:{algorithm};{value}{draw(st.sampled_from(['', ';b', ';B', ';1']))}"


EXACT: dict[str, tuple[st.SearchStrategy[str], Callable[[str, str], bool]]] = {
    "tel": (_tels(), _tel_equal),
    "sms": (_smses(), _sms_equal),
    "geo": (_geos(), _geo_equal),
    "data": (_datas(), _data_equal),
    "mailto": (_mailtos(), _mailto_equal),
    "dns": (_dnses(), _dns_equal),
    "ldap": (_ldaps(), _ldap_equal),
    "nih": (_nihs(), _nih_equal),
}


@pytest.mark.parametrize("name", EXACT)
@given(data=st.data())
def test_keys_are_equal_exactly_where_the_rfc_says_so(name: str, data: st.DataObject) -> None:
    texts, equal = EXACT[name]
    first, second = data.draw(texts), data.draw(texts)
    assert (key(first) == key(second)) == equal(first, second)
    _stays(first)


@given(_sips(), _sips())
def test_sip_keys_are_equal_only_where_the_rfc_says_so(first: str, second: str) -> None:
    if key(first) == key(second):
        assert _sip_equal(first, second)
    _stays(first)


@pytest.mark.parametrize("name", [*EXACT, "sip"])
@given(data=st.data())
def test_the_generators_give_pairs_that_differ_in_text_and_not_in_key(name: str, data: st.DataObject) -> None:
    """Each form is met: an identifier and its canonical form, taken apart, say the same."""
    found = parse(data.draw(_sips() if name == "sip" else EXACT[name][0]))
    equal = _sip_equal if name == "sip" else EXACT[name][1]
    assert equal(found.raw, found.uri)
    assert parse(found.uri).parts == found.parts


def _stays(text: str) -> None:
    """Canonical form and key are valid, and their own canonical form and key; level `syntax` knows no rule."""
    found = parse(text)
    again = parse(found.uri)
    assert (again.uri, again.key, again.components) == (found.uri, found.key, found.components)
    assert parse(found.key).key == found.key
    assert normalize(normalize(text, "syntax")) == found.uri
    assert set(again.warnings) <= set(found.warnings)


@cache
def _examples(row: Scheme) -> list[str]:
    return [text for pair in (*row.same, *row.different) for text in pair]


_PIECES = [
    "a",
    "A",
    "1",
    "%2D",
    "%2d",
    "-",
    ".",
    "..",
    "/",
    "//",
    ":",
    ";",
    "=",
    "?",
    "&",
    "#",
    "@",
    "!",
    "%21",
    ",",
    "+",
]


@st.composite
def _near(draw: st.DrawFn, row: Scheme) -> str:
    """An example of a row with something changed after its scheme."""
    text = draw(st.sampled_from(_examples(row)))
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(text.index(":") + 1, len(text)))
        end = min(len(text), start + draw(st.integers(0, 2)))
        way = draw(st.integers(0, 2))
        middle = text[start:end].swapcase() if way == 0 else draw(st.sampled_from(_PIECES)) if way == 1 else ""
        text = f"{text[:start]}{middle}{text[end:]}"
    return text


@pytest.mark.parametrize("name", described())
@given(data=st.data())
def test_near_the_examples_of_every_row(name: str, data: st.DataObject) -> None:
    row = scheme_rule(name)
    first = data.draw(_near(row))
    found = check(first)
    found_second = check(data.draw(_near(row)))
    if not isinstance(found, Record):
        return
    _stays(first)
    assert all(isinstance(value, str) for value in found.parts.values())
    assert found.inner is None or isinstance(found.inner, str)
    for level in ("none", "syntax"):
        lower = parse(normalize(first, level))
        assert isinstance(lower.parts, dict)
    if not isinstance(found_second, Record) or name == "urn":
        return
    if row.form is None and row.compared is None and not (row.dns or row.root or found.host is not None):
        same = normalize(first, "syntax") == normalize(found_second.raw, "syntax")
        assert (found.key == found_second.key) == same
