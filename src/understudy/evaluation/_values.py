"""The columns of a pair as values: what a tool sees that knows nothing of codes. Private to the holder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.errors import InternalError
from understudy.evaluation._pair import Pair
from understudy.evaluation._reference import References, reference_coins
from understudy.tables import Kinds, Values

Ints: TypeAlias = npt.NDArray[np.int32] | npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ValueColumn:
    """One column in every table: the real one, the synthetic ones, the fresh sample, the independent columns.

    Numbers and dates (columns with bins) are numbers, NaN where missing. All others are whole numbers that stand for
    the same value in every table, −1 where missing.
    """

    name: str
    continuous: bool
    tables: tuple[npt.NDArray[Any], ...]

    @property
    def n_kinds(self) -> int:
        """How many values a column without bins has, in all tables together."""
        return max((int(table.max(initial=-1)) for table in self.tables), default=-1) + 1


def value_columns(pair: Pair, references: References) -> list[ValueColumn]:
    """Every column of the pair and of its references as values.

    >>> import pyarrow as pa
    >>> from understudy.evaluation import make_references, read_pair
    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> pair = read_pair(pa.table({"sex": ["M", "F"]}), pa.table({"sex": ["M", None, "X"]}), schema)
    >>> [table.tolist() for table in value_columns(pair, make_references(pair))[0].tables[:2]]
    [[0, 1], [0, -1, 2]]
    """
    if pair.values is None:
        raise InternalError("the pair was made of codes: it has no values.")
    fresh, independent = reference_coins(references.seed)
    n, size = pair.real.n, pair.first.n
    rows = fresh.integers(n, size=size)
    columns = []
    for i, field in enumerate(pair.schema.fields):
        real, *synthetic = _in_common([table[i] for table in pair.values])
        drawn = (real[rows], real[independent.integers(n, size=size)])
        columns.append(ValueColumn(field.name, field.bins is not None, (real, *synthetic, *drawn)))
    return columns


def _in_common(tables: Sequence[Values]) -> list[npt.NDArray[Any]]:
    """Kinds of value numbered the same way in all tables; numbers as they are."""
    places: dict[Any, int] = {}
    found: list[npt.NDArray[Any]] = []
    for table in tables:
        if not isinstance(table, Kinds):
            found.append(table)
            continue
        numbers = np.array([places.setdefault(value, len(places)) for value in table.known] + [-1], dtype=np.int32)
        found.append(numbers[table.places])  # a place of −1 is the last of the numbers, −1
    return found
