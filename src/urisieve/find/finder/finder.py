"""One candidate: from the colon of its scheme to its extent, its wrapper and its judgement.

RFC 3986 Appendix C says how identifiers are delimited in text: by double quotes, by angle brackets (inside which
white space is ignored), by white space, and with an obsolete `URL:` before them.
"""

from __future__ import annotations

import re

from urisieve.codes import Component, Reason, Warn
from urisieve.find.delimited import NETWORK_PATH, SCHEME, Delimited, ends_escape, is_prose
from urisieve.find.escaped import EscapedCandidates, is_escaped
from urisieve.find.finder.bare_candidates import EMPHASIS, INNER_CLOSERS, BareCandidates
from urisieve.find.finder.candidates import LONG_RUN, WEB, Begun, Found, Judgements, Undecided
from urisieve.find.finder.cut_passwords import Needed, end_of_password
from urisieve.find.finder.exact_candidates import ExactCandidates
from urisieve.find.finder.extent import bare_end, syntax_of
from urisieve.find.finder.readings import LATER
from urisieve.find.finder.schemeless import (
    NAME_LIMIT,
    PATH_LIMIT,
    address_start,
    beyond_name,
    is_name,
    is_numbered,
    local_part,
    name_end,
    name_limit,
    name_start,
)
from urisieve.find.finder.unspaced import before_prose, starts_prose
from urisieve.find.finder.wanted_schemes import WantedSchemes
from urisieve.find.pivots import SCHEME_CHARACTERS
from urisieve.judge.judge import Judged
from urisieve.judge.validate import Fault, fault
from urisieve.lean import Final, lazy_compile
from urisieve.options import Bare, EmailFinding, Options, Refang, SchemelessFinding
from urisieve.rules.table import rules_of
from urisieve.syntax.characters import WRAPPERS, trimmed_end
from urisieve.syntax.components import SPACES, WHITE_SPACE

# How far a shape may have to look (the longest is that of data:, with eight parameters of 127 characters).
_SHAPE_WINDOW: Final = 2_048
_MEANINGFUL: Final = lazy_compile(r"[%/?#\[\]&;=^`{|}]")
# The text to examine after a host name: a port and a slash, or `://`.
_BEHIND_NAME: Final = 8
# Such classes are written as their complements: these compile in a hundredth of the time.
_INNER_DOT: Final = lazy_compile(r"(?<=[^\x00-/:-@\[-`{-\x7f])\.(?=[^\x00-@\[-`{-\x7f])")
_SPACES: Final = lazy_compile(f"[{WHITE_SPACE}]+")
# What follows a colon in angle brackets, with the closer; not the name of an element of XML after its prefix.
_FILLED: Final = lazy_compile(rf"(?![A-Za-z_][A-Za-z0-9_\-]*+/?>)(?>[^\x1b\x9b<>{WHITE_SPACE}]++)>")
_DIGITS: Final = frozenset("0123456789")
_MAIL: Final = "mailto:"
# The openers of exact wrappers (Appendix C).
_EXACT: Final = ("<", '"')
_ASSUMED: Final = (Warn.SCHEME_ASSUMED,)
_HTTP: Final = "http:"


def _address_text(text: str, start: int, at: int, end: int) -> str:
    """Return the address in a text as a URI has it: characters with a meaning there are encoded (RFC 6068 2)."""
    return _MEANINGFUL.sub(lambda match: f"%{ord(match[0]):02X}", text[start:at]) + text[at:end]


class Finder:
    """Finds the extent of candidates and judges them, by one set of options.

    It remembers its judgements (mailing lists and logs repeat nine links of ten); it holds no other state.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._rules = rules_of(options.rules)
        self._limit = options.max_length
        self._wanted = WantedSchemes(options)
        self._scheme_before = self._wanted.before  # called at most pivots
        self._generic = syntax_of("", options)
        self._urn = syntax_of("urn", options)
        self._refang = options.refang == Refang.KNOWN_FORMS
        self._bare: tuple[Bare, ...] = tuple(options.bare)  # type: ignore[arg-type] # `Options` holds members
        self._judgements = Judgements(options)
        self.judged = self._judgements.judged
        self._exact = ExactCandidates(options, self._judgements)
        self._bare_candidates = BareCandidates(options, self._judgements)
        self._escaped = EscapedCandidates(options, self.find)

    def find(self, text: str, pivot: int, floor: int, final: bool) -> Found | Undecided | None:
        """Examine one pivot, see `_find`; a candidate that ends in a password is a rejection with all of it."""
        if text.startswith(":\\", pivot) and is_escaped(text, pivot, final):
            wanted = self._refang or self._scheme_before(text, pivot, floor) is not None
            return self._escaped.find(text, pivot, floor, final) if wanted else None
        found = self._find(text, pivot, floor, final)
        if not isinstance(found, Found) or (at := end_of_password(text, found, final)) is None:
            return found
        keep = max(0, min(pivot, found.start) - 1)
        if isinstance(at, Needed):
            return Undecided(pivot, keep, None)
        longest = found.start + self._limit
        end = bare_end(self._generic, text, at + 1, min(len(text), longest + 1))
        if end == len(text) and not final:
            return self._undecided(text, pivot, keep, self._generic.beyond)
        end = trimmed_end(text, at + 1, end, "")
        judged = self.judged(text[found.start : end])
        if isinstance(judged, Judged):  # the character at which the candidate ended is one that only text excludes
            illegal = fault(Reason.ILLEGAL_CHARACTER, Component.USERINFO, found.end - found.start)
            judged = found.judged if isinstance(found.judged, Fault) else illegal
        return Found(found.start, end, None, (), (), judged) if end <= longest else found

    def _find(self, text: str, pivot: int, floor: int, final: bool) -> Found | Undecided | None:
        """Examine one pivot.

        Args:
            text: the text around it.
            pivot: the offset of a colon (of `@`, `www.` or a digit where those are asked for).
            floor: the end of the previous candidate; a candidate does not begin before it.
            final: whether the text is complete.

        Returns:
            None if there is no candidate.
        """
        if self._bare and text[pivot] in _DIGITS:
            return self._without_scheme(text, pivot, floor, final)
        if self._refang:
            found = self._refanged(text, pivot, floor, final)
            if found is not None or text[pivot] in "[({\\&dD" or text.startswith(":[", pivot):
                return found
        if text[pivot] != ":":
            if text[pivot] == ".":
                return self._named(text, pivot, floor, final)
            return (
                self._address(text, pivot, floor, final) if text[pivot] == "@" else self._schemeless(text, pivot, final)
            )
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
                return self._undecided(text, pivot, start, syntax.beyond)
            # Inside angle brackets white space may still stand in the text that the shape examines, and inside them and
            # quotation marks what no candidate can hold.
            if not shape.match(text, after):
                opener = Begun(text, pivot, start, after, syntax, shape, final).opener
                if opener not in _EXACT:
                    return None
                if opener == "<" and self._is_stated(text, start, after):
                    shape = None
        if not slashes and self._rules.scheme(scheme).bracketed:
            syntax = syntax_of(scheme, self._options)
            syntax = syntax.ascii if text.isascii() else syntax
        body = after + 2 if slashes else after
        return self._ended(Begun(text, pivot, start, body, syntax, shape, final), warnings)

    def _ended(self, begun: Begun, warnings: tuple[Warn, ...] = ()) -> Found | Undecided | None:
        """Return a candidate of which the beginning is known, by its wrapper or by its own characters."""
        found = self._exact.find(begun) if begun.opener in _EXACT else None
        return found or self._bare_candidates.find(begun, warnings)

    def _is_stated(self, text: str, start: int, after: int) -> bool:
        """Report whether angle brackets hold an identifier by the grammar of its scheme, and no tag of XML."""
        match = _FILLED.match(text, after, min(len(text), start + self._limit + 1))
        if match is None:
            return False
        rule = self._rules.scheme(text[start : after - 1].lower())
        if rule.syntax is None and rule.expected is None:
            return False
        judged = self.judged(text[start : match.end() - 1])
        return isinstance(judged, Judged) and Warn.SCHEME_SYNTAX not in judged.warnings

    def _undecided(self, text: str, pivot: int, start: int, awaited: re.Pattern[str]) -> Undecided:
        return Undecided(pivot, start, awaited if len(text) - start > LONG_RUN else None)

    def delimited(self, text: str, kind: Delimited) -> Found | None:
        """Return the candidate that a carrier delimits: all of the text, without the white space around it.

        Returns:
            None where the text does not begin with a scheme that counts, or holds several identifiers or a sentence:
            it is to be searched as running text.
        """
        content = text.strip(SPACES)
        match = SCHEME.match(content)
        if kind is Delimited.LINK and NETWORK_PATH.match(content) is not None:
            return self._without_base(text, content)
        if match is None or kind is Delimited.TEXT:
            return None
        name = match[1].lower()
        if not self._wanted.holds(name):
            return None
        if kind is Delimited.VALUE and not self._wanted.begins(name, content, match.end()):
            return None
        if _SPACES.search(content) and (
            self._exact.holds_another(content) or (kind is Delimited.VALUE and is_prose(content))
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
        return self._whole(text, content, _HTTP if is_assumed else "", _ASSUMED if is_assumed else ())

    def _whole(self, text: str, content: str, assumed: str = "", warnings: tuple[Warn, ...] = ()) -> Found:
        """Return the candidate that is all of a text, without the white space around it."""
        start = len(text) - len(text.lstrip(SPACES))
        if len(content) > self._limit:
            too_long = fault(Reason.TOO_LONG, Component.IDENTIFIER, self._limit)
            return Found(start, start + self._limit, None, (), (), too_long)
        judged = self.judged(content, assumed)
        return Found(start, start + len(content), None, warnings, (), judged)

    def _schemeless(self, text: str, pivot: int, final: bool) -> Found | Undecided | None:
        """Return a reference that begins with `www.` (RFC 3986 4.5), read as `http://`."""
        if text[pivot - 1 : pivot] == "m" and not ends_escape(text, pivot):
            return None
        limit = name_limit(text, pivot)
        if self._refang:
            from urisieve.find.finder.defanged import mark_follows

            if mark_follows(text, limit, final):
                return None  # the mark is a pivot too
        if limit == len(text) and not final:
            return self._undecided(text, pivot, pivot, beyond_name())
        end = name_end(text, pivot, limit, 2)
        if end == pivot:
            return None
        if end == limit and text[end : end + 1] in tuple(":/?#"):
            return self._ended(Begun(text, pivot, pivot, pivot + 4, self._generic, None, final, WEB), _ASSUMED)
        return self._assumed(text, pivot, end, WEB)

    def _named(self, text: str, pivot: int, floor: int, final: bool) -> Found | Undecided | None:
        """Return a host name with a top-level domain (RFC 3986 4.5), read as `http://`; `pivot` is its first dot."""
        start = name_start(text, pivot, floor)
        if start == pivot or _INNER_DOT.search(text, start, pivot):
            return None  # its first dot has been examined already
        limit = name_limit(text, start)
        if limit == len(text) and not final:
            return self._undecided(text, pivot, start, beyond_name())
        is_number = text[pivot + 1] in _DIGITS
        if len(text) - limit < (PATH_LIMIT if is_number else _BEHIND_NAME) and not final:
            return Undecided(pivot, start, None)
        if is_number:
            if not is_numbered(text, start, limit, floor):
                return None
            return self._ended(Begun(text, pivot, start, start + 1, self._generic, None, final, WEB), _ASSUMED)
        end = name_end(text, start, limit, 1)
        if end == start or limit - start == NAME_LIMIT or not is_name(text, start, end, floor):
            return None
        if end == limit and text[end : end + 1] in tuple(":/?#"):
            return self._ended(Begun(text, pivot, start, start + 1, self._generic, None, final, WEB), _ASSUMED)
        return self._assumed(text, start, end, WEB)

    def _address(self, text: str, pivot: int, floor: int, final: bool) -> Found | Undecided | None:
        """Return a bare mail address (RFC 5322 3.4.1, dot-atom forms), read as `mailto:`."""
        start = pivot - len(local_part(text, pivot, floor))
        if start == pivot:
            return None
        limit = name_limit(text, pivot + 1)
        if limit == len(text) and not final:
            return self._undecided(text, pivot, start, beyond_name())
        end = name_end(text, pivot + 1, limit, 1)
        if end == pivot + 1:
            return None
        first = address_start(text, start, pivot, end)
        found = self._assumed(text, first, end, "mailto:", _address_text(text, first, pivot, end))
        if first == start or found.wrapper is not None:
            return found
        whole = self.judged(_address_text(text, start, pivot, end), "mailto:")
        return found._replace(alternatives=(whole.uri,)) if isinstance(whole, Judged) else found

    def _without_scheme(self, text: str, pivot: int, floor: int, final: bool) -> Found | Undecided | None:
        """Return a DOI, ISBN, ISSN, ORCID iD, ARK or handle that begins at a digit (`Options.bare`)."""
        from urisieve.find.finder.bare_places import bare_place

        place = bare_place(text, pivot, floor, self._bare, final)
        if place is True:
            return Undecided(pivot, pivot, None)
        if not place or place.start < floor:
            return None
        start, end, scheme, candidate, wrong = place
        if scheme.partition(":")[0] in self._wanted.excluded or (not scheme and "hdl" in self._wanted.excluded):
            return None
        if wrong is not None:
            return Found(start, end, None, (), (), wrong)
        if candidate is not None:
            return self._assumed(text, start, end, scheme, candidate)
        pivot = pivot if scheme else pivot - 1
        return self._ended(Begun(text, pivot, start, end, self._generic, None, final, scheme), _ASSUMED)

    def _refanged(self, text: str, pivot: int, floor: int, final: bool) -> Found | Undecided | None:
        """Return a defanged candidate, judged in its original form, or None."""
        from urisieve.find.finder.defanged import Assume, DefangedTail, find_defanged, mark_follows

        if text[pivot] == ".":
            return None
        if text[pivot] in "wW":
            limit = name_limit(text, pivot)
            follows = mark_follows(text, limit, final)
            if follows is None:
                return self._undecided(text, pivot, pivot, beyond_name())
            return None
        found = find_defanged(
            text,
            pivot,
            floor,
            limit=self._limit,
            syntax=self._generic,
            scheme_of=lambda index: (self._scheme_before(text, index, floor) or (None,))[0],
            assume=Assume(
                self._options.schemeless == SchemelessFinding.NAMES,
                self._options.schemeless == SchemelessFinding.WWW,
                self._options.email == EmailFinding.ADDRESSES,
            ),
            final=final,
        )
        if found is None:
            return None
        if isinstance(found, DefangedTail):
            return self._undecided(text, pivot, found.start, self._generic.beyond)
        start, end, whole, assumed, _ = found
        name = assumed.partition(":")[0] or whole.partition(":")[0].lower()
        if name in self._wanted.excluded or (not assumed and not self._wanted.is_listed(name)):
            return None
        if end - start > self._limit:
            too_long = fault(Reason.TOO_LONG, Component.IDENTIFIER, self._limit)
            return Found(start, start + self._limit, None, (), (), too_long, self._generic.wide)
        opener = text[start - 1] if start else ""
        size = len(whole)
        for closer in INNER_CLOSERS.get(opener, ""):
            index = whole.find(closer)
            size = index if 0 <= index < size else size
        host = whole.find("://", 0, size) + 3 if not assumed else 0
        # A longer run is taken as one: each candidate reads its run to the end, so that the time is linear.
        may_end = (assumed or host > 2) and size <= LATER
        before = before_prose(whole, host, size, host=host, dns=True, is_whole=True).end if may_end else size
        warnings = (Warn.REFANGED, Warn.SCHEME_ASSUMED) if assumed else (Warn.REFANGED,)
        if before < size:
            warnings = (*warnings, Warn.TEXT_FOLLOWS)
        size = trimmed_end(whole, 0, before, opener if opener in EMPHASIS else "")
        end = found.original(size)
        wrapper = opener + text[end] if end < len(text) and text[end] in WRAPPERS.get(opener, "") else None
        judged = self.judged(whole[:size], assumed)
        if isinstance(judged, Fault):
            judged = judged._replace(offset=found.original(judged.offset) - start)
        return Found(start, end, wrapper, warnings, (), judged)

    def _assumed(self, text: str, start: int, end: int, scheme: str, candidate: str | None = None) -> Found:
        opener = text[start - 1] if start else ""
        wrapper = opener + text[end] if end < len(text) and text[end] in WRAPPERS.get(opener, "") else None
        judged = self.judged(text[start:end] if candidate is None else candidate, scheme)
        # What was taken for a name of a host ends before prose.
        follows = scheme in (WEB, _MAIL) and text[end : end + 1] > "\x7f" and starts_prose(text[end])
        warnings = (Warn.SCHEME_ASSUMED, Warn.TEXT_FOLLOWS) if follows else (Warn.SCHEME_ASSUMED,)
        return Found(start, end, wrapper, warnings, (), judged)
