"""The functions of SQL in SQLite and DuckDB, against the library."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urisieve.duckdb
import urisieve.sqlite
from tests.helpers.folders import ROOT
from urisieve import Options, Profile, Record, UsageError, check, extract, registrable_domain
from urisieve.records.mask import Mask
from urisieve.records.masking import masked_text, password_token
from urisieve.rules.registry import public_suffix
from urisieve.rules.table import rules_of
from urisieve.sql import FUNCTIONS, SqlFunction
from urisieve.streams import find_key

SECRET = bytes(range(32))
MASK = Mask(SECRET)
GOLDEN = [
    line.split("\t")[0]
    for line in (ROOT / "tests" / "golden" / "keys.tsv").read_text("utf-8").splitlines()
    if not line.startswith("#")
]
Run = Callable[..., Any]


def _expected(name: str, value: object, options: Options | None = None) -> object:
    """The value of a function by the calls of the library."""
    if value is None:
        return None
    text = value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value
    if name == "uri_find_key":
        return find_key(text, options=options, secret=SECRET) if isinstance(text, str) else None
    if name == "uri_find_keys":
        return [MASK.record(one).key for one in extract(text, options=options)] if isinstance(text, str) else []
    found = check(text, options=options) if isinstance(text, str) else None
    if name == "uri_is_valid":
        return isinstance(found, Record)
    if not isinstance(found, Record):
        return None
    masked = found.masked(password_token(SECRET))
    if name == "uri_port":
        return _port(found, options)
    of_record = {
        "uri_canonical": masked_text(found.uri),
        "uri_key": masked.key,
        "uri_host": masked.host,
        "uri_scheme": found.scheme,
        "uri_path": masked.path,
        "uri_query": masked.query,
        "uri_fragment": masked.fragment,
        "uri_params": None if found.query is None else dict(reversed(_pairs(masked.query or ""))),
        "uri_parts": {
            "scheme": found.scheme,
            "userinfo": masked.userinfo,
            "host": masked.host,
            "port": _port(found, options),
            "path": masked.path,
            "query": masked.query,
            "fragment": masked.fragment,
        },
        "uri_surt": masked.surt,
        "uri_param": None if found.query is None else dict(reversed(_pairs(masked.query or ""))).get("q"),
        "uri_domain": registrable_domain(masked.host) if masked.host else None,
        "uri_suffix": public_suffix(masked.host) if masked.host else None,
        "uri_subdomain": _before(masked.host, registrable_domain(masked.host)) if masked.host else None,
    }
    return of_record[name]


def _port(found: Record, options: Options | None) -> int | None:
    rules = rules_of((options or Options()).rules)
    digits = found.port or rules.scheme(found.scheme.lower()).default_port
    return int(digits) if found.host is not None and digits and int(digits) < 65_536 else None


def _before(host: str, domain: str | None) -> str | None:
    if domain is None:
        return None
    labels = host.rstrip(".").split(".")  # counted, since a host that is not normalized is written in other letters
    return ".".join(labels[: len(labels) - domain.count(".") - 1]) or None


def _pairs(query: str) -> list[tuple[str, str]]:
    return parse_qsl(query, keep_blank_values=True, max_num_fields=None)


def _call(name: str, text: str) -> str:
    """The call of a function in SQL."""
    return f"{name}({text}, 'q')" if name == "uri_param" else f"{name}({text})"


def _read(value: object, name: str) -> object:
    """A value as it comes from a database: SQLite has JSON for lists and maps."""
    is_json = isinstance(value, str) and FUNCTIONS[name] not in ("string", "integer", "boolean")
    return json.loads(str(value)) if is_json else value


@pytest.fixture(params=["sqlite", "duckdb"])
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    """Runs a statement of SQL and returns its rows; the options and parameters may be given."""
    connections = []

    def of(statement: str, parameters: tuple[object, ...] = (), options: Options | None = None) -> list[Any]:
        connection: Any
        if request.param == "sqlite":
            connection = sqlite3.connect(":memory:")
            urisieve.sqlite.register(connection, secret=SECRET, options=options)
        else:
            connection = pytest.importorskip("duckdb").connect()
            urisieve.duckdb.register(connection, secret=SECRET, options=options)
        connections.append(connection)
        return connection.execute(statement, parameters).fetchall()  # type: ignore[no-any-return]

    yield of
    for connection in connections:
        connection.close()


VALUES = [
    *("HTTP://Example.com:80/%7ea", "http://joe:pw@h.example/", "urn:isbn:0-395-36341-1", "http://[::1]:8/", None, ""),
    *("foo", "a b", "http://x.example/\n", "see http://a.example/ there", "http://\u00c4.example/\u00fc", "file:///x"),
    *(b"http://EXAMPLE.com/", b"http://EXAMPLE.com/\xff", b"\xff http://a.example/", b"", 5, -1.5, "\u202ex:y"),
    *("http://www.example.co.uk/", "http://a.example:80ab/", "news:a@b.example", "data:,a//b@c", "x" * 5_000),
    *("foo://h:080", "http://h:65536/?q", "ldap:///?q=1&q=2&&=&Q", "http://h/?a=q&%71=%C3%BC+%2B&q=x"),
    *("urn:a:b?=q=%FF", "URN:a:b#c", "urn:isbn:0395363411?=q=1#f"),
    *("sqlserver://h;password=S3cret", "sqlserver://h.example.org;password=S3cret;x=y"),  # G2
]


@pytest.mark.sampled(23)
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(
    "options",
    [
        None,
        Options(level="none"),
        Options(repair=True, email=True),
        Options(schemes={"http"}),
        Options(merge=Profile("page", ["q"])),
        Options(merge="archive-key"),
        Options(nested=True, unwrap="known"),
    ],
    ids=repr,
)
def test_functions_return_what_the_library_does(run: Run, name: str, options: Options | None) -> None:
    select = ", ".join(_call(name, f"?{number}") for number in range(1, len(VALUES) + 1))
    (row,) = run(f"SELECT {select}", tuple(VALUES), options)
    assert [_read(value, name) for value in row] == [_expected(name, value, options) for value in VALUES]


@pytest.mark.sampled(13)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_arrays_are_the_same(name: str) -> None:
    pa = pytest.importorskip("pyarrow")
    function = SqlFunction(name, None, SECRET)
    texts = [*GOLDEN, None, "", "no", *(f"see {text}, there" for text in GOLDEN[:1_000])]
    values = [function.of_value(text, "q") for text in texts]
    found = function.of_array(pa.array(texts), pa.array(["q"] * len(texts)))
    assert _listed(found) == values
    assert str(found.type) == _ARROW.get(FUNCTIONS[name], "string")
    assert sum(value not in (None, False) for value in values) > _LEAST.get(name, 5_000)


_ARROW = {
    "boolean": "bool",
    "integer": "int32",
    "array<string>": "list<item: string>",
    "map<string,string>": "map<string, string>",
    FUNCTIONS["uri_parts"]: "struct<scheme: string, userinfo: string, host: string, port: int32, path: string, "
    "query: string, fragment: string>",
}


def _listed(array: Any) -> list[object]:
    """The values of an array, maps as dictionaries."""
    is_map = str(array.type).startswith("map")
    return [dict(value) if is_map and value is not None else value for value in array.to_pylist()]


# How many golden identifiers have a part, at least.
_LEAST = {"uri_domain": 3_000, "uri_suffix": 3_000, "uri_port": 3_000, "uri_query": 500, "uri_param": 50}
_LEAST |= {"uri_params": 500, "uri_fragment": 100, "uri_subdomain": 300}


def test_parameters_of_a_query(run: Run) -> None:
    query = "http://e.example/?a+b=%C3%BC+c&a+b=2&x&y=&z=a%26b%2B"
    for name, value in (("a b", "\u00fc c"), ("x", ""), ("y", ""), ("z", "a&b+"), ("", None), (None, None), (5, None)):
        assert run("SELECT uri_param(?1, ?2)", (query, name)) == [(value,)]
    assert run("SELECT uri_param('http://e.example/', 'x'), uri_param('no', 'x'), uri_param(NULL, 'x')") == [
        (None,) * 3
    ]
    assert run("SELECT uri_param('http://e.example/?%C3%BC=1', CAST(?1 AS BLOB))", ("\u00fc".encode(),)) == [("1",)]


def test_an_empty_query_has_no_parameter(run: Run) -> None:
    for name in ("x", "\u00e9"):
        assert run("SELECT uri_param('http://e.example/?', ?1), uri_param('http://e.example/?x', 'y')", (name,)) == [
            (None, None)
        ]


def test_ports(run: Run) -> None:
    ports = {
        "http://h": 80,
        "https://h:8/": 8,
        "foo://h": None,
        "foo://h:008/": 8,
        "mailto:a@b.example": None,
        "x:": None,
    }
    select = ", ".join(f"uri_port('{uri}')" for uri in ports)
    assert run(f"SELECT {select}") == [tuple(ports.values())]


@given(st.lists(st.text() | st.binary() | st.none() | st.sampled_from(GOLDEN)))
def test_every_text_has_one_value(texts: list[str | bytes | None]) -> None:
    pa = pytest.importorskip("pyarrow")
    octets = [text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text for text in _plain(texts)]
    for name in FUNCTIONS:
        function = SqlFunction(name, None, SECRET)
        assert _listed(function.of_array(pa.array(octets, pa.binary()))) == list(map(function.of_value, octets))


def _plain(texts: list[str | bytes | None]) -> list[str | bytes | None]:
    """Texts without halves of surrogate pairs, which no database holds."""
    return [text.encode("utf-8", "replace").decode() if isinstance(text, str) else text for text in texts]


def test_rows_with_equal_keys(run: Run) -> None:
    urls = ("HTTP://a.example", "http://a.example:80/", "urn:x-a:b", None)
    rows = " UNION ALL ".join(f"SELECT ?{number} AS url" for number in range(1, len(urls) + 1))
    assert run(f"SELECT count(DISTINCT uri_key(url)) FROM ({rows})", urls) == [(2,)]


def test_sqlite_indexes_by_a_key(tmp_path: Path) -> None:
    path = tmp_path / "links.db"
    for _ in range(2):
        with sqlite3.connect(path) as connection:
            assert urisieve.sqlite.register(connection, secret=SECRET) == SECRET
            connection.execute("CREATE TABLE IF NOT EXISTS links (url)")
            connection.execute("CREATE UNIQUE INDEX IF NOT EXISTS once ON links (uri_key(url))")
            urls = [("HTTP://a.example",), ("http://a.example:80/",), ("http://u:p@a.example/",)]
            connection.executemany("INSERT OR IGNORE INTO links VALUES (?)", urls)
            assert connection.execute("SELECT url FROM links").fetchall() == [urls[0], urls[2]]
            plan = connection.execute("EXPLAIN QUERY PLAN SELECT 1 FROM links WHERE uri_key(url) = 'x:y'").fetchall()
            assert "USING INDEX once" in plan[0][3]
            with pytest.raises(sqlite3.OperationalError, match="non-deterministic"):
                connection.execute("CREATE INDEX other ON links (uri_domain(url))")
            with pytest.raises(sqlite3.OperationalError, match="non-deterministic"):
                connection.execute("CREATE INDEX other ON links (uri_suffix(url))")
        connection.close()


def test_sqlite_text_that_is_not_utf_8_is_an_error_and_no_wrong_value() -> None:
    connection = sqlite3.connect(":memory:")
    urisieve.sqlite.register(connection)
    with pytest.raises(sqlite3.OperationalError):
        connection.execute("SELECT uri_key(CAST(x'687474703a2f2f612eff' AS TEXT))")
    torn = "CAST(CAST(x'687474703a2f2f612eff' AS TEXT) AS BLOB)"
    assert connection.execute(f"SELECT uri_key({torn}), uri_is_valid({torn})").fetchone() == (None, 0)
    connection.close()


@pytest.mark.parametrize(
    "value",
    ["['http://a.example/']", "DATE '2020-01-01'", "uuid()", "{'a': 1}", "true", "12::HUGEINT", "'10'::BIT", "1.5"],
)
def test_duckdb_types_that_are_not_text(value: str) -> None:
    connection = pytest.importorskip("duckdb").connect()
    urisieve.duckdb.register(connection)
    assert connection.execute(f"SELECT uri_key({value}), uri_is_valid({value})").fetchone() == (None, False)


def test_duckdb_tables_of_many_rows_and_of_none() -> None:
    connection = pytest.importorskip("duckdb").connect()
    urisieve.duckdb.register(connection)
    connection.execute("CREATE TABLE links AS SELECT 'HTTP://e.example/' || (range // 2) AS url FROM range(10_000)")
    assert connection.execute("SELECT count(DISTINCT uri_key(url)) FROM links").fetchone() == (5_000,)
    assert connection.execute("SELECT uri_key(url) FROM links WHERE false").fetchall() == []
    kind = "CREATE TYPE one AS ENUM ('http://a.example/x', 'no')"
    connection.execute(kind)
    assert connection.execute("SELECT uri_host('http://a.example/x'::one), uri_key('no'::one)").fetchone() == (
        "a.example",
        None,
    )


def test_duckdb_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = pytest.importorskip("duckdb").connect()
    monkeypatch.setattr("urisieve.sql.find_spec", lambda name: None if name == "pyarrow" else find_spec(name))
    urisieve.duckdb.register(connection, secret=SECRET)
    for value in VALUES:
        row = connection.execute(f"SELECT {', '.join(_call(name, '$1') for name in FUNCTIONS)}", (value,)).fetchone()
        assert row == tuple(_expected(name, value) for name in FUNCTIONS)


def test_registering_again_replaces_the_functions() -> None:
    registered: list[tuple[Any, Callable[..., bytes]]] = [
        (sqlite3.connect(":memory:"), urisieve.sqlite.register),
        (pytest.importorskip("duckdb").connect(), urisieve.duckdb.register),
    ]
    for connection, register in registered:
        for level, uri in (("scheme", "http://a.example/"), ("syntax", "http://a.example")):
            register(connection, options=Options(level=level))
            assert connection.execute("SELECT uri_canonical('http://a.example')").fetchall() == [(uri,)]
        connection.close()


def test_without_the_list_of_suffixes_there_is_no_domain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urisieve.sql.find_spec", lambda _: None)
    connection = sqlite3.connect(":memory:")
    urisieve.sqlite.register(connection)
    with pytest.raises(sqlite3.OperationalError, match="no such function: uri_domain"):
        connection.execute("SELECT uri_domain('http://a.example/')")
    assert connection.execute("SELECT uri_host('http://a.example/')").fetchone() == ("a.example",)
    connection.close()


@pytest.mark.parametrize("register", [urisieve.sqlite.register, urisieve.duckdb.register])
def test_misuse(register: Callable[..., bytes]) -> None:
    with pytest.raises(UsageError, match="the connection is str: give "):
        register(":memory:")
    with closing(sqlite3.connect(":memory:") if "sqlite" in register.__name__ else _duckdb()) as connection:
        with pytest.raises(UsageError, match="options='http' must be Options"):
            register(connection, options="http")
        with pytest.raises(UsageError, match="a secret is 1 to 64 bytes"):
            register(connection, secret="s")


def _duckdb() -> Any:
    return pytest.importorskip("duckdb").connect()


def test_a_connection_of_the_other_database_is_refused() -> None:
    with closing(sqlite3.connect(":memory:")) as ours, closing(_duckdb()) as theirs:
        with pytest.raises(
            UsageError, match=r"the connection is Connection: give one of DuckDB, as duckdb\.connect\(\)"
        ):
            urisieve.duckdb.register(ours)  # type: ignore[arg-type]
        with pytest.raises(UsageError, match=r"the connection is DuckDBPyConnection: give a sqlite3\.Connection"):
            urisieve.sqlite.register(theirs)


def test_the_modules_hide_no_other_ones() -> None:
    pytest.importorskip("duckdb")
    code = (
        "import urisieve, urisieve.sqlite, urisieve.duckdb, sqlite3, duckdb; "
        "print(duckdb is not urisieve.duckdb, hasattr(duckdb, 'connect'), hasattr(sqlite3, 'connect'), "
        "[name for name in ('duckdb', 'sqlite') if name in urisieve.__all__])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True True True []\n"
    code = (
        "import sys, urisieve; list(urisieve.extract('x')); urisieve.sqlite; "
        "print({'duckdb', 'pyarrow', 'pyspark'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
