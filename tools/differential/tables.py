"""What a trial gave, and the known differences, as tables in Markdown."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from benchmarks.markdown import replaced, table
from differential.comparison import Comparison, Difference, Verdict, ours
from differential.peers import QUESTIONS, Answer, Peer

__all__ = ["END", "START", "counts", "differences", "written"]

START = "<!-- differences:start -->"
END = "<!-- differences:end -->"


def _code(text: str) -> str:
    """A text as code: what is not seen, or is no letter, as escapes."""
    shown = "".join(c if c.isprintable() and (c.isascii() or c.isalpha()) else f"\\u{ord(c):04x}" for c in text)
    return f"`` {shown} ``" if "`" in shown else f"`{shown}`"


def _answer(answer: Answer, other: Answer) -> str:
    if answer is None or answer is False:
        return "no"
    if answer is True:
        return "yes"
    if isinstance(answer, tuple):
        return _answer(any(answer), None)
    if isinstance(answer, list):
        return " ".join(map(_code, answer)) or "nothing"
    if isinstance(answer, dict):
        parts = {name: answer[name] for name in other if name in answer and (answer[name] or "") != (other[name] or "")}
        name = next(iter(parts), None) or next(name for name in other if answer.get(name, other[name]) != other[name])
        return f"{name} {json.dumps(answer[name], ensure_ascii=False)}"
    return _code(str(answer))


def _row(known: Difference, peers: dict[str, Peer]) -> list[str]:
    for name in known.peers:
        peer = peers.get(name)
        if peer is None or known.question not in peer.ask:
            continue
        theirs, own = peer.ask[known.question](*known.example), ours(name, known.question, *known.example)
        if theirs == own:
            continue
        example = (
            " and ".join(map(_code, known.example))
            if known.question != "resolve"
            else " + ".join(map(_code, known.example))
        )
        they, we = _answer(theirs, own if isinstance(own, dict) else theirs), _answer(own, theirs)
        return [known.name, name, example, they, we, known.section, f"{known.verdict}: {known.why}"]
    return [known.name, known.peers[0], " + ".join(map(_code, known.example)), "-", "-", known.section, known.why]


def differences(known: Sequence[Difference], peers: Sequence[Peer]) -> str:
    """All known differences, a table for each question."""
    named = {peer.name: peer for peer in peers}
    versions = ", ".join(f"{peer.name} {peer.version}" for peer in peers)
    parts = [f"Programs: {versions}."]
    for question, title in QUESTIONS.items():
        rows = []
        for one in known:
            if one.question == question:
                name, first, *rest, verdict = _row(one, named)
                others = len([peer for peer in one.peers if peer in named]) - 1
                rows.append([name, first + (f" and {others} more" if others > 0 else ""), *rest, verdict])
        if rows:
            head = ["class", "who", "example", "they", "we", "section", "verdict"]
            parts.append(f"### {title[0].upper()}{title[1:]}\n\n{table(head, rows, left=7)}")
    return "\n\n".join(parts)


def counts(comparison: Comparison, known: Sequence[Difference]) -> str:
    """How often each program was asked what, and how the disagreements are explained."""
    rows = [
        [
            peer,
            QUESTIONS[question],
            f"{asked:,}",
            f"{comparison.refused[peer, question]:,}",
            f"{comparison.disagreeing[peer, question]:,}",
        ]
        for question in QUESTIONS
        for (peer, of), asked in comparison.asked.items()
        if of == question
    ]
    by_verdict: Counter[Verdict] = Counter()
    verdicts = {(one.question, one.name): one for one in known}
    for (_, question, name), count in comparison.explained.items():
        by_verdict[verdicts[question, name].verdict] += count
    classes = [
        [one.name, QUESTIONS[one.question], one.verdict, f"{count:,}"]
        for one in known
        if (
            count := sum(
                n
                for (_, question, name), n in comparison.explained.items()
                if (question, name) == (one.question, one.name)
            )
        )
    ]
    return "\n\n".join(
        [
            table(["program", "question", "asked", "not answered", "disagreements"], rows, left=2),
            table(["verdict", "times"], [[verdict, f"{count:,}"] for verdict, count in by_verdict.items()], left=1),
            table(["class", "question", "verdict", "times"], classes, left=3),
        ]
    )


def written(page: str, known: Sequence[Difference], peers: Sequence[Peer]) -> str:
    """Return a page with the table of known differences between its marks."""
    return replaced(page, differences(known, peers), start=START, end=END)
