"""Exact inference in a calibrated junction tree: what connects some attributes, what evidence does, any marginal.

Evidence is taken in with messages in log space and leaves a calibrated tree again, so that the weight of a rare
condition never vanishes. A marginal needs only the part of the tree that connects its attributes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np

from understudy.models._inference import Factor, Floats
from understudy.models._tree_values import CliqueTree


@dataclass(frozen=True, eq=False)
class Forest:
    """Calibrated cliques, each with its variables in rising order; parents come first, −1 is none.

    A clique whose parent shares nothing with it has none here.
    """

    beliefs: tuple[Factor, ...]
    parents: tuple[int, ...]

    @classmethod
    def of(cls, tree: CliqueTree) -> Forest:
        """All of a tree."""
        parents = tuple(p if shared else -1 for p, shared in zip(tree.parents, tree.separators, strict=True))
        return cls(tuple(Factor(c, b) for c, b in zip(tree.cliques, tree.beliefs, strict=True)), parents)

    def separator(self, clique: int) -> tuple[int, ...]:
        """What a clique shares with its parent."""
        parent = self.parents[clique]
        held = self.beliefs[parent].variables if parent >= 0 else ()
        return tuple(v for v in self.beliefs[clique].variables if v in held)

    def connecting(self, wanted: Collection[int]) -> Forest:
        """The part that connects the wanted variables, summed down to them and to what holds it together.

        >>> edge = np.array([[0.4, 0.1], [0.1, 0.4]])
        >>> tree = CliqueTree((2, 2, 2, 2), ((0, 1), (1, 2), (2, 3)), (-1, 0, 1), (edge,) * 3)
        >>> [belief.variables for belief in Forest.of(tree).connecting({1, 3}).beliefs]
        [(1, 2), (2, 3)]
        """
        asked = frozenset(wanted)
        holding = set.intersection(*(self._holders[v] for v in asked)) if asked else set(range(len(self.beliefs)))
        if holding:
            smallest = min(holding, key=lambda c: (self.beliefs[c].values.size, c))
            return self._part([smallest], asked)
        return self._part(self._connected(asked), asked)

    def conditionals(self) -> list[Factor]:
        """The factors whose product is the distribution: each clique's belief given what it shares with its parent."""
        return [given_separator(belief, self.separator(c)) for c, belief in enumerate(self.beliefs)]

    def given(self, weights: Mapping[int, Floats]) -> tuple[Forest, float]:
        """The calibrated forest after its variables' codes were weighed, and the logarithm of the total weight."""
        logs, messages = self._collected(weights)
        total = float(sum(message for c, message in enumerate(messages) if self.parents[c] < 0))
        if total == -inf:
            return self, -inf
        beliefs: list[Factor] = []
        for c, log_table in enumerate(logs):
            variables, shared = self.beliefs[c].variables, self.separator(c)
            with np.errstate(invalid="ignore"):
                values = np.exp(log_table - aligned(messages[c], shared, variables))
            values[np.isnan(values)] = 0.0  # a value of the separator that the evidence rules out
            if self.parents[c] >= 0:
                values *= aligned(summed(beliefs[self.parents[c]], shared), shared, variables)
            beliefs.append(Factor(variables, values))
        return Forest(tuple(beliefs), self.parents), total

    def _collected(self, weights: Mapping[int, Floats]) -> tuple[list[Floats], list[Floats]]:
        """Each clique's table given its separator in log space, with all below it; and its message upwards."""
        with np.errstate(divide="ignore"):
            logs = [np.log(factor.values) for factor in self.conditionals()]
            left = {v: np.log(weight) for v, weight in weights.items()}
        for belief, table in zip(self.beliefs, logs, strict=True):
            for v in belief.variables:
                if v in left:
                    table += aligned(left.pop(v), (v,), belief.variables)
        messages: list[Floats] = [np.zeros(())] * len(logs)
        for c in reversed(range(len(logs))):
            variables, shared = self.beliefs[c].variables, self.separator(c)
            messages[c] = _log_sum(logs[c], tuple(i for i, v in enumerate(variables) if v not in shared))
            if self.parents[c] >= 0:
                logs[self.parents[c]] += aligned(messages[c], shared, self.beliefs[self.parents[c]].variables)
        return logs, messages

    @cached_property
    def _holders(self) -> dict[int, set[int]]:
        """The cliques that hold each variable."""
        found: dict[int, set[int]] = {}
        for c, belief in enumerate(self.beliefs):
            for v in belief.variables:
                found.setdefault(v, set()).add(c)
        return found

    def _connected(self, asked: frozenset[int]) -> list[int]:
        """The cliques that are left when no outer one can go: one that knows no more of `asked` than its neighbour."""
        near = self._with_ancestors({min(self._holders[v]) for v in asked})
        outer = [c for c, others in near.items() if len(others) <= 1]
        while outer:
            c = outer.pop()
            if c not in near or len(near[c]) > 1:
                continue
            known = asked.intersection(self.beliefs[c].variables)
            neighbour = next(iter(near[c]), None)
            if neighbour is not None and known.issubset(self.beliefs[neighbour].variables):
                near[neighbour].remove(c)
                outer.append(neighbour)
                del near[c]
            elif not known:
                del near[c]
        return sorted(near)

    def _with_ancestors(self, cliques: set[int]) -> dict[int, set[int]]:
        """These cliques and all above them, each with its neighbours among them."""
        near: dict[int, set[int]] = {}
        for c in cliques:
            while c not in near:
                near[c] = set()
                if self.parents[c] >= 0:
                    c = self.parents[c]
        for c in near:
            if self.parents[c] >= 0:
                near[c].add(self.parents[c])
                near[self.parents[c]].add(c)
        return near

    def _part(self, cliques: Sequence[int], asked: frozenset[int]) -> Forest:
        number = {c: i for i, c in enumerate(cliques)}
        needed = {c: set(asked) for c in cliques}
        for c in cliques:
            if self.parents[c] in number:
                needed[c].update(self.separator(c))
                needed[self.parents[c]].update(self.separator(c))
        beliefs = []
        for c in cliques:
            kept = tuple(v for v in self.beliefs[c].variables if v in needed[c])
            beliefs.append(Factor(kept, summed(self.beliefs[c], kept)))
        return Forest(tuple(beliefs), tuple(number.get(self.parents[c], -1) for c in cliques))


def summed(factor: Factor, kept: Sequence[int]) -> Floats:
    """A table summed down to some of its variables, which keep their order."""
    gone = tuple(i for i, v in enumerate(factor.variables) if v not in kept)
    return np.asarray(factor.values.sum(axis=gone)) if gone else factor.values


def aligned(values: Floats, variables: Sequence[int], others: Sequence[int]) -> Floats:
    """A table over some of the others, as one that broadcasts against theirs; both in rising order."""
    sizes = dict(zip(variables, values.shape, strict=True))
    return values.reshape([sizes.get(v, 1) for v in others])


def given_separator(belief: Factor, shared: Sequence[int]) -> Factor:
    """A clique's table given what it shares with its parent.

    Where its own separator has no weight at all, the clique's other variables are as they are on the whole: a value
    that neighbours agree on up to rounding only then still has a distribution.

    >>> given_separator(Factor((0, 1), np.array([[0.25, 0.75], [0.0, 0.0]])), (0,)).values.tolist()
    [[0.25, 0.75], [0.25, 0.75]]
    """
    if not shared:
        return belief
    totals = aligned(summed(belief, shared), shared, belief.variables)
    if (totals > 0).all():
        return Factor(belief.variables, belief.values / totals)
    others = tuple(v for v in belief.variables if v not in shared)
    overall = summed(belief, others)
    fallback = np.broadcast_to(aligned(overall / overall.sum(), others, belief.variables), belief.values.shape)
    return Factor(belief.variables, np.divide(belief.values, totals, out=fallback.copy(), where=totals > 0))


def _log_sum(logs: Floats, axes: tuple[int, ...]) -> Floats:
    """log Σ exp along axes; −∞ where all is."""
    if not axes:
        return logs
    top = logs.max(axis=axes, keepdims=True)
    safe = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        sums = np.log(np.exp(logs - safe).sum(axis=axes, keepdims=True))
    return np.asarray((sums + safe).squeeze(axis=axes))
