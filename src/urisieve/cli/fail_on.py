"""`--fail-on`: the reasons and warnings by which a command fails, for hooks and continuous integration."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Final, NamedTuple

from urisieve.codes import Reason, Warn
from urisieve.nearest import did_you_mean

__all__ = ["FATAL", "NEVER", "FailOn", "fail_on_flag"]

# The exit status where one of the codes came.
FATAL: Final = 3
_REASONS: Final = frozenset(map(str, Reason))
_WARNINGS: Final = frozenset(map(str, Warn))
# Words that stand for all codes of a kind.
_ANY: Final = "any"
_REJECTED: Final = "rejected"
_WARNED: Final = "warnings"


class FailOn(NamedTuple):
    """The codes by which a command fails; one that is a reason and a warning stands for both."""

    reasons: frozenset[str] = frozenset()
    warnings: frozenset[str] = frozenset()

    @classmethod
    def of(cls, names: list[str]) -> FailOn:
        """The codes that names and words for all of a kind mean."""
        every = _ANY in names
        return cls(
            _REASONS if every or _REJECTED in names else _REASONS.intersection(names),
            _WARNINGS if every or _WARNED in names else _WARNINGS.intersection(names),
        )

    @property
    def is_asked(self) -> bool:
        """Whether any code makes the command fail."""
        return bool(self.reasons or self.warnings)

    def fatal(self, reasons: Mapping[str, int], warnings: Mapping[str, int]) -> list[str]:
        """The codes among those that came by which the command fails, each with its number, in words."""
        found = [(code, number) for code, number in reasons.items() if code in self.reasons]
        found += [(code, number) for code, number in warnings.items() if code in self.warnings]
        return [f"{code} {number:,}" for code, number in sorted(found)]


NEVER: Final = FailOn()


def fail_on_flag(group: argparse._ArgumentGroup) -> None:
    """Add the option."""
    group.add_argument(
        "--fail-on",
        action="extend",
        type=_names,
        default=[],
        metavar="CODE,...",
        help=f"exit status {FATAL} if one of these reasons or warnings comes, else 0 (rejected, warnings, any: all of "
        "them; docs/codes.md is the list); repeatable",
    )


def _names(text: str) -> list[str]:
    names = [name for part in text.split(",") if (name := part.strip())]
    known = [_REJECTED, _WARNED, _ANY, *sorted(_REASONS | _WARNINGS)]
    for name in names:
        if name not in known:
            near = did_you_mean(name, known)
            raise argparse.ArgumentTypeError(f"there is no reason or warning {name!r}{near}")
    if not names:
        raise argparse.ArgumentTypeError("no reason and no warning is named")
    return names
