"""The data source `urisieve` of Spark 4. This module needs PySpark when it is imported.

It also defines:

- the records of a file as Arrow batches.
- settings of the data source `urisieve`, from the strings that Spark passes on as options.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from glob import glob, has_magic
from urllib.parse import unquote

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import ArrayType, LongType, StringType, StructField, StructType

from urisieve.dedupe.signature import SentSignature, check_key_signature, key_signature
from urisieve.errors import InputError, UsageError
from urisieve.files import extract_batches
from urisieve.finding_options import Options, SchemePolicy
from urisieve.lean import Any, ClassVar, Final, NamedTuple, NoReturn, field_names
from urisieve.merging import Profile
from urisieve.records import field_table
from urisieve.records.base import CONTEXT_NAMES
from urisieve.records.batch import Batch
from urisieve.records.mask import Mask, drawn_mask
from urisieve.runs.run import found_files
from urisieve.sources.bytes.encodings import find_encoding
from urisieve.sources.containers.folders import PathFilter
from urisieve.sources.reading_options import ReadingOptions
from urisieve.sources.tally import Tally
from urisieve.wording import did_you_mean, printable

# The column that says what could not be read.
ERROR: Final = "error"
# Options of lists, which are separated by commas, and of numbers; those about finding and judging, and about reading.
_LISTS: Final = frozenset(
    (
        *("bare", "columns", "exclude_schemes", "field", "include", "exclude", "drop_params", "keep_params"),
        *("known_schemes", "merge", "protect", "unescape"),
    )
)
_POLICIES: Final = frozenset(map(str, SchemePolicy))
_TRUTHS: Final = {"true": True, "false": False}
_OPTIONS: Final = tuple(name for name in field_names(Options) if name != "rules")
_PARAMETERS: Final = ("drop_params", "keep_params")
_READING: Final = ("input", "field", "unescape", "mail_parts", "binary", "base", "time_field")
_FOLDERS: Final = ("include", "exclude", "hidden")
_OTHER: Final = ("path", "paths", "columns", "encoding", "on_error", "secret")
_KNOWN: Final = (*_OPTIONS, *_PARAMETERS, *_READING, *_FOLDERS, *_OTHER)


class SourceSettings(NamedTuple):
    """The settings of one read.

    Attributes:
        paths: files, folders and patterns.
        columns: the names of the columns, in their order.
        options: what to find and how far to normalize.
        reading: how files are read.
        encoding: the name of the encoding of text; None to detect it.
        mask: how values leave.
        reports: whether a file that cannot be read becomes a row with an `error`; otherwise the job fails.
    """

    paths: list[str]
    columns: list[str]
    options: Options
    reading: ReadingOptions
    encoding: str | None
    mask: Mask
    reports: bool


def source_settings(given: Mapping[str, str], options: Options | None, mask: Mask | None) -> SourceSettings:
    """Return the settings that some strings stand for.

    Args:
        given: the strings by the names of the options, in lower case.
        options: what counts where the strings say nothing about finding and judging.
        mask: how values leave if the strings do not say it; None to draw a secret.

    Raises:
        UsageError: there is no such option, or a value is not accepted.
    """
    for name in given:
        if name not in _KNOWN:
            raise UsageError(f"there is no option {name!r}{did_you_mean(name, _KNOWN)}; there are {', '.join(_KNOWN)}")
    values = {name: _value(name, text) for name, text in given.items()}
    own = {name: values[name] for name in _OPTIONS if name in values}
    if any(name in values for name in _PARAMETERS):
        parameters = {name: values[name] for name in _PARAMETERS if name in values}
        own["merge"] = Profile(own.get("merge", ()), **parameters)
    if own and options is not None and options != Options():
        raise UsageError(f"register was given options already: leave out {', '.join(own)}")
    reading: dict[str, Any] = {name: values[name] for name in _READING if name in values}
    folders = {name: values[name] for name in _FOLDERS if name in values}
    if folders:
        reading["folders"] = PathFilter(**folders)
    on_error = values.get("on_error", "fail")
    if on_error not in ("fail", "row"):
        raise UsageError(f"on_error={on_error!r} is not a choice; use one of 'fail', 'row'")
    encoding = values.get("encoding")
    find_encoding(encoding)
    columns = _columns(values.get("columns"), on_error == "row")
    reading["context"] = not set(CONTEXT_NAMES).isdisjoint(columns)
    return SourceSettings(
        paths=_paths(given),
        columns=columns,
        options=Options(**own) if own or options is None else options,
        reading=ReadingOptions(**reading),
        encoding=encoding,
        mask=Mask(_octets(given["secret"])) if "secret" in given else mask or drawn_mask(None),
        reports=on_error == "row",
    )


def _value(name: str, text: str) -> Any:
    if name in _LISTS or (name == "schemes" and text not in _POLICIES):
        return [part.strip() for part in text.split(",")]
    if name == "max_length":
        return int(text) if text.isascii() and text.isdigit() else text
    return _TRUTHS.get(text.lower(), text) if name in (*_OPTIONS, *_READING, *_FOLDERS) else text


def _paths(given: Mapping[str, str]) -> list[str]:
    """Return the paths of `load`: one as `path`, several as JSON in `paths`."""
    paths: list[str] = [given["path"]] if "path" in given else []
    if "paths" in given:
        try:
            listed = json.loads(given["paths"])
        except ValueError:
            listed = None
        if not isinstance(listed, list) or not all(isinstance(path, str) for path in listed):
            raise UsageError(f"paths={given['paths']!r} must be a list of strings in JSON")
        paths += listed
    if not paths:
        raise UsageError("there is no path: give files, folders or patterns to load()")
    # Workers have another working folder.
    return [os.path.abspath(_local(path)) for path in paths]


def _local(path: str) -> str:
    """Return the path of a `file:` URI as the system has it."""
    scheme, colon, rest = path.partition(":")
    if not colon or len(scheme) < 2 or "/" in scheme or not rest.startswith("/"):
        return path
    if scheme.lower() != "file":
        raise UsageError(
            f"{path}: files of {scheme}: are not read; read them by Spark, as text or binaryFile, and call "
            "urisieve.spark.extract"
        )
    return unquote("/" + rest.lstrip("/"))


def _columns(names: list[str] | None, reports: bool) -> list[str]:
    if names is None:
        return [*field_table.RECORD_NAMES, *([ERROR] if reports else [])]
    known = [*field_table.RECORD_NAMES, *CONTEXT_NAMES, ERROR]
    for name in names:
        if name not in known:
            raise UsageError(
                f"columns: there is no column {name!r}{did_you_mean(name, known)}; there are {', '.join(known)}"
            )
    if reports and not {"source", ERROR}.issubset(names):
        raise UsageError("on_error=row needs the columns source and error")
    return names


def _octets(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise UsageError("secret is not hexadecimal: give secret.hex()") from None


def files_of(settings: SourceSettings) -> Iterator[str]:
    """Yield the files to read, in the order of the paths and of the names in folders and of patterns.

    Raises:
        InputError: a folder cannot be read.
        UsageError: a pattern matches nothing.
    """
    for path in settings.paths:
        matches = [path]
        if has_magic(path) and not os.path.lexists(path):
            matches = sorted(glob(path, recursive=True))
            if not matches:
                raise UsageError(f"{path}: no file has a name like this")
        yield from found_files(matches, settings.reading, Tally())


# The rows of which columns are made at once: what comes from mail has a few rows a batch.
_TOGETHER: Final = 8_192
# A batch of these columns is always made: without warnings no password is seen.
_NEEDED: Final = ("raw", "uri", "key", "warnings")


# Small files share a partition, and so a worker of Python, up to so many bytes and files.
_SHARED_BYTES: Final = 8_000_000
_SHARED_FILES: Final = 256


def partitions_of(paths: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Yield the files of each partition, in their order: small ones that follow each other together."""
    together: list[str] = []
    size = 0
    for path in paths:
        try:
            more = os.path.getsize(path)
        except OSError:
            more = 0  # the worker says what is wrong with it
        if together and (size + more > _SHARED_BYTES or len(together) == _SHARED_FILES):
            yield tuple(together)
            together, size = [], 0
        together.append(path)
        size += more
    yield tuple(together)


def source_batches(paths: Iterable[str], settings: SourceSettings) -> Iterator[Any]:
    """Yield the records of files as `pyarrow.RecordBatch` objects, in the order of the files.

    Args:
        paths: the files.
        settings: what is made of them.

    Raises:
        InputError: a file, or something in it, cannot be read to its end, and that is not to become a row.
    """
    from pathlib import Path

    errors: list[tuple[str, str]] = []
    batches = extract_batches(
        list(map(Path, paths)),
        columns=[*_NEEDED, *field_table.columns_of(name for name in settings.columns if name != ERROR)],
        options=settings.options,
        reading=settings.reading,
        encoding=settings.encoding,
        on_error=(lambda path, error: errors.append((path, printable(str(error))))) if settings.reports else None,
    )
    waiting: list[Batch] = []
    try:
        for batch in batches:
            if not len(batch):
                continue
            if waiting and (not waiting[-1].is_like(batch) or sum(map(len, waiting)) + len(batch) > _TOGETHER):
                yield _arrow_batch(waiting, settings.columns, settings.mask)
                waiting = []
            waiting.append(batch)
    except InputError as error:
        # Spark shows the last lines of a traceback, and knows nothing of files.
        raise InputError(f"{error} (with on_error=row this becomes a row)") from error
    if waiting:
        yield _arrow_batch(waiting, settings.columns, settings.mask)
    if errors:
        yield _error_rows(errors, settings.columns)


def _arrow_batch(batches: list[Batch], names: list[str], mask: Mask) -> Any:
    pa = field_table.import_arrow("spark")
    batch = mask.batch(batches[0] if len(batches) == 1 else Batch.joined(batches))
    fields = [(name, field_table.column_type(name)) for name in names]
    held = [name for name in names if name != ERROR]
    made = dict(zip(held, field_table.record_arrays(batch, held), strict=True))
    if ERROR in names:
        made[ERROR] = pa.nulls(len(batch), field_table.column_type(ERROR))
    return pa.RecordBatch.from_arrays([made[name] for name in names], schema=pa.schema(fields))


def _error_rows(errors: list[tuple[str, str]], names: list[str]) -> Any:
    pa = field_table.import_arrow("spark")
    values = {"source": [field_table.valid_text(path) for path, _ in errors], ERROR: [error for _, error in errors]}
    kinds = {name: field_table.column_type(name) for name in names}
    arrays = [
        field_table.arrow_array(values[name], kind) if name in values else pa.nulls(len(errors), kind)
        for name, kind in kinds.items()
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(list(kinds.items())))


class FileSource(DataSource):  # type: ignore[misc] # PySpark is not read by mypy
    """Reads every kind of file that `urisieve extract` reads; a partition for each large file, and for some small ones.

    `register` makes a subclass of it with the options that it was given, and with its mask.

    Args:
        options: the strings that Spark was given as options.
    """

    # The signature of the keys where `register` was called, its options, and the mask: Spark makes the data source in a
    # process of its own.
    registered: ClassVar[tuple[str, Options | None, Mask] | None] = None

    def __init__(self, options: MutableMapping[str, str]) -> None:
        keys, judging, mask = self.registered or ("", None, None)
        if keys:
            check_key_signature(keys, judging)
        self._settings = source_settings({name.lower(): text for name, text in options.items()}, judging, mask)

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
        return FileReader(SentSignature(key_signature(self._settings.options)), self._settings)

    def streamReader(self, schema: StructType) -> NoReturn:  # noqa: N802 - the name is that of Spark
        """Refuse to be read as a stream.

        Raises:
            UsageError: always.
        """
        raise UsageError("the data source is no stream: read text by readStream, and call urisieve.spark.extract")

    simpleStreamReader = streamReader  # noqa: N815 - as above


class FileReader(DataSourceReader):  # type: ignore[misc] # as above
    """Reads files into Arrow batches; on the driver it lists them.

    Args:
        keys: the signature of the keys on the driver.
        settings: what is read, and what is made of it.
    """

    def __init__(self, keys: str, settings: SourceSettings) -> None:
        self._keys = keys
        self._settings = settings

    def partitions(self) -> list[InputPartition]:
        """Return the partitions; of no file there is one, too, as Spark wants it."""
        return list(map(InputPartition, partitions_of(files_of(self._settings))))

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the records of some files as Arrow batches.

        Raises:
            InputError: a file cannot be read, and that is not to become a row.
            ProcessError: the keys would be others than on the driver.
        """
        check_key_signature(self._keys, self._settings.options)
        yield from source_batches(partition.value, self._settings)


def _type(name: str) -> Any:
    kind = field_table.column_type(name)
    pa = field_table.import_arrow("spark")
    if kind == pa.int64():
        return LongType()
    return StringType() if kind == pa.string() else ArrayType(StringType())
