"""What no row of a model has may still be there: intervals say how many rows noise may hide."""

from __future__ import annotations

import numpy as np
import pytest

from understudy._core.randomness import Streams
from understudy.models._rows_model import RowsModel
from understudy.models._rows_values import WeightedRows
from understudy.models._tree_model import TreeModel
from understudy.models._tree_values import CliqueTree, TreeMeasurement
from understudy.schema import Attribute, Domain, Marginal, Zeros

N, SPREAD = 1000, 8.0
COUNTS = [np.array([700.0, 300.0, -5.0]), np.array([400.0, 600.0])]


def made(kind: str, *rules: Zeros) -> RowsModel | TreeModel:
    """Two columns; the first one's last value, measured as −5, is in no row."""
    domain = Domain((Attribute(name="test", size=3), Attribute(name="sex", size=2)), rules)
    noisy = [
        TreeMeasurement(marginal=(a,), values=counts, variance=SPREAD**2, interaction=False)
        for a, counts in enumerate(COUNTS)
    ]
    shares = [np.maximum(counts, 0) / N for counts in COUNTS]
    if kind == "tree":
        tree = CliqueTree((3, 2), ((0,), (1,)), (-1, -1), tuple(shares))
        return TreeModel(domain, N, tree=tree, measurements=noisy)
    codes = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=np.uint16)
    weights = np.array([shares[0][a] * shares[1][b] for a, b in codes.T])
    return RowsModel(domain, N, rows=WeightedRows((3, 2), codes, weights / weights.sum()), measurements=noisy)


@pytest.mark.parametrize("kind", ["rows", "tree"])
def test_the_interval_of_a_value_in_no_row_reaches_as_far_as_noise(kind: str) -> None:
    found = made(kind).marginal(Marginal.of(0))
    assert found.probabilities[2] == 0
    assert found.low is not None
    assert found.high is not None
    assert found.low[2] == 0
    assert 1.2 * SPREAD / N < found.high[2] < 3 * SPREAD / N
    # two such deviations hold the true count nearly always, if it was measured as −5
    rng = Streams(1).get("test")
    true = 10 + rng.normal(0, SPREAD, 1000)
    assert np.mean(true[true < 0] < found.high[2] * N) == 1


@pytest.mark.parametrize("kind", ["rows", "tree"])
def test_of_fewer_rows_it_is_wider(kind: str) -> None:
    model = made(kind)
    every, some = (
        model.marginal(Marginal.of(0), evidence=evidence).high for evidence in (None, {1: np.array([1.0, 0.0])})
    )
    assert every is not None
    assert some is not None
    assert some[2] == pytest.approx(every[2] / 0.4, rel=0.05)


@pytest.mark.parametrize("kind", ["rows", "tree"])
def test_what_rules_leave_no_row_for_stays_at_nothing(kind: str) -> None:
    possible = np.array([[True, True], [True, True], [False, True]])
    found = made(kind, Zeros((0, 1), possible, "never test=2, sex=0")).marginal(Marginal.of(1, 0))
    assert found.high is not None
    assert found.high[0, 2] == 0
    assert found.high[1, 2] > 0
    given = made(kind, Zeros((0, 1), possible)).marginal(Marginal.of(0), evidence={1: np.array([1.0, 0.0])})
    assert given.high is not None
    assert given.high[2] == 0


def test_sums_of_many_such_values_are_no_surer_than_noise_and_no_wider() -> None:
    size = 400
    domain = Domain((Attribute(name="name", size=size),))
    counts = np.concatenate([[1000.0], np.zeros(size - 1)])
    noisy = TreeMeasurement(marginal=(0,), values=counts, variance=SPREAD**2, interaction=False)
    tree = CliqueTree((size,), ((0,),), (-1,), (counts / counts.sum(),))
    found = TreeModel(domain, N, tree=tree, measurements=[noisy]).marginal(Marginal.of(0))
    assert found.replicates is not None
    together = found.replicates[:, 1:].sum(axis=1) * N
    assert np.std(together) == pytest.approx(SPREAD * np.sqrt(size - 1), rel=0.5)
    assert abs(together.mean()) < SPREAD * np.sqrt(size - 1)
