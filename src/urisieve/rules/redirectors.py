"""The redirectors: links that contain another link, to which they lead, and the ways in which they write that link.

The rows are those of `rules/registry/redirectors.txt`. The module also defines how a part of a link is read as the link
that it contains, with its source map.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache

from urisieve.lean import Any, Final, NamedTuple, lazy_compile
from urisieve.quick_enums import Enum
from urisieve.rules.registry import blocks_of
from urisieve.rules.table import KNOWN_RULES, RuleTable
from urisieve.syntax.components import SPACES, Memo
from urisieve.syntax.grammar import matches


class Decoding(Enum):
    """How the inner link is written."""

    PERCENT = "percent-encoded"
    """Percent-encoded, as a value of a query or all that is left of a path; `+` stays, since no link contains a blank.
    What is not a link when it is decoded, but one percent-encoded again, is decoded again, three times at most."""
    SEGMENT = "percent-encoded, in one segment"
    """Percent-encoded, as one segment of a path: other segments may follow."""
    SIGNED = "percent-encoded, `:` and a signature"
    """Percent-encoded, and with it a colon and the 27 characters of a signature in base64url, if there is one."""
    PLAIN = "as it stands"
    """As it is, to the end of the link, its query and fragment included; of `://` one slash may be lost."""
    PROOFPOINT_2 = "`-` for `%`, `_` for `/`"
    """Percent-encoded, with `-` for `%` and `_` for `/`."""
    PROOFPOINT_3 = "`*` for characters beside it"
    """Between `__` and `__;`, with `*` for each character, and `**` and a letter for each run of characters, that are
    in the base64url text after it; of `://` one slash may be lost."""
    AVANAN = "between `___` and `___`"
    """As it is between `___` and `___`."""
    BASE64 = "base64"
    """In base64 or base64url, with or without padding."""
    BING = "`a1`, then base64url"
    """In base64url without padding, after `a1`."""
    HOST = "the host alone"
    """Not at all: the link names the host of its target, and a token represents the rest."""


class Redirector(NamedTuple):
    """The links of one redirector; their schemes are http and https.

    Attributes:
        name: a short name, unique.
        title: whose links they are.
        reference: where they are documented: by the service, else by a maintained list of such links.
        host: a pattern of all of the host, in lower case.
        path: a pattern of all of the path; if there are no `parameters`, of the path up to the inner link.
        parameters: the parameters of the query that may contain the inner link; the first one that does counts.
        decoding: how the inner link is written.
        assumed: what is before an inner link that has no scheme; "" if such a text is not a link.
        examples: pairs of a link and the link inside it; of `Decoding.HOST`, of a link and the host that it names.
    """

    name: str
    title: str
    reference: str
    host: str
    path: str
    parameters: tuple[str, ...] = ()
    decoding: Decoding = Decoding.PERCENT
    assumed: str = ""
    examples: tuple[tuple[str, str], ...] = ()


def _row(block: dict[str, list[str]]) -> Redirector:
    """Return the row of a block of the table."""
    fields: dict[str, Any] = {field: values[0] for field, values in block.items()}
    fields["parameters"] = tuple(block.get("parameters", ()))
    fields["decoding"] = Decoding[fields.get("decoding", "PERCENT")]
    fields["examples"] = tuple(tuple(pair.split()) for pair in block["examples"])
    return Redirector(**fields)


REDIRECTORS: Final = tuple(map(_row, blocks_of("redirectors")))

_SCHEME: Final = r"[A-Za-z][A-Za-z0-9+.\-]*+"
# How often one text is percent-decoded: a link that passed three programs each of which encoded what it was given. More
# would take a time that is not linear.
_MOST_DECODINGS: Final = 3
BEGINS_AS_LINK: Final = rf"{_SCHEME}(?::|%(?:25){{0,{_MOST_DECODINGS - 1}}}3[Aa])"
"""A pattern of the beginning of a link, percent-encoded or not."""
BEGINS_AS_BASE64: Final = "(?:aHR0c|SHR0c|SFRUU)"
"""A pattern of the beginning of `http`, `Http` and `HTTP` in base64."""

# A scheme, not a host before its port.
_OWN_SCHEME: Final = lazy_compile(rf"{_SCHEME}:/|[A-Za-z][A-Za-z0-9+\-]*+:(?![0-9/?#]|\Z)")
_STILL_ENCODED: Final = lazy_compile(rf"{_SCHEME}%(?:25)*3[Aa]")
_LOST_SLASH: Final = lazy_compile(r"(https?):/(?=[^/])", re.IGNORECASE)
_SIGNATURE: Final = lazy_compile(r":[A-Za-z0-9_\-]{27}\Z")
# The triplets of one character in UTF-8 (RFC 3629 4); others are not decoded.
_TAIL: Final = "%[89ABab][0-9A-Fa-f]"
_CHARACTER: Final = lazy_compile(
    rf"%[0-7][0-9A-Fa-f]|%(?:[Cc][2-9A-Fa-f]|[Dd][0-9A-Fa-f]){_TAIL}"
    rf"|%(?:[Ee]0%[ABab][0-9A-Fa-f]|[Ee][1-9A-Ca-cEFef]{_TAIL}|[Ee][Dd]%[89][0-9A-Fa-f]){_TAIL}"
    rf"|%(?:[Ff]0%[9ABab][0-9A-Fa-f]|[Ff][1-3]{_TAIL}|[Ff]4%8[0-9A-Fa-f]){_TAIL}{_TAIL}"
)
_TOKEN: Final = lazy_compile(r"\*(?:\*(.))?", re.DOTALL)
# The letters that state how long a run is: "A" represents two characters.
_RUNS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_SHORTEST_RUN: Final = 2


class DecodedStretch(NamedTuple):
    """The text that a part of a link represents.

    Attributes:
        text: the text; None if the part cannot be decoded.
        place: returns the offset in the part of a character of `text`; None if its characters have none of their
            own, as in base64.
        is_assumed: whether its scheme is not in the part.
    """

    text: str | None
    place: Callable[[int], int] | None = None
    is_assumed: bool = False


def decoded(encoded: str, decoding: Decoding, assumed: str = "") -> DecodedStretch:
    """Return what a part of a link represents.

    Args:
        encoded: the part.
        decoding: how it is written.
        assumed: what is put before a text that has no scheme.
    """
    if decoding is Decoding.PROOFPOINT_3:
        return DecodedStretch(_proofpoint_3(encoded))
    if decoding is Decoding.BASE64 or decoding is Decoding.BING:
        return DecodedStretch(from_base64(encoded, "a1" if decoding is Decoding.BING else ""))
    if decoding is Decoding.PROOFPOINT_2:
        encoded = encoded.translate({ord("-"): "%", ord("_"): "/"})
    is_plain = decoding is Decoding.PLAIN or decoding is Decoding.AVANAN
    steps = [encoded] if is_plain else _percent_decodings(encoded)
    text = steps.pop()
    if decoding is Decoding.SIGNED and (signature := _SIGNATURE.search(text)) is not None:
        text = text[: signature.start()]
    slash = len(text)
    if is_plain:
        slash = _after_lost_slash(text)
        if slash < len(text):
            text = f"{text[:slash]}/{text[slash:]}"
    is_assumed = bool(assumed) and _OWN_SCHEME.match(text) is None
    if is_assumed:
        text = f"{assumed}{text}"
    added = len(assumed) if is_assumed else 0  # characters before an offset that the part does not contain
    lead = len(text) - len(text.lstrip(SPACES))

    def place(offset: int) -> int:
        held = max(0, offset + lead - added)
        held -= held > slash
        for step in reversed(steps):
            held = _offset_before(step, held)
        return min(len(encoded), held)

    return DecodedStretch(text.strip(SPACES), place, is_assumed)


def percent_decoded(text: str) -> str:
    """Return a text percent-decoded as often as it takes to see a link, `_MOST_DECODINGS` times at most."""
    return _percent_decodings(text)[-1]


def _percent_decodings(text: str) -> list[str]:
    """Return a text, and what it is after each time that it is percent-decoded.

    RFC 3986 2.4 forbids to decode twice what was encoded once. So a text is decoded again only if it cannot be the
    link: where the colon after its scheme is encoded still.
    """
    steps = [text, _once_decoded(text)]
    while len(steps) <= _MOST_DECODINGS and _STILL_ENCODED.match(steps[-1]) is not None:
        steps.append(_once_decoded(steps[-1]))
    return steps


def _once_decoded(text: str) -> str:
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


def _after_lost_slash(text: str) -> int:
    """Return the offset at which a slash of `://` is missing, as in `http:/e.example`; the length if none is."""
    match = _LOST_SLASH.match(text)
    return len(text) if match is None else match.end()


def _proofpoint_3(encoded: str) -> str | None:
    """Decode a link of version 3: all of it from `__` on; None if the characters beside it are not those it needs."""
    text, _, rest = encoded.partition("__;")
    text = _once_decoded(text)
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


def from_base64(encoded: str, lead: str = "") -> str | None:
    """Decode a percent-encoded text in base64 after what leads it; None if it is not one in UTF-8."""
    text = _once_decoded(encoded)
    if not text.startswith(lead):
        return None
    found = _utf_8_of_base64(text[len(lead) :])
    return None if found is None else found.strip(SPACES)


def _utf_8_of_base64(text: str) -> str | None:
    """Decode base64 or base64url, with or without padding; None if it is neither, or not UTF-8."""
    from base64 import b64decode

    text = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return b64decode(text + "=" * (-len(text) % 4), validate=True).decode("utf-8")
    except ValueError:  # that of base64 is one, as is that of UTF-8
        return None


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


def redirector_hosts() -> Memo[bool]:
    """Return a memory of which hosts may be those of redirectors; None is the host of a link without one."""
    matched = _any_host().fullmatch
    return Memo(lambda host: host is not None and matched(host.lower()) is not None)


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
    text, within, is_assumed = decoded(link[begin:end], wrapped.decoding, wrapped.assumed)
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
    found = _by_rows(link)
    if found is not None:
        yield found
    elif anywhere:
        yield from _in_parameters(link, rules)


def target_span(link: str) -> tuple[int, int] | None:
    """Return the offsets of the text in a link of a redirector that contains its target; None for any other link.

    >>> target_span("https://www.google.com/url?q=http://e.example/&sa=D"), target_span("https://www.google.com/bot.html")
    ((29, 46), None)
    """
    found = _by_rows(link)
    return None if found is None else (found.start, found.end)


def _by_rows(link: str) -> _Wrapped | None:
    """Return the part of a link that contains another one by the rule of a redirector."""
    match = _LINK.match(link)
    if match is None:
        return None
    host = match[1].lower()
    for row in REDIRECTORS:
        if _pattern(row.host).fullmatch(host):
            found = _of_row(row, link, match.end())
            if found is not None:
                return found
    return None


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
            text = percent_decoded(link[start:end])
            match = _BEGINS.match(text)
            if match is None:
                continue
            after = match.end()
            shape = None if text.startswith("//", after) else rules.shape(match[1].lower())
            if len(text) > after + 2 and (text.startswith("//", after) or (shape and shape.match(text, after))):
                yield _Wrapped(start, end, Decoding.PERCENT)
        elif _BASE64_START.match(link, start, end) is not None:
            held = from_base64(link[start:end])
            if held is not None and _WEB.match(held) is not None and matches("URI" if held.isascii() else "IRI", held):
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
                    text = percent_decoded(link[start:end])
                    return text.lower() if _NAMED_HOST.fullmatch(text) else None
    return None
