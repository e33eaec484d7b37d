"""Shrinking noisy tables: against a slow twin, and what it says is left of the noise against what is left."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from understudy.counting import MemoryCounter
from understudy.methods import Adaptive
from understudy.methods._adaptive_rounds import _LEFT, Rounds
from understudy.methods._adaptive_shrink import _GUESS, _GUESSED_CELLS, _RATIOS, _STEPS, parts_of_rare, shrink
from understudy.privacy import make_budget, make_noise, open_curator
from understudy.schema import Attribute, Domain
from understudy.tables import Table


def _slowly(table: list[float], expected: list[float], variance: float) -> list[tuple[float, float]]:
    """Mean and variance of each cell below three deviations, one at a time."""
    weights = _GUESS.tolist()
    likely = [
        [math.exp(-((y - e * r) ** 2) / (2 * variance)) for r in _RATIOS] for y, e in zip(table, expected, strict=True)
    ]
    for _ in range(_STEPS):
        new = [_GUESSED_CELLS * guess for guess in _GUESS]
        for cell in likely:
            whole = sum(a * w for a, w in zip(cell, weights, strict=True))
            new = [n + a * w / whole for n, a, w in zip(new, cell, weights, strict=True)]
        weights = [n / sum(new) for n in new]
    found = []
    for cell, e in zip(likely, expected, strict=True):
        whole = sum(a * w for a, w in zip(cell, weights, strict=True))
        mean = sum(a * w * e * r for a, w, r in zip(cell, weights, _RATIOS, strict=True)) / whole
        square = sum(a * w * (e * r) ** 2 for a, w, r in zip(cell, weights, _RATIOS, strict=True)) / whole
        found.append((mean, square - mean**2))
    return found


def test_cells_within_noise_come_out_as_one_at_a_time() -> None:
    table, expected = [20.0, -15.0, 3.0, 0.0, 29.0], [10.0, 5.0, 40.0, 1.0, 8.0]
    found = shrink(np.array(table), np.array(expected), 100.0)
    slow = _slowly(table, expected, 100.0)
    np.testing.assert_allclose(found.values, [mean for mean, _ in slow])
    np.testing.assert_allclose(found.deviations, [math.sqrt(min(variance, 100.0)) for _, variance in slow])


def test_cells_far_above_noise_stay_with_all_of_it() -> None:
    found = shrink(np.array([[900.0, 61.0]]), np.array([[20.0, 400.0]]), 100.0)
    assert found.values.tolist() == [[900.0, 61.0]]
    assert found.deviations.tolist() == [[10.0, 10.0]]


def test_without_noise_nothing_is_shrunk() -> None:
    found = shrink(np.array([3.0, 0.0]), np.array([1.0, 2.0]), 0.0)
    assert found.values.tolist() == [3.0, 0.0]
    assert not found.deviations.any()


def test_what_is_left_of_noise_is_about_what_is_left() -> None:
    """Counts that are spread as the prior guess has it: the mean deviation tells the mean error."""
    rng = np.random.default_rng(1)
    expected = np.full(2000, 60.0)
    real = expected * rng.choice(_RATIOS, 2000, p=_GUESS)
    found = shrink(real + rng.normal(0, 30, 2000), expected, 900.0)
    error = math.sqrt(float(((found.values - real) ** 2).mean()))
    assert error == pytest.approx(math.sqrt(float((found.deviations**2).mean())), rel=0.1)
    assert error < 27


def test_parts_of_rare_values_are_nearer_than_their_noisy_counts() -> None:
    """Of forty rare values all of which have rows, and of forty of which four have."""
    rng = np.random.default_rng(3)
    for real in (rng.uniform(10, 50, 40), np.repeat([0.0, 300.0], [36, 4])):
        noisy = real + rng.normal(0, 60, 40)
        kept = np.maximum(noisy, 0)
        error = abs(parts_of_rare(real.sum(), noisy, 3600.0) - real / real.sum()).sum()
        assert error < 0.85 * abs(kept / kept.sum() - real / real.sum()).sum()


@pytest.mark.parametrize("total", [0.0, 1e-9, 5.0, 1e6])
def test_parts_of_rare_values_are_parts(total: float) -> None:
    for table in (np.array([-500.0, -500.0]), np.array([0.0, 0.0, 80.0]), np.full(3, 1e5)):
        parts = parts_of_rare(total, table, 400.0)
        assert parts.sum() == pytest.approx(1)
        assert (parts >= 0).all()
    assert parts_of_rare(total, np.array([3.0, 1.0]), 0.0).tolist() == [0.5, 0.5]


def test_parts_of_very_many_rare_values_come_out_as_those_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million values are not held against each ratio one by one."""
    noisy = np.random.default_rng(4).normal(2, 10, 5000)
    binned = parts_of_rare(9000.0, noisy, 100.0)
    monkeypatch.setattr("understudy.methods._adaptive_shrink._MOST_RARE", 5000)
    np.testing.assert_allclose(binned, parts_of_rare(9000.0, noisy, 100.0), rtol=1e-3)


@pytest.mark.parametrize("delta", ["1e-9", None], ids=["with a delta", "pure"])
def test_handicaps_are_of_what_shrinking_leaves(delta: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before any table the part is a guess; then it is mostly told by tables. Under pure ε all of noise counts."""
    rng = np.random.default_rng(2)
    columns = tuple(rng.geometric(0.5, 3000).clip(1, 8) - 1 for _ in range(4))
    domain = Domain(tuple(Attribute(name=str(i), size=8) for i in range(4)))
    parts: list[float] = []
    whole = Rounds._left_of_noise

    def noted(rounds: Rounds) -> float:
        parts.append(whole(rounds))
        return parts[-1]

    monkeypatch.setattr(Rounds, "_left_of_noise", noted)
    counter = MemoryCounter(Table(domain, tuple(column.astype(np.uint8) for column in columns)))
    curator = open_curator(counter, budget=make_budget(Fraction(1), delta), noise=make_noise(seed=1))
    Adaptive().fit(curator)
    if delta is None:
        assert set(parts) == {1.0}
    else:
        assert parts[0] == _LEFT
        assert len(set(parts)) > 3
        assert all(0 < part < 1 for part in parts)
