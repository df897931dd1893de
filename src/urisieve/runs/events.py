"""Events of a run: what a program that watches it may show. The engine itself prints nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

__all__ = ["BytesRead", "Event", "FileFailed", "Message", "OnEvent", "ignore_events"]


class BytesRead(NamedTuple):
    """Some of the input has been read and dealt with.

    Attributes:
        size: how many bytes since the last such event.
    """

    size: int


class Message(NamedTuple):
    """Something to report about the input that has been read: what was skipped or is broken.

    Attributes:
        text: one line for people, with the name of the source first.
        is_error: whether something could not be read, so that the message matters even where none are wanted.
    """

    text: str
    is_error: bool = False


class FileFailed(NamedTuple):
    """A file could not be read to its end; what came before is used, and the other files are read.

    Attributes:
        path: the file.
        reason: why, without the path.
    """

    path: str
    reason: str


Event: TypeAlias = BytesRead | Message | FileFailed
OnEvent: TypeAlias = Callable[[Event], None]


def ignore_events(_event: Event) -> None:
    """Show nothing."""
