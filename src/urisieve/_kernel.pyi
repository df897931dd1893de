"""The compiled kernel; `src/kernel/` holds its sources.

Texts are `str`, in which a lone surrogate stands for itself, and offsets in them are in characters; bytes are UTF-8
unless said otherwise, and offsets in them in bytes. Lines and columns count from 1. Every call may raise `MemoryError`;
one with a wrong type of argument raises `TypeError`. What runs without the lock of the interpreter works on a copy of
bytes that are not those of a `bytes` object, so that it sees one state of what another thread may change.
"""

from array import array
from collections.abc import Callable, Collection, Sequence
from typing import Any, Self, TypeAlias, overload

_Numbers: TypeAlias = bytes | memoryview | array[int]

MERGE_STEPS: tuple[str, ...]
"""The names of `MergeStep` that `Merging` takes, in the order of their bits."""
PIVOTS: tuple[str, ...]
"""The kinds of pivots other than colons, in the order of the bits that `Search` takes."""
WANTED: tuple[str, ...]
"""What `Search.take` may be asked for, in the order of its bits."""
WARNINGS: tuple[str, ...]
"""The warnings of `Warn` that it finds, in the order of the bits of a row."""
REASONS: tuple[str, ...]
"""The reasons of `Reason` that `fault` returns."""
COMPONENTS: tuple[str, ...]
"""The components that `fault` returns, and `split`, in this order."""
FIELDS: tuple[str, ...]
"""The fields of a record, and what it makes of them."""
HIDDEN_PARTS: tuple[str, ...]
"""The parts of `RedactedPart` that `Harvest.written` replaces, in the order of their bits."""
WORDS: tuple[str, ...]
"""The whole cells that `Harvest.written` takes, in their order."""

def built_from() -> str:
    """Return what is known of the sources that it was built from; see `urisieve.kernel.built_from`."""

def counts(data: bytes | memoryview, /) -> tuple[int, int, int] | None:
    """Return the numbers of characters and of line feeds, and of the bytes before a character that the end cuts.

    None if the bytes are not valid UTF-8.
    """

def json_strings(
    data: bytes, start: int, is_lines: bool, goes_on: bool, takes_bytes: bool, field: bytes, opened: bytes, /
) -> tuple[str, bytes, bytes, bytes, bytes, bytes, bytes, bytes, int, int, int, bool]:
    """Return the strings of JSON from an offset on, joined to one text to be searched.

    Args:
        data: UTF-8, in which lone surrogates may stand, at most 2**31 - 1 bytes.
        start: the offset.
        is_lines: whether each value stands on a line of its own (JSON lines).
        goes_on: whether the document goes on behind the data: what they cut is left then.
        takes_bytes: whether a list of numbers from 0 to 255 is a string, which they are in UTF-8.
        field: what is wanted; see `urisieve.sources.structured.json_paths.JsonField`.
        opened: what the window before has left open.

    Returns:
        - the strings, each behind a `SEPARATOR`; the offset of each in that text, and behind them that of one more, and
          the offset behind the quotation mark of each, or the bracket of its list, in characters from `start` on, as
          64-bit numbers; then, as pairs of 32-bit numbers, the index of the object or list around each, -1 for a value
          of the data itself, and its key there: the number of its name (a name has its own), or -1 less its index.
        - the same offset of each name of a member, wanted or not, and the index of its object, as 32-bit numbers.
        - for each object and list the same pair, those that were open before first; what is open at the end, in 16
          bytes each, of which the first four are its index.
        - where reading ended: the offset in the data, and the characters from `start` to it; whether something stands
          there that is not JSON; whether there was anything at the path of the field.
    """

def xml_texts(
    data: bytes, end: int, is_end: bool, mode: int, is_leaf: bool, opened: bytes, links: str, link_elements: str, /
) -> tuple[str, bytes, bytes, bytes, bytes, bytes, int, int, bool, bool]:
    """Return the texts of XML that a parser has found to be well formed; `xml_scan.scanned` returns the same.

    Args:
        data: UTF-8.
        end: where it ends, in bytes.
        is_end: whether a run of text ends there as well.
        mode: where the data begin: an index of `xml_scan.MODES`.
        is_leaf: whether the innermost element holds nothing but text so far.
        opened: for each element that is open, from the outermost one, 1 if its text is a link, else 0.
        links: the attributes that are links, each behind a blank and before one.
        link_elements: the elements whose text is a link, likewise.

    Returns:
        the fields of `xml_scan.Scan`; numbers as those of 64 bits.
    """

def canonical(text: str, /) -> str | None:
    """Return the canonical form of an identifier by the default options; None if the judge has to decide."""

def fault(text: str, /) -> tuple[str, str, int] | None:
    """Return why a text is no identifier: a reason, a component, and the offset in characters.

    None if the judge has to decide.
    """

def learn_host(host: str, form: str, /) -> None:
    """Remember the canonical form of an internationalized host that has no warnings, for `canonical` and records."""

def canonical_texts(data: bytes | memoryview, offsets: bytes | memoryview, wide: bool, /) -> tuple[bytes, bytes, bytes]:
    """Return the canonical forms of many identifiers by the default options, in the layout of Arrow.

    Args:
        data: the identifiers in UTF-8.
        offsets: the offset of each in the data, in bytes, and the end of the last; rising numbers.
        wide: whether these have 64 bits, not 32.

    Returns:
        a bitmap of the forms that are made, their offsets as numbers of 32 bits, and their UTF-8; the judge decides
        about the others.

    Raises:
        OverflowError: the forms may have more than 2**31 - 1 bytes together.
        ValueError: these are not offsets in the data.
    """

def components_of_texts(
    data: bytes | memoryview, offsets: bytes | memoryview, wide: bool, name: str, /
) -> tuple[bytes, bytes, bytes]:
    """Return a component of many canonical forms, in the layout of Arrow; an empty text has none.

    Args:
        data: the forms.
        offsets: the offset of each in the data, in bytes, and the end of the last; rising numbers.
        wide: whether these have 64 bits, not 32.
        name: the name of the component, as `host`.

    Returns:
        as `canonical_texts`.

    Raises:
        OverflowError: as there.
        ValueError: these are not offsets in the data, or there is no such component.
    """

def parameters_of_texts(
    data: bytes | memoryview, offsets: bytes | memoryview, wide: bool, name: str, /
) -> tuple[bytes, bytes, bytes]:
    """Return the first value of a parameter in each of many queries, as it is written, in the layout of Arrow.

    Args:
        data: the queries.
        offsets: the offset of each in the data, in bytes, and the end of the last; rising numbers.
        wide: whether these have 64 bits, not 32.
        name: the name, compared with those of the query as forms decode them (WHATWG URL 5.1): `+` is a blank, and
            triplets are bytes.

    Returns:
        as `canonical_texts`.

    Raises:
        OverflowError: as there.
        ValueError: these are not offsets in the data.
    """

def templates(texts: list[str], /) -> list[str | None]:
    """Return the templates of links, an unchanged one as the same object; None for what it leaves to Python."""

def split(text: str, /) -> tuple[str, str | None, str | None, str | None, str, str | None, str | None] | None:
    """Return the fields of `Components` of a text; None if it does not begin with a scheme."""

def resolve(base: str, reference: str, /) -> str | None:
    """Return the target of a reference (RFC 3986 5.2.2); None if Python has to resolve it, or there is a fault."""

def ordered_digests(digests: list[bytes], /) -> tuple[bytes, list[int]]:
    """Return digests of 16 bytes, sorted, each once, concatenated; and for each the index at which it came first."""

def merged_digests(one: bytes, other: bytes, /) -> bytes:
    """Merge sorted digests of 16 bytes, all of them different."""

def met_digests(asked: bytes, run: bytes, /) -> list[int]:
    """Return the indices of those of some sorted digests that are among others, which are sorted."""

def mark_digests(marks: bytearray, asked: bytes, first: int, run: bytes, /) -> int:
    """Set the mark of each of some sorted digests, from an index on, that is in a run.

    Returns:
        the index of the first digest that is beyond all those of the run; that of the first one if the run is empty.

    Raises:
        ValueError: a digest has not 16 bytes, or there is not a mark for each.
    """

def merged_entries(
    pieces: list[tuple[bytes, bytes]], low: int, high: int, without: bytes = b"", /
) -> tuple[bytes, bytes]:
    """Merge pieces of entries as `urisieve.dedupe.store.entry_pieces.merged` does; of at most 64 pieces.

    Raises:
        ValueError: one is not a piece, or there are more.
    """

def filter_digests(table: bytearray, digests: bytes, /) -> None:
    """Enter digests into a filter, which is blocks of 64 bytes that are zero at first."""

def filtered_digests(table: bytearray, digests: bytes, /) -> list[int]:
    """Return the indices of all digests that were entered into a filter, and of some others."""

def gathered(
    keys: list[str], counts: list[int], sources: list[int], /
) -> tuple[bytes, list[int], list[tuple[int, int, bytes]]]:
    """Return the digests of keys as `urisieve.dedupe.store.store_entries.gathered` does."""

def proved_rows(merging: Merging | None, texts: list[str], /) -> tuple[Harvest, list[int]]:
    """Return those of some texts that are identifiers, by the default options and steps of merging, as whole texts.

    Returns:
        the rows, with raw texts and positions, and the indices of the texts that are not among them: the judge has to
        decide, or the form may hold a password. Keys are the canonical forms, whatever
        the steps say.
    """

def lines(data: bytes, number: int, raws: bool, /) -> tuple[Harvest, int] | None:
    """Return the lines of some bytes that are not empty, each a key, and the number of all lines.

    The offset of a key is the number of its line, the first of which has `number`; with `raws` the harvest has the
    column `raw`. None if Python has to decode the bytes: they are not valid UTF-8, or a line is too long.
    """

def table_cells(
    data: bytes, start: int, delimiter: int, longest: int, most: int, columns: list[int] | None, /
) -> tuple[str, bytes, bytes, bytes, bytes, bytes, str, bytes, bytes, int, int, bool]:
    """Return the cells of a table (RFC 4180), joined to one text to be searched, up to a row that Python has to read.

    Args:
        data: whole lines in UTF-8, in which lone surrogates may stand.
        start: the offset of the first of them that counts.
        delimiter: the character between cells, one of ASCII.
        longest: the most bytes of a cell.
        most: the bytes of the text that is searched after which no more rows are taken.
        columns: the rising indices of the columns that are searched; None for all.

    Returns:
        the cells, each behind a `SEPARATOR`; as 64-bit numbers the offset of each in that text, and behind them that of
        one more, the offset of each from the start, after its quotation mark, for each row the index of its first cell,
        and after them the number of cells, the number of lines before each row, and that of all, and the indices of
        cells that have quotation marks inside but not around them; the cells of the columns, likewise, their offsets,
        and the index of each among all; the length of what was taken, in characters as all offsets are, and in bytes;
        and whether it ends as there are enough.
    """

def cell_places(
    numbers: _Numbers,
    starts: _Numbers,
    ends: _Numbers,
    kept: _Numbers | None,
    firsts: _Numbers,
    lines: _Numbers,
    begins: _Numbers,
    line: int,
    start: int,
    /,
) -> tuple[bytes, bytes, bytes, bytes]:
    """Return where in a table something is that was found in its cells.

    All arguments but the last two are numbers of 64 bits.

    Args:
        numbers: for each finding the number of its text.
        starts: its start there.
        ends: its end there.
        kept: the index of the cell of each text; None if they are the same.
        firsts: what `table_cells` returns of rows.
        lines: likewise, the number of lines before each.
        begins: likewise, the offset of each cell.
        line: the number of the first line.
        start: what is to be added to the offsets.

    Returns:
        the number of the line of each; its column, as a number of 32 bits; its start and its end in the source.

    Raises:
        ValueError: the numbers do not fit each other.
    """

def line_places(text: str, offsets: _Numbers, at: int, line: int, first: int, /) -> tuple[bytes, bytes, int, int, int]:
    """Return the line and the column of some characters of a text, as numbers of 64 bits.

    Args:
        text: the text.
        offsets: those of the characters, which rise.
        at: an offset before them.
        line: the number of its line.
        first: the offset at which that line begins.

    Returns:
        the lines, the columns from 1, and the last offset with its line and where that begins.

    Raises:
        ValueError: the offsets do not rise, or are outside of the text.
    """

def source_offsets(
    begins: _Numbers, starts: _Numbers, widths: _Numbers, offsets: _Numbers, first: bool, texts: dict[int, str], /
) -> bytes | None:
    """Return where characters of a text are in its source, as numbers of 64 bits; see `SourceMap`.

    Args:
        begins: the offset of each run, as a number of 64 bits.
        starts: its start in the source, likewise.
        widths: how it is measured, as a number of 8 bits.
        offsets: those of the characters, as numbers of 64 bits; those that rise take the least time.
        first: whether an offset between two runs is of the second one.
        texts: the text of runs that are measured and are UTF-8, by their offsets.

    Returns:
        the offsets; None if one is left to Python.

    Raises:
        ValueError: there is not one of each for each run.
    """

def safe_cells(data: bytes, delimiter: int, /) -> tuple[bytes, int]:
    """Return rows of a table with a `'` before each cell that a spreadsheet would run, and the number of these cells.

    Args:
        data: whole rows.
        delimiter: the character between cells, one of ASCII.
    """

def table_fields(
    data: bytes, start: int, delimiter: int, columns: int, indices: tuple[int, ...], /
) -> tuple[bytes, int, tuple[tuple[bytes, bytes], ...]]:
    """Return rows of a table that are well formed beyond doubt (RFC 4180), up to one that Python has to read.

    Args:
        data: whole lines in UTF-8, at most 2**31 - 1 bytes.
        start: the offset of the first row.
        delimiter: the character between cells, one of ASCII.
        columns: the most cells of a row, and the number of those of a row over several lines.
        indices: the indices of the columns of at most 16 fields.

    Returns:
        the start of each row and the end of the last, as numbers of 32 bits; the number of their lines; and for each
        field the offsets of its texts, as such numbers, and the texts in UTF-8. A cell that is missing is empty.

    Raises:
        ValueError: there are too many bytes or fields, or the start is outside of the data.
    """

def json_fields(
    data: bytes, start: int, names: tuple[bytes, ...], /
) -> tuple[bytes, int, tuple[tuple[bytes, bytes], ...]]:
    """Return lines of JSON (RFC 8259) up to one that Python has to read: each an object with one of the fields.

    As `table_fields`; `names` are those of fields that hold strings.
    """

class Merging:
    """What a profile says of the steps that merge more than the RFCs do; it does not change.

    Args:
        steps: the steps, as bits in the order of `MERGE_STEPS`.
        kept: the parameters of `keep-params`, as `NAME*@HOST`.
        dropped: those of `drop-params`.
    """

    def __new__(cls, steps: int, kept: Sequence[str], dropped: Sequence[str], /) -> Self: ...
    def canonical(self, text: str, /) -> str | None:
        """Return the canonical form of a whole text by the default options and these steps; None if it is not known."""

    def key(self, text: str, /) -> str | None:
        """Return the key, likewise."""

    def canonical_texts(
        self, data: bytes | memoryview, offsets: bytes | memoryview, wide: bool, /
    ) -> tuple[bytes, bytes, bytes]:
        """Return what the function `canonical_texts` returns, by the default options and these steps."""

class LineHours:
    """The times of the lines of a text that comes as bytes; see `urisieve.sources.hours.LineHours`.

    Args:
        minute_of: called with a minute as it is stated and its zone, "" without one, as
            `urisieve.syntax.time_forms.minute_of`; returns the minute and its hour, None for each if there is none.
        context_of: called with the values of a context, as one tuple; returns the context.
        keep: the number of bytes that are kept behind the last piece.
        continued: the distance in bytes at which a line without a time has that of one before it.
    """

    def __new__(
        cls,
        minute_of: Callable[[str, str], tuple[str | None, str | None]],
        context_of: Callable[[tuple[str | None, str, None, None, None]], Any],
        keep: int,
        continued: int,
        /,
    ) -> Self: ...
    def restart(self, offset: int, /) -> None:
        """Begin another text, or its part from an offset on, which is the start of a line."""

    def feed(self, data: bytes | memoryview, /) -> None:
        """Take the next piece."""

    @overload
    def hours(self, offsets: list[int], /) -> list[str | None]:
        """Return the hour of the line of each offset in the text.

        Raises:
            ValueError: an offset is not in the text that is kept.
        """

    @overload
    def hours(self, harvest: Harvest, name: str, /) -> list[str | None]:
        """Return the same for a column of offsets.

        Raises:
            ValueError: it is no such column, or `take` was not asked for it.
        """

    @overload
    def contexts(self, offsets: list[int], /) -> tuple[list[Any], bytes]:
        """Return the contexts of lines, and for each offset the index of that of its line, as a number of 32 bits.

        Raises:
            ValueError: an offset is not in the text that is kept.
        """

    @overload
    def contexts(self, found: Harvest, column: str, /) -> tuple[list[Any], bytes]:
        """Return the same for the rows of a harvest, by the column with their offsets."""

class Search:
    """A search for candidates in text that comes in pieces; it runs without the lock of the interpreter.

    Its rows are found by `run`, with the help of the finder where that returns true, and handed over by `take`, once
    all candidates of the memo have been judged. `KernelSearch` drives it.

    Args:
        limit: the length of the longest candidate, in characters.
        proves: which canonical forms it may make itself: 0 those of what is written so, 1 those of RFC 3986 6.2.2, 2
            those of 6.2.3.
        maps_wide: whether characters beyond ASCII are mapped as they are (RFC 3987 3.1 step 1c).
        names_readings: whether the other readings of candidates are asked for, which only the finder knows.
        takes_unknown: whether schemes that are not registered are found.
        ignores_shapes: whether a scheme without "//" takes whatever follows it.
        leaves_urns: whether URNs are left to the finder and the judge.
        nests: whether identifiers in identifiers are reported.
        repairs: whether a candidate may hold what no identifier may.
        refangs: whether defanged identifiers are found.
        spoofing: whether it leaves forms to the judge that may have a warning about spoofing: those with odd names or
            addresses of hosts, and with hosts that may resemble protected names.
        protected: the skeletons of labels of such names.
        looks: the characters of ASCII with a skeleton that is not their own, and after each its skeleton.
        wanted: the names of the only schemes to find; None for those of the policy.
        unwanted: the names of schemes that are not found.
        known: the names of schemes that count as registered.
        ruled: the names of schemes with rows that only Python knows.
        pivots: the kinds of pivots other than colons, as bits in the order of `PIVOTS`.
        top_levels: the top-level domains that end a name without a scheme.
        doubtful: those that end one if a slash follows.
        endings: the endings of files that end no domain of an address.
        merge: the steps that follow the canonical forms, or None.

    Raises:
        RuntimeError: from any method, while another thread is in one.
    """

    def __new__(
        cls,
        limit: int,
        *,
        proves: int,
        maps_wide: bool,
        names_readings: bool,
        takes_unknown: bool,
        ignores_shapes: bool,
        leaves_urns: bool,
        nests: bool,
        repairs: bool,
        refangs: bool,
        spoofing: bool,
        protected: Collection[str],
        looks: Collection[str],
        wanted: Sequence[str] | None,
        unwanted: Sequence[str],
        known: Sequence[str],
        ruled: Sequence[str],
        pivots: int,
        top_levels: Sequence[str],
        doubtful: Sequence[str],
        endings: Sequence[str],
        merge: Merging | None,
    ) -> Search: ...
    @property
    def stray(self) -> int:
        """The number of bytes that did not decode."""

    @property
    def held(self) -> int:
        """The number of bytes of memory that it holds."""

    @property
    def decided(self) -> int:
        """The number of characters from the start of the text in which nothing more will be found."""

    @property
    def decided_bytes(self) -> int:
        """The same in bytes, for text that came as bytes whose offsets are asked for."""

    @property
    def judged(self) -> int:
        """The number of candidates in the memo, those that wait for their judgement included."""

    def feed(self, text: str, /) -> bool:
        """Append text; return whether it is worth a `run`."""

    def finds(self, text: object, /) -> bool | None:
        """Report whether a whole short text has an identifier; None if that is left to Python, as what is no text is.

        What was fed to the search is forgotten.
        """

    def feed_bytes(self, data: bytes | memoryview, final: bool, /) -> bool:
        """Append bytes, the last ones if `final`; return whether they are worth a `run`.

        A byte that does not decode is one lone surrogate (PEP 383).
        """

    def run(self, final: bool, /) -> bool:
        """Search on, to the end of the text if `final`; return whether the finder has to decide about a colon."""

    def window(self, size: int, /) -> tuple[str, int, int, int]:
        """Return text around that colon, with at most `size` bytes from it on.

        Returns:
            the text; in it the offset of the colon, and that before which no candidate begins; and 1 if the text goes
            to the end of what has come, else 0. All offsets that the finder hands back are in this text.

        Raises:
            RuntimeError: `run` has not stopped there; the methods down to `skip` raise it too.
        """

    def dismiss(self) -> None:
        """Go on behind the colon: there is no candidate."""

    def settle(self, start: int, end: int, uri: str | None, key: str | None, warned: bool, password: bool, /) -> None:
        """Go on behind a candidate that the finder has found from `start` to `end` in the window.

        Args:
            start: the offset of its first character.
            end: the offset after its last character.
            uri: its canonical form; None if it is rejected, and so for `key`.
            key: its key.
            warned: whether it has warnings.
            password: whether one of them is that of a password.

        Raises:
            ValueError: the end comes before the start.
        """

    def hold(self, start: int, /) -> None:
        """Stop at the colon until more text has come; the text from an offset of the window on is needed again."""

    def skip(self, urn: bool, /) -> None:
        """Skip the rest of a candidate that is too long, by the characters of a URN or of any other URI."""

    def unjudged(self) -> list[str]:
        """Return the candidates in the memo that wait for their judgement, in the order of `judge`."""

    def judge(self, uri: str | None, key: str | None, warned: bool, password: bool, /) -> None:
        """Enter the judgement of the first candidate that waits; the arguments are those of `settle`.

        Raises:
            RuntimeError: none waits.
        """

    def trust(self, host: str, /) -> None:
        """Remember that a host has no warning about spoofing."""

    def take(self, wanted: int, /) -> Harvest | None:
        """Hand over the rows found, and forget the text that is decided; None if there are no rows.

        Args:
            wanted: what is needed beyond canonical forms and keys, as bits in the order of `WANTED`: raw texts, offsets
                in characters, lines and columns, offsets in bytes.

        Raises:
            RuntimeError: a candidate in the memo waits for its judgement.
        """

    def make_room(self) -> int:
        """Forget the older half of the memo if it has grown too large and no row refers to it; return how many."""

    def segments(self, text: str, begins: bytes | memoryview, kinds: bytes, /) -> bytes:
        """Search a whole text of segments that are joined; each is a text of its own, but for the offsets of rows.

        Args:
            text: the segments, each after a separator.
            begins: the offset of each, and one more after the last; rising numbers of 64 bits.
            kinds: for each the sum of 1 for a link, which is one candidate, and 2 for a text of a legacy charset.

        Returns:
            the numbers of those that are left to Python, of 64 bits.

        Raises:
            ValueError: the offsets do not fit the text.
        """

    def restart(self) -> None:
        """Forget the text and the rows, and begin another text; the memo stays."""

    def enter(self, context: str, characters: int, lines: int, size: int, /) -> None:
        """Begin behind some characters, line feeds and bytes (`size`) of a text, the last of which are `context`."""

class Harvest:
    """Identifiers and rejected candidates in some text, as columns; it does not change.

    `len` is the number of identifiers, the rows. A number among specials is the index of a judgement in the memo, or of
    a candidate of the finder, which are numbered behind them.
    """

    def __len__(self) -> int: ...
    @property
    def has_warnings(self) -> bool:
        """Whether a row has a warning."""

    @property
    def has_passwords(self) -> bool:
        """Whether a row has a password."""

    @property
    def has_keys(self) -> bool:
        """Whether a key differs from its canonical form."""

    def lines(self) -> bytes:
        """Return the canonical forms, each with a line feed behind it."""

    def column(self, name: str, warnings: tuple[Any, ...] = ..., /) -> list[Any]:
        """Return the values of a column; for `warnings` from a table with a tuple for each set of bits.

        Raises:
            ValueError: there is no such column, `take` was not asked for it, or the table is missing.
        """

    def selected(self, indices: list[int], /) -> Harvest:
        """Return the rows at some indices, in their order, without the rejected candidates.

        Raises:
            IndexError: there is no such row.
        """

    def worded(self, uris: list[bytes], keys: list[bytes], raws: list[bytes], /) -> Harvest:
        """Return the rows with other canonical forms, keys and raw texts, without the rejected candidates.

        All else stays: what is known of a row may be of the texts before.

        Raises:
            ValueError: there is not one of each for each row, or one is too long.
        """

    def placed(self, columns: tuple[tuple[str, array[int] | memoryview], ...], /) -> Harvest:
        """Return the rows with other numbers in some columns, without the rejected candidates.

        Args:
            columns: the names of columns and their numbers, one of 64 bits for each row; `line` comes before `column`,
                and `byte_start` before `byte_end`.

        Raises:
            ValueError: there is no such column of numbers, or there are more or fewer numbers than rows.
        """

    def hosts(self) -> tuple[list[str | None], bytes]:
        """Return the different hosts of the canonical forms, in the order in which they come; None for no host.

        Behind them stands for each row the number of its host, as numbers of 32 bits.
        """

    def rows(
        self, source: str | None, location: Any, warnings: tuple[Any, ...], indices: list[int] | None = ..., /
    ) -> list[tuple[Any, ...]]:
        """Return the rows at some indices, or all, in the order of `RecordFields`.

        Args:
            source: the source of all rows.
            location: the location of all rows.
            warnings: the table of `column`.
            indices: the indices; None for all.

        Raises:
            ValueError: `take` was not asked for raw texts, or the table has another size.
            IndexError: there is no such row.
        """

    def warned(self) -> list[int]:
        """Return the indices of the rows with warnings that the kernel has found."""

    def wrappers(self) -> list[str | None]:
        """Return the different wrappers of the rows, in the order in which they come; at most 32."""

    def written(
        self,
        columns: tuple[str | bytes | tuple[list[bytes], bytes], ...],
        before: tuple[bytes, ...],
        marks: tuple[bytes, bytes],
        plain: bytes,
        words: tuple[bytes, ...],
        wrappers: tuple[bytes, ...],
        warnings: tuple[bytes, ...],
        leaves_urns: bool,
        indices: list[int] | None,
        hiding: tuple[int, int, bool, bytes | None, bytes | None] | None,
        others: Callable[[list[int]], list[bytes]],
        /,
    ) -> bytes:
        """Return the lines of some rows, one after the other; see `cells.h`.

        Args:
            columns: names of fields of a record; or a number of 64 bits for each row of the harvest; or the cells of a
                column, and for each row the index of its own, as a number of 32 bits.
            before: the text before each column, and behind the last.
            marks: what stands before and behind a text, and what stands for an absent value.
            plain: for each ASCII character 1 if it stands for itself, 2 if it does in a text between quotation marks
                (`"`), 0 for any other one.
            words: the cells of the kinds `uri`, `iri`, `urn`, of the four kinds of hosts (`reg-name`, `ipv4`, `ipv6`,
                `ipvfuture`), and of a row without alternatives.
            wrappers: the cell of each of `wrappers`.
            warnings: the cell of each set of warnings, by their bits.
            leaves_urns: whether URNs are left to Python.
            indices: the indices of the rows; None for all.
            hiding: how the values leave, None as they are: the parts of identifiers that are replaced, as bits in the
                order of `HIDDEN_PARTS`; the warnings of raw texts that are not laid out as the canonical form is, in
                that of `WARNINGS`;
                whether no value is a link; for each of `hosts` 1 if all parts behind it are replaced, if some are, else
                None; and the secret of the digests in keys.
            others: writes the lines of the rows at some indices that are left to Python.

        Raises:
            ValueError: an argument has another number of texts, `others` does not return a line for each index, there
                is no such column, or `take` was not asked for it.
            IndexError: there is no such row.
        """

    def each(
        self,
        columns: tuple[str | bytes | tuple[list[bytes], bytes], ...],
        before: tuple[bytes, ...],
        marks: tuple[bytes, bytes],
        plain: bytes,
        words: tuple[bytes, ...],
        wrappers: tuple[bytes, ...],
        warnings: tuple[bytes, ...],
        leaves_urns: bool,
        indices: list[int] | None,
        hiding: tuple[int, int, bool, bytes | None, bytes | None] | None,
        others: Callable[[list[int]], list[bytes]],
        /,
    ) -> list[bytes]:
        """Return the line of each of some rows; as `written`."""

    def followed(self) -> list[tuple[int, int, str]]:
        """Return the rows whose last segment may be prose: index, bits of warnings, the text before that segment.

        The raw texts must be wanted; without them there are none.
        """

    def specials(self) -> list[tuple[int, int, int]]:
        """Return the rows of which only Python knows all: index, number among specials, bits of warnings."""

    def buffers(self, names: tuple[str, ...], /) -> list[tuple[bytes | None, ...]]:
        """Return some columns in the layout of Arrow: raw texts, canonical forms, keys, positions, components.

        Numbers are no bitmap and numbers of 64 bits; texts are a bitmap of those that are present (None for all),
        offsets as numbers of 32 bits, and UTF-8.

        Raises:
            OverflowError: the texts of a column have more than 2**31 - 1 bytes together.
            ValueError: there is no such column, or `take` was not asked for it.
        """

    def in_texts(self, begins: bytes | memoryview, first: int, /) -> tuple[bytes, bytes, bytes]:
        """Return the number of the text that each row is in, and its start and end there; numbers of 64 bits.

        Args:
            begins: the offset of each text in the whole, in characters; rising numbers of 64 bits.
            first: the number of a text from which on the rows come.

        Raises:
            ValueError: there is no text of that number, or `take` was not asked for offsets.
        """

    def unfilled(self, whole: str, begins: bytes | memoryview, skipped: list[int], /) -> list[int]:
        """Return the indices of the texts that begin as links, and that no row takes from there to the end.

        Args:
            whole: the texts, each behind a `SEPARATOR`.
            begins: the offset of each in it, in characters, and of one more; rising numbers of 64 bits.
            skipped: the rising indices of rows that do not count.

        Raises:
            ValueError: the offsets do not fit the whole, or `take` was not asked for offsets.
        """

    def joined(
        self,
        order: list[int],
        uris: list[bytes],
        keys: list[bytes],
        raws: list[bytes],
        numbers: bytes,
        flags: bytes,
        /,
    ) -> Harvest:
        """Return some rows and others, without what is rejected.

        Args:
            order: the indices of the rows; those of the others follow on those of the harvest.
            uris: the canonical form of each other one, in UTF-8.
            keys: its key.
            raws: its raw text.
            numbers: its start, end, line, column, and its offsets in bytes; numbers of 64 bits.
            flags: 1 if only Python knows all of it, and 2 more if it has a password.

        Raises:
            ValueError: there is not one of each for each other row.
            IndexError: there is no such row.
        """

    def rejected(self) -> list[tuple[int, int, str, int, int, int, int, int, int]]:
        """Return the rejected candidates.

        Each is the number of rows before it, its number among specials, its text, start and end in characters, line,
        column, start and end in bytes; what `take` was not asked for is not set.
        """

class KeySet:
    """A set of keys, held as keyed digests of 128 bits; equal keys have equal digests in sets of the same seed only.

    Args:
        seed: 16 random bytes.

    Raises:
        ValueError: the seed has another size.
    """

    def __new__(cls, seed: bytes, /) -> KeySet: ...
    def __len__(self) -> int: ...
    def __contains__(self, key: str, /) -> bool: ...
    def add(self, key: str, /) -> bool:
        """Add a key; return whether it is new."""

    def has_room(self, more: int, limit: int, /) -> bool:
        """Report whether some more keys fit into a number of bytes."""

    def unseen_indices(self, keys: list[str], /) -> list[int]:
        """Add keys; return the indices of those that are new, in rising order."""

    def absent(self, keys: list[str], /) -> tuple[list[int], list[bytes]]:
        """Return the indices of the keys that it does not hold, in rising order, and their digests; add none."""

    def held(self, keys: list[str], /) -> bytes:
        """Return a byte for each key, 1 if it holds the key, else 0; add none."""

    def digest(self, key: str, /) -> bytes:
        """Return the digest of a key, 16 bytes."""

    def digests(self) -> bytes:
        """Return all digests, in any order."""

    def add_digests(self, digests: bytes, /) -> None:
        """Add digests of another set of the same seed.

        Raises:
            ValueError: these are not digests.
        """

    def unseen_lines(self, harvest: Harvest, digests: bytes | None = None, /) -> tuple[bytes, int]:
        """Add the keys of a harvest; return the new canonical forms, each with a line feed, and their number.

        Args:
            harvest: the rows.
            digests: the digests of their keys, as `digests_of` of a set with the same seed returns them; None to make
                them.

        Raises:
            ValueError: these are not as many digests as there are rows.
        """

    def digests_of(self, harvest: Harvest, /) -> bytes:
        """Return the digests of the keys of a harvest, 16 bytes each; the set is neither changed nor looked at."""

class NameTable:
    """Counts of names: how often each came, and how many keys came with it first; `len` is the number of names.

    Args:
        seed: 16 random bytes.

    Raises:
        ValueError: the seed has another size.
    """

    def __new__(cls, seed: bytes, /) -> NameTable: ...
    def __len__(self) -> int: ...
    @property
    def size(self) -> int:
        """The number of bytes of memory that it takes."""

    def add(self, counts: dict[str, int], fresh: dict[str, int], /) -> None:
        """Add names with how often they came, and with how many keys came with them first."""

    def rows(self, position: int, most: int, /) -> list[tuple[str, int, int]]:
        """Return at most `most` names with both numbers, from a position in the order of their appearance on."""

    def best(self, most: int, /) -> tuple[int, int, list[tuple[str, int, int]]]:
        """Return the number of names but the empty one, the sum of their counts, and the most frequent as rows."""

    def packed(self, parts: int, /) -> list[bytes]:
        """Return the names with both numbers as bytes for `add_packed`, in parts: equal names are in the same one.

        Raises:
            ValueError: there are more parts than 65,535, or none.
        """

    def add_packed(self, data: bytes, /) -> None:
        """Add names that were packed.

        Raises:
            ValueError: these are not packed names.
        """

    def add_hosts(self, heads: KeyTable, /) -> tuple[list[tuple[str, int, int]], list[tuple[str, int, int]]]:
        """Add the hosts of the heads that `KeyTable.add_heads` has counted.

        Returns:
            rows of their schemes; and rows of the heads that count nowhere here: those of URNs, and without a scheme.
        """

    def add_templates(self, harvest: Harvest, fresh: list[int], first: int, /) -> tuple[list[int], bytes]:
        """Add the templates of the canonical forms of a harvest.

        Args:
            harvest: the rows.
            fresh: the indices of those with a new key, in rising order.
            first: the number of the first row.

        Returns:
            the indices of the rows that Python has to decide: whose templates it does not know, that may contain a
            password, or that are longer than an example; and examples: for each of the first three links of a template
            the template, the link, and the number of its row, each with a line feed.
        """

    def add_domains(self, hosts: NameTable, rules: NameTable, /) -> list[tuple[str, int, int]]:
        """Add the registrable domains of hosts; return the rows of hosts that Python has to decide.

        Args:
            hosts: another table.
            rules: the rules of the public suffix list, counted as `urisieve.rules.registry.suffixes` has them.

        Raises:
            ValueError: one of them is this table.
        """

class KeyTable:
    """Counts of keys, in the order of their first appearance; `len` is the number of keys.

    An order is a list of indices of keys; None stands for the order of first appearance. A source is a number.

    Args:
        seed: 16 random bytes.

    Raises:
        ValueError: the seed has another size.
    """

    def __new__(cls, seed: bytes, /) -> KeyTable: ...
    def __len__(self) -> int: ...
    @property
    def size(self) -> int:
        """The number of bytes of memory that it takes."""

    @property
    def has_locations(self) -> bool:
        """Whether an appearance has a location in its source."""

    def add_harvest(self, harvest: Harvest, source: int, location: Any, /) -> None:
        """Add an appearance of the key of each row, in a source and a location there.

        Raises:
            ValueError: the harvest has no raw texts.
        """

    def add(
        self,
        key: str,
        uri: str | None,
        count: int,
        source: int,
        first: int,
        last: int,
        first_location: Any,
        last_location: Any,
        spellings: tuple[str, ...] | None,
        /,
    ) -> None:
        """Add appearances of a key in one source.

        Args:
            key: the key.
            uri: its canonical form; None if that is the key.
            count: the number of appearances.
            source: their source.
            first: the offset of the first one.
            last: the offset of the last one.
            first_location: the location of the first one, or None.
            last_location: the location of the last one, or None.
            spellings: their different raw texts; None for the key alone.
        """

    def add_heads(
        self, harvest: Harvest, keys: KeySet, others: tuple[KeySet, ...], digests: bytes | None = None, /
    ) -> tuple[list[int], list[int]]:
        """Add the keys of a harvest to a set, and the head of each canonical form to this table, as a key.

        A head is the scheme and the authority, or the namespace of a URN. The offset of its first appearance is the
        number of new keys with it.

        Returns:
            the indices of the rows with a new key; and of those that are more than their key: whose raw text differs
            from it, or is not ASCII, whose canonical form differs, whose key came first so in this harvest, or is in
            one of the other sets.

        Raises:
            ValueError: the harvest has no raw texts, or these are not as many digests as there are rows.
        """

    def rows(self, order: list[int] | None, position: int, most: int, /) -> list[tuple[Any, ...]]:
        """Return the counts of at most `most` keys, from a position in an order on.

        Each is the key, its canonical form, its count, the number of its sources; source, location and offset of the
        first appearance, then of the last one; and its spellings.

        Raises:
            IndexError: the order names a key that is not there.
        """

    def lines(
        self, order: list[int] | None, position: int, most: int, least: int, names: list[bytes] | None, /
    ) -> tuple[bytes, int]:
        """Return lines of text of at most `most` keys, from a position in an order on, and the position behind them.

        Args:
            order: the order.
            position: the position.
            most: the most lines.
            least: the least count of a key that gets a line.
            names: the text before an offset in each source; None for lines of the canonical form alone.

        Raises:
            IndexError: the order names a key that is not there, or `names` lacks a source.
        """

    def packed(self, parts: int, run: int, shift: int, dump: Callable[[Any], bytes], /) -> list[bytes]:
        """Return the keys as bytes for `add_packed`, in parts.

        Args:
            parts: the number of parts.
            run: the number of this table: what the order of first appearance begins with, unless the keys were packed
                before; then they keep theirs.
            shift: the first bit of the hash of a key by which its part is chosen; a negative number for the run in
                which it appeared first.
            dump: returns a location as bytes.

        Raises:
            ValueError: there are more parts than 65,535, or fewer than runs.
        """

    def add_packed(self, data: bytes, load: Callable[[bytes], Any], source: int, /) -> None:
        """Add keys that were packed, behind those that are there.

        Args:
            data: the bytes.
            load: returns the location of which `dump` has made some bytes.
            source: the source of all of them, which have one only; a negative number for those that were packed. In
                the first case they have no number of their first appearance.

        Raises:
            ValueError: these are not packed counts, or they have several sources.
        """

    def first_numbers(self) -> list[int]:
        """Return a number for each of the first keys, which were packed before: it rises with first appearance."""

    def numbers(self) -> list[int]:
        """Return the count of each key."""

    def uris(self) -> list[str]:
        """Return the canonical form of each key."""

    def other_sources(self) -> list[tuple[int, int]]:
        """Return pairs of the index of a key and one of its sources other than its first one."""

class RecordBase:
    """The fields of one record: a tuple of them, or packed as the kernel has found them. Records are of a subclass.

    Attributes:
        _row: the fields, in the order of `RecordFields`; it may be set once, on an empty record.
        _parts: the components of the URI, once they are known; None before.
        _ruled: the rule table, if it is not the usual one; `AttributeError` without one, as for `_row`.
    """

    _row: tuple[Any, ...]
    _parts: Any
    _ruled: Any
    @classmethod
    def _found(cls, harvest: Harvest, shared: tuple[Any, ...], ruled: object, /) -> list[Self]:
        """Return the records of a harvest, with what they share and their rule table or None.

        Raises:
            ValueError: the harvest has no raw texts.
        """

    @classmethod
    def _searched(
        cls, search: Search, shared: tuple[Any, ...], ruled: object, lines: bool, text: str, /
    ) -> list[Self] | None:
        """Return the records of a whole short text; None if something in it is left to Python, or is rejected.

        Args:
            search: a search of such texts alone; what was fed to it is forgotten.
            shared: what `_found` takes, too.
            ruled: the rule table, or None.
            lines: whether lines are counted.
            text: the text.
        """

    @classmethod
    def _proved(cls, text: str, shared: tuple[object, ...], /) -> Self | None:
        """Return the record of a text that is one identifier; None if the judge has to decide.

        Args:
            text: the whole text.
            shared: what `_found` takes, too.
        """

class HtmlReader:
    """Reads windows of HTML.

    Args:
        elements: the names of elements and their flags; see `html.h`.
        attributes: the names of attributes that may hold links, and how they do.
        resolve: returns the text of a character reference as written, given whether it stands in an attribute (1 or 0).

    Raises:
        ValueError: there are too many names, or one is too long.
    """

    def __new__(
        cls,
        elements: Sequence[tuple[str, int]],
        attributes: Sequence[tuple[str, int]],
        resolve: Callable[[str, int], str],
    ) -> HtmlReader: ...
    def read(
        self, text: str, final: bool, limit: int, base: str | None, is_declared: bool, takes_every_value: bool, /
    ) -> HtmlPage | None:
        """Read a window, the last one if `final`; None if it is to be read in Python.

        Otherwise the page ends where a line or a token does; a token that is longer than `limit` characters is not left
        for later. Without a base relative references are skipped; otherwise they are resolved, and tags with those that
        are not plain are to be read in Python. Where an element declares the base, and none has declared it before, the
        page holds nothing but that: it is to be read again. The values of attributes that have no sign of an identifier
        are left out, unless each is taken.

        Raises:
            RuntimeError: another thread is reading.
            ValueError: a character reference stands for a text that is too long.
        """

class HtmlPage:
    """A window of HTML: its running text, that of its comments, and its links.

    Offsets in the source are characters of the window; links, tags and style sheets to be read in Python have one row
    of numbers. A number that is not one of them raises `IndexError`.
    """

    @property
    def stop(self) -> int:
        """The offset in the source at which the page ends."""

    @property
    def is_done(self) -> bool:
        """Whether it is complete; otherwise more of the source is needed to find its end."""

    @property
    def count(self) -> int:
        """The number of links, and of tags and style sheets to be read in Python."""

    @property
    def value_count(self) -> int:
        """The number of values of attributes that are no links; their numbers follow those of the links."""

    @property
    def base(self) -> str | None:
        """The base that an element declares; None if none does, or one has declared it before."""

    def text(self, number: int, /) -> str:
        """Return a text: 0 is the running text, 1 that of comments, 2 those of attributes, joined by a separator."""

    def has_text(self, number: int, /) -> bool:
        """Report whether a text is more than white space."""

    def lines(self) -> tuple[int, int]:
        """Return the number of line feeds in the source, and of characters after the last one, up to `stop`."""

    def source(self, offset: int, number: int, is_end: bool, /) -> int:
        """Return the offset in the source of a character of a text, or the end of the character before it."""

    def link(self, number: int, /) -> str:
        """Return a link as it is found, or the value of an attribute, its references resolved."""

    def links(self, first: int, stop: int, /) -> tuple[str, bytes]:
        """Return some links, or values, each after a separator, and the offset of each, and one more, 64 bits each.

        Args:
            first: the number of the first one.
            stop: the number after that of the last one.

        Raises:
            IndexError: there are no such links.
        """

    def item(self, number: int, /) -> tuple[int, str, str, int, int, int, int]:
        """Return the kind of a link, the names of its element and attribute, its tag, its own start, and a size.

        The kind is 0 for a link, 1 for a tag and 2 for a style sheet to be read in Python, and 3 for the value of an
        attribute. The names are as they are written; that of the attribute is "" if there is none. Start and end are
        offsets in the source; that of the link is -1 if it, or its reference, is not written there as it is. The size
        is that of the relative reference whose target it is, 0 if it is not one.
        """

    def places(
        self, numbers: _Numbers, starts: _Numbers, ends: _Numbers, base: int, /
    ) -> tuple[list[tuple[str, str]], bytes, bytes, bytes, list[int]]:
        """Return where in the source something is that was found in links and values.

        Args:
            numbers: the number of the link or value of each, as a number of 64 bits.
            starts: its start there, likewise.
            ends: its end there.
            base: what is to be added.

        Returns:
            names of elements and attributes, for each finding the index of its own, as a number of 32 bits, its start
            and its end in the source, as numbers of 64 bits, and the indices of those of which these are left.

        Raises:
            ValueError: there is not one of each.
        """

    def reference(self, number: int, /) -> str | None:
        """Return the relative reference whose target a link is, its references resolved; None if it is not one."""

    def shown(self) -> list[tuple[int, str]]:
        """Return the numbers of the links whose visible text may be a link, and that text."""

    def special(self) -> list[int]:
        """Return the numbers of the tags and style sheets that are to be read in Python."""

    def skipped(self) -> tuple[int, int]:
        """Return the number of references into the document itself, and of relative ones, which are not links here."""

class MailReader:
    """Reads the plain messages of a mailbox, many at once, each as the texts that `urisieve.sources.mail` makes of it.

    Args:
        opaque: the names, in lower case, of fields that are never searched.
        ids: those of fields that hold message identifiers.
        judge: called with the values of `Content-Type`, `Content-Transfer-Encoding` and `Content-Disposition`, None for
            one that is not there, and the first bytes of a page if they may state its character set, else None; returns
            how such a body is read, the sum of the numbers in mail.h, and the 128 characters of the bytes above ASCII,
            or None. Its answers are remembered, but for those about such first bytes.
        skip: called with the same values and the body of an attachment; returns the number of the reason for which it
            is skipped, None if Python has to read it. It is needed only if parts are read.
        decode: called with a value that has encoded words; returns its text, or None if Python has to read the message.
        reads_parts: whether pages, and messages of several parts, are read.
        every_field: whether fields without a sign of an identifier are texts, too, and values of attributes in pages.
    """

    def __new__(
        cls,
        opaque: Sequence[str],
        ids: Sequence[str],
        judge: Callable[[bytes | None, bytes | None, bytes | None, bytes | None], tuple[int, str | None]],
        skip: Callable[[bytes | None, bytes | None, bytes | None, bytes], int | None] | None,
        decode: Callable[[bytes], str | None],
        reads_parts: bool,
        every_field: bool,
    ) -> MailReader: ...
    def use_html(self, reader: HtmlReader, /) -> None:
        """Read pages with a reader that is used for nothing else; without one they are left to Python."""

    def read(
        self, data: bytes | bytearray, base: int, searched: int, final: bool, most: int, /
    ) -> tuple[MailTexts, int, int]:
        """Read the plain messages at the start of some bytes, which begin with an envelope line.

        Args:
            data: the bytes.
            base: their offset in the mailbox, in bytes.
            searched: no message but the first begins before this offset in the data.
            final: whether these are the last bytes of the mailbox.
            most: the size of the texts after which it stops, in bytes.

        Returns:
            the texts; 0 if it took all or enough, 1 if Python has to read the next message, 2 if more of it is needed;
            and `searched` for the next call with the same data and more.

        Raises:
            RuntimeError: it is called by what it has called.
        """

class MailTexts:
    """The texts of plain messages: fields of headers, and bodies."""

    @property
    def count(self) -> int:
        """The number of texts."""

    @property
    def messages(self) -> int:
        """The number of whole messages."""

    @property
    def taken(self) -> int:
        """The number of bytes of the whole messages."""

    @property
    def left(self) -> int:
        """That of the message behind them if its fields are among the texts, and its body is left; else 0."""

    def text(self, number: int, /) -> str:
        """Return a text by its number; IndexError without it."""

    def item(self, number: int, /) -> tuple[int, str | None, int | None, int]:
        """Return what is known of a text.

        It is the number of its message, from 0; the name of its field, None for a body; the offset of its first byte
        in the mailbox, None if it was decoded; and 1 if each of its characters was one byte, else 0.
        """

    @property
    def has_parts(self) -> bool:
        """Whether a message has several parts, or is a page."""

    @property
    def has_forms(self) -> bool:
        """Whether there are several forms of one content among the texts (multipart/alternative)."""

    @property
    def counts(self) -> tuple[int, int, int, int, tuple[int, ...]]:
        """What Python counts when it reads these messages.

        It is the number of parts, of pages, of references into their document and of relative ones that are skipped,
        and of parts that are skipped, by their reason.
        """

    def body(self, number: int, /) -> tuple[int, int, int, bool, bytes]:
        """Return where a message begins in the data that were read, by its number, and other things.

        They are its size, with its envelope line; the number of the first text of its body; whether it has several
        parts or is a page; and the value of its Message-ID, empty without one.
        """

    def joined(self) -> tuple[str, bytes, bytes]:
        """Return all texts, each after a separator, the offset of each, and one more, and the kinds.

        The offsets are characters, numbers of 64 bits; the kinds are those of `Search.segments`.
        """

    def form(self, number: int, /) -> tuple[int, int] | None:
        """Return the number of a content of which a text is a form, and that of the form; None if it is of none."""

    def shown(self) -> list[tuple[int, str]]:
        """Return the numbers of the links whose visible text may be a link, and that text."""
