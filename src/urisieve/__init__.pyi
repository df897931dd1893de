"""Types of `urisieve`: its public names."""

from urisieve import arrow as arrow
from urisieve import codes as codes
from urisieve import dedupe as dedupe
from urisieve import duckdb as duckdb
from urisieve import errors as errors
from urisieve import explanation as explanation
from urisieve import logs as logs
from urisieve import options as options
from urisieve import sinks as sinks
from urisieve import spark as spark
from urisieve import sqlite as sqlite
from urisieve import testing as testing
from urisieve import types as types
from urisieve._version import __version__
from urisieve.data_sets.checked_rows import check_rows
from urisieve.data_sets.row_run import deduplicate_rows
from urisieve.dedupe.deduplicate import deduplicate
from urisieve.dedupe.key_store import Store
from urisieve.dedupe.keyset import KeySet
from urisieve.dedupe.known import Known
from urisieve.errors import InputError, OutputError, StoreError, UrisieveError, UsageError
from urisieve.explanation import explain
from urisieve.files import (
    extract_batches,
    extract_blocks,
    extract_files,
    extract_html,
    sieve_blocks,
    sieve_files,
    sieve_into,
)
from urisieve.find.searches import Scanner
from urisieve.finding_options import Options
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
from urisieve.merging import Profile
from urisieve.records.batch import Batch
from urisieve.records.filtering import Filter
from urisieve.records.masking import new_secret
from urisieve.records.record import Record
from urisieve.records.redacted import redact
from urisieve.records.rejection import InvalidIdentifierError, Rejection
from urisieve.rewriting.replacing import mask, sub
from urisieve.rules.registry import registrable_domain
from urisieve.rules.scheme_table import Namespace, Scheme
from urisieve.sinks.record_files import read_records, write_records
from urisieve.sources.reading_options import ReadingOptions
from urisieve.sources.tally import Tally
from urisieve.streams import (
    aextract,
    asieve,
    extract,
    extract_documents,
    extract_each,
    has_identifier,
    sieve,
    sieve_documents,
)
from urisieve.syntax.defanging import defang

__all__ = [
    "Batch",
    "Filter",
    "InputError",
    "InvalidIdentifierError",
    "KeySet",
    "Known",
    "Namespace",
    "Options",
    "OutputError",
    "Profile",
    "ReadingOptions",
    "Record",
    "Rejection",
    "Scanner",
    "Scheme",
    "Store",
    "StoreError",
    "Tally",
    "UrisieveError",
    "UsageError",
    "__version__",
    "aextract",
    "asieve",
    "check",
    "check_rows",
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
    "extract_html",
    "has_identifier",
    "is_valid",
    "key",
    "mask",
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
    "sub",
    "template_of",
    "to_iri",
    "to_uri",
    "unwrap",
    "write_records",
]
_HOME: dict[str, str]
_MODULES: tuple[str, ...]
