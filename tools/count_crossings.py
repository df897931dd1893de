"""Count the modules that one command crosses, and the calls between them: how far apart is what works together.

Use: python tools/count_crossings.py [-n NUMBER] COMMAND...
where COMMAND is what stands behind `urisieve`, such as `extract -q samples/mail.mbox`, and NUMBER is how many pairs of
modules are printed, the most frequent first (20).

A crossing is a call of a function of one module of the package by a function of another one; a generator that goes on
is called each time. What runs while a module is loaded does not count, nor does what other processes do: that is what
the first line has besides. What the command writes is dropped.
"""

from __future__ import annotations

import os
import sys
from argparse import REMAINDER, ArgumentParser
from collections import Counter
from types import FrameType
from typing import Final, NamedTuple

_PACKAGE: Final = "urisieve"
_LOADING: Final = "<module>"


class Crossings(NamedTuple):
    """What a command has crossed.

    Attributes:
        pairs: the calls from one module to another one.
        loaded: the number of modules that were loaded.
    """

    pairs: Counter[tuple[str, str]]
    loaded: int

    @property
    def modules(self) -> int:
        """The number of modules that call others, or are called."""
        return len({name for pair in self.pairs for name in pair})


def crossings(arguments: list[str]) -> Crossings:
    """Run the command in this process, which has not loaded the package; its output is dropped."""
    pairs: Counter[tuple[str, str]] = Counter()

    def profiled(frame: FrameType, event: str, _argument: object) -> None:
        caller = frame.f_back
        if event == "call" and caller is not None:
            pair = _module(caller), _module(frame)
            if all(pair) and pair[0] != pair[1] and not _is_loading(caller):
                pairs[pair] += 1

    from urisieve.cli import main

    before = sys.argv
    sys.argv = [_PACKAGE, *arguments]
    output = os.dup(1)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    sys.setprofile(profiled)
    try:
        main()
    finally:
        sys.setprofile(None)
        os.dup2(output, 1)
        os.close(output)
        os.close(nothing)
        sys.argv = before
    return Crossings(pairs, sum(map(_is_own, sys.modules)))


def _is_own(name: str) -> bool:
    return name.partition(".")[0] == _PACKAGE


def _module(frame: FrameType) -> str:
    """Return the name of the module of a frame, without that of the package; "" for one of another package."""
    name = str(frame.f_globals.get("__name__", ""))
    return name.removeprefix(f"{_PACKAGE}.") if _is_own(name) else ""


def _is_loading(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_name == _LOADING and _module(frame):
            return True
        frame = frame.f_back
    return False


def main() -> None:
    """Print the counts and the pairs."""
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-n", type=int, default=20, metavar="NUMBER", help="how many pairs to print (default: 20)")
    parser.add_argument("command", nargs=REMAINDER, help="the command, without its name")
    given = parser.parse_args()
    found = crossings(given.command)
    total = found.pairs.total()
    print(f"{found.modules} modules with {total} crossings; {found.loaded} modules loaded")
    for (caller, called), number in found.pairs.most_common(given.n):
        print(f"{number:>6}  {caller} -> {called}")


if __name__ == "__main__":
    main()
