"""A unit of several rows, from the options to the release: who counts how much, and what is said about it."""

import json
import re
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import understudy as us
from tests.promises import STRICT
from understudy import demo
from understudy._core.errors import LedgerError, OptionError, TableError
from understudy.correlate import Groups, write_groups
from understudy.methods import Contingency
from understudy.privacy import read_ledger
from understudy.release import privacy_letter

SCHEMA = {
    "name": "visits",
    "fields": [
        {"name": "ward", "categories": ["a", "b", "c"]},
        {"name": "ill", "categories": ["no", "yes"]},
        {"name": "old", "categories": ["no", "yes"]},
    ],
}


def visits(n=600, rows_each=3, seed=1):
    rng = np.random.default_rng(seed)
    ward = rng.integers(0, 3, n)
    return pa.table(
        {
            "patient": np.arange(n) // rows_each,
            "ward": np.array(list("abc"))[ward],
            "ill": np.array(["no", "yes"])[(rng.random(n) < 0.2 + 0.3 * ward / 2).astype(int)],
            "old": np.array(["no", "yes"])[rng.integers(0, 2, n)],
        }
    )


def publish(tmp_path, table=None, **options):
    given = {"schema": SCHEMA, "epsilon": 1, "out": tmp_path / "release", "unit": "patient", "max_rows": 2}
    return us.publish(visits() if table is None else table, **given | options)


@pytest.mark.parametrize("bounding", ["drop", "weigh"])
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("delta", [0, "1e-9"])
def test_a_release_protects_all_rows_of_a_unit(tmp_path, bounding, neighbours, delta):
    release = publish(tmp_path, bounding=bounding, neighbours=neighbours, delta=delta, epsilon=20)
    statement = release.statement
    assert (statement.max_rows, statement.bounding, statement.n_public) == (2, bounding, False)
    assert "all rows with the same patient" in statement.unit
    assert 250 < statement.n_rows < 550  # two rows for each of 200 patients, and noise of about 5
    assert release.n_rows == statement.n_rows
    assert "patient" not in us.load(release.path / "model.understudy").schema.names
    assert "patient" not in release.synthetic.read_text().splitlines()[0]
    letter = (release.path / "PRIVACY.md").read_text()
    assert "all rows of one unit were" in letter
    assert "How many units that concerned is not published" in letter
    assert ("chosen by chance" if bounding == "drop" else "each for an equal part") in letter
    assert json.loads((release.path / "privacy.json").read_text())["max_rows"] == 2


def test_noise_is_stated_in_rows_however_rows_are_bounded(tmp_path):
    noise = [
        {line.noise for line in publish(tmp_path, bounding=how, method="independent", overwrite=True).statement.charges}
        for how in ("drop", "weigh")
    ]
    assert noise[0] == noise[1]


def test_with_one_row_for_each_unit_the_number_of_units_is_public(tmp_path):
    for how in ("drop", "weigh"):
        release = publish(tmp_path, max_rows=1, bounding=how, overwrite=True, **STRICT)
        assert (release.n_rows, release.statement.n_public) == (200, True)


def test_weighing_uses_all_rows(tmp_path):
    """Without noise the shares are those of all rows, where every unit has as many; with a dropped row they are not."""
    weighed = publish(tmp_path, max_rows=1, bounding="weigh", method="independent", diagnostic="no-privacy")
    real = visits()["ward"].to_pylist()
    found = weighed.model.query("ward")
    assert list(found.probabilities) == pytest.approx([real.count(word) / 600 for word in "abc"])


@pytest.mark.parametrize("method", ["privbayes", "privabn", "independent", "uniform"])
def test_error_bars_and_rows_do_not_depend_on_parts(tmp_path, method):
    release = publish(tmp_path, bounding="weigh", method=method, seed=3)
    assert release.model.sample(10).shape[0] == 10
    assert us.load(release.path / "model.understudy").statement == release.statement
    if method == "independent":
        answer = release.model.query("ward")
        # at this size each count of about 130 rows has noise of a few rows
        assert 0.005 < max(answer.standard_error) < 0.2


def test_estimators_and_plan_take_a_unit():
    model = us.PrivBayes(epsilon=1, unit="patient", max_rows=2, seed=1).fit(visits(), SCHEMA)
    assert model.statement_.max_rows == 2
    one, five = (
        us.plan(schema=SCHEMA, epsilon=1, rows=600, unit="patient", max_rows=k, method="independent") for k in (1, 5)
    )
    assert five.noise_mean == pytest.approx(5 * one.noise_mean * 50 / 49, rel=0.02)
    drop, weigh = (
        us.plan(schema=SCHEMA, epsilon=1, rows=600, unit="patient", max_rows=5, bounding=how)
        for how in ("drop", "weigh")
    )
    assert (drop.rows, drop.noise_mean) == (weigh.rows, pytest.approx(weigh.noise_mean, rel=0.01))
    with pytest.raises(OptionError, match="--rows N"):
        us.plan(visits(), schema=SCHEMA, epsilon=1, unit="patient", max_rows=5)


def test_compare_takes_a_unit(tmp_path):
    asked = {
        "schema": SCHEMA,
        "methods": ["independent"],
        "epsilons": [2],
        "seeds": 2,
        "ways": [1],
        "out": tmp_path / "c",
    }
    plain = us.compare(visits().drop(["patient"]), **asked | {"out": None})
    unit = us.compare(visits(), unit="patient", max_rows=3, **asked)
    assert "patient" in unit.unit
    assert unit.rows_of_table()[0]["mean"] > plain.rows_of_table()[0]["mean"]
    again = us.compare(visits(), unit="patient", max_rows=3, **asked)
    assert [run.values for run in again.runs] == [run.values for run in unit.runs]
    other = us.compare(visits(), unit="patient", max_rows=1, bounding="weigh", **asked)
    assert [run.values for run in other.runs] != [run.values for run in unit.runs]


def test_a_ledger_adds_up_bounds_of_one_column_and_no_other_units(tmp_path):
    book = {"ledger": tmp_path / "budget.db", "dataset": "visits", "overwrite": True}
    publish(tmp_path, **book, cap=4)
    publish(tmp_path, **book, max_rows=1)
    release = publish(tmp_path, **book, bounding="weigh")
    [account] = read_ledger(tmp_path / "budget.db").accounts.values()
    assert account.spent == 3
    assert release.statement.ledger.head == read_ledger(tmp_path / "budget.db").entries[-1].hash
    with pytest.raises(LedgerError, match="do not add up"):
        publish(tmp_path, visits().drop(["patient"]), **book, unit=None, max_rows=None)


@pytest.mark.parametrize("bounding", ["drop", "weigh"])
def test_with_one_row_a_unit_the_public_number_is_that_of_units(tmp_path, bounding):
    """How many rows the units have in the table is private, and is said nowhere."""
    release = publish(tmp_path, max_rows=1, bounding=bounding, **STRICT)
    letter = privacy_letter(release.statement)
    assert (release.statement.n_rows, release.statement.n_public) == (200, True)
    assert "200 units; neighbours" in letter
    assert "The number of units is public; how many rows they have is not." in letter
    assert "The method, its options, the number of units and" in letter
    assert "number of rows is public" not in letter
    for file in release.path.glob("*.json"):
        said = re.sub(r"[0-9a-f]{64}", "", file.read_text())  # hashes may hold any digits
        assert not re.search(r"(?<![0-9.])600(?![0-9])", said)


@pytest.mark.parametrize("options", [{}, {"bounding": "weigh"}, {"bounding": "weigh", "max_rows": 1}], ids=str)
def test_figures_of_changes_are_explained_where_there_are_some(tmp_path, options):
    explained = "Figures are for a change of that kind in all rows of a unit"
    assert explained in privacy_letter(publish(tmp_path, **options, delta=0).statement)
    # under (ε, δ) no such figures are stated
    assert explained not in privacy_letter(publish(tmp_path, **options, delta="1e-9", overwrite=True).statement)


@pytest.mark.parametrize("method", ["privbayes", "privabn", "jtree", "mwem", "independent"])
def test_a_plan_for_weighed_rows_speaks_of_rows(method):
    asked = {"schema": SCHEMA, "epsilon": 1, "unit": "patient", "max_rows": 2, "rows": 1_000_000, "method": method}
    assert us.plan(**asked, bounding="weigh") == us.plan(**asked)


def test_weighed_rows_leave_as_many_candidates(tmp_path):
    """A pass over weighed rows takes as long as one over the others."""
    fields = [{"name": f"c{i}", "categories": [f"{c}" for c in range(3 + i % 2)]} for i in range(16)]
    rng = np.random.default_rng(0)
    table = pa.table({f["name"]: rng.choice(f["categories"], 3000) for f in fields} | {"patient": range(3000)})
    most = "most candidates per choice"
    drop, weigh = (
        publish(
            tmp_path,
            table,
            schema={"name": "wide", "fields": fields},
            epsilon=50,
            overwrite=True,
            bounding=how,
            method="privbayes",
            max_rows=1,
            neighbours="replace-one",  # else candidates follow from a noisy number of rows
        ).statement.options[most]
        for how in ("drop", "weigh")
    )
    assert drop == weigh


def groups_file(tmp_path, sizes, **how):
    of_row = np.repeat(np.arange(len(sizes)), sizes)
    write_groups(tmp_path / "groups.parquet", Groups(of_row=of_row, max_rows=max(sizes), **how))
    return tmp_path / "groups.parquet"


def test_groups_protect_any_few_rows_and_drop_none(tmp_path):
    table = visits().drop(["patient"])
    release = publish(tmp_path, table, unit=None, max_rows=None, groups=groups_file(tmp_path, [3] * 200), epsilon=20)
    assert (release.statement.max_rows, release.statement.bounding, release.statement.n_public) == (3, None, False)
    assert 400 < release.n_rows < 800  # and noise of about 8
    letter = privacy_letter(release.statement)
    assert "any 3 rows were added or left out" in letter
    assert "declared before the run, not read off the table" in letter
    # what the file says of rows goes nowhere: other groups of the same bound make the same release
    asked = {"unit": None, "max_rows": 3, "seed": 5, "overwrite": True}
    texts = set()
    for sizes in ([3] * 200, [3] + [1] * 597):
        run = publish(tmp_path, table, groups=groups_file(tmp_path, sizes), **asked)
        texts.add(run.synthetic.read_text())
    assert len(texts) == 1


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"max_rows": None}, OptionError, "one word, so it names the column"),
        ({"max_rows": 0}, OptionError, "max_rows"),
        ({"unit": None}, OptionError, "needs units"),
        ({"unit": "ward"}, OptionError, "Take it out of the schema's fields"),
        ({"unit": "patients"}, TableError, "Did you mean 'patient'"),
        ({"unit": None, "max_rows": None, "bounding": "weigh"}, OptionError, "--max-rows"),
        ({"method": "privbayes", "score": "I"}, OptionError, "units have several rows"),
        ({"method": "privabn-as-printed", "no_guarantee": True, **STRICT}, OptionError, "for units of one row"),
    ],
    ids=str,
)
def test_what_cannot_be_a_unit_is_refused_before_a_charge(tmp_path, options, error, message):
    with pytest.raises(error, match=message):
        publish(tmp_path, ledger=tmp_path / "budget.db", cap=3, **options)
    assert not (tmp_path / "release").exists()
    if (tmp_path / "budget.db").exists():
        assert all(account.spent == 0 for account in read_ledger(tmp_path / "budget.db").accounts.values())


def test_words_that_are_a_column_are_refused(tmp_path):
    table = visits().rename_columns(["patient id", "ward", "ill", "old"])
    with pytest.raises(OptionError, match="is a column of the table"):
        publish(tmp_path, table, unit="patient id", max_rows=None)


def test_groups_of_another_table_or_beside_a_column_are_refused(tmp_path):
    path = groups_file(tmp_path, [2] * 10)
    with pytest.raises(TableError, match="the file of groups speaks of 20"):
        publish(tmp_path, visits().drop(["patient"]), unit=None, max_rows=None, groups=path)
    with pytest.raises(OptionError, match="not by both"):
        publish(tmp_path, groups=path)
    with pytest.raises(TableError, match="more rows than the declared bound of 1"):
        publish(tmp_path, unit=None, max_rows=1, groups=path)


def test_a_draft_leaves_the_unit_out_and_a_check_reads_it(tmp_path):
    table = visits()
    drafted = us.draft_schema(table, unit="patient")
    assert drafted.names == ("ward", "ill", "old")
    assert us.check_table(table, drafted, unit="patient").ok
    drafted.save(tmp_path / "visits.yaml")
    assert us.check_table(table, tmp_path / "visits.yaml", unit="patient").ok
    assert not us.check_table(table, drafted).ok
    holes = table.set_column(0, "patient", pa.array([None, *range(599)]))
    assert "no value there (row 1)" in us.check_table(holes, drafted, unit="patient").faults[0]
    with pytest.raises(TableError, match="no column 'patent'"):
        us.draft_schema(table, unit="patent")


def test_the_visits_of_the_demo_come_out_for_persons(tmp_path):
    release = us.publish(
        demo.visits_path(),
        schema=demo.visits_schema_path(),
        epsilon=2,
        out=tmp_path / "r",
        unit="person",
        max_rows=1,
        bounding="weigh",
        neighbours="replace-one",
    )
    assert release.n_rows == 5912
    assert release.statement.epsilon == Fraction(2)


@pytest.mark.parametrize("bounding", ["drop", "weigh"])
def test_cells_are_held_against_rows_not_parts_of_them(tmp_path, bounding):
    method = Contingency(clip="table")
    statement = publish(tmp_path, visits(12), method=method, bounding=bounding, epsilon=50, seed=1).statement
    [remark] = [one for one in statement.warnings if "cells" in one]  # 8 rows, in 16 parts where they are weighed
    assert statement.n_rows < 12
    assert f"12 cells for {statement.n_rows} rows" in remark
