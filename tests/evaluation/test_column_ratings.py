"""What single columns of numbers are rated by, where chance, tails and means near 0 make it hard to say."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

from understudy.evaluation import make_references, measure_raw_values, read_pair
from understudy.evaluation._column_ratings import ColumnRating, rate_number
from understudy.evaluation._numbers import NumberColumn
from understudy.schema import Schema

N = 10_000


def compared(
    real: npt.ArrayLike, made: npt.ArrayLike, *, seed: int = 0, low: int = 0, kind: str = "integer"
) -> NumberColumn:
    field = {"name": "x", "type": kind, "bins": 4, "constraints": {"minimum": low, "maximum": 10**7}}
    tables = [pa.table({"x": np.asarray(side)}) for side in (real, made)]
    pair = read_pair(*tables, Schema.from_dict({"fields": [field]}))
    (column,) = measure_raw_values(pair, make_references(pair, seed=seed))[0].numbers
    return column


def rated(real: npt.ArrayLike, made: npt.ArrayLike, *, seed: int = 0, low: int = 0) -> ColumnRating:
    return rate_number(compared(real, made, seed=seed, low=low))


def mostly(value: int, *others: int) -> npt.NDArray[np.int64]:
    return np.array([*others, *[value] * (N - len(others))], dtype=np.int64)


def with_a_tail(seed: int) -> npt.NDArray[np.int64]:
    rng = np.random.default_rng(seed)
    return np.where(rng.random(N) < 0.9, 0, np.minimum(500 * rng.pareto(1.3, N), 10**7)).astype(np.int64)


@pytest.mark.parametrize("most", [0.4, 0.25])
def test_a_tail_that_is_cut_is_rated_alike_whatever_the_seed(most: float) -> None:
    """A single fresh sample has the largest rows or not: by it, the verdict was a matter of the seed."""
    real = with_a_tail(1)
    made = np.minimum(real, np.quantile(real, 1 - most / 100))
    found = [rated(real, made, seed=seed) for seed in range(5)]
    assert {one.tone.name for one in found} == {"far"}


def test_another_sample_of_a_column_without_a_heavy_tail_is_close_whatever_the_seed() -> None:
    rng = np.random.default_rng(2)
    real, made = (rng.gamma(2.0, 500, N).round().astype(int) for _ in range(2))
    assert {rated(real, made, seed=seed).tone.name for seed in range(5)} == {"close"}


def spread(share: float, amount: int) -> npt.NDArray[np.int64]:
    """Mostly 0: its deviation is many times its mean."""
    return mostly(0, *[amount] * round(share * N))


@pytest.mark.parametrize(
    ("real", "made", "tone"),
    [
        (0.012, 0.0095, "close"),  # 21 % off, but within 3 standard errors
        (0.012, 0.008, "far"),  # 33 %, 3.7 standard errors
        (0.03, 0.024, "fair"),  # 20 %, 3.5
        (0.03, 0.0285, "close"),  # 5 %
        (0.2, 0.185, "close"),  # 7.5 % and 3.75 standard errors
    ],
)
def test_a_mean_is_rated_as_a_part_of_itself_too(real: float, made: float, tone: str) -> None:
    found = rated(spread(real, 100), spread(made, 100))
    assert found.tone.name == tone, found.why
    assert tone == "close" or "mean" in found.why


def test_of_values_on_both_sides_of_0_a_mean_is_no_measure() -> None:
    rng = np.random.default_rng(3)
    real = rng.integers(-1000, 1010, N)
    assert rated(real, real + 25, low=-2000).tone.name == "close"


@pytest.mark.parametrize(
    ("real", "made", "tone"),
    [
        (mostly(0, 1), mostly(0), "close"),  # what a fresh sample misses as well
        (mostly(0, 1), mostly(0, 1, 1), "close"),
        (mostly(0, 1, 1), mostly(0), "close"),
        (mostly(0), mostly(0, *[1, 2, 3] * 12), "fair"),  # no fresh sample shows these, but they are few
        (mostly(0, 1), mostly(0, *[1] * 5), "far"),
        (mostly(0, 1, 1, 1, 1, 1, 1), mostly(0), "far"),
        (mostly(0), mostly(0, *[1] * 2000), "far"),
        (mostly(0, 1), mostly(0, *[1] * 2000), "far"),
        (mostly(0, 1), mostly(0, *[1] * 36), "far"),  # its mean is 36 times what it was
        (mostly(7), mostly(7), "close"),
    ],
)
def test_columns_of_next_to_one_value_are_rated_by_what_fresh_samples_show(
    real: npt.NDArray[np.int64], made: npt.NDArray[np.int64], tone: str
) -> None:
    assert {rated(real, made, seed=seed).tone.name for seed in range(3)} == {tone}


def test_what_a_fresh_sample_shows_is_near_what_theory_says() -> None:
    rng = np.random.default_rng(4)
    column = compared(rng.integers(0, 10**6, N), rng.integers(0, 10**6, N))
    # the median of the absolute value of a normal error is 0.674 of its deviation
    assert column.errors["mean"].fresh_sample == pytest.approx(0.674 / N**0.5, rel=0.4)


def test_columns_are_put_in_order_by_word_and_then_by_how_far_they_are_off() -> None:
    column = rated(spread(0.2, 1), spread(0.6, 1))
    assert column.off == pytest.approx(0.4)
    assert column.place < rated(spread(0.2, 1), spread(0.5, 1)).place < rated(spread(0.2, 1), spread(0.2, 1)).place


def test_whole_numbers_that_look_like_years_are_written_as_years() -> None:
    years, amounts = np.arange(1990, 2010).repeat(500), np.arange(1000, 3000).repeat(5)
    assert compared(years, years).text(2000) == "2000"
    assert compared(amounts, amounts).text(2000) == "2,000"


def test_all_that_is_off_is_told_and_the_mean_first() -> None:
    rng = np.random.default_rng(6)
    real = rng.exponential(1000, N).astype(int)
    found = rated(real, np.where(real > 1000, 1000 + (real - 1000) // 4, real))
    assert re.fullmatch(r"mean \S+ became \S+, −\d+ %, .*, and deviation \S+ became \S+", found.why), found.why
    assert found.tone.name == "far"


def test_one_reason_alone_is_told_alone() -> None:
    assert re.fullmatch(r"mean 3 became 2.4, −20 %", rated(spread(0.03, 100), spread(0.024, 100)).why)
    assert rated(spread(0.03, 100), spread(0.03, 100)).why == ""
