"""Values inside bins of columns that others determine: one for each combination of what determines them.

A model knows which bin goes with a code; a declared dependency promises one value. Which one is drawn from the bin by a
hash of the codes, so that it is the same in every row, batch and sample, and spreads over the bin from code to code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from understudy.schema import Codes, Determines, Schema
from understudy.tables._in_order import points_at

_GOLDEN, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


def draw_determined(schema: Schema, columns: Sequence[Codes]) -> dict[int, npt.NDArray[Any]]:
    """For each column in bins that others determine, without a map that says how, its values.

    Where several dependencies determine it, all rows of a bin have one value: then each of them is kept.

    >>> price = {"name": "price", "type": "integer", "bins": 1, "constraints": {"minimum": 0, "maximum": 9999}}
    >>> schema = Schema.from_dict({"fields": [{"name": "code", "categories": ["a", "b"]}, price],
    ...     "dependencies": [{"determines": ["code"], "column": "price"}]})
    >>> prices = draw_determined(schema, [np.array([0, 1, 0, 1]), np.zeros(4, dtype=np.int64)])[1]
    >>> prices[0] == prices[2], prices[1] == prices[3], prices[0] == prices[1]
    (np.True_, np.True_, np.False_)
    """
    at = {name: a for a, name in enumerate(schema.names)}
    determining: dict[int, list[tuple[str, ...]]] = {}
    for one in schema.dependencies:
        if isinstance(one, Determines) and not one.table and schema[one.column].bins is not None:
            determining.setdefault(at[one.column], []).append(one.determines)
    found = {}
    for a, names in determining.items():
        field, codes = schema.fields[a], np.asarray(columns[a])
        keys = [codes] if len(names) > 1 else [codes, *(np.asarray(columns[at[name]]) for name in names[0])]
        main = np.minimum(codes, field.n_main - 1)
        if field.bins is not None:
            found[a] = field.bins.values(points_at(field.bins, main, _hashed(field.name, keys)))
    return found


def _hashed(name: str, keys: Sequence[npt.NDArray[Any]]) -> npt.NDArray[np.float64]:
    """A number from 0 to 1 for each row, that depends on its codes alone."""
    mixed = np.full(len(keys[0]), crc32(name.encode()), dtype=np.uint64)
    for codes in keys:
        mixed = (mixed ^ (codes.astype(np.uint64) + np.uint64(1))) * _GOLDEN
        mixed = (mixed ^ (mixed >> np.uint64(30))) * _MIX
        mixed ^= mixed >> np.uint64(31)
    return np.asarray((mixed >> np.uint64(11)) * 2.0**-53)
