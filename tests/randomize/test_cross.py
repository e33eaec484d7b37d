"""Who sends what to whom: the paper's six steps, from a structure and the parties' schemas."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.randomize.setup_one import HOLDERS, PARENTS, bif, schema_of
from understudy._core.errors import ModelFileError, OptionError, SchemaError
from understudy.randomize import cross
from understudy.randomize._skeleton import read_skeleton

SCHEMAS = {party: schema_of(party) for party in HOLDERS}


def test_a_variable_is_cross_if_a_parent_is_elsewhere_and_local_otherwise() -> None:
    found = cross(PARENTS, SCHEMAS)
    assert {p.name: p.local for p in found.parties} == {
        "travel": ("asia", "tub"),
        "clinic": ("smoke", "lung", "bronc"),
        "imaging": ("xray",),
    }
    assert found["imaging"].cross == {"either": ("tub", "lung"), "dysp": ("bronc",)}
    assert not found["travel"].cross
    assert not found["clinic"].cross


def test_only_cross_parents_are_sent_and_only_to_those_who_need_them() -> None:
    found = cross(PARENTS, SCHEMAS)
    assert found["travel"].sends == {"imaging": ("tub",)}
    assert found["clinic"].sends == {"imaging": ("lung", "bronc")}
    assert found["imaging"].sends == {}
    assert found["imaging"].receives == {"travel": ("tub",), "clinic": ("lung", "bronc")}
    assert found["clinic"].sent == ("lung", "bronc")
    assert found["imaging"].sent == ()


def test_public_cross_parents_are_sent_as_they_are() -> None:
    found = cross(PARENTS, SCHEMAS, public=["bronc", "asia"])
    assert found["clinic"].sensitive == ("lung",)
    assert found["clinic"].public == ("bronc",)
    assert found["clinic"].sent == ("lung", "bronc")
    assert found["travel"].public == ()
    assert "bronc (as it is)" in found.steps()[1]


def test_every_variable_has_exactly_one_party() -> None:
    assert cross(PARENTS, SCHEMAS).owners == {name: party for party, names in HOLDERS.items() for name in names}


def test_the_six_steps_name_everyone_who_has_a_part() -> None:
    steps = cross(PARENTS, SCHEMAS, public=["tub"]).steps()
    assert [step.split(":")[0] for step in steps] == [
        "1. Randomise",
        "2. Send",
        "3. Learn local variables",
        "4. Count and un-mix cross variables",
        "5. Parameters of cross variables",
        "6. Share parameters",
    ]
    assert steps[0] == "1. Randomise: clinic: lung, bronc."
    assert "travel to imaging: tub (as it is)" in steps[1]
    assert "dysp given either (its own), bronc (from clinic, randomised)" in steps[3]
    assert steps[4] == "5. Parameters of cross variables: imaging: either, dysp."


def test_a_bif_file_yaml_json_and_a_mapping_say_the_same(tmp_path: Path) -> None:
    as_yaml = "".join(f"{name}: [{', '.join(parents)}]\n" for name, parents in PARENTS.items())
    for name, text in {"net.bif": bif(), "net.yaml": as_yaml, "net.json": json.dumps(PARENTS)}.items():
        (tmp_path / name).write_text(text)
        assert cross(tmp_path / name, SCHEMAS).to_dict() == cross(PARENTS, SCHEMAS).to_dict()


@pytest.mark.parametrize("text", ["[asia, smoke]", "asia: smoke", "asia: [1]", "asia: {smoke: 1}", "1: []"])
def test_a_structure_file_that_lists_no_parents_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "net.yaml").write_text(text)
    with pytest.raises(OptionError, match="structure"):
        cross(tmp_path / "net.yaml", SCHEMAS)


def test_the_fingerprint_is_of_the_links_and_not_of_their_order() -> None:
    one = read_skeleton({"a": [], "b": [], "c": ["a", "b"]})
    assert one.fingerprint == read_skeleton({"c": ["b", "a"], "b": [], "a": []}).fingerprint
    assert one.fingerprint != read_skeleton({"a": [], "b": [], "c": ["a"]}).fingerprint


def test_a_party_without_variables_of_the_structure_has_no_part() -> None:
    idle = {"fields": [{"name": "shoe", "type": "boolean"}]}
    found = cross(PARENTS, SCHEMAS | {"idle": idle})["idle"]
    assert (found.local, found.cross, found.sends, found.unused) == ((), {}, {}, ("shoe",))


def test_a_cycle_is_refused() -> None:
    with pytest.raises(ModelFileError, match="circle"):
        cross({"a": ["b"], "b": ["a"]}, {"one": {"fields": [{"name": "a"}, {"name": "b"}]}})


def test_a_variable_that_nobody_holds_is_refused() -> None:
    with pytest.raises(SchemaError, match=r"'dysq' of the structure is in no party's schema. Did you mean 'dysp'"):
        cross({**PARENTS, "dysq": ()}, SCHEMAS)


def test_a_variable_that_two_hold_is_refused() -> None:
    twice = {**SCHEMAS, "travel": {"fields": [*schema_of("travel")["fields"], {"name": "xray", "type": "boolean"}]}}
    with pytest.raises(SchemaError, match="'xray' is in the schemas of travel and imaging"):
        cross(PARENTS, twice)


@pytest.mark.parametrize(
    ("structure", "words"),
    [
        ({}, "no variables"),
        ({"a": ["b"]}, "no variable of it"),
        ({"a": [], "b": ["a", "a"]}, "twice"),
        ({"a": "b"}, "list of names"),
        (7, "Got int"),
    ],
)
def test_a_structure_that_is_none_is_refused(structure: object, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        read_skeleton(structure)  # type: ignore[arg-type]


def test_unknown_names_are_refused() -> None:
    with pytest.raises(OptionError, match="no variable 'lungs' to declare public"):
        cross(PARENTS, SCHEMAS, public=["lungs"])
    with pytest.raises(OptionError, match=r"no party 'clinics'\. Did you mean 'clinic'"):
        cross(PARENTS, SCHEMAS)["clinics"]


def test_columns_whose_names_bif_cannot_spell_are_found() -> None:
    schemas = {
        "hospital": {"fields": [{"name": "is ill", "type": "boolean"}]},
        "insurer": {"fields": [{"name": "Größe", "type": "boolean"}]},
    }
    plain, spelt = {"is_ill": [], "Gro_e": ["is_ill"]}, {"is ill": [], "Größe": ["is ill"]}
    assert cross(plain, schemas)["insurer"].cross == {"Größe": ("is ill",)}
    assert cross(plain, schemas).to_dict() == cross(spelt, schemas).to_dict()
    with pytest.raises(OptionError, match="stand for the same column"):
        cross({"is_ill": [], "IS_ILL": []}, schemas)
