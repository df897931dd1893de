"""urisieve: find every URI, IRI and URN in a stream of text, validate, normalize and record it.

The names below are the interface; each is loaded when it is first used, so that `import urisieve` costs next to
nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from urisieve._version import __version__

if TYPE_CHECKING:
    from urisieve.codes import Component, Notice, Reason, Warn
    from urisieve.dedupe.deduplicate import Keep, deduplicate
    from urisieve.dedupe.key_store import Store
    from urisieve.dedupe.keyset import KeySet, Seen
    from urisieve.errors import (
        BrokenInputError,
        InputError,
        OutputError,
        PluginError,
        ProcessError,
        StoreError,
        UnexpectedInputError,
        UrisieveError,
        UsageError,
    )
    from urisieve.explanation import Explanation, explain
    from urisieve.find.scanner import Scanner
    from urisieve.identifiers import (
        check,
        equivalent,
        is_valid,
        key,
        normalize,
        normalize_reference,
        parse,
        to_iri,
        to_uri,
    )
    from urisieve.options import (
        Charset,
        EmailFinding,
        EmbeddedSpace,
        Level,
        Lossy,
        NestedFinding,
        Options,
        Positions,
        Refang,
        Repair,
        SchemelessFinding,
        SchemePolicy,
        UrnSyntax,
        ZoneIdentifiers,
    )
    from urisieve.records.base import SCHEMA_VERSION
    from urisieve.records.record import Record
    from urisieve.records.rejection import InvalidIdentifier, Rejection
    from urisieve.records.urn_parts import Urn
    from urisieve.resolver import resolve
    from urisieve.rules.namespace import Namespace
    from urisieve.rules.scheme import Authority, Scheme
    from urisieve.runs.files import extract_files, sieve_files
    from urisieve.sources.containers.folders import PathFilter
    from urisieve.sources.containers.limits import Limits
    from urisieve.sources.reading_options import (
        Alternatives,
        BinaryFiles,
        Carrier,
        HtmlReader,
        InputKind,
        ReadingOptions,
    )
    from urisieve.sources.tally import Tally
    from urisieve.streams import (
        aextract,
        asieve,
        extract,
        extract_documents,
        extract_each,
        extract_keys,
        sieve,
        sieve_documents,
    )
    from urisieve.syntax.components import Components, HostKind

_HOME = {
    "codes": ("Component", "Notice", "Reason", "Warn"),
    "syntax.components": ("Components", "HostKind"),
    "dedupe.deduplicate": ("Keep", "deduplicate"),
    "dedupe.key_store": ("Store",),
    "dedupe.keyset": ("KeySet", "Seen"),
    "errors": (
        "BrokenInputError",
        "InputError",
        "OutputError",
        "PluginError",
        "ProcessError",
        "StoreError",
        "UnexpectedInputError",
        "UrisieveError",
        "UsageError",
    ),
    "explanation": ("Explanation", "explain"),
    "runs.files": ("extract_files", "sieve_files"),
    "identifiers": (
        "check",
        "equivalent",
        "is_valid",
        "key",
        "normalize",
        "normalize_reference",
        "parse",
        "to_iri",
        "to_uri",
    ),
    "rules.namespace": ("Namespace",),
    "options": (
        "Charset",
        "EmailFinding",
        "EmbeddedSpace",
        "Level",
        "Lossy",
        "NestedFinding",
        "Options",
        "Positions",
        "Refang",
        "Repair",
        "SchemePolicy",
        "SchemelessFinding",
        "UrnSyntax",
        "ZoneIdentifiers",
    ),
    "records.record": ("Record",),
    "records.rejection": ("InvalidIdentifier", "Rejection"),
    "resolver": ("resolve",),
    "find.scanner": ("Scanner",),
    "rules.scheme": ("Authority", "Scheme"),
    "sources.reading_options": ("Alternatives", "BinaryFiles", "Carrier", "HtmlReader", "InputKind", "ReadingOptions"),
    "sources.containers.folders": ("PathFilter",),
    "sources.containers.limits": ("Limits",),
    "sources.tally": ("Tally",),
    "streams": (
        "aextract",
        "asieve",
        "extract",
        "extract_documents",
        "extract_each",
        "extract_keys",
        "sieve",
        "sieve_documents",
    ),
    "records.urn_parts": ("Urn",),
    "records.base": ("SCHEMA_VERSION",),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "SCHEMA_VERSION",
    "Alternatives",
    "Authority",
    "BinaryFiles",
    "BrokenInputError",
    "Carrier",
    "Charset",
    "Component",
    "Components",
    "EmailFinding",
    "EmbeddedSpace",
    "Explanation",
    "HostKind",
    "HtmlReader",
    "InputError",
    "InputKind",
    "InvalidIdentifier",
    "Keep",
    "KeySet",
    "Level",
    "Limits",
    "Lossy",
    "Namespace",
    "NestedFinding",
    "Notice",
    "Options",
    "OutputError",
    "PathFilter",
    "PluginError",
    "Positions",
    "ProcessError",
    "ReadingOptions",
    "Reason",
    "Record",
    "Refang",
    "Rejection",
    "Repair",
    "Scanner",
    "Scheme",
    "SchemePolicy",
    "SchemelessFinding",
    "Seen",
    "Store",
    "StoreError",
    "Tally",
    "UnexpectedInputError",
    "UrisieveError",
    "Urn",
    "UrnSyntax",
    "UsageError",
    "Warn",
    "ZoneIdentifiers",
    "__version__",
    "aextract",
    "asieve",
    "check",
    "deduplicate",
    "equivalent",
    "explain",
    "extract",
    "extract_documents",
    "extract_each",
    "extract_files",
    "extract_keys",
    "is_valid",
    "key",
    "normalize",
    "normalize_reference",
    "parse",
    "resolve",
    "sieve",
    "sieve_documents",
    "sieve_files",
    "to_iri",
    "to_uri",
]


def __getattr__(name: str) -> object:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'urisieve' has no attribute {name!r}")
    value: object = getattr(import_module(f"urisieve.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
