"""Arguments of `urisieve dedupe`, and the frozen settings that they become."""

from __future__ import annotations

import os
from collections.abc import Sequence

from urisieve.cli.settings import extract_arguments, flags, output_arguments
from urisieve.cli.settings.flags import Parser
from urisieve.cli.settings.judging_arguments import idle_options, sieve_flags
from urisieve.dedupe.keeping import Keep
from urisieve.dedupe.keyset import budget
from urisieve.dedupe.signature import By
from urisieve.lean import Final, NamedTuple
from urisieve.sinks.formats import Form
from urisieve.sinks.outputs import STANDARD_OUTPUT
from urisieve.sinks.record_formats import of_kind
from urisieve.sources.bytes.reading import STANDARD_INPUT
from urisieve.sources.reading_options import DataSetKind, InputKind, ReadingOptions

# The kinds of sources: keys, and records of `extract`, are read as they are; in the others identifiers are found.
_HELD: Final = (extract_arguments.KEYS, InputKind.JSONL, InputKind.CSV, InputKind.TSV, DataSetKind.PARQUET)
_TABLES: Final = (InputKind.AUTO, InputKind.CSV, InputKind.TSV)
_INPUTS: Final = (*(kind for kind in InputKind if kind not in _HELD), *_HELD)


class DedupeSettings(NamedTuple):
    """The settings of `urisieve dedupe`; `extract` has those that it shares with that command."""

    extract: extract_arguments.ExtractSettings
    input: str
    fields: tuple[str, ...]
    delimiter: str
    skip_lines: int | None
    keep: Keep
    by: str
    unmatched: str
    store: str | None
    mark_new: bool
    memory_limit: int | None
    checkpoint: str | None

    @property
    def held(self) -> str:
        """The content of the sources instead of text that is searched; see `WatchedRun.held_into`."""
        return "" if self.is_searched else str(self.input)

    @property
    def is_searched(self) -> bool:
        """Whether identifiers are found in the sources, rather than read from their records."""
        return self.input not in _HELD

    @property
    def keeps_keys(self) -> bool:
        """Whether keys are kept in a store."""
        return self.store is not None or self.checkpoint is not None

    @property
    def writes_parquet(self) -> bool:
        """Whether the output is Parquet, which can be read only when it is complete."""
        return of_kind(self.extract.format).is_file or (bool(self.fields) and self.input == DataSetKind.PARQUET)

    @property
    def cache(self) -> int | None:
        """How many bytes of a store are kept in memory; None for the default of `Store`."""
        limit = budget(self.memory_limit)
        return None if limit is None else limit // 4


def conflict_of(settings: DedupeSettings) -> str | None:
    """Return a message about flags that do not go together; None if all do."""
    extract, kind, rows = settings.extract, settings.input, bool(settings.fields)
    of_rows = (*_TABLES, InputKind.JSONL, InputKind.JSON, DataSetKind.PARQUET)
    reading = _reading_options(settings)
    idle = _idle_options(settings)
    of_output = _output_options(settings)
    only_rows = "" if rows else _row_options(settings)
    at_the_end = _known_at_the_end(settings)
    of_tables = _named(("--delimiter", bool(settings.delimiter)), ("--skip-lines", settings.skip_lines is not None))
    checks = (
        (rows and kind not in of_rows,
         f"--field does not go with --input {kind}: rows are of jsonl, json, csv, tsv or parquet"),
        (bool(of_tables) and not (kind == InputKind.AUTO or (rows and kind in _TABLES)),
         f"{of_tables} is for tables: it does not go with --input {kind}{'' if rows else ' without --field'}"),
        ((rows or not settings.is_searched) and bool(reading),
         f"--input {kind} is read as it stands: {reading} does not go with it; leave it out"),
        (not rows and not settings.is_searched and bool(idle),
         f"--input {kind} takes identifiers as they stand: {idle} does not go with it; leave it out"),
        (rows and bool(of_output),
         f"--field writes rows as they are: {of_output} does not go with it; leave it out"),
        (extract.follow and (rows or kind not in (InputKind.AUTO, InputKind.TEXT) or settings.keep is not Keep.FIRST
                             or settings.checkpoint is not None),
         "--follow finds identifiers in text: --field, --input of rows, --keep and --checkpoint do not go with it"),
        (bool(only_rows), f"{only_rows} needs --field: it is about rows of a data set"),
        (settings.store is not None and extract.hiding.show_passwords,
         "--show-passwords does not go with --store, which keeps no passwords: leave one of them out"),
        (extract.form.replaces_keys and settings.keeps_keys,
         f"--form {extract.form} does not go with --store or --checkpoint, which keep keys of identifiers"),
        (not rows and settings.by != By.KEY and settings.keeps_keys,
         f"--by {settings.by} without --field does not go with --store or --checkpoint, which keep keys"),
        (rows and settings.keep.is_by_time,
         f"--keep {settings.keep} is for records, which have a time: rows of --field are kept as first or last"),
        (not rows and settings.keep is not Keep.FIRST and settings.keeps_keys,
         f"--keep {settings.keep} does not go with --store or --checkpoint, which know what is printed already"),
        (settings.keep.is_by_time and kind == extract_arguments.KEYS,
         f"--keep {settings.keep} does not go with --input keys, which have no times"),
        (not rows and settings.keep is not Keep.FIRST and settings.writes_parquet,
         f"--keep {settings.keep} {extract_arguments.NO_KEPT_PARQUET}"),
        (settings.mark_new and settings.store is None,
         "--mark-new needs --store FILE, which knows what earlier runs have printed"),
        (settings.checkpoint is not None and bool(at_the_end),
         f"--checkpoint does not go with {at_the_end}, which cannot be continued: leave one of them out"),
        (settings.checkpoint is not None and not _is_continued(extract.output),
         "--checkpoint needs --output FILE, a regular file, which it continues"),
        (settings.writes_parquet and output_arguments.shows_output(extract.output), output_arguments.NO_PARQUET),
    )  # fmt: skip
    return next((text for is_wrong, text in checks if is_wrong), None)


def _named(*given: tuple[str, object]) -> str:
    """Return the flags that are given."""
    return ", ".join(flag for flag, is_given in given if is_given)


def _shown_options(extract: extract_arguments.ExtractSettings) -> tuple[tuple[str, object], ...]:
    """Return the flags about what is written of a record."""
    template, form = extract.template is not None, extract.form is not Form.URI
    return ("--fields", extract.fields), ("--template", template), ("--form", form)


def _reading_options(settings: DedupeSettings) -> str:
    """Return the flags about reading that are given although nothing is searched."""
    reading, default = settings.extract.reading, ReadingOptions()
    named = {"base": "--base", "unescape": "--unescape", "mail_parts": "--read all-parts", "binary": "--read binary"}
    changed = [(flag, getattr(reading, name) != getattr(default, name)) for name, flag in named.items()]
    is_utf_8 = settings.input in (extract_arguments.KEYS, DataSetKind.PARQUET)
    return _named(*changed, ("--encoding", is_utf_8 and settings.extract.encoding is not None))


def _output_options(settings: DedupeSettings) -> str:
    """Return the flags that are given although rows are written as they are."""
    extract = settings.extract
    return _named(("--format", not of_kind(extract.format).is_text), ("--mark-new", settings.mark_new),
                  *_shown_options(extract), *extract.hiding.idle(is_table=settings.input in _TABLES),
                  ("--only", extract.wanted is not None),
                  ("--color", extract.color is output_arguments.Color.ALWAYS))  # fmt: skip


def _row_options(settings: DedupeSettings) -> str:
    """Return the flags about rows that are given."""
    return _named((f"--by {By.PATH}", settings.by == By.PATH), ("--unmatched", settings.unmatched != "keep"))


def _known_at_the_end(settings: DedupeSettings) -> str:
    """Return what of the run cannot go on where it stopped."""
    return _named(("--input parquet", settings.fields and settings.input == DataSetKind.PARQUET),
                  ("--format parquet", of_kind(settings.extract.format).is_file),
                  ("--keep last", settings.keep is Keep.LAST),
                  ("--unmatched FILE", settings.unmatched not in ("keep", "drop")),
                  ("--mark-new", settings.mark_new),
                  ("standard input", STANDARD_INPUT in settings.extract.paths))  # fmt: skip


def _is_continued(output: str) -> bool:
    """Report whether an output is a file that can be added to."""
    return output != STANDARD_OUTPUT and (not os.path.exists(output) or os.path.isfile(output))


# The options on which the keys of a store depend.
_SIGNED: Final = frozenset(["level", "merge", "urn_syntax"])


def _idle_options(settings: DedupeSettings) -> str:
    """Return the flags about finding and judging that are given although nothing is found or judged.

    Keys have no fields, no warnings and no location either.
    """
    found = [idle_options(settings.extract.options, but=() if settings.store is None else _SIGNED)]
    if settings.input == extract_arguments.KEYS:
        given = ("--by", settings.by != By.KEY), ("--format", not of_kind(settings.extract.format).is_text)
        found.append(_named(*_shown_options(settings.extract), *given))
        found.append(output_arguments.unmet_by_keys(settings.extract.wanted))
    return ", ".join(filter(None, found))


def parse_dedupe(argv: Sequence[str]) -> DedupeSettings:
    """Return the settings of `urisieve dedupe`; leaves by SystemExit on a usage error and for `--help`."""
    parser = flags.command_parser(
        "dedupe", "Print each identifier once, or the rows of a data set that hold a new one."
    )
    extract_arguments.path_arguments(parser)
    _input(parser)
    _output(parser)
    _modes(parser)
    _state(parser)
    sieve_flags(parser)
    asked = parser.parse_args(argv)
    output_arguments.check_output(parser, asked)
    if asked.follow:
        extract_arguments.check_follow(parser, asked)
    chosen_fields = tuple(asked.field)
    has_cells = asked.input in _TABLES if chosen_fields else of_kind(asked.format).delimiter != ""
    hiding = output_arguments.chosen_hiding(parser, asked, cells=has_cells, rows=bool(chosen_fields))
    searched: tuple[str, ...] = ()
    if asked.input == InputKind.JOURNAL:
        searched, chosen_fields = chosen_fields, ()
    kind = str(asked.input) if asked.input not in _HELD and not chosen_fields else InputKind.AUTO
    reading = extract_arguments.reading_options(parser, asked, kind=kind, fields=searched)
    extract = extract_arguments.extract_settings(
        parser, asked, reading, hiding, unique=True, fields=output_arguments.record_fields(asked)
    )
    settings = flags.settings_of(DedupeSettings, asked, extract=extract, fields=chosen_fields)
    if settings.keeps_keys and extract.output != STANDARD_OUTPUT:  # later runs add to that file
        settings = settings._replace(extract=extract._replace(color=output_arguments.Color.NEVER))
    conflict = conflict_of(settings)
    if conflict is not None:
        parser.error(conflict)
    extract_arguments.say_if_nothing_is_named(asked)
    return settings


def _input(parser: Parser) -> None:
    group = extract_arguments.input_group(parser)
    text = (
        "up to marc what to find identifiers in; keys: one a line; the others: records of `extract`; with --field "
        "the rows of any data set, where auto and json count too (default: %(default)s)"
    )
    extract_arguments.input_flag(group, _INPUTS, text)
    extract_arguments.reading_flags(group)
    extract_arguments.follow_flag(group, "")


def _output(parser: Parser) -> None:
    group = parser.add_argument_group("output")
    output_arguments.record_flags(group, "what text output holds; with host, domain or template each of these comes "
                                  "once")  # fmt: skip
    output_arguments.by_flag(group, f"what comes once: the key, or the first with each other part ({By.PATH} is for "
                             "--field)", By.PATH)  # fmt: skip
    kept = f"{extract_arguments.KEPT}; with --field the first or last row (default: %(default)s)"
    flags.choice_flag(group, "--keep", Keep, Keep.FIRST, kept)
    output_arguments.hiding_flags(group)
    output_arguments.color_flag(group)
    flags.output_flag(group, "; with --store what is new is added to it")
    flags.passwords_flag(group)
    flags.run_flags(group)


def _modes(parser: Parser) -> None:
    """Add the options of each way to deduplicate: those of a group go together, and not with those of another."""
    store = parser.add_argument_group("what is new", "Identifiers that no earlier run has printed.")
    store.add_argument("--store", metavar="FILE", common="keep the keys there: only what no earlier run has printed",
                       help="keep the keys there: only identifiers that no earlier run has printed come out; goes "
                       "with --field too")  # fmt: skip
    store.add_argument("--mark-new", action="store_true", help="with --store: print all, and whether each is new")
    rows = parser.add_argument_group(
        "rows of data sets",
        "Whole rows of JSON lines, a JSON array, CSV, TSV or Parquet as they stand; not with --format, --form and "
        "--mark-new.",
    )
    rows.add_argument("--field", action="append", default=[], metavar="NAME",
                      common="rows of data sets, by the identifier in this field",
                      help="the field that holds identifiers: a name or path (`a.b[].c`), of a table the name or "
                      "number of a column; repeatable; with --input journal the field to search in")  # fmt: skip
    flags.table_flags(rows)
    rows.add_argument("--unmatched", default="keep", metavar="keep|drop|FILE", help="rows whose field holds no valid "
                      "identifier: with the others, nowhere, or to FILE (default: %(default)s)")  # fmt: skip


def _state(parser: Parser) -> None:
    group = flags.memory_flags(parser, common="as 500MB: what does not fit goes to disk")
    group.add_argument("--checkpoint", metavar="FILE", help="note there how far the work is; after a crash the same "
                       "command goes on from there (needs --output)")  # fmt: skip
