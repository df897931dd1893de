"""One candidate: from the colon of its scheme to its extent, its wrapper and its judgement.

RFC 3986 Appendix C says how identifiers are delimited in text: by double quotes, by angle brackets (inside which
white space is ignored), by white space, and with an obsolete `URL:` before them.
"""

from __future__ import annotations

import re

from urisieve.codes import Component, Reason, Warn
from urisieve.find.delimited import (
    SCHEME,
    Delimited,
    beyond_escape,
    beyond_tight,
    ends_escape,
    is_prose,
    may_be_escaped,
    tight_end,
)
from urisieve.find.finder.candidates import Found, Undecided
from urisieve.find.finder.cuts import before_second_link, goes_on, may_go_on, open_emphasis
from urisieve.find.finder.extent import CUT_MARK_LIMIT, Syntax, bare_end, is_cut, syntax_of, urn_syntax
from urisieve.find.finder.judgements import Judgements
from urisieve.find.finder.schemeless import (
    NAME_LIMIT,
    beyond_name,
    is_name,
    local_part,
    name_end,
    name_limit,
    name_start,
)
from urisieve.find.finder.wanted_schemes import WantedSchemes
from urisieve.find.pivots import SCHEME_CHARACTERS, URL_BLANK
from urisieve.judge.faults import Fault, fault
from urisieve.judge.judge import Judged, judge
from urisieve.lean.hints import Final
from urisieve.lean.patterns import lazy_compile
from urisieve.lean.values import replace
from urisieve.options import (
    Bare,
    EmailFinding,
    EmbeddedSpace,
    Options,
    Refang,
    Repair,
    SchemelessFinding,
    UrnSyntax,
)
from urisieve.rules.table import rules_of
from urisieve.syntax.characters import SPACES, WHITE_SPACE, WRAPPERS, trimmed_end

__all__ = ["INNER_CLOSERS", "LONG_RUN", "Finder", "Found", "Undecided"]

# How far a shape may have to look (the longest is that of data:, with eight parameters of 127 characters).
_SHAPE_WINDOW: Final = 2_048
# How far after its end by RFC 2141 a URN is read by RFC 8141.
_LATER: Final = 1_024
_URN: Final = lazy_compile("urn:", re.IGNORECASE)
# The number of hyphens at line breaks whose alternatives are listed one by one; more have too many combinations.
_ALTERNATIVES: Final = 8
_MEANINGFUL: Final = lazy_compile(r"[%/?#\[\]&;=^`{|}]")
# The text to examine after a host name: a port and a slash, or `://`.
_BEHIND_NAME: Final = 8
# Such classes are written as their complements: these compile in a hundredth of the time.
_INNER_DOT: Final = lazy_compile(r"(?<=[^\x00-/:-@\[-`{-\x7f])\.(?=[^\x00-@\[-`{-\x7f])")
# The characters that end the authority (RFC 3986 3.2).
_SECTION: Final = lazy_compile("[/?#@]")
# The first window, in characters, in which to look for a closer that a candidate may hold.
_WINDOW: Final = 256
# An undecided run longer than this is not examined again before a character that can decide it has come.
LONG_RUN: Final = 1_024

_SPACES: Final = lazy_compile(f"[{WHITE_SPACE}]+")
_LINE_BREAKS: Final = "\n\r\x85\u2028\u2029"
_HYPHEN_BREAK: Final = lazy_compile(f"-(?=[{WHITE_SPACE}]*[{_LINE_BREAKS}])[{WHITE_SPACE}]+")
_PLAIN_BLANK: Final = lazy_compile(f"(?<![{WHITE_SPACE}])[^{_LINE_BREAKS}\\S]+(?![{WHITE_SPACE}])")
_SECOND_SCHEME: Final = lazy_compile(f"[{WHITE_SPACE}]([A-Za-z][A-Za-z0-9+.\\-]*):")
# The constructor of tuples: that of the named tuple itself takes three times as long.
_tuple: Final = tuple.__new__
_EMPHASIS: Final = "*_~"
_DIGITS: Final = frozenset("0123456789")
# Closers that a candidate may hold, so that the candidate has to be searched for them.
INNER_CLOSERS: Final = {opener: closers for opener, closers in WRAPPERS.items() if opener in "'“‘«‹„‚»›"}


def _url_prefix(text: str, start: int) -> int:
    """Return where a `URL:` before a scheme begins (Appendix C), or the start of the scheme if there is none."""
    before = text[max(0, start - URL_BLANK - 4) : start]
    bare = before.rstrip(SPACES)
    if bare[-4:].lower() != "url:" or (bare[-5:-4] in SCHEME_CHARACTERS and len(bare) > 4):
        return start
    return start - (len(before) - len(bare)) - 4


def _inner_end(syntax: Syntax, text: str, after: int, body: int, limit: int, closers: str) -> tuple[int, int]:
    """Return `bare_end`, and the offset of the first of some closers before it or -1, searched in growing windows.

    In this way a row of wrapped candidates costs each its own length, even if all of them together are one run.
    """
    window = _WINDOW
    while True:
        end = bare_end(syntax, text, after, min(limit, body + window))
        offsets = [offset for closer in closers if (offset := text.find(closer, body, end)) >= 0]
        if offsets:
            return end, min(offsets)
        if end < body + window or end == limit:
            return end, -1
        window *= 16


def _later_urn(text: str) -> Syntax:
    syntax = urn_syntax(UrnSyntax.RFC8141)
    return syntax.ascii if text.isascii() else syntax


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
        self._repair = options.repair == Repair.ENCODE
        self._joined_in_angles = options.embedded_space != EmbeddedSpace.KEEP
        self._judgements = Judgements(options)
        self.judged = self._judgements.judged
        self._seen = self._judgements.wrapped

    def find(self, text: str, pivot: int, floor: int, final: bool) -> Found | Undecided | None:
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
            if found is not None or text[pivot] in "[({\\" or text.startswith(":[", pivot):
                return found
        if text[pivot] != ":":
            if text[pivot] == ".":
                return self._named(text, pivot, floor, final)
            return (
                self._address(text, pivot, floor, final) if text[pivot] == "@" else self._schemeless(text, pivot, final)
            )
        seen = self._seen(text, pivot, floor)
        if seen is not None:
            return seen
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
            if not shape.match(text, after) and text[_url_prefix(text, start) - 1 : start][:1] not in ("<", '"'):
                return None
        if not slashes and self._rules.scheme(scheme).bracketed:
            syntax = syntax_of(scheme, self._options)
            syntax = syntax.ascii if text.isascii() else syntax
        body = after + 2 if slashes else after
        return self._delimited(text, pivot, start, body, syntax, shape, final, warnings=warnings)

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
        if match is None or kind is Delimited.TEXT:
            return None
        name = match[1].lower()
        if not self._wanted.holds(name):
            return None
        if kind is Delimited.VALUE and not self._wanted.begins(name, content, match.end()):
            return None
        if _SPACES.search(content) and (
            self._holds_another(content) or (kind is Delimited.VALUE and is_prose(content))
        ):
            return None
        start = len(text) - len(text.lstrip(SPACES))
        if len(content) > self._limit:
            too_long = fault(Reason.TOO_LONG, Component.IDENTIFIER, self._limit)
            return Found(start, start + self._limit, None, (), (), too_long)
        judged = self.judged(content)
        if isinstance(judged, Fault) and self._refang:
            return None  # it may be defanged
        return Found(start, start + len(content), None, (), (), judged)

    def _delimited(
        self,
        text: str,
        pivot: int,
        start: int,
        body: int,
        syntax: Syntax,
        shape: re.Pattern[str] | None,
        final: bool,
        assumed: str = "",
        warnings: tuple[Warn, ...] = (),
    ) -> Found | Undecided | None:
        """Find the end of a candidate; `body` is the offset after its scheme, where something must follow."""
        after = body if assumed else pivot + 1
        outside = start
        opener = text[start - 1] if start else ""
        if opener == ":" or opener in SPACES:
            outside = _url_prefix(text, start)
            opener = text[outside - 1] if outside else ""
        size = len(text)
        longest = start + self._limit
        limit = min(size, longest + 1)
        if assumed:
            warnings = (Warn.SCHEME_ASSUMED,)
        if opener == "<" or opener == '"':
            wrapped = self._wrapped_exactly(text, pivot, start, outside, body, syntax, shape, final, assumed)
            if wrapped is not None:
                return wrapped
        wrapper = None
        inner = -1
        if opener in INNER_CLOSERS:
            end, inner = _inner_end(syntax, text, after, body, limit, INNER_CLOSERS[opener])
        else:
            end = bare_end(syntax, text, after, limit)
        if inner >= 0:
            end = inner
            wrapper = opener + text[end]
        elif end > longest:
            too_long = fault(Reason.TOO_LONG, Component.IDENTIFIER, self._limit)
            return Found(start, longest, None, (), (), too_long, syntax.wide)
        elif end == size:
            if not final:
                return self._undecided(text, pivot, outside - 1, syntax.beyond)
        elif text[end] in WRAPPERS.get(opener, "") and opener != "<" and opener != '"':
            wrapper = opener + text[end]
        urn = not syntax.sections
        # Whether the text may go on after an excluded character; most candidates end at a blank.
        stop = end if end < size and wrapper is None and (text[end] > "Z" or text[end] == "&") else size
        if not final:
            # A bracket where it stops, or inside, may turn out to be a note: `http://e.example[^1`.
            bracket = (
                stop if stop < size and text[stop] in "[]" else text.rfind("[", max(body, size - CUT_MARK_LIMIT), end)
            )
            if bracket >= 0 and is_cut(text, bracket):
                return self._undecided(text, pivot, outside - 1, syntax.beyond)
            if stop < size and may_go_on(text, stop, urn=urn):
                return Undecided(pivot, outside - 1, None)
        if inner < 0 and text.find("'", body, end) >= 0:
            end = before_second_link(text, body, end)
        emphasis = opener if opener in _EMPHASIS else ""
        last = text[end - 1]
        if not (last.isalnum() or last == "/"):
            end = trimmed_end(text, body, end, emphasis)
            if end > body and not emphasis:
                emphasis = open_emphasis(text, start, end)
                if emphasis:
                    end = trimmed_end(text, body, end, emphasis)
            if end > body and text[end - 1] == "-" and self._ends_host(text, start, body, end):
                # A line that ends with the hyphen goes on with the rest of the host.
                if end + 1 >= size and not final:
                    return Undecided(pivot, outside - 1, None)
                behind = text[end : end + 2]
                if behind[:1] not in _LINE_BREAKS and not (behind[:1] in SPACES and behind[1:].strip() == ""):
                    end = trimmed_end(text, body, body + len(text[body:end].rstrip("-")), emphasis)
        if end <= body or (shape is not None and not shape.match(text, pivot + 1, end)):
            return None
        judged = self.judged(text[start:end], assumed)
        alternatives: tuple[str, ...] = ()
        if stop < size and isinstance(judged, Judged) and goes_on(text, stop, urn=urn):
            is_short = True
            if urn and text[stop] in "&~" and self._options.urn_syntax == UrnSyntax.RFC2141:
                near = min(limit, end + _LATER)
                later = bare_end(_later_urn(text), text, after, near)
                if later == size and not final:
                    return self._undecided(text, pivot, outside - 1, syntax.beyond)
                if later < near or near == size:
                    later = trimmed_end(text, end, later, emphasis)
                    is_short = later > end
                    alternatives = self._later_reading(text[start:later], judged.uri) if is_short else ()
            if is_short:
                warnings = (*warnings, Warn.STOPS_AT_EXCLUDED)
        return _tuple(Found, (start, end, wrapper, warnings, alternatives, judged, None))

    def _ends_host(self, text: str, start: int, body: int, end: int) -> bool:
        """Report whether a candidate ends with its host; a host has no final hyphen (RFC 952, RFC 1123 2.1)."""
        scheme = text[start : body - 3].lower()
        return _SECTION.search(text, body, end) is None and (not scheme or self._rules.scheme(scheme).dns)

    def _later_reading(self, text: str, uri: str) -> tuple[str, ...]:
        """Return the URN as RFC 8141 reads it, if that differs from `uri`."""
        if _URN.search(text, 1) is not None:
            return ()  # another URN follows
        judged = judge(text, replace(self._options, urn_syntax=UrnSyntax.RFC8141))
        return (judged.uri,) if isinstance(judged, Judged) and judged.uri != uri else ()

    def _wrapped_exactly(
        self,
        text: str,
        pivot: int,
        start: int,
        outside: int,
        body: int,
        syntax: Syntax,
        shape: re.Pattern[str] | None,
        final: bool,
        assumed: str,
    ) -> Found | Undecided | None:
        """Return a candidate in `<>` or `""` (Appendix C), or None if no such wrapper delimits it."""
        after = body if assumed else pivot + 1
        opener = text[outside - 1]
        size = len(text)
        longest = start + self._limit
        limit = min(size, longest + 1)
        end = tight_end(text, opener, after, limit)
        closer = WRAPPERS[opener]
        if text[end : end + 1] != closer:
            awaited = beyond_tight(opener)
            is_spaced = self._joined_in_angles if opener == "<" else self._repair
            if is_spaced and end < limit:
                run = syntax.spaced.match(text, after, limit)
                end = run.end() if run else after
                awaited = syntax.beyond_spaced
            if end == size and not final and end <= longest:
                return self._undecided(text, pivot, outside - 1, awaited)
            if text[end : end + 1] != closer:
                return None
        elif not final and may_be_escaped(text, after, end):
            return self._undecided(text, pivot, outside - 1, beyond_escape())
        if end >= limit:
            return None
        # `\\"http://e.example\\"`: the quotation marks of a string in a string are escaped, both of them.
        if text[outside - 2 : outside - 1] == "\\":
            end = start + len(text[start:end].rstrip("\\"))
        return self._exact(text, start, end, body, shape, opener + closer, assumed)

    def _exact(
        self, text: str, start: int, end: int, body: int, shape: re.Pattern[str] | None, wrapper: str, assumed: str
    ) -> Found | None:
        """Return a candidate that its wrapper delimits exactly, or None if the content is not one identifier."""
        content = text[start:end].rstrip(SPACES)
        end = start + len(content)
        joined = content
        warnings: tuple[Warn, ...] = (Warn.SCHEME_ASSUMED,) if assumed else ()
        alternatives: tuple[str, ...] = ()
        spaces = _SPACES.search(content) is not None
        if spaces:
            if self._holds_another(content):
                return None
            if self._repair and (wrapper == '""' or _PLAIN_BLANK.search(content)):
                if wrapper == '""' and any(character in content for character in _LINE_BREAKS):
                    return None
                joined = _SPACES.sub(lambda run: "" if any(c in run[0] for c in _LINE_BREAKS) else run[0], content)
            else:
                runs = _SPACES.findall(content)
                if self._options.embedded_space == EmbeddedSpace.LINE_BREAKS and not all(
                    any(character in run for character in _LINE_BREAKS) for run in runs
                ):
                    return None
                joined = _SPACES.sub("", content)
        if start + len(joined) <= body or (shape is not None and not shape.match(joined, joined.index(":") + 1)):
            return None
        label = -1 if self._repair or spaces or wrapper != "<>" else content.find("|")
        if label > 0:
            # `<link|label>`, the form in which chat services write a link with its label.
            judged = self.judged(content[:label], assumed)
            if isinstance(judged, Judged):
                return Found(start, start + label, None, (*warnings, Warn.STOPS_AT_EXCLUDED), (), judged)
        judged = self.judged(joined, assumed)
        if isinstance(judged, Fault):
            return None if spaces else Found(start, end, wrapper, (), (), judged)
        is_alone = not spaces and not assumed and "\x1b" not in content and "\x9b" not in content
        if is_alone and text[start - 1] == wrapper[0] and text[end] == wrapper[1]:
            self._judgements.remember_wrapped(text[start - 1 : end + 1], judged)
        if len(joined) < len(content):
            warnings += (Warn.WHITESPACE_REMOVED,)
            alternatives = self._without_hyphens(content, judged.uri)
            if alternatives:
                warnings += (Warn.HYPHEN_AT_LINE_BREAK,)
        return Found(start, end, wrapper, warnings, alternatives, judged)

    def _holds_another(self, content: str) -> bool:
        """Report whether another identifier begins after white space: then the wrapper holds two and joins nothing."""
        for match in _SECOND_SCHEME.finditer(content):
            shape = self._rules.shape(match[1].lower())
            if content.startswith("//", match.end()) or (shape is not None and shape.match(content, match.end())):
                return True
        return False

    def _without_hyphens(self, content: str, uri: str) -> tuple[str, ...]:
        """Return the readings without hyphens right before line breaks, which were perhaps added there (Appendix C)."""
        breaks = [match.start() for match in _HYPHEN_BREAK.finditer(content)]
        if not breaks:
            return ()
        texts = [content[:index] + content[index + 1 :] for index in breaks[:_ALTERNATIVES]]
        if len(breaks) > 1:
            texts.append(_HYPHEN_BREAK.sub("", content))
        found: dict[str, None] = {}
        for text in texts:
            judged = self.judged(_SPACES.sub("", text))
            if isinstance(judged, Judged) and judged.uri != uri:
                found[judged.uri] = None
        return tuple(found)

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
            return self._delimited(text, pivot, pivot, pivot + 4, self._generic, None, final, "http://")
        return self._assumed(text, pivot, end, "http://")

    def _named(self, text: str, pivot: int, floor: int, final: bool) -> Found | Undecided | None:
        """Return a host name with a top-level domain (RFC 3986 4.5), read as `http://`; `pivot` is its first dot."""
        start = name_start(text, pivot, floor)
        if start == pivot or _INNER_DOT.search(text, start, pivot):
            return None  # its first dot has been examined already
        limit = name_limit(text, start)
        if limit == len(text) and not final:
            return self._undecided(text, pivot, start, beyond_name())
        if len(text) - limit < _BEHIND_NAME and not final:
            return Undecided(pivot, start, None)
        end = name_end(text, start, limit, 1)
        if end == start or limit - start == NAME_LIMIT or not is_name(text, start, end, floor):
            return None
        if end == limit and text[end : end + 1] in tuple(":/?#"):
            return self._delimited(text, pivot, start, start + 1, self._generic, None, final, "http://")
        return self._assumed(text, start, end, "http://")

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
        # RFC 6068 2: characters with a meaning in a URI are encoded in the address.
        local = _MEANINGFUL.sub(lambda match: f"%{ord(match[0]):02X}", text[start:pivot])
        return self._assumed(text, start, end, "mailto:", local + text[pivot:end])

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
        return self._delimited(text, pivot, start, end, self._generic, None, final, scheme)

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
        size = trimmed_end(whole, 0, size, opener if opener in _EMPHASIS else "")
        end = found.original(size)
        wrapper = opener + text[end] if end < len(text) and text[end] in WRAPPERS.get(opener, "") else None
        warnings = (Warn.REFANGED, Warn.SCHEME_ASSUMED) if assumed else (Warn.REFANGED,)
        judged = self.judged(whole[:size], assumed)
        if isinstance(judged, Fault):
            judged = judged._replace(offset=found.original(judged.offset) - start)
        return Found(start, end, wrapper, warnings, (), judged)

    def _assumed(self, text: str, start: int, end: int, scheme: str, candidate: str | None = None) -> Found:
        opener = text[start - 1] if start else ""
        wrapper = opener + text[end] if end < len(text) and text[end] in WRAPPERS.get(opener, "") else None
        judged = self.judged(text[start:end] if candidate is None else candidate, scheme)
        return Found(start, end, wrapper, (Warn.SCHEME_ASSUMED,), (), judged)
