"""The times of lines, found line by line: what `LineHours` and the kernel have to find."""

from __future__ import annotations

from urisieve.sources.hours import CONTINUED
from urisieve.syntax.time_forms import LineTime, time_of_line


def last_time(text: str, place: int) -> LineTime:
    """Return the last time before a place at the beginning of its line, or of one before it that is near."""
    end, line = place, text.rfind("\n", 0, place) + 1
    start = line
    while start - line <= CONTINUED:
        found = time_of_line(text, line)
        if found.match is not None and end >= found.end:
            return found
        if not line or text[line:].startswith("\x1e\n"):
            break
        end, line = line, text.rfind("\n", 0, line - 1) + 1
    return LineTime(None, None, 0)
