"""Millions of weighed rows: what is counted is sixty times as much, and no run may be charged and then refused."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from understudy.counting import MemoryCounter
from understudy.methods import HPPrivBayes, PrivBayes
from understudy.models import WeightedRScore
from understudy.privacy import PrivacyUnit, make_budget, open_curator
from understudy.schema import Attribute, Domain
from understudy.tables import Table

WEIGHED = PrivacyUnit("one person", max_rows=2, column="person", bounding="weigh")


def curator(rows, size, **first):
    """A few rows that weigh as much as so many."""
    more = (Attribute(name=f"c{i}", size=size) for i in range(1, 4))
    domain = Domain((Attribute(name="c0", size=size, **first), *more))
    rng = np.random.default_rng(0)
    table = Table(domain, tuple(rng.integers(0, size, 100).astype(np.uint8) for _ in range(4)))
    weights = np.full(100, WEIGHED.parts * rows // 100, dtype=np.uint32)
    return open_curator(MemoryCounter(table, weights=weights), budget=make_budget(1), unit=WEIGHED)


def test_binary_columns_are_scored_by_r_before_f_would_refuse():
    assert PrivBayes(k=1).fit(curator(9_000_000, 2)).n > 500_000_000
    options = PrivBayes(k=1).describe(curator(9, 2).domain, 540_000_000, curator(9, 2).terms)
    assert options["score"] == "R"
    assert PrivBayes(k=1).describe(curator(9, 2).domain, 60_000_000, curator(9, 2).terms)["score"] == "F"


@pytest.mark.parametrize("size", [2, 3])
def test_sensitive_values_are_weighted_less_finely_before_their_score_would_refuse(size):
    weights = (Fraction(63), *[Fraction(1)] * (size - 1))
    found = curator(9_000_000, size, sensitivity=Fraction(1), weights=weights)
    assert HPPrivBayes(k=1).fit(found).n > 500_000_000


@pytest.mark.parametrize("n", [10, 10**6, 10**8, 10**9])
def test_weights_are_taken_up_to_what_stays_exact(n):
    fine = (Fraction(1), Fraction(1, 63), Fraction(5, 63))
    made = WeightedRScore.for_rows(n, 0, fine)
    assert all(coarse >= factor for coarse, factor in zip(made.factors, fine, strict=True))
    assert max(made.factors) == 1
    made(np.array([[[n - 3, 0], [1, 0], [0, 2]]]), n)  # refuses what is not exact
