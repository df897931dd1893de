"""Skeletons: texts that look alike have one skeleton (UTS 39 4)."""

from __future__ import annotations

from functools import cache, lru_cache
from unicodedata import normalize

from urisieve.lean.hints import Final
from urisieve.rules.spoofing.unicode_tables import spans_of

__all__ = ["folded_skeleton", "is_ignorable", "prototypes", "skeleton"]

# A bound on the cache of labels and hosts: a crawl names far more, most come in runs.
_MEMORY: Final = 16_384


@cache
def prototypes() -> dict[int, str | None]:
    """Return the table of the second step of a skeleton: prototypes by code point, None for what is not shown."""
    from urisieve.rules.registry import rows_of

    table: dict[int, str | None] = {}
    for line in rows_of("confusables"):
        prototype, _, sources = line.partition(":")
        text = "".join(chr(int(point, 16)) for point in prototype.split("+"))
        table.update(dict.fromkeys((int(source, 16) for source in sources.split()), text))
    for first, last in spans_of(rows_of("ignorable")):
        table.update(dict.fromkeys(range(first, last + 1)))
    return table


def is_ignorable(character: str) -> bool:
    """Report whether a character is not shown (Default_Ignorable_Code_Point)."""
    return prototypes().get(ord(character), "") is None


def skeleton(text: str) -> str:
    """Return the skeleton of a text: `internalSkeleton` of UTS 39 4.

    `bidiSkeleton` is the same for text of one direction. Labels of hosts are of one direction by RFC 5893 2.
    """
    return normalize("NFD", normalize("NFD", text).translate(prototypes()))


@lru_cache(_MEMORY)
def folded_skeleton(text: str) -> str:
    """Return the skeleton of a host or label, whose case does not count.

    It is folded before, so that `I` does not look like `l`, and after: the prototype of `0` is `O`, which a host writes
    as `o`. UTS 39 has no rule for names without case; this merges more than the skeleton alone.
    """
    return skeleton(text.casefold()).casefold()
