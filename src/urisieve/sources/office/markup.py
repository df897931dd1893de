"""The XML of office documents, read by tables: which elements contain passages, and which mean a blank or a link.

The parser of the standard library calls back for each tag. A document type that declares entities is refused, so that
nothing expands, and nothing outside of a part is opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from xml.parsers.expat import ExpatError, ParserCreate, errors

from urisieve.errors import InputError
from urisieve.lean import Final, NamedTuple
from urisieve.sources.documents import Document
from urisieve.sources.office.passages import PassageLink, Passages
from urisieve.sources.segments import Segments

# Bytes that are parsed at a time, and the longest tag: the parser looks through a tag that is cut again and again.
_WINDOW: Final = 65_536
_LONGEST_TOKEN: Final = 1_048_576
# Elements nested more deeply are made to cause harm.
_DEEPEST: Final = 1_000
# Elements that are noted: a workbook of a thousand sheets has as many.
_MOST_NOTED: Final = 65_536
# Characters of their attributes together; each has some hundred.
_LONGEST_NOTED: Final = 16_777_216
_SEPARATOR: Final = " "
_RELATIONSHIPS: Final = "/relationships"
_XLINK: Final = "http://www.w3.org/1999/xlink"


class DocumentMarkup(NamedTuple):
    """The elements and attributes of a format, without the names of their spaces.

    Attributes:
        passages: elements whose text is one passage, over all elements in it.
        signs: elements that mean characters in it.
        spans: elements that make a link of text, with the number of elements around them that end with it.
        silent: elements whose content is not read: it repeats what is elsewhere, or is for programs alone.
        links: attributes that hold a link, beside those of XLink and of relationships.
        texts: attributes that hold text.
        noted: elements whose attributes are wanted.
        watched: elements that a reader of the format does more with.
    """

    passages: frozenset[str] = frozenset()
    signs: Mapping[str, str] = MappingProxyType({})
    spans: Mapping[str, int] = MappingProxyType({})
    silent: frozenset[str] = frozenset()
    links: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()
    noted: frozenset[str] = frozenset()
    watched: frozenset[str] = frozenset()


class PackagePassages(Passages):
    """The passages of a document in a zip archive, and its parts.

    Raises:
        InputError: it is no document in a zip archive.
    """

    def __init__(self, out: Segments, base: str | None = None) -> None:
        super().__init__(out, base)
        if out.source.parts is None:
            raise InputError(f"is {out.source.kind} by its content, not a document in a zip archive")
        self.parts: dict[str, Iterable[bytes]] = out.source.parts
        """The bytes of each part by its name, which are read once."""


class MarkupReader:
    """Reads one part.

    Args:
        markup: the tables of its format.
        passages: takes the texts and links.
        targets: the targets of the relationships of the part that lead out of the package, by their names.
    """

    def __init__(
        self, markup: DocumentMarkup, passages: PackagePassages, targets: Mapping[str, str] | None = None
    ) -> None:
        self.passages = passages
        self.used: set[str] = set()
        """The names of the relationships that the part has used."""
        self.noted: list[tuple[str, dict[str, str]]] = []
        """The elements that are noted, in their order, each with its attributes by their local names."""
        self._markup = markup
        self._targets = targets or {}
        self._left = _LONGEST_NOTED
        self._depth = 0
        self._silent = 0  # the depth of the silent element that is open
        self._ends: list[tuple[int, PassageLink | None]] = []  # the links that are open: the depth at which each ends
        parser = self._parser = ParserCreate(namespace_separator=_SEPARATOR)
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._data
        parser.EntityDeclHandler = self._refuse

    def documents(self, name: str, field: str | None = None) -> Iterator[Document | None]:
        """Read a part; what follows a fault in it is not read, and the fault is counted.

        Args:
            name: the name of the part; nothing is read if there is none.
            field: the location of its texts; None for the name.
        """
        parser, passages = self._parser, self.passages
        passages.field = name if field is None else field
        self.start(passages.field)
        parsed = 0
        try:
            for block in passages.parts.pop(name, ()):
                for start in range(0, len(block), _WINDOW):
                    window = block[start : start + _WINDOW]
                    parser.Parse(window, False)
                    parsed += len(window)
                    if parsed - max(0, parser.CurrentByteIndex) > _LONGEST_TOKEN:
                        raise _RefusedError(f"a tag of more than {_LONGEST_TOKEN:,} bytes")
                    yield None
            if parsed:
                parser.Parse(b"", True)
        except (ExpatError, _RefusedError, LookupError, ValueError) as error:  # of encodings, too
            if isinstance(error, ExpatError) and error.code == errors.codes[errors.XML_ERROR_NO_MEMORY]:
                raise MemoryError from error
            passages.out.fault("corrupt", f"{name}: {error}; the text before that is read")
            passages.cut()
        except InputError as error:
            passages.out.stopped(error, name)
            passages.cut()
        finally:  # what the parser calls back refers to it: a document of thousands of parts would keep each in memory
            parser.StartElementHandler = parser.EndElementHandler = None
            parser.CharacterDataHandler = parser.EntityDeclHandler = None
        passages.end()
        yield None

    # ------------------------------------------------------------ what formats do in their own way

    def start(self, field: str) -> None:
        """Begin a part whose texts have a location."""

    def opened(self, name: str, attributes: Mapping[str, str]) -> None:
        """Do what an element that is watched asks for where it begins, with its attributes by their local names."""

    def closed(self, name: str) -> None:
        """Do what an element that is watched asks for where it ends."""

    def put(self, text: str) -> None:
        """Take text."""
        self.passages.put(text)

    def link(self, element: str, target: str) -> None:
        """Take a link."""
        outer = self.passages.open_link(target, element)
        if element in self._markup.spans:
            self._ends.append((self._depth - self._markup.spans[element], outer))
        else:
            self.passages.close_link(outer)

    # ------------------------------------------------------------ what the parser calls

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _RefusedError(f"elements nested more than {_DEEPEST:,} deep")
        if self._silent:
            return
        passages = self.passages
        markup, local = self._markup, name.rpartition(_SEPARATOR)[2]
        if local in markup.silent:
            self._silent = self._depth
            return
        if local in markup.passages:
            passages.begin()
        elif passages.pieces and not passages.outer:
            passages.flush()
        if local in markup.signs:
            passages.put(markup.signs[local])
        if local in markup.noted:
            if len(self.noted) == _MOST_NOTED:
                raise _RefusedError(f"more than {_MOST_NOTED:,} entries")
            self._left -= sum(map(len, attributes.values()))
            if self._left < 0:
                raise _RefusedError(f"entries of more than {_LONGEST_NOTED:,} characters")
            self.noted.append((local, _by_local_name(attributes)))
        if local in markup.watched:
            self.opened(local, _by_local_name(attributes))
        for key, value in attributes.items():
            space, _, attribute = key.rpartition(_SEPARATOR)
            if space.endswith(_RELATIONSHIPS):
                target = self._targets.get(value)
                if target is not None and (value not in self.used or passages.may_repeat(target)):
                    self.used.add(value)
                    self.link(local, target)
            elif (space == _XLINK and attribute == "href") or attribute in markup.links:
                self.link(local, value)
            elif attribute in markup.texts:
                passages.text(value, f"{local}@{attribute}")

    def _end(self, name: str) -> None:
        depth = self._depth
        self._depth -= 1
        if self._silent:
            if self._silent == depth:
                self._silent = 0
            return
        passages = self.passages
        local = name.rpartition(_SEPARATOR)[2]
        while self._ends and self._ends[-1][0] >= depth:
            passages.close_link(self._ends.pop()[1])
        if local in self._markup.watched:
            self.closed(local)
        if local in self._markup.passages:
            passages.end()
        elif passages.pieces and not passages.outer:
            passages.flush()

    def _data(self, text: str) -> None:
        if not self._silent:
            self.put(text)

    def _refuse(self, *_entity: object) -> None:
        raise _RefusedError("it declares entities")


def _by_local_name(attributes: Mapping[str, str]) -> dict[str, str]:
    return {name.rpartition(_SEPARATOR)[2]: value for name, value in attributes.items()}


class _RefusedError(Exception):
    """A part beyond what is read; the argument says in words why."""


def noted_in(passages: PackagePassages, name: str, *elements: str) -> list[tuple[str, dict[str, str]]]:
    """Return some elements of a part that is a list for programs, each with its attributes; none without the part."""
    reader = MarkupReader(DocumentMarkup(noted=frozenset(elements)), passages)
    passages.is_silent = True
    for _ in reader.documents(name):
        pass
    passages.is_silent = False
    return reader.noted
