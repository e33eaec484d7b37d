"""PrivBayes, Table 5: the data sets as they are here."""

from __future__ import annotations

from research._experiment import Experiment, Panel, Run, Scale
from research.figures._budgets import BENCHMARKS

_MEASURES = {
    "rows": "rows",
    "columns": "columns",
    "domain": "log₂ of the possible rows",
    "bits": "bits of a row, binary encoding",
}


def _runs(scale: Scale) -> list[Run]:
    """One for each table, with its number as the place: there is no chance in it."""
    return [
        Run(series=table, x=number, seed=0, task="sizes", params={"dataset": dataset})
        for number, (table, dataset) in enumerate(BENCHMARKS.items(), start=1)
    ]


EXPERIMENT = Experiment(
    name="privbayes-table5",
    paper="PrivBayes",
    where="Table 5",
    title="Data sets: rows, columns and possible rows",
    x="table",
    datasets=tuple(BENCHMARKS.values()),
    runs=_runs,
    panels=tuple(
        Panel(title=f"({letter}) {words}", measure=measure, y=words, joined=False)
        for letter, (measure, words) in zip("abcd", _MEASURES.items(), strict=True)
    ),
    quick_seeds=1,
    full_seeds=1,
)
