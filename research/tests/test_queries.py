"""PrivABN's errors, by hand and beside total variation."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from tests.evaluation.samples import pairs

from research.tasks import QUERIES, mean_errors
from research.tasks._queries import _truth
from research.tests.made_up import write_binary_table
from understudy.counting import MemoryCounter
from understudy.evaluation import Pair
from understudy.rehearsal import table_distances
from understudy.schema import Marginal
from understudy.tables import Table


def shares(table: Table, columns: tuple[int, ...]) -> np.ndarray:
    """Row by row."""
    found = np.zeros([table.domain[a].size for a in columns])
    for row in zip(*(table.columns[a].tolist() for a in columns), strict=True):
        found[row] += 1 / table.n
    return found


@settings(max_examples=15)
@given(pairs(most_rows=10))
def test_errors_are_the_papers_formulas_and_l1_is_twice_the_total_variation_distance(pair: Pair) -> None:
    groups = list(combinations(range(len(pair.domain)), 2))
    real, made = (
        [counts / table.n for counts in MemoryCounter(table).count([Marginal.of(*group) for group in groups])]
        for table in (pair.real, pair.first)
    )
    differences = [shares(pair.real, group) - shares(pair.first, group) for group in groups]
    l1, l2 = mean_errors(real, made)
    assert l1 == pytest.approx(np.mean([np.abs(d).sum() for d in differences]), abs=1e-12)
    assert l2 == pytest.approx(np.mean([np.sqrt((d**2).sum()) for d in differences]), abs=1e-12)
    assert l1 == pytest.approx(2 * table_distances(pair.real, [pair.first], groups).mean(), abs=1e-12)


def test_disjoint_tables_have_the_largest_errors() -> None:
    assert mean_errors([np.array([1.0, 0.0])], [np.array([0.0, 1.0])]) == pytest.approx((2.0, 2**0.5))


def test_two_hundred_random_queries_are_asked_or_all_there_are(tmp_path) -> None:
    write_binary_table(tmp_path, "nltcs", 12)
    asked, truth = _truth("nltcs", tmp_path, 3, 0)
    assert len(set(asked)) == len(truth) == QUERIES  # of 220
    assert all(answer.shape == (2, 2, 2) and answer.sum() == pytest.approx(1) for answer in truth)
    assert _truth("nltcs", tmp_path, 3, 1)[0] != asked
    assert len(_truth("nltcs", tmp_path, 2, 0)[0]) == 66
