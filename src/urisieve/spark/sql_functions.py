"""Functions of SQL, and the data source: what `register` makes known to a session of Spark."""

from __future__ import annotations

from urisieve.arrow.extractor import Extractor
from urisieve.arrow.identifier_arrays import key_array, normalize_array
from urisieve.dedupe.worker_signature import key_signature
from urisieve.errors import UsageError
from urisieve.find.scanner import checked
from urisieve.lean.hints import Any, Final
from urisieve.options import Options
from urisieve.sinks.arrow_columns import import_arrow
from urisieve.sinks.masked import new_secret
from urisieve.spark.engine import KeyedWork, import_spark
from urisieve.syntax.components import split

__all__ = ["FUNCTIONS", "TextFunction", "register"]

# The names of the functions.
FUNCTIONS: Final = ("uri_canonical", "uri_key", "uri_host", "uri_find_key")


def register(spark: Any, *, secret: bytes | None = None, options: Options | None = None) -> bytes:
    """Make functions of SQL known to a session of Spark, and from Spark 4 on the data source `urisieve`.

    Each function takes a column of strings or bytes and returns strings, and null where there is no identifier:

    - `uri_canonical(text)`: the canonical URI of the identifier that the whole text is, with passwords masked;
    - `uri_key(text)`: its key; equal keys mean equivalent identifiers;
    - `uri_host(text)`: its host in the canonical URI;
    - `uri_find_key(text)`: the key of the first identifier that stands anywhere in the text.

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
    chosen = new_secret() if secret is None else secret
    if not isinstance(chosen, bytes):
        raise UsageError("secret must be bytes, as from new_secret()")
    settings = checked(options)
    for name in FUNCTIONS:
        work = TextFunction(settings, name=name, secret=chosen)
        if hasattr(functions, "arrow_udf"):  # since 4.1
            made = functions.arrow_udf(_on_arrays(work), "string")
        else:
            made = functions.udf(work.of_text, "string")
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
    """One of `FUNCTIONS`, on arrays and on single texts.

    Args:
        options: what to find and how far to normalize.
        name: the name of the function.
        secret: masks passwords in keys.
    """

    def __init__(self, options: Options, *, name: str, secret: bytes) -> None:
        super().__init__(options, name=name, secret=secret)
        self._name, self._secret = name, secret
        self._first: Extractor | None = None

    def of_array(self, texts: Any) -> Any:
        """Return the values for an array of texts."""
        if self._name == "uri_canonical":
            return normalize_array(texts, options=self.options)
        if self._name == "uri_key":
            return key_array(texts, secret=self._secret, options=self.options)
        return self._hosts(texts) if self._name == "uri_host" else self._first_keys(texts)

    def of_text(self, text: str | bytes | None) -> str | None:
        """Return the value for one text."""
        if text is None:
            return None
        pa = import_arrow("spark")
        # Spark gives bytes as a bytearray.
        value = text if isinstance(text, str) else bytes(text)
        found: str | None = self.of_array(pa.array([value]))[0].as_py()
        return found

    def _hosts(self, texts: Any) -> Any:
        uris = normalize_array(texts, options=self.options).to_pylist()
        hosts = {uri: None if uri is None else split(uri).host for uri in set(uris)}
        return import_arrow("spark").array([hosts[uri] for uri in uris], "string")

    def _first_keys(self, texts: Any) -> Any:
        pa = import_arrow("spark")
        if self._first is None:
            self._first = Extractor(
                text="text", keep=["row"], columns=["key"], options=self.options, secret=self._secret
            )
        keys: list[str | None] = [None] * len(texts)
        batch = pa.RecordBatch.from_arrays([pa.array(range(len(texts)), pa.int64()), texts], ["row", "text"])
        last = -1
        for found in self._first(batch):
            for row, key in zip(*(column.to_pylist() for column in found.columns), strict=True):
                if row != last:
                    keys[row] = key
                    last = row
        return pa.array(keys, pa.string())
