"""The frozen settings of `urisieve dedupe`, and the flags that do not go together."""

from __future__ import annotations

import os
from enum import StrEnum

from urisieve.cli.settings.extract_arguments import ExtractSettings
from urisieve.cli.settings.output_arguments import NO_PARQUET, Color, shows_output
from urisieve.dedupe.deduplicate import Keep
from urisieve.dedupe.memory_limit import budget
from urisieve.dedupe.signature import By
from urisieve.lean.hints import Final
from urisieve.lean.values import NamedTuple, field_names
from urisieve.options import Options
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
    input: Input
    fields: tuple[str, ...]
    delimiter: str
    keep: Keep
    by: By
    unmatched: str
    store: str | None
    mark_new: bool
    memory_limit: int | None
    temp: str | None
    checkpoint: str | None

    @property
    def held(self) -> str:
        """The content of the sources instead of text that is searched; see `WatchedRun.held_into`."""
        return "" if self.input.is_searched else str(self.input)

    @property
    def keeps_keys(self) -> bool:
        """Whether keys are kept in a store."""
        return self.store is not None or self.checkpoint is not None

    @property
    def writes_parquet(self) -> bool:
        """Whether the output is Parquet, which can be read only when it is complete."""
        return self.parquet or (bool(self.fields) and self.input is Input.PARQUET)

    @property
    def cache(self) -> int | None:
        """How many bytes of a store are kept in memory; None for the default of `Store`."""
        limit = budget(self.memory_limit)
        return None if limit is None else limit // 4


def conflict_of(settings: DedupeSettings, name: str, counting: str = "") -> str | None:
    """Return a message about flags that do not go together; None if all do.

    Args:
        settings: the settings that the flags have led to.
        name: the format that was asked for.
        counting: the old options of counts that were given.
    """
    rows = bool(settings.fields)
    tables = (Input.AUTO, Input.CSV, Input.TSV)
    of_rows = (*tables, Input.JSONL, Input.JSON, Input.PARQUET)
    to_output = settings.extract.output != STANDARD_OUTPUT
    idle = _idle_options(settings)
    kind = settings.input
    checks = (
        (bool(counting) and (
            rows or settings.keeps_keys or settings.mark_new or _has_fields(settings.extract)
            or settings.extract.form is not Form.URI
        ), f"{counting}: counts go with none of --field, --store, --checkpoint, --mark-new, --fields and --form"),
        (rows and kind not in of_rows,
         f"--field does not go with --input {kind}: rows are of jsonl, json, csv, tsv or parquet"),
        (bool(settings.delimiter) and not (kind is Input.AUTO or (rows and kind in tables)),
         f"--delimiter is for tables: it does not go with --input {kind}{'' if rows else ' without --field'}"),
        ((rows or not kind.is_searched) and settings.extract.reading != _of_folders(settings.extract.reading),
         f"--base, --unescape, --html, --all-parts and --binary do not go with --input {kind}: leave them out"),
        (bool(idle),
         f"--input {kind} takes identifiers as they stand: {idle} does not go with it; leave it out"),
        (kind in (Input.KEYS, Input.PARQUET) and settings.extract.encoding is not None,
         f"--encoding does not go with --input {kind}, which is always UTF-8: leave it out"),
        (settings.store is not None and settings.extract.show_passwords,
         "--show-passwords does not go with --store, which keeps no passwords: leave one of them out"),
        (rows and name != Format.TEXT, "--field writes rows as they are: --format does not go with it; leave it out"),
        (rows and settings.mark_new, "--field writes rows as they are: --mark-new does not go with it; leave it out"),
        (rows and (_has_fields(settings.extract) or settings.extract.defang),
         "--field writes rows as they are: --fields, --template and --defang do not go with it"),
        (rows and bool(settings.extract.redact),
         "--field writes rows as they are, with all that their cells hold: --redact does not go with it"),
        (rows and settings.extract.csv_safe and kind not in tables,
         "--csv-safe is for cells: with --field it needs --input csv or tsv"),
        (rows and settings.extract.wanted is not None,
         "--field writes rows as they are: filters such as --host do not go with it"),
        (settings.input is Input.KEYS and _has_fields(settings.extract),
         "--input keys holds no records: --fields and --template do not go with it"),
        (settings.extract.form in (Form.HOST, Form.DOMAIN) and settings.keeps_keys,
         f"--form {settings.extract.form} does not go with --store or --checkpoint, which keep keys of identifiers"),
        (not rows and settings.keep is not Keep.FIRST, "--keep needs --field: it chooses among rows of a data set"),
        (not rows and settings.by is not By.KEY, "--by needs --field: it compares rows of a data set"),
        (not rows and settings.unmatched != "keep", "--unmatched needs --field: it is about rows of a data set"),
        (settings.mark_new and settings.store is None,
         "--mark-new needs --store FILE, which knows what earlier runs have printed"),
        (rows and settings.checkpoint is not None and kind is Input.PARQUET,
         "--checkpoint does not go with --input parquet: leave it out, or use JSON lines or CSV"),
        (settings.keep is Keep.LAST and settings.checkpoint is not None,
         "--checkpoint does not go with --keep last, which knows what stays only at the end: leave one of them out"),
        (settings.writes_parquet and shows_output(settings.extract.output), NO_PARQUET),
        (rows and settings.extract.color is Color.ALWAYS,
         "--field writes rows as they are: --color does not go with it; leave it out"),
        (settings.extract.color is Color.ALWAYS and settings.keeps_keys and to_output,
         "--color always does not go with --output and --store or --checkpoint, which add to that file: leave it out"),
        (kind is Input.KEYS and settings.extract.wanted is not None and bool(settings.extract.wanted.warnings),
         "--input keys holds no warnings: --warning does not go with it"),
        (kind is Input.KEYS and settings.extract.wanted is not None and bool(settings.extract.wanted.carriers),
         "--input keys holds no fields of sources: --carrier does not go with it"),
        (settings.parquet and settings.checkpoint is not None,
         "--checkpoint does not go with --format parquet, which is complete only at the end: use another format"),
        (settings.checkpoint is not None and settings.unmatched not in ("keep", "drop"),
         "--checkpoint does not go with --unmatched FILE: use --unmatched keep or drop"),
        (settings.checkpoint is not None and not to_output, "--checkpoint needs --output FILE, which it continues"),
        (settings.checkpoint is not None and os.path.exists(settings.extract.output)
         and not os.path.isfile(settings.extract.output), "--checkpoint needs an --output that is a regular file"),
        (settings.checkpoint is not None and settings.mark_new,
         "--checkpoint does not go with --mark-new: leave one of them out"),
        (settings.checkpoint is not None and STANDARD_INPUT in settings.extract.paths,
         "--checkpoint needs files: standard input cannot be read again"),
        (kind is Input.KEYS and name != Format.TEXT and not counting,
         "--input keys holds no records: --format does not go with it"),
        (settings.unmatched == settings.extract.output == STANDARD_OUTPUT,
         "--output and --unmatched are both standard output: name a file for one of them"),
        (rows and settings.extract.form is not Form.URI,
         "--field writes rows as they are: --form does not go with it; leave it out"),
        (kind is Input.KEYS and settings.extract.form is not Form.URI,
         "--input keys takes keys as they stand: --form does not go with it; leave it out"),
        (rows and kind.is_searched and settings.extract.jobs not in (None, 1),
         "--field reads rows in one process: --jobs does not go with it; leave it out"),
        (not kind.is_searched and settings.extract.jobs not in (None, 1),
         f"--input {kind} is read by one process: --jobs does not go with it; leave it out"),
        (settings.temp is not None and not _is_writable(settings.temp),
         f"--temp {settings.temp}: is not a folder that can be written to"),
        (settings.temp is not None and settings.memory_limit is None and settings.keep is not Keep.LAST,
         "--temp needs --memory-limit: without it nothing goes to disk"),
    )  # fmt: skip
    return next((text for is_wrong, text in checks if is_wrong), None)


def _has_fields(extract: ExtractSettings) -> bool:
    return bool(extract.fields) or extract.template is not None


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
    return ReadingOptions(folders=reading.folders, delimiter=reading.delimiter)


def _is_writable(folder: str) -> bool:
    try:
        return os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)
    except ValueError:  # a null character
        return False
