"""Documents through the search: what is found in each, with its place in what the document was taken from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from urisieve.codes import Warn
from urisieve.errors import BrokenInputError, InputError, UnexpectedInputError
from urisieve.find.delimited import Delimited
from urisieve.find.finder import Finder
from urisieve.find.pivots import pivots
from urisieve.find.scanner import Scanner, UriScanner, key_of
from urisieve.find.search import PIECE, Search
from urisieve.judge.faults import Fault
from urisieve.judge.judge import Judged
from urisieve.options import Charset, EmailFinding, Options, Refang, SchemelessFinding
from urisieve.records.location import NOWHERE
from urisieve.records.record import Record
from urisieve.records.rejection import Rejection, make_rejection
from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.sources.documents import Document, Repeats, Tally
from urisieve.sources.readers import Failure, Reader
from urisieve.sources.reading_options import ReadingOptions
from urisieve.sources.unexpected import PASSED, unexpected

__all__ = ["DocumentSieve", "count_failure"]

T = TypeVar("T")


def count_failure(tally: Tally, source: str, error: InputError, *, traces: bool = False) -> None:
    """Count what stopped a content; `traces` asks for the traceback of what nobody expected."""
    kind, reason = ("file", "unreadable")
    if isinstance(error, BrokenInputError):
        kind, reason = error.kind, error.reason
    details = error.trace if traces and isinstance(error, UnexpectedInputError) else ()
    tally.fault(kind, reason, f"{source}: {error}", *details)


class DocumentSieve:
    """Sieves files that are more than plain text, document by document.

    Args:
        options: what to find and how far to normalize; each document says for itself whether it was Unicode.
        reading: how files are read.
        tally: counts what is read, skipped and broken.
        failed: told of what stopped a content; see `Reader`.
        encoding: the name of the encoding of text.
    """

    def __init__(
        self,
        options: Options,
        reading: ReadingOptions,
        *,
        tally: Tally,
        failed: Failure,
        encoding: str | None = None,
    ) -> None:
        self._failed = failed
        self._options = {
            legacy: replace(options, charset=Charset.LEGACY if legacy else Charset.UNICODE) for legacy in (False, True)
        }
        self._finders: dict[bool, Finder] = {}
        self._repeats = Repeats()
        whole = (
            options.schemeless != SchemelessFinding.OFF
            or options.email != EmailFinding.OFF
            or options.refang != Refang.OFF
        )
        self._reader = Reader(
            reading,
            tally=tally,
            failed=failed,
            encoding=encoding,
            keep=4 * (options.max_length + PIECE),
            maybe=pivots(options).step.search,
            every_field=whole,
        )

    def records(
        self, source: str, blocks: Iterable[bytes], path: str | None = None, *, named: bool = True
    ) -> Iterator[tuple[list[Record | Rejection], OffsetMap | None]]:
        """What is found in a file; the places in bytes are set, or follow from the map that comes with the records.

        Args:
            source: the name of the file.
            blocks: its bytes.
            path: where it can be opened to be sought.
            named: whether it was named itself, and not found in a folder.
        """
        for document in self._reader.documents(source, blocks, path=path, named=named):
            self._repeats.enter(document)
            place = None if document.place is NOWHERE else document.place
            scanner = Scanner(
                self._options[document.legacy], source=document.source, place=place, finder=self._finder(document)
            )
            for found in self._sieved(document, scanner):
                if not found:
                    continue
                offsets = document.offsets()
                if offsets.__class__ is OffsetMap and place is None and document.position is None:
                    yield found, offsets
                else:
                    yield [_placed(document, value, offsets) for value in self._new(found)], None

    def forms(
        self, source: str, blocks: Iterable[bytes], path: str | None = None, *, named: bool = True
    ) -> Iterator[list[str | Judged | Fault]]:
        """What is found in a file, as `UriScanner` gives it; arguments are those of `records`."""
        for document in self._reader.documents(source, blocks, path=path, named=named):
            self._repeats.enter(document)
            scanner = UriScanner(self._options[document.legacy], finder=self._finder(document))
            for found in self._sieved(document, scanner):
                if document.alternative is not None:
                    holds = self._repeats.holds
                    found = [form for form in found if isinstance(form, Fault) or not holds(key_of(form))]
                if document.warnings:
                    found = [_warned(form, document.warnings) for form in found]
                yield found

    def _finder(self, document: Document) -> Finder:
        finder = self._finders.get(document.legacy)
        if finder is None:
            finder = self._finders[document.legacy] = Finder(self._options[document.legacy])
        return finder

    def _sieved(self, document: Document, search: Search[T]) -> Iterator[list[T]]:
        text = document.text
        try:  # as `guarded` does, which costs a generator for each short text
            if isinstance(text, tuple) and len(text) == 1:
                (whole,) = text
                found = None if document.delimited is Delimited.TEXT else search.delimited(whole, document.delimited)
                if found is None and len(whole) <= PIECE:
                    found = search.finish(whole)
                if found is not None:
                    yield found
                    return
            yield from _searched(text, search)
        except InputError as error:  # what is undecided is cut
            self._failed(document.source, error)
        except PASSED:
            raise
        except Exception as error:
            self._failed(document.source, unexpected(error, "text"))

    def _new(self, found: list[Record | Rejection]) -> Iterator[Record | Rejection]:
        """What was not found in an earlier form of the same content."""
        for value in found:
            if isinstance(value, Rejection) or not self._repeats.holds(value.key):
                yield value


def _warned(form: str | Judged | Fault, warnings: tuple[Warn, ...]) -> str | Judged | Fault:
    """What was found, with the warnings of its document."""
    if isinstance(form, Fault):
        return form
    if isinstance(form, Judged):
        return form._replace(warnings=form.warnings + warnings)
    return Judged(form, form, None, warnings)


def _searched(text: Iterable[str], search: Search[T]) -> Iterator[list[T]]:
    """What is found in a text; of one that stands in memory as much at once as of one that is read."""
    if isinstance(text, tuple) and len(text) == 1:
        (whole,) = text
        text = (whole[start : start + PIECE] for start in range(0, len(whole), PIECE))
    for piece in text:
        yield search.feed(piece)
    yield search.close()


def _placed(document: Document, value: Record | Rejection, offsets: OffsetMap | None) -> Record | Rejection:
    """A record or rejection with all that its document says about it."""
    fields: list[Any] = list(value._fields)
    span = (None, None) if offsets is None else offsets.span(value.start, value.end)
    line_and_column = (value.line, value.column) if document.position is None else document.position(value.start)
    if isinstance(value, Rejection):
        fields[7:9] = line_and_column
        fields[10:12] = span
        return make_rejection(tuple(fields))
    if document.reference is not None:
        fields[0] = document.reference
    fields[5:7] = line_and_column
    if document.warnings:
        fields[9] = (*value.warnings, *document.warnings)
    fields[11:13] = span
    return value.with_fields(tuple(fields), getattr(value, "_parts", None))
