"""`evaluate` from Python: tables, releases and models; what comes out, and what is refused."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import understudy as us
from tests.api.people import SCHEMA, people
from understudy.schema import Schema
from understudy.tables import open_source


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return us.publish(
        people(), schema=SCHEMA, epsilon=1, method="privbayes", out=tmp_path_factory.mktemp("r") / "release", seed=3
    )


@pytest.fixture(scope="module")
def private_release(tmp_path_factory):
    return us.publish(people(), schema=SCHEMA, epsilon=1, out=tmp_path_factory.mktemp("p") / "release")


@pytest.fixture(scope="module")
def report(release):
    return us.evaluate(people(), release.path, classifiers=False)


def test_two_tables_and_a_schema_are_enough():
    report = us.evaluate(people(), people(), SCHEMA, classifiers=False)
    assert report.score == 1.0
    assert report.find("3-way").value == 0.0
    assert report.facts.epsilon is None


def test_a_release_brings_its_schema_its_model_and_its_statement(report, release):
    assert report.facts.method == "privbayes"
    assert report.facts.epsilon == 1.0
    assert "<svg" in report.facts.network_svg
    assert "NOT PRIVATE" in report.facts.stamp  # it was seeded
    assert report.find("2-way").from_model is not None
    assert report.find("network information").fresh_sample is not None


def test_of_a_tree_relations_are_told_and_no_network(private_release, tmp_path):
    report = us.evaluate(people(), private_release.path, classifiers=False)
    assert report.facts.method == "adaptive (chosen by auto)"
    assert "network information" not in {result.name for result in report.results}
    page = report.save(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "The relations behind the synthetic table" in page
    assert "A line has no direction." in page
    assert "The network behind" not in page


def test_every_number_stands_between_its_references_or_says_why_not(report):
    for way in ("2-way", "3-way"):
        known = report.find(way)
        assert known.fresh_sample < known.independent_columns
        assert 0 <= known.value <= 1
    assert all(known.verdict for known in report.results)


def test_the_details_are_a_dataframe_of_the_kind_that_came_in(release):
    assert isinstance(us.evaluate(people(), release, classifiers=False).details("2-way"), pd.DataFrame)
    assert isinstance(us.evaluate(pl.from_pandas(people()), release, classifiers=False).table, pl.DataFrame)
    frame = pa.Table.from_pandas(people(), preserve_index=False)
    assert isinstance(us.evaluate(frame, release, classifiers=False).worst(3), pa.Table)


def test_what_a_larger_budget_would_do_comes_from_the_plan(report):
    lines = report.facts.budgets
    assert [line.epsilon for line in lines] == [0.25, 0.5, 1.0, 2.0, 4.0]
    assert [line.current for line in lines] == [False, False, True, False, False]
    errors = [line.pair_error for line in lines]
    assert errors == sorted(errors, reverse=True)
    rows = report.facts.rows_synthetic
    planned = us.plan(schema=SCHEMA, rows=rows, epsilon=[0.25, 0.5, 1, 2, 4], method="privbayes").outlook
    for line, wanted in zip(
        lines, planned, strict=True
    ):  # one forecast for both: what a plan foretells is what is shown
        for name in ("column_error", "pair_error", "independent_error", "pairs_kept", "pairs", "relations"):
            assert getattr(line, name) == getattr(wanted, name)


def test_a_model_alone_is_asked_for_a_table(release):
    report = us.evaluate(people(), release.model, classifiers=False)
    assert report.facts.rows_synthetic == release.n_rows
    by_file = us.evaluate(people(), release.path / "model.understudy", classifiers=False)
    assert by_file.find("2-way").value == report.find("2-way").value


def test_several_draws_give_an_interval(release):
    known = us.evaluate(people(), release, draws=4, classifiers=False).find("2-way")
    low, high = known.interval
    assert low < known.value < high


def test_several_tables_give_an_interval_too():
    rng = np.random.default_rng(1)
    tables = [people().sample(frac=1, replace=True, random_state=rng) for _ in range(3)]
    assert us.evaluate(people(), tables, SCHEMA, classifiers=False).find("1-way").interval is not None


def test_classifiers_are_tested_on_rows_that_were_held_out(release):
    held = people().sample(n=150, random_state=4)
    report = us.evaluate(people(), release, classifiers=True, targets=["smokes"], holdout=held)
    known = report.find("AUC: boosting")
    assert 0 <= known.value <= 1
    assert report.facts.rows_synthetic == release.n_rows  # the held-out rows are not a synthetic table


def test_the_report_is_saved_as_a_page_and_as_numbers(report, tmp_path):
    page = report.save(tmp_path / "report.html").read_text()
    assert "do not publish" in page.lower()
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page.replace("https://www.w3.org", "")
    numbers = json.loads(report.save(tmp_path / "report.json").read_text())
    assert numbers["private"] == "computed from the real table: do not publish"
    assert numbers["score"] == report.score


def test_a_public_page_never_sees_the_real_table(private_release, tmp_path):
    found = us.public_report(private_release.path)
    page = found.save(tmp_path / "public.html").read_text()
    assert "May be published" in page
    assert found.to_dict().keys().isdisjoint({"results", "rows_real", "score"})


def test_the_head_of_a_report_says_who_is_protected(private_release, release):
    for made in (
        us.evaluate(people(), private_release.path, classifiers=False),
        us.public_report(private_release.path),
    ):
        assert made.facts.unit == "one row"
        assert "protects <b>one row</b>" in made.html()
    rehearsed = us.evaluate(people(), release.path, classifiers=False)
    assert "protects <b>" not in rehearsed.html()  # it keeps no promise


def test_what_other_budgets_would_give_is_for_the_unit_that_is_protected(tmp_path):
    """A unit of four rows has four times the noise of one."""
    table = people().assign(person=np.arange(400) // 4)
    found = []
    for name, unit in (("row", {}), ("unit", {"unit": "person", "max_rows": 4})):
        source = table if unit else people()
        made = us.publish(source, schema=SCHEMA, epsilon=1, method="independent", out=tmp_path / name, **unit)
        found.append([line.noise_per_cell for line in us.public_report(made.path).facts.budgets])
    assert found[1] == pytest.approx([4 * noise for noise in found[0]], rel=0.1)


def test_what_other_budgets_would_give_reckons_with_bins_that_are_found_anew(tmp_path):
    """Under `bins: auto` another budget finds other bins: what a release found is not what it is planned with."""
    fields = [field | {"bins": "auto"} if field["name"] == "age" else field for field in SCHEMA["fields"]]
    schema = {"name": "people", "fields": fields}
    made = us.publish(people(), schema=schema, epsilon=1, out=tmp_path / "release", seed=1)
    lines = us.public_report(made.path).facts.budgets
    planned = us.plan(schema=schema, rows=made.statement.n_rows, epsilon=[0.25, 0.5, 1, 2, 4]).outlook
    assert [line.column_error for line in lines] == [one.column_error for one in planned]


def test_a_rehearsal_has_no_page_to_publish(release):
    assert not us.public_report(release.path).may_be_published


def test_two_real_tables_that_give_one_release_give_one_public_page(tmp_path):
    # uniform takes nothing from the rows but their number
    other = people().assign(smokes=people()["smokes"].iloc[0])
    pages = []
    for name, frame in (("one", people()), ("two", other)):
        found = us.publish(frame, schema=SCHEMA, epsilon=1, method="uniform", seed=5, out=tmp_path / name)
        pages.append(us.public_report(found.path))
    assert pages[0].html() == pages[1].html()
    assert pages[0].to_dict() == pages[1].to_dict()


def test_a_public_page_needs_a_model(tmp_path):
    people().to_csv(tmp_path / "synthetic.csv", index=False)
    for named in (people(), tmp_path, tmp_path / "synthetic.csv"):
        with pytest.raises(us.OptionError, match="made from a release"):
            us.public_report(named)


def test_the_public_page_is_the_same_whatever_the_real_table_holds(release, monkeypatch):
    # the release is all it reads: a release folder moved to a machine without the table gives the same page
    opened = []
    monkeypatch.setattr("understudy.tables._read.open_source", lambda s: opened.append(s) or open_source(s))
    us.public_report(release.path)
    assert opened == [release.synthetic]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda frame: frame.drop(columns=["age"]), "age"),
        (lambda frame: frame.rename(columns={"age": "Age"}), "age"),
        (lambda frame: frame.iloc[:0], "no rows"),
    ],
)
def test_tables_with_other_columns_or_none_are_refused(change, words):
    with pytest.raises(us.TableError, match=words):
        us.evaluate(people(), change(people()), SCHEMA, classifiers=False)
    with pytest.raises(us.TableError, match=words):
        us.evaluate(change(people()), people(), SCHEMA, classifiers=False)


def test_another_tools_table_is_judged_not_refused():
    made = people().astype({"smokes": object}).assign(id=range(400))
    made.loc[:9, "smokes"] = "perhaps"
    report = us.evaluate(people(), made, SCHEMA, classifiers=False)
    assert "smokes" in report.find("validity").verdict
    assert report.find("1-way").value > 0


def test_one_row_is_enough_for_a_report(tmp_path):
    one = people().iloc[:1]
    for real, synthetic in ((people(), one), (one, people()), (one, one)):
        report = us.evaluate(real, synthetic, SCHEMA)
        assert report.save(tmp_path / "one.html").stat().st_size > 1000


def test_a_constant_target_is_told(release):
    frame = people().assign(smokes=people()["smokes"].iloc[0])
    with pytest.raises(us.OptionError, match="smokes"):
        us.evaluate(frame, release, targets=["smokes"], classifiers=True)


def test_a_constant_target_is_told_before_the_work_begins(release, monkeypatch):
    monkeypatch.setattr("understudy._api._evaluate.make_references", lambda *_, **__: pytest.fail("work was done"))
    with pytest.raises(us.OptionError, match="constant"):
        us.evaluate(people().assign(smokes=True), release, targets=["smokes"], classifiers=True)


def test_held_out_rows_are_called_so_in_errors(release):
    with pytest.raises(us.TableError, match="held-out table: "):
        us.evaluate(people(), release, classifiers=True, holdout=people().drop(columns=["age"]))


@pytest.mark.parametrize("ways", [0, [], [5], "2,3", [1.5], [2, True]])
def test_ways_that_are_none_are_refused(ways):
    with pytest.raises(us.OptionError, match="ways"):
        us.evaluate(people(), people(), SCHEMA, ways=ways, classifiers=False)


def test_ways_beyond_the_columns_are_left_out_unless_none_is_left():
    schema = {"name": "t", "fields": [{"name": name, "categories": ["x", "y"]} for name in "ab"]}
    table = pa.table({"a": list("xxyy"), "b": list("xyxy")})
    assert us.evaluate(table, table, schema, ways=(2, 3), classifiers=False).find("2-way").value == 0
    with pytest.raises(us.OptionError, match="the table has 2"):
        us.evaluate(table, table, schema, ways=3, classifiers=False)


def test_few_rows_are_said_to_leave_much_to_chance(report):
    assert report.facts.notes == ()
    few = us.evaluate(people().iloc[:7], people(), SCHEMA, classifiers=False)
    assert "no more than 7 rows" in few.facts.notes[0]


def test_a_copy_is_said_to_be_closer_than_a_fresh_sample():
    report = us.evaluate(people(), people(), SCHEMA, classifiers=False)
    assert "less than a fresh sample" in report.find("3-way").verdict


def test_a_folder_without_a_table_says_what_to_do(release, tmp_path):
    with pytest.raises(us.TableError, match="found nothing"):
        us.evaluate(people(), tmp_path)
    (tmp_path / "model.understudy").write_bytes((release.path / "model.understudy").read_bytes())
    with pytest.raises(us.TableError, match="understudy sample"):
        us.evaluate(people(), tmp_path)


def test_a_table_alone_needs_a_schema_and_cannot_draw_more(tmp_path):
    with pytest.raises(us.OptionError, match="needs a schema"):
        us.evaluate(people(), people())
    with pytest.raises(us.OptionError, match="model"):
        us.evaluate(people(), people(), SCHEMA, draws=3)


def test_missing_values_on_one_side_only_are_counted():
    holed = people().astype(object)
    holed.loc[:99, "smokes"] = None
    report = us.evaluate(people(), holed, Schema.from_dict(SCHEMA), classifiers=False)
    assert report.details("1-way").iloc[0]["column_1"] == "smokes"
