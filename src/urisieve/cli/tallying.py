"""What one process does with a part of a file where keys are counted: sieve it, and add up by key."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress, groupby
from operator import attrgetter
from typing import Any, Final

from urisieve.cli.collector import seldom_collected
from urisieve.cli.portion import NO_CODES, Portion, counted_reasons, counted_warnings, ended, joined
from urisieve.cli.sieving import Sieving, SievingSettings, counted_codes, placeless
from urisieve.cli.sinks import RecordFormat, record_format
from urisieve.codes import Warn
from urisieve.dedupe.counts import Tally
from urisieve.find.finder import Finder
from urisieve.find.scanner import OffsetScanner
from urisieve.find.search import Search
from urisieve.judge.faults import Fault
from urisieve.judge.judge import Judged
from urisieve.options import NestedFinding, Positions
from urisieve.records.location import Location
from urisieve.records.record import Record
from urisieve.records.rejection import Rejection
from urisieve.runs.file_parts import Part, source_name
from urisieve.runs.workers import Work
from urisieve.sources.bytes.decoding import ByteDecoder
from urisieve.sources.bytes.offsets import OffsetMap

__all__ = ["Counting", "Sums", "Tallying", "counting_work", "tallied", "tally_of", "tallying_work", "with_tally"]

# Keys of a stretch that is counted for itself: 25 MB.
_LONG: Final = 65_536


class Tallying(Sieving):
    """Gives each key of a portion once, with its first record as it is to be written, how often it came, and where.

    The `columns` of a portion are these counts and sources. Keys show no password.
    """

    def __init__(self, settings: SievingSettings) -> None:
        super().__init__(settings)
        self._source: str | None = None

    def portions(self, part: Part) -> Iterator[Portion]:
        """See `Sieving.portions`."""
        self._source = source_name(part.path)
        return super().portions(part)

    def _contents(self, part: Part, blocks: Iterable[bytes], write: RecordFormat | None) -> Iterator[Portion]:
        if write is None:  # the records of archives have a source each
            write = record_format(self._asked.format, self._asked.form, self._masked)
        return super()._contents(part, blocks, write)

    def _plain(self, forms: list[str | Judged | Fault], size: int) -> Portion:
        numbers: dict[str, int] = {}
        lines: dict[str, str] = {}  # where the line is not the key
        others: list[Judged | Fault] = []
        for form in forms:
            if isinstance(form, str):
                numbers[form] = numbers.get(form, 0) + 1
                continue
            others.append(form)
            if isinstance(form, Judged):
                uri, key = self._shown(form)
                numbers[key] = numbers.get(key, 0) + 1
                if uri != key:
                    lines.setdefault(key, uri)
        reasons, warnings = counted_codes(others)
        keys = list(numbers)
        rows = [ended((lines.get(key, key),)) for key in keys] if lines else None
        columns = (list(numbers.values()), [self._source] * len(keys))
        found = len(forms) - sum(reasons.values())
        return Portion(
            keys=keys, rows=rows, found=found, size=size, columns=columns, reasons=reasons, warnings=warnings
        )

    def _formatted(
        self, write: RecordFormat, found: list[Record | Rejection], size: int, offsets: OffsetMap | None
    ) -> Portion:
        numbers: dict[str, int] = {}
        firsts: dict[str, Record] = {}
        count = 0
        for value in found:
            if isinstance(value, Record):
                count += 1
                record = self._masked(value) if value.warnings else value
                key = record.key
                if key not in firsts:
                    firsts[key] = value
                numbers[key] = numbers.get(key, 0) + 1
        rows = [write((record,), offsets) for record in firsts.values()]
        columns = (list(numbers.values()), [record.source for record in firsts.values()])
        return Portion(
            keys=list(numbers),
            rows=rows,
            found=count,
            size=size,
            columns=columns,
            reasons=counted_reasons(found) if count < len(found) else NO_CODES,
            warnings=counted_warnings([value for value in found if isinstance(value, Record)]),
        )


class Counting(Sieving):
    """Gives each key of a long stretch once, with all that is counted: `keys` and `columns` make a `Tally`."""

    def __init__(self, settings: SievingSettings) -> None:
        super().__init__(settings)
        self._options = replace(self._options, positions=Positions.OFFSETS)
        self._finder = Finder(self._options)
        self._sums = Sums(None)

    @property
    def places(self) -> bool:
        """See `Sieving.places`."""
        return False

    @property
    def offsets(self) -> bool:
        """See `Sieving.offsets`."""
        return True

    @property
    def writes_little(self) -> bool:
        """See `Sieving.writes_little`."""
        return True

    def _is_plain(self) -> bool:
        return False

    def portions(self, part: Part) -> Iterator[Portion]:
        """See `Sieving.portions`."""
        self._sums = Sums(source_name(part.path))
        for portion in super().portions(part):
            if self._sums and (portion.part is not None or len(self._sums) >= _LONG):
                portion = with_tally(portion, self._sums.tally())
                self._sums = Sums(source_name(part.path))
            yield portion

    def _search(self, part: Part, decoder: ByteDecoder) -> tuple[Search[Any], Callable[[list[Any], int], Portion]]:
        if self._options.nested is not NestedFinding.SKIP:  # only a `Scanner` reports those
            return super()._search(part, decoder)
        scanner = OffsetScanner(self._options, finder=self._finder)
        return scanner, lambda found, size: self._summed(found, *scanner.taken(), size)

    def _summed(self, keys: list[Any], raws: list[str], starts: list[int], size: int) -> Portion:
        """What is found in a plain text, added up; `keys` are what `OffsetScanner` gives."""
        uris: dict[str, str] = {}
        faults: set[int] = set()
        others = [place for place, form in enumerate(keys) if form.__class__ is not str]
        reasons, warnings = counted_codes(keys[place] for place in others) if others else (NO_CODES, NO_CODES)
        for place in others:
            judged = keys[place]
            if isinstance(judged, Judged):
                uri, key = judged.uri, judged.key
                if Warn.PASSWORD_PRESENT in judged.warnings:
                    record = self._masked(placeless(judged, raws[place]))
                    raws[place], uri, key = record.raw, record.uri, record.key
                keys[place] = key
                if uri != key:
                    uris[key] = uri
            else:
                faults.add(place)
        if faults:
            kept = [place not in faults for place in range(len(keys))]
            keys, raws, starts = (list(compress(column, kept)) for column in (keys, raws, starts))
        self._sums.add(raws, keys, starts, uris)
        return Portion(found=len(keys), size=size, reasons=reasons, warnings=warnings)

    def _formatted(
        self, write: RecordFormat, found: list[Record | Rejection], size: int, offsets: OffsetMap | None
    ) -> Portion:
        records = [value for value in found if value.__class__ is Record]
        tally = tally_of([record if not record.warnings else self._masked(record) for record in records])
        reasons = counted_reasons(found) if len(records) < len(found) else NO_CODES
        portion = Portion(found=len(records), size=size, reasons=reasons, warnings=counted_warnings(records))
        return with_tally(portion, tally)


def with_tally(portion: Portion, tally: Tally) -> Portion:
    """A portion whose keys are those of a tally, with all that it counts."""
    return portion._replace(keys=tally.keys, columns=tuple(tally)[1:])


class Sums:
    """What is found in one source, added up by loops in compiled code, for they decide the speed of counting."""

    def __init__(self, source: str | None) -> None:
        self._source = source
        self._counts: Counter[str] = Counter()
        self._firsts: dict[str, int] = {}
        self._lasts: dict[str, int] = {}
        self._first_places: dict[str, Location | None] = {}
        self._last_places: dict[str, Location | None] = {}
        self._spellings: dict[str, dict[str, None]] = {}
        self._uris: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._counts)

    def add(
        self,
        raws: Sequence[str],
        keys: Sequence[str],
        starts: Sequence[int],
        uris: Mapping[str, str],
        places: Sequence[Location | None] | None = None,
    ) -> None:
        """Add columns in the order of the text; `uris` are canonical forms that are not their keys."""
        spelled = self._spellings
        for key in [key for raw, key in zip(raws, keys, strict=True) if raw != key]:
            if key not in spelled:
                spelled[key] = {key: None} if key in self._counts else {}
        if spelled:
            for raw, key in zip(raws, keys, strict=True):
                if key in spelled:
                    spelled[key][raw] = None
        self._counts.update(keys)
        deque(map(self._firsts.setdefault, keys, starts), maxlen=0)
        self._lasts.update(zip(keys, starts, strict=True))
        if places is not None:
            deque(map(self._first_places.setdefault, keys, places), maxlen=0)
            self._last_places.update(zip(keys, places, strict=True))
        self._uris.update(uris)

    def tally(self) -> Tally:
        """What it comes to."""
        counts, spelled, uris, none = self._counts, self._spellings, self._uris, [None] * len(self._counts)
        return Tally(
            keys=list(counts),
            counts=list(counts.values()),
            sources=[self._source] * len(counts),
            firsts=list(self._firsts.values()),
            lasts=list(self._lasts.values()),
            first_places=list(self._first_places.values()) or none,
            last_places=list(self._last_places.values()) or none,
            spellings=[tuple(spelled[key]) if key in spelled else None for key in counts] if spelled else none,
            uris=[uris.get(key) for key in counts] if uris else none,
        )


def tally_of(records: Iterable[Record]) -> Tally:
    """What records in the order of their text add up to."""
    columns: tuple[list[Any], ...] = tuple([] for _ in Tally._fields)
    for source, group in groupby(records, key=attrgetter("source")):
        raws, found, keys, starts, *_, places = zip(*[record._fields for record in group], strict=True)
        sums = Sums(source)
        sums.add(raws, keys, starts, {key: uri for uri, key in zip(found, keys, strict=True) if uri != key}, places)
        for column, values in zip(columns, sums.tally(), strict=True):
            column += values
    return Tally(*columns)


def tallied(portion: Portion) -> Tally:
    """What a portion of `Counting` adds up to."""
    return Tally(portion.keys, *portion.columns)


def tallying_work(settings: SievingSettings) -> Work[Part, Portion]:
    """The work of a process that shares it: as `Tallying`, small portions put together."""
    return _work(Tallying(settings))


def counting_work(settings: SievingSettings) -> Work[Part, Portion]:
    """The work of a process that shares it: as `Counting`, small portions put together."""
    return _work(Counting(settings))


def _work(sieving: Sieving) -> Work[Part, Portion]:
    def work(part: Part) -> Iterator[Portion]:
        with seldom_collected():
            yield from joined(sieving.portions(part))

    return work
