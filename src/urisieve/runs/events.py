"""Events of a run, for a program that watches it. The engine itself prints nothing."""

from __future__ import annotations

from collections.abc import Callable

from urisieve.lean.hints import TypeAlias
from urisieve.lean.values import NamedTuple

__all__ = ["BytesRead", "Event", "FileFailed", "Message", "OnEvent", "ignore_events"]


class BytesRead(NamedTuple):
    """An event: some of the input has been read, and the sink has taken what was found in it.

    >>> from urisieve import BytesRead, CountSink, sieve_into
    >>> sizes: list[int] = []
    >>> def watch(event):
    ...     if isinstance(event, BytesRead):
    ...         sizes.append(event.size)
    >>> _ = sieve_into(["samples/access.log"], CountSink(), on_event=watch)
    >>> sum(sizes) > 0
    True

    Attributes:
        size: the number of bytes read since the last such event.
    """

    size: int


class Message(NamedTuple):
    """An event: something in the input that has been read was skipped or is broken.

    >>> from urisieve import Message
    >>> Message("a.zip!b.txt: the data ends too early", is_error=True).is_error
    True

    Attributes:
        text: one line for people that begins with the name of the source.
        is_error: whether something could not be read; such a message is shown even where others are not wanted.
    """

    text: str
    is_error: bool = False


class FileFailed(NamedTuple):
    """An event: a file could not be read to its end; what came before is used, and the other files are read.

    >>> from urisieve import CountSink, Event, FileFailed, sieve_into
    >>> events: list[Event] = []
    >>> _ = sieve_into(["no-such-file.txt"], CountSink(), on_event=events.append)
    >>> [event.path for event in events if isinstance(event, FileFailed)]
    ['no-such-file.txt']

    Attributes:
        path: the path of the file, as it was passed or found.
        reason: the reason in one line, without the path.
    """

    path: str
    reason: str


Event: TypeAlias = BytesRead | Message | FileFailed
"""Any event of a run."""
OnEvent: TypeAlias = Callable[[Event], None]
"""Called with each event of a run, in the process of the caller."""


def ignore_events(_event: Event) -> None:
    """Ignore an event."""
