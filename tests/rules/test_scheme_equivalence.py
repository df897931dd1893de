"""Equal keys against what the scheme's RFC says of two identifiers, over generated ones.

The oracles compare two identifiers as the text of the RFC does; none of them makes a canonical form.
"""

from __future__ import annotations

import random
import re
from base64 import urlsafe_b64decode
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from itertools import combinations
from urllib.parse import unquote, unquote_to_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.strategies import examples
from urisieve import Record, check, key, normalize, parse
from urisieve.rules.scheme_table import Scheme, described, scheme_rule


class Chooser:
    """Chooses the pieces of an identifier, and then those of others that differ from the first in a few of them."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._first: dict[tuple[str, ...], list[list[str]]] = {}
        self._left: dict[tuple[str, ...], list[list[str]]] | None = None

    def again(self) -> None:
        """From now on, what was chosen first is mostly chosen again."""
        self._left = {items: list(chosen) for items, chosen in self._first.items()}

    def _choose(self, items: list[str], least: int, most: int) -> list[str]:
        strategy = st.lists(st.sampled_from(items), min_size=least, max_size=most, unique_by=_name)
        if self._left is None:
            chosen = self._draw(strategy)
            self._first.setdefault(tuple(items), []).append(chosen)
            return chosen
        left = self._left.get(tuple(items))
        way = self._draw(st.integers(0, 8))
        if way == 0 or not left:
            return self._draw(strategy)
        before = left.pop(0)
        if way == 1 and before:  # another one, of several one of the same name
            place = self._draw(st.integers(0, len(before) - 1))
            like = items if most == 1 else [item for item in items if _name(item) == _name(before[place])]
            return [*before[:place], self._draw(st.sampled_from(like)), *before[place + 1 :]]
        return self._draw(st.permutations(before)) if way == 2 else before

    def one(self, items: list[str]) -> str:
        return self._choose(items, 1, 1)[0]

    def some(self, items: list[str], most: int = 3) -> list[str]:
        """Some of the items, in any order, each name at most once."""
        return self._choose(items, 0, most)


def _name(item: str) -> str:
    return item.partition("=")[0].lower() if "=" in item[:-1] else item.lower()


@st.composite
def _family(draw: st.DrawFn, make: Callable[[Chooser], str]) -> list[str]:
    """An identifier and others that differ a little."""
    chooser = Chooser(draw)
    texts = [make(chooser)]
    for _ in range(4):
        chooser.again()
        texts.append(make(chooser))
    return texts


def _parameters(parameters: list[str]) -> dict[str, str]:
    return {name.lower(): value for name, _, value in (text.partition("=") for text in parameters)}


def _marks(text: str) -> str:
    """Without the triplets of what RFC 2396 2.3 calls unreserved and RFC 3986 does not (RFC 3966 3)."""
    return re.sub("%(?:21|27|28|29|2[Aa])", lambda triplet: unquote(triplet[0]), text)


# RFC 3966 3, 4.
def _tel_equal(first: str, second: str) -> bool:
    (one, *more), (two, *others) = (_marks(text).partition(":")[2].split(";") for text in (first, second))
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


_NUMBERS = ["+12", "+1-2", "+(1)2", "12", "1.2", "aB", "A-b", "+1", "+%281%292", "%2a1", "*1"]
_TEL_PARAMETERS = ["ext=12", "ext=1-2", "Ext=1", "isub=A", "isub=a", "phone-context=+1-2", "Phone-Context=+12"]
_TEL_PARAMETERS += ["phone-context=E.example", "phone-context=e.example", "b=1-2", "B=12", "a", "b=%21", "b=!"]


def _subscriber(chooser: Chooser) -> str:
    return ";".join([chooser.one(_NUMBERS), *chooser.some(_TEL_PARAMETERS)])


def _tel(chooser: Chooser) -> str:
    return f"{chooser.one(['tel', 'TEL'])}:{_subscriber(chooser)}"


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


def _sms(chooser: Chooser) -> str:
    numbers = [_subscriber(chooser) for _ in chooser.one(["1", "12", "123"])]
    if chooser.one(["as it stands", "turned"]) == "turned":
        numbers.reverse()
    return f"sms:{','.join(numbers)}{chooser.one(['?', '?body=a', '?body=A', '?a=1&b=2', '?b=2&a=1'])}".removesuffix(
        "?"
    )


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
    if one.get("method") != two.get("method"):  # its names have a case (7.1)
        return False
    if (one.keys() ^ two.keys()) & {"user", "ttl", "method", "maddr", "transport"}:
        return False
    headers, others = (_parameters(_unescaped(match[7] or "").split("&")) for match in (left, right))
    return headers == others


def _sip(chooser: Chooser) -> str:
    scheme = chooser.one(["sip", "SIP", "sips"])
    user = chooser.one(["@", "a@", "A@", "%61@", "a:b@", "a:B@", "a%3ab@", "a!@", "a%21@", "a?b@", "a;b@"])
    host = chooser.one(["e.example", "E.Example"])
    port = chooser.one([":", ":5060"])
    parameters = chooser.some(
        ["transport=tcp", "Transport=TCP", "lr", "LR", "method=A", "method=a", "x=1", "x=2", "ttl=1", "y=%28", "y=("]
    )
    headers = chooser.some(["subject=a", "Subject=a", "subject=A", "priority=1", "x=%29", "x=)"], 2)
    whole = (
        f"{scheme}:{user.removeprefix('@')}{host}{port.removesuffix(':')}{''.join(f';{text}' for text in parameters)}"
    )
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
    # "bitwise identical after percent-decoding"
    return left == right and {name: unquote_to_bytes(value) for name, value in names.items()} == {
        name: unquote_to_bytes(value) for name, value in other_names.items()
    }


def _geo(chooser: Chooser) -> str:
    latitude = chooser.one(["90", "-90", "-90.0", "01.50", "1.5", "0", "-0.00"])
    longitude = chooser.one(["180", "-180", "-180.0", "1", "001.0"])
    altitude = chooser.one([",", ",0", ",-0", ",10", ",10.0"]).removesuffix(",")
    crs = chooser.one([";", ";crs=wgs84", ";CRS=WGS84", ";crs=x", ";crs=X"]).removesuffix(";")
    radius = chooser.one([";", ";u=0", ";u=0.0", ";U=6.50", ";u=6.5"]).removesuffix(";")
    others = chooser.some(["a=1", "A=1", "a=1.0", "b", "c=x", "c=X", "c=%21", "c=!", "c=%2c", "c=,", "c=%2521"])
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


def _data(chooser: Chooser) -> str:
    kind = chooser.one(["", "text/plain", "Text/Plain", "text/html", "image/gif"])
    parameters = chooser.some(["charset=US-ASCII", "charset=us-ascii", "Charset=utf-8", "a=1", "A=1", "b=X", "b=x"])
    flag = chooser.one(["", ";base64", ";BASE64"])
    return f"data:{kind}{''.join(f';{text}' for text in parameters)}{flag},{chooser.one(['', 'a', 'A', 'a,b'])}"


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


def _mailto(chooser: Chooser) -> str:
    addresses = ["a@e.example", "A@e.example", "a@E.example", "b%2C@e.example"]
    path = ",".join(chooser.one(addresses) for _ in chooser.one(["", "1", "12"]))
    fields = ["to=a@e.example", "To=A@E.example,a@e.example", "to=b%2C@e.example", "cc=x", "Cc=x", "cc=X", "subject=a"]
    query = "&".join(chooser.one(fields) for _ in chooser.one(["", "1", "12", "123"]))
    return f"mailto:{path}?{query}" if query else f"mailto:{path}"


# RFC 4501 3.
def _dns_equal(first: str, second: str) -> bool:
    return _question(first) == _question(second)


def _question(text: str) -> tuple[str, str, str, str]:
    name, _, query = text.partition(":")[2].partition("?")
    authority, _, name = name[2:].partition("/") if name.startswith("//") else ("", "", name)
    fields = {label.upper(): value.upper() for label, value in _parameters(query.split(";")).items()}
    return authority, f"{name.lower().removesuffix('.')}.", fields.get("CLASS", "IN"), fields.get("TYPE", "A")


def _dns(chooser: Chooser) -> str:
    authority = chooser.one(["", "//192.0.2.1/", "//192.0.2.1:53/"])
    name = chooser.one(["", ".", "e.example", "E.example.", "e.example.", "f.example"])
    if authority and name == ".":
        name = ""
    fields = chooser.some(["class=IN", "CLASS=ch", "Class=CH", "type=A", "TYPE=a", "type=mx", "Type=MX"], 2)
    return f"dns:{authority}{name}{'?' if fields else ''}{';'.join(fields)}"


# RFC 4516 2, 3.
def _ldap_equal(first: str, second: str) -> bool:
    return _search(first) == _search(second)


def _search(text: str) -> tuple[str, str, list[str]]:
    host, _, rest = text.partition("//")[2].partition("/")
    name, *fields = rest.split("?")
    fields += [""] * (4 - len(fields))
    # RFC 4516 3
    attributes, scope, condition = fields[0] or "*", fields[1].lower() or "base", fields[2] or "(objectClass=*)"
    if condition.lower() == "(objectclass=*)":
        condition = condition.lower()
    return host.lower().removesuffix(":389").removesuffix(":"), name, [attributes, scope, condition, *fields[3:]]


def _ldap(chooser: Chooser) -> str:
    host = chooser.one(["", "e.example", "E.example", "e.example:389", "e.example:390", "e.example:"])
    name = chooser.one(["", "/", "/c=GB", "/c=gb"])
    fields = ["", "?", "??", "?a", "?a?ONE", "?a?one?", "?a?one??", "?a?base", "?a??(x=y)", "?a??(x=Y)"]
    fields += ["?*", "?*?base?(objectClass=*)", "??one?(objectclass=*)", "??one"]
    search = chooser.one(fields)
    return f"ldap://{host}{name}{search if name else ''}"


# RFC 6920 2, 7.
def _nih_equal(first: str, second: str) -> bool:
    return _hash(first) == _hash(second)


def _hash(text: str) -> tuple[str, bytes]:
    scheme, _, rest = text.partition(":")
    if scheme == "ni":
        algorithm, value = rest.partition("?")[0].rpartition("/")[2].split(";")
        return algorithm, urlsafe_b64decode(f"{value}==")
    algorithm, value, *_ = rest.split(";")
    return {"6": "sha-256-32"}.get(algorithm, algorithm), bytes.fromhex(value.replace("-", ""))


def _nih(chooser: Chooser) -> str:
    if chooser.one(["nih", "ni"]) == "ni":
        place = chooser.one(["/", "e.example/", "E.example/"])
        digest = chooser.one(["UyaQVw", "UyaQWg", "UyaQWA"])
        algorithm = chooser.one(["sha-256-32", "sha-256-64"])
        return f"ni://{place}{algorithm};{digest}{chooser.one(['?', '?ct=a', '?ct=b'])}".removesuffix("?")
    algorithm = chooser.one(["6", "sha-256-32", "sha-256-64"])
    value = chooser.one(["53269057", "5326-9057", "5326905a", "5326905A", "-5326-90-5a"])
    return f"nih:{algorithm};{value}{chooser.one(['', ';b', ';B', ';1'])}"


EXACT: dict[str, tuple[Callable[[Chooser], str], Callable[[str, str], bool]]] = {
    "tel": (_tel, _tel_equal),
    "sms": (_sms, _sms_equal),
    "geo": (_geo, _geo_equal),
    "data": (_data, _data_equal),
    "mailto": (_mailto, _mailto_equal),
    "dns": (_dns, _dns_equal),
    "ldap": (_ldap, _ldap_equal),
    "nih": (_nih, _nih_equal),
}


@pytest.mark.parametrize("name", EXACT)
@given(data=st.data())
def test_keys_are_equal_exactly_where_the_rfc_says_so(name: str, data: st.DataObject) -> None:
    make, equal = EXACT[name]
    texts = data.draw(_family(make))
    for first, second in combinations(texts, 2):
        assert (key(first) == key(second)) == equal(first, second), (first, second)
    _stays(texts[0])
    _says_the_same(texts[0], equal)


@given(_family(_sip))
def test_sip_keys_are_equal_only_where_the_rfc_says_so(texts: list[str]) -> None:
    for first, second in combinations(texts, 2):
        if key(first) == key(second):
            assert _sip_equal(first, second), (first, second)
    _stays(texts[0])
    _says_the_same(texts[0], _sip_equal)


def _says_the_same(text: str, equal: Callable[[str, str], bool]) -> None:
    """An identifier and its canonical form are equal to the RFC too."""
    found = parse(text)
    assert equal(text, found.uri)
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


def _near(row: Scheme, chance: random.Random) -> str:
    """An example of a row with something changed after its scheme."""
    text = chance.choice(_examples(row))
    for _ in range(chance.randint(0, 3)):
        start = chance.randint(text.index(":") + 1, len(text))
        end = min(len(text), start + chance.randint(0, 2))
        way = chance.randint(0, 2)
        middle = text[start:end].swapcase() if way == 0 else chance.choice(_PIECES) if way == 1 else ""
        text = f"{text[:start]}{middle}{text[end:]}"
    return text


# Few seeds of many texts each: most of the time would go into drawing.
@pytest.mark.parametrize("name", described())
@examples(5)
@given(chance=st.randoms(use_true_random=True))
def test_near_the_examples_of_every_row(name: str, chance: random.Random) -> None:
    row = scheme_rule(name)
    for _ in range(20):
        _assert_consistent(name, row, _near(row, chance), _near(row, chance))


def _assert_consistent(name: str, row: Scheme, first: str, second: str) -> None:
    found, found_second = check(first), check(second)
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
        assert (found.key == found_second.key) == same, (first, second)
