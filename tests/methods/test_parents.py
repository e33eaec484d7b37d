"""Maximal parent sets against their definition."""

from __future__ import annotations

from itertools import product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import domains
from understudy._core.randomness import Streams
from understudy.methods._parents import (
    TooManySetsError,
    draw_maximal,
    draw_subsets,
    maximal_parent_sets,
    subsets_of_size,
)
from understudy.schema import Attribute, Axis, Domain, Level


def by_definition(domain, cap):
    choices = [[None, *range(a.n_levels)] for a in domain]
    fitting = []
    for levels in product(*choices):
        axes = tuple(Axis(a, level) for a, level in enumerate(levels) if level is not None)
        if prod(domain.size(axis) for axis in axes) <= cap:
            fitting.append(axes)

    def improves(other, axes):
        finer = dict(other)
        return other != axes and all(a in finer and finer[a] <= level for a, level in axes)

    return sorted(axes for axes in fitting if not any(improves(other, axes) for other in fitting))


@given(domains(), st.integers(-3, 80))
def test_the_recursion_finds_exactly_the_maximal_sets(domain, cap):
    assert maximal_parent_sets(domain, range(len(domain)), cap) == by_definition(domain, cap)


@settings(max_examples=40)
@given(domains(), st.integers(1, 80), st.integers(0, 1000))
def test_every_drawn_set_is_maximal(domain, cap, seed):
    coins = Streams(seed).get("coins")
    maximal = set(by_definition(domain, cap))
    assert set(draw_maximal(domain, range(len(domain)), cap, 20, coins)) <= maximal


def test_draws_reach_every_maximal_set():
    domain = Domain(
        tuple(Attribute(name=str(i), size=6, coarser=(Level(groups=(0, 0, 1, 1, 2, 2)),)) for i in range(4))
    )
    coins = Streams(1).get("coins")
    assert set(draw_maximal(domain, range(4), 40, 2000, coins)) == set(maximal_parent_sets(domain, range(4), 40))


def test_a_newly_chosen_attribute_can_be_asked_for():
    domain = Domain(tuple(Attribute(name=str(i), size=3) for i in range(6)))
    coins = Streams(2).get("coins")
    assert all(5 in dict(s) for s in draw_maximal(domain, range(6), 9, 30, coins, include=5))
    assert all(5 in dict(s) and len(s) == 3 for s in draw_subsets(range(6), 3, 30, coins, include=5))


def test_subsets_have_exactly_the_size_asked_or_all_there_is():
    assert len(subsets_of_size(range(5), 2)) == 10
    assert subsets_of_size(range(2), 4) == [(Axis(0), Axis(1))]


def test_too_many_sets_are_told_before_they_are_built():
    domain = Domain(tuple(Attribute(name=str(i), size=2) for i in range(40)))
    with pytest.raises(TooManySetsError):
        maximal_parent_sets(domain, range(40), 2**10, limit=1000)
    with pytest.raises(TooManySetsError):
        subsets_of_size(range(100), 6, limit=1000)
