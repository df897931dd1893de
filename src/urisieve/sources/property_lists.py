"""Property lists of Apple's programs: bookmarks, settings, links in files, and the pages that Safari saves.

In a list each string and each key is a text of its own. In a web archive (`.webarchive`) the page, its frames and what
they show are files of their own, each with the URL that it came from.
"""

from __future__ import annotations

import plistlib
from collections.abc import Iterator
from xml.parsers.expat import ExpatError, ParserCreate

from urisieve.errors import BrokenInputError
from urisieve.lean import Any, Final
from urisieve.sources.containers.contents import Content
from urisieve.sources.containers.limits import Budget
from urisieve.sources.containers.warc import payload_of
from urisieve.sources.documents import Document
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.segments import Segments
from urisieve.sources.structured.json_paths import inner_path
from urisieve.sources.xml.xml_documents import read as read_xml

# The largest list that is read, in bytes: all of it is in memory.
_LONGEST: Final = 64 * 1_048_576
# Objects and characters for each byte, beside those of any list; one with more uses the same objects many times. Lists
# in a web archive share what that is allowed.
_RATIO: Final = 3
_ALLOWANCE: Final = 1_048_576
# Characters that a file of a web archive also counts for, as it is read by itself.
_BEGINNING: Final = 256
# Objects one in the other: those of bookmarks are folders.
_DEEPEST: Final = 500
# The bytes of XML that are looked through at a time.
_WINDOW: Final = 65_536
_KIND: Final = "property list"


def read(source: Content, out: Segments) -> Iterator[Document | None]:
    """Read the texts of a property list, binary or XML, or the files of a web archive; there are no byte offsets.

    What is no list is counted, and read as the text or the XML that it is.

    Raises:
        InputError: reading fails, or the list is too large.
    """
    data = out.whole(_LONGEST, "a property list")
    try:
        value = _value(data)
    except BrokenInputError as error:
        out.stopped(error)
        source.blocks = out.again(data)
        if source.kind is Kind.XML:
            yield from read_xml(source, out)
        else:
            yield out.text(source.blocks)
        return
    out.count(_KIND)
    if out.is_too_deep():
        yield out.text((data,), is_binary=source.kind is Kind.PLIST)
        return
    budget = out.budget
    is_outermost = budget.objects is None
    if is_outermost:
        budget.objects = _RATIO * len(data) + _ALLOWANCE
    objects = _Objects(value, budget)
    try:
        if isinstance(value, dict) and "WebMainResource" in value:
            for _, one in objects:
                if _is_file(one):
                    yield from _file(one, out)
        else:
            for path, one in objects:
                yield out.cell(one, field=path, always=True)
    finally:
        if is_outermost:
            budget.objects = None
    if objects.is_cut:
        out.fault("corrupt", "its objects are used again and again; not all are read", kind=_KIND)


def _value(data: bytes) -> Any:
    """Return the value of a list.

    Raises:
        BrokenInputError: it cannot be read.
    """
    if not data.startswith(b"bplist"):
        _check_depth(data)
    try:
        return plistlib.loads(data)
    except MemoryError:
        raise
    except Exception as error:  # the module passes on whatever broken lists bring about
        message = f"not a readable property list: {error or type(error).__name__}"
        raise BrokenInputError(_KIND, "corrupt", message) from error


def _check_depth(data: bytes) -> None:
    """Refuse XML that is nested too deeply, which the module would make a thousand bytes of an element of.

    Raises:
        BrokenInputError: it is.
    """
    depth = 0

    def begin(_name: str, _attributes: object) -> None:
        nonlocal depth
        depth += 1
        if depth > 2 * _DEEPEST:
            raise BrokenInputError(
                _KIND, "nested-too-deep", f"more than {2 * _DEEPEST:,} elements are one in the other"
            )

    def end(_name: str) -> None:
        nonlocal depth
        depth -= 1

    parser = ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    try:
        for start in range(0, len(data), _WINDOW):
            parser.Parse(data[start : start + _WINDOW], False)
    except ExpatError:
        pass  # the module says so


def _file(one: Any, out: Segments) -> Iterator[Document]:
    """Yield what is in a file of a web archive."""
    named = (one.get(f"WebResource{name}") for name in ("URL", "MIMEType", "TextEncodingName"))
    url, media_type, charset = (name if isinstance(name, str) else "" for name in named)
    file = payload_of(url, "resource", media_type, charset or None, (one["WebResourceData"],))
    yield from out.open(file.name, file.blocks, hint="", declared=file.declared)


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
