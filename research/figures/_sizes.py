"""A paper's table of its data sets, as something that can be run: how large they are here, beside what is printed."""

from __future__ import annotations

from collections.abc import Mapping

from research._experiment import Cell, Experiment, Paper, Run, Scale

_WORDS = {
    "rows": "rows",
    "columns": "columns",
    "domain": "log₂ of possible rows",
    "bits": "bits of a row",
}


def table_of_data(
    name: str, paper: Paper, where: str, tables: Mapping[str, str], printed: Mapping[str, Mapping[str, float]]
) -> Experiment:
    """One run for each table, with its number as the place: there is no chance in it.

    >>> printed = {"NLTCS": {"rows": 21_574, "columns": 16}}
    >>> found = table_of_data("privabn-table3", "PrivABN", "Table 3", {"NLTCS": "nltcs"}, printed)
    >>> list(found.cells["NLTCS"]), len(found.runs(found.scale(quick=True)))
    (['rows', 'columns'], 1)

    Args:
        name: of the experiment.
        paper: whose table it is.
        where: in the paper.
        tables: by what the paper calls them, with their files.
        printed: what the paper prints of each, by measure; all have the same measures.
    """

    def runs(scale: Scale) -> list[Run]:
        return [
            Run(series=table, x=number, seed=0, task="sizes", params={"dataset": dataset})
            for number, (table, dataset) in enumerate(tables.items(), start=1)
        ]

    return Experiment(
        name=name,
        paper=paper,
        where=where,
        title="Data sets: rows, columns and possible rows",
        x="table",
        datasets=tuple(tables.values()),
        runs=runs,
        panels=(),
        cells={
            table: {
                _WORDS[measure]: Cell(series=table, measure=measure, x=number, printed=value)
                for measure, value in printed[table].items()
            }
            for number, table in enumerate(tables, start=1)
        },
        quick_seeds=1,
        full_seeds=1,
        log_x=False,
    )
