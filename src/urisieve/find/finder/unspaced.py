"""Text without blanks: where a bare candidate ends although prose follows it directly.

Chinese, Japanese, Korean and Thai text has no blank between a link and the words behind it, and an IRI may hold those
words (RFC 3987 7.3). Three things decide all the same: digits of a port end it (RFC 3986 3.2.3), no top-level domain
mixes ASCII and other letters, and an opening bracket behind ASCII belongs to the text. Where a path goes over into
another script nothing decides: the whole stays, and the shorter reading is named.

The end of a bare candidate in the middle of a run, and the marks that a reader would not count as part of it.

A candidate that ends at a character that it may not hold (RFC 3986 2, RFC 2141 2.4) may be the beginning of what was
meant; the record says so. All functions here look at a bounded number of characters around the end.
"""

from __future__ import annotations

import re
import unicodedata

from urisieve.find.finder.extent import Syntax, closes_tag
from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.syntax import grammar
from urisieve.syntax.characters import BRACKETS, HIDDEN, NOT_EXCLUDED, NOT_IN_NAMES, WRAPPERS, class_beyond
from urisieve.syntax.host import dns_host
from urisieve.syntax.iri import encoded

# How far before a candidate to look for the mark that opened an emphasis: less than the context that a search keeps.
LOOK_BACK: Final = 96
# What follows an excluded character goes on if it is not a blank, a closer or the end of a sentence; so many marks
# before it are skipped.
BEHIND: Final = 16
_BEHIND: Final = lazy_compile(lambda: f"{class_beyond(NOT_EXCLUDED)}{{1,{BEHIND}}}[.,;:!?']{{0,{BEHIND}}}")
_BEHIND_URN: Final = lazy_compile(lambda: f"(?:[&~]|{class_beyond(NOT_EXCLUDED)}){{1,{BEHIND}}}[.,;:!?']{{0,{BEHIND}}}")
_OPENERS_OF_TEXT: Final = frozenset(opener for opener in (*BRACKETS, *WRAPPERS) if opener > "\x7f")
# What follows then and goes on, besides letters and digits.
CONTINUES: Final = frozenset("-_~$&*+=@%/?#([")
_ELLIPSES: Final = ("…", "...", "[…", "[...")
LINE_BREAKS: Final = "\n\r\x85\u2028\u2029"
_SECOND_LINK: Final = lazy_compile("'(?=(?:https?|ftp)://)", re.IGNORECASE)
_SECTION: Final = lazy_compile("[/?#]")
_MARKS: Final = ("**", "__", "~~")
_BEFORE_MARK: Final = ("", " ", "\t", "(", "[", "{", '"', "'", ">", "“", "‘", "«")
_BEHIND_MARK: Final = ("(", "[", '"', "'", "“", "‘", "«")


def is_shortened(text: str, end: int) -> bool:
    """Report whether a candidate may have been shortened: an ellipsis follows it, or its line ends with its hyphen.

    >>> is_shortened("http://www.exam… more", 15), is_shortened("http://e.example/a-b", 20)
    (True, False)
    """
    return text.startswith(_ELLIPSES, end) or (text[end - 1] == "-" and text[end : end + 1] in LINE_BREAKS)


def goes_on(text: str, stop: int, *, urn: bool) -> bool:
    """Report whether a run goes on after the excluded character at which a candidate ended.

    Args:
        text: the text around it.
        stop: the offset of that character, or the end of the text.
        urn: whether the candidate is a URN, which ends at more characters (RFC 2141 2.4).
    """
    if closes_tag(text, stop):
        return False
    if urn and text[stop : stop + 1].isalnum():  # beyond ASCII: other letters and digits end none
        return True
    if urn and text[stop : stop + 1] in _OPENERS_OF_TEXT:
        return text[stop + 1 : stop + 2].isalnum()  # RFC 2141 2.4: openers end a URN as other characters do
    behind = (_BEHIND_URN if urn else _BEHIND).match(text, stop)
    following = "" if behind is None else text[behind.end() : behind.end() + 1]
    return following.isalnum() or following in CONTINUES if following else False


def may_go_on(text: str, stop: int, *, urn: bool) -> bool:
    """Report whether more text is needed to answer `goes_on`."""
    if urn and text[stop : stop + 1] in _OPENERS_OF_TEXT:
        return stop + 1 == len(text)
    behind = (_BEHIND_URN if urn else _BEHIND).match(text, stop)
    return behind is not None and behind.end() == len(text)


def before_second_link(text: str, start: int, end: int) -> int:
    """Return the end of a candidate whose host runs into another link: `https://a.example'https://b.example`.

    Anywhere else an apostrophe is data, as in `?next='https://b.example'` (RFC 3986 2.2).

    Args:
        text: the text around it.
        start: where the authority begins.
        end: where the candidate ends otherwise.
    """
    second = _SECOND_LINK.search(text, start, end)
    if second is None or _SECTION.search(text, start, second.start()) is not None:
        return end
    return second.start()


def open_emphasis(text: str, start: int, end: int) -> str:
    """Return the character of the doubled mark that opened an emphasis before a candidate, on its line, or "".

    The mark that closes it is not part of a link: `**see http://e.example**`. One that opens stands before a word, not
    in it, and is not closed before the candidate or in it.

    Args:
        text: the text around it.
        start: where the candidate begins.
        end: where it ends, with the mark.
    """
    mark = text[end - 1] * 2
    if mark not in _MARKS or not text.endswith(mark, start, end):
        return ""
    before = text[max(0, start - LOOK_BACK) : start]
    before = before[before.rfind("\n") + 1 :]
    opened = before.rfind(mark)
    if opened < 0 or text.find(mark, start, end - 2) >= 0:
        return ""
    following = before[opened + 2 : opened + 3]
    is_open = before[:opened][-1:] in _BEFORE_MARK and (following.isalnum() or following in _BEHIND_MARK)
    return mark[0] if is_open else ""


# Names that stand for a whole host, beside the top-level domains (RFC 6761, RFC 6762).
_SPECIAL_USE: Final = frozenset(("localhost", "test", "example", "invalid", "local"))
# What opens a bracket or a quotation in a text, and directly behind ASCII does not belong to a path: full-width round
# brackets, corner brackets, quotation marks. Paths hold the others, as in `/wiki/【…】`.
PROSE_OPENERS: Final = "（「『｢“‘„‚«‹〝"
_OPENERS: Final = frozenset(BRACKETS) | frozenset(PROSE_OPENERS)
# In a label with letters of ASCII: a character of another script, or one that stands for a lost byte. Mapping (UTS 46)
# makes none of these Latin, nor removes it.
_LETTERS: Final = "\u0370-\u115e\u1161-\u17b3\u17b6-\u180a\u1810-\u1cff\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_TWO_SCRIPTS: Final = lazy_compile(f"(?=.*[A-Za-z0-9]).*[{_LETTERS}\ud800-\udfff\ue000-\uf8ff]")
# Up to it all letters are Latin, but some have other names.
_LAST_LATIN: Final = "\u024f"
# What may stand at the end of a path, besides letters, digits and its last slash.
_AROUND: Final = ")'."
HIDDEN_CHARACTER: Final = lazy_compile(f"[{HIDDEN}]")
_NOT_IN_NAMES: Final = lazy_compile(f"[{NOT_IN_NAMES}]")
# U+2018 between letters of ASCII is one of them, as in `Hawai‘i`.
_OPENED: Final = lazy_compile(
    f"(?<=[\x00-\x7f])(?:[{PROSE_OPENERS.replace('‘', '')}]|‘(?![A-Za-z\u00c0-{_LAST_LATIN}])|”(?=[^\x00-\x7f]))"
)
# Such a bracket and its closer, if all that it holds is ASCII and ASCII follows, or if the path goes on behind it.
_CLOSERS: Final = {opener: WRAPPERS.get(opener) or BRACKETS.get(opener, "〞〟") for opener in PROSE_OPENERS}
_CLOSED: Final = {
    opener: lazy_compile(
        f"{opener}(?:[\x00-\x7f{opener}{closers}]+[{closers}](?=[\x00-\x7f]|\\Z)|[^{closers}]*[{closers}](?=[/.][!-~]))"
    )
    for opener, closers in _CLOSERS.items()
}
_AUTHORITY: Final = lazy_compile("[^/?#]*+")
_NAME: Final = lazy_compile(f"[^:;,{re.escape(''.join(sorted(_OPENERS)))}]*+")
# The beginning of another link in a run.
LINK_START: Final = "[A-Za-z][A-Za-z0-9+.\\-]{0,63}+://"
_LINK_START: Final = lazy_compile(LINK_START)
# Another link behind a separator; what its authority names as a user may be the rest of a password.
_ANOTHER_LINK: Final = lazy_compile(f"[,;]{LINK_START}([^/?#]*@)?")
# What comes before a separator.
_LISTED: Final = lazy_compile("[^,;]*+")
_LITERAL: Final = lazy_compile(r"\[[^\[\]]*+\]")
_PORT: Final = lazy_compile(":[0-9]++")
# The ASCII part of a label that goes on in other characters.
_MIXED_LABEL: Final = lazy_compile(r"[A-Za-z0-9\-]++(?=[^\x00-\x7f])")
_WIDE_LABEL: Final = lazy_compile(r"\.([^\x00-\x7f])[^.]*\Z")
# Behind a bracket in a host the name goes on, as in `http://server(1-3).example/`, or a path follows.
_GOES_ON: Final = lazy_compile(r"\([^()]*+\)(?:[.:@_\-]{0,4}[A-Za-z0-9]|[/?#].)")
# The longest name of the DNS has 253 characters, and those that are not shown come on top.
_LONGEST: Final = 1_024
_ADDRESS: Final = lazy_compile(r"[^/?#;@]*+@")
# Scripts whose text has no blanks before what follows a link, by the first words of the names of their letters.
_WITHOUT_BLANKS: Final = frozenset(
    ("CJK", "HIRAGANA", "KATAKANA", "BOPOMOFO", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR")
)
_WIDE: Final = lazy_compile("[^\x00-\x7f]++")


class Prose(NamedTuple):
    """The end of a bare candidate before prose.

    Attributes:
        end: where it ends.
        other: the end of another reading: the whole run if prose was cut from it, the part before what may be prose
            if it was not; `end` if there is none.
    """

    end: int
    other: int


def is_complete(name: str) -> bool:
    """Report whether a name is that of a host, by its last label: a top-level domain, or a name of special use.

    >>> is_complete("www.example.com"), is_complete("localhost"), is_complete("com"), is_complete("example.comx")
    (True, True, False, False)
    """
    rest, _, last = name.lower().rpartition(".")
    if last in _SPECIAL_USE:
        return True
    if last.isdigit():
        return grammar.compiled("IPv4address").fullmatch(name) is not None
    if not last.isascii():
        if _TWO_SCRIPTS.match(last) is not None:
            return False  # no top-level domain
        last = dns_host(encoded(last)).host
    from urisieve.rules.registry import top_level_domains

    return rest != "" and last in top_level_domains()


def hidden_in_host(syntax: Syntax, text: str, host: int, end: int, limit: int, *, final: bool) -> int | None:
    """Return the last possible end of a candidate if the character at which it ends stands inside its host.

    Mapping by UTS 46 removes a character that is not shown from a host, so the host goes on behind it:
    `pay\u200bpal.example`. Behind the name of a host it separates it from what follows.

    Args:
        syntax: the classes of characters of the candidate.
        text: the text around it.
        host: where its authority begins.
        end: where it ends.
        limit: the last possible end.
        final: whether the text is complete.

    Returns:
        the limit, or where another link begins before it; -1 if the character is behind the host; None if more text is
        needed to tell.
    """
    if not goes_on(text, end, urn=False) or _AUTHORITY.match(text, host, end).end() < end:  # type: ignore[union-attr]
        return -1
    if text[end] < "\x80" or _NOT_IN_NAMES.match(text, end) is None:
        return -1
    stop = syntax.unseen.authority.match(text, end, min(limit, end + _LONGEST)).end()  # type: ignore[union-attr]
    if stop + 2 > len(text) and not final:
        return None
    another = _LINK_START.search(text, end, stop + 2)
    if another is not None:
        limit = another.start()
        while _NOT_IN_NAMES.match(text, limit - 1) is not None and limit > end:
            limit -= 1
        stop = limit
    stop = _LISTED.match(text, end, stop).end()  # type: ignore[union-attr]
    before = text[text.rfind("@", host, end) + 1 or host : end]
    joined = _NOT_IN_NAMES.sub("", text[end:stop])
    if joined == "":
        return -1
    if before[:1] == "[":
        return -1 if "]" in before else limit
    if ":" in before or (is_complete(before) and not is_complete(f"{before}{joined}".partition(":")[0])):
        return -1
    return limit


def starts_prose(character: str) -> bool:
    """Report whether a character right behind a name may begin prose: a letter, a symbol, or what opens something."""
    return character in _OPENERS or unicodedata.category(character)[0] in "LMNS"


def another_in_authority(text: str, host: int, end: int, *, dns: bool) -> bool:
    """Report whether a candidate ends in its authority before another link, as in a list of servers."""
    decided = before_prose(text, host, end, host=host, dns=dns, is_whole=True).end
    return decided < end and _ANOTHER_LINK.match(text, decided, end) is not None


def before_prose(text: str, body: int, end: int, *, host: int, dns: bool, is_whole: bool) -> Prose:
    """Return where a bare candidate ends before prose that follows it without a blank.

    Args:
        text: the text around it.
        body: the offset behind its scheme.
        end: the end of its run.
        host: where its authority begins, or -1 if it has none.
        dns: whether its host is a name of the DNS, which holds no sub-delimiters.
        is_whole: whether the run ends at `end`; else only what the rest of it cannot change is decided.
    """
    path = body
    if body >= end:
        return Prose(end, end)
    if host >= 0:
        match = _AUTHORITY.match(text, host, end)
        assert match is not None  # it matches nothing at least
        path = match.end()
        if path == end and not is_whole:
            return Prose(end, end)
        host = text.rfind("@", host, path) + 1 or host
        decided = _in_host(text, host, path, end, dns)
        if decided is not None:
            return decided
    elif is_whole and not text.isascii():
        address = _ADDRESS.match(text, body, end)  # `mailto:` and its kin
        if address is not None:
            decided = _in_name(text, address.end(), end, end)
            if decided is not None:
                return decided
    return Prose(end, end) if path == end or text.isascii() else _in_path(text, path, end, is_whole)


def may_end_in_prose(text: str, body: int, end: int, *, host: int) -> int | None:
    """Return where the path of a candidate goes over into a script that it has not had before, or None.

    Behind a letter or digit, or behind its last slash, that may be prose: nothing decides. Behind an encoded blank
    it is the rest of a name.

    Args:
        text: the text around it.
        body: the offset behind its scheme.
        end: the end of the candidate.
        host: where its authority begins, or -1 if it has none.
    """
    if text.isascii() or text[body:end].isascii():
        return None
    path = body if host < 0 else _AUTHORITY.match(text, host, end).end()  # type: ignore[union-attr]
    seen = {"LATIN", None}
    for run in _WIDE.finditer(text, path, end):
        start = run.start()
        script = _script(text[start])
        # Behind a slash a name in another script is common where more of the path follows, but not in Hiragana.
        is_last = script == "HIRAGANA" or (script in _WITHOUT_BLANKS and run.end() == end)
        before = text[start - 1]
        may_begin = before.isalnum() or before in _AROUND or (before == "/" and is_last)
        if may_begin and script not in seen and not text.endswith("%20", path, start):
            return start
        seen.update(map(_script, run[0]))
    return None


def _in_host(text: str, host: int, authority: int, end: int, dns: bool) -> Prose | None:
    """Decide in the host and the port; None if the candidate goes on behind them."""
    literal = _LITERAL.match(text, host, authority)
    if literal is not None:
        name = literal.end()
        if name < authority and text[name] > "\x7f":
            return Prose(name, end)
    else:
        match = _NAME.match(text, host, authority)
        assert match is not None
        name = match.end()
        decided = _in_name(text, host, name, end)
        if decided is not None:
            return decided
        if name < authority and text[name] != ":":
            may_end = dns or text[name] > "\x7f"  # other schemes have names that hold sub-delimiters
            valid = may_end and text[name - 1] != "." and dns_host(encoded(text[host:name])).reason is None
            is_part = text[name] == "[" or _GOES_ON.match(text, name, end) is not None
            if text[name] == ",":
                is_part = _LINK_START.match(text, name + 1, end) is None
            return Prose(name, end) if valid and not is_part else Prose(end, end)
    port = _PORT.match(text, name, authority)
    if port is None or port.end() == authority:
        return None
    behind = text[port.end()]
    ends = behind > "\x7f" or behind in _OPENERS
    if behind in ",;" and (another := _ANOTHER_LINK.match(text, port.end(), end)) is not None:
        ends = another[1] is None or text[host - 1] == "@" or is_complete(text[host:name])
    return Prose(port.end(), end) if ends else Prose(end, end)


def _in_name(text: str, start: int, stop: int, end: int) -> Prose | None:
    """Decide in the name of a host between two offsets; None if all of it is a name."""
    if text.isascii() or text[start:stop].isascii():
        return None
    is_name = is_complete(text[start:stop])
    for label in _MIXED_LABEL.finditer(text, start, stop):
        if (label.start() > start and text[label.start() - 1] != ".") or HIDDEN_CHARACTER.match(text, label.end()):
            continue
        if is_name or not is_complete(text[start : label.end()]):
            if _script(text[label.end()]) not in ("LATIN", None):
                return Prose(end, label.end())
        else:
            return Prose(label.end(), end)
    last = None if is_name else _WIDE_LABEL.search(text, start, stop)  # a sentence, behind the dot of another one
    if last is not None and _script(last[1]) in _WITHOUT_BLANKS and is_complete(text[start : last.start()]):
        return Prose(last.start(), end)
    return None


def _in_path(text: str, path: int, end: int, is_whole: bool) -> Prose:
    """Decide at the first bracket behind the host that opens prose; one that holds ASCII alone may belong to a path."""
    opened = _OPENED.search(text, path, end)
    if opened is None:
        return Prose(end, end)
    start = opened.start()
    if text[start] == "”":
        return Prose(end, end) if text.find("“", path, start) >= 0 or not is_whole else Prose(start, end)
    closed = _CLOSED[text[start]].match(text, start, end)
    if closed is not None and (is_whole or closed.end() < end):
        return Prose(end, start)
    return Prose(start, end) if is_whole or closed is None else Prose(end, end)


def _script(letter: str) -> str | None:
    """Return the script of a letter, by the first word of its Unicode name; None for any other character."""
    if not letter.isalpha():
        return None
    return "LATIN" if letter <= _LAST_LATIN else unicodedata.name(letter, "").partition(" ")[0]
