"""The mode that keeps the last row with each key: files are read twice."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import IO

from urisieve.data_sets.row_lines import STAYS, UNMATCHED, RowLines
from urisieve.data_sets.row_settings import KEPT
from urisieve.data_sets.row_source import RowSource
from urisieve.data_sets.row_work import RowWork
from urisieve.data_sets.seen_rows import SeenRows
from urisieve.dedupe.digests import DIGEST_SIZE, digests
from urisieve.errors import InputError, OutputError
from urisieve.lean.hints import Final
from urisieve.runs.events import BytesRead
from urisieve.sources.bytes.reading import BLOCK_SIZE, STANDARD_INPUT, read_blocks, source_name
from urisieve.sources.tally import Tally

__all__ = ["LastRows", "NotedKeys", "missing_rows", "noted_keys"]

# The number of digests looked up at once.
_BATCH: Final = 250_000
# The digest of a row without a key; a key has this digest once in 2**128.
_NO_KEY: Final = bytes(DIGEST_SIZE)


class NotedKeys:
    """The digests of the keys of all rows, in a file that is read backwards to find the last row with each key.

    Args:
        seen: looks them up.
        file: a temporary file.
    """

    def __init__(self, seen: SeenRows, file: IO[bytes]) -> None:
        self._seen = seen
        self._file = file
        self._sources: list[tuple[int, str]] = []  # with the index of their first row
        self._next = 0
        self._marks = b""  # a decision about each row

    def begin(self, path: str) -> None:
        """Begin with the rows of a file."""
        self._sources.append((self._next, source_name(path)))

    def note(self, keys: Sequence[str | None]) -> None:
        """Note the next rows."""
        made = iter(digests(key for key in keys if key is not None))
        try:
            self._file.write(b"".join([_NO_KEY if key is None else next(made) for key in keys]))
        except OSError as error:
            raise _failure(error) from error
        self._next += len(keys)

    def look_up(self) -> None:
        """Decide which rows stay."""
        end = self._file.tell()
        marks = bytearray(end // DIGEST_SIZE)
        sources = list(self._sources)
        while end:
            start = max(0, end - _BATCH * DIGEST_SIZE)
            with _writing_temporarily():
                self._file.seek(start)
                data = self._file.read(end - start)
            rows: list[int] = []
            found: list[bytes] = []
            for offset in range(len(data) - DIGEST_SIZE, -1, -DIGEST_SIZE):
                row = (start + offset) // DIGEST_SIZE
                one = data[offset : offset + DIGEST_SIZE]
                if one == _NO_KEY:
                    marks[row] = UNMATCHED
                else:
                    rows.append(row)
                    found.append(one)
            names: list[str] = []
            for row in rows:
                while sources[-1][0] > row:
                    sources.pop()
                names.append(sources[-1][1])
            for index in self._seen.unseen_digests(found, names):
                marks[rows[index]] = STAYS
            end = start
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


def missing_rows() -> InputError:
    """Return the error for a file that has fewer rows when it is read again."""
    return InputError("has lost rows while it was read; run it again")


@contextmanager
def noted_keys(seen: SeenRows, folder: str | None) -> Iterator[NotedKeys]:
    """Yield the notes of keys, in a temporary file.

    Raises:
        OutputError: the file cannot be made; using the notes raises it if the file cannot be written.
    """
    with _writing_temporarily():
        file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
    try:
        yield NotedKeys(seen, file)
    finally:
        with suppress(OSError):  # its content is not needed any more
            file.close()


@contextmanager
def _writing_temporarily() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _failure(error) from error


def _failure(error: OSError) -> OutputError:
    return OutputError(f"a temporary file: {error.strerror or error}; --temp names another folder")


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
        with ExitStack() as stack, noted_keys(self._work.seen, settings.folder) as notes:
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
            self._work.state.keep()

    def _write(self, path: str, count: int, copies: dict[str, IO[bytes]], notes: NotedKeys) -> None:
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

    def _copied(self, stack: ExitStack) -> IO[bytes]:
        """Return a copy of standard input, which can be read twice."""
        with _writing_temporarily():
            copy = tempfile.TemporaryFile(dir=self._work.settings.folder)  # noqa: SIM115
            stack.callback(_close, copy)
            for block in self._work.blocks(STANDARD_INPUT) or read_blocks(STANDARD_INPUT):
                copy.write(block)
        return copy


def _close(copy: IO[bytes]) -> None:
    with suppress(OSError):
        copy.close()


def _blocks(path: str, copies: dict[str, IO[bytes]]) -> Iterable[bytes] | None:
    if path not in copies:
        return None
    copy = copies[path]
    copy.seek(0)
    return iter(lambda: copy.read(BLOCK_SIZE), b"")
