"""Error bars where values were merged, and where a fit was held back from what was measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from understudy.models import CliqueTree, RowsModel, TreeMeasurement, TreeModel, WeightedRows, Within, centred
from understudy.schema import Attribute, Domain, Marginal

N, VARIANCE = 1000, 25.0
RARE = Within(np.array([0, 1, 1, 1, 1]), np.array([1.0, 0.4, 0.3, 0.2, 0.1]))
DOMAIN = Domain((Attribute(name="visits", size=5), Attribute(name="sex", size=2)))
JOINT = np.array([[0.5, 0.4], [0.05, 0.05]])
COLUMNS = [
    TreeMeasurement(marginal=(0,), values=JOINT.sum(axis=1) * N, variance=VARIANCE, interaction=False),
    TreeMeasurement(marginal=(1,), values=JOINT.sum(axis=0) * N, variance=VARIANCE, interaction=False),
]


def tree(measurements: list[TreeMeasurement]) -> TreeModel:
    cliques = CliqueTree((2, 2), ((0, 1),), (-1,), (JOINT,))
    return TreeModel(DOMAIN, N, tree=cliques, within=[RARE, None], measurements=measurements)


def rows(measurements: list[TreeMeasurement]) -> RowsModel:
    codes = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=np.uint16)
    weighted = WeightedRows((2, 2), codes, JOINT.reshape(-1))
    return RowsModel(DOMAIN, N, rows=weighted, within=[RARE, None], measurements=measurements)


@pytest.mark.parametrize("make", [tree, rows])
def test_a_merged_value_is_as_uncertain_as_the_count_of_its_leaf(make) -> None:
    found = make(COLUMNS).marginal(Marginal.of(0))
    assert found.standard_error is not None
    assert (found.standard_error[1:] > 0.5 * VARIANCE**0.5 / N).all()  # it was 0.2 to 0.3 of that, and of all the same
    assert (found.standard_error[1:] < 2 * VARIANCE**0.5 / N).all()


@pytest.mark.parametrize("make", [tree, rows])
def test_questions_given_a_rare_value_have_errors_whatever_noise_makes_of_it(make) -> None:
    for leaf in range(1, 5):
        found = make(COLUMNS).marginal(Marginal.of(1), evidence={0: np.eye(5)[leaf]})
        assert found.standard_error is not None
        assert np.isfinite(found.replicates).all()


@pytest.mark.parametrize("make", [tree, rows])
def test_a_relation_that_the_fit_was_held_back_from_widens_what_rests_on_it(make) -> None:
    def error_of(table: np.ndarray) -> float:
        measured = TreeMeasurement(marginal=(0, 1), values=centred(table), variance=VARIANCE, interaction=True)
        found = make([*COLUMNS, measured]).marginal(Marginal.of(0), evidence={1: np.array([1.0, 0.0])})
        assert found.standard_error is not None
        return float(found.standard_error[0])

    pull = 20 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    assert error_of(JOINT * N + pull) > 1.5 * error_of(JOINT * N)


@pytest.mark.parametrize("make", [tree, rows])
def test_a_cell_that_holds_next_to_nothing_is_no_better_known_than_others(make) -> None:
    """Counts cannot fall below 0, and a fit by factors hardly moves them: noise in such cells was all but left out."""
    joint = np.array([[0.4, 0.549], [0.05, 0.001]])
    interaction = TreeMeasurement(marginal=(0, 1), values=centred(joint * N), variance=400.0, interaction=True)
    columns = [
        TreeMeasurement(marginal=(0,), values=joint.sum(axis=1) * N, variance=0.01, interaction=False),
        TreeMeasurement(marginal=(1,), values=joint.sum(axis=0) * N, variance=0.01, interaction=False),
    ]
    domain = Domain((Attribute(name="visits", size=2), Attribute(name="sex", size=2)))
    model = replace(make([]), domain=domain, within=(), measurements=[*columns, interaction])
    if isinstance(model, TreeModel):
        model = replace(model, tree=CliqueTree((2, 2), ((0, 1),), (-1,), (joint,)))
    else:
        model = replace(model, rows=WeightedRows((2, 2), model.rows.columns, joint.reshape(-1)))
    off = model.marginal(Marginal.of(0, 1)).standard_error * N
    assert 4 < off[1, 1] < 10, "noise of 20 rows, of which 10 are left beside margins, and of those the upper half"
