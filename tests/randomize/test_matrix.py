"""Transition matrices against their definitions, in fractions and in doubles."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from understudy import UserError
from understudy.randomize import Matrix, Response, TransitionMatrix
from understudy.randomize._matrix import LARGEST_MATRIX, largest_ratio


def written_out(matrix: TransitionMatrix) -> list[list[Fraction]]:
    return [[matrix.probability(true, to) for to in range(matrix.size)] for true in range(matrix.size)]


def random_rows(rng: Random, size: int, *, zeros: bool) -> list[list[Fraction]]:
    rows = []
    for _ in range(size):
        weights = [rng.randint(0 if zeros else 1, 9) for _ in range(size)]
        weights[rng.randrange(size)] += 1
        rows.append([Fraction(weight, sum(weights)) for weight in weights])
    return rows


@pytest.mark.parametrize("size", [1, 2, 3, 7])
@pytest.mark.parametrize("keep", ["1", "0.75", "0.1", "0"])
def test_randomised_response_is_the_matrix_that_it_stands_for(size: int, keep: str) -> None:
    if size == 1:
        keep = "1"
    short = Response(size, Fraction(keep))
    whole = Matrix.of(written_out(short))
    assert short.amplification == whole.amplification
    assert short.least_origins == whole.least_origins
    assert short.kept == whole.kept
    assert short.unchanged == whole.unchanged
    assert short.smallest_singular_value == pytest.approx(whole.smallest_singular_value)
    np.testing.assert_allclose(short.dense, whole.dense)
    if short.invertible:
        np.testing.assert_allclose(short.inverse @ short.dense, np.eye(size), atol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_gamma_and_k_star_are_those_of_their_definitions(seed: int) -> None:
    rng = Random(seed)
    rows = random_rows(rng, rng.randint(2, 6), zeros=seed % 2 == 0)
    matrix = Matrix.of(rows)
    columns = [column for column in zip(*rows, strict=True) if any(column)]
    bounded = all(all(column) for column in columns)
    assert matrix.amplification == (max(max(c) / min(c) for c in columns) if bounded else None)
    assert matrix.least_origins == min(sum(entry > 0 for entry in column) for column in columns)
    for code in range(matrix.size):
        assert sum(matrix.weights(code)) == matrix.denominator
        assert [Fraction(weight, matrix.denominator) for weight in matrix.weights(code)] == rows[code]


def test_ratios_that_doubles_cannot_tell_apart_are_told_apart() -> None:
    above, below = np.array([2**60 + 3, 2**60 + 1, 2**60 + 2]), np.array([2**59, 2**59, 2**59])
    assert largest_ratio(above, below) == Fraction(2**60 + 3, 2**59)
    assert largest_ratio(np.array([0, 0]), np.array([0, 0])) == 1
    assert largest_ratio(np.array([1]), np.array([0])) is None


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([], "1 to 500 rows"),
        ([[1]] * (LARGEST_MATRIX + 1), "1 to 500 rows. Got 501"),
        ([["0.5", "0.5"]], "row 1 of the matrix has 2 entries. With 1 rows it needs 1"),
        ([["0.5", "0.4"], [0, 1]], "row 1 of the matrix adds up to 0.9"),
        ([["1.5", "-0.5"], [0, 1]], "below 0"),
        ([[Fraction(1, 2**61 - 1), 1 - Fraction(1, 2**61 - 1)], [Fraction(1, 3), Fraction(2, 3)]], "too many digits"),
    ],
)
def test_a_matrix_that_is_none_is_refused(rows: list[list[Fraction]], words: str) -> None:
    with pytest.raises(UserError, match=words):
        Matrix.of(rows)


@pytest.mark.parametrize(
    "matrix", [Response(2, Fraction(1, 2)), Response(4, Fraction(1, 4)), Matrix.of([["1/2"] * 2] * 2)]
)
def test_what_cannot_be_unmixed_is_told(matrix: TransitionMatrix) -> None:
    assert not matrix.invertible
    with pytest.raises(UserError, match="singular"):
        matrix.inverse  # noqa: B018
