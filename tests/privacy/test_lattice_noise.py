"""Noise of tables asked together: its exact law on tiny tables, part by part from all that can be drawn."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from tests.audit_tools import categories_p_value
from understudy._core.errors import OptionError
from understudy._core.randomness import SeededBytes
from understudy.privacy import ExactNoise, NoiseLevel
from understudy.privacy import _lattice_noise as lattice
from understudy.privacy import _log_concave as log_concave
from understudy.privacy._bounded import Bounded, exp_minus, flip, surely_below
from understudy.privacy._lattice_moments import pooled_level, together_levels
from understudy.privacy._lattice_noise import Ball, Radius, draw_subset, draw_together, radius_peak
from understudy.privacy._log_concave import chance, find_peak, first_where, propose
from understudy.privacy._word_stream import WordStream

pytestmark = pytest.mark.one_in(3)

both_shapes = pytest.mark.parametrize("balanced", [True, False], ids=["balanced", "free"])
TOGETHER = [((2,), 1), ((3,), 2), ((2, 2), 1), ((2, 3), Fraction(1, 2)), ((1, 4), 3), ((2, 2, 2, 3), Fraction(7, 3))]


def norm(noise, balanced):
    """As the proof defines it."""
    size = sum(map(abs, noise))
    return Fraction(size, 2) if balanced else Fraction(size)


def points(cells, radius, balanced):
    """All noise of one table within a radius, by looking at every vector there is."""
    reach = range(-radius, radius + 1)
    return [
        z
        for z in itertools.product(reach, repeat=cells)
        if norm(z, balanced) <= radius and (sum(z) == 0 or not balanced)
    ]


class Words:
    """A stream of given words, which says how many it gave out."""

    def __init__(self, words):
        self.words, self.given = list(words), 0

    def next(self):
        self.given += 1
        return self.words[self.given - 1]


def every_draw(monkeypatch, module, run):
    """All results of `run`, each with its probability, over all that `below` can give in a module."""
    found, path = Counter(), []
    while True:
        place, weight = 0, Fraction(1)

        def below(m, stream):
            nonlocal place, weight
            if place == len(path):
                path.append([0, m])
            weight, place = weight / m, place + 1
            return path[place - 1][0]

        monkeypatch.setattr(module, "below", below)
        found[run()] += weight
        while path and path[-1][0] == path[-1][1] - 1:
            path.pop()
        if not path:
            return found
        path[-1][0] += 1


# ---- numbers known by bounds, and coins of such a bias


@pytest.mark.parametrize("exponent", ["0", "1/3", "1", "7/2", "99/7", "400", "1/1000000007"])
def test_bounds_of_the_exponential_hold_and_close_in(exponent):
    exponent = Fraction(exponent)
    with localcontext() as context:
        context.prec = 400
        true = (-Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp()
        for bits in (16, 64, 128, 500):
            found = exp_minus(exponent, bits)
            low, high = (Decimal(end) * Decimal(2) ** found.exponent for end in (found.low, found.high))
            assert low <= true <= high
            assert high - low <= true * Decimal(2) ** (8 - bits)


def test_arithmetic_with_bounds_keeps_the_true_number_inside():
    rng = np.random.default_rng(3)
    for _ in range(300):
        a, b = (Fraction(int(x), int(y)) for x, y in rng.integers(1, 10**6, (2, 2)))
        one, other = (Bounded(math.floor(x * 2**40), math.ceil(x * 2**40), -40) for x in (a, b))
        power = int(rng.integers(0, 9))
        for found, true in (
            (one.times(other, 24), a * b),
            (one.over(other, 24), a / b),
            (one.power(power, 24), a**power),
        ):
            unit = Fraction(2) ** found.exponent
            assert found.low * unit <= true <= found.high * unit <= true * Fraction(101, 100)
            low, high = found.scaled(30)
            assert low <= true * 2**30 <= high


def test_a_comparison_takes_as_many_bits_as_it_needs():
    close = Bounded((1 << 300) - 1, (1 << 300) - 1, -300)
    asked = []

    def one(bits):
        asked.append(bits)
        return close.kept(bits) if bits < 301 else close

    assert surely_below(one, lambda bits: Bounded(1, 1))
    assert len(asked) > 1


@pytest.mark.parametrize("bias", ["1/3", "1/2", "0", "1", "5/7", "1/18446744073709551616"])
def test_a_coin_shows_heads_for_exactly_its_share_of_words(bias):
    bias = Fraction(bias)

    def chances(bits):
        return Bounded(math.floor(bias * 2**bits), math.ceil(bias * 2**bits), -bits)

    edge = math.floor(bias * 2**64)
    words = {0, 1, edge - 2, edge - 1, edge, edge + 1, edge + 2, 2**64 - 1}
    for word in (word for word in words if 0 <= word < 2**64):
        inside = bias * 2**64 - word
        if inside >= 1 or inside <= 0:  # the first word settles it
            stream = Words([word])
            assert flip(chances, stream) == (inside >= 1)
        else:  # the second one does, for the share of it that is left
            assert flip(chances, Words([word, math.floor(inside * 2**64) - 1]))
            assert not flip(chances, Words([word, math.ceil(inside * 2**64)]))


# ---- whole numbers of log-concave weights

WEIGHTS = {
    "binomial": [math.comb(9, x) for x in range(10)],
    "one": [5],
    "falling": [64, 16, 4, 1],
    "rising": [1, 4, 16, 64],
    "flat": [1] * 7,
    "steep": [1, 1000, 10**6, 10**6, 3],
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_a_proposal_times_its_chance_is_proportional_to_the_weight(name, monkeypatch):
    weights = WEIGHTS[name]

    def ratio(a, b, bits):
        return Bounded.exactly(weights[a]).over(Bounded.exactly(weights[b]), bits)

    peak = find_peak(ratio, lambda x: weights[x + 1] > weights[x], guess=2, last=len(weights) - 1)
    assert weights[peak.mode] == max(weights)
    deepest = 5  # blocks; beyond, a proposal is left out below
    proposed = every_draw(monkeypatch, log_concave, lambda: limited_proposal(peak, deepest, monkeypatch))
    kept = Counter()
    for (x, blocks), probability in proposed.items():
        if x is not None and peak.holds(x):
            share = Fraction(weights[x], weights[peak.mode]) * 2**blocks
            assert share <= 1  # a chance is a probability
            low, high = chance(ratio, peak, x, blocks, 200).scaled(190)
            assert low <= share * 2**190 <= high <= low + 4
            kept[x] += probability * share
    assert len({kept[x] / weights[x] for x in range(len(weights))}) == 1


def limited_proposal(peak, deepest, monkeypatch):
    below, flips = log_concave.below, 0

    def shallow(m, stream):
        nonlocal flips
        found = below(m, stream)
        flips += 1
        if flips == deepest + 3:
            raise RecursionError
        return found

    with monkeypatch.context() as patch:
        patch.setattr(log_concave, "below", shallow)
        try:
            return propose(peak, None)
        except RecursionError:
            return None, 0


def test_the_first_that_holds_is_found_from_any_guess():
    for limit, guess in itertools.product([0, 1, 2, 5, 31, 1000], [0, 1, 3, 30, 999, 1000, 5000]):
        assert first_where(lambda x, limit=limit: x >= limit, guess=guess) == limit


# ---- balls


@both_shapes
@pytest.mark.parametrize("cells", [1, 2, 3, 4, 5])
def test_a_ball_is_counted_right(cells, balanced):
    for radius in range(5 if cells < 5 else 4):
        assert Ball(cells, balanced).size(radius) == len(points(cells, radius, balanced))


@both_shapes
@pytest.mark.parametrize(
    ("cells", "radius", "further"),
    [(1, 4, 1), (3, 0, 2), (4, 5, 1), (40, 7, 3), (40, 300, 1), (500, 90, 30), (300, 10**6, 5000), (3, 10**30, 10**29)],
)
def test_bounds_of_ratios_hold_them_and_close_in(cells, radius, further, balanced):
    ball = Ball(cells, balanced)
    for one, other in ((radius, radius + further), (radius + further, radius), (radius, radius)):
        true = Fraction(ball.size(one), ball.size(other))
        for bits in (20, 64, 200):
            assert_holds(ball.size_ratio(one, other, bits), true, bits)
    most = min(ball.degree, radius)
    for start, end in ((0, most), (most, 0), (most // 2, most // 3)):
        assert_holds(ball.climb(radius, start, end, 64), Fraction(ball.term(radius, end), ball.term(radius, start)), 54)


def assert_holds(found, true, bits):
    unit = Fraction(2) ** found.exponent
    assert found.low * unit <= true <= found.high * unit
    assert (found.high - found.low) * unit <= true * Fraction(2) ** (3 - bits)


@both_shapes
def test_sizes_of_balls_and_their_parts_are_log_concave(balanced):
    for cells in (1, 2, 3, 6, 11):
        ball = Ball(cells, balanced)
        sizes = [ball.size(radius) for radius in range(40)]
        assert all(a * c <= b * b for a, b, c in zip(sizes, sizes[1:], sizes[2:], strict=False))
        for radius in (0, 1, 5, 30):
            terms = [ball.term(radius, l) for l in range(min(ball.degree, radius) + 1)]  # noqa: E741
            assert all(a * c <= b * b for a, b, c in zip(terms, terms[1:], terms[2:], strict=False))
            assert terms[ball.peak_corners(radius)] == max(terms)


@pytest.mark.parametrize(("n", "size"), [(1, 0), (1, 1), (4, 2), (5, 3), (4, 4), (6, 1)])
def test_every_subset_is_drawn_as_often(n, size, monkeypatch):
    found = every_draw(monkeypatch, lattice, lambda: tuple(draw_subset(n, size, None)))
    assert found == dict.fromkeys(itertools.combinations(range(n), size), Fraction(1, math.comb(n, size)))


@both_shapes
@pytest.mark.parametrize("cells", [1, 2, 3, 4])
@pytest.mark.parametrize("radius", [0, 1, 2, 3])
def test_noise_is_exactly_uniform_in_its_ball(cells, radius, balanced, monkeypatch):
    """All corners with their weight, all subsets and signs: every point has the same probability, and no other any."""
    ball, found = Ball(cells, balanced), Counter()
    for corners in range(min(ball.degree, radius) + 1):
        monkeypatch.setattr(lattice, "draw", lambda ratio, peak, stream, corners=corners: corners)
        share = Fraction(ball.term(radius, corners), ball.size(radius))
        law = every_draw(monkeypatch, lattice, lambda: tuple(ball.draw(radius, None)))
        for noise, probability in law.items():
            found[noise] += share * probability
    expected = points(cells, radius, balanced)
    assert found == dict.fromkeys(expected, Fraction(1, len(expected)))


# ---- the radius, and all of it together


@both_shapes
@pytest.mark.parametrize(("cells", "rate"), TOGETHER)
def test_the_radius_has_the_weights_that_make_the_noise_fall_with_its_norm(cells, rate, balanced):
    """Σ over T ≥ m of weight(T)/Π sizes(T) is ∝ exp(−rate·m): the exact law of the noise, from the sampler's own."""
    law = Radius.of(cells, Fraction(rate), balanced=balanced)
    mode, far = radius_peak(law).mode, int(60 / rate) + 10
    share = []
    for radius in range(far):
        found = law.ratio(radius, mode, 200)
        sizes = math.prod(Ball(size, balanced).size(radius) for size in cells)
        share.append(Fraction(found.low + found.high, 2) * Fraction(2) ** found.exponent / sizes)
    tails = [float(sum(share[m:])) for m in range(15)]
    for m in range(14):
        assert tails[m + 1] / tails[m] == pytest.approx(math.exp(-rate), rel=1e-12)


@both_shapes
@pytest.mark.parametrize(
    ("cells", "rate"), [*TOGETHER, ((2,) * 30, Fraction(1, 9)), ((50, 7), 1), ((9,), Fraction(1, 500))]
)
def test_the_peak_of_the_radius_is_one(cells, rate, balanced):
    law = Radius.of(cells, Fraction(rate), balanced=balanced)
    peak = radius_peak(law)

    def weight(radius):
        if radius < 0:
            return -math.inf
        return math.log(math.prod(Ball(k, balanced).size(radius) for k in cells)) - float(rate) * radius

    assert weight(peak.mode) > max(weight(peak.mode + 1), weight(peak.mode - 1))
    assert weight(peak.mode + peak.step) <= weight(peak.mode) - math.log(2) + 1e-9
    if peak.mode:
        assert weight(peak.mode - 1 - peak.step) <= weight(peak.mode - 1) - math.log(2) + 1e-9


@pytest.mark.one_in(2)
@both_shapes
@pytest.mark.parametrize(
    ("cells", "rate"), [((2, 3), 2), ((3,), 1), pytest.param((1, 2, 2), 2, marks=pytest.mark.slow)]
)
def test_draws_fit_their_law(cells, rate, balanced):
    stream = WordStream(SeededBytes(11))
    drawn = Counter(
        tuple(map(tuple, draw_together(cells, Fraction(rate), stream, balanced=balanced))) for _ in range(3000)
    )
    radius = 3
    within = list(itertools.product(*(points(k, radius, balanced) for k in cells)))
    largest = [max(norm(z, balanced) for z in noise) for noise in within]
    total = sum(
        math.exp(-rate * m)
        * (
            math.prod(Ball(k, balanced).size(m) for k in cells)
            - (math.prod(Ball(k, balanced).size(m - 1) for k in cells) if m else 0)
        )
        for m in range(60)
    )
    likely = [(noise, math.exp(-rate * m) / total) for noise, m in zip(within, largest, strict=True)]
    likely = [(noise, p) for noise, p in likely if 3000 * p >= 8]
    seen = [drawn[noise] for noise, _ in likely]
    rest = 1 - sum(p for _, p in likely)
    assert categories_p_value([*seen, 3000 - sum(seen)], [*(p for _, p in likely), rest]) > 1e-3


@pytest.mark.one_in(3)
@both_shapes
@pytest.mark.parametrize(("cells", "rate"), [((2, 3), 3), ((1, 4), 4), ((2, 2, 3), Fraction(7, 2)), ((5,), 5)])
def test_the_stated_size_of_the_noise_is_that_of_its_law(cells, rate, balanced):
    levels = together_levels(cells, Fraction(rate), balanced=balanced)
    total, means, squares = 0.0, np.zeros(len(cells)), np.zeros(len(cells))
    for radius in range(10 if max(cells) < 5 else 7):
        listed = [np.array(points(k, radius, balanced)) for k in cells]
        weight = math.exp(-float(rate) * radius) * math.prod(map(len, listed))
        total += weight
        means += [weight * np.abs(noise).mean() for noise in listed]
        squares += [weight * (noise**2).mean() for noise in listed]
    assert [level.mean_abs for level in levels] == pytest.approx(list(means / total), rel=1e-5)
    assert [level.variance for level in levels] == pytest.approx(list(squares / total), rel=1e-5, abs=1e-12)
    pooled = pooled_level(levels, cells)
    assert pooled.variance == pytest.approx(float(squares / total @ np.array(cells)) / sum(cells), rel=1e-5)


@pytest.mark.parametrize("rate", ["3", "1", "1/10", "1/1000", "1/1000000"])
def test_single_tables_whose_noise_is_known_have_its_size(rate):
    """Two balanced cells have a discrete Laplace number and its negative; free noise is independent in each cell."""
    laplace = NoiseLevel(kind="laplace", scale=1 / Fraction(rate))
    for cells, balanced in ((2, True), (1, False), (7, False), (40, False)):
        [level] = together_levels([cells], Fraction(rate), balanced=balanced)
        assert level.variance == pytest.approx(laplace.variance, rel=2e-4)
        assert level.mean_abs == pytest.approx(laplace.mean_abs, rel=2e-4)
        assert level.kind == ("balanced" if balanced else "knorm")


@both_shapes
@pytest.mark.parametrize(("cells", "rate"), [((30, 7, 2), Fraction(1, 4)), ((200,), 3), ((2,) * 12, Fraction(1, 90))])
def test_larger_draws_have_their_stated_size(cells, rate, balanced):
    stream, draws = WordStream(SeededBytes(5)), 300
    levels = together_levels(cells, Fraction(rate), balanced=balanced)
    drawn = [draw_together(cells, Fraction(rate), stream, balanced=balanced) for _ in range(draws)]
    seen = np.array([np.mean([np.abs(noise[j]).mean() for noise in drawn]) for j in range(len(cells))])
    due = np.array([level.mean_abs for level in levels])
    spread = np.array([np.std([np.abs(noise[j]).mean() for noise in drawn]) for j in range(len(cells))])
    assert (np.abs(seen - due) < 4.5 * spread / math.sqrt(draws)).all()
    assert not balanced or all(sum(noise) == 0 for tables in drawn for noise in tables)


class Cut:
    """One sequence of words, given out in whatever blocks are asked for."""

    private = False

    def __init__(self):
        self.left = SeededBytes(4).words(1 << 14)

    def words(self, n):
        given, self.left = self.left[:n], self.left[n:]
        return given


def test_draws_do_not_depend_on_where_a_block_of_words_ends():
    def run(block):
        stream = WordStream(Cut(), block=block)
        return [draw_together([2, 30, 5], Fraction(1, 7), stream, balanced=True) for _ in range(5)]

    assert run(1) == run(7) == run(64) == run(1 << 12)


@both_shapes
def test_a_budget_with_no_room_for_its_noise_is_refused(balanced):
    noise = ExactNoise(SeededBytes(1))
    tables = [np.zeros(3, dtype=np.int64), np.zeros((2, 2), dtype=np.int64)]
    assert [t.shape for t in noise.together(tables, Fraction(1, 10**12), balanced=balanced)] == [(3,), (2, 2)]
    with pytest.raises(OptionError, match="Raise epsilon"):
        noise.together(tables, Fraction(1, 10**22), balanced=balanced)


def test_hardly_any_noise_is_none_that_shows():
    noise = ExactNoise(SeededBytes(1))
    table = np.arange(6).reshape(2, 3)
    [found] = noise.together([table], Fraction(900), balanced=True)
    assert (found == table).all()
    [level] = together_levels([6], Fraction(900), balanced=True)
    assert 0 < level.variance < 1e-20
