"""Moving keys between stores: exporting a store, importing an export, merging stores, and the keys to forget."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from urisieve.dedupe.key_store import Store, StoreEntry
from urisieve.dedupe.keyset import DIGEST_SIZE
from urisieve.dedupe.row_keys import RowKeys
from urisieve.dedupe.signature import PARTS, differences, read_signature, renewal
from urisieve.dedupe.store_file import LATEST
from urisieve.errors import InputError, StoreError, UsageError
from urisieve.identifiers import check
from urisieve.lean import Any, Final, NamedTuple
from urisieve.records.masking import drawn
from urisieve.records.record import Record
from urisieve.sources.bytes.lines import LineReader, LongLine

_HEADER: Final = "urisieve-store"
# Entries that are exported at once.
_TOGETHER: Final = 4_096
# The errors raised for lines that were not made by `exported`.
_NO_ENTRY: Final = (ValueError, KeyError, TypeError, RecursionError)


class StoreExport(NamedTuple):
    """The content of a store that is to be merged into another one.

    Attributes:
        name: its path, for messages.
        signature: the settings by which its keys were made.
        secret: the secret of its keyed digests of passwords.
        entries: its entries; they can be read once.
    """

    name: str
    signature: str
    secret: bytes
    entries: Iterator[StoreEntry]

    def target(self, path: str) -> Store:
        """Return the store of a path; if there is none, it is made for keys like these.

        Raises:
            StoreError: it cannot be opened or made.
        """
        return Store(path, kind=self.signature, secret=self.secret)


def exported(store: Store) -> Iterator[bytes]:
    r"""Yield a store as JSON lines, several at a time: its signature and secret, then its entries.

    >>> from tempfile import TemporaryDirectory
    >>> from urisieve import Store
    >>> with TemporaryDirectory() as folder, Store(f"{folder}/keys.db") as store:
    ...     added = store.add(["http://e.example/"], now=0, sources=["a.txt"])
    ...     list(exported(store))[1]
    b'{"digest": "d0e4dd135f935e854ead954247760383", "first": 0, "last": 0, "count": 1, "source": "a.txt"}\n'

    Raises:
        StoreError: the store cannot be read.
    """
    header = {"type": _HEADER, "signature": json.loads(store.signature), "secret": store.secret.hex()}
    yield f"{json.dumps(header)}\n".encode()
    lines = (f"{json.dumps({**entry._asdict(), 'digest': entry.digest.hex()})}\n" for entry in store.entries())
    while together := list(islice(lines, _TOGETHER)):
        yield "".join(together).encode()


def read_export(name: str, blocks: Iterable[bytes]) -> StoreExport:
    """Read the output of `exported`; its entries are read and checked one by one when they are asked for.

    Args:
        name: the path of the file, for messages.
        blocks: its bytes.

    Raises:
        InputError: it is not an export of a store of this version, or cannot be read. Reading an entry raises it too.
    """
    lines = _lines(name, _named_failures(name, blocks))
    try:
        header = json.loads(next(lines, "null"))
        if not isinstance(header, dict) or header.get("type") != _HEADER:
            raise InputError(f"{name}: is not what `urisieve store export` writes")
        kind, secret = json.dumps(header["signature"]), drawn(bytes.fromhex(header["secret"]))
    except _NO_ENTRY as error:
        raise InputError(f"{name}: is not what `urisieve store export` writes") from error
    try:
        read_signature(kind)
    except UsageError as error:
        raise InputError(f"{name}: {error}") from error
    return StoreExport(name, kind, secret, _entries(name, lines))


def _named_failures(name: str, blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield blocks; an error in reading them says of which file.

    Raises:
        InputError: they cannot be read.
    """
    try:
        yield from blocks
    except InputError as error:
        raise InputError(f"{name}: {error}") from error


def _lines(name: str, blocks: Iterable[bytes]) -> Iterator[str]:
    """Yield the lines that are not empty.

    Raises:
        InputError: a line is longer than any that `exported` makes.
    """
    for line in LineReader(blocks):
        if isinstance(line, LongLine):
            raise InputError(f"{name}: line {line.number} is not an entry of a store")
        if line.text:
            yield line.text


def _entries(name: str, lines: Iterable[str]) -> Iterator[StoreEntry]:
    for number, line in enumerate(lines, 2):
        try:
            entry = _entry(json.loads(line))
        except _NO_ENTRY as error:
            raise InputError(f"{name}: line {number} is not an entry of a store") from error
        yield entry


def _entry(row: dict[str, Any]) -> StoreEntry:
    """Return the entry of a line.

    Raises:
        ValueError: a value is not valid; KeyError or TypeError if one is missing or of another type.
    """
    entry = StoreEntry(bytes.fromhex(row["digest"]), row["first"], row["last"], row["count"], row["source"])
    are_numbers = {type(entry.first), type(entry.last), type(entry.count)} == {int}
    if not are_numbers or not 0 <= entry.first <= entry.last <= LATEST or entry.count < 1:
        raise ValueError("a time or a count is not valid")
    if len(entry.digest) != DIGEST_SIZE or not (entry.source is None or isinstance(entry.source, str)):
        raise ValueError("a digest or a source is not valid")
    return entry


def merge_export(store: Store, export: StoreExport, on_message: Callable[[str], object]) -> int:
    """Add the content of another store; return how many keys are new.

    An empty store takes over the secret of the other one.

    Args:
        store: the store that is added to.
        export: the other store.
        on_message: called with one line of text if the secrets differ, so that keys with passwords cannot be merged.

    Raises:
        StoreError: the keys of the other store were made by other settings, or a store cannot be read or written.
        InputError: an entry of an export is not valid.
    """
    if export.signature != store.signature:
        made, asked = differences(export.signature, store.signature)
        raise StoreError(
            f"{export.name}: its keys were made by {made}, not by {asked}"
            f"{renewal(export.signature) or renewal(store.signature)}"
        )
    if not store.take_secret(export.secret):
        on_message(
            f"{export.name}: was made with another secret: keys with passwords, if it has any, are not told to be "
            f"those of {store.path} and will not be met again; all others are merged"
        )
    return store.merge(export.entries)


def merge_stores(path: str, others: Sequence[str], on_message: Callable[[str], object]) -> int:
    """Add the keys of other stores to a store; return how many are new.

    Args:
        path: the store that is added to; it must exist.
        others: the paths of the other stores, which are left unchanged.
        on_message: called with one line of text for each store whose secret differs; see `merge_export`.

    Raises:
        UsageError: the store is among the others.
        StoreError: a store cannot be used, or the keys of one were made by other settings; nothing is added.
    """
    for name in others:
        if os.path.exists(name) and os.path.exists(path) and os.path.samefile(name, path):
            raise UsageError(f"{name}: is the store that the others are merged into; name only other stores")
    new = 0
    with Store(path, create=False, check=False) as store:
        for name in others:
            with Store(name, create=False, check=False, read_only=True) as other:
                export = StoreExport(name, other.signature, other.secret, other.entries())
                new += merge_export(store, export, on_message)
    return new


def keys_of_texts(store: Store, texts: Iterable[str]) -> list[str]:
    """Return the keys that a store may hold of some identifiers, for `Store.forget`.

    Args:
        store: the store, by whose settings the keys are made.
        texts: identifiers.

    Raises:
        UsageError: a text is not an identifier.
        StoreError: the keys of the store were made by another version.
    """
    mask = store._mask
    options = store.options()
    part = RowKeys(options, store.by)
    keys: list[str] = []
    for text in texts:
        found = check(text, options=options)
        if not isinstance(found, Record):
            raise UsageError(f"{found.masked().raw!r} is not a valid identifier; nothing is forgotten")
        # The keys of rows are stored unchanged, all others without the password.
        keys += {part(((text,),)) or found.key, mask.record(found).key if store.by == PARTS[0] else found.key}
    return keys
