"""GreedyBayes: choosing, one attribute at a time, who depends on whom (Algorithms 2 and 4 of PrivBayes).

Privacy. Each round's candidates are a function of public quantities, of public coins and of earlier choices; the
choice itself goes through `Curator.select`. So the whole search is an adaptive composition of at most d − 1 charges.
Rounds with nothing to choose between cost nothing, and what they would have cost is left for the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import zip_longest

from understudy._core.randomness import Rng
from understudy.methods._parents import (
    Parents,
    TooManySetsError,
    draw_maximal,
    draw_subsets,
    maximal_parent_sets,
    subsets_of_size,
)
from understudy.methods._usefulness import TableLimits
from understudy.models import Node
from understudy.privacy import BestCandidate, Candidate, Curator, Score
from understudy.schema import Domain

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Search:
    """What the search found, and the share of the budget it used."""

    nodes: tuple[Node, ...]
    share_used: Fraction
    drawn: bool


def greedy_bayes(
    curator: Curator,
    *,
    limits: TableLimits,
    score: Score,
    share: Fraction,
    max_candidates: int,
    coins: Rng,
    progress: Progress | None = None,
) -> Search:
    """Choose a network over the curator's domain with at most `share` of its budget."""
    domain = curator.domain
    nodes = [Node(child=a, parents=()) for a in starting_attributes(domain, limits, coins)]
    pool = CandidatePool(domain, limits, max_candidates, coins, [node.child for node in nodes])
    n_rounds = len(domain) - len(nodes)
    used = Fraction(0)
    for done in range(n_rounds):
        if progress is not None:
            progress("choosing the network", done, n_rounds)
        candidates = pool.candidates()
        if len(candidates) > 1 and any(c.parents for c in candidates):
            name = f"parents, choice {done + 1} of {n_rounds}"
            question = BestCandidate(candidates=candidates, score=score, what=name)
            chosen = candidates[curator.ask(question, share=share / n_rounds)]
            used += share / n_rounds
        else:
            chosen = candidates[0]
        nodes.append(Node(child=chosen.child, parents=chosen.parents))
        pool.choose(chosen.child)
    return Search(tuple(nodes), used, pool.drawn)


def starting_attributes(domain: Domain, limits: TableLimits, coins: Rng) -> list[int]:
    """Who comes first: the attributes that can have no parents, or one drawn by coin if all can.

    An attribute too large for any parent is there from the start, so that others can depend on it, and no budget
    is spent on placing it. Attributes with one value carry nothing and never choose.
    """
    alone = [a for a in range(len(domain)) if not may_have_parents(domain, limits, a)]
    varied = [a for a in alone if domain[a].size > 1]
    if varied or len(alone) == len(domain):
        return alone
    others = [a for a in range(len(domain)) if a not in alone]
    return [*alone, others[int(coins.integers(len(others)))]]


def may_have_parents(domain: Domain, limits: TableLimits, child: int) -> bool:
    """Whether some other attribute, at some level, fits beside this one."""
    if domain[child].size < 2:
        return False
    if limits.degree is not None:
        return limits.degree > 0 and any(domain[a].size > 1 for a in range(len(domain)) if a != child)
    room = limits.room_for_parents(domain[child].size)
    coarsest = (domain[a].size_at(domain[a].n_levels - 1) for a in range(len(domain)) if a != child)
    return any(1 < size <= room for size in coarsest)


@dataclass
class CandidatePool:
    """The candidates of each round: all of them while they are few, and draws by public coins beyond the limit.

    Draws are kept from round to round (a parent set stays valid as the network grows), so each round only adds new
    ones, half of which contain the attribute just chosen. The oldest give way when the pool is full.
    """

    domain: Domain
    limits: TableLimits
    max_candidates: int
    coins: Rng
    chosen: list[int]
    drawn: bool = False
    _kept: dict[Candidate, None] = field(default_factory=dict)

    def candidates(self) -> list[Candidate]:
        """This round's candidates, in an order that does not depend on data."""
        taken = set(self.chosen)
        remaining = [a for a in range(len(self.domain)) if a not in taken]
        if not self.drawn:
            try:
                return self._all(remaining)
            except TooManySetsError:
                self.drawn = True
        return self._draw(remaining)

    def choose(self, child: int) -> None:
        """Take note of this round's choice."""
        self.chosen.append(child)
        self._kept = {c: None for c in self._kept if c.child != child}

    def _possible_parents(self) -> list[int]:
        return sorted(a for a in self.chosen if self.domain[a].size > 1)

    def _all(self, remaining: Sequence[int]) -> list[Candidate]:
        possible = self._possible_parents()
        sets: dict[int, list[Parents]] = {}
        found: list[Candidate] = []
        for child in remaining:
            room = self.limits.room_for_parents(self.domain[child].size)
            if room not in sets:
                sets[room] = self._parent_sets(possible, room)
            found.extend(Candidate(child=child, parents=parents) for parents in sets[room] or [()])
            if len(found) > self.max_candidates:
                raise TooManySetsError
        return found

    def _parent_sets(self, possible: Sequence[int], room: int) -> list[Parents]:
        if self.limits.degree is not None:
            return subsets_of_size(possible, self.limits.degree, limit=self.max_candidates)
        return maximal_parent_sets(self.domain, possible, room, limit=self.max_candidates)

    def _draw(self, remaining: Sequence[int]) -> list[Candidate]:
        # a first draw fills the pool; later ones renew an eighth of it, at least one set for each attribute
        fresh = self.max_candidates // 8 if self._kept else self.max_candidates
        each = max(1, fresh // len(remaining))
        if self.limits.degree is not None:
            drawn = self._draw_of_degree(remaining, each, self.limits.degree)
        else:
            drawn = self._draw_within_room(remaining, each)
        self._kept.update(dict.fromkeys(drawn))
        surplus = len(self._kept) - max(self.max_candidates, len(remaining))
        for oldest in list(self._kept)[: max(surplus, 0)]:
            del self._kept[oldest]
        return list(self._kept)

    def _draw_of_degree(self, remaining: Sequence[int], each: int, k: int) -> Iterator[Candidate]:
        """Subsets of k attributes for everyone, drawn in two calls and dealt out."""
        possible, newest = self._possible_parents(), self.chosen[-1]
        total = each * len(remaining)
        with_newest = draw_subsets(possible, k, (total + 1) // 2, self.coins, include=newest)
        anyhow = draw_subsets(possible, k, total - len(with_newest), self.coins)
        for turn, parents in enumerate(interleaved(with_newest, anyhow)):
            yield Candidate(child=remaining[turn % len(remaining)], parents=parents)

    def _draw_within_room(self, remaining: Sequence[int], each: int) -> Iterator[Candidate]:
        """Maximal sets for each attribute, half of them with the attribute just chosen where it fits."""
        possible, newest = self._possible_parents(), self.domain[self.chosen[-1]]
        for child in remaining:
            room = self.limits.room_for_parents(self.domain[child].size)
            fits = 1 < newest.size_at(newest.n_levels - 1) <= room
            forced = (each + 1) // 2 if fits else 0
            sets = [
                *draw_maximal(
                    self.domain, possible, room, forced, self.coins, include=self.chosen[-1] if fits else None
                ),
                *draw_maximal(self.domain, possible, room, each - forced, self.coins),
            ]
            yield from (Candidate(child=child, parents=parents) for parents in sets)


def interleaved(one: Sequence[Parents], other: Sequence[Parents]) -> Iterator[Parents]:
    """Both sequences, turn by turn, then what is left of the longer one.

    >>> from understudy.schema import Axis
    >>> [p[0].attribute for p in interleaved([(Axis(1),), (Axis(2),)], [(Axis(3),)])]
    [1, 3, 2]
    """
    for pair in zip_longest(one, other):
        yield from (parents for parents in pair if parents is not None)
