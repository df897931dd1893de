"""The functions of SQL for a connection of SQLite."""

from __future__ import annotations

from urisieve.errors import UsageError
from urisieve.lean.hints import TYPE_CHECKING
from urisieve.options import Options
from urisieve.sql.sql_function import SqlFunction, available_functions, checked_secret

if TYPE_CHECKING:
    import sqlite3

__all__ = ["register_in_sqlite"]


def register_in_sqlite(
    connection: sqlite3.Connection, *, secret: bytes | None = None, options: Options | None = None
) -> bytes:
    """Make the functions of SQL known to a connection of SQLite, which calls them a row at a time.

    - `uri_canonical(text)`: the canonical URI of the identifier that the whole text is, with passwords masked;
    - `uri_key(text)`: its key; equal keys mean equivalent identifiers;
    - `uri_host(text)` and `uri_scheme(text)`: its host and its scheme in the canonical URI;
    - `uri_is_valid(text)`: whether it is valid, 1 or 0;
    - `uri_find_key(text)`: the key of the first identifier that stands anywhere in the text;
    - `uri_domain(text)`: the registrable domain of its host, if the extra `domains` is installed.

    Each returns NULL for NULL, and, `uri_is_valid` apart, where there is no identifier. A BLOB is text in UTF-8, and a
    number is not an identifier; SQLite raises an OperationalError for TEXT that is not UTF-8, unless it is cast to a
    BLOB. All but `uri_domain` are deterministic: indexes and generated columns may hold them. Canonical forms may
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
    >>> connection.close()

    Args:
        connection: a `sqlite3.Connection`. Register the functions anew for each connection.
        secret: a password in a key becomes a digest by this secret; by default one is drawn. A database whose indexes
            or tables hold keys needs the same secret each time.
        options: what to find and how far to normalize.

    Returns:
        the secret.

    Raises:
        UsageError: it is not a connection of SQLite, or an argument is not valid.
    """
    if not hasattr(connection, "create_function") or not hasattr(connection, "create_aggregate"):
        raise UsageError(f"the connection is {type(connection).__name__}: give a sqlite3.Connection")
    chosen = checked_secret(secret)
    for name in available_functions():
        function = SqlFunction(name, options, chosen)
        # The public suffix list changes, so that no index should hold what follows from it.
        connection.create_function(name, 1, function.of_value, deterministic=name != "uri_domain")
    return chosen
