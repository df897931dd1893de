"""PySpark, imported when it is needed: columns of its DataFrames, and what `register` makes known to a session."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from urisieve.dedupe.worker_signature import SentSignature, check_key_signature, key_signature
from urisieve.errors import UsageError
from urisieve.lean import Any
from urisieve.options import Options, checked
from urisieve.records.mask import Mask
from urisieve.records.masking import drawn
from urisieve.sinks.arrow_columns import import_arrow
from urisieve.sql import SqlFunction, available_functions
from urisieve.wording import did_you_mean


def import_spark() -> Any:
    """Return the module `pyspark.sql`.

    Raises:
        UsageError: PySpark or pyarrow is not installed; the message has the command that installs them.
    """
    try:
        import pyspark.sql
    except ImportError:
        raise UsageError("this needs PySpark: pip install 'urisieve[spark]'") from None
    import_arrow("spark")
    return pyspark.sql


def column_of(df: Any, name: str, what: str) -> Any:
    """Return the column of a DataFrame that has exactly this name; dots in it lead nowhere.

    Args:
        df: the DataFrame.
        name: the name of the column.
        what: the argument that names it, for messages.

    Raises:
        UsageError: there is no such column, or there are several.
    """
    names = df.columns
    if names.count(name) != 1:
        found = "there is no column" if name not in names else "there are several columns"
        raise UsageError(f"{what}: {found} {name!r}{did_you_mean(name, names)}; there are {', '.join(names)}")
    escaped = name.replace("`", "``")
    return import_spark().functions.col(f"`{escaped}`")


def text_column(df: Any, name: str, what: str) -> Any:
    """Return the column of texts that has exactly this name; the arguments are those of `column_of`.

    Raises:
        UsageError: there is no such column, there are several, or it holds neither strings nor bytes.
    """
    types = import_spark().types
    found = column_of(df, name, what)
    kind = df.schema[df.columns.index(name)].dataType
    if isinstance(kind, (types.StringType, types.VarcharType, types.CharType, types.BinaryType, types.NullType)):
        return found
    remedy = f"cast it: df.withColumn({name!r}, df[{name!r}].cast('string'))"
    if isinstance(kind, types.ArrayType):
        remedy = f"give a row to each element: df.select(explode({name!r}).alias({name!r}))"
    elif isinstance(kind, types.StructType):
        remedy = f"choose one of its fields: df.select('{name}.{kind.names[0]}')" if kind.names else "it has no fields"
    raise UsageError(f"{what}: the column {name!r} holds {kind.simpleString()}, not strings or bytes; {remedy}")


def refuse_stream(df: Any, call: str, instead: str) -> None:
    """Check that a DataFrame is not a stream.

    Raises:
        UsageError: it is one; the message has what to use instead.
    """
    if df.isStreaming:
        raise UsageError(f"{call} does not work on a stream: {instead}")


def refuse_columns(df: Any, names: Iterable[str]) -> None:
    """Check that columns which will be added are not there yet; Spark does not tell upper from lower case.

    Raises:
        UsageError: one is there, or two that are added have one name.
    """
    taken = {name.lower() for name in df.columns}
    for name in names:
        if name.lower() in taken:
            raise UsageError(f"there is a column {name!r} already: choose another name for the one that is added")
        taken.add(name.lower())


class KeyedWork:
    """Work on columns that makes keys; it travels from the driver to the workers.

    A worker that would make other keys refuses to load it.

    Args:
        options: how far to normalize.
        settings: the other settings, by the names of the arguments of the subclass.
    """

    def __init__(self, options: Options, **settings: Any) -> None:
        self.options = options
        self._settings = settings

    def __reduce__(self) -> tuple[Any, ...]:
        make = partial(type(self), self.options, **self._settings)
        return _restored, (SentSignature(key_signature(self.options)), make)


def _restored(keys: str, make: partial[KeyedWork]) -> KeyedWork:
    made = make()
    check_key_signature(keys, made.options)
    return made


def register(spark: Any, *, secret: bytes | None = None, options: Options | None = None) -> bytes:
    """Make functions of SQL known to a session of Spark, and from Spark 4 on the data source `urisieve`.

    Their names are those of SQLite and DuckDB. Each function takes a column of strings or bytes, and returns null for
    null, and, `uri_is_valid` apart, where there is no identifier:

    - `uri_canonical(text)`: the canonical URI of the identifier that the whole text is, with passwords masked;
    - `uri_key(text)`: its key; equal keys mean equivalent identifiers;
    - `uri_scheme(text)`, `uri_host(text)`, `uri_path(text)`, `uri_query(text)`: parts of the canonical URI;
    - `uri_port(text)`, `uri_param(text, name)` and `uri_surt(text)`: as in SQLite, see `urisieve.sqlite.register`;
    - `uri_is_valid(text)`: whether it is valid;
    - `uri_find_key(text)`: the key of the first identifier that stands anywhere in the text;
    - `uri_domain(text)` and `uri_suffix(text)`: the registrable domain of its host, and its public suffix, if the extra
      `domains` is installed, on the workers too.

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
    chosen = drawn(secret)
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
        made = {
            "registered": (SentSignature(key_signature(settings)), settings, Mask(chosen)),
            "__module__": "__main__",
        }
        spark.dataSource.register(type("RegisteredFileSource", (FileSource,), made))
    return chosen


def _on_arrays(work: TextFunction) -> Any:
    """Return a function whose annotations say to Spark that it takes and gives arrays of Arrow."""
    pa = import_arrow("spark")

    def on_arrays(texts: Any) -> Any:
        return work.of_array(texts)

    def with_names(texts: Any, names: Any) -> Any:
        return work.of_array(texts, names)

    on_arrays.__annotations__ = {"texts": pa.Array, "return": pa.Array}
    with_names.__annotations__ = {"texts": pa.Array, "names": pa.Array, "return": pa.Array}
    return with_names if work.takes_name else on_arrays


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
        self.takes_name = made.takes_name
