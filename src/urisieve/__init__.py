"""urisieve: find every URI, IRI and URN in a stream of text, validate, normalize and record it.

>>> import urisieve
>>> [record.uri for record in urisieve.extract("See HTTP://EXAMPLE.com:80/%7Ejoe, or <urn:isbn:0-395-36341-1>.")]
['http://example.com/~joe', 'urn:isbn:0395363411']
>>> urisieve.is_valid("http://example.com/100%zz"), urisieve.key("HTTP://example.com")
(False, 'http://example.com/')

Where to begin:

- one text: `extract`, `sieve` (with what is rejected); many texts: `extract_each`; named ones: `extract_documents`;
- files, folders, archives and mail: `extract_files`; bytes: `extract_blocks`; for large inputs `extract_batches`;
- one identifier: `check`, `parse`, `is_valid`, `normalize`, `key`, `equivalent`, `explain`;
- what is found, and how: `Options`; how files are read: `ReadingOptions`;
- duplicates: `deduplicate`, `KeySet`, `Store`; files of records: `write_records`, `read_records`;
- `urisieve.arrow`, `urisieve.sqlite`, `urisieve.duckdb` and `urisieve.spark`: columns, and functions of SQL.

The names below are the interface; each is loaded when it is first used, so that `import urisieve` costs next to
nothing.
"""

from __future__ import annotations

from urisieve._version import __version__
from urisieve.lean import TYPE_CHECKING

if TYPE_CHECKING:
    from urisieve import arrow as arrow
    from urisieve import codes as codes
    from urisieve import duckdb as duckdb
    from urisieve import spark as spark
    from urisieve import sqlite as sqlite
    from urisieve import testing as testing
    from urisieve.codes import Component, Notice, Reason, Warn
    from urisieve.data_sets.checked_rows import CheckedRow, check_rows
    from urisieve.data_sets.deduplicate_rows import deduplicate_rows
    from urisieve.data_sets.row_settings import DataSetKind
    from urisieve.data_sets.row_work import RowCounts
    from urisieve.dedupe.counts import Appearance, KeyCount
    from urisieve.dedupe.deduplicate import Keep, deduplicate
    from urisieve.dedupe.key_store import Store, StoreEntry
    from urisieve.dedupe.keyset import KeySet
    from urisieve.dedupe.signature import check_key_signature, key_signature
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
    from urisieve.explanation import Explanation, Remedy, Span, Subject, Warned, explain
    from urisieve.files import OnError, TextSource, extract_batches, extract_files, sieve_files, sieve_into
    from urisieve.find.scanner import Scanner
    from urisieve.identifiers import (
        check,
        equivalent,
        is_valid,
        key,
        normalize,
        normalize_reference,
        parse,
        resolve,
        to_iri,
        to_uri,
        unwrap,
    )
    from urisieve.judge.steps import Step
    from urisieve.options import (
        Bare,
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
        Spoofing,
        Unwrap,
        UrnSyntax,
        ZoneIdentifiers,
    )
    from urisieve.records.base import SCHEMA_VERSION, Location
    from urisieve.records.batch import Batch
    from urisieve.records.defanging import defang
    from urisieve.records.filtering import Filter
    from urisieve.records.record import Record
    from urisieve.records.redacted import RedactedPart, redact
    from urisieve.records.rejection import InvalidIdentifier, Rejection
    from urisieve.records.sink import Seen, Sink
    from urisieve.records.urn_parts import Urn
    from urisieve.rules.namespace import Namespace, NamespaceKind
    from urisieve.rules.registrable_domain import registrable_domain
    from urisieve.rules.scheme_table import Authority, Scheme
    from urisieve.runs.block_files import Blocks, extract_blocks, sieve_blocks
    from urisieve.runs.events import BytesRead, Event, FileFailed, Message, OnEvent
    from urisieve.sinks.counts.count_keys import count_keys
    from urisieve.sinks.counts.count_sink import CountSink
    from urisieve.sinks.files.outputs import Output, open_output
    from urisieve.sinks.files.safe_cells import SafeCells
    from urisieve.sinks.first_seen import FirstSeenSink
    from urisieve.sinks.formats import Form, Format, FormatSettings, Sort
    from urisieve.sinks.masked import new_secret
    from urisieve.sinks.record_files import read_records, write_records
    from urisieve.sinks.record_sink import RecordSink, TableSink
    from urisieve.sinks.report.page import report_html, write_report
    from urisieve.sinks.statistics.collect_statistics import collect_statistics
    from urisieve.sinks.statistics.statistics import (
        CodeCount,
        CodeCounts,
        Funnel,
        InputCounts,
        Merge,
        MergeExample,
        Merges,
        NameCount,
        Ranking,
        Statistics,
        TimeCount,
        Timeline,
        TimeUnit,
    )
    from urisieve.sinks.statistics.statistics_sink import StatisticsSink
    from urisieve.sinks.store_sink import StoreSink
    from urisieve.sources.containers.folders import PathFilter
    from urisieve.sources.containers.limits import Limits
    from urisieve.sources.reading_options import (
        Alternatives,
        BinaryFiles,
        Carrier,
        InputKind,
        ReadingOptions,
    )
    from urisieve.sources.structured.table_rows import TableHeader
    from urisieve.sources.tally import Tally
    from urisieve.streams import (
        aextract,
        asieve,
        extract,
        extract_documents,
        extract_each,
        extract_keys,
        find_key,
        sieve,
        sieve_documents,
    )
    from urisieve.syntax.components import Components, HostKind

_HOME = {
    "codes": (
        "Component",
        "Notice",
        "Reason",
        "Warn",
    ),
    "data_sets.checked_rows": (
        "CheckedRow",
        "check_rows",
    ),
    "data_sets.deduplicate_rows": ("deduplicate_rows",),
    "data_sets.row_settings": ("DataSetKind",),
    "data_sets.row_work": ("RowCounts",),
    "dedupe.counts": (
        "Appearance",
        "KeyCount",
    ),
    "dedupe.deduplicate": (
        "Keep",
        "deduplicate",
    ),
    "dedupe.key_store": (
        "Store",
        "StoreEntry",
    ),
    "dedupe.keyset": ("KeySet",),
    "dedupe.signature": (
        "check_key_signature",
        "key_signature",
    ),
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
    "explanation": (
        "Explanation",
        "Remedy",
        "Span",
        "Subject",
        "Warned",
        "explain",
    ),
    "files": (
        "OnError",
        "TextSource",
        "extract_batches",
        "extract_files",
        "sieve_files",
        "sieve_into",
    ),
    "find.scanner": ("Scanner",),
    "identifiers": (
        "check",
        "equivalent",
        "is_valid",
        "key",
        "normalize",
        "normalize_reference",
        "parse",
        "resolve",
        "to_iri",
        "to_uri",
        "unwrap",
    ),
    "judge.steps": ("Step",),
    "options": (
        "Bare",
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
        "Spoofing",
        "Unwrap",
        "UrnSyntax",
        "ZoneIdentifiers",
    ),
    "records.base": (
        "Location",
        "SCHEMA_VERSION",
    ),
    "records.batch": ("Batch",),
    "records.defanging": ("defang",),
    "records.filtering": ("Filter",),
    "records.record": ("Record",),
    "records.redacted": (
        "RedactedPart",
        "redact",
    ),
    "records.rejection": (
        "InvalidIdentifier",
        "Rejection",
    ),
    "records.sink": (
        "Seen",
        "Sink",
    ),
    "records.urn_parts": ("Urn",),
    "rules.namespace": (
        "Namespace",
        "NamespaceKind",
    ),
    "rules.registrable_domain": ("registrable_domain",),
    "rules.scheme_table": (
        "Authority",
        "Scheme",
    ),
    "runs.block_files": (
        "Blocks",
        "extract_blocks",
        "sieve_blocks",
    ),
    "runs.events": (
        "BytesRead",
        "Event",
        "FileFailed",
        "Message",
        "OnEvent",
    ),
    "sinks.counts.count_keys": ("count_keys",),
    "sinks.counts.count_sink": ("CountSink",),
    "sinks.files.outputs": (
        "Output",
        "open_output",
    ),
    "sinks.files.safe_cells": ("SafeCells",),
    "sinks.first_seen": ("FirstSeenSink",),
    "sinks.formats": (
        "Form",
        "Format",
        "FormatSettings",
        "Sort",
    ),
    "sinks.masked": ("new_secret",),
    "sinks.record_files": (
        "read_records",
        "write_records",
    ),
    "sinks.record_sink": (
        "RecordSink",
        "TableSink",
    ),
    "sinks.report.page": (
        "report_html",
        "write_report",
    ),
    "sinks.statistics.collect_statistics": ("collect_statistics",),
    "sinks.statistics.statistics": (
        "CodeCount",
        "CodeCounts",
        "Funnel",
        "InputCounts",
        "Merge",
        "MergeExample",
        "Merges",
        "NameCount",
        "Ranking",
        "Statistics",
        "TimeCount",
        "TimeUnit",
        "Timeline",
    ),
    "sinks.statistics.statistics_sink": ("StatisticsSink",),
    "sinks.store_sink": ("StoreSink",),
    "sources.containers.folders": ("PathFilter",),
    "sources.containers.limits": ("Limits",),
    "sources.reading_options": (
        "Alternatives",
        "BinaryFiles",
        "Carrier",
        "InputKind",
        "ReadingOptions",
    ),
    "sources.structured.table_rows": ("TableHeader",),
    "sources.tally": ("Tally",),
    "streams": (
        "aextract",
        "asieve",
        "extract",
        "extract_documents",
        "extract_each",
        "extract_keys",
        "find_key",
        "sieve",
        "sieve_documents",
    ),
    "syntax.components": (
        "Components",
        "HostKind",
    ),
}
# Modules with names of their own, loaded when they are first used.
_MODULES = ("arrow", "codes", "duckdb", "spark", "sqlite", "testing")
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "SCHEMA_VERSION",
    "Alternatives",
    "Appearance",
    "Authority",
    "Bare",
    "Batch",
    "BinaryFiles",
    "Blocks",
    "BrokenInputError",
    "BytesRead",
    "Carrier",
    "Charset",
    "CheckedRow",
    "CodeCount",
    "CodeCounts",
    "Component",
    "Components",
    "CountSink",
    "DataSetKind",
    "EmailFinding",
    "EmbeddedSpace",
    "Event",
    "Explanation",
    "FileFailed",
    "Filter",
    "FirstSeenSink",
    "Form",
    "Format",
    "FormatSettings",
    "Funnel",
    "HostKind",
    "InputCounts",
    "InputError",
    "InputKind",
    "InvalidIdentifier",
    "Keep",
    "KeyCount",
    "KeySet",
    "Level",
    "Limits",
    "Location",
    "Lossy",
    "Merge",
    "MergeExample",
    "Merges",
    "Message",
    "NameCount",
    "Namespace",
    "NamespaceKind",
    "NestedFinding",
    "Notice",
    "OnError",
    "OnEvent",
    "Options",
    "Output",
    "OutputError",
    "PathFilter",
    "PluginError",
    "Positions",
    "ProcessError",
    "Ranking",
    "ReadingOptions",
    "Reason",
    "Record",
    "RecordSink",
    "RedactedPart",
    "Refang",
    "Rejection",
    "Remedy",
    "Repair",
    "RowCounts",
    "SafeCells",
    "Scanner",
    "Scheme",
    "SchemePolicy",
    "SchemelessFinding",
    "Seen",
    "Sink",
    "Sort",
    "Span",
    "Spoofing",
    "Statistics",
    "StatisticsSink",
    "Step",
    "Store",
    "StoreEntry",
    "StoreError",
    "StoreSink",
    "Subject",
    "TableHeader",
    "TableSink",
    "Tally",
    "TextSource",
    "TimeCount",
    "TimeUnit",
    "Timeline",
    "UnexpectedInputError",
    "Unwrap",
    "UrisieveError",
    "Urn",
    "UrnSyntax",
    "UsageError",
    "Warn",
    "Warned",
    "ZoneIdentifiers",
    "__version__",
    "aextract",
    "asieve",
    "check",
    "check_key_signature",
    "check_rows",
    "collect_statistics",
    "count_keys",
    "deduplicate",
    "deduplicate_rows",
    "defang",
    "equivalent",
    "explain",
    "extract",
    "extract_batches",
    "extract_blocks",
    "extract_documents",
    "extract_each",
    "extract_files",
    "extract_keys",
    "find_key",
    "is_valid",
    "key",
    "key_signature",
    "new_secret",
    "normalize",
    "normalize_reference",
    "open_output",
    "parse",
    "read_records",
    "redact",
    "registrable_domain",
    "report_html",
    "resolve",
    "sieve",
    "sieve_blocks",
    "sieve_documents",
    "sieve_files",
    "sieve_into",
    "to_iri",
    "to_uri",
    "unwrap",
    "write_records",
    "write_report",
]


def __getattr__(name: str) -> object:
    from urisieve.lean import imported

    if name in _MODULES:
        return imported(f"urisieve.{name}")
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'urisieve' has no attribute {name!r}", name=name, obj=imported(__name__))
    value: object = getattr(imported(f"urisieve.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, *_MODULES]
