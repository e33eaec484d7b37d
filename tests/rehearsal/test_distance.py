"""Distances counted in batches are those of tables counted one by one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from understudy._core.randomness import Streams
from understudy.counting import MemoryCounter
from understudy.privacy import make_budget
from understudy.rehearsal import _distance, answer_distances, rehearse, sample_table, table_distances
from understudy.schema import Attribute, Domain, Marginal
from understudy.tables import Table

SIZES = (2, 3, 2, 5, 4)
GROUPS = [*combinations(range(5), 3), (0,), (4, 1)]


@pytest.fixture(scope="module")
def table() -> Table:
    rng = np.random.default_rng(0)
    domain = Domain(tuple(Attribute(name=f"c{i}", size=size) for i, size in enumerate(SIZES)))
    return Table(domain, tuple(rng.integers(size, size=300) for size in SIZES))


def one_by_one(table: Table, asked) -> list[float]:
    """As defined, cell by cell, each table counted by numpy."""
    found = []
    for group in GROUPS:
        real = np.zeros([SIZES[i] for i in group])
        np.add.at(real, tuple(table.columns[i] for i in group), 1)
        found.append(float(np.abs(real / table.n - asked(group)).sum()) / 2)
    return found


@pytest.mark.parametrize("cells", [1, 50, 1 << 22])
@pytest.mark.parametrize("method", ["laplace:ways=3", "uniform", "privbayes:k=1"])
def test_answers_counted_in_portions_of_any_size_are_as_far_off_as_one_by_one(table, method, cells, monkeypatch):
    monkeypatch.setattr(_distance, "_PORTION_CELLS", cells)
    counter = MemoryCounter(table)
    learnt = rehearse(counter, method, make_budget(1), seed=3)
    plain = one_by_one(table, lambda group: learnt.marginal(Marginal.of(*group), errors=False).probabilities)
    assert answer_distances(counter, learnt, GROUPS).tolist() == plain


def test_rows_are_as_far_off_as_their_shares_are(table):
    learnt = rehearse(MemoryCounter(table), "independent", make_budget(5), seed=1)
    rows = sample_table(learnt, 200, Streams(1))
    counter = MemoryCounter(rows)
    plain = one_by_one(table, lambda group: counter.count([Marginal.of(*group)])[0] / rows.n)
    [found, none] = table_distances(table, [rows, table], GROUPS)
    assert found == pytest.approx(plain, abs=1e-12)
    assert not none.any()
