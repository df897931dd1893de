"""What one process does with a part of a file: sieve it, and format what is found, a portion at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from urisieve.cli.arguments import ExtractSettings, Form, Format
from urisieve.cli.collector import seldom_collected
from urisieve.cli.portion import (
    NO_CODES,
    Portion,
    Remembered,
    counted_reasons,
    counted_warnings,
    ended,
    joined,
)
from urisieve.cli.sinks import RecordFormat, record_format, rejection_lines
from urisieve.codes import Warn
from urisieve.errors import InputError, UnexpectedInputError
from urisieve.find.finder import Finder
from urisieve.find.scanner import Scanner, UriScanner
from urisieve.find.search import Search
from urisieve.judge.faults import Fault
from urisieve.judge.judge import Judged
from urisieve.options import NestedFinding, Positions
from urisieve.records.masking import password_token
from urisieve.records.record import Record, make_record
from urisieve.records.rejection import Rejection
from urisieve.runs.file_parts import (
    Part,
    decoder_for,
    is_named,
    part_blocks,
    seekable,
    sieve_part,
    source_name,
    text_tally,
)
from urisieve.runs.workers import Work
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.offsets import OffsetMap
from urisieve.sources.bytes.reading import source_size
from urisieve.sources.unexpected import guarded

if TYPE_CHECKING:
    from urisieve.dedupe.keyset import Seen
    from urisieve.runs.document_sieve import DocumentSieve
    from urisieve.sources.tally import Tally

__all__ = [
    "Sieving",
    "SievingSettings",
    "TextSieve",
    "counted_codes",
    "placeless",
    "sieving_work",
    "unexpected_portion",
]

T = TypeVar("T")

# Keys that a process which shares the work remembers, so that it hands over few twice.
_REMEMBERED: Final = 262_144


class SievingSettings(NamedTuple):
    """What a process has to know: what was asked for, the secret for passwords, and whether it shares the work."""

    extract: ExtractSettings
    secret: bytes
    shared: bool = False


class Sieving:
    """Sieves parts of files by one set of settings; what it remembers are the keys seen, for `--unique`."""

    def __init__(self, settings: SievingSettings) -> None:
        asked = settings.extract
        self._asked = asked
        self._token = None if asked.show_passwords else password_token(settings.secret)
        self._shared = settings.shared
        self.seen: Seen | None = Remembered(_REMEMBERED if settings.shared else None) if asked.unique else None
        self._documents: tuple[DocumentSieve, Tally] | None = None
        self._format: RecordFormat | None = None
        if not self._is_plain():
            self._format = record_format(asked.format, asked.form, self._masked)
        self._options = asked.options if self.places else replace(asked.options, positions=Positions.OFFSETS)
        self._finder = Finder(self._options)

    def _is_plain(self) -> bool:
        """Whether nothing is written but canonical forms, one a line, so that no record has to be made."""
        asked = self._asked
        return (
            asked.format is Format.TEXT
            and asked.form is Form.URI
            and asked.rejected is None
            and asked.options.nested == NestedFinding.SKIP
        )

    @property
    def header(self) -> bytes:
        """What comes before the first record."""
        return b"" if self._format is None else self._format.header

    @property
    def writes_little(self) -> bool:
        """Whether what is written is hardly longer than what is found."""
        return self._asked.format is Format.TEXT

    @property
    def places(self) -> bool:
        """Whether places in the file are written, so that a part has to know what comes before it."""
        return self._format is not None and (self._format.places or self._asked.rejected is not None)

    @property
    def offsets(self) -> bool:
        """Whether what is found is given with its offsets in characters, so that those before a part are counted."""
        return self.places

    def portions(self, part: Part) -> Iterator[Portion]:
        """What is in a part, as it is read; the last portion has `part` or `failure`.

        A file in which reading fails midway gives what was decided until then; so does one over which something
        raises an exception that nobody expected.
        """
        try:
            yield from guarded(self._portions(part), "file")
        except UnexpectedInputError as error:
            yield unexpected_portion(part, error, traces=self._asked.traceback)

    def _portions(self, part: Part) -> Iterator[Portion]:
        asked = self._asked
        try:
            kind, blocks = part_blocks(part, asked.reading)
            if kind is not None:
                yield from self._contents(part, blocks, self._format)
                return
            decoder = decoder_for(part, asked.encoding, self._options, places=self.places)
            scanner, portion = self._search(part, decoder)
            for size, found in sieve_part(part, blocks, scanner, decoder):
                yield portion(found, size)
        except InputError as error:
            yield Portion(part=part, failure=str(error))
        else:
            yield Portion(part=part, tally=text_tally(part, decoder, asked.reading))

    def text(self, path: str) -> TextSieve[Any]:
        """What takes the bytes of one plain text, that of a path, as they come."""
        part = Part(path)
        decoder = decoder_for(part, self._asked.encoding, self._options, places=self.places)
        scanner, portion = self._search(part, decoder)
        return TextSieve(decoder, scanner.feed, scanner.close, portion)

    def _search(self, part: Part, decoder: ByteDecoder) -> tuple[Search[Any], Callable[[list[Any], int], Portion]]:
        """What searches a plain text, and what makes a portion of what it finds in so many bytes."""
        write = self._format
        if write is None:
            return UriScanner(self._options, finder=self._finder), self._plain
        scanner = Scanner(self._options, source=source_name(part.path), finder=self._finder)
        return scanner, lambda found, size: self._formatted(write, found, size, decoder.offsets)

    def _contents(self, part: Part, blocks: Iterable[bytes], write: RecordFormat | None) -> Iterator[Portion]:
        """What is in a file that is more than plain text; what stops a content is counted, the rest is done."""
        if self._documents is None:
            self._documents = _documents(self._asked._replace(options=self._options))
        documents, tally = self._documents
        counted = _Counted(blocks)
        name, path, named = source_name(part.path), seekable(part.path), is_named(part.path)
        if write is None:
            for forms in documents.forms(name, counted, path, named=named):
                yield self._plain(forms, counted.taken())
        else:
            for found, offsets in documents.records(name, counted, path, named=named):
                yield self._formatted(write, found, counted.taken(), offsets)
        counts = tally.taken()
        rest = counted.taken()
        if path is not None:  # some of a zip file is passed over
            rest = max(rest, (source_size(path) or 0) - counted.total + rest)
        yield Portion(size=rest, part=part, tally=counts)

    def _plain(self, forms: list[str | Judged | Fault], size: int) -> Portion:
        keys: list[str] = forms  # type: ignore[assignment] # but for a few
        lines = keys
        reasons, warnings = NO_CODES, NO_CODES
        others = [place for place, form in enumerate(forms) if form.__class__ is not str]
        if others:
            reasons, warnings = counted_codes(forms[place] for place in others)
            lines = keys.copy()
            for place in reversed(others):
                judged = forms[place]
                if isinstance(judged, Judged):
                    keys[place] = judged.key
                    lines[place] = self._shown(judged)[0]
                else:
                    del keys[place], lines[place]
        found = len(keys)
        if self.seen is not None:
            if lines is keys or lines == keys:
                keys = lines = self.seen.unseen(keys)
            else:
                places = self.seen.unseen_places(keys)
                keys = [keys[place] for place in places]
                lines = [lines[place] for place in places]
            if self._shared:
                rows = None if keys is lines else [ended((line,)) for line in lines]
                return Portion(keys=keys, rows=rows, found=found, size=size, reasons=reasons, warnings=warnings)
        return Portion(ended(lines), found=found, size=size, reasons=reasons, warnings=warnings)

    def _formatted(
        self, write: RecordFormat, found: list[Record | Rejection], size: int, offsets: OffsetMap | None
    ) -> Portion:
        records = [value for value in found if value.__class__ is Record]
        reasons = counted_reasons(found) if len(records) < len(found) else NO_CODES
        warnings = counted_warnings(records)
        rejects = b""
        if reasons and self._asked.rejected is not None:
            rejections = [value for value in found if isinstance(value, Rejection)]
            if self._token is not None:
                rejections = [rejection.masked() for rejection in rejections]
            rejects = rejection_lines(rejections, offsets)
        count = len(records)
        if self.seen is not None:
            records = [records[place] for place in self.seen.unseen_places([record.key for record in records])]
            if self._shared:
                keys = [record.key for record in records]
                rows = [write((record,), offsets) for record in records]
                return Portion(
                    *(b"", keys, rows, rejects, count, size),
                    reasons=reasons,
                    warnings=warnings,
                )
        output = write(records, offsets) if records else b""
        return Portion(output, rejects=rejects, found=count, size=size, reasons=reasons, warnings=warnings)

    def _shown(self, judged: Judged) -> tuple[str, str]:
        """The canonical form and the key of a judgement, as they may be written."""
        if Warn.PASSWORD_PRESENT not in judged.warnings:
            return judged.uri, judged.key
        record = self._masked(placeless(judged))
        return record.uri, record.key

    def _masked(self, record: Record) -> Record:
        return record if self._token is None else record.masked(self._token)


class TextSieve(Generic[T]):
    """Takes the bytes of one text as they come.

    Args:
        decoder: decodes them.
        feed: sieves the next text.
        close: gives what was undecided.
        portion: makes a portion of what was found in so many bytes.
    """

    def __init__(
        self,
        decoder: ByteDecoder,
        feed: Callable[[str], list[T]],
        close: Callable[[], list[T]],
        portion: Callable[[list[T], int], Portion],
    ) -> None:
        self._decoder = decoder
        self._feed = feed
        self._close = close
        self._portion = portion

    def feed(self, data: bytes) -> Portion:
        """What the next bytes decide."""
        return self._portion(self._feed(self._decoder.feed(data)), len(data))

    def close(self) -> Portion:
        """What was undecided, now that the text has ended."""
        return self._portion(self._feed(self._decoder.close()) + self._close(), 0)


class _Counted:
    """Blocks, and how many bytes of them were taken."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = blocks
        self._told = 0
        self.total = 0

    def __iter__(self) -> Iterator[bytes]:
        for block in self._blocks:
            self.total += len(block)
            yield block

    def taken(self) -> int:
        """The bytes since the last time."""
        size = self.total - self._told
        self._told = self.total
        return size


def _documents(asked: ExtractSettings) -> tuple[DocumentSieve, Tally]:
    from urisieve.runs.document_sieve import DocumentSieve, count_failure
    from urisieve.sources.tally import Tally

    tally = Tally()

    def failed(source: str, error: InputError) -> None:
        count_failure(tally, source, error, traces=asked.traceback)

    return DocumentSieve(asked.options, asked.reading, tally=tally, failed=failed, encoding=asked.encoding), tally


def counted_codes(forms: Iterable[str | Judged | Fault]) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """How many candidates were rejected, by reason, and how many warnings came, by code."""
    reasons: dict[str, int] = {}
    warnings: dict[str, int] = {}
    for form in forms:
        if isinstance(form, Fault):
            reasons[form.reason] = reasons.get(form.reason, 0) + 1
        elif isinstance(form, Judged):
            for code in form.warnings:
                warnings[code] = warnings.get(code, 0) + 1
    return reasons, warnings


def unexpected_portion(part: Part, error: UnexpectedInputError, *, traces: bool) -> Portion:
    """The last portion of a part over which a reader raised an exception that nobody expected."""
    from urisieve.runs.document_sieve import count_failure
    from urisieve.sources.tally import Tally

    tally = Tally()
    count_failure(tally, source_name(part.path), error, traces=traces)
    return Portion(part=part, tally=tally)


def placeless(judged: Judged, raw: str | None = None) -> Record:
    """The record of a judgement, without its place; its canonical form stands for the raw one if that is not given."""
    uri, key, parts, warnings = judged
    raw = uri if raw is None else raw
    return make_record((raw, uri, key, 0, 0, 0, 0, None, None, warnings, (), None, None, None), parts)


def sieving_work(settings: SievingSettings) -> Work[Part, Portion]:
    """The work of a process that shares it: parts to portions, small ones put together."""
    sieving = Sieving(settings)

    def work(part: Part) -> Iterator[Portion]:
        with seldom_collected():
            yield from joined(sieving.portions(part))

    return work
