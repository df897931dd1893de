"""The targets of the fuzzer, over their seeds and over whatever it found; `tools/fuzz.py` goes on from there."""

from __future__ import annotations

import base64

import pytest

from fuzz_targets import SEEDS, TARGETS

# Inputs that once broke a promise: the target, and the bytes in base64.
FOUND: list[tuple[str, str]] = []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("target", TARGETS)
def test_seeds(target: str) -> None:
    assert SEEDS[target]
    for data in SEEDS[target][:: max(1, len(SEEDS[target]) // 200)]:
        TARGETS[target](data)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("target", "data"), FOUND)
def test_found(target: str, data: str) -> None:
    TARGETS[target](base64.b64decode(data))
