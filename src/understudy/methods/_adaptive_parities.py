"""Tables of two-valued columns: every relation is one number, so many are measured, and what matters is found for free.

The relation of two such columns is their parity: rows in which they agree less rows in which they differ. To choose one
privately costs as much as to measure it. So there are two steps. First all columns and all pairs are measured a little,
or of very many pairs a few for each column, chosen all at once; from what came out, a tree of the relations that stand
out of the noise is grown, at no cost. Then the rest of the budget goes where it helps most: to columns alone if no
relation stands out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
import numpy.typing as npt

from understudy.methods._adaptive_room import Room
from understudy.methods._adaptive_rules import zero_tables
from understudy.methods._adaptive_screen import CHOOSING_SHARE, how_many, screen
from understudy.methods._adaptive_shares import exact_share
from understudy.methods._adaptive_triples import ODD, Beyond, all_triples, compare, take_up
from understudy.methods._search import Progress
from understudy.models import FittedTable, TreeFit, TreeMeasurement, project_to_simplex
from understudy.privacy import Curator, NoisyParities, parities_sensitivity
from understudy.schema import Domain, Marginal, Zeros

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Pair = tuple[int, int]

FEW_SHARES, MANY_SHARES, TRIPLES_SHARE = (
    (Fraction(10, 100), Fraction(45, 100)),
    (Fraction(10, 100), Fraction(15, 100)),
    Fraction(3, 100),
)
"""For columns and for pairs in the first step, where all pairs are measured and where some are chosen."""
FOCUS_PART = Fraction(3, 10)
_MOST_FOR_TRIPLES = 16  # columns: their joint table has 65,536 cells
_AGREE = np.array([[1.0, -1.0], [-1.0, 1.0]])
_FALSE, _FALSE_OF_FEW = 0.5, 1.0  # of the relations taken up, how many may be noise (Benjamini and Hochberg 1995)
_LEAST = 0.3  # of a relation's variance: what is taken up counts for at least so much of its noise
_NEAR_BEST = 0.05  # a relation waits for the next fit if it explains less than this part of what the best one does
_SWEEPS, _LAST_SWEEPS = 3, 12


@dataclass(eq=False)
class Known:
    """Parities measured so far, with the share spent on each; none are those of share 0."""

    values: Floats
    shares: Floats

    def add(self, values: Floats, share: float, chosen: npt.NDArray[np.bool_]) -> None:
        """Take one more measurement of some of them into the mean."""
        if share > 0:
            before = self.shares[chosen]
            self.values[chosen] = (before * self.values[chosen] + share * values) / (before + share)
            self.shares[chosen] += share


@dataclass(frozen=True, slots=True)
class _Kind:
    """Numbers of one kind: how many, how much each matters, the share each has had, and how to measure them again."""

    count: int
    weight: float
    have: float
    measure: Callable[[Fraction], None]

    @property
    def numbers(self) -> tuple[float, float, float]:
        return self.weight, self.have, float(self.count)


class ParityRun:
    """A run over two-valued columns; `total` is the number of rows, paid for or public."""

    def __init__(
        self,
        curator: Curator,
        total: float,
        max_cells: int,
        focus: Sequence[Pair] = (),
        zeros: Sequence[Zeros] = (),
    ) -> None:
        self._curator, self.total, self._max_cells, self._zeros = curator, total, max_cells, zeros
        self._d = len(curator.domain)
        self.varied = [a for a, attribute in enumerate(curator.domain) if attribute.size == 2]
        self._places = {a: place for place, a in enumerate(self.varied)}
        self._named = set(focus)
        self._chosen = how_many(curator.domain)
        self._set_pairs([] if self._chosen else list(combinations(self.varied, 2)))
        self.columns = Known(np.zeros(len(self.varied)), np.zeros(len(self.varied)))
        self.triples = all_triples(self.varied) if len(self.varied) <= _MOST_FOR_TRIPLES else []
        self.thirds = Known(np.zeros(len(self.triples)), np.zeros(len(self.triples)))
        self._first = first_shares(curator.domain)
        self._false = _FALSE_OF_FEW if self._first == FEW_SHARES else _FALSE
        terms = curator.terms
        whole = terms.budget.noise_for(Fraction(1), parities_sensitivity(terms, 1)).variance
        # of one parity for the whole budget; where a number of odd rows is measured, that is half a parity
        self.noise = whole * (4 if terms.public_rows else 1) / terms.unit.parts**2

    def run(self, progress: Progress | None = None) -> TreeFit:
        """Measure, find out, measure again, fit."""
        self._measure_columns(self._first[0])
        if self._chosen:
            self._choose()
        self._measure_pairs(self._first[1], np.ones(len(self.pairs), dtype=np.bool_))
        if progress is not None:
            progress("measuring relations", 1, 2)
        self._measure_triples(TRIPLES_SHARE)
        fit, held, rest = self._grow()
        beyond = self._beyond(fit)
        self._spend_rest(held, rest, beyond)
        if progress is not None:
            progress("measuring relations", 2, 2)
        fit, _, _ = self._grow()
        if beyond is not None:
            again = self._beyond(fit)
            take_up(fit, again or beyond, self.thirds.values, self._max_cells)
        fit.improve(sweeps=_LAST_SWEEPS)
        return fit

    def _set_pairs(self, pairs: list[Pair]) -> None:
        self.pairs = pairs
        self._focus = np.array([pair in self._named for pair in pairs], dtype=np.bool_)
        self.relations = Known(np.zeros(len(pairs)), np.zeros(len(pairs)))

    def _choose(self) -> None:
        """Of very many pairs, those to measure: those that were named, and what a private choice finds."""
        means = np.clip(self.columns.values / self.total, -1, 1)
        found = screen(self._curator, self.varied, means, self.total, number=self._chosen, share=CHOOSING_SHARE)
        self._set_pairs(sorted({*found, *(pair for pair in self._named if self._places.keys() >= set(pair))}))

    def _beyond(self, fit: TreeFit) -> Beyond | None:
        """What triples tell beyond pairs; None if it is no more than noise."""
        if not self.triples:
            return None
        fit.improve(sweeps=2)
        found = compare(fit, self.triples, self.thirds.values, self.noise / float(self.thirds.shares[0]))
        return found if found.matters else None

    def _measure_triples(self, share: Fraction) -> None:
        if self.triples and share > 0:
            values = self._ask([Marginal.of(*triple) for triple in self.triples], share, "relations of three columns")
            self.thirds.add(values, float(share) / len(self.triples), np.ones(len(self.triples), dtype=np.bool_))

    def measurements(self) -> list[TreeMeasurement]:
        """What was measured, as noisy tables."""
        found = []
        for a, parity, share in zip(self.varied, self.columns.values, self.columns.shares, strict=True):
            values = np.array([self.total + parity, self.total - parity]) / 2
            variance = self.noise / float(share) / 4
            found.append(TreeMeasurement(marginal=(a,), values=values, variance=variance, interaction=False))
        for pair, parity, share in zip(self.pairs, self.relations.values, self.relations.shares, strict=True):
            values, variance = float(parity) / 4 * _AGREE, self.noise / float(share) / 4
            found.append(TreeMeasurement(marginal=pair, values=values, variance=variance, interaction=True))
        for triple, parity, share in zip(self.triples, self.thirds.values, self.thirds.shares, strict=True):
            values, variance = float(parity) / 8 * ODD, self.noise / float(share) / 8
            found.append(TreeMeasurement(marginal=triple, values=values, variance=variance, interaction=True))
        return found

    def _measure_columns(self, share: Fraction) -> None:
        every = np.ones(len(self.varied), dtype=np.bool_)
        values = self._ask([Marginal.of(a) for a in self.varied], share, "tables of one column")
        self.columns.add(values, float(share) / max(len(self.varied), 1), every)

    def _measure_pairs(self, share: Fraction, chosen: npt.NDArray[np.bool_]) -> None:
        marginals = [Marginal.of(*pair) for pair, wanted in zip(self.pairs, chosen, strict=True) if wanted]
        if marginals and share > 0:
            values = self._ask(marginals, share, "relations")
            self.relations.add(values, float(share) / len(marginals), chosen)

    def _ask(self, marginals: Sequence[Marginal], share: Fraction, what: str) -> Floats:
        found = self._curator.ask(NoisyParities(marginals=marginals, what=what), share=share)
        return np.array([float(one.coefficients.reshape(())) for one in found]) / self._curator.terms.unit.parts

    def _grow(self) -> tuple[TreeFit, npt.NDArray[np.bool_], Floats]:
        """A tree of the relations that stand out; which they are; and how far the others are off."""
        fit = TreeFit([attribute.size for attribute in self._curator.domain], total=self.total)
        for a in range(self._d):
            fit.add(self._column(a))
        for table in zero_tables(self._zeros):
            fit.add(table)
        fit.improve(sweeps=2)
        held = np.zeros(len(self.pairs), dtype=np.bool_)
        variances = self.noise / np.maximum(self.relations.shares, 1e-300)
        alone = self.relations.values - self._independent()
        sizes = [attribute.size for attribute in self._curator.domain]
        room = Room(sizes, self._max_cells, [one.attributes for one in self._zeros])
        off, fresh = self.relations.values - self._said(fit, ~held), True
        while True:
            bar, taken = self._take(off, variances, held, room)
            if not taken and fresh:
                return fit, held, off[~held]
            for i in taken:
                held[i] = True
                gained = off[i] ** 2 - variances[i]
                energy = max((gained + max(alone[i] ** 2 - variances[i], 0.0)) / 2, _LEAST * variances[i])
                ridge = variances[i] * self.total / energy / 4
                possible = float(np.clip(self.relations.values[i], -self.total, self.total))
                values = possible / 4 * _AGREE
                fit.add(FittedTable(self.pairs[i], values, ridge=ridge, interaction=True))
            looked_at = ~held
            if taken:  # the others are looked at again once none of these is left
                fit.improve(sweeps=_SWEEPS)
                looked_at &= np.abs(off) >= bar / 2 * np.sqrt(variances)
                looked_at &= np.array([room.may_take(*pair) for pair in self.pairs], dtype=np.bool_)
            off[looked_at] = self.relations.values[looked_at] - self._said(fit, looked_at)
            fresh = not taken or bool((looked_at | held).all())

    def _said(self, fit: TreeFit, chosen: npt.NDArray[np.bool_]) -> Floats:
        """The parities that the model has."""
        pairs = [self.pairs[i] for i in np.flatnonzero(chosen)]
        model = fit.pair_tables(pairs)
        return np.array([float((_AGREE * model[pair]).sum()) for pair in pairs])

    def _column(self, a: int) -> FittedTable:
        if a not in self._places:
            return FittedTable((a,), np.array([self.total]), ridge=1e-6)
        parity = self.columns.values[self._places[a]]
        counts = np.array([self.total + parity, self.total - parity]) / 2
        counts = np.maximum(project_to_simplex(counts, self.total), min(0.5, self.total / 4))
        return FittedTable((a,), counts, ridge=1e-6, potentials=np.log(counts / self.total))

    def _independent(self) -> Floats:
        """The parities of pairs if columns had nothing to do with each other."""
        means = dict(zip(self.varied, np.clip(self.columns.values / self.total, -1, 1), strict=True))
        return np.array([means[a] * means[b] for a, b in self.pairs]) * self.total

    def _take(self, off: Floats, variances: Floats, held: npt.NDArray[np.bool_], room: Room) -> tuple[float, list[int]]:
        """Which of the relations not held yet to take up now: those that stand out most, few for each column.

        First, how many standard deviations that takes.
        """
        stands_out = np.where(held, -1.0, np.abs(off) / np.sqrt(variances))
        bar = self._bar(stands_out[~held])
        gains = np.where(stands_out >= bar, off**2 - variances, -1.0)
        taken: list[int] = []
        touched: set[int] = set()
        most = max(2, self._d // 3)
        for i in np.argsort(-gains).tolist():
            if gains[i] <= 0 or len(taken) >= most:
                break
            if len(taken) >= 2 and gains[i] < _NEAR_BEST * gains[taken[0]]:
                break
            a, b = self.pairs[i]
            if (a in touched and b in touched) or not room.take(a, b):
                continue
            touched |= {a, b}
            taken.append(i)
        return bar, taken

    def _bar(self, stands_out: Floats) -> float:
        """How many standard deviations of its noise a relation must be off to be taken up."""
        return threshold(stands_out, self._false)

    def _spend_rest(self, held: npt.NDArray[np.bool_], off: Floats, beyond: Beyond | None) -> None:
        """All that is left, so that the error of tables of three columns falls most: columns are in many of those."""
        if self._focus.any():
            self._measure_pairs(exact_share(float(self._curator.share_left * FOCUS_PART)), self._focus)
        d = len(self.varied)
        kinds = [
            _Kind(len(self.varied), math.comb(d - 1, 2) or 1, float(self.columns.shares[0]), self._measure_columns)
        ]
        of_pair = max(d - 2, 1)
        if held.any():
            have = float(self.relations.shares[held][0])
            kinds.append(_Kind(int(held.sum()), of_pair, have, lambda share: self._measure_pairs(share, held)))
        spread = self._spread(off)
        if spread > 0:  # what is expected of those that did not stand out is known as well as a measurement
            have = float(self.relations.shares[~held][0]) + self.noise / spread
            kinds.append(_Kind(len(off), of_pair, have, lambda share: self._measure_pairs(share, ~held)))
        if beyond is not None:
            have = float(self.thirds.shares[0]) + self.noise / beyond.energy
            kinds.append(_Kind(len(self.triples), 1, have, self._measure_triples))
        weights, have_all, counts = (
            np.array(x, dtype=np.float64) for x in zip(*(k.numbers for k in kinds), strict=True)
        )
        left = self._curator.share_left
        parts = fill(weights, have_all, counts, float(left))
        shares = [exact_share(float(part * count)) for part, count in zip(parts, counts, strict=True)]
        shares[0] += left - sum(shares, Fraction(0))  # what rounding leaves
        for kind, share in zip(kinds, shares, strict=True):
            if share > 0:
                kind.measure(share)

    def _spread(self, off: Floats) -> float:
        """How far relations that did not stand out are off beyond noise, as a mean of squares."""
        if not len(off):
            return 0.0
        noise = self.noise / float(self._first[1]) * len(self.pairs)
        highest = float(np.abs(off).max()) / math.sqrt(noise)
        if highest == 0:
            return 0.0
        # noise that is known not to reach higher is smaller than noise at large
        cut = 1 - 2 * highest * math.exp(-(highest**2) / 2) / math.sqrt(2 * math.pi) / math.erf(highest / math.sqrt(2))
        return max(float((off**2).mean()) / max(cut, 1e-3) - noise, 0.0)


def first_shares(domain: Domain) -> tuple[Fraction, Fraction]:
    """For columns and for pairs in the first step."""
    return MANY_SHARES if how_many(domain) else FEW_SHARES


def threshold(sizes: Floats, part: float) -> float:
    """How many standard deviations a relation must be off, so that of those that are at most a part is noise.

    >>> threshold(np.array([0.1, 5.0, 0.3, 6.0]), 0.2), threshold(np.array([0.1, 1.0]), 0.2)
    (5.0, inf)
    """
    falling = np.sort(sizes)[::-1]
    chances = np.array([math.erfc(size / math.sqrt(2)) for size in falling])
    allowed = np.flatnonzero(chances <= part * np.arange(1, len(falling) + 1) / len(falling))
    return float(falling[allowed[-1]]) if len(allowed) else math.inf


def fill(weights: Floats, have: Floats, counts: Floats, budget: float) -> Floats:
    """Shares s ≥ 0 for each kind of number, `counts` of each, that minimise Σ count·weight/(have + s) within a budget.

    So have + s = √weight/λ wherever s > 0: water-filling.

    >>> fill(np.array([4.0, 1.0]), np.zeros(2), np.ones(2), 0.9).round(3).tolist()
    [0.6, 0.3]
    >>> fill(np.array([1.0, 1.0]), np.array([0.0, 5.0]), np.ones(2), 0.5).tolist()
    [0.5, 0.0]
    """
    low, high = 1e-12, 1e15
    for _ in range(200):
        middle = math.sqrt(low * high)
        if float((counts * np.maximum(np.sqrt(weights) / middle - have, 0.0)).sum()) > budget:
            low = middle
        else:
            high = middle
    found = np.maximum(np.sqrt(weights) / high - have, 0.0)
    return np.asarray(found * budget / max(float((counts * found).sum()), 1e-300))
