"""One candidate: from the colon of its scheme to its extent, its wrapper and its judgement.

RFC 3986 Appendix C states how identifiers are delimited in text: by double quotes, by angle brackets (inside which
white space is ignored), by white space, and with an obsolete `URL:` before them.
"""

from __future__ import annotations

import re
from functools import cached_property, partial

from urisieve.codes import Component, Reason, Warn
from urisieve.find.delimited import NETWORK_PATH, SCHEME, Delimited, has_other_line, is_prose
from urisieve.find.ends.candidates import Begun, Found, Judgements, Undecided, undecided, wrapper_around
from urisieve.find.ends.exit import Ended, Exit
from urisieve.find.ends.extent import syntax_of
from urisieve.find.escapes import Escapes
from urisieve.find.finder.bare_candidates import BareCandidates
from urisieve.find.finder.exact_candidates import ExactCandidates, Stated
from urisieve.find.pivots import SCHEME_CHARACTERS, WantedSchemes
from urisieve.finding_options import Bare, Options, Refang, SchemelessFinding
from urisieve.judge.proofs import findable
from urisieve.judge.validate import Fault, fault
from urisieve.lean import TYPE_CHECKING, Final, lazy_compile
from urisieve.rules.table import rules_of
from urisieve.syntax.components import SPACES, WHITE_SPACE

if TYPE_CHECKING:
    from urisieve.find.finder.assumed_candidates import AssumedCandidates, DefangedCandidates

# How far a shape may have to look (the longest is that of data:, with eight parameters of 127 characters).
_SHAPE_WINDOW: Final = 2_048
# Control characters, which a field of a fixed size ends with, and white space among them.
_CONTROLS: Final = SPACES + "".join(map(chr, (*range(0x20), 0x7F)))
_SPACES: Final = lazy_compile(f"[{WHITE_SPACE}]+")
_DIGITS: Final = frozenset("0123456789")
# The openers of exact wrappers (Appendix C).
_EXACT: Final = ("<", '"')
_ASSUMED: Final = (Warn.SCHEME_ASSUMED,)


class Finder:
    """Finds the extent of candidates and judges them, by one set of options.

    It remembers its judgements (mailing lists and logs repeat nine links of ten); it contains no other state.
    """

    def __init__(self, options: Options) -> None:
        self._options = options = findable(options)
        self._limit = options.max_length
        self._wanted = WantedSchemes(options)
        self._refang = options.refang == Refang.KNOWN_FORMS
        judgements = Judgements(options)
        self.judged = judgements.judged
        self._parts = parts = _UnescapedCandidates(options, self._wanted, judgements)
        self._escapes = Escapes(options, self._wanted, parts.found_at, parts.exit.settled, self.judged)

    def find(self, text: str, pivot: int, floor: int, final: bool) -> Found | Undecided | None:
        """Examine one pivot; the candidate may contain escapes of a string, and sequences of a terminal.

        Args:
            text: the text around it.
            pivot: the offset of a colon (of `@`, `www.` or a digit where those are asked for).
            floor: the end of the previous candidate; a candidate does not begin before it.
            final: whether the text is complete.

        Returns:
            None if there is no candidate.
        """
        return self._escapes.find(text, pivot, floor, final)

    def delimited(self, text: str, kind: Delimited) -> Found | None:
        """Return the candidate that a carrier delimits: all of the text, without the white space around it.

        Returns:
            None where the text does not begin with a scheme that counts, or contains several identifiers or a sentence:
            it is to be searched as running text.
        """
        content = text.strip(SPACES).rstrip(_CONTROLS)
        match = SCHEME.match(content)
        if kind is Delimited.LINK and NETWORK_PATH.match(content) is not None:
            return self._without_base(text, content)
        if match is None or kind is Delimited.TEXT:
            return None
        name = match[1].lower()
        if not self._wanted.holds(name):
            return None
        after = match.end()
        if kind is Delimited.VALUE and not (
            self._wanted.begins(name, content, after) or self._parts.stated.is_value(name, content, after)
        ):
            return None
        if _SPACES.search(content) and (
            self._parts.exact.holds_another(content)
            or has_other_line(content)
            or (kind is Delimited.VALUE and is_prose(content))
        ):
            return None
        found = self._whole(text, content)
        is_fault = isinstance(found.judged, Fault) and found.judged.reason is not Reason.TOO_LONG
        return None if is_fault and self._refang else found  # it may be defanged

    def _without_base(self, text: str, content: str) -> Found | None:
        """Return a reference `//host/path` that has no base: read with `http:` if the option asks for it, or rejected.

        The host is certain, the scheme is not (RFC 3986 4.2, 5.1).
        """
        if not self._wanted.holds("http") and not self._wanted.holds("https"):
            return None
        is_assumed = self._options.schemeless != SchemelessFinding.OFF and self._wanted.holds("http")
        return self._whole(text, content, "http:" if is_assumed else "", _ASSUMED if is_assumed else ())

    def _whole(self, text: str, content: str, assumed: str = "", warnings: tuple[Warn, ...] = ()) -> Found:
        """Return the candidate that is all of a text, without the white space around it."""
        start = len(text) - len(text.lstrip(SPACES))
        if len(content) > self._limit:
            too_long = fault(Reason.TOO_LONG, Component.IDENTIFIER, self._limit)
            return Found(start, start + self._limit, None, (), (), too_long)
        judged = self.judged(content, assumed)
        if isinstance(judged, Fault) and not assumed and (held := self._escapes.whole(content)) is not None:
            return held._replace(start=start, end=start + held.end)
        return Found(start, start + len(content), None, warnings, (), judged)


def _ended(
    exact: ExactCandidates, bare: BareCandidates, begun: Begun, warnings: tuple[Warn, ...] = ()
) -> Ended | Undecided | None:
    """Return a candidate of which the beginning is known, by its wrapper or by its own characters."""
    found = exact.find(begun, warnings) if begun.opener in _EXACT else None
    return found or bare.find(begun, warnings)


class _UnescapedCandidates:
    """Finds the candidates of text that is read as it is written.

    No part of it refers to the `Finder`: in a cycle, the judgements would stay in memory after each search.

    Attributes:
        exact: finds the candidates in exact wrappers.
        stated: finds what only the grammar of a scheme shows.
        exit: completes each candidate.
    """

    def __init__(self, options: Options, wanted: WantedSchemes, judgements: Judgements) -> None:
        self.exact = ExactCandidates(options, judgements)
        self.stated = Stated(options, judgements)
        self.exit = Exit(options, judgements)
        self._options = options
        self._rules = rules_of(options.rules)
        self._limit = options.max_length
        self._wanted = wanted
        self._scheme_before = wanted.before  # called at most pivots
        self._generic = syntax_of("", options)
        self._urn = syntax_of("urn", options)
        self._refang = options.refang == Refang.KNOWN_FORMS
        self._bare: tuple[Bare, ...] = tuple(options.bare)  # type: ignore[arg-type] # `Options` holds members
        self._judgements = judgements
        self._ended = partial(_ended, self.exact, BareCandidates(options, judgements))

    @cached_property
    def _assumed(self) -> AssumedCandidates:
        from urisieve.find.finder.assumed_candidates import AssumedCandidates

        return AssumedCandidates(self._options, self._wanted, self._judgements, self._ended)

    @cached_property
    def _defanged(self) -> DefangedCandidates:
        from urisieve.find.finder.assumed_candidates import DefangedCandidates

        return DefangedCandidates(self._assumed, self.exit.left)

    def found_at(self, text: str, pivot: int, floor: int, final: bool) -> Found | Undecided | None:
        """Examine one pivot, see `Finder.find`; what is a candidate leaves by the one exit."""
        looked = self._find(text, pivot, floor, final)
        return self.exit.left(looked) if isinstance(looked, Ended) else looked

    def _find(self, text: str, pivot: int, floor: int, final: bool) -> Ended | Found | Undecided | None:
        if self._bare and text[pivot] in _DIGITS:
            return self._without_scheme(text, pivot, floor, final)
        if self._refang:
            found = self._defanged.find(text, pivot, floor, final)
            if found is not None or text[pivot] in "[({\\&dD" or text.startswith(":[", pivot):
                return found
        if text[pivot] != ":":
            find = {"@": self._assumed.address, ".": self._assumed.name}.get(text[pivot], self._assumed.www)
            return find(text, pivot, floor, final)
        after = pivot + 1
        if not final and after == len(text) - 1 and text[after] == "/":
            # A second "/" may follow, and change the scheme that is meant.
            run = text[max(floor, pivot - self._limit) : pivot]
            return Undecided(pivot, pivot - len(run) + len(run.rstrip(SCHEME_CHARACTERS)), None)
        cut = self._scheme_before(text, pivot, floor)
        if cut is None:
            return None
        scheme, is_cut_off = cut
        warnings = (Warn.SCHEME_CUT,) if is_cut_off else ()
        start = pivot - len(scheme)
        scheme = scheme.lower()
        slashes = text.startswith("//", after)
        shape: re.Pattern[str] | None = None
        if not slashes and not self._wanted.any:
            shape = self._rules.shape(scheme)
            if shape is None and self._wanted.listed is None:
                return None
        syntax = self._urn if scheme == "urn" else self._generic
        if text.isascii():
            syntax = syntax.ascii
        if shape is not None:
            window = after + _SHAPE_WINDOW
            if not final and len(text) < window and syntax.beyond.search(text, after) is None:
                return undecided(text, pivot, start, syntax.beyond)
            # Inside angle brackets white space may still are in the text that the shape examines, and inside them and
            # quotation marks what no candidate can contain; and there the grammar of the scheme is enough.
            if not shape.match(text, after):
                opener = Begun(text, pivot, start, after, syntax, shape, final).opener
                if opener not in _EXACT:
                    return None
                is_stated = self.stated.fills(text, start, after, opener)
                if is_stated is False:
                    return None
                shape = None if is_stated else shape
        if not slashes and self._rules.scheme(scheme).bracketed:
            syntax = syntax_of(scheme, self._options)
            syntax = syntax.ascii if text.isascii() else syntax
        body = after + 2 if slashes else after
        return self._ended(Begun(text, pivot, start, body, syntax, shape, final), warnings)

    def _without_scheme(self, text: str, pivot: int, floor: int, final: bool) -> Ended | Undecided | None:
        """Return an identifier without a scheme whose first digit is the pivot (`Options.bare`)."""
        from urisieve.find.finder.bare_places import bare_place

        place = bare_place(text, pivot, floor, self._bare, final)
        if place is True:
            return Undecided(pivot, pivot, None)
        if not place or place.start < floor:
            return None
        start, end, scheme, candidate, wrong = place
        if not self._wanted.holds(scheme.partition(":")[0] or "hdl"):
            return None
        begun = Begun(text, pivot if scheme else pivot - 1, start, end, self._generic, None, final, scheme)
        if wrong is not None:
            return Ended(begun, end, wrong)
        if candidate is None:
            return self._ended(begun, _ASSUMED)
        # Its form states its extent.
        judged = self._judgements.judged(candidate, scheme)
        return Ended(begun, end, judged, wrapper_around(text, start, end), _ASSUMED, is_exact=True)
