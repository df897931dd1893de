"""Candidates that their own characters delimit, or a wrapper other than `<>` and `""` (RFC 3986 Appendix C).

The run of a candidate goes over all characters that it may hold. It ends earlier at the closer of its wrapper, or
before prose; then the punctuation of the sentence is trimmed from it. What a reader may take otherwise is said.
"""

from __future__ import annotations

from collections.abc import Iterable

from urisieve.codes import Component, Reason, Warn
from urisieve.find.finder.candidates import Begun, Found, Judgements, Undecided
from urisieve.find.finder.extent import CUT_MARK_LIMIT, Syntax, bare_end, is_cut
from urisieve.find.finder.readings import LATER, Readings, parts
from urisieve.find.finder.unspaced import (
    LINE_BREAKS,
    Prose,
    before_prose,
    before_second_link,
    goes_on,
    hidden_in_host,
    is_shortened,
    may_end_in_prose,
    may_go_on,
    open_emphasis,
)
from urisieve.judge.validate import Fault, fault
from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.options import Options
from urisieve.rules.table import rules_of
from urisieve.syntax.characters import WRAPPERS, trimmed_end
from urisieve.syntax.components import SPACES
from urisieve.syntax.passwords import Span, passwords

# The characters in front of which a final hyphen is not that of a host.
_SECTION: Final = lazy_compile("[/?#@]")
# The first window, in characters, in which to look for a closer that a candidate may hold.
_WINDOW: Final = 256
EMPHASIS: Final = "*_~"
_APOSTROPHE: Final = "'"
# One before a letter or digit, but not before another link.
_IN_WORD: Final = lazy_compile(r"'(?!\w{1,64}+:)[^\W_]")
# Closers that a candidate may hold, so that the candidate has to be searched for them.
INNER_CLOSERS: Final = {opener: closers for opener, closers in WRAPPERS.items() if opener in "'“‘«‹„‚»›"}
# Character references of HTML that stand for a wrapper: the closing one of each, and what both stand for.
_REFERENCES: Final = {
    **{name: (name, '""') for name in ("&quot;", "&#34;", "&#034;", "&#x22;")},
    **{name: (name, "''") for name in ("&apos;", "&#39;", "&#039;", "&#x27;")},
    **{
        f"&{one};": (f"&{two};", "<>")
        for one, two in (("lt", "gt"), ("#60", "#62"), ("#x3c", "#x3e"), ("#x3C", "#x3E"))
    },
}
_REFERENCE_LIMIT: Final = 6
# The constructor of tuples: that of the named tuple itself takes three times as long.
_tuple: Final = tuple.__new__


class _RunEnd(NamedTuple):
    """The run of a candidate.

    Attributes:
        end: where it ends.
        closer: the closer of its wrapper that ends it, or "".
        prose: the prose at its end.
    """

    end: int
    closer: str
    prose: Prose


class _Extent(NamedTuple):
    """The extent of a candidate.

    Attributes:
        end: where it ends, before it is trimmed.
        wrapper: the opener and closer around it, or None.
        others: the ends of other readings, where prose may follow it.
        stop: the offset of the excluded character at which it ends, or the size of the text.
        follows: whether prose was cut from it.
        is_exact: whether nothing is trimmed.
    """

    end: int
    wrapper: str | None
    others: tuple[int, ...]
    stop: int
    follows: bool
    is_exact: bool


class BareCandidates:
    """Finds the end of bare candidates, and judges them.

    Args:
        options: what to find and how far to normalize.
        judgements: judges the candidates.
    """

    def __init__(self, options: Options, judgements: Judgements) -> None:
        self._rules = rules_of(options.rules)
        self._limit = options.max_length
        self._judged = judgements.judged
        self._readings = Readings(options, judgements.judged)

    def find(self, begun: Begun, warnings: tuple[Warn, ...] = ()) -> Found | Undecided | None:
        """Find the end of a candidate, and judge it; `warnings` are those of its beginning."""
        extent = self._extent(begun)
        if not isinstance(extent, _Extent):
            return extent
        text, start, assumed = begun.text, begun.start, begun.assumed
        end = extent.end
        emphasis = begun.opener if begun.opener in EMPHASIS else ""
        if not extent.is_exact:
            trimmed = self._trimmed(begun, end, emphasis)
            if trimmed is None:
                return begun.undecided(None)
            end, emphasis = trimmed
        if not begun.has_shape(end):
            return None
        judged = self._judged(text[start:end], assumed)
        if isinstance(judged, Fault):
            return self._before_wide(begun, end, warnings) or _tuple(
                Found, (start, end, extent.wrapper, warnings, (), judged, None)
            )
        alternatives: tuple[str, ...] = ()
        urn = not begun.syntax.sections
        if extent.stop < len(text) and goes_on(text, extent.stop, urn=urn):
            beyond = self._readings.beyond_excluded(begun, end, limit=min(len(text), start + self._limit + 1), urn=urn)
            if isinstance(beyond, tuple):
                warnings = (*warnings, Warn.STOPS_AT_EXCLUDED)
                alternatives = beyond
            elif beyond is not None:
                return begun.undecided(beyond)
        others = [(start, other) for other in extent.others]
        shorter = None if extent.follows else may_end_in_prose(text, begun.body, end, host=begun.host)
        if shorter is not None:
            others.append((start, shorter))
        others = _outside_passwords(text, start, end, others)
        if extent.follows or any(other < end for _, other in others):
            warnings = (*warnings, Warn.TEXT_FOLLOWS)
        if Warn.STOPS_AT_EXCLUDED not in warnings and is_shortened(text, end):
            warnings = (*warnings, Warn.MAY_BE_SHORTENED)
        seconds = parts(text, start, begun.body, end)
        if seconds:
            warnings = (*warnings, Warn.SECOND_SCHEME)
            others += seconds
        if others:
            texts = [text[one : trimmed_end(text, one, two, emphasis)] for one, two in others]
            alternatives = (*alternatives, *self._readings.of(judged.uri, texts, assumed))
        return _tuple(Found, (start, end, extent.wrapper, warnings, alternatives, judged, None))

    def _extent(self, begun: Begun) -> _Extent | Found | Undecided:
        """Return the extent of a candidate; a rejection if it is too long."""
        text, start, opener, final = begun.text, begun.start, begun.opener, begun.final
        size = len(text)
        longest = start + self._limit
        syntax = begun.syntax
        run = self._run(begun, syntax)
        if begun.host >= 0 and not run.closer and run.prose.end == run.end < size:
            inside = hidden_in_host(syntax, text, begun.host, run.end, min(size, longest + 1), final=final)
            if inside is None:
                return begun.undecided(syntax.beyond)
            if inside >= 0:
                syntax = syntax.unseen
                run = self._run(begun, syntax, inside)
        end, closer, prose = run
        if closer == _APOSTROPHE and end + 1 == size and not final:
            return begun.undecided(None)
        if prose.end < end and trimmed_end(text, begun.body, end, "") > prose.end:
            near = min(size, longest + 1, prose.end + LATER)
            whole = end if closer else bare_end(syntax, text, begun.after, near)
            if whole == size and not final:
                return begun.undecided(begun.syntax.beyond)
            is_known = whole < near or near == size
            return _Extent(prose.end, None, (whole,) if is_known else (), size, True, False)
        wrapper = None
        if closer:
            wrapper = opener + closer
        elif end > longest:
            too_long = fault(Reason.TOO_LONG, Component.IDENTIFIER, self._limit)
            return Found(start, longest, None, (), (), too_long, begun.syntax.wide)
        elif end == size:
            if not final:
                return begun.undecided(begun.syntax.beyond)
        elif text[end] in WRAPPERS.get(opener, "") and opener != "<" and opener != '"':
            wrapper = opener + text[end]
        # Whether the text may go on after an excluded character; most candidates end at a blank.
        stop = end if end < size and wrapper is None and (text[end] > "Z" or text[end] == "&") else size
        if not final:
            # A bracket where it stops, or inside, may turn out to be a note: `http://e.example[^1`.
            ends = end < size and text[end] in "[]"
            bracket = end if ends else text.rfind("[", max(begun.body, size - CUT_MARK_LIMIT), end)
            if bracket >= 0 and is_cut(text, bracket):
                return begun.undecided(begun.syntax.beyond)
            if stop < size and may_go_on(text, stop, urn=not begun.syntax.sections):
                return begun.undecided(None)
        others = (prose.other,) if prose.end == run.end != prose.other else ()
        if closer and opener == ";":
            wrapper = _referenced(closer)
            return _Extent(end, wrapper, others, stop, False, wrapper != "''")
        if not closer and text.find("'", begun.body, end) >= 0:
            end = before_second_link(text, begun.body, end)
        return _Extent(end, wrapper, others, stop, False, False)

    def _run(self, begun: Begun, syntax: Syntax, limit: int | None = None) -> _RunEnd:
        """Return the run of a candidate up to a limit, searched in growing windows for what ends it earlier.

        In this way a row of candidates costs each its own length, even if all of them together are one run.
        """
        text, body, host = begun.text, begun.body, begun.host
        limit = min(len(text), begun.start + self._limit + 1) if limit is None else limit
        closers = (
            _closing_reference(text, begun.outside) if begun.opener == ";" else INNER_CLOSERS.get(begun.opener, "")
        )
        dns = begun.has_dns_host(self._rules)
        window = _WINDOW
        while True:
            end = bare_end(syntax, text, begun.after, min(limit, body + window))
            is_whole = end < body + window or end == limit
            offset, closer = _first_closer(text, body, end, closers)
            if offset < 0 and _APOSTROPHE in closers and (is_whole or end - body >= LATER):
                # No apostrophe is the end of a word: the first one closes, once the end of the run is known.
                offset = text.find(_APOSTROPHE, body, end) if begun.final or end < len(text) else -1
                closer = _APOSTROPHE if offset >= 0 else ""
            if offset >= 0:
                end = offset
                is_whole = True
            is_exact = closer != "" and begun.opener == ";"
            prose = (
                Prose(end, end) if is_exact else before_prose(text, body, end, host=host, dns=dns, is_whole=is_whole)
            )
            if is_whole or prose.end < end:
                return _RunEnd(end, closer, prose)
            window *= 16

    def _trimmed(self, begun: Begun, end: int, emphasis: str) -> tuple[int, str] | None:
        """Trim the end of a candidate; return it and the mark of emphasis, or None if that is undecided."""
        text, body = begun.text, begun.body
        last = text[end - 1]
        if last.isalnum() or last == "/":
            return end, emphasis
        end = trimmed_end(text, body, end, emphasis)
        if end > body and not emphasis:
            emphasis = open_emphasis(text, begun.start, end)
            if emphasis:
                end = trimmed_end(text, body, end, emphasis)
        if end > body and text[end - 1] == "-" and self._ends_host(begun, end):
            # A line that ends with the hyphen goes on with the rest of the host.
            behind = text[end : end + 2]
            if not begun.final and (behind == "" or (len(behind) == 1 and behind not in LINE_BREAKS)):
                return None
            if behind[:1] not in LINE_BREAKS and not (behind[:1] in SPACES and behind[1:].strip() == ""):
                end = trimmed_end(text, body, body + len(text[body:end].rstrip("-")), emphasis)
        return end, emphasis

    def _ends_host(self, begun: Begun, end: int) -> bool:
        """Report whether a candidate ends with its host; a host has no final hyphen (RFC 952, RFC 1123 2.1)."""
        scheme = begun.text[begun.start : begun.body - 3].lower()
        return _SECTION.search(begun.text, begun.body, end) is None and (not scheme or self._rules.scheme(scheme).dns)

    def _before_wide(self, begun: Begun, end: int, warnings: tuple[Warn, ...]) -> Found | None:
        """Return what is valid before a character beyond ASCII, where a scheme without authority allows none."""
        text = begun.text[begun.start : end]
        if begun.host >= 0 or not begun.syntax.sections or text.isascii():
            return None
        size = next(index for index, character in enumerate(text) if character > "\x7f")
        size = trimmed_end(text, begun.body - begun.start, size, "")
        if not begun.has_shape(begun.start + size):
            return None
        judged = self._judged(text[:size], begun.assumed)
        if isinstance(judged, Fault):
            return None
        return Found(begun.start, begun.start + size, None, (*warnings, Warn.TEXT_FOLLOWS), (), judged)


def _outside_passwords(text: str, start: int, end: int, others: list[Span]) -> list[Span]:
    """Return the other readings that do not end in a password, of which they would show a piece."""
    if not others:
        return others
    whole = max(end, *(other for _, other in others))
    spans = passwords(text[start:whole])
    return [one for one in others if not any(first < one[1] - start <= last for first, last in spans)]


def _closing_reference(text: str, offset: int) -> tuple[str, ...]:
    """Return the twin of the character reference of an opener that ends at an offset, if one does."""
    before = text[max(0, offset - _REFERENCE_LIMIT) : offset]
    return _REFERENCES.get(before[before.rfind("&") :], ())[:1]


def _referenced(closer: str) -> str:
    """Return the wrapper for which a closing character reference and its twin stand."""
    return next(wrapper for twin, wrapper in _REFERENCES.values() if twin == closer)


def _first_closer(text: str, start: int, end: int, closers: Iterable[str]) -> tuple[int, str]:
    """Return the offset of the first of some closers, and that closer; -1 and "" if there is none."""
    found = -1, ""
    for closer in closers:
        offset = text.find(closer, start, end)
        # An apostrophe in a word closes nothing: `'http://e.example/Earth's'`.
        while offset >= 0 and closer == _APOSTROPHE and _IN_WORD.match(text, offset) is not None:
            offset = text.find(closer, offset + 1, end)
        if offset >= 0 and not 0 <= found[0] < offset:
            found = offset, closer
    return found
