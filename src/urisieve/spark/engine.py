"""PySpark, imported when it is needed, and columns of its DataFrames."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from urisieve.dedupe.signature import check_key_signature, key_signature
from urisieve.errors import UsageError
from urisieve.lean import Any
from urisieve.options import Options
from urisieve.sinks.arrow_columns import import_arrow
from urisieve.wording import did_you_mean

__all__ = ["KeyedWork", "column_of", "import_spark", "refuse_columns"]


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


def column_of(df: Any, name: str, what: str) -> Any:
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


def refuse_columns(df: Any, names: Iterable[str]) -> None:
    """Check that columns which will be added are not there yet; Spark does not tell upper from lower case.

    Raises:
        UsageError: one is there, or two that are added have one name.
    """
    taken = {name.lower() for name in df.columns}
    for name in names:
        if name.lower() in taken:
            raise UsageError(f"there is a column {name!r} already: choose another name for the one that is added")
        taken.add(name.lower())


class KeyedWork:
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
        return _restored, (partial(type(self), self.options, **self._settings), key_signature(self.options))


def _restored(make: partial[KeyedWork], keys: str) -> KeyedWork:
    made = make()
    check_key_signature(keys, made.options)
    return made
