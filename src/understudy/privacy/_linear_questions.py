"""Questions about linear queries: noisy answers, how far a guess is off, which is the first to be far off.

Their values are whole numbers on a grid: a query's exact sum over its denominator, times the grid, rounded down where
the grid does not hold it. The bounds are proven in proof.md, section 12.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
import numpy.typing as npt

from understudy._core.errors import InternalError
from understudy.privacy._linear import LinearQueries
from understudy.privacy._mechanisms import AboveThreshold, AddNoise, Counted
from understudy.privacy._question import Price, PrivateRows, PublicFacts
from understudy.privacy._sensitivity import Sensitivity
from understudy.privacy._terms import PrivacyTerms
from understudy.privacy._values import Counts, NoiseLevel
from understudy.schema import Marginal

Floats = npt.NDArray[np.float64]

GRID = 1024  # steps of a count, where denominators have no common multiple this small: rounding costs a thousandth
_ROOM = 1 << 62
WEIGHT_PARTS = 64


def grid_of(queries: Sequence[LinearQueries]) -> tuple[int, int]:
    """Steps into which a count is divided, and how much rounding down may add to a move: 0 where the grid is exact.

    >>> from understudy.schema import Attribute, Domain
    >>> domain = Domain((Attribute(name="sex", size=2),))
    >>> grid_of([LinearQueries.cells(Marginal.of(0), domain)])
    (1, 0)
    >>> grid_of([LinearQueries.dense(Marginal.of(0), domain, np.array([[1, 2]]), 3000)])
    (1024, 1)
    """
    common = 1
    for parts in sorted({int(part) for batch in queries for part in np.unique(batch.denominators)}):
        common = lcm(common, parts)
        if common > GRID:
            return GRID, 1
    return common, 0


def row_sensitivity(queries: Sequence[LinearQueries], cells_of_row: int) -> Sensitivity:
    """Most that one row moves all answers together, in counts.

    A row adds its weights, so each answer moves by at most its largest one; and all of one table's together by at most
    what the weights of one cell come to, or those of two if a row is replaced.

    >>> from understudy.schema import Attribute, Domain
    >>> domain = Domain((Attribute(name="age", size=9),))
    >>> row_sensitivity([LinearQueries.cells(Marginal.of(0), domain)], 2).l1
    Fraction(2, 1)
    """
    l1 = l2_squared = Fraction(0)
    for batch in queries:
        top = batch.largest
        l1 += min(len(batch) * top, cells_of_row * batch.most_of_row())
        l2_squared += min(len(batch) * top**2, cells_of_row * batch.most_of_row(2))
    return Sensitivity(l1=l1, l2_squared=l2_squared)


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyAnswers:
    """Answers of linear queries in counts, and the noise that each has; safe to publish."""

    values: Floats
    noise: NoiseLevel
    grid: int

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise, in counts."""
        return float(self.noise.variance**0.5) / self.grid


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NoisyLinear:
    """Noisy answers to linear queries, all with the same noise, for what one row moves them by together.

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget, open_curator
    >>> from understudy.schema import Attribute, Domain
    >>> from understudy.tables import Table
    >>> domain = Domain((Attribute(name="sex", size=2),))
    >>> curator = open_curator(MemoryCounter(Table(domain, (np.array([0, 1, 1]),))), budget=make_budget(1))
    >>> women = LinearQueries.dense(Marginal.of(0), domain, np.array([[1, 0]]), 1)
    >>> found = curator.ask(NoisyLinear(queries=[women]), share=Fraction(1, 2))
    >>> found.values.shape, found.noise.scale
    ((1,), Fraction(2, 1))
    """

    queries: Sequence[LinearQueries]
    what: str = "answers"

    def free_answer(self, facts: PublicFacts) -> None:
        """A count is never public."""
        if not sum(map(len, self.queries)):
            raise InternalError("There is nothing to answer.")

    def price(self, facts: PublicFacts, share: Fraction) -> Price:
        """Noise for numbers that a unit moves by its rows, and by the rounding."""
        terms, (grid, rounding) = facts.terms, grid_of(self.queries)
        of_unit = terms.of_unit(row_sensitivity(self.queries, terms.neighbours.cells_of_row))
        number = rounding * sum(map(len, self.queries))
        sensitivity = Sensitivity(
            l1=grid * of_unit.l1 + number,
            # (|x| + 1)² = x² + 2|x| + 1 for each answer
            l2_squared=grid**2 * of_unit.l2_squared + 2 * rounding * grid * of_unit.l1 + number,
        )
        mechanism = facts.noise_for(share, sensitivity)
        return Price(
            mechanism=mechanism,
            sensitivity=terms.budget.norm(_in_counts(sensitivity, grid)),
            touches=((_held(self.queries, facts), share),),
            n_tables=sum(map(len, self.queries)),
            noise=_noise_in_counts(mechanism.noise, grid),
        )

    def count(self, rows: PrivateRows, facts: PublicFacts) -> Counted:
        """The exact answers, on the grid."""
        grid, _ = grid_of(self.queries)
        return Counted([np.concatenate([_scaled(rows.totals(batch), batch, grid) for batch in self.queries])])

    def answer(self, noisy: list[Counts], price: Price, facts: PublicFacts) -> NoisyAnswers:
        """The answers in counts."""
        grid, _ = grid_of(self.queries)
        assert isinstance(price.mechanism, AddNoise)
        return NoisyAnswers(values=noisy[0] / grid, noise=price.mechanism.noise, grid=grid)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FirstAbove:
    """The place of the first query whose guess is farther off than a threshold, or None: AboveThreshold.

    `guesses` and the threshold are in counts, public. The threshold gets noise once, each distance its own; what is
    given out is one place, however many queries came before it. Asked again, it has fresh noise, and is paid for again.

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget, open_curator
    >>> from understudy.schema import Attribute, Domain
    >>> from understudy.tables import Table
    >>> domain = Domain((Attribute(name="sex", size=2),))
    >>> curator = open_curator(MemoryCounter(Table(domain, (np.array([0, 1, 1]),))), budget=make_budget(1))
    >>> both = LinearQueries.cells(Marginal.of(0), domain)
    >>> question = FirstAbove(queries=[both], guesses=np.array([0.0, 2.0]), threshold=Fraction(1))
    >>> curator.ask(question, share=Fraction(1, 2)) in (0, 1, None)
    True
    """

    queries: Sequence[LinearQueries]
    guesses: Floats
    threshold: Fraction
    order: npt.NDArray[np.int64] | None = None
    """Which queries are looked at, one after the other; all of them, as they come, if it is left out."""
    what: str = "first answer that is far off"

    def free_answer(self, facts: PublicFacts) -> None:
        """Never public."""
        _refuse_guesses(self.queries, self.guesses)

    def price(self, facts: PublicFacts, share: Fraction) -> Price:
        """Two fifths of ε for the threshold, three for the distances, of which one counts, twice."""
        grid, moved = distance_moved(self.queries, facts.terms)
        epsilon = facts.terms.budget.pure_epsilon(share)
        mechanism = AboveThreshold.for_epsilon(
            epsilon, moved, threshold=-(-grid * self.threshold.numerator // self.threshold.denominator)
        )
        return Price(
            mechanism=mechanism.without_noise() if facts.noiseless in ("all", "selection") else mechanism,
            sensitivity=moved / grid,
            noise=_noise_in_counts(mechanism.noise, grid),
            touches=((_held(self.queries, facts), share),),
            n_candidates=sum(map(len, self.queries)) if self.order is None else len(self.order),
        )

    def count(self, rows: PrivateRows, facts: PublicFacts) -> Counted:
        """The exact distances, on the grid."""
        distances = _distances(self.queries, self.guesses, rows)
        return Counted([distances if self.order is None else distances[self.order]])

    def answer(self, noisy: list[Counts], price: Price, facts: PublicFacts) -> int | None:
        """The place in the order."""
        place = int(noisy[0][0])
        return None if place < 0 else place


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QuantileOfErrors:
    """How far the guesses of most queries are off, in counts, with noise: the `rank`-th smallest distance.

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget, open_curator
    >>> from understudy.schema import Attribute, Domain
    >>> from understudy.tables import Table
    >>> domain = Domain((Attribute(name="sex", size=2),))
    >>> curator = open_curator(MemoryCounter(Table(domain, (np.array([0, 1, 1]),))), budget=make_budget(1))
    >>> both = LinearQueries.cells(Marginal.of(0), domain)
    >>> question = QuantileOfErrors(queries=[both], guesses=np.array([0.0, 2.0]), rank=2)
    >>> curator.ask(question, share=Fraction(1, 2)).noise.scale
    Fraction(2, 1)
    """

    queries: Sequence[LinearQueries]
    guesses: Floats
    rank: int
    what: str = "how far answers are off"

    def free_answer(self, facts: PublicFacts) -> None:
        """Never public."""
        _refuse_guesses(self.queries, self.guesses)
        if not 1 <= self.rank <= len(self.guesses):
            raise InternalError("A rank must be that of some answer.")

    def price(self, facts: PublicFacts, share: Fraction) -> Price:
        """Noise for a number that moves no further than the distance that moves most."""
        grid, moved = distance_moved(self.queries, facts.terms)
        sensitivity = Sensitivity.of_number(moved)
        mechanism = facts.noise_for(share, sensitivity)
        return Price(
            mechanism=mechanism,
            sensitivity=facts.terms.budget.norm(_in_counts(sensitivity, grid)),
            touches=((_held(self.queries, facts), share),),
            n_tables=1,
            noise=_noise_in_counts(mechanism.noise, grid),
        )

    def count(self, rows: PrivateRows, facts: PublicFacts) -> Counted:
        """The exact distance of this rank."""
        distances = _distances(self.queries, self.guesses, rows)
        return Counted([np.partition(distances, self.rank - 1)[self.rank - 1 : self.rank]])

    def answer(self, noisy: list[Counts], price: Price, facts: PublicFacts) -> NoisyAnswers:
        """One number."""
        grid, _ = grid_of(self.queries)
        assert isinstance(price.mechanism, AddNoise)
        return NoisyAnswers(values=noisy[0] / grid, noise=price.mechanism.noise, grid=grid)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WorstTable:
    """Which table is likely to be worth measuring: far from its guess, beyond what noise would add, and much wanted.

    A table's value is its weight, in 64ths and at most 1, times its L1 distance from a public guess (all tables' cells
    in one row), less a public penalty (proof.md, section 12).

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget, open_curator
    >>> from understudy.schema import Attribute, Domain
    >>> from understudy.tables import Table
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="smokes", size=2)))
    >>> table = Table(domain, (np.array([0, 1, 1]), np.array([0, 0, 1])))
    >>> curator = open_curator(MemoryCounter(table), budget=make_budget(1))
    >>> question = WorstTable(marginals=(Marginal.of(0), Marginal.of(1)), guesses=np.array([3, 0, 2, 1]),
    ...                       weights=(64, 32), penalties=(1, 1))
    >>> curator.ask(question, share=Fraction(1, 2)) in (0, 1)
    True
    """

    marginals: tuple[Marginal, ...]
    guesses: Counts
    weights: Sequence[int]
    penalties: Sequence[int]
    what: str = "table to measure"

    def free_answer(self, facts: PublicFacts) -> int | None:
        """A single candidate is no choice."""
        lengths = [marginal.n_cells(facts.domain) for marginal in self.marginals]
        if self.guesses.shape != (sum(lengths),) or self.guesses.dtype != np.int64 or not lengths:
            raise InternalError("A guess needs one whole number for each cell of the tables.")
        if not all(1 <= weight <= WEIGHT_PARTS for weight in self.weights):
            raise InternalError("Weights of tables are 64ths, above 0 and at most 1.")
        far = float(np.abs(self.guesses.astype(np.float64)).sum()) + max(map(abs, self.penalties))
        if far * WEIGHT_PARTS >= _ROOM // 4:
            raise InternalError("A guess is so far from any count that its distance would not fit 64 bits.")
        return 0 if len(lengths) == 1 else None

    def price(self, facts: PublicFacts, share: Fraction) -> Price:
        """A choice by distances, each of which a unit moves either way by as much as a table of counts."""
        sensitivity = 2 * facts.terms.table_sensitivity.l1 * Fraction(max(self.weights), WEIGHT_PARTS)
        return Price(
            mechanism=facts.choice_for(share, sensitivity),
            sensitivity=sensitivity,
            touches=((frozenset[int]().union(*map(facts.sources, self.marginals)), share),),
            n_candidates=len(self.marginals),
        )

    def count(self, rows: PrivateRows, facts: PublicFacts) -> Counted:
        """The exact values, in 64ths."""
        lengths = [marginal.n_cells(facts.domain) for marginal in self.marginals]
        distances = np.abs(rows.cells(self.marginals) - self.guesses)
        by_table = np.add.reduceat(distances, np.cumsum([0, *lengths[:-1]]))
        values = (by_table - np.array(self.penalties, dtype=np.int64)) * np.array(self.weights, dtype=np.int64)
        return Counted([values], scale=WEIGHT_PARTS)

    def answer(self, noisy: list[Counts], price: Price, facts: PublicFacts) -> int:
        """The index of the chosen one."""
        return int(noisy[0][0])


def distance_moved(queries: Sequence[LinearQueries], terms: PrivacyTerms) -> tuple[int, Fraction]:
    """The grid, and most that one unit moves any distance between an answer and a guess, in steps of it.

    >>> from understudy.privacy import make_budget
    >>> from understudy.schema import Attribute, Domain
    >>> ages = LinearQueries.cells(Marginal.of(0), Domain((Attribute(name="age", size=9),)))
    >>> distance_moved([ages], PrivacyTerms(budget=make_budget(1)))
    (1, Fraction(1, 1))
    """
    grid, rounding = grid_of(queries)
    of_row = Sensitivity.of_number(max(batch.largest for batch in queries))
    return grid, grid * terms.of_unit(of_row).l1 + rounding


def _in_counts(sensitivity: Sensitivity, grid: int) -> Sensitivity:
    return Sensitivity(l1=sensitivity.l1 / grid, l2_squared=sensitivity.l2_squared / grid**2)


def _noise_in_counts(noise: NoiseLevel, grid: int) -> NoiseLevel:
    """For the statement: b over the grid, or σ² over its square."""
    return NoiseLevel(kind=noise.kind, scale=noise.scale / (grid if noise.kind == "laplace" else grid**2))


def _held(queries: Sequence[LinearQueries], facts: PublicFacts) -> frozenset[int]:
    return frozenset[int]().union(*(facts.sources(batch.marginal) for batch in queries))


def _refuse_guesses(queries: Sequence[LinearQueries], guesses: Floats) -> None:
    if guesses.shape != (sum(map(len, queries)),) or not len(guesses) or not np.isfinite(guesses).all():
        raise InternalError("A guess needs one finite number for each query.")


def _distances(queries: Sequence[LinearQueries], guesses: Floats, rows: PrivateRows) -> Counts:
    """Distances of exact answers from guesses, both times the denominators, brought to the grid."""
    grid, _ = grid_of(queries)
    ends = np.cumsum([0, *map(len, queries)])
    found = []
    for batch, low, high in zip(queries, ends[:-1], ends[1:], strict=True):
        guessed = np.rint(np.clip(guesses[low:high], -(2.0**31), 2.0**31) * batch.denominators).astype(np.int64)
        found.append(_scaled(np.abs(rows.totals(batch) - guessed), batch, grid))
    return np.concatenate(found)


def _scaled(totals: Counts, batch: LinearQueries, grid: int) -> Counts:
    if int(np.abs(totals).max(initial=0)) >= _ROOM // grid:
        raise InternalError("A weighted count would not fit 64 bits.")
    scaled: Counts = totals * grid // batch.denominators
    return scaled
