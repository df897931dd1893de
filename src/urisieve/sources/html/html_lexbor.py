"""HTML to documents by the tree that Lexbor builds (the extra `html`, selectolax): faster, no positions.

The documents are those of `urisieve.sources.html.html_documents` for HTML whose elements are nested well, but
`position` and `offsets` are not known. Where they are not nested well the rules of tree construction (HTML 13.2.6)
repeat a link that is opened in one block and closed in another, and leave out tags that may not stand where they do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from urisieve.errors import UsageError
from urisieve.sources.documents import Document, Tally
from urisieve.sources.html.html_documents import TokenReader
from urisieve.sources.html.html_gather import Attribute, Gatherer
from urisieve.sources.html.html_links import TELLING
from urisieve.sources.html.html_tokens import tokenize, tokenize_comment

__all__ = ["lexbor_documents"]

# What UTF-8 cannot hold (stray bytes), and what the tree leaves out: each ends an identifier, as it does elsewhere.
_UNFIT: Final = re.compile("[\x00\ud800-\udfff]")
# Elements whose content the tree keeps as text, though it is HTML for readers that do not show them.
_KEPT_AS_TEXT: Final = frozenset(["iframe", "noembed", "noframes", "noscript"])


def lexbor_documents(document: Document, tally: Tally) -> Iterator[Document]:
    """The texts of HTML; see `html_documents`. The whole of it is held in memory.

    Raises:
        UsageError: selectolax is not installed.
    """
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError:
        raise UsageError("selectolax is not installed; install urisieve[html]") from None
    tally.read["html"] += 1
    gatherer = Gatherer(document)
    source = _UNFIT.sub("\ufffd", "".join(document.text))
    _walk(LexborHTMLParser(source).root, gatherer)
    return gatherer.documents(tally, None, None)


def _walk(root: Any, gatherer: Gatherer) -> None:
    """Go through the tree, and what stands before and behind its root (comments), without recursion."""
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
    """Take a node; give its first child, None where it has none that is to be read."""
    if node.is_text_node:
        text = node.text_content
        if node.parent is not None and node.parent.tag in _KEPT_AS_TEXT:
            tokenize(text, TokenReader(gatherer, text), final=True, limit=0)
        else:
            gatherer.current.put(text)
            if node.parent is not None and node.parent.tag == "style":
                gatherer.style(text)
    elif node.is_comment_node:
        text = node.comment_content or ""
        gatherer.open_comment()
        tokenize_comment(text, 0, len(text), TokenReader(gatherer, text))
        gatherer.close_comment()
    elif node.is_element_node:
        if node.tag == "template":  # its content is no child of it
            text = node.html or ""
            tokenize(text, TokenReader(gatherer, text), final=True, limit=0)
            return None
        gatherer.open(node.tag, _attributes(node))
        return node.first_child
    return None


def _attributes(node: Any) -> dict[str, Attribute]:
    return {
        name.lower(): (value, None)
        for name, value in node.attributes.items()
        if value is not None and name.lower() in TELLING
    }
