"""`urisieve dedupe`: sources, through the sieve, to what is seen for the first time, or to counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Final, NamedTuple

from urisieve.cli.checkpoint import Checkpoint
from urisieve.cli.collector import seldom_collected
from urisieve.cli.dedupe_arguments import DedupeSettings, Input, budget, parse_dedupe
from urisieve.cli.dedupe_rows import marked, marked_header
from urisieve.cli.dedupe_waiting import Waiting
from urisieve.cli.outputs import STANDARD_OUTPUT, Output
from urisieve.cli.place import PlacedOutput, check_places, output_for
from urisieve.cli.portion import Portion, ended
from urisieve.cli.portions import Portions
from urisieve.cli.secret import new_secret
from urisieve.cli.sieving import Sieving, SievingSettings, sieving_work
from urisieve.cli.signals import unwound_on_termination
from urisieve.cli.summary import is_unread
from urisieve.cli.talk import say
from urisieve.cli.tallying import Tallying, tallying_work
from urisieve.dedupe.key_store import Store
from urisieve.dedupe.keyset import LEAST_LIMIT, KeySet
from urisieve.errors import UsageError
from urisieve.runs.file_parts import Part
from urisieve.runs.workers import Work
from urisieve.sources.bytes.reading import STANDARD_INPUT

__all__ = ["run"]

_FOUND: Final = 0
_NOTHING_FOUND: Final = 1
_FAILED: Final = 2


def run(argv: Sequence[str]) -> int:
    """Run the command and give its exit status.

    It is 0 if the sources hold an identifier, new or not; 1 if they hold none; 2 if something could not be read.

    Raises:
        UsageError: flags, files or values do not go together.
        OutputError: the output cannot be written.
        InputError: no source could be read, and files are as they were.
        StoreError: the store cannot be used.
    """
    settings = parse_dedupe(argv)
    portions = Portions(settings.extract)
    try:
        listed = settings.extract.files_from
        settings = settings._replace(extract=portions.find())
        if settings.checkpoint is not None and STANDARD_INPUT in settings.extract.paths:
            raise UsageError("--checkpoint needs files: standard input cannot be read again")
        check_places(settings, listed)
        # Who stops reading leaves by an exception, so that a store forgets what was not read.
        with unwound_on_termination(), seldom_collected(), ExitStack() as stack:
            if settings.fields:
                from urisieve.cli.dedupe_data import run_rows

                return run_rows(settings, portions, stack)
            if settings.counting:
                from urisieve.cli.dedupe_counts import run_counts

                unique, earlier = run_counts(settings, portions, stack), _Earlier(False, False)
            else:
                unique, earlier = _Deduplication(settings, portions).run(stack)
    except BrokenPipeError:
        return _FAILED if portions.failed else _FOUND
    if not settings.extract.quiet:
        say(portions.counts(unique))
    if portions.failed or earlier.failed:
        return _FAILED
    return _FOUND if portions.found or earlier.found else _NOTHING_FOUND


class _Earlier(NamedTuple):
    """What the checkpoint knows of the part of a run before it."""

    found: bool
    failed: bool


class _Deduplication:
    """One run that prints each key when it first comes."""

    def __init__(self, settings: DedupeSettings, portions: Portions) -> None:
        self._settings = settings
        self._portions = portions
        self._format = settings.extract.format
        self._store: Store | None = None
        self._keys: KeySet | None = None  # those of this run
        self._checkpoint: Checkpoint | None = None
        self._new = 0
        self._header = b""
        self._is_begun = False
        self._found = False  # in what has been looked up, or waits to be
        self._failed = False
        limit = budget(settings.memory_limit)
        self._waiting = Waiting(None if limit is None else limit // 4)

    def run(self, stack: ExitStack) -> tuple[str, _Earlier]:
        """Print what is new; gives how much that was, in words, and what was known before."""
        settings = self._settings
        output_path = settings.extract.output
        earlier = _Earlier(False, False)
        if settings.checkpoint is not None:
            self._checkpoint = stack.enter_context(Checkpoint(settings))
            self._store = self._checkpoint.store
            earlier = _Earlier(self._checkpoint.found, self._checkpoint.failed)
        elif settings.store is not None:
            self._store = stack.enter_context(
                Store(settings.store, options=settings.extract.options, cache=settings.cache)
            )
        if self._store is None or settings.mark_new:
            limit = budget(settings.memory_limit)
            if limit is not None:  # the rest is for batches, and for a store
                limit = max(LEAST_LIMIT, limit * 3 // 4 if self._store is None else limit // 2)
            self._keys = stack.enter_context(KeySet(memory_limit=limit, folder=settings.temp))
        output = stack.enter_context(output_for(settings, self._checkpoint))
        in_place = isinstance(output, PlacedOutput)
        is_fresh = not (isinstance(output, PlacedOutput) and output.old)
        if settings.parquet:
            from urisieve.cli.parquet import ParquetLines
            from urisieve.cli.rows import model_row

            names = [*model_row(), *(["new"] if settings.mark_new else [])]
            output = stack.enter_context(ParquetLines(output, names))
        for portion in self._portions_of(stack, is_fresh):
            self._take(portion, output)
        if not (self._is_begun and in_place):  # else something was written to a file that stays
            self._portions.check(keeps=output_path != STANDARD_OUTPUT)
        self._begin(output)
        if self._waiting.keys or self._store is not None:
            self._settle(output)
        if self._checkpoint is not None:
            self._checkpoint.is_done = True
        return f"{len(self._keys or ()):,} unique" if self._store is None else f"{self._new:,} new", earlier

    def _begin(self, output: Output) -> None:
        """Write the header of a table, before anything else."""
        self._is_begun = True
        if self._header:
            output.write(self._header)
            self._header = b""

    def _portions_of(self, stack: ExitStack, is_fresh: bool) -> Iterator[Portion]:
        settings = self._settings
        secret = new_secret() if self._store is None else self._store.secret
        plain = SievingSettings(settings.extract._replace(unique=self._store is None), secret)
        if settings.input is Input.KEYS:
            from urisieve.cli.record_input import key_portions

            return self._portions.others(stack, key_portions(settings.extract.paths, traces=settings.extract.traceback))
        sieving: Sieving
        work: Callable[[SievingSettings], Work[Part, Portion]]
        if self._store is not None:
            sieving, work = Tallying(plain), tallying_work
        elif settings.memory_limit is None and self._portions.jobs == 1:
            sieving, work = Sieving(plain), sieving_work
            # It picks out what is new while it sieves.
            sieving.seen = self._keys
        else:
            plain = plain._replace(shared=True)
            sieving, work = Sieving(plain), sieving_work
        if is_fresh:
            header = sieving.header
            self._header = marked_header(header, self._format) if settings.mark_new else header
        if not settings.input.is_searched:
            from urisieve.cli.record_input import record_portions, writing

            write = writing(settings.extract, secret, counting=False)
            return self._portions.others(stack, record_portions(settings, write))
        skip = 0 if self._checkpoint is None else self._checkpoint.parts
        in_parts = self._checkpoint is not None
        return self._portions.text(stack, sieving, work, plain, skip=skip, in_parts=in_parts)

    def _take(self, portion: Portion, output: Output) -> None:
        self._found = self._found or portion.found > 0
        self._failed = (
            self._failed or portion.failure is not None or (portion.tally is not None and is_unread(portion.tally))
        )
        if self._store is None and portion.output:
            self._begin(output)
            output.write(portion.output)
        elif self._keys is not None and self._store is None and not self._keys.is_spilled and not self._waiting.keys:
            self._write(portion.keys, portion.rows, self._keys.unseen_places(portion.keys), output)
        else:
            self._waiting.add(portion)
            if self._waiting.is_full:
                self._settle(output)

    def _settle(self, output: Output) -> None:
        """Look up what waits, write what is new, and keep both in the store."""
        self._begin(output)
        keys, rows, counts, sources, parts = self._waiting.taken()
        if self._store is None:
            assert self._keys is not None
            self._write(keys, rows, self._keys.unseen_places(keys), output)
            return
        places = self._store.add(keys, counts=counts, sources=sources)
        self._new += len(places)
        if self._keys is None:
            self._write(keys, rows, places, output)
        else:
            new = set(places)
            self._write(
                keys,
                [marked(row, place in new, self._format) for place, row in enumerate(rows)],
                self._keys.unseen_places(keys),
                output,
            )
        if isinstance(output, PlacedOutput):
            output.sync()
            if self._checkpoint is not None:
                self._checkpoint.note(output.size, parts, found=self._found, failed=self._failed)
        if not self._settings.writes_parquet:  # that file counts only when whole; the store commits on its way out
            self._store.commit()

    def _write(self, keys: Sequence[str], rows: Sequence[bytes] | None, places: list[int], output: Output) -> None:
        if not places:
            return
        self._begin(output)
        if rows is None:
            output.write(ended(keys if len(places) == len(keys) else [keys[place] for place in places]))
        else:
            output.write(b"".join([rows[place] for place in places]))
