"""What is read in what way: one frozen value for everything that is not plain text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from urisieve.errors import UsageError
from urisieve.options import choice

if TYPE_CHECKING:
    from urisieve.sources.containers.folders import PathFilter
    from urisieve.sources.containers.limits import Limits

__all__ = ["DEFAULT_READING", "Alternatives", "BinaryFiles", "Carrier", "HtmlReader", "InputKind", "ReadingOptions"]


class InputKind(StrEnum):
    """What the files are, after decompression and in archives."""

    AUTO = "auto"
    """Each what its content says: mail, HTML, JSON, JSON lines, a table, XML, a web archive, an export of the journal,
    an Outlook message, else text. Where the content leaves a doubt, the ending of the name decides."""
    TEXT = "text"
    MAIL = "mail"
    HTML = "html"
    JSON = "json"
    """JSON documents, read value by value."""
    JSONL = "jsonl"
    """A JSON value on each line."""
    CSV = "csv"
    """Tables with commas, or with semicolons where the first rows say so."""
    TSV = "tsv"
    XML = "xml"
    """XML documents: sitemaps, feeds, SVG and any other."""
    WARC = "warc"
    """Archives of the web (ISO 28500), also WET; the records of WAT are about others, and skipped."""
    JOURNAL = "journal"
    """The export format of the systemd journal."""


class BinaryFiles(StrEnum):
    """What is done with files that are not text: images, programs, databases, and what else holds NUL bytes."""

    AUTO = "auto"
    """A file that was named is read like text; those found in folders, archives and mail are skipped and counted."""
    TEXT = "text"
    """They are read like text: what stands in programs and databases is found."""
    SKIP = "skip"


class Alternatives(StrEnum):
    """What becomes of the forms of multipart/alternative (RFC 2046 5.1.4)."""

    ONCE = "once"
    """All are read, and marked so that a link of one form is not given again for another; see `Repeats`."""
    ALL = "all"
    """All are read, each for itself."""


class HtmlReader(StrEnum):
    """What reads HTML."""

    TOKENS = "tokens"
    """Tokens in the order of the file: everything has its place, and tags that are nested badly lose nothing."""
    LEXBOR = "lexbor"
    """The tree that a browser would build (extra `html`): half as fast again, without places."""


class Carrier(StrEnum):
    """What the text was escaped for."""

    HTML = "html"
    """Character references that end with a semicolon: `&amp;`, `&#38;`, `&#x26;`. Without one, `&copy=1` is a query."""
    PERCENT_U = "percent-u"
    """`%u0041`, as the old `escape` of ECMAScript wrote it (Annex B 2.1); surrogate pairs are joined."""
    BACKSLASH = "backslash"
    r"""JSON's (RFC 8259 7), C's and their kin: `\/`, `\"`, `\\`, `\n`, `\x2f`, `\057`, `\u002f`, `\u{2f}`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadingOptions:
    """How files are read.

    Every enum field also takes the plain string of a member, and a boolean where the choice is on or off; all are
    checked on construction.

    Compression and archives are opened whatever `input` is.

    Args:
        input: what the files are.
        field: of JSON and JSON lines only the values at this path (`a.b[*].c`) and below it; of the journal only this
            field.
        columns: of tables only these columns, by name or by number from 1.
        unescape: what plain text was escaped for: its escapes are undone.
        alternatives: what becomes of the forms of the same content in mail; True for `all`, False for `once`.
        binary: what is done with files that are not text; True for `text`, False for `skip`.
        html: what reads HTML, in files and in mail.
        folders: which files of folders are read; None for all that are not hidden.
        limits: what compressed files and archives may become; None for `limits.DEFAULT_LIMITS`.

    Raises:
        UsageError: a value that is none of the choices, or one that the kind of input makes no use of.
    """

    input: InputKind | str = InputKind.AUTO
    field: str | None = None
    columns: Iterable[str] = ()
    unescape: Carrier | str | None = None
    alternatives: Alternatives | str | bool = Alternatives.ONCE
    binary: BinaryFiles | str | bool = BinaryFiles.AUTO
    html: HtmlReader | str = HtmlReader.TOKENS
    folders: PathFilter | None = None
    limits: Limits | None = None

    def __post_init__(self) -> None:
        def put(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        put("input", choice(InputKind, self.input, "input"))
        put("columns", (self.columns,) if isinstance(self.columns, str) else tuple(self.columns))
        if self.unescape is not None:
            put("unescape", choice(Carrier, self.unescape, "unescape"))
        forms = (Alternatives.ONCE, Alternatives.ALL)
        put("alternatives", choice(Alternatives, self.alternatives, "alternatives", forms))
        put("binary", choice(BinaryFiles, self.binary, "binary", (BinaryFiles.SKIP, BinaryFiles.TEXT)))
        put("html", choice(HtmlReader, self.html, "html"))
        if self.html is HtmlReader.LEXBOR:
            from importlib.util import find_spec

            if find_spec("selectolax") is None:
                raise UsageError("html='lexbor' needs selectolax, which is not installed: pip install 'urisieve[html]'")
        if self.field is not None and self.input not in (InputKind.JSON, InputKind.JSONL, InputKind.JOURNAL):
            raise UsageError("a field is of JSON or of the journal: use it with input='json', 'jsonl' or 'journal'")
        if self.columns and self.input not in (InputKind.CSV, InputKind.TSV):
            raise UsageError("columns are of tables: use them with input='csv' or 'tsv'")
        if self.unescape is not None and self.input not in (InputKind.AUTO, InputKind.TEXT):
            raise UsageError(f"escapes are undone in plain text only, not with input={str(self.input)!r}")


DEFAULT_READING: Final = ReadingOptions()
