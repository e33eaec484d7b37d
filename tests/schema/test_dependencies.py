"""Dependencies between columns in the schema file: what loads, what is refused, and that nothing is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from understudy._core.errors import SchemaError
from understudy.schema import Determines, InOrder, Schema

FIELDS = [
    {"name": "education", "categories": ["low", "high"]},
    {"name": "years", "type": "integer", "constraints": {"minimum": 0, "maximum": 20}},
    {"name": "born", "type": "date", "constraints": {"minimum": "1900-01-01", "maximum": "2020-12-31"}},
    {"name": "seen", "type": "datetime", "constraints": {"minimum": "2020-01-01", "maximum": "2020-12-31"}},
    {"name": "died", "type": "date", "constraints": {"minimum": "1900-01-01", "maximum": "2020-12-31"}},
]


def schema(*dependencies: Any) -> Schema:
    return Schema.from_dict({"fields": FIELDS, "dependencies": list(dependencies)})


def fault_of(dependencies: Any) -> str:
    with pytest.raises(SchemaError) as caught:
        Schema.from_dict({"fields": FIELDS, "dependencies": dependencies})
    return str(caught.value)


def test_both_kinds_load() -> None:
    found = schema({"determines": ["education"], "column": "years"}, {"lower": "born", "upper": "died"}).dependencies
    assert found == (Determines(determines=("education",), column="years"), InOrder(lower="born", upper="died"))
    assert [d.columns for d in found] == [("education", "years"), ("born", "died")]


def test_one_determining_column_may_stand_without_a_list() -> None:
    assert schema({"determines": "education", "column": "years"}).dependencies[0].text == "education → years"


def test_a_schema_without_dependencies_has_none() -> None:
    assert Schema.from_dict({"fields": FIELDS}).dependencies == ()
    assert "dependencies" not in Schema.from_dict({"fields": FIELDS}).to_dict()


@pytest.mark.parametrize("ending", ["yaml", "json"])
def test_they_survive_saving_with_what_we_do_not_know(tmp_path: Path, ending: str) -> None:
    written = schema({"lower": "born", "upper": "died", "description": "nobody dies first"})
    written.save(tmp_path / f"people.schema.{ending}")
    read = Schema.load(tmp_path / f"people.schema.{ending}")
    assert read.dependencies == written.dependencies
    assert read.to_dict()["dependencies"][0]["description"] == "nobody dies first"


def test_they_survive_another_order_of_columns() -> None:
    written = schema({"lower": "born", "upper": "died"})
    assert written.in_order_of(["died", "born"]).dependencies == written.dependencies


@pytest.mark.parametrize(
    ("dependencies", "words"),
    [
        ([{"determines": ["educaton"], "column": "years"}], "no column 'educaton' in the schema. Did you mean 'educ"),
        ([{"lower": "born", "upper": "dead"}], "dependency 1: there is no column 'dead'"),
        ([{"lower": "born", "upper": "died"}, {"lower": "x", "upper": "born"}], "dependency 2: there is no column 'x'"),
        ([{"lower": "born", "upper": "seen"}], "'born' (date) and 'seen' (datetime) cannot be put in order"),
        ([{"lower": "education", "upper": "years"}], "(string) and 'years' (integer) cannot be put in order"),
        ([{"determines": ["years"], "column": "years"}], "names column 'years' twice"),
        ([{"determines": [], "column": "years"}], "dependency 1: expected {determines: [column, …], column: …}"),
        ([{"lower": "born"}], "dependency 1: expected"),
        ([{"lower": "born", "upper": "died", "column": "years"}], "dependency 1: expected"),
        ([{"determine": ["education"], "column": "years"}], "Did you mean 'determines'?"),
        (["born < died"], "dependency 1: expected"),
        ("born < died", "dependencies must be a list"),
        ({"lower": "born", "upper": "died"}, "dependencies must be a list"),
    ],
)
def test_what_makes_no_sense_is_refused_in_plain_words(dependencies: Any, words: str) -> None:
    assert words in fault_of(dependencies)


def test_a_misspelt_property_is_not_ignored() -> None:
    with pytest.raises(SchemaError, match="Did you mean 'dependencies'"):
        Schema.from_dict({"fields": FIELDS, "dependancies": []})


def test_a_map_that_is_declared_twice_is_told_so() -> None:
    fields = [{"name": "code", "categories": ["a", "b"]}, {"name": "grp", "categories": ["x", "y"]}]
    one = {"determines": ["code"], "column": "grp", "map": {"a": "x", "b": "y"}}
    other = {**one, "map": {"a": "y", "b": "x"}}
    with pytest.raises(SchemaError, match=r"code → grp is declared more than once, in diff.* no row could have 'a'"):
        Schema.from_dict({"fields": fields, "dependencies": [one, other]})
    assert Schema.from_dict({"fields": fields, "dependencies": [one, one]}).domain.attributes


def test_maps_that_contradict_each_other_for_one_code_alone_are_told_too() -> None:
    """Rows with that code would all be dropped, or mended back and forth."""
    names = {"code": ["a", "b"], "sex": ["f", "m"], "grp": ["x", "y"]}
    fields = [{"name": name, "categories": values} for name, values in names.items()]
    one = {"determines": ["code", "sex"], "column": "grp", "map": [["a", "f", "x"], ["b", "f", "x"]]}
    other = {"determines": ["sex", "code"], "column": "grp", "map": [["f", "a", "x"], ["f", "b", "y"]]}
    with pytest.raises(SchemaError, match=r"sex × code → grp is declared more than once.* no row could have 'f × b'"):
        Schema.from_dict({"fields": fields, "dependencies": [one, other]})
    apart = {**other, "map": [["m", "b", "y"]]}
    assert Schema.from_dict({"fields": fields, "dependencies": [one, apart]}).domain.attributes


def test_a_value_between_two_steps_of_a_column_is_told_the_steps() -> None:
    fields = [
        {"name": "code", "categories": ["a", "b"]},
        {"name": "dose", "type": "number", "decimals": 1, "constraints": {"minimum": 0, "maximum": 9}},
    ]
    declared = [{"determines": ["code"], "column": "dose", "map": {"a": 0.55, "b": 0.5}}]
    with pytest.raises(SchemaError, match=r"'0\.55' is no value of 'dose', which goes from 0 to 9 in steps of 0\.1\."):
        Schema.from_dict({"fields": fields, "dependencies": declared})
