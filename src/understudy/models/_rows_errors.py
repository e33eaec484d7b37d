"""How far noise may have moved what rows with weights answer: weights fitted again to tables with redrawn noise.

As `_tree_errors` does it for junction trees. Which rows there are stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Streams
from understudy.models._inference import Floats, Ints
from understudy.models._rows_values import WeightedRows
from understudy.models._rowsfit import Codes, RowsFit, choose_rows
from understudy.models._tree_values import TreeMeasurement, Within, rows_measured
from understudy.models._treefit import FittedTable
from understudy.models._uncertainty import REPLICATES
from understudy.models._within_errors import RIDGE, redrawn_table, redrawn_within

_SWEEPS = 2
_MOST_ROWS = 1 << 17  # of more, so many are chosen by weight


@dataclass(frozen=True, eq=False)
class Redrawn:
    """Weights as they might have come out under other noise, of the rows of these numbers; `start` are those as is.

    `within`: how merged values might be spelt out then, for each of the weights.
    """

    rows: Ints
    start: Floats
    weights: tuple[npt.NDArray[np.float32], ...]
    within: tuple[tuple[Within | None, ...], ...]


def redrawn_weights(
    rows: WeightedRows, measurements: tuple[TreeMeasurement, ...], n: int, within: Sequence[Within | None] = ()
) -> Redrawn | None:
    """Weights under redrawn noise; None if nothing is known of the noise. `n` may count parts of rows.

    >>> rows = WeightedRows((2,), np.array([[0, 1]], dtype=np.uint16), np.array([0.25, 0.75]))
    >>> noisy = TreeMeasurement(marginal=(0,), values=np.array([24.0, 77.0]), variance=4.0, interaction=False)
    >>> redrawn = redrawn_weights(rows, (noisy,), 100)
    >>> bool(0.005 < np.std([weights[0] for weights in redrawn.weights]) < 0.03)
    True
    """
    used = [m for m in measurements if m.variance > 0 and m.values.size > 1 and len(m.marginal) < 3]
    used.sort(key=lambda m: -len(m.marginal))  # single columns last: they are known best
    if not used:
        return None
    rng, total = Streams(0).get("rows", "errors"), rows_measured(n, measurements)
    chosen, start = np.arange(len(rows)), rows.weights
    if len(rows) > _MOST_ROWS:
        chosen = np.sort(choose_rows(rows.rows, start, _MOST_ROWS, [], rows.sizes, rng=rng))
        start = np.full(_MOST_ROWS, 1 / _MOST_ROWS)
    columns = rows.columns[:, chosen]
    tables = [_table(columns, start * total, m) for m in used]
    found = []
    for number in range(REPLICATES):
        fit = RowsFit(rows.sizes, columns, [], total=total, weights=start)
        for measured, expected in zip(used, tables, strict=True):
            values, ridge = redrawn_table(measured, expected, within, number, rng), RIDGE * measured.variance
            fit.add(FittedTable(measured.marginal, values, ridge=ridge, interaction=measured.interaction))
        fit.improve(sweeps=_SWEEPS)
        found.append((fit.weights / fit.weights.sum()).astype(np.float32))

    def held(a: int) -> Floats:
        return np.asarray(np.bincount(rows.columns[a], weights=rows.weights * total, minlength=rows.sizes[a]))

    return Redrawn(chosen, start, tuple(found), tuple(redrawn_within(within, used, held)))


def _table(columns: Codes, weights: Floats, measured: TreeMeasurement) -> Floats:
    """What the rows have where something was measured."""
    place = np.ravel_multi_index(tuple(columns[a] for a in measured.marginal), measured.values.shape)
    found = np.bincount(place, weights=weights, minlength=measured.values.size)
    return np.asarray(found.reshape(measured.values.shape), dtype=np.float64)
