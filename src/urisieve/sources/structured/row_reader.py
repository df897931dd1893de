"""Rows: the values of each, and its bytes or text; here those of JSON lines (RFC 8259).

One reader serves both uses of rows, the search for identifiers in their fields and their passing on unchanged; the
caller passes lines as text (`LineReader.batches`) or with their bytes (`kept_lines`), and the policy for broken rows.
`table_rows` does the same for tables.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from json import JSONDecoder

from urisieve.lean.hints import Any, Final
from urisieve.lean.values import NamedTuple
from urisieve.sources.bytes.lines import Lines, LongLine
from urisieve.sources.structured.broken_rows import TOO_LONG, RowFault, RowPolicy

__all__ = ["DECODER", "Row", "json_rows"]

# Objects are tuples of pairs, so that none is lost if a key occurs twice; control characters in strings are an error
# of the writer, and no reason to lose the line.
DECODER: Final = JSONDecoder(object_pairs_hook=tuple, strict=False)
_STRICT: Final = JSONDecoder()
# White space of JSON (RFC 8259 2), and the record separator of JSON text sequences (RFC 7464 2.2).
_AROUND: Final = " \t\r\x1e"
# A line of these alone holds nothing: form feeds and vertical tabs are not JSON, but nothing is lost with them either.
_BLANK: Final = f"{_AROUND}\v\f"


class Row(NamedTuple):
    """A row.

    Attributes:
        data: its bytes, with the end of its line; empty if they are not kept, and for Parquet.
        values: its content: a value of JSON, or the cells by name or in a list; None without content.
        number: the number of the line on which it begins, from 1.
        fault: the fault of a row that cannot be read.
        is_header: whether it names the columns.
        names: for a header, the columns.
        start: the offset at which it begins in the text, in characters, if bytes are not kept.
        text: its lines as they stand, if bytes are not kept; a line too long to be held comes in pieces, to be read
            before the next row is asked for.
    """

    data: bytes
    values: Any
    number: int
    fault: RowFault | None = None
    is_header: bool = False
    names: tuple[str, ...] = ()
    start: int = 0
    text: Iterable[str] = ()

    @property
    def size(self) -> int:
        """The number of bytes that it took."""
        return len(self.data)


def json_rows(
    batches: Iterable[Lines | LongLine], policy: RowPolicy, skips: Callable[[str], bool] | None = None
) -> Iterator[Row]:
    """Yield the rows of JSON lines; blank lines are rows only if bytes are kept.

    Args:
        batches: the lines.
        policy: the policy for broken rows; objects are dictionaries if it is strict, else tuples of pairs.
        skips: called with each line that is not blank, before it is parsed; returns whether to leave it out.
    """
    decode = (_STRICT if policy.is_strict else DECODER).decode
    for batch in batches:
        if isinstance(batch, LongLine):
            yield Row(b"", None, batch.number, TOO_LONG, start=batch.start, text=batch.pieces)
            continue
        following = batch.start
        for number, (line, data) in enumerate(zip(batch.texts, batch.data, strict=False), batch.number):
            if not line and not data:
                following += 1
                continue
            if isinstance(line, UnicodeDecodeError):
                yield Row(data, None, number, policy.not_json(line))
                continue
            start = following
            following += len(line) + 1
            text = line.strip(_AROUND)
            if not text:
                if data:
                    yield Row(data, None, number)
                continue
            if skips is not None and skips(text):
                continue
            values = fault = None
            try:
                values = decode(text)
            except (ValueError, RecursionError) as error:
                if text.strip(_BLANK):
                    fault = policy.not_json(_error_of(line, data) if data else error)
            yield Row(data, values, number, fault, False, (), start, () if data else (line,))


def _error_of(line: str, data: bytes) -> Exception:
    """Return the fault of a line that is passed on, with the offset in the line as it stands."""
    try:
        json.loads(f"{line}\n" if data.endswith(b"\n") else line)
    except (ValueError, RecursionError) as error:
        return error
    return ValueError("not a value of JSON")
