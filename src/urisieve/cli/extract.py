"""`urisieve extract`: sources, through the scanner, to a sink."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack

from urisieve.cli.arguments import ExtractSettings, parse_extract
from urisieve.cli.collector import seldom_collected
from urisieve.cli.fail_on import FATAL
from urisieve.cli.outputs import STANDARD_OUTPUT, Output, open_output
from urisieve.cli.portion import Portion, Remembered, new_output
from urisieve.cli.portions import Portions
from urisieve.cli.secret import new_secret
from urisieve.cli.sieving import Sieving, SievingSettings, sieving_work
from urisieve.cli.signals import unwound_on_termination
from urisieve.cli.talk import say
from urisieve.cli.uses import check_uses
from urisieve.sources.tally import Tally

__all__ = ["run"]

_FOUND = 0
_NOTHING_FOUND = 1
_FAILED = 2


def run(argv: Sequence[str]) -> int:
    """Run the command and give its exit status.

    Raises:
        OutputError: the output cannot be written; files are as they were.
        InputError: no source could be read, and files are as they were.
    """
    settings = parse_extract(argv)
    portions = Portions(settings)
    try:
        with unwound_on_termination(), seldom_collected(), ExitStack() as stack:
            unique = _Extraction(settings, portions).run(stack)
    except BrokenPipeError:
        return _FAILED if portions.failed else _FOUND
    if not settings.quiet:
        say(portions.counts(unique))
    fatal = settings.fail_on.fatal(portions.reasons, portions.warnings)
    if fatal and not settings.quiet:
        say(f"--fail-on: {', '.join(fatal)}")
    if portions.failed:
        return _FAILED
    if settings.fail_on.is_asked:
        return FATAL if fatal else _FOUND
    return _FOUND if portions.found else _NOTHING_FOUND


class _Extraction:
    """One run over all sources: what it writes to, and what it has seen."""

    def __init__(self, settings: ExtractSettings, portions: Portions) -> None:
        self._settings = settings
        self._portions = portions

    def run(self, stack: ExitStack) -> str | None:
        """Sieve every source; what is opened is closed, or undone, by `stack`.

        With `--unique` it gives how much was unique, in words.
        """
        settings = self._settings
        portions = self._portions
        shares = False
        written = [("--output", [settings.output])]
        if settings.rejected is not None:
            written.append(("--rejected", [settings.rejected]))
        if settings.follow:
            check_uses(written, settings.paths)
        else:
            check_uses(written, portions.find().paths, listed=settings.files_from)
            shares = portions.jobs > 1
        sieving_settings = SievingSettings(settings, new_secret(), shared=shares)
        sieving = Sieving(sieving_settings)
        seen = sieving.seen
        if shares and settings.unique:
            seen = Remembered()  # of all processes
        output = stack.enter_context(open_output(settings.output))
        rejects: Output | None = None
        if settings.rejected is not None:
            rejects = stack.enter_context(open_output(settings.rejected))
        output.write(sieving.header)
        if settings.follow:
            found = portions.others(stack, self._followed(stack, sieving))
        else:
            found = portions.text(stack, sieving, sieving_work, sieving_settings)
        for portion in found:
            data = new_output(portion, seen)
            if data:
                output.write(data)
            if portion.rejects and rejects is not None:
                rejects.write(portion.rejects)
        portions.check(keeps=settings.output != STANDARD_OUTPUT or settings.rejected is not None)
        return None if seen is None else f"{len(seen):,} unique"

    def _followed(self, stack: ExitStack, sieving: Sieving) -> Iterator[Portion]:
        """Portions of files as they grow, until a signal says that it is enough."""
        from urisieve.cli.following import Stop, followed_portions, stopped_by_signals

        stop = Stop()
        stack.callback(stop.close)
        stack.enter_context(stopped_by_signals(stop))
        return followed_portions(sieving, self._settings, stop, Tally())
