"""What each option does in each call and in each command, and how a test sees it: the table of `docs/reference`.

A cell is `obeyed`, `refused`, or says why the option is without effect there. Two results of a call, with an option and
without it, over all texts of the option's row, show which it is.
"""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pytest

import urisieve
from tests.helpers.cli_support import call
from urisieve import (
    InvalidIdentifierError,
    Known,
    Options,
    Record,
    Rejection,
    Scheme,
    Store,
    UsageError,
)
from urisieve.arrow import Extractor, digest_array, key_array, normalize_array
from urisieve.dedupe import check_key_signature, key_signature
from urisieve.errors import ProcessError, StoreError
from urisieve.sinks.statistics import collect_statistics, count_keys

OBEYED: Final = "obeyed"
REFUSED: Final = "refused"

SHELF: Final = Scheme("shelf", "a shelf", "Manual, 4", shape="[a-z]{2,16}/[0-9]", syntax="[a-z]{2,16}/[0-9]+")
_SECRET: Final = bytes(32)


class Case(NamedTuple):
    """Texts that show an option, the value that it gets, and the options that are the same with and without it.

    Attributes:
        texts: each is searched, and each is given as one identifier.
        value: the value of the option.
        flags: those of the command that set it, or would do so.
        base: the other options.
        base_flags: their flags.
        encoding: that of the texts which a command reads with the flags.
    """

    texts: tuple[str, ...]
    value: Any
    flags: tuple[str, ...]
    base: Mapping[str, Any] = {}
    base_flags: tuple[str, ...] = ()
    encoding: str = "utf-8"


OPTIONS: Final[dict[str, tuple[Case, ...]]] = {
    "schemes": (
        Case(("http://a.example/", "javascript:alert(1)"), {"urn"}, ("--schemes", "urn")),
        Case(("http://a.example/", "javascript:alert(1)"), "web", ("--schemes", "web")),
    ),
    "exclude_schemes": (Case(("http://a.example/",), {"http"}, ("--schemes", "!http")),),
    "known_schemes": (
        Case(("crate://ab1",), {"crate"}, ("--schemes", "default,+crate")),
        Case(
            ("crate://ab1",),
            {"crate"},
            ("--schemes", "registered,+crate"),
            {"schemes": "registered"},
            ("--schemes", "registered"),
        ),
    ),
    "rules": (Case(("shelf:ab/1", "shelf:AB/1"), (SHELF,), ("--rules", "shelf")),),
    "urn_syntax": (
        Case(
            ("urn:example:a?=b#c urn:example:a", "urn:example:a?=b#c", "urn:example:a?b"),
            "rfc8141",
            ("--urn-syntax", "rfc8141"),
        ),
    ),
    "level": (Case(("HTTP://a.example http://a.example/", "HTTP://a.example"), "none", ("--level", "none")),),
    "merge": (
        Case(
            ("http://a.example/ http://a.example/#b", "http://a.example/#b"),
            "drop-fragment",
            ("--merge", "drop-fragment"),
        ),
    ),
    "repair": (Case(("http://a.example/a|b", "http://a.example/?a[b]=1"), True, ("--accept", "unencoded")),),
    "schemeless": (Case(("see www.example.com", "www.example.com"), True, ("--accept", "names")),),
    "email": (Case(("ann@a.example", "ann@a.com"), True, ("--accept", "addresses")),),
    "bare": (Case(("10.1000/182",), ("doi",), ("--accept", "doi")),),
    "refang": (Case(("hxxp://a[.]example/b",), True, ("--accept", "defanged")),),
    "nested": (Case(("http://a.example/?u=urn:isbn:0395363411",), True, ("--accept", "nested")),),
    "unwrap": (Case(("https://www.google.com/url?q=http%3A%2F%2Fb.example%2F",), "known", ("--accept", "wrapped")),),
    "spoofing": (Case(("http://paypal.com@127.1/",), True, ("--protect", "any")),),
    "protect": (Case(("http://rnicrosoft.com/",), ("microsoft.com",), ("--protect", "microsoft.com")),),
    "charset": (
        Case(("http://a.example/e\u0301",), "legacy", ("--encoding", "windows-1258"), encoding="windows-1258"),
        Case(("http://a.example/\u1fef",), "legacy", ()),
    ),
    "positions": (Case(("see http://a.example/",), "offsets", ("--positions", "offsets")),),
    "max_length": (Case((f"http://a.example/{'x' * 60}",), 64, ("--max-length", "64")),),
}

# A value of each option that is not its default.
OTHERS: Final = {name: cases[0].value for name, cases in OPTIONS.items()}


def _shown(found: Record | Rejection | None) -> object:
    if isinstance(found, Record):
        notices = [notice.as_dict() for notice in found.notices]
        place = (found.start, found.end, found.line, found.column)
        return (found.raw, found.uri, found.key, place, found.warnings, found.alternatives, notices)
    return None if found is None else (found.raw, found.reason, found.offset)


def _listed(found: Iterable[Any]) -> object:
    return [_shown(one[-1] if type(one) is tuple else one) for one in found]


def _documents(text: str) -> list[tuple[str, str]]:
    return [("a", text)]


async def _stream(text: str) -> AsyncIterator[str]:
    yield text


def _asynchronous(function: Any) -> Callable[[str, Options], object]:
    async def collected(text: str, options: Options) -> object:
        return _listed([one async for one in function(_stream(text), options=options)])

    return lambda text, options: asyncio.run(collected(text, options))


def _scanner(text: str, options: Options) -> object:
    scanner = urisieve.Scanner(options)
    return _listed([*scanner.feed(text), *scanner.close()])


def _batches(text: str, options: Options) -> object:
    return [_listed(batch.records()) for batch in urisieve.extract_batches([("a", text)], options=options)]


def _table(text: str) -> Any:
    return pa.table({"text": [text]})


def _arrow_rows(batches: Iterable[Any]) -> object:
    return [row for batch in batches for row in batch.to_pylist()]


def _in_file(text: str, name: str, work: Callable[[str], object]) -> object:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_text(text, "utf-8")
        return work(str(path))


def _file(function: Any) -> Callable[[str, Options], object]:
    return lambda text, options: _in_file(f"{text}\n", "a.txt", lambda path: _listed(function([path], options=options)))


def _blocks(function: Any) -> Callable[[str, Options], object]:
    return lambda text, options: _listed(function("a.txt", [text.encode()], options=options))


class _Listing:
    """A sink that lists what it takes."""

    def __init__(self) -> None:
        self.taken: list[object] = []

    def take(self, batch: Any, /) -> None:
        self.taken += [_listed(batch.records()), _listed(batch.rejections)]

    def close(self) -> None:
        """Keep what is listed."""


def _into(text: str, options: Options) -> object:
    listing = _Listing()
    _in_file(text, "a.txt", lambda path: urisieve.sieve_into([path], listing, options=options))
    return listing.taken


def _counts(text: str, options: Options) -> object:
    return list(count_keys([("a", text)], options=options))


def _statistics(text: str, options: Options) -> object:
    def work(path: str) -> object:
        found = collect_statistics([path], options=options)
        return (found.funnel, found.schemes, found.hosts, found.warnings, found.rejections)

    return _in_file(text, "a.txt", work)


def _raised(function: Any) -> Callable[[str, Options], object]:
    def work(text: str, options: Options) -> object:
        try:
            made = function(text, options=options)
        except InvalidIdentifierError as error:
            return _shown(error.rejection)
        return _shown(made) if isinstance(made, Record) else made

    return work


def _explained(text: str, options: Options) -> object:
    return urisieve.explain(text, options=options).as_dict()


def _replaced(text: str, options: Options) -> object:
    """Records with other paths than that of a text, by other options than those that it was found by."""
    found: list[object] = []
    for record in urisieve.extract(text, options=Options(schemes="any", rules=options.rules)):
        for path in (record.path, *(f"{record.path}{more}" for more in ("%7E", "|", "e\u0301", "?b"))):
            try:
                found.append(_raised(_with_path(record))(path, options))
            except UsageError as error:
                found.append(str(error))
    return found


def _with_path(record: Record) -> Callable[..., Record]:
    """Return a function that makes the record with another path."""
    return lambda path, options: record.replace(path=path, options=options)


def _equivalent(text: str, options: Options) -> object:
    others = (text, "http://a.example/", "urn:example:a", "http://a.example/%C3%A9")
    return [
        _raised(lambda text, options, other=other: urisieve.equivalent(text, other, options=options))(text, options)
        for other in others
    ]


def _array(function: Any, **more: Any) -> Callable[[str, Options], object]:
    return lambda text, options: function(pa.array([text]), options=options, **more).to_pylist()


@lru_cache(128)
def _of_sqlite(options: Options) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    urisieve.sqlite.register(connection, secret=_SECRET, options=options)
    return connection


@lru_cache(128)
def _of_duckdb(options: Options) -> Any:
    connection = pytest.importorskip("duckdb").connect()
    urisieve.duckdb.register(connection, secret=_SECRET, options=options)
    return connection


def _sql(connected: Callable[[Options], Any], *functions: str) -> Callable[[str, Options], object]:
    asked = f"SELECT {', '.join(f'{name}($1)' for name in functions)}"
    return lambda text, options: connected(options).execute(asked, (text,)).fetchone()


def _rows(text: str, options: Options) -> object:
    rows = "".join(f"{json.dumps({'u': one})}\n" for one in (text, "http://a.example/", text, "urn:example:a"))

    def work(path: str) -> object:
        output = f"{path}.out"
        counts = urisieve.deduplicate_rows([path], ["u"], input="jsonl", output=output, options=options)
        return (counts.kept, counts.unmatched, Path(output).read_text("utf-8"))

    return _in_file(rows, "a.jsonl", work)


def _row_values(text: str, options: Options) -> object:
    rows = [{"u": one} for one in (text, "http://a.example/", text, "urn:example:a")]
    return list(urisieve.deduplicate(rows, field="u", options=options))


def _checked_rows(text: str, options: Options) -> object:
    rows = f"{json.dumps({'u': text})}\n"
    return _in_file(
        rows,
        "a.jsonl",
        lambda path: [_shown(row.found) for row in urisieve.check_rows(path, "u", input="jsonl", options=options)],
    )


def _known(text: str, options: Options) -> object:
    known = Known([text], options=options)
    return (
        known.links,
        known.hosts,
        known.rejected,
        known.first_rejected,
        [one in known for one in ("http://a.example/", "urn:example:a")],
    )


@cache
def _empty_store() -> bytes:
    """The file of a store of the default options."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "keys.db")
        Store(path).close()
        return path.read_bytes()


def _store(_text: str, options: Options) -> object:
    """Return whether a store of the default options is one of these."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "keys.db")
        path.write_bytes(_empty_store())
        with suppress(StoreError, UsageError):
            Store(path, options=options).close()
            return True
        return False


def _signature(_text: str, options: Options) -> object:
    return key_signature(options)


def _check_signature(_text: str, options: Options) -> object:
    with suppress(ProcessError):
        check_key_signature(key_signature(), options)
        return True
    return False


Call = Callable[[str, Options], object]
CALLS: Final[dict[str, dict[str, Call]]] = {
    "text": {
        "extract": lambda text, options: _listed(urisieve.extract(text, options=options)),
        "has_identifier": lambda text, options: [
            urisieve.has_identifier(word, options=options) for word in (text, *text.split())
        ],
        "sub": lambda text, options: [
            urisieve.sub(text, lambda found: f"<{found.as_dict()}>", options=options, rejected=True)
        ],
        "sieve": lambda text, options: _listed(urisieve.sieve(text, options=options)),
        "extract_each": lambda text, options: list(map(_listed, urisieve.extract_each([text], options=options))),
        "extract_documents": lambda text, options: _listed(
            urisieve.extract_documents(_documents(text), options=options)
        ),
        "sieve_documents": lambda text, options: _listed(urisieve.sieve_documents(_documents(text), options=options)),
        "aextract": _asynchronous(urisieve.aextract),
        "asieve": _asynchronous(urisieve.asieve),
        "Scanner": _scanner,
        "extract_batches": _batches,
        "sieve_into": _into,
        "sinks.statistics.count_keys": _counts,
    },
    "files": {
        "extract_html": lambda text, options: _listed(urisieve.extract_html(text, options=options)),
        "extract_files": _file(urisieve.extract_files),
        "sieve_files": _file(urisieve.sieve_files),
        "extract_blocks": _blocks(urisieve.extract_blocks),
        "sieve_blocks": _blocks(urisieve.sieve_blocks),
        "sinks.statistics.collect_statistics": _statistics,
    },
    "columns": {
        "arrow.Extractor": lambda text, options: _arrow_rows(
            Extractor(options=options, rejected=True, secret=_SECRET)([*_table(text).to_batches()])
        ),
        "sqlite: uri_find_key": _sql(_of_sqlite, "uri_find_key"),
        "duckdb: uri_find_key": _sql(_of_duckdb, "uri_find_key"),
        "sqlite: uri_find_keys": _sql(_of_sqlite, "uri_find_keys"),
        "duckdb: uri_find_keys": _sql(_of_duckdb, "uri_find_keys"),
    },
    "one": {
        "check": lambda text, options: _shown(urisieve.check(text, options=options)),
        "parse": _raised(urisieve.parse),
        "is_valid": _raised(urisieve.is_valid),
        "normalize": _raised(urisieve.normalize),
        "key": _raised(urisieve.key),
        "equivalent": _equivalent,
        "explain": _explained,
        "Record.replace": _replaced,
        "arrow.normalize_array": _array(normalize_array),
        "arrow.key_array": _array(key_array, secret=_SECRET),
        "arrow.digest_array": _array(digest_array),
        "sqlite: uri_canonical": _sql(_of_sqlite, "uri_canonical", "uri_host", "uri_scheme", "uri_path"),
        "sqlite: uri_key": _sql(_of_sqlite, "uri_key"),
        "sqlite: uri_is_valid": _sql(_of_sqlite, "uri_is_valid"),
        "duckdb: uri_canonical": _sql(_of_duckdb, "uri_canonical", "uri_host", "uri_scheme", "uri_path"),
        "duckdb: uri_key": _sql(_of_duckdb, "uri_key"),
        "duckdb: uri_is_valid": _sql(_of_duckdb, "uri_is_valid"),
        "check_rows": _checked_rows,
        "deduplicate": _row_values,
        "deduplicate_rows": _rows,
        "Known": _known,
    },
    "keys": {
        "Store": _store,
        "dedupe.key_signature": _signature,
        "dedupe.check_key_signature": _check_signature,
    },
}


def results(option: str, work: Call) -> Iterator[tuple[object, object]]:
    """Yield what a call returns for each text of an option, without it and with it; a refusal is REFUSED."""
    for case in OPTIONS[option]:
        base = Options(**case.base)
        options = Options(**{**case.base, option: case.value})
        for text in case.texts:
            try:
                with_option = work(text, options)
            except UsageError:
                with_option = REFUSED
            yield work(text, base), with_option


def verdict(pairs: Iterable[tuple[object, object]]) -> str:
    """Return what pairs of results show."""
    listed = list(pairs)
    if any(second == REFUSED for _, second in listed):
        return REFUSED
    return OBEYED if any(first != second for first, second in listed) else "no effect"


Command = Callable[[bytes, Sequence[str]], object]


def _command(*argv: str) -> Command:
    def work(text: bytes, flags: Sequence[str]) -> object:
        done = call(*argv, *flags, stdin=text)
        return REFUSED if done.status == 2 else (done.status, done.out)

    return work


def _report(text: bytes, flags: Sequence[str]) -> object:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.txt")
        path.write_bytes(text)
        done = call("report", "-q", *flags, "-o", f"{path}.html", str(path))
        if done.status == 2:
            return REFUSED
        return re.sub(rb"urisieve-tests-[^/]+|/tmp/\w+", b"", Path(f"{path}.html").read_bytes())


COMMANDS: Final[dict[str, Command]] = {
    "extract": _command("extract", "-q", "-f", "jsonl"),
    "dedupe": _command("dedupe", "-q", "-f", "jsonl"),
    "count": _command("count", "-q", "-f", "jsonl"),
    "stats": _command("stats", "-q", "-f", "json"),
    "report": _report,
    "normalize": _command("normalize", "-q", "--form", "key"),
    "check": _command("check", "-q", "-f", "jsonl"),
    "explain": _command("explain", "-f", "jsonl"),
}


# Why an option is without effect.
_WHOLE: Final = "the whole text is the candidate"
_READ: Final = "nothing is read into the text but what `bare` names"
_ONE: Final = "one identifier, one answer: a search and `unwrap` give those inside it"
_NO_WARNINGS: Final = "warnings are no part of the answer"
_VALID: Final = "validity does not depend on it"
_SAME_KEYS: Final = "it decides which identifiers there are, not their keys"
_FIRST: Final = "none inside another identifier is the first of a text"
_OFFSETS: Final = "offsets alone are given"
_TRIED: Final = "a text that is not valid is searched with it in any case"

_FORMS: Final = (
    *("is_valid", "normalize", "key", "equivalent", "arrow.normalize_array", "arrow.key_array", "arrow.digest_array"),
    *(f"{engine}: {name}" for engine in ("sqlite", "duckdb") for name in ("uri_canonical", "uri_key", "uri_is_valid")),
    *("deduplicate", "deduplicate_rows", "Known"),
)
_FIRST_KEY: Final = ("sqlite: uri_find_key", "duckdb: uri_find_key")
_FINDING_KEYS: Final = (*_FIRST_KEY, "sqlite: uri_find_keys", "duckdb: uri_find_keys")
_TESTS_OF_VALIDITY: Final = ("is_valid", "sqlite: uri_is_valid", "duckdb: uri_is_valid")
_IN_FIELDS: Final = {"deduplicate": OBEYED, "deduplicate_rows": OBEYED}
# By option: what it does in the calls of a group, and in single ones where that differs; `obeyed` is left out.
CELLS: Final[dict[str, dict[str, str]]] = {
    "bare": {"Record.replace": "a record has a scheme", "Store": _SAME_KEYS},
    **{
        option: {"Store": _SAME_KEYS}
        for option in ("schemes", "exclude_schemes", "known_schemes", "repair", "max_length")
    },
    "charset": {"extract_html": "the encoding of the page decides", "Store": _SAME_KEYS},
    "level": dict.fromkeys((*_TESTS_OF_VALIDITY, "has_identifier"), _VALID),
    "merge": dict.fromkeys((*_TESTS_OF_VALIDITY, "has_identifier"), _VALID),
    **{
        option: {"one": _READ, "explain": _TRIED, "Store": _SAME_KEYS, **_IN_FIELDS}
        for option in ("schemeless", "email", "refang")
    },
    **{
        option: {
            "one": _ONE,
            "Store": _SAME_KEYS,
            "sub": "of those that overlap the first is replaced",
            **dict.fromkeys((*_FIRST_KEY, "has_identifier"), _FIRST),
        }
        for option in ("nested", "unwrap")
    },
    **{
        option: {
            **dict.fromkeys((*_FORMS, *_FINDING_KEYS, "has_identifier", "sinks.statistics.count_keys"), _NO_WARNINGS),
            "Store": _SAME_KEYS,
        }
        for option in ("spoofing", "protect")
    },
    "positions": {
        "one": _WHOLE,
        "Store": _SAME_KEYS,
        "has_identifier": "whether there is one is the answer",
        "sinks.statistics.count_keys": _OFFSETS,
        "arrow.Extractor": _OFFSETS,
        "sinks.statistics.collect_statistics": "statistics have no positions",
        **dict.fromkeys(_FINDING_KEYS, "keys have no positions"),
    },
}
# By option: what its flags do in commands; `obeyed` is left out, and `refused` says that there is no such flag.
_OF_TEXT: Final = ("extract", "dedupe", "count", "stats", "report")
_OF_ONE: Final = ("normalize", "check", "explain")
_EVERYWHERE: Final = (*_OF_TEXT, *_OF_ONE)
COMMAND_CELLS: Final[dict[str, dict[str, str]]] = {
    **{option: dict.fromkeys(_EVERYWHERE, REFUSED) for option in ("rules", "positions")},
    **{option: dict.fromkeys(_OF_ONE, REFUSED) for option in ("schemeless", "email", "refang", "nested", "unwrap")},
    **{
        option: {
            "normalize": REFUSED,
            "count": "but in the closing line and for `--fail-on`: rows of counts have no warnings",
        }
        for option in ("spoofing", "protect")
    },
}
# Calls with options that have no column, and the one that they work by, or what they do.
BESIDE: Final = {
    "spark.extract": "arrow.Extractor",
    "spark.normalize": "arrow.key_array",
    "spark.register": "sqlite: uri_key",
    "sqlite.register": "sqlite: uri_key",
    "duckdb.register": "duckdb: uri_key",
    "sinks.statistics.StatisticsSink": "sinks.statistics.collect_statistics",
    "mask": "sub",
    "logs.MaskLinks": "sub",
}


def cell(option: str, group: str, name: str) -> str:
    """Return what an option does in a call of a group."""
    known = CELLS.get(option, {})
    return known.get(name) or known.get(group) or OBEYED


def command_cell(option: str, name: str) -> str:
    """Return what the flags of an option do in a command."""
    return COMMAND_CELLS.get(option, {}).get(name, OBEYED)


def command_results(option: str, work: Command) -> Iterator[tuple[object, object]]:
    """Yield what a command writes for each text of an option, without its flags and with them."""
    for case in OPTIONS[option]:
        for text in case.texts if case.flags else ():
            plain, encoded = (f"{text}\n".encode(encoding) for encoding in ("utf-8", case.encoding))
            yield work(plain, case.base_flags), work(encoded, (*case.base_flags, *case.flags))
