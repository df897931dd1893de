"""The attributes and styles of HTML elements that hold links (HTML 4.01, HTML, SVG, MathML, CSS).

Also defines:

- the resolution of relative references against the base of a document, or the reason why it fails (RFC 3986 5).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from urisieve import shapes
from urisieve.errors import UsageError
from urisieve.lean import TYPE_CHECKING, Final, lazy_compile
from urisieve.records.masking import masked_text
from urisieve.records.record import Record
from urisieve.records.rejection import InvalidIdentifierError, Rejection
from urisieve.syntax.components import without_space_around

if TYPE_CHECKING:
    pass

# Elements whose content holds no tags (13.2.5.2 and 13.2.5.4). That of `iframe`, `noembed` and `noframes` does, for
# programs that show it.
RAW_ELEMENTS: Final = frozenset(["script", "style", "textarea", "title", "xmp"])
# Those of them whose content has its references resolved (13.2.5.2).
RESOLVED_ELEMENTS: Final = frozenset(["textarea", "title"])
# Attributes that hold one URL, with the elements on which they do; None for every element.
URL_ATTRIBUTES: Final[dict[str, frozenset[str] | None]] = {
    "action": None,
    "background": None,
    "cite": None,
    "classid": None,
    "codebase": None,
    "data": frozenset(["object"]),
    "dynsrc": None,
    "formaction": None,
    "href": None,
    "icon": None,
    "itemid": None,
    "itemtype": None,
    "longdesc": None,
    "lowsrc": None,
    "manifest": frozenset(["html"]),
    "poster": None,
    "profile": frozenset(["head"]),
    "src": None,
    "xlink:href": None,
}
# Those with several: image candidates, and lists separated by white space.
SETS: Final = frozenset(["imagesrcset", "srcset"])
LISTS: Final = frozenset(["archive", "ping"])
# All attributes that `links` examines.
TELLING: Final = frozenset([*URL_ATTRIBUTES, *SETS, *LISTS, "content", "http-equiv", "srcdoc", "style"])

# Elements that begin or end a line, or are shown as an object in the text (HTML 15.3): text does not join over them.
# `wbr`, `span`, `b`, `font` and all unknown elements are not among them.
BREAKING: Final = frozenset(  # one name a line would be a page
    (  # noqa: SIM905
        "address applet area article aside audio base blockquote body br button canvas caption center col colgroup dd "
        "details dialog dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 "
        "head header hgroup hr html iframe img input isindex legend li link main map menu menuitem meta nav noembed "
        "noframes noscript object ol optgroup option p param picture plaintext pre script search section select source "
        "style summary svg table tbody td template textarea tfoot th thead title tr track ul video xmp"
    ).split()
)

_SCHEME: Final = lazy_compile(r"[A-Za-z][A-Za-z0-9+.\-]*+:")
_ITEM: Final = lazy_compile(r"[^ \t\n\f\r]+")
_CANDIDATE: Final = lazy_compile(r"[ \t\n\f\r,]*+([^ \t\n\f\r]++)")
_DESCRIPTORS: Final = lazy_compile(r"(?>[^,(]++|\([^)]*+\)?)*+,?")
_REFRESH: Final = lazy_compile(
    r"""\s*+[0-9.]*+\s*+[;,]?\s*+(?:url\s*+=\s*+)?(?:"([^"]*+)|'([^']*+)|(\S.*+))""", re.I | re.S
)
# A set of letters is where each alternative begins, which is what makes the search for it fast.
_STYLE_URL: Final = lazy_compile(
    r"""[uU](?<!\w[uU])[rR][lL]\(\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'()]++))\s*+\)"""
    r"""|(?:@[iI][mM][pP][oO][rR][tT]\s++|[iI](?<!\w[iI])[mM][aA][gG][eE]-[sS][eE][tT]\(\s*+|,(?<=[0-9]x,)\s*+)"""
    r"""(?:"([^"]*+)"|'([^']*+)')"""
)
# A style without a match holds no URL: what looks like a later one of `image-set()` is not.
_STYLE_SIGN: Final = lazy_compile(r"@|[lL]\(|[sS][eE][tT]\(")

# A visible text that is nothing but a link.
_VISIBLE: Final = lazy_compile(r"<?((?:https?|ftp)://\S+|www\.\S+?)>?[.,;:!?]*", re.I)
_VISIBLE_STARTS: Final = frozenset("<FHWfhw")
_AUTHORITY: Final = lazy_compile(r"(?:[A-Za-z][A-Za-z0-9+.\-]*+:)?//(?>[^/?#@\s]*+@)*+([^/?#\s]*+)")
_PORT: Final = lazy_compile(r":[0-9]*\Z")


def has_scheme(reference: str) -> bool:
    """Report whether a reference begins with a scheme, and so is not relative (RFC 3986 4.1)."""
    return _SCHEME.match(reference) is not None


def is_same_document(reference: str) -> bool:
    """Report whether a reference is one into the document itself: the fragment alone, or nothing (RFC 3986 4.4)."""
    return reference == "" or reference[0] == "#"


def links(element: str, attribute: str, value: str, values: dict[str, str]) -> Iterable[tuple[int, int]]:
    """Return the start and end of each link in the value of an attribute.

    Args:
        element: the name of the element.
        attribute: the name of the attribute.
        value: its value, references resolved.
        values: all attributes of the element.
    """
    if attribute in URL_ATTRIBUTES:
        elements = URL_ATTRIBUTES[attribute]
        return ((0, len(value)),) if elements is None or element in elements else ()
    if attribute in SETS:
        return _set_links(value)
    if attribute in LISTS:
        return (item.span() for item in _ITEM.finditer(value))
    if attribute == "style":
        return style_links(value)
    if attribute == "content" and element == "meta":
        if values.get("http-equiv", "").strip().lower() == "refresh":
            found = _REFRESH.match(value)
            if found is not None and found.lastindex is not None:
                return (found.span(found.lastindex),)
        elif has_scheme(value) and "://" in value:  # properties such as og:url
            return ((0, len(value)),)
    return ()


def may_hold_links(element: str, attribute: str, value: str, values: dict[str, str]) -> bool:
    """Report whether a value that is neither a link nor a list of links may hold some: a style, a property of a page.

    The parameters are those of `links`.
    """
    if attribute == "style":
        return _STYLE_SIGN.search(value) is not None
    return attribute == "content" and element == "meta" and ("http-equiv" in values or "://" in value)


def beside_links(attribute: str, value: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return the text of a value that is none of its links, which are left blank.

    Args:
        attribute: the name of the attribute.
        value: its value, references resolved.
        spans: the start and end of each link in it.
    """
    if attribute == "style":
        pieces = []
        behind = 0
        for start, end in spans:
            pieces += [value[behind:start], " " * (end - start)]
            behind = end
        return "".join([*pieces, value[behind:]])
    return "" if spans or attribute in SETS or attribute in LISTS else value


def _set_links(value: str) -> Iterator[tuple[int, int]]:
    """Yield the URLs of a `srcset`: each ends at white space; commas at its end are separators (HTML 4.8.4.2.1)."""
    offset = 0
    while found := _CANDIDATE.match(value, offset):
        start, end = found.span(1)
        offset = end
        url = found[1].rstrip(",")
        if len(url) == end - start:
            descriptors = _DESCRIPTORS.match(value, offset)
            assert descriptors is not None
            offset = descriptors.end()
        if url:
            yield start, start + len(url)


def style_links(style: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each URL of `url()`, `@import` (CSS Values 4.5), `image-set()` (CSS Images 4 2.4)."""
    if _STYLE_SIGN.search(style) is None:
        return
    for found in _STYLE_URL.finditer(style):
        assert found.lastindex is not None
        yield found.span(found.lastindex)


def may_be_visible(text: str) -> bool:
    """Report whether a text without white space around it may be nothing but a link."""
    return text[:1] in _VISIBLE_STARTS


def differs(text: str, target: str) -> bool:
    """Report whether a visible text is a link to a host other than that of the target.

    Hosts that differ only in a leading `www.`, in case or in the form of their labels are the same (RFC 3986 6.2.2.1,
    RFC 5890).
    """
    visible = _VISIBLE.fullmatch(text)
    if visible is None:
        return False
    shown = visible[1] if has_scheme(visible[1]) else f"//{visible[1]}"
    shown_host, host = _host(shown), _host(target)
    if shown_host == host or not shown_host or not host:
        return False
    return _canonical(shown_host) != _canonical(host)


def _host(reference: str) -> str:
    found = _AUTHORITY.match(reference)
    return "" if found is None else _PORT.sub("", found[1]).lower().rstrip(".").removeprefix("www.")


def _canonical(host: str) -> str:
    from urisieve.identifiers import parse

    try:
        return parse(f"http://{host}/").uri
    except InvalidIdentifierError:
        return host


# Characters of a base: each reference resolved against it repeats it, so that the output grows with the product of
# both. RFC 9110 4.1 recommends that 8,000 octets be supported.
_LONGEST_BASE: Final = 8_000
# A base with a host, or with a path from the root: any other one has no hierarchy in which a reference has a meaning.
_HIERARCHICAL: Final = lazy_compile(r"[A-Za-z][A-Za-z0-9+.\-]*:/")


def resolved(reference: str, base: str | None) -> str | None:
    """Return the target of a reference: itself if it has a scheme; None if it cannot be resolved."""
    if has_scheme(reference):
        return reference
    if base is None or len(base) > _LONGEST_BASE or _HIERARCHICAL.match(base) is None:
        return None
    from urisieve.identifiers import resolve

    try:
        return resolve(base, reference)
    except InvalidIdentifierError:
        return None


@lru_cache(maxsize=64)
def can_resolve(base: str) -> bool:
    """Report whether references that are plain can be resolved against a base."""
    return resolved("x", base) is not None


def unresolved_reason(base: str | None) -> str:
    """Return the reason why a reference could not be resolved, as it is counted."""
    if base is None:
        return "no-base"
    return "long-base" if len(base) > _LONGEST_BASE else "unresolvable"


def checked_base(base: str) -> str:
    """Return a base that was passed as an option, without its fragment, if references can be resolved against it.

    A fragment does not count, and neither does white space around the base (RFC 3986 5.1).

    Raises:
        UsageError: it is not an absolute URI or IRI with a hierarchy that is valid, or it is too long.
    """
    from urisieve.identifiers import check, split_reference

    base = without_space_around(shapes.text("base", base)).partition("#")[0]
    said = f"base={masked_text(base)!r:.200}"
    if len(base) > _LONGEST_BASE:
        raise UsageError(f"{said} is longer than {_LONGEST_BASE:,} characters")
    found: Record | Rejection | None = None
    try:
        scheme, parts = split_reference(base)
        if scheme is not None:
            found = check(base)
    except InvalidIdentifierError as error:
        found = error.rejection
    if isinstance(found, Rejection):
        raise UsageError(f"{said} is not a valid URI: {found.reason} at offset {found.offset}")
    if found is None or (parts.host is None and parts.path[:1] != "/"):
        absolute = "an absolute URI" if found is None else "a URI with a host or a path from the root"
        raise UsageError(f"{said} must be {absolute}, as in 'https://example.com/page.html'")
    return base
