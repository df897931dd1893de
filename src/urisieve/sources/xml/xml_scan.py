"""The texts of XML that a parser has found to be well formed, joined to be searched, and where each of them is.

Names, nesting and characters have been checked, so that a scan has only to find where constructs begin and end. The
kernel does it too (`src/kernel/xml_texts.c`), with the same results.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from urisieve.find.delimited import SEPARATOR
from urisieve.kernel import either, kernel
from urisieve.lean import Final, NamedTuple
from urisieve.sources.html.html_links import has_scheme

# A run of more bytes is divided after a blank, one of twice as many wherever that is.
_LONGEST_RUN: Final = 262_144
# Text with blanks of more characters is not taken for one identifier.
_LONGEST_VALUE: Final = 65_536
# Elements nested more deeply are made to cause harm.
DEPTH: Final = 10_000

LINKS: Final = frozenset(["href", "src", "url", "xml:base", "xlink:href", "rdf:resource", "rdf:about"])
# Elements whose whole text is a link, with a blank in it too (sitemaps, RSS, Atom, OAI).
LINK_ELEMENTS: Final = frozenset(["loc", "link", "guid", "url", "uri", "image:loc", "comments", "docs"])

# Where a scan begins or ends: in the content or in a section of it (CDATA), in the document type outside and inside of
# the brackets, and in a declaration there.
MODES: Final = ("content", "section", "doctype", "subset", "declaration")
CONTENT, SECTION, _DOCTYPE, _SUBSET, _DECLARATION = range(len(MODES))

_CDATA: Final = b"<![CDATA["
_RUN: Final = re.compile(rb"(?>[^<]++|<!\[CDATA\[(?>[^\]]++|\](?!\]>))*+\]\]>)*+")
_PLAIN: Final = re.compile(rb"[^<&\r]*+")
_IN_SECTION: Final = re.compile(rb"[^\]\r]*+")
_REFERENCE: Final = re.compile(rb"&(?:#(?:[0-9]{1,7}|x[0-9A-Fa-f]{1,6})|amp|lt|gt|quot|apos);")
TAG: Final = re.compile(rb"""<(?>[^>"']++|"[^"]*+"|'[^']*+')*+>""")
NAME: Final = re.compile(rb"[^ \t\r\n>/]++")
_ATTRIBUTE: Final = re.compile(rb"""[ \t\r\n]*+([^ \t\r\n=>/]++)[ \t\r\n]*+=[ \t\r\n]*+(?:"([^"]*+)"|'([^']*+)')""")
_ASIDE: Final = re.compile(rb"<!--(?P<comment>.*?)-->|<\?(?P<name>(?>(?!\?>)[^ \t\r\n])*+)(?P<text>.*?)\?>", re.DOTALL)
_TO_LITERAL: Final = re.compile(rb"""[^"'>\[]*+""")
_TO_LITERAL_IN_SUBSET: Final = re.compile(rb"""[^"'>]*+""")
_TO_MARKUP: Final = re.compile(rb"[^<\]]*+")
_BLANK: Final = re.compile(r"\s")
# What is replaced in text, and in the values of attributes.
_IN_RUN: Final = re.compile(r"<!\[CDATA\[|\]\]>|&(?:#(?:[0-9]{1,7}|x[0-9A-Fa-f]{1,6})|amp|lt|gt|quot|apos);|\r\n?")
_IN_VALUE: Final = re.compile(r"&(?:#(?:[0-9]{1,7}|x[0-9A-Fa-f]{1,6})|amp|lt|gt|quot|apos);|\r\n")
_NAMED: Final = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'"}

# A part of a text: its start and end, and what replaces it; None if it stays.
TextPart = tuple[int, int, str | None]


class State(NamedTuple):
    """Where a scan begins.

    Attributes:
        mode: an index of `MODES`.
        is_leaf: whether the innermost element contains nothing but text so far.
        open: for each element that is open, from the outermost one, 1 if its text is a link, else 0.
    """

    mode: int
    is_leaf: bool
    open: bytes


class Scan(NamedTuple):
    """The texts of a part of XML; offsets in it are in bytes.

    Attributes:
        whole: the texts, each after a `SEPARATOR`.
        begins: the offset of each in it in characters, and after them that of one more.
        kinds: a letter for each text: `r` a run of text, `h` one that may be HTML, `v` one that is a value, without the
            white space around it; `a` an attribute, `l` one that is a link, `f` a relative reference, `b` and `B` the
            same two for `xml:base`; `c` a comment, `i` an instruction. The text of a relative reference is empty.
        rows: four numbers for each: the number of its element, or -1; its start and end, with references and white
            space; for an attribute or an instruction the start of its name, for a run 1 if it begins in a section.
        elements: two numbers for each element that begins here: the number of the one around it, and the offset of its
            tag. They are numbered from that of those that were open before.
        open: the numbers of those that are open in the end.
        stop: where the scan ended: at a run of text or a construct that the end cuts, or after a tag.
        mode: an index of `MODES`.
        is_leaf: as in `State`.
        is_too_deep: whether the last tag is of an element that is nested more than `DEPTH` deep.
    """

    whole: str
    begins: Sequence[int]
    kinds: bytes
    rows: Sequence[int]
    elements: Sequence[int]
    open: Sequence[int]
    stop: int
    mode: int
    is_leaf: bool
    is_too_deep: bool


def _scanned_by_kernel(data: bytes, end: int, state: State, *, is_end: bool) -> Scan:
    """Return the texts of a part of XML.

    Args:
        data: the part, in UTF-8.
        end: where it ends.
        state: where it begins.
        is_end: whether a run of text ends there as well.
    """
    mode, is_leaf, opened = state
    whole, begins, kinds, *numbers, stop, mode, is_leaf, is_too_deep = kernel.xml_texts(
        data, end, is_end, mode, is_leaf, opened, _WORDS[0], _WORDS[1]
    )
    rows, elements, inner = (memoryview(some).cast("q") for some in numbers)
    return Scan(whole, memoryview(begins).cast("q"), kinds, rows, elements, inner, stop, mode, is_leaf, is_too_deep)


_WORDS: Final = tuple("".join(f" {name}" for name in sorted(names)) + " " for names in (LINKS, LINK_ELEMENTS))


def scanned(data: bytes, end: int, state: State, *, is_end: bool) -> Scan:
    """Return what `scan` returns, without the kernel."""
    return _Scanner(data, end, state, is_end=is_end).scan()


scan: Final = either(_scanned_by_kernel, scanned)


def in_run(text: str, *, in_section: bool) -> Iterator[TextPart]:
    """Yield the parts of a run of text: references are resolved, line ends are line feeds (XML 1.0, 2.11).

    Args:
        text: as it is written.
        in_section: whether it begins in a section.
    """
    at = 0
    for match in _IN_RUN.finditer(text):
        mark = match[0]
        if mark[0] == "\r":
            new = "\n"
        elif (mark[0] == "]") is not in_section:
            continue
        elif mark[0] == "&":
            new = _referred(mark)
        else:
            new = ""
            in_section = not in_section
        yield at, match.start(), None
        yield match.start(), match.end(), new
        at = match.end()
    yield at, len(text), None


def in_value(text: str) -> Iterator[TextPart]:
    r"""Yield the parts of the value of an attribute: references are resolved, `\r\n` is a blank."""
    at = 0
    for match in _IN_VALUE.finditer(text):
        yield at, match.start(), None
        yield match.start(), match.end(), _referred(match[0]) if match[0][0] == "&" else " "
        at = match.end()
    yield at, len(text), None


def attributes_of(data: bytes, start: int, end: int) -> Iterator[re.Match[bytes]]:
    """Yield the attributes of a tag from after its name: the name, and the value in quotation marks or apostrophes."""
    while (match := _ATTRIBUTE.match(data, start, end)) is not None:
        yield match
        start = match.end()


def _referred(reference: str) -> str:
    """Return what a reference means (XML 1.0, 4.1); itself if that is not a character."""
    if reference[1] != "#":
        return _NAMED[reference]
    number = int(reference[3:-1], 16) if reference[2] == "x" else int(reference[2:-1])
    return chr(number) if 0 < number < 0xD800 or 0xDFFF < number < 0x110000 else reference


def _resolved(text: str, parts: Iterator[TextPart]) -> str:
    return "".join([text[start:end] if new is None else new for start, end, new in parts])


class _Scanner:
    """One scan; see `scan`."""

    def __init__(self, data: bytes, end: int, state: State, *, is_end: bool) -> None:
        self._data = data
        self._end = end
        self._is_end = is_end
        self._mode, self._is_leaf, opened = state
        self._open = [(number, bool(is_link)) for number, is_link in enumerate(opened)]
        self._before = len(opened)
        self._texts: list[str] = []
        self._kinds: list[str] = []
        self._rows: list[int] = []
        self._elements: list[int] = []
        self._is_too_deep = False

    def scan(self) -> Scan:
        data, end = self._data, self._end
        at = 0
        while at < end and not self._is_too_deep:
            if self._mode == SECTION or (
                self._mode == CONTENT and (data[at] != 60 or data.startswith(b"<![", at, end))
            ):
                after = self._run(at)
                if after == at:
                    break
            else:
                after = self._construct(at) if self._mode == CONTENT else self._doctype(at)
            if after is None:
                break
            at = after
        begins = list(accumulate((len(text) + len(SEPARATOR) for text in self._texts), initial=len(SEPARATOR)))
        return Scan(
            "".join([SEPARATOR + text for text in self._texts]),
            begins if self._texts else [],
            "".join(self._kinds).encode(),
            self._rows,
            self._elements,
            [number for number, _ in self._open],
            at,
            self._mode,
            self._is_leaf,
            self._is_too_deep,
        )

    def _take(self, kind: str, text: str, start: int, end: int, name: int) -> None:
        self._texts.append(text)
        self._kinds.append(kind)
        self._rows += (self._open[-1][0] if self._open else -1, start, end, name)

    def _run(self, start: int) -> int | None:
        """Take a run of text; return what follows it, or None if it goes on after the end."""
        data, end = self._data, self._end
        begun = self._mode
        mode = begun
        stop = start
        if mode == SECTION:
            at = data.find(b"]]>", start, end)
            stop, mode = (end, SECTION) if at < 0 else (at + 3, CONTENT)
        is_whole = False
        goes_on = False
        if mode == CONTENT:
            stop = _after(_RUN, data, stop, end)
            if data.startswith(_CDATA, stop, end):
                stop, mode = end, SECTION
            elif stop < end:
                goes_on = data.startswith(b"<![", stop, end) or b"<![".startswith(data[stop:end])
                if data.startswith(b"</", stop, end):
                    is_cut = TAG.match(data, stop, end) is None
                    is_whole, goes_on = self._is_leaf and not is_cut, self._is_leaf and is_cut
        cut = self._cut(start, stop) if stop - start >= _LONGEST_RUN else None
        if cut is not None:
            stop, mode = cut
            is_whole = False
        elif not self._is_end and (goes_on or stop == end):
            return None
        self._mode = mode
        if stop > start:
            raw = data[start:stop].decode()
            text = _resolved(raw, in_run(raw, in_section=begun == SECTION))
            self._take_run(text, start, stop, is_whole=is_whole, in_section=begun == SECTION)
            if cut is not None:
                self._is_leaf = False
        return stop

    def _take_run(self, text: str, start: int, stop: int, *, is_whole: bool, in_section: bool) -> None:
        stripped = text.strip()
        if not stripped:
            return
        is_value = has_scheme(stripped) and (
            (self._open and self._open[-1][1])
            or _BLANK.search(stripped) is None
            or (is_whole and len(stripped) <= _LONGEST_VALUE)
        )
        if is_value:
            self._take("v", stripped, start, stop, in_section)
        else:
            self._take("h" if "<" in text else "r", text, start, stop, in_section)

    def _cut(self, start: int, end: int) -> tuple[int, int] | None:
        """Return where a long run is cut, and in which mode; None if it goes on."""
        data, mode, at = self._data, self._mode, start
        limit, last = start + _LONGEST_RUN, start + 2 * _LONGEST_RUN
        while True:
            stop = _after(_IN_SECTION if mode == SECTION else _PLAIN, data, at, end)
            if stop >= limit and stop > at:
                blanks = max(data.rfind(blank, at, limit) for blank in _BLANKS) + 1
                if blanks:
                    return blanks, mode
                first, most = max(limit, at), min(stop, last)
                after = [place + 1 for blank in _BLANKS if (place := data.find(blank, first, most)) >= 0]
                if after:
                    return min(after), mode
            if stop >= last:
                at = max(at, last)
                while at < stop and data[at] & 0xC0 == 0x80:
                    at += 1
                return at, mode
            if stop == end:
                return None
            at = stop
            if data[at] == 13:
                at += 2 if data.startswith(b"\r\n", at, end) else 1
            elif mode == SECTION:
                if end - at < 3 and not self._is_end:
                    return None  # the section may end here
                is_closed = data.startswith(b"]]>", at, end)
                at, mode = (at + 3, CONTENT) if is_closed else (at + 1, SECTION)
            elif data.startswith(_CDATA, at, end):
                at, mode = at + len(_CDATA), SECTION
            else:
                at = max(at + 1, _after(_REFERENCE, data, at, end))

    def _construct(self, at: int) -> int | None:
        """Take a tag, a comment, an instruction, or the beginning of the document type; None if it is cut."""
        data, end = self._data, self._end
        if data.startswith((b"<?", b"<!--"), at, end):
            return self._aside(at)
        if data.startswith(b"<!", at, end):
            if end - at < 4:
                return None
            self._mode = _DOCTYPE
            return at + 2
        tag = TAG.match(data, at, end)
        if tag is None:
            return None
        if data.startswith(b"</", at):
            if self._open:
                del self._open[-1]
            self._is_leaf = False
        else:
            self._element(at, tag.end())
        return tag.end()

    def _element(self, at: int, end: int) -> None:
        data = self._data
        name = data[at + 1 : _after(NAME, data, at + 1, end)]
        number = self._before + len(self._elements) // 2
        self._elements += (self._open[-1][0] if self._open else -1, at)
        self._open.append((number, name.decode() in LINK_ELEMENTS))
        self._is_leaf = True
        for match in attributes_of(data, at + 1 + len(name), end):
            self._attribute(match)
        if len(self._open) > DEPTH:
            self._is_too_deep = True
        elif data[end - 2] == 47:
            del self._open[-1]
            self._is_leaf = False

    def _attribute(self, match: re.Match[bytes]) -> None:
        name = match[1].decode()
        if name == "xmlns" or name.startswith("xmlns:"):
            return
        start, end = match.span(2 if match[2] is not None else 3)
        raw = self._data[start:end].decode()
        kind = "a"
        if name in LINKS:
            raw = raw.strip()
        text = _resolved(raw, in_value(raw))
        if name in LINKS:
            is_absolute = has_scheme(text.strip())
            kind = ("b" if is_absolute else "B") if name == "xml:base" else ("l" if is_absolute else "f")
            text = text if is_absolute else ""
        self._take(kind, text, start, end, match.start(1))

    def _aside(self, at: int) -> int | None:
        """Take a comment or an instruction; None if it is cut."""
        match = _ASIDE.match(self._data, at, self._end)
        if match is None:
            return None
        if match["name"] != b"xml":  # that is the declaration
            self._is_leaf = False
            kind, group = ("i", "text") if match["comment"] is None else ("c", "comment")
            name = match.start("name") if kind == "i" else 0
            self._take(kind, match[group].decode(), *match.span(group), name)
        return match.end()

    def _doctype(self, at: int) -> int | None:
        """Read on in the document type; None if the next construct is cut."""
        data, end = self._data, self._end
        if self._mode == _SUBSET:
            at = _after(_TO_MARKUP, data, at, end)
            if at == end:
                return at
            if data[at] == 93:
                self._mode = _DOCTYPE
                return at + 1
            if data.startswith((b"<?", b"<!--"), at, end):
                return self._aside(at)
            if end - at < 4:
                return None
            self._mode = _DECLARATION
            return at + 2
        at = _after(_TO_LITERAL if self._mode == _DOCTYPE else _TO_LITERAL_IN_SUBSET, data, at, end)
        if at == end:
            return at
        if data[at] in b">[":
            self._mode = _SUBSET if data[at] == 91 or self._mode == _DECLARATION else CONTENT
            return at + 1
        return data.find(data[at : at + 1], at + 1, end) + 1 or None


_BLANKS: Final = (b" ", b"\n", b"\t")


def _after(pattern: re.Pattern[bytes], data: bytes, start: int, end: int) -> int:
    """Return the end of what a pattern matches at an offset; the offset if it matches nothing."""
    match = pattern.match(data, start, end)
    return start if match is None else match.end()
