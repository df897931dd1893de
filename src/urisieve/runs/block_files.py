"""Files whose bytes come from anywhere: an object store, a socket, a cell of a table."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator

from urisieve.lean import dataclass
from urisieve.options import Options, checked
from urisieve.records.batch import Batch
from urisieve.records.counting import OnError
from urisieve.records.layouts import COLUMNS
from urisieve.records.record import Record
from urisieve.records.rejection import Rejection
from urisieve.runs.events import Reporting, one_by_one
from urisieve.runs.file_parts import Part
from urisieve.runs.part_sieve import PartSettings, PartSieve, failure_of
from urisieve.runs.run_steps import Failure, ResolvedBatches
from urisieve.sources.bytes.encodings import find_encoding
from urisieve.sources.bytes.reading import BlocksPath
from urisieve.sources.reading_options import ReadingOptions, checked_reading
from urisieve.sources.tally import Tally


@dataclass(frozen=True, slots=True)
class Blocks:
    """A file whose bytes come from an iterable: a source for `extract_batches` and `count_keys`.

    >>> import gzip
    >>> from urisieve import Blocks, extract_batches
    >>> blocks = Blocks("bucket/a.gz", [gzip.compress(b"see http://EXAMPLE.com")])
    >>> [(batch.column("source"), batch.column("uri")) for batch in extract_batches([blocks])]
    [(['bucket/a.gz'], ['http://example.com/'])]

    Args:
        name: the name of the file, `source` of its records; no file of that name is opened. Its ending decides the
            kind where the content leaves a doubt, as that of a path does.
        blocks: the bytes: an iterable of blocks of any size, or all of them at once. They are read as far as batches
            are asked for; an iterator that has a method `close` is closed if it is not read to its end.
    """

    name: str
    blocks: Iterable[bytes] | bytes

    def __repr__(self) -> str:
        return f"Blocks({self.name!r}, <{type(self.blocks).__name__}>)"


class BlockSieve:
    """Sieves files whose bytes come from iterables, one after the other; they share one memory of hosts.

    Args:
        options: what to find and how far to normalize.
        reading: how files are read.
        encoding: the name of the encoding of text.
        columns: the columns to make.
        reporting: takes the failures and the counts.

    Raises:
        UsageError: an argument is not valid.
    """

    def __init__(
        self,
        options: Options | None,
        reading: ReadingOptions | None,
        encoding: str | None,
        columns: frozenset[str],
        reporting: Reporting,
    ) -> None:
        find_encoding(encoding)
        chosen = checked_reading(reading)
        self._sieve = PartSieve(
            PartSettings(checked(options), chosen, encoding, columns, raises=True), ResolvedBatches()
        )
        self._reporting = reporting

    def batches(self, path: BlocksPath) -> Generator[Batch, None, None]:
        """Yield the batches of one file, as its bytes come.

        Raises:
            InputError: the bytes cannot be read to their end, and the errors are not taken by a callback.
        """
        is_reported = False

        def fail(failure: Failure) -> None:
            nonlocal is_reported
            is_reported = path.error is not None
            self._reporting.failed(failure, path.cause)

        try:
            yield from self._reporting.batches(self._sieve.steps(Part(path)), fail)
            if path.error is not None and not is_reported:  # a reader of an archive has only counted it
                fail(failure_of(path, path.error))
        finally:
            path.close()


def _batches(
    name: str,
    blocks: Iterable[bytes] | bytes,
    options: Options | None,
    reading: ReadingOptions | None,
    encoding: str | None,
    on_error: OnError | None,
    tally: Tally | None,
) -> Generator[Batch, None, None]:
    sieve = BlockSieve(options, reading, encoding, frozenset(COLUMNS), Reporting(on_error, tally))
    return sieve.batches(BlocksPath(name, blocks))


def sieve_blocks(
    name: str,
    blocks: Iterable[bytes] | bytes,
    *,
    options: Options | None = None,
    reading: ReadingOptions | None = None,
    encoding: str | None = None,
    on_error: OnError | None = None,
    tally: Tally | None = None,
) -> Iterator[Record | Rejection]:
    """Find every identifier, and every candidate that is not valid, in a file whose bytes come from an iterable.

    It is read as `sieve_files` reads a file of that name and content; see `extract_blocks`.

    >>> from urisieve import sieve_blocks
    >>> [(found.raw, bool(found)) for found in sieve_blocks("a.txt", [b"http://a.exam", b"ple/ http://b:x/"])]
    [('http://a.example/', True), ('http://b:x/', False)]

    Args:
        name: the name of the file, `source` of each result.
        blocks: its bytes: an iterable of blocks of any size, or all of them at once.
        options: what to find and how far to normalize.
        reading: how files are read.
        encoding: the name of an encoding; by default it is detected by a byte order mark, else UTF-8.
        on_error: called with the name and the error; without it the error is raised.
        tally: filled with the counts of what was read, skipped, rejected and broken, and with messages.

    Yields:
        a `Record` or a `Rejection`; a rejection is false in a condition.

    Raises:
        InputError: the bytes cannot be read to their end, and there is no `on_error`.
        UsageError: an argument is not valid.
    """
    batches = _batches(name, blocks, options, reading, encoding, on_error, tally)
    return one_by_one(map(Batch.merged, batches), batches)


def extract_blocks(
    name: str,
    blocks: Iterable[bytes] | bytes,
    *,
    options: Options | None = None,
    reading: ReadingOptions | None = None,
    encoding: str | None = None,
    on_error: OnError | None = None,
    tally: Tally | None = None,
) -> Iterator[Record]:
    """Find every identifier in a file whose bytes come from an iterable: an object store, a socket, a cell of a table.

    It is read as `extract_files` reads a file of that name and content: compressed files, archives, mail and HTML are
    detected by their content. Memory is bounded; only a zip file, which has to be sought, is copied to a temporary
    file, as it is from standard input (see `Limits.spool`). For batches, or for many such files, there is
    `extract_batches` with `Blocks`.

    >>> import gzip
    >>> from urisieve import extract_blocks
    >>> data = gzip.compress(b"see http://EXAMPLE.com")
    >>> [(record.source, record.uri) for record in extract_blocks("bucket/a.gz", (data[:9], data[9:]))]
    [('bucket/a.gz', 'http://example.com/')]

    Args:
        name: the name of the file, `source` of each record; no file of that name is opened. Its ending decides the
            kind where the content leaves a doubt, as that of a path does.
        blocks: its bytes: an iterable of blocks of any size, or all of them at once. It is read as far as records are
            asked for; an iterator that has a method `close` is closed if it is not read to its end.
        options: what to find and how far to normalize.
        reading: how files are read.
        encoding: the name of an encoding; by default it is detected by a byte order mark, else UTF-8.
        on_error: called with the name and the error if the file, or something in it, cannot be read to its end; an
            exception that the iterable raises is the `__cause__` of the error. What came before it is found. Without
            `on_error` the error is raised.
        tally: filled with the counts of what was read, skipped, rejected and broken, and with messages.

    Yields:
        a `Record`; candidates that are not valid are left out, and counted in `tally`.

    Raises:
        InputError: the bytes cannot be read to their end, and there is no `on_error`.
        UsageError: an argument is not valid.
    """
    batches = _batches(name, blocks, options, reading, encoding, on_error, tally)
    return one_by_one(batches, batches)
