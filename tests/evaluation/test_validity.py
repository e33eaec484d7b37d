"""Cells the schema does not allow, and rows that break what it declares."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings

from tests.evaluation.samples import pairs
from understudy.evaluation import Pair, make_references, read_pair
from understudy.evaluation._rating import tone_of
from understudy.evaluation._result import MeasureResult
from understudy.evaluation._validity import measure_validity
from understudy.schema import Schema

LIMITS = {"constraints": {"minimum": "2023-01-01", "maximum": "2023-12-31", "required": False}, "bins": 12}
FIELDS: list[dict[str, Any]] = [
    {"name": "education", "categories": ["low", "middle", "high"]},
    {"name": "years", "type": "integer", "constraints": {"minimum": 0, "maximum": 9}},
    {"name": "admitted", "type": "date", **LIMITS},
    {"name": "discharged", "type": "date", **LIMITS},
]
STAYS = Schema.from_dict(
    {
        "fields": FIELDS,
        "dependencies": [
            {"determines": ["education"], "column": "years"},
            {"lower": "admitted", "upper": "discharged"},
        ],
    }
)
REAL = {
    "education": ["low", "low", "middle", "high"],
    "years": [3, 3, 6, 9],
    "admitted": ["2023-01-01", "2023-02-01", "2023-03-01", None],
    "discharged": ["2023-01-05", "2023-05-01", "2023-03-01", "2023-01-01"],
}


def measured(synthetic: dict[str, list[Any]], schema: Schema = STAYS) -> list[MeasureResult]:
    pair = read_pair(pd.DataFrame(REAL), pd.DataFrame(synthetic), schema)
    return measure_validity(pair, make_references(pair))


def test_a_valid_table_is_called_so() -> None:
    cells, rules, follows = measured(REAL)
    assert cells.value == rules.value == follows.value == 0
    assert cells.score == 1
    assert cells.verdict == "Every cell is what the schema allows, as in the real table."
    assert "0.0 % of rows break a declared dependency" in rules.verdict


def test_every_kind_of_invalid_cell_is_counted() -> None:
    synthetic = REAL | {"education": ["low", "other", None, "high"], "years": [3, "x", 99, 9], "more": [1, 2, 3, 4]}
    cells = measured(synthetic)[0]
    assert cells.value == pytest.approx(4 / 16)
    assert cells.details is not None
    rows = {row["column"]: row for row in cells.details.to_pylist()}
    assert (rows["education"]["outside"], rows["education"]["missing"]) == (0.25, 0.25)
    assert (rows["years"]["outside"], rows["years"]["wrong_type"]) == (0.25, 0.25)
    assert rows["admitted"]["invalid"] == rows["years"]["real"] == 0
    assert "25.0 % of cells and 50.0 % of rows" in cells.verdict
    assert "does not: `more`" in cells.verdict


def test_a_map_that_was_learnt_wrong_is_kept_and_yet_far_from_real() -> None:
    """Every row keeps what is declared, by a map of its own: both are said, each where it belongs."""
    synthetic = REAL | {"years": [6, 6, 6, 9]}
    _, rules, follows = measured(synthetic)
    assert rules.value == 0
    assert follows.value == 0.5
    assert tone_of(follows).name == "far"
    assert "50.0 % of rows have another value than real rows have with the same `education` in `years`" in (
        follows.verdict
    )
    assert follows.details is not None
    assert follows.details.to_pylist()[0]["other_value"] == 0.5


def test_a_declared_map_leaves_nothing_to_learn() -> None:
    declared = STAYS.to_dict()
    declared["dependencies"][0]["map"] = {"low": 3, "middle": 6, "high": 9}
    assert [found.name for found in measured(REAL, Schema.from_dict(declared))] == ["validity", "dependencies"]


def test_dependencies_are_judged_by_the_tables_own_map() -> None:
    synthetic = {
        "education": ["low", "middle", "middle", "low"],
        "years": [3, 3, 6, 6],
        "admitted": ["2023-12-01", "2023-02-03", "2023-03-10", None],
        "discharged": ["2023-01-05", "2023-02-01", "2023-05-01", "2023-01-01"],
    }
    rules = measured(synthetic)[1]
    assert rules.details is not None
    rows = {row["dependency"]: row for row in rules.details.to_pylist()}
    assert rows["education → years"]["broken"] == 0.5
    # the second row is in one bin: it may or may not be in order
    assert rows["admitted ≤ discharged"]["broken"] == 0.25
    assert rows["admitted ≤ discharged"]["undecided"] == 0.25
    assert [row["real"] for row in rows.values()] == [0, 0]
    assert rules.value == pytest.approx(0.375)


def test_a_schema_without_dependencies_has_one_result() -> None:
    plain = Schema.from_dict({"fields": FIELDS})
    assert [found.name for found in measured(REAL, plain)] == ["validity"]


@settings(max_examples=40)
@given(pair=pairs(STAYS, most_rows=25))
def test_shares_equal_those_counted_row_by_row(pair: Pair) -> None:
    _, rules, follows = measure_validity(pair, make_references(pair))
    assert rules.details is not None
    rows = {row["dependency"]: row for row in rules.details.to_pylist()}
    education, years, admitted, discharged = (column.tolist() for column in pair.first.columns)
    real = pd.DataFrame({"e": pair.real.columns[0].astype(int), "y": pair.real.columns[1].astype(int)})
    made = pd.DataFrame({"e": education, "y": years})
    n = pair.first.n
    for known, found in ((made, rows["education → years"]["broken"]), (real, follows.value)):
        right = known.groupby("e")["y"].agg(lambda y: y.mode().min()).to_dict()
        wrong = sum(right.get(e, y) != y for e, y in zip(education, years, strict=True))
        assert found == pytest.approx(wrong / n)
    # twelve bins of the same dates on both sides: out of order for certain if the bin is a later one
    both = [(a, d) for a, d in zip(admitted, discharged, strict=True) if max(a, d) < 12]
    assert rows["admitted ≤ discharged"]["broken"] == pytest.approx(sum(a > d for a, d in both) / n)
    assert rows["admitted ≤ discharged"]["undecided"] == pytest.approx(sum(a == d for a, d in both) / n)


def test_several_columns_may_determine_one() -> None:
    schema = Schema.from_dict(
        {
            "fields": [{"name": name, "type": "boolean"} for name in "abc"],
            "dependencies": [{"determines": ["a", "b"], "column": "c"}],
        }
    )
    real = pd.DataFrame({"a": [0, 0, 1], "b": [0, 1, 0], "c": [0, 1, 1]}, dtype=bool)
    synthetic = pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "c": [1, 1, 1, 0]}, dtype=bool)
    pair = read_pair(real, synthetic, schema)
    _, rules, follows = measure_validity(pair, make_references(pair))
    assert (rules.value, follows.value) == (0, 0.25)
