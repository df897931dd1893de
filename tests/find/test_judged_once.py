"""How often the Python engine judges what it finds: a candidate once, also one that is rejected."""

from __future__ import annotations

import pytest

from urisieve import Options, Rejection
from urisieve.find.ends import candidates
from urisieve.find.search import Search
from urisieve.judge.judge import Judged, judge
from urisieve.judge.validate import Fault
from urisieve.records.batch import Batch

REJECTED = ("http://a.example:99x/p", "http://a.example/%zz", "http://a..example/")


class Taken:
    """A sink that keeps what it takes."""

    def __init__(self) -> None:
        self.rejections: list[Rejection] = []

    def take(self, batch: Batch) -> None:
        self.rejections += batch.rejections


@pytest.mark.parametrize("text", REJECTED)
@pytest.mark.parametrize("around", ["{}", "see {} now", "<{}>", '"{}"', "({})", "x {}, y"])
def test_a_rejection_is_judged_once(text: str, around: str, monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []

    def counting(candidate: str, options: Options) -> Judged | Fault:
        judged.append(candidate)
        return judge(candidate, options)

    monkeypatch.setattr(candidates, "judge", counting)
    taken = Taken()
    Search(Options(), taken).finish(around.format(text))  # type: ignore[arg-type] # it takes what a sink does
    assert [one.raw for one in taken.rejections] == [text]
    assert len(judged) == len(set(judged)) == 1, judged
