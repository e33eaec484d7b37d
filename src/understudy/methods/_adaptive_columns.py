"""Tables of single columns: measured first, and what follows from them for everything after.

Values whose noisy count is within noise of nothing share one merged value: no relation of theirs could be told from
noise. Which they are follows from what was given out, so it costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from understudy.methods._adaptive_shares import Shares, exact_share, size_weights
from understudy.models import Within, project_to_simplex
from understudy.privacy import Curator, Interactions, Sensitivity, measure_together
from understudy.schema import Attribute, Domain, Marginal, Part, Recoding

Floats = npt.NDArray[np.float64]

_RARE = 3.0  # a count below so many standard deviations of its noise is rare


@dataclass(frozen=True, eq=False, kw_only=True)
class Column:
    """One column's noisy table over merged values, in rows; and how merged values are spelt out."""

    values: Floats
    variance: float
    within: Within | None

    @property
    def size(self) -> int:
        """Number of merged values."""
        return len(self.values)


@dataclass(frozen=True, eq=False, kw_only=True)
class Columns:
    """All columns, and the number of rows that they tell together."""

    columns: tuple[Column, ...]
    total: float

    def recoding(self, domain: Domain) -> Recoding:
        """The map of leaf values to merged ones."""
        lookups = [
            tuple(range(attribute.size)) if column.within is None else tuple(column.within.codes.tolist())
            for attribute, column in zip(domain, self.columns, strict=True)
        ]
        target = Domain(
            tuple(
                Attribute(name=attribute.name, size=column.size, sensitivity=attribute.sensitivity)
                for attribute, column in zip(domain, self.columns, strict=True)
            )
        )
        return Recoding(
            source=domain,
            target=target,
            parts=tuple(Part(source=a, lookup=lookup) for a, lookup in enumerate(lookups)),
            pieces=tuple((a,) for a in range(len(domain))),
            back=tuple(tuple(lookup.index(code) for code in range(max(lookup) + 1)) for lookup in lookups),
        )


def measure_again(curator: Curator, columns: Columns, share: Fraction) -> Columns:
    """Spend a share on all single columns once more, over their merged values, and take the mean of all that is known.

    The curator is one of the merged values.
    """
    weights = size_weights([column.size for column in columns.columns])
    shares = [exact_share(float(share) * weight) for weight in weights]
    varied = [a for a, column in enumerate(columns.columns) if column.size > 1]
    if not varied:
        return columns
    shares[varied[-1]] = share - sum((shares[a] for a in varied[:-1]), Fraction(0))
    found = list(columns.columns)
    for a, (table, variance) in zip(varied, _ask(curator, shares, varied, columns.total), strict=True):
        before = found[a]
        both = 1 / (1 / variance + 1 / before.variance) if min(variance, before.variance) > 0 else 0.0
        values = table if not both else both * (table / variance + before.values / before.variance)
        found[a] = replace(before, values=project_to_simplex(values, columns.total), variance=both)
    return Columns(columns=tuple(found), total=columns.total)


def measure_columns(curator: Curator, shares: Shares) -> Columns:
    """Ask for all single columns, and merge what is rare. A column of one value needs no asking."""
    rows = (curator.measure_rows(share=shares.rows) if shares.rows else curator.rows) / curator.terms.unit.parts
    varied = [a for a, attribute in enumerate(curator.domain) if attribute.size > 1]
    noisy = dict(zip(varied, _ask(curator, shares.columns, varied, rows), strict=True))
    total = _total(curator, rows, shares, list(noisy.values()))
    constant = Column(values=np.array([total]), variance=0.0, within=None)
    columns = tuple(_merge(*noisy[a], total) if a in noisy else constant for a in range(len(curator.domain)))
    return Columns(columns=columns, total=total)


def _ask(
    curator: Curator, shares: Sequence[Fraction], varied: Sequence[int], total: float
) -> list[tuple[Floats, float]]:
    """Noisy tables in rows, and the variance of the noise in a cell.

    With a δ they are measured without their totals, which one row moves less than whole tables, and get the total back.
    """
    what, parts = "tables of one column", curator.terms.unit.parts
    if curator.budget.pure:
        marginals = [Marginal.of(a) for a in varied]
        share = sum((shares[a] for a in varied), Fraction(0))
        found = measure_together(curator, marginals, share=share, what=what)
        return [(np.asarray(one.counts, dtype=np.float64) / parts, one.noise.variance / parts**2) for one in found]
    tables = []
    for a in varied:
        one = curator.ask(Interactions(marginal=Marginal.of(a), what=what), share=shares[a])
        left = 1 - 1 / one.values.size  # of the noise
        tables.append((one.values / parts + total / one.values.size, one.variance * left / parts**2))
    return tables


def _total(curator: Curator, rows: float, shares: Shares, tables: Sequence[tuple[Floats, float]]) -> float:
    """The number of rows: as public or measured; under pure ε what all tables tell of it, exact ones the more."""
    if not shares.rows or not curator.budget.pure:
        return max(1.0, rows)
    of_rows = curator.terms.of_unit(Sensitivity.of_number(Fraction(1)))
    noise = curator.budget.noise_for(shares.rows, of_rows).variance / curator.terms.unit.parts**2
    precise = np.array([1 / noise, *(1 / max(variance * len(table), 1e-12) for table, variance in tables)])
    told = np.array([rows, *(float(table.sum()) for table, _ in tables)])
    return max(1.0, float((precise * told).sum() / precise.sum()))


def _merge(table: Floats, variance: float, total: float) -> Column:
    """Two or more rare values become one."""
    spread = math.sqrt(variance)
    rare = table < _RARE * spread
    if rare.sum() < 2:
        return Column(values=project_to_simplex(table, total), variance=variance, within=None)
    kept = np.flatnonzero(~rare)
    codes = np.full(len(table), len(kept))
    codes[kept] = np.arange(len(kept))
    # shares of rare values: a little more than nothing for those that came out negative
    plausible = np.where(rare, np.maximum(table + spread / 2, spread / 10), 0.0)
    shares = np.ones(len(table))
    shares[rare] = plausible[rare] / plausible[rare].sum() if spread else 1 / rare.sum()
    values = np.append(table[kept], max(float(table[rare].sum()), spread / 2))
    return Column(values=project_to_simplex(values, total), variance=variance, within=Within(codes, shares))
