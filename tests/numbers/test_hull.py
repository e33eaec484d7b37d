"""From where to where a column has rows: the best estimate of a run, and runs that do or do not stand out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from understudy._core.randomness import streams
from understudy.numbers import fit_histogram
from understudy.numbers._histogram import _averaged, _up_to_one
from understudy.numbers._hull import BRANCHES

Levels = list[np.ndarray[Any, Any]]
DEVIATION = 90.0


def noisy(fine: np.ndarray[Any, Any], rng: Any, deviation: float = DEVIATION) -> Levels:
    """Counts at every level but the coarsest, with noise."""
    found = [np.asarray(fine, dtype=np.float64)]
    while len(found[0]) > BRANCHES:
        found.insert(0, np.add.reduceat(found[0], np.arange(0, len(found[0]), BRANCHES)))
    levels = found[1:] if len(found) > 1 else found
    return [level + rng.normal(0, deviation, len(level)) for level in levels]


@pytest.mark.parametrize("cells", [5, 16, 30])
def test_rows_of_a_run_are_the_weighted_least_squares_of_all_levels(cells: int) -> None:
    """Every run of a small tree, against the matrix that holds what each count sums."""
    rng = streams(3).get("runs")
    levels = noisy(np.arange(cells, dtype=float), rng, 3.0)
    variances = [1.0, 2.0, 5.0][: len(levels)]
    sums = np.vstack([_sums(cells, len(levels) - 1 - i) for i in range(len(levels))])
    weights = np.concatenate([np.full(len(level), 1 / v) for level, v in zip(levels, variances, strict=True)])
    covariance = np.linalg.inv(sums.T @ (weights[:, None] * sums))
    best = covariance @ sums.T @ (weights * np.concatenate(levels))
    tree = _averaged(*_up_to_one(levels, variances))
    for begin in range(cells):
        for end in range(begin + 1, cells + 1):
            run = (np.arange(cells) >= begin) & (np.arange(cells) < end)
            rows, variance = tree.between(begin, end)
            assert rows == pytest.approx(best[run].sum(), abs=1e-8)
            assert variance == pytest.approx(covariance[np.ix_(run, run)].sum(), abs=1e-8)


def _sums(cells: int, height: int) -> np.ndarray[Any, Any]:
    """Which of the finest cells lie in each cell of a level."""
    return (np.arange(cells) // BRANCHES**height == np.arange(-(-cells // BRANCHES**height))[:, None]).astype(float)


def fitted(fine: np.ndarray[Any, Any], name: str, runs: int = 12) -> list[np.ndarray[Any, Any]]:
    rng = streams(4).get(name)
    found = []
    for _ in range(runs):
        levels = noisy(fine, rng)
        found.append(fit_histogram(levels, [DEVIATION**2] * len(levels), np.ones(len(fine))))
    return found


def test_a_thin_spread_beside_a_spike_is_kept() -> None:
    """Two thousand rows, four in ten of them 0, the rest over 2,000 values: no single cell of these stands out."""
    fine = np.zeros(3000)
    fine[0] = 860
    fine[1:2000] = 1280 / 1999
    for found in fitted(fine, "thin"):
        assert 0.2 < found[0] / found.sum() < 0.7
        assert 0.4 < found @ np.arange(3000) / found.sum() / 597 < 1.6


def test_nothing_is_found_beyond_a_clear_end() -> None:
    fine = np.zeros(4096)
    fine[:400] = 20
    for found in fitted(fine, "ends"):
        assert found[800:].sum() < 0.02 * found.sum()
        assert found[:400].sum() > 0.9 * found.sum()


def test_rows_far_away_are_kept_where_they_are_many_and_left_out_where_they_are_few() -> None:
    fine = np.zeros(4096)
    fine[:64] = 100
    fine[4000] = 1500
    assert all(found[3900:].sum() > 1000 for found in fitted(fine, "many"))
    fine[4000] = 20
    assert sum(found[2000:].sum() > 0 for found in fitted(fine, "few")) <= 1


def test_both_sides_are_treated_alike() -> None:
    """Mirrored counts give a mirrored histogram, if the tree is the same seen from either side."""
    levels = noisy(np.repeat([0.0, 300, 900, 40, 5, 0, 0, 0], 32), streams(5).get("sides"))
    variances = [DEVIATION**2] * len(levels)
    there = fit_histogram(levels, variances, np.ones(256))
    back = fit_histogram([level[::-1] for level in levels], variances, np.ones(256))
    assert back[::-1] == pytest.approx(there)
