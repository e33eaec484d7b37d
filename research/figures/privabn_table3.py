"""PrivABN, Table 3: the data sets as they are here."""

from __future__ import annotations

from research._experiment import Experiment, Panel, Run, Scale
from research.figures.privabn_lines import TABLES

_TABLES = {**TABLES, "Retail": "retail50"}
_MEASURES = {"rows": "rows", "columns": "columns", "domain": "log₂ of the possible rows"}


def _runs(scale: Scale) -> list[Run]:
    """One for each table, with its number as the place: there is no chance in it."""
    return [
        Run(series=table, x=number, seed=0, task="sizes", params={"dataset": dataset})
        for number, (table, dataset) in enumerate(_TABLES.items(), start=1)
    ]


EXPERIMENT = Experiment(
    name="privabn-table3",
    paper="PrivABN",
    where="Table 3",
    title="Data sets: rows, columns and possible rows",
    x="table",
    datasets=tuple(_TABLES.values()),
    runs=_runs,
    panels=tuple(
        Panel(title=f"({letter}) {words}", measure=measure, y=words, joined=False)
        for letter, (measure, words) in zip("abc", _MEASURES.items(), strict=True)
    ),
    quick_seeds=1,
    full_seeds=1,
    log_x=False,
)
