"""`urisieve store`: reports on a store, verifies, exports, imports, merges and prunes it."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import SimpleNamespace

from urisieve.cli.settings.flags import EXAMPLES, command_parser
from urisieve.cli.settings.parser import Parser
from urisieve.cli.terminal.reports import DONE, NEGATIVE, say
from urisieve.dedupe.key_store import Store
from urisieve.dedupe.store_file import LATEST, files_beside
from urisieve.dedupe.store_transfer import exported, keys_of_texts, merge_export, merge_stores, read_export
from urisieve.errors import UsageError
from urisieve.lean import Final
from urisieve.runs.process import unwound_on_termination
from urisieve.sinks.outputs import STANDARD_OUTPUT, check_uses, open_output
from urisieve.sources.bytes.lines import text_lines
from urisieve.sources.bytes.reading import STANDARD_INPUT, read_blocks
from urisieve.syntax.components import without_space_around

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
        action = parser.add_action(name, text, [row for row in EXAMPLES["store"] if row[0].split()[2] == name])
        action.add_argument("store", metavar="FILE", common=True, help="the store")
        if name == "import":
            action.add_argument(
                "path", nargs="?", default=STANDARD_INPUT, metavar="PATH", common=True, help="`-` for standard input"
            )
        elif name == "merge":
            action.add_argument(
                "others", nargs="+", metavar="FILE", common=True, help="stores whose keys were made alike"
            )
        elif name == "forget":
            action.add_argument(
                "texts",
                nargs="*",
                metavar="URI",
                common=True,
                help="identifiers; `-` for one a line of standard input",
            )
            action.add_argument(
                "--unseen-for",
                type=_days,
                metavar="DAYS",
                common=True,
                guarded=True,
                help="those last seen longer ago",
            )
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
            info[name] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(info[name]))
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
    with export.target(asked.store) as store:
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
        before = None if asked.unseen_for is None else int(time.time() - asked.unseen_for * _DAY)
        number = store.forget(keys, before=before)
    _print([f"{number:,} forgotten\n"])
    return DONE


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
