"""The links inside a link of a redirector, one in the other, decoded: nobody is asked where they lead.

Each layer is a stretch of the one around it, and shorter when it is decoded: so a chain has an end, and all layers of
one link together take linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache

from urisieve.lean.hints import Final
from urisieve.lean.patterns import lazy_compile
from urisieve.lean.values import NamedTuple
from urisieve.rules.links.redirectors import REDIRECTORS, Decoding, Redirector
from urisieve.rules.table import KNOWN_RULES, RuleTable
from urisieve.syntax.components import SPACES

__all__ = ["MOST_LAYERS", "Layer", "holds_parameter", "is_redirector", "layers"]

# How many layers of one link are taken off: mail that passed three filters has three, a web archive of it one more.
MOST_LAYERS: Final = 8
# A bound on the cache of authorities, as in `urisieve.judge.judge`.
_MEMORY: Final = 16_384

_LINK: Final = lazy_compile(r"https?://(?:[^/?#@]*+@)?([^/?#:@]*+)(?::[0-9]*+)?(?=[/?#]|\Z)", re.IGNORECASE)
_SCHEME: Final = r"[A-Za-z][A-Za-z0-9+.\-]*+"
_BEGINS: Final = lazy_compile(rf"({_SCHEME}):")
# A scheme, not a host before its port.
_OWN_SCHEME: Final = lazy_compile(rf"{_SCHEME}:/|[A-Za-z][A-Za-z0-9+\-]*+:(?![0-9/?#]|\Z)")
_LOST_SLASH: Final = lazy_compile(r"(https?):/(?=[^/])", re.IGNORECASE)
# A parameter that may hold a link, percent-encoded or not.
_LINK_VALUE: Final = lazy_compile(rf"[?&][^&=#]*+={_SCHEME}(?::|%3[Aa])")
_LINK_START: Final = lazy_compile(rf"{_SCHEME}(?::|%3[Aa])")
_PARAMETER: Final = lazy_compile(r"(?:([^&=]*+)=)?([^&]*+)(?:&|\Z)")
_PATH_END: Final = lazy_compile(r"[?#]|\Z")
# The triplets of one character in UTF-8 (RFC 3629 4); others are not decoded.
_TAIL: Final = "%[89ABab][0-9A-Fa-f]"
_CHARACTER: Final = lazy_compile(
    rf"%[0-7][0-9A-Fa-f]|%(?:[Cc][2-9A-Fa-f]|[Dd][0-9A-Fa-f]){_TAIL}"
    rf"|%(?:[Ee]0%[ABab][0-9A-Fa-f]|[Ee][1-9A-Ca-cEFef]{_TAIL}|[Ee][Dd]%[89][0-9A-Fa-f]){_TAIL}"
    rf"|%(?:[Ff]0%[9ABab][0-9A-Fa-f]|[Ff][1-3]{_TAIL}|[Ff]4%8[0-9A-Fa-f]){_TAIL}{_TAIL}"
)
_TOKEN: Final = lazy_compile(r"\*(?:\*(.))?", re.DOTALL)
# The letters that say how long a run is: "A" stands for two characters.
_RUNS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_SHORTEST_RUN: Final = 2


class Layer(NamedTuple):
    """A link inside another one.

    Attributes:
        text: the link, decoded, not judged; None if it cannot be decoded.
        start: the offset in the outermost link at which its text begins.
        end: the offset after that text.
        place: returns the offset in the outermost link of a character of `text`; None if its characters have none of
            their own, as in base64.
        is_assumed: whether its scheme is not in the text.
        is_last: whether it holds a further link that is not taken off, because `MOST_LAYERS` were.
    """

    text: str | None
    start: int
    end: int
    place: Callable[[int], int] | None
    is_assumed: bool = False
    is_last: bool = False


class _Wrapped(NamedTuple):
    """A stretch of a link that holds another one."""

    start: int
    end: int
    decoding: Decoding
    assumed: str = ""


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
        rules: the rules of schemes, by which a parameter is seen to hold a link.
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
    text, within = _decoded(link, wrapped)
    is_assumed = bool(wrapped.assumed) and _OWN_SCHEME.match(link, wrapped.start) is None
    place = outer.place
    if place is None:
        return Layer(text, outer.start, outer.end, None, is_assumed)
    start, end = place(wrapped.start), place(wrapped.end)
    if within is None:
        return Layer(text, start, end, None, is_assumed)
    return Layer(text, start, end, lambda offset: place(within(offset)), is_assumed)


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


def _inside(link: str, anywhere: bool, rules: RuleTable) -> Iterator[_Wrapped]:
    """Yield the stretches of a link that hold another one."""
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
    """Return the stretch by the rule of a redirector; the path of the link begins at `start`."""
    path_end = _ends(link, start)
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
    """Yield the parameters of the query of any link that hold a link, as one is found in running text."""
    for _, start, end in reversed(list(_parameters(link, _ends(link, 0)))):
        if _LINK_START.match(link, start, end) is None:
            continue
        text = _percent_decoded(link[start:end])
        match = _BEGINS.match(text)
        if match is None:
            continue
        after = match.end()
        shape = None if text.startswith("//", after) else rules.shape(match[1].lower())
        if len(text) > after + 2 and (text.startswith("//", after) or (shape and shape.match(text, after))):
            yield _Wrapped(start, end, Decoding.PERCENT)


def _percent_decoded(text: str) -> str:
    if "%" not in text:
        return text
    return _CHARACTER.sub(lambda match: bytes.fromhex(match[0].replace("%", "")).decode("utf-8"), text)


def _offset_before(encoded: str, offset: int) -> int:
    """Return the offset in a percent-encoded text of a character of the decoded one."""
    lost = 0
    for match in _CHARACTER.finditer(encoded):
        if match.start() - lost >= offset:
            break
        lost += len(match[0]) - 1
    return offset + lost


def _decoded(link: str, wrapped: _Wrapped) -> tuple[str | None, Callable[[int], int] | None]:
    """Return the text of a stretch of a link, and a function from its offsets to those of the link, if there is one."""
    start, end, decoding, assumed = wrapped
    encoded = link[start:end]
    if decoding is Decoding.PROOFPOINT_3:
        return _proofpoint_3(encoded), None
    if decoding is Decoding.BASE64 or decoding is Decoding.BING:
        return _from_base64(encoded, decoding), None
    if decoding is Decoding.PROOFPOINT_2:
        encoded = encoded.translate({ord("-"): "%", ord("_"): "/"})
    is_plain = decoding is Decoding.PLAIN or decoding is Decoding.AVANAN
    text = encoded if is_plain else _percent_decoded(encoded)
    added = 0  # characters before an offset that the link does not hold
    slash = len(text)
    if is_plain:
        slash = _after_lost_slash(text)
        if slash < len(text):
            text = f"{text[:slash]}/{text[slash:]}"
        if assumed and _OWN_SCHEME.match(text) is None:
            text, added = f"{assumed}{text}", len(assumed)
    lead = len(text) - len(text.lstrip(SPACES))

    def place(offset: int) -> int:
        held = max(0, offset + lead - added)
        held -= held > slash
        return start + min(len(encoded), held if is_plain else _offset_before(encoded, held))

    return text.strip(SPACES), place


def _after_lost_slash(text: str) -> int:
    """Return the offset at which a slash of `://` is missing, as in `http:/e.example`; the length if none is."""
    match = _LOST_SLASH.match(text)
    return len(text) if match is None else match.end()


def _proofpoint_3(encoded: str) -> str | None:
    """Decode a link of version 3: all of it from `__` on; None if the characters beside it are not those it needs."""
    text, _, rest = encoded.partition("__;")
    text = _percent_decoded(text)
    if "*" in text:
        characters = _utf_8_of_base64(rest.partition("!")[0])
        if characters is None:
            return None
        taken = 0
        parts: list[str] = []
        done = 0
        for token in _TOKEN.finditer(text):
            count = 1 if token[1] is None else _RUNS.find(token[1]) + _SHORTEST_RUN
            if (token[1] is not None and token[1] not in _RUNS) or taken + count > len(characters):
                return None
            parts += (text[done : token.start()], characters[taken : taken + count])
            taken += count
            done = token.end()
        text = "".join((*parts, text[done:]))
    slash = _after_lost_slash(text)
    return text if slash == len(text) else f"{text[:slash]}/{text[slash:]}"


def _from_base64(encoded: str, decoding: Decoding) -> str | None:
    text = _percent_decoded(encoded)
    if decoding is Decoding.BING:
        if not text.startswith("a1"):
            return None
        text = text[2:]
    decoded = _utf_8_of_base64(text)
    return None if decoded is None else decoded.strip(SPACES)


def _utf_8_of_base64(text: str) -> str | None:
    """Decode base64 or base64url, with or without padding; None if it is neither, or not UTF-8."""
    from base64 import b64decode

    text = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return b64decode(text + "=" * (-len(text) % 4), validate=True).decode("utf-8")
    except ValueError:  # that of base64 is one, as is that of UTF-8
        return None
