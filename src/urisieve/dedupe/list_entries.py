"""The meaning of a line of a list of what is known, and which column or field of a table has such lines."""

from __future__ import annotations

from collections.abc import Sequence

from urisieve.codes import Warn
from urisieve.errors import InputError
from urisieve.finding_options import DEFAULT_OPTIONS, Options, merging_of
from urisieve.identifiers import judge_whole
from urisieve.judge.judge import Judged
from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.merging import MergeStep
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.containers.contents import Content
from urisieve.sources.kinds.kind_table import HEAD_SIZE, Kind, named_kind
from urisieve.sources.kinds.sniffing import layout_of, rows_kind
from urisieve.syntax.components import without_space_around
from urisieve.syntax.host import host_as_written, ipv6_text

_COMMENT: Final = "#"
# Stands before a host that covers those below it.
COVERS: Final = "."
_IPV4: Final = lazy_compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")
_IPV6: Final = lazy_compile(r"\[?[0-9A-Fa-f:.]{2,45}\]?")
_HOST_AND_PORT: Final = lazy_compile(r"[^\s/?#@:]+\.[^\s/?#@:]+:[0-9]+")
# The longest name of a host (RFC 1035 2.3.4), and so the part of a host that can be a name with a dot before it.
LONGEST_HOST: Final = 253
_NO_HOST: Final = lazy_compile(r"[\s/?#@:]")
# The key of a line of CDX or CDXJ, which other fields follow.
_ARCHIVE_KEY: Final = lazy_compile(r"[^\s()/?#]+\)/\S*(?=\s|\Z)")
# The kinds of lines.
LINK: Final = "link"
HOST: Final = "host"
FAULT: Final = "fault"


class ListEntry(NamedTuple):
    """The meaning of a line of a list.

    Attributes:
        kind: `link` or `host`; `fault` for a line that is neither.
        text: the key of a link, or a key as it is in an index of archives; the name of a host, with a dot before it
            if it covers those below it; the reason of a fault, which quotes nothing of the line.
    """

    kind: str
    text: str


def entry_of(line: str, options: Options = DEFAULT_OPTIONS) -> ListEntry | None:
    """Return the meaning of a line; None for an empty one and a comment, which begins with `#`.

    >>> entry_of("HTTP://EXAMPLE.com")
    ListEntry(kind='link', text='http://example.com/')
    >>> entry_of("*.Example.com"), entry_of("# a comment")
    (ListEntry(kind='host', text='.example.com'), None)
    """
    text = without_space_around(line)
    if not text or text.startswith(_COMMENT):
        return None
    archived = _ARCHIVE_KEY.match(text)
    if archived is not None:
        if MergeStep.ARCHIVE_KEY in merging_of(options).steps:
            return ListEntry(LINK, archived[0])
        return ListEntry(FAULT, "the key of an archive: `--merge archive-key` compares by these")
    words = text.partition(_COMMENT)[0].split(None, 2)
    if len(words) == 2 and (_IPV4.fullmatch(words[0]) or _is_ipv6(words[0])):  # a line of a hosts file
        text = words[1]
    covers = text.startswith(("*.", ".", "||"))
    name = text
    if text.startswith("||"):  # of lists of filters
        name = text[2:].removesuffix("^")
    elif covers:
        name = text[text.index(".") + 1 :]
    if _is_ipv6(name):
        host = _ipv6(name)
        if host is not None:
            return ListEntry(HOST, host)
    if len(name) <= LONGEST_HOST + len(":65535") and _HOST_AND_PORT.fullmatch(name):
        return ListEntry(FAULT, "a host with a port: leave out the port, or write a link")
    found = None
    if not _NO_HOST.search(name) and ("." in name or not name.isascii()):
        verdict = host_as_written(name.removesuffix("."))
        host = verdict.host
        no_name = {Warn.HOST_NOT_UTF8, Warn.HOST_TOO_LONG, Warn.RARE_IPV4}.intersection(verdict.warnings)
        if verdict.reason is None and "." in host and not no_name:
            return ListEntry(HOST, f"{COVERS}{host}" if covers else host)
        if verdict.reason is not None:
            found = ListEntry(FAULT, str(verdict.reason))
    judged = judge_whole(line, options)
    if isinstance(judged, Judged):
        return ListEntry(LINK, judged.key)
    return found or ListEntry(FAULT, "not a host name" if covers else str(judged.reason))


def _is_ipv6(text: str) -> bool:
    return text.count(":") > 1 and _IPV6.fullmatch(text) is not None


def _ipv6(text: str) -> str | None:
    """Return an IPv6 address as it is in a URI, None for what is not one."""
    from ipaddress import AddressValueError

    try:
        return ipv6_text(f"[{text.removeprefix('[').removesuffix(']')}]")
    except AddressValueError:
        return None


# The names of columns and fields that contain entries, the first that is there; records of this package have `key`.
FIELDS: Final = ("url", "uri", "link", "key", "host", "domain")
_HEADER: Final = frozenset(FIELDS)
_OF_RECORDS: Final = ("uri", "key")
# The most columns that are looked at where none has such a name.
_MOST_COLUMNS: Final = 16
# The characters between the cells of tables.
_DELIMITERS: Final = (",", ";", "\t")


def row_layout(reader: BlockReader, content: Content) -> tuple[str, str]:
    """Return the kind of the rows of a content, and the character between cells; "" for lines of text."""
    kind = rows_kind(reader, content.kind)
    # `http:` in the second line makes mail of some tables.
    if kind in (Kind.JSON, Kind.JSONL) or not content.kind.is_doubtful:
        return ("", "") if kind is None else (str(kind), "")
    layout = None if kind is None else layout_of(reader, kind)
    first = reader.peek(HEAD_SIZE).decode("utf-8-sig", "replace").split("\n")[layout.above if layout else 0]
    delimiter = layout.delimiter if layout else max(_DELIMITERS, key=first.count)
    cells = [cell.strip(' "\r').lower() for cell in first.split(delimiter)]
    is_table = named_kind(content.source) in ("csv", "tsv") or (len(cells) > 1 and not _HEADER.isdisjoint(cells))
    return ("csv", delimiter) if is_table else ("", "")  # else commas are part of lines


def _chosen(has: Sequence[bool]) -> int | None:
    """Return which of `FIELDS` is read where these are there."""
    if all(has[FIELDS.index(name)] for name in _OF_RECORDS):
        return FIELDS.index("key")
    return next((index for index, is_there in enumerate(has) if is_there), None)


def entries_of_fields(fields: Sequence[Sequence[str]]) -> list[str]:
    """Return the entries of rows, of which these are the values in `FIELDS`; "" for a row without any."""
    used = [values for values in fields if any(values)]
    if len(used) == 1:
        return list(used[0])
    texts = []
    for values in zip(*fields, strict=True):
        index = _chosen(list(map(bool, values)))
        texts.append("" if index is None else values[index])
    return texts


class EntryColumn:
    """Chooses the column of a table that contains the entries."""

    def __init__(self) -> None:
        self.columns: Sequence[int] = ()
        """The columns to look at."""
        self.has_begun = False
        self._index: int | None = None

    def begin(self, names: Sequence[str], options: Options) -> list[str]:
        """Take the header; return the entry in it if it is a row like the others."""
        self.has_begun = True
        plain = [name.strip().lower() for name in names]
        index = _chosen([name in plain for name in FIELDS])
        if index is not None:
            self.columns, self._index = (plain.index(FIELDS[index]),), 0
            return []
        self.columns = range(min(len(names), _MOST_COLUMNS))
        self._index = _first_entry(names, options)
        return [] if self._index is None else [names[self._index]]

    def cells(self, columns: Sequence[Sequence[str]], options: Options) -> list[str]:
        """Return the cells that contain entries.

        Raises:
            InputError: no column of the first row contains one.
        """
        if self._index is None:
            self._index = _first_entry([cells[0] for cells in columns], options)
            if self._index is None:
                raise InputError(f"no column holds links or hosts: name the one that does, {', '.join(FIELDS)}")
        return list(columns[self._index])


def _first_entry(cells: Sequence[str], options: Options) -> int | None:
    """Return the index of the first cell that contains an entry."""
    entries = (entry_of(cell, options) for cell in cells[:_MOST_COLUMNS])
    return next((index for index, entry in enumerate(entries) if entry is not None and entry.kind != FAULT), None)
