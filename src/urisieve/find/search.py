"""The search: text in pieces goes in, what is decided comes out in the order of the text, however the text is cut.

A piece of text is split at its pivots in one call (`urisieve.find.pivots`). The links that the split proves canonical
are given as a batch; any other pivot goes to the `Finder`. A candidate that touches the end of what was fed is
undecided: it is kept, with a little context before it, until the text that decides it has come, or until it is longer
than the limit.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from contextlib import suppress
from itertools import accumulate
from operator import add, sub
from typing import Final, Generic, TypeVar

from urisieve.errors import UsageError
from urisieve.find.delimited import SCRIPT, Delimited
from urisieve.find.extent import Syntax
from urisieve.find.finder import LONG_RUN, Finder, Found, Undecided
from urisieve.find.pivots import SCHEME_CHARACTERS, pivots
from urisieve.find.schemeless import LOCAL_CHARACTERS, LOCAL_LIMIT, name_start
from urisieve.judge.faults import Fault
from urisieve.judge.judge import Judged
from urisieve.options import EmailFinding, Options, Refang, SchemelessFinding
from urisieve.syntax import grammar
from urisieve.syntax.components import SPACES

__all__ = ["CONTEXT", "PIECE", "WRAPPER_OF", "Links", "Search"]

# What is kept before an undecided place: a wrapper, "URL:" and the white space after it, an emphasis mark.
CONTEXT: Final = 128
# How many characters are searched at once: so many that the cost of a piece does not show. Where pivots stand so close
# that one comes in so many characters, fewer: what is made of a piece then stays in the processor's cache (1.1 us a
# record against 1.25).
PIECE: Final = 262_144
_DENSE_PIECE: Final = 65_536
_DENSE: Final = 256

# The C library of Linux gives each freed block of text back to the system, and gets it anew page by page, until it has
# seen one of this size freed: 1.8 ms a MB of prose instead of 1.1. So one is; no page of it is touched.
_LARGE: Final = 16_777_216
with suppress(MemoryError):
    bytes(_LARGE)

_NOT_SCHEME: Final = re.compile(f"[^{grammar.pattern('schemechar')}]")
# The opener before a link whose limits are certain, and what it is called with its closer.
WRAPPER_OF: Final = {'"': '""', "<": "<>", "(": "()", "'": "''"}

_BLANKS: Final = frozenset(SPACES)
_BEFORE_BLANK: Final = _BLANKS | {":"}
_UNPROVED: Final = (None, None)

# A named tuple without the cost of its own constructor, which takes three times as long.
_tuple: Final = tuple.__new__

T = TypeVar("T")


def _follows_url(match: str) -> bool:
    """Whether what matched begins with the colon of `URL:`; then the pivot is its last character."""
    # A colon and what follows it are two characters at most, and nothing else has a blank behind the first one.
    return len(match) > 2 and match[1] in _BLANKS


def _may_follow_url(text: str, start: int) -> bool:
    """Whether a web link may stand after `URL:` and a blank, before which a wrapper may open."""
    return text[start - 1] in _BLANKS and text[start - 2 : start - 1] in _BEFORE_BLANK


class Links:
    """The pivots of one text as columns: what the split gives, and what follows from it for the links that it proves.

    Attributes:
        text: the text.
        matches: what matched, for each pivot.
        ends: where each match ends.
        unproved: the numbers of the pivots that the finder has to look at.
        raws: the text of each link with its scheme (anything where it is not proved); empty where no link is proved.
        starts: where each of them starts.
    """

    __slots__ = ("_wrapped", "ends", "matches", "raws", "starts", "text", "unproved")

    def __init__(self, text: str, pattern: re.Pattern[str] | None) -> None:
        parts: list[str] = [text] if pattern is None else pattern.split(text)
        between = parts[::4]
        bare: list[str | None] = parts[2::4]  # type: ignore[assignment] # a group that took no part is None
        self._wrapped: list[str | None] = parts[3::4]  # type: ignore[assignment]
        self.text = text
        self.matches = matches = parts[1::4]
        self.ends = list(accumulate(map(add, map(len, between), map(len, matches))))
        self.unproved: list[int] = []
        if None in bare:
            marks = enumerate(zip(bare, self._wrapped, strict=True))
            self.unproved = [number for number, mark in marks if mark == _UNPROVED]
        self.raws: list[str] = []
        self.starts: list[int] = []
        if len(self.unproved) < len(matches):
            pairs = zip(between, matches, strict=False)
            self.raws = [("https" if before[-1:] == "s" else "http") + match for before, match in pairs]
            self.starts = list(map(sub, self.ends, map(len, self.raws)))

    def uris(self) -> list[str]:
        """The canonical form of each link."""
        return [raw if raw.find("/", 8) > 0 else f"{raw}/" for raw in self.raws]

    def wrappers(self) -> list[str | None] | None:
        """The wrapper of each link; None where none has one."""
        if self._wrapped.count(None) == len(self._wrapped):
            return None
        text = self.text
        return [
            None if mark is None else WRAPPER_OF[text[start - 1]]
            for mark, start in zip(self._wrapped, self.starts, strict=True)
        ]


class Search(ABC, Generic[T]):
    """What is common to all that is found in a text in pieces; what comes out is up to the class that derives from it.

    Memory is bounded by `Options.max_length`, whatever is fed, and the time is linear.
    """

    def __init__(self, options: Options, finder: Finder | None) -> None:
        self._options = options
        self._finder = Finder(options) if finder is None else finder
        self._pivots = pivots(options)
        self._limit = options.max_length
        self._text = ""  # context and undecided text
        self._base = 0  # offset of its first character in the stream
        self._position = 0  # where the search goes on, in `_text`
        self._floor = 0  # end of the last candidate, in `_text`: no scheme begins before it
        self._pieces: list[str] = []  # fed, but without a character that can decide
        self._pieces_length = 0
        self._awaited: re.Pattern[str] | None = None
        self._passing: Syntax | None = None  # the rest of a candidate that was too long is passed over
        self._closed = False
        self._piece = _DENSE_PIECE  # how many characters are searched at once
        self._colons = (
            options.schemeless == SchemelessFinding.OFF
            and options.email == EmailFinding.OFF
            and options.refang == Refang.OFF
        )

    @abstractmethod
    def _begin(self, links: Links) -> None:
        """Take note of the pivots of the next text."""

    @abstractmethod
    def _take_links(self, first: int, last: int, found: list[T]) -> None:
        """Add the links from one number to another, which the search has proved."""

    @abstractmethod
    def _take_certain(self, number: int, judged: Judged | Fault, found: list[T]) -> None:
        """Add a link that is all of a match and of its run, with its judgement."""

    @abstractmethod
    def _take_found(self, outcome: Found, found: list[T]) -> None:
        """Add what the finder has found."""

    @abstractmethod
    def _leave(self, drop: int) -> None:
        """Take note that so many characters at the start of the text are forgotten."""

    def enter(self, context: str, offset: int, lines: int) -> None:
        """Begin in the middle of a text, at the start of a line, before anything is fed.

        Args:
            context: a little text before it, in which no candidate is looked for.
            offset: the characters before it, those of the context among them.
            lines: the lines before it.
        """
        self._text = context
        self._position = self._floor = len(context)
        self._base = offset - len(context)

    def feed(self, text: str) -> list[T]:
        """Take the next piece of text; give what is decided by now.

        Raises:
            UsageError: it is closed, or what is fed is no string.
        """
        if not isinstance(text, str):
            raise UsageError(f"feed() takes str, not {type(text).__name__}: decode it first")
        if self._closed:
            raise UsageError(f"feed() after close(): make a new {type(self).__name__} for another text")
        if self._awaited is not None and self._awaited.search(text) is None:
            self._pieces.append(text)
            self._pieces_length += len(text)
            if len(self._text) + self._pieces_length <= self._limit + max(2 * CONTEXT, self._limit // 4):
                return []
            text = ""
        if len(text) <= self._piece:
            return self._search(text, final=False)
        found: list[T] = []
        start = 0
        while start < len(text):
            end = start + self._piece
            found += self._search(text[start:end], final=False)
            start = end
        return found

    def finish(self, text: str) -> list[T]:
        """Take the last piece of the text and end it: `feed` and `close` in one, at half the cost for a short text."""
        if self._closed or self._awaited is not None or len(text) > self._piece:
            return self.feed(text) + self.close()
        self._closed = True
        return self._search(text, final=True)

    def delimited(self, text: str, kind: Delimited) -> list[T] | None:
        """Take a whole text whose limits its carrier gives, before anything is fed, and end.

        Args:
            text: all of the text.
            kind: what the carrier says of it.

        Returns:
            None where the text is not one candidate; nothing is taken then, and it is for the caller to feed it.
        """
        outcome = self._finder.delimited(text, kind)
        if outcome is None:
            return None
        self._begin(Links(text, None))
        found: list[T] = []
        self._take_found(outcome, found)
        if isinstance(outcome.judged, Fault) and SCRIPT.match(text, outcome.start):
            # A script with a blank in it is not valid as a whole; the links in it are found all the same.
            self._position = self._floor = text.index(":", outcome.start) + 1
            return found + self.finish(text)
        self._closed = True
        return found

    def close(self) -> list[T]:
        """End the text; give what was still undecided. A second call gives nothing."""
        if self._closed:
            return []
        self._closed = True
        return self._search("", final=True)

    def _search(self, text: str, *, final: bool) -> list[T]:
        text = "".join((self._text, *self._pieces, text)) if self._pieces else self._text + text
        self._pieces.clear()
        self._pieces_length = 0
        found: list[T] = []
        links = Links(text, self._pivots.batch)
        self._begin(links)
        self._piece = _DENSE_PIECE if len(links.ends) * _DENSE > len(text) else PIECE
        undecided = None
        if self._passing is None or self._pass(text):
            undecided = self._sieve(links, found, final)
        self._keep(text, undecided, final)
        return found

    def _keep(self, text: str, undecided: Undecided | None, final: bool) -> None:
        """Keep what is undecided and its context; forget the rest."""
        self._awaited = None
        if final or self._passing is not None:
            start = position = len(text)
        elif undecided is not None:
            position, start, self._awaited = undecided
        else:
            start = position = self._tail(text)
            if len(text) - start > LONG_RUN:
                self._awaited = _NOT_SCHEME
        drop = max(0, start - CONTEXT)
        self._leave(drop)
        self._text = text[drop:]
        self._base += drop
        self._position = position - drop
        self._floor = max(0, self._floor - drop)

    def _tail(self, text: str) -> int:
        """Where a candidate begins whose pivot the end of the text may cut, as in `htt`, `http:` or `http:/`."""
        colon = len(text)
        if text.endswith(":/"):
            colon -= 2
        elif text.endswith(":"):
            colon -= 1
        first = max(self._position, self._floor, colon - self._limit)
        start = first + len(text[first:colon].rstrip(SCHEME_CHARACTERS))
        if self._options.email != EmailFinding.OFF:
            first = max(self._position, self._floor, len(text) - LOCAL_LIMIT - 1)
            start = min(start, first + len(text[first:].rstrip(LOCAL_CHARACTERS + "@")))
        if self._options.schemeless == SchemelessFinding.NAMES:
            start = min(start, name_start(text, len(text), max(self._position, self._floor)))
        if self._options.refang != Refang.OFF:
            from urisieve.find.defanged import defanged_tail

            start = min(start, defanged_tail(text, max(self._position, self._floor)))
        return start

    def _sieve(self, links: Links, found: list[T], final: bool) -> Undecided | None:
        """Go through the pivots from `_position` on; add what is decided to `found`, give what is not."""
        text, ends, matches = links.text, links.ends, links.matches
        if not ends:
            return None
        if max(map(len, matches)) + len("https") > self._limit:
            return self._step(text, len(text), found, final)
        raws, starts, certain = links.raws, links.starts, self._pivots.certain
        done, undecided = self._rest(links, 0, found, final)
        for number in links.unproved:
            if number < done:
                continue
            if undecided is not None or self._passing is not None:
                return undecided
            if number > done:
                self._take_links(done, number, found)
                self._floor = self._position = ends[number - 1]
            end = ends[number]
            follows_url = _follows_url(matches[number])
            pivot = end - (1 if follows_url else len(matches[number]))
            if raws and certain is not None and not follows_url and starts[number] >= self._floor:
                match = certain.match(text, pivot)
                if match is not None and match.end() == end:
                    self._take_certain(number, self._finder.judged(raws[number]), found)
                    self._floor = self._position = end
                    done = number + 1
                    continue
            undecided = self._look(text, pivot, follows_url, found, final)
            done = number
            if undecided is None and self._passing is None:
                done, undecided = self._rest(links, number, found, final)
        if undecided is None and self._passing is None and done < len(ends):
            self._take_links(done, len(ends), found)
            self._floor = self._position = ends[-1]
        return undecided

    def _rest(self, links: Links, number: int, found: list[T], final: bool) -> tuple[int, Undecided | None]:
        """Deal with the matches, from a number on, whose pivots the last candidate took; give the first one after.

        What a match took in and the candidate did not is looked at pivot by pivot.
        """
        ends, matches, starts, position = links.ends, links.matches, links.starts, self._position
        while number < len(ends):
            end = ends[number]
            pivot = end - (1 if _follows_url(matches[number]) else len(matches[number]))
            # A name in an address or without a scheme may have taken the scheme of a link, not its pivot.
            if pivot >= position and not (starts and starts[number] < self._floor):
                break
            if end > position:
                undecided = self._step(links.text, end, found, final)
                if undecided is not None or self._passing is not None:
                    return number, undecided
                position = self._position
            number += 1
        return number, None

    def _step(self, text: str, until: int, found: list[T], final: bool) -> Undecided | None:
        """Go from pivot to pivot, from `_position` to a place."""
        while self._position < until:
            if self._colons and text.find(":", self._position, until) < 0:
                break
            match = self._pivots.step.search(text, self._position)
            if match is None or match.start() >= until:
                break
            follows_url = _follows_url(match[0])
            pivot = match.end() - 1 if follows_url else match.start()
            undecided = self._look(text, pivot, follows_url, found, final)
            if undecided is not None or self._passing is not None:
                return undecided
        return None

    def _look(self, text: str, pivot: int, follows_url: bool, found: list[T], final: bool) -> Undecided | None:
        """Look at one pivot that is not proved; its candidate goes to `found` unless it is undecided."""
        certain = self._pivots.certain
        match = None if certain is None or follows_url else certain.match(text, pivot)
        if match is not None:
            start, end = pivot - (5 if text[pivot - 1] == "s" else 4), match.end()
            if start >= self._floor and end - start <= self._limit and not _may_follow_url(text, start):
                judged = self._finder.judged(text[start:end])
                outcome = _tuple(Found, (start, end, WRAPPER_OF.get(text[start - 1]), (), (), judged, None))
                self._take_found(outcome, found)
                self._floor = self._position = end
                return None
        looked = self._finder.find(text, pivot, self._floor, final)
        if looked is None:
            self._position = pivot + 1
        elif isinstance(looked, Undecided):
            return looked
        else:
            self._take_found(looked, found)
            self._floor = self._position = looked.end
            if looked.passing is not None:
                self._passing = looked.passing
                self._pass(text)
        return None

    def _pass(self, text: str) -> bool:
        """Pass over the rest of a candidate that was too long; False where it goes on beyond this text."""
        end = self._passing.beyond.search(text, self._position) if self._passing is not None else None
        if end is None:
            return False
        self._passing = None
        self._floor = self._position = end.start()
        return True
