"""`urisieve store`: what is in a store, whether it is sound, and how it is moved, joined and pruned."""

from __future__ import annotations

import argparse
import json
import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from urisieve.cli.examples import EXAMPLES
from urisieve.cli.outputs import STANDARD_OUTPUT, open_output
from urisieve.cli.parser import Parser
from urisieve.cli.talk import PROGRAM, say
from urisieve.cli.uses import check_uses
from urisieve.dedupe.checked import LATEST
from urisieve.dedupe.digests import DIGEST_SIZE
from urisieve.dedupe.key_store import Store, StoreEntry
from urisieve.dedupe.row_keys import RowKeys
from urisieve.dedupe.signature import PARTS, read_signature, renewal
from urisieve.dedupe.store_file import SECRET_SIZE, files_beside
from urisieve.errors import InputError, StoreError, UsageError
from urisieve.identifiers import check
from urisieve.records.record import Record
from urisieve.sources.bytes.lines import LineReader, LongLine
from urisieve.sources.bytes.reading import STANDARD_INPUT, read_blocks, text_lines

__all__ = ["run"]

_DONE: Final = 0
_WRONG: Final = 1
_DAY: Final = 86_400
_TOGETHER: Final = 4_096
_MOST_DAYS: Final = 10_000_000
_HEADER: Final = "urisieve-store"


def run(argv: Sequence[str]) -> int:
    """Run the command and give its exit status.

    Raises:
        StoreError: a store cannot be used.
        InputError: what is imported cannot be read, or is none.
        UsageError: what is to be forgotten is no identifier, or a store is to be merged with itself.
    """
    parser = _parser()
    asked = parser.parse_args(argv)
    if asked.action == "import":
        check_uses([("the store", [asked.store, *files_beside(asked.store)])], [asked.path])
    else:
        check_uses([("standard output", [STANDARD_OUTPUT])], [asked.store])
    return _ACTIONS[asked.action](asked)


def _parser() -> Parser:
    examples = "\n".join(f"  {line}\n      {meaning}" for line, meaning in EXAMPLES["store"])
    parser = Parser(
        prog=f"{PROGRAM} store",
        usage=f"{PROGRAM} store [-h] {{{'|'.join(_ACTIONS)}}} FILE [ARGUMENT ...]",
        description="Look after a store of keys that `urisieve dedupe --store` has made.",
        epilog=f"examples:\n{examples}",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="|".join(_ACTIONS), prog=f"{PROGRAM} store")
    for name, text in (
        ("info", "how many keys it holds, since when, and by which rules they were made"),
        ("verify", "read all of it; exit status 1 if something is wrong"),
        ("export", "its digests and what is known of each, as JSON lines"),
        ("import", "add what `export` has written; the store is made if there is none"),
        ("merge", "add the keys of other stores"),
        ("forget", "remove identifiers, or those not seen for some time"),
    ):
        action = actions.add_parser(name, help=text, description=text[0].upper() + text[1:])
        action.add_argument("store", metavar="FILE", help="the store")
        if name == "import":
            action.add_argument(
                "path", nargs="?", default=STANDARD_INPUT, metavar="PATH", help="`-` for standard input"
            )
        elif name == "merge":
            action.add_argument("others", nargs="+", metavar="OTHER", help="stores whose keys were made alike")
        elif name == "forget":
            action.add_argument(
                "texts", nargs="*", metavar="URI", help="identifiers; `-` for one a line of standard input"
            )
            action.add_argument("--unseen-for", type=_days, metavar="DAYS", help="those last seen longer ago")
    return parser


def _days(text: str) -> float:
    try:
        days = float(text)
    except ValueError:
        days = math.nan
    if not 0 <= days <= _MOST_DAYS:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of days from 0 to {_MOST_DAYS}")
    return days


def _info(asked: argparse.Namespace) -> int:
    with Store(asked.store, create=False, check=False, read_only=True) as store:
        info = store.info()
    for name in ("first", "last"):
        if info[name].__class__ is int and 0 <= info[name] <= LATEST:  # else there is none, or `verify` finds it wrong
            info[name] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(info[name]))
    info["signature"] = json.loads(info["signature"])
    _print([f"{name}: {json.dumps(value) if isinstance(value, dict) else value}\n" for name, value in info.items()])
    return _DONE


def _verify(asked: argparse.Namespace) -> int:
    with Store(asked.store, create=False, check=False, read_only=True) as store:
        faults = store.faults()
        number = len(store)
    for fault in faults:
        say(f"{asked.store}: {fault}")
    if not faults:
        _print([f"{number:,} keys, nothing wrong\n"])
    return _WRONG if faults else _DONE


def _export(asked: argparse.Namespace) -> int:
    with Store(asked.store, create=False, check=False, read_only=True) as store, open_output(STANDARD_OUTPUT) as output:
        header = {"type": _HEADER, "signature": json.loads(store.signature), "secret": store.secret.hex()}
        output.write(f"{json.dumps(header)}\n".encode())
        for lines in _together(f"{json.dumps(_exported(entry))}\n" for entry in store.entries()):
            output.write("".join(lines).encode())
    return _DONE


def _exported(entry: StoreEntry) -> dict[str, Any]:
    return {**entry._asdict(), "digest": entry.digest.hex()}


def _import(asked: argparse.Namespace) -> int:
    lines = _lines(asked.path)
    try:
        header = json.loads(next(lines, "null"))
        if not isinstance(header, dict) or header.get("type") != _HEADER:
            raise InputError(f"{asked.path}: is not what `urisieve store export` writes")
        kind, secret = json.dumps(header["signature"]), bytes.fromhex(header["secret"])
        if len(secret) != SECRET_SIZE:
            raise ValueError("a secret of another length")
    except _NO_ENTRY as error:
        raise InputError(f"{asked.path}: is not what `urisieve store export` writes") from error
    try:
        read_signature(kind)
    except UsageError as error:
        raise InputError(f"{asked.path}: {error}") from error
    with Store(asked.store, kind=kind, secret=secret) as store:
        _share_secret(store, asked.path, secret)
        new = store.merge(_imported(asked.path, lines))
    _print([f"{new:,} new\n"])
    return _DONE


def _lines(path: str) -> Iterator[str]:
    """The lines of a file that are not empty.

    Raises:
        InputError: one is longer than any that `export` writes.
    """
    for line in LineReader(read_blocks(path)):
        if isinstance(line, LongLine):
            raise InputError(f"{path}: line {line.number} is no entry of a store")
        if line.text:
            yield line.text


def _imported(path: str, lines: Iterable[str]) -> Iterator[StoreEntry]:
    for number, line in enumerate(lines, 2):
        try:
            row = json.loads(line)
            digest, source = bytes.fromhex(row["digest"]), row["source"]
            first, last, count = row["first"], row["last"], row["count"]
        except _NO_ENTRY as error:
            raise InputError(f"{path}: line {number} is no entry of a store") from error
        sound = {type(first), type(last), type(count)} == {int} and 0 <= first <= last <= LATEST and count > 0
        if not sound or len(digest) != DIGEST_SIZE or not (source is None or isinstance(source, str)):
            raise InputError(f"{path}: line {number} is no entry of a store")
        yield StoreEntry(digest, first, last, count, source)


# What comes of lines that were not made by `export`.
_NO_ENTRY: Final = (ValueError, KeyError, TypeError, RecursionError)


def _share_secret(store: Store, name: str, secret: bytes) -> None:
    """Let a store replace passwords as the other does, or say what follows if it cannot."""
    if not store.take_secret(secret):
        say(
            f"{name}: was made with another secret: keys with passwords, if it has any, are not told to be those of "
            f"{store.path} and will not be met again; all others are merged"
        )


def _merge(asked: argparse.Namespace) -> int:
    for path in asked.others:
        if os.path.exists(path) and os.path.exists(asked.store) and os.path.samefile(path, asked.store):
            raise UsageError(f"{path}: is the store that others are to be merged into; name others only")
    with Store(asked.store, create=False, check=False) as store:
        new = 0
        for path in asked.others:
            with Store(path, create=False, check=False, read_only=True) as other:
                if other.signature != store.signature:
                    raise StoreError(
                        f"{path}: its keys were made by {other.signature}, not {store.signature}"
                        f"{renewal(other.signature) or renewal(store.signature)}"
                    )
                _share_secret(store, path, other.secret)
                new += store.merge(other.entries())
    _print([f"{new:,} new\n"])
    return _DONE


def _forget(asked: argparse.Namespace) -> int:
    if not asked.texts and asked.unseen_for is None:
        raise UsageError("say what to forget: identifiers, `-` for standard input, or --unseen-for DAYS")
    from urisieve.records.masking import password_token

    with Store(asked.store, create=False, check=False) as store:
        keys: list[str] = []
        if asked.texts:
            token = password_token(store.secret)
            options = store.options()
            part = RowKeys(options, store.by)
            for text in _texts(asked.texts):
                found = check(text, options=options)
                if not isinstance(found, Record):
                    raise UsageError(f"{found.masked().raw!r} is no identifier; nothing is forgotten")
                # Rows are kept by the key as it is, all else without the password.
                keys += {part(((text,),)) or found.key, found.masked(token).key if store.by == PARTS[0] else found.key}
        before = None if asked.unseen_for is None else int(time.time() - asked.unseen_for * _DAY)
        number = store.forget(keys, before=before)
    _print([f"{number:,} forgotten\n"])
    return _DONE


def _texts(texts: Sequence[str]) -> Iterator[str]:
    for text in texts:
        if text == STANDARD_INPUT:
            yield from (line for lines in text_lines(read_blocks(STANDARD_INPUT)) for line in lines if line)
        else:
            yield text


def _print(lines: Iterable[str]) -> None:
    with open_output(STANDARD_OUTPUT) as output:
        output.write("".join(lines).encode("utf-8", "backslashreplace"))


def _together(lines: Iterable[str]) -> Iterator[list[str]]:
    from itertools import islice

    waiting = iter(lines)
    while batch := list(islice(waiting, _TOGETHER)):
        yield batch


_ACTIONS: Final[dict[str, Callable[[argparse.Namespace], int]]] = {
    "info": _info,
    "verify": _verify,
    "export": _export,
    "import": _import,
    "merge": _merge,
    "forget": _forget,
}
