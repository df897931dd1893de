"""The rules that make two spellings the same: those that change one of them, and not the other in the same way."""

from __future__ import annotations

from itertools import compress, count
from operator import ne

from urisieve.judge.steps import Rule, Step, canonical_steps, key_step
from urisieve.lean import Final
from urisieve.merging import MergeStep
from urisieve.options import Options
from urisieve.syntax.components import SPACES

# Stands for what no rule of the ladder says: how the text was read before it was judged.
READING: Final = "reading"
_NO_SPACES: Final = dict.fromkeys(map(ord, SPACES))


def merging_rules(first: str, raw: str, uri: str, key: str, options: Options) -> tuple[str, ...]:
    """Return the codes of the rules that have made two spellings the same, in the order in which they apply.

    >>> from urisieve import Options
    >>> merging_rules("HTTP://a.example", "HTTP://a.example:80/", "http://a.example/", "http://a.example/", Options())
    ('default-port', 'empty-path')

    Args:
        first: a spelling.
        raw: another spelling with the same key.
        uri: the canonical URI of `raw`.
        key: the key of both.
        options: the options by which they were judged.
    """
    one, other = _changes(first, key, key, options), _changes(raw, uri, key, options)
    if one is None or other is None:
        return (READING,)
    apart = {rule for rule, change in (*one, *other) if ((rule, change) in one) != ((rule, change) in other)}
    if not apart:  # the same changes at different places
        apart = {rule for rule, _ in (*one, *other)}
    return tuple(str(rule) for rule in (*Rule, *MergeStep) if rule in apart) or (READING,)


def _changes(raw: str, uri: str, key: str, options: Options) -> set[tuple[Rule | MergeStep, tuple[str, str]]] | None:
    """Return the rules from a spelling to its key, each with what it has removed and put there; None without them."""
    if raw == key:
        return set()
    steps = _steps(raw, uri, key, options)
    return None if steps is None else {(step.rule, _change(step.before, step.after)) for step in steps}


def _steps(raw: str, uri: str, key: str, options: Options) -> tuple[Step, ...] | None:
    """Return the steps from a spelling to its key; None if it was not read as it stands."""
    steps = _canonical(raw, options)
    if steps is None and (joined := raw.translate(_NO_SPACES)) != raw:
        from urisieve.judge.steps import reading_steps

        rest = _canonical(joined, options)
        if rest is not None:
            steps = (*reading_steps(raw, [(Rule.WHITE_SPACE, joined)]), *rest)
    if steps is None or not _leads(steps, raw, uri, key, options):
        from urisieve.explanation import explain

        remedied = explain(raw, options=options).remedied
        steps = None if remedied is None else remedied.steps
    if steps is None or not _leads(steps, raw, uri, key, options):
        return None
    form = steps[-1].after if steps else raw
    last = key_step(form.partition(":")[0], form, key, options)
    return steps if last is None else (*steps, last)


def _leads(steps: tuple[Step, ...], raw: str, uri: str, key: str, options: Options) -> bool:
    """Report whether steps lead to a URI, or if only the key is known to a URI that has it."""
    form = steps[-1].after if steps else raw
    if form == uri:
        return True
    from urisieve.identifiers import check
    from urisieve.records.record import Record

    found = check(form, options=options) if uri == key else None
    return isinstance(found, Record) and found.key == key


def _canonical(text: str, options: Options) -> tuple[Step, ...] | None:
    try:
        return canonical_steps(text, options)
    except ValueError:
        return None


def _change(before: str, after: str) -> tuple[str, str]:
    """Return the text that was removed and that which was put there, without what both ends share."""
    start = _shared(before, after)
    before, after = before[start:], after[start:]
    end = _shared(before[::-1], after[::-1])
    return before[: len(before) - end], after[: len(after) - end]


def _shared(one: str, other: str) -> int:
    """Return how many characters two texts share at their start."""
    size = min(len(one), len(other))
    return next(compress(count(), map(ne, one, other)), size)
