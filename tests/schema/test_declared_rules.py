"""Conditions, combinations and maps that a schema declares: what loads, what cells they leave, what is refused."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from understudy._core.errors import SchemaError
from understudy.schema import FollowsFrom, Schema, Together, checks_of, structural_zeros

FIELDS: list[dict[str, Any]] = [
    {"name": "age", "type": "integer", "bins": {"edges": [0, 14, 65, 99], "closed": "left"}},
    {"name": "hours", "type": "integer", "bins": 2, "special": [-1],
     "constraints": {"minimum": 0, "maximum": 79, "required": False}},
    {"name": "sex", "categories": ["Female", "Male"]},
    {"name": "pregnant", "categories": ["no", "yes"]},
    {"name": "code", "categories": ["a1", "a2", "b1"]},
    {"name": "group", "categories": ["a", "b"]},
    {"name": "days", "type": "integer", "bins": "auto", "constraints": {"minimum": 0, "maximum": 999}},
]  # fmt: skip
UNDER_14 = {"missing": "hours", "when": {"age": "..13"}}
NOT_MEN = {"impossible": {"sex": "Male", "pregnant": "yes"}}
GROUPS = {"determines": "code", "column": "group", "map": {"a1": "a", "a2": "a", "b1": "b"}}


def declared(*dependencies: Any, **more: Any) -> Schema:
    return Schema.from_dict({"fields": FIELDS, "dependencies": list(dependencies), **more})


def test_every_kind_gives_the_cells_that_rows_may_be_in() -> None:
    schema = declared(UNDER_14, NOT_MEN, GROUPS)
    tables = {rule.attributes: rule.possible.astype(int).tolist() for rule in structural_zeros(schema)}
    # hours: two bins, −1, missing
    assert tables[0, 1] == [[0, 0, 0, 1], [1, 1, 1, 0], [1, 1, 1, 0]]
    assert tables[2, 3] == [[1, 1], [1, 0]]
    assert tables[4, 5] == [[1, 0], [1, 0], [0, 1]]
    assert [one.text for one in schema.dependencies] == [
        "hours missing exactly when age=..13",
        "never sex=Male, pregnant=yes",
        "code → group",
    ]
    assert not any(isinstance(rule, FollowsFrom) for rule in schema.domain.rules)  # nothing is left to be learnt


def test_a_map_that_leaves_values_out_is_learnt_for_those() -> None:
    schema = declared({**GROUPS, "map": {"b1": "b"}})
    assert structural_zeros(schema)[0].possible.astype(int).tolist() == [[1, 1], [1, 1], [0, 1]]
    assert [type(rule).__name__ for rule in schema.domain.rules] == ["Zeros", "FollowsFrom"]


def test_a_map_from_several_columns_is_a_list_of_lines() -> None:
    lines = [[sex, code, "a" if code == "a1" else "b"] for sex, code in product(["Female", "Male"], ["a1", "a2", "b1"])]
    schema = declared({"determines": ["sex", "code"], "column": "group", "map": lines})
    (found,) = structural_zeros(schema)
    assert found.attributes == (2, 4, 5)
    assert found.possible[:, 0].tolist() == [[True, False]] * 2
    assert found.possible[:, 1].tolist() == [[False, True]] * 2


def test_several_conditions_must_hold_together() -> None:
    schema = declared({"missing": ["hours"], "when": {"age": "..13", "sex": ["Male"]}})
    [(_, checks)] = checks_of(schema.fields, schema.dependencies)
    sizes = [schema["age"].size, schema["hours"].size, schema["sex"].size]
    cells = np.array(list(product(*map(range, sizes)))).T
    broken = np.any([check.broken(list(cells)) for check in checks], axis=0)
    missing, must = cells[1] == schema["hours"].missing_code, (cells[0] == 0) & (cells[2] == 1)
    assert (broken == (missing != must)).all()


def test_special_values_and_missing_may_be_named() -> None:
    schema = declared({"impossible": {"hours": [-1, None, "40..79"], "sex": "Male"}})
    assert structural_zeros(schema)[0].possible.astype(int).tolist() == [[1, 1], [1, 0], [1, 0], [1, 0]]


def test_automatic_bins_get_an_edge_where_a_condition_needs_one() -> None:
    schema = declared({"impossible": {"days": ["..13", 500], "pregnant": "yes"}})
    assert schema["days"].cuts == (14, 500, 501)
    assert "500" in schema["days"].labels
    assert Schema.from_dict(schema.to_dict()) == schema


def test_rules_beyond_any_table_are_told_row_by_row() -> None:
    wide = [{"name": n, "type": "integer", "bins": 300, "constraints": {"minimum": 0, "maximum": 299}} for n in "abc"]
    schema = Schema.from_dict({"fields": wide, "dependencies": [{"impossible": {"a": 0, "b": 1, "c": 2}}]})
    (rule,) = schema.domain.rules
    assert isinstance(rule, Together)
    assert rule.broken([np.array([0, 0]), np.array([1, 1]), np.array([2, 3])]).tolist() == [True, False]


@pytest.mark.parametrize(
    ("dependency", "words"),
    [
        (
            {"missing": "hours", "when": {"age": "..20"}},
            "the bin 14–64 of 'age' holds values inside and outside of 0..20",
        ),
        ({"missing": "sex", "when": {"age": "..13"}}, "column 'sex' has no missing values in its domain"),
        ({"missing": "hours", "when": {"agee": "..13"}}, "no column 'agee' in the schema. Did you mean 'age'"),
        ({"missing": "hours", "when": {"age": "200.."}}, "no value of 'age' lies in '200..'"),
        ({"missing": "hours", "when": {"age": "0..99"}}, "age=0..99 holds for every value of 'age'"),
        ({"missing": "hours", "when": {"hours": "..39"}}, "names column 'hours' twice"),
        ({"missing": "hours", "when": "age < 14"}, "expected {determines"),
        ({"missing": "hours", "when": {"age": "young"}}, "'young' is not"),
        ({"missing": "hours", "when": {"age": {"below": 14}}}, "needs a value, a range such as ..13"),
        ({"impossible": {"sex": "Mal", "pregnant": "yes"}}, "column 'sex' has no value 'Mal'"),
        ({"impossible": {"sex": "Male"}}, "a combination needs two columns or more"),
        ({"impossible": {"sex": [], "pregnant": "yes"}}, "the list of values of 'sex' is empty"),
        ({"impossible": {"sex": "Female..Male", "pregnant": "yes"}}, "has no order"),
        ({**GROUPS, "map": {"a1": "c"}}, "column 'group' has no value 'c'"),
        ({**GROUPS, "map": {"c1": "a"}}, "column 'code' has no value 'c1'"),
        ({**GROUPS, "map": ["a"]}, "map must be {code: group, …}"),
        ({**GROUPS, "map": [["a1", "a"], ["a1", "b"]]}, "map has 'a1' twice"),
        ({"determines": ["sex", "code"], "column": "group", "map": {"a1": "a"}}, "a list of lines"),
        ({"imposible": {"sex": "Male", "pregnant": "yes"}}, "Did you mean 'impossible'?"),
    ],
)
def test_what_makes_no_sense_is_told(dependency: Any, words: str) -> None:
    with pytest.raises(SchemaError) as caught:
        declared(dependency)
    assert words in str(caught.value)
    assert str(caught.value).startswith("dependency 1: ")


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(SchemaError) as caught:
        declared({"impossible": {"sex": "M", "pregnant": "y"}}, NOT_MEN, {"missing": "sex", "when": {"age": "..20"}})
    assert len(caught.value.faults) == 4
    with pytest.raises(SchemaError, match="brokenRows must be one of refuse, drop, mend; got 'ignore'"):
        declared(NOT_MEN, brokenRows="ignore")


def test_empty_cells_that_are_not_missing_are_refused() -> None:
    other = [{**field, "outside": "other"} if field["name"] == "hours" else field for field in FIELDS]
    with pytest.raises(SchemaError, match="written as empty cells"):
        Schema.from_dict({"fields": other, "dependencies": [UNDER_14]})


@pytest.mark.parametrize(
    "dependencies",
    [
        [{"impossible": {"sex": s, "pregnant": p}} for s, p in product(["Female", "Male"], ["no", "yes"])],
        [
            {"missing": "hours", "when": {"sex": "Male"}},
            {"missing": "hours", "when": {"sex": "Female"}},
        ],
        [GROUPS, *({"impossible": {"code": c, "group": g}} for c, g in (("a1", "a"), ("a2", "a"), ("b1", "b")))],
        # around a circle: a fault only because it ends where it must not
        [
            {"determines": "sex", "column": "pregnant", "map": {"Female": "yes", "Male": "no"}},
            {"determines": "pregnant", "column": "group", "map": {"yes": "a", "no": "b"}},
            {"determines": "group", "column": "sex", "map": {"a": "Male", "b": "Female"}},
        ],
    ],
)
def test_rules_that_leave_no_row_are_refused(dependencies: list[dict[str, Any]]) -> None:
    with pytest.raises(SchemaError, match="leave no row"):
        declared(*dependencies)


def test_two_columns_may_determine_each_other() -> None:
    schema = declared({"determines": "code", "column": "group"}, {"determines": "group", "column": "code"})
    assert [rule.text for rule in schema.domain.rules] == ["code → group", "group → code"]


def test_yaml_reads_words_as_the_column_has_them(tmp_path: Any) -> None:
    path = tmp_path / "t.schema.yaml"
    path.write_text(
        "fields:\n- {name: sex, categories: [F, M]}\n- {name: pregnant, categories: [no, yes]}\n"
        "dependencies:\n- {impossible: {sex: M, pregnant: yes}}\nbrokenRows: drop\n"
    )
    schema = Schema.load(path)
    assert schema.broken_rows == "drop"
    assert structural_zeros(schema)[0].possible.astype(int).tolist() == [[1, 1], [1, 0]]
    schema.save(tmp_path / "again.schema.yaml")
    assert Schema.load(tmp_path / "again.schema.yaml").dependencies == schema.dependencies
