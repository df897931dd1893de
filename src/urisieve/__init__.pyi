"""Types of `urisieve`: its public names."""

from urisieve import arrow as arrow
from urisieve import codes as codes
from urisieve import duckdb as duckdb
from urisieve import explanation as explanation
from urisieve import options as options
from urisieve import sinks as sinks
from urisieve import spark as spark
from urisieve import sqlite as sqlite
from urisieve import testing as testing
from urisieve._version import __version__
from urisieve.codes import Component, Notice, Reason, Warn
from urisieve.data_sets.checked_rows import CheckedRow, check_rows
from urisieve.data_sets.row_run import deduplicate_rows
from urisieve.data_sets.row_work import RowCounts
from urisieve.dedupe.counts import Appearance, KeyCount
from urisieve.dedupe.deduplicate import Keep, deduplicate
from urisieve.dedupe.key_store import Store, StoreEntry
from urisieve.dedupe.keyset import KeySet
from urisieve.dedupe.known import Known
from urisieve.dedupe.worker_signature import check_key_signature, key_signature
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
from urisieve.files import (
    Blocks,
    TextSource,
    extract_batches,
    extract_blocks,
    extract_files,
    sieve_blocks,
    sieve_files,
    sieve_into,
)
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
from urisieve.judge.templates import template_of
from urisieve.merging import MergeStep, Profile
from urisieve.options import Level, Options
from urisieve.records.base import SCHEMA_VERSION, Context, Location
from urisieve.records.batch import Batch
from urisieve.records.counting import OnError
from urisieve.records.defanging import defang
from urisieve.records.filtering import Filter
from urisieve.records.masking import new_secret
from urisieve.records.record import Record
from urisieve.records.redacted import RedactedPart, redact
from urisieve.records.rejection import InvalidIdentifier, Rejection
from urisieve.records.urn_parts import Urn
from urisieve.rules.namespace import Namespace, NamespaceKind
from urisieve.rules.registry import registrable_domain
from urisieve.rules.scheme_table import Authority, Scheme
from urisieve.runs.events import BytesRead, Event, FileFailed, Message, OnEvent
from urisieve.sinks.formats import Format
from urisieve.sinks.record_files import read_records, write_records
from urisieve.sinks.statistics.count_sink import count_keys
from urisieve.sources.containers.folders import PathFilter
from urisieve.sources.containers.limits import Limits
from urisieve.sources.reading_options import Alternatives, BinaryFiles, Carrier, InputKind, ReadingOptions
from urisieve.sources.tally import Tally
from urisieve.streams import aextract, asieve, extract, extract_documents, extract_each, sieve, sieve_documents
from urisieve.syntax.components import Components, HostKind

__all__ = [
    "SCHEMA_VERSION",
    "Alternatives",
    "Appearance",
    "Authority",
    "Batch",
    "BinaryFiles",
    "Blocks",
    "BrokenInputError",
    "BytesRead",
    "Carrier",
    "CheckedRow",
    "Component",
    "Components",
    "Context",
    "Event",
    "Explanation",
    "FileFailed",
    "Filter",
    "Format",
    "HostKind",
    "InputError",
    "InputKind",
    "InvalidIdentifier",
    "Keep",
    "KeyCount",
    "KeySet",
    "Known",
    "Level",
    "Limits",
    "Location",
    "MergeStep",
    "Message",
    "Namespace",
    "NamespaceKind",
    "Notice",
    "OnError",
    "OnEvent",
    "Options",
    "OutputError",
    "PathFilter",
    "PluginError",
    "ProcessError",
    "Profile",
    "ReadingOptions",
    "Reason",
    "Record",
    "RedactedPart",
    "Rejection",
    "RowCounts",
    "Scanner",
    "Scheme",
    "Store",
    "StoreEntry",
    "StoreError",
    "Tally",
    "TextSource",
    "UnexpectedInputError",
    "UrisieveError",
    "Urn",
    "UsageError",
    "Warn",
    "__version__",
    "aextract",
    "asieve",
    "check",
    "check_key_signature",
    "check_rows",
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
    "is_valid",
    "key",
    "key_signature",
    "new_secret",
    "normalize",
    "normalize_reference",
    "parse",
    "read_records",
    "redact",
    "registrable_domain",
    "resolve",
    "sieve",
    "sieve_blocks",
    "sieve_documents",
    "sieve_files",
    "sieve_into",
    "template_of",
    "to_iri",
    "to_uri",
    "unwrap",
    "write_records",
]
_HOME: dict[str, str]
_MODULES: tuple[str, ...]
