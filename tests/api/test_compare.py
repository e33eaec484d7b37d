"""Methods × budgets × seeds, as rehearsals that can be broken off and taken up again."""

import errno
import json
import os
import re
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import understudy as us
from tests.api.people import SCHEMA, people
from tests.promises import STRICT_FLAGS
from understudy import methods as method_room
from understudy._api import _compare, _compare_runs, _rows
from understudy._api._compare_runs import Bench
from understudy.evaluation import make_references, measure_tables, pair_of_codes, read_pair
from understudy.methods import Independent, Uniform, _registry
from understudy.numbers import fine_schema
from understudy.options import CompareOptions, Real, option, options_of
from understudy.rehearsal import RunStore, _rehearse
from understudy.schema import Schema
from understudy.tables import Table, read_table

FAST = {"schema": SCHEMA, "methods": ["independent", "uniform"], "epsilons": [1, "0.1"], "seeds": 2, "ways": [1, 2]}


@pytest.fixture
def counted(monkeypatch):
    """Runs that were really done."""
    done = []
    real = Bench.run
    monkeypatch.setattr(Bench, "run", lambda self, task, counter: done.append(task) or real(self, task, counter))
    return done


def test_there_is_a_row_for_each_method_budget_and_measure():
    found = us.compare(people(), **FAST)
    keys = [(row["method"], row["epsilon"], row["measure"]) for row in found.rows_of_table()]
    assert keys == [(m, e, w) for m in ("independent", "uniform") for e in (0.1, 1.0) for w in ("1-way", "2-way")]
    assert all(row["low"] <= row["mean"] <= row["high"] and row["runs"] == 2 for row in found.rows_of_table())
    assert all(
        row["fresh_sample"] < row["independent_columns"] for row in found.rows_of_table() if row["measure"] == "2-way"
    )


def test_means_and_intervals_are_students_over_seeds():
    found = us.compare(people(), **{**FAST, "seeds": 5})
    row = found.rows_of_table()[0]
    each = [run.values["1-way"] for run in found.runs if run.method == "independent" and run.epsilon == Fraction(1, 10)]
    assert len(each) == 5
    half = 2.776445 * np.std(each, ddof=1) / np.sqrt(5)
    assert (row["mean"], row["high"] - row["mean"]) == (pytest.approx(np.mean(each)), pytest.approx(half, rel=1e-5))
    assert row["interval"] == "95 %"


def test_two_seeds_have_a_range_and_no_interval():
    """Student's t of two runs reaches twelve times as far as they are apart."""
    found = us.compare(people(), **FAST)
    for row in found.rows_of_table():
        wanted = (row["method"], Fraction(row["epsilon"]).limit_denominator(10))
        each = [run.values[row["measure"]] for run in found.runs if (run.method, run.epsilon) == wanted]
        assert (row["low"], row["high"], row["interval"]) == (min(each), max(each), "range")


def test_one_seed_has_no_interval():
    rows = us.compare(people(), **{**FAST, "seeds": 1}).rows_of_table()
    assert {(row["low"], row["high"], row["interval"]) for row in rows} == {(None, None, "none")}


@pytest.mark.parametrize("word", ["hpprivbayes", "hpprivbayes-as-printed", "auto:k=2"])
def test_what_is_advised_can_be_written_in_a_comparison(word):
    strict = {"delta": 0, "neighbours": "replace-one"}
    with pytest.raises(us.OptionError) as refused:
        us.compare(people(), **{**FAST, "methods": [word]}, **strict)
    known = {flag for option in options_of(CompareOptions) for flag in option.flags}
    assert set(re.findall(r"--[a-z-]+", str(refused.value))) <= known
    if word.startswith("hp"):
        assert f"{word}:sensitive=…" in str(refused.value)


AUTOMATIC = {
    "name": "people",
    "fields": [field | ({"bins": "auto"} if field["name"] == "age" else {}) for field in SCHEMA["fields"]],
}


def test_bins_that_are_to_be_found_are_found_as_publish_finds_them(tmp_path):
    """Every run pays for its own, and all are measured in the bins that the real rows give without noise."""
    given = {"schema": AUTOMATIC, "methods": ["independent"], "epsilons": [1, 1000], "seeds": [3], "ways": [1]}
    found = us.compare(people(), **given)
    release = us.publish(people(), schema=AUTOMATIC, epsilon=1, method="independent", seed=3, out=tmp_path / "r")
    bench = Bench(
        schema=Schema.from_dict(AUTOMATIC),
        table=read_table(people(), fine_schema(Schema.from_dict(AUTOMATIC))),
        ways=(1,),
    )
    yardstick = bench.yardstick.resolved.schema
    assert yardstick["age"].bins.shape is not None
    [published] = bench.distances([read_table(pd.read_csv(release.synthetic), yardstick)])
    near, far = (row["mean"] for row in reversed(found.rows_of_table()))
    assert far == published["1-way"]
    assert near < 0.02 < far


def test_answers_of_a_baseline_are_measured_in_the_same_bins():
    given = {"schema": AUTOMATIC, "methods": ["laplace:ways=2", "independent"], "epsilons": [10_000], "seeds": 1}
    rows = us.compare(people(), **given, ways=[1]).rows_of_table()
    assert max(row["mean"] for row in rows) < 0.02


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "file"])
def test_the_table_comes_as_the_kind_that_went_in(kind, tmp_path):
    polars = pytest.importorskip("polars")
    table = people()
    table.to_parquet(tmp_path / "people.parquet")
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    given = {"pandas": table, "polars": polars.from_arrow(arrow), "pyarrow": arrow, "file": tmp_path / "people.parquet"}
    found = us.compare(given[kind], **FAST).table
    assert type(found).__module__.split(".")[0] == ("pyarrow" if kind == "file" else kind)


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_a_run_measures_the_table_that_publish_with_that_seed_writes(tmp_path, neighbours):
    """The errors of the comparison are those that `evaluate` finds in the folder, with as many rows as it has."""
    run = {"neighbours": neighbours}
    found = us.compare(people(), **{**FAST, "methods": ["privbayes"], "epsilons": [1], "seeds": [3]}, **run)
    release = us.publish(
        people(), schema=SCHEMA, epsilon=1, method="privbayes", seed=3, out=tmp_path / "release", **run
    )
    pair = read_pair(people(), release.synthetic, Schema.from_dict(SCHEMA))
    properties = measure_tables(pair, make_references(pair), ways=(1, 2))
    assert found.runs[0].values == {p.name: pytest.approx(p.value) for p in properties}
    if neighbours == "add-remove":
        assert release.n_rows != 400  # or the number of rows would not be told from the real one
        return
    assert found.fresh_sample == {p.name: pytest.approx(p.fresh_sample) for p in properties}
    assert found.independent_columns == {p.name: pytest.approx(p.independent_columns) for p in properties}


def test_distances_are_those_of_evaluate_table_by_table():
    schema = Schema.from_dict(SCHEMA)
    table = read_table(people(), schema)
    other = Table(table.domain, tuple(np.roll(column, 7 * i) for i, column in enumerate(table.columns)))
    pair = pair_of_codes(schema, table, [other])
    [found] = Bench(schema=schema, table=table, ways=(1, 2, 3, 4)).distances([other])
    for p in measure_tables(pair, make_references(pair), ways=(1, 2, 3, 4)):
        assert found[p.name] == pytest.approx(p.value)


def test_no_ledger_is_touched_and_no_system_noise_drawn(monkeypatch):
    from understudy._core import randomness

    def refuse(*args):
        raise AssertionError("system noise in a rehearsal")

    monkeypatch.setattr(randomness.SystemBytes, "words", refuse)
    opened = []
    real = _rehearse.open_curator
    monkeypatch.setattr(_rehearse, "open_curator", lambda *args, **how: opened.append(how) or real(*args, **how))
    us.compare(people(), **{**FAST, "methods": None})
    assert opened
    assert all("ledger" not in how and not how["noise"].private for how in opened)


def test_the_table_is_read_once(monkeypatch):
    reads = []
    real = _rows.read_table
    monkeypatch.setattr(_rows, "read_table", lambda *args: reads.append(1) or real(*args))
    us.compare(people(), **FAST)
    assert reads == [1]


def test_finished_runs_are_kept_and_not_done_again(tmp_path, counted):
    first = us.compare(people(), **FAST, out=tmp_path / "c")
    assert len(counted) == 8
    again = us.compare(people(), **FAST, out=tmp_path / "c")
    assert len(counted) == 8
    assert again.rows_of_table() == first.rows_of_table()
    us.compare(people(), **{**FAST, "seeds": 3, "epsilons": [1]}, out=tmp_path / "c")
    assert [(task.method.name, task.seed) for task in counted[8:]] == [("independent", 2), ("uniform", 2)]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "change",
    [
        {"source": people(401)},
        {"schema": {**SCHEMA, "fields": [{**SCHEMA["fields"][0], "title": "other"}, *SCHEMA["fields"][1:]]}},
        {"delta": "1e-8"},
        {"neighbours": "replace-one"},
        {"ways": [2]},
        {"epsilons": [2, 3]},
        {"seeds": [7, 8]},
        {"methods": ["privbayes:k=0", "privbayes:k=1"]},
    ],
    ids=lambda change: next(iter(change)),
)
def test_whatever_a_result_depends_on_makes_it_another_run(tmp_path, counted, change):
    us.compare(people(), **FAST, out=tmp_path / "c")
    asked = {"source": people(), **FAST, **change}
    us.compare(asked.pop("source"), **asked, out=tmp_path / "c")
    assert len(counted) == 16


def test_runs_of_another_version_are_done_anew(tmp_path, counted, monkeypatch):
    us.compare(people(), **FAST, out=tmp_path / "c")
    monkeypatch.setattr(_compare_runs, "version", lambda name: "99.0")
    us.compare(people(), **FAST, out=tmp_path / "c")
    assert len(counted) == 16


def test_options_tell_runs_of_one_method_apart():
    runs = us.compare(people(), **{**FAST, "methods": ["privbayes:k=0", "privbayes:k=2"], "epsilons": [20]}).runs
    assert {run.method for run in runs} == {"privbayes:k=0", "privbayes:k=2"}
    mean = {m: np.mean([r.values["2-way"] for r in runs if r.method == m]) for m in ("privbayes:k=0", "privbayes:k=2")}
    assert mean["privbayes:k=2"] < mean["privbayes:k=0"]


def test_a_comparison_that_breaks_off_goes_on_where_it_was(tmp_path, monkeypatch, counted):
    done = []

    def stop(stage, at, total):
        done.append((stage, at, total))
        if stage == _compare.STAGE and at == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        us.compare(people(), **FAST, out=tmp_path / "c", progress=stop)
    assert not (tmp_path / "c" / "comparison.csv").exists()
    whole = us.compare(people(), **FAST, out=tmp_path / "c", progress=lambda *at: done.append(at))
    assert len(counted) == 8
    assert done[-1] == (_compare.STAGE, 5, 5)
    assert whole.rows_of_table() == us.compare(people(), **FAST).rows_of_table()


def test_a_line_cut_short_costs_one_run(tmp_path, counted):
    us.compare(people(), **FAST, out=tmp_path / "c")
    runs = tmp_path / "c" / "runs.jsonl"
    runs.write_bytes(runs.read_bytes()[:-20])
    us.compare(people(), **FAST, out=tmp_path / "c")
    us.compare(people(), **FAST, out=tmp_path / "c")
    assert len(counted) == 9


def test_the_folder_gets_a_table_a_figure_and_a_page_that_say_they_are_private(tmp_path):
    found = us.compare(people(), **FAST, out=tmp_path / "c")
    names = ["comparison.csv", "comparison.html", "comparison.json", "comparison.svg", "runs.jsonl"]
    assert sorted(path.name for path in (tmp_path / "c").iterdir()) == names
    read = {name: (tmp_path / "c" / name).read_text(encoding="utf-8") for name in names}
    assert json.loads(read["comparison.json"])["private"] == "computed from the real table: do not publish"
    assert json.loads(read["comparison.json"])["table"] == found.rows_of_table()
    assert (
        read["comparison.csv"].splitlines()[0]
        == "method,epsilon,measure,mean,low,high,interval,fresh_sample,independent_columns,runs"
    )
    assert len(read["comparison.csv"].splitlines()) == 9
    assert "Private to the holder" in read["comparison.html"]
    assert "(private)" in read["comparison.svg"]
    assert json.loads(read["runs.jsonl"].splitlines()[0])["private"]


def test_a_disk_that_fills_up_at_the_end_leaves_the_runs_and_says_so(tmp_path, counted, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(os, "fsync", full)  # of the result's files; runs are put off to a store that cannot fail
    monkeypatch.setattr(RunStore, "_write", lambda self, line: None)
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "runs.jsonl").write_text('{"understudy": "comparison"}\n')
    with pytest.raises(us.OutputError, match=r"comparison\.csv': the disk is full\. Finished runs are kept"):
        us.compare(people(), **FAST, out=tmp_path / "c")


def test_the_page_and_the_figure_are_well_formed_and_need_nothing_from_elsewhere(tmp_path):
    from xml.etree import ElementTree

    schema = {**SCHEMA, "name": 'a <b> & "c" \u202e'}
    us.compare(people(), **{**FAST, "schema": schema}, out=tmp_path / "c")
    ElementTree.fromstring((tmp_path / "c" / "comparison.svg").read_text(encoding="utf-8"))
    page = (tmp_path / "c" / "comparison.html").read_text(encoding="utf-8")
    assert "<b>" not in page
    assert "<script" not in page
    assert not any(f"{word}=" in page for word in (" src", " href"))


def test_figures_are_found_by_measure():
    found = us.compare(people(), **FAST)
    assert "2-way" in found.figure("2-way").svg
    assert found.figure().svg == found.figure("1-way").svg
    with pytest.raises(us.OptionError, match=r"no measure '2way'\. Did you mean '2-way'"):
        found.figure("2way")


def test_a_perfect_table_has_a_figure_too():
    """An error of 0 has no place on a logarithmic axis."""
    constant = pa.table({"a": ["x"] * 9, "b": ["x"] * 9})
    schema = {"fields": [{"name": name, "categories": ["x"]} for name in "ab"]}
    found = us.compare(constant, schema=schema, epsilons=[1], seeds=1, ways=[2])
    assert {row["mean"] for row in found.rows_of_table()} == {0.0}
    assert found.figure().svg.startswith("<svg")


def test_one_row_can_be_compared():
    assert len(us.compare(people(1), **FAST).runs) == 8


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"methods": ["privbays"]}, "Did you mean 'privbayes'"),
        ({"methods": ["independent:k=2"]}, "has no option 'k'"),
        ({"methods": []}, "no method was given"),
        ({"methods": ["uniform", Uniform()]}, "method uniform is given twice"),
        ({"epsilons": [0]}, "'epsilons' parameter must be a number above 0"),
        ({"epsilons": ["much"]}, "'epsilons' parameter"),
        ({"epsilons": []}, "no epsilon was given"),
        ({"epsilons": [1, "1.0"]}, "epsilon 1 is given twice"),
        ({"delta": 2}, "'delta' parameter"),
        ({"seeds": 0}, "'seeds' parameter must be a whole number of at least 1"),
        ({"seeds": 1.5}, "'seeds' parameter"),
        ({"seeds": []}, "no seed was given"),
        ({"seeds": [1, 1]}, "seed 1 is given twice"),
        ({"neighbours": "both"}, "'neighbours' parameter must be one of"),
        ({"ways": [5]}, "'ways' parameter must be a whole number from 1 to 4"),
        ({"ways": [0]}, "'ways' parameter"),
        ({"ways": []}, "at least one"),
        ({"methods": ["privbayes:score=F"]}, "binary"),
        ({"schema": None}, "a schema is needed"),
        ({"epsilon": 1}, r"there is no option 'epsilon'\. Did you mean 'epsilons'"),
    ],
)
def test_what_cannot_work_is_refused_before_the_table_is_opened(tmp_path, change, said):
    with pytest.raises(us.UserError, match=said):
        us.compare(tmp_path / "no-such-file.csv", **{**FAST, **change}, out=tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_one_method_one_budget_and_one_width_need_no_list():
    found = us.compare(people(), schema=SCHEMA, methods=Uniform(), epsilons="1/3", seeds=range(2), ways=1)
    assert [(run.method, run.epsilon, run.seed) for run in found.runs] == [
        ("uniform", Fraction(1, 3), s) for s in (0, 1)
    ]
    assert found.measures == ("1-way",)


def test_more_ways_than_columns_are_refused():
    schema = {"fields": [SCHEMA["fields"][0]]}
    with pytest.raises(us.OptionError, match="the table has 1"):
        us.compare(people()[["sex"]], schema=schema)


@pytest.mark.parametrize("what", ["file", "folder", "other runs", "link"])
def test_a_folder_that_holds_something_else_is_left_alone(tmp_path, what):
    out = tmp_path / "c"
    if what == "file":
        out.write_text("mine")
    else:
        out.mkdir()
        (out / {"folder": "notes.txt", "other runs": "runs.jsonl", "link": "notes.txt"}[what]).write_text("mine\n")
        if what == "link":
            (out / "runs.jsonl").symlink_to(out / "notes.txt")
    with pytest.raises(us.OutputError, match="Choose another --out"):
        us.compare(tmp_path / "no-such-file.csv", **FAST, out=out)


def test_a_bad_table_leaves_no_folder(tmp_path):
    table = people()
    table.loc[0, "sex"] = "?"
    with pytest.raises(us.TableError):
        us.compare(table, **FAST, out=tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_a_method_joins_publish_plan_compare_and_the_list_by_being_registered(tmp_path, monkeypatch, capsys):
    from understudy.cli._main import run

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Newcomer(Independent):
        """Do what independent does, under another name."""

        name = "newcomer"
        boost: float = option(1.0, Real(above=0), help="How much more of the same.")

    # the same mapping is imported in several places, so it is changed in place
    monkeypatch.setitem(_registry.METHODS, "newcomer", Newcomer)
    assert method_room.METHODS["newcomer"] is Newcomer
    people().to_csv(tmp_path / "people.csv", index=False)
    Schema.from_dict(SCHEMA).save(tmp_path / "people.schema.yaml")
    monkeypatch.chdir(tmp_path)
    common = ["people.csv", "--schema", "people.schema.yaml"]
    assert run(["methods"]) == 0
    assert "under another name" in capsys.readouterr().out
    assert run(["plan", *common, *STRICT_FLAGS, "--epsilon", "1", "--method", "newcomer", "--option", "boost=2"]) == 0
    assert run(["publish", *common, "--epsilon", "1", "--method", "newcomer", "--option", "boost=2"]) == 0
    assert run(["compare", *common, "--seeds", "1", "--epsilons", "1"]) == 0
    assert "newcomer" in capsys.readouterr().out
