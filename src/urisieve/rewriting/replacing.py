"""Text in, the same text out: each identifier is replaced, and everything outside of them stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain

from urisieve import shapes
from urisieve.find.searches import Scanner
from urisieve.finding_options import Options, checked
from urisieve.lean import TypeAlias, overload
from urisieve.records.batch import Batch
from urisieve.records.record import Record
from urisieve.records.rejection import Rejection
from urisieve.rewriting.replacements import (
    Replace,
    Replacement,
    checked_text,
    replacement_of,
    without_passwords,
    without_secrets,
)
from urisieve.streams import pieces_of, sieve

_Found: TypeAlias = "Record | Rejection"
# Returns the new texts, each None for what stays as it is.
_Make: TypeAlias = "Callable[[list[_Found]], Sequence[str | None]]"


@overload
def sub(source: str, replace: Replace, *, options: Options | None = None, rejected: bool = False) -> str: ...


@overload
def sub(
    source: Iterator[str], replace: Replace, *, options: Options | None = None, rejected: bool = False
) -> Iterator[str]: ...


def sub(
    source: str | Iterator[str], replace: Replace, *, options: Options | None = None, rejected: bool = False
) -> str | Iterator[str]:
    """Return a text with each of its identifiers replaced; everything else stays as it is, character for character.

    >>> from urisieve import defang, sub
    >>> sub("see http://EXAMPLE.com:80/%7Ejoe, or urn:isbn:0-395-36341-1.", "<{uri}>")
    'see <http://example.com/~joe>, or <urn:isbn:0395363411>.'
    >>> sub("not http://evil.example/ or www", lambda found: defang(found.raw) if "evil" in found.host else None)
    'not hxxp://evil[.]example/ or www'

    Of identifiers that overlap (`Options.nested`, `Options.unwrap`) the first with a new text is replaced.

    Args:
        source: a string, or an iterator of pieces that together are one text, as for `extract`.
        replace: returns the new text for a `Record`, or None to leave it as it is; or a template, as of
            `urisieve extract --template`, in which `{uri}` and the other fields of a record are in braces.
        options: what to find and how far to normalize.
        rejected: whether `replace`, which is then a function, is also called with each `Rejection`.

    Returns:
        the new text: a string for a string, else its pieces, each as soon as it is decided, before more is read.

    Raises:
        UsageError: the source is not one text, the template names no field of records, a template is to replace
            rejections, or `replace` returns what is neither a string nor None.
    """
    shapes.check(rejected=rejected)
    chosen = checked(options)
    make = _maker(replace, rejected)
    if not isinstance(source, str):
        return _rewritten_pieces(pieces_of(source), make, chosen, rejected)
    return _Rewriter(make, rejected).text(source, sieve(source, options=chosen))


def mask(text: str, *, secrets: bool = True, options: Options | None = None) -> str:
    """Return a text with `***` for the passwords and secrets in its links, which stay links; the rest stays as it is.

    Candidates that are not valid lose what may be a password (RFC 3986 3.2.1), and their secrets, too.

    >>> from urisieve import mask
    >>> mask("GET http://joe:secret@a.example/?api_key=3f9a0c7e1b8d failed, http://joe:p|w@h.example:80x/ too")
    'GET http://joe:***@a.example/?api_key=*** failed, http://joe:***@h.example:80x/ too'

    Args:
        text: the text.
        secrets: whether tokens, keys and the like are hidden, and not passwords alone.
        options: what to find.

    Raises:
        UsageError: it is not a string.
    """
    if secrets is not True:
        shapes.check(secrets=secrets)
    if ":" not in shapes.text("text", text):
        return text
    return sub(text, without_secrets if secrets else without_passwords, options=options, rejected=True)


def _rewritten_pieces(pieces: Iterator[str], make: _Make, options: Options, rejected: bool) -> Iterator[str]:
    """Yield the new text of each piece as far as it is decided."""
    scanner, rewriter = Scanner(options), _Rewriter(make, rejected)
    rest = ""  # what is not decided
    for piece in chain(pieces, (None,)):
        found = scanner.close() if piece is None else scanner.feed(piece)
        rest += piece or ""
        size = scanner.decided - rewriter.offset
        made = rewriter.text(rest[:size], found)
        rest = rest[size:]
        if made:
            yield made


class _Rewriter:
    """Replaces what is found in a text, piece by piece.

    Args:
        make: returns the new texts.
        rejected: whether rejections are replaced.

    Attributes:
        offset: the number of characters of the text so far.
    """

    def __init__(self, make: _Make, rejected: bool) -> None:
        self._make = make
        self._rejected = rejected
        self._end = 0  # of the last one that was replaced
        self.offset = 0

    def text(self, text: str, found: Iterable[_Found]) -> str:
        """Return the next piece with what was found in it replaced, but for what overlaps the one before."""
        chosen = [one for one in found if (self._rejected or one) and one.start >= self._end]
        made: list[str] = []
        start, end = self.offset, 0
        for one, new in zip(chosen, self._make(chosen) if chosen else (), strict=True):
            if new is not None and one.start >= self._end:
                made += (text[end : one.start - start], new)
                end = one.end - start
                self._end = one.end
        self.offset += len(text)
        return "".join([*made, text[end:]])


def _maker(replace: Replace, rejected: bool) -> _Make:
    """Return what makes the new texts.

    Raises:
        UsageError: `replace` makes none.
    """
    if callable(replace) and not isinstance(replace, Replacement):
        return lambda found: [checked_text(replace, one) for one in found]
    return partial(_by_batch, replacement_of(replace, rejected=rejected))


def _by_batch(replacement: Replacement, found: list[_Found]) -> list[str | None]:
    records = [one for one in found if isinstance(one, Record)]
    texts = iter(replacement.texts(Batch.of(records)) if records else ())
    of_rejection = replacement.rejection or _unchanged
    return [next(texts) if isinstance(one, Record) else of_rejection(one) for one in found]


def _unchanged(_found: Rejection) -> None:
    """Return None: it stays as it is."""
