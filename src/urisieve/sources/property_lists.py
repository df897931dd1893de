"""Property lists of Apple's programs: bookmarks, settings, links in files, and the pages that Safari saves.

In a list each string and each key is a text of its own. In a web archive (`.webarchive`) the page, its frames and what
they show are files of their own, each with the URL that it came from.
"""

from __future__ import annotations

import plistlib
from collections.abc import Iterator

from urisieve.errors import BrokenInputError
from urisieve.lean import Any, Final
from urisieve.sources.containers.contents import Content
from urisieve.sources.containers.limits import Budget
from urisieve.sources.containers.warc import Payload, payload_of
from urisieve.sources.content_tools import stored_cells
from urisieve.sources.documents import Document
from urisieve.sources.structured.json_paths import inner_path
from urisieve.sources.tally import Tally

# The largest list that is read, in bytes: all of it is in memory.
LONGEST: Final = 64 * 1_048_576
# Objects and characters for each byte, beside those of any list; one with more uses the same objects many times. Lists
# in a web archive share what that is allowed.
_RATIO: Final = 3
_ALLOWANCE: Final = 1_048_576
# Characters that a file of a web archive counts for besides, as it is read by itself.
_BEGINNING: Final = 256
# Objects one in the other: those of bookmarks are folders.
_DEEPEST: Final = 500
_KIND: Final = "property list"


def property_list(content: Content, *, tally: Tally) -> Iterator[Document | Payload]:
    """Return the texts of a property list, binary or XML, or the files of a web archive; there are no byte offsets.

    Args:
        content: the list, all of it in memory.
        tally: counts lists, data that is not text, and faults.

    Raises:
        BrokenInputError: the list cannot be read.
    """
    data = b"".join(content.blocks)
    try:
        value = plistlib.loads(data)
    except Exception as error:  # the module passes on whatever broken lists bring about
        message = f"not a readable property list: {error or type(error).__name__}"
        raise BrokenInputError(_KIND, "corrupt", message) from error
    tally.read[_KIND] += 1
    return _items(content, value, len(data), tally)


def _items(content: Content, value: Any, size: int, tally: Tally) -> Iterator[Document | Payload]:
    """Yield what is in a list of so many bytes."""
    budget = content.budget or Budget()
    is_outermost = budget.objects is None
    if is_outermost:
        budget.objects = _RATIO * size + _ALLOWANCE
    objects = _Objects(value, budget)
    try:
        if isinstance(value, dict) and "WebMainResource" in value:
            yield from filter(None, (_resource(one) for _, one in objects))
        else:
            yield from stored_cells(content.source, ((path, None, one, None) for path, one in objects), tally)
    finally:
        if is_outermost:
            budget.objects = None
    if objects.is_cut:
        tally.fault(_KIND, "corrupt", f"{content.source}: its objects are used again and again; not all are read")


def _resource(one: Any) -> Payload | None:
    """Return the file that an object of a web archive is, None if it is none."""
    if not _is_file(one):
        return None
    named = (one.get(f"WebResource{name}") for name in ("URL", "MIMEType", "TextEncodingName"))
    url, media_type, charset = (name if isinstance(name, str) else "" for name in named)
    return payload_of(url, "resource", media_type, charset or None, (one["WebResourceData"],))


def _is_file(one: Any) -> bool:
    return isinstance(one, dict) and isinstance(one.get("WebResourceData"), bytes)


class _Objects:
    """All objects of a list with their paths, the keys of each dictionary before what they name.

    Args:
        value: the list.
        budget: says how many objects and characters are passed on, those of the lists in this one among them.
    """

    def __init__(self, value: Any, budget: Budget) -> None:
        self._value = value
        self._budget = budget
        self.is_cut = False

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        waiting = [iter([("", self._value)])]
        while waiting:
            found = next(waiting[-1], None)
            if found is None:
                waiting.pop()
                continue
            path, one = found
            size = len(one) if isinstance(one, (str, bytes)) else _BEGINNING if _is_file(one) else 0
            self._budget.objects = (self._budget.objects or 0) - 1 - size
            if self._budget.objects < 0 or len(waiting) > _DEEPEST:
                self.is_cut = True
                return
            yield found
            if isinstance(one, (dict, list)):
                waiting.append(_inner(path, one))


def _inner(path: str, one: dict[Any, Any] | list[Any]) -> Iterator[tuple[str, Any]]:
    if isinstance(one, list):
        yield from ((inner_path(path, index), item) for index, item in enumerate(one))
        return
    for key, item in one.items():
        yield path, key
        yield inner_path(path, str(key)), item
