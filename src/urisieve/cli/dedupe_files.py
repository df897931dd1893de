"""The files that a run of `dedupe` writes: its output and its checkpoint."""

from __future__ import annotations

import os

from urisieve.cli.settings.dedupe_arguments import Input
from urisieve.lean import TYPE_CHECKING, replace
from urisieve.sinks.files.outputs import STANDARD_OUTPUT, Output, check_uses, open_output
from urisieve.sinks.files.outputs_in_place import open_added_to, size_of

if TYPE_CHECKING:
    from urisieve.cli.settings.dedupe_arguments import DedupeSettings
    from urisieve.dedupe.checkpoint import Checkpoint

__all__ = ["check_outputs", "checkpoint_of", "command_of", "output_for"]


def output_for(settings: DedupeSettings, checkpoint: Checkpoint | None) -> Output:
    """Open the output of a run as its store and its checkpoint need it.

    Without either, the old file stays until the new one is complete. With a store, only new keys are printed, and are
    added to the file; a run that continues from a checkpoint continues the file.

    Raises:
        OutputError: it cannot be opened.
        UsageError: Parquet was asked for with a store, and the file holds something.
    """
    path = settings.extract.output
    if settings.store is None and checkpoint is None:
        return open_output(path)
    return open_added_to(path, None if checkpoint is None else checkpoint.size, is_whole=settings.writes_parquet)


def checkpoint_of(settings: DedupeSettings) -> Checkpoint:
    """Open the checkpoint of a run.

    Raises:
        StoreError: the store cannot be used.
        OutputError: the file cannot be written.
        UsageError: the state is that of another command, or of other files; or the file is not a checkpoint.
    """
    from urisieve.dedupe.checkpoint import Checkpoint

    assert settings.checkpoint is not None
    extract = settings.extract
    return Checkpoint(
        settings.checkpoint,
        store=settings.store,
        options=extract.options,
        by=settings.by,
        cache=settings.cache,
        command=command_of(settings),
        files=extract.paths,
        size=0 if settings.store is None else size_of(extract.output),
    )


def command_of(settings: DedupeSettings) -> str:
    """Return a digest of all settings that must be the same when a run continues from a checkpoint."""
    from urisieve.dedupe.checkpoint import command_digest

    extract = settings.extract
    shows, changed, more_changed = extract.hiding.of_command()
    kind = "jsonl" if extract.format == "parquet" else extract.format  # as checkpoints have had it from the first
    rest = (
        kind,
        extract.form,
        extract.encoding,
        shows,
        os.path.realpath(extract.output),
    )
    reading = replace(extract.reading, folders=None)  # the files of folders are among the paths
    more = (extract.fields, extract.template, changed, extract.wanted, *more_changed)
    data: tuple[object, ...] = (settings.input, settings.fields, settings.by, settings.unmatched)
    if settings.delimiter:
        data = (*data, settings.delimiter)
    words = [*map(str, data), *(map(str, more) if any(more) else ())]  # without these a checkpoint stays as it was
    return command_digest(extract.options, repr(reading), list(map(str, rest)), words)


def check_outputs(settings: DedupeSettings, listed: str | None = None) -> None:
    """Check that no file has two uses; see `check_uses`.

    An output that replaces its file when it is complete may be an input too if it holds the same kind of content: rows,
    or keys. A mailbox is not replaced by its links.

    Args:
        settings: the settings of the run.
        listed: the file that names the sources.

    Raises:
        UsageError: a file has two uses.
    """
    extract = settings.extract
    written: list[tuple[str, list[str]]] = []
    for use, path in (("--store", settings.store), ("--checkpoint", settings.checkpoint)):
        if path is not None:  # SQLite has files beside its own
            from urisieve.dedupe.store_file import files_beside

            written.append((use, [path, *files_beside(path)]))
    written.append(("--output", [extract.output]))
    if settings.unmatched not in ("keep", "drop"):
        written.append(("--unmatched", [settings.unmatched]))
    is_alike = bool(settings.fields) or (settings.input is Input.KEYS)
    is_whole = settings.store is None and settings.checkpoint is None and extract.output != STANDARD_OUTPUT
    check_uses(written, extract.paths, listed=listed, replaced="--output" if is_alike and is_whole else "")
