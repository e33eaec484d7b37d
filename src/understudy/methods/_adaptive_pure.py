"""Tables of two-valued columns under pure ε: columns first, then those pairs that may tell most, all in one draw.

Noise of numbers that are asked for together grows with how many they are, so how many they are is what matters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import numpy.typing as npt

from understudy.methods._adaptive_allot import allot, part_for_columns_first
from understudy.methods._adaptive_newton import ParityFit
from understudy.methods._adaptive_parities import FOCUS_PART, Known, Pair, ParityRun
from understudy.methods._adaptive_shares import exact_share
from understudy.methods._search import Progress
from understudy.models import FittedTable, TreeFit
from understudy.privacy import Curator, ParitiesTogether, parities_sensitivity
from understudy.schema import Domain, Marginal, Zeros

Floats = npt.NDArray[np.float64]

_FALSE = 0.3  # of the relations taken up, how many may be noise
_REACH = math.sqrt(3)  # of noise that is uniform, in standard deviations
_LAST_SWEEPS = 12
_LEAST = 1e-29  # of a variance
_HELD = 3.0  # relations that others explain in part: potentials are this much nearer to 0 than correlations
_LEAST_ENERGY = 0.02  # of the noise's variance
_COLUMN_RIDGE = 1e-3


class PureParityRun(ParityRun):
    """A run over two-valued columns under pure ε.

    The `shares` of what is known are those that Gaussian-like noise of the same variance would need: `noise` over its
    variance.
    """

    def __init__(
        self,
        curator: Curator,
        total: float,
        max_cells: int,
        focus: Sequence[Pair] = (),
        zeros: Sequence[Zeros] = (),
    ) -> None:
        super().__init__(curator, total, max_cells, focus, zeros)
        self._set_pairs(list(combinations(self.varied, 2)))
        self.triples, self.thirds = [], Known(np.zeros(0), np.zeros(0))
        self.noise = max(self.noise, _LEAST)
        self._false = _FALSE

    def run(self, progress: Progress | None = None) -> TreeFit:
        """Measure columns, find out which pairs may matter, measure those, fit."""
        self._measure_columns(exact_share(float(first_share(self._curator.domain) * self._curator.share_left)))
        if self._focus.any():
            self._measure_pairs(exact_share(float(self._curator.share_left * FOCUS_PART)), self._focus)
        if progress is not None:
            progress("measuring relations", 1, 2)
        left = self._curator.share_left
        found = allot(
            self.columns.values / self.total,
            self.noise / float(self.columns.shares[0]) / self.total**2,
            lambda number, part: self._forecast(number, part * float(left)),
        )
        chosen = np.zeros(len(self.pairs), dtype=np.bool_)
        chosen[found.pairs] = True
        share = left * exact_share(found.part)
        self._measure_pairs(share, chosen)
        if left > share:
            self._measure_columns(left - share)
        if progress is not None:
            progress("measuring relations", 2, 2)
        self._forget_unmeasured()
        return self._fit()

    def _fit(self) -> TreeFit:
        """On all cells if they are few and nothing is declared of them; else on a tree of what stands out."""
        if self.pairs and not self._zeros and 1 << len(self.varied) <= self._max_cells:
            return self._fit_all_cells()
        fit, _, _ = self._grow()
        fit.improve(sweeps=_LAST_SWEEPS)
        return fit

    def _ask(self, marginals: Sequence[Marginal], share: Fraction, what: str) -> Floats:
        found = self._curator.ask(ParitiesTogether(marginals=marginals, what=what), share=share)
        return np.array([float(one.coefficients.reshape(())) for one in found]) / self._curator.terms.unit.parts

    def _measure_columns(self, share: Fraction) -> None:
        marginals = [Marginal.of(a) for a in self.varied]
        values = self._ask(marginals, share, "tables of one column")
        self.columns.add(values, self._worth(marginals, share), np.ones(len(marginals), dtype=np.bool_))

    def _measure_pairs(self, share: Fraction, chosen: npt.NDArray[np.bool_]) -> None:
        marginals = [Marginal.of(*pair) for pair, wanted in zip(self.pairs, chosen, strict=True) if wanted]
        if marginals and share > 0:
            values = self._ask(marginals, share, "relations")
            self.relations.add(values, self._worth(marginals, share), chosen)

    def _worth(self, marginals: Sequence[Marginal], share: Fraction) -> float:
        terms = self._curator.terms
        level = ParitiesTogether(marginals=marginals).level(self._curator.domain, terms, share)
        variance = level.variance * (4 if terms.public_rows else 1) / terms.unit.parts**2
        return self.noise / max(variance, _LEAST)

    def _forecast(self, number: int, share: float) -> float:
        """The variance of so many parities asked together, over the square of the number of rows."""
        terms = self._curator.terms
        decay = float(terms.budget.epsilon) * share / float(parities_sensitivity(terms, 1).l1) * terms.unit.parts
        radius = (number + 1) * (number + 2) / max(decay, 1e-150) ** 2
        return radius / 3 * (4 if terms.public_rows else 1) / self.total**2

    def _forget_unmeasured(self) -> None:
        kept = self.relations.shares > 0
        self.pairs = [pair for pair, known in zip(self.pairs, kept, strict=True) if known]
        self.relations = Known(self.relations.values[kept], self.relations.shares[kept])

    def _bar(self, stands_out: Floats) -> float:
        return uniform_threshold(stands_out, self._false)

    def _fit_all_cells(self) -> TreeFit:
        """All relations at once, on the joint table; the weaker they are beyond noise, the more potentials cost."""
        of_columns, of_pairs = (self.noise / known.shares for known in (self.columns, self.relations))
        bound = np.maximum(self.total - np.sqrt(of_columns) / 2, self.total / 2)
        joint = ParityFit(
            [
                *((self._places[a],) for a in self.varied),
                *((self._places[a], self._places[b]) for a, b in self.pairs),
            ],
            np.concatenate([np.clip(self.columns.values, -bound, bound), self.relations.values]),
            np.concatenate([_COLUMN_RIDGE * of_columns / self.total, self._ridges(of_pairs)]),
            self.total,
        ).logs(len(self.varied))
        fit = TreeFit([attribute.size for attribute in self._curator.domain], total=self.total)
        for a in range(self._d):
            if a not in self._places:
                fit.add(self._column(a))
        fit.add(FittedTable(tuple(self.varied), np.zeros(joint.size), ridge=0.0, fixed=True, potentials=joint))
        return fit

    def _ridges(self, variances: Floats) -> Floats:
        """For potentials of pairs: noise over what relations have beyond it, as far as that is no chance."""
        off = (self.relations.values - self._independent()) ** 2
        chance = 1 + 2 * math.sqrt(5 / len(off))  # a square's mean, two deviations up; the radius is the same for all
        energy = np.maximum((off / variances).mean() - chance, _LEAST_ENERGY) * variances
        return np.asarray(_HELD * variances * self.total / energy)


def first_share(domain: Domain) -> Fraction:
    """For columns at first, of what is left after the number of rows."""
    return exact_share(part_for_columns_first(sum(attribute.size > 1 for attribute in domain)))


def uniform_threshold(sizes: Floats, part: float) -> float:
    """How many standard deviations a relation must be off if noise is uniform, so that at most a part of them is noise.

    >>> uniform_threshold(np.array([0.1, 1.9, 0.3, 2.5]), 0.2), uniform_threshold(np.array([0.1, 1.0]), 0.2)
    (1.9, inf)
    """
    falling = np.sort(sizes)[::-1]
    chances = np.maximum(0.0, 1 - falling / _REACH)
    allowed = np.flatnonzero(chances <= part * np.arange(1, len(falling) + 1) / max(len(falling), 1))
    return float(falling[allowed[-1]]) if len(allowed) else math.inf
