"""The functions of SQL: on single values, as SQLite calls them, and on arrays of Arrow, as DuckDB and Spark do.

It also defines:

- the functions of SQL for a connection of DuckDB.
- the functions of SQL for a connection of SQLite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib.util import find_spec

from urisieve.errors import UsageError
from urisieve.finding_options import Options, checked
from urisieve.identifiers import judge_whole
from urisieve.judge.proofs import proofs_of
from urisieve.judge.validate import Fault
from urisieve.lean import TYPE_CHECKING, Any, Final, cast
from urisieve.records.field_table import pa, pc
from urisieve.records.mask import Mask
from urisieve.records.masking import drawn
from urisieve.rules.registry import domain_of, public_suffix
from urisieve.rules.table import rules_of
from urisieve.streams import extract, find_key
from urisieve.syntax.components import Components, Memo, parameters, split, surt

if TYPE_CHECKING:
    import sqlite3

    import duckdb

    from urisieve.arrow.extractor import Extractor


# The fields of `uri_parts`, each with the type of the function of its name.
_PARTS: Final = {
    **dict.fromkeys(("scheme", "userinfo", "host"), "string"),
    "port": "integer",
    **dict.fromkeys(("path", "query", "fragment"), "string"),
}
_LIST, _MAP = "array<string>", "map<string,string>"
_STRUCT: Final = f"struct<{','.join(f'{name}:{kind}' for name, kind in _PARTS.items())}>"
# The names of all functions, with the type that each returns, as Spark calls it.
FUNCTIONS: Final = {
    **dict.fromkeys(("uri_canonical", "uri_key", "uri_host", "uri_scheme"), "string"),
    "uri_port": "integer",
    **dict.fromkeys(("uri_path", "uri_query", "uri_fragment", "uri_param", "uri_surt"), "string"),
    "uri_params": _MAP,
    "uri_parts": _STRUCT,
    "uri_is_valid": "boolean",
    "uri_find_key": "string",
    "uri_find_keys": _LIST,
    **dict.fromkeys(("uri_domain", "uri_subdomain", "uri_suffix"), "string"),
}
# The types of DuckDB. SQLite has no lists, maps and structures: there they are JSON.
_IN_DUCKDB: Final = {"string": "VARCHAR", "boolean": "BOOLEAN", "integer": "INTEGER"}
_IN_DUCKDB[_LIST], _IN_DUCKDB[_MAP] = "VARCHAR[]", "MAP(VARCHAR, VARCHAR)"
_IN_DUCKDB[_STRUCT] = f"STRUCT({', '.join(f'{name} {_IN_DUCKDB[kind]}' for name, kind in _PARTS.items())})"
# The functions that take the name of a parameter, too.
_WITH_NAME: Final = frozenset(("uri_param",))
# The functions that need an extra, with the package in it.
_NEEDED: Final = dict.fromkeys(("uri_domain", "uri_subdomain", "uri_suffix"), "publicsuffixlist")

# Components of URNs are others by RFC 2141: there `?` and `#` belong to the NSS.
_DOUBTFUL_URN: Final = r"(?i)^urn:[^?#]*[?#]"
_MOST_PORT: Final = 65_535
Value = str | bool | int | list[str] | dict[str, str] | dict[str, "str | int | None"] | None


def available_functions() -> dict[str, str]:
    """Return the functions for which all is installed, with the type that each returns."""
    return {
        name: kind for name, kind in FUNCTIONS.items() if name not in _NEEDED or find_spec(_NEEDED[name]) is not None
    }


class SqlFunction:
    """One of `FUNCTIONS`.

    `uri_canonical`, `uri_key`, `uri_host` and `uri_scheme` take a whole text for one identifier, and return null for
    what is not valid. `uri_is_valid` reports whether it is. `uri_find_keys` searches the text, and returns the keys of
    all identifiers in it, in the order of the text; `uri_find_key` returns the first of them. `uri_domain`,
    `uri_suffix` and `uri_subdomain` return the registrable domain of the host, its public suffix, and the labels before
    the domain, and need the extra `domains`. All return null for null, and take bytes for text in UTF-8.

    The others return parts of the canonical URI, null for an absent one: `uri_path`, `uri_query`, `uri_fragment`, and
    `uri_surt`, its SURT form. `uri_port` is the number of its port, else the default port of its scheme; null without
    an authority, if none is known, or above 65535. `uri_parts` has all of these, and `userinfo`, as fields.
    `uri_param(text, name)` is the first value that the query has for a name, both decoded as forms are (WHATWG URL 5.1:
    `+` is a blank, triplets are UTF-8); "" for a name without a value. `uri_params` is that value for each name.

    Args:
        name: the name of the function.
        options: what to find and how far to normalize.
        secret: masks passwords in keys.

    Attributes:
        takes_name: whether it takes the name of a parameter, too.
    """

    def __init__(self, name: str, options: Options | None, secret: bytes) -> None:
        self._name = name
        self._part = name.removeprefix("uri_")
        self._options = checked(options)
        self._mask = Mask(secret)
        self._proofs = proofs_of(self._options)
        self._rules = rules_of(self._options.rules)
        self.takes_name = name in _WITH_NAME
        self._extractor = cache(partial(_key_extractor, options=self._options, secret=secret))
        of_host = {"uri_suffix": public_suffix, "uri_subdomain": _labels_before_domain}.get(name, domain_of)
        self._of_hosts: Memo[str | None] = Memo(lambda host: of_host(host) if host else None)

    @property
    def caller(self) -> Callable[..., Any]:
        """`of_value` with as many arguments as the function has."""
        return self.of_value if self.takes_name else lambda value: self.of_value(value)

    @property
    def json_caller(self) -> Callable[..., Any]:
        """`caller` for an engine without lists, maps and structures: their JSON is returned."""
        if FUNCTIONS[self._name] not in (_LIST, _MAP, _STRUCT):
            return self.caller
        from json import dumps

        def as_json(value: object) -> str | None:
            made = self.of_value(value)
            return None if made is None else dumps(made, ensure_ascii=False)

        return as_json

    def of_value(self, value: object, name: object = None) -> Value:
        """Return the value for one text; a number or any other value is not an identifier, and no name."""
        text = _text(value)
        if text is None:
            nothing: dict[str, Value] = {"uri_is_valid": False, "uri_find_keys": []}
            return nothing.get(self._name) if value is not None else None
        if self._name == "uri_find_key":
            found = find_key(text, options=self._options)
            return found and self._mask.key(found)
        if self._name == "uri_find_keys":
            return [self._mask.key(record.key) for record in extract(text, options=self._options)]
        uri, key = self._proofs.canonical(text), self._proofs.key(text) if self._name == "uri_key" else ""
        if uri is None or key is None:
            judged = judge_whole(text, self._options)
            if isinstance(judged, Fault):
                return False if self._name == "uri_is_valid" else None
            uri, key = judged.uri, judged.key
        if self._name == "uri_key":
            return self._mask.key(key)
        if self._name == "uri_is_valid":
            return True
        uri = self._mask.uri(uri)
        if self._name == "uri_canonical":
            return uri
        return self._of_uri(uri, name)

    def _parts_of(self, uri: str) -> Components:
        parts = split(uri)
        if parts.scheme.lower() == "urn" and ("?" in uri or "#" in uri):
            judged = judge_whole(uri, self._options)
            if not isinstance(judged, Fault) and judged.parts is not None:
                return judged.parts  # by RFC 2141 `?` and `#` belong to the path
        return parts

    def _of_uri(self, uri: str, name: object = None) -> Value:
        parts = self._parts_of(uri)
        if self._name == "uri_parts":
            return {field: self._port(parts) if field == "port" else getattr(parts, field) for field in _PARTS}
        if self._name == "uri_port":
            return self._port(parts)
        if self._name == "uri_param":
            wanted = _text(name)
            return None if wanted is None or parts.query is None else parameters(parts.query).get(wanted)
        if self._name == "uri_params":
            return None if parts.query is None else parameters(parts.query)
        if self._name == "uri_surt":
            return surt(parts)
        if self._name in _NEEDED:
            return self._of_hosts[parts.host]
        found: str | None = getattr(parts, self._part)
        return found

    def _port(self, parts: Components) -> int | None:
        if parts.host is None:
            return None
        return _port_number(parts.port) if parts.port else self._default_port(parts.scheme)

    def _default_port(self, scheme: str) -> int | None:
        return _port_number(self._rules.scheme(scheme.lower()).default_port)

    def of_array(self, texts: Any, names: Any = None) -> Any:
        """Return the values for an array of texts or bytes, as an array of the type in `FUNCTIONS`.

        Args:
            texts: the texts.
            names: as many names of parameters, for `uri_param`.

        Raises:
            UsageError: it is an array of other values.
        """
        from urisieve.arrow.identifier_arrays import masked_keys, normalize_array

        if self._name == "uri_key":
            return masked_keys(texts, self._mask, self._options)
        if self._name == "uri_find_key":
            first: list[str | None] = [None] * len(texts)
            for row, key in self._keys(texts):
                first[row] = first[row] or key
            return pa.array(first, pa.string())
        if self._name == "uri_find_keys":
            each: list[list[str] | None] = [None if is_null else [] for is_null in texts.is_null().to_pylist()]
            for row, key in self._keys(texts):
                cast("list[str]", each[row]).append(key)
            return pa.array(each, pa.list_(pa.string()))
        uris = normalize_array(texts, options=self._options)
        if self._name == "uri_canonical":
            return uris
        if self._name == "uri_is_valid":
            return pc.if_else(texts.is_null(), pa.scalar(None, pa.bool_()), uris.is_valid())
        if self._name == "uri_parts":
            columns = [self._component(uris, field) for field in _PARTS]
            return pa.StructArray.from_arrays(list(map(_whole, columns)), list(_PARTS), mask=_whole(uris.is_null()))
        if self._name == "uri_params":
            kind = pa.map_(pa.string(), pa.string())
            return _by_value(self._component(uris, "query"), lambda query: [*parameters(query).items()], kind)
        if self._name == "uri_param":
            return self._parameter_values(uris, names)
        if self._name in _NEEDED:
            return _by_value(self._component(uris, "host"), self._of_hosts.__getitem__, pa.string())
        if self._name == "uri_surt":
            return pa.array([uri and surt(split(uri)) for uri in uris.to_pylist()], pa.string())
        return self._component(uris, self._part)

    def _component(self, uris: Any, name: str) -> Any:
        """Return a component of canonical URIs, where `port` is that of `uri_port`."""
        from urisieve.arrow.identifier_arrays import component_array

        found = component_array(uris, name)
        if name == "port":
            known = _by_value(component_array(uris, "scheme"), self._default_port, pa.int32())
            has_digits = pc.fill_null(pc.not_equal(found, ""), fill_value=False)
            known = pc.if_else(has_digits, _by_value(found, _port_number, pa.int32()), known)
            return pc.if_else(component_array(uris, "host").is_valid(), known, pa.scalar(None, pa.int32()))
        return found if name in ("scheme", "host", "userinfo") else self._with_urns(found, uris, name)

    def _with_urns(self, values: Any, uris: Any, name: str) -> Any:
        """Return a component of canonical URIs with that of the URNs of which RFC 2141 decides."""
        mask = pc.match_substring_regex(uris, _DOUBTFUL_URN)
        if not pc.any(mask).as_py():
            return values
        pairs = zip(uris.to_pylist(), mask.to_pylist(), strict=True)
        made = [getattr(self._parts_of(uri), name) if is_other else None for uri, is_other in pairs]
        return pc.if_else(mask, pa.array(made, pa.string()), values)

    def _parameter_values(self, uris: Any, names: Any) -> Any:
        """Return the first value of the parameter that has the name beside each URI, or none."""
        from urisieve.arrow.identifier_arrays import parameter_array

        queries = self._component(uris, "query")
        each = [None] * len(uris) if names is None else list(map(_text, names.to_pylist()))
        alone = {*each}
        if len(alone) == 1 and None not in alone:
            return parameter_array(queries, alone.pop())
        pairs = zip(queries.to_pylist(), each, strict=True)
        found = [None if query is None or name is None else parameters(query).get(name) for query, name in pairs]
        return pa.array(found, pa.string())

    def _keys(self, texts: Any) -> Iterator[tuple[int, str]]:
        """Yield each key that the texts contain, with the row of its text before it."""
        rows = pa.array(range(len(texts)), pa.int64())
        for found in self._extractor()(pa.table([rows, texts], ["row", "text"])):
            yield from zip(*(column.to_pylist() for column in found.columns), strict=True)


def _key_extractor(options: Options, secret: bytes) -> Extractor:
    """Return what finds the keys in a column `text`, each with the value of `row`."""
    from urisieve.arrow.extractor import Extractor

    return Extractor(text="text", keep=["row"], columns=["key"], options=options, secret=secret)


def _port_number(digits: str | None) -> int | None:
    if not digits:
        return None
    port = int(digits.lstrip("0")[:6] or "0")
    return port if port <= _MOST_PORT else None


def _by_value(values: Any, found: Callable[[Any], Any], kind: Any) -> Any:
    """Return what a function returns for each value of an array, called once for equal ones; null for null."""
    each = _whole(values).dictionary_encode()
    made = pa.array(list(map(found, each.dictionary.to_pylist())), kind)
    return made.take(each.indices)


def _whole(values: Any) -> Any:
    """Return an array, or a chunked one as an array."""
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def _text(value: object) -> str | None:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).decode("utf-8", "surrogateescape")
    return value if isinstance(value, str) else None


def _labels_before_domain(host: str) -> str | None:
    """Return the labels of a host before its registrable domain; None without a domain or any label before it."""
    domain = domain_of(host)
    if domain is None:
        return None
    labels = host.rstrip(".").split(".")  # a host that is not normalized may be in other letters, not in other labels
    return ".".join(labels[: -domain.count(".") - 1]) or None


def register_in_duckdb(
    connection: duckdb.DuckDBPyConnection, *, secret: bytes | None = None, options: Options | None = None
) -> bytes:
    """Make the functions of SQL known to a connection of DuckDB (extra `duckdb`).

    Their names are those of SQLite and Spark; `urisieve.sqlite.register` describes them. Each takes a column of any
    type: text, or a BLOB in UTF-8; any other value is not an identifier. With pyarrow a function takes 2,048 rows at
    once, without it a row.

    >>> import duckdb
    >>> from urisieve.duckdb import register
    >>> connection = duckdb.connect()
    >>> secret = register(connection)
    >>> connection.execute("SELECT uri_key('URN:ISBN:0-395-36341-1'), uri_is_valid('a b'), uri_host(NULL)").fetchone()
    ('urn:isbn:0395363411', False, None)

    Args:
        connection: a connection of DuckDB, such as `duckdb.connect()`. Functions of these names are replaced.
        secret: a password in a key becomes a digest by this secret; by default one is drawn. Keys that are kept and
            compared later need the same secret.
        options: what to find and how far to normalize.

    Returns:
        the secret.

    Raises:
        UsageError: it is not a connection of DuckDB, or an argument is not valid.
    """
    if not hasattr(connection, "create_function") or not hasattr(connection, "remove_function"):
        raise UsageError(f"the connection is {type(connection).__name__}: give one of DuckDB, as duckdb.connect()")
    chosen = drawn(secret)
    by_arrow = find_spec("pyarrow") is not None
    create: Any = connection.create_function  # its types differ between versions
    for name, kind in available_functions().items():
        function = SqlFunction(name, options, chosen)
        _remove(connection, name)
        create(
            name,
            _on_arrays(function) if by_arrow else function.caller,
            None,  # any type
            _IN_DUCKDB[kind],
            type="arrow" if by_arrow else "native",
            null_handling="special",
        )
    return chosen


def _remove(connection: Any, name: str) -> None:
    """Remove a function that an earlier call has made: DuckDB replaces none."""
    from duckdb import Error

    try:
        connection.remove_function(name)
    except Error:
        return  # there is none


def _on_arrays(function: SqlFunction) -> Any:
    """Return a function from a column to the column of its values."""
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    octets = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view, pa.types.is_dictionary)

    def on_texts(values: Any) -> Any:
        return with_names(values, None)

    def with_names(values: Any, names: Any) -> Any:
        if not any(is_text(values.type) for is_text in (*texts, *octets)):
            # What is not text is as little an identifier as the empty text.
            values = pc.if_else(values.is_null(), pa.scalar(None, pa.string()), "")
        return function.of_array(values, names)

    return with_names if function.takes_name else on_texts


def register_in_sqlite(
    connection: sqlite3.Connection, *, secret: bytes | None = None, options: Options | None = None
) -> bytes:
    """Make the functions of SQL known to a connection of SQLite, which calls them a row at a time.

    - `uri_canonical(text)`: the canonical URI of the identifier that the whole text is, with passwords masked;
    - `uri_key(text)`: its key; equal keys mean equivalent identifiers;
    - `uri_scheme(text)`, `uri_host(text)`, `uri_path(text)`, `uri_query(text)`, `uri_fragment(text)`: parts of the
      canonical URI;
    - `uri_port(text)`: the number of its port, else of the default port of its scheme; NULL if none is known;
    - `uri_parts(text)`: these and `userinfo` as a JSON object;
    - `uri_param(text, name)`: the first value of a parameter of its query, decoded as forms are (`+` is a blank);
    - `uri_params(text)`: a JSON object with that value for each name;
    - `uri_surt(text)`: its SURT form, as `Record.surt`;
    - `uri_is_valid(text)`: whether it is valid, 1 or 0;
    - `uri_find_key(text)`: the key of the first identifier anywhere in the text;
    - `uri_find_keys(text)`: the keys of all of them, in the order of the text, as a JSON array: `json_each` makes rows
      of it;
    - `uri_domain(text)`, `uri_suffix(text)` and `uri_subdomain(text)`: the registrable domain of its host, its public
      suffix, and the labels before the domain, if the extra `domains` is installed.

    Each returns NULL for NULL, and, `uri_is_valid` apart, where there is no identifier. A BLOB is text in UTF-8, and a
    number is not an identifier; SQLite raises an OperationalError for TEXT that is not UTF-8, unless it is cast to a
    BLOB. All but the last three are deterministic: indexes and generated columns may contain them. Canonical forms may
    change with the version of urisieve (CHANGELOG), and then such an index needs REINDEX.

    >>> import sqlite3
    >>> from urisieve.sqlite import register
    >>> connection = sqlite3.connect(":memory:")
    >>> secret = register(connection)
    >>> connection.execute("SELECT uri_host('HTTP://EXAMPLE.com:80/'), uri_is_valid('a b'), uri_key(NULL)").fetchone()
    ('example.com', 0, None)
    >>> urls = [("HTTP://Example.com",), ("http://example.com:80/",), ("urn:isbn:0-395-36341-1",)]
    >>> _ = connection.execute("CREATE TABLE links (url)"), connection.executemany("INSERT INTO links VALUES (?)", urls)
    >>> connection.execute("SELECT count(DISTINCT uri_key(url)) FROM links").fetchone()
    (2,)
    >>> text = "http://a.example/ and urn:isbn:0-395-36341-1"
    >>> connection.execute("SELECT value FROM json_each(uri_find_keys(?))", (text,)).fetchall()
    [('http://a.example/',), ('urn:isbn:0395363411',)]
    >>> connection.close()

    Args:
        connection: a `sqlite3.Connection`. Register the functions again for each connection.
        secret: a password in a key becomes a digest by this secret; by default one is drawn. A database whose indexes
            or tables contain keys needs the same secret each time.
        options: what to find and how far to normalize.

    Returns:
        the secret.

    Raises:
        UsageError: it is not a connection of SQLite, or an argument is not valid.
    """
    if not hasattr(connection, "create_function") or not hasattr(connection, "create_aggregate"):
        raise UsageError(f"the connection is {type(connection).__name__}: give a sqlite3.Connection")
    chosen = drawn(secret)
    for name in available_functions():
        function = SqlFunction(name, options, chosen)
        # The public suffix list changes, so that no index should contain what follows from it.
        is_stable = name not in _NEEDED
        connection.create_function(name, 1 + function.takes_name, function.json_caller, deterministic=is_stable)
    return chosen
