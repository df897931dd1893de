"""Candidates that end in the middle of a password: `http://admin:2024|x@h.example/`.

A password that is not encoded may contain any character, so that the bare candidate ends in it: it is not valid, or it
is another link, `http://admin:2024/`. An "@" after it tells. Then the candidate goes on to the end of the host after
the "@"; it is a rejection, whose raw text can be masked. All here look at a bounded number of characters.

Two questions decide: how far after the candidate its password may go on (`_Reach`), and whether an "@" is there.
The kernel asks the same (`src/kernel/bare.c`): its answer is "surely not", or that this module has to look.
"""

from __future__ import annotations

from urisieve.find.ends.candidates import Found
from urisieve.find.ends.unspaced import LINE_BREAKS, is_complete
from urisieve.judge.validate import Fault
from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.quick_enums import Enum
from urisieve.syntax.characters import BOXES
from urisieve.syntax.passwords import Span, passwords


class Needed(Enum):
    """The text that is needed to decide whether a candidate ends in a password."""

    MORE_TEXT = "more text"


class _Reach(Enum):
    """How far after a candidate the "@" that ends its password may be."""

    NOWHERE = "nowhere"
    """It ends in no password: `http://h.example:80/`."""
    IN_RUN = "in its run"
    """Before white space: `http://admin:2024|x@h.example/`."""
    IN_LINE = "in its line"
    """In the next word of the line, too: `http://admin:pw|x y@h.example/`."""
    IN_NEXT_LINE = "in the next line"
    """In the first word of the next line: `http://admin:2024|_` before a line feed and `x@h.example/`."""


class _User(NamedTuple):
    """The last authority in a candidate, if that ends it: perhaps a user and the beginning of a password."""

    begin: int
    name: str
    password: str


# How far after a candidate to look for the "@". The kernel looks at the same number of characters or more.
_WINDOW: Final = 256
# After a link that is valid: characters that no candidate can contain, but those of a closing tag.
_STOP: Final = lazy_compile(f"[.,;:!?'*_~=&$+\\-]*+(?!</)[\"<>\\\\^`{{|}}\\]\u200b\ufeff\x1b\x9b{BOXES}]")
# After a link that is valid, at the end of its line: marks that are cut from a host and may be of a password, where a
# literal may end, too. After `<` there may be no marks.
_JOINT: Final = r"[ \t]{0,4}+[+.&,\\]?[ \t]{0,4}+"
_BEFORE_BREAK: Final = rf"(?>[\"'`]{_JOINT})?+(?=[{LINE_BREAKS}])"
_MARKS: Final = lazy_compile(rf"[-_*~=$&+]{{1,16}}+{_BEFORE_BREAK}")
_OPEN_MARKS: Final = lazy_compile(rf"[-_*~=$&+]{{0,16}}+{_BEFORE_BREAK}")
_LINE_BREAK: Final = lazy_compile(f"[{LINE_BREAKS}]")
# What is before an authority, which may be defanged or without a scheme.
_BEGIN: Final = lazy_compile(r"(?=[Ww]{3}\.)|[A-Za-z][A-Za-z0-9+.\-]*[\[({]?:[\])}]?[\[({]?//[\])}]?")
# In a candidate that is not valid: a user and a colon, after which no port is before a path.
_OWN_USER: Final = lazy_compile(r"[^/?#:\[]*:(?![0-9]*+[/?#])")
# Nothing after that colon, or digits, which a blank ends as it ends any port.
_OWN_PORT: Final = lazy_compile(r"[^:]*(?::[0-9]*)?\Z")
# The slashes of a link that is encoded in another one, once or more often.
_ENCODED_SLASHES: Final = lazy_compile(r"(?i)(?:[:=?&#]|%(?:25)*(?:3a|3d|3f|26|23))(?:%(?:25)*2f){2}")
# An authority that may be a user and what looks like a port, which another parameter ends in a query.
_LAST: Final = lazy_compile(
    r"(?i)(?!\[)((?:(?!%(?:25)*3a)[^:/?#@])*)(?::|%(?:25)*3a)((?:(?!%(?:25)*(?:2f|3f|23))[^/?#])*)\Z"
)
# In what is after that colon: an at-sign, and what looks like a host, perhaps with a port.
_LOOKS_LIKE_HOST: Final = lazy_compile(
    r"(?i)(?:@|%(?:25)*40)((?:(?!%(?:25)*(?:3a|40))[^:@])*)(?:(?::|%(?:25)*3a)[0-9]*)?\Z"
)
_ANOTHER_PARAMETER: Final = lazy_compile("&[A-Za-z0-9_.%-]*=")
_SIP: Final = lazy_compile("(?i)sips?:(?!//)")
_NUMBER: Final = lazy_compile("[0-9]*+")
_HIGHEST_PORT: Final = 65_535
# The user of Oracle with the beginning of a password.
_ORACLE: Final = lazy_compile(r"(?i)jdbc:oracle:[a-z0-9]+:[^/@]*/([^/?#]*)\Z")
# Marks that seldom follow a closer, but in a password.
_AFTER_CLOSER: Final = frozenset("!#$%*+-=?\\^_~")
# The "@", or what may represent it.
_SIGN: Final = lazy_compile(r"@|\uff20|%(?:25)*40|&(?:commat|#64|#x40);|[\[({]\s?[Aa][Tt]\s?[\])}]")
_WHITE_SPACE: Final = lazy_compile(r"\s")
# The next word of the line, unless an identifier begins with it. Only a line feed surely ends a line: what other
# characters end a line for may be in a password, of which half would be shown.
_WORD: Final = r"(?!(?i:mailto|sips?|xmpp|acct|im|pres|news|mid|cid|tel|urn|tag):)\S*+"
_NEXT: Final = lazy_compile(rf"[^\S\n]++{_WORD}")
# The first word of the next line, after its prefix.
_NEXT_LINE: Final = lazy_compile(rf"{_JOINT}(?:\r\n|[{LINE_BREAKS}])[ \t]*+(?>[^\w\s]{{1,4}}+[ \t]++){{0,8}}+{_WORD}")


def end_of_password(text: str, found: Found, final: bool) -> int | Needed | None:
    """Find the "@" after a candidate that ends in what may be a password before it.

    Args:
        text: the text around the candidate.
        found: the candidate.
        final: whether the text is complete.

    Returns:
        The offset of the last character of that sign; None if there is none.
    """
    reach: _Reach | Needed = _reach(text, found)
    if reach is not _Reach.NOWHERE and found.wrapper is not None:
        reach = _reach_after_closer(text, found.end, found.wrapper[1], final)
    if isinstance(reach, Needed):
        return reach
    return None if reach is _Reach.NOWHERE else _sign_after(text, found.end, reach, final)


def _reach(text: str, found: Found) -> _Reach:
    """Return how far a password may go on in which a candidate ends, whatever its wrapper."""
    start, end = found.start, found.end
    if text.find(":", start, end + 1) < 0 or found.passing is not None:
        return _Reach.NOWHERE
    is_fault = isinstance(found.judged, Fault)
    if is_fault and found.wrapper is None and _LINE_BREAK.search(text, start, end) is not None:
        return _Reach.NOWHERE  # it was rejected with what the next line adds
    begin = _BEGIN.match(text, start, end) if is_fault else None
    if begin is not None and _OWN_USER.match(text, begin.end(), end + 1) is not None:
        # `http://u:pw|x y@h.example/`; a blank ends `http://a%zz:80 x@h.example`, as it ends any port
        return _Reach.IN_LINE if _OWN_PORT.match(text, begin.end(), end) is None else _Reach.IN_RUN
    if (oracle := _ORACLE.match(text, start, end)) is not None:
        return _reach_of_oracle(oracle[1])
    return _reach_inside(text, found)


def _reach_of_oracle(password: str) -> _Reach:
    """Return how far a password may go on that ends a candidate: `pw` in `jdbc:oracle:thin:u/pw|x y@h.example`."""
    host = _LOOKS_LIKE_HOST.search(password)
    if host is not None and is_complete(host[1]):  # `jdbc:oracle:thin:u/pw@h.example`
        return _Reach.NOWHERE
    return _Reach.IN_RUN if "@" in password else _Reach.IN_LINE


def _reach_inside(text: str, found: Found) -> _Reach:
    """Return how far the password of the last user in a candidate may go on, who may be in a link inside."""
    start = found.start
    user = _last_user(text, start, found.end)
    if user is None:
        return _Reach.NOWHERE
    _, name, password = user
    host = _LOOKS_LIKE_HOST.search(password)
    if host is not None:  # `http://u:pw@h.example` is whole; `http://u:p@ss|x@h.example/` is not
        return _Reach.NOWHERE if is_complete(host[1]) else _Reach.IN_RUN
    if _is_before_parameter(text, found, user):
        return _Reach.NOWHERE
    is_number = _NUMBER.fullmatch(password) is not None
    if is_number and int(password[:6] or "0") <= _HIGHEST_PORT and is_complete(name):  # `http://h.example:80`
        return _Reach.NOWHERE
    if "@" in password:  # `http://u:p@a:b|c@h.example/`: what is after an "@" is no host, but of the password
        return _Reach.IN_RUN
    if not is_number:  # `http://r.example/?u=http://u:pw|x y@h.example/`: a link inside may have what is no port
        return _Reach.IN_LINE
    before = text[max(start - 1, 0) : start]
    if found.wrapper is None and (_OPEN_MARKS if before == "<" else _MARKS).match(text, found.end) is not None:
        # `**http://localhost:80**` is emphasis
        return _Reach.NOWHERE if before == text[found.end] else _Reach.IN_NEXT_LINE
    # `http://admin:2024|x@h.example/`, but not `http://admin:2024 x@h.example`
    is_stopped = isinstance(found.judged, Fault) or (found.wrapper is None and _STOP.match(text, found.end) is not None)
    return _Reach.IN_RUN if is_stopped else _Reach.NOWHERE


def _last_user(text: str, start: int, end: int) -> _User | None:
    """Return the last authority in a candidate, if that ends it and has a colon, or a colon follows it."""
    plain = _plain_authority(text, start, end)
    encoded = _encoded_authority(text, max(start, plain), end)
    begin = max(plain, encoded)
    if begin < 0 or (encoded < 0 and text.find(":", begin, end + 1) < 0):
        return None
    is_followed = text[end : end + 1] == ":"  # `http://admin:|x@h.example/`
    parts = _LAST.match(text, begin, end + is_followed)
    if parts is None or (text[parts.end(1)] == "%" and encoded < 0):  # `http://u%3Apw`: no colon
        return None
    name, password = parts.groups()
    return _User(begin, name, password.removesuffix(":") if is_followed else password)


def _plain_authority(text: str, start: int, end: int) -> int:
    """Return where the last authority in a candidate begins, in SIP after the scheme; -1 if there is none."""
    slashes = text.rfind("//", start, end)
    if slashes >= start and text[slashes - 1] in ":=?&#":  # `https://r.example/?u=//u:pw`, not `/a//b:c`
        return slashes + 2
    sip = _SIP.match(text, start, end)
    return -1 if sip is None else sip.end()


def _encoded_authority(text: str, start: int, end: int) -> int:
    """Return where the authority of the last encoded link begins: `?u=http%3A%2F%2Fu%3Apw`; -1 if there is none."""
    begin = -1
    if text.find("%", start, end) >= 0:
        for slashes in _ENCODED_SLASHES.finditer(text, start, end):
            begin = slashes.end()
    return begin


def _is_before_parameter(text: str, found: Found, user: _User) -> bool:
    """Report whether a user is in a query, and another parameter after it: `?u=http://a.example:x&b=c`."""
    is_in_query = text.find("?", found.start, user.begin) >= 0 or text.find("#", found.start, user.begin) >= 0
    return is_in_query and _ANOTHER_PARAMETER.search(text, user.begin, found.end) is not None


def _reach_after_closer(text: str, end: int, closer: str, final: bool) -> _Reach | Needed:
    """Return how far a password may go on that contains the closer of the wrapper around a candidate."""
    at = text.find(closer, end, end + _WINDOW)
    first, second = text[at + 1 : at + 2], text[at + 2 : at + 3]
    if second == "" and not final:
        return Needed.MORE_TEXT
    if first.isalnum() or first in ("@", '"'):  # `(http://u:p)w@h.example/`
        return _Reach.IN_RUN
    # `(http://u:p)!w@h.example/`, or doubled in a table; else the closer closes: `(http://a.example:80)! b@c.example`
    in_password = (first in _AFTER_CLOSER or first == closer) and second.isalnum()
    return _Reach.IN_RUN if in_password else _Reach.NOWHERE


def _sign_after(text: str, end: int, reach: _Reach, final: bool) -> int | Needed | None:
    """Return the offset of the last character of the "@" after a candidate, as far as its password may go on."""
    most = end + _WINDOW
    blank = _WHITE_SPACE.search(text, end, most)
    stop = min(most, len(text)) if blank is None else blank.start()
    sign = _last_sign(text, end, stop)
    if reach is _Reach.IN_NEXT_LINE and (word := _NEXT_LINE.match(text, stop, most)) is not None:
        stop = word.end()
        sign = _last_sign(text, end, stop)
    if sign is None and reach is _Reach.IN_LINE and (word := _NEXT.match(text, stop, most)) is not None:
        stop = word.end()
        sign = _last_sign(text, end, stop)
    is_cut = stop == len(text) < most and not final and text.find("://", end, stop) < 0
    return Needed.MORE_TEXT if is_cut else sign


def _last_sign(text: str, start: int, end: int) -> int | None:
    """Return the offset of the last character of the last "@" before an offset, or before another link."""
    link = text.find("://", start, end)
    found = None
    for match in _SIGN.finditer(text, start, end if link < 0 else link):
        found = match.end() - 1
    return found


def outside_passwords(text: str, start: int, end: int, others: list[Span]) -> list[Span]:
    """Return the other readings that do not end in a password, of which they would show a piece."""
    if not others:
        return others
    whole = max(end, *(other for _, other in others))
    spans = passwords(text[start:whole])
    return [one for one in others if not any(first < one[1] - start <= last for first, last in spans)]
