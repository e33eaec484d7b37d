"""An experiment's outcome: how it was run, and the files that hold it."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from math import isfinite
from pathlib import Path
from statistics import fmean
from typing import Any

from research._data import data_folder
from research._experiment import Experiment, Results
from research._ready import check_ready
from research._runner import Done, Progress, do_runs
from research.drawing import draw, laid_out
from research.figures import experiment_named
from understudy._core.errors import OptionError, OutputError
from understudy._core.files import as_output_error, write_bytes
from understudy.rehearsal import KEPT, RunStore

RESULT, CSV, FIGURE = "result.json", "results.csv", "figure"
_MOST_SEEDS = 10_000  # a hundred times what the papers made
_USUAL_JOBS = 8


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How an experiment was run. What came out are its values: verdicts are computed from them when they are asked."""

    name: str
    quick: bool
    seeds: int
    runs: int
    cpu_seconds: float
    code: str
    """The version of the code that computed it, to be read; whether it is current only `check_current` can tell."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """CPU seconds of a run, on average, of each line."""

    def effort(self, experiment: Experiment) -> str:
        """How it was run, in words: a quick form that saves nothing is a full one.

        >>> Outcome(name="a", quick=True, seeds=3, runs=9, cpu_seconds=1.0, code="").effort(
        ...     experiment_named("privbayes-fig12")
        ... )
        'quick form, 3 repetitions'
        """
        form = "quick form" if self.quick else "full form"
        if self.quick and self.seeds == experiment.full_seeds == experiment.quick_seeds:
            form = f"quick form ({experiment.quick_words})" if experiment.quick_words else "full form"
        return f"{form}, {self.seeds} repetition{'s' * (self.seeds != 1)}"


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
        seeds: so many repetitions instead; at most 10,000.
        jobs: processes, at most one a processor; by default that many, but not more than eight.
        progress: called with what is being done, how much of it is done, and how much there is.
    """
    experiment = experiment_named(name)
    folder = data_folder(data)
    if seeds is not None and not 1 <= seeds <= _MOST_SEEDS:
        raise OptionError(f"seeds must be at least 1 and at most {_MOST_SEEDS:,}; got {seeds}.")
    if jobs is not None and jobs < 1:
        raise OptionError(f"jobs must be at least 1; got {jobs}.")
    check_ready([name], folder, quick=quick)
    scale = experiment.scale(quick=quick, seeds=seeds)
    store = RunStore.open(Path(out), "experiment")
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
    )
    _write(Path(out) / name, experiment, outcome, results, done)
    return outcome


def _cpu_seconds(done: Sequence[Done]) -> float:
    """Of all runs, each computed once though it may stand at several places."""
    return sum({(one.run.task, repr(one.run.params), one.run.seed): one.seconds for one in done}.values())


def _seconds_by_line(done: Sequence[Done]) -> dict[str, float]:
    each: dict[str, list[float]] = {}
    for one in done:
        each.setdefault(one.run.line, []).append(one.seconds)
    return {line: round(fmean(seconds), 3) for line, seconds in each.items()}


def _write(folder: Path, experiment: Experiment, outcome: Outcome, results: Results, done: Sequence[Done]) -> None:
    figure = _figure(experiment, outcome, results)
    with as_output_error(folder, left=KEPT):
        folder.mkdir(parents=True, exist_ok=True)
    write_bytes(folder / CSV, _csv(done).encode(), left=KEPT)
    for kind, data in figure.items():
        write_bytes(folder / f"{FIGURE}.{kind}", data, left=KEPT)
    document = json.dumps(asdict(outcome), indent=2, ensure_ascii=False) + "\n"
    write_bytes(folder / RESULT, document.encode(), left=KEPT)


def _figure(experiment: Experiment, outcome: Outcome, results: Results) -> dict[str, bytes]:
    caption = f"{experiment.paper}, {experiment.where}, computed anew: {outcome.effort(experiment)}"
    return draw(experiment, results, caption)


def draw_again(name: str, out: str | os.PathLike[str]) -> None:
    """Draw an experiment's figure anew from the values that a folder has.

    Raises:
        OutputError: if it has none.
    """
    experiment, folder = experiment_named(name), Path(out) / name
    outcome, results = read_outcomes(out, [name]).get(name), read_results(out, name)
    if outcome is None or results is None:
        raise OutputError(
            f"there is no result of {name} in '{out}'. Name its folder with --out, or run it: research run"
        )
    if not (laid_out(experiment, results) or (experiment.cells and results.points)):
        raise not_values(folder / CSV)
    for kind, data in _figure(experiment, outcome, results).items():
        write_bytes(folder / f"{FIGURE}.{kind}", data, left=KEPT)


def _csv(done: Sequence[Done]) -> str:
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["group", "series", "x", "seed", "measure", "value"])
    rows.writerows(
        [one.run.group, one.run.series, f"{x:.12g}", one.run.seed, measure, repr(value)]
        for one in done
        for name, value in one.values.items()
        for measure, x in [one.run.place(name)]
    )
    return out.getvalue()


def read_outcomes(out: str | os.PathLike[str], names: Iterable[str]) -> dict[str, Outcome]:
    """The outcomes that a folder has, by experiment.

    >>> read_outcomes("no-such-folder", ["privbayes-fig12"])
    {}
    """
    found = {}
    for name in names:
        path = Path(out) / name / RESULT
        if path.is_file():
            found[name] = _read(path, experiment_named(name))
    return found


def read_results(out: str | os.PathLike[str], name: str) -> Results | None:
    """The values of an experiment that a folder has, each with its seed; None if it has none.

    >>> read_results("no-such-folder", "privbayes-fig12") is None
    True

    Raises:
        OutputError: if they cannot be read.
    """
    path = Path(out) / name / CSV
    if not path.is_file():
        return None
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return Results.gather(
                (
                    (row["group"], row["series"], row["measure"], float(row["x"])),
                    int(row["seed"]),
                    _number(row["value"]),
                )
                for row in csv.DictReader(file)
            )
    except (OSError, ValueError, KeyError, TypeError):
        raise not_values(path) from None


def _number(text: str) -> float:
    """A value, none of which is infinite or not a number when it is written.

    Raises:
        ValueError: if this one is.
    """
    if not isfinite(value := float(text)):
        raise ValueError("not a finite number")
    return value


def not_values(path: Path) -> OutputError:
    """What to say of a file that does not hold an experiment's values."""
    return OutputError(
        f"'{path}' is not there, or not the values of an experiment. Run the experiment again: research run "
        f"{path.parent.name}"
    )


def _read(path: Path, experiment: Experiment) -> Outcome:
    try:
        document: dict[str, Any] = json.loads(path.read_bytes())
        document.pop("verdicts", None)  # results of former versions have them
        outcome = Outcome(**document)
        _check_kinds(outcome)
    except (ValueError, TypeError, KeyError, AttributeError, OSError):
        raise OutputError(
            f"'{path}' is not an experiment's result, or is damaged. Delete it, and run the experiment again: "
            f"research run {experiment.name}"
        ) from None
    return outcome


def _check_kinds(outcome: Outcome) -> None:
    """Refuse what a file may hold and an outcome cannot.

    Raises:
        TypeError: if a value is of another kind.
    """
    whole = all(type(number) is int for number in (outcome.seeds, outcome.runs))
    real = all(type(number) in (int, float) for number in (outcome.cpu_seconds, *outcome.seconds.values()))
    words = [outcome.name, outcome.code]
    if not (whole and real and type(outcome.quick) is bool and all(isinstance(word, str) for word in words)):
        raise TypeError("a value of another kind")
