"""The values of fields in a form that no program makes a link of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from urisieve.lean.hints import Any, Final
from urisieve.lean.patterns import lazy_compile
from urisieve.records.defanging import defang

__all__ = ["defanged_part", "defanged_raw", "defanged_row", "defanged_values"]

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


def _without_links(text: str) -> str:
    return text.replace("://", ":[/]/")


def _defanged_path(path: str, uri: str) -> str:
    """Return a path without links, and that of a `mailto` without addresses."""
    scheme, _, rest = uri.partition(":")
    if rest.startswith("//") or scheme.lower() == "urn":
        return _without_links(path)
    return defang(f"mailto:{path}").removeprefix("mailto[:]")


def _dots(host: str) -> str:
    return _DOT.sub("[.]", host)


def _each(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(defang, values))


def _parts(parts: Mapping[str, str]) -> dict[str, str]:
    return {
        name: _dots(_without_links(text)) if name in _HOSTS else _without_links(text) for name, text in parts.items()
    }


# The named parts that are hosts; others may hold an identifier, whose `://` is enough to make a link of it.
_HOSTS: Final = frozenset(("host", "domain", "server"))
# The fields that hold identifiers or parts of them which programs make links of.
_CHANGES: Final[dict[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(("uri", "iri", "key"), defang),
    **dict.fromkeys(("host", "domain"), _dots),
    **dict.fromkeys(("query", "fragment", "nss"), _without_links),
    "alternatives": _each,
    "parts": _parts,
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
    uri = row.get("uri") or row["raw"]
    return {name: defanged_values(name, (value,), (uri,))[0] for name, value in row.items()}
