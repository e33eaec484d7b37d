"""ABN-G: parents are added one at a time, each by a private choice (soundness review of PrivABN, section 3.1).

The first choice of a round takes an attribute and its first parent; each further one adds a parent, while the table
stays within bounds. With `stop`, leaving off is a candidate too: every table then pays for the noise it would get, a
public amount, since R never falls when a parent is added.

Privacy. Every candidate list is a function of public values and of earlier choices: adaptive composition of at most
T = Σᵢ min(i − 1, K) charges of an equal share.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, prod

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Rng
from understudy.methods._parents import Parents
from understudy.methods._search import Progress, Search, may_have_parents, starting_attributes
from understudy.methods._usefulness import TableLimits
from understudy.models import Node
from understudy.privacy import BestCandidate, Candidate, Curator, Neighbours, NoiseLevel, Score
from understudy.schema import Axis, Domain

_LARGEST_PENALTY = 1_000_000_000  # records; keeps R's integers within 63 bits
_MOST_FIRST = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PenalisedScore:
    """A score less half the noise that the candidate's table would get in all: a public amount for each shape.

    What one record can move is what it was: the amount is the same for both tables. It is a whole number of half
    records, so that R stays exact.
    """

    score: Score
    noise: int

    @property
    def name(self) -> str:
        """Which score this is."""
        return f"{self.score.name} less noise of {self.noise}"

    def scale(self, n: int) -> int:
        """Integer score per record."""
        return self.score.scale(n)

    def __call__(self, tables: npt.NDArray[np.int64], n: int) -> npt.NDArray[np.int64]:
        """Integer scores of a batch of tables[batch, child, parents]."""
        cells = tables.shape[1] * tables.shape[2]
        penalty = min(self.noise * cells, _LARGEST_PENALTY) * (self.scale(n) // 2)
        found: npt.NDArray[np.int64] = np.subtract(self.score(tables, n), penalty)
        return found

    def difference_sensitivity(self, n: int, shapes: Iterable[tuple[int, int]], neighbours: Neighbours) -> Fraction:
        """Most that one record can move the difference of two candidates' values."""
        return self.score.difference_sensitivity(n, shapes, neighbours)


def penalised(score: Score, noise: NoiseLevel) -> PenalisedScore:
    """The score with the noise of each table taken off.

    >>> from understudy.models import score_named
    >>> penalised(score_named("R"), NoiseLevel(kind="laplace", scale=Fraction(3))).noise
    3
    """
    return PenalisedScore(score=score, noise=ceil(noise.mean_abs))


def grow_parents(
    curator: Curator,
    *,
    limits: TableLimits,
    score: Score,
    share: Fraction,
    stop: bool,
    coins: Rng,
    progress: Progress | None = None,
) -> Search:
    """Choose a network over the curator's domain with at most `share` of its budget."""
    domain = curator.domain
    nodes = [Node(a) for a in starting_attributes(domain, limits, coins)]
    n_rounds = len(domain) - len(nodes)
    each = share / max(_most_choices(domain, limits, len(nodes)), 1)
    used, drawn = Fraction(0), False

    def choose(candidates: Sequence[Candidate], what: str) -> Candidate:
        nonlocal used
        if len(candidates) == 1:
            return candidates[0]
        used += each
        return candidates[curator.ask(BestCandidate(candidates=candidates, score=score, what=what), share=each)]

    for done in range(n_rounds):
        if progress is not None:
            progress("choosing the network", done, n_rounds)
        placed = [node.child for node in nodes]
        first = _first_parents(domain, limits, placed)
        if len(first) > _MOST_FIRST:
            drawn = True
            first = [first[i] for i in sorted(coins.choice(len(first), _MOST_FIRST, replace=False).tolist())]
        chosen = choose(first, f"first parent, round {done + 1} of {n_rounds}") if first else None
        if chosen is None:
            chosen = Candidate(next(a for a in range(len(domain)) if a not in placed))
        while chosen.parents and (more := _one_more(domain, limits, placed, chosen)):
            grown = choose([*([chosen] if stop else []), *more], f"one more parent, round {done + 1} of {n_rounds}")
            if grown == chosen:
                break
            chosen = grown
        nodes.append(Node(chosen.child, chosen.parents))
    return Search(tuple(nodes), used, drawn)


def _most_choices(domain: Domain, limits: TableLimits, n_placed: int) -> int:
    most = limits.degree
    if most is None:
        smallest = min((a.size for a in domain if a.size > 1), default=2)
        most = max(limits.room_for_parents(smallest).bit_length() - 1, 0)
    return sum(min(i, most) for i in range(n_placed, len(domain)))


def _first_parents(domain: Domain, limits: TableLimits, placed: Sequence[int]) -> list[Candidate]:
    left = [a for a in range(len(domain)) if a not in set(placed) and may_have_parents(domain, limits, a)]
    return [
        Candidate(child, (axis,)) for child in left for axis in _axes(domain, placed, _room(domain, limits, child, ()))
    ]


def _one_more(domain: Domain, limits: TableLimits, placed: Sequence[int], chosen: Candidate) -> list[Candidate]:
    if limits.degree is not None and len(chosen.parents) >= limits.degree:
        return []
    held = {axis.attribute for axis in chosen.parents}
    others = [a for a in placed if a not in held]
    return [
        Candidate(chosen.child, tuple(sorted((*chosen.parents, axis))))
        for axis in _axes(domain, others, _room(domain, limits, chosen.child, chosen.parents))
    ]


def _room(domain: Domain, limits: TableLimits, child: int, parents: Parents) -> int | None:
    """Most cells one more parent may have; None if only their number is bounded."""
    if limits.degree is not None:
        return None
    return limits.room_for_parents(domain[child].size) // prod(domain.size(axis) for axis in parents)


def _axes(domain: Domain, attributes: Iterable[int], room: int | None) -> list[Axis]:
    """Attributes at every level that fits, or at the leaf where there is no such bound."""
    return [
        Axis(a, level)
        for a in sorted(attributes)
        for level in range(domain[a].n_levels if room is not None else 1)
        if domain[a].size_at(level) > 1 and (room is None or domain[a].size_at(level) <= room)
    ]
