"""What was probably meant by the name of a path or of a scheme that is nowhere."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice

from urisieve.nearest import did_you_mean
from urisieve.options import Options, listed_schemes
from urisieve.sources.bytes.reading import STANDARD_INPUT

__all__ = ["path_hint", "scheme_hints"]

# Names in a folder that are looked at.
_MOST = 10_000


def path_hint(path: str) -> str:
    """For a path that does not exist the end of a message: the name in its folder that is nearest, if any is near."""
    if path == STANDARD_INPUT or "\0" in path or os.path.lexists(path):
        return ""
    folder, name = os.path.split(path)
    try:
        with os.scandir(folder or os.curdir) as entries:
            names = [entry.name for entry in islice(entries, _MOST)]
    except OSError:
        return ""
    return did_you_mean(path, [os.path.join(folder, other) for other in names]) if name else ""


def scheme_hints(options: Options) -> Iterator[str]:
    """A line for each scheme that was named and that nobody knows: it may be one's own, or an error of writing."""
    named = {*(listed_schemes(options) or ()), *map(str, options.exclude_schemes)}
    if not named:
        return
    from urisieve.rules.registry.registered_schemes import SCHEMES
    from urisieve.rules.scheme_table import described

    known = {*SCHEMES, *described(), *map(str, options.known_schemes)}
    for name in sorted(named - known):
        near = did_you_mean(name, known)
        yield f"no scheme {name!r} is known (--known-schemes {name} says that it is one){near}"
