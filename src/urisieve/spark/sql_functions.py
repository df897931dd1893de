"""Functions of SQL, and the data source: what `register` makes known to a session of Spark."""

from __future__ import annotations

from urisieve.dedupe.signature import key_signature
from urisieve.find.scanner import checked
from urisieve.lean import Any
from urisieve.options import Options
from urisieve.sinks.arrow_columns import import_arrow
from urisieve.spark.engine import KeyedWork, import_spark
from urisieve.sql import SqlFunction, available_functions, checked_secret

__all__ = ["TextFunction", "register"]


def register(spark: Any, *, secret: bytes | None = None, options: Options | None = None) -> bytes:
    """Make functions of SQL known to a session of Spark, and from Spark 4 on the data source `urisieve`.

    Their names are those of SQLite and DuckDB. Each function takes a column of strings or bytes, and returns null for
    null, and, `uri_is_valid` apart, where there is no identifier:

    - `uri_canonical(text)`: the canonical URI of the identifier that the whole text is, with passwords masked;
    - `uri_key(text)`: its key; equal keys mean equivalent identifiers;
    - `uri_host(text)` and `uri_scheme(text)`: its host and its scheme in the canonical URI;
    - `uri_is_valid(text)`: whether it is valid;
    - `uri_find_key(text)`: the key of the first identifier that stands anywhere in the text;
    - `uri_domain(text)`: the registrable domain of its host, if the extra `domains` is installed, on the workers too.

    >>> from urisieve.spark import register
    >>> def hosts(spark, folder):
    ...     register(spark)
    ...     spark.read.format("urisieve").load(folder).createOrReplaceTempView("links")
    ...     return spark.sql("SELECT host, count(DISTINCT key) AS links FROM links GROUP BY host")

    Args:
        spark: the session.
        secret: a password in a key becomes a digest by this secret. By default one is drawn here, on the driver.
        options: what to find and how far to normalize.

    Returns:
        the secret: pass it to `extract` and `normalize` where their keys meet those of these functions.

    Raises:
        UsageError: PySpark is not installed, or an argument is not valid.
    """
    functions = import_spark().functions
    chosen = checked_secret(secret)
    settings = checked(options)
    for name, kind in available_functions().items():
        work = TextFunction(settings, name=name, secret=chosen)
        if hasattr(functions, "arrow_udf"):  # since 4.1
            made = functions.arrow_udf(_on_arrays(work), kind)
        else:
            made = functions.udf(work.of_text, kind)
        spark.udf.register(name, made)
    if hasattr(spark, "dataSource"):
        from urisieve.spark.file_source import FileSource

        # A class that no module holds travels whole, with what is set here.
        spark.dataSource.register(
            type(
                "RegisteredFileSource",
                (FileSource,),
                {"judging": settings, "secret": chosen, "keys": key_signature(settings), "__module__": "__main__"},
            )
        )
    return chosen


def _on_arrays(work: TextFunction) -> Any:
    """Return a function whose annotations say to Spark that it takes and gives arrays of Arrow."""
    pa = import_arrow("spark")

    def on_arrays(texts: Any) -> Any:
        return work.of_array(texts)

    on_arrays.__annotations__ = {"texts": pa.Array, "return": pa.Array}
    return on_arrays


class TextFunction(KeyedWork):
    """One of `FUNCTIONS`, as it travels to the workers.

    Args:
        options: what to find and how far to normalize.
        name: the name of the function.
        secret: masks passwords in keys.
    """

    def __init__(self, options: Options, *, name: str, secret: bytes) -> None:
        super().__init__(options, name=name, secret=secret)
        made = SqlFunction(name, options, secret)
        self.of_text = made.of_value
        self.of_array = made.of_array
