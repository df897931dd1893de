"""HTML to documents by the tree that Lexbor builds (the extra `html`, selectolax): faster, no positions.

For HTML whose elements are nested correctly the documents are those of `urisieve.sources.html.html_documents`, but
without `position` and `offsets`. Otherwise the rules of tree construction (HTML 13.2.6) repeat a link that is opened in
one block and closed in another, and leave out tags that are not allowed where they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from urisieve.errors import UsageError
from urisieve.sources.documents import Document, Tally
from urisieve.sources.html.attribute_texts import TextReading, may_hold
from urisieve.sources.html.html_documents import html_documents
from urisieve.sources.html.html_gather import Gatherer
from urisieve.sources.html.html_links import TELLING
from urisieve.sources.html.html_reading import TokenReader
from urisieve.sources.html.html_tokens import escape_addresses, is_namespace

__all__ = ["lexbor_documents"]

# Characters that UTF-8 cannot encode (stray bytes), and NUL, which the tree leaves out: each ends an identifier.
_UNFIT: Final = re.compile("[\x00\ud800-\udfff]")
# Elements whose content the tree keeps as text, though programs that do not support them read it as HTML.
_KEPT_AS_TEXT: Final = frozenset(["iframe", "noembed", "noframes", "noscript"])


def lexbor_documents(
    document: Document, tally: Tally, *, maybe: Callable[[str], object] = may_hold
) -> Iterator[Document]:
    """Yield the texts of HTML; see `html_documents`. All of the HTML is held in memory.

    Args:
        document: the HTML.
        tally: counts `html` read, and relative references skipped.
        maybe: returns a false value for the value of an attribute that holds no identifier.

    Raises:
        UsageError: selectolax is not installed.
    """
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError:
        raise UsageError("selectolax is not installed; install urisieve[html]") from None
    tally.read["html"] += 1
    gatherer = Gatherer(document, None, TextReading(maybe, partial(html_documents, maybe=maybe, depth=1)))
    source = _UNFIT.sub("\ufffd", "".join(document.text))
    _walk(LexborHTMLParser(escape_addresses(source)).root, gatherer)
    return gatherer.documents(tally, None, None)


def _walk(root: Any, gatherer: Gatherer) -> None:
    """Walk through the tree and the comments before and after its root, without recursion."""
    first = root
    while first.prev is not None:
        first = first.prev
    node, depth = first, 0
    while node is not None:
        child = _enter(node, gatherer)
        if child is not None:
            node, depth = child, depth + 1
            continue
        while True:
            if node.is_element_node:
                gatherer.close(node.tag)
            if node.next is not None:
                node = node.next
                break
            if depth == 0:
                return
            node, depth = node.parent, depth - 1


def _enter(node: Any, gatherer: Gatherer) -> Any:
    """Read a node; return its first child, None if it has none that is to be read."""
    if node.is_text_node:
        text = node.text_content
        if node.parent is not None and node.parent.tag in _KEPT_AS_TEXT:
            TokenReader(gatherer, text).read(final=True, limit=0)
        else:
            gatherer.current.put(text)
            if node.parent is not None and node.parent.tag == "style":
                gatherer.style(text)
    elif node.is_comment_node:
        text = node.comment_content or ""
        gatherer.open_comment()
        TokenReader(gatherer, text).read_comment()
        gatherer.close_comment()
    elif node.is_element_node:
        if node.tag == "template":  # its content is not a child
            text = node.html or ""
            TokenReader(gatherer, text).read(final=True, limit=0)
            return None
        values = {name.lower(): value for name, value in node.attributes.items() if value is not None}
        others = [
            (name, value, None) for name, value in values.items() if name not in TELLING and not is_namespace(name)
        ]
        gatherer.open(node.tag, {name: value for name, value in values.items() if name in TELLING}, others)
        return node.first_child
    return None
