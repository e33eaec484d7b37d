"""What an experiment needs, looked for before anything runs: whatever is missing is told now and not after hours."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from research._data import data_folder, load, schema_file, table_file
from research._experiment import Run
from research.drawing import check_matplotlib
from research.figures import experiment_named
from research.svm import svm_targets
from research.tasks import REAL, network_file
from understudy._core.errors import OptionError, SchemaError, TableError, UserError
from understudy.evaluation import scikit_learn
from understudy.schema import Schema

_RADIAL = "rbf"


def check_ready(names: Iterable[str], data: str | os.PathLike[str] | None = None, *, quick: bool = False) -> None:
    """Refuse experiments that could not be finished: for want of a program, a table, a column or a described task.

    >>> check_ready([], "no-such-folder")
    >>> check_ready(["privbayes-fig12"], "no-such-folder")
    Traceback (most recent call last):
    understudy._core.errors.TableError: the folder of benchmark data 'no-such-folder' does not exist, and the table \
'nltcs' should be in it. Name the folder with --data or in the environment variable UNDERSTUDY_DATA.
    """
    wanted = [experiment_named(name) for name in names]
    folder = data_folder(data)
    tables = dict.fromkeys(dataset for experiment in wanted for dataset in experiment.datasets)
    for dataset in tables:
        table_file(dataset, folder)
        schema_file(dataset, folder)
    todo = [run for experiment in wanted for run in experiment.runs(experiment.scale(quick=quick, seeds=1))]
    if todo:
        check_matplotlib()
        _check_scikit_learn(todo)
        for network in dict.fromkeys(run.params.get("network", "") for run in todo):
            if network in REAL:
                network_file(network)
    for dataset in tables:
        _check_table(dataset, folder, [run for run in todo if run.params.get("dataset") == dataset])


def _check_scikit_learn(runs: Sequence[Run]) -> None:
    if any(run.task == "radial" or run.params.get("kernel") == _RADIAL for run in runs):
        try:
            scikit_learn()
        except OptionError:
            raise OptionError(
                "machines with a radial kernel need scikit-learn, which is not installed. Run: make setup"
            ) from None


def _check_table(dataset: str, folder: Path, runs: Sequence[Run]) -> None:
    try:
        schema = load(dataset, folder).schema
    except (SchemaError, TableError) as error:
        raise type(error)(f"the benchmark table '{dataset}' in '{folder}' cannot be used: {error}") from None
    needed = max((_columns(run) for run in runs), default=0)
    if needed > len(schema.fields):
        raise TableError(
            f"the benchmark table '{dataset}' in '{folder}' has {len(schema.fields)} columns, and the experiment looks "
            f"at {needed} at once. Put the papers' table there, or name another folder with --data."
        )
    if any(run.task == "svm" for run in runs):
        _check_tasks(dataset, schema, folder)


def _columns(run: Run) -> int:
    """How many columns of its table the run looks at at once, as far as its parameters tell."""
    found: int = max([0, *run.params.get("ways", ()), run.params.get("columns", 0)])
    return found


def _check_tasks(dataset: str, schema: Schema, folder: Path) -> None:
    try:
        svm_targets(dataset, schema, folder)
    except UserError:
        raise
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, OSError):
        raise TableError(
            f"the classification tasks of '{dataset}' cannot be read from its .schema.json in '{folder}': it is "
            "damaged, or describes another table. Put the one that belongs to the table there."
        ) from None
