"""The bundled table and its reviewed schema."""

import gzip

import pandas as pd
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


def test_every_row_fits_the_schema_of_the_first_demo_and_it_has_the_same_columns(schema):
    health = Schema.load(demo.health_schema_path())
    assert check_table(demo.table_path(), health).faults == ()
    assert (health.names, health.draft_fields) == (schema.names, ())


def test_every_field_is_declared_and_none_is_a_draft(schema):
    assert schema.draft_fields == ()
    assert all(field.to_dict()["origin"] == "declared" for field in schema.fields)


def test_columns_of_table_and_schema_come_in_the_same_order(schema):
    with gzip.open(demo.table_path(), "rt", encoding="utf-8") as file:
        header = file.readline().strip().split(",")
    assert tuple(header) == schema.names


def test_the_bundle_is_small():
    assert demo.table_path().stat().st_size < 100_000
    assert demo.visits_path().stat().st_size < 200_000


def test_the_source_note_explains_every_column(schema):
    note = demo.source_path().read_text(encoding="utf-8")
    assert all(f"`{name}`" in note for name in schema.names)
    assert "public domain" in note


def test_no_person_number_is_left_in_the_table(schema):
    assert not {"zper", "year", "id"} & set(schema.names)


def test_at_epsilon_one_visits_and_spending_fit_into_one_useful_table(schema):
    # the schema's own comment says so, and docs/known-limits.md gives the numbers
    plan = us.plan("demo", epsilon=1, method="privbayes", delta=0, neighbours="replace-one")
    assert plan.largest_useful_table == 47
    assert round(plan.noise_mean) == 31
    assert len(schema["doctor_visits"].labels) * len(schema["medical_spending"].labels) <= plan.largest_useful_table


@pytest.fixture(scope="module")
def visits():
    return pd.read_csv(demo.visits_path())


@pytest.fixture(scope="module")
def visits_schema():
    return Schema.load(demo.visits_schema_path())


def test_every_year_fits_the_reviewed_schema_of_visits(visits_schema):
    report = check_table(demo.visits_path(), visits_schema)
    assert report.faults == ()
    assert report.n_rows == 20190
    assert visits_schema.draft_fields == ()
    assert all(field.to_dict()["origin"] == "declared" for field in visits_schema.fields)


def test_the_person_is_a_column_of_visits_and_no_field(visits, visits_schema):
    assert tuple(visits.columns) == ("person", *visits_schema.names)


def test_people_have_one_to_five_years_and_each_of_them_once(visits):
    sizes = visits.groupby("person").size()
    assert sizes.value_counts().to_dict() == {1: 269, 2: 246, 3: 3743, 4: 70, 5: 1584}
    assert not visits.duplicated(["person", "year"]).any()


def test_first_years_of_visits_are_the_demo_table(visits):
    first = visits.sort_values("year").groupby("person", as_index=False).head(1)
    people = pd.read_csv(demo.table_path())
    order = list(people.columns)
    ours = first[order].sort_values(order, ignore_index=True)
    pd.testing.assert_frame_equal(ours, people.sort_values(order, ignore_index=True))


def test_a_person_number_says_nothing_about_the_person(visits):
    people = visits.drop_duplicates("person")
    assert sorted(people["person"]) == list(range(1, 5913))
    # neighbours by number are not of one family: two people of six sites share theirs by chance, a family always does
    shared = (people["site"].to_numpy()[1:] == people["site"].to_numpy()[:-1]).mean()
    by_chance = (people["site"].value_counts(normalize=True) ** 2).sum()
    assert shared == pytest.approx(by_chance, abs=0.02)
    assert abs(people["person"].corr(people["income"])) < 0.05


def test_both_schemas_read_the_columns_they_share_alike(schema, visits_schema):
    for field in schema.fields:
        other = visits_schema[field.name]
        if field.name != "age":  # people grow older in the study
            assert field.to_dict() == other.to_dict()


def test_words_stand_for_bundled_tables():
    assert demo.bundled("demo") == (demo.table_path(), demo.schema_path())
    assert demo.bundled("demo-visits") == (demo.visits_path(), demo.visits_schema_path())
    assert demo.bundled("./demo-visits") is None
    assert demo.bundled(demo.visits_path()) is None
