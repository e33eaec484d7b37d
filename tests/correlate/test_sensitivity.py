"""Correlated sensitivity equals its twin; group sensitivity bounds every change of a small table."""

from itertools import product
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.naive.answering import naive_correlated_sensitivity
from understudy import UnderstudyError
from understudy.correlate import (
    Links,
    compare_sensitivities,
    correlated_sensitivity,
    group_sensitivity,
    workload_sensitivity,
)


def random_links(n, seed, share=0.3):
    draws = np.random.default_rng(seed)
    first, second = np.triu_indices(n, 1)
    linked = draws.random(len(first)) < share
    degrees = np.round(draws.uniform(-1, 1, linked.sum()), 3)
    links = Links.of_pairs(n, first[linked], second[linked], degrees)
    pairs = {(int(a), int(b)): float(d) for a, b, d in zip(*links.pairs(), strict=True)}
    return links, pairs


@given(n=st.integers(1, 12), queries=st.integers(1, 5), kinds=st.integers(1, 5), seed=st.integers(0, 10**6))
def test_it_is_definition_2_pair_by_pair(n, queries, kinds, seed):
    draws = np.random.default_rng(seed)
    links, pairs = random_links(n, seed)
    parts = np.where(draws.random((queries, kinds)) < 0.4, 0, draws.random((queries, kinds)))
    of_row = draws.integers(0, kinds, n)
    found = correlated_sensitivity(links, parts, of_row)
    for own, value in zip(parts, found, strict=True):
        assert value == pytest.approx(naive_correlated_sensitivity(pairs, own[of_row].tolist()))


def test_it_is_local_nobody_matched_makes_it_nothing():
    links, _ = random_links(6, 1)
    assert correlated_sensitivity(links, np.zeros((1, 6))).tolist() == [0.0]
    assert correlated_sensitivity(links, np.eye(6)[:1]).tolist() == [1.0]


@given(n=st.integers(2, 10), seed=st.integers(0, 10**6))
def test_a_matched_record_puts_it_between_the_global_one_and_that_of_its_links(n, seed):
    """θ_ii = 1: so 'CS is smaller than the global sensitivity' is false of every predicate that somebody meets."""
    draws = np.random.default_rng(seed)
    links, _ = random_links(n, seed)
    parts = (draws.random((20, n)) < 0.4).astype(float)
    most_linked = 1 + int(np.diff(links.indptr).max())
    found = compare_sensitivities(links, parts, most=1.0, max_rows=most_linked)
    met = parts.any(axis=1)
    assert (found.printed[met] >= found.single[met]).all()
    assert (found.printed <= found.group + 1e-9).all()
    assert found.printed_is_smaller.tolist() == (~met).tolist()


def test_it_is_smaller_only_where_that_was_computed():
    links = Links.of_pairs(2, [0], [1], [0.6])
    found = compare_sensitivities(links, [[0.5, 0.25, 1.0]], [0, 1], most=[1.0], max_rows=2)
    assert found.printed.tolist() == pytest.approx([0.65])  # the value that counts most is nobody's
    assert found.printed_is_smaller.tolist() == [True]


def test_a_workload_is_one_query_with_summed_parts():
    links = Links.of_pairs(3, [0], [2], [0.5])
    parts = np.array([[1.0, 0, 1], [0, 1, 1]])
    assert correlated_sensitivity(links, parts.sum(axis=0)).tolist() == [2.5]


def test_group_sensitivity_bounds_every_change_of_k_records():
    weights = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 1.0]])
    values = range(weights.shape[1])
    for k in (1, 2, 3):
        added = max(np.abs(weights[:, list(rows)].sum(axis=1)).sum() for rows in product(values, repeat=k))
        assert added == pytest.approx(workload_sensitivity(weights, k))
        swapped = max(
            np.abs(weights[:, list(old)].sum(axis=1) - weights[:, list(new)].sum(axis=1)).sum()
            for old in product(values, repeat=k)
            for new in product(values, repeat=k)
        )
        assert swapped <= workload_sensitivity(weights, k, replaced=True) + 1e-12
        for query in weights:
            alone = max(query[list(rows)].sum() for rows in product(values, repeat=k))
            assert alone == pytest.approx(group_sensitivity(query.max(), k)[0])


def test_definition_4_is_plain_differential_privacy_and_says_nothing_of_links():
    """Given all other records, an adversary's ratio is that of one record; not given them, it is 6.6 at ε = 1.

    A record is 1 with a chance of 0.01; nine others are 1 if it is, and 1 with a chance of a half if it is not. Their
    correlation is 0.1, below ϑ₀ = 0.6, so that Definition 2 gives 1 and the noise is Laplace of scale 1/ε.
    """
    share, half = 0.01, 0.5
    mean = share + (1 - share) * half
    rho = (share - share * mean) / np.sqrt(share * (1 - share) * mean * (1 - mean))
    assert rho == pytest.approx(0.1, abs=0.001)

    def log_density(outcome, totals):
        chances = [chance * 0.5 * exp(-abs(outcome - total)) for total, chance in totals.items()]
        return log(sum(chances))

    others = np.array([1.0])
    for _ in range(9):
        others = np.convolve(others, [half, half])
    without = dict(enumerate(others.tolist()))
    outcomes = np.linspace(-20, 30, 501)
    loss = max(abs(log_density(o, {10: 1.0}) - log_density(o, without)) for o in outcomes)
    assert loss == pytest.approx(6.58, abs=0.01)
    for rest in range(10):  # Definition 4: the others are known
        known = max(abs(log_density(o, {rest + 1: 1.0}) - log_density(o, {rest: 1.0})) for o in outcomes)
        assert known == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda links: group_sensitivity(1.0, 0), "at least 1"),
        (lambda links: group_sensitivity(-1.0, 1), "0 or more"),
        (lambda links: workload_sensitivity(np.zeros((0, 3))), "a query at least"),
        (lambda links: workload_sensitivity([[np.nan]]), "numbers"),
        (lambda links: correlated_sensitivity(links, [[1.0]], [0]), "both are of one table"),
        (lambda links: correlated_sensitivity(links, [[1.0]], [0, 1]), "another number"),
        (lambda links: correlated_sensitivity(links, [[1.0, -1.0]]), "0 or more"),
    ],
)
def test_what_cannot_be_is_refused(call, message):
    with pytest.raises(UnderstudyError, match=f"(?i){message}"):
        call(Links.of_pairs(2, [0], [1], [0.5]))
