"""The levels of a column's grid as they were looked at, and which of them are worth a second look.

With a δ the counts are asked for twice. Of few rows most levels of a wide grid tell nothing the first time: no four
cells of them differed by more than noise. The second look leaves them out, so that what it costs buys less noise where
there is something to see. It depends on the first look's noisy counts alone (proof.md, section 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from understudy.numbers._histogram import upwards
from understudy.numbers._hull import BRANCHES
from understudy.privacy import Measurement
from understudy.schema import Axis

Floats = npt.NDArray[np.float64]
COARSEST = 4
"""Levels of so few cells are not asked for: those below tell as much."""
_TELLS = 3.0
"""What each further cell must explain of the chi-square for its level to be looked at again."""


@dataclass(frozen=True, eq=False)
class Look:
    """One level of a column's grid: the mean of its counts over all looks, by precision, and its variance.

    In rows, whatever parts of them were counted.

    >>> from understudy.privacy import NoiseLevel
    >>> from understudy.schema import Marginal
    >>> look = Look(Axis(0, 0))
    >>> for count, variance in ((10, 300), (40, 100)):
    ...     noise = NoiseLevel(kind="gaussian", scale=variance)
    ...     look = look.after(Measurement(marginal=Marginal.of(0), counts=np.array([count]), noise=noise))
    >>> look.counts.round(1).tolist(), round(look.variance)
    ([32.5], 75)
    """

    axis: Axis
    counts: Floats | None = None
    variance: float = np.inf

    @property
    def found(self) -> Floats:
        """The counts, once there was a look."""
        if self.counts is None:
            raise ValueError("nobody has looked at this level")
        return self.counts

    def after(self, found: Measurement, parts: int = 1) -> Look:
        """With another table of the same cells reckoned in, in which a row counts as so many parts."""
        counts, variance = found.counts / parts, max(float(found.noise.variance) / parts**2, 1e-9)
        if self.counts is None:
            return replace(self, counts=counts, variance=variance)
        weight = self.variance / (self.variance + variance)
        return replace(self, counts=(1 - weight) * self.counts + weight * counts, variance=variance * weight)


def telling_levels(counts: Sequence[Floats], variances: Sequence[float], widths: Floats) -> list[bool]:
    """For each level, coarsest first, whether some of its cells differ from an even spread by more than noise.

    The coarsest always counts.

    >>> fine = np.array([10.0, 11, 9, 10, 3, 2, 3, 4])
    >>> telling_levels([np.array([40.0, 12.0]), fine], [1.0, 1.0], np.ones(8))
    [True, False]
    >>> telling_levels([np.array([40.0, 12.0]), np.array([40.0, 0, 0, 0, 3, 2, 3, 4])], [1.0, 1.0], np.ones(8))
    [True, True]
    """
    found = [True]
    for above, level in pairwise(upwards(counts, variances, widths)[-len(counts) :]):
        parents = np.arange(len(level.counts)) // BRANCHES
        even = above.counts[parents] * level.widths / above.widths[parents]
        explained = np.bincount(parents, weights=(level.counts - even) ** 2 / level.variances)
        clear = explained > _TELLS * (np.bincount(parents) - 1)
        found.append(bool((above.divided & clear).any()))
    return found
