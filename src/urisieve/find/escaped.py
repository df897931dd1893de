r"""Candidates whose slashes are escaped, as in JSON, scripts, dumps of SQL and patterns: `https:\/\/a.example\/x`.

Before each slash stand as many backslashes as before the first one; a string in a string has two or three. The escapes
of JSON (RFC 8259 7) and of scripts (ECMA-262 12.9.4) are resolved up to a character that ends any such string, and the
text that results is examined as any other. Offsets are those of the text as it stands.

A slash with another number of backslashes ends a bare candidate, as that of `s/https:\/\/a.example\/x/y/`; one of which
an exact wrapper states the extent may hold it, as strings of JSON do.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable

from urisieve.codes import Component, Reason, Warn
from urisieve.find.finder.candidates import LONG_RUN, Found, Undecided
from urisieve.find.finder.extent import syntax_of
from urisieve.find.finder.readings import LATER
from urisieve.find.pivots import BACKSLASHES, ESCAPED_SLASHES, SCHEME_CHARACTERS
from urisieve.judge.judge import Judged
from urisieve.judge.validate import Fault, fault
from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.options import Options, Repair

# What stands before a candidate and may belong to it: more than the context that a search keeps.
_BEFORE: Final = 256
# The text behind a colon that is examined at first, and by how much it grows.
_WINDOW: Final = 512
_GROWTH: Final = 16
_SLASHES: Final = lazy_compile(rf":{ESCAPED_SLASHES}")
# The same, which the end of a text may have cut.
_CUT: Final = lazy_compile(rf":(?:(\\{{1,{BACKSLASHES}}}+)(?:/(?:(?!\1\\)\\*+)?)?)?\Z")
_CUT_LENGTH: Final = 2 * BACKSLASHES + 2
# A character that ends the text in which escapes are resolved; a slash; an escape.
_ESCAPE: Final = lazy_compile(
    r'[\x00-\x20"<>\x7f]|(\\*+)/|(\\++)(?:u([Dd][89ABab][0-9A-Fa-f]{2})\\++u([Dd][C-Fc-f][0-9A-Fa-f]{2})'
    r"|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|([bfnrt])|([!-.:-@\[\]-`{-~]))"
)
_END: Final = lazy_compile(r'[\x00-\x20"<>\x7f]')
# An escape that the end of the text may have cut, of which the longest has so many characters.
_CUT_ESCAPE: Final = lazy_compile(
    r"(?>\\++u[Dd][89ABab][0-9A-Fa-f]{2})?+(?:\\++(?:u[0-9A-Fa-f]{0,3}|x[0-9A-Fa-f]?)?)?\Z"
)
_ESCAPE_LENGTH: Final = 2 * BACKSLASHES + 12
_CONTROLS: Final = str.maketrans("bfnrt", "\b\f\n\r\t")
# What is trimmed from the end of a bare candidate.
_TRIMMED: Final = lazy_compile("[.,;:!?'*_~]*+")
# Another link behind such a slash.
_ANOTHER: Final = lazy_compile(r"[A-Za-z][A-Za-z0-9+.\-]{0,63}+:\\*+/\\*+/")
_EXACT: Final = ('""', "<>")


def is_escaped(text: str, pivot: int, final: bool) -> bool:
    """Report whether escaped slashes follow a colon, or may follow it in the text to come."""
    return _SLASHES.match(text, pivot) is not None or (not final and _CUT.match(text, pivot) is not None)


def cut_slashes(text: str) -> int:
    r"""Return the offset of the colon behind which the end of a text may cut slashes, as in `http:\`, or its size."""
    colon = text.rfind(":", max(0, len(text) - _CUT_LENGTH))
    return colon if colon >= 0 and _CUT.match(text, colon) is not None else len(text)


class _Plain(NamedTuple):
    """A text with its escapes resolved.

    Attributes:
        text: that text.
        first: where it begins in the text as it stands.
        mixed: the offset in it of the first slash with another number of backslashes, and of what precedes that; -1 if
            there is none.
        new: the offsets in it behind each escape.
        old: the same in the text as it stands.
    """

    text: str
    first: int
    mixed: int
    new: list[int]
    old: list[int]

    def original(self, offset: int) -> int:
        """Return the offset in the text as it stands."""
        number = bisect_right(self.new, offset) - 1
        return self.old[number] + offset - self.new[number] if number >= 0 else self.first + offset


def _resolved(escape: re.Match[str], count: int) -> str | None:
    """Return the character that an escape stands for, in a string whose slashes have so many backslashes, or None."""
    _, backslashes, high, low, four, two, control, mark = escape.groups()
    if len(backslashes) > count and mark not in ('"', "'"):
        return None
    if mark or control:
        return mark or control.translate(_CONTROLS)
    if high:
        return chr(0x10000 + ((int(high, 16) & 0x3FF) << 10) + (int(low, 16) & 0x3FF))
    code = int(four or two, 16)
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else chr(code)


def _unescaped(text: str, first: int, pivot: int, stop: int, *, is_whole: bool, takes_all: bool) -> _Plain:
    """Resolve the escapes behind a colon.

    Args:
        text: the text around it.
        first: where to begin.
        pivot: the offset of the colon.
        stop: where to end.
        is_whole: whether no more text follows there.
        takes_all: whether a slash with another number of backslashes counts; else a backslash stays before it.
    """
    slashes = _SLASHES.match(text, pivot)
    assert slashes is not None  # `is_escaped`
    count = len(slashes[1])
    if not is_whole:
        cut = _CUT_ESCAPE.search(text, max(slashes.end(), stop - _ESCAPE_LENGTH), stop)
        stop = stop if cut is None else cut.start()
    pieces: list[str] = []
    new: list[int] = []
    old: list[int] = []
    size, at, mixed = 0, first, -1
    for escape in _ESCAPE.finditer(text, pivot, stop):
        backslashes = escape[1]
        if backslashes is not None:
            is_other = len(backslashes) != count
            if is_other and mixed < 0:
                mixed = size + escape.start() - at
            meant = (backslashes or "\\") + "/" if is_other and not takes_all else "/"
        elif escape[2] is None:
            break
        else:
            character = _resolved(escape, count)
            if character is None:
                continue
            meant = character
        before = text[at : escape.start()]
        pieces += before, meant
        size += len(before) + len(meant)
        at = escape.end()
        new.append(size)
        old.append(at)
        if _END.match(meant):
            break
    pieces.append(text[at:stop])
    return _Plain("".join(pieces), first, mixed, new, old)


class EscapedCandidates:
    """Finds candidates whose slashes are escaped.

    Args:
        options: what to find and how far to normalize.
        find: examines a pivot of a text without escapes, as `urisieve.find.finder.Finder.find`.
    """

    def __init__(self, options: Options, find: Callable[[str, int, int, bool], Found | Undecided | None]) -> None:
        self._limit = options.max_length
        self._takes_all = options.repair == Repair.ENCODE
        self._passing = syntax_of("", options)
        self._find = find

    def find(self, text: str, pivot: int, floor: int, final: bool) -> Found | Undecided | None:
        """Examine a colon behind which `is_escaped`; see `urisieve.find.finder.Finder.find`."""
        first = max(0, pivot - _BEFORE)
        if first and not text[first:pivot].rstrip(SCHEME_CHARACTERS):
            first = max(0, pivot - self._limit - _BEFORE)
        if _SLASHES.match(text, pivot) is None:
            least = max(first, floor)
            return Undecided(pivot, least + len(text[least:pivot].rstrip(SCHEME_CHARACTERS)), None)
        found, plain = self._found(text, first, pivot, floor, final, takes_all=self._takes_all)
        if plain.mixed >= 0 and isinstance(found, Found) and not self._takes_all:
            found, plain = self._mixed(text, first, pivot, floor, final, found, plain)
        if isinstance(found, Undecided):
            start = first + found.start
            return Undecided(pivot, start, _END if len(text) - start > LONG_RUN else None)
        return None if found is None else self._as_written(found, plain)

    def _found(
        self, text: str, first: int, pivot: int, floor: int, final: bool, *, takes_all: bool
    ) -> tuple[Found | Undecided | None, _Plain]:
        """Examine the colon in the text without escapes, of which more is made while the outcome is undecided."""
        longest = pivot + self._limit + 2 * LATER  # a candidate that goes on there is too long
        window = _WINDOW
        while True:
            stop = min(len(text), pivot + window, longest)
            is_whole = stop == longest or (final and stop == len(text))
            plain = _unescaped(text, first, pivot, stop, is_whole=is_whole, takes_all=takes_all)
            found = self._find(plain.text, pivot - first, max(0, floor - first), is_whole)
            if not isinstance(found, Undecided) or stop == len(text):
                return found, plain
            window *= _GROWTH

    def _as_written(self, found: Found, plain: _Plain) -> Found:
        """Return a candidate with its offsets in the text as it stands."""
        start, end = plain.original(found.start), plain.original(found.end)
        if end - start > self._limit:
            too_long = fault(Reason.TOO_LONG, Component.IDENTIFIER, self._limit)
            return Found(start, start + self._limit, None, (), (), too_long, self._passing)
        judged = found.judged
        if isinstance(judged, Fault):
            judged = judged._replace(offset=plain.original(found.start + judged.offset) - start)
        warnings = (*found.warnings, Warn.UNESCAPED)
        return Found(start, end, found.wrapper, warnings, found.alternatives, judged)

    def _mixed(
        self, text: str, first: int, pivot: int, floor: int, final: bool, found: Found, plain: _Plain
    ) -> tuple[Found | Undecided | None, _Plain]:
        """Complete a candidate that ends at a slash with another number of backslashes, or is said to hold it."""
        is_exact = found.wrapper in _EXACT and found.end > plain.mixed
        if not is_exact:
            if Warn.STOPS_AT_EXCLUDED not in found.warnings or not _TRIMMED.fullmatch(
                plain.text, found.end, plain.mixed
            ):
                return found, plain
            end = plain.original(found.end)
            stop = _END.search(text, end, end + LATER)
            is_known = stop is not None or len(text) >= end + LATER
            if not is_known and not final:
                return Undecided(pivot - first, found.start - 1, None), plain
            last = stop.start() if stop is not None else len(text)
            if (stop is None and is_known) or _ANOTHER.search(text, end, last):
                return found._replace(alternatives=()), plain
        whole, other = self._found(text, first, pivot, floor, final, takes_all=True)
        if is_exact or isinstance(whole, Undecided):
            return whole, other
        others: tuple[str, ...] = ()
        if whole is not None and whole.end > found.end and isinstance(whole.judged, Judged):
            others = (whole.judged.uri, *whole.alternatives)
        return found._replace(alternatives=others), plain
