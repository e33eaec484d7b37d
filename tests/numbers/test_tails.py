"""Tails in place of a histogram's ends: where they are drawn out, and where they are not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from understudy._core.randomness import streams
from understudy.numbers import fit_histogram
from understudy.numbers._histogram import BRANCHES

Floats = npt.NDArray[np.float64]
CELLS = 1024
DEVIATION = 40.0


def fitted(counts: Floats, seed: int) -> Floats:
    """The histogram of exact counts with noise at every level."""
    levels, rng = [counts], streams(seed).get("noise")
    while len(levels[0]) > BRANCHES:
        levels.insert(0, np.add.reduceat(levels[0], np.arange(0, len(levels[0]), BRANCHES)))
    noisy = [level + rng.normal(0, DEVIATION, len(level)) for level in levels]
    return fit_histogram(noisy, [DEVIATION**2] * len(noisy), np.ones(CELLS))


def moments(counts: Floats) -> tuple[float, float]:
    cells = np.arange(len(counts))
    mean = counts @ cells / counts.sum()
    return float(mean), float(np.sqrt(counts @ (cells - mean) ** 2 / counts.sum()))


def rows_of(survival: Callable[[Floats], Floats], n: int) -> Floats:
    return n * -np.diff(survival(np.arange(CELLS + 1, dtype=np.float64)))


SHAPES = {
    "exponential": rows_of(lambda x: np.exp(-x / 20), 10_000),
    "pareto": rows_of(lambda x: (1 + x / 40) ** -3, 10_000),
    "even up to 300": rows_of(lambda x: np.maximum(1 - x / 300, 0), 10_000),
    "thinning out to both sides": rows_of(lambda x: 1 / (1 + np.exp((x - 500) / 25)), 10_000),
}


OFF = {"exponential": 0.12, "pareto": 0.2, "even up to 300": 0.05, "thinning out to both sides": 0.1}
"""How far deviations may be off on average over twelve seeds."""


@pytest.mark.parametrize("shape", SHAPES)
def test_means_and_deviations_survive_noise_in_the_tail(shape: str) -> None:
    real = SHAPES[shape]
    mean, deviation = moments(real)
    found = np.array([moments(fitted(real, seed)) for seed in range(12)])
    assert np.abs(found[:, 0] - mean).mean() < 0.06 * deviation
    assert np.abs(found[:, 1] / deviation - 1).mean() < OFF[shape]


def test_a_tail_is_not_cut_off_on_average() -> None:
    """Without one, deviations of a heavy tail are too small in every run."""
    _, deviation = moments(SHAPES["pareto"])
    ratios = [moments(fitted(SHAPES["pareto"], seed))[1] / deviation for seed in range(12)]
    assert 0.85 < np.mean(ratios) < 1.15


def test_a_column_that_stops_at_once_has_hardly_any_rows_beyond() -> None:
    real = SHAPES["even up to 300"]
    beyond = [fitted(real, seed)[320:].sum() for seed in range(12)]
    assert np.mean(beyond) < 0.01 * real.sum()


def test_a_clear_value_far_out_is_kept_and_nothing_is_spread_before_it() -> None:
    real = SHAPES["exponential"].copy()
    real[999] += 600
    for seed in range(6):
        found = fitted(real, seed)
        assert found[999] == pytest.approx(600, rel=0.4)
        assert found[300:990].sum() < 150


@pytest.mark.parametrize("n", [0, 30, 300])
def test_few_rows_stay_finite_and_not_negative(n: int) -> None:
    found = fitted(np.full(CELLS, n / CELLS), 1)
    assert np.isfinite(found).all()
    assert (found >= 0).all()


@pytest.mark.parametrize("end", [0, CELLS - 1])
def test_an_end_of_the_range_that_many_rows_are_told_as_is_kept(end: int) -> None:
    """Top-coded values: too few to be seen anywhere else, and nothing lies between them and the rest."""
    real = SHAPES["thinning out to both sides"].copy()
    real[end] += 6 * DEVIATION
    found = np.array([fitted(real, seed) for seed in range(8)])
    near, between = (slice(0, 30), slice(50, 250)) if end == 0 else (slice(-30, None), slice(750, 990))
    assert found[:, near].sum(axis=1).mean() == pytest.approx(6 * DEVIATION, rel=0.25)
    assert found[:, end].mean() > 0.6 * found[:, near].sum(axis=1).mean(), "most of it at the very end"
    assert found[:, between].sum(axis=1).mean() < 40


def test_the_ends_of_the_range_are_empty_if_nobody_is_there() -> None:
    ends = [fitted(SHAPES["thinning out to both sides"], seed)[[0, -1]].sum() for seed in range(40)]
    assert np.mean(np.array(ends) > 1) < 0.05
