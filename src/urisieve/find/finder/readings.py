"""The other readings of a bare candidate: what its writer may have meant instead, as canonical forms.

Where a candidate ends although the text goes on, or holds what may be two, the record has a warning and names these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import islice

from urisieve.find.finder.candidates import Begun
from urisieve.find.finder.extent import bare_end, urn_syntax
from urisieve.find.finder.unspaced import HIDDEN_CHARACTER, LINK_START
from urisieve.judge.judge import Judged, judge
from urisieve.judge.validate import Fault
from urisieve.lean import Final, lazy_compile, replace
from urisieve.options import Options, UrnSyntax
from urisieve.syntax.characters import CLOSERS, VISIBLE_ENDS, trimmed_end
from urisieve.syntax.iri import mended

# How far behind the end of a candidate another reading of it may go.
LATER: Final = 1_024
# The most parts of one candidate that are named.
_PARTS: Final = 8
_URN: Final = lazy_compile("urn:", re.IGNORECASE)
_SECOND_SCHEME: Final = lazy_compile(f"(?:[,;]|(?<=[^\x00-\x7f]))(?={LINK_START})")
_CLOSER: Final = lazy_compile(f"[{re.escape(''.join(CLOSERS))}}}]")
_ANY_SCHEME: Final = lazy_compile(LINK_START)
_NOT_ASCII: Final = lazy_compile("[^\x00-\x7f]")
# An authority that ends in a port, or in a password.
_OPEN_USER: Final = lazy_compile(r"//[^/?#@:]*:[^/?#@]*\Z")
# What ends a run in which excluded characters do not count.
_END: Final = lazy_compile(f'[\x00-\x20"<>\x7f-\x9f{VISIBLE_ENDS}]')


def _octets(match: re.Match[str]) -> str:
    """Return a character as triplets; a byte that did not decode as that byte."""
    how = "surrogateescape" if "\udc80" <= match[0] <= "\udcff" else "surrogatepass"
    return "".join(f"%{octet:02X}" for octet in match[0].encode("utf-8", how))


def _run_end(text: str, after: int, end: int, limit: int) -> int:
    """Return where a run ends that goes on behind `end`: at a blank, a stop, a closer without opener, another link."""
    match = _END.search(text, end, limit)
    last = limit if match is None else match.start()
    another = _ANY_SCHEME.search(text, end, last)
    if another is not None:
        last = another.end()
    for closer in _CLOSER.finditer(text, end, last):
        opener = "{" if closer[0] == "}" else CLOSERS[closer[0]]
        if text.count(opener, after, closer.start()) <= text.count(closer[0], after, closer.start()):
            return closer.start()
    return last


def parts(text: str, start: int, body: int, end: int) -> list[tuple[int, int]]:
    """Return the parts of a candidate in which another scheme and `//` stand behind a comma, a semicolon or prose."""
    if text.find("://", body, end) < 0:
        return []
    found = []
    for match in islice(_SECOND_SCHEME.finditer(text, body, end), _PARTS - 1):
        found.append((start, match.start()))
        start = match.end()
    return [*found, (start, end)] if found else []


class Readings:
    """Finds other readings of candidates by one set of options.

    Args:
        options: what to find and how far to normalize.
        judged: judges the text of a candidate.
    """

    def __init__(self, options: Options, judged: Callable[[str, str], Judged | Fault]) -> None:
        self._options = options
        self._judged = judged

    @cached_property
    def _by_8141(self) -> Options:
        return replace(self._options, urn_syntax=UrnSyntax.RFC8141)

    def of(self, uri: str, texts: Iterable[str], assumed: str) -> tuple[str, ...]:
        """Return the canonical forms of those texts that are valid, without `uri` itself."""
        found = (self._judged(text, assumed) for text in texts)
        forms = dict.fromkeys(judged.uri for judged in found if isinstance(judged, Judged))
        return tuple(form for form in forms if form != uri)

    def beyond_excluded(
        self, begun: Begun, end: int, *, limit: int, urn: bool
    ) -> tuple[str, ...] | re.Pattern[str] | None:
        """Return the reading of a candidate that goes on behind the excluded character at which it ends.

        Characters that are not shown are left out of it, others are percent-encoded; a URN is read by RFC 8141, which
        allows `&` and `~`.

        Args:
            begun: the beginning of the candidate.
            end: where it ends.
            limit: the last possible end.
            urn: whether it is a URN.

        Returns:
            its canonical form if it has one, or the pattern of a character that must come before it is known; None if
            only what is trimmed follows, such as a character reference.
        """
        text, after = begun.text, begun.after
        near = min(limit, end + LATER)
        if not urn:
            later = _run_end(text, after, end, near)
        elif text[end] in "&~" and self._options.urn_syntax == UrnSyntax.RFC2141:
            later = bare_end(urn_syntax(UrnSyntax.RFC8141), text, after, near)
        else:
            return ()
        if later == len(text) and not begun.final:
            return urn_syntax(UrnSyntax.RFC8141).beyond if urn else _END
        is_bounded = later < near or near == len(text)
        later = trimmed_end(text, end, later, "")
        if later == end and urn:
            return None
        if urn and _OPEN_USER.match(text, text.rfind("//", after, later), later) is not None:
            return ()  # it would show the beginning of a password
        if not is_bounded or (_URN if urn else _ANY_SCHEME).search(text, end, later) is not None:
            return ()
        joined = text[end:later]
        if not joined.isascii():
            joined = _NOT_ASCII.sub(_octets, HIDDEN_CHARACTER.sub("", joined))
        whole = begun.assumed + text[begun.start : end]
        judged = judge(whole + joined, self._by_8141) if urn else self._judged(whole + mended(joined), "")
        return (judged.uri,) if isinstance(judged, Judged) else ()
