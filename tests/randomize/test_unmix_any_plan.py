"""Plans of any shape: what is estimated for a few columns is what the whole transition matrix says, summed up."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.naive.unmixing import naive_joint_matrix
from tests.randomize.parties import exact_rows, made_plan, one_party
from understudy.randomize import Matrix, Response, TransitionMatrix, UnmixedCounts
from understudy.schema import Axis, Domain, Marginal, recode


@st.composite
def matrices(draw: st.DrawFn, size: int) -> TransitionMatrix:
    """Randomised response, or anything whose diagonal is heavy enough to be inverted well."""
    if draw(st.booleans()):
        keep = draw(st.sampled_from([Fraction(1), Fraction(9, 10), Fraction(3, 5), Fraction(1, 20)]))
        return Response(size, keep if size > 1 and keep * size != 1 else Fraction(1))
    rows = []
    for code in range(size):
        weights = draw(st.lists(st.integers(0, 300 // size), min_size=size, max_size=size))
        weights[code] += 1000 - sum(weights)
        rows.append([Fraction(weight, 1000) for weight in weights])
    return Matrix.of(rows)


@st.composite
def plans(draw: st.DrawFn):
    """Sizes of columns, and a partition of them into blocks, in any order."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4).filter(lambda s: np.prod(s) <= 96))
    order = draw(st.permutations(range(len(sizes))))
    cuts = draw(st.lists(st.booleans(), min_size=len(sizes), max_size=len(sizes)))
    blocks: list[list[int]] = []
    for column, cut in zip(order, cuts, strict=True):
        if cut or not blocks:
            blocks.append([])
        blocks[-1].append(column)
    return sizes, [(block, draw(matrices(int(np.prod([sizes[c] for c in block]))))) for block in blocks]


@st.composite
def questions(draw: st.DrawFn):
    """A plan, published rows, and a marginal at some levels."""
    sizes, blocks = draw(plans())
    plan = made_plan(sizes, blocks)
    domain = plan.schema.domain
    rows = draw(st.lists(st.tuples(*(st.integers(0, size - 1) for size in sizes)), min_size=1, max_size=12))
    asked = draw(st.lists(st.sampled_from(range(len(sizes))), unique=True, max_size=len(sizes)))
    axes = tuple(Axis(a, draw(st.integers(0, domain[a].n_levels - 1))) for a in asked)
    return sizes, blocks, plan, rows, Marginal(axes)


def summed(sizes: list[int], lookups: list[tuple[int, np.ndarray, int]]) -> np.ndarray:
    """A[cell, asked cell], from (column, code → asked code, number of those) for each axis asked for."""
    places = [np.asarray(lookup)[np.indices(sizes)[column].ravel()] for column, lookup, _ in lookups]
    shape = [size for _, _, size in lookups]
    group = np.ravel_multi_index(places, shape) if lookups else np.zeros(int(np.prod(sizes)), dtype=int)
    sums = np.zeros((int(np.prod(sizes)), int(np.prod(shape))))
    sums[np.arange(len(sums)), group] = 1
    return sums


def lookups_of(marginal: Marginal, domain: Domain) -> list[tuple[int, np.ndarray, int]]:
    return [(a.attribute, domain[a.attribute].groups_at(a.level), domain.size(a)) for a in marginal.axes]


@given(questions())
def test_estimates_and_covariances_are_those_of_the_whole_matrix(question) -> None:
    sizes, blocks, plan, rows, marginal = question
    domain = plan.schema.domain
    joint = naive_joint_matrix(sizes, [(columns, exact_rows(matrix)) for columns, matrix in blocks])
    published = np.bincount(np.ravel_multi_index(np.array(rows).T, sizes), minlength=len(joint))
    unmixing = np.linalg.inv(np.array(joint, dtype=float)) @ summed(sizes, lookups_of(marginal, domain))
    found = UnmixedCounts(one_party(plan, rows), threads=1).published([marginal])[0]
    counts = unmixing.T @ published
    covariance = unmixing.T @ np.diag(published) @ unmixing - np.diag(counts)
    assert found.unmixed().counts.ravel() == pytest.approx(counts, abs=1e-7)
    assert found.covariance() == pytest.approx(covariance, abs=1e-6)
    assert found.unmixed().variance.ravel() == pytest.approx(np.diag(covariance), abs=1e-6)
    weights = np.arange(counts.size, dtype=float).reshape(marginal.shape(domain))
    assert found.variance_of(weights) == pytest.approx(weights.ravel() @ covariance @ weights.ravel(), abs=1e-4)
    fitted = found.fitted()
    assert fitted.shape == marginal.shape(domain)
    assert fitted.min() >= 0
    assert fitted.sum() == pytest.approx(len(rows))


@given(questions(), st.sampled_from(["binary", "gray"]), st.data())
def test_estimates_under_another_encoding_are_sums_too(question, encoding, data) -> None:
    sizes, blocks, plan, rows, _ = question
    recoding = recode(plan.schema.domain, encoding)
    bits = len(recoding.target)
    asked = data.draw(st.lists(st.integers(0, bits - 1), unique=True, max_size=4)) if bits else []
    lookups = [(recoding.parts[bit].source, np.array(recoding.parts[bit].lookup), 2) for bit in asked]
    joint = naive_joint_matrix(sizes, [(columns, exact_rows(matrix)) for columns, matrix in blocks])
    published = np.bincount(np.ravel_multi_index(np.array(rows).T, sizes), minlength=len(joint))
    wanted = (np.linalg.inv(np.array(joint, dtype=float)) @ summed(sizes, lookups)).T @ published
    counts = UnmixedCounts(one_party(plan, rows), threads=1).recoded(recoding)
    [found] = counts.estimates([Marginal.of(*asked)])
    assert found.counts.ravel() == pytest.approx(wanted, abs=1e-7)
    assert counts.count([Marginal.of(*asked)])[0].sum() == len(rows)
