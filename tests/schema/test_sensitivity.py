"""`sensitivity` and `sensitivities`: policy in the schema, checked, kept and part of the domain."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from understudy import Schema, SchemaError

CATEGORIES = ["HIV", "cold", "flu"]


def field(**more):
    return {"name": "ill", "categories": CATEGORIES, **more}


def read(**more):
    return Schema.from_dict({"fields": [field(**more)]})


@pytest.mark.parametrize(
    ("written", "number"), [("high", 1), ("low", 0), ("High", 1), (0.25, Fraction(1, 4)), (1, 1), (0, 0)]
)
def test_words_and_numbers_are_read(written, number):
    assert read(sensitivity=written).domain[0].sensitivity == number


def test_nothing_is_sensitive_unless_declared_and_weights_declare_it():
    assert read().domain[0].sensitivity == 0
    assert read(sensitivities={"HIV": 3}).domain[0].sensitivity == 1
    assert read(sensitivities={"HIV": 3}, sensitivity="low").domain[0].sensitivity == 0


def test_weights_name_values_labels_bins_and_what_is_missing():
    assert read(sensitivities={"HIV": 3, "flu": 0.5}).domain[0].weights == (3, 1, Fraction(1, 2))
    assert read(sensitivities={"HIV": 2, "cold": 2, "flu": 2}).domain[0].weights == ()  # all alike
    labelled = {"name": "ill", "categories": [{"value": "1", "label": "HIV"}, {"value": "2", "label": "cold"}]}
    schema = Schema.from_dict({"fields": [{**labelled, "sensitivities": {"HIV": 3}}]})
    assert schema.domain[0].weights == (3, 1)
    assert Schema.from_dict({"fields": [{**labelled, "sensitivities": {"1": 3}}]}).domain == schema.domain
    age = {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99, "required": False}, "bins": 2}
    weights = Schema.from_dict({"fields": [{**age, "sensitivities": {"50-99": 2, "missing": 4}}]}).domain[0].weights
    assert weights == (1, 2, 4)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"sensitivity": 2}, "sensitivity must be high, low or a number from 0 to 1; got 2"),
        ({"sensitivity": "highest"}, "sensitivity must be high, low"),
        ({"sensitivity": True}, "sensitivity must be high, low"),
        ({"sensitivities": {"HVI": 3}}, "'HVI' is not one of its values. Did you mean 'HIV'?"),
        ({"sensitivities": {"HIV": 0}}, "the weight of 'HIV' must be a number above 0; got 0"),
        ({"sensitivities": {"HIV": -1}}, "must be a number above 0"),
        ({"sensitivities": {"HIV": "much"}}, "must be a number above 0"),
        ({"sensitivities": {"HIV": float("inf")}}, "must be a number above 0"),
        ({"sensitivities": {"HIV": 10**9}}, "must lie between 1/1000 and 1000"),
        ({"sensitivities": ["HIV"]}, "sensitivities must be a mapping such as {HIV: 3, cold: 1}"),
        ({"sensitivities": {"plague": 3}, "outside": "other"}, "'plague' is not one of its values"),
        ({"sensitivty": "high"}, "Did you mean 'sensitivity'?"),
    ],
)
def test_bad_policy_is_told(more, sentence):
    with pytest.raises(SchemaError) as told:
        read(**more)
    assert sentence in str(told.value)


def test_policy_is_kept_in_files(tmp_path: Path):
    schema = read(sensitivity=0.5, sensitivities={"HIV": 3})
    for name in ("a.schema.yaml", "a.schema.json"):
        schema.save(tmp_path / name)
        assert Schema.load(tmp_path / name).domain == schema.domain
