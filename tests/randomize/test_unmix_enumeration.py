"""Unbiasedness and covariances, exactly: every way in which a few rows can come out, with its probability.

The twin works in fractions on the whole transition matrix of all columns together. It is exactly unbiased, exactly as
spread as the formula says, and the product must agree with it on every outcome.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tests.naive.unmixing import naive_covariance, naive_inverse, naive_joint_matrix, naive_outcomes, naive_unmix
from tests.randomize.parties import CIRCULANT, DENSE_SIX, IN_GROUPS, UNEVEN, exact_rows, flip, made_plan, one_party
from understudy.randomize import TransitionMatrix, UnmixedCounts, exact_covariance
from understudy.schema import Axis, Domain, Marginal


@dataclass(frozen=True)
class Case:
    """Columns, how they are randomised, the rows, and what is asked for."""

    sizes: tuple[int, ...]
    blocks: Sequence[tuple[Sequence[int], TransitionMatrix]]
    rows: Sequence[tuple[int, ...]]
    asked: Sequence[Marginal]
    inverse: list[list[Fraction]] = field(init=False)
    matrix: list[list[Fraction]] = field(init=False)

    def __post_init__(self) -> None:
        joint = naive_joint_matrix(self.sizes, [(columns, exact_rows(matrix)) for columns, matrix in self.blocks])
        object.__setattr__(self, "matrix", joint)
        object.__setattr__(self, "inverse", naive_inverse(joint))

    @property
    def cells(self) -> list[tuple[int, ...]]:
        return list(product(*(range(size) for size in self.sizes)))

    def groups(self, marginal: Marginal, domain: Domain) -> tuple[list[int], int]:
        """For each joint cell its cell in the marginal, and how many those are."""
        shape = marginal.shape(domain)
        places = [
            tuple(int(domain[axis.attribute].groups_at(axis.level)[cell[axis.attribute]]) for axis in marginal.axes)
            for cell in self.cells
        ]
        return [int(np.ravel_multi_index(place, shape)) if shape else 0 for place in places], int(np.prod(shape))


CHILD, PARENT, OTHER = 0, 1, 2
CASES = {
    "a: all independently": Case(
        (2, 3), [([0], flip("3/4")), ([1], CIRCULANT)], [(0, 2), (1, 1), (1, 2)],
        [Marginal.of(0, 1), Marginal.of(1, 0), Marginal.of(0), Marginal.of(1), Marginal.of()],
    ),
    "b: parents together": Case(
        (2, 2, 2), [([0], UNEVEN), ([1, 2], flip("1/2", 4))], [(0, 1, 0), (1, 1, 1), (1, 0, 1)],
        [Marginal.of(1, 2, 0), Marginal.of(2, 0, 1), Marginal.of(0, 1)],
    ),
    "c: child with a parent": Case(
        (2, 3, 2), [([0, 1], DENSE_SIX), ([2], flip("0.9"))], [(0, 1, 0), (1, 2, 1)],
        [Marginal.of(1, 2, 0), Marginal.of(2, 1, 0), Marginal.of(0, 1)],
    ),
    "d: child with another": Case(
        (2, 2, 3), [([CHILD, OTHER], DENSE_SIX), ([PARENT], UNEVEN)], [(0, 1, 0), (1, 0, 2)],
        [Marginal.of(PARENT, CHILD), Marginal.of(CHILD), Marginal.of(OTHER), Marginal.of(OTHER, PARENT)],
    ),
    "d: randomised response with another": Case(
        (2, 2, 3), [([CHILD, OTHER], flip("0.4", 6)), ([PARENT], flip("1"))], [(0, 1, 0), (1, 0, 2)],
        [Marginal.of(PARENT, CHILD), Marginal.of(OTHER), Marginal.of(Axis(OTHER, 1), PARENT)],
    ),
    "columns of a block out of order": Case(
        (3, 2), [([1, 0], DENSE_SIX)], [(2, 1), (0, 1), (1, 0)], [Marginal.of(0, 1), Marginal.of(1, 0), Marginal.of(0)]
    ),
    "block-diagonal": Case(
        (4, 2), [([0], IN_GROUPS), ([1], flip("2/3"))], [(3, 1), (0, 0)],
        [Marginal.of(0, 1), Marginal.of(Axis(0, 1), 1), Marginal.of(Axis(0, 1))],
    ),
    "levels": Case(
        (5, 2), [([0], flip("0.6", 5)), ([1], UNEVEN)], [(4, 1), (2, 0)],
        [Marginal.of(Axis(0, 1), 1), Marginal.of(1, Axis(0, 2)), Marginal.of(0)],
    ),
    "mostly changed": Case((3,), [([0], flip("0.1", 3))], [(0,), (2,), (2,)], [Marginal.of(0)]),
    "left alone": Case((2, 2), [([0], flip("1")), ([1], flip("1"))], [(0, 1), (1, 1)], [Marginal.of(1, 0)]),
}  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_every_outcome_agrees_with_fractions_and_their_mean_is_exact(case: Case) -> None:
    plan = made_plan(case.sizes, case.blocks)
    domain = plan.schema.domain
    cells = case.cells
    rows = [cells.index(row) for row in case.rows]
    outcomes = naive_outcomes(rows, case.matrix)
    assert sum(outcomes.values()) == 1
    true = [rows.count(number) for number in range(len(cells))]
    groups = [case.groups(marginal, domain) for marginal in case.asked]
    means = [[Fraction(0)] * size for _, size in groups]
    squares = [[[Fraction(0)] * size for _ in range(size)] for _, size in groups]
    spreads = [[[Fraction(0)] * size for _ in range(size)] for _, size in groups]
    for published, chance in outcomes.items():
        codes = [cells[number] for number, count in enumerate(published) for _ in range(count)]
        counts = UnmixedCounts(one_party(plan, codes), threads=1)
        for number, (found, (group_of, size)) in enumerate(zip(counts.published(case.asked), groups, strict=True)):
            exact = naive_unmix(published, case.inverse, group_of, size)
            covariance = naive_covariance(published, case.inverse, group_of, size)
            estimate = found.unmixed()
            shape = case.asked[number].shape(domain)
            assert estimate.counts.shape == estimate.variance.shape == shape
            assert estimate.counts.ravel() == pytest.approx([float(one) for one in exact], abs=1e-9)
            assert found.covariance() == pytest.approx(np.array(covariance, dtype=float), abs=1e-8)
            assert estimate.variance.ravel() == pytest.approx(np.diag(found.covariance()), abs=1e-8)
            for a in range(size):
                means[number][a] += chance * exact[a]
                for b in range(size):
                    squares[number][a][b] += chance * exact[a] * exact[b]
                    spreads[number][a][b] += chance * covariance[a][b]
    for number, (group_of, size) in enumerate(groups):
        wanted = [sum(count for count, group in zip(true, group_of, strict=True) if group == g) for g in range(size)]
        assert means[number] == wanted
        # Cov(N̂) by definition is what the estimated covariance is on average, exactly
        for a in range(size):
            for b in range(size):
                assert squares[number][a][b] - wanted[a] * wanted[b] == spreads[number][a][b]


@pytest.mark.parametrize("name", ["a: all independently", "mostly changed", "left alone"])
def test_the_covariance_of_known_counts_is_that_of_all_outcomes(name: str) -> None:
    case = CASES[name]
    cells = case.cells
    rows = [cells.index(row) for row in case.rows]
    whole = list(range(len(cells)))
    wanted = np.zeros((len(cells), len(cells)))
    for published, chance in naive_outcomes(rows, case.matrix).items():
        wanted += float(chance) * np.array(naive_covariance(published, case.inverse, whole, len(cells)), dtype=float)
    true = np.bincount(rows, minlength=len(cells)).reshape(case.sizes)
    found = exact_covariance(true, [matrix for _, matrix in case.blocks])
    assert found == pytest.approx(wanted, abs=1e-9)


def test_the_order_of_factors_that_the_paper_prints_is_wrong_for_its_own_index() -> None:
    """Theorem 1 (a) prints P = Pⁱ ⊗ P^{Pa} while the child's index k is fastest in l = K(j − 1) + k."""
    child, parent = exact_rows(UNEVEN), exact_rows(CIRCULANT)
    joint = naive_joint_matrix((3, 2), [((0,), parent), ((1,), child)])  # parent slow, child fast
    ours = np.kron(np.array(parent, dtype=float), np.array(child, dtype=float))
    printed = np.kron(np.array(child, dtype=float), np.array(parent, dtype=float))
    exact = np.array(joint, dtype=float)
    assert ours == pytest.approx(exact, abs=1e-15)
    assert np.abs(printed - exact).max() > 0.1
    true = np.array([50, 10, 20, 5, 10, 5.0])
    assert np.linalg.inv(ours.T) @ (exact.T @ true) == pytest.approx(true)
    assert np.abs(np.linalg.inv(printed.T) @ (exact.T @ true) - true).max() > 5


def test_the_marginal_matrix_of_case_d_depends_on_the_other_column() -> None:
    """Two tables with the same child counts, whose children are published differently often: no one matrix fits."""
    matrix = np.array(exact_rows(DENSE_SIX), dtype=float).reshape(2, 3, 2, 3)
    children = [
        np.einsum("co,codf->d", np.array(table, dtype=float), matrix)
        for table in ([[6, 0, 0], [0, 4, 0]], [[0, 0, 6], [4, 0, 0]])
    ]
    assert np.abs(children[0] - children[1]).max() > 0.5
