"""The targets of the fuzzer, over their seeds and over whatever it found; `tools/fuzz.py` goes on from there."""

from __future__ import annotations

import pytest

from fuzz_targets import SEEDS, TARGETS
from urisieve.kernel import compiled

# Inputs that once broke a promise: the target, and the bytes.
FOUND: list[tuple[str, bytes]] = [
    ("iri", b"http://xn--bcher-kva.\xc3\xa9%C3.example/"),  # an A-label beside octets that are not UTF-8
    (
        "auto",
        b"\0\x40Fro\xfcm: a@b.example\nTo: c@d.example\nSubject: a sample of mail, that is\nDate: today\n\nhttp://e.example",
    ),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("target", TARGETS)
def test_seeds(target: str) -> None:
    if target == "kernel" and not compiled:
        pytest.skip("the kernel is not compiled, or switched off")
    assert SEEDS[target]
    for data in SEEDS[target][:: max(1, len(SEEDS[target]) // 200)]:
        TARGETS[target](data)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("target", "data"), FOUND)
def test_found(target: str, data: bytes) -> None:
    TARGETS[target](data)
