"""Scores against their definitions, and their sensitivities against every pair of neighbouring tiny tables."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from tests.naive.scoring import naive_f, naive_information, naive_r
from tests.strategies import contingency_tables
from tests.tiny import add_one_pairs, replace_one_pairs, stacked
from understudy import _core
from understudy.models import SCORES, FScore, InformationScore, RScore, score_named
from understudy.privacy import ADD_REMOVE, REPLACE_ONE

pytestmark = pytest.mark.one_in(2)

SHAPES = {(2, 2): 8, (2, 3): 6, (3, 2): 6, (2, 4): 5, (3, 3): 5, (3, 4): 4}


def values(score, tables, n):
    return [Fraction(int(s), score.scale(n)) for s in score(tables, n)]


def widest_move(moves):
    """Largest change minus smallest change: what a choice between any two candidates can feel."""
    return max(max(moves) - min(moves), max(moves), -min(moves))


@given(contingency_tables(child=2))
def test_each_score_equals_its_definition(table):
    n = int(table.sum())
    rows = table.tolist()
    assert values(FScore(), table[None], n)[0] == Fraction(naive_f(rows, n), 2)
    assert values(RScore(), table[None], n)[0] == naive_r(rows, n) / (2 * n)
    assert float(values(InformationScore(), table[None], n)[0]) == pytest.approx(naive_information(rows, n), abs=1e-5)


@given(contingency_tables(child=2))
def test_r_does_not_care_which_side_is_the_child(table):
    n = int(table.sum())
    turned = np.ascontiguousarray(table.T)
    assert values(RScore(), table[None], n) == values(RScore(), turned[None], n)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", sorted(SCORES))
def test_no_pair_of_neighbours_beats_the_replace_one_bound(name, shape):
    score = score_named(name)
    if name == "F" and shape[0] != 2:
        with pytest.raises(_core.errors.OptionError):
            score(stacked(shape, 2), 2)
        return
    for n in range(2, SHAPES[shape] + 1):
        found = values(score, stacked(shape, n), n)
        moves = [found[j] - found[i] for i, j in replace_one_pairs(shape, n)]
        assert widest_move(moves) <= score.difference_sensitivity(n, [shape], REPLACE_ONE)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["F", "R"])
def test_no_pair_of_neighbours_beats_the_add_remove_bound(name, shape):
    score = score_named(name)
    if name == "F" and shape[0] != 2:
        return
    for n in range(2, SHAPES[shape] + 1):
        before = values(score, stacked(shape, n - 1), n - 1)
        after = values(score, stacked(shape, n), n)
        moves = [after[j] - before[i] for i, j in add_one_pairs(shape, n)]
        assert max(moves) - min(moves) <= score.difference_sensitivity(n, [shape], ADD_REMOVE)


@pytest.mark.parametrize(("name", "shape"), [("R", (2, 2)), ("R", (2, 3)), ("F", (2, 2)), ("F", (2, 4)), ("I", (2, 2))])
def test_the_replace_one_bound_is_reached_so_a_smaller_one_would_be_caught(name, shape):
    score = score_named(name)
    n = SHAPES[shape]
    found = values(score, stacked(shape, n), n)
    moves = [found[j] - found[i] for i, j in replace_one_pairs(shape, n)]
    # two candidates can move in opposite directions, so their difference moves by twice the largest single move
    bound = float(score.difference_sensitivity(n, [shape], REPLACE_ONE))
    assert float(2 * max(moves)) == pytest.approx(bound, rel=1e-4)


def test_r_needs_its_larger_constant_when_both_sides_have_three_values():
    root, n = 100, 10_000
    table = np.array([[0, 0, 0], [0, 1, root - 1], [0, root - 1, n - 2 * root + 1]], dtype=np.int64)
    other = table.copy()
    other[1, 1] -= 1
    other[0, 0] += 1
    before, after = values(RScore(), np.stack([table, other]), n)
    assert 2 < abs(float(after - before)) <= float(RScore().difference_sensitivity(n, [(3, 3)], REPLACE_ONE)) / 2


def test_one_record_in_a_constant_column_stays_within_the_bound_at_a_thousand_rows():
    n = 1000
    table = np.array([[n, 0], [0, 0]], dtype=np.int64)
    other = np.array([[n - 1, 0], [0, 1]], dtype=np.int64)
    for score in SCORES.values():
        before, after = values(score, np.stack([table, other]), n)
        assert abs(after - before) <= score.difference_sensitivity(n, [(2, 2)], REPLACE_ONE) / 2


@pytest.mark.parametrize("name", ["R", "F"])
def test_the_step_from_no_row_to_one_moves_all_candidates_alike(name):
    """No row is left where all are broken; scores then take n for 1, as they do with one row."""
    score, moves = score_named(name), set()
    for shape in [(2, 1), (2, 2), (2, 5)] + ([(3, 4)] if name == "R" else []):
        ones = np.eye(shape[0] * shape[1], dtype=np.int64).reshape(-1, *shape)
        moves |= set((score(ones, 1) - score(np.zeros((1, *shape), dtype=np.int64), 1)).tolist())
    assert len(moves) == 1
    assert moves.pop() / score.scale(1) <= 0.5


def test_information_is_refused_where_its_sensitivity_is_not_proved():
    with pytest.raises(_core.errors.OptionError, match="add/remove"):
        InformationScore().difference_sensitivity(10, [(2, 2)], ADD_REMOVE)


def test_r_stays_exact_at_the_largest_table_it_accepts():
    n = 2_000_000_000
    table = np.array([[[n // 2, 0], [0, n // 2]]], dtype=np.int64)
    assert values(RScore(), table, n)[0] == Fraction(n, 2)
    with pytest.raises(_core.errors.OptionError, match="exact up to"):
        RScore()(table, n + 1)


def test_an_unknown_score_is_refused_with_the_known_ones():
    with pytest.raises(_core.errors.OptionError, match="auto, I, F, R"):
        score_named("X")
