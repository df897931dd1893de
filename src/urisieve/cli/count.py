"""`urisieve count`: sources, through the sieve, to how often each identifier comes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from urisieve.cli.settings.count_arguments import CountSettings, parse_count
from urisieve.cli.watched_run import WatchedRun, listed_settings
from urisieve.dedupe.keyset import budget
from urisieve.lean import Final
from urisieve.runs.termination import unwound_on_termination
from urisieve.sinks.counts.count_sink import CountSink
from urisieve.sinks.files.outputs import STANDARD_OUTPUT, check_uses, open_output
from urisieve.sinks.formats import FormatSettings
from urisieve.sinks.record_formats import record_format

__all__ = ["count", "run"]

_FOUND: Final = 0
_NOTHING_FOUND: Final = 1
_FAILED: Final = 2


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit status; see `count`."""
    return count(parse_count(argv))


def count(settings: CountSettings) -> int:
    """Count, write the counts, and return the exit status.

    It is 0 if the sources hold an identifier; 1 if they hold none; 2 if something could not be read.

    Raises:
        UsageError: files or values do not go together.
        OutputError: the output, or a temporary file, cannot be written.
        InputError: no source could be read, and files are as they were.
    """
    listed = settings.extract.files_from
    extract, walked = listed_settings(settings.extract)
    check_uses([("--output", [extract.output])], extract.paths, listed=listed)
    watched = WatchedRun(extract)
    watched.run.note(walked)
    try:
        with unwound_on_termination(), watched.counted_if_interrupted(), ExitStack() as stack:
            output = watched.shown(stack.enter_context(open_output(extract.output)))
            again = bool(settings.held)
            limit = budget(settings.memory_limit)
            sink = CountSink(again=again, limit=limit, folder=settings.temp, **extract.hiding.of_keys())
            stack.callback(sink.discard)
            watched.held_into(stack, sink, settings.held, named=True)
            watched.check(keeps=extract.output != STANDARD_OUTPUT)
            unique = len(sink)
            made = record_format(FormatSettings(extract.format, again=again, **extract.hiding.of_format()))
            made.write_counts(
                sink,
                output,
                settings.min_count,
                settings.sort,
                counts=settings.counts,
                spellings=settings.spellings,
            )
    except BrokenPipeError:
        return _FAILED if watched.run.failed else _FOUND
    watched.sum_up(f"{unique:,} unique")
    if watched.run.failed:
        return _FAILED
    return _FOUND if watched.run.found else _NOTHING_FOUND
