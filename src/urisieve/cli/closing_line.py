"""The closing line of a command: what was done, and what was read, skipped and broken, in one line of a screen."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

from urisieve.cli.reports import PROGRAM, columns_of, say
from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.sources.tally import Tally, counted, summary, unread, unread_files

# The columns of what is no terminal.
_COLUMNS: Final = 100
# What a line ends with that has less than all.
_MORE: Final = "-v: more"
# The beginnings of clauses without which files that are not read at all are still named.
_SKIPPED: Final = ("skipped: ", "broken: ")
# Why candidates were rejected: no clause of its own.
_REJECTED: Final = "rejected"
_REASONS: Final = lazy_compile(r" \([^()]*\)")


class Closing(NamedTuple):
    """The parts of a closing line.

    Attributes:
        done: what was done, in words.
        tally: what was read.
        seconds: how long it took.
    """

    done: Sequence[str]
    tally: Tally
    seconds: float

    def say(self, *, verbose: bool) -> None:
        """Say all if that is wanted, in several lines where one is not enough, or else what fits in one line."""
        say(*self.clauses(None if verbose else _columns()))

    def clauses(self, columns: int | None = None) -> tuple[str, ...]:
        """Return the clauses of the line: all, or counts without what is in them where all does not fit.

        >>> from urisieve.sources.tally import rejections
        >>> tally = Tally()
        >>> tally.kinds["text (not csv)"] = 1
        >>> tally.rejected["bad-port"] = 1
        >>> closing = Closing(["1 file", "2 found", rejections(tally)], tally, 0.1)
        >>> closing.clauses(100)
        ('1 file, 2 found, 1 rejected (bad-port 1), 0.1 s', 'as 1 text (not csv)')
        >>> closing.clauses(60)
        ('1 file, 2 found, 1 rejected, 1 file not as named, 0.1 s', '-v: more')
        """
        took = f"{self.seconds:.1f} s"
        details = list(summary(self.tally))
        every = ", ".join([*self.done, took]), *details
        if columns is None or _size(every) <= columns:
            return every
        done, made = list(self.done), every
        numbers: list[str] = []
        for name, number in _numbers(self.tally):
            if name is _REJECTED:
                done = [_REASONS.sub("", part) for part in done]
            details = [clause for clause in details if not clause.startswith(name)]
            numbers += [number] if number else []
            not_read = unread(self.tally) if name in _SKIPPED else ()
            made = ", ".join([*done, *numbers, took]), *details, *not_read, _MORE
            if _size(made) <= columns:
                break
        return made


def _numbers(tally: Tally) -> Iterator[tuple[str, str]]:
    """Yield how the clauses begin, those first that users need least, and the number that each may be instead."""
    given_up = sum(number for kind, number in tally.kinds.items() if "(not " in kind)
    warnings = sum(tally.warnings.values())
    apart = unread_files(tally)
    skipped = {what: number for what, number in tally.skipped.items() if what not in apart}
    yield "read: ", ""
    yield "as ", f"{counted(given_up, 'file')} not as named" if given_up else ""
    yield "warnings: ", counted(warnings, "warning") if warnings else ""
    yield _REJECTED, ""
    yield _SKIPPED[0], _things(skipped, "skipped") if skipped else ""
    yield _SKIPPED[1], _things(tally.broken, "broken") if tally.broken else ""


def _things(counts: Mapping[tuple[str, str], int], what: str) -> str:
    """Return the sum of counts by kind and reason, in the unit that they share, and with the reason if it is one."""
    kinds, reasons = map(set, zip(*counts, strict=True))
    number = sum(counts.values())
    things = counted(number, kinds.pop() if len(kinds) == 1 else "thing")
    return f"{things} {what}{f' ({reasons.pop()})'.replace('-', ' ') if len(reasons) == 1 else ''}"


def _size(clauses: Sequence[str]) -> int:
    """Return the length of the line with these clauses."""
    return len("; ".join((f"{PROGRAM}: {clauses[0]}", *clauses[1:])))


def _columns() -> int:
    """Return the columns of the terminal that messages go to, or of what is none."""
    return columns_of(sys.stderr) if sys.stderr is not None and sys.stderr.isatty() else _COLUMNS
