r"""Candidates that end where an escape of a string is in the text, or a sequence of a terminal.

Escape sequences of a terminal (ECMA-48 5.4) are those in `http://localhost:\x1b[1m5173\x1b[22m/`. A control sequence
that ends in `m` (attributes, ECMA-48 8.3.117) or `K` (which programs write beside them) between two characters of a
candidate is taken out. Where one directly before the candidate sets an attribute, the candidate ends where that
attribute is reset. Any other sequence ends it, as does one before another link.

Most candidates end at a blank, and nothing is done. Else the text is read as it is meant, first without escapes, then
without sequences, which may have been escaped themselves; the candidate is examined again in what results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from urisieve.codes import Reason, Warn
from urisieve.find.ends.candidates import LATER, Find, Found, Meant, PlainCandidates, PlainText, Undecided, plain_text
from urisieve.find.ends.exit import continues
from urisieve.find.ends.unspaced import LINK_START
from urisieve.find.escaped import EscapedCandidates, escape_inside, is_escaped, whole_unescaped
from urisieve.find.pivots import WantedSchemes
from urisieve.finding_options import Options, Refang, Repair
from urisieve.judge.judge import Judged
from urisieve.judge.validate import Fault
from urisieve.lean import Final, lazy_compile
from urisieve.syntax.passwords import passwords, suspected_passwords

# The most parameters and intermediates that are read, in characters: colours of text and ground take some thirty.
_LONGEST: Final = 64
_STYLE: Final = rf"(?:\x1b\[|\x9b)[0-9;:]{{0,{_LONGEST}}}+[mK]"
# A string of a device, as OSC (5.6), is longer: it may contain a link.
_LONGEST_STRING: Final = 2_048
_STRING: Final = rf"\x1b[\]PX^_][^\x07\x1b\x9c]{{0,{_LONGEST_STRING}}}+(?:\x07|\x9c|\x1b\\)"
_OTHER: Final = (
    rf"(?:\x1b\[|\x9b)[0-?]{{0,{_LONGEST}}}+[ -/]{{0,8}}+[@-~]|\x1b(?:[#%()*+\-./$]{{1,2}}+[0-~]|[0-OQ-WYZ`-~])"
)
# Attributes; any other sequence; the character that opens one.
_SEQUENCE: Final = lazy_compile(rf"(?P<style>{_STYLE})|{_OTHER}|{_STRING}|\x1b\\|[\x1b\x9b]|(?P<feed>\n)")
# The beginning of a sequence that the end of a text may have cut.
_CUT: Final = lazy_compile(
    rf"(?:(?:\x1b\[|\x9b)[0-?]{{0,{_LONGEST}}}+[ -/]{{0,8}}+|\x1b[#%()*+\-./$]{{0,2}}+"
    rf"|\x1b[\]PX^_][^\x07\x1b\x9c]{{0,{_LONGEST_STRING}}}+\x1b?)\Z"
)
_ESCAPE_OPENERS: Final = "\x1b\x9b"
# Attributes directly before a candidate; less than the context that a search keeps.
_BEFORE: Final = lazy_compile(rf"(?>{_STYLE})++\Z")
_WINDOW: Final = 96
# How far before a pivot an angle bracket may open, which may contain line breaks: a scheme and `URL:` are between.
_ANGLE: Final = 32
_LINK: Final = lazy_compile(LINK_START)
_LINK_CUT: Final = lazy_compile(r"(?:[A-Za-z][A-Za-z0-9+.\-]{0,63}+(?::/?)?)?\Z")
# Sequences after which nothing goes on.
_LAST: Final = lazy_compile(rf"(?>{_STYLE}|{_OTHER})++[.,;:!?]?+(?:[\s\"<>]|(\Z))")
_SEQUENCES: Final = lazy_compile(rf"(?>{_STYLE}|{_OTHER}|{_STRING})*+")
# Sequences before another link: nothing goes on after them.
_BEFORE_LINK: Final = lazy_compile(rf"(?>{_STYLE}|{_OTHER}|{_STRING})++{LINK_START}")
# What is trimmed from the end of a bare candidate, or of a host.
_TRIMMED: Final = lazy_compile(r"(?>&[#0-9A-Za-z]{1,32};|[.,;:!?'*_~(\-=$&+])*+")
# A run from a sequence on, with all sequences.
_JOINED: Final = lazy_compile(rf'(?>{_STYLE}|{_OTHER}|{_STRING}|[^\x00-\x1a\x1c-\x20"<>\x7f])*+')
# The hyperlinks of terminals: `ESC ] 8 ; parameters ; link ST`.
_HYPERLINK: Final = "\x1b]8;"
_STRING_ENDS: Final = "\x1b\\"
# The parameter that resets each attribute (ECMA-48 8.3.117; 90 and 100 are those of xterm); 0 resets all.
_RESET: Final = {
    **dict.fromkeys((1, 2), 22),
    **dict.fromkeys((3, 20), 23),
    **dict.fromkeys((4, 21), 24),
    **dict.fromkeys((5, 6), 25),
    7: 27,
    8: 28,
    9: 29,
    **dict.fromkeys((*range(30, 39), *range(90, 98)), 39),
    **dict.fromkeys((*range(40, 49), *range(100, 108)), 49),
}
# The parameters of colours that others follow: `38;5;N`, `38;2;R;G;B`.
_COLORS: Final = (38, 48, 58)
_FOLLOWING: Final = {"5": 2, "2": 4}


def _parameters(sequence: str) -> Iterator[int]:
    """Yield the parameters of attributes; none of a sequence that ends in `K`."""
    if not sequence.endswith("m"):
        return
    written = sequence.rstrip("m").lstrip("\x1b\x9b[").split(";")
    index = 0
    while index < len(written):
        name, _, more = written[index].partition(":")
        code = int(name or "0")
        yield code
        is_color = code in _COLORS and not more
        index += 1 + (_FOLLOWING.get("".join(written[index + 1 : index + 2]), 0) if is_color else 0)


def attributes_before(text: str, start: int) -> frozenset[int]:
    """Return the parameters that reset the attributes which sequences directly before an offset set."""
    before = _BEFORE.search(text, max(0, start - _WINDOW), start)
    if before is None:
        return frozenset()
    opened: set[int] = set()
    for sequence in _SEQUENCE.finditer(text, before.start(), start):
        for code in _parameters(sequence[0]):
            if code == 0:
                opened.clear()
            elif code in _RESET:
                opened.add(_RESET[code])
            else:
                opened.discard(code)
    return frozenset(opened)


def run_end(text: str, end: int) -> int:
    """Return where the run of a candidate ends, with what is trimmed from it, if a sequence or an escape ends it."""
    trimmed = _TRIMMED.match(text, end)
    return end if trimmed is None else trimmed.end()


def is_sequence(text: str, at: int, final: bool) -> bool:
    """Report whether a sequence after which a candidate may go on is at an offset, or may be there."""
    if text[at : at + 1] not in _ESCAPE_OPENERS or at == len(text) or text.startswith((_HYPERLINK, _STRING_ENDS), at):
        return False
    if _BEFORE_LINK.match(text, at) is not None:
        return False
    last = _LAST.match(text, at)
    return last is None or (last[1] is not None and not final)


def _without(
    text: str, first: int, pivot: int, stop: int, is_whole: bool, *, opened: frozenset[int], takes_all: bool
) -> PlainText:
    """Take the sequences after a pivot out: a rule of `PlainCandidates`.

    The first one that stays is in doubt.

    Args:
        text: the text.
        first: where to begin.
        pivot: the pivot.
        stop: where to end.
        is_whole: whether no more text follows there.
        opened: the parameters that reset an attribute of the candidate.
        takes_all: whether sequences that end a candidate are taken out, too.
    """
    if not is_whole:
        escape = max(text.rfind(opener, pivot, stop) for opener in _ESCAPE_OPENERS)
        string = text.rfind("\x1b", pivot, escape) if text[escape : escape + 2] in ("\x1b\\", "\x1b") else -1
        if string >= 0 and _CUT.match(text, string, stop):
            escape = string
        if escape >= 0 and _CUT.match(text, escape, stop):
            stop = escape
    crosses_lines = text.find("<", max(first, pivot - _ANGLE), pivot) >= 0
    changes: list[Meant] = []
    size = -pivot
    for sequence in _SEQUENCE.finditer(text, pivot, stop):
        start, end = sequence.span()
        if sequence["feed"] is not None:
            if crosses_lines:
                continue
            break
        is_taken = takes_all and end - start > 1
        if sequence["style"] is not None:
            if opened and any(code == 0 or code in opened for code in _parameters(sequence[0])):
                is_taken = is_taken or size + start <= len("://")  # it was of the scheme
                opened = frozenset()
            else:
                is_taken = True
        size -= end - start
        if not is_whole and _LINK_CUT.match(text, end, stop) is not None:
            stop = start
            break
        if not is_taken or _LINK.match(text, end) is not None:
            return plain_text(text, first, stop, changes, start)
        changes.append(Meant(start, end, ""))
    return plain_text(text, first, stop, changes)


def whole_without(text: str) -> PlainText:
    """Take the attributes out of a whole text that a carrier delimits."""
    return _without(text, 0, 0, len(text), is_whole=True, opened=frozenset(), takes_all=False)


def shorter_reading(cut: Judged | Fault, text: str, size: int, uri: str) -> tuple[str, ...]:
    """Return the reading of a candidate that stops at its first sequence.

    It has none that ends in a password, of which it would show a piece.

    Args:
        cut: the judgement of what stops there.
        text: the candidate without sequences.
        size: where the first one was in it.
        uri: its canonical form.
    """
    if isinstance(cut, Fault) or cut.uri == uri:
        return ()
    return () if any(first <= size <= last for first, last in passwords(text)) else (cut.uri,)


class TerminalCandidates:
    """Finds candidates in which sequences of a terminal are.

    Args:
        options: what to find and how far to normalize.
        find: examines a pivot of a text without such sequences.
    """

    def __init__(self, options: Options, find: Find) -> None:
        self._plain = PlainCandidates(options, find)

    def find(
        self, text: str, pivot: int, floor: int, final: bool, cut: Found | None, start: int
    ) -> Found | Undecided | None:
        """Examine a pivot whose candidate ends at a sequence.

        Args:
            text: the text around it.
            pivot: its offset.
            floor: the end of the previous candidate.
            final: whether the text is complete.
            cut: the candidate that ends there, if it is one.
            start: where the candidate begins.

        Returns:
            None if the sequence is no part of a candidate: it ends there.
        """
        opened = attributes_before(text, start)
        rule = partial(_without, opened=opened, takes_all=False)
        found, plain = self._plain.find(text, pivot, floor, final, rule)
        if isinstance(found, Undecided):
            return self._plain.undecided(text, pivot, plain.first + found.start)
        if found is None:
            return None
        is_changed = plain.is_changed(found.end)
        follows = self._follows(text, found, plain, final)
        if follows is None:
            return self._plain.undecided(text, pivot, plain.first + found.start - 1)
        joined: tuple[str, ...] = ()
        near = plain.original(plain.doubt) if follows else 0
        most = near + LATER
        run = _JOINED.match(text, near, most) if follows else None
        last = near if run is None else run.end()
        # Nothing is joined over another link, before which as much would be read again.
        if run is not None and text.find("://", near, last) < 0:
            if last == len(text) < most and not final:
                return self._plain.undecided(text, pivot, plain.first + found.start - 1)
            rule = partial(_without, opened=frozenset(), takes_all=True)
            whole = self._plain.find(text, pivot, floor, final, rule)[0] if last < most else None
            if isinstance(whole, Undecided):
                return self._plain.undecided(text, pivot, plain.first + whole.start)
            if whole is not None and whole.end > found.end and isinstance(whole.judged, Judged):
                joined = (whole.judged.uri,)
        written = self._plain.as_written(found, plain, Warn.ESCAPES_REMOVED)
        if isinstance(written.judged, Judged):
            if is_changed and cut is not None:
                size = plain.starts[0] - found.start
                raw = plain.text[found.start : found.end]
                joined = (*shorter_reading(cut.judged, raw, size, written.judged.uri), *joined)
            if follows and Warn.STOPS_AT_EXCLUDED not in written.warnings:
                written = written._replace(warnings=(*written.warnings, Warn.STOPS_AT_EXCLUDED))
            return written._replace(alternatives=(*written.alternatives, *joined))
        return written

    def _follows(self, text: str, found: Found, plain: PlainText, final: bool) -> bool | None:
        """Report whether a character of a candidate follows the sequence at which it ends; None for more text."""
        if plain.doubt < 0 or found.wrapper is not None:
            return False
        if run_end(plain.text, found.end) != plain.doubt:
            return False
        at = plain.original(plain.doubt)
        if text.startswith((_HYPERLINK, _STRING_ENDS), at):
            return False  # in a hyperlink, or after its text
        run = _SEQUENCES.match(text, at)
        end = at if run is None else run.end()
        if not final and (_LINK_CUT.match(text, end) is not None or _CUT.match(text, end) is not None):
            return None
        if end == at or _LINK.match(text, end) is not None:
            return False
        return end < len(text) and continues(text[end])


# What may follow a candidate that goes on after an escape: what is trimmed from its end, and what begins an escape.
_OPENERS: Final = "\\\x1b\x9b"
_AFTER_END: Final = f".,;:!?'*_~(-=$&+{_OPENERS}"
# From a colon, or `www.`, to what begins an escape, if no candidate is found before it: between them is a user, or
# the beginning of a host.
_REACH: Final = 128
_RUN: Final = lazy_compile(rf'[:wW][^\x00-\x20"<>\\\x7f-\x9f]{{1,{_REACH}}}+(?=[\\\x1b\x9b])')
# The same where candidates contain backslashes (`Options.repair`).
_AHEAD: Final = lazy_compile(rf'[:wW@.][^\x00-\x20"<>\\\x7f-\x9f]{{1,{_REACH}}}+(?=\\)')
# The most characters of a candidate that is not valid after its first sequence, if what is valid before that stays:
# after each such record the rest is examined again.
_REST: Final = 128
# A candidate that ends in its authority.
_IN_HOST: Final = lazy_compile(r"[^/?#]*//[^/?#]*+")
# A run with sequences of a terminal and no escape of a string, which spares one of two ways; a longer run may
# contain one.
_WITHOUT_ESCAPES: Final = lazy_compile(r'[^\x00-\x1a\x1c-\x20"<>\\\x7f]{0,512}+[\x00-\x1a\x1c-\x20"<>\x7f]')
# Returns what was found at a pivot, or a rejection if it ends in a password: from the text, the pivot, whether the text
# is complete, and what was found.
_Settle = Callable[[str, int, bool, Found | Undecided | None], Found | Undecided | None]


class Escapes:
    """Examines pivots whose candidates may contain escapes.

    Args:
        options: what to find and how far to normalize.
        wanted: the schemes that count.
        find: examines a pivot of a text without escapes.
        settle: completes what `find` returns.
        judged: judges the text of a candidate.
    """

    def __init__(
        self,
        options: Options,
        wanted: WantedSchemes,
        find: Find,
        settle: _Settle,
        judged: Callable[[str, str], Judged | Fault],
    ) -> None:
        self._takes_any = options.refang == Refang.KNOWN_FORMS
        self._repairs = options.repair != Repair.OFF
        self._scheme_before = wanted.before
        self._find = find
        self._settle = settle
        self._judged = judged
        self._sequences = _WithSequences(options, wanted, find, settle)
        self._escaped = EscapedCandidates(options, self._sequences.find)

    def find(self, text: str, pivot: int, floor: int, final: bool) -> Found | Undecided | None:
        """Examine one pivot; see `urisieve.find.finder.Finder.find`."""
        if text.startswith(":\\", pivot) and is_escaped(text, pivot, final):
            is_wanted = self._takes_any or self._scheme_before(text, pivot, floor) is not None
            return self._escaped.find(text, pivot, floor, final) if is_wanted else None
        if self._repairs and self._begins_with_escape(text, pivot, floor, final):
            # what is repaired would go on over all escapes after it, and be read again for each
            held = self._escaped.find_inside(text, pivot, floor, final)
            if held is not None:
                return held
        found = self._find(text, pivot, floor, final)
        at = self._sequences.end(text, pivot, floor, found)
        if at >= 0:
            follows = escape_inside(text, pivot, at, final) if text[at] == "\\" else is_sequence(text, at, final)
            if follows is None:
                return Undecided(pivot, max(0, self._sequences.start(text, pivot, floor, found) - 1), None)
            if follows and (held := self._examined(text, pivot, floor, final, found, at)) is not None:
                return held
            if follows and isinstance(found, Found):
                return self._settle(text, pivot, final, _before_rest(text, found, at))
        return self._settle(text, pivot, final, found)

    def _begins_with_escape(self, text: str, pivot: int, floor: int, final: bool) -> bool:
        """Report whether an escape is the first backslash of a run that begins with what may begin a candidate."""
        if (run := _AHEAD.match(text, pivot)) is None or escape_inside(text, pivot, run.end(), final) is not True:
            return False
        return text[pivot] != ":" or self._takes_any or self._scheme_before(text, pivot, floor) is not None

    def _examined(
        self, text: str, pivot: int, floor: int, final: bool, found: Found | Undecided | None, at: int
    ) -> Found | Undecided | None:
        """Examine a pivot again whose candidate ends at an escape or a sequence; None if nothing is held."""
        if text[at] != "\\" and _WITHOUT_ESCAPES.match(text, at) is not None:
            return self._sequences.without(text, pivot, floor, final, found)
        return self._escaped.find_inside(text, pivot, floor, final)

    def whole(self, content: str) -> Found | None:
        """Return the candidate that is all of a text after a scheme, if it is valid without escapes; else None."""
        if not any(character in content for character in _OPENERS):
            return None
        unescaped = whole_unescaped(content)
        plain = whole_without(unescaped.text)
        judged = self._judged(plain.text, "")
        if isinstance(judged, Fault):
            return None
        size = len(plain.text)
        end = plain.original_end(size)
        warnings: tuple[Warn, ...] = ()
        alternatives: tuple[str, ...] = ()
        if plain.is_changed(size):
            cut = self._judged(plain.text[: plain.starts[0]], "")
            alternatives = shorter_reading(cut, plain.text, plain.starts[0], judged.uri)
            warnings = (Warn.ESCAPES_REMOVED,)
        if unescaped.is_changed(end):
            warnings = (*warnings, Warn.UNESCAPED)
        return Found(0, unescaped.original_end(end), None, warnings, alternatives, judged)


class _WithSequences:
    """Examines pivots of text without escapes, whose candidates may contain sequences of a terminal; see `Escapes`."""

    def __init__(self, options: Options, wanted: WantedSchemes, find: Find, settle: _Settle) -> None:
        self._repairs = options.repair != Repair.OFF
        self._scheme_before = wanted.before
        self._find = find
        self._settle = settle
        self._terminal = TerminalCandidates(options, partial(_settled, find, settle))

    def find(self, text: str, pivot: int, floor: int, final: bool) -> Found | Undecided | None:
        """Examine one pivot; see `urisieve.find.finder.Finder.find`."""
        found = self._find(text, pivot, floor, final)
        at = self.end(text, pivot, floor, found)
        if at >= 0 and is_sequence(text, at, final):
            held = self.without(text, pivot, floor, final, found)
            if held is not None:
                return held
            if isinstance(found, Found):
                found = _before_rest(text, found, at)
        return self._settle(text, pivot, final, found)

    def without(
        self, text: str, pivot: int, floor: int, final: bool, found: Found | Undecided | None
    ) -> Found | Undecided | None:
        """Examine a pivot without the sequences; what is valid before the first one stays, if the whole is not."""
        cut = found if isinstance(found, Found) else None
        held = self._terminal.find(text, pivot, floor, final, cut, self.start(text, pivot, floor, found))
        if cut is None or isinstance(cut.judged, Fault) or not isinstance(held, Found):
            return held
        if not isinstance(held.judged, Fault) or held.passing is not None or held.wrapper is not None:
            return held
        if held.judged.reason is Reason.TOO_LONG or not 0 < held.end - cut.end <= _REST:
            return held
        rest = whole_without(text[cut.end : cut.end + _REST]).text[:1]
        if _IN_HOST.fullmatch(text, cut.start, cut.end) is not None and (rest.isalnum() or rest in "-._:@"):
            return held  # its host would be another one
        size = cut.end - held.start
        if any(first <= size <= last for first, last in suspected_passwords(text[held.start : held.end])):
            return held
        settled = self._settle(text, pivot, final, cut)
        if isinstance(settled, Found) and isinstance(settled.judged, Fault):
            return held  # it ends in a password
        if isinstance(settled, Found) and Warn.STOPS_AT_EXCLUDED not in settled.warnings:
            return settled._replace(warnings=(*settled.warnings, Warn.STOPS_AT_EXCLUDED))
        return settled

    def end(self, text: str, pivot: int, floor: int, found: Found | Undecided | None) -> int:
        r"""Return where a candidate ends, or would begin, at a backslash, ESC or CSI; -1 for most candidates.

        One that contains backslashes, since a wrapper states so or by `Options.repair`, is taken to end at the first
        one.
        """
        if found is None:
            if text[pivot] not in ":wW" or (run := _RUN.match(text, pivot)) is None:
                return -1
            return run.end() if text[pivot] != ":" or self._scheme_before(text, pivot, floor) is not None else -1
        if isinstance(found, Undecided) or found.passing is not None:
            return -1
        end = found.end
        if found.wrapper is not None or self._repairs:
            is_odd = isinstance(found.judged, Fault) or Warn.REPAIRED in found.judged.warnings
            backslash = text.find("\\", found.start, end) if is_odd else -1
            if backslash >= 0 or found.wrapper is not None:
                return backslash
        if end == len(text) or text[end] not in _AFTER_END:
            return -1
        end = run_end(text, end)
        return end if end < len(text) and text[end] in _OPENERS else -1

    def start(self, text: str, pivot: int, floor: int, found: Found | Undecided | None) -> int:
        """Return where a candidate begins, or would begin."""
        if isinstance(found, Found):
            return found.start
        cut = self._scheme_before(text, pivot, floor) if text[pivot] == ":" else None
        return pivot if cut is None else pivot - len(cut[0])


def _settled(find: Find, settle: _Settle, text: str, pivot: int, floor: int, final: bool) -> Found | Undecided | None:
    """Examine one pivot of a text without escapes and sequences."""
    return settle(text, pivot, final, find(text, pivot, floor, final))


def _before_rest(text: str, found: Found, at: int) -> Found:
    """Return a name or an address that ends at a sequence, with the warning if text goes on after that."""
    if text[at] == "\\" or isinstance(found.judged, Fault) or Warn.STOPS_AT_EXCLUDED in found.warnings:
        return found
    rest = whole_without(text[at : at + _REST]).text[:1]
    return found._replace(warnings=(*found.warnings, Warn.STOPS_AT_EXCLUDED)) if rest and continues(rest) else found
