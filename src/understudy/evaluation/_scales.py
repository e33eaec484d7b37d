"""What the codes of a pair's columns mean: their place in an order, their values, which of them are missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.evaluation._pair import Pair
from understudy.schema import Field
from understudy.tables import missing_label

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]
_NUMERIC = ("integer", "number", "year", "date", "datetime")


@dataclass(frozen=True, kw_only=True, eq=False)
class Scale:
    """The codes of one column of a pair, one entry each.

    A column has an order if it has bins, ordered categories, or categories that are numbers or dates. Special values,
    "other", "missing" and "outside the schema" have no place in it.
    """

    name: str
    size: int
    ordered: bool
    continuous: bool
    """Whether the column is cut into bins."""
    places: Ints
    """Place in the order, −1 for none."""
    low: Floats
    """Smallest value of the code, in the field's inner form; NaN for none."""
    high: Floats
    """Largest value of the code; NaN for none."""
    missing: Flags
    foreign: Flags
    """Codes that the schema does not have."""

    def __post_init__(self) -> None:
        for array in (self.places, self.low, self.high, self.missing, self.foreign):
            array.setflags(write=False)

    @property
    def n_places(self) -> int:
        """Length of the order."""
        return int(self.places.max(initial=-1)) + 1

    @property
    def middle(self) -> Floats:
        """Half-way between smallest and largest value; NaN for none."""
        return self.low + (self.high - self.low) / 2


def scales_of(pair: Pair) -> tuple[Scale, ...]:
    """One scale for each column.

    >>> import pyarrow as pa
    >>> from understudy.evaluation import read_pair
    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": "age", "type": "integer", "special": [-1], "bins": 2,
    ...     "constraints": {"minimum": 0, "maximum": 99}}]})
    >>> (age,) = scales_of(read_pair(pa.table({"age": [3, None]}), pa.table({"age": [-1, 70]}), schema))
    >>> age.places.tolist(), age.middle.tolist(), age.missing.tolist()
    ([0, 1, -1, -1], [24.5, 74.5, -1.0, nan], [False, False, False, True])
    """
    return tuple(_scale(field, labels) for field, labels in zip(pair.schema.fields, pair.labels, strict=True))


def _scale(field: Field, labels: tuple[str, ...]) -> Scale:
    size = len(labels)
    missing = np.zeros(size, dtype=np.bool_)
    if field.missing_code is not None:
        missing[field.missing_code] = True
    if size > field.size and labels[field.size] == missing_label(field):
        missing[field.size] = True
    low, high = _values(field, size)
    numeric = field.type in _NUMERIC
    ordered = field.bins is not None or field.ordered or numeric
    places = np.full(size, -1, dtype=np.int64)
    if ordered and numeric and field.bins is None and not field.ordered:
        places[np.argsort(low[: field.n_main], kind="stable")] = np.arange(field.n_main)
    elif ordered:
        places[: field.n_main] = np.arange(field.n_main)
    return Scale(
        name=field.name,
        size=size,
        ordered=ordered,
        continuous=field.bins is not None,
        places=places,
        low=low,
        high=high,
        missing=missing,
        foreign=np.arange(size) >= field.size,
    )


def _values(field: Field, size: int) -> tuple[Floats, Floats]:
    low, high = np.full(size, np.nan), np.full(size, np.nan)
    if field.type not in _NUMERIC:
        return low, high
    if field.bins is not None:
        first, last = field.bins.grid
        low[: field.n_main], high[: field.n_main] = field.bins.values(first), field.bins.values(last)
    own = [float(c.value) for c in (*field.categories, *field.special)]
    start = 0 if field.categories else field.n_main
    low[start : start + len(own)] = high[start : start + len(own)] = own
    return low, high
