"""The entry point: chooses the command and turns every outcome into an exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

from urisieve.cli.settings.arguments import CommandArguments, CommandLine, Described
from urisieve.cli.terminal.reports import FAILED, Misuse, mask_messages, say
from urisieve.errors import UrisieveError
from urisieve.lean import Final, NamedTuple, imported
from urisieve.runs.process import keep_freed_memory, left_to_the_end, seldom_collected

# What the completions of shells ask with.
_COMPLETE: Final = "--complete"
_INTERRUPTED: Final = 130  # 128 plus the number of SIGINT, as shells report it


class _Command(NamedTuple):
    """A command: the module and the function that run it, its summary, and the group in which the help lists it.

    The module is loaded when it is needed.
    """

    module: str
    function: str
    summary: str
    group: str = "files and streams"

    def run(self, argv: Sequence[str]) -> int:
        """Run the command and return its exit status."""
        function: Callable[[Sequence[str]], int] = getattr(imported(f"urisieve.cli.{self.module}"), self.function)
        return function(argv)


_ONE: Final = "one identifier an argument or a line"
_RULES: Final = "what is known of identifiers"
_UPKEEP: Final = "upkeep"

COMMANDS: Final[dict[str, _Command]] = {
    "extract": _Command("extract", "run", "find the identifiers in files or in standard input"),
    "dedupe": _Command("dedupe", "run", "print each identifier once, or rows that hold a new one"),
    "count": _Command("count_commands", "run_count", "print each identifier with how often it comes, and where"),
    "stats": _Command("count_commands", "run_stats", "sum up what files hold: hosts, schemes, rejections, times"),
    "report": _Command("count_commands", "run_report", "write the same as one page of HTML, with charts and tables"),
    "normalize": _Command("texts", "run_normalize", "print the canonical form of identifiers", _ONE),
    "check": _Command("texts", "run_check", "say of identifiers whether they are valid, or why not", _ONE),
    "explain": _Command("about_rules", "run_explain", "say what identifiers are, and by which rules they change", _ONE),
    "schemes": _Command("about_rules", "run_schemes", "list what is known of schemes", _RULES),
    "namespaces": _Command("about_rules", "run_namespaces", "list what is known of URN namespaces", _RULES),
    "store": _Command("store", "run", "look after a store of keys that `dedupe --store` has made", _UPKEEP),
    "completion": _Command("completion", "run", "print the completions of a shell: bash, zsh, fish", _UPKEEP),
}


def accepted() -> dict[str, tuple[CommandArguments, ...]]:
    """Return what each command accepts, with what its actions accept: nothing is run, but all are loaded."""
    found = ((name, _described(name)) for name in COMMANDS)
    return {name: (arguments, *arguments.actions.values()) for name, arguments in found}


def _described(name: str) -> CommandArguments:
    try:
        COMMANDS[name].run(CommandLine((), is_described=True))
    except Described as described:
        return described.arguments
    raise AssertionError(name)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status; an exception that it raises is a bug.

    Args:
        argv: the arguments without the program's name; those of the process for None.
    """
    mask_messages(())
    keep_freed_memory()
    try:
        with seldom_collected():
            status = _dispatch(list(sys.argv[1:] if argv is None else argv))
    except SystemExit as leave:
        if isinstance(leave, Misuse):  # else the parser has printed help
            say(leave.message)
        status = leave.code if isinstance(leave.code, int) else 0
    except KeyboardInterrupt as interruption:
        first, *rest = getattr(interruption, "__notes__", ()) or ("",)  # what becomes of outputs, and counts
        say(f"interrupted: {first}" if first else "interrupted", *rest)
        status = _INTERRUPTED
    except BrokenPipeError:  # the reader of the output has closed it
        status = 0
    except UrisieveError as error:
        say(str(error))
        status = FAILED
    except MemoryError:
        say("there is not enough memory; `dedupe --memory-limit` needs less, and so does `--jobs 1`")
        status = FAILED
    try:
        status = _flushed(status)
    except KeyboardInterrupt:
        say("interrupted")
        status = _INTERRUPTED
    if argv is None:
        left_to_the_end()
    return status


def _dispatch(argv: list[str]) -> int:
    if argv and argv[0] in COMMANDS:
        from urisieve.rules.plugins import tell_to

        tell_to(say)
        return _run(COMMANDS[argv[0]], CommandLine(argv[1:], argv[0], accepted))
    if argv[:1] == [_COMPLETE]:
        from urisieve.cli.completion import offered

        sys.stdout.write("\n".join([*offered(argv[1:], COMMANDS, _described), ""]))
        return 0
    from urisieve.cli.without_command import answer

    return answer(argv, COMMANDS, accepted)


def _run(command: _Command, line: CommandLine) -> int:
    """Run a command, however it ends, and then tell what it took from a file.

    Raises:
        Misuse: the command line itself is not accepted.
    """
    try:
        return _run_with_defaults(command, line)
    except SystemExit:  # nothing was run
        line.taken.clear()
        raise
    finally:
        for told in line.taken.lines(is_quiet=line.is_quiet):
            say(told)


def _run_with_defaults(command: _Command, line: CommandLine) -> int:
    """Run a command; defaults that do not go with what is asked for are left out, and this is reported.

    One that hides something is never left out.

    Raises:
        Misuse: the command line itself is not accepted.
    """
    try:
        return command.run(line)
    except Misuse as misuse:
        error = misuse
        origins = dict(line.used)
        if not origins:
            raise
    from urisieve.cli.settings.hiding import HIDING

    kept = [option for option in origins if option in HIDING]
    others = [option for option in origins if option not in HIDING]
    for left_out in (*([option] for option in others), *([others] if others else ())):
        line.left_out = frozenset(left_out)
        try:
            status = command.run(line)
        except Misuse as misuse:
            error = misuse
            continue
        if not line.is_quiet:
            say(f"{', '.join(origins[option] for option in left_out)}: left out, as it does not go with the rest")
        return status
    if kept:
        said = ", ".join(origins[option] for option in kept)
        raise Misuse(f"{error.message}; {said} holds too, and hides something: --no-config leaves it out")
    raise error


def _flushed(status: int) -> int:
    """Flush standard output, so that nothing fails when the interpreter ends; return the exit status."""
    if sys.stdout is None:
        return status
    try:
        sys.stdout.flush()
    except OSError as error:
        # The interpreter flushes once more at its end, and would report the error again.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
        if isinstance(error, BrokenPipeError):
            return status
        say(f"standard output: {error.strerror}")
        return FAILED
    return status
