"""Plans: what they are made from, what they are refused for, and files that say the same to the last digit."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from understudy import UserError
from understudy.randomize import Block, Matrix, Plan, Response, plan, read_block, report
from understudy.schema import Schema

FIELDS = [
    {"name": "smoking", "type": "boolean"},
    {"name": "disease", "categories": ["none", "mild", "grave"]},
    {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}, "bins": 10},
    {"name": "sex", "categories": ["F", "M"]},
    {"name": "country", "categories": ["here"]},
]
SCHEMA = Schema.from_dict({"name": "hospital", "fields": FIELDS})


def columns_of(made: Plan) -> list[tuple[str, ...]]:
    return [block.columns for block in made.blocks]


@pytest.mark.parametrize("epsilon", ["1.1", "0.3", 4, 0.5, Fraction(1, 3), "7/3"])
@pytest.mark.parametrize("separate", [False, True])
def test_a_record_spends_what_it_was_given_and_no_more(epsilon: Any, separate: bool) -> None:
    spent = report(plan(SCHEMA, epsilon=epsilon, separate=separate)).epsilon
    assert spent is not None
    wanted = Fraction(str(epsilon))
    assert wanted - Fraction(1, 10**8) <= spent <= wanted


@pytest.mark.parametrize("gamma", [3, "14/3", 1000])
@pytest.mark.parametrize("separate", [False, True])
def test_a_record_has_the_gamma_it_was_given_and_no_more(gamma: Any, separate: bool) -> None:
    found = report(plan(SCHEMA, gamma=gamma, separate=separate)).gamma
    assert found is not None
    assert Fraction(gamma) * (1 - Fraction(1, 10**8)) <= found <= Fraction(gamma)


def test_gamma_is_met_exactly_where_there_is_one_block() -> None:
    assert report(plan(SCHEMA, gamma="14/3", columns=["smoking", "sex"])).gamma == Fraction(14, 3)


def test_columns_go_together_by_default_and_apart_if_asked() -> None:
    few = ["smoking", "disease", "sex"]
    assert columns_of(plan(SCHEMA, epsilon=2, columns=few)) == [("smoking", "disease", "sex")]
    assert columns_of(plan(SCHEMA, epsilon=1, columns=few, parties=1)) == [("smoking", "disease", "sex")]
    assert columns_of(plan(SCHEMA, epsilon=1, columns=few, separate=True)) == [("smoking",), ("disease",), ("sex",)]
    assert columns_of(plan(SCHEMA, epsilon=1, columns=few, max_cells=5))[0] == ("smoking", "sex")
    assert columns_of(plan(SCHEMA, p="0.1", columns=few)) == [("smoking",), ("disease",), ("sex",)]


def test_named_blocks_take_their_part_and_the_others_the_rest() -> None:
    made = plan(SCHEMA, epsilon="1.1", blocks={("disease", "smoking"): "epsilon=0.7"}, public=["sex"])
    assert ("disease", "smoking") in columns_of(made)
    found = report(made)
    assert found.columns["disease"] == Fraction("0.7")
    assert found.epsilon == Fraction("1.1")
    assert "sex" not in found.columns
    assert made.block_of("sex").sensitive is False
    assert made.block_of("country").matrix == Response(1, Fraction(1))


def test_a_block_without_a_matrix_is_kept_together_and_gets_its_share() -> None:
    made = plan(SCHEMA, epsilon=1, blocks={("age", "sex"): None, "smoking": "p=0.4"})
    assert ("age", "sex") in columns_of(made)
    assert report(made).epsilon == 1
    by_p = plan(SCHEMA, p="0.01", blocks={("age", "sex"): None})
    assert by_p.block_of("sex").matrix == Response(20, Fraction(81, 100))


def test_a_plan_sends_only_the_columns_that_it_names() -> None:
    fields = [{"name": name, "type": "boolean"} for name in "abc"]
    schema = {"fields": fields, "dependencies": [{"determines": ["a"], "column": "b"}], "primaryKey": "a"}
    made = plan(schema, epsilon=1, columns=["c", "b"])
    assert made.schema.names == ("b", "c")
    assert made.schema.dependencies == ()
    assert Plan.from_dict(made.to_dict()) == made


def test_the_partys_name_is_the_schemas_or_its_files(tmp_path: Path) -> None:
    path = tmp_path / "clinic.schema.yaml"
    path.write_text(yaml.safe_dump({"fields": FIELDS}))
    assert plan(path, epsilon=1).party == "clinic"
    assert plan(str(path), epsilon=1, party=" ward ").party == "ward"
    assert plan(SCHEMA, epsilon=1).party == "hospital"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "how is smoking, disease, age, sex randomised"),
        ({"epsilon": 1, "p": "0.1"}, "in two ways"),
        ({"epsilon": 0}, "epsilon must be above 0"),
        ({"epsilon": "x"}, "epsilon must be a number"),
        ({"epsilon": True}, "epsilon must be a number"),
        ({"epsilon": 1000}, "more than 40"),
        ({"gamma": 1}, "gamma must be above 1"),
        ({"p": "0.5"}, "smoking: a transition matrix of 2 values is singular"),
        ({"p": "0.2"}, "age: p is the probability of each other value"),
        ({"epsilon": 1, "public": ["sexx"]}, "Did you mean 'sex'"),
        ({"epsilon": 1, "columns": ["agee"]}, "Did you mean 'age'"),
        ({"epsilon": 1, "columns": []}, "no columns are left"),
        ({"epsilon": 1, "blocks": {"agee": "p=0.1"}}, "Did you mean 'age'"),
        ({"epsilon": 1, "blocks": {("age", "sex"): "p=0.01", "sex": "p=0.1"}}, "column 'sex' is in two blocks"),
        ({"epsilon": 1, "blocks": {"sex": "p=0.1"}, "public": ["sex"]}, "public and in a block"),
        (
            {"epsilon": 1, "blocks": {"sex": "epsilon=1"}},
            "take epsilon 1 of 1 for the whole record, and there are others",
        ),
        ({"gamma": 3, "blocks": {"sex": "p=0.1"}}, "take gamma 9 of 3"),
        ({"epsilon": 1, "blocks": {(): "p=0.1"}}, "names no columns"),
        ({"epsilon": 1, "max_cells": 0}, "max_cells"),
        ({"epsilon": 1, "party": ""}, "a party needs a name"),
        ({"epsilon": 1, "party": "a\x1b[2J"}, "a party needs a name"),
        ({"epsilon": "1e-12"}, "nothing could be learnt"),
    ],
)
def test_what_cannot_be_planned_is_told_in_a_sentence(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError, match=words):
        plan(SCHEMA, **options)


def test_a_block_of_too_many_cells_is_refused() -> None:
    schema = {"fields": [{"name": f"c{i}", "categories": list("abcdefgh")} for i in range(8)]}
    with pytest.raises(UserError, match="16,777,216 values together"):
        plan(schema, blocks={tuple(f"c{i}" for i in range(8)): "epsilon=1"})


def test_all_columns_named_need_no_default() -> None:
    made = plan(SCHEMA, blocks={"smoking": "p=0.1"}, columns=["smoking", "country"])
    assert report(made).epsilon is not None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("smoking,disease: epsilon=0.7", (("smoking", "disease"), "epsilon=0.7")),
        ("disease : groups=none mild|grave; p=0.2", (("disease",), "groups=none mild|grave; p=0.2")),
        ("a:b: p=0.1", (("a:b",), "p=0.1")),
        ('"x, y", age', (("x, y", "age"), None)),
        ("age: matrix=C:/m.csv", (("age",), "matrix=C:/m.csv")),
    ],
)
def test_blocks_are_read_as_the_command_line_has_them(text: str, found: tuple[Any, Any]) -> None:
    assert read_block(text, [*SCHEMA.names, "a:b", "x, y"]) == found


def test_a_block_with_an_unknown_column_is_told() -> None:
    with pytest.raises(UserError, match="no column 'smokin'"):
        read_block("smokin: p=0.1", SCHEMA.names)


# files --------------------------------------------------------------------------------------------------------------


@st.composite
def matrices(draw: st.DrawFn, size: int) -> Response | Matrix:
    if draw(st.booleans()):
        return Response(size, Fraction(draw(st.integers(0, 10**6)), 10**6) if size > 1 else Fraction(1))
    rows = []
    for _ in range(size):
        weights = draw(st.lists(st.integers(0, 99), min_size=size, max_size=size).filter(any))
        rows.append([Fraction(weight, sum(weights)) for weight in weights])
    try:
        return Matrix.of(rows)
    except UserError:  # a common denominator of more than 62 bits
        return Response(size, Fraction(1))


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    texts = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8)
    names = draw(st.lists(texts, min_size=1, max_size=4, unique=True))
    sizes = [draw(st.integers(1, 4)) for _ in names]
    schema = Schema.from_dict(
        {
            "name": draw(texts),
            "fields": [
                {"name": name, "categories": [f"{draw(texts)}{i}" for i in range(size)]}
                for name, size in zip(names, sizes, strict=True)
            ],
        }
    )
    cut = draw(st.integers(0, len(names)))
    groups = [names[:cut], *([name] for name in names[cut:])] if cut else [[name] for name in names]
    blocks = []
    for group in groups:
        found = tuple(schema[name].size for name in group)
        cells = 1
        for size in found:
            cells *= size
        matrix = draw(matrices(cells)) if cells <= 12 else Response(cells, Fraction(1, 2))
        blocks.append(
            Block(
                columns=tuple(group),
                sizes=found,
                matrix=matrix,
                sensitive=not matrix.unchanged or draw(st.booleans()),
                asked=draw(texts),
                from_data=draw(st.booleans()),
            )
        )
    return Plan(party=draw(texts), schema=schema, blocks=tuple(blocks))


@given(plans())
def test_a_plans_file_reads_back_as_the_same_plan(made: Plan) -> None:
    from understudy.schema._yaml import read_yaml

    for content in (read_yaml(made.to_yaml()), json.loads(json.dumps(made.to_dict()))):
        again = Plan.from_dict(content)
        assert again == made
        assert again.schema.fields == made.schema.fields
        assert again.fingerprint == made.fingerprint


@given(plans(), st.data())
def test_any_change_changes_the_fingerprint(made: Plan, data: st.DataObject) -> None:
    content = made.to_dict()
    block = content["blocks"][data.draw(st.integers(0, len(content["blocks"]) - 1))]
    what = data.draw(st.sampled_from(["party", "sensitive", "columns", "label", "keep"]))
    if what == "party":
        content["party"] += "x"
    elif what == "sensitive":
        if block["matrix"]["form"] != "none":
            return
        block["sensitive"] = not block.get("sensitive", True)
    elif what == "label":
        content["schema"]["fields"][0]["categories"][0] += "x"
    elif what == "columns":
        content["blocks"].append(content["blocks"].pop(0))
        if len(content["blocks"]) == 1:
            return
    elif block["matrix"]["form"] == "response":
        block["matrix"]["keep"] = str(Fraction(block["matrix"]["keep"]) / 2)
        if Fraction(block["matrix"]["keep"]) == 0:
            return
    else:
        return
    assert Plan.from_dict(content).fingerprint != made.fingerprint


def test_the_fingerprint_is_the_same_on_every_machine() -> None:
    made = plan(SCHEMA, p="0.05", public=["sex"])
    assert made.fingerprint == plan(SCHEMA, p="0.05", public=["sex"]).fingerprint
    last_digit = plan(SCHEMA, p="0.050000000000001", public=["sex"])
    assert made.fingerprint != last_digit.fingerprint
    assert len(made.fingerprint) == 64


def test_a_plan_is_saved_and_loaded(tmp_path: Path) -> None:
    made = plan(SCHEMA, epsilon=9, blocks={"disease": "invariant=0.8", "sex": "p=0.1/0.2"})
    made.save(tmp_path / "a.plan.yaml")
    again = Plan.load(tmp_path / "a.plan.yaml")
    assert (again, again.fingerprint) == (made, made.fingerprint)


GOOD = plan(SCHEMA, epsilon=10, blocks={"disease": "p=0.1/0.2", "sex": "p=0.1"}).to_dict()


def changed(*path: Any, to: Any) -> dict[str, Any]:
    content = json.loads(json.dumps(GOOD))
    inner = content
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = to
    return dict(content)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([], "this is no plan"),
        (None, "this is no plan"),
        ({}, "this is no plan"),
        ({"format": "understudy-plan/1"}, "the plan has no 'schema'"),
        (changed("format", to="understudy-plan/2"), "this is no plan"),
        (changed("party", to=3), "'party' must be a name"),
        (changed("party", to="a\x1b"), "'party' must be a name"),
        (changed("parties", to="x"), "unknown key 'parties'"),
        (changed("blocks", to="x"), "'blocks' must be a list"),
        (changed("blocks", to=None), "'blocks' must be a list"),
        (changed("blocks", to=[]), "says nothing about smoking, disease"),
        (changed("blocks", 0, to=7), "block 1 of the plan names no columns"),
        (changed("blocks", 0, "columns", to="smoking"), "names no columns"),
        (changed("blocks", 0, "columns", to=["smokin"]), "Did you mean 'smoking'"),
        (changed("blocks", 1, "columns", to=["smoking"]), "must have 2 rows of 2"),
        (changed("blocks", 0, "matrix", to=None), "has no 'matrix'"),
        (changed("blocks", 0, "matrix", to={"form": "x"}), "its form is one of"),
        (changed("blocks", 0, "matrix", to={"form": "response"}), "None is no probability"),
        (changed("blocks", 0, "matrix", to={"form": "response", "keep": "2"}), "from 0 to 1"),
        (changed("blocks", 0, "matrix", to={"form": "response", "keep": "1e-300"}), "too many digits"),
        (changed("blocks", 1, "matrix", "rows", to=3), "its form is one of"),
        (changed("blocks", 1, "matrix", "rows", to=[[1] * 400] * 400), "must have 3 rows of 3"),
        (changed("blocks", 1, "matrix", "rows", 0, 0, to="9"), "row 1 of the matrix adds up to"),
        (changed("blocks", 1, "matrix", "rows", 0, 0, to="1e390"), "row 1 of the matrix adds up to far more"),
        (changed("blocks", 1, "matrix", "rows", 0, 0, to={}), "is no probability"),
        (changed("blocks", 0, "sensitive", to="no"), "'sensitive' must be true or false"),
        (changed("blocks", 0, "sensitive", to=False), "randomised, and not sensitive"),
        (changed("blocks", 0, "sensitve", to=False), "Did you mean 'sensitive'"),
        (changed("schema", to={}), "a schema needs `fields`"),
        (changed("schema", "fields", to=[]), "no fields"),
        (changed("schema", "fields", 1, "categories", to=["a"]), "must have 1 rows of 1"),
    ],
)
def test_a_plan_file_that_is_none_is_told_in_a_sentence(tmp_path: Path, content: Any, words: str) -> None:
    path = tmp_path / "p.plan.yaml"
    path.write_text(json.dumps(content))
    with pytest.raises(UserError, match=words) as caught:
        Plan.load(path)
    assert str(caught.value).startswith("p.plan.yaml: ")
    assert len(str(caught.value)) < 500


def test_files_that_are_no_text_or_not_there_are_told(tmp_path: Path) -> None:
    path = tmp_path / "p.plan.yaml"
    with pytest.raises(UserError, match="there is no plan file"):
        Plan.load(path)
    path.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(UserError, match="not UTF-8"):
        Plan.load(path)


def test_a_plan_is_shown_in_a_line() -> None:
    assert repr(plan(SCHEMA, epsilon=1, columns=["smoking", "sex"])).startswith("Plan(party='")
    assert len(repr(plan(SCHEMA, epsilon=1))) < 200
