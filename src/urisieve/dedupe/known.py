"""`Known`: a list of links, keys, hosts and domains that can be asked for identifiers.

Entries are kept as digests, in the set that deduplication uses: 27 bytes each with the kernel, up to 125 without it. A
link is kept by its key, a host by its name, and one that covers those below it with a dot before its name; none of
these is ever another one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import accumulate, islice

from urisieve import shapes
from urisieve.dedupe.keyset import DIGEST_SIZE, digests, new_digests, new_seed
from urisieve.dedupe.list_entries import (
    COVERS,
    FAULT,
    FIELDS,
    HOST,
    LINK,
    LONGEST_HOST,
    EntryColumn,
    entries_of_fields,
    entry_of,
    row_layout,
)
from urisieve.errors import InputError, StoreError, UsageError
from urisieve.finding_options import Options, checked
from urisieve.identifiers import check
from urisieve.judge.proofs import TextsProof, proofs_of
from urisieve.kernel import way
from urisieve.lean import Any, Final, NamedTuple, Protocol
from urisieve.records.filtering import hosts_of
from urisieve.records.layouts import texts_of
from urisieve.records.record import Record
from urisieve.sources.bytes.block_reader import BlockReader
from urisieve.sources.bytes.lines import LineReader, LongLine
from urisieve.sources.bytes.reading import STANDARD_INPUT, path_hint, source_name
from urisieve.sources.containers.contents import Content
from urisieve.sources.kinds.kind_table import Kind
from urisieve.sources.structured.row_files import RowBlock, RowFormat, plain_contents, read_row_blocks
from urisieve.sources.structured.row_reader import Row
from urisieve.sources.tally import Tally
from urisieve.syntax.components import without_space_around
from urisieve.syntax.host import is_plain_name

# Entries that are taken together.
_TOGETHER: Final = 4_096


class _Asked(Protocol):
    def __len__(self) -> int: ...

    def column(self, name: str) -> Sequence[Any]: ...


class _StoredKeys(NamedTuple):
    """The keys of a store: their digests, and the secret by which passwords in them are digests."""

    secret: bytes
    digests: frozenset[bytes]

    def held(self, keys: Iterable[str]) -> list[bool]:
        """Report of each key whether it is among them."""
        from urisieve.dedupe.store.store_tables import stored_key
        from urisieve.records.mask import Mask

        mask = Mask(self.secret)
        return [one in self.digests for one in digests(stored_key(key, mask) for key in keys)]


class Known:
    """A list of links, keys, hosts and registrable domains; it says whether an identifier is in it.

    A line that is a link, a URN or any other URI or IRI stands for all that have its key. A host name of two labels or
    more, or an IP address, stands for all identifiers with this host, and with `subdomains`, or a `*.` before it, for
    those with a host below it too; the domain of an address is the host of its `mailto`. The form `0.0.0.0 name` of
    hosts files is read, and `||name^` of lists of filters, which covers what is below. Empty lines, and lines that
    begin with `#`, are passed over. A line that is anything else is counted in `rejected`.

    Passwords count: a link of the list with one stands for links with the same one.

    >>> from urisieve import Batch, Filter, Known, extract, parse
    >>> known = Known(["HTTP://Example.com:80/a", "*.bad.example", "# a comment", "nothing"])
    >>> known.links, known.hosts, known.rejected, known.first_rejected
    (1, 1, 1, 'entry 4 is neither a link nor a host (no-scheme)')
    >>> parse("http://example.com/a") in known, "http://www.bad.example/x" in known, "example.com" in known
    (True, True, False)
    >>> batch = Batch.of(list(extract("http://example.com/a http://example.com/b")))
    >>> batch.where(Filter(unknown=known)).column("uri")
    ['http://example.com/b']

    Args:
        entries: the lines.
        subdomains: whether each host covers the hosts below it.
        options: how links are judged and normalized; the same as those of the identifiers that are looked up.

    Attributes:
        links: the number of links, each key once.
        hosts: the number of hosts, each once.
        rejected: the number of lines that are neither.
        first_rejected: the first of these, and the reason; "" if there is none.
        signature: a digest of the lines: two lists with the same one contain the same, and are equal, if their options
            are the same.

    Raises:
        UsageError: the entries are not strings.
    """

    links: int
    hosts: int
    rejected: int
    first_rejected: str
    signature: str

    def __init__(
        self, entries: Iterable[str] = (), *, subdomains: bool = False, options: Options | None = None
    ) -> None:
        shapes.lines("entries", entries, "a file is for Known.read(path)")
        shapes.check(subdomains=subdomains)
        from hashlib import blake2b

        self._options = checked(options)
        self._subdomains = subdomains
        self._seed = new_seed()
        self._set = new_digests(self._seed)
        self._stores: list[_StoredKeys] = []
        self._covers = False
        self._mark = blake2b(bytes([subdomains]), digest_size=DIGEST_SIZE)
        self.links = self.hosts = self.rejected = 0
        self.first_rejected = ""
        lines = iter(entries)
        number = 1
        while some := list(islice(lines, _TOGETHER)):
            for one in some:
                if not isinstance(one, str):
                    raise shapes.wrong("one of entries", one, "a line of text")
            self._take(some, number, "entry")
            number += len(some)
        self.signature = self._mark.hexdigest()

    @classmethod
    def read(
        cls,
        paths: Sequence[str | os.PathLike[str]] | os.PathLike[str] | str,
        *,
        subdomains: bool = False,
        options: Options | None = None,
        encoding: str | None = None,
    ) -> Known:
        r"""Read files, compressed or not: text with an entry a line, tables, or JSON lines; and stores of keys.

        Of a table the column `url`, `uri`, `link`, `key`, `host` or `domain` is read (of records of this package
        `key`), else the first that has an entry in the first row; of an object of JSON the field of such a name. What
        has no such column is a table if the name of the file ends with `csv` or `tsv`. A `Store` stands for the
        identifiers whose keys it has; their digests are in memory, some 110 bytes each.

        >>> import pathlib, tempfile
        >>> from urisieve import Known
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "blocked.csv"
        >>> _ = path.write_text("domain,since\nads.example,2024\n")
        >>> "http://ads.example/x" in Known.read(path)
        True

        Args:
            paths: the files, or one; `-` for standard input.
            subdomains: see `Known`.
            options: see `Known`.
            encoding: the name of the encoding; by default that of a byte order mark, else UTF-8.

        Raises:
            InputError: a file cannot be read to its end, or does not contain lines, or is a store whose keys were made
                by other options or are a part of identifiers (`by`); the message names it.
            UsageError: the paths are no paths, or the encoding is not known.
        """
        shapes.check(encoding=encoding)
        known = cls(subdomains=subdomains, options=options)
        for path in shapes.paths("paths", paths):
            if not str(path):
                raise UsageError("the name of a list is empty: give a file, or `-` for standard input")
            name = named = source_name(path) or "standard input"
            tally = Tally()
            try:
                for content in plain_contents(path, tally=tally):
                    named = content.source  # a member of an archive
                    if content.kind == Kind.SQLITE and named == name and path != STANDARD_INPUT:
                        known._read_store(path)
                    else:
                        known._read(content, encoding, tally)
                    named = name
            except InputError as error:
                raise InputError(f"{named}: {error}{path_hint(path)}") from error
            if tally.broken or tally.skipped:  # with a part of a list a filter is another one
                raise InputError(tally.messages[0] if tally.messages else f"{name}: not all of it can be read")
        known.signature = known._mark.hexdigest()
        return known

    def __len__(self) -> int:
        return self.links + self.hosts

    def __repr__(self) -> str:
        return f"<Known: {self.links:,} links, {self.hosts:,} hosts, {self.signature}>"

    def __contains__(self, asked: object) -> bool:
        """Report whether a record, a link, or a host is in the list; anything else is not."""
        if isinstance(asked, Record):
            return self._has_link(asked.key) or any(map(self._holds_host, hosts_of(asked.uri, asked.host)))
        entry = entry_of(asked, self._options) if isinstance(asked, str) else None
        if entry is None or entry.kind == FAULT:
            return False
        if entry.kind == HOST:
            return self._holds_host(entry.text.removeprefix(COVERS))
        found = check(str(asked), options=self._options)
        return found in self if found else self._has_link(entry.text)

    def _has_link(self, key: str) -> bool:
        return key in self._set or any(stored.held((key,))[0] for stored in self._stores)

    def held(self, batch: _Asked) -> bytes:
        """Return a byte for each row of a batch: 1 if it is in the list, else 0.

        Raises:
            UsageError: the batch lacks the column `uri` or `key`.
        """
        found = bytearray(len(batch))
        if self.links:
            keys = list(batch.column("key"))
            found[:] = self._set.held(keys)
            for stored in self._stores:
                found[:] = map(max, found, stored.held(keys))
        if self.hosts:
            hosts = batch.column("host")
            different = set(hosts)
            listed = {host for host in different if self._holds_host(host)}
            uris = batch.column("uri") if None in different else ()
            if listed or uris:
                for index, host in enumerate(hosts):
                    if host in listed or (host is None and any(map(self._holds_host, hosts_of(uris[index], host)))):
                        found[index] = 1
        return bytes(found)

    def _holds_host(self, host: str | None) -> bool:
        if not host or not self.hosts:
            return False
        name = host.rstrip(".").lower()
        if name in self._set:
            return True
        if not self._covers:
            return False
        if len(name) > LONGEST_HOST:
            name = name[-LONGEST_HOST - 1 :].partition(".")[2]
        while name:
            if f"{COVERS}{name}" in self._set:
                return True
            name = name.partition(".")[2]
        return False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Known):
            return NotImplemented
        return (self.signature, self._options) == (other.signature, other._options)

    def __hash__(self) -> int:
        return hash(self.signature)

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in vars(self).items() if name not in ("_set", "_mark")}
        return {**state, "_way": way, "_digests": self._set.digests()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state.pop("_way") != way:
            raise UsageError("a Known of a process with the kernel means nothing in one without it, nor the reverse")
        digests = state.pop("_digests")
        vars(self).update(state)
        self._set = new_digests(self._seed)
        self._set.add_digests(digests)

    # ---------------------------------------------------------------- reading

    def _read_store(self, path: str | os.PathLike[str]) -> None:
        from urisieve.dedupe.key_store import Store
        from urisieve.dedupe.signature import By, part_of, refusal, signature

        wanted = signature(self._options)
        try:
            with Store(path, read_only=True, check=False) as store:  # its refusal would tell of a run by whole keys
                part = part_of(store.signature)
                if part is not By.KEY:
                    raise InputError(
                        f"is a store of --by {part}, and a list needs whole keys, whatever --by of this run is: name a "
                        "store made without --by, or a file of links and hosts"
                    )
                if store.signature != wanted:
                    raise InputError(refusal(store.signature, wanted))
                stored = [entry.digest for entry in store.entries()]
                self._stores.append(_StoredKeys(store.secret, frozenset(stored)))
                self._mark.update(b"".join((store.secret, *stored)))
        except StoreError as error:
            raise InputError(str(error).removeprefix(f"{os.fspath(path)}: ")) from error
        self.links += len(stored)

    def _read(self, content: Content, encoding: str | None, tally: Tally) -> None:
        if content.kind.form != "text":
            raise InputError(f"is {content.kind} by its content: a list is plain text, CSV, TSV, JSON lines or a store")
        reader = BlockReader(content.blocks)
        kind, delimiter = row_layout(reader, content)
        if not kind:
            self._read_lines(content.source, reader.rest(), encoding)
            return
        table = EntryColumn()
        number = 1
        form = RowFormat(kind, delimiter, reader.rest(), encoding)
        rows = read_row_blocks(content.source, form, fields=FIELDS, columns=lambda: table.columns, tally=tally)
        for row in rows:
            if isinstance(row, RowBlock):
                fields = [texts_of(*field) for field in row.fields]
                texts = table.cells(fields, self._options) if delimiter else entries_of_fields(fields)
            elif row.fault is not None:
                self._reject(f"{content.source}: line {row.number:,}", row.fault.said)
                texts = []
            else:
                number = row.number
                texts = self._values(row, table)
            self._take(texts, number, f"{content.source}: row", has_fields=not delimiter)
            number += row.rows if isinstance(row, RowBlock) else 1

    def _values(self, row: Row, table: EntryColumn) -> list[str]:
        """Return the entry in a row, if it has one."""
        if row.is_header:
            return table.begin(row.names, self._options)
        values = row.values
        if isinstance(values, list) and table.has_begun:
            return table.cells([[str(values[at])] if at < len(values) else [""] for at in table.columns], self._options)
        if isinstance(values, str):
            return [values]
        if values is None:
            return []
        found = [values.get(name) if isinstance(values, dict) else None for name in FIELDS]
        return entries_of_fields([[one if isinstance(one, str) else ""] for one in found])

    def _read_lines(self, source: str, blocks: Iterable[bytes], encoding: str | None) -> None:
        for lines in LineReader(blocks, encoding).batches():
            if isinstance(lines, LongLine):
                self._reject(f"{source}: line {lines.number:,}", "too long")
                continue
            texts = [line for line in lines.texts if isinstance(line, str)]
            if texts[0].endswith("\r"):
                texts = [text.removesuffix("\r") for text in texts]
            if lines.number == 1 and without_space_around(texts[0]).lower() in FIELDS:
                texts[0] = ""  # the header of a table of one column
            self._take(texts, lines.number, f"{source}: line")

    def _take(self, texts: Sequence[str], number: int, where: str, *, has_fields: bool = False) -> None:
        """Add lines, the first of which has a number; with `has_fields` an empty one is a fault."""
        if not texts:
            return
        marked = "\n".join((*texts, ""))
        if marked.count("\n") != len(texts):  # a cell of several lines
            marked = "\n".join((*(repr(text) if "\n" in text else text for text in texts), ""))
        self._mark.update(marked.encode("utf-8", "surrogatepass"))
        proof = proofs_of(self._options).texts
        forms = [""] * len(texts) if proof is None else _proved(texts, proof)
        links = [form for form in forms if form]
        hosts: list[str] = []
        if len(links) < len(texts):
            covered = self._subdomains
            for index, form in enumerate(forms):
                if form:
                    continue
                text = texts[index]
                if is_plain_name(text) and "." in text:
                    hosts.append(f"{COVERS}{text}" if covered else text)
                    continue
                entry = entry_of(text, self._options)
                if entry is None:
                    if has_fields and not text:
                        self._reject(f"{where} {number + index:,}", f"has none of the fields {', '.join(FIELDS)}")
                elif entry.kind == LINK:
                    links.append(entry.text)
                elif entry.kind == HOST:
                    is_covering = entry.text.startswith(COVERS)
                    self._covers |= is_covering
                    hosts.append(f"{COVERS}{entry.text}" if covered and not is_covering else entry.text)
                else:
                    self._reject(f"{where} {number + index:,}", entry.text)
        self._covers |= bool(hosts) and self._subdomains
        self.links += len(self._set.unseen_indices(links))
        self.hosts += len(self._set.unseen_indices(hosts))

    def _reject(self, where: str, reason: str) -> None:
        self.rejected += 1
        if not self.first_rejected:
            self.first_rejected = f"{where} is neither a link nor a host ({reason})"


def _proved(texts: Sequence[str], proof: TextsProof) -> list[str]:
    """Return the key of each text that is proved to be a link, "" for the others."""
    from array import array

    data = "".join(texts)
    if not data.isascii():
        texts = [text if text.isascii() else "" for text in texts]
        data = "".join(texts)
    offsets = array("i", accumulate(map(len, texts), initial=0)).tobytes()
    return texts_of(*proof(data.encode("ascii"), offsets, False)[1:])
