"""`urisieve store`: reports on a store, verifies, exports, imports, merges and prunes it."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from types import SimpleNamespace

from urisieve.cli.reports import DONE, NEGATIVE, say
from urisieve.cli.settings.flags import Parser, command_parser
from urisieve.dedupe.deduplicate import RowKeys
from urisieve.dedupe.key_store import Store, StoreExport, export_of, merge_export
from urisieve.dedupe.signature import By, read_signature
from urisieve.dedupe.store.store_file import files_beside, is_entry
from urisieve.dedupe.store.store_tables import StoreEntry
from urisieve.errors import InputError, UsageError
from urisieve.identifiers import check
from urisieve.lean import Any, Final
from urisieve.records.masking import drawn
from urisieve.records.record import Record
from urisieve.runs.process import unwound_on_termination
from urisieve.sinks.outputs import STANDARD_OUTPUT, check_uses, open_output
from urisieve.sources.bytes.lines import LineReader, LongLine, text_lines
from urisieve.sources.bytes.reading import STANDARD_INPUT, read_blocks
from urisieve.syntax.components import without_space_around
from urisieve.syntax.times import LATEST, LEAST_BOUND

_HEADER: Final = "urisieve-store"
# Entries that are exported at once.
_LINES_TOGETHER: Final = 4_096
# The errors raised for lines that were not made by `exported`.
_NO_ENTRY: Final = (ValueError, KeyError, TypeError, RecursionError)


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
    while together := list(islice(lines, _LINES_TOGETHER)):
        yield "".join(together).encode()


def read_export(name: str, blocks: Iterable[bytes]) -> StoreExport:
    """Read the output of `exported`; its entries are read and checked one by one when they are asked for.

    Args:
        name: the path of the file, for messages.
        blocks: its bytes.

    Raises:
        InputError: it is not an export of a store of this version, or cannot be read. Reading an entry raises it too.
    """
    lines = _export_lines(name, _named_failures(name, blocks))
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


def _export_lines(name: str, blocks: Iterable[bytes]) -> Iterator[str]:
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
    if not is_entry(entry):
        raise ValueError("a value is not valid")
    return entry


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
                new += merge_export(store, export_of(other), on_message)
    return new


def keys_of_texts(store: Store, texts: Iterable[str]) -> list[str]:
    """Return the keys that a store may contain of some identifiers, for `Store.forget`.

    Args:
        store: the store, by whose settings the keys are made.
        texts: identifiers.

    Raises:
        UsageError: a text is not an identifier; the message names its number, not the text, which may contain a secret.
        StoreError: the keys of the store were made by another version.
    """
    mask = store._mask
    options = store.options()
    part = RowKeys(options, store.by)
    keys: list[str] = []
    for number, text in enumerate(texts, 1):
        found = check(text, options=options)
        if not isinstance(found, Record):
            raise UsageError(
                f"identifier {number} of those to forget is not valid ({found.reason} at {found.offset}); nothing is "
                "forgotten, and `urisieve check` shows what is wrong"
            )
        # The keys of rows are stored unchanged, all others without the password.
        keys += {part(((text,),)) or found.key, mask.record(found).key if store.by == By.KEY else found.key}
    return keys


_DAY: Final = 86_400
_MOST_DAYS: Final = 10_000_000


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit status.

    Raises:
        StoreError: a store cannot be used.
        InputError: an export cannot be read, or is not valid.
        UsageError: a text to forget is not an identifier, or a store is to be merged with itself.
    """
    parser = _parser()
    asked = parser.parse_args(argv)
    if asked.action == "import":
        check_uses([("the store", [asked.store, *files_beside(asked.store)])], [asked.path])
    else:
        check_uses([("standard output", [STANDARD_OUTPUT])], [asked.store])
    with unwound_on_termination():
        return _ACTIONS[asked.action](asked)


def _parser() -> Parser:
    parser = command_parser("store", "Look after a store of keys that `urisieve dedupe --store` has made.")
    for name, text in (
        ("info", "how many keys it holds, since when, and by which rules they were made"),
        ("verify", "read all of it; exit status 1 if something is wrong"),
        ("export", "its digests and what is known of each, as JSON lines"),
        ("import", "add what `export` has written; the store is made if there is none"),
        ("merge", "add the keys of other stores"),
        ("forget", "remove identifiers, or those not seen for some time"),
    ):
        action = parser.add_action(name, text)
        action.add_argument("store", metavar="FILE", common=True, help="the store")
        if name == "import":
            action.add_argument("path", nargs="?", default=STANDARD_INPUT, metavar="PATH", common=True,
                                help="`-` for standard input")  # fmt: skip
        elif name == "merge":
            action.add_argument("others", nargs="+", metavar="FILE", common=True,
                                help="stores whose keys were made alike")  # fmt: skip
        elif name == "forget":
            action.add_argument("texts", nargs="*", metavar="URI", common=True,
                                help="identifiers; `-` for one a line of standard input")  # fmt: skip
            action.add_argument("--unseen-for", type=_days, metavar="DAYS", common=True, guarded=True,
                                help="those last seen longer ago")  # fmt: skip
    return parser


def _days(text: str) -> float:
    try:
        days = float(text)
    except ValueError:
        days = math.nan
    if not 0 <= days <= _MOST_DAYS:
        raise UsageError(f"{text!r} is not a number of days from 0 to {_MOST_DAYS}")
    return days


def _info(asked: SimpleNamespace) -> int:
    with Store(asked.store, create=False, check=False, read_only=True) as store:
        info = store.info()
    for name in ("first", "last"):
        if info[name].__class__ is int and 0 <= info[name] <= LATEST:  # else there is none, or `verify` finds it wrong
            info[name] = _written(info[name])
    info["signature"] = json.loads(info["signature"])
    _print([f"{name}: {json.dumps(value) if isinstance(value, dict) else value}\n" for name, value in info.items()])
    return DONE


def _verify(asked: SimpleNamespace) -> int:
    with Store(asked.store, create=False, check=False, read_only=True) as store:
        faults = store.faults()
        number = len(store)
    for fault in faults:
        say(f"{asked.store}: {fault}")
    if not faults:
        _print([f"{number:,} keys, nothing wrong\n"])
    return NEGATIVE if faults else DONE


def _export(asked: SimpleNamespace) -> int:
    with Store(asked.store, create=False, check=False, read_only=True) as store, open_output(STANDARD_OUTPUT) as output:
        for lines in exported(store):
            output.write(lines)
    return DONE


def _import(asked: SimpleNamespace) -> int:
    export = read_export(asked.path, read_blocks(asked.path))
    with Store(asked.store, signature=export.signature, secret=export.secret) as store:
        new = merge_export(store, export, say)
    _print([f"{new:,} new\n"])
    return DONE


def _merge(asked: SimpleNamespace) -> int:
    new = merge_stores(asked.store, asked.others, say)
    _print([f"{new:,} new\n"])
    return DONE


def _forget(asked: SimpleNamespace) -> int:
    if not asked.texts and asked.unseen_for is None:
        raise UsageError("say what to forget: identifiers, `-` for standard input, or --unseen-for DAYS")
    with Store(asked.store, create=False, check=False) as store:
        keys = keys_of_texts(store, _texts(asked.texts)) if asked.texts else []
        before = None if asked.unseen_for is None else _days_ago(asked.unseen_for)
        number = store.forget(keys, before=before)
    _print([f"{number:,} forgotten\n"])
    return DONE


def _days_ago(days: float) -> float | str:
    """Return a time as `Store.forget` takes it: a text where a number could be misread."""
    moment = max(0, time.time() - days * _DAY)
    return moment if moment >= LEAST_BOUND else _written(moment)


def _written(moment: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))


def _texts(texts: Sequence[str]) -> Iterator[str]:
    for text in texts:
        if text == STANDARD_INPUT:
            for lines in text_lines(read_blocks(STANDARD_INPUT)):
                yield from filter(None, map(without_space_around, lines))
        else:
            yield text


def _print(lines: Iterable[str]) -> None:
    with open_output(STANDARD_OUTPUT) as output:
        output.write("".join(lines).encode("utf-8", "backslashreplace"))


_ACTIONS: Final[dict[str, Callable[[SimpleNamespace], int]]] = {
    "info": _info,
    "verify": _verify,
    "export": _export,
    "import": _import,
    "merge": _merge,
    "forget": _forget,
}
