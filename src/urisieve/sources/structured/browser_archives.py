"""The bodies in archives that browsers export (HAR 1.2, `content`): those in base64 are files of their own.

In `log.entries[].response.content` of JSON, `text` is the body, and `encoding` says that it is in base64. It is read by
its content and `mimeType`, as from the URL that was requested.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator

from urisieve.lean import Final
from urisieve.sources.containers.warc import payload_of
from urisieve.sources.documents import Document
from urisieve.sources.segments import Segments
from urisieve.sources.structured.json_strings import JsonStrings

_SIGN: Final = re.compile(r'\s*\{\s*"log"\s*:\s*\{')
_CONTENT: Final = re.compile(r"(log\.entries\[[0-9]+\])\.response\.content\.(mimeType|text|encoding)")
_REQUESTED: Final = re.compile(r"(log\.entries\[[0-9]+\])\.request\.url")
# The names of members whose values count, each with the quotation mark that ends it.
_NAMES: Final = ('url"', 'mimeType"', 'text"', 'encoding"')


def is_browser_archive(text: str) -> bool:
    """Report whether a JSON document begins as one."""
    return _SIGN.match(text) is not None


class BrowserArchive:
    """Finds the bodies among the strings of an archive, as they come.

    Args:
        out: opens the bodies.
    """

    def __init__(self, out: Segments) -> None:
        self._out = out
        self._entry = ""
        self._members: dict[str, str] = {}  # of the entry, as far as they are known

    def take(self, strings: JsonStrings) -> Iterator[Document]:
        """Take the next strings; yield what is in the bodies that are complete."""
        text, base, names, links = strings.text, strings.base, strings.names, strings.links
        for index in range(strings.size):
            key = links[2 * index + 1]
            if key < 0 or names[key] == strings.starts[index] or not text.startswith(_NAMES, base + names[key]):
                continue
            path = strings.path(index)
            found = _CONTENT.fullmatch(path) or _REQUESTED.fullmatch(path)
            if found is None:
                continue
            if found[1] != self._entry:
                yield from self.end()
                self._entry = found[1]
            self._members["url" if found.lastindex == 1 else found[2]] = strings.string(index)

    def end(self) -> Iterator[Document]:
        """Yield what is in the body of the entry, if there is one, and forget it."""
        members, self._members = self._members, {}
        if members.get("encoding") != "base64" or not members.get("text"):
            return
        try:
            data = binascii.a2b_base64(members["text"])
        except binascii.Error:
            self._out.fault("bad-base64", f"{self._entry}: its body is not in base64; not read", kind="value")
            return
        media_type, _, _ = members.get("mimeType", "").partition(";")
        body = payload_of(members.get("url", ""), self._entry, media_type.strip().lower(), None, (data,))
        yield from self._out.open(body.name, body.blocks, hint="", declared=body.declared)
