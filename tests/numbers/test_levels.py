"""Which levels of a grid are looked at again, and what both looks together tell."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from understudy.counting import open_counter
from understudy.numbers import fine_schema, resolve_numbers
from understudy.numbers._levels import telling_levels
from understudy.privacy import Neighbours, make_budget, make_noise, open_curator
from understudy.schema import Schema
from understudy.tables import read_table

RANGE = {"minimum": 0, "maximum": 9_999}
SPIKES, EVEN = [0] * 2000 + [4_000] * 2000, list(range(0, 10_000, 5)) * 2


def curator_of(values: list[int], **options: Any) -> tuple[Any, Any]:
    schema = Schema.from_dict({"fields": [{"name": "x", "type": "integer", "constraints": RANGE}]})
    table = read_table(pd.DataFrame({"x": values}), fine_schema(schema))
    curator = open_curator(open_counter(table), budget=make_budget(1, "1e-9"), noise=make_noise(seed=5), **options)
    return curator, resolve_numbers(curator, schema, share=Fraction(1, 10))


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_the_second_look_is_spent_on_levels_that_told_something(neighbours: Neighbours) -> None:
    curator, found = curator_of(EVEN, neighbours=neighbours)
    first, second, heaps, means = curator.charges
    assert first.share == second.share  # the same price…
    assert second.n_tables < first.n_tables
    assert second.noise.variance < first.noise.variance  # …and less noise
    assert found.share == first.share + second.share + heaps.share + means.share == Fraction(1, 10)


def test_values_that_stand_out_are_looked_at_again_one_by_one() -> None:
    curator, _ = curator_of(SPIKES)
    first, second, _, _ = curator.charges
    assert second.n_tables == first.n_tables


def test_a_seed_makes_the_same_bins_again() -> None:
    assert curator_of(EVEN)[1].schema == curator_of(EVEN)[1].schema


def pyramid(fine: np.ndarray) -> list[np.ndarray]:
    levels = [fine]
    while len(levels[0]) > 4:
        levels.insert(0, levels[0].reshape(-1, 4).sum(axis=1))
    return levels


def test_levels_of_pure_noise_are_left_out_as_a_rule() -> None:
    rng, kept = np.random.default_rng(0), []
    for _ in range(200):
        levels = [level + rng.normal(0, 10, len(level)) for level in pyramid(np.full(256, 50.0))]
        kept.append(telling_levels(levels, [100.0] * len(levels), np.ones(256)))
    assert np.mean(kept, axis=0)[0] == 1
    assert (np.mean(kept, axis=0)[1:] < 0.25).all()


def test_a_level_counts_however_little_those_above_it_tell() -> None:
    """Every cell but the finest holds the same: all the difference is among the finest."""
    levels = pyramid(np.tile([400.0, 0, 0, 0], 64))
    assert telling_levels(levels, [1.0] * len(levels), np.ones(256)) == [True, False, False, True]
