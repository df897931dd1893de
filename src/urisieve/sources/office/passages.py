"""Passages: the texts of a document with the links on them, as its format names both.

Text is joined over runs of one format, and broken at links, as in HTML. Links of fields (`HYPERLINK "..."`) are known
from their instructions (ECMA-376 part 1, 17.16.5.25).
"""

from __future__ import annotations

import re
from functools import partial

from urisieve.find.delimited import Delimited
from urisieve.judge.number_names import HEADING, Beside
from urisieve.lean import Final, NamedTuple, dataclass
from urisieve.sources.html.html_links import may_be_visible
from urisieve.sources.segments import Segments
from urisieve.wording import shortened

# Characters of a passage that are held: after them another one begins.
_LONGEST: Final = 1_048_576
# Of an instruction so many runs are taken, and so many characters of each; and so many fields may be in one another.
_MOST_RUNS: Final = 256
_LONGEST_RUN: Final = 16_384
_DEEPEST: Final = 1_000
_LONGEST_NAME: Final = 256
# The location of a cell, with that of its column, and the columns of sheets whose headings are kept.
_CELL: Final = re.compile(r"(.*![A-Z]{1,3})[0-9]{1,7}")
_MOST_COLUMNS: Final = 4_096
# Characters of targets that are used again, each time with the cost of their length.
_MOST_REPEATED: Final = 67_108_864

# The words of a text that is cut, without the one that touches the cut.
_WHOLE_WORDS: Final = re.compile(r".*\s", re.DOTALL)

# The target of a field of links, after its switches; `\l`, `\o` and `\t` have an argument.
_HYPERLINK: Final = re.compile(
    r"""\s*+HYPERLINK\s++(?>\\(?:[lot]\s*+"[^"]*+"|[a-z])\s*+)*+(?:"([^"]++)"|[“„”]([^“”]++)[“”]|([^\s"\\]++))""", re.I
)
_FRAGMENT: Final = re.compile(r"""\\l\s*+"([^"]++)""", re.I)
# A fragment without the characters that no reference contains (RFC 3986 4.1), such as those of the names of sheets.
_PLAIN_FRAGMENT: Final = re.compile(r"""[^\s"#<>\\^`{|}']++""")
_TIP: Final = re.compile(r"""\\o\s*+"([^"]++)""", re.I)


@dataclass(slots=True)
class PassageLink:
    """A link on text: its target, what it is, and whether it was reported."""

    target: str
    name: str
    is_reported: bool = False


class Piece(NamedTuple):
    """A part of a passage: the link on it, or None, and its text."""

    link: PassageLink | None
    texts: list[str]


@dataclass(slots=True)
class _Field:
    """A field that is open: whether its instruction is still being read, and the link around its result."""

    is_instruction: bool
    link: PassageLink | None


class Passages:
    """Takes the passages of one source from its reader, which yields where many have been taken.

    Args:
        out: takes the texts and links.
        base: the URI that relative references are resolved against, None without one.
    """

    def __init__(self, out: Segments, base: str | None = None) -> None:
        self.out = out
        self.field = ""
        """The location of the text that comes now; see `Location.field`."""
        self.stated = ""
        """A text that was read, a string of which may be repeated by what comes now: the formula of a cell."""
        self.is_silent = False
        """Whether texts and links are left out: of a list for programs."""
        self._repeated = _MOST_REPEATED
        self._headings: dict[str, str] = {}  # of the columns of sheets
        self._base = base
        self.outer: list[tuple[list[Piece], PassageLink | None]] = []
        """The passages around it, each with the link on it."""
        self.pieces: list[Piece] = []
        """What the open passage contains so far."""
        self._link: PassageLink | None = None
        self._size = 0
        self._fields: list[_Field] = []
        self._instructions: list[list[str]] = []

    # ------------------------------------------------------------ passages

    def begin(self) -> None:
        """Begin a passage inside of the one that is open: its text does not join with that around it."""
        self.outer.append((self.pieces, self._link))
        self.pieces, self._link = [], None

    def end(self) -> None:
        """End the passage that was begun last; an instruction does not go beyond it."""
        while self._instructions:
            self.separate()
        self.flush()
        if self.outer:
            self.pieces, self._link = self.outer.pop()

    def cut(self) -> None:
        """End the passages around the last one where a content is cut: a word that touches the cut is left out.

        It may have been longer: `http://a.example` of `http://a.example.b.example/`.
        """
        for instruction in self._instructions:
            instruction[:] = [whole_words(instruction)]
        self._trim()
        while self.outer:
            self.end()
            self._trim()

    def _trim(self) -> None:
        if self.pieces:
            texts = self.pieces[-1].texts
            texts[:] = [whole_words(texts)]

    def put(self, text: str) -> None:
        """Add text."""
        if self._instructions:
            if len(self._instructions[-1]) < _MOST_RUNS:
                self._instructions[-1].append(text[:_LONGEST_RUN])
            return
        pieces = self.pieces
        if not pieces or pieces[-1].link is not self._link:
            pieces.append(Piece(self._link, []))
        pieces[-1].texts.append(text)
        self._size += len(text)
        if self._size > _LONGEST:
            self.flush()

    def flush(self) -> None:
        """Pass on what the passage contains so far: what comes does not join with it."""
        pieces, self.pieces, self._size = self.pieces, [], 0
        for link, texts in pieces:
            text = "".join(texts)
            self.text(text)
            if link is not None and not link.is_reported:
                link.is_reported = True
                self.link(link.target, link.name, text)

    def open_link(self, target: str, name: str) -> PassageLink | None:
        """Begin a link, or go on with the one before if that has the same target; return the link around it."""
        before = self.pieces[-1].link if self.pieces else None
        if before is None or (before.target, before.name) != (target, name):
            self._size += len(target)
            if self._size > _LONGEST:
                self.flush()
            before = PassageLink(target, name)
            self.pieces.append(Piece(before, []))
        around, self._link = self._link, before
        return around

    def close_link(self, around: PassageLink | None) -> None:
        """End a link; `around` is what `open_link` returned."""
        self._link = around

    # ------------------------------------------------------------ fields

    def mark(self) -> int | None:
        """Return how far the open instruction has come, for `aside`; None if none is open."""
        return len(self._instructions[-1]) if self._instructions else None

    def aside(self, mark: int, name: str) -> None:
        """Take what the instruction contains after a mark as a text of its own, which is no part of it."""
        if self._instructions:
            instruction = self._instructions[-1]
            self.text("".join(instruction[mark:]), name)
            del instruction[mark:]

    def begin_field(self) -> None:
        """Begin a field: the text that comes is its instruction."""
        if len(self._fields) < _DEEPEST:
            self._fields.append(_Field(True, None))
            self._instructions.append([])

    def separate(self) -> None:
        """End the instruction of the innermost field: the text that comes is its result."""
        if not self._fields or not self._fields[-1].is_instruction:
            if self._instructions and self._fields:  # of a field whose inner one was not closed
                self._fields.pop()
            return
        instruction = "".join(self._instructions.pop())
        field = self._fields[-1]
        field.is_instruction, field.link = False, self._link
        found = _HYPERLINK.match(instruction)
        if found is None:
            self.text(instruction)
            return
        target = found[found.lastindex or 0].replace("\\\\", "\\")
        fragment = _FRAGMENT.search(instruction, found.end())
        if fragment is not None:
            target = with_fragment(target, fragment[1])
        tip = _TIP.search(instruction)
        if tip is not None:
            self.text(tip[1], "HYPERLINK@tooltip")
        self.open_link(target, "HYPERLINK")

    def end_field(self) -> None:
        """End the innermost field."""
        if self._fields:
            if self._fields[-1].is_instruction:
                self.separate()
            self._link = self._fields.pop().link

    # ------------------------------------------------------------ texts and links

    def may_repeat(self, target: str) -> bool:
        """Report whether a target may be used once more, which is counted if not."""
        self._repeated -= len(target)
        if self._repeated < 0:
            self.out.skip("too-often", kind="link")
        return self._repeated >= 0

    def text(self, text: str, name: str = "") -> None:
        """Take a text of its own; `name` is what contains it, such as an attribute."""
        if text and not self.is_silent and not text.isspace() and not self._is_stated(text):
            self.out.add(text, field=self._location(name), beside=self._heading(text))

    def _heading(self, text: str) -> Beside:
        """Return what names a number in a cell: the first text in its column that is none."""
        cell = _CELL.fullmatch(self.field) if self.out.run.every_field else None
        if cell is None:
            return tuple
        heading = self._headings.get(cell[1])
        if heading is None and not text.isdecimal() and len(self._headings) < _MOST_COLUMNS:
            heading = self._headings[cell[1]] = shortened(text)
        return tuple if heading is None else partial(tuple, [(HEADING, heading)])

    def _is_stated(self, text: str) -> bool:
        stated = self.stated
        return bool(stated) and (text == stated or f'"{text.strip()}"' in stated)

    def link(self, target: str, name: str, shown: str = "") -> None:
        """Take a link; a relative one is resolved, or counted.

        Args:
            target: where it leads.
            name: what it is, for its location.
            shown: the visible text of it.
        """
        found = self.out.target(target.strip(), self._base)
        if found is None or self.is_silent:
            return
        target, reference = found
        shown = shown.strip()
        self.out.add(
            target,
            field=self._location(name),
            delimited=Delimited.LINK,
            reference=reference,
            visible=shown if may_be_visible(shown) else None,
        )

    def _location(self, name: str) -> str | None:
        field = f"{self.field} / {name}" if self.field and name else self.field or name
        return field[:_LONGEST_NAME] or None


def with_fragment(target: str, fragment: str) -> str:
    """Return a target with the location in it that a program keeps apart, if that can be a fragment.

    >>> with_fragment("http://a.example/", "part"), with_fragment("http://a.example/", "'Sheet 1'!A1")
    ('http://a.example/#part', 'http://a.example/')
    """
    return f"{target}#{fragment}" if "#" not in target and _PLAIN_FRAGMENT.fullmatch(fragment) else target


def whole_words(texts: list[str]) -> str:
    """Return a text that is cut, in pieces, without the word that touches the cut."""
    found = _WHOLE_WORDS.match("".join(texts))
    return "" if found is None else found[0]
