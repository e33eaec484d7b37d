"""Counts of a table that nobody has whole, as a counter and as estimates."""

from __future__ import annotations

import numpy as np
import pytest

from tests.randomize.parties import CIRCULANT, DENSE_SIX, UNEVEN, flip, made_plan, one_party
from understudy._core.errors import OptionError
from understudy.counting import Counter, MemoryCounter
from understudy.randomize import UnmixedCounts
from understudy.schema import Axis, Marginal, recode

PLAN = made_plan([2, 5, 3, 2], [([0, 2], DENSE_SIX), ([1], flip("0.7", 5)), ([3], UNEVEN)])
CLEAN = made_plan([2, 5, 3, 2], [([0, 2], flip("1", 6)), ([1], flip("1", 5)), ([3], flip("1"))])
ROWS = np.random.default_rng(3).integers(0, [2, 5, 3, 2], (400, 4)).tolist()
ASKED = [Marginal.of(), Marginal.of(1, 0), Marginal.of(3, 2, 1), Marginal.of(Axis(1, 1), 3), Marginal.of(2)]


def test_columns_left_alone_are_counted_as_they_are() -> None:
    inbox = one_party(CLEAN, ROWS)
    counts: Counter = UnmixedCounts(inbox)
    exact = MemoryCounter(inbox.table)
    for found, wanted in zip(counts.count(ASKED), exact.count(ASKED), strict=True):
        assert found.tolist() == wanted.tolist()
    for encoding in ("binary", "gray", "vanilla", "hierarchical"):
        recoding = recode(counts.domain, encoding)
        asked = [Marginal.of(2, 0), Marginal.of(1, 3), Marginal.of(0)]
        for found, wanted in zip(
            counts.recoded(recoding).count(asked), exact.recoded(recoding).count(asked), strict=True
        ):
            assert found.tolist() == wanted.tolist()


def test_whole_counts_are_none_negative_and_add_up_to_all_rows() -> None:
    counts = UnmixedCounts(one_party(PLAN, ROWS))
    for how in ("likelihood", "projection"):
        for table, marginal in zip(counts.fitted(ASKED, how), ASKED, strict=True):
            assert table.shape == marginal.shape(counts.domain)
            assert table.min() >= 0
            assert table.sum() == pytest.approx(400)
    for table in counts.count(ASKED):
        assert table.dtype == np.int64
        assert table.min() >= 0
        assert table.sum() == 400


@pytest.mark.parametrize("encoding", ["binary", "gray"])
def test_recoded_estimates_are_sums_of_the_estimates(encoding) -> None:
    counts = UnmixedCounts(one_party(PLAN, ROWS))
    [joint] = counts.estimates([Marginal.of(1, 2)])
    recoding = recode(counts.domain, encoding)
    recoded = counts.recoded(recoding)
    # the first two of age's three bits, and the last of the third column's two
    bits = [*recoding.pieces[1][:2], recoding.pieces[2][1]]
    [found] = recoded.estimates([Marginal.of(*bits)])
    wanted = np.zeros((2, 2, 2))
    lookups = [recoding.parts[bit].lookup for bit in bits]
    for first in range(5):
        for second in range(3):
            wanted[lookups[0][first], lookups[1][first], lookups[2][second]] += joint.counts[first, second]
    assert found.counts == pytest.approx(wanted)


def test_the_variance_of_any_sum_follows_from_the_covariance() -> None:
    [published] = UnmixedCounts(one_party(PLAN, ROWS)).published([Marginal.of(2, 1, 0)])
    weights = np.random.default_rng(0).normal(size=(3, 5, 2))
    for sampling in (False, True):
        covariance = published.covariance(sampling=sampling)
        assert published.variance_of(weights, sampling=sampling) == pytest.approx(
            weights.ravel() @ covariance @ weights.ravel()
        )


def test_estimates_add_up_to_those_of_fewer_columns() -> None:
    counts = UnmixedCounts(one_party(PLAN, ROWS))
    [wide, narrow] = counts.estimates([Marginal.of(0, 1, 2, 3), Marginal.of(3, 0)])
    assert pytest.approx(narrow.counts) == wide.counts.sum(axis=(1, 2)).T
    assert wide.counts.sum() == pytest.approx(400)


def test_a_table_that_is_too_large_is_refused_before_it_is_counted() -> None:
    wide = made_plan([200] * 4, [([c], flip("0.5", 200)) for c in range(4)])
    counts = UnmixedCounts(one_party(wide, [[0, 0, 0, 0]]))
    with pytest.raises(OptionError, match=r"1,600,000,000 cells.*GB"):
        counts.estimates([Marginal.of(0, 1, 2, 3)])
    with pytest.raises(OptionError, match=r"covariances of 40,000 cells"):
        counts.covariance(Marginal.of(0, 1))


def test_a_singular_matrix_is_refused() -> None:
    plan = made_plan([2, 3], [([0], flip("1/2")), ([1], CIRCULANT)])
    counts = UnmixedCounts(one_party(plan, [[0, 0]]))
    assert counts.estimates([Marginal.of(1)])[0].n == 1
    with pytest.raises(OptionError, match="c0: a transition matrix of 2 values is singular"):
        counts.estimates([Marginal.of(0)])
