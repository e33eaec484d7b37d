"""What a plan foretells: its noise is that of the run, its figures move the right way, its words are true."""

from fractions import Fraction

import numpy as np
import pytest

from understudy.counting import MemoryCounter
from understudy.methods import METHODS, STRENGTHS, Adaptive, Measures, forecast, method_named, outlook_of
from understudy.privacy import Interactions, Neighbours, PrivacyTerms, make_budget, make_noise, open_curator
from understudy.schema import Attribute, Domain, Marginal
from understudy.tables import Table

SIZES = (3, 2, 5, 4)
DOMAIN = Domain(tuple(Attribute(name=f"c{i}", size=size) for i, size in enumerate(SIZES)))
BINARY = Domain(tuple(Attribute(name=f"c{i}", size=2) for i in range(6)))
NOTHING = frozenset[int]()


def terms(epsilon=1, delta="1e-9", neighbours=Neighbours.ADD_REMOVE):
    return PrivacyTerms(budget=make_budget(epsilon, delta), neighbours=neighbours)


@pytest.mark.parametrize("relation", list(Neighbours))
def test_the_noise_of_the_plan_is_the_noise_of_the_run(relation):
    """To the rounding of noise to whole numbers: of columns, and of a pair's table for a share of that size."""
    of_run, method = terms(neighbours=relation), Adaptive()
    measures = method.plan(DOMAIN, 5000, of_run).measures
    shares = method.divide(DOMAIN, 5000, of_run)
    table = Table(DOMAIN, tuple(np.zeros(50, dtype=np.uint8) for _ in SIZES))
    curator = open_curator(MemoryCounter(table), budget=of_run.budget, neighbours=relation, noise=make_noise(seed=1))
    for a, size in enumerate(SIZES):
        found = curator.ask(Interactions(marginal=Marginal.of(a)), share=shares.columns[a])
        assert measures.columns[a] ** 2 == pytest.approx(found.variance * (1 - 1 / size), rel=0.005)
    share = Fraction(1, 100)
    k, m = SIZES[0], SIZES[2]
    found = curator.ask(Interactions(marginal=Marginal.of(0, 2)), share=share)
    wanted = found.variance * (1 - 1 / k) * (1 - 1 / m)
    others = sum(SIZES[a] * SIZES[b] for a in range(4) for b in range(a))
    each = float(shares.relations) / shares.rounds * (shares.rounds / 6) * (1 - shares.choosing)
    weight = (k * m / (others / 6)) ** (2 / 3)
    told = float(measures.pair_variance(np.array([float(k)]), np.array([float(m)]))[0])
    assert told * each * weight == pytest.approx(wanted * float(share), rel=0.005)


@pytest.mark.parametrize("delta", ["1e-9", None])
@pytest.mark.parametrize("domain", [DOMAIN, BINARY])
@pytest.mark.parametrize("name", sorted(set(METHODS) - {"uniform", "hpprivbayes"}))
def test_more_budget_and_more_rows_foretell_less_error(name, domain, delta):
    sizes = [attribute.size for attribute in domain]
    method = method_named(name)

    def told(epsilon, n):
        measures = method.plan(domain, n, terms(epsilon, delta)).measures
        return forecast(sizes, n, measures, even=NOTHING)

    few, more, many = told("0.2", 2000), told(2, 2000), told("0.2", 200_000)
    assert few.column > more.column
    assert few.column > many.column
    assert few.pair >= more.pair
    assert few.pair > many.pair
    assert 0 <= few.kept <= more.kept <= few.pairs
    assert all(0 <= error <= 1 for error in few.columns)


def test_without_a_measured_pair_relations_are_as_far_off_as_they_are_strong():
    exact = Measures(columns=(0.0, 0.0), pairs=0, pair_variance=lambda k, m: 0 * k * m)
    weak, strong = (
        forecast([4, 4], 10**9, exact, strength=STRENGTHS[word], even=NOTHING) for word in ("weak", "strong")
    )
    assert weak.pair == pytest.approx(weak.independent, rel=0.01)
    assert strong.pair / weak.pair == pytest.approx(STRENGTHS["strong"] / STRENGTHS["weak"], rel=0.05)
    assert weak.kept == 0


def test_all_pairs_measured_without_noise_are_all_kept():
    exact = Measures(columns=(0.0,) * 4, pairs=6, pair_variance=lambda k, m: 0 * k * m)
    found = forecast(SIZES, 10**6, exact, even=NOTHING)
    assert (found.kept, found.pairs) == (6, 6)
    assert found.pair < 0.005


def test_very_many_columns_are_foretold_from_some_of_their_pairs():
    sizes = [2, 3, 7] * 200
    measures = Measures(columns=(30.0,) * 600, pairs=500, pair_variance=lambda k, m: 900.0 + 0 * k * m)
    found = forecast(sizes, 10_000, measures, even=NOTHING)
    assert found == forecast(sizes, 10_000, measures, even=NOTHING)
    assert found.pairs == 600 * 599 // 2
    assert found.kept <= 1000


def test_what_a_guess_becomes_is_the_odds_of_epsilon():
    line = outlook_of(SIZES, 100, None, make_budget(1, "1e-9"))
    assert line.guess / (1 - line.guess) == pytest.approx(np.e)
    assert 0.5 < line.hits < line.guess
    assert line.column_error is None
    assert line.relations == "unknown"
