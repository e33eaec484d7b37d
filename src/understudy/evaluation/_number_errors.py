"""How far one column of numbers is off another: each error that reports know. Private to the holder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
import numpy.typing as npt

from understudy.evaluation._numbers import Figures
from understudy.evaluation._supports import Support, same

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Told:
    """What is known of one column in every table; tables are numbered.

    >>> support = Support.of([np.array([1.0, 3.0]), np.array([1.0, 5.0])])
    >>> told = Told(support, [support.figures(0), support.figures(1)], {}, scale=2.0)
    >>> told.error("mean", 0, 1), told.error("deviation", 0, 1)
    (0.5, 1.0)
    """

    support: Support
    figures: Sequence[Figures]
    shares: Mapping[str, Floats]
    scale: float

    def error(self, name: str, one: int, other: int) -> float:
        """How far the second table is off the first; lengths in the real column's deviations. NaN if nobody can say."""
        here, there = self.figures[one], self.figures[other]
        if name == "spikes":
            return max((abs(float(own[one] - own[other])) for own in self.shares.values()), default=0.0)
        if not here.rows or not there.rows:
            return float(bool(here.rows) != bool(there.rows)) if name == "KS" else float("nan")
        if name == "KS":
            return self.support.kolmogorov_smirnov(one, other)
        if name == "Wasserstein":
            return self.support.wasserstein(one, other) / self.scale
        if name == "deviation":
            real = self.figures[0].deviation
            return 0.0 if same(here.deviation, there.deviation) else _ratio(abs(here.deviation - there.deviation), real)
        if name == "quantiles":
            ends = ((here.p05, there.p05), (here.p25, there.p25), (here.p75, there.p75), (here.p95, there.p95))
            return sum(abs(a - b) for a, b in ends) / len(ends) / self.scale
        return float(abs(getattr(here, name) - getattr(there, name))) / self.scale


def _ratio(gap: float, whole: float) -> float:
    """A gap as a part of the whole; a column that does not vary has none, and a gap is as large as can be."""
    return gap / whole if isfinite(gap) and isfinite(whole) and whole > 0 else 1.0 if isfinite(gap) else float("nan")
