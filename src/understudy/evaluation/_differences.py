"""What lies between two columns that are declared to be in order, row by row. Private to the holder.

How long a report takes is upper minus lower, and no column has it. Both columns can be right by themselves, and in
order in every row, while the time between them is several times the real one: bins are wider than it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy.evaluation._numbers import DAY
from understudy.schema import Field, InOrder, Schema

Floats = npt.NDArray[np.float64]
_HOUR = DAY // 24
_MANY_HOURS = 72
"""From this median on, hours are told in days."""
_DIGITS = 6
"""To which differences are rounded, since 0.3 − 0.1 is not quite 0.2 in floating point."""


@dataclass(frozen=True, eq=False)
class Between:
    """Differences of two columns in every table, of rows where both have a place in the order."""

    name: str
    type: str
    unit: str
    tables: tuple[Floats, ...]


def differences(schema: Schema, known: Mapping[str, Sequence[Floats]]) -> Iterator[Between]:
    """One for each declared order of two columns that are known, if every table has rows with both.

    Args:
        schema: what is declared.
        known: values by column, the same tables for each, the real one first; NaN where missing.

    >>> day = {"type": "integer", "constraints": {"minimum": 0, "maximum": 99}}
    >>> schema = Schema.from_dict({"fields": [{"name": "from", **day}, {"name": "to", **day}],
    ...     "dependencies": [{"lower": "from", "upper": "to"}]})
    >>> [one] = differences(schema, {"from": [np.array([1.0, np.nan])], "to": [np.array([9.0, 5.0])]})
    >>> one.name, one.tables[0].tolist()
    ('to − from', [8.0])
    """
    for order in schema.dependencies:
        if not isinstance(order, InOrder) or order.lower not in known or order.upper not in known:
            continue
        lower, upper = schema[order.lower], schema[order.upper]
        gaps = [
            _placed(upper, high) - _placed(lower, low)
            for low, high in zip(known[order.lower], known[order.upper], strict=True)
        ]
        tables = [gap[~np.isnan(gap)] for gap in gaps]
        if all(len(table) for table in tables):
            yield _in_units(f"{upper.name} − {lower.name}", lower, upper, tables)


def _placed(field: Field, values: Floats) -> Floats:
    """Without special values, which are in no order."""
    special = [float(one.value) * (DAY if field.type == "date" else 1) for one in field.special]
    return np.where(np.isin(values, special), np.nan, values) if special else values


def _in_units(name: str, lower: Field, upper: Field, tables: Sequence[Floats]) -> Between:
    """Lengths of time in hours or days, as people would tell them."""
    if upper.type == "date":
        return Between(name, "integer", "days", tuple(np.round(table / DAY) for table in tables))
    if upper.type == "datetime":
        long = float(np.median(np.abs(tables[0]))) >= _MANY_HOURS * _HOUR
        length, unit = (DAY, "days") if long else (_HOUR, "hours")
        return Between(name, "number", unit, tuple(np.round(table / length, _DIGITS) for table in tables))
    whole = "number" not in (lower.type, upper.type)
    return Between(name, "integer" if whole else "number", "", tuple(np.round(table, _DIGITS) for table in tables))
