"""The strings of JSON (RFC 8259): those of lines, or of a window of a document, as the kernel or Python finds them.

A document is read in windows of any size. What a window cannot decide (the beginning of a string, of a number, of a
list of small numbers) is left to the next one, which takes over the objects and lists that are open.

Also defines:

- the times of strings: those that the objects around them state.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from urisieve.find.delimited import SEPARATOR
from urisieve.kernel import either, kernel
from urisieve.lean import Any, Final, NamedTuple, lazy_compile
from urisieve.records.base import Context
from urisieve.sources.bytes.carrier_notations import Unescaper
from urisieve.sources.bytes.source_map import SourceMap
from urisieve.sources.reading_options import Carrier
from urisieve.sources.structured.json_paths import AROUND, DECODER, JsonField, inner_path, scanstring

# The number of paths of objects and lists that are remembered.
_REMEMBERED: Final = 1_024


class Open(NamedTuple):
    """An object or a list that a window leaves open: its path, its name, and what its members state.

    Attributes:
        times: the times that it states.
        members: see `JsonStrings.members`.
    """

    path: str
    name: str | None
    times: Sequence[tuple[str, Any]]
    members: Sequence[tuple[str, str]] = ()


class JsonStrings:
    """The strings of some lines, or of a window of a document.

    Args:
        text: the lines or the window.
        found: what stands in it, as `kernel.json_strings` describes it, with the indices of what is open before that.
        base: the offset in the text from which it counts.
        outer: the objects and lists that are open there.
    """

    def __init__(self, text: str, found: tuple[Any, ...], base: int = 0, outer: Sequence[Open] = ()) -> None:
        self.text = text
        self.base = base
        self.outer = outer
        self.whole: str
        self.begins: Sequence[int]
        self.starts: Sequence[int]
        self.whole, self.begins, self.starts, self.links, self.names, self.owners, self.containers, *ends = found
        self.open_ones, self.open, end, self.is_left, self.has_field = ends
        self.end: int = base + end
        self.size = len(self.starts)
        self._known: dict[int, str] = {}
        self._member_paths: dict[tuple[str, str], str] = {}
        self._members: dict[int, list[int]] = {}

    def string(self, index: int) -> str:
        """Return a string."""
        return self.whole[self.begins[index] : self.begins[index + 1] - len(SEPARATOR)]

    def start(self, index: int) -> int:
        """Return the offset of a string in the text, behind its quotation mark, or the bracket of a list of numbers."""
        return self.base + self.starts[index]

    def is_list(self, index: int) -> bool:
        """Report whether a string is a list of numbers."""
        return self.text[self.start(index) - 1] == "["

    def source_map(self, index: int) -> SourceMap | None:
        """Return the source map of a string, in what is written at its start; None if that is the same."""
        string, start = self.string(index), self.start(index)
        if "\\" not in string and self.text.startswith(string, start):
            return None  # then no backslash stands before its end
        raw = self.text[start : scanstring(self.text, start, False)[1] - 1]
        unescaper = Unescaper(Carrier.BACKSLASH, keep=len(raw))
        unescaper.feed(raw)
        return unescaper.source_map if "\\" in raw else None

    def beside(self, index: int) -> Iterator[tuple[str, str]]:
        """Yield the names and values of the first members of the object around a string that are strings."""
        owner, key = self.links[2 * index], self.links[2 * index + 1]
        while owner >= len(self.outer) and key < 0:  # a list
            owner, key = self.containers[2 * owner], self.containers[2 * owner + 1]
        return self.members(owner - (owner >= 0 and key < 0))  # what is around a list that is open

    def members(self, container: int) -> Iterator[tuple[str, str]]:
        """Yield the names and values of the first members of an object that are strings."""
        if not self._members:
            for number, owner in enumerate(self.owners):
                self._members.setdefault(owner, []).append(number)
        before = self.outer[container].members if 0 <= container < len(self.outer) else ()
        yield from before
        for number in self._members.get(container, ())[: _BESIDE - len(before)]:
            name, end = self.name(number)
            opener = _STRING.match(self.text, end)
            if opener is not None:
                with suppress(ValueError):  # it goes on in the next window
                    yield name, scanstring(self.text, opener.end(), False)[0]

    def long_numbers(self) -> Iterator[tuple[str, int, str]]:
        """Yield the whole numbers of so many digits that they may be identifiers: digits, offset in the text, and path.

        They are those that members are, alone or first in a list.
        """
        for found in _LONG_NUMBER.finditer(self.text):
            number = bisect_right(self.names, found.start() - self.base) - 1
            if number < 0:
                continue
            name, end = self.name(number)
            if end == found.start() + 1:  # else the quotation mark is not the end of a name
                path = self._member_path(self.path_of(self.owners[number]), name)
                yield found["digits"], found.start("digits"), inner_path(path, 0) if found["list"] else path

    def path(self, index: int) -> str:
        """Return the path of a string; of the name of a member that of its object."""
        owner, key = self.links[2 * index], self.links[2 * index + 1]
        if owner < 0:
            return ""
        is_name = key >= 0 and self.names[key] == self.starts[index]
        return self.path_of(owner) if is_name else self._inner(self.path_of(owner), key)

    def paths(self, indices: Sequence[int]) -> list[str]:
        """Return the path of each of some strings."""
        links, names, starts, text, base = self.links, self.names, self.starts, self.text, self.base
        first, nested = len(self.outer), self.containers
        found: list[str] = []
        for index in indices:
            owner, key = links[2 * index], links[2 * index + 1]
            if owner < 0 or key < 0 or names[key] == starts[index]:
                found.append(self.path(index))
                continue
            path = "" if owner >= first and nested[2 * owner] < 0 else self.path_of(owner)
            name = scanstring(text, base + names[key], False)[0]
            found.append(self._member_path(path, name))
        return found

    def _member_path(self, path: str, name: str) -> str:
        """Return the path of a member; objects of one kind have members of the same names."""
        inner = self._member_paths.get((path, name))
        if inner is None:
            inner = self._member_paths[path, name] = inner_path(path, name)
        return inner

    def path_of(self, container: int) -> str:
        """Return the path of an object or a list."""
        known, links, outer = self._known, self.containers, self.outer
        unknown: list[int] = []
        while container >= len(outer) and container not in known:
            unknown.append(container)
            container = links[2 * container]
        path = "" if container < 0 else known[container] if container >= len(outer) else outer[container].path
        for inner in reversed(unknown):
            if links[2 * inner] >= 0:
                path = self._inner(path, links[2 * inner + 1])
            if len(known) == _REMEMBERED:
                known.clear()
            known[inner] = path
        return path

    def _inner(self, path: str, key: int) -> str:
        return inner_path(path, -1 - key if key < 0 else self.name(key)[0])

    def name(self, number: int) -> tuple[str, int]:
        """Return the name of a member, and the offset behind it."""
        return scanstring(self.text, self.base + self.names[number], False)

    def name_of(self, container: int) -> str | None:
        """Return the name of an object or a list in the object around it; None if it has none."""
        if container < len(self.outer):
            return self.outer[container].name
        owner, key = self.containers[2 * container], self.containers[2 * container + 1]
        return None if owner < 0 or key < 0 else self.name(key)[0]


def _by_kernel(
    data: bytes, start: int, field: JsonField, opened: bytes, flags: tuple[bool, bool, bool]
) -> tuple[tuple[Any, ...], int]:
    """Return what the kernel finds from an offset on, and the offset at which it has ended, both in bytes."""
    found = kernel.json_strings(data, start, *flags, field.steps or b"", opened)
    whole, begins, starts, links, names, owners, containers, open_, ended, *ends = found
    longs = [memoryview(numbers).cast("q") for numbers in (begins, starts, names)]
    shorts = [memoryview(numbers).cast("i") for numbers in (links, owners, containers, open_)]
    return (whole, *longs[:2], shorts[0], longs[2], *shorts[1:3], shorts[3][::4].tolist(), open_, *ends), ended


def _window_by_kernel(text: str, field: JsonField, opened: Any, *, goes_on: bool, takes_bytes: bool) -> tuple[Any, ...]:
    data = text.encode("utf-8", "surrogatepass")
    return _by_kernel(data, 0, field, opened or b"", (False, goes_on, takes_bytes))[0]


def _window_in_python(text: str, field: JsonField, opened: Any, *, goes_on: bool, takes_bytes: bool) -> tuple[Any, ...]:
    from urisieve.sources.structured.json_tokens import JsonTokens

    tokens = JsonTokens(text, field, opened or [], takes_bytes=takes_bytes)
    end = tokens.read(len(text) - len(text.lstrip(_BLANKS)), len(text), goes_on=goes_on)
    is_left = not goes_on and (end < len(text) or bool(tokens.open))
    if is_left:
        end = tokens.read_name(end)
    return *tokens.found(), end, is_left, tokens.has_field


def _lines_by_kernel(text: str, field: JsonField, _: Callable[[str], bool] | None) -> Iterator[JsonStrings]:
    data = text.encode("utf-8", "surrogatepass")
    at = base = 0
    while at < len(data):
        found, at = _by_kernel(data, at, field, b"", (True, False, True))
        strings = JsonStrings(text, found, base)
        yield strings
        if strings.is_left:
            at, base = data.find(b"\n", at) + 1 or len(data), text.find("\n", strings.end) + 1 or len(text)


def _lines_in_python(text: str, field: JsonField, skips: Callable[[str], bool] | None) -> Iterator[JsonStrings]:
    from urisieve.sources.structured.json_tokens import JsonTokens

    tokens = JsonTokens(text, field, [], takes_bytes=True, is_lines=True)
    at = 0
    for line in text.split("\n"):
        counts, stop = tokens.counts(), at + len(line.rstrip(AROUND))
        if at < stop and not (skips is not None and skips(line)) and (tokens.read(at, stop) < stop or tokens.open):
            tokens.restore(counts)
            yield JsonStrings(text, (*tokens.found(), at, True, tokens.has_field))
            tokens = JsonTokens(text, field, [], takes_bytes=True, is_lines=True)
        at += len(line) + 1
    yield JsonStrings(text, (*tokens.found(), len(text), False, tokens.has_field))


# What counts as white space in a document.
_BLANKS: Final = "".join(map(chr, range(33)))
_window: Final = either(_window_by_kernel, _window_in_python)
_lines: Final = either(_lines_by_kernel, _lines_in_python)


def strings_of_window(
    text: str,
    field: JsonField,
    before: JsonStrings | None = None,
    outer: Sequence[Open] = (),
    *,
    goes_on: bool = False,
    takes_bytes: bool = True,
) -> JsonStrings:
    """Return the strings of a window of a document, or of documents that follow each other.

    Args:
        text: the window: what the one before has left, and more.
        field: what is wanted.
        before: the strings of the window before, if there is one.
        outer: the objects and lists that it has left open.
        goes_on: whether there is more behind it; else what cannot be decided is not JSON.
        takes_bytes: whether a list of numbers from 0 to 255 is a string, which they are in UTF-8.
    """
    window = _window_in_python if field.steps is None else _window
    opened = None if before is None else before.open
    return JsonStrings(text, window(text, field, opened, goes_on=goes_on, takes_bytes=takes_bytes), 0, outer)


def strings_of_lines(text: str, field: JsonField, skips: Callable[[str], bool] | None = None) -> Iterator[JsonStrings]:
    """Yield the strings of lines, as many at once as there are before one that is not JSON.

    Args:
        text: the lines.
        field: what is wanted.
        skips: reports whether a line need not be read; the kernel reads each.
    """
    return (_lines_in_python if field.steps is None else _lines)(text, field, skips)


_LONG_NUMBER: Final = lazy_compile(
    r'"[\x00-\x20]*+:[\x00-\x20]*+(?P<list>\[[\x00-\x20]*+)?(?P<digits>[0-9]{6,16})(?![0-9.eE])'
)
_STRING: Final = lazy_compile(r'[\x00-\x20]*+:[\x00-\x20]*+"')
# The members of an object that are looked at for what they say of another.
_BESIDE: Final = 64
_SCALAR: Final = lazy_compile(r"[\x00-\x20]*+:[\x00-\x20]*+(?![\[{])")
# The times of an object that are remembered: there is one, or a few.
_MOST: Final = 16


class JsonTimes:
    """The times of the strings of some lines, or of a window of a document.

    A string has the time of the outermost object around it that states one, before or behind it. Of an object that is
    open at the end of a window, the strings up to there have what it has stated up to there, and no more.

    >>> from urisieve.sources.structured.json_paths import JsonField
    >>> from urisieve.sources.structured.json_strings import JsonTimes, strings_of_window
    >>> text = '[{"url": ["http://a.example/"], "time": "2024-05-31T13:05:07Z"}, "http://b.example/"]'
    >>> strings = strings_of_window(text, JsonField.of(None))
    >>> times = JsonTimes(strings, None)
    >>> {strings.string(index): getattr(times.of(index), "time", None) for index in (1, 4)}
    {'http://a.example/': '2024-05-31T13:05:07Z', 'http://b.example/': None}

    Args:
        strings: the strings.
        field: the name of the member with the time, with dots for one in an object; one of `TIME_NAMES` for None, or,
            where none of them states a time, the outermost that ends as the name of a time does.
    """

    def __init__(self, strings: JsonStrings, field: str | None) -> None:
        from urisieve.sources import contexts

        self._contexts = contexts
        self._strings = strings
        self._field = field
        self._stated: dict[int, list[tuple[str, Any]]] = {}
        for container, one in enumerate(strings.outer):
            self._stated[container] = list(one.times)
        for number, owner in enumerate(strings.owners):
            name, end = strings.name(number)
            dated, known = self._dated(owner, name)
            value = None if dated < 0 else _SCALAR.match(strings.text, end)
            times = self._stated.setdefault(dated, [])
            if value is not None and len(times) < _MOST:
                with suppress(ValueError):  # it is broken, or a number that is too long
                    times.append((known, DECODER.raw_decode(strings.text, value.end())[0]))
        self._known: dict[int, tuple[int, Context] | None] = {-1: None}

    def of(self, index: int) -> Context | None:
        """Return the time of a string; None for a list of numbers."""
        if self._strings.is_list(index):
            return None
        container = self._strings.links[2 * index]
        unknown: list[int] = []
        while container not in self._known:
            unknown.append(container)
            container = self._strings.containers[2 * container]
        when = self._known[container]
        for inner in reversed(unknown):
            if inner in self._stated and (when is None or when[0] == self._contexts.LEAST_SURE):
                found = self._contexts.ranked_time(self._stated[inner], self._field)
                when = found if when is None or (found is not None and found[0] < when[0]) else when
            self._known[inner] = when
        return None if when is None else when[1]

    def stated(self, container: int) -> Sequence[tuple[str, Any]]:
        """Return the times that an object has stated."""
        return self._stated.get(container, ())

    def _dated(self, owner: int, name: str) -> tuple[int, str]:
        """Return the object whose time a member of an object may be, and its name or path there; -1 if it is none."""
        if self._field is not None:
            return self._around(owner, name, self._field, str), self._field
        path = self._contexts.path_ending(name)
        dated = -1 if path is None else self._around(owner, name, path, str.lower)
        if path is not None and dated >= 0:
            return dated, path
        return (-1 if self._contexts.time_rank(name) is None else owner), name

    def _around(self, owner: int, name: str, path: str, folded: Callable[[str], str]) -> int:
        """Return the object in which a member of an object is at a path; -1 if it is at none."""
        while path != folded(name):
            outer = self._strings.name_of(owner)
            if outer is None or not path.endswith(f".{folded(name)}"):
                return -1
            path = path[: -len(name) - 1]
            owner, name = self._strings.containers[2 * owner], outer
        return owner
