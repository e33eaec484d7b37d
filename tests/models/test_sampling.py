"""Sampling: how close to the model, how independent, how exact under evidence, how repeatable."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings

from tests.models.random_networks import ENCODINGS, condition, joint, random_model
from tests.strategies import models, questions
from understudy._core.errors import UserError
from understudy._core.randomness import Streams
from understudy.models import Network, NetworkModel, Node
from understudy.schema import Attribute, Axis, Domain, recode


def sampled(model, n, seed=0, **options):
    batches = list(model.sample_codes(n, streams=Streams(seed), **options))
    return [np.concatenate(columns) for columns in zip(*batches, strict=True)]


def counts(model, columns):
    table = np.zeros([a.size for a in model.domain], dtype=np.int64)
    np.add.at(table, tuple(c.astype(np.int64) for c in columns), 1)
    return table


def chi_square(observed, expected):
    """(statistic − freedom) / √(2·freedom): about standard normal for draws from `expected`, infinite outside it."""
    if observed[expected <= 1e-14].sum():
        return np.inf
    live = expected > 1e-14
    freedom = live.sum() - 1
    if freedom == 0:
        return 0.0
    return (((observed[live] - expected[live]) ** 2 / expected[live]).sum() - freedom) / np.sqrt(2 * freedom)


# With 2·10⁵ rows a wrong distribution scores in the hundreds; 12 keeps false alarms below one in 10⁹ for
# freedoms up to some hundreds, heavy cells or not.
ALARM = 12.0


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("independent", [False, True])
def test_rows_follow_the_joint_distribution(encoding, independent):
    model = random_model(11, (3, 5, 2, 4), encoding, sparse=False)
    n = 200_000
    observed = counts(model, sampled(model, n, independent=independent))
    assert chi_square(observed, n * joint(model)) < ALARM


def test_the_chi_square_catches_a_wrong_twin():
    model = random_model(11, (3, 5, 2, 4), sparse=False)
    twin = random_model(12, (3, 5, 2, 4), sparse=False)
    n = 200_000
    assert chi_square(counts(model, sampled(twin, n)), n * joint(model)) > ALARM


@pytest.mark.parametrize("seed", range(5))
def test_a_root_comes_as_often_as_expected_to_within_one_row(seed):
    p = np.random.default_rng(seed).dirichlet(np.ones(40))
    domain = Domain((Attribute(name="a", size=40),))
    model = NetworkModel(Network(domain, (Node(0),)), (p,), recode(domain, "vanilla"), (), 1)
    for n in (1, 7, 100, 12_345):
        (column,) = sampled(model, n, seed=seed)
        assert np.abs(np.bincount(column, minlength=40) - n * p).max() < 1
    (column,) = sampled(model, 12_345, seed=seed, independent=True)
    assert np.abs(np.bincount(column, minlength=40) - 12_345 * p).max() > 1


def test_few_rows_of_a_fine_attribute_are_spread_as_evenly():
    p = np.random.default_rng(0).dirichlet(np.full(1300, 0.05))
    p[[0, 7, 1299]] = 0.0
    p /= p.sum()
    domain = Domain((Attribute(name="a", size=1300),))
    model = NetworkModel(Network(domain, (Node(0),)), (p,), recode(domain, "vanilla"), (), 1)
    for n in (1, 50, 81, 82, 5000):
        (column,) = sampled(model, n)
        assert column.dtype == np.uint16
        counted = np.bincount(column, minlength=1300)
        assert np.abs(counted - n * p).max() < 1
        assert not counted[p == 0].any()


def test_within_each_parent_configuration_counts_are_expectations_rounded():
    rng = np.random.default_rng(1)
    domain = Domain((Attribute(name="a", size=6), Attribute(name="b", size=9)))
    tables = (rng.dirichlet(np.ones(6)), rng.dirichlet(np.ones(9), 6))
    model = NetworkModel(Network(domain, (Node(0), Node(1, (Axis(0),)))), tables, recode(domain, "vanilla"), (), 1)
    table = counts(model, sampled(model, 5000))
    assert np.abs(table - table.sum(axis=1, keepdims=True) * tables[1]).max() < 1


def test_rounding_is_unbiased():
    """7 rows of a 3-value attribute, 4,000 times: each mean is within 5 standard errors of its expectation."""
    p = np.array([0.5, 0.37, 0.13])
    domain = Domain((Attribute(name="a", size=3),))
    model = NetworkModel(Network(domain, (Node(0),)), (p,), recode(domain, "vanilla"), (), 1)
    totals = np.array([np.bincount(sampled(model, 7, seed=s)[0], minlength=3) for s in range(4000)])
    assert np.abs(totals.mean(axis=0) - 7 * p).max() < 5 * 0.5 / np.sqrt(4000)


def test_children_of_the_same_parent_are_shuffled_apart():
    """Two children that are copies in distribution, but independent given the parent."""
    domain = Domain(tuple(Attribute(name=name, size=2) for name in "abc"))
    half = [[0.5, 0.5], [0.5, 0.5]]
    network = Network(domain, (Node(0), Node(1, (Axis(0),)), Node(2, (Axis(0),))))
    model = NetworkModel(network, ([0.5, 0.5], half, half), recode(domain, "vanilla"), (), 1)
    n = 40_000
    table = counts(model, sampled(model, n))
    assert np.abs(table - n / 8).max() < 6 * np.sqrt(n / 8)


def test_the_order_of_rows_carries_no_information():
    domain = Domain((Attribute(name="a", size=2),))
    model = NetworkModel(Network(domain, (Node(0),)), ([0.5, 0.5],), recode(domain, "vanilla"), (), 1)
    (column,) = sampled(model, 20_000)
    assert abs(int(column[:10_000].sum()) - 5000) < 6 * 50
    assert abs(int((column[1:] == column[:-1]).sum()) - 10_000) < 6 * 71


@settings(max_examples=40)
@given(questions())
def test_under_evidence_no_row_is_impossible_and_all_cells_fit(question):
    model, _, evidence = question
    assume(evidence)
    full = joint(model)
    mass = full
    for a, w in evidence.items():
        mass = mass * w.reshape([-1 if i == a else 1 for i in range(full.ndim)])
    assume(mass.sum() > 0)
    expected = condition(full, evidence)
    n = 20_000
    for independent in (False, True):
        observed = counts(model, sampled(model, n, evidence=evidence, independent=independent))
        assert observed[expected == 0].sum() == 0
        spread = 7 * np.sqrt(n * expected) + 7
        assert (np.abs(observed - n * expected) < spread).all()


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_under_soft_evidence_rows_follow_the_conditional_distribution(encoding):
    model = random_model(5, (4, 6, 3, 5), encoding, sparse=False)
    rng = np.random.default_rng(9)
    evidence = {1: rng.random(6), 3: np.array([0.0, 1.0, 1.0, 0.0, 0.2])}
    n = 200_000
    observed = counts(model, sampled(model, n, evidence=evidence))
    assert chi_square(observed, n * condition(joint(model), evidence)) < ALARM
    if encoding == "hierarchical":
        assert chi_square(counts(model, sampled(model, n)), n * condition(joint(model), evidence)) > ALARM


@settings(max_examples=25)
@given(models())
def test_columns_are_narrow_and_in_range_and_batches_add_up(model):
    batches = list(model.sample_codes(70, streams=Streams(3), batch_rows=32))
    assert [len(batch[0]) for batch in batches] == [32, 32, 6]
    for batch in batches:
        for column, attribute in zip(batch, model.domain, strict=True):
            assert column.dtype == np.uint8
            assert column.max() < attribute.size


def test_the_same_streams_give_the_same_rows_and_others_do_not():
    model = random_model(2, (4, 5, 6))
    for evidence in (None, {0: np.array([0.0, 1.0, 1.0, 0.0])}):
        first = sampled(model, 500, seed=1, evidence=evidence)
        again = sampled(model, 500, seed=1, evidence=evidence)
        other = sampled(model, 500, seed=2, evidence=evidence)
        assert all((a == b).all() for a, b in zip(first, again, strict=True))
        assert any((a != b).any() for a, b in zip(first, other, strict=True))


_PROGRAM = """
import hashlib, numpy as np
from tests.models.random_networks import random_model
from understudy._core.randomness import Streams
model = random_model(2, (4, 5, 6, 3, 7))
digest = hashlib.sha256()
for evidence in (None, {1: np.array([0., 1., 1., .5, 0.]), 4: np.array([1., 1., 0., 0., 0., 0., 2.])}):
    for batch in model.sample_codes(3000, streams=Streams(4), evidence=evidence, batch_rows=1000):
        for column in batch:
            digest.update(column.tobytes())
print(digest.hexdigest())
"""


@pytest.mark.slow
def test_rows_do_not_depend_on_the_hash_seed():
    answers = set()
    for seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])}
        run = subprocess.run([sys.executable, "-c", _PROGRAM], env=environment, capture_output=True, check=True)
        answers.add(run.stdout)
    assert len(answers) == 1
    assert len(answers.pop().strip()) == 2 * hashlib.sha256().digest_size


def test_no_rows_give_no_batches_and_fewer_are_refused():
    model = random_model(2, (4, 5))
    assert list(model.sample_codes(0, streams=Streams(1))) == []
    with pytest.raises(UserError, match="at least 0"):
        list(model.sample_codes(-1, streams=Streams(1)))
