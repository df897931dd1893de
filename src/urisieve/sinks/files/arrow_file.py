"""An output with the interface of files that pyarrow expects."""

from __future__ import annotations

from urisieve.lean.hints import Any
from urisieve.sinks.files.outputs import Output

__all__ = ["ArrowFile"]


class ArrowFile:
    """An output with the interface of files that pyarrow expects."""

    closed = False

    def __init__(self, output: Output) -> None:
        self._output = output
        self._size = 0

    def write(self, data: Any) -> int:
        """Write bytes or a buffer, and return their number."""
        data = bytes(data)
        self._output.write(data)
        self._size += len(data)
        return len(data)

    def tell(self) -> int:
        """Return the number of bytes written."""
        return self._size

    def writable(self) -> bool:
        """Return True."""
        return True

    def flush(self) -> None:
        """Do nothing: no bytes are buffered here."""

    def close(self) -> None:
        """End the file; the output stays open."""
        self.closed = True
