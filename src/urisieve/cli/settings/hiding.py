"""How values leave, as the options of a command say it: `--show-passwords` and `--safe`."""

from __future__ import annotations

from types import SimpleNamespace

from urisieve.cli.settings.arguments import Group
from urisieve.cli.settings.flags import some_names, words_flag
from urisieve.cli.settings.parser import Parser
from urisieve.cli.terminal.reports import mask_messages
from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple
from urisieve.records.mask import Mask
from urisieve.records.masking import hidden_by

if TYPE_CHECKING:
    from urisieve.dedupe.key_store import Store
    from urisieve.explanation import Explanation
    from urisieve.sinks.outputs import Output
    from urisieve.sinks.safe_cells import Cells, SafeCells
    from urisieve.sinks.statistics.statistics import Statistics


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
        from urisieve.sinks.safe_cells import Cells

        return Cells(self.csv_safe)

    def safe(self, output: Output, delimiter: str = ",") -> SafeCells | None:
        """Return what passes the rows of a table on to an output; None if they leave as they are."""
        return self.cells.made(output, delimiter) if self.csv_safe else None

    def idle(self, *, is_table: bool) -> tuple[tuple[str, object], ...]:
        """Return the flags that rows of data sets leave without effect, each with what was given."""
        return (
            ("--safe", self.defang or self.redact),
            ("--safe cells (with --field it needs --input csv or tsv)", self.csv_safe and not is_table),
        )


# The options whose defaults hide something.
HIDING: Final = frozenset(("safe", "redact", "defang"))
# What `--safe` takes: by a word that commands choose it by, the words of the option, with their meanings.
_HIDDEN: Final = "no-"
_SAFE: Final = {
    "defang": {"defang": "identifiers that nobody follows by accident"},
    "cells": {"cells": "with csv and tsv a ' before cells that a spreadsheet would run as formulas"},
    "parts": dict.fromkeys(
        (f"{_HIDDEN}{part}" for part in ("userinfo", "query", "fragment", "path")),
        "`***` instead of these parts of identifiers",
    ),
}


def _parts(text: str) -> list[str]:
    from urisieve.records.redacted import checked_parts

    names = some_names(text, "no part is named")
    checked_parts(names)
    return names


# The options in the place of these words, of the version before.
_OLD: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "defang": ("--defang", {"action": "store_true", "now": "--safe defang"}),
    "cells": ("--csv-safe", {"action": "store_true", "now": "--safe cells"}),
    "parts": (
        "--redact",
        {
            "action": "extend",
            "type": _parts,
            "default": [],
            "metavar": "PART,...",
            "now": f"--safe {_HIDDEN}PART",
        },
    ),
}


def hiding_flags(group: Group, *kinds: str) -> None:
    """Add the flag about how values leave: all that it takes, or what is named of `defang`, `cells` and `parts`."""
    chosen = kinds or tuple(_SAFE)
    words_flag(group, "--safe", {word: meaning for kind in chosen for word, meaning in _SAFE[kind].items()})
    for kind in chosen:
        flag, settings = _OLD[kind]
        group.add_argument(flag, **settings)


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
        (*asked.redact, *(word.removeprefix(_HIDDEN) for word in words if word.startswith(_HIDDEN))),
        getattr(asked, "defang", False) or "defang" in words,
        getattr(asked, "csv_safe", False) or "cells" in words,
    )
    if hiding.csv_safe and not cells and not asked.defaults.isdisjoint(("safe", "csv-safe")):
        hiding = hiding._replace(csv_safe=False)
    if rows and hiding.csv_safe:
        return hiding
    mask_messages(hiding.redact)
    if hiding.redact and hiding.show_passwords:
        parser.error("--safe no-... hides parts of identifiers, --show-passwords shows one: give one of them")
    if hiding.csv_safe and not cells:
        parser.error("--safe cells needs --format csv or tsv")
    return hiding
