"""What one process hands over of what it has sieved, and how such portions are put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from urisieve.records.record import Record
from urisieve.records.rejection import Rejection
from urisieve.runs.file_parts import Part

if TYPE_CHECKING:
    from urisieve.dedupe.keyset import Seen
    from urisieve.sources.tally import Tally

__all__ = [
    "NO_CODES",
    "Portion",
    "Remembered",
    "counted_reasons",
    "counted_warnings",
    "encoded",
    "ended",
    "joined",
    "new_output",
    "sum_of",
]

# Counts by code where there are none; nothing changes it.
NO_CODES: Final[Mapping[str, int]] = {}
# The number of the warnings among the fields of a record: read directly, since every record is asked.
_WARNINGS: Final = 9

# Bytes of output that are handed over at once, and how many a key counts for.
_TOGETHER: Final = 524_288
_KEY_LENGTH: Final = 64


class Portion(NamedTuple):
    """What some of the input gives.

    Attributes:
        output: records as they are to be written; empty where `keys` are given.
        keys: with `--unique` by several processes the keys, of which the receiver takes those that it has not seen.
        rows: the record of each key as it is to be written; None where the key is all of it.
        rejects: rejections as they are to be written.
        found: how many identifiers were found.
        size: how many bytes were read.
        part: the part of a file, where all of it has been read.
        failure: why no more of the part could be read.
        tally: what was counted in a file that is more than plain text.
        columns: what more is known of each key, where the sieving of a command counts.
        reasons: how many candidates were rejected, by reason.
        warnings: how many identifiers have a warning, by its code.
    """

    output: bytes = b""
    keys: Sequence[str] = ()
    rows: Sequence[bytes] | None = None
    rejects: bytes = b""
    found: int = 0
    size: int = 0
    part: Part | None = None
    failure: str | None = None
    tally: Tally | None = None
    columns: tuple[Sequence[Any], ...] = ()
    reasons: Mapping[str, int] = NO_CODES
    warnings: Mapping[str, int] = NO_CODES


class Remembered:
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


def new_output(portion: Portion, seen: Seen | None) -> bytes:
    """What of a portion is to be written: all, or the records whose keys were not seen in another portion."""
    if not portion.keys or seen is None:
        return portion.output
    if portion.rows is None:
        return ended(seen.unseen(portion.keys))
    rows = portion.rows
    return b"".join([rows[place] for place in seen.unseen_places(portion.keys)])


def encoded(text: str) -> bytes:
    """A text as it is written: bytes that were no UTF-8 where it was read come out as they were."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        pass
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace")


def ended(lines: Sequence[str]) -> bytes:
    """Lines with their ends."""
    return encoded("\n".join((*lines, ""))) if lines else b""


def joined(portions: Iterable[Portion]) -> Iterator[Portion]:
    """Portions put together until they hold enough; those of one part only."""
    waiting: list[Portion] = []
    length = 0
    for portion in portions:
        waiting.append(portion)
        length += len(portion.output) + len(portion.rejects) + _KEY_LENGTH * len(portion.keys)
        length += sum(map(len, portion.rows or ()))
        if length >= _TOGETHER or portion.part is not None:
            yield sum_of(waiting)
            waiting = []
            length = 0


def sum_of(portions: Sequence[Portion]) -> Portion:
    """Portions as one, which ends as the last of them; a key may stand in it several times."""
    rows: list[bytes] | None = None
    if any(portion.rows is not None for portion in portions):
        rows = []
        for portion in portions:
            rows += [ended((key,)) for key in portion.keys] if portion.rows is None else portion.rows
    filled = [portion.columns for portion in portions if portion.columns]
    columns: tuple[list[Any], ...] = tuple(
        [value for column in same for value in column] for same in zip(*filled, strict=True)
    )
    return Portion(
        output=b"".join([portion.output for portion in portions]),
        keys=[key for portion in portions for key in portion.keys],
        rows=rows,
        rejects=b"".join([portion.rejects for portion in portions]),
        found=sum(portion.found for portion in portions),
        size=sum(portion.size for portion in portions),
        part=portions[-1].part,
        failure=portions[-1].failure,
        tally=portions[-1].tally,
        columns=columns,
        reasons=_summed([portion.reasons for portion in portions]),
        warnings=_summed([portion.warnings for portion in portions]),
    )


def _summed(counts: Iterable[Mapping[str, int]]) -> Mapping[str, int]:
    counts = list(filter(None, counts))
    if len(counts) < 2:
        return counts[0] if counts else NO_CODES
    summed: Counter[str] = Counter()
    for one in counts:
        summed.update(one)
    return summed


def counted_reasons(found: Iterable[Record | Rejection]) -> Mapping[str, int]:
    """How many of what was found are rejections, by reason."""
    return Counter([value.reason for value in found if isinstance(value, Rejection)])


def counted_warnings(records: Iterable[Record]) -> Mapping[str, int]:
    """How many records have a warning, by its code; most have none."""
    warned = [warnings for record in records if (warnings := record._fields[_WARNINGS])]
    return Counter(chain.from_iterable(warned)) if warned else NO_CODES
