"""A scheme, a URN namespace and a format for urisieve.

`shelf:` says where in a store something lies, `urn:x-stock:` what it is, and delivery notes are files about both.

shelf:north/7/12 is the place 12 of the rack 7 in the store `north`. Case does not count in the name of the store, nor
do leading zeros in numbers; the place may be left out, which means all of the rack.

urn:x-stock:2024-000137-8 is the item 137 of the year 2024. Hyphens do not count. The last digit is a check digit by the
algorithm of Luhn (ISO/IEC 7812-1, Annex B).

A delivery note begins with a line `#delivery 1`. Each other line has a word, a tabulator and a value: `item` and a
text, `see` and a link, `scan` and a name, a tabulator and a file in base64; `seal` is signed data.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator

from urisieve import Namespace, Scheme
from urisieve.codes import Notice, Warn
from urisieve.types import Authority, Components, Delimited, ReaderRow, Segments, Source

__all__ = ["DELIVERY", "SHELF", "STOCK"]

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
    name="x-stock",
    title="an item in stock",
    reference="Stockroom manual, 4",
    equivalence="hyphens",
    syntax=_ITEM,
    form=_item_form,
    check=_item_check,
    same=(("urn:x-stock:2024-000137-8", "URN:X-STOCK:20240001378"),),
    different=(("urn:x-stock:2024-000137-8", "urn:x-stock:2024-000138-6"),),
)


def read_delivery(source: Source, out: Segments) -> Iterator[object]:
    """Read a delivery note."""
    for number, start, line in source.lines():
        word, _, value = line.partition("\t")
        at = start + len(f"{word}\t".encode())
        match word:
            case "item":
                out.count("item")
                yield out.add(value, at=at, row=number)
            case "see":
                yield out.add(value, at=at, row=number, field=word, delimited=Delimited.LINK)
            case "scan":
                name, _, data = value.partition("\t")
                try:
                    scan = b64decode(data, validate=True)
                except ValueError as error:
                    out.fault("bad-base64", f"line {number}: {error}", kind="scan")
                else:
                    yield from out.open(name, [scan])
            case "seal":
                out.skip("signed-data", kind="seal")
            case _ if number > 1:
                out.fault("unknown-word", f"line {number} is read as text")
                yield out.add(line, at=start, row=number)


DELIVERY = ReaderRow(
    "delivery", read_delivery, starts=[b"#delivery 1\n"], endings=["dlv"], plurals=["items", "scans", "seals"]
)
