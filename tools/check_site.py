"""Check the built site: links lead to pages, files and headings, and to every page; nothing is fetched.

The side bar has at most 25 entries.

Use: python tools/check_site.py FOLDER
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

_LINKS: Final = {"a": "href", "link": "href", "img": "src", "script": "src", "source": "srcset", "object": "data"}
# What a browser loads by itself: from the site alone.
_LOADED: Final = frozenset(["img", "script", "source", "object"])
# Pages that the builder adds.
_ADDED: Final = frozenset(["genindex.html", "py-modindex.html", "search.html"])
_ENTRIES: Final = 25


class _Page(HTMLParser):
    """The links, anchors and entries of the side bar of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[tuple[str, str]] = []
        self.anchors: set[str] = set()
        self.entries = 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the link and the anchor of a tag, and whether it is an entry."""
        named = dict(attrs)
        self.entries += tag == "li" and (named.get("class") or "").startswith("toctree-l")
        self.anchors.update(name for name in (named.get("id"), named.get("name")) if name)
        link = named.get(_LINKS.get(tag, ""))
        if link is not None:
            is_style = tag == "link" and named.get("rel") in ("stylesheet", "preload", "icon")
            self.links.append(("loaded" if tag in _LOADED or is_style else tag, link))


def faults(folder: Path) -> list[str]:
    """Each link that leads nowhere, and each thing that would be fetched from elsewhere."""
    pages = {path: _Page(path.read_text("utf-8")) for path in sorted(folder.rglob("*.html"))}
    by_target = {path.resolve(): page for path, page in pages.items()}
    found = [] if pages else [f"{folder}: no page"]
    reached = {(folder / "index.html").resolve()}
    found += [
        f"{path.relative_to(folder)}: the side bar has {page.entries} entries, of at most {_ENTRIES}"
        for path, page in pages.items()
        if page.entries > _ENTRIES
    ]
    for path, page in pages.items():
        for tag, link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if tag == "loaded" and parts.scheme != "data":
                    found.append(f"{path.relative_to(folder)}: {link} would be fetched")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path.resolve()
            if target.is_dir():
                target /= "index.html"
            if tag == "a" and target != path.resolve():
                reached.add(target)
            if not target.is_file():
                found.append(f"{path.relative_to(folder)}: {link} leads nowhere")
            elif parts.fragment and target.suffix == ".html":
                anchors = by_target[target].anchors
                if unquote(parts.fragment) not in anchors:
                    found.append(f"{path.relative_to(folder)}: {link} has no such anchor")
    lonely = (path for path in pages if path.resolve() not in reached and path.name not in _ADDED)
    return [*found, *(f"{path.relative_to(folder)}: no link leads to it" for path in lonely)]


def main() -> int:
    """Print the faults; return 1 if there are any."""
    found = faults(Path(sys.argv[1]))
    print(*found, sep="\n", end="\n" if found else "")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
