"""The lines of `check` and `normalize` for many texts at once, and for the values in a column or field of files.

Texts that are proved to be valid are written together; the others are judged one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from urisieve.cli.reports import DONE, FAILED, FATAL, NEGATIVE, say
from urisieve.cli.screen import text_screen
from urisieve.cli.settings.text_arguments import CheckSettings, ColumnSettings, Invalid, NormalizeSettings
from urisieve.codes import Warn
from urisieve.errors import InputError
from urisieve.finding_options import DEFAULT_OPTIONS, Options
from urisieve.judge.proofs import proofs_of
from urisieve.lean import TYPE_CHECKING, Final, NamedTuple, TypeAlias, TypeVar
from urisieve.records.batch import EMPTY, Batch, counted_codes
from urisieve.records.layouts import COLUMNS
from urisieve.records.mask import Mask
from urisieve.records.masking import hides_password
from urisieve.records.record import Record
from urisieve.records.rejection import Rejection
from urisieve.sinks.byte_output import Output
from urisieve.sinks.formats import Form, FormatSettings, FormLines, json_line
from urisieve.sinks.notations import FieldLines, json_notation
from urisieve.sinks.outputs import STANDARD_OUTPUT, check_uses, gathering, open_output
from urisieve.sinks.record_formats import of_kind
from urisieve.sources.bytes.encodings import STRAY
from urisieve.sources.bytes.reading import STANDARD_INPUT, path_hint, source_name
from urisieve.sources.tally import Tally, counted
from urisieve.syntax.components import without_space_around
from urisieve.wording import printable, shortened

if TYPE_CHECKING:
    from urisieve.data_sets.checked_rows import CheckedRow, CheckedTable, TextRows
    from urisieve.records.base import Location
    from urisieve.sources.structured.row_reader import Row


Line = TypeVar("Line")

# The most characters of a cell that a line for users shows.
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
    """Return the lines of a batch of `ProvedTexts`, at the positions of their texts; None for each of the others."""
    if not others:
        return list(lines)
    missing, made = frozenset(others), iter(lines)
    return [None if index in missing else next(made) for index in range(len(lines) + len(others))]


def normalized(settings: NormalizeSettings, mask: Mask) -> Callable[[list[str]], tuple[list[bytes], Sequence[int]]]:
    """Return the proof of `urisieve normalize`: what makes the lines of texts, and the indices of the others."""
    proved = ProvedTexts(settings.options, mask)

    def proof(texts: list[str]) -> tuple[list[bytes], Sequence[int]]:
        batch, others = proved.batch(texts)
        return [f"{line}\n".encode() for line in batch.column(settings.form)], others

    return proof


def normalized_lines(settings: NormalizeSettings, mask: Mask) -> Proof:
    """Return the proof of `urisieve normalize` for lines of input."""
    proof = normalized(settings, mask)
    return lambda texts: spread(*proof(texts))


def checked_lines(settings: CheckSettings, mask: Mask, warnings: Counter[str]) -> Proof:
    """Return the proof of `urisieve check` for texts, which counts warnings."""
    proved = ProvedTexts(settings.options, mask)
    lines = _json_lines(settings, mask) if of_kind(settings.format).is_mixed else _verdict_lines(mask)

    def proof(texts: list[str]) -> list[bytes | None]:
        batch, others = proved.batch(texts)
        warnings.update(counted_codes(batch)[1])
        return spread(lines(batch), others)

    return proof


def _json_lines(settings: CheckSettings, mask: Mask) -> Callable[[Batch], list[bytes]]:
    named = FormatSettings(settings.format, parts=settings.parts).named
    return FieldLines(json_notation(named or None), mask).each


def _verdict_lines(mask: Mask) -> Callable[[Batch], list[bytes]]:
    """Return what makes the lines for users."""
    forms = FormLines(Form.URI, mask)

    def lines(batch: Batch) -> list[bytes]:
        columns = forms.lines(batch), map(_shown, batch.column("warnings"))
        return [f"valid  {uri}{more}\n".encode() for uri, more in zip(*columns, strict=True)]

    return lines


def checked_rows(settings: CheckSettings, mask: Mask, table: CheckedTable | None) -> RowsProof:
    """Return the proof of `urisieve check` for rows: as JSON lines, as rows of a table, or as lines for users."""
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
    """Return the lines for users."""
    missing = frozenset(others)
    numbers = (number for index, number in enumerate(rows.numbers) if index not in missing)
    columns = (numbers, batch.column("raw"), batch.column("uri"), batch.column("warnings"))
    return [f"{row_verdict(*row)}\n".encode() for row in zip(*columns, strict=True)]


def row_verdict(number: int, raw: str, uri: str, warnings: Sequence[Warn]) -> str:
    """Return the line for users of a row with a valid identifier."""
    return f"row {number}: valid  {shown_cell(raw)}  {uri}{_shown(warnings)}"


def shown_cell(text: str) -> str:
    """Return the text of a cell as users see it."""
    return printable(shortened(text, _SHOWN))


def _shown(warnings: Sequence[Warn]) -> str:
    return f"  [{', '.join(warnings)}]" if warnings else ""


# Takes a row and its judgements; returns its lines of output.
Lines: TypeAlias = "Callable[[Row, Sequence[CheckedRow]], list[str]]"


def check_column(settings: CheckSettings, column: ColumnSettings) -> int:
    """Run `urisieve check --input` and return its exit status.

    Raises:
        OutputError: the output cannot be written.
    """
    mask = settings.hiding.mask
    run = _Run(settings, column)
    kind = of_kind(settings.format)
    is_table = kind.delimiter != ""
    with gathering(open_output(STANDARD_OUTPUT)) as opened:
        output = text_screen(opened, settings.color, None)
        cells = settings.hiding.safe(output)
        output = cells or output
        if is_table:
            from urisieve.data_sets.checked_rows import CheckedTable

            table = CheckedTable(output, mask)

            def begin() -> None:
                table.delimiter = run.delimiter
                if cells is not None:
                    cells.delimiter = run.delimiter or ","

            run.into(_RowsOutput(table.put, checked_rows(settings, mask, table), table.write, begin))
        else:
            put = _written(output, lambda _, checked: _verdicts(checked, settings, mask), "backslashreplace")
            run.into(_RowsOutput(put, checked_rows(settings, mask, None), _joined(output)))
    run.report(
        settings.quiet,
        made_safe=None if cells is None else cells.changed,
        shows_passwords=is_table and not settings.hiding.show_passwords,
    )
    status = run.status
    if status == FAILED or not settings.fail_on.is_asked:
        return status
    return FATAL if settings.fail_on.fatal(run.tally.rejected, run.tally.warnings) else DONE


def normalize_column(settings: NormalizeSettings, column: ColumnSettings) -> int:
    """Run `urisieve normalize --input` and return its exit status: a line of output for each value.

    Raises:
        OutputError: the output cannot be written.
    """
    mask = settings.hiding.mask
    run = _Run(settings, column)

    def lines(_: Row, checked: Sequence[CheckedRow]) -> list[str]:
        found = [_form(one, settings, mask) for one in checked]
        return [line for line in found if line is not None]

    proof = normalized(settings, mask)
    with gathering(open_output(STANDARD_OUTPUT)) as opened:
        output = text_screen(opened, settings.color, None)
        run.into(_RowsOutput(_written(output, lines, STRAY), lambda rows, _: proof(rows.texts), _joined(output)))
    run.report(settings.quiet)
    return run.status


class _RowsOutput(NamedTuple):
    """The output of rows.

    Attributes:
        put: takes a row with its judgements.
        proof: returns the lines of many rows that are proved, and which are not.
        write: takes lines.
        begin: called before rows are taken.
    """

    put: Callable[[Row, Sequence[CheckedRow]], None]
    proof: RowsProof
    write: Callable[[Sequence[bytes]], None]
    begin: Callable[[], None] = lambda: None


def _joined(output: Output) -> Callable[[Sequence[bytes]], None]:
    return lambda lines: output.write(b"".join(lines))


class _Run:
    """Reads the files of a command, one after the other."""

    def __init__(self, settings: CheckSettings | NormalizeSettings, column: ColumnSettings) -> None:
        from urisieve.data_sets.checked_rows import ColumnCheck

        self.tally = Tally()
        self._paths = settings.texts or (STANDARD_INPUT,)
        self._judging = ColumnCheck(
            column.name,
            column.kind,
            settings.options,
            settings.encoding,
            column.header,
            column.delimiter,
            column.skip_lines,
        )
        self._counts: Counter[str] = Counter()
        self._failed = False
        self._passwords = 0
        check_uses([("standard output", [STANDARD_OUTPUT])], self._paths)

    @property
    def delimiter(self) -> str:
        """The character between the cells of the file that is read; "" if it is not a table."""
        return self._judging.delimiter

    def into(self, output: _RowsOutput) -> None:
        """Pass on every row with its judgements."""
        from urisieve.data_sets.checked_rows import TextRows

        for path in self._paths:
            try:
                for rows in self._judging.rows(path, self.tally):
                    output.begin()
                    if isinstance(rows, TextRows):
                        self._put_many(rows, output)
                    else:
                        self._put(*rows, output)
            except InputError as error:
                say(f"{source_name(path)}: {error}{path_hint(path)}")
                self._failed = True

    def _put(self, row: Row, checked: Sequence[CheckedRow], output: _RowsOutput) -> None:
        for one in checked:
            self._counts[_state(one)] += 1
            self._passwords += isinstance(one.found, Record) and hides_password(one.found.uri)
        output.put(row, checked)

    def _put_many(self, rows: TextRows, output: _RowsOutput) -> None:
        lines, others = output.proof(rows, self.tally.warnings)
        self._counts[_OK] += len(lines)
        start = 0
        for count, index in enumerate(others):
            if index - count > start:
                output.write(lines[start : index - count])
                start = index - count
            self._put(rows.row(index), [rows.checked(index, self.tally)], output)
        if len(lines) > start:
            output.write(lines[start:])

    def report(self, quiet: bool, *, made_safe: int | None = None, shows_passwords: bool = False) -> None:
        """Report what is broken, and the counts, unless `quiet`.

        Args:
            quiet: whether nothing is reported.
            made_safe: how many cells were made safe, if that was to be done.
            shows_passwords: whether passwords in the cells of a table are in the output though they were not asked for.
        """
        if quiet:
            return
        if shows_passwords and self._passwords:
            what = counted(self._passwords, "cell")
            say(f"{what} of the table, written as it stands, {'holds' if self._passwords == 1 else 'hold'} a password")
        for message in self.tally.shown("rows"):
            say(message)
        counts = self._counts
        states = ", ".join(f"{counts[state]:,} {state}" for state in (_OK, _NOT_OK, _EMPTY, _BROKEN))
        total = sum(counts.values())
        more = "" if made_safe is None else f"; {counted(made_safe, 'cell')} made safe"
        say(f"{total:,} row{'' if total == 1 else 's'}: {states}{more}")

    @property
    def status(self) -> int:
        """The exit status."""
        if self._failed or self.tally.is_unread:
            return FAILED
        return NEGATIVE if self._counts[_NOT_OK] or self._counts[_BROKEN] else DONE


_OK: Final = "valid"
_NOT_OK: Final = "not valid"
_EMPTY: Final = "empty"
_BROKEN: Final = "broken"


def _state(one: CheckedRow) -> str:
    if one.found is None:
        return _BROKEN if one.is_broken else _EMPTY
    return _OK if one.found else _NOT_OK


def _written(output: Output, lines: Lines, errors: str) -> Callable[[Row, Sequence[CheckedRow]], None]:
    def put(row: Row, checked: Sequence[CheckedRow]) -> None:
        some = lines(row, checked)
        if some:
            output.write("\n".join([*some, ""]).encode("utf-8", errors))

    return put


def _verdicts(checked: Sequence[CheckedRow], settings: CheckSettings, mask: Mask) -> list[str]:
    if not of_kind(settings.format).is_mixed:
        return [_line(one, mask) for one in checked]
    return [json_line(mask.row(one.found, parts=settings.parts)) for one in checked if one.found is not None]


def _line(one: CheckedRow, mask: Mask) -> str:
    """Return the line for users of a row."""
    start = f"row {one.row}: {_state(one)}"
    if one.found is None:
        return start
    found = mask.found(one.found)
    if isinstance(found, Record):
        raw, uri = mask.value("raw", found.raw, found.uri), mask.value("uri", found.uri)
        return row_verdict(one.row, raw, uri, found.warnings)
    return f"{start}  {shown_cell(mask.candidate(found.raw))}  {printable(found.explain().splitlines()[-1])}"


def _form(one: CheckedRow, settings: NormalizeSettings, mask: Mask) -> str | None:
    """Return the line of output of a value; None for none."""
    found = one.found
    if isinstance(found, Record):
        record = mask.record(found)
        return mask.value("uri", getattr(record, settings.form))
    if isinstance(found, Rejection) and settings.invalid is Invalid.KEEP:
        raw = without_space_around(mask.rejection(found).raw).replace("\n", " ").replace("\r", " ")
        return mask.candidate(raw)
    if settings.invalid is not Invalid.DROP:
        return ""
    if isinstance(found, Rejection) and not settings.quiet:
        say(f"row {one.row}: {mask.rejection(found).explain().splitlines()[-1]}")
    return None
