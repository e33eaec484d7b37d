"""How the adaptive method divides its budget: settled from schema, number of rows and budget before it is spent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from understudy.methods._settings import LARGEST_NOISE
from understudy.privacy import PrivacyTerms, Sensitivity
from understudy.schema import Domain

ROWS_SHARE, PURE_ROWS_SHARE = Fraction(3, 100), Fraction(1, 200)
"""For the number of rows, where that is private. Under pure ε the tables of single columns tell it as well; with a δ
they are measured without their totals."""

MOST_ROUNDS = 400
"""A round takes some hundredths of a second, and tables of very many columns would have thousands."""

_DROWNING = 0.2  # of a column's total variation distance, if all of the budget went to columns
MEAN_ABS = math.sqrt(2 / math.pi)  # of a normal number of variance 1
_FINENESS = 1 << 48
_USEFUL = 1.15  # times the number of tables of average size whose noise would be about as large as their counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """Parts of the whole budget: `columns` those of tables of single columns. `choosing` is a part of a round."""

    rows: Fraction
    columns: tuple[Fraction, ...]
    rounds: int
    choosing: float

    @property
    def relations(self) -> Fraction:
        """What is left for relations between columns."""
        return 1 - self.rows - sum(self.columns, Fraction(0))


def exact_share(share: float) -> Fraction:
    """A share as a fraction that is quick to reckon with, rounded down.

    >>> exact_share(0.25)
    Fraction(1, 4)
    """
    return Fraction(math.floor(share * _FINENESS), _FINENESS)


def divide(domain: Domain, n: int, terms: PrivacyTerms, *, rounds: int | None) -> Shares:
    """The shares of a run."""
    rows = Fraction(0) if terms.public_rows else PURE_ROWS_SHARE if terms.budget.pure else ROWS_SHARE
    sizes = [attribute.size for attribute in domain]
    weights = size_weights(sizes)
    varied = sum(size > 1 for size in sizes)
    surely = _surely(n, rows, terms)
    hopeless = rounds is None and varied > 1 and _hopeless(sizes, surely, terms)
    part = 1.0 if varied < 2 or hopeless else part_for_columns(sizes, surely, terms)
    columns = [exact_share(part * float(1 - rows) * weight) for weight in weights]
    if varied and part == 1.0:  # there is nothing else to spend it on: all of it, whatever rounding left
        columns[int(weights.argmax())] += 1 - rows - sum(columns, Fraction(0))
    columns = [share if size > 1 else Fraction(0) for share, size in zip(columns, sizes, strict=True)]
    return Shares(
        rows=rows,
        columns=tuple(columns),
        rounds=rounds or _rounds(sizes, surely, terms, part),
        choosing=0.06 if not terms.budget.pure else 0.3,
    )


def _surely(n: int, share: Fraction, terms: PrivacyTerms) -> int:
    """So many rows there are almost surely, where their number was measured."""
    if not share:
        return n
    noise = terms.budget.noise_for(share, terms.of_unit(Sensitivity.of_number(Fraction(1))))
    return max(1, n - round(2 * math.sqrt(min(noise.variance, LARGEST_NOISE**2))))


def _hopeless(sizes: Sequence[int], n: int, terms: PrivacyTerms) -> bool:
    """Whether single columns alone would drown in noise: then relations are left out, unless rounds are asked for."""
    if terms.budget.pure:
        return _radius(sizes, n, terms) > 2 * _DROWNING
    return columns_error(sizes, n, terms) > _DROWNING


def _radius(sizes: Sequence[int], n: int, terms: PrivacyTerms) -> float:
    """All columns in one draw under pure ε: the radius of its noise over the number of rows."""
    return (sum(size - 1 for size in sizes) + 1) * terms.unit.counted / (float(terms.budget.epsilon) * max(n, 1))


def size_weights(sizes: Sequence[int]) -> npt.NDArray[np.float64]:
    """Parts for tables of these sizes that give the least error in all: error grows as size × noise.

    Minimising Σ k·σ with Σ 1/σ² fixed gives 1/σ² ∝ k^(2/3).

    >>> size_weights([8, 1, 8]).round(6).tolist()
    [0.5, 0.0, 0.5]
    """
    weights = np.array([size ** (2 / 3) if size > 1 else 0.0 for size in sizes])
    return weights / weights.sum() if weights.any() else np.ones(len(sizes)) / max(len(sizes), 1)


def part_for_columns(sizes: Sequence[int], n: int, terms: PrivacyTerms) -> float:
    """What tables of single columns get of the budget, where relations are measured too."""
    if terms.budget.pure:
        return float(np.clip(math.sqrt(2 * _radius(sizes, n, terms) / 0.1), 0.15, 0.6))
    error = columns_error(sizes, n, terms)
    return float(np.clip(max(0.05, (error / 0.1) ** (2 / 3)) + 0.18, 0.2, 0.5))


def columns_error(sizes: Sequence[int], n: int, terms: PrivacyTerms) -> float:
    """The mean error of tables of single columns, by total variation, if they got the whole budget."""
    whole = min(terms.table_noise(Fraction(1)).variance, LARGEST_NOISE**2)
    errors = [
        min(1.0, size * MEAN_ABS * math.sqrt(whole / weight) / (2 * max(n, 1)))
        for size, weight in zip(sizes, size_weights(sizes), strict=True)
        if size > 1
    ]
    return float(np.mean(errors))


def _rounds(sizes: Sequence[int], n: int, terms: PrivacyTerms, part: float) -> int:
    """How many relations are measured; under pure ε a forecast, as long as columns are not known."""
    varied = sum(size > 1 for size in sizes)
    if not terms.budget.pure or varied < 2:
        return default_rounds(varied, float(terms.budget.epsilon))
    return pure_rounds(sizes, n / terms.unit.counted, terms, 1 - part)


def pure_rounds(sizes: Sequence[int], rows: float, terms: PrivacyTerms, left: float) -> int:
    """How many relations can stand out of noise under pure ε, where costs add up faster, for what is left.

    >>> from understudy.privacy import make_budget
    >>> terms = PrivacyTerms(budget=make_budget(1))
    >>> pure_rounds([6, 2, 8, 6], 6000.0, terms, 0.5), pure_rounds([6, 2, 8, 6], 600.0, terms, 0.5)
    (8, 3)
    """
    varied = [size for size in sizes if size > 1]
    pairs = (sum(varied) ** 2 - sum(size**2 for size in varied)) / (len(varied) * (len(varied) - 1))
    spent = max(rows, 1.0) * float(terms.budget.epsilon) * left
    useful = _USEFUL * math.sqrt(spent / (2 * max(pairs - 1, 1.0)))
    return max(1, round(min(useful, 40.0, 2.5 * len(varied))))


def default_rounds(columns: int, epsilon: float) -> int:
    """How many relations are measured: some for each column, more at a larger budget.

    >>> default_rounds(15, 0.4), default_rounds(15, 100.0), default_rounds(1, 1.0)
    (50, 75, 4)
    """
    each = min(5.0, max(2.0, 3.3 * math.pow(epsilon / 0.4, 0.2)))
    return max(1, min(round(columns * each), MOST_ROUNDS))
