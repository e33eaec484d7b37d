"""How far noise may have moved measured tables, and merged values: their sum, and the parts that they are spelt out in.

Single columns are measured leaf by leaf, and merged afterwards. So a merged count has the noise of all its leaves, and
the parts come from counts within their own noise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt

import numpy as np

from understudy._core.randomness import Rng, Streams
from understudy.models._inference import Floats
from understudy.models._tree_values import TreeMeasurement, Within
from understudy.models._treefit import centred
from understudy.models._uncertainty import REPLICATES

RIDGE = 0.005
"""What potentials cost in a redrawn fit, as a part of the noise's variance: just enough for it to settle."""
_WIDER = sqrt(2) - 1
"""Noise of which only the upper half is left has as much of its root mean square as before, if it is wider by that."""


def noise_spread(measured: TreeMeasurement, within: Sequence[Within | None]) -> Floats:
    """The noise's standard deviation in each cell: larger where a single column's leaves were summed.

    >>> column = TreeMeasurement(marginal=(0,), values=np.array([9.0, 5.0]), variance=4.0, interaction=False)
    >>> noise_spread(column, [Within(np.array([0, 1, 1, 1, 1]), np.array([1, 0.25, 0.25, 0.25, 0.25]))]).tolist()
    [2.0, 4.0]
    """
    spread = np.full(measured.values.shape, sqrt(measured.variance))
    rare = within[measured.marginal[0]] if len(measured.marginal) == 1 and within else None
    return spread if rare is None else np.asarray(spread * np.sqrt(np.bincount(rare.codes)))


def redrawn_table(
    measured: TreeMeasurement, expected: Floats, within: Sequence[Within | None], number: int, rng: Rng
) -> Floats:
    """What might have been measured of a table, if what a model has there is the truth.

    Two things are reckoned with beside the noise. The model was held back from what was measured: in every other
    replicate it lies as far off to that side, in the others to the opposite one. And counts cannot fall below 0, so
    noise in a cell that holds next to nothing moves it upwards only: there it is wider, to make up for that.

    >>> rng = Streams(0).get("example")
    >>> column = TreeMeasurement(marginal=(0,), values=np.array([60.0, 40.0]), variance=4.0, interaction=False)
    >>> found = [redrawn_table(column, column.values, (), i, rng) for i in range(500)]
    >>> np.std(found, axis=0).round(), np.sum(found, axis=1).round(6).tolist()[:2]
    (array([2., 2.]), [100.0, 100.0])
    """
    spread = noise_spread(measured, within)
    noise = rng.normal(0.0, 1.0, expected.shape) * spread * (1 + _WIDER * np.exp(-np.maximum(expected, 0.0) / spread))
    if not measured.interaction:  # the total is known by itself, and the noise of the other cells is told apart from it
        return np.asarray(expected + (noise - noise.mean()) * sqrt(noise.size / max(noise.size - 1, 1)))
    own, total = centred(expected), float(expected.sum())
    # noise may have left interactions that no table of so many rows has, and no potentials reach those
    held_back = np.clip(measured.values, -total, total) - own
    return np.asarray(own + (held_back if number % 2 else -held_back) + centred(noise))


def redrawn_within(
    within: Sequence[Within | None], measurements: Sequence[TreeMeasurement], held: Callable[[int], Floats]
) -> list[tuple[Within | None, ...]]:
    """How merged values might be spelt out under other noise; `held` tells the rows of each merged value of a column.

    >>> rare = Within(np.array([0, 1, 1]), np.array([1.0, 0.5, 0.5]))
    >>> column = TreeMeasurement(marginal=(0,), values=np.array([9.0, 8.0]), variance=1.0, interaction=False)
    >>> found = [one[0].shares[1] for one in redrawn_within([rare], [column], lambda a: column.values)]
    >>> bool(0.05 < np.std(found) < 0.2)
    True
    """
    variances = {m.marginal[0]: m.variance for m in measurements if len(m.marginal) == 1 and not m.interaction}
    columns: list[list[Within | None]] = []
    for a, rare in enumerate(within):
        if rare is None or not variances.get(a):
            columns.append([rare] * REPLICATES)
            continue
        rng, counts = Streams(0).get("within", "errors", str(a)), held(a)[rare.codes] * rare.shares
        columns.append([_redrawn(rare, counts, sqrt(variances[a]), rng) for _ in range(REPLICATES)])
    return list(zip(*columns, strict=True))


def _redrawn(rare: Within, counts: Floats, spread: float, rng: Rng) -> Within:
    # what is possible stays so: questions may be asked given a rare value
    least = np.where(rare.shares > 0, 1e-9 * spread, 0.0)
    noisy = np.maximum(counts + rng.normal(0.0, spread, counts.shape), least)
    totals = np.bincount(rare.codes, weights=noisy)[rare.codes]
    return Within(rare.codes, np.divide(noisy, totals, out=rare.shares.copy(), where=totals > 0))
