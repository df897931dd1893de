"""`urisieve dedupe --field --keep last`: the last row with each key stays, so that files are read twice."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Final

from urisieve.cli.dedupe_data import RowRun
from urisieve.dedupe.digests import DIGEST_SIZE, digests
from urisieve.errors import InputError, OutputError
from urisieve.runs.file_parts import source_name
from urisieve.sources.bytes.reading import BLOCK_SIZE, STANDARD_INPUT, read_blocks
from urisieve.sources.tally import Tally

__all__ = ["LastRun", "Noted", "noted"]

# Digests that are looked up at once.
_BATCH: Final = 250_000
_STAYS: Final = 1
_UNMATCHED: Final = 2
# Stands for a row without a key; a key has this digest once in 2**128.
_NO_KEY: Final = bytes(DIGEST_SIZE)


class Noted:
    """The digests of the keys of all rows, in a file that is read backwards to see which row with a key is the last.

    Args:
        run: looks them up.
        file: a temporary file.
    """

    def __init__(self, run: RowRun, file: IO[bytes]) -> None:
        self._run = run
        self._file = file
        self._sources: list[tuple[int, str]] = []  # with the number of their first row
        self._number = 0
        self._stays = b""

    def begin(self, path: str) -> None:
        """Begin with the rows of a file."""
        self._sources.append((self._number, source_name(path)))

    def note(self, key: str | None) -> None:
        """Note the next row."""
        self._file.write(_NO_KEY if key is None else digests((key,))[0])
        self._number += 1

    def look_up(self) -> None:
        """See which rows stay, and begin again with the first one."""
        end = self._file.tell()
        stays = bytearray(end // DIGEST_SIZE)
        sources = list(self._sources)
        while end:
            start = max(0, end - _BATCH * DIGEST_SIZE)
            self._file.seek(start)
            data = self._file.read(end - start)
            places: list[int] = []
            found: list[bytes] = []
            for offset in range(len(data) - DIGEST_SIZE, -1, -DIGEST_SIZE):
                place = (start + offset) // DIGEST_SIZE
                one = data[offset : offset + DIGEST_SIZE]
                if one == _NO_KEY:
                    stays[place] = _UNMATCHED
                else:
                    places.append(place)
                    found.append(one)
            store = self._run.store
            if store is None:
                new = self._run.keys.unseen_places([one.hex() for one in found])
            else:
                names: list[str | None] = []
                for place in places:
                    while sources[-1][0] > place:
                        sources.pop()
                    names.append(sources[-1][1])
                new = store.add_digests(found, sources=names)
            for number in new:
                stays[places[number]] = _STAYS
            end = start
        self._stays = bytes(stays)
        self._number = 0

    def next(self, count: int = 1) -> bytes:
        """Which of the next rows stay: 1; which have no key: 2.

        Raises:
            InputError: there were not so many.
        """
        marks = self._stays[self._number : self._number + count]
        if len(marks) < count:
            raise InputError("has grown while it was read; run it again")
        self._number += count
        return marks


@contextmanager
def noted(run: RowRun) -> Iterator[Noted]:
    """Digests in a temporary file.

    Raises:
        OutputError: it cannot be made or written.
    """
    try:
        with tempfile.TemporaryFile(dir=run.settings.temp) as file:
            yield Noted(run, file)
    except OSError as error:
        raise OutputError(f"a temporary file: {error.strerror or error}; --temp names another folder") from error


class LastRun(RowRun):
    """One run over files of rows, of which the last ones with a key stay."""

    def read_all(self, paths: tuple[str, ...]) -> None:
        """See `RowRun.read_all`."""
        with noted(self) as notes:
            copies = {path: self._copied() for path in paths if path == STANDARD_INPUT}
            read: list[tuple[str, int]] = []
            for path in paths:
                notes.begin(path)
                count = 0
                try:
                    for row in self.rows_of(path, self._blocks(path, copies)):
                        notes.note(self.key_of(row))
                        count += 1
                except InputError as error:  # what came before it is read again, and no more
                    self.report(path, error)
                else:
                    self.files += 1
                read.append((path, count))
            notes.look_up()
            tally, self.tally = self.tally, Tally()  # what is skipped and broken was counted
            for path, count in read:
                self._write(path, count, copies, notes)
            self.tally = tally
        if self.files or self.rows:
            self.keep()

    def _write(self, path: str, count: int, copies: dict[str, IO[bytes]], notes: Noted) -> None:
        if not count:
            return
        try:
            for row in self.rows_of(path, self._blocks(path, copies)):
                mark = notes.next()[0]
                self.rows += 1
                if mark == _UNMATCHED:
                    self.unmatched += 1
                    if self.settings.unmatched == "keep":
                        self.put_rows([row])
                    else:
                        self.put_unmatched(row)
                else:
                    self.matched += 1
                    if mark == _STAYS:
                        self.kept += 1
                        self.put_rows([row])
                count -= 1
                if not count:
                    return
        except InputError as error:
            self.report(path, error)
        if count:
            notes.next(count)

    def _copied(self) -> IO[bytes]:
        """A copy of standard input, which can be read twice."""
        copy = tempfile.TemporaryFile(dir=self.settings.temp)  # noqa: SIM115
        self.stack.callback(copy.close)
        for block in read_blocks(STANDARD_INPUT):
            copy.write(block)
        return copy

    def _blocks(self, path: str, copies: dict[str, IO[bytes]]) -> Iterable[bytes] | None:
        if path not in copies:
            return None
        copy = copies[path]
        copy.seek(0)
        return iter(lambda: copy.read(BLOCK_SIZE), b"")
