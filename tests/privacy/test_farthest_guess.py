"""Where a guess is farthest off: parts of counts, handicaps, none of them, and tables that are counted once."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from tests.audit_tools import categories_p_value
from tests.privacy.small import PlainCounter, binary
from tests.privacy.test_selection import exponential_distribution
from tests.privacy.test_unit import Seen
from understudy._core.errors import InternalError
from understudy.privacy import ADD_REMOVE, REPLACE_ONE, FarthestGuess, make_budget, make_noise, open_curator
from understudy.privacy._remembered import RememberedTables
from understudy.schema import Marginal

ROWS = [(0, 0, 1)] * 6 + [(1, 0, 0)] * 3 + [(1, 1, 1)] * 2
ONES = [Marginal.of(0), Marginal.of(1), Marginal.of(2)]
SHARE = Fraction(1, 3)


def opened(**more):
    return open_curator(PlainCounter(binary(3), ROWS), **{"budget": make_budget(1, "1e-3"), **more})


def whole(*numbers):
    return np.array(numbers, dtype=np.int64)


@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE], ids=str)
def test_distances_are_in_parts_less_handicaps_and_none_comes_last(neighbours):
    seen = Seen(
        FarthestGuess(
            marginals=ONES, guesses=whole(25, 80, 95, 10, 30, 80), scale=10, handicaps=whole(5, -7, 0), skip=13
        )
    )
    curator = opened(neighbours=neighbours, noise=make_noise(seed=1))
    found = curator.ask(seen, share=SHARE)
    # counts are 6, 5; 9, 2; 3, 8
    assert seen.counted.tables[0].tolist() == [35 + 30 - 5, 5 + 10 + 7, 0, 13]
    assert seen.counted.scale == 10
    assert found in (-1, 0, 1, 2)
    [charge] = curator.charges
    assert charge.n_candidates == 4
    assert charge.sensitivity == (4 if neighbours is REPLACE_ONE else 2)


@pytest.mark.filterwarnings("ignore:delta is not below")
def test_choices_follow_the_exponential_mechanism_none_included():
    noise, found, times = make_noise(seed=8), Counter(), 3_000
    question = FarthestGuess(marginals=ONES, guesses=whole(20, 10, 36, 8, 12, 32), scale=4, skip=9)
    for _ in range(times):
        curator = opened(neighbours=ADD_REMOVE, noise=noise)
        found[curator.ask(question, share=Fraction(1))] += 1
    rate = float(curator.charges[0].rate)
    expected = exponential_distribution([(4 + 10) / 4, 0, 0, 9 / 4], rate)
    assert categories_p_value([found[0], found[1], found[2], found[-1]], expected) > 1e-6
    wrong = exponential_distribution([4 + 10, 0, 0, 9], rate)  # as if a part were a count
    assert categories_p_value([found[0], found[1], found[2], found[-1]], wrong) < 1e-6


def test_one_table_against_none_moves_half_as_far_as_two():
    curator = opened(neighbours=ADD_REMOVE)
    curator.ask(FarthestGuess(marginals=ONES[:1], guesses=whole(3, 8), skip=2), share=SHARE)
    curator.ask(FarthestGuess(marginals=ONES[:2], guesses=whole(3, 8, 0, 0), skip=2), share=SHARE)
    one, two = curator.charges
    assert (one.sensitivity, two.sensitivity) == (1, 2)
    assert one.rate == pytest.approx(2 * two.rate)


def test_what_needs_no_choice_is_free():
    curator = opened()
    assert curator.ask(FarthestGuess(marginals=[], guesses=whole(), skip=0), share=SHARE) == -1
    assert curator.ask(FarthestGuess(marginals=ONES[:1], guesses=whole(0, 0)), share=SHARE) == 0
    assert curator.share_left == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"marginals": [], "guesses": whole()},
        {"guesses": whole(0, 0, 0)},
        {"scale": 0},
        {"handicaps": whole(1)},
        {"handicaps": np.array([0.5, 0.5, 0.5])},
        {"handicaps": whole(1 << 62, 0, 0)},
        {"skip": 1 << 62},
    ],
    ids=["nothing", "too few guesses", "no parts", "too few handicaps", "fractions", "far handicap", "far skip"],
)
def test_questions_that_make_no_sense_cost_nothing(wrong):
    curator = opened()
    given = {"marginals": ONES, "guesses": np.zeros(6, dtype=np.int64), **wrong}
    with pytest.raises(InternalError):
        curator.ask(FarthestGuess(**given), share=SHARE)
    assert curator.share_left == 1


def test_distances_that_would_wrap_around_are_refused():
    curator = opened()
    for by in ("tables", "cells"):
        question = FarthestGuess(marginals=ONES, guesses=np.zeros(6, dtype=np.int64), scale=1 << 60, by=by)
        with pytest.raises(InternalError, match="would not fit 64 bits"):
            curator.ask(question, share=SHARE)


@pytest.mark.parametrize("at_once", [1, 5, 10_000])
@pytest.mark.parametrize("kept", [0, 7, 10_000])
def test_tables_are_counted_once_where_there_is_room(at_once, kept):
    counter = PlainCounter(binary(3), ROWS)
    tables = RememberedTables(counter, at_once=at_once, kept=kept)
    pairs = [Marginal.of(0, 1), Marginal.of(0, 2), Marginal.of(1, 2)]
    guesses = np.arange(12, dtype=np.int64)
    for asked in (pairs, pairs[1:], [pairs[2], pairs[0], pairs[2]]):
        exact = np.concatenate([table.ravel() for table in PlainCounter(binary(3), ROWS).count(asked)])
        assert tables.cells(asked).tolist() == exact.tolist()
        off = abs(5 * exact - guesses[: len(exact)]).reshape(-1, 4).sum(axis=1)
        assert tables.distances(asked, guesses[: len(exact)], 5).tolist() == off.tolist()
    assert (counter.n_tables == 3) is (kept == 10_000)
    assert tables.cells([]).size == tables.distances([], guesses[:0], 1).size == 0
