"""The rules that make two spellings the same: those that change one of them, and not the other in the same way."""

from __future__ import annotations

from urisieve.judge.steps import Rule, Step, canonical_steps, key_step
from urisieve.judge.steps import merging_rules as rules_between
from urisieve.lean import Final
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
    one, other = _steps_from(first, key, key, options), _steps_from(raw, uri, key, options)
    return (READING,) if one is None or other is None else rules_between(one, other) or (READING,)


def _steps_from(raw: str, uri: str, key: str, options: Options) -> tuple[Step, ...] | None:
    return () if raw == key else _steps(raw, uri, key, options)


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
