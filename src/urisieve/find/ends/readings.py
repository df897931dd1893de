"""The other readings of a bare candidate: what its writer may have meant instead, as canonical forms.

Where a candidate ends although the text goes on, or contains what may be two, the record has a warning and names these.

One of them is the link that goes on in the next line. Programs that fold text break a long link after `/ & = _ ?` or a
hyphen, and nothing states whether the link ends there (RFC 3986 Appendix C). The reading is named if the next line
begins, after its prefix, with what is no word of a sentence and no other link. In angle brackets that the next line
closes, any line break counts that was not joined: between two string literals, or before a line with another prefix.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import islice

from urisieve.find.ends.candidates import LATER, Begun
from urisieve.find.ends.extent import bare_end, urn_syntax
from urisieve.find.ends.unspaced import HIDDEN_CHARACTER, LINE_BREAKS, LINK_START, ends_in_host, is_complete
from urisieve.find.line_prefixes import BLANK, PREFIX_LIMIT, LineBefore, ends_literal, line_of, next_line
from urisieve.finding_options import Options, UrnSyntax
from urisieve.judge.judge import Judged, judge
from urisieve.judge.proofs import unwanted
from urisieve.judge.validate import Fault
from urisieve.lean import Final, NamedTuple, lazy_compile, replace
from urisieve.syntax.characters import BRACKETS, CLOSERS, VISIBLE_ENDS, WRAPPERS, trimmed_end
from urisieve.syntax.iri import repaired_rest

# The most parts of one candidate that are named.
_PARTS: Final = 8
# Brackets with nothing or only stops in them, as in `x[.]y` and `x{,}y`.
EMPTY_BRACKETS: Final = r"\[[.,;:!?]{0,4}\]|\{[.,;:!?]{0,4}\}"
# Stops that may be written for the dot of a host.
IDEOGRAPHIC_STOPS: Final = "。．｡"
# A name that goes on as it is spelt out: ` dot example dot com`.
SPOKEN_DOTS: Final = lazy_compile(r"(?> (?:dot|DOT) [A-Za-z0-9][A-Za-z0-9.\-]*+)++")
# What may be written for a dot after a part of a host.
_DOT: Final = lazy_compile(rf"[\[{{<]\.[\]}}>]|[{IDEOGRAPHIC_STOPS}]| (?:dot|DOT) (?=[A-Za-z0-9])")
# What leads on from the end of a candidate although blanks, quotation marks and angle brackets end a run.
_LEADS_ON: Final = lazy_compile(rf'{EMPTY_BRACKETS}|<\.>|[{IDEOGRAPHIC_STOPS}]|[\\^`|{{}}\[]{{0,16}}"')
_SECTION: Final = lazy_compile("[/?#]")
_URN: Final = lazy_compile("urn:", re.IGNORECASE)
# After what separates links, after another script, or a scheme of the web right after a letter or digit.
_SECOND_SCHEME: Final = lazy_compile(
    f"(?:[,;]|(?<=[^\x00-\x7f]))(?={LINK_START})|(?<=[A-Za-z0-9])(?=(?:[Hh][Tt][Tt][Pp][Ss]?|[Ff][Tt][Pp])://)"
)
_CLOSER: Final = lazy_compile(f"[{re.escape(''.join(CLOSERS))}}}]")
_ANY_SCHEME: Final = lazy_compile(LINK_START)
_WRONG_IN_HOST: Final = lazy_compile(r"[\^`{|}]")
_NOT_ASCII: Final = lazy_compile("[^\x00-\x7f]")
# An authority that ends in a port, or in a password.
_OPEN_USER: Final = lazy_compile(r"//[^/?#@:]*:[^/?#@]*\Z")
# What ends a run in which excluded characters do not count.
_END: Final = lazy_compile(f'[\x00-\x20"<>\x7f-\x9f{VISIBLE_ENDS}]')
_END_AFTER_QUOTE: Final = lazy_compile(f"[\x00-\x20<>\x7f-\x9f{VISIBLE_ENDS}]")


def _octets(match: re.Match[str]) -> str:
    """Return a character as triplets; a byte that did not decode as that byte."""
    how = "surrogateescape" if "\udc80" <= match[0] <= "\udcff" else "surrogatepass"
    return "".join(f"%{octet:02X}" for octet in match[0].encode("utf-8", how))


def _run_end(begun: Begun, start: int, limit: int, ends: re.Pattern[str]) -> int:
    """Return where a run ends that goes on from an offset: at a blank, a stop, a closer, or another link."""
    text, after = begun.text, begun.after
    match = ends.search(text, start, limit)
    last = limit if match is None else match.start()
    another = _ANY_SCHEME.search(text, start, last)
    if another is not None:
        last = another.end()
    if begun.opener not in BRACKETS and begun.opener != "{":
        for closer in WRAPPERS.get(begun.opener, ""):
            found = text.find(closer, start, last)
            last = last if found < 0 else found
    for closing in _CLOSER.finditer(text, start, last):
        opener = "{" if closing[0] == "}" else CLOSERS[closing[0]]
        if text.count(opener, after, closing.start()) <= text.count(closing[0], after, closing.start()):
            return closing.start()
    return last


def _in_host(text: str, host: str) -> str:
    """Return a text that goes on with a host, with what may be written for dots undone, and without what is no name."""
    section = _SECTION.search(text)
    size = len(text) if section is None else section.start()
    name = _DOT.sub(".", HIDDEN_CHARACTER.sub("", text[:size]))
    if not is_complete(host):
        name = _WRONG_IN_HOST.sub("", name)
    return name + repaired_rest(text[size:])


def parts(text: str, start: int, body: int, end: int) -> list[tuple[int, int]]:
    """Return the parts of a candidate in which another scheme and `//` are after a comma, a semicolon or prose."""
    if text.find("://", body, end) < 0:
        return []
    found = []
    for match in islice(_SECOND_SCHEME.finditer(text, body, end), _PARTS - 1):
        found.append((start, match.start()))
        start = match.end()
    return [*found, (start, end)] if found else []


class Readings:
    """Finds other readings of candidates by one set of options.

    Args:
        options: what to find and how far to normalize.
        judged: judges the text of a candidate.
    """

    def __init__(self, options: Options, judged: Callable[[str, str], Judged | Fault]) -> None:
        self._options = options
        self._judged = judged

    @cached_property
    def _by_8141(self) -> Options:
        return replace(self._options, urn_syntax=UrnSyntax.RFC8141)

    def of(self, uri: str, texts: Iterable[str], assumed: str) -> tuple[str, ...]:
        """Return the canonical forms of those texts that are valid and of a wanted scheme, without `uri` itself."""
        found = (self._judged(text, assumed) for text in texts if unwanted(assumed + text, self._options) is None)
        forms = dict.fromkeys(judged.uri for judged in found if isinstance(judged, Judged))
        return tuple(form for form in forms if form != uri)

    def beyond_end(
        self, begun: Begun, end: int, stop: int, uri: str, *, limit: int
    ) -> tuple[str, ...] | re.Pattern[str] | None:
        """Return the reading of a candidate that goes on after the character at which its run ends.

        Characters that are not visible are left out of it, others are percent-encoded; in a host, which contains no
        such triplets, what may be written for a dot is one, and other characters are left out. A URN is read by RFC
        8141, which allows `&` and `~`.

        Args:
            begun: the beginning of the candidate.
            end: where it ends.
            stop: where its run ends.
            uri: its canonical form, which is no other reading.
            limit: the last possible end.

        Returns:
            its canonical form if it has one, or the pattern of a character that must come before it is known; None if
            only what is trimmed follows, such as a character reference.
        """
        text, after, urn = begun.text, begun.after, not begun.syntax.sections
        near = min(limit, end + LATER)
        ends = _END
        if not urn:
            led = _LEADS_ON.match(text, stop, near) or SPOKEN_DOTS.match(text, stop, near)
            if led is not None and led[0].endswith('"'):
                ends = _END_AFTER_QUOTE
            later = _run_end(begun, end if led is None else led.end(), near, ends)
        elif text[end] in "&~" and self._options.urn_syntax == UrnSyntax.RFC2141:
            later = bare_end(urn_syntax(UrnSyntax.RFC8141), text, after, near)
        else:
            return ()
        if later == len(text) and not begun.final:
            return urn_syntax(UrnSyntax.RFC8141).beyond if urn else ends
        is_bounded = later < near or near == len(text)
        behind = text[later : later + 1]
        later = trimmed_end(text, end, later, "")
        if later == end and urn:
            return () if behind.isalnum() else None
        if urn and _OPEN_USER.match(text, text.rfind("//", after, later), later) is not None:
            return ()  # it would show the beginning of a password
        if not is_bounded or (_URN if urn else _ANY_SCHEME).search(text, end, later) is not None:
            return ()
        joined = text[end:later]
        whole = begun.assumed + text[begun.start : end]
        if not urn and ends_in_host(begun, end):
            joined = _in_host(joined, text[begun.host : end])
        if not joined.isascii():
            joined = _NOT_ASCII.sub(_octets, HIDDEN_CHARACTER.sub("", joined))
        judged = (
            judge(whole + joined, self._by_8141)
            if urn
            else self._judged(whole + repaired_rest(joined, has_fragment="#" in whole), "")
        )
        return (judged.uri,) if isinstance(judged, Judged) and judged.uri != uri else ()


# The longest piece of a link in a line that is looked at, in characters.
_LONGEST: Final = 1_024
# The fewest characters of a line that a program has folded: 72 and 78 are usual, less one word.
_FOLDED: Final = 60
_AFTER_END: Final = "/&=_?-"
_STRONG: Final = "&=_-"
_BREAK: Final = lazy_compile(f"(?:\\r\\n|[{LINE_BREAKS}]){BLANK}*+")
_LITERALS: Final = lazy_compile(f"[\"'`][ \\t]{{0,4}}[+.&,\\\\]?[ \\t]{{0,4}}(?:\\r\\n|[{LINE_BREAKS}]){BLANK}*+")
_LITERAL_OPENS: Final = lazy_compile("[BFRUbfru]{0,2}[\"'`]")
_SENTENCE_END: Final = lazy_compile("[.,;:!?]{0,4}+")
_RUN: Final = lazy_compile("[!#-;=?-Z_a-z~\\[\\]]*+")
# What goes on no link: another link, the name of a field, an address, brackets, the date of a line in a log.
_ANOTHER: Final = lazy_compile(
    r"[0-9]{1,4}[\-/.:][0-9]{1,2}[\-/.:]|[A-Za-z_][A-Za-z0-9_+.\-]*+:|[Ww]{3}\.|[^/?=&%]*@"
    r"|[^A-Za-z0-9%](?:[^A-Za-z0-9%]|\Z)|[(\[,;:!'*$]"
)
_SCHEME: Final = lazy_compile(r"[A-Za-z][A-Za-z0-9+.\-]*+:")
# What words of a sentence do not contain.
_DATA: Final = lazy_compile(r"[A-Za-z0-9][/?=&%#~_][A-Za-z0-9%]|[=&%?]|^[/#~]|_")
_FILE: Final = lazy_compile(r"[A-Za-z0-9]\.[A-Za-z][A-Za-z0-9]{1,4}\Z")
_NUMBERED: Final = lazy_compile(r"(?=[^0-9]*[0-9])[A-Za-z0-9.\-]{6,}\Z|.*-.*-")
_DIGIT: Final = lazy_compile("[0-9]")
_CAPITALIZED: Final = lazy_compile("[A-Z][a-z']*\\Z")
# Words of a sentence that contain a slash or a low line.
_OF_WORDS: Final = lazy_compile(
    r"(?i)(?:and/or|client/server|he/she|i/o|input/output|n/a|on/off|read/write|tcp/ip|true/false|w/o|x86_64|yes/no)\Z"
)
# What assigns a value to a name, as files of settings do line by line.
_ASSIGNED: Final = lazy_compile(r"[^A-Za-z0-9_]*+(?:export[ \t]++)?[A-Za-z_][A-Za-z0-9_.\-]*+=")
# The most literals after the second that a link may take, and the most characters before the text of one.
_LITERALS_LIMIT: Final = 8
_LITERAL_OPENS_LIMIT: Final = 3
_ROOT: Final = lazy_compile(r"[^:/?#]*:?//[^/?#]*/\Z")


class GoesOn(NamedTuple):
    """Another reading of a candidate: it, and what the next line adds, or several literals.

    Attributes:
        stop: where the candidate ends in that reading, in its line.
        added: what is in the next lines, without their prefixes.
        end: where that ends.
    """

    stop: int
    added: str
    end: int


MORE_TEXT: Final = GoesOn(-1, "", -1)


def goes_on_in_next_line(text: str, start: int, end: int, *, outside: int, is_open: bool, final: bool) -> GoesOn | None:
    """Return how a candidate that ends with its line goes on in the next one, in another reading.

    Args:
        text: the text around it.
        start: where it begins.
        end: where it ends.
        outside: where it begins with `URL:` and its opener: the prefix of its line ends there, at the latest.
        is_open: whether `<` is before it, inside which white space is removed.
        final: whether the text is complete.

    Returns:
        None if it does not; `MORE_TEXT` if that is not known yet.
    """
    stop = _end_of_line(text, end, is_open=is_open)
    if stop < 0:
        return None
    line = line_of(text, outside, start)
    is_folded = line.start < 0 or end - line.start >= _FOLDED
    if not is_open and not is_folded and stop == end and _ROOT.match(text, start, end) is not None:
        return None  # no more text is needed: lines of links come one by one
    if stop == len(text):
        return None if final else MORE_TEXT
    first = _first_word(text, stop, line, is_open=is_open, final=final)
    if not isinstance(first, _FirstWord):
        return first
    at = first.start
    later = _RUN.match(text, at, at + _LONGEST).end()  # type: ignore[union-attr]
    if later == len(text) and not final:
        return MORE_TEXT
    if is_open and later > at and text[later : later + 1] == ">" and _SCHEME.match(text, at, later) is None:
        return GoesOn(stop, text[at:later], later)
    if first.is_literal:
        return _in_literals(text, stop, at, later, final=final)
    if later == at or (stop == end and text[end - 1] not in _AFTER_END) or _begins_another(text, at, later, line):
        return None
    is_before_words = text[later : later + 1].isspace() and text[later] not in LINE_BREAKS
    later = trimmed_end(text, at, later, "")
    word, last = text[at:later], "?" if stop > end else text[end - 1]
    is_text = word[:1] == "/" or (is_before_words and _OF_WORDS.match(word) is not None)
    if (is_text and last == "/" and not is_folded) or not _is_data(text[start:end], last, word, is_folded):
        return None
    return GoesOn(stop, word, later)


def _end_of_line(text: str, end: int, *, is_open: bool) -> int:
    """Return where a candidate ends in its line if it goes on in the next one; -1 if it cannot."""
    if is_open:
        return _SENTENCE_END.match(text, end).end()  # type: ignore[union-attr]
    if text[end : end + 1] == "?":
        return end + 1
    return end if text[end - 1] in _AFTER_END else -1


class _FirstWord(NamedTuple):
    """Where the first word of the next line begins, and whether that is in a string literal of its own."""

    start: int
    is_literal: bool


def _first_word(text: str, stop: int, line: LineBefore, *, is_open: bool, final: bool) -> _FirstWord | GoesOn | None:
    """Return the first word of the line after the one that ends at an offset.

    Returns:
        None if no link goes on there; `MORE_TEXT` if that is not known yet.
    """
    literal = _LITERALS.match(text, stop) if is_open else None
    found = literal or _BREAK.match(text, stop)
    if found is None:
        waits = is_open and not final and len(text) - stop < PREFIX_LIMIT and text[stop] in "\"'`"
        return MORE_TEXT if waits else None
    at = found.end()
    if at == len(text) or text[at] in LINE_BREAKS:
        return MORE_TEXT if at == len(text) and not final else None
    following = next_line(text, line, at, final=final)
    if following is None:
        return MORE_TEXT
    if literal is not None:
        opens = _LITERAL_OPENS.match(text, at)
        mark = found.end() - len(found[0].lstrip("\"'` \t+.&,\\"))
        return _FirstWord(opens.end(), True) if opens is not None and ends_literal(text, stop, mark, at) else None
    if is_open:
        return _FirstWord(following.start if following.other < 0 else following.other, False)
    return _FirstWord(following.start, False) if following.is_same and following.other < 0 else None


def _begins_another(text: str, start: int, end: int, line: LineBefore) -> bool:
    """Report whether the first word of a line begins something of its own, as the line before it does."""
    first = line.before.split(None, 1)[:1]
    is_numbered = bool(first) and _DIGIT.sub("0", first[0]) == _DIGIT.sub("0", text[start:end])
    assigns = line.start >= 0 and _ASSIGNED.match(line.before) is not None
    is_assignment = assigns and _ASSIGNED.match(text, start, end) is not None
    return is_numbered or is_assignment or _ANOTHER.match(text, start, end) is not None


def _in_literals(text: str, stop: int, at: int, end: int, *, final: bool) -> GoesOn | None:
    """Return how a candidate goes on in several literals, of which the last closes its angle bracket.

    Args:
        text: the text around it.
        stop: where it ends in the first literal.
        at: where the text of the second one begins, after its quotation mark.
        end: where the run there ends.
        final: whether the text is complete.
    """
    mark, added = text[at - 1], ""
    for _ in range(_LITERALS_LIMIT):
        close = text.rfind(mark, at, end + 1)
        joint = _LITERALS.match(text, close) if close > at else None
        if joint is None:
            is_cut = close > at and not final and len(text) - close < PREFIX_LIMIT
            return MORE_TEXT if is_cut and text[close + 1 :].isascii() and _BREAK.search(text, close) is None else None
        added += text[at:close]
        if len(text) - joint.end() <= _LITERAL_OPENS_LIMIT and not final:
            return MORE_TEXT
        opens = _LITERAL_OPENS.match(text, joint.end())
        if opens is None or opens[0][-1] != mark:
            return None
        at = opens.end()
        end = _RUN.match(text, at, at + _LONGEST).end()  # type: ignore[union-attr]
        if end == len(text) and not final:
            return MORE_TEXT
        if text[end : end + 1] == ">":
            return GoesOn(stop, added + text[at:end], end) if _SCHEME.match(text, at, end) is None else None
    return None


def _is_data(link: str, last: str, word: str, is_folded: bool) -> bool:
    """Report whether the first word of a line is likely to go on a link that ends with a character."""
    if last == "?":
        return _DATA.search(word) is not None and ("=" in word or "&" in word)
    if last in _STRONG:
        return link[-2] != last and _CAPITALIZED.match(word) is None
    if _DATA.search(word) is not None:
        return True
    if is_complete(word):
        return False
    return _FILE.search(word) is not None or (is_folded and _NUMBERED.match(word) is not None)
