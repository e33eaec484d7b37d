"""Growing a network by blocks: tables that each add several attributes, chosen one at a time.

A block begins with a private choice of an attribute and of what it shares with one earlier table; then attributes join
by private choice, each with all that is in the block as parents, until the table is full. The last one's family is
the whole table, so that all others need not be measured. Parents thus differ in number from none to a full table.

Privacy. Candidates are a function of public values, of coins fixed independently of the data, and of earlier choices;
each choice goes through `Curator.select`. Adaptive composition: at most d − 1 charges of an equal share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from understudy._core.randomness import Rng
from understudy.methods._block_shape import BlockShape
from understudy.methods._parents import Parents, draw_maximal, draw_subsets
from understudy.methods._search import Progress
from understudy.models import Node
from understudy.privacy import BestCandidate, Candidate, Curator, Score
from understudy.schema import Axis, Domain

MOST_OPENINGS = 4_096
"""Openings of a block that are weighed in one choice, unless told otherwise."""
_MOST_EACH = 16
_FRESH = 4


def grow_blocks(
    curator: Curator,
    *,
    shape: BlockShape,
    score: Score,
    k: int | None,
    max_candidates: int,
    coins: Rng,
    progress: Progress | None = None,
) -> tuple[Node, ...]:
    """Choose a network over the curator's domain with at most the shape's share of its budget."""
    domain = curator.domain
    growth = _Growth(domain, shape, k, max_candidates, coins)
    n_rounds = max(len(growth.left), 1)
    share = shape.selection_share / n_rounds
    while growth.left:
        if progress is not None:
            progress("choosing the network", n_rounds - len(growth.left), n_rounds)
        candidates = growth.candidates()
        if len(candidates) > 1 and any(c.parents for c in candidates) and share > 0:
            what = f"blocks, choice {n_rounds - len(growth.left) + 1} of {n_rounds}"
            chosen = candidates[curator.ask(BestCandidate(candidates=candidates, score=score, what=what), share=share)]
        else:
            chosen = candidates[int(coins.integers(len(candidates)))]
        growth.place(chosen)
    return tuple(growth.nodes)


@dataclass
class _Growth:
    """What is placed, what is left, and the block that grows."""

    domain: Domain
    shape: BlockShape
    k: int | None
    max_candidates: int
    coins: Rng
    nodes: list[Node] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    block: Parents = ()
    _openings: dict[Candidate, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        alone = [a for a, attribute in enumerate(self.domain) if not 1 < attribute.size <= self.shape.cells]
        self.left = [a for a in range(len(self.domain)) if a not in alone]
        self.nodes = [Node(a) for a in alone]
        for a in alone:  # too large for a block, but others may depend on it in coarser form
            self._offer((Axis(a),))

    def candidates(self) -> list[Candidate]:
        """Who may come next, with which parents; in an order that does not depend on data."""
        room = self._room()
        joining = [a for a in self.left if self.domain[a].size <= room]
        if self.block and joining:
            return [Candidate(a, self.block) for a in joining]
        if self.block:
            self._offer(self.block)
            self.block = ()
        return list(self._openings) or [Candidate(a) for a in self.left]

    def place(self, chosen: Candidate) -> None:
        """Take note of a choice."""
        self.nodes.append(Node(chosen.child, chosen.parents))
        self.left.remove(chosen.child)
        self.block = tuple(sorted((*chosen.parents, Axis(chosen.child))))
        self._openings = {c: None for c in self._openings if c.child != chosen.child}

    def _room(self) -> int:
        """Most values that an attribute may have to join the block."""
        if self.k is not None and len(self.block) > self.k:
            return 0
        return self.shape.cells // prod(self.domain.size(axis) for axis in self.block)

    def _offer(self, table: Parents) -> None:
        """Let later blocks share parts of a full table: some parts for each attribute that is left, by coin."""
        if self.shape.shared < 2 or not self.left or self.k == 0:
            return
        each = max(1, min(_MOST_EACH, self.max_candidates // _FRESH // len(self.left)))
        self._openings.update(dict.fromkeys(self._draw([axis.attribute for axis in table], each)))
        surplus = len(self._openings) - max(self.max_candidates, len(self.left))
        for oldest in list(self._openings)[: max(surplus, 0)]:
            del self._openings[oldest]

    def _draw(self, attributes: Sequence[int], each: int) -> Iterator[Candidate]:
        attributes = [a for a in attributes if self.domain[a].size > 1]
        if self.domain.all_binary:
            fitting = min(self.shape.shared, self.shape.cells // 2).bit_length() - 1
            size = fitting if self.k is None else min(fitting, self.k)
            if size < 1:
                return
            sets = draw_subsets(attributes, size, each * len(self.left), self.coins)
            for turn, parents in enumerate(sets):
                yield Candidate(self.left[turn % len(self.left)], parents)
            return
        for child in self.left:
            room = min(self.shape.shared, self.shape.cells // self.domain[child].size)
            for parents in draw_maximal(self.domain, attributes, room, each, self.coins):
                if parents and (self.k is None or len(parents) <= self.k):
                    yield Candidate(child, parents)
