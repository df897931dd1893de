"""The reader of HTML of the compiled kernel: the elements and attributes that it is given, and its pages."""

from __future__ import annotations

from urisieve.kernel import kernel
from urisieve.lean import Final
from urisieve.sources.html.html_links import (
    BREAKING,
    LISTS,
    RAW_ELEMENTS,
    RESOLVED_ELEMENTS,
    SETS,
    TELLING,
    URL_ATTRIBUTES,
    can_resolve,
)

# Flags of elements and kinds of attributes; tools/generate_kernel_tables.py gives them to the kernel.
_BREAKS, _RAW, _RESOLVED, _ANCHOR, _BASE, _STYLE, _META, _FIRST_OWN = 1, 2, 4, 8, 16, 32, 64, 256
_URL, _HREF, _LISTED, _SET, _STYLES, _CONTENT, _EQUIVALENT, _SRCDOC = range(8)
_ATTRIBUTES: Final = sorted(TELLING)
_KINDS: Final = {
    **dict.fromkeys(URL_ATTRIBUTES, _URL),
    **dict.fromkeys(LISTS, _LISTED),
    **dict.fromkeys(SETS, _SET),
    "href": _HREF,
    "style": _STYLES,
    "content": _CONTENT,
    "http-equiv": _EQUIVALENT,
    "srcdoc": _SRCDOC,
}
# The elements on which an attribute has this meaning; on others it is text.
_ELEMENTS: Final = {**URL_ATTRIBUTES, "srcdoc": frozenset(["iframe"])}
# Readers that no thread uses now.
_readers: list[kernel.HtmlReader] = []


def new_reader() -> kernel.HtmlReader:
    """Return a reader of its own."""
    flags = dict.fromkeys(BREAKING, _BREAKS)
    one = {"a": _ANCHOR, "base": _BASE, "style": _STYLE, "meta": _META}
    for names, flag in ((RAW_ELEMENTS, _RAW), (RESOLVED_ELEMENTS, _RESOLVED), *(([name], one[name]) for name in one)):
        for name in names:
            flags[name] = flags.get(name, 0) | flag
    own = _FIRST_OWN
    attributes = []
    for attribute in _ATTRIBUTES:
        needed = 0
        elements = _ELEMENTS.get(attribute)
        if elements is not None:
            needed = own
            own *= 2
            for name in elements:
                flags[name] = flags.get(name, 0) | needed
        attributes.append((attribute, _KINDS[attribute] | needed))
    return kernel.HtmlReader(list(flags.items()), attributes, _resolved)


def _resolved(written: str, in_attribute: int) -> str:
    from urisieve.sources.html.html_tokens import resolved_reference  # mail may have no reference

    return resolved_reference(written, bool(in_attribute))


def read_window(
    source: str, final: bool, limit: int, base: str | None, *, is_declared: bool, takes_every_value: bool
) -> kernel.HtmlPage | None:
    """Read a part of HTML by the kernel; see `TokenReader`. None if it is left to the `TokenReader`.

    Args:
        source: the part.
        final: whether nothing follows it.
        limit: the longest token that is left for later, in characters.
        base: the URI against which relative references are resolved; None to skip them.
        is_declared: whether an element has declared it; if not, and one does, the page has its `base`.
        takes_every_value: whether values of attributes without a colon may hold an identifier.
    """
    reader = _readers.pop() if _readers else new_reader()
    if base is not None and not can_resolve(base):
        base = ""
    page = reader.read(source, final, limit, base, is_declared, takes_every_value)
    _readers.append(reader)
    return page
