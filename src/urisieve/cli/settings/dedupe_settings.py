"""The frozen settings of `urisieve dedupe`, and the flags that do not go together."""

from __future__ import annotations

import os
from enum import StrEnum

from urisieve.cli.settings.extract_arguments import ExtractSettings
from urisieve.dedupe.deduplicate import Keep
from urisieve.dedupe.memory_limit import budget
from urisieve.dedupe.signature import By
from urisieve.lean.hints import Final
from urisieve.lean.values import NamedTuple, field_names
from urisieve.options import Options
from urisieve.sinks.counts.count_order import Sort
from urisieve.sinks.files.outputs import STANDARD_OUTPUT
from urisieve.sinks.formats import Form, Format
from urisieve.sources.bytes.reading import STANDARD_INPUT
from urisieve.sources.reading_options import ReadingOptions

__all__ = ["DedupeSettings", "Input", "conflict_of"]


class Input(StrEnum):
    """The kind of the sources."""

    AUTO = "auto"
    """Detected by the first bytes of each, as by `extract`; identifiers are found in it."""
    TEXT = "text"
    MAIL = "mail"
    HTML = "html"
    JSON = "json"
    XML = "xml"
    WARC = "warc"
    JOURNAL = "journal"
    KEYS = "keys"
    """One canonical identifier a line, used unchanged, as `urisieve normalize --form key` prints them."""
    JSONL = "jsonl"
    CSV = "csv"
    TSV = "tsv"
    PARQUET = "parquet"

    @property
    def is_searched(self) -> bool:
        """Whether identifiers are found in it, rather than read from its records."""
        return self not in (Input.KEYS, Input.JSONL, Input.CSV, Input.TSV, Input.PARQUET)


class DedupeSettings(NamedTuple):
    """The settings of `urisieve dedupe`; `extract` holds those that it shares with that command."""

    extract: ExtractSettings
    parquet: bool
    counts: bool
    spellings: int
    min_count: int
    sort: Sort
    duplicates_only: bool
    input: Input
    fields: tuple[str, ...]
    keep: Keep
    by: By
    unmatched: str
    store: str | None
    mark_new: bool
    memory_limit: int | None
    temp: str | None
    checkpoint: str | None

    @property
    def counting(self) -> bool:
        """Whether every appearance of a key has to be known before anything is printed."""
        return (
            self.counts
            or self.spellings > 0
            or self.min_count > 1
            or self.sort is not Sort.FIRST
            or self.duplicates_only
        )

    @property
    def writes_parquet(self) -> bool:
        """Whether the output is Parquet, which can be read only when it is complete."""
        return self.parquet or (bool(self.fields) and self.input is Input.PARQUET)

    @property
    def cache(self) -> int | None:
        """How many bytes of a store are kept in memory; None for the default of `Store`."""
        limit = budget(self.memory_limit)
        return None if limit is None else limit // 4


def conflict_of(settings: DedupeSettings, name: str) -> str | None:
    """Return a message about flags that do not go together; None if all do.

    Args:
        settings: the settings that the flags have led to.
        name: the format that was asked for.
    """
    rows = bool(settings.fields)
    tables = (Input.JSONL, Input.CSV, Input.TSV, Input.PARQUET)
    to_output = settings.extract.output != STANDARD_OUTPUT
    idle = _idle_options(settings)
    checks = (
        (rows and settings.input not in tables, "--field needs --input jsonl, csv, tsv, parquet or journal"),
        (not settings.input.is_searched and settings.extract.reading != _of_folders(settings.extract.reading),
         f"--base, --unescape, --html, --all-parts and --binary do not go with --input {settings.input}"),
        (bool(idle), f"--input {settings.input} takes identifiers as they stand: {idle} does not go with it"),
        (settings.input in (Input.KEYS, Input.PARQUET) and settings.extract.encoding is not None,
         f"--encoding does not go with --input {settings.input}"),
        (settings.store is not None and settings.extract.show_passwords,
         "--show-passwords does not go with --store, which keeps no passwords"),
        (rows and settings.counting, "--field writes rows: --counts and options that need counts do not go with it"),
        (rows and name != Format.TEXT, "--field writes rows as they are: --format does not go with it"),
        (rows and settings.mark_new, "--field writes rows as they are: --mark-new does not go with it"),
        (not rows and settings.keep is not Keep.FIRST, "--keep needs --field"),
        (not rows and settings.by is not By.KEY, "--by needs --field"),
        (not rows and settings.unmatched != "keep", "--unmatched needs --field"),
        (settings.mark_new and settings.store is None, "--mark-new needs --store"),
        (settings.counting and settings.store is not None, "options that need counts do not go with --store"),
        (settings.counting and settings.checkpoint is not None,
         "--checkpoint does not go with options that need counts"),
        (rows and settings.checkpoint is not None and settings.input is Input.PARQUET,
         "--checkpoint does not go with --input parquet"),
        (settings.keep is Keep.LAST and settings.checkpoint is not None, "--checkpoint does not go with --keep last"),
        (settings.parquet and settings.checkpoint is not None, "--checkpoint does not go with --format parquet"),
        (settings.checkpoint is not None and settings.unmatched not in ("keep", "drop"),
         "--checkpoint does not go with --unmatched FILE"),
        (settings.checkpoint is not None and not to_output, "--checkpoint needs --output FILE"),
        (settings.checkpoint is not None and os.path.exists(settings.extract.output)
         and not os.path.isfile(settings.extract.output), "--checkpoint needs an --output that is a regular file"),
        (settings.checkpoint is not None and settings.mark_new, "--checkpoint does not go with --mark-new"),
        (settings.checkpoint is not None and STANDARD_INPUT in settings.extract.paths,
         "--checkpoint needs files: standard input cannot be read again"),
        (settings.input is Input.KEYS and name != Format.TEXT and not settings.counting,
         "--input keys holds no records: --format needs --counts there"),
        (settings.unmatched == settings.extract.output == STANDARD_OUTPUT,
         "--output and --unmatched are both standard output"),
        (rows and settings.extract.form is not Form.URI, "--field writes rows as they are: --form does not go with it"),
        (settings.input is Input.KEYS and settings.extract.form is not Form.URI,
         "--input keys takes keys as they stand: --form does not go with it"),
        (not settings.input.is_searched and settings.extract.jobs not in (None, 1),
         f"--input {settings.input} is read by one process: --jobs does not go with it"),
        (settings.temp is not None and not _is_writable(settings.temp),
         f"--temp {settings.temp}: is not a folder that can be written to"),
        (settings.temp is not None and settings.memory_limit is None and settings.keep is not Keep.LAST,
         "--temp needs --memory-limit: without it nothing goes to disk"),
    )  # fmt: skip
    return next((text for is_wrong, text in checks if is_wrong), None)


# The options on which the keys of a store depend.
_SIGNED: Final = frozenset(["level", "lossy", "urn_syntax"])


def _idle_options(settings: DedupeSettings) -> str:
    """Return the flags about finding and judging that are given although nothing is found or judged."""
    if settings.input.is_searched or settings.fields:
        return ""
    chosen, default = settings.extract.options, Options()
    names = [name for name in field_names(Options) if getattr(chosen, name) != getattr(default, name)]
    if settings.store is not None:
        names = [name for name in names if name not in _SIGNED]
    flags = {"urn_syntax": "--urn"}
    return ", ".join(flags.get(name, f"--{name.replace('_', '-')}") for name in names if name != "charset")


def _of_folders(reading: ReadingOptions) -> ReadingOptions:
    """Return the default, with the same choice of files in folders."""
    return ReadingOptions(folders=reading.folders)


def _is_writable(folder: str) -> bool:
    try:
        return os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)
    except ValueError:  # a null character
        return False
