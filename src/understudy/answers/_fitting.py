"""Bringing a distribution into agreement with what was measured: multiplicative weights for all of it at once.

Each step multiplies the distribution by exp(−rate · gradient) of the squared differences between what it says and what
was measured, each divided by its noise (mirror descent, of which the multiplicative update is the case of a single
measurement). The rate is halved until a step helps, so that no step makes the fit worse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.answers._state import Attributes, State
from understudy.models import project_to_simplex
from understudy.privacy import LinearQueries

Floats: TypeAlias = npt.NDArray[np.float64]

_FARTHEST = 40.0  # no single step multiplies by more than exp of this
_HALVINGS = 30
_ENOUGH = 1e-6  # a step that takes less than this part of the loss away is the last one


@dataclass(frozen=True, kw_only=True, eq=False)
class Noted:
    """Something measured: a table over some attributes as shares, or answers of linear queries about it.

    `precision` is one over the variance of a share's noise.
    """

    attributes: Attributes
    shares: Floats
    precision: float
    queries: LinearQueries | None = None

    def difference(self, table: Floats) -> Floats:
        """What a distribution says less what was measured."""
        said = table if self.queries is None else self.queries.answers(table)
        return np.asarray(said - self.shares)

    def gradient(self, difference: Floats) -> Floats:
        """How the squared difference changes with the probability of each cell, up to the precision."""
        return difference if self.queries is None else self.queries.push(difference)


def fit(state: State, noted: Sequence[Noted], *, steps: int, rate: float | None = None) -> State:
    """A distribution that agrees better with what was measured; `rate` is that of the first step tried.

    >>> from understudy.schema import Attribute, Domain
    >>> domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=2)))
    >>> halves = Noted(attributes=(0,), shares=np.array([0.3, 0.7]), precision=1.0)
    >>> fit(State(domain), [halves], steps=50).read([(0,)])[0].round(3).tolist()
    [0.3, 0.7]
    """
    if not noted:
        return state
    scopes = list(dict.fromkeys(one.attributes for one in noted))
    weights = np.array([one.precision for one in noted])
    weights = weights / weights.sum()
    step = 1.0 if rate is None else rate
    tables = dict(zip(scopes, state.read(scopes), strict=True))
    apart, loss = _apart(noted, tables, weights)
    for _ in range(steps):
        gradient = _gradient(noted, apart, weights)
        found = _one_step(state, noted, scopes, weights, gradient, tables, loss, step)
        if found is None:
            break
        state, tables, apart, new_loss, step = found
        finished, loss = loss - new_loss <= _ENOUGH * loss, new_loss
        if finished:
            break
        step *= 1.5
    return state


def fit_table(state: State, noted: Noted) -> State:
    """A distribution that has the measured table's nearest plausible one, where nothing else is known of it."""
    plausible = project_to_simplex(noted.shares.ravel(), 1.0).reshape(noted.shares.shape)
    return state.moved({noted.attributes: np.log(np.maximum(plausible, 1e-9 / plausible.size))})


_Step = tuple[State, dict[Attributes, Floats], list[Floats], float, float]


def _one_step(
    state: State,
    noted: Sequence[Noted],
    scopes: Sequence[Attributes],
    weights: Floats,
    gradient: dict[Attributes, Floats],
    tables: dict[Attributes, Floats],
    loss: float,
    step: float,
) -> _Step | None:
    """The first step, at this rate or half of it and so on, that gains at least half of what its gradient promises."""
    for _ in range(_HALVINGS):
        moves = {scope: np.clip(-step * gradient[scope], -_FARTHEST, _FARTHEST) for scope in scopes}
        moved = state.moved(moves)
        reached = dict(zip(scopes, moved.read(scopes), strict=True))
        apart, new_loss = _apart(noted, reached, weights)
        promised = sum(float((gradient[scope] * (tables[scope] - reached[scope])).sum()) for scope in scopes)
        if np.isfinite(new_loss) and loss - new_loss >= 0.5 * promised >= 0:
            return moved, reached, apart, new_loss, step
        step /= 2
    return None


def _apart(noted: Sequence[Noted], tables: dict[Attributes, Floats], weights: Floats) -> tuple[list[Floats], float]:
    apart = [one.difference(tables[one.attributes]) for one in noted]
    loss = sum(float(weight) * float((a**2).sum()) / 2 for weight, a in zip(weights, apart, strict=True))
    return apart, loss


def _gradient(noted: Sequence[Noted], apart: Sequence[Floats], weights: Floats) -> dict[Attributes, Floats]:
    found: dict[Attributes, Floats] = {}
    for one, weight, a in zip(noted, weights, apart, strict=True):
        part = float(weight) * one.gradient(a)
        found[one.attributes] = found[one.attributes] + part if one.attributes in found else part
    return found
