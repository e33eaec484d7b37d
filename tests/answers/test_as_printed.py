"""Algorithm 2 as printed: every reading equals its naive twin, by factors and by cells; bad numbers are refused."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.naive.answering import naive_rounds
from understudy import UnderstudyError
from understudy._core.randomness import streams
from understudy.answers import ProductQueries, Reading, answer_as_printed, printed_round, round_epsilon

READINGS = [Reading(absolute=a, renormalised=n, by_cell=c) for a, n, c in product((False, True), repeat=3)]
NUMBERS = {"epsilon": 1.0, "threshold": 0.05, "rate": 0.7, "theta0": 0.6}


def product_queries(shape, n, seed, *, real=0.0):
    """Random queries that ask about some attributes; a share of them with weights that are not just 0 and 1."""
    draws = np.random.default_rng(seed)
    weights = []
    for size in shape:
        asked = draws.random(n) < 0.4
        values = (draws.random((n, size)) < 0.5).astype(float)
        values = np.where((draws.random(n) < real)[:, None], draws.random((n, size)), values)
        weights.append(np.where(asked[:, None], values, 1.0))
    return ProductQueries(shape, tuple(weights))


def compare(shape, n, seed, reading, *, real=0.0, spread=0.05, **numbers):
    """All three ways: factors, cells, and the twin."""
    numbers = NUMBERS | numbers
    draws = np.random.default_rng(seed + 1)
    queries = product_queries(shape, n, seed, real=real)
    counts = draws.multinomial(200, draws.dirichlet(np.full(int(np.prod(shape)), 0.3)))
    unit = round_epsilon(
        epsilon=numbers["epsilon"], rate=numbers["rate"], theta0=numbers["theta0"], n_cells=counts.size
    )
    given_to_all = {"sensitivities": np.full(n, spread * unit), "reading": reading, **numbers}
    factored, dense = (
        answer_as_printed(counts, asked, rng=streams(seed).get("noise"), **given_to_all)
        for asked in (queries, queries.dense())
    )
    noise = streams(seed).get("noise").laplace(0.0, np.full(n, spread * unit) / unit)
    flags = {"absolute": reading.absolute, "renormalised": reading.renormalised, "by_cell": reading.by_cell}
    naive = naive_rounds(
        counts.tolist(), queries.dense().tolist(), noise.tolist(),
        threshold=numbers["threshold"], rate=numbers["rate"], theta0=numbers["theta0"], **flags,
    )  # fmt: skip
    for found in (factored, dense):
        assert found.corrected.tolist() == naive[1]
        np.testing.assert_allclose(found.answers, naive[0], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found.histogram, naive[2], rtol=1e-9, atol=1e-12)
    return factored


@pytest.mark.parametrize("reading", READINGS, ids=str)
@pytest.mark.parametrize("real", [0.0, 0.3])
@pytest.mark.parametrize("shape", [(2, 2, 2, 2, 2), (3, 4, 2), (7,), (5, 2)])
def test_factors_and_cells_answer_as_the_twin_does(reading, real, shape):
    compare(shape, 300, 5, reading, real=real)


@pytest.mark.parametrize("reading", READINGS, ids=str)
def test_hundreds_of_corrections_leave_no_trace_of_rounding(reading):
    found = compare((2, 3, 2, 2), 1_500, 9, reading, threshold=0.001, spread=0.2)
    assert found.corrected.sum() > 100


@given(
    seed=st.integers(0, 10**6),
    reading=st.sampled_from(READINGS),
    shape=st.lists(st.integers(1, 4), min_size=1, max_size=4).filter(lambda s: np.prod(s) > 1).map(tuple),
    threshold=st.sampled_from([0.001, 0.05, 0.5]),
    rate=st.sampled_from([0.01, 0.7, 1.0]),
    real=st.sampled_from([0.0, 0.5, 1.0]),
)
def test_any_run_equals_its_twin(seed, reading, shape, threshold, rate, real):
    compare(shape, 40, seed, reading, threshold=threshold, rate=rate, real=real)


def test_one_round_at_a_time_is_the_same_run():
    queries = product_queries((2, 2, 2), 60, 3).dense()
    counts = np.arange(8)
    told = answer_as_printed(
        counts, queries, sensitivities=np.full(60, 0.01), rng=streams(1).get("noise"), **NUMBERS | {"threshold": 0.1}
    )
    unit = round_epsilon(epsilon=1.0, rate=0.7, theta0=0.6, n_cells=8)
    noisy = queries @ (counts / counts.sum()) + streams(1).get("noise").laplace(0.0, np.full(60, 0.01) / unit)
    x = np.full(8, 1 / 8)
    for t in range(60):
        answer, corrected, x = printed_round(x, queries[t], noisy[t], threshold=0.1, rate=0.7, theta0=0.6)
        assert (answer, corrected) == pytest.approx((told.answers[t], told.corrected[t]))
    assert x == pytest.approx(told.histogram)


def test_without_sensitivity_the_answer_is_exact():
    """The flaw of a local sensitivity, in the algorithm itself."""
    told = answer_as_printed(
        np.array([9, 1]), np.array([[0.0, 1.0]]), sensitivities=np.zeros(1), rng=streams(1).get("noise"), **NUMBERS
    )
    assert told.answers.tolist() == [0.1]


def test_a_histogram_that_is_too_low_is_never_corrected_as_printed():
    query = np.array([[1.0, 0.0]])
    options = {"sensitivities": np.zeros(1), **NUMBERS}
    printed, absolute = (
        answer_as_printed(np.array([9, 1]), query, rng=streams(1).get("noise"), reading=Reading(absolute=a), **options)
        for a in (False, True)
    )
    assert (printed.answers.tolist(), printed.corrected.tolist()) == ([0.5], [False])
    assert (absolute.answers.tolist(), absolute.corrected.tolist()) == ([0.9], [True])
    assert absolute.histogram[0] < 0.5  # and corrected the wrong way: the printed factor is never above 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"threshold": 0.0}, "threshold must be above 0"),
        ({"threshold": float("nan")}, "threshold must be above 0"),
        ({"epsilon": 0.0}, "epsilon must be above 0"),
        ({"rate": 0.0}, "rate must be above 0 and at most 1"),
        ({"rate": 1.5}, "rate must be above 0 and at most 1"),
        ({"theta0": -0.1}, "theta0 must be above 0 and at most 1"),
        ({"histogram": np.array([5])}, "two cells or more"),
        ({"histogram": np.array([0, 0])}, "a row at least"),
        ({"histogram": np.array([-1, 3])}, "counts of 0 or more"),
        ({"queries": np.array([[0.5, 1.5]])}, "between 0 and 1"),
        ({"queries": np.ones((1, 3))}, "one for each cell"),
        ({"queries": ProductQueries((3,), (np.ones((1, 3)),))}, "over one domain"),
        ({"sensitivities": np.ones(2)}, "one for each of 1 queries"),
        ({"sensitivities": np.array([-1.0])}, "0 or more"),
    ],
)
def test_numbers_that_cannot_be_are_refused(changed, message):
    options = {"histogram": np.array([3, 1]), "queries": np.ones((1, 2)), "sensitivities": np.ones(1)}
    options |= {"rng": streams(1).get("noise"), **NUMBERS} | changed
    with pytest.raises(UnderstudyError, match=message):
        answer_as_printed(options.pop("histogram"), options.pop("queries"), **options)


@pytest.mark.parametrize(
    ("shape", "weights", "message"),
    [
        ((2, 2), (np.ones((1, 2)),), "as many arrays"),
        ((), (), "at least one"),
        ((2,), (np.ones((1, 3)),), "1 rows and 2 columns"),
        ((2, 2), (np.ones((1, 2)), np.ones((2, 2))), "1 rows and 2 columns"),
        ((2,), (np.full((1, 2), 2.0),), "between 0 and 1"),
        ((2,), (np.full((1, 2), np.nan),), "between 0 and 1"),
    ],
)
def test_product_queries_that_do_not_fit_are_refused(shape, weights, message):
    with pytest.raises(UnderstudyError, match=message):
        ProductQueries(shape, weights)


def test_rows_that_get_one_number_are_told_apart(monkeypatch):
    from understudy.answers import _product

    class Zeros:
        def get(self, *name):
            return self

        def random(self, n):
            return np.zeros(n)

    monkeypatch.setattr(_product, "streams", lambda seed: Zeros())
    compare((2, 2, 2), 50, 4, READINGS[-1])
