"""What the noise in the number of rows does to shares.

A model is fitted to as many rows as are published, and that number has noise of its own. What the counts of a column
have more or fewer in all is then laid on its values alike, and shares are off: those of frequent values most.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Streams
from understudy.models import REPLICATES, Estimate, Evidence, Model
from understudy.release._amounts import Amount
from understudy.release._histogram_noise import noise_variance
from understudy.release._statement import Statement
from understudy.schema import Marginal

Floats: TypeAlias = npt.NDArray[np.float64]
_MOST = 2.0
"""Times that a share may be larger for it; of what noise itself may hide, its own noise tells."""


def rows_as_counted(statement: Statement) -> Amount:
    """The number of rows, and what it might have been under other noise.

    >>> rows_as_counted(Statement.example(n_public=True, n_rows=50)).replicates.tolist()
    [50.0]
    """
    spread = _spread(statement)
    return Amount(float(statement.n_rows), statement.n_rows + (np.zeros(1) if spread == 0 else spread * _redrawn()))


def ask(
    model: Model, statement: Statement, attributes: Sequence[int], evidence: Evidence | None, *, errors: bool = True
) -> Estimate:
    """What a model says of some attributes, with errors that cover the noise in the number of rows too."""
    estimate = model.marginal(Marginal.of(*attributes), evidence=evidence, errors=errors)
    spread = _spread(statement)
    if estimate.replicates is None or len(estimate.replicates) != REPLICATES or spread == 0:
        return estimate
    singles = [model.marginal(Marginal.of(a), errors=False).probabilities for a in attributes]
    return with_rows_noise(estimate, singles, spread / max(statement.n_rows, 1))


def with_rows_noise(estimate: Estimate, singles: Sequence[Floats], relative: float) -> Estimate:
    """An estimate under redrawn numbers of rows as well, of a deviation relative to them; `singles` are single columns.

    >>> alike, one = np.array([0.5, 0.5]), np.array([0.9, 0.1])
    >>> exact = [Estimate.from_replicates(p, np.stack([p] * REPLICATES)) for p in (alike, one)]
    >>> [with_rows_noise(p, [p.probabilities], 0.1).standard_error.round(3).tolist() for p in exact]
    [[0.0, 0.0], [0.04, 0.04]]
    """
    replicates = np.asarray(estimate.replicates)
    redrawn = relative * _redrawn()[:, None]
    tilt = np.ones(replicates.shape)
    for axis, single in enumerate(singles):
        moved = single + redrawn * (1 / len(single) - single)
        times = np.clip(np.divide(moved, single, out=np.ones(moved.shape), where=single > 0), 0.0, _MOST)
        tilt *= times.reshape(len(times), *(-1 if i == axis else 1 for i in range(len(singles))))
    tilted = replicates * tilt
    axes = tuple(range(1, replicates.ndim))
    held, left = (np.sum(table, axis=axes, keepdims=True) for table in (replicates, tilted))
    return Estimate.from_replicates(
        estimate.probabilities, tilted * np.divide(held, left, out=np.ones(held.shape), where=left > 0)
    )


def _spread(statement: Statement) -> float:
    return 0.0 if statement.n_public else sqrt(noise_variance(statement, "rows") or 0.0)


def _redrawn() -> Floats:
    """Of each replicate, how far the number of rows is off, in deviations: the same in all answers."""
    places = (np.arange(REPLICATES) + 0.5) / REPLICATES
    normal = np.array([NormalDist().inv_cdf(place) for place in places])
    shuffled = Streams(0).get("rows", "errors of answers").permutation(normal)
    return np.asarray(shuffled / np.sqrt(np.mean(shuffled**2)))
