"""Columns that an answer is about and that were never measured together: what no error bar covers."""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations

from understudy.models import KnowsTables, Model
from understudy.schema import Schema

_SHOWN = 3


def never_together(model: Model, schema: Schema, asked: Collection[int], given: Collection[int]) -> list[str]:
    """A sentence if some columns asked about, or one of them and one of a condition, share no measured table.

    Conditions among themselves are left alone, and so are models that know of no measured tables.

    >>> import numpy as np
    >>> from understudy.models import JointModel
    >>> schema = Schema.from_dict({"fields": [{"name": "a", "type": "boolean"}, {"name": "b", "type": "boolean"}]})
    >>> never_together(JointModel(schema.domain, 9, np.full((2, 2), 0.25)), schema, [0], [1])
    []
    """
    tables = model.scopes if isinstance(model, KnowsTables) else frozenset()
    pairs = {*combinations(sorted(set(asked)), 2), *((min(a, b), max(a, b)) for a in asked for b in given if a != b)}
    apart = sorted(pair for pair in pairs if not any(table.issuperset(pair) for table in tables))
    if not tables or not apart:
        return []
    shown = ", ".join(f"'{schema.names[a]}' and '{schema.names[b]}'" for a, b in apart[:_SHOWN])
    more = f" and {len(apart) - _SHOWN} more pairs" if len(apart) > _SHOWN else ""
    return [
        f"{shown}{more} were never measured together: what the model says of them follows from other tables, and no "
        "interval covers how far that is off."
    ]
