"""Texts that are proved to be valid, many at once, and the output of `urisieve check` and `normalize` for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from urisieve.codes import Warn
from urisieve.judge.proofs import proofs_of
from urisieve.lean import TYPE_CHECKING, Final, TypeAlias, TypeVar
from urisieve.options import DEFAULT_OPTIONS, Options
from urisieve.records.batch import EMPTY, Batch
from urisieve.records.counting import counted_codes
from urisieve.records.layouts import COLUMNS
from urisieve.records.mask import Mask
from urisieve.sinks.formats import Form, FormatSettings, FormLines
from urisieve.sinks.notations import FieldLines, json_notation
from urisieve.sinks.record_formats import of_kind
from urisieve.wording import printable, shortened

if TYPE_CHECKING:
    from urisieve.cli.settings.text_arguments import CheckSettings, NormalizeSettings
    from urisieve.data_sets.checked_rows import CheckedTable, TextRows
    from urisieve.records.base import Location

Line = TypeVar("Line")

# The most characters of a cell that a line for people shows.
_SHOWN: Final = 100

# Returns the line of output of each text that is proved to be valid, with its end; None for any other.
Proof = Callable[[list[str]], list[bytes | None]]
# Returns the lines of rows that are proved, and the indices of the others; counts warnings.
RowsProof: TypeAlias = "Callable[[TextRows, Counter[str]], tuple[list[bytes], Sequence[int]]]"


class ProvedTexts:
    """Proves texts; of one that is not proved, `check` says what it is.

    Args:
        options: how they are judged; the default for None.
        mask: how values leave; where it changes all, nothing is proved.
    """

    def __init__(self, options: Options | None, mask: Mask | None = None) -> None:
        self._options = DEFAULT_OPTIONS if options is None else options
        self._rows = proofs_of(self._options).rows if mask is None or not mask.changes_all else None

    def batch(
        self, texts: list[str], source: str | None = None, locations: Sequence[Location] = ()
    ) -> tuple[Batch, Sequence[int]]:
        """Return the identifiers among texts that are proved, with the records of `check`, and which texts are not.

        Args:
            texts: the texts.
            source: the name of their source.
            locations: the location of each text there; none for no locations.

        Returns:
            the batch, and the indices of the texts that are not in it.
        """
        if self._rows is None:
            return EMPTY, range(len(texts))
        from urisieve.find.kernel_batches import KernelBatches

        harvest, others = self._rows(texts)
        batch = KernelBatches(self._options, frozenset(COLUMNS), source, None).batch(harvest)
        if batch is None:
            return EMPTY, others
        if locations:
            batch = batch.without(frozenset(("location",)))
            missing = frozenset(others)
            batch.layout.add("location", [one for index, one in enumerate(locations) if index not in missing])
        return batch, others


def spread(lines: Sequence[Line], others: Sequence[int]) -> list[Line | None]:
    """Return the lines of a batch of `ProvedTexts`, in the places of their texts; None for each of the others."""
    if not others:
        return list(lines)
    missing, made = frozenset(others), iter(lines)
    return [None if index in missing else next(made) for index in range(len(lines) + len(others))]


def normalized_lines(settings: NormalizeSettings, mask: Mask) -> Proof:
    """Return the proof of `urisieve normalize` for texts."""
    proved = ProvedTexts(settings.options, mask)

    def proof(texts: list[str]) -> list[bytes | None]:
        batch, others = proved.batch(texts)
        return spread(_forms(batch, settings.form), others)

    return proof


def normalized_rows(settings: NormalizeSettings, mask: Mask) -> RowsProof:
    """Return the proof of `urisieve normalize` for rows."""
    proved = ProvedTexts(settings.options, mask)

    def proof(rows: TextRows, _warnings: Counter[str]) -> tuple[list[bytes], Sequence[int]]:
        batch, others = proved.batch(rows.texts)
        return _forms(batch, settings.form), others

    return proof


def _forms(batch: Batch, form: Form) -> list[bytes]:
    return [f"{line}\n".encode() for line in batch.column(form)]


def checked_lines(settings: CheckSettings, mask: Mask, warnings: Counter[str]) -> Proof:
    """Return the proof of `urisieve check` for texts, which counts warnings."""
    proved = ProvedTexts(settings.options, mask)
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
    proved = ProvedTexts(settings.options, mask)
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
