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
    from urisieve.components import Components, HostKind
    from urisieve.dedupe import Keep, KeySet, Seen, Store, deduplicate
    from urisieve.errors import (
        BrokenInputError,
        InputError,
        InvalidIdentifier,
        OutputError,
        PluginError,
        ProcessError,
        StoreError,
        UnexpectedInputError,
        UrisieveError,
        UsageError,
    )
    from urisieve.explanation import Explanation, explain
    from urisieve.files import extract_files, sieve_files
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
    from urisieve.namespaces.rule import Namespace
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
    from urisieve.record import Record
    from urisieve.rejection import Rejection
    from urisieve.resolver import resolve
    from urisieve.scanner import Scanner
    from urisieve.schemes.rule import Authority, Scheme
    from urisieve.sources.choices import Alternatives, BinaryFiles, Carrier, HtmlReader, InputKind, ReadingOptions
    from urisieve.sources.folders import PathFilter
    from urisieve.sources.limits import Limits
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
    from urisieve.urn_record import Urn
    from urisieve.value import SCHEMA_VERSION

_HOME = {
    "codes": ("Component", "Notice", "Reason", "Warn"),
    "components": ("Components", "HostKind"),
    "dedupe": ("Keep", "KeySet", "Seen", "Store", "deduplicate"),
    "errors": (
        "BrokenInputError",
        "InputError",
        "InvalidIdentifier",
        "OutputError",
        "PluginError",
        "ProcessError",
        "StoreError",
        "UnexpectedInputError",
        "UrisieveError",
        "UsageError",
    ),
    "explanation": ("Explanation", "explain"),
    "files": ("extract_files", "sieve_files"),
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
    "namespaces.rule": ("Namespace",),
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
    "record": ("Record",),
    "rejection": ("Rejection",),
    "resolver": ("resolve",),
    "scanner": ("Scanner",),
    "schemes.rule": ("Authority", "Scheme"),
    "sources.choices": ("Alternatives", "BinaryFiles", "Carrier", "HtmlReader", "InputKind", "ReadingOptions"),
    "sources.folders": ("PathFilter",),
    "sources.limits": ("Limits",),
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
    "urn_record": ("Urn",),
    "value": ("SCHEMA_VERSION",),
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
