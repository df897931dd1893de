"""The extent of a candidate from its scheme: bare, or up to the closer of a wrapper (RFC 3986 Appendix C).

Each syntax of candidate (generic, RFC 2141, RFC 8141; with or without repair) is a `Syntax`: a few compiled classes.
Runs are matched by `re`, whose possessive classes take half the time of `regex` here; only brackets are counted in
Python, and the count stops at the first closer without an opener, so that `(http://a)(http://b)...` costs each
candidate its own length only.
"""

from __future__ import annotations

import re
from functools import cache, cached_property, partial

from urisieve.finding_options import Options, Repair, UrnSyntax
from urisieve.lean import Final, lazy_compile
from urisieve.rules.table import rules_of
from urisieve.syntax import characters, grammar
from urisieve.syntax.characters import BRACKETS, CLOSERS, class_beyond, class_of
from urisieve.syntax.components import WHITE_SPACE
from urisieve.syntax.iri import sici_end

_IPRIVATE: Final = grammar.pattern("iprivate", iri=True)


# Ranges and characters beyond ASCII, as the inside of a class.
_NOT_ASCII: Final = lazy_compile("[^\x00-\x7f](?:-[^\x00-\x7f])?")
_COUNTED: Final = frozenset(BRACKETS) | frozenset(CLOSERS)
_COUNTED_TOO: Final = _COUNTED | frozenset("{}")
# Marks written for a dot, a colon or a slash so that a link is not followed, or around an optional port: the bracket
# is inside the authority then, and does not end it.
_DEFANGED: Final = lazy_compile(r"\[ ?(?:[.:]|//? ?\]|[dD][oO][tT] ?\]|[aA][tT] ?\])|(?<=[.@])\](?=[A-Za-z0-9])")
# A closing tag of bulletin boards, where the run ends, ends the candidate before it; other names in brackets may
# be a template, and the rest of the run a query.
_TAGS: Final = (
    "url|img|image|email|mail|link|b|i|u|s|quote|code|size|colou?r|font|center|left|right|list|li|ul|ol|td|tr|th|table"
    "|youtube|video|audio|media|spoiler|pre|attach|thumb|h[1-6]|\\*"
)
_CLOSING_TAG: Final = lazy_compile(rf"\[/(?:{_TAGS})\](?![A-Za-z0-9\-_~$&+*=@%/?#])", re.IGNORECASE)
# A note after a host, as in `http://e.example[1]`: the host ends before it.
_NOTE: Final = lazy_compile(r"\[[^\[\]\s<>\"]{0,64}+\](?![.:@_\-]{0,4}[^\x00-/:-@\[-`{-\x7f]|[/?#]\S)")
# The prefixes of these marks that the end of the text may leave.
_CUT_MARK: Final = lazy_compile(r"\[[^\[\]\s<>\"]{0,64}+(?:\][.:@_\-/?#]{0,4})?\Z|\[ [^\[\]\s]{0,4}\Z|(?<=[.@])\]\Z")
# More characters than such a prefix has.
CUT_MARK_LIMIT: Final = 72
_IP_LITERAL_OPENS: Final = frozenset("/@")


class Syntax:
    """The classes of characters of one syntax of candidate; each is compiled when it is first used.

    Args:
        plain: the inside of the class of a run between brackets in the path, without "/".
        query: the same for query and fragment.
        whole: the inside of the class of everything that a candidate may contain.
        white_space: the inside of the class of white space.
        sections: whether authority, path and query differ; a URN has no sections here.
        braces: whether square brackets in the path, and braces, belong to a candidate.
        literals: whether an IPv6 address in brackets may be after the scheme or after "@" (RFC 3261 25.1).
        hidden: the inside of the class of what the authority may also contain.

    Attributes:
        wide: the syntax for any text, where this one is for ASCII.
    """

    wide: Syntax

    def __init__(
        self,
        plain: str,
        query: str,
        whole: str,
        white_space: str = WHITE_SPACE,
        *,
        sections: bool,
        braces: bool,
        literals: bool = False,
        hidden: str = "",
    ) -> None:
        self._plain = plain
        self._query = query
        self._whole = whole
        self._white_space = white_space
        self.sections = sections
        self.braces = braces
        self.literals = literals
        self.wide = self
        # A whole candidate without brackets, from after the colon.
        self.quick = lazy_compile(partial(self._unbracketed, hidden))
        # Runs between brackets: in the authority, in the path (in all of a URN), in query and fragment.
        self.authority = lazy_compile(lambda: f"{class_of(plain + hidden)}*+")
        self.path = lazy_compile(lambda: f"{class_of(f'{plain}/' if sections else plain)}*+")
        self.query = lazy_compile(lambda: f"{class_of(f'{query}#')}*+")
        # A candidate with brackets and white space anywhere, as angle brackets may contain it.
        self.spaced = lazy_compile(lambda: f"{class_of(whole + white_space)}*+")
        # A character that ends every candidate, and one that ends `spaced`.
        self.beyond = lazy_compile(lambda: class_beyond(whole))
        self.beyond_spaced = lazy_compile(lambda: class_beyond(whole + white_space))

    def _unbracketed(self, hidden: str) -> str:
        if not self.sections:
            return f"{class_of(self._plain)}*+"
        inside = (self._plain + hidden, f"{self._plain}/", f"{self._query}#")
        authority, path, fragment = map(class_of, inside)
        return rf"(?>//{authority}*+)?+{path}*+(?>\?{class_of(self._query)}*+)?+(?>#{fragment}*+)?+"

    @cached_property
    def ascii(self) -> Syntax:
        """The same syntax for text that is ASCII: each pattern is compiled in a twentieth of the time."""
        inside = (_NOT_ASCII.sub("", inside) for inside in (self._plain, self._query, self._whole, self._white_space))
        narrow = Syntax(*inside, sections=self.sections, braces=self.braces, literals=self.literals)
        narrow.wide = self
        return narrow

    @cached_property
    def unseen(self) -> Syntax:
        """The same syntax with characters in the authority that no name contains."""
        inside, hidden = (self._plain, self._query, self._whole, self._white_space), characters.NOT_IN_NAMES
        return Syntax(*inside, sections=True, braces=self.braces, literals=self.literals, hidden=hidden)

    @cached_property
    def quoted(self) -> Syntax:
        """The same syntax with quotation marks anywhere after the authority."""
        inside = (f'{self._plain}"', f'{self._query}"', f'{self._whole}"', self._white_space)
        return Syntax(*inside, sections=True, braces=self.braces)


@cache
def _generic(repair: bool, literals: bool) -> Syntax:
    # "(" and ")" are sub-delims, but brackets here. Only `repair` takes the last ones into a candidate.
    plain = r"A-Za-z0-9\-._~!$&'*+,;=:@%" + (r"\\^`|" if repair else "") + characters.NON_ASCII_PLAIN
    whole = r"A-Za-z0-9\-._~!$&'()*+,;=:@%/?#\[\]" + (r"\\^`{|}" if repair else "") + characters.NON_ASCII + _IPRIVATE
    return Syntax(plain, f"{plain}/?{_IPRIVATE}", whole, sections=True, braces=repair, literals=literals)


@cache
def urn_syntax(syntax: str) -> Syntax:
    """Return the classes of a URN by one of its RFCs."""
    rule = "urnchar" if syntax == UrnSyntax.RFC2141 else "fragchar"
    plain = grammar.pattern(rule).replace("()", "") + "/?#%"
    return Syntax(plain, plain, f"{plain}()", sections=False, braces=False)


def syntax_of(scheme: str, options: Options) -> Syntax:
    """Return the classes of a candidate of this scheme (in lower case); most schemes have those of ""."""
    if scheme == "urn":
        return urn_syntax(options.urn_syntax)
    return _generic(options.repair == Repair.ENCODE, rules_of(options.rules).scheme(scheme).bracketed)


def bare_end(syntax: Syntax, text: str, after: int, limit: int) -> int:
    """Return the end of a bare candidate, before it is trimmed.

    Args:
        syntax: the classes of characters that it may contain.
        text: the text around it.
        after: the offset after the colon of its scheme.
        limit: the last possible end.
    """
    quick = syntax.quick.match(text, after, limit)
    end = quick.end() if quick else after
    if end >= limit or text[end] not in (_COUNTED_TOO if syntax.braces else _COUNTED):
        return end
    return _counted_end(syntax, text, after, limit)


# Brackets that must balance around a quotation mark.
_BALANCED: Final = ("()", "[]", "{}")


def quoted_end(syntax: Syntax, text: str, after: int, end: int, limit: int, *, is_last: bool) -> int:
    """Return the end of a candidate that a quotation mark ends, if that may be a part of it: `?f={"a":1}`, `?q="a"`.

    With repair the mark belongs to it where marks and brackets balance.

    Args:
        syntax: the classes of characters that it may contain.
        text: the text around it.
        after: the offset after the colon of its scheme.
        end: where it ends otherwise.
        limit: the last possible end.
        is_last: whether nothing after that can change the answer.

    Returns:
        `limit` if the run reaches it and that is not the last word.
    """
    if not syntax.braces or end >= limit or text[end] != '"' or text[end - 1] not in "=([{":
        return end
    whole = bare_end(syntax.quoted, text, after, limit)
    if whole == limit and not is_last:
        return whole
    if text.count('"', end, whole) % 2:
        return end
    return (
        whole if all(text.count(one, after, whole) == text.count(two, after, whole) for one, two in _BALANCED) else end
    )


def is_cut(text: str, end: int) -> bool:
    """Report whether more text may show that a candidate goes on after the bracket at `end`."""
    return text[end] in "[]" and _CUT_MARK.match(text, end) is not None


def is_mark(text: str, offset: int) -> bool:
    """Report whether a square bracket belongs to what is written for a dot, a colon or a slash: `evil[.]example`."""
    return _DEFANGED.match(text, offset) is not None


def closes_tag(text: str, offset: int) -> bool:
    """Report whether a closing tag of a bulletin board begins at an offset, as in `[url]http://e.example[/url]`."""
    return _CLOSING_TAG.match(text, offset) is not None


def _counted_end(syntax: Syntax, text: str, after: int, limit: int) -> int:
    """Return `bare_end` with brackets counted: the first closer without an opener ends the candidate."""
    offset = after
    run = syntax.path
    if syntax.sections and text.startswith("//", after):
        offset += 2
        run = syntax.authority
    open_count = dict.fromkeys(BRACKETS, 0)
    open_count["{"] = 0
    while True:
        match = run.match(text, offset, limit)
        offset = match.end() if match else offset
        if offset >= limit:
            return offset
        character = text[offset]
        if character in "<[" and syntax.sections and (behind := sici_end(text, offset, after)) > offset:
            offset = min(behind, limit)
            continue
        if character == "/" and run is syntax.authority:
            run = syntax.path
        elif character in "?#" and syntax.sections and run is not syntax.query:
            run = syntax.query
        elif character in "[]{}" and not _holds(syntax, run, text, offset):
            behind = _after_literal(text, offset, limit) if syntax.literals and character == "[" else offset
            if behind == offset:
                return offset
            offset = behind
            continue
        elif character in open_count:
            if not syntax.sections and character > "\x7f":
                return offset  # RFC 2141 2.4: nothing that is not ASCII
            open_count[character] += 1
        else:
            opener = "{" if character == "}" else CLOSERS.get(character)
            if opener is None:
                return offset
            if open_count[opener] == 0 and not (run is syntax.authority and _DEFANGED.match(text, offset)):
                return offset
            open_count[opener] -= 1
        offset += 1


# The visible part of an IPv6 address; the longest address has 45 characters.
_LITERAL: Final = lazy_compile(r"\[[0-9A-Fa-f:.]{0,45}+")


def _after_literal(text: str, offset: int, limit: int) -> int:
    """Return the end of an IPv6 address in brackets, or `offset` if there is none that is complete."""
    literal = _LITERAL.match(text, offset, limit)
    assert literal is not None  # the bracket at least
    if text[offset - 1] not in ":@":
        return offset
    end = literal.end()
    if end < limit and text[end] == "]" and grammar.compiled("IPv6address").fullmatch(text, offset + 1, end):
        return end + 1
    return offset


def _holds(syntax: Syntax, run: re.Pattern[str], text: str, offset: int) -> bool:
    """Report whether a square bracket or brace belongs to a candidate of this syntax in the section of this run."""
    if syntax.braces:
        return True
    if text[offset] not in "[]" or not syntax.sections or run is syntax.path:
        return False
    if text[offset] == "]":
        return True
    if run is syntax.authority:
        # An IP literal, a mark in place of a dot, or a part of a name: `web[1-3].example`.
        return text[offset - 1] in _IP_LITERAL_OPENS or is_mark(text, offset) or _NOTE.match(text, offset) is None
    return not closes_tag(text, offset)
