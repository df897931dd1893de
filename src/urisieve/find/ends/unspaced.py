"""Text without blanks: where a bare candidate ends although prose follows it directly.

Chinese, Japanese, Korean and Thai text has no blank between a link and the words after it, and an IRI may contain those
words (RFC 3987 7.3). Three things decide all the same: digits of a port end it (RFC 3986 3.2.3), no top-level domain
mixes ASCII and other letters, and an opening bracket after ASCII belongs to the text. Where a path goes over into
another script nothing decides: the whole stays, and the shorter reading is named.

All functions here look at a bounded number of characters around the end.
"""

from __future__ import annotations

import re
import unicodedata

from urisieve.find.ends.candidates import Begun
from urisieve.find.ends.extent import is_mark
from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.rules.registry import top_level_domains
from urisieve.syntax import grammar
from urisieve.syntax.characters import (
    BRACKETS,
    HIDDEN,
    LAST_LATIN,
    NOT_IN_NAMES,
    WITHOUT_BLANKS,
    WRAPPERS,
    is_reference,
    script_of,
)
from urisieve.syntax.host import dns_host
from urisieve.syntax.iri import encoded

# How far before a candidate to look for the mark that opened an emphasis: less than the context that a search keeps.
LOOK_BACK: Final = 96
LINE_BREAKS: Final = "\n\r\x85\u2028\u2029"
_SECOND_LINK: Final = lazy_compile("'(?=(?:https?|ftp)://)", re.IGNORECASE)
_SECTION: Final = lazy_compile("[/?#]")
_MARKS: Final = ("**", "__", "~~")
_BEFORE_MARK: Final = ("", " ", "\t", "(", "[", "{", '"', "'", ">", "“", "‘", "«")
_AFTER_MARK: Final = ("(", "[", '"', "'", "“", "‘", "«")


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

    The mark that closes it is not part of a link: `**see http://e.example**`. One that opens is before a word, not
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
    is_open = before[:opened][-1:] in _BEFORE_MARK and (following.isalnum() or following in _AFTER_MARK)
    return mark[0] if is_open else ""


# Names that represent a whole host, beside the top-level domains (RFC 6761, RFC 6762).
SPECIAL_USE: Final = frozenset(("localhost", "test", "example", "invalid", "local"))
# What opens a bracket or a quotation in a text, and directly after ASCII does not belong to a path: full-width round
# brackets, corner brackets, quotation marks. Paths contain the others, as in `/wiki/【…】`.
PROSE_OPENERS: Final = "（「『｢“‘„‚«‹〝"
_OPENERS: Final = frozenset(BRACKETS) | frozenset(PROSE_OPENERS)
# In a label with letters of ASCII: a character of another script, or one that represents a lost byte. Mapping (UTS 46)
# makes none of these Latin, nor removes it.
_LETTERS: Final = "\u0370-\u115e\u1161-\u17b3\u17b6-\u180a\u1810-\u1cff\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_TWO_SCRIPTS: Final = lazy_compile(f"(?=.*[A-Za-z0-9]).*[{_LETTERS}\ud800-\udfff\ue000-\uf8ff]")
# They are before what follows: the wave dash, and what is written for it.
_WAVE_DASHES: Final = "〜～"
# What may be at the end of a path, in addition to letters, digits and its last slash.
_AROUND: Final = ")'."
HIDDEN_CHARACTER: Final = lazy_compile(f"[{HIDDEN}]")
_NOT_IN_NAMES: Final = lazy_compile(f"[{NOT_IN_NAMES}]")
_NOT_IN_NAMES_AT_END: Final = lazy_compile(f"[{NOT_IN_NAMES}]+\\Z")
# U+2018 between letters of ASCII is one of them, as in `Hawai‘i`.
_OPENED: Final = lazy_compile(
    f"(?<=[\x00-\x7f])(?:[{PROSE_OPENERS.replace('‘', '')}]|‘(?![A-Za-z\u00c0-{LAST_LATIN}])|”(?=[^\x00-\x7f]))"
)
# Such a bracket and its closer, if all that it contains is ASCII and ASCII follows, or if the path goes on after it.
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
# Another link after a separator; what its authority names as a user may be the rest of a password.
_ANOTHER_LINK: Final = lazy_compile(f"[,;]{LINK_START}([^/?#]*@)?")
# What comes before a separator.
_LISTED: Final = lazy_compile("[^,;]*+")
_LITERAL: Final = lazy_compile(r"\[[^\[\]]*+\]")
_PUNCTUATION: Final = ("Po", "Ps", "Pe", "Pi", "Pf")
# A name that goes on after a bracket that is not closed: `http://e[xample.org`.
_DOTTED_NAME: Final = lazy_compile(r"\[[^\[\].,\s]+\.[^\[\].,\s]")
# A character reference (HTML), after a host.
_REFERENCE: Final = lazy_compile("&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_PORT: Final = lazy_compile(":[0-9]++")
# The ASCII part of a label that goes on in other characters.
_MIXED_LABEL: Final = lazy_compile(r"[A-Za-z0-9\-]++(?=[^\x00-\x7f])")
_WIDE_LABEL: Final = lazy_compile(r"\.([^\x00-\x7f])[^.]*\Z")
# After a bracket in a host the name goes on, as in `http://server(1-3).example/`, or a path follows.
_GOES_ON: Final = lazy_compile(r"\([^()]*+\)(?:[.:@_\-]{0,4}[A-Za-z0-9]|[/?#].)")
# The longest name of the DNS has 253 characters, and those that are not visible come on top.
_LONGEST: Final = 1_024
_ADDRESS: Final = lazy_compile(r"[^/?#;@]*+@")
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
    if last in SPECIAL_USE:
        return True
    if last.isdigit():
        return grammar.compiled("IPv4address").fullmatch(name) is not None
    if not last.isascii():
        if _TWO_SCRIPTS.match(last) is not None:
            return False  # no top-level domain
        last = dns_host(encoded(last)).host
    return rest != "" and last in top_level_domains()


# More text is needed to decide.
UNKNOWN_LIMIT: Final = -1


def ends_in_host(begun: Begun, offset: int) -> bool:
    """Report whether a candidate that ends at an offset ends in its authority."""
    return begun.host >= 0 and _AUTHORITY.match(begun.text, begun.host, offset).end() == offset  # type: ignore[union-attr]


def hidden_in_host(begun: Begun, end: int, limit: int) -> int | None:
    """Return how far a candidate may go on if the character at which it ends is in its host and is not visible.

    Mapping by UTS 46 removes such a character from a host: `pay\u200bpal.example`. After the name of a host it
    separates the host from what follows.

    Args:
        begun: the beginning of the candidate.
        end: where it ends, with text after it that goes on.
        limit: the last possible end.

    Returns:
        the last possible end of the candidate after that character, or `UNKNOWN_LIMIT`; None if the candidate ends
        there.
    """
    text, host = begun.text, begun.host
    if text[end] < "\x80" or _NOT_IN_NAMES.match(text, end) is None or not ends_in_host(begun, end):
        return None
    unseen = begun.syntax.unseen.authority
    stop = unseen.match(text, end, min(limit, end + _LONGEST)).end()  # type: ignore[union-attr]
    if stop + 2 > len(text) and not begun.final:
        return UNKNOWN_LIMIT
    another = _LINK_START.search(text, end, stop + 2)
    if another is not None:  # the characters before it belong to neither
        stop = limit = end + len(_NOT_IN_NAMES_AT_END.sub("", text[end : another.start()]))
    stop = _LISTED.match(text, end, stop).end()  # type: ignore[union-attr]
    name = text[text.rfind("@", host, end) + 1 or host : end]
    rest = _NOT_IN_NAMES.sub("", text[end:stop])
    if name[:1] == "[":
        is_over = "]" in name
    else:
        is_over = ":" in name or (is_complete(name) and not is_complete(f"{name}{rest}".partition(":")[0]))
    return None if rest == "" or is_over else limit


def another_in_authority(text: str, host: int, end: int, *, dns: bool) -> bool:
    """Report whether a candidate ends in its authority before another link, as in a list of servers."""
    decided = before_prose(text, host, end, host=host, dns=dns, is_whole=True).end
    return decided < end and _ANOTHER_LINK.match(text, decided, end) is not None


def before_prose(text: str, body: int, end: int, *, host: int, dns: bool, is_whole: bool) -> Prose:
    """Return where a bare candidate ends before prose that follows it without a blank.

    Args:
        text: the text around it.
        body: the offset after its scheme.
        end: the end of its run.
        host: where its authority begins, or -1 if it has none.
        dns: whether its host is a name of the DNS, which contains no sub-delimiters.
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

    After a letter or digit, or after its last slash, that may be prose: nothing decides. After an encoded blank
    it is the rest of a name.

    Args:
        text: the text around it.
        body: the offset after its scheme.
        end: the end of the candidate.
        host: where its authority begins, or -1 if it has none.
    """
    if text.isascii() or text[body:end].isascii():
        return None
    path = body if host < 0 else _AUTHORITY.match(text, host, end).end()  # type: ignore[union-attr]
    seen = {"LATIN", None}
    for run in _WIDE.finditer(text, path, end):
        start = run.start()
        script = script_of(run[0].lstrip(_WAVE_DASHES)[:1] or text[start])
        # After a slash a name in another script is common where more of the path follows, but not in Hiragana.
        is_last = script == "HIRAGANA" or (script in WITHOUT_BLANKS and run.end() == end)
        before = text[start - 1]
        may_begin = before.isalnum() or before in _AROUND or (before == "/" and is_last)
        if may_begin and script not in seen and not text.endswith("%20", path, start):
            return start
        seen.update(map(script_of, run[0]))
    return None


def _in_host(text: str, host: int, authority: int, end: int, dns: bool) -> Prose | None:
    """Decide in the host and the port; None if the candidate goes on after them.

    Args:
        text: the text around it.
        host: where the host begins.
        authority: where the authority ends.
        end: the end of the run.
        dns: whether the host is a name of the DNS, which contains no sub-delimiters.
    """
    literal = _LITERAL.match(text, host, authority)
    name = _end_of_name(text, host, authority, end, dns=dns) if literal is None else literal.end()
    decided = _in_name(text, host, name, end) if literal is None else None
    if decided is not None:
        return decided
    if name < authority and text[name] != ":" and (literal is None or text[name] > "\x7f"):
        may_end = dns or text[name] > "\x7f"  # other schemes have names that contain sub-delimiters
        if not may_end or (literal is None and not _ends_name(text, host, name, end)):
            return Prose(end, end)
        # No name of the DNS has such a character of ASCII: with it, all of the run is no other reading.
        return Prose(name, name if text[name] <= "\x7f" and authority < end else end)
    port = _PORT.match(text, name, authority)
    if port is None or port.end() == authority:
        return None
    return Prose(port.end() if _ends_port(text, host, name, port.end(), end) else end, end)


def _end_of_name(text: str, host: int, authority: int, end: int, *, dns: bool) -> int:
    """Return the end of the name of a host: before a character reference that is what ends a host in text."""
    reference = _REFERENCE.search(text, host, end) if dns and text.find("&", host, authority) >= 0 else None
    if reference is not None and reference.start() < authority and _ends_text(reference[0]):
        return reference.start()
    return _NAME.match(text, host, authority).end()  # type: ignore[union-attr]


def _ends_text(reference: str) -> bool:
    """Report whether a character reference represents what ends a host in text: a blank, a wrapper, punctuation.

    One that represents a character of a host or an authority does not: `http://evil&#46;example` is another host.
    """
    if not is_reference(reference):
        return False
    from html import unescape

    character = unescape(reference)
    if character.isspace() or character in "<>\"'&—–":
        return True
    return character > "\x7f" and character != "·" and unicodedata.category(character[0]) in _PUNCTUATION


def _ends_name(text: str, host: int, name: int, end: int) -> bool:
    """Report whether a host ends at a character that no name of the DNS contains: a valid host before no other."""
    if text[name - 1 : name] == "." or dns_host(encoded(text[host:name])).reason is not None:
        return False
    if text[name] == ",":  # a list of hosts, but for one of links
        return _LINK_START.match(text, name + 1, end) is not None
    if text[name] == "[":  # the run contains those that are closed in it: a part of the name
        is_open = text.find("]", name, end) < 0 and not is_mark(text, name)
        return is_open and (is_complete(text[host:name]) or _DOTTED_NAME.match(text, name, end) is None)
    return _GOES_ON.match(text, name, end) is None


def _ends_port(text: str, host: int, name: int, port: int, end: int) -> bool:
    """Report whether the digits of a port end a candidate before another character than the one of a section."""
    behind = text[port]
    another = _ANOTHER_LINK.match(text, port, end) if behind in ",;" else None
    if another is not None:
        return another[1] is None or text[host - 1] == "@" or is_complete(text[host:name])
    return behind > "\x7f" or behind in _OPENERS


def _in_name(text: str, start: int, stop: int, end: int) -> Prose | None:
    """Decide in the name of a host between two offsets; None if all of it is a name."""
    if text.isascii() or text[start:stop].isascii():
        return None
    is_name = is_complete(text[start:stop])
    for label in _MIXED_LABEL.finditer(text, start, stop):
        if (label.start() > start and text[label.start() - 1] != ".") or HIDDEN_CHARACTER.match(text, label.end()):
            continue
        if is_name or not is_complete(text[start : label.end()]):
            if script_of(text[label.end()]) not in ("LATIN", None):
                return Prose(end, label.end())
        else:
            return Prose(label.end(), end)
    last = None if is_name else _WIDE_LABEL.search(text, start, stop)  # a sentence, after the dot of another one
    if last is not None and script_of(last[1]) in WITHOUT_BLANKS and is_complete(text[start : last.start()]):
        return Prose(last.start(), end)
    return None


def _in_path(text: str, path: int, end: int, is_whole: bool) -> Prose:
    """Decide at the first bracket after the host that opens prose; one with ASCII alone in it may belong to a path."""
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
