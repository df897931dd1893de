"""urisieve: find every URI, IRI and URN in a stream of text, validate, normalize and record it.

>>> import urisieve
>>> [record.uri for record in urisieve.extract("See HTTP://EXAMPLE.com:80/%7Ejoe, or <urn:isbn:0-395-36341-1>.")]
['http://example.com/~joe', 'urn:isbn:0395363411']
>>> urisieve.is_valid("http://example.com/100%zz"), urisieve.key("HTTP://example.com")
(False, 'http://example.com/')

Where to begin:

- one text: `extract`, `sieve` (with what is rejected), `has_identifier`; many texts: `extract_each`; named ones:
  `extract_documents`;
- files, folders, archives and mail: `extract_files`; bytes: `extract_blocks`; a page of HTML: `extract_html`; for
  large inputs `extract_batches`;
- the same text with its identifiers replaced: `sub`; without passwords: `mask`, and `urisieve.logs` for log messages;
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
    "data_sets.checked_rows": "check_rows",
    "data_sets.row_run": "deduplicate_rows",
    "dedupe.deduplicate": "deduplicate",
    "dedupe.key_store": "Store",
    "dedupe.keyset": "KeySet",
    "dedupe.known": "Known",
    "errors": "InputError OutputError StoreError UrisieveError UsageError",
    "explanation": "explain",
    "files": "extract_batches extract_blocks extract_files extract_html sieve_blocks sieve_files sieve_into",
    "find.searches": "Scanner",
    "finding_options": "Options",
    "identifiers": "check equivalent is_valid key normalize normalize_reference parse resolve to_iri to_uri unwrap",
    "judge.templates": "template_of",
    "merging": "Profile",
    "records.batch": "Batch",
    "records.filtering": "Filter",
    "records.masking": "new_secret",
    "records.record": "Record",
    "records.redacted": "redact",
    "records.rejection": "InvalidIdentifierError Rejection",
    "rewriting.replacing": "mask sub",
    "rules.registry": "registrable_domain",
    "rules.scheme_table": "Namespace Scheme",
    "sinks.record_files": "read_records write_records",
    "sources.reading_options": "ReadingOptions",
    "sources.tally": "Tally",
    "streams": "aextract asieve extract extract_documents extract_each has_identifier sieve sieve_documents",
    "syntax.defanging": "defang",
}
_MODULES = (
    *("arrow", "codes", "dedupe", "duckdb", "errors", "explanation", "logs"),
    *("options", "sinks", "spark", "sqlite", "testing", "types"),
)

__all__ = ["__version__"]
__all__ += [name for names in _HOME.values() for name in names.split()]
__getattr__, __dir__ = lazy_names(__name__, _HOME, _MODULES)
