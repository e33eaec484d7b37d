"""How strongly columns hang together, pair by pair: mutual information, Cramér's V and Spearman's rank correlation.

With counts c of a pair's table, its sums r over rows and s over columns, and n in all:

- **Mutual information**: I = Σ (c/n) log₂(c·n / (r·s)) in bits; normalised 2·I / (H(X) + H(Y)), from 0 to 1. All codes.
- **Cramér's V**: √(χ²/n / (min(rows, columns) − 1)) over the rows and columns that occur, from 0 to 1. All codes.
- **Spearman**: the correlation of average ranks (ties share theirs), between ordered columns, from −1 to 1. Rows that
  have no place in either order (special values, missing) are left out.

All are plug-in estimates, none is corrected for its bias: small samples show some association where there is none. A
fresh sample has the same bias, so hold the synthetic table's number against that. A column with one value has no
association with any (0), and no rank correlation at all: such pairs of the real table are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import log2, sqrt
from typing import Literal, TypeAlias

import numpy as np
import pyarrow as pa

from understudy.counting import open_counter
from understudy.evaluation._matrices import AssociationMatrices
from understudy.evaluation._measure import ASSOCIATIONS_GROUP, Direction, MeasureInput, Need
from understudy.evaluation._pair import Pair, Progress
from understudy.evaluation._reference import References
from understudy.evaluation._result import MeasureResult
from understudy.evaluation._scales import Flags, Floats, Ints, Scale, scales_of
from understudy.evaluation._summary import not_measured, over_tables
from understudy.evaluation._verdict import HANDFUL, number, off_by
from understudy.schema import Marginal
from understudy.tables import Table

AssociationName: TypeAlias = Literal["mutual information", "mutual information (bits)", "Cramér's V", "Spearman"]
ASSOCIATIONS: tuple[AssociationName, ...] = ("mutual information", "Cramér's V", "Spearman")
_BATCH_CELLS = 1 << 22
_LARGEST = 1 << 22
_MEASURES = {
    "mutual information": "average difference of mutual information over mean entropy, not bias-corrected",
    "Cramér's V": "average difference of Cramér's V, not bias-corrected",
    "Spearman": "average difference of Spearman's rank correlation between ordered columns",
}
_MATRICES: dict[AssociationName, tuple[AssociationName, ...]] = {
    "mutual information": ("mutual information", "mutual information (bits)"),
    "Cramér's V": ("Cramér's V",),
    "Spearman": ("Spearman",),
}
_SAID = {
    "mutual information": "Mutual information",
    "Cramér's V": "Strength of association (Cramér's V)",
    "Spearman": "Rank correlation (Spearman)",
}


def measure_associations(
    pair: Pair, references: References, *, progress: Progress | None = None
) -> list[MeasureResult]:
    """Whether pairs of columns hang together as they do in the real table: three results, with their matrices.

    >>> import pyarrow as pa
    >>> from understudy.evaluation import make_references, read_pair
    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": name, "type": "boolean"} for name in "ab"]})
    >>> same = {"a": [True, False] * 50, "b": [True, False] * 50}
    >>> opposite = {"a": [True, False] * 50, "b": [True, True, False, False] * 25}
    >>> pair = read_pair(pa.table(same), pa.table(opposite), schema)
    >>> found = measure_associations(pair, make_references(pair))
    >>> [(one.name, one.value) for one in found]
    [('mutual information', 1.0), ("Cramér's V", 1.0), ('Spearman', nan)]
    """
    scales = scales_of(pair)
    tables = [pair.real, *pair.synthetic, references.fresh_sample, references.independent_columns]
    found: list[dict[AssociationName, Floats]] = []
    for done, table in enumerate(tables):
        if progress is not None:
            progress("associations", done, len(tables))
        found.append(_all_pairs(table, scales))
    real, *synthetic, fresh, independent = found
    return [
        replace(
            _result(name, pair, scales, real, synthetic, fresh, independent),
            matrices=tuple(_matrices(one, scales, real[one], synthetic[0][one]) for one in _MATRICES[name]),
        )
        for name in ASSOCIATIONS
    ]


class ColumnAssociations:
    """Whether pairs of columns hang together as they do in the real table."""

    name = "associations"
    group = ASSOCIATIONS_GROUP
    direction: Direction = "less"
    synonym = None
    needs: frozenset[Need] = frozenset()

    def compute(self, given: MeasureInput) -> Sequence[MeasureResult]:
        """What it finds."""
        return measure_associations(given.pair, given.references, progress=given.progress)


COLUMN_ASSOCIATIONS = ColumnAssociations()


def _matrices(name: AssociationName, scales: Sequence[Scale], real: Floats, synthetic: Floats) -> AssociationMatrices:
    kept = [i for i, scale in enumerate(scales) if name != "Spearman" or scale.ordered]
    block = np.ix_(kept, kept)
    return AssociationMatrices(
        name=name, names=tuple(scales[i].name for i in kept), real=real[block].copy(), synthetic=synthetic[block].copy()
    )


def _result(
    name: AssociationName,
    pair: Pair,
    scales: Sequence[Scale],
    real: dict[AssociationName, Floats],
    synthetic: Sequence[dict[AssociationName, Floats]],
    fresh: dict[AssociationName, Floats],
    independent: dict[AssociationName, Floats],
) -> MeasureResult:
    question = "Do pairs of columns hang together as they should?"
    pairs = [(i, j) for i, j in combinations(range(len(scales)), 2) if np.isfinite(real[name][i, j])]
    if not pairs:
        why = "it needs two columns of the real table" + (" with an order" if name == "Spearman" else "")
        return not_measured(
            COLUMN_ASSOCIATIONS, name, question, definition=_MEASURES[name], why=f"{why} that are not constant"
        )
    at = tuple(np.array(pairs).T)

    def gaps(found: dict[AssociationName, Floats]) -> Floats:
        # A constant column has no rank correlation, which is as good as one of zero.
        return np.asarray(np.abs(np.nan_to_num(found[name][at]) - real[name][at]), dtype=np.float64)

    first = gaps(synthetic[0])
    value, interval = over_tables([float(gaps(one).mean()) for one in synthetic])
    low, high = float(gaps(fresh).mean()), float(gaps(independent).mean())
    steady = _steady(name, pair, scales)
    solid = np.array([steady[i] and steady[j] for i, j in pairs])
    order = np.lexsort((-first, ~solid))
    worst = int(order[0])
    columns = tuple(pair.names[i] for i in pairs[worst])
    details = _details(name, pair, pairs, real, synthetic[0], first, gaps(fresh), gaps(independent))
    possible = sum(s.ordered for s in scales) if name == "Spearman" else len(scales)
    of = possible * (possible - 1) // 2
    return MeasureResult(
        COLUMN_ASSOCIATIONS,
        name,
        question,
        definition=_MEASURES[name],
        value=value,
        score=1 - value / (2 if name == "Spearman" else 1),
        verdict=off_by(
            f"{_SAID[name]} of pairs of columns", value, (columns, float(first[worst])), low, high, shown=number
        ),
        from_zero=True,
        fresh_sample=low,
        independent_columns=high,
        scope=f"all {len(pairs)} pairs" if len(pairs) == of else f"{len(pairs)} of {of} pairs: the others are constant",
        worst=(columns, float(first[worst])),
        interval=interval,
        details=details.take(pa.array(order)),
        unit="number",
    )


def _steady(name: AssociationName, pair: Pair, scales: Sequence[Scale]) -> Flags:
    """Columns in which no mere handful of real rows differ from all others. Ties of the rest are not called worst: they
    rest on few rows, which a fresh sample may miss."""
    found = []
    for column, scale in zip(pair.real.columns, scales, strict=True):
        counts = np.bincount(column, minlength=scale.size)
        counted = counts[scale.places >= 0] if name == "Spearman" else counts
        found.append(int(counted.sum()) - int(counted.max(initial=0)) >= HANDFUL)
    return np.array(found)


def _details(
    name: AssociationName,
    pair: Pair,
    pairs: Sequence[tuple[int, int]],
    real: dict[AssociationName, Floats],
    synthetic: dict[AssociationName, Floats],
    gaps: Floats,
    fresh: Floats,
    independent: Floats,
) -> pa.Table:
    at = tuple(np.array(pairs).T)
    columns = {
        "column_1": [pair.names[i] for i, _ in pairs],
        "column_2": [pair.names[j] for _, j in pairs],
        "real": real[name][at],
        "synthetic": np.nan_to_num(synthetic[name][at]),
        "difference": gaps,
        "fresh_sample": fresh,
        "independent_columns": independent,
    }
    if name == "mutual information":
        columns |= {"real_bits": real["mutual information (bits)"][at]}
        columns |= {"synthetic_bits": synthetic["mutual information (bits)"][at]}
    return pa.table(columns)


@dataclass(frozen=True, eq=False)
class _Cells:
    """The occupied cells of a two-way table."""

    rows: Ints
    columns: Ints
    counts: Floats


def _all_pairs(table: Table, scales: Sequence[Scale]) -> dict[AssociationName, Floats]:
    d, n = len(scales), table.n
    sums = [
        np.bincount(column, minlength=s.size).astype(np.float64)
        for column, s in zip(table.columns, scales, strict=True)
    ]
    entropy = np.array([log2(n) - _n_log_n(one) / n for one in sums])
    found: dict[AssociationName, Floats] = {
        "mutual information": np.diag((entropy > 0).astype(np.float64)),
        "mutual information (bits)": np.diag(entropy),
        "Cramér's V": np.diag(np.array([float((one > 0).sum() > 1) for one in sums])),
        "Spearman": np.full((d, d), np.nan),
    }
    np.fill_diagonal(found["Spearman"], [1.0 if s.ordered else np.nan for s in scales])
    for (i, j), cells in _two_way(table):
        bits = max(0.0, (_n_log_n(cells.counts) - _n_log_n(sums[i]) - _n_log_n(sums[j])) / n + log2(n))
        both = entropy[i] + entropy[j]
        found["mutual information (bits)"][i, j] = bits
        found["mutual information"][i, j] = min(1.0, 2 * bits / both) if both > 0 else 0.0
        found["Cramér's V"][i, j] = _cramers_v(cells, sums[i], sums[j])
        if scales[i].ordered and scales[j].ordered:
            found["Spearman"][i, j] = _spearman(cells, scales[i].places, scales[j].places)
    for matrix in found.values():
        lower = np.tril_indices(d, -1)
        matrix[lower] = matrix.T[lower]
    return found


def _two_way(table: Table) -> Iterator[tuple[tuple[int, int], _Cells]]:
    """Every pair of columns with its occupied cells. Very wide tables are counted by sorting, not cell by cell."""
    counter = open_counter(table)
    batch: list[tuple[int, int]] = []
    cells = 0
    pairs = list(combinations(range(len(table.domain)), 2))
    for place, (i, j) in enumerate(pairs):
        size = table.domain[i].size * table.domain[j].size
        if size > _LARGEST:
            yield (i, j), _sorted_cells(table, i, j)
        else:
            batch.append((i, j))
            cells += size
        if batch and (cells > _BATCH_CELLS or place == len(pairs) - 1):
            for one, counts in zip(batch, counter.count([Marginal.of(*p) for p in batch]), strict=True):
                rows, columns = np.nonzero(counts)
                yield one, _Cells(rows, columns, counts[rows, columns].astype(np.float64))
            batch, cells = [], 0


def _sorted_cells(table: Table, i: int, j: int) -> _Cells:
    width = table.domain[j].size
    keys, counts = np.unique(table.columns[i].astype(np.int64) * width + table.columns[j], return_counts=True)
    return _Cells(keys // width, keys % width, counts.astype(np.float64))


def _n_log_n(counts: Floats) -> float:
    occupied = counts[counts > 0]
    return float((occupied * np.log2(occupied)).sum())


def _cramers_v(cells: _Cells, rows: Floats, columns: Floats) -> float:
    freedom = min(int((rows > 0).sum()), int((columns > 0).sum())) - 1
    if freedom < 1:
        return 0.0
    ratio: float = float((cells.counts**2 / (rows[cells.rows] * columns[cells.columns])).sum()) - 1
    return min(1.0, sqrt(max(0.0, ratio / freedom)))


def _spearman(cells: _Cells, row_places: Ints, column_places: Ints) -> float:
    x, y = row_places[cells.rows], column_places[cells.columns]
    both = (x >= 0) & (y >= 0)
    if not both.any():
        return float("nan")
    x, y, counts = x[both], y[both], cells.counts[both]
    ranks_x, spread_x = _centred_ranks(x, counts)
    ranks_y, spread_y = _centred_ranks(y, counts)
    if spread_x <= 0 or spread_y <= 0:
        return float("nan")
    return float(np.clip((counts * ranks_x[x] * ranks_y[y]).sum() / (spread_x * spread_y) ** 0.5, -1, 1))


def _centred_ranks(places: Ints, counts: Floats) -> tuple[Floats, float]:
    """The average rank of each place minus the mean of all ranks, and the sum of their squares over rows."""
    totals = np.bincount(places, weights=counts)
    ranks = np.cumsum(totals) - (totals + totals.sum()) / 2
    return ranks, float((totals * ranks**2).sum()) if (totals > 0).sum() > 1 else 0.0
