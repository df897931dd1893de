"""Tallies in words: the numbers of things read, skipped and broken, as clauses of a line for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

from urisieve.lean.hints import Final
from urisieve.sources.tally import Tally

__all__ = ["by_code", "counted", "left_out", "rejections", "so_far", "summary"]

# The most codes that are named, so that the line stays short.
_SHOWN_CODES: Final = 6

_LEFT_OUT: Final = {
    "filter": "left out by filters",
    "host": "left out without a host",
    "domain": "left out without a registrable domain",
}

# Kinds that are names of formats have no plural.
_PLURALS: Final = {
    "armour": "pieces of armour",
    "end of payload": "ends of payloads",
    "journal entry": "journal entries",
    "property": "properties",
    "value": "values",
    **{kind: f"{kind}s" for kind in ("blob", "byte", "file", "folder", "followed file", "tar member", "zip member")},
    **{
        kind: f"{kind}s"
        for kind in ("attachment", "header", "message", "part", "record", "reference", "line", "row", "cell")
    },
    **{kind: f"{kind}s" for kind in ("document", "text", "marc record", "warc record")},
    **{kind: f"{kind}s" for kind in ("journal field", "outlook attachment", "outlook message", "outlook part")},
}


def counted(number: int, kind: str) -> str:
    """Return a number of things in words.

    >>> counted(1, "file"), counted(2_000, "journal entry")
    ('1 file', '2,000 journal entries')
    """
    return f"{number:,} {kind if number == 1 else _PLURALS.get(kind, kind)}"


def so_far(counts: str) -> str:
    """Return the counts of an interrupted run, which begin with the number of files: those read to their end.

    >>> so_far("0 files, 2,000 bytes")
    'so far 0 whole files, 2,000 bytes'
    """
    number, _, rest = counts.partition(" ")
    return f"so far {number} whole {rest}"


def rejections(tally: Tally) -> str:
    """Return how many candidates were rejected, and for which reasons."""
    number = sum(tally.rejected.values())
    return f"{number:,} rejected ({by_code(tally.rejected)})" if number else "0 rejected"


def left_out(tally: Tally) -> Iterator[str]:
    """Yield how many identifiers filters have left out, those without a component apart."""
    for word, number in sorted(tally.left_out.items()):
        yield f"{number:,} {_LEFT_OUT.get(word, word)}"


def by_code(counts: Mapping[str, int]) -> str:
    """Return the most frequent codes with their numbers, and how many others there are."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{code} {number:,}" for code, number in ordered[:_SHOWN_CODES]]
    rest = ordered[_SHOWN_CODES:]
    if rest:
        shown.append(f"and {len(rest)} more {sum(number for _, number in rest):,}")
    return ", ".join(shown)


def summary(tally: Tally) -> Iterator[str]:
    """Yield up to five clauses: warnings, the kinds of files, and the things read, skipped and broken.

    If all files are text, their kind is left out.
    """
    if tally.warnings:
        yield f"warnings: {by_code(tally.warnings)}"
    if set(tally.kinds) - {"text"}:
        yield f"as {', '.join(f'{number:,} {kind}' for kind, number in sorted(tally.kinds.items()))}"
    if tally.read:
        yield f"read: {', '.join(counted(number, kind) for kind, number in sorted(tally.read.items()))}"
    for name, counts in (("skipped", tally.skipped), ("broken", tally.broken)):
        if counts:
            kinds = groupby(sorted(counts.items()), key=lambda item: item[0][0])
            yield f"{name}: {', '.join(_with_reasons(kind, dict(group)) for kind, group in kinds)}"


def _with_reasons(kind: str, counts: dict[tuple[str, str], int]) -> str:
    if len(counts) == 1:
        (((_, reason), number),) = counts.items()
        return f"{counted(number, kind)} ({_said(reason)})"
    reasons = ", ".join(f"{number:,} {_said(reason)}" for (_, reason), number in counts.items())
    return f"{counted(sum(counts.values()), kind)} ({reasons})"


def _said(reason: str) -> str:
    return reason.replace("-", " ")
