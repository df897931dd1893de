"""`urisieve check` and `urisieve normalize` with `--input`: a column of a table, or a field of JSON lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from urisieve.cli.proved_lines import RowsProof, checked_rows, normalized_rows, row_verdict, shown_cell
from urisieve.cli.settings.text_arguments import CheckSettings, ColumnSettings, Invalid, NormalizeSettings
from urisieve.cli.terminal.reports import DONE, FAILED, FATAL, NEGATIVE, say
from urisieve.cli.terminal.screen import text_screen
from urisieve.data_sets.checked_rows import CheckedRow, CheckedTable, ColumnCheck, TextRows
from urisieve.errors import InputError
from urisieve.lean import Final, NamedTuple
from urisieve.records.mask import Mask
from urisieve.records.masking import hides_password
from urisieve.records.record import Record
from urisieve.records.rejection import Rejection
from urisieve.sinks.formats import json_line
from urisieve.sinks.outputs import STANDARD_OUTPUT, Output, check_uses, open_output
from urisieve.sinks.record_formats import of_kind
from urisieve.sources.bytes.encodings import STRAY
from urisieve.sources.bytes.reading import STANDARD_INPUT, path_hint, source_name
from urisieve.sources.structured.row_reader import Row
from urisieve.sources.tally import Tally, counted
from urisieve.syntax.components import without_space_around
from urisieve.wording import printable

# Takes a row and its judgements; returns its lines of output.
Lines = Callable[[Row, Sequence[CheckedRow]], list[str]]


def check_column(settings: CheckSettings, column: ColumnSettings) -> int:
    """Run `urisieve check --input` and return its exit status.

    Raises:
        OutputError: the output cannot be written.
    """
    mask = settings.hiding.mask
    run = _Run(settings, column)
    kind = of_kind(settings.format)
    is_table = kind.delimiter != ""
    with open_output(STANDARD_OUTPUT) as opened:
        output = text_screen(opened, settings.color, None)
        cells = settings.hiding.safe(output)
        output = cells or output
        if is_table:
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

    with open_output(STANDARD_OUTPUT) as opened:
        output = text_screen(opened, settings.color, None)
        run.into(_RowsOutput(_written(output, lines, STRAY), normalized_rows(settings, mask), _joined(output)))
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
        self.tally = Tally()
        self._paths = settings.texts or (STANDARD_INPUT,)
        self._judging = ColumnCheck(
            column.name,
            column.kind,
            settings.options,
            settings.encoding,
            column.header,
            column.delimiter,
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
            shows_passwords: whether passwords in the cells of a table stand in the output though nobody asked for them.
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
    """Return the line for people of a row."""
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
