"""Candidates that end in the middle of a password: `http://admin:2024|x@h.example/`.

A password that nobody encoded may hold any character, so that the bare candidate ends in it: it is not valid, or it is
another link, `http://admin:2024/`. An "@" behind it tells. Then the candidate goes on to the end of the host behind the
"@"; it is a rejection, whose raw text can be masked. All here look at a bounded number of characters.
"""

from __future__ import annotations

from enum import Enum

from urisieve.find.finder.candidates import Found
from urisieve.find.finder.unspaced import is_complete
from urisieve.judge.validate import Fault
from urisieve.lean import Final, lazy_compile
from urisieve.syntax.passwords import LINE_ENDS


class Needed(Enum):
    """The text that is needed to tell whether a candidate ends in a password."""

    MORE_TEXT = "more text"


# How far behind a candidate to look for the "@". The kernel looks at the same number of characters or more.
_WINDOW: Final = 256
# Behind a link that is valid: characters that no candidate can hold, but those of a closing tag.
_STOP: Final = lazy_compile("[.,;:!?'*_~]*+(?!</)[\"<>\\\\^`{|}\\]\u200b\ufeff]")
# What stands before an authority, which may be defanged or without a scheme.
_BEGIN: Final = lazy_compile(r"(?=[Ww]{3}\.)|[A-Za-z][A-Za-z0-9+.\-]*[\[({]?:[\])}]?[\[({]?//[\])}]?")
# In a candidate that is not valid: a user and a colon, behind which no port stands before a path.
_USER: Final = lazy_compile(r"[^/?#:\[]*:(?![0-9]*+[/?#])")
# Nothing behind that colon, or digits, which a blank ends as it ends any port.
_PORT: Final = lazy_compile(r"[^:]*(?::[0-9]*)?\Z")
# The slashes of a link that is encoded in another one, once or more often.
_ENCODED_SLASHES: Final = lazy_compile(r"(?i)(?:[:=?&#]|%(?:25)*(?:3a|3d|3f|26|23))(?:%(?:25)*2f){2}")
# An authority that may be a user and what looks like a port, which another parameter ends in a query; the user of
# Oracle with the beginning of a password.
_LAST: Final = lazy_compile(
    r"(?i)(?!\[)((?:(?!%(?:25)*3a)[^:/?#@])*)(?::|%(?:25)*3a)((?:(?!%(?:25)*(?:2f|3f|23))[^/?#])*)\Z"
)
# In what stands behind that colon: an at-sign, and what looks like a host, perhaps with a port.
_LOOKS_LIKE_HOST: Final = lazy_compile(
    r"(?i)(?:@|%(?:25)*40)((?:(?!%(?:25)*(?:3a|40))[^:@])*)(?:(?::|%(?:25)*3a)[0-9]*)?\Z"
)
_ANOTHER_PARAMETER: Final = lazy_compile("&[A-Za-z0-9_.%-]*=")
_SIP: Final = lazy_compile("(?i)sips?:(?!//)")
_PORT_NUMBER: Final = lazy_compile("[0-9]*+")
_HIGHEST_PORT: Final = 65_535
_ORACLE: Final = lazy_compile(r"(?i)jdbc:oracle:[a-z0-9]+:[^/@]*/([^/?#]*)\Z")
# Marks that seldom follow a closer, but in a password.
_BEHIND_CLOSER: Final = frozenset("!#$%*+-=?\\^_~")
# The "@", or what may stand for it.
_SIGN: Final = lazy_compile(r"@|\uff20|%(?:25)*40|&(?:commat|#64|#x40);|[\[({]\s?[Aa][Tt]\s?[\])}]")
_RUN: Final = lazy_compile(r"\S*+")
# The next word of the line, unless an identifier begins with it.
_NEXT: Final = lazy_compile(rf"[^\S{LINE_ENDS}]++(?!(?i:mailto|sips?|xmpp|acct|im|pres|news|mid|cid|tel|urn|tag):)\S*+")


def end_of_password(text: str, found: Found, final: bool) -> int | Needed | None:
    """Find the "@" behind a candidate that ends in what may be a password before it.

    Args:
        text: the text around the candidate.
        found: the candidate.
        final: whether the text is complete.

    Returns:
        The offset of the last character of that sign; None if there is none.
    """
    start, end, wrapper, _, _, judged, passing = found
    if text.find(":", start, end + 1) < 0 or passing is not None:
        return None
    size, most = len(text), end + _WINDOW
    is_wrong = isinstance(judged, Fault)
    own = _BEGIN.match(text, start, end) if is_wrong else None
    begin = size if own is None else own.end()
    if own is not None and _USER.match(text, begin, end + 1) is not None:
        may_cross = _PORT.match(text, begin, end) is None
    else:
        oracle = _ORACLE.match(text, start, end)
        port = _behind_user(text, start, end) if oracle is None else _unless_host(oracle[1], oracle[1])
        if port is None:
            return None
        # A link inside may have what is no port. What stands behind an "@" is no host: it is part of a password.
        may_cross = "@" not in port and (oracle is not None or _PORT_NUMBER.fullmatch(port) is None)
        if not (is_wrong or may_cross or "@" in port or (wrapper is None and _STOP.match(text, end))):
            return None
    if wrapper is not None:
        closer = text.find(wrapper[1], end, most) + 1
        behind = text[closer : closer + 2]
        if len(behind) < 2 and not final:
            return Needed.MORE_TEXT
        if not (behind[:1].isalnum() or behind[:1] in ("@", '"')):
            in_password = behind[:1] in _BEHIND_CLOSER or behind[:1] == wrapper[1]
            if not in_password or not behind[1:].isalnum():
                return None  # the closer closes; it is not in a password, nor doubled in a table
        may_cross = False
    run = _RUN.match(text, end, most)
    stop = end if run is None else run.end()
    if stop == size and stop < most and not final:
        return Needed.MORE_TEXT
    at = _sign(text, end, stop)
    word = _NEXT.match(text, stop, most) if at is None and may_cross else None
    if word is None:
        return at
    return Needed.MORE_TEXT if word.end() == size and size < most and not final else _sign(text, end, word.end())


def _behind_user(text: str, start: int, end: int) -> str | None:
    """Return what stands behind the colon of the last authority in a candidate, if that ends it and may be a user.

    The colon may follow the candidate. What is known to be the name of a host is no user, if a port or nothing follows.
    It is "@" where an at-sign follows the colon, and no name of a host that.
    """
    begin = text.rfind("//", start, end)
    begin = begin + 2 if begin >= start and text[begin - 1] in ":=?&#" else -1
    if begin < 0 and (sip := _SIP.match(text, start, end)) is not None:
        begin = sip.end()
    is_encoded = text.find("%", start, end) >= 0
    is_inner = False
    if is_encoded:
        for match in _ENCODED_SLASHES.finditer(text, max(start, begin), end):
            begin, is_inner = match.end(), True
    if begin < 0 or (not is_encoded and text.find(":", begin, end + 1) < 0):
        return None
    has_colon = text[end : end + 1] == ":"
    found = _LAST.match(text, begin, end + has_colon)
    if found is None or (text[found.end(1)] != ":" and not is_inner):
        return None
    name, port = found.groups()
    port = port.removesuffix(":") if has_colon else port
    if _LOOKS_LIKE_HOST.search(port) is not None:
        return _unless_host(port, "@")
    is_in_query = text.find("?", start, begin) >= 0 or text.find("#", start, begin) >= 0
    if is_in_query and _ANOTHER_PARAMETER.search(text, begin, end) is not None:
        return None
    is_port = _PORT_NUMBER.fullmatch(port) is not None and (not port or int(port[:6]) <= _HIGHEST_PORT)
    return None if is_port and is_complete(name) else port


def _unless_host(text: str, otherwise: str) -> str | None:
    """Return None if a text ends with an at-sign and the name of a host, else what is given."""
    host = _LOOKS_LIKE_HOST.search(text)
    return None if host is not None and is_complete(host[1]) else otherwise


def _sign(text: str, start: int, end: int) -> int | None:
    """Return the offset of the last character of the last "@" before an offset, or before another link."""
    link = text.find("://", start, end)
    found = None
    for match in _SIGN.finditer(text, start, end if link < 0 else link):
        found = match.end() - 1
    return found
