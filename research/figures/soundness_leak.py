"""What the printed forms of PrivABN, HPPrivBayes, JTree and PRAM-BN give away, measured on the code here."""

from __future__ import annotations

from research._experiment import Experiment, Panel, Run, Scale
from research.figures._budgets import EPSILON
from research.figures.privabn_lines import FORMS, L2, OURS, PRINTED, TABLES
from research.tasks.leaks import AUDITS, SHARE

_FULL_TIMES = 10  # trials of the full form beside those of the quick one
_CLAIMED = "claimed"
_WIDTHS = (4, 6, 8, 12, 16)
_TESTS = {"JTree's test at ε₁ = 0.2, as in ε = 1": SHARE, "JTree's test alone at ε₁ = 1": 1.0}
"""The ε of JTree's test of pairs: what JTree gives it of a claimed 1, and all of it."""
_EPSILONS = (0.05, 0.1, 0.4, 1.0)
_RECORDS = 100
_STAR = {"rows": 21_574, "columns": 16}
_BESIDE = (0.01, 0.05, 0.1, 1.0)  # budgets of PrivABN's Figure 1
_ERROR = "L2 3-way"
_LOOKED_AT = {
    1: "PrivABN: rows",
    2: "PrivABN: conditionals",
    3: "PrivABN: network",
    4: "HPPrivBayes: first column",
    5: "HPPrivBayes: rows",
    6: "HPPrivBayes: a table",
    7: "HPPrivBayes: common value",
    10: "JTree: pairs, 16 columns",
    11: "PRAM-BN: a column",
}
"""The audits, by their rows in the soundness review."""


def _runs(scale: Scale) -> list[Run]:
    times = 1 if scale.quick else _FULL_TIMES
    found = []
    for row, audit in AUDITS.items():
        for form, trials in zip(FORMS, audit.trials, strict=True):
            params = {"row": row, "as_printed": form == "as printed", "trials": times * trials}
            found.append(Run(series=form, x=row, seed=0, task="audit", params=params))
        places = {"claimed": ("proved", float(row)), "proved": ("", float(row))}
        found.append(Run(series=_CLAIMED, x=row, seed=0, task="audit", params=params, places=places))
    found += [
        Run(
            series=series,
            x=d,
            seed=0,
            task="loss of a threshold",
            params={"columns": d, "epsilon": epsilon},
            group="columns",
        )
        for series, epsilon in _TESTS.items()
        for d in _WIDTHS
    ]
    for epsilon in _EPSILONS:
        found.append(
            Run(
                series="worst case: a star",
                x=epsilon,
                seed=0,
                task="loss on a star",
                params={**_STAR, "epsilon": epsilon},
                group="records",
            )
        )
        replaced = {"dataset": "nltcs", "method": PRINTED["nltcs"], "epsilon": epsilon, "records": _RECORDS}
        for series, name in (("worst of 100 records", "worst loss"), ("median of 100 records", "median loss")):
            found.append(
                Run(
                    series=series,
                    x=epsilon,
                    seed=0,
                    task="loss of real records",
                    params=replaced,
                    group="records",
                    places={name: ("loss", epsilon)},
                )
            )
    return found + _errors(scale.seeds)


def _errors(seeds: int) -> list[Run]:
    """Both forms and PrivBayes by PrivABN's measure; those of PrivABN are the very runs of its Figure 1."""
    return [
        Run(
            series=series,
            x=epsilon,
            seed=seed,
            task="queries",
            params={"dataset": name, "method": method, "ways": [3, 7, 12], "epsilon": epsilon},
            group=table,
        )
        for seed in range(seeds)
        for table, name in TABLES.items()
        for epsilon in _BESIDE
        for series, method in (
            (OURS["as printed"], PRINTED[name]),
            (OURS["repaired"], "privabn"),
            ("PrivBayes", "privbayes"),
        )
    ]


EXPERIMENT = Experiment(
    name="soundness-leak",
    paper="Soundness",
    where="theorems",
    title="What printed forms give away: ε proved by audits, exact losses, and the errors they bought",
    x=EPSILON,
    datasets=tuple(TABLES.values()),
    runs=_runs,
    panels=(
        Panel(
            title="(a) ε proved by trials, for each thing looked at",
            measure="proved",
            y="ε",
            x=" ",
            joined=False,
            names=_LOOKED_AT,
        ),
        Panel(
            title="(b) JTree's test of pairs, one event",
            measure="loss",
            y="loss (an ε)",
            group="columns",
            log_y=True,
            level=1.0,
            level_words="JTree's claim, ε =",
            x="number of columns",
        ),
        Panel(
            title="(c) tables of PrivABN as printed, NLTCS",
            measure="loss",
            y="loss (an ε)",
            group="records",
            log_y=True,
        ),
        *(
            Panel(title=f"({letter}) {table}, 3-way", measure=_ERROR, y=L2, group=table, log_y=True)
            for letter, table in zip("de", TABLES, strict=True)
        ),
    ),
    quick_words="a tenth of the trials",
    quick_lighter=True,
    quick_seeds=10,
)
