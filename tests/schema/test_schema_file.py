"""The schema file: what loads, what is refused and in which words, and that nothing is lost on the way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from understudy._core.errors import OptionError, SchemaError
from understudy.numbers import fine_schema
from understudy.schema import Schema

AGE = {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}}


def one(**field: Any) -> Schema:
    return Schema.from_dict({"fields": [{"name": "x", **field}]})


def faults_of(**field: Any) -> str:
    with pytest.raises(SchemaError) as caught:
        one(**field)
    return str(caught.value)


def sizes(schema: Schema, name: str = "x") -> list[int]:
    attribute = schema[name].attribute
    return [attribute.size_at(level) for level in range(attribute.n_levels)]


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(SchemaError) as caught:
        Schema.from_dict(
            {
                "fields": [
                    {"name": "a", "type": "string"},
                    {"name": "b", "type": "integr"},
                    {"name": "c", "type": "integer", "constraints": {"minimum": 5, "maximum": 1}},
                    {"type": "string", "categories": ["x"]},
                    {"name": "a", "type": "boolean"},
                ]
            }
        )
    told = "\n".join(caught.value.faults)
    assert "field 'a' (string) has no public domain. Add categories" in told
    assert "Did you mean 'integer'?" in told
    assert "minimum 5 is larger than constraints.maximum 1" in told
    assert "Swap them, or correct one." in told
    assert "field 4: 'name' is missing." in told
    assert "field 'a' is declared 2 times" in told


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ({"type": "integer"}, "Add constraints: {minimum: …, maximum: …}"),
        ({"type": "integer", "constraints": {"minimum": 1}}, "Add constraints: {maximum: …}"),
        ({"type": "time", "categories": ["x"]}, "type must be one of string, integer"),
        ({"categories": []}, "empty list"),
        ({"categories": ["a", "a"]}, "a is listed twice"),
        ({"categories": ["a", None]}, "empty item"),
        ({"categories": ["a", ""]}, "a category and a missing value at once"),
        ({"categories": [{"label": "a"}]}, "has no 'value'"),
        ({"categories": [{"value": 1, "label": "a"}, {"value": 2, "label": "a"}]}, "labels of categories"),
        ({"categories": ["a", "b"], "constraints": {"enum": ["a"]}}, "differ"),
        ({"categories": ["a", "b"], "bins": 2}, "both categories and bins"),
        ({"categories": ["a", "b"], "outside": "clip"}, "clip needs a range"),
        ({"categories": ["a", "b"], "special": ["c"]}, "special belongs to fields with a range"),
        ({"categories": ["a", "b"], "taxonomy": [["a"]]}, "taxonomy leaves out b"),
        ({"categories": ["a", "b"], "taxonomy": [["a", "b"], "a"]}, "taxonomy: a is listed twice"),
        ({"categories": ["a", "b"], "taxonomy": ["a", "b", "c"]}, "names 'c'"),
        ({"categories": ["a", "b"], "outside": "cilp"}, "Did you mean 'clip'?"),
        ({"categories": ["a", "b"], "outsde": "other"}, "unknown property 'outsde'. Did you mean 'outside'?"),
        ({"categories": ["a", "b"], "categories_ordered": True}, "Did you mean 'categoriesOrdered'?"),
        ({"categories": ["a"], "constraints": {"requird": True}}, "Did you mean 'required'?"),
        ({"categories": ["a"], "missingValues": "NA"}, "missingValues"),
        ({"type": "integer", "categories": ["a"]}, "'a' is not a number"),
        ({"type": "integer", "categories": [1.5]}, "1.5 is not a whole number"),
        ({"type": "integer", "categories": [1, 2**63]}, "9223372036854775808 does not fit 64 bits"),
        ({"type": "integer", "categories": [1, 9], "constraints": {"maximum": 5}}, "category 9 lies outside"),
        ({"type": "integer", "constraints": {"minimum": 0, "maximum": 9}, "bins": 11}, "Use 10 or fewer"),
        ({"type": "integer", "constraints": {"minimum": 0, "maximum": 9}, "bins": 0}, "bins.count must be at least 1"),
        ({"type": "integer", "constraints": {"minimum": 0.5, "maximum": 9}}, "0.5 is not a whole number"),
        ({"type": "integer", "constraints": {"minimum": "x", "maximum": 9}}, "constraints.minimum: 'x'"),
        ({"type": "integer", "bins": "many"}, "bins must be auto, a count such as 16, or {edges: […], closed: left}"),
        ({"type": "integer", "bins": {"count": 3, "edges": [0, 5]}}, "both count and edges"),
        ({"type": "integer", "constraints": [1]}, "constraints must be a mapping; got [1]."),
        ({"type": "integer", "constraints": {"required": "maybe"}}, "constraints.required must be true or false"),
        ({"categories": 3}, "categories must be a list; got 3."),
        ({"type": "integer", "bins": {"edges": [0, 5, 5]}}, "each larger than the one before; got [0, 5, 5]"),
        ({"type": "integer", "bins": {"edges": [0, 5], "closd": "left"}}, "closd"),
        ({"type": "integer", "bins": {"edges": [0, 0.2, 0.8, 3]}}, "holds no whole number"),
        ({"type": "integer", "bins": {"edges": [0, 5]}, "constraints": {"minimum": 1}}, "; got 0 to 5"),
        ({**AGE, "special": [50]}, "special value 50 lies inside its range"),
        ({**AGE, "special": [-1], "missingValues": ["-1"]}, "'-1' is a category and a missing value"),
        ({**AGE, "decimals": 2}, "decimals belongs to fields of type number"),
        ({"type": "number", "constraints": {"minimum": 0, "maximum": 1e20}}, "beyond ±10^15"),
        ({"type": "number", "constraints": {"minimum": 0, "maximum": 1}, "decimals": 0, "bins": 4}, "no number of 0"),
        ({"type": "number", "constraints": {"minimum": 1, "maximum": 1}, "bins": 2}, "Use bins: 1"),
        ({"type": "date", "format": "%m/%Y", "constraints": {"minimum": "2020-01-01"}}, "does not hold the whole date"),
        ({"type": "date", "format": "any", "constraints": {"minimum": "2020-01-01"}}, "is a guess"),
        ({"type": "boolean", "trueValues": ["y"], "falseValues": ["y"]}, "stand in trueValues and in falseValues"),
    ],
)  # fmt: skip
def test_a_fault_is_told_in_words(field: dict[str, Any], words: str) -> None:
    assert words in faults_of(**{k: v for k, v in field.items() if k != "name"})


def test_unknown_properties_survive_the_round_trip(tmp_path: Path) -> None:
    content = {
        "name": "people",
        "title": "All of them",
        "x-owner": {"unit": [1, 2.5, "three"]},
        "missingValues": ["", "NA"],
        "fields": [{**AGE, "description": "years: completed", "rdfType": "schema:age", "x-note": ["a", {"b": None}]}],
    }
    schema = Schema.from_dict(content)
    assert schema.to_dict() == content
    for name in ("s.yaml", "s.json"):
        schema.save(tmp_path / name)
        again = Schema.load(tmp_path / name)
        assert again == schema
        assert again.to_dict() == content


def test_texts_that_yaml_would_bend_keep_their_form(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(
        "fields:\n"
        "- {name: a, type: string, categories: [01, 1.50, yes, no, on, true, 2020-01-01, 12:30, 1e5, None]}\n"
        "- {name: 2020, type: integer, categories: [01, 02]}\n"
    )
    schema = Schema.load(path)
    expected = ("01", "1.50", "yes", "no", "on", "true", "2020-01-01", "12:30", "1e5", "None")
    assert schema["a"].labels == expected
    assert schema["2020"].labels == ("1", "2")
    for name in ("again.yaml", "again.json"):
        schema.save(tmp_path / name)
        assert Schema.load(tmp_path / name)["a"].labels == expected


def test_a_data_package_gives_its_only_table(tmp_path: Path) -> None:
    package = {"name": "p", "resources": [{"name": "people", "path": "people.csv", "schema": {"fields": [AGE]}}]}
    path = tmp_path / "datapackage.json"
    path.write_text(json.dumps(package))
    assert Schema.load(path).name == "people"
    (tmp_path / "own.json").write_text(json.dumps({"fields": [AGE]}))
    path.write_text(json.dumps({"resources": [{"schema": "own.json"}]}))
    assert Schema.load(path).names == ("age",)
    path.write_text(json.dumps({"resources": [*package["resources"], {"name": "other"}]}))
    with pytest.raises(SchemaError, match="2 tables \\(people, other\\)"):
        Schema.load(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("fields: [", "not valid YAML"),
        ('{"fields": ', "not valid JSON"),
        ("- 1", "needs `fields`"),
        ("fields: []", "no fields"),
        ("", "needs `fields`"),
        ("fields:\n- name: a\n  type: boolean\n  type: string\n", "line 4: 'type' is given twice"),
        ("feilds: []\nfields: [{name: a, type: boolean}]", "Did you mean 'fields'?"),
        ("fields: [3]", "field 1: expected a mapping"),
    ],
)
def test_a_file_that_is_no_schema_is_refused_with_its_name(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / ("people.json" if text.startswith("{") else "people.yaml")
    path.write_text(text)
    with pytest.raises(SchemaError) as caught:
        Schema.load(path)
    assert words in str(caught.value)
    assert path.name in str(caught.value)


def test_a_missing_or_unreadable_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="there is no schema file"):
        Schema.load(tmp_path / "none.yaml")
    (tmp_path / "latin.yaml").write_bytes(b"name: caf\xe9")
    with pytest.raises(SchemaError, match="not UTF-8"):
        Schema.load(tmp_path / "latin.yaml")


def test_missing_has_a_code_only_where_the_field_says_so() -> None:
    plain = {"categories": ["a", "b"]}
    assert one(**plain)["x"].missing_code is None
    assert one(**plain, constraints={"required": False})["x"].missing_code == 2
    assert one(**plain, missingValues=["NA"])["x"].missing_code == 2
    assert one(**plain, missingValues=["NA"], constraints={"required": True})["x"].missing_code is None


def test_codes_come_in_their_order_and_extras_stay_apart_at_every_level() -> None:
    schema = one(
        type="integer",
        constraints={"minimum": 0, "maximum": 7, "required": False},
        special=[{"value": -1, "label": "never"}, 99],
        outside="other",
    )
    assert schema["x"].labels == ("0", "1", "2", "3", "4", "5", "6", "7", "never", "99", "other", "missing")
    assert sizes(schema) == [12, 8, 6]
    assert schema["x"].attribute.coarser[-1].groups == (0, 0, 0, 0, 1, 1, 1, 1, 2, 3, 4, 5)


def test_labels_never_meet_a_category_of_the_same_name() -> None:
    schema = one(categories=["other", "missing"], outside="other", constraints={"required": False})
    assert schema["x"].labels == ("other", "missing", "(other)", "(missing)")


def test_levels_pair_up_from_the_left_and_stop_at_two() -> None:
    assert sizes(one(categories=list("abcdefg"), categoriesOrdered=True)) == [7, 4, 2]
    assert sizes(one(categories=list("abcdefg"))) == [7]
    assert sizes(one(type="boolean")) == [2]
    assert sizes(one(type="integer", constraints={"minimum": 3, "maximum": 3}, bins=1)) == [1]


def test_a_taxonomy_is_cut_by_depth_from_the_root() -> None:
    tree = [["a", ["b", "c"]], "d", [["e", "f"], "g"]]
    schema = one(categories=list("abcdefg"), taxonomy=tree)
    assert [level.groups for level in schema["x"].attribute.coarser] == [(0, 1, 1, 2, 3, 3, 4), (0, 0, 0, 1, 2, 2, 2)]
    assert sizes(one(categories=list("ab"), taxonomy=[["a", "b"]])) == [2]


def test_a_taxonomy_may_stand_over_bins() -> None:
    field = {"type": "integer", "bins": {"edges": [0, 18, 65, 99], "closed": "left"}}
    by_number = one(**field, taxonomy=[0, [1, 2]])
    by_label = one(**field, taxonomy=["0–17", ["18-64", "65–99"]])
    assert by_number["x"].attribute == by_label["x"].attribute
    assert sizes(by_number) == [3, 2]


def test_bins_have_a_documented_default() -> None:
    assert one(type="integer", constraints={"minimum": 1, "maximum": 5})["x"].labels == ("1", "2", "3", "4", "5")
    for kind in ("integer", "number"):
        found = one(type=kind, constraints={"minimum": 0, "maximum": 99})["x"]
        assert (found.automatic, found.size) == (True, 24)
        even = one(type=kind, constraints={"minimum": 0, "maximum": 99}, bins={"closed": "left"})["x"]
        assert (even.automatic, even.size) == (False, 16)
    assert one(type="number", constraints={"minimum": 1, "maximum": 1}, bins=1)["x"].labels == ("[1, 1]",)


@pytest.mark.parametrize("bins", [{}, {"bins": "auto"}])
@pytest.mark.parametrize("kind", ["integer", "number", "date", "year"])
def test_a_range_of_one_value_is_refused_unless_it_is_meant(kind: str, bins: dict[str, Any]) -> None:
    end = "2020-05-01" if kind == "date" else 2020
    ends = {"minimum": end, "maximum": end}
    assert "a range of one value. Widen it" in faults_of(type=kind, constraints=ends, **bins)
    assert one(type=kind, constraints=ends, bins=1)["x"].size == 1


@pytest.mark.parametrize("maximum", [1, 15, 23])
@pytest.mark.parametrize("bins", [{}, {"bins": "auto"}])
def test_few_values_stay_whole_and_need_no_histogram(maximum: int, bins: dict[str, Any]) -> None:
    whole = one(type="integer", constraints={"minimum": 0, "maximum": maximum}, **bins)["x"]
    tenths = one(type="number", constraints={"minimum": 0, "maximum": maximum / 10}, decimals=1, **bins)["x"]
    for found in (whole, tenths):
        assert (found.automatic, found.size) == (False, maximum + 1)


def test_of_few_numbers_with_decimals_each_has_a_bin_around_it() -> None:
    """Bins of equal width had 0.19 read as 0.1, and labels such as (0.0952381, 0.190476]."""
    field = one(type="number", constraints={"minimum": 0, "maximum": 2}, decimals=1)["x"]
    assert field.labels == tuple(f"{i / 10:g}" for i in range(21))
    assert [field.labels[field.code_of(value)] for value in (0.19, 1.94, 1.96, 0.04, 2)] == [
        "0.2",
        "1.9",
        "2",
        "0",
        "2",
    ]
    uneven = one(type="number", constraints={"minimum": -0.24, "maximum": 0.16}, decimals=1)["x"]
    assert uneven.labels == ("-0.2", "-0.1", "0", "0.1")


@pytest.mark.parametrize(
    ("ends", "most"), [((0, 100), 13), ((-100, 0), 13), ((0, 9), 14), ((0, 1), 15), ((1000, 1001), 12), ((0, 10**6), 9)]
)
def test_the_most_decimals_that_work_are_told_and_work(ends: tuple[int, int], most: int) -> None:
    """One more used to be charged for, and gave no release: floats cannot tell such values from what lies between."""
    bounds = {"minimum": ends[0], "maximum": ends[1]}
    for bins in ("auto", {"count": 2, "inside": "auto"}):
        first, last = fine_schema(one(type="number", constraints=bounds, decimals=most, bins=bins))["x"].bins.grid
        assert (first <= last).all()
        if most < 15:
            assert f"Use {most} at most" in faults_of(type="number", constraints=bounds, decimals=most + 1, bins=bins)


def test_a_range_that_nobody_cut_is_not_told_of_its_bins() -> None:
    said = faults_of(type="number", constraints={"minimum": 0, "maximum": 1e-300})
    assert "its range holds no number of 22 decimals. Widen it, or use larger units." in said


@pytest.mark.parametrize(("bins", "meant"), [("aut", True), ("Auto", True), ("many", False)])
def test_bins_that_are_none_are_told_with_auto(bins: str, meant: bool) -> None:
    said = faults_of(type="integer", constraints={"minimum": 0, "maximum": 99}, bins=bins)
    assert f"bins must be auto, a count such as 16, or {{edges: […], closed: left}}; got '{bins}'." in said
    assert ("Did you mean 'auto'?" in said) == meant


def test_a_limit_that_is_no_day_is_told_so() -> None:
    said = faults_of(type="date", constraints={"minimum": "2023-02-30", "maximum": "2023-12-31"})
    assert "'2023-02-30' is a day that does not exist" in said


def test_beside_a_sensitivity_bins_that_are_not_declared_are_of_equal_width() -> None:
    """Promises for single columns do not cover the histograms that bins are found from."""
    ages = {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}}
    schema = Schema.from_dict({"fields": [ages, {"name": "ill", "type": "boolean", "sensitivity": "high"}]})
    assert (schema["age"].automatic, schema["age"].size) == (False, 16)


@pytest.mark.parametrize("closed", ["left", "right"])
@pytest.mark.parametrize("count", range(1, 30))
def test_as_many_bins_as_whole_numbers_hold_one_each(count: int, closed: str) -> None:
    schema = one(
        type="integer",
        constraints={"minimum": -3, "maximum": count - 4},
        bins={"count": count, "closed": closed},
    )
    assert schema["x"].labels == tuple(str(i) for i in range(-3, count - 3))


def test_the_closed_side_owns_the_edge() -> None:
    edges = [0, 18, 65, 99]
    right, left = (one(type="integer", bins={"edges": edges, "closed": side})["x"] for side in ("right", "left"))
    assert right.labels == ("0–18", "19–65", "66–99")
    assert left.labels == ("0–17", "18–64", "65–99")
    number = one(type="number", bins={"edges": edges, "closed": "left"})["x"]
    assert number.labels == ("[0, 18)", "[18, 65)", "[65, 99]")
    assert [number.code_of(v) for v in (0, 17.9, 18, 99)] == [0, 0, 1, 2]


def test_code_of_takes_labels_values_and_numbers() -> None:
    field = one(**{**AGE, "name": "x", "bins": 10, "special": [{"value": -1, "label": "never"}]})["x"]
    assert [field.code_of(v) for v in ("0–9", "0-9", 9, "9", 9.0, 10, -1, "never", "-1")] == [
        0,
        0,
        0,
        0,
        0,
        1,
        10,
        10,
        10,
    ]
    with pytest.raises(OptionError, match="outside its declared range 0–99"):
        field.code_of(100)
    with pytest.raises(OptionError, match="no missing values"):
        field.code_of(None)
    colour = one(categories=["red", "green"])["x"]
    with pytest.raises(OptionError, match="Did you mean 'green'"):
        colour.code_of("gren")
    labelled = one(type="integer", categories=[{"value": 1, "label": "yes"}, {"value": 2, "label": "no"}])["x"]
    assert [labelled.code_of(v) for v in ("yes", "2", 2)] == [0, 1, 1]
    assert one(type="boolean")["x"].code_of("true") == one(type="boolean")["x"].code_of(True) == 1


def test_ranges_of_dates_and_categories() -> None:
    dates = one(
        type="date", format="%d/%m/%Y", constraints={"minimum": "2020-01-01", "maximum": "31/12/2020"}, bins=12
    )["x"]
    assert dates.labels[0] == "01/01/2020–31/01/2020"
    assert dates.codes_between("2020-12-31") == (11,)
    assert dates.weights_between(None, "2020-01-31").sum() == pytest.approx(1.0)
    grades = one(type="integer", categories=[5, 1, 3])["x"]
    assert grades.codes_between(2, 5) == (0, 2)
    with pytest.raises(OptionError, match="no order"):
        one(categories=["a", "b"])["x"].codes_between("a", "b")
    with pytest.raises(OptionError, match="not a date"):
        dates.codes_between("soon")


def test_fields_can_follow_the_order_of_the_table() -> None:
    schema = Schema.from_dict({"fields": [AGE, {"name": "b", "type": "boolean"}]})
    assert schema.in_order_of(["b", "unknown", "age"]).names == ("b", "age")
    with pytest.raises(SchemaError, match="Did you mean 'age'"):
        schema["agee"]


def test_exclusive_limits_move_one_step_in() -> None:
    field = one(type="integer", constraints={"exclusiveMinimum": 0, "exclusiveMaximum": 4})["x"]
    assert field.labels == ("1", "2", "3")


def test_ranges_of_whole_numbers_leave_room_in_64_bits() -> None:
    for ends in ((0, 10**23), (-(10**18) - 1, 0), (0, 2**63), (-(2**63), 2**63 - 1)):
        for bins in ({}, {"bins": 16}, {"bins": {"edges": [*ends], "inside": "auto"}}):
            limits = {} if isinstance(bins.get("bins"), dict) else {"minimum": ends[0], "maximum": ends[1]}
            with pytest.raises(SchemaError, match=r"field 'x': its range goes beyond ±10\^18"):
                one(type="integer", constraints=limits, **bins)
    assert one(type="integer", constraints={"minimum": -(10**18), "maximum": 10**18}, bins=16)["x"].size == 16
    assert one(type="integer", constraints={"minimum": -(10**18), "maximum": 10**18})["x"].automatic
