"""The counting of codes and faults, and the callback for faults, for callers that ask for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import chain

from urisieve.errors import InputError
from urisieve.lean import Final, Protocol, TypeAlias
from urisieve.records.batch import Batch

# Called with a path or a name, and the error, if it, or something in it, cannot be read to its end.
OnError: TypeAlias = Callable[[str, InputError], None]
# TextCounts by code without any; never changed.
NO_CODES: Final[Mapping[str, int]] = {}


class TextCounts(Protocol):
    """The counts that searches of text add to, as `urisieve.Tally` holds them."""

    broken: Counter[tuple[str, str]]
    rejected: Counter[str]
    warnings: Counter[str]


def counted_codes(batch: Batch) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Return the number of rejected candidates by reason, and of identifiers with a warning by code."""
    reasons: Mapping[str, int] = NO_CODES
    if batch.rejections:
        reasons = Counter[str]([one.reason for one in batch.rejections])
    warned = batch.warned()
    if not warned:
        return reasons, NO_CODES
    codes = batch.column("warnings")
    counts: Counter[str] = Counter(chain.from_iterable([codes[index] for index in warned]))
    return reasons, counts


def add_codes(batch: Batch, counts: TextCounts | None) -> None:
    """Add the reasons and warnings of a batch to some counts; None for nobody who asks for them."""
    if counts is not None and batch:
        reasons, warnings = counted_codes(batch)
        counts.rejected.update(reasons)
        counts.warnings.update(warnings)
