"""Which columns are randomised together: the noise it promises, and how near the choice is to the best there is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random

import numpy as np
import pytest

from understudy.randomize._grouping import Blocks, best_grouping, divide, noise_of
from understudy.randomize._grouping import _Parts as Parts


def partitions(columns: tuple[int, ...]) -> Iterator[Blocks]:
    if not columns:
        yield ()
        return
    first, rest = columns[0], columns[1:]
    for blocks in partitions(rest):
        yield ((first,), *blocks)
        for i, block in enumerate(blocks):
            yield (*blocks[:i], (first, *block), *blocks[i + 1 :])


def dense(size: int, epsilon: float) -> np.ndarray:
    keep = math.exp(epsilon) / (math.exp(epsilon) + size - 1)
    return np.full((size, size), (1 - keep) / (size - 1)) + np.eye(size) * (keep - (1 - keep) / (size - 1))


def noise_by_covariance(sizes: Sequence[int], blocks: Blocks, epsilons: Sequence[float]) -> float:
    """The geometric mean over pairs from `Qᵀ D(PᵀN) Q − D(N)` of whole blocks, summed out later: no closed form."""
    found = []
    for pair in combinations(range(len(sizes)), 2):
        touched = [(block, eps) for block, eps in zip(blocks, epsilons, strict=True) if set(block) & set(pair)]
        columns = [column for block, _ in touched for column in block]
        P = np.ones((1, 1))
        for block, eps in touched:
            P = np.kron(P, dense(math.prod(sizes[c] for c in block), eps))
        n = len(P)
        N = np.full(n, 1 / n)  # one row, spread evenly
        Q = np.linalg.inv(P)
        covariance = Q.T @ np.diag(P.T @ N) @ Q - np.diag(N)
        shape = [sizes[c] for c in columns]
        A = np.zeros((n, sizes[pair[0]], sizes[pair[1]]))
        for cell, codes in enumerate(np.ndindex(*shape)):
            A[cell, codes[columns.index(pair[0])], codes[columns.index(pair[1])]] = 1
        A = A.reshape(n, -1)
        found.append(np.trace(A.T @ covariance @ A) + 1)
    return float(np.exp(np.mean(np.log(found))))


@pytest.mark.parametrize(
    ("sizes", "blocks", "epsilons"),
    [
        ((2, 3), ((0, 1),), (1.0,)),
        ((2, 3), ((0,), (1,)), (0.4, 0.6)),
        ((2, 2, 3), ((0, 2), (1,)), (1.5, 0.5)),
        ((2, 2, 2, 2), ((0, 1), (2, 3)), (0.5, 0.5)),
    ],
)
def test_the_closed_form_is_the_covariance_of_unmixed_counts(
    sizes: tuple[int, ...], blocks: Blocks, epsilons: tuple[float, ...]
) -> None:
    found = noise_of(Parts.of(sizes, [blocks]), np.array([epsilons]))
    np.testing.assert_allclose(found, [noise_by_covariance(sizes, blocks, epsilons)], rtol=1e-9)


def test_pairs_with_other_parties_count_as_if_these_were_alike() -> None:
    """Two parties alike, seen as one whose blocks are divided likewise: the same pairs, counted one by one."""
    blocks, epsilons = ((0, 2), (1,)), (1.5, 0.5)
    both = noise_by_covariance((2, 2, 3) * 2, (*blocks, (3, 5), (4,)), epsilons * 2)
    found = noise_of(Parts.of((2, 2, 3), [blocks], 3), np.array([epsilons]))
    np.testing.assert_allclose(found, [both], rtol=1e-9)


def test_columns_that_are_paired_abroad_are_kept_apart() -> None:
    """One block of many cells keeps little of each column: too little once others are to be related to it."""
    assert best_grouping([3, 4, 10, 2], 0.5).blocks == ((0, 1, 2, 3),)
    assert best_grouping([3, 4, 10, 2], 0.5, abroad=8).blocks == ((0,), (1,), (2,), (3,))


@pytest.mark.parametrize(
    ("epsilon", "q", "apart", "together"), [(1, 2, 621, 194), (1, 4, 38115, 351), (4, 2, 65, 24), (4, 4, 283, 28)]
)
def test_the_table_of_the_soundness_note(epsilon: float, q: int, apart: float, together: float) -> None:
    """Standard deviation of one cell of the table of q binary columns, 20,000 rows spread evenly."""
    n, cells = 20_000, 2**q
    binary = (1 + 2 / math.expm1(epsilon / q)) ** 2
    joint = (1 + cells / math.expm1(epsilon)) ** 2
    deviations = [
        math.sqrt(n / cells * (((1 + binary) / 2) ** q - 1)),
        math.sqrt(n / cells * ((1 + (cells - 1) * joint) / cells - 1)),
    ]
    assert [round(found) for found in deviations] == pytest.approx([apart, together], abs=1)
    assert best_grouping([2] * q, epsilon).blocks == (tuple(range(q)),)


def test_the_choice_is_the_best_of_all_groupings_of_few_columns() -> None:
    rng = Random(11)
    for _ in range(40):
        sizes = [rng.choice([2, 2, 3, 4, 5, 8, 12, 30]) for _ in range(rng.randint(2, 6))]
        epsilon = rng.choice([0.1, 0.5, 1, 2, 4, 8])
        allowed = [
            blocks
            for blocks in partitions(tuple(range(len(sizes))))
            if all(len(block) == 1 or math.prod(sizes[c] for c in block) <= 4096 for block in blocks)
        ]
        parts = Parts.of(sizes, allowed)
        least = noise_of(parts, divide(parts, epsilon)).min()
        found = best_grouping(sizes, epsilon)
        assert found.noise <= least * 1.02
        assert sorted(c for block in found.blocks for c in block) == list(range(len(sizes)))
        assert sum(found.epsilons) == pytest.approx(epsilon)


def test_no_epsilon_is_better_moved_from_one_block_to_another() -> None:
    rng = Random(5)
    for _ in range(30):
        sizes = [rng.choice([2, 3, 5, 9, 40, 300]) for _ in range(rng.randint(2, 7))]
        columns = tuple(range(len(sizes)))
        blocks = rng.choice(list(partitions(columns)))
        epsilon = rng.choice([0.05, 0.5, 2, 10, 30])
        parts = Parts.of(sizes, [blocks])
        shares = divide(parts, epsilon)
        noise = noise_of(parts, shares)[0]
        for i, j in combinations(range(len(blocks)), 2):
            for sign in (1, -1):
                moved = shares.copy()
                step = sign * 0.05 * min(moved[0, i], moved[0, j])
                moved[0, i] += step
                moved[0, j] -= step
                assert noise_of(parts, moved)[0] >= noise * (1 - 1e-6)


def test_blocks_keep_within_the_cells_allowed() -> None:
    found = best_grouping([2] * 12, 8, max_cells=8)
    assert max(map(len, found.blocks)) <= 3
    assert best_grouping([50, 50], 1, max_cells=100).blocks == ((0,), (1,))
    assert best_grouping([200], 1, max_cells=100).blocks == ((0,),)


def test_fixed_blocks_stay_as_they_are() -> None:
    found = best_grouping([2, 2, 2, 2], 1, fixed=[(3, 0)])
    assert (3, 0) in found.blocks
    assert sorted(c for block in found.blocks for c in block) == [0, 1, 2, 3]


def test_many_columns_are_grouped_too() -> None:
    found = best_grouping([2, 3] * 100, 4)
    assert sorted(c for block in found.blocks for c in block) == list(range(200))
    assert found.noise < best_grouping([2, 3] * 100, 4, separate=True).noise
