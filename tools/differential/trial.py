"""A trial: cases from all sources, each put to all programs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from differential.comparison import Comparison, Raised
from differential.generated_identifiers import Identifiers
from differential.known_differences import DIFFERENCES
from differential.known_equivalences import EQUIVALENCES
from differential.peers import Answer, Peer
from urisieve import Record, check
from urisieve.syntax.grammar import matches

__all__ = ["KNOWN", "Unexplained", "compared", "trial"]

KNOWN = (*DIFFERENCES, *EQUIVALENCES)


class Unexplained(NamedTuple):
    """A disagreement that no known difference explains."""

    question: str
    peer: str
    texts: tuple[str, ...]
    ours: Answer
    theirs: Answer


def _questions(text: str, variant: str) -> Iterator[tuple[str, ...]]:
    """Yield what is asked about one text, and about it beside another one."""
    yield "valid", text
    if matches("IRI-reference", text):
        yield "split", text
    found = check(text)
    if not isinstance(found, Record):
        return
    yield "to-uri", found.iri
    yield "to-iri", found.uri
    for other in (found.uri, variant):
        if other != text and check(other):
            yield "same", text, other


def compared(peers: Sequence[Peer]) -> Comparison:
    """Return a comparison with these programs that knows all known differences."""
    return Comparison(peers, KNOWN)


def trial(
    comparison: Comparison,
    cases: int,
    seed: int,
    texts: Sequence[str] = (),
    pairs: Sequence[tuple[str, str]] = (),
    seconds: float = float("inf"),
    progress: Callable[[int], None] = lambda number: None,
) -> Iterator[Unexplained]:
    """Put cases to all programs, and yield what nothing explains.

    Args:
        comparison: asks and counts.
        cases: how many generated identifiers, references, names and addresses each.
        seed: gives the same cases again.
        texts: identifiers that are asked about too, once each.
        pairs: bases and references that are resolved too.
        seconds: no new case is begun after this time.
        progress: called after each case with its number.
    """
    source = Identifiers(seed)
    ends = time.monotonic() + seconds

    def asked(question: str, *words: str) -> Iterator[Unexplained]:
        for peer, given, ours, theirs in comparison.ask(question, *words):
            yield Unexplained(question, peer, given, ours, theirs)

    def about(text: str) -> Iterator[Unexplained]:
        try:
            questions = list(_questions(text, source.variant(text)))
        except Exception as error:  # a fault of ours: the trial goes on
            yield Unexplained("valid", "urisieve", (text,), Raised(f"raises {error!r}"), None)
            return
        for question, *words in questions:
            yield from asked(question, *words)

    for number in range(max(cases, len(texts), len(pairs))):
        if time.monotonic() >= ends:
            return
        if number < len(texts) and texts[number]:
            yield from about(texts[number])
        if number < len(pairs):
            yield from asked("resolve", *pairs[number])
        if number < cases:
            yield from about(source.any_identifier() or "a")
            yield from asked("resolve", source.generic(), source.reference())
            yield from asked("a-label", source.name())
            yield from asked("u-label", source.a_label())
            yield from asked("ipv6", source.address())
            yield from asked("found", f"see {source.generic(source.one_in(4))} there")
        progress(number + 1)
