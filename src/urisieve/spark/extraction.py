"""Identifiers in a column of a DataFrame, as rows; and columns of identifiers, normalized.

It also defines:

- PySpark, imported when it is needed: columns of its DataFrames, and what `register` makes known to a session.
- the first row of each key of a DataFrame, and the order that says which is the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from urisieve.arrow.extractor import Extractor
from urisieve.arrow.identifier_arrays import key_array, normalize_array
from urisieve.dedupe.signature import SentSignature, check_key_signature, key_signature
from urisieve.errors import UsageError
from urisieve.finding_options import Options, checked
from urisieve.lean import Any, Final
from urisieve.records.field_table import import_arrow
from urisieve.records.mask import Mask
from urisieve.records.masking import drawn
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


def _column_of(df: Any, name: str, what: str) -> Any:
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
    """Return the column of texts that has exactly this name; the arguments are those of `_column_of`.

    Raises:
        UsageError: there is no such column, there are several, or it contains neither strings nor bytes.
    """
    types = import_spark().types
    found = _column_of(df, name, what)
    kind = df.schema[df.columns.index(name)].dataType
    if isinstance(kind, (types.StringType, types.VarcharType, types.CharType, types.BinaryType, types.NullType)):
        return found
    remedy = f"cast it: df.withColumn({name!r}, df[{name!r}].cast('string'))"
    if isinstance(kind, types.ArrayType):
        remedy = f"give a row to each element: df.select(explode({name!r}).alias({name!r}))"
    elif isinstance(kind, types.StructType):
        remedy = f"choose one of its fields: df.select('{name}.{kind.names[0]}')" if kind.names else "it has no fields"
    raise UsageError(f"{what}: the column {name!r} holds {kind.simpleString()}, not strings or bytes; {remedy}")


def _refuse_stream(df: Any, call: str, instead: str) -> None:
    """Check that a DataFrame is not a stream.

    Raises:
        UsageError: it is one; the message has what to use instead.
    """
    if df.isStreaming:
        raise UsageError(f"{call} does not work on a stream: {instead}")


def _refuse_columns(df: Any, names: Iterable[str]) -> None:
    """Check that columns which will be added are not there yet; Spark does not tell upper from lower case.

    Raises:
        UsageError: one is there, or two that are added have one name.
    """
    taken = {name.lower() for name in df.columns}
    for name in names:
        if name.lower() in taken:
            raise UsageError(f"there is a column {name!r} already: choose another name for the one that is added")
        taken.add(name.lower())


class _KeyedWork:
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


def _restored(keys: str, make: partial[_KeyedWork]) -> _KeyedWork:
    made = make()
    check_key_signature(keys, made.options)
    return made


def register(spark: Any, *, secret: bytes | None = None, options: Options | None = None) -> bytes:
    """Make functions of SQL known to a session of Spark, and from Spark 4 on the data source `urisieve`.

    Their names are those of SQLite and DuckDB. Each function takes a column of strings or bytes, and returns null for
    null, and, `uri_is_valid` apart, where there is no identifier:

    - `uri_canonical(text)`: the canonical URI of the identifier that the whole text is, with passwords masked;
    - `uri_key(text)`: its key; equal keys mean equivalent identifiers;
    - `uri_scheme(text)`, `uri_host(text)`, `uri_path(text)`, `uri_query(text)`, `uri_fragment(text)`: parts of the
      canonical URI;
    - `uri_port(text)`, `uri_param(text, name)` and `uri_surt(text)`: as in SQLite, see `urisieve.sqlite.register`;
    - `uri_params(text)`: the first value of each parameter, a map; `uri_parts(text)`: all parts, a structure;
    - `uri_is_valid(text)`: whether it is valid;
    - `uri_find_key(text)`: the key of the first identifier anywhere in the text;
    - `uri_find_keys(text)`: the keys of all of them, an array, of which `explode` makes rows;
    - `uri_domain(text)`, `uri_suffix(text)` and `uri_subdomain(text)`: the registrable domain of its host, its public
      suffix, and the labels before the domain, if the extra `domains` is installed, on the workers too.

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

        # A class that is in no module is sent whole, with what is set here.
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


class TextFunction(_KeyedWork):
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


def extract(
    df: Any,
    text: str = "text",
    *,
    source: str | None = None,
    keep: Sequence[str] = (),
    columns: Sequence[str] | None = None,
    rejected: bool = False,
    options: Options | None = None,
    secret: bytes | None = None,
    batch_size: int = 16_384,
) -> Any:
    """Return the identifiers in a column of a DataFrame, a row for each, in the order of the rows and of their text.

    No row of text is lost by a null, by bytes that are not UTF-8, or by its size. Workers whose urisieve, options or
    plug-ins would make other keys fail, with a message that says so.

    >>> from urisieve.spark import extract
    >>> def links(spark, folder):
    ...     pages = spark.read.parquet(folder)
    ...     return extract(pages, "html", source="url", keep=["fetched"], columns=["source", "start", "uri", "key"])

    Args:
        df: the DataFrame.
        text: the name of the column that is searched: strings, or bytes in UTF-8.
        source: the name of a column of strings whose value becomes `source`.
        keep: the names of columns that are repeated before the others, for each identifier that its row contains.
        columns: the columns to make; by default those of `urisieve.arrow.ARROW_COLUMNS`, with `rejected` also
            `REJECTED_COLUMNS`; if named, `time` and `time_written`, too. The fewer, the less time.
        rejected: whether candidates that are not valid are rows, too: with a null in `uri` and `key` and a `reason`.
        options: what to find and how far to normalize.
        secret: passwords are masked; see `Extractor`. By default one is drawn here, on the driver.
        batch_size: the most rows of a batch that is handed back to Spark.

    Returns:
        a DataFrame: the columns that are kept with their types; `start`, `end` and `offset` as `bigint`, `warnings` as
        `array<string>`, the others as `string`.

    Raises:
        UsageError: PySpark is not installed, an argument is not valid, or there is no such column of strings or bytes.
    """
    types = import_spark().types
    keep = (keep,) if isinstance(keep, str) else tuple(keep)
    # The names that were given serve to check the arguments; Spark's own could have dots, which lead into structures.
    made_by = partial(Extractor, columns=columns, rejected=rejected, options=options, batch_size=batch_size)
    made_by(keep=keep)
    given = [text_column(df, text, "text").alias("text")]
    if source is not None:
        given.append(text_column(df, source, "source").alias("source"))
    kept = [f"keep{number}" for number in range(len(keep))]
    given += [_column_of(df, name, "keep").alias(alias) for name, alias in zip(keep, kept, strict=True)]
    extractor = made_by(source=None if source is None else "source", keep=kept, secret=secret)
    _refuse_columns(df.select(*[_column_of(df, name, "keep") for name in keep]), extractor.columns)
    fields = {field.name: field for field in df.schema.fields}
    made = [types.StructField(name, spark_type(name)) for name in extractor.columns]
    return df.select(*given).mapInArrow(extractor, types.StructType([*(fields[name] for name in keep), *made]))


def spark_type(name: str) -> Any:
    """Return the type in Spark of a column that is made."""
    types = import_spark().types
    if name in ("start", "end", "offset"):
        return types.LongType()
    return types.ArrayType(types.StringType()) if name == "warnings" else types.StringType()


def normalize(
    df: Any,
    column: str,
    *,
    uri: str | None = "uri",
    key: str | None = "key",
    options: Options | None = None,
    secret: bytes | None = None,
) -> Any:
    """Return a DataFrame with the canonical form and the key of the identifiers in one of its columns (RFC 3986 6.2).

    A whole text is one identifier; where it is null or not valid, both are null. Deduplicate by the key: passwords are
    masked, so that identifiers which differ in a password alone have the same `uri`, and different keys.

    >>> from urisieve.spark import normalize
    >>> def with_keys(spark, folder):
    ...     return normalize(spark.read.parquet(folder), "link", uri="canonical", key="key")

    Args:
        df: the DataFrame.
        column: the name of a column of strings, or of bytes in UTF-8.
        uri: the name of the column that is added for canonical forms; None to leave it out.
        key: the name of the column that is added for keys; None to leave it out.
        options: how far to normalize.
        secret: a password in a key becomes a digest by this secret. By default one is drawn here, on the driver: give
            the same one to each call whose keys are compared.

    Returns:
        the DataFrame with one or two more columns of the type `string`.

    Raises:
        UsageError: PySpark is not installed, there is no such column of strings or bytes, or a name that is added is
            taken.
    """
    types = import_spark().types
    text_column(df, column, "column")
    added = [name for name in (uri, key) if name is not None]
    if not added:
        raise UsageError("normalize adds no column: name one by uri or key")
    _refuse_columns(df, added)
    chosen = drawn(secret)
    work = Normalization(
        checked(options), index=df.columns.index(column), uri=uri is not None, key=key is not None, secret=chosen
    )
    numbered = [_column_of(df, name, "df").alias(f"column{number}") for number, name in enumerate(df.columns)]
    fields = [*df.schema.fields, *(types.StructField(name, types.StringType()) for name in added)]
    return df.select(*numbered).mapInArrow(work, types.StructType(fields))


class Normalization(_KeyedWork):
    """Adds canonical forms and keys to batches.

    Args:
        options: how far to normalize.
        index: the index of the column of identifiers.
        uri: whether canonical forms are added.
        key: whether keys are added.
        secret: masks passwords in keys.
    """

    def __init__(self, options: Options, *, index: int, uri: bool, key: bool, secret: bytes) -> None:
        super().__init__(options, index=index, uri=uri, key=key, secret=secret)
        self._index, self._uri, self._key = index, uri, key
        self._keys = partial(key_array, secret=secret, options=options)

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield each batch with its new columns."""
        pa = import_arrow("spark")
        for batch in batches:
            texts = batch.column(self._index)
            columns, names = list(batch.columns), list(batch.schema.names)
            if self._uri:
                columns.append(normalize_array(texts, options=self.options))
                names.append("uri")
            if self._key:
                columns.append(self._keys(texts))
                names.append("key")
            yield pa.RecordBatch.from_arrays(columns, names)


_SHUFFLED: Final = re.compile("Shuffled[A-Za-z]*RDD")
# The hexadecimal digits of a digest of 128 bits. Whoever could make two keys with one digest could hide a link: SHA-256
# (FIPS 180-4) cut to this size is as strong as its size, which neither MD5 nor xxHash is.
_DIGITS: Final = 32


def deduplicate(df: Any, key: str = "key", *, order: str = "order", count: bool | str = False) -> Any:
    """Return the first row of each key of a DataFrame, whole: those that one machine would keep.

    The first row is the one with the least `order`, however Spark spreads the work; `dropDuplicates` keeps any. Rows
    whose key is null are no identifiers, and are all kept. Rows come in no particular order.

    Of each row a digest of its key and its order are shuffled, then each row once for the join with the orders that
    stay. The DataFrame is read twice: write it to Parquet first where making it costs more than reading it, and where
    it would not be the same twice.

    >>> from urisieve.spark import deduplicate, extract, with_order
    >>> def first_links(spark, folder, links):
    ...     with_order(extract(spark.read.text(folder), "value")).write.parquet(links)
    ...     return deduplicate(spark.read.parquet(links), "key", order="order")

    Args:
        df: the DataFrame.
        key: the name of the column of keys: strings.
        order: the name of a column of whole numbers, different in each row; see `with_order`. A null fails the job.
        count: whether a column `count` is added, with the number of rows that had the key; or its name. It is 1 where
            the key is null.

    Returns:
        a DataFrame of the same columns, and perhaps that of numbers.

    Raises:
        UsageError: PySpark is not installed, a column is not there, or not of its type, or the DataFrame is a stream.
    """
    functions = import_spark().functions
    _refuse_stream(df, "deduplicate", "use df.withWatermark(...).dropDuplicatesWithinWatermark([key])")
    types = import_spark().types
    keys, number = _column_of(df, key, "key"), _column_of(df, order, "order")
    if not isinstance(df.schema[df.columns.index(key)].dataType, types.StringType):
        raise UsageError(f"key: the column {key!r} is not one of strings")
    if not isinstance(df.schema[df.columns.index(order)].dataType, (types.LongType, types.IntegerType)):
        raise UsageError(f"order: the column {order!r} is not one of whole numbers (bigint): see with_order")
    added = "count" if count is True else count
    if isinstance(added, str):
        _refuse_columns(df, [added])
    missing = functions.raise_error(functions.lit(f"deduplicate: the column {order!r} has a null"))
    known = functions.when(number.isNull(), missing.cast("bigint")).otherwise(number.cast("bigint"))
    # A null has the eight bytes of its order in place of the sixteen of a digest, and so a group of its own.
    whole = functions.unhex(functions.substring(functions.sha2(keys, 256), 1, _DIGITS))
    digest = functions.coalesce(whole, functions.unhex(functions.lpad(functions.hex(known), 16, "0")))
    name = f"`{_free(df, 'kept')}`"
    least = [functions.min("order").alias(name.strip("`"))]
    if isinstance(added, str):
        least.append(functions.count("order").alias(added))
    kept = df.select(digest.alias("digest"), known.alias("order")).groupBy("digest").agg(*least).drop("digest")
    how = "inner" if isinstance(added, str) else "left_semi"
    escaped = order.replace("`", "``")
    return df.join(kept, functions.col(f"`{escaped}`") == functions.col(name), how).drop(name.strip("`"))


def _free(df: Any, name: str) -> str:
    """Return a name that no column of a DataFrame has."""
    taken = {column.lower() for column in df.columns}
    while name in taken:
        name += "_"
    return name


def with_order(df: Any, name: str = "order") -> Any:
    """Return a DataFrame with a column that numbers its rows in the order in which Spark reads them, as `bigint`.

    The number is that of the partition, then of the row in it, as `monotonically_increasing_id` counts. It is the same
    whenever and wherever a partition is computed, also again after a failure, if the rows come from files or other
    sources of a fixed order by way of steps that work row by row, as `extract` and filters do. After a shuffle (a join,
    an aggregation, a sort, `repartition`) Spark promises no order of rows: such a DataFrame is refused. Number the rows
    before the shuffle, or have an order of your own.

    One file is read in its order. Of several, Spark reads large ones first, and packs small ones together; the data
    source `urisieve` reads them in the order of their names.

    >>> from urisieve.spark import extract, with_order
    >>> def numbered(spark, folder):
    ...     return with_order(extract(spark.read.text(folder), "value"))

    Args:
        df: the DataFrame.
        name: the name of the column that is added.

    Raises:
        UsageError: PySpark is not installed, there is a column of this name, the order of the rows is not fixed, or the
            DataFrame is a stream.
    """
    functions = import_spark().functions
    _refuse_columns(df, [name])
    _refuse_stream(df, "with_order", "number the rows of each batch, in foreachBatch")
    if not hasattr(df, "_jdf"):
        raise UsageError("with_order cannot see through Spark Connect whether the order of the rows is fixed")
    numbered = df.withColumn(name, functions.monotonically_increasing_id())
    # The plan with the column: Spark may plan another way to the same rows, as after `limit`.
    shuffle = _shuffle(numbered._jdf.queryExecution().executedPlan())
    if shuffle is not None:
        raise UsageError(
            f"the order of the rows is not fixed: they come out of a shuffle ({shuffle}); number them before it, for "
            "example after reading them back from Parquet"
        )
    return numbered


def _shuffle(plan: Any) -> str | None:
    """Return the name of a step of a physical plan after which rows come in any order; None if there is none."""
    name = str(plan.getClass().getSimpleName())
    if name == "AdaptiveSparkPlanExec":
        return _shuffle(plan.initialPlan())
    if name == "InMemoryTableScanExec":
        return _shuffle(plan.relation().cachedPlan())
    if name.endswith("ExchangeExec") and not name.startswith("Broadcast"):
        return str(plan.nodeName())
    if name == "RDDScanExec":  # what an RDD was made of is no part of the plan
        shuffled = _SHUFFLED.search(str(plan.rdd().toDebugString()))
        return shuffled and shuffled[0]
    children = plan.children()
    found = (_shuffle(children.apply(index)) for index in range(children.size()))
    return next((one for one in found if one is not None), None)
