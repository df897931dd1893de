"""Flags about lists of what is known, and the conditions of a filter that they become."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

from urisieve.cli.settings.arguments import Group
from urisieve.cli.settings.parser import Parser
from urisieve.lean import TYPE_CHECKING, NamedTuple, replace
from urisieve.options import Options
from urisieve.sources.bytes.reading import STANDARD_INPUT

if TYPE_CHECKING:
    from urisieve.known import Known
    from urisieve.records.filtering import Filter


class ListSettings(NamedTuple):
    """The lists that a command was given.

    Attributes:
        known: the files one of which has to hold an identifier.
        unknown: the files none of which may hold it.
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
        from urisieve.known import Known
        from urisieve.records.filtering import Filter

        said: list[str] = []
        rejected = 0

        def read(flag: str, paths: Sequence[str]) -> Known | None:
            nonlocal rejected
            if not paths:
                return None
            known = Known.read(paths, subdomains=self.subdomains, options=options)
            rejected += known.rejected
            if known.rejected:
                more = f"; {known.rejected:,} such lines are left out" if known.rejected > 1 else "; it is left out"
                said.append(f"{flag}: {known.first_rejected}{more}")
            if not known:
                said.append(f"{flag}: {', '.join(paths)} holds no link and no host")
            return known

        known, unknown = read("--known", self.known), read("--unknown", self.unknown)
        return replace(Filter() if wanted is None else wanted, known=known, unknown=unknown), said, rejected


def list_flags(group: Group) -> None:
    """Add the flags about lists."""
    holds = "a list of links, keys, hosts or domains, one a line, or as a table or JSON lines, compressed or not"
    group.add_argument(
        "--known",
        action="append",
        default=[],
        metavar="FILE",
        common="only what is in a list of links, hosts or domains",
        help=f"only what is in FILE, {holds}; repeatable: in one of them",
    )
    group.add_argument(
        "--unknown",
        action="append",
        default=[],
        metavar="FILE",
        common="only what is not in such a list",
        help="only what is not in FILE; repeatable: in none of them",
    )
    group.add_argument(
        "--subdomains", action="store_true", help="hosts of these lists cover the hosts below them, as `*.` does"
    )


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
