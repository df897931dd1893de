"""Digests on disk: sorted runs, whatever the sizes of batches, blocks and reads, in the kernel and in Python."""

from __future__ import annotations

import os
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urisieve.dedupe import digest_runs
from urisieve.dedupe.digest_runs import (
    DigestRuns,
    _merged_digests,
    _met_digests,
    _ordered_digests,
    merged_digests,
    met_digests,
    ordered_digests,
)
from urisieve.errors import OutputError
from urisieve.kernel import compiled

_WAYS = [(ordered_digests, merged_digests, met_digests), (_ordered_digests, _merged_digests, _met_digests)]
_IDS = ["used", "python"]


def _digest(number: int) -> bytes:
    """A digest; those of numbers that are alike but in the last bit begin with the same eight bytes."""
    return (number >> 1).to_bytes(8, "big") + (number & 1).to_bytes(8, "big")


def _joined(numbers: set[int]) -> bytes:
    return b"".join(map(_digest, sorted(numbers)))


_NUMBERS = st.sets(st.integers(0, 40) | st.integers(0, 2**64 - 1), max_size=40)


@pytest.mark.parametrize("calls", _WAYS, ids=_IDS)
@given(_NUMBERS, _NUMBERS)
def test_sorted_digests_are_merged_and_met(calls: tuple[Any, ...], one: set[int], other: set[int]) -> None:
    ordered, merged, met = calls
    shuffled = [_digest(number) for number in (*one, *other)]
    firsts = {digest: shuffled.index(digest) for digest in sorted(shuffled)}
    assert ordered(shuffled) == (b"".join(firsts), list(firsts.values()))
    assert merged(_joined(one), _joined(other - one)) == _joined(one | other)
    assert met(_joined(one), _joined(other)) == [index for index, number in enumerate(sorted(one)) if number in other]


@pytest.mark.skipif(not compiled, reason="the kernel is not compiled")
def test_digests_are_whole() -> None:
    for call in (merged_digests, met_digests):
        for wrong in ((b"abc", bytes(16)), (bytes(16), bytes(17)), (bytes(16), "a" * 16)):
            with pytest.raises((ValueError, TypeError)):
                call(*wrong)
    for some in ([b"abc"], [bytes(16), "a" * 16], bytes(16)):
        with pytest.raises((ValueError, TypeError)):
            ordered_digests(some)  # type: ignore[arg-type]


@pytest.mark.parametrize("calls", _WAYS, ids=_IDS)
@pytest.mark.parametrize(("young", "block", "span"), [(1, 1, 1), (3, 2, 4), (10, 4, 32), (4_096, 512, 65_536)])
def test_runs_are_a_set(
    calls: tuple[Any, ...],
    young: int,
    block: int,
    span: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in (
        ("_YOUNG", young),
        ("_BLOCK", block),
        ("_SPAN", span),
        ("ordered_digests", calls[0]),
        ("merged_digests", calls[1]),
        ("met_digests", calls[2]),
    ):
        monkeypatch.setattr(digest_runs, name, value)
    chance = random.Random(young)
    runs, seen = DigestRuns(str(tmp_path)), set[bytes]()
    for turn in range(40):
        number = chance.choice((1, 2, 40, 20 * young if young < 100 else 3_000))
        some = [_digest(chance.randrange(200 if turn % 2 else 50_000)) for _ in range(number)]
        assert runs.held(some) == seen.intersection(some)
        new = [index for index, one in enumerate(some) if one not in seen and one not in some[:index]]
        seen.update(some)
        assert runs.add(some) == new
        assert len(runs) == len(seen)
        lengths = list(map(len, runs._runs))
        assert all(one > 2 * other for one, other in pairwise(lengths))
    assert os.listdir(tmp_path) == []  # whatever ends the process, nothing is left
    runs.close()


def test_few_digests_read_few_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(1)
    runs = DigestRuns(None)
    held = [chance.randbytes(16) for _ in range(100_000)]
    runs.add(held)
    read: list[int] = []
    real = digest_runs._SortedRun._read

    def counted(run: Any, block: int, number: int) -> bytes:
        read.append(number)
        return real(run, block, number)

    monkeypatch.setattr(digest_runs._SortedRun, "_read", counted)
    assert runs.held([held[5], chance.randbytes(16), held[7]]) == {held[5], held[7]}
    assert read == [1, 1, 1]
    runs.close()


def test_a_folder_that_is_not_there() -> None:
    runs = DigestRuns("/no/such/folder")
    assert runs.add([bytes(16)]) == [0]  # in memory
    with pytest.raises(OutputError, match="the temporary store in /no/such/folder: No such file"):
        runs.add([number.to_bytes(16, "big") for number in range(10_000)])
