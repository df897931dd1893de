"""The output of `urisieve check` and `urisieve normalize` for texts that are proved to be valid, many at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from urisieve.cli.settings.text_arguments import CheckSettings, NormalizeSettings
from urisieve.codes import Warn
from urisieve.data_sets.checked_rows import CheckedTable, TextRows
from urisieve.data_sets.proved_texts import ProvedTexts, spread
from urisieve.lean import Final
from urisieve.records.batch import Batch
from urisieve.records.counting import counted_codes
from urisieve.records.mask import Mask
from urisieve.sinks.formats import Form, FormatSettings, FormLines
from urisieve.sinks.notations import FieldLines, json_notation
from urisieve.sinks.record_formats import of_kind
from urisieve.wording import printable, shortened

# The most characters of a cell that a line for people shows.
_SHOWN: Final = 100

# Returns the line of output of each text that is proved to be valid, with its end; None for any other.
Proof = Callable[[list[str]], list[bytes | None]]
# Returns the lines of rows that are proved, and the indices of the others; counts warnings.
RowsProof = Callable[[TextRows, Counter[str]], tuple[list[bytes], Sequence[int]]]


def normalized_lines(settings: NormalizeSettings, mask: Mask) -> Proof | None:
    """Return the proof of `urisieve normalize` for texts; None if nothing is proved."""
    if mask.changes_all:
        return None
    proved = ProvedTexts(settings.options)

    def proof(texts: list[str]) -> list[bytes | None]:
        batch, others = proved.batch(texts)
        return spread(_forms(batch, settings.form), others)

    return proof


def normalized_rows(settings: NormalizeSettings, mask: Mask) -> RowsProof:
    """Return the proof of `urisieve normalize` for rows."""
    if mask.changes_all:
        return _no_rows
    proved = ProvedTexts(settings.options)

    def proof(rows: TextRows, _warnings: Counter[str]) -> tuple[list[bytes], Sequence[int]]:
        batch, others = proved.batch(rows.texts)
        return _forms(batch, settings.form), others

    return proof


def _forms(batch: Batch, form: Form) -> list[bytes]:
    return [f"{line}\n".encode() for line in batch.column(form)]


def checked_lines(settings: CheckSettings, mask: Mask, warnings: Counter[str]) -> Proof | None:
    """Return the proof of `urisieve check` for texts, which counts warnings; None if nothing is proved."""
    if mask.changes_all:
        return None
    proved = ProvedTexts(settings.options)
    lines = _json_lines(settings, mask) if of_kind(settings.format).is_mixed else _verdicts(mask)

    def proof(texts: list[str]) -> list[bytes | None]:
        batch, others = proved.batch(texts)
        warnings.update(counted_codes(batch)[1])
        return spread(lines(batch), others)

    return proof


def _json_lines(settings: CheckSettings, mask: Mask) -> Callable[[Batch], list[bytes]]:
    named = FormatSettings(settings.format, parts=settings.parts).named
    return FieldLines(json_notation(named or None), mask).each


def _verdicts(mask: Mask) -> Callable[[Batch], list[bytes]]:
    """Return what makes the lines for people."""
    forms = FormLines(Form.URI, mask)

    def lines(batch: Batch) -> list[bytes]:
        columns = forms.lines(batch), map(_shown, batch.column("warnings"))
        return [f"valid  {uri}{more}\n".encode() for uri, more in zip(*columns, strict=True)]

    return lines


def checked_rows(settings: CheckSettings, mask: Mask, table: CheckedTable | None) -> RowsProof:
    """Return the proof of `urisieve check` for rows: as JSON lines, as rows of a table, or as lines for people."""
    if mask.changes_all:
        return _no_rows
    proved = ProvedTexts(settings.options)
    objects = _json_lines(settings, mask) if of_kind(settings.format).is_mixed else None

    def proof(rows: TextRows, warnings: Counter[str]) -> tuple[list[bytes], Sequence[int]]:
        batch, others = proved.batch(rows.texts, rows.source, () if objects is None else rows.locations())
        warnings.update(counted_codes(batch)[1])
        if objects is not None:
            return objects(batch), others
        return table.lines(rows, batch, others) if table is not None else _row_verdicts(rows, batch, others), others

    return proof


def _row_verdicts(rows: TextRows, batch: Batch, others: Sequence[int]) -> list[bytes]:
    """Return the lines for people."""
    missing = frozenset(others)
    numbers = (number for index, number in enumerate(rows.numbers) if index not in missing)
    columns = (numbers, batch.column("raw"), batch.column("uri"), batch.column("warnings"))
    return [f"{row_verdict(*row)}\n".encode() for row in zip(*columns, strict=True)]


def row_verdict(number: int, raw: str, uri: str, warnings: Sequence[Warn]) -> str:
    """Return the line for people of a row with a valid identifier."""
    return f"row {number}: valid  {shown_cell(raw)}  {uri}{_shown(warnings)}"


def shown_cell(text: str) -> str:
    """Return the text of a cell as people are shown it."""
    return printable(shortened(text, _SHOWN))


def _shown(warnings: Sequence[Warn]) -> str:
    return f"  [{', '.join(warnings)}]" if warnings else ""


def _no_rows(rows: TextRows, _warnings: Counter[str]) -> tuple[list[bytes], Sequence[int]]:
    return [], range(len(rows.texts))
