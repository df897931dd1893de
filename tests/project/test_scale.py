"""The formulas of a large run, and the small trials beside them."""

from __future__ import annotations

import random

import pytest

from benchmarks.cores import serial, speed
from benchmarks.scale_model import (
    MIB,
    Corpus,
    Rates,
    collisions,
    cost_per_byte_and_identifier,
    largest_bucket,
    shuffle,
    stages,
)
from benchmarks.scale_trial import DIGEST, digest, host, merge_new, shuffled, trial_of_days

pytestmark = pytest.mark.once


def test_two_texts_give_the_cost_of_a_byte_and_of_an_identifier() -> None:
    def text(size: float, count: float) -> tuple[float, float, float]:
        return size, count, size * 2e-9 + count * 5e-7

    assert cost_per_byte_and_identifier(text(1e6, 10), text(1e6, 5_000)) == pytest.approx((2e-9, 5e-7))


def test_stages() -> None:
    rates = Rates(inflate=3e-9, byte=1e-9, identifier=1e-6, write=2e-6, first=5e-6, stored=80, shuffled=60)
    made = stages(Corpus(1e12, 1e9, 0.5), rates)
    hours = [stage.core_hours * 3_600 for stage in made]
    assert hours == pytest.approx([3_000, 2_000, 2_000, 5_000, 1_000])
    assert [stage.moved for stage in made] == pytest.approx([0, 1e12, 8e10, 2.2e11, 4e10])


def test_what_more_cores_give() -> None:
    assert [serial(gain) for gain in (2.5, 2.0, 1.6, 1.0, 0.8)] == pytest.approx([0, 0, 0.25, 1, 1])
    assert [speed(0.25, cores) for cores in (1, 2, 4)] == pytest.approx([1, 1.6, 16 / 7])
    assert speed(0, 64) == 64


def test_blocks_are_pairs_of_a_map_and_a_reducer() -> None:
    found = shuffle(Corpus(10e12, 1e10, 0.4), 128 * MIB, 2_000, 25, 0.005)
    assert (found.maps, found.blocks) == (74_506, 149_012_000)
    assert found.block == pytest.approx(1_678, rel=0.001)
    assert shuffle(Corpus(620e9, 1e10, 0.4), 1e9, 2_000, 25, 0.005).block == pytest.approx(200_000, rel=0.01)
    assert found.seek_hours == pytest.approx(207, rel=0.001)


def test_pairs_that_share_a_digest() -> None:
    assert collisions(1e10, 128) == pytest.approx(1.5e-19, rel=0.03)
    assert collisions(1e10, 64) == pytest.approx(2.7, rel=0.01)
    assert largest_bucket(1e10, 1) == 1
    assert largest_bucket(1e10, 4_096) == pytest.approx(1.0026, abs=1e-4)


def test_a_shuffle_moves_each_key_to_one_reducer() -> None:
    keys = [f"http://{number % 5}.example/{number % 60}" for number in range(240)]
    plain = shuffled(keys, 4, 8, combine=False)
    assert plain.rows == 240
    assert shuffled(keys, 4, 8, combine=True).rows == 240  # the same 60 in each map, once
    assert shuffled(keys, 2, 8, combine=True).rows == 120
    assert shuffled(keys, 1, 8, combine=True).rows == 60
    # Five hosts fill five blocks of a map at most.
    assert shuffled(keys, 4, 64, host, combine=False).blocks <= 20
    assert host("http://user@a.example:8080/b") == digest("user@a.example:8080")


def test_a_bucket_takes_what_is_new() -> None:
    chance = random.Random(1)
    for _ in range(50):
        old = {bytes([chance.randrange(9)]) * DIGEST for _ in range(chance.randrange(6))}
        fresh = {bytes([chance.randrange(9)]) * DIGEST for _ in range(chance.randrange(6))}
        new, bucket = merge_new(b"".join(sorted(old)), sorted(fresh))
        assert new == sorted(fresh - old)
        assert bucket == b"".join(sorted(fresh | old))


def test_days_against_buckets() -> None:
    results = trial_of_days(4, 1_000, 0.5, 8)
    assert [found.new for found in results] == [1_000, 500, 500, 500]
    assert [found.read for found in results] == [0, 16_000, 24_000, 32_000]
    # The formula says where the largest bucket is; chance may pass it a little.
    assert results[-1].largest <= largest_bucket(2_500, 8) * 1.1
