"""Names of numbers: that of their field, or something beside them, as the value of an attribute or of a member.

A reader states names and what is beside a text; which of them name a number of a library, and which kind of one, are
the rows here. A number that they name counts as one after a label: with a wrong check digit it is a rejection.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, lru_cache

from urisieve.finding_options import Bare
from urisieve.judge.bare_names import LABELS, UNCHECKED
from urisieve.lean import Final, NamedTuple, TypeAlias, lazy_compile

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


# Of ONIX for Books: code lists 5 (products) and 13 (series), 44 (names).
_PRODUCTS: Final = (("02", Bare.ISBN), ("06", Bare.DOI), ("15", Bare.ISBN))
_SERIES: Final = (("02", Bare.ISSN), ("06", Bare.DOI), ("15", Bare.ISBN), ("38", Bare.ISSN))
_NAMES: Final = (("21", Bare.ORCID),)


def _onix(name: str, code: str, number: str, codes: tuple[tuple[str, Bare], ...]) -> NumberName:
    tags = (name, "b244" if name.islower() else "IDValue")
    example = "".join(f"<{tag}>{text}</{tag}>" for tag, text in zip(tags, (code, number), strict=True))
    return NumberName(name.lower(), "ONIX for Books", f"<x>{example}</x>", codes)


# The name of the heading of a column among what is beside a text: any word in it may name the number.
HEADING: Final = "heading of the column"
# The attributes, members and subfields whose value names the number beside them.
QUALIFIERS: Final = (
    NumberName("type", "MODS, TEI, Google Books", '<identifier type="isbn">0395363411</identifier>'),
    NumberName("name", "Solr", '<field name="isbn">0395363411</field>'),
    NumberName("property", "RDFa", '<meta property="schema:isbn">0395363411</meta>'),
    NumberName("id", "EPUB", '<identifier id="isbn">0395363411</identifier>'),
    NumberName("scheme", "EPUB, ONIX", '<identifier scheme="ISBN">0395363411</identifier>'),
    NumberName("relatedidentifiertype", "DataCite", '{"relatedIdentifierType":"ISSN","relatedIdentifier":"03178471"}'),
    NumberName("alternateidentifiertype", "DataCite", '{"alternateIdentifierType":"ISSN","value":"03178471"}'),
    NumberName("identifiertype", "DataCite", '<identifier identifierType="Handle">4263537/4000</identifier>'),
    NumberName(
        "nameidentifierscheme",
        "DataCite",
        '<nameIdentifier nameIdentifierScheme="ORCID">0000000218250097</nameIdentifier>',
    ),
    NumberName("pub-id-type", "JATS", '<pub-id pub-id-type="isbn">0395363411</pub-id>'),
    NumberName("contrib-id-type", "JATS", '<contrib-id contrib-id-type="orcid">0000000218250097</contrib-id>'),
    NumberName("propertyid", "schema.org", '{"propertyID":"ISBN","value":"0395363411"}'),
    NumberName("external-id-type", "ORCID", '{"external-id-type":"isbn","external-id-value":"0395363411"}'),
    NumberName("idtype", "many", '{"idType":"issn","value":"03178471"}'),
    NumberName("idtype", "PubMed", '<ArticleId IdType="pubmed">23193287</ArticleId>'),
    NumberName("pub-id-type", "JATS", '<article-id pub-id-type="pmc">3531190</article-id>'),
    NumberName(
        "relatedidentifiertype", "DataCite", '{"relatedIdentifierType":"arXiv","relatedIdentifier":"2401.01234"}'
    ),
    NumberName("$2", "MARC 21, field 024", "024 7  $a 4263537/4000 $2 hdl"),
    _onix("ProductIDType", "02", "0395363411", _PRODUCTS),
    _onix("b221", "02", "0395363411", _PRODUCTS),
    _onix("WorkIDType", "02", "0395363411", _PRODUCTS),
    _onix("b201", "02", "0395363411", _PRODUCTS),
    _onix("SeriesIDType", "02", "03178471", _SERIES),
    _onix("b273", "02", "03178471", _SERIES),
    _onix("NameIDType", "21", "0000000218250097", _NAMES),
    _onix("x415", "21", "0000000218250097", _NAMES),
)
# The last names of fields that contain any value: another name says what it is.
VALUES: Final = (
    NumberName("value", "schema.org, Crossref", '{"propertyID":"ISBN","value":"0395363411"}'),
    NumberName("value", "JSON-LD", '{"isbn":{"@value":"0395363411"}}'),
    NumberName("identifier", "Google Books", '{"type":"ISBN_10","identifier":"0395363411"}'),
    NumberName("id", "many", '{"scheme":"ark","id":"12148/btv1b8449691v"}'),
    NumberName("content", "HTML, RDFa", '{"name":"isbn","content":"0395363411"}'),
    NumberName("#text", "XML as JSON", '{"isbn":{"#text":"0395363411"}}'),
    NumberName("$t", "XML as JSON", '{"issn":{"$t":"03178471"}}'),
    NumberName("$", "XML as JSON", '{"issn":{"$":"03178471"}}'),
    NumberName("_", "XML as JSON", '{"isbn":[{"_":"0395363411"}]}'),
    NumberName("number", "many", '{"type":"isbn","number":"0395363411"}'),
    NumberName("relatedidentifier", "DataCite", '{"relatedIdentifierType":"ISSN","relatedIdentifier":"03178471"}'),
    NumberName("alternateidentifier", "DataCite", '{"type":"ISSN","alternateIdentifier":"03178471"}'),
    NumberName("nameidentifier", "DataCite", '{"nameIdentifierScheme":"ORCID","nameIdentifier":"0000000218250097"}'),
    NumberName("external-id-value", "ORCID", '{"external-id-type":"isbn","external-id-value":"0395363411"}'),
    NumberName("$a", "MARC 21, field 024", "024 7  $a 4263537/4000 $2 hdl"),
    NumberName("idvalue", "ONIX for Books", "<x><ProductIDType>02</ProductIDType><IDValue>0395363411</IDValue></x>"),
    NumberName("b244", "ONIX for Books, short tags", "<x><b221>02</b221><b244>0395363411</b244></x>"),
)
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
