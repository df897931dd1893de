"""The outcome of looking at one pivot: a candidate, or the request for more text.

It holds besides:

- a candidate of which the beginning is known: its scheme, and what stands before it (RFC 3986 Appendix C).
- the memory of judgements: mailing lists and logs repeat nine links of ten.
"""

from __future__ import annotations

import re

from urisieve.codes import Warn
from urisieve.find.finder.extent import Syntax
from urisieve.find.pivots import SCHEME_CHARACTERS, URL_BLANK
from urisieve.judge.judge import Judged, judge
from urisieve.judge.validate import Fault
from urisieve.lean import Final, NamedTuple
from urisieve.options import Options
from urisieve.rules.table import RuleTable
from urisieve.syntax.components import SPACES


class Undecided(NamedTuple):
    """A pivot whose candidate cannot be decided from the text so far.

    Attributes:
        pivot: its offset.
        start: the offset from which the text has to be kept.
        awaited: a class of characters of which one must come before the pivot can be decided; None for any.
    """

    pivot: int
    start: int
    awaited: re.Pattern[str] | None


class Found(NamedTuple):
    """A candidate with its extent in the text and its judgement."""

    start: int
    end: int
    wrapper: str | None
    warnings: tuple[Warn, ...]
    alternatives: tuple[str, ...]
    judged: Judged | Fault
    passing: Syntax | None = None
    """Set if the candidate is too long: the rest of its run is skipped."""


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

    def has_dns_host(self, rules: RuleTable) -> bool:
        """Report whether the host of its scheme is a name of the DNS, which holds no sub-delimiters."""
        if self.assumed or self.host < 0:
            return self.assumed != ""
        return rules.scheme(self.text[self.start : self.pivot].lower()).dns

    def has_shape(self, end: int) -> bool:
        """Report whether the text up to an end is a candidate, by its length and its shape."""
        return end > self.body and (self.shape is None or self.shape.match(self.text, self.pivot + 1, end) is not None)


# Bounds on the candidates remembered, in number and in characters: on mailing lists and logs these save as much time
# as any larger number.
_MEMORY: Final = 16_384
_MEMORY_LENGTH: Final = 1_048_576
# The schemes that are assumed before names which may hold what a URI may not (`Options.bare`).
_NAMES: Final = frozenset(("doi:", "hdl:", "ark:/"))


class Judgements:
    """Judges candidates by one set of options, and remembers the judgements within bounds."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._memory: dict[str, Judged | Fault] = {}
        self._length = 0

    def judged(self, text: str, assumed: str = "") -> Judged | Fault:
        """Return the judgement of a candidate with an assumed scheme, or "", before it."""
        whole = assumed + text
        if assumed in _NAMES:
            from urisieve.judge.bare_names import encoded_name

            whole = assumed + encoded_name(text)
        judged = self._memory.get(whole)
        if judged is None:
            judged = judge(whole, self._options)
            self._length += len(whole)
            if len(self._memory) >= _MEMORY or self._length > _MEMORY_LENGTH:
                self._memory.clear()
                self._length = len(whole)
            self._memory[whole] = judged
        if assumed and isinstance(judged, Fault):
            return judged._replace(offset=max(0, judged.offset - len(assumed)))
        return judged
