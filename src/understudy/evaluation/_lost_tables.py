"""Pairs of columns that hang closely together and lose most of that, among many that do not. Private to the holder.

An average over all pairs hides one that is gone: of 30 columns there are 435. Correlations are watched in
`_lost_relations.py`; categories have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from understudy.evaluation._measure import TABLES_GROUP
from understudy.evaluation._rating import CLOSE, FAIR, FAR, Tone
from understudy.evaluation._result import MeasureResult
from understudy.evaluation._verdict import MARGIN, columns_named

_STRONG = 0.2
"""Independent columns are so far from a pair that hangs closely together, beyond chance."""
_PART = 0.5


class _Lost(NamedTuple):
    """How many pairs hang closely together, how many of them are lost, and the names of the worst."""

    of: int
    lost: int
    worst: tuple[str, ...]


def tone_of_lost_tables(results: Sequence[MeasureResult]) -> Tone:
    """With care where a pair that hangs closely together has lost more than half of that, far where most of them have.

    >>> tone_of_lost_tables([]).name
    'close'
    """
    of, lost, _ = _lost(results)
    return FAR if 2 * lost > of else FAIR if lost else CLOSE


def lost_tables(results: Sequence[MeasureResult]) -> str:
    """How many pairs lose most of what they have in common, and the worst. Begins with a space if there is any.

    >>> lost_tables([])
    ''
    """
    of, lost, worst = _lost(results)
    if not lost:
        return ""
    where = "The only pair of columns that hangs" if of == 1 else f"{lost} of {of:,} pairs of columns that hang"
    return (
        f" {where} closely together {'loses' if lost == 1 else 'lose'} more than half of that: "
        f"{'worst ' if lost > 1 else ''}{columns_named(worst)}."
    )


def _lost(results: Sequence[MeasureResult]) -> _Lost:
    pairs = [one for one in results if one.group == TABLES_GROUP and one.width == 2 and one.synonym is None]
    if not pairs or pairs[0].details is None:
        return _Lost(0, 0, ())
    found = {name: np.array(values) for name, values in pairs[0].details.to_pydict().items()}
    chance = (MARGIN * found["by_chance"]) ** 2
    made, apart = (
        np.sqrt(np.maximum(0.0, found[name].astype(np.float64) ** 2 - chance))
        for name in ("distance", "independent_columns")
    )
    strong = apart >= _STRONG
    fallen = np.where(strong & (made > _PART * apart), made, 0.0)
    if not fallen.any():
        return _Lost(int(strong.sum()), 0, ())
    worst = int(fallen.argmax())
    return _Lost(int(strong.sum()), int((fallen > 0).sum()), (found["column_1"][worst], found["column_2"][worst]))
