"""Python's way to find the strings of JSON (RFC 8259); `json_strings.c` is the kernel's."""

from __future__ import annotations

import re
from itertools import accumulate

from urisieve.find.delimited import SEPARATOR
from urisieve.lean import Any, Final, lazy_compile
from urisieve.sources.structured.json_paths import JsonField, inner_path, scanstring

# Documents nested as deeply are made to cause harm.
DEPTH: Final = 10_000

_TEXT: Final = r'"((?>[^"\\]++|\\.)*+)"'
_NUMBER: Final = r"-?(?:0(?![0-9])|[1-9][0-9]*+)(?:\.[0-9]++|(?!\.))(?:[eE][+-]?[0-9]++|(?![eE]))"
_VALUE: Final = rf"(?:{_TEXT}|([{{\[])|({_NUMBER})|true|false|null|NaN|-?Infinity)"
_BYTE: Final = r"(?>25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9]|-0)"
_DIGITS: Final = re.compile("[0-9]+")
_NO_GROUP: Final = "(?:(?!)())?"


class _Signs:
    """The patterns of what comes next, by the sign that ends the container, with the white space behind it.

    Their groups are that sign, a comma, a name, a string, the beginning of a container, a number.
    """

    def __init__(self, blank: str, around: str) -> None:
        self.next = {
            "": lazy_compile(f"{around}{3 * _NO_GROUP}{_VALUE}{around}", re.DOTALL),
            "]": lazy_compile(rf"(?:(\])|(,{blank})?{_NO_GROUP}{_VALUE}){blank}", re.DOTALL),
            "}": lazy_compile(rf"(?:(\}})|(,{blank})?{_TEXT}{blank}:{blank}{_VALUE}){blank}", re.DOTALL),
        }
        self.name = lazy_compile(f"(,{blank})?{_TEXT}", re.DOTALL)
        self.bytes = lazy_compile(rf"\[{blank}({_BYTE}{blank}(?>,{blank}{_BYTE}{blank})*+)\]{blank}")
        self.cut_bytes = lazy_compile(rf"\[{blank}(?>{_BYTE}{blank},{blank})*+(?:{_BYTE}{blank}|-)?\Z")


# In a document any control character is white space.
_IN_LINES: Final = _Signs(r"[ \t\r]*+", r"[ \t\r\x1e]*+")
_IN_DOCUMENTS: Final = _Signs(r"[\x00-\x20]*+", r"[\x00-\x20]*+")


class _Container:
    """An object or a list that is open: its index, -1 less its values, what ends it, its path if not all is wanted."""

    __slots__ = ("closer", "key", "number", "path")

    def __init__(self, number: int, closer: str, path: str | None) -> None:
        self.number = number
        self.key = -1
        self.closer = closer
        self.path = path


class JsonTokens:
    """The strings in parts of a text; what is found is as `kernel.json_strings` returns it.

    Args:
        text: the text.
        field: what is wanted.
        opened: the objects and lists that the window before has left open.
        takes_bytes: whether a list of numbers from 0 to 255 is a string.
        is_lines: whether each part is a line.
    """

    def __init__(
        self, text: str, field: JsonField, opened: list[_Container], *, takes_bytes: bool, is_lines: bool = False
    ) -> None:
        self._text = text
        self._pattern = field.pattern
        self._takes_bytes = takes_bytes
        self._is_lines = is_lines
        self._signs = _IN_LINES if is_lines else _IN_DOCUMENTS
        self._texts: list[str] = []
        self._starts: list[int] = []
        self._links: list[int] = []
        self._names: list[int] = []
        self._owners: list[int] = []
        self._containers: list[int] = []
        self.open = opened
        self.has_field = False
        for number, one in enumerate(opened):
            one.number = number
            self._containers += (number - 1, 0)

    def found(self) -> tuple[Any, ...]:
        """Return what was found, without the end of reading."""
        begins = accumulate((len(text) + len(SEPARATOR) for text in self._texts), initial=len(SEPARATOR))
        arrays = self._starts, self._links, self._names, self._owners, self._containers
        return SEPARATOR.join(["", *self._texts]), list(begins), *arrays, [one.number for one in self.open], self.open

    def counts(self) -> tuple[int, int, int, bool]:
        """Return how much was found, for `restore`."""
        return len(self._texts), len(self._names), len(self._containers), self.has_field

    def restore(self, counts: tuple[int, int, int, bool]) -> None:
        """Forget what was found since, and what is open."""
        strings, names, containers, self.has_field = counts
        del self._texts[strings:], self._starts[strings:], self._links[2 * strings :]
        del self._names[names:], self._owners[names:], self._containers[containers:], self.open[:]

    def read(self, begin: int, stop: int, *, goes_on: bool = False) -> int:
        """Read a part of the text; return the offset where reading ends, before `stop` if something is left there.

        Args:
            begin: the offset where the part begins.
            stop: the offset where it ends.
            goes_on: whether the document goes on there.
        """
        text, open_, pattern, signs, patterns = self._text, self.open, self._pattern, self._signs, self._signs.next
        texts, starts, links, names, containers = self._texts, self._starts, self._links, self._names, self._containers
        at = begin
        while at < stop:
            top = open_[-1] if open_ else None
            match = patterns[top.closer if top else ""].match(text, at, stop)
            if match is None or (top is None and self._is_lines and at > begin):
                break
            close, comma, name, string, opener, number = match.groups()
            listed = None  # a list of numbers from 0 to 255
            if close:
                del open_[-1]
            else:
                if top is not None and (comma is None) is not (top.key == -1):
                    break
                if (number and goes_on and match.end(6) == stop) or (opener and len(open_) + 1 == DEPTH):
                    break
                try:
                    if name and "\\" in name:
                        name, _ = scanstring(text, match.start(3), False)
                    if string and "\\" in string:
                        string, _ = scanstring(text, match.start(4), False)
                except ValueError:
                    break
                owner, key, path = -1, 0, None if pattern is None else ""
                if top is not None:
                    owner, key, path = top.number, top.key if name is None else len(names), top.path
                    if path is not None and pattern is not None:
                        path = inner_path(path, -1 - key if name is None else name)
                        path = None if pattern.match(path) else path
                        self.has_field |= path is None
                if opener == "[" and path is None and self._takes_bytes:
                    listed = signs.bytes.match(text, match.start(5), stop)
                    if listed is not None:
                        string = bytes(map(int, _DIGITS.findall(listed[1]))).decode("utf-8", "surrogateescape")
                    elif goes_on and signs.cut_bytes.match(text, match.start(5), stop):
                        break
                if top is not None and name is not None:
                    self._name(name, match.start(3), top)
                if opener:
                    containers += (owner, key)
                    if listed is None:
                        open_.append(_Container(len(containers) // 2 - 1, "]" if opener == "[" else "}", path))
                        at = match.end()
                        continue
                if string is not None and path is None:
                    texts.append(string)
                    starts.append(match.start(5) + 1 if opener else match.start(4))
                    links += (owner, key)
            if open_:  # behind a value
                open_[-1].key -= 1
            at = listed.end() if listed else match.end()
        return at

    def _name(self, name: str, start: int, top: _Container) -> None:
        if top.path is None:
            self._texts.append(name)
            self._starts.append(start)
            self._links += (top.number, len(self._names))
        self._names.append(start)
        self._owners.append(top.number)

    def read_name(self, at: int) -> int:
        """Take the name of a member that is broken behind it; return the offset behind it, or `at`."""
        top = self.open[-1] if self.open else None
        match = self._signs.name.match(self._text, at)
        if top is None or top.closer == "]" or match is None or (match[1] is None) is not (top.key == -1):
            return at
        try:
            self._name(scanstring(self._text, match.start(2), False)[0], match.start(2), top)
        except ValueError:
            return at
        return match.end()
