"""The keys of rows, made in this process or by several others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack

from urisieve.data_sets.row_settings import RowSettings
from urisieve.dedupe.row_keys import RowFields, RowKeys
from urisieve.lean.hints import TYPE_CHECKING
from urisieve.options import DEFAULT_OPTIONS, Options
from urisieve.records.masking import password_token
from urisieve.records.record import Record
from urisieve.runs.file_parts import seekable

if TYPE_CHECKING:
    from urisieve.runs.workers import Work, Workers

__all__ = ["MadeKeys"]

# How keys are made: the options, the part of an identifier that decides, and the secret that masks passwords.
_Making = tuple[Options, str, bytes | None]
# The keys of some rows, and how many have none, by reason.
_Made = tuple[list[str | None], Counter[str]]


class MadeKeys:
    """Makes the keys of rows that are read one after the other.

    Args:
        settings: the settings of the run.
        secret: masks passwords in keys that are kept; None to leave them.
        stack: ends the processes.

    Raises:
        UsageError: a setting is not a choice, or cannot be given to other processes.
    """

    def __init__(self, settings: RowSettings, secret: bytes | None, stack: ExitStack) -> None:
        self._making = (settings.options or DEFAULT_OPTIONS, settings.by, secret)
        self._jobs = settings.jobs
        self._stack = stack
        self._workers: Workers[RowFields, _Made] | None = None
        self.keys = _row_keys(self._making)
        """Makes keys in this process; it counts the rows without one for all."""
        if self._jobs > 1:
            from urisieve.runs.workers import check_can_travel

            check_can_travel(self._making[0])

    def of(self, path: str, fields: Iterable[RowFields]) -> Iterator[list[str | None]]:
        """Yield the keys of the rows of a file, some at a time; those of a pipe are not read ahead.

        Raises:
            ProcessError: a process cannot be started, or has ended without being asked to.
        """
        if self._jobs == 1 or seekable(path) is None:
            yield from map(self.keys.of, fields)
            return
        if self._workers is None:
            from urisieve.runs.workers import Workers, start_method

            self._workers = self._stack.enter_context(
                Workers(self._jobs, _key_work, self._making, method=start_method())
            )
        for keys, unmatched in self._workers.map(fields):
            self.keys.unmatched.update(unmatched)
            yield keys


def _row_keys(making: _Making) -> RowKeys:
    options, by, secret = making
    return RowKeys(options, by, None if secret is None else _masked_by(secret))


def _masked_by(secret: bytes) -> Callable[[Record], Record]:
    token = password_token(secret)
    return lambda record: record.masked(token)


def _key_work(making: _Making) -> Work[RowFields, _Made]:
    keys = _row_keys(making)

    def work(fields: RowFields) -> Iterator[_Made]:
        made = keys.of(fields)
        unmatched, keys.unmatched = keys.unmatched, Counter()
        yield made, unmatched

    return work
