"""Calls on files, and on many texts at once: records, batches, counts, or the output of a sink."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Sequence

from urisieve import shapes
from urisieve.find.searches import add_codes, make_search
from urisieve.finding_options import Options, checked
from urisieve.lean import TYPE_CHECKING, Final, TypeAlias, dataclass, late
from urisieve.records.batch import Batch, BatchBuffer, OnError
from urisieve.records.field_table import checked_columns
from urisieve.records.layouts import COLUMNS
from urisieve.records.record import Record
from urisieve.records.rejection import Rejection
from urisieve.runs.events import OnEvent, Reporting, ignore_events, one_by_one
from urisieve.runs.file_parts import Part, jobs_for
from urisieve.runs.part_sieve import PartSettings, PartSieve, failure_of
from urisieve.runs.run import Run, found_files
from urisieve.runs.run_steps import Failure, ResolvedBatches
from urisieve.sources.bytes.encodings import find_encoding
from urisieve.sources.bytes.reading import BlocksPath
from urisieve.sources.reading_options import InputKind, ReadingOptions, checked_reading
from urisieve.sources.tally import Tally
from urisieve.streams import failure_of_text, pieces_of

if TYPE_CHECKING:
    from urisieve.records.filtering import Filter
    from urisieve.records.sink import Sink
else:
    Filter = late("urisieve.records.filtering", "Filter")
    Sink = late("urisieve.records.sink", "Sink")


@dataclass(frozen=True, slots=True)
class Blocks:
    """A file whose bytes come from an iterable: a source for `extract_batches` and `count_keys`.

    >>> import gzip
    >>> from urisieve import extract_batches
    >>> from urisieve.types import Blocks
    >>> blocks = Blocks("bucket/a.gz", [gzip.compress(b"see http://EXAMPLE.com")])
    >>> [(batch.column("source"), batch.column("uri")) for batch in extract_batches([blocks])]
    [(['bucket/a.gz'], ['http://example.com/'])]

    Args:
        name: the name of the file, `source` of its records; no file of that name is opened. Its ending decides the
            kind where the content leaves a doubt, as that of a path does.
        blocks: the bytes: an iterable of blocks of any size, or all of them at once. They are read as far as batches
            are asked for; an iterator that has a method `close` is closed if it is not read to its end.

    Raises:
        UsageError: the name is not a string, or the blocks are a text or no iterable.
    """

    name: str
    blocks: Iterable[bytes] | bytes

    def __post_init__(self) -> None:
        shapes.check(name=self.name, blocks=self.blocks)

    def __repr__(self) -> str:
        return f"Blocks({self.name!r}, <{type(self.blocks).__name__}>)"


# A text, a name and a text, the path of a file, or a file whose bytes come from an iterable.
TextSource: TypeAlias = str | tuple[str, str | Iterator[str]] | os.PathLike[str] | Blocks

_ALL: Final = frozenset(COLUMNS)


def _named(number: int, source: object) -> tuple[str | None, str | Iterator[str]]:
    """The name and the text of a source that is not a file."""
    if isinstance(source, str):
        return None, source
    if isinstance(source, tuple) and len(source) == 2 and isinstance(source[0], str):
        return source
    wanted = "a text, a pair of a name and a text, a path object, or Blocks; on_error= takes what is none"
    raise shapes.wrong(f"sources[{number}]", source, wanted)


def _file_batches(
    paths: Iterable[str],
    columns: frozenset[str],
    options: Options | None,
    reading: ReadingOptions | None,
    encoding: str | None,
    jobs: int | None,
    on_error: OnError | None,
    tally: Tally | None,
) -> Generator[Batch, None, None]:
    reporting = Reporting(on_error, tally)
    chosen = checked_reading(reading)
    find_encoding(encoding)
    names = found_files(paths, chosen, reporting.counts)
    settings = PartSettings(checked(options), chosen, encoding, columns, raises=True)
    return reporting.batches(Run(names, settings, jobs=jobs).steps(columns))


def sieve_files(
    paths: Sequence[str | os.PathLike[str]] | os.PathLike[str],
    *,
    options: Options | None = None,
    reading: ReadingOptions | None = None,
    encoding: str | None = None,
    jobs: int | None = 1,
    on_error: OnError | None = None,
    tally: Tally | None = None,
) -> Iterator[Record | Rejection]:
    """Find every identifier in files, and every candidate that is not valid, in the order of the files and their text.

    Compressed files, archives, mail and HTML are detected by their content and read as what they are; folders are
    walked.

    >>> from urisieve import Tally, sieve_files
    >>> tally = Tally()
    >>> found = list(sieve_files(["samples"], tally=tally))
    >>> sum(map(bool, found)) > 100, tally.rejected["bad-percent-encoding"] > 0
    (True, True)

    Args:
        paths: files and folders, or one of them; `source` of each result is the path, then `!` and the name of an
            archive's member. `byte_start` and `byte_end` are set if the (decompressed) file contains the text as
            it is.
        options: what to find and how far to normalize.
        reading: how files are read.
        encoding: the name of an encoding; by default it is detected by a byte order mark, else UTF-8.
        jobs: the number of processes that share the work; None for all cores if the files are large. The result is the
            same. It pays if links are sparse: a record takes about as long to hand over as to make. The processes are
            spawned, so that the code of a script must be under `if __name__ == "__main__":`.
        on_error: called with the path and the error if a file, or something in it, cannot be read to its end; the rest
            is read. Without it the error is raised.
        tally: filled with the counts of what was read, skipped, rejected and broken, and with messages.

    Yields:
        a `Record` or a `Rejection`; a rejection is false in a condition.

    Raises:
        InputError: a file cannot be read, and there is no `on_error`.
        ProcessError: a process cannot be started, or has ended.
        UsageError: an argument is not valid.
    """
    batches = _file_batches(shapes.paths("paths", paths), _ALL, options, reading, encoding, jobs, on_error, tally)
    return one_by_one(map(Batch.found, batches), batches)


def extract_files(
    paths: Sequence[str | os.PathLike[str]] | os.PathLike[str],
    *,
    options: Options | None = None,
    reading: ReadingOptions | None = None,
    encoding: str | None = None,
    jobs: int | None = 1,
    on_error: OnError | None = None,
    tally: Tally | None = None,
) -> Iterator[Record]:
    """Find every identifier in files, in the order of the files and of their text.

    Compressed files, archives, mail and HTML are detected by their content and read as what they are; folders are
    walked.

    >>> from urisieve import extract_files
    >>> for record in extract_files(["samples/mail.mbox"]):
    ...     print(record.source, record.message, record.byte_start, record.uri)
    ...     break
    samples/mail.mbox 1 195 https://lists.example/archive/

    Args:
        paths: files and folders, or one of them; `source` of each record is the path, then `!` and the name of an
            archive's member.
        options: what to find and how far to normalize.
        reading: how files are read.
        encoding: the name of an encoding; by default it is detected by a byte order mark, else UTF-8.
        jobs: the number of processes that share the work; None for all cores if the files are large. The result is the
            same, but the code of a script must be under `if __name__ == "__main__":`; see `sieve_files`.
        on_error: called with the path and the error if a file, or something in it, cannot be read to its end; the rest
            is read. Without it the error is raised.
        tally: filled with the counts of what was read, skipped, rejected and broken, and with messages.

    Yields:
        a `Record`; candidates that are not valid are left out, and counted in `tally`.

    Raises:
        InputError: a file cannot be read, and there is no `on_error`.
        ProcessError: a process cannot be started, or has ended.
        UsageError: an argument is not valid.
    """
    batches = _file_batches(shapes.paths("paths", paths), _ALL, options, reading, encoding, jobs, on_error, tally)
    return one_by_one(batches, batches)


def extract_batches(
    sources: Iterable[TextSource],
    *,
    columns: Iterable[str] | None = None,
    options: Options | None = None,
    reading: ReadingOptions | None = None,
    encoding: str | None = None,
    jobs: int | None = 1,
    on_error: OnError | None = None,
    tally: Tally | None = None,
) -> Iterator[Batch]:
    """Find the identifiers of many texts as batches: a record is made only when it is asked for.

    Nothing joins across two texts, and offsets are those of each. A text yields one batch, even if nothing is found in
    it, or if it cannot be searched and `on_error` takes the error; a file yields any number of them. The texts share
    one search. For the rows of Arrow batches there is `urisieve.arrow.Extractor`.

    >>> from pathlib import Path
    >>> from urisieve import Batch, extract_batches
    >>> from urisieve.types import TextSource
    >>> pages: list[TextSource] = [("page 1", "see http://a.example/"), ("page 2", "http://b.example/x")]
    >>> pages += [Path("samples/appendix-c.txt")]
    >>> batches = list(extract_batches(pages, columns=["uri", "source"]))
    >>> [(batch.column("source")[0], batch.column("uri")[0]) for batch in batches[:2]]
    [('page 1', 'http://a.example/'), ('page 2', 'http://b.example/x')]
    >>> len(Batch.joined(batches[:2]))
    2

    Args:
        sources: texts; pairs of a name and a text (a string, or an iterator of pieces); paths of files and folders,
            which are objects such as `pathlib.Path`: a string is a text; and `Blocks`, files whose bytes come from
            anywhere.
        columns: the names of the columns to make, fields of records; None for all. `uri` is always made.
        options: what to find and how far to normalize.
        reading: how files are read.
        encoding: the name of the encoding of files; by default it is detected by a byte order mark, else UTF-8.
        jobs: the number of processes that share the work on each file; see `sieve_files`. `Blocks` are read by this
            process.
        on_error: called with the path or name and the error if a file cannot be read, or a source is not one of these;
            a source without a name is called `source`, with its index from 0. Without it the error is raised. An
            exception that `sources` itself raises, such as a generator, is raised in any case.
        tally: filled with the counts of what was read, skipped, rejected and broken, and with messages.

    Yields:
        batches, in the order of the sources; see `Batch`.

    Raises:
        InputError: a file cannot be read, and there is no `on_error`.
        ProcessError: a process cannot be started, or has ended.
        UsageError: an argument is not valid, or a source is not one of these.
    """
    shapes.sources("sources", sources)
    wanted = checked_columns(columns)
    chosen = checked(options)
    checked_reading(reading)
    find_encoding(encoding)
    jobs_for((), jobs)
    buffer = BatchBuffer()
    search = make_search(chosen, buffer, columns=wanted)
    reporting = Reporting(on_error, tally)
    blocks: _BlockSieve | None = None  # its memory serves all files whose bytes come from iterables

    def searched(number: int, source: object) -> Batch:
        """Return what one text contains."""
        name, text = _named(number, source)
        search.restart(name)
        if isinstance(text, str):
            search.finish(text)
        else:
            for piece in pieces_of(text, f"the text of sources[{number}]"):
                search.feed(piece)
            search.close()
        return buffer.taken()

    def batches() -> Iterator[Batch]:
        nonlocal blocks, search
        for number, source in enumerate(sources):
            if isinstance(source, os.PathLike):
                yield from _file_batches([os.fspath(source)], wanted, chosen, reading, encoding, jobs, on_error, tally)
                continue
            try:
                if isinstance(source, Blocks):
                    path = BlocksPath(source.name, source.blocks)
                else:
                    path = None
                    batch = searched(number, source)
            except Exception as error:
                if on_error is None:
                    raise
                batch, path = buffer.taken(), None
                search = make_search(chosen, buffer, columns=wanted)  # nothing of the text goes to the next one
                reporting.text_failed(_name(source, number), failure_of_text(error))
            if path is not None:
                if blocks is None:
                    blocks = _BlockSieve(chosen, reading, encoding, wanted, reporting)
                yield from blocks.batches(path)
                continue
            add_codes(batch, tally)
            yield batch

    return batches()


def _name(source: object, number: int) -> str:
    """Return how a source that cannot be searched is called."""
    name = source.name if isinstance(source, Blocks) else source[0] if isinstance(source, tuple) and source else None
    return name if isinstance(name, str) else f"source {number}"


def sieve_into(
    paths: Sequence[str | os.PathLike[str]] | os.PathLike[str],
    sink: Sink,
    *,
    options: Options | None = None,
    reading: ReadingOptions | None = None,
    encoding: str | None = None,
    jobs: int | None = 1,
    on_event: OnEvent = ignore_events,
    wanted: Filter | None = None,
) -> Tally:
    """Find every identifier in files and pass it to a sink: the engine of the command, for programs.

    The sink takes batches in the order of the files and of their text, whatever the number of workers, and is closed
    at the end. The sinks of this package let the workers do a share of their work.

    >>> from urisieve import sieve_into
    >>> from urisieve.sinks import CountSink
    >>> sink = CountSink()
    >>> tally = sieve_into(["samples/access.log"], sink)
    >>> most = max(sink.rows(), key=lambda row: row.count)
    >>> most.uri, most.count, dict(tally.kinds)
    ('https://www.example.org/m/filter/b113', 3, {'text': 1})

    Args:
        paths: files and folders, or one of them.
        sink: takes the batches.
        options: what to find and how far to normalize.
        reading: how files are read.
        encoding: the name of an encoding; by default it is detected by a byte order mark, else UTF-8.
        jobs: the number of workers that share the work: threads where the kernel does nearly all of it, else processes;
            None for all cores if the files are large; see `sieve_files`.
        on_event: called with each event: `BytesRead`, `Message`, `FileFailed`. A file that cannot be read does not
            raise an exception.
        wanted: which identifiers the sink gets; the others are counted in `Tally.left_out` and nowhere else.

    Returns:
        the counts of what was read, skipped, rejected and broken.

    Raises:
        ProcessError: a worker cannot be started, or has ended.
        UsageError: an argument is not valid.
    """
    chosen = checked_reading(reading)
    find_encoding(encoding)
    walked = Tally()
    shapes.methods("sink", sink, ("take", "close"), "a sink, such as CountSink()")
    if wanted is not None:
        shapes.methods("wanted", wanted, ("indices",), "a Filter, as in wanted=Filter(schemes={'http'})")
    names = found_files(shapes.paths("paths", paths), chosen, walked)
    filters = () if wanted is None else (wanted,)
    settings = PartSettings(checked(options), chosen, encoding, frozenset(), filters=filters)
    run = Run(names, settings, jobs=jobs, on_event=on_event)
    run.note(walked)
    for _ in run.into(sink):
        pass
    sink.close()
    return run.tally


class _BlockSieve:
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
    sieve = _BlockSieve(options, reading, encoding, frozenset(COLUMNS), Reporting(on_error, tally))
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
    return one_by_one(map(Batch.found, batches), batches)


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


def extract_html(
    html: str | bytes | bytearray | memoryview,
    *,
    base: str | None = None,
    name: str = "",
    options: Options | None = None,
) -> Iterator[Record]:
    """Find every identifier of a page of HTML in memory: in its text, its links, and its other attributes.

    It is read as `extract_files` reads a file of HTML. For a page in pieces, or other settings, there is
    `extract_blocks` with `ReadingOptions(input="html", base=...)`.

    >>> from urisieve import extract_html
    >>> page = '<p>See http://b.example/ or <a href="c?d=1&amp;e=2">this</a>'
    >>> for record in extract_html(page, base="https://a.example/x#top"):
    ...     print(record.field, record.uri)
    None http://b.example/
    a@href https://a.example/c?d=1&e=2

    Args:
        html: the page; of bytes the encoding is detected.
        base: the URI of the page, against which its references are resolved; a fragment does not count.
        name: `source` of each record.
        options: what to find and how far to normalize.

    Yields:
        a `Record`. Offsets are in the text of the page, or in the attribute that `field` names; those in bytes are None
        if the page is a string.

    Raises:
        UsageError: an argument is not valid.
    """
    encoding, columns = None, _ALL
    if isinstance(html, str):
        data, encoding, columns = html.encode("utf-8", "surrogatepass"), "utf-8", _ALL - {"byte_start", "byte_end"}
    elif isinstance(html, (bytes, bytearray, memoryview)):
        data = bytes(html)
    else:
        raise shapes.wrong("html", html, "a page, as a string or bytes: pieces of one are for extract_blocks()")
    reading = ReadingOptions(input=InputKind.HTML, base=base)
    sieve = _BlockSieve(options, reading, encoding, columns, Reporting(None, None))
    batches = sieve.batches(BlocksPath(name, data))
    return one_by_one(batches, batches)
