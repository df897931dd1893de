"""Settings of the data source `urisieve`, from the strings that Spark passes on as options."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from glob import glob, has_magic
from urllib.parse import unquote

from urisieve.errors import UsageError
from urisieve.lean.hints import Any, Final
from urisieve.lean.values import NamedTuple
from urisieve.nearest import did_you_mean
from urisieve.options import Options
from urisieve.runs.run import found_files
from urisieve.sinks.arrow_tables import RECORD_NAMES
from urisieve.sinks.masked import new_secret
from urisieve.sources.bytes.encodings import find_encoding
from urisieve.sources.containers.folders import PathFilter
from urisieve.sources.reading_options import ReadingOptions
from urisieve.sources.tally import Tally

__all__ = ["ERROR", "SourceSettings", "files_of", "source_settings"]

# The column that says what could not be read.
ERROR: Final = "error"
# Options of lists, which are separated by commas, and of numbers; those about finding and judging, and about reading.
_LISTS: Final = frozenset(
    ("bare", "columns", "exclude_schemes", "include", "exclude", "known_schemes", "lossy", "table_columns", "unescape")
)
_POLICIES: Final = frozenset(("default", "registered", "any"))
_TRUTHS: Final = {"true": True, "false": False}
_OPTIONS: Final = (
    *("schemes", "exclude_schemes", "known_schemes", "urn_syntax", "level", "lossy", "repair", "embedded_space"),
    *("schemeless", "email", "bare", "refang", "nested", "unwrap", "zones", "charset", "positions", "max_length"),
)
_READING: Final = ("input", "field", "table_columns", "unescape", "alternatives", "binary", "base")
_FOLDERS: Final = ("include", "exclude", "hidden")
_OTHER: Final = ("path", "paths", "columns", "encoding", "on_error", "secret")
_KNOWN: Final = (*_OPTIONS, *_READING, *_FOLDERS, *_OTHER)


class SourceSettings(NamedTuple):
    """The settings of one read.

    Attributes:
        paths: files, folders and patterns.
        columns: the names of the columns, in their order.
        options: what to find and how far to normalize.
        reading: how files are read.
        encoding: the name of the encoding of text; None to detect it.
        secret: masks passwords.
        reports: whether a file that cannot be read becomes a row with an `error`; otherwise the job fails.
    """

    paths: list[str]
    columns: list[str]
    options: Options
    reading: ReadingOptions
    encoding: str | None
    secret: bytes
    reports: bool


def source_settings(given: Mapping[str, str], options: Options | None, secret: bytes | None) -> SourceSettings:
    """Return the settings that some strings stand for.

    Args:
        given: the strings by the names of the options, in lower case.
        options: what counts where the strings say nothing about finding and judging.
        secret: the secret if the strings hold none; None to draw one.

    Raises:
        UsageError: there is no such option, or a value is not accepted.
    """
    for name in given:
        if name not in _KNOWN:
            raise UsageError(f"there is no option {name!r}{did_you_mean(name, _KNOWN)}; there are {', '.join(_KNOWN)}")
    values = {name: _value(name, text) for name, text in given.items()}
    own = {name: values[name] for name in _OPTIONS if name in values}
    if own and options is not None and options != Options():
        raise UsageError(f"register was given options already: leave out {', '.join(own)}")
    reading: dict[str, Any] = {name: values[name] for name in _READING if name in values}
    if "table_columns" in reading:
        reading["columns"] = reading.pop("table_columns")
    folders = {name: values[name] for name in _FOLDERS if name in values}
    if folders:
        reading["folders"] = PathFilter(**folders)
    on_error = values.get("on_error", "fail")
    if on_error not in ("fail", "row"):
        raise UsageError(f"on_error={on_error!r} is not a choice; use one of 'fail', 'row'")
    encoding = values.get("encoding")
    find_encoding(encoding)
    return SourceSettings(
        paths=_paths(given),
        columns=_columns(values.get("columns"), on_error == "row"),
        options=Options(**own) if own or options is None else options,
        reading=ReadingOptions(**reading),
        encoding=encoding,
        secret=_secret(given.get("secret"), secret),
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
        return [*RECORD_NAMES, *([ERROR] if reports else [])]
    known = [*RECORD_NAMES, ERROR]
    for name in names:
        if name not in known:
            raise UsageError(
                f"columns: there is no column {name!r}{did_you_mean(name, known)}; there are {', '.join(known)}"
            )
    if reports and not {"source", ERROR}.issubset(names):
        raise UsageError("on_error=row needs the columns source and error")
    return names


def _secret(text: str | None, secret: bytes | None) -> bytes:
    if text is None:
        return new_secret() if secret is None else secret
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
