"""The first row of each key of a DataFrame, and the order that says which is the first."""

from __future__ import annotations

from urisieve.errors import UsageError
from urisieve.lean.hints import Any, Final
from urisieve.spark.engine import column_of, import_spark, refuse_columns

__all__ = ["deduplicate", "with_order"]

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
        UsageError: PySpark is not installed, or a column is not there, or not of its type.
    """
    functions = import_spark().functions
    types = import_spark().types
    keys, number = column_of(df, key, "key"), column_of(df, order, "order")
    if not isinstance(df.schema[df.columns.index(key)].dataType, types.StringType):
        raise UsageError(f"key: the column {key!r} is not one of strings")
    if not isinstance(df.schema[df.columns.index(order)].dataType, (types.LongType, types.IntegerType)):
        raise UsageError(f"order: the column {order!r} is not one of whole numbers (bigint): see with_order")
    added = "count" if count is True else count
    if isinstance(added, str):
        refuse_columns(df, [added])
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
        UsageError: PySpark is not installed, there is a column of this name, or the order of the rows is not fixed.
    """
    functions = import_spark().functions
    refuse_columns(df, [name])
    if not hasattr(df, "_jdf"):
        raise UsageError("with_order cannot see through Spark Connect whether the order of the rows is fixed")
    shuffle = _shuffle(df._jdf.queryExecution().executedPlan())
    if shuffle is not None:
        raise UsageError(
            f"the order of the rows is not fixed: they come out of a shuffle ({shuffle}); number them before it, for "
            "example after reading them back from Parquet"
        )
    return df.withColumn(name, functions.monotonically_increasing_id())


def _shuffle(plan: Any) -> str | None:
    """Return the name of a step of a physical plan after which rows come in any order; None if there is none."""
    name = str(plan.getClass().getSimpleName())
    if name == "AdaptiveSparkPlanExec":
        return _shuffle(plan.initialPlan())
    if name == "InMemoryTableScanExec":
        return _shuffle(plan.relation().cachedPlan())
    if name.endswith("ExchangeExec") and not name.startswith("Broadcast"):
        return str(plan.nodeName())
    children = plan.children()
    found = (_shuffle(children.apply(index)) for index in range(children.size()))
    return next((one for one in found if one is not None), None)
