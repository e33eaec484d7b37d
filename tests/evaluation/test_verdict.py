"""Intervals, and what numbers beside their references are said to mean."""

from __future__ import annotations

import pytest

from understudy.evaluation import beside_references, mean_interval, points
from understudy.evaluation._interval import t_quantile


def test_quantiles_are_those_of_students_t() -> None:
    stats = pytest.importorskip("scipy.stats", reason="scipy comes with the evaluate extra")
    for freedom in (*range(1, 31), 31, 40, 99, 1000):
        assert t_quantile(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), abs=5e-6)


def test_one_value_has_no_interval() -> None:
    assert mean_interval([0.3]) is None


def test_equal_values_have_an_interval_without_width() -> None:
    assert mean_interval([0.5, 0.5, 0.5]) == (0.5, 0.5)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.004, "about what a fresh sample"),
        (0.001, "less than a fresh sample"),
        (0.012, "close to what a fresh sample"),
        (0.050, "nearer to what a fresh sample"),
        (0.100, "nearer to unrelated columns"),
        (0.155, "hardly better than unrelated columns"),
        (0.161, "no better than unrelated columns"),
        (0.170, "worse than unrelated columns"),
    ],
)
def test_every_place_between_floor_and_ceiling_has_its_words(value: float, said: str) -> None:
    assert said in beside_references(value, 0.004, 0.16)


def test_a_ceiling_no_worse_than_the_floor_is_not_spoken_of() -> None:
    assert "unrelated" not in beside_references(0.02, 0.004, 0.004)


def test_small_shares_are_shown_with_two_decimals() -> None:
    assert [points(x) for x in (0.0, 0.5, 0.001, 0.0004)] == ["0.0", "50.0", "0.1", "0.04"]
