"""Interactions: contrasts, their sensitivity by all pairs of cells, and the exact rounding of their noise."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.audit_tools import fit_p_value
from tests.naive import noise as naive
from tests.naive.noise import Words
from tests.privacy.small import PlainCounter
from tests.privacy.test_unit import Seen
from understudy._core.errors import InternalError, OptionError
from understudy._core.randomness import SeededBytes
from understudy.privacy import (
    ADD_REMOVE,
    REPLACE_ONE,
    ExactNoise,
    Interactions,
    NoiseLevel,
    PrivacyUnit,
    interaction_sensitivity,
    make_budget,
    make_noise,
    open_curator,
)
from understudy.privacy._contrasts import contrast_squares, contrasts, from_contrasts
from understudy.privacy._mechanisms import AddToContrasts, Counted
from understudy.privacy._word_stream import WordStream
from understudy.schema import Attribute, Domain, Marginal

SHAPES = [(2,), (6,), (2, 2), (2, 3), (5, 4), (2, 2, 2), (3, 2, 4), (2, 3, 2, 2), (7, 2)]
BUDGET = make_budget(1, "1e-6")


def projected(table):
    """The table less its means along each axis."""
    found = np.asarray(table, dtype=np.float64)
    for axis in range(found.ndim):
        found = found - found.mean(axis=axis, keepdims=True)
    return found


class Listed:
    """Words from a list, as a source."""

    private = False

    def __init__(self, words):
        self._words, self._used = np.array(words, dtype=np.uint64), 0

    def words(self, count):
        self._used += count
        return self._words[self._used - count : self._used]


def noise_of(words):
    noise = ExactNoise(SeededBytes(0))
    noise._stream = WordStream(Listed(words), block=1)
    return noise


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_contrasts_are_the_projection_in_other_coordinates(shape):
    table = np.random.default_rng(1).integers(0, 90, shape)
    over = contrasts(table) / np.sqrt(contrast_squares(shape))
    assert from_contrasts(over) == pytest.approx(projected(table))
    assert (over**2).sum() == pytest.approx((projected(table) ** 2).sum())
    # orthonormal: each column of the transform has length 1, at right angles to the others
    cells = np.eye(table.size, dtype=np.int64).reshape(-1, *shape)
    rows = np.array([(contrasts(cell) / np.sqrt(contrast_squares(shape))).ravel() for cell in cells])
    assert rows.T @ rows == pytest.approx(np.eye(rows.shape[1]), abs=1e-12)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_sensitivity_is_the_largest_over_all_pairs_of_cells(shape):
    cells = np.array([projected(cell).ravel() for cell in np.eye(math.prod(shape)).reshape(-1, *shape)])
    alone = max((row**2).sum() for row in cells)
    replaced = max(((one - other) ** 2).sum() for one, other in product(cells, repeat=2))
    assert float(interaction_sensitivity(shape, ADD_REMOVE).l2_squared) == pytest.approx(alone)
    assert float(interaction_sensitivity(shape, REPLACE_ONE).l2_squared) == pytest.approx(replaced)
    assert alone == pytest.approx(math.prod(1 - 1 / k for k in shape))


def cost_of(question, neighbours, bound):
    """The largest μ² between any two tiny tables that differ in one unit, and what is allowed."""
    domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=3)))
    records, unit = list(product(range(2), range(3))), PrivacyUnit("one patient", max_rows=bound)
    blocks = [rows for size in range(bound + 1) for rows in combinations_with_replacement(records, size)]
    found = {}
    for rows in blocks:
        counter = PlainCounter(domain, [records[1], *rows])
        curator = open_curator(counter, budget=BUDGET, neighbours=neighbours, unit=unit, noise=make_noise(seed=1))
        seen = Seen(question)
        curator.ask(seen, share=Fraction(1, 2))
        over = seen.counted.tables[0] / np.sqrt(contrast_squares((2, 3)))
        found[rows] = over.ravel() / math.sqrt(seen.price_.mechanism.noise.scale)
    replaced = neighbours is REPLACE_ONE
    worst = max(
        ((found[one] - found[other]) ** 2).sum()
        for one, other in product(blocks, repeat=2)
        if one != other and (() not in (one, other) if replaced else () in (one, other))
    )
    return worst, float(BUDGET.price(Fraction(1, 2)))


@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE], ids=str)
@pytest.mark.parametrize("bound", [1, 2])
def test_no_pair_of_neighbours_costs_more_than_the_share_and_one_costs_all_of_it(neighbours, bound):
    worst, allowed = cost_of(Interactions(marginal=Marginal.of(0, 1)), neighbours, bound)
    assert worst == pytest.approx(allowed, rel=1e-9)


def test_noise_for_less_than_a_row_moves_is_caught(monkeypatch):
    """As if a replaced row moved no more than one that comes or goes."""
    monkeypatch.setattr(
        "understudy.privacy._interactions.interaction_sensitivity",
        lambda shape, neighbours: interaction_sensitivity(shape, ADD_REMOVE),
    )
    worst, allowed = cost_of(Interactions(marginal=Marginal.of(0, 1)), REPLACE_ONE, 1)
    assert worst > 2 * allowed


@pytest.mark.parametrize("variance", [Fraction(1, 3), Fraction(4), Fraction(150)], ids=str)
@pytest.mark.parametrize("number", [-7, 0, 5])
def test_a_contrast_has_its_exact_distribution(variance, number):
    """m/√d plus noise, rounded: the probability of each step of the grid, by the normal distribution."""
    mechanism = AddToContrasts(NoiseLevel(kind="gaussian", scale=variance), (2, 2))
    grid, root = float(mechanism.grid), math.sqrt(2 * float(variance))
    numbers, squares = np.full(40_000, number), np.full(40_000, 12)
    centre = round(number / math.sqrt(12) / grid)

    def chance(step):
        low, high = ((step + centre + side) * grid - number / math.sqrt(12) for side in (-0.5, 0.5))
        return (math.erfc(low / root) - math.erfc(high / root)) / 2

    drawn = ExactNoise(SeededBytes(17)).gaussian_on_grid(numbers, squares, variance, mechanism.grid)
    assert fit_p_value(drawn - centre, chance) > 1e-6
    wrong = ExactNoise(SeededBytes(18)).gaussian_on_grid(numbers, squares, variance * Fraction(6, 5), mechanism.grid)
    assert fit_p_value(wrong - centre, chance) < 1e-6


@given(
    numbers=st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=6),
    square=st.sampled_from([2, 4, 12, 20 * 30, 41 * 42 * 6]),
    variance=st.fractions(min_value=Fraction(1, 9), max_value=10**6, max_denominator=1000),
    shift=st.integers(0, 5),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=40)
def test_roundings_of_contrasts_are_the_twins(numbers, square, variance, shift, seed):
    grid, words = Fraction(1, 1 << shift), SeededBytes(seed).words(40).tolist()
    fast = noise_of(words).gaussian_on_grid(np.array(numbers), np.full(len(numbers), square), variance, grid)
    stream = Words(words)
    slow = [
        naive.naive_rounded(Fraction(m) / naive.naive_root(Fraction(square)) / grid, variance / grid**2, stream)
        for m in numbers
    ]
    assert fast.tolist() == slow


@pytest.mark.parametrize("negative", [False, True])
@pytest.mark.parametrize("number", [0, 3, -11])
@pytest.mark.parametrize("variance", [Fraction(9, 4), Fraction(10**4), Fraction(1 << 60)], ids=str)
def test_words_that_leave_the_rounding_open_are_followed_by_more(variance, number, negative):
    """Words whose first 64 bits hold the place where a rounding changes: the next word decides, as for the twin."""
    deviation = naive.naive_root(variance)
    shift = Fraction(number) / naive.naive_root(Fraction(6))
    mirrored = -shift if negative else shift
    place = math.floor(mirrored + deviation) + Fraction(1, 2)  # about one σ up
    tail = naive.naive_tail((place - mirrored) / deviation)
    first, rest = divmod(int(tail * (1 << 128)), 1 << 64)
    decided = set()
    for second in (0, rest - 1, rest + 1, (1 << 64) - 1):
        words = [first + (negative << 63), second, 5, 6]
        noise = noise_of(words)
        found = noise.gaussian_on_grid(np.array([number]), np.array([6]), variance, Fraction(1))
        stream = Words(words)
        assert int(found[0]) == naive.naive_rounded(shift, variance, stream)
        assert stream.position == 2
        assert noise._stream.next() == 5  # both have used up the same words
        decided.add(int(found[0]))
    assert len(decided) == 2


def test_a_word_of_zeros_is_read_on():
    """All that 63 zeros say is that z is beyond 9."""
    found = noise_of([0, 1 << 40, 0]).gaussian(np.array([10]), Fraction(100))
    assert found[0] == 10 + naive.naive_rounded(Fraction(0), Fraction(100), Words([0, 1 << 40]))


def open_small(**more):
    domain = Domain((Attribute(name="a", size=3), Attribute(name="b", size=2), Attribute(name="one", size=1)))
    rows = [(0, 1, 0)] * 5 + [(2, 0, 0)] * 4 + [(1, 1, 0)]
    return open_curator(PlainCounter(domain, rows), **{"budget": BUDGET, "noise": make_noise(seed=3), **more})


def test_without_noise_it_is_the_exact_projection():
    curator = open_small(noiseless="tables")
    found = curator.ask(Interactions(marginal=Marginal.of(0, 1)), share=Fraction(1))
    assert found.values == pytest.approx(projected([[0, 5], [0, 1], [4, 0]]))
    assert found.variance == 0.0
    assert curator.charges[0].mu_squared is None


def test_what_is_charged_and_told():
    curator = open_small(neighbours=ADD_REMOVE)
    found = curator.ask(Interactions(marginal=Marginal.of(0, 1)), share=Fraction(1, 2))
    [charge] = curator.charges
    half = BUDGET.mu_squared / 2
    assert (charge.mu_squared, charge.mechanism, charge.n_tables) == (half, "rounded Gaussian", 1)
    assert charge.noise.scale == Fraction(1, 3) / half
    assert found.variance == pytest.approx(float(charge.noise.scale) + 0.25**2 / 12)
    # a change of values reaches this table's attributes only, and costs what replacing a row does
    of_change = interaction_sensitivity((3, 2), REPLACE_ONE).l2_squared / charge.noise.scale
    assert curator.protection.of_attribute(0) == of_change == curator.protection.between((0, 0, 0), (1, 1, 0))
    assert curator.protection.of_attribute(2) == 0


def test_an_axis_of_one_place_leaves_nothing_to_measure():
    curator = open_small()
    found = curator.ask(Interactions(marginal=Marginal.of(0, 2)), share=Fraction(1))
    assert (found.values == 0).all()
    assert found.values.shape == (3, 1)
    assert curator.share_left == 1


def test_what_makes_no_sense_is_refused_and_costs_nothing():
    with pytest.raises(InternalError, match="without axes"):
        Interactions(marginal=Marginal.of())
    curator = open_small(budget=make_budget(1))
    with pytest.raises(OptionError, match="needs a delta above 0"):
        curator.ask(Interactions(marginal=Marginal.of(0, 1)), share=Fraction(1))
    assert curator.share_left == 1


def test_noise_of_many_cells_is_that_of_independent_ones_less_its_margins():
    shape = (40, 30)
    mechanism = AddToContrasts(NoiseLevel(kind="gaussian", scale=Fraction(400)), shape)
    [noisy] = mechanism(Counted([contrasts(np.zeros(shape, dtype=np.int64))]), ExactNoise(SeededBytes(5)))
    values = from_contrasts(mechanism.values(noisy))
    # χ² of 1,131 degrees: its deviation is 0.042 of its mean, and 5.5 of them are 0.23
    assert (values**2).sum() / (39 * 29) == pytest.approx(mechanism.variance, rel=0.23)
    assert abs(values.sum(axis=0)).max() < 1e-9
    assert abs(values.sum(axis=1)).max() < 1e-9
