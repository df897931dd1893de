"""The targets of the fuzzer, over their seeds and over whatever it found; `tools/fuzz.py` goes on from there."""

from __future__ import annotations

import pytest

import kernel_fuzzing
from tests.fuzzing.fuzz_targets import SEEDS, TARGETS
from urisieve.kernel import compiled

# Inputs that once broke a promise: the target, and the bytes.
FOUND: list[tuple[str, bytes]] = [
    ("iri", b"http://xn--bcher-kva.\xc3\xa9%C3.example/"),  # an A-label beside octets that are not UTF-8
    (
        "auto",
        b"\0\x40Fro\xfcm: a@b.example\nTo: c@d.example\nSubject: a sample of mail, that is\nDate: today\n\nhttp://e.example",
    ),
    ("auto", b"\0\0o:e@e.example\nTo: c@d.example\nFrom: a@b.example\n\nhttp://e.example"),  # a field, or not
    ("iri", b"ldap://xn--bcher-kva.e)/"),  # an A-label in a name that is not one of the DNS
    ("checkpoint", b'\x50["x"'),  # what a checkpoint notes is cut
    ("checkpoint", b'\x90{"size": "7"}'),
    ("filter", b"\x03b\xc3.example"),  # a domain that is not UTF-8
    ("urn", b"\x00urn-2:A:bWARC/1.0\r\n"),  # white space around a whole value, which is removed
    ("reference", b" srcset=example"),  # as above, around a reference
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("target", TARGETS)
def test_seeds(target: str) -> None:
    if target == "kernel" and not compiled:
        pytest.skip("the kernel is not compiled, or switched off")
    assert SEEDS[target]
    for data in SEEDS[target][:: max(1, len(SEEDS[target]) // 200)]:
        TARGETS[target](data)


def test_each_target_in_c_has_seeds_and_a_function() -> None:
    source = (kernel_fuzzing.HARNESS / "fuzzing.c").read_text()
    seeded = {name for name, _ in kernel_fuzzing.seeds(SEEDS)}
    assert seeded == set(kernel_fuzzing.TARGETS)
    for name in kernel_fuzzing.TARGETS:
        assert f'{{"{name.removeprefix("native-")}", fuzz_' in source


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("target", "data"), FOUND)
def test_found(target: str, data: bytes) -> None:
    TARGETS[target](data)
