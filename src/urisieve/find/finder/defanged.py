"""Defanged identifiers, as analysts write them so that one is not followed: `hxxps[:]//evil[.]example(dot)com`.

There is no standard; the forms read here are those that reports and feeds use. A candidate is defanged if its scheme
is, or if a mark is in its scheme's colon or in its authority; then all marks in it are undone, and those of links
in it. Its beginning is found in the text as it is written; the plain text from there on is examined as any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from urisieve.find.ends.candidates import MAIL, WEB, Meant, PlainText, plain_text
from urisieve.find.ends.unspaced import SPECIAL_USE
from urisieve.find.finder.addresses import LOCAL_LIMIT, address_start, is_on_host, local_part, local_run
from urisieve.find.finder.schemeless import NAME_LIMIT, is_name, name_end, name_start
from urisieve.find.pivots import SCHEME_CHARACTERS, WantedSchemes
from urisieve.finding_options import EmailFinding, Options, SchemelessFinding
from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.rules.registry import top_level_domains
from urisieve.syntax.characters import NON_ASCII, NON_ASCII_PLAIN, script_change

# The longest mark: a bracket, a blank, three letters, a blank, a bracket; also the longest cut of a colon with slashes.
MARK_LIMIT: Final = 16
# How far after a mark to look for the rest of a host.
_WINDOW: Final = 256
# The longest colon with slashes, and the part of one that the end of a text may leave.
_COLON_LIMIT: Final = 8
_COLON_CUT: Final = lazy_compile(r":[\[/][\[\]/]*+\Z")
# What the end of a part may leave of a mark; a line feed ends each.
_CUT_MARK: Final = lazy_compile(rf" ?[\[({{\\&][^\n]{{0,{MARK_LIMIT}}}\Z| \Z")
# More characters than any defanged scheme has.
_SCHEME_LIMIT: Final = 64


def _bracketed(inner: str) -> str:
    return rf"(?:\[ ?(?:{inner}) ?\]|\( ?(?:{inner}) ?\)|\{{ ?(?:{inner}) ?\}})"


# A dot as a character reference, without its first character.
_REFERENCE: Final = "#(?:46|[xX]2[eE]);"
# Half of a bracket may be lost, and a blank may be on both sides of a mark in a host.
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
# A name as it is spelt out: `evil dot example dot com`.
_SPOKEN: Final = lazy_compile(r"[A-Za-z0-9][A-Za-z0-9.\-]*+(?> (?:dot|DOT) [A-Za-z0-9][A-Za-z0-9.\-]*+)++")
_SPOKEN_DOT: Final = lazy_compile(" (?:dot|DOT) ")


class DefangedStart(NamedTuple):
    """The beginning of a defanged candidate.

    Attributes:
        start: where it begins in the text.
        body: the offset after what `head` represents.
        head: what is meant by the text between these two.
        assumed: the scheme that is not in the text, with its colon and slashes, or "".
        longest: where it begins if text that is directly before it is part of it; `start` if none does.
    """

    start: int
    body: int
    head: str
    assumed: str
    longest: int


_COLON_AT: Final = lazy_compile(_COLON)
# An authority up to its first mark, without marks, and the name of a host with them.
_UP_TO_MARK: Final = lazy_compile(rf"\[?{_AUTHORITY}*+(?:{_DOT}|{_AT}|{_SPACED}|{_SPACED_AT}|\[:\]|\[/\]|{_LOST})")
_UNMARKED: Final = lazy_compile(f"{_AUTHORITY}*+")
_HOST: Final = lazy_compile(rf"(?>{_NAME}++|{_DOT}|{_SPACED})*+")
# A mark in an authority, and one after an authority, where other links may be, defanged too.
_MARK: Final = lazy_compile(rf"(?P<dot>{_SPACED}|{_DOT})|(?P<at>{_SPACED_AT}|{_AT})|\[(?P<other>[:/])\]|{_LOST}")
_LATER_MARK: Final = lazy_compile(
    rf"(?P<dot>{_DOT})|(?P<at>{_AT})|\[(?P<slashes>://)\]|\[(?P<other>[:/])\]"
    rf"|(?<![A-Za-z0-9])(?i:(?P<scheme>{'|'.join(filter(str.isalpha, _SCHEMES))}))(?={_COLON})"
)
# The run of an authority, which blanks around a mark do not end, and of what follows it.
_AUTHORITY_RUN: Final = lazy_compile(rf"(?>{_SPACED}|{_SPACED_AT}|{_DOT}|{_AT}|\S)*+")
_RUN: Final = lazy_compile(rf"(?>{_DOT}|{_AT}|\S)*+")
_DOT_AND_BLANK: Final = lazy_compile(rf"{_DOT} ([A-Za-z0-9]\S*)")
_CUT_DOT: Final = lazy_compile(rf"{_DOT} ?\Z")
_MARK_BEFORE: Final = lazy_compile(rf"(?:{_DOT}|{_SPACED})\Z")
_SECTION: Final = lazy_compile(rf"\[/\]|[/?]|(?<!&)#|(?<=&)(?!{_REFERENCE})#")
_IPV4: Final = lazy_compile(r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![0-9A-Za-z])")


def find_defanged(
    text: str, pivot: int, floor: int, final: bool, options: Options, wanted: WantedSchemes
) -> DefangedStart | int | None:
    """Return the beginning of the defanged candidate of a pivot: a colon, an at-sign, or what begins a mark.

    The time is linear in the candidate, or in `schemeless.NAME_LIMIT`.

    Args:
        text: the text around it.
        pivot: its offset.
        floor: the end of the previous candidate.
        final: whether the text is complete.
        options: what to find.
        wanted: the schemes that count.

    Returns:
        an offset if more text is needed: the text from there on has to be kept; None if there is no candidate.
    """
    limit = options.max_length
    colon = _COLON_AT.match(text, pivot)
    if colon is not None:
        return _with_scheme(text, pivot, colon.end(), floor, final, limit, wanted)
    if text[pivot] == ":":
        # The end of the text may cut the colon.
        is_cut = not final and len(text) - pivot < _COLON_LIMIT and _COLON_CUT.match(text, pivot) is not None
        return _first_of(text, pivot, floor, limit) if is_cut else None
    has_names = options.schemeless == SchemelessFinding.NAMES
    if text[pivot] in "dD":
        return _spoken(text, pivot, floor, final) if has_names else None
    spaced = text[pivot - 1 : pivot] == " " and pivot > floor
    if text[pivot] != "@" and not final and _is_cut(text, pivot):
        return _first_of(text, pivot - spaced, floor, limit)  # the end of the text may cut the mark
    mark = (_MARK.match(text, pivot - 1) if spaced else None) or _MARK.match(text, pivot)
    pivot = pivot if mark is None else mark.start()
    if text[pivot] == "@" or (mark is not None and mark["at"] is not None):
        has_addresses = options.email == EmailFinding.ADDRESSES
        return _address(text, pivot, floor, final, wanted) if has_addresses else None
    if mark is None or options.schemeless == SchemelessFinding.OFF:
        return None
    found = _named(text, pivot, floor, final)
    if isinstance(found, DefangedStart) and not has_names:
        plain = refanged(text, found.start, found, min(len(text), found.start + 2 * MARK_LIMIT))
        return found if plain.text[:4].lower() == "www." else None
    return found


def _first_of(text: str, pivot: int, floor: int, limit: int) -> int:
    """Return the first offset that may belong to a pivot: the start of a scheme, a name or a local part."""
    near = max(floor, pivot - LOCAL_LIMIT)
    start = local_run(text, near, pivot)  # its characters contain those of a scheme
    if start == near:
        first = max(floor, pivot - limit)
        start = min(start, first + len(text[first:pivot].rstrip(SCHEME_CHARACTERS)))
    return min(start, name_start(text, pivot, floor), max(floor, pivot - _PARTED_LIMIT))


def _with_scheme(
    text: str, pivot: int, body: int, floor: int, final: bool, limit: int, wanted: WantedSchemes
) -> DefangedStart | int | None:
    masked = _MASKED.search(text, max(floor, pivot - 5), pivot)
    run = text[max(floor, pivot - _SCHEME_LIMIT) : pivot]
    written = masked[0] if masked else run[len(run.rstrip(SCHEME_CHARACTERS)) :].lstrip("0123456789+-.")
    real = _SCHEMES.get(written.lower())
    parted = _PARTED.search(text, max(floor, pivot - _PARTED_LIMIT), pivot)
    if parted is not None:
        plain = parted[0].translate(_BRACKETS).lower()
        if plain in _SCHEMES or plain in _PARTED_SCHEMES:
            written, real = parted[0], _SCHEMES.get(plain, plain)
    scheme = real if real is not None else wanted.name_before(text, pivot, floor)
    if scheme is None:
        return None
    start = pivot - (len(written) if real is not None else len(scheme))
    mark = _UP_TO_MARK.match(text, body, start + limit)
    if real is None and text.startswith("://", pivot) and mark is None:
        plain_end = _UNMARKED.match(text, body).end()  # type: ignore[union-attr] # it matches nothing at least
        may_be_cut = not final and len(text) - start <= limit and _is_cut(text, plain_end)
        return start if may_be_cut else None
    return DefangedStart(start, body, f"{scheme}://", "", start)


def _is_cut(text: str, at: int) -> bool:
    """Report whether the end of the text may cut a mark at an offset; a line feed ends each."""
    return at + MARK_LIMIT > len(text) and "\n" not in text[at:]


def _named(text: str, pivot: int, floor: int, final: bool) -> DefangedStart | int | None:
    longest = name_start(text, pivot, floor)
    if longest == pivot or (longest > floor and (text[longest - 1] in "/@\\._-" or text[longest - 1].isalnum())):
        return None
    if _MARK_BEFORE.search(text, max(floor, longest - MARK_LIMIT), longest):
        return None  # that mark has been examined already
    start = script_change(text, longest, pivot)
    match = _HOST.match(text, start, start + 2 * NAME_LIMIT)
    assert match is not None
    if not final and _is_cut(text, match.end()):
        return longest
    plain = plain_text(text, start, match.end(), _changes(_MARK, text, start, match.end()))
    return None if _host_end(plain.text) == 0 else DefangedStart(start, start, "", WEB, longest)


def _spoken(text: str, pivot: int, floor: int, final: bool) -> DefangedStart | int | None:
    """Return a name with a word for each dot; it has two of them, or a slash follows: `dot com` is a word of prose."""
    start = name_start(text, pivot - 1, floor)
    if start == pivot - 1 or _SPOKEN_DOT.match(text, max(floor, start - len(" dot ")), start):
        return None  # in the second case that dot has been examined already
    match = _SPOKEN.match(text, start, start + 2 * NAME_LIMIT)
    if match is None:
        return None
    if not final and _is_cut(text, match.end()):
        return start
    host, dots = _SPOKEN_DOT.subn(".", match[0])
    end = name_end(host, 0, len(host), 1)
    body = match.end() - (len(host) - end)
    behind = text[body : body + MARK_LIMIT]
    before = text[start - 1 : start] if start > floor else ""
    if end == 0 or (dots == 1 and behind[:1] != "/") or "dot" in host.lower().split("."):
        return None
    if not is_name(f"{before}{host[:end]}{behind}", len(before), len(before) + end, 0, special=SPECIAL_USE):
        return None
    return DefangedStart(start, body, host[:end], WEB, start)


def _host_end(host: str) -> int:
    """Return the end of a refanged host: a name with a top-level or special-use domain (RFC 6761), or an IPv4 address.

    It is 0 for any other text.
    """
    address = _IPV4.match(host)
    if address is not None:
        return address.end()
    end = name_end(host, 0, len(host), 1)
    last = host[:end].rpartition(".")[2].lower()
    return end if last in top_level_domains() or last in SPECIAL_USE or not last.isascii() else 0


def _address(text: str, pivot: int, floor: int, final: bool, wanted: WantedSchemes) -> DefangedStart | int | None:
    found = local_part(text, pivot, floor, wanted.is_known)
    if found is None:
        return None
    start = found.start
    mark = _MARK.match(text, pivot)
    body = pivot + 1 if mark is None else mark.end()
    match = _HOST.match(text, body, body + 2 * NAME_LIMIT)
    assert match is not None
    if not final and _is_cut(text, match.end()):
        return found.longest
    plain = plain_text(text, body, match.end(), _changes(_MARK, text, body, match.end()))
    size = _host_end(plain.text)
    if size == 0 or (mark is None and not plain.is_changed(size)):
        return None
    end = plain.original_end(size)
    is_user = is_on_host(text, end, plain.text[:size], found.before, final=final)
    if is_user is None:
        return found.longest
    if is_user:
        return None
    first = address_start(text, start, pivot, end)
    return DefangedStart(first, body, f"{text[first:pivot]}@", MAIL, found.longest if first == start else first)


def _changes(marks: re.Pattern[str], text: str, start: int, stop: int) -> Iterator[Meant]:
    """Yield the marks of some kind in a part, each with what is meant by it."""
    for mark in marks.finditer(text, start, stop):
        kind = mark.lastgroup
        meant = "." if kind == "dot" else "@" if kind == "at" else mark[kind] if kind else ""
        yield Meant(mark.start(), mark.end(), _SCHEMES[meant.lower()] if kind == "scheme" else meant)


def host_at(text: str, offset: int) -> int:
    """Return the length of the host in a plain text that begins at an offset, or 0."""
    match = _HOST.match(text, offset, offset + 2 * NAME_LIMIT)
    return 0 if match is None else _host_end(match[0])


def refanged(text: str, first: int, begun: DefangedStart, stop: int) -> PlainText:
    """Return a part of a text in which the run of a defanged candidate has no marks.

    In the authority a blank may be around them, elsewhere a blank ends the run; after the authority the marks for a
    colon with slashes and altered schemes are those of links in the link.

    Args:
        text: the text.
        first: where the part begins, not after the candidate.
        begun: the beginning of the candidate.
        stop: where the part ends.
    """
    section = _SECTION.search(text, begun.body, stop)
    edge = end = _AUTHORITY_RUN.match(text, begun.body, stop if section is None else section.start()).end()  # type: ignore[union-attr]
    if section is not None and edge == section.start():
        end = _RUN.match(text, edge, stop).end()  # type: ignore[union-attr]
    changes = [Meant(begun.start, begun.body, begun.head)] if begun.body > begun.start else []
    changes += _changes(_MARK, text, begun.body, edge)
    changes += _changes(_LATER_MARK, text, edge, end)
    return plain_text(text, first, stop, changes)


def cut_mark(text: str, start: int, stop: int) -> int:
    """Return where a mark may begin that the end of a part cuts, or where the part ends."""
    cut = _CUT_MARK.search(text, max(start, stop - MARK_LIMIT), stop)
    return stop if cut is None else cut.start()


def after_mark(text: str, end: int, *, final: bool) -> str | None:
    """Return what goes on after a mark for a dot and a blank, without its marks: `a[.] evil[.]example`.

    Returns:
        "" if nothing does; None if more text is needed to decide.
    """
    match = _DOT_AND_BLANK.match(text, end, end + _WINDOW)
    if match is None:
        is_cut = not final and len(text) - end <= MARK_LIMIT and _CUT_DOT.match(text, end) is not None
        return None if is_cut else ""
    if match.end() == len(text) and not final:
        return None
    run = match[1]
    plain = refanged(run, 0, DefangedStart(0, 0, "", "", 0), len(run))
    return f".{plain.text}" if host_at(plain.text, 0) else ""


def defanged_tail(text: str, first: int, limit: int) -> int:
    """Return where a defanged candidate may begin whose pivot the end of the text cuts; not before `first`."""
    return _first_of(text, max(first, len(text) - MARK_LIMIT), first, limit)


def mark_follows(text: str, end: int, final: bool) -> bool | None:
    """Report whether a mark begins at an offset; None if the text so far does not decide."""
    if _MARK.match(text, end) is not None:
        return True
    return None if not final and _is_cut(text, end) else False
