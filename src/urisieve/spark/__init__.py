"""Identifiers in Spark, with the extra `spark` (PySpark 3.5 or 4, pyarrow): the keys are those of one machine.

Each call returns a DataFrame, or functions of SQL, that Spark evaluates when it needs them. Spark itself is imported by
the first call.
"""

from urisieve.spark.extraction import deduplicate, extract, normalize, register, with_order

__all__ = ["deduplicate", "extract", "normalize", "register", "with_order"]
