"""The memory of judgements: mailing lists and logs repeat nine links of ten."""

from __future__ import annotations

from urisieve.find.finder.candidates import Found
from urisieve.judge.faults import Fault
from urisieve.judge.judge import Judged, judge
from urisieve.judge.proof import proves_canonical
from urisieve.lean.hints import Final
from urisieve.options import Options

__all__ = ["Judgements"]

# Bounds on the candidates remembered, in number and in characters: on mailing lists and logs these save as much time
# as any larger number.
_MEMORY: Final = 16_384
_MEMORY_LENGTH: Final = 1_048_576
# How far before a pivot to look for the opener of a candidate that was seen before, and how far after it for its
# closer.
_LONG_SCHEME: Final = 16
_WINDOW: Final = 256
# The schemes that are assumed before names which may hold what a URI may not (`Options.bare`).
_NAMES: Final = frozenset(("doi:", "hdl:", "ark:/"))


# The constructor of tuples: that of the named tuple itself takes three times as long.
_tuple: Final = tuple.__new__


class Judgements:
    """Judges candidates by one set of options, and remembers the judgements within bounds."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._shortcut = proves_canonical(options)
        self._memory: dict[str, Judged | Fault] = {}
        self._wrapped: dict[str, Judged] = {}
        self._length = 0

    def judged(self, text: str, assumed: str = "") -> Judged | Fault:
        """Return the judgement of a candidate with an assumed scheme, or "", before it."""
        whole = assumed + text
        if assumed in _NAMES:
            from urisieve.judge.bare_names import encoded_name

            whole = assumed + encoded_name(text)
        judged = self._memory.get(whole)
        if judged is None:
            judged = judge(whole, self._options, shortcut=self._shortcut)
            self._make_room(len(whole))
            self._memory[whole] = judged
        if assumed and isinstance(judged, Fault):
            return judged._replace(offset=max(0, judged.offset - len(assumed)))
        return judged

    def wrapped(self, text: str, pivot: int, floor: int) -> Found | None:
        """Return a candidate in `<>` or `""` that was judged before in the same wrapper, or None.

        The judgement of such a candidate depends on its text alone.

        Args:
            text: the text around it.
            pivot: the offset of the colon of its scheme.
            floor: the end of the previous candidate.
        """
        near = max(floor, pivot - _LONG_SCHEME)
        opener = text.rfind("<", near, pivot)
        end = -1
        if opener >= 0:
            end = text.find(">", pivot, pivot + _WINDOW)
        else:
            opener = text.rfind('"', near, pivot)
            if opener >= 0:
                end = text.find('"', pivot, pivot + _WINDOW)
        judged = self._wrapped.get(text[opener : end + 1]) if end >= 0 else None
        if judged is None:
            return None
        return _tuple(Found, (opener + 1, end, text[opener] + text[end], (), (), judged, None))

    def remember_wrapped(self, text: str, judged: Judged) -> None:
        """Remember the judgement of a candidate by its text with the wrapper."""
        self._make_room(len(text))
        self._wrapped[text] = judged

    def _make_room(self, length: int) -> None:
        """Forget all judgements if one more candidate would exceed the bounds."""
        self._length += length
        if len(self._memory) + len(self._wrapped) >= _MEMORY or self._length > _MEMORY_LENGTH:
            self._memory.clear()
            self._wrapped.clear()
            self._length = length
