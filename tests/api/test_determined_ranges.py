"""A number that a code determines has one value for each code, in every method, sample and part of a sample."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import understudy as us
from understudy._core.errors import SchemaError, UserError
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


def published(tmp_path: Path, table: pd.DataFrame, fields: list[dict[str, Any]], **determined: Any) -> Any:
    schema = {"fields": fields, "dependencies": [determined]}
    us.publish(table, schema=schema, epsilon=2, seed=1, out=tmp_path / "release")
    return us.load(tmp_path / "release" / "model.understudy")


@pytest.mark.parametrize(("known", "said"), [
    ({}, "code → price (which value follows was learnt with noise"),
    ({"A": 10.5}, "code → price (where it is not declared, which value follows was learnt with noise"),
    (PRICES, "code → price"),
])  # fmt: skip
def test_the_statement_and_the_plan_say_what_a_map_leaves_open(known: dict[str, float], said: str) -> None:
    determined = {**DETERMINED, **({"map": known} if known else {})}
    schema = {"fields": [FIELDS[0], FIELDS[2]], "dependencies": [determined]}
    [found] = us.PrivBayes(epsilon=2, seed=1).fit(codes_and_prices(), schema).model_.statement.declared
    assert found.startswith(said)
    assert ("learnt" in found) == ("learnt" in said)
    notes = us.plan(epsilon=1, schema=schema, rows=1000).notes
    assert any("code → price is learnt with noise" in note for note in notes) == ("learnt" in said)


def codes_and_prices() -> pd.DataFrame:
    code = np.random.default_rng(3).choice(list(PRICES), 3000)
    return pd.DataFrame({"code": code, "price": [PRICES[c] for c in code]})


def test_what_a_map_leaves_out_has_one_value_too(tmp_path: Path) -> None:
    fields, table = [FIELDS[0], FIELDS[2]], codes_and_prices()
    of_b = table["code"] == "B"
    table.loc[of_b, "price"] = np.random.default_rng(4).uniform(15, 30, of_b.sum()).round(2)
    model = published(tmp_path, table, fields, **DETERMINED, map={"A": 10.5, "B": "15..30"})
    values = model.sample(2000, kind="pandas", seed=1).groupby("code")["price"].agg(["nunique", "min", "max"])
    assert values["nunique"][["A", "C", "D"]].tolist() == [1, 1, 1]
    assert values["min"]["A"] == 10.5
    [said] = model.statement.declared
    assert said.startswith("code → price (where it is not declared, which value follows was learnt with noise")
    # a stretch is all that is declared of B
    assert values["nunique"]["B"] > 10
    assert values["min"]["B"] >= 15
    assert values["max"]["B"] <= 30


def test_a_number_that_determines_another_keeps_it_spread(tmp_path: Path) -> None:
    numbers = np.random.default_rng(5).integers(0, 1000, 3000)
    fields = [
        {"name": name, "type": "integer", "constraints": {"minimum": 0, "maximum": 1000}} for name in ("whole", "half")
    ]
    table = pd.DataFrame({"whole": numbers, "half": numbers // 2})
    rows = published(tmp_path, table, fields, determines=["whole"], column="half").sample(3000, kind="pandas", seed=1)
    assert (rows.groupby("whole")["half"].nunique() == 1).all()
    assert rows["half"].nunique() > 200


def test_a_condition_that_cuts_its_bins_is_refused_and_one_that_names_them_is_not(tmp_path: Path) -> None:
    fields = [FIELDS[0], {**FIELDS[2], "bins": {"edges": [0, 15, 50, 2000], "closed": "left"}}]
    model = published(tmp_path, codes_and_prices(), fields, **DETERMINED)
    with pytest.raises(UserError, match=r"'price' has one value for each combination of 'code'.*whole bins"):
        model.sample(10, where="price=0..5")
    every = model.sample(500, kind="pandas", seed=1).groupby("code")["price"].first()
    some = model.sample(50, kind="pandas", where="price<15", seed=2)
    assert some["price"].unique().tolist() == [every["A"]]


def test_beside_an_order_it_needs_a_map() -> None:
    paid = {"name": "paid", "type": "number", "decimals": 2, **BOUNDS}
    order = {"lower": "paid", "upper": "price"}
    with pytest.raises(SchemaError, match="declare a map"):
        Schema.from_dict({"fields": [*FIELDS, paid], "dependencies": [DETERMINED, order]})
    partly = {**DETERMINED, "map": {"A": 10.5}}
    with pytest.raises(SchemaError, match="a map of all combinations"):
        Schema.from_dict({"fields": [*FIELDS, paid], "dependencies": [partly, order]})
    mapped = {**DETERMINED, "map": PRICES}
    Schema.from_dict({"fields": [*FIELDS, paid], "dependencies": [mapped, order]})
