"""Judge a whole value as one identifier: an argument, a line, a cell, a value of SQL or Arrow."""

from __future__ import annotations

from urisieve.codes import Warn
from urisieve.judge.judge import Judged, judge
from urisieve.judge.validate import Fault
from urisieve.options import Options
from urisieve.syntax.components import without_space_around

__all__ = ["judge_whole"]


def judge_whole(value: str, options: Options, *, shortcut: bool = False) -> Judged | Fault:
    """Judge a whole value, without the white space around it; `options.bare` says what may have no scheme.

    Args:
        value: the value. If there is white space around it, the identifier has the warning `whitespace-removed`.
        options: how to judge and how far to normalize.
        shortcut: see `judge`.

    Returns:
        the canonical form, or the first fault, whose offset is that in the value as it is given.
    """
    text = without_space_around(value)
    judged: Judged | Fault | None = None
    if options.bare:
        from urisieve.judge.bare_names import judge_bare

        judged = judge_bare(text, options)
    if judged is None:
        judged = judge(text, options, shortcut=shortcut)
    if len(text) == len(value):
        return judged
    if isinstance(judged, Fault):
        return judged._replace(offset=judged.offset + value.find(text))
    return judged._replace(warnings=(Warn.WHITESPACE_REMOVED, *judged.warnings))
