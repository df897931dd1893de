"""A candidate of which the beginning is known: its scheme, and what stands before it (RFC 3986 Appendix C)."""

from __future__ import annotations

import re

from urisieve.find.finder.candidates import Undecided
from urisieve.find.finder.extent import Syntax
from urisieve.find.pivots import SCHEME_CHARACTERS, URL_BLANK
from urisieve.lean.hints import Final
from urisieve.syntax.characters import SPACES

__all__ = ["LONG_RUN", "WEB", "Begun"]

# An undecided run longer than this is not examined again before a character that can decide it has come.
LONG_RUN: Final = 1_024
# The scheme that names of hosts without one have.
WEB: Final = "http://"


def _url_prefix(text: str, start: int) -> int:
    """Return where a `URL:` before a scheme begins (Appendix C), or the start of the scheme if there is none."""
    before = text[max(0, start - URL_BLANK - 4) : start]
    bare = before.rstrip(SPACES)
    if bare[-4:].lower() != "url:" or (bare[-5:-4] in SCHEME_CHARACTERS and len(bare) > 4):
        return start
    return start - (len(before) - len(bare)) - 4


class Begun:
    """A candidate of which the beginning is known.

    Attributes:
        outside: where it begins, or the `URL:` before it.
        opener: the character before that, or "".
        after: the offset behind the colon of its scheme, or `body` if the scheme is assumed.
        host: where its authority begins, or -1 if it has none.

    Args:
        text: the text around it.
        pivot: the offset at which it was found: the colon of its scheme, as a rule.
        start: where it begins.
        body: the offset behind its scheme, and behind "//", where something must follow.
        syntax: the classes of characters that it may hold.
        shape: what must follow its colon, if it has no "//".
        final: whether the text is complete.
        assumed: the scheme that is not in the text, or "".
    """

    __slots__ = (
        "after",
        "assumed",
        "body",
        "final",
        "host",
        "opener",
        "outside",
        "pivot",
        "shape",
        "start",
        "syntax",
        "text",
    )

    def __init__(
        self,
        text: str,
        pivot: int,
        start: int,
        body: int,
        syntax: Syntax,
        shape: re.Pattern[str] | None,
        final: bool,
        assumed: str = "",
    ) -> None:
        self.text = text
        self.pivot = pivot
        self.start = self.outside = start
        self.body = body
        self.syntax = syntax
        self.shape = shape
        self.final = final
        self.assumed = assumed
        self.after = body if assumed else pivot + 1
        if assumed:
            self.host = start if assumed == WEB else -1
        else:
            self.host = body if body > pivot + 1 else -1
        self.opener = text[start - 1] if start else ""
        if self.opener == ":" or self.opener in SPACES:
            self.outside = _url_prefix(text, start)
            self.opener = text[self.outside - 1] if self.outside else ""

    def undecided(self, awaited: re.Pattern[str] | None) -> Undecided:
        """Return the request for more text; in a long run, for a character of a class that can decide."""
        start = self.outside - 1
        return Undecided(self.pivot, start, awaited if len(self.text) - start > LONG_RUN else None)

    def has_shape(self, end: int) -> bool:
        """Report whether the text up to an end is a candidate, by its length and its shape."""
        return end > self.body and (self.shape is None or self.shape.match(self.text, self.pivot + 1, end) is not None)
