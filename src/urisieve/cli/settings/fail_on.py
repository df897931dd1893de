"""`--fail-on`: the reasons and warnings by which a command fails, for hooks and continuous integration."""

from __future__ import annotations

from urisieve.cli.settings.flags import checked, names_of
from urisieve.cli.settings.parser import Group
from urisieve.codes import FailOn, Reason, Warn
from urisieve.errors import UsageError
from urisieve.lean.hints import Final

__all__ = ["FATAL", "NEVER", "fail_on_flag"]

# The exit status if one of the codes occurs.
FATAL: Final = 3
NEVER: Final = FailOn()


def fail_on_flag(group: Group) -> None:
    """Add the option."""
    group.add_argument(
        "--fail-on",
        action="extend",
        type=checked(_names),
        default=[],
        metavar="CODE,...",
        common="exit status 3 if one of these reasons or warnings comes",
        words=_known,
        help=f"exit status {FATAL} if one of these reasons or warnings comes, else 0 (rejected, warnings, any: all of "
        "them; docs/codes.md is the list); repeatable",
    )


def _known() -> list[str]:
    return [*("rejected", "warnings", "any"), *Reason, *Warn]


def _names(text: str) -> list[str]:
    names = names_of(text)
    FailOn.of(names)  # raises for an unknown one
    if not names:
        raise UsageError("no reason and no warning is named")
    return names
