"""Flags about output that several commands share: fields, forms, filters, lists, colours, and what is hidden."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from types import SimpleNamespace

from urisieve.cli.reports import mask_messages
from urisieve.cli.settings.arguments import Group
from urisieve.cli.settings.flags import Parser, choice_flag, some_names, words_flag
from urisieve.errors import UsageError
from urisieve.finding_options import Options
from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple, replace
from urisieve.quick_enums import StrEnum
from urisieve.records.mask import Mask
from urisieve.records.masking import hidden_by
from urisieve.sinks.formats import DECIDING, DEFAULT_FORMAT, Form, Format, present_filters
from urisieve.sinks.outputs import STANDARD_OUTPUT
from urisieve.sinks.record_formats import of_kind
from urisieve.sources.bytes.reading import STANDARD_INPUT

if TYPE_CHECKING:
    from urisieve.dedupe.key_store import Store
    from urisieve.dedupe.known import Known
    from urisieve.explanation import Explanation
    from urisieve.records.filtering import Filter
    from urisieve.sinks.byte_output import Output
    from urisieve.sinks.safe_cells import Cells, SafeCells
    from urisieve.sinks.statistics.statistics import Statistics


# Said instead of writing it there.
NO_PARQUET: Final = "a terminal cannot show Parquet: name a file, as in `-o links.parquet`"
# What the short help says of `--format`.
FORMATS: Final = "text, jsonl, csv, tsv or parquet (default: text)"
# The forms of text that commands which write records can be asked for.
_FORMS: Final = (Form.URI, Form.IRI, Form.SURT, Form.RAW, Form.HOST, Form.DOMAIN, Form.TEMPLATE)


class Color(StrEnum):
    """Whether output for users is coloured."""

    AUTO = "auto"
    """Where standard output is a terminal, and reports by FORCE_COLOR; nowhere by NO_COLOR."""
    ALWAYS = "always"
    NEVER = "never"


def is_terminal() -> bool:
    """Report whether standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def is_colored(color: Color, *, is_report: bool = False) -> bool:
    """Report whether output for users is coloured.

    NO_COLOR comes before FORCE_COLOR, as in Python itself; both count unless they are empty (no-color.org,
    force-color.org). FORCE_COLOR is for reports alone: of other output a program may read each line.
    """
    if color is not Color.AUTO:
        return color is Color.ALWAYS
    if os.environ.get("NO_COLOR"):
        return False
    return is_terminal() or (is_report and bool(os.environ.get("FORCE_COLOR")))


def shows_output(path: str) -> bool:
    """Report whether an output is standard output and that a terminal."""
    return path == STANDARD_OUTPUT and is_terminal()


def record_flags(group: Group, form: str, *, common: bool | str = False) -> None:
    """Add the flags about the format, the form and the fields of what is written.

    Args:
        group: takes them.
        form: the help of `--form`.
        common: what the short help says of `--fields`.
    """
    record_format_flag(group, "one identifier a line, or whole records ")
    choice_flag(group, "--form", _FORMS, Form.URI, f"{form} (default: %(default)s)")
    group.add_argument("--fields", action="extend", type=_fields, default=[], metavar="NAME,...", common=common,
                       words=_field_names, help="only these fields of records, in this order (docs/records.md, and "
                       "domain, surt, template); as text by tabs; repeatable")  # fmt: skip
    group.add_argument("--template", type=_template, metavar="TEXT", help="a line of text for each record, with fields "
                       "in braces: `{host}\\t{path}`; {{ and }} for braces")  # fmt: skip


def record_format_flag(group: Group, text: str) -> None:
    """Add `--format` of records; `text` begins its help."""
    more = "(default: %(default)s; parquet needs `urisieve[parquet]`)"
    choice_flag(group, "--format", Format, DEFAULT_FORMAT, f"{text}{more}", short="-f", common=FORMATS)


def record_fields(asked: SimpleNamespace) -> tuple[str, ...]:
    """Return the fields of records that are written; none for all of the schema."""
    if asked.fields or "context" not in asked.read or of_kind(asked.format).is_text:
        return tuple(asked.fields)
    from urisieve.records.field_table import WITH_CONTEXT

    return WITH_CONTEXT


def by_flag(group: Group, text: str, *more: str, common: bool | str = False) -> None:
    """Add `--by`, which chooses what counts once; `more` are further words of it."""
    choice_flag(group, "--by", (*DECIDING, *more), Form.KEY, f"{text} (default: %(default)s)", common=common)


def parts_flag(group: Group) -> None:
    """Add `--parts`."""
    group.add_argument("--parts", action="store_true", help="add named parts, and what was expected instead of a wrong "
                       "check digit")  # fmt: skip


def color_flag(group: Group, *, common: bool = False) -> None:
    """Add `--color`; `common` says whether the short help has it."""
    choice_flag(group, "--color", Color, Color.AUTO, "colours for people; auto is where standard output is a terminal; "
                "NO_COLOR and FORCE_COLOR change that (default: %(default)s)", common=common)  # fmt: skip


# The filters, each with the field of `Filter`, and its help.
_FILTERS: Final = {
    "kind": ("kinds", "uri, iri or urn"),
    "scheme": ("schemes", "a scheme of what was found; --schemes says what is looked for at all"),
    "host": ("hosts", "a host, as `*.example.com`"),
    "domain": ("domains", "hosts, or the domain of an address, that are this name or below it"),
    "path": ("paths", "a path, as `*.pdf`"),
    "warning": ("warnings", "a code (`urisieve codes` lists them; any: with one)"),
    "carrier": ("carriers", "fields of the source, as `*@href` or `!*@title`; text: without one"),
    "source": ("sources", "the name of the file, as `*.eml`, or in another one, as `*!*.pdf`"),
    "from": ("senders", "whom a message is from, as `*@example.com`"),
    "subject": ("subjects", "the subject of a message, as `*invoice*`"),
}


# Those of the fields of `Filter` that need what a text says of itself to be read.
OF_CONTEXT: Final = ("senders", "subjects")


def filter_flags(parser: Parser) -> None:
    """Add the flag that chooses among what was found."""
    group = parser.add_argument_group(
        "filters", "`!` before a word leaves out what it fits. What is left out counts nowhere else."
    )
    meanings = "; ".join(f"{name}: {text}" for name, (_, text) in _FILTERS.items())
    group.add_argument("--only", action="append", type=_filter, default=[], metavar="NAME=WORD,...",
                       words=lambda: [f"{name}=" for name in _FILTERS],
                       help=f"only what fits, as `host=*.example.com,!docs.*`: {meanings}; repeatable")  # fmt: skip
    for name, meaning in (("since", "at or behind this"), ("until", "at or before this")):
        group.add_argument(f"--{name}", type=_bound(name), metavar="TIME", help=f"only what has a time {meaning}: a "
                           "day, a month, a year or a time (UTC unless it says its zone)")  # fmt: skip
    _list_flags(group)


def chosen_filter(asked: SimpleNamespace) -> Filter | None:
    """Return the filter that was asked for; None for none."""
    words: dict[str, Any] = {}
    for field, more in asked.only:
        words.setdefault(field, []).extend(more)
    if not any((*words.values(), asked.since, asked.until)):
        return None
    from urisieve.records.filtering import Filter

    return Filter(**words, since=asked.since, until=asked.until)


def check_output(parser: Parser, asked: SimpleNamespace) -> None:
    """Check that fields, template, form, format and colours go together; leaves by SystemExit."""
    is_text = of_kind(asked.format).is_text
    checks = (
        ("context" in getattr(asked, "read", ()) and is_text and not asked.fields and asked.template is None,
         "--read context adds fields: choose --format jsonl, csv, tsv or parquet, or --fields time,from,uri"),
        (getattr(asked, "parts", False) and is_text and not asked.fields,
         "--parts adds fields to records: choose --format jsonl, csv, tsv or parquet, or --fields uri,parts,notices"),
        (asked.template is not None and not is_text, f"--template is for --format text, not {asked.format}"),
        (asked.template is not None and asked.fields, "--template and --fields both choose fields: give one of them"),
        (asked.form != Form.URI and asked.fields, "--form does not go with --fields: name the form there, as iri"),
        (asked.form != Form.URI and asked.template is not None,
         "--form does not go with --template: name the form there, as {iri}"),
        (asked.form.replaces_keys and not is_text,
         f"--form {asked.form} is for --format text: ask {asked.format} for --fields {asked.form}"),
        (asked.form != Form.URI and not is_text, f"--form is for --format text: {asked.format} has all forms"),
    )  # fmt: skip
    for is_wrong, text in checks:
        if is_wrong:
            parser.error(text)
    check_color(parser, asked)
    check_domains(parser, asked.form, asked.by)
    for index, name in enumerate(asked.fields):
        if name in asked.fields[:index]:
            parser.error(f"--fields: {name} is named twice")


def check_domains(parser: Parser, *forms: Form) -> None:
    """Check that domains are known if one of some forms is that; leaves by SystemExit."""
    try:
        present_filters(*(form for form in forms if form == Form.DOMAIN))
    except UsageError as error:
        parser.error(str(error))


def check_color(parser: Parser, asked: SimpleNamespace) -> None:
    """Check that colours, and a terminal, can show the format; leaves by SystemExit."""
    kind = of_kind(asked.format)
    if not kind.is_text and asked.color == Color.ALWAYS:
        parser.error("--color is for --format text")
    if kind.is_file and shows_output(asked.output):
        parser.error(NO_PARQUET)


def _field_names() -> list[str]:
    from urisieve.records.field_table import FIELDS

    return list(FIELDS)


def _fields(text: str) -> list[str]:
    from urisieve.records.field_table import checked_fields

    return list(checked_fields(some_names(text, "no field is named")))


def _template(text: str) -> str:
    from urisieve.sinks.notations import template_notation

    template_notation(text)
    return text


def _filter(text: str) -> tuple[str, list[str]]:
    """Return the field of `Filter` and its words of an argument of `--only`."""
    name, _, words = text.partition("=")
    if name not in _FILTERS:
        raise UsageError(f"{name!r} is not one of {', '.join(_FILTERS)}, as in host=*.example.com")
    field = _FILTERS[name][0]
    return field, _filter_words(field)(words)


def _bound(name: str) -> Callable[[str], str]:
    """Return the type of the argument of a bound of times."""

    def bound(text: str) -> str:
        from urisieve.records.filtering import Filter

        asked: dict[str, Any] = {name: text}
        return f"{getattr(Filter(**asked), name)}"

    return bound


def _filter_words(name: str) -> Callable[[str], list[str]]:
    """Return the type of the arguments of a filter."""

    def words(text: str) -> list[str]:
        from urisieve.records.filtering import Filter

        found = some_names(text, "nothing is named")
        asked: dict[str, Any] = {name: found}
        Filter(**asked)  # raises for a word that is none
        return found

    return words


def unmet_by_keys(wanted: Filter | None) -> str:
    """Return the filters that no key meets: it has no warnings, no place and no times."""
    if wanted is None:
        return ""
    words = (f"--only {name}" for name in ("warning", "carrier", "source", "from", "subject"))
    given = (*((flag, getattr(wanted, _FILTERS[flag.split()[1]][0])) for flag in words),
             ("--since, --until", wanted.has_bounds))  # fmt: skip
    return ", ".join(flag for flag, is_given in given if is_given)


class ListSettings(NamedTuple):
    """The lists that a command was given.

    Attributes:
        known: the files one of which must contain an identifier.
        unknown: the files none of which may contain it.
        subdomains: whether hosts cover those below them.
    """

    known: tuple[str, ...]
    unknown: tuple[str, ...]
    subdomains: bool

    def added_to(self, wanted: Filter | None, options: Options) -> tuple[Filter, list[str], int]:
        """Read the lists; return a filter with them, warnings about them, and how many lines mean nothing.

        Raises:
            InputError: one of them cannot be read.
        """
        from urisieve.dedupe.known import Known
        from urisieve.records.filtering import Filter

        messages: list[str] = []
        rejected = 0

        def read(flag: str, paths: Sequence[str]) -> Known | None:
            nonlocal rejected
            if not paths:
                return None
            known = Known.read(paths, subdomains=self.subdomains, options=options)
            rejected += known.rejected
            if known.rejected:
                more = f"; {known.rejected:,} such lines are left out" if known.rejected > 1 else "; it is left out"
                messages.append(f"{flag}: {known.first_rejected}{more}")
            if not known:
                messages.append(f"{flag}: {', '.join(paths)} holds no link and no host")
            return known

        known, unknown = read("--known", self.known), read("--unknown", self.unknown)
        return replace(Filter() if wanted is None else wanted, known=known, unknown=unknown), messages, rejected


def _list_flags(group: Group) -> None:
    """Add the flags about lists."""
    holds = (
        "a list of links, keys, hosts or domains, one a line, or as a table or JSON lines, compressed or not, or a "
        "store of earlier runs"
    )
    group.add_argument("--known", action="append", default=[], metavar="FILE",
                       help=f"only what is in FILE, {holds}; repeatable: in one of them")  # fmt: skip
    group.add_argument("--unknown", action="append", default=[], metavar="FILE",
                       help="only what is not in FILE; repeatable: in none of them")  # fmt: skip
    group.add_argument("--subdomains", action="store_true", help="hosts of these lists cover the hosts below them, as "
                       "`*.` does")  # fmt: skip


def chosen_lists(parser: Parser, asked: SimpleNamespace, paths: Sequence[str]) -> ListSettings | None:
    """Return the lists that were asked for, None for none; leaves by SystemExit on a usage error.

    Args:
        parser: reports what does not go together.
        asked: the arguments.
        paths: the files that are searched.
    """
    if not asked.known and not asked.unknown:
        if asked.subdomains:
            parser.error("--subdomains is about hosts of a list: it needs --known or --unknown")
        return None
    if [*asked.known, *asked.unknown, *paths, asked.files_from].count(STANDARD_INPUT) > 1:
        parser.error("standard input can be read once: name a file for --known, --unknown, or for what is searched")
    return ListSettings(tuple(asked.known), tuple(asked.unknown), asked.subdomains)


class Hiding(NamedTuple):
    """How values leave; of its options the other modules of the command know nothing."""

    show_passwords: bool = False
    redact: tuple[str, ...] = ()
    defang: bool = False
    safe_cells: bool = False

    @property
    def mask(self) -> Mask:
        """How values leave a command whose masked passwords are compared with no others."""
        return Mask(**self.of_format())

    def of_format(self, store: Store | None = None) -> dict[str, Any]:
        """Return the settings of `FormatSettings`; with a store, passwords are masked as those in its keys."""
        return {**self.of_keys(store), "defang": self.defang}

    def of_keys(self, store: Store | None = None) -> dict[str, Any]:
        """Return the settings of `CountSink`; with a store as for `of_format`."""
        secret = None if store is None or self.show_passwords else store.secret
        return {"secret": hidden_by(secret, show_passwords=self.show_passwords), "redact": self.redact}

    def of_command(self) -> tuple[bool, bool, tuple[object, ...]]:
        """Return what makes the command of a checkpoint another one; the last only where it is given."""
        more = (self.redact, self.safe_cells)
        return self.show_passwords, self.defang, more if any(more) else ()

    def of_examples(self) -> dict[str, Any]:
        """Return the settings of `StatisticsSink`, whose examples show no passwords in any case."""
        return {"redact": self.redact}

    def statistics(self, statistics: Statistics) -> Statistics:
        """Return statistics as they are shown."""
        return statistics.defanged() if self.defang else statistics

    def explanation(self, explanation: Explanation) -> Explanation:
        """Return an explanation as it is shown."""
        from urisieve.explanation import masked

        return explanation if self.show_passwords else masked(explanation, self.mask)

    @property
    def cells(self) -> Cells:
        """How the cells of tables leave."""
        from urisieve.sinks.safe_cells import Cells

        return Cells(self.safe_cells)

    def safe(self, output: Output, delimiter: str = ",") -> SafeCells | None:
        """Return what passes the rows of a table on to an output; None if they leave as they are."""
        return self.cells.made(output, delimiter) if self.safe_cells else None

    def idle(self, *, is_table: bool) -> tuple[tuple[str, object], ...]:
        """Return the flags that rows of data sets leave without effect, each with what was given."""
        return (
            ("--safe", self.defang or self.redact),
            ("--safe cells (with --field it needs --input csv or tsv)", self.safe_cells and not is_table),
        )


# The options whose defaults hide something.
HIDING: Final = frozenset(("safe",))
# What `--safe` takes: by a word that commands choose it by, the words of the option, with their meanings.
_HIDDEN: Final = "no-"
_SAFE: Final = {
    "defang": {"defang": "identifiers that nobody follows by accident"},
    "cells": {"cells": "with csv and tsv a ' before cells that a spreadsheet would run as formulas"},
    "parts": {
        **dict.fromkeys(
            (f"{_HIDDEN}{part}" for part in ("userinfo", "query", "fragment", "path")),
            "`***` instead of these parts of identifiers",
        ),
        f"{_HIDDEN}secrets": "`***` instead of tokens, keys and the like in identifiers",
    },
}


def hiding_flags(group: Group, *kinds: str) -> None:
    """Add the flag about how values leave: all that it takes, or what is named of `defang`, `cells` and `parts`."""
    chosen = kinds or tuple(_SAFE)
    words_flag(group, "--safe", {word: meaning for kind in chosen for word, meaning in _SAFE[kind].items()})


def chosen_hiding(parser: Parser, asked: SimpleNamespace, *, cells: bool = False, rows: bool = False) -> Hiding:
    """Return how values leave, messages included; leaves by SystemExit if flags about it have no effect.

    A default of `cells` is for those outputs that have cells.

    Args:
        parser: reports what is wrong.
        asked: what was asked for.
        cells: whether the output has cells.
        rows: whether rows of data sets are written, which have the format of `--input`.
    """
    words = asked.safe
    hiding = Hiding(
        getattr(asked, "show_passwords", False),
        tuple(word.removeprefix(_HIDDEN) for word in words if word.startswith(_HIDDEN)),
        "defang" in words,
        "cells" in words,
    )
    if hiding.safe_cells and not cells and "safe" in asked.defaults:
        hiding = hiding._replace(safe_cells=False)
    if rows and hiding.safe_cells:
        return hiding
    mask_messages(hiding.redact)
    if hiding.redact and hiding.show_passwords:
        parser.error("--safe no-... hides parts of identifiers, --show-passwords shows one: give one of them")
    if hiding.safe_cells and not cells:
        parser.error("--safe cells needs --format csv or tsv")
    return hiding
