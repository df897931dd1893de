"""Identifiers that several forms of one content repeat, such as the plain text and the HTML of a message."""

from __future__ import annotations

from collections.abc import Callable

from urisieve.records.batch import Batch
from urisieve.sources.documents import Alternative


class Repeats:
    """Detects identifiers of a document that were already seen in another form of the same content.

    Keys come in the order in which a reader yields their documents. Only those of one group are held.

    >>> repeats, plain, html = Repeats(), Alternative("a message", 1), Alternative("a message", 2)
    >>> [repeats.holds(form, key) for form, key in ((plain, "a"), (plain, "a"), (html, "a"), (html, "b"), (html, "b"))]
    [False, False, True, False, False]
    """

    __slots__ = ("_branches", "_group")

    def __init__(self) -> None:
        self._group: object = None
        self._branches: dict[str, int] = {}

    def holds(self, alternative: Alternative | None, key: str) -> bool:
        """Report whether an earlier form of the content has a key, and add it to this form; None is no form."""
        if alternative is None:
            return False
        group, branch = alternative
        if group is not self._group:
            self._group, self._branches = group, {}
        return self._branches.setdefault(key, branch) < branch


def unrepeated(batch: Batch, repeats: Repeats, form: Callable[[int], Alternative | None]) -> Batch:
    """Return a batch without what another form of the same content contains.

    Args:
        batch: the batch.
        repeats: detects that.
        form: returns the form that an offset is in.
    """
    pairs = zip(batch.column("start"), batch.column("key"), strict=True) if len(batch) else ()
    return batch.filtered([row for row, (start, key) in enumerate(pairs) if not repeats.holds(form(start), key)])
