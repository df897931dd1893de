"""HTML from text: the one place where text is escaped; whatever is not `Markup` already is text."""

from __future__ import annotations

from urisieve.lean.hints import Final
from urisieve.printable import printable

__all__ = ["Markup", "element", "joined", "lines_of", "without_middle"]

# RFC 1866 9.7.1 and HTML 13.1.4: what text, and values of attributes between any quotes, cannot hold as it is.
_ESCAPES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})
# Elements without content and without an end (HTML 13.1.2).
_VOID: Final = frozenset(["input", "meta"])
_ELLIPSIS: Final = "\N{HORIZONTAL ELLIPSIS}"

_Attribute = str | int | bool | None


class Markup(str):
    """HTML that goes onto the page as it is. Only this module makes it of text; CSS and JavaScript are files."""

    __slots__ = ()


def _escaped(text: str) -> str:
    """Return a text as HTML: escaped, without control characters, controls of direction and lone surrogates."""
    return text if isinstance(text, Markup) else printable(text).translate(_ESCAPES)


def element(tag: str, /, *content: str, **attributes: _Attribute) -> Markup:
    """Return an element; content and attributes that are not `Markup` are escaped.

    >>> element("p", "a < b", element("b", '"'), class_="x", aria_label="'", hidden=True, id=None)
    '<p class="x" aria-label="&#39;" hidden>a &lt; b<b>&quot;</b></p>'

    Args:
        tag: the name, a constant of the caller.
        content: texts and elements.
        attributes: by name, with `_` for a hyphen and behind a word of Python; None and False leave one out.
    """
    start = "".join(_attribute(name.rstrip("_").replace("_", "-"), value) for name, value in attributes.items())
    if tag in _VOID:
        return Markup(f"<{tag}{start}>")
    return Markup(f"<{tag}{start}>{''.join(map(_escaped, content))}</{tag}>")


def _attribute(name: str, value: _Attribute) -> str:
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{_escaped(str(value))}"'


def joined(*parts: str) -> Markup:
    """Return texts and elements one after the other."""
    return Markup("".join(map(_escaped, parts)))


def lines_of(*parts: str) -> Markup:
    """Return texts and elements, each on a line of its own; those that are empty are left out."""
    return Markup("".join(f"\n{_escaped(part)}" for part in parts if part) + "\n")


def without_middle(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters: of a longer one the beginning and the end.

    The beginning of an identifier tells its scheme, the end of a host its registrable domain.

    >>> without_middle("login.example.com.of-somebody-else.example", 24)
    'login.exampl…lse.example'
    """
    if len(text) <= limit:
        return text
    end = (limit - 1) // 2
    return f"{text[: limit - 1 - end]}{_ELLIPSIS}{text[len(text) - end :]}"
