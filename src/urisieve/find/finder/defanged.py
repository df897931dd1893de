"""Defanged identifiers, as analysts write them so that nobody follows one: `hxxps[:]//evil[.]example(dot)com`.

There is no standard; the forms read here are those that reports and feeds use. A candidate is defanged if its scheme
is, or if a mark stands in its scheme's colon or in its authority; then dots are undone in all of it. Everything is
found in the text as it stands, so that offsets stay true, and only the text to be judged is refanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from urisieve.find.finder.extent import Syntax, bare_end
from urisieve.find.finder.schemeless import (
    LOCAL_CHARACTERS,
    LOCAL_LIMIT,
    NAME_LIMIT,
    address_start,
    is_name,
    local_part,
    name_end,
    name_start,
)
from urisieve.find.pivots import SCHEME_CHARACTERS
from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.rules.registry import top_level_domains
from urisieve.syntax.characters import NON_ASCII, NON_ASCII_PLAIN

# The longest mark: a bracket, a blank, three letters, a blank, a bracket; also the longest cut of a colon with slashes.
MARK_LIMIT: Final = 16
# The number of characters of a candidate that are refanged at once; most candidates are shorter.
_WINDOW: Final = 256
# The longest colon with slashes, and the part of one that the end of a text may leave.
_COLON_LIMIT: Final = 8
_COLON_CUT: Final = lazy_compile(r":[\[/][\[\]/]*+\Z")
# More characters than any defanged scheme has.
_SCHEME_LIMIT: Final = 64


def _bracketed(inner: str) -> str:
    return rf"(?:\[ ?(?:{inner}) ?\]|\( ?(?:{inner}) ?\)|\{{ ?(?:{inner}) ?\}})"


# A dot as a character reference, without its first character.
_REFERENCE: Final = "#(?:46|[xX]2[eE]);"
# Half of a bracket may be lost, and a blank may stand on both sides of a mark in a host.
_DOT: Final = rf"(?:{_bracketed('[.]|[dD][oO][tT]')}|\\\.|\[\.(?=[A-Za-z0-9])|&{_REFERENCE})"
_LOST: Final = r"(?<=\.)\](?=[A-Za-z0-9])"
_AT: Final = _bracketed("@|[aA][tT]")
_SPACED: Final = rf" (?:{_bracketed('[.]|[dD][oO][tT]')}) (?=[a-z0-9])"
_SPACED_AT: Final = f" (?:{_AT}) (?=[a-z0-9])"
_SLASHES: Final = r"(?://|\[//\]|(?:\[/\]|/){2})"
_COLON: Final = rf"(?:(?::|\[:\]|\(:\)|\{{:\}}){_SLASHES}|\[://\]|\(://\)|\{{://\}}|\[:/\]/|\[:/\[/\])"
_AUTHORITY: Final = f"(?>[A-Za-z0-9\\-._~%!$'*+,;=:@{NON_ASCII_PLAIN}]++|&(?!{_REFERENCE}))"
_NAME: Final = f"[A-Za-z0-9._\\-{NON_ASCII}]"

# Schemes as they are defanged, in lower case.
_SCHEMES: Final = {
    **dict.fromkeys(["hxxp", "hxtp", "htxp", "httx", "h**p", "h--p", "h__p", "meow"], "http"),
    **dict.fromkeys(["hxxps", "hxtps", "htxps", "httxs", "h**ps", "h--ps", "h__ps"], "https"),
    **dict.fromkeys(["fxp", "fxxp"], "ftp"),
    **dict.fromkeys(["fxps", "fxxps"], "ftps"),
    "sfxp": "sftp",
    "wxs": "ws",
    "wxss": "wss",
}
_MASKED: Final = lazy_compile(r"[hH](?:\*\*|__)[pP][sS]?\Z")

# A scheme with letters in brackets, `h[tt]p` or `http[s]`, at most so many characters.
_PARTED: Final = lazy_compile(
    r"(?<![A-Za-z0-9])[A-Za-z*_]{0,5}(?:(?:\[[A-Za-z]{1,5}\]|\([A-Za-z]{1,5}\))[A-Za-z]{0,4}){1,2}\Z"
)
_PARTED_LIMIT: Final = 14
_PARTED_SCHEMES: Final = frozenset(("http", "https", "ftp", "ftps"))
_BRACKETS: Final = str.maketrans("", "", "[]()")
# A name as it is spelt to somebody: `evil dot example dot com`.
_SPOKEN: Final = lazy_compile(r"[A-Za-z0-9][A-Za-z0-9.\-]*+(?> (?:dot|DOT) [A-Za-z0-9][A-Za-z0-9.\-]*+)++")
_SPOKEN_DOT: Final = lazy_compile(" (?:dot|DOT) ")
_SPOKEN_DOT_LENGTH: Final = 5


class Assume(NamedTuple):
    """The identifiers to find without a scheme: names, only names that begin with `www.`, addresses."""

    names: bool = False
    www: bool = False
    addresses: bool = False


class Defanged(NamedTuple):
    """A defanged candidate, from `start` to `end` of the text.

    Attributes:
        start: where it begins.
        end: where it ends, not yet trimmed.
        text: the refanged text, without the assumed scheme.
        assumed: the assumed scheme with its colon and slashes, or "".
        offsets: for each mark the offset of its end, in `text` and in the text.
    """

    start: int
    end: int
    text: str
    assumed: str
    offsets: tuple[tuple[int, int], ...]

    def original(self, end: int) -> int:
        """Return the offset in the text that corresponds to the offset `end` of the refanged text."""
        for new, old in reversed(self.offsets):
            if new <= end:
                return old + end - new
        return self.start + end


class DefangedTail(NamedTuple):
    """The outcome if the text so far does not decide; the text from `start` on has to be kept."""

    start: int


@cache
def _colon() -> re.Pattern[str]:
    return re.compile(_COLON)


@cache
def _authority() -> re.Pattern[str]:
    """Return the pattern of an authority up to its first mark."""
    return re.compile(rf"\[?{_AUTHORITY}*+(?:{_DOT}|{_AT}|{_SPACED}|{_SPACED_AT}|\[:\]|\[/\]|{_LOST})")


@cache
def _unmarked() -> re.Pattern[str]:
    return re.compile(f"{_AUTHORITY}*+")


@cache
def _host() -> re.Pattern[str]:
    return re.compile(rf"(?>{_NAME}++|{_DOT}|{_SPACED})*+")


@cache
def _marks() -> re.Pattern[str]:
    """Return the pattern of a mark in an authority."""
    return re.compile(rf"(?P<dot>{_SPACED}|{_DOT})|(?P<at>{_SPACED_AT}|{_AT})|\[(?P<other>[:/])\]|{_LOST}")


@cache
def _marks_behind() -> re.Pattern[str]:
    """Return the pattern of a mark after an authority."""
    return re.compile(rf"(?P<dot>{_DOT})|(?P<at>(?!))|\[(?P<other>/)\]")


@cache
def _mark_before() -> re.Pattern[str]:
    return re.compile(rf"(?:{_DOT}|{_SPACED})\Z")


@cache
def _sections() -> re.Pattern[str]:
    return re.compile(rf"\[/\]|[/?]|(?<!&)#|(?<=&)(?!{_REFERENCE})#")


def find_defanged(
    text: str,
    pivot: int,
    floor: int,
    *,
    limit: int,
    syntax: Syntax,
    scheme_of: Callable[[int], str | None],
    assume: Assume,
    final: bool,
) -> Defanged | DefangedTail | None:
    """Return the defanged candidate of a pivot: a colon, an at-sign, or a character that begins a mark.

    The time is linear in the candidate, or in `schemeless.NAME_LIMIT`.

    Args:
        text: the text around it.
        pivot: its offset.
        floor: the end of the previous candidate.
        limit: the length of the longest candidate, in characters.
        syntax: the classes of characters that the candidate may hold.
        scheme_of: returns the scheme that ends before an offset, if it is one to be found.
        assume: the identifiers to find without a scheme.
        final: whether the text is complete.
    """
    colon = _colon().match(text, pivot)
    if colon is not None:
        return _with_scheme(text, pivot, colon.end(), floor, limit, syntax, scheme_of, final)
    if text[pivot] == ":":
        # The end of the text may cut the colon.
        is_cut = not final and len(text) - pivot < _COLON_LIMIT and _COLON_CUT.match(text, pivot) is not None
        return DefangedTail(_behind(text, pivot, floor, limit)) if is_cut else None
    if text[pivot] in "dD":
        return _spoken(text, pivot, floor, limit, syntax, final) if assume.names else None
    spaced = text[pivot - 1 : pivot] == " " and pivot > floor
    if text[pivot] != "@" and not final and len(text) - pivot < MARK_LIMIT:
        return DefangedTail(_behind(text, pivot - spaced, floor, limit))  # the end of the text may cut the mark
    mark = (_marks().match(text, pivot - 1) if spaced else None) or _marks().match(text, pivot)
    if mark is not None:
        pivot = mark.start()
    if text[pivot] == "@" or (mark is not None and mark["at"] is not None):
        return _address(text, pivot, floor, final) if assume.addresses else None
    if mark is None:
        return None
    if not assume.names and not assume.www:
        return None
    found = _named(text, pivot, floor, limit, syntax, final)
    if isinstance(found, Defanged) and not assume.names and found.text[:4].lower() != "www.":
        return None
    return found


def _behind(text: str, pivot: int, floor: int, limit: int) -> int:
    """Return the first offset that may belong to a pivot: the start of a scheme, a name or a local part."""
    near = max(floor, pivot - LOCAL_LIMIT)
    start = near + len(text[near:pivot].rstrip(LOCAL_CHARACTERS))  # they hold those of a scheme
    if start == near:
        first = max(floor, pivot - limit)
        start = min(start, first + len(text[first:pivot].rstrip(SCHEME_CHARACTERS)))
    return min(start, name_start(text, pivot, floor), max(floor, pivot - _PARTED_LIMIT))


def _with_scheme(
    text: str,
    pivot: int,
    body: int,
    floor: int,
    limit: int,
    syntax: Syntax,
    scheme_of: Callable[[int], str | None],
    final: bool,
) -> Defanged | DefangedTail | None:
    masked = _MASKED.search(text, max(floor, pivot - 5), pivot)
    run = text[max(floor, pivot - _SCHEME_LIMIT) : pivot]
    written = masked[0] if masked else run[len(run.rstrip(SCHEME_CHARACTERS)) :].lstrip("0123456789+-.")
    real = _SCHEMES.get(written.lower())
    parted = _PARTED.search(text, max(floor, pivot - _PARTED_LIMIT), pivot)
    if parted is not None:
        plain = parted[0].translate(_BRACKETS).lower()
        if plain in _SCHEMES or plain in _PARTED_SCHEMES:
            written, real = parted[0], _SCHEMES.get(plain, plain)
    scheme = real if real is not None else scheme_of(pivot)
    if scheme is None:
        return None
    start = pivot - (len(written) if real is not None else len(scheme))
    mark = _authority().match(text, body, start + limit)
    if real is None and text.startswith("://", pivot) and mark is None:
        near = len(text) - start <= limit
        return DefangedTail(start) if near and not final and _may_be_cut(text, body) else None
    return _extended(text, start, body, f"{scheme}://", limit, syntax, final, "")


def _may_be_cut(text: str, body: int) -> bool:
    """Report whether the end of the text may cut the first mark of an authority that begins at `body`."""
    match = _unmarked().match(text, body)
    assert match is not None
    return match.end() > len(text) - MARK_LIMIT


def _named(
    text: str, pivot: int, floor: int, limit: int, syntax: Syntax, final: bool
) -> Defanged | DefangedTail | None:
    start = name_start(text, pivot, floor)
    if start == pivot or (start > floor and (text[start - 1] in "/@\\._-" or text[start - 1].isalnum())):
        return None
    if _mark_before().search(text, max(floor, start - MARK_LIMIT), start):
        return None  # that mark has been examined already
    match = _host().match(text, start, start + 2 * NAME_LIMIT)
    assert match is not None
    if not final and match.end() + MARK_LIMIT > len(text):
        return DefangedTail(start)
    host, _ = _refanged(text, start, match.end(), match.end())
    if _host_end(host) == 0:
        return None
    return _extended(text, start, start, "", limit, syntax, final, "http://")


def _spoken(
    text: str, pivot: int, floor: int, limit: int, syntax: Syntax, final: bool
) -> Defanged | DefangedTail | None:
    """Return a name with a word for each dot; it has two of them, or a slash follows: `dot com` is a word of prose."""
    start = name_start(text, pivot - 1, floor)
    if start == pivot - 1 or _SPOKEN_DOT.match(text, max(floor, start - _SPOKEN_DOT_LENGTH), start):
        return None  # in the second case that dot has been examined already
    match = _SPOKEN.match(text, start, start + 2 * NAME_LIMIT)
    if match is None:
        return None
    if not final and match.end() + MARK_LIMIT > len(text):
        return DefangedTail(start)
    host, dots = _SPOKEN_DOT.subn(".", match[0])
    end = name_end(host, 0, len(host), 1)
    body = match.end() - (len(host) - end)
    behind = text[body : body + MARK_LIMIT]
    before = text[start - 1 : start] if start > floor else ""
    if end == 0 or (dots == 1 and behind[:1] != "/") or "dot" in host.lower().split("."):
        return None
    if not is_name(f"{before}{host[:end]}{behind}", len(before), len(before) + end, 0):
        return None
    return _extended(text, start, body, host[:end], limit, syntax, final, "http://")


_IPV4: Final = lazy_compile(r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![0-9A-Za-z])")


def _host_end(host: str) -> int:
    """Return the end of a refanged host: a name with a top-level domain, or an IPv4 address; 0 for any other text."""
    address = _IPV4.match(host)
    if address is not None:
        return address.end()
    end = name_end(host, 0, len(host), 1)
    last = host[:end].rpartition(".")[2].lower()
    return end if last in top_level_domains() or not last.isascii() else 0


def _address(text: str, pivot: int, floor: int, final: bool) -> Defanged | DefangedTail | None:
    local = local_part(text, pivot, floor)
    start = pivot - len(local)
    if not local:
        return None
    mark = _marks().match(text, pivot)
    body = pivot + 1 if mark is None else mark.end()
    match = _host().match(text, body, body + 2 * NAME_LIMIT)
    assert match is not None
    if not final and match.end() + MARK_LIMIT > len(text):
        return DefangedTail(start)
    host, offsets = _refanged(text, body, match.end(), match.end())
    end = _host_end(host)
    if end == 0 or (mark is None and not any(new <= end for new, _ in offsets)):
        return None

    def address(local: str) -> Defanged:
        shift = len(local) + 1
        moved = ((shift, body), *((new + shift, old) for new, old in offsets if new <= end))
        found = Defanged(pivot - len(local), 0, f"{local}@{host[:end]}", "mailto:", tuple(moved))
        return found._replace(end=found.original(shift + end))

    whole = address(local)
    first = address_start(text, start, pivot, whole.end)
    return whole if first == start else address(text[first:pivot])


def _extended(
    text: str, start: int, body: int, head: str, limit: int, syntax: Syntax, final: bool, assumed: str
) -> Defanged | DefangedTail | None:
    """Follow a candidate to its end; `head` replaces the text between `start` and `body`."""
    window = _WINDOW
    longest = start + limit + 1
    while True:
        stop = min(len(text), longest, body + window)
        section = _sections().search(text, body, stop)
        inner, offsets = _refanged(text, body, stop, section.start() if section else stop)
        whole = head + inner
        end = bare_end(syntax, whole, len(head[:-2]), len(whole))  # from after the colon
        if end + MARK_LIMIT <= len(whole) or stop == longest or (stop == len(text) and final):
            break
        if stop == len(text):
            return DefangedTail(start)
        window *= 16
    moved = ((len(head), body), *((new + len(head), old) for new, old in offsets))
    found = Defanged(start, 0, whole[:end], assumed, moved)
    return found._replace(end=found.original(end))


def _refanged(text: str, start: int, stop: int, authority: int) -> tuple[str, list[tuple[int, int]]]:
    """Remove the marks from some text, at-signs only up to `authority`; return too where each ended in both texts."""
    pieces: list[str] = []
    offsets: list[tuple[int, int]] = []
    at = start
    length = 0
    edge = min(authority, stop)
    for marks, first, last in ((_marks(), start, edge), (_marks_behind(), edge, stop)):
        for match in marks.finditer(text, first, last):
            pieces.append(text[at : match.start()])
            meant = "." if match["dot"] is not None else "@" if match["at"] is not None else match["other"] or ""
            pieces.append(meant)
            length += match.start() - at + len(meant)
            at = match.end()
            offsets.append((length, at))
    pieces.append(text[at:stop])
    return "".join(pieces), offsets


def defanged_tail(text: str, first: int, limit: int) -> int:
    """Return where a defanged candidate may begin whose pivot the end of the text cuts; not before `first`."""
    return _behind(text, max(first, len(text) - MARK_LIMIT), first, limit)


def mark_follows(text: str, end: int, final: bool) -> bool | None:
    """Report whether a mark begins at an offset; None if the text so far does not decide."""
    if _marks().match(text, end) is not None:
        return True
    return None if not final and len(text) - end < MARK_LIMIT else False
