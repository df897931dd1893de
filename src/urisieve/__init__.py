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
from urisieve.lean import lazy_names

# The modules, and their public names; `__init__.pyi` says the same to type checkers.
_HOME = {
    "codes": "Component Notice Reason Warn",
    "data_sets.checked_rows": "CheckedRow check_rows",
    "data_sets.row_run": "deduplicate_rows",
    "data_sets.row_work": "RowCounts",
    "dedupe.counts": "Appearance KeyCount",
    "dedupe.deduplicate": "Keep deduplicate",
    "dedupe.key_store": "Store StoreEntry",
    "dedupe.keyset": "KeySet",
    "dedupe.known": "Known",
    "dedupe.worker_signature": "check_key_signature key_signature",
    "errors": (
        "BrokenInputError InputError OutputError PluginError ProcessError StoreError UnexpectedInputError"
        " UrisieveError UsageError"
    ),
    "explanation": "Explanation explain",
    "files": (
        "Blocks OnError TextSource extract_batches extract_blocks extract_files sieve_blocks sieve_files sieve_into"
    ),
    "find.scanner": "Scanner",
    "identifiers": "check equivalent is_valid key normalize normalize_reference parse resolve to_iri to_uri unwrap",
    "judge.templates": "template_of",
    "merging": "MergeStep Profile",
    "options": "Level Options",
    "records.base": "Context Location SCHEMA_VERSION",
    "records.batch": "Batch",
    "records.defanging": "defang",
    "records.filtering": "Filter",
    "records.masking": "new_secret",
    "records.record": "Record",
    "records.redacted": "RedactedPart redact",
    "records.rejection": "InvalidIdentifier Rejection",
    "records.urn_parts": "Urn",
    "rules.namespace": "Namespace NamespaceKind",
    "rules.registry": "registrable_domain",
    "rules.scheme_table": "Authority Scheme",
    "runs.events": "BytesRead Event FileFailed Message OnEvent",
    "sinks.formats": "Format",
    "sinks.record_files": "read_records write_records",
    "sinks.statistics.count_sink": "count_keys",
    "sources.containers.folders": "PathFilter",
    "sources.containers.limits": "Limits",
    "sources.reading_options": "Alternatives BinaryFiles Carrier InputKind ReadingOptions",
    "sources.tally": "Tally",
    "streams": "aextract asieve extract extract_documents extract_each sieve sieve_documents",
    "syntax.components": "Components HostKind",
}
_MODULES = ("arrow", "codes", "duckdb", "explanation", "options", "sinks", "spark", "sqlite", "testing")

__all__ = ["__version__"]
__all__ += [name for names in _HOME.values() for name in names.split()]
__getattr__, __dir__ = lazy_names(__name__, _HOME, _MODULES)
