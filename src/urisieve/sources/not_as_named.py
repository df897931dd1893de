"""Files of which the name or the media type is given up: each identifier in them has a warning, and cells end it.

The text of a file that was to be a table is running text in which the delimiter of its cells ends a candidate, since
`http://a.example/,10` is a link and a number there. In quotation marks and in angle brackets it does not: there a table
has it in a cell, and a text in a link.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from urisieve.codes import Warn
from urisieve.lean import Final
from urisieve.sources.documents import Document


def not_as_named(documents: Iterable[Document]) -> Iterator[Document]:
    """Yield documents, of which each identifier is warned of."""
    return (document.warned(Warn.NOT_AS_NAMED) for document in documents)


# What ends the state that a character began: the text outside, quotation marks, angle brackets. A line ends all.
_IN_MARKS: Final = re.compile(r'["\n]')
_IN_BRACKETS: Final = re.compile(r"[>\s]")
# What a delimiter becomes: no candidate goes on over it, and it has as many characters.
_END: Final = "\t"


class CellEnds:
    """Ends cells in a text: `feed` each piece of it in turn. The text stays as long, however it is cut.

    Args:
        delimiter: the character between the cells.
    """

    def __init__(self, delimiter: str) -> None:
        self._delimiter = delimiter
        self._outside = re.compile(f'["<{re.escape(delimiter)}]')
        self._inside: re.Pattern[str] | None = None

    def feed(self, text: str) -> str:
        """Take the next piece; return it with what ends candidates in place of delimiters."""
        pieces: list[str] = []
        done = at = 0
        while True:
            found = (self._inside or self._outside).search(text, at)
            if found is None:
                break
            at = found.end()
            if self._inside is not None:
                self._inside = None
            elif found[0] == self._delimiter:
                pieces += [text[done : found.start()], _END]
                done = at
            else:
                self._inside = _IN_MARKS if found[0] == '"' else _IN_BRACKETS
        return "".join([*pieces, text[done:]]) if pieces else text
