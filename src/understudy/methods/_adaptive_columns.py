"""Tables of single columns: measured first, and what follows from them for everything after.

Values whose noisy count is within noise of nothing share one merged value: no relation of theirs could be told from
noise. Which they are follows from what was given out, so it costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from understudy.methods._adaptive_rules import classes_of
from understudy.methods._adaptive_shares import MEAN_ABS, Shares, exact_share, size_weights
from understudy.methods._adaptive_shrink import parts_of_rare
from understudy.models import Within, project_to_simplex
from understudy.privacy import Curator, Interactions, Sensitivity, measure_together
from understudy.schema import Attribute, Domain, Marginal, Part, Recoding, Zeros

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_RARE = 3.0  # a count below so many standard deviations of its noise is rare


@dataclass(frozen=True, eq=False, kw_only=True)
class Column:
    """One column's noisy table of leaf values, in rows; `codes` are the merged ones, None if nothing is merged."""

    leaves: Floats
    variance: float
    share: float
    codes: Ints | None
    total: float

    @cached_property
    def values(self) -> Floats:
        """The table over merged values, as near as there is one that counts rows."""
        if self.codes is None:
            return project_to_simplex(self.leaves, self.total)
        merged: Floats = np.bincount(self.codes, weights=self.leaves).astype(np.float64)
        shared = np.bincount(self.codes) > 1
        merged[shared] = np.maximum(merged[shared], math.sqrt(self.variance) / 2)
        return project_to_simplex(merged, self.total)

    @cached_property
    def within(self) -> Within | None:
        """How merged values are spelt out: in the parts that their noisy counts suggest."""
        if self.codes is None:
            return None
        shares = np.ones(len(self.leaves))
        for code in np.flatnonzero(np.bincount(self.codes) > 1):
            rare = self.codes == code
            shares[rare] = parts_of_rare(float(self.values[code]), self.leaves[rare], self.variance)
        return Within(self.codes, shares)

    @cached_property
    def counts(self) -> Floats:
        """The table over leaf values, as near as there is one that counts rows."""
        return project_to_simplex(self.leaves, self.total)

    @property
    def size(self) -> int:
        """Number of merged values."""
        return len(self.values)

    def in_order(self, leaves: int) -> int:
        """How many merged values come first in the order that so many first leaf values have."""
        if self.codes is None:
            return leaves
        return int((np.bincount(self.codes)[self.codes[:leaves]] == 1).sum())

    def apart(self, classes: Ints) -> Column:
        """With rare values merged only where they are of one class."""
        return replace(self, codes=_merged_codes(self.leaves, self.variance, classes))

    def again(self, leaves: Floats, variance: float, share: float) -> Column:
        """With one more measurement, each counting for its exactness."""
        if not min(variance, self.variance) > 0:
            return replace(self, leaves=leaves, variance=0.0, share=self.share + share)
        both = 1 / (1 / variance + 1 / self.variance)
        mean = both * (leaves / variance + self.leaves / self.variance)
        return replace(self, leaves=mean, variance=both, share=self.share + share)

    def gain(self, share: float) -> float:
        """By how much the expected error, all cells summed, falls if the column gets so much more of the budget."""
        if not self.share:
            return 0.0
        now = MEAN_ABS * math.sqrt(self.variance)
        then = now * math.sqrt(self.share / (self.share + share))
        return float((np.minimum(now, self.counts) - np.minimum(then, self.counts)).sum())


@dataclass(frozen=True, eq=False, kw_only=True)
class Columns:
    """All columns, and the number of rows that they tell together."""

    columns: tuple[Column, ...]
    total: float

    def keeping(self, zeros: Sequence[Zeros]) -> Columns:
        """With no values merged that some rule tells apart."""
        found = list(self.columns)
        for a in {a for one in zeros for a in one.attributes}:
            classes = classes_of(a, len(found[a].leaves), zeros)
            if classes is not None:
                found[a] = found[a].apart(classes)
        return Columns(columns=tuple(found), total=self.total)

    def recoding(self, domain: Domain) -> Recoding:
        """The map of leaf values to merged ones."""
        lookups = [
            tuple(range(attribute.size)) if column.codes is None else tuple(column.codes.tolist())
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
    """Spend a share on all single columns once more."""
    varied = [a for a, column in enumerate(columns.columns) if len(column.leaves) > 1]
    if not varied or not share:
        return columns
    shares = again_shares(columns, share)
    found = list(columns.columns)
    for a, (table, variance) in zip(varied, _ask(curator, shares, varied, columns.total), strict=True):
        found[a] = found[a].again(table, variance, float(shares[a]))
    return Columns(columns=tuple(found), total=columns.total)


def again_shares(columns: Columns, share: Fraction) -> list[Fraction]:
    """How one more share is divided over single columns."""
    weights = size_weights([len(column.leaves) for column in columns.columns])
    shares = [exact_share(float(share) * weight) for weight in weights]
    largest = int(weights.argmax())
    shares[largest] += share - sum(shares, Fraction(0))
    return shares


def measure_columns(curator: Curator, shares: Shares) -> Columns:
    """Ask for all single columns, and merge what is rare. A column of one value needs no asking."""
    rows = (curator.measure_rows(share=shares.rows) if shares.rows else curator.rows) / curator.terms.unit.parts
    varied = [a for a, attribute in enumerate(curator.domain) if attribute.size > 1]
    noisy = dict(zip(varied, _ask(curator, shares.columns, varied, rows), strict=True))
    total = _total(curator, rows, shares, list(noisy.values()))
    constant = Column(leaves=np.array([total]), variance=0.0, share=0.0, codes=None, total=total)
    columns = tuple(
        _merge(*noisy[a], float(shares.columns[a]), total) if a in noisy else constant
        for a in range(len(curator.domain))
    )
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
    precise = np.array([1 / max(noise, 1e-12), *(1 / max(variance * len(table), 1e-12) for table, variance in tables)])
    told = np.array([rows, *(float(table.sum()) for table, _ in tables)])
    return max(1.0, float((precise * told).sum() / precise.sum()))


def _merge(table: Floats, variance: float, share: float, total: float) -> Column:
    codes = _merged_codes(table, variance, np.zeros(len(table), dtype=np.int64))
    return Column(leaves=table, variance=variance, share=share, codes=codes, total=total)


def _merged_codes(table: Floats, variance: float, classes: Ints) -> Ints | None:
    """Two or more rare values of a class become one, and come after all others; None if nothing is merged.

    >>> _merged_codes(np.array([1.0, 90.0, 2.0, 0.0, 3.0]), 4.0, np.array([0, 0, 1, 1, 0])).tolist()
    [1, 0, 2, 2, 1]
    """
    rare = table < _RARE * math.sqrt(variance)
    shared = rare & (np.bincount(classes, weights=rare)[classes] >= 2)
    if not shared.any():
        return None
    codes = np.cumsum(~shared) - 1
    codes[shared] = int((~shared).sum()) + np.unique(classes[shared], return_inverse=True)[1].reshape(-1)
    return np.asarray(codes, dtype=np.int64)
