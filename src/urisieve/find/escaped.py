r"""Candidates in strings with escapes, as in JSON, scripts, dumps of SQL and patterns.

Three forms are read:

- `https:\/\/a.example\/x`. Before each slash are as many backslashes as before the first one; a string in a string
  has two or three. The escapes of JSON (RFC 8259 7) and of scripts (ECMA-262 12.9.4) are resolved up to what ends any
  such string. A slash with another number of backslashes ends a bare candidate, as that of
  `s/https:\/\/a.example\/x/y/`; one of which an exact wrapper states the extent may contain it, as strings of JSON do.
- `https:\u002F\u002Fa.example\u002Fx`, as scripts of pages have it.
- `https://a.example/?x=1\u0026y=2`, as programs in Go write it: an escape directly inside a candidate. A backslash is
  in no URI, so that `\/`, `\uXXXX` and `\xXX` have one reading. Any other backslash ends a bare candidate.

The text that results is examined as any other (`urisieve.find.ends.candidates`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from urisieve.codes import Warn
from urisieve.find.ends import candidates
from urisieve.find.ends.candidates import LATER, Find, Found, Meant, PlainCandidates, PlainText, Undecided, plain_text
from urisieve.find.pivots import BACKSLASHES, ESCAPED_SLASHES, SCHEME_CHARACTERS
from urisieve.finding_options import Options, Repair
from urisieve.judge.judge import Judged
from urisieve.judge.validate import Fault
from urisieve.lean import Final, TypeAlias, lazy_compile

_SLASHES: Final = lazy_compile(rf":{ESCAPED_SLASHES}")
# The same, which the end of a text may have cut; some more are counted.
_CUT: Final = lazy_compile(rf":(?:\\[\\/u02xFf]{{0,{2 * BACKSLASHES + 9}}}+)?\Z")
_CUT_LENGTH: Final = 2 * BACKSLASHES + 11
# A character that ends the text in which escapes are resolved (sequences of a terminal may be in it); a slash; an
# escape.
_ESCAPE: Final = lazy_compile(
    r'[\x00-\x1a\x1c-\x20"<>\x7f]|(\\*+)/|(\\++)(?:u([Dd][89ABab][0-9A-Fa-f]{2})\\++u([Dd][C-Fc-f][0-9A-Fa-f]{2})'
    r"|u([0-9A-Fa-f]{4})|x([0-7][0-9A-Fa-f])|([bfnrt])|([!-.:-@\[-`{-~]))"
)
_END: Final = lazy_compile(r'[\x00-\x1a\x1c-\x20"<>\x7f]')
# An escape that the end of the text may have cut, of which the longest has so many characters.
_CUT_ESCAPE: Final = lazy_compile(r"(?>\\++u[Dd][89ABab][0-9A-Fa-f]{2})?+(?:\\++(?:u[0-9A-Fa-f]{0,3}|x[0-7]?)?)?\Z")
_ESCAPE_LENGTH: Final = 2 * BACKSLASHES + 12
# An escape directly inside a candidate, and one that the end of the text may have cut.
_INSIDE: Final = lazy_compile(rf"(\\{{1,{BACKSLASHES}}}+)(?:/|u([0-9A-Fa-f]{{4}})|x([0-7][0-9A-Fa-f])|[nrt])")
_INSIDE_CUT: Final = lazy_compile(rf"\\{{1,{BACKSLASHES}}}+(?:u[0-9A-Fa-f]{{0,3}}|x[0-7]?)?\Z")
_LETTER_OR_DIGIT: Final = lazy_compile("[A-Za-z0-9]")
# What may be after `\n`, `\r` and `\t` in a path of Windows, and is no link; what the end of the text may have cut.
_IN_PATH: Final = lazy_compile(rf"(?![a-z][A-Za-z0-9+.\-]{{0,63}}+:\\{{0,{BACKSLASHES}}}+/)[a-z0-9]")
_AFTER_CONTROL_CUT: Final = lazy_compile(rf"(?:[a-z][A-Za-z0-9+.\-]{{0,63}}+(?::\\{{0,{BACKSLASHES}}}+)?)?\Z")
_AUTHORITY: Final = lazy_compile("[^/?#]*+")
_CONTROLS: Final = str.maketrans("bfnrt", "\b\f\n\r\t")
# What is trimmed from the end of a bare candidate.
_TRIMMED: Final = lazy_compile("[.,;:!?'*_~]*+")
# Another link after such a slash.
_ANOTHER: Final = lazy_compile(r"[A-Za-z][A-Za-z0-9+.\-]{0,63}+:\\*+/\\*+/")
_EXACT: Final = ('""', "<>")
# A text, a pivot, the end of the previous candidate, and whether the text is complete.
_Look: TypeAlias = tuple[str, int, int, bool]


def is_escaped(text: str, pivot: int, final: bool) -> bool:
    """Report whether escaped slashes follow a colon, or may follow it in the text to come."""
    return _SLASHES.match(text, pivot) is not None or (not final and _CUT.match(text, pivot) is not None)


def cut_slashes(text: str) -> int:
    r"""Return the offset of the colon after which the end of a text may cut slashes, as in `http:\`, or its size."""
    colon = text.rfind(":", max(0, len(text) - _CUT_LENGTH))
    return colon if colon >= 0 and _CUT.match(text, colon) is not None else len(text)


def _resolved(escape: re.Match[str], count: int) -> str | None:
    """Return the character that an escape represents, in a string whose slashes have so many backslashes, or None."""
    _, backslashes, high, low, four, two, control, mark = escape.groups()
    if len(backslashes) > (BACKSLASHES if mark in ('"', "'") else count):
        return None
    if mark or control:
        return mark or control.translate(_CONTROLS)
    if high:
        return chr(0x10000 + ((int(high, 16) & 0x3FF) << 10) + (int(low, 16) & 0x3FF))
    code = int(four or two, 16)
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else chr(code)


def _slash(backslashes: str, count: int, *, takes_all: bool) -> str:
    """Return what a slash with so many backslashes before it means, where others have `count`."""
    return "/" if takes_all or len(backslashes) == count else (backslashes or "\\") + "/"


def _is_blank(meant: str) -> bool:
    """Report whether an escape represents white space or a control."""
    return meant != "" and (meant <= " " or meant.isspace())


def _changes(text: str, pivot: int, stop: int, count: int, *, takes_all: bool, keeps: bool) -> Iterator[Meant]:
    """Yield the escapes after a pivot, in a string whose slashes have so many backslashes."""
    for escape in _ESCAPE.finditer(text, pivot, stop):
        backslashes = escape[1]
        if backslashes is not None:
            meant: str | None = _slash(backslashes, count, takes_all=takes_all)
        elif escape[2] is None:
            return
        else:
            meant = _resolved(escape, count)
        if meant is not None and not (keeps and _is_blank(meant)):
            yield Meant(escape.start(), escape.end(), meant)
            if _END.match(meant):
                return


def _changes_inside(text: str, pivot: int, stop: int, *, keeps: bool) -> Iterator[Meant]:
    """Yield the escapes after a pivot, where slashes need none; the first one states how many backslashes each has."""
    count = 0
    for escape in _ESCAPE.finditer(text, pivot, stop):
        if escape[1] is None and escape[2] is None:
            return
        if escape[1] == "":
            continue
        count = count or len(escape[1] or escape[2] or "")
        if escape[1] is not None:
            meant = "/" if len(escape[1]) == count else None
        else:
            is_mark = escape[8] is not None and escape[8] not in "\"'"
            meant = None if is_mark or (escape[7] is not None and escape[7] in "bf") else _resolved(escape, count)
        if meant is not None and not (keeps and _is_blank(meant)):
            yield Meant(escape.start(), escape.end(), meant)
            if _END.match(meant):
                return


def _before_cut(text: str, least: int, stop: int) -> int:
    """Return where the escape begins that a part cuts at its end, or its end."""
    cut = _CUT_ESCAPE.search(text, max(least, stop - _ESCAPE_LENGTH), stop)
    return stop if cut is None else cut.start()


def _unescaped(
    text: str, first: int, pivot: int, stop: int, is_whole: bool, *, takes_all: bool, keeps: bool = False
) -> PlainText:
    """Resolve the escapes after a colon with escaped slashes: a rule of `PlainCandidates`.

    `takes_all` states whether a slash with another number of backslashes counts; else a backslash stays before it, and
    the first such place is in doubt. `keeps` states whether what represents white space is left as it is.
    """
    slashes = _SLASHES.match(text, pivot)
    assert slashes is not None  # `is_escaped`
    stop = stop if is_whole else _before_cut(text, slashes.end(), stop)
    if not text.startswith("/", slashes.end() - 1):
        return plain_text(text, first, stop, _changes_inside(text, pivot, stop, keeps=keeps))
    changes = list(_changes(text, pivot, stop, len(slashes[1]), takes_all=takes_all, keeps=keeps))
    mixed = (start for start, _, meant in changes if meant[0] == "\\" and len(meant) > 1)
    return plain_text(text, first, stop, changes, next(mixed, -1))


def _unescaped_inside(
    text: str, first: int, pivot: int, stop: int, is_whole: bool, *, keeps: bool = False
) -> PlainText:
    """Resolve the escapes after a pivot: a rule of `PlainCandidates`."""
    stop = stop if is_whole else _before_cut(text, pivot, stop)
    return plain_text(text, first, stop, _changes_inside(text, pivot, stop, keeps=keeps))


def whole_unescaped(text: str) -> PlainText:
    """Resolve the escapes in a whole text that a carrier delimits, after its scheme, if it has one."""
    pivot = max(0, text.find(":"))
    if text.startswith(":", pivot) and is_escaped(text, pivot, final=True):
        return _unescaped(text, 0, pivot, len(text), is_whole=True, takes_all=True)
    return _unescaped_inside(text, 0, pivot, len(text), is_whole=True)


def escape_inside(text: str, pivot: int, at: int, final: bool) -> bool | None:
    r"""Report whether an escape is where a candidate ends, and is one that a candidate may contain or that ends it.

    In an authority one that represents a letter or digit is none: no user has to write that, but paths of Windows look
    so, `http://server.example\x64\setup`. So do those of controls before a small letter or a digit,
    `http://server\newfolder`.

    Returns:
        None if the end of the text may have cut it.
    """
    escape = _INSIDE.match(text, at)
    if escape is None:
        return None if not final and _INSIDE_CUT.match(text, at) is not None else False
    code = escape[2] or escape[3]
    end = escape.end()
    if code is None and text[end - 1] == "/":
        return True
    if code is not None and _LETTER_OR_DIGIT.match(chr(int(code, 16))) is None:
        return True
    begin = pivot + 3 if text.startswith("://", pivot) else pivot
    authority = _AUTHORITY.match(text, begin, at) if begin > pivot or text[pivot] in "wW." else None
    if authority is None or authority.end() < at:
        return True
    if code is not None:
        return False
    if not final and _AFTER_CONTROL_CUT.match(text, end) is not None:
        return None
    return _IN_PATH.match(text, end) is None


class EscapedCandidates:
    """Finds candidates that contain escapes.

    Args:
        options: what to find and how far to normalize.
        find: examines a pivot of a text without escapes, as `urisieve.find.finder.Finder.find`.
    """

    def __init__(self, options: Options, find: Find) -> None:
        self._takes_all = options.repair == Repair.ENCODE
        self._plain = PlainCandidates(options, find)

    def find(self, text: str, pivot: int, floor: int, final: bool) -> Found | Undecided | None:
        """Examine a colon after which `is_escaped`; see `urisieve.find.finder.Finder.find`."""
        first = self._plain.first(text, pivot)
        if _SLASHES.match(text, pivot) is None:
            least = max(first, floor)
            return Undecided(pivot, least + len(text[least:pivot].rstrip(SCHEME_CHARACTERS)), None)
        look = text, pivot, floor, final
        examined = self._plain.find(*look, partial(_unescaped, takes_all=self._takes_all))
        if not self._takes_all:
            examined = self._mixed(look, *examined)
        rule = partial(_unescaped, takes_all=self._takes_all, keeps=True)
        return self._plain.outcome(text, pivot, self._with_password(look, *examined, rule), Warn.UNESCAPED)

    def find_inside(self, text: str, pivot: int, floor: int, final: bool) -> Found | Undecided | None:
        """Examine a pivot whose candidate ends at an escape, or at a sequence of a terminal."""
        look = text, pivot, floor, final
        examined = self._plain.find(*look, _unescaped_inside)
        examined = self._with_password(look, *examined, partial(_unescaped_inside, keeps=True))
        return self._plain.outcome(text, pivot, examined, Warn.UNESCAPED)

    def _with_password(
        self, look: _Look, found: Found | Undecided | None, plain: PlainText, rule: candidates.Rule
    ) -> candidates.Examined:
        r"""Return a candidate that ends at an escape of white space, or the rejection with its whole password.

        In `http://u:4711\n0815@h.example/` the backslash may be of the password: with it, the candidate ends in one.

        Args:
            look: the text, the pivot, the end of the previous candidate, and whether the text is complete.
            found: what was found in a plain text.
            plain: that text.
            rule: leaves the escapes of white space as they are.
        """
        text, pivot, _, _ = look
        if not isinstance(found, Found) or found.passing is not None or found.wrapper is not None:
            return found, plain
        trimmed = _TRIMMED.match(plain.text, found.end)
        end = found.end if trimmed is None else trimmed.end()
        if not _is_blank(plain.text[end : end + 1]):
            return found, plain
        at = plain.original_end(end)
        if text[at : at + 1] != "\\" or plain.text.find(":", pivot - plain.first + 1, end) < 0:
            return found, plain
        whole, other = self._plain.find(*look, rule)
        is_rejected = isinstance(whole, Found) and isinstance(whole.judged, Fault)
        holds_more = is_rejected and other.original_end(whole.end) > at  # type: ignore[union-attr] # it is `Found`
        return (whole, other) if isinstance(whole, Undecided) or holds_more else (found, plain)

    def _mixed(self, look: _Look, found: Found | Undecided | None, plain: PlainText) -> candidates.Examined:
        """Complete a candidate that ends at a slash with another number of backslashes, or is stated to contain it."""
        text, pivot, _, final = look
        if plain.doubt < 0 or not isinstance(found, Found):
            return found, plain
        is_exact = found.wrapper in _EXACT and found.end > plain.doubt
        if not is_exact:
            is_before = _TRIMMED.fullmatch(plain.text, found.end, plain.doubt) is not None
            if Warn.STOPS_AT_EXCLUDED not in found.warnings or not is_before:
                return found, plain
            end = plain.original_end(found.end)
            stop = _END.search(text, end, end + LATER)
            is_known = stop is not None or len(text) >= end + LATER
            if not is_known and not final:
                return Undecided(pivot - plain.first, found.start - 1, None), plain
            last = stop.start() if stop is not None else len(text)
            if (stop is None and is_known) or _ANOTHER.search(text, end, last):
                return found._replace(alternatives=()), plain
        whole, other = self._plain.find(*look, partial(_unescaped, takes_all=True))
        if is_exact or isinstance(whole, Undecided):
            return whole, other
        others: tuple[str, ...] = ()
        if whole is not None and whole.end > found.end and isinstance(whole.judged, Judged):
            others = (whole.judged.uri, *whole.alternatives)
        return found._replace(alternatives=others), plain
