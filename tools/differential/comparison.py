"""What urisieve answers, and whether a peer answers the same; if not, which known differences explain it."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from differential.peers import Answer, Peer
from urisieve import (
    InvalidIdentifierError,
    Record,
    check,
    equivalent,
    extract,
    normalize,
    normalize_reference,
    parse,
    resolve,
)
from urisieve.identifiers import split_reference
from urisieve.syntax.grammar import matches

__all__ = ["Comparison", "Difference", "Raised", "Verdict", "ours"]

_RULES = ("URI", "IRI", "URI-reference", "IRI-reference")
# No peer needs more differences than these at once for one text.
_MOST_AT_ONCE = 4
# Questions of which a refusal is an answer.
_VALIDITY = frozenset(["valid", "a-label", "ipv6"])
_NOTHING = object()


class Raised(str):
    """What is said of an exception that is not an answer: a fault of whoever was asked, or of this tool."""

    __slots__ = ()


class Verdict(StrEnum):
    """Who is right, by the RFCs."""

    WRONG = "they are wrong"
    STANDARD = "other standard"
    CHOICE = "choice"
    MENDED = "we were wrong, mended"


class Difference(NamedTuple):
    """A known difference from some peers in one question: a model of what they do otherwise.

    A disagreement has this cause if the peer's answer is ours after `text` has changed what we are given, and `answer`
    our answer.

    Attributes:
        name: identifies it.
        question: one of `QUESTIONS`.
        peers: the names of the peers.
        example: texts that show it.
        section: where it is written.
        why: one sentence.
        verdict: who is right.
        text: what the peer takes a text for; the text itself if this difference has nothing to do with it.
        answer: what the peer makes of our answer, given the peer too; likewise.
        when: for what a peer does that no rule describes: the texts for which it may answer anything.
    """

    name: str
    question: str
    peers: tuple[str, ...]
    example: tuple[str, ...]
    section: str
    why: str
    verdict: Verdict
    text: Callable[[str], str] | None = None
    answer: Callable[[Answer, tuple[str, ...], Peer], Answer] | None = None
    when: Callable[[tuple[str, ...]], bool] | None = None


def _host(name: str) -> str | None:
    """Return the host that a name has in a canonical link, None if it is not one."""
    found = check(f"http://{name}/")
    if not isinstance(found, Record) or found.path != "/" or found.port is not None or found.userinfo is not None:
        return None
    return split_reference(found.uri)[1].host


def _shown_host(name: str) -> str | None:
    found = check(f"http://{name}/")
    return split_reference(found.iri)[1].host if isinstance(found, Record) and found.path == "/" else None


def _components(text: str) -> dict[str, str | None]:
    scheme, parts = split_reference(text)
    _, userinfo, host, port, path, query, fragment = parts
    authority = None
    if host is not None:
        authority = ("" if userinfo is None else f"{userinfo}@") + host + ("" if port is None else f":{port}")
    return {
        "scheme": scheme,
        "authority": authority,
        "userinfo": userinfo,
        "host": host,
        "port": port,
        "path": path,
        "query": query,
        "fragment": fragment,
    }


def _address(text: str) -> str | None:
    host = _host(f"[{text}]")
    return None if host is None else host[1:-1]


def _valid(peer: str, text: str) -> Answer:
    if peer == "rfc3987":
        return tuple(matches(rule, text) for rule in _RULES)
    if peer == "can-ada":
        return isinstance(check(text), Record)
    return matches("URI-reference" if peer == "rfc3986" else "IRI-reference", text)


_OURS: dict[str, Callable[..., Answer]] = {
    "split": _components,
    "resolve": resolve,
    "same": equivalent,
    "to-uri": normalize,
    "to-iri": lambda uri: parse(uri).iri,
    "a-label": _host,
    "u-label": _shown_host,
    "ipv6": _address,
    "found": lambda text: [record.raw for record in extract(text)],
}


def ours(peer: str, question: str, *texts: str) -> Answer:
    """Return our answer, None if we refuse a text."""
    if question == "valid":
        return _valid(peer, *texts)
    try:
        return _OURS[question](*texts)
    except InvalidIdentifierError:
        return None


def _is_asked(peer: str, question: str, texts: tuple[str, ...]) -> bool:
    """Whether a peer is asked: the WHATWG parser, which repairs, about what is valid; rfc3986 about URIs."""
    if peer == "can-ada" and question == "valid":
        return bool(check(*texts))
    return not (peer == "rfc3986" and question in ("resolve", "same")) or all(map(str.isascii, texts))


def _prepared(peer: str, question: str, texts: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return what a peer is asked: those that normalize while they resolve get what is normal; None if it cannot be."""
    if question != "resolve" or peer in ("rfc3987", "uritools"):
        return texts
    try:
        return tuple(map(normalize_reference, texts))
    except InvalidIdentifierError:
        return None


def _agree(own: Answer, theirs: Answer) -> bool:
    """Whether two answers are one: of components those that the peer has, and many say "" of an absent one."""
    if isinstance(theirs, dict) and isinstance(own, dict):
        return all(own[name] == value or (not value and own[name] is None) for name, value in theirs.items())
    return bool(own == theirs)


class Comparison:
    """Asks, compares and counts.

    Args:
        peers: who is asked.
        differences: those that are known.
    """

    def __init__(self, peers: Sequence[Peer], differences: Sequence[Difference]) -> None:
        self.peers = {peer.name: peer for peer in peers}
        self._known = {
            (peer.name, question): [
                known for known in differences if known.question == question and peer.name in known.peers
            ]
            for peer in peers
            for question in peer.ask
        }
        # By peer and question, the last by difference, too.
        self.asked: Counter[tuple[str, str]] = Counter()
        self.refused: Counter[tuple[str, str]] = Counter()
        self.disagreeing: Counter[tuple[str, str]] = Counter()
        self.explained: Counter[tuple[str, str, str]] = Counter()

    def ask(self, question: str, *texts: str) -> Iterator[tuple[str, tuple[str, ...], Answer, Answer]]:
        """Ask all peers that know the question; yield each disagreement that nothing known explains."""
        for name, peer in self.peers.items():
            if question not in peer.ask or not _is_asked(name, question, texts):
                continue
            asked = _prepared(name, question, texts)
            own = None if asked is None else _told(ours, name, question, *asked)
            if own is None and question not in _VALIDITY:
                continue  # what is not valid has no answer: `valid` asks about it
            assert asked is not None
            theirs = _told(peer.ask[question], *asked)
            at = name, question
            self.asked[at] += 1
            if theirs is None and question not in _VALIDITY:
                self.refused[at] += 1
                continue
            if _agree(own, theirs):
                continue
            self.disagreeing[at] += 1
            if isinstance(own, Raised) or isinstance(theirs, Raised):
                yield name, asked, own, theirs
                continue
            try:
                causes = self.causes(peer, question, asked, own, theirs)
            except Exception as error:  # a fault of ours, or of a model: it is not hidden behind another model
                yield name, asked, Raised(f"{own!r}, and a model of what the peer does raises {error!r}"), theirs
                continue
            if not causes:
                yield name, asked, own, theirs
            for cause in causes:
                self.explained[name, question, cause.name] += 1

    def causes(
        self, peer: Peer, question: str, texts: tuple[str, ...], own: Answer, theirs: Answer
    ) -> tuple[Difference, ...]:
        """Return the fewest known differences that together explain an answer; none if they do not."""
        known = self._known[peer.name, question]
        models = [one for one in known if one.when is None]
        for count in range(1, _MOST_AT_ONCE + 1):
            for chosen in itertools.combinations(models, count):
                if _agree(_modelled(peer, question, chosen, texts), theirs):
                    return chosen
        changing, taken = [], texts
        for one in models:
            if (
                one.text is not None
                and one.answer is None
                and (new := tuple(map(one.text, taken))) not in (taken, ("%",))
            ):
                changing.append(one)
                taken = new
        if changing and _agree(_modelled(peer, question, changing, texts), theirs):
            return tuple(changing)
        return next(((one,) for one in known if one.when is not None and one.when(texts)), ())


def _told(ask: Callable[..., Answer], *texts: str) -> Answer:
    """Return an answer; an exception that is not one becomes one that is reported, and explained by nothing."""
    try:
        return ask(*texts)
    except Exception as error:
        return Raised(f"raises {error!r}")


def _modelled(peer: Peer, question: str, chosen: Sequence[Difference], texts: tuple[str, ...]) -> Answer:
    """Return the answer of a peer that does otherwise in these ways; `_NOTHING` if it has no such answer."""
    try:
        return _answered(peer, question, chosen, texts)
    except InvalidIdentifierError:  # what a model makes of the texts is refused
        return _NOTHING


def _answered(peer: Peer, question: str, chosen: Sequence[Difference], texts: tuple[str, ...]) -> Answer:
    taken = texts
    for one in chosen:
        if one.text is not None:
            before, taken = taken, tuple(map(one.text, taken))
            if taken == before and one.answer is None:
                return _NOTHING  # it has nothing to do with these texts
    answer = ours(peer.name, question, *taken)
    for one in chosen:
        if one.answer is not None:
            answer = one.answer(answer, taken, peer)
    return answer
