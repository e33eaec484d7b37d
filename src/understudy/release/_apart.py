"""Columns that an answer is about and that were never measured together: what no error bar covers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import combinations

import numpy as np

from understudy.models import KnowsTables, Model
from understudy.release._regions import Region
from understudy.schema import Schema, Zeros

_SHOWN = 3


def never_together(model: Model, schema: Schema, asked: Collection[int], given: Mapping[int, Region]) -> list[str]:
    """A sentence if some columns asked about, or one of them and one of a condition, share no measured table.

    Conditions among themselves are left alone, and so are models that know of no measured tables. What is declared of
    every row may leave one value only under a condition: that needs no measuring, and is said.

    >>> import numpy as np
    >>> from understudy.models import JointModel
    >>> schema = Schema.from_dict({"fields": [{"name": "a", "type": "boolean"}, {"name": "b", "type": "boolean"}]})
    >>> never_together(JointModel(schema.domain, 9, np.full((2, 2), 0.25)), schema, [0, 1], {})
    []
    """
    tables = model.scopes if isinstance(model, KnowsTables) else frozenset()
    sure = {a: text for a in asked if (text := _settled(schema, a, given)) is not None}
    open_ones = [a for a in asked if a not in sure]
    pairs = {
        *combinations(sorted(set(open_ones)), 2),
        *((min(a, b), max(a, b)) for a in open_ones for b in given if a != b),
    }
    apart = sorted(pair for pair in pairs if not any(table.issuperset(pair) for table in tables))
    notes = [
        f"'{schema.names[a]}' can have but one value here: {text} is declared of every row." for a, text in sure.items()
    ]
    if not tables or not apart:
        return notes
    shown = ", ".join(f"'{schema.names[a]}' and '{schema.names[b]}'" for a, b in apart[:_SHOWN])
    more = f" and {len(apart) - _SHOWN} more pairs" if len(apart) > _SHOWN else ""
    return [
        *notes,
        f"{shown}{more} were never measured together: what the model says of them follows from other tables, and no "
        "interval covers how far that is off.",
    ]


def _settled(schema: Schema, a: int, given: Mapping[int, Region]) -> str | None:
    """What is declared of rows, if it leaves an attribute one value at most under these conditions."""
    for rule in schema.domain.rules:
        if not isinstance(rule, Zeros) or a not in rule.attributes or not set(rule.attributes) & set(given) - {a}:
            continue
        possible = np.moveaxis(rule.possible, rule.attributes.index(a), -1)
        for axis, other in enumerate(one for one in rule.attributes if one != a):
            if other in given:
                possible = possible.compress(given[other].weights > 0, axis=axis)
        if possible.reshape(-1, possible.shape[-1]).any(axis=0).sum() <= 1:
            return rule.text
    return None
