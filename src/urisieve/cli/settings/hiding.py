"""How values leave, as the options of a command say it: `--show-passwords`, `--redact`, `--defang`, `--csv-safe`."""

from __future__ import annotations

from types import SimpleNamespace

from urisieve.cli.settings.flags import checked, names_of
from urisieve.cli.settings.parser import Group, Parser
from urisieve.cli.terminal.reports import mask_messages
from urisieve.errors import UsageError
from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple
from urisieve.records.mask import Mask
from urisieve.sinks.formats import hidden_by

if TYPE_CHECKING:
    from urisieve.dedupe.key_store import Store
    from urisieve.explanation import Explanation
    from urisieve.sinks.files.outputs import Output
    from urisieve.sinks.files.safe_cells import Cells, SafeCells
    from urisieve.sinks.statistics.statistics import Statistics

__all__ = ["Hiding", "chosen_hiding", "hiding_flags"]


class Hiding(NamedTuple):
    """How values leave; of its options the other modules of the command know nothing."""

    show_passwords: bool = False
    redact: tuple[str, ...] = ()
    defang: bool = False
    csv_safe: bool = False

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
        more = (self.redact, self.csv_safe)
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
        from urisieve.sinks.files.safe_cells import Cells

        return Cells(self.csv_safe)

    def safe(self, output: Output, delimiter: str = ",") -> SafeCells | None:
        """Return what passes the rows of a table on to an output; None if they leave as they are."""
        return self.cells.made(output, delimiter) if self.csv_safe else None

    def idle(self, *, is_table: bool) -> tuple[tuple[str, object], ...]:
        """Return the flags that rows of data sets leave without effect, each with what was given."""
        return (
            ("--defang", self.defang),
            ("--redact", self.redact),
            ("--csv-safe (with --field it needs --input csv or tsv)", self.csv_safe and not is_table),
        )


def hiding_flags(group: Group, *flags: str) -> None:
    """Add flags about how values leave: `--defang`, `--redact` and `--csv-safe`, or those that are named."""
    for flag, kinds in _FLAGS.items():
        if not flags or flag in flags:
            group.add_argument(flag, **kinds)


def _parts(text: str) -> list[str]:
    from urisieve.records.redacted import checked_parts

    names = names_of(text)
    if not names:
        raise UsageError("no part is named")
    checked_parts(names)
    return names


_FLAGS: Final[dict[str, dict[str, Any]]] = {
    "--defang": {"action": "store_true", "help": "write identifiers so that nobody follows them by accident"},
    "--redact": {
        "action": "extend",
        "type": checked(_parts),
        "default": [],
        "metavar": "PART,...",
        "words": lambda: ("userinfo", "query", "fragment", "path"),
        "help": "write `***` instead of these parts of identifiers: userinfo, query, fragment, path; repeatable",
    },
    "--csv-safe": {
        "action": "store_true",
        "help": "with csv and tsv: put a ' before cells that a spreadsheet would run as formulas",
    },
}


def chosen_hiding(parser: Parser, asked: SimpleNamespace, *, rows: bool = False) -> Hiding:
    """Return how values leave, messages included; leaves by SystemExit if flags about it have no effect.

    Args:
        parser: reports what is wrong.
        asked: what was asked for.
        rows: whether rows of data sets are written, which have the format of `--input`.
    """
    hiding = Hiding(
        getattr(asked, "show_passwords", False),
        tuple(asked.redact),
        getattr(asked, "defang", False),
        getattr(asked, "csv_safe", False),
    )
    if rows and hiding.csv_safe:
        return hiding
    mask_messages(hiding.redact)
    if hiding.redact and hiding.show_passwords:
        parser.error("--redact hides parts of identifiers, --show-passwords shows one: give one of them")
    if hiding.csv_safe and str(asked.format) not in ("csv", "tsv"):
        parser.error("--csv-safe is for cells: it needs --format csv or tsv")
    return hiding
