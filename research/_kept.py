"""Results that were kept without their runs: their values are those runs, and need not be computed again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from research._data import data_hash
from research._experiment import Experiment, Run
from research._outcome import CSV, Outcome, Row, not_values, read_outcomes, read_rows
from research._runner import FROM, facts_of
from research.figures import EXPERIMENTS
from research.tasks import Values
from understudy._core.errors import OutputError, TableError
from understudy.rehearsal import RunStore, fingerprint

_KIND = "experiment"


def open_store(out: Path, folder: Path) -> RunStore:
    """The store of a folder of results. One that is new, as in a fresh clone, begins with the runs of those results.

    Only then: a store that has been used knows which runs were of other code, and the results do not.
    """
    store = RunStore.open(out, _KIND)
    if not store.unused:
        return store
    kept = {fingerprint(**facts): (facts, noted, values) for facts, noted, values in _kept(out, folder)}
    runs = [(key, facts | noted, values) for key, (facts, noted, values) in kept.items()]
    return store if store.begin_with(runs, _KIND) else RunStore.open(out, _KIND)


def _kept(out: Path, folder: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any], Values]]:
    """What each run depends on, what else is noted of it, and its values. Damaged results are as good as none."""
    for name, experiment in EXPERIMENTS.items():
        try:
            outcome = read_outcomes(out, [name]).get(name)
            if outcome is None or not _same_data(experiment, outcome, folder):
                continue
            rows = _rows(out / name / CSV, outcome.values)
            runs = experiment.runs(experiment.scale(quick=outcome.quick, seeds=outcome.seeds))
            values = values_by_run(runs, rows)
        except (OutputError, TableError, OSError):
            continue
        for run, found in zip(runs, values, strict=True):
            noted = {"version": outcome.code, "seconds": outcome.seconds.get(run.line, 0.0), FROM: name}
            yield facts_of(run, folder), noted, found


def _same_data(experiment: Experiment, outcome: Outcome, folder: Path) -> bool:
    """Whether the tables are those that the results are of.

    Raises:
        TableError: if one is not there.
    """
    return dict(outcome.data) == {dataset: data_hash(dataset, folder) for dataset in experiment.datasets}


def _rows(path: Path, known: str) -> list[Row]:
    """The rows of a file of values, if it is the one that a result was written with.

    Raises:
        OutputError: if it is not.
    """
    if sha256(path.read_bytes()).hexdigest() != known:
        raise not_values(path)
    return read_rows(path)


def values_by_run(runs: Sequence[Run], rows: Sequence[Row]) -> list[Values]:
    """The values of each run, from rows that stand in the order of the runs; none at all if they do not fit.

    >>> runs = [Run(series="a", x=1, seed=seed, task="t", params={}) for seed in (0, 1)]
    >>> values_by_run(runs, [("", "a", "1", "0", "Q2", 0.5), ("", "a", "1", "1", "Q2", 0.25)])
    [{'Q2': 0.5}, {'Q2': 0.25}]

    Raises:
        OutputError: if they do not fit.
    """
    found: list[Values] = []
    position = 0
    for run in runs:
        names = {(measure, f"{x:.12g}"): name for name, (measure, x) in run.places.items()}
        values: dict[str, float] = {}
        while position < len(rows):
            group, series, x, seed, measure, value = rows[position]
            name = names.get((measure, x), measure)
            ours = (group, series, seed) == (run.group, run.series, str(run.seed)) and _at(run, name, measure, x)
            if not ours or name in values:
                break
            values[name] = value
            position += 1
        if not values:
            raise OutputError(f"a run of {run.line} has no values.")
        found.append(values)
    if position < len(rows):
        raise OutputError("there are more values than runs have.")
    return found


def _at(run: Run, name: str, measure: str, x: str) -> bool:
    """Whether that is where the run's value of this name stands."""
    place, where = run.place(name)
    return (place, f"{where:.12g}") == (measure, x)
