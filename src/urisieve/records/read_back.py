"""The fields of records and rejections from what `as_dict` returned, or from rows in which they were written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from urisieve.codes import Component, Reason, Warn
from urisieve.errors import InputError, UsageError
from urisieve.lean import Any, Final, lazy_compile
from urisieve.records.base import (
    CONTEXT_NAMES,
    NOWHERE,
    SCHEMA_VERSION,
    Context,
    Location,
    RecordFields,
    RejectionFields,
)
from urisieve.records.masking import masked_text
from urisieve.syntax.components import Components
from urisieve.wording import did_you_mean

# Not fields of a record, but beside them where that was asked for: whether `dedupe` had seen the key before, and what
# follows from the other fields.
_BESIDE: Final = frozenset(["new", "parts", "notices"])
_TEXTS: Final = ("raw", "source", "wrapper", "message_id", "part", "field", "time", "time_written", "from", "subject")
_SCHEME: Final = lazy_compile(r"[A-Za-z][A-Za-z0-9+.\-]*+:")


def is_record(values: object) -> bool:
    """Report whether a row has the columns without which it is not a record."""
    return isinstance(values, dict) and all(isinstance(values.get(name), str) for name in ("key", "uri"))


def _check_version(values: Mapping[str, Any]) -> None:
    version = values.get("schema", SCHEMA_VERSION)
    if str(version) != str(SCHEMA_VERSION):
        raise InputError(f"is of schema {version}; this version reads {SCHEMA_VERSION}: extract it anew")


def fields_of_record(values: Mapping[str, Any], *, is_table: bool = True) -> tuple[RecordFields, Components | None]:
    """Return the fields of the record that a row was written from, and the components of a URN.

    Args:
        values: the fields of `Record.as_dict`, as JSON or a table holds them; `uri` and `key` are strings.
        is_table: whether an empty cell stands for a value that is absent.

    Raises:
        InputError: a value is not that of a record, or the row is of another schema.
    """
    _check_version(values)
    given = _given_in_table if is_table else _given
    uri = values["uri"]
    if _SCHEME.match(uri) is None:
        raise InputError(f"is not a record of urisieve: the uri {masked_text(uri)!r:.200} has no scheme")
    _check_texts(values, _TEXTS)
    try:
        offsets, message, number = _numbers(values)
        warnings = tuple(map(Warn, _words(values.get("warnings"))))
        alternatives = tuple(map(_text, _words(values.get("alternatives"))))
    except (OverflowError, TypeError, ValueError) as error:
        raise InputError(f"is not a record of urisieve: {error}") from error
    row = RecordFields(
        raw=values.get("raw") or uri,
        uri=uri,
        key=values["key"],
        **offsets,
        source=given(values.get("source")),
        wrapper=given(values.get("wrapper")),
        warnings=warnings,
        alternatives=alternatives,
        location=_location(values, message, number, given),
    )
    if uri[:4].lower() != "urn:" or not isinstance(values.get("path"), str):
        return row, None
    # Which RFC split a URN, its text does not say.
    query, fragment = (given(values.get(name)) for name in ("query", "fragment"))
    return row, Components(uri[:3], None, None, None, values["path"], query, fragment)


def fields_of_rejection(values: Mapping[str, Any]) -> RejectionFields:
    """Return the fields of the rejection from which `Rejection.as_dict` made a mapping.

    Raises:
        InputError: a value is not that of a rejection, or it is of another schema.
    """
    _check_version(values)
    _check_texts(values, (*_TEXTS, "section"))
    if not isinstance(values["raw"], str):
        raise InputError("is not a rejection of urisieve: raw must be a string")
    try:
        offsets, message, number = _numbers(values)
        return RejectionFields(
            raw=values["raw"],
            reason=Reason(values["reason"]),
            component=Component(values["component"]),
            offset=_number(values["offset"]) or 0,
            section=values["section"],
            **offsets,
            source=values["source"],
            location=_location(values, message, number, _given),
        )
    except (OverflowError, TypeError, ValueError) as error:
        raise InputError(f"is not a rejection of urisieve: {error}") from error


def _check_texts(values: Mapping[str, Any], names: Iterable[str]) -> None:
    for name in names:
        value = values.get(name)
        if not (value is None or isinstance(value, str)):
            raise InputError(f"is not one of urisieve: {name} must be a string or null, not {type(value).__name__}")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.80} is not a string")
    return value


def _location(
    values: Mapping[str, Any], message: int | None, row: int | None, given: Callable[[Any], Any]
) -> Location | None:
    get = values.get
    context = None
    if CONTEXT_NAMES[0] in values:
        time, written, sender, to, subject = map(get, CONTEXT_NAMES)
        context = Context(given(time), given(written), given(sender), None, given(subject))
        context = context._replace(to=tuple(map(_text, _words(to))) or None)
    location = Location(message, given(get("message_id")), given(get("part")), given(get("field")), row, context)
    return None if location == NOWHERE else location


def _given(value: Any) -> Any:
    return value


def _given_in_table(value: Any) -> Any:
    return value or None


def _numbers(values: Mapping[str, Any]) -> tuple[dict[str, Any], int | None, int | None]:
    """Return offsets, lines and columns by name, the number of the message, and that of the row."""
    offsets: dict[str, Any] = {name: _number(values.get(name)) or 0 for name in ("start", "end", "line", "column")}
    for name in ("byte_start", "byte_end"):
        offsets[name] = _number(values.get(name))
    return offsets, _number(values.get("message")), _number(values.get("row"))


def _number(value: Any) -> int | None:
    if value is None or value.__class__ is int:
        return value
    return None if value == "" else int(value)


def _words(value: Any) -> list[str]:
    if value is None:
        return []
    return value.split() if isinstance(value, str) else list(value)


def check_fields(values: object, names: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Check that a mapping has the fields of a record or rejection and no others; return it as a dictionary.

    Args:
        values: the mapping.
        names: has the names of the fields.
        kind: `Record` or `Rejection`, for messages.

    Raises:
        UsageError: it is not a mapping, or a field is missing or unknown; the message names it.
    """
    if not isinstance(values, Mapping):
        found = type(values).__name__
        hint = ": json.loads() makes one of a line of JSON" if isinstance(values, (str, bytes)) else ""
        raise UsageError(f"{kind}.from_dict takes a mapping, as as_dict() returns it, not {found}{hint}")
    if isinstance(values, dict) and values.keys() == names.keys():
        return values
    given = {name: value for name, value in values.items() if name not in _BESIDE}
    with_context = not given.keys().isdisjoint(CONTEXT_NAMES)
    needed = (*names, *CONTEXT_NAMES) if with_context else tuple(names)
    for name in given:
        if name not in needed:
            raise UsageError(f"a {kind} has no field {name!r}{did_you_mean(str(name), needed)}")
    missing = [name for name in needed if name not in given]
    if missing:
        listed = ", ".join(map(repr, missing))
        raise UsageError(f"the mapping lacks {listed}: {kind}.from_dict needs all fields of as_dict()")
    return given


def check_against(values: Mapping[str, Any], made: Mapping[str, Any], kind: str) -> None:
    """Check that a mapping is what `as_dict` returns of the value made of it, so that nothing in it is passed over.

    Raises:
        UsageError: a field has a value that no other field bears out, or of a wrong type.
    """
    if values == made:
        return
    for name, value in made.items():
        given = list(values[name]) if isinstance(value, list) and isinstance(values[name], tuple) else values[name]
        if given != value:
            hint = ", unless rules of options= decide it" if name == "iri" else ""
            raise UsageError(
                f"{name}={given!r:.200} does not fit the other fields of this {kind}, by which it is {value!r:.200}"
                f"{hint}"
            )
