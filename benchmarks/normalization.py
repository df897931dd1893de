"""Our normalization of single URLs beside that of other packages: time, and whether the answers are right."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.commands import PATTERN
from benchmarks.equivalences import PAIRS
from benchmarks.machine import package_version
from benchmarks.markdown import number, table
from benchmarks.measure import figures, median, run
from benchmarks.normalizers import CAN_ADA, NORMALIZERS, OUR_CALLS, OURS, YARL
from benchmarks.settings import Settings, note

__all__ = ["report", "url_list"]

_URLS = 50_000
_READ = 16 << 20
_HEAD = ["package", "call", "us/URL", "its time / ours", "refused", "merged", "kept apart"]
_OUR_HEAD = ["call", "us/URL", "/ can-ada", "/ yarl", "pure us/URL", "/ can-ada", "/ yarl"]


def url_list(settings: Settings) -> Path:
    """A list of distinct URLs, one a line: those of the texts given, or made ones."""
    found: dict[bytes, None] = {}
    pattern = re.compile(PATTERN.encode())
    paths = settings.inputs or (settings.made("urls", min(settings.size, _READ)).path,)
    for path in paths:
        with path.open("rb") as file:
            found |= dict.fromkeys(pattern.findall(file.read(_READ)))
    path = settings.folder / "distinct-urls.txt"
    path.write_bytes(b"".join(b"%b\n" % url for url in list(found)[:_URLS]))
    return path


def report(settings: Settings) -> Iterator[str]:
    """One table, a row a package."""
    path = url_list(settings)
    count = path.read_bytes().count(b"\n")
    if not count:
        yield "No URL to normalize."
        return
    note(f"normalization of {count:,} distinct URLs")
    measured = figures("normalizers", str(path), str(settings.runs))
    pure = figures("normalizers", str(path), str(settings.runs), pure=True)
    command = [sys.executable, "-m", "urisieve", "normalize", "--quiet"]
    whole = median([run(command, stdin=path) for _ in range(settings.runs)])
    must = sum(pair.same for pair in PAIRS)
    rows = []
    for package, call, *_ in NORMALIZERS:
        if call not in measured:
            continue
        one = measured[call]
        rows.append(
            [
                f"{package} {package_version(package)}",
                f"`{call}`",
                number(one["us"]),
                number(one[f"to {OURS.package}"]),
                f"{one['refused']:,}",
                f"{one['merged']} of {must}",
                f"{one['kept']} of {len(PAIRS) - must}",
            ]
        )
    us = whole.cpu / count * 1e6
    ratio = us / measured[OURS.text]["us"]
    rows.append(["", "`urisieve normalize < list`", number(us), number(ratio), "", "", ""])
    yield (
        f"Normalization of {count:,} distinct URLs in one process, in turns, by processor time; and how many pairs "
        f"of RFC 3986's equivalences each gets right:\n\n{table(_HEAD, rows, left=2)}"
    )
    rows = [[f"`{call.text}`", *_beside(measured[call.text]), *_beside(pure[call.text])] for call in OUR_CALLS]
    yield (
        "Calls of urisieve on single URLs, in the same runs, with the kernel and without it; their time where that of "
        f"`{CAN_ADA.text}` (can-ada, in C++) or of `{YARL.text}` (yarl) is 1:\n\n{table(_OUR_HEAD, rows)}"
    )


def _beside(one: dict[str, float]) -> list[str]:
    return [number(one["us"]), *(number(one.get(f"to {other.package}")) for other in (CAN_ADA, YARL))]
