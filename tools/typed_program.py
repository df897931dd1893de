"""A program that uses the interface as users do; `tools/check_types.py` lets type checkers look at it.

It is not run: each function holds what has to be accepted, with the types that follow.
"""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any, assert_type

import urisieve
from urisieve import (
    Batch,
    InvalidIdentifierError,
    KeySet,
    Options,
    ReadingOptions,
    Record,
    Rejection,
    Scanner,
    Tally,
    aextract,
    check,
    deduplicate,
    equivalent,
    explain,
    extract,
    extract_batches,
    extract_documents,
    extract_each,
    extract_files,
    is_valid,
    key,
    normalize,
    parse,
    read_records,
    sieve,
    sieve_files,
    write_records,
)
from urisieve.codes import Component, Reason, Warn
from urisieve.explanation import Explanation
from urisieve.options import Level, Refang, Repair
from urisieve.streams import find_key
from urisieve.types import HostKind, Urn


def options() -> None:
    """Booleans, strings and members are taken wherever a choice is on or off."""
    for switch in (True, False):
        Options(refang=switch, email=switch, repair=switch, schemeless=switch, nested=switch)
        ReadingOptions(mail_parts=switch, binary=switch)
    Options(refang="known-forms", email="addresses", repair=Repair.ENCODE, schemeless="www", level="syntax")
    Options(schemes={"http", "https"}, merge=["strip-www"], level=Level.NONE, refang=Refang.OFF)


def texts() -> None:
    """Calls on text."""
    assert_type(extract("see http://a.example/"), Iterator[Record])
    assert_type(sieve(iter(["see http://a.exa", "mple/"]), options=Options(email=True)), Iterator[Record | Rejection])
    assert_type(extract_each(["a", "b"]), Iterator[list[Record]])
    assert_type(extract_each(["a", None], on_error=lambda index, error: print(index, error)), Iterator[list[Record]])
    assert_type(extract_documents([("a", "text"), ("b", iter(["te", "xt"]))]), Iterator[Record])
    assert_type(find_key(None), str | None)


async def pieces(source: AsyncIterator[str]) -> list[str]:
    """A text whose pieces come asynchronously."""
    return [record.uri async for record in aextract(source)]


def one(text: str) -> str:
    """A single identifier: the truth of what `check` returns tells a record from a rejection."""
    found = check(text)
    assert_type(found, Record | Rejection)
    if not found:
        assert_type(found, Rejection)
        assert_type(found.reason, Reason)
        assert_type(found.component, Component)
        return found.explain()
    assert_type(found, Record)
    assert_type(found.warnings, tuple[Warn, ...])
    assert_type(found.host_kind, HostKind | None)
    assert_type(found.urn, Urn | None)
    assert_type(explain(text), Explanation)
    assert_type(is_valid(text), bool)
    try:
        assert_type(parse(text), Record)
    except InvalidIdentifierError as error:
        assert_type(error.rejection, Rejection)
    return f"{normalize(text)} {key(text)} {equivalent(text, found.uri, 'syntax')}"


def records(found: Record, rejection: Rejection) -> None:
    """Records as dictionaries and back."""
    fields = dict(found)
    assert_type(found["uri"], Any)
    assert_type(dict(found), dict[str, Any])
    assert_type(found.as_dict(parts=True), dict[str, Any])
    assert_type(Record.from_dict(fields), Record)
    assert_type(Rejection.from_dict(dict(rejection)), Rejection)
    assert_type(found.replace(host="a.example", query=None), Record)
    assert_type(Scanner().decided, int)


def files(paths: list[Path]) -> None:
    """Files, batches and duplicates."""
    tally = Tally()
    for record in extract_files(paths, reading=ReadingOptions(input="csv", field=["url"]), tally=tally):
        assert_type(record, Record)
    for found in sieve_files(["a.mbox"], jobs=None):
        print(found.uri if found else found.reason)
    batches = extract_batches(["text", ("name", "text"), Path("file")])
    assert_type(next(batches), Batch)
    assert_type(next(batches)[0], Record)
    assert_type(next(batches)[:2], Batch)
    seen = KeySet(memory_limit=1_000_000)
    assert_type(deduplicate(extract("text"), seen=seen), Iterator[Record])
    assert_type(deduplicate([("a", 1)], key=lambda row: row[0]), Iterator[tuple[str, int]])
    assert_type(write_records(read_records("a.jsonl"), "b.csv", format="csv"), int)


def modules() -> None:
    """Modules with names of their own, without an import of each."""
    register: Callable[..., bytes] = urisieve.sqlite.register
    assert_type(urisieve.sqlite.register(sqlite3.connect(":memory:"), options=Options(refang=True)), bytes)
    print(register, urisieve.duckdb.register, urisieve.arrow.normalize_array, urisieve.codes.REASONS)
