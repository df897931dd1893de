"""`urisieve dedupe --counts` and all that has to know every appearance before it prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack

from urisieve.cli.arguments import Form, Format
from urisieve.cli.dedupe_arguments import DedupeSettings, Input, Sort, budget
from urisieve.cli.dedupe_rows import counted_lines, counted_names
from urisieve.cli.outputs import STANDARD_OUTPUT, Output, open_output
from urisieve.cli.portion import Portion
from urisieve.cli.portions import Portions
from urisieve.cli.secret import new_secret
from urisieve.cli.sieving import SievingSettings
from urisieve.cli.tallying import Counting, counting_work, tallied
from urisieve.dedupe.counts import Counted, Counts
from urisieve.dedupe.counts_on_disk import SpilledCounts, stored
from urisieve.errors import UsageError

__all__ = ["run_counts"]


def run_counts(settings: DedupeSettings, portions: Portions, stack: ExitStack) -> str:
    """Count, and print what was asked for; gives how many keys there are, in words.

    Raises:
        UsageError: the keys do not fit in memory, and the extra for that is not installed.
    """
    if settings.extract.form is not Form.URI:
        raise UsageError("--form does not go with --counts and what needs counts: --spellings shows raw forms")
    limit = budget(settings.memory_limit)
    # Counting in memory takes a little more than half of it, DuckDB later half: what was freed is not all given back.
    output: Output = stack.enter_context(open_output(settings.extract.output))
    counts = Counts()
    spilled: SpilledCounts | None = None
    for portion in _portions(settings, portions, stack):
        if not portion.keys:
            continue
        if spilled is not None:
            spilled.add(tallied(portion))
            continue
        counts.add(tallied(portion))
        if limit is not None and counts.size > limit * 6 // 10:
            spilled = stack.enter_context(SpilledCounts(limit // 2, settings.temp))
            spilled.take(counts)
            counts = Counts()
    portions.check(keeps=settings.extract.output != STANDARD_OUTPUT)
    if settings.parquet:
        from urisieve.cli.parquet import ParquetLines

        output = stack.enter_context(ParquetLines(output, counted_names(settings.spellings)))
    least = max(settings.min_count, 2 if settings.duplicates_only else 1)
    rows: Iterable[Counted]
    if spilled is None:
        unique = len(counts)
        rows = _ordered((row for row in counts if row.count >= least), settings.sort)
    else:
        unique = spilled.count()
        rows = spilled.rows(least, str(settings.sort))
    plain_text = settings.extract.format is Format.TEXT
    for data in counted_lines(
        rows,
        settings.extract.format,
        counts=settings.counts or not plain_text,
        spellings=settings.spellings,
    ):
        output.write(data)
    return f"{unique:,} unique"


def _portions(settings: DedupeSettings, portions: Portions, stack: ExitStack) -> Iterator[Portion]:
    if settings.input is Input.KEYS:
        from urisieve.cli.record_input import key_portions

        return portions.others(
            stack, key_portions(settings.extract.paths, counting=True, traces=settings.extract.traceback)
        )
    if not settings.input.is_searched:
        from urisieve.cli.record_input import record_portions, writing

        return portions.others(stack, record_portions(settings, writing(settings.extract, new_secret(), counting=True)))
    sieving = SievingSettings(settings.extract._replace(unique=False), new_secret())
    return portions.text(stack, Counting(sieving), counting_work, sieving)


def _ordered(rows: Iterable[Counted], sort: Sort) -> Iterable[Counted]:
    if sort is Sort.COUNT:
        return sorted(rows, key=lambda row: -row.count)  # those with one number stay in their order
    if sort is Sort.URI:
        return sorted(rows, key=lambda row: stored(row.uri))  # the order of DuckDB
    return rows
