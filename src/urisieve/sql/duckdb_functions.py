"""The functions of SQL for a connection of DuckDB."""

from __future__ import annotations

from importlib.util import find_spec

from urisieve.errors import UsageError
from urisieve.lean.hints import TYPE_CHECKING, Any, Final
from urisieve.options import Options
from urisieve.sql.sql_function import SqlFunction, available_functions, checked_secret

if TYPE_CHECKING:
    import duckdb

__all__ = ["register_in_duckdb"]

_TYPES: Final = {"string": "VARCHAR", "boolean": "BOOLEAN"}


def register_in_duckdb(
    connection: duckdb.DuckDBPyConnection, *, secret: bytes | None = None, options: Options | None = None
) -> bytes:
    """Make the functions of SQL known to a connection of DuckDB (extra `duckdb`).

    Their names are those of SQLite and Spark: `uri_canonical`, `uri_key`, `uri_host`, `uri_scheme`, `uri_is_valid`,
    `uri_find_key` and, with the extra `domains`, `uri_domain`; `urisieve.sqlite.register` describes
    them. Each takes a column of any type: text, or a BLOB in UTF-8; any other value is not an identifier. With pyarrow
    a function takes 2,048 rows at once, without it a row.

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
    chosen = checked_secret(secret)
    by_arrow = find_spec("pyarrow") is not None
    create: Any = connection.create_function  # its types differ between versions
    for name, kind in available_functions().items():
        function = SqlFunction(name, options, chosen)
        _remove(connection, name)
        create(
            name,
            _on_arrays(function) if by_arrow else function.of_value,
            None,  # any type
            _TYPES[kind],
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
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    octets = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view, pa.types.is_dictionary)

    def on_arrays(values: Any) -> Any:
        if not any(is_text(values.type) for is_text in (*texts, *octets)):
            # What is not text is as little an identifier as the empty text.
            values = pc.if_else(values.is_null(), pa.scalar(None, pa.string()), "")
        return function.of_array(values)

    return on_arrays
