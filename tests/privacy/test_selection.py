"""Private choice: exact against the enumerated formulas, and its price against every neighbour."""

import itertools
import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.audit_tools import categories_p_value
from understudy._core.errors import InternalError
from understudy._core.randomness import SeededBytes
from understudy.privacy import ExactNoise, GDPBudget, PureBudget, _integers
from understudy.privacy._budget import sqrt_below
from understudy.privacy._selection import (
    choose_exponential,
    choose_permute_and_flip,
    round_rate,
)
from understudy.privacy._word_stream import WordStream

FALSE_ALARM = 1e-4
CASES = [([0, 0], 1.0), ([3, 0, 1], 0.5), ([0, 2, 2, 5], 0.3), ([-7, -9, -8, -7, -30], 0.7), ([0, 10**15], 1e-15)]


def flip_distribution(scores, rate):
    """Permute-and-flip by its definition: the average over all orders of the first accepted."""
    accept = [math.exp(-rate * (max(scores) - score)) for score in scores]
    result = [0.0] * len(scores)
    orders = list(itertools.permutations(range(len(scores))))
    for order in orders:
        left = 1.0
        for candidate in order:
            result[candidate] += left * accept[candidate] / len(orders)
            left *= 1 - accept[candidate]
    return result


def noisy_max_distribution(scores, rate):
    """Report-noisy-max with exponential noise, by inclusion–exclusion over who is below x (Ding et al. 2021)."""
    result = []
    best = max(scores)
    for i, score in enumerate(scores):
        others = [math.exp(-rate * (best - other)) for j, other in enumerate(scores) if j != i]
        own = math.exp(-rate * (best - score))
        total = 0.0
        for size in range(len(others) + 1):
            for subset in itertools.combinations(others, size):
                total += (-1) ** size * math.prod(subset) / (size + 1)
        result.append(own * total)
    return result


def exponential_distribution(scores, rate):
    weights = [math.exp(-rate * (max(scores) - score)) for score in scores]
    return [weight / sum(weights) for weight in weights]


@pytest.mark.parametrize(("scores", "rate"), CASES)
def test_permute_and_flip_has_its_exact_distribution(scores, rate):
    noise = ExactNoise(SeededBytes(1))
    exact = Fraction(str(rate))
    found = np.bincount([noise.permute_and_flip(np.array(scores), exact) for _ in range(8_000)], minlength=len(scores))
    expected = np.array(flip_distribution(scores, rate))
    kept = expected > 1e-3
    assert categories_p_value(found[kept].tolist(), (expected[kept] / expected[kept].sum()).tolist()) > FALSE_ALARM
    assert found[~kept].sum() < 60
    if len(scores) > 2:  # a rate that is wrong by a third is caught
        wrong = np.array(flip_distribution(scores, rate * 1.3))
        assert categories_p_value(found[kept].tolist(), (wrong[kept] / wrong[kept].sum()).tolist()) < FALSE_ALARM


@pytest.mark.parametrize(("scores", "rate"), CASES)
def test_the_exponential_mechanism_has_its_exact_distribution(scores, rate):
    noise = ExactNoise(SeededBytes(2))
    exact = Fraction(str(rate))
    found = np.bincount([noise.exponential(np.array(scores), exact) for _ in range(8_000)], minlength=len(scores))
    expected = np.array(exponential_distribution(scores, rate))
    kept = expected > 1e-3
    assert categories_p_value(found[kept].tolist(), (expected[kept] / expected[kept].sum()).tolist()) > FALSE_ALARM
    assert found[~kept].sum() < 60
    if len(scores) > 2:
        wrong = np.array(exponential_distribution(scores, rate * 1.3))
        assert categories_p_value(found[kept].tolist(), (wrong[kept] / wrong[kept].sum()).tolist()) < FALSE_ALARM


@given(scores=st.lists(st.integers(0, 12), min_size=1, max_size=5), rate=st.floats(0.05, 2))
def test_permute_and_flip_is_noisy_max_with_exponential_noise(scores, rate):
    assert noisy_max_distribution(scores, rate) == pytest.approx(flip_distribution(scores, rate), abs=1e-12)


@pytest.mark.parametrize("rate", [0.3, 1.0])
@pytest.mark.parametrize("moves", [(-1, 1), (0, 2), (-2, 0), (3, 5)])
def test_a_choice_costs_rate_times_spread_wherever_the_moves_lie(moves, rate):
    """Moves within [low, high] cost rate·(high − low): a move common to all candidates costs nothing."""
    low, high = moves
    worst = 0.0
    for scores in itertools.product(range(0, 7, 2), repeat=3):
        for move in itertools.product((low, high), repeat=3):
            other = [score + by for score, by in zip(scores, move, strict=True)]
            for distribution in (flip_distribution, exponential_distribution):
                one, two = distribution(scores, rate), distribution(other, rate)
                worst = max(worst, *(abs(math.log(a / b)) for a, b in zip(one, two, strict=True)))
    assert worst <= rate * (high - low) + 1e-9
    assert worst > 0.6 * rate * (high - low)  # the bound is not idle


def most_needed(one, two):
    """The largest μ over all events, between two distributions on few outcomes: Φ⁻¹(P) − Φ⁻¹(Q)."""
    inverse = NormalDist().inv_cdf
    events = itertools.product((0, 1), repeat=len(one))
    masses = [[sum(itertools.compress(p, event)) for p in (one, two)] for event in events if 0 < sum(event) < len(one)]
    return max(inverse(p) - inverse(q) for p, q in masses)


@pytest.mark.parametrize("rate", [0.1, 0.5, 1.0, 2.0])
def test_the_exponential_mechanism_costs_pi_eighths_of_its_square(rate):
    worst = 0.0
    for scores in itertools.product(range(0, 9, 2), repeat=3):
        for move in itertools.product((-1, 0, 1), repeat=3):
            other = [score + by for score, by in zip(scores, move, strict=True)]
            worst = max(
                worst, most_needed(exponential_distribution(scores, rate), exponential_distribution(other, rate))
            )
    bound = (2 * rate) ** 2 * math.pi / 8
    assert worst**2 <= bound * (1 + 1e-9)
    # an eighth, as zero-concentrated privacy would have it, or any other constant that is smaller, is not enough
    assert worst**2 > 0.7 * bound > (2 * rate) ** 2 / 8 or rate == 2.0


def test_permute_and_flip_would_break_that_price():
    """Why it is not used with a δ: with two candidates the loss ranges over 1.49, not 1, at ε = 1."""
    losses, needed = [], []
    for gap in np.linspace(0, 6, 121):
        one, two = flip_distribution([gap, 0], 0.5), flip_distribution([gap + 1, -1], 0.5)
        loss = [math.log(a / b) for a, b in zip(one, two, strict=True)]
        losses.append(max(loss) - min(loss))
        needed.append(max(most_needed(one, two), most_needed(two, one)))
    assert max(losses) > 1.2
    assert max(needed) ** 2 > math.pi / 8


@given(
    scores=st.lists(st.integers(-(10**15), 10**15), min_size=1, max_size=30),
    rate=st.fractions(min_value=Fraction(1, 10**18), max_value=100, max_denominator=10**18),
    seed=st.integers(0, 20),
)
@settings(max_examples=80)
def test_the_kernels_choose_as_python_integers_do(scores, rate, seed):
    if rate == 0:
        return
    p, q = round_rate(rate)
    gaps = [max(scores) - score for score in scores]
    for fast, slow in (
        (choose_permute_and_flip, _integers.permute_and_flip),
        (choose_exponential, _integers.exponential),
    ):
        kernel = fast(np.array(scores), rate, WordStream(SeededBytes(seed)))
        assert kernel == slow(gaps, p, q, WordStream(SeededBytes(seed)))


@pytest.mark.parametrize("block", [1, 3, 11])
def test_where_a_block_of_words_ends_changes_no_choice(block):
    class Same:
        private = False

        def __init__(self):
            self._all, self._used = SeededBytes(8).words(200_000), 0

        def words(self, count):
            self._used += count
            return self._all[self._used - count : self._used]

    scores = np.arange(0, 300, 7)
    for choose in (choose_permute_and_flip, choose_exponential):
        whole, cut = WordStream(Same(), block=100_000), WordStream(Same(), block=block)
        for _ in range(30):
            assert choose(scores, Fraction(1, 9), whole) == choose(scores, Fraction(1, 9), cut)


def test_scores_at_both_ends_of_64_bits_are_told_apart():
    scores = np.array([np.iinfo(np.int64).min, np.iinfo(np.int64).max])
    for seed in range(5):
        assert choose_permute_and_flip(scores, Fraction(1, 2**50), WordStream(SeededBytes(seed))) == 1
        assert choose_exponential(scores, Fraction(1, 2**50), WordStream(SeededBytes(seed))) == 1


def test_rates_beyond_the_kernels_are_handled_in_python_integers():
    stream = WordStream(SeededBytes(3))
    assert choose_permute_and_flip(np.array([0, 1]), Fraction(1 << 70, 3), stream) == 1
    assert choose_exponential(np.array([0, 1]), Fraction(1 << 70, 3), stream) == 1
    picks = {choose_permute_and_flip(np.array([0, 1]), Fraction(1, 3 << 70), stream) for _ in range(40)}
    assert picks == {0, 1}


def test_a_million_candidates_are_looked_at_one_by_one():
    scores = np.zeros(1_000_000, dtype=np.int64)
    scores[765_432] = 10**13
    assert choose_permute_and_flip(scores, Fraction(1, 10**10), WordStream(SeededBytes(4))) == 765_432


@given(rate=st.fractions(min_value=Fraction(1, 10**30), max_value=10**30, max_denominator=10**40))
def test_rates_are_only_ever_rounded_down_and_by_a_hair(rate):
    if rate == 0:
        return
    p, q = round_rate(rate)
    assert Fraction(p, q) <= rate
    assert Fraction(p, q) >= rate * (1 - Fraction(1, 1 << 30))


@given(square=st.fractions(min_value=Fraction(1, 10**20), max_value=10**20, max_denominator=10**20))
def test_roots_are_rounded_down(square):
    if square == 0:
        return
    root = sqrt_below(square)
    assert root * root <= square <= root * root * (1 + Fraction(1, 1 << 60))


def test_rates_spend_exactly_the_share():
    pure = PureBudget(epsilon=Fraction(1)).rate_for(Fraction(3, 10), Fraction(4))
    assert pure * 4 == Fraction(3, 10)
    gaussian = GDPBudget(mu_squared=Fraction(1, 50), epsilon=Fraction(1), delta=Fraction(1, 10**9))
    rate = gaussian.rate_for(Fraction(3, 10), Fraction(4))
    spent = (rate * 4) ** 2 * Fraction(355, 113) / 8
    assert spent <= Fraction(3, 10) * gaussian.mu_squared <= spent * (1 + Fraction(1, 1 << 60))


def test_nothing_to_choose_from_is_our_own_bug():
    with pytest.raises(InternalError, match="nothing to choose"):
        choose_exponential(np.array([], dtype=np.int64), Fraction(1), WordStream(SeededBytes(1)))
    with pytest.raises(InternalError, match="above 0"):
        choose_exponential(np.array([1]), Fraction(0), WordStream(SeededBytes(1)))
