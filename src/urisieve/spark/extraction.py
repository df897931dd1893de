"""Identifiers in a column of a DataFrame, as rows; and columns of identifiers, normalized."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from urisieve.arrow.extractor import Extractor
from urisieve.arrow.identifier_arrays import key_array, normalize_array
from urisieve.errors import UsageError
from urisieve.find.scanner import checked
from urisieve.lean.hints import Any
from urisieve.options import Options
from urisieve.sinks.arrow_columns import import_arrow
from urisieve.sinks.masked import new_secret
from urisieve.spark.engine import KeyedWork, column_of, import_spark, refuse_columns

__all__ = ["extract", "normalize", "spark_type"]


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
    rows: int = 16_384,
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
        keep: the names of columns that are repeated before the others, for each identifier that its row holds.
        columns: the columns to make; by default those of `urisieve.arrow.ARROW_COLUMNS`, with `rejected` also
            `REJECTED_COLUMNS`. The fewer, the less time.
        rejected: whether candidates that are not valid are rows, too: with a null in `uri` and `key` and a `reason`.
        options: what to find and how far to normalize.
        secret: passwords are masked; see `Extractor`. By default one is drawn here, on the driver.
        rows: the most rows of a batch that is handed back to Spark.

    Returns:
        a DataFrame: the columns that are kept with their types; `start`, `end` and `offset` as `bigint`, `warnings` as
        `array<string>`, the others as `string`.

    Raises:
        UsageError: PySpark is not installed, an argument is not valid, or there is no such column.
    """
    types = import_spark().types
    keep = (keep,) if isinstance(keep, str) else tuple(keep)
    # The names that were given serve to check the arguments; Spark's own could hold dots, which lead into structures.
    checked_names = Extractor(keep=keep, columns=columns, rejected=rejected, options=options, rows=rows)
    given = [column_of(df, text, "text").alias("text")]
    if source is not None:
        given.append(column_of(df, source, "source").alias("source"))
    kept = [f"keep{number}" for number in range(len(keep))]
    given += [column_of(df, name, "keep").alias(alias) for name, alias in zip(keep, kept, strict=True)]
    extractor = Extractor(
        text="text",
        source=None if source is None else "source",
        keep=kept,
        columns=columns,
        rejected=rejected,
        options=checked_names.options,
        secret=secret,
        rows=rows,
    )
    refuse_columns(df.select(*[column_of(df, name, "keep") for name in keep]), extractor.columns)
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
        UsageError: PySpark is not installed, there is no such column, or there is one of a name that is added.
    """
    types = import_spark().types
    column_of(df, column, "column")
    added = [name for name in (uri, key) if name is not None]
    if not added:
        raise UsageError("normalize adds no column: name one by uri or key")
    refuse_columns(df, added)
    chosen = new_secret() if secret is None else secret
    work = Normalization(
        checked(options), index=df.columns.index(column), uri=uri is not None, key=key is not None, secret=chosen
    )
    numbered = [column_of(df, name, "df").alias(f"column{number}") for number, name in enumerate(df.columns)]
    fields = [*df.schema.fields, *(types.StructField(name, types.StringType()) for name in added)]
    return df.select(*numbered).mapInArrow(work, types.StructType(fields))


class Normalization(KeyedWork):
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
        self._index, self._uri, self._key, self._secret = index, uri, key, secret

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
                columns.append(key_array(texts, secret=self._secret, options=self.options))
                names.append("key")
            yield pa.RecordBatch.from_arrays(columns, names)
