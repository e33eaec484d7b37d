"""Sensitive attributes join a network last, as children: only their own choice and table look at them.

Privacy. An attribute's candidates are made from public quantities, public coins and earlier outputs; its parents are
less sensitive, or as sensitive and placed before it. The curator holds every step to what was promised.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from understudy._core.randomness import Rng
from understudy.methods._parents import (
    Parents,
    TooManySetsError,
    draw_maximal,
    draw_subsets,
    maximal_parent_sets,
    subsets_of_size,
)
from understudy.methods._usefulness import largest_useful_table
from understudy.models import LARGEST_N_FOR_F, Node, RScore, WeightedRScore, project_to_simplex, score_named
from understudy.privacy import (
    BestCandidate,
    Candidate,
    Curator,
    Factors,
    Measurement,
    NoiseLevel,
    NoisyTables,
    Score,
    factors_of,
)
from understudy.schema import Axis, Domain, Marginal

WEIGHTS_SHARE = Fraction(1, 10)
"""Part of an attribute's share that goes into its one-way table, where weights are read off that."""
COMPANIONS_SHARE = Fraction(1, 10)
"""Part of the most sensitive level's share that goes into choosing who joins it."""


@dataclass(kw_only=True)
class Attacher:
    """Places sensitive attributes one by one."""

    curator: Curator
    n: int
    network_share: Fraction
    theta: Fraction
    k: int | None
    max_candidates: int
    coins: Rng
    rare: bool
    factors: dict[int, Factors] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)
    measurements: list[Measurement] = field(default_factory=list)

    def attach(self, child: int, possible: Sequence[int], share: Fraction) -> None:
        """Choose parents for one attribute and measure its table, for this share of the whole budget."""
        name = self.curator.domain[child].name
        if self.rare and child not in self.factors and self.curator.domain[child].size > 1:
            share -= self._weigh(child, share * WEIGHTS_SHARE)
        for_choice = share * self.network_share
        noise = self.curator.noise_for(share=share - for_choice)
        sets = parent_sets(
            self.curator.domain,
            child,
            possible,
            cells=largest_useful_table(self.n, larger_noise(noise, self.factors.get(child, ())), self.theta),
            k=self.k,
            limit=self.max_candidates,
            coins=self.coins,
        )
        candidates = [Candidate(child, parents) for parents in sets]
        chosen = candidates[0]
        if len(candidates) > 1:
            what = f"parents of {name}"
            question = BestCandidate(candidates=candidates, score=self._score(child), what=what)
            chosen = candidates[self.curator.ask(question, share=for_choice)]
            share -= for_choice
        node = Node(child=child, parents=chosen.parents)
        table = NoisyTables(marginals=[node.marginal.canonical()], what=f"table of {name}", factors=self.factors)
        self.measurements += self.curator.ask(table, share=share)
        self.nodes.append(node)

    def _score(self, child: int) -> Score:
        factors = self.factors.get(child, ())
        if factors:
            return WeightedRScore.for_rows(2 * self.n, child, factors)  # n may be noisy: with room for the true one
        return score_named("F") if self.curator.domain.all_binary and 2 * self.n <= LARGEST_N_FOR_F else RScore()

    def _weigh(self, child: int, share: Fraction) -> Fraction:
        """Measure the attribute's own table, and protect its rare values better."""
        what = f"values of {self.curator.domain[child].name}"
        [measured] = self.curator.ask(NoisyTables(marginals=[Marginal.of(child)], what=what), share=share)
        self.factors[child] = factors_of(rare_weights(measured, self.n))
        self.measurements.append(measured)
        return share


def parent_sets(
    domain: Domain, child: int, possible: Sequence[int], *, cells: int, k: int | None, limit: int, coins: Rng
) -> list[Parents]:
    """What the parents of one attribute may be: maximal sets within the useful size, or sets of k; drawn if too many.

    >>> from understudy._core.randomness import Streams
    >>> from understudy.schema import Attribute
    >>> domain = Domain(tuple(Attribute(name=name, size=2) for name in "abc"))
    >>> coins = Streams(1).get("coins")
    >>> len(parent_sets(domain, 2, [0, 1], cells=4, k=None, limit=9, coins=coins))
    2
    """
    varied = sorted(a for a in possible if domain[a].size > 1)
    room = cells // domain[child].size
    if domain[child].size < 2 or not varied or (k is None and room < 2):
        return [()]
    if k is None and all(domain[a].size == 2 for a in varied):
        k = room.bit_length() - 1  # the maximal sets then, without looking for them
    try:
        if k is not None:
            return subsets_of_size(varied, k, limit=limit)
        return maximal_parent_sets(domain, varied, room, limit=limit) or [()]
    except TooManySetsError:
        if k is not None:
            return sorted(set(draw_subsets(varied, k, limit, coins)))
        return draw_maximal(domain, varied, room, limit, coins)


def larger_noise(noise: NoiseLevel, factors: Factors) -> NoiseLevel:
    """The noise level whose size is the average over a child's values, where it is unequal."""
    if not factors or noise.kind == "none":
        return noise
    average = sum((1 / factor for factor in factors), Fraction(0)) / len(factors)
    return replace(noise, scale=noise.scale * average ** (1 if noise.kind == "laplace" else 2))


def rare_weights(measured: Measurement, n: int) -> list[Fraction]:
    """Weights −log₂ of each value's share, as the noisy table has it; at least 1, in quarters.

    A value seen less often than its noise is as rare as its noise.

    >>> level = NoiseLevel(kind="laplace", scale=Fraction(2))
    >>> table = Measurement(marginal=Marginal.of(0), counts=np.array([750, 245, 5, -1]), noise=level)
    >>> [str(weight) for weight in rare_weights(table, 1000)]
    ['1', '2', '31/4', '17/2']
    """
    least = max(math.sqrt(measured.noise.variance), 1.0)
    counts = np.maximum(project_to_simplex(measured.counts.astype(np.float64), float(max(n, 1))), least)
    return [max(Fraction(round(-4 * math.log2(min(count / max(n, 1), 1.0))), 4), Fraction(1)) for count in counts]


def choose_companions(
    curator: Curator, sensitive: Sequence[int], ordinary: Sequence[int], *, count: int, share: Fraction
) -> list[int]:
    """Ordinary attributes that say most about sensitive ones, by as many private choices."""
    left = [a for a in ordinary if curator.domain[a].size > 1]
    found: list[int] = []
    for number in range(count):
        candidates = [Candidate(s, (Axis(a),)) for s in sensitive if curator.domain[s].size > 1 for a in left]
        if not candidates:
            break
        what = f"companion {number + 1} of {count}"
        question = BestCandidate(candidates=candidates, score=RScore(), what=what)
        chosen = candidates[curator.ask(question, share=share / count)]
        found.append(chosen.parents[0].attribute)
        left.remove(found[-1])
    return found


def declared_factors(domain: Domain) -> Mapping[int, Factors]:
    """Factors of the attributes whose values have declared weights."""
    return {i: factors_of(attribute.weights) for i, attribute in enumerate(domain) if attribute.weights}
