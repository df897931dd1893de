"""The entry point: chooses the command and turns every outcome into an exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

from urisieve._version import __version__
from urisieve.cli.terminal.reports import PROGRAM, say
from urisieve.errors import UrisieveError
from urisieve.lean.hints import TYPE_CHECKING, Final
from urisieve.lean.modules import imported
from urisieve.lean.values import NamedTuple
from urisieve.nearest import did_you_mean
from urisieve.runs.collector import left_to_the_end, seldom_collected

if TYPE_CHECKING:
    from urisieve.cli.settings.full_parser import FullParser

__all__ = ["COMMANDS", "main"]

_FAILED: Final = 2
_INTERRUPTED: Final = 130  # 128 plus the number of SIGINT, as shells report it


class _Command(NamedTuple):
    """A command: the module and the function that run it, and its summary; the module is loaded when it is needed."""

    module: str
    function: str
    summary: str

    def run(self, argv: Sequence[str]) -> int:
        """Run the command and return its exit status."""
        function: Callable[[Sequence[str]], int] = getattr(imported(f"urisieve.cli.{self.module}"), self.function)
        return function(argv)


COMMANDS: Final[dict[str, _Command]] = {
    "extract": _Command("extract", "run", "find the identifiers in files or in standard input"),
    "normalize": _Command("texts", "run_normalize", "print the canonical form of identifiers"),
    "check": _Command("texts", "run_check", "say of identifiers whether they are valid, or why not"),
    "dedupe": _Command(
        "dedupe", "run", "print each identifier once, or the rows of a data set that hold one for the first time"
    ),
    "stats": _Command("stats", "run", "count what files hold: hosts, schemes, merged spellings, rejections, times"),
    "report": _Command("report", "run", "write the same as one page of HTML, with charts and tables"),
    "store": _Command("store", "run", "look after a store of keys that `dedupe --store` has made"),
    "explain": _Command("explain", "run", "say what identifiers are, and by which rules they change"),
    "schemes": _Command("rule_tables", "run_schemes", "list what is known of schemes"),
    "namespaces": _Command("rule_tables", "run_namespaces", "list what is known of URN namespaces"),
}

_STATUSES: Final = """\
exit status:
  0  done, and something found (extract, dedupe, stats, report, schemes, namespaces), or all valid (normalize,
     check, explain, store verify)
  1  nothing found (extract, dedupe, stats, report, schemes, namespaces), or something invalid (normalize, check,
     explain, store verify)
  2  an error: it is reported, and the rest is still done
  3  with --fail-on (extract, check): one of the reasons or warnings named came; if none did, 0, whatever was found"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status; an exception that it raises is a bug.

    Args:
        argv: the arguments without the program's name; those of the process for None.
    """
    try:
        with seldom_collected():
            status = _dispatch(list(sys.argv[1:] if argv is None else argv))
    except SystemExit as leave:  # the parser has reported the error
        status = leave.code if isinstance(leave.code, int) else 0
    except KeyboardInterrupt:
        say("interrupted")
        status = _INTERRUPTED
    except BrokenPipeError:  # the reader of the output has closed it
        status = 0
    except UrisieveError as error:
        say(str(error))
        status = _FAILED
    status = _flushed(status)
    if argv is None:
        left_to_the_end()
    return status


def _dispatch(argv: list[str]) -> int:
    if argv and argv[0] in COMMANDS:
        from urisieve.rules.plugins import tell_to

        tell_to(say)
        return COMMANDS[argv[0]].run(argv[1:])
    parser = _parser()
    first = argv[0] if argv else ""
    if first and not first.startswith("-"):
        if os.path.exists(first):
            parser.error(f"{first!r} is not a command; `{PROGRAM} extract {first}` finds what is in that file")
        parser.error(f"{first!r} is not a command{did_you_mean(first, COMMANDS)}")
    parser.parse_args(argv[: argv.index("--")] if "--" in argv else argv)
    others = [word for word in argv if not word.startswith("-")]
    return parser.error(f"{others[0]} must come first" if others else "no command is named")


def _parser() -> FullParser:
    from argparse import SUPPRESS

    from urisieve.cli.settings.full_parser import FullParser
    from urisieve.kernel import way

    commands = "\n".join(f"  {name:<11} {command.summary}" for name, command in COMMANDS.items())
    parser = FullParser(
        prog=PROGRAM,
        usage=f"{PROGRAM} COMMAND [OPTION ...] [ARGUMENT ...]",
        description="Find every URI, IRI and URN in text, validate and normalize it, and give a canonical record.",
        epilog=f"commands:\n{commands}\n\n`{PROGRAM} COMMAND --help` explains a command.\n\n{_STATUSES}",
    )
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__} ({way})")
    parser.add_argument("command", nargs="*", metavar="COMMAND", help=SUPPRESS)
    return parser


def _flushed(status: int) -> int:
    """Flush standard output, so that nothing fails when the interpreter ends; return the exit status."""
    if sys.stdout is None:
        return status
    try:
        sys.stdout.flush()
    except OSError as error:
        _abandon_standard_output()
        if isinstance(error, BrokenPipeError):
            return status
        say(f"standard output: {error.strerror}")
        return _FAILED
    return status


def _abandon_standard_output() -> None:
    # The interpreter flushes once more at its end, and would report the error again.
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
