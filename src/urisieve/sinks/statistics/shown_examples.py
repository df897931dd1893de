"""Examples of identifiers as statistics show them: without passwords and redacted parts, and of bounded length."""

from __future__ import annotations

from collections.abc import Iterable

from urisieve.lean.hints import TYPE_CHECKING, Final
from urisieve.printable import shortened
from urisieve.records.masking import hides_password, masked_name, masked_raw, masked_text

if TYPE_CHECKING:
    from urisieve.records.rejection import Rejection
    from urisieve.records.views.redacted import RedactedPart

__all__ = ["EXAMPLE_LENGTH", "ShownExamples"]

# The most characters of an example: a report has a hundred of them.
EXAMPLE_LENGTH: Final = 200


class ShownExamples:
    """Makes examples.

    >>> ShownExamples(["query"]).uri("http://joe:pass@a.example/?x")
    'http://joe:***@a.example/?***'

    Args:
        redact: the parts of identifiers that are redacted.

    Raises:
        UsageError: there is no such part.
    """

    def __init__(self, redact: Iterable[RedactedPart | str] = ()) -> None:
        self._redact: frozenset[RedactedPart] = frozenset()
        if redact:
            from urisieve.records.views.redacted import checked_parts

            self._redact = checked_parts(redact)

    def hides(self, raw: str) -> bool:
        """Report whether a raw text may hold something that is not to be shown."""
        return bool(self._redact) or hides_password(raw)

    def raw(self, raw: str, uri: str) -> str:
        """Return the raw text of a URI."""
        masked = masked_raw(raw, uri) if hides_password(uri) or hides_password(raw) else raw
        if self._redact:
            from urisieve.records.views.redacted import redacted_raw, redacted_text

            masked = redacted_raw(masked, redacted_text(masked_text(uri), self._redact), self._redact)
        return shortened(masked, EXAMPLE_LENGTH)

    def uri(self, uri: str) -> str:
        """Return a canonical URI."""
        masked = masked_text(uri)
        if self._redact:
            from urisieve.records.views.redacted import redacted_text

            masked = redacted_text(masked, self._redact)
        return shortened(masked, EXAMPLE_LENGTH)

    def rejected(self, one: Rejection) -> str:
        """Return the text of a rejection."""
        if self._redact:
            from urisieve.records.views.redacted import redacted_with_offset

            raw, _ = redacted_with_offset(one.raw, 0, self._redact)
        else:
            raw = one.masked().raw
        return shortened(raw, EXAMPLE_LENGTH)

    def source(self, source: str | None) -> str | None:
        """Return the name of a source, which may hold the address of a page."""
        if source is None:
            return source
        masked = masked_name(source)
        if self._redact:
            from urisieve.records.views.redacted import redacted_name

            masked = redacted_name(masked, self._redact)
        return masked
