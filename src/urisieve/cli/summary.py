"""What was read, skipped and broken, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import Final

from urisieve.sources.tally import Tally

__all__ = ["by_code", "counted", "is_unread", "rejections", "summary"]

# Codes that are named; a line has to be read.
_SHOWN_CODES: Final = 6

# Of these all that can be had was read, though something in them is broken.
_READ_ALL_THE_SAME: Final = frozenset(
    ["byte", "header", "html", "journal field", "json", "line", "message", "outlook part", "part", "row", "text", "xml"]
)
# But of this the end was not, nor was what a reader failed over, or what is encoded below too many levels.
_CUT: Final = ("message", "too-long")
_UNREAD: Final = frozenset(["nested-too-deep", "unexpected"])
# Kinds that are names of formats have no plural.
_PLURALS: Final = {
    "armour": "pieces of armour",
    "journal entry": "journal entries",
    **{kind: f"{kind}s" for kind in ("byte", "file", "folder", "followed file", "tar member", "zip member")},
    **{kind: f"{kind}s" for kind in ("attachment", "header", "message", "part", "record", "reference", "line", "row")},
    **{kind: f"{kind}s" for kind in ("text", "warc record")},
    **{kind: f"{kind}s" for kind in ("journal field", "outlook attachment", "outlook message", "outlook part")},
}


def counted(number: int, kind: str) -> str:
    """A number of things, in words."""
    return f"{number:,} {kind if number == 1 else _PLURALS.get(kind, kind)}"


def is_unread(tally: Tally) -> bool:
    """Whether something could not be read to its end."""
    return any(
        kind not in _READ_ALL_THE_SAME or reason in _UNREAD or (kind, reason) == _CUT for kind, reason in tally.broken
    )


def rejections(tally: Tally) -> str:
    """How many candidates were rejected, and for which reasons."""
    number = sum(tally.rejected.values())
    return f"{number:,} rejected ({by_code(tally.rejected)})" if number else "0 rejected"


def by_code(counts: Counter[str]) -> str:
    """The commonest codes with their numbers; of the others how many they are."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{code} {number:,}" for code, number in ordered[:_SHOWN_CODES]]
    rest = ordered[_SHOWN_CODES:]
    if rest:
        shown.append(f"and {len(rest)} more {sum(number for _, number in rest):,}")
    return ", ".join(shown)


def summary(tally: Tally) -> Iterator[str]:
    """What a tally says of warnings and kinds, and of what was read, skipped and broken, in up to five clauses.

    That files are text goes without saying.
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
