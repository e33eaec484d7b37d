"""Whether a stored result is current: a few of its seeded runs, done again, give the same numbers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from research._data import data_folder
from research._experiment import Experiment, Run
from research._outcome import CSV, Outcome, read_outcomes, read_rows
from research._ready import check_ready
from research._runner import AGAIN, Progress, compute, differing
from research.figures import experiment_named
from understudy._core.errors import OutputError

_FEWEST = 3
Place = tuple[str, str, str, str, str]  # group, series, x, seed, measure, as a row of the file has them


@dataclass(frozen=True, kw_only=True)
class Checked:
    """Runs of an experiment that were done again, and where they gave other numbers, in words."""

    name: str
    runs: int
    differences: tuple[str, ...]

    @property
    def current(self) -> bool:
        """Whether the code computes what is stored."""
        return not self.differences


def check_current(
    name: str,
    *,
    data: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] = "experiments",
    most: int | None = None,
    progress: Progress | None = None,
) -> Checked:
    """Do a few runs again, or `most` of these, and compare with what is stored in `out`."""
    experiment, folder = experiment_named(name), data_folder(data)
    outcome = read_outcomes(out, [name]).get(name)
    if outcome is None:
        raise OutputError(
            f"there is no result of {name} in '{out}'. Name its folder with --out, or run it: research run"
        )
    stored = {row[:5]: row[5] for row in read_rows(Path(out) / name / CSV)}
    check_ready([name], folder, quick=outcome.quick)
    again = probes(experiment, outcome)[:most]
    differences = []
    for done, run in enumerate(again):
        if progress is not None:
            progress(AGAIN, done, len(again))
        differences += _differences(run, compute(run.task, dict(run.params), run.seed, folder)[0], stored)
    if progress is not None:
        progress(AGAIN, len(again), len(again))
    return Checked(name=name, runs=len(again), differences=tuple(differences))


def probes(experiment: Experiment, outcome: Outcome) -> list[Run]:
    """The runs to do again, the cheapest first: one of each method, and of other lines as many as make three in all.

    Of a line it is the first run, and lines are as cheap as their runs were on average.
    """
    lines: dict[tuple[object, ...], Run] = {}
    for run in experiment.runs(experiment.scale(quick=outcome.quick, seeds=outcome.seeds)):
        lines.setdefault((run.method, run.line), run)
    cheapest = sorted(lines.values(), key=lambda run: outcome.seconds.get(run.line, 0.0))
    methods = {run.method: run for run in reversed(cheapest)}
    others = [run for run in cheapest if methods[run.method] is not run]
    chosen = [*methods.values(), *others[: max(0, _FEWEST - len(methods))]]
    return [run for run in cheapest if any(run is one for one in chosen)]


def _differences(run: Run, values: Mapping[str, float], stored: Mapping[Place, float]) -> list[str]:
    places = {name: run.place(name) for name in values}
    before = {
        name: stored[place]
        for name, (measure, x) in places.items()
        if (place := (run.group, run.series, f"{x:.12g}", str(run.seed), measure)) in stored
    }
    return [
        f"{run.line} at {places[name][1]:g}, seed {run.seed}: {places[name][0]} was {before.get(name, 'not there')}, "
        f"and is {values[name]}"
        for name in differing(before, dict(values))
    ]
