"""Parquet, with the extra `parquet` (pyarrow)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from urisieve.errors import InputError, UsageError
from urisieve.lean.hints import Any
from urisieve.sources.bytes.reading import STANDARD_INPUT, read_blocks

__all__ = ["arrow", "open_parquet"]


def arrow() -> tuple[Any, Any]:
    """Return the modules `pyarrow` and `pyarrow.parquet`.

    Raises:
        UsageError: they are not installed; the message has the command that installs them.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UsageError("Parquet needs pyarrow: pip install 'urisieve[parquet]'") from None
    return pyarrow, pyarrow.parquet


@contextmanager
def open_parquet(path: str) -> Iterator[Any]:
    """Open a Parquet file; standard input is read whole first.

    Raises:
        InputError: the file cannot be read.
        UsageError: pyarrow is not installed.
    """
    pyarrow, parquet = arrow()
    try:
        source = pyarrow.BufferReader(b"".join(read_blocks(path))) if path == STANDARD_INPUT else path
        with parquet.ParquetFile(source) as file:
            yield file
    except OSError as error:
        raise InputError(error.strerror or str(error)) from error
    except (pyarrow.ArrowException, ValueError) as error:
        raise InputError(f"is not a readable Parquet file: {error}") from error
