"""What one process does with a part of a file: sieve it, and format what is found, a portion at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from urisieve.cli.arguments import ExtractSettings, Form, Format
from urisieve.cli.collector import seldom_collected
from urisieve.cli.passwords import password_token
from urisieve.cli.sinks import RecordFormat, record_format, rejection_lines
from urisieve.errors import InputError
from urisieve.faults import Fault
from urisieve.finder import Finder
from urisieve.judge import Judged
from urisieve.options import NestedFinding, Positions
from urisieve.parts import Part, decoder_for, part_blocks, seekable, sieve_part, source_name
from urisieve.processes import Work
from urisieve.record import Record, Rejection, make_record
from urisieve.scanner import Scanner, UriScanner
from urisieve.sources import ByteDecoder, OffsetMap, source_size

if TYPE_CHECKING:
    from urisieve.documents import DocumentSieve
    from urisieve.sources.tally import Tally

__all__ = ["Portion", "Seen", "Sieving", "SievingSettings", "new_output", "sieving_work"]

T = TypeVar("T")

# Keys that a process which shares the work remembers, so that it hands over few twice.
_REMEMBERED: Final = 262_144
# Bytes of output that are handed over at once, and how many a key counts for.
_PORTION: Final = 524_288
_KEY_LENGTH: Final = 64


class Portion(NamedTuple):
    """What some of the input gives.

    Attributes:
        output: records as they are to be written; empty where `keys` are given.
        keys: with `--unique` by several processes the keys, of which the receiver takes those that it has not seen.
        rows: the record of each key as it is to be written; None where the key is all of it.
        rejects: rejections as they are to be written.
        found: how many identifiers were found.
        rejected: how many candidates were rejected.
        size: how many bytes were read.
        part: the part of a file, where all of it has been read.
        failure: why no more of the part could be read.
        tally: what was counted in a file that is more than plain text.
    """

    output: bytes = b""
    keys: Sequence[str] = ()
    rows: Sequence[bytes] | None = None
    rejects: bytes = b""
    found: int = 0
    rejected: int = 0
    size: int = 0
    part: Part | None = None
    failure: str | None = None
    tally: Tally | None = None


class SievingSettings(NamedTuple):
    """What a process has to know: what was asked for, the secret for passwords, and whether it shares the work."""

    extract: ExtractSettings
    secret: bytes
    shared: bool = False


class Seen:
    """The keys of which an identifier was given.

    Args:
        most: how many are remembered; then all are forgotten. None for no bound.
    """

    def __init__(self, most: int | None = None) -> None:
        self._keys: set[str] = set()
        self._most = most

    def __len__(self) -> int:
        return len(self._keys)

    def unseen(self, keys: Sequence[str]) -> list[str]:
        """The keys that come for the first time, each once."""
        seen = self._remembered()
        new = [key for key in dict.fromkeys(keys) if key not in seen]
        seen.update(new)
        return new

    def unseen_places(self, keys: Sequence[str]) -> list[int]:
        """The places of the keys that come for the first time."""
        seen = self._remembered()
        places = []
        for place, key in enumerate(keys):
            if key not in seen:
                seen.add(key)
                places.append(place)
        return places

    def _remembered(self) -> set[str]:
        if self._most is not None and len(self._keys) > self._most:
            self._keys.clear()
        return self._keys


class Sieving:
    """Sieves parts of files by one set of settings; what it remembers are the keys seen, for `--unique`."""

    def __init__(self, settings: SievingSettings) -> None:
        asked = settings.extract
        self._asked = asked
        self._token = None if asked.show_passwords else password_token(settings.secret)
        self._shared = settings.shared
        self.seen = Seen(_REMEMBERED if settings.shared else None) if asked.unique else None
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

    def portions(self, part: Part) -> Iterator[Portion]:
        """What is in a part, as it is read; the last portion has `part` or `failure`.

        A file in which reading fails midway gives what was decided until then.
        """
        asked = self._asked
        try:
            kind, blocks = part_blocks(part, asked.reading)
            if kind is not None:
                yield from self._contents(part, blocks)
                return
            decoder = decoder_for(part, asked.encoding, self._options, places=self.places)
            if self._format is None:
                plain = UriScanner(self._options, finder=self._finder)
                for size, forms in sieve_part(part, blocks, plain, decoder):
                    yield self._plain(forms, size)
            else:
                scanner = Scanner(self._options, source=source_name(part.path), finder=self._finder)
                for size, found in sieve_part(part, blocks, scanner, decoder):
                    yield self._formatted(self._format, found, size, decoder.offsets)
        except InputError as error:
            yield Portion(part=part, failure=str(error))
        else:
            yield Portion(part=part)

    def text(self, path: str) -> TextSieve[Any]:
        """What takes the bytes of one plain text, that of a path, as they come."""
        asked = self._asked
        part = Part(path)
        decoder = decoder_for(part, asked.encoding, self._options, places=self.places)
        if self._format is None:
            plain = UriScanner(self._options, finder=self._finder)
            return TextSieve(decoder, plain.feed, plain.close, self._plain)
        write = self._format
        scanner = Scanner(self._options, source=source_name(path), finder=self._finder)
        return TextSieve(
            decoder,
            scanner.feed,
            scanner.close,
            lambda found, size: self._formatted(write, found, size, decoder.offsets),
        )

    def _contents(self, part: Part, blocks: Iterable[bytes]) -> Iterator[Portion]:
        """What is in a file that is more than plain text; what stops a content is counted, the rest is done."""
        if self._documents is None:
            self._documents = _documents(self._asked._replace(options=self._options))
        documents, tally = self._documents
        counted = _Counted(blocks)
        name, path = source_name(part.path), seekable(part.path)
        if self._format is None:
            for forms in documents.forms(name, counted, path):
                yield self._plain(forms, counted.taken())
        else:
            for found, offsets in documents.records(name, counted, path):
                yield self._formatted(self._format, found, counted.taken(), offsets)
        counts = tally.taken()
        rest = counted.taken()
        if path is not None:  # some of a zip file is passed over
            rest = max(rest, (source_size(path) or 0) - counted.total + rest)
        yield Portion(size=rest, part=part, tally=counts)

    def _plain(self, forms: list[str | Judged | Fault], size: int) -> Portion:
        keys: list[str] = forms  # type: ignore[assignment] # but for a few
        lines = keys
        rejected = 0
        others = [place for place, form in enumerate(forms) if form.__class__ is not str]
        if others:
            lines = keys.copy()
            for place in reversed(others):
                judged = forms[place]
                if isinstance(judged, Judged):
                    keys[place] = judged.key
                    lines[place] = self._masked(_placeless(judged)).uri
                else:
                    rejected += 1
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
                rows = None if keys is lines else [_ended(line) for line in lines]
                return Portion(keys=keys, rows=rows, found=found, rejected=rejected, size=size)
        return Portion(_ended(*lines), found=found, rejected=rejected, size=size)

    def _formatted(
        self, write: RecordFormat, found: list[Record | Rejection], size: int, offsets: OffsetMap | None
    ) -> Portion:
        records = [value for value in found if value.__class__ is Record]
        rejected = len(found) - len(records)
        rejects = b""
        if rejected and self._asked.rejected is not None:
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
                return Portion(b"", keys, rows, rejects, count, rejected, size)
        output = write(records, offsets) if records else b""
        return Portion(output, rejects=rejects, found=count, rejected=rejected, size=size)

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


def new_output(portion: Portion, seen: Seen | None) -> bytes:
    """What of a portion is to be written: all, or the records whose keys were not seen in another portion."""
    if not portion.keys or seen is None:
        return portion.output
    if portion.rows is None:
        return _ended(*seen.unseen(portion.keys))
    rows = portion.rows
    return b"".join([rows[place] for place in seen.unseen_places(portion.keys)])


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
    from urisieve.documents import DocumentSieve, count_failure
    from urisieve.sources.tally import Tally

    tally = Tally()

    def failed(source: str, error: InputError) -> None:
        count_failure(tally, source, error)

    return DocumentSieve(asked.options, asked.reading, tally=tally, failed=failed, encoding=asked.encoding), tally


def _placeless(judged: Judged) -> Record:
    uri, key, parts, warnings = judged
    return make_record((uri, uri, key, 0, 0, 0, 0, None, None, warnings, (), None, None, None), parts)


def _ended(*lines: str) -> bytes:
    """Lines with their ends."""
    return "\n".join((*lines, "")).encode("utf-8", "backslashreplace") if lines else b""


def sieving_work(settings: SievingSettings) -> Work[Part, Portion]:
    """The work of a process that shares it: parts to portions, small ones put together."""
    sieving = Sieving(settings)

    def work(part: Part) -> Iterator[Portion]:
        with seldom_collected():
            yield from _joined(sieving.portions(part))

    return work


def _joined(portions: Iterable[Portion]) -> Iterator[Portion]:
    waiting: list[Portion] = []
    length = 0
    for portion in portions:
        waiting.append(portion)
        length += len(portion.output) + len(portion.rejects) + _KEY_LENGTH * len(portion.keys)
        length += sum(map(len, portion.rows or ()))
        if length >= _PORTION or portion.part is not None:
            yield _sum(waiting)
            waiting = []
            length = 0


def _sum(portions: list[Portion]) -> Portion:
    rows: list[bytes] | None = None
    keys = [key for portion in portions for key in portion.keys]
    if any(portion.rows is not None for portion in portions):
        rows = []
        for portion in portions:
            rows += [_ended(key) for key in portion.keys] if portion.rows is None else portion.rows
    return Portion(
        output=b"".join([portion.output for portion in portions]),
        keys=keys,
        rows=rows,
        rejects=b"".join([portion.rejects for portion in portions]),
        found=sum(portion.found for portion in portions),
        rejected=sum(portion.rejected for portion in portions),
        size=sum(portion.size for portion in portions),
        part=portions[-1].part,
        failure=portions[-1].failure,
        tally=portions[-1].tally,
    )
