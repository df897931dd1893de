"""The values that calls take and return, for annotations and for `isinstance`.

Codes are in `urisieve.codes`, explanations in `urisieve.explanation`, values of options in `urisieve.options`.

>>> from urisieve import check
>>> from urisieve.types import Urn
>>> isinstance(check("urn:isbn:0-395-36341-1").urn, Urn)
True

Each name is loaded when it is first used.
"""

from __future__ import annotations

from urisieve.lean import lazy_names

_HOME = {
    "data_sets.checked_rows": "CheckedRow",
    "data_sets.row_work": "RowCounts",
    "dedupe.counts": "Appearance KeyCount",
    "dedupe.store.store_tables": "StoreEntry",
    "files": "Blocks TextSource",
    "find.delimited": "Delimited",
    "records.base": "SCHEMA_VERSION Context Location",
    "records.batch": "OnError",
    "records.urn_parts": "Urn",
    "rules.scheme_table": "Authority NamespaceKind",
    "sources.containers.contents": "Source",
    "sources.kinds.kind_table": "ReaderRow",
    "sources.segments": "Segments",
    "runs.events": "BytesRead Event FileFailed Message OnEvent",
    "syntax.components": "Components HostKind",
}

__all__ = [name for names in _HOME.values() for name in names.split()]
__getattr__, __dir__ = lazy_names(__name__, _HOME, ())
