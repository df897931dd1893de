"""Identifiers in columns of Arrow batches, with the extra `arrow` (pyarrow): for engines, and for whole data sets.

Spark, DuckDB, Polars, Ray, Hugging Face datasets and their kin all give and take Arrow batches.
"""

from urisieve.arrow.extractor import ARROW_COLUMNS, ARROW_SCHEMA_VERSION, REJECTED_COLUMNS, Extractor
from urisieve.arrow.identifier_arrays import digest_array, key_array, normalize_array

__all__ = ["ARROW_COLUMNS", "ARROW_SCHEMA_VERSION", "REJECTED_COLUMNS", "Extractor"]
__all__ += ["digest_array", "key_array", "normalize_array"]
