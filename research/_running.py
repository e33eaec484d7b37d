"""Running an experiment: what is done already is taken from its folder, and what is finished is kept there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import fmean

from research._data import data_folder, data_hash
from research._experiment import Results
from research._kept import open_store
from research._outcome import MOST_SEEDS, Outcome, write_outcome
from research._ready import check_ready
from research._runner import Done, Progress, do_runs
from research.figures import experiment_named
from understudy._core.errors import OptionError

_USUAL_JOBS = 8


def run_experiment(
    name: str,
    *,
    quick: bool = False,
    data: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] = "experiments",
    seeds: int | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Run an experiment of a paper: what is done already is taken from `out`, and what is finished is kept there.

    Args:
        name: such as "privbayes-fig12"; `EXPERIMENTS` has them all.
        quick: few repetitions, minutes; else as many as the paper made.
        data: the folder of benchmark tables; by default `UNDERSTUDY_DATA`, or `../shared/data`.
        out: a folder for results: every run in `runs.jsonl`, and for each experiment a CSV, the figure as SVG and PNG,
            and how it was run. It can be taken up again; runs that the code would now compute otherwise are done anew.
            Where there is no `runs.jsonl`, runs are taken from the CSVs.
        seeds: so many repetitions instead; at most 10,000.
        jobs: processes, at most one a processor; by default that many, but not more than eight.
        progress: called with what is being done, how much of it is done, and how much there is.
    """
    experiment = experiment_named(name)
    folder = data_folder(data)
    if seeds is not None and not 1 <= seeds <= MOST_SEEDS:
        raise OptionError(f"seeds must be at least 1 and at most {MOST_SEEDS:,}; got {seeds}.")
    if jobs is not None and jobs < 1:
        raise OptionError(f"jobs must be at least 1; got {jobs}.")
    check_ready([name], folder, quick=quick)
    scale = experiment.scale(quick=quick, seeds=seeds)
    store = open_store(Path(out), folder)
    processors = os.cpu_count() or 1
    # processes beyond the processors would wait for each other, and fill the memory meanwhile
    processes = min(jobs or _USUAL_JOBS, processors)
    done = do_runs(experiment.runs(scale), store, folder, jobs=processes, progress=progress)
    results = Results.of([(one.run, one.values) for one in done])
    outcome = Outcome(
        name=name,
        quick=quick,
        seeds=scale.seeds,
        runs=len(done),
        cpu_seconds=round(_cpu_seconds(done), 1),
        code=version("understudy"),
        seconds=_seconds_by_line(done),
        data={dataset: data_hash(dataset, folder) for dataset in experiment.datasets},
    )
    return write_outcome(Path(out) / name, experiment, outcome, results, done)


def _cpu_seconds(done: Sequence[Done]) -> float:
    """Of all runs, each computed once though it may stand at several places."""
    return sum({(one.run.task, repr(one.run.params), one.run.seed): one.seconds for one in done}.values())


def _seconds_by_line(done: Sequence[Done]) -> dict[str, float]:
    each: dict[str, list[float]] = {}
    for one in done:
        each.setdefault(one.run.line, []).append(one.seconds)
    return {line: round(fmean(seconds), 3) for line, seconds in each.items()}
