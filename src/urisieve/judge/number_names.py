"""Names of numbers: that of their field, or something beside them, as the value of an attribute or of a member.

A reader states names and what is beside a text; which of them name a number of a library, and which kind of one, are
the rows of `rules/registry/number_names.txt`. A number that they name counts as one after a label: with a wrong check
digit it is a rejection.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, lru_cache

from urisieve.finding_options import Bare
from urisieve.judge.bare_names import LABELS, UNCHECKED
from urisieve.lean import Final, NamedTuple, TypeAlias, lazy_compile
from urisieve.rules.registry import fields_of

# Returns the names and values of what is beside a text: the attributes of its element, with an `@` before the name, and
# the elements beside that; the members of its object, the cells of its row, the subfields of its field.
Beside: TypeAlias = Callable[[], Iterable[tuple[str, str]]]


class NumberName(NamedTuple):
    """A name of something that is beside a number and names it, or contains it.

    Attributes:
        name: its name in lower case, without a prefix.
        product: the format or program that has it.
        example: an object of JSON, an element of XML, or a field of MARC.
        codes: the values that name a number, if they are codes: each with the kind.
    """

    name: str
    product: str
    example: str
    codes: tuple[tuple[str, Bare], ...] = ()


# The name of the heading of a column among what is beside a text: any word in it may name the number.
HEADING: Final = "@heading of the column"


def _rows(role: str) -> tuple[NumberName, ...]:
    """Return the rows of `rules/registry/number_names.txt` with a role."""
    return tuple(
        NumberName(name, product, example, tuple((code[:2], Bare(code[3:])) for code in " ".join(codes).split()))
        for of, name, product, example, *codes in fields_of("number_names")
        if of == role
    )


# The attributes, members and subfields whose value names the number beside them.
QUALIFIERS: Final = _rows("names")
# The last names of fields that contain any value: another name says what it is.
VALUES: Final = _rows("has")
_QUALIFIERS: Final = {row.name: dict(row.codes) for row in QUALIFIERS}
_VALUES: Final = frozenset(row.name for row in VALUES)
# The fields of MARC 21 that contain numbers of one kind.
_MARC: Final = {
    Bare.ISBN: lazy_compile(r"020\$.|7[678][0-9]\$z"),
    Bare.ISSN: lazy_compile(r"022\$.|(?:490|7[678][0-9]|8[013]0)\$x"),
}
# The last name in the path of a field, with the indices after it.
_LAST_NAME: Final = lazy_compile(
    r"(?:\[\"(?P<quoted>[^\"]*)\"\]|(?P<name>[^.@\[\]$]*+(?:\$[^.\[\]]*)?))(?:\[[0-9]+\])*\Z"
)
# No value that names a number is longer, in characters.
_LONGEST: Final = 32


def number_label(field: str | None, beside: Beside, kinds: tuple[Bare, ...]) -> str:
    r"""Return the line that states what a text contains, as if it was before it; "" if nothing names it.

    >>> number_label("books[2].ISBN_13", tuple, (Bare.ISBN,)), number_label("b@id", tuple, (Bare.ISBN,))
    ('isbn\n', '')
    >>> number_label("identifier", lambda: [("type", "isbn")], (Bare.ISBN,))
    'isbn\n'

    Args:
        field: the path of the field that contains it.
        beside: see `Beside`.
        kinds: the kinds that are looked for.
    """
    if field is None:
        return ""
    label, is_value = field_label(field, kinds)
    if label:
        return label
    for name, value in beside():
        if is_value or name == HEADING or (name[:1] == "@" and "@" not in field):
            kind = _kind_stated(name, value, kinds)
            if kind is not None:
                return f"{kind}\n"
    return ""


def _kind_stated(name: str, value: str, kinds: tuple[Bare, ...]) -> Bare | None:
    """Return the kind of number that something beside it states; None if it states none of some kinds."""
    if name == HEADING:
        return next((kind for kind in kinds if _named(kind).search(value)), None)
    codes = _QUALIFIERS.get(_local(name))
    if codes is None or len(value) > _LONGEST:
        return None
    value = value.strip()
    if codes:
        return codes.get(value) if codes.get(value) in kinds else None
    return next((kind for kind in kinds if _value(kind).fullmatch(value)), None)


@lru_cache(maxsize=1_024)
def field_label(field: str, kinds: tuple[Bare, ...]) -> tuple[str, bool]:
    """Return the line that the name of a field makes, and whether it is one of `VALUES`."""
    names = _names(field)
    for kind in kinds:
        marc = _MARC.get(kind)
        if _named(kind).search(names[0]) or (marc is not None and marc.fullmatch(field)):
            return f"{kind}\n", False
    is_value = _local(names[0]) in _VALUES
    for kind in kinds if is_value else ():
        if _named(kind).search(names[1]):
            return f"{kind}\n", True
    return "", is_value


def _local(name: str) -> str:
    """Return a name without a prefix, in lower case; that of a subfield with its sign: `$a`."""
    tag, dollar, code = name.rpartition("$")
    return f"{dollar}{code}" if tag else name.rpartition(":")[2].removeprefix("@").lower()


def _names(field: str) -> tuple[str, str]:
    """Return the last name in the path of a field, and the one before it."""
    found = []
    for _ in range(2):
        match = _LAST_NAME.search(field)
        name = "" if match is None else match["quoted"] or match["name"] or ""
        found.append(name)
        field = "" if match is None else field[: match.start()].removesuffix(".")
    return found[0], found[1]


# What may follow the name of a kind of `UNCHECKED` in that of a field.
_IDENTIFIER: Final = r"(?:[_ \-]?(?:ids?|identifiers?|nos?|numbers?|sm?|ss|str|strings?|txt|values?))?"


@cache
def _named(kind: Bare) -> re.Pattern[str]:
    after = rf"{_IDENTIFIER}\Z" if kind in UNCHECKED else "(?![0-9A-Za-z])"
    return re.compile(rf"(?<![0-9A-Za-z]){LABELS[kind].named}{after}", re.IGNORECASE | re.ASCII)


@cache
def _value(kind: Bare) -> re.Pattern[str]:
    """Return the pattern of the values that name a kind: `ISBN_10`, `dcterms:isbn`, `issn_s`, `electronic ISSN`."""
    around = r"(?:[A-Za-z0-9.\-]{1,16}[:/#_ \-])?"
    after = _IDENTIFIER if kind in UNCHECKED else r"(?:[_ \-][A-Za-z0-9]{1,8})?"
    return re.compile(rf"{around}{LABELS[kind].named}{after}", re.IGNORECASE | re.ASCII)
