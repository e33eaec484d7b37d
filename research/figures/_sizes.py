"""A paper's table of its data sets, as something that can be run: how large they are here."""

from __future__ import annotations

from collections.abc import Mapping

from research._experiment import Experiment, Panel, Paper, Run, Scale

_WORDS = {
    "rows": "rows",
    "columns": "columns",
    "domain": "log₂ of the possible rows",
    "bits": "bits of a row, binary encoding",
}


def table_of_data(
    name: str, paper: Paper, where: str, tables: Mapping[str, str], measures: tuple[str, ...]
) -> Experiment:
    """One run for each table, with its number as the place: there is no chance in it.

    >>> found = table_of_data("privabn-table3", "PrivABN", "Table 3", {"NLTCS": "nltcs"}, ("rows", "columns"))
    >>> [panel.title for panel in found.panels], len(found.runs(found.scale(quick=True)))
    (['(a) rows', '(b) columns'], 1)
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
        panels=tuple(
            Panel(title=f"({letter}) {_WORDS[measure]}", measure=measure, y=_WORDS[measure], joined=False)
            for letter, measure in zip("abcd", measures, strict=False)
        ),
        quick_seeds=1,
        full_seeds=1,
        log_x=False,
    )
