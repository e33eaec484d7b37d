"""JTree's choice of pairs on the worst tables: row 10 of the soundness review, and every tiny table.

The tables: all zeros, but for one record that is 1 on the columns of one half (W) or of the other (U). As printed,
every pair of a half moves by the whole sensitivity at once, and nobody pays for the pairs that pass.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import log

import numpy as np
import pytest

from tests.audit_tools import epsilon_lower_bound
from tests.methods.test_privabn_audit import Remembered
from tests.methods.test_privabn_exactly import all_datasets, distribution
from tests.methods.test_structure_exactly import (
    RECORDS,
    TINY,
    ScriptedChoices,
    datasets,
    largest_log_ratios,
    replace_pairs,
)
from tests.privacy.small import binary
from understudy._core.randomness import Streams
from understudy.methods import JTree
from understudy.methods._jtree import choose_graph
from understudy.methods._jtree_as_printed import margins, noise_scale, passing
from understudy.privacy import ADD_REMOVE, make_budget, make_noise, open_curator

ROWS, PHI = 150, 0.2  # the threshold is then half of what one record can do to a pair


def halves(d):
    """The rest, then the record on the second half, then the one on the first: D and D′."""
    rest = [(0,) * d] * (ROWS - 1)
    ones = [(0,) * (d // 2) + (1,) * (d // 2), (1,) * (d // 2) + (0,) * (d // 2)]
    return [Remembered(binary(d), [*rest, one]) for one in ones]


def printed(counter):
    return open_curator(counter, budget=make_budget(1), noise=make_noise(seed=1), no_guarantee=True)


def event_probability(counter, d, epsilon):
    """Of: no pair of the first half passes, all of the second do. A product, given the noise of the threshold."""
    scale = noise_scale(counter.domain, counter.n, epsilon)
    t = np.linspace(-40, 40, 40_001) * scale
    chance = np.exp(-np.abs(t) / scale) / (2 * scale)
    for (u, v), margin in margins(printed(counter), PHI).items():
        # margin + noise ≥ t
        passes = np.where(
            margin > t, 1 - np.exp(-np.abs(t - margin) / scale) / 2, np.exp(-np.abs(t - margin) / scale) / 2
        )
        if v < d // 2:
            chance = chance * (1 - passes)
        elif u >= d // 2:
            chance = chance * passes
    return float(chance.sum() * (t[1] - t[0]))


@pytest.mark.parametrize(("d", "reviewed"), [(4, 0.74), (6, 2.37), (8, 4.92), (12, 12.8), (16, 24.3)])
def test_row_10_as_printed_the_loss_grows_with_columns_without_bound(d, reviewed):
    one, other = (event_probability(counter, d, epsilon=1.0) for counter in halves(d))
    assert log(one / other) == pytest.approx(reviewed, rel=0.02)


def found_event(pairs, d):
    first, second = (set(combinations(range(low, low + d // 2), 2)) for low in (0, d // 2))
    return first.isdisjoint(pairs) and second.issubset(pairs)


def test_row_10_as_printed_the_real_code_is_caught():
    trials, hits = 20_000, []
    for number, counter in enumerate(halves(6)):
        coins, values = Streams(number).get("audit"), margins(printed(counter), PHI)
        scale = noise_scale(counter.domain, counter.n, 1.0)
        hits.append(sum(found_event(passing(values, scale, coins), 6) for _ in range(trials)))
        # and it does what the integral says
        expected = trials * event_probability(counter, 6, epsilon=1.0)
        assert hits[-1] == pytest.approx(expected, abs=5 * expected**0.5)
    assert epsilon_lower_bound(*hits, trials) > 1.5


def test_as_printed_a_fifth_of_the_budget_gives_away_more_than_the_whole_claims():
    one, other = (event_probability(counter, 16, epsilon=0.2) for counter in halves(16))
    assert log(one / other) > 1


def repaired_distribution(counter, *, pairs, limit, neighbours):
    """Exact probability of each graph, under the exponential mechanism and under permute-and-flip."""
    found, scripts = {}, [()]
    while scripts:
        script = scripts.pop()
        noise = ScriptedChoices(script)
        curator = open_curator(counter, budget=make_budget(1), neighbours=neighbours, noise=noise)
        graph = choose_graph(curator, pairs=pairs, limit=limit, share=Fraction(1)).cliques
        played = [*script, *[0] * (len(noise.steps) - len(script))]
        for depth in range(len(script), len(noise.steps)):
            scripts += [(*played[:depth], other) for other in range(1, noise.steps[depth][0])]
        found[graph] = found.get(graph, 0.0) + np.prod([p for _, p in noise.steps], axis=0)
    return found


@pytest.mark.parametrize("neighbours", [None, ADD_REMOVE])
def test_row_10_repaired_the_same_tables_stay_within_epsilon(neighbours):
    settings = {"pairs": 2, "limit": 8, "neighbours": neighbours or printed(halves(4)[0]).neighbours}
    found = {name: repaired_distribution(counter, **settings) for name, counter in zip("ab", halves(6), strict=True)}
    assert 0 < max(largest_log_ratios(found, [("a", "b"), ("b", "a")])) <= 1 + TINY


@pytest.mark.slow  # `test_baselines_exactly` computes what whole runs tell
def test_row_10_repaired_whole_runs_prove_nothing():
    def event(model):
        """A pair of the second half, and none of the first, is joined."""
        joined = [(p.attribute, node.child) for node in model.network.nodes for p in node.parents]
        return any(min(pair) > 2 for pair in joined) and not any(max(pair) < 3 for pair in joined)

    method, trials, hits = JTree(pairs=2, theta=Fraction(1, 4)), 400, []
    for number, counter in enumerate(halves(6)):
        noise = make_noise(seed=number)
        curators = (open_curator(counter, budget=make_budget(1), noise=noise) for _ in range(trials))
        hits.append(sum(event(method.fit(curator)) for curator in curators))
    assert min(hits) > trials / 20
    assert epsilon_lower_bound(*hits, trials) <= 1


def graph_chosen(pairs, limit):
    return lambda curator: choose_graph(curator, pairs=pairs, limit=limit, share=Fraction(1)).nodes()


@pytest.mark.slow
@pytest.mark.parametrize(("pairs", "limit"), [(1, 4), (2, 4)])
def test_on_every_tiny_table_pairs_keep_their_share(pairs, limit):
    found = all_datasets(lambda records: distribution(records, graph_chosen(pairs, limit)))
    assert len(found) == 330
    exponential, flip = largest_log_ratios(found, replace_pairs(4))
    assert 0.1 < exponential <= 1 + TINY
    assert 0.1 < flip <= 1 + TINY


@pytest.mark.slow
def test_on_every_tiny_table_pairs_keep_their_share_when_a_record_is_added():
    run = graph_chosen(2, 4)
    found = {r: distribution(r, run, neighbours=ADD_REMOVE) for n in (3, 4) for r in datasets(n)}
    pairs = [(records, tuple(sorted([*records, new]))) for records in datasets(3) for new in range(len(RECORDS))]
    assert max(largest_log_ratios(found, [*pairs, *((b, a) for a, b in pairs)])) <= 1 + TINY
