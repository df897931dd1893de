"""A scheme and a URN namespace for urisieve: `shelf:` says where in a store something lies, `urn:x-stock:` what it is.

shelf:north/7/12 is the place 12 of the rack 7 in the store `north`. Case does not count in the name of the store, nor
do leading zeros in numbers; the place may be left out, which means all of the rack.

urn:x-stock:2024-000137-8 is the item 137 of the year 2024. Hyphens do not count. The last digit is a check digit by the
algorithm of Luhn (ISO/IEC 7812-1, Annex B).
"""

from __future__ import annotations

import re

from urisieve import Authority, Components, Namespace, Notice, Scheme, Warn

__all__ = ["SHELF", "STOCK"]

_PLACE = re.compile(r"(?P<store>[A-Za-z]{2,16})/(?P<rack>[0-9]{1,6})(?>/(?P<place>[0-9]{1,6}))?+")
_ITEM = r"(?P<year>[0-9]{4})-?+(?P<number>[0-9]{6})-?+(?P<check_digit>[0-9])"


def _place_form(parts: Components) -> Components:
    store, *numbers = parts.path.split("/")
    return parts._replace(path="/".join([store.lower(), *(number.lstrip("0") or "0" for number in numbers)]))


def _place_parts(parts: Components) -> dict[str, str]:
    match = _PLACE.fullmatch(parts.path)
    return {} if match is None else {name: text for name, text in match.groupdict().items() if text is not None}


def _item_form(nss: str) -> str:
    return nss.replace("-", "") if re.fullmatch(_ITEM, nss) else nss


def _luhn(digits: str) -> str:
    """The check digit that belongs behind some digits."""
    doubled = [int(digit) * (2 - place % 2) for place, digit in enumerate(reversed(digits))]
    return str(-sum(number // 10 + number % 10 for number in doubled) % 10)


def _item_check(parts: dict[str, str]) -> tuple[Notice, ...]:
    expected = _luhn(parts["year"] + parts["number"])
    return () if parts["check_digit"] == expected else (Notice(Warn.WRONG_CHECK_DIGIT, expected),)


SHELF = Scheme(
    name="shelf",
    title="a place in a store",
    reference="Stockroom manual, 3",
    authority=Authority.FORBIDDEN,
    case="the name of the store",
    equivalence="leading zeros of numbers",
    syntax=_PLACE.pattern,
    shape=r"[A-Za-z]{2,16}/[0-9]{1,6}(?![0-9A-Za-z])",
    form=_place_form,
    parts=_place_parts,
    same=(("shelf:north/7/12", "SHELF:North/07/0012"), ("shelf:north/0", "shelf:north/000")),
    different=(("shelf:north/7", "shelf:north/7/0"), ("shelf:north/7/1", "shelf:south/7/1")),
)

STOCK = Namespace(
    nid="x-stock",
    title="an item in stock",
    reference="Stockroom manual, 4",
    equivalence="hyphens",
    syntax=_ITEM,
    form=_item_form,
    check=_item_check,
    same=(("urn:x-stock:2024-000137-8", "URN:X-STOCK:20240001378"),),
    different=(("urn:x-stock:2024-000137-8", "urn:x-stock:2024-000138-6"),),
)
