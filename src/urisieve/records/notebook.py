"""Records, rejections and batches as HTML for notebooks: nothing in it can be followed, and nothing runs.

All text is escaped, identifiers are defanged, and passwords masked. Characters that are not seen, or that turn the
direction of text, are shown as U+FFFD, and each text is isolated from what stands around it (UAX 9 2.4).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from urisieve.codes import REASONS, WARNINGS, Reason, Warn
from urisieve.lean import Any, Final
from urisieve.records.base import PLACE_NAMES
from urisieve.records.defanging import harmless, torn
from urisieve.records.masking import hides_password, masked_raw, masked_text, masked_with_offset

# The most rows of a batch that are shown.
MOST_ROWS: Final = 20
# The most characters of one value: longer identifiers are cut, and say so.
_MOST_CHARACTERS: Final = 300
# The characters that are shown before and behind the one at which a candidate fails.
_AROUND: Final = 40
_LOCATION: Final = (*PLACE_NAMES, "time", "from")
_CELL: Final = ' style="text-align:left;word-break:break-word"'


def record_html(values: Mapping[str, Any]) -> str:
    """Return a table of the fields of a record that say most.

    Args:
        values: the fields, as `Record.as_dict` returns them.
    """
    uri = values["uri"]
    raw = values["raw"] if not hides_password(uri) else masked_raw(values["raw"], uri)
    rows = [("uri", _identifier(uri))]
    rows += [(name, _identifier(text)) for name in ("iri", "key") if (text := values[name]) != uri]
    if raw != masked_text(uri):
        rows.append(("raw", _identifier(raw)))
    rows.append(("kind", _text(values["kind"])))
    if values["host"]:
        rows.append(("host", _identifier(values["host"])))
    if values["nid"]:
        rows.append(("namespace", _text(values["nid"])))
    rows += _places(values)
    rows += [("alternative", _identifier(text)) for text in values["alternatives"]]
    rows += [("warning", _code(word, WARNINGS[word].meaning)) for word in map(Warn, values["warnings"])]
    return _table("Record", rows)


def rejection_html(values: Mapping[str, Any]) -> str:
    """Return a table of the fields of a rejection, with a mark before the character at which the candidate fails.

    Args:
        values: the fields, as `Rejection.as_dict` returns them.
    """
    reason = Reason(values["reason"])
    rows = [
        ("raw", _identifier(values["raw"])),
        ("reason", _code(reason, REASONS[reason].meaning)),
        ("component", _text(values["component"])),
        ("fails at", _failing(*masked_with_offset(values["raw"], values["offset"]))),
        ("section", _text(values["section"])),
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
    said = f"identifiers: {count:,}" + (f" (the first {shown} are shown)" if 0 < shown < count else "")
    if reasons:
        each = ", ".join(f"{reason} {number:,}" for reason, number in Counter(map(str, reasons)).most_common())
        said += f"; rejections: {len(reasons):,} ({_text(each)})"
    return f"<table><caption{_CELL}>Batch: {said}</caption>{''.join(lines)}</table>"


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name == "uri":
        return _identifier(value)
    if name == "warnings":
        return ", ".join(map(_text, value))
    return _source(value) if name == "source" else _text(value)


def _places(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return rows that say where it was found."""
    rows = [] if values["source"] is None else [("source", _source(values["source"]))]
    rows += [(name.replace("_", " "), _text(values[name])) for name in _LOCATION if values.get(name) is not None]
    line = f"line {values['line']}, column {values['column']}, " if values["line"] else ""
    rows.append(("place", _text(f"{line}characters {values['start']} to {values['end']}")))
    return rows


def _table(title: str, rows: Sequence[tuple[str, str]]) -> str:
    lines = "".join(f'<tr><th scope="row"{_CELL}>{name}</th><td{_CELL}>{shown}</td></tr>' for name, shown in rows)
    return f"<table><caption{_CELL}>{title}</caption>{lines}</table>"


def _code(code: str, meaning: str) -> str:
    return f"{_text(code)}: {_text(meaning)}"


def _source(name: str) -> str:
    shown = _masked(name)
    return _text(harmless(shown) if "://" in shown else shown)


def _identifier(text: str) -> str:
    """Return an identifier that is defanged, without its password, in any form."""
    return _text(harmless(_masked(text)))


def _masked(text: str) -> str:
    shown, _ = masked_with_offset(masked_text(text), 0)
    return shown


def _failing(raw: str, offset: int) -> str:
    """Return the characters around the one at which a candidate fails, with a mark before it."""
    before, behind = raw[max(0, offset - _AROUND) : offset], raw[offset : offset + _AROUND]
    return f"{_text(f'index {offset}')}: {_text(torn(before))}<b>&#9656;</b>{_text(torn(behind))}"


def _text(value: object) -> str:
    """Return a text that is escaped, of bounded length, and isolated."""
    from html import escape

    text = str(value)
    cut = len(text) > _MOST_CHARACTERS
    shown = "".join([one if one.isprintable() else "\ufffd" for one in text[:_MOST_CHARACTERS]])
    return f'<span dir="ltr">{escape(shown)}</span>' + (f" (of {len(text):,} characters)" if cut else "")
