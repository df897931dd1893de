"""The one exit: what directly follows a candidate in the text, and what its record states about that.

Every candidate leaves here, however its end was found: by its own characters, by a wrapper, by the shape of a name, an
address or a number, defanged or in escapes. The exit asks one question: what directly follows? White space, a closer,
the punctuation of a sentence and the end of the text end a candidate. Anything else may be a part of what was meant:
the record has a warning, and the other reading is among its alternatives. A candidate that ends inside a password
is a rejection with all of it.

All functions here look at a bounded number of characters around the end.
"""

from __future__ import annotations

import unicodedata
from functools import partial

from urisieve.codes import Component, Reason, Warn
from urisieve.find.ends import readings
from urisieve.find.ends.candidates import Begun, Found, Judgements, Undecided, undecided
from urisieve.find.ends.cut_passwords import Needed, end_of_password, outside_passwords
from urisieve.find.ends.extent import Syntax, bare_end, closes_tag, syntax_of
from urisieve.find.ends.readings import EMPTY_BRACKETS, IDEOGRAPHIC_STOPS, MORE_TEXT, Readings
from urisieve.find.ends.unspaced import LINE_BREAKS, ends_in_host, is_complete, may_end_in_prose
from urisieve.finding_options import Options, Refang
from urisieve.judge.judge import Judged
from urisieve.judge.validate import Fault, fault
from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.quick_enums import Enum
from urisieve.syntax import characters
from urisieve.syntax.characters import CLOSERS, NOT_EXCLUDED, STOPS, WRAPPERS, class_beyond, is_punctuation, trimmed_end
from urisieve.syntax.iri import sici_is_cut

# So many excluded characters, and so many marks after them, are looked at.
BEHIND: Final = 16


# What is between a candidate and text that goes on: characters that no identifier contains, brackets with nothing or
# only stops in them, or a quotation mark after `=` or an opener, as in `?f={"a":1}` and `?q="x"`.
def _marks(quotes: str, more: str) -> str:
    excluded = rf"(?:{EMPTY_BRACKETS}|{more}{class_beyond(NOT_EXCLUDED)}){{1,{BEHIND}}}"
    return rf'(?:(?<=[{quotes}])"|{excluded}(?:(?<=[{{\[])")?)[{STOPS}]{{0,{BEHIND}}}'


_MARKS: Final = lazy_compile(partial(_marks, r"=({\[", ""))
_MARKS_OF_URN: Final = lazy_compile(partial(_marks, "=(", "[&~]|"))
_STOP_IN_BRACKETS: Final = lazy_compile(r"[\[{][.,;:!?]{1,4}[\]}]")
_OPENERS_OF_TEXT: Final = frozenset(opener for opener in (*characters.BRACKETS, *WRAPPERS) if opener > "\x7f")
# What follows then and goes on, in addition to letters and digits.
CONTINUES: Final = frozenset("-_~$&*+=@%/?#([")
_ELLIPSES: Final = ("…", "...", "[…", "[...")
_ELIDED: Final = lazy_compile(r"\[(?:…|\.{3})\]")
# The categories of characters beyond ASCII that end a sentence, close something, or are not visible.
_ENDING: Final = ("Po", "Pf", "Pe", "Pd", "Zs", "Zl", "Zp", "Cc")


# The warnings of what follows a candidate: they apply to an identifier in it, too, that ends where it ends.
OF_THE_END: Final = frozenset((Warn.STOPS_AT_EXCLUDED, Warn.TEXT_FOLLOWS, Warn.MAY_BE_SHORTENED))


class Following(Enum):
    """The answers to what directly follows a candidate."""

    NOTHING = "nothing"
    """White space, a closer, the punctuation of a sentence, or the end of the text."""
    TEXT = "text"
    """Text that a reader may take for a part of the candidate, after a character that no identifier contains."""
    UNKNOWN = "unknown"
    """More text is needed to decide."""


class Ended(NamedTuple):
    """A candidate of which the end is known.

    Attributes:
        begun: its beginning.
        end: where it ends, trimmed.
        judged: its judgement.
        wrapper: the opener and closer around it, or None.
        warnings: what is known of its beginning and of what is in it.
        alternatives: the canonical forms of other readings that are known.
        stop: where its run ends, at the character that directly follows; -1 at a closer and before prose.
        others: where other readings end.
        follows: whether text was cut from the end of its run.
        emphasis: the mark of emphasis that is trimmed from other readings, or "".
        passing: set if it is too long: the rest of its run is skipped.
        is_exact: whether a wrapper, a carrier or the form of a number states its extent, so that nothing is asked.
    """

    begun: Begun
    end: int
    judged: Judged | Fault
    wrapper: str | None = None
    warnings: tuple[Warn, ...] = ()
    alternatives: tuple[str, ...] = ()
    stop: int = -1
    others: tuple[int, ...] = ()
    follows: bool = False
    emphasis: str = ""
    passing: Syntax | None = None
    is_exact: bool = False


def is_shortened(text: str, end: int) -> bool:
    """Report whether a candidate may have been shortened: an ellipsis follows it, or its line ends with its hyphen.

    >>> is_shortened("http://www.exam… more", 15), is_shortened("http://e.example/a-b", 20)
    (True, False)
    """
    return text.startswith(_ELLIPSES, end) or (text[end - 1] == "-" and text[end : end + 1] in LINE_BREAKS)


class Exit:
    """The way out for every candidate.

    Args:
        options: what to find and how far to normalize.
        judgements: judges the text of other readings.
    """

    def __init__(self, options: Options, judgements: Judgements) -> None:
        self._limit = options.max_length
        self._refangs = options.refang != Refang.OFF
        self._generic = syntax_of("", options)
        self._judged = judgements.judged
        self._readings = Readings(options, judgements.judged)

    def left(self, ended: Ended) -> Found | Undecided:
        """Return a candidate with what its record states about its end; a request for text if that is undecided."""
        begun, end, judged, wrapper, warnings, alternatives, stop, ends, follows, emphasis, passing, is_exact = ended
        text, start = begun.text, begun.start
        if is_exact or isinstance(judged, Fault):
            return Found(start, end, wrapper, warnings, alternatives, judged, passing)
        if stop >= 0:
            next_text = self._following(begun, stop)
            if next_text is Following.UNKNOWN:
                return begun.undecided(None)
            if next_text is Following.TEXT:
                limit = min(len(text), start + self._limit + 1)
                beyond = self._readings.beyond_end(begun, end, stop, judged.uri, limit=limit)
                if isinstance(beyond, tuple):
                    warnings = (*warnings, Warn.STOPS_AT_EXCLUDED)
                    alternatives = (*alternatives, *beyond)
                elif beyond is not None:
                    return begun.undecided(beyond)
        others = [(start, other) for other in ends]
        shorter = None if follows else may_end_in_prose(text, begun.body, end, host=begun.host)
        if shorter is not None:
            others.append((start, shorter))
        others = outside_passwords(text, start, end, others)
        if (follows or any(other < end for _, other in others)) and Warn.TEXT_FOLLOWS not in warnings:
            warnings = (*warnings, Warn.TEXT_FOLLOWS)
        if Warn.STOPS_AT_EXCLUDED not in warnings and is_shortened(text, end):
            warnings = (*warnings, Warn.MAY_BE_SHORTENED)
        if wrapper is None and Warn.STOPS_AT_EXCLUDED not in warnings:
            later = self._in_next_line(begun, end, judged.uri)
            if later is None:
                return begun.undecided(None)
            if isinstance(later, int):
                return self._cut(text, start, end, later, judged)
            if later:
                alternatives = (*alternatives, *later)
                if Warn.MAY_BE_SHORTENED not in warnings:
                    warnings = (*warnings, Warn.MAY_BE_SHORTENED)
        seconds = readings.parts(text, start, begun.body, end)
        if seconds:
            warnings = (*warnings, Warn.SECOND_SCHEME)
            others += seconds
        if others:
            texts = [text[one : trimmed_end(text, one, two, emphasis)] for one, two in others]
            alternatives = (*alternatives, *self._readings.of(judged.uri, texts, begun.assumed))
        return Found(start, end, wrapper, warnings, alternatives, judged)

    def _following(self, begun: Begun, stop: int) -> Following:
        """Return what directly follows a candidate whose run ends at an offset."""
        text, final = begun.text, begun.final
        if stop == len(text) and final:
            return Following.NOTHING
        if self._refangs and text[stop : stop + 1] == " ":
            if ends_in_host(begun, stop) and readings.SPOKEN_DOTS.match(text, stop) is not None:
                return Following.TEXT
            if not final and " dot ".startswith(text[stop:].lower()):
                return Following.UNKNOWN
        return following(begun, stop)

    def _in_next_line(self, begun: Begun, end: int, uri: str) -> tuple[str, ...] | int | None:
        """Return the reading of a candidate that goes on in the next line, if one does; None if more text is needed.

        If the candidate ends in a password of that reading, the result is where the reading ends: it is all rejected.
        """
        text, start, opener = begun.text, begun.start, begun.opener
        outside = begun.outside - (opener in WRAPPERS)
        found = readings.goes_on_in_next_line(
            text, start, end, outside=outside, is_open=opener == "<", final=begun.final
        )
        if found is None:
            return ()
        if found is MORE_TEXT:
            return None
        joined = text[start : found.stop] + found.added
        if not outside_passwords(joined, 0, len(joined), [(0, end - start)]):
            return found.end
        return self._readings.of(uri, [joined], begun.assumed)

    def settled(self, text: str, pivot: int, final: bool, found: Found | Undecided | None) -> Found | Undecided | None:
        """Return what was found at a pivot; a candidate that ends in a password is a rejection with all of it."""
        if not isinstance(found, Found) or (at := end_of_password(text, found, final)) is None:
            return found
        keep = max(0, min(pivot, found.start) - 1)
        if isinstance(at, Needed):
            return Undecided(pivot, keep, None)
        longest = found.start + self._limit
        end = bare_end(self._generic, text, at + 1, min(len(text), longest + 1))
        if not final and (end == len(text) or sici_is_cut(text, end, at + 1)):
            return undecided(text, pivot, keep, self._generic.beyond)
        end = trimmed_end(text, at + 1, end, "")
        if end > longest:
            return found
        return self._cut(text, found.start, found.end, end, found.judged)

    def _cut(self, text: str, start: int, end: int, whole: int, half: Judged | Fault) -> Found:
        """Return the rejection of a candidate that ends in a password, with all of it.

        Args:
            text: the text around it.
            start: where it begins.
            end: where it ends.
            whole: where the text ends that contains all of the password.
            half: its own judgement.
        """
        judged = self._judged(text[start:whole])
        if isinstance(judged, Judged):  # the character at which the candidate ended is one that only text excludes
            illegal = fault(Reason.ILLEGAL_CHARACTER, Component.USERINFO, end - start)
            judged = half if isinstance(half, Fault) else illegal
        return Found(start, whole, None, (), (), judged)


def following(begun: Begun, stop: int) -> Following:
    """Return what directly follows a candidate, by the characters there.

    Args:
        begun: its beginning.
        stop: the offset of the character at which its run ends, or the size of the text.
    """
    text, urn, final = begun.text, not begun.syntax.sections, begun.final
    first, after = text[stop : stop + 1], text[stop + 1 : stop + 2]
    is_cut = after == "" and not final
    if first == "" or closes_tag(text, stop) or _ELIDED.match(text, stop) is not None:
        return Following.NOTHING
    if first == "<" and ends_in_host(begun, stop):
        mark = text[stop : stop + 4]
        goes_on, is_cut = mark[:3] == "<.>" and mark[3:].isalnum(), not final and "<.>".startswith(mark)
    elif urn and first in _OPENERS_OF_TEXT:  # RFC 2141 2.4: openers end a URN as other characters do
        goes_on = after != "" and not after.isspace() and not is_punctuation(after) and after not in CLOSERS
    elif urn and first > "\x9f" and first not in characters.ENDS:  # RFC 2141 has no such characters
        goes_on = continues(first) or (after != "" and continues(after))
    elif first in IDEOGRAPHIC_STOPS:
        in_host = not urn and ends_in_host(begun, stop) and not is_complete(text[begun.host : stop])
        goes_on, is_cut = in_host and after.isalnum(), in_host and is_cut
    elif (marks := (_MARKS_OF_URN if urn else _MARKS).match(text, stop)) is None:
        return Following.NOTHING
    else:
        after = text[marks.end() : marks.end() + 1]
        goes_on = _STOP_IN_BRACKETS.match(text, stop) is not None or (after != "" and continues(after))
        is_cut = after == "" and not final
    return Following.UNKNOWN if is_cut else Following.TEXT if goes_on else Following.NOTHING


def continues(character: str) -> bool:
    """Report whether a character goes on with a run, or with the text of one."""
    if character <= "\x7f":
        return character.isalnum() or character in CONTINUES
    return unicodedata.category(character) not in _ENDING and character not in CLOSERS
