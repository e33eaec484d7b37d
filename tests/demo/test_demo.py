"""The bundled table and its reviewed schema."""

import gzip

import pytest

import understudy as us
from understudy import demo
from understudy.schema import Schema
from understudy.tables import check_table


@pytest.fixture(scope="module")
def schema():
    return Schema.load(demo.schema_path())


def test_every_row_fits_the_reviewed_schema(schema):
    report = check_table(demo.table_path(), schema)
    assert report.faults == ()
    assert report.n_rows == 5912


def test_every_field_is_declared_and_none_is_a_draft(schema):
    assert schema.draft_fields == ()
    assert all(field.to_dict()["origin"] == "declared" for field in schema.fields)


def test_columns_of_table_and_schema_come_in_the_same_order(schema):
    with gzip.open(demo.table_path(), "rt", encoding="utf-8") as file:
        header = file.readline().strip().split(",")
    assert tuple(header) == schema.names


def test_the_bundle_is_small():
    assert demo.table_path().stat().st_size < 500_000


def test_the_source_note_explains_every_column(schema):
    note = demo.source_path().read_text(encoding="utf-8")
    assert all(f"`{name}`" in note for name in schema.names)
    assert "public domain" in note


def test_no_person_number_is_left_in_the_table(schema):
    assert not {"zper", "year", "id"} & set(schema.names)


def test_at_epsilon_one_visits_and_spending_fit_into_one_useful_table(schema):
    # the schema's own comment says so, and docs/known-limits.md gives the numbers
    plan = us.plan("demo", epsilon=1)
    assert plan.largest_useful_table == 47
    assert round(plan.noise_mean) == 31
    assert len(schema["doctor_visits"].labels) * len(schema["medical_spending"].labels) <= plan.largest_useful_table
