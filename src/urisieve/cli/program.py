"""The entry point: chooses the command and turns every outcome into an exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

from urisieve.cli.reports import FAILED, Misuse, mask_messages, say
from urisieve.cli.settings.arguments import Command, CommandArguments, CommandLine, Described
from urisieve.errors import UrisieveError
from urisieve.lean import Final
from urisieve.runs.process import keep_freed_memory, left_to_the_end, seldom_collected

# What the completions of shells ask with.
_COMPLETE: Final = "--complete"
_INTERRUPTED: Final = 130  # 128 plus the number of SIGINT, as shells report it
_NO_MEMORY: Final = "there is not enough memory; `dedupe --memory-limit` needs less, and so does `--jobs 1`"


_ONE: Final = "one identifier an argument or a line"
_RULES: Final = "what is known, and upkeep"

COMMANDS: Final[dict[str, Command]] = {
    "extract": Command("extract", "run", "find the identifiers in files or in standard input"),
    "dedupe": Command("dedupe", "run", "print each identifier once, or rows that hold a new one"),
    "count": Command("count_commands", "run_count", "print each identifier with how often it comes, and where"),
    "stats": Command("count_commands", "run_stats", "sum up what files hold: hosts, schemes, rejections, times"),
    "report": Command("count_commands", "run_report", "write the same as one page of HTML, with charts and tables"),
    "rewrite": Command("rewrite", "run", "write files with their links replaced: masked, defanged, canonical"),
    "normalize": Command("texts", "run_normalize", "print the canonical form of identifiers", _ONE),
    "check": Command("texts", "run_check", "say of identifiers whether they are valid, or why not", _ONE),
    "explain": Command("about_rules", "run_explain", "say what identifiers are, and by which rules they change", _ONE),
    "schemes": Command("about_rules", "run_schemes", "list what is known of schemes", _RULES),
    "namespaces": Command("about_rules", "run_namespaces", "list what is known of URN namespaces", _RULES),
    "codes": Command("about_rules", "run_codes", "list the reasons and the warnings", _RULES),
    "store": Command("store", "run", "look after a store of keys that `dedupe --store` has made", _RULES),
    "completion": Command(
        "without_command", "run_completion", "print the completions of a shell: bash, zsh, fish", _RULES
    ),
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
    status = _status_of(lambda: _flushed(_status_of(lambda: _begin(argv))))
    if argv is None:
        left_to_the_end()
    return status


def _begin(argv: Sequence[str] | None) -> int:
    mask_messages(())
    keep_freed_memory()
    with seldom_collected():
        return _dispatch(list(sys.argv[1:] if argv is None else argv))


def _status_of(work: Callable[[], int]) -> int:
    """Return the exit status of some work, and report why it ended early."""
    try:
        return work()
    except SystemExit as leave:
        if isinstance(leave, Misuse):  # else the parser has printed help
            say(leave.message)
        return leave.code if isinstance(leave.code, int) else 0
    except KeyboardInterrupt as interruption:
        first, *rest = getattr(interruption, "__notes__", ()) or ("",)  # what becomes of outputs, and counts
        say(f"interrupted: {first}" if first else "interrupted", *rest)
        return _INTERRUPTED
    except BrokenPipeError:  # the reader of the output has closed it
        return 0
    except UrisieveError as error:
        say(str(error))
    except MemoryError:
        say(_NO_MEMORY)
    return FAILED


def _dispatch(argv: list[str]) -> int:
    if argv and argv[0] in COMMANDS:
        from urisieve.rules.plugins import tell_to

        tell_to(say)
        return _run(COMMANDS[argv[0]], CommandLine(argv[1:], argv[0], accepted))
    if argv[:1] == [_COMPLETE]:
        from urisieve.cli.without_command import offered

        sys.stdout.write("\n".join([*offered(argv[1:], COMMANDS, _described), ""]))
        return 0
    from urisieve.cli.without_command import answer

    return answer(argv, COMMANDS, accepted)


def _run(command: Command, line: CommandLine) -> int:
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
        for line_of_file in line.taken.lines(is_quiet=line.is_quiet):
            say(line_of_file)


def _run_with_defaults(command: Command, line: CommandLine) -> int:
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
    from urisieve.cli.settings.output_arguments import HIDING

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
        names = ", ".join(origins[option] for option in kept)
        raise Misuse(f"{error.message}; {names} holds too, and hides something: --no-config leaves it out")
    raise error


def _discard(descriptor: int) -> None:
    """Write what is left for a descriptor to nowhere: the interpreter flushes once more at its end.

    It would report the error again, and end with the status 120.
    """
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, descriptor)
    os.close(null)


def _flushed(status: int) -> int:
    """Flush the standard streams, so that nothing fails when the interpreter ends; return the exit status."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        _discard(sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            say(f"standard output: {error.strerror}")
            status = FAILED
    try:
        if sys.stderr is not None:
            sys.stderr.flush()
    except OSError:  # that messages cannot be written is not an error
        _discard(sys.stderr.fileno())
    return status
