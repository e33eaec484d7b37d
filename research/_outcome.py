"""An experiment's outcome: how it was run, and the files that hold it."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias

from research._experiment import Experiment, Results
from research._runner import Done
from research.drawing import draw, laid_out
from research.figures import experiment_named
from understudy._core.errors import OutputError
from understudy._core.files import as_output_error, write_bytes
from understudy.rehearsal import KEPT

RESULT, CSV, FIGURE = "result.json", "results.csv", "figure"
MOST_SEEDS = 10_000  # a hundred times what the papers made
Row: TypeAlias = tuple[str, str, str, str, str, float]
"""Of a file of values: group, series, x, seed and measure as they are written, and the value."""


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
    data: Mapping[str, str] = field(default_factory=dict)
    """The tables it was run on, each with a hash of its files."""
    values: str = ""
    """A hash of the file of its values."""

    def effort(self, experiment: Experiment) -> str:
        """How it was run, in words: a quick form that saves nothing is a full one.

        >>> Outcome(name="a", quick=True, seeds=3, runs=9, cpu_seconds=1.0, code="").effort(
        ...     experiment_named("privbayes-fig12")
        ... )
        'quick form, 3 repetitions'
        """
        form = "quick form" if self.quick else "full form"
        if self.quick and experiment.quick_words:
            form += f" ({experiment.quick_words})"
        elif self.quick and self.seeds == experiment.full_seeds:
            form = "full form"
        return f"{form}, {self.seeds} repetition{'s' * (self.seeds != 1)}"


def write_outcome(
    folder: Path, experiment: Experiment, outcome: Outcome, results: Results, done: Sequence[Done]
) -> Outcome:
    """Write an experiment's values, its figure, and how it was run, in this order; the last has a hash of the first."""
    figure = _figure(experiment, outcome, results)
    with as_output_error(folder, left=KEPT):
        folder.mkdir(parents=True, exist_ok=True)
    values = _csv(done).encode()
    outcome = replace(outcome, values=sha256(values).hexdigest())
    write_bytes(folder / CSV, values, left=KEPT)
    for kind, data in figure.items():
        write_bytes(folder / f"{FIGURE}.{kind}", data, left=KEPT)
    document = json.dumps(asdict(outcome), indent=2, ensure_ascii=False) + "\n"
    write_bytes(folder / RESULT, document.encode(), left=KEPT)
    return outcome


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
    rows = read_rows(path)
    try:
        return Results.gather(
            ((group, series, measure, float(x)), int(seed), value) for group, series, x, seed, measure, value in rows
        )
    except ValueError:
        raise not_values(path) from None


def read_rows(path: Path) -> list[Row]:
    """The rows of a file of values, in their order.

    Raises:
        OutputError: if it is not there, or not such a file.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return [
                (row["group"], row["series"], row["x"], row["seed"], row["measure"], _number(row["value"]))
                for row in csv.DictReader(file)
            ]
    except (OSError, ValueError, KeyError, TypeError, csv.Error):
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
    words = [outcome.name, outcome.code, outcome.values, *outcome.data.values()]
    if not (whole and real and type(outcome.quick) is bool and all(isinstance(word, str) for word in words)):
        raise TypeError("a value of another kind")
    if not 1 <= outcome.seeds <= MOST_SEEDS:
        raise ValueError("more repetitions than can be asked for")
