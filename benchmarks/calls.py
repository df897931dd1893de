"""Single calls of the library, in microseconds: `python -m benchmarks.calls ROUNDS COUNT` prints JSON.

Each call is timed over values that are all distinct, so that nothing is remembered from one to the next. Time is
processor time; the least of several rounds counts, since a call is short and the machine is noisy.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.markdown import number, table
from benchmarks.measure import figures
from benchmarks.settings import Settings
from urisieve import Record, check, extract, resolve

__all__ = ["report"]

_COUNT = 5_000
_ROWS = 20  # of the functions of SQL, for each value


def _digit(of: str, weights: range, modulus: int) -> str:
    """A check digit: of ISBN-13 (weights 1 and 3 in turn are given by `modulus` 10), else of ISSN."""
    if modulus == 10:
        return str(-sum(int(one) * (3 if place % 2 else 1) for place, one in enumerate(of)) % 10)
    rest = -sum(int(one) * weight for one, weight in zip(of, weights, strict=True)) % modulus
    return "X" if rest == 10 else str(rest)


def _isbn(n: int) -> str:
    body = f"978{n:09}"
    return f"{body[:3]}-{body[3]}-{body[4:8]}-{body[8:]}-{_digit(body, range(0), 10)}"


def _issn(n: int) -> str:
    body = f"{n:07}"
    return f"{body[:4]}-{body[4:]}{_digit(body, range(8, 1, -1), 11)}"


# A value for each number, by what it shows.
_VALUES: dict[str, Callable[[int], str]] = {
    "a canonical URL": lambda n: f"https://www.example.org/a/{n}?c=d",
    "a URL to normalize": lambda n: f"HTTP://www.Example.org:80/a/./{n}/%7Ejoe",
    "a host beyond ASCII": lambda n: f"http://b\u00fccher-{n}.example/",
    "the same host": lambda n: f"http://b\u00fccher.example/{n}",
    "an IPv6 address": lambda n: f"http://[2001:db8::{n:x}]/",
    "`mailto`": lambda n: f"mailto:joe.{n}@example.org?subject=x",
    "`tel`": lambda n: f"tel:+1-201-{n:07}",
    "`sms`": lambda n: f"sms:+1201{n:07}",
    "`sip`": lambda n: f"sip:joe{n}@example.org:5060;transport=tcp",
    "`doi`": lambda n: f"doi:10.1000/{n}",
    "`ark`": lambda n: f"ark:12025/654xz{n}",
    "`urn:isbn`": lambda n: f"urn:isbn:{_isbn(n)}",
    "`urn:issn`": lambda n: f"urn:issn:{_issn(n)}",
    "`urn:uuid`": lambda n: f"urn:uuid:f81d4fae-7dec-11d0-a765-{n:012x}",
    "`urn:nbn`": lambda n: f"urn:nbn:de:101:1-{n:013}",
    "`urn:oid`": lambda n: f"urn:oid:1.2.{n}",
    "`mailto` to two": lambda n: f"mailto:joe.{n}@example.org?to=x@y.example",
    "`tel`, a short number": lambda n: f"tel:{n}",
    "`sip` with a password": lambda n: f"sip:joe{n}:pw@example.org",
    "`urn:isbn`, a wrong digit": lambda n: f"urn:isbn:{_isbn(n)[:-1]}X",
    "`geo`": lambda n: f"geo:48.{n},16.{n};u=10",
    "a user before a host beyond ASCII": lambda n: f"http://u{n}@b\u00fccher.example/",
    "an invalid label": lambda n: f"http://a_b..c{n}/",
    "an invalid port": lambda n: f"http://a.example:80x{n}/",
    "an invalid triplet": lambda n: f"http://a.example/{n}%zz",
    "an illegal character": lambda n: f"http://a.example/{n}<b",
}


def _timed(function: Callable[[Any], object], values: list[Any]) -> float:
    """Microseconds a value."""
    started = time.process_time()
    for value in values:
        function(value)
    return (time.process_time() - started) / len(values) * 1e6


def _cases() -> Iterator[tuple[str, Callable[[Any], object], Callable[[int], Any]]]:
    """Each call, the function that is timed, and the value for a number."""
    for name, value in _VALUES.items():
        yield f"`check`: {name}", check, value
    yield "`list(extract(text))`, a line with two links", _listed, _line_with_links
    yield "`list(extract(text))`, a line without", _listed, lambda n: f"Line {n} holds nothing at all: it is plain."
    yield "`resolve(base, reference)`", lambda one: resolve("https://example.org/a/b", one), lambda n: f"../c{n}?d"
    yield "`dict(record)`", dict, _record
    yield "`Record.from_dict(...)`", Record.from_dict, lambda n: dict(_record(n))
    yield "`record.host`, first asked", lambda one: one.host, _record


def _listed(text: str) -> list[Record]:
    return list(extract(text))


def _line_with_links(n: int) -> str:
    return f"See https://example.org/{n} and http://b.example/c?d={n} for more."


def _record(n: int) -> Record:
    made = check(_VALUES["a canonical URL"](n))
    assert isinstance(made, Record)
    return made


def _sql_cases(rows: int) -> dict[str, float]:
    """Microseconds a row of the functions of DuckDB, less those of a function of its own; empty without it."""
    try:
        import duckdb

        from urisieve.duckdb import register
    except ImportError:
        return {}
    connection = duckdb.connect(config={"threads": 1})
    register(connection)
    url = "'https://www.example' || (i % 50000)::VARCHAR || '.org/a/' || i::VARCHAR || '?c=d'"
    connection.execute(f"CREATE TABLE links AS SELECT {url} AS url FROM range({rows}) AS of(i)")

    def seconds(expression: str) -> float:
        started = time.process_time()
        connection.execute(f"SELECT count(DISTINCT {expression}) FROM links").fetchall()
        return time.process_time() - started

    functions = ("uri_key", "uri_host", "uri_scheme", "uri_domain", "uri_path", "uri_query", "uri_port")
    plain = min(seconds("lower(url)") for _ in range(3))
    spent = {name: min(seconds(f"{name}(url)") for _ in range(3)) for name in functions}
    return {f"`{name}(url)` in DuckDB": max(0.0, one - plain) / rows * 1e6 for name, one in spent.items()}


def measure(rounds: int, count: int) -> dict[str, float]:
    """Microseconds by call, of which each round has so many."""
    spent = {}
    for name, function, value in _cases():
        values = [[value(count * number + n) for n in range(count)] for number in range(rounds)]
        spent[name] = min(_timed(function, one) for one in values)
    return spent | _sql_cases(_ROWS * count)


def report(settings: Settings) -> Iterator[str]:
    """One table, a row a call."""
    rounds, count = max(3, settings.runs), min(_COUNT, settings.size // 10_000)
    ours, pure = (figures("calls", str(rounds), str(count), pure=way) for way in (False, True))
    rows = [[name, number(us), number(pure[name])] for name, us in ours.items()]
    yield (
        "Single calls on distinct values, processor time, the least of the rounds (functions of SQL: beside "
        f"`lower(url)`, on {_ROWS * count:,} rows):\n\n{table(['call', 'us', 'pure us'], rows)}"
    )


if __name__ == "__main__":
    json.dump(measure(*map(int, sys.argv[1:3])), sys.stdout)
