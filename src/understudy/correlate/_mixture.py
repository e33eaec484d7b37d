"""First guesses without labels: which candidate pairs are the same record, of one household, or of strangers.

A mixture of three classes over steps of agreement that are independent in each class (Fellegi and Sunter 1969, fitted
by expectation maximisation). It is anchored at both ends: made-up copies belong to the first class and random pairs are
strangers, so that a table without duplicates does not get some found. People of one household share an address and a
part of their names; in what is a person's own they are like random pairs, and there they cannot pass for one record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.correlate._compare import N_STEPS, Steps
from understudy.correlate._tags import Tag

Probabilities: TypeAlias = npt.NDArray[np.float64]
Agreement: TypeAlias = Sequence[tuple[Tag, Steps]]
SAME, HOUSEHOLD, STRANGERS = range(3)
_ROUNDS = 50
_ANCHOR = 100.0  # pairs that the copies, and the random pairs, count for


@dataclass(frozen=True, eq=False)
class Mixture:
    """The three classes: how often each is met among candidates, and how they agree in each respect."""

    weights: Probabilities
    tables: tuple[Probabilities, ...]

    @classmethod
    def fit(cls, candidates: Agreement, copies: Agreement, random_pairs: Agreement) -> Mixture:
        """The classes of these candidate pairs, between copies and random pairs."""
        steps = [found for _, found in candidates]
        homes = [tag.at_home for tag, _ in candidates]
        alike = [_shares(found) for _, found in copies]
        apart = [_shares(found) for _, found in random_pairs]
        start = zip(alike, _at_home(homes, alike, apart), map(_shares, steps), strict=True)
        tables = [np.stack(parts) for parts in start]
        weights = np.array([0.05, 0.05 if "shared" in homes else 0.0, 0.9])
        for _ in range(_ROUNDS):
            found = _classes(steps, tables, weights)
            weights = found.mean(axis=0)
            tables = []
            for step, home, same, strangers in zip(steps, homes, alike, apart, strict=True):
                counts = np.stack([np.bincount(step, weights=found[:, c], minlength=N_STEPS) for c in range(3)])
                counts[SAME] += _ANCHOR * same
                counts[STRANGERS] += _ANCHOR * strangers
                counts[HOUSEHOLD] = {"shared": same, "partly": counts[HOUSEHOLD] + 1, "own": strangers}[home]
                tables.append(counts / counts.sum(axis=1, keepdims=True))
        return cls(weights, tuple(tables))

    def guesses(self, pairs: Agreement) -> Probabilities:
        """For each pair the probabilities of being the same, of one household, of strangers."""
        return _classes([found for _, found in pairs], self.tables, self.weights)


def _classes(steps: Sequence[Steps], tables: Sequence[Probabilities], weights: Probabilities) -> Probabilities:
    with np.errstate(divide="ignore"):
        logs = np.broadcast_to(np.log(weights), (len(steps[0]), 3)).copy()
    for step, table in zip(steps, tables, strict=True):
        logs += np.log(table.T)[step]
    logs -= logs.max(axis=1, keepdims=True)
    found: Probabilities = np.exp(logs)
    found /= found.sum(axis=1, keepdims=True)
    return found


def _shares(steps: Steps) -> Probabilities:
    """How often each step occurs, none never."""
    counts = np.bincount(steps, minlength=N_STEPS).astype(np.float64) + 0.5
    counts /= counts.sum()
    return counts


def _at_home(homes: Sequence[str], alike: list[Probabilities], apart: list[Probabilities]) -> list[Probabilities]:
    """What people of one household start from."""
    middle = [(same + other) / 2 for same, other in zip(alike, apart, strict=True)]
    choices = {"shared": alike, "partly": middle, "own": apart}
    return [choices[home][i] for i, home in enumerate(homes)]
