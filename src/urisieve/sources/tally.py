"""Counts of everything read, skipped, found broken and rejected.

Also defines:

- tallies in words: the numbers of things read, skipped and broken, as clauses of a line for people.
- handling of unexpected exceptions of readers: one costs only the file or message over which it was raised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby

from urisieve.errors import InputError, UnexpectedInputError, UrisieveError
from urisieve.lean import Any, Final, TypeVar, dataclass, field
from urisieve.sources.kinds.kind_table import Kind, plugin_rows
from urisieve.wording import printable, shortened

# Messages that are kept of a kind and reason: enough to see the fault, few enough to read. All faults are counted.
MESSAGES: Final = 20
# The same where somebody wants all of them in a file: a file may have ten million, and they are held until its end.
MOST_MESSAGES: Final = 100_000
# Messages about faults that are shown of a file in which all was read all the same; of the others a count is enough.
_SHOWN_MESSAGES: Final = 10
# Of what the rows of kinds name in `goes_on` all that can be had was read, though something in it is broken.
# But of this the end was not, nor was what a reader failed over, or what is encoded below too many levels or parts.
_CUT: Final = ("message", "too-long")
_UNREAD: Final = frozenset(["nested-too-deep", "too-many-parts", "unexpected"])


class FaultMessage(str):
    """A text about a fault, which knows what is counted.

    Attributes:
        kind: the kind of thing that is broken.
        reason: the reason.
    """

    __slots__ = ("kind", "reason")
    kind: str
    reason: str

    def __new__(cls, text: str, kind: str = "", reason: str = "") -> FaultMessage:
        """Make a message."""
        made = super().__new__(cls, text)
        made.kind, made.reason = kind, reason
        return made


@dataclass(slots=True)
class Tally:
    """Counts of everything read, skipped, found broken and rejected; nothing is left out without a count.

    Functions such as `extract_files` add to the tally that they are passed.

    >>> from urisieve import Tally, extract_files
    >>> tally = Tally()
    >>> records = list(extract_files(["samples/mail.mbox"], tally=tally))
    >>> tally.kinds["mail"], tally.read["message"], tally.rejected["bad-percent-encoding"]
    (1, 3, 1)

    Attributes:
        kinds: the number of files by the kind they were read as (`text`, `csv`, `html`; `text (not csv)` if the name
            says otherwise), members of archives included.
        read: the number of things read, by kind (`message`, `part`, `html`).
        skipped: the number of things that were not read, by kind and reason.
        broken: the number of faults, by kind and reason.
        messages: texts about faults for people, each beginning with the name of the source; at most `kept` for each
            kind and reason.
        rejected: the number of candidates that are not valid, by the code of the reason (see `urisieve.codes`).
        warnings: the number of warnings of identifiers, by their code (see `urisieve.codes`).
        left_out: the number of identifiers that filters have left out, by `filter`, or by the component that is absent
            (`host`, `domain`).
        kept: the number of messages that are kept for each kind and reason.
    """

    kinds: Counter[str] = field(default_factory=Counter)
    read: Counter[str] = field(default_factory=Counter)
    skipped: Counter[tuple[str, str]] = field(default_factory=Counter)
    broken: Counter[tuple[str, str]] = field(default_factory=Counter)
    messages: list[str] = field(default_factory=list)
    rejected: Counter[str] = field(default_factory=Counter)
    warnings: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    kept: int = MESSAGES

    def _counts(self) -> tuple[Counter[Any], ...]:
        return self.kinds, self.read, self.skipped, self.broken, self.rejected, self.warnings, self.left_out

    @property
    def is_empty(self) -> bool:
        """Whether nothing was counted."""
        return not (any(self._counts()) or self.messages)

    @property
    def is_unread(self) -> bool:
        """Whether something could not be read to its end, rather than with something broken in it."""
        return any(_is_unread(*fault) for fault in self.broken)

    def shown(self, name: str) -> Iterator[str]:
        """Yield the messages in proportion: of a file with a thousand faults, ten and the number of others by reason.

        Messages about something that could not be read are all there.

        >>> from urisieve import Tally
        >>> tally = Tally()
        >>> for number in range(1_000):
        ...     tally.fault("line", "no-json", f"a.jsonl: line {number} is not JSON")
        >>> *ten, more = tally.shown("a.jsonl")
        >>> len(ten), more
        (10, 'a.jsonl: and 990 lines (no json)')

        Args:
            name: the name of the file that the counts are of.
        """
        shown: Counter[tuple[str, str]] = Counter()
        some = 0
        for message in self.messages:
            if isinstance(message, FaultMessage):
                fault = message.kind, message.reason
                shown[fault] += 0
                if not _is_unread(*fault):
                    some += 1
                    if some > _SHOWN_MESSAGES:
                        continue
                shown[fault] += 1
            yield message
        more = [(fault, self.broken[fault] - number) for fault, number in shown.items() if self.broken[fault] > number]
        if more:
            yield f"{printable(name)}: and {', '.join(_by_kind(dict(more)))}"

    def take(self, other: Tally) -> None:
        """Add the counts of another tally, and empty that one."""
        for counts, others in zip(self._counts(), other._counts(), strict=True):
            if others:
                counts.update(others)
        self.messages += other.messages
        other.clear()

    def taken(self) -> Tally:
        """Return the counts so far, and start again from zero."""
        counts = Tally(kept=self.kept)
        for name in _TAKEN:
            own = getattr(self, name)
            if own:  # small files have few of them
                setattr(self, name, getattr(counts, name))
                setattr(counts, name, own)
        return counts

    def clear(self) -> None:
        """Empty all counts."""
        for counts in filter(None, self._counts()):
            counts.clear()
        self.messages.clear()

    def skip(self, kind: str, reason: str) -> None:
        """Count something that was not read, with the reason."""
        self.skipped[kind, reason] += 1

    def fault(self, kind: str, reason: str, message: str, *details: str) -> None:
        """Count a fault in something that is read as far as possible; `message` and `details` are for people.

        Messages are kept of the first faults of a kind and reason: a file may have a million broken lines.
        """
        self.broken[kind, reason] += 1
        if self.broken[kind, reason] <= self.kept:
            self.messages += (FaultMessage(printable(message), kind, reason), *details)

    def undecodable(self, source: str, count: int) -> None:
        """Count the bytes that were not UTF-8 in a text of some name that was read as UTF-8."""
        if count:
            message = (
                f"{source}: holds bytes that are not UTF-8; if it is in another encoding, name that with --encoding"
            )
            self.fault("text", "undecodable-bytes", message)
            self.broken["byte", "undecodable"] += count

    def stopped(self, source: str, error: InputError, *, traces: bool = False) -> None:
        """Count an error that stopped a content; `traces` asks for the traceback of an unexpected exception."""
        details = error.trace if traces and isinstance(error, UnexpectedInputError) else ()
        self.fault(error.kind, error.reason, f"{source}: {error}", *details)
        drop_frames(error)


_TAKEN: Final = ("kinds", "read", "skipped", "broken", "messages", "rejected", "warnings", "left_out")


@cache
def _read_on() -> frozenset[str]:
    return frozenset([one for kind in Kind for one in kind.goes_on])


def _is_unread(kind: str, reason: str) -> bool:
    """Report whether something with such a fault was not read to its end."""
    return kind not in _read_on() or reason in _UNREAD or (kind, reason) == _CUT


# The most codes that are named, so that the line stays short.
_SHOWN_CODES: Final = 6

_LEFT_OUT: Final = {
    "filter": "left out by filters",
    "host": "left out without a host",
    "domain": "left out without a registrable domain",
    "time": "left out without a time",
}

# Those of words that no row of kinds states, or states in another way.
_OTHERS: Final = {
    "armour": "pieces of armour",
    "end of payload": "ends of payloads",
    "thing": "things",
    "warning": "warnings",
}


@cache
def _plurals() -> dict[str, str]:
    """Return the plurals that the rows of kinds state, by their singulars; the names of formats have none."""
    stated = [plural for kind in (*Kind, *plugin_rows()) for plural in kind.plurals]
    return _OTHERS | {f"{one[:-3]}y" if one.endswith("ies") else one[:-1]: one for one in stated}


def counted(number: int, kind: str) -> str:
    """Return a number of things in words.

    >>> counted(1, "file"), counted(2_000, "journal entry")
    ('1 file', '2,000 journal entries')
    """
    return f"{number:,} {kind if number == 1 else _plurals().get(kind, kind)}"


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
            yield f"{name}: {', '.join(_by_kind(counts))}"


# The reasons for which all of a file, or of a part of mail, is left unread although it may hold identifiers.
_UNREAD_FILES: Final = frozenset(
    ["another-kind", "behind-one-of-unknown-size", "encrypted", "needs-the-extra-pdf", "out-of-scope", "unknown-method"]
)


def unread_files(tally: Tally) -> dict[tuple[str, str], int]:
    """Return how many files were not read at all, by kind and reason."""
    return {what: number for what, number in tally.skipped.items() if what[1] in _UNREAD_FILES}


def unread(tally: Tally) -> Iterator[str]:
    """Yield a clause about files of which nothing was read, if there are any: no option hides that."""
    counts = unread_files(tally)
    if counts:
        yield f"skipped: {', '.join(_by_kind(counts))}"


def _by_kind(counts: Mapping[tuple[str, str], int]) -> Iterator[str]:
    """Yield for each kind how many there are of it, with the reasons."""
    for kind, group in groupby(sorted(counts.items()), key=lambda item: item[0][0]):
        yield _with_reasons(kind, dict(group))


def _with_reasons(kind: str, counts: dict[tuple[str, str], int]) -> str:
    if len(counts) == 1:
        (((_, reason), number),) = counts.items()
        return f"{counted(number, kind)} ({_said(reason)})"
    reasons = ", ".join(f"{number:,} {_said(reason)}" for (_, reason), number in counts.items())
    return f"{counted(sum(counts.values()), kind)} ({reasons})"


def _said(reason: str) -> str:
    return reason.replace("-", " ")


T = TypeVar("T")

# Errors of the package report misuse or broken input; a broken pipe means that the reader of the output has stopped;
# memory runs out for all files, not for the one that is read then.
PASSED: Final = (UrisieveError, BrokenPipeError, MemoryError)
# Characters of the text of an exception: some quote the input that they failed on.
_LONGEST: Final = 200


def guarded(items: Iterable[T], kind: str) -> Iterator[T]:
    """Yield items; an exception of their iterator that is not one of `PASSED` becomes an `UnexpectedInputError`.

    Args:
        items: the items of a reader.
        kind: the name in tallies of the input that it reads.

    Raises:
        UnexpectedInputError: the iterator raised an exception that nobody expected.
        MemoryError: memory has run out.
    """
    try:
        yield from items
    except PASSED:
        raise
    except Exception as error:
        raise unexpected(error, kind) from error


def drop_frames(error: BaseException) -> None:
    """Drop the frames of an error that is reported, and of its causes.

    Readers keep the error that has stopped them. Their frames, which refer to them, would keep the content in memory.
    """
    one: BaseException | None = error
    while one is not None:
        one.__traceback__ = None
        one = one.__cause__ or one.__context__


def unexpected(error: BaseException, kind: str) -> UnexpectedInputError:
    """Return the error of a source whose cause is an exception that is not one of `PASSED`."""
    text = shortened(printable(str(error)), _LONGEST)
    message = f"unexpected {type(error).__name__} in reading it as {kind}{f': {text}' if text else ''}"
    found = UnexpectedInputError(kind, message)
    found.__cause__ = error
    return found
