"""The links inside a link of a redirector, one in the other, decoded: no request is made where they lead.

Each layer is a part of the one around it, and shorter when it is decoded: so a chain has an end, and all layers of
one link together take linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache

from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.rules.links import redirectors
from urisieve.rules.links.redirectors import BEGINS_AS_BASE64, BEGINS_AS_LINK, REDIRECTORS, Decoding, Redirector
from urisieve.rules.table import KNOWN_RULES, RuleTable
from urisieve.syntax.grammar import matches

# How many layers of one link are taken off: mail that passed three filters has three, a web archive of it one more.
MOST_LAYERS: Final = 8
# A bound on the cache of authorities, as in `urisieve.judge.judge`.
_MEMORY: Final = 16_384

_LINK: Final = lazy_compile(r"https?://(?:[^/?#@]*+@)?([^/?#:@]*+)(?::[0-9]*+)?(?=[/?#]|\Z)", re.IGNORECASE)
_BEGINS: Final = lazy_compile(r"([A-Za-z][A-Za-z0-9+.\-]*+):")
# A parameter that may contain a link, percent-encoded or in base64 or as it is.
_LINK_VALUE: Final = lazy_compile(rf"[?&][^?&=#]*+=(?:{BEGINS_AS_LINK}|{BEGINS_AS_BASE64})")
_LINK_START: Final = lazy_compile(BEGINS_AS_LINK)
_BASE64_START: Final = lazy_compile(BEGINS_AS_BASE64)
_WEB: Final = lazy_compile(r"https?://(?=[^/?#])", re.IGNORECASE)
_PARAMETER: Final = lazy_compile(r"(?:([^&=]*+)=)?([^&]*+)(?:&|\Z)")
_PATH_END: Final = lazy_compile(r"[?#]|\Z")
# A name of the DNS with a dot, or an address.
_NAMED_HOST: Final = lazy_compile(r"(?:[0-9A-Za-z_\-]+\.)+[0-9A-Za-z\-]+\.?")


class Layer(NamedTuple):
    """A link inside another one.

    Attributes:
        text: the link, decoded, not judged; None if it cannot be decoded.
        start: the offset in the outermost link at which its text begins.
        end: the offset after that text.
        place: returns the offset in the outermost link of a character of `text`; None if its characters have none of
            their own, as in base64.
        is_assumed: whether its scheme is not in the text.
        is_last: whether it contains a further link that is not taken off, because `MOST_LAYERS` were.
        is_guess: whether nothing but its text states that it is a link: it is none if it is not valid.
    """

    text: str | None
    start: int
    end: int
    place: Callable[[int], int] | None
    is_assumed: bool = False
    is_last: bool = False
    is_guess: bool = False


class _Wrapped(NamedTuple):
    """A part of a link that contains another one."""

    start: int
    end: int
    decoding: Decoding
    assumed: str = ""
    is_guess: bool = False


@lru_cache(_MEMORY)
def is_redirector(authority: str) -> bool:
    """Report whether the authority of a link may be that of a redirector; what follows `?` or `#` does not count."""
    match = _LINK.match(f"http://{authority}/")
    return match is not None and _any_host().fullmatch(match[1].lower()) is not None


@cache
def _any_host() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{row.host})" for row in REDIRECTORS))


def holds_parameter(uri: str) -> bool:
    """Report whether a link may have another one in a parameter of its query."""
    return _LINK_VALUE.search(uri) is not None


def layers(link: str, *, anywhere: bool, rules: RuleTable = KNOWN_RULES) -> Iterator[Layer]:
    """Yield the links inside a link of a redirector, from the outside in; at most `MOST_LAYERS` deep.

    Args:
        link: a valid link.
        anywhere: take the links in parameters of other links too, whatever the host.
        rules: the rules of schemes, by which a parameter is seen to contain a link.
    """
    return _layers(Layer(link, 0, len(link), lambda offset: offset), anywhere, rules, MOST_LAYERS)


def _layers(outer: Layer, anywhere: bool, rules: RuleTable, most: int) -> Iterator[Layer]:
    link = outer.text
    if link is None:
        return
    for wrapped in _inside(link, anywhere, rules):
        layer = _layer(outer, link, wrapped)
        if most == 1 and layer.text is not None:
            is_last = next(_inside(layer.text, anywhere, rules), None) is not None
            yield layer._replace(is_last=is_last)
            continue
        yield layer
        yield from _layers(layer, anywhere, rules, most - 1)


def _layer(outer: Layer, link: str, wrapped: _Wrapped) -> Layer:
    begin, end = wrapped.start, wrapped.end
    text, within, is_assumed = redirectors.decoded(link[begin:end], wrapped.decoding, wrapped.assumed)
    place = outer.place
    if place is None:
        return Layer(text, outer.start, outer.end, None, is_assumed, is_guess=wrapped.is_guess)
    start, stop = place(begin), place(end)
    if within is None:
        return Layer(text, start, stop, None, is_assumed, is_guess=wrapped.is_guess)
    return Layer(text, start, stop, lambda offset: place(begin + within(offset)), is_assumed)


_HOST_ROWS: Final = tuple(row for row in REDIRECTORS if row.decoding is Decoding.HOST)


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


def _inside(link: str, anywhere: bool, rules: RuleTable) -> Iterator[_Wrapped]:
    """Yield the parts of a link that contain another one."""
    match = _LINK.match(link)
    if match is None:
        if anywhere:
            yield from _in_parameters(link, rules)
        return
    host = match[1].lower()
    for row in REDIRECTORS:
        if _pattern(row.host).fullmatch(host):
            found = _of_row(row, link, match.end())
            if found is not None:
                yield found
                return
    if anywhere:
        yield from _in_parameters(link, rules)


def _of_row(row: Redirector, link: str, start: int) -> _Wrapped | None:
    """Return the part by the rule of a redirector; the path of the link begins at `start`."""
    path_end = _ends(link, start)
    if row.decoding is Decoding.HOST:
        return None
    if row.parameters:
        if _pattern(row.path).fullmatch(link[start:path_end] or "/") is None:
            return None
        held = {name: (first, last) for name, first, last in _parameters(link, path_end)}
        for name in row.parameters:
            if name in held:
                return _Wrapped(*held[name], row.decoding, row.assumed)
        return None
    match = _pattern(row.path).match(link, start)
    if match is None:
        return None
    first, last = match.end(), len(link)
    if row.decoding is Decoding.PERCENT:
        last = path_end
    elif row.decoding is Decoding.SEGMENT:
        slash = link.find("/", first, path_end)
        last = path_end if slash < 0 else slash
    elif row.decoding is Decoding.PROOFPOINT_3 and link.find("__;", first) < 0:
        return None
    elif row.decoding is Decoding.AVANAN:
        last = link.find("___", first)
    return _Wrapped(first, last, row.decoding, row.assumed) if last > first else None


def _ends(link: str, start: int) -> int:
    """Return the end of the path that begins at an offset."""
    match = _PATH_END.search(link, start)
    return len(link) if match is None else match.start()


def _parameters(link: str, start: int) -> Iterator[tuple[str, int, int]]:
    """Yield the name of each parameter of the query and the offsets of its value; the last comes first, empty ones not.

    The query begins at `start`, if there is one. Of two parameters of one name the first counts.
    """
    if link[start : start + 1] != "?":
        return
    end = link.find("#", start)
    end = len(link) if end < 0 else end
    found = [(match[1], *match.span(2)) for match in _PARAMETER.finditer(link, start + 1, end) if match[1] and match[2]]
    yield from reversed(found)


def _in_parameters(link: str, rules: RuleTable) -> Iterator[_Wrapped]:
    """Yield the parameters of the query of any link that contain a link, as one is found in running text.

    A parameter in base64 contains one if it is all of a link of the web: any word can be read as base64.
    """
    for _, start, end in reversed(list(_parameters(link, _ends(link, 0)))):
        if _LINK_START.match(link, start, end) is not None:
            text = redirectors.percent_decoded(link[start:end])
            match = _BEGINS.match(text)
            if match is None:
                continue
            after = match.end()
            shape = None if text.startswith("//", after) else rules.shape(match[1].lower())
            if len(text) > after + 2 and (text.startswith("//", after) or (shape and shape.match(text, after))):
                yield _Wrapped(start, end, Decoding.PERCENT)
        elif _BASE64_START.match(link, start, end) is not None:
            held = redirectors.from_base64(link[start:end])
            if held is not None and _WEB.match(held) is not None and matches("IRI", held):
                yield _Wrapped(start, end, Decoding.BASE64, is_guess=True)


def named_host(link: str) -> str | None:
    """Return the host that a link of a redirector names as that of its target; None unless it names that alone.

    A token represents the target: that it has this host is what the link states about itself.
    """
    match = _LINK.match(link)
    if match is None:
        return None
    host, path_end = match[1].lower(), _ends(link, match.end())
    for row in _HOST_ROWS:
        if _pattern(row.host).fullmatch(host) and _pattern(row.path).fullmatch(link[match.end() : path_end]):
            for name, start, end in reversed(list(_parameters(link, path_end))):
                if name in row.parameters:
                    text = redirectors.percent_decoded(link[start:end])
                    return text.lower() if _NAMED_HOST.fullmatch(text) else None
    return None
