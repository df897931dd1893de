r"""Where a candidate may begin: the patterns that the scanner searches for.

Every identifier has a colon after its scheme, so the search is for colons (measured on one core: 1.2 GB/s on mail,
0.4 GB/s on one URL a line, 1.9 GB/s on prose; a search for a scheme name runs at 0.01 to 0.25 GB/s). All patterns are
the standard library's `re`: they begin with a literal, for which it has a fast search, and `regex` took twice the
time on dense text.

The pattern goes further: in the same search it proves that an http(s) link is delimited beyond doubt and already in
canonical form, so that its record needs no other work. It proves less than the slow path knows, never more: what it
does not match, the slow path decides.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from urisieve.canonical import LINK, proves_canonical
from urisieve.options import EmailFinding, NestedFinding, Options, Refang, SchemelessFinding, SchemePolicy
from urisieve.schemes import curated

__all__ = ["SCHEME_CHARACTERS", "may_be_quick", "pivots"]

SCHEME_CHARACTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-."

# What stands last must be nothing that trimming would take away.
_LAST: Final = r"(?<![.,;:!?])"
# What stands before a link without a blank in Chinese and Japanese text.
_HAN_AND_KANA: Final = "\u3040-\u30ff\u4e00-\u9fff"
# Before the scheme: what neither belongs to a scheme, nor opens a wrapper, nor is an emphasis or the end of "URL:".
_BEFORE: Final = rf"[\t\n\r >=,;|/\\!?&%#@)\]}}$^{_HAN_AND_KANA}]"
# After it: what ends any candidate; not ">", which may close a wrapper that opens before "URL:".
_END: Final = r"(?=[\x00-\x20\"<\\^`{|}\x7f\u00a0\u3000。，、！？；：）」』】》])"


def _quick() -> str:
    def after(before: str) -> str:
        return f"(?:(?<={before}https://)|(?<={before}http://))"

    return (
        f"(?:{after(_BEFORE)}(?P<bare>{LINK}){_LAST}{_END}"
        f'|{after(chr(34))}(?P<quoted>{LINK})(?=")'
        f"|{after('<')}(?P<angled>{LINK})(?=>)"
        f"|{after('[(]')}(?P<round>{LINK}){_LAST}(?=[)])"
        f"|{after(chr(39))}(?P<single>{LINK}){_LAST}(?='))?"
    )


def may_be_quick(options: Options) -> bool:
    """Whether the pattern proves the canonical form under these options."""
    return (
        proves_canonical(options)
        and options.nested == NestedFinding.SKIP
        and options.refang == Refang.OFF
        and (options.schemes in (SchemePolicy.DEFAULT, SchemePolicy.REGISTERED))
        and not {"http", "https"} & set(options.exclude_schemes)
    )


def _letters(names: frozenset[str], place: int) -> str:
    return "".join(sorted({case for name in names for case in (name[place].lower(), name[place].upper())}))


@cache
def pivots(options: Options) -> re.Pattern[str]:
    """The pattern of the places where a candidate may begin: it matches the colon of a scheme.

    Groups `bare`, `quoted`, `angled`, `round` and `single` hold what follows `//` of a link that is canonical as it
    stands: in nothing, in double quotes, in angle brackets, in parentheses, in single quotes.
    """
    quick = _quick() if may_be_quick(options) else ""
    if isinstance(options.schemes, SchemePolicy):
        names = frozenset(curated()) - frozenset(options.exclude_schemes)
    else:
        names = frozenset(options.schemes) - frozenset(options.exclude_schemes)
    if options.schemes == SchemePolicy.ANY:
        behind = r"(?<=[A-Za-z0-9+.\-]:)"
    else:
        # Two letters of the curated names before the colon: most other colons fail here, without leaving `re`.
        long = frozenset(name for name in names if len(name) > 1)
        behind = rf"(?<=[{re.escape(_letters(long, -2))}][{re.escape(_letters(long, -1))}]:)" if long else "(?!)"
        if len(long) < len(names):
            behind = rf"(?<=[{re.escape(_letters(names, -1))}]:)"
    following = "[!-.0-~\x80-\U0010ffff]" if options.schemes == SchemePolicy.ANY else "[!-.0-9;-~\x80-\U0010ffff]"
    pattern = rf":(?://{quick}|{behind}(?={following}|/(?!/)))"
    # Each alternative begins with a literal, and looks behind only after it: so `re` looks for one of these first.
    if options.schemeless != SchemelessFinding.OFF:
        for w in "wW":
            pattern += rf"|{w}(?<![A-Za-z0-9._\-@/]{w})[Ww][Ww]\.(?=[A-Za-z0-9\x80-\U0010ffff])"
    if options.refang != Refang.OFF:
        pattern += r"|:(?=\[/)|\\(?=\.)"
        for opener in "[({":
            pattern += rf"|{re.escape(opener)}(?= ?(?:[.@:]|[dD][oO][tT]|[aA][tT]))"
    if options.schemeless == SchemelessFinding.NAMES:
        pattern += r"|\.(?=[A-Za-z\x80-\U0010ffff])(?<=[A-Za-z0-9\x80-\U0010ffff]\.)"
    if options.email != EmailFinding.OFF:
        pattern += r"|@(?=[A-Za-z0-9\x80-\U0010ffff])"
    return re.compile(pattern)
