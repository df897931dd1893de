"""What the kernel does on machines that store the highest byte of a number first, and which loops a compiler takes.

Programs are made of its sources. Those for s390x, which stores the highest byte first, run where Debian's packages
`gcc-s390x-linux-gnu` and `qemu-user` are installed.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.helpers.folders import ROOT

pytestmark = pytest.mark.once

KERNEL = ROOT / "src" / "kernel"
SECRET = (0x0706050403020100, 0x0F0E0D0C0B0A0908)
MASK = (1 << 64) - 1

# The digest of each of the texts on its way: a byte of its size, then its bytes.
PROGRAM = """
#include <stdio.h>
#include "digest.h"

int main(void)
{
    const uint64_t seed[2] = {0x0706050403020100u, 0x0F0E0D0C0B0A0908u};
    byte text[256];
    for (int size; (size = getchar()) != EOF;) {
        if (fread(text, 1, (size_t)size, stdin) != (size_t)size) return 1;
        digest made = digest_of(seed, text, (size_t)size);
        printf("%016llx%016llx\\n", (unsigned long long)made.low, (unsigned long long)made.high);
    }
    return 0;
}
"""
TEXTS = [b"", b"a", b"b\0", b"\0", b"\0\0", b"http://a.example/", *(bytes(range(size)) for size in range(1, 65))]

MACHINES = {"this": (("cc",), ()), "s390x": (("s390x-linux-gnu-gcc", "-static"), ("qemu-s390x",))}


def siphash(key: bytes) -> str:
    """SipHash-1-3 of 128 bits, from the paper: one round for each eight bytes, three for each half at the end."""
    v = [SECRET[0] ^ 0x736F6D6570736575, SECRET[1] ^ 0x646F72616E646F6D ^ 0xEE]
    v += [SECRET[0] ^ 0x6C7967656E657261, SECRET[1] ^ 0x7465646279746573]

    def turned(number: int, bits: int) -> int:
        return (number << bits | number >> (64 - bits)) & MASK

    def mix() -> None:
        for a, b, bits in ((0, 1, 13), (2, 3, 16)):
            v[a] = (v[a] + v[b]) & MASK
            v[b] = turned(v[b], bits) ^ v[a]
        v[0] = turned(v[0], 32)
        for a, b, bits in ((0, 3, 21), (2, 1, 17)):
            v[a] = (v[a] + v[b]) & MASK
            v[b] = turned(v[b], bits) ^ v[a]
        v[2] = turned(v[2], 32)

    padded = key + bytes(-(len(key) + 1) % 8) + bytes([len(key) & 0xFF])
    for start in range(0, len(padded), 8):
        word = int.from_bytes(padded[start : start + 8], "little")
        v[3] ^= word
        mix()
        v[0] ^= word
    made = ""
    for index, bits in ((2, 0xEE), (1, 0xDD)):
        v[index] ^= bits
        for _ in range(3):
            mix()
        made += f"{v[0] ^ v[1] ^ v[2] ^ v[3]:016x}"
    return made


@pytest.mark.parametrize("machine", MACHINES)
def test_digests_are_the_same_on_every_machine(machine: str, tmp_path: Path) -> None:  # H6
    compiler, emulator = MACHINES[machine]
    for command in (compiler[0], *emulator):
        if shutil.which(command) is None:
            pytest.skip(f"no {command}")
    (tmp_path / "digests.c").write_text(PROGRAM)
    built = str(tmp_path / "digests")
    sources = [str(tmp_path / "digests.c"), str(KERNEL / "digest.c")]
    subprocess.run([*compiler, "-O3", "-std=c11", f"-I{KERNEL}", "-o", built, *sources], check=True)
    given = b"".join(bytes([len(text)]) + text for text in TEXTS)
    ran = subprocess.run([*emulator, built], input=given, capture_output=True, check=True)
    digests = ran.stdout.decode().split()
    assert digests == [siphash(text) for text in TEXTS]
    assert len(set(digests)) == len(set(TEXTS))


@pytest.mark.skipif(shutil.which("cc") is None, reason="no compiler")
@pytest.mark.parametrize(
    ("macros", "header", "step"),
    [
        (("_M_ARM64",), "arm_neon.h", 16),  # H6: MSVC names its processor so, and defines no other macro
        (("__ARM_NEON", "__aarch64__"), "arm_neon.h", 16),
        (("_M_X64",), "emmintrin.h", 16),
        (("__SSE2__",), "emmintrin.h", 16),
        (("__ARM_NEON",), None, 16),
        ((), None, 16),
    ],
)
def test_the_loops_are_those_of_the_processor(
    macros: tuple[str, ...], header: str | None, step: int, tmp_path: Path
) -> None:
    """Preprocess only: headers of the processor are empty files, and what this one is called is undefined."""
    for name in ("arm_neon.h", "emmintrin.h"):
        (tmp_path / name).write_text(f"taken: {name}\n")
    (tmp_path / "loops.c").write_text('#include "vector.h"\nstep: STEP\n')
    named = ["__SSE2__", "__ARM_NEON", "__aarch64__"]
    flags = [f"-U{name}" for name in named] + [f"-D{name}=1" for name in macros]
    command = ["cc", "-E", "-P", "-nostdinc", *flags, f"-I{tmp_path}", f"-I{KERNEL}", "-include", "stddef.h"]
    for name in ("stddef.h", "stdint.h", "string.h"):
        (tmp_path / name).write_text("")
    made = subprocess.run([*command, str(tmp_path / "loops.c")], capture_output=True, text=True, check=True).stdout
    assert [line for line in made.splitlines() if line.startswith("taken")] == ([f"taken: {header}"] if header else [])
    assert made.splitlines()[-1] == f"step: {step}"
