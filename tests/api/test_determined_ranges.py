"""A number that a code determines has one value for each code, in every method, sample and part of a sample."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import understudy as us
from understudy._core.errors import SchemaError
from understudy.schema import Schema

PRICES = {"A": 10.5, "B": 20.25, "C": 99.0, "D": 1000.0}
BOUNDS = {"constraints": {"minimum": 0, "maximum": 2000}}
FIELDS: list[dict[str, Any]] = [
    {"name": "code", "categories": list(PRICES)},
    {"name": "ward", "categories": ["x", "y", "z"]},
    {"name": "price", "type": "number", "decimals": 2, **BOUNDS},
]
DETERMINED = {"determines": ["code"], "column": "price"}


@pytest.mark.parametrize("method", ["adaptive", "privbayes", "independent"])
@pytest.mark.parametrize("bins", ["auto", 5])
def test_each_code_has_one_value(method: str, bins: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    code = rng.choice(list(PRICES), 3000)
    table = pd.DataFrame({"code": code, "ward": rng.choice(list("xyz"), 3000), "price": [PRICES[c] for c in code]})
    schema = {"fields": [*FIELDS[:2], {**FIELDS[2], "bins": bins}], "dependencies": [DETERMINED]}
    out = tmp_path / "release"
    release = us.publish(table, schema=schema, epsilon=2, method=method, seed=1, out=out)
    model = us.load(out / "model.understudy")
    rows = [pd.read_csv(release.synthetic), model.sample(2000, kind="pandas"), model.sample(500, kind="pandas")]
    found = pd.concat(rows).groupby("code")["price"].agg(["nunique", "min"])
    assert (found["nunique"] == 1).all()
    if (method, bins) == ("adaptive", "auto"):
        assert found["min"].to_dict() == pytest.approx(PRICES, rel=0.1)


def test_beside_an_order_it_needs_a_map() -> None:
    paid = {"name": "paid", "type": "number", "decimals": 2, **BOUNDS}
    order = {"lower": "paid", "upper": "price"}
    with pytest.raises(SchemaError, match="declare a map"):
        Schema.from_dict({"fields": [*FIELDS, paid], "dependencies": [DETERMINED, order]})
    mapped = {**DETERMINED, "map": PRICES}
    Schema.from_dict({"fields": [*FIELDS, paid], "dependencies": [mapped, order]})
