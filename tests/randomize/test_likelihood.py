"""Most likely counts: the maximum, reached without the likelihood ever falling."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tests.randomize.parties import CIRCULANT, DENSE_SIX, UNEVEN, flip, made_plan, one_party
from understudy._core.errors import UnderstudyWarning
from understudy.randomize import UnmixedCounts, most_likely
from understudy.schema import Marginal

MATRICES = {
    "two flips": [flip("0.7"), flip("0.8")],
    "dense": [DENSE_SIX],
    "uneven and circulant": [UNEVEN, CIRCULANT, flip("0.6", 3)],
    "left alone": [flip("1", 4)],
    "a zero in every row": [DENSE_SIX, UNEVEN],
}


def level(published: np.ndarray, matrices, counts: np.ndarray) -> float:
    """The log-likelihood by definition, on the whole transition matrix."""
    joint = np.ones((1, 1))
    for matrix in matrices:
        joint = np.kron(joint, matrix.dense)
    expected = joint.T @ counts.ravel() / counts.sum()
    seen = published.ravel() > 0
    return float((published.ravel()[seen] * np.log(expected[seen])).sum())


@pytest.mark.parametrize("matrices", MATRICES.values(), ids=MATRICES.keys())
@pytest.mark.parametrize("seed", range(4))
def test_no_other_counts_are_more_likely(matrices, seed: int) -> None:
    draws = np.random.default_rng(seed)
    shape = tuple(matrix.size for matrix in matrices)
    published = draws.poisson(draws.gamma(0.4, 60, shape)).astype(float)
    published.flat[0] += 1
    levels: list[float] = []
    counts = most_likely(published, matrices, watch=levels.append)
    assert counts.min() >= 0
    assert counts.sum() == pytest.approx(published.sum())
    assert all(after >= before for before, after in pairwise(levels))
    reached = level(published, matrices, counts)
    assert reached == pytest.approx(levels[-1])
    for _ in range(200):
        other = counts + draws.gamma(0.2, draws.choice([0.1, 1, 10]), shape)
        other *= draws.random(shape) < 0.9
        if other.sum() > 0 and (matrices[0].dense.min() > 0 or other.min() > 0):
            assert level(published, matrices, other) <= reached + 0.011


def test_where_unbiased_counts_are_positive_they_are_the_most_likely_ones() -> None:
    published = np.array([[400.0, 300.0], [300.0, 500.0]])
    matrices = [flip("0.8"), UNEVEN]
    unbiased = np.linalg.solve(np.kron(matrices[0].dense, matrices[1].dense).T, published.ravel()).reshape(2, 2)
    assert unbiased.min() > 0
    assert most_likely(published, matrices, gap=1e-9) == pytest.approx(unbiased, abs=0.02)


def test_fitted_counts_of_some_columns_of_a_dense_block_are_sums_of_the_whole_block() -> None:
    plan = made_plan([2, 3], [([0, 1], DENSE_SIX)])
    rows = np.random.default_rng(0).integers(0, [2, 3], (300, 2)).tolist()
    counts = UnmixedCounts(one_party(plan, rows))
    [whole, part] = counts.fitted([Marginal.of(0, 1), Marginal.of(1)])
    assert part == pytest.approx(whole.sum(axis=0))


def test_a_table_without_rows_has_no_counts() -> None:
    assert most_likely(np.zeros((2, 2)), [flip("0.7"), UNEVEN]).tolist() == [[0, 0], [0, 0]]


def test_steps_end_where_they_are_told_to() -> None:
    levels: list[float] = []
    most_likely(np.array([5.0, 900.0]), [flip("0.501")], gap=0, most_steps=30, watch=levels.append)
    assert len(levels) == 10


def test_a_maximum_that_is_far_when_steps_end_is_told(monkeypatch) -> None:
    monkeypatch.setattr("understudy.randomize._likelihood.MOST_WORK", 12)
    with pytest.warns(UnderstudyWarning, match=r"2 cells were not reached in 6 steps.*of its maximum"):
        most_likely(np.array([5.0, 90000.0]), [flip("0.501")])
