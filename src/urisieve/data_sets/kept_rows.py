"""The two modes that keep a row of each key: the first one, written soon after it is read, or the last one.

It defines:

- the mode that keeps the first row with each key: rows are written soon after they are read.
- the mode that keeps the last row with each key: files are read twice.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, closing
from functools import partial

from urisieve.data_sets.row_source import STAYS, UNMATCHED, RowGroup, RowLines, RowSource
from urisieve.data_sets.row_work import KEPT, RowWork, SeenRows
from urisieve.dedupe.keyset import DIGEST_SIZE, Spill, digests
from urisieve.errors import InputError
from urisieve.lean import Final
from urisieve.runs.events import BytesRead
from urisieve.sources.bytes.reading import STANDARD_INPUT, at_pauses, read_blocks, source_name
from urisieve.sources.tally import Tally

# The number of rows looked up at once: in memory few, so that they are written soon; in a store many.
_TOGETHER: Final = 1_024
_FIRST_BATCH: Final = 250_000
_FIRST_BATCH_BYTES: Final = 67_108_864
_FIRST_BATCH_SECONDS: Final = 5.0
# The fewest seconds between two batches that are looked up in a store at pauses of the input.
_PAUSE: Final = 0.05


class FirstRows:
    """Reads rows of lines, and writes the first one with each key.

    Args:
        work: the shared parts of the run.
        source: reads the rows.
        lines: writes the rows.
    """

    def __init__(self, work: RowWork, source: RowSource, lines: RowLines) -> None:
        self._work = work
        self._source = source
        self._lines = lines
        self._seen = work.seen
        self._pending: list[tuple[RowGroup, str]] = []  # with their source
        self._bytes = self._rows = 0  # that wait
        limit = work.settings.memory_limit
        self._most_bytes = _FIRST_BATCH_BYTES if limit is None else min(_FIRST_BATCH_BYTES, limit // 4)
        self._since = self._settled = 0.0
        self._done_files = 0
        self._done_rows = 0

    def read(self, files: int = 0, rows: int = 0) -> None:
        """Read all files, except for the files, and the rows of the next one, that have been done before."""
        totals = self._work.totals
        for index, path in enumerate(self._work.settings.paths):
            if index < files:
                totals.files += 1
                continue
            skip = rows if index == files else 0
            self._done_rows = skip
            source = source_name(path)
            try:
                with at_pauses(partial(self._pause, source)):
                    for some in self._source.rows(path, totals.tally, self._work.blocks(path), skip=skip):
                        self._take(some, source)
            except InputError as error:
                self._work.report(path, error)
            else:
                totals.files += 1
            self._done_files += 1
            self._done_rows = 0
        if totals.files or self._pending:  # otherwise an output that stays is not touched
            self._settle()
            if self._work.printed is not None:
                self._work.printed.settle()

    def _take(self, some: RowGroup, source: str) -> None:
        if not self._pending:
            self._since = time.monotonic()
        self._pending.append((some, source))
        self._bytes += some.size
        self._rows += len(some.keys)
        self._done_rows += len(some.keys)
        most_rows = _TOGETHER if self._seen.is_in_memory else _FIRST_BATCH
        is_full = self._rows >= most_rows or self._bytes >= self._most_bytes
        if is_full or time.monotonic() - self._since >= _FIRST_BATCH_SECONDS:
            self._settle()

    def _pause(self, source: str) -> None:
        """Write what is decided, at a pause of the input."""
        some = self._source.waiting()
        if some is not None:
            self._take(some, source)
        if self._pending and (self._seen.is_in_memory or time.monotonic() - self._settled >= _PAUSE):
            self._settle()
        elif not self._pending and self._work.printed is not None:
            self._work.printed.settle()

    def _settle(self) -> None:
        """Look up the waiting rows, write those that stay, and keep the keys."""
        printed = self._work.printed
        if printed is None:
            size, _ = self._write()
            self._work.keep(self._done_files, self._done_rows)
        else:
            with printed.batch() as new:
                size, keys = self._write()
                new += keys
        if size:
            self._work.on_event(BytesRead(size))

    def _write(self) -> tuple[int, list[str]]:
        """Look up the waiting rows, and write those that stay; return the size of all, and the keys that are new."""
        keys: list[str] = []
        sources: list[str] = []
        for some, source in self._pending:
            keys += [key for key in some.keys if key is not None]
            sources += [source] * (len(keys) - len(sources))
        is_new = bytearray(len(keys))
        new = self._seen.unseen_indices(keys, sources)
        for index in new:
            is_new[index] = STAYS
        keeps_unmatched = self._work.settings.unmatched == KEPT
        marks = bytes(is_new)
        start = 0
        for some, _ in self._pending:
            end = start + len(some.keys) - some.keys.count(None)
            self._lines.put_marked(some, some.marks(marks[start:end]), keeps_unmatched=keeps_unmatched)
            start = end
        totals = self._work.totals
        totals.rows += self._rows
        totals.matched += len(keys)
        totals.unmatched += self._rows - len(keys)
        totals.kept += len(new)
        size = self._bytes
        self._pending.clear()
        self._bytes = self._rows = 0
        self._settled = time.monotonic()
        return size, [keys[index] for index in new]


# The number of digests looked up at once.
_BATCH: Final = 250_000
# The digest of a row without a key; a key has this digest once in 2**128.
_NO_KEY: Final = bytes(DIGEST_SIZE)
_TABLE: Final = "CREATE TABLE blocks (number INTEGER PRIMARY KEY, data BLOB)"
_ADD: Final = "INSERT INTO blocks (data) VALUES (?)"


class NotedKeys:
    """The digests of the keys of all rows, on disk, where they are read backwards to find the last row with each key.

    Args:
        seen: looks them up.
        folder: the folder of the file; that of `tempfile` for None.

    Raises:
        OutputError: the file cannot be made; its use raises it where the file cannot be written.
    """

    def __init__(self, seen: SeenRows, folder: str | None) -> None:
        self._seen = seen
        self._spill = Spill(folder, _TABLE)
        self._digests = bytearray()  # those that are not on disk
        self._sources: list[tuple[int, str]] = []  # with the index of their first row
        self._next = 0
        self._marks = b""  # a decision about each row

    def begin(self, path: str) -> None:
        """Begin with the rows of a file."""
        self._sources.append((self._next, source_name(path)))

    def note(self, keys: Sequence[str | None]) -> None:
        """Note the next rows."""
        made = iter(digests(key for key in keys if key is not None))
        self._digests += b"".join([_NO_KEY if key is None else next(made) for key in keys])
        self._next += len(keys)
        if len(self._digests) >= _BATCH * DIGEST_SIZE:
            self._put()

    def _put(self) -> None:
        self._spill.write(_ADD, [(self._digests,)])
        self._digests = bytearray()

    def look_up(self) -> None:
        """Decide which rows stay."""
        self._put()
        end = self._next
        marks = bytearray(end)
        sources = list(self._sources)
        for (data,) in self._spill.read("SELECT data FROM blocks ORDER BY number DESC"):
            rows: list[int] = []
            found: list[bytes] = []
            for offset in range(len(data) - DIGEST_SIZE, -1, -DIGEST_SIZE):
                end -= 1
                one = data[offset : offset + DIGEST_SIZE]
                if one == _NO_KEY:
                    marks[end] = UNMATCHED
                else:
                    rows.append(end)
                    found.append(one)
            names: list[str] = []
            for row in rows:
                while sources[-1][0] > row:
                    sources.pop()
                names.append(sources[-1][1])
            for index in self._seen.unseen_indices(found, names):
                marks[rows[index]] = STAYS
        self._marks = bytes(marks)

    def begin_again(self, number: int) -> int:
        """Go to the first row of a file, by its number from 0; return how many rows of it were noted."""
        starts = [start for start, _ in self._sources[number : number + 2]]
        self._next = starts[0]
        return (starts[1] if len(starts) > 1 else len(self._marks)) - starts[0]

    def next(self, count: int = 1) -> bytes:
        """Return the decisions about the next rows: `STAYS`, `UNMATCHED` or 0 for each."""
        marks = self._marks[self._next : self._next + count]
        self._next += count
        return marks

    def close(self) -> None:
        """Remove the file."""
        self._spill.close()


def missing_rows() -> InputError:
    """Return the error for a file that has fewer rows when it is read again."""
    return InputError("has lost rows while it was read; run it again")


class LastRows:
    """Reads rows of lines twice, and writes the last one with each key.

    Args:
        work: the shared parts of the run.
        source: reads the rows.
        lines: writes the rows.
    """

    def __init__(self, work: RowWork, source: RowSource, lines: RowLines) -> None:
        self._work = work
        self._source = source
        self._lines = lines

    def read(self) -> None:
        """Read all files, write the rows that stay, and keep the keys."""
        settings, totals = self._work.settings, self._work.totals
        with ExitStack() as stack, closing(NotedKeys(self._work.seen, settings.folder)) as notes:
            copies = {path: self._copied(stack) for path in settings.paths if path == STANDARD_INPUT}
            for path in settings.paths:
                notes.begin(path)
                try:
                    blocks = _blocks(path, copies) or self._work.blocks(path)
                    for some in self._source.rows(path, totals.tally, blocks):
                        notes.note(some.keys)
                except InputError as error:  # the rows before it are read again, and no others
                    self._work.report(path, error)
                else:
                    totals.files += 1
            notes.look_up()
            for number, path in enumerate(settings.paths):
                count = notes.begin_again(number)
                if count:
                    self._write(path, count, copies, notes)
        if totals.files or totals.rows:
            self._work.keep()

    def _write(self, path: str, count: int, copies: dict[str, Spill], notes: NotedKeys) -> None:
        """Write those of the first `count` rows of a file that stay."""
        totals = self._work.totals
        keeps_unmatched = self._work.settings.unmatched == KEPT
        try:
            # Skipped and broken things were counted in the first pass.
            for some in self._source.rows(path, Tally(), _blocks(path, copies), has_keys=False):
                if len(some.keys) > count:  # the file has grown
                    some = some.first(count)
                marks = notes.next(len(some.keys))
                count -= len(marks)
                unmatched = marks.count(UNMATCHED)
                totals.rows += len(marks)
                totals.unmatched += unmatched
                totals.matched += len(marks) - unmatched
                totals.kept += marks.count(STAYS)
                self._lines.put_marked(some, marks, keeps_unmatched=keeps_unmatched)
                self._work.on_event(BytesRead(some.size))
                if not count:
                    return
            raise missing_rows()
        except InputError as error:
            self._work.report(path, error)

    def _copied(self, stack: ExitStack) -> Spill:
        """Return a copy of standard input, which can be read twice."""
        copy = stack.enter_context(closing(Spill(self._work.settings.folder, _TABLE)))
        blocks = self._work.blocks(STANDARD_INPUT) or read_blocks(STANDARD_INPUT)
        copy.write(_ADD, ((block,) for block in blocks))
        return copy


def _blocks(path: str, copies: dict[str, Spill]) -> Iterable[bytes] | None:
    if path not in copies:
        return None
    return (block for (block,) in copies[path].read("SELECT data FROM blocks ORDER BY number"))
