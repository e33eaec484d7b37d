"""Every kernel of drawing and scoring against its slow twin."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive.drawing import (
    NaiveXoshiro,
    naive_balanced,
    naive_dealt,
    naive_find,
    naive_independent,
    naive_place,
    naive_rotl,
    naive_sorted_rows,
    naive_stride,
)
from tests.naive.scoring import naive_best_masses, naive_best_split, naive_f, naive_information, naive_r
from tests.strategies import contingency_tables
from understudy._core import _kernels as random_words
from understudy.models import _kernels as drawing
from understudy.models._scoring import _kernels as scoring

WORD = st.integers(0, 2**64 - 1)
STATES = st.lists(WORD, min_size=4, max_size=4).filter(any)


def state_of(words):
    return np.array(words, dtype=np.uint64)


@given(word=WORD, by=st.integers(1, 63))
def test_rotating_a_word_is_moving_its_digits_round(word, by):
    assert int(random_words.rotl(np.uint64(word), by)) == naive_rotl(word, by)


@given(STATES)
def test_the_generator_steps_as_its_twin_does(words):
    state, twin = state_of(words), NaiveXoshiro(words)
    for _ in range(20):
        assert int(random_words.next_word(state)) == twin.word()
        assert state.tolist() == twin.s
    assert Fraction(float(random_words.unit(state))) == twin.unit()


@given(words=STATES, n=st.one_of(st.integers(1, 50), st.integers(2**31 - 9, 2**32 - 1), st.just(2**31 + 1)))
def test_a_number_below_another_is_its_twins(words, n):
    state, twin = state_of(words), NaiveXoshiro(words)
    assert [int(random_words.below(state, n)) for _ in range(20)] == [twin.below(n) for _ in range(20)]
    assert state.tolist() == twin.s


@st.composite
def draws(draw):
    """Rows at places, and a range of cells for each place: alike in width, as `Draw` has them."""
    n_codes = draw(st.sampled_from([1, 2, 3, 5, 40, 200]))
    n_places = draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    weights = rng.random((n_places, n_codes)) ** 3 * (rng.random((n_places, n_codes)) < 0.7)
    weights[:, draw(st.integers(0, n_codes - 1))] += 0.01
    cumulative = np.cumsum(weights, axis=1)
    cumulative /= cumulative[:, -1:]
    first = np.arange(n_places, dtype=np.int64) * n_codes
    place = rng.integers(0, n_places, draw(st.integers(0, 60))).astype(np.int32)
    code_of = rng.permutation(n_codes).astype(np.uint8)
    return place, first, first + n_codes, cumulative.ravel(), code_of


@given(draws(), STATES)
def test_balanced_columns_are_their_twins(given_, words):
    place, first, _, _, code_of = given_
    out, values = np.empty(len(place), dtype=code_of.dtype), np.empty(len(place), dtype=code_of.dtype)
    drawing.draw_balanced(*given_, state_of(words), np.empty(len(first), dtype=np.int32), values, out)
    assert out.tolist() == naive_balanced(*given_, words)


@given(st.integers(1, 3000))
def test_a_stride_shares_no_divisor_and_is_nearest_to_the_golden_ratio(m):
    assert drawing._stride(m) == naive_stride(m)


@given(draws(), STATES, st.randoms(use_true_random=False))
def test_columns_that_are_dealt_out_are_their_twins(given_, words, random):
    place, first, _, _, code_of = given_
    order = list(range(len(place)))
    random.shuffle(order)
    out, values = np.empty(len(place), dtype=code_of.dtype), np.empty(len(place), dtype=code_of.dtype)
    rows = np.array(order, dtype=np.int32)
    drawing.deal_balanced(place, rows, *given_[1:], state_of(words), np.empty((len(first), 4), np.int64), values, out)
    assert out.tolist() == naive_dealt(place, order, *given_[1:], NaiveXoshiro(words))


@given(st.lists(st.integers(0, 5), max_size=40), st.randoms(use_true_random=False))
def test_rows_are_sorted_as_their_twin_sorts_them(codes, random):
    order = list(range(len(codes)))
    random.shuffle(order)
    found = np.empty(len(order), dtype=np.int32)
    drawing.sort_rows(
        np.array(order, dtype=np.int32), np.array(codes, dtype=np.uint8), np.empty(7, dtype=np.int64), found
    )
    assert found.tolist() == naive_sorted_rows(order, codes)


@given(draws(), STATES)
def test_columns_of_independent_draws_are_their_twins(given_, words):
    out = np.empty(len(given_[0]), dtype=given_[4].dtype)
    drawing.draw_independent(*given_, state_of(words), out)
    assert out.tolist() == naive_independent(*given_, words)


@given(draws(), st.fractions(0, 1))
def test_the_cell_that_is_found_is_the_first_that_reaches_the_point(given_, point):
    _, first, stop, cumulative, _ = given_
    exact = Fraction(float(point))
    for low, high in zip(first.tolist(), stop.tolist(), strict=True):
        assert drawing._find(cumulative, low, high, float(point)) == naive_find(cumulative, low, high, exact)


@given(rows=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4), st.integers(0, 1)), max_size=30))
def test_places_are_sums_of_what_codes_stand_for(rows):
    lookups = [np.array(codes, dtype=np.int32) for codes in ([0, 10, 10], [4, 3, 2, 1, 0], [0, 100])]
    columns = [np.array([row[i] for row in rows], dtype=np.uint8) for i in range(3)]
    place = np.full(len(rows), 77, dtype=np.int32)
    drawing.set_place(columns[0], lookups[0], place)
    for column, lookup in zip(columns[1:], lookups[1:], strict=True):
        drawing.add_place(column, lookup, place)
    assert place.tolist() == naive_place([column.tolist() for column in columns], lookups)


@given(contingency_tables())
def test_r_is_its_twins_to_the_last_digit(table):
    n, out = int(table.sum()), np.empty(1, dtype=np.int64)
    scoring.r_scores(table[None], n, out)
    assert int(out[0]) == naive_r(table.tolist(), n)


@given(contingency_tables())
def test_information_is_its_twins_up_to_the_rounding(table):
    n, out = int(table.sum()), np.empty(1, dtype=np.int64)
    scoring.information_scores(table[None], n, float(1 << 20), out)
    assert int(out[0]) == pytest.approx(naive_information(table.tolist(), n) * (1 << 20), abs=0.51)


@given(contingency_tables(child=2, most_parents=7))
def test_f_is_its_twins_to_the_last_digit(table):
    n, out = int(table.sum()), np.empty(1, dtype=np.int64)
    scoring.f_scores(table[None], n, out)
    assert int(out[0]) == naive_f(table.tolist(), n)


@pytest.mark.slow
@given(values=st.lists(st.integers(20, 24), min_size=14, max_size=14), odd=st.integers(0, 9))
@settings(max_examples=15)
def test_f_is_its_twins_where_many_configurations_stay_open(values, odd):
    """Alike and nearly balanced, none can be given away beforehand: the sweep over masses decides."""
    table = [[value - i % 3 for i, value in enumerate(values)], [value + (i == odd) for i, value in enumerate(values)]]
    n, out = sum(map(sum, table)), np.empty(1, dtype=np.int64)
    scoring.f_scores(np.array([table]), n, out)
    assert int(out[0]) == naive_f(table, n)


pairs = st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), max_size=8)


def split_problem(pairs_, key_mass, value_mass):
    """The mass of keys is the smaller, as it is where they are the rarer child value."""
    keys, values = ([pair[side] for pair in pairs_] for side in (0, 1))
    if sum(keys) + key_mass > sum(values) + value_mass:
        keys, values, key_mass, value_mass = values, keys, value_mass, key_mass
    n = sum(keys) + sum(values) + key_mass + value_mass
    return np.array(keys, dtype=np.int64), np.array(values, dtype=np.int64), key_mass, value_mass, n


@given(pairs, st.integers(0, 60), st.integers(0, 60))
def test_the_best_of_few_is_the_best_of_all(pairs_, key_mass, value_mass):
    problem = split_problem(pairs_, key_mass, value_mass)
    assert scoring._best_of_few(*problem) == naive_best_split(*problem)


@given(pairs, st.integers(0, 60), st.integers(0, 60))
def test_clear_cases_are_given_away_without_loss(pairs_, key_mass, value_mass):
    problem = keys, values, _, _, n = split_problem(pairs_, key_mass, value_mass)
    best = naive_best_split(*problem)
    left, keys_now, values_now, reached = scoring._decide_clear_cases(*problem)
    assert reached <= best
    assert max(reached, naive_best_split(keys[left], values[left], keys_now, values_now, n)) == best


@given(pairs, st.integers(1, 200))
def test_the_best_masses_are_those_of_every_subset(pairs_, limit):
    keys, values = (np.array([pair[side] for pair in pairs_], dtype=np.int64) for side in (0, 1))
    room = [np.empty(limit + 1, dtype=np.int32) for _ in range(2)]
    best, reached = scoring._best_masses(keys, values, limit, *room)
    found = {a: int(best[a]) for a in range(reached + 1) if best[a] >= 0}
    assert found == naive_best_masses(keys.tolist(), values.tolist(), limit)
