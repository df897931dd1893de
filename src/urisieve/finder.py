"""One candidate: from the colon of its scheme to where it begins and ends, its wrapper, and its judgement.

RFC 3986 Appendix C says how identifiers are delimited in text: by double quotes, by angle brackets (inside which
white space is ignored), by white space, and with an obsolete `URL:` before them.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from urisieve import schemes
from urisieve.canonical import proves_canonical
from urisieve.codes import Component, Reason, Warn
from urisieve.components import split
from urisieve.delimiters import NON_ASCII, WRAPPERS, trimmed_end
from urisieve.extent import SPACES, WHITE_SPACE, Syntax, bare_end, syntax_of
from urisieve.faults import Fault, fault
from urisieve.host import dns_host
from urisieve.iri import encoded
from urisieve.judge import Judged, judge
from urisieve.options import EmbeddedSpace, Options, Repair, SchemePolicy
from urisieve.pivot import SCHEME_CHARACTERS
from urisieve.registry.schemes import SCHEMES

__all__ = ["LOCAL_CHARACTERS", "LOCAL_LIMIT", "Finder", "Found", "Undecided", "url_prefix"]

# The longest white space between "URL:" and the scheme: a line break and an indentation.
_URL_BLANK: Final = 80
# How far a shape may have to look (the longest is that of data:, with eight parameters of 127 characters).
_SHAPE_WINDOW: Final = 2_048
# A bound on the memory of judged candidates: 16,384 do as well as an unbounded one on mailing lists and logs.
_MEMORY: Final = 16_384
# A candidate longer than this is not remembered: it hardly ever comes twice.
_REMEMBERED: Final = 512
# Hyphens at line breaks whose alternatives are given one by one; with more there are just too many meanings.
_ALTERNATIVES: Final = 8
# An undecided run longer than this is not looked at again before a character that can decide it has come.
_LONG_RUN: Final = 1_024

_SPACES: Final = re.compile(f"[{WHITE_SPACE}]+")
_LINE_BREAKS: Final = "\n\r\x85\u2028\u2029"
_HYPHEN_BREAK: Final = re.compile(f"-(?=[{WHITE_SPACE}]*[{_LINE_BREAKS}])[{WHITE_SPACE}]+")
_PLAIN_BLANK: Final = re.compile(f"(?<![{WHITE_SPACE}])[^{_LINE_BREAKS}\\S]+(?![{WHITE_SPACE}])")
_SECOND_SCHEME: Final = re.compile(f"[{WHITE_SPACE}][A-Za-z][A-Za-z0-9+.\\-]*://")
_EMPHASIS: Final = "*_~"
# Closers that a candidate may hold, so that they have to be looked for inside it.
_INNER_CLOSERS: Final = {opener: closers for opener, closers in WRAPPERS.items() if opener in "'“‘«‹„‚»›"}

# Bare addresses: the characters of RFC 5322 atext that stand in addresses rather than around them; 64 octets are the
# limit of RFC 5321 4.5.3.1.1.
LOCAL_CHARACTERS: Final = SCHEME_CHARACTERS + "_%&'=!#$*/?^`{|}~"
LOCAL_LIMIT: Final = 64
_DOMAIN: Final = f"A-Za-z0-9.\\-{NON_ASCII}"


@cache
def _domain() -> re.Pattern[str]:
    return re.compile(f"[{_DOMAIN}]{{1,256}}")


@cache
def _not_domain() -> re.Pattern[str]:
    return re.compile(f"[^{_DOMAIN}]")


class Undecided(NamedTuple):
    """A pivot whose candidate the text so far does not decide.

    Attributes:
        pivot: its place.
        start: what has to be kept begins here.
        awaited: a class of characters of which one must come before it can be decided; None if any may.
    """

    pivot: int
    start: int
    awaited: re.Pattern[str] | None


class Found(NamedTuple):
    """A candidate with its limits in the text and its judgement."""

    start: int
    end: int
    wrapper: str | None
    warnings: tuple[Warn, ...]
    alternatives: tuple[str, ...]
    judged: Judged | Fault
    passing: Syntax | None = None
    """Set where the candidate is too long: the rest of its run is passed over."""


def url_prefix(text: str, start: int) -> int:
    """Where a `URL:` before a scheme begins (Appendix C), or the start of the scheme where there is none."""
    before = text[max(0, start - _URL_BLANK - 4) : start]
    if before[-1:] != ":" and not before[-1:].isspace():
        return start
    bare = before.rstrip()
    if bare[-4:].lower() != "url:" or (bare[-5:-4] in SCHEME_CHARACTERS and len(bare) > 4):
        return start
    return start - (len(before) - len(bare)) - 4


class Finder:
    """Delimits and judges candidates by one set of options.

    It remembers what it has judged (mailing lists and logs repeat nine links of ten); nothing else changes in it.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._limit = options.max_length
        self._shortcut = proves_canonical(options)
        self._any = options.schemes == SchemePolicy.ANY
        self._registered = options.schemes == SchemePolicy.REGISTERED
        self._listed = None if isinstance(options.schemes, SchemePolicy) else frozenset(options.schemes)
        self._excluded = frozenset(options.exclude_schemes) | ({"url"} if self._any else frozenset())
        self._known = SCHEMES.keys() | options.known_schemes | (self._listed or frozenset())
        self._generic = syntax_of("", options)
        self._urn = syntax_of("urn", options)
        self._repair = options.repair == Repair.ENCODE
        self._memory: dict[str, Judged | Fault] = {}

    def find(self, text: str, pivot: int, floor: int, final: bool) -> Found | Undecided | None:
        """Look at one pivot.

        Args:
            text: the text around it.
            pivot: the place of a colon (of `@` or `www.` where those are asked for).
            floor: the end of the candidate before; a candidate does not begin before it.
            final: whether the text ends here for good.

        Returns:
            None where there is no candidate.
        """
        if text[pivot] != ":":
            return (
                self._address(text, pivot, floor, final) if text[pivot] == "@" else self._schemeless(text, pivot, final)
            )
        scheme = self._scheme(text, pivot, floor)
        if scheme is None:
            return None
        start = pivot - len(scheme)
        after = pivot + 1
        scheme = scheme.lower()
        slashes = text.startswith("//", after)
        shape: re.Pattern[str] | None = None
        if not slashes and not self._any:
            shape = schemes.shape(scheme)
            if shape is None and self._listed is None:
                return None
        syntax = self._urn if scheme == "urn" else self._generic
        if shape is not None:
            window = after + _SHAPE_WINDOW
            if not final and len(text) < window and syntax.beyond.search(text, after) is None:
                return self._undecided(text, pivot, start, syntax.beyond)
            if not shape.match(text, after):
                return None
        return self._delimited(text, pivot, start, after + 2 if slashes else after, syntax, shape, final)

    def _scheme(self, text: str, pivot: int, floor: int) -> str | None:
        """The scheme before a colon, if these options find it (RFC 3986 3.1)."""
        first = max(floor, pivot - self._limit)
        near = max(first, pivot - 64)
        run = text[near:pivot]
        kept = run.rstrip(SCHEME_CHARACTERS)
        if not kept and near > first:
            run = text[first:pivot]
            kept = run.rstrip(SCHEME_CHARACTERS)
        scheme = run[len(kept) :].lstrip("0123456789+-.")
        if not scheme:
            return None
        name = scheme.lower()
        known = self._known
        if name not in known and "+" not in name:
            place = max(name.rfind("."), name.rfind("-")) + 1
            if place and name[place:] in known:
                scheme = scheme[place:]
                name = name[place:]
        if name in self._excluded or (self._registered and name not in known):
            return None
        return scheme if self._listed is None or name in self._listed else None

    def _undecided(self, text: str, pivot: int, start: int, awaited: re.Pattern[str]) -> Undecided:
        return Undecided(pivot, start, awaited if len(text) - start > _LONG_RUN else None)

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
    ) -> Found | Undecided | None:
        """Find the end of a candidate; `body` is where something must follow its scheme."""
        after = body if assumed else pivot + 1
        outside = start
        opener = text[start - 1] if start else ""
        if opener == ":" or opener.isspace():
            outside = url_prefix(text, start)
            opener = text[outside - 1] if outside else ""
        size = len(text)
        longest = start + self._limit
        limit = min(size, longest + 1)
        if opener == "<" or opener == '"':
            spaced = (opener == "<" and self._options.embedded_space != EmbeddedSpace.KEEP) or (
                self._repair and opener == '"'
            )
            run = (syntax.spaced if spaced else syntax.exact).match(text, after, limit)
            end = run.end() if run else after
            if end == size and not final and end <= longest:
                return self._undecided(text, pivot, outside - 1, syntax.beyond_spaced if spaced else syntax.beyond)
            if end < limit and text[end] == WRAPPERS[opener]:
                found = self._exact(text, start, end, body, shape, opener + text[end], assumed)
                if found is not None:
                    return found
        end = bare_end(syntax, text, after, limit)
        wrapper = None
        inner = -1
        if opener in _INNER_CLOSERS:
            places = [text.find(closer, body, end) for closer in _INNER_CLOSERS[opener]]
            inner = min((place for place in places if place >= 0), default=-1)
        if inner >= 0:
            end = inner
            wrapper = opener + text[end]
        elif end > longest:
            too_long = fault(Reason.TOO_LONG, Component.IDENTIFIER, self._limit)
            return Found(start, longest, None, (), (), too_long, syntax)
        elif end == size:
            if not final:
                return self._undecided(text, pivot, outside - 1, syntax.beyond)
        elif text[end] == WRAPPERS.get(opener) and opener != "<" and opener != '"':
            wrapper = opener + text[end]
        end = trimmed_end(text, body, end, opener if opener in _EMPHASIS else "")
        if end <= body or (shape is not None and not shape.match(text, pivot + 1, end)):
            return None
        judged = self._judged(assumed + text[start:end])
        if assumed and isinstance(judged, Fault):
            return None
        return Found(start, end, wrapper, (Warn.SCHEME_ASSUMED,) if assumed else (), (), judged)

    def _exact(
        self, text: str, start: int, end: int, body: int, shape: re.Pattern[str] | None, wrapper: str, assumed: str
    ) -> Found | None:
        """A candidate that its wrapper delimits exactly; None where what is inside is not one identifier."""
        content = text[start:end]
        content = content.rstrip(SPACES)
        end = start + len(content)
        joined = content
        warnings: tuple[Warn, ...] = (Warn.SCHEME_ASSUMED,) if assumed else ()
        alternatives: tuple[str, ...] = ()
        spaces = _SPACES.search(content) is not None
        if spaces:
            if _SECOND_SCHEME.search(content):
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
        judged = self._judged(assumed + joined)
        if isinstance(judged, Fault):
            return None if spaces or assumed else Found(start, end, wrapper, (), (), judged)
        if len(joined) < len(content):
            warnings += (Warn.WHITESPACE_REMOVED,)
            alternatives = self._without_hyphens(content, judged.uri)
            if alternatives:
                warnings += (Warn.HYPHEN_AT_LINE_BREAK,)
        return Found(start, end, wrapper, warnings, alternatives, judged)

    def _without_hyphens(self, content: str, uri: str) -> tuple[str, ...]:
        """What was meant if hyphens right before line breaks were added by whoever broke the lines (Appendix C)."""
        breaks = [match.start() for match in _HYPHEN_BREAK.finditer(content)]
        if not breaks:
            return ()
        sets = [{place} for place in breaks[:_ALTERNATIVES]]
        if len(breaks) > 1:
            sets.append(set(breaks))
        found: dict[str, None] = {}
        for places in sets:
            text = "".join(character for place, character in enumerate(content) if place not in places)
            judged = self._judged(_SPACES.sub("", text))
            if isinstance(judged, Judged) and judged.uri != uri:
                found[judged.uri] = None
        return tuple(found)

    def _judged(self, text: str) -> Judged | Fault:
        judged = self._memory.get(text)
        if judged is None:
            judged = judge(text, self._options, shortcut=self._shortcut)
            if len(text) <= _REMEMBERED:
                if len(self._memory) >= _MEMORY:
                    self._memory.clear()
                self._memory[text] = judged
        return judged

    def _schemeless(self, text: str, pivot: int, final: bool) -> Found | Undecided | None:
        """A reference that begins with `www.` (RFC 3986 4.5), read as `http://`."""
        found = self._delimited(text, pivot, pivot, pivot + 4, self._generic, None, final, "http://")
        if isinstance(found, Found) and isinstance(found.judged, Judged):
            host = split(found.judged.uri).host or ""
            if host.count(".") < 2 or host.endswith("."):
                return None
        return found

    def _address(self, text: str, pivot: int, floor: int, final: bool) -> Found | Undecided | None:
        """A bare mail address (RFC 5322 3.4.1, dot-atom forms), read as `mailto:`."""
        first = max(floor, pivot - LOCAL_LIMIT)
        run = text[first:pivot]
        local = run[len(run.rstrip(LOCAL_CHARACTERS)) :]
        local = local.lstrip("!#$%&'*+-/=?^`{|}~.")
        start = pivot - len(local)
        if not local or local[-1] == "." or ".." in local or text[start - 1 : start] in ("/", ":"):
            return None
        match = _domain().match(text, pivot + 1)
        if match is None:
            return None
        if match.end() == len(text) and not final:
            return self._undecided(text, pivot, start, _not_domain())
        domain = match[0].rstrip(".-")
        while domain and trimmed_end(domain, 0, len(domain), "") < len(domain):
            domain = domain[: trimmed_end(domain, 0, len(domain), "")]
        end = pivot + 1 + len(domain)
        if "." not in domain or not domain.rpartition(".")[2][:1].isalpha():
            return None
        if dns_host(encoded(domain)).reason is not None:
            return None
        judged = self._judged(f"mailto:{local}@{domain}")
        if isinstance(judged, Fault):
            return None
        opener = text[start - 1 : start]
        wrapper = opener + text[end] if end < len(text) and opener and WRAPPERS.get(opener) == text[end] else None
        return Found(start, end, wrapper, (Warn.SCHEME_ASSUMED,), (), judged)
