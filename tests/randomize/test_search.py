"""K2 and the learnt order, against a judge that knows the answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations, permutations

import numpy as np
import pytest

from tests.randomize.made_networks import draw_strong, each_kept, randomise
from understudy.randomize import UnmixedCounts
from understudy.randomize._judge import Candidate, Judge, Weighed
from understudy.randomize._k2 import search_k2
from understudy.randomize._order import candidate_pairs, learn_order
from understudy.schema import Attribute, Domain

NETWORK = {0: (), 1: (), 2: (0, 1), 3: (2,), 4: (0,)}


@dataclass
class Width:
    """What a judge asks of counts: their columns."""

    domain: Domain = field(default_factory=lambda: Domain(tuple(Attribute(name=str(i), size=2) for i in range(5))))


@dataclass
class Oracle:
    """A judge that knows the network: a link gains if the two are not separated by the parents (d-separation)."""

    counts: Width = field(default_factory=Width)
    known: dict = field(default_factory=dict)

    def weigh(self, candidates):
        for one in candidates:
            gain = 100.0 if not separated(one.child, one.link, one.parents) else 0.1
            near = 50.0 if one.link in NETWORK[one.child] or one.child in NETWORK[one.link] else 0.0
            self.known[one] = Weighed(candidate=one, gain=gain + near if gain > 1 else gain, margin=5.0, freedom=1)
        return [self.known[one] for one in candidates]


def separated(x, z, given):
    """By moralising the ancestors and looking for a path that avoids `given`."""
    kept, waiting = set(), [x, z, *given]
    while waiting:
        node = waiting.pop()
        if node not in kept:
            kept.add(node)
            waiting += NETWORK[node]
    links = {frozenset((child, parent)) for child in kept for parent in NETWORK[child]}
    links |= {frozenset(pair) for child in kept for pair in combinations(NETWORK[child], 2)}
    met, waiting = {x}, [x]
    while waiting:
        node = waiting.pop()
        for link in links:
            if node in link:
                (other,) = link - {node}
                if other not in met and other not in given:
                    met.add(other)
                    waiting.append(other)
    return z not in met


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (1, 0, 4, 2, 3), (0, 4, 1, 2, 3)])
def test_with_an_order_that_fits_k2_finds_the_network_itself(order):
    found = search_k2(Oracle(), order, max_parents=3)
    assert {child: set(parents) for child, parents in found.parents.items()} == {
        child: set(parents) for child, parents in NETWORK.items()
    }


def test_with_any_order_k2_finds_a_network_in_which_nothing_more_can_be_added_or_dropped():
    for order in permutations(range(5)):
        found = search_k2(Oracle(), order, max_parents=4)
        for place, child in enumerate(order):
            parents = found.parents[child]
            assert set(parents) <= set(order[:place])
            for link in parents:
                assert not separated(child, link, [p for p in parents if p != link])
            for other in order[:place]:
                assert other in parents or separated(child, other, parents)


def test_without_pruning_a_superfluous_parent_stays():
    class Misled(Oracle):
        """Prefers the grandparent first, as noise may."""

        def weigh(self, candidates):
            super().weigh(candidates)
            first = Candidate(3, 0, ())
            self.known[first] = Weighed(candidate=first, gain=1e6, margin=5.0, freedom=1)
            return [self.known[one] for one in candidates]

    kept = search_k2(Misled(), (0, 1, 2, 3, 4), max_parents=3, prune=False)
    assert set(kept.parents[3]) == {0, 2}
    dropped = search_k2(Misled(), (0, 1, 2, 3, 4), max_parents=3)
    assert set(dropped.parents[3]) == {2}
    assert dropped.dropped == 1


def test_limits_on_parents_and_pairs_are_kept():
    assert max(map(len, search_k2(Oracle(), range(5), max_parents=1).parents.values())) == 1
    none = search_k2(Oracle(), range(5), max_parents=3, allowed=lambda child, link: False)
    assert none.links == set()


def test_the_stages_of_a_search_are_told():
    told = []
    search_k2(Oracle(), range(5), max_parents=2, progress=lambda *stage: told.append(stage))
    assert told[0] == ("looking for links", 0, 4)


def made_judge():
    rng = np.random.default_rng(4)
    sizes = [2, 2, 3, 3, 2]
    rows = draw_strong(rng, sizes, [NETWORK[i] for i in range(5)], 20_000)
    return Judge(UnmixedCounts(randomise(rng, rows, sizes, each_kept(sizes, "85/100"))))


def test_candidate_pairs_leave_out_what_hangs_together_through_a_third():
    pairs = candidate_pairs(made_judge())
    assert pairs == {(0, 2), (1, 2), (2, 3), (0, 4)}


def test_a_learnt_order_has_parents_first_and_no_circle():
    learnt = learn_order(made_judge(), max_parents=3)
    assert sorted(learnt.order) == [0, 1, 2, 3, 4]
    place = {column: number for number, column in enumerate(learnt.order)}
    assert all(place[parent] < place[child] for child, above in learnt.parents.items() for parent in above)
    assert {frozenset((c, p)) for c, above in learnt.parents.items() for p in above} == {
        frozenset(pair) for pair in learnt.pairs
    }
    assert set(learnt.parents[2]) >= {0, 1}  # two parents that are independent: a direction that can be told
    assert learnt.allowed(2, 0)
    assert not learnt.allowed(3, 4)


def test_a_candidate_is_weighed_once():
    judge = made_judge()
    [first] = judge.weigh([Candidate(2, 0, ())])
    assert judge.weigh([Candidate(2, 0, ()), Candidate(2, 0, ())]) == [first, first]
    assert first.excess > 0
    assert first.worth > first.excess
    assert first.penalty == pytest.approx(2 * first.margin / (first.freedom * np.log(20_000)))
