"""Each command with each context reads each kind of file the same way: one job or two, whole or in parts, each engine.

What crosses a process, a thread or a file on the way is in all of these.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from tests.helpers.engines import Engine, Ran
from tests.helpers.every_kind import FILES, link, written
from tests.helpers.folders import SAMPLES

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX processes"),
]

OUT = "{out}/o"
COMMANDS: dict[str, tuple[str, ...]] = {
    "text": ("extract",),
    "jsonl": ("extract", "-f", "jsonl", "--rejected", "{out}/r"),
    "csv": ("extract", "-f", "csv", "--fields", "uri,host,source,line,byte_start,message,part,field,row,warnings"),
    "tsv unique": ("extract", "-u", "-f", "tsv", "--rejected", "{out}/r"),
    "raw": ("extract", "--accept", "names,addresses,defanged", "-o", OUT),
    "dedupe": ("dedupe",),
    "dedupe jsonl": ("dedupe", "-f", "jsonl", "--merge", "page", "--memory-limit", "120MB"),
    "store": ("dedupe", "-f", "jsonl", "--store", "{out}/s.db", "-o", OUT),
    "by template": ("extract", "-u", "--by", "template", "-f", "csv", "--fields", "uri,source,line"),
    "count": ("count", "--spellings", "3"),
    "count by host": ("count", "-f", "jsonl", "--by", "host", "--spellings", "3"),
    "count jsonl": ("count", "-f", "jsonl", "--sort", "count"),
    "count disk": ("count", "-f", "csv", "--sort", "uri", "--memory-limit", "120MB"),
    "stats": ("stats", "-f", "json", "--templates"),
    "stats csv": ("stats", "-f", "csv", "--no-times"),
    "report": ("report", "--links", "-o", OUT),
}
CONTEXTS: dict[str, tuple[str, ...]] = {
    "plain": (),
    "context": ("--read", "context"),
    "since": ("--since", "2022"),
    "until": ("--until", "2022-06"),
    "host": ("--only", "host=*.example,!b.example"),
    "carrier": ("--only", "carrier=*", "--read", "all-parts"),
    "warned": ("--only", "warning=any", "--since", "2020"),
}


@pytest.fixture(scope="module")
def engines() -> Iterator[tuple[Engine, Engine]]:
    found = Engine(is_pure=False), Engine(is_pure=True)
    yield found
    for one in found:
        one.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("every")
    written(made / "kinds")
    written(made / "plain", plain=True)
    return made


WAYS: dict[str, tuple[bool, str, int | None]] = {
    "two jobs": (False, "2", None),
    "two jobs, small parts": (False, "2", 512),
    "in Python": (True, "1", None),
    "in Python, two jobs": (True, "2", None),
    "in Python, small parts": (True, "2", 512),
}


@cache
def _whole(argv: tuple[str, ...], engine: Engine) -> Ran:
    """What one job leaves of whole files."""
    return engine.ran([*argv, "--jobs", "1"])


def compared(argv: tuple[str, ...], way: str, engines: tuple[Engine, Engine]) -> Ran:
    """Run the command in some way; return what that, and one job with the kernel, have left."""
    is_pure, jobs, part = WAYS[way]
    found = engines[is_pure].ran([*argv, "--jobs", jobs], part)
    assert found == _whole(argv, engines[0])
    assert " found, " in found.said  # it was no misuse
    assert "unexpected" not in found.said
    return found


def _argv(command: str, context: str) -> tuple[str, ...]:
    """The arguments of a command in a context; as text it needs fields that state one."""
    argv = (*COMMANDS.get(command, ("extract", "-f", "parquet", "-o", OUT)), *CONTEXTS[context])
    if context != "context":
        return argv
    if command in ("text", "raw", "dedupe"):
        return (*argv, "--fields", "uri,raw,time,from,field")
    if command in ("jsonl", "dedupe jsonl"):
        return (*argv, "--fields", "uri,raw,field,time,time_written,from,to,subject,source,domain,warnings")
    return argv


def _pairs(*values: Iterable[str], of: int) -> list[tuple[str, ...]]:
    """Every so many of the combinations, so that any two values of different lists meet, each as often as others."""
    numbered = product(*(enumerate(some) for some in values))
    return [tuple(value for _, value in one) for one in numbered if sum(number for number, _ in one) % of == 0]


@pytest.mark.sampled(11)  # each way, each command and each context
@pytest.mark.parametrize(("command", "context", "way"), _pairs([*COMMANDS, "parquet"], CONTEXTS, WAYS, of=3))
def test_every_way_gives_the_same(
    command: str, context: str, way: str, folder: Path, engines: tuple[Engine, Engine]
) -> None:
    if command == "parquet":
        pytest.importorskip("pyarrow")
    argv = _argv(command, context)
    found = compared((*argv, str(folder / "kinds")), way, engines)
    assert found.status == 2  # for a file that is cut
    if context in ("plain", "context") and command not in ("stats", "stats csv", "report"):
        text = found.out + found.written
        assert [name for name in FILES if link(name) not in text] == []
    compared((*argv, str(folder / "plain")), way, engines)


@pytest.mark.long
@pytest.mark.parametrize(
    ("command", "context", "way"),
    _pairs(
        [*(name for name in COMMANDS if name != "store"), "parquet"],  # each store has a secret
        ["plain", "context", "since", "carrier"],
        ["two jobs, small parts", "in Python"],
        of=2,
    ),
)
def test_every_way_gives_the_same_of_the_samples(
    command: str, context: str, way: str, engines: tuple[Engine, Engine]
) -> None:
    if command == "parquet":
        pytest.importorskip("pyarrow")
    masks = () if command.startswith(("stats", "report")) else ("--show-passwords",)  # a digest is that of one run
    compared((*_argv(command, context), *masks, str(SAMPLES)), way, engines)
