"""Records and rejections as other values: read back from mappings, and as HTML for notebooks.

In that HTML nothing can be followed, and nothing runs: all text is escaped, identifiers are defanged, and passwords
masked. Characters that are not seen, or that turn the direction of text, are shown as U+FFFD, and each text is isolated
from its surroundings (UAX 9 2.4).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, KeysView, Mapping, Sequence

from urisieve import shapes
from urisieve.codes import REASONS, WARNINGS, Component, Reason, Warn
from urisieve.errors import InputError, UsageError
from urisieve.lean import Any, Final, lazy_compile
from urisieve.records import base
from urisieve.records.masking import hides_password, masked_raw, masked_text, masked_with_offset
from urisieve.syntax.components import Components
from urisieve.syntax.defanging import harmless, torn
from urisieve.wording import did_you_mean

# Not fields of a record, but next to them where that was asked for: whether `dedupe` had seen the key before, and what
# follows from the other fields.
_BESIDE: Final = frozenset(["new", "parts", "notices"])
_TEXTS: Final = ("raw", "source", "wrapper", "message_id", "part", "field", "time", "time_written", "from", "subject")
_SCHEME: Final = lazy_compile(r"[A-Za-z][A-Za-z0-9+.\-]*+:")


def is_record(values: object) -> bool:
    """Report whether a row has the columns without which it is not a record."""
    return isinstance(values, dict) and all(isinstance(values.get(name), str) for name in ("key", "uri"))


def _check_version(values: Mapping[str, Any]) -> None:
    version = values.get("schema", base.SCHEMA_VERSION)
    if str(version) != str(base.SCHEMA_VERSION):
        raise InputError(f"is of schema {version}; this version reads {base.SCHEMA_VERSION}: extract it anew")


def fields_of_record(
    values: Mapping[str, Any], *, is_table: bool = True
) -> tuple[base.RecordFields, Components | None]:
    """Return the fields of the record that a row was written from, and the components of a URN.

    Args:
        values: the fields of a record, as JSON or a table has them; `uri` and `key` are strings.
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
    row = base.RecordFields(
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


def fields_of_rejection(values: Mapping[str, Any]) -> base.RejectionFields:
    """Return the fields of the rejection of which there is a mapping.

    Raises:
        InputError: a value is not that of a rejection, or it is of another schema.
    """
    _check_version(values)
    _check_texts(values, (*_TEXTS, "section"))
    if not isinstance(values["raw"], str):
        raise InputError("is not a rejection of urisieve: raw must be a string")
    try:
        offsets, message, number = _numbers(values)
        return base.RejectionFields(
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
) -> base.Location | None:
    get = values.get
    context = None
    if base.CONTEXT_NAMES[0] in values:
        time, written, sender, to, subject = map(get, base.CONTEXT_NAMES)
        context = base.Context(given(time), given(written), given(sender), None, given(subject))
        context = context._replace(to=tuple(map(_text, _words(to))) or None)
    location = base.Location(message, given(get("message_id")), given(get("part")), given(get("field")), row, context)
    return None if location == base.NOWHERE else location


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


def check_fields(values: object, names: KeysView[str], kind: str) -> dict[str, Any]:
    """Check that a mapping has the fields of a record or rejection and no others; return it as a dictionary.

    Args:
        values: the mapping.
        names: the names of the fields.
        kind: `Record` or `Rejection`, for messages.

    Raises:
        UsageError: it is not a mapping, or a field is missing or unknown; the message names it.
    """
    if not isinstance(values, Mapping):
        hint = ": json.loads() makes one of a line of JSON" if isinstance(values, (str, bytes)) else ""
        raise shapes.wrong("values", values, f"a mapping of the fields of a {kind}, as dict(record) is{hint}")
    if isinstance(values, dict) and values.keys() == names:
        return values
    given = {name: value for name, value in values.items() if name not in _BESIDE}
    with_context = not given.keys().isdisjoint(base.CONTEXT_NAMES)
    needed = (*names, *base.CONTEXT_NAMES) if with_context else tuple(names)
    for name in given:
        if name not in needed:
            raise UsageError(f"a {kind} has no field {name!r}{did_you_mean(str(name), needed)}")
    missing = [name for name in needed if name not in given]
    if missing:
        listed = ", ".join(map(repr, missing))
        raise UsageError(f"the mapping lacks {listed}: {kind}.from_dict needs all fields")
    return given


def check_against(values: Mapping[str, Any], made: Mapping[str, Any], kind: str) -> None:
    """Check that a mapping is that of the value made of it, so that nothing in it is passed over.

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


# The most rows of a batch that are shown.
MOST_ROWS: Final = 20
# The most characters of one value: longer identifiers are truncated, and say so.
_MOST_CHARACTERS: Final = 300
# The characters that are shown before and after the one at which a candidate fails.
_AROUND: Final = 40
_LOCATION: Final = (*base.PLACE_NAMES, "time", "from")
_CELL: Final = ' style="text-align:left;word-break:break-word"'


def record_html(values: Mapping[str, Any]) -> str:
    """Return a table of the fields of a record that say most.

    Args:
        values: the record.
    """
    uri = values["uri"]
    raw = values["raw"] if not hides_password(uri) else masked_raw(values["raw"], uri)
    rows = [("uri", _identifier(uri))]
    rows += [(name, _identifier(text)) for name in ("iri", "key") if (text := values[name]) != uri]
    if raw != masked_text(uri):
        rows.append(("raw", _identifier(raw)))
    rows.append(("kind", _shown_text(values["kind"])))
    if values["host"]:
        rows.append(("host", _identifier(values["host"])))
    if values["nid"]:
        rows.append(("namespace", _shown_text(values["nid"])))
    rows += _places(values)
    rows += [("alternative", _identifier(text)) for text in values["alternatives"]]
    rows += [("warning", _code(word, WARNINGS[word].meaning)) for word in map(Warn, values["warnings"])]
    return _table("Record", rows)


def rejection_html(values: Mapping[str, Any]) -> str:
    """Return a table of the fields of a rejection, with a mark before the character at which the candidate fails.

    Args:
        values: the rejection.
    """
    reason = Reason(values["reason"])
    rows = [
        ("raw", _identifier(values["raw"])),
        ("reason", _code(reason, REASONS[reason].meaning)),
        ("component", _shown_text(values["component"])),
        ("fails at", _failing(*masked_with_offset(values["raw"], values["offset"]))),
        ("section", _shown_text(values["section"])),
        *_places(values),
    ]
    return _table("Rejection", rows)


def batch_html(columns: Mapping[str, Sequence[Any]], count: int, reasons: Sequence[Reason]) -> str:
    """Return a table of the first rows of a batch, with the number of all.

    Args:
        columns: the values of the first rows, by column.
        count: the number of all rows.
        reasons: those of all rejections.
    """
    names = [name for name in ("uri", "source", *_LOCATION) if any(columns.get(name, ()))]
    names += [name for name in ("line", "column", "start", "warnings") if any(columns.get(name, ()))]
    head = "".join(f"<th{_CELL}>{name}</th>" for name in names)
    lines = [f"<tr>{head}</tr>"] if names else []
    for row in zip(*(columns[name] for name in names), strict=True):
        cells = "".join(f"<td{_CELL}>{_cell(name, value)}</td>" for name, value in zip(names, row, strict=True))
        lines.append(f"<tr>{cells}</tr>")
    shown = len(lines) - 1
    caption = f"identifiers: {count:,}" + (f" (the first {shown} are shown)" if 0 < shown < count else "")
    if reasons:
        each = ", ".join(f"{reason} {number:,}" for reason, number in Counter(map(str, reasons)).most_common())
        caption += f"; rejections: {len(reasons):,} ({_shown_text(each)})"
    return f"<table><caption{_CELL}>Batch: {caption}</caption>{''.join(lines)}</table>"


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name == "uri":
        return _identifier(value)
    if name == "warnings":
        return ", ".join(map(_shown_text, value))
    return _source(value) if name == "source" else _shown_text(value)


def _places(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return rows that say where it was found."""
    rows = [] if values["source"] is None else [("source", _source(values["source"]))]
    rows += [(name.replace("_", " "), _shown_text(values[name])) for name in _LOCATION if values.get(name) is not None]
    line = f"line {values['line']}, column {values['column']}, " if values["line"] else ""
    rows.append(("place", _shown_text(f"{line}characters {values['start']} to {values['end']}")))
    return rows


def _table(title: str, rows: Sequence[tuple[str, str]]) -> str:
    lines = "".join(f'<tr><th scope="row"{_CELL}>{name}</th><td{_CELL}>{shown}</td></tr>' for name, shown in rows)
    return f"<table><caption{_CELL}>{title}</caption>{lines}</table>"


def _code(code: str, meaning: str) -> str:
    return f"{_shown_text(code)}: {_shown_text(meaning)}"


def _source(name: str) -> str:
    shown = _masked(name)
    return _shown_text(harmless(shown) if "://" in shown else shown)


def _identifier(text: str) -> str:
    """Return an identifier that is defanged, without its password, in any form."""
    return _shown_text(harmless(_masked(text)))


def _masked(text: str) -> str:
    shown, _ = masked_with_offset(masked_text(text), 0)
    return shown


def _failing(raw: str, offset: int) -> str:
    """Return the characters around the one at which a candidate fails, with a mark before it."""
    before, behind = raw[max(0, offset - _AROUND) : offset], raw[offset : offset + _AROUND]
    return f"{_shown_text(f'index {offset}')}: {_shown_text(torn(before))}<b>&#9656;</b>{_shown_text(torn(behind))}"


def _shown_text(value: object) -> str:
    """Return a text that is escaped, of bounded length, and isolated."""
    from html import escape

    text = str(value)
    is_truncated = len(text) > _MOST_CHARACTERS
    shown = "".join([one if one.isprintable() else "\ufffd" for one in text[:_MOST_CHARACTERS]])
    return f'<span dir="ltr">{escape(shown)}</span>' + (f" (of {len(text):,} characters)" if is_truncated else "")
