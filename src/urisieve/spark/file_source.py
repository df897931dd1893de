"""The data source `urisieve` of Spark 4. This module needs PySpark when it is imported."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import ArrayType, LongType, StringType, StructField, StructType

from urisieve.dedupe.worker_signature import check_key_signature, key_signature
from urisieve.errors import UsageError
from urisieve.lean.hints import Any, ClassVar
from urisieve.options import Options
from urisieve.sinks.arrow_columns import import_arrow
from urisieve.sinks.arrow_tables import column_type
from urisieve.spark.source_batches import source_batches
from urisieve.spark.source_settings import SourceSettings, files_of, source_settings

__all__ = ["FileReader", "FileSource"]


class FileSource(DataSource):  # type: ignore[misc] # PySpark is not read by mypy
    """Reads every kind of file that `urisieve extract` reads; a partition for each file.

    `register` makes a subclass of it with the options and the secret that it was given.

    Args:
        options: the strings that Spark was given as options.
    """

    judging: ClassVar[Options | None] = None
    secret: ClassVar[bytes | None] = None
    # The signature of the keys where `register` was called: Spark makes the data source in a process of its own.
    keys: ClassVar[str | None] = None

    def __init__(self, options: MutableMapping[str, str]) -> None:
        if self.keys is not None:
            check_key_signature(self.keys, self.judging)
        self._settings = source_settings(
            {name.lower(): text for name, text in options.items()}, self.judging, self.secret
        )

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return "urisieve"

    def schema(self) -> StructType:
        """Return the columns: the fields of records, or those that are named, and `error` with `on_error=row`."""
        return StructType([StructField(name, _type(name)) for name in self._settings.columns])

    def reader(self, schema: StructType) -> FileReader:
        """Return the reader.

        Raises:
            UsageError: the schema is not that of the columns.
        """
        if schema != self.schema():
            raise UsageError("the columns have a schema of their own: choose them by the option columns")
        return FileReader(self._settings, key_signature(self._settings.options))


class FileReader(DataSourceReader):  # type: ignore[misc] # as above
    """Reads files into Arrow batches; on the driver it lists them.

    Args:
        settings: what is read, and what is made of it.
        keys: the signature of the keys on the driver.
    """

    def __init__(self, settings: SourceSettings, keys: str) -> None:
        self._settings = settings
        self._keys = keys

    def partitions(self) -> list[InputPartition]:
        """Return a partition for each file; of no file there is one, too, as Spark wants it."""
        return [InputPartition(path) for path in files_of(self._settings)] or [InputPartition(None)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the records of a file as Arrow batches.

        Raises:
            InputError: the file cannot be read, and that is not to become a row.
            ProcessError: the keys would be others than on the driver.
        """
        check_key_signature(self._keys, self._settings.options)
        if partition.value is not None:
            yield from source_batches(partition.value, self._settings)


def _type(name: str) -> Any:
    kind = column_type(name)
    pa = import_arrow("spark")
    if kind == pa.int64():
        return LongType()
    return StringType() if kind == pa.string() else ArrayType(StringType())
