"""Experiments are run, kept, taken up again, and never mixed with results of other code or other data."""

from __future__ import annotations

import csv
import errno
import json
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from research import (
    EXPERIMENTS,
    Experiment,
    Panel,
    Run,
    _runner,
    _running,
    figures,
    read_outcomes,
    read_results,
    run_experiment,
)
from research.tests.made_up import write_binary_table
from understudy._core.errors import OptionError, OutputError, TableError

pytestmark = pytest.mark.slow

SMALL = Experiment(
    name="small",
    paper="PrivBayes",
    where="Figure 0",
    title="A small one",
    x="ε",
    datasets=("nltcs",),
    runs=lambda scale: [
        Run(
            series=word,
            x=epsilon,
            seed=seed,
            task="marginals",
            params={"dataset": "nltcs", "method": word, "epsilon": epsilon, "ways": [2]},
        )
        for seed in range(scale.seeds)
        for epsilon in (0.5, 5.0)
        for word in ("independent", "uniform")
    ],
    panels=(Panel(title="(a) Q2", measure="Q2", y="distance"),),
    quick_seeds=2,
)


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "EXPERIMENTS", {**EXPERIMENTS, "small": SMALL})
    write_binary_table(tmp_path / "data", "nltcs", 6)
    return tmp_path / "data"


def note_computed(monkeypatch):
    """A list that the runs go to which are computed from now on, and not taken from the store."""
    found = []
    compute = _runner.compute

    def counted(task, params, seed, folder):
        found.append((params["method"], params["epsilon"], seed))
        return compute(task, params, seed, folder)

    monkeypatch.setattr(_runner, "compute", counted)
    return found


@pytest.fixture
def computed(monkeypatch):
    return note_computed(monkeypatch)


def test_an_experiment_leaves_a_csv_two_figures_and_how_it_was_run(data, tmp_path):
    outcome = run_experiment("small", quick=True, data=data, out=tmp_path / "out", jobs=1)
    folder = tmp_path / "out" / "small"
    with (folder / "results.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == outcome.runs == 8
    assert {row["series"] for row in rows} == {"independent", "uniform"}
    assert all(0 <= float(row["value"]) <= 1 for row in rows)
    assert ET.parse(folder / "figure.svg").getroot().tag.endswith("svg")
    assert (folder / "figure.png").read_bytes().startswith(b"\x89PNG")
    document = json.loads((folder / "result.json").read_text())
    assert document["quick"] is True
    assert document["seeds"] == 2
    assert "verdicts" not in document  # they follow from the values
    results = read_results(tmp_path / "out", "small")
    assert results.by_seed("Q2", "uniform", 0.5).keys() == {0, 1}
    assert read_results(tmp_path / "out", "privbayes-fig12") is None


def test_what_is_done_is_not_done_again(data, tmp_path, computed):
    first = run_experiment("small", quick=True, data=data, out=tmp_path / "out", jobs=1)
    assert len(computed) == 8
    again = run_experiment("small", quick=True, data=data, out=tmp_path / "out", jobs=1)
    assert len(computed) == 8 + 2  # one of each method, to see whether the rest is still true
    assert again == first
    run_experiment("small", seeds=3, data=data, out=tmp_path / "out", jobs=1)
    assert len(computed) == 10 + 2 + 4  # the third seed only


def test_a_run_that_was_broken_off_goes_on_where_it_was(data, tmp_path, computed):
    def stop(stage, done, total):
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_experiment("small", quick=True, data=data, out=tmp_path / "out", jobs=1, progress=stop)
    assert len(computed) == 5
    assert not (tmp_path / "out" / "small").exists()
    run_experiment("small", quick=True, data=data, out=tmp_path / "out", jobs=1)
    assert len(computed) == 8 + 2
    assert len(set(computed)) == 8


def change_numbers_of(method, monkeypatch):
    """As if the code of one method had been changed."""
    compute = _runner.compute

    def changed(task, params, seed, folder):
        values, seconds = compute(task, params, seed, folder)
        return {name: value + 0.001 * (params["method"] == method) for name, value in values.items()}, seconds

    monkeypatch.setattr(_runner, "compute", changed)


def test_runs_that_the_code_computes_otherwise_now_are_done_anew_and_others_are_kept(
    data, tmp_path, computed, monkeypatch
):
    run_experiment("small", quick=True, data=data, out=tmp_path / "out", jobs=1)
    before = values_of(tmp_path / "out")
    change_numbers_of("independent", monkeypatch)
    run_experiment("small", quick=True, data=data, out=tmp_path / "out", jobs=1)
    assert len(computed) == 8 + 2 + 4
    after = values_of(tmp_path / "out")
    assert after == {place: value + 0.001 * (place[0] == "independent") for place, value in before.items()}
    run_experiment("small", quick=True, data=data, out=tmp_path / "out", jobs=1)
    assert len(computed) == 14 + 2
    assert values_of(tmp_path / "out") == after


def values_of(out):
    with (out / "small" / "results.csv").open() as file:
        return {(row["series"], row["x"], row["seed"]): float(row["value"]) for row in csv.DictReader(file)}


def test_forgotten_runs_are_forgotten_for_every_experiment_that_shares_them(data, tmp_path, computed, monkeypatch):
    other = Experiment(**{**{f: getattr(SMALL, f) for f in SMALL.__dataclass_fields__}, "name": "other"})
    monkeypatch.setattr(figures, "EXPERIMENTS", {**figures.EXPERIMENTS, "other": other})
    run_experiment("other", seeds=3, data=data, out=tmp_path / "out", jobs=1)
    change_numbers_of("independent", monkeypatch)
    run_experiment("small", quick=True, data=data, out=tmp_path / "out", jobs=1)  # two of the three seeds
    del computed[:]
    run_experiment("other", seeds=3, data=data, out=tmp_path / "out", jobs=1)
    assert sorted(computed) == sorted([*two_probes(computed), ("independent", 0.5, 2), ("independent", 5.0, 2)])


def two_probes(computed):
    """What was done before anything was found missing."""
    assert {method for method, _, _ in computed[:2]} == {"independent", "uniform"}
    return computed[:2]


def test_a_full_disk_is_told_with_what_is_kept(data, tmp_path, monkeypatch):
    run_experiment("small", seeds=1, data=data, out=tmp_path / "out", jobs=1)

    def full(path, line):
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr("understudy.rehearsal._store._append", full)
    with pytest.raises(OutputError, match=r"the disk is full\. Finished runs are kept, and the same command goes on"):
        run_experiment("small", seeds=2, data=data, out=tmp_path / "out", jobs=1)
    monkeypatch.undo()


def test_results_of_other_data_are_computed_anew(data, tmp_path, computed):
    run_experiment("small", quick=True, data=data, out=tmp_path / "out", jobs=1)
    write_binary_table(tmp_path / "other", "nltcs", 6, seed=2)
    run_experiment("small", quick=True, data=tmp_path / "other", out=tmp_path / "out", jobs=1)
    assert len(computed) == 16


def test_processes_compute_what_one_process_computes(data, tmp_path):
    one = run_experiment("small", quick=True, data=data, out=tmp_path / "one", jobs=1)
    two = run_experiment("small", quick=True, data=data, out=tmp_path / "two", jobs=2)
    assert one.runs == two.runs
    same = [(tmp_path / name / "small" / "results.csv").read_text() for name in ("one", "two")]
    assert same[0] == same[1]


def test_a_missing_folder_and_a_missing_file_are_named(data, tmp_path):
    with pytest.raises(TableError, match=r"'.*nowhere' does not exist.*'nltcs'.*--data.*UNDERSTUDY_DATA"):
        run_experiment("small", quick=True, data=tmp_path / "nowhere", out=tmp_path / "out")
    with pytest.raises(TableError, match=r"'.*nltcs\.csv' is a file, not a folder.*--data"):
        run_experiment("small", quick=True, data=data / "nltcs.csv", out=tmp_path / "out")
    (data / "nltcs.csv").unlink()
    with pytest.raises(TableError, match=r"has no file nltcs\.csv or nltcs\.csv\.gz"):
        run_experiment("small", quick=True, data=data, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_folder_of_the_environment_is_used(data, tmp_path, monkeypatch):
    monkeypatch.setenv("UNDERSTUDY_DATA", str(data))
    assert run_experiment("small", quick=True, out=tmp_path / "out", jobs=1).runs == 8


def test_an_unknown_experiment_is_refused_with_the_nearest_name(tmp_path):
    with pytest.raises(OptionError, match="Did you mean 'privbayes-fig12'"):
        run_experiment("privbayes-fg12", out=tmp_path / "out")


@pytest.mark.parametrize(("option", "value"), [("seeds", 0), ("jobs", 0), ("seeds", 10**8)])
def test_nothing_to_do_and_far_too_much_are_refused(data, tmp_path, option, value):
    with pytest.raises(OptionError, match=option):
        run_experiment("small", data=data, out=tmp_path / "out", **{option: value})


def test_a_folder_of_something_else_is_left_alone(data, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "letter.txt").write_text("dear")
    with pytest.raises(OutputError, match="something else"):
        run_experiment("small", quick=True, data=data, out=tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["letter.txt"]


def test_a_damaged_result_is_told_and_verdicts_of_an_older_one_are_not_taken(data, tmp_path):
    run_experiment("small", quick=True, data=data, out=tmp_path / "out", jobs=1)
    path = tmp_path / "out" / "small" / "result.json"
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, "verdicts": [{"verdict": "reproduced", "why": ""}]}))
    assert read_outcomes(tmp_path / "out", ["small"])["small"].runs == 8
    path.write_text(path.read_text()[:20])
    with pytest.raises(OutputError, match="damaged"):
        read_outcomes(tmp_path / "out", ["small"])


@pytest.mark.parametrize(
    "wrong",
    [
        {"seeds": "many"},
        {"cpu_seconds": "x"},
        {"quick": 1},
        {"seconds": [1]},
        {"seconds": {"uniform": "x"}},
    ],
)
def test_a_result_with_values_of_another_kind_is_told(data, tmp_path, wrong):
    run_experiment("small", quick=True, data=data, out=tmp_path / "out", jobs=1)
    path = tmp_path / "out" / "small" / "result.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **wrong}))
    with pytest.raises(OutputError, match="damaged"):
        read_outcomes(tmp_path / "out", ["small"])


def test_no_more_processes_are_started_than_there_are_processors(data, tmp_path, monkeypatch):
    asked = []

    def noted(*given, jobs, **options):
        asked.append(jobs)
        return do_runs(*given, jobs=1, **options)

    do_runs = _running.do_runs
    monkeypatch.setattr(_running.os, "cpu_count", lambda: 3)
    monkeypatch.setattr(_running, "do_runs", noted)
    for jobs in (1000, 2, None):
        run_experiment("small", quick=True, data=data, out=tmp_path / "out", jobs=jobs)
    assert asked == [3, 2, 3]


def test_workers_do_not_outlive_a_run_that_is_killed():
    program = """if True:
        import os, signal
        from research._runner import _workers
        with _workers(2) as pool:
            pool.submit(os.getpid).result()
            os.kill(os.getpid(), signal.SIGKILL)
    """
    # workers hold the pipe too: this returns when the last of them is gone
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=600, check=False)
    assert ended.returncode == -signal.SIGKILL


def test_values_that_are_no_numbers_are_refused(data, tmp_path, monkeypatch):
    monkeypatch.setattr(_runner, "compute", lambda *_: ({"Q2": float("nan")}, 0.1))
    with pytest.raises(TableError, match="'nltcs' came to no number for Q2"):
        run_experiment("small", quick=True, data=data, out=tmp_path / "out", jobs=1)
    assert len((tmp_path / "out" / "runs.jsonl").read_text().splitlines()) == 1


def test_values_that_are_damaged_are_told(data, tmp_path):
    run_experiment("small", quick=True, data=data, out=tmp_path / "out", jobs=1)
    path = tmp_path / "out" / "small" / "results.csv"
    path.write_text(path.read_text().replace("0.", "zero.", 1))
    with pytest.raises(OutputError, match="research run small"):
        read_results(tmp_path / "out", "small")
