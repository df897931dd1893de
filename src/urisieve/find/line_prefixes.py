"""Prefixes of lines: what replies, comments and logs write before the text of each line.

Where a line break is inside a candidate, the prefix of the line after it goes with the break (RFC 3986 Appendix C
ignores white space between angle brackets; of prefixes it does not know). A prefix is what is at the beginning of
the line of the opener: signs and blanks, initials with `>`, a word in square brackets, the words of a few languages.
The next line has the same one, or begins otherwise.
"""

from __future__ import annotations

from urisieve.find.ends.unspaced import LINE_BREAKS, LOOK_BACK
from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.syntax.components import SPACES

# The longest prefix, without the blanks before it: ten marks of replies with blanks take twenty characters.
PREFIX_LIMIT: Final = 32
_BREAK: Final = lazy_compile(f"[{LINE_BREAKS}]")
# White space without line breaks.
BLANK: Final = "[\t\x0b\x0c \u00a0\u1680\u2000-\u200b\u202f\u205f\u3000\ufeff]"
_BLANKS: Final = lazy_compile(f"{BLANK}*+")
# No `<`, which opens a candidate, and no other opener: `(see <http://e.example/a` has none.
_SIGN: Final = "[!\"#$%&'*+,\\-./:;=>?@\\\\^`|~\u00a7\u00b7\u00bb\u203a\u2022\u2023\u2500-\u259f\u25aa\u25cf]"
_PREFIX: Final = lazy_compile(
    rf"(?>{BLANK}|{_SIGN}|[A-Z][A-Za-z]{{0,3}}(?=>+(?:{BLANK}|\Z))|\[[^\[\]\s<>]{{1,24}}\](?={BLANK})"
    rf"|(?:[Rr][Ee][Mm]|dnl)(?={BLANK}))*+"
)
# Signs right before a word are quotation or emphasis, unless nothing else or a mark of replies is there.
_AT_WORD: Final = lazy_compile(rf"(?<={BLANK})[^\s>|]+\Z|[\"'`]+\Z")
# What begins a line with another prefix, whatever the line of the opener begins with; other signs may be data.
_CLEAR: Final = lazy_compile(
    rf"(?>(?>[>|#;%*!\"\-+\u2022\u2500-\u259f]|//|\.\.)++(?:{BLANK}++|(?=[{LINE_BREAKS}]|\Z))|[>|\u2500-\u259f]++{BLANK}*+)++"
)
_LINES: Final = lazy_compile(f"(\r\n|[{LINE_BREAKS}])")
# Single signs before a blank that an identifier may contain.
_DATA: Final = frozenset("/?&=.,")
# What ends a prefix whether a blank follows or not.
_NO_DATA: Final = frozenset(">|")
# The first word of a line, as far as it is looked at, and what differs in those of a log.
_WORD: Final = lazy_compile(rf"[^\s<>]{{1,{PREFIX_LIMIT}}}")
_DIGIT: Final = lazy_compile("[0-9]")
# Markers of items of lists, whose next lines are indented, and openers of comments whose next lines need no mark.
_HANGING: Final = lazy_compile(r"[-*+\u2022\u00b7]|\[[^\[\]]+\]")
_COMMENT: Final = lazy_compile(r"/\*[*!\-]*+")
# The end of a string literal at the end of a line, with what may join it to the next, and the beginning of that.
_LITERAL_END: Final = lazy_compile(rf"([\"'`]){BLANK}{{0,4}}[+.&,\\]?{BLANK}{{0,4}}\Z")
_LITERAL_BEGINS: Final = lazy_compile("[BFRUbfru]{0,2}([\"'`])")
_LITERAL_LIMIT: Final = 10
# More characters than the beginning of a literal has: letters and a quotation mark.
_LITERAL_BEGIN: Final = 3


class LineBefore(NamedTuple):
    """The beginning of the line of an opener.

    Attributes:
        start: where the line begins.
        marks: its prefix without blanks, "" if it has none.
        is_clear: whether a blank or a mark of replies ends the prefix, so that it is one whatever the next line has.
        is_spaced: whether a blank ends the prefix.
        before: the text of the line before the opener.
    """

    start: int
    marks: str
    is_clear: bool
    is_spaced: bool
    before: str


def line_of(text: str, opener: int, start: int) -> LineBefore:
    """Return what the line of an opener begins with.

    Args:
        text: the text around it.
        opener: its offset, or that of what begins directly.
        start: the offset at which the candidate begins: a search keeps `LOOK_BACK` characters before it, at least.
    """
    least = max(0, start - LOOK_BACK)
    before = text[least:opener]
    at = max(before.rfind(mark) for mark in LINE_BREAKS)
    if at < 0 and least > 0:
        return LineBefore(-1, "", False, False, before)
    before = before[at + 1 :]
    prefix = _prefix_of(before)
    return LineBefore(least + at + 1, "".join(prefix.split()), _is_clear(prefix), prefix[-1:].isspace(), before)


def _prefix_of(line: str) -> str:
    """Return the prefix of a line, with its blanks; "" if it has none."""
    found = _PREFIX.match(line.lstrip(SPACES))
    prefix = _AT_WORD.sub("", found[0]) if found is not None else ""
    return prefix if len(prefix) <= PREFIX_LIMIT else ""


def _is_clear(prefix: str) -> bool:
    return prefix != "" and (prefix[-1] in SPACES or prefix[-1] in ">|")


def without_prefixes(raw: str) -> str:
    r"""Return the raw text of a candidate without the prefixes of its lines, by the lines after the first alone.

    >>> without_prefixes("http://a.example/b\n> /c")
    'http://a.example/b\n/c'
    """
    first, *lines = _LINES.split(raw)
    for at in range(1, len(lines), 2):
        prefix = _prefix_of(lines[at])
        if _is_clear(prefix) and prefix.strip(SPACES) not in _DATA:
            lines[at] = lines[at].lstrip(SPACES)[len(prefix) :]
    return "".join((first, *lines))


class NextLine(NamedTuple):
    """How the next line begins.

    Attributes:
        start: where its text begins, after the prefix that goes with the line break.
        is_same: whether it begins as the line of the opener does.
        closer: where a `>` is that is no mark of the same prefix: it closes angle brackets, or is part of another
            prefix; -1 if there is none.
        other: where the text begins after a prefix that is another one; -1 if there is none.
        may_be_data: whether its marks lack the blank that those of the first line have: `#` is not `# `.
    """

    start: int
    is_same: bool
    closer: int
    other: int
    may_be_data: bool = False


def next_line(text: str, line: LineBefore, offset: int, *, final: bool) -> NextLine | None:
    """Return how the line begins that follows white space with a line break.

    Args:
        text: the text around it.
        line: what the line of the opener begins with.
        offset: the offset of the first character of that line that is not white space.
        final: whether the text is complete.

    Returns:
        None if more text is needed to decide.
    """
    if not final and not _is_settled(text, line.marks, offset):
        return None
    marks = line.marks
    is_comment = _COMMENT.fullmatch(marks) is not None
    if is_comment:
        marks = "*"
    behind = _after_marks(text, offset, marks) if marks else offset
    if marks and behind > offset:
        if text[behind : behind + 1] == ">":
            other = _after_clear(text, behind)
            return NextLine(behind, True, behind, other)
        start = _skipped(text, behind)
        is_tight = line.is_spaced and start == behind < len(text) and text[behind] not in LINE_BREAKS
        return NextLine(start, True, -1, -1, is_tight and marks[-1] not in _NO_DATA)
    other = _after_clear(text, offset)
    if other < 0:
        is_indented = text[offset - 1] not in LINE_BREAKS
        hangs = is_comment or not line.is_clear or (is_indented and _HANGING.fullmatch(marks) is not None)
        return NextLine(offset, hangs, -1, -1)
    found = "".join(text[offset:other].split())
    if f" {found} " in " ".join((" ", *line.before.split(), " ")):  # a comment after code
        return NextLine(_skipped(text, other), True, -1, -1)
    return NextLine(offset, False, offset if text[offset] == ">" else -1, _skipped(text, other))


def is_numbered_alike(line: LineBefore, text: str, offset: int) -> bool:
    """Report whether two lines begin with numbers of one form, as dates in a log: the link then ends with its line.

    Args:
        line: what the line of the opener begins with.
        text: the text around it.
        offset: the offset at which the text of the next line begins.
    """
    one = _WORD.match(line.before.lstrip()) if line.start >= 0 else None
    two = _WORD.match(text, offset)
    if one is None or two is None or _DIGIT.search(one[0]) is None:
        return False
    return _DIGIT.sub("0", one[0]) == _DIGIT.sub("0", two[0])


def _is_settled(text: str, marks: str, offset: int) -> bool:
    """Report whether more text cannot change how a line begins."""
    left = len(text) - offset
    if left >= PREFIX_LIMIT + 2:
        return True
    if left > _LITERAL_BEGIN and text[offset].isalnum() and not text.startswith(marks[:1] or "\n", offset):
        return True
    return _BREAK.search(text, offset) is not None


def _skipped(text: str, offset: int) -> int:
    return _BLANKS.match(text, offset).end()  # type: ignore[union-attr]


def _after_marks(text: str, offset: int, marks: str) -> int:
    """Return the offset after marks that may have blanks between them; `offset` if a line begins otherwise."""
    at = offset
    for mark in marks:
        at = _skipped(text, at)
        if text[at : at + 1] != mark or at - offset > PREFIX_LIMIT:
            return offset
        at += 1
    # `##` is another prefix than `#`; a second `>` may close as well.
    if marks[-1].isalpha():
        return at if text[at : at + 1].isspace() or at == len(text) else offset
    return offset if text[at : at + 1] == marks[-1] != ">" else at


def _after_clear(text: str, offset: int) -> int:
    """Return the offset after a prefix that is one by itself, or -1."""
    found = _CLEAR.match(text, offset, offset + PREFIX_LIMIT)
    return -1 if found is None else found.end()


def ends_literal(text: str, start: int, stop: int, line: int) -> bool:
    """Report whether a string literal ends at a line break and another begins the next line, as in many languages.

    Args:
        text: the text around it.
        start: where the candidate begins.
        stop: the offset of the line break.
        line: where the text of the next line begins; three characters of it are looked at.
    """
    ended = _LITERAL_END.search(text, max(start, stop - _LITERAL_LIMIT), stop)
    begins = _LITERAL_BEGINS.match(text, line) if ended is not None else None
    return ended is not None and begins is not None and begins[1] == ended[1]
