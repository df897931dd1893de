"""Documents, saved pages, histories and chats that are damaged at random: no exception leaves, what follows is read."""

from __future__ import annotations

import gzip
import io
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.helpers.strategies import scaled
from tests.sources.test_exports import EXPORTS, write
from urisieve import InputError, ReadingOptions, extract_files
from urisieve.errors import UnexpectedInputError
from urisieve.options import Limits

DATA = Path(__file__).with_name("data")
NAMES = [*sorted(path.name for path in DATA.iterdir() if path.name != "locked.pdf"), *EXPORTS]
# Limits at which a bomb that damage makes ends soon.
LIMITS = Limits(stream_allowance=4_194_304, total_allowance=16_777_216)
FEW = 40
MANY = 400  # twice in the long tests, with URISIEVE_EXAMPLES=500 twenty times


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Return bytes with some changed, left out, doubled, or cut off."""
    made = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8, 64))):
        start = chance.randrange(len(made) + 1)
        size = chance.choice((1, 1, 1, 4, 40, 400))
        match chance.randrange(7):
            case 0:
                made[start : start + size] = chance.randbytes(size)
            case 1:
                del made[start : start + size]
            case 2:
                made[start:start] = made[start : start + size] * chance.choice((1, 2, 50))
            case 3:
                other = chance.randrange(len(made) + 1)
                made[start : start + size] = made[other : other + size]
            case 4 if chance.random() < 0.1:
                del made[start:]
            case 5:
                made[start : start + 4] = chance.choice(
                    (b"\0\0\0\0", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\1\0\0\0")
                )
            case _:
                if start < len(made):
                    made[start] ^= 1 << chance.randrange(8)
    return bytes(made)


def in_parts(data: bytes, chance: random.Random) -> bytes:
    """Return a package of which some parts are damaged, and packed anew."""
    out = io.BytesIO()
    with ZipFile(io.BytesIO(data)) as package, ZipFile(out, "w") as made:
        infos = package.infolist()
        hit = {chance.randrange(len(infos)) for _ in range(3)}
        for index, info in enumerate(infos):
            part = package.read(info)
            made.writestr(info, damaged(part, chance) if index in hit else part)
    return out.getvalue()


def sample(name: str, folder: Path) -> bytes:
    if name in EXPORTS:
        path = write(folder, name)
        data = path.read_bytes()
        path.unlink()
        return data
    data = (DATA / name).read_bytes()
    return gzip.decompress(data) if name.endswith(".gz") else data


def variants(data: bytes, name: str, count: int, seed: int) -> Iterator[bytes]:
    chance = random.Random(f"{name} {seed}")
    for number in range(count):
        yield in_parts(data, chance) if data[:2] == b"PK" and number % 4 else damaged(data, chance)


def read_all(folder: Path, name: str, count: int, seed: int = 0) -> None:
    """Read variants, a hundred at a time, each before a plain file."""
    reading = ReadingOptions(limits=LIMITS)
    data = sample(name, folder)
    name = name.removesuffix(".gz")
    stream = variants(data, name, count, seed)
    while some := list(islice(stream, 100)):
        for number, made in enumerate(some):
            (folder / f"{number:03} {name}").write_bytes(made)
            (folder / f"{number:03} z.txt").write_text("http://last.example/")
        errors: list[InputError] = []
        found = extract_files(folder, reading=reading, on_error=lambda _, error: errors.append(error))  # noqa: B023
        last = [record for record in found if record.uri == "http://last.example/"]
        assert len(last) == len(some)
        assert [error for error in errors if isinstance(error, UnexpectedInputError)] == []


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", NAMES)
def test_some(name: str, tmp_path: Path) -> None:
    read_all(tmp_path, name, FEW)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 1 + scaled(4)))
@pytest.mark.parametrize("name", NAMES)
def test_many(name: str, seed: int, tmp_path: Path) -> None:
    read_all(tmp_path, name, MANY, seed)
