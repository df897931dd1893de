"""How far a candidate runs from its scheme: bare, or up to the closer of a wrapper (RFC 3986 Appendix C).

Each syntax of candidate (generic, RFC 2141, RFC 8141; with or without repair) is a `Syntax`: a few compiled classes.
Runs are matched by `re`, whose possessive classes take half the time of `regex` here; only brackets are counted in
Python, and the count stops at the first closer without an opener, so that `(http://a)(http://b)...` costs each
candidate its own length only.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from urisieve import grammar
from urisieve.delimiters import BRACKETS, CLOSERS, NON_ASCII, NON_ASCII_PLAIN
from urisieve.options import Options, Repair, UrnSyntax

__all__ = ["WHITE_SPACE", "Syntax", "bare_end", "syntax_of"]

# The white space that is removed inside angle brackets: all of Unicode's, and ZWSP and BOM.
WHITE_SPACE: Final = "\t-\r \x85\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff"
_IPRIVATE: Final = grammar.pattern("iprivate", iri=True)
# Characters that only `repair` takes into a candidate.
_REPAIRABLE: Final = r"\\^`{|}"


class Syntax(NamedTuple):
    """The classes of one syntax of candidate.

    Attributes:
        quick: all of a candidate without brackets, from after the colon.
        authority, path, query: runs between brackets in each section; a fragment runs like a query.
        exact: a candidate with brackets anywhere, for wrappers that delimit exactly.
        spaced: the same with white space.
        beyond: a character that ends both `exact` and every bare candidate.
        beyond_spaced: a character that ends `spaced`.
        brackets_in_path: whether `[` and `]` belong to a candidate in its path.
    """

    quick: re.Pattern[str]
    authority: re.Pattern[str]
    path: re.Pattern[str]
    query: re.Pattern[str]
    exact: re.Pattern[str]
    spaced: re.Pattern[str]
    beyond: re.Pattern[str]
    beyond_spaced: re.Pattern[str]
    brackets_in_path: bool


@cache
def _generic(repair: bool) -> Syntax:
    more = _REPAIRABLE if repair else ""
    # The class of path characters without brackets; "(" and ")" are sub-delims.
    plain = r"A-Za-z0-9\-._~!$&'*+,;=:@%" + more.replace("{", "").replace("}", "") + NON_ASCII_PLAIN
    query = plain + "/?" + _IPRIVATE
    whole = r"A-Za-z0-9\-._~!$&'()*+,;=:@%/?#\[\]" + more + NON_ASCII + _IPRIVATE
    return Syntax(
        re.compile(rf"(?://[{plain}]*+)?+[{plain}/]*+(?:\?[{query}]*+)?+(?:#[{query}#]*+)?+"),
        re.compile(f"[{plain}]*+"),
        re.compile(f"[{plain}/]*+"),
        re.compile(f"[{query}#]*+"),
        re.compile(f"[{whole}]*+"),
        re.compile(f"[{whole}{WHITE_SPACE}]*+"),
        re.compile(f"[^{whole}]"),
        re.compile(f"[^{whole}{WHITE_SPACE}]"),
        repair,
    )


@cache
def _urn(syntax: str) -> Syntax:
    if syntax == UrnSyntax.RFC2141:
        plain = grammar.pattern("urnchar").replace("()", "") + "/?#%"
    else:
        plain = grammar.pattern("fragchar").replace("()", "") + "#%"
    run = re.compile(f"[{plain}]*+")
    whole = plain + "()"
    return Syntax(
        run,
        run,
        run,
        run,
        re.compile(f"[{whole}]*+"),
        re.compile(f"[{whole}{WHITE_SPACE}]*+"),
        re.compile(f"[^{whole}]"),
        re.compile(f"[^{whole}{WHITE_SPACE}]"),
        False,
    )


def syntax_of(scheme: str, options: Options) -> Syntax:
    """The classes by which a candidate of this scheme (in lower case) runs."""
    if scheme == "urn":
        return _urn(str(options.urn_syntax))
    return _generic(options.repair == Repair.ENCODE)


def bare_end(syntax: Syntax, text: str, after: int, limit: int) -> int:
    """Where a bare candidate ends, before it is trimmed.

    Args:
        syntax: the classes by which it runs.
        text: the text around it.
        after: the place after the colon of its scheme.
        limit: a place where it ends at the latest.
    """
    quick = syntax.quick.match(text, after, limit)
    end = quick.end() if quick else after
    if end >= limit or not (
        text[end] in BRACKETS or text[end] in CLOSERS or (syntax.brackets_in_path and text[end] in "{}")
    ):
        return end
    return _counted_end(syntax, text, after, limit)


def _counted_end(syntax: Syntax, text: str, after: int, limit: int) -> int:
    """`bare_end` with brackets counted: the first closer without an opener ends the candidate."""
    place = after
    run = syntax.path
    if text.startswith("//", after):
        place += 2
        run = syntax.authority
    open_count = dict.fromkeys(BRACKETS, 0)
    open_count["{"] = 0
    while True:
        match = run.match(text, place, limit)
        place = match.end() if match else place
        if place >= limit:
            return place
        character = text[place]
        if character == "/" and run is syntax.authority:
            run = syntax.path
        elif character in "?#" and run is not syntax.query and syntax.query is not syntax.path:
            run = syntax.query
        elif character in "[]{}" and not _holds(syntax, run, character):
            return place
        elif character in open_count:
            open_count[character] += 1
        else:
            opener = "{" if character == "}" else CLOSERS.get(character)
            if opener is None or open_count[opener] == 0:
                return place
            open_count[opener] -= 1
        place += 1


def _holds(syntax: Syntax, run: re.Pattern[str], bracket: str) -> bool:
    """Whether a square bracket or brace belongs to a candidate of this syntax in the section of this run."""
    if bracket in "{}":
        return syntax.brackets_in_path
    if syntax.query is syntax.path:  # a URN
        return False
    return run is not syntax.path or syntax.brackets_in_path
