"""Relations of three two-valued columns that no pairs explain: probed together, and measured if there is something."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from understudy.models import FittedTable, TreeFit, adjacency, cells_with
from understudy.privacy import walsh_hadamard

Floats = npt.NDArray[np.float64]
Triple = tuple[int, int, int]

_SIGNS = np.array([1.0, -1.0])
ODD = np.multiply.outer(np.multiply.outer(_SIGNS, _SIGNS), _SIGNS)
"""The sign that each cell of a triple has in its parity."""
_LEAST = 0.05  # of the noise's variance: triples that are taken up are held for at least so far off


@dataclass(frozen=True, eq=False)
class Beyond:
    """How far measured parities of triples are from a model's; `energy` is the mean square beyond noise."""

    triples: Sequence[Triple]
    off: Floats
    variance: float

    @property
    def energy(self) -> float:
        """Mean square that noise does not explain."""
        return float((self.off**2).mean()) - self.variance

    @property
    def matters(self) -> bool:
        """Whether that is more than chance makes of noise: by two standard deviations."""
        return self.energy > 2 * math.sqrt(2 / len(self.off)) * self.variance


def all_triples(columns: Sequence[int]) -> list[Triple]:
    """Triples of columns, in order.

    >>> all_triples([0, 2, 3, 5])
    [(0, 2, 3), (0, 2, 5), (0, 3, 5), (2, 3, 5)]
    """
    return list(combinations(columns, 3))


def compare(fit: TreeFit, triples: Sequence[Triple], values: Floats, variance: float) -> Beyond:
    """Measured parities against the model's, which are read off its joint table."""
    transformed = walsh_hadamard(_joint(fit))
    sizes = fit.sizes.tolist()
    said = np.array([float(transformed[tuple(int(a in triple) for a in range(len(sizes)))]) for triple in triples])
    return Beyond(triples, values - said, variance)


def take_up(fit: TreeFit, beyond: Beyond, values: Floats, max_cells: int) -> None:
    """Fit to the triples that are off by more than their noise, the farthest first, as many as there is room for."""
    near = adjacency(len(fit.sizes), [table.attributes for table in fit.tables])
    logs = np.log(fit.sizes.astype(np.float64))
    ridge = beyond.variance * fit.total / max(beyond.energy, _LEAST * beyond.variance) / 8
    for place in np.argsort(-np.abs(beyond.off)).tolist():
        if abs(beyond.off[place]) < math.sqrt(beyond.variance):
            break
        a, b, c = beyond.triples[place]
        tried = near.copy()
        for one, other in ((a, b), (a, c), (b, c)):
            tried[one, other] = tried[other, one] = True
        if math.isinf(cells_with(tried, logs, np.array([a]), np.array([b]), float(max_cells))[0]):
            continue
        near = tried
        possible = float(np.clip(values[place], -fit.total, fit.total))
        fit.add(FittedTable((a, b, c), possible / 8 * ODD, ridge=ridge, interaction=True))


def _joint(fit: TreeFit) -> Floats:
    """Every cell of the model, as counts: for few columns only."""
    logs = np.zeros(tuple(fit.sizes.tolist()))
    for table in fit.tables:
        shape = [size if a in table.attributes else 1 for a, size in enumerate(fit.sizes.tolist())]
        logs = logs + table.potentials.reshape(shape)
    joint = np.exp(logs - logs.max())
    return np.asarray(joint * (fit.total / joint.sum()))
