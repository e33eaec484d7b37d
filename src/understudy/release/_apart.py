"""Columns that an answer is about and that were never measured together: what no error bar covers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np

from understudy.models import KnowsTables, Model
from understudy.release._regions import Region
from understudy.schema import Field, Schema, Zeros

Pair: TypeAlias = tuple[int, int]
_SHOWN = 3


def never_together(model: Model, schema: Schema, asked: Collection[int], given: Mapping[int, Region]) -> list[str]:
    """A sentence if some columns asked about, or one of them and one of a condition, share no measured table.

    Conditions among themselves are left alone, and so are models that know of no measured tables. What is declared of
    every row may leave one value only under a condition: that needs no measuring, and is said. So is what it declares
    of columns that share no table.

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
    apart = sorted(pair for pair in pairs if not any(table.issuperset(pair) for table in tables)) if tables else []
    declared = {pair: texts for pair in apart if (texts := _declared(schema, pair))}
    return [
        *sure.values(),
        *(_apart_but_tied(schema, pairs, texts) for texts, pairs in _alike(declared).items()),
        *_apart(schema, [pair for pair in apart if pair not in declared]),
    ]


def _apart(schema: Schema, pairs: Sequence[Pair]) -> list[str]:
    if not pairs:
        return []
    return [
        f"{_named(schema, pairs)} were never measured together: what the model says of them follows from other tables, "
        "and no interval covers how far that is off."
    ]


def _apart_but_tied(schema: Schema, pairs: Sequence[Pair], texts: str) -> str:
    return (
        f"{_named(schema, pairs)} were never measured together, but the schema declares {texts}: what the model says "
        "of them beyond that follows from other tables, and no interval covers how far that is off."
    )


def _named(schema: Schema, pairs: Sequence[Pair]) -> str:
    shown = ", ".join(f"'{schema.names[a]}' and '{schema.names[b]}'" for a, b in pairs[:_SHOWN])
    return shown + (f" and {len(pairs) - _SHOWN} more pairs" if len(pairs) > _SHOWN else "")


def _alike(declared: Mapping[Pair, str]) -> dict[str, list[Pair]]:
    """Pairs by what ties them."""
    found: dict[str, list[Pair]] = {}
    for pair, texts in declared.items():
        found.setdefault(texts, []).append(pair)
    return found


def _declared(schema: Schema, pair: Pair) -> str:
    """What is declared of both columns and known to models; chains of orders are not."""
    rules = (rule for rule in schema.domain.rules if isinstance(rule, Zeros) and set(pair) <= set(rule.attributes))
    return "; ".join(dict.fromkeys(text for rule in rules for text in rule.text.split("; ")))


def _settled(schema: Schema, a: int, given: Mapping[int, Region]) -> str | None:
    """A sentence if what is declared of rows leaves an attribute one code at most under these conditions."""
    for rule in schema.domain.rules:
        if not isinstance(rule, Zeros) or a not in rule.attributes or not set(rule.attributes) & set(given) - {a}:
            continue
        possible = np.moveaxis(rule.possible, rule.attributes.index(a), -1)
        for axis, other in enumerate(one for one in rule.attributes if one != a):
            if other in given:
                possible = possible.compress(given[other].weights > 0, axis=axis)
        codes = np.flatnonzero(possible.reshape(-1, possible.shape[-1]).any(axis=0))
        if len(codes) <= 1:
            return f"{_only(schema.fields[a], codes.tolist())}: {rule.text} is declared of every row."
    return None


def _only(field: Field, codes: Sequence[int]) -> str:
    """That a column has one code at most; a bin, and "other", may be many values."""
    name, bins = field.name, field.bins
    for code in codes:
        if code == field.other_code:
            return f"'{name}' can have but values outside its domain here"
        if bins is not None and code < bins.count and bins.grid[0][code] < bins.grid[1][code]:
            return f"'{name}' can have but values of one bin here, {field.labels[code]}"
    return f"'{name}' can have but one value here"
