"""Compares the hosts that parsers read with those of records; counts what differs, and whether a warning tells it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final, NamedTuple
from urllib.parse import unquote_to_bytes

from hosts.parsers import HostParser
from urisieve import Record, check, extract
from urisieve.codes import Warn
from urisieve.syntax.components import split
from urisieve.syntax.host import host_as_written

__all__ = ["COLUMNS", "TABLES", "WEB", "Counts", "Disagreement", "Kind", "compare", "kind_of"]

WEB: Final = frozenset(("http", "https", "ws", "wss", "ftp"))
"""The schemes whose hosts are names of the DNS for every parser."""
TABLES: Final = {
    "canonical": "the canonical URI, schemes of the web",
    "others": "the canonical URI, other schemes",
    "raw": "the text of a valid link of the web, where it is not canonical",
    "found": "the whole text in which a link of the web is found at the start, and stops before its end",
}
"""What the parsers are given, by the name of a table."""
COLUMNS: Final = (
    "asked",
    "refused",
    "no host",
    "same",
    "written otherwise",
    "another host",
    "told",
    "warned",
    "silent",
)
"""The columns of the tables. The last three divide `another host`: the record has `hosts-disagree` and names it, has
another warning about its host or its end, or has none."""
# What says nothing about the host, or about what may follow it.
_BESIDE: Final = frozenset(
    (
        *(Warn.PASSWORD_PRESENT, Warn.PORT_ABOVE_65535, Warn.UNREGISTERED_SCHEME, Warn.WHITESPACE_REMOVED),
        *(Warn.PERCENT_ENCODED_NULL, Warn.SCHEME_SYNTAX, Warn.BIDI_MIXED),
    )
)
_EXAMPLES: Final = 4


class Kind:
    """What makes a parser read another host, in words; a table of the page has a row for each."""

    NUMBER: Final = "a number is read as an IPv4 address"
    MAPPING: Final = "sharp s, final sigma or a joiner is mapped otherwise"
    SLASHES: Final = "a third slash is skipped: a segment becomes the host"
    UNMAPPED: Final = "an A-label is made of characters that are not mapped"
    PORT: Final = "an empty port is taken for part of the host"
    AUTHORITY: Final = "all of the authority of `file` is taken for the host"
    FILE: Final = "the host of `file` is mapped as a name of the DNS"
    OCTETS: Final = "octets that are no UTF-8"
    BACKSLASH: Final = "a backslash ends the authority, or is part of it"
    SPACE: Final = "white space or a control is removed, or is part of the host"
    USER: Final = "what follows the end of the link makes what is before an @ a user"
    LONGER: Final = "the host goes on where the link has ended"
    OTHER: Final = "other"


class Disagreement(NamedTuple):
    """One parser that reads another host.

    Attributes:
        table: what it was given, a name of `TABLES`.
        parser: its name.
        kind: one of `Kind`.
        text: what it was given.
        record: ours.
        host: what it reads.
        is_named: whether the record has `hosts-disagree`, and an alternative with that host.
    """

    table: str
    parser: str
    kind: str
    text: str
    record: Record
    host: str
    is_named: bool

    @property
    def told(self) -> str:
        """How the record tells it: `told`, `warned` or `silent`."""
        if self.is_named:
            return "told"
        return "silent" if _BESIDE.issuperset(self.record.warnings) else "warned"


def _bare(host: str) -> str:
    host = "".join(one.lower() if one.isascii() else one for one in host) if not host.islower() else host
    return host[1:-1] if host[:1] == "[" and host[-1:] == "]" else host


def _address(host: str) -> IPv6Address | None:
    try:
        return IPv6Address(host)
    except AddressValueError:
        return None


def is_same(ours: str, theirs: str) -> bool:
    """Report whether two hosts are the same but for case, brackets and the text form of an address of IPv6."""
    ours, theirs = _bare(ours), _bare(theirs)
    return ours == theirs or (":" in ours and _address(ours) is not None and _address(ours) == _address(theirs))


def is_written_otherwise(ours: str, theirs: str) -> bool:
    """Report whether a host becomes ours once its triplets are decoded, or its characters mapped as UTS 46 does."""
    octets = theirs.encode("utf-8", "surrogateescape").lower()  # which changes none beyond ASCII
    if unquote_to_bytes(ours).lower() in (octets, unquote_to_bytes(octets).lower()):
        return True
    mapped, read = host_as_written(ours), host_as_written(theirs)
    return mapped.reason is None and read.reason is None and is_same(mapped.host, read.host)


def kind_of(ours: str, theirs: str, text: str, record: Record) -> str:
    """Return what makes the difference of two hosts that are not the same, as far as their characters tell it."""
    if record.scheme == "file" and "%" in ours and "@" not in theirs and ":" not in theirs:
        return Kind.FILE
    try:
        IPv4Address(theirs)
        if Warn.RARE_IPV4 in record.warnings or ours[:1].isdigit() or ours.endswith("."):
            return Kind.NUMBER
    except AddressValueError:
        pass
    if ours == "":
        return Kind.SLASHES
    if record.scheme == "file":
        return Kind.AUTHORITY if "@" in theirs or ":" in theirs else Kind.FILE
    if Warn.HOST_NOT_UTF8 in record.warnings:
        return Kind.OCTETS
    rest = text[len(record.raw) :] if text.startswith(record.raw) else ""
    authority = text.partition("//")[2]
    authority = authority[: min([len(authority), *(authority.find(one) for one in "/?#" if one in authority)])]
    if "\\" in authority or (rest and "\\" in rest[:1]):
        return Kind.BACKSLASH
    if any(one <= " " for one in authority):
        return Kind.SPACE
    if rest and "@" in authority[authority.find(rest[:1]) :]:
        return Kind.USER
    if rest:
        return Kind.LONGER
    if ":" in theirs and _address(_bare(theirs)) is None:
        return Kind.PORT
    if Warn.HOSTS_DISAGREE in record.warnings:
        return Kind.MAPPING
    return Kind.UNMAPPED if not text.isascii() or "%" in authority else Kind.OTHER


class Counts:
    """What was counted, which a file may keep.

    Attributes:
        strings: how many strings were tried.
        valid: how many valid records they gave, each canonical URI once a round.
        columns: by table, parser and column.
        kinds: by table, kind, parser and how the record tells it.
        codes: by table and warning, in how many disagreements a record has it.
        examples: of each table, kind and way of telling: the text, the canonical URI, the parser and its host.
    """

    def __init__(self) -> None:
        self.strings = 0
        self.valid = 0
        self.columns: Counter[tuple[str, ...]] = Counter()
        self.kinds: Counter[tuple[str, ...]] = Counter()
        self.codes: Counter[tuple[str, ...]] = Counter()
        self.examples: dict[tuple[str, ...], list[list[str]]] = defaultdict(list)

    def add(self, found: Disagreement) -> None:
        """Count a disagreement."""
        self.columns[found.table, found.parser, "another host"] += 1
        self.columns[found.table, found.parser, found.told] += 1
        self.kinds[found.table, found.kind, found.parser, found.told] += 1
        for code in found.record.warnings:
            self.codes[found.table, str(code)] += 1
        kept = self.examples[found.table, found.kind, found.told]
        example = [found.text, found.record.uri, found.parser, found.host]
        if not any(one[2] == found.parser for one in kept):
            kept.append(example)
            kept.sort(key=lambda one: len(one[0]))
            del kept[_EXAMPLES:]

    def as_dict(self) -> dict[str, object]:
        """Return what a file of JSON can keep."""
        made: dict[str, object] = {"strings": self.strings, "valid": self.valid}
        for name in ("columns", "kinds", "codes", "examples"):
            made[name] = [[*key, value] for key, value in sorted(getattr(self, name).items())]
        return made

    @classmethod
    def of(cls, kept: dict[str, object]) -> Counts:
        """Return what a file has kept."""
        made = cls()
        made.strings, made.valid = int(str(kept["strings"])), int(str(kept["valid"]))
        for name in ("columns", "kinds", "codes", "examples"):
            rows = kept[name]
            assert isinstance(rows, list)
            getattr(made, name).update({tuple(key): value for *key, value in rows})
        return made


def _given(strings: Iterable[str], tables: Collection[str]) -> dict[str, dict[str, Record]]:
    """Return what the parsers are given, by table: texts, each with its record."""
    given: dict[str, dict[str, Record]] = {table: {} for table in TABLES}
    for text in strings:
        record = check(text)
        if isinstance(record, Record) and record.host is not None:
            is_web = record.scheme in WEB
            given["canonical" if is_web else "others"].setdefault(record.uri, record)
            if is_web and text != record.uri:
                given["raw"][text] = record
        elif "found" in tables:
            first = next(iter(extract(text)), None)
            if first is not None and first.start == 0 and first.raw != text and first.host and first.scheme in WEB:
                given["found"][text] = first
    return {table: given[table] for table in tables}


def _names(record: Record, host: str) -> bool:
    """Report whether a record has `hosts-disagree`, and an alternative with a host."""
    if Warn.HOSTS_DISAGREE not in record.warnings:
        return False
    others = [split(one).host or "" for one in record.alternatives]
    return any(is_same(one, host) or is_written_otherwise(one, host) for one in others)


def compare(
    strings: Sequence[str], parsers: Sequence[HostParser], counts: Counts, tables: Collection[str] = tuple(TABLES)
) -> list[Disagreement]:
    """Give strings and their canonical forms to parsers, count, and return all that read another host.

    Args:
        strings: hostile links, or any texts.
        parsers: those that are asked.
        counts: to which what is counted is added.
        tables: what the parsers are given, by names of `TABLES`.
    """
    found: list[Disagreement] = []
    given = _given(strings, tables)
    counts.strings += len(strings)
    counts.valid += sum(len(given.get(table, ())) for table in ("canonical", "others"))
    for table, records in given.items():
        texts = list(records)
        for parser in parsers:
            for text, theirs in zip(texts, parser.hosts(texts), strict=True):
                record = records[text]
                ours = record.host or ""
                counts.columns[table, parser.name, "asked"] += 1
                if theirs is None:
                    column = "refused"
                elif is_same(ours, theirs):
                    column = "same"
                elif theirs == "":
                    column = "no host"
                elif is_written_otherwise(ours, theirs):
                    column = "written otherwise"
                else:
                    kind = kind_of(ours, theirs, text, record)
                    one = Disagreement(table, parser.name, kind, text, record, theirs, _names(record, theirs))
                    counts.add(one)
                    found.append(one)
                    continue
                counts.columns[table, parser.name, column] += 1
    return found
