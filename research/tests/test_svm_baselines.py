"""The private classifiers: their noise, their optimality, and what one row can change."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats

from research.svm import Examples, FeatureMap, SvmTarget, majority, privgene
from research.svm._private_erm import HUBER, draw_tilt, fit_perturbed, perturbation, private_erm
from research.svm._privgene import UNITS, Fitness, offspring, rounds_for, spread_of, steps_for
from understudy._core.errors import OptionError
from understudy._core.randomness import Streams
from understudy.privacy import make_noise
from understudy.schema import Attribute, Domain
from understudy.tables import Table

YES = SvmTarget(name="y", column=0, positive=frozenset({1}))


def table_of(rows, sizes=(2, 2, 3)):
    domain = Domain(tuple(Attribute(name=f"c{i}", size=size) for i, size in enumerate(sizes)))
    return Table(domain, tuple(np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)))


def random_table(n, seed, sizes=(2, 2, 3)):
    rng = np.random.default_rng(seed)
    return table_of([tuple(int(rng.integers(size)) for size in sizes) for _ in range(n)], sizes)


# Majority ---------------------------------------------------------------------------------------------------------


def chance_of_yes(yes, n, epsilon):
    """P[yes + discrete Laplace of scale 1/ε > n/2], summed term by term."""
    q = math.exp(-epsilon)
    first = n // 2 + 1 - yes
    return sum((1 - q) / (1 + q) * q ** abs(k) for k in range(first, first + 400))


@pytest.mark.parametrize("yes", [3, 5, 7])
def test_majority_says_yes_as_often_as_its_noise_says(yes):
    table = table_of([(int(i < yes), 0) for i in range(10)], sizes=(2, 2))
    noise, trials = make_noise(seed=yes), 4000
    answers = [majority(table, YES, epsilon=Fraction(1, 2), noise=noise).weights[-1] > 0 for _ in range(trials)]
    expected = chance_of_yes(yes, 10, 0.5)
    assert abs(np.mean(answers) - expected) < 4.5 * math.sqrt(expected * (1 - expected) / trials)
    wrong_scale = chance_of_yes(yes, 10, 0.25)
    if yes != 5:
        assert abs(np.mean(answers) - wrong_scale) > 4.5 * math.sqrt(wrong_scale * (1 - wrong_scale) / trials)


def test_majority_loses_at_most_epsilon_to_a_replaced_row():
    for epsilon, yes in product([0.1, 0.5, 2.0], range(10)):
        here, there = chance_of_yes(yes, 10, epsilon), chance_of_yes(yes + 1, 10, epsilon)
        for p, q in ((here, there), (1 - here, 1 - there)):
            assert abs(math.log(p / q)) <= epsilon + 1e-9


# PrivateERM -------------------------------------------------------------------------------------------------------


def test_the_tilt_has_a_gamma_length_and_no_favourite_direction():
    rng = Streams(3).get("tilt")
    tilts = np.array([draw_tilt(5, 0.4, rng) for _ in range(4000)])
    lengths = np.linalg.norm(tilts, axis=1)
    assert stats.kstest(lengths, stats.gamma(5, scale=2 / 0.4).cdf).pvalue > 1e-4
    assert stats.kstest(lengths, stats.gamma(5, scale=2.3 / 0.4).cdf).pvalue < 1e-4
    assert np.abs((tilts / lengths[:, None]).mean(axis=0)).max() < 4.5 / math.sqrt(5 * 4000)


def huber_slope(z):
    return -np.clip((1 + HUBER - z) / (2 * HUBER), 0, 1)


@pytest.mark.parametrize("epsilon", [0.05, 0.4, 1.6, 3.0])
def test_the_perturbed_objective_is_minimised_to_rounding_error(epsilon):
    table = random_table(400, 1, sizes=(2, 2, 3, 2, 5))
    examples, rule = Examples.of(table, YES), perturbation(epsilon)
    encode = FeatureMap(table.domain, YES)
    rows, sign = encode(table) / encode.longest, np.where(encode.truth(table), 1.0, -1.0)
    tilt = draw_tilt(examples.width, rule.epsilon, Streams(0).get("tilt"))
    scaled = Examples(examples.features / encode.longest, examples.yes, examples.no)
    weights = fit_perturbed(scaled, tilt, rule.ridge)
    gradient = rows.T @ (sign * huber_slope(sign * (rows @ weights))) + rule.ridge * weights + tilt
    assert np.abs(gradient).max() < 1e-8


def test_rows_are_no_longer_than_one():
    table = random_table(300, 2, sizes=(2, 2, 3, 7, 5))
    target = SvmTarget(name="y", column=0, positive=frozenset({1}), numeric=frozenset({3}))
    encode = FeatureMap(table.domain, target)
    assert np.linalg.norm(encode(table), axis=1).max() <= encode.longest + 1e-12
    assert np.abs(encode(table)).max() <= 1


def test_the_rule_splits_epsilon_as_printed():
    for epsilon in (0.05, 0.2, 0.8, 1.3, 1.4, 1.6, 5.0):
        rule, c = perturbation(epsilon), 1 / (2 * HUBER)
        assert rule.epsilon + 2 * math.log(1 + c / rule.ridge) == pytest.approx(epsilon)
    assert perturbation(1.6).epsilon < perturbation(0.8).epsilon  # what the paper's footnote 7 complains about
    with pytest.raises(OptionError, match="above 0"):
        perturbation(0.0)


def density(weights, rows, rule):
    """Of the classifier, for one number a row: the tilt's density at b(f), times |b'(f)|."""
    z = weights[:, None] * rows[None, :]
    tilt = -rule.ridge * weights - (rows * huber_slope(z)).sum(axis=1)
    bend = (np.abs(1 - z) <= HUBER) / (2 * HUBER)
    return rule.epsilon / 4 * np.exp(-rule.epsilon / 2 * np.abs(tilt)) * (rule.ridge + (rows**2 * bend).sum(axis=1))


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.3, 1.6, 3.0])
def test_no_replaced_row_changes_the_density_of_the_classifier_by_more_than_epsilon(epsilon):
    rule, grid = perturbation(epsilon), np.linspace(-40, 40, 8001) + 1e-7
    choices = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])  # signed rows, of norm at most 1
    worst = 0.0
    for others in product(choices, repeat=2):
        logs = [np.log(density(grid, np.array([*others, row]), rule)) for row in choices]
        worst = max(worst, max(float((a - b).max()) for a in logs for b in logs))
    assert worst <= epsilon + 1e-9
    assert worst > 0.4 * epsilon  # the check can see losses of this size


@pytest.mark.slow
def test_the_one_dimensional_density_is_that_of_the_program():
    rows, rule = np.array([1.0, 1.0, -0.5]), perturbation(1.6)
    examples = Examples(rows[:, None], np.ones(3), np.zeros(3))
    rng = Streams(5).get("tilt")
    found = [fit_perturbed(examples, draw_tilt(1, rule.epsilon, rng), rule.ridge)[0] for _ in range(2000)]
    grid = np.linspace(-150, 150, 600001)
    mass = np.cumsum(density(grid, rows, rule)) * (grid[1] - grid[0])
    assert mass[-1] == pytest.approx(1, abs=1e-3)
    assert stats.kstest(found, lambda x: np.interp(x, grid, mass)).pvalue > 1e-4


def test_without_much_noise_private_erm_learns_and_a_seed_repeats_it():
    rows = [(i % 2, i % 2, i % 3) for i in range(3000)]
    table = table_of(rows)
    one, two = (private_erm(table, YES, epsilon=Fraction(1), rng=Streams(1).get("t")) for _ in range(2))
    assert one.error(table) == 0
    assert np.array_equal(one.weights, two.weights)


# PrivGene ---------------------------------------------------------------------------------------------------------


def plain_fitness(table, target, classifiers):
    """Row by row, as defined."""
    encode = FeatureMap(table.domain, target)
    rows, sign = np.rint(encode(table) * 256) / 256, np.where(encode.truth(table), 1.0, -1.0)
    losses = np.rint(UNITS * np.maximum(0, 1 - sign[:, None] * (rows @ classifiers.T)))
    return -(losses.sum(axis=0) + np.rint(UNITS * (classifiers**2).sum(axis=1) / 2)).astype(np.int64)


def test_fitness_of_offspring_is_what_looking_at_every_row_gives():
    table = random_table(500, 4, sizes=(2, 2, 3, 7, 5))
    target = SvmTarget(name="y", column=0, positive=frozenset({1}), numeric=frozenset({3}))
    fitness, parent = Fitness(Examples.of(table, target)), np.zeros(FeatureMap(table.domain, target).width)
    for i, step in enumerate(steps_for(12)):
        children = offspring(parent, step)
        assert np.array_equal(fitness(parent, step), plain_fitness(table, target, children))
        parent = children[(7 * i) % len(children)]


def test_no_replaced_row_moves_two_offspring_apart_by_more_than_the_spread():
    sizes = (2, 2, 3)
    rows = list(product(*(range(size) for size in sizes)))
    parent = np.zeros(FeatureMap(table_of(rows, sizes).domain, YES).width)
    for step in steps_for(6):
        worst = 0
        alone = [plain_fitness(table_of([row], sizes), YES, offspring(parent, step)) for row in rows]
        for here, there in product(alone, alone):
            move = there - here
            worst = max(worst, int(move.max() - move.min()))
        assert worst <= spread_of(step)
        assert worst > spread_of(step) / 4
        parent = offspring(parent, step)[3]


def test_privgene_pays_epsilon_in_all():
    class Till:
        spent = Fraction(0)

        def permute_and_flip(self, scores, rate):
            self.spent += rate * spread_of(self.steps.pop(0))
            return int(scores.argmax())

    till, epsilon, table = Till(), Fraction(3, 10), random_table(50, 0)
    till.steps = steps_for(rounds_for(table.n, epsilon))
    privgene(table, YES, epsilon=epsilon, noise=till)
    assert till.spent == epsilon
    assert till.steps == []


def test_weights_stay_on_their_grid_so_that_sums_are_exact():
    steps = steps_for(200)
    assert all((step * (1 << 20)).denominator == 1 and step > 0 for step in steps)
    assert sum(steps) < 16
