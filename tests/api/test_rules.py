"""What a schema declares of rows, from a table to its sample: methods, found bins, conditions, files, bad input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from understudy import HPPrivBayes, PrivABN, PrivBayes, publish
from understudy._core.errors import OptionError, TableError, UserError
from understudy.release import load_model
from understudy.schema import Schema

DAY = {"type": "integer", "bins": "auto", "constraints": {"minimum": 0, "maximum": 364}}
SCHEMA: dict[str, Any] = {
    "name": "visits",
    "fields": [
        {"name": "age", "type": "integer", "bins": "auto", "constraints": {"minimum": 0, "maximum": 99}},
        {"name": "hours", "categories": ["few", "many"], "constraints": {"required": False}},
        {"name": "sex", "categories": ["F", "M"]},
        {"name": "pregnant", "type": "boolean"},
        {"name": "code", "categories": list("abcd")},
        {"name": "group", "categories": ["x", "y"]},
        {"name": "came", **DAY},
        {"name": "left", **DAY},
    ],
    "dependencies": [
        {"missing": "hours", "when": {"age": "..13"}},
        {"impossible": {"sex": "M", "pregnant": True}},
        {"impossible": {"age": ["..13", "60.."], "pregnant": True}},
        {"determines": "code", "column": "group"},
        {"lower": "came", "upper": "left"},
    ],
}


def with_sensitivity() -> dict[str, Any]:
    """The same with one column that is promised more, for which bins have to be declared."""
    bins = {"age": {"edges": [0, 14, 60, 99], "closed": "left"}, "came": 5, "left": 7}
    fields = [
        {**field, **({"bins": bins[field["name"]]} if field["name"] in bins else {})} for field in SCHEMA["fields"]
    ]
    fields[2] = {**fields[2], "sensitivity": "high"}
    return {**SCHEMA, "fields": fields}


def rows(n: int = 600, seed: int = 1) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    age, sex = rng.integers(0, 100, n), rng.choice(["F", "M"], n)
    came, code = rng.integers(0, 365, n), rng.choice(list("abcd"), n)
    return {
        "age": age.tolist(),
        "hours": [None if a < 14 else h for a, h in zip(age, rng.choice(["few", "many"], n).tolist(), strict=True)],
        "sex": sex.tolist(),
        "pregnant": ((sex == "F") & (age > 13) & (age < 60) & (rng.random(n) < 0.3)).tolist(),
        "code": code.tolist(),
        "group": ["x" if c in "ab" else "y" for c in code],
        "came": came.tolist(),
        "left": np.minimum(came + rng.integers(0, 30, n), 364).tolist(),
    }


def check(sample: pa.Table) -> None:
    lines = sample.to_pylist()
    for line in lines:
        assert (line["hours"] is None) == (line["age"] < 14)
        assert not (line["pregnant"] and (line["sex"] == "M" or line["age"] < 14 or line["age"] >= 60))
        assert line["came"] <= line["left"]
    assert len({(line["code"], line["group"]) for line in lines}) == len({line["code"] for line in lines})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("rules")
    publish(pa.table(rows()), schema=SCHEMA, epsilon=2, seed=1, out=made / "release")
    return made / "release"


def test_publish_keeps_everything_and_says_so(folder: Path) -> None:
    model = load_model(folder / "model.understudy")
    check(model.sample(3000, seed=1, kind="pyarrow"))
    check(model.sample(3000, seed=1, kind="pyarrow", independent=True))
    said = (folder / "PRIVACY.md").read_text()
    assert "hours missing exactly when age=..13" in said
    assert "read only because none of its rows was seen to break that" in said
    assert 13 in [int(label.split("–")[-1]) for label in model.schema["age"].labels]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("estimator", [PrivBayes, PrivABN, HPPrivBayes])
def test_networks_keep_everything_under_conditions_and_from_files(estimator: Any, tmp_path: Path) -> None:
    schema = with_sensitivity() if estimator is HPPrivBayes else SCHEMA
    fitted = estimator(epsilon=30, seed=3).fit(pa.table(rows()), schema).model_
    fitted.save(tmp_path / "m.understudy")
    model = load_model(tmp_path / "m.understudy")
    check(model.sample(2000, seed=1, kind="pyarrow"))
    for where in ({"age": (10, 20)}, {"came": (40, 300), "left": (30, 200)}, {"pregnant": True}):
        drawn = model.sample(300, seed=2, where=where, kind="pyarrow")
        check(drawn)
        for name, wanted in where.items():
            values = drawn[name].to_pylist()
            assert all(wanted[0] <= v <= wanted[1] for v in values) if isinstance(wanted, tuple) else all(values)
    assert model.query("hours | age=..13").probabilities.tolist() == [0, 0, 1]
    assert model.query("pregnant | sex=M").probabilities.tolist() == [1, 0]
    with pytest.raises(UserError, match="'sex', 'pregnant' has probability 0"):
        model.sample(5, where={"sex": "M", "pregnant": True})
    with pytest.raises(UserError, match="probability 0"):
        model.query("code | age=..13, hours=few")


def test_a_release_whose_bins_do_not_fit_its_rules_is_refused(folder: Path) -> None:
    """As a stranger might write it."""
    content = load_model(folder / "model.understudy").schema.to_dict()
    content["dependencies"][0]["when"]["age"] = "..15"
    with pytest.raises(UserError, match="holds values inside and outside of"):
        Schema.from_dict(content)


def test_real_rows_that_break_something_are_treated_as_the_schema_says() -> None:
    real = rows()
    real["hours"][real["age"].index(next(a for a in real["age"] if a < 14))] = "few"
    real["left"][3], real["came"][3] = 5, 300
    with pytest.raises(TableError) as caught:
        PrivBayes(epsilon=1, seed=1).fit(pa.table(real), SCHEMA)
    assert len(caught.value.faults) == 2
    assert "came ≤ left (row 4)" in str(caught.value)
    for policy in ("drop", "mend"):
        model = PrivBayes(epsilon=1, seed=1).fit(pa.table(real), SCHEMA | {"brokenRows": policy}).model_
        assert model.statement.broken_rows == policy
        check(model.sample(500, seed=1, kind="pyarrow"))
    with pytest.raises(OptionError, match="the number of rows is public"):
        PrivBayes(epsilon=1, seed=1, neighbours="replace-one").fit(pa.table(real), SCHEMA | {"brokenRows": "drop"})
