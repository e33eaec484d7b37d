"""What the model expected of a table, bent along columns in order: by few numbers, and only where these say so."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import understudy
from understudy._core.randomness import Streams
from understudy.methods import _adaptive_shrink
from understudy.methods._adaptive_bend import Directions, bent
from understudy.methods._adaptive_columns import Column
from understudy.methods._adaptive_shrink import shrink

Floats = npt.NDArray[np.float64]
PLACE = np.linspace(-1, 1, 12)
REAL = 100 * np.exp(np.outer(PLACE, PLACE))
INDEPENDENT = np.outer(REAL.sum(axis=1), REAL.sum(axis=0)) / REAL.sum()


def noise(seed: int, deviation: float = 50.0) -> Floats:
    return np.asarray(Streams(seed).get("noise").normal(0, deviation, REAL.shape))


def off(table: Floats, real: Floats) -> float:
    return float(np.abs(table - real).mean())


@given(st.lists(st.floats(0.05, 20), min_size=1, max_size=9), st.data())
def test_directions_are_orthonormal_under_the_frequencies_and_beside_a_constant(
    frequencies: list[float], data: st.DataObject
) -> None:
    in_order = data.draw(st.integers(0, len(frequencies)))
    weights = np.array(frequencies) / sum(frequencies)
    found = Directions.of(np.array(frequencies), in_order)
    functions = np.column_stack([np.ones(len(weights)), found.functions])
    products = functions.T @ (weights[:, None] * functions)
    np.testing.assert_allclose(products, np.eye(len(products)), atol=1e-5)
    told = len(weights) - max(in_order, 1) + min(max(in_order - 1, 0), 5)  # five polynomials tell all of six values
    assert len(products) == 1 + told
    covered = [place for block in found.blocks for place in range(block.start, block.stop)]
    assert covered == list(range(found.functions.shape[1]))


def test_a_relation_along_both_columns_comes_out_of_noise_and_its_rows_are_as_many() -> None:
    for seed in range(5):
        found = bent(REAL + noise(seed), INDEPENDENT, 50.0**2, (12, 12))
        assert off(found, REAL) < 0.75 * off(INDEPENDENT, REAL)
        for side in (0, 1):  # each column by itself stays as it was
            np.testing.assert_allclose(found.sum(axis=side), INDEPENDENT.sum(axis=side), rtol=0.01)


@pytest.mark.parametrize("deviation", [1.0, 200.0, 2_000.0])
def test_columns_by_themselves_stay_as_they_were_however_far_a_table_is_bent(deviation: float) -> None:
    for seed in range(5):
        found = bent(REAL + noise(seed, deviation), INDEPENDENT, 50.0**2, (12, 12))
        assert (found > 0).all()
        for side in (0, 1):
            np.testing.assert_allclose(found.sum(axis=side), INDEPENDENT.sum(axis=side), rtol=0.01)


def test_without_noise_what_is_asked_comes_out() -> None:
    found = bent(REAL, INDEPENDENT, 1e-6, (12, 12))
    assert off(found, REAL) < 0.05 * off(INDEPENDENT, REAL)


def test_what_is_noise_alone_hardly_bends_anything() -> None:
    for seed in range(5):
        found = bent(INDEPENDENT + noise(seed), INDEPENDENT, 50.0**2, (12, 12))
        assert off(found, INDEPENDENT) < 0.25 * off(INDEPENDENT + noise(seed), INDEPENDENT)


def test_of_columns_in_no_order_nothing_is_bent() -> None:
    np.testing.assert_allclose(bent(REAL + noise(1), INDEPENDENT, 50.0**2, (0, 0)), INDEPENDENT)


@given(st.permutations(range(12)))
def test_in_which_sequence_values_without_an_order_come_does_not_matter(sequence: list[int]) -> None:
    table = REAL + noise(3)
    found = bent(table, INDEPENDENT, 50.0**2, (0, 12))
    moved = bent(table[sequence], INDEPENDENT[sequence], 50.0**2, (0, 12))
    np.testing.assert_allclose(moved, found[sequence], rtol=1e-6)


def test_means_of_groups_come_out_where_one_column_has_an_order() -> None:
    groups = [2, 0, 3, 1, *range(4, 12)]
    for seed in range(5):
        found = bent((REAL + noise(seed))[groups], INDEPENDENT[groups], 50.0**2, (0, 12))
        assert off(found, REAL[groups]) < 0.9 * off(INDEPENDENT, REAL)


def test_a_table_is_bent_only_where_that_makes_it_likelier(monkeypatch: pytest.MonkeyPatch) -> None:
    table = REAL + noise(4)
    along = shrink(table, INDEPENDENT, 50.0**2, (12, 12))
    assert off(along.values, REAL) < 0.8 * off(shrink(table, INDEPENDENT, 50.0**2).values, REAL)
    monkeypatch.setattr(_adaptive_shrink, "bent", lambda *given: INDEPENDENT[::-1].copy())
    kept = shrink(table, INDEPENDENT, 50.0**2, (12, 12))
    np.testing.assert_array_equal(kept.values, shrink(table, INDEPENDENT, 50.0**2).values)


def test_merged_values_come_after_those_in_order() -> None:
    leaves = np.array([50.0, 1.0, 60.0, 70.0, 2.0, 80.0])
    column = Column(leaves=leaves, variance=4.0, share=0.1, codes=np.array([0, 4, 1, 2, 4, 3]), total=263.0)
    assert (column.in_order(0), column.in_order(4), column.in_order(6)) == (0, 3, 4)
    assert Column(leaves=leaves, variance=0.0, share=0.1, codes=None, total=263.0).in_order(6) == 6


def test_a_release_keeps_more_of_the_correlation_of_two_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Streams(5).get("table")
    one = rng.normal(50, 15, 2000)
    two = 0.5 * one + rng.normal(25, 15 * np.sqrt(0.75), 2000)
    frame = pd.DataFrame({"one": one, "two": two}).round().clip(0, 100).astype(int)
    number = {"type": "integer", "constraints": {"minimum": 0, "maximum": 100}}
    schema = {"fields": [{"name": "one", **number}, {"name": "two", **number}]}

    def spearman(rows: pd.DataFrame) -> float:
        return float(np.corrcoef(rows["one"].rank(), rows["two"].rank())[0, 1])

    def correlation() -> float:
        fitted = [understudy.Adaptive(epsilon=1, seed=seed).fit(frame, schema) for seed in range(6)]
        return float(np.mean([spearman(model.sample(2000)) for model in fitted]))

    real, along = spearman(frame), correlation()
    monkeypatch.setattr(_adaptive_shrink, "bent", lambda table, expected, variance, in_order: expected)
    assert abs(along - real) < 0.8 * abs(correlation() - real)
