"""PrivABN, Table 2: how many pairs GreedyBayes and ABN enumerate."""

from __future__ import annotations

from research._experiment import Experiment, Panel, Run, Scale

_M = 50
_DEGREES = (5, 10, 15, 20, 25)
_BY = {
    "GreedyBayes, counted": "Algorithm 1",
    "GreedyBayes, C(m+1, k+2)": "C(m+1, k+2)",
    "ABN, counted": "Algorithms 2 and 3",
    "ABN, m²": "m²",
}
_SMALL, _WIDE = (4, 8, 12, 16), (30, 50)
_GREEDY = "privbayes:score=R:max_candidates=50000000:k="
_PRINTED_RUN, _REPAIRED_RUN = "PrivABN as printed, run", "PrivABN repaired, run"
_RUNS = {
    "PrivBayes k = 2, run": (f"{_GREEDY}2", _SMALL + _WIDE),
    "PrivBayes k = 3, run": (f"{_GREEDY}3", (*_SMALL, 30)),
    _PRINTED_RUN: ("privabn-as-printed", _SMALL),
    _REPAIRED_RUN: ("privabn", _SMALL + _WIDE),
}
_TABLES = {"NLTCS": "nltcs", "ACS": "acs", "Retail": "retail50"}
_MISSED_OF = (6, 8, 10)


def _runs(scale: Scale) -> list[Run]:
    counted = [
        Run(series=series, x=k, seed=0, task="pairs", params={"columns": _M, "k": k, "by": by})
        for k in _DEGREES
        for series, by in _BY.items()
    ]
    done = [
        Run(
            series=series,
            x=m,
            seed=0,
            task="pairs of a run",
            params={"dataset": "retail50", "columns": m, "method": word, "epsilon": 1.0},
        )
        for series, (word, columns) in _RUNS.items()
        for m in columns
    ]
    missed = [
        Run(series=label, x=m, seed=0, task="missed parents", params={"dataset": name, "columns": m})
        for label, name in _TABLES.items()
        for m in _MISSED_OF
    ]
    return counted + done + missed


EXPERIMENT = Experiment(
    name="privabn-table2",
    paper="PrivABN",
    where="Table 2",
    title="Pairs of a column and its parents that GreedyBayes and ABN enumerate",
    x="number of columns m",
    datasets=tuple(_TABLES.values()),
    runs=_runs,
    panels=(
        Panel(title=f"(a) by definition, m = {_M}", measure="pairs", y="pairs", log_y=True, x="k"),
        Panel(title="(b) runs on Retail's first columns", measure="pairs of a run", y="pairs", log_y=True),
        Panel(title="(c) ABN's sets that are not the best", measure="missed", y="share of sets"),
    ),
    quick_seeds=1,
    full_seeds=1,
    log_x=False,
)
