"""The fields that can be asked for by name, in one table for all formats.

It holds besides:

- the values of fields in a form that no program makes a link of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from urisieve.codes import Warn
from urisieve.errors import UsageError
from urisieve.lean import Any, Final, NamedTuple, lazy_compile
from urisieve.records.base import NOWHERE, SCHEMA_VERSION, Location, RecordFields
from urisieve.records.batch import Batch, checked_columns
from urisieve.records.defanging import defang
from urisieve.records.record import make_record
from urisieve.wording import did_you_mean

__all__ = [
    "FIELDS",
    "INNER_ADDRESS",
    "PART_NAMES",
    "RECORD_NAMES",
    "OutputField",
    "checked_fields",
    "columns_of",
    "defanged_host",
    "defanged_invalid",
    "defanged_part",
    "defanged_raw",
    "defanged_row",
    "defanged_source",
    "defanged_values",
    "field_values",
]


class OutputField(NamedTuple):
    """A field that an output may hold.

    Attributes:
        columns: the columns of a batch that it is made of.
        values: returns its values in a batch, one for each row.
    """

    columns: tuple[str, ...]
    values: Callable[[Batch], Sequence[Any]]


def _schema(batch: Batch) -> Sequence[Any]:
    return [SCHEMA_VERSION] * len(batch)


def _of_column(name: str) -> OutputField:
    return OutputField((name,), lambda batch: batch.column(name))


def _of_location(index: int) -> OutputField:
    def values(batch: Batch) -> Sequence[Any]:
        if batch.is_constant("location"):
            return [(batch.constant("location") or NOWHERE)[index]] * len(batch)
        return [(location or NOWHERE)[index] for location in batch.column("location")]

    return OutputField(("location",), values)


def _notices(batch: Batch) -> Sequence[Any]:
    return [[notice.as_dict() for notice in record.notices] for record in batch]


# The columns without which there are no records to look at.
_VIEWED: Final = ("raw", "uri", "key", "warnings")
# The fields of records in the order of their schema.
RECORD_NAMES: Final = tuple(make_record(RecordFields("a:", "a:", "a:")).as_dict())
_LOCATION: Final = {name: _of_location(index) for index, name in enumerate(Location._fields)}
# All fields by name: those of the schema, then those that are made on request only.
FIELDS: Final[dict[str, OutputField]] = {
    **{name: _LOCATION[name] if name in _LOCATION else _of_column(name) for name in RECORD_NAMES},
    "schema": OutputField((), _schema),
    "domain": _of_column("domain"),
    "parts": OutputField(_VIEWED, lambda batch: [record.parts for record in batch]),
    "notices": OutputField(_VIEWED, _notices),
}
# Those that are added to whatever is written where the parts are asked for (`FormatSettings.parts`).
PART_NAMES: Final = ("parts", "notices")


def checked_fields(names: Iterable[str]) -> tuple[str, ...]:
    """Return names of fields as a tuple.

    >>> checked_fields(["uri", "domain"])
    ('uri', 'domain')

    Raises:
        UsageError: there is no such field; or one is named twice, which a table or an object cannot hold.
    """
    if isinstance(names, str):
        raise UsageError(f"fields={names!r} is one text: give several names")
    found = tuple(names)
    for index, name in enumerate(found):
        if name not in FIELDS:
            raise UsageError(unknown_field(name))
        if name in found[:index]:
            raise UsageError(f"the field {name!r} is named twice")
    if "domain" in found:
        from urisieve.rules.registrable_domain import check_domains

        check_domains()
    return found


def unknown_field(name: object) -> str:
    """Return a message about the name of a field that there is not."""
    near = did_you_mean(str(name), FIELDS)
    return f"there is no field {str(name)!r}{near}; docs/records.md lists them, with `domain`, `parts` and `notices`"


def columns_of(names: Iterable[str]) -> frozenset[str]:
    """Return the columns of a batch that some fields need, with those that masking passwords needs."""
    needed = {column for name in names for column in FIELDS[name].columns}
    # A `raw` and a `uri` of one password are masked together.
    return checked_columns(needed) | {"warnings"}


def field_values(batch: Batch, name: str) -> Sequence[Any]:
    """Return the values of a field in a batch; do not change the sequence.

    Raises:
        UsageError: the batch lacks a column that it is made of.
    """
    return FIELDS[name].values(batch)


# An address in the name of a source; no scheme that is in use is longer, and the bound keeps the search linear.
INNER_ADDRESS: Final = lazy_compile(r"(?s)[A-Za-z][A-Za-z0-9+.\-]{0,39}+://.*+")

_DOT: Final = lazy_compile(r"(?<!\[)\.(?!\])")
_MARKS: Final = lazy_compile(r"://|(?<![.\[])\.(?![.\]])")
_ASSUMED: Final = "http://"
_DEFANGED: Final = "hxxp://"
# A scheme and its colon, as it may stand in a text that is defanged already.
_SCHEME: Final = lazy_compile(r"[A-Za-z][A-Za-z0-9+\-.]*+(?:://|\[)")


def defanged_raw(raw: str, uri: str) -> str:
    """Return the raw text of an identifier in a form that is not a link; also one without a scheme, or a reference.

    >>> defanged_raw("www.evil.example:80/a", "http://www.evil.example/a")
    'www[.]evil[.]example:80/a'
    """
    scheme = uri.partition(":")[0]
    if raw[: len(scheme) + 1].lower() == f"{scheme.lower()}:" or _SCHEME.match(raw):
        return defang(raw)
    if scheme == "mailto":
        return defang(f"mailto:{raw}").removeprefix("mailto[:]")
    return defang(f"{_ASSUMED}{raw}").removeprefix(_DEFANGED)


def defanged_part(text: str) -> str:
    """Return a stretch of a text that is not valid in a form that is not a link, character by character.

    >>> defanged_part("...a.evil.example:80ab/x"), defanged_part("http://")
    ('...a[.]evil[.]example:80ab/x', 'http[://]')
    """
    return _MARKS.sub(r"[\g<0>]", text)


def defanged_invalid(raw: str) -> str:
    """Return a candidate that is not an identifier in a form that holds no link, wherever one begins in it.

    >>> defanged_invalid("http://a.example:80ab/"), defanged_invalid("'http://a.example/' and more")
    ('hxxp://a[.]example:80ab/', "'http[://]a[.]example/' and more")
    """
    if "://" in raw and not _SCHEME.match(raw):
        return defanged_part(raw)
    return defanged_raw(raw, "mailto:" if raw[:7].lower() == "mailto:" else "")


def _without_links(text: str) -> str:
    return text.replace("://", ":[/]/")


def _defanged_path(path: str, uri: str) -> str:
    """Return a path without links, and that of a `mailto` without addresses."""
    scheme, _, rest = uri.partition(":")
    if rest.startswith("//") or scheme.lower() == "urn":
        return _without_links(path)
    return defang(f"mailto:{path}").removeprefix("mailto[:]")


def defanged_host(host: str) -> str:
    """Return a host with its dots in brackets."""
    return _DOT.sub("[.]", host)


def _each(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(defang, values))


def _parts(parts: Mapping[str, str]) -> dict[str, str]:
    return {
        name: defanged_host(_without_links(text)) if name in _HOSTS else _without_links(text)
        for name, text in parts.items()
    }


def defanged_source(name: str) -> str:
    """Return the name of a source: a path, and perhaps an address behind it, as in archives of the web.

    >>> defanged_source("a.warc!http://a.example/b.html")
    'a.warc!hxxp://a[.]example/b.html'
    """
    return INNER_ADDRESS.sub(lambda found: defang(found[0]), name) if "://" in name else name


def _defanged_notices(notices: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return notices with the hosts and addresses of warnings about spoofing defanged."""
    return [
        {**one, "value": defanged_host(one["value"])} if one["warn"] in _NAMING_HOSTS else dict(one) for one in notices
    ]


# The warnings whose detail is a host or an address, or begins with one.
_NAMING_HOSTS: Final = frozenset(
    (
        Warn.RARE_IPV4,
        Warn.NOT_GLOBAL_ADDRESS,
        Warn.RESEMBLES_PROTECTED,
        Warn.CONTAINS_PROTECTED,
        Warn.USERINFO_HOST,
        Warn.NAMES_TARGET_HOST,
    )
)
# The named parts that are hosts; others may hold an identifier, whose `://` is enough to make a link of it.
_HOSTS: Final = frozenset(("host", "domain", "server"))
# The fields that hold identifiers or parts of them which programs make links of.
_CHANGES: Final[dict[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(("uri", "iri", "key"), defang),
    **dict.fromkeys(("host", "domain"), defanged_host),
    **dict.fromkeys(("query", "fragment", "nss"), _without_links),
    "source": defanged_source,
    "alternatives": _each,
    "parts": _parts,
    "notices": _defanged_notices,
}


def defanged_values(name: str, values: Sequence[Any], uris: Sequence[str]) -> Sequence[Any]:
    """Return the values of a field defanged; `uris` are the canonical forms of the same rows."""
    if name == "raw":
        return list(map(defanged_raw, values, uris))
    if name == "path":
        return list(map(_defanged_path, values, uris))
    change = _CHANGES.get(name)
    return values if change is None else [None if value is None else change(value) for value in values]


def defanged_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a record or rejection with their values defanged."""
    uri = row.get("uri")
    shown = {name: defanged_values(name, (value,), (uri or "",))[0] for name, value in row.items()}
    if uri is None:
        shown["raw"] = defanged_invalid(row["raw"])
    return shown
