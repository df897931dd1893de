"""`Output`: bytes that are written, then completed or given up; and an output that changes what it passes on."""

from __future__ import annotations

import os
from contextlib import suppress
from types import TracebackType

from urisieve.errors import OutputError
from urisieve.lean import Final, Self

# The bytes that a gathering output writes at once: the capacity of a pipe on Linux.
_TOGETHER: Final = 65_536


class Output:
    """An output of bytes, unbuffered: `write` passes them on at once.

    As a context manager it is completed at the end, or given up if an exception passes. Then nothing can be written any
    more, and to complete it or to give it up once more does nothing.

    >>> import os, tempfile
    >>> from urisieve.sinks import Output, open_output
    >>> path = os.path.join(tempfile.mkdtemp(), "file")
    >>> output: Output
    >>> with open_output(path) as output:
    ...     output.write(b"whole or not at all")
    ...     os.path.exists(path)
    False
    >>> os.path.getsize(path)
    19
    """

    _gathers = False
    _holds = False  # whether all that is written waits

    def __init__(self, descriptor: int, name: str) -> None:
        self._descriptor = descriptor
        self._name = name
        self._has_ended = False
        self._waiting: list[bytes] = []
        self._waiting_size = 0

    @property
    def _given_up(self) -> str:
        """The fate of the output when it is given up, in words; "" if there is nothing to report."""
        return ""

    def write(self, data: bytes) -> None:
        """Write all of `data`.

        Raises:
            OutputError: the output cannot be written, or was completed or given up.
            BrokenPipeError: the reader of the pipe has gone.
        """
        self._check_open()
        if not self._gathers:
            self._pass_on(data)
            return
        self._waiting.append(data)
        self._waiting_size += len(data)
        if self._waiting_size >= _TOGETHER and not self._holds:
            self._flush()

    def _flush(self) -> None:
        """Write what waits; what cannot be written does not wait any more.

        Raises:
            OutputError: as `write`.
            BrokenPipeError: as `write`.
        """
        waiting, self._waiting, self._waiting_size = self._waiting, [], 0
        if waiting:
            self._pass_on(waiting[0] if len(waiting) == 1 else b"".join(waiting))

    def _pass_on(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._descriptor, view) :]
            except BlockingIOError:  # another program made the shared pipe non-blocking
                from select import select

                select([], [self._descriptor], [])
            except BrokenPipeError:
                raise
            except OSError as error:
                raise self._failure(error) from error

    def complete(self) -> None:
        """Make the output final."""
        if self._has_ended:
            return
        try:
            self._flush()
        except BaseException:
            self.give_up()
            raise
        self._finish()

    def _finish(self) -> None:
        self._ends()

    def give_up(self) -> None:
        """Undo the output as far as possible."""
        with suppress(OSError, OutputError):  # what was decided stays
            self._flush()
        self._ends()

    def _ends(self) -> bool:
        """End the output; return whether it had not ended before.

        The number of its descriptor may belong to another file afterwards.
        """
        had_ended, self._has_ended = self._has_ended, True
        return not had_ended

    def _check_open(self) -> None:
        """Refuse what comes after the end.

        Raises:
            OutputError: the output was completed or given up.
        """
        if self._has_ended:
            raise OutputError(f"{self._name}: nothing more can be written, since the output was completed or given up")

    @property
    def _innermost(self) -> Output:
        """The output that has the file, after those which pass on to others."""
        return self

    def _failure(self, error: OSError) -> OutputError:
        return OutputError(f"{self._name}: {error.strerror or error}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None:
            self.complete()
            return
        if isinstance(error, KeyboardInterrupt) and self._given_up:
            error.add_note(self._given_up)  # for whoever reports it
        self.give_up()


class OutputOnto(Output):
    """Passes on to another output what `write` of the derived class makes of the data.

    Args:
        output: the output that has the file.
    """

    def __init__(self, output: Output) -> None:
        self.output = output

    def complete(self) -> None:
        """See `Output.complete`."""
        self.output.complete()

    def give_up(self) -> None:
        """See `Output.give_up`."""
        self.output.give_up()

    def _flush(self) -> None:
        self.output._flush()

    @property
    def _innermost(self) -> Output:
        return self.output._innermost
