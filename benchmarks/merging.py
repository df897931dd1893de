"""Steps and profiles of merging: their cost and packages that merge links, with the pairs that each gets right."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.grid import Row, grid
from benchmarks.machine import package_version
from benchmarks.markdown import number, table
from benchmarks.measure import figures
from benchmarks.merging_calls import CALLS
from benchmarks.normalization import url_list
from benchmarks.options import BAR, column
from benchmarks.settings import Settings, note
from urisieve.merging import NAMED_STEPS, PROFILES

__all__ = ["report"]

_KINDS = ("urls", "access")
_THREE = "drop-fragment,sort-query,drop-tracking"
_OWN = "--drop-params ref,tag*@a.example"


def report(settings: Settings) -> Iterator[str]:
    """Two tables: what steps and profiles cost; other packages."""
    options = [f"--merge {name}" for name in (*filter(lambda name: name != "rfc", PROFILES), *NAMED_STEPS, _THREE)]
    options.append(_OWN)
    columns = (column(settings, kind) for kind in settings.kinds or _KINDS)
    yield grid(settings, "Profiles and steps of merging", "option", [Row(one, BAR) for one in options], columns)
    path = url_list(settings)
    count = path.read_bytes().count(b"\n")
    note(f"merging of {count:,} distinct URLs")
    measured = figures("merging_calls", str(path), str(settings.runs))
    rows = []
    for call in CALLS:
        if call.text in measured:
            one = measured[call.text]
            rows.append(
                [
                    f"{call.package} {package_version(call.package)}",
                    f"`{call.text}`",
                    number(one["us"]),
                    number(one["to plain"]),
                    f"{one['merged']} of {one['must']}",
                    f"{one['kept']} of {one['apart']}",
                ]
            )
    yield (
        f"Keys of {count:,} distinct URLs in one process, in turns, by processor time; how many of the pairs that "
        "people asked for have one key, by whatever steps, and how many of those that must never merge have two:\n\n"
        + table(["package", "call", "us/URL", "its time / plain `key`", "merged", "kept apart"], rows, left=2)
    )
