"""Results that were kept without their runs, as in a fresh clone, are not computed again."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256

import pytest
from tests.docs.blocks import PROJECT

from research import EXPERIMENTS, Run, _kept, _runner, figures, read_outcomes, run_experiment
from research._kept import values_by_run
from research.tests.made_up import write_binary_table
from research.tests.test_running import SMALL, change_numbers_of, note_computed, values_of
from understudy._core.errors import OutputError
from understudy.rehearsal import RunStore

pytestmark = pytest.mark.slow


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Folders of data and results; the store of runs is gone."""
    for module in (figures, _kept):
        monkeypatch.setattr(module, "EXPERIMENTS", {**EXPERIMENTS, "small": SMALL})
    write_binary_table(tmp_path / "data", "nltcs", 6)
    folders = {"data": tmp_path / "data", "out": tmp_path / "out"}
    run_experiment("small", quick=True, **folders, jobs=1)
    (tmp_path / "out" / "runs.jsonl").unlink()
    return folders


@pytest.fixture
def computed(kept, monkeypatch):
    return note_computed(monkeypatch)


def test_their_values_are_taken_and_only_what_is_new_is_computed(kept, computed):
    before = values_of(kept["out"])
    run_experiment("small", quick=True, **kept, jobs=1)
    assert len(computed) == 2  # one of each method, to see whether the rest is still true
    assert values_of(kept["out"]) == before
    run_experiment("small", seeds=3, **kept, jobs=1)
    assert len(computed) == 2 + 2 + 4
    assert before.items() < values_of(kept["out"]).items()


def test_values_of_other_code_are_computed_anew_and_not_taken_again(kept, computed, monkeypatch):
    before = values_of(kept["out"])
    change_numbers_of("independent", monkeypatch)

    def stop(stage, done, total):
        if (stage, done) == (_runner.STAGE, 3):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_experiment("small", quick=True, **kept, jobs=1, progress=stop)
    assert values_of(kept["out"]) == before
    assert len(computed) == 2 + 3
    run_experiment("small", quick=True, **kept, jobs=1)
    assert len(computed) == 5 + 2 + 1
    after = values_of(kept["out"])
    assert after == {place: value + 0.001 * (place[0] == "independent") for place, value in before.items()}


def test_values_of_other_data_are_not_taken(kept, computed, tmp_path):
    write_binary_table(tmp_path / "other", "nltcs", 6, seed=2)
    run_experiment("small", quick=True, data=tmp_path / "other", out=kept["out"], jobs=1)
    assert len(computed) == 8


def damaged(text, how):
    """The file with one value changed or left out, or something that is no file of values."""
    first, *rows = text.splitlines(keepends=True)
    if how == "a value less":
        del rows[5]
    elif how == "another value":
        rows[5] = rows[5].rpartition(",")[0] + ",0.5\n"
    elif how == "another line":
        rows = [row.replace("uniform", "unifrom") for row in rows]
    elif how == "an open quote":
        rows[5] = '"' + rows[5] + "x" * 200_000
    return "" if how == "empty" else first + "".join(rows)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("how", ["a value less", "another value", "another line", "an open quote", "empty"])
def test_values_that_were_changed_are_computed_anew(kept, computed, how):
    path = kept["out"] / "small" / "results.csv"
    right = values_of(kept["out"])
    path.write_text(damaged(path.read_text(), how))
    run_experiment("small", quick=True, **kept, jobs=1)
    assert len(computed) == 8
    assert values_of(kept["out"]) == right


def as_if_written_so(out, name, change):
    """Change an experiment's values as if the code had computed them so, in a folder of results without a store."""
    folder = out / name
    text = change((folder / "results.csv").read_text())
    (folder / "results.csv").write_text(text)
    document = json.loads((folder / "result.json").read_text())
    document["values"] = sha256(text.encode()).hexdigest()
    (folder / "result.json").write_text(json.dumps(document))


@pytest.mark.parametrize("text", ["group,series,x,seed,measure,value\n,uniform,0.5,0,Q2,one\n", '"' + "x" * 200_000])
def test_what_is_no_file_of_values_is_computed_anew(kept, computed, text):
    as_if_written_so(kept["out"], "small", lambda _: text)
    run_experiment("small", quick=True, **kept, jobs=1)
    assert len(computed) == 8


def test_results_of_other_code_do_not_hide_behind_those_of_another_experiment(kept, computed, monkeypatch):
    right = values_of(kept["out"])
    other = replace(SMALL, name="other")
    for module in (figures, _kept):
        monkeypatch.setattr(module, "EXPERIMENTS", {**EXPERIMENTS, "small": SMALL, "other": other})
    run_experiment("other", seeds=1, **kept, jobs=1)  # the first of the two seeds
    (kept["out"] / "runs.jsonl").unlink()
    as_if_written_so(kept["out"], "small", lambda text: text.replace(",Q2,0.", ",Q2,0.9"))
    run_experiment("small", quick=True, **kept, jobs=1)
    assert values_of(kept["out"]) == right


@pytest.mark.parametrize("text", ["{", '{"seeds": 10000000}'])
def test_a_damaged_result_of_another_experiment_stops_nothing(kept, computed, text):
    other = kept["out"] / "privbayes-fig12"
    other.mkdir()
    (other / "result.json").write_text(text)
    run_experiment("small", quick=True, **kept, jobs=1)
    assert len(computed) == 2


def test_a_result_of_more_repetitions_than_can_be_asked_for_is_damaged(kept):
    path = kept["out"] / "small" / "result.json"
    path.write_text(path.read_text().replace('"seeds": 2', '"seeds": 10000000'))
    with pytest.raises(OutputError, match="damaged"):
        read_outcomes(kept["out"], ["small"])


def test_a_store_that_was_begun_and_left_takes_the_results_all_the_same(kept, computed):
    RunStore.open(kept["out"], "experiment")
    run_experiment("small", quick=True, **kept, jobs=1)
    assert len(computed) == 2


def test_of_two_that_begin_a_store_one_does(kept):
    late = RunStore.open(kept["out"], "experiment")
    run_experiment("small", quick=True, **kept, jobs=1)
    before = (kept["out"] / "runs.jsonl").read_bytes()
    assert not late.begin_with([("key", {}, {"Q2": 1.0})], "experiment")
    assert (kept["out"] / "runs.jsonl").read_bytes() == before


def run_at(series, x, **more):
    return Run(series=series, x=x, seed=0, task="t", params={}, **more)


def test_values_go_to_their_runs_by_order_also_where_two_runs_have_one_place():
    rows = [
        ("", "a", "1", "0", "Q3", 0.3),
        ("", "b", "1", "0", "Q3", 0.1),
        ("", "a", "1", "0", "Q4", 0.4),
    ]
    runs = [run_at("a", 1), run_at("b", 1), run_at("a", 1)]
    assert values_by_run(runs, rows) == [{"Q3": 0.3}, {"Q3": 0.1}, {"Q4": 0.4}]
    with pytest.raises(OutputError):
        values_by_run([run_at("a", 1), run_at("a", 1), run_at("b", 1)], rows)


def test_values_that_stand_elsewhere_on_the_axis_get_their_names_back():
    places = {"L2 3-way": ("L2", 3), "L2 4-way": ("L2", 4)}
    rows = [("", "a", "3", "0", "L2", 0.3), ("", "a", "4", "0", "L2", 0.4), ("", "a", "0.1", "0", "cells", 9.0)]
    assert values_by_run([run_at("a", 0.1, places=places)], rows) == [{"L2 3-way": 0.3, "L2 4-way": 0.4, "cells": 9.0}]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_results_of_each_experiment_here_are_those_of_its_runs(name):
    out = PROJECT / "docs" / "research" / "experiments"
    experiment, outcome = EXPERIMENTS[name], read_outcomes(out, [name])[name]
    runs = experiment.runs(experiment.scale(quick=outcome.quick, seeds=outcome.seeds))
    values = values_by_run(runs, _kept._rows(out / name / "results.csv", outcome.values))
    assert len(values) == outcome.runs
    assert set(outcome.data) == set(experiment.datasets)
