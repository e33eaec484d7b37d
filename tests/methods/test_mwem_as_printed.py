"""MWEM as its paper prints it: one cell a round, one update a round, and the average of what rounds begin with."""

from __future__ import annotations

from itertools import combinations, product
from math import exp

import numpy as np
import pytest

from tests.privacy.small import PlainCounter
from understudy.methods import MWEM, read_method
from understudy.privacy import make_budget, open_curator
from understudy.schema import Attribute, Domain, Marginal

SIZES = (2, 3, 2)
DOMAIN = Domain(tuple(Attribute(name=name, size=size) for name, size in zip("abc", SIZES, strict=True)))
ROWS = [(0, 1, 1), (0, 1, 1), (0, 1, 0), (1, 2, 0), (0, 1, 1), (1, 1, 1), (0, 0, 1), (0, 1, 1)]
MORE = 2  # what the noise below adds to a count
WORDS = "mwem:ways=2:round_epsilon=0.25:queries=cells:replay=no:result=average"


class Known:
    """Noise that is no chance: the best of the choices, and always two more."""

    name, private = "known", False

    def permute_and_flip(self, scores, rate):
        return int(np.argmax(scores))

    def laplace(self, counts, scale):
        return counts + MORE


def fitted(word, rounds):
    method = read_method(word)
    curator = open_curator(PlainCounter(DOMAIN, ROWS), budget=make_budget(rounds * 0.25), noise=Known())
    assert method.rounds(curator.budget) == rounds
    return method.fit(curator)


def printed(rounds):
    """Figure 1 of the MWEM paper, row by row: the distributions A₀, A₁, … A_T."""
    every = list(product(*map(range, SIZES)))
    weight = dict.fromkeys(every, 1 / len(every))
    queries = [
        (group, values)
        for group in combinations(range(3), 2)
        for values in product(*(range(SIZES[column]) for column in group))
    ]

    def falls(row, query):
        return all(row[column] == value for column, value in zip(*query, strict=True))

    found = [dict(weight)]
    for _ in range(rounds):
        guessed = [sum(weight[row] for row in every if falls(row, query)) for query in queries]
        counted = [sum(falls(row, query) for row in ROWS) for query in queries]
        # the score is the distance of whole numbers, so that it can be chosen by exactly
        far = [abs(round(len(ROWS) * guess) - count) for guess, count in zip(guessed, counted, strict=True)]
        worst = far.index(max(far))
        apart = (counted[worst] + MORE) / len(ROWS) - guessed[worst]
        for row in every:
            weight[row] *= exp(apart / 2) if falls(row, queries[worst]) else 1.0
        total = sum(weight.values())
        weight = {row: part / total for row, part in weight.items()}
        found.append(dict(weight))
    return [np.array([one[row] for row in every]).reshape(SIZES) for one in found]


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_the_average_is_of_what_rounds_begin_with_and_each_measurement_is_learnt_once(rounds):
    model = fitted(WORDS, rounds)
    expected = sum(printed(rounds)[:rounds]) / rounds
    found = model.marginal(Marginal.of(0, 1, 2)).probabilities
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_with_one_round_it_is_uniform_for_that_is_what_the_round_begins_with():
    found = fitted(WORDS, 1).marginal(Marginal.of(1)).probabilities
    np.testing.assert_allclose(found, 1 / 3)


def test_the_last_distribution_of_the_same_rounds():
    found = fitted(WORDS.replace("average", "last"), 4).marginal(Marginal.of(0, 1, 2)).probabilities
    np.testing.assert_allclose(found, printed(4)[-1], atol=1e-12)


def test_by_default_measurements_are_replayed_and_the_last_distribution_counts():
    plain = MWEM(ways=2, round_epsilon=0.25)
    assert (plain.queries, plain.replay, plain.result) == ("tables", True, "last")
    replayed = fitted(WORDS.replace("replay=no:result=average", "replay=yes"), 4)
    assert np.abs(replayed.marginal(Marginal.of(0, 1, 2)).probabilities - printed(4)[-1]).max() > 0.01


def test_as_printed_is_planned_with_one_update_a_round():
    terms = open_curator(PlainCounter(DOMAIN, ROWS), budget=make_budget(1), noise=Known()).terms
    once, often = (read_method(word).plan(DOMAIN, 1000, terms) for word in (WORDS, WORDS.replace("=no", "=yes")))
    assert once.seconds < often.seconds
