r"""The patterns of pivots: the characters by which the search finds candidates.

Every identifier has a colon after its scheme, so the search is for colons (measured on one core: 1.6 GB/s on mail and
prose, 0.1 GB/s on one URL a line; a search for a scheme name runs at 0.01 to 0.25 GB/s). All patterns are the standard
library's `re`: they begin with a literal, for which it has a fast search; `regex` took twice the time on dense text.

The search goes further: it proves that an http(s) link is delimited beyond doubt and already in canonical form, so that
its record needs no other work. It proves less than the slow path decides, never more: all that it does not prove is
left to the slow path.
"""

from __future__ import annotations

import re
from functools import cache

from urisieve.judge.proof import LINK, proves_canonical
from urisieve.lean.hints import Final
from urisieve.lean.patterns import lazy_compile
from urisieve.lean.values import NamedTuple
from urisieve.options import (
    EmailFinding,
    NestedFinding,
    Options,
    Refang,
    Repair,
    SchemelessFinding,
    SchemePolicy,
    listed_schemes,
)
from urisieve.rules.table import rules_of
from urisieve.syntax.components import WHITE_SPACE

__all__ = ["BACKSLASHES", "ESCAPED_SLASHES", "SCHEME_CHARACTERS", "URL_BLANK", "Pivots", "pivots"]

SCHEME_CHARACTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-."
# The longest white space between "URL:" and the scheme: a line break and an indentation.
URL_BLANK: Final = 80
# The most backslashes before a slash: each string that holds another one doubles them, and adds one.
BACKSLASHES: Final = 15
# The slashes behind a colon in a string with escapes; the group holds the backslashes before each.
ESCAPED_SLASHES: Final = rf"(\\{{1,{BACKSLASHES}}}+)/\1/"

# The last character must be one that trimming would not remove, such as a doubled mark that closes an emphasis, and no
# hyphen, with which a line may end.
_LAST: Final = r"(?<![.,;:!?\-])(?<!\*\*|__|~~)"
# The characters before a link without a blank in Chinese and Japanese text.
_HAN_AND_KANA: Final = "\u3040-\u30ff\u4e00-\u9fff"
# Before the scheme: a character that is not of a scheme, a wrapper, an emphasis or the end of "URL:".
_BEFORE: Final = rf"[\t\n\r >=,|/\\!?&%#@)\]}}$^{_HAN_AND_KANA}]"
# A "+" before the scheme is not part of it unless a scheme's character precedes it: so robots name themselves in logs.
_PLUS: Final = r"[\t\n\r (,;]\+"
# After it: a character that ends any candidate, or a closer, which ends one that holds no opener.
# After an excluded character the text must end too, or it may go on (see `urisieve.find.finder.cuts`).
# What an excluded character follows that may be a port may be a password (see `urisieve.find.finder.cut_passwords`).
_NO_PORT: Final = "".join(f"(?<!:{'[0-9]' * digits})" for digits in range(1, 6))
_END: Final = (
    r"(?:(?=[\x00-\x20)\x7f\u00a0\u3000。，、！？；：）」』】》])"
    rf"|{_NO_PORT}(?=[\"<>]|[\\^`{{|}}][\x00-\x20)\"<>\x7f]))"
)
# A run that a candidate leaves only by `repair` or in angle brackets.
_RUN: Final = r"[^\x00-\x20\"<>\\^`{|}\x7f]*+"
# What a label of a host name begins with.
_NAME: Final = r"[^\x00-/:-@\[-`{-\x7f]"
# From after the colon of "URL:" to the colon of a scheme after a blank: the finder has to see whether a wrapper opens
# before it.
_AFTER_URL: Final = (
    rf"[{WHITE_SPACE}](?<=[Uu][Rr][Ll]:[{WHITE_SPACE}])[{WHITE_SPACE}]{{0,{URL_BLANK - 1}}}+"
    r"[A-Za-z][A-Za-z0-9+.\-]*+:"
)


# Of the dots between labels only the first is looked at (`_INNER_DOT` in `urisieve.find.finder.finder`); most others
# have a short label before them that shows it. No escape sequence goes on behind a letter.
_NOT_INNER: Final = "".join(rf"(?<![A-Za-z]\.[A-Za-z]{'[A-Za-z0-9]' * rest}\.)" for rest in range(6))
# A dot in what may be the rest of a host, or in the text that follows.
_DOTTED: Final = r"[^\x00-,./:-@\[-^`{-\x7f]*+(?:\.|\Z)"


class Pivots(NamedTuple):
    """The patterns for one set of options.

    Attributes:
        batch: for `split`, three groups: all of the match; empty for a bare link that is canonical as it stands, else
            None; the same for a link in a wrapper. Unless the link is proved, a match that begins with `://` takes in
            the rest of its run, and the scheme after a `URL:` that ends it.
        step: the same pivots one at a time, each match a pivot and nothing behind it.
    """

    batch: re.Pattern[str]
    step: re.Pattern[str]


def _after(before: str) -> str:
    return f"(?:(?<={before}https://)|(?<={before}http://))"


def _bare(link: str) -> str:
    return f"(?:{_after(_BEFORE)}|{_after(_PLUS)}){link}{_LAST}{_END}"


def _wrapped(link: str) -> str:
    return (
        f'(?:{_after(chr(34))}{link}{_LAST}(?=")'
        f"|{_after('<')}{link}{_LAST}(?=>)"
        f"|{_after('[(]')}{link}{_LAST}(?=[)])"
        f"|{_after(chr(39))}{link}{_LAST}(?='\\W))"
    )


def _may_be_proved(options: Options) -> bool:
    """Report whether the pattern may delimit an http(s) link under these options."""
    return (
        options.repair == Repair.OFF
        and options.nested == NestedFinding.SKIP
        and options.refang == Refang.OFF
        and options.schemes in (SchemePolicy.DEFAULT, SchemePolicy.REGISTERED)
        and not {"http", "https"} & set(options.exclude_schemes)
    )


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
def pivots(options: Options) -> Pivots:
    """Return the patterns of the pivots: the colon of a scheme, and others by the options.

    The colon is the first character of a match, but for a scheme after `URL:` and a blank, where it is the last one.
    """
    bare = _without_slashes(options)
    after_url = _AFTER_URL
    # A scheme after "URL:" is not a pivot if a name without a scheme may begin before its colon.
    if options.schemeless != SchemelessFinding.OFF:
        after_url = after_url.replace("[A-Za-z]", r"(?![Ww][Ww][Ww]\.)[A-Za-z]", 1)
    if options.schemeless == SchemelessFinding.NAMES:
        after_url = after_url.replace(r"[A-Za-z0-9+.\-]", r"[A-Za-z0-9+\-]")
    more = _without_scheme(options)
    after_url = f"{after_url}(?=//|{bare})"
    others = f"{after_url}|{bare}"
    run = f"{_RUN}(?>{after_url})?+"
    if _may_be_proved(options) and proves_canonical(options):
        slashes = f"(?:{_bare(LINK)}()|{_wrapped(LINK)}()|{run})"
    else:
        slashes = f"{run}(?:(?!)()|(?!)())?"
    # The finder sees whether the backslashes before the second slash are as many.
    escaped = rf"\\\\{{0,{BACKSLASHES - 1}}}+/\\"
    return Pivots(
        re.compile(f"(:(?://{slashes}|{escaped}|{others}){more})"),
        lazy_compile(f":(?://|{escaped}|{others}){more}"),
    )
