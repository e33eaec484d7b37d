"""Tables for the tests of measures: awkward schemas, rows drawn at random, pairs of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.strategies import coded_tables
from understudy.evaluation import Pair, References, make_references, pair_of_codes
from understudy.schema import Schema
from understudy.tables import Table

FIELDS: list[dict[str, Any]] = [
    {"name": "region", "categories": ["North", "South", "East"]},
    {"name": "size", "categories": ["S", "M", "L", "XL"], "categoriesOrdered": True},
    {
        "name": "age",
        "type": "integer",
        "constraints": {"minimum": 0, "maximum": 99, "required": False},
        "bins": 5,
        "special": [-1],
    },
    {"name": "grade", "type": "integer", "categories": [3, 1, 2]},
    {"name": "weight", "type": "number", "constraints": {"minimum": 0, "maximum": 250}, "bins": 6},
    {"name": "smoker", "type": "boolean"},
]
SCHEMA = Schema.from_dict({"name": "people", "fields": FIELDS})


def random_table(schema: Schema, n_rows: int, seed: int, *, strength: float = 0.7) -> Table:
    """Columns that hang together: each copies the first one's share of its range, or is drawn anew."""
    rng = np.random.default_rng(seed)
    base = rng.random(n_rows)
    columns = []
    for attribute in schema.domain:
        own = np.where(rng.random(n_rows) < strength, base, rng.random(n_rows) ** 2)
        columns.append(np.minimum((own * attribute.size).astype(np.int64), attribute.size - 1))
    return Table(schema.domain, tuple(columns))


def random_pair(
    n_real: int = 500,
    n_synthetic: int = 400,
    *,
    seed: int = 0,
    strength: float = 0.4,
    schema: Schema = SCHEMA,
    draws: int = 1,
) -> tuple[Pair, References]:
    """A pair whose synthetic side hangs together less than the real one, and its references."""
    synthetic = [random_table(schema, n_synthetic, seed + 1 + i, strength=strength) for i in range(draws)]
    pair = pair_of_codes(schema, random_table(schema, n_real, seed), synthetic)
    return pair, make_references(pair, seed=seed)


@st.composite
def pairs(draw: st.DrawFn, schema: Schema = SCHEMA, most_rows: int = 30) -> Pair:
    """Any two small tables of the schema: constant columns, single rows and all."""
    tables = coded_tables(schema.domain, most_rows=most_rows)
    return pair_of_codes(schema, draw(tables), [draw(tables)])
