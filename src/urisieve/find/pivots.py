"""The patterns of pivots: the characters by which the search finds candidates.

Every identifier has a colon after its scheme, so the search is for colons (measured on one core: 1.6 GB/s on mail and
prose, 0.1 GB/s on one URL a line; a search for a scheme name runs at 0.01 to 0.25 GB/s). All patterns are the standard
library's `re`: they begin with a literal, for which it has a fast search; `regex` took twice the time on dense text.

The module also defines `WantedSchemes`: the schemes that are looked for, and the scheme before a colon (RFC 3986 3.1).
"""

from __future__ import annotations

import re
from functools import cache

from urisieve.find.delimited import after_escapes
from urisieve.finding_options import EmailFinding, Options, Refang, SchemelessFinding, SchemePolicy, listed_schemes
from urisieve.judge.proofs import SchemeChoice
from urisieve.lean import Final, lazy_compile
from urisieve.rules.table import rules_of
from urisieve.syntax.components import WHITE_SPACE

SCHEME_CHARACTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-."
# The longest white space between "URL:" and the scheme: a line break and an indentation.
URL_BLANK: Final = 80
# The most backslashes before a slash: each string that contains another one doubles them, and adds one.
BACKSLASHES: Final = 15
# The slashes after a colon in a string with escapes; the group contains the backslashes before each.
ESCAPED_SLASHES: Final = rf"(\\{{1,{BACKSLASHES}}}+)(?:/\1/|u002[Ff]\1u002[Ff]|x2[Ff]\1x2[Ff])"

# What a label of a host name begins with.
_NAME: Final = r"[^\x00-/:-@\[-`{-\x7f]"
# From after the colon of "URL:" to the colon of a scheme after a blank: the finder has to see whether a wrapper opens
# before it.
_AFTER_URL: Final = (
    rf"[{WHITE_SPACE}](?<=[Uu][Rr][Ll]:[{WHITE_SPACE}])[{WHITE_SPACE}]{{0,{URL_BLANK - 1}}}+"
    r"[A-Za-z][A-Za-z0-9+.\-]*+:"
)


# Of the dots between labels only the first is looked at (`_INNER_DOT` in `urisieve.find.finder.finder`); most others
# have a short label before them that shows it. No escape sequence goes on after a letter.
_NOT_INNER: Final = "".join(rf"(?<![A-Za-z]\.[A-Za-z]{'[A-Za-z0-9]' * rest}\.)" for rest in range(6))
# A dot in what may be the rest of a host, or in the text that follows.
_DOTTED: Final = r"[^\x00-,./:-@\[-^`{-\x7f]*+(?:\.|\Z)"


def _letters(names: frozenset[str], index: int) -> str:
    return "".join(sorted({case for name in names for case in (name[index].lower(), name[index].upper())}))


def _endings(names: frozenset[str]) -> str:
    """Return a class for the last two letters of the names, as they occur together, in any case."""
    lasts: dict[str, set[str]] = {}
    for name in names:
        lasts.setdefault(name[-1].lower(), set()).add(name)
    # The last letters that follow the same letters are grouped.
    together: dict[str, set[str]] = {}
    for some in lasts.values():
        together.setdefault(_letters(frozenset(some), -2), set()).update(some)
    ways = [f"[{re.escape(first)}][{re.escape(_letters(frozenset(some), -1))}]" for first, some in together.items()]
    return f"(?:{'|'.join(sorted(ways))})"


def _without_slashes(options: Options) -> str:
    """Return the pattern after the colon of a scheme without "//", which is recognized by the text before it.

    Each alternative begins with a character or a class, so that `re` skips it without trying if another one follows.
    """
    listed = listed_schemes(options)
    names = (rules_of(options.rules).curated() if listed is None else listed) - frozenset(options.exclude_schemes)
    following = r"[^\x00-\x20/\x7f]"
    if options.schemes == SchemePolicy.ANY:
        before = r"[A-Za-z0-9+.\-]"
    else:
        following = r"[^\x00-\x20/:\x7f]"
        # Two letters of the curated names before the colon: most other colons fail here, without leaving `re`. Then the
        # same as they occur together, which costs more: with both, prose runs at 280 MB/s, with one or the other alone
        # at 205, or chat logs at 130 instead of 240.
        long = frozenset(name for name in names if len(name) > 1)
        before = rf"[{re.escape(_letters(long, -2))}][{re.escape(_letters(long, -1))}]" if long else "(?!)"
        if len(long) < len(names):
            before = rf"[{re.escape(_letters(names, -1))}]"
        elif long:
            endings = _endings(long)
            return (
                rf"{following}(?<={before}:{following})(?<={endings}:{following})"
                rf"|/(?!/)(?<={before}:/)(?<={endings}:/)"
            )
    return f"{following}(?<={before}:{following})|/(?!/)(?<={before}:/)"


def _without_scheme(options: Options) -> str:
    """Return the patterns of the pivots other than colons.

    Each alternative begins with a literal, and looks behind only after it: so `re` looks for one of these first.
    """
    more = ""
    if options.schemeless != SchemelessFinding.OFF:
        for w in "wW":
            # An `m` may be the end of an escape sequence.
            more += rf"|{w}(?<![A-Za-ln-z0-9._\-@/]{w})[Ww][Ww]\.(?={_NAME})"
    if options.refang != Refang.OFF:
        # A mark for a dot begins a candidate only where names without a scheme count, one for an at-sign only where
        # addresses do; else a text of `[.]` would be looked at mark by mark.
        names, addresses = options.schemeless != SchemelessFinding.OFF, options.email != EmailFinding.OFF
        marks = [":"]
        marks += [r" ?(?:\.|[dD][oO][tT])"] if names else []
        marks += [" ?(?:@|[aA][tT])"] if addresses else []
        more += r"|:(?=\[/)"
        if names:
            more += r"|\\(?=\.)|&(?=#(?:46|[xX]2[eE]);)"
        if options.schemeless == SchemelessFinding.NAMES:
            more += "|d(?=ot [A-Za-z0-9])(?<=[A-Za-z0-9] d)|D(?=OT [A-Za-z0-9])(?<=[A-Za-z0-9] D)"
        for opener in "[({":
            more += rf"|{re.escape(opener)}(?={'|'.join(marks)})"
    if options.schemeless == SchemelessFinding.NAMES:
        more += rf"|\.(?=[^\x00-@\[-`{{-\x7f])(?<={_NAME}\.){_NOT_INNER}"
        # The first dot of an IPv4 address with a path.
        more += r"|\.(?=[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}[:/])(?<=[0-9]\.)"
    if options.email != EmailFinding.OFF:
        # A dot must come in what may be the host, or in the text that follows; a defanged one has other marks.
        more += f"|@(?={_NAME}{_DOTTED if options.refang == Refang.OFF else ''})"
    if options.bare:
        from urisieve.find.finder.bare_places import bare_pivot

        more += f"|{bare_pivot(tuple(options.bare))}"  # type: ignore[arg-type] # `Options` holds members
    return more


@cache
def pivots(options: Options) -> re.Pattern[str]:
    """Return the pattern of the pivots: the colon of a scheme, and others by the options.

    The colon is the first character of a match, but for a scheme after `URL:` and a blank, where it is the last one.
    """
    bare = _without_slashes(options)
    after_url = _AFTER_URL
    # A scheme after "URL:" is not a pivot if a name without a scheme may begin before its colon.
    if options.schemeless != SchemelessFinding.OFF:
        after_url = after_url.replace("[A-Za-z]", r"(?![Ww][Ww][Ww]\.)[A-Za-z]", 1)
    if options.schemeless == SchemelessFinding.NAMES:
        after_url = after_url.replace(r"[A-Za-z0-9+.\-]", r"[A-Za-z0-9+\-]")
    # The finder sees whether the backslashes before the second slash are as many.
    escaped = rf"\\\\{{0,{BACKSLASHES - 1}}}+(?:/|u002[Ff]|x2[Ff])\\"
    return re.compile(f":(?://|{escaped}|{after_url}(?=//|{bare})|{bare}){_without_scheme(options)}")


# The characters before a colon that are looked at first. An escape sequence that begins before them is none.
_NEAR: Final = 64
# Schemes that are found at the end of a longer run of letters.
_WEB: Final = lazy_compile(r"(?:https?|ftp)\Z")
# What follows such a scheme; the slashes may be escaped.
_SLASHES: Final = ("://", ":\\")
_DIGITS: Final = tuple("0123456789")
# `%0Ahttp:`, and `=3Dhttp:` of quoted-printable.
_OCTET: Final = lazy_compile(r"[0-9A-F]{2}(https?|ftp)", re.IGNORECASE)
# The characters of an escape sequence that may precede characters of a scheme.
BEFORE_LETTERS: Final = frozenset("[;:?\x1b\x9b()*#$/")


class WantedSchemes(SchemeChoice):
    """The schemes that are looked for in text by one set of options.

    Attributes:
        any: whether any scheme counts, also without "//".
    """

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._rules = rules_of(options.rules)
        self._limit = options.max_length
        self.any = options.schemes == SchemePolicy.ANY
        if self.any:
            self.excluded |= {"url"}  # `URL:` is a word before an identifier (RFC 3986 Appendix C)

    def is_known(self, name: str) -> bool:
        """Report whether a name, in lower case, is one of a scheme, whether that is wanted or not."""
        return name in self._known or self._rules.scheme(name).name != ""

    def before(self, text: str, pivot: int, floor: int) -> tuple[str, bool] | None:
        """Return the scheme before a colon, if it is wanted, and whether it is cut from a run (RFC 3986 3.1)."""
        first = max(floor, pivot - self._limit)
        run = text[max(first, pivot - _NEAR) : pivot]
        kept = run.rstrip(SCHEME_CHARACTERS)
        if not kept:
            run = text[first:pivot]
            kept = run.rstrip(SCHEME_CHARACTERS)
        written = run[len(kept) :]
        octet = _OCTET.fullmatch(written) if kept.endswith(("%", "=")) else None
        if octet is not None:
            written = octet[1]
        elif kept[-1:] in BEFORE_LETTERS:
            written = run[max(len(kept), after_escapes(run)) :]
        scheme = written.lstrip("0123456789+-.")
        name, is_cut = scheme.lower(), octet is not None
        if name not in self._known and "+" not in name:
            if not name or (len(name) == 1 and not self._rules.scheme(name).name):
                return None  # `%s://`, `C:`
            index = max(name.rfind("."), name.rfind("-")) + 1
            if not index or name[index:] not in self._known:
                # A prefix of a name of the web belongs to the text, as the `n` of `\nhttps://`.
                web = _WEB.search(name) if text.startswith(_SLASHES, pivot) else None
                index = 0 if web is None or self._rules.scheme(name).name else web.start()
                is_cut = index > 0
            scheme, name = scheme[index:], name[index:]
        if written[-len(scheme) - 1 : -len(scheme)] in _DIGITS and not self.is_known(name):
            return None  # `2018-03-06T10:02:07`, `3rd:place`: no scheme begins with a digit (RFC 3986 3.1)
        return (scheme, is_cut) if self.holds(name) else None

    def name_before(self, text: str, pivot: int, floor: int) -> str | None:
        """Return the scheme before a colon, if it is wanted."""
        found = self.before(text, pivot, floor)
        return None if found is None else found[0]

    def begins(self, name: str, text: str, after: int) -> bool:
        """Report whether a text begins with an identifier of this scheme, as one in running text does."""
        if text.startswith("//", after):
            return len(text) > after + 2 and (len(name) > 1 or name in self._known)
        if text[after : after + 1] <= " ":  # the end, white space or a control
            return False
        shape = self._rules.shape(name)
        return self.any or (shape.match(text, after) is not None if shape is not None else self.listed is not None)
