"""`urisieve extract`: sources, through the sieve, to a sink."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial

from urisieve.cli.reports import DONE, FAILED, FATAL, masked, say
from urisieve.cli.settings.extract_arguments import ExtractSettings, parse_extract
from urisieve.cli.watched_run import WatchedRun, listed_settings
from urisieve.dedupe.keeping import Keep
from urisieve.lean import TYPE_CHECKING
from urisieve.runs.process import unwound_on_termination
from urisieve.runs.run_steps import SharedSink
from urisieve.sinks.byte_output import Output
from urisieve.sinks.outputs import STANDARD_OUTPUT, check_uses, gathering, open_output
from urisieve.sinks.record_formats import of_kind
from urisieve.sources.tally import FaultMessage, Tally

if TYPE_CHECKING:
    from urisieve.sinks.first_seen import FirstSeenSink
    from urisieve.sinks.kept_record import KeptSink
    from urisieve.sinks.rejections import RejectionLines


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit status.

    Raises:
        OutputError: the output cannot be written; files are as they were.
        InputError: no source could be read, and files are as they were.
    """
    settings = parse_extract(argv)
    listed = settings.files_from
    settings, walked = listed_settings(settings)
    watched = WatchedRun(settings)
    try:
        with unwound_on_termination(), watched.counted_if_interrupted(), ExitStack() as stack:
            unique = _extract(settings, watched, walked, listed, stack)
    except BrokenPipeError:
        return FAILED if watched.run.failed else DONE
    tally = watched.run.tally
    watched.sum_up(unique)
    fatal = settings.fail_on.fatal(tally.rejected, tally.warnings)
    if fatal and not settings.quiet:
        say(f"--fail-on: {', '.join(fatal)}")
    if settings.fail_on.is_asked and not watched.run.failed:
        return FATAL if fatal else DONE
    return watched.status()


def _extract(
    settings: ExtractSettings, watched: WatchedRun, walked: Tally, listed: str | None, stack: ExitStack
) -> str | None:
    """Sieve every source; return in words how many identifiers are unique, None without `--unique`.

    `stack` closes all that is opened, or undoes it.
    """
    written = [("--output", [settings.output])]
    if settings.rejected is not None:
        written.append(("--rejected", [settings.rejected]))
    check_uses(written, (*settings.paths, *settings.list_files), listed=listed)
    output = watched.shown(stack.enter_context(gathering(open_output(settings.output, grows=settings.follow))))
    rejects: Output | None = None
    kind = settings.rejected_format
    if settings.rejected is not None and kind is not None:
        rejects = stack.enter_context(gathering(open_output(settings.rejected, grows=settings.follow)))
        rejects = watched.safe(rejects, of_kind(kind).delimiter)
    formats = settings.formats()
    if rejects is not None and kind is not None:
        from urisieve.sinks.rejections import RejectionLines

        watched.run.on_fault = partial(_write_fault, rejects, RejectionLines(kind, formats.mask))
    sink: SharedSink
    unique: FirstSeenSink | KeptSink | None = None
    if settings.unique:
        if settings.keep is Keep.FIRST:
            from urisieve.dedupe.keyset import KeySet
            from urisieve.sinks.first_seen import FirstSeenSink

            sink = unique = FirstSeenSink(formats, output, KeySet(), rejects)
        else:
            from urisieve.sinks.kept_record import KeptSink

            sink = unique = KeptSink(formats, output, settings.keep, rejects)
        unique.begin()
    else:
        from urisieve.sinks.record_formats import RecordSink

        sink = RecordSink(formats, output, rejects)
    stack.callback(sink.discard)
    watched.run.note(walked)
    if settings.follow:
        watched.follow(stack, sink)
    else:
        watched.into(stack, sink)
    watched.check(keeps=settings.output != STANDARD_OUTPUT or settings.rejected is not None)
    sink.close()
    output._flush()  # before the other file is complete
    return None if unique is None else f"{unique.new:,} unique"


def _write_fault(output: Output, lines: RejectionLines, fault: FaultMessage) -> None:
    """Write a fault of the input among the rejections."""
    output.write(lines.fault(fault, masked(fault)))
