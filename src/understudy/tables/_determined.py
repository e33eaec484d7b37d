"""Values inside bins of columns that others determine: one for each combination of what determines them.

A model knows which bin goes with a code; a declared dependency promises one value. Which one is drawn from the bin by a
hash of the values that determine it, so that it is the same in every row, batch and sample, and spreads over the bin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Rng
from understudy.schema import Codes, Field, FollowsFrom, Mapped, Schema
from understudy.tables._inside import points_at

_GOLDEN, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)

Values = npt.NDArray[Any]


def draw_determined(
    schema: Schema, columns: Sequence[Codes], rng: Rng, drawn: Mapping[int, Values]
) -> dict[int, Values]:
    """For each column in bins that others determine, its values; and those of the columns in bins that determine one.

    `drawn` has values that are settled. Combinations that a map has keep to it, and have one value only where it names
    one. Where several dependencies determine a column, all rows of a bin have one value: then each of them is kept. So
    they have where columns determine each other.

    >>> price = {"name": "price", "type": "integer", "bins": 1, "constraints": {"minimum": 0, "maximum": 9999}}
    >>> schema = Schema.from_dict({"fields": [{"name": "code", "categories": ["a", "b"]}, price],
    ...     "dependencies": [{"determines": ["code"], "column": "price"}]})
    >>> from understudy._core.randomness import streams
    >>> rng = streams(1).get("decode")
    >>> prices = draw_determined(schema, [np.array([0, 1, 0, 1]), np.zeros(4, dtype=np.int64)], rng, {})[1]
    >>> prices[0] == prices[2], prices[1] == prices[3], prices[0] == prices[1]
    (np.True_, np.True_, np.False_)
    """
    ways: dict[int, list[tuple[FollowsFrom, Mapped | None]]] = {}
    for one, known in schema.open_maps:
        if schema.fields[one.attribute].bins is not None and one.attribute not in drawn:
            ways.setdefault(one.attribute, []).append((one, known))
    found: dict[int, Values] = {}
    for a in _determining_first(ways):
        by = [of for one, _ in ways[a] for of in one.by]
        if len(ways[a]) > 1 or any(of in ways and of not in found for of in by):
            by = []
        keys = [np.asarray(columns[a])]
        for of in by:
            if of not in drawn and of not in found and schema.fields[of].bins is not None:
                found[of] = _inside(schema.fields[of], columns[of], rng.random(len(columns[of])))
            keys += _keys(schema.fields[of], columns[of], drawn.get(of, found.get(of)))
        parts = _hashed(schema.fields[a].name, keys)
        for _, known in ways[a]:
            if known is not None:
                told = known.follows[tuple(np.asarray(columns[of]) for of in known.by)] >= 0
                parts = np.where(told, rng.random(len(told)), parts)
        found[a] = _inside(schema.fields[a], columns[a], parts)
    return found


def _determining_first(ways: Mapping[int, Sequence[tuple[FollowsFrom, Mapped | None]]]) -> list[int]:
    """Each column after those that determine it; around a circle in any order."""
    left, found = list(ways), []
    while left:
        free = [a for a in left if not any(of in left for one, _ in ways[a] for of in one.by)]
        found.append((free or left)[0])
        left.remove(found[-1])
    return found


def _inside(field: Field, codes: Codes, parts: npt.NDArray[np.float64]) -> Values:
    """Values at such parts of the bins of these codes."""
    if field.bins is None:
        raise TypeError(f"column '{field.name}' has no bins")
    return field.bins.values(points_at(field.bins, np.minimum(codes, field.n_main - 1), parts))


def _keys(field: Field, codes: Codes, values: Values | None) -> list[Values]:
    """What tells the values of a column apart: their codes, and in a bin the value."""
    codes = np.asarray(codes)
    if values is None:
        return [codes]
    inside = np.where(codes < field.n_main, values, 0).astype(np.float64)
    return [codes, (inside + 0.0).view(np.uint64)]


def _hashed(name: str, keys: Sequence[npt.NDArray[Any]]) -> npt.NDArray[np.float64]:
    """A number from 0 to 1 for each row, that depends on its codes alone."""
    mixed = np.full(len(keys[0]), crc32(name.encode()), dtype=np.uint64)
    for codes in keys:
        mixed = (mixed ^ (codes.astype(np.uint64) + np.uint64(1))) * _GOLDEN
        mixed = (mixed ^ (mixed >> np.uint64(30))) * _MIX
        mixed ^= mixed >> np.uint64(31)
    return np.asarray((mixed >> np.uint64(11)) * 2.0**-53)
