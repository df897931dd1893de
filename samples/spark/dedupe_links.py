"""A job for spark-submit: a folder of text, Parquet or web archives in, each link once as Parquet out.

spark-submit dedupe_links.py INPUT OUTPUT [--kind text|parquet|files] [--column NAME] [--source NAME] [--count]
"""

from __future__ import annotations

import argparse
from typing import Any

from pyspark.sql import SparkSession

from urisieve.spark import deduplicate, extract, register, with_order

COLUMNS = ["source", "start", "raw", "uri", "key", "scheme", "host"]


def links(spark: Any, asked: argparse.Namespace) -> Any:
    """Return the links of the input, in its order."""
    if asked.kind == "files":  # mail, HTML, WARC, WET, archives: one partition a file (Spark 4)
        register(spark)
        return spark.read.format("urisieve").option("columns", ",".join(COLUMNS)).load(asked.input)
    if asked.kind == "parquet":
        return extract(spark.read.parquet(asked.input), asked.column or "text", source=asked.source, columns=COLUMNS)
    lines = spark.read.text(asked.input).selectExpr("value", "_metadata.file_path AS path")
    return extract(lines, "value", source="path", columns=COLUMNS)


def main() -> None:
    """Write all links, then the first of each key."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("input", help="a folder, a file or a pattern, as Spark reads it")
    parser.add_argument("output", help="a folder: gets links/ with all links, and unique/ with the first of each key")
    parser.add_argument("--kind", choices=("text", "parquet", "files"), default="text", help="what the input is")
    parser.add_argument("--column", help="of Parquet: the column with the text (text)")
    parser.add_argument("--source", help="of Parquet: a column that says where the text comes from")
    parser.add_argument("--count", action="store_true", help="add a column with how often each key came")
    asked = parser.parse_args()
    spark = SparkSession.builder.appName("dedupe_links").getOrCreate()
    # Deduplicating reads the links twice: from Parquet that is quick, and they are numbered once and for all.
    with_order(links(spark, asked)).write.mode("overwrite").parquet(f"{asked.output}/links")
    found = spark.read.parquet(f"{asked.output}/links")
    unique = deduplicate(found, "key", order="order", count=asked.count)
    unique.write.mode("overwrite").parquet(f"{asked.output}/unique")
    print(f"{found.count()} links, {spark.read.parquet(f'{asked.output}/unique').count()} different")
    spark.stop()


if __name__ == "__main__":
    main()
