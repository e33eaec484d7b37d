"""What the adaptive method will measure, with how much noise: from schema, number of rows and budget."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from understudy.methods._adaptive_allot import allot
from understudy.methods._adaptive_parities import first_shares
from understudy.methods._adaptive_pure import first_share
from understudy.methods._adaptive_screen import how_many
from understudy.methods._adaptive_shares import Shares, exact_share
from understudy.methods._forecast import Measures
from understudy.methods._plan import baseline_seconds
from understudy.privacy import Neighbours, PrivacyTerms, TablesTogether, parities_sensitivity
from understudy.schema import Domain, Marginal

Floats = npt.NDArray[np.float64]

_COLUMNS_IN_ALL, _PAIRS_IN_ALL = 0.2, 0.7  # of the budget of two-valued columns, second step included, on the average
_SECONDS_OF_PARITIES, _SECONDS_OF_COLUMN, _SECONDS_OF_SQUARE = 1.2, 0.02, 1e-4
_SECONDS_OF_ROUND, _SECONDS_OF_PAIR, _LOOKED_AT = 0.012, 1.1e-5, 3000
_SECONDS_OF_ROW, _SECONDS_OF_ROW_AND_PAIR = 1.3e-7, 1.15e-9  # once rows are fitted
_IN_A_TREE = 100_000
"""Cells of a domain that one table of a tree can hold: then no rows are fitted."""
_SIGN = 0.6  # the mean of a two-valued column's signs that is supposed: four rows in five have the same value


def measures_of_rounds(domain: Domain, terms: PrivacyTerms, shares: Shares) -> Measures:
    """Of a run by rounds: columns first, then relations one by one."""
    sizes = np.array([attribute.size for attribute in domain], dtype=np.float64)
    varied = sizes[sizes > 1]
    if not shares.relations or len(varied) < 2:
        return Measures(columns=_columns(domain, terms, shares), pairs=0, pair_variance=lambda k, m: 0 * k * m)
    pure, pairs = terms.budget.pure, math.comb(len(varied), 2)
    mean = float((varied.sum() ** 2 - (varied**2).sum()) / (2 * pairs))
    # a round more than there are pairs measures one of them again
    each = float(shares.relations) / shares.rounds * max(1.0, shares.rounds / pairs) * (1 - shares.choosing)
    whole = terms.table_noise(Fraction(1)).variance

    def variance(k: Floats, m: Floats) -> Floats:
        weight = np.clip((k * m / max(mean, 1.0)) ** (0.5 if pure else 2 / 3), 0.1, 10)
        moved = left = (1 - 1 / k) * (1 - 1 / m)  # what is left of a table without its main effects
        if pure:
            return np.asarray(whole / (each * weight) ** 2 * left)
        if terms.neighbours is Neighbours.REPLACE_ONE:
            moved = left + np.maximum((1 - 1 / k) / m, (1 - 1 / m) / k)
        return np.asarray(whole / (each * weight) * moved * left)

    return Measures(columns=_columns(domain, terms, shares), pairs=min(shares.rounds, pairs), pair_variance=variance)


def _columns(domain: Domain, terms: PrivacyTerms, shares: Shares) -> tuple[float, ...]:
    """Standard deviations of the noise in cells of tables of one column."""
    varied = [a for a, attribute in enumerate(domain) if attribute.size > 1]
    found = [0.0] * len(domain)
    if terms.budget.pure and varied:
        share = sum((shares.columns[a] for a in varied), Fraction(0))
        together = TablesTogether(marginals=[Marginal.of(a) for a in varied])
        for a, level in zip(varied, together.levels(domain, terms, share), strict=True):
            found[a] = math.sqrt(level.variance)
        return tuple(found)
    for a in varied:
        left = 1 - 1 / domain[a].size  # of the noise, and where a row is added or removed of what it moves
        moved = left if terms.neighbours is Neighbours.ADD_REMOVE else 1.0
        whole = terms.table_noise(shares.columns[a]).variance if shares.columns[a] else math.inf
        found[a] = math.sqrt(whole * moved * left)
    return tuple(found)


def measures_of_parities(domain: Domain, n: int, terms: PrivacyTerms, rows: Fraction) -> Measures:
    """Of two-valued columns, whose relations are one number each: all pairs, or of very many some for each column."""
    d = sum(attribute.size == 2 for attribute in domain)
    pairs = how_many(domain) or math.comb(d, 2)
    if terms.budget.pure:
        of_column, of_pair, pairs = _pure_parities(domain, n, terms, rows, d)
    else:
        first = sum(map(float, first_shares(domain)))
        more = (1 - float(rows) - first) / max(1 - first, 1e-9)  # of what is left for the second step
        whole = _parity_noise(terms)
        of_column = whole * d / (_COLUMNS_IN_ALL * more)
        of_pair = whole * pairs / (_PAIRS_IN_ALL * more)
    columns = tuple(math.sqrt(of_column / 4) if attribute.size == 2 else 0.0 for attribute in domain)
    return Measures(columns=columns, pairs=pairs, pair_variance=_same(of_pair / 16))


def _same(variance: float) -> Callable[[Floats, Floats], Floats]:
    return lambda k, m: np.full(np.broadcast(k, m).shape, variance)


def _parity_noise(terms: PrivacyTerms) -> float:
    """The variance of one parity that got all of the budget; where odd rows are counted, that is half a parity."""
    whole = terms.budget.noise_for(Fraction(1), parities_sensitivity(terms, 1)).variance
    return float(whole) * (4 if terms.public_rows else 1)


def _pure_parities(domain: Domain, n: int, terms: PrivacyTerms, rows: Fraction, d: int) -> tuple[float, float, int]:
    """Variances of a column's parity and of a pair's, and how many pairs: as a run would choose for columns like that.

    So many numbers asked in one draw have noise spread evenly in a cube whose size grows with their number.
    """
    left = float(1 - rows)
    first = float(exact_share(float(first_share(domain)) * left))

    def variance(number: int, share: float) -> float:
        decay = float(terms.budget.epsilon) * share / float(parities_sensitivity(terms, 1).l1)
        return (number + 1) * (number + 2) / max(decay, 1e-150) ** 2 / 3 * (4 if terms.public_rows else 1)

    of_column, rest = variance(d, first), left - first
    squared = float(max(n, 1)) ** 2
    found = allot(np.full(d, _SIGN), of_column / squared, lambda number, part: variance(number, part * rest) / squared)
    if found.part < 1:
        again = variance(d, (1 - found.part) * rest)
        of_column = 1 / (1 / of_column + 1 / again)
    pairs = len(found.pairs)
    return of_column, variance(pairs, found.part * rest) if pairs else 0.0, pairs


def seconds_of_run(domain: Domain, n: int, measures: Measures, terms: PrivacyTerms, *, rounds: bool) -> float:
    """About how many CPU seconds a run takes, as they were measured on one machine (docs/planning.md)."""
    d = sum(attribute.size > 1 for attribute in domain)
    more = min(
        2.0, max(0.5, math.pow(float(terms.budget.epsilon), 0.15 if rounds else 0.3))
    )  # what a larger budget finds
    if not rounds:
        each = _SECONDS_OF_PARITIES if not terms.budget.pure else _SECONDS_OF_PARITIES / 2
        return baseline_seconds(n, len(domain)) + more * (each + _SECONDS_OF_COLUMN * d) + _SECONDS_OF_SQUARE * d * d
    looked_at = min(math.comb(d, 2), _LOOKED_AT)
    in_a_tree = domain.all_binary or math.prod(attribute.size for attribute in domain) <= _IN_A_TREE
    of_rows = 0.0 if in_a_tree else n * (_SECONDS_OF_ROW + _SECONDS_OF_ROW_AND_PAIR * looked_at)
    each = _SECONDS_OF_ROUND + _SECONDS_OF_PAIR * looked_at + of_rows
    return baseline_seconds(n, len(domain)) + more * measures.pairs * each
